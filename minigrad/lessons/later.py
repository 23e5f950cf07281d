"""Weeks after the course: one loop with three faults, to be found without pictures. `check("later", loop)`."""

from collections.abc import Callable
from typing import Any

from .. import tensor
from .exercise import Exercise, models, programs, whenever, written
from .lesson_08 import loop


def faulty(clear: str = "wb", move: str = "wb") -> Callable:
    """A wrong model: which drawers are emptied, and which knobs anything comes home to."""

    def model() -> tuple[Any, Any, float]:
        losses: list[Any] = []

        def noted(squares: Any) -> Any:
            losses.append(squares.mean())
            return losses[-1]

        receipts = tensor([0.5, 1.5, 2.5]), tensor([1.0, 1.5, 2.0])
        w, b = loop(noted, clear, split=lambda n: [(move, slice(n))])(*receipts, 200, 0.1)
        return w, b, sum(loss.item() for loss in losses)

    return model


EXERCISE = Exercise("later", written("later"), programs("loop"), models("later", globals(), "faulty({})"), economy={
    "growing_graph": whenever(lambda t: getattr(t.facts["names"]["total"], "requires_grad", False))})
