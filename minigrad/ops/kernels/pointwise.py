"""What pointwise rows compute where that takes more than a line, and parts of their derivatives."""

import math

from ...array import dtypes, in_order, ndarray, xp
from ...core.carriers import formula
from ..checks import common_shape, implemented, need, require, shape_mismatch


def sign(self):
    return self.copy() if self.dtype.kind == "b" else (self > 0).astype(self.dtype) - (self < 0)  # 0 for NaN


def whole_numbers(function, x):
    if x.dtype.kind == "f":
        return function(x)
    return implemented(function.__name__.replace("rint", "round") + "_vml_cpu", x, "iu").copy()  # whole already


def bits(kernel: str, x, other, kinds: str = "iub"):
    """`x`, if it has bits; of two mistakes torch names the shapes'."""
    if x.dtype.kind not in kinds:
        common_shape(xp.shape(x), xp.shape(other))
        implemented(f"{kernel}_cpu", x, kinds)
    return x


def divided(kernel: str, divide, a, b):
    """`divide(a, b)`; integers have no quotient by 0."""
    if a.dtype.kind != "f":
        a, b = dtypes.promote(a, b)
        implemented(kernel, a, "iuf")
        require(a.dtype.kind not in "iu" or xp.all(b), "ZeroDivisionError")
    return divide(a, b)


def remainder(self, other):
    """What is left, with the sign of `other`; 0 keeps that of `self`, as in torch and unlike NumPy."""
    rest = divided("remainder_cpu", xp.fmod, self, other)
    other = dtypes.cast(other, rest.dtype)
    return xp.where((rest != 0) & ((rest < 0) != (other < 0)), rest + other, rest)


def negative(self):
    need(self.dtype.kind != "b", "negated_bool")
    return -self


def no_bools(a: str, b: str) -> None:
    """Raises: RuntimeError if one of the two kinds is bool."""
    need(a != "b" or b != "b", "subtracted_bools")
    need(a != "b" and b != "b", "subtracted_bool")


def beside(x, *numbers):
    """`x` in the type that it takes beside Python numbers: a float lifts integers."""
    if x.dtype.kind in "iub" and any(isinstance(n, float) for n in numbers):
        return x.astype(dtypes.get_default_dtype().np)
    return x


def times(x, number):
    """`x` times a Python number, in the type of `x`: integers cut the number and wrap, as in torch."""
    return x if number == 1 else x * (number if x.dtype.kind == "f" else dtypes.cast(number, x.dtype))


def times_alpha(x, alpha):
    """`alpha * x`, where `alpha` is a number of a kind that the elements take."""
    if x.dtype.kind != "f" or alpha.__class__ is bool:
        require(x.dtype.kind == "b" or alpha.__class__ is not bool, "Boolean alpha only supported for Boolean results.")
        need(not isinstance(alpha, float), "alpha_kind")
    return times(x, alpha)


def rounded(self, other, rounding_mode: str):
    kind = max(self.dtype, other.dtype, key=dtypes.category)  # a derivative may bring whole numbers beside floats
    if rounding_mode == "trunc" and kind.kind == "f":
        return xp.trunc(self / other).astype(kind)
    floor = dtypes.cast(divided(f"div_{rounding_mode}_cpu", xp.floor_divide, self, other), kind)
    return floor if rounding_mode == "floor" else floor + ((floor < 0) & (floor * other != self))  # exact past 2**53


# Multiplied out as in torch, bit for bit the same; NumPy's own power takes a hundred times as long
_SHORT = {3: lambda x: x * x * x, -2: lambda x: 1 / (x * x), -0.5: lambda x: 1 / xp.sqrt(x)}


def power(self, exponent):
    if exponent.__class__ in (int, float) and self.dtype.kind == "f":
        short = _SHORT.get(exponent) if exponent != 2 and self.dtype.itemsize > 2 else None
        return self**exponent if short is None else short(self)
    if exponent.__class__ is self.__class__ and self.dtype.kind == "f":
        return self**exponent
    kind = dtypes.result_dtype(self, exponent)
    if exponent.__class__ is self.__class__:
        dtypes.check_kind("pow", kind, "fiu")
    if kind.kind in "iu":
        require(not isinstance(exponent, int) or exponent >= 0, "Integers to negative integer powers are not allowed.")
        dtypes.check_fits(exponent, kind)
    a, b = dtypes.cast(self, kind), dtypes.cast(exponent, kind)
    if kind.kind == "i" and xp.any(b < 0):  # 1 over more than 1, in whole numbers
        return xp.where((b < 0) & (xp.absolute(a) != 1), 0, a ** xp.absolute(b)).astype(kind)
    return dtypes.cast(a**b, kind)  # of two bools NumPy makes int8


def lerp(self, end, weight):
    """From the nearer of the two: exact at both."""
    way = implemented("lerp_kernel_scalar", end) - self
    if isinstance(weight, (float, int)):
        return self + weight * way if -0.5 < weight < 0.5 else end - way * (1 - weight)
    return xp.where(xp.absolute(weight) < 0.5, self + weight * way, end - way * (1 - weight))


def laid_beside(x, number):
    """A number in the type of `x`, as NumPy is quickest to place it: without dimensions beside an array."""
    return xp.asarray(number, x.dtype) if x.__class__ is ndarray else x.dtype.type(number)


def where(condition, self, other):
    if condition.dtype.kind != "b":
        need(False, "where_condition", dtypes.of(condition.dtype).scalar_type)
    if other.__class__ is float and hasattr(self, "dtype"):
        # All bits of a number or none: exact, NaN and -0.0 included. NumPy's `where` guesses which, and is often wrong
        if self.size > 1024 and self.shape == condition.shape and self.dtype.kind == "f" and f"{other}" == "0.0":
            return (self.view(f"i{self.itemsize}") * condition).view(self.dtype)
        other = laid_beside(self, other)
    elif self.__class__ is float and hasattr(other, "dtype"):
        self = laid_beside(other, self)
    if self.__class__ is other.__class__ and isinstance(other, xp.generic) and isinstance(condition, xp.generic):
        return self if condition else other  # a tenth of the time
    return xp.where(condition, self, other)


def masked_fill(self, mask, value):
    need(not (rank := getattr(value, "ndim", 0)), "masked_fill_value", rank)
    need(mask.dtype.kind == "b", "masked_fill_mask", dtypes.of(mask.dtype).c_name)
    try:
        return in_order(where(mask, laid_beside(self, value and dtypes.fitting(value, self.dtype)), self))
    except ValueError:
        raise shape_mismatch(mask, self) from None


def clamp(self, min, max):
    if self.dtype.kind != "f":
        kind = dtypes.result_dtype(self, *(x for x in (min, max) if x is not None))
        self, (min, max) = dtypes.cast(self, kind), (x if x is None else dtypes.fitting(x, kind) for x in (min, max))
    if self.size > 256 and isinstance(min, (int, float)) and isinstance(max, (int, float)) and min and max:
        return self.clip(*map(self.dtype.type, (min, max)))  # in one pass; of zeros it would keep no sign
    self = self if min is None else xp.maximum(min, self)  # the second of equals: 0.0 and -0.0 keep their sign
    return self if max is None else xp.minimum(max, self)


_ZERO = {kind: xp.zeros((), kind) for kind in (dtypes.float32.np, dtypes.float64.np)}


def relu(self):
    """The larger of 0 and x, in this order, which keeps -0.0 and NaN; a typed 0 spares a conversion."""
    if (zero := _ZERO.get(self.dtype)) is None:
        require(self.dtype.kind != "b", "Boolean inputs not supported for relu")
        zero = 0
    return xp.maximum(zero, self)


def as_numbers(compare):
    """A comparison whose answer is 0 or 1 in the type of its operands."""
    return lambda self, other: compare(self, other).astype(self.dtype)


# ---- parts of derivatives


@formula(tex=lambda grad, base, exponent: 0 if f"{exponent}" in ("0", "0.0") else
         grad * (exponent * base ** (exponent - 1)))
def pow_slope(F, grad, base, exponent):
    """The gradient times the slope of a power; of a constant one it is 0, whatever the base."""
    return F.zeros_like(grad) if exponent == 0 else grad * F.mul_scalar(F.pow_of(base, exponent - 1), exponent)


def per_square(F, value, x, y):
    """value / (x^2 + y^2), and 0 at the origin."""
    square = x * x + y * y
    return F.where(square == 0, 0.0, value / square)


def sinc_slope(F, grad, x):
    """grad * (pi x cos(pi x) - sin(pi x)) / (pi x^2), and 0 at 0, whatever the gradient."""
    angle = x * math.pi
    return F.where(x * angle == 0, 0.0, grad * ((angle * F.cos(angle) - F.sin(angle)) / (x * angle)))


@formula(r"\log {0:3}", 1)
def log_number(F, value: float) -> float:
    return math.log(value) if value > 0 else (-math.inf if value == 0 else math.nan)
