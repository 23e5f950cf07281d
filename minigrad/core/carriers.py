"""Three carriers of one formula: raw arrays, tensors, and symbols that print TeX.

A derivative is written once, `lambda F, grad, self: grad * F.cos(self)`. The engine passes `F = RAW`
and arrays; under `create_graph` it passes `F = TENSORS` and tensors, whose operations are recorded;
`tex_of` passes symbols and gets the rule that a learner reads. `op` fills RAW and TENSORS.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


class Carrier:
    """A namespace of operations on one kind of value; attributes are set as rows are declared."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return self.__name__


RAW, TENSORS = Carrier("RAW"), Carrier("TENSORS")

# How strongly each kind of TeX binds: a weaker part inside a stronger one gets parentheses.
_SUM, _PRODUCT, _MINUS, _POWER, _ATOM = range(5)

_LETTERS = {"grad": r"\bar y", "self": "x", "result": "y", "other": "b", "exponent": "p",
            "input": "x", "weight": "w", "bias": "b", "mat1": "A", "mat2": "B", "vec": "v",
            "tensor1": "a", "tensor2": "b", "target": "t", "condition": "c", "mask": "m",
            "index": "i", "indices": "i", "alpha": r"\alpha", "beta": r"\beta",
            "self_sym_numel": "n", "negative_slope": r"\lambda", "value": "v"}  # fmt: skip


class Symbol:
    """A value that knows only how it is written."""

    def __init__(self, tex: str, binds: int = _ATOM) -> None:
        self.tex, self.binds = tex, binds

    def at(self, least: int) -> str:
        return self.tex if self.binds >= least else rf"\left({self.tex}\right)"

    def _infix(self, sign: str, other: Any, binds: int, swap: bool = False) -> Symbol:
        left, right = (symbol(other), self) if swap else (self, symbol(other))
        tight = binds + 1 if sign == "-" else binds
        return Symbol(f"{left.at(binds)} {sign} {right.at(tight)}", binds)

    def __add__(self, other: Any) -> Symbol:
        return self._infix("+", other, _SUM)

    def __radd__(self, other: Any) -> Symbol:
        return self._infix("+", other, _SUM, swap=True)

    def __sub__(self, other: Any) -> Symbol:
        return self._infix("-", other, _SUM)

    def __rsub__(self, other: Any) -> Symbol:
        return self._infix("-", other, _SUM, swap=True)

    def __mul__(self, other: Any) -> Symbol:
        return self._infix(r"\odot" if isinstance(other, Symbol) else r"\cdot", other, _PRODUCT)

    def __rmul__(self, other: Any) -> Symbol:
        return self._infix(r"\cdot", other, _PRODUCT, swap=True)

    def __matmul__(self, other: Any) -> Symbol:
        return Symbol(f"{self.at(_PRODUCT)}\\, {symbol(other).at(_PRODUCT)}", _PRODUCT)

    def __truediv__(self, other: Any) -> Symbol:
        return Symbol(rf"\frac{{{self.tex}}}{{{symbol(other).tex}}}")

    def __rtruediv__(self, other: Any) -> Symbol:
        return Symbol(rf"\frac{{{symbol(other).tex}}}{{{self.tex}}}")

    def __pow__(self, other: Any) -> Symbol:
        return Symbol(f"{self.at(_ATOM)}^{{{symbol(other).tex}}}", _POWER)

    def __rpow__(self, other: Any) -> Symbol:
        return Symbol(f"{symbol(other).at(_ATOM)}^{{{self.tex}}}", _POWER)

    def __neg__(self) -> Symbol:
        return Symbol(f"-{self.at(_MINUS)}", _PRODUCT)

    def _claim(self, sign: str, other: Any) -> Symbol:
        return Symbol(rf"\left[{self.tex} {sign} {symbol(other).tex}\right]")

    def __gt__(self, other: Any) -> Symbol:
        return self._claim(">", other)

    def __lt__(self, other: Any) -> Symbol:
        return self._claim("<", other)

    def __ge__(self, other: Any) -> Symbol:
        return self._claim(r"\ge", other)

    def __le__(self, other: Any) -> Symbol:
        return self._claim(r"\le", other)

    def __eq__(self, other: object) -> Symbol:  # type: ignore[override]
        return self._claim("=", other)

    def __ne__(self, other: object) -> Symbol:  # type: ignore[override]
        return self._claim(r"\ne", other)

    def __and__(self, other: Any) -> Symbol:
        return self._infix(r"\wedge", other, _PRODUCT)

    def __or__(self, other: Any) -> Symbol:
        return self._infix(r"\vee", other, _SUM)

    def __invert__(self) -> Symbol:
        return Symbol(rf"\neg {self.at(_POWER)}", _MINUS)

    def __getitem__(self, index: Any) -> Symbol:
        return Symbol(f"{self.at(_ATOM)}_{{{symbol(index).tex}}}")

    __hash__ = None  # type: ignore[assignment]
    __iter__ = None  # type: ignore[assignment]  # or `for x in symbol` would ask for items for ever


def symbol(value: Any) -> Symbol:
    """Any value as a symbol; numbers as they are, names of options in italics."""
    if isinstance(value, Symbol):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int | float):
        return Symbol(str(value), _ATOM if value >= 0 else _MINUS)
    return Symbol(rf"\mathrm{{{value}}}".replace("_", r"\_"))


_FUNCTIONS = {
    "exp": lambda x: Symbol(f"e^{{{x.tex}}}", _POWER),
    "sqrt": lambda x: Symbol(rf"\sqrt{{{x.tex}}}"),
    "abs": lambda x: Symbol(rf"\left|{x.tex}\right|"),
    "where": lambda c, a, b: Symbol(
        rf"\begin{{cases}}{symbol(a).tex} & {symbol(c).tex} \\ {symbol(b).tex} & \text{{else}}"
        r"\end{cases}"),
    "log_number": lambda x: Symbol(rf"\log {x.at(_POWER)}", _PRODUCT),
    "pow_slope": lambda g, x, p: g * (p * x ** (p - 1)),
    "inside": lambda x, low, high: Symbol(
        rf"\left[{symbol(low).tex} \le {x.tex} \le {symbol(high).tex}\right]"),
    "mT": lambda x: Symbol(f"{x.at(_ATOM)}^{{\\top}}", _POWER),
    "relu_backward": lambda g, y: g * (y > 0),
    "zeros_like": lambda _: Symbol("0"),
    "expand": lambda x, *_: x,
    "expand_dims": lambda x, *_: x,
    "reshape": lambda x, *_: x,
    "sum": lambda x, *_, **__: Symbol(rf"\sum {x.at(_PRODUCT)}", _PRODUCT),
    "sum_dim": lambda x, *_, **__: Symbol(rf"\sum {x.at(_PRODUCT)}", _PRODUCT),
}  # fmt: skip
_TEX_NAMES = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "log"}


class _SymbolCarrier:
    """`F` for symbols: known functions print as mathematics, others as `name(arguments)`."""

    def __getattr__(self, name: str) -> Callable:  # where no row has set the name
        return _FUNCTIONS.get(name) or (lambda *args, **kw: self._call(name, args))

    @staticmethod
    def _call(name: str, args: tuple) -> Symbol:
        shown = ", ".join(symbol(a).tex for a in args)
        word = f"\\{name}" if name in _TEX_NAMES else rf"\mathrm{{{name}}}".replace("_", r"\_")
        return Symbol(rf"{word}\left({shown}\right)")


SYMBOLS = _SymbolCarrier()


def formula(tex: Callable | None = None) -> Callable:
    """Declare a part of derivatives, `part(F, ...)`, so that a row can write `F.part(...)`.

    Arrays and tensors run it with their own `F`; symbols print its name, or what `tex(...)` returns.
    """

    def declare(part: Callable) -> Callable:
        name = part.__name__.strip("_")
        for carrier in (RAW, TENSORS):
            setattr(carrier, name, functools.partial(part, carrier))
        if tex is not None:
            _FUNCTIONS[name] = tex
        return part

    return declare


def tex_of(formula: Callable, letters: dict[str, str] | None = None) -> str:
    """The TeX of a derivative: the formula itself, run on symbols."""
    spelled = {**_LETTERS, **(letters or {})}
    names = inspect.signature(formula).parameters
    values = [SYMBOLS if n == "F" else Symbol(spelled.get(n) or symbol(n).tex) for n in names]
    return symbol(formula(*values)).tex
