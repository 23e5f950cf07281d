"""Shape and views: other ways to look at the same numbers, and copies that rearrange them.

A row with `view=True` returns a tensor that shares the storage of its input. The last chapter is
what the engine and the in-place rules need: sum back a broadcast, cast back a type, and read or
write one part of a storage.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
import warnings
from typing import Any

from ..array import dtypes, random
from ..array.backend import HOST, device_of, in_order, move, namespace, reach, strided, strides, xp
from ..array.backend import as_strided as strided_view
from ..core.base import bump, constant
from ..core.carriers import RAW, SYMBOLS, TENSORS, Symbol, formula, phrase, symbol
from ..core.inplace import inplace, stand_in, write_directly
from ..core.modes import grad_mode
from ..core.op import op, shape_mismatch
from ..core.shapes import tensors_in
from ..core.views import check_inference, check_inplace, place_of
from ..text import presentation
from .checks import check_dim, dims_of, implemented, ints, own_dim, require, same_type, titled
from .pointwise import STEP, check_number
from .reduce import common_shape, sum_all, sum_dim, whole_type

_add = xp.add.reduce


def _flat_view(self: Any, shape: tuple) -> Any:
    """`self` in another shape without copying; torch's errors where that is impossible."""
    try:
        y = self.reshape(shape) if self.flags.c_contiguous else self.reshape(shape, copy=False)
        if y.shape != shape and -1 not in shape and min(shape, default=0) < -1:  # to NumPy any negative one is unknown
            return _refuse(self, shape)
        return y
    except ValueError:
        return _refuse(self, shape)


def _refuse(self: Any, shape: tuple) -> Any:
    require(shape.count(-1) < 2, "only one dimension can be inferred")
    for place, n in enumerate(shape):
        require(n > -2, f"invalid shape dimension {n} at index {place} of shape {list(shape)}")
    count = math.prod(n for n in shape if n != -1)
    require(self.size or count or -1 not in shape, f"cannot reshape tensor of 0 elements into shape {list(shape)} "
            "because the unspecified dimension size -1 can be any value and is ambiguous")
    if self.size != count and (-1 not in shape or count == 0 or self.size % count):
        raise presentation.error(RuntimeError, "view_shape",
            f"shape '{list(shape)}' is invalid for input of size {self.size}", shape=shape)
    raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension spans "
                       "across two contiguous subspaces). Use .reshape(...) instead.")


def _squeeze(self: Any, dim: Any) -> Any:
    dims = dim if isinstance(dim, tuple) else (dim,)
    return xp.squeeze(self, tuple(d for d in dims if self.ndim and self.shape[d] == 1))


_ALL = (slice(None),)


def select_part(self: Any, dim: int, index: int) -> Any:
    return self[_ALL * (dim % self.ndim) + (index, ...)]  # `...`: a view, also when 0-d


def slice_part(self: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return self[_ALL * (dim % self.ndim) + (slice(start, end, step),)]


def written(whole: Any, value: Any, part: Any, *how: Any) -> Any:
    """`whole` with `value` in the part that `part(whole, *how)` sees."""
    part(whole, *how)[...] = value
    return whole


def added(whole: Any, value: Any, part: Any, *how: Any) -> Any:
    """`whole` with `value` added to the part that `part(whole, *how)` sees, as often as it sees a place."""
    places = namespace(whole).arange(whole.size).reshape(whole.shape)
    xp.add.at(whole.reshape(-1), part(places, *how), value)
    return whole


@formula(tex=lambda values: -values)
def negated(F: Any, values: tuple) -> tuple:
    return tuple(-v for v in values)


@formula(tex=lambda dims: symbol("dims") ** -1)
def inverse_order(F: Any, dims: tuple) -> tuple:
    """Where each dimension has gone."""
    order = [0] * len(dims)
    for place, dim in enumerate(dims):
        order[dim] = place
    return tuple(order)


def _lengths(size: int, split_size: Any) -> list[int]:
    """How long the pieces of a dimension are."""
    if not isinstance(split_size, int):
        return list(split_size)
    return [min(split_size, size - i) for i in range(0, max(size, 1), split_size or 1)]


def _split(self: Any, split_size: Any, dim: int = 0) -> list:
    parts, lead, stop = [], _ALL * (dim % self.ndim), 0
    for n in _lengths(self.shape[dim], split_size):
        start, stop = stop, stop + n
        parts.append(self[(*lead, slice(start, stop))])
    return parts


@formula(tex=lambda grad, *_: SYMBOLS.cat(grad[0], grad[1], Symbol(r"\ldots")))
def split_back(F: Any, grad: tuple, sizes: tuple, split_size: Any, dim: int) -> Any:
    """The gradients of all pieces side by side; zeros for pieces that nobody used."""
    known, dim = next(g for g in grad if g is not None), dim % len(sizes)
    lengths = _lengths(sizes[dim], split_size)
    parts = [F.zeros_as(known, (*sizes[:dim], n, *sizes[dim + 1 :])) if g is None else g
             for g, n in zip(grad, lengths, strict=True)]
    return F.cat(parts, dim)


@formula(tex=lambda grad, _dim: SYMBOLS.stack(grad[0], grad[1], Symbol(r"\ldots")))
def unbind_back(F: Any, grad: tuple, dim: int) -> Any:
    known = next(g for g in grad if g is not None)
    return F.stack([F.zeros_as(known, known.shape) if g is None else g for g in grad], dim)


def _expand(self: Any, shape: tuple) -> Any:
    full, lead = shape, len(shape) - self.ndim
    if shape and min(shape) < 0:
        if lead > 0 and min(shape[:lead]) < 0:
            n = min(shape[:lead])
            raise RuntimeError(f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing "
                               f"dimension {shape.index(n)}")
        full = tuple(self.shape[i - lead] if n == -1 else n for i, n in enumerate(shape))
    try:
        return spread(self, full)
    except ValueError:
        raise _expand_error(self, shape) from None


def spread(x: Any, shape: tuple) -> Any:
    """`x` seen in a larger shape, stride 0 where it repeats. Raises: ValueError for a shape that does not fit."""
    if x.shape == shape:
        return x[...]
    x = x if isinstance(x, xp.ndarray) else namespace(x).asarray(x)
    lead = len(shape) - x.ndim
    steps = [0] * lead
    for have, n, step in zip(x.shape, shape[lead:], x.strides, strict=True):
        if have not in (1, n):
            raise ValueError("not a larger shape")
        steps.append(step if n == have else 0)
    return strided(x, shape, steps)


def _expand_error(self: Any, shape: tuple) -> Exception:
    lead = len(shape) - self.ndim
    if lead < 0:
        return RuntimeError(f"expand(torch.FloatTensor{{{list(self.shape)}}}, size={list(shape)}): the number of sizes "
                            f"provided ({len(shape)}) must be greater or equal to the number of dimensions in the "
                            f"tensor ({self.ndim})")
    dim = max(i for i in range(lead, len(shape)) if self.shape[i - lead] not in (1, shape[i]))
    return RuntimeError(f"The expanded size of the tensor ({shape[dim]}) must match the existing size "
                        f"({self.shape[dim - lead]}) at non-singleton dimension {dim}.  Target sizes: {list(shape)}.  "
                        f"Tensor sizes: {list(self.shape)}")


def _windows(self: Any, dimension: int, size: int, step: int) -> Any:
    dim = check_dim(dimension, self.ndim)
    most = self.shape[dim] if self.ndim else 1
    require(size >= 0, f"size is {size} but must be >= 0")
    require(size <= most, f"maximum size for tensor at dimension {dim} is {most} but size is {size}")
    require(step > 0, f"step is {step} but must be > 0")
    if not self.ndim:
        return self.reshape(1)[:size]
    windows = xp.lib.stride_tricks.sliding_window_view(self, size, dim, writeable=True)
    return windows[_ALL * dim + (slice(None, None, step),)]


def _diagonal(self: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    first, second = check_dim(dim1, self.ndim), check_dim(dim2, self.ndim)
    require(first != second, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    view = xp.diagonal(self, offset, first, second)
    view.flags.writeable = self.flags.writeable  # NumPy's diagonal is read-only
    return view


def _diag_embed(self: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    n, rank = self.shape[-1] + abs(offset), self.ndim + 1
    sizes = [*self.shape[:-1]]
    for dim in sorted((dim1 % rank, dim2 % rank)):
        sizes.insert(dim, n)
    return written(namespace(self).zeros(sizes, self.dtype), self, _diagonal, offset, dim1, dim2)


def _trace(self: Any) -> Any:
    require(self.ndim == 2, f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return xp.trace(self, dtype=whole_type(self))


@formula(tex=phrase(r"{0:1} \cdot I", 1))
def on_diagonal(F: Any, grad: Any, sizes: tuple) -> Any:
    return F.diagonal_back(F.expand(grad, (min(sizes),)), sizes, 0, 0, 1)


def _matrices(self: Any, name: str) -> Any:
    require(self.ndim >= 2, f"{name}: input tensor must have at least 2 dimensions")
    return self


def memory_order(self: Any) -> list[int]:
    """The dimensions as they lie in memory, the one with the longest steps first."""
    return sorted(range(self.ndim), key=lambda d: -self.strides[d])


def layout(self: Any) -> str:
    """How a copy lies in memory: with the original's order of dimensions, unless it repeats elements."""
    return "C" if self.flags.c_contiguous or 0 in self.strides else "K"


def _twin(self: Any) -> Any:
    return self if isinstance(self, xp.generic) else self.copy(order=layout(self))


def _copied(self: Any, src: Any) -> Any:
    if namespace(src) is not namespace(self):
        src = move(src, device_of(self))
    try:
        return xp.broadcast_to(src, self.shape).astype(self.dtype)
    except ValueError:
        raise shape_mismatch(self, src) from None


def pairs_of(pad: tuple, rank: int) -> list[tuple]:
    """torch's padding, the last dimension first, as `(before, after)` for each of `rank` dimensions."""
    return [(0, 0)] * (rank - len(pad) // 2) + [pad[i : i + 2] for i in range(len(pad) - 2, -1, -2)]


def padded(x: Any, padding: tuple, value: float = 0, after: tuple = ()) -> Any:
    """`x` with `padding` more cells before and `after` more (or as many) behind its last dimensions."""
    if not any(padding) and not any(after):
        return x
    lead, after = x.ndim - len(padding), after or padding
    sizes = x.shape[:lead] + tuple(n + p + q for n, p, q in zip(x.shape[lead:], padding, after, strict=True))
    make = namespace(x)
    whole = make.full(sizes, value, x.dtype) if value else make.zeros(sizes, x.dtype)
    whole[inside(x.shape[lead:], padding)] = x
    return whole


def inside(sizes: tuple, padding: tuple) -> tuple:
    """The key of what lies within the padding."""
    return (..., *(slice(p, p + n) for n, p in zip(sizes, padding, strict=True)))


def _unsqueeze(self: Any, dim: int) -> Any:
    place = dim if dim >= 0 else dim + self.ndim + 1
    return self.reshape(*self.shape[:place], 1, *self.shape[place:])


def _pad(self: Any, pad: tuple, value: Any = 0) -> Any:
    """Cells of `value` around `self`; negative padding crops."""
    pairs, value = pairs_of(pad, self.ndim), dtypes.fitting(value, self.dtype)
    if min(pad, default=0) < 0:
        require(all(n + min(a, 0) + min(b, 0) >= 0 for n, (a, b) in zip(self.shape, pairs, strict=True)),
                "narrow(): length must be non-negative.")
        self = self[tuple(slice(max(-a, 0), n + min(b, 0)) for n, (a, b) in zip(self.shape, pairs, strict=True))]
        pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
    before, after = zip(*pairs, strict=True) if pairs else ((), ())
    return padded(self, before, value, after) if max(pad, default=0) > 0 else self.copy()


def _repeat_back(self: Any, repeats: tuple, sizes: tuple) -> Any:
    full = (1,) * (len(repeats) - len(sizes)) + tuple(sizes)
    split = [n for pair in zip(repeats, full, strict=True) for n in pair]
    return self.reshape(split).sum(axis=tuple(range(0, len(split), 2))).reshape(sizes)


# ---- several tensors into one


def _cat(tensors: list, dim: int = 0) -> Any:
    with contextlib.suppress(TypeError, ValueError):  # why they do not fit is looked at only then
        return in_order(xp.concatenate(tensors, operator.index(dim)))
    for place, x in enumerate(tensors):
        require(x.ndim, f"zero-dimensional tensor (at position {place}) cannot be concatenated")
    parts = [x for x in tensors if x.shape != (0,)]
    if not parts:  # nothing, side by side along whatever dimension
        return tensors[0].copy()
    check_dim(dim, max(x.ndim for x in tensors))
    for place, x in enumerate(parts):
        if x.ndim != parts[0].ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {parts[0].ndim} and {x.ndim}")
        for d, (n, first) in enumerate(zip(x.shape, parts[0].shape, strict=True)):
            if n != first and d != dim % x.ndim:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {first} but "
                                   f"got size {n} for tensor number {place} in the list.")
    return in_order(xp.concatenate(parts, dim))


@formula(tex=phrase("{0:4}[s_k{{:}}s_{{k+1}}]"))
def pieces(F: Any, grad: Any, dim: int, shapes: list) -> list:
    pieces, stop = [], 0
    for shape in shapes:
        if shape == (0,):
            pieces.append(F.zeros_as(grad, shape))
        else:
            start, stop = stop, stop + shape[dim]
            pieces.append(F.slice(grad, dim, start, stop, 1))
    return pieces


def _stack(tensors: list, dim: int = 0) -> Any:
    shape = tensors[0].shape
    check_dim(dim, len(shape) + 1)
    for place, x in enumerate(tensors):
        if x.shape != shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                               f"{list(x.shape)} at entry {place}")
    if not dim and isinstance(tensors[0], HOST):
        return xp.array(tensors)  # in a quarter of the time
    return in_order(xp.stack(tensors, dim))


def _corners(shapes: Any) -> list[tuple]:
    """Where each block on a diagonal begins, `(row, column)`, and where the last one ends."""
    matrices = [(1, 1, *shape)[-2:] for shape in shapes]
    return [(0, 0), *zip(*map(itertools.accumulate, zip(*matrices, strict=True)), strict=True)]


def _block_diag(tensors: list) -> Any:
    corners = _corners(x.shape for x in tensors)
    whole = namespace(tensors[0]).zeros(corners[-1], tensors[0].dtype)
    for x, (top, left), (bottom, right) in zip(tensors, corners, corners[1:], strict=False):
        whole[top:bottom, left:right] = x
    return whole


@formula(tex=phrase("{0:4}[r_k{{:}}r_{{k+1}}, s_k{{:}}s_{{k+1}}]"))
def blocks(F: Any, grad: Any, shapes: list) -> list:
    edges = itertools.pairwise(_corners(shapes))
    parts = [F.slice(F.slice(grad, 0, top, bottom, 1), 1, left, right, 1) for (top, left), (bottom, right) in edges]
    return [F.reshape(part, tuple(shape)) for part, shape in zip(parts, shapes, strict=True)]


# ---- a storage and its parts: `(size, stride, storage_offset)` in elements


def _overlaps(size: tuple, stride: tuple) -> bool:
    """True if two indices may lie on the same element; dimensions are looked at from the smallest step."""
    reach = 0
    for s, n in sorted((s, n) for n, s in zip(size, stride, strict=True) if n > 1):
        if s <= reach:
            return True
        reach += (n - 1) * s
    return False


def _storage_for(x: Any, whole: tuple, part: tuple) -> Any:
    """Zeros in the type of `x`, with room for both places."""
    return namespace(x).zeros(max(reach(*whole), reach(*part)), x.dtype)


def _laid_out(x: Any, whole: tuple, part: tuple) -> Any:
    """A flat storage with room for both places, in which `x` lies at `whole`."""
    return written(_storage_for(x, whole, part), x, strided_view, *whole)


def _take_part(self: Any, whole: tuple, part: tuple) -> Any:
    return strided_view(_laid_out(self, whole, part), *part).copy()


def _put_part(self: Any, src: Any, whole: tuple, part: tuple) -> Any:
    return strided_view(written(_laid_out(self, whole, part), src, strided_view, *part), *whole)


def _add_part(self: Any, whole: tuple, part: tuple) -> Any:
    put = added if _overlaps(*part[:2]) else written
    return strided_view(put(_storage_for(self, whole, part), self, strided_view, *part), *whole)


def _sum_to(self: Any, shape: tuple) -> Any:
    """Sum away the axes that broadcasting added or stretched: `(5, 3, 4)` to `(3, 1)` sums 0 and 2."""
    lead = self.ndim - len(shape)
    if lead > 0:  # no `keepdims`: a reshaped sum would be a view, which a leaf cannot keep
        self = _add(self, 0 if lead == 1 else tuple(range(lead)))
    if self.shape == shape:
        return self
    axes = tuple([i for i, n in enumerate(shape) if n == 1 and self.shape[i] != 1])
    return _add(self, axes, keepdims=True)


# ---- views

view = op("view", _flat_view, view=True,
    self = lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes))
reshape_alias = op("reshape_alias", _flat_view, view=True, **view.row.derivatives)
unsafe_view = op("unsafe_view", lambda self, shape: self.reshape(shape), **view.row.derivatives)
t = op("t", lambda self: self.T, view=True,
    self = lambda F, grad: F.t(grad))
transpose = op("transpose", lambda self, dim0, dim1: self.swapaxes(dim0, dim1) if self.ndim else self[...], view=True,
    self = lambda F, grad, dim0, dim1: F.transpose(grad, dim0, dim1))
permute = op("permute", lambda self, dims: self.transpose(dims), view=True,
    self = lambda F, grad, dims: F.permute(grad, F.inverse_order(dims)))
unsqueeze = op("unsqueeze", _unsqueeze, view=True,
    self = lambda F, grad, dim: F.squeeze_dim(grad, dim))
squeeze = op("squeeze", lambda self: self.squeeze(), view=True, **view.row.derivatives)
squeeze_dim = op("squeeze_dim", _squeeze, view=True, grad_fn="SqueezeBackward1", keeps=("dim",), **view.row.derivatives)
squeeze_dims = op("squeeze_dims", _squeeze, view=True, grad_fn="SqueezeBackward2", keeps=("dim",),
    **view.row.derivatives)
expand = op("expand", _expand, view=True,
    self = lambda F, grad, self_sym_sizes: F.sum_to(grad, self_sym_sizes))
alias = op("alias", lambda self: self[...], view=True,
    self = lambda grad: grad)
select = op("select", select_part, view=True,
    self = lambda F, grad, self_sym_sizes, dim, index: F.select_back(grad, self_sym_sizes, dim, index))
slice_ = op("slice", slice_part, view=True,
    self = lambda F, grad, self_sym_sizes, dim, start, end, step: F.slice_back(
        grad, self_sym_sizes, dim, start, end, step))
diagonal = op("diagonal", _diagonal, view=True,
    self = lambda F, grad, self_sym_sizes, offset, dim1, dim2: F.diagonal_back(
        grad, self_sym_sizes, offset, dim1, dim2))
unfold = op("unfold", _windows, view=True,
    self = lambda F, grad, self_sym_sizes, dimension, size, step: F.unfold_back(
        grad, self_sym_sizes, dimension, size, step))
split = op("split", _split, view="multi", multi=True,
    self = lambda F, grad, self_sym_sizes, split_size, dim: F.split_back(grad, self_sym_sizes, split_size, dim))
split_with_sizes = op("split_with_sizes", lambda self, split_sizes, dim=0: _split(self, split_sizes, dim),
    view="multi", multi=True,
    self = lambda F, grad, self_sym_sizes, split_sizes, dim: F.split_back(grad, self_sym_sizes, split_sizes, dim))
unbind = op("unbind", lambda self, dim=0: [select_part(self, dim, i) for i in range(self.shape[dim])],
    view="multi", multi=True,
    self = lambda F, grad, dim: F.unbind_back(grad, dim))
as_strided = op("as_strided", lambda self, size, stride, storage_offset, whole, part: strided_view(
        self, size, stride, storage_offset),
    view=True, keeps=("size", "stride", "storage_offset"), hidden=("whole", "part"),
    self = lambda F, grad, whole, part: F.add_part(grad, whole, part))

# ---- several tensors into one

cat = op("cat", _cat, hidden=("shapes",),
    tensors = lambda F, grad, dim, shapes: F.pieces(grad, dim, shapes))
stack = op("stack", _stack,
    tensors = lambda F, grad, dim: F.unbind(grad, dim))
block_diag_of = op("block_diag", _block_diag, hidden=("shapes",),
    tensors = lambda F, grad, shapes: F.blocks(grad, shapes))

# ---- copies

clone = op("clone", _twin,
    self = lambda grad: grad)
copy = op("copy", _copied, torch_name="torch::autograd::CopyBackwards", grad_fn="CopyBackwards", elementwise=True,
    self = lambda F, grad: F.zeros_like(grad),
    src  = lambda grad: grad)
contiguous_copy = op("contiguous_copy", lambda self: self.copy(), grad_fn="CloneBackward0", **clone.row.derivatives)
to_copy = op("to_copy", lambda self, kind, place=None, home=None: move(self, place).astype(kind, layout(self)),
    elementwise=True, hidden=("home",),
    self = lambda F, grad, home: F.moved(grad, home))
repeat = op("repeat", lambda self, repeats: xp.tile(self, repeats),
    self = lambda F, grad, repeats, self_sym_sizes: F.repeat_back(grad, repeats, self_sym_sizes))
flip = op("flip", lambda self, dims: xp.flip(self, dims if self.ndim else None).copy(),
    self = lambda F, grad, dims: F.flip(grad, dims))
roll = op("roll", lambda self, shifts, dims: xp.roll(self, shifts if dims else shifts[0], dims or None).copy(),
    self = lambda F, grad, shifts, dims: F.roll(grad, F.negated(shifts), dims))
rot90 = op("rot90", lambda self, k, dims: xp.rot90(self, k, dims).copy(),
    self = lambda F, grad, k, dims: F.rot90(grad, -k, dims))
tril = op("tril", lambda self, diagonal=0: xp.tril(_matrices(self, "tril"), diagonal),
    self = lambda F, grad, diagonal: F.tril(grad, diagonal))
triu = op("triu", lambda self, diagonal=0: xp.triu(_matrices(self, "triu"), diagonal),
    self = lambda F, grad, diagonal: F.triu(grad, diagonal))
diagonal_copy = op("diagonal_copy", lambda self, offset=0, dim1=0, dim2=1: xp.diagonal(self, offset, dim1, dim2).copy(),
    grad_fn="DiagonalBackward0_copy", **diagonal.row.derivatives)
diag_embed = op("diag_embed", _diag_embed,
    self = lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2))
trace = op("trace", _trace,
    self = lambda F, grad, self_sym_sizes: F.on_diagonal(grad, self_sym_sizes))
diagonal_scatter = op("diagonal_scatter", lambda self, src, offset=0, dim1=0, dim2=1: written(
        self.copy(), src, _diagonal, offset, dim1, dim2),
    self = lambda F, grad, offset, dim1, dim2: F.diagonal_scatter(grad, F.zeros_as(grad, ()), offset, dim1, dim2),
    src  = lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2))
constant_pad_nd = op("constant_pad_nd", _pad,
    self = lambda F, grad, pad: F.constant_pad_nd(grad, F.negated(pad)))

# ---- what derivatives need, with derivatives of its own

select_back = op("select_back", lambda self, sizes, dim, index: written(
        namespace(self).zeros(sizes, self.dtype), self, select_part, dim, index), grad_fn="SelectBackwardBackward0",
    self = lambda F, grad, dim, index: F.select(grad, dim, index))
slice_back = op("slice_back", lambda self, sizes, dim, start, end, step: written(
        namespace(self).zeros(sizes, self.dtype), self, slice_part, dim, start, end, step),
    grad_fn="SliceBackwardBackward0",
    self = lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step))
diagonal_back = op("diagonal_back", lambda self, sizes, offset, dim1, dim2: written(
        namespace(self).zeros(sizes, self.dtype), self, _diagonal, offset, dim1, dim2),
    grad_fn="DiagonalBackwardBackward0", **diag_embed.row.derivatives)
unfold_back = op("unfold_back", lambda self, sizes, dimension, size, step: added(
        namespace(self).zeros(sizes, self.dtype), self, _windows, dimension, size, step),
    grad_fn="UnfoldBackwardBackward0",
    self = lambda F, grad, dimension, size, step: F.unfold(grad, dimension, size, step))
repeat_back = op("repeat_back", _repeat_back, grad_fn="SumBackward1",
    self = lambda F, grad, repeats: F.repeat(grad, repeats))
take_part = op("take_part", _take_part, grad_fn="AsStridedBackward0", **as_strided.row.derivatives)
add_part = op("add_part", _add_part, grad_fn="AsStridedBackwardBackward0",
    self = lambda F, grad, whole, part: F.take_part(grad, whole, part))
put_part = op("put_part", _put_part, grad_fn="CopySlices", torch_name="torch::autograd::CopySlices",
    self = lambda F, grad, whole, part: F.put_part(grad, F.take_part(grad, whole, part) * 0, whole, part),
    src  = lambda F, grad, whole, part: F.take_part(grad, whole, part))
sum_to = op("sum_to", _sum_to, grad_fn="SumBackward1", **sum_all.row.derivatives)


def reshape(self: Any, shape: tuple) -> Any:
    """A view where the strides allow one, else a copy: `ViewBackward0` or `UnsafeViewBackward0`."""
    try:
        return (view if self._data.flags.c_contiguous else reshape_alias)(self, shape)
    except RuntimeError as refused:
        if "Use .reshape" not in str(refused):
            raise
    return unsafe_view(contiguous_copy(self), shape)


def contiguous(self: Any, memory_format: Any = None) -> Any:
    """Itself where its elements lie in order, else a copy that does."""
    return self if self.is_contiguous() else contiguous_copy(self)


RAW.reshape, TENSORS.reshape = (lambda x, shape: x.reshape(shape)), reshape
RAW.cast = lambda x, kind: x.astype(kind)
TENSORS.cast = lambda x, kind: x if x._data.dtype == kind else to_copy(x, kind)
RAW.moved, TENSORS.moved = move, lambda grad, place: grad if place is None else grad.to(place)
RAW.zeros_like, TENSORS.zeros_like = xp.zeros_like, lambda like: TENSORS.zeros_as(like, like.shape)
RAW.zeros_as = lambda like, shape: namespace(like).zeros(shape, like.dtype)
TENSORS.zeros_as = lambda like, shape: constant(like._plain, RAW.zeros_as(like._data, shape))
TENSORS.copy_of = lambda grad: copy(TENSORS.zeros_as(grad, grad.shape), grad)


# ---- arguments as torch takes them

T_WARNING = ("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
             "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute("
             "*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")


def view_of(self: Any, *size: Any) -> Any:
    """The same elements in another shape, never copied; one size may be -1.

    Raises: RuntimeError if the number of elements or the strides do not allow it.
    """
    if len(size) == 1 and isinstance(size[0], dtypes.dtype):
        return self._alias(self._array().view(size[0].np), self._shared_counter())  # the same bytes, no history
    return view(self, ints(size))


def reshape_of(self: Any, *size: Any, shape: Any = None) -> Any:
    """The same elements in another shape: a view where possible, else a copy."""
    return reshape(self, ints(size) if shape is None else ints((shape,)))


def view_as(self: Any, other: Any) -> Any:
    return view(self, other._data.shape)


def reshape_as(self: Any, other: Any) -> Any:
    return reshape(self, other._data.shape)


def flatten(self: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions `start_dim` to `end_dim` as one; itself if there is nothing to do."""
    sizes = self._data.shape
    if not sizes:
        return view(self, (1,))
    first, last = (check_dim(d, len(sizes)) for d in (start_dim, end_dim))
    require(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return self
    return reshape(self, (*sizes[:first], math.prod(sizes[first : last + 1]), *sizes[last + 1 :]))


def ravel(self: Any) -> Any:
    return view(contiguous(self), (-1,))


def unflatten(self: Any, dim: int, sizes: Any) -> Any:
    """Dimension `dim` as several."""
    old, dim, sizes = self._data.shape, check_dim(dim, self._data.ndim), ints((sizes,))
    count = math.prod(sizes)
    require(count == old[dim] if -1 not in sizes else count and not old[dim] % count,
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({old[dim]}) in the "
            "input tensor")
    return view(self, (*old[:dim], *sizes, *old[dim + 1 :]))


def t_of(self: Any) -> Any:
    """The transpose of a matrix; vectors and 0-d tensors as they are. Raises: RuntimeError above 2-d."""
    if self._data.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self._data.ndim}D")
    return t(self)


def transpose_of(self: Any, dim0: int, dim1: int) -> Any:
    """Dimensions `dim0` and `dim1` swapped; a view."""
    return transpose(self, own_dim(self, dim0), own_dim(self, dim1))


def permute_of(self: Any, *order: Any, dims: Any = None) -> Any:
    """Dimensions in another order; a view."""
    order = ints(order if dims is None else (dims,))
    if len(order) != self._data.ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                           f"the desired ordering of dimensions i.e. input.dim() = {self._data.ndim} is not equal to "
                           f"len(dims) = {len(order)}")
    places = [check_dim(d, self._data.ndim) for d in order]
    require(len(set(places)) == len(places), "permute(): duplicate dims are not allowed.")
    return permute(self, order)


def movedim(self: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places, the rest in order."""
    rank, source, destination = self._data.ndim, list(ints((source,))), list(ints((destination,)))
    require(len(source) == len(destination), f"movedim: Invalid source or destination dims: source ({source} dims) "
            f"should contain the same number of dims as destination ({destination} dims)")
    old, new = ([check_dim(d, rank) for d in dims] for dims in (source, destination))
    require(len({*old}) == len(old), f"movedim: repeated dim in `source` ({source})")
    require(len({*new}) == len(new), f"movedim: repeated dim in `destination` ({destination})")
    if not rank:
        return alias(self)
    order = [d for d in range(rank) if d not in old]
    for place, dim in sorted(zip(new, old, strict=True)):
        order.insert(place, dim)
    return permute(self, tuple(order))


def unsqueeze_of(self: Any, dim: int) -> Any:
    """A dimension of length 1 put in at `dim`; a view."""
    check_dim(dim, self._data.ndim + 1)
    return unsqueeze(self, dim)


def squeeze_of(self: Any, dim: Any = None) -> Any:
    """Without the dimensions of length 1, or without dimension `dim` if its length is 1; a view."""
    if dim is None:
        return squeeze(self)
    if isinstance(dim, tuple | list):
        return squeeze_dims(self, dims_of(self, dim))
    return squeeze_dim(self, own_dim(self, dim))


def expand_of(self: Any, *sizes: Any, size: Any = None) -> Any:
    """Dimensions of length 1 seen as longer ones, without a copy; -1 keeps a length."""
    return expand(self, ints(sizes if size is None else (size,)))


def expand_as(self: Any, other: Any) -> Any:
    return expand(self, other._data.shape)


def select_of(self: Any, dim: int, index: int) -> Any:
    """Slice `index` of dimension `dim`, which goes away; a view."""
    sizes = self._data.shape
    require(sizes, "select() cannot be applied to a 0-dim tensor.", IndexError)
    size = sizes[check_dim(dim, len(sizes))]
    require(-size <= index < size, f"select(): index {index} out of range for tensor of size {list(sizes)} "
            f"at dimension {dim}", IndexError)
    return select(self, dim, index)


def narrow(self: Any, dim: int, start: int, length: int) -> Any:
    """`length` slices of dimension `dim` from `start` on; a view."""
    require(self._data.ndim, "narrow() cannot be applied to a 0-dim tensor.")
    size = self._data.shape[check_dim(dim, self._data.ndim)]
    require(length >= 0, "narrow(): length must be non-negative.")
    require(-size <= start <= size, "start out of range (expected to be in range of "
            f"[{-size}, {size}], but got {start})", IndexError)
    start = start + size if start < 0 else start
    require(start + length <= size, f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return slice_(self, dim, start, start + length, 1)


def split_of(self: Any, split_size_or_sections: Any, dim: int = 0) -> tuple:
    """Pieces of a length, or of given lengths, along `dim`; views."""
    require(self._data.ndim, "split expects at least a 1-dimensional tensor")
    size, parts = self._data.shape[check_dim(dim, self._data.ndim)], split_size_or_sections
    if isinstance(parts, int):
        require(parts >= 0, f"split expects split_size be non-negative, but got split_size={parts}")
        require(parts or not size, f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        return split(self, parts, dim)
    parts = ints((parts,))
    require(min(parts, default=0) >= 0, "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(parts)}")
    require(sum(parts) == size, f"split_with_sizes expects split_sizes to sum exactly to {size} (input "
            f"tensor's size at dimension {dim}), but got split_sizes={list(parts)}")
    return split_with_sizes(self, parts, dim)


def chunk(self: Any, chunks: int, dim: int = 0) -> tuple:
    """At most `chunks` pieces of equal length along `dim`; views."""
    require(self._data.ndim, "chunk expects at least a 1-dimensional tensor")
    require(chunks > 0, f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = self._data.shape[check_dim(dim, self._data.ndim)]
    return split(self, -(-length // chunks) or [0] * chunks, dim)


def unbind_of(self: Any, dim: int = 0) -> tuple:
    """The slices of dimension `dim`, without it; views."""
    require(self._data.ndim, "Dimension specified as 0 but tensor has no dimensions", IndexError)
    return unbind(self, own_dim(self, dim))


def as_strided_of(self: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """The storage of `self` seen with another size, stride and offset, all in elements."""
    size, stride, whole = tuple(size), tuple(stride), place_of(self)
    part = (size, stride, whole[2] if storage_offset is None else storage_offset)
    return as_strided(self, size, stride, storage_offset, whole, part)


def repeat_of(self: Any, *repeats: Any) -> Any:
    """The tensor copied side by side, `repeats` times along each dimension."""
    repeats, sizes = ints(repeats), self._data.shape
    require(len(repeats) >= len(sizes), "Number of dimensions of repeat dims can not be smaller than number of "
            "dimensions of tensor")
    if min(repeats, default=0) < 0:
        full = [n * size for n, size in zip(repeats, (1,) * (len(repeats) - len(sizes)) + sizes, strict=True)]
        bad = next((n for n in full if n < 0), None)  # none, where there is nothing to repeat
        require(bad is None, f"Trying to create tensor with negative dimension {bad}: {full}")
    return repeat(self, repeats)


def tile(self: Any, *dims: Any) -> Any:
    """As `repeat`; missing leading repeats are 1."""
    given = ints(dims)
    return repeat(self, (1,) * (self._data.ndim - len(given)) + given)


def flip_of(self: Any, *order: Any, dims: Any = None) -> Any:
    """Elements in reverse order along `dims`."""
    require(order or dims is not None, 'flip() missing 1 required positional arguments: "dims"', TypeError)
    return flip(self, dims_of(self, ints(order or (dims,))))


def roll_of(self: Any, shifts: Any, dims: Any = ()) -> Any:
    """Elements moved along `dims`, those that fall off come in at the other end."""
    shifts, dims = ints((shifts,)), ints((() if dims is None else dims,))
    require(len(shifts) == (len(dims) or 1),
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    require(self._data.ndim or not dims, f"Dimension specified as {dims and dims[0]} but tensor has no dimensions",
            IndexError)
    return roll(self, shifts, tuple(own_dim(self, d) for d in dims))


def rot90_of(self: Any, k: int = 1, dims: Any = (0, 1)) -> Any:
    """Turned by 90 degrees `k` times in the plane `dims`."""
    require(len(dims) == 2, f"expected total rotation dims == 2, but got dims = {len(dims)}")
    return rot90(self, k, dims_of(self, dims))


def diag(self: Any, diagonal: int = 0) -> Any:
    """A vector on the diagonal of a matrix, or the diagonal of a matrix as a vector."""
    require(0 < self._data.ndim < 3, f"diag(): Supports 1D or 2D tensors. Got {self._data.ndim}D")
    return diag_embed(self, diagonal) if self._data.ndim == 1 else diagonal_copy(self, diagonal)


def clone_of(self: Any, *, memory_format: Any = None) -> Any:
    """A copy that is recorded: gradients flow back to the original."""
    return contiguous_copy(self) if memory_format is dtypes.contiguous_format else clone(self)


# ---- several tensors side by side, repeated or taken apart


def _tensors(given: tuple) -> tuple:
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], tuple | list) else given


def _at_least(rank: int, *place: int) -> Any:
    """atleast_1d, _2d and _3d: `place` says where each missing dimension goes, for a vector first."""

    def at_least(*tensors: Any) -> Any:
        made = tuple(map(grown, _tensors(tensors)))
        return made[0] if len(tensors) == 1 and hasattr(tensors[0], "_data") else made

    def grown(t: Any) -> Any:
        if not t._data.ndim:
            return reshape(t, (1,) * rank)
        for dim in place[t._data.ndim - 1 :]:
            t = unsqueeze(t, dim)
        return t

    return titled(at_least, f"atleast_{rank}d", f"The tensors with at least {rank} dimensions.")


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2, 0), _at_least(3, 0, -1)


def _stacked(name: str, grown: Any, dim: int, doc: str) -> Any:
    def stacked(tensors: Any) -> Any:
        parts = grown(tensors_in(name, tensors))
        return cat(parts, min(dim, parts[0]._data.ndim - 1))

    return titled(stacked, name, doc)


hstack = _stacked("hstack", atleast_1d, 1, "Side by side: vectors end to end, matrices along their columns.")
vstack = _stacked("vstack", atleast_2d, 0, "One above the other.")
dstack = _stacked("dstack", atleast_3d, 2, "One behind the other, along the third dimension.")


def column_stack(tensors: Any) -> Any:
    """Vectors as columns of a matrix."""
    parts = tensors_in("column_stack", tensors)
    return cat([reshape(t, (t.numel(), 1)) if t._data.ndim < 2 else t for t in parts], 1)


def block_diag(*tensors: Any) -> Any:
    """Matrices along the diagonal of a larger one, zeros elsewhere."""
    return block_diag_of(tensors)


def repeat_interleave(self: Any, repeats: Any = None, dim: Any = None, *, output_size: int | None = None) -> Any:
    """Each element (or slice along `dim`) `repeats` times in a row; of `repeats` alone, 0 .. n-1."""
    if repeats is None:
        require(self._data.ndim == 1, "repeat_interleave only accept 1D vector as repeat")
        self, repeats = constant(self._plain, xp.arange(self.numel(), dtype=self._data.dtype)), self
    if dim is None:
        self, dim = flatten(self), 0
    dim, sizes = check_dim(dim, self._data.ndim), self._data.shape
    if hasattr(repeats, "_data"):
        require(repeats._data.ndim < 2, "repeats must be 0-dim or 1-dim tensor")
        implemented("repeat_interleave_cpu", repeats._data, "i")
        require(repeats._data.size in (1, sizes[dim]), "repeats must have the same size as input along dim, but got "
                f"repeats.size(0) = {repeats._data.size} and input.size({dim}) = {sizes[dim]}")
        require((repeats._data >= 0).all(), "repeats can not be negative")
        at = xp.repeat(xp.arange(sizes[dim]), repeats._data)
        return TENSORS.index_select(self, constant(self._plain, at), dim)
    (repeats,) = ints((repeats,))
    require(repeats >= 0, "Repeats must be non-negative")
    spread_out = expand(unsqueeze(self, dim + 1), (*sizes[: dim + 1], repeats, *sizes[dim + 1 :]))
    return flatten(clone(spread_out), dim, dim + 1)


def diff(self: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The difference of each element from the one before, `n` times over."""
    require(self._data.ndim, "diff expects input to be at least one-dimensional")
    require(n >= 0, f"order must be non-negative but got {n}")
    given = [t for t in (prepend, self, append) if t is not None]
    require({t.ndim for t in given} == {self.ndim}, "diff expects prepend or append to be the same dimension as input")
    self = TENSORS.copy_of(self) if n == 0 else cat(given, dim) if len(given) > 1 else self
    minus = TENSORS.logical_xor if self._data.dtype.kind == "b" else TENSORS.sub
    for _ in range(n):
        size = self._data.shape[own_dim(self, dim)]
        self = minus(slice_(self, dim, 1, size, 1), slice_(self, dim, 0, size - 1, 1))
    return self


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple:
    """The grid that vectors span: one tensor each, which varies along its own dimension only."""
    parts = tensors_in("meshgrid", _tensors(tensors))
    require(indexing in (None, "ij", "xy"), "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: "
            f"{indexing}")
    if indexing is None:
        warnings.warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
                      "argument.", UserWarning, stacklevel=2)
    if indexing == "xy" and len(parts) > 1:
        grid = meshgrid(parts[1], parts[0], *parts[2:], indexing="ij")
        return (grid[1], grid[0], *grid[2:])
    same_type(*(t._data for t in parts), said="meshgrid expects all tensors to have the same dtype")
    matrix = next((t for t in parts if t._data.ndim > 1), None)
    if matrix is not None:
        raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {matrix}")
    sizes = tuple(t.numel() for t in parts)
    lone = [tuple(n if i == place else 1 for i, n in enumerate(sizes)) for place in range(len(sizes))]
    return tuple(expand(view(t, shape), sizes) for t, shape in zip(parts, lone, strict=True))


def cartesian_prod(*tensors: Any) -> Any:
    """Every combination of the elements of the vectors, one row each."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([flatten(g) for g in meshgrid(*tensors, indexing="ij")], 1)


def combinations(self: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Every choice of `r` elements of a vector, one row each."""
    places = xp.meshgrid(*[xp.arange(self.numel())] * r, indexing="ij")
    ordered = xp.less_equal if with_replacement else xp.less
    chosen = xp.logical_and.reduce([ordered(a, b) for a, b in itertools.pairwise(places)])
    mask = constant(self._plain, namespace(self._data).asarray(chosen))
    return stack([TENSORS.masked_select(g, mask) for g in meshgrid(*[self] * r, indexing="ij")], 1)


def broadcast_tensors(*tensors: Any) -> tuple:
    """All tensors expanded to the shape in which they meet."""
    parts = _tensors(tensors)
    sizes = common_shape(*(t._data.shape for t in parts))
    return tuple(expand(t, sizes) for t in parts)


def tensor_split(self: Any, indices_or_sections: Any, dim: int = 0) -> tuple:
    """Slices along `dim`: so many of nearly equal length, or cut at the given places."""
    require(self._data.ndim, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    size, cuts = self._data.shape[own_dim(self, dim)], indices_or_sections
    if hasattr(cuts, "_data"):
        cuts = cuts.tolist()
    if hasattr(cuts, "__index__"):
        require(cuts > 0, f"number of sections must be larger than 0, got {cuts}")
        short, longer = divmod(size, cuts)
        cuts = [i * short + min(i, longer) for i in range(1, cuts)]
    return tuple(slice_(self, dim, a, b, 1) for a, b in itertools.pairwise([0, *ints((cuts,)), size]))


def fliplr(self: Any) -> Any:
    """The columns in reverse order."""
    require(self._data.ndim > 1, "Input must be >= 2-d.")
    return flip(self, (1,))


def flipud(self: Any) -> Any:
    """The rows in reverse order."""
    require(self._data.ndim, "Input must be >= 1-d.")
    return flip(self, (0,))


def mT(self: Any, name: str = "mT") -> Any:
    """The last two dimensions swapped; a view."""
    require(self._data.ndim >= 2, f"tensor.{name} is only supported on matrices or batches of matrices. Got "
            f"{self._data.ndim}-D tensor.")
    return transpose(self, -2, -1)


def adjoint(self: Any) -> Any:
    """The last two dimensions swapped; a view."""
    return mT(self, "adjoint()") if self._data.ndim else alias(self)


def sum_to_size(self: Any, *size: Any) -> Any:
    """Sum away what broadcasting would have added to reach this shape from `size`."""
    return _sum_to_shape(self, ints(size))


def _sum_to_shape(self: Any, shape: tuple) -> Any:
    if not shape:
        return sum_all(self)
    have = self._data.shape
    lead = len(have) - len(shape)
    dims = tuple([i for i, n in enumerate(have) if i < lead or (shape[i - lead] == 1 and n != 1)])
    small = sum_dim(self, dims, True) if dims else self
    return view(small, shape) if lead else small


TENSORS.sum_to = _sum_to_shape  # under create_graph, as torch composes it


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Powers of a vector as columns, the highest first."""
    require(x._data.ndim == 1, "x must be a one-dimensional tensor.")
    count = x.numel() if N is None else N
    require(count >= 0, "N must be non-negative.")
    x = x if x._data.dtype.kind == "f" else TENSORS.cast(x, dtypes.int64.np)
    result = TENSORS.zeros_as(x, (x.numel(), count))
    _fill_(slice_(result, 1, 0, 1, 1), 1)
    if count > 1:
        copy_(slice_(result, 1, 1, 2**63 - 1, 1), unsqueeze(x, 1))
        powers = TENSORS.cumprod(slice_(result, 1, 1, 2**63 - 1, 1), 1)
        copy_(slice_(result, 1, 1, 2**63 - 1, 1), powers)
    return result if increasing else flip(result, (1,))


# ---- in place: new looks at the same storage, and values that come from nowhere


def _look(view: Any, *twins: tuple[Any, str]) -> Any:
    """The in-place twin of a view: `self` itself gets the new shape, and torch's other digit."""
    renamed = {c.row.node: type(name, (c.row.node,), {"__slots__": ()}) for c, name in twins}

    def look(self: Any, *args: Any) -> Any:
        recorded = bool(grad_mode()) and self.requires_grad
        check_inplace(self, recorded)
        check_inference(self)
        out = view(stand_in(self), *args)
        self._data = out._data
        bump(self)
        if recorded and out._fn is not None:
            out._fn.__class__ = renamed[type(out._fn)]
            self._fn, self._requires_grad = out._fn, True
            if self._view is not None:  # torch lets a view that was turned keep its own history
                self._view.version = self._counter[0]
        return self

    name = view.__name__.removesuffix("_of")
    return titled(look, f"{name}_", f"In-place `{name}`: `self` gets the new shape, and a new grad_fn.")


t_, transpose_ = _look(t_of, (t, "TBackward1")), _look(transpose_of, (transpose, "TransposeBackward1"))
unsqueeze_ = _look(unsqueeze_of, (unsqueeze, "UnsqueezeBackward1"))
squeeze_ = _look(squeeze_of, (squeeze, "SqueezeBackward3"), (squeeze_dim, "SqueezeBackward4"),
                 (squeeze_dims, "SqueezeBackward5"))


def fill_diagonal_(self: Any, fill_value: Any, wrap: bool = False) -> Any:
    """The main diagonal becomes `fill_value`, in place; with `wrap` it begins anew below a tall matrix's square."""
    sizes = self._data.shape
    require(len(sizes) > 1, "dimensions must larger than 1")
    require(len(sizes) == 2 or len({*sizes}) == 1, "all dimensions of input must be of equal length")
    fill_(as_strided_of(self, (min(sizes),), (sum(strides(self._array())),)), fill_value)
    if wrap and len(sizes) == 2 and sizes[0] > sizes[1] + 1:
        fill_diagonal_(narrow(self, 0, sizes[1] + 1, sizes[0] - sizes[1] - 1), fill_value, True)
    return self


def resize_(self: Any, *size: Any) -> Any:
    """Another shape in place; the first elements stay. Raises: RuntimeError if `self` requires grad."""
    require(not self.requires_grad, "cannot resize variables that require grad")
    sizes, flat = ints(size), self._array().reshape(-1)
    require(min(sizes, default=0) >= 0, "numel: integer multiplication overflow")
    if sizes != self._data.shape:
        count = math.prod(sizes)
        self._data = xp.resize(flat, sizes) if count > flat.size else flat[:count].reshape(sizes)
        bump(self)
    return self


def _drawn(self: Any, draw: Any, *how: Any) -> Any:
    """Random values in the order in which the elements lie in memory, as torch draws them."""
    order = memory_order(self)
    values = draw(tuple(self.shape[d] for d in order), self.dtype, *how)
    return namespace(self).asarray(values.transpose(RAW.inverse_order(order)))


def _tossed(self: Any, p: Any, generator: Any) -> Any:
    """1 with probability `p`, else 0, beside `self` and in its type."""
    return namespace(self).asarray(random.bernoulli(move(p, "cpu"), None, generator).astype(self.dtype))


zero = op("zero", lambda self: xp.zeros_like(self), **STEP)
fill = op("fill", lambda self, value: xp.full_like(self, dtypes.fitting(value, self.dtype)),
    grad_fn="FillBackward2", **STEP)
fill_tensor = op("fill_tensor", lambda self, value: xp.full_like(self, value), grad_fn="FillBackward3", **STEP,
    value = lambda F, grad: F.sum(grad))
normal = op("normal", lambda self, mean, std, generator: _drawn(self, random.normal, mean, std, generator), **STEP)
uniform = op("uniform", lambda self, low, to, generator: _drawn(self, random.uniform, low, to, generator), **STEP)
random_between = op("random_between", lambda self, low, high, generator: _drawn(
        self, random.integers, low, high, generator), grad_fn="RandomBackward0", **STEP)
random_below = op("random_below", lambda self, high, generator: _drawn(
        self, random.integers, None, high, generator), grad_fn="RandomBackward1", **STEP)
bernoulli_draw = op("bernoulli", lambda self, generator=None: _tossed(self, self, generator), **STEP)
bernoulli_values = op("bernoulli_values", lambda self, chance, generator: _tossed(
        self, xp.full(self.shape, chance), generator), grad_fn="BernoulliBackward2", **STEP)

copy_, _zero_ = inplace(copy), inplace(zero)


def zero_(self: Any) -> Any:
    """Every element becomes 0, in place."""
    return self if write_directly(self, lambda a, zero, out: out.fill(zero), 0.0) else _zero_(self)


def fill_(self: Any, value: Any) -> Any:
    """Every element becomes `value`, a number or a 0-d tensor."""
    check_number(value)
    if not hasattr(value, "_data"):
        return _fill_(self, value)
    require(not value._data.ndim, "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value._data.ndim} dimensions.")
    return _fill_tensor_(self, value)


_fill_, _fill_tensor_ = inplace(fill), inplace(fill_tensor)


def random_(self: Any, *bounds: int | None, generator: Any = None) -> Any:
    """Every element a random integer below a bound, or of `[low, high)`, in place; without, all that the type holds."""
    if len(bounds) == 2:
        return _between_(self, *bounds, generator)
    return _below_(self, *bounds or (None,), generator)


def bernoulli(self: Any, *, generator: Any = None) -> Any:
    """1 with the probability that each element says, else 0."""
    implemented("bernoulli_tensor_cpu_p_", self._data)
    return bernoulli_draw(self, generator)


def bernoulli_(self: Any, p: float = 0.5, *, generator: Any = None) -> Any:
    """Every element 1 with probability `p`, else 0, in place."""
    return _bernoulli_(self, p, generator)


def normal_(self: Any, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Any:
    """Every element drawn from the normal distribution, in place."""
    return _normal_(self, mean, std, generator)


def uniform_(self: Any, low: float = 0.0, to: float = 1.0, *, generator: Any = None) -> Any:
    """Every element drawn evenly from `[low, to)`, in place."""
    return _uniform_(self, low, to, generator)


_normal_, _uniform_, _between_, _below_, _bernoulli_ = map(
    inplace, (normal, uniform, random_between, random_below, bernoulli_values))
