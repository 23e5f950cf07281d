"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from collections.abc import Iterable
from typing import Any
from .._tensor import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None,
) -> Tensor:
    """Scale all gradients so that their common norm is at most `max_norm`; returns what it was."""
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: Any = None) -> None:
    """Bring every element of every gradient into `[-clip_value, clip_value]`."""
def parameters_to_vector(parameters: Iterable[Any]) -> Tensor:
    """All parameters end to end."""
def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Write a vector back into the parameters."""
