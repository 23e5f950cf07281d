"""erf, gamma and their kin on arrays: a few units in the last place.

The polynomials are minimax fits, highest power first; all is computed in float64 but erf of float32, which gelu
needs. erfinv is a first guess and one step of Halley's, polygamma a recurrence that climbs to where an asymptotic
series holds.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

from ...array import dtypes
from ...array.backend import namespace, ndarray, xp

TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


def in_double(function: Callable) -> Callable:
    """Compute in float64, return the type that came (integers give the default float)."""

    @functools.wraps(function)
    def rounded(*args: Any) -> Any:
        x = namespace(args[-1]).asarray(args[-1])
        kind = x.dtype if x.dtype.kind == "f" else dtypes.get_default_dtype().np
        return function(*args[:-1], x.astype("float64")).astype(kind)

    return rounded


FEW = 100  # numbers, of which Python's own functions are done sooner than forty steps on arrays


def one_by_one(function: Callable[[float], float], x: Any) -> Any:
    return namespace(x).asarray(xp.fromiter(map(function, x.ravel().tolist()), "float64", x.size).reshape(x.shape))


def polynomial(*coefficients: float) -> Callable[[Any], Any]:
    """A polynomial by Horner's rule. Beside a small array half of a step goes into turning a number into an array."""
    prepared = {kind: [xp.asarray(c, kind) for c in coefficients] for kind in map(xp.dtype, "fd")}

    def of(x: Any) -> Any:
        first, *others, last = prepared[x.dtype] if x.__class__ is ndarray else coefficients
        y = x * first
        for c in others:
            y += c
            y *= x
        y += last
        return y

    return of


# atanh(erf x) / x - 1 in powers of x * x up to 16; beyond it grows, and tanh of it is 1
_ERF_SINGLE = polynomial(
    1.78628e-10, -8.46538e-09, 1.561124e-07, -1.28867823e-06, 1.325398934e-06, 6.9323543302e-05,
    -0.00059531119950, -0.000206651415377, 0.102772164384, 0.1283791784605)
# -log(1 - erf x) / x - 1 in powers of x / (x + 5) for x from 0 to 6
_ERF_DOUBLE = polynomial(
    125.62063696822581, -217.39212179613247, 255.51598175357637, -257.9423036475494, 233.65131754912466,
    -114.10593091787597, 20.739723406149768, 19.37339547920467, 4.704864678078647, -2.4334066327124586,
    6.328683835197788, 8.093990164900173, 3.8916883471139485, 3.5871296514804727, 5.93067315339526,
    5.752413944366909, 3.1830988618379643, 0.12837916709551256)


def erf(x: Any) -> Any:
    """In float32 tanh(x + x p(x * x)), which is quicker: erf and tanh are much alike."""
    if x.dtype.char != "f" or x.size <= FEW:
        return _erf_in_double(x)
    y = _ERF_SINGLE(x * x)
    y *= x
    y += x
    return xp.tanh(y)


@in_double
def _erf_in_double(x: Any) -> Any:
    """1 - exp(-x - x p(x / (x + 5))) of |x|."""
    if x.size <= FEW:
        return one_by_one(math.erf, x)
    size = xp.minimum(xp.absolute(x), 6)
    y = _ERF_DOUBLE(size / (size + 5))
    y *= size
    y += size
    return xp.copysign(xp.expm1(-y), x)


# (1 + 2x) exp(x * x) erfc(x) in powers of (x - 4) / (x + 4) for x from 0.5 to 28
_ERFC_SCALED = polynomial(
    7.585182084033214e-08, 3.243054375699563e-08, -7.860274495674284e-07, 3.411856810222632e-07,
    5.683461281902058e-06, -1.1252473997200373e-05, -2.4388256671419403e-05, 0.00015063366881483395,
    -0.00019925963034148132, -0.0007577762337033615, 0.005031970479840113, -0.016197733615880915,
    0.0371675154848562, -0.06633036585036574, 0.09373283500145486, -0.10103906603463188, 0.06809705425460642,
    0.015379652102591339, -0.13962111684056178, 1.2329951186255526)


@in_double
def erfc(x: Any) -> Any:
    """A polynomial (Shepherd and Laframboise, Math. Comp. 36, 1981) times exp(-x * x); below 1/2 it is 1 - erf(x).

    The front half of the digits of x has an exact square, the others follow in a factor of their own.
    """
    if x.size <= FEW:
        return one_by_one(math.erfc, x)
    size = xp.minimum(xp.maximum(x, 0.5), 28)
    front = size.astype("float32").astype("float64")
    y = _ERFC_SCALED((size - 4) / (size + 4)) / (1 + 2 * size)
    y += y * xp.expm1((front - size) * (front + size))
    return xp.where(x < 0.5, 1 - erf(x), y * xp.exp(-front * front))


# erfinv(y) / y in powers of w / (w + 12) where w = -log(1 - y * y), to 6 digits
_ERFINV_ABOUT = polynomial(
    951.07927, -3572.9431, 5697.4843, -4901.1374, 2393.5698, -638.74535, 97.943335, -18.748382, 2.7850357,
    4.4256668, 2.7844158, 0.88622645)


@in_double
def erfinv(y: Any) -> Any:
    size = xp.absolute(y)
    end = size == 1
    w = -xp.log((1 - y) * (1 + y))
    x = size * _ERFINV_ABOUT(w / (w + 12))
    error = xp.where(size < 0.5, erf(x) - size, 1 - size - erfc(x))  # 1 - size is exact
    slope = error / (TWO_OVER_ROOT_PI * xp.exp(-x * x))
    x -= slope / (1 + x * slope)  # Halley's step: the second derivative is -2x times the first
    return xp.copysign(xp.where(end, math.inf, x), y)


# lgamma(x) / (x - 1) / (x - 2) in powers of (x - 2) / (x + 1.5) for x from 1 to 3.5
_LGAMMA_NEAR = polynomial(
    -0.0012308549688589126, -0.001059854137806486, -0.0016315170231937315, -0.00069630043060855,
    -0.0023601616779601923, -0.0005972593081531749, -0.003845936787162705, -1.574257913865125e-05,
    -0.0067710843788335445, 0.0016097874245239673, -0.013099732045751577, 0.005915950016139098,
    -0.028454449462550397, 0.01754508587134326, -0.07444028093302946, 0.05271070174892368,
    -0.35111055586023804, 0.42278433509846713)
# x times what Stirling's formula lacks, in powers of 1 / (x * x) for x from 3.5
_STIRLING = polynomial(
    -0.0854685941960707, 0.05658097900141676, -0.02012695920675592, 0.005877590964535325, -0.0018963751686942748,
    0.0008411827606921538, -0.0005952282619249201, 0.0007936506921683498, -0.002777777777237261,
    0.08333333333333227)


@in_double
def lgamma(x: Any) -> Any:
    """From 3.5 on Stirling's formula; before, what keeps the digits near the zeros 1 and 2; below 0 reflected."""
    z = xp.where(x < 0, 1 - x, x)
    log, beyond = xp.log(z), z > 1
    y = z - beyond  # so that gamma(y + 1) is near
    near = y * (y - 1) * _LGAMMA_NEAR((y - 1) / (y + 2.5)) - ~beyond * log
    far = (z - 0.5) * (log - 1) + (math.log(2 * math.pi) - 1) / 2 + _STIRLING(1 / (z * z)) / z
    found = xp.where(z < 3.5, near, far)
    reflected = -xp.log(xp.absolute(xp.sin(math.pi * (x - xp.rint(x)))) / math.pi) - found
    return xp.where((x <= 0) & (x == xp.floor(x)), math.inf, xp.where(x < 0, reflected, found))


# digamma(x) / (x - root) in powers of (x - 2) / (x + 1) for x from 1 to 3.5
_DIGAMMA_NEAR = polynomial(
    -0.0005215753167798351, -0.0013576969310995991, -0.0015752028593616788, -0.001488263827226273,
    -0.0014889708735312244, -0.0019826007074183185, -0.0019505758035310429, -0.0031017343027248522,
    -0.0021222747891983455, -0.005834461182696168, -0.0007956063622722003, -0.014220928407475294,
    0.0077190303069696225, -0.043797984730206095, 0.04637930649676475, -0.1580962465105648,
    0.198782389109657, -0.7822168640489995, 0.7853075386041053)
# x * x times what log(x) - 1 / (2x) is too large, in powers of 1 / (x * x) for x from 3.5
_DIGAMMA_FAR = polynomial(
    -1.4142386834956286, 0.8799939199077976, -0.2883382076068396, 0.07516685557085746, -0.0207915973145559,
    0.0075683114804521185, -0.004166549690448283, 0.003968252895315509, -0.008333333328414395,
    0.08333333333332549)


@in_double
def digamma(x: Any) -> Any:
    """As lgamma; the root 1.46 is written in two parts, to keep the digits near it."""
    z = xp.where(x < 0, 1 - x, x)
    beyond, w = z > 1, 1 / (z * z)
    y = z - beyond
    near = (y - 0.46163214496836236 + 1.5522348162858677e-17) * _DIGAMMA_NEAR((y - 1) / (y + 2)) - ~beyond / z
    found = xp.where(z < 3.5, near, xp.log(z) - 0.5 / z - w * _DIGAMMA_FAR(w))
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
