"""Every sentence that minigrad says to a learner, in English and in Chinese.

The sentences themselves live beside this file in `messages.toml`, those of the course's checkers in
`lessons.toml`, `guesses.toml` and `items.toml`, those of its widgets in `moments.toml`, causes that were found in
`why.toml`, both languages next to each other; this file only finds one and fills in its blanks.
It imports nothing of minigrad.
API words (`requires_grad`, `.grad`, `grad_fn`) are never translated.
"""

import os
import re
from functools import cache
from typing import Any

__all__ = ["LANGUAGES", "both", "demand", "get_language", "say", "set_language"]

LANGUAGES = ("en", "zh")
_language = "en"


def read(name: str) -> str:
    """The text of a file beside this one."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


@cache
def _sentences() -> dict[str, dict[str, str]]:
    """All sentences as `{"section.key": {"en": ..., "zh": ...}}`, read at first use."""
    import tomllib  # costs 2-3 ms, and most programs never fail and never draw

    files = (tomllib.loads(read(f"{name}.toml")) for name in "messages lessons guesses items moments why".split())
    return {f"{section}.{key}": pair for sections in files for section, entries in sections.items()
            for key, pair in entries.items()}


def both(key: str, **values: object) -> dict[str, str]:
    """One sentence in each language: `{"en": ..., "zh": ...}`; a value may be such a pair itself."""
    return {lang: _filled(key, lang, {word: value[lang] if isinstance(value, dict) else value
                                      for word, value in values.items()}) for lang in LANGUAGES}


def script_words(section: str) -> dict[str, dict[str, str]]:
    """The sentences of a section that a widget's script says, listed in `names.ini`."""
    return {word: both(f"{section}.{word}") for word in table("names")["scripts"][section].split()}


def _filled(key: str, lang: str, values: dict[str, object]) -> str:
    """A sentence with its blanks filled; no second full stop, no space behind a full-width sign, whatever came in."""
    text = re.sub(r"\.(?=。)|(?<=[\w)])\.(?=\. )", "", _sentences()[key][lang].format(**values))
    return re.sub("(?<=[，。：；（）]) +", "", text) if lang == "zh" else text


def say(key: str, lang: str | None = None, **values: object) -> str:
    """The sentence `key` with its blanks filled; `lang="both"` puts English above Chinese.

    What reads the same in both is said once.
    """
    lang = lang or _language
    return "\n".join(dict.fromkeys(both(key, **values).values())) if lang == "both" else _filled(key, lang, values)


def demand(holds: Any, key: str, kind: type = ValueError, **values: Any) -> None:
    """Raises `kind` with the sentence `key` unless `holds`; PyTorch's own are for `presentation.need`."""
    if not holds:
        raise kind(say(key, **values))


def noted(error: Exception, key: str, **values: Any) -> Exception:
    """An error, with the sentence `key` as a note below it."""
    error.add_note(say(key, **values))
    return error


@cache
def table(name: str) -> dict[str, dict[str, str]]:
    """What an `.ini` file beside this one has, by section; read at first use.

    `rules`: what the text of an error tells, and its expression, by the name of the sentence. `names`: letters of
    formulas, what waits, what widgets say, and what is suspected.
    """
    from configparser import ConfigParser

    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(os.path.join(os.path.dirname(__file__), f"{name}.ini"), "utf-8")
    return {section: dict(parser[section]) for section in parser.sections()}


@cache
def torch_names() -> dict[str, frozenset[str]]:
    """The public names of PyTorch, by the module or class that has them: `torch_names.txt`."""
    parts = read("torch_names.txt").partition("\n")[2].replace("\n  ", " ").splitlines()
    return {module: frozenset(names.split()) for module, _, names in (line.partition(":") for line in parts)}


@cache
def signatures() -> list[str]:
    """What PyTorch's functions and methods take, `torch.NAME(...)` and `Tensor.NAME(...)`: `signatures.txt`."""
    return read("signatures.txt").splitlines()


def knows(key: str) -> bool:
    """True if there is a sentence `key`."""
    return key in _sentences()


def set_language(lang: str) -> None:
    """Choose the language of notes, pictures and players: `"en"`, `"zh"` or `"both"`."""
    global _language
    _language = chosen(str(lang))


def get_language() -> str:
    """The language in use: `"en"`, `"zh"` or `"both"`."""
    return _language


def chosen(lang: str | None) -> str:
    """`lang`, or the language in use for None. Raises: ValueError for one that nothing is written in."""
    demand(lang in (None, *LANGUAGES, "both"), "draw.language", given=repr(lang))
    return lang or _language


# Never the locale: what a notebook prints must not depend on the machine it runs on.
set_language(os.environ.get("MINIGRAD_LANG", "en"))
