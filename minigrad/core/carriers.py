"""Three carriers of one formula: raw arrays, tensors, and symbols that print TeX.

A derivative is written once, `lambda F, grad, self: grad * F.cos(self)`. The engine passes `F = RAW`
and arrays; under `create_graph` it passes `F = TENSORS` and tensors, whose operations are recorded;
`text.tex` passes `F = SYMBOLS` and symbols, and gets the rule that a learner reads. `op` puts the rows into them,
`formula` what else derivatives are made of.
"""

import functools
from collections.abc import Callable
from typing import Any

from ..text.tex import SYMBOLS, phrase


class Carrier:
    """A namespace of operations on one kind of value; attributes are set as rows are declared."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return self.__name__


RAW: Any = Carrier("RAW")
TENSORS: Any = Carrier("TENSORS")


def formula(tex: Callable | str = "", binds: int = 4) -> Callable:
    """Declare a part of derivatives, `part(F, ...)`, so that a row can write `F.part(...)`.

    Arrays and tensors run it with their own `F`, and so do symbols, which print what it computes, unless `tex` says
    how: a template, with how strongly it `binds` (see `phrase`), or a function of symbols.
    """

    def declare(part: Callable) -> Callable:
        name = part.__name__
        for carrier in (RAW, TENSORS):
            setattr(carrier, name, functools.partial(part, carrier))
        if tex:
            setattr(SYMBOLS, name, phrase(tex, binds) if isinstance(tex, str) else tex)
        return part

    return declare
