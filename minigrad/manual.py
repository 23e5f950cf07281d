"""What `help` says of a function, put together when somebody asks: importing pays nothing for it.

The rows behind a function are shown as they are written, since no sentence says more.
"""

import dis
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from textwrap import dedent, indent
from types import FunctionType, ModuleType
from typing import Any

from .array.backend import xp
from .array.dtypes import Word
from .core.carriers import Carrier
from .core.row import Row
from .text import presentation, torch_names

_PACKAGE = __name__.partition(".")[0]
_SIZES = [(2, 3), (3,), (3,)], [(2, 3), (3, 4)], [(2, 2), (2,)], [(3,), (3,)], [(1, 2, 3), (1, 3, 4)]


def face(module: str, names: dict[str, Any]) -> tuple[Callable, Callable]:
    """A module's `__getattr__` and `__dir__`: advice for what it lacks, and what Tab shows. It gets its manuals too.

    If it has no `__all__`, that is what torch's module has of its names.
    """
    document(names.values())
    public = names.setdefault("__all__", sorted(torch_names().get(module, set()) & names.keys()))
    return presentation.adviser(module, public), lambda: sorted(public)


def furnish(*parts: ModuleType) -> None:
    """A `face` for each module of a room, under torch's name for it."""
    for names in map(vars, parts):
        names["__getattr__"], names["__dir__"] = face(names["__name__"].replace(_PACKAGE, "torch", 1), names)


def document(values: Iterable[Any]) -> None:
    """Give a manual and a signature to the functions of this package among the values, and to those of its classes."""
    for value in values:
        if value.__class__ is FunctionType and value.__module__.startswith(_PACKAGE):
            if getattr(value.__doc__, "function", None) is not value:  # else met before, under another name
                value.__doc__ = manual = Manual(str.__str__(value.__doc__ or ""))
                value.__signature__ = signature = Signature.__new__(Signature)
                manual.function = signature.function = value
        elif isinstance(value, type) and value.__module__.startswith(_PACKAGE):
            document(vars(value).values())


class Manual(str):
    """A docstring that goes on to the rows behind its function."""

    __slots__ = ("function",)

    def __str__(self) -> str:
        return "\n\n".join([inspect.cleandoc(str.__str__(self)), *map(told, rows_of(self.function))])

    def expandtabs(self, tabsize: Any = 8) -> str:  # so `inspect.getdoc` begins
        return str(self).expandtabs(tabsize)


class Signature(inspect.Signature):
    """Made when it is read: types as the source has them, without `Any`; a function of torch takes `input`."""

    __slots__ = ("function",)

    def __getattr__(self, slot: str) -> Any:
        if slot not in inspect.Signature.__slots__:
            raise AttributeError(slot)
        del self.function.__signature__  # or the next line would ask here again
        found = inspect.signature(self.function)
        self.function.__signature__ = self
        parts = [p.replace(annotation=said(p.annotation), default=None if p.default is ... else p.default)
                 for p in found.parameters.values()]
        row = getattr(inspect.unwrap(self.function, stop=lambda f: hasattr(f, "row")), "row", None)
        if row is not None and "options" in found.parameters:  # a row without a forward in Python: its inputs
            parts = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in row.inputs]
        if hasattr(self.function, "lifting") or self.function.__code__.co_varnames[:1] == ("input",):
            parts[0] = parts[0].replace(name="input")
        self.__init__(parts, return_annotation=said(found.return_annotation))
        return getattr(self, slot)


def said(annotation: Any) -> Any:
    if annotation in ("Any", Any, inspect.Signature.empty):
        return inspect.Signature.empty
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return Word(re.sub(r"(\w+\.)+", "", text))  # without modules


def rows_of(function: Any, depth: int = 3) -> list[Row]:
    """The row that a function is; or those that its code names; or else those of the functions that it names."""
    function = inspect.unwrap(function, stop=lambda f: hasattr(f, "row"))
    if hasattr(function, "row"):
        return [function.row]
    seen, named = inspect.getclosurevars(function), []
    for one, then in pairwise(dis.get_instructions(function)):
        value = (seen.nonlocals | seen.globals).get(one.argval) if one.opname in ("LOAD_GLOBAL", "LOAD_DEREF") else None
        named.append(getattr(value, str(then.argval), None) if isinstance(value, ModuleType | Carrier) else value)
    inner = [f for f in named if isinstance(f, FunctionType)]
    rows = [f.row for f in inner if hasattr(f, "row")] or [r for f in inner if depth for r in rows_of(f, depth - 1)]
    return list(dict.fromkeys(rows))


def told(row: Row) -> str:
    """A row: what comes of trying it, its node, and its source with the derivatives that it shares with others."""
    code, at = row.place
    first, last, *_ = next(islice(code.co_positions(), at // 2, None))
    texts = ["".join(inspect.findsource(code)[0][first - 1 : last])]
    shared = map(inspect.getsource, row.derivatives.values())
    texts += dict.fromkeys(text for text in shared if text.strip() not in texts[0])
    node = f"grad_fn: {row.grad_fn}" if row.derivatives else "No derivative."
    source = "".join(indent(dedent(text), "    ") for text in texts).rstrip()
    return "\n".join([*tried(row), node, f"{code.co_filename}:{first}", "", source])


def tried(row: Row) -> Iterator[str]:
    """What the forward makes of shapes that fit it, and what it says to types that it refuses."""
    names = [f"`{name}`" for name in row.tensors or row.inputs]
    if row.view:
        yield "A view of `self`."
    for sizes in _SIZES if {"generator", "tensors"}.isdisjoint(row.inputs) else ():  # no number is drawn for a manual
        arrays = [*map(xp.ones, sizes[: len(names)])]
        try:
            shape = row.forward(*arrays).shape
        except Exception:
            continue
        fits = " and ".join(names) + " broadcast." if names[1:] else "The shape of `self`."
        yield fits if shape == (2, 3) else f"{', '.join(str(a.shape) for a in arrays)} -> {shape}"
        for kind in ("int64", "bool"):
            try:
                row.forward(*(a.astype(kind) for a in arrays))
            except Exception as refused:
                if not isinstance(refused, TypeError):  # which is NumPy's
                    yield f"Raises: {type(refused).__name__}: {refused}"
        break
