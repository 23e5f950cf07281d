"""Declaring a row: `op(name, forward, input=derivative, ...)` returns its callable.

A row of the table is the op: everything else is read off it (`row`), run by one of the `shapes`, and
put where formulas (`carriers`), tests and pictures find it (`TABLE`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .carriers import RAW, SYMBOLS, TENSORS, phrase
from .row import TABLE, Row, parameters
from .shapes import binary, nary, sequence, shape_mismatch, single, unary, view_shape

__all__ = ["TABLE", "Row", "no_derivative", "op", "shape_mismatch"]


_UNARY = {"self", "result", "self_sym_sizes", "self_sym_numel"}


def op(name: str, forward: Callable, /, *, view: Any = False, transparent: bool = False, tex: Any = None,
       **declared: Any) -> Callable:
    """Declare a row and return its callable; see the module's docstring.

    `view`: the result shares the storage of `self`; a string names why it may not be written, see `views`.
    `transparent`: the row's TeX is its forward, written out. `tex`: how a call of the row is written in the
    rules of others, a template (see `phrase`) or a function of symbols. What else is `declared`, derivatives and
    options, is the row's own: see `Row`.
    """
    row = Row(name, forward, **declared)
    if transparent:
        setattr(SYMBOLS, name, forward)
    if tex is not None:
        setattr(SYMBOLS, name, phrase(tex) if isinstance(tex, str) else tex)
    if row.inputs[0] == "tensors":
        call = sequence(row)
    elif view is not False:
        call = view_shape(row, "" if view is True else view)
    elif row.inputs == ("self",) and not row.outputs and set(row.saved) <= _UNARY:
        call = unary(row)
    elif row.inputs == ("self", "other") and len(row.derivatives) in (0, 2) and not row.elementwise:
        call = binary(row)
    elif row.tensors == ("self",) == row.inputs[:1] and not (row.outputs or row.multi or row.elementwise):
        call = single(row)
    else:
        call = nary(row)
    return publish(row, call)


def publish(row: Row, call: Callable) -> Callable:
    """Put a row and its callable where the carriers, the tests and the pictures find them."""
    call.__name__ = call.__qualname__ = row.name
    # code of its own: Python adapts it to the row's own node, and tracebacks name the operation
    call.__code__ = call.__code__.replace(co_name=row.name)
    call.__doc__ = _doc(row)
    if inspect.isfunction(row.forward):
        call.__wrapped__ = row.forward  # type: ignore[attr-defined]  # where `help` finds the signature
    call.row = row  # type: ignore[attr-defined]
    row.call = call
    TABLE[row.name] = row
    setattr(TENSORS, row.name, call)
    setattr(RAW, row.name, row.forward)
    return call


def _doc(row: Row) -> str:
    rules = [f"    {name}: {_source(d)}" for name, d in row.derivatives.items()]
    where = getattr(row.forward, "__code__", None) or next(
        (d.__code__ for d in row.derivatives.values()), None)
    place = f"\n\nRow: {where.co_filename}:{where.co_firstlineno}" if where else ""
    node = f"grad_fn: {row.grad_fn}\n" if row.derivatives else "Not differentiable.\n"
    return (row.doc or f"`{row.name}`, as torch has it.") + "\n\n" + node + "\n".join(rules) + place


def _source(formula: Callable) -> str:
    return "grad · " + ", ".join(p for p in parameters(formula) if p != "grad")


def no_derivative(name: str, forward: Callable, aten: str, **declared: Any) -> Callable:
    """A row that is recorded but cannot be differentiated: backward says `aten` is not implemented."""

    def apply(n: Any, grad: Any, F: Any, keep: bool) -> tuple:
        raise RuntimeError(f"derivative for aten::{aten} is not implemented")

    call = op(name, forward, elementwise=True, **dict.fromkeys(("self", "other"), lambda F: F.refuse(aten)),
              grad_fn="NotImplemented", torch_name="torch::autograd::NotImplemented", **declared)
    call.row.node.apply = apply  # type: ignore[attr-defined]
    return call
