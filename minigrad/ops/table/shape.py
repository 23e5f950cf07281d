"""Shape and views: other ways to look at the same numbers, and copies that rearrange them.

A row with `view=True` returns a tensor that shares the storage of its input. The last chapters are
what the engine and the in-place rules need: sum back a broadcast, read or write one part of a
storage, and values that come from nowhere.
"""

from ...array import as_strided as strided_view, device_of, dtypes, flipped, layout, move, namespace, random, xp
from ...core.op import op
from ...text.tex import SYMBOLS, Symbol, becomes, part, phrase
from ..kernels import shape as kernels
from .pointwise import STEP
from .reduce import sum_all

COPIES = phrase(r"\sum_{{\mathrm{{copies}}}} {0:1}", 1)

# ---- views

view = op("view", kernels.flat_view, view=True, self=lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes))
reshape_alias = op("reshape_alias", kernels.flat_view, view=True, **view.row.derivatives)
unsafe_view = op("unsafe_view", lambda self, shape: self.reshape(shape), **view.row.derivatives)
t = op("t", lambda self: self.T, view=True, tex=phrase(r"{0:4}^{{\top}}", 3), self=lambda F, grad: F.t(grad))
transpose = op("transpose", lambda self, dim0, dim1: self.swapaxes(dim0, dim1) if self.ndim else self[...], view=True,
    numbered=True, tex=lambda x, a, b: SYMBOLS.t(x) if isinstance(a, int) else SYMBOLS.call("transpose", (x, a, b)),
    self = lambda F, grad, dim0, dim1: F.transpose(grad, dim0, dim1))
permute = op("permute", lambda self, dims: self.transpose(dims), view=True,
    self = lambda F, grad, dims: F.permute(grad, F.inverse_order(dims)))
unsqueeze = op("unsqueeze", kernels.unsqueeze, view=True, numbered=True,
    self = lambda F, grad, dim: F.squeeze_dim(grad, dim))
squeeze = op("squeeze", lambda self: self.squeeze(), view=True, numbered=True, **view.row.derivatives)
squeeze_dim = op("squeeze_dim", kernels.squeeze, view=True, grad_fn="SqueezeBackward1", keeps=("dim",),
    tex=r"\mathrm{{squeeze}}\left({0}, {1}\right)", **view.row.derivatives)
squeeze_dims = op("squeeze_dims", kernels.squeeze, view=True, grad_fn="SqueezeBackward2", keeps=("dim",),
    **view.row.derivatives)
expand = op("expand", kernels.expand, view=True, tex=r"\mathrm{{expand}}\left({0}\right)",
    self = lambda F, grad, self_sym_sizes: F.sum_to(grad, self_sym_sizes))
alias = op("alias", lambda self: self[...], view=True, self=lambda grad: grad)
select = op("select", kernels.select_part, view=True, tex=part,
    self = lambda F, grad, self_sym_sizes, dim, index: F.select_back(grad, self_sym_sizes, dim, index))
slice_ = op("slice", kernels.slice_part, view=True, tex=part,
    self = lambda F, grad, self_sym_sizes, dim, start, end, step: F.slice_back(
        grad, self_sym_sizes, dim, start, end, step))
diagonal = op("diagonal", kernels.diagonal, view=True, tex=r"{0:4}[\mathrm{{diagonal}}]",
    self = lambda F, grad, self_sym_sizes, offset, dim1, dim2: F.diagonal_back(
        grad, self_sym_sizes, offset, dim1, dim2))
unfold = op("unfold", kernels.unfold, view=True, tex=r"{0:4}[\mathrm{{windows}}]",
    self = lambda F, grad, self_sym_sizes, dimension, size, step: F.unfold_back(
        grad, self_sym_sizes, dimension, size, step))
split = op("split", kernels.split, view="multi", multi=True,
    self = lambda F, grad, self_sym_sizes, split_size, dim: F.split_back(grad, self_sym_sizes, split_size, dim))
unsafe_split = op("unsafe_split", kernels.split, multi=True, **split.row.derivatives)
split_with_sizes = op("split_with_sizes", lambda self, split_sizes, dim=0: kernels.split(self, split_sizes, dim),
    view="multi", multi=True,
    self = lambda F, grad, self_sym_sizes, split_sizes, dim: F.split_back(grad, self_sym_sizes, split_sizes, dim))
unbind = op("unbind", lambda self, dim=0: [kernels.select_part(self, dim, i) for i in range(self.shape[dim])],
    view="multi", multi=True, tex=lambda x, dim: part(x, dim, Symbol("k")),
    self = lambda F, grad, dim: F.unbind_back(grad, dim))
as_strided = op("as_strided", lambda self, size, stride, storage_offset, whole, part: strided_view(
        self, size, stride, storage_offset),
    view=True, keeps=("size", "stride", "storage_offset"), hidden=("whole", "part"),
    self = lambda F, grad, whole, part: F.add_part(grad, whole, part))

# ---- several tensors into one

cat = op("cat", kernels.cat, hidden=("shapes",), tensors=lambda F, grad, dim, shapes: F.pieces(grad, dim, shapes))
stack = op("stack", kernels.stack, tensors=lambda F, grad, dim: F.unbind(grad, dim))
block_diag = op("block_diag", kernels.block_diag, hidden=("shapes",),
    tensors = lambda F, grad, shapes: F.blocks(grad, shapes))

# ---- copies

clone = op("clone", lambda self: self if isinstance(self, xp.generic) else self.copy(order=layout(self)),
    self = lambda grad: grad)
copy = op("copy", lambda self, src: xp.full_like(
        self, move(src, device_of(self)), shape=kernels.common_shape(self.shape, xp.shape(src))),
    elementwise=True, torch_name="torch::autograd::CopyBackwards", grad_fn="CopyBackwards", **STEP,
    src = lambda grad: grad)
contiguous_copy = op("contiguous_copy", lambda self: self.copy(), grad_fn="CloneBackward0", **clone.row.derivatives)
to_copy = op("to_copy", lambda self, kind, place=None, home=None: move(self, place).astype(kind, layout(self)),
    elementwise=True, hidden=("home",), self=lambda F, grad, home: F.moved(grad, home))
repeat = op("repeat", lambda self, repeats: xp.tile(self, repeats),
    self = lambda F, grad, repeats, self_sym_sizes: F.repeat_back(grad, repeats, self_sym_sizes))
flip = op("flip", lambda self, dims: flipped(self, dims if self.ndim else ()).copy(),
    self = lambda F, grad, dims: F.flip(grad, dims))
roll = op("roll", lambda self, shifts, dims: xp.roll(self, shifts if dims else shifts[0], dims or None).copy(),
    self = lambda F, grad, shifts, dims: F.roll(grad, F.negated(shifts), dims))
rot90 = op("rot90", lambda self, k, dims: xp.rot90(self, k, dims).copy("K"),
    self = lambda F, grad, k, dims: F.rot90(grad, -k, dims))
tril = op("tril", lambda self, diagonal=0: xp.tril(kernels.at_least_2d(self, "tril"), diagonal),
    self = lambda F, grad, diagonal: F.tril(grad, diagonal))
triu = op("triu", lambda self, diagonal=0: xp.triu(kernels.at_least_2d(self, "triu"), diagonal),
    self = lambda F, grad, diagonal: F.triu(grad, diagonal))
diagonal_copy = op("diagonal_copy", lambda self, offset=0, dim1=0, dim2=1: xp.diagonal(self, offset, dim1, dim2).copy(),
    grad_fn="DiagonalBackward0_copy", **diagonal.row.derivatives)
diag_embed = op("diag_embed", kernels.diag_embed,
    self = lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2))
trace = op("trace", kernels.trace, self=lambda F, grad, self_sym_sizes: F.on_diagonal(grad, self_sym_sizes))
diagonal_scatter = op("diagonal_scatter", lambda self, src, offset=0, dim1=0, dim2=1: kernels.written(
        self.copy(), src, kernels.diagonal, offset, dim1, dim2),
    tex=phrase(r"{0:4}[\mathrm{{diagonal}}] \leftarrow {1}", 0),
    self = lambda F, grad, offset, dim1, dim2: F.diagonal_scatter(
        grad, F.zeros_like(F.diagonal(grad, offset, dim1, dim2)), offset, dim1, dim2),
    src  = lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2))
constant_pad_nd = op("constant_pad_nd", kernels.pad, scalars=("value",), tex=r"\mathrm{{pad}}\left({0}, {1}\right)",
    self = lambda F, grad, pad: F.constant_pad_nd(grad, F.negated(pad)))

# ---- what derivatives need, with derivatives of its own

select_back = op("select_back", lambda self, sizes, dim, index: kernels.placed(
        self, sizes, kernels.select_part, dim, index), grad_fn="SelectBackwardBackward0",
    tex=lambda g, _sizes, *at: becomes(part(0, *at), g), self=lambda F, grad, dim, index: F.select(grad, dim, index))
slice_back = op("slice_back", lambda self, sizes, dim, start, end, step: kernels.placed(
        self, sizes, kernels.slice_part, dim, start, end, step),
    grad_fn="SliceBackwardBackward0", tex=lambda g, _sizes, *at: becomes(part(0, *at), g),
    self = lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step))
diagonal_back = op("diagonal_back", lambda self, sizes, offset, dim1, dim2: kernels.placed(
        self, sizes, kernels.diagonal, offset, dim1, dim2), grad_fn="DiagonalBackwardBackward0",
    tex=phrase(r"0[\mathrm{{diagonal}}] \leftarrow {0}", 0), **diag_embed.row.derivatives)
unfold_back = op("unfold_back", lambda self, sizes, dimension, size, step: kernels.added(
        namespace(self).zeros(sizes, self.dtype), self, kernels.unfold, dimension, size, step),
    grad_fn="UnfoldBackwardBackward0", tex=phrase(r"0[\mathrm{{windows}}] \,\text{{+=}}\, {0}", 0),
    self = lambda F, grad, dimension, size, step: F.unfold(grad, dimension, size, step))
repeat_back = op("repeat_back", kernels.repeat_back, grad_fn="SumBackward1", tex=COPIES,
    self = lambda F, grad, repeats: F.repeat(grad, repeats))
take_part = op("take_part", kernels.take_part, grad_fn="AsStridedBackward0",
    tex=r"{0:4}[\mathrm{{part}}]", **as_strided.row.derivatives)
add_part = op("add_part", kernels.add_part, grad_fn="AsStridedBackwardBackward0",
    tex=phrase(r"0[\mathrm{{part}}] \,\text{{+=}}\, {0}", 0),
    self = lambda F, grad, whole, part: F.take_part(grad, whole, part))
put_part = op("put_part", kernels.put_part, grad_fn="CopySlices", torch_name="torch::autograd::CopySlices",
    tex=phrase(r"{0:4}[\mathrm{{part}}] \leftarrow 0", 0),
    self = lambda F, grad, whole, part: F.put_part(grad, F.take_part(grad, whole, part) * 0, whole, part),
    src  = lambda F, grad, whole, part: F.take_part(grad, whole, part))
sum_to = op("sum_to", kernels.sum_to, grad_fn="SumBackward1", tex=COPIES, **sum_all.row.derivatives)

# ---- values that come from nowhere, most of them written in place

zero = op("zero", lambda self: xp.zeros_like(self), **STEP)
fill = op("fill", lambda self, value: xp.full_like(self, dtypes.fitting(value, self.dtype)),
    grad_fn="FillBackward2", scalars=("value",), **STEP)
fill_tensor = op("fill_tensor", lambda self, value: xp.full_like(self, value), grad_fn="FillBackward3", **STEP,
    value = lambda F, grad: F.sum(grad))
normal = op("normal", lambda self, mean, std, generator: kernels.drawn(
        self, random.normal, mean, std, generator), scalars=("mean", "std"), **STEP)
uniform = op("uniform", lambda self, low, to, generator: kernels.drawn(
        self, random.uniform, low, to, generator), scalars=("low", "to"), **STEP)
random_between = op("random_between", lambda self, low, high, generator: kernels.drawn(
        self, random.integers, low, high, generator), grad_fn="RandomBackward0", scalars=("low", "high"), **STEP)
random_below = op("random_below", lambda self, high, generator: kernels.drawn(
        self, random.integers, None, high, generator), grad_fn="RandomBackward1", scalars=("high",), **STEP)
bernoulli_draw = op("bernoulli", lambda self, generator=None: kernels.tossed(self, self, generator), **STEP)
bernoulli_values = op("bernoulli_values", kernels.tossed, grad_fn="BernoulliBackward2", scalars=("p",), **STEP)
normal_mean = op("normal_mean", kernels.normal_mean, grad_fn="NormalBackward1", scalars=("std",),
    mean = lambda F, grad, mean_sym_sizes: F.zeros_as(grad, mean_sym_sizes))
normal_std = op("normal_std", lambda std, mean, generator: kernels.normal(mean, std, generator),
    grad_fn="NormalBackward2", scalars=("mean",),
    std = lambda F, grad, std_sym_sizes: F.zeros_as(grad, std_sym_sizes))
normal_both = op("normal_both", kernels.normal, grad_fn="NormalBackward3",
    **normal_mean.row.derivatives, **normal_std.row.derivatives)
