"""A value in a few characters: `0.157`, `[0.71, −1.56]`, `[0.71, −1.56, … ×128]`, `NaN`.

Knows array-likes by `reshape`, `shape`, `dtype` and `tolist`, so NumPy, CuPy and torch all do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

FULL = 4  # up to this many elements are shown, of more the first two
MARKS = ("NaN", "∞")  # what makes a value bad


def preview(values: Any) -> str:
    """Three significant digits; hidden NaN or Inf are told by a mark at the end."""
    shape = tuple(values.shape)
    flat = values.reshape(-1)
    count = math.prod(shape)
    if count > FULL:
        head = rounded(flat[:2].tolist())
        inner = f"{', '.join(head)}, … ×{count}"
        text = "[" * len(shape) + inner + "]" * len(shape)
    else:
        text = _nest(iter(rounded(flat.tolist())), shape)
    return text + _hidden(flat, text)


def _nest(texts: Iterator[str], shape: tuple[int, ...]) -> str:
    """Write at most `FULL` elements with all their brackets."""
    if not shape:
        return next(texts)
    return "[" + ", ".join(_nest(texts, shape[1:]) for _ in range(shape[0])) + "]"


def _hidden(flat: Any, text: str) -> str:
    if "float" not in str(flat.dtype) and "complex" not in str(flat.dtype):
        return ""
    bad = zip(MARKS, (flat != flat, abs(flat) == math.inf), strict=True)
    return "".join(f" {mark}!" for mark, where in bad if mark not in text and where.any())


def rounded(values: list[Any]) -> list[str]:
    """Numbers that stand together share their decimals; the largest has three digits."""
    if any(isinstance(v, (bool, complex)) for v in values):
        return [str(v).replace("-", "−") for v in values]
    finite = [abs(v) for v in values if math.isfinite(v)]
    if all(v == int(v) and v < 1e6 for v in finite):
        return [_formatted(v, ".0f") for v in values]
    exponent = math.floor(math.log10(max(finite)))
    if not -4 < exponent < 5:
        return [_formatted(v, ".2e") for v in values]
    decimals = max(0, 2 - exponent)
    tidy = math.isclose(round(values[0], 2), values[0], rel_tol=1e-6)  # 0.10, but 0.157
    if exponent == -1 and (len(values) > 1 or tidy):
        decimals = 2
    return [_formatted(v, f".{decimals}f") for v in values]


def _formatted(value: float, spec: str) -> str:
    if not math.isfinite(value):
        text = "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    else:
        text = format(value, spec)
        if value and not float(text):  # never round a number to nothing
            text = format(value, ".1e")
        if "e" in text:
            mantissa, exponent = text.split("e")
            text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−")
