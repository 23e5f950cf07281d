"""Activations and the special functions behind them: erf, gamma and their inverses.

A row reads as in `pointwise`. Where torch's derivative is constant in pieces but still hangs on the
input (relu's relatives), `F.tied` keeps that edge, so that a second derivative is 0 and not missing.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..array.backend import ndarray, xp
from ..core.carriers import SYMBOLS, formula, phrase, spelled_out
from ..core.op import no_derivative, op
from .checks import implemented, own_dim, require, same_type, titled
from .pointwise import beside, sigmoid
from .special import digamma_of, erf_of, erfc_of, erfinv_of, lgamma_of, polygamma_of

_SQRT_HALF, _TWO_OVER_ROOT_PI = math.sqrt(0.5), 2 / math.sqrt(math.pi)


@spelled_out
def softmax_slope(F: Any, grad: Any, y: Any, dim: int) -> Any:
    return y * (grad - F.sum_dim(grad * y, dim, True))


@spelled_out
def log_softmax_slope(F: Any, grad: Any, y: Any, dim: int) -> Any:
    return grad - F.exp(y) * F.sum_dim(grad, dim, True)


@formula(tex=lambda x: SYMBOLS.Phi(x))
def normal_cdf(F: Any, x: Any) -> Any:
    return 0.5 * (1 + F.erf(x * _SQRT_HALF))


@formula(tex=lambda x: SYMBOLS.phi(x))
def normal_density(F: Any, x: Any) -> Any:
    return F.exp(x * x * -0.5) * (0.5 * _SQRT_HALF * _TWO_OVER_ROOT_PI)


@spelled_out
def gelu_slope(F: Any, x: Any, approximate: str) -> Any:
    """The derivative of x * Phi(x), or of its approximation with tanh."""
    if approximate == "none":
        return F.normal_cdf(x) + x * F.normal_density(x)
    t = F.tanh(_gelu_inner(x))
    inner = _GELU * (1 + 3 * 0.044715 * x * x)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner


_GELU = math.sqrt(2 / math.pi)


def _gelu_inner(x: Any) -> Any:
    return _GELU * (x + 0.044715 * x * x * x)


def _gelu(self: Any, approximate: str) -> Any:
    require(approximate in ("none", "tanh"), "approximate argument must be either none or tanh.")
    inner = xp.tanh(_gelu_inner(self)) if approximate == "tanh" else erf_of(self * self.dtype.type(_SQRT_HALF))
    return 0.5 * implemented("GeluKernelImpl", self) * (1 + inner)


@formula(tex=phrase(r"\left[{0} \odot \sigma(b),\, {0} \odot a \odot \sigma(b) \odot (1 - \sigma(b))\right]"
                    r"\text{{ where }} {1} = \left[a, b\right]"))
def glu_slope(F: Any, grad: Any, x: Any, dim: int) -> Any:
    """x = [a, b]: grad * sigmoid(b) for a, grad * a * sigmoid'(b) for b."""
    half = x.shape[dim] // 2
    a, gate = F.slice(x, dim, 0, half, 1), F.sigmoid(F.slice(x, dim, half, 2 * half, 1))
    return F.cat([grad * gate, grad * gate * (1 - gate) * a], dim)


def _glu(self: Any, dim: int) -> Any:
    if self.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % self.ndim} is size {self.shape[dim]}")
    a, b = xp.split(implemented("glu_cpu", self), 2, dim)
    return a * sigmoid.row.forward(b)


def _floats_only(self: Any, name: str, dim: int) -> None:
    if self.dtype.kind != "f":
        implemented(f"{name}{'_lastdim' * (dim in (-1, self.ndim - 1))}_kernel_impl", self)


def _largest(x: Any, dim: int) -> Any:
    """The maximum along `dim`, kept. NumPy takes short rows one by one; turned, it takes all at once."""
    if x.__class__ is not ndarray:
        return x.max(dim, keepdims=True)
    n = x.shape[dim]
    if n > 40 or x.size < 256 or dim % x.ndim != x.ndim - 1:
        return xp.maximum.reduce(x, dim, keepdims=True)
    return xp.maximum.reduce(x.reshape(-1, n).T.copy(), 0).reshape(*x.shape[:-1], 1)


def _softmax(self: Any, dim: int) -> Any:
    _floats_only(self, "softmax", dim)
    if not (self.ndim and self.size):
        return self - self + 1  # nan stays
    y = (self if self.flags.c_contiguous else self.copy()) - _largest(self, dim)
    xp.exp(y, y)
    y /= xp.add.reduce(y, dim, keepdims=True)
    return y


def _safe_softmax(self: Any, dim: int) -> Any:
    """softmax, and 0 where everything is masked out."""
    return xp.where((self == -math.inf).all(dim, keepdims=True), self.dtype.type(0), _softmax(self, dim))


def _log_softmax(self: Any, dim: int) -> Any:
    _floats_only(self, "log_softmax", dim)
    if not (self.ndim and self.size):
        return self - self
    y = (self if self.flags.c_contiguous else self.copy()) - _largest(self, dim)
    y -= xp.log(xp.add.reduce(xp.exp(y), dim, keepdims=True))
    return y


def _elu(self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    return xp.where(implemented("elu_cpu", self) > 0, self * scale, xp.expm1(self * input_scale) * (alpha * scale))


@formula(tex=lambda x: x)
def below(F: Any, x: Any) -> Any:
    """x below 0, else 0: with no slope at 0, and nothing that overflows where elu is a line."""
    return F.where(x < 0, x, 0.0)


def _softplus(self: Any, beta: float, threshold: float) -> Any:
    z = implemented("softplus_cpu", self) * beta
    return xp.where(z > threshold, self, xp.log1p(xp.exp(z)) / beta)


def _log_sigmoid(self: Any) -> tuple:
    buffer = xp.exp(-xp.absolute(implemented("log_sigmoid_cpu", self)))
    return xp.minimum(self, 0) - xp.log1p(buffer), buffer


def _logit(self: Any, eps: float | None = None) -> Any:
    self = beside(self, 1.0)
    self = self if eps is None else xp.clip(self, eps, 1 - eps)
    return xp.log(self / (1 - self))


@spelled_out
def logit_slope(F: Any, grad: Any, x: Any, eps: float | None) -> Any:
    least, beyond = (0, math.nan) if eps is None else (eps, 0.0)
    return F.where((x < least) | (x > 1 - least), beyond, grad / (x * (1 - x)))


tied = op("tied", lambda grad_output, self: grad_output, transparent=True,
    grad_output = lambda grad: grad,
    self        = lambda F, grad, self_sym_sizes: F.zeros_as(grad, self_sym_sizes))

# ---- the relu family

leaky_relu_of = op("leaky_relu", lambda self, negative_slope: xp.where(
        implemented("leaky_relu_cpu", self) > 0, self, self * negative_slope),
    self = lambda F, grad, self, negative_slope: F.tied(F.where(self > 0, grad, grad * negative_slope), self))
leaky_relu_written = op("leaky_relu_written", leaky_relu_of.row.forward, grad_fn="LeakyReluBackward1",
    self = lambda F, grad, result, negative_slope: F.tied(F.where(result > 0, grad, grad * negative_slope), result))
prelu_kernel = op("prelu_kernel", lambda self, weight: xp.where(self > 0, self, weight * self), elementwise=True,
    self   = lambda F, grad, self, weight: F.where(self > 0, grad, weight * grad),
    weight = lambda F, grad, self: F.where(self > 0, 0.0, self * grad))
rrelu_with_noise = op("rrelu_with_noise", lambda self, noise, lower, upper, training: self * noise, fixed=("noise",),
    keeps=("lower", "upper", "training"),
    self = lambda F, grad, self, noise: F.tied(grad * noise, self))
threshold_of = op("threshold", lambda self, threshold, value: xp.where(self <= threshold, self.dtype.type(value), self),
    self = lambda F, grad, self, threshold: F.tied(F.where(self <= threshold, 0.0, grad), self))
hardtanh_of = op("hardtanh", lambda self, min_val, max_val: xp.clip(self, *map(self.dtype.type, (min_val, max_val))),
    self = lambda F, grad, self, min_val, max_val: F.tied(
        F.where((self <= min_val) | (self >= max_val), 0.0, grad), self))
hardsigmoid = op("hardsigmoid", lambda self: xp.clip(implemented("hardsigmoid_cpu", self) + 3, 0, 6) / 6,
    self = lambda F, grad, self: F.hardsigmoid_backward(grad, self))
hardsigmoid_backward = no_derivative("hardsigmoid_backward", lambda self, other: xp.where(
        (other > -3) & (other < 3), self / 6, 0), "hardsigmoid_backward")
hardswish = op("hardswish", lambda self: implemented("hardswish_cpu", self) * xp.clip(self + 3, 0, 6) / 6,
    self = lambda F, grad, self: F.where(self <= -3, 0.0, F.where(self < 3, grad * (self / 3 + 0.5), grad)))
hardshrink_of = op("hardshrink", lambda self, lambd=0.5: xp.where(
        xp.absolute(implemented("hardshrink_cpu", self)) <= lambd, 0, self),
    self = lambda F, grad, self, lambd: F.tied(F.where(F.abs(self) <= lambd, 0.0, grad), self))
softshrink_of = op("softshrink", lambda self, lambd=0.5: self - xp.clip(self, -lambd, lambd),
    **hardshrink_of.row.derivatives)

# ---- smooth ones

elu_of = op("elu", _elu,
    self = lambda F, grad, self, alpha, scale, input_scale: F.where(
        self <= 0, grad * (input_scale * alpha * scale) * F.exp(F.below(self * input_scale)), grad * scale))
elu_written = op("elu_written", _elu, grad_fn="EluBackward1",
    self = lambda F, grad, result, alpha, scale, input_scale: F.where(
        result <= 0, grad * input_scale * (F.below(result) + alpha * scale), grad * scale))
celu_of = op("celu", lambda self, alpha: _elu(self, alpha, 1, 1 / alpha),
    self = lambda F, grad, self, alpha: F.where(self <= 0, grad * F.exp(F.below(self / alpha)), grad))
gelu_of = op("gelu", _gelu,
    self = lambda F, grad, self, approximate: grad * F.gelu_slope(self, approximate))
silu_of = op("silu", lambda self: implemented("silu_cpu", self) / (1 + xp.exp(-self)),
    self = lambda F, grad, self: grad * F.sigmoid(self) * (1 + self * (1 - F.sigmoid(self))))
mish_of = op("mish", lambda self: implemented("mish_cpu", self) * xp.tanh(_softplus(self, 1, 20)),
    self = lambda F, grad, self: grad * (F.tanh(F.softplus(self, 1, 20)) + self * F.sigmoid(self)
        * (1 - F.tanh(F.softplus(self, 1, 20)) ** 2)))
softplus_of = op("softplus", _softplus,
    self = lambda F, grad, self, beta, threshold: F.where(self * beta > threshold, grad, grad * F.sigmoid(self * beta)))
log_sigmoid = op("log_sigmoid", _log_sigmoid, outputs=("output", "buffer"), keeps=("buffer",),
    self = lambda F, grad, self: grad * F.sigmoid(-self))
glu_of = op("glu", _glu,
    self = lambda F, grad, self, dim: F.glu_slope(grad, self, dim))
softmax_dim = op("softmax", _softmax,
    self = lambda F, grad, result, dim: F.softmax_slope(grad, result, dim))
safe_softmax = op("safe_softmax", _safe_softmax, **softmax_dim.row.derivatives)
log_softmax_dim = op("log_softmax", _log_softmax,
    self = lambda F, grad, result, dim: F.log_softmax_slope(grad, result, dim))
logit = op("logit", _logit,
    doc="log(x / (1 - x)), the inverse of sigmoid; x is first brought into `[eps, 1 - eps]` if given.",
    self = lambda F, grad, self, eps: F.logit_slope(grad, self, eps))

# ---- special functions

erf = op("erf", lambda self: erf_of(self),
    self = lambda F, grad, self: _TWO_OVER_ROOT_PI * F.exp(-(self * self)) * grad)
erfc = op("erfc", lambda self: erfc_of(self),
    self = lambda F, grad, self: -_TWO_OVER_ROOT_PI * F.exp(-(self * self)) * grad)
erfinv = op("erfinv", lambda self: erfinv_of(self),
    self = lambda F, grad, self: (1 / _TWO_OVER_ROOT_PI) * F.exp(F.erfinv(self) ** 2) * grad)
lgamma = op("lgamma", lambda self: lgamma_of(self),
    self = lambda F, grad, self: grad * F.digamma(self))
digamma = op("digamma", lambda self: digamma_of(self),
    self = lambda F, grad, self: grad * F.polygamma(self, 1))
polygamma = op("polygamma", lambda self, n: polygamma_of(n, self),
    self = lambda F, grad, self, n: grad * F.polygamma(self, n + 1))


# ---- arguments as torch takes them


def _along(row: Any, name: str, doc: str) -> Any:
    def along(self: Any, dim: Any = None, *, dtype: Any = None) -> Any:
        self = self if dtype is None else self.to(dtype)
        if dim is None:
            warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X "
                          "as an argument.", UserWarning, stacklevel=2)
            dim = 0 if self.ndim in (0, 1, 3) else 1
        return row(self, own_dim(self, dim))

    return titled(along, name, doc)


softmax = _along(softmax_dim, "softmax", "exp(x) divided by its sum along `dim`: numbers that sum to 1.")
log_softmax = _along(log_softmax_dim, "log_softmax", "The logarithm of softmax, computed without overflow.")


def prelu(self: Any, weight: Any) -> Any:
    """x where positive, else `weight * x`; one weight, or one per channel."""
    same_type(self._data, weight._data, said="prelu: Type promoting not supported. Got {0} and {1}")
    count, channels = weight.numel(), self.shape[1] if self.ndim > 1 else 1
    require(count in (1, channels), "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{count} and channel size = {channels}.")
    if weight.ndim != self.ndim:
        weight = weight.reshape([weight.numel() if i == 1 else 1 for i in range(self.ndim)])
    return prelu_kernel(self, weight)


def polygamma_function(n: int, input: Any) -> Any:
    """Derivative number `n` of digamma."""
    return polygamma(input, n)
