"""`with broken("early"):` runs an engine with one fault, to see what goes wrong and which test notices.

A fault replaces named parts of the engine: who is ready (`GraphTask.schedule`), how gradients meet (`arrive`, `take`,
`capture`) and are brought to a shape (`fit`), a node's turn (`apply`, `free`), what ends in `.grad` (`accumulate`); or
of the table: what a product saves and sends. They are put in place for the block and for its thread alone. Graphs read
inside note the fault, so that every picture of them says so.
"""

from __future__ import annotations

import contextlib
import math
from _thread import get_ident
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ..core import engine
from ..core.beside import attended
from ..core.engine import GraphTask
from ..core.graph import Node, TensorBase, node_of, output_of
from ..core.modes import slow
from ..core.row import TABLE, apply_of, reader
from ..text import demand

MOST_TURNS = 100_000  # of "every_path": about a second
_open: dict[str, OpenFault] = {}  # the block that is open, as "now"
leftovers: dict[Any, Any] = {}  # edge -> what "keep_old" has left there
Seams = list[tuple[Any, str, Callable[..., Any]]]  # place, name, `fault(original, *args)`


class broken:
    """A block in which backward has the fault `bug`; `broken.bugs` lists them all.

    overwrite: where gradients meet the last one stays. early: a node runs at the first arrival. every_path: it
    runs once for each arrival, with that gradient alone. keep_old: what nodes between root and leaves received
    is still there in the next backward. replace: `.grad` is replaced. no_sum: of a broadcast input's gradients
    the first is taken. own_factor: in a product each factor's gradient is scaled by that factor itself.
    blind: saved values that were written since are used all the same.

    It implies `slow()`, holds for the thread that entered, and ends with the block, errors included.
    Raises: ValueError for an unknown fault; RuntimeError inside another `broken` block.
    """

    bugs = ("overwrite", "early", "every_path", "keep_old", "replace", "no_sum", "own_factor", "blind")

    undo = contextlib.ExitStack()  # empty until a block is entered

    def __init__(self, bug: str) -> None:
        self.bug = bug
        demand(bug in self.bugs, "moments.no_bug", bug=bug, bugs=", ".join(self.bugs))

    def __enter__(self) -> broken:
        block = OpenFault(self.bug)
        try:
            demand(_open.setdefault("now", block) is block, "moments.nested", kind=RuntimeError)
            with contextlib.ExitStack() as undo:
                undo.callback(block.leave)
                undo.enter_context(slow())
                for place, name, fault in SEAMS[self.bug]():
                    original = vars(place)[name] if isinstance(place, type) else getattr(place, name)
                    undo.callback(setattr, place, name, original)
                    setattr(place, name, block.part(fault, original))
                undo.callback(block.leave)  # first and last: no fault outlives it, wherever an interrupt strikes
                self.undo = undo.pop_all()
            return self
        except BaseException:
            block.leave()
            raise

    def __exit__(self, *exc: object) -> None:
        self.undo.close()

    __del__ = __exit__  # an interrupt may strike before the block begins, or as it ends


class OpenFault:
    """One open block: its fault, and the thread that it holds for; 0 once it is over."""

    def __init__(self, bug: str) -> None:
        self.bug, self.thread = bug, get_ident()

    def leave(self) -> None:
        """From here on the engine is as it should be."""
        self.thread = 0
        if _open.get("now") is self:
            del _open["now"]
            leftovers.clear()

    def part(self, fault: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
        """The faulty part while the block lasts and for its thread, the original otherwise."""
        return lambda *args: fault(original, *args) if self.thread == get_ident() else original(*args)


def fault_now() -> str:
    """The fault of the engine that this thread uses; "" for none."""
    now = _open.get("now")
    return now.bug if now is not None and now.thread == get_ident() else ""


# ---- the faults


def overwrite() -> Seams:
    def arrive(original: Any, task: Any, edge: Any, grad: Any) -> None:
        if grad is not None:
            task.arrived.pop(edge, None)
        original(task, edge, grad)

    return [(GraphTask, "arrive", arrive)]


def early() -> Seams:
    def schedule(original: Any, task: Any, roots: Any) -> list[Node]:
        return in_order_of_arrival(roots, False) if original(task, roots) else []

    return [(GraphTask, "schedule", schedule)]


def in_order_of_arrival(roots: Any, again: bool) -> list[Node]:
    """Nodes as gradients reach them, each path to its end; only once, or `again` on each path."""
    stack, seen = list(reversed(roots)), set()
    turns: list[Node] = []
    while stack and len(turns) <= MOST_TURNS:
        node = node_of(stack.pop())
        if isinstance(node, Node) and (again or node not in seen):
            seen.add(node)
            turns.append(node)
            stack.extend(reversed(node.edges))
    return turns


def every_path() -> Seams:
    def schedule(original: Any, task: Any, roots: Any) -> list[Node]:
        nodes, turns = original(task, roots), in_order_of_arrival(roots, True)
        demand(len(turns) <= MOST_TURNS, "moments.many_turns", kind=RuntimeError, most=MOST_TURNS)
        task.watched = getattr(task, "watch", None) is not None  # a picture has one place for each node, and one turn
        demand(len(turns) <= len(nodes) or not task.watched, "moments.more_turns", RuntimeError)
        task.turns = Counter(turns)
        return turns

    def arrive(original: Any, task: Any, edge: Any, grad: Any) -> None:
        if task.watched or not isinstance(node_of(edge), Node):
            if edge is not None and edge in task.waits:
                task.waits[edge] = 1
            original(task, edge, grad)
            if task.complete.count(edge) > 1:  # not emptied since the gradient before
                task.complete.pop()
        elif grad is not None:
            task.arrived.setdefault(edge, []).append(grad)

    def take(original: Any, task: Any, node: Node) -> tuple[Any, ...]:
        outs = () if task.watched else [output_of(node, nr) for nr in range(node.outputs)]
        waiting = {out: grads for out in outs if (grads := task.arrived.get(out))}
        task.arrived.update({out: grads[-1] for out, grads in waiting.items()})
        received: tuple[Any, ...] = original(task, node)
        task.arrived.update({out: grads[:-1] for out, grads in waiting.items() if grads[:-1]})
        return received

    def free(original: Any, task: Any, node: Node) -> None:
        task.turns[node] -= 1
        if not task.turns[node]:  # the last turn frees
            original(task, node)

    def capture(original: Any, task: Any, edge: Any, grad: Any) -> None:
        before = task.captured.get(edge)
        original(task, edge, grad if before is None or grad is None else before + grad)

    return [(GraphTask, "schedule", schedule), (GraphTask, "arrive", arrive), (GraphTask, "take", take),
            (attended.AttendedTask, "free", free), (attended.AttendedTask, "capture", capture)]


def keep_old() -> Seams:
    def schedule(original: Any, task: Any, roots: Any) -> list[Node]:
        task.old = {edge: total for edge, total in leftovers.items() if edge not in roots}
        task.ends = {node_of(edge) for edge in roots}
        nodes: list[Node] = original(task, roots)
        return nodes

    def arrive(original: Any, task: Any, edge: Any, grad: Any) -> None:
        old = task.old.pop(edge, None) if grad is not None else None
        alike = isinstance(old, TensorBase) == isinstance(grad, TensorBase)  # under create_graph, or not
        original(task, edge, grad if old is None or not alike else grad + old)

    def take(original: Any, task: Any, node: Node) -> tuple[Any, ...]:
        received: tuple[Any, ...] = original(task, node)
        if node not in task.ends:
            leftovers.update({output_of(node, nr): grad for nr, grad in enumerate(received) if grad is not None})
        return received

    return [(GraphTask, "schedule", schedule), (GraphTask, "arrive", arrive), (GraphTask, "take", take)]


def replace() -> Seams:
    def accumulate(original: Any, leaf: Any, *args: Any) -> None:
        leaf._grad = None
        original(leaf, *args)

    return [(engine, "accumulate", accumulate)]


def no_sum() -> Seams:
    def fit(original: Any, grad: Any, meta: Any, F: Any, *whose: Any) -> Any:
        if meta is None or tuple(grad.shape) == tuple(meta[0]):
            return original(grad, meta, F)
        first = (0,) * (len(grad.shape) - len(meta[0])) + tuple(slice(0, n) for n in meta[0])
        # of no copies there is no first
        return original(grad[first] if math.prod(grad.shape) else F.sum_to(grad, meta[0]), meta, F)

    return [(engine, "fit", fit), (attended, "fit", fit)]


def own_factor() -> Seams:
    row = TABLE["mul"]
    read_self, read_other = reader(row, "self"), reader(row, "other")

    def save(original: Any, n: Any, *args: Any) -> None:
        edges, n.edges = n.edges, (n, n)  # as if both were wanted: then both are kept
        try:
            original(n, *args)
        finally:
            n.edges = edges

    def apply(original: Any, n: Any, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple[Any, ...]:
        own = tuple(None if edge is None else f(n, F) for edge, f in zip(n.edges, (read_self, read_other), strict=True))
        known = all(edge is None or factor is not None for edge, factor in zip(n.edges, own, strict=True))
        demand(known, "moments.made_before", RuntimeError)
        apply_of(row)(n, grad, F, keep)  # checks and frees as ever
        return tuple(None if factor is None else grad * factor for factor in own)

    return [(row, "save", save), (row.node, "apply", apply)]


def blind() -> Seams:
    def apply(original: Any, task: Any, node: Any, received: tuple[Any, ...]) -> Any:
        noted = list(versions(node))
        for place, name, _, now in noted:
            setattr(place, name, now)
        try:
            return original(task, node, received)
        finally:  # after the block the check finds what it would have found
            for place, name, then, _ in noted:
                setattr(place, name, then)

    return [(GraphTask, "apply", apply)]


def versions(node: Any) -> Iterator[tuple[Any, str, Any, Any]]:
    """Where a node noted a version: the object, the name there, the version noted, today's."""
    for slot in node.frees:
        saved, name = getattr(node, slot, None), slot.removeprefix("saved_")
        if isinstance(saved, tuple) and hasattr(node, f"version_{name}"):  # a list of tensors, as indices
            now = tuple(t._version if isinstance(t, TensorBase) else None for t in saved)
            yield node, f"version_{name}", getattr(node, f"version_{name}"), now
        elif isinstance(saved, tuple):  # of a custom Function
            yield from ((s, "version", s.version, s.counter[0]) for s in saved if hasattr(s, "counter"))
        elif (counter := getattr(node, f"counter_{name}", getattr(saved, "_counter", None))) is not None:
            yield node, f"version_{name}", getattr(node, f"version_{name}"), counter[0]


SEAMS: dict[str, Callable[[], Seams]] = {f.__name__: f for f in (
    overwrite, early, every_path, keep_old, replace, no_sum, own_factor, blind)}
