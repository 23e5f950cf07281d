"""The few names that did something else before 1.7, exchanged while such an era lasts.

Up to 1.1 a comparison gave uint8; up to 1.2 a Python number took the type of an integer tensor; up to
1.6 `/` between integers did not give floats. Before 0.4 there were two kinds of tensors: `legacy`.
"""

import functools
from collections.abc import Callable
from typing import Any

from .._tensor import FUNCTIONS, Tensor
from ..array import dtypes
from ..ops.calls.pointwise import div
from ..text import presentation
from . import ABSENT, exchange, minigrad_itself, table

TRUTHS = "eq ne lt le gt ge __eq__ __ne__ __lt__ __le__ __gt__ __ge__ all any isnan isinf isfinite".split()
MASKED = "__getitem__ __setitem__ masked_fill masked_fill_ masked_select".split()
MIXED = "__add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__".split()


def exchange_names(version: table.Version) -> None:
    """Exchange what differed in `version`."""
    home = minigrad_itself()
    for since, owner, name in table.LATER_NAMES:
        if version < table.parsed(since):
            exchange(getattr(home, owner), name, ABSENT)
    if version < (1, 2):
        exchange_methods(TRUTHS, as_bytes)
        exchange_methods(MASKED, with_masks)
    if version < (1, 3):
        exchange_methods(MIXED, in_own_type)
    exchange_methods(["__truediv__", "div"], functools.partial(whole_division, version))
    if version < (0, 4):
        from .legacy import exchange_classes

        exchange_classes()


def exchange_methods(names: list[str], change: Callable) -> None:
    """Exchange methods of Tensor, and the functions of the same name; `change` gets today's, then the arguments."""
    for name in names:
        changed = changed_by(change, getattr(Tensor, name))
        exchange(Tensor, name, changed)
        if name in FUNCTIONS:
            exchange(minigrad_itself(), name, changed)


def changed_by(change: Callable, today: Callable) -> Callable:
    """A method like today's that `change` runs."""

    @functools.wraps(today)
    def changed(*args: Any, **options: Any) -> Any:
        return change(today, *args, **options)

    return changed


def as_bytes(compare: Callable, *args: Any, **options: Any) -> Any:
    """Truth values as uint8, as there was no bool."""
    result = compare(*args, **options)
    return result.to(dtypes.uint8) if isinstance(result, Tensor) else result


def with_masks(index: Callable, self: Any, key: Any, *rest: Any) -> Any:
    """A tensor of uint8 picks elements."""
    mask = isinstance(key, Tensor) and key.dtype is dtypes.uint8
    return index(self, Tensor.to(key, dtypes.bool) if mask else key, *rest)  # as today: `legacy` knows no bool


def in_own_type(operate: Callable, self: Any, other: Any) -> Any:
    """A float beside a tensor of integers is cut to an integer."""
    return operate(self, int(other) if isinstance(other, float) and is_whole(self) else other)


def whole_division(version: table.Version, divide: Callable, self: Any, other: Any, **options: Any) -> Any:
    """Integers divided give an integer, cut towards zero: silently, with a warning, or not at all."""
    if options or not (is_whole(self) and is_whole(other)):
        return divide(self, other, **options)
    presentation.need(version < (1, 6), "whole_division", "no longer supported")
    if version >= (1, 5):
        presentation.warn("whole_division", "deprecated")
    return div(self, other, rounding_mode="trunc")


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, or a tensor of integers."""
    return value.dtype.np.kind in "iu" if isinstance(value, Tensor) else type(value) is int
