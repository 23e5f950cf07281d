"""`why(x)`: why there is no gradient, why nothing is tracked, why it failed: one cause, its line, one cure.

Takes a tensor, a `.grad` that is None, a module, an optimizer, an exception, or nothing, for the last error. The
answer is a few sentences and the graph with the place marked. What is said was recorded, or stands in the program;
nothing of it is run again, and `doctor` alone runs a step.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from io import StringIO
from itertools import chain, islice, takewhile
from typing import Any

from ..graph import checkup, cuts, leaves, live, notes, numbers, rounds, unfinished
from ..graph.findings import Finding, attempt, by_rule, first, reads_of
from ..graph.program import PLAIN, Context, called, expression, is_learners, is_module, shell, source_of, standing
from ..graph.recorder import plain
from ..graph.restoring import Restoring
from ..graph.snapshot import AnyTensor, Graph, TensorRecord
from ..graph.trial import conceals
from ..text import both, demand, get_language, say
from .display import Drawing, TextWithDrawing, learners_names, library, reader_for

MARKED = 8  # parameters without a gradient that are drawn
LOSSES = 8  # named results that are searched for the leaf in question
MISSING: Any = type("MISSING", (), {"__repr__": lambda self: "..."})()  # as why() is called for the last error
NOWHERE = Context(source_of(""))  # where no line of the learner's asks
# general sentences, left out where the cause is known
BY_CAUSE = {f"why.{key}" for key in ("unreached", "unused", "cleared", "nonleaf", "constant", "integer")}
# what is said of a tensor whose gradient nobody has missed yet: most have none on purpose
MILDER = {"block": "off", "cut": "parted", "not_kept": "passed_on", "no_leaf": "data", "integers": "whole"}
Reason = tuple[str, dict[str, Any], set[str]]  # message, its blanks, ids to mark


def why(t: Any = MISSING) -> Explanation:
    """Why `t.grad` is None, `t` is not tracked, a module does not learn, or, without `t`, why the last cell failed.

    `t`: a tensor, the `.grad` of one (its owner is found in the line that asks), a module, an optimizer, an object
    of your own that has such, or an exception. Raises: TypeError for anything else.
    """
    frame = sys._getframe(1)
    call = expression(frame.f_code, frame.f_lasti)
    context = (standing(frame) or NOWHERE)._replace(asks=call)
    with warnings.catch_warnings(action="ignore"):  # looking is not the learner's access
        return answer(t, call, context)


def answer(t: Any, call: Any, context: Context) -> Explanation:
    """The same, as `call` asks there."""
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    owner = given.value if isinstance(given, ast.Attribute) and given.attr == "grad" else None
    whose = None if owner is None else context.value(owner)
    if t is None or (whose is not None and getattr(whose, "_grad", None) is t):  # asked for a gradient
        t = whose
    else:
        owner = given
    if t is MISSING:
        return last_error(context)
    if isinstance(t, BaseException):
        return of_error(t)
    t = t if is_module(t) else getattr(t, "optimizer", t)  # of a scheduler
    own = is_learners(t) and live.inner(t) and not hasattr(type(t), "grad_fn")
    if own or is_module(t) or hasattr(t, "param_groups"):
        return of_several(t, context)
    if isinstance(t, int | float) and given and (found := attempt(cuts.number_of, given, context)) is not None:
        return Explanation([("why.number", {"name": ast.unparse(given)}, set())], None, found)
    return of_tensor(t, owner, call, context)


def of_tensor(t: AnyTensor, owner: Any, call: Any, context: Context) -> Explanation:
    """What is to be said of a tensor, which the learner calls `owner` here."""
    names = learners_names()
    if owner is not None and not any(value is t for value in names.values()):
        names[ast.unparse(owner)] = t
    ours, graph = library(t) == "minigrad", picture([t], names)
    record = graph.tensor(graph.roots[0])
    if record.kind == "leaf" and record.grad is None:
        graph, reason, found = unreached(record, t, names, context, call)
        if ours and (found is None or found.key == "cleared_since"):
            found = first(of_graphs(t, label(record), "", names)) or first(rounds.slips([t], context)) or found
        later = () if found is not None and found.key == "cut" else why_backward_fails(graph)
        return Explanation([reason, *later], graph, found)
    reasons = [*why_no_grad(record), *why_backward_fails(graph)]
    wrong = of_numbers(t) if ours else ""
    ran = any(s.freed for n in graph.nodes for s in n.saved)
    found = attempt(untold, t, record, context, call, ran)
    if ours and (found is None or wrong or found.key in ("passed_on", "gradient")):
        found = in_training({label(record): t}, names, None, context) or found
        last = leaves.last_backward(context)
        began = t.numel() == 1 and (ran or (last and last[1].value(cuts.root_of(last[0])) is t))
        if found is None or found.key in ("cleared_since", "gradient"):
            slips = chain(of_graphs(t, label(record), "", names), rounds.slips([t], context))
            found = attempt(first, of_leaves(t, names, context) if began else slips) or found
    reasons += [(f"why.{wrong}", {"name": label(record)}, {record.id})] if wrong else []
    fine = "why.fine", {"name": label(record), "grad": record.grad}, {record.id}
    far = along(t, names) if ours and not (found or wrong) else ()
    return Explanation([*(reasons or [fine]), *far], graph, found)


def of_numbers(t: AnyTensor) -> str:
    """What is wrong with the numbers of a gradient, or of a result: "zero", "bad", "bad_value", or nothing, ""."""
    if t.grad_fn is not None:  # its own values
        return "" if numbers.finite(t._array()) else "bad_value"
    return "" if t._grad is None else numbers.wrong(t._grad._array())


def in_training(own: Mapping[str, AnyTensor], names: Mapping[str, AnyTensor], asked: Any,
                context: Context) -> Finding | None:
    """What was done wrong with tensors in training, and what is wrong with the results that lead to one of them: the
    first whose numbers are wrong, else the first.

    `asked`: the module or optimizer in question; without it, it is one tensor.
    """
    told = [(of_numbers(t), name, t) for name, t in own.items() if t.grad_fn is not None or t._grad is not None]
    wrong, name, t = next((one for one in told if one[0]), (told or [("", "", None)])[0])
    written = None if t is None else attempt(numbers.written, t, name, wrong)
    if asked is not None and written is not None and written.key != "grad_written":
        written, wrong = None, ""  # of one of many, which were cleared, most often

    def in_order() -> Iterator[Finding | None]:
        call, around = leaves.last_backward(context) or (None, context)
        root = None if call is None else cuts.root_of(call)
        began = [(root, around)] if wrong and root is not None else []
        for one in context.made(name, None) if wrong == "bad_value" else began:
            yield attempt(numbers.odd_targets, *one, True) or (attempt(numbers.fed, *one) if wrong != "zero" else None)
        if written is not None and written.key == "grad_written":
            yield written
        yield attempt(by_rule, "program:", None, context)
        ends = [*own.values()] if t is None or t.is_leaf else leaves_behind(t) if t.numel() == 1 else []
        yield attempt(rounds.mistake, ends, context, asked) if ends or t is None else None
        if wrong:
            yield written
        seen = [*of_graphs(t, name, wrong, names)] if t is not None else []
        held = [p for o in leaves.optimizers(context).values() for p in live.parameters(o)]
        yield from (attempt(rounds.mistake, held, context) for one in seen if getattr(one, "key", "") == "stepped_bad")
        yield attempt(rounds.grown, context) if wrong and root is not None else None
        bad = {"seen_bad", *["stepped_bad"] * rounds.bad_at_once()}
        yield from (one for one in seen if one is not None and one.key not in bad)
        for top in (v for v in (asked, *context.names.values()) if hasattr(type(v), "named_modules")):
            if wrong == "zero" and any(p is t for p in top.parameters()):
                yield attempt(numbers.stopped, t, top, context)
        if wrong in ("zero", "bad") and root is not None:
            yield attempt(cuts.cut_on_the_way, t, root, around) if wrong == "zero" else None
            yield attempt(numbers.by_nought, t, name, root, around) if wrong == "zero" else None
            homes = (m for v in modules_of(context) for m in v.modules() if t in {*m._parameters.values()})
            if wrong == "bad" or all(of_numbers(p) for m in homes for p in m.parameters(False)):  # else it cancels out
                yield attempt(by_rule, f"behind: {wrong}", root, around)
        yield from seen
        if not (written or wrong or root is None):
            lost = next((p for p in own.values() if p.is_leaf and p.grad is None), None)
            yield attempt(cuts.added_number, lost, root, around)
        yield attempt(rounds.kept_for_all, call, around) if written and call is not None else None
        yield written

    return first(in_order())


def leading(t: AnyTensor, names: Mapping[str, AnyTensor]) -> Iterator[tuple[AnyTensor, list[Any]]]:
    """The named results that lead to a tensor, with the nodes behind them; losses first, the latest first."""
    losses = [v for v in [*names.values()][::-1] if library(v) == "minigrad" and v.grad_fn is not None]
    for loss in sorted(losses, key=lambda v: (v is not t, v.numel() != 1))[:LOSSES]:
        nodes = live.nodes_of(loss)
        if loss is t or any(e is t for n in nodes for e in n.edges):
            yield loss, nodes
        if loss is t:
            return


def of_graphs(t: AnyTensor, name: str, wrong: str, names: Mapping[str, AnyTensor]) -> Iterator[Finding | None]:
    """What the graphs show that lead to a tensor."""
    seen = set[int]()  # what stands behind one result is looked at with it alone
    for loss, nodes in leading(t, names):
        yield attempt(numbers.misfit, [n for n in nodes if id(n) not in seen])
        seen |= {*map(id, nodes)}
        yield attempt(numbers.cause, wrong.partition("_")[0], loss, t, name, names) if wrong else None


def leaves_behind(t: AnyTensor) -> list[AnyTensor]:
    """The leaves that a result was computed from, those that were used first before the others."""
    nodes = sorted(live.nodes_of(t), key=lambda n: n.seq)
    return [*{id(e): e for n in nodes for e in n.edges if library(e) == "minigrad"}.values()]


def of_leaves(t: AnyTensor, names: Mapping[str, AnyTensor], context: Context) -> Iterator[Finding | None]:
    """What is wrong with the leaves behind a loss whose backward has run, and with the modules and optimizers that
    have some of them; where nobody has, with the only optimizer."""
    called, behind = {id(v): name for name, v in [*names.items()][::-1]}, leaves_behind(t)
    trained = [e for e in behind if type(e).__name__ == "Parameter"] or behind  # what goes in may get 0 on purpose
    bad = {called.get(id(e), "leaf"): e for e in trained if of_numbers(e)}
    yield in_training(bad, names, t, context) if bad else None
    yield from rounds.slips([t], context)
    optimizers = [*leaves.optimizers(context).values()]
    owners = [o for o in modules_of(context) + optimizers if {*map(id, behind)} & {*map(id, live.parameters(o))}]
    told = (of_several(o, context).found for o in owners or optimizers * (len(optimizers) == 1))
    yield from (one for one in told if getattr(one, "key", "") not in ("frozen", "left_out", "not_in_optimizer"))


def along(t: AnyTensor, names: Mapping[str, AnyTensor]) -> Iterator[Reason]:
    """That gradients shrink by far, or grow, on the way back through the latest graph that leads to a tensor."""
    word = {id(v): name for name, v in [*names.items()][::-1]}
    for loss, _ in islice(leading(t, names), 1):
        got = {word.get(id(e), f"leaf{[*e.shape]}"): plain(e._grad) for e in leaves_behind(loss) if e._grad is not None}
        told = [*checkup.of_gradients(got)][-2:]  # the norms, and how they go
        far = bool(told) and told[-1].key in ("vanishing", "exploding")
        yield from ((f"doctor.{one.key}", one.facts, set()) for one in told if far)


def untold(t: AnyTensor, record: TensorRecord, context: Context, call: Any, ran: bool) -> Finding | None:
    """The line to blame for a constant, or for a result that keeps no gradient, or asked for it after backward ran."""
    if not record.name or (library(t) != "minigrad" and record.kind != "constant"):
        return None
    made = [*context.made(record.name, call)] or [*context.made(record.name.partition("[")[0], call)]
    if record.kind == "nonleaf" and record.grad is None and (ran or not record.retains_grad):
        kept = first(leaves.unregistered(m, {id(t)}) for m in modules_of(context) if not made)  # by an object
        found = kept or leaves.not_a_leaf(t, record.name, made, not made or (ran and t.numel() == 1))
    elif record.kind != "constant":
        return None
    elif type(t).__name__ == "Parameter":
        return rounds.moved([t], context) or rounds.wanted(t, leaves.switched_off(record.name, context), context)
    else:
        found = leaves.buffer(t, context) or leaves.constant(t, record.name, made)
    homes = [context.function] if context.function is not None else [s.tree for s in context.sources()]
    missed = any(reads_of(f"{record.name}.grad", home) for home in homes) or any(
        t is p for o in leaves.optimizers(context).values() for p in live.parameters(o))
    meant = ({"block": "off", "cut": "parted"} if missed else MILDER).get(getattr(found, "key", ""))
    return replace(found, key=meant, facts={**found.facts, "name": record.name}) if found and meant else found


def last_error(context: Context) -> Explanation:
    """What is to be said of the exception that is being handled, or that nobody caught; else of a module that has
    a name and does not learn."""
    if (error := unfinished.last_error()) is None:
        every = modules_of(context)
        learning = [m for m in every if any(p.grad is not None for p in m.parameters())] or every
        answers = (of_several(one, context) for one in [*learning, *leaves.optimizers(context).values()])
        return next((a for a in answers if a.found is not None), Explanation([("why.no_error", {}, set())], None))
    if sys.exc_info()[1] is None and (here := shell()) and here.last_execution_succeeded:  # of the cell before this one
        return Explanation([("why.mended", {"error": f"{type(error).__name__}: {error}"}, set())], None)
    return of_error(error)


def of_error(error: BaseException) -> Explanation:
    """An error, its notes, and the edit that mends it."""
    notes.complete(error)
    facts = {"error": f"{type(error).__name__}: {error}", "notes": "\n".join(getattr(error, "__notes__", ()))}
    return Explanation([("why.error", facts, set())], None, getattr(error, "finding", None))


def of_several(owner: Any, context: Context) -> Explanation:
    """What keeps the parameters of a module, or of an optimizer, from learning: those nobody lists, those that no
    optimizer has, those without a gradient."""
    names, several = learners_names(), live.parameters(owner)
    module = is_module(owner)
    if own := not (module or hasattr(owner, "param_groups")):  # of a class of theirs
        held = [p for part in [owner, *live.inner(owner)] for p in live.parameters(part)]
        several = [*{id(p): p for p in held if p.requires_grad and p.is_leaf}.values()]
    if module:
        params, wholes = dict(owner.named_parameters()), [owner]
    else:
        params = {next((name for name, t in names.items() if t is p), f"[{i}]"): p for i, p in enumerate(several)}
        wholes = [m for m in modules_of(context) if {*map(id, m.parameters())} & {*map(id, several)}]
    without = {name: p for name, p in params.items() if p.grad is None}

    def in_order() -> Iterator[Finding | None]:
        yield from map(leaves.unregistered, wholes)
        ours = library(next(iter(params.values()), None)) == "minigrad" or (own and not params)
        yield in_training(params, names, owner, context) if ours else None
        for optimizer in leaves.optimizers(context).values() if module else [owner] * (not own):
            lost = leaves.missing_from(optimizer, context, {*map(id, several)} if module else None)
            mild = module and lost is not None and lost.key in ("not_in_optimizer", "given_anew")
            yield replace(lost, key="left_out") if lost is not None and mild else lost
        yield from map(leaves.made_anew, wholes)
        for name, p in without.items():
            found = rounds.unreached(p, name, context) if p.requires_grad else leaves.switched_off(name, context)
            found = replace(found, key="frozen") if found is not None and found.key == "switched_off" else found
            yield rounds.wanted(p, found, context)  # on purpose?
        yield from rounds.slips(several, context, owner)

    found = attempt(first, in_order())
    facts = {"count": len(several), "without": ", ".join(without), "number": len(without),
             "reached": len(several) - len(without)}
    of_module = "module_without" if without else "module" if several else "module_none"
    reasons: list[Reason] = [(f"why.{of_module if module else 'object' if own else 'optimizer'}", facts, set())]
    grads = {name: plain(p.grad) for name, p in params.items() if module and p.grad is not None}
    reasons += [(f"doctor.{one.key}", one.facts, set()) for one in checkup.of_gradients(grads)]
    return Explanation(reasons, None, found)


def modules_of(context: Context) -> list[Any]:
    """The modules that have a name where the learner asks."""
    return [v for v in context.names.values() if is_module(v)]


def label(t: TensorRecord) -> str:
    """A tensor's name, else its shape."""
    return t.name or f"tensor{t.size}"


def before_a_dot(name: str) -> str:
    """A name, or an expression in brackets; `0.weight` of a parameter, or what no file could hold, is none."""
    with suppress(SyntaxError, ValueError):
        return name if isinstance(ast.parse(name, mode="eval").body, PLAIN) else f"({name})"
    return name


def why_no_grad(t: TensorRecord) -> Iterator[Reason]:
    """What keeps a tensor that is no leaf with requires_grad from having a `.grad`."""
    facts = {"name": before_a_dot(label(t))}
    if t.kind == "constant":
        whole = not t.dtype.startswith(("float", "bfloat", "complex"))
        yield f"why.{'integer' if whole else 'constant'}", {**facts, "dtype": t.dtype}, {t.id}
    elif t.kind == "nonleaf" and t.grad is None:
        yield f"why.{'retained' if t.retains_grad else 'nonleaf'}", facts, {t.id}


def unreached(t: TensorRecord, leaf: AnyTensor, names: Mapping[str, AnyTensor], context: Context,
              call: Any) -> tuple[Graph, Reason, Finding | None]:
    """A leaf without `.grad`: which named result leads to it, and has that run backward?"""
    results = [(k, v) for k, v in names.items() if v.grad_fn is not None and library(v) == library(leaf)][::-1]
    results.sort(key=lambda named: named[1].numel() != 1)  # losses first, the latest first
    found = attempt(rounds.unreached if library(leaf) == "minigrad" else leaves.unreached, leaf, label(t), context)
    lost = getattr(found, "key", "")
    ran_once = live.of_torch(leaf) or leaves.last_backward(context)
    lost = "cut" if lost in ("drawn", "straight_through") or (lost == "block" and ran_once) else lost
    found = rounds.wanted(leaf, found, context) if lost in ("block", "cut") else found  # a target?
    others, cut_off, named = dict[str, AnyTensor](), list[AnyTensor](), {**names, label(t): leaf}
    for name, loss in results[:LOSSES]:
        if not any(getattr(n, "variable", None) is leaf for n in live.nodes_behind(loss)):
            others |= {name: loss} if loss.numel() == 1 else {}
        elif lost in ("cut", "first_order") and (loss.numel() != 1 or cuts.was_cut(loss, name)):
            cut_off.append(loss)  # it leads there, and was cut off on the way
        else:
            graph = picture([loss], named, leaf)
            last = leaves.last_backward(context)
            apart = last if last and ast.unparse(cuts.root_of(last[0])) != name else None  # it meant another then
            other = apart if lost == "no_use" else None
            marks = {r.id for r in graph.tensors if r.kind == "leaf" and r.name == label(t)}
            gone = {n.id for n in graph.nodes if any(s.freed for s in n.saved)}
            near = {n.id for n in graph.nodes for e in n.edges if e.tensor in marks
                    and any(s.is_tensor or s.freed for s in n.saved)}  # the last that backward comes to
            ran = bool(gone & (near or gone)) and not other
            part = gone and not (ran or other)
            if other and found is not None:  # the last backward began elsewhere
                same = loss.numel() == 1 and called(other[0]) == "backward" and other[1].function is context.function
                found.edit = other[1].source.edited((cuts.root_of(other[0]), name)) if same else None
            elif live.of_torch(leaf) and any(".backward(" in s.whole for s in context.sources()):
                found = None  # whether it ran, and where it began, nobody has noted
            elif not (ran or part or any(s.stale for n in graph.nodes for s in n.saved)):  # else it would fail
                ask = f"not run: {name}{'' if loss.numel() == 1 else '.sum()'}"
                made = (by_rule(ask, *one) for one in context.made(name, call))
                found = by_rule("program:", None, context) or (None if leaves.to_come(context) else first(made))
            elif lost in ("remade", "gives_nothing", "no_use") or (lost in ("cut", "block") and not apart):  # not here
                found = None
            facts = {"name": label(t), "loss": name if loss.numel() == 1 else f"{name}.sum()"}
            other_way = found is not None and found.key == "returned_here"  # nobody wants its backward
            key = "cleared" if ran else "part" if part else "unused" if other_way else "not_yet"
            return graph, (f"why.{key}", facts, marks), found
    graph = picture([*[*others.values()][:1], *cut_off[:1], *(() if cut_off else (leaf,))], named, leaf)
    found = found or by_rule("no backward:", None, context)
    hidden = [name for name, loss in others.items() if conceals(loss)]
    facts = {"name": label(t), "loss": ", ".join(hidden or others)}
    marks = {r.id for r in graph.tensors if r.name == label(t)}
    return graph, ("why.concealed" if hidden else "why.unreached" if others else "why.unused", facts, marks), found


def picture(roots: Sequence[AnyTensor], names: Mapping[str, Any], leaf: AnyTensor = None) -> Graph:
    """The graph behind tensors; of a very large one its ends, those at a leaf among them."""
    ours = library(roots[0]) == "minigrad"
    near = {"near": live.ends(live.nodes_of(*roots), leaf)} if ours else {}
    return reader_for(roots[0])(*roots, names=names, **near)


def why_backward_fails(graph: Graph) -> Iterator[Reason]:
    """What will make backward fail."""
    for n in graph.nodes:
        for s in (s for s in n.saved if s.stale):
            facts = {"node": n.name, "field": s.field, "saved": s.version, "now": s.now}
            yield "why.stale", facts, {n.id, f"{n.id}.{s.field}"}
    if (freed := next((n for n in graph.nodes if any(s.freed for s in n.saved)), None)) is not None:
        yield "why.freed", {"node": freed.name}, {freed.id}


def why_of_parts(graph: Graph) -> dict[str, dict[str, str]]:
    """Id -> why a named tensor has no gradient now, why backward will fail at a node, in each language; from the
    records alone."""
    root = graph.tensor(graph.roots[0])
    loss = label(root) if root.shape == () else f"{label(root)}.sum()"
    ran = "why.cleared" if any(s.freed for n in graph.nodes for s in n.saved) else "why.not_yet"
    reasons = [reason for t in graph.tensors if t.name and t.value is not None for reason in why_no_grad(t)]
    reasons += [(ran, {"name": label(t), "loss": loss}, {t.id, t.node}) for t in graph.tensors
                if t.kind == "leaf" and t.requires_grad and t.grad is None and t.node and len(graph.roots) == 1]
    return {id: both(key, **facts) for key, facts, marks in (*reasons, *why_backward_fails(graph)) for id in marks}


class Explanation(TextWithDrawing):
    """Sentences, and the graph with the place marked; `str()` is the text.

    `line` is (file, number, text) of the line to blame, `edit` (number, new text) of the one line that mends the
    program; each is None where it is not known.
    """

    def __init__(self, reasons: list[Reason], graph: Graph | None, found: Finding | None = None) -> None:
        self.reasons, self.found, self.here = reasons, found, notes.file_now()
        self.line, self.edit = (None, None) if found is None else (found.line, found.edit)
        marks = frozenset().union(*(m for _, _, m in reasons))
        self.drawing = None if graph is None else Drawing(graph, lang=get_language(), marks=marks)

    def _words(self) -> str:
        parts = [(key, say(key, **facts)) for key, facts, _ in self.reasons
                 if self.found is None or key not in BY_CAUSE or self.found.key == "own_rule"]  # a hint
        if self.found is not None and self.reasons[0][0] != "why.error":  # its notes tell it
            parts += [("cause", notes.cause_told(self.found, lang, self.here)) for lang in notes.languages()]
        return "\n".join(said for _, said in sorted(dict.fromkeys(parts), key=lambda part: part[0] == "why.freed"))


# ---- before training


def doctor(model: Any, loss: AnyTensor, optimizer: Any = None, step: Callable[[], Any] | None = None) -> Checkup:
    """Look over a model, its loss and its optimizer before training; `step()` is run twice, and everything put back.

    Told are: parameters that the loss gives no gradient, or zero, NaN or Inf, and the node that makes it so;
    parameters that the optimizer does not have; columns that meet rows, (N, 1) with (N); and of the two steps errors,
    gradients that are not cleared, a graph that grows. `loss` is a tensor whose backward has not run yet, `step` a
    function without arguments. What `step` takes from a generator or writes to a file is not put back. Of models of
    torch are not told: the node that made a gradient zero, columns that meet rows, a graph that grows.
    Raises: TypeError if `model` is no module, `loss` is a function, `optimizer` is none, or `step` cannot be called.
    """
    fits = is_module(model) and (step is None or callable(step)) and not callable(loss)
    fits = fits and (optimizer is None or hasattr(optimizer, "param_groups"))
    demand(fits, "doctor.wrong", TypeError, given=", ".join(type(v).__name__ for v in (model, loss, optimizer, step)))
    frame = sys._getframe(1)
    context, call = standing(frame) or NOWHERE, expression(frame.f_code, frame.f_lasti)
    places = takewhile(lambda node: not isinstance(node, ast.Starred), getattr(call, "args", ()))
    given = dict(zip(("model", "loss"), places, strict=False))
    given |= {k.arg: k.value for k in getattr(call, "keywords", ()) if k.arg in ("model", "loss")}
    names = [ast.unparse(given[word]) if word in given else word for word in ("model", "loss")]
    with (Restoring(step, model, optimizer, loss) as kept, warnings.catch_warnings(action="ignore"),
          redirect_stdout(StringIO())):
        told = [*checkup.remarks(model, loss, optimizer, step, names, context, given.get("loss"))]
    told += [checkup.Remark("moved", {"names": ", ".join(kept.moved)})] if kept.moved else []
    return Checkup(told, loss)


class Checkup(TextWithDrawing):
    """What the doctor has to say; `str()` is the text, `remarks` its parts, each with a finding or None."""

    def __init__(self, told: list[checkup.Remark], loss: AnyTensor) -> None:
        marks = dict([item for one in told for item in one.marks.items()][:MARKED])
        self.remarks, self.here = [one._replace(marks={}) for one in told], notes.file_now()
        self.drawing: Drawing | None = None
        if library(loss) and loss.requires_grad:
            graph = picture([loss, *marks.values()], {**learners_names(), **marks})
            self.drawing = Drawing(graph, lang=get_language(), marks=frozenset(
                t.id for t in graph.tensors if t.name in marks))
            if not marks:  # nothing has to be in sight
                self.drawing.fit()

    def _words(self) -> str:
        parts = []
        for one in self.remarks:
            causes = (notes.cause_told(one.found, lang, self.here) for lang in notes.languages() if one.found)
            parts += [say(f"doctor.{one.key}", **one.facts), *causes]
        return "\n".join(parts)
