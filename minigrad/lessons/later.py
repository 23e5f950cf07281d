"""Weeks after the course: one loop with three faults, to be found without pictures. `check("later", loop)`."""

from collections.abc import Callable
from typing import Any

from .. import no_grad, tensor, zeros
from .exercise import Exercise, programs, whenever, written

KM, FARE, ROUNDS, LR = (0.5, 1.5, 2.5), (1.0, 1.5, 2.0), 200, 0.1


def faulty(cut: bool, clear: str) -> Callable:
    """A wrong model: whether b is cut off, and which drawers are emptied."""

    def loop() -> tuple[Any, Any, float]:
        km, fare, total = tensor(KM), tensor(FARE), 0.0
        knobs = {name: zeros((), requires_grad=True) for name in "wb"}
        for _ in range(ROUNDS):
            loss = ((knobs["w"] * km + (knobs["b"].detach() if cut else knobs["b"]) - fare) ** 2).mean()
            total += loss.item()
            loss.backward()
            with no_grad():
                for name, p in knobs.items():
                    if p.grad is not None:
                        p -= LR * p.grad
                        p.grad = None if name in clear else p.grad
        return knobs["w"], knobs["b"], total

    return loop


EXERCISE = Exercise("later", written("later"), programs("loop"), {
    "still_cut": [faulty(True, clear) for clear in ("", "wb")],
    "not_cleared": [faulty(False, clear) for clear in ("", "w", "b")],
}, economy={"growing_graph": whenever(lambda t: getattr(t.facts["names"]["total"], "requires_grad", False))})
