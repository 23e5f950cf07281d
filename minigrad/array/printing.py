"""An array as text, exactly as torch prints a tensor.

All items share one format and one width, chosen by the items that are shown: whole numbers as
`1.`, others with four decimals, and in scientific notation when that would hide or crowd digits.
What a tensor adds (`grad_fn=<...>`) comes in as a suffix; this file has never seen one.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import dtypes
from .backend import device_of, move, ndarray


class Options(NamedTuple):
    """How numbers are printed: see `set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {"default": Options(), "short": Options(precision=2, edgeitems=2), "full": Options(threshold=math.inf)}
_options = Options()


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Choose how tensors are printed; `profile` is `"default"`, `"short"` or `"full"`.

    Decimals, the size above which only the edges are shown, how many items an edge has, and the
    length of a line. `sci_mode` falls back to automatic unless it is given.
    """
    global _options
    wanted = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    given = {name: value for name, value in wanted.items() if value is not None}
    _options = _PROFILES.get(profile, _options)._replace(sci_mode=sci_mode, **given)


# ---- one item ------------------------------------------------------------------------------


class Field(NamedTuple):
    """The form all items share: a format, what follows a finite number, and a width."""

    spec: str = ""
    point: str = ""
    width: int = 1

    def write(self, value: Any) -> str:
        """One item, padded on the left."""
        text = format(value, self.spec)
        if self.point and math.isfinite(value):
            text += self.point
        return text.rjust(self.width)


def _field(values: list, floating: bool) -> Field:
    """The field for these values; zeros, inf and nan have no say in it."""
    judged = [v for v in values if v and math.isfinite(v)] if floating else values
    field = Field(*_float_format(judged)) if floating else Field()
    return field._replace(width=max((len(field.write(v)) for v in judged), default=1))


def _float_format(values: list[float]) -> tuple[str, str]:
    """Format and decimal point for finite, non-zero floats; every comparison is strict."""
    scientific = _options.sci_mode if values else False
    if scientific is None:
        sizes = [abs(v) for v in values]
        small, large = min(sizes), max(sizes)
        scientific = large / small > 1000 or large > 1e8 or small < 1e-4
    if scientific:
        return f".{_options.precision}e", ""
    return (".0f", ".") if all(v.is_integer() for v in values) else (f".{_options.precision}f", "")


# ---- all items -----------------------------------------------------------------------------


def _edges(array: ndarray) -> tuple[ndarray, tuple[bool, ...]]:
    """The items that will be shown, and for each dimension whether its middle was cut out."""
    edge = _options.edgeitems
    cut = tuple(array.size > _options.threshold and n > 2 * edge for n in array.shape)
    for dim, n in enumerate(array.shape):
        if cut[dim]:
            array = array[(slice(None),) * dim + ([*range(edge), *range(n - edge, n)],)]  # `take` copies it whole first
    return array, cut


def _nested(data: Any, cut: tuple[bool, ...], indent: int, field: Field) -> str:
    """Nested lists in brackets, opening at column `indent`."""
    if not cut:
        return field.write(data)
    parts, is_row = [_nested(part, cut[1:], indent + 1, field) for part in data], len(cut) == 1
    if cut[0]:
        parts.insert(_options.edgeitems, " ..." if is_row and parts else "...")
    if is_row:  # broken into lines that fit
        fitting = max(1, (_options.linewidth - indent) // (field.width + 2))
        parts = [", ".join(parts[i : i + fitting]) for i in range(0, len(parts), fitting)]
    return "[" + ("," + "\n" * max(1, len(cut) - 1) + " " * (indent + 1)).join(parts) + "]"


def array_str(array: ndarray, indent: int = 0) -> str:
    """The numbers of an array in brackets; later lines start at column `indent`."""
    if array.size == 0:
        return "[]"
    shown, cut = _edges(array)
    return _nested(shown.tolist(), cut, indent, _field(shown.ravel().tolist(), array.dtype.kind == "f"))


def _own_suffixes(array: ndarray) -> list[str]:
    """What an array itself has to say: its device, a shape nobody can see, an unusual dtype."""
    place, kind, empty = device_of(array), dtypes.of(array.dtype), array.size == 0
    usual = () if empty else (dtypes.int64, dtypes.bool)
    unseen = array.ndim != 1 if empty else not _options.edgeitems
    said = {f"device='{place}'": place.type != "cpu", f"size={tuple(array.shape)}": unseen,
            f"dtype={kind}": kind not in (dtypes.get_default_dtype(), *usual)}
    return [text for text, wanted in said.items() if wanted]


def tensor_str(array: ndarray, suffixes: Sequence[str] = ()) -> str:
    """The whole text: `tensor([1., 2.], dtype=torch.float64, grad_fn=<AddBackward0>)`."""
    indent = len("tensor(")
    text = "tensor(" + array_str(move(array, "cpu"), indent)
    column = len(text) - text.rfind("\n") + 1  # torch counts 2 more here, and none once wrapped
    for suffix in (*_own_suffixes(array), *suffixes):
        wrapped = column + len(suffix) + 2 > _options.linewidth
        text += f",\n{' ' * indent}{suffix}" if wrapped else f", {suffix}"
        column = (indent if wrapped else column + 2) + len(suffix)
    return text + ")"
