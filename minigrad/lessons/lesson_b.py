"""Lesson B, "Derivatives of derivatives, and forwards": a Hessian times a vector; dual numbers."""

from collections.abc import Callable
from typing import Any

from .. import stack
from ..autograd import grad
from .exercise import Exercise, Trial, at_places, models, noting, plain, programs, same, whenever, written


def watch(names: dict[str, Any]) -> dict[str, Any]:
    """Where f runs."""
    places: list[Any] = []
    names["f"] = noting(names["f"], places)
    return {"places": places}


def slope(f: Callable, x: Any) -> Any:
    return grad(f(x), x, create_graph=True)[0]


def rows(f: Callable, x: Any) -> Any:
    """The whole Hessian."""
    return stack([grad(part, x, retain_graph=True)[0] for part in slope(f, x)])


def left(trial: Trial) -> bool:
    """The product is right, and x is not as it came."""
    x_as_it_came = all(same(trial.got[k], want) for k, want in trial.case.want.items() if k.startswith("x."))
    return same(trial.got["h"], trial.case.want["h"]) and not x_as_it_came


def accumulating(f: Callable, x: Any, v: Any) -> Any:
    """A wrong model: both backwards add to one drawer."""
    f(x).backward(create_graph=True)
    (x.grad @ v).backward()
    return x.grad


EXERCISE = Exercise("B", written("B"), programs("hvp", watch), models("B", globals(), "lambda f, x, v: {}"),
    signs={"measured": whenever(at_places), "leftover": whenever(left)}, economy={
    "whole_hessian": whenever(lambda t: len(t.outcome.calls) > len(t.got["h"]) > 2 or None in t.facts["places"]),
    "wrong_value:more_backwards": whenever(lambda t: len(t.outcome.calls) > 2),
    "wrong_value:f_again": whenever(lambda t: len(t.facts["places"]) > 1)})


def plus(a: Any, b: Any) -> float:
    return a.dot + b.dot


def both(a: Any, b: Any) -> float:
    return a.dot * b.value + a.value * b.dot


def dual(product: Callable, sum: Callable = plus, of_number: Callable = lambda n: 0.0,
         scaled: Callable | None = None) -> type:
    """A wrong model: the dot of a product and of a sum, that of a plain number, that of a product with one."""

    class Model:
        def __init__(self, value: float, dot: float) -> None:
            self.value, self.dot = value, dot

        def made(self, other: Any, value: Callable, dot: Callable, right: Callable) -> Any:
            b = other if isinstance(other, Model) else Model(other, of_number(other))
            return Model(value(self.value, b.value), (dot if b is other else right)(self, b))

        def __add__(self, other: Any) -> Any:
            return self.made(other, lambda a, b: a + b, sum, plus if scaled else sum)

        def __mul__(self, other: Any) -> Any:
            return self.made(other, lambda a, b: a * b, product, scaled or product)

        __radd__, __rmul__ = __add__, __mul__

    return Model


def parts_of(x: Any) -> list[Any]:
    return [plain(getattr(x, part, None)) for part in ("value", "dot")]


DUAL = Exercise("B.2", written("B.2"), programs("Dual", lambda names: {"x": parts_of(names["x"])}, call="d = "),
    models("B.2", globals(), "dual({})"), signs={"edits_input": whenever(
    lambda t: not same(t.facts["x"], parts_of(t.facts["names"]["x"])))}, of="class",
    excused=lambda t: t.fault == "raised")  # numbers may still have to wait
