"""Declaring a row: `op(name, forward, input=derivative, ...)` returns its callable.

A row of the table is the operation: everything else is read off it (`row`), made a function (`record`),
and put where formulas (`carriers`), tests and pictures find it (`TABLE`).
"""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

from ..text.presentation import error
from ..text.tex import SYMBOLS, phrase
from .beside.refusals import shape_mismatch
from .carriers import RAW, TENSORS
from .record import call_of_list, call_of_tensors, call_of_two, call_of_view
from .row import TABLE, Row

__all__ = ["TABLE", "Row", "composite", "no_derivative", "op", "shape_mismatch"]


def quicker(name: str, call: Callable, row: Row | None = None, kind: Callable | None = None) -> Callable:
    """The call to publish. Where `quick` is present, its `__init__.py` puts a function here that knows quicker ones."""
    return call


def op(name: str, forward: Callable, /, *, view: Any = False, transparent: bool = False, tex: Any = None,
       **declared: Any) -> Callable:
    """Declare a row and return its callable; see the module's docstring.

    `view`: the result shares the storage of `self`; a string names why it may not be written, see `views`.
    `transparent`: the row's TeX is its forward, written out. `tex`: how a call of the row is written in the rules of
    others, a template (see `phrase`) or a function of symbols. What else is `declared` is the row's own: see `Row`.
    """
    row = Row(name, forward, **declared)
    row.view = view is not False
    if transparent or tex is not None:
        setattr(SYMBOLS, name, forward if transparent else phrase(tex) if isinstance(tex, str) else tex)
    if row.inputs[0] == "tensors":
        kind: Callable = call_of_list
    elif view is not False:
        kind = functools.partial(call_of_view, kind="" if view is True else view)
    elif row.inputs == ("self", "other") and len(row.derivatives) in (0, 2) and not row.elementwise:
        kind = call_of_two
    else:
        kind = call_of_tensors
    call = titled(kind(row), name)
    call.row = row  # type: ignore[attr-defined]  # for whoever intercepts it
    return publish(row, quicker(name, call, row, kind))


def titled(call: Callable, name: str, doc: str | None = None) -> Callable:
    """What another function made, with name, `help` and code of its own: Python adapts it to the row's own node."""
    call.__name__ = call.__qualname__ = name
    call.__code__ = call.__code__.replace(co_name=name)
    call.__doc__ = doc
    return call


def publish(row: Row, call: Callable) -> Callable:
    """Put a row and its callable where the carriers, the tests and the pictures find them."""
    titled(call, row.name, row.doc or f"`{row.name}`, as torch has it.")
    if inspect.isfunction(row.forward):
        call.__wrapped__ = row.forward  # type: ignore[attr-defined]  # where `help` finds the signature
    call.row = row  # type: ignore[attr-defined]
    row.call = call
    TABLE[row.name] = row
    setattr(TENSORS, row.name, call)
    setattr(RAW, row.name, row.forward)
    frame: Any = sys._getframe(1)
    while frame.f_code.co_filename == __file__:
        frame = frame.f_back
    row.place = frame.f_code, frame.f_lasti  # where it is declared, which `help` shows
    row.chapter = frame.f_globals["__name__"].rpartition(".")[2]
    return call


def composite(call: Callable) -> Callable:
    """Declare a function of several rows that formulas may call by its name, as `F.matmul`."""
    call = titled(quicker(call.__name__, call), call.__name__, call.__doc__)
    setattr(TENSORS, call.__name__, call)
    return call


def no_derivative(name: str, forward: Callable, **declared: Any) -> Callable:
    """A row that is recorded but not differentiated: backward says so, also where no edge wants a gradient."""

    def apply(n: Any, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple:
        raise error(RuntimeError, "no_derivative", f"derivative for aten::{name} is not implemented", node=n, name=name)

    def only_wanted(n: Any, *_: Any) -> None:  # as torch, which lists no other operand here
        n.edges = tuple(edge for edge in n.edges if edge is not None)

    call = op(name, forward, elementwise=True, grad_fn="NotImplemented", torch_name="torch::autograd::NotImplemented",
              **dict.fromkeys(("self", "other"), lambda F: F.refuse(name)), **declared)  # type: ignore[arg-type]
    call.row.node.apply, call.row.save = apply, only_wanted  # type: ignore[attr-defined]
    return call
