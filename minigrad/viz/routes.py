"""`paths(root, leaf)`: every way from a result to a leaf, and what each adds to the gradient.

The gradient of a leaf is the sum over all paths, and there can be very many: they are counted
exactly, and the first ones are walked, each through the vector-Jacobian products of its nodes
(hooks left out).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..graph.recorder import in_short
from ..graph.snapshot import AnyTensor, Graph
from ..text import get_language, say
from .display import Drawing, TextWithDrawing, learners_names, nodes_below, reader_for

SHOWN = 32
Route = tuple[tuple[str, int], ...]  # (node, slot taken), the leaf's own node last


def paths(root: AnyTensor, leaf: AnyTensor) -> Paths:
    """The ways from `root` back to `leaf`, at most 32 of them shown.

    Raises: ValueError if the graph of `root` does not lead to `leaf`.
    """
    end = nodes_below(leaf, root)[0]
    graph = reader_for(root)(root, names=learners_names())
    start = graph.nodes[0].id
    count = ways(graph, end)
    found = list(islice(routes_from(graph, start, count), SHOWN))
    return Paths(graph, found, count[start], end, [arriving(root, graph, way) for way in found])


def ways(graph: Graph, end: str) -> dict[str, int]:
    """How many paths lead from each node to `end`; nodes stand consumers first."""
    count: dict[str, int] = {}
    for n in reversed(graph.nodes):
        count[n.id] = (n.id == end) + sum(count[e.node] for e in n.edges if e.node)
    return count


def routes_from(graph: Graph, start: str, count: dict[str, int]) -> Iterator[Route]:
    """Depth first, only where the end can be reached; never recursive."""
    stack: list[tuple[str, Route]] = [(start, ())]
    while stack:
        id, way = stack.pop()
        edges = [e for e in graph.node(id).edges if e.node and count[e.node]]
        if not edges:
            yield (*way, (id, 0))
        stack += [(e.node, (*way, (id, e.slot))) for e in reversed(edges) if e.node]


def arriving(root: AnyTensor, graph: Graph, way: Route) -> str:
    """What one path brings to the leaf; "" where a node is freed or has several outputs."""
    node, grad = root.grad_fn, root.detach() * 0 + 1
    try:
        for id, slot in way[:-1]:
            sent = node(grad)
            grad, node = sent[slot] if isinstance(sent, tuple) else sent, node.next_functions[slot][0]
            grad = grad.sum_to_size(graph.tensor(graph.node(id).edges[slot].tensor).shape)
    except (RuntimeError, TypeError, AttributeError, IndexError):
        return ""
    return in_short(grad.detach())


class Paths(TextWithDrawing):
    """Paths as text and as a picture; `paths[0]` is the picture of the first alone."""

    def __init__(self, graph: Graph, found: list[Route], count: int, end: str, values: list[str]) -> None:
        self.graph, self.found, self.count, self.end, self.values = graph, found, count, end, values
        self.drawing = self.marked(found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, i: int) -> Drawing:
        return self.marked([self.found[i]])

    def marked(self, found: list[Route]) -> Drawing:
        """The picture with these paths marked."""
        marks = {id for way in found for id, _ in way}
        marks |= {f"{id}:{slot}" for way in found for id, slot in way[:-1]}
        return Drawing(self.graph, lang=get_language(), marks=frozenset(marks))

    def __str__(self) -> str:
        t = self.graph.tensor(self.graph.node(self.end).leaf or self.graph.roots[0])
        root = self.graph.tensor(self.graph.roots[0])
        lines = [say("why.paths", count=self.count, root=root.label, leaf=t.label)]
        for i, (way, value) in enumerate(zip(self.found, self.values, strict=True), 1):
            names = " → ".join(self.graph.node(id).name for id, _ in way)
            lines.append(f"{i}  {names}" + (f"  {value}" if value else ""))
        if self.count > len(self.found):
            lines.append(say("why.paths_cut", shown=len(self.found), count=self.count))
        return "\n".join(lines)
