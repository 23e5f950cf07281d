"""The busiest derivatives written out for arrays: the same numbers in fewer steps of Python.

Each function stands in for `apply` of one row when backward runs on arrays (`Node.apply_raw`). Nobody
needs this file: without it every row runs its own formula, and a test holds each of these to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..array.backend import ndarray, xp
from .carriers import RAW
from .node import Withheld
from .op import TABLE, Number, taker

_INSTEAD: dict[str, Callable] = {}


def derivative(*names: str) -> Callable:
    """Register a function `(n, grad, keep)` as what nodes of these rows do to arrays."""

    def register(function: Callable) -> Callable:
        _INSTEAD.update(dict.fromkeys(names, function))
        return function

    return register


def install() -> None:
    """Give the rows of the table their quick derivatives."""
    for name, function in _INSTEAD.items():
        TABLE[name].node.apply_raw = function  # type: ignore[method-assign, assignment]


def held(n: Any, name: str, saved: Any, version: Any) -> Any:
    """The array of a saved input. What is not plainly there (freed, changed) the row answers."""
    if saved.__class__ is Number:
        return saved.raw
    if not isinstance(saved, Withheld):
        counter = saved._counter
        if counter is None or counter[0] == version:
            return saved._data
    return taker(n.row, name)(n, RAW)


def held_result(n: Any) -> Any:
    """The array of a saved result."""
    if not isinstance(n.saved_result, Withheld) and n.counter_result[0] == n.version_result:
        return n.saved_result
    return taker(n.row, "result")(n, RAW)


@derivative("add")
def _add(n: Any, grad: Any, keep: bool) -> tuple:
    return grad, grad


@derivative("sub")
def _sub(n: Any, grad: Any, keep: bool) -> tuple:
    return grad, None if n.edges[1] is None else -grad


@derivative("neg", "rsub_number")
def _neg(n: Any, grad: Any, keep: bool) -> tuple:
    return (-grad,)


@derivative("mul")
def _mul(n: Any, grad: Any, keep: bool) -> tuple:
    to_self, to_other = n.edges
    mine = theirs = None
    if to_self is not None:
        mine = grad * held(n, "other", n.saved_other, n.version_other)
    if to_other is not None:
        theirs = grad * held(n, "self", n.saved_self, n.version_self)
    if not keep:
        n.free()
    return mine, theirs


@derivative("mm")
def _mm(n: Any, grad: Any, keep: bool) -> tuple:
    to_self, to_mat2 = n.edges
    mine = theirs = None
    if to_self is not None:
        mine = grad.dot(held(n, "mat2", n.saved_mat2, n.version_mat2).T)
    if to_mat2 is not None:
        theirs = held(n, "self", n.saved_self, n.version_self).T.dot(grad)
    if not keep:
        n.free()
    return mine, theirs


@derivative("exp")
def _exp(n: Any, grad: Any, keep: bool) -> tuple:
    sent = (grad * held_result(n),)
    if not keep:
        n.free()
    return sent


@derivative("tanh")
def _tanh(n: Any, grad: Any, keep: bool) -> tuple:
    y = held_result(n)
    slope = y * y
    if isinstance(slope, ndarray):  # one new array instead of three: new pages cost most
        xp.subtract(1, slope, slope)
        xp.multiply(slope, grad, slope)
    else:
        slope = (1 - slope) * grad
    if not keep:
        n.free()
    return (slope,)


@derivative("sum")
def _sum(n: Any, grad: Any, keep: bool) -> tuple:
    return (_everywhere(grad, n.saved_self_sym_sizes),)


@derivative("mean")
def _mean(n: Any, grad: Any, keep: bool) -> tuple:
    return (_everywhere(grad / n.saved_self_sym_numel, n.saved_self_sym_sizes),)


def _everywhere(number: Any, shape: tuple) -> Any:
    """One number in every place of a shape, seen with stride 0: no memory is spent."""
    return ndarray(shape, number.dtype, number, 0, (0,) * len(shape)) if shape else number


install()
