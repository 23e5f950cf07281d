"""Colours, fonts and text widths of the pictures: one hue for one meaning, in light and dark.

A token is a custom property (`--mg-leaf-fill`). A static picture gets the stylesheet with its
colours written in; the player gets `var(...)` and switches `variables("dark")` on and off.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"

FONTS = {
    "sans": '"Helvetica Neue",Arial,"Liberation Sans","Noto Sans CJK SC","PingFang SC",'
            '"Microsoft YaHei","DejaVu Sans",sans-serif',
    "cjk": '"Noto Sans CJK SC","PingFang SC","Microsoft YaHei","Helvetica Neue",Arial,sans-serif',
    "mono": '"DejaVu Sans Mono",Menlo,Consolas,"Noto Sans Mono CJK SC",monospace',
}

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
}

def colours(theme: str) -> dict[str, str]:
    """Token -> its colour in "light" or "dark"."""
    return {name: pair[theme == "dark"] for name, pair in TOKENS.items()}


def variables(theme: str) -> str:
    """The custom properties of a theme, for the body of a CSS rule."""
    return "".join(f"--mg-{name}:{colour};" for name, colour in colours(theme).items())


# JupyterLab tells its own theme; elsewhere the system's counts
FOLLOWING = (f".mg-auto{{{variables('light')}}}@media(prefers-color-scheme:dark){{.mg-auto{{{variables('dark')}}}}}"
             f"[data-jp-theme-light=true] .mg-auto{{{variables('light')}}}"
             f"[data-jp-theme-light=false] .mg-auto{{{variables('dark')}}}")


@cache
def stylesheet(theme: str | None) -> str:
    """`static/picture.css` with the colours of `theme` written in, or as `var(--mg-...)` for None.

    A theme's rules hold in its own pictures only; "auto" has both themes and follows the page.
    """
    fixed = theme in ("light", "dark")
    written = FONTS | colours(str(theme)) if fixed else FONTS
    rules = re.sub(r"/\*.*?\*/|\n", "", (STATIC / "picture.css").read_text("utf-8"))
    rules = re.sub(r"var\(--mg-([a-z-]+)\)", lambda m: written.get(m[1], m[0]), rules)
    if theme is None:
        return rules
    rules = re.sub(r"([^{}]+)\{", lambda m: ",".join(f".mg-{theme} {one}" for one in m[1].split(",")) + "{", rules)
    return rules if fixed else FOLLOWING + rules


def rules_within(root: str) -> str:
    """The rules of the pictures, for those inside a widget that has the custom properties."""
    def inside(rule: re.Match[str]) -> str:
        selectors = (f":where({root} svg.mg-graph) {one}" for one in rule[1].split(","))
        return f"{','.join(selectors)}{rule[2]}"

    return re.sub(r"([^{}]+)(\{[^{}]*\})", inside, stylesheet(None))


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
    most = int(limit / size / 0.34) + 2  # as many of the narrowest letters fit
    if len(text) <= most and width(text, size) <= limit:
        return text
    text = text[:most]
    while text and width(text + "…", size) > limit:
        text = text[:-1]
    return text + "…"
