"""The engine: walk the graph from its roots, apply the chain rule, one node at a time.

A node takes its number after its edges are known, so the numbers are a topological order, and sorting the reachable
nodes is the whole schedule: the latest first, as in PyTorch, and a leaf as soon as its last gradient is there. `steps`
is the algorithm; a `GraphTask` carries one run of it. Hooks, `inputs=` and whoever watches stand around a turn:
`backward` runs the subclass `beside.attended.AttendedTask`, whose methods call these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from ..text.presentation import need
from .carriers import RAW, TENSORS
from .graph import Node, Port, latest, node_of
from .leaves import accumulate
from .modes import differentiable, level


def steps(roots: Sequence[Any], grads: Sequence[Any], task: GraphTask) -> Iterator[Any]:
    """Run backward from the edges `roots`, where `grads` arrive; yield each node, or leaf, after its turn.

    An edge leads to a node, to one output of it (a Port), or to a leaf. Nothing is held across a `yield`.
    """
    nodes = task.schedule(roots)
    for edge, grad in zip(roots, grads, strict=True):
        task.arrive(edge, grad)
    yield from task.complete_leaves()
    for node in nodes:
        with task.turn(node):
            received = task.take(node)
            sent = task.apply(node, received)
            task.free(node)
            for slot, grad in enumerate(sent):
                task.send(node, slot, grad)
        yield node
        yield from task.complete_leaves()


class GraphTask:
    """One run of backward: what has arrived where, and how many gradients each leaf still waits for."""

    def __init__(self, keep: bool = False, create_graph: bool = False) -> None:
        self.keep, self.create_graph = keep, create_graph  # keep: what nodes saved, for another backward
        self.F = RAW if not create_graph and level() is None else TENSORS
        self.arrived: dict[Any, Any] = {}  # edge -> sum so far
        self.waits: dict[Any, int] = {}  # leaf -> gradients still to come
        self.complete: list[Any] = []  # leaves whose last gradient has arrived

    def schedule(self, roots: Sequence[Any]) -> list[Node]:
        """All nodes that gradients can reach, latest first; counts what each leaf waits for."""
        nodes, edges = set(), list(roots)
        for edge in edges:  # grows while it is read
            end = node_of(edge)  # a node, a leaf or None
            if not isinstance(end, Node):
                if end is not None:
                    self.waits[end] = self.waits.get(end, 0) + 1
            elif end not in nodes:
                nodes.add(end)
                edges.extend(end.edges)
        return sorted(nodes, key=attrgetter("seq"), reverse=True)

    def turn(self, node: Node) -> Any:
        """What a node's turn happens in: grad mode, which is on only under `create_graph`."""
        return differentiable(self.create_graph)

    def take(self, node: Node) -> tuple:
        """The gradients that have arrived at the node's outputs; None where nothing has."""
        if node.outputs == 1:
            return (self.arrived.pop(node, None),)
        return tuple([self.arrived.pop(Port(node, nr), None) for nr in range(node.outputs)])

    def apply(self, node: Node, received: tuple) -> tuple:
        """The chain rule: what arrived, times the node's derivatives; one gradient for each edge."""
        if node.wants_undefined or any(grad is not None for grad in received):
            return node.apply(received[0] if node.outputs == 1 else received, self.F, True, self.ways(node))
        return node.skip()

    def free(self, node: Node) -> None:
        """Let go of what the node saved, once hooks have seen it, unless there will be another backward."""
        if not self.keep:
            node.free()

    def ways(self, node: Node) -> Sequence[Any]:
        """The node's edges; None where its input wants no gradient, which then is not computed."""
        return node.edges

    def send(self, node: Node, slot: int, grad: Any) -> None:
        """Let a gradient arrive at an input, in that input's shape and type."""
        if (edge := node.edges[slot]) is not None:
            self.arrive(edge, grad if grad is None else fit(grad, node.metas and node.metas[slot], self.F, node, slot))

    def arrive(self, edge: Any, grad: Any) -> None:
        """Gradients that meet are summed. A leaf has to hear of each, also of None."""
        if grad is not None:
            before = self.arrived.get(edge)
            self.arrived[edge] = grad if before is None else before + grad
        if edge in self.waits:
            self.waits[edge] -= 1
            if not self.waits[edge]:
                self.complete.append(edge)

    def complete_leaves(self) -> Iterator[Any]:
        """End the paths whose leaves wait for nothing more."""
        while self.complete:
            leaf = self.complete.pop(0)
            with differentiable(self.create_graph):
                self.finish(leaf, self.arrived.pop(leaf, None))
            yield leaf

    def finish(self, leaf: Any, grad: Any) -> None:
        """The end of a path, which torch shows as AccumulateGrad: `.grad += grad`."""
        if grad is not None and leaf._requires_grad:  # `.grad` is a tensor of its own: it takes an array
            accumulate(leaf, grad if self.F is RAW or self.create_graph else grad._data, self.create_graph)


def fit(grad: Any, meta: tuple | None, F: Any, node: Any = None, slot: int = 0) -> Any:
    """Sum away what broadcasting added or stretched, and cast back to the type of the input, which `meta` has with its
    shape; None where neither is needed.
    Raises: RuntimeError where no sum gives that shape.
    """
    if meta is None:
        return grad
    shape, kind = meta
    if (came := grad.shape) != shape:
        if latest.freed.summed is None and node is not None and isinstance(node.edges[slot], Node):  # for `why`
            latest.freed.summed = type(node), [*map(type, node.edges)], node.metas, node.code, node.lasti
        grad = F.sum_to(grad, shape) if len(came) >= len(shape) else grad
        if grad.shape != shape:
            need(False, "function_shape", type(node).__name__, slot, list(came), list(shape))
    have = (grad._data if F is TENSORS else grad).dtype
    return grad if have is kind or have == kind else F.cast(grad, kind)
