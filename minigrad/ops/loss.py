"""Losses: how far a prediction is from its target, as one number.

Rows take torch's number for a reduction (0 none, 1 mean, 2 sum). `F.reduced` shares a gradient out
to the elements: all of it for a sum, an n-th part for a mean.
"""

from __future__ import annotations

import math
from typing import Any

from ..array import dtypes
from ..array.backend import namespace, xp
from ..core.carriers import RAW, Symbol, formula, spelled_out
from ..core.op import composite, op
from ..text import presentation
from .activation import log_softmax_dim
from .checks import require, same_type
from .pointwise import beside
from .reduce import vector_norm

NONE, MEAN, SUM = range(3)
_CLASSES = (dtypes.int64.np, dtypes.uint8.np)


def _reduce(values: Any, reduction: int) -> Any:
    if reduction == NONE:
        return values
    total = xp.add.reduce(values, None)
    return total if reduction == SUM else total / values.dtype.type(values.size)


@formula(tex=lambda grad, _x, reduction: grad if reduction.tex in "02" else grad / Symbol("n"))
def reduced(F: Any, grad: Any, x: Any, reduction: int) -> Any:
    """The part of a loss's gradient that each element of `x` gets."""
    return grad / math.prod(x.shape) if reduction == MEAN else grad


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


def _nll(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> tuple:
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


def _nll_back(grad_output: Any, self: Any, target: Any, weight: Any, total_weight: Any, reduction: int,
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


def _bce(self: Any, target: Any, weight: Any) -> Any:
    for name, x in (("input", self), ("target", target)):
        require(((x >= 0) & (x <= 1)).all(), f"all elements of {name} should be between 0 and 1")
    # as torch: no infinite loss
    losses = (target - 1) * xp.maximum(xp.log1p(-self), -100) - target * xp.maximum(xp.log(self), -100)
    return RAW.weighted(losses, weight)


@spelled_out
def weighted(F: Any, grad: Any, weight: Any) -> Any:
    return grad if weight is None else grad * weight


def _bce_logits(x: Any, target: Any, weight: Any, pos_weight: Any) -> Any:
    soft = xp.log1p(xp.exp(-xp.absolute(x))) + xp.maximum(-x, 0)  # -log(sigmoid(x))
    losses = (1 - target) * x + (soft if pos_weight is None else ((pos_weight - 1) * target + 1) * soft)
    return RAW.weighted(losses, weight)


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


def _smooth(off: Any, beta: float) -> Any:
    size = xp.absolute(off)
    return xp.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta)


def _huber(off: Any, delta: float) -> Any:
    size = xp.absolute(off)
    return xp.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta))


_LOSS = {"elementwise": True, "letters": {"self": "x", "target": "t"}}

# ---- what torch's C++ writes with numbers: other overloads than Python's, and so other names

div_scalar = op("div_scalar", lambda self, other: self / other, grad_fn="DivBackward1", transparent=True,
    self = lambda F, grad, other: F.div_scalar(grad, other))
add_scalar = op("add_scalar", lambda self, other: beside(self, other) + other, grad_fn="AddBackward1",
    self = lambda grad: grad)
sub_scalar = op("sub_scalar", lambda self, other: beside(self, other) - other, grad_fn="SubBackward1",
    self = lambda grad: grad)
norm_dim = op("norm_dim", lambda self, p, dim, keepdim: vector_norm.row.forward(self, p, dim, keepdim),
    grad_fn="NormBackward1",
    self = lambda F, grad, self, result, p, dim, keepdim: F.norm_slope(grad, self, result, p, dim, keepdim))

# ---- the losses

nll_loss = op("nll_loss", _nll, fixed=("target", "weight"), outputs=("output", "total_weight"),
    self = lambda F, grad, self, target, weight, total_weight, reduction, ignore_index: F.nll_loss_backward(
        grad, self, target, weight, total_weight, reduction, ignore_index))
nll_loss2d = op("nll_loss2d", _nll, fixed=("target", "weight"), outputs=("output", "total_weight"),
    **nll_loss.row.derivatives)
nll_loss_backward = op("nll_loss_backward", _nll_back,
    grad_fn="NllLossBackwardBackward0", fixed=("target", "weight", "total_weight"),
    grad_output = lambda F, grad, target, weight, reduction, ignore_index: F.nll_loss(
        grad, target, weight, reduction, ignore_index)[0],
    self        = lambda F, grad, self_sym_sizes: F.zeros_as(grad, self_sym_sizes))
mse_loss = op("mse_loss", lambda self, target, reduction: _reduce(xp.square(self - target), reduction), **_LOSS,
    self   = lambda F, grad, self, target, reduction: 2 * (self - target) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, target, reduction: 2 * (target - self) * F.reduced(grad, self, reduction))
smooth_l1_loss = op("smooth_l1_loss", lambda self, target, reduction, beta: _reduce(
        _smooth(self - target, beta), reduction), **_LOSS,
    self   = lambda F, grad, self, target, reduction, beta: F.smooth_slope(
        self - target, beta) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, target, reduction, beta: F.smooth_slope(
        target - self, beta) * F.reduced(grad, self, reduction))
huber_loss = op("huber_loss", lambda self, target, reduction, delta: _reduce(
        _huber(self - target, delta), reduction), **_LOSS,
    self   = lambda F, grad, self, target, reduction, delta: delta * F.smooth_slope(
        self - target, delta) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, target, reduction, delta: delta * F.smooth_slope(
        target - self, delta) * F.reduced(grad, self, reduction))
soft_margin_loss = op("soft_margin_loss", lambda self, target, reduction: _reduce(
        xp.log1p(xp.exp(-self * target)), reduction), fixed=("target",), **_LOSS,
    self = lambda F, grad, self, target, reduction: (
        -target * F.sigmoid(-self * target) * F.reduced(grad, self, reduction)))
binary_cross_entropy = op("binary_cross_entropy", lambda self, target, weight, reduction: _reduce(
        _bce(self, target, weight), reduction), fixed=("weight",), **_LOSS,
    self   = lambda F, grad, self, target, weight, reduction: F.weighted(
        (self - target) / F.clamp_min((1 - self) * self, 1e-12), weight) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, weight, reduction: F.weighted(
        F.log(1 - self) - F.log(self), weight) * F.reduced(grad, self, reduction))
bce_with_logits = op("binary_cross_entropy_with_logits", lambda self, target, weight, pos_weight, reduction: _reduce(
        _bce_logits(self, target, weight, pos_weight), reduction), fixed=("weight", "pos_weight"), **_LOSS,
    self   = lambda F, grad, self, target, weight, pos_weight, reduction: F.weighted(
        F.logits_slope(self, target, pos_weight), weight) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, weight, pos_weight, reduction: F.weighted(
        F.logits_target_slope(self, pos_weight), weight) * F.reduced(grad, self, reduction))


@composite
def cross_entropy(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    """nll_loss of log_softmax: scores `(rows, classes)`, and for each row the number of its class."""
    return nll_loss(log_softmax_dim(self, 1), target, weight, reduction, ignore_index)[0]
