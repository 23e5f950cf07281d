"""0.2 and 0.3: tensors that only compute, and Variables around them that record.

Both have their own index over today's rows: `legacy_form` runs today's operation and gives the result
the class it had then. A tensor's sum is a Python number; a Variable's has one element, as there were no
0-d tensors; `2 * x` keeps nothing that backward could free. Nobody can run these PyTorches today: this
follows torch/autograd/variable.py of 0.2 and notebooks of the time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from .. import autograd, creation
from .._tensor import Tensor
from ..array import dtypes
from ..autograd.grad_mode import no_grad
from ..core.graph import Node, TensorBase, constant
from ..core.row import Scalar
from ..nn import functional
from . import exchange, minigrad_itself

HOMES_OF_OPERATIONS = ("minigrad.ops", "minigrad.core.record", "minigrad.core.writes", "minigrad.core.op",
                       "minigrad.quick", "minigrad.creation", "minigrad.nn.functional")
CONVERSIONS = frozenset("to detach type_as clone contiguous".split())


def is_operation(function: Callable) -> bool:
    """Whether a function computes with tensors, by the place where it is written."""
    home = function.__module__  # "minigrad" itself for what torch has as a function
    return home.startswith(HOMES_OF_OPERATIONS) or (home == "minigrad" and function.__name__ != "__getattr__")


def legacy_form(function: Callable) -> Callable:
    """Today's operation with yesterday's results."""
    @functools.wraps(function)
    def legacy(*args: Any, **options: Any) -> Any:
        variables = list(variables_in((*args, *options.values())))
        if any(getattr(v, "volatile", False) for v in variables):
            with no_grad():
                result = in_legacy_class(function(*args, **options), args, True)
            for variable in variables_in([result]):  # without history, and all that is computed from it
                variable.volatile = True
            return result
        return in_legacy_class(function(*args, **options), args, bool(variables))

    return legacy


def variables_in(values: Iterable) -> Iterable:
    """What among the arguments, and the lists among them, autograd knows."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from variables_in(value)
        elif isinstance(value, Variable) or (isinstance(value, TensorBase) and value.requires_grad):
            yield value


def in_legacy_class(result: Any, args: tuple, variable: bool) -> Any:
    """The result in its class of then; an argument that comes back stays what it is."""
    if isinstance(result, tuple | list) and any(isinstance(part, TensorBase) for part in result):
        return tuple(in_legacy_class(part, args, variable) for part in result)
    if not isinstance(result, TensorBase) or any(result is arg for arg in args):
        return result
    if result._data.dtype.kind == "b" and (variable or result._data.ndim):
        result._data = result._array().astype("uint8")
    return as_variable(result) if variable else as_plain(result)


def as_variable(t: Any) -> Any:
    """A result that autograd knows: of one dimension at least."""
    if not t._data.ndim and t._view is not None:
        t = Tensor.unsqueeze(t, 0)
    elif not t._data.ndim:
        t._data = t._array().reshape(1)  # the formulas broadcast, so they need no node for this
    if t._fn.__class__.__base__ is Node:
        t._fn.__class__ = by_formula(t._fn.__class__, buffers(t._fn))
    t.__class__ = Variable
    return t


def as_plain(t: Any) -> Any:
    """A plain result: a tensor of its type, or a Python number where today's is 0-d."""
    if not t._data.ndim:
        return t._data.item()
    t.__class__ = TENSOR_CLASSES[t._data.dtype]
    return t


@functools.cache
def by_formula(cls: Any, frees: tuple) -> Any:
    """A kind of node as it was: run by its formula, which takes one element for none; frees these slots."""
    return type(cls.__name__, (cls,), {"__slots__": (), "frees": frees})


def buffers(node: Any) -> tuple:
    """The slots that backward frees: none if only Python numbers were saved, so it can run again."""
    saved = [getattr(node, slot) for slot in node.frees]
    return () if all(value is None or isinstance(value, Scalar) for value in saved) else node.frees


class Indexed(Tensor):
    """Tensor's index, every operation in its legacy form; what `behaviour` changes is changed by then."""

    __slots__ = ()


for _name, _function in vars(Tensor).items():
    if isinstance(_function, FunctionType) and (_name in CONVERSIONS or is_operation(_function)) and _name != "__new__":
        setattr(Indexed, _name, legacy_form(_function))


class Variable(Indexed):
    """A tensor that autograd knows. `volatile`: nothing computed from it is recorded."""

    __slots__ = ()
    volatile = False

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Variable:
        if isinstance(data, Variable) or not isinstance(data, TensorBase):
            raise RuntimeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        variable = as_variable(constant(cls, data._array(), data._shared_counter()))
        variable._requires_grad, variable.volatile = requires_grad, volatile
        return variable

    @property
    def data(self) -> Any:
        """The tensor inside."""
        return constant(TENSOR_CLASSES[self._data.dtype], self._array())

    @data.setter
    def data(self, value: Any) -> None:
        self._data = value._array()

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) == self._data.ndim and all(isinstance(k, int) for k in keys):
            last = keys[-1] % self._data.shape[-1]
            key = (*keys[:-1], slice(last, last + 1))  # one element, not none
        return super().__getitem__(key)

    def __bool__(self) -> bool:
        if not self._data.size:
            return False
        raise RuntimeError(f"bool value of Variable objects containing non-empty {self.dtype.tensor_type} is ambiguous")

    def register_hook(self, hook: Callable) -> Any:
        """Call `hook(grad)` with the gradient, a Variable."""
        return super().register_hook(functools.wraps(hook)(lambda grad: hook(as_variable(grad))))


Variable._plain = Variable
Variable.__module__ = "torch.autograd.variable"


class PlainTensor(Indexed):
    """A tensor that only computes; its classes differ in the type of their elements."""

    __slots__ = ()
    kind = dtypes.float32

    def __new__(cls, *data: Any) -> Any:
        made = creation.legacy_tensor(Tensor, *data).to(cls.kind)
        made.__class__ = cls
        return made


def _tensor_class(kind: Any) -> type[PlainTensor]:
    name = kind.tensor_type.rpartition(".")[2]
    cls: Any = type(name, (PlainTensor,), {"__slots__": (), "__module__": "torch", "kind": kind})
    cls._plain = cls
    return cls


TENSOR_CLASSES = {kind.np: _tensor_class(kind) for kind in dtypes.ALL if kind is not dtypes.bool}
LEGACY_FUNCTIONS = [(home, name, legacy_form(f)) for home in (minigrad_itself(), functional)
                    for name, f in vars(home).items() if isinstance(f, FunctionType) and is_operation(f)]


def exchange_classes() -> None:
    """Let minigrad's names reach the two classes until the era ends."""
    home = minigrad_itself()
    for exchanged in LEGACY_FUNCTIONS:
        exchange(*exchanged)
    for cls in TENSOR_CLASSES.values():
        exchange(home, cls.__name__, cls)
    exchange(home, "Tensor", TENSOR_CLASSES[dtypes.float32.np])
    exchange(autograd, "Variable", Variable)
    exchange(autograd, "grad", legacy_form(autograd.grad))
