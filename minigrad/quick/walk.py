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
from ..core.graph import Node, Port, node_of
from ..core.modes import anomaly, differentiable, level

number_of = attrgetter("seq")
derivatives: dict[type, Callable] = {}  # class of node -> function `(n, grad, keep)` that stands in for its `apply`


def reach(root: Node, unfold: bool, earliest: int) -> tuple[list[Node], dict[Any, int]] | None:
    """The nodes from `root` on, latest first, and what each leaf waits for; None if one is special.

    It does not look behind nodes that are earlier than number `earliest`.
    """
    nodes, seen, waits = [root], {root}, {}
    for node in nodes:  # grows while it is read
        if node.seq < earliest:
            continue
        if node.hooks is not None or node.wants_undefined:  # what a learner wrote may register hooks on its way
            if node.hooks is not None or not hasattr(node, "chain"):
                return None
            if unfold or not node.ready():  # else gradients may go past this folded chain
                node.unfold()
        for edge in node.paths:  # type: ignore[attr-defined]
            if not isinstance(edge, Node):
                if edge.__class__ is not Port:
                    if edge is not None:
                        if edge._hooks is not None:
                            return None
                        waits[edge] = waits[edge] + 1 if edge in waits else 1
                    continue
                edge = edge.node
            if edge not in seen:
                seen.add(edge)
                nodes.append(edge)
    nodes.sort(key=number_of, reverse=True)
    return nodes, waits


def walk(roots: tuple, grads: list, keep: bool, create_graph: bool, inputs: list | None,
         captured: dict[Any, Any] | None) -> bool:
    """Run backward if the graph has nothing special; says whether it did.

    `inputs`, where given, must be ends: none of them leads to another.
    """
    if len(roots) != 1 or suspended or anomaly.enabled or not isinstance(root := roots[0]._edge(), (Node, Port)):
        return False
    ends, earliest, on_tensors = inputs and set(inputs), 0, create_graph or level() is not None
    if ends:
        if captured is None or root in ends or None in ends:
            return False
        earliest = min([getattr(node_of(edge), "seq", 0) for edge in ends])
    elif inputs is not None or on_tensors != create_graph:
        return False
    if (found := reach(node_of(root), on_tensors, earliest)) is None:
        return False
    nodes, waits, ways = *found, None
    if ends and waits.keys() != ends:
        waits = dict.fromkeys(ends, 0)
        nodes = ways = leading(nodes, waits)  # type: ignore[assignment]
        if not ways.keys().isdisjoint(map(node_of, ends)):
            return False
    if on_tensors or Packed.used:  # unpack hooks may ask for the mode, and have lines of their own
        token = recorded_backward.set(None if Packed.used else learners_frame())
        with differentiable(create_graph):
            run(nodes, waits, root, grads[0], keep, on_tensors, captured, ways)
        recorded_backward.reset(token)  # whoever called puts it back after an error
    else:
        run(nodes, waits, root, grads[0], keep, False, captured, ways)
    return True


def leading(nodes: list[Node], waits: dict[Any, int]) -> dict[Node, list]:
    """The nodes that lead to the ends, each with its edges, None for those that do not; the latest node first.

    `waits` counts for each end the gradients that will arrive there.
    """
    ways: dict[Node, list] = {}
    on_path = {*map(node_of, waits)}
    for node in reversed(nodes):  # what a node leads to is known already
        paths: Any = node.paths  # type: ignore[attr-defined]
        edges = [e if e in on_path or (e.__class__ is Port and e.node in on_path) else None for e in paths]
        for edge in edges:
            if edge is not None:
                ways[node] = edges
                on_path.add(node)
                if edge in waits:
                    waits[edge] += 1
    return dict(reversed(ways.items()))


def take(node: Node, arrived: dict[Any, Any]) -> tuple | None:
    """What has arrived at a node of several outputs; None if nothing has."""
    received = tuple([arrived.pop((node, nr), None) for nr in range(node.outputs)])
    return received if any(grad is not None for grad in received) else None


def run(nodes: list[Node], waits: dict[Any, int], root: Any, seed: Any, keep: bool, on_tensors: bool,
        captured: dict[Any, Any] | None, ways: dict[Node, list] | None) -> None:
    """The loop: take what arrived, apply, fit, send on; leaves as soon as they wait for nothing more."""
    F, arrived, instead = TENSORS if on_tensors else RAW, {root: seed}, {} if on_tensors else derivatives
    for node in nodes:
        received, way = arrived.pop(node, None), node.paths if ways is None else ways[node]  # type: ignore[attr-defined]
        if received is None and (node.outputs == 1 or (received := take(node, arrived)) is None):
            sent = node.skip()
            if not keep:
                node.free()
        elif ways is not None and len(way) > 1 and (row := node.row) is not None and row.made is node.__class__:
            sent = node.apply(received, F, keep, way)  # what nobody asked for is not computed
        elif (derivative := instead.get(node.__class__)) is not None:
            sent = derivative(node, received, keep)
        else:
            sent = node.apply(received, F, keep)  # type: ignore[attr-defined]
        metas, index = node.metas, -1
        for edge in way:
            index += 1  # half of what `enumerate` takes for one or two edges
            if edge is None:
                continue
            grad = sent[index]
            if (metas is not None and grad is not None and (meta := metas[index]) is not None
                    and (grad.shape != meta[0] or grad.dtype is not meta[1])):  # else the call would be for nothing
                grad = fit(grad, meta, F, node, index)
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
            elif (grad is received or received.__class__ is tuple) and not on_tensors:
                grad = grad.copy()  # passed on unchanged: the leaf must own what it keeps
            if left:
                arrived[edge] = grad
            elif captured is not None:
                captured[edge] = grad
            elif grad is not None and edge._requires_grad:
                leaves.accumulate(edge, grad, on_tensors, False)
