"""What losses compute of arrays, what they refuse, and how their gradient is shared out."""

from __future__ import annotations

import math
from typing import Any

from ...array import dtypes
from ...array.backend import namespace, xp
from ...core.carriers import RAW, Symbol, formula, spelled_out
from ...text import presentation
from ..checks import require, same_type

NONE, MEAN, SUM = range(3)
_CLASSES = (dtypes.int64.np, dtypes.uint8.np)


def reduce(values: Any, reduction: int) -> Any:
    if reduction == NONE:
        return values
    total = xp.add.reduce(values, None)
    return total if reduction == SUM else total / values.dtype.type(values.size)


# ---- negative log likelihood


def _rows(x: Any) -> Any:
    """Scores as `(rows, classes)`; the classes are dimension 1, or the only one."""
    if x.ndim == 2:
        return x
    return xp.moveaxis(x, 1, -1).reshape(-1, x.shape[1]) if x.ndim > 1 else x.reshape(1, -1)


def _picked(x: Any, target: Any, weight: Any, ignore_index: int) -> tuple:
    """Row numbers, classes and weights of the targets that count; None if each counts once."""
    wanted, classes = target.reshape(-1), x.shape[1] if x.ndim > 1 else x.shape[0]
    rows = namespace(wanted).arange(len(wanted))
    unsigned = wanted.view("uint64") if wanted.dtype.itemsize == 8 else wanted  # -1 is too large as well
    if weight is None and len(wanted) and not 0 <= ignore_index < classes and unsigned.max() < classes:
        return rows, wanted, None
    kept = wanted != ignore_index
    rows, at = rows[kept], wanted[kept]
    outside = (at < 0) | (at >= classes)
    if outside.any():
        bad = at[outside][0]
        raise presentation.error(IndexError, "class_outside", f"Target {bad} is out of bounds.", bad=bad,
                                 classes=classes, last=classes - 1)
    return rows, at, None if weight is None else weight[at]


def _check_target(x: Any, target: Any, weight: Any) -> None:
    classes, flat = x.shape[1 if x.ndim > 1 else 0], x.ndim < 3
    if weight is not None and weight.shape != (classes,):
        known = (f"all {classes} classes", f" but got weight tensor of shape: {list(weight.shape)}")
        which, got = known if x.ndim < 4 else ("all", "")
        raise RuntimeError(f"weight tensor should be defined either for {which} or no classes{got}")
    if weight is not None:
        same_type(x, weight)
    if x.ndim > 1 and target.shape[:1] != x.shape[:1]:
        count = (*target.shape, 1)[0]
        raise ValueError(f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({count}).")
    require(not flat or target.ndim < 2, "0D or 1D target tensor expected, multi-target not supported")
    if target.dtype not in _CLASSES:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {dtypes.of(target.dtype).scalar_type}")
    if x.ndim == 1 and target.size != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.size}")
    if not flat and target.shape[1:] != x.shape[2:]:
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(target.shape)}")


def nll(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> tuple:
    _check_target(self, target, weight)
    rows, at, weights = _picked(self, target, weight, ignore_index)
    gains, total = _rows(self)[rows, at], namespace(self).full((), len(at), self.dtype)[()]
    if weights is not None:
        gains, total = gains * weights, xp.add.reduce(weights)
    if reduction == NONE:
        losses = namespace(self).zeros(target.size, self.dtype)
        losses[rows] = -gains
        return losses.reshape(target.shape if self.ndim > 1 else ()), total * 0
    gain = 0 - xp.add.reduce(gains)  # 0, where the sum is
    return (gain if reduction == SUM else gain / total), total


def nll_back(grad_output: Any, self: Any, target: Any, weight: Any, total_weight: Any, reduction: int,
              ignore_index: int) -> Any:
    # the forward saw that all count; not in half precision, where 2051 is 2052
    if weight is None and total_weight == target.size and total_weight - 1 != total_weight:
        rows, at, weights = namespace(self).arange(target.size), target.reshape(-1), None
    else:
        rows, at, weights = _picked(self, target, weight, ignore_index)
    share = -grad_output.reshape(-1)[rows] if reduction == NONE else -grad_output
    share = share / total_weight if reduction == MEAN else share
    back = namespace(self).zeros((target.size, self.shape[1 if self.ndim > 1 else 0]), grad_output.dtype)
    back[rows, at] = share if weights is None else share * weights
    if self.ndim <= 2:
        return back.reshape(self.shape)
    return xp.moveaxis(back.reshape(self.shape[0], *self.shape[2:], self.shape[1]), -1, 1)


def bce(self: Any, target: Any, weight: Any) -> Any:
    for name, x in (("input", self), ("target", target)):
        require(((x >= 0) & (x <= 1)).all(), f"all elements of {name} should be between 0 and 1")
    # as torch: no infinite loss
    losses = (target - 1) * xp.maximum(xp.log1p(-self), -100) - target * xp.maximum(xp.log(self), -100)
    return RAW.weighted(losses, weight)


def bce_logits(x: Any, target: Any, weight: Any, pos_weight: Any) -> Any:
    soft = xp.log1p(xp.exp(-xp.absolute(x))) + xp.maximum(-x, 0)  # -log(sigmoid(x))
    losses = (1 - target) * x + (soft if pos_weight is None else ((pos_weight - 1) * target + 1) * soft)
    return RAW.weighted(losses, weight)


def smooth(off: Any, beta: float) -> Any:
    size = xp.absolute(off)
    return xp.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta)


def huber(off: Any, delta: float) -> Any:
    size = xp.absolute(off)
    return xp.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta))


# ---- parts of derivatives


@formula(tex=lambda grad, _x, reduction: grad if reduction.tex in "02" else grad / Symbol("n"))
def reduced(F: Any, grad: Any, x: Any, reduction: int) -> Any:
    """The part of a loss's gradient that each element of `x` gets."""
    return grad / math.prod(x.shape) if reduction == MEAN else grad


@spelled_out
def weighted(F: Any, grad: Any, weight: Any) -> Any:
    return grad if weight is None else grad * weight


@spelled_out
def logits_slope(F: Any, x: Any, target: Any, pos_weight: Any) -> Any:
    if pos_weight is None:
        return F.sigmoid(x) - target
    positive = pos_weight * target
    return (positive + 1 - target) * F.sigmoid(x) - positive


@spelled_out
def logits_target_slope(F: Any, x: Any, pos_weight: Any) -> Any:
    return -x if pos_weight is None else F.softplus(-x, 1.0, 20.0) * pos_weight - F.softplus(x, 1.0, 20.0)


@spelled_out
def smooth_slope(F: Any, off: Any, beta: float) -> Any:
    """off / beta near 0, its sign further out."""
    return F.where(F.abs(off) < beta, off / beta, F.sgn(off))
