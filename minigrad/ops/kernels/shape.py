"""How arrays are seen in another shape, taken apart, put together, and written in parts.

Knows torch's refusals of shapes and sizes. The last chapters work on a storage and its parts, and draw numbers.
"""

import itertools
import math
import operator

from ...array import HOST, as_strided as strided_view, dtypes, in_order, memory_order, move, namespace, random, xp
from ...array.backend import overlaps, reach, spread, strided
from ...core.carriers import RAW, formula
from ...text.tex import SYMBOLS, Symbol, along, number, side_by_side
from ..checks import check_dim, common_shape, implemented, need, require, torch_says
from .reduce import whole_type

_add = xp.add.reduce
_ALL = (slice(None),)

# ---- other shapes of the same numbers


def flat_view(self, shape: tuple):
    """`self` in another shape without copying; torch's errors where that is impossible."""
    try:
        y = self.reshape(shape) if self.flags.c_contiguous else self.reshape(shape, copy=False)
        if y.shape == shape or -1 in shape or min(shape, default=0) > -2:  # to NumPy any negative one is unknown
            return y
    except ValueError:
        pass  # torch's words for it:
    require(shape.count(-1) < 2, "only one dimension can be inferred")
    for place, n in enumerate(shape):
        require(n > -2, f"invalid shape dimension {n} at index {place} of shape {list(shape)}")
    count = math.prod(n for n in shape if n != -1)
    need(self.size or count or -1 not in shape, "reshape_nothing", list(shape))
    fits = self.size == count or (-1 in shape and count and self.size % count == 0)
    need(fits, "view_shape", list(shape), self.size, shape=shape)
    raise RuntimeError(torch_says("view_strides"))


def squeeze(self, dim):
    dims = dim if isinstance(dim, tuple) else (dim,)
    return self.squeeze(tuple([d for d in dims if self.ndim and self.shape[d] == 1]))


def unsqueeze(self, dim: int):
    sizes, place = self.shape, dim if dim >= 0 else dim + self.ndim + 1
    if place == len(sizes) and not self.flags.c_contiguous:  # where NumPy's stride would be the last one's
        return strided(self, (*sizes, 1), (*self.strides, self.itemsize))
    return self.reshape((*sizes[:place], 1, *sizes[place:]))


def expand(self, shape: tuple):
    full, lead = shape, len(shape) - self.ndim
    if shape and min(shape) < 0:
        n = min(shape[: max(lead, 0)], default=0)
        need(n >= 0, "expand_leading", n, n and shape.index(n))
        full = tuple(self.shape[i - lead] if n == -1 else n for i, n in enumerate(shape))
    try:
        return spread(self, full)
    except ValueError:
        kind, wanted, sizes = dtypes.of(self.dtype).tensor_type, list(shape), list(self.shape)
    need(lead >= 0, "expand_rank", kind, sizes, wanted, len(shape), self.ndim)
    dim = max(i for i in range(lead, len(shape)) if sizes[i - lead] not in (1, full[i]))
    need(False, "expand_size", full[dim], sizes[dim - lead], dim, wanted, sizes)


@formula(tex=lambda dims: dims ** -1 if number(dims) is None else Symbol(f"{inverse_order(RAW, number(dims))}"))
def inverse_order(F, dims):
    """Where each dimension has gone; a single one, written as a number, has nowhere to go."""
    return dims if isinstance(dims, int) else tuple(sorted(range(len(dims)), key=lambda d: dims[d] % len(dims)))


def sum_to(self, shape: tuple):
    """Sum away the axes that broadcasting added or stretched: `(5, 3, 4)` to `(3, 1)` sums 0 and 2."""
    lead = self.ndim - len(shape)
    if lead > 0:  # no `keepdims`: a reshaped sum would be a view, which a leaf cannot keep
        self = _add(self, 0 if lead == 1 else tuple(range(lead)))
    if self.shape == shape:
        return self
    return _add(self, tuple([i for i, n in enumerate(shape) if n == 1 and self.shape[i] != 1]), keepdims=True)


def repeat_back(self, repeats: tuple, sizes: tuple):
    full = (1,) * (len(repeats) - len(sizes)) + tuple(sizes)
    split = [n for pair in zip(repeats, full, strict=True) for n in pair]
    return self.reshape(split).sum(axis=tuple(range(0, len(split), 2))).reshape(sizes)


# ---- parts of an array, seen and written


def select_part(self, dim: int, index: int):
    try:
        return self[_ALL * (dim % self.ndim) + (index, ...)]  # `...`: a view, also when 0-d
    except IndexError:
        raise IndexError(torch_says("select_range", index, list(self.shape), dim)) from None


def slice_part(self, dim: int = 0, start=None, end=None, step: int = 1):
    return self[_ALL * (dim % self.ndim) + (slice(start, end, step),)]


def unfold(self, dimension: int, size: int, step: int):
    dim = check_dim(dimension, self.ndim)
    most = self.shape[dim] if self.ndim else 1
    require(size >= 0, f"size is {size} but must be >= 0")
    require(size <= most, f"maximum size for tensor at dimension {dim} is {most} but size is {size}")
    require(step > 0, f"step is {step} but must be > 0")
    if not self.ndim:
        return self.reshape(1)[:size]
    sizes, steps = [*self.shape, size], [*self.strides, self.strides[dim]]
    sizes[dim], steps[dim] = (most - size) // step + 1, steps[dim] * step
    return strided(self, tuple(sizes), steps)


def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1):
    first, second = check_dim(dim1, self.ndim), check_dim(dim2, self.ndim)
    require(first != second, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    view = xp.diagonal(self, offset, first, second)
    view.flags.writeable = self.flags.writeable  # NumPy's diagonal is read-only
    return view


def written(whole, value, part, *how):
    """`whole` with `value` in the part that `part(whole, *how)` sees. Raises: RuntimeError for another size."""
    need(whole.ndim or part is strided_view, "part_of_number", part.__name__[:-5])  # `select`, `slice`
    there = part(whole, *how)
    need(value.shape == there.shape, "scattered_size", list(value.shape), list(there.shape))
    there[...] = value.astype(whole.dtype, copy=False)
    return whole


def slice_scatter(self, src, dim: int, start, end, step: int):
    require(step > 0, "slice step must be positive")
    return written(self.copy(), src, slice_part, check_dim(dim, self.ndim), start, end, step)


def placed(value, sizes: tuple, part, *how):
    """Zeros of shape `sizes`, with `value` in the part that `part(whole, *how)` sees."""
    whole = namespace(value).zeros(sizes, value.dtype)
    part(whole, *how)[...] = value
    return whole


def added(whole, value, part, *how):
    """`whole` with `value` added to the part that `part(whole, *how)` sees, as often as it sees a place."""
    xp.add.at(whole.reshape(-1), part(namespace(whole).arange(whole.size).reshape(whole.shape), *how), value)
    return whole


def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1):
    dims, sizes = sorted(check_dim(dim, self.ndim + 1) for dim in (dim1, dim2)), [*self.shape[:-1]]
    for dim in dims:
        sizes.insert(dim, self.shape[-1] + abs(offset))
    return placed(self, sizes, diagonal, offset, dim1, dim2)


def at_least_2d(self, name: str):
    require(self.ndim >= 2, f"{name}: input tensor must have at least 2 dimensions")
    return in_order(self)


def trace(self):
    require(self.ndim == 2, f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return xp.trace(implemented("trace", self, "iuf"), dtype=whole_type(self))


@formula(r"{0:1} \cdot I", 1)
def on_diagonal(F, grad, sizes: tuple):
    return F.diagonal_back(F.expand(grad, (min(sizes),)), sizes, 0, 0, 1)


# ---- taken apart and put together


def _lengths(size: int, split_size) -> list[int]:
    """How long the pieces of a dimension are."""
    if not isinstance(split_size, int):
        return list(split_size)
    return [min(split_size, size - i) for i in range(0, max(size, 1), split_size or 1)]


def split(self, split_size, dim: int = 0) -> list:
    parts, lead, stop = [], _ALL * (dim % self.ndim), 0
    for n in _lengths(self.shape[dim], split_size):
        start, stop = stop, stop + n
        parts.append(self[(*lead, slice(start, stop))])
    return parts


@formula(tex=lambda grad, _sizes, _lengths, dim: SYMBOLS.cat(side_by_side(grad), dim))
def split_back(F, grad: tuple, sizes: tuple, split_size, dim: int):
    """The gradients of all pieces side by side; zeros for pieces that nobody used."""
    known, dim = next(g for g in grad if g is not None), dim % len(sizes)
    lengths = _lengths(sizes[dim], split_size)
    parts = [F.zeros_as(known, (*sizes[:dim], n, *sizes[dim + 1 :])) if g is None else g
             for g, n in zip(grad, lengths, strict=True)]
    return F.cat(parts, dim)


@formula(tex=lambda grad, dim: SYMBOLS.stack(side_by_side(grad), dim))
def unbind_back(F, grad: tuple, dim: int):
    known = next(g for g in grad if g is not None)
    return F.stack([F.zeros_as(known, known.shape) if g is None else g for g in grad], dim)


def cat(tensors: list, dim: int = 0):
    try:
        return in_order(xp.concatenate(tensors, operator.index(dim)))
    except (TypeError, ValueError):
        pass  # why they do not fit is looked at only then
    for place, x in enumerate(tensors):
        require(x.ndim, f"zero-dimensional tensor (at position {place}) cannot be concatenated")
    parts = [x for x in tensors if x.shape != (0,)]
    if not parts:  # nothing, side by side along whatever dimension
        return tensors[0].copy()
    check_dim(dim, max(x.ndim for x in tensors))
    for place, x in enumerate(parts):
        need(x.ndim == parts[0].ndim, "cat_ranks", parts[0].ndim, x.ndim)
        for d, (n, first) in enumerate(zip(x.shape, parts[0].shape, strict=True)):
            need(n == first or d == dim % x.ndim, "cat_sizes", dim % x.ndim, first, n, place)
    return in_order(xp.concatenate(parts, dim))


@formula(tex=lambda grad, dim, _: Symbol(rf"{SYMBOLS.split(grad, along(dim))}[k]"))
def pieces(F, grad, dim: int, shapes: list) -> list:
    lengths = [0 if shape == (0,) else shape[dim] for shape in shapes]
    return [F.zeros_as(grad, shape) if shape == (0,) else F.slice(grad, dim, end - n, end, 1)
            for shape, n, end in zip(shapes, lengths, itertools.accumulate(lengths), strict=True)]


def stack(tensors: list, dim: int = 0):
    shape = tensors[0].shape
    check_dim(dim, len(shape) + 1)
    for place, x in enumerate(tensors):
        if x.shape != shape:
            need(False, "stack_sizes", list(shape), list(x.shape), place)
    if not dim and isinstance(tensors[0], HOST):
        return xp.array(tensors)  # in a quarter of the time
    return in_order(xp.stack(tensors, dim))


def _corners(shapes) -> list[tuple]:
    """Where each block on a diagonal begins, `(row, column)`, and where the last one ends."""
    matrices = [(1, 1, *shape)[-2:] for shape in shapes]
    return [(0, 0), *zip(*map(itertools.accumulate, zip(*matrices, strict=True)), strict=True)]


def block_diag(tensors: list):
    corners = _corners(x.shape for x in tensors)
    whole = namespace(tensors[0]).zeros(corners[-1], tensors[0].dtype)
    for x, (top, left), (bottom, right) in zip(tensors, corners, corners[1:], strict=False):
        whole[top:bottom, left:right] = x
    return whole


@formula(r"{0:4}[\mathrm{{part}}]")
def blocks(F, grad, shapes: list) -> list:
    edges = itertools.pairwise(_corners(shapes))
    parts = [F.slice(F.slice(grad, 0, top, bottom, 1), 1, left, right, 1) for (top, left), (bottom, right) in edges]
    return [F.reshape(part, tuple(shape)) for part, shape in zip(parts, shapes, strict=True)]


# ---- copies


@formula(tex=lambda values: negated(RAW, known) if isinstance(known := number(values), tuple) else -values)
def negated(F, values: tuple) -> tuple:
    return tuple(-v for v in values)


# ---- padding


def pairs_of(pad: tuple, rank: int) -> list[tuple]:
    """torch's padding, the last dimension first, as `(before, after)` for each of `rank` dimensions."""
    return [(0, 0)] * (rank - len(pad) // 2) + [pad[i : i + 2] for i in range(len(pad) - 2, -1, -2)]


def padded(x, padding: tuple, value: float = 0, after: tuple = ()):
    """`x` with `padding` more cells before and `after` more (or as many) behind its last dimensions."""
    if not any(padding) and not any(after):
        return x
    lead, after = x.ndim - len(padding), after or padding
    sizes = x.shape[:lead] + tuple(n + p + q for n, p, q in zip(x.shape[lead:], padding, after, strict=True))
    make = namespace(x)
    whole = make.full(sizes, value, x.dtype) if value else make.zeros(sizes, x.dtype)
    whole[within_padding(x.shape[lead:], padding)] = x
    return whole


def within_padding(sizes: tuple, padding: tuple) -> tuple:
    """The key of what lies within the padding."""
    return (..., *(slice(p, p + n) for n, p in zip(sizes, padding, strict=True)))


def pad(self, pad: tuple, value=0):
    """Cells of `value` around `self`; negative padding crops."""
    pairs, value = pairs_of(pad, self.ndim), dtypes.fitting(value, self.dtype)
    if min(pad, default=0) < 0:
        need(all(n + min(a, 0) + min(b, 0) >= 0 for n, (a, b) in zip(self.shape, pairs, strict=True)), "narrow_length")
        self = self[tuple(slice(max(-a, 0), n + min(b, 0)) for n, (a, b) in zip(self.shape, pairs, strict=True))]
        pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
    before, after = zip(*pairs, strict=True) if pairs else ((), ())
    return padded(self, before, value, after) if max(pad, default=0) > 0 else self.copy()


# ---- a storage and its parts: `(size, stride, storage_offset)` in elements


def _storage_for(x, whole: tuple, part: tuple):
    """Zeros in the type of `x`, with room for both places."""
    return namespace(x).zeros(max(reach(*whole), reach(*part)), x.dtype)


def _laid_out(x, whole: tuple, part: tuple):
    """A flat storage with room for both places, in which `x` lies at `whole`."""
    return written(_storage_for(x, whole, part), x, strided_view, *whole)


def take_part(self, whole: tuple, part: tuple):
    return strided_view(_laid_out(self, whole, part), *part).copy()


def put_part(self, src, whole: tuple, part: tuple):
    return strided_view(written(_laid_out(self, whole, part), src, strided_view, *part), *whole)


def add_part(self, whole: tuple, part: tuple):
    put = added if overlaps(*part[:2]) else written
    return strided_view(put(_storage_for(self, whole, part), self, strided_view, *part), *whole)


# ---- values that come from nowhere


def drawn(self, draw, *how):
    """Random values in the order in which the elements lie in memory, as torch draws them."""
    order, one_by_one = memory_order(self), draw is random.normal and not self.flags.c_contiguous
    values = draw(tuple(self.shape[d] for d in order), self.dtype, *how, *[True][:one_by_one])
    return namespace(self).asarray(values.transpose(RAW.inverse_order((*order,))))


def tossed(self, p, generator):
    """1 with probability `p`, one or one for each element, else 0; beside `self` and in its type."""
    if xp.ndim(p):
        return namespace(self).asarray(random.bernoulli(move(p, "cpu"), None, generator).astype(self.dtype))
    return drawn(self, lambda shape, _: random.bernoulli(p, shape, generator)).astype(self.dtype)


def normal_mean(mean, std: float, generator):
    """Normal numbers around each element of `mean`."""
    return namespace(mean).asarray(random.normal(mean.shape, mean.dtype, 0.0, std, generator)) + mean


def normal(mean, std, generator):
    """Normal numbers with a deviation for each, around one mean or one for each."""
    require(xp.all(std >= 0), "normal expects all elements of std >= 0.0")
    kind, shape = getattr(mean, "dtype", std.dtype), common_shape(xp.shape(mean), std.shape)
    z = namespace(std).asarray(random.normal(shape, kind, generator=generator))
    return (z * std + mean).astype(kind, copy=False)
