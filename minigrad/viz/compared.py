"""`compare`: two recorded backwards side by side, with one transport, and what differs lit.

Events of the two runs are aligned by the longest common blocks of (kind of node, name or formula, its turn,
event, slot); what only
one run does is a moment of its own, in which the other waits. The browser shows two players, and moves both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

import traitlets

from ..graph.own_engine import calls_of, spoken, theirs
from ..graph.recorder import Frame, record
from ..graph.snapshot import AnyTensor, Graph
from ..text import both, chosen, demand
from .display import THEMES, must_be_one_of, tensor_names
from .player import LivePlayer, Player, Stage, step
from .scenes import Scenes

Moment = tuple[int, int, str]  # frames of both runs, and who has moved: "both", "a" or "b"


def compare(run_a: Player | AnyTensor, run_b: Player | AnyTensor, *, lang: str | None = None,
            theme: str | None = None) -> Comparison:
    """Two runs side by side, stepping together: with and without `detach`, a hook, `retain_graph`, a fault.

    A run is what `step` returned, or a tensor, whose backward is then previewed. Nodes that only one run has, numbers
    and gradients that differ are lit. The result plays without kernel; `save_page` makes one file of it.
    The first may be an engine of your own: an object with `next`, `vjp` and `backward`, made as the tensor was. Its
    backward runs once, on the side, and both stop where it first does something else than ours.
    Raises: TypeError for anything else; ValueError for a live player, whose end nobody knows yet, and for an engine
    that records something else than the tensor does.
    """
    must_be_one_of(theme, THEMES, "theme")
    if hasattr(run_a, "vjp") and hasattr(run_a, "next"):
        return beside(run_a, run_b, chosen(lang), theme or "")
    runs = [run if isinstance(run, Player) else step(run, preview=True, lang=lang) for run in (run_a, run_b)]
    demand(not any(isinstance(run, LivePlayer) for run in runs), "player.no_live_compare")
    return Comparison(runs[0], runs[1], lang=chosen(lang), theme=theme or "")


class Comparison(Stage):
    """Two recorded backwards as one widget; see `compare`. `moments` are its steps: (frame of A, frame of B, who)."""

    runs, moments = (traitlets.List[Any]().tag(sync=True) for _ in range(2))
    twins, ui = (traitlets.Dict().tag(sync=True) for _ in range(2))
    frame = traitlets.Int(0).tag(sync=True)

    def __init__(self, a: Player, b: Player, **shown: Any) -> None:
        self.players = a, b
        a.shown = b.shown = True  # nobody is told to show them, too
        codes = [a.scene["code"].splitlines(), b.scene["code"].splitlines()]
        states = [run.state() | {"drive": False, "predict": False, "frame": 0, "path": [], "breaks": [],
                                 "lines": [line for line in code if line not in other]}
                  for run, code, other in zip((a, b), codes, codes[::-1], strict=True)]
        super().__init__(runs=states, moments=aligned(a, b), twins=twins(a.graph, b.graph),
                         ui={word: both(f"player.{word}") for word in ("only_one", "grads")}, **shown)

    def to_text(self) -> str:
        """The moments in words of the API: both runs' events, each where it happens."""
        a, b = (["", *(told(run.graph, f) for f in run.kept[1:])] for run in self.players)
        rows = [(a[i] if who != "b" else "", b[j] if who != "a" else "") for i, j, who in self.moments[1:]]
        wide = max((len(left) for left, _ in rows), default=0)
        return "\n".join(f"{left:{wide}}  {'|' if left and right else '<' if left else '>'}  {right}".rstrip()
                         for left, right in rows)

    def __repr__(self) -> str:
        return f"minigrad.compare({', '.join(run.scene['root']['name'] for run in self.players)})"


def beside(engine: Any, root: AnyTensor, lang: str, theme: str) -> Comparison:
    """A learner's own engine and ours, in the order of theirs as long as that may be; where they part, and how."""
    graph, frames = record(root, names=tensor_names(None), retain_graph=True)
    true = {n.id: [f for f in frames if f.node == n.id] for n in graph.nodes}
    title, runs, done = Scenes(graph).title, [[frames[0]], [frames[0]]], [""]

    def ready(id: str) -> bool:
        return id not in done and all(sender in done for sender in graph.consumers[id])

    def moved(*both_steps: list[Frame]) -> None:
        for run, events in zip(runs, both_steps, strict=True):
            run += [replace(f, step=len(done)) for f in events]

    key, facts = "left", {}
    for id, before, after in calls_of(engine, graph):
        needs, mine = graph.consumers[id], [theirs(f, before, after) for f in true[id]]
        facts = {"node": title(id), "came": sum(s in done for s in needs), "of": len(needs),
                 "mine": spoken(mine), "ours": spoken(true[id])}
        if not ready(id):
            key = "again" if id in done else "early" if graph.node(id).edges else "left"
            break
        moved(mine, true[id])
        done.append(id)
        if facts["mine"] != facts["ours"]:
            key = "numbers"
            break
    after = next((n.id for n in graph.nodes if ready(n.id)), None)
    if after and key != "numbers":
        moved(mine if key == "early" else [], true[after])
    bare = replace(graph, nodes=tuple(replace(n, saved=(), span=None) for n in graph.nodes))  # nobody knows theirs
    a, b = (Player(g, tuple(run), preview=True, lang=lang) for g, run in zip((bare, graph), runs, strict=True))
    name, said = type(engine).__name__, both("player.preview")  # what it saved nobody knows
    a.scene |= {"call": f"{name}.backward()", "root": a.scene["root"] | {"name": name}, "before": said}
    made = Comparison(a, b, lang=lang, theme=theme)
    key = "same" if key == "left" and not after else key
    made.ui = made.ui | {"said": both(f"player.beside_{key}", **facts, next=after and title(after))}  # seen as a change
    return made


def told(graph: Graph, f: Frame) -> str:
    """An event in words of no language."""
    return f"{graph.node(f.node).name}: {f.kind}" + {"accumulate": f" {f.after}", "error": f" {f.name}"}.get(f.kind, "")


def keys(graph: Graph, other: Graph) -> dict[str, tuple[str, ...]]:
    """What a node is known by in another run: its kind, and a name or an expression that stand in both, that it is the
    root, where in its module its leaf is, its result's name or its formula; its turn."""
    seen, shared, names = Counter[tuple[str, str]](), {n.source for n in other.nodes}, {t.name for t in other.tensors}
    made: dict[str, tuple[str, ...]] = {}
    for node in graph.nodes:
        name = next((t.name for t in graph.outputs(node.id) if t.name), "")
        if name not in names:
            name = (node.source in shared and not node.leaf and node.source) or (
                "root" if node.id == graph.nodes[0].id else name.partition(".")[2] or name or node.formula)
        key = node.name, name
        seen[key] += 1
        made[node.id] = (*key, str(seen[key]))
    return made


def aligned(a: Player, b: Player) -> list[Moment]:
    """The moments of both runs, in an order that keeps each run's own."""
    known = [keys(one.graph, other.graph) for one, other in ((a, b), (b, a))]
    events = [[(*known[i].get(f.node, ()), f.kind, f.slot) for f in run.kept[1:]] for i, run in enumerate((a, b))]
    made: list[Moment] = [(0, 0, "both")]
    for kind, a0, a1, b0, b1 in SequenceMatcher(a=events[0], b=events[1], autojunk=False).get_opcodes():
        made += [(a0 + i + 1, b0 + i + 1, "both") for i in range(a1 - a0)] if kind == "equal" else [
            *((i + 1, b0, "a") for i in range(a0, a1)), *((a1, j + 1, "b") for j in range(b0, b1))]
    return made


def twins(a: Graph, b: Graph) -> dict[str, str]:
    """Node or leaf of A -> the one of B that is the same in the other run."""
    there = {key: id for id, key in keys(b, a).items()}
    nodes = {id: there[key] for id, key in keys(a, b).items() if key in there}
    leaves = {a.node(id).leaf: b.node(twin).leaf for id, twin in nodes.items() if a.node(id).leaf}
    return {**nodes, **{mine: other for mine, other in leaves.items() if mine and other}}
