"""Rounds of training: what was done to parameters, in which order, and whether anything could come of it.

Read from the diary (`core/beside/ledger`) of the last rounds, as a text with one numbered word for each event; the
rules of `text/rules.ini` that begin with `^events` say which orders are mistakes.
"""

import ast
from dataclasses import replace
from types import GeneratorType
from typing import Any

from ..core.beside import ledger
from ..core.graph import Freed
from . import leaves, numbers
from .cuts import leads_to, root_of
from .findings import Finding, finding, first, keyword, names_in
from .live import nodes_of
from .matching import by_rule
from .owners import missing_from, optimizers, parameters
from .program import Context, called, expression, feeding
from .slips import uphill

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
    if (early := first(used_up) or stale(own, context)) is not None:
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


def stale(own: list[Any], context: Context) -> Finding | None:
    """A result that was computed before the loop, and that backward(retain_graph=True) goes through in each turn."""
    call, around = leaves.last_backward(context) or (None, context)
    loop = around.source.loop(call) if call is not None and keyword(call, "retain_graph") else None
    for here, there in feeding(root_of(call), around) if loop is not None else ():
        for n in (n for n in ast.walk(here) if isinstance(n, ast.Name) and loop in there.source.above(n)):
            t: Any = there.value(n)
            for made, home in there.made(n.id, n) if getattr(t, "grad_fn", None) is not None else ():
                if loop not in home.source.above(made) and any(p is e for node in nodes_of([t._edge()], {})
                                                               for e in node.edges for p in own):
                    return finding("stale_result", home, made, (n, f"({home.source.text(made)})"), name=n.id)
    return None
