"""Older PyTorches: `era("1.5.0")` shows and says things as PyTorch 1.5.0 did.

An era is presentation: names, printed text, errors and warnings, looked up in `table` when something is
shown; a tensor shows itself in the current era, whenever it was made. A few names also did something else
(`behaviour`, `legacy`): those are exchanged as the era begins and put back as it ends. Numbers are computed
as today. From 1.0 on, eras were checked against those PyTorches; the four before follow sources and notebooks.
"""

from __future__ import annotations

import builtins
import re
import sys
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from ..text import demand, presentation, say
from . import table
from .table import entry_at, parsed

__all__ = ["ABSENT", "Era", "current_era", "era", "exchange"]

ABSENT: Any = type("ABSENT", (), {"__repr__": lambda self: "ABSENT"})()
_today = presentation.current
_exchanged = ExitStack()  # puts back what was there


class Era(presentation.Presentation):
    """How one older PyTorch named and worded things."""

    def __init__(self, version: str) -> None:
        self.version, self.number = version, parsed(version)
        self.guards_views_of_leaves, self.whole_leaf = self.number >= (1, 8), "a view of a leaf Variable"
        self.hint = self.message("hint", presentation.Presentation.hint)

    def node_name(self, node: Any) -> str:
        """What `grad_fn.name()` said then: a name of the table, or today's with the digits of then."""
        today = super().node_name(node)
        place, _, name = today.rpartition("::")
        history = table.NAMES.get(f"{name} {variant(node, name)}") or table.NAMES.get(name)
        if history is not None:
            renamed = entry_at(self.number, history)
            return f"{place}::{renamed}" if place and renamed == name else renamed
        return today if place else self._digits(node, name)  # torch's own, written by hand: AccumulateGrad, CopySlices

    def _digits(self, node: Any, name: str) -> str:
        """0.2 numbered no name; up to 1.9 only overloaded functions were numbered."""
        stem, digit = re.fullmatch(r"(.*?)(\d*)", name).groups()  # type: ignore[union-attr]
        if self.number < (0, 3):
            return table.IN_0_2.get(name, stem)
        return stem if digit == "0" and self.number < (1, 10) and not (node.row and node.row.numbered) else name

    def type_name(self, node: Any) -> str:
        """In 0.2 most nodes were Python classes, and `repr` showed their module."""
        name = super().type_name(node)
        return f"torch.autograd.function.{name}" if self.number < (0, 3) and "::" not in self.node_name(node) else name

    def short_name(self, node: Any) -> str:
        """What errors called a node; today's short form did not exist."""
        return self.node_name(node)

    def message(self, key: str, text: str) -> str:
        """Today's text as it read then; empty for a warning that was not given yet."""
        for since, until, pattern, replacement in table.MESSAGES.get(key, ()):
            if parsed(since) <= self.number < parsed(until):
                return re.sub(pattern, replacement, text)
        return text

    def kind(self, key: str, kind: type[Exception]) -> type[Exception]:
        """The class of an error as it was then."""
        history = table.KINDS.get(key)
        return kind if history is None else getattr(builtins, entry_at(self.number, history))

    def tensor_text(self, t: Any) -> str:
        """How a tensor was printed."""
        if self.number >= (0, 4, 1):
            return _today.tensor_text(t)
        from . import old_printing

        return old_printing.spaced(t) if self.number >= (0, 4) else old_printing.block(t)


def variant(node: Any, name: str) -> str:
    """What tells two nodes apart that have one name today; see `table.NAMES`."""
    if name == "CopyBackwards":
        return "grad" if node.edges[0] is None else ""
    if name == "LinalgVectorNormBackward0":
        return "" if node.saved_ord == 2 else "p"
    if name in ("AddBackward0", "SubBackward0", "MulBackward0", "DivBackward0"):
        return "tensor" if node.edges[-1] is not None or (node.metas and node.metas[-1]) else ""
    return ""


def current_era() -> str:
    """The version of PyTorch that is shown at present, such as `"2.13.0"`."""
    return presentation.current.version


class era:
    """Show things as another PyTorch did: from now on, or, with `with`, until the end of the block.

    `version` may leave out its end: `"1.5"` is 1.5.0. Raises: ValueError for an unknown version.
    """

    def __init__(self, version: str) -> None:
        self.version, self._before = full_version(version), current_era()
        switch_era(self.version)

    def __enter__(self) -> era:
        switch_era(self.version)
        return self

    def __exit__(self, *exc: object) -> None:
        switch_era(self._before)

    def __repr__(self) -> str:
        return f"era({self.version!r})"


def full_version(version: str) -> str:
    """`version` in full. Raises: ValueError if nobody looked at that PyTorch."""
    full = version + ".0" * (2 - version.count("."))
    demand(full in table.KNOWN, "eras.unknown", version=version, known=", ".join(table.KNOWN))
    return full


def switch_era(version: str) -> None:
    """Put back what the era before exchanged, then let another begin."""
    _exchanged.close()
    presentation.current = _today if version == _today.version else Era(version)
    if parsed(version) < (1, 7):
        import_module(".behaviour", __name__).exchange_names(parsed(version))


def exchange(owner: Any, name: str, value: Any) -> None:
    """Let `owner.name` be `value` (or ABSENT) until the era ends."""
    _exchanged.callback(assign, owner, name, vars(owner).get(name, ABSENT))
    assign(owner, name, value)


def assign(owner: Any, name: str, value: Any) -> None:
    """Set `owner.name`, or delete it if `value` is ABSENT."""
    if value is not ABSENT:
        setattr(owner, name, value)
    elif name in vars(owner):
        delattr(owner, name)


def minigrad_itself() -> Any:
    """minigrad itself; the rooms above eras are reached by name only."""
    return sys.modules[__name__.partition(".")[0]]
