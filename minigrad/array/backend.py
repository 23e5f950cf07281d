"""Where arrays live: the only file that names NumPy and CuPy.

`xp` is NumPy, `device` is torch's name for a place, `move` carries an array there. The rest is
geometry: a view's offset and strides counted in elements from its `storage`, as torch counts them.
"""

import functools
import itertools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

from ..text import noted
from ..text.presentation import need, require

xp = numpy
ndarray = numpy.ndarray
HOST = (numpy.ndarray, numpy.generic)
# Freed once, a block of 32 MB tells glibc to keep what programs free: given back, the pages of arrays from 64 kB on
# would be asked for anew by each operation, which takes longer than the operation itself
numpy.empty(2**25 - 2**16, "u1")
_TYPES = ("cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, "
          "hpu, mtia, privateuseone").split(", ")


class device:
    """A place for arrays: `device("cpu")`, `device("cuda:0")`, `device("cuda", 0)` or, as of old, `device(0)`."""

    __slots__ = ("index", "type")

    def __init__(self, type: "str | int | device", index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int) and not isinstance(type, bool):
            require(device_count(), "Cannot access accelerator device when none is available.")
            type, index = "cuda", type
        need(isinstance(type, str), "device_arguments", type.__class__.__name__)
        name, colon, number = type.partition(":")
        if name not in _TYPES or (colon and (index is not None or not number.isdecimal())):
            require(type, "Device string must not be empty")
            need(name in _TYPES or not name.replace("_", "a").isalpha(), "device_type", ", ".join(_TYPES), name)
            need(index is None or not colon, "device_index", type)
            raise RuntimeError(f"Invalid device string: '{type}'")
        require(index is None or index >= 0, "Device index must not be negative")
        self.type, self.index = name, int(number) if colon else index

    def __repr__(self) -> str:
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        # never equal to a string: torch says so too
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))


CPU = device("cpu")


def cupy() -> ModuleType:
    """CuPy, or the error torch raises where it was built without CUDA."""
    try:
        import cupy
    except ImportError:
        raise noted(AssertionError("Torch not compiled with CUDA enabled"), "array.no_cupy") from None
    return cupy


def device_count() -> int:
    """How many GPUs CuPy finds; 0 without CuPy or a driver."""
    try:
        return cupy().cuda.runtime.getDeviceCount()
    except Exception:  # CuPy's own error, for which there is no name without CuPy
        return 0


def namespace(array: Any) -> ModuleType:
    """The library that computes with this array: NumPy, or CuPy for an array on a GPU."""
    return numpy if array.__class__ is ndarray or isinstance(array, HOST) else cupy()


def zeros_later(array: Any) -> Callable[[], Any]:
    """What makes zeros of the array's shape, type and place, and until then keeps no memory alive."""
    return functools.partial(namespace(array).zeros, array.shape, array.dtype)


def device_of(array: Any) -> device:
    """Where the array lives."""
    return CPU if isinstance(array, HOST) else device("cuda", array.device.id)


def lives_on(array: Any, place: device) -> bool:
    """Whether the array is there already; a place without an index means any of its type."""
    home = device_of(array)
    return home.type == place.type and place.index in (None, home.index)


def move(array: Any, to: "device | str | None") -> Any:
    """The array on another device; itself if it is there already, or if `to` is None.

    Raises: AssertionError with torch's text if CuPy is missing, RuntimeError for other devices.
    """
    if to is None:
        return array
    to = to if to.__class__ is device else device(to)
    if to.type == "cpu":
        return array if isinstance(array, HOST) else array.get()
    if to.type != "cuda":
        raise noted(RuntimeError(f"Torch not compiled with {to.type.upper()} enabled"), "array.unknown_device", type=to)
    with cupy().cuda.Device(to.index):
        return cupy().asarray(array)


def in_order(array: Any) -> Any:
    """The array itself if its elements lie in memory in the order of its indices, else a copy that does."""
    return array if array.flags.c_contiguous else namespace(array).ascontiguousarray(array)


def add_at(array: Any, key: tuple, value: Any, ufunc: Any = numpy.add) -> None:
    """`ufunc.at`, into an array in order: once for each time that a place is named."""
    if (size := numpy.size(value)) > 600:  # single places in one row take a quarter of the time of slices
        depth = sum([part.ndim if getattr(part, "dtype", None) == "bool" else 1 for part in key])
        lead, n, arange = array.shape[:depth], math.prod(array.shape[depth:]), namespace(array).arange
        if math.prod(lead) < 4 * size:  # else counting them takes longer
            key = (arange(math.prod(lead)).reshape(lead)[key][..., None] * n + arange(n)).reshape(-1)
            array, value = array.reshape(-1), value.reshape(-1)
    ufunc.at(array, key, value)


def accumulate(step: Any, array: Any, dim: int) -> Any:
    """`step.accumulate`; CuPy has it for sums and products alone, so there it goes slice by slice."""
    if namespace(array) is numpy:
        return in_order(step.accumulate(array, dim))
    values = array.copy()
    for before, here in itertools.pairwise(numpy.moveaxis(values, dim, 0)):
        here[...] = step(before, here)
    return values


def flipped(array: Any, dims: tuple) -> Any:
    """A view with these dimensions turned round; NumPy's `flip` takes ten times as long."""
    key = [slice(None)] * array.ndim
    for dim in dims:
        key[dim] = slice(None, None, -1)
    return array[tuple(key)]


def largest(x: Any, dim: int) -> Any:
    """The maximum along `dim`, kept. NumPy takes rows one by one; turned, it takes many short ones at once."""
    if x.__class__ is not ndarray:
        return x.max(dim, keepdims=True)
    n = x.shape[dim]
    if n > 64 or x.size < max(32, 2 * n) * n or dim % x.ndim != x.ndim - 1:
        return numpy.maximum.reduce(x, dim, keepdims=True)
    return numpy.maximum.reduce(x.reshape(-1, n).T.copy(), 0).reshape(*x.shape[:-1], 1)


# ---- geometry ------------------------------------------------------------------------------


def storage(array: Any) -> Any:
    """The array that owns the memory which `array` looks at."""
    kind = ndarray if isinstance(array, ndarray) else type(array)
    while True:
        base = array.base
        # NumPy's as_strided puts a stand-in between the two
        base = base if isinstance(base, kind) else getattr(base, "base", None)
        if not isinstance(base, kind):
            return array
        array = base


def may_share_memory(a: Any, b: Any) -> bool:
    """Whether two arrays may look at the same memory; never from two devices."""
    return namespace(a) is namespace(b) and numpy.may_share_memory(a, b)


def address(array: Any) -> int:
    """Where the first element lies in memory."""
    return array.__array_interface__["data"][0] if isinstance(array, ndarray) else array.data.ptr


def strides(array: Any) -> tuple[int, ...]:
    """Elements to skip per step along each dimension, as `Tensor.stride()` counts them."""
    if not array.size and not any(array.strides):  # NumPy forgets how an empty array would lie
        lengths = [max(n, 1) for n in array.shape]
        return tuple(math.prod(lengths[i + 1 :]) for i in range(len(lengths)))
    return tuple(step // array.itemsize for step in array.strides)


def geometry(array: Any) -> tuple[Any, int, tuple[int, ...]]:
    """`(storage, offset, strides)` of a view, both in elements."""
    owner = storage(array)
    return owner, (address(array) - address(owner)) // array.itemsize, strides(array)


def as_strided(array: Any, size: tuple, stride: tuple, storage_offset: int | None = None, dtype: Any = None) -> Any:
    """Look at the storage of `array`, as of its type or `dtype`, with another shape, all numbers in elements.

    Raises: RuntimeError in torch's words if the view would leave the storage.
    """
    owner, offset, _ = geometry(array)
    offset = offset if storage_offset is None else storage_offset
    flat = strided(owner, (owner.size,), (owner.itemsize,)).view(dtype or array.dtype)
    _check_inside(flat, tuple(size), tuple(stride), offset)
    return strided(flat[offset:], size, tuple(s * flat.itemsize for s in stride))


def strided(array: Any, shape: tuple, steps: Any) -> Any:
    """The memory of `array` seen with another shape and other strides, in bytes: the caller knows that it may."""
    if isinstance(array, ndarray) and array.flags.c_contiguous and 0 not in shape:
        return ndarray(shape, array.dtype, array, 0, steps)  # a tenth of the time of as_strided
    return namespace(array).lib.stride_tricks.as_strided(array, shape, steps)


def spread(x: Any, shape: tuple) -> Any:
    """`x` seen in a larger shape, stride 0 where it repeats. Raises: ValueError for a shape that does not fit."""
    if x.shape == shape:
        return x[...]
    x = x if isinstance(x, ndarray) else namespace(x).asarray(x)
    lead = len(shape) - x.ndim
    steps = [0] * lead
    for have, n, step in zip(x.shape, shape[lead:], x.strides, strict=True):
        require(have in (1, n), "not a larger shape", ValueError)
        steps.append(step if n == have else 0)
    return strided(x, shape, steps)


def memory_order(array: Any) -> list[int]:
    """The dimensions as they lie in memory, the one with the longest steps first."""
    return sorted(range(array.ndim), key=lambda d: -array.strides[d])


def layout(array: Any) -> str:
    """How a copy lies in memory: with the original's order of dimensions, unless it repeats elements."""
    return "C" if array.flags.c_contiguous or 0 in array.strides else "K"


def overlaps(size: tuple, stride: tuple) -> bool:
    """True if two indices may lie on the same element; dimensions are looked at from the smallest step."""
    reach = 0
    for s, n in sorted((s, n) for n, s in zip(size, stride, strict=True) if n > 1):
        if s <= reach:
            return True
        reach += (n - 1) * s
    return False


def reach(size: tuple, stride: tuple, offset: int) -> int:
    """How many elements a storage must have so that this view lies inside it."""
    return 0 if 0 in size else offset + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))


def _check_inside(owner: Any, size: tuple, stride: tuple, offset: int) -> None:
    require(len(size) == len(stride), "mismatch in length of strides and shape")
    need(all(n >= 0 for n in size), "storage_overflow", list(size), list(stride))
    need(all(s >= 0 for s in stride), "storage_strides", list(stride))
    require(offset >= 0, f"Tensor: invalid storage offset {offset}")
    needed, each = reach(size, stride, offset) * owner.itemsize, owner.itemsize
    need(needed <= owner.nbytes, "storage_bounds", list(size), list(stride), offset, each, needed, owner.nbytes)
