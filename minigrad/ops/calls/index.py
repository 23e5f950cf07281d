"""Indexing as torch takes it.

`x[key]` is taken apart: integers, slices, None and `...` become views, one after the other; what is
left, lists and tensors of positions or a mask, becomes one `index`.
"""

import operator

from ...array import dtypes, xp
from ...core.graph import TensorBase, constant
from ...core.modes import grad_mode, lifted
from ...core.writes.inplace import inplace, write_directly
from ...core.writes.views import check_inplace, check_overlap
from ...text import presentation
from ..checks import check_dim, common_shape, need, own_dim, require, torch_says, type_said
from ..table import index as rows, pointwise, shape as views
from .shape import copy_, fill_

# ---- x[key]


def getitem(x, key):
    """`x[key]`: a view where the key allows one, else a copy of the chosen elements."""
    if key.__class__ is int and x._data.ndim:  # the usual key, without the ceremony
        return _selected(x, 0, key, 0)
    if key.__class__ is slice:
        return _sliced(x, 0, key, always=True)  # alone, even `x[:]` is a slice; in a tuple it is not
    if isinstance(key, TensorBase) and 0 < key._data.ndim <= x._data.ndim and key._data.dtype.char in "?ilq":
        return rows.index(x, (key,))  # positions or a mask, and nothing else
    seen, positions = basic(x, key)
    return rows.index(seen, positions) if positions else views.alias(x) if seen is x else seen


_PLAIN, _WHOLE = {int, slice, type(None)}, slice(None)


def basic(x, key) -> tuple:
    """Apply the view-making parts of `key`; return the view and what is left for `index`."""
    if isinstance(key, TensorBase) and x._data.ndim and not key._data.ndim:
        key = _part(key)  # an int most often, which needs no second look
    parts = tuple(key) if _is_tuple(key) else (key,)
    if isinstance(key, list) and parts[0] is not key:
        presentation.warn("list_as_tuple")
    plain = _PLAIN.issuperset(map(type, parts))
    parts = parts if plain else [*map(_part, parts)]
    consumed = len(parts) - parts.count(None) if plain else sum(map(_width, parts))
    result, dim, positions, reached = x, 0, [], 0
    alone = x._data.ndim == 0 and isinstance(key, (int, slice, xp.integer))
    if consumed > x._data.ndim and not alone:  # else the part itself says what is wrong
        raise IndexError(f"too many indices for tensor of dimension {x._data.ndim}")
    for place, part in enumerate(parts):
        if part is Ellipsis:
            dim += x._data.ndim - consumed  # a second one as well, which leads past the last dimension
        elif part is None:
            result, dim = views.unsqueeze(result, check_dim(dim, result._data.ndim + 1)), dim + 1
        elif part.__class__ is slice:
            result, dim = result if part == _WHOLE else _sliced(result, dim, part), dim + 1
        elif part.__class__ is int:
            result = _selected(result, dim, part, place)
        else:
            if not part._data.ndim and part._data.dtype.kind == "b":  # a dimension of length 1, taken or not
                result, part = views.unsqueeze(result, dim), constant(part._plain, xp.arange(int(part.item())))
            positions += [None] * (dim - reached) + [part]  # None where a dimension has none
            reached = dim = dim + _width(part)
    return result, tuple(positions)


def _is_tuple(key) -> bool:
    """torch reads a short list of lists, tensors, slices, None or `...` as a tuple."""
    return isinstance(key, tuple) or (isinstance(key, list) and len(key) < 32 and any(
        p is None or p is Ellipsis or isinstance(p, (TensorBase, list, tuple, slice)) for p in key))


def _part(part):
    """One part of a key: None, `...`, a slice, an int, or a tensor of positions or bools."""
    if part is None or part is Ellipsis or part.__class__ is slice or part.__class__ is int:
        return part
    if isinstance(part, bool):
        return constant(TensorBase._plain, xp.asarray(part))
    if isinstance(part, TensorBase):
        return _positions(part) if part._data.ndim or part._data.dtype.kind != "i" or lifted.get() else part.item()
    if isinstance(part, (list, tuple, range)) or (hasattr(part, "__array__") and not isinstance(part, xp.floating)):
        array = xp.asarray([_part(p) if isinstance(p, TensorBase) else p for p in part]
                           if isinstance(part, (list, tuple)) else part)
        if not array.ndim and array.dtype.kind in "iu":
            return int(array)
        whole = not array.size or array.dtype.kind == "i"
        return _positions(constant(TensorBase._plain, array.astype("int64") if whole else array))
    if hasattr(part, "__index__"):
        return operator.index(part)
    require(not isinstance(part, str), "new(): invalid data type 'str'", TypeError)
    raise IndexError(torch_says("no_index", type_said(part)))


def _positions(part):
    kind = part._data.dtype
    need(kind.kind in "bu" or (kind.kind == "i" and kind.itemsize > 2), "index_types")
    if kind == dtypes.uint8.np:
        if part._data.ndim:
            presentation.warn("byte_mask")
        return constant(TensorBase._plain, part._data.astype(bool))
    return part


def _width(part) -> int:
    """How many dimensions a part of the key uses up."""
    if part is None or part is Ellipsis:
        return 0
    return part._data.ndim if isinstance(part, TensorBase) and part._data.dtype.kind == "b" else 1


def _sliced(x, dim: int, part: slice, always: bool = False):
    start, end, step = _index(part.start, 0), _index(part.stop, 2**63 - 1), _index(part.step, 1)
    require(step > 0, "step must be greater than zero" if step else "slice step cannot be zero", ValueError)
    need(x._data.ndim, "part_of_number", "slice")
    if not always and start == 0 and step == 1 and (dim >= x._data.ndim or end >= x._data.shape[dim]):
        return x
    return views.slice_(x, dim if dim < x._data.ndim else check_dim(dim, x._data.ndim), start, end, step)


def _index(value, default: int) -> int:
    if value is None:
        return default
    if value.__class__ is not int:
        need(hasattr(value, "__index__"), "slice_index")
    return operator.index(value)


def _selected(x, dim: int, at: int, place: int):
    """Slice `at` of dimension `dim`; `place` is where it stands in the key, which errors call a dimension."""
    size = x._data.shape[dim] if dim < x._data.ndim else 0
    if not -size <= at < size:
        need(x._data.ndim or at, "zero_dim_index")
        raise IndexError(f"index {at} is out of bounds for dimension {place} with size {size}")
    return views.select(x, dim, at)


# ---- x[key] = value

_index_put_ = inplace(rows.put_at)


def setitem(x, key, value) -> None:
    """`x[key] = value`, recorded as a write into a view (CopySlices) or as `index_put_`."""
    if _put_directly(x, key, value):
        return
    given = _given(x, value)
    recorded = bool(grad_mode()) and (x.requires_grad or given.requires_grad)
    if (isinstance(key, list) or (isinstance(key, TensorBase) and key.ndim)) and not _is_tuple(key):  # no view of it
        check_inplace(x, recorded)
    if key is False:
        return
    seen, positions = basic(x, None if key is True else key)
    seen = views.alias(x) if seen is x and not presentation.current.guards_views_of_leaves else seen
    if given._data.ndim and (positions or given._data.shape != seen._data.shape):  # before the write is looked at
        given = _spread(given, None if positions else seen._data.shape)
    if seen is x:
        check_inplace(x, recorded, whole=True)
    if positions:
        index_put_(seen, positions, given)
    else:
        (copy_ if given._data.shape == seen._data.shape else fill_)(seen, given)


def _put_directly(self, key, value) -> bool:
    """One number at whole positions, where nothing is recorded: what loops that fill a matrix do."""
    if type(value) not in (int, float) or not abs(value) < 6e4:
        return False
    plain = {*map(type, key)} == {int} if type(key) is tuple else type(key) is int
    return plain and write_directly(self, lambda a, number, out: out.__setitem__(key, number), float(value))


def _spread(given, shape: tuple | None):
    """A value for a larger place, or for positions: leading ones dropped, then expanded, recorded as torch does."""
    sizes = given._data.shape
    while sizes and sizes[0] == 1:
        sizes = sizes[1:]
    given = given if sizes == given._data.shape and shape is None else views.view(given, sizes)
    return given if shape is None or sizes == shape else views.expand(given, shape)


def _given(self, value):
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, (bool, int, float, xp.integer)):
        number = dtypes.cast if self._data.dtype == "float16" else dtypes.fitting  # as torch: too large is inf there
        return constant(TensorBase._plain, xp.asarray(number(value, self._data.dtype)))
    raise TypeError(f"can't assign a {type_said(value)} to a {self.type()}")


# ---- the named forms


def index_put(self, indices: tuple, values, accumulate: bool = False):
    """A copy with `values` at `indices`, or with them added there."""
    return rows.put_at(self, values, tuple(p if p is None else _positions(p) for p in indices), accumulate)


def index_put_(self, indices: tuple, values, accumulate: bool = False):
    """In-place `index_put`: writes into `self`, returns `self`."""
    parts = tuple(p if p is None else _positions(p) for p in indices)
    if len(parts) != 1 or parts[0]._data.dtype.kind != "b" or values._data.size != 1:  # else it is read as a number
        check_overlap(self, values, whole=True)
    return _index_put_(self, values, parts, accumulate)


def gather(self, dim: int, index, *, sparse_grad: bool = False):
    """The elements that `index` names along `dim`, in the shape of `index`."""
    return rows.gather(self, index, own_dim(self, dim), sparse_grad)


def scatter(self, dim: int, index, src=None, *, value=None, reduce: str | None = None):
    """A copy with elements of `src`, or a number, where `index` says along `dim`; or with them added or multiplied."""
    if reduce is not None:
        require(reduce in ("add", "multiply"), "reduce argument must be either add or multiply.")
        if isinstance(src, TensorBase):
            presentation.warn("scatter_reduce", once=True)
        return rows.scatter_reduced(self, index, value if src is None else src, own_dim(self, dim), reduce)
    return rows.scatter(self, index, src, own_dim(self, dim)) if isinstance(src, TensorBase) else rows.scatter_value(
        self, index, own_dim(self, dim), value if src is None else src)


def scatter_add(self, dim: int, index, src):
    """A copy with elements of `src` added where `index` says along `dim`."""
    return rows.scatter_add(self, index, src, own_dim(self, dim))


def index_select(self, dim: int, index):
    """The slices `index` along `dim`."""
    return rows.index_select(self, index, own_dim(self, dim))


def index_add(self, dim: int, index, source, *, alpha: float = 1):
    """A copy with the slices of `source` added at `index` along `dim`."""
    return rows.index_add(self, index, source, own_dim(self, dim), alpha)


def index_copy(self, dim: int, index, source):
    """A copy with the slices of `source` written at `index` along `dim`."""
    return rows.index_copy(self, index, source, own_dim(self, dim))


def index_fill(self, dim: int, index, value):
    """A copy with `value` in the slices `index` along `dim`."""
    if isinstance(value, TensorBase):
        return rows.index_fill_tensor(self, index, value, own_dim(self, dim))
    return rows.index_fill(self, index, own_dim(self, dim), value)


def nonzero(self, *, as_tuple: bool = False):
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    found = rows.nonzero_positions(views.unsqueeze(self, 0) if as_tuple and not self._data.ndim else self)
    return views.unbind(found, 1) if as_tuple else found


def take_along_dim(self, indices, dim=None):
    """The elements that `indices` names along `dim`; the other dimensions broadcast."""
    need(indices.dtype is dtypes.int64, "take_along_kind", indices.dtype.scalar_type)
    if dim is None:
        return rows.gather(self.reshape(-1), indices.reshape(-1), 0)
    need(self.ndim == indices.ndim, "take_along_dims", self.ndim, indices.ndim)
    check_dim(dim, self._data.ndim)
    rest = common_shape(*((*t.shape[:dim], 1, *t.shape[dim:][1:]) for t in (self, indices)))
    a, b = (views.expand(t, (*rest[:dim], t.shape[dim], *rest[dim:][1:])) for t in (self, indices))
    return rows.gather(a, pointwise.remainder_number(b, a.shape[dim] or 1), dim)


scatter_, scatter_add_, index_add_, index_copy_, put_ = (
    inplace(call, whole=True) for call in (scatter, scatter_add, index_add, index_copy, rows.put))
index_fill_, masked_scatter_ = inplace(index_fill), inplace(rows.masked_scatter)
