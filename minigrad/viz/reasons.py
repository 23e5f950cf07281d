"""`why(t)`: why there is no gradient, why nothing is tracked, why backward fails.

The answer is a few sentences and the graph with the place marked. Everything is found in the
records of the graph and in what the learner has named; nothing is run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ..graph.snapshot import AnyTensor, Graph, TensorRecord
from ..text import get_language, say
from .display import Drawing, Read, TextWithDrawing, learners_names, library, reader_for

LOSSES = 8  # named results that are searched for the leaf in question
Reason = tuple[str, dict[str, Any], set[str]]  # message, its blanks, ids to mark


def why(t: AnyTensor | None = None) -> Explanation:
    """Why `t.grad` is None or `t` is not tracked, or, without `t`, why the last cell failed."""
    if t is None:
        return Explanation([last_error()], None)
    names = learners_names()
    read = reader_for(t)
    graph = read(t, names=names)
    record = graph.tensor(graph.roots[0])
    if record.kind == "leaf" and record.grad is None:
        graph, reason = unreached(record, t, read, names)
        return Explanation([reason, *why_backward_fails(graph)], graph)
    fine = "why.fine", {"name": label(record), "grad": record.grad}, {record.id}
    return Explanation([*why_no_grad(record), *why_backward_fails(graph)] or [fine], graph)


def last_error() -> Reason:
    """The notes of the last exception that nobody caught."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if error is None:
        return "why.no_error", {}, set()
    notes = "\n".join(getattr(error, "__notes__", ()))
    return "why.error", {"error": f"{type(error).__name__}: {error}", "notes": notes}, set()


def label(t: TensorRecord) -> str:
    """A tensor's name, else its shape."""
    return t.name or f"tensor{t.shape}"


def why_no_grad(t: TensorRecord) -> Iterator[Reason]:
    """What keeps a tensor that is no leaf with requires_grad from having a `.grad`."""
    facts = {"name": label(t)}
    if t.kind == "constant":
        whole = not t.dtype.startswith(("float", "bfloat", "complex"))
        yield f"why.{'integer' if whole else 'constant'}", {**facts, "dtype": t.dtype}, {t.id}
    elif t.kind == "nonleaf" and t.grad is None:
        yield f"why.{'retained' if t.retains_grad else 'nonleaf'}", facts, {t.id}


def unreached(t: TensorRecord, leaf: AnyTensor, read: Read, names: Mapping[str, AnyTensor]) -> tuple[Graph, Reason]:
    """A leaf without `.grad`: which named result leads to it, and has that run backward?"""
    results = [(k, v) for k, v in names.items() if v.grad_fn is not None and library(v) == library(leaf)][::-1]
    results.sort(key=lambda named: named[1].numel() != 1)  # losses first, the latest first
    others: list[str] = []
    for name, loss in results[:LOSSES]:
        graph = read(loss, names={**names, label(t): leaf})
        here = {r.id for r in graph.tensors if r.kind == "leaf" and r.name == label(t)}
        if here:
            key = "why.cleared" if any(s.freed for n in graph.nodes for s in n.saved) else "why.not_yet"
            return graph, (key, {"name": label(t), "loss": name if loss.numel() == 1 else f"{name}.sum()"}, here)
        if loss.numel() == 1:
            others.append(name)
    graph = read(leaf, names=names)
    facts = {"name": label(t), "loss": ", ".join(others)}
    return graph, ("why.unreached" if others else "why.unused", facts, {graph.roots[0]})


def why_backward_fails(graph: Graph) -> Iterator[Reason]:
    """What will make backward fail."""
    for n in graph.nodes:
        for s in n.saved:
            if s.stale:
                facts = {"node": n.name, "field": s.field, "saved": s.version, "now": s.now}
                yield "why.stale", facts, {n.id, f"{n.id}.{s.field}"}
    freed = next((n for n in graph.nodes if any(s.freed for s in n.saved)), None)
    if freed is not None:
        yield "why.freed", {"node": freed.name}, {freed.id}


class Explanation(TextWithDrawing):
    """Sentences, and the graph with the place marked; `str()` is the text."""

    def __init__(self, reasons: list[Reason], graph: Graph | None) -> None:
        self.reasons = reasons
        marks = frozenset().union(*(m for _, _, m in reasons))
        self.drawing = None if graph is None else Drawing(graph, lang=get_language(), marks=marks)

    def __str__(self) -> str:
        return "\n".join(say(key, **facts) for key, facts, _ in self.reasons)
