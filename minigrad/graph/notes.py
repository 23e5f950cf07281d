"""The notes under errors: which node, which line, who changed or freed it, what to do.

Made only when an error is raised. The sentences are in `text/messages.toml` under `note.`; here are
the facts that fill their blanks. Installed as `presentation.explain`.
"""

from __future__ import annotations

import os
from typing import Any

from ..core.beside.lines import learners_line, source_line
from ..core.graph import Freed, Node, function_of
from ..text import LANGUAGES, get_language, knows, presentation, say


def explain(key: str, facts: dict[str, Any]) -> list[str]:
    """The notes for error `key`, one per language; none where there is nothing to teach."""
    if not knows(f"note.{key}"):
        return []
    chosen = get_language()
    return [_told(key, facts, lang) for lang in (LANGUAGES if chosen == "both" else (chosen,))]


def _told(key: str, facts: dict[str, Any], lang: str) -> str:
    """The story of one error in one language: what happened, who did it, what to do."""
    parts = [say(f"note.{key}", lang, **_blanks(facts, lang))]
    if key == "modified":
        parts.append(_with_line("note.written", _writer(facts), lang))
    elif key == "freed":
        parts.append(_with_line("note.freed_by", _eraser(facts), lang))
    return "\n".join(filter(None, parts))


def _blanks(facts: dict[str, Any], lang: str) -> dict[str, Any]:
    """What the sentences may mention."""
    tensor, node = facts.get("tensor"), facts.get("node")
    maker, _ = function_of(getattr(tensor, "_fn", None))
    shown = {**facts, "made": _made(node if node is not None else maker, lang)}
    if tensor is not None:
        shown.update(shape=tuple(tensor._data.shape), count=tensor._data.size)
    return shown


def _made(node: Node | None, lang: str) -> str:
    """A node as notes name it: MulBackward0 (made in line 3: `y = x * 2`)."""
    if node is None:
        return "?"
    name = presentation.current.type_name(node)
    return _with_line("note.made_by", node.line, lang, node=name) or name


def _with_line(key: str, line: tuple[str, int, str] | None, lang: str, **values: Any) -> str:
    """A sentence about a line of the learner's; "" where its source is not known."""
    if line is None or not line[2]:  # Python keeps no source of what is typed at its prompt
        return ""
    return say(key, lang, place=_place(line, lang), source=line[2], **values)


def _place(line: tuple[str, int, str], lang: str) -> str:
    """Where a line stands, seen from the line that failed: in the same file or cell, or in another."""
    file, number, _ = line
    code, _ = learners_line()
    kind = "line"
    if code is not None and file != code.co_filename:
        kind = "line_of_cell" if "ipykernel_" in file or file.startswith("<ipython-input") else "line_of_file"
    return say(f"note.{kind}", lang, number=number, file=os.path.basename(file))


def _writer(facts: dict[str, Any]) -> tuple[str, int, str] | None:
    """The line that last wrote the storage in question in place."""
    counter = facts.get("counter")
    line = counter[1] if counter else ()
    return source_line(*line) if line and line[0] else None


def _eraser(facts: dict[str, Any]) -> tuple[str, int, str] | None:
    """The line whose backward freed the node."""
    node = facts.get("node")
    marks = [getattr(node, slot) for slot in getattr(node, "frees", ())]
    mark = next((m for m in marks if isinstance(m, Freed) and m.code is not None), None)
    return None if mark is None else source_line(mark.code, mark.lasti)


presentation.explain = explain
