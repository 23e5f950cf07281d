"""Pointwise operations: each element of the result depends on one element of each input.

A row reads: name, forward on arrays, then one derivative per input. `grad` is what arrives from the
result; the other names are what the node saves. `**lerp.row.derivatives`: as the row `lerp` has them.
Formulas from torch's tools/autograd/derivatives.yaml.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from ..array import dtypes
from ..array.backend import ndarray, xp
from ..core.base import constant
from ..core.carriers import RAW, SYMBOLS, TENSORS, formula, spelled_out
from ..core.op import no_derivative, op, shape_mismatch
from .checks import a_tensor, implemented, must_be_a, require, same_type


def _sign(self: Any) -> Any:
    return self.copy() if self.dtype.kind == "b" else (self > 0).astype(self.dtype) - (self < 0)  # 0 for NaN


def _whole(function: Any, x: Any) -> Any:
    if x.dtype.kind == "f":
        return function(x)
    return implemented(function.__name__.replace("rint", "round") + "_vml_cpu", x, "iu").copy()  # whole already


def _by(divide: Any, a: Any, b: Any) -> Any:
    """`divide(a, b)`; integers have no quotient by 0."""
    if a.dtype.kind != "f":
        a, b = dtypes.promote(a, b)
        require(a.dtype.kind not in "iu" or xp.all(b), "ZeroDivisionError")
    return divide(a, b)


def _negative(self: Any) -> Any:
    if self.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")
    return -self


def _no_bools(a: str, b: str) -> None:
    """Raises: RuntimeError if one of the two kinds is bool."""
    require(a != "b" or b != "b", "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
            "or `logical_xor()` operator instead.")
    require(a != "b" and b != "b", "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead.")


def beside(x: Any, *numbers: Any) -> Any:
    """`x` in the type that it takes beside Python numbers: a float lifts integers."""
    if x.dtype.kind in "iub" and any(isinstance(n, float) for n in numbers):
        return x.astype(dtypes.get_default_dtype().np)
    return x


def times(x: Any, number: Any) -> Any:
    """`x` times a Python number, in the type of `x`: integers cut the number and wrap, as in torch."""
    return x if number == 1 else x * (number if x.dtype.kind == "f" else dtypes.cast(number, x.dtype))


def _scaled(x: Any, alpha: Any) -> Any:
    """`alpha * x`, where `alpha` is a number of a kind that the elements take."""
    if x.dtype.kind != "f" or alpha.__class__ is bool:
        require(x.dtype.kind == "b" or alpha.__class__ is not bool, "Boolean alpha only supported for Boolean results.")
        require(not isinstance(alpha, float), "For integral input tensors, argument alpha must not be a floating point "
                "number.")
    return times(x, alpha)


def _rounded(self: Any, other: Any, rounding_mode: str) -> Any:
    if rounding_mode == "trunc" and self.dtype.kind == "f":
        return xp.trunc(self / other)
    floor = _by(operator.floordiv, self, other)
    return floor if rounding_mode == "floor" else floor + ((floor < 0) & (floor * other != self))  # exact past 2**53


# Multiplied out as in torch, bit for bit the same; NumPy's own power takes a hundred times as long
_SHORT = {3: lambda x: x * x * x, -2: lambda x: 1 / (x * x), -0.5: lambda x: 1 / xp.sqrt(x)}


def _power(self: Any, exponent: Any) -> Any:
    if exponent.__class__ in (int, float) and self.dtype.kind == "f":
        short = _SHORT.get(exponent) if exponent != 2 and self.dtype.itemsize > 2 else None
        return self**exponent if short is None else short(self)
    if exponent.__class__ is self.__class__ and self.dtype.kind == "f":
        return self**exponent
    kind = dtypes.result_dtype(self, exponent)
    if kind.kind in "iu":
        require(not xp.any(xp.asarray(exponent) < 0), "Integers to negative integer powers are not allowed.")
        dtypes.check_fits(exponent, kind)
    return dtypes.cast(dtypes.cast(self, kind) ** dtypes.cast(exponent, kind), kind)  # of two bools NumPy makes int8


def _lerp(self: Any, end: Any, weight: Any) -> Any:
    """From the nearer of the two: exact at both."""
    way = implemented("lerp_kernel_scalar", end) - self
    if isinstance(weight, float | int):
        return self + weight * way if -0.5 < weight < 0.5 else end - way * (1 - weight)
    return xp.where(xp.absolute(weight) < 0.5, self + weight * way, end - way * (1 - weight))


def _xlogy(self: Any, other: Any) -> Any:
    return xp.where((self == 0) & ~xp.isnan(other), self * 0, self * xp.log(other))


def _where(condition: Any, self: Any, other: Any) -> Any:
    if condition.dtype.kind != "b":
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{dtypes.of(condition.dtype).scalar_type}")
    if other.__class__ is float and hasattr(self, "dtype"):
        other = self.dtype.type(other)  # NumPy takes twice as long to place a Python number
    try:
        return xp.where(condition, self, other)
    except ValueError:
        pair = (condition, self) if xp.shape(self) != condition.shape and xp.ndim(self) else (self, other)
        raise shape_mismatch(*(x if hasattr(x, "shape") else xp.asarray(x) for x in pair)) from None


def _masked_fill(self: Any, mask: Any, value: Any) -> Any:
    if xp.ndim(value):
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{xp.ndim(value)} dimension(s).")
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{dtypes.of(mask.dtype).c_name}")
    try:
        return xp.where(mask, value, self).astype(self.dtype)
    except ValueError:
        raise shape_mismatch(mask, self) from None


def _clamp(self: Any, min: Any, max: Any) -> Any:
    if self.dtype.kind != "f":
        kind = dtypes.result_dtype(self, *(x for x in (min, max) if x is not None))
        self, (min, max) = dtypes.cast(self, kind), (x if x is None else dtypes.fitting(x, kind) for x in (min, max))
    if isinstance(min, int | float) and isinstance(max, int | float) and min and max:
        return self.clip(*map(self.dtype.type, (min, max)))  # in one pass; of zeros it would keep no sign
    self = self if min is None else xp.maximum(min, self)  # the second of equals: 0.0 and -0.0 keep their sign
    return self if max is None else xp.minimum(max, self)


@formula(tex=lambda grad, base, exponent: grad * (exponent * base ** (exponent - 1)))
def pow_slope(F: Any, grad: Any, base: Any, exponent: Any) -> Any:
    """The gradient times the slope of a power; of a constant one it is 0, whatever the base."""
    return F.zeros_like(grad) if exponent == 0 else grad * (exponent * F.pow_of(base, exponent - 1))


def _inside(x: Any, low: Any, high: Any) -> Any:
    if low is None or high is None:
        return x >= low if high is None else x <= high
    return (x >= low) & (x <= high)


@spelled_out
def per_square(F: Any, value: Any, x: Any, y: Any) -> Any:
    """value / (x^2 + y^2), and 0 at the origin."""
    square = x * x + y * y
    return F.where(square == 0, 0.0, value / square)


def _lifted(x: Any, low: Any, high: Any) -> Any:
    return x < low if high is None else (x < low) & (low < high)


def _lowered(x: Any, low: Any, high: Any) -> Any:
    return x > high if low is None else (x > high) | (high < low)


_ZERO = {kind: xp.zeros((), kind) for kind in (dtypes.float32.np, dtypes.float64.np)}


def _relu(self: Any) -> Any:
    """The larger of 0 and x, in this order, which keeps -0.0 and NaN; a typed 0 spares a conversion."""
    if self.size < 1024 or not self.flags.c_contiguous or self.__class__ is not ndarray:
        return xp.maximum(_ZERO.get(self.dtype, 0), self)
    zeros = xp.zeros(self.shape, self.dtype)  # beside zeros of its own shape NumPy is three times as fast
    return xp.maximum(zeros, self, out=zeros)


def _log_number(value: float) -> float:
    return math.log(value) if value > 0 else (-math.inf if value == 0 else math.nan)


@spelled_out
def sinc_slope(F: Any, x: Any) -> Any:
    """(pi x cos(pi x) - sin(pi x)) / (pi x^2), and 0 at 0."""
    angle = x * math.pi
    return F.where(x * angle == 0, 0.0, (angle * F.cos(angle) - F.sin(angle)) / (x * angle))


for _carrier in (RAW, TENSORS, SYMBOLS):
    _carrier.lifted, _carrier.lowered, _carrier.inside = _lifted, _lowered, _inside
for _carrier in (RAW, TENSORS):
    _carrier.log_number = _log_number


STEP = {"self": lambda F, grad: F.zeros_like(grad)}  # flat wherever it has a slope

# ---- arithmetic

add = op("add", operator.add, constants={"alpha": 1},
    self  = lambda grad: grad,
    other = lambda grad: grad)
add_scaled = op("add_scaled", lambda self, other, alpha: self + _scaled(other, alpha),
    grad_fn="AddBackward0", elementwise=True,
    self  = lambda grad: grad,
    other = lambda grad, alpha: grad * alpha)
sub = op("sub", operator.sub, constants={"alpha": 1}, meets=_no_bools,
    self  = lambda grad: grad,
    other = lambda grad: -grad)
sub_scaled = op("sub_scaled", lambda self, other, alpha: self - _scaled(other, alpha),
    grad_fn="SubBackward0", elementwise=True,
    self  = lambda grad: grad,
    other = lambda grad, alpha: -grad * alpha)
rsub = op("rsub", lambda self, other: other - self, constants={"alpha": 1},
    self  = lambda grad: -grad,
    other = lambda grad: grad)
rsub_number = op("rsub_number",
    lambda self, other: other - self if self.dtype.kind == "f" else operator.sub(*dtypes.promote(other, self)),
    grad_fn="RsubBackward1", constants={"alpha": 1},
    self  = lambda grad: -grad)
mul = op("mul", operator.mul,
    self  = lambda grad, other: grad * other,
    other = lambda grad, self: grad * self)
mul_scalar = op("mul_scalar", lambda self, other: beside(self, other) * other, grad_fn="MulBackward1",
    self  = lambda grad, other: grad * other)
div = op("div", operator.truediv, numbers="floats",
    self  = lambda grad, other: grad / other,
    other = lambda grad, self, other: -grad * ((self / other) / other))
neg = op("neg", _negative,
    self  = lambda grad: -grad)
reciprocal = op("reciprocal", lambda self: 1.0 / self,
    self  = lambda grad, result: -grad * (result * result))
remainder = op("remainder", lambda self, other: _by(operator.mod, self, other), grad_fn="RemainderBackward1",
    self  = lambda grad: grad,
    other = lambda F, grad, self, other: -grad * F.div_rounded(self, other, "floor"))
div_rounded = op("div_rounded", _rounded, grad_fn="DivBackward2", elementwise=True,
    self  = lambda F, grad, other, rounding_mode: F.zeros_like(grad),
    other = lambda F, grad, self, other, rounding_mode: F.zeros_like(grad))
remainder_number = op("remainder_number", remainder.row.forward, grad_fn="RemainderBackward0",
    self  = lambda grad: grad)
fmod = op("fmod", lambda self, other: _by(xp.fmod, self, other), grad_fn="FmodBackward1",
    self  = lambda grad: grad,
    other = lambda F, grad, self, other: -grad * F.div_rounded(self, other, "trunc"))
fmod_number = op("fmod_number", fmod.row.forward, grad_fn="FmodBackward0",
    self  = lambda grad: grad)
floor_divide = no_derivative("floor_divide", lambda self, other: _by(operator.floordiv, self, other), "floor_divide")

# ---- powers and roots

pow_number = op("pow_number", _power, grad_fn="PowBackward0",
    self  = lambda F, grad, self, exponent: F.pow_slope(grad, self, exponent))
pow = op("pow", _power, grad_fn="PowBackward1", elementwise=True,
    self     = lambda F, grad, self, exponent: F.where(exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
    exponent = lambda F, grad, self, exponent, result: grad * F.where(
        (self == 0) & (exponent >= 0), 0.0, result * F.log(self)))
pow_base = op("pow_base", lambda exponent, self: _power(self, exponent), grad_fn="PowBackward2",
    exponent = lambda F, grad, exponent, self, result: grad * F.where(
        (exponent >= 0) & (self == 0), 0.0, result * F.log_number(self)))
sqrt = op("sqrt", xp.sqrt,
    self = lambda grad, result: grad / (2 * result))
rsqrt = op("rsqrt", lambda self: 1.0 / xp.sqrt(self),
    self = lambda grad, result: -0.5 * grad * result ** 3)

# ---- exponentials and logarithms

exp = op("exp", xp.exp,
    self = lambda grad, result: grad * result)
exp2 = op("exp2", xp.exp2,
    self = lambda grad, result: grad * result * math.log(2))
expm1 = op("expm1", xp.expm1,
    self = lambda grad, result: grad * (result + 1))
log = op("log", xp.log,
    self = lambda grad, self: grad / self)
log2 = op("log2", xp.log2,
    self = lambda grad, self: grad / (self * math.log(2)))
log10 = op("log10", xp.log10,
    self = lambda grad, self: grad / (self * math.log(10)))
log1p = op("log1p", xp.log1p,
    self = lambda grad, self: grad / (self + 1))
logaddexp = op("logaddexp", lambda self, other: xp.logaddexp(implemented("logaddexp_cpu", self), other), numbers=False,
    self  = lambda F, grad, self, other: grad / (1 + F.exp(other - self)),
    other = lambda F, grad, self, other: grad / (1 + F.exp(self - other)))
xlogy = op("xlogy", _xlogy, numbers="floats",
    self  = lambda F, grad, self, other: grad * F.where((self == 0) & (other <= 0), 0.0, F.log(other)),
    other = lambda grad, self, other: grad * self / other)

# ---- trigonometry

sin = op("sin", xp.sin,
    self = lambda F, grad, self: grad * F.cos(self))
cos = op("cos", xp.cos,
    self = lambda F, grad, self: -grad * F.sin(self))
tan = op("tan", xp.tan,
    self = lambda grad, result: grad * (1 + result ** 2))
asin = op("asin", xp.arcsin,
    self = lambda F, grad, self: grad * F.rsqrt(1 - self * self))
acos = op("acos", xp.arccos,
    self = lambda F, grad, self: -grad * F.rsqrt(1 - self * self))
atan = op("atan", xp.arctan,
    self = lambda grad, self: grad / (self * self + 1))
atan2 = op("atan2", lambda self, other: xp.arctan2(self, other), numbers=False,
    self  = lambda F, grad, self, other: grad * F.per_square(other, self, other),
    other = lambda F, grad, self, other: grad * F.per_square(-self, self, other))
sinh = op("sinh", xp.sinh,
    self = lambda F, grad, self: grad * F.cosh(self))
cosh = op("cosh", xp.cosh,
    self = lambda F, grad, self: grad * F.sinh(self))
tanh = op("tanh", xp.tanh,
    self = lambda F, grad, result: F.tanh_backward(grad, result))
tanh_backward = op("tanh_backward", lambda grad_output, output: grad_output * (1 - output * output),
    transparent=True, elementwise=True,
    grad_output = lambda F, grad, output: F.tanh_backward(grad, output),
    output      = lambda grad, grad_output, output: grad * (-2 * output * grad_output))
sigmoid = op("sigmoid", lambda self: 1 / (1 + xp.exp(-self if self.dtype.kind != "b" else 0.0 - self)),
    self = lambda F, grad, result: F.sigmoid_backward(grad, result))
sigmoid_backward = op("sigmoid_backward", lambda grad_output, output: grad_output * (1 - output) * output,
    transparent=True, elementwise=True,
    grad_output = lambda F, grad, output: F.sigmoid_backward(grad, output),
    output      = lambda grad, grad_output, output: grad * grad_output * (1 - 2 * output))
relu = op("relu", _relu,
    self = lambda F, grad, result: F.relu_backward(grad, result))
relu_backward = op("relu_backward", lambda grad_output, output: RAW.where(~(output <= 0), grad_output, 0.0),
    grad_fn="ThresholdBackwardBackward0", elementwise=True,
    grad_output = lambda F, grad, output: F.relu_backward(grad, output),
    output      = lambda F, grad: F.zeros_like(grad))
asinh = op("asinh", xp.arcsinh,
    self = lambda F, grad, self: grad * F.rsqrt(self ** 2 + 1))
acosh = op("acosh", xp.arccosh,
    self = lambda F, grad, self: grad * F.rsqrt(self ** 2 - 1))
atanh = op("atanh", xp.arctanh,
    self = lambda grad, self: grad / (1 - self ** 2))
hypot = op("hypot", lambda self, other: xp.hypot(implemented("hypot_cpu", self), other), numbers=False,
    self  = lambda grad, self, result: grad * (self / result),
    other = lambda grad, other, result: grad * (other / result))
sinc = op("sinc", xp.sinc,
    self = lambda F, grad, self: grad * F.sinc_slope(self))

# ---- signs, steps and comparisons that pass gradients

abs = op("abs", xp.absolute,
    self = lambda F, grad, self: grad * F.sgn(self))
sign = op("sign", lambda self: _sign(self), **STEP)
sgn = op("sgn", _sign,
    self = lambda F, grad, self, result: F.zeros_like(grad))
floor = op("floor", lambda self: _whole(xp.floor, self), **STEP)
ceil = op("ceil", lambda self: _whole(xp.ceil, self), **STEP)
trunc = op("trunc", lambda self: _whole(xp.trunc, self), **STEP)
round = op("round", lambda self: _whole(xp.rint, self), **STEP)
round_decimals = op("round_decimals", lambda self, decimals: xp.round(implemented("round_cpu", self), decimals),
    grad_fn="RoundBackward1", **STEP)
frac = op("frac", lambda self: implemented("frac_cpu", self) - xp.trunc(self),
    self = lambda grad: grad)
# torch keeps the first of 0.0 and -0.0, NumPy the second; in blocks of 64 bytes torch's processor
# instructions keep the second too, which is not followed here: no sign should hang on a length
maximum = op("maximum", lambda self, other: xp.maximum(other, self), numbers=False,
    self  = lambda F, grad, self, other: F.where(self == other, grad / 2, F.where(self < other, 0.0, grad)),
    other = lambda F, grad, self, other: F.where(self == other, grad / 2, F.where(self > other, 0.0, grad)))
minimum = op("minimum", lambda self, other: xp.minimum(other, self), numbers=False,
    self  = lambda F, grad, self, other: F.where(self == other, grad / 2, F.where(self > other, 0.0, grad)),
    other = lambda F, grad, self, other: F.where(self == other, grad / 2, F.where(self < other, 0.0, grad)))
fmax = op("fmax", lambda self, other: xp.where((self >= other) | xp.isnan(other), self, other), numbers=False,
    self  = lambda F, grad, self, other: grad * ((self >= other) | F.isnan(other)),
    other = lambda F, grad, self, other: grad * ~((self >= other) | F.isnan(other)))
fmin = op("fmin", lambda self, other: xp.where((self <= other) | xp.isnan(other), self, other), numbers=False,
    self  = lambda F, grad, self, other: grad * ((self <= other) | F.isnan(other)),
    other = lambda F, grad, self, other: grad * ~((self <= other) | F.isnan(other)))
clamp_numbers = op("clamp_numbers", _clamp, grad_fn="ClampBackward1",
    self = lambda F, grad, self, min, max: F.where(F.inside(self, min, max), grad, 0.0))
clamp_min = op("clamp_min", lambda self, min: _clamp(self, min, None),
    self = lambda F, grad, self, min: F.where(self >= min, grad, 0.0))
clamp_max = op("clamp_max", lambda self, max: _clamp(self, None, max),
    self = lambda F, grad, self, max: F.where(self <= max, grad, 0.0))
clamp_min_tensor = op("clamp_min_tensor", clamp_min.row.forward, grad_fn="ClampMinBackward1", elementwise=True,
    **clamp_min.row.derivatives,
    min  = lambda F, grad, self, min: F.where(self < min, grad, 0.0))
clamp_max_tensor = op("clamp_max_tensor", clamp_max.row.forward, grad_fn="ClampMaxBackward1", elementwise=True,
    **clamp_max.row.derivatives,
    max  = lambda F, grad, self, max: F.where(self > max, grad, 0.0))
clamp_tensors = op("clamp_tensors", _clamp, grad_fn="ClampBackward0", elementwise=True, **clamp_numbers.row.derivatives,
    min  = lambda F, grad, self, min, max: F.where(F.lifted(self, min, max), grad, 0.0),
    max  = lambda F, grad, self, min, max: F.where(F.lowered(self, min, max), grad, 0.0))
nan_to_num = op("nan_to_num",
    lambda self, nan=0.0, posinf=None, neginf=None: xp.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf),
    self = lambda F, grad, self: grad * F.isfinite(self))
where = op("where", _where, fixed=("condition",), elementwise=True, letters={"self": "a", "other": "b"},
    self  = lambda F, grad, condition: F.where(condition, grad, 0.0),
    other = lambda F, grad, condition: F.where(condition, 0.0, grad))
masked_fill = op("masked_fill", _masked_fill, fixed=("mask",), elementwise=True,
    self  = lambda F, grad, mask: F.where(mask, 0.0, grad))
masked_fill_tensor = op("masked_fill_tensor", masked_fill.row.forward,
    fixed=("mask",), grad_fn="MaskedFillBackward1", **masked_fill.row.derivatives,
    value = lambda F, grad, mask: F.sum(F.where(mask, grad, 0.0)))

# ---- several at once

lerp = op("lerp", _lerp, elementwise=True,
    self = lambda grad, weight: grad * (1 - weight),
    end  = lambda grad, weight: grad * weight)
lerp_tensor = op("lerp_tensor", lerp.row.forward, elementwise=True, grad_fn="LerpBackward1", **lerp.row.derivatives,
    weight = lambda grad, self, end: grad * (end - self))
addcmul = op("addcmul", lambda self, tensor1, tensor2, value=1: self + times(tensor1, value) * tensor2,
    elementwise=True,
    self    = lambda grad: grad,
    tensor1 = lambda grad, tensor2, value: grad * (tensor2 * value),
    tensor2 = lambda grad, tensor1, value: grad * (tensor1 * value))
addcdiv = op("addcdiv", lambda self, tensor1, tensor2, value=1: self + value * tensor1 / tensor2, elementwise=True,
    self    = lambda grad: grad,
    tensor1 = lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2 = lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)))

# ---- what has no derivative

heaviside = no_derivative("heaviside", lambda self, other: xp.where(
    self == 0, other, self > 0).astype(self.dtype), "heaviside")
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
bitwise_and = op("bitwise_and", lambda self, other: self & other)
bitwise_or = op("bitwise_or", lambda self, other: self | other)
bitwise_xor = op("bitwise_xor", lambda self, other: self ^ other)
bitwise_not = op("bitwise_not", lambda self: ~self)
lshift = op("lshift", lambda self, other: self << other)
rshift = op("rshift", lambda self, other: self >> other)
isnan = op("isnan", lambda self: xp.isnan(self))
isinf = op("isinf", lambda self: xp.isinf(self))
isfinite = op("isfinite", lambda self: xp.isfinite(self))
signbit = op("signbit", lambda self: xp.signbit(self))


# ---- arguments as torch takes them


def _is_number(x: Any) -> bool:
    """False for a tensor. Raises: TypeError in torch's words for what is neither."""
    check_number(x)
    return not hasattr(x, "_data")


def check_number(x: Any, fixed: bool = False) -> None:
    """A number, also in a tensor; a `fixed` one may not require grad, as none would reach it."""
    if not hasattr(x, "__float__") or (fixed and getattr(x, "requires_grad", False)):
        raise must_be_a("Number", x)


def _computes(x: Any) -> bool:
    """Whether an operator takes `x`: a tensor or a number, but no array of NumPy's."""
    return hasattr(x, "__float__") and not isinstance(x, ndarray)


def add_of(self: Any, other: Any, *, alpha: float = 1) -> Any:
    """`self + alpha * other`."""
    return add(self, other) if alpha == 1 and alpha.__class__ is int else add_scaled(self, other, alpha)


def sub_of(self: Any, other: Any, *, alpha: float = 1) -> Any:
    """`self - alpha * other`. Raises: RuntimeError for two bools, which have no minus."""
    if alpha == 1 and alpha.__class__ is int:
        return sub(self, other)
    _no_bools(*(dtypes.result_dtype(getattr(x, "_data", x)).kind for x in (self, other)))
    return sub_scaled(self, other, alpha)


def rsub_of(self: Any, other: Any) -> Any:
    """`other - self`, where `other` is a number."""
    if other.__class__ is not float and not _computes(other):
        return NotImplemented
    _no_bools(self._data.dtype.kind, "b" if isinstance(other, bool) else "")
    return rsub(self, other) if hasattr(other, "_data") else rsub_number(self, other)


def rdiv(self: Any, other: Any) -> Any:
    """`other / self`: torch multiplies by the reciprocal."""
    return mul(reciprocal(self), other)


def div_of(self: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """`self / other`, or rounded to "floor" or "trunc"."""
    if rounding_mode is None:
        return div(self, other)
    require(rounding_mode in ("floor", "trunc"),
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    return div_rounded(self, other, rounding_mode)


def floor_divide_of(self: Any, other: Any) -> Any:
    """`self // other`, rounded down."""
    return floor_divide(self, other) if _computes(other) else NotImplemented


def rfloor_divide(self: Any, other: Any) -> Any:
    return floor_divide(_like(self, other), self) if _computes(other) else NotImplemented


def remainder_of(self: Any, other: Any) -> Any:
    """`self % other`, with the sign of `other`."""
    if not _computes(other):
        return NotImplemented
    return remainder(self, other) if hasattr(other, "_data") else remainder_number(self, other)


def rremainder(self: Any, other: Any) -> Any:
    return remainder(_like(self, other), self) if _computes(other) else NotImplemented


def fmod_of(self: Any, other: Any) -> Any:
    """The remainder with the sign of `self`."""
    return fmod_number(self, other) if _is_number(other) else fmod(self, other)


def _like(self: Any, value: Any) -> Any:
    """A number as a 0-d tensor in the type that it takes beside `self`."""
    return constant(self._plain, xp.asarray(dtypes.promote(getattr(value, "item", lambda: value)(), self._data)[0]))


def pow_of(self: Any, exponent: Any) -> Any:
    """`self ** exponent`; a number as exponent is kept as a number (PowBackward0)."""
    if exponent.__class__ is int or exponent.__class__ is float:
        return pow_number(self, exponent)
    if not _computes(exponent):
        return NotImplemented
    if _is_number(exponent):
        return pow_number(self, exponent.item() if isinstance(exponent, xp.generic) else exponent)
    return pow_base(exponent, self) if _is_number(self) else pow(self, exponent)


def rpow(self: Any, other: Any) -> Any:
    """`other ** self`, where `other` is a number."""
    return pow_base(self, other) if _computes(other) else NotImplemented


def square(self: Any) -> Any:
    """`self ** 2`."""
    return pow_number(self, 2)


def positive(self: Any) -> Any:
    require(self._data.dtype.kind != "b", "The `+` operator, on a bool tensor is not supported.")
    return self


def round_of(self: Any, *, decimals: int | None = None) -> Any:
    """Round to the nearest integer, halves to even; or to `decimals` places."""
    return round(self) if decimals is None else round_decimals(self, decimals)


def clamp(self: Any, min: Any = None, max: Any = None) -> Any:
    """Bring every element between `min` and `max`, numbers or tensors; either may be None.

    Raises: RuntimeError if both are None.
    """
    require(min is not None or max is not None, "torch.clamp: At least one of 'min' or 'max' must not be None")
    numbers = (min is None or _is_number(min)) & (max is None or _is_number(max))  # both are looked at
    return (clamp_numbers if numbers else clamp_tensors)(self, min, max)


def invert(self: Any) -> Any:
    """`~self`, of integers and bools."""
    if self._data.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(self)


def clamp_min_of(self: Any, min: Any) -> Any:
    """`clamp` with a lower limit only, a number or a tensor."""
    return (clamp_min if _is_number(min) else clamp_min_tensor)(self, min)


def clamp_max_of(self: Any, max: Any) -> Any:
    """`clamp` with an upper limit only, a number or a tensor."""
    return (clamp_max if _is_number(max) else clamp_max_tensor)(self, max)


def where_of(condition: Any, self: Any = None, other: Any = None) -> Any:
    """`self` where `condition`, else `other`; numbers are allowed."""
    if self is None:
        return condition.nonzero(as_tuple=True)
    for value in (self, other):
        check_number(value)
    return where(condition, self, other)


def where_method(self: Any, condition: Any, other: Any) -> Any:
    """`self` where `condition`, else `other`."""
    return where(condition, self, other)


def masked_fill_of(self: Any, mask: Any, value: Any) -> Any:
    """A copy of `self` with `value` (a number or 0-d tensor) where `mask`."""
    return (masked_fill if _is_number(value) else masked_fill_tensor)(self, mask, value)


def lerp_of(self: Any, end: Any, weight: Any) -> Any:
    """`self + weight * (end - self)`."""
    same_type(self._data, end._data, said="expected dtype {c[0]} for `end` but got dtype {c[1]}")
    if not _is_number(weight) and weight.ndim:
        same_type(self._data, weight._data, said="expected dtype {c[0]} for `weight` but got dtype {c[1]}")
    return lerp(self, end, weight) if _is_number(weight) else lerp_tensor(self, end, weight)


def addcmul_of(self: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """`self + value * tensor1 * tensor2`."""
    check_number(value, fixed=True)
    return addcmul(self, tensor1, tensor2, value)


def addcdiv_of(self: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """`self + value * tensor1 / tensor2`. Raises: RuntimeError for a quotient of integers."""
    require("f" in {getattr(x, "_data", self._data).dtype.kind for x in (tensor1, tensor2)},
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes.")
    check_number(value, fixed=True)
    return addcdiv(self, tensor1, tensor2, value)


def heaviside_of(self: Any, values: Any) -> Any:
    """0 below 0, 1 above it, and `values` at 0."""
    a_tensor(values)
    same_type(self._data, values._data, said="heaviside is not yet implemented for tensors with different dtypes.")
    return heaviside(self, values)


RAW.pow_of, TENSORS.pow_of = _power, pow_of
