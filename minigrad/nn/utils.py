"""torch.nn.utils: gradients kept in bounds, parameters as one vector.

What clips, and `vector_to_parameters`, writes into `.grad` or puts other `.data` in place, and records nothing;
`parameters_to_vector` is recorded.
"""

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..core.beside.ledger import note
from ..creation import zeros
from ..ops.table.shape import cat, stack
from ..text.presentation import need


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: Any = None) -> Any:
    """Scale all gradients so that their common norm is at most `max_norm`; returns what it was.

    Raises: RuntimeError, if `error_if_nonfinite`, for a norm that is NaN or infinite; nothing is scaled then.
    """
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not given and isinstance(parameters, Iterator):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    grads = [p.grad for p in given if p.grad is not None]
    for p in given[:1]:
        note("clip" if grads else "unclipped", p, [id(q) for q in given if q.grad is not None or not grads])
    max_norm, norm_type = float(max_norm), float(norm_type)
    if not grads:
        return zeros(())
    with no_grad():
        total = stack([g.norm(norm_type) for g in grads]).norm(norm_type)
        need(not error_if_nonfinite or total.isfinite(), "clip_nonfinite", norm_type)
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor)
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: Any = None) -> None:
    """Bring every element of every gradient into `[-clip_value, clip_value]`."""
    grads = [p.grad for p in ([parameters] if isinstance(parameters, Tensor) else parameters) if p.grad is not None]
    need(grads, "clip_nothing")
    with no_grad():
        for g in grads:
            g.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters end to end."""
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Write a vector back into the parameters."""
    at = 0
    for p in parameters:
        p.data = vec[at : at + p.numel()].view_as(p).data
        at += p.numel()
