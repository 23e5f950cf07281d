"""Lesson 2, "What was written down?": make a result whose record is a given picture."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, combinations, product
from typing import Any

from .. import tensor
from ..graph.live import read
from ..graph.snapshot import Graph
from .exercise import Exercise, Trial, differs, drawn, programs, same, whenever, written

FEW = 12  # nodes; larger records are not searched for what makes them differ


def tree(graph: Graph, id: str | None, without: tuple = (), turn: bool = False, seen: dict | None = None) -> str:
    """A record in words, `Mul(Add(w, None), None)`: some nodes left out, slots in any order, or, where there is
    a dict for what was `seen`, with each shared node written once."""
    if id is None:
        return "None"
    node = graph.node(id)
    if node.leaf:
        return graph.tensor(node.leaf).name or "?"
    again = seen is not None and len(graph.consumers[id]) > 1
    if again and id in seen:
        return seen[id]
    tag = seen.setdefault(id, f"#{len(seen) + 1}") + " " if again else ""
    parts = [tree(graph, edge.node, without, turn, seen) for edge in node.edges]
    if id in without:
        return next(part for part in parts if part != "None")
    return f"{tag}{node.name.removesuffix('Backward0')}({', '.join(sorted(parts) if turn else parts)})"


def pruned(graph: Graph, id: str | None) -> set[str]:
    """The record, and what is left of it if some results had been cut off."""
    node = graph.nodes_by_id.get(id)
    if node is None or node.leaf:
        return {"None", tree(graph, id)}
    ways = product(*(pruned(graph, edge.node) for edge in node.edges))
    return {"None", *(f"{node.name.removesuffix('Backward0')}({', '.join(way)})" for way in ways)}


@cache
def wanted() -> Graph:
    w, km = tensor(2.0, requires_grad=True), tensor(1.5)
    shared = w + 1
    graph = read(shared * shared + shared * km, names={"w": w, "km": km})
    return replace(graph, scopes=(), nodes=tuple(replace(n, scope="", line=None) for n in graph.nodes))


def picture() -> Any:
    """The record that exercise 02 asks for, drawn."""
    return drawn(wanted())


def play(answer: Callable, *data: str) -> tuple[dict, dict]:
    got, facts = programs("build")(answer, *data[:-1])  # the record, last, is written in words here
    result, names = got.get("result"), facts["names"]
    if getattr(result, "grad_fn", None) is None:
        return got, facts
    facts["graph"] = read(result, names={name: names[name] for name in ("w", "km")})
    return {**got, "result.grad_fn": tree(facts["graph"], "n1", seen={})}, facts


def equal(trials: Sequence[Trial]) -> bool:
    """Whether the number is right on all cases."""
    return all(t.fault is None and same(t.got["result"], t.case.want["result"]) for t in trials)


def observed(trial: Trial, trials: Sequence[Trial]) -> str:
    """Where two records part tells which idea made the other one."""
    graph, goal = trial.facts.get("graph"), wanted()
    if graph is None or len(graph.nodes) > FEW:
        return "other_graph" if graph and equal(trials) else "wrong_value"
    names, known = ({node.name for node in g.nodes} for g in (graph, goal))
    leaves = {graph.tensor(node.leaf).name for node in graph.nodes if node.leaf}
    if None in leaves and same(trial.got["result"], trial.case.want["result"]):
        return "unrecorded:own_leaf"
    if not equal(trials):
        return "missing_node" if tree(graph, "n1") in {tree(goal, n.id) for n in goal.ops[1:]} else "wrong_value"
    free = [n.id for n in graph.ops if sum(edge.node is not None for edge in n.edges) == 1]
    loose = tree(goal, "n1", turn=True)
    if tree(graph, "n1", turn=True) == loose:
        return "slots" if len(graph.nodes) == len(goal.nodes) else "recomputed"
    if any(tree(graph, "n1", out, True) == loose for out in chain(combinations(free, 1), combinations(free, 2))):
        return "extra_node"
    if tree(graph, "n1") in pruned(goal, "n1"):  # nothing there
        return "unrecorded"
    return "wrong_value" if leaves != {"w"} else "other_op" if names - known else "other_graph"


def marked(trial: Trial, key: str) -> Any:
    """The learner's record, with the first operation marked that is not in the picture, or is there twice."""
    graph = trial.facts.get("graph")
    if graph is None or len(graph.nodes) > FEW:
        return None
    goal = {tree(wanted(), n.id) for n in wanted().nodes}
    mine = {n.id: tree(graph, n.id) for n in reversed(graph.ops)}
    strange = [id for id, text in mine.items() if text not in goal][:1]
    return drawn(graph, strange or [id for id, text in mine.items() if [*mine.values()].count(text) > 1])


EXERCISE = Exercise("02", written("02"), play, draw=marked, observed=observed, signs={"edits_input": differs("w.data"),
    "kind:brackets": whenever(lambda t: isinstance(t.facts["names"].get("result"), list | tuple)),
    "unrecorded": lambda trials: trials[0] if equal(trials) and "graph" not in trials[0].facts else None})
