"""Reading and writing chosen elements of arrays, with torch's refusals of positions and masks."""

import math

from ...array import add_at, dtypes, in_order, namespace, xp
from ...core.carriers import formula
from ...text.tex import SYMBOLS
from ..checks import check_dim, common_shape, need, require, same_type, torch_says


def _raw(indices: tuple) -> tuple:
    """Indices as a NumPy key, None for a whole dimension."""
    return tuple([slice(None) if i is None else getattr(i, "_data", i) for i in indices])


def _key(self, indices: tuple) -> tuple:
    """A NumPy key that fits. Raises: IndexError in torch's words."""
    key, dim, place = _raw(indices), 0, 0
    for part in key:
        if isinstance(part, slice):
            dim += 1
        elif part.dtype.kind == "b":
            for d, n in enumerate(part.shape):
                need(n == self.shape[dim + d], "mask_shape", list(part.shape), d, list(self.shape), dim + d)
            dim, place = dim + part.ndim, place + part.ndim
        else:
            check_positions(part, self.shape[dim], place, IndexError)
            dim, place = dim + 1, place + 1
    chosen = [(int(p.sum()),) if p.dtype.kind == "b" else p.shape for p in key if not isinstance(p, slice)]
    try:
        xp.broadcast_shapes(*chosen)
    except ValueError:
        raise IndexError(torch_says("index_shapes", ", ".join(str(list(s)) for s in chosen))) from None
    return key


def taken(self, indices: tuple):
    """The chosen elements; what NumPy refuses is looked at again for torch's words."""
    key = _raw(indices)
    try:
        for part in key:
            if not isinstance(part, slice) and not part.size:  # an empty mask fits anywhere, says NumPy
                raise IndexError
        if len(key) == 1 and type(part) is type(self) and (part.dtype.kind == "i" or part.shape == self.shape[:1]):
            return (self.take if part.dtype.kind == "i" else self.compress)(part, 0)  # in a quarter of the time
        return in_order(self[key])
    except IndexError:
        return in_order(self[_key(self, indices)])


def check_positions(index, size: int, dim: int, error: type = RuntimeError, name: str = "") -> None:
    """Raises torch's error for the first position outside; where that is an IndexError with no `name`, -1 is inside."""
    least = -size if error is IndexError and not name else 0
    # `argmin` and `argmax` take a quarter of the time of `min` and `max`
    if index.size and not least <= (flat := index.reshape(-1))[flat.argmin()] <= flat[flat.argmax()] < size:
        bad = index[(index < least) | (index >= size)][0]
        need(False, "position_outside" if size or name else "position_in_nothing", name, bad, dim, size, kind=error)


def check_rows(index, size: int) -> None:
    """Raises torch's error for a position that a table of `size` rows does not have."""
    if index.size and not 0 <= (flat := index.reshape(-1))[flat.argmin()] <= flat[flat.argmax()] < size:
        need(False, "row_outside", bad=index[(index < 0) | (index >= size)].flat[0], rows=size, last=size - 1)


def _write(whole, key, value, add) -> None:
    """Put `value` at `key`, or add it there, once for each time that a place is named."""
    if add:
        add_at(whole, key, value, xp.multiply if add == "multiply" else xp.add)
    else:
        whole[key] = value


def index_put(self, values, indices: tuple, accumulate: bool):
    whole, key = namespace(self).asarray(self).copy(), _key(self, indices)
    try:
        # spread out first: `add.at` loses numbers that it has to repeat for an index of two dimensions
        _write(whole, key, xp.broadcast_to(values, whole[key].shape) if accumulate else values, accumulate)
    except (TypeError, ValueError):
        raise RuntimeError(torch_says("index_put_shapes", list(values.shape), list(whole[key].shape))) from None
    chosen = [p.dtype.kind for p in key if not isinstance(p, slice)]
    if chosen != ["b"] or values.size != 1 or accumulate:  # else a mask and a number: masked_fill
        same_type(self, values, said="index_put_types")
    return whole


def index_back(self, indices: tuple, sizes: tuple):
    whole = namespace(self).zeros(sizes, self.dtype)
    _write(whole, _raw(indices), self, True)  # the forward has seen that they fit
    return whole


# ---- along one dimension


def are_positions(index) -> bool:
    """True for int32 and int64, the types in which torch takes positions."""
    return index.dtype.kind == "i" and index.dtype.itemsize > 2


def grid(index, dim: int) -> tuple:
    """The key that reads `index` along `dim` and every other dimension at its own place."""
    arange, last = namespace(index).arange, index.ndim - 1
    return tuple(index if d == dim else arange(n).reshape(n, *(1,) * (last - d)) for d, n in enumerate(index.shape))


def _along_dim(self, index, dim: int, name: str, word: str, *src) -> tuple:
    """`self`, with at least one dimension, and the checked key of gather and scatter."""
    self, index = self.reshape(self.shape or 1), index.reshape(index.shape or 1)
    index = index if index.size else namespace(self).zeros((0,) * self.ndim, "int64")  # if empty, of any shape
    require(are_positions(index), f"{name}(): Expected dtype int32/int64 for index")
    require(all(x.dtype == self.dtype for x in src), "scatter(): Expected self.dtype to be equal to src.dtype")
    require(self.ndim == index.ndim, f"Index tensor must have the same number of dimensions as {word} tensor")
    dim %= self.ndim
    wrong = [d for d, (n, m) in enumerate(zip(index.shape, self.shape, strict=True)) if n > m and d != dim]
    for x in [x for x in src if x.shape != index.shape]:
        wrong = wrong or any(n > (x.shape[check_dim(d, x.ndim)] if x.ndim else 1) for d, n in enumerate(index.shape))
        require(index.ndim == (x.ndim or 1), "Index tensor must have the same number of dimensions as src tensor")
    if wrong:
        text = f"xpected index {list(index.shape)} to be no larger than self {list(self.shape)} apart from dimension "
        text += "".join([f"{dim}", *(f" and to be no larger size than src {list(x.shape)}" for x in src)])
        raise RuntimeError(f"E{text}" if word == "self" else f"Size does not match at dimension {wrong[0]} e{text}")
    check_positions(index, self.shape[dim], dim)
    return self, grid(index, dim)


def gather(self, index, dim: int, sparse_grad: bool = False):
    flat, key = _along_dim(self, index, dim, "gather", "input")
    return in_order(flat[key]).reshape(index.shape)


def scatter(self, index, src, dim: int, reduce=False):
    is_array = hasattr(src, "dtype")
    if not index.size:
        require(not is_array or src.dtype == self.dtype, "scatter(): Expected self.dtype to be equal to src.dtype")
        return self.copy()
    flat, key = _along_dim(self, index, dim, "scatter", "self", *[src] * is_array)
    whole = flat.copy()
    given = xp.atleast_1d(src)[tuple(map(slice, key[dim].shape))] if is_array else dtypes.fitting(src, self.dtype)
    _write(whole, key, given, reduce)
    return whole.reshape(self.shape)


def _rows(self, index, dim: int, name: str = "index_select") -> tuple:
    """`self` with at least one dimension, and the key of the slices `index` along `dim`."""
    require(index.ndim < 2, f"{name}(): Index is supposed to be a vector", IndexError)
    require(are_positions(index), f"{name}(): Expected dtype int32 or int64 for index")
    self, index = xp.atleast_1d(self), namespace(self).asarray(index).reshape(-1)
    return self, (slice(None),) * (dim % self.ndim) + (index,)


def index_select(self, index, dim: int):
    index = index if self.ndim and index.ndim == 1 and are_positions(index) else _rows(self, index, dim)[1][-1]
    check_rows(index, self.shape[dim] if self.ndim else 1)
    return self.take(index, dim) if self.ndim else self.take(index).reshape(())


def index_write(self, index, source, dim: int, how: str):
    if how == "fill":
        require(index.dtype == "int64", "index_fill_(): Expected dtype int64 for index.", IndexError)
        need(xp.ndim(source) == 0, "filled_value", xp.ndim(source))
        source = dtypes.fitting(source, self.dtype)
    else:
        (_check_added if how == "add" else _check_copied)(self, index, source, dim % (self.ndim or 1))
    whole, key = _rows(self.copy(), index, dim, f"index_{how}_")
    check_positions(namespace(index).asarray(index), whole.shape[dim], dim % whole.ndim,
                    RuntimeError if how == "add" else IndexError, "index_copy_(): " if how == "copy" else "")
    _write(whole, key, source, how == "add")
    return whole.reshape(self.shape)


def _check_added(self, index, source, dim: int) -> None:
    if index.ndim == 1 and are_positions(index) and self.dtype is source.dtype and self.ndim and (
            source.shape == (*self.shape[:dim], index.size, *self.shape[dim + 1 :])):
        return
    name, count, kind = "index_add_():", index.size, dtypes.of(index.dtype).scalar_type
    need(index.ndim < 2, "index_vector", name, index.ndim, kind, list(index.shape))
    require(are_positions(index), f"{name} Expected dtype int32/int64 for index but got: {kind}")
    same_type(self, source, said="index_add_types")
    need(dim < (source.ndim or 1), "index_dim", name, dim, source.ndim)
    fits = count == (source.shape or (1,))[dim]
    require(fits or source.ndim, f"Dimension specified as {dim} but tensor has no dimensions", IndexError)
    need(fits, "index_count", name, count, source.shape[dim:][:1] and source.shape[dim], dim)
    rest = [_but(x, dim) if self.ndim and source.ndim else [*x.shape] for x in (self, source)]
    need(rest[0] == rest[1], "index_source", list(self.shape), list(source.shape))


def _but(x, dim: int) -> list:
    """Its sizes without that of `dim`."""
    return [*x.shape[:dim], *x.shape[dim + 1 :]]


def _check_copied(self, index, source, dim: int) -> None:
    name, count, rank = "index_copy_():", index.size, source.ndim
    require(index.ndim < 2, f"{name} Index should have dimension 1 or 0 (got {index.ndim})", IndexError)
    need(rank or count == 1, "copied_scalar", name, count)
    need(rank in (0, self.ndim) or not self.ndim, "copied_dims", name, rank, self.ndim)
    need(index.dtype == "int64", "copied_index", name, dtypes.of(index.dtype).scalar_type)
    same_type(self, source, said="index_copy_types")
    have, given = (" ".join(map(str, _but(x, dim))) for x in (self, source))
    need(have == given, "copied_slices", name, have, dim, given)
    need(count == (size := (source.shape or (1,))[dim]), "copied_count", name, count, size)


# ---- by mask, or by position in the flattened tensor


def spots(self, index, name: str):
    """Positions in the flattened tensor. Raises: IndexError, or RuntimeError for another type, in torch's words."""
    need(index.dtype == "int64", "long_index", name, dtypes.of(index.dtype).scalar_type)
    wrong = index[(index < -self.size) | (index >= self.size)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {wrong[0]} on a tensor of {self.size} elements.")
    return index


def put(self, index, source, accumulate: bool = False):
    same_type(self, source, said="put_types")
    need(source.size == index.size, "put_count", source.size, index.size)
    whole = self.copy().reshape(-1)
    _write(whole, spots(self, index, "put_").reshape(-1), source.reshape(-1), accumulate)
    return whole.reshape(self.shape)


def masked_select(self, mask):
    require(mask.dtype.kind == "b", "masked_select: expected BoolTensor for mask")
    common_shape(mask.shape, self.shape)
    x, chosen = xp.broadcast_arrays(self, mask)
    return x[chosen]


def masked_scatter(self, mask, source):
    have, given, kind = (dtypes.of(x.dtype).scalar_type for x in (self, source, mask))
    require(have == given, f"masked_scatter: expected self and source to have same dtypes but got{have} and {given}")
    require(kind == "Bool", f"masked_scatter_ only supports boolean masks, but got mask with dtype {kind}")
    common_shape(mask.shape, self.shape)
    whole, mask = (x.copy() for x in xp.broadcast_arrays(self, mask))
    count = int(mask.sum())
    require(source.size >= count, "Number of elements of source < number of ones in mask")
    whole[mask] = source.reshape(-1)[:count]
    return whole


# ---- parts of derivatives


@formula(tex=lambda grad, i, accumulate: SYMBOLS.where(accumulate, grad, SYMBOLS.index_fill(grad, i, 0, 0)))
def kept_outside(F, grad, indices, accumulate: bool):
    """What `index_put` leaves of the gradient: all where it added, 0 where it wrote."""
    return grad if accumulate else F.index_put(grad, F.zeros_as(grad, ()), indices, False)


@formula(tex=lambda g, i, _, accumulate: SYMBOLS.reshape(SYMBOLS.kept_outside(SYMBOLS.flatten(g), i, accumulate)))
def kept_unput(F, grad, index, source, accumulate: bool):
    return grad if accumulate else F.put(grad, index, F.zeros_as(grad, F.sizes(source)), False)


@formula()
def common(F, a, b) -> tuple:
    """The shape in which two tensors meet."""
    return common_shape(tuple(a.shape), tuple(b.shape))


@formula(r"0[\mathrm{{part}}] \leftarrow {0}", 0)
def filled_up(F, grad, sizes: tuple):
    """A vector in the shape `sizes`, zeros where it is too short."""
    return F.reshape(F.cat([grad, F.zeros_as(grad, (math.prod(sizes) - grad.shape[0],))], 0), sizes)
