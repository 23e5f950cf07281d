"""torch's random numbers on the CPU, the same ones for the same seed.

The source is a Mersenne Twister, of which NumPy keeps an identical copy; what differs between
libraries is how its 32-bit words become numbers, and that is what this file knows. A `Generator`
hands out words and remembers half a pair of normals; each function below turns words into one
distribution. Where torch's compiled code rounds once (`x * scale + shift`), so do we.
"""

import functools
import math
import os
from contextvars import ContextVar
from typing import Any

from ..text.presentation import need, require
from . import backend, dtypes
from .backend import xp

Shape = tuple[int, ...]

# torch's own layout of a saved state, so that states travel between the two libraries.
_STATE = xp.dtype("u8, i4, i4, u8, 624u8, f8, f8, f8, i8, f4, i4")
_STATE.names = tuple("""seed left seeded next words
    normal_x normal normal_rho has_normal float_normal has_float_normal""".split())
forbidden: ContextVar[str] = ContextVar("forbidden", default="")  # why nothing may be drawn: vmap may say so
_FIRST_SEED = 67280421310721  # of a generator that nobody seeded
_entropy: list[int] = []


def set_entropy(n: int) -> None:
    """Make the next `seed()` return `n`: replays a recording that was seeded by chance."""
    _entropy[:] = [n]


class Generator:
    """A stream of random numbers, torch's for the same seed."""

    def __init__(self, device: object = "cpu"):
        self.device = backend.device(device)
        self.manual_seed(_FIRST_SEED)

    def manual_seed(self, seed: int) -> "Generator":
        """Start the stream over. Negative seeds count down from 2**64; the low 32 bits decide."""
        require(isinstance(seed, int | xp.integer), f"manual_seed expected a long, but got {type(seed).__name__}")
        require(-(2**63) <= seed < 2**64, "Overflow when unpacking long long", ValueError)
        self._seed = int(seed) % 2**64
        self.__dict__.pop("_twister", None)
        self._spare = None  # normals are made in pairs: the second waits here
        return self

    @functools.cached_property
    def _twister(self) -> Any:
        """The stream, made at the first draw: importing numpy.random takes 8 ms."""
        twister = xp.random.MT19937()
        xp.random.RandomState(twister).seed(self._seed & 0xFFFFFFFF)
        return twister

    def seed(self) -> int:
        """Seed by chance, and return the seed."""
        return self.manual_seed(_entropy.pop() if _entropy else int.from_bytes(os.urandom(8), "little")).initial_seed()

    def initial_seed(self) -> int:
        """The seed in use."""
        return self._seed

    def get_state(self) -> xp.ndarray:
        """Everything that decides the numbers to come, as 5056 bytes."""
        twister, state = self._twister.state["state"], xp.zeros((), _STATE)
        state["seed"], state["seeded"], state["words"] = self._seed, 1, twister["key"]
        fresh = twister["key"][0] == self._seed & 0xFFFFFFFF  # nothing drawn since seeding
        state["left"], state["next"] = 625 - twister["pos"], 0 if fresh else twister["pos"]
        if self._spare is not None:
            state["normal"], state["has_normal"] = self._spare, 1
        return xp.frombuffer(state.tobytes(), xp.uint8).copy()

    def set_state(self, state: xp.ndarray) -> "Generator":
        """Continue where the saved state was taken."""
        require(state.dtype == xp.uint8, "RNG state must be a torch.ByteTensor", TypeError)
        need(state.size == _STATE.itemsize, "generator_state", _STATE.itemsize, state.size)
        saved = xp.frombuffer(state.tobytes(), _STATE)[0]
        self._seed = int(saved["seed"])
        key, used = saved["words"].astype(xp.uint32), 625 - int(saved["left"])
        self._twister = xp.random.MT19937()
        self._twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": used}}
        self._spare = float(saved["normal"]) if saved["has_normal"] else None
        return self

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"

    # -- the stream ----------------------------------------------------------------------

    def words(self, n: int) -> xp.ndarray:
        """The next `n` words of 32 bits, as uint64. Raises: RuntimeError where drawing is `forbidden`."""
        require(not forbidden.get(), forbidden.get())
        return self._twister.random_raw(n)

    def long_words(self, n: int) -> xp.ndarray:
        """The next `n` words of 64 bits; the first half drawn is the high one."""
        pairs = self.words(2 * n)
        return pairs[::2] << xp.uint64(32) | pairs[1::2]

    def doubles(self, n: int) -> xp.ndarray:
        """`n` float64 in [0, 1): 53 bits of two words each."""
        return (self.long_words(n) & ((1 << 53) - 1)).astype(xp.float64) * 2.0**-53

    def uniforms(self, n: int, dtype: xp.dtype) -> xp.ndarray:
        """`n` numbers in [0, 1), as fine as the dtype can tell them apart (float16: as float32)."""
        return self.doubles(n) if dtype == xp.float64 else (
            (self.words(n) & 0xFFFFFF).astype(xp.float32) * xp.float32(2**-24))  # 24 bits of one word each

    def normals(self, n: int) -> list[float]:
        """`n` > 0 standard normals: the one kept from the last pair, then new pairs (Box-Muller)."""
        found = [] if self._spare is None else [self._spare]
        uniforms = iter(self.doubles((n - len(found) + 1) // 2 * 2).tolist())
        for angle, u in zip(uniforms, uniforms, strict=True):
            radius, angle = math.sqrt(-2.0 * math.log1p(-u)), 2.0 * math.pi * angle
            found += radius * math.cos(angle), radius * math.sin(angle)
        self._spare = found[n] if len(found) > n else None
        return found[:n]


default_generator = Generator()
seed, initial_seed = default_generator.seed, default_generator.initial_seed
get_state, set_state = default_generator.get_state, default_generator.set_state


def manual_seed(seed: int) -> Generator:
    """Start the default stream over; anything that `int` takes is a seed."""
    return default_generator.manual_seed(int(seed))


# ---- distributions -------------------------------------------------------------------------


def uniform(shape: Shape, dtype: xp.dtype = xp.float32, low: float = 0.0, high: float = 1.0,
            generator: Generator | None = None) -> xp.ndarray:
    """Numbers spread evenly over `[low, high)`."""
    dtypes.check_kind("check_uniform_bounds", xp.dtype(dtype))
    require(low <= high, f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    u = (generator or default_generator).uniforms(math.prod(shape), dtype)
    low, high = u.dtype.type(low), u.dtype.type(high)
    values = affine(u, high - low, low).astype(dtype, copy=False)
    if values is not u:
        values[values == values.dtype.type(high)] = low  # rounded up to the excluded end
    return _shaped(values, shape)


def normal(shape: Shape, dtype: xp.dtype = xp.float32, mean: float = 0.0, std: float = 1.0,
           generator: Generator | None = None, one_by_one: bool = False) -> xp.ndarray:
    """Normal numbers. Below 16 elements, or if asked, one by one and exact; from 16 on in blocks of 16.

    The blocks use vector functions, whose last digit differs between machines (3e-7 in float32).
    """
    dtypes.check_kind("normal_kernel_cpu", xp.dtype(dtype))
    require(std >= 0, f"normal expects std >= 0.0, but found std {std:g}")
    generator, n = generator or default_generator, math.prod(shape)
    z = (xp.array(generator.normals(n) if n else [], xp.float64) if n < 16 or one_by_one else
         _normal_blocks(generator, n, xp.dtype(dtype)))
    return _shaped(affine(z, z.dtype.type(std), z.dtype.type(mean)).astype(dtype, copy=False), shape)


def _normal_blocks(generator: Generator, n: int, dtype: xp.dtype) -> xp.ndarray:
    """Standard normals from whole blocks of 16 uniforms; a ragged tail is drawn again as one."""
    ragged, z = n % 16, xp.empty(n, xp.float64 if dtype == xp.float64 else xp.float32)
    z[: n - ragged] = _box_muller(generator.uniforms(n - ragged, dtype))
    if ragged:
        if dtype != xp.float16:
            generator.uniforms(ragged, dtype)  # drawn for the tail by torch too, then dropped
        z[-16:] = _box_muller(generator.uniforms(16, dtype))
    return z


def _box_muller(u: xp.ndarray) -> xp.ndarray:
    """Blocks of 16 uniforms to blocks of 16 normals: 8 radii, 8 angles, 8 cosines, 8 sines."""
    u = u.reshape(-1, 2, 8)
    radius, angle = xp.sqrt(u.dtype.type(-2) * xp.log(1 - u[:, 0])), u.dtype.type(2 * math.pi) * u[:, 1]
    z = xp.empty_like(u)
    z[:, 0], z[:, 1] = radius * xp.cos(angle), radius * xp.sin(angle)
    return z.reshape(-1)


def _shaped(new: xp.ndarray, shape: Shape) -> xp.ndarray:
    """A new array in its shape; `reshape` would return a view, whose memory others might share."""
    new.resize(shape, refcheck=False)
    return new


def affine(x: xp.ndarray, scale: Any, shift: Any) -> xp.ndarray:
    """`x * scale + shift`, rounded once like the fused instruction torch is compiled to; halves have none."""
    if scale == 1 and xp.ndim(shift) == 0 == shift:
        return x
    if x.dtype == xp.float16:
        return x * scale + shift
    if x.dtype == xp.float32:  # a product of two float32 is exact in float64
        return (x.astype(xp.float64) * float(scale) + float(shift)).astype(xp.float32)
    product, (a, b), (c, d) = x * scale, _halves(x), _halves(scale)
    lost = a * c - product + a * d + b * c + b * d  # what rounding the product dropped (Dekker)
    total = product + shift
    seen = total - product
    return total + ((product - (total - seen)) + (shift - seen) + lost)


def _halves(x: Any) -> tuple[Any, Any]:
    """Split float64 into a high and a low part whose products are exact (Veltkamp)."""
    high = x * 134217729.0  # 2**27 + 1
    high = high - (high - x)
    return high, x - high


@functools.cache
def _reach(kind: xp.dtype) -> tuple[int, int, int]:
    """The least and the greatest number of a type, and the last one up to which it holds all whole numbers."""
    if kind.kind == "b":
        return 0, 1, 1
    limits = xp.finfo(kind) if kind.kind == "f" else xp.iinfo(kind)
    return int(limits.min), int(limits.max), 2 ** (limits.nmant + 1) if kind.kind == "f" else int(limits.max)


def integers(shape: Shape, dtype: xp.dtype = xp.int64, low: int | None = None, high: int | None = None,
             generator: Generator | None = None) -> xp.ndarray:
    """Integers of `[low, high)`; without `high`, up to the last that the type holds exactly."""
    kind, generator, whole = xp.dtype(dtype), generator or default_generator, low is high is None
    least, most, exact = _reach(kind)
    low, high = 0 if low is None else low, exact + 1 if high is None else high
    require(low < high, f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for name, bound in ("from", low), ("to - 1", high - 1):
        require(least <= bound <= most, f"{name} is out of bounds for {dtypes.of(kind).c_name}")
    span = high - low
    draw = generator.words if span < 2**28 or (whole and kind.itemsize < 8) else generator.long_words
    return _shaped(((draw(math.prod(shape)) % xp.uint64(span)).astype(xp.int64) + low).astype(dtype), shape)


def permutation(n: int, generator: Generator | None = None, dtype: xp.dtype = xp.int64) -> xp.ndarray:
    """The numbers 0 .. n-1 in random order (Fisher-Yates from the front), if the type reaches so far."""
    dtypes.check_kind("randperm", xp.dtype(dtype), "iuf")
    dtypes.check_fits(n and n - 1, xp.dtype(dtype))
    words, order = (generator or default_generator).words(max(n - 1, 0)), list(range(n))
    for i, step in enumerate((words % xp.arange(n, 1, -1, dtype=xp.uint64)).tolist()):
        order[i], order[i + step] = order[i + step], order[i]
    return xp.array(order, dtype)


def bernoulli(p: xp.ndarray | float, shape: Shape | None = None, generator: Generator | None = None) -> xp.ndarray:
    """True with probability `p`: an array of them, or one number for a whole `shape`."""
    p = p if hasattr(p, "dtype") else xp.asarray(p, float)
    if not p.ndim:
        require(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={float(p):g}")
    shape = p.shape if shape is None else shape
    need(((p >= 0) & (p <= 1)).all(), "probability")
    return (generator or default_generator).uniforms(math.prod(shape), p.dtype).reshape(shape) < p


def exponential(shape: Shape, dtype: xp.dtype = xp.float32, rate: float = 1.0,
                generator: Generator | None = None) -> xp.ndarray:
    """Waiting times at `rate` events a unit of time."""
    u = (generator or default_generator).doubles(math.prod(shape))
    return _shaped((-1.0 / rate * xp.log1p(-u)).astype(dtype, copy=False), shape)


def multinomial(p: xp.ndarray, num_samples: int, replacement: bool = False,
                generator: Generator | None = None) -> xp.ndarray:
    """Indices drawn from the weights of each row of `p`, with or without putting them back."""
    require(num_samples > 0, "cannot sample n_sample <= 0 samples")
    need(replacement or num_samples <= p.shape[-1], "samples_left")
    require(((p >= 0) & (p < math.inf)).all(), "probability tensor contains either `inf`, `nan` or element < 0")
    require((xp.add.reduce(p, -1) > 0).all(), "invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement and num_samples > 1:
        return _with_replacement(p, num_samples, generator or default_generator)
    race = p / exponential(p.shape, p.dtype, generator=generator)  # the heavier, the sooner
    return race.argmax(-1, keepdims=True) if num_samples < 2 else (-race).argsort(stable=True)[..., :num_samples].copy()


def _with_replacement(p: xp.ndarray, num_samples: int, generator: Generator) -> xp.ndarray:
    rows = xp.cumsum(p.reshape(-1, p.shape[-1]), -1, dtype=xp.promote_types(p.dtype, xp.float32))
    rows /= rows[:, -1:].copy()
    draws = generator.doubles(len(rows) * num_samples).reshape(-1, num_samples)
    found = [xp.searchsorted(row, draw) for row, draw in zip(rows, draws, strict=True)]
    return xp.array(found, xp.int64).reshape(*p.shape[:-1], num_samples)
