"""For the teacher: exercises of your own, and what a class was told.

A learner who agrees calls `keep(folder)` once in a notebook. From then on each verdict of that kernel is a line in
one file there, whose name is drawn by lot: exercise, passed, misconception, and nothing else. `collect(folder)` reads
the files of a class.
"""

import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from html import escape
from pathlib import Path
from typing import Any

from ..text import demand, get_language, knows, say
from .exercise import Case, Exercise, plain
from .verdict import Verdict

FIELDS = {"exercise": str, "passed": bool, "misconception": str | None}  # of a verdict that is noted
kept: Path | None = None  # where verdicts are noted


def own_exercise(exercise: str, solution: Callable, cases: Iterable[tuple], mistakes: Mapping[str, Any],
                 sentences: Mapping[str, Any]) -> Exercise:
    """See `register`."""
    cases, named = list(cases), getattr(solution, "__name__", "")
    demand(cases and all(isinstance(given, tuple | list) for given in cases), "lessons.no_cases")
    name = named if named.isidentifier() else "answer"
    models = {key: some if isinstance(some, list | tuple) else [some] for key, some in mistakes.items()}

    def play(answer: Callable, *given: Any) -> tuple[dict, dict]:
        return {name: answer(*deepcopy(given))}, {}

    rows = [Case(f"{name}({', '.join(map(repr, row))})", row, {name: plain(solution(*deepcopy(row)))}) for row in cases]
    made = Exercise(exercise, lambda: rows, play, models, sentences=sentences)

    demand(made(solution).passed, "lessons.no_solution", said=made(solution).text)
    mute = [key for key in models if not sentences.get(key) and (key in sentences or not knows(f"lessons.{key}"))]
    demand(not mute, "lessons.no_sentence", keys=", ".join(mute))
    alike = [key for key, some in models.items() if any(made(model).passed for model in some)]
    demand(not alike, "lessons.not_told_apart", keys=", ".join(alike))
    return made


def keep(folder: str | Path | None) -> None:
    """Note verdicts of this kernel in a new file in `folder`, so that a teacher can `collect` them; None: no longer.

    Raises: OSError where there can be no such folder.
    """
    global kept
    kept = None if folder is None else Path(folder).expanduser() / f"verdicts-{secrets.token_hex(4)}.jsonl"
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)


def note(verdict: Verdict) -> Verdict:
    """Write down a verdict, where the learner agreed to it; `not yet` is none. It is told where nothing can be
    written, too."""
    if kept is not None and verdict.passed is not None:
        with suppress(OSError), kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps({key: getattr(verdict, key) for key in FIELDS}) + "\n")
    return verdict


class Page:
    """What a class was told: a table that a notebook shows, `print` writes and `save(path)` keeps as a web page."""

    def __init__(self, title: str, rows: list[tuple[str, ...]]) -> None:
        self.title, self.rows = title, rows

    def __repr__(self) -> str:
        return "\n".join([self.title, *("  ".join(row) for row in self.rows)])

    def _repr_html_(self) -> str:
        table = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        return f"<h1>{escape(self.title)}</h1><table>{table}</table>"

    def save(self, path: str | Path) -> None:
        """Write one HTML page."""
        head = f'<!doctype html><html lang="{get_language()}"><meta charset="utf-8"><title>{escape(self.title)}</title>'
        Path(path).write_text(head + self._repr_html_(), "utf-8")


def verdicts(file: Path) -> list[dict[str, Any]]:
    """One kernel's, in the order in which they were told. Raises: ValueError for a file that holds something else."""
    with suppress(OSError, RecursionError, ValueError, TypeError, KeyError):
        rows = [json.loads(line) for line in file.read_text("utf-8-sig").splitlines() if line.strip()]
        told = [{key: row[key] for key in FIELDS} for row in rows]
        if all(isinstance(value, FIELDS[key]) for row in told for key, value in row.items()):
            return told
    raise ValueError(say("lessons.not_verdicts", file=file.name))


def collect(folder: str | Path) -> Page:
    """What a class was told: for each exercise in how many kernels it was tried, how many were right at the first try,
    and the commonest misconceptions with the number of kernels in which they were told.

    A file is one kernel: a learner who restarts it, or opens another notebook, counts again.

    Raises: FileNotFoundError if `folder` has no file of verdicts, ValueError for a damaged one.
    """
    files = sorted(Path(folder).expanduser().glob("verdicts-*.jsonl"))
    demand(files, "lessons.no_verdicts", kind=FileNotFoundError, folder=folder)
    runs = [verdicts(file) for file in files]
    rows = [tuple(say(f"lessons.column_{key}") for key in ("exercise", "tried", "first", "told"))]
    for name in sorted({row["exercise"] for run in runs for row in run}):
        tries = [*filter(None, ([row for row in run if row["exercise"] == name] for run in runs))]
        told = Counter(key for mine in tries for key in {row["misconception"] for row in mine} - {None})
        commonest = sorted(told.items(), key=lambda item: (-item[1], item[0]))[:5]
        rows.append((name, str(len(tries)), f"{sum(mine[0]['passed'] for mine in tries) / len(tries):.0%}",
                     ", ".join(f"{key} {count}" for key, count in commonest)))
    return Page(say("lessons.page", kernels=len(files)), rows)
