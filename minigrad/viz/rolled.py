"""Repeats rolled up: of a loop's turns the last is drawn, in a frame `step × 100` with a wire back in.

Everything outside keeps its edges; what another turn made counts as the last turn's, and what came in
from the turn before is the wire that goes around.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..graph.nesting import common
from ..graph.snapshot import Edge, Graph, NodeRecord, Repeat, Scope, TensorRecord, by_key, only

TURNS, OPS, MANY = 4, 14, 16  # what is shorter is drawn as it is, and what is beyond so many
NUMBER = re.compile(r"[.[]?\d+]?$")  # of a module among equal ones


@dataclass(frozen=True, slots=True)
class Roll(Repeat):
    """A loop that is drawn once: (output that goes back in, what it meets at the first turn), the edges inside that
    go round, and (edge from outside that stands for those to several turns, how many)."""

    loops: tuple[tuple[str, str], ...] = ()
    edges: tuple[str, ...] = ()
    bundles: tuple[tuple[str, int], ...] = ()
    own: tuple[tuple[str, tuple[str, ...]], ...] = ()  # leaf's node that is drawn -> those of all turns
    alone: str = ""  # the scope that is all of a turn

    @property
    def count(self) -> int:
        """How often it ran."""
        return len(self.turns)


def seen(graph: Graph, closed: frozenset[str]) -> list[Repeat]:
    """The repeats that stand in none of these scopes."""
    ends = ([{*graph.chains[graph.node(turn[0]).scope]} for turn in (r.turns[0], r.turns[-1])] for r in graph.repeats)
    return [r for r, (first, last) in zip(graph.repeats, ends, strict=True) if closed.isdisjoint(first & last)]


def roll_up(graph: Graph, closed: frozenset[str] = frozenset()) -> tuple[Graph, dict[str, Roll]]:
    """The graph with its repeats rolled up: those that are long enough, do not overlap, and stand in no `closed` one
    of its scopes."""
    rolls, taken = dict[str, Roll](), set[str]()
    # twice, for one may wait for another
    for repeat in sorted(seen(graph, closed), key=lambda r: -sum(map(len, r.turns)))[:MANY] * 2:
        nodes = {id for turn in repeat.turns for id in turn}
        same = len({len(turn) for turn in repeat.turns}) == 1 and nodes <= graph.nodes_by_id.keys()
        ops = sum(graph.node(id).leaf is None for id in nodes) if same and not nodes & taken else 0
        if ops > OPS and len(repeat.turns) >= TURNS and (rolled := Rolling(graph, repeat).graph_and_roll()) and all(
                edge in rolled[0].edges for roll in rolls.values() for edge in roll.edges):  # what goes round is there
            graph, rolls[repeat.id] = rolled
            taken |= nodes
    return graph, rolls


class Rolling:
    """Rolls up one repeat."""

    def __init__(self, graph: Graph, repeat: Repeat) -> None:
        self.graph, self.repeat = graph, repeat
        self.last = repeat.turns[-1]
        self.same = {id: self.last[j] for turn in repeat.turns for j, id in enumerate(turn)}
        self.first = dict(zip(self.last, repeat.turns[0], strict=True))
        self.starts: dict[str, str] = {}  # output that goes back in -> what came in at the first turn
        self.round: list[str] = []
        self.bundles: Counter[str] = Counter()
        self.made: dict[str, TensorRecord] = {}  # inputs of the first turn that nobody knows

    def graph_and_roll(self) -> tuple[Graph, Roll] | None:
        """The smaller graph; None where the last turn cannot stand for the others: they use what stands elsewhere, or
        what some made is used outside and what others made is not."""
        graph, same = self.graph, self.same
        uses: list[Any] = [e for n in graph.nodes if n.id not in same for e in n.edges]
        taken = by_key(((same[e.node], e.nr), e.node) for e in (*uses, *map(graph.tensor, graph.roots))
                       if e.node in same)
        sources = [{e.node for e in graph.node(id).edges} - same.keys() for id in self.last]
        if any(not mine <= {e.node for e in graph.node(id).edges} for turn in self.repeat.turns
               for mine, id in zip(sources, turn, strict=True)):
            return None
        if any({*some} != {place} and len({*some}) < len(self.repeat.turns) for (place, _), some in taken.items()):
            return None
        nodes = tuple(n if same.keys().isdisjoint(e.node for e in n.edges) else replace(n, edges=tuple(self.edges(n)))
                      for n in graph.nodes if same.get(n.id, n.id) == n.id)
        tensors = [t for t in graph.tensors if same.get(t.node or "", t.node) == t.node]
        own = tuple((some[-1], some) for some in zip(*self.repeat.turns, strict=True) if graph.node(some[0]).leaf)
        scopes, nodes, alone = self.scopes(nodes, bool(own))
        bundles = tuple((id, count) for id, count in self.bundles.items() if count > 1)
        return (replace(only(graph, nodes, [*tensors, *self.made.values()]), scopes=scopes),
                Roll(self.repeat.id, self.repeat.turns, self.repeat.all, tuple(self.starts.items()), tuple(self.round),
                     bundles, own, alone))

    def edges(self, n: NodeRecord) -> Iterator[Edge]:
        """The edges of a node that stays: other turns' outputs are the last turn's, the turn before is the loop."""
        bundles: dict[tuple[str, int, str], str] = {}
        turns = by_key((self.same.get(e.node or ""), e.node) for e in n.edges)
        for e in n.edges:
            target = self.same.get(e.node or "")
            if target is None:
                yield e
            elif n.id not in self.same:
                alone = n.edge_id(e.slot) if len({*turns[target]}) < 2 else ""  # `h * h` takes the last turn's twice
                first = bundles.setdefault((target, e.nr, alone), n.edge_id(e.slot))
                self.bundles[first] += 1
                if first == n.edge_id(e.slot):
                    yield replace(e, node=target, tensor=self.graph.output(target, e.nr))
            elif e.node == target:
                yield e
            else:
                begin = self.graph.node(self.first[n.id])
                start = begin.edge(e.slot)
                if start.node in self.same:  # what `0 + x` began with stands second
                    start = replace(next(f for f in begin.edges if f.node not in self.same), slot=e.slot)
                if start.node is None and start.tensor is None:
                    start = replace(start, tensor=self.unknown(self.graph.output(target, e.nr), f"t0.{target}.{e.nr}"))
                self.starts[f"{target}:{e.nr}"] = f"{start.node}:{start.nr}" if start.node else f"{start.tensor}:0"
                self.round.append(n.edge_id(e.slot))
                yield start

    def unknown(self, like: str | None, id: str) -> str:
        """A card for what came in at the first turn, of which only the shape is known."""
        if id not in self.made and like is not None:
            self.made[id] = replace(self.graph.tensor(like), id=id, kind="constant", name=None, node=None, nr=0,
                                    requires_grad=False, retains_grad=False, base=None, value=None, grad=None)
        return id

    def scopes(self, nodes: tuple[NodeRecord, ...], own: bool) -> tuple[tuple[Scope, ...], tuple[NodeRecord, ...], str]:
        """A scope for the loop, around what is in it and inside what is around all turns; the only one in it."""
        known = {s.id: s for s in self.graph.scopes}
        around = {id: self.graph.chains[n.scope][::-1] for id in self.same if (n := self.graph.node(id)).leaf is None}
        depth, last = common([*around.values()]), [id for id in self.last if id in around]
        outer = around[last[0]][depth - 1] if depth else ""
        mine = {around[id][depth] for id in last if len(around[id]) > depth}
        alone = min(mine) if len(mine) == 1 and all(len(around[id]) > depth for id in last) else ""
        whole = known.get(alone, Scope("", "", "", name="block" if own else "step"))
        if whole.kind == "line":  # its text would be a long title
            whole = replace(whole, path="", name=whole.path)
        path = NUMBER.sub("", whole.path) if own else whole.path
        loop = Scope(self.repeat.id, outer, "repeat", path, name=whole.name)
        scopes = tuple(replace(s, parent=loop.id) if s.id in mine else s for s in self.graph.scopes)
        nodes = tuple(replace(n, scope=loop.id) if n.id in last and len(around[n.id]) == depth else n for n in nodes)
        return (loop, *scopes), nodes, alone
