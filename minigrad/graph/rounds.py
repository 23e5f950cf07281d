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
from ..core.graph import Freed, TensorBase, latest
from ..text import presentation
from . import leaves, numbers
from .cuts import leads_to, root_of, tensors_in
from .errors import crossing, regions
from .findings import Finding, by_rule, finding, first, keyword, reads_of, receiver
from .leaves import last_backward, missing_from, named, optimizers
from .live import is_tensor, nodes_of, parameters, stale
from .program import Context, Source, begins, called, expression, feeding, is_cell, is_learners, written
from .snapshot import by_key

BY_HAND = {"Add", "Sub", "add_", "sub_", "copy_"}  # writes that are no step of an optimizer
IDLE = {"requires_grad", "eval", "train", "lr", "momentum", "weight_decay", "betas", "eps"}  # set from outside
QUIET = re.compile("backward|hook|retain_grad|item|tolist|numpy|size|numel|dim|shape|manual_seed|requires_grad_")
TINY = 1e-6  # of the rate that an optimizer began with: no step with less is to be seen


def events(own: set[int]) -> tuple[str, list[tuple[Any, ...]]]:
    """What happened to the tensors with these ids, and the lines; what happened to others is marked as such."""
    words, lines, last = [], list[tuple[Any, ...]](), None
    for what, owner, fact, before, line in [*ledger.diary, ("", bool, None, latest.freed, (None,))]:  # the end
        if before is not last and before.code is not None:
            words.append(called(expression(before.code, before.lasti)) or "backward")
            lines.append((before.code, before.lasti))
        last, target = before, owner()
        if line[0] is None:
            continue
        group = getattr(target, "param_groups", [{}])[0]
        if what == "step" and (fact is None or fact <= TINY * group.get("initial_lr", 0)):
            what = "idle" if fact is None else "standing"
        if what == "clip" and not fact:
            what = "unclipped"
        touched = {*map(id, parameters(target) or [target])}.union(fact if what == "clip" else ())
        words.append(what if own & touched else f"other.{what}")
        lines.append(line)
    return numbered(words), lines


def numbered(words: list[str]) -> str:
    """Words as rules read them, each with its number: " step0 backward1"."""
    return "".join(f" {word}{i}" for i, word in enumerate(words))


def unreached(leaf: Any, name: str, context: Context) -> Finding | None:
    """Why the backward that ran last has not reached a leaf, or what became of its gradient."""
    told, lines = events({id(leaf)})
    found = leaves.unreached(leaf, name, context) or by_rule(f"leaf {name}:{told}", lines, context)
    if getattr(found, "key", "") == "no_use":
        found = first(unread(context, leaf)) or found
    return (mistake([leaf], context) if getattr(found, "key", "") == "cleared_since" else None) or found


def wanted(leaf: Any, found: Finding | None, context: Context) -> Finding | None:
    """A finding about a leaf; without its edit, and in milder words, where it has learned, or there are optimizers and
    none is to train it."""
    held = [id(p) for o in optimizers(context).values() for p in parameters(o)]
    if found is None or (leaf.grad is None and (not held or id(leaf) in held)):
        return found
    return replace(found, edit=None, key={"block": "kept_off", "switched_off": "frozen"}.get(found.key, found.key))


def mistake(own: list[Any], context: Context, asked: Any = None) -> Finding | None:
    """What the order of events tells of tensors that do not learn; `asked`: the module or optimizer in question."""
    facts = [f"spent: {n}" for n, v in named(context).items() if isinstance(v, GeneratorType) and v.gi_frame is None]
    facts += [f"idle{' own' * is_learners(v)}: {name} {word}" for name, v in context.names.items()
              if hasattr(type(v), "zero_grad") for word in IDLE & vars(v).keys()]
    writes = [line for line in own[0]._shared_counter()[1:] if line and line[0] is not None] if own else []
    words = [called(at := expression(*line)) or type(getattr(at, "op", at)).__name__ for line in writes]
    early = first(by_rule(fact, None, context) for fact in facts)
    if (early := early or by_rule(f"writes:{numbered(words)}", writes, context)) is not None:
        return early
    ids, every = {id(p) for p in own if p.requires_grad}, optimizers(context)
    holding = {name: o for name, o in every.items() if ids & {id(p) for p in parameters(o)}}
    if not holding and any(p.grad is not None for p in own):
        stepped = {owner() for what, owner, *_ in ledger.diary if what == "step"}
        lost = first(leaves.unregistered(v, ids) for v in context.names.values() if hasattr(type(v), "named_modules"))
        return lost or first(missing_from(o, context, ids) for o in every.values() if o in stepped)
    if len(holding) != 1:
        told, lines = events(ids.intersection(*({*map(id, parameters(o))} for o in holding.values())))
        return by_rule(f"shared {', '.join(holding)}:{told}", lines, context)
    (name, optimizer), = holding.items()
    told, lines = events({id(p) for p in parameters(optimizer)} if asked is None or asked is optimizer else ids)
    sums = [p for p in own if p.grad is not None and numbers.sum_of_backwards(p)]
    went = getattr(optimizer, "_stepped", False) or getattr(optimizer, "_opt_called", False)
    marks = " earlier" * (len(ledger.diary) == ledger.KEPT) + " stepped" * bool(went)
    marks += " lines" * (len({line for word, line in zip(told.split(), lines, strict=False) if "backward" in word}) > 1)
    marks += " eval" * (not getattr(asked, "training", True) and numbers.differs(asked))
    marks += " whole" * (asked is None or ids == {id(p) for p in parameters(optimizer)})
    hand = any(".grad = " in s.spelled.whole.replace(".grad = None", "") for s in context.sources())
    marks += " hand" * (hand or bool(BY_HAND & {*words})) + " sum" * bool(sums)
    return by_rule(f"events {stepping(name, told, lines, context)}{marks}:{told}", lines, context)


def stepping(name: str, told: str, lines: list[tuple[Any, ...]], context: Context) -> str:
    """What an optimizer is called where its step() stands, if the function of the last backward was given it so."""
    f: Any = (last_backward(context) or (None, context))[1].function
    given = {n.arg for n in ast.walk(f.args) if isinstance(n, ast.arg)} if f is not None else set[str]()
    steps = [expression(*line) for word, line in zip(told.split(), lines, strict=False) if word[:4] in ("step", "idle")]
    return next(iter({ast.unparse(receiver(at)) for at in steps if getattr(at, "args", at) == []} & given), name)


# ---- slips


def slips(own: list[Any], context: Context, asked: Any = None) -> Iterator[Finding | None]:
    """All slips that are found; `own`: the tensors in question, those of a module or an optimizer `asked`, perhaps."""
    yield moved(own, context) or leaves.held_still(context)
    yield from hoarded(context)
    call, around = last_backward(context) or (None, context)
    yield None if call is None else kept_for_all(call, around) or numbers.odd_targets(root_of(call), around)
    behind = (e for n in nodes_of([t.grad_fn for t in own if t.grad_fn is not None], {}) for e in n.edges)
    ends = [*own, *(e for e in behind if isinstance(e, TensorBase))]
    yield None if called(call) != "backward" else leaves.first_order(ends, root_of(call), around)
    yield None if call is None else leaves.bootstrapped(root_of(call), around)
    modules = [(name, v) for name, v in context.names.items() if hasattr(type(v), "named_parameters")]
    for a, v, b, other in ((*one, *two) for one in modules for two in modules if one is not two):
        trained = [any(p.grad is not None for p in m.parameters()) for m in (v, other)]
        one = {*map(id, v.parameters())} == {*map(id, other.parameters())}  # also in a copy that is not deep
        if one or (type(v) is type(other) and trained == [True, False]):
            yield by_rule(f"{'same' if one else 'copied'}: {a} {b}", None, context)
    yield numbers.equal_units(own, context)
    yield from cut_short(own, context)
    flat = (k for k, v in context.names.items() if isinstance(v, TensorBase) and v.grad_fn and not v._array().any())
    yield from (by_rule(f"flat: {name}", None, context) for name in flat)
    yield from dropped(context)
    loss = around.value(root_of(call)) if call else None
    nodes = [*nodes_of([loss._edge()], {})] if isinstance(loss, TensorBase) else []
    yield from numbers.oddities(loss, context.names) if nodes else ()
    met = {id(loss), *(id(e) for n in nodes for e in n.edges)} & {*map(id, own)}
    rules = " own ".join(["", *(type(n).__name__ for n in nodes if met)])
    several = f" of {type(asked if own else None).__name__}"
    yield by_rule(f"habit:{' eval' * (not getattr(asked, 'training', True))}{rules}{several}", None, context)
    files, warned = {source.file for source in context.sources()}, [*presentation.warned_at.items()]
    yield from (numbers.unpaired(code, lasti, [*map(tuple, shapes)][::-1]) for (what, code, lasti), shapes in warned
                if what == "loss_sizes" and code.co_filename in files)
    yield from unread(context)


def moved(own: list[Any], context: Context) -> Finding | None:
    """Where parameters were frozen that keep a gradient, by which the last step moved them on."""
    *_, behind = leaves.reached(context)
    frozen = {id(p) for p in own if not p.requires_grad and p.grad is not None}
    return by_rule(f"moved:{events(frozen)[0]}", None, context) if frozen and behind and not frozen & behind else None


def kept_for_all(call: Any, context: Context) -> Finding | None:
    """What carries its history from turn to turn, where `retain_graph` keeps backward from failing there."""
    loss = context.value(root_of(call))
    nodes = nodes_of([loss._edge()], {}) if isinstance(loss, TensorBase) and keyword(call, "retain_graph") else ()
    # made by one line: of several turns
    places = by_key(((n.code, n.lasti, type(n)), n) for n in nodes)
    twins = [several[-1] for several in places.values() if len(several) > 1]
    found = first(crossing(min(twins, key=lambda n: n.seq), *one) for one in regions(call, context) if twins)
    return replace(found, key="carried_kept") if found is not None and found.key == "carried" else None


def unread(context: Context, leaf: Any = None) -> Iterator[Finding | None]:
    """What nobody reads: arguments of a forward that ran, tensors that a function behind the loss, or a loop of
    training, computes and gives a name, or that a loop last gives the name of what it goes through; of a leaf."""
    call, around = last_backward(context) or (None, context)
    homes = {there.function: there for _, there in feeding(root_of(call), around)} if call else {}
    homes |= {around.function: around}
    for f, there in homes.items() if leaf is None else ():
        for arg in f.args.args[1:] if f is not None and f.name == "forward" else ():
            given = any(is_tensor(t := home.value(n)) and t.numel() > 1 for n, home in there.argument(arg.arg))
            yield finding("unread_argument", there, arg, name=arg.arg) if given and not reads_of(arg.arg, f) else None
    yield from (found for source in context.sources() for found in unread_in(source, context, homes, leaf))


def unread_in(source: Source, context: Context, homes: dict[Any, Context], leaf: Any) -> Iterator[Finding | None]:
    """The same of the names that a source writes."""
    for n in (n for n in source.parents if type(n) is ast.Assign and all(map(str.isidentifier, written(n)))):
        names, home, loops = [name for name in written(n) if name[0] != "_"], source.function(n), source.loops(n)
        around, inside = homes.get(home) or Context(source, home, names=context.names), {*ast.walk(n)}
        out = home and any(isinstance(inner, ast.Global | ast.Nonlocal) for inner in ast.walk(home))
        there = names and (home or loops) and (leaf is None or leads_to(n.value, around, leaf))
        if out or not (there and computes(n.value, around)):
            continue
        regions, name = [home] if home else [cell.tree for cell in Context(source).cells(every=True)], ", ".join(names)
        reads = [r for region in regions for name in names for r in reads_of(name, region)]
        counts = any(isinstance(w, ast.AugAssign) for name in names for w in source.writes[home, name])
        if loops and name in written(loops[0]) and not any(begins(r) > begins(n) for r in reads if r not in inside):
            yield by_rule(f"unread turn: {name}", n.value, around)
        elif home in homes and not (reads or counts) and (home or "backward" in {
                called(inner) for inner in ast.walk(loops[-1])}):
            yield by_rule(f"unread: {name}", n.value, around)


def computes(value: Any, context: Context) -> bool:
    """Whether an expression does nothing but compute of tensors."""
    value = value.value if isinstance(value, ast.Subscript) else value
    callee = context.callee(value.func) if isinstance(value, ast.Call) else None
    ours = hasattr(type(callee), "named_parameters") or (
        getattr(callee, "__module__", "").startswith("minigrad") and not isinstance(callee, type))
    value = getattr(value, "elt", value.args[0] if called(value) == "sum" and value.args else value)
    sums = isinstance(value, ast.BinOp | ast.UnaryOp | ast.GeneratorExp)
    plain = hasattr(TensorBase._plain, called(value)) and not QUIET.search(called(value))
    return plain or ((sums or (ours and not called(value).endswith("_"))) and bool(tensors_in(value, context)))


def cut_short(own: list[Any], context: Context) -> Iterator[Finding | None]:
    """Calls of zip() that end before they come to one of these tensors, which has no gradient, or no step."""
    idle = {id(p) for p in own if hasattr(p, "_array") and p.is_leaf and (p.grad is None or not numbers.updated(p))}
    for source, call in ((s, n) for s in context.sources() for n in s.calls if idle and called(n) == "zip"):
        around = Context(source, source.function(call), names=context.names)
        given = [(called(n), around.value(receiver(n))) for n in call.args]
        several = [parameters(v) if word == "parameters" else [*v] for word, v in given
                   if word == "parameters" or (not word and hasattr(type(v), "append"))]
        few = min(map(len, several), default=0)
        left = {id(t) for each in several for part in each[few:] for t in [part, *parameters(part)]}
        if len(several) == len(given) and left & idle:
            yield finding("cut_short", around, call, few=few, many=max(map(len, several)))


def dropped(context: Context) -> Iterator[Finding | None]:
    """Lines that compute a value which nobody takes, and which a notebook does not show."""
    for source in context.sources():
        hooks = {ast.unparse(given) for call in source.calls if "hook" in called(call) for given in call.args}
        shown = is_cell(source.file)
        lines = [n for n in source.parents if isinstance(n, ast.Expr) and not (shown and n is source.tree.body[-1])]
        new = (n.value for n in lines if isinstance(n.value, ast.BinOp) or hasattr(TensorBase._plain, called(n.value)))
        for value in new:
            around = Context(source, source.function(value), names=context.names)
            hook = " hook" * (getattr(around.function, "name", "") in hooks)
            yield by_rule(f"dropped {type(around.value(receiver(value))).__name__}{hook}:", value, around)


def hoarded(context: Context) -> Iterator[Finding | None]:
    """Sums and lists of results whose graphs several calls of backward have freed, or what several saved was written
    over: what they keep is of no use."""
    for name, value in named(context).items():
        several, seen = value if isinstance(value, list) else [value], dict[int, Any]()
        behind = [[*nodes_of([t._edge()], seen)] for t in several if isinstance(t, TensorBase) and t.grad_fn]
        marks = {m for n in seen.values() for slot in n.frees if isinstance(m := getattr(n, slot), Freed)}
        old = len(marks) > 1 or (len(behind) > 1 and sum(any(map(stale, nodes)) for nodes in behind) > 1)
        for source in context.sources() if old else ():
            written = ((home, w) for (home, word), writes in source.writes.items() if word == name for w in writes)
            yield from (by_rule(f"hoarded: {name}", w, Context(source, home)) for home, w in written)
