"""What `help` says of a function, put together when somebody asks: importing pays nothing for it.

The rows behind a function are shown as they are written, since no sentence says more.
"""

from __future__ import annotations

import dis
import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice, pairwise
from textwrap import dedent, indent
from types import FunctionType, ModuleType
from typing import Any

from ..array.backend import xp
from ..core.carriers import Carrier
from ..core.row import Row
from ..text import presentation

_PACKAGE = __name__.partition(".")[0]
_SIZES = [(2, 3), (3,), (3,)], [(2, 3), (3, 4)], [(2, 2), (2,)], [(3,), (3,)], [(1, 2, 3), (1, 3, 4)]


def face(module: str, names: dict[str, Any]) -> tuple[Callable, Callable]:
    """A module's `__getattr__` and `__dir__`: advice for what it lacks, and what Tab shows. It gets its manuals too."""
    document(names.values())
    public = names.get("__all__") or [n for n, value in names.items() if n[0] != "_" and ours(value)]
    return presentation.adviser(module, public), lambda: sorted(public)


def ours(value: Any) -> bool:
    return str(getattr(value, "__module__", None)).startswith(_PACKAGE)


def document(values: Iterable[Any]) -> None:
    """Give a manual and a signature to the functions of this package among the values, and to those of its classes."""
    for value in values:
        if isinstance(value, type) and ours(value):
            document(vars(value).values())
        elif value.__class__ is FunctionType and value.__module__.startswith(_PACKAGE):
            if value.__doc__.__class__ is not Manual:  # as that of a function which this one wraps
                value.__doc__ = Manual(value.__doc__ or "")
                value.__doc__.function = value  # type: ignore[attr-defined]
            value.__signature__ = Signature.__new__(Signature)  # type: ignore[attr-defined]
            value.__signature__.function = value  # type: ignore[attr-defined]


class Bare(str):
    """An annotation that is printed without quotes."""

    __repr__ = str.__str__


class Signature(inspect.Signature):
    """Made when it is read: annotations stand as in the source, without `Any`, and torch's functions take `input`."""

    __slots__ = ("function",)

    def __getattr__(self, slot: str) -> Any:
        if slot not in inspect.Signature.__slots__:
            raise AttributeError(slot)
        del self.function.__signature__  # or the next line would ask here again
        found, first = inspect.signature(self.function), self.function.__code__.co_varnames[:1]
        self.function.__signature__ = self
        names = {"self": "input"} if first == ("input",) else {}
        self.__init__([p.replace(name=names.get(p.name, p.name), annotation=said(p.annotation))
                       for p in found.parameters.values()], return_annotation=said(found.return_annotation))
        return getattr(self, slot)


def said(annotation: Any) -> Any:
    is_text = isinstance(annotation, str)
    return inspect.Signature.empty if annotation in ("Any", Any) else Bare(annotation) if is_text else annotation


class Manual(str):
    """A docstring that goes on to the rows behind its function."""

    __slots__ = ("function",)

    def __str__(self) -> str:
        return "\n\n".join([inspect.cleandoc(str.__str__(self)), *map(told, rows_of(self.function))])

    def expandtabs(self, tabsize: Any = 8) -> str:  # so `inspect.getdoc` begins
        return str(self).expandtabs(tabsize)


def rows_of(function: Any, depth: int = 3) -> list[Row]:
    """The row that a function is; or those that its code names; or else those of the functions that it names."""
    function = inspect.unwrap(function, stop=lambda f: hasattr(f, "row"))
    if hasattr(function, "row") or not depth:
        return [function.row] if depth else []
    seen, named = inspect.getclosurevars(function), []
    for one, then in pairwise(dis.get_instructions(function)):
        if one.opname in ("LOAD_GLOBAL", "LOAD_DEREF"):
            value = {**seen.globals, **seen.nonlocals}.get(one.argval)
            named.append(getattr(value, str(then.argval), None) if isinstance(value, ModuleType | Carrier) else value)
    named = [f for f in named if isinstance(f, FunctionType)]
    rows = [f.row for f in named if hasattr(f, "row")] or [row for f in named for row in rows_of(f, depth - 1)]
    return list(dict.fromkeys(rows))


def told(row: Row) -> str:
    """A row: what comes of trying it, its node, and its source with the derivatives that it shares with others."""
    code, at = row.place
    first, last, *_ = next(islice(code.co_positions(), at // 2, None))
    texts = ["".join(linecache.getlines(code.co_filename)[first - 1 : last])]
    shared = (inspect.getsource(d) for d in row.derivatives.values())
    texts += dict.fromkeys(text for text in shared if text.strip() not in texts[0])
    node = f"grad_fn: {row.grad_fn}" if row.derivatives else "No derivative."
    source = "".join(indent(dedent(text), "    ") for text in texts)
    return "\n".join([*tried(row), node, f"{code.co_filename}:{first}", "", source.rstrip()])


def tried(row: Row) -> Iterator[str]:
    """What the forward makes of shapes that fit it, and what it says to types that it refuses."""
    names = [f"`{name}`" for name in row.tensors or row.inputs]
    if row.view:
        yield "A view of `self`."
    if {"generator", "tensors"} & {*row.inputs}:
        return  # no number is drawn for a manual, and a list is no array
    for sizes in _SIZES:
        sizes = sizes[: len(names)]
        with suppress(Exception):
            shape = row.forward(*map(xp.ones, sizes)).shape
            fits = " and ".join(names) + " broadcast." if names[1:] else "The shape of `self`."
            yield fits if shape == (2, 3) else f"{', '.join(map(str, sizes))} -> {shape}"
            for kind in ("int64", "bool"):
                try:
                    row.forward(*(xp.ones(size, kind) for size in sizes))
                except NotImplementedError as refused:
                    yield f"Raises: NotImplementedError: {refused}"
            return
