"""Lesson 1, "What does 4.5 mean?": from value, gradient and nudge foretell the change."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import tensor
from .exercise import Case, Exercise, Sign, Trial, at_places, noting, same, whenever

# What f is, its slope at x, x, dx. The slopes are school calculus, written out.
CASES = (("(w * 1.5 - 1.5) ** 2", 4.5, 2.0, 0.1), ("(w * 1.5 - 1.5) ** 2", 4.5, 2.0, -0.2), ("w * 3", 3.0, 5.0, 0.5),
         ("w * w + w", 7.0, 3.0, 0.01), ("5 / w", -0.3125, 4.0, 0.5), ("w ** 3 - 2 * w", 1.0, -1.0, -0.3))


def cases() -> Iterator[Case]:
    for formula, slope, x, dx in CASES:
        program = f"f = lambda w: {formula}\npredict_change(f, {x}, {dx})"
        yield Case(program, (formula, x, dx), {"predict_change": slope * dx})


def play(answer: Callable, formula: str, x: float, dx: float) -> tuple[dict, dict]:
    places: list[str] = []
    f = noting(eval(f"lambda w: {formula}"), places)
    return {"predict_change": answer(f, x, dx)}, {"places": places, "times": len(places)}


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
    "value_for_slope": [lambda f, x, dx: slope(f, x)[0] * dx], "divides": [lambda f, x, dx: slope(f, x)[1] / dx],
    "sign": [lambda f, x, dx: -slope(f, x)[1] * dx, lambda f, x, dx: abs(slope(f, x)[1] * dx)]}


def slopes_show(pattern: Callable[[list[float], list[float]], bool]) -> Sign:
    """A sign that slopes give, those that were used beside the true ones."""

    def sign(trials: Sequence[Trial]) -> Trial | None:
        wrong = next((t for t in trials if not t.right), None)
        if wrong is None or any(t.fault for t in trials):
            return None
        used, true = ([row["predict_change"] / t.case.data[2] for t, row in zip(trials, rows, strict=True)]
                      for rows in ([t.got for t in trials], [t.case.want for t in trials]))
        return wrong if pattern(used, true) else None

    return sign


EXERCISE = Exercise("01", cases, play, MODELS, signs={
    "measured": whenever(at_places),
    "constant:one_slope": slopes_show(lambda used, true: all(same(slope, used[0]) for slope in used)),
    "not_cleared": slopes_show(lambda used, true: all(  # they grow by the true ones: nobody emptied one knob's `.grad`
        abs(b - a - s) < 1e-3 for a, b, s in zip(used, used[1:], true[1:], strict=False))),
}, economy={"wrong_value:f_twice": whenever(lambda t: t.facts["times"] > 1)})
