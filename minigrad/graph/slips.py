"""Slips: what a program that runs may not have been meant to do.

Each is a fact that a record or the text bears out; only its cure has an "if". What the text alone tells are the rules
that begin with `^habit`.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..core.graph import Freed, TensorBase, node_of
from ..text import table
from .cuts import root_of
from .findings import Finding, finding, keyword, receiver, with_keyword
from .leaves import last_backward
from .live import nodes_of
from .matching import by_rule
from .program import Context, called, expression, feeding, source_of


def slips(own: list[Any], context: Context, asked: Any = None) -> Iterator[Finding | None]:
    """All slips that are found; `own`: the tensors in question, those of a module or an optimizer `asked`, perhaps."""
    results = {name: t for name, t in context.names.items() if isinstance(t, TensorBase) and t.grad_fn is not None}
    yield from (total(t, name) for name, t in results.items())
    yield from (goal(t, context) for t in results.values())
    yield first_order(context)
    named = [(name, v) for name, v in context.names.items() if hasattr(type(v), "named_parameters")]
    for a, b in ((a, b) for a, v in named for b, other in named if v is other and a != b):
        yield by_rule(f"same: {a} {b}", None, context)
    yield by_rule(f"habit:{' eval' * (not getattr(asked, 'training', True))}", None, context)


def uphill(leaf: Any, context: Context) -> Finding | None:
    """A step by hand that goes along the gradient, where the loss grows."""
    for code, *at in (line for line in leaf._shared_counter()[:0:-1] if line and line[0] is not None):
        source = source_of(code)
        statement = source.statement(node) if (node := expression(code, *at)) is not None else None
        step: Any = getattr(statement, "value", None)
        around = Context(source, source.function(statement), names=context.names)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add | ast.Sub):
            sign, new = (1, "-=") if isinstance(statement.op, ast.Add) else (-1, "+=")
            text = f"{source.text(statement.target)} {new} {source.text(step)}"
        elif called(step) in ("add_", "sub_"):
            sign, new = (1, "sub_") if called(step) == "add_" else (-1, "add_")
            alpha, text = keyword(step, "alpha"), source.text(step).replace(f".{called(step)}(", f".{new}(")
            sign *= direction(alpha, around) if alpha is not None else 1
            step = step.args[0]
        else:
            sign, text = 1, ""
        if step is not None and sign * direction(step, around) > 0:
            return finding("uphill", around, statement, *[(statement, text)] * bool(text))
    return None


def direction(step: Any, context: Context) -> int:
    """Whether an expression goes along a gradient, 1, or against it, -1; of a number its sign; 0 if it is not known."""
    if isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub):
        return -direction(step.operand, context)
    if isinstance(step, ast.BinOp):
        left, right = direction(step.left, context), direction(step.right, context)
        minus = -1 if isinstance(step.op, ast.Sub) else 1
        sides = [sign for sign, part in ((left, step.left), (minus * right, step.right)) if "grad" in ast.unparse(part)]
        return left * right if isinstance(step.op, ast.Mult | ast.Div) else sides[0] if len(sides) == 1 else 0
    if isinstance(step, ast.Call | ast.Attribute):
        inner = receiver(step)  # of its sign(), its data
        return 1 if getattr(step, "attr", "") == "grad" else 0 if inner is step else direction(inner, context)
    number = getattr(step, "value", context.value(step))
    return (number > 0) - (number < 0) if isinstance(number, int | float) else 0


def total(t: Any, name: str) -> Finding | None:
    """A sum that one line adds to again and again, of results whose graphs several calls of backward have freed."""
    code, lasti = place = place_of(t.grad_fn)
    added, marks, seen = [t.grad_fn], set[Any](), dict[int, Any]()
    for node in added if type(t.grad_fn).__name__ == "AddBackward0" else ():  # grows while it is read
        for n in (n for edge in node.edges if (n := node_of(edge)) is not None):
            if type(n) is type(node) and place_of(n) == place:
                added += [n] * (n not in added)
            else:
                marks |= {m for each in nodes_of([n], seen) for slot in each.frees
                          if isinstance(m := getattr(each, slot), Freed)}
    at = None if code is None or len(added) < 2 or len(marks) < 2 else expression(code, lasti)
    if at is None:
        return None
    source, value = source_of(code), at.value if isinstance(at, ast.AugAssign) else getattr(at, "right", at)
    return finding("total", Context(source), at, (value, f"{source.grouped(value)}.detach()"), name=name)


def place_of(node: Any) -> tuple[Any, int]:
    """Code and instruction of the learner's that made a node."""
    return getattr(node, "code", None), getattr(node, "lasti", 0)


def goal(t: Any, context: Context) -> Finding | None:
    """A loss whose target leads to the same leaf as what is compared with it."""
    for n in nodes_of([t._edge()], {}):
        at = expression(n.code, n.lasti) if n.code is not None and len(n.edges) == 2 and None not in n.edges else None
        pair = [at.left, at.right] if isinstance(at, ast.BinOp) else getattr(at, "args", [])[:2]
        name = pair[1].id if len(pair) == 2 and isinstance(pair[1], ast.Name) else ""
        if name and re.search(table("names")["suspects"]["goals"], name):
            source, ends = source_of(n.code), [{id(e) for m in nodes_of([edge], {}) for e in m.edges
                                                if isinstance(e, TensorBase)} for edge in n.edges]
            around = Context(source, source.function(at), names=context.names)
            for value, there in around.made(name, at) if ends[0] & ends[1] else ():
                change = value, f"{there.source.grouped(value)}.detach()"
                return finding("goal", there, value, change, name=name)
    return None


def first_order(context: Context) -> Finding | None:
    """A gradient without a graph, behind the last backward: for that it is a constant."""
    call, around = last_backward(context) or (None, context)
    for here, there in feeding(root_of(call), around) if call is not None else ():
        for n in (n for n in ast.walk(here) if called(n) == "grad" and keyword(n, "create_graph") is None):
            return finding("first_order", there, n, with_keyword(n, "create_graph=True", there))
    return None
