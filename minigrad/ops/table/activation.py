"""Activations and the special functions behind them: erf and its inverse, the logarithm of gamma and its slopes.

A row reads as in `pointwise`. Where torch's derivative is constant in pieces but still hangs on the
input (relu's relatives), `F.tied` keeps that edge, so that a second derivative is 0 and not missing.
"""

from ...array import dtypes, special, xp
from ...core.op import no_derivative, op
from ...text.tex import cases
from ..checks import implemented
from ..kernels import activation as kernels

tied = op("tied", lambda grad_output, self: grad_output, transparent=True,
    grad_output = lambda grad: grad,
    self        = lambda F, grad, self_sym_sizes: F.zeros_as(grad, self_sym_sizes))

# ---- the relu family

leaky_relu_of = op("leaky_relu", lambda self, negative_slope: xp.where(
        implemented("leaky_relu_cpu", self) > 0, self, self * negative_slope), scalars=("negative_slope",),
    self = lambda F, grad, self, negative_slope: F.tied(F.where(self > 0, grad, grad * negative_slope), self))
leaky_relu_written = op("leaky_relu_written", leaky_relu_of.row.forward, grad_fn="LeakyReluBackward1",
    scalars=("negative_slope",),
    self = lambda F, grad, result, negative_slope: F.tied(F.where(result > 0, grad, grad * negative_slope), result))
prelu_kernel = op("prelu_kernel", lambda self, weight: xp.where(self > 0, self, weight * self), elementwise=True,
    self   = lambda F, grad, self, weight: F.where(self > 0, grad, weight * grad),
    weight = lambda F, grad, self: F.where(self > 0, 0.0, self * grad))
NOISY = {"fixed": ("noise",), "keeps": ("lower", "upper", "training"), "scalars": ("lower", "upper")}
rrelu_with_noise = op("rrelu_with_noise", lambda self, noise, lower, upper, training: self * noise, **NOISY,
    self = lambda F, grad, self, noise: F.tied(grad * noise, self))
rrelu_written = op("rrelu_written", rrelu_with_noise.row.forward, grad_fn="RreluWithNoiseBackward1", **NOISY,
    self = lambda F, grad, result, noise: F.tied(grad * noise, result))
threshold_of = op("threshold", lambda self, threshold, value: xp.where(
        self <= threshold, dtypes.fitting(value, self.dtype), self), scalars=("threshold", "value"),
    self = lambda F, grad, self, threshold: F.tied(F.where(self <= threshold, 0.0, grad), self))
threshold_written = op("threshold_written", threshold_of.row.forward, grad_fn="ThresholdBackward1",
    scalars=("threshold", "value"), **threshold_of.row.derivatives)
hardtanh_of = op("hardtanh", lambda self, min_val, max_val: xp.clip(self, *map(self.dtype.type, (min_val, max_val))),
    scalars=("min_val", "max_val"),
    self = lambda F, grad, self, min_val, max_val: F.tied(
        F.where((self <= min_val) | (self >= max_val), 0.0, grad), self))
hardsigmoid = op("hardsigmoid", lambda self: xp.clip(implemented("hardsigmoid_cpu", self) + 3, 0, 6) / 6,
    self = lambda F, grad, self: F.hardsigmoid_backward(grad, self))
hardsigmoid_backward = no_derivative("hardsigmoid_backward", lambda self, other: xp.where(
        (other > -3) & (other < 3), self / 6, 0), tex=lambda g, x: cases((x > -3) & (x < 3), g / 6, 0))
hardswish = op("hardswish", lambda self: implemented("hardswish_cpu", self) * xp.clip(self + 3, 0, 6) / 6,
    self = lambda F, grad, self: F.where(self <= -3, 0.0, F.where(self < 3, grad * (self / 3 + 0.5), grad)))
hardshrink_of = op("hardshrink", lambda self, lambd=0.5: xp.where(
        xp.absolute(implemented("hardshrink_cpu", self)) <= lambd, 0, self), scalars=("lambd",),
    self = lambda F, grad, self, lambd: F.tied(F.where(F.abs(self) <= lambd, 0.0, grad), self))
softshrink_of = op("softshrink", lambda self, lambd=0.5: xp.where(
        xp.absolute(implemented("softshrink_check", self)) <= lambd, self * 0, self - xp.clip(self, -lambd, lambd)),
    scalars=("lambd",), **hardshrink_of.row.derivatives)

# ---- smooth ones

elu_of = op("elu", kernels.elu, scalars=("alpha", "scale", "input_scale"),
    self = lambda F, grad, self, alpha, scale, input_scale: F.where(
        self <= 0, grad * (input_scale * alpha * scale) * F.exp(F.below(self) * input_scale), grad * scale))
elu_written = op("elu_written", kernels.elu, grad_fn="EluBackward1", scalars=("alpha", "scale", "input_scale"),
    self = lambda F, grad, result, alpha, scale, input_scale: F.where(
        result <= 0, grad * input_scale * (F.below(result) + alpha * scale), grad * scale))
celu_of = op("celu", lambda self, alpha: kernels.elu(self, alpha, 1, 1 / alpha), scalars=("alpha",),
    self = lambda F, grad, self, alpha: F.where(self <= 0, grad * F.exp(F.below(self) / alpha), grad))
celu_written = op("celu_written", celu_of.row.forward, grad_fn="CeluBackward1", scalars=("alpha",),
    self = lambda F, grad, result, alpha: F.where(result <= 0, grad * (F.below(result) / alpha + 1), grad))
gelu_of = op("gelu", kernels.gelu, self=lambda F, grad, self, approximate: grad * F.gelu_slope(self, approximate))
silu_of = op("silu", lambda self: implemented("silu_cpu", self) / (1 + xp.exp(-self)),
    self = lambda F, grad, self: grad * F.sigmoid(self) * (1 + self * (1 - F.sigmoid(self))))
mish_of = op("mish", lambda self: implemented("mish_cpu", self) * xp.tanh(kernels.softplus(self, 1, 20)),
    self = lambda F, grad, self: grad * (F.tanh(F.softplus(self, 1, 20)) + self * F.sigmoid(self)
        * (1 - F.tanh(F.softplus(self, 1, 20)) ** 2)))
softplus_of = op("softplus", kernels.softplus,
    scalars=("beta", "threshold"), tex=r"\mathrm{{softplus}}\left({0}\right)",
    self = lambda F, grad, self, beta, threshold: F.where(self * beta > threshold, grad, grad * F.sigmoid(self * beta)))
log_sigmoid = op("log_sigmoid", kernels.log_sigmoid, outputs=("output", "buffer"), keeps=("buffer",),
    self = lambda F, grad, self: grad * F.sigmoid(-self))
glu_of = op("glu", kernels.glu, self=lambda F, grad, self, dim: F.glu_slope(grad, self, dim))
softmax_dim = op("softmax", kernels.softmax,
    self = lambda F, grad, result, dim: result * (grad - F.sum_dim(grad * result, dim, True)))
safe_softmax = op("safe_softmax", kernels.safe_softmax, **softmax_dim.row.derivatives)
log_softmax_dim = op("log_softmax", kernels.log_softmax,
    self = lambda F, grad, result, dim: grad - F.exp(result) * F.sum_dim(grad, dim, True))
logit = op("logit", kernels.logit, scalars=("eps",),
    doc="log(x / (1 - x)), the inverse of sigmoid; x is first brought into `[eps, 1 - eps]` if given.",
    self = lambda F, grad, self, eps: F.logit_slope(grad, self, eps))

# ---- special functions

erf = op("erf", lambda self: special.erf(self),
    self = lambda F, grad, self: special.TWO_OVER_ROOT_PI * F.exp(-(self * self)) * grad)
erfc = op("erfc", lambda self: special.erfc(self),
    self = lambda F, grad, self: -special.TWO_OVER_ROOT_PI * F.exp(-(self * self)) * grad)
erfinv = op("erfinv", lambda self: special.erfinv(self),
    self = lambda F, grad, self: (1 / special.TWO_OVER_ROOT_PI) * F.exp(F.erfinv(self) ** 2) * grad)
lgamma = op("lgamma", lambda self: special.lgamma(self), self=lambda F, grad, self: grad * F.digamma(self))
digamma = op("digamma", lambda self: special.digamma(self), tex=r"\psi\left({0}\right)",
    self = lambda F, grad, self: grad * F.polygamma(self, 1))
polygamma = op("polygamma", lambda self, n: special.polygamma(n, self), tex=r"\psi^{{({1})}}\left({0}\right)",
    self = lambda F, grad, self, n: grad * F.polygamma(self, n + 1))
