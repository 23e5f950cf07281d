"""What is folded: modules and calls drawn as one box, as the level, the reader's choice and the room ask.

A closed scope is one box, an open one a frame around its operations; containers open, the smallest first,
as long as few boxes result. What a box hides is counted, never left out in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

from ..graph.snapshot import Edge, Graph, NodeRecord, by_key, part
from ..text import demand
from .rolled import Roll, roll_up, seen

LEVELS = ("modules", "functions", "ops")
FEW_BOXES, MANY_PILLS, MANY_BOXES = 14, 150, 300  # drawn by choice, with all that hangs on them, at most


@dataclass
class Fold:
    """Which scopes of a graph are closed, and which of the open ones have a frame."""

    graph: Graph
    closed: frozenset[str] = frozenset()
    clear: frozenset[str] = frozenset()  # open, without a frame of their own
    scopes: dict[str, Any] = field(default_factory=dict)
    compact: bool = False  # one chip for all parameters of a box
    stacked: bool = False  # drawers above their parameters, not beside
    bare: bool = False  # no cards of results without a name
    rolls: dict[str, Roll] = field(default_factory=dict)  # scope -> the loop that it stands for
    whole: Graph | None = None  # before loops were rolled up, or far parts left out; None where it is the graph
    around: frozenset[str] = frozenset()  # the closed scopes whose loops were not rolled up

    @cached_property
    def home(self) -> dict[str, str]:
        """Op -> its innermost scope, for those that have one."""
        return {n.id: n.scope for n in self.graph.ops if n.scope in self.scopes}

    @cached_property
    def inside(self) -> dict[str, list[NodeRecord]]:
        """Scope -> its ops, those of inner scopes too, in the order in which they ran."""
        return by_key(((scope, n) for n in sorted(self.graph.ops, key=lambda n: n.seq)
                       for scope in self.graph.chains[self.home.get(n.id, "")]), self.scopes)

    @cached_property
    def hidden(self) -> dict[str, str]:
        """Scope -> the closed one that hides it, or it itself: the outermost."""
        return {s: closed[-1] for s in self.scopes if (closed := [c for c in self.graph.chains[s] if c in self.closed])}

    @cached_property
    def box(self) -> dict[str, str]:
        """Op -> the closed scope that hides it."""
        return {op: self.hidden[scope] for op, scope in self.home.items() if scope in self.hidden}

    @cached_property
    def boxes(self) -> list[str]:
        """The closed scopes that are drawn."""
        return list(dict.fromkeys(self.box.values()))

    @cached_property
    def frames(self) -> frozenset[str]:
        """The open scopes that have a frame."""
        around = {s for n in self.graph.ops for s in self.graph.chains[self.home.get(n.id, "")] if n.id not in self.box}
        around |= {s for id in self.boxes for s in self.graph.chains[self.scopes[id].parent]}
        return frozenset(s for s in around - self.clear - self.closed if len(self.inside[s]) > 1 or s in self.rolls)

    @cached_property
    def users(self) -> dict[str, set[str]]:
        """AccumulateGrad -> the closed scopes that use it; "" for an op that is drawn."""
        leaves = {n.id for n in self.graph.nodes if n.kind == "accumulate"}
        return {acc: {self.box.get(op, "") for op in ops} for acc, ops in self.graph.users.items() if acc in leaves}

    @cached_property
    def params(self) -> frozenset[str | None]:
        """The parameters of all modules: no inputs."""
        return frozenset(p for s in self.graph.scopes for p in s.params)

    @cached_property
    def chips(self) -> dict[str, str]:
        """AccumulateGrad -> the closed scope that alone uses it; of several that share many its own module, or the
        first. A module has its parameters so, not what came in, and no loop has what it starts from."""
        alike, many = Counter(map(frozenset, self.users.values())), 3 if self.bare else 2  # a formula's are its subject
        leaves = {acc: self.graph.node(acc).leaf for acc in self.users.keys() - self.starts}
        return {acc: min(boxes, key=lambda id: (leaves[acc] not in self.scopes[id].params, len(id), id))
                for acc, boxes in self.users.items() if acc in leaves and "" not in boxes
                and (len(boxes) == 1 or alike[frozenset(boxes)] > many) and leaves[acc] not in self.graph.roots
                and (leaves[acc] in self.params or all(self.scopes[id].kind != "module" for id in boxes))}

    @cached_property
    def chips_of(self) -> dict[str, list[str]]:
        """Closed scope -> the AccumulateGrads that it names."""
        return by_key((box, acc) for acc, box in self.chips.items())

    def __post_init__(self) -> None:
        rolls = self.rolls.values()
        # edge that goes round a loop -> what came in there at the first turn
        self.round = {id: self.graph.edges[id][1].tensor or "" for roll in rolls for id in roll.edges}
        # the nodes from which loops start: they stand outside, so that the way round can be seen
        self.starts = {t.node for id in self.round.values() if (t := self.graph.tensors_by_id.get(id))}
        # edge that stands for those to the same output of several turns -> how many they are
        self.bundles = {id: count for roll in rolls for id, count in roll.bundles}
        # AccumulateGrad of a block that is drawn for equal ones -> those of all of them
        self.own = {acc: all_ for roll in rolls for acc, all_ in roll.own}
        # the ops inside of loops that are rolled up, of all turns
        self.steps = frozenset(id for roll in rolls for turn in roll.turns for id in turn)

    @cached_property
    def apart(self) -> frozenset[str]:
        """The ops in loops that are rolled up at which no gradients meet: each turn has its own, used once."""
        uses = (self.whole or self.graph).consumers
        turns = (pair for roll in self.rolls.values() for pair in zip(roll.turns[0], roll.turns[-1], strict=True))
        return frozenset(last for first, last in turns if max(len(uses[first]), len(uses[last])) < 2)

    def turns(self, scope: str) -> int:
        """How often what is in a scope ran, in the loops that are rolled up."""
        return prod(self.rolls[s].count for s in self.graph.chains[scope] if s in self.rolls)

    def calls(self, acc: str) -> int:
        """How often closed scopes use a leaf: each module in them counts that does, and each turn of a loop."""
        found = {(self.box[op], *[s for s in self.graph.chains[self.home[op]] if self.scopes[s].kind == "module"][:1])
                 for op in self.graph.users[acc]}
        return sum(self.turns(box) for box, *_ in found)

    def times(self, n: NodeRecord, e: Edge) -> int:
        """How many turns of a loop send to a leaf by this edge, or are sent to."""
        turns = self.turns(self.home.get(n.id, "")) // len(self.own.get(e.node or "", ("",)))
        return self.bundles.get(n.edge_id(e.slot)) or (turns if e.node and self.graph.node(e.node).leaf else 1)

    @cached_property
    def wires(self) -> dict[str, str]:
        """Edge into a closed box -> the one that is drawn for all that come from the same output."""
        first: dict[tuple[str, str | None, int], str] = {}
        return {id: first.setdefault((box, e.node or e.tensor, e.nr), id) for id, (n, e) in self.graph.edges.items()
                if (box := self.box.get(n.id)) and self.box.get(e.node or "") != box and e.node not in self.chips}

    @property
    def total(self) -> int:
        """How many ops there are, drawn or not."""
        return len((self.whole or self.graph).ops)

    @property
    def shown(self) -> int:
        """How many boxes and pills there are."""
        return len(self.boxes) + len(self.graph.ops) - len(self.box)

    @property
    def largest(self) -> str | None:
        """The open module or loop that is closed first, the largest of the innermost; None where none is open."""
        open_ = [id for id in self.frames if self.scopes[id].kind != "call"]
        return max(open_, key=lambda id: (len(self.graph.chains[id]), len(self.inside[id]), id), default=None)

    def opened(self, scopes: Iterable[str]) -> Fold:
        """The same with these scopes, and those around them, open."""
        return self.refolded(self.closed - {s for id in scopes for s in self.graph.chains[id]})

    def refolded(self, closed: frozenset[str], clear: frozenset[str] = frozenset()) -> Fold:
        """The same with these scopes closed; a loop that one of them hides is not rolled up, so that all of its turns
        count to it."""
        found = replace(self, closed=closed, clear=self.clear | clear)
        if self.whole is None or seen(self.whole, closed) == seen(self.whole, self.around):
            return found
        graph, rolls = roll_up(self.whole, closed)
        return replace(found, graph=graph, rolls=rolls, scopes={s.id: s for s in graph.scopes}, around=closed)


def fold(graph: Graph, level: str | None = None, repeats: bool = True) -> Fold:
    """The fold state for a level, "modules", "functions" or "ops"; None: the level that fits. With `repeats`
    loops are rolled up."""
    whole = graph if repeats and graph.repeats else None
    graph, rolls = roll_up(graph) if whole else (graph, {})
    everything = Fold(graph, scopes={s.id: s for s in graph.scopes}, rolls=rolls, whole=whole)
    all_ = replace(everything, clear=clear(everything))
    modules, lines = ({s.id for s in graph.scopes if s.kind == kind} for kind in ("module", "line"))
    calls = frozenset(all_.scopes).difference(all_.clear, rolls, modules)
    one = {id for id, roll in rolls.items() if roll.alone in modules}  # which are as good as the module in them
    folded = replace(all_, closed=calls | (modules - all_.clear) | one)
    found = {"ops": all_, "functions": replace(all_, closed=calls), None: None if modules | lines else all_}.get(level)
    fits = found and (found.shown <= MANY_BOXES or found.closed == calls | modules)
    return found if found and fits else containers_open(folded, modules)


def clear(fold: Fold) -> frozenset[str]:
    """Scopes without a box or a frame: a top module that holds others, what is all of a loop's turn, a call of one op
    or of all that is in the scope around it."""
    modules = {id for id, s in fold.scopes.items() if s.kind == "module"}
    tops = {id for id in modules if len(modules.intersection(fold.graph.chains[id])) == 1}
    found = {id for id in tops if len(tops) == 1 < len(modules) and not fold.scopes[id].parent}
    found |= {roll.alone for roll in fold.rolls.values()} - {""}
    return frozenset(found | {id for id, s in fold.scopes.items() if s.kind == "call" and (
        len(fold.inside[id]) == 1 or (s.parent and len(fold.inside[id]) == len(fold.inside[s.parent])))})


def containers_open(fold: Fold, modules: set[str]) -> Fold:
    """Modules that hold modules, and loops, open from outside, the smallest first, as long as few boxes result; no
    line of code."""
    outer = {s for id in modules for s in fold.graph.chains[fold.scopes[id].parent] if fold.scopes[s].kind != "line"}
    parts = [*fold.home.values(), *(fold.scopes[id].parent for id in {*fold.scopes} - fold.clear if fold.inside[id])]
    boxes = Counter(next((s for s in fold.graph.chains[id] if s not in fold.clear), "") for id in parts)
    closed, shown = set(fold.closed), fold.shown
    for id in sorted(outer & closed, key=lambda id: (len(fold.graph.chains[id]), len(fold.inside[id]), id)):
        if 0 < boxes[id] <= FEW_BOXES - shown + 1 and closed.isdisjoint(fold.graph.chains[fold.scopes[id].parent]):
            closed.remove(id)
            shown += boxes[id] - 1
    return replace(fold, closed=frozenset(closed))


def named(fold: Fold, names: Iterable[str]) -> Iterator[str]:
    """The scopes that a reader means: by path, whole or its end, by class or by function.

    Raises: ValueError for a name that no scope bears.
    """
    for name in names:
        known = [id for id, s in fold.scopes.items() if name in (id, s.name) or f".{s.path}".endswith(f".{name}")]
        listed = ", ".join(sorted({repr(s.path or s.name) for s in fold.scopes.values()})[:12])
        demand(known, "draw.no_scope", what="open", name=name, known=listed or "-")
        yield from known


def few(fold: Fold) -> Fold:
    """All of it, or what runs first in backward where so much is open that nobody could read it."""
    graph = fold.graph
    if fold.shown <= MANY_BOXES:
        return fold
    roots = [n for r in graph.roots if (n := graph.tensor(r).node)] or [graph.nodes[0].id]
    distance = MANY_BOXES // 2
    while len((near := part(graph, roots, distance)).ops) > MANY_BOXES and distance > 2:
        distance //= 2
    # of loops what is in sight: some may lie behind its end
    rolls = {id: replace(roll, edges=tuple(e for e in roll.edges if e in near.edges and not near.edges[e][1].cut),
                         loops=tuple(pair for pair in roll.loops if pair[0].split(":")[0] in near.nodes_by_id))
             for id, roll in fold.rolls.items() if not near.nodes_by_id.keys().isdisjoint(roll.turns[-1])}
    return replace(fold, graph=near, rolls=rolls, whole=fold.whole or graph)


def own_end(name: str, others: Collection[str]) -> str:
    """The shortest end of a dotted name that none of the others has: `weight`, `fc.0.weight`."""
    parts = name.split(".")
    ends = (".".join(parts[i:]) for i in reversed(range(len(parts))))
    return next((end for end in ends if not any(f".{o}".endswith(f".{end}") for o in others if o != name)), name)


def order_spans(fold: Fold) -> dict[str, str]:
    """Box or node -> its numbers in the order of backward, `3–6`, AccumulateGrad included; of nodes that it reaches."""
    rolled = {id: scope for scope, roll in fold.rolls.items() for turn in roll.turns for id in turn}
    # ids count in the order of backward
    spans = by_key((rolled.get(id) or fold.box.get(id) or fold.chips.get(id) or id, int(id[1:]))
                   for id in dict.fromkeys((*(n.id for n in fold.graph.nodes if n.id in fold.graph.reached), *rolled)))
    return {id: f"{min(n)}–{max(n)}" if len(n) > 1 else str(n[0]) for id, n in spans.items()}
