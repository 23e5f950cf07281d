"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from collections.abc import Callable, Iterable, Sequence
from numpy import ndarray
from typing import Any
from . import function as function, functional as functional, grad_mode as grad_mode, graph as graph
from .._tensor import Tensor
from .anomaly import detect_anomaly as detect_anomaly, set_detect_anomaly as set_detect_anomaly
from .function import Function as Function
from .grad_mode import (
    enable_grad as enable_grad, inference_mode as inference_mode, no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "functional", "grad",
    "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly",
    "set_grad_enabled",
]


def Variable(data: Any, requires_grad: bool = False, volatile: Any = None, **strange: Any) -> Tensor:
    """Before 0.4 a tensor needed a Variable around it; today `Variable(t)` is a tensor."""
def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: Any = None, create_graph: bool = False,
    grad_variables: Tensor | Sequence[int] | Sequence[float] | Iterable[Tensor] | str | ndarray[Any, Any] | None = None,
    inputs: Tensor | Sequence[int] | Sequence[Tensor] | None = None,
) -> None:
    """Add to the `.grad` of leaves the gradients of `tensors`, weighted by `grad_tensors`."""
def grad(
    outputs: Tensor | list[Tensor], inputs: Any, grad_outputs: Tensor | list[Tensor] | None = None,
    retain_graph: bool | None = None, create_graph: bool = False, only_inputs: bool = True,
    allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched."""
def gradcheck(
    func: Callable[..., Any], inputs: Any, *, eps: float = 1e-06, atol: float = 1e-05, rtol: float = 0.001,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """True if backward of `func`, and its forward mode if asked, agree with differences at `inputs`, of float64."""
def gradgradcheck(
    func: Callable[..., Any], inputs: Tensor | tuple[Tensor, ...],
    grad_outputs: Tensor | Iterable[Tensor] | None = None, *, eps: float = 1e-06, atol: float = 1e-05,
    rtol: float = 0.001, raise_exception: bool = True, nondet_tol: float = 0.0, check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True, **_options: Any,
) -> bool:
    """True if the second derivatives agree too: `gradcheck` of the gradient of `func`."""
