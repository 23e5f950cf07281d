"""How formulas print: symbols that take part in a derivative, and come out as TeX.

`tex_of` runs a formula on symbols instead of arrays: what a learner reads is what runs. A row or a part of
formulas says how a call of it is written (`phrase`); what says nothing prints as `name(arguments)`.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from typing import Any

from . import table

# How strongly each kind of TeX binds: a weaker part inside a stronger one gets parentheses, and a
# claim that is used as a number (1 where it holds, 0 elsewhere) gets brackets.
_EITHER, _BOTH, _CLAIM, _SUM, _PRODUCT, _MINUS, _POWER, _ATOM = range(-3, 5)


def _between(sign: str, binds: int, swap: bool = False) -> Callable[[Any, Any], Symbol]:
    """An operator that is written between its operands; the right one binds as strongly, after `-` more."""
    return lambda self, other: self._infix(sign, other, binds, swap)


def _claim(sign: str) -> Callable[[Any, Any], Symbol]:
    """A comparison, whose operands need no parentheses."""
    return lambda self, other: Symbol(f"{self:0} {sign} {symbol(other):0}", _CLAIM)


class Symbol:
    """A value that knows only how it is written; of an index also how many dims it has, where somebody knows.

    A number with a sign, or with a power of ten, is put in brackets where a sum is.
    """

    def __init__(self, tex: str, binds: int | None = None, rank: int | None = None) -> None:
        self.tex, self.rank = tex, rank
        self.binds = binds if binds is not None else _SUM if re.match(r"-|[\d.]+ \\cdot", tex) else _ATOM

    def at(self, least: int) -> str:
        if self.binds >= least:
            return self.tex
        left, right = "[]" if self.binds < _SUM <= least else "()"
        return rf"\left{left}{self.tex}\right{right}"

    def is_one(self) -> bool:
        """Whether it is an option that changes nothing; a gradient of 1 has a rank, and is shown."""
        return self.rank is None and self.tex in ("1", "1.0")

    def __format__(self, least: str) -> str:
        return self.at(int(least)) if least else self.tex

    def _infix(self, sign: str, other: Any, binds: int, swap: bool = False) -> Symbol:
        left, right = (symbol(other), self) if swap else (self, symbol(other))
        if binds == _PRODUCT and (left.is_one() or right.is_one()):
            return right if left.is_one() else left
        after = right.at(binds + 1 if sign == "-" else binds)
        after = rf"\left({after}\right)" if after.startswith("-") else after
        return Symbol(f"{left.at(binds)} {sign} {after}", binds)

    __add__, __radd__ = _between("+", _SUM), _between("+", _SUM, swap=True)
    __sub__, __rsub__ = _between("-", _SUM), _between("-", _SUM, swap=True)
    __rmul__ = _between(r"\cdot", _PRODUCT, swap=True)
    __and__, __or__ = _between(r"\wedge", _BOTH), _between(r"\vee", _EITHER)
    __gt__, __ge__ = _claim(">"), _claim(r"\ge")
    __lt__, __le__ = _claim(r"\lt"), _claim(r"\le")  # no `<`: HTML would take it for a tag
    __eq__, __ne__ = _claim("="), _claim(r"\ne")  # type: ignore[assignment]

    def __mul__(self, other: Any) -> Symbol:
        return self._infix(r"\odot" if isinstance(other, Symbol) else r"\cdot", other, _PRODUCT)

    def __matmul__(self, other: Any) -> Symbol:
        return Symbol(f"{self.at(_PRODUCT)}\\, {symbol(other).at(_PRODUCT)}", _PRODUCT)

    def __truediv__(self, other: Any) -> Symbol:
        if symbol(other).is_one():
            return self
        if self.tex.startswith(r"\frac") and self.binds == _POWER:  # no fraction of fractions
            return Symbol(rf"{self} / {symbol(other):4}", _PRODUCT)
        return Symbol(rf"\frac{{{self:0}}}{{{symbol(other):0}}}", _POWER)

    def __rtruediv__(self, other: Any) -> Symbol:
        return Symbol(rf"\frac{{{symbol(other):0}}}{{{self:0}}}", _POWER)

    def __pow__(self, other: Any) -> Symbol:
        return Symbol(f"{self.at(_ATOM)}^{{{symbol(other).tex}}}", _POWER)

    def __rpow__(self, other: Any) -> Symbol:
        return Symbol(f"{symbol(other).at(_ATOM)}^{{{self.tex}}}", _POWER)

    def __neg__(self) -> Symbol:
        return Symbol(f"-{self.at(_PRODUCT)}", _PRODUCT)

    def __invert__(self) -> Symbol:
        return Symbol(rf"\neg \left({self.tex}\right)", _CLAIM)

    def __getitem__(self, index: Any) -> Symbol:
        return Symbol(f"{self.at(_ATOM)}[{symbol(index)}]")

    __hash__ = None  # type: ignore[assignment]
    __iter__ = None  # or `for x in symbol` would ask for items for ever


_NUMBERS = {round(math.log(2), 12): r"\log 2", round(math.log(10), 12): r"\log 10", 1e-12: "10^{-12}",
            round(math.pi, 12): r"\pi", round(2 / math.sqrt(math.pi), 12): r"\frac{2}{\sqrt{\pi}}",
            round(math.sqrt(math.pi) / 2, 12): r"\frac{\sqrt{\pi}}{2}"}


def symbol(value: Any) -> Symbol:
    """Any value as a symbol; numbers as they are, letters in italics, names of options upright."""
    if isinstance(value, Symbol):
        return value
    if isinstance(value, tuple):
        return Symbol(rf"\left({', '.join(symbol(one).tex for one in value)}\right)")
    if value is None:  # an open end of a slice
        return Symbol("")
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(value, int | float):
        known = _NUMBERS.get(round(abs(value), 12), str(abs(value)).replace("nan", r"\text{NaN}"))
        return Symbol(f"-{known}", _MINUS) if value < 0 else Symbol(known)
    name = str(value)
    return Symbol(name if len(name) == 1 else rf"\mathrm{{{name}}}".replace("_", r"\_"))


def phrase(template: str, binds: int = _ATOM) -> Callable[..., Symbol]:
    r"""How a call is written: `{0}` is its first argument, `{0:4}` the same, as an atom.

    `binds`: the whole is as strong as a claim (-1), a sum (0), a product (1), a power (3) or an atom (4).
    `[...]` are the places that an index, dim and sizes name: `y[i]` is read there, `y[i] \leftarrow 0`
    written, `0[i] += y` added to zeros.
    """
    return lambda *args, **_: Symbol(template.format(*map(symbol, args)), binds)


def over(template: str) -> Callable[..., Symbol]:
    """How a mean of windows is written: `{1}` is what the sum of one is divided by, its size if nothing was given."""
    size = Symbol(r"\mathrm{numel}\left(\mathrm{window}\right)")
    return lambda x, *options: phrase(template, 1)(x, number(options[-1]) or size)


def normal_slope(x: Any, approximate: Any) -> Symbol:
    """The derivative of `x` times the normal distribution; of its approximation with tanh, what that is."""
    tex = r"\Phi\left({0}\right) + {0:1} \odot \phi\left({0}\right)"
    if "tanh" in symbol(approximate).tex:
        tex += (r",\quad \phi = \Phi',\, \Phi\left({0}\right) = \frac{{1}}{{2}} \cdot \left(1 + \tanh\left("
                r"\sqrt{{2 / \pi}} \cdot \left({0} + 0.044715 \cdot {0:4}^{{3}}\right)\right)\right)")
    return phrase(tex, 0)(x)


becomes, gains = phrase(r"{0} \leftarrow {1}", 0), phrase(r"{0} \,\text{{+=}}\, {1}", 0)
column = phrase(r"\mathrm{{unsqueeze}}\left({0:4}, -1\right)")  # a number for each row, which would be taken for a row


def part(x: Any, dim: Any, *index: Any) -> Symbol:
    r"""What an index, or the ends and the step of a slice, name along `dim`: `x[:, 2]`, `x[\ldots, 1:3]`; a `dim`
    that is no number is left out."""
    known = number(dim) or 0
    ends = [re.sub("^-.*", r"{\g<0>}", symbol(one).tex) for one in index]  # in braces a sign is close to its number
    here = "{:}".join(ends[:2] if ends[2:] == ["1"] else ends)
    places = ["{:}"] * known + [here] if known >= 0 else [r"\ldots", here, *["{:}"] * (-1 - known)]
    return Symbol(f"{symbol(x):4}[{', '.join(places)}]")


def along(dim: Any) -> Symbol:
    """`dim 1`; nothing where all dims are meant, the word alone where it is no number."""
    known = number(dim)
    return Symbol("" if known == () else r"\mathrm{dim}" if known is None else rf"\mathrm{{dim}}\:{{{known}}}")


def among(x: Any, index: Symbol, dim: Any, others: int = 0) -> Symbol:
    """`x[i, index]`: an index along `dim`, and letters for the dims that it has besides, and for `others`."""
    places: list[Any] = ["i", "j", "k", "l"][:max(1, (index.rank or 0) + others)]
    places[number(dim) or 0 if len(places) > 1 else 0] = index
    return Symbol(f"{symbol(x):4}[{', '.join(symbol(one).tex for one in places)}]")


def unless(x: Any, index: Any, skipped: Any) -> Any:
    """`x`, and 0 where an index is passed over; `x` alone where that is -100, which nobody chose, and not seen."""
    return x * (index != skipped) if number(skipped) != -100 or "-100" in symbol(index).tex else x


def number(value: Any) -> Any:
    """What is spelled as a number, or as a tuple of numbers: an empty one where nothing is; None for a name."""
    try:
        return ast.literal_eval(re.sub(r"\\left|\\right", "", symbol(value).tex) or "()")
    except (ValueError, SyntaxError):
        return None


def side_by_side(several: Any) -> Symbol:
    """Several gradients in brackets; of those that have a name together the first two."""
    return symbol(several if isinstance(several, tuple) else (several[0], several[1], Symbol(r"\ldots")))


def cases(condition: Any, value: Any, other: Any) -> Symbol:
    if (always := symbol(condition).tex) in (r"\text{True}", r"\text{False}"):
        return symbol(value if "True" in always else other)
    first, rest = r"\begin{cases}", symbol(other).tex  # cases in the last case: one list
    rest = rest.removeprefix(first) if rest.startswith(first) else rf"{rest} & \text{{else}}\end{{cases}}"
    return Symbol(rf"{first}{symbol(value)} & {symbol(condition)} \\ {rest}", _SUM)


def shared(x: Any, index: Any, often: Any) -> Symbol:
    """`x`, of which each row is divided by how often its index comes where that is asked for."""
    return cases(often, x / column(SYMBOLS.bincount(index)[index]), x)


_TEX_NAMES = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "Phi", "phi"}


class _SymbolCarrier:
    """`F` for symbols: known functions print as mathematics, others as `name(arguments)`."""

    parts: dict[str, Callable] = {}  # noqa: RUF012 - of derivatives: they are written as what they compute

    def __getattr__(self, name: str) -> Callable:  # where neither a row nor a part has set the name
        return self.parts.get(name) or (lambda *args, **kw: self.call(name, args))

    @staticmethod
    def call(name: str, args: tuple) -> Symbol:
        shown = ", ".join(tex for tex in (symbol(a).tex for a in args) if tex not in ("", "()"))  # no dims: all
        word = f"\\{name}" if name in _TEX_NAMES else rf"\mathrm{{{name}}}".replace("_", r"\_")
        return Symbol(rf"{word}\left({shown}\right)")


SYMBOLS = _SymbolCarrier()


def tex_of(formula: Callable, letters: dict[str, Any] | None = None) -> str:
    """The TeX of a derivative: the formula itself, run on symbols; None is an option that was not given."""
    spelled = {"F": SYMBOLS} | {
        name: Symbol(tex) if isinstance(tex, str) else tuple(map(Symbol, tex)) if isinstance(tex, tuple) else tex
        for name, tex in {**table("names")["letters"], **(letters or {})}.items() if tex != ""}
    names = formula.__code__.co_varnames[:formula.__code__.co_argcount]
    return symbol(formula(*(spelled.get(n, symbol(n)) for n in names))).tex
