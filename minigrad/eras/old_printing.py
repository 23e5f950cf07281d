"""How tensors were printed before 0.4.1: the block of 0.2 and 0.3, the sign column of 0.4.0.

None of these PyTorches runs today. The block follows torch/_tensor_str.py of 0.2 and gives the texts
that notebooks of its time recorded; only long matrices, which it cut with dots, are printed whole.
"""

import itertools
import math
from typing import Any, NamedTuple

from ..array import dtypes, printing as today

LINEWIDTH, THRESHOLD, EDGEITEMS, PRECISION = 80, 1000, 3, 4


def spaced(t: Any) -> str:
    """0.4.0: every field has a column for a sign, and nothing is said of the graph."""
    array = t.detach()._array()
    if not array.ndim or not array.size:
        return today.tensor_str(array)
    shown, cut = today._edges(array)
    field = today._field([abs(value) for value in shown.ravel().tolist()], array.dtype.kind == "f")
    text = today._nested(shown.tolist(), cut, len("tensor("), field._replace(width=field.width + 1))
    return f"tensor({', '.join([text, *today._own_suffixes(array)])})"


class ScaledField(NamedTuple):
    """How one number is written: format, width, and the factor taken out of all of them."""

    spec: str
    width: int
    scale: float = 1.0

    def row(self, values: list) -> str:
        """Numbers in fields of one width, with a space between."""
        return " ".join(format(value / self.scale, self.spec).rjust(self.width) for value in values)

    @property
    def heading(self) -> str:
        """The line that names the factor; none where it is 1."""
        return "" if self.scale == 1 else f"{self.scale:.5e} *\n"


def field_for(values: list, least: int = 2) -> ScaledField:
    """The field of 0.2: by the digits before the point of the largest and the smallest magnitude."""
    finite = [abs(v) for v in values if math.isfinite(v)]
    least = max(least, 2 if len(finite) == len(values) else 3)
    small, large = _exponent(min(finite, default=0)), _exponent(max(finite, default=0))
    if all(v == math.ceil(v) for v in finite):
        if large > PRECISION + 1:
            return ScaledField(f".{PRECISION}e", max(least, 7 + PRECISION))
        return ScaledField(".0f", max(least, large + 1))
    if large - small > PRECISION:
        return ScaledField(f".{PRECISION}e", max(least, 7 + PRECISION + (max(abs(large), abs(small)) > 99)))
    if large > PRECISION + 1 or large < 0:
        return ScaledField(f".{PRECISION}f", max(least, 7), math.pow(10, large - 1))
    return ScaledField(f".{PRECISION}f", max(least, 7 if large == 0 else large + 6))


def _exponent(value: float) -> int:
    return math.floor(math.log10(value)) + 1 if value else 1


def block(t: Any) -> str:
    """0.2 and 0.3: the numbers, then type and size; `Variable containing:` before what autograd knows."""
    array = t.detach()._array()
    kind = "torch.ByteTensor" if t.dtype is dtypes.bool else t.dtype.tensor_type
    known = t.requires_grad or type(t).__name__ == "Variable"
    # the repr of a Parameter has begun the block itself
    head = "" if type(t).__name__ == "Parameter" else "Variable containing:\n" if known else "\n"
    if not array.size:
        return f"{head.rstrip()}[{kind} with no dimension]\n"
    array = array.reshape(array.shape or (1,))
    size = "x".join(map(str, array.shape))
    text = slices(array) if array.ndim > 2 else (vector, matrix)[array.ndim - 1](array.tolist())
    return f"{head}{text}[{kind} of size {size}]\n"


def vector(values: list) -> str:
    """One number a line; of very many only the first and the last three."""
    field = field_for(values)
    indent = "" if field.scale == 1 else " "
    lines = [indent + field.row([value]) for value in values]
    if len(values) >= THRESHOLD:
        lines[EDGEITEMS:-EDGEITEMS] = [indent + "\u22ee".center(field.width)]
    return field.heading + "".join(line + "\n" for line in lines)


def matrix(rows: list, indent: str = "", field: ScaledField | None = None) -> str:
    """Rows of numbers, in groups of columns where a line cannot hold them all."""
    field = field or field_for(list(itertools.chain(*rows)), 5 if max(len(rows), len(rows[0])) > 2 * EDGEITEMS else 0)
    fitting = (LINEWIDTH - len(indent)) // (field.width + 1)
    text, inner = "", indent + ("" if field.scale == 1 else " ")
    for first in range(0, len(rows[0]), fitting):
        if fitting < len(rows[0]):
            text += f"\nColumns {first} to {min(first + fitting, len(rows[0])) - 1} \n{indent}"
        text += field.heading + "".join(f"{inner}{field.row(row[first:first + fitting])}\n" for row in rows)
    return text


def slices(array: Any) -> str:
    """More dimensions: one matrix after the other, each under its indices."""
    *sizes, high, wide = array.shape
    field = field_for(array.ravel().tolist(), 3 if max(high, wide) > 2 * EDGEITEMS else 0)
    width, places = max(2, len(str(max(sizes)))), itertools.product(*map(range, sizes))
    return "\n".join(f"({','.join(str(i).center(width) for i in place)},.,.) = \n{matrix(rows, ' ', field)}"
                     for place, rows in zip(places, array.reshape(-1, high, wide).tolist(), strict=True))
