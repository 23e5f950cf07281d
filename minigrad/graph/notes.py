"""The notes under errors: which node, which line, who changed or freed it, what to do.

Made when an error is raised, or shown, or asked about. The sentences are in `text/messages.toml` under `note.`, causes
and cures in `text/why.toml`; here are the facts that fill their blanks. `presentation.explain` comes here.
"""

import os
import re
from importlib import import_module
from pkgutil import iter_modules
from typing import Any
from warnings import catch_warnings

from ..core.beside.lines import learners_frame
from ..core.graph import Node, function_of
from ..text import LANGUAGES, get_language, knows, presentation, say, table, torch_names
from . import errors
from .findings import Finding, attempt
from .program import expression, inputs, is_cell, is_theirs, standing, theirs
from .refused import Refused
from .torch_tells import Spent, told_by
from .tracebacks import places


def explain(exception: BaseException, key: str, facts: dict[str, Any]) -> None:
    """Add to an error what is to be said of it, one note per language: the cause where it is found, else in general.

    The finding stays with the error, for `why`.
    """
    frame = theirs(learners_frame())
    if not (Refused.trying or (frame and tell(exception, frame, frame.f_lasti, key, facts))) and knows(f"note.{key}"):
        add(exception, lambda lang: say(f"note.{key}", lang, **_blanks(facts, lang)))


def add(error: Any, told: Any) -> None:
    """Add a note in the language chosen; the error keeps what is `told(lang)`, for a player that speaks another."""
    error.told = {lang: told(lang) for lang in LANGUAGES}
    for lang in languages():
        error.add_note(error.told[lang])


def tell(error: BaseException, frame: Any, lasti: int, key: str = "", facts: Any = None) -> bool:
    """Add the cause of an error that an instruction of the learner's raised, if it can be told."""
    context, node = standing(frame), expression(frame.f_code, lasti)
    with catch_warnings(action="ignore"):  # looking is not the learner's access
        found: Any = context and node and attempt(errors.find, error, key, facts or {}, node, context)
    if found:
        add(error, lambda lang: cause_told(found, lang, frame.f_code.co_filename))
        # the error may be kept for long, and a node keeps what it saved
        error.finding = found  # type: ignore[attr-defined]
        kept = {k: str(v) if isinstance(v, Spent) else v for k, v in found.facts.items()}
        found.facts = {k: _made(v, languages()[0]) if isinstance(v, Node) else v for k, v in kept.items()}
    return bool(found)


def complete(error: BaseException) -> None:
    """Give an error that was raised without a note the one that its text and its place tell."""
    mine = [place for place in places(error.__traceback__) if is_theirs(place.tb_frame.f_code)]
    if not mine or hasattr(error, "finding"):
        return
    error.finding = None  # type: ignore[attr-defined]
    meant = mistyped(error)
    if not tell(error, mine[-1].tb_frame, mine[-1].tb_lasti, *told_by(error)) and meant is not None:
        add(error, lambda lang: say(f"alias.{meant[0]}", lang, **meant[1]))


def mistyped(error: BaseException) -> tuple[str, dict[str, str]] | None:
    """What is told of an import that minigrad has not, and its facts: PyTorch has it, or which name is nearest."""
    if not isinstance(error, ImportError) or not str(error.name).startswith("minigrad"):
        return None
    where, _, wanted = str(error.name).rpartition(".")
    if not isinstance(error, ModuleNotFoundError):  # the module is there, and has not the name
        where, wanted = str(error.name), re.findall(r"'(\w+)'", str(error))[0]
    module: Any = import_module(where or "minigrad")
    inside = (m.name for m in iter_modules(getattr(module, "__path__", ())))
    known, there = {*dir(module), *getattr(module, "__all__", ()), *inside}, f"torch{where[8:]}"
    homes = presentation.homes_of(wanted, there)
    if not homes and wanted in torch_names().get(there, ()):
        return "not_yet", {"name": f"{there}.{wanted}"}
    error.nearest = near = [] if homes else presentation.nearest(wanted, tuple(known))  # type: ignore[attr-defined]
    told = "`, `".join([f"minigrad{home[5:]}" for home in homes] or [f"{where}.{one}" for one in near])
    return ("nearest", {"name": f"{where}.{wanted}", "nearest": told}) if told else None


def languages() -> tuple[str, ...]:
    """The languages that a note is written in."""
    return LANGUAGES if get_language() == "both" else (get_language(),)


def cause_told(found: Finding, lang: str, here: str = "") -> str:
    """A cause, its line, and the cure; `here` is the file that it is told in, where that is not the one that runs."""
    told = {name: _made(value, lang) if isinstance(value, Node) else value for name, value in found.facts.items()}
    if found.line is not None:
        told |= {"place": _place(found.line, lang, here), "source": found.line[2]}
    said, place = say(f"cause.{found.key}", lang, **told), told.get("place", "")
    parts = [(place[:1].upper() + said[1:]).lstrip() if place and said.startswith(place) else said]  # no learner's name
    if found.edit is not None and found.line is not None:
        number, text = found.edit
        key = "gone" if not text.strip() else "indented" if text[:1].isspace() or "\n" in text else "edit"
        kinds = table("names")["causes"].items()
        key += next((f"_{kind}" for kind, several in kinds if found.key in several.split()), "")
        parts.append(say(f"cure.{key}", lang, place=_place((found.line[0], number, text), lang, here), text=text))
    return "\n".join(parts)


def _blanks(facts: dict[str, Any], lang: str) -> dict[str, Any]:
    """What the sentences may mention."""
    tensor, node = facts.get("tensor"), facts.get("node")
    maker, _ = function_of(getattr(tensor, "_fn", None))
    shown = {**facts, "made": _made(node if node is not None else maker, lang)}
    if (data := getattr(tensor, "_data", None)) is not None:  # an edge has none
        shown.update(shape=tuple(data.shape), count=data.size)
    return shown


def _made(node: Node | None, lang: str) -> str:
    """A node as notes name it: MulBackward0 (made in line 3: `y = x * 2`)."""
    name, line = "?" if node is None else presentation.current.type_name(node), node and node.line
    if not line or not line[2]:  # Python keeps no source of what is typed at its prompt
        return name
    return say("note.made_by", lang, node=name, place=_place(line, lang), source=line[2])


def file_now() -> str:
    """The file, or cell, of the learner's that runs."""
    return getattr(getattr(theirs(learners_frame()), "f_code", None), "co_filename", "")


def _place(line: tuple[str, int, str], lang: str, here: str = "") -> str:
    """Where a line stands, seen from the line that failed: in the same file or cell, or in another."""
    (file, number, _), count = line, inputs().get(line[0])
    kind = "line_of_input" if count else "line_of_cell" if is_cell(file) else "line_of_file"
    kind = "line" if file == (here or file_now() or file) else kind
    return say(f"note.{kind}", lang, number=number, file=os.path.basename(file), count=count)
