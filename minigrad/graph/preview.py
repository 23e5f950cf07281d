"""A value in a few characters: `0.157`, `[0.71, −1.56]`, `[0.71, −1.56, … ×128]`, `NaN`.

Knows array-likes by `reshape`, `shape`, `dtype` and `tolist`, so NumPy, CuPy and torch all do.
A value of many numbers has a `summary`, too: what a picture draws as a grid, or as bars.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from ..text.numbers import exact, nested, number, rounded
from .snapshot import Summary

FULL = 4  # up to this many elements are shown, of more the first two; rows and columns of a matrix that is written out
BARS = 24  # entries that are drawn
WHOLE = 16  # numbers of which all digits are told
MARKS = ("NaN", "∞")  # what makes a value bad


def preview(values: Any) -> str:
    """Three significant digits; hidden NaN or Inf are told by a mark at the end."""
    text = with_brackets(rounded(shown(values)), values)
    return text if math.prod(values.shape) <= FULL else text + _hidden(values.reshape(-1), text)


@lru_cache(4096)  # one gradient is told of several times: where it leaves, where it meets others, where it arrives
def digits(numbers: tuple[Any, ...], shape: tuple[int, ...], kind: str) -> str:
    """A value of a few numbers with all its digits; "" where the short text has them."""
    long = [exact(v, kind) for v in numbers]
    told = len(numbers) <= FULL and all(number(a) == number(b) for a, b in zip(rounded(numbers), long, strict=True))
    return "" if told else nested(iter(long), shape)


def shown(values: Any) -> list[Any]:
    """The numbers that a preview shows."""
    flat = values.reshape(-1)
    return list((flat if math.prod(values.shape) <= FULL else flat[:2]).tolist())


def with_brackets(texts: Sequence[str], values: Any) -> str:
    """The texts of the numbers that are shown of `values`, with its brackets and how many there are."""
    shape = tuple(values.shape)
    if (count := math.prod(shape)) == len(texts):
        return nested(iter(texts), shape)
    return "[" * len(shape) + f"{', '.join(texts)}, … ×{count}" + "]" * len(shape)


def cells(values: Any) -> list[Any]:
    """The numbers that an equation shows: all of a few, and of a matrix of at most 4 by 4; else those of a preview."""
    return list(values.reshape(-1).tolist()) if in_full(values) else shown(values)


def in_full(values: Any) -> bool:
    """Whether an equation shows all numbers."""
    return math.prod(values.shape) <= FULL or (len(values.shape) == 2 and max(values.shape) <= FULL)


def full(values: Any) -> str:
    """A value as an equation shows it; with its shape where that is not all."""
    return with_brackets(rounded(cells(values)), values) if in_full(values) else f"{preview(values)} {(*values.shape,)}"


def exactly(values: Any) -> str:
    """All digits, where a preview hides some of them; "" elsewhere, for more than a few numbers, and for None."""
    if values is None or not 0 < math.prod(values.shape) <= WHOLE:
        return ""
    return digits(tuple(values.reshape(-1).tolist()), tuple(values.shape), type_name(values.dtype))


def told(values: Any) -> str:
    """A value with all its digits where they are few, else in short."""
    return exactly(values) or preview(values)


def summary(values: Any) -> Summary | None:
    """The numbers of a matrix up to 4 x 4; of what is larger least, mean, largest and norm; None for what is neither.

    NaN and ∞ are counted, and left out of mean and norm.
    """
    shape, kind = tuple(values.shape), type_name(values.dtype)
    small, count = len(shape) == 2 and max(shape) <= FULL, math.prod(shape)
    if "complex" in kind or not ((small and count) or (count > FULL and "bool" not in kind)):
        return None
    flat = values.reshape(-1)
    if small:
        texts, wide = rounded(flat.tolist()), shape[1]
        return Summary(rounded([norm(flat)])[0], grid=tuple(tuple(texts[i : i + wide]) for i in range(0, count, wide)))
    sample = flat[[i * (count - 1) // (BARS - 1) for i in range(BARS)]] if count > BARS else flat
    bad = [int(where.sum()) for where in (flat != flat, abs(flat) == math.inf)] if "float" in kind else []
    flat = flat[abs(flat) < math.inf] if any(bad) else flat
    told = [norm(flat), *(float(f()) for f in (flat.min, double(flat).mean, flat.max))] if len(flat) else []
    size, least, mean, most = [rounded([v])[0] for v in told] or [""] * 4
    return Summary(size, least, mean, most, tuple(map(float, sample.tolist())),
                   bad=", ".join(f"{n} {mark}" for n, mark in zip(bad, MARKS, strict=False) if n))


def double(values: Any) -> Any:
    """The same in double precision."""
    return values.astype("float64") if hasattr(values, "astype") else values.double()


def norm(array: Any) -> float:
    """The root of the sum of squares."""
    flat = double(abs(array.reshape(-1)))
    return math.sqrt(float((flat * flat).sum()))


type_name = cache(lambda dtype: str(dtype).rpartition(".")[2])  # NumPy puts it together anew each time


def _hidden(flat: Any, text: str) -> str:
    kind = type_name(flat.dtype)
    if not ("float" in kind or "complex" in kind) or (
            "float" in kind and math.isfinite(float(flat.max()) - float(flat.min()))):  # no NaN, no ∞
        return ""
    bad = zip(MARKS, (flat != flat, abs(flat) == math.inf), strict=True)
    return "".join(f" {mark}!" for mark, where in bad if mark not in text and where.any())
