"""The engine: walk the graph from a root, apply the chain rule, one node at a time.

Order follows PyTorch: the latest node first, a leaf as soon as its last gradient is in. Sequence
numbers are a topological order, because a node takes its number after its edges are known; so
sorting the reachable nodes is the whole schedule. `steps` is the algorithm, a generator; `run`
exhausts it. Nothing here recurses, and grad mode is never held across a `yield`.
Hooks are run in `gates`, `.grad` is added to in `leaves`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from ..text import say
from . import gates, leaves
from .base import TensorBase
from .carriers import RAW, TENSORS
from .modes import anomaly, differentiable, grad_mode
from .node import Node, Port

held: dict[Node, Any] = {}  # nodes of a backward that waits between two steps -> who steps it
_latest_first = attrgetter("seq")


def steps(roots: Sequence[Any], grads: Sequence[Any], watch: Any = None, *, retain_graph: bool = False,
          create_graph: bool = False, inputs: Sequence[Any] | None = None,
          captured: dict[Any, Any] | None = None) -> Iterator[Node]:  # fmt: skip
    """Run backward from `roots` with their gradients `grads`; yield each node after it ran.

    `grads` are raw arrays, or tensors under `create_graph`. With `inputs` only the paths to these
    edges run; with `captured` (a dict) their gradients are put there and no `.grad` is touched.
    `watch` is told of every event: ready, hook, capture, compute, unbroadcast, send, accumulate, free.
    """
    walk = Walk(watch, retain_graph, create_graph, captured)
    edges = [root._edge() for root in roots]
    nodes = walk.reach(edges)
    if inputs is not None:
        walk.restrict(nodes, inputs)
    if held:
        refuse_held(nodes, watch)
    for edge, grad in zip(edges, grads, strict=True):
        walk.deliver(edge, grad)
    yield from walk.ready_leaves()
    for node in nodes:
        if create_graph and not grad_mode():  # per step: a suspended generator must not leak it
            with differentiable(True):
                ran = walk.visit(node)
        else:
            ran = walk.visit(node)
        if ran:
            yield node
        if walk.due:
            yield from walk.ready_leaves()


class Walk:
    """One run of backward: what has arrived where, and which leaves still wait for how many.

    An edge is a Node, a Port (one output of several) or a leaf. Where inputs are asked for, `inputs`
    holds them as `(node, output_nr)` or leaf, `needed` the nodes to run, `wanted` the edges to send on.
    """

    def __init__(self, watch: Any, keep: bool, create_graph: bool, captured: dict | None) -> None:
        self.watch, self.keep, self.create_graph, self.captured = watch, keep, create_graph, captured
        self.F = TENSORS if create_graph else RAW
        self.arrived: dict[Any, Any] = {}  # edge -> sum so far
        self.waits: dict[Any, int] = {}  # leaf -> gradients still to come
        self.ports: dict[Node, list[Port]] = {}
        self.due: list[Any] = []  # leaves whose last gradient is in
        self.needed: set[Node] | None = None
        self.wanted: set[Any] = set()
        self.inputs: set[Any] = set()
        self.stops: set[Node] = set()  # nodes whose incoming gradients are captured

    def reach(self, edges: list[Any]) -> list[Node]:
        """All nodes that the gradients can reach, latest first; counts what each leaf waits for."""
        waits, seen, nodes = self.waits, set(), []
        stack = [edge for edge in edges if edge is not None]
        while stack:
            edge = stack.pop()
            if isinstance(edge, Port):
                known = self.ports.setdefault(edge.node, [])
                if edge not in known:
                    known.append(edge)
                edge = edge.node
            elif not isinstance(edge, Node):
                waits[edge] = waits.get(edge, 0) + 1
                continue
            if edge not in seen:
                seen.add(edge)
                nodes.append(edge)
                stack += [e for e in edge.edges if e is not None]
        nodes.sort(key=_latest_first, reverse=True)
        return nodes

    def restrict(self, nodes: list[Node], inputs: Sequence[Any]) -> None:
        """Mark what lies on a path to `inputs`; the rest will not run."""
        self.inputs = {key_of(edge) for edge in inputs}
        self.stops = {key[0] for key in self.inputs if isinstance(key, tuple)}
        # backward(inputs=...) runs the nodes of its inputs too; grad(...) only looks at what arrives
        self.needed = needed = set() if self.captured is not None else set(self.stops)
        for node in reversed(nodes):  # earliest first: what a node leads to is known already
            leading = [e for e in node.edges if e is not None and self._leads(e)]
            if leading:
                self.wanted.update(leading)
                needed.add(node)

    def _leads(self, edge: Any) -> bool:
        node = edge.node if isinstance(edge, Port) else edge
        return node in self.needed or key_of(edge) in self.inputs  # type: ignore[operator]

    def visit(self, node: Node) -> bool:
        """Run one node on what has arrived there; False if it need not run."""
        if self.needed is not None and node not in self.needed and node not in self.stops:
            return False
        if node.outputs != 1 or node.hooks is not None or self.watch is not None or (
                node in self.stops or anomaly.enabled):  # fmt: skip
            return self._attend(node)
        received = self.arrived.pop(node, None)
        if received is None and not node.wants_undefined:
            sent: tuple = (None,) * len(node.edges)
        elif self.create_graph:
            sent = node.apply(received, TENSORS, self.keep)  # type: ignore[attr-defined]
        else:
            sent = node.apply_raw(received, self.keep)
        self._send(node, sent, received)
        return True

    def _attend(self, node: Node) -> bool:
        """A node with hooks, several outputs or somebody watching: the same, event by event."""
        watch, grads = self.watch, self._collect(node)
        if watch is not None:
            watch.ready(node)
        if node.hooks is not None:
            grads = gates.tensor_hooks(self, node, grads)
        if node in self.stops:
            for nr, grad in enumerate(grads):
                self.capture((node, nr), grad)
            if node not in self.needed:  # type: ignore[operator]
                return False
        if node.hooks is not None and node.hooks.pre:
            grads = gates.pre_hooks(self, node, grads)
        sent = self._apply(node, grads)
        if watch is not None:
            watch.compute(node, grads, sent)
        if node.hooks is not None and node.hooks.post:
            sent = gates.post_hooks(self, node, sent, grads)
        self._send(node, sent, grads[0])
        if watch is not None and node.freed:
            watch.free(node)
        return True

    def _collect(self, node: Node) -> tuple:
        """The gradients that have arrived at the node's outputs; None where nothing has."""
        if node.outputs == 1:
            return (self.arrived.pop(node, None),)
        grads: list[Any] = [None] * node.outputs
        for port in self.ports.get(node, ()):
            got = self.arrived.pop(port, None)
            if got is not None:
                grads[port.nr] = got if grads[port.nr] is None else grads[port.nr] + got
        return tuple(grads)

    def _apply(self, node: Node, grads: tuple) -> tuple:
        if not node.wants_undefined and all(g is None for g in grads):
            return (None,) * len(node.edges)
        given = grads[0] if node.outputs == 1 else grads
        with gates.looking_for_nan(node) as check:
            sent = check(node.apply(given, self.F, self.keep))  # type: ignore[attr-defined]
        if self.needed is None:
            return sent
        return tuple(g if e in self.wanted else None for g, e in zip(sent, node.edges, strict=True))

    def _send(self, node: Node, sent: tuple, received: Any) -> None:
        """Bring each gradient to the shape of its receiver and add it to what is there."""
        arrived, waits, metas = self.arrived, self.waits, node.metas
        wanted = None if self.needed is None else self.wanted
        for index, edge in enumerate(node.edges):
            if edge is None or (wanted is not None and edge not in wanted):
                continue
            grad, leaf = sent[index], edge in waits
            if grad is not None:
                if metas is not None:
                    grad = self._fitted(node, index, grad, *metas[index])
                if leaf and grad is received and not self.create_graph:
                    grad = grad.copy()  # passed on unchanged: the leaf must own what it keeps
                before = arrived.get(edge)
                arrived[edge] = grad if before is None else before + grad
                if self.watch is not None:
                    self.watch.send(node, index, grad, arrived[edge])
            if leaf:
                waits[edge] -= 1
                if not waits[edge]:
                    self.due.append(edge)

    def _fitted(self, node: Node, index: int, grad: Any, shape: tuple, kind: Any) -> Any:
        """Sum away what broadcasting added or stretched; cast back to the input's type."""
        if grad.shape != shape:
            small = self.F.sum_to(grad, shape)
            if self.watch is not None:
                self.watch.unbroadcast(node, index, grad, small)
            grad = small
        have = (grad._data if isinstance(grad, TensorBase) else grad).dtype
        return grad if have is kind or have == kind else self.F.cast(grad, kind)

    def deliver(self, edge: Any, grad: Any) -> None:
        """Put a root's gradient on its edge."""
        if edge in self.waits:
            if not self.create_graph:
                grad = grad.copy()  # the caller keeps the one that was given
            self.waits[edge] -= 1
            if not self.waits[edge]:
                self.due.append(edge)
        before = self.arrived.get(edge)
        self.arrived[edge] = grad if before is None else before + grad

    def capture(self, key: Any, grad: Any) -> None:
        """Put a gradient where `grad(...)` will find it."""
        if self.captured is not None and grad is not None and key in self.inputs:
            self.captured[key] = grad

    def ready_leaves(self) -> Iterator[Any]:
        """Run every leaf that waits for nothing more; yields its AccumulateGrad to those who watch."""
        due, self.due = self.due, []
        for leaf in due:
            grad = self.arrived.pop(leaf, None)
            if self.needed is not None and leaf not in self.inputs:
                continue
            if self.watch is not None or leaf._hooks is not None or self.captured is not None:
                gates.attended_leaf(self, leaf, grad)
            elif grad is not None and leaf._requires_grad:
                leaves.accumulate(leaf, grad, self.create_graph)
            yield leaf if self.watch is None else leaf._accumulate_grad()


def key_of(edge: Any) -> Any:
    """An edge as a dictionary key: `(node, output_nr)`, or the leaf itself."""
    if isinstance(edge, Port):
        return edge.node, edge.nr
    return (edge, 0) if isinstance(edge, Node) else edge


def refuse_held(nodes: list[Node], watch: Any) -> None:
    """A backward that waits between two steps has its graph to itself: part of it is freed already."""
    if any(held.get(node, watch) is not watch for node in nodes):
        error = RuntimeError("this graph is being walked by a live player; finish or close it first")
        error.add_note(say("player.held"))
        raise error


def run(*args: Any, **options: Any) -> None:
    """Backward to the end: `steps` without anybody watching."""
    for _ in steps(*args, **options):
        pass
