"""`paths(root, leaf)`: every way from a result to a leaf, and what each adds to the gradient.

The gradient of a leaf is the sum over all paths, and there can be very many: they are counted
exactly, and the first ones are walked, each through the vector-Jacobian products of its nodes
(hooks left out). With `choose=True` you first say which ways count, and what they add up to.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, islice, pairwise
from math import isclose, isfinite, prod
from typing import Any

from ..graph.recorder import in_short
from ..graph.snapshot import AnyTensor, Graph
from ..text import demand, get_language, say
from .asking import Moment, equation, graph_parts, shown
from .display import Drawing, TextWithDrawing, learners_names, nodes_below, reader_for

SHOWN = 32
TICKED = 8  # paths that count, with `choose`, and as many that do not
Route = tuple[tuple[str, int], ...]  # (node, slot taken), the leaf's own node last
End = tuple[str, int]  # a node, and which of its results
Count = dict[str | None, int]  # how many paths lead from each node


def paths(root: AnyTensor, leaf: AnyTensor, choose: bool = False) -> Paths | Choice:
    """The ways from `root` back to `leaf`, at most 32 of them shown.

    With `choose` a widget lists all ways, those that end elsewhere too: tick the ones that count, type the
    total, and then see what each brings. What was answered is in `.answers`.
    Raises: ValueError if the graph of `root` does not lead to `leaf`; with `choose`, for more than 8 ways to it, for
    hooks on the way, and where the graph is freed.
    """
    end = nodes_below(leaf, root)[0], leaf.output_nr
    graph = reader_for(root)(root, names=learners_names())
    count = ways(graph, end)
    demand(count[None], "draw.not_there")
    if choose:
        return Choice(graph, root, end, count)
    found = list(islice(routes_from(graph, end, count), SHOWN))
    return Paths(graph, found, count, end, [
        in_short(grads[-1]) if (grads := arriving(root, graph, way)) else "" for way in found])


def ways(graph: Graph, end: End) -> Count:
    """How many paths lead from each node to `end`, and from the root (None); nodes stand consumers first."""
    count: Count = {}
    for n in reversed(graph.nodes):
        count[n.id] = sum((e.node, e.nr) == end or count[e.node] for e in n.edges if e.node)
    root = graph.tensor(graph.roots[0])
    return count | {None: ((root.node, root.nr) == end) + count[root.node]}


def ends(graph: Graph, end: End) -> list[str]:
    """What the root and the leaf are called; a root without a name as its node is."""
    root, leaf = graph.tensor(graph.roots[0]), graph.tensor(graph.output(*end))
    return [root.name or graph.node(root.node).name, leaf.label]


def hooked(graph: Graph, end: End, count: Count) -> bool:
    """Whether a hook on the way may change what arrives."""
    return any(h.kind != "post_accumulate" and (count[h.node] or (h.node, h.nr) == end) for h in graph.hooks)


def routes_from(graph: Graph, end: End, count: Count, others: int = 0) -> Iterator[Route]:
    """The paths to `end`, and the first `others` that lead to other leaves, or nowhere. Never recursive."""
    root = graph.tensor(graph.roots[0])
    stack: list[tuple[Any, int, Route]] = [(root.node, root.nr, ())]
    while stack:
        id, nr, way = stack.pop()
        arrived = (id, nr) == end
        edges = () if arrived else graph.node(id).edges
        if arrived or (not edges and others > 0):
            others -= not arrived
            yield (*way, (id, 0))
        edges = tuple(e for e in edges if others > 0 or (e.node, e.nr) == end or (e.node and count[e.node]))
        for e in [e for e in edges if e.node is None][:others]:
            others -= 1
            yield (*way, (id, e.slot))
        stack += [(e.node, e.nr, (*way, (id, e.slot))) for e in reversed(edges) if e.node]


def arriving(root: AnyTensor, graph: Graph, way: Route) -> list[AnyTensor]:
    """The gradient along one path, from the root's to what it brings; [] where a node is freed or has several
    outputs."""
    node, grads = root.grad_fn, [root.new_ones(root.shape)]
    try:
        for id, slot in way[:-1]:
            sent = node(grads[-1])
            grad, node = sent[slot] if isinstance(sent, tuple) else sent, node.next_functions[slot][0]
            grads.append(grad.detach().sum_to_size(graph.tensor(graph.node(id).edges[slot].tensor).shape))
    except (RuntimeError, TypeError, AttributeError, IndexError):
        return []
    return grads


def marks_of(found: list[Route]) -> frozenset[str]:
    """The nodes of these paths, and the arrows between them."""
    return frozenset({id for way in found for id, _ in way} | {f"{id}:{n}" for way in found for id, n in way[:-1]})


class Paths(TextWithDrawing):
    """Paths as text and as a picture; `paths[0]` is the picture of the first alone."""

    def __init__(self, graph: Graph, found: list[Route], count: Count, end: End, values: list[str]) -> None:
        self.graph, self.found, self.count, self.values = graph, found, count[None], values
        self.ends, self.hooked = ends(graph, end), hooked(graph, end, count)
        self.drawing = self.marked(found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, i: int) -> Drawing:
        return self.marked([self.found[i]])

    def marked(self, found: list[Route]) -> Drawing:
        """The picture with these paths marked."""
        return Drawing(self.graph, lang=get_language(), marks=marks_of(found))

    def _words(self) -> str:
        root, leaf = self.ends
        lines = [say("why.paths", count=self.count, root=root, leaf=leaf)]
        for i, (way, value) in enumerate(zip(self.found, self.values, strict=True), 1):
            names = " → ".join(self.graph.node(id).name for id, _ in way)
            lines.append(f"{i}  {names}" + (f"  {value}" if value else ""))
        lines += [say("why.paths_hooks")] if self.hooked else []
        more = say("why.paths_cut", shown=len(self.found), count=self.count)
        return "\n".join([*lines, more] if self.count > len(self.found) else lines)


class Choice(Moment):
    """All ways from a result; which of them count is asked. See `paths`."""

    def __init__(self, graph: Graph, root: AnyTensor, end: End, count: Count) -> None:
        self.graph, self.end = graph, end[0]
        self.names = ends(graph, end)
        demand(count[None] <= TICKED, "moments.many_paths", count=count[None], most=TICKED)
        demand(not hooked(graph, end, count), "moments.hooked_paths")
        self.ways = sorted(routes_from(graph, end, count, TICKED), key=lambda way: [slot for _, slot in way])
        self.grads = [arriving(root, graph, way) if way[-1][0] == self.end else [] for way in self.ways]
        self.counting = [i for i, way in enumerate(self.ways) if way[-1][0] == self.end]
        self.products = [float(self.grads[i][-1].sum()) for i in self.counting if self.grads[i]]
        demand(len(self.products) >= len(self.counting) and isfinite(sum(self.products)), "moments.freed_paths")
        super().__init__(f"paths({', '.join(self.names)})")

    def way(self, i: int) -> str:
        """A path in words: its nodes, and where it ends."""
        *_, (id, slot) = way = self.ways[i]
        names, node = [self.node_name(id) for id, _ in way], self.graph.node(id)
        if node.leaf:
            return " → ".join([*names[:-1], self.graph.tensor(node.leaf).label])
        constant = node.edges[slot].tensor if id != self.end else None
        none = "None" + (f" ({self.graph.tensor(constant).label})" if constant else "")
        return " → ".join(names if id == self.end else [*names, none])

    def node_name(self, id: str) -> str:
        """A node, and what its result is called."""
        return self.graph.node(id).name + next((f" ({t.name})" for t in self.graph.outputs(id) if t.name), "")

    def opening(self) -> dict[str, Any]:
        facts = dict(zip(("root", "leaf"), self.names, strict=True))
        root = self.graph.tensor(self.graph.roots[0])
        called = {"root": root.name or "(…)", "whole": "" if prod(root.shape) == 1 else ".sum()"}
        many = "" if self.grads[self.counting[0]][-1].numel() == 1 else "_many"
        return {"parts": [self.text("paths_ask", "ask", **facts),
            self.choice("way", "paths_tick", (f"`{self.way(i)}`" for i in range(len(self.ways))), many=True),
            {"kind": "field", "name": "total", "label": self.say(f"paths_total{many}", **facts | called)},
            self.button("answer"), *graph_parts(Drawing(self.graph, show=frozenset({"values"}), lang=self.language))]}

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        ticked = [int(i) for i in values.get("way", [])]
        self.expect(ticked, "no_tick")
        typed, total = self.typed(values["total"][0], "no_total"), sum(self.products)
        right = ticked == self.counting and isclose(typed, total, rel_tol=2e-3, abs_tol=1e-6)
        given = f"{', '.join(self.way(i) for i in ticked)}: {shown(typed)}"
        said = self.verdict(self.say("paths_ask", root=self.names[0], leaf=self.names[1]), given, right)
        sums = dict(zip(self.counting, accumulate(self.products), strict=True))
        options = [{"text": f"`{self.way(i)}`", "note": self.say("paths_elsewhere", leaf=self.names[1])}
                   for i in range(len(self.ways))]
        for i, far in sums.items():
            options[i] |= {"note": self.chain(i) + self.say("so_far", sum=shown(far)), "state": "good"}
        whole = shown(total) if len(sums) == 1 else equation(" + ", self.products, total)
        picture = Drawing(self.graph, show=frozenset({"values"}), lang=self.language,
                          marks=marks_of([self.ways[i] for i in sums]))
        found = self.text("paths_found", "found", leaf=self.names[1], sum=whole)
        return {"parts": [{"kind": "options", "options": options}, found, *graph_parts(picture)], "said": said}

    def chain(self, i: int) -> str:
        """The factors of a path, where all are single numbers; else what is left after each node."""
        grads = self.grads[i]
        if all(g.numel() == 1 for g in grads) and all(float(g) for g in grads):
            factors = [float(b) / float(a) for a, b in pairwise(grads)]
            return equation(" · ", factors, float(grads[-1])) if factors[1:] else shown(float(grads[-1]))
        return " → ".join(in_short(g) for g in grads)
