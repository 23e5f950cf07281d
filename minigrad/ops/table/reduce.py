"""Reductions: many elements become one, and its gradient goes back to all of them.

Sums give it to all, extremes to those that were chosen or share it among equals, running operations (cumsum ...)
and sorting give it back in the order they took.
"""

from ...array import accumulate, xp
from ...core.op import op
from ...text.tex import along, phrase
from ..checks import implemented
from ..kernels import reduce as kernels

# ---- sums

sum_all = op("sum", kernels.total, numbered=True, tex=phrase(r"\sum {0:1}", 1),
    self = lambda F, grad, self_sym_sizes: F.expand(grad, self_sym_sizes))
sum_dim = op("sum_dim", lambda self, dim, keepdim=False: xp.add.reduce(
        self, kernels.axes_of(dim, self), kernels.whole_type(self), None, keepdim),
    grad_fn="SumBackward1", tex=lambda x, dim, *_: phrase(r"\sum_{{{1}}} {0:1}", 1)(x, along(dim)),
    self = lambda F, grad, self_sym_sizes, dim, keepdim: F.expanded(grad, self_sym_sizes, dim, keepdim))
sum_as = op("sum_as", lambda self, kind: xp.add.reduce(self, None, dtype=kind),
    grad_fn="SumBackward0", elementwise=True, numbered=True, **sum_all.row.derivatives)
mean_all = op("mean", lambda self: kernels.total(kernels.with_mean(self)) / self.size, numbered=True,
    self = lambda F, grad, self_sym_numel, self_sym_sizes: F.div_scalar(F.expand(grad, self_sym_sizes), self_sym_numel))
mean_dim = op("mean_dim", kernels.mean, grad_fn="MeanBackward1", keeps=("self_sym_numel",),
    tex=r"\mathrm{{mean}}\left({0}\right)",
    self = lambda F, grad, self_sym_sizes, dim, keepdim: F.div_scalar(
        F.expanded(grad, self_sym_sizes, dim, keepdim), F.count(self_sym_sizes, dim)))
all_of = op("all", lambda self, dim=None, keepdim=False: kernels.claim(self.all, self, dim, keepdim))
any_of = op("any", lambda self, dim=None, keepdim=False: kernels.claim(self.any, self, dim, keepdim))
vector_norm = op("linalg_vector_norm", kernels.norm, keeps=("dim", "keepdim", "ord"), scalars=("ord",),
    self = lambda F, grad, self, result, ord, dim, keepdim: F.norm_slope(grad, self, result, ord, dim, keepdim))
renorm = op("renorm", kernels.renorm, keeps=("dim", "maxnorm", "p"), letters={"maxnorm": "m"}, scalars=("p", "maxnorm"),
    self = lambda F, grad, self, p, dim, maxnorm: F.renorm_slope(grad, self, p, dim, maxnorm))
prod_all = op("prod", lambda self: xp.multiply.reduce(self, None, dtype=kernels.whole_type(self)), numbered=True,
    self = lambda F, grad, self, result: F.prod_slope(grad, self, result))
prod_dim = op("prod_dim", lambda self, dim, keepdim=False: xp.multiply.reduce(
        self, dim, keepdims=keepdim, dtype=kernels.whole_type(self)), grad_fn="ProdBackward1",
    self = lambda F, grad, self, result, dim, keepdim: F.prod_slope(grad, self, result, dim, keepdim))
nansum_dim = op("nansum", lambda self, dim=None, keepdim=False: xp.nansum(
        self, axis=kernels.axes_of(dim, self), keepdims=keepdim, dtype=kernels.whole_type(self)),
    self = lambda F, grad, self, dim, keepdim: F.kept(grad, F.sizes(self), dim, keepdim) * ~F.isnan(self))
logsumexp_dim = op("logsumexp", kernels.logsumexp,
    self = lambda F, grad, self, result, dim, keepdim: F.kept(grad, F.sizes(self), dim, keepdim)
        * F.exp(self - F.kept(result, F.sizes(self), dim, keepdim)))

# ---- extremes: where `indices` come along, the element taken gets the gradient; where not, equal ones share it

TAKEN = {"outputs": ("values", "indices"), "self": lambda F, grad, indices, self_sym_sizes, dim, keepdim:
    F.to_chosen(grad, indices, self_sym_sizes, dim, keepdim)}
MOVED = TAKEN | {"self": lambda F, grad, indices, self_sym_sizes, dim: F.to_chosen(grad, indices, self_sym_sizes, dim)}
max_all = op("max", lambda self: kernels.filled(self, None, "max").max(), grad_fn="MaxBackward1",
    self = lambda F, grad, self, result: F.where(F.reached(self, result), grad / F.ties(self, result), 0.0))
min_all = op("min", lambda self: kernels.filled(self, None, "min").min(), grad_fn="MinBackward1",
    **max_all.row.derivatives)
median_all = op("median", kernels.median, numbered=True, **max_all.row.derivatives)
amax_dim = op("amax", lambda self, dim=(), keepdim=False: kernels.filled(self, dim, "amax").max(
        axis=kernels.axes_of(dim, self), keepdims=keepdim),
    self = lambda F, grad, self, result, dim, keepdim: F.share(grad, self, result, dim, keepdim))
amin_dim = op("amin", lambda self, dim=(), keepdim=False: kernels.filled(self, dim, "amin").min(
        axis=kernels.axes_of(dim, self), keepdims=keepdim), **amax_dim.row.derivatives)
aminmax_dim = op("aminmax", lambda self, dim=None, keepdim=False: (
        kernels.filled(self, dim, "aminmax").min(axis=dim, keepdims=keepdim), self.max(axis=dim, keepdims=keepdim)),
    outputs=("min", "max"), multi=True,
    self = lambda F, grad, self, min, max, dim, keepdim: F.share_both(grad, self, min, max, dim, keepdim))
max_dim = op("max_dim", lambda self, dim, keepdim=False: kernels.chosen("max", "argmax", self, dim, keepdim),
    grad_fn="MaxBackward0", numbered=True, **TAKEN)
min_dim = op("min_dim", lambda self, dim, keepdim=False: kernels.chosen("min", "argmin", self, dim, keepdim),
    grad_fn="MinBackward0", numbered=True, **TAKEN)
median_dim = op("median_dim", kernels.middle, grad_fn="MedianBackward1", **TAKEN)
kthvalue_dim = op("kthvalue", kernels.kth, **TAKEN)
mode_dim = op("mode", kernels.mode, **TAKEN)
sort_dim = op("sort", kernels.sort, **MOVED)
sort_stable = op("sort_stable", kernels.sort, grad_fn="SortBackward1", **MOVED)  # the sort is stable anyway
topk_dim = op("topk", kernels.topk, **MOVED)
argmax_dim = op("argmax", lambda self, dim=None, keepdim=False: kernels.place("argmax", "argmax", self, dim, keepdim))
argmin_dim = op("argmin", lambda self, dim=None, keepdim=False: kernels.place("argmin", "argmin", self, dim, keepdim))
unique_of = op("_unique2", kernels.unique, outputs=("output", "inverse_indices", "counts"), grad_fn="Unique2Backward0",
    self = lambda F: F.refuse("_unique2"))
argsort_dim = op("argsort", lambda self, dim=-1, descending=False: kernels.order(self, dim, descending))

# ---- spread

var_dim = op("var", kernels.variance, scalars=("correction",),
    self = lambda F, grad, self, dim, correction, keepdim: F.var_slope(grad, self, dim, correction, keepdim))
std_dim = op("std", lambda self, dim=None, correction=None, keepdim=False: xp.sqrt(
        kernels.variance(self, dim, correction, keepdim)), scalars=("correction",),
    self = lambda F, grad, self, result, dim, correction, keepdim: F.var_slope(
        F.masked_fill(grad / (2 * result), result == 0, 0), self, dim, correction, keepdim))
WITH_MEAN = {"outputs": ("result0", "result1"), "multi": True, "scalars": ("correction",)}
var_mean_dim = op("var_mean", lambda self, dim=None, correction=None, keepdim=False: (
        kernels.variance(self, dim, correction, keepdim), kernels.mean(self, dim, keepdim)), **WITH_MEAN,
    self = lambda F, grad, self, dim, correction, keepdim: F.var_mean_slope(
        grad[0], grad[1], self, dim, correction, keepdim))
std_mean_dim = op("std_mean", lambda self, dim=None, correction=None, keepdim=False: (
        xp.sqrt(kernels.variance(self, dim, correction, keepdim)), kernels.mean(self, dim, keepdim)), **WITH_MEAN,
    self = lambda F, grad, self, result0, dim, correction, keepdim: F.var_mean_slope(
        F.of_root(grad[0], result0), grad[1], self, dim, correction, keepdim))

# ---- running

cumsum_dim = op("cumsum", lambda self, dim: kernels.running(xp.add, self + 0 if self.ndim else self, dim),  # no -0
    self = lambda F, grad, dim: F.cumsum_back(grad, dim))
cumprod_dim = op("cumprod", lambda self, dim: kernels.running(xp.multiply, self, dim),
    self = lambda F, grad, self, result, dim: F.cumprod_slope(grad, self, result, dim))
logcumsumexp_dim = op("logcumsumexp", lambda self, dim: accumulate(
        xp.logaddexp, implemented("logcumsumexp_out_cpu", self), dim) if self.ndim else self.copy(),
    self = lambda F, grad, self, result, dim: F.logcumsumexp_slope(grad, self, result, dim))
cummax_dim = op("cummax", lambda self, dim: kernels.record(self, dim, xp.maximum), outputs=("values", "indices"),
    self = lambda F, grad, self, indices, dim: F.scatter_add(F.zeros_as(grad, F.sizes(self)), indices, grad, dim))
cummin_dim = op("cummin", lambda self, dim: kernels.record(self, dim, xp.minimum), outputs=("values", "indices"),
    **cummax_dim.row.derivatives)

# ---- distances

dist_of_two = op("dist", lambda self, other, p=2: kernels.norm(self - other, p, None), elementwise=True, scalars=("p",),
    doc="The p-norm of `self - other`.",
    self  = lambda F, grad, self, other, result, p: F.norm_slope(grad, self - other, result, p, None, False),
    other = lambda F, grad, self, other, result, p: F.norm_slope(grad, other - self, result, p, None, False))
cdist_of_two = op("cdist", kernels.cdist, scalars=("p",),
    x1 = lambda F, grad, x1, x2, result, p: F.cdist_back(grad, x1, x2, result, p, -2),
    x2 = lambda F, grad, x1, x2, result, p: -F.cdist_back(grad, x1, x2, result, p, -3))
cdist_back = op("cdist_back", kernels.cdist_back, grad_fn="CdistBackwardBackward0", fixed=("result",), scalars=("p",),
    tex=lambda g, a, b, y, p, dim: phrase(
        r"\sum_{5} {0:4}[i, j] \odot \mathrm{{sgn}}\left({1:4}[i] - {2:4}[j]\right) \odot "
        r"\left(\frac{{\left\lvert {1:4}[i] - {2:4}[j]\right\rvert}}{{{3:4}[i, j]}}\right)^{{{4} - 1}}",
        1)(g, a, b, y, p, "j" if dim == -2 else "i"),
    **dict.fromkeys(("grad_output", "x1", "x2"), lambda F: F.refuse("_cdist_backward")))
