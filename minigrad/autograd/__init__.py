"""torch.autograd: backward, grad, grad modes, Variable of old, custom Functions.

The engine is in `minigrad.core.engine`; this package holds what stands around it.
"""

from importlib import import_module
from typing import Any

from .._tensor import Tensor
from ..core.backward import backward, grad
from ..manual import face, furnish
from ..text.presentation import need, require, warn
from . import functional, graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .gradcheck import gradcheck, gradgradcheck


class _Wraps(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_Wraps):
    """Before 0.4 a tensor needed a Variable around it; today `Variable(t)` is a tensor."""

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: Any = None, **strange: Any) -> Any:
        require(not strange, f"'{next(iter(strange), '')}' is an invalid keyword argument for this function", TypeError)
        if volatile:
            warn("volatile_removed")
            require(not requires_grad, "Variable can't be volatile and require_grad at the same time!", ValueError)
        need(isinstance(data, Tensor), "variable_data", type(data).__name__)
        need(data.is_floating_point() or not requires_grad, "float_only")
        return data.detach().requires_grad_(requires_grad)

furnish(functional, graph)
_missing, __dir__ = face("torch.autograd", globals())


def __getattr__(name: str) -> Any:
    """`forward_ad` is loaded when it is first used."""
    return import_module(f"{__name__}.{name}") if name == "forward_ad" else _missing(name)
