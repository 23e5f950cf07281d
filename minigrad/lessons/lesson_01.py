"""Lesson 1, "What does 4.5 mean?": from value, gradient and nudge foretell the change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import tensor
from .exercise import Case, Exercise, Trial, same, whenever

# What f is, its slope at x, x, dx. The slopes are school calculus, written out.
CASES = (("(w * 1.5 - 1.5) ** 2", 4.5, 2.0, 0.1), ("(w * 1.5 - 1.5) ** 2", 4.5, 2.0, -0.2), ("w * 3", 3.0, 5.0, 0.5),
         ("w * w + w", 7.0, 3.0, 0.01), ("5 / w", -0.3125, 4.0, 0.5), ("w ** 3 - 2 * w", 1.0, -1.0, -0.3))


def cases() -> Iterator[Case]:
    for formula, slope, x, dx in CASES:
        program = f"f = lambda w: {formula}\npredict_change(f, {x}, {dx})"
        yield Case(program, (formula, x, dx), {"predict_change": slope * dx})


def play(answer: Callable, formula: str, x: float, dx: float) -> tuple[dict, dict]:
    at: list[float] = []

    def f(w: Any) -> Any:
        at.append(float(w))
        return eval(formula, {"w": w})

    return {"predict_change": answer(f, x, dx)}, {"times": len(at), "places": len({round(a, 6) for a in at})}


def slope(f: Callable, x: float) -> tuple[Any, Any]:
    """Value and gradient at x, as numbers."""
    knob = tensor(float(x), requires_grad=True)
    y = f(knob)
    y.backward()
    return y.item(), knob.grad.item()


MODELS: dict[str, Sequence[Callable]] = {
    "slope_only": [lambda f, x, dx: slope(f, x)[1]],
    "new_value": [lambda f, x, dx: slope(f, x)[0] + slope(f, x)[1] * dx],
    "new_knob": [lambda f, x, dx: x + slope(f, x)[1] * dx, lambda f, x, dx: x + dx],
    "value_for_slope": [lambda f, x, dx: slope(f, x)[0] * dx],
    "divides": [lambda f, x, dx: slope(f, x)[1] / dx],
    "sign": [lambda f, x, dx: -slope(f, x)[1] * dx, lambda f, x, dx: abs(slope(f, x)[1] * dx)]}


def constant(trials: Sequence[Trial]) -> Trial | None:
    """The same number in every case, or the same number times dx."""
    got = [t.got.get("predict_change") for t in trials]
    if any(t.fault for t in trials):
        return None
    same_slope = [g / t.case.data[2] for g, t in zip(got, trials, strict=True)]
    fixed = any(all(same(v, row[0]) for v in row) for row in (got, same_slope))
    return next(t for t in trials if not t.right) if fixed else None


def not_cleared(trials: Sequence[Trial]) -> Trial | None:
    """Slopes that grow from call to call by the true slope: one knob, whose `.grad` nobody empties."""
    wrong = next((t for t in trials if not t.right), None)
    if wrong is None or any(t.fault for t in trials):
        return None
    slopes = [t.got["predict_change"] / t.case.data[2] for t in trials]
    true = [t.case.want["predict_change"] / t.case.data[2] for t in trials]
    grown = all(abs(b - a - s) < 1e-3 for a, b, s in zip(slopes, slopes[1:], true[1:], strict=False))
    return wrong if grown else None


EXERCISE = Exercise("01", cases, play, MODELS, signs={
    "measured": whenever(lambda t: t.facts["places"] > 1),
    "constant": constant,
    "not_cleared": not_cleared,
}, economy={"wrong_value:f_twice": whenever(lambda t: t.facts["times"] > 1)})
