"""A run of backward with all that may attend it: hooks, gradients that are captured, somebody who watches.

Everything here stands around the turn of a node or of a leaf (`engine.GraphTask`), in torch's order:
tensor hooks, the copy that retain_grad takes, pre-hooks, the node, post-hooks.
"""

from collections.abc import Sequence
from typing import Any

from ...text import say
from ...text.presentation import need
from ..engine import GraphTask, fit
from ..graph import Node, Port, node_of, output_of
from ..modes import anomaly, differentiable
from . import gates

suspended: dict[Node, Any] = {}  # nodes of a backward that waits between two steps -> who steps it


class AttendedTask(GraphTask):
    """One run, with all that may stand beside it.

    `inputs` (edges): only what leads to them runs. `captured` (a dict): their gradients are put there, and no
    `.grad` is touched. `watch` is told of every event: ready, hook, capture, compute, unbroadcast, send,
    accumulate, free.
    """

    def __init__(self, keep: bool = False, create_graph: bool = False, watch: Any = None,
                 inputs: Sequence[Any] | None = None, captured: Any = None) -> None:
        super().__init__(keep, create_graph)
        self.watch, self.captured = watch, captured  # captured: edge -> gradient
        # an edge of None: a view that was made under no_grad
        self.inputs: Any = None if inputs is None else {edge for edge in inputs if edge is not None}
        self.needed: set[Any] = set()  # with `inputs`: nodes on the way to them, which run
        self.wanted: set[Any] = set()  # ... and edges to send along
        self.reached: set[Any] = set()  # nodes that will run, or whose gradients are captured

    def schedule(self, roots: Sequence[Any]) -> list[Node]:
        nodes = super().schedule(roots)
        nodes = nodes if self.inputs is None else self._leading_to_inputs(nodes)
        self.reached = set(nodes)
        if any(suspended.get(node, self.watch) is not self.watch for node in nodes if suspended):
            error = RuntimeError("this graph is being walked by a live player; finish or close it first")
            error.add_note(say("player.held"))
            raise error
        return nodes

    def _leading_to_inputs(self, nodes: list[Node]) -> list[Node]:
        on_path = set(map(node_of, self.inputs))
        # backward(inputs=...) runs the nodes of its inputs too; grad(...) only looks at what arrives
        self.needed = set() if self.captured is not None else set(on_path)
        for node in reversed(nodes):  # earliest first: what a node leads to is known already
            leading = [edge for edge in node.edges if node_of(edge) in on_path]
            if leading:
                self.wanted.update(leading)
                self.needed.add(node)
                on_path.add(node)
        return [node for node in nodes if node in on_path]

    def will_run(self, edge: Any) -> bool:
        """True if this backward brings a gradient to `edge` (a node, a port or a leaf)."""
        if isinstance(edge, (Node, Port)):
            return node_of(edge) in self.reached
        runs = edge in self.waits and (self.inputs is None or edge in self.inputs)
        need(not runs or self.captured is None, "will_run_a_leaf")
        return runs

    def turn(self, node: Node) -> Any:
        return Turn(self, node)

    def take(self, node: Node) -> tuple:
        grads = arrived = super().take(node)
        if self.watch is not None:
            self.watch.ready(node)
        grads = grads if node.hooks is None else gates.tensor_hooks(self, node, grads)
        if self.captured is not None:
            # as in torch: hooks change what `grad` returns only where the node itself does not run
            for nr, grad in enumerate(arrived if node in self.needed else grads):
                self.capture(output_of(node, nr), grad)
        if node.hooks is not None and self._runs(node):
            grads = gates.node_hooks(self, node, "pre", grads)
        return grads

    def apply(self, node: Node, received: tuple) -> tuple:
        if not self._runs(node):
            return ()  # its gradient was asked for; nothing behind it was
        sent = super().apply(node, received)
        if self.inputs is not None and not node.wants_undefined:
            sent = tuple(g if way is not None else None for g, way in zip(sent, self.ways(node), strict=True))
        if self.watch is not None:
            self.watch.compute(node, received, sent)
        if node.hooks is not None and node.hooks.post:  # they see gradients that fit their receivers
            fitted = tuple(g if g is None else self._fitted(node, slot, g) for slot, g in enumerate(sent))
            sent = gates.post_hooks(self, node, fitted, received)
        return sent

    def free(self, node: Node) -> None:
        if self._runs(node):
            super().free(node)
            if self.watch is not None and node.freed:
                self.watch.free(node)

    def ways(self, node: Node) -> Sequence[Any]:
        return node.edges if self.inputs is None else [e if e in self.wanted else None for e in node.edges]

    def send(self, node: Node, slot: int, grad: Any) -> None:
        if anomaly.enabled:  # as torch: hooks have seen what is refused, and what they return is looked at
            gates.refuse_nan(node, slot, grad)
        edge = node.edges[slot]
        if edge is None or (self.inputs is not None and edge not in self.wanted):
            return
        told = self.watch is not None and grad is not None
        super().send(node, slot, self._fitted(node, slot, grad) if told else grad)
        if told:
            self.watch.send(node, slot, grad, self.arrived[edge])

    def finish(self, leaf: Any, grad: Any) -> None:
        if self.inputs is not None and leaf not in self.inputs:
            return
        if self.watch is not None or leaf._hooks is not None:
            gates.leaf_with_hooks(self, leaf, grad, super().finish)
        elif self.captured is None:
            super().finish(leaf, grad)
        else:
            self.capture(leaf, grad)

    def _runs(self, node: Node) -> bool:
        return self.inputs is None or node in self.needed

    def _fitted(self, node: Node, slot: int, grad: Any) -> Any:
        """`fit`, and what it sums is told."""
        meta = node.metas and node.metas[slot]
        fitted = fit(grad, meta, self.F, node, slot)
        if self.watch is not None and meta is not None and grad.shape != meta[0]:
            self.watch.unbroadcast(node, slot, grad, fitted)
        return fitted

    def capture(self, edge: Any, grad: Any) -> None:
        """Put a gradient where `grad(...)` will find it."""
        if grad is not None and edge in self.inputs:
            self.captured[edge] = grad


class Turn(differentiable):
    """A node's turn, with whom an error is blamed on.

    Not a generator: one that an interrupt leaves waiting would end late, and set grad mode once more.
    """

    def __init__(self, task: AttendedTask, node: Node) -> None:
        super().__init__(task.create_graph)
        self.node = node

    def __exit__(self, kind: Any = None, *exc: object) -> None:
        super().__exit__()
        if kind is not None and issubclass(kind, Exception):
            gates.blame(self.node)
