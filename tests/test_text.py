"""Sentences: every key has both languages, with the same blanks."""

import ast
import json
import os
import string
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import minigrad
from minigrad import text

SECTIONS = {section: entries for file in sorted(Path(text.__file__).parent.glob("*.toml"))
            for section, entries in tomllib.loads(file.read_text("utf-8")).items()}
KEYS = [f"{section}.{key}" for section, entries in SECTIONS.items() for key in entries]


@pytest.fixture(autouse=True)
def language():
    before = text.get_language()
    text.set_language("en")
    yield
    text.set_language(before)


def blanks(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("key", KEYS)
def test_a_message_has_both_languages_and_the_same_blanks(key):
    section, _, name = key.partition(".")
    pair = SECTIONS[section][name]

    assert set(pair) == {"en", "zh"}
    assert all(sentence.strip() for sentence in pair.values())
    assert blanks(pair["en"]) == blanks(pair["zh"])


def test_say_follows_the_language():
    english = text.say("array.unknown_device", type="mps")
    text.set_language("zh")
    chinese = text.say("array.unknown_device", type="mps")

    assert english != chinese
    assert "mps" in english
    assert "mps" in chinese
    assert text.say("array.unknown_device", "en", type="mps") == english


def test_both_puts_english_above_chinese():
    pair = text.both("array.unknown_device", type="mps")
    text.set_language("both")

    assert text.say("array.unknown_device", type="mps") == f"{pair['en']}\n{pair['zh']}"


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="language must be 'en', 'zh' or 'both', not 'fr'"):
        text.set_language("fr")

    assert text.get_language() == "en"


@pytest.mark.parametrize("show", [
    lambda w, lang: minigrad.draw(w * w, lang=lang), lambda w, lang: minigrad.step(w * w, preview=True, lang=lang),
    lambda w, lang: minigrad.compare(w * w, w * 2, lang=lang),
    lambda w, lang: minigrad.nudge(lambda w: w * w, lang=lang),
    lambda w, lang: minigrad.versions("y = w * w", lang=lang),
    lambda w, lang: minigrad.detective("y = w", "w", lang=lang),
    lambda w, lang: minigrad.training(lambda: (w * w).backward(), w, lang=lang)], ids=list("abcdefg"))
def test_what_is_shown_in_a_language_that_is_not_there_is_refused_in_the_one_in_use(show):
    w = minigrad.tensor(2.0, requires_grad=True)

    for used, said in (("en", "must be 'en', 'zh' or 'both', not 'fr'"), ("zh", "只能是 'en'、'zh' 或 'both'")):
        text.set_language(used)
        with pytest.raises(ValueError, match=said):
            show(w, "fr")
        assert show(w, "zh") is not None


@pytest.mark.parametrize(("chosen", "language"), [({}, "en"), ({"MINIGRAD_LANG": "zh"}, "zh")])
def test_the_language_comes_from_the_environment_never_from_the_locale(chosen, language):
    surroundings = {k: v for k, v in os.environ.items() if k != "MINIGRAD_LANG"}
    surroundings |= {"LANG": "zh_CN.UTF-8", "LC_ALL": "zh_CN.UTF-8"} | chosen
    program = "from minigrad import text; print(text.get_language())"

    printed = subprocess.check_output([sys.executable, "-c", program], env=surroundings, text=True)

    assert printed.strip() == language


def test_what_reads_the_same_in_both_languages_is_said_once():
    assert text.say("draw.key_next", "both") == "next_functions"


def keys_in(call: ast.Call):
    """The sentences of PyTorch's that a call names: `need(holds, key)`, `warn(key)`, `torch_says(key)`, `said=key`."""
    place = {"need": 1, "warn": 0, "torch_says": 0}.get(getattr(call.func, "attr", getattr(call.func, "id", "")))
    given = [k.value for k in call.keywords if k.arg == "said"]
    given += [] if place is None else call.args[place : place + 1]
    either = [way for key in given for way in ((key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,))]
    return [key.value for key in either if isinstance(key, ast.Constant)]


def test_every_sentence_of_pytorchs_that_the_code_names_is_there():
    package = Path(text.__file__).parent.parent
    written = json.loads((package / "text" / "torch_says.json").read_text("utf-8"), object_pairs_hook=list)
    known = dict(written)
    named = {key for file in package.rglob("*.py") for node in ast.walk(ast.parse(file.read_text("utf-8")))
             if isinstance(node, ast.Call) and "warnings" not in ast.dump(node.func) for key in keys_in(node)}

    assert len(named) > 250
    assert len(known) == len(written)  # else the later of two would be said in place of the earlier
    assert named <= known.keys()
