"""erf, gamma and their kin on arrays, computed in float64: a few units in the last place.

erf and erfc are W. J. Cody's rational approximations of 1969, digamma and polygamma recurrences that
climb to where an asymptotic series holds, erfinv is Newton's method from a first guess.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from ..array import dtypes
from ..array.backend import xp

# Cody's coefficients, highest power first: numerator and denominator on three intervals of |x|.
_NEAR = ([1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
          3.20937758913846947e3],
         [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
          2.84423683343917062e3])  # fmt: skip
_MIDDLE = ([2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
            2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
            1.23033935479799725e3],
           [1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
            1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
            1.23033935480374942e3])  # fmt: skip
_FAR = ([1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
         1.60837851487422766e-2, 6.58749161529837803e-4],
        [1, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1,
         6.05183413124413191e-2, 2.33520497626869185e-3])  # fmt: skip


def in_double(function: Callable) -> Callable:
    """Compute in float64, return the type that came (integers give the default float)."""

    @functools.wraps(function)
    def rounded(*args: Any) -> Any:
        x = xp.asarray(args[-1])
        kind = x.dtype if x.dtype.kind == "f" else dtypes.get_default_dtype().np
        return function(*args[:-1], x.astype("float64")).astype(kind)

    return rounded


def _ratio(tables: tuple, z: Any) -> Any:
    return xp.polyval(tables[0], z) / xp.polyval(tables[1], z)


def _square_exp(y: Any) -> Any:
    """exp(-y * y) without the error of rounding y * y."""
    cut = xp.trunc(y * 16) / 16
    return xp.exp(-cut * cut) * xp.exp(-(y - cut) * (y + cut))


def _tail(y: Any) -> Any:
    """erfc of y >= 0.46875."""
    near = xp.minimum(y, 4.0)
    z = 1 / xp.square(xp.maximum(y, 4.0))
    far = (1 / math.sqrt(math.pi) - z * _ratio(_FAR, z)) / xp.maximum(y, 4.0)
    return _square_exp(xp.minimum(y, 28.0)) * xp.where(y <= 4, _ratio(_MIDDLE, near), far)


@in_double
def erf_of(x: Any) -> Any:
    y = xp.absolute(x)
    inner = x * _ratio(_NEAR, xp.square(xp.minimum(y, 0.46875)))
    return xp.where(y <= 0.46875, inner, xp.copysign(1 - _tail(xp.maximum(y, 0.46875)), x))


@in_double
def erfc_of(x: Any) -> Any:
    y = xp.absolute(x)
    tail = _tail(xp.maximum(y, 0.46875))
    inner = 1 - x * _ratio(_NEAR, xp.square(xp.minimum(y, 0.46875)))
    return xp.where(y <= 0.46875, inner, xp.where(x < 0, 2 - tail, tail))


@in_double
def erfinv_of(y: Any) -> Any:
    log = xp.log1p(-y * y)
    half = 2 / (math.pi * 0.147) + log / 2
    x = xp.copysign(xp.sqrt(xp.sqrt(half * half - log / 0.147) - half), y)  # Winitzki's guess
    for _ in range(3):
        tail = 1 - xp.absolute(y) - erfc_of(xp.absolute(x))  # exact where erf is nearly 1
        error = xp.where(xp.absolute(y) < 0.5, erf_of(x) - y, xp.sign(y) * tail)
        slope = error / (2 / math.sqrt(math.pi) * xp.exp(-x * x))
        x = x - slope / (1 + x * slope)  # Halley's step: the second derivative is -2x times the first
    return xp.where(xp.absolute(y) == 1, y * math.inf, x)


def _log_gamma(x: float) -> float:
    return math.inf if x == math.inf or (x <= 0 and x == int(x)) else math.lgamma(x)


@in_double
def lgamma_of(x: Any) -> Any:
    return xp.asarray(xp.frompyfunc(_log_gamma, 1, 1)(x)).astype("float64")


@in_double
def digamma_of(x: Any) -> Any:
    z, total = xp.where(x < 0, 1 - x, x), xp.zeros_like(x)
    for _ in range(10):
        total -= xp.where(z < 10, 1 / z, 0)
        z = xp.where(z < 10, z + 1, z)
    w = 1 / (z * z)
    series = xp.polyval([1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12, 0], w)
    total += xp.log(z) - 0.5 / z - series
    reflected = total - math.pi / xp.tan(math.pi * (x - xp.rint(x)))
    poles = xp.where(x == 0, xp.copysign(math.inf, -x), math.nan)
    return xp.where((x <= 0) & (x == xp.floor(x)), poles, xp.where(x < 0, reflected, total))


@in_double
def polygamma_of(n: int, x: Any) -> Any:
    """(-1)^(n+1) n! times the sum of 1 / (x + k)^(n+1): terms up to 15, then Euler and Maclaurin."""
    if n == 0:
        return digamma_of(x)
    s, total, z = n + 1, xp.zeros_like(x), x
    for _ in range(15):
        total += z ** -float(s)
        z = z + 1
    total += z ** (1.0 - s) / n + 0.5 * z ** -float(s)
    term, w = 0.5 * s * z ** (-1.0 - s), z * z  # terms with the Bernoulli numbers follow
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730), 1):
        total += bernoulli * term
        term = term * (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2)) / w
    return (-1) ** (n + 1) * math.factorial(n) * total


__all__ = ["digamma_of", "erf_of", "erfc_of", "erfinv_of", "lgamma_of", "polygamma_of"]
