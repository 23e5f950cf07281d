"""Rounds of training: what was done to parameters, in which order, and whether anything could come of it; and slips of
programs that run, facts whose cure has an "if".

Read from the diary (`core/beside/ledger`) of the last rounds, as a text with one numbered word for each event; the
rules of `text/rules.ini` that begin with `^events` say which orders are mistakes.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from types import GeneratorType
from typing import Any

from ..core.beside import ledger
from ..core.graph import Freed, TensorBase, node_of
from ..text import table
from . import leaves, numbers
from .cuts import root_of
from .findings import Finding, by_rule, finding, first, keyword, receiver, with_keyword
from .leaves import last_backward, missing_from, optimizers
from .live import nodes_of, parameters
from .program import Context, called, expression, feeding, source_of

BY_MODE = ("Dropout", "BatchNorm")  # layers that compute something else in training
TINY = 1e-6  # of the rate that an optimizer began with: no step with less is to be seen


def events(own: set[int]) -> tuple[str, list[tuple[Any, ...]]]:
    """What happened to the tensors with these ids, and the lines; what happened to others is marked as such."""
    words, lines, last = [], list[tuple[Any, ...]](), None
    for what, owner, fact, before, line in [*ledger.diary, ("", bool, None, Freed.current, (None,))]:
        if before is not last and before.code is not None:
            words.append(called(expression(before.code, before.lasti)) or "backward")
            lines.append((before.code, before.lasti))
        last, target = before, owner()
        if line[0] is None:
            continue
        first = getattr(target, "param_groups", [{}])[0]
        if what == "step" and (fact is None or fact <= TINY * first.get("initial_lr", 0)):
            what = "idle" if fact is None else "standing"
        if what == "clip" and not fact:
            what = "unclipped"
        tensors = {id(p) for p in parameters(target)} or {id(target)}
        words.append(what if tensors & own else f"other.{what}")
        lines.append(line)
    return "".join(f" {word}{i}" for i, word in enumerate(words)), lines


def unreached(leaf: Any, name: str, context: Context) -> Finding | None:
    """Why the backward that ran last has not reached a leaf, or what became of its gradient."""
    told, lines = events({id(leaf)})
    found = leaves.unreached(leaf, name, context) or by_rule(f"leaf {name}:{told}", lines, context)
    if found is not None and found.key == "cleared_since":
        return mistake([leaf], context) or uphill(leaf, context) or found
    return found


def wanted(leaf: Any, found: Finding | None, context: Context) -> Finding | None:
    """A finding about a leaf; without its edit, where there are optimizers and none is to train it."""
    held = [id(p) for o in optimizers(context).values() for p in parameters(o)]
    return replace(found, edit=None) if found is not None and held and id(leaf) not in held else found


def mistake(own: list[Any], context: Context, asked: Any = None) -> Finding | None:
    """What the order of events tells of tensors that do not learn; `asked`: the module or optimizer in question."""
    spent = (name for name, v in context.names.items() if isinstance(v, GeneratorType) and v.gi_frame is None)
    used_up = (by_rule(f"spent: {name}", None, context) for name in spent)
    if (early := first(used_up)) is not None:
        return early
    ids = {id(p) for p in own if p.requires_grad}
    every = optimizers(context)
    holding = {name: o for name, o in every.items() if ids & {id(p) for p in parameters(o)}}
    if not holding and any(p.grad is not None for p in own):
        stepped = {owner() for what, owner, *_ in ledger.diary if what == "step"}
        lost = (missing_from(o, context, ids) for o in every.values() if o in stepped)
        return first(lost)
    if len(holding) != 1:
        return None
    (name, optimizer), = holding.items()
    told, lines = events({id(p) for p in parameters(optimizer)} if asked is None or asked is optimizer else ids)
    sums = [p for p in own if p.grad is not None and numbers.sum_of_backwards(p)]
    writes = [line for line in own[0]._shared_counter()[1:] if line and line[0] is not None]
    wrote = "".join(f" {called(expression(*line))}{i}" for i, line in enumerate(writes))
    if (over := by_rule(f"writes:{wrote}", writes, context)) is not None:
        return over
    modes = any(type(m).__name__.startswith(BY_MODE) for m in getattr(asked, "modules", list)())
    marks = " eval" * (not getattr(asked, "training", True) and modes)
    marks += " hand" * any(called(expression(*line)) in ("add_", "sub_", "copy_", "") for line in writes)
    return by_rule(f"events {name}{marks}{' sum' * bool(sums)}:{told}", lines, context)


# ---- slips


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
        if step is not None and ".grad" in ast.unparse(step) and sign * direction(step, around) > 0:
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
