"""torch.autograd.forward_ad: dual tensors, a number and its tangent, while a level is open."""

from contextlib import ContextDecorator
from typing import Any, NamedTuple

from .._tensor import Tensor
from ..core.beside.refusals import type_said
from ..core.modes import enabled, lifted, mode_variable, state
from ..func.tangents import Forward, dual
from ..manual import face
from ..ops.checks import need

_open = state("dual_level", None)  # the level that is open: torch has one, and calls it 0


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns: the number, and its tangent, or None. Source: torch."""

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


def _opened(level: int | None, missing: str, *another: str) -> Forward:
    """The level that is open. Raises: RuntimeError where none is, or another number is asked for."""
    now: Any = _open.get()
    number = -1 if now is None else 0
    need((number if level is None else level) >= 0, missing)
    need(level is None or level == number, *another)
    return now


def _switch(opened: Forward | None, innermost: Any) -> None:
    """From now on `opened` is the level that is open, and `innermost` the innermost, over the grad mode of now."""
    _open.set(opened)
    lifted.set(innermost)
    mode_variable.set(enabled(bool(mode_variable.get())))


def enter_dual_level() -> int:
    """Open a level, in which dual tensors can be made; returns its number, 0.

    Raises: RuntimeError where one is open already.
    """
    need(_open.get() is None, "level_nested")
    _switch(made := Forward(), made)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level; its tangents are gone. Raises: RuntimeError where none is open."""
    _switch(None, _opened(level, "level_negative", "level_order").outer)


class dual_level(ContextDecorator):
    """A level for a `with` block, or for the calls of a function that it decorates. Source: torch."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of `tensor` that has `tangent`, of the same shape, beside it.

    Raises: RuntimeError where no level is open, or for another shape; ValueError for integers.
    """
    now = _opened(level, "level_missing", "level_invalid", "_make_dual")
    need(not (tensor.is_floating_point() and now.holds(tensor)), "dual_twice")
    return dual(now, tensor, tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The number and the tangent of a dual tensor; None beside one that has no tangent."""
    need(isinstance(tensor, Tensor), "argument_kind", "_unpack_dual", "dual", 1, "Tensor", type_said(tensor))
    need(level is None or level < 1, "level_invalid", "_fw_primal")
    now = _open.get() if level in (None, 0) else None
    return UnpackedDualTensor(*(now.unpacked(tensor) if now else (tensor, None)))


__getattr__, __dir__ = face("torch.autograd.forward_ad", globals())
