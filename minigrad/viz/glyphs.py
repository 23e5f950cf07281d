"""What the pictures are made of, as SVG text: cards, notes, gates, drawers, wires, legend keys.

Knows boxes and words, no graph. Everything that is written goes through `clean`, which escapes it.
"""

import math
import re
from collections.abc import Callable
from itertools import chain
from xml.sax.saxutils import escape, quoteattr

from ..graph.preview import MARKS
from .blocks import Box
from .layout import Piece
from .words import PAIR

CJK = re.compile("[⺀-鿿＀-￯]")
SPECIAL = re.compile("[<>&\"\n\r\t]")
# in XML, and what would turn the text around or colour a terminal
FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(words: str) -> str:
    """A text in which each character is what it looks like."""
    return FORBIDDEN.sub("�", words)


def clean(words: str) -> str:
    """A text in which XML sees nothing of its own."""
    return escape(visible(words))


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
    listed = ""
    for key, value in attributes.items():
        if value is not None and value != "":
            if isinstance(value, str):
                quoted = quoteattr(value) if SPECIAL.search(value) else f'"{value}"'
            else:
                quoted = f'"{num(value)}"'
            listed += f" {'class' if key == 'kind' else key.replace('_', '-')}={quoted}"
    return f"<{name}{listed}/>" if body is None else f"<{name}{listed}>{body}</{name}>"


def text(x: float, y: float, words: str, kind: str = "", slot: str = "") -> str:
    """One line of text; a mark of trouble and Chinese characters have classes of their own."""
    kind += " mg-bad" if "mg-t2" not in kind and any(mark in words for mark in MARKS) else ""  # a line says more
    kind += " mg-cjk" if CJK.search(words.partition(PAIR)[0]) else ""
    body = clean(words).replace("‖g‖", tag("tspan", "‖g‖", kind="mg-norm"))
    return tag("text", body, x=x, y=y, kind=" ".join(kind.split()), data_slot=slot)


def two_words(x: float, y: float, first: str | None, second: str | None, kind: str = "mg-b") -> str:
    """A line of a word that stands out, and a muted one behind it; None leaves one out."""
    body = "" if first is None else tag("tspan", clean(first), kind=kind)
    body += "" if second is None else tag("tspan", clean(second), kind="mg-m", dx=6 if body else None)
    return tag("text", body, x=x, y=y)


def group(kind: str, body: str) -> str:
    """Parts that share a class."""
    return tag("g", body, kind=kind)


def rect(b: Box, radius: float, kind: str = "mg-shape") -> str:
    """A rectangle with round corners."""
    return tag("rect", x=b.x, y=b.y, width=b.w, height=b.h, rx=radius, kind=kind)


def circle(x: float, y: float, r: float, kind: str = "") -> str:
    """A circle."""
    return tag("circle", cx=x, cy=y, r=r, kind=kind)


def path(data: str, kind: str = "mg-shape", head: str = "", thick: float | None = None) -> str:
    """A line, or an outline; `head` is the arrow at its end."""
    style = None if thick is None else f"stroke-width:{num(thick)}"
    return tag("path", d=data, kind=kind, style=style, marker_end=f"url(#\x02{head})" if head else None)


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


def half(middle: float, side: float, top: float, bottom: float) -> str:
    """The left or right half of a chip, round at its outer side."""
    near = side + 5 if side < middle else side - 5
    return path(d("M", middle, top, "H", near, "Q", side, top, side, top + 5, "V", bottom - 5,
                  "Q", side, bottom, near, bottom, "H", middle, "z"))


def toggle(b: Box, label: str) -> str:
    """The corner of a box: `+n` operations inside, or `−` where it is open."""
    return rect(b, 4, "mg-toggle") + text(b.cx, b.cy + 4.5, label, "mg-c mg-b")


def badge(b: Box, number: str, ran: bool = True) -> str:
    """The place in the order of backward, and a tick where it was taken."""
    tick = path(d("M", b.x + 7, b.cy + 0.5, "l", 3, 3.4, "l", 5.4, -6.4), "mg-check") if ran else ""
    return rect(b, 9.5, "mg-rim") + tick + text(b.x + (19 if ran else 13), b.cy + 4.5, number, "mg-b")


def join(x: float, y: float) -> str:
    """A plus in a circle: gradients add up here."""
    return circle(x, y, 7, "mg-plus") + path(d("M", x - 4, y, "h", 8, "M", x, y - 4, "v", 8), "mg-cross")


def grid(x: float, y: float, rows: list[list[str]], columns: list[float]) -> str:
    """A matrix between brackets."""
    ends, low = [x + sum(columns[:k + 1]) for k in range(len(columns))], y + 17 * len(rows)
    left, right = ("M", x + 2, y, "H", x - 3, "V", low, "H", x + 2), ends[-1]
    sides = d(*left, "M", right - 2, y, "H", right + 3, "V", low, "H", right - 2)
    cells = [text(end - 6, y + 13 + 17 * r, value, "mg-e")
             for r, row in enumerate(rows) for end, value in zip(ends, row, strict=True)]
    return path(sides, "mg-bracket") + "".join(cells)


def bars(x: float, y: float, sample: tuple[float, ...]) -> str:
    """One bar for each number, up where it is positive; the longest is the largest."""
    most = max((abs(v) for v in sample if math.isfinite(v)), default=0) or 1
    sticks = [("V", y - 14 * max(-1, min(1, v / most)) if math.isfinite(v) else y) for v in sample]
    line = "".join(d("M", x + 6 * k + 3, y, *stick) for k, stick in enumerate(sticks))
    return path(d("M", x, y, "h", 6 * len(sample)), "mg-bracket") + path(line, "mg-bars")


def scissors(b: Box) -> str:
    """A pair of scissors, open to the right."""
    left, mid = b.x + 4, b.cx - 1
    ends = (left + 2, b.cy - 4, "L", b.right, b.cy + 6, "M", left + 2, b.cy + 4, "L", b.right, b.cy - 6)
    eyes = "".join(circle(left, b.cy + y, 3.4, "mg-eye") for y in (-6, 6)) + circle(mid, b.cy, 1, "mg-eye")
    return rect(Box(b.x, b.cy - 5, b.w, 10), 2, "mg-page") + path(d("M", *ends), "mg-blade") + eyes


def octagon(b: Box, cut: float, kind: str = "mg-shape") -> str:
    """A stop sign of the size of a box."""
    xs, ys = (b.x, b.x + cut, b.right - cut, b.right), (b.y, b.y + cut, b.bottom - cut, b.bottom)
    turns = ((1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1))
    return tag("polygon", points=" ".join(f"{num(xs[i])},{num(ys[j])}" for i, j in turns), kind=kind)


def bang(x: float, y: float, r: float) -> str:
    """A small stop sign with an exclamation mark."""
    return octagon(Box(x - r, y - r, 2 * r, 2 * r), r * 0.586, "mg-octagon") + text(x, y + 5, "!", "mg-bang mg-c")


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


LEGEND: dict[str, Callable[[Box], str]] = {
    "box": lambda b: group("mg-box", toggle(b, "+")), "frame": lambda b: group("mg-box", toggle(b, "−")),
    "chip": lambda b: group("mg-leaf", half(b.cx, b.x, b.y, b.bottom)) + group(
        "mg-acc", half(b.cx, b.right, b.y, b.bottom)),
    "cutting": lambda b: group("mg-scissors", scissors(Box(b.x + 7, b.y - 1, 20, 20))),
    "ghost": _card("mg-ghost"), "loop": _arrow("mg-forward", "forward"), "failed": _card("mg-op mg-refused", 9),
    "op": _card("mg-op", 9), "op_forward": _card("mg-op", 9), "next": _arrow("mg-record", "record", True),
    "gradient": _arrow("mg-backward", "backward", True), "data": _arrow("mg-forward", "forward"),
    "none": lambda b: path(d("M", b.right, b.cy, "H", b.x + 10), "mg-record") + circle(b.x + 5, b.cy, 5, "mg-ring"),
    "cut": _arrow("mg-record mg-cut", "", True), "leaf": _card("mg-leaf"), "constant": _card("mg-constant"),
    "nonleaf": _card("mg-nonleaf"), "lost": _card("mg-nonleaf mg-lost"), "gradfn": _arrow("mg-gradfn", "gradfn"),
    "acc": lambda b: group("mg-acc", drawer(b, 6) + path(d("M", b.x + 11, b.cy + 2, "h 12"), "mg-handle")),
    "ref": _card("mg-leaf", 9), "saved": lambda b: group("mg-saved", note(b)),
    "more": lambda b: group("mg-saved", note(b) + text(b.cx - 1, b.cy + 4.5, "+n", "mg-c")),
    "freed": lambda b: group("mg-freed", note(b) + path(d("M", b.x + 6, b.cy, "H", b.right - 7), "mg-strike")),
    "stale": lambda b: bang(b.cx, b.cy, 10), "hook": lambda b: group("mg-hook", gate(b)),
    "copy": lambda b: group("mg-copy", "".join(rect(Box(b.x + x, b.y + y, 29, 14), 3, "mg-sheet")
                                               for x, y in ((5, 0), (0, 4)))),
    "join": lambda b: group("mg-join", join(b.cx, b.cy)), "order": lambda b: group("mg-order", badge(b, "")),
    "planned": lambda b: group("mg-order", badge(b, "1", False)),
    "sum": _card("mg-sum", 9), "expand": _card("mg-expand", 9), "marked": _card("mg-op mg-marked", 9),
    "shares": lambda b: path(d("M", b.x + 10, b.cy, "H", b.right), "mg-shares") + diamond_end(b.x, b.cy, 5),
    "view": lambda b: group("mg-nonleaf mg-view", tab(b, 14, 4))}
