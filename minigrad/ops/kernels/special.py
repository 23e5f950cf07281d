"""erf, gamma and their kin on arrays, computed in float64: a few units in the last place.

erf, erfc and lgamma are Python's own, digamma and polygamma recurrences that climb to where an
asymptotic series holds, erfinv is Halley's method from a first guess.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from ...array import dtypes
from ...array.backend import namespace, xp

TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


def in_double(function: Callable) -> Callable:
    """Compute in float64, return the type that came (integers give the default float)."""

    @functools.wraps(function)
    def rounded(*args: Any) -> Any:
        x = namespace(args[-1]).asarray(args[-1])
        kind = x.dtype if x.dtype.kind == "f" else dtypes.get_default_dtype().np
        return function(*args[:-1], x.astype("float64")).astype(kind)

    return rounded


def _each(function: Callable) -> Callable:
    """A function of one number on arrays."""

    @in_double
    def of_all(x: Any) -> Any:
        found = xp.fromiter(map(function, x.ravel().tolist()), "float64", x.size).reshape(x.shape)
        return namespace(x).asarray(found)

    return of_all


def _log_gamma(x: float) -> float:
    return math.inf if x <= 0 and x % 1 == 0 else math.lgamma(x)


erf, erfc, lgamma = map(_each, (math.erf, math.erfc, _log_gamma))


@in_double
def erfinv(y: Any) -> Any:
    log = xp.log1p(-y * y)
    half = 2 / (math.pi * 0.147) + log / 2
    x = xp.copysign(xp.sqrt(xp.sqrt(half * half - log / 0.147) - half), y)  # Winitzki's guess
    for _ in range(3):
        tail = 1 - xp.absolute(y) - erfc(xp.absolute(x))  # exact where erf is nearly 1
        error = xp.where(xp.absolute(y) < 0.5, erf(x) - y, xp.sign(y) * tail)
        slope = error / (2 / math.sqrt(math.pi) * xp.exp(-x * x))
        x = x - slope / (1 + x * slope)  # Halley's step: the second derivative is -2x times the first
    return xp.where(xp.absolute(y) == 1, y * math.inf, x)


@in_double
def digamma(x: Any) -> Any:
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
def polygamma(n: int, x: Any) -> Any:
    """(-1)^(n+1) n! times the sum of 1 / (x + k)^(n+1): terms up to x + 15 > 15, then Euler and Maclaurin."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(x)
    s, total, z = n + 1, xp.zeros_like(x), x
    for _ in range(15 + (int(xp.clip(xp.nan_to_num(-x), 0, 1e5).max()) if x.size else 0)):
        total += z ** -float(s)
        z = z + 1
    total += z ** (1.0 - s) / n + 0.5 * z ** -float(s)
    term, w = 0.5 * s * z ** (-1.0 - s), z * z  # terms with the Bernoulli numbers follow
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730), 1):
        total += bernoulli * term
        term = term * (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2)) / w
    return (-1) ** (n + 1) * math.factorial(n) * total
