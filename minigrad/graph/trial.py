"""Trying things out: a knob for a function of somebody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..array.backend import xp
from ..core.graph import TensorBase, constant
from .snapshot import AnyTensor


def knob(value: Any, like: AnyTensor | None = None, double: bool = True) -> AnyTensor:
    """A fresh leaf with these numbers: of minigrad, or of the library and the shape of `like`."""
    if like is None:
        made: Any = constant(TensorBase._plain, xp.asarray(value, "float64" if double else "float32"))
    else:
        made = (like.detach().double() if double else like.detach()).clone()
        flat = made.view(-1)
        for i, one in enumerate(value):
            flat[i] = one
    return made.requires_grad_()


def in_double(f: Callable[..., Any], *args: Any) -> bool:
    """Whether `f` takes knobs in double precision, as a measurement would like."""
    try:
        f(*(knob(value, like) for value, like in args))
    except (RuntimeError, TypeError, ValueError):
        return False
    return True
