"""Lesson C, "The notebook that remembered": in which order were these cells run?"""

from collections.abc import Callable, Sequence
from typing import Any

from .exercise import Case, Exercise, Trial, run, stored, whenever
from .running import typed

CELLS, STORED = stored("cases")["notebook"].values()
CASE = Case("", (), {f"Out.{name}": shown for name, shown in STORED.items()})


def play(order: str | Sequence[str]) -> tuple[dict, dict]:
    """Run the cells that are named; what stands below each at the end."""
    letters = "".join(filter(str.isalnum, typed("".join(map(str, order)))))
    unknown = next((letter for letter in letters if letter not in CELLS), None)
    names: dict[str, Any] = {}
    shown = {f"Out.{letter}": run(CELLS[letter], names).strip() for letter in (letters if unknown is None else "")}
    last = max(letters.rfind("B"), 0)
    facts = {"letters": letters, "unknown": unknown, "ran": " → ".join(letters),
             "moved": "D" in letters[max(letters.rfind("A", 0, last), 0):last]}
    return {f"Out.{name}": shown.get(f"Out.{name}", "") for name in STORED} if unknown is None else {}, facts


def where(shows: Callable[[dict[str, Any]], bool]) -> Callable[[Sequence[Trial]], Trial | None]:
    """A sign of orders that leave other outputs; any that leaves the stored ones is right."""
    return whenever(lambda t: not t.right and shows(t.facts))


EXERCISE = Exercise("C", lambda: [CASE], play, signs={"unknown_cell": where(lambda facts: facts["unknown"] is not None),
    "top_to_bottom": where(lambda facts: facts["letters"] == "".join(CELLS)),
    "never_moved": where(lambda facts: "B" in facts["letters"] and not facts["moved"]),
    "wrong_output:d_again": whenever(lambda t: t.got["Out.B"] == STORED["B"] and t.got["Out.D"] != STORED["D"]),
    "wrong_output": where(lambda facts: True),
}, of="text")
