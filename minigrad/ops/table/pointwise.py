"""Pointwise operations: each element of the result depends on one element of each input.

A row reads: name, forward on arrays, then one derivative per input. `grad` is what arrives from the
result; the other names are what the node saves. `**lerp.row.derivatives`: as the row `lerp` has them.
Options before the derivatives are explained where they are declared: `op`, and `Row` in `core/row.py`.
Formulas from torch's tools/autograd/derivatives.yaml.
"""

import math
import operator

from ...array import dtypes, xp
from ...core.op import no_derivative, op
from ...text.tex import cases, phrase
from ..checks import check_number, implemented
from ..kernels import pointwise as kernels

STEP = {"self": lambda F, grad: F.zeros_like(grad)}  # flat wherever it has a slope

# ---- arithmetic

add = op("add", operator.add, constants={"alpha": 1}, numbered=True,
    self  = lambda grad: grad,
    other = lambda grad: grad)
add_scaled = op("add_scaled", lambda self, other, alpha: self + kernels.times_alpha(other, alpha),
    grad_fn="AddBackward0", elementwise=True, scalars=("alpha",), numbered=True,
    self  = lambda grad: grad,
    other = lambda grad, alpha: grad * alpha)
sub = op("sub", operator.sub, constants={"alpha": 1}, check_types=kernels.no_bools, numbered=True,
    self  = lambda grad: grad,
    other = lambda grad: -grad)
sub_scaled = op("sub_scaled", lambda self, other, alpha: self - kernels.times_alpha(other, alpha),
    grad_fn="SubBackward0", elementwise=True, scalars=("alpha",), numbered=True,
    self  = lambda grad: grad,
    other = lambda grad, alpha: -grad * alpha)
rsub = op("rsub", lambda self, other: other - self, constants={"alpha": 1}, numbered=True,
    self  = lambda grad: -grad,
    other = lambda grad: grad)
rsub_number = op("rsub_number",
    lambda self, other: other - self if self.dtype.kind == "f" else operator.sub(*dtypes.promote(other, self)),
    grad_fn="RsubBackward1", constants={"alpha": 1}, scalars=("other",), self=lambda grad: -grad)
mul = op("mul", operator.mul, numbered=True, opmath="e",
    self  = lambda grad, other: grad * other,
    other = lambda grad, self: grad * self)
mul_scalar = op("mul_scalar", lambda self, other: kernels.beside(self, other) * other, grad_fn="MulBackward1",
    scalars=("other",), tex=lambda self, other: other * self, self=lambda grad, other: grad * other)
div = op("div", operator.truediv, numbers="floats", numbered=True, opmath="e",
    self  = lambda grad, other: grad / other,
    other = lambda grad, self, other: -grad * ((self / other) / other))
neg = op("neg", kernels.negative, self=lambda grad: -grad)
reciprocal = op("reciprocal", lambda self: 1.0 / self, self=lambda grad, result: -grad * (result * result))
remainder = op("remainder", kernels.remainder, grad_fn="RemainderBackward1",
    self  = lambda grad: grad,
    other = lambda F, grad, self, other: -grad * F.div_rounded(self, other, "floor"))
div_rounded = op("div_rounded", kernels.rounded, grad_fn="DivBackward2", elementwise=True, opmath="e",
    tex=r"{2}\left(\frac{{{0}}}{{{1}}}\right)",
    self  = lambda F, grad, other, rounding_mode: F.zeros_like(grad),
    other = lambda F, grad, self, other, rounding_mode: F.zeros_like(grad))
remainder_number = op("remainder_number", remainder.row.forward, grad_fn="RemainderBackward0",
    scalars=("other",), numbered=True, self=lambda grad: grad)
fmod = op("fmod", lambda self, other: kernels.divided("fmod_cpu", xp.fmod, self, other), grad_fn="FmodBackward1",
    self  = lambda grad: grad,
    other = lambda F, grad, self, other: -grad * F.div_rounded(self, other, "trunc"))
fmod_number = op("fmod_number", fmod.row.forward, grad_fn="FmodBackward0", scalars=("other",), numbered=True,
    self  = lambda grad: grad)
floor_divide = no_derivative("floor_divide", lambda self, other: kernels.rounded(self, other, "floor"), opmath="e")

# ---- powers and roots

pow_number = op("pow_number", kernels.power, grad_fn="PowBackward0", scalars=("exponent",), numbered=True,
    self  = lambda F, grad, self, exponent: F.pow_slope(grad, self, exponent))
pow = op("pow", kernels.power, grad_fn="PowBackward1", elementwise=True,
    self     = lambda F, grad, self, exponent: F.where(exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
    exponent = lambda F, grad, self, exponent, result: grad * F.where(
        (self == 0) & (exponent >= 0), 0.0, result * F.log(self)))
pow_base = op("pow_base", lambda exponent, self: kernels.power(self, exponent), grad_fn="PowBackward2",
    scalars=("self",),
    exponent = lambda F, grad, exponent, self, result: grad * F.where(
        (exponent >= 0) & (self == 0), 0.0, result * F.log_number(self)))
sqrt = op("sqrt", xp.sqrt, tex=r"\sqrt{{{0}}}", self=lambda grad, result: grad / (2 * result))
rsqrt = op("rsqrt", lambda self: 1.0 / xp.sqrt(self), tex=phrase(r"\frac{{1}}{{\sqrt{{{0}}}}}", 3),
    self = lambda grad, result: -0.5 * grad * result ** 3)

# ---- exponentials and logarithms

exp = op("exp", xp.exp, tex=phrase("e^{{{0}}}", 3), self=lambda grad, result: grad * result)
exp2 = op("exp2", xp.exp2, self=lambda grad, result: grad * result * math.log(2))
expm1 = op("expm1", xp.expm1, self=lambda grad, result: grad * (result + 1))
log = op("log", xp.log, self=lambda grad, self: grad / self)
log2 = op("log2", xp.log2, self=lambda grad, self: grad / (self * math.log(2)))
log10 = op("log10", xp.log10, self=lambda grad, self: grad / (self * math.log(10)))
log1p = op("log1p", xp.log1p, self=lambda grad, self: grad / (self + 1))
logaddexp = op("logaddexp", lambda self, other: xp.logaddexp(implemented("logaddexp_cpu", self), other), numbers=False,
    self  = lambda F, grad, self, other: grad / (1 + F.exp(other - self)),
    other = lambda F, grad, self, other: grad / (1 + F.exp(self - other)))
xlogy = op("xlogy", lambda self, other: xp.where((self == 0) & ~xp.isnan(other), self * 0, self * xp.log(other)),
    numbers="floats",
    self  = lambda F, grad, self, other: F.masked_fill(F.xlogy(grad, other), (self == 0) & (other <= 0), 0),
    other = lambda grad, self, other: grad * self / other)

# ---- trigonometry, hyperbolic functions, sigmoid and relu

sin = op("sin", xp.sin, self=lambda F, grad, self: grad * F.cos(self))
cos = op("cos", xp.cos, self=lambda F, grad, self: grad * -F.sin(self))
tan = op("tan", xp.tan, self=lambda grad, result: grad * (1 + result ** 2))
asin = op("asin", xp.arcsin, self=lambda F, grad, self: grad * F.rsqrt(1 - self * self))
acos = op("acos", xp.arccos, self=lambda F, grad, self: grad * -F.rsqrt(1 - self * self))
atan = op("atan", xp.arctan, self=lambda grad, self: grad / (self * self + 1))
atan2 = op("atan2", lambda self, other: xp.arctan2(self, other), numbers=False,
    self  = lambda F, grad, self, other: grad * F.per_square(other, self, other),
    other = lambda F, grad, self, other: grad * F.per_square(-self, self, other))
sinh = op("sinh", xp.sinh, self=lambda F, grad, self: grad * F.cosh(self))
cosh = op("cosh", xp.cosh, self=lambda F, grad, self: grad * F.sinh(self))
tanh = op("tanh", xp.tanh, self=lambda F, grad, result: F.tanh_backward(grad, result))
tanh_backward = op("tanh_backward", lambda grad_output, output: grad_output * (1 - output * output),
    transparent=True, elementwise=True,
    grad_output = lambda F, grad, output: F.tanh_backward(grad, output),
    output      = lambda F, grad, grad_output, output: grad * (F.mul_scalar(output, -2) * grad_output))
sigmoid = op("sigmoid", lambda self: xp.reciprocal(1 + xp.exp(-self if self.dtype.kind != "b" else 0.0 - self)),
    tex=r"\sigma\left({0}\right)", self=lambda F, grad, result: F.sigmoid_backward(grad, result))
sigmoid_backward = op("sigmoid_backward", lambda grad_output, output: grad_output * (1 - output) * output,
    transparent=True, elementwise=True,
    grad_output = lambda F, grad, output: F.sigmoid_backward(grad, output),
    output      = lambda grad, grad_output, output: grad * grad_output * (1 - 2 * output))
relu = op("relu", kernels.relu, numbered=True, self=lambda F, grad, result: F.relu_backward(grad, result))
relu_backward = op("relu_backward", lambda grad_output, output: kernels.where(~(output <= 0), grad_output, 0.0),
    grad_fn="ThresholdBackwardBackward0", elementwise=True, tex=lambda g, y: g * (y > 0),
    grad_output = lambda F, grad, output: F.relu_backward(grad, output),
    output      = lambda F, grad: F.zeros_like(grad))
asinh = op("asinh", xp.arcsinh, self=lambda F, grad, self: grad * F.rsqrt(self ** 2 + 1))
acosh = op("acosh", xp.arccosh, self=lambda F, grad, self: grad * F.rsqrt(self ** 2 - 1))
atanh = op("atanh", xp.arctanh, self=lambda grad, self: grad / (1 - self ** 2))
hypot = op("hypot", lambda self, other: xp.hypot(implemented("hypot_cpu", self), other), numbers=False,
    self  = lambda grad, self, result: grad * self / result,
    other = lambda grad, other, result: grad * other / result)
sinc = op("sinc", xp.sinc, self=lambda F, grad, self: F.sinc_slope(grad, self))

# ---- signs, steps and comparisons that pass gradients

abs = op("abs", lambda self: xp.absolute(implemented("abs_cpu", self, "iuf")), tex=r"\left\lvert {0}\right\rvert",
    self = lambda F, grad, self: grad * F.sgn(self))
sign = op("sign", lambda self: kernels.sign(self), **STEP)
sgn = op("sgn", kernels.sign, self=lambda F, grad, self, result: F.zeros_like(grad))
floor = op("floor", lambda self: kernels.whole_numbers(xp.floor, self), **STEP)
ceil = op("ceil", lambda self: kernels.whole_numbers(xp.ceil, self), **STEP)
trunc = op("trunc", lambda self: kernels.whole_numbers(xp.trunc, self), **STEP)
round = op("round", lambda self: kernels.whole_numbers(xp.rint, self), **STEP)
round_decimals = op("round_decimals", lambda self, decimals: xp.round(implemented("round_cpu", self), decimals),
    grad_fn="RoundBackward1", **STEP)
frac = op("frac", lambda self: implemented("frac_cpu", self) - xp.trunc(self), self=lambda grad: grad)
# torch keeps the first of 0.0 and -0.0, NumPy the second; in blocks of 64 bytes torch's processor
# instructions keep the second too, which is not followed here: no sign should hang on a length
maximum = op("maximum", lambda self, other: xp.maximum(other, self), numbers=False,
    self  = lambda F, grad, self, other: F.masked_fill(F.where(self == other, grad / 2, grad), self < other, 0),
    other = lambda F, grad, self, other: F.masked_fill(F.where(self == other, grad / 2, grad), self > other, 0))
minimum = op("minimum", lambda self, other: xp.minimum(other, self), numbers=False,
    self  = lambda F, grad, self, other: F.masked_fill(F.where(self == other, grad / 2, grad), self > other, 0),
    other = lambda F, grad, self, other: F.masked_fill(F.where(self == other, grad / 2, grad), self < other, 0))
fmax = op("fmax", lambda self, other: xp.where((self >= other) | xp.isnan(other), self, other), numbers=False,
    self  = lambda F, grad, self, other: F.where((self >= other) | F.isnan(other), grad, 0.0),
    other = lambda F, grad, self, other: F.where((self >= other) | F.isnan(other), 0.0, grad))
fmin = op("fmin", lambda self, other: xp.where((self <= other) | xp.isnan(other), self, other), numbers=False,
    self  = lambda F, grad, self, other: F.where((self <= other) | F.isnan(other), grad, 0.0),
    other = lambda F, grad, self, other: F.where((self <= other) | F.isnan(other), 0.0, grad))
clamp_numbers = op("clamp_numbers", kernels.clamp, grad_fn="ClampBackward1", scalars=("min", "max"),
    self = lambda F, grad, self, min, max: F.where(self >= min if max is None else self <= max if min is None else
        (self >= min) & (self <= max), grad, 0.0))
clamp_min = op("clamp_min", lambda self, min: kernels.clamp(self, min, None),
    scalars=("min",), tex=r"\max\left({0}, {1}\right)",
    self = lambda F, grad, self, min: F.where(self >= min, grad, 0.0))
clamp_max = op("clamp_max", lambda self, max: kernels.clamp(self, None, max), scalars=("max",),
    self = lambda F, grad, self, max: F.where(self <= max, grad, 0.0))
clamp_min_tensor = op("clamp_min_tensor", clamp_min.row.forward, grad_fn="ClampMinBackward1", elementwise=True,
    **clamp_min.row.derivatives,
    min  = lambda F, grad, self, min: F.where(self < min, grad, 0.0))
clamp_max_tensor = op("clamp_max_tensor", clamp_max.row.forward, grad_fn="ClampMaxBackward1", elementwise=True,
    **clamp_max.row.derivatives,
    max  = lambda F, grad, self, max: F.where(self > max, grad, 0.0))
clamp_tensors = op("clamp_tensors", kernels.clamp, grad_fn="ClampBackward0", elementwise=True,
    **clamp_numbers.row.derivatives,
    min = lambda F, grad, self, min, max: F.where(self < min if max is None else (self < min) & (min < max), grad, 0.0),
    max = lambda F, grad, self, min, max: F.where(self > max if min is None else (self > max) | (max < min), grad, 0.0))
nan_to_num = op("nan_to_num", lambda self, nan=None, posinf=None, neginf=None: xp.nan_to_num(
        self, nan=0.0 if nan is None else check_number(nan), posinf=posinf, neginf=neginf),
    scalars=("nan", "posinf", "neginf"), self=lambda F, grad, self: grad * F.isfinite(self))
where = op("where", kernels.where, fixed=("condition",), elementwise=True, letters={"self": "a", "other": "b"},
    tex=cases,
    self  = lambda F, grad, condition: F.where(condition, grad, 0.0),
    other = lambda F, grad, condition: F.where(condition, 0.0, grad))
masked_fill = op("masked_fill", kernels.masked_fill, fixed=("mask",), elementwise=True,
    scalars=("value",), numbered=True, tex=lambda x, mask, value: cases(mask, value, x),
    self  = lambda F, grad, mask: F.masked_fill(grad, mask, 0))
masked_fill_tensor = op("masked_fill_tensor", masked_fill.row.forward,
    fixed=("mask",), grad_fn="MaskedFillBackward1", **masked_fill.row.derivatives,
    value = lambda F, grad, mask: F.sum(F.where(mask, grad, 0.0)))

# ---- several at once

lerp = op("lerp", kernels.lerp, elementwise=True, scalars=("weight",), numbered=True,
    self = lambda grad, weight: grad * (1 - weight),
    end  = lambda grad, weight: grad * weight)
lerp_tensor = op("lerp_tensor", lerp.row.forward, elementwise=True, grad_fn="LerpBackward1", **lerp.row.derivatives,
    weight = lambda grad, self, end: grad * (end - self))
addcmul = op("addcmul", lambda self, tensor1, tensor2, value=1: self + kernels.times(tensor1, value) * tensor2,
    elementwise=True, scalars=("value",),
    self    = lambda grad: grad,
    tensor1 = lambda grad, tensor2, value: grad * (tensor2 * value),
    tensor2 = lambda grad, tensor1, value: grad * (tensor1 * value))
addcdiv = op("addcdiv", lambda self, tensor1, tensor2, value=1: self + value * tensor1 / tensor2, elementwise=True,
    scalars=("value",),
    self    = lambda grad: grad,
    tensor1 = lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2 = lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)))

# ---- what has no derivative

heaviside = no_derivative("heaviside", lambda self, other: xp.where(self == 0, other, self > 0).astype(self.dtype))
eq = op("eq", lambda self, other: self == other, numbers="arrays")
ne = op("ne", lambda self, other: self != other)
lt = op("lt", lambda self, other: self < other)
le = op("le", lambda self, other: self <= other)
gt = op("gt", lambda self, other: self > other)
ge = op("ge", lambda self, other: self >= other)
logical_and = op("logical_and", lambda self, other: xp.logical_and(self, other), numbers=False)
logical_or = op("logical_or", lambda self, other: xp.logical_or(self, other), numbers=False)
logical_xor = op("logical_xor", lambda self, other: xp.logical_xor(self, other), numbers=False)
logical_not = op("logical_not", lambda self: xp.logical_not(self))
bitwise_and = op("bitwise_and", lambda self, other: kernels.bits("bitwise_and", self, other) & other)
bitwise_or = op("bitwise_or", lambda self, other: kernels.bits("bitwise_or", self, other) | other)
bitwise_xor = op("bitwise_xor", lambda self, other: kernels.bits("bitwise_xor", self, other) ^ other)
bitwise_not = op("bitwise_not", lambda self: ~implemented("bitwise_not_cpu", self, "iub"))
bitwise_left_shift = op("bitwise_left_shift", lambda self, other: kernels.bits("lshift", self, other, "iu") << other)
bitwise_right_shift = op("bitwise_right_shift", lambda self, other: kernels.bits("rshift", self, other, "iu") >> other)
isnan = op("isnan", lambda self: xp.isnan(self), tex=phrase(r"{0:4} \text{{ is NaN}}", -1))
isinf = op("isinf", lambda self: xp.isinf(self))
isfinite = op("isfinite", lambda self: xp.isfinite(self), tex=phrase(r"{0:4} \text{{ is finite}}", -1))
signbit = op("signbit", lambda self: xp.signbit(self))

# ---- in place, where torch records another node: a step's, or one that cannot be differentiated yet

acosh_ = op("acosh_", xp.arccosh, grad_fn="AcoshBackward1", self=lambda F: F.refuse("inplace version of acosh"))
asinh_ = op("asinh_", xp.arcsinh, grad_fn="AsinhBackward1", self=lambda F: F.refuse("inplace version of asinh"))
atanh_ = op("atanh_", xp.arctanh, grad_fn="AtanhBackward1", self=lambda F: F.refuse("inplace version of atanh"))
for _row in (eq.row, ne.row, lt.row, le.row, gt.row, ge.row):
    _truth, _node = kernels.as_numbers(_row.forward), _row.grad_fn.removesuffix("0")
    op(f"{_row.name}_number_", _truth, grad_fn=f"{_node}0", elementwise=True, scalars=("other",), **STEP)
    op(f"{_row.name}_tensor_", _truth, grad_fn=f"{_node}1", elementwise=True, **STEP,
        other = lambda F, grad: F.zeros_like(grad))
