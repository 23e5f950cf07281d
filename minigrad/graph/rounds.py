"""Rounds of training: what was done to parameters, in which order, and whether anything could come of it; and slips of
programs that run, facts whose cure has an "if".

Read from the diary (`core/beside/ledger`) of the last rounds, as a text with one numbered word for each event; the
rules of `text/rules.ini` that begin with `^events` say which orders are mistakes.
"""

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from types import GeneratorType
from typing import Any

from ..core.beside import ledger
from ..core.graph import Freed, TensorBase, latest
from ..text import presentation
from ..text.numbers import two_digits
from . import leaves, numbers, program
from .cuts import leads_to, root_of, tensors_in
from .errors import crossing, regions
from .findings import Finding, all_reads, by_rule, finding, first, keyword, names_in, reads_of, receiver
from .leaves import last_backward, missing_from, named, optimizers
from .live import is_module, is_tensor, nodes_of, of_torch, parameters, stale
from .program import Context, Source, begins, called, expression, feeding, is_cell, is_learners, written
from .snapshot import by_key

BY_HAND = {"Add", "Sub", "add_", "sub_", "copy_"}  # writes that are no step of an optimizer
MODES = {"requires_grad", "eval", "train"}  # set from outside; of an optimizer, too
IDLE = {*MODES, "lr", "momentum", "weight_decay", "betas", "eps"}
QUIET = re.compile("backward|hook|retain_grad|item|tolist|numpy|size|numel|dim|shape|manual_seed|requires_grad_")
ENDS = re.compile(r"\b(softmax|sigmoid|dropout|relu|Softmax|Sigmoid|Dropout|ReLU)\b")
TINY = 1e-6  # of the rate that an optimizer began with: no step with less is to be seen


def events(own: set[int], context: Context) -> tuple[str, list[tuple[Any, ...]]]:
    """What happened to the tensors with these ids, and the lines; what happened to others is marked as such."""
    words, lines, last, who = [], list[tuple[Any, ...]](), None, leaves.owners(context)
    for what, owner, fact, before, line in [*ledger.diary, ("", bool, None, latest.freed, (None,))]:  # the end
        if before is not last and before.code is not None:
            words.append(called(expression(before.code, before.lasti)) or "backward")
            lines.append((before.code, before.lasti))
        last, target = before, who.get(id(owner))
        if line[0] is None or what == "made":
            continue
        group = getattr(target, "param_groups", [{}])[0]
        if what == "step" and (fact is None or fact <= TINY * group.get("initial_lr", 0)):
            what = "idle" if fact is None else "standing"
        touched = {*map(id, parameters(target) or [target])}.union(fact if "clip" in what else ())
        words.append(what if own & touched else f"other.{what}")
        lines.append(line)
    return numbered(words), lines


def backwards() -> list[Any]:
    """The marks of the latest calls of backward, as far as the diary goes back."""
    return [*dict.fromkeys([*(before for *_, before, _ in ledger.diary), latest.freed])]


def bad_at_once() -> bool:
    """Whether the very first loss of a training that is remembered from its beginning was NaN or Inf: no step was."""
    marks = [m for m in backwards() if m.value is not None]
    return bool(marks) and len(ledger.diary) < ledger.KEPT and not math.isfinite(float(marks[0].value))


def numbered(words: list[str]) -> str:
    """Words as rules read them, each with its number: " step0 backward1"."""
    return "".join(f" {word}{i}" for i, word in enumerate(words))


def unreached(leaf: Any, name: str, context: Context) -> Finding | None:
    """Why the backward that ran last has not reached a leaf, or what became of its gradient."""
    told, lines = events({id(leaf)}, context)
    cleared = by_rule(f"leaf {name}:{told}", lines, context)
    late = re.search(r" zero_grad\d+(?!.* (?:backward|grad)\d)", told)  # nothing ran since it was cleared
    sure = late and (leaves.stepped(leaf) or leaves.to_come(context))  # backward has reached it, or may yet
    found = cleared if sure else leaves.unreached(leaf, name, context) or cleared
    if getattr(found, "key", "") == "no_use":
        found = first(unread(context, leaf)) or found
    return (mistake([leaf], context) if getattr(found, "key", "") == "cleared_since" else None) or found


def wanted(leaf: Any, found: Finding | None, context: Context) -> Finding | None:
    """A finding about a leaf; without its edit, and in milder words, where it has learned, or there are optimizers and
    none is to train it, or another's turn it was."""
    held, (*_, behind) = [{*map(id, parameters(o))} for o in optimizers(context).values()], leaves.reached(context)
    turn = [each for each in held if each & behind] or held  # of those whose turn the last backward was
    if getattr(found, "key", "") == "no_use" and leaves.stepped(leaf):  # an earlier one came to it
        return None
    if found is None or (leaf.grad is None and (not held or any(id(leaf) in each for each in turn))):
        return found
    milder = {"block": "kept_off", "switched_off": "frozen", "cut": "kept_apart"}
    return replace(found, edit=None, key=milder.get(found.key, found.key))


def mistake(own: list[Any], context: Context, asked: Any = None) -> Finding | None:
    """What the order of events tells of tensors that do not learn; `asked`: the module or optimizer in question."""
    facts = [f"spent: {n}" for n, v in named(context).items() if isinstance(v, GeneratorType) and v.gi_frame is None]
    owners = {name: v for name, v in context.names.items() if hasattr(type(v), "zero_grad")}
    facts += [f"idle{' own' * is_learners(v)}: {n} {word}" for n, v in owners.items()
              for word in (MODES if is_module(v) else IDLE) & vars(v).keys()]
    parts = [vars(m) for v in owners.values() if hasattr(v, "modules") for m in v.modules()]
    given = [(Context(s, s.function(n), names=context.names), n, t) for s in context.sources() for n in s.parents for t
             in getattr(n, "targets", ()) if getattr(t, "attr", "") in MODES and any(t.attr in m for m in parts)]
    facts += [f"idle: {ast.unparse(t.value)} {t.attr}" for around, n, t in given if not any(
        "param" in ast.unparse(v) for v, _ in around.made(ast.unparse(t.value), n))]
    writes = [line for line in own[0]._shared_counter()[1:] if line and line[0] is not None] if own else []
    words = [called(at := expression(*line)) or type(getattr(at, "op", at)).__name__ for line in writes]
    most = max((float(m.value) for m in backwards() if m.value is not None), default=0)
    early = first(by_rule(fact, None, context) for fact in facts)
    if (early := early or by_rule(f"writes{' below' * (most < 0)}:{numbered(words)}", writes, context)) is not None:
        return early
    ids, every = {id(p) for p in own if p.requires_grad}, optimizers(context)
    holding = {name: o for name, o in every.items() if ids & {id(p) for p in parameters(o)}}
    if not holding and any(p.grad is not None for p in own):
        stepped = {owner() for what, owner, *_ in ledger.diary if what == "step"}
        lost = first(leaves.unregistered(v, ids) for v in context.names.values() if hasattr(type(v), "named_modules"))
        return lost or first(missing_from(o, context, ids) for o in every.values() if o in stepped)
    idle = [o for o in holding.values() if not (getattr(o, "_stepped", True) or o._opt_called)]
    vain = [line for what, owner, *_, line in ledger.diary if what == "rate" and owner() in idle and line[0]]
    if len(vain) > 1 and len(idle) < len(holding):  # a scheduler is stepped for an optimizer that is not
        return finding("rate_of_other", Context(program.source_of(vain[-1][0])), expression(*vain[-1]))
    if leaves.to_come(context, "step", "zero_grad"):  # the round is under way
        return None
    if len(holding) != 1:
        told, lines = events(ids.intersection(*({*map(id, parameters(o))} for o in holding.values())), context)
        return by_rule(f"shared {', '.join(holding)}:{told}", lines, context)
    (name, optimizer), = holding.items()
    held = {id(p) for p in parameters(optimizer)} if asked is None or asked is optimizer else ids
    told, lines = events(held, context)
    sums = [p for p in own if p.grad is not None and numbers.sum_of_backwards(p)]
    marks = " earlier" * (len(ledger.diary) == ledger.KEPT) + " stepped" * (optimizer not in idle)
    marks += " lines" * (len({line for word, line in zip(told.split(), lines, strict=False) if "backward" in word}) > 1)
    marks += " eval" * (not getattr(asked, "training", True) and numbers.differs(asked))
    still = [not g["lr"] and bool(ids & {*map(id, g["params"])}) for g in optimizer.param_groups if "lr" in g]
    marks += " still" * (any(still) and any(g.get("lr") for g in optimizer.param_groups))
    marks += " shrinks" * any(g.get("lr", 0) * g.get("weight_decay", 0) > 0.02 for g in optimizer.param_groups)
    marks += " slow" * unmoved(own, optimizer)
    marks += " whole" * (asked is None or ids == {id(p) for p in parameters(optimizer)})
    hand = any(".grad = " in s.spelled.whole.replace(".grad = None", "") for s in context.sources())
    marks += " hand" * (hand or bool(BY_HAND & {*words})) + " sum" * bool(sums)
    return by_rule(f"events {stepping(name, told, lines, context)}{marks}:{told}", lines, context)


def unmoved(own: list[Any], optimizer: Any) -> bool:
    """Whether the last step was too small to change any number of these tensors, as they are."""
    rate = next((fact for what, *_, fact, _, _ in reversed(ledger.diary) if what == "step" and fact), None)
    adapts = any("betas" in g or "alpha" in g or "rho" in g for g in optimizer.param_groups)
    moved = [(p._array(), abs(p.grad._array()) * (not adapts) + adapts) for p in own if p.grad is not None]
    return bool(moved) and rate is not None and all((x - rate * g == x).all() for x, g in moved)


def stepping(name: str, told: str, lines: list[tuple[Any, ...]], context: Context) -> str:
    """What an optimizer is called where its step() stands, if that is in the function of the last backward."""
    here = (last_backward(context) or (None, context))[1]
    steps = [expression(*line) for word, line in zip(told.split(), lines, strict=False) if word[:4] in ("step", "idle")]
    inside: Any = [at for at in steps if here.function is not None and here.function in here.source.above(at)]
    return next((ast.unparse(receiver(at)) for at in inside if getattr(at, "args", at) == []), name)


# ---- slips


def slips(own: list[Any], context: Context, asked: Any = None) -> Iterator[Finding | None]:
    """All slips that are found; `own`: the tensors in question, those of a module or an optimizer `asked`, perhaps."""
    yield moved(own, context) or leaves.held_still(context)
    yield from hoarded(context)
    yield from worn(context)
    yield from (grown(context, [p]) for p in own if isinstance(p, TensorBase) and not (abs(p._array()) <= 100).all())
    call, around = last_backward(context) or (None, context)
    yield None if call is None else kept_for_all(call, around) or numbers.odd_targets(root_of(call), around)
    behind = (e for n in nodes_of(*own) for e in n.edges)
    ends = [*own, *(e for e in behind if isinstance(e, TensorBase))]
    yield None if called(call) != "backward" else leaves.first_order(ends, root_of(call), around)
    yield None if call is None else leaves.bootstrapped(root_of(call), around)
    modules = [(name, type(v), {*map(id, v.parameters())}, any(p.grad is not None for p in v.parameters()))
               for name, v in context.names.items() if is_module(v)]
    for (a, kind, held, trained), (b, other, theirs, learns) in permutations(modules, 2):
        if held == theirs or (kind is other and trained and not learns):  # the same also in a copy that is not deep
            yield by_rule(f"{'same' if held == theirs else 'copied'}: {a} {b}", None, context)
    yield from (numbers.by_nought(t, k, root_of(call), around) for k, t in named(context).items() if call and any(
        t is p for p in own) and numbers.updated(t) and t.ndim > 1 and not t._array().any())
    yield made_again(context)
    yield numbers.equal_units(own, context)
    yield from cut_short(own, context)
    flat = (k for k, v in context.names.items() if isinstance(v, TensorBase) and v.grad_fn and not v._array().any())
    yield from (by_rule(f"flat: {name}", None, context) for name in flat)
    yield from dropped(context)
    yield from ending(context)
    yield from of_loops(context, any(p.requires_grad and p.grad is None for p in own))
    loss = around.value(root_of(call)) if call else None
    nodes = nodes_of(loss)
    yield from numbers.oddities(loss, context.names) if nodes else ()
    met = {id(loss), *(id(e) for n in nodes for e in n.edges)} & {*map(id, own)}
    rules = " own ".join(["", *(type(n).__name__ for n in nodes if met)])
    several = f" of {type(asked if own else None).__name__}"
    yield by_rule(f"habit:{' eval' * (not getattr(asked, 'training', True))}{rules}{several}", None, context)
    files, warned = {source.file for source in context.sources()}, [*presentation.warned_at.items()]
    yield from (numbers.unpaired(code, lasti, [*map(tuple, shapes)][::-1]) for (what, code, lasti), shapes in warned
                if what == "loss_sizes" and code.co_filename in files)
    sums: Any = (mark.summed for mark in backwards() if mark.summed is not None)
    for kind, ends, metas, code, lasti in sums:
        if kind.__name__ == "SubBackward0" and type(None) in ends and code is not None and code.co_filename in files:
            yield numbers.unpaired(code, lasti, [shape for shape, _ in metas], False)
    yield from unread(context)


def moved(own: list[Any], context: Context) -> Finding | None:
    """Where parameters were frozen that keep a gradient, by which the last step moved them on."""
    *_, behind = leaves.reached(context)
    kept = [p for p in own if not p.requires_grad and p.grad is not None]
    drift = bool(kept) and not any(p.grad.any() for p in kept) and any(
        g.get("momentum") or g.get("weight_decay") or "betas" in g for o in optimizers(context).values()
        for g in o.param_groups if {*map(id, g["params"])} & {*map(id, kept)})
    sure = kept and (behind or drift) and not behind & {*map(id, kept)}
    return by_rule(f"moved{' drift' * drift}:{events({*map(id, kept)}, context)[0]}", None, context) if sure else None


def made_again(context: Context) -> Finding | None:
    """An optimizer that each turn makes anew for the same tensors, or, for a single step, with the module that it is to
    train: then what the turns before have gathered, or learned, is lost."""
    acts = [(what, owner, line) for what, owner, *_, line in ledger.diary if what in ("made", "step") and line[0]]
    steps = {id(owner) for what, owner, _ in acts if what == "step"}
    leaf, last = next(((owner(), line) for what, owner, line in acts[::-1] if what == "made"), (None, (None, 0)))
    if leaf is None or len(steps) < 3 or (at := expression(*last)) is None:
        return None
    made = [id(owner) for what, owner, line in acts if what == "made" and line == last]
    loops, home = (source := program.source_of(last[0])).loops(at), source.function(at)
    turn = loops or (home and any(s.loops(n) for s, n in program.calls(source, home)))
    if made.count(made[-1]) > 2:  # without momentum nothing was gathered
        return finding("forgetful", Context(source), at) if turn and re.search("Ada|RMS|mom", ast.unparse(at)) else None
    once = loops and [what for what, *_ in acts] == ["made", "step"] * len({*made}) and len(made) > 2
    own = {n: type(v).__name__ for n, v in named(context).items() if once and any(p is leaf for p in parameters(v))}
    return first(finding("made_again", there, n, name=name) for name, kind in own.items()
                 for n, there in context.made(name, None) if source.loops(n) == loops and called(n) == kind and
                 hasattr(there.value(n.func), "named_parameters"))


def bare(node: Any) -> Any:
    """An expression without what only gives its value another shape."""
    while re.fullmatch("view|reshape|flatten|contiguous|long|(?:un)?squeeze", called(node)):
        node = receiver(node)
    return node


def kept_for_all(call: Any, context: Context) -> Finding | None:
    """What carries its history from turn to turn, where `retain_graph` keeps backward from failing there."""
    loss = context.value(root_of(call))
    nodes = nodes_of(loss) if keyword(call, "retain_graph") else ()
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
        around, inside = homes.get(home), {*ast.walk(n)}
        if around is None or around.source is not source:  # of cells there are many
            around = Context(source, home, names=context.names)
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
    ours = is_module(callee) or (
        getattr(callee, "__module__", "").startswith("minigrad") and not isinstance(callee, type))
    value = getattr(value, "elt", value.args[0] if called(value) == "sum" and value.args else value)
    new = isinstance(value, ast.BinOp | ast.UnaryOp | ast.GeneratorExp) or (ours and not called(value).endswith("_"))
    plain = hasattr(TensorBase._plain, called(value)) and not QUIET.search(called(value))
    return plain or (new and bool(tensors_in(value, context)))


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
        yield from (by_rule("bound in vain:", w.value, Context(source, home, names=context.names))
                    for (home, name), writes in source.writes.items() for w in writes if in_vain(w, name, home, source))
        lines = [n for n in source.parents if isinstance(n, ast.Expr) and not (shown and n is source.tree.body[-1])]
        new = (n.value for n in lines if isinstance(n.value, ast.BinOp) or hasattr(TensorBase._plain, called(n.value)))
        for value in new:
            around = Context(source, source.function(value), names=context.names)
            hook = " hook" * (getattr(around.function, "name", "") in hooks)
            yield by_rule(f"dropped {type(around.value(receiver(value))).__name__}{hook}:", value, around)


def of_loops(context: Context, missing: bool) -> Iterator[Finding | None]:
    """Loops each turn of which gives a name anew that none reads, where gradients are `missing`; and such as read what
    an earlier loop left in a name, in place of their own at the same place, which nobody reads."""
    loops: Any = [(s, n) for s in context.sources() for n in s.parents if isinstance(n, ast.For)]
    for source, loop in loops:
        inside, home = [n for part in loop.body for n in ast.walk(part)], source.function(loop) or source.tree
        reads = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        after = {name for name, known in all_reads(home).items() if begins(known[-1]) > begins(loop.body[-1])}
        fresh = {name for n in [*inside, loop] for name in written(n)}
        ends = any(isinstance(n, ast.Break | ast.Return) for n in inside)
        for w in (n for n in loop.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and not ends):
            lost = {*written(w)} & after - reads and {*written(loop)} & names_in(w.value)
            yield finding("turn_lost", Context(source), w, name=written(w)[0]) if missing and lost else None
        for _, other in ((s, n) for s, n in loops if s is source and n.end_lineno < loop.lineno):
            pairs = [*zip(getattr(loop.target, "elts", ()), getattr(other.target, "elts", ()), strict=False)]
            for own, old in ((a, b) for a, b in pairs if isinstance(a, ast.Name) and isinstance(b, ast.Name)):
                if own.id[0] != "_" and own.id not in reads and old.id in reads - fresh:
                    at = next(n for n in inside if getattr(n, "id", "") == old.id)
                    yield finding("stale_name", Context(source), at, (at, own.id), name=old.id, own=own.id)


def ending(context: Context) -> Iterator[Finding | None]:
    """Losses that are given what ends in softmax or sigmoid, which they compute themselves, in dropout, or in relu."""
    for source, n in ((s, n) for s in context.sources() for n in s.calls if n.args and latest.freed.code):
        around: Any = Context(source, source.function(n), names=context.names)
        word = f"{called(n)} {called(n.func)} {type(callee := around.callee(n.func)).__name__}"
        word *= str(getattr(callee, "__module__", "")).startswith(("minigrad", "torch"))  # one's own may want either
        taker = re.search(r"\b(cross_entropy|CrossEntropyLoss)|(with_logits|BCEWithLogitsLoss)", word)
        e2, ran = "LogSoftmax" if taker and taker[1] else "BinaryCrossEntropyWithLogits", latest.freed
        if (last := end_of(n.args[0], around) if taker or re.search("loss|Loss", word) else None) is not None:
            at, home, inner, kind = last
            key = {"drop": "dropped_scores", "relu": "cut_scores"}.get(kind.lower()[:4], "scores_wanted")
            if inner is None and taker:  # of a Sequential
                yield by_rule(f"chain: 0 {kind}Backward0 1 {e2}Backward0", [(ran.code, ran.lasti)], around)
            elif inner is not None and (taker or key == "dropped_scores"):
                yield finding(key, home, at, (at, home.source.text(inner)), e2=e2)


def end_of(node: Any, context: Context) -> tuple[Any, Context, Any, str] | None:
    """The call of softmax, sigmoid, relu or dropout that an expression, or the forward that makes it, ends in; what
    that is given, if it stands there, and its name."""
    node, context = origin(node, context)
    module: Any = context.value(node.func) if isinstance(node, ast.Call) else None
    whole = [*module.modules()][-1] if type(module).__name__ == "Sequential" else module
    kind = re.search(ENDS, f"{called(node)} {type(whole).__name__}")
    if kind is None or not getattr(whole, "p", 1):
        return None
    given = [arg for arg in node.args if not isinstance(getattr(arg, "operand", arg), ast.Constant)]
    return node, context, [*given, receiver(node)][0] if whole is module else None, kind[1]


def origin(node: Any, context: Context) -> tuple[Any, Context]:
    """The expression that made a value, behind names, views and functions of the learner's, as far as there is one way
    alone."""
    for _ in range(numbers.NEAR):
        node = bare(node)
        own = context.definition(node) if isinstance(node, ast.Call) else None
        ways: Any = [*context.made(node.id, node)] if isinstance(node, ast.Name) else [
            (n.value, own) for n in (ast.walk(own.function) if own else ()) if isinstance(n, ast.Return)]
        if len(ways) != 1:
            break
        node, context = ways[0]
    return node, context


def in_vain(statement: Any, name: str, home: Any, source: Source) -> bool:
    """Whether a function gives its own name what it computed of that, and nobody reads it any more."""
    every: list[Any] = [*ast.walk(home or statement)][1:]
    inside = {*ast.walk(statement)}
    uses = [n for n in every if getattr(n, "id", "") == name]
    reads = [n for n in uses if isinstance(n.ctx, ast.Load) or isinstance(source.parents[n], ast.AugAssign)]
    shared = any(isinstance(n, ast.Global | ast.Nonlocal | ast.Lambda | ast.FunctionDef) for n in every)
    own = home and type(statement) is ast.Assign and ast.unparse(statement.targets[0]) == name and inside & {*reads}
    again = [n for n in uses for up in source.loops(statement)[-1:] if up in source.above(n)]  # in the next turn
    late = again and min(again, key=begins) in [*reads, *inside]
    return bool(own) and not (shared or late or any(begins(n) > begins(statement) for n in {*reads} - inside))


def hoarded(context: Context) -> Iterator[Finding | None]:
    """Sums and lists of results whose graphs several calls of backward have freed, or what several saved was written
    over: what they keep is of no use."""
    for name, value in named(context).items():
        several, seen = value if isinstance(value, list) else [value], set[Any]()
        behind = [nodes_of(t, seen=seen) for t in several if isinstance(t, TensorBase) and t.grad_fn]
        marks = {m for n in seen for slot in n.frees if isinstance(m := getattr(n, slot), Freed)}
        old = len(marks) > 1 or (len(behind) > 1 and sum(any(map(stale, nodes)) for nodes in behind) > 1)
        for source in context.sources() if old else ():
            filled = ((home, w) for (home, word), writes in source.writes.items() if word == name for w in writes)
            yield from (by_rule(f"hoarded: {name}", w, Context(source, home)) for home, w in filled)
        inside = (one for made in context.made(name, None) for one in feeding(*made)) if len(marks) > 1 else ()
        for here, around in inside:  # of a sum that a function returns
            statement, loops = around.source.statement(here), around.source.loops(here)
            if any(called(n) == "backward" and {*loops[:1]} & {*around.source.above(n)} for n in around.source.calls):
                yield from (by_rule(f"hoarded: {word}", statement, around) for word in written(statement))


def grown(context: Context, own: Any = ()) -> Finding | None:
    """Steps that went too far: the losses that backward began with grew a hundredfold; or, of what has large numbers
    and no wrong ones, ten thousandfold, to the end."""
    now, stepped = latest.freed, {owner() for what, owner, *_ in ledger.diary if what == "step"}
    marks = [m for m in backwards() if m.value is not None and (m.code, m.lasti) == (now.code, now.lasti)]
    values = [v for m in marks if math.isfinite(v := float(m.value))]
    moved = [(name, o) for name, o in optimizers(context).items() if o in stepped]
    most = values[-1] / 100 if own and values else max(values[1:], default=0)
    if len(marks) < 3 or len(values) < 2 or not most > 100 * values[0] > 0:
        return None
    facts: Any = {"first": two_digits(values[0]), "most": two_digits(max(values))}
    if len(moved) != 1:
        steps = [one for t in own for one in program.writers(t)[:1] if isinstance(one[0], ast.AugAssign)]
        return first(finding("loss_grew_by_hand", around, at, **facts) for at, around in steps if not moved)
    (name, o), = moved
    facts["rate"] = o.param_groups[0].get("lr")
    return first(finding("loss_grew", there, call, **facts) for call, there in leaves.makers(name, o, context))


def worn(context: Context) -> Iterator[Finding | None]:
    """Data that one line wrote into again and again, and nobody else: each turn scales it by the same."""
    for name, t in named(context).items():
        plain = is_tensor(t) and not (of_torch(t) or t.requires_grad or t.is_inference()) and t.numel() > 1
        lines = [line for line in t._shared_counter()[1:] if line] if plain else []
        yield by_rule(f"worn: {name} 0", lines, context) if len(lines) > 1 and len({*lines}) == 1 else None
