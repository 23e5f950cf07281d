"""erf, gamma and their kin on arrays: a few units in the last place.

The polynomials (`polynomials.txt`) are minimax fits; all is computed in float64 but erf of float32, which gelu
needs. erfinv is a first guess and one step of Halley's, polygamma a recurrence that climbs to where an asymptotic
series holds.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

from . import dtypes
from .backend import namespace, ndarray, xp

TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
FEW = 100  # numbers, of which Python's own functions are done sooner than forty steps on arrays


def in_double(function: Callable, of_one: Callable[[float], float] | None = None) -> Callable:
    """Compute in float64, return the type that came (integers give the default float). `of_one`: Python's own."""

    @functools.wraps(function)
    def rounded(*args: Any) -> Any:
        x = args[-1]
        kind = x.dtype if x.dtype.kind == "f" else dtypes.get_default_dtype().np
        if of_one is None or x.size > FEW:
            return function(*args[:-1], namespace(x).asarray(x, "float64")).astype(kind)
        if isinstance(x, xp.generic):
            return kind.type(of_one(x))
        return namespace(x).asarray(xp.fromiter(map(of_one, x.ravel().tolist()), kind, x.size).reshape(x.shape))

    return rounded


@functools.cache
def _coefficients(name: str, kind: Any = None) -> list:
    """Those that `polynomials.txt` has under a name, highest power first; as arrays of a type."""
    if kind is not None:
        return [xp.asarray(c, kind) for c in _coefficients(name)]
    from pathlib import Path  # few programs come here, and importing it takes its time

    blocks = Path(__file__).with_name("polynomials.txt").read_text("utf-8").split("\n\n")
    fits = (block.split("\n", 2) for block in blocks)  # what it is a fit of, its name, and the numbers
    return next([*map(float, numbers.split())] for _, found, numbers in fits if found == name)


def polynomial(name: str, x: Any) -> Any:
    """A fit by Horner's rule. Beside a small array half of a step goes into turning a number into an array."""
    first, *others, last = _coefficients(name, x.dtype) if x.__class__ is ndarray else _coefficients(name)
    y = x * first
    for c in others:
        y += c
        y *= x
    y += last
    return y


def erf(x: Any) -> Any:
    """In float32 tanh(x + x p(x * x)), which is quicker: erf and tanh are much alike."""
    if x.dtype.char != "f" or x.size <= FEW:
        return _erf_in_double(x)
    y = polynomial("erf_single", x * x)
    y *= x
    y += x
    return xp.tanh(y)


@functools.partial(in_double, of_one=math.erf)
def _erf_in_double(x: Any) -> Any:
    """1 - exp(-x - x p(x / (x + 5))) of |x|."""
    size = xp.minimum(xp.absolute(x), 6)
    y = polynomial("erf_double", size / (size + 5))
    y *= size
    y += size
    return xp.copysign(xp.expm1(-y), x)


@functools.partial(in_double, of_one=math.erfc)
def erfc(x: Any) -> Any:
    """A polynomial (Shepherd and Laframboise, Math. Comp. 36, 1981) times exp(-x * x); below 1/2 it is 1 - erf(x).

    The front half of the digits of x has an exact square, the others follow in a factor of their own.
    """
    size = xp.minimum(xp.maximum(x, 0.5), 28)
    front = size.astype("float32").astype("float64")
    y = polynomial("erfc_scaled", (size - 4) / (size + 4)) / (1 + 2 * size)
    y += y * xp.expm1((front - size) * (front + size))
    return xp.where(x < 0.5, 1 - erf(x), y * xp.exp(-front * front))


@in_double
def erfinv(y: Any) -> Any:
    size = xp.absolute(y)
    end, w = size == 1, -xp.log((1 - y) * (1 + y))
    x = size * polynomial("erfinv_about", w / (w + 12))
    # 1 - size is exact
    slope = xp.where(size < 0.5, erf(x) - size, 1 - size - erfc(x)) / (TWO_OVER_ROOT_PI * xp.exp(-x * x))
    x -= slope / (1 + x * slope)  # Halley's step: the second derivative is -2x times the first
    return xp.copysign(xp.where(end, math.inf, x), y)


@in_double
def lgamma(x: Any) -> Any:
    """From 3.5 on Stirling's formula; before, what keeps the digits near the zeros 1 and 2; below 0 reflected."""
    z = xp.where(x < 0, 1 - x, x)
    log, beyond = xp.log(z), z > 1
    y = z - beyond  # so that gamma(y + 1) is near
    near = y * (y - 1) * polynomial("lgamma_near", (y - 1) / (y + 2.5)) - ~beyond * log
    far = (z - 0.5) * (log - 1) + (math.log(2 * math.pi) - 1) / 2 + polynomial("stirling", 1 / (z * z)) / z
    found = xp.where(z < 3.5, near, far)
    reflected = -xp.log(xp.absolute(xp.sin(math.pi * (x - xp.rint(x)))) / math.pi) - found
    return xp.where((x <= 0) & (x == xp.floor(x)), math.inf, xp.where(x < 0, reflected, found))


@in_double
def digamma(x: Any) -> Any:
    """As lgamma; the root 1.46 is written in two parts, to keep the digits near it."""
    z = xp.where(x < 0, 1 - x, x)
    beyond, w = z > 1, 1 / (z * z)
    y = z - beyond
    off = y - 0.46163214496836236 + 1.5522348162858677e-17
    near = off * polynomial("digamma_near", (y - 1) / (y + 2)) - ~beyond / z
    found = xp.where(z < 3.5, near, xp.log(z) - 0.5 / z - w * polynomial("digamma_far", w))
    reflected = found - math.pi / xp.tan(math.pi * (x - xp.rint(x)))
    poles = xp.where(x == 0, xp.copysign(math.inf, -x), math.nan)
    return xp.where((x <= 0) & (x == xp.floor(x)), poles, xp.where(x < 0, reflected, found))


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
