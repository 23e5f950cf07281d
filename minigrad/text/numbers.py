"""How numbers are written: three digits, and in an equation as many as make it true as it is printed.

Knows lists of Python's numbers and texts; arrays stay in `graph`. A value that is no integer never prints as
one (but a size of `two_digits`), and one that is not zero never as zero. It imports nothing of minigrad.
"""

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

FEW, MOST = 3, 6  # significant digits of a value; of the operands of an equation, where fewer would not do
TOLD = 0.01  # an equation with ≈ is this close, of its largest number; one that is further off is not written
_DIGITS = {"float16": ("e", 3), "float32": ("f", 6)}  # code of `struct`, digits that every text keeps


class Written(NamedTuple):
    """An equation as it is printed: the texts of its operands, `=` or `≈`, the texts of its result."""

    operands: tuple[tuple[str, ...], ...]
    sign: str
    result: tuple[str, ...]


def rounded(values: Sequence[Any], digits: int = FEW) -> list[str]:
    """Numbers that stand together share their decimals; the largest has `digits` digits."""
    if not {bool, complex}.isdisjoint(map(type, values)):
        return [(f"{v:.3g}" if isinstance(v, complex) else str(v)).replace("-", "−") for v in values]
    finite = [abs(v) for v in values if math.isfinite(v)]
    if all(v == int(v) and v < (1e6 if digits == FEW else 1e9) for v in finite):
        return [_formatted(v, ".0f") for v in values]
    exponent = math.floor(math.log10(max(finite)) + 1e-7)  # 0.01 of float32 is 0.00999999978
    if not -4 < exponent < 5:
        return [_formatted(v, f".{digits - 1}e") for v in values]
    decimals = max(1, FEW - 1 - exponent)
    short = math.isclose(round(values[0], 2), values[0], rel_tol=1e-6)  # 0.10, but 0.157
    if exponent == -1 and (len(values) > 1 or short):
        decimals = 2
    if digits > FEW:  # no zeros behind what is exact already
        most = max(1, digits - 1 - exponent)
        enough = (d for d in range(most) if all(math.isclose(round(v, d), v, rel_tol=6e-8) for v in finite))
        decimals = min(most, max(decimals, next(enough, most)))
    return [_formatted(v, f".{decimals}f") for v in values]


def _formatted(value: float, spec: str) -> str:
    if not math.isfinite(value):
        text = "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    else:
        text = format(value or 0, spec) if value or "e" not in spec else "0"  # no sign before zero
        if value and not float(text):  # never round a number to nothing
            text = format(value, ".1e")
    return tidy(text)


def tidy(text: str) -> str:
    """A number of Python's as it is printed here: `1e−9`."""
    mantissa, e, exponent = text.partition("e")
    return (f"{mantissa}e{int(exponent)}" if e else text).replace("-", "−")


def two_digits(value: float) -> str:
    """A size, such as a norm: `0.24`, `1e−9`, `12`, `1060`."""
    return _formatted(value, ".2g" if abs(value) < 100 else ".0f" if abs(value) < 1e4 else ".3g")


def exact(value: Any, kind: str) -> str:
    """All digits that tell a number of type `kind` (`float32`) from its neighbours."""
    if not isinstance(value, float) or not math.isfinite(value):
        return rounded([value])[0] if isinstance(value, float) else str(value).replace("-", "−")
    code, least = _DIGITS.get(kind, ("d", 15))
    texts = (f"{value:.{n}g}" for n in range(least, 18))
    return tidy(next(t for t in texts if struct.unpack(code, struct.pack(code, float(t)))[0] == value))


def number(text: str) -> Any:
    """What a printed number says."""
    if text in ("True", "False"):
        return text == "True"
    text = text.replace("−", "-").replace("∞", "inf")
    return complex(text) if "j" in text else float(text)


def nested(texts: Iterator[str], shape: tuple[int, ...]) -> str:
    """Texts with all the brackets of a shape."""
    return next(texts) if not shape else "[" + ", ".join(nested(texts, shape[1:]) for _ in range(shape[0])) + "]"


def honest(evaluate: Callable[[list[list[Any]]], Sequence[Any] | None], operands: Sequence[Sequence[Any]],
           result: Sequence[Any], together: bool = False, most: int = MOST) -> Written | None:
    """Write an equation with the fewest digits with which its printed operands give its printed result.

    Operands that stand `together` share their decimals. `evaluate` computes the result from printed operands, or
    returns None where that cannot be done. Where `most` digits are too few the sign is `≈`; None where even that
    would mislead.
    """
    if any(isinstance(v, complex) for values in (*operands, result) for v in values):
        return None
    printed, near, best = rounded(result), None, -1
    for digits in range(FEW, most + 1):
        one = iter(rounded([v for values in operands for v in values], digits) if together else ())
        texts = [[(next(one), "0")[v == 0] for v in values] if together else rounded(values, digits)
                 for values in operands]  # nothing is rounded of a term that is nothing
        found = evaluate([[number(t) for t in several] for several in texts])
        if found is None or len(found) != len(result):
            return None
        good = sum(holds(v, t) for v, t in zip(found, printed, strict=True))
        if good == len(result):
            return Written(tuple(map(tuple, texts)), "=", tuple(printed))
        if good > best and close(found, result):
            near, best = Written(tuple(map(tuple, texts)), "≈", tuple(printed)), good
    return near


def holds(value: Any, text: str) -> bool:
    """Whether a computed number, rounded as `text` is, gives `text`; a whole number has three digits at least."""
    said = number(text)
    if isinstance(said, bool) or not math.isfinite(said):
        return bool(value == said or (said != said and value != value))
    mantissa, _, exponent = text.partition("e")
    unit = 10.0 ** (int(exponent.replace("−", "-") or 0) - len(mantissa.partition(".")[2]))
    if "." not in mantissa:
        unit = min(unit, 10.0 ** (math.floor(math.log10(abs(said) or 1e-3)) - 2))
    return bool(abs(value - said) <= unit * (0.5 + 1e-7))


def close(found: Sequence[Any], result: Sequence[Any]) -> bool:
    """Whether numbers agree as far as `≈` promises."""
    least = TOLD * max((abs(v) for v in result if math.isfinite(v)), default=0)
    return all(v == w or abs(v - w) <= least if math.isfinite(w) else v == w or (v != v and w != w)
               for v, w in zip(found, result, strict=True))


def summed(terms: Sequence[Sequence[Any]], total: Sequence[Any], together: bool = False,
           most: int = MOST) -> Written | None:
    """`a + b = c`, number by number; what is not a plain sum of its terms is not written."""
    return honest(lambda several: [sum(column) for column in zip(*several, strict=True)], terms, total, together, most)


def plus(words: Sequence[str]) -> str:
    """Terms with signs between them: `0.71 − 1.56`."""
    return " + ".join(words).replace("+ −", "− ")
