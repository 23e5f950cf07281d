"""Indexing: reading and writing chosen elements.

`x[key]` comes here as the positions and masks that are left when slices and integers have become
views (`calls/index`). The named forms (gather, scatter, index_select ...) read or write along one dimension.
"""

from ...array.backend import xp
from ...core.op import op
from ...text.tex import among, becomes, gains, part, phrase
from ..checks import check_dim
from ..kernels import index as kernels, pointwise, shape

# ---- at any places

index = op("index", kernels.taken, fixed=("indices",), tex="{0:4}[{1}]",
    self = lambda F, grad, self_sym_sizes, indices: F.index_back(grad, indices, self_sym_sizes))
index_back = op("index_back", kernels.index_back, fixed=("indices",), grad_fn="IndexPutImplBackward0",
    tex=phrase(r"0[{1}] \,\text{{+=}}\, {0}", 0), self=lambda F, grad, indices: F.index(grad, indices))
put_at = op("index_put", kernels.index_put, fixed=("indices",),
    self   = lambda F, grad, indices, accumulate: F.kept_outside(grad, indices, accumulate),
    values = lambda F, grad, indices: F.index(grad, indices))

# ---- along one dimension

gather = op("gather", kernels.gather, fixed=("index",), keeps=("sparse_grad",), tex=among,
    self = lambda F, grad, self, index, dim: F.scatter_add(F.zeros_as(grad, F.sizes(self)), index, grad, dim))
scatter = op("scatter", lambda self, index, src, dim: kernels.scatter(self, index, src, dim), fixed=("index",),
    self = lambda F, grad, index, dim: F.scatter_value(grad, index, dim, 0),
    src  = lambda F, grad, index, dim: F.gather(grad, index, dim))
scatter_value = op("scatter_value", lambda self, index, dim, value: kernels.scatter(self, index, value, dim),
    fixed=("index",), grad_fn="ScatterBackward1", scalars=("value",),
    tex=lambda x, i, dim, v: becomes(among(x, i, dim), v),
    self = lambda F, grad, index, dim: F.scatter_value(grad, index, dim, 0))
scatter_reduced = op("scatter_reduced", kernels.scatter, fixed=("index",), grad_fn="NotImplemented",
    torch_name="torch::autograd::NotImplemented", **dict.fromkeys(("self", "src"), lambda F: F.refuse("aten::scatter")))
scatter_add = op("scatter_add", lambda self, index, src, dim: kernels.scatter(self, index, src, dim, True),
    fixed=("index",), tex=lambda x, i, src, dim: gains(among(x, i, dim), src),
    self = lambda grad: grad,
    src  = lambda F, grad, index, dim: F.gather(grad, index, dim))
index_select = op("index_select", kernels.index_select, fixed=("index",), tex=lambda x, i, dim: part(x, dim, i),
    self = lambda F, grad, self_sym_sizes, index, dim: F.index_add(F.zeros_as(grad, self_sym_sizes), index, grad, dim))
index_add = op("index_add", lambda self, index, source, dim, alpha=1: kernels.index_write(
        self, index, pointwise.times(source, alpha), dim, "add"), fixed=("index",), keeps=("source_dim",),
    scalars=("alpha",), tex=lambda x, i, src, dim, *_: gains(part(x, dim, i), src),
    self   = lambda grad: grad,
    source = lambda F, grad, source, index, dim, alpha: F.scaled(F.index_select(grad, index, dim), alpha))
index_copy = op("index_copy", lambda self, index, source, dim: kernels.index_write(self, index, source, dim, "copy"),
    fixed=("index",), keeps=("source_dim",),
    self   = lambda F, grad, index, dim: F.index_fill(grad, index, dim, 0),
    source = lambda F, grad, source, index, dim: F.index_select(grad, index, dim))
index_fill = op("index_fill", lambda self, index, dim, value: kernels.index_write(self, index, value, dim, "fill"),
    fixed=("index",), scalars=("value",), numbered=True, tex=lambda x, i, dim, v: becomes(part(x, dim, i), v),
    self = lambda F, grad, index, dim: F.index_fill(grad, index, dim, 0))
index_fill_tensor = op("index_fill_tensor", lambda self, index, value, dim: kernels.index_write(
        self, index, value, dim, "fill"), fixed=("index",), grad_fn="IndexFillBackward1", **index_fill.row.derivatives,
    value = lambda F, grad, index, dim: F.sum(grad - F.index_fill(grad, index, dim, 0)))

# ---- by mask, or by position in the flattened tensor

masked_select = op("masked_select", kernels.masked_select, fixed=("mask",), tex="{0:4}[{1}]",
    self = lambda F, grad, self, mask: F.sum_to(
        F.masked_scatter(F.zeros_as(grad, F.common(self, mask)), mask, grad), F.sizes(self)))
masked_scatter = op("masked_scatter", kernels.masked_scatter, fixed=("mask",),
    tex=phrase(r"{0:4}[{1}] \leftarrow {2}", 0),
    self   = lambda F, grad, mask: F.masked_fill(grad, mask, 0),
    source = lambda F, grad, mask, source_sym_sizes: F.filled_up(F.masked_select(grad, mask), source_sym_sizes))
take = op("take", lambda self, index: self.reshape(-1)[kernels.spots(self, index, "take")], fixed=("index",),
    tex=r"\mathrm{{flatten}}\left({0}\right)[{1}]",
    self = lambda F, grad, self, index: F.put(F.zeros_as(grad, F.sizes(self)), index, grad, True))
put = op("put", kernels.put, fixed=("index",), tex=r"\mathrm{{reshape}}\left(0[{1}] \,\text{{+=}}\, {2}\right)",
    self   = lambda F, grad, index, source, accumulate: F.kept_unput(grad, index, source, accumulate),
    source = lambda F, grad, index, source: F.reshape(F.take(grad, index), F.sizes(source)))

# ---- a part written into a copy

select_scatter = op("select_scatter", lambda self, src, dim, index: shape.written(
        self.copy(), src, shape.select_part, check_dim(dim, self.ndim), index),
    tex=lambda x, src, *at: becomes(part(x, *at), src),
    self = lambda F, grad, dim, index: F.select_scatter(grad, F.zeros_like(F.select(grad, dim, index)), dim, index),
    src  = lambda F, grad, dim, index: F.select(grad, dim, index))
slice_scatter = op("slice_scatter", lambda self, src, dim=0, start=None, end=None, step=1: shape.slice_scatter(
        self, src, dim, start, end, step), tex=lambda x, src, *at: becomes(part(x, *at), src),
    self = lambda F, grad, dim, start, end, step: F.slice_scatter(
        grad, F.zeros_like(F.slice(grad, dim, start, end, step)), dim, start, end, step),
    src  = lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step))
nonzero_positions = op("nonzero", lambda self: xp.argwhere(self))
