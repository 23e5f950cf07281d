"""Element types: torch's names for NumPy's types, and the rule that mixes two of them.

Promotion looks at the *category* first (bool < integer < float). Arrays with dimensions decide;
a 0-d array is heard only if its category is higher, a Python number only if higher still.
The tables from ALL to _WIDER are the whole type system; complex and bfloat16 are not in it.
"""

import builtins
import math
from typing import Any

from ..text.presentation import need, require
from .backend import xp


class dtype:
    """An element type such as `torch.float32`; `np` is the NumPy type that carries it."""

    __slots__ = ("c_name", "name", "np", "scalar_type")
    __module__ = "minigrad"
    is_complex = False

    def __init__(self, name: str, scalar_type: str, c_name: str):
        self.name = name  # float32
        self.scalar_type = scalar_type  # Float, as torch's messages call it
        self.c_name = c_name  # float, as its matmul messages do
        self.np = xp.dtype(name)

    itemsize = property(lambda self: self.np.itemsize, doc="Bytes per element.")
    is_floating_point = property(lambda self: self.np.kind == "f", doc="True where gradients can be required.")
    is_signed = property(lambda self: self.np.kind in "fi", doc="True if negative numbers can be stored.")
    tensor_type = property(lambda self: f"torch.{self.scalar_type}Tensor", doc="As errors and `.type()` still call it.")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name  # pickled as the module's global: unpickling finds the same object


class Word(str):
    """Text that prints without quotes, as the name of a constant: `torch.strided`."""

    __repr__ = str.__str__


layout, memory_format = (type(name, (Word,), {"__module__": "torch"}) for name in ("layout", "memory_format"))
strided = layout("torch.strided")
contiguous_format, preserve_format = map(memory_format, ("torch.contiguous_format", "torch.preserve_format"))

# From here on float, int and bool are torch's; Python's are builtins.float and so on.
float64 = double = dtype("float64", "Double", "double")
float32 = float = dtype("float32", "Float", "float")
float16 = half = dtype("float16", "Half", "c10::Half")
int64 = long = dtype("int64", "Long", "long int")
int32 = int = dtype("int32", "Int", "int")
int16 = short = dtype("int16", "Short", "short int")
int8 = dtype("int8", "Char", "signed char")
uint8 = dtype("uint8", "Byte", "unsigned char")
bool = dtype("bool", "Bool", "bool")

ALL = (float64, float32, float16, int64, int32, int16, int8, uint8, bool)
BY_NUMPY = {d.np: d for d in ALL}
_PYTHON = {builtins.float: float64, builtins.int: int64, builtins.bool: bool}
_default = float32


def get_default_dtype() -> dtype:
    """The type of a tensor made from Python floats; float32 unless it was set."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Choose the type of tensors made from Python floats: float16, float32 or float64."""
    global _default
    only = "only floating-point types are supported as the default type"
    require(isinstance(d, dtype), f"invalid dtype object: {only}", TypeError)
    require(d.is_floating_point, only, TypeError)
    _default = d


def of(np_dtype: xp.dtype) -> dtype:
    """torch's name for a NumPy dtype."""
    try:
        return BY_NUMPY[np_dtype]
    except KeyError:
        need(xp.dtype(np_dtype).newbyteorder("=") not in BY_NUMPY, "byte_order")
        raise TypeError(f"can't convert np.ndarray of type numpy.{xp.dtype(np_dtype).type.__name__}. The only "
                        f"supported types are: {', '.join(d.name for d in ALL[:-1])}, and bool.") from None


def own(array: xp.ndarray) -> xp.ndarray:
    """An array from elsewhere, on the same memory: no subclass, and under that dtype object to which `is` compares.

    Raises: ValueError for one that runs backwards, TypeError for a type that torch has not.
    """
    array, kind = xp.asarray(array), of(array.dtype).np
    need(min(array.strides, default=0) >= 0, "negative_strides")
    return array if array.dtype is kind else array.view(kind)  # a view would share memory, and be written to slowly


def as_numpy(d: dtype | type | None) -> xp.dtype | None:
    """NumPy's dtype for a `dtype=` argument: torch's, Python's float, int, bool, or None (kept)."""
    need(d is None or isinstance(d, dtype) or d in _PYTHON, "dtype_wanted", type(d).__name__)
    return None if d is None else (d if isinstance(d, dtype) else _PYTHON[d]).np


# ---- promotion -----------------------------------------------------------------------------

_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2}


def category(np_dtype: xp.dtype) -> builtins.int:
    """0 for bool, 1 for integers, 2 for floating point."""
    return _CATEGORY[np_dtype.kind]


# Promotion between equals: the higher category wins, within one NumPy and torch agree.
_WIDER = {(a, b): xp.result_type(a, b) if category(a) == category(b) else max(a, b, key=category)
          for a in BY_NUMPY for b in BY_NUMPY}


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest type that holds both, as two arrays with dimensions would meet."""
    for i, one in enumerate((type1, type2), 1):
        need(isinstance(one, dtype), "argument_kind", "promote_types", f"type{i}", i, "torch.dtype", type(one).__name__)
    return BY_NUMPY[_WIDER[type1.np, type2.np]]


def _kind_and_rank(operand: Any) -> tuple[xp.dtype, builtins.int]:
    """An operand's dtype and its say: 2 with dimensions, 1 for 0-d, 0 for a Python number."""
    python = type(operand)  # exactly: xp.float64 is a float too, but it is 0-d data here
    if python in _PYTHON:
        return (_default.np if python is builtins.float else _PYTHON[python].np), 0
    return operand.dtype, 2 if operand.ndim else 1


def check_kind(kernel: str, kind: Any, kinds: str = "f") -> None:
    """Raises: NotImplementedError in torch's words, if an operation is not made for a type."""
    if kind.kind not in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{of(kind).scalar_type}'")


def check_fits(value: Any, kind: Any, name: str = "") -> None:
    """Raises: RuntimeError in torch's words, if whole numbers of a type do not reach as far as `value`."""
    if kind.kind in "iu":
        most = xp.iinfo(kind).max  # as torch counts it, -255 still fits into eight bits without a sign
        least = -most - 1 if kind.kind == "i" else 0 if xp.asarray(value).dtype.kind == "f" else -most
        if not xp.all((value >= least) & (value <= most)):
            raise _overflow(name or ("int" if kind == "int32" else f"{kind}_t"))


def fitting(value: Any, kind: Any) -> Any:
    """A Python number as it fills an array of a type. Raises: RuntimeError if it does not fit."""
    check_fits(value, kind)
    if kind.kind == "f" and 65504 < abs(value) < math.inf and xp.finfo(kind).max < abs(value):  # half takes so much
        raise _overflow(of(kind).c_name)
    return kind.type(value) if kind.kind == "f" and value.__class__ in _PYTHON else cast(value, kind)


def _overflow(name: str) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {name} without overflow")


def result_dtype(first: Any, *others: Any) -> xp.dtype:
    """The dtype in which torch computes with these; each an array, a NumPy or a Python scalar."""
    kind, rank = _kind_and_rank(first)
    for other in others:
        kind_b, rank_b = _kind_and_rank(other)
        if rank_b == rank:
            kind = _WIDER[kind, kind_b]
        elif (category(kind_b), rank_b) > (category(kind), rank):
            kind, rank = kind_b, rank_b
    return kind


def cast(a: Any, target: xp.dtype) -> Any:
    """`a` in the dtype `target`: itself if it fits already, integers wrap as in torch."""
    return xp.asarray(a).astype(target)[()] if type(a) in _PYTHON else a if a.dtype == target else a.astype(target)


def promote(a: Any, b: Any) -> tuple[Any, Any]:
    """Both operands, cast to their common dtype."""
    target = result_dtype(a, b)
    return cast(a, target), cast(b, target)


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """True if a result of type `from_` may be written into a `to`: no category is lost."""
    return category(from_.np) <= category(to.np)


def check_cast(source: xp.dtype, target: xp.dtype) -> None:
    """Raises: RuntimeError if an in-place result would lose its category (float into int)."""
    need(category(source) <= category(target), "cannot_cast", of(source).scalar_type, of(target).scalar_type)


# ---- limits --------------------------------------------------------------------------------


class Limits:
    """What is known of a type, which is equal where the types are."""

    def __eq__(self, other: object) -> builtins.bool:
        return type(self) is type(other) and vars(self) == vars(other)


class finfo(Limits):
    """Limits of a floating point type: `eps`, `max`, `min`, `tiny`, `resolution`, `bits`."""

    resolution = min = max = eps = smallest_normal = tiny = 0.0  # set for each type

    def __init__(self, type: dtype | None = None):
        type = type or _default
        need(isinstance(type, dtype) and type.is_floating_point, "finfo_type")
        limits = xp.finfo(type.np)
        self.dtype, self.bits = type.name, limits.bits
        for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny"):
            setattr(self, name, builtins.float(getattr(limits, name)))
        self.resolution = 10.0**-limits.precision  # NumPy's own is rounded to the type

    def __repr__(self) -> str:
        limits = (f"{name}={limit:g}, " for name, limit in vars(self).items() if isinstance(limit, builtins.float))
        return f"finfo({''.join(limits)}dtype={self.dtype})"


class iinfo(Limits):
    """Limits of an integer type: `max`, `min`, `bits`."""

    def __init__(self, type: dtype):
        need(isinstance(type, dtype), "argument_kind", "iinfo", "type", 1, "torch.dtype", type.__class__.__name__)
        need(not type.is_floating_point, "iinfo_type")
        require(type is not bool, "torch.bool is not supported by torch.iinfo", TypeError)
        limits = xp.iinfo(type.np)
        self.dtype, self.bits, self.min, self.max = type.name, limits.bits, limits.min, limits.max

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
