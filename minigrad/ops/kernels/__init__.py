"""What rows compute, as functions of arrays; parts of derivatives, which run on arrays, tensors and symbols.

A function whose first parameter is `F` is such a part: rows call it as `F.part(...)`. A rule is written with what it
computes, unless `@formula(...)` says how. A parameter without a type is an array; in parts also a tensor or a symbol.
"""

from functools import partial
from inspect import isfunction

from ...core.carriers import RAW, formula
from ...text.tex import SYMBOLS
from . import activation, conv, index, linalg, loss, pointwise, reduce, shape

for _chapter in (activation, conv, index, linalg, loss, pointwise, reduce, shape):
    for _name, _part in vars(_chapter).items():
        is_part = _name[0] != "_" and isfunction(_part) and _part.__code__.co_varnames[:1] == ("F",)
        if is_part and not hasattr(RAW, _name):
            SYMBOLS.parts[_name] = partial(formula()(_part), SYMBOLS)
