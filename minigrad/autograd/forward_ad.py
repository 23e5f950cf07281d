"""torch.autograd.forward_ad: dual tensors, a number and its tangent, while a level is open."""

from contextlib import ContextDecorator
from typing import Any, NamedTuple

from .._tensor import Tensor
from ..core.beside.refusals import type_said
from ..core.modes import enabled, lifted, mode_variable
from ..func.tangents import Forward, dual
from ..manual import face
from ..ops.checks import need

_open: list[Forward] = []  # the level that is open: torch has one, and calls it 0


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns: the number, and its tangent, or None. Source: torch."""

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


def _current_level(level: int | None = None) -> int:
    return len(_open) - 1 if level is None else level


def _switch(level: Any) -> None:
    """Let `level` be the innermost from now on, over the grad mode of now."""
    lifted.set(level)
    mode_variable.set(enabled(bool(mode_variable.get())))


def enter_dual_level() -> int:
    """Open a level, in which dual tensors can be made; returns its number, 0.

    Raises: RuntimeError where one is open already.
    """
    need(not _open, "level_nested")
    _open.append(Forward())
    _switch(_open[0])
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level; its tangents are gone. Raises: RuntimeError where none is open."""
    level = _current_level(level)
    need(level >= 0, "level_negative")
    need(level == len(_open) - 1, "level_order")
    _switch(_open.pop().outer)


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
    level = _current_level(level)
    need(level >= 0, "level_missing")
    need(level == len(_open) - 1, "level_invalid", "_make_dual")
    need(not (tensor.is_floating_point() and _open[0].holds(tensor)), "dual_twice")
    return dual(_open[0], tensor, tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The number and the tangent of a dual tensor; None beside one that has no tangent."""
    need(isinstance(tensor, Tensor), "argument_kind", "_unpack_dual", "dual", 1, "Tensor", type_said(tensor))
    level = _current_level(level)
    need(level < 1, "level_invalid", "_fw_primal")
    return UnpackedDualTensor(*(_open[0].unpacked(tensor) if level == 0 and _open else (tensor, None)))


__getattr__, __dir__ = face("torch.autograd.forward_ad", globals())
