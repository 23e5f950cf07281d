"""Sums, norms, extremes, order and running operations on arrays, and parts of their derivatives."""

import math

from ...array import accumulate, dtypes, in_order, namespace, xp
from ...core.carriers import RAW, formula
from ...core.modes import whole_array
from ...text.tex import SYMBOLS, Symbol, along, among, becomes, number, part, phrase, symbol
from ..checks import check_dim, common_shape, floats_only, implemented, need, require
from . import index, pointwise

_add = xp.add.reduce

# ---- which dimensions, and of what


def axes_of(dim, of):
    """NumPy's word for `dim`; a 0-d array has no axis, whatever torch lets one ask for."""
    return None if dim is None or dim == () or not of.ndim else dim


def gone(dim, rank: int) -> tuple:
    """The dimensions that `dim` means, all where it names none."""
    return tuple(range(rank)) if dim is None or dim == () else dim if isinstance(dim, tuple) else (dim,)


def count_of(sizes: tuple, dim) -> int:
    return math.prod([sizes[d] for d in gone(dim, len(sizes))]) if sizes else 1


def filled(self, dim, name: str):
    """`self`, if there is something to choose from. Raises: IndexError or RuntimeError as torch."""
    if self.size:
        return self
    need(dim is not None and dim != (), "place_in_nothing" if name[:3] == "arg" else "least_of_nothing", name)
    for d in gone(dim, self.ndim):
        require(self.shape[d], f"{name}(): Expected reduction dim {d % self.ndim} to have non-zero size.", IndexError)
    return self


def place(name: str, choose, self, dim, keepdim: bool):
    """Where the method `choose`, "argmax" or "argmin", finds its element along `dim`, or in the flattened array."""
    return getattr(filled(self, dim, name), choose)(axes_of(dim, self), keepdims=keepdim)


def whole_type(self):
    """The type in which elements are summed: integers and bools in int64."""
    return None if self.dtype.kind == "f" else "int64"


def with_mean(self):
    """`self`, if its elements have a mean."""
    if self.dtype.kind != "f":
        need(False, "mean_of", dtypes.of(self.dtype).scalar_type)
    return self


def kind_of(x):
    """NumPy's type of an array, or of a tensor's array: a formula runs on both."""
    return getattr(x, "_data", x).dtype


# ---- sums and claims


def total(self):
    """The sum of all elements; Python has added a few before NumPy begins."""
    return sum(self.flat) if 0 < self.size < 9 and self.dtype.char in "fd" else _add(self, None, whole_type(self))


def mean(self, dim, keepdim: bool):
    return _add(with_mean(self), axes_of(dim, self), keepdims=keepdim) / self.dtype.type(count_of(self.shape, dim))


def claim(test, self, dim, keepdim: bool):
    """`self.all` or `self.any`; of uint8, torch's first bool, the answer is uint8."""
    holds = test(axis=dim if self.ndim else None, keepdims=keepdim)
    return holds.astype("uint8") if self.dtype == "uint8" else holds


# ---- norms and distances


def norm(self, ord: float, dim, keepdim: bool = False):
    floats_only("linalg.vector_norm", self)
    need(count_of(self.shape, dim) or 0 <= ord < math.inf, "norm_of_nothing", ord)
    axes = axes_of(dim, self)
    if ord == 2:
        return xp.sqrt(_add(self * self, axes, keepdims=keepdim))
    size = xp.absolute(self)
    if ord in (math.inf, -math.inf):
        return (size.max if ord > 0 else size.min)(axis=axes, keepdims=keepdim)
    if ord in (0, 1):
        return _add(size if ord else (size != 0).astype(self.dtype), axes, keepdims=keepdim)
    return _add(size**ord, axes, keepdims=keepdim) ** (1 / ord)


def besides(dim: int, rank: int) -> tuple[int, ...]:
    """All dimensions but one."""
    return tuple([d for d in range(rank) if d != dim % rank])


def renorm(self, p: float, dim: int, maxnorm: float):
    require(p > 0, "renorm: non-positive-norm not supported")
    require(maxnorm >= 0, f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    require(self.ndim > 1, f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    check_dim(dim, self.ndim)
    norms = norm(self, p, besides(dim, self.ndim), True)
    return self * xp.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1).astype(self.dtype)


def cdist(x1, x2, p: float = 2.0):
    """The distances of rows; one coordinate after the other, which torch adds up in their order."""
    need(x1.shape[-1] == x2.shape[-1], "cdist_columns", x1.shape[-1], x2.shape[-1])
    common_shape(x1.shape[:-2], x2.shape[:-2])
    x1, x2 = (in_order(x.swapaxes(-1, -2)) for x in (x1, x2))
    return norm(x1[..., :, None] - x2[..., None, :], p, -3)


def cdist_back(grad_output, x1, x2, result, p: float, dim: int):
    if p == 0:
        return xp.zeros_like(x1) if dim == -2 else -xp.zeros_like(x2)  # the rule of x2 turns the sign
    return norm_slope(RAW, grad_output, x1[..., :, None, :] - x2[..., None, :, :], result, p, -1, False).sum(dim)


# ---- choosing and ordering


def median(self):
    """The lower of the two middle elements; nan if any element is, or if there is none."""
    return middle(self.reshape(-1), 0)[0] if self.size else namespace(self).asarray(math.nan).astype(self.dtype)


def middle(self, dim: int, keepdim: bool = False) -> tuple:
    """As `median` along `dim`, with its place; of nans the first."""
    if not self.ndim:
        return self.copy(), _first(self)
    nan, half = self != self, (filled(implemented("median_cpu", self, "iuf"), dim, "median").shape[dim] - 1) // 2
    at = xp.where(nan.any(dim, keepdims=True), nan.argmax(dim, keepdims=True), order(self, dim, False, [half]))
    return _picked(self, at, dim, keepdim)


def at_places(self, at, dim: int):
    """The elements at these places of each line along `dim`; `xp.take_along_axis` takes twice the time."""
    return self[index.grid(at, dim % self.ndim)]


def _picked(self, at, dim: int, keepdim: bool = True) -> tuple:
    """The elements at these places of each line along `dim`, and the places; without `keepdim` it is one of each."""
    if not self.ndim:
        return self.copy(), at
    values = at_places(self, at, dim)
    return (values, at) if keepdim else (values.squeeze(dim), at.squeeze(dim))


def chosen(name: str, choose, self, dim: int, keepdim: bool) -> tuple:
    """The elements to which the method `choose`, "argmax" or "argmin", leads along `dim`, and their places."""
    return _picked(self, place(name, choose, self, dim, True), dim, keepdim)


def _first(self):
    """The place of the only element of a 0-d array."""
    return namespace(self).zeros((), "int64")[()]


def order(self, dim: int, descending: bool, ranks=None):
    """Where the elements of these ranks (or all) are in sorted order, equal ones as they came; nan is the largest."""
    if not self.ndim:
        return _first(self)
    if ranks and self.dtype.kind == "f" and self.shape[dim] > max(64, 2 * ranks[-1]):  # a few: all the others stay
        lines, count = (-self if descending else self).swapaxes(dim, -1), ranks[-1] + 1
        chosen = ~(lines > xp.partition(lines, count - 1, -1)[..., count - 1, None])
        if (chosen.sum(-1) == count).all():  # else some are as good as the last, or nan
            few = (xp.flatnonzero(chosen) % self.shape[dim]).reshape(*lines.shape[:-1], count).swapaxes(dim, -1)
            return at_places(few, order(at_places(self, few, dim), dim, descending, ranks), dim)
    at = (xp.flip(self, dim) if descending else self).argsort(dim, kind="stable")
    at = xp.flip(self.shape[dim] - 1 - at, dim).copy() if descending else at
    return at if ranks is None else at.take(ranks, axis=dim)


def sort(self, dim: int = -1, descending: bool = False) -> tuple:
    return _picked(self, order(self, dim, descending), dim)


def topk(self, k: int, dim: int = -1, largest: bool = True) -> tuple:
    require(0 <= k <= (self.shape[dim] if self.ndim else 1), "selected index k out of range")
    return _picked(self, order(self, dim, largest, [*range(k)]), dim)


def kth(self, k: int, dim: int = -1, keepdim: bool = False) -> tuple:
    most = filled(self, dim, "kthvalue").shape[dim] if self.ndim else 1
    require(1 <= k <= most, f"kthvalue(): selected number k out of range for dimension {dim % (self.ndim or 1)}")
    return _picked(implemented("kthvalue_cpu", self, "iuf"), order(self, dim, False, [k - 1]), dim, keepdim)


def mode(self, dim: int = -1, keepdim: bool = False) -> tuple:
    """The most frequent value, the smallest of equals, and the last place where it is; a nan stays where it came."""
    if not filled(self, dim, "mode").ndim:
        return self.copy(), _first(self)
    lines, own, ranks = self.swapaxes(dim, -1), namespace(self), namespace(self).arange(self.shape[dim])
    at = lines.argsort(-1, kind="stable") if (self == self).all() else xp.apply_along_axis(
        lambda line: own.asarray(sorted(range(line.size), key=line.tolist().__getitem__)), -1, lines)
    ordered = at_places(lines, at, -1)
    new = xp.concatenate([xp.zeros_like(ordered[..., :1], bool), ordered[..., 1:] != ordered[..., :-1]], -1)
    before = ranks - accumulate(xp.maximum, xp.where(new, ranks, 0), -1)  # how many equal ones came before
    return _picked(self, at_places(at, before.argmax(-1, keepdims=True), -1).swapaxes(dim, -1), dim, keepdim)


def unique(self, inverse: bool, counts: bool, dim) -> tuple:
    found = xp.unique(self, return_inverse=inverse, return_counts=counts, axis=dim, equal_nan=False)
    return found if isinstance(found, tuple) else (found,)


# ---- spread, and what runs along


def logsumexp(self, dim, keepdim: bool = False):
    self, axes = pointwise.beside(self, 1.0), axes_of(dim, self)
    top = self.max(axes, keepdims=True) if self.size else namespace(self).full((), -math.inf, self.dtype)
    top = xp.where(xp.isfinite(top), top, self.dtype.type(0))
    total = xp.log(_add(xp.exp(self - top), axes, keepdims=True)) + top
    return total if keepdim else total.squeeze(axes)


def degrees(sizes: tuple, dim, correction):
    return max(0, count_of(sizes, dim) - (1 if correction is None else correction))


def variance(self, dim=None, correction=None, keepdim: bool = False):
    x, axes = self if self.dtype.itemsize > 2 else self.astype("float32"), axes_of(dim, self)
    off = x - _add(x, axes, keepdims=True) / count_of(x.shape, dim)
    return (_add(off * off, axes, keepdims=keepdim) / degrees(x.shape, dim, correction)).astype(self.dtype, copy=False)


def running(reduce, self, dim: int):
    """Sums and products so far; floats in double on the way, as in torch."""
    if not self.ndim:
        return self.copy() if self.dtype.kind == "f" else self.astype("int64")
    total = reduce.accumulate(self, dim, dtype=whole_type(self) or "float64")
    return in_order(total.astype(self.dtype) if self.dtype.kind == "f" else total)


def record(self, dim: int, best) -> tuple:
    """The best so far and where it was, the latest of equals."""
    if not self.ndim:
        return self.copy(), _first(self)
    values = accumulate(best, self, dim)
    places = namespace(self).arange(self.shape[dim]).reshape((-1,) + (1,) * (self.ndim - dim % self.ndim - 1))
    return values, accumulate(xp.maximum, xp.where((self == values) | (self != self), places, 0), dim)


# ---- parts of derivatives: sums and norms


@formula(tex=lambda x: x)
def sizes(F, x) -> tuple:
    return tuple(x.shape)


@formula(tex=lambda sizes, dim: Symbol("n") if not (k := number((sizes, dim))) or isinstance(k[0], list) else symbol(
    count_of(gone(k[0], 0), k[1])))  # where numbers were put in, a list is what lies in `sizes(x)`
def count(F, sizes: tuple, dim) -> int:
    return count_of(sizes, dim)


def _kept(grad: Symbol, _sizes, dim, keepdim) -> Symbol:
    gone_ = "False" in f"{keepdim}" and number(dim) not in (None, ())
    return SYMBOLS.call("unsqueeze", (grad, dim)) if gone_ and grad.rank != 0 else grad


@formula(tex=_kept)
def kept(F, grad, sizes: tuple, dim, keepdim: bool):
    """A reduced gradient with its dimensions back as ones, ready to broadcast."""
    for d in () if keepdim or not sizes or dim is None else sorted([d % len(sizes) for d in gone(dim, 0)]):
        grad = F.unsqueeze(grad, d)
    return grad


@formula(tex=lambda grad, _sizes, dim, _keepdim: SYMBOLS.call("expand", (grad, along(dim))))
def expanded(F, grad, sizes: tuple, dim, keepdim: bool):
    """A reduced gradient as often as what was reduced."""
    return F.expand(F.kept(grad, sizes, dim, keepdim), sizes)


def _norm_tex(grad: Symbol, x: Symbol, norm: Symbol, ord: Symbol, *dims) -> Symbol:
    grad, norm = (_kept(v, x, *dims) for v in (grad, norm))
    sign = grad * SYMBOLS.sgn(x)
    if "inf" in f"{ord}":
        return sign * (hits := SYMBOLS.abs(x) == norm) / _along("count", hits, *dims[:1])
    return sign if f"{ord}" in ("1", "1.0") else SYMBOLS.where(x == 0, 0.0, sign * (SYMBOLS.abs(x) / norm) ** (ord - 1))


@formula(tex=_norm_tex)
def norm_slope(F, grad, x, norm, ord: float, dim, keepdim: bool):
    """grad * sign(x) * |x|^(ord-1) / norm^(ord-1), and 0 where the norm is 0."""
    grad, norm = (kept(F, v, tuple(x.shape), dim, keepdim) for v in (grad, norm))
    if ord == 0:
        return None
    if ord == 1:
        return F.sgn(x) * grad
    if ord == 2:
        return grad * (x / norm if F is RAW and norm.all() else F.masked_fill(x / norm, norm == 0, 0))
    if ord in (math.inf, -math.inf):
        ties = (F.abs(x) == norm) | (F.isnan(x) & F.isnan(norm))
        return F.sgn(x) * ties * (grad / F.cast(F.sum_dim(ties, dim, True), kind_of(x)))
    slope = (x * F.pow_of(F.abs(x), ord - 2) if ord >= 2 else
             F.where(x == 0, 0.0, F.sgn(x) * F.pow_of(F.abs(x), ord - 1)))
    return slope * F.masked_fill(grad / F.pow_of(norm, ord - 1), norm == 0, 0)


@formula(r"\begin{{cases}}\frac{{{4}}}{{\lVert {1}\rVert}} \odot \left({0:1} - \frac{{\sum {0:2} \odot "
         r"{1:2}}}{{\lVert {1}\rVert}} \odot \mathrm{{sgn}}\left({1}\right) \odot \left(\frac{{\left\lvert "
         r"{1}\right\rvert}}{{\lVert {1}\rVert}}\right)^{{{2} - 1}}\right) & \lVert {1}\rVert > {4} \\ "
         r"{0} & \text{{else}}\end{{cases}}", 1)
def renorm_slope(F, grad, x, p: float, dim: int, maxnorm: float):
    """Through `x * maxnorm / norm` where a part was too long: what would only change its length is taken out."""
    others = besides(dim, len(x.shape))
    norm = F.linalg_vector_norm(x, p, others, True)
    inverse, longer = 1 / (norm + 1e-7), F.norm_slope(F.sum_dim(x * grad, others, True), x, norm, p, others, True)
    return F.where(norm > maxnorm, maxnorm * inverse * (grad - inverse * longer), grad)


@formula(tex=lambda grad, x, _result, dim=None, keepdim=True: phrase(r"{0:1} \odot \prod_{{j \ne i}} {1}", 1)(
    _kept(grad, x, dim, keepdim), part(x, dim, "j")))
def prod_slope(F, grad, x, result, dim: int | None = None, keepdim: bool = False):
    """grad * result / x; where one element is 0, the product of the others is asked for."""
    if not x.shape:
        return grad
    if dim is not None:
        grad, result = (F.kept(v, tuple(x.shape), dim, keepdim) for v in (grad, result))
    if not (whole_array(x) == 0).any():
        return grad * (result / x)
    if dim is not None:
        return grad * F.others(x, dim)
    return F.reshape(grad * F.others(F.reshape(x, (-1,)), 0), tuple(x.shape))


def others(F, x, dim: int):
    """For each element the product of all others along `dim`, exact where some are 0."""
    dim, n = dim % len(x.shape), x.shape[dim]
    one = F.zeros_as(x, tuple(1 if i == dim else m for i, m in enumerate(x.shape))) + 1
    before = F.cumprod(F.cat([one, F.slice(x, dim, 0, n - 1, 1)], dim), dim)
    return before * F.flip(F.cumprod(F.cat([one, F.flip(F.slice(x, dim, 1, n, 1), (dim,))], dim), dim), (dim,))


# ---- parts of derivatives: extremes and order


@formula(tex=lambda x, best: x == best)
def reached(F, x, best):
    """Which elements are the extreme `best`: the nans if it is one."""
    return F.isnan(x) if best != best else x == best


@formula(tex=lambda x, best: SYMBOLS.call("count", (x == best,)))
def ties(F, x, best):
    """How many elements share the gradient of an extreme."""
    return F.cast(F.sum(F.reached(x, best)), kind_of(best))


@formula(tex=lambda g, x, best, *at: _kept(g, x, *at) * (hit := x == _kept(best, x, *at)) / _along("count", hit, at[0]))
def share(F, grad, x, best, dim, keepdim: bool):
    """The gradient of an extreme, in equal parts to all elements that reach it."""
    mask = x == F.kept(best, tuple(x.shape), dim, keepdim)
    return F.kept(grad, tuple(x.shape), dim, keepdim) / F.cast(F.sum_dim(mask, dim, True), kind_of(best)) * mask


@formula(tex=lambda g, x, least, most, *at: SYMBOLS.share(g[0], x, least, *at) + SYMBOLS.share(g[1], x, most, *at))
def share_both(F, grad: tuple, x, least, most, dim, keepdim: bool):
    parts = [F.share(g, x, best, dim, keepdim) for g, best in zip(grad, (least, most), strict=True) if g is not None]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@formula(tex=lambda grad, index, _, dim, keepdim=True: becomes(among(0, index, dim, "False" in f"{keepdim}"), grad))
def to_chosen(F, grad, indices, sizes: tuple, dim: int, keepdim: bool = True):
    """Zeros, and the gradient where `indices` say that the values were taken from."""
    if not sizes:
        return grad
    grad, indices = (F.kept(v, sizes, dim, keepdim) for v in (grad, indices))
    if F is not RAW:
        return F.scatter(F.zeros_as(grad, sizes), indices, grad, dim)
    whole = namespace(grad).zeros(sizes, grad.dtype)
    whole[index.grid(indices, dim % len(sizes))] = grad
    return whole


# ---- parts of derivatives: spread, and what runs along


def _along(name: str, x: Symbol, dim) -> Symbol:
    dims = () if number(dim) == () else (dim,)
    word = "numel" if name == "size" and not dims else name
    return Symbol(SYMBOLS.call(word, (x, *dims)).tex, rank=x.rank and x.rank - 1)


@formula(tex=lambda grad, x, dim, correction, keepdim: _kept(grad, x, dim, keepdim) * (
    2 * (x - _kept(_along("mean", x, dim), x, dim, False)) / (
        _along("size", x, dim) - (1 if correction is None else correction))))
def var_slope(F, grad, x, dim, correction, keepdim: bool):
    """2 / (n - correction) * grad * (x - mean)."""
    off = x - F.mean_dim(x, gone(dim, len(x.shape)), True)
    free = count_of(tuple(x.shape), dim) - (1 if correction is None else correction)
    if free <= 0 and (dim is None or not x.shape):  # of all elements torch's slope is infinite and has no sign
        off, free = F.abs(off), 0
    return (2.0 / free if free else math.inf) * F.kept(grad, tuple(x.shape), dim, keepdim) * off


@formula(tex=lambda spread, mean, x, dim, *options:
         SYMBOLS.var_slope(spread, x, dim, *options) + mean / _along("size", x, dim))
def var_mean_slope(F, spread, mean, x, dim, correction, keepdim: bool):
    slope = None if spread is None else F.var_slope(spread, x, dim, correction, keepdim)
    if mean is None:
        return slope
    shared = F.expanded(mean, tuple(x.shape), dim, keepdim) / count_of(tuple(x.shape), dim)
    return shared if slope is None else slope + shared


@formula(tex=lambda grad, root: grad / (2 * root))
def of_root(F, grad, root):
    return grad if grad is None else F.masked_fill(grad / (2 * root), root == 0, 0)


@formula(tex=lambda grad, dim: phrase(r"\sum_{{j \ge i}} {0}", 1)(part(grad, dim, "j")))
def cumsum_back(F, grad, dim: int):
    """Sums from the end: each element counts in all sums that follow it."""
    return F.flip(F.cumsum(F.flip(grad, (dim,)), dim), (dim,)) if grad.shape else grad


@formula(tex=lambda grad, x, _result, dim: phrase(r"\sum_{{j \ge i}} {0} \cdot \prod_{{k \le j, k \ne i}} {1}", 1)(
    part(grad, dim, "j"), part(x, dim, "k")))
def cumprod_slope(F, grad, x, result, dim: int):
    """cumsum_back(grad * result) / x; with a 0 among the factors, each element by itself."""
    if not x.shape or x.shape[dim] <= 1:
        return grad
    if not (whole_array(x) == 0).any():
        return F.cumsum_back(result * grad, dim) / x
    n, pieces = x.shape[dim], []
    for k in range(n):
        before = F.prod_dim(F.slice(x, dim, 0, k, 1), dim, True)
        after = F.slice(grad, dim, k + 1, n, 1) * F.cumprod(F.slice(x, dim, k + 1, n, 1), dim)
        pieces.append(before * (F.slice(grad, dim, k, k + 1, 1) + F.sum_dim(after, (dim,), True)))
    return F.cat(pieces, dim)


@formula(tex=lambda grad, x, result, dim: phrase(r"e^{{{1}}} \sum_{{j \ge i}} {0} \cdot e^{{-{2}}}", 1)(
    part(grad, dim, "j"), part(x, dim, "i"), part(result, dim, "j")))
def logcumsumexp_slope(F, grad, x, result, dim: int):
    """exp(x) times the sums from the end of grad / exp(result), in logarithms."""
    if not x.shape:
        return grad
    size, nothing = F.log(F.abs(grad)), xp.finfo(kind_of(grad)).min.item()
    sides = []
    for side in (grad > 0, grad < 0):
        turned = F.flip(F.where(side, size, nothing) - result, (dim,))
        sides.append(F.exp(F.flip(F.logcumsumexp(turned, dim), (dim,)) + x))
    return sides[0] - sides[1]


# ---- no derivative


@formula(r"\text{{not implemented}}")
def refuse(F, name: str):
    require(not name.startswith("aten"), f"derivative for {name} is not implemented")
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")
