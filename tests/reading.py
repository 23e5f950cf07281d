r"""Reads a rule with its numbers as somebody would type it into NumPy: `0[:, 1:] \leftarrow [[1, 2]]` as an array.

Words are the functions that torch calls so; nothing of minigrad takes part. `Unreadable` for what is none of these.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
CLAIMS = {r"\ge": ">=", r"\le": "<=", r"\lt": "<", r"\ne": "!=", " = ": " == "}


class Unreadable(Exception):
    """What is written has signs that this reader does not know."""


def read(tex: str, shape: tuple[int, ...]) -> np.ndarray:
    """The value of the right side of a rule, whose result has this shape."""
    text = plain(tex)
    if turned := re.fullmatch(r"reshape\((.* (?:\\leftarrow|\\,\+=\\,) .*)\)", text):
        return read(turned[1], (int(np.prod(shape)),)).reshape(shape)
    if written := re.fullmatch(r"(.*) (\\leftarrow|\\,\+=\\,) (.*)", text):
        left = written[1]
        start = max(i for i in range(len(left)) if left[i] == "[" and closing(left, i) == len(left) - 1)
        value, at = np.asarray(value_of(written[3], shape), float), places(left[start + 1:-1], shape)
        made = np.array(np.broadcast_to(value_of(left[:start], shape), shape), float)
        if "+=" in written[2]:
            np.add.at(made, at, value)
        else:
            made[at] = value
        return made
    if taken := re.fullmatch(r"(.*)\[((?:[ijkl], )+\[.*\]|\[.*\](?:, [ijkl])+)\]", text):  # what is there
        whole = np.asarray(value_of(taken[1], shape), float)
        return whole[places(taken[2], whole.shape)]
    return np.asarray(value_of(text, shape), float)


def plain(tex: str) -> str:
    """Without what only the typesetter needs."""
    for old, new in ((r"\left(", "("), (r"\right)", ")"), (r"\left[", "‹"), (r"\right]", "›"), (r"\left\lvert", "abs("),
                     (r"\right\rvert", ")"), ("{:}", ":"), (r"\_", "_"), (r"\text{+=}", "+=")):
        tex = tex.replace(old, new)
    tex = re.sub(r"(-?[\d.]+) \\cdot 10\^\{?(-?\d+)\}?", r"\1e\2", tex)
    tex = re.sub(r"\\mathrm\{dim\}\\:\{(.*?)\}", r"dim=\1", tex)
    tex = re.sub(r"\\(?:mathrm|text)\{(\w+)\}", r"\1", tex)
    return re.sub(r"(?<=[\[, (:])\{(-[\d.e-]+)\}", r"\1", tex)


def closing(text: str, at: int) -> int:
    """Where the bracket that opens at `at` is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += BRACKETS.get(text[i], 0)
        if not depth:
            return i
    raise Unreadable(text)


def arguments(text: str) -> list[str]:
    """What stands between commas that are in no bracket."""
    found, depth = [""], 0
    for c in text:
        depth += BRACKETS.get(c, 0)
        if c == "," and not depth:
            found.append("")
        else:
            found[-1] += c
    return [one.strip() for one in found]


def places(text: str, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """`i, [0, 2]` or `:, 1:3` as NumPy has it; a letter is each place in turn."""
    parts = arguments(text)
    several = next((np.array(eval(part)) for part in parts if part[0] == "["), None)

    def index(k: int, part: str) -> Any:
        if part == r"\ldots":
            return Ellipsis
        if part in "ijkl":
            lies = [-1 if d == k else 1 for d in range(len(parts))]
            return np.arange(shape[k]).reshape(lies if several is not None and several.ndim == len(parts) else -1)
        if ":" in part:
            return slice(*(int(end) if end.strip() else None for end in part.split(":")))
        if re.match("[a-z]", part):  # `diagonal`
            raise Unreadable(part)
        return np.array(eval(part)) if part[0] == "[" else int(part)

    return tuple(index(k, part) for k, part in enumerate(parts))


def as_claim(text: str) -> str:
    for old, new in CLAIMS.items():
        text = text.replace(old, new)
    return " & ".join(f"({one})" for one in text.split(r" \wedge "))


def innermost(text: str, opens: str) -> tuple[int, int]:
    start = text.rindex(opens)
    return start, closing(text, start + len(opens) - 1)


def as_python(text: str) -> str:
    """Cases, claims, fractions, roots, powers and sums as calls."""
    while r"\begin{cases}" in text:
        start = text.rindex(r"\begin{cases}")
        end = text.index(r"\end{cases}", start)
        *rows, last = [row.split(" & ") for row in text[start + 13:end].split(r" \\ ")]
        made = f"({last[0]})"
        for value, claim in reversed(rows):
            made = f"where({as_claim(claim)}, ({value}), {made})"
        text = text[:start] + made + text[end + 11:]
    while "‹" in text:
        start = text.rindex("‹")
        end = text.index("›", start)
        text = f"{text[:start]}(1 * ({as_claim(text[start + 1:end])})){text[end + 1:]}"
    while r"\frac{" in text:
        start, middle = innermost(text, r"\frac{")
        end = closing(text, middle + 1)
        text = f"{text[:start]}(({text[start + 6:middle]}) / ({text[middle + 2:end]})){text[end + 1:]}"
    while "^{" in text:
        start, end = innermost(text, "^{")
        power = text[start + 2:end]
        if power == r"\top":
            text = text[:start] + ".turned" + text[end + 1:]
        elif power == "-1":
            text = text[:start] + ".inverse" + text[end + 1:]
        elif re.search(r"(?<![\w\\])e$", text[:start]):
            text = f"{text[:start - 1]}exp({power}){text[end + 1:]}"
        else:
            text = f"{text[:start]} ** ({power}){text[end + 1:]}"
    while sums := [*re.finditer(r"\\sum(?:_\{(.*?)\})? ", text)]:
        text = with_sum(text, sums[-1])
    text = re.sub(r"\\(?:odot|cdot)", "*", text.replace(r"\; @ \;", "@"))
    text = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", text)
    return re.sub(r"\\(sinh|cosh|sin|cos|tanh|tan|log|sigma) ?", r"\1", text)


def with_sum(text: str, sign: re.Match[str]) -> str:
    """A sum takes the product behind it."""
    depth, end = 0, sign.end()
    while end < len(text) and depth >= 0:
        if not depth and (text[end:end + 3] in (" + ", " - ", " = ") or text[end] == ","):
            break
        depth += BRACKETS.get(text[end], 0)
        end += depth >= 0
    over = sign[1] or "total"
    call = over if over in ("total", "copies") else f"sums({over})"
    if not re.fullmatch(r"total|copies|sums\(dim=.*\)", call):
        raise Unreadable(text)
    return f"{text[:sign.start()]}{call}({text[sign.end():end]}){text[end:]}"


class Array(np.ndarray):
    """Numbers that can be turned over."""

    @property
    def turned(self) -> Any:
        return self.swapaxes(-1, -2) if self.ndim > 1 else self

    @property
    def inverse(self) -> Any:
        return np.linalg.inv(self).view(Array)


def array(numbers: Any) -> Array:
    made = np.array(numbers)
    return (made if made.dtype == bool else made.astype(float)).view(Array)


def index(numbers: Array) -> np.ndarray:
    return np.asarray(numbers if numbers.dtype == bool else numbers.astype(int))


def value_of(text: str, shape: tuple[int, ...]) -> Any:
    """Arithmetic, evaluated."""
    source = as_python(text)
    if "count(" in source:
        source = re.sub(r"(?<=[\])\d]) = ", " == ", source)
    source = re.sub(r"(?<=[\])])\[(\[[^\[\]]*\])\]", r"[index(\1)]", source)
    nested = r"\[\[\[.*?\]\]\]|\[\[[^\[\]]*\](?:, \[[^\[\]]*\])*\]|\[[^\[\]]*\]"
    source = re.sub(rf"(?<![\w\])])(?:{nested})", r"array(\g<0>)", source)
    if re.search(r"[\\{}]", source):
        raise Unreadable(source)

    def expand(x: Any, dim: Any = ()) -> Array:
        x = np.asarray(x, float)
        for d in sorted(d % len(shape) for d in np.atleast_1d(dim).astype(int) if x.ndim < len(shape)):
            x = np.expand_dims(x, d)
        return np.broadcast_to(x, shape).view(Array)

    def copies(x: Any) -> Array:
        while x.ndim > len(shape):
            x = x.sum(0)
        for d, (mine, wanted) in enumerate(zip(x.shape, shape, strict=True)):
            if wanted not in (1, mine):
                raise Unreadable(text)
            x = x if mine == wanted else x.sum(d, keepdims=True)
        return x.view(Array)

    known = {
        "array": array, "index": index, "expand": expand, "copies": copies, "sum": copies, "total": np.sum,
        "sums": lambda dim: lambda x: np.sum(np.asarray(x), dim, keepdims=True).view(Array), "where": np.where,
        "count": lambda claim, *dim: np.sum(claim, *dim, keepdims=True), "numel": np.size,
        "bincount": lambda x: np.bincount(index(x)),
        "size": lambda x, dim: np.shape(x)[dim], "reshape": lambda x: np.reshape(x, shape), "sgn": np.sign,
        "unsqueeze": np.expand_dims, "squeeze": np.squeeze, "cat": np.concatenate, "stack": np.stack, "roll": np.roll,
        "transpose": np.swapaxes, "permute": np.transpose, "tril": np.tril, "triu": np.triu, "flip": np.flip,
        "outer": np.outer, "mean": np.mean, "exp": np.exp, "sqrt": np.sqrt, "abs": np.abs, "log": np.log, "sin": np.sin,
        "cos": np.cos, "sinh": np.sinh, "cosh": np.cosh, "floor": np.floor, "trunc": np.trunc, "flatten": np.ravel,
        "tan": np.tan, "tanh": np.tanh, "sigma": lambda x: 1 / (1 + np.exp(-x)),
        "I": np.eye(*shape[-2:]) if shape else 1, "True": True, "False": False}
    try:
        with np.errstate(all="ignore"):
            return eval(source, {"__builtins__": {}}, known)
    except (NameError, SyntaxError, TypeError) as error:
        raise Unreadable(source) from error
