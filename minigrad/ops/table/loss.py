"""Losses: how far a prediction is from its target, as one number or one for each element.

Rows take torch's number for a reduction (0 none, 1 mean, 2 sum). `F.reduced` shares a gradient out
to the elements: all of it for a sum, an n-th part for a mean.
"""

from ...array.backend import xp
from ...core.op import op
from ...text.tex import SYMBOLS, Symbol, among, becomes, symbol, unless
from ..kernels import loss as kernels, pointwise, reduce

LOSS = {"elementwise": True, "letters": {"self": "x", "target": "t"}}

# ---- what torch's C++ writes with numbers: other overloads than Python's, and so other names

div_scalar = op("div_scalar", lambda self, other: self / other, grad_fn="DivBackward1", transparent=True,
    scalars=("other",), self=lambda F, grad, other: F.div_scalar(grad, other))
add_scalar = op("add_scalar", lambda self, other: pointwise.beside(self, other) + other, grad_fn="AddBackward1",
    scalars=("other",), self=lambda grad: grad)
sub_scalar = op("sub_scalar", lambda self, other: pointwise.beside(self, other) - other, grad_fn="SubBackward1",
    scalars=("other",), self=lambda grad: grad)
norm_dim = op("norm_dim", lambda self, p, dim, keepdim: reduce.norm(self, p, dim, keepdim),
    grad_fn="NormBackward1", scalars=("p",),
    self = lambda F, grad, self, result, p, dim, keepdim: F.norm_slope(grad, self, result, p, dim, keepdim))

# ---- the losses

nll_loss = op("nll_loss", kernels.nll, fixed=("target", "weight"), outputs=("output", "total_weight"),
    tex=lambda g, t, w, kind, skip: ((symbol if kind.tex == "0" else SYMBOLS.sum)(-SYMBOLS.weighted(unless(
        among(g, t, 1, 1 if t.rank else 0), t, skip), w and w[t])) / (1 if kind.tex in "02" else Symbol(r"\Omega")),),
    self = lambda F, grad, self, target, weight, total_weight, reduction, ignore_index: F.nll_loss_backward(
        grad, self, target, weight, total_weight, reduction, ignore_index))
nll_loss2d = op("nll_loss2d", kernels.nll, fixed=("target", "weight"), outputs=("output", "total_weight"),
    **nll_loss.row.derivatives)
nll_loss_backward = op("nll_loss_backward", kernels.nll_back,
    grad_fn="NllLossBackwardBackward0", fixed=("target", "weight", "total_weight"),
    tex=lambda g, _x, t, w, total, kind, skip: becomes(among(0, t, 1, 1 if t.rank else 0),
        -SYMBOLS.weighted(unless(g, t, skip), w and w[t]) / (1 if kind.tex in "02" else total)),
    grad_output = lambda F, grad, target, weight, reduction, ignore_index: F.nll_loss(
        grad, target, weight, reduction, ignore_index)[0],
    self        = lambda F, grad, self_sym_sizes: F.zeros_as(grad, self_sym_sizes))
mse_loss = op("mse_loss", lambda self, target, reduction: kernels.reduce(xp.square(self - target), reduction), **LOSS,
    self   = lambda F, grad, self, target, reduction: 2 * (self - target) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, target, reduction: 2 * (target - self) * F.reduced(grad, self, reduction))
smooth_l1_loss = op("smooth_l1_loss", kernels.smooth_l1, scalars=("beta",), **LOSS,
    self   = lambda F, grad, self, target, reduction, beta: F.smooth_slope(
        self - target, beta) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, target, reduction, beta: F.smooth_slope(
        target - self, beta) * F.reduced(grad, self, reduction))
huber_loss = op("huber_loss", kernels.huber, scalars=("delta",), letters=LOSS["letters"],
    self   = lambda F, grad, self, target, reduction, delta: delta * F.smooth_slope(
        self - target, delta) * F.reduced(grad, self, reduction, target),
    target = lambda F, grad, self, target, reduction, delta: delta * F.smooth_slope(
        target - self, delta) * F.reduced(grad, self, reduction, target))
soft_margin_loss = op("soft_margin_loss", lambda self, target, reduction: kernels.reduce(
        xp.log1p(xp.exp(-self * target)), reduction), fixed=("target",), **LOSS,
    self = lambda F, grad, self, target, reduction: (
        -target * F.sigmoid(-self * target) * F.reduced(grad, self, reduction)))
binary_cross_entropy = op("binary_cross_entropy", kernels.bce, fixed=("weight",), **LOSS,
    self   = lambda F, grad, self, target, weight, reduction: F.weighted(
        (self - target) / F.clamp_min((1 - self) * self, 1e-12), weight) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, weight, reduction: F.weighted(
        F.log(1 - self) - F.log(self), weight) * F.reduced(grad, self, reduction))
bce_with_logits = op("binary_cross_entropy_with_logits", kernels.bce_logits, fixed=("weight", "pos_weight"), **LOSS,
    self   = lambda F, grad, self, target, weight, pos_weight, reduction: F.weighted(
        F.logits_slope(self, target, pos_weight), weight) * F.reduced(grad, self, reduction),
    target = lambda F, grad, self, weight, pos_weight, reduction: F.weighted(
        F.logits_target_slope(self, pos_weight), weight) * F.reduced(grad, self, reduction))
