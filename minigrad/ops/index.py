"""Indexing: reading and writing chosen elements.

`x[key]` is taken apart as torch does it: integers, slices, None and `...` become views, one after the
other; what is left, lists and tensors of positions or a mask, becomes one `index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..array.backend import xp
from ..core.base import TensorBase, constant
from ..core.carriers import TENSORS
from ..core.modes import grad_mode
from ..core.op import inplace, op
from ..core.views import check_inplace
from . import shape as views


def _raw(index: Any) -> Any:
    return index._data if isinstance(index, TensorBase) else index


def _index_back(self: Any, sizes: tuple, indices: tuple) -> Any:
    whole = xp.zeros(sizes, self.dtype)
    xp.add.at(whole, tuple(map(_raw, indices)), self)
    return whole


def _index_put(self: Any, values: Any, indices: tuple, accumulate: bool) -> Any:
    whole, key = self.copy(), tuple(map(_raw, indices))
    if accumulate:
        xp.add.at(whole, key, values)
    else:
        whole[key] = values
    return whole


# fmt: off
index = op("index", lambda self, indices: self[tuple(map(_raw, indices))], fixed=("indices",),
    self = lambda F, grad, self_sym_sizes, indices: F.index_back(grad, self_sym_sizes, indices))
index_back = op("index_back", _index_back, fixed=(), grad_fn="IndexBackwardBackward0",
    self = lambda F, grad, indices: F.index(grad, indices))
index_put = op("index_put", _index_put, keeps=("accumulate",),
    self   = lambda F, grad, indices, accumulate: grad if accumulate else F.index_put(
        grad, F.zeros_as(grad, ()), indices, False),
    values = lambda F, grad, indices: F.index(grad, indices))
# fmt: on


# ---- x[key]


def getitem(self: Any, key: Any) -> Any:
    """`self[key]`: a view where the key allows one, else a copy of the chosen elements."""
    seen, positions = basic(self, key)
    if positions:
        return index(seen, positions)
    return views.alias(self) if seen is self else seen


def basic(self: Any, key: Any) -> tuple[Any, tuple]:
    """Apply the view-making parts of `key`; return the view and what is left for `index`."""
    parts = key if isinstance(key, tuple) else (key,)
    result, dim, left = self, 0, []
    consumed = sum(_width(p) for p in parts)
    if consumed > self._data.ndim:
        raise IndexError(
            f"too many indices for tensor of dimension {self._data.ndim}")  # fmt: skip
    for part in parts:
        if part is Ellipsis:
            dim += self._data.ndim - consumed
        elif part is None:
            result = views.unsqueeze(result, dim)
            dim += 1
        elif isinstance(part, slice):
            result = _sliced(result, dim, part)
            dim += 1
        elif isinstance(part, int) and not isinstance(part, bool):
            result = _selected(result, dim, part)
        else:
            part = _positions(part)
            left.append((dim, part))
            dim += part._data.ndim if part._data.dtype.kind == "b" else 1
    return result, _aligned(left)


def _width(part: Any) -> int:
    """How many dimensions a part of the key uses up."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part._data.ndim if isinstance(part, TensorBase) and part._data.dtype.kind == "b" else 1


def _aligned(left: list) -> tuple:
    """Positions in the order of dimensions, a full slice where a dimension has none."""
    parts: list[Any] = []
    for dim, part in left:
        parts += [slice(None)] * (dim - len(parts))
        parts.append(part)
    return tuple(parts)


def _positions(part: Any) -> Any:
    """A list, array or tensor of positions (or a mask) as a tensor."""
    if isinstance(part, TensorBase):
        if part._data.dtype.kind == "f":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return part
    return constant(TensorBase._plain, xp.asarray(part, dtype=None if len(part) else "int64"))


def _sliced(x: Any, dim: int, part: slice) -> Any:
    size = x._data.shape[dim]
    step = 1 if part.step is None else int(part.step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    start, stop, _ = slice(_int(part.start), _int(part.stop), step).indices(size)
    if (start, stop, step) == (0, size, 1):
        return x
    end = part.stop if part.stop is not None else 2**63 - 1
    return TENSORS.slice(x, dim, start, max(_int(end), start) if _int(end) >= 0 else stop, step)


def _int(value: Any) -> Any:
    return int(value) if isinstance(value, TensorBase) else value


def _selected(x: Any, dim: int, at: int) -> Any:
    if x._data.ndim == 0:
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                         "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")  # fmt: skip
    size = x._data.shape[dim]
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for dimension {dim} with size {size}")
    return views.select(x, dim, at % size)


# ---- x[key] = value

copy_ = inplace(views.copy)
index_put_ = inplace(index_put)


def setitem(self: Any, key: Any, value: Any) -> None:
    """`self[key] = value`, recorded as a write into a view (CopySlices) or as `index_put_`."""
    given = value if isinstance(value, TensorBase) else constant(
        TensorBase._plain, xp.asarray(value).astype(self._data.dtype))  # fmt: skip
    recorded = bool(grad_mode()) and (self.requires_grad or given.requires_grad)
    if recorded:
        given._edge()  # a view that cannot be read any more complains first
    if isinstance(key, TensorBase) or _is_positions(key):
        check_inplace(self, recorded)
    seen, positions = basic(self, key)
    if seen is self:
        check_inplace(self, recorded)
    if positions:
        index_put_(seen, given, positions, False)
    else:
        copy_(seen, given)


def _is_positions(key: Any) -> bool:
    return isinstance(key, Sequence) and not isinstance(key, tuple)
