"""The engine: walk the graph from a root, apply the chain rule, one node at a time.

Order follows PyTorch: the latest node first, a leaf as soon as its last gradient is in. Sequence
numbers are a topological order, because a node takes its number after its edges are known; so
sorting the reachable nodes is the whole schedule. `steps` is the algorithm, a generator; `run`
exhausts it. Nothing here recurses, and grad mode is never held across a `yield`.
Hooks are run in `gates`, `.grad` is added to in `leaves`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from ..text import say
from . import gates, leaves
from .carriers import RAW, TENSORS
from .modes import anomaly, switch_back, switch_to
from .node import Node, Port, node_of, output_of, recording_for
from .saved import Packed

held: dict[Node, Any] = {}  # nodes of a backward that waits between two steps -> who steps it
_latest_first = attrgetter("seq")
_NONE: frozenset[Any] = frozenset()


def steps(roots: Sequence[Any], grads: Sequence[Any], watch: Any = None, *, retain_graph: bool = False,
          create_graph: bool = False, inputs: Sequence[Any] | None = None,
          captured: dict[Any, Any] | None = None) -> Iterator[Node]:
    """Run backward from `roots` with their gradients `grads`; yield each node after it ran.

    `grads` are raw arrays, or tensors under `create_graph`. With `inputs` only the paths to these
    edges run; with `captured` (a dict) their gradients are put there and no `.grad` is touched.
    `watch` is told of every event: ready, hook, capture, compute, unbroadcast, send, accumulate, free.
    """
    walk = Walk(watch, retain_graph, create_graph, captured)
    nodes = walk.start([root._edge() for root in roots], grads, inputs)
    arrived, waits, wanted, due = walk.arrived, walk.waits, walk.wanted, walk.due
    F, stops, token = walk.F, walk.stops, None
    attended = watch is not None or anomaly.enabled
    while due:
        yield walk.finish(due.pop(0))
    for node in nodes:
        try:
            if create_graph:  # per step: a suspended generator must not leak its mode
                token = switch_to(True)
            if attended or node.hooks is not None or node.outputs != 1 or (stops and node in stops):
                received, sent = walk.attend(node)
                if sent is None:
                    continue  # its gradient was asked for; nothing behind it was
            else:
                received = arrived.pop(node, None)
                if received is None and not node.wants_undefined:
                    sent = nothing(node, retain_graph)
                elif create_graph:
                    sent = node.apply(received, TENSORS, retain_graph)  # type: ignore[attr-defined]
                else:
                    sent = node.apply_raw(received, retain_graph)
            metas = node.metas
            for index, edge in enumerate(node.edges):
                if edge is None or (wanted is not None and edge not in wanted):
                    continue
                grad, left = sent[index], waits.get(edge)  # `left` is None unless the edge is a leaf
                if grad is not None:
                    if metas is not None:
                        grad = fitted(grad, node, index, F, watch)
                    before = arrived.get(edge)
                    if before is not None:
                        grad = before + grad
                    elif left is not None and grad is received and not create_graph:
                        grad = grad.copy()  # passed on unchanged: the leaf must own what it keeps
                    arrived[edge] = grad
                    if watch is not None:
                        watch.send(node, index, sent[index], grad)
                if left is not None:
                    waits[edge] = left - 1
                    if left == 1:
                        due.append(edge)
            if watch is not None and node.freed:
                watch.free(node)
        except Exception:
            gates.blame(node)
            raise
        finally:
            if token is not None:
                switch_back(token)
        yield node
        while due:
            yield walk.finish(due.pop(0))


class Walk:
    """One run of backward: what has arrived where, and which leaves still wait for how many.

    An edge is a Node, a Port (one output of several) or a leaf. Where inputs are asked for, `inputs`
    holds these edges, `needed` the nodes to run, `wanted` the edges to send on.
    """

    def __init__(self, watch: Any, keep: bool, create_graph: bool, captured: dict | None) -> None:
        self.watch, self.keep, self.create_graph, self.captured = watch, keep, create_graph, captured
        self.F = TENSORS if create_graph else RAW
        self.arrived: dict[Any, Any] = {}  # edge -> sum so far
        self.waits: dict[Any, int] = {}  # leaf -> gradients still to come
        self.due: list[Any] = []  # leaves whose last gradient is in
        self.needed: Any = _NONE
        self.wanted: set[Any] | None = None
        self.inputs: Any = _NONE
        self.reached: set[Any] = set()  # nodes that will run or whose gradients are captured
        self.stops: Any = _NONE  # nodes whose incoming gradients are captured

    def _reach(self, roots: list[Any]) -> list[Node]:
        """All nodes that the gradients can reach, latest first; counts what each leaf waits for."""
        waits, seen, nodes = self.waits, set(), []
        edges, waiting = roots, [()]
        while waiting:
            for edge in edges:
                if edge is None:
                    continue
                if not isinstance(edge, Node):
                    if not isinstance(edge, Port):
                        waits[edge] = waits.get(edge, 0) + 1
                        continue
                    edge = edge.node
                if edge not in seen:
                    seen.add(edge)
                    nodes.append(edge)
                    waiting.append(edge.edges)
            edges = waiting.pop()
        nodes.sort(key=_latest_first, reverse=True)
        self.reached = seen
        return nodes

    def will_run(self, edge: Any) -> bool:
        """True if this backward brings a gradient to `edge` (a node, a port or a leaf)."""
        if isinstance(edge, Node | Port):
            return node_of(edge) in self.reached
        runs = edge in self.waits and (self.wanted is None or edge in self.inputs)
        if runs and self.captured is not None:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running "
                "autograd.grad(). This is currently not supported."
            )
        return runs

    def _restrict(self, nodes: list[Node], inputs: Sequence[Any]) -> list[Node]:
        """Mark what lies on a path to `inputs`; the rest is left out."""
        inputs = [edge for edge in inputs if edge is not None]  # None: a view made under no_grad
        on_path = set(map(node_of, inputs))
        self.inputs, self.wanted = set(inputs), set()
        self.stops = {node for node in on_path if isinstance(node, Node)}
        # backward(inputs=...) runs the nodes of its inputs too; grad(...) only looks at what arrives
        self.needed = set() if self.captured is not None else set(self.stops)
        for node in reversed(nodes):  # earliest first: what a node leads to is known already
            leading = [edge for edge in node.edges if node_of(edge) in on_path]
            if leading:
                self.wanted.update(leading)
                self.needed.add(node)
                on_path.add(node)
        self.reached &= on_path
        return [node for node in nodes if node in on_path]

    def start(self, edges: list[Any], grads: Sequence[Any], inputs: Sequence[Any] | None) -> list[Node]:
        """The schedule; the roots' gradients are put on their edges."""
        nodes = self._reach(edges)
        if inputs is not None:
            nodes = self._restrict(nodes, inputs)
        if held:
            refuse_held(nodes, self.watch)
        for edge, grad in zip(edges, grads, strict=True):
            left, before = self.waits.get(edge), self.arrived.get(edge)
            if left is not None:
                self.waits[edge] = left - 1
                grad = grad if self.create_graph else grad.copy()  # the caller keeps the one given
                if left == 1:
                    self.due.append(edge)
            self.arrived[edge] = grad if before is None else before + grad
        return nodes

    def attend(self, node: Node) -> tuple[Any, Any]:
        """A node with hooks, several outputs, or somebody watching: the same, event by event.

        Returns what it received (of one output) and what it sends; None if it need not run.
        """
        watch, hooks, grads = self.watch, node.hooks, self._collect(node)
        before = grads
        if watch is not None:
            watch.ready(node)
        if hooks is not None:
            grads = gates.tensor_hooks(self, node, grads)
        if node in self.stops:
            # as in torch: hooks change what `grad` returns only where the node itself does not run
            for nr, grad in enumerate(before if node in self.needed else grads):
                self.capture(output_of(node, nr), grad)
            if node not in self.needed:
                return None, None
        if hooks is not None and hooks.pre:
            grads = gates.pre_hooks(self, node, grads)
        sent = self._apply(node, grads)
        if watch is not None:
            watch.compute(node, grads, sent)
        if hooks is not None and hooks.post:  # they see gradients that fit their receivers
            if node.metas is not None:
                sent = tuple(g if g is None or m is None else fitted(g, node, i, self.F, watch)
                             for i, (g, m) in enumerate(zip(sent, node.metas, strict=True)))
            sent = gates.post_hooks(self, node, sent, grads)
        return grads[0], sent

    def _collect(self, node: Node) -> tuple:
        """The gradients that have arrived at the node's outputs; None where nothing has."""
        if node.outputs == 1:
            return (self.arrived.pop(node, None),)
        return tuple([self.arrived.pop(Port(node, nr), None) for nr in range(node.outputs)])

    def _apply(self, node: Node, grads: tuple) -> tuple:
        if not node.wants_undefined and all(g is None for g in grads):
            return nothing(node, self.keep)
        given = grads[0] if node.outputs == 1 else grads
        sent = node.apply(given, self.F, self.keep)  # type: ignore[attr-defined]
        if anomaly.enabled:
            gates.refuse_nan(node, sent)
        if self.wanted is None or node.wants_undefined:
            return sent
        return tuple(g if e in self.wanted else None for g, e in zip(sent, node.edges, strict=True))

    def capture(self, edge: Any, grad: Any) -> None:
        """Put a gradient where `grad(...)` will find it."""
        if self.captured is not None and grad is not None and edge in self.inputs:
            self.captured[edge] = grad

    def finish(self, leaf: Any) -> Any:
        """Run the AccumulateGrad of a leaf that waits for nothing more; returns what to yield."""
        grad = self.arrived.pop(leaf, None)
        if self.wanted is not None and leaf not in self.inputs:
            return leaf
        if self.watch is not None or leaf._hooks is not None or self.captured is not None:
            gates.attended_leaf(self, leaf, grad)
            return leaf._accumulate_grad()
        if grad is not None and leaf._requires_grad:
            leaves.accumulate(leaf, grad, self.create_graph)
        return leaf  # nobody looks: its AccumulateGrad need not be made


def fitted(grad: Any, node: Node, index: int, F: Any, watch: Any = None) -> Any:
    """Sum away what broadcasting added or stretched; cast back to the input's type."""
    meta = node.metas[index]
    if meta is None:
        return grad
    shape, kind = meta
    if grad.shape != shape:
        small = F.sum_to(grad, shape)
        if watch is not None:
            watch.unbroadcast(node, index, grad, small)
        grad = small
    have = (grad._data if F is TENSORS else grad).dtype
    return grad if have is kind or have == kind else F.cast(grad, kind)


def nothing(node: Node, keep: bool) -> tuple:
    """What a node sends that no gradient has reached; it unpacks and frees what it saved all the same."""
    for slot in node.frees:
        getattr(node, f"_{slot}", None)
    if not keep:
        node.free()
    return (None,) * len(node.paths)  # type: ignore[attr-defined]


def refuse_held(nodes: list[Node], watch: Any) -> None:
    """A backward that waits between two steps has its graph to itself: part of it is freed already."""
    if any(held.get(node, watch) is not watch for node in nodes):
        error = RuntimeError("this graph is being walked by a live player; finish or close it first")
        error.add_note(say("player.held"))
        raise error


quick: Any = None  # `fast` puts a shorter walk here, for graphs without hooks


def run(roots: Sequence[Any], grads: Sequence[Any], retain_graph: bool, create_graph: bool,
        inputs: Sequence[Any] | None = None, captured: dict[Any, Any] | None = None) -> None:
    """Backward to the end: `steps` without anybody watching."""
    plain = quick is not None and not held and not anomaly.enabled
    token = switch_to(create_graph) if create_graph or Packed.used else None  # unpack hooks may ask
    try:
        if not (plain and quick(roots, grads, retain_graph, create_graph, inputs, captured)):
            deque(steps(roots, grads, retain_graph=retain_graph, create_graph=create_graph, inputs=inputs,
                        captured=captured), maxlen=0)
    finally:
        if token is not None:
            switch_back(token)
            recording_for.set(None)
