"""What the pictures are made of, as SVG text: cards, notes, gates, drawers, wires, legend keys.

Knows boxes and words, no graph. Everything that is written goes through `text`, which escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from xml.sax.saxutils import escape, quoteattr

from ..graph.preview import MARKS
from .blocks import Box, Piece

CJK = re.compile("[⺀-鿿＀-￯]")
FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")  # in XML


def clean(words: str) -> str:
    """A text in which XML sees nothing of its own."""
    return escape(FORBIDDEN.sub("�", words))


def num(value: float) -> str:
    """A number with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def d(*items: str | float) -> str:
    """Path data: letters as they are, numbers with one decimal."""
    return " ".join(i if isinstance(i, str) else num(i) for i in items)


def write(pieces: list[Piece]) -> str:
    """Path data of a wire as `layout` has it: the point where it begins, then lines and curves."""
    letters = ["M", *("L" if len(piece) == 1 else "C" for piece in pieces[1:])]
    return " ".join(letter + d(*chain(*piece)) for letter, piece in zip(letters, pieces, strict=True))


def tag(name: str, body: str | None = None, **attributes: str | float | None) -> str:
    """An element; `kind` is its class, `_` in a name stands for `-`, None leaves one out."""
    given = {"class" if k == "kind" else k.replace("_", "-"): v for k, v in attributes.items()}
    listed = "".join(f" {k}={quoteattr(v if isinstance(v, str) else num(v))}"
                     for k, v in given.items() if v is not None and v != "")
    return f"<{name}{listed}/>" if body is None else f"<{name}{listed}>{body}</{name}>"


def text(x: float, y: float, words: str, kind: str = "", slot: str = "") -> str:
    """One line of text; a mark of trouble and Chinese characters have classes of their own."""
    kind += " mg-bad" if any(mark in words for mark in MARKS) else ""
    kind += " mg-cjk" if CJK.search(words) else ""
    return tag("text", clean(words), x=x, y=y, kind=" ".join(kind.split()), data_slot=slot)


def group(kind: str, body: str) -> str:
    """Parts that share a class."""
    return tag("g", body, kind=kind)


def rect(b: Box, radius: float, kind: str = "mg-shape") -> str:
    """A rectangle with round corners."""
    return tag("rect", x=b.x, y=b.y, width=b.w, height=b.h, rx=radius, kind=kind)


def circle(x: float, y: float, r: float, kind: str = "") -> str:
    """A circle."""
    return tag("circle", cx=x, cy=y, r=r, kind=kind)


def path(data: str, kind: str = "mg-shape", head: str = "") -> str:
    """A line, or an outline; `head` is the arrow at its end."""
    return tag("path", d=data, kind=kind, marker_end=f"url(#\x02{head})" if head else None)


def note(b: Box) -> str:
    """A sheet with its corner turned down."""
    x, y = b.right - 7, b.y + 7
    outline = d("M", b.x, b.y, "H", x, "L", b.right, y, "V", b.bottom, "H", b.x, "z")
    return path(outline + d(" M", x, b.y, "V", y, "H", b.right))


def gate(b: Box) -> str:
    """A tag that points the way the gradient goes, to the left."""
    tip = b.x + 12
    return path(d("M", b.right, b.y, "V", b.bottom, "H", tip, "L", b.x, b.cy, "L", tip, b.y, "z"))


def drawer(b: Box, r: float) -> str:
    """Round above, open below, where its leaf is glued."""
    return path(d("M", b.x, b.bottom, "V", b.y + r, "Q", b.x, b.y, b.x + r, b.y, "H", b.right - r,
                  "Q", b.right, b.y, b.right, b.y + r, "V", b.bottom, "z"))


def tab(b: Box, w: float, h: float) -> str:
    """A card with an index tab: a view of something."""
    return path(d("M", b.x, b.y, "H", b.x + w, "V", b.y + h, "H", b.right, "V", b.bottom, "H", b.x, "z"))


def diamond_end(x: float, y: float, size: float) -> str:
    """The end of a line at the base of a view."""
    return path(d("M", x, y, "l", size, -5, "l", size, 5, "l", -size, 5, "z"), "mg-diamond")


def octagon(b: Box, cut: float, kind: str = "mg-shape") -> str:
    """A stop sign of the size of a box."""
    xs, ys = (b.x, b.x + cut, b.right - cut, b.right), (b.y, b.y + cut, b.bottom - cut, b.bottom)
    turns = ((1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1))
    return tag("polygon", points=" ".join(f"{num(xs[i])},{num(ys[j])}" for i, j in turns), kind=kind)


def bang(x: float, y: float, r: float) -> str:
    """A small stop sign with an exclamation mark."""
    sign = octagon(Box(x - r, y - r, 2 * r, 2 * r), r * 0.586, "mg-octagon")
    return sign + text(x, y + 5, "!", "mg-bang mg-c")


def marker(kind: str, size: float, data: str = "M0,0.6 L10,5 L0,9.4 z") -> str:
    """An arrow's head, to be put at the end of a path."""
    return tag("marker", path(data, f"mg-head-{kind}"), id=f"\x02{kind}", viewBox="0 0 10 10", refX=9.4, refY=5,
               markerWidth=size, markerHeight=size, markerUnits="userSpaceOnUse", orient="auto")


MARKERS = (marker("forward", 8, "M0.5,0.6 L10,5 L0.5,9.4 L3.4,5 z") + marker("record", 9)
           + marker("backward", 12) + marker("gradfn", 7))


# ---- the legend: one key for each kind, drawn into a box of 34 x 18


def _card(kind: str, radius: float = 5) -> Callable[[Box], str]:
    return lambda b: group(kind, rect(b, radius))


def _arrow(kind: str, head: str, backwards: bool = False) -> Callable[[Box], str]:
    return lambda b: path(d("M", b.right, b.cy, "H", b.x) if backwards else d("M", b.x, b.cy, "H", b.right), kind, head)


def _ring(b: Box) -> str:
    return path(d("M", b.right, b.cy, "H", b.x + 10), "mg-record") + circle(b.x + 5, b.cy, 5, "mg-ring")


def _drawer(b: Box) -> str:
    return group("mg-acc", drawer(b, 6) + path(d("M", b.x + 11, b.cy + 2, "h 12"), "mg-handle"))


def _freed(b: Box) -> str:
    return group("mg-freed", note(b) + path(d("M", b.x + 6, b.cy, "H", b.right - 7), "mg-strike"))


def _sheets(b: Box) -> str:
    sheets = (Box(b.x + 5, b.y, 29, 14), Box(b.x, b.y + 4, 29, 14))
    return group("mg-copy", "".join(rect(sheet, 3, "mg-sheet") for sheet in sheets))


def _shares(b: Box) -> str:
    return path(d("M", b.x + 10, b.cy, "H", b.right), "mg-shares") + diamond_end(b.x, b.cy, 5)


LEGEND: dict[str, Callable[[Box], str]] = {
    "op": _card("mg-op", 9), "op_forward": _card("mg-op", 9), "next": _arrow("mg-record", "record", True),
    "gradient": _arrow("mg-backward", "backward", True), "data": _arrow("mg-forward", "forward"), "none": _ring,
    "cut": _arrow("mg-record mg-cut", "", True), "leaf": _card("mg-leaf"), "constant": _card("mg-constant"),
    "nonleaf": _card("mg-nonleaf"), "lost": _card("mg-nonleaf mg-lost"), "gradfn": _arrow("mg-gradfn", "gradfn"),
    "acc": _drawer, "ref": _card("mg-leaf", 9), "saved": lambda b: group("mg-saved", note(b)), "freed": _freed,
    "stale": lambda b: bang(b.cx, b.cy, 10), "hook": lambda b: group("mg-hook", gate(b)), "copy": _sheets,
    "sum": _card("mg-sum", 9), "expand": _card("mg-expand", 9), "shares": _shares,
    "view": lambda b: group("mg-nonleaf mg-view", tab(b, 14, 4)),
}
