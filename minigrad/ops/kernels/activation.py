"""What activations compute where that takes more than a line, and parts of their derivatives."""

import math

from ...array import largest, special, xp
from ...core.carriers import RAW, formula
from ...text.tex import normal_slope
from ..checks import implemented, need, require
from . import pointwise, shape

_SQRT_HALF, _GELU, _DENSITY = math.sqrt(0.5), math.sqrt(2 / math.pi), 1 / math.sqrt(2 * math.pi)


def _gelu_inner(x):
    return _GELU * (x + 0.044715 * x * x * x)


def gelu(self, approximate: str):
    require(approximate in ("none", "tanh"), "approximate argument must be either none or tanh.")
    inner = xp.tanh(_gelu_inner(self)) if approximate == "tanh" else special.erf(self * self.dtype.type(_SQRT_HALF))
    return 0.5 * implemented("GeluKernelImpl", self) * (1 + inner)


def glu(self, dim: int):
    need(self.shape[dim] % 2 == 0, "glu_halves", dim % self.ndim, self.shape[dim])
    half = implemented("glu_cpu", self).shape[dim] // 2
    return shape.slice_part(self, dim, 0, half) * RAW.sigmoid(shape.slice_part(self, dim, half))


def _below_largest(self, name: str, dim: int):
    """`self` minus its maximum along `dim`, in an array to write into; 0 where it is alone (nan stays)."""
    if self.dtype.kind != "f":
        implemented(f"{name}{'_lastdim' * (dim in (-1, self.ndim - 1))}_kernel_impl", self)
    if not (self.ndim and self.size):
        return (self - self)[...]
    return (self if self.flags.c_contiguous else self.copy()) - largest(self, dim)


def softmax(self, dim: int):
    y = _below_largest(self, "softmax", dim)
    xp.exp(y, y)
    y /= xp.add.reduce(y, dim, keepdims=True)
    return y


def safe_softmax(self, dim: int):
    """softmax, and 0 where everything is masked out."""
    return xp.where((self == -math.inf).all(dim, keepdims=True), self.dtype.type(0), softmax(self, dim))


def log_softmax(self, dim: int):
    y = _below_largest(self, "log_softmax", dim)
    y -= xp.log(xp.add.reduce(xp.exp(y), dim, keepdims=True))
    return y


def elu(self, alpha: float, scale: float, input_scale: float):
    return xp.where(implemented("elu_cpu", self) > 0, self * scale, xp.expm1(self * input_scale) * (alpha * scale))


def softplus(self, beta: float, threshold: float):
    z = implemented("softplus_cpu", self) * beta
    return xp.where(z > threshold, self, xp.log1p(xp.exp(z)) / beta)


def log_sigmoid(self) -> tuple:
    buffer = xp.exp(-xp.absolute(implemented("log_sigmoid_cpu", self)))
    return xp.minimum(self, 0) - xp.log1p(buffer), buffer


def logit(self, eps: float | None = None):
    self = pointwise.beside(self, 1.0)
    self = self if eps is None else xp.clip(self, eps, 1 - eps)
    return xp.log(self / (1 - self))


# ---- parts of derivatives


@formula(tex=normal_slope)
def gelu_slope(F, x, approximate: str):
    """The derivative of x * Phi(x), where Phi is the normal distribution, or of its approximation with tanh."""
    if approximate == "none":
        cdf, density = 0.5 * (1 + F.erf(x * _SQRT_HALF)), F.exp(x * x * -0.5) * _DENSITY
        return cdf + x * density
    t = F.tanh(_gelu_inner(x))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * (_GELU * (1 + 3 * 0.044715 * x * x))


@formula(r"\left[{0} \odot \sigma(b),\, {0} \odot a \odot \sigma(b) \odot (1 - \sigma(b))\right]"
         r",\quad \left[a, b\right] = {1}")
def glu_slope(F, grad, x, dim: int):
    """x = [a, b]: grad * sigmoid(b) for a, grad * a * sigmoid'(b) for b."""
    half = x.shape[dim] // 2
    a, gate = F.slice(x, dim, 0, half, 1), F.sigmoid(F.slice(x, dim, half, 2 * half, 1))
    return F.cat([grad * gate, grad * gate * (1 - gate) * a], dim)


@formula(tex=lambda x: x)
def below(F, x):
    """x below 0, else 0: with no slope at 0, and nothing that overflows where elu is a line."""
    return F.where(x < 0, x, 0.0)


def logit_slope(F, grad, x, eps: float | None):
    least, beyond = (0, math.nan) if eps is None else (eps, 0.0)
    return F.where((x < least) | (x > 1 - least), beyond, grad / (x * (1 - x)))
