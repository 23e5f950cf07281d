"""The language: every name a tensor answers to, and the row of the table that it means.

Read it as an index: `table.pointwise.mul` is the row itself, `calls.pointwise.add` what torch makes of a call;
what is here besides names is conversion (`item`, `numpy`), printing and the calls of backward.
"""

from __future__ import annotations

import copy
import math
import numbers
import operator
from collections.abc import Iterator
from functools import partial
from types import FunctionType
from typing import Any

from .array import dtypes, printing
from .array.backend import address, as_strided, device as device_type, device_of, geometry, lives_on, strides, xp
from .core.backward import backward
from .core.beside.ledger import cut, note
from .core.beside.refusals import type_said
from .core.graph import TensorBase, bump, constant, readonly, results_are
from .core.modes import INFERENCE, Uncounted, grad_mode, lifted
from .core.writes.inplace import inplace
from .core.writes.views import place_of
from .ops import calls, table
from .ops.checks import check_dim, need, require, titled
from .text import presentation, torch_names
from .wording import as_function, as_method, worded, words


class Size(tuple[int, ...]):
    """A shape, printed as torch prints it: `torch.Size([2, 3])`."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        return super().__new__(cls, map(operator.index, sizes))

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'torch.Size' object has no attribute '{name}'", name=name, obj=self)

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return _size(part) if isinstance(key, slice) else part

    def __add__(self, other: tuple) -> Size:
        need(isinstance(other, tuple), "size_and", type_said(other))
        return Size(super().__add__(other))

    def __radd__(self, other: tuple) -> Size:
        return Size(other + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return _size(super().__mul__(times))

    __rmul__ = __mul__


def _cast(name: str, kind: dtypes.dtype) -> Any:
    def cast(self: Any, *, memory_format: Any = None) -> Any:
        return self.to(kind)

    return titled(cast, name, f"The tensor as {kind}; itself if it is that already.")


_size = partial(tuple.__new__, Size)  # of what are ints for sure


class Tensor(TensorBase):
    """A multi-dimensional array that remembers how it was made. Source: torch.Tensor."""

    __slots__, __module__, __array_priority__ = (), "minigrad", 1000
    __hash__ = object.__hash__

    # ---- arithmetic

    __add__ = __radd__ = table.pointwise.add
    __sub__, __rsub__ = table.pointwise.sub, calls.pointwise.rsub
    __mul__ = __rmul__ = table.pointwise.mul
    __truediv__, __rtruediv__ = table.pointwise.div, calls.pointwise.rdiv
    __floordiv__, __rfloordiv__ = calls.pointwise.floor_divide, calls.pointwise.rfloor_divide
    __mod__, __rmod__ = calls.pointwise.remainder, calls.pointwise.rremainder
    __pow__, __rpow__ = calls.pointwise.pow, calls.pointwise.rpow
    __matmul__ = calls.linalg.matmul
    __neg__, __abs__, __pos__ = table.pointwise.neg, table.pointwise.abs, calls.pointwise.positive
    __and__ = __rand__ = table.pointwise.bitwise_and
    __or__ = __ror__ = table.pointwise.bitwise_or
    __xor__ = __rxor__ = table.pointwise.bitwise_xor
    __lshift__, __rlshift__ = table.pointwise.bitwise_left_shift, calls.pointwise.rlshift
    __rshift__, __rrshift__ = table.pointwise.bitwise_right_shift, calls.pointwise.rrshift
    __eq__, __ne__ = table.pointwise.eq, table.pointwise.ne  # type: ignore[assignment]
    __lt__, __le__, __gt__, __ge__ = table.pointwise.lt, table.pointwise.le, table.pointwise.gt, table.pointwise.ge

    __getitem__, __setitem__ = calls.index.getitem, calls.index.setitem

    def __invert__(self) -> Any:
        need(self._data.dtype.kind != "f", "inverted_float")
        return table.pointwise.bitwise_not(self)

    def where(self, condition: Tensor, other: Any) -> Any:
        """`self` where `condition`, else `other`."""
        return table.pointwise.where(condition, self, other)

    # ---- turned

    @readonly
    def T(self) -> Tensor:
        """All dimensions reversed; a view."""
        if self._data.ndim != 2:
            presentation.warn("t_of_other_ranks", once=True)
        return table.shape.permute(self, tuple(reversed(range(self._data.ndim))))

    det, slogdet = calls.linalg.det, calls.linalg.slogdet
    mT = readonly(calls.shape.mT, name="mT")
    mH = readonly(lambda self: calls.shape.mT(self, "mH"), doc="The conjugate transpose: `mT` here.", name="mH")
    H = readonly(calls.shape.H, doc="The conjugate transpose: `mT` here.", name="H")
    real = property(lambda self: self, doc="Itself: there are no complex numbers here.")

    # ---- copies, types and places

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """True where the elements lie in memory in the order of the indices."""
        return bool(self._array().flags.c_contiguous)

    def to(self, *args: Any, **options: Any) -> Tensor:
        """Another type or device: `to(dtype)`, `to(device)`, `to(other)`; itself if nothing changes."""
        kind, place = _target(args or (options.get("tensor"),), options)
        have = self._data.dtype
        wanted = have if kind is None else dtypes.as_numpy(kind)
        if place is not None and not lives_on(self._data, place):
            return table.shape.to_copy(self, wanted, place, device_of(self._data))
        copied = options.get("copy") or (len(args) > 2 and args[-1] and isinstance(args[-2], bool))
        return table.shape.to_copy(self, wanted) if copied or wanted != have else self

    def type(self, dtype: Any = None) -> Any:
        """The type's name, as `torch.FloatTensor`, or the tensor in another type."""
        if dtype is not None:
            said = getattr(dtype, "__name__", dtype)
            names = {name: kind for kind in dtypes.ALL for name in (kind, kind.tensor_type)}
            kind = names.get(f"torch.{said}" if said != dtype else dtype)  # also of a class, torch.DoubleTensor
            require(kind, f"invalid type: '{said}'", ValueError if isinstance(said, str) else TypeError)
            return self.to(kind)
        return self.dtype.tensor_type.replace("torch.", "torch.cuda." if self.is_cuda else "torch.")

    conj = titled(lambda self: self, "conj", "Itself: there are no complex numbers here.")
    type_as = titled(lambda self, other: self.to(other.dtype), "type_as", "The tensor in another's type.")
    float, double, half = map(_cast, ("float", "double", "half"), (dtypes.float32, dtypes.float64, dtypes.float16))
    long, int, short = map(_cast, ("long", "int", "short"), (dtypes.int64, dtypes.int32, dtypes.int16))
    byte, char, bool = map(_cast, ("byte", "char", "bool"), (dtypes.uint8, dtypes.int8, dtypes.bool))
    cpu = titled(lambda self: self.to("cpu"), "cpu", "The tensor in the memory of the CPU.")

    def cuda(self, device: Any = "cuda") -> Tensor:
        """`self` on a GPU; itself, if it is there."""
        return self.to("cuda" if device is None else device)

    # ---- backward

    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False,
                 inputs: Any = None) -> None:
        """Add to the `.grad` of every leaf the gradient of this tensor with respect to it.

        `gradient` has this tensor's shape, and may be left out for one element (it is 1 then).
        Raises: RuntimeError if there is no graph, or if its buffers were freed.
        """
        backward(self, gradient, retain_graph, create_graph, None, inputs)

    @TensorBase.grad.setter  # type: ignore[attr-defined]
    def grad(self, value: Any) -> None:
        if value is not None:
            _check_grad(self, value)
        elif self._grad is not None:
            note("zero_grad", self)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def detach(self) -> Tensor:
        """The same storage without history; writing through it is noticed by backward."""
        counted = Uncounted() if self.is_inference() and grad_mode() is not INFERENCE else self._shared_counter()
        twin = self._alias(self._array(), counted)
        return cut("detach()", self, twin) if self._fn or self._requires_grad else twin

    def detach_(self) -> Tensor:
        """Forget the history in place. Raises: RuntimeError for views."""
        need(self._view is None, "detached_view")
        cut("detach_()", self, self)
        self._fn, self._requires_grad = None, False
        return self

    @property
    def data(self) -> Tensor:
        """The same storage without history and with a version counter of its own: writes are not noticed."""
        twin = self._alias(self._array(), None)
        return cut(".data", self, twin) if self._fn or self._requires_grad else twin

    @data.setter
    def data(self, value: Tensor) -> None:
        need(isinstance(value, TensorBase), "variable_data", type_said(value))
        need(not self.requires_grad or value.is_floating_point(), "data_type")
        self._data = value._array()

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    # ---- looking

    @readonly
    def shape(self) -> Size:
        """The length of each dimension."""
        return _size(self._data.shape)

    dtype = readonly(lambda self: dtypes.of(self._data.dtype), doc="The type of the elements.", name="dtype")
    device = readonly(lambda self: device_of(self._data), doc="Where the elements live.", name="device")
    ndim = readonly(lambda self: self._data.ndim, doc="The number of dimensions.", name="ndim")
    layout = readonly(lambda self: dtypes.strided, doc="Always strided here.", name="layout")
    is_cuda = readonly(lambda self: self.device.type == "cuda", doc="True on a GPU.", name="is_cuda")
    is_sparse = readonly(lambda self: False, doc="False: every element is stored here.", name="is_sparse")
    itemsize = readonly(lambda self: self._data.itemsize, doc="Bytes per element.", name="itemsize")
    nbytes = readonly(lambda self: self._data.nbytes, doc="Bytes of all elements.", name="nbytes")

    def size(self, dim: Any = None) -> Any:
        """The shape, or the length of one dimension."""
        need(dim is None or self._data.ndim, "no_dimensions", dim)
        return self.shape if dim is None else self._data.shape[check_dim(dim, self._data.ndim)]

    def stride(self, dim: Any = None) -> Any:
        """Elements to skip per step along each dimension, or along one."""
        steps = strides(self._array())
        need(dim is None or steps, "no_dimensions", dim)
        return steps if dim is None else steps[check_dim(dim, len(steps))]

    def storage_offset(self) -> int:
        """Where the first element lies in the storage, in elements."""
        return place_of(self)[2]

    def data_ptr(self) -> int:
        """The address of the first element."""
        return address(self._array()) if self._data.size else 0

    dim = titled(lambda self: self._data.ndim, "dim", "The number of dimensions.")
    numel = titled(lambda self: self._data.size, "numel", "The number of elements.")
    nelement, ndimension = numel, dim
    element_size = titled(lambda self: self._data.itemsize, "element_size", "Bytes per element.")
    is_floating_point = titled(lambda self: self._data.dtype.kind == "f", "is_floating_point", "True for floats.")
    is_complex = titled(lambda self: False, "is_complex", "False: there are no complex numbers here.")
    is_nonzero = titled(lambda self: bool(self), "is_nonzero", "Whether the one element is not 0.")

    def get_device(self) -> int:
        """The number of its GPU, -1 on the CPU."""
        return -1 if self.device.type == "cpu" else self.device.index

    # ---- leaving

    def item(self) -> Any:
        """The one element as a Python number. Raises: RuntimeError if there are several."""
        need(self._data.size == 1, "many_elements", self._data.size, tensor=self)
        return cut("item()", self, self._data.item()) if self._fn or self._requires_grad else self._data.item()

    def tolist(self) -> Any:
        """The elements in nested lists; a number for 0-d."""
        return cut("tolist()", self, self._data.tolist()) if self._fn or self._requires_grad else self._data.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """The storage as a NumPy array; writing to it writes to the tensor."""
        if force:
            return cut("numpy()", self, self.detach().cpu()._array())
        need(not (self.requires_grad and grad_mode()), "numpy_requires_grad", tensor=self)
        need(not self.is_cuda, "numpy_of_cuda", self.device)
        return self._array().view()

    def __array__(self, dtype: Any = None) -> Any:  # as torch's, of which NumPy 2 complains
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __array_wrap__(self, array: Any) -> Any:
        array = array.astype("uint8") if array.dtype == "bool" else array  # as torch wrote it before it had bools
        return constant(Tensor, array)  # what NumPy makes of a tensor and an array: a tensor

    def __float__(self) -> Any:
        return cut("float()", self, float(_one(self).item()))

    def __int__(self) -> Any:
        return cut("int()", self, int(_one(self).item()))

    def __index__(self) -> Any:
        need(self._data.dtype.kind in "iub" and self._data.size == 1, "as_index")
        return int(self._data.item())

    def __bool__(self) -> Any:
        if self._data.size != 1:
            need(False, "ambiguous_bool", "more than one value" if self._data.size else "no values", tensor=self)
        return bool(self._data.item())

    def __len__(self) -> Any:
        require(self._data.ndim, "len() of a 0-d tensor", TypeError)
        return self._data.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        require(self._data.ndim, "iteration over a 0-d tensor", TypeError)
        return iter(self.unbind(0))

    def __reversed__(self) -> Tensor:
        return self.flip(0) if self._data.ndim else self

    def __contains__(self, element: Any) -> Any:
        need(isinstance(element, (TensorBase, numbers.Real)), "contains", type(element))
        return bool((element == self).any())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if type(self) is Tensor and not self.ndim else object.__format__(self, spec)

    def __repr__(self) -> str:
        return presentation.current.tensor_text(self)

    def __deepcopy__(self, memo: dict) -> Tensor:
        need(self.is_leaf, "deepcopy_of_non_leaf")
        array = self._array()
        twin = memo[id(self)] = constant(type(self), array)
        twin._requires_grad = self.requires_grad
        if type(self) is not Tensor:  # a Parameter: torch copies it alone, without gradient and attributes
            twin._data = array.copy("K")
        else:
            owner, offset, steps = geometry(array)
            if ("storage", id(owner)) not in memo:
                memo["storage", id(owner)] = owner.copy("K")
            whole = memo["storage", id(owner)]
            twin._data = whole if array is owner else as_strided(whole, array.shape, steps, offset, array.dtype)
            twin._grad = copy.deepcopy(self._grad, memo)
            twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
            bump(twin)  # torch makes it empty and gives it its storage
        return twin

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (type(self), self.detach().cpu().numpy(), self._requires_grad), vars(self) or None

    is_same_size = titled(lambda self, other: self.shape == other.shape, "is_same_size", "True for equal shapes.")

    def equal(self, other: Tensor) -> bool:
        """True if shapes and all elements agree."""
        return bool(xp.array_equal(self._data, other._data))

    def allclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
        """True if all elements agree to `atol + rtol * |other|`."""
        return bool(self.isclose(other, rtol, atol, equal_nan).all())


def _restored(cls: type, array: Any, requires_grad: bool) -> Tensor:
    t = constant(cls, dtypes.own(array))
    t._requires_grad = requires_grad
    return t


def _one(t: Tensor) -> Tensor:
    require(t._data.size == 1, "only one element tensors can be converted to Python scalars", ValueError)
    if t.requires_grad:
        presentation.warn("to_scalar", once=True)
    return t


def _target(args: tuple, options: dict) -> tuple[Any, Any]:
    """The dtype and the device that `to(...)` asks for. Raises: TypeError where a dtype stands before a device."""
    require(options.keys() <= {"tensor", "dtype", "device", "non_blocking", "copy", "memory_format"}, "word", TypeError)
    kind, place = None, None
    for arg in args:
        if isinstance(arg, TensorBase):
            kind, place = dtypes.of(arg._data.dtype), device_of(arg._data)
        elif isinstance(arg, (dtypes.dtype, type)):  # `to(float)` too
            require(kind is None and options.keys().isdisjoint(["dtype", "device"]), "another", TypeError)
            kind = arg
        elif isinstance(arg, float) or (arg is args[0] and isinstance(arg, bool)):  # a number stands for its type
            kind = float if isinstance(arg, float) else bool
        elif arg is not None and not isinstance(arg, bool):
            require(kind is place is None, "too late", TypeError)
            place = arg
    kind = options.get("dtype") if kind is None else kind
    place = options.get("device") if place is None else place
    return kind, None if place is None else device_type(place)


def _check_grad(t: Tensor, value: Any) -> None:
    """What torch says to a gradient that does not fit."""
    need(isinstance(value, TensorBase), "grad_kind", type_said(value))
    require(value is not t, "can't assign Variable as its own grad")
    need(value._data.dtype == t._data.dtype, "grad_type", value.dtype.c_name, t.dtype.scalar_type)
    need(value._data.shape == t._data.shape, "grad_shape", list(value._data.shape), list(t._data.shape))


def tensor_text(t: Tensor) -> str:
    """A tensor as today's PyTorch prints it."""
    suffixes = []  # size and dtype are the array's own, said by tensor_str
    try:
        fn = t.grad_fn
    except RuntimeError:  # a view that a write to its base has made unusable still prints
        return printing.tensor_str(t._data, ["grad_fn=<Invalid>"])
    if fn is not None:
        suffixes.append(f"grad_fn=<{presentation.current.type_name(fn)}>")
    elif t.requires_grad:
        suffixes.append("requires_grad=True")
    if lifted.get() is not None:
        suffixes += lifted.get().suffix(t)
    return printing.tensor_str(t._data, suffixes)


results_are(Tensor)

# ---- the rest of the language, read off the rows and the calls

ALIASES = dict(pair.split("=") for pair in """
    subtract=sub multiply=mul divide=div true_divide=div negative=neg not_equal=ne less=lt less_equal=le
    greater=gt greater_equal=ge arcsin=asin arccos=acos arctan=atan arctan2=atan2 arcsinh=asinh arccosh=acosh
    arctanh=atanh absolute=abs fix=trunc clip=clamp swapdims=transpose moveaxis=movedim ger=outer
    broadcast_to=expand argwhere=nonzero split_with_sizes=split""".split())
# A row, by the name that its table gives it, and a call that takes `self` first are methods where torch has a method of
# that name, and have a twin in place where torch has one. Four rows are not what torch's methods of their names are.
METHODS, TOP = torch_names()["torch.Tensor"] - {"index", "lstsq", "qr", "svd"}, torch_names()["torch"]
_UFUNCS = {"add": xp.add, "sub": xp.subtract, "mul": xp.multiply, "div": xp.true_divide, "truediv": xp.true_divide}


OPERATIONS: dict[str, Any] = {}
for _chapter in "pointwise activation reduce linalg shape index".split():
    OPERATIONS |= {_name.removesuffix("_two").removesuffix("_of"): _call for _name, _call in vars(
        getattr(table, _chapter)).items() if isinstance(_call, FunctionType) and hasattr(_call, "row")}
    OPERATIONS |= {_name: _call for _name, _call in vars(getattr(calls, _chapter)).items()
                   if isinstance(_call, FunctionType) and words(_call)[:1] == ("self",)}
OPERATIONS = {_name: _call for _name, _call in OPERATIONS.items() if _name in METHODS and _name not in vars(Tensor)}
for _name, _call in [*OPERATIONS.items()]:
    if _name + "_" in METHODS and _name + "_" not in OPERATIONS:
        OPERATIONS[_name + "_"] = inplace(_call, _UFUNCS.get(_name))
OPERATIONS |= {_alias + _end: OPERATIONS[_name + _end] for _alias, _name in ALIASES.items() for _end in ("", "_")
               if _name + _end in OPERATIONS}
_WORDED = "size stride type_as equal allclose is_same_size to where".split()
for _name, _call in [*OPERATIONS.items(), *((_name, getattr(Tensor, _name)) for _name in _WORDED)]:
    setattr(Tensor, _name, as_method(_name, _call))
for _name in "add sub mul truediv floordiv mod pow and or xor lshift rshift".split():
    setattr(Tensor, f"__i{_name}__", inplace(getattr(Tensor, f"__{_name}__"), _UFUNCS.get(_name)))

# Methods that torch also has as functions, by the same name; but `bool` and its like are types there, `cuda` a module.
FUNCTIONS = sorted(_name for _name in TOP - {*vars(dtypes), "cpu", "cuda"}
                   if isinstance(getattr(Tensor, _name, None), FunctionType))


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape in which tensors of these shapes (or of one dimension, of these lengths) meet."""
    sizes = [shape if isinstance(shape, (tuple, list)) else (shape,) for shape in shapes]
    met = [1] * max(map(len, sizes), default=0)
    for place, shape in enumerate(sizes):
        for i in range(-1, -1 - len(shape), -1):
            fits = shape[i] in (1, met[i]) or (met[i] == 1 and shape[i] >= 0)
            need(fits, "broadcast_shapes", shape[i], i, place, shape, met)
            met[i] = shape[i] if met[i] == 1 else met[i]
    return Size(met)


# Functions that are not methods, or whose arguments come in another order.
_OTHERS = {_name: _call for _chapter in (calls.linalg, calls.reduce, calls.shape)
           for _name, _call in vars(_chapter).items()
           if _name in TOP and isinstance(_call, FunctionType) and not hasattr(Tensor, _name)} | {
    "cat": table.shape.cat, "concat": table.shape.cat, "concatenate": table.shape.cat, "stack": table.shape.stack,
    "row_stack": calls.shape.vstack, "where": calls.pointwise.where_of, "trapz": calls.reduce.trapezoid,
    "polygamma": calls.activation.polygamma_function}
ONLY_FUNCTIONS = {_name: worded(f"torch.{_name}", _call) for _name, _call in _OTHERS.items()} | {
    "broadcast_shapes": broadcast_shapes, "return_types": calls.reduce.return_types, "pinverse": table.linalg.pinv_of,
    "rsub": as_function("rsub", calls.pointwise.rsub)}
