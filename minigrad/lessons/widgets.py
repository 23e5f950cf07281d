"""What a widget of a lesson asked and was answered: a list of (question, answer, right)."""

from __future__ import annotations

from typing import Any

from ..text import say
from .verdict import Verdict, not_yet, right, wrong


def answers_of(answer: Any) -> Any:
    """The list of (question, answer, right) of a widget, or that is one; None for everything else."""
    kept = answer if isinstance(answer, list) else getattr(answer, "answers", None)
    return kept if isinstance(kept, list) and all(isinstance(a, tuple) and len(a) == 3 for a in kept) else None


def check_answers(exercise: str, answer: Any) -> Verdict:
    """Judge what was answered: the last answer to each question counts. The key is never said."""
    kept = answers_of(answer)
    if not kept:
        return not_yet(exercise)
    last = {str(question): (given, fits) for question, given, fits in kept}
    first = {str(question): fits for question, _, fits in reversed(kept)}
    facts = {"asked": len(last), "first": sum(map(bool, first.values()))}
    missed = next(((question, given) for question, (given, fits) in last.items() if not fits), None)
    if missed is None:
        return right(exercise, say("lessons.answered", **facts))
    return wrong(exercise, "wrong_value", say("lessons.missed", question=missed[0], given=missed[1], **facts))
