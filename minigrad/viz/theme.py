"""Colours, fonts and text widths of the pictures: one hue for one meaning, in light and dark.

A token of `static/theme.toml` is a custom property (`--mg-leaf-fill`). A static picture gets the stylesheet with its
colours written in; the player gets `var(...)` and switches `variables("dark")` on and off.
"""

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"

_THEME = tomllib.loads((STATIC / "theme.toml").read_text("utf-8"))
FONTS: dict[str, str] = _THEME["fonts"]
TOKENS: dict[str, list[str]] = _THEME["colours"]  # light, dark


def script(name: str) -> str:
    """A widget's module."""
    return "".join((STATIC / part).read_text("utf-8") for part in ("elements.js", name))


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
    return rules if theme is None else ("" if fixed else FOLLOWING) + inside(f".mg-{theme}", rules)


def inside(place: str, rules: str) -> str:
    """Rules of CSS, for what is inside of a place alone."""
    return re.sub(r"([^{}]+)\{", lambda m: ",".join(f"{place} {one}" for one in m[1].split(",")) + "{", rules)


def rules_within(root: str) -> str:
    """The rules of the pictures, for those inside a widget that has the custom properties."""
    return inside(f":where({root} svg.mg-graph)", stylesheet(None))


_EM: list[dict[str, float]] = [{c: float(em) for em, chars in _THEME[weight].items() for c in chars}
                               for weight in ("regular", "bold")]


@lru_cache(8192)
def width(text: str, size: float = 13, bold: bool = False, mono: bool = False) -> float:
    """How wide a text runs in px, in the wider of the two fonts that most readers have."""
    return size * sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.61 if mono else _EM[bold].get(c, 0.72)
                      for c in text)


def shorten(text: str, limit: float, size: float = 13, bold: bool = False) -> str:
    """Cut with an ellipsis what would run wider than `limit` px."""
    most = int(limit / size / 0.28) + 2  # as many of the narrowest letters fit
    if len(text) <= most and width(text, size, bold) <= limit:
        return text
    text = text[:most]
    while text and width(text + "…", size, bold) > limit:
        text = text[:-1]
    return text + "…"
