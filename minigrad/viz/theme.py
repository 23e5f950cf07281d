"""Colours, fonts and text widths of the pictures: one hue for one meaning, in light and dark.

A token is a custom property (`--mg-leaf-fill`). A static picture gets the stylesheet with its
colours written in; the player gets `var(...)` and switches `variables("dark")` on and off.
"""

from __future__ import annotations

import re
import unicodedata

FONTS = {
    "SANS": '"Helvetica Neue",Arial,"Liberation Sans","Noto Sans CJK SC","PingFang SC",'
            '"Microsoft YaHei","DejaVu Sans",sans-serif',
    "CJK": '"Noto Sans CJK SC","PingFang SC","Microsoft YaHei","Helvetica Neue",Arial,sans-serif',
    "MONO": '"DejaVu Sans Mono",Menlo,Consolas,"Noto Sans Mono CJK SC",monospace',
}  # fmt: skip

# token: (light, dark); a kind has a fill and a line
TOKENS = {
    "page": ("#FFFFFF", "#14181F"), "ink": ("#1B2430", "#EEF2F7"), "muted": ("#515C6B", "#AAB5C4"),
    "wire": ("#66717F", "#8D99A9"), "panel": ("#F6F8FA", "#1A2029"), "rule": ("#D3D9E1", "#333D4A"),
    "op-fill": ("#F3E6F0", "#3A2235"), "op": ("#8A2F8A", "#F0A6E0"),
    "leaf-fill": ("#DCEBFA", "#0F3450"), "leaf": ("#0064A8", "#6CBCF5"),
    "constant-fill": ("#EEF0F3", "#262D37"), "constant": ("#6B7686", "#93A0B1"),
    "nonleaf-fill": ("#FFFFFF", "#1D242E"), "nonleaf": ("#3A4656", "#B9C4D2"),
    "acc-fill": ("#DDF1EA", "#0F3A2F"), "acc": ("#00704F", "#43C793"),
    "saved-fill": ("#FFF1D6", "#40300C"), "saved": ("#8F6200", "#F2B84B"),
    "freed-fill": ("#F4F5F6", "#1A1F27"), "freed": ("#6B7686", "#93A0B1"),
    "hook-fill": ("#FFF7B8", "#3A3608"), "hook": ("#5C5200", "#EDE26B"),
    "grad": ("#B02E00", "#FF9A63"), "view-fill": ("#E0F3F3", "#123539"),
    "view": ("#0B5560", "#8FE3E8"), "error-fill": ("#FCE4EC", "#451525"),
    "error": ("#A4133C", "#FF8FA8"),
}  # fmt: skip

# selector: declarations; `$token` is a colour
RULES = """
text{font-family:SANS;font-size:13px;fill:$ink}
.mg-m{fill:$muted}.mg-b{font-weight:700}.mg-c{text-anchor:middle}.mg-e{text-anchor:end}
.mg-cjk{font-family:CJK}
.mg-mono{font-family:MONO;white-space:pre}.mg-name{font-size:15px;font-weight:700}
.mg-t1{font-size:20px;font-weight:700}.mg-t2{font-size:14px;fill:$muted}
.mg-f{font-size:12.5px;fill:$muted}
.mg-halo{paint-order:stroke;stroke:$page;stroke-width:5px;stroke-linejoin:round}
.mg-g{fill:$grad;font-weight:700}.mg-bad{fill:$error;font-weight:700}
.mg-page{fill:$page}.mg-panel{fill:$panel;stroke:$rule;stroke-width:1}
.mg-op>.mg-shape{fill:$op-fill;stroke:$op;stroke-width:1.8}
.mg-leaf>.mg-shape{fill:$leaf-fill;stroke:$leaf;stroke-width:2.2}
.mg-constant>.mg-shape{fill:$constant-fill;stroke:$constant;stroke-width:1.4;stroke-dasharray:5 4}
.mg-nonleaf>.mg-shape{fill:$nonleaf-fill;stroke:$nonleaf;stroke-width:1.2}
.mg-view>.mg-shape{fill:$view-fill;stroke:$view;stroke-width:1.6;stroke-dasharray:none}
.mg-lost>.mg-shape{fill:$page;stroke:$constant;stroke-width:1.2;stroke-dasharray:2 3}
.mg-acc>.mg-shape{fill:$acc-fill;stroke:$acc;stroke-width:1.8}
.mg-handle{fill:none;stroke:$acc;stroke-width:2.4;stroke-linecap:round}
.mg-saved>.mg-shape{fill:$saved-fill;stroke:$saved;stroke-width:1.3}
.mg-freed>.mg-shape{fill:$freed-fill;stroke:$freed;stroke-width:1.3;stroke-dasharray:4 3}
.mg-freed>text{fill:$muted}.mg-strike{fill:none;stroke:$muted;stroke-width:1.3}
.mg-stale>.mg-shape{fill:$error-fill;stroke:$error;stroke-width:2.2}
.mg-octagon{fill:$error}.mg-bang{fill:$page;font-weight:700;font-size:15px}
.mg-hook>.mg-shape{fill:$hook-fill;stroke:$hook;stroke-width:1.5}
.mg-copy>.mg-shape,.mg-copy>.mg-sheet{fill:$page;stroke:$grad;stroke-width:1.3}
.mg-taken{fill:none;stroke:$grad;stroke-width:1.4;stroke-dasharray:2 3}
.mg-sum>.mg-shape{fill:$page;stroke:$grad;stroke-width:1.4;stroke-dasharray:3 3}
.mg-expand>.mg-shape{fill:$page;stroke:$wire;stroke-width:1.4;stroke-dasharray:3 3}
.mg-record{fill:none;stroke:$op;stroke-width:1.8}
.mg-backward{fill:none;stroke:$grad;stroke-width:2.6}
.mg-forward{fill:none;stroke:$wire;stroke-width:1.5}
.mg-gradfn{fill:none;stroke:$muted;stroke-width:1.3}
.mg-dots{fill:none;stroke:$saved;stroke-width:1.6;stroke-dasharray:1.5 4;stroke-linecap:round}
.mg-shares{fill:none;stroke:$view;stroke-width:1.6;stroke-dasharray:7 4}
.mg-diamond{fill:$page;stroke:$view;stroke-width:1.6}
.mg-port{fill:$op}.mg-ring{fill:$page;stroke:$op;stroke-width:1.6}.mg-cut{stroke-dasharray:2 4}
.mg-marked>.mg-shape{stroke:$ink;stroke-width:3.4}.mg-edge.mg-marked>path{stroke-width:4}
.mg-head-record{fill:$op}.mg-head-backward{fill:$grad}.mg-head-forward{fill:$wire}
.mg-head-gradfn{fill:$muted}
"""


def variables(theme: str) -> str:
    """The custom properties of a theme, for the body of a CSS rule."""
    column = ("light", "dark").index(theme)
    return "".join(f"--mg-{name}:{pair[column]};" for name, pair in TOKENS.items())


def stylesheet(theme: str | None) -> str:
    """The rules with the colours of `theme` written in, or as `var(--mg-...)` for None."""
    def colour(match: re.Match) -> str:
        name = match[1]
        return f"var(--mg-{name})" if theme is None else TOKENS[name][theme == "dark"]

    rules = re.sub("SANS|MONO|CJK", lambda m: FONTS[m[0]], RULES).replace("\n", "")
    return re.sub(r"\$([a-z]+(?:-fill)?)", colour, rules)


NARROW, WIDE = frozenset("iIjlftr.,:;'|!()[]{}· -"), frozenset("mwMW@%—…")


def width(text: str, size: float = 13, bold: bool = False, mono: bool = False) -> float:
    """How wide a text runs in px; on the safe side, for nobody measures fonts for us."""
    return size * sum(_em(c, bold, mono) for c in text)


def _em(c: str, bold: bool, mono: bool) -> float:
    if unicodedata.east_asian_width(c) in "WF":
        return 1.0
    if mono:
        return 0.61
    base = 0.34 if c in NARROW else 0.92 if c in WIDE else 0.68 if c.isupper() else 0.57
    return base * (1.05 if bold else 1)


def shorten(text: str, limit: float, size: float = 13) -> str:
    """Cut with an ellipsis what would run wider than `limit` px."""
    if width(text, size) <= limit:
        return text
    while text and width(text + "…", size) > limit:
        text = text[:-1]
    return text + "…"
