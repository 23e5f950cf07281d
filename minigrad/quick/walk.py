"""`engine.steps` in one loop, for graphs beside which nothing stands: no hooks, no Function of a learner's.

What it calls of the engine, it calls by the engine's names. It goes past folded chains (`folded`) and runs
`derivatives` in place of a row's own.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ..core import leaves
from ..core.beside.attended import suspended
from ..core.beside.lines import learners_frame, recorded_backward
from ..core.beside.saved import Packed
from ..core.carriers import RAW, TENSORS
from ..core.engine import fit
from ..core.graph import Node, Port
from ..core.modes import anomaly, differentiable

derivatives: dict[type, Callable] = {}  # class of node -> function `(n, grad, keep)` that stands in for its `apply`


def reach(root: Node, create_graph: bool) -> tuple[list[Node], dict[Any, int]] | None:
    """The nodes from `root` on, latest first, and what each leaf waits for; None if one is special."""
    nodes, seen, waits = [root], {root}, {}
    for node in nodes:  # grows while it is read
        if node.hooks is not None or node.wants_undefined:  # what a learner wrote may register hooks on its way
            if node.hooks is not None or not hasattr(node, "chain"):
                return None
            if create_graph or not node.ready():  # else gradients may go past this folded chain
                node.unfold()
        for edge in node.paths:  # type: ignore[attr-defined]
            if not isinstance(edge, Node):
                if edge.__class__ is not Port:
                    if edge is not None:
                        if edge._hooks is not None:
                            return None
                        waits[edge] = waits.get(edge, 0) + 1
                    continue
                edge = edge.node
            if edge not in seen:
                seen.add(edge)
                nodes.append(edge)
    nodes.sort(key=attrgetter("seq"), reverse=True)
    return nodes, waits


def walk(roots: tuple, grads: list, keep: bool, create_graph: bool, inputs: list | None,
         captured: dict[Any, Any] | None) -> bool:
    """Run backward if the graph has nothing special; says whether it did.

    `inputs`, where given, must be the leaves of the graph: then everything runs anyway.
    """
    if len(roots) != 1 or not isinstance(root := roots[0]._edge(), Node) or suspended or anomaly.enabled:
        return False
    found = reach(root, create_graph)
    if found is None or (inputs is not None and (captured is None or found[1].keys() != set(inputs))):
        return False
    if create_graph or Packed.used:  # unpack hooks may ask for the mode, and have lines of their own
        token = recorded_backward.set(None if Packed.used else learners_frame())
        try:
            with differentiable(create_graph):
                run(*found, root, grads[0], keep, create_graph, captured)
        finally:
            recorded_backward.reset(token)
    else:
        run(*found, root, grads[0], keep, False, captured)
    return True


def take(node: Node, arrived: dict[Any, Any]) -> tuple | None:
    """What has arrived at a node of several outputs; None if nothing has."""
    received = tuple([arrived.pop(Port(node, nr), None) for nr in range(node.outputs)])
    return received if any(grad is not None for grad in received) else None


def run(nodes: list[Node], waits: dict[Any, int], root: Node, seed: Any, keep: bool, create_graph: bool,
        captured: dict[Any, Any] | None) -> None:
    """The loop: take what arrived, apply, fit, send on; leaves as soon as they wait for nothing more."""
    F, arrived, instead = TENSORS if create_graph else RAW, {root: seed}, {} if create_graph else derivatives
    for node in nodes:
        received = arrived.pop(node, None)
        if received is None and (node.outputs == 1 or (received := take(node, arrived)) is None):
            sent = node.skip(keep)
        elif (derivative := instead.get(node.__class__)) is not None:
            sent = derivative(node, received, keep)
        else:
            sent = node.apply(received, F, keep)  # type: ignore[attr-defined]
        metas, index = node.metas, -1
        for edge in node.paths:  # type: ignore[attr-defined]
            index += 1  # half of what `enumerate` takes for one or two edges
            if edge is None:
                continue
            grad = sent[index]
            if metas is not None and grad is not None:
                grad = fit(grad, metas[index], F)
            if edge not in waits:
                if grad is not None:
                    arrived[edge] = arrived[edge] + grad if edge in arrived else grad
                continue
            waits[edge] = left = waits[edge] - 1
            before = arrived.pop(edge, None)
            if grad is None:
                grad = before
            elif before is not None:
                grad = before + grad
            elif (grad is received or received.__class__ is tuple) and not create_graph:
                grad = grad.copy()  # passed on unchanged: the leaf must own what it keeps
            if left:
                arrived[edge] = grad
            elif captured is not None:
                captured[edge] = grad
            elif grad is not None and edge._requires_grad:
                leaves.accumulate(edge, grad, create_graph, False)
