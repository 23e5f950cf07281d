"""Shapes as torch takes them, what it composes of views and copies, and what it writes in place."""

import itertools
import math
import operator

from ...array import as_strided as strided_view, dtypes, geometry, move, namespace, ndarray, strides, xp
from ...core.carriers import RAW, TENSORS
from ...core.graph import TensorBase, bump, constant
from ...core.modes import grad_mode, lifted
from ...core.writes.inplace import inplace, stand_in, write_directly
from ...core.writes.views import check_inference, check_inplace, place_of
from ...text.tex import SYMBOLS, phrase
from .. import checks
from ..checks import check_dim, check_number, common_shape, dims_of, ints, is_number, need, own_dim, require, warn
from ..table import reduce, shape as rows

# ---- what formulas ask of tensors as of arrays


def reshape(self, *size, shape=None):
    """The same elements in another shape: a view where the strides allow one, else a copy."""
    shape = ints(size if shape is None else (shape,))
    try:
        return (rows.view if self._data.flags.c_contiguous else rows.reshape_alias)(self, shape)
    except RuntimeError as refused:
        if "Use .reshape" not in str(refused):
            raise
    return rows.unsafe_view(rows.contiguous_copy(self), shape)


def contiguous(self, *, memory_format=None):
    """Itself where its elements lie in order, else a copy that does."""
    return self if self.is_contiguous() else rows.contiguous_copy(self)


RAW.reshape, TENSORS.reshape = (lambda x, shape: x.reshape(shape)), reshape
RAW.cast = lambda x, kind: x.astype(kind)
TENSORS.cast = lambda x, kind: x if x._data.dtype == kind else rows.to_copy(x, kind)
SYMBOLS.reshape, SYMBOLS.moved = phrase(r"\mathrm{{reshape}}\left({0}\right)"), lambda grad, _place: grad
SYMBOLS.zeros_like = SYMBOLS.zeros_as = phrase("0")
RAW.moved, TENSORS.moved = move, lambda grad, place: grad if place is None else grad.to(place)
RAW.zeros_like, TENSORS.zeros_like = xp.zeros_like, lambda like: TENSORS.zeros_as(like, like.shape)
RAW.zeros_as = lambda like, shape: namespace(like).zeros(shape, like.dtype)
TENSORS.zeros_as = lambda like, shape: constant(like._plain, RAW.zeros_as(like._data, shape))
TENSORS.copy_of = lambda grad: rows.copy(TENSORS.zeros_as(grad, grad.shape), grad)

# ---- arguments as torch takes them


def view(self, *sizes, size=None, dtype=None):
    """The same elements in another shape, never copied; one size may be -1.

    Raises: RuntimeError if the number of elements or the strides do not allow it.
    """
    if dtype is not None or (len(sizes) == 1 and isinstance(sizes[0], dtypes.dtype)):
        kind, last = dtype or sizes[0], self.shape[-1] if self.ndim else 0
        types, ratio = (self.dtype.scalar_type, kind.scalar_type), kind.itemsize // self.itemsize or 1
        need(self.ndim or kind.itemsize == self.itemsize, "view_type_of_one", *types)
        need(not last % ratio, "view_type", *types, ratio, last)
        return self._alias(self._array().view(kind.np), self._shared_counter())  # the same bytes, no history
    return rows.view(self, ints(sizes if size is None else (size,)))


def view_as(self, other):
    """As `view`, with the shape of `other`."""
    return rows.view(self, other._data.shape)


def reshape_as(self, other):
    """As `reshape`, with the shape of `other`."""
    return reshape(self, other._data.shape)


def flatten(self, start_dim: int = 0, end_dim: int = -1):
    """Dimensions `start_dim` to `end_dim` as one; itself if there is nothing to do."""
    sizes = self._data.shape
    first, last = (check_dim(d, len(sizes)) for d in (start_dim, end_dim))
    require(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return self if sizes else rows.view(self, (1,))
    return reshape(self, (*sizes[:first], math.prod(sizes[first : last + 1]), *sizes[last + 1 :]))


def ravel(self):
    """All elements along one dimension: a view where they lie in order, else a copy."""
    return rows.view(contiguous(self), (-1,))


def unflatten(self, dim: int, sizes):
    """Dimension `dim` as several."""
    old, dim, sizes = self._data.shape, check_dim(dim, self._data.ndim), ints((sizes,))
    count, n = math.prod(sizes), old[dim]
    need(count == n if -1 not in sizes else count and not n % count, "unflatten", list(sizes), dim, n)
    return rows.view(self, (*old[:dim], *sizes, *old[dim + 1 :]))


def t(self):
    """The transpose of a matrix; vectors and 0-d tensors as they are. Raises: RuntimeError above 2-d."""
    if self._data.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self._data.ndim}D")
    return rows.t(self)


def transpose(self, dim0: int, dim1: int):
    """Dimensions `dim0` and `dim1` swapped; a view."""
    return rows.transpose(self, own_dim(self, dim0), own_dim(self, dim1))


def swapaxes(self, axis0: int, axis1: int):
    """As `transpose`."""
    return transpose(self, axis0, axis1)


def permute(self, *order, dims=None):
    """Dimensions in another order; a view."""
    order, rank = ints(order if dims is None else (dims,)), self._data.ndim
    need(len(order) == rank, "permute_dims", rank, len(order))
    require(len({check_dim(d, rank) for d in order}) == rank, "permute(): duplicate dims are not allowed.")
    return rows.permute(self, order)


def movedim(self, source, destination):
    """Dimensions moved to other places, the rest in order."""
    rank, source, destination = self._data.ndim, list(ints((source,))), list(ints((destination,)))
    need(len(source) == len(destination), "movedim", source, destination)
    old, new = ([check_dim(d, rank) for d in dims] for dims in (source, destination))
    require(len({*old}) == len(old), f"movedim: repeated dim in `source` ({source})")
    require(len({*new}) == len(new), f"movedim: repeated dim in `destination` ({destination})")
    if not rank:
        return rows.alias(self)
    order = [d for d in range(rank) if d not in old]
    for place, dim in sorted(zip(new, old, strict=True)):
        order.insert(place, dim)
    return rows.permute(self, tuple(order))


def unsqueeze(self, dim: int):
    """A dimension of length 1 put in at `dim`; a view."""
    check_dim(dim, self._data.ndim + 1)
    return rows.unsqueeze(self, dim)


def squeeze(self, dim=None):
    """Without the dimensions of length 1, or without dimension `dim` if its length is 1; a view."""
    if dim is None:
        return rows.squeeze(self)
    if isinstance(dim, (tuple, list)):
        return rows.squeeze_dims(self, dims_of(self, dim))
    return rows.squeeze_dim(self, own_dim(self, dim))


def expand(self, *sizes, size=None):
    """Dimensions of length 1 seen as longer ones, without a copy; -1 keeps a length."""
    return rows.expand(self, ints(sizes if size is None else (size,)))


def expand_as(self, other):
    """As `expand`, to the shape of `other`."""
    return rows.expand(self, other._data.shape)


def select(self, dim: int, index: int):
    """Slice `index` of dimension `dim`, which goes away; a view."""
    need(self._data.ndim, "part_of_number", "select")
    return rows.select(self, own_dim(self, dim), index)


def narrow(self, dim: int, start: int, length: int):
    """`length` slices of dimension `dim` from `start` on; a view."""
    require(self._data.ndim, "narrow() cannot be applied to a 0-dim tensor.")
    size = self._data.shape[check_dim(dim, self._data.ndim)]
    require(length >= 0, "narrow(): length must be non-negative.")
    need(-size <= start <= size, "narrow_start", -size, size, start)
    start = start + size if start < 0 else start
    require(start + length <= size, f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return rows.slice_(self, dim, start, start + length, 1)


def split(self, split_size, dim: int = 0) -> tuple:
    """Pieces of a length, or of given lengths, along `dim`; views."""
    require(self._data.ndim, "split expects at least a 1-dimensional tensor")
    size, parts = self._data.shape[check_dim(dim, self._data.ndim)], split_size
    if isinstance(parts, int) or (isinstance(parts, TensorBase) and parts._data.size == 1):
        return rows.split(self, _length_of_parts(int(parts), size), dim)
    need(isinstance(parts, (tuple, list)), "split_kind", checks.type_said(parts))
    parts = ints((parts,))
    need(min(parts, default=0) >= 0, "split_sizes", list(parts))
    need(sum(parts) == size, "split_sum", size, dim, list(parts))
    return rows.split_with_sizes(self, parts, dim)


def unsafe_split(self, split_size: int, dim: int = 0) -> tuple:
    """As split, but its pieces may be written in place: PyTorch does not count them as views."""
    require(self._data.ndim, "split expects at least a 1-dimensional tensor")
    return rows.unsafe_split(self, _length_of_parts(split_size, self._data.shape[check_dim(dim, self._data.ndim)]), dim)


def _length_of_parts(split_size: int, size: int) -> int:
    """Raises: RuntimeError, as torch, for a length that cannot cut `size` places."""
    require(split_size >= 0, f"split expects split_size be non-negative, but got split_size={split_size}")
    need(split_size or not size, "split_zero", size)
    return split_size


def chunk(self, chunks: int, dim: int = 0) -> tuple:
    """At most `chunks` pieces of equal length along `dim`; views."""
    require(self._data.ndim, "chunk expects at least a 1-dimensional tensor")
    require(chunks > 0, f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size, chunks = self._data.shape[check_dim(dim, self._data.ndim)], operator.index(chunks)
    return rows.split(self, -(-size // chunks), dim) if size else rows.split_with_sizes(self, (0,) * chunks, dim)


def unbind(self, dim: int = 0) -> tuple:
    """The slices of dimension `dim`, without it; views."""
    require(self._data.ndim, "Dimension specified as 0 but tensor has no dimensions", IndexError)
    return rows.unbind(self, own_dim(self, dim))


def as_strided(self, size, stride, storage_offset: int | None = None):
    """The storage of `self` seen with another size, stride and offset, all in elements."""
    size, stride, whole = tuple(size), tuple(stride), place_of(self)
    part = (size, stride, whole[2] if storage_offset is None else storage_offset)
    return rows.as_strided(self, size, stride, storage_offset, whole, part)


def repeat(self, *times, repeats=None):
    """The tensor copied side by side, `repeats` times along each dimension."""
    repeats, sizes = ints(times if repeats is None else (repeats,)), self._data.shape
    need(len(repeats) >= len(sizes), "repeat_dims")
    full = [n * size for n, size in zip(repeats, (1,) * (len(repeats) - len(sizes)) + sizes, strict=True)]
    bad = next((n for n in full if n < 0), None)  # none, where there is nothing to repeat
    require(bad is None, f"Trying to create tensor with negative dimension {bad}: {full}")
    return rows.repeat(self, repeats)


def tile(self, *times, dims=None):
    """As `repeat`; missing leading repeats are 1."""
    given = ints(times if dims is None else (dims,))
    return rows.repeat(self, (1,) * (self._data.ndim - len(given)) + given)


def flip(self, *order, dims=None):
    """Elements in reverse order along `dims`."""
    return rows.flip(self, dims_of(self, ints(order or (dims,))))


def roll(self, shifts, dims=()):
    """Elements moved along `dims`, those that fall off come in at the other end."""
    shifts, dims = ints((shifts,)), ints((() if dims is None else dims,))
    need(len(shifts) == (len(dims) or 1), "roll_dims", len(shifts), len(dims))
    need(self._data.ndim or not dims, "no_dimensions", dims and dims[0])
    return rows.roll(self, shifts, tuple(own_dim(self, d) for d in dims))


def rot90(self, k: int = 1, dims=(0, 1)):
    """Turned by 90 degrees `k` times in the plane `dims`."""
    require(len(dims) == 2, f"expected total rotation dims == 2, but got dims = {len(dims)}")
    return rows.rot90(self, k, dims_of(self, dims))


def diag(self, diagonal: int = 0):
    """A vector on the diagonal of a matrix, or the diagonal of a matrix as a vector."""
    require(0 < self._data.ndim < 3, f"diag(): Supports 1D or 2D tensors. Got {self._data.ndim}D")
    return rows.diag_embed(self, diagonal) if self._data.ndim == 1 else rows.diagonal_copy(self, diagonal)


def clone(self, *, memory_format=None):
    """A copy that is recorded: gradients flow back to the original."""
    return rows.contiguous_copy(self) if memory_format is dtypes.contiguous_format else rows.clone(self)


# ---- several tensors side by side, repeated or taken apart


def one_by_one(given: tuple, name: str = "", position: int = 0) -> tuple:
    """Tensors that were given one by one, or in one list; with a `name`, at least one."""
    given = tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    return checks.tensors_in(name, given, position) if given or name else given


def _at_least(rank: int, *place: int):
    """atleast_1d, _2d and _3d: `place` says where each missing dimension goes, for a vector first."""

    def at_least(*tensors):
        made = tuple(map(grown, one_by_one(tensors)))
        return made[0] if len(tensors) == 1 and isinstance(tensors[0], TensorBase) else made

    def grown(t):
        if not t._data.ndim:
            return reshape(t, (1,) * rank)
        for dim in place[t._data.ndim - 1 :]:
            t = rows.unsqueeze(t, dim)
        return t

    return checks.titled(at_least, f"atleast_{rank}d", f"The tensors with at least {rank} dimensions.")


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2, 0), _at_least(3, 0, -1)


def _stacked(name: str, grown, dim: int, doc: str):
    def stacked(tensors):
        parts = grown(checks.tensors_in(name, tensors))
        return rows.cat(parts, min(dim, parts[0]._data.ndim - 1))

    return checks.titled(stacked, name, doc)


hstack = _stacked("hstack", atleast_1d, 1, "Side by side: vectors end to end, matrices along their columns.")
vstack = _stacked("vstack", atleast_2d, 0, "One above the other.")
dstack = _stacked("dstack", atleast_3d, 2, "One behind the other, along the third dimension.")


def column_stack(tensors):
    """Vectors as columns of a matrix."""
    parts = checks.tensors_in("column_stack", tensors)
    return rows.cat([reshape(t, (t.numel(), 1)) if t._data.ndim < 2 else t for t in parts], 1)


def block_diag(*tensors):
    """Matrices along the diagonal of a larger one, zeros elsewhere."""
    return rows.block_diag(tensors)


def repeat_interleave(self, repeats=None, dim=None, *, output_size: int | None = None):
    """Each element (or slice along `dim`) `repeats` times in a row; of `repeats` alone, 0 .. n-1."""
    if repeats is None:
        require(self._data.ndim == 1, "repeat_interleave only accept 1D vector as repeat")
        self, repeats = constant(self._plain, xp.arange(self.numel(), dtype=self._data.dtype)), self
    if dim is None:
        self, dim = flatten(self), 0
    dim, sizes = check_dim(dim, self._data.ndim), self._data.shape
    if isinstance(repeats, TensorBase):
        require(repeats._data.ndim < 2, "repeats must be 0-dim or 1-dim tensor")
        dtypes.check_kind("repeat_interleave_cpu", repeats._data.dtype, "i")
        need(repeats._data.size in (1, sizes[dim]), "repeats_size", repeats._data.size, dim, sizes[dim])
        require((repeats._data >= 0).all(), "repeats can not be negative")
        return TENSORS.index_select(self, constant(self._plain, xp.repeat(xp.arange(sizes[dim]), repeats._data)), dim)
    require(operator.index(repeats) >= 0, "Repeats must be non-negative")
    spread_out = rows.expand(rows.unsqueeze(self, dim + 1), (*sizes[: dim + 1], repeats, *sizes[dim + 1 :]))
    return flatten(rows.clone(spread_out), dim, dim + 1)


def diff(self, n: int = 1, dim: int = -1, prepend=None, append=None):
    """The difference of each element from the one before, `n` times over."""
    require(self._data.ndim, "diff expects input to be at least one-dimensional")
    require(n >= 0, f"order must be non-negative but got {n}")
    given = [t for t in (prepend, self, append) if t is not None]
    require({t.ndim for t in given} == {self.ndim}, "diff expects prepend or append to be the same dimension as input")
    self = TENSORS.copy_of(self) if n == 0 else rows.cat(given, dim) if len(given) > 1 else self
    minus = TENSORS.logical_xor if self._data.dtype.kind == "b" else TENSORS.sub
    for _ in range(min(n, self._data.shape[own_dim(self, dim)])):  # then nothing is left
        before = rows.slice_(self, dim, 0, self._data.shape[dim] - 1, 1)  # made first, as in torch
        self = minus(rows.slice_(self, dim, 1, self._data.shape[dim], 1), before)
    return self


def meshgrid(*tensors, indexing: str | None = None) -> tuple:
    """The grid that vectors span: one tensor each, which varies along its own dimension only."""
    parts = one_by_one(tensors, "meshgrid")
    need(indexing in (None, "ij", "xy"), "meshgrid_indexing", indexing)
    if indexing is None:
        warn("meshgrid_default")
    if indexing == "xy" and len(parts) > 1:
        grid = meshgrid(parts[1], parts[0], *parts[2:], indexing="ij")
        return (grid[1], grid[0], *grid[2:])
    checks.same_type(*(t._data for t in parts), said="meshgrid_types")
    matrix = next((t for t in parts if t._data.ndim > 1), None)
    require(matrix is None, f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {matrix}")
    sizes = tuple(t.numel() for t in parts)
    lone = [tuple(n if i == place else 1 for i, n in enumerate(sizes)) for place in range(len(sizes))]
    return tuple(rows.expand(rows.view(t, shape), sizes) for t, shape in zip(parts, lone, strict=True))


def broadcast_tensors(*tensors) -> tuple:
    """All tensors expanded to the shape in which they meet."""
    parts = one_by_one(tensors)
    sizes = common_shape(*(t._data.shape for t in parts))
    return tuple(t if t._data.shape == sizes else rows.expand(t, sizes) for t in parts)


def tensor_split(self, indices_or_sections, dim: int = 0) -> tuple:
    """Slices along `dim`: so many of nearly equal length, or cut at the given places."""
    require(self._data.ndim, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    size, cuts = self._data.shape[dim := own_dim(self, dim) % self._data.ndim], indices_or_sections
    cuts = cuts.tolist() if isinstance(cuts, TensorBase) else cuts
    if hasattr(cuts, "__index__"):
        require(cuts > 0, f"number of sections must be larger than 0, got {cuts}")
        short, longer = divmod(size, cuts)
        cuts = [i * short + min(i, longer) for i in range(1, cuts)]
    return tuple(rows.slice_(self, dim, a, b, 1) for a, b in itertools.pairwise([0, *ints((cuts,)), size]))


def fliplr(self):
    """The columns in reverse order."""
    require(self._data.ndim > 1, "Input must be >= 2-d.")
    return rows.flip(self, (1,))


def flipud(self):
    """The rows in reverse order."""
    require(self._data.ndim, "Input must be >= 1-d.")
    return rows.flip(self, (0,))


def mT(self, name: str = "mT"):
    """The last two dimensions swapped; a view."""
    need(self._data.ndim >= 2, "matrices_only", name, self._data.ndim)
    return rows.transpose(self, -2, -1)


def adjoint(self):
    """The last two dimensions swapped; a view."""
    return mT(self, "adjoint()") if self._data.ndim else rows.alias(self)


def H(self):
    """A matrix with its dimensions swapped; a view."""
    n, batches = self._data.ndim, " For batches of matrices, consider using tensor.mH"
    require(n in (0, 2), f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{batches * (n > 2)}")
    return adjoint(self)


def sum_to_size(self, *size):
    """Sum away what broadcasting would have added to reach this shape from `size`."""
    shape = ints(size)
    if not shape:
        return reduce.sum_all(self)
    have = self._data.shape
    lead = len(have) - len(shape)
    dims = tuple([i for i, n in enumerate(have) if i < lead or (shape[i - lead] == 1 and n != 1)])
    small = reduce.sum_dim(self, dims, True) if dims else self
    return rows.view(small, shape) if lead else small


TENSORS.sum_to = sum_to_size  # under create_graph, as torch composes it


# ---- in place: new looks at the same storage, and values that come from nowhere


def _look(view, *twins: tuple):
    """The in-place twin of a view: `self` itself gets the new shape, and torch's other digit."""
    renamed, name = {c.row.node: type(n, (c.row.node,), {"__slots__": ()}) for c, n in twins}, view.__name__

    def look(self, *args, **options):
        recorded = bool(grad_mode()) and self.requires_grad
        check_inplace(self, recorded)
        check_inference(self)
        out = view(stand_in(self), *args, **options)
        self._data = out._data
        bump(self)
        if lifted.get():
            lifted.get().carry(out, self)
        if recorded and out._fn is not None:
            out._fn.__class__ = renamed[type(out._fn)]
            self._fn, self._requires_grad = out._fn, True
            if self._view is not None:  # torch lets a view that was turned keep its own history
                self._view.version = self._counter[0]
        return self

    look.__wrapped__ = view  # type: ignore[attr-defined]
    return checks.titled(look, f"{name}_", f"In-place `{name}`: `self` gets the new shape, and a new grad_fn.")


_TURNED = rows.transpose, "TransposeBackward1"
t_, transpose_, swapaxes_ = _look(t, (rows.t, "TBackward1")), _look(transpose, _TURNED), _look(swapaxes, _TURNED)
unsqueeze_ = _look(unsqueeze, (rows.unsqueeze, "UnsqueezeBackward1"))
squeeze_ = _look(squeeze, (rows.squeeze, "SqueezeBackward3"), (rows.squeeze_dim, "SqueezeBackward4"),
                 (rows.squeeze_dims, "SqueezeBackward5"))
as_strided_ = _look(as_strided, (rows.as_strided, "AsStridedBackward1"))


def fill_diagonal_(self, fill_value, wrap: bool = False):
    """The main diagonal becomes `fill_value`, in place; with `wrap` it begins anew below a tall matrix's square."""
    sizes = self._data.shape
    require(len(sizes) > 1, "dimensions must larger than 1")
    require(len(sizes) == 2 or len({*sizes}) == 1, "all dimensions of input must be of equal length")
    fill_(as_strided(self, (min(sizes),), (sum(strides(self._array())),)), fill_value)
    if wrap and len(sizes) == 2 and sizes[0] > sizes[1] + 1:
        fill_diagonal_(narrow(self, 0, sizes[1] + 1, sizes[0] - sizes[1] - 1), fill_value, True)
    return self


def resize_(self, *size):
    """Another shape in place, of what lies in memory from the first element on, as far as that reaches.

    Raises: RuntimeError if `self` requires grad.
    """
    require(not self.requires_grad, "cannot resize variables that require grad")
    sizes, (memory, first, _) = ints(size), geometry(self._array())
    require(min(sizes, default=0) >= 0, "numel: integer multiplication overflow")
    if sizes != self._data.shape:
        count, flat = math.prod(sizes), strided_view(self._data, (memory.nbytes // self._data.itemsize - first,), (1,))
        self._data = xp.resize(flat, sizes) if count > flat.size else flat[:count].reshape(sizes)
        bump(self)
    return self


def copy_(self, other, non_blocking: bool = False):
    """Every element becomes that of `other`, a tensor or a number, in place."""
    require(not isinstance(other, ndarray), "copy_() takes tensors and numbers", TypeError)
    return _copy_(self, other)


_copy_, _zero_ = inplace(rows.copy, lambda a, b, out: xp.copyto(out, b)), inplace(rows.zero)


def zero_(self):
    """Every element becomes 0, in place."""
    return self if write_directly(self, lambda a, zero, out: out.fill(zero), 0.0) else _zero_(self)


def fill_(self, value):
    """Every element becomes `value`, a number or a 0-d tensor."""
    if is_number(value):
        return _fill_(self, value)
    need(not value._data.ndim, "fill_value", value._data.ndim)
    return _fill_tensor_(self, value)


_fill_, _fill_tensor_ = inplace(rows.fill), inplace(rows.fill_tensor)


def random_(self, *bounds: int, generator=None):
    """Every element a random integer below a bound, or of `[low, high)`, in place; without, all that the type holds."""
    given = (*map(check_number, bounds[:1]), *bounds[1:]) or (None,)
    return (_between_ if len(given) == 2 else _below_)(self, *given, generator)


def bernoulli(self, p: float | None = None, *, generator=None):
    """1 with the probability that each element says, or all with probability `p`, else 0."""
    if p is not None:
        return rows.bernoulli_values(TENSORS.zeros_like(self), check_number(p), generator)
    dtypes.check_kind("bernoulli_tensor_cpu_p_", self._data.dtype)
    return rows.bernoulli_draw(self, generator)


def bernoulli_(self, p: float = 0.5, *, generator=None):
    """Every element 1 with probability `p`, else 0, in place."""
    return _bernoulli_(self, check_number(p), generator)


def normal_(self, mean: float = 0.0, std: float = 1.0, *, generator=None):
    """Every element drawn from the normal distribution, in place."""
    return _normal_(self, check_number(mean), check_number(std), generator)


def uniform_(self, low: float = 0.0, to: float = 1.0, *, generator=None):
    """Every element drawn evenly from `[low, to)`, in place."""
    return _uniform_(self, check_number(low), check_number(to), generator)


_normal_, _uniform_, _between_, _below_, _bernoulli_ = map(
    inplace, (rows.normal, rows.uniform, rows.random_between, rows.random_below, rows.bernoulli_values))
