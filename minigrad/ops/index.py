"""Indexing: reading and writing chosen elements.

`x[key]` is taken apart as torch does it: integers, slices, None and `...` become views, one after the
other; what is left, lists and tensors of positions or a mask, becomes one `index`. The named forms
(gather, scatter, index_select ...) read or write along one dimension.
"""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

from ..array import dtypes
from ..array.backend import in_order, namespace, xp
from ..core.base import TensorBase, constant
from ..core.carriers import SYMBOLS, TENSORS, formula
from ..core.inplace import inplace, write_directly
from ..core.modes import grad_mode
from ..core.op import op
from ..core.shapes import type_said
from ..core.views import check_inplace, check_overlap
from ..text import presentation
from . import shape as views
from .checks import check_dim, own_dim, require, same_type, titled
from .pointwise import times
from .reduce import common_shape


def _raw(indices: tuple) -> tuple:
    """Indices as a NumPy key, None for a whole dimension."""
    return tuple([slice(None) if i is None else i._data if isinstance(i, TensorBase) else i for i in indices])


def _key(self: Any, indices: tuple) -> tuple:
    """A NumPy key that fits. Raises: IndexError in torch's words."""
    key, dim, place = _raw(indices), 0, 0
    for part in key:
        if isinstance(part, slice):
            dim += 1
        elif part.dtype.kind == "b":
            _check_mask(part.shape, self.shape, dim)
            dim, place = dim + part.ndim, place + part.ndim
        else:
            check_positions(part, self.shape[dim], place, IndexError)
            dim, place = dim + 1, place + 1
    chosen = [(int(p.sum()),) if p.dtype.kind == "b" else p.shape for p in key if not isinstance(p, slice)]
    try:
        xp.broadcast_shapes(*chosen)
    except ValueError:
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         + ", ".join(str(list(s)) for s in chosen)) from None
    return key


def _taken(self: Any, indices: tuple) -> Any:
    """The chosen elements; what NumPy refuses is looked at again for torch's words."""
    key = _raw(indices)
    try:
        for part in key:
            if not isinstance(part, slice) and not part.size:  # an empty mask fits anywhere, says NumPy
                raise IndexError
        return in_order(self[key])
    except IndexError:
        return in_order(self[_key(self, indices)])


def _check_mask(mask: tuple, sizes: tuple, dim: int) -> None:
    for d, n in enumerate(mask):
        if n != sizes[dim + d]:
            raise IndexError(f"The shape of the mask {list(mask)} at index {d} does not match the shape of the "
                             f"indexed tensor {list(sizes)} at index {dim + d}")


def check_positions(index: Any, size: int, dim: int, error: type = RuntimeError, name: str = "") -> None:
    """Raises torch's error for the first position outside of a dimension; an IndexError without name allows -1."""
    least = -size if error is IndexError and not name else 0
    if not index.size or (index.min() >= least and index.max() < size):
        return
    bad = index[(index < least) | (index >= size)][0]
    raise error(f"{name}index {bad} is out of bounds for dimension {dim} with size {size}")


def check_rows(index: Any, size: int) -> None:
    """Raises torch's error for a position that a table of `size` rows does not have."""
    if index.size and (index.min() < 0 or index.max() >= size):
        bad = index[(index < 0) | (index >= size)].flat[0]
        raise presentation.error(IndexError, "row_outside", "index out of range in self", bad=bad, rows=size,
                                 last=size - 1)


def _write(whole: Any, key: Any, value: Any, add: bool) -> None:
    """Put `value` at `key`, or add it there, once for each time that a place is named."""
    if add:
        xp.add.at(whole, key, value)
    else:
        whole[key] = value


def _index_put(self: Any, values: Any, indices: tuple, accumulate: bool) -> Any:
    whole, key = namespace(self).asarray(self).copy(), _key(self, indices)
    try:
        # spread out first: `add.at` loses numbers that it has to repeat for an index of two dimensions
        _write(whole, key, xp.broadcast_to(values, whole[key].shape) if accumulate else values, accumulate)
    except ValueError:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
                           f"indexing result of shape {list(whole[key].shape)}") from None
    chosen = [p.dtype.kind for p in key if not isinstance(p, slice)]
    fills = chosen == ["b"] and values.size == 1 and not accumulate  # a mask and a number: masked_fill
    if not fills:
        same_type(self, values, said="Index put requires the source and destination dtypes match, got {0} for the "
                  "destination and {1} for the source.")
    return whole


def _index_back(self: Any, indices: tuple, sizes: tuple) -> Any:
    whole = namespace(self).zeros(sizes, self.dtype)
    xp.add.at(whole, _raw(indices), self)  # the forward has seen that they fit
    return whole


# ---- along one dimension


def are_positions(index: Any) -> bool:
    """True for int32 and int64, the types in which torch takes positions."""
    return index.dtype.kind == "i" and index.dtype.itemsize > 2


def _grid(index: Any, dim: int) -> tuple:
    """The key that reads `index` along `dim` and every other dimension at its own place."""
    arange, last = namespace(index).arange, index.ndim - 1
    return tuple(index if d == dim else arange(n).reshape(n, *(1,) * (last - d)) for d, n in enumerate(index.shape))


def _along(self: Any, index: Any, dim: int, name: str, word: str) -> tuple:
    """`self`, `index` with at least one dimension, and the checked key of gather and scatter."""
    self, index = (xp.atleast_1d(v) for v in (self, index))
    index = index if index.size else namespace(self).zeros((0,) * self.ndim, "int64")  # if empty, of any shape
    require(are_positions(index), f"{name}(): Expected dtype int32/int64 for index")
    require(self.ndim == index.ndim, f"Index tensor must have the same number of dimensions as {word} tensor")
    dim %= self.ndim
    for d, (n, m) in enumerate(zip(index.shape, self.shape, strict=True)):
        if n > m and d != dim:
            raise RuntimeError(f"Size does not match at dimension {d} expected index {list(index.shape)} to be no "
                               f"larger than self {list(self.shape)} apart from dimension {dim}")
    check_positions(index, self.shape[dim], dim)
    return self, _grid(index, dim)


def _gather(self: Any, index: Any, dim: int, sparse_grad: bool = False) -> Any:
    flat, key = _along(self, index, dim, "gather", "input")
    return flat[key].reshape(index.shape)


def _scatter(self: Any, index: Any, src: Any, dim: int, add: bool = False) -> Any:
    is_array = hasattr(src, "dtype")
    require(not is_array or src.dtype == self.dtype, "scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return self.copy()
    flat, key = _along(self, index, dim, "scatter", "self")
    whole, sizes = flat.copy(), key[dim].shape
    if is_array:
        src = xp.atleast_1d(src)
        fits = src.ndim == len(sizes) and xp.all(xp.less_equal(sizes, src.shape))
        require(fits, f"Expected index {list(sizes)} to be no larger than self {list(flat.shape)} apart "
                f"from dimension {dim} and to be no larger size than src {list(src.shape)}")
        src = src[tuple(map(slice, sizes))]
    _write(whole, key, src, add)
    return whole.reshape(self.shape)


def _rows(self: Any, index: Any, dim: int, name: str = "index_select") -> tuple:
    """`self` with at least one dimension, and the key of the slices `index` along `dim`."""
    require(are_positions(index), f"{name}(): Expected dtype int32 or int64 for index")
    require(index.ndim < 2, f"{name}(): Index is supposed to be a vector", IndexError)
    self, index = xp.atleast_1d(self), xp.atleast_1d(index)
    return self, (slice(None),) * (dim % self.ndim) + (index,)


def _index_select(self: Any, index: Any, dim: int) -> Any:
    flat, key = _rows(self, index, dim)
    check_rows(index, flat.shape[dim])
    return in_order(flat[key]) if self.ndim else flat[key].reshape(())


_UNLIKE = {"add": "index_add_(): self ({0}) and source ({1}) must have the same scalar type", "copy": "index_copy_(): "
           "self and source expected to have the same dtype, but got (self) {0} and (source) {1}"}


def _index_write(self: Any, index: Any, source: Any, dim: int, how: str) -> Any:
    if how == "fill":
        require(index.dtype == "int64", "index_fill_(): Expected dtype int64 for index.", IndexError)
        require(xp.ndim(source) == 0, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{xp.ndim(source)} dimension(s).")
    else:
        same_type(self, source, said=_UNLIKE[how])
    whole, key = _rows(self.copy(), index, dim, f"index_{how}_")
    size, count, add = whole.shape[dim], xp.size(index), how == "add"
    if how != "fill" and source.ndim and source.shape[dim] != count:
        error, end = (RuntimeError, f": ({source.shape[dim]}), for dim: {dim}") if add else (
            IndexError, f" ({source.shape[dim]})")
        raise error(f"index_{how}_(): Number of indices ({count}) should be equal to source.size(dim){end}")
    have, given = ([n for d, n in enumerate(xp.shape(x)) if d != dim % whole.ndim] for x in (whole, source))
    require(how == "fill" or have == given, "source tensor shape must match self tensor shape, excluding the specified "
            f"dimension. Got self.shape = {list(self.shape)} source.shape = {list(xp.shape(source))}")
    check_positions(namespace(index).asarray(index), size, dim % whole.ndim, RuntimeError if add else IndexError,
                    "index_copy_(): " if how == "copy" else "")
    _write(whole, key, source, add)
    return whole.reshape(self.shape)


# ---- by mask, or by position in the flattened tensor


def _spots(self: Any, index: Any, name: str) -> Any:
    """Positions in the flattened tensor. Raises: IndexError, or RuntimeError for another type, in torch's words."""
    require(index.dtype == "int64", f"{name}(): Expected a long tensor for index, but got "
            f"{dtypes.of(index.dtype).scalar_type}")
    wrong = index[(index < -self.size) | (index >= self.size)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {wrong[0]} on a tensor of {self.size} elements.")
    return index


def _put(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    same_type(self, source, said="put_(): self and source expected to have the same dtype, but got self.dtype = {0} "
              "and source.dtype = {1}")
    require(source.size == index.size, "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.size}, index.numel() = {index.size}", IndexError)
    whole = self.copy().reshape(-1)
    _write(whole, _spots(self, index, "put_").reshape(-1), source.reshape(-1), accumulate)
    return whole.reshape(self.shape)


def _masked_select(self: Any, mask: Any) -> Any:
    require(mask.dtype.kind == "b", "masked_select: expected BoolTensor for mask")
    common_shape(mask.shape, self.shape)
    x, chosen = xp.broadcast_arrays(self, mask)
    return x[chosen]


def _masked_scatter(self: Any, mask: Any, source: Any) -> Any:
    have, given, kind = (dtypes.of(x.dtype).scalar_type for x in (self, source, mask))
    require(have == given, f"masked_scatter: expected self and source to have same dtypes but got{have} and {given}")
    require(kind == "Bool", f"masked_scatter_ only supports boolean masks, but got mask with dtype {kind}")
    common_shape(mask.shape, self.shape)
    whole, mask = (x.copy() for x in xp.broadcast_arrays(self, mask))
    count = int(mask.sum())
    require(source.size >= count, "Number of elements of source < number of ones in mask")
    whole[mask] = source.reshape(-1)[:count]
    return whole


index = op("index", _taken, fixed=("indices",),
    self = lambda F, grad, self_sym_sizes, indices: F.index_back(grad, indices, self_sym_sizes))
index_back = op("index_back", _index_back, fixed=("indices",), grad_fn="IndexBackwardBackward0",
    self = lambda F, grad, indices: F.index(grad, indices))
put_at = op("index_put", _index_put, fixed=("indices",),
    self   = lambda F, grad, indices, accumulate: F.kept_outside(grad, indices, accumulate),
    values = lambda F, grad, indices: F.index(grad, indices))

# ---- along one dimension

gather = op("gather", _gather, fixed=("index",), keeps=("sparse_grad",),
    self = lambda F, grad, self, index, dim: F.scatter_add(F.zeros_as(grad, F.sizes(self)), index, grad, dim))
scatter = op("scatter", lambda self, index, src, dim: _scatter(self, index, src, dim), fixed=("index",),
    self = lambda F, grad, index, dim: F.scatter_value(grad, index, dim, 0),
    src  = lambda F, grad, index, dim: F.gather(grad, index, dim))
scatter_value = op("scatter_value", lambda self, index, dim, value: _scatter(self, index, value, dim),
    fixed=("index",), grad_fn="ScatterBackward1",
    self = lambda F, grad, index, dim: F.scatter_value(grad, index, dim, 0))
scatter_add = op("scatter_add", lambda self, index, src, dim: _scatter(self, index, src, dim, True), fixed=("index",),
    self = lambda grad: grad,
    src  = lambda F, grad, index, dim: F.gather(grad, index, dim))
index_select = op("index_select", _index_select, fixed=("index",),
    self = lambda F, grad, self_sym_sizes, index, dim: F.index_add(F.zeros_as(grad, self_sym_sizes), index, grad, dim))
index_add = op("index_add", lambda self, index, source, dim, alpha=1: _index_write(
        self, index, times(source, alpha), dim, "add"), fixed=("index",), keeps=("source_dim",),
    self   = lambda grad: grad,
    source = lambda F, grad, source, index, dim, alpha: F.scaled(F.index_select(grad, index, dim), alpha))
index_copy = op("index_copy", lambda self, index, source, dim: _index_write(self, index, source, dim, "copy"),
    fixed=("index",), keeps=("source_dim",),
    self   = lambda F, grad, index, dim: F.index_fill(grad, index, dim, 0),
    source = lambda F, grad, source, index, dim: F.index_select(grad, index, dim))
index_fill = op("index_fill", lambda self, index, dim, value: _index_write(self, index, value, dim, "fill"),
    fixed=("index",),
    self = lambda F, grad, index, dim: F.index_fill(grad, index, dim, 0))
index_fill_tensor = op("index_fill_tensor", lambda self, index, value, dim: _index_write(
        self, index, value, dim, "fill"), fixed=("index",), grad_fn="IndexFillBackward1", **index_fill.row.derivatives,
    value = lambda F, grad, index, dim: F.sum(grad - F.index_fill(grad, index, dim, 0)))

# ---- by mask, or by position in the flattened tensor

masked_select = op("masked_select", _masked_select, fixed=("mask",),
    self = lambda F, grad, self, mask: F.sum_to(
        F.masked_scatter(F.zeros_as(grad, F.common(self, mask)), mask, grad), F.sizes(self)))
masked_scatter = op("masked_scatter", _masked_scatter, fixed=("mask",),
    self   = lambda F, grad, mask: F.where(mask, 0.0, grad),
    source = lambda F, grad, mask, source_sym_sizes: F.filled_up(F.masked_select(grad, mask), source_sym_sizes))
take = op("take", lambda self, index: self.reshape(-1)[_spots(self, index, "take")], fixed=("index",),
    self = lambda F, grad, self, index: F.put(F.zeros_as(grad, F.sizes(self)), index, grad, True))
put = op("put", _put, fixed=("index",),
    self   = lambda F, grad, index, source, accumulate: F.kept_unput(grad, index, source, accumulate),
    source = lambda F, grad, index, source: F.reshape(F.take(grad, index), F.sizes(source)))

# ---- a part written into a copy

select_scatter = op("select_scatter", lambda self, src, dim, index: views.written(
        self.copy(), src, views.select_part, dim, index),
    self = lambda F, grad, dim, index: F.select_scatter(grad, F.zeros_as(grad, ()), dim, index),
    src  = lambda F, grad, dim, index: F.select(grad, dim, index))
slice_scatter = op("slice_scatter", lambda self, src, dim=0, start=None, end=None, step=1: views.written(
        self.copy(), src, views.slice_part, dim, start, end, step),
    self = lambda F, grad, dim, start, end, step: F.slice_scatter(grad, F.zeros_as(grad, ()), dim, start, end, step),
    src  = lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step))
nonzero_positions = op("nonzero", lambda self: xp.argwhere(self))


@formula(tex=lambda grad, i, accumulate: SYMBOLS.where(accumulate, grad, SYMBOLS.index_fill(grad, i, 0, 0)))
def kept_outside(F: Any, grad: Any, indices: Any, accumulate: bool) -> Any:
    """What `index_put` leaves of the gradient: all where it added, 0 where it wrote."""
    return grad if accumulate else F.index_put(grad, F.zeros_as(grad, ()), indices, False)


@formula(tex=lambda grad, i, _source, accumulate: SYMBOLS.kept_outside(grad, i, accumulate))
def kept_unput(F: Any, grad: Any, index: Any, source: Any, accumulate: bool) -> Any:
    return grad if accumulate else F.put(grad, index, F.zeros_as(grad, F.sizes(source)), False)


@formula()
def common(F: Any, a: Any, b: Any) -> tuple:
    """The shape in which two tensors meet."""
    return common_shape(tuple(a.shape), tuple(b.shape))


@formula(tex=lambda grad, _sizes: grad)
def filled_up(F: Any, grad: Any, sizes: tuple) -> Any:
    """A vector in the shape `sizes`, zeros where it is too short."""
    return F.reshape(F.cat([grad, F.zeros_as(grad, (math.prod(sizes) - grad.shape[0],))], 0), sizes)


# ---- x[key]


def getitem(self: Any, key: Any) -> Any:
    """`self[key]`: a view where the key allows one, else a copy of the chosen elements."""
    if key.__class__ is slice:
        return _sliced(self, 0, key, always=True)  # alone, even `x[:]` is a slice; in a tuple it is not
    if isinstance(key, TensorBase) and key._data.ndim and self._data.ndim and key._data.dtype.kind == "i":
        return index(self, (key,))  # positions and nothing else
    seen, positions = basic(self, key)
    if positions:
        return index(seen, positions)
    return views.alias(self) if seen is self else seen


_PLAIN = {int, slice}


def basic(self: Any, key: Any) -> tuple[Any, tuple]:
    """Apply the view-making parts of `key`; return the view and what is left for `index`."""
    if key.__class__ is int and self._data.ndim:  # the usual key, without the ceremony
        return _selected(self, 0, key, 0), ()
    parts: Any = tuple(key) if _is_tuple(key) else (key,)
    consumed = len(parts)
    if not _PLAIN.issuperset(map(type, parts)):
        parts = [_part(p) for p in parts]
        consumed = sum(_width(p) for p in parts)
    result, dim, left = self, 0, []
    alone = self._data.ndim == 0 and len(parts) == 1 and parts[0].__class__ in (int, slice)
    if consumed > self._data.ndim and not alone:  # else the part itself says what is wrong
        raise IndexError(f"too many indices for tensor of dimension {self._data.ndim}")
    for place, part in enumerate(parts):
        if part is Ellipsis:
            dim += self._data.ndim - consumed
            consumed = self._data.ndim  # a second `...` stands for nothing
        elif part is None:
            result, dim = views.unsqueeze(result, dim), dim + 1
        elif part.__class__ is slice:
            result, dim = _sliced(result, dim, part), dim + 1
        elif part.__class__ is int:
            result = _selected(result, dim, part, place)
        elif not part._data.ndim:  # True or False: a dimension of length 1, taken or not
            result = views.unsqueeze(result, dim)
            left.append((dim, constant(part._plain, xp.arange(int(part.item())))))
            dim += 1
        else:
            left.append((dim, part))
            dim += _width(part)
    return result, _aligned(left)


def _is_tuple(key: Any) -> bool:
    """torch reads a short list of lists, tensors, slices, None or `...` as a tuple."""
    if isinstance(key, tuple):
        return True
    return isinstance(key, list) and len(key) < 32 and any(
        p is None or p is Ellipsis or isinstance(p, TensorBase | list | tuple | slice) for p in key)


def _part(part: Any) -> Any:
    """One part of a key: None, `...`, a slice, an int, or a tensor of positions or bools."""
    if part is None or part is Ellipsis or part.__class__ is slice or part.__class__ is int:
        return part
    if isinstance(part, bool):
        return constant(TensorBase._plain, xp.asarray(part))
    if isinstance(part, TensorBase):
        return part.item() if not part._data.ndim and part._data.dtype.kind == "i" else _positions(part)
    if isinstance(part, list | tuple | range) or hasattr(part, "__array__"):
        array = xp.asarray([_part(p) if isinstance(p, TensorBase) else p for p in part]
                           if isinstance(part, list | tuple) else part)
        if not array.ndim and array.dtype.kind in "iu":
            return int(array)
        return _positions(constant(TensorBase._plain, array if array.size else array.astype("int64")))
    if hasattr(part, "__index__"):
        return operator.index(part)
    require(not isinstance(part, str), "new(): invalid data type 'str'", TypeError)
    raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                     f"(got {type(part).__name__})")


def _positions(part: Any) -> Any:
    kind = part._data.dtype
    if kind.kind not in "iub":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if kind == dtypes.uint8.np:
        if part._data.ndim:
            warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                          UserWarning, stacklevel=4)
        return constant(TensorBase._plain, part._data.astype(bool))
    return part


def _width(part: Any) -> int:
    """How many dimensions a part of the key uses up."""
    if part is None or part is Ellipsis:
        return 0
    return part._data.ndim if isinstance(part, TensorBase) and part._data.dtype.kind == "b" else 1


def _aligned(left: list) -> tuple:
    """Positions in the order of dimensions, None where a dimension has none."""
    parts, dims = [], 0
    for dim, part in left:
        parts += [None] * (dim - dims)
        parts.append(part)
        dims = dim + _width(part)
    return tuple(parts)


def _sliced(x: Any, dim: int, part: slice, always: bool = False) -> Any:
    if not x._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    start, end, step = part.start, part.stop, part.step
    start = 0 if start is None else _index(start)
    end = 2**63 - 1 if end is None else _index(end)
    step = 1 if step is None else _index(step)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    if not always and start == 0 and step == 1 and end >= x._data.shape[dim]:
        return x
    return TENSORS.slice(x, dim, start, end, step)


def _index(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


def _selected(x: Any, dim: int, at: int, place: int) -> Any:
    """Slice `at` of dimension `dim`; `place` is where it stands in the key, which errors call a dimension."""
    if x._data.ndim == 0 and at == 0:
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                         "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")
    size = x._data.shape[dim] if x._data.ndim else 0
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for dimension {place} with size {size}")
    return views.select(x, dim, at)


# ---- x[key] = value

_index_put_ = inplace(put_at)


def setitem(self: Any, key: Any, value: Any) -> None:
    """`self[key] = value`, recorded as a write into a view (CopySlices) or as `index_put_`."""
    if _put_directly(self, key, value):
        return
    given = _given(self, value)
    recorded = bool(grad_mode()) and (self.requires_grad or given.requires_grad)
    if isinstance(key, TensorBase | list) and not _is_tuple(key):  # it is written itself, not a view of it
        check_inplace(self, recorded)
    seen, positions = basic(self, key)
    if seen is self and not presentation.current.guards_views_of_leaves:
        seen = views.alias(self)
    alike = seen._data.shape == given._data.shape
    if given._data.ndim and not (alike or positions):  # before the write is looked at
        given, alike = _spread(given, seen._data.shape), True
    if seen is self:
        check_inplace(self, recorded, whole=True)
    if positions:
        index_put_(seen, positions, given)
    elif alike:
        views.copy_(seen, given)
    else:
        views.fill_(seen, given)


def _put_directly(self: Any, key: Any, value: Any) -> bool:
    """One number at whole positions, where nothing is recorded: what loops that fill a matrix do."""
    if type(value) not in (int, float) or not abs(value) < 6e4:
        return False
    plain = {*map(type, key)} == {int} if type(key) is tuple else type(key) is int
    return plain and write_directly(self, lambda a, number, out: out.__setitem__(key, number), float(value))


def _spread(given: Any, shape: tuple) -> Any:
    """A value for a larger place: leading ones dropped, then expanded, both recorded as torch does."""
    sizes = given._data.shape
    while sizes and sizes[0] == 1:
        sizes = sizes[1:]
    return views.expand(views.view(given, sizes), shape)


def _given(self: Any, value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, bool | int | float) or (hasattr(value, "dtype") and not getattr(value, "ndim", 1)):
        return constant(TensorBase._plain, xp.asarray(value).astype(self._data.dtype))
    raise TypeError(f"can't assign a {type_said(value)} to a {self.type()}")


# ---- arguments as torch takes them


def index_put(self: Any, indices: tuple, values: Any, accumulate: bool = False) -> Any:
    """A copy with `values` at `indices`, or with them added there."""
    return put_at(self, values, tuple(map(_part, indices)), accumulate)


def index_put_(self: Any, indices: tuple, values: Any, accumulate: bool = False) -> Any:
    """In-place `index_put`: writes into `self`, returns `self`."""
    parts = tuple(map(_part, indices))
    fills = len(parts) == 1 and parts[0]._data.dtype.kind == "b" and values._data.size == 1  # read as a number
    if not fills:
        check_overlap(self, values, whole=True)
    return _index_put_(self, values, parts, accumulate)


def gather_of(self: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """The elements that `index` names along `dim`, in the shape of `index`."""
    return gather(self, index, own_dim(self, dim), sparse_grad)


def scatter_of(self: Any, dim: int, index: Any, src: Any = None, *, value: Any = None) -> Any:
    """A copy with elements of `src`, or a number, where `index` says along `dim`."""
    if isinstance(src, TensorBase):
        return scatter(self, index, src, own_dim(self, dim))
    return scatter_value(self, index, own_dim(self, dim), value if src is None else src)


def scatter_add_of(self: Any, dim: int, index: Any, src: Any) -> Any:
    """A copy with elements of `src` added where `index` says along `dim`."""
    return scatter_add(self, index, src, own_dim(self, dim))


def index_select_of(self: Any, dim: int, index: Any) -> Any:
    """The slices `index` along `dim`."""
    return index_select(self, index, own_dim(self, dim))


def index_add_of(self: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """A copy with the slices of `source` added at `index` along `dim`."""
    return index_add(self, index, source, own_dim(self, dim), alpha)


def index_copy_of(self: Any, dim: int, index: Any, source: Any) -> Any:
    """A copy with the slices of `source` written at `index` along `dim`."""
    return index_copy(self, index, source, own_dim(self, dim))


def index_fill_of(self: Any, dim: int, index: Any, value: Any) -> Any:
    """A copy with `value` in the slices `index` along `dim`."""
    if isinstance(value, TensorBase):
        return index_fill_tensor(self, index, value, own_dim(self, dim))
    return index_fill(self, index, own_dim(self, dim), value)


def nonzero(self: Any, *, as_tuple: bool = False) -> Any:
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    found = nonzero_positions(views.unsqueeze(self, 0) if as_tuple and not self._data.ndim else self)
    return views.unbind(found, 1) if as_tuple else found


def take_along_dim(self: Any, indices: Any, dim: Any = None) -> Any:
    """The elements that `indices` names along `dim`; the other dimensions broadcast."""
    require(indices.dtype is dtypes.int64, "torch.take_along_dim(): dtype of indices should be Long but got "
            f"{indices.dtype.scalar_type}")
    if dim is None:
        return gather(self.reshape(-1), indices.reshape(-1), 0)
    require(self.ndim == indices.ndim, "torch.take_along_dim(): input and indices should have the same number of "
            f"dimensions, but got {self.ndim} dimensions for input, and {indices.ndim} dimensions for indices")
    check_dim(dim, self._data.ndim)
    rest = common_shape(*((*t.shape[:dim], 1, *t.shape[dim:][1:]) for t in (self, indices)))
    a, b = (views.expand(t, (*rest[:dim], t.shape[dim], *rest[dim:][1:])) for t in (self, indices))
    return gather(a, TENSORS.remainder_number(b, a.shape[dim] or 1), dim)


def _apart_first(call: Any) -> Any:
    """The in-place twin of an operation that reads other tensors at other places."""
    write = inplace(call)

    def checked(self: Any, *args: Any, **options: Any) -> Any:
        for other in args:
            if isinstance(other, TensorBase):
                check_overlap(self, other, whole=True)
        return write(self, *args, **options)

    checked.__wrapped__ = call  # type: ignore[attr-defined]  # where `help` finds the parameters
    return titled(checked, write.__name__, write.__doc__)


scatter_, scatter_add_, index_add_, index_copy_, put_ = map(
    _apart_first, (scatter_of, scatter_add_of, index_add_of, index_copy_of, put))
index_fill_, masked_scatter_ = inplace(index_fill_of), inplace(masked_scatter)
