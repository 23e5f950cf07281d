"""Checkers of the course's exercises: `check("03", my_backward)` says what is right, what is not.

A checker runs the learner's answer on small cases, finds the smallest one that goes wrong and names
the idea that may be behind it. It never shows the solution. Each lesson has a file of its own; the
sentences are in `text/messages.toml`.
"""

from __future__ import annotations

from typing import Any

from .lesson_03 import check_backward, check_prediction, diamond
from .verdict import Verdict, not_yet

__all__ = ["Verdict", "check", "diamond"]

CHECKERS = {"03": check_backward, "03.1": check_prediction}


def check(exercise: str, answer: Any) -> Verdict:
    """Judge `answer` to an exercise of the course, such as `check("03", my_backward)`.

    Raises: ValueError if there is no such exercise.
    """
    if exercise not in CHECKERS:
        raise ValueError(f"no exercise {exercise!r}; there are {', '.join(sorted(CHECKERS))}")
    return not_yet(exercise) if answer is ... else CHECKERS[exercise](answer)
