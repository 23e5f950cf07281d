"""Lesson 1, "What does 4.5 mean?": from value, gradient and nudge foretell the change."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import tensor
from .exercise import Case, Exercise, Sign, Trial, as_text, at_places, depth, models, noting, same, stored, whenever


def cases() -> Iterator[Case]:
    for formula, slope, x, dx in stored("cases")["change"]["cases"]:
        program = f"f = lambda w: {formula}\npredict_change(f, {x}, {dx})"
        yield Case(program, (formula, x, dx), {"predict_change": slope * dx})


def play(answer: Callable, formula: str, x: float, dx: float) -> tuple[dict, dict]:
    places: list[Any] = []
    change = answer(noting(eval(f"lambda w: {formula}"), places), x, dx)
    return {"predict_change": change}, {"places": places, "place": as_text([*places, None][0]), "times": len(places)}


def told(change: str) -> Callable:
    """A wrong model: what it makes of f's value and slope at x."""

    def model(f: Callable, x: float, dx: float) -> Any:
        knob = tensor(x, requires_grad=True)
        y = f(knob)
        y.backward()
        return eval(change, {"value": y.item(), "slope": knob.grad.item(), "x": x, "dx": dx})

    return model


def slopes_show(pattern: Callable[[list[float], list[float]], bool]) -> Sign:
    """A sign that slopes give, those that were used beside the true ones."""

    def sign(trials: Sequence[Trial]) -> Trial | None:
        wrong = next((t for t in trials if not t.right), None)
        if wrong is None or any(t.fault or depth(t.got["predict_change"]) for t in trials):
            return None
        used, true = ([row["predict_change"] / t.case.data[2] for t, row in zip(trials, rows, strict=True)]
                      for rows in ([t.got for t in trials], [t.case.want for t in trials]))
        return wrong if pattern(used, true) else None

    return sign


EXERCISE = Exercise("01", cases, play, models("01", globals(), 'told("{}")'), signs={
    "measured": whenever(lambda t: at_places(t) or any(map(depth, t.facts["places"]))),  # or at several at once
    "constant:one_slope": slopes_show(lambda used, true: all(same(s, used[0]) and abs(s) < 1e30 for s in used)),
    "not_cleared": slopes_show(lambda used, true: all(  # they grow by the true ones: nobody emptied one knob's `.grad`
        abs(b - a - s) < 1e-3 for a, b, s in zip(used, used[1:], true[1:], strict=False))),
}, observed=lambda t, trials: "wrong_value" + ":other_place" * (not {*t.facts["places"]} <= {None, t.case.data[1]}),
    economy={"wrong_value:f_twice": whenever(lambda t: t.facts["times"] > 1)})
