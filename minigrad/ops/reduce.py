"""Reductions: many elements become one, and its gradient goes back to all of them.

Sums share it out, extremes give it to the elements that were chosen, running operations (cumsum ...)
and sorting give it back in the order they took. Named results are `torch.return_types`.
"""

from __future__ import annotations

import itertools
import math
import warnings
from builtins import max as most
from builtins import sum as add_up
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

from ..array import dtypes
from ..array.backend import namespace, xp
from ..core.base import TensorBase, constant
from ..core.carriers import RAW, SYMBOLS, TENSORS, Symbol, formula, phrase
from ..core.inplace import inplace
from ..core.modes import grad_mode
from ..core.op import op, shape_mismatch
from .checks import a_tensor, check_dim, dims_of, implemented, own_dim, require, same_type, titled
from .pointwise import beside

_add = xp.add.reduce


def _axes(dim: Any, of: Any) -> Any:
    """NumPy's word for `dim`; a 0-d array has no axis, whatever torch lets one ask for."""
    return None if dim is None or dim == () or not of.ndim else dim


def _gone(dim: Any, rank: int) -> tuple:
    """The dimensions that `dim` means, all where it names none."""
    if dim is None or dim == ():
        return tuple(range(rank))
    return dim if isinstance(dim, tuple) else (dim,)


def _filled(self: Any, dim: Any, name: str) -> Any:
    """`self`, if there is something to choose from. Raises: IndexError or RuntimeError as torch."""
    if self.size:
        return self
    if dim is None or dim == ():
        error, end = (IndexError, "") if name[:3] == "arg" else (
            RuntimeError, " Specify the reduction dim with the 'dim' argument.")
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{end}")
    for d in _gone(dim, self.ndim):
        require(self.shape[d], f"{name}(): Expected reduction dim {d % self.ndim} to have non-zero size.", IndexError)
    return self


def whole_type(self: Any) -> Any:
    """The type in which elements are summed: integers and bools in int64."""
    return None if self.dtype.kind == "f" else "int64"


def _sum(self: Any) -> Any:
    """The sum of all elements; Python has added a few before NumPy begins."""
    if 0 < self.size < 9 and self.dtype.char in "fd":
        return add_up(self.flat)
    return _add(self, None, whole_type(self))


def _claim(test: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    """`xp.all` or `xp.any`; of uint8, torch's first bool, the answer is uint8."""
    holds = test(self, axis=dim if self.ndim else None, keepdims=keepdim)
    return holds.astype("uint8") if self.dtype == "uint8" else holds


def _with_mean(self: Any) -> Any:
    """`self`, if its elements have a mean."""
    if self.dtype.kind != "f":
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or "
                           f"complex dtype. Got: {dtypes.of(self.dtype).scalar_type}")
    return self


def _count(sizes: tuple, dim: Any) -> int:
    n = 1
    for d in _gone(dim, len(sizes)) if sizes else ():  # `math.prod` of a list takes twice as long
        n *= sizes[d]
    return n


@formula(tex=lambda grad, *_: grad)
def _kept(F: Any, grad: Any, sizes: tuple, dim: Any, keepdim: bool) -> Any:
    """A reduced gradient with its dimensions back as ones, ready to broadcast."""
    if keepdim or not sizes:
        return grad
    kept = list(sizes)
    for d in _gone(dim, len(sizes)):
        kept[d] = 1
    return F.reshape(grad, tuple(kept))


@formula(tex=phrase(r"\mathrm{{expand}}\left({0}, {2}\right)"))
def _expanded(F: Any, grad: Any, sizes: tuple, dim: Any, keepdim: bool) -> Any:
    """A reduced gradient as often as what was reduced."""
    return F.expand(F.kept(grad, sizes, dim, keepdim), sizes)


# ---- norms and distances


def common_shape(*shapes: tuple) -> tuple:
    """The shape in which arrays of these shapes meet. Raises: RuntimeError in torch's words."""
    try:
        return xp.broadcast_shapes(*shapes)
    except ValueError:
        raise shape_mismatch(*(xp.broadcast_to(0, shape) for shape in shapes)) from None


def floats_only(name: str, array: Any) -> None:
    if array.dtype.kind != "f":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got "
                           f"{dtypes.of(array.dtype).scalar_type}")


def _norm(self: Any, ord: float, dim: Any, keepdim: bool = False) -> Any:
    floats_only("linalg.vector_norm", self)
    require(_count(self.shape, dim) or 0 <= ord < math.inf, f"linalg.vector_norm cannot compute the {ord} norm on an "
            "empty tensor because the operation does not have an identity")
    axes = _axes(dim, self)
    if ord == 2:
        return xp.sqrt(_add(self * self, axes, keepdims=keepdim))
    size = xp.absolute(self)
    if ord in (math.inf, -math.inf):
        return (size.max if ord > 0 else size.min)(axis=axes, keepdims=keepdim)
    if ord in (0, 1):
        return _add(size if ord else (size != 0).astype(self.dtype), axes, keepdims=keepdim)
    return _add(size**ord, axes, keepdims=keepdim) ** (1 / ord)


def _besides(dim: int, rank: int) -> tuple[int, ...]:
    return tuple(d for d in range(rank) if d != dim % rank)


def _renorm(self: Any, p: float, dim: int, maxnorm: float) -> Any:
    require(p > 0, "renorm: non-positive-norm not supported")
    require(maxnorm >= 0, f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    require(self.ndim > 1, f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    check_dim(dim, self.ndim)
    norms = _norm(self, p, _besides(dim, self.ndim), True)
    return self * xp.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1).astype(self.dtype)


@formula(tex=phrase(r"\begin{{cases}}\frac{{{4}}}{{\lVert {1}\rVert}} \odot \left({0:1} - \frac{{\sum {0:2} \odot "
                    r"{1:2}}}{{\lVert {1}\rVert}} \odot \mathrm{{sgn}}\left({1}\right) \odot \left(\frac{{\left\lvert "
                    r"{1}\right\rvert}}{{\lVert {1}\rVert}}\right)^{{{2} - 1}}\right) & \lVert {1}\rVert > {4} \\ "
                    r"{0} & \text{{else}}\end{{cases}}", 1))
def _renorm_slope(F: Any, grad: Any, x: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Through `x * maxnorm / norm` where a part was too long: what would only change its length is taken out."""
    others = _besides(dim, len(x.shape))
    norm = F.linalg_vector_norm(x, p, others, True)
    inverse = 1 / (norm + 1e-7)
    longer = F.norm_slope(F.sum_dim(x * grad, others, True), x, norm, p, others, True)
    return F.where(norm > maxnorm, maxnorm * inverse * (grad - inverse * longer), grad)


@formula(tex=phrase(r"{0:1} \odot \mathrm{{sgn}}\left({1}\right) \odot "
                    r"\left(\frac{{\left\lvert {1}\right\rvert}}{{{2}}}\right)^{{{3} - 1}}", 1))
def _norm_slope(F: Any, grad: Any, x: Any, norm: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """grad * sign(x) * |x|^(ord-1) / norm^(ord-1), and 0 where the norm is 0."""
    sizes = tuple(x.shape)
    grad, norm = (_kept(F, v, sizes, dim, keepdim) for v in (grad, norm))
    if ord == 0:
        return None
    if ord == 1:
        return F.sgn(x) * grad
    if ord == 2:
        return F.where(norm == 0, 0.0, x / norm) * grad
    if ord in (math.inf, -math.inf):
        ties = F.abs(x) == norm
        count = F.sum_dim(ties, dim, True)
        return F.sgn(x) * ties * (grad / F.cast(count, kind_of(x)))
    slope = (x * F.pow_of(F.abs(x), ord - 2) if ord >= 2 else
             F.where(x == 0, 0.0, F.sgn(x) * F.pow_of(F.abs(x), ord - 1)))
    return slope * F.where(norm == 0, 0.0, grad / F.pow_of(norm, ord - 1))


def _apart(x1: Any, x2: Any) -> Any:
    require(x1.shape[-1] == x2.shape[-1], "X1 and X2 must have the same number of columns. X1: "
            f"{x1.shape[-1]} X2: {x2.shape[-1]}")
    common_shape(x1.shape[:-2], x2.shape[:-2])
    return x1[..., :, None, :] - x2[..., None, :, :]


def _cdist_back(grad_output: Any, x1: Any, x2: Any, result: Any, p: float, dim: int) -> Any:
    if p == 0:
        return xp.zeros_like(x1) if dim == -2 else -xp.zeros_like(x2)  # the rule of x2 turns the sign
    return xp.sum(_norm_slope(RAW, grad_output, _apart(x1, x2), result, p, -1, False), axis=dim)


# ---- choosing and ordering


def _median(self: Any) -> Any:
    """The lower of the two middle elements; nan if any element is, or if there is none."""
    return _middle(self.reshape(-1), 0)[0] if self.size else namespace(self).asarray(math.nan).astype(self.dtype)


def _middle(self: Any, dim: int, keepdim: bool = False) -> tuple:
    """As `_median` along `dim`, with its place; of nans the first."""
    if not self.ndim:
        return self, _first(self)
    nan, half = self != self, (_filled(implemented("median_cpu", self, "iuf"), dim, "median").shape[dim] - 1) // 2
    at = xp.where(nan.any(dim, keepdims=True), nan.argmax(dim, keepdims=True), _order(self, dim, False, [half]))
    return _picked(self, at, dim, keepdim)


def _picked(self: Any, at: Any, dim: int, keepdim: bool = True) -> tuple:
    """The elements at these places of each line along `dim`, and the places; without `keepdim` it is one of each."""
    if not self.ndim:
        return self, at
    values = xp.take_along_axis(self, at, dim)
    return (values, at) if keepdim else (values.squeeze(dim), at.squeeze(dim))


def _chosen(self: Any, dim: int, keepdim: bool, choose: Any) -> tuple:
    return _picked(self, choose(self, axis=_axes(dim, self), keepdims=True), dim, keepdim)


def _first(self: Any) -> Any:
    """The place of the only element of a 0-d array."""
    return namespace(self).zeros((), "int64")[()]


def _order(self: Any, dim: int, descending: bool, ranks: Any = None) -> Any:
    """Where the elements of these ranks (or all) are in sorted order, equal ones as they came; nan is the largest."""
    if not self.ndim:
        return _first(self)
    at = xp.argsort(xp.flip(self, dim) if descending else self, axis=dim, kind="stable")
    if descending:
        at = xp.flip(self.shape[dim] - 1 - at, dim).copy()
    return at if ranks is None else at.take(ranks, axis=dim)


def _sort(self: Any, dim: int = -1, descending: bool = False) -> tuple:
    return _picked(self, _order(self, dim, descending), dim)


def _topk(self: Any, k: int, dim: int = -1, largest: bool = True) -> tuple:
    require(0 <= k <= (self.shape[dim] if self.ndim else 1), "selected index k out of range")
    return _picked(self, _order(self, dim, largest, range(k)), dim)


def _kth(self: Any, k: int, dim: int = -1, keepdim: bool = False) -> tuple:
    if not 1 <= k <= (_filled(self, dim, "kthvalue").shape[dim] if self.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim % (self.ndim or 1)}")
    return _picked(implemented("kthvalue_cpu", self, "iuf"), _order(self, dim, False, [k - 1]), dim, keepdim)


def _mode(self: Any, dim: int = -1, keepdim: bool = False) -> tuple:
    """The most frequent value, the smallest of equals, and the last place where it is; a nan stays where it came."""
    if not _filled(self, dim, "mode").ndim:
        return self.copy(), _first(self)
    lines = xp.moveaxis(self, dim, -1)
    at = namespace(self).empty(lines.shape[:-1], "int64")
    for place in xp.ndindex(*at.shape):
        value = lines[place].tolist().__getitem__
        runs = [list(run) for _, run in itertools.groupby(sorted(range(self.shape[dim]), key=value), value)]
        at[place] = most(runs, key=len)[-1]
    return _picked(self, xp.expand_dims(at, dim), dim, keepdim)


def _unique(self: Any, inverse: bool, counts: bool, dim: Any) -> tuple:
    found = xp.unique(self, return_inverse=inverse, return_counts=counts, axis=dim, equal_nan=False)
    return found if isinstance(found, tuple) else (found,)


# ---- spread, and what runs along


def _logsumexp(self: Any, dim: Any, keepdim: bool = False) -> Any:
    self, axes = beside(self, 1.0), _axes(dim, self)
    top = self.max(axes, keepdims=True) if self.size else namespace(self).full((), -math.inf, self.dtype)
    top = xp.where(xp.isfinite(top), top, self.dtype.type(0))
    total = xp.log(xp.sum(xp.exp(self - top), axis=axes, keepdims=True)) + top
    return total if keepdim else total.squeeze(axes)


def _degrees(sizes: tuple, dim: Any, correction: Any) -> Any:
    return most(0, _count(sizes, dim) - (1 if correction is None else correction))


def _var(self: Any, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Any:
    require(self.dtype.kind == "f", "std and var only support floating point and complex dtypes")
    x, axes = self if self.dtype.itemsize > 2 else self.astype("float32"), _axes(dim, self)
    off = x - _add(x, axes, keepdims=True) / _count(x.shape, dim)
    total = _add(off * off, axes, keepdims=keepdim) / _degrees(x.shape, dim, correction)
    return total.astype(self.dtype, copy=False)


def _running(reduce: Any, self: Any, dim: int) -> Any:
    """Sums and products so far; floats in double on the way, as in torch."""
    if not self.ndim:
        return self.copy() if self.dtype.kind == "f" else self.astype("int64")
    total = reduce.accumulate(self, dim, dtype=whole_type(self) or "float64")
    return total.astype(self.dtype) if self.dtype.kind == "f" else total


def _so_far(step: Any, self: Any, dim: int) -> Any:
    """`step.accumulate`; CuPy has it for sums and products alone, so there it goes slice by slice."""
    if namespace(self) is xp:
        return step.accumulate(self, dim)
    values = self.copy()
    slices = xp.moveaxis(values, dim, 0)
    for before, here in itertools.pairwise(slices):
        here[...] = step(before, here)
    return values


def _record(self: Any, dim: int, best: Any) -> tuple:
    """The best so far and where it was, the latest of equals."""
    if not self.ndim:
        return self.copy(), _first(self)
    values = _so_far(best, self, dim)
    places = namespace(self).arange(self.shape[dim]).reshape((-1,) + (1,) * (self.ndim - dim % self.ndim - 1))
    new = (self == values) | (self != self)
    return values, _so_far(xp.maximum, xp.where(new, places, 0), dim)


# ---- sums

sum_all = op("sum", _sum,
    self = lambda F, grad, self_sym_sizes: F.expand(grad, self_sym_sizes))
sum_dim = op("sum_dim", lambda self, dim, keepdim=False: _add(
        self, _axes(dim, self), keepdims=keepdim, dtype=None if self.dtype.kind == "f" else "int64"),
    grad_fn="SumBackward1",
    self = lambda F, grad, self_sym_sizes, dim, keepdim: F.expanded(grad, self_sym_sizes, dim, keepdim))
sum_as = op("sum_as", lambda self, kind: _add(self, None, dtype=kind),
    grad_fn="SumBackward0", elementwise=True, **sum_all.row.derivatives)
mean_all = op("mean", lambda self: _sum(_with_mean(self)) / self.size,
    keeps=("self_sym_numel", "self_sym_sizes"), letters={"self_sym_sizes": "n"},
    self = lambda F, grad, self_sym_numel, self_sym_sizes: F.div_scalar(
        F.expand(grad, self_sym_sizes), self_sym_numel))
mean_dim = op("mean_dim", lambda self, dim, keepdim: _add(_with_mean(self), _axes(dim, self), keepdims=keepdim)
        / self.dtype.type(_count(self.shape, dim)), grad_fn="MeanBackward1", keeps=("self_sym_numel",),
    self = lambda F, grad, self_sym_sizes, dim, keepdim: F.div_scalar(
        F.expanded(grad, self_sym_sizes, dim, keepdim), F.count(self_sym_sizes, dim)))
all_of = op("all", lambda self, dim=None, keepdim=False: _claim(xp.all, self, dim, keepdim), fixed=("self",))
any_of = op("any", lambda self, dim=None, keepdim=False: _claim(xp.any, self, dim, keepdim), fixed=("self",))
vector_norm = op("linalg_vector_norm", _norm, keeps=("dim", "keepdim", "ord"),
    self = lambda F, grad, self, result, ord, dim, keepdim: F.norm_slope(grad, self, result, ord, dim, keepdim))
renorm = op("renorm", _renorm, keeps=("dim", "maxnorm", "p"), letters={"maxnorm": "m"},
    self = lambda F, grad, self, p, dim, maxnorm: F.renorm_slope(grad, self, p, dim, maxnorm))
prod_all = op("prod", lambda self: xp.multiply.reduce(self, None, dtype=whole_type(self)),
    self = lambda F, grad, self, result: F.prod_slope(grad, self, result))
prod_dim = op("prod_dim", lambda self, dim, keepdim=False: xp.multiply.reduce(
        self, dim, keepdims=keepdim, dtype=whole_type(self)), grad_fn="ProdBackward1",
    self = lambda F, grad, self, result, dim, keepdim: F.prod_slope(grad, self, result, dim, keepdim))
nansum_dim = op("nansum", lambda self, dim=None, keepdim=False: xp.nansum(
        self, axis=_axes(dim, self), keepdims=keepdim, dtype=whole_type(self)),
    self = lambda F, grad, self, dim, keepdim: F.kept(grad, F.sizes(self), dim, keepdim) * ~F.isnan(self))
logsumexp_dim = op("logsumexp", _logsumexp,
    self = lambda F, grad, self, result, dim, keepdim: F.kept(grad, F.sizes(self), dim, keepdim)
        * F.exp(self - F.kept(result, F.sizes(self), dim, keepdim)))

# ---- extremes: the elements that were taken get the gradient, equal ones share it

TAKEN = {"outputs": ("values", "indices"), "self": lambda F, grad, indices, self_sym_sizes, dim, keepdim:
    F.to_chosen(grad, indices, self_sym_sizes, dim, keepdim)}
MOVED = {"outputs": ("values", "indices"), "self": lambda F, grad, indices, self_sym_sizes, dim:
    F.to_chosen(grad, indices, self_sym_sizes, dim, True)}
max_all = op("max", lambda self: _filled(self, None, "max").max(), grad_fn="MaxBackward1",
    self = lambda F, grad, self, result: F.where(F.reached(self, result), grad / F.ties(self, result), 0.0))
min_all = op("min", lambda self: _filled(self, None, "min").min(), grad_fn="MinBackward1", **max_all.row.derivatives)
median_all = op("median", _median, **max_all.row.derivatives)
amax_dim = op("amax", lambda self, dim=(), keepdim=False: _filled(self, dim, "amax").max(
        axis=_axes(dim, self), keepdims=keepdim),
    self = lambda F, grad, self, result, dim, keepdim: F.share(grad, self, result, dim, keepdim))
amin_dim = op("amin", lambda self, dim=(), keepdim=False: _filled(self, dim, "amin").min(
        axis=_axes(dim, self), keepdims=keepdim), **amax_dim.row.derivatives)
aminmax_dim = op("aminmax", lambda self, dim=None, keepdim=False: (
        _filled(self, dim, "aminmax").min(axis=dim, keepdims=keepdim), self.max(axis=dim, keepdims=keepdim)),
    outputs=("min", "max"), multi=True,
    self = lambda F, grad, self, min, max, dim, keepdim: F.share_both(grad, self, min, max, dim, keepdim))
max_dim = op("max_dim", lambda self, dim, keepdim=False: _chosen(_filled(self, dim, "max"), dim, keepdim, xp.argmax),
    grad_fn="MaxBackward0", **TAKEN)
min_dim = op("min_dim", lambda self, dim, keepdim=False: _chosen(_filled(self, dim, "min"), dim, keepdim, xp.argmin),
    grad_fn="MinBackward0", **TAKEN)
median_dim = op("median_dim", _middle, grad_fn="MedianBackward1", **TAKEN)
kthvalue_dim = op("kthvalue", _kth, **TAKEN)
mode_dim = op("mode", _mode, **TAKEN)
sort_dim = op("sort", _sort, **MOVED)
sort_stable = op("sort_stable", _sort, grad_fn="SortBackward1", **MOVED)  # the sort is stable anyway
topk_dim = op("topk", _topk, **MOVED)
argmax_dim = op("argmax", lambda self, dim=None, keepdim=False: xp.argmax(
        _filled(self, dim, "argmax"), _axes(dim, self), keepdims=keepdim), fixed=("self",))
argmin_dim = op("argmin", lambda self, dim=None, keepdim=False: xp.argmin(
        _filled(self, dim, "argmin"), _axes(dim, self), keepdims=keepdim), fixed=("self",))
unique_of = op("_unique2", _unique, outputs=("output", "inverse_indices", "counts"), grad_fn="Unique2Backward0",
    self = lambda F: F.refuse("_unique2"))
argsort_dim = op("argsort", lambda self, dim=-1, descending=False: _order(self, dim, descending), fixed=("self",))

# ---- spread

var_dim = op("var", _var,
    self = lambda F, grad, self, dim, correction, keepdim: F.var_slope(grad, self, dim, correction, keepdim))
std_dim = op("std", lambda self, dim=None, correction=None, keepdim=False: xp.sqrt(
        _var(self, dim, correction, keepdim)),
    self = lambda F, grad, self, result, dim, correction, keepdim: F.var_slope(
        F.where(result == 0, 0.0, grad / (2 * result)), self, dim, correction, keepdim))
var_mean_dim = op("var_mean", lambda self, dim=None, correction=None, keepdim=False: (
        _var(self, dim, correction, keepdim), xp.mean(self, axis=_axes(dim, self), keepdims=keepdim)),
    outputs=("result0", "result1"), multi=True,
    self = lambda F, grad, self, dim, correction, keepdim: F.var_mean_slope(
        grad[0], grad[1], self, dim, correction, keepdim))
std_mean_dim = op("std_mean", lambda self, dim=None, correction=None, keepdim=False: (
        xp.sqrt(_var(self, dim, correction, keepdim)), xp.mean(self, axis=_axes(dim, self), keepdims=keepdim)),
    outputs=("result0", "result1"), multi=True,
    self = lambda F, grad, self, result0, dim, correction, keepdim: F.var_mean_slope(
        F.of_root(grad[0], result0), grad[1], self, dim, correction, keepdim))

# ---- running

cumsum_dim = op("cumsum", lambda self, dim: _running(xp.add, self, dim),
    self = lambda F, grad, dim: F.cumsum_back(grad, dim))
cumprod_dim = op("cumprod", lambda self, dim: _running(xp.multiply, self, dim),
    self = lambda F, grad, self, result, dim: F.cumprod_slope(grad, self, result, dim))
logcumsumexp_dim = op("logcumsumexp", lambda self, dim: _so_far(
        xp.logaddexp, implemented("logcumsumexp_out_cpu", self), dim) if self.ndim else self.copy(),
    self = lambda F, grad, self, result, dim: F.logcumsumexp_slope(grad, self, result, dim))
cummax_dim = op("cummax", lambda self, dim: _record(self, dim, xp.maximum), outputs=("values", "indices"),
    self = lambda F, grad, self, indices, dim: F.scatter_add(F.zeros_as(grad, F.sizes(self)), indices, grad, dim))
cummin_dim = op("cummin", lambda self, dim: _record(self, dim, xp.minimum), outputs=("values", "indices"),
    **cummax_dim.row.derivatives)

# ---- distances

dist_of_two = op("dist", lambda self, other, p=2: _norm(self - other, p, None), elementwise=True,
    self  = lambda F, grad, self, other, result, p: F.norm_slope(grad, self - other, result, p, None, False),
    other = lambda F, grad, self, other, result, p: -F.norm_slope(grad, self - other, result, p, None, False))
cdist_of_two = op("cdist", lambda x1, x2, p=2.0: _norm(_apart(x1, x2), p, -1),
    x1 = lambda F, grad, x1, x2, result, p: F.cdist_back(grad, x1, x2, result, p, -2),
    x2 = lambda F, grad, x1, x2, result, p: -F.cdist_back(grad, x1, x2, result, p, -3))
cdist_back = op("cdist_back", _cdist_back, grad_fn="CdistBackwardBackward0", fixed=("result",),
    **dict.fromkeys(("grad_output", "x1", "x2"), lambda F: F.refuse("_cdist_backward")))


# ---- parts of the derivatives


@formula(tex=lambda x: x)
def sizes(F: Any, x: Any) -> tuple:
    return tuple(x.shape)


@formula(tex=lambda x, best: x == best)
def reached(F: Any, x: Any, best: Any) -> Any:
    """Which elements are the extreme `best`: the nans if it is one."""
    return F.isnan(x) if best != best else x == best


@formula(tex=lambda *_: Symbol("k"))
def ties(F: Any, x: Any, best: Any) -> Any:
    """How many elements share the gradient of an extreme."""
    return F.cast(F.sum(F.reached(x, best)), kind_of(best))


def kind_of(x: Any) -> Any:
    """NumPy's type of an array, or of a tensor's array: a formula runs on both."""
    return getattr(x, "_data", x).dtype


@formula(tex=lambda *_: Symbol("n"))
def count(F: Any, sizes: tuple, dim: Any) -> int:
    return _count(sizes, dim)


@formula(tex=lambda grad, x, best, *_: grad * (x == best) / Symbol("k"))
def share(F: Any, grad: Any, x: Any, best: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of an extreme, in equal parts to all elements that reach it."""
    mask = x == F.kept(best, tuple(x.shape), dim, keepdim)
    count = F.sum_dim(mask, dim, True)
    return F.kept(grad, tuple(x.shape), dim, keepdim) * mask / F.cast(count, kind_of(best))


@formula(tex=lambda grad, x, least, most, *_: (
    SYMBOLS.share(grad[0], x, least) + SYMBOLS.share(grad[1], x, most)))
def share_both(F: Any, grad: tuple, x: Any, least: Any, most: Any, dim: Any, keepdim: bool) -> Any:
    parts = [F.share(g, x, best, dim, keepdim) for g, best in zip(grad, (least, most), strict=True) if g is not None]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@formula(tex=phrase(r"0[{1}] \leftarrow {0}", 0))
def to_chosen(F: Any, grad: Any, indices: Any, sizes: tuple, dim: int, keepdim: bool) -> Any:
    """Zeros, and the gradient where `indices` say that the values were taken from."""
    if not sizes:
        return grad
    if not keepdim:
        grad, indices = (F.unsqueeze(v, dim % len(sizes)) for v in (grad, indices))
    return F.scatter(F.zeros_as(grad, sizes), indices, grad, dim)


@formula(tex=lambda grad, x, result, *_: grad * (result / x))
def prod_slope(F: Any, grad: Any, x: Any, result: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """grad * result / x; where one element is 0, the product of the others is asked for."""
    if not x.shape:
        return grad
    if dim is not None:
        grad, result = (F.kept(v, tuple(x.shape), dim, keepdim) for v in (grad, result))
    if not (x == 0).any():
        return grad * (result / x)
    if dim is not None:
        return grad * F.others(x, dim)
    return F.reshape(grad * F.others(F.reshape(x, (-1,)), 0), tuple(x.shape))


@formula()
def others(F: Any, x: Any, dim: int) -> Any:
    """For each element the product of all others along `dim`, exact where some are 0."""
    dim, n = dim % len(x.shape), x.shape[dim]
    one = F.zeros_as(x, tuple(1 if i == dim else m for i, m in enumerate(x.shape))) + 1
    before = F.cumprod(F.cat([one, F.slice(x, dim, 0, n - 1, 1)], dim), dim)
    turned = F.flip(F.slice(x, dim, 1, n, 1), (dim,))
    return before * F.flip(F.cumprod(F.cat([one, turned], dim), dim), (dim,))


@formula(tex=lambda grad, x, _dim, correction, _keepdim: grad * (
    2 * (x - SYMBOLS.mean_dim(x)) / (Symbol("n") - (1 if correction is None else correction))))
def var_slope(F: Any, grad: Any, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """2 / (n - correction) * grad * (x - mean)."""
    off = x - F.mean_dim(x, _gone(dim, len(x.shape)), True)
    free = _degrees(tuple(x.shape), dim, correction)
    return (2.0 / free if free else math.inf) * F.kept(grad, tuple(x.shape), dim, keepdim) * off


@formula(tex=lambda spread, mean, *options: SYMBOLS.var_slope(spread, *options) + mean / Symbol("n"))
def var_mean_slope(F: Any, spread: Any, mean: Any, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    slope = None if spread is None else F.var_slope(spread, x, dim, correction, keepdim)
    if mean is None:
        return slope
    shared = F.expanded(mean, tuple(x.shape), dim, keepdim) / _count(tuple(x.shape), dim)
    return shared if slope is None else slope + shared


@formula(tex=lambda grad, root: grad / (2 * root))
def of_root(F: Any, grad: Any, root: Any) -> Any:
    return grad if grad is None else F.where(root == 0, 0.0, grad / (2 * root))


@formula(tex=phrase(r"\sum_{{j \ge i}} {0:4}[j]", 1))
def cumsum_back(F: Any, grad: Any, dim: int) -> Any:
    """Sums from the end: each element counts in all sums that follow it."""
    return F.flip(F.cumsum(F.flip(grad, (dim,)), dim), (dim,)) if grad.shape else grad


@formula(tex=phrase(r"\frac{{1}}{{{1:4}[i]}} \sum_{{j \ge i}} {0:4}[j] \cdot {2:4}[j]", 1))
def cumprod_slope(F: Any, grad: Any, x: Any, result: Any, dim: int) -> Any:
    """cumsum_back(grad * result) / x; with a 0 among the factors, each element by itself."""
    if not x.shape or x.shape[dim] <= 1:
        return grad
    if not (x == 0).any():
        return F.cumsum_back(result * grad, dim) / x
    n, pieces = x.shape[dim], []
    for k in range(n):
        before = F.prod_dim(F.slice(x, dim, 0, k, 1), dim, True)
        after = F.slice(grad, dim, k + 1, n, 1) * F.cumprod(F.slice(x, dim, k + 1, n, 1), dim)
        pieces.append(before * (F.slice(grad, dim, k, k + 1, 1) + F.sum_dim(after, (dim,), True)))
    return F.cat(pieces, dim)


@formula(tex=phrase(r"e^{{{1:4}[i]}} \sum_{{j \ge i}} {0:4}[j] \cdot e^{{-{2:4}[j]}}", 1))
def logcumsumexp_slope(F: Any, grad: Any, x: Any, result: Any, dim: int) -> Any:
    """exp(x) times the sums from the end of grad / exp(result), in logarithms."""
    if not x.shape:
        return grad
    size, nothing = F.log(F.abs(grad)), xp.finfo(kind_of(grad)).min.item()
    sides = []
    for side in (grad > 0, grad < 0):
        turned = F.flip(F.where(side, size, nothing) - result, (dim,))
        sides.append(F.exp(F.flip(F.logcumsumexp(turned, dim), (dim,)) + x))
    return sides[0] - sides[1]


@formula()
def refuse(F: Any, name: str) -> Any:
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


# ---- arguments as torch takes them


def _typed(face: Any, self: Any, dtype: Any, *args: Any) -> Any:
    """`face` of `self` in type `dtype`, which the result keeps though integers are summed in int64."""
    require(dtype.is_floating_point or not (grad_mode() and self.requires_grad),
            f"Autograd not support dtype: {dtype.scalar_type}")
    return face(self.to(dtype), *args).to(dtype)


def sum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None,
        keepdims: bool = False) -> Any:
    """Sum of all elements, or along `dim` (an int or a tuple); integers sum to int64."""
    if dim is None and axis is None and not (keepdim or keepdims):
        if dtype is None:
            return sum_all(self)
        if dtype.is_floating_point:
            return sum_as(self, dtype.np)
    dim, keepdim = axis if dim is None else dim, keepdim or keepdims
    return sum_dim(self, dims_of(self, dim), keepdim) if dtype is None else _typed(sum, self, dtype, dim, keepdim)


def mean(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None,
         keepdims: bool = False) -> Any:
    """Mean of all elements, or along `dim`. Raises: RuntimeError for integer tensors."""
    self = self if dtype is None else self.to(dtype)
    if dim is None and axis is None and not (keepdim or keepdims):
        return mean_all(self)
    return mean_dim(self, dims_of(self, axis if dim is None else dim), keepdim or keepdims)


def _along(row: Any, name: str, doc: str, whole: Any = None) -> Any:
    def along(self: Any, dim: Any = whole, keepdim: bool = False) -> Any:
        return row(self, whole if dim is None else dims_of(self, dim), keepdim)

    return titled(along, name, doc)


all = _along(all_of, "all", "True where all elements are; a 0-d bool tensor, or one per slice along `dim`.")
any = _along(any_of, "any", "True where any element is; a 0-d bool tensor, or one per slice along `dim`.")
amax = _along(amax_dim, "amax", "The largest element, over all dimensions or `dim`; ties share the gradient.", ())
amin = _along(amin_dim, "amin", "The smallest element, over all dimensions or `dim`; ties share the gradient.", ())


def norm(self: Any, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """The p-norm of all elements, or along `dim`; p may be a number or "fro"."""
    if p == "nuc":
        return TENSORS.matrix_norm(self, p, (-2, -1) if dim is None else tuple(dim), keepdim)
    p = 2 if p in ("fro", None) else p
    return vector_norm(self, p, None if dim is None else dims_of(self, dim), keepdim)


# ---- named results


class Named(tuple):
    """A tuple whose parts have names, printed over several lines. Source: torch.return_types."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = ",\n".join(f"{n}={v!r}" for n, v in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{parts})"


def named(name: str, *fields: str) -> type:
    """A class of `torch.return_types`."""
    body = {n: property(itemgetter(i)) for i, n in enumerate(fields)}
    kind = type(name, (Named,), {"__slots__": (), "__module__": "torch.return_types", "fields": fields, **body})
    setattr(return_types, name, kind)
    return kind


return_types = SimpleNamespace()
for _name in "max min median nanmedian sort topk kthvalue cummax cummin mode".split():
    named(_name, "values", "indices")
named("aminmax", "min", "max")


# ---- extremes, order and running operations as torch takes them


def _extreme(name: str, whole: Any, along: Any, of_two: str) -> Any:
    def extreme(self: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, axis: Any = None,
                keepdims: bool = False) -> Any:
        dim, keepdim = axis if dim is None else dim, keepdim or keepdims
        other = dim if isinstance(dim, TensorBase) else other
        if other is not None:
            return getattr(TENSORS, of_two)(self, other)
        if dim is None:
            return whole(self)
        return getattr(return_types, name)(along(self, own_dim(self, dim), keepdim))

    return titled(
        extreme, name, f"`{name}` of all elements, `(values, indices)` along `dim`, or of two tensors, one by one.")


max, min = _extreme("max", max_all, max_dim, "maximum"), _extreme("min", min_all, min_dim, "minimum")
median = _extreme("median", median_all, median_dim, "")


def aminmax(self: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """Smallest and largest element at once."""
    return return_types.aminmax(aminmax_dim(self, dim if dim is None else own_dim(self, dim), keepdim))


def _place(row: Any, name: str, which: str) -> Any:
    def place(self: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool = False) -> Any:
        dim, keepdim = axis if dim is None else dim, keepdim or keepdims
        require(self._data.dtype.kind != "b", f"{name}(): does not support bool input")
        return row(self, dim if dim is None else check_dim(dim, self._data.ndim), keepdim)

    return titled(place, name, f"Where the {which} element is: in the flattened tensor, or along `dim`.")


argmax, argmin = _place(argmax_dim, "argmax", "largest"), _place(argmin_dim, "argmin", "smallest")


def sort(self: Any, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """`(values, indices)` in order along `dim`; equal elements keep their order, `stable` or not."""
    return return_types.sort((sort_dim if stable is None else sort_stable)(self, own_dim(self, dim), descending))


def argsort(self: Any, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
    """The positions that would sort along `dim`."""
    return argsort_dim(self, own_dim(self, dim), descending)


def msort(self: Any) -> Any:
    """The rows sorted, column by column."""
    return sort(self, 0)[0]


def topk(self: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` largest (or smallest) elements along `dim`: `(values, indices)`."""
    require(self._data.dtype.kind != "b", "topk does not support bool dtypes on CPU")
    return return_types.topk(topk_dim(self, k, own_dim(self, dim), largest))


def kthvalue(self: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along `dim`: `(values, indices)`."""
    return return_types.kthvalue(kthvalue_dim(self, k, own_dim(self, dim), keepdim))


def mode(self: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along `dim`: `(values, indices)`."""
    return return_types.mode(mode_dim(self, own_dim(self, dim), keepdim))


def _cumulative(row: Any, name: str) -> Any:
    def running(self: Any, dim: int, *, dtype: Any = None) -> Any:
        if dtype is not None:
            return _typed(running, self, dtype, dim)
        result = row(self, own_dim(self, dim))
        return getattr(return_types, name)(result) if isinstance(result, tuple) else result

    return titled(running, name, f"`{name}` along `dim`: each result covers all elements up to its place.")


cumsum, cumprod = _cumulative(cumsum_dim, "cumsum"), _cumulative(cumprod_dim, "cumprod")
cummax, cummin = _cumulative(cummax_dim, "cummax"), _cumulative(cummin_dim, "cummin")
logcumsumexp = _cumulative(logcumsumexp_dim, "logcumsumexp")


# ---- other reductions as torch takes them


def prod(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None) -> Any:
    """The product of all elements, or along `dim`."""
    dim = axis if dim is None else dim
    if dtype is not None:
        return _typed(prod, self, dtype, dim, keepdim)
    return prod_all(self) if dim is None else prod_dim(self, own_dim(self, dim), keepdim)


def nansum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum without the nans."""
    if dtype is not None:
        return _typed(nansum, self, dtype, dim, keepdim)
    return nansum_dim(self, None if dim is None else dims_of(self, dim), keepdim)


def nanmean(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean without the nans."""
    require(self.is_floating_point(), "nanmean(): expected input to have floating point or complex dtype but got "
            f"{self.dtype.scalar_type}")
    return nansum(self, dim, keepdim, dtype=dtype) / sum(~self.detach().isnan(), dim, keepdim)


def logsumexp(self: Any, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials along `dim`, without overflow."""
    return logsumexp_dim(self, dims_of(self, dim), keepdim)


def _spread(row: Any, name: str) -> Any:
    def spread(self: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *,
               correction: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
        dim, keepdim = axis if dim is None else dim, keepdim or keepdims
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is not None:
            correction = int(unbiased)
        elif dim is not None and correction is None:
            correction = 1
        dims = None if dim is None else dims_of(self, dim)
        if self._data.dtype.kind == "f" and not _degrees(self._data.shape, dims, correction):
            warnings.warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
                          "reduction factor (input numel divided by output numel).", UserWarning, 2)
        return row(self, dims, correction, keepdim)

    return titled(spread, name, f"`{name}` of all elements or along `dim`, divided by n - `correction` (1 by default).")


var, std = _spread(var_dim, "var"), _spread(std_dim, "std")
var_mean, std_mean = _spread(var_mean_dim, "var_mean"), _spread(std_mean_dim, "std_mean")


def dist(self: Any, other: Any, p: float = 2) -> Any:
    """The p-norm of `self - other`."""
    return dist_of_two(self, other, p)


def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: Any = None) -> Any:
    """The distance of every row of `x1` from every row of `x2`."""
    for word, x in (("X1", x1), ("X2", x2)):
        require(x.is_floating_point(), f"cdist only supports floating-point dtypes, {word} got: {x.dtype.scalar_type}")
        require(x.ndim > 1, f"cdist only supports at least 2D tensors, {word} got: {x.ndim}D")
    same_type(x1._data, x2._data)
    require(p >= 0, "cdist only supports non-negative p values")
    return cdist_of_two(x1, x2, float(p))


_ROUNDED = {"lower": (xp.floor,), "higher": (xp.ceil,), "nearest": (xp.rint,)}


def quantile(self: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
    """The value below which a part `q` of the elements lies, between two of them if need be."""
    data = self._data
    at = q._data if isinstance(q, TensorBase) else namespace(data).asarray(q, data.dtype)
    require(data.dtype.char in "fd", "quantile() input tensor must be either float or double dtype")
    require(at.dtype == data.dtype, "quantile() q tensor must be same dtype as the input tensor")
    require(at.ndim < 2, "quantile() q must be a scalar or 1D tensor")
    require(data.size, "quantile() input tensor must be non-empty")
    require(interpolation in ("linear", "midpoint", *_ROUNDED), "quantile() interpolation must be one of linear, "
            f"lower, higher, midpoint or nearest, but got {interpolation}")
    require(((at >= 0) & (at <= 1)).all(), "quantile() q values must be in the range [0, 1]" if at.ndim else
            f"quantile() q must be in the range [0, 1] but got {at.item():g}")
    gone = range(data.ndim) if dim is None else (check_dim(dim, data.ndim),)
    x = self.reshape(-1) if dim is None else self if data.ndim - 1 in gone else self.unsqueeze(-1).transpose(*gone, -1)
    shape = [1 if d in gone else n for d, n in enumerate(data.shape) if keepdim or d not in gone]
    ordered = sort(x)[0].view(*shape, -1)
    end = ordered.shape[-1] - 1
    rank = xp.where(xp.isnan(ordered._data[..., -1:]), end, at.reshape(-1) * end)  # nan comes last, and goes before all
    rounds = _ROUNDED.get(interpolation, (xp.floor, xp.ceil))
    result, *high = (TENSORS.gather(ordered, _tensor_of(round(rank).astype("int64")), -1) for round in rounds)
    if high:
        way = rank - xp.floor(rank) if interpolation == "linear" else xp.full_like(rank, 0.5)
        result = inplace(TENSORS.lerp_tensor)(result, *high, _tensor_of(way.astype(data.dtype)))
    return (result.unsqueeze_(0).transpose_(0, -1) if at.ndim else result).squeeze_(-1)


def _tensor_of(array: Any) -> Any:
    return constant(TensorBase._plain, array)


# ---- counting


def count_nonzero(self: Any, dim: Any = None, *more: int) -> Any:
    """How many elements are not 0."""
    return sum(TENSORS.ne(self, 0), (dim, *more) if more else dim)


def unique(self: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dim: Any = None) -> Any:
    """The different elements in order; on request where each went, and how often it occurs."""
    found = unique_of(self, return_inverse, return_counts, dim if dim is None else own_dim(self, dim))
    return found if len(found) > 1 else found[0]


def bincount(self: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each of 0, 1, 2 ... occurs."""
    require(implemented("bincount_cpu", self._data, "iu").ndim == 1 and (self._data >= 0).all(),
            "bincount only supports 1-d non-negative integral inputs.")
    require(minlength >= 0, "minlength should be >= 0")
    require(weights is None or weights.shape == self.shape, "weights should be 1-d and have the same length as input")
    counts = xp.bincount(self._data, None if weights is None else weights._data, minlength)
    return _tensor_of(counts if weights is None or weights._data.dtype != "float32" else counts.astype("float32"))


def histc(self: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """How many elements lie in each of `bins` equal intervals of `[min, max]`."""
    x = implemented("histogram_cpu", self._data)
    low, high = (x.min(), x.max()) if min == max and x.size else (min, max)
    require(bins > 0, f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    require(math.isfinite(low) and math.isfinite(high), f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    require(low <= high, "torch.histc: max must be larger than min")
    low, high = (low - 1, high + 1) if low == high else (low, high)
    return _tensor_of(xp.histogram(x, bins, (low, high))[0].astype(x.dtype))


def searchsorted(sorted_sequence: Any, values: Any, *, out_int32: bool = False, right: bool = False,
                 side: Any = None, sorter: Any = None) -> Any:
    """Where each value belongs in an ordered sequence; `sorter` holds the positions that order it."""
    if sorter is not None:
        sorted_sequence = TENSORS.gather(sorted_sequence, sorter, -1)
    right = right or side == "right"
    found = values._data if isinstance(values, TensorBase) else xp.asarray(values)
    rows = sorted_sequence._data
    compare = xp.less_equal if right else xp.less
    places = (xp.searchsorted(rows, found, "right" if right else "left") if rows.ndim == 1 else
              compare(rows[..., None, :], found[..., :, None]).sum(-1))
    return _tensor_of(places.astype("int32" if out_int32 else "int64"))


def bucketize(self: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Which interval between `boundaries` each element lies in."""
    require(boundaries.ndim == 1, f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, self, out_int32=out_int32, right=right)


def isclose(self: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """True where elements agree to `atol + rtol * |other|`."""
    a_tensor(other)
    same_type(self._data, other._data, said="{0} did not match {1}")
    for word, limit in (("rtol", rtol), ("atol", atol)):
        require(limit >= 0, f"{word} must be greater than or equal to zero, but got {limit:g}")
    common_shape(self._data.shape, other._data.shape)
    return _tensor_of(xp.isclose(self._data, other._data, float(rtol), float(atol), equal_nan))


def trapezoid(y: Any, x: Any = None, *, dx: float = 1, dim: int = -1) -> Any:
    """The area under the line through the points `y`."""
    dim = check_dim(dim, y._data.ndim)
    y, n = y if y._data.dtype.kind == "f" else y.to(dtypes.get_default_dtype()), y.shape[dim]
    if not n:
        return y.detach().sum(dim)
    if x is None:
        ends = TENSORS.select(y, dim, 0) + TENSORS.select(y, dim, n - 1)
        return TENSORS.mul_scalar(y.sum(dim) - TENSORS.mul_scalar(ends, 0.5), float(dx))
    one = x.ndim == 1
    require(not one or len(x) == n, "trapezoid: There must be one `x` value for each sample point")
    x = x.view([-1 if d == dim else 1 for d in range(y.ndim)] if one else (1,) * (y.ndim - x.ndim) + tuple(x.shape))
    left, right, start, stop = (TENSORS.slice(v, dim, i, n - 1 + i, 1) for v in (y, x) for i in (0, 1))
    return TENSORS.div_scalar(((left + right) * (stop - start)).sum(dim), 2.0)
