"""Reductions as torch takes them: along no, one or several dimensions, and with named results."""

from operator import itemgetter
from types import SimpleNamespace

from ...array import dtypes, namespace, xp
from ...core.carriers import TENSORS
from ...core.graph import TensorBase, constant
from ...core.modes import grad_mode
from ...core.writes.inplace import inplace
from ..checks import check_dim, common_shape, dims_of, implemented, need, own_dim, require, same_type, titled, warn
from ..kernels.reduce import degrees
from ..table import reduce as rows


def _typed(face, self, dtype, *args):
    """`face` of `self` in type `dtype`, which the result keeps though integers are summed in int64."""
    dtype = dtypes.of(dtypes.as_numpy(dtype))
    need(dtype.is_floating_point or not (grad_mode() and self.requires_grad), "no_grad_for", dtype.scalar_type)
    return face(self.to(dtype), *args).to(dtype)


def sum(self, dim=..., keepdim: bool = False, *, dtype=None):
    """Sum of all elements, or along `dim` (an int or a tuple); integers sum to int64."""  # None is not `...`, to torch
    whole = dim is ... and not keepdim
    if dtype is not None:
        kind = dtypes.as_numpy(dtype)
        return rows.sum_as(self, kind) if whole and kind.kind == "f" else _typed(sum, self, dtype, dim, keepdim)
    if whole:
        return rows.sum_all(self)
    return rows.sum_dim(self, None if dim is None else dims_of(self, dim, keepdim), keepdim)


def mean(self, dim=..., keepdim: bool = False, *, dtype=None):
    """Mean of all elements, or along `dim`. Raises: RuntimeError for integer tensors."""
    if dtype is not None:
        self = self.to(dtype)
        need(self.is_floating_point(), "mean_kind", self.dtype.scalar_type)
    if dim is ... and not keepdim:
        return rows.mean_all(self)
    return rows.mean_dim(self, None if dim is None else dims_of(self, dim, keepdim), keepdim)


def _along(row, name: str, doc: str, whole=None):
    def along(self, dim=whole, keepdim: bool = False):
        return row(self, whole if dim is None else dims_of(self, dim, keepdim), keepdim)

    return titled(along, name, doc)


all = _along(rows.all_of, "all", "True where all elements are; a 0-d bool tensor, or one per slice along `dim`.")
any = _along(rows.any_of, "any", "True where any element is; a 0-d bool tensor, or one per slice along `dim`.")
amax = _along(rows.amax_dim, "amax", "The largest element, over all dimensions or `dim`; ties share the gradient.", ())
amin = _along(rows.amin_dim, "amin", "The smallest element, over all dimensions or `dim`; ties share the gradient.", ())


def norm(self, p=2, dim=None, keepdim: bool = False):
    """The p-norm of all elements, or along `dim`; p may be a number or "fro"."""
    if isinstance(p, str) and p != "fro":
        return TENSORS.matrix_norm(self, p, (-2, -1) if dim is None else dim, keepdim)
    dims = None if dim is None else dims_of(self, dim, keepdim)
    return rows.vector_norm(self, 2 if p in ("fro", None) else p, dims, keepdim)


# ---- named results


class Named(tuple):
    """A tuple whose parts have names, printed over several lines. Source: torch.return_types."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = ",\n".join(f"{n}={v!r}" for n, v in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{parts})"

    def __getattr__(self, name: str):
        raise AttributeError(f"'torch.return_types.{type(self).__name__}' object has no attribute '{name}'")


def named(name: str, *fields: str) -> type:
    """A class of `torch.return_types`."""
    body = {n: property(itemgetter(i)) for i, n in enumerate(fields)}
    setattr(return_types, name, type(name, (Named,), {
        "__slots__": (), "__module__": "torch.return_types", "fields": fields, **body}))
    return getattr(return_types, name)


return_types = SimpleNamespace()


for _name in "max min median sort topk kthvalue cummax cummin mode".split():
    named(_name, "values", "indices")


named("aminmax", "min", "max")

# ---- extremes, order and running operations as torch takes them


def _extreme(name: str, whole, along, of_two: str):
    def extreme(self, dim=None, keepdim: bool = False, *, other=None):
        other = dim if of_two and isinstance(dim, TensorBase) else other
        if other is not None:
            return getattr(TENSORS, of_two)(self, other)
        parts = whole(self) if dim is None else along(self, own_dim(self, dim, keepdim), keepdim)
        return parts if dim is None else getattr(return_types, name)(parts)

    two = ", or of two tensors, one by one" if of_two else ""
    return titled(extreme, name, f"`{name}` of all elements, or `(values, indices)` along `dim`{two}.")


max = _extreme("max", rows.max_all, rows.max_dim, "maximum")
min = _extreme("min", rows.min_all, rows.min_dim, "minimum")
median = _extreme("median", rows.median_all, rows.median_dim, "")


def aminmax(self, *, dim=None, keepdim: bool = False):
    """Smallest and largest element at once."""
    return return_types.aminmax(rows.aminmax_dim(self, dim if dim is None else own_dim(self, dim, keepdim), keepdim))


def _place(row, name: str, which: str):
    def place(self, dim=None, keepdim: bool = False):
        require(self._data.dtype.kind != "b", f"{name}(): does not support bool input")
        return row(self, dim if dim is None else own_dim(self, dim, keepdim), keepdim)

    return titled(place, name, f"Where the {which} element is: in the flattened tensor, or along `dim`.")


argmax, argmin = _place(rows.argmax_dim, "argmax", "largest"), _place(rows.argmin_dim, "argmin", "smallest")


def sort(self, dim: int = -1, descending: bool = False, *, stable: bool | None = None):
    """`(values, indices)` in order along `dim`; equal elements keep their order, `stable` or not."""
    row = rows.sort_dim if stable is None else rows.sort_stable
    return return_types.sort(row(self, own_dim(self, dim, descending), descending))


def argsort(self, dim: int = -1, descending: bool = False, *, stable: bool = False):
    """The positions that would sort along `dim`."""
    return rows.argsort_dim(self, own_dim(self, dim, descending), descending)


def msort(self):
    """The rows sorted, column by column."""
    return sort(self, 0)[0]


def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True):
    """The `k` largest (or smallest) elements along `dim`: `(values, indices)`."""
    require(self._data.dtype.kind != "b", "topk does not support bool dtypes on CPU")
    return return_types.topk(rows.topk_dim(self, k, own_dim(self, dim, largest), largest))


def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False):
    """The k-th smallest element along `dim`: `(values, indices)`."""
    return return_types.kthvalue(rows.kthvalue_dim(self, k, own_dim(self, dim, keepdim), keepdim))


def mode(self, dim: int = -1, keepdim: bool = False):
    """The most frequent element along `dim`: `(values, indices)`."""
    return return_types.mode(rows.mode_dim(self, own_dim(self, dim, keepdim), keepdim))


def _cumulative(row, name: str):
    def running(self, dim: int, *, dtype=None):
        if dtype is not None:
            return _typed(running, self, dtype, dim)
        result = row(self, own_dim(self, dim))
        return getattr(return_types, name)(result) if isinstance(result, tuple) else result

    return titled(running, name, f"`{name}` along `dim`: each result covers all elements up to its place.")


cumsum, cumprod = _cumulative(rows.cumsum_dim, "cumsum"), _cumulative(rows.cumprod_dim, "cumprod")
cummax, cummin = _cumulative(rows.cummax_dim, "cummax"), _cumulative(rows.cummin_dim, "cummin")
logcumsumexp = _cumulative(rows.logcumsumexp_dim, "logcumsumexp")

# ---- other reductions as torch takes them


def prod(self, dim=None, keepdim: bool = False, *, dtype=None):
    """The product of all elements, or along `dim`."""
    if dtype is not None:
        return _typed(prod, self, dtype, dim, keepdim)
    return rows.prod_all(self) if dim is None else rows.prod_dim(self, own_dim(self, dim, keepdim), keepdim)


def nansum(self, dim=None, keepdim: bool = False, *, dtype=None):
    """The sum without the nans."""
    if dtype is not None:
        return _typed(nansum, self, dtype, dim, keepdim)
    return rows.nansum_dim(self, None if dim is None else dims_of(self, dim, keepdim), keepdim)


def nanmean(self, dim=None, keepdim: bool = False, *, dtype=None):
    """The mean without the nans."""
    need(self.is_floating_point(), "nanmean_kind", self.dtype.scalar_type)
    kind = self.dtype if dtype is None else dtypes.of(dtypes.as_numpy(dtype))
    need(kind.is_floating_point, "nanmean_dtype", kind.scalar_type)
    return nansum(self, dim, keepdim, dtype=dtype) / sum(~self.detach().isnan(), dim, keepdim)


def logsumexp(self, dim, keepdim: bool = False):
    """The logarithm of the sum of exponentials along `dim`, without overflow."""
    return rows.logsumexp_dim(self, dims_of(self, dim, keepdim), keepdim)


def _spread(row, name: str):
    def spread(self, dim=None, unbiased=None, keepdim: bool = False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is not None:
            require(isinstance(unbiased, bool), "a second dimension is no `unbiased`", TypeError)
            correction = int(unbiased)
        elif dim is not None and correction is None:
            correction = 1
        need(self._data.dtype.kind == "f", "spread_kind", name if name[3:] else "std and var")
        dims = None if dim is None else dims_of(self, dim, keepdim)
        if not degrees(self._data.shape, dims, correction):
            warn("no_freedom", name)
        return row(self, dims, correction, keepdim)

    return titled(spread, name, f"`{name}` of all elements or along `dim`, divided by n - `correction` (1 by default).")


var, std = _spread(rows.var_dim, "var"), _spread(rows.std_dim, "std")
var_mean, std_mean = _spread(rows.var_mean_dim, "var_mean"), _spread(rows.std_mean_dim, "std_mean")


def cdist(x1, x2, p: float = 2.0, compute_mode=None):
    """The distance of every row of `x1` from every row of `x2`."""
    for word, x in (("X1", x1), ("X2", x2)):
        require(x.is_floating_point(), f"cdist only supports floating-point dtypes, {word} got: {x.dtype.scalar_type}")
        require(x.ndim > 1, f"cdist only supports at least 2D tensors, {word} got: {x.ndim}D")
    same_type(x1._data, x2._data)
    require(p >= 0, "cdist only supports non-negative p values")
    return rows.cdist_of_two(x1, x2, float(p))


_ROUNDED = {"lower": (TENSORS.floor,), "higher": (TENSORS.ceil,), "nearest": (TENSORS.round,)}


def quantile(self, q, dim=None, keepdim: bool = False, *, interpolation: str = "linear"):
    """The value below which a part `q` of the elements lies, between two of them if need be."""
    data = self._data
    at = q._data if isinstance(q, TensorBase) else namespace(data).asarray(q, xp.promote_types(data.dtype, "f2"))
    need(((at >= 0) & (at <= 1)).all(), "quantile_ranges" if (several := at.ndim) else "quantile_range", at)
    require(data.size, "quantile() input tensor must be non-empty")
    require(at.ndim < 2, "quantile() q must be a scalar or 1D tensor")
    require(data.dtype.char in "fd", "quantile() input tensor must be either float or double dtype")
    require(at.dtype == data.dtype, "quantile() q tensor must be same dtype as the input tensor")
    need(interpolation in ("linear", "midpoint", *_ROUNDED), "quantile_interpolation", interpolation)
    gone = range(data.ndim) if dim is None else (check_dim(dim, data.ndim),)
    x = self.flatten() if dim is None else self if data.ndim - 1 in gone else self.unsqueeze(-1).transpose(*gone, -1)
    shape = [1 if d in gone else n for d, n in enumerate(data.shape) if keepdim or d not in gone]
    ordered = sort(x)[0].view(*shape, -1)
    end = ordered.shape[-1] - 1
    at = constant(TensorBase._plain, at.reshape(-1) * end)  # nan comes last, and goes before all
    rank = TENSORS.where(TENSORS.isnan(ordered.detach()[..., -1:]), float(end), at)
    rounds = _ROUNDED.get(interpolation, (TENSORS.floor, TENSORS.ceil))
    result, *high = (TENSORS.gather(ordered, round(rank).long(), -1) for round in rounds)
    if high:
        way = rank - TENSORS.floor(rank) if interpolation == "linear" else rank * 0 + 0.5
        result = inplace(TENSORS.lerp_tensor)(result, *high, way)
    return (result.unsqueeze_(0).transpose_(0, -1) if several else result).squeeze_(-1)


# ---- counting


def count_nonzero(self, dim=None, *more: int):
    """How many elements are not 0."""
    return sum(TENSORS.ne(self, 0), (dim, *more) if more else dim)


def unique(self, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim=None):
    """The different elements in order; on request where each went, and how often it occurs."""
    need(sorted.__class__ is bool, "unique_sorted", type(sorted).__name__)  # 0 may be meant as a dimension
    found = rows.unique_of(self, return_inverse, return_counts, dim if dim is None else own_dim(self, dim))
    return found if len(found) > 1 else found[0]


def bincount(self, weights=None, minlength: int = 0):
    """How often each of 0, 1, 2 ... occurs."""
    need(implemented("bincount_cpu", self._data, "iu").ndim == 1 and (self._data >= 0).all(), "bincount_input")
    require(minlength >= 0, "minlength should be >= 0")
    require(weights is None or weights.shape == self.shape, "weights should be 1-d and have the same length as input")
    counts = xp.bincount(self._data, None if weights is None else weights._data, minlength)
    return constant(TensorBase._plain, counts.astype("f") if getattr(weights, "dtype", 0) is dtypes.float32 else counts)


def searchsorted(sorted_sequence, values, *, out_int32: bool = False, right: bool = False, side=None, sorter=None):
    """Where each value belongs in an ordered sequence; `sorter` holds the positions that order it."""
    require(side in (None, "left", "right"), f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    need(not right or side != "left", "searchsorted_sides")
    side = "right" if right else side or "left"
    found = values._data if isinstance(values, TensorBase) else xp.asarray(values)
    ordered = (sorted_sequence if sorter is None else TENSORS.gather(sorted_sequence, sorter, -1))._data
    same = ordered.ndim == 1 or ordered.shape[:-1] == found.shape[:-1]
    need(same, "searchsorted_sizes", [*ordered.shape], [*found.shape])
    places = (xp.searchsorted(ordered, found, side) if ordered.ndim == 1 else
              (xp.less_equal if side == "right" else xp.less)(ordered[..., None, :], found[..., :, None]).sum(-1))
    return constant(TensorBase._plain, places.astype("int32" if out_int32 else "int64"))


def bucketize(self, boundaries, *, out_int32: bool = False, right: bool = False):
    """Which interval between `boundaries` each element lies in."""
    require(boundaries.ndim == 1, f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, self, out_int32=out_int32, right=right)


def isclose(self, other, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False):
    """True where elements agree to `atol + rtol * |other|`."""
    same_type(self._data, other._data, said="isclose_types")
    for word, limit in (("rtol", rtol), ("atol", atol)):
        require(limit >= 0, f"{word} must be greater than or equal to zero, but got {limit:g}")
    common_shape(self._data.shape, other._data.shape)
    return constant(TensorBase._plain, xp.isclose(self._data, other._data, float(rtol), float(atol), equal_nan))


def trapezoid(y, x=None, *, dx: float = 1, dim: int = -1):
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
    if one or x.ndim != y.ndim:
        x = x.view([-1 if d == dim else 1 for d in range(y.ndim)] if one else (1,) * (y.ndim - x.ndim) + tuple(x.shape))
    left, right, start, stop = (TENSORS.slice(v, dim, i, v.shape[dim] - 1 + i, 1) for v in (y, x) for i in (0, 1))
    return TENSORS.div_scalar(((left + right) * (stop - start)).sum(dim), 2.0)
