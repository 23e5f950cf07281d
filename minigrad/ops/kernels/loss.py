"""What losses compute of arrays, what they refuse, and how their gradient is shared out."""

import math

from ...array import dtypes, namespace, xp
from ...core.carriers import RAW, formula
from ...text.tex import SYMBOLS
from ..checks import implemented, need, require, same_type

NONE, MEAN, SUM = range(3)


def reduce(values, reduction: int):
    total = values if reduction == NONE else xp.add.reduce(values, None)
    return total / values.dtype.type(values.size) if reduction == MEAN else total


# ---- negative log likelihood


def _picked(x, target, weight, ignore_index: int, all_count: bool = False) -> tuple:
    """Where the targets that count stand, where their scores, and their weights; None if each counts once."""
    classes, at = x.shape[x.ndim > 1], target.reshape(-1)
    kept = namespace(at).arange(len(at)) if all_count else xp.nonzero(at != ignore_index)[0]
    at = at if all_count else at[kept]
    unsigned = at.view("uint64") if at.dtype.itemsize == 8 else at  # -1 is too large as well
    outside = () if all_count else at[unsigned >= classes]
    if len(outside):
        need(False, "class_outside", outside[0], bad=outside[0], classes=classes, last=classes - 1)
    row, *place = xp.divmod(kept, math.prod(x.shape[2:])) if x.ndim > 2 else (kept,)
    return kept, (row, at, *place), None if weight is None else weight[at]


def _scores(x):
    """Scores as `(rows, classes)`, or `(rows, classes, places)` if they have more dimensions."""
    return x if x.ndim == 2 else x.reshape(*x.shape[:2], math.prod(x.shape[2:])) if x.ndim > 2 else x.reshape(1, -1)


def _check_target(x, target, weight) -> None:
    classes, flat = x.shape[1 if x.ndim > 1 else 0], x.ndim < 3
    need(x.ndim == 1 or target.shape[:1] == x.shape[:1], "target_batch", x.shape[0], (*target.shape, 0)[0])
    require(not flat or target.ndim < 2, "0D or 1D target tensor expected, multi-target not supported")
    need(target.dtype in (dtypes.int64.np, dtypes.uint8.np), "target_type", dtypes.of(target.dtype).scalar_type)
    if weight is not None:
        need(weight.shape == (classes,), "plane_weights" if x.ndim > 3 else "nll_weights", classes, list(weight.shape))
        same_type(x, weight)
    need(x.ndim != 1 or target.size == 1, "target_single", target.size)
    need(flat or target.shape[1:] == x.shape[2:], "target_shape", list(x.shape), list(target.shape))


def nll(self, target, weight, reduction: int, ignore_index: int) -> tuple:
    _check_target(implemented("nll_loss_out_frame", self), target, weight)
    kept, key, weights = _picked(self, target, weight, ignore_index)
    gains, total = _scores(self)[key], namespace(self).full((), len(kept), self.dtype)[()]
    if weights is not None:
        gains, total = gains * weights, xp.add.reduce(weights)
    if reduction == NONE:
        losses = namespace(self).zeros(target.size, self.dtype)
        losses[kept] = -gains
        return losses.reshape(target.shape if self.ndim > 1 else ()), total * 0
    gain = 0 - xp.add.reduce(gains)  # 0, where the sum is
    return (gain if reduction == SUM else gain / total), total


def nll_back(grad_output, self, target, weight, total_weight, reduction: int, ignore_index: int):
    # the forward saw that all count; not in half precision, where 2051 is 2052
    all_count = weight is None and total_weight == target.size and total_weight - 1 != total_weight
    kept, key, weights = _picked(self, target, weight, ignore_index, all_count)
    share = -grad_output.reshape(-1)[kept] if reduction == NONE else -grad_output
    share = share / total_weight if reduction == MEAN else share
    back = namespace(self).zeros(self.shape, grad_output.dtype)
    _scores(back)[key] = share if weights is None else share * weights
    return back


def bce(self, target, weight, reduction: int):
    for name, x in (("input", self), ("target", target)):
        require(((x >= 0) & (x <= 1)).all(), f"all elements of {name} should be between 0 and 1")
    # as torch: no infinite loss
    losses = (target - 1) * xp.maximum(xp.log1p(-self), -100) - target * xp.maximum(xp.log(self), -100)
    return reduce(RAW.weighted(losses, weight), reduction)


def bce_logits(self, target, weight, pos_weight, reduction: int):
    soft = xp.log1p(xp.exp(-xp.absolute(self))) + xp.maximum(-self, 0)  # -log(sigmoid(self))
    losses = (1 - target) * self + (soft if pos_weight is None else ((pos_weight - 1) * target + 1) * soft)
    return reduce(RAW.weighted(losses, weight), reduction)


def smooth_l1(self, target, reduction: int, beta: float):
    size = xp.absolute(self - target)
    return reduce(xp.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta), reduction)


def huber(self, target, reduction: int, delta: float):
    size = xp.absolute(self - target)
    losses = xp.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta))
    return reduce(losses.astype(self.dtype, copy=False), reduction)


# ---- parts of derivatives


@formula(tex=lambda grad, x, reduction, *_: grad if reduction.tex in "02" else grad / SYMBOLS.numel(x))
def reduced(F, grad, x, reduction: int, *beside):
    """The part of a loss's gradient that each element of `x` gets; what is `beside` it must be of its type."""
    same_type(*(getattr(t, "_data", t) for t in (x, *beside)), said="loss_types")
    return grad / math.prod(x.shape) if reduction == MEAN else grad


def weighted(F, grad, weight):
    return grad if weight is None else grad * weight


def logits_slope(F, x, target, pos_weight):
    if pos_weight is None:
        return F.sigmoid(x) - target
    positive = pos_weight * target
    return (positive + 1 - target) * F.sigmoid(x) - positive


def logits_target_slope(F, x, pos_weight):
    return -x if pos_weight is None else F.softplus(-x, 1.0, 20.0) * pos_weight - F.softplus(x, 1.0, 20.0)


def smooth_slope(F, off, beta: float):
    """Its sign far from 0, off / beta nearer; NaN stays NaN."""
    return F.where(F.abs(off) >= beta, F.sgn(off), off / beta)
