"""Reductions: many elements become one, and its gradient goes back to all of them."""

from __future__ import annotations

import math
from typing import Any

from ..array import dtypes
from ..array.backend import xp
from ..core.op import op


def _axes(dim: Any) -> Any:
    return None if dim is None or dim == () else dim


def _whole_sum(self: Any) -> Any:
    """The sum of all elements, integers and bools in int64."""
    return xp.add.reduce(self, None, dtype=None if self.dtype.kind == "f" else "int64")


def _mean_type(self: Any) -> None:
    if self.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {dtypes.of(self.dtype).scalar_type}"
        )


def _mean(self: Any) -> Any:
    _mean_type(self)
    return xp.add.reduce(self, None) / self.dtype.type(self.size)


def _mean_dim(self: Any, dim: Any, keepdim: bool) -> Any:
    _mean_type(self)
    return xp.add.reduce(self, dim, keepdims=keepdim) / self.dtype.type(_count(self.shape, dim))


def _count(sizes: tuple, dim: Any) -> int:
    if _axes(dim) is None:
        dim = tuple(range(len(sizes)))
    n = 1
    for d in dim if isinstance(dim, tuple) else (dim,):
        n *= sizes[d] if sizes else 1
    return n


def _kept(F: Any, grad: Any, sizes: tuple, dim: Any, keepdim: bool) -> Any:
    """A reduced gradient with its dimensions back as ones, ready to broadcast."""
    if keepdim or not sizes:
        return grad
    dims = range(len(sizes)) if _axes(dim) is None else dim if isinstance(dim, tuple) else (dim,)
    gone = {d % len(sizes) for d in dims}
    return F.reshape(grad, tuple(1 if i in gone else n for i, n in enumerate(sizes)))


# fmt: off
sum_all = op("sum", _whole_sum,
    self = lambda F, grad, self_sym_sizes: F.expand(grad, self_sym_sizes))
sum_dim = op("sum_dim", lambda self, dim, keepdim=False: xp.add.reduce(
        self, _axes(dim), keepdims=keepdim, dtype=None if self.dtype.kind == "f" else "int64"),
    grad_fn="SumBackward1",
    self = lambda F, grad, self_sym_sizes, dim, keepdim: F.expand(
        _kept(F, grad, self_sym_sizes, dim, keepdim), self_sym_sizes))
mean_all = op("mean", _mean, keeps=("self_sym_numel", "self_sym_sizes"), letters={"self_sym_sizes": "n"},
    self = lambda F, grad, self_sym_numel, self_sym_sizes: F.expand(grad, self_sym_sizes) / self_sym_numel)
mean_dim = op("mean_dim", _mean_dim, grad_fn="MeanBackward1", keeps=("self_sym_numel",),
    self = lambda F, grad, self_sym_sizes, dim, keepdim: F.expand(
        _kept(F, grad, self_sym_sizes, dim, keepdim), self_sym_sizes) / _count(self_sym_sizes, dim))
all_all = op("all", lambda self: xp.all(self))
any_all = op("any", lambda self: xp.any(self))
all_dim = op("all_dim", lambda self, dim, keepdim=False: xp.all(self, axis=dim, keepdims=keepdim), fixed=("self",))
any_dim = op("any_dim", lambda self, dim, keepdim=False: xp.any(self, axis=dim, keepdims=keepdim), fixed=("self",))
vector_norm = op("linalg_vector_norm", lambda self, ord, dim, keepdim=False: _norm(self, ord, dim, keepdim),
    keeps=("dim", "keepdim", "ord"),
    self = lambda F, grad, self, result, ord, dim, keepdim: _norm_slope(F, grad, self, result, ord, dim, keepdim))
# fmt: on


def _norm(self: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    if self.dtype.kind != "f":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{dtypes.of(self.dtype).scalar_type}"
        )
    axes = _axes(dim)
    if ord == 2:
        return xp.sqrt(xp.add.reduce(self * self, axes, keepdims=keepdim))
    size = xp.absolute(self)
    if ord in (math.inf, -math.inf):
        return (size.max if ord > 0 else size.min)(axis=axes, keepdims=keepdim)
    if ord == 0:
        return xp.add.reduce((size != 0).astype(self.dtype), axes, keepdims=keepdim)
    if ord == 1:
        return xp.add.reduce(size, axes, keepdims=keepdim)
    return xp.add.reduce(size**ord, axes, keepdims=keepdim) ** (1 / ord)


def _norm_slope(F: Any, grad: Any, x: Any, norm: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """grad * sign(x) * |x|^(ord-1) / norm^(ord-1), and 0 where the norm is 0."""
    sizes = tuple(x.shape)
    grad, norm = (_kept(F, v, sizes, dim, keepdim) for v in (grad, norm))
    if ord == 0:
        return x * 0
    if ord == 1:
        return F.sgn(x) * grad
    if ord == 2:
        return F.where(norm == 0, 0.0, x / norm) * grad
    if ord in (math.inf, -math.inf):
        ties = F.abs(x) == norm
        count = F.sum_dim(ties, tuple(range(len(sizes))) if _axes(dim) is None else dim, True)
        return F.sgn(x) * ties * (grad / count)
    slope = x * F.pow_of(F.abs(x), ord - 2) if ord >= 2 else F.sgn(x) * F.pow_of(F.abs(x), ord - 1)
    return F.where(norm == 0, 0.0, slope * grad / F.pow_of(norm, ord - 1))


# ---- arguments as torch takes them


def sum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum of all elements, or along `dim` (an int or a tuple); integers sum to int64."""
    if dtype is not None:
        self = self.to(dtype)
    if dim is None and not keepdim:
        return sum_all(self)
    return sum_dim(self, dims_of(self, dim), keepdim)


def mean(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Mean of all elements, or along `dim`. Raises: RuntimeError for integer tensors."""
    if dtype is not None:
        self = self.to(dtype)
    if dim is None and not keepdim:
        return mean_all(self)
    return mean_dim(self, dims_of(self, dim), keepdim)


def all(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """True where all elements are; a 0-d bool tensor, or one per slice along `dim`."""
    return all_all(self) if dim is None else all_dim(self, dims_of(self, dim), keepdim)


def any(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """True where any element is; a 0-d bool tensor, or one per slice along `dim`."""
    return any_all(self) if dim is None else any_dim(self, dims_of(self, dim), keepdim)


def dims_of(self: Any, dim: Any) -> tuple:
    """Dimensions as a tuple, each checked. Raises: IndexError in torch's words."""
    if dim is None:
        return ()
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    for d in dims:
        check_dim(d, self._data.ndim)
    return dims


def check_dim(dim: int, rank: int) -> int:
    """`dim` counted from the front. Raises: IndexError in torch's words."""
    least = max(rank, 1)
    if not -least <= dim < least:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {dim})"
        )
    return dim % least


def norm(self: Any, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """The p-norm of all elements, or along `dim`; p may be a number or "fro"."""
    p = 2 if p in ("fro", None) else p
    return vector_norm(self, p, None if dim is None else dims_of(self, dim), keepdim)
