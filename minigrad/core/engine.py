"""The engine: walk the graph from a root, apply the chain rule, one node at a time.

Order follows PyTorch: the latest node first, a leaf as soon as its last gradient is in. Sequence
numbers are a topological order, because a node takes its number after its edges are known; so
sorting the reachable nodes is the whole schedule. `steps` is the algorithm, a generator; `run`
exhausts it. Nothing here recurses, and grad mode is never held across a `yield`.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from ..array.backend import xp
from ..text import presentation, say
from .base import TensorBase, bump, constant
from .carriers import RAW, TENSORS
from .hooks import hook_name
from .modes import anomaly, differentiable
from .node import Node, Port

held: dict[Node, Any] = {}  # nodes of a backward that waits between two steps -> who steps it
_accumulating = threading.Lock()  # leaves are shared by threads that run backward at once
_latest_first = attrgetter("seq")


def steps(roots: Sequence[Any], grads: Sequence[Any], watch: Any = None, *, retain_graph: bool = False,
          create_graph: bool = False, inputs: Sequence[Any] | None = None,
          captured: dict[Any, Any] | None = None) -> Iterator[Node]:  # fmt: skip
    """Run backward from `roots` with their gradients `grads`; yield each node after it ran.

    `grads` are raw arrays, or tensors under `create_graph`. With `inputs` only the paths to these
    edges run; with `captured` (a dict) their gradients are put there and no `.grad` is touched.
    `watch` is told of every event: ready, hook, capture, compute, unbroadcast, send, accumulate, free.
    """
    walk = Walk(watch, create_graph, captured)
    edges = [root._edge() for root in roots]
    nodes = walk.reach(edges, inputs)
    if held:
        refuse_held(nodes, watch)
    for edge, grad in zip(edges, grads, strict=True):
        walk.deliver(edge, grad)
    yield from walk.ready_leaves()
    plain = watch is None and inputs is None and not create_graph and not anomaly.enabled
    for node in nodes:
        if plain and node.hooks is None and node.outputs == 1:
            walk.pass_on(node, retain_graph)
            yield node
            if walk.due:
                yield from walk.ready_leaves()
            continue
        grad = walk.collect(node)
        if walk.needed is not None and not walk.is_needed(node, grad):
            continue
        sent = walk.execute(node, grad, retain_graph)
        walk.send(node, sent, grad[0])
        if watch is not None and node.freed:
            watch.free(node)
        yield node
        if walk.due:
            yield from walk.ready_leaves()


class Walk:
    """One run of backward: what has arrived where, and which leaves still wait for how many."""

    def __init__(self, watch: Any, create_graph: bool, captured: dict | None) -> None:
        self.watch, self.create_graph, self.captured = watch, create_graph, captured
        self.F = TENSORS if create_graph else RAW
        self.arrived: dict[Any, Any] = {}  # edge -> sum so far
        self.waits: dict[Any, int] = {}  # leaf -> gradients still to come
        self.ports: dict[Node, list[Port]] = {}
        self.due: list[Any] = []  # leaves whose last gradient is in
        self.needed: set[Any] | None = None
        self.inputs: set[Any] = set()

    # ---- before: which nodes, in which order

    def reach(self, edges: list[Any], inputs: Sequence[Any] | None) -> list[Node]:
        """All nodes that the gradients can reach, latest first; counts what each leaf waits for."""
        waits, seen, nodes = self.waits, set(), []
        stack = list(edges)
        while stack:
            edge = stack.pop()
            if edge is None:
                continue
            if isinstance(edge, Port):
                self._port(edge)
                edge = edge.node
            elif not isinstance(edge, Node):
                waits[edge] = waits.get(edge, 0) + 1
                continue
            if edge not in seen:
                seen.add(edge)
                nodes.append(edge)
                stack += edge.edges
        nodes.sort(key=_latest_first, reverse=True)
        if inputs is not None:
            self._restrict(nodes, inputs)
        return nodes

    def _port(self, port: Port) -> None:
        known = self.ports.setdefault(port.node, [])
        if port not in known:
            known.append(port)

    def _restrict(self, nodes: list[Node], inputs: Sequence[Any]) -> None:
        """Mark the nodes on a path to `inputs`; the others will not run."""
        self.inputs = {key_of(edge) for edge in inputs}
        # backward(inputs=...) runs the nodes of its inputs too; grad(...) only looks at what arrives there
        self.needed = set() if self.captured is not None else {k[0] for k in self.inputs if isinstance(k, tuple)}
        for node in reversed(nodes):  # earliest first: what a node leads to is known already
            if any(self._leads(edge) for edge in node.edges):
                self.needed.add(node)

    def _leads(self, edge: Any) -> bool:
        node = edge.node if isinstance(edge, Port) else edge
        return node in self.needed or key_of(edge) in self.inputs  # type: ignore[operator]

    def is_needed(self, node: Node, grad: Any) -> bool:
        """Capture what arrives at an input; say whether the node has to run as well."""
        wanted = [nr for nr in range(len(grad)) if (node, nr) in self.inputs]
        if wanted:
            grad = self._before(node, grad)
            for nr in wanted:
                self.captured_at((node, nr), grad[nr])
        return node in self.needed  # type: ignore[operator]

    def captured_at(self, key: Any, grad: Any) -> None:
        if self.captured is not None and grad is not None:
            self.captured[key] = grad

    # ---- at a node

    def pass_on(self, node: Node, keep: bool) -> None:
        """The ordinary node, which nobody watches: `collect`, `execute` and `send` in one, for speed."""
        arrived, waits, metas = self.arrived, self.waits, node.metas
        received = arrived.pop(node, None)
        if received is None and not node.wants_undefined:
            sent: tuple = (None,) * len(node.edges)
        else:
            sent = node.apply_raw(received, keep)
        for index, edge in enumerate(node.edges):
            if edge is None:
                continue
            grad, leaf = sent[index], edge in waits
            if grad is not None:
                if metas is not None:
                    grad = self._fitted(node, index, grad, metas[index])
                if leaf and grad is received:
                    grad = grad.copy()  # passed on unchanged: the leaf must own what it keeps
                before = arrived.get(edge)
                arrived[edge] = grad if before is None else before + grad
            if leaf:
                waits[edge] -= 1
                if not waits[edge]:
                    self.due.append(edge)

    def collect(self, node: Node) -> tuple:
        """The gradients that have arrived at the node's outputs; None where nothing has."""
        if node.outputs == 1:
            return (self.arrived.pop(node, None),)
        grads: list[Any] = [None] * node.outputs
        for port in self.ports.get(node, ()):
            got = self.arrived.pop(port, None)
            if got is not None:
                grads[port.nr] = got if grads[port.nr] is None else grads[port.nr] + got
        return tuple(grads)

    def execute(self, node: Node, grad: tuple, keep: bool) -> tuple:
        """Hooks, the node's derivatives, hooks: the gradients it sends, one per edge."""
        hooks, watch = node.hooks, self.watch
        if watch is not None:
            watch.ready(node)
        if hooks is not None and not (self.needed is not None and any(
                (node, nr) in self.inputs for nr in range(len(grad)))):  # fmt: skip
            grad = self._before(node, grad)
        given = grad[0] if node.outputs == 1 else grad
        if all(g is None for g in grad) and not node.wants_undefined:
            sent: tuple = (None,) * len(node.edges)
        else:
            sent = self._apply(node, given, keep)
        if watch is not None:
            watch.compute(node, grad, sent)
        if hooks is not None and hooks.post:
            sent = self._after(node, sent, grad)
        return sent

    def _apply(self, node: Node, given: Any, keep: bool) -> tuple:
        """The node's derivatives, recorded under `create_graph`, looked at in anomaly mode."""
        try:
            if not self.create_graph:
                sent = node.apply(given, self.F, keep)
            else:
                with differentiable(True):
                    sent = node.apply(given, self.F, keep)
            if anomaly.enabled and anomaly.check_nan:
                self._refuse_nan(node, sent)
        except RuntimeError:
            if anomaly.enabled:
                self._say_where(node)
            raise
        return sent

    @staticmethod
    def _refuse_nan(node: Node, sent: tuple) -> None:
        for index, grad in enumerate(sent):
            data = grad._data if isinstance(grad, TensorBase) else grad
            if data is not None and xp.isnan(data).any():
                raise presentation.error(RuntimeError, "anomaly",
                    f"Function '{node.name()}' returned nan values in its {index}th output.",
                    node=node)  # fmt: skip

    @staticmethod
    def _say_where(node: Node) -> None:
        """torch's warning: the lines that led to this node, if anomaly mode was on in forward too."""
        stack = node.hooks and node.hooks.metadata.get("traceback_")
        known = "Traceback of forward call that caused the error:\n" + "".join(stack or ())
        unknown = (
            "No forward pass information available. Enable detect anomaly during forward pass for more "
            "information."
        )
        warnings.warn(f"Error detected in {node.name()}. {known if stack else unknown}", stacklevel=6)

    def send(self, node: Node, sent: tuple, received: Any) -> None:
        """Bring each gradient to the shape of its receiver and add it to what is there."""
        metas, watch, arrived, waits = node.metas, self.watch, self.arrived, self.waits
        for index, edge in enumerate(node.edges):
            if edge is None:
                continue
            grad = sent[index]
            if grad is not None:
                if metas is not None:
                    grad = self._fitted(node, index, grad, metas[index])
                if grad is received and edge in waits and not self.create_graph:
                    grad = grad.copy()  # passed on unchanged: the leaf must own what it keeps
                before = arrived.get(edge)
                arrived[edge] = grad if before is None else self._plus(before, grad)
                if watch is not None:
                    watch.send(node, index, grad, arrived[edge])
            if edge in waits:
                waits[edge] -= 1
                if not waits[edge]:
                    self.due.append(edge)

    def _plus(self, a: Any, b: Any) -> Any:
        if not self.create_graph:
            return a + b
        with differentiable(True):
            return a + b

    def _fitted(self, node: Node, index: int, grad: Any, meta: Any) -> Any:
        """Sum away what broadcasting added or stretched; cast back to the input's type."""
        shape, kind = meta
        if grad.shape != shape:
            with differentiable(self.create_graph):
                small = self.F.sum_to(grad, shape)
            if self.watch is not None:
                self.watch.unbroadcast(node, index, grad, small)
            grad = small
        have = (grad._data if isinstance(grad, TensorBase) else grad).dtype
        if have is not kind and have != kind:
            with differentiable(self.create_graph):
                grad = self.F.cast(grad, kind)
        return grad

    def deliver(self, edge: Any, grad: Any) -> None:
        """Put a root's gradient on its edge."""
        if edge in self.waits and not self.create_graph:
            grad = grad.copy()  # the caller keeps the one that was given
        before = self.arrived.get(edge)
        self.arrived[edge] = grad if before is None else before + grad
        if edge in self.waits:
            self.waits[edge] -= 1
            if not self.waits[edge]:
                self.due.append(edge)

    # ---- at a leaf

    def ready_leaves(self) -> Iterator[Node]:
        """Run the AccumulateGrad of every leaf that waits for nothing more."""
        due, self.due = self.due, []
        for leaf in due:
            grad = self.arrived.pop(leaf, None)
            if self.needed is not None and leaf not in self.inputs:
                continue
            if self.watch is None and leaf._hooks is None and self.captured is None:
                if grad is not None and leaf._requires_grad:
                    self.accumulate(leaf, grad)
            else:
                self._attended(leaf, grad)
            yield leaf

    def _attended(self, leaf: Any, grad: Any) -> None:
        """A leaf with hooks or onlookers."""
        node, hooks = leaf._accumulate_grad(), leaf._hooks
        if self.watch is not None:
            self.watch.ready(node)
        (grad,) = self._before(node, (grad,))
        if self.captured is not None:
            self.captured_at(leaf, grad)
            return
        before = leaf._grad
        if grad is not None and leaf.requires_grad:
            # A hook may have kept the array it was shown.
            self.accumulate(leaf, grad if self.create_graph or not hooks.tensor else grad.copy())
        if self.watch is not None:
            self.watch.accumulate(node, grad, before, leaf._grad)
        for hook in list(hooks.post_accumulate.values()):
            with differentiable(self.create_graph):
                hook(leaf)
            if self.watch is not None:
                self.watch.hook(node, "post_accumulate", hook, leaf._grad, leaf._grad)
        if hooks.post:
            self._after(node, (), (grad,))

    def accumulate(self, leaf: Any, grad: Any) -> None:
        """Add to `.grad`: in place, except under `create_graph`, where the sum is recorded too."""
        with _accumulating:
            old = leaf._grad
            if self.create_graph:
                with differentiable(True):
                    leaf._grad = TENSORS.copy_of(grad) if old is None else old + grad
            elif old is None:
                leaf._grad = first_grad(leaf, grad)
            else:
                add_in_place(old, grad)

    # ---- hooks

    def _before(self, node: Node, grad: tuple) -> tuple:
        """Tensor hooks, then retain_grad's copy, then pre-hooks: what the node will receive."""
        hooks = node.hooks
        if hooks is None:
            return grad
        grads = list(grad)
        for nr, registered in hooks.tensor.items():
            for hook in list(registered.values()):
                grads[nr] = self._tensor_hook(node, hook, grads[nr])
        for nr, reference in hooks.retain.items():
            self._retain(node, nr, reference(), grads[nr])
        for hook in list(hooks.pre.values()):
            with differentiable(self.create_graph):
                changed = hook(tuple(map(self._shown, grads)))
            if changed is not None:
                grads = [self._taken(g) for g in self._as_many(hook, changed, len(grads))]
            if self.watch is not None:
                self.watch.hook(node, "pre", hook, grad, tuple(grads))
        return tuple(grads)

    def _tensor_hook(self, node: Node, hook: Any, grad: Any) -> Any:
        shown = self._shown(grad)
        with differentiable(self.create_graph):
            changed = hook(shown)
        after = grad if changed is None else self._checked(hook, shown, changed)
        if changed is None and shown is not None:
            after = self._taken(shown)  # the hook may have written into it
        if self.watch is not None:
            self.watch.hook(node, "tensor", hook, grad, after)
        return after

    def _checked(self, hook: Any, shown: Any, changed: Any) -> Any:
        """What a hook returned, if it may stand for the gradient it was given."""
        if not isinstance(changed, TensorBase):
            raise presentation.error(TypeError, "hook_kind",
                f"expected Variable, but hook returned '{type(changed).__name__}'")  # fmt: skip
        if shown is not None and changed.shape != shown.shape:
            raise presentation.error(RuntimeError, "hook_shape",
                f"hook '{hook_name(hook)}' has changed the size of value",
                shapes=(shown.shape, changed.shape))  # fmt: skip
        if shown is not None and changed._data.dtype != shown._data.dtype:
            was, got = (x.type() for x in (shown, changed))
            raise RuntimeError(
                f"hook '{hook_name(hook)}' has changed the type of value (was {was} got {got})"
            )
        return self._taken(changed)

    def _retain(self, node: Node, nr: int, tensor: Any, grad: Any) -> None:
        if tensor is None or grad is None:
            return
        kept = grad if self.create_graph else constant(tensor._plain, grad.copy())
        tensor._grad = kept if tensor._grad is None else tensor._grad + kept
        if self.watch is not None:
            self.watch.capture(node, nr, grad)

    def _after(self, node: Node, sent: tuple, grad: tuple) -> tuple:
        """Post-hooks: they see what the node received and may replace what it sends."""
        received = tuple(map(self._shown, grad))
        for hook in list(node.hooks.post.values()):  # type: ignore[union-attr]
            with differentiable(self.create_graph):
                changed = hook(tuple(map(self._shown, sent)), received)
            before = sent
            if changed is not None:
                sent = tuple(self._taken(g) for g in self._as_many(hook, changed, len(sent)))
            if self.watch is not None:
                self.watch.hook(node, "post", hook, before, sent)
        return sent

    @staticmethod
    def _as_many(hook: Any, changed: Any, count: int) -> tuple:
        """What a node's hook returned: one value per gradient."""
        if isinstance(changed, TensorBase):
            changed = (changed,)
        if not isinstance(changed, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(changed).__name__}'")
        if len(changed) != count:
            raise RuntimeError(
                f"hook '{hook_name(hook)}' has returned an incorrect number of values (got "
                f"{len(changed)}, but expected {count})"
            )
        return changed

    def _shown(self, grad: Any) -> Any:
        """A gradient as hooks see it: a tensor."""
        return grad if grad is None or self.create_graph else constant(TensorBase._plain, grad)

    def _taken(self, grad: Any) -> Any:
        """A tensor from a hook, as this run carries gradients."""
        return grad._data if isinstance(grad, TensorBase) and not self.create_graph else grad


def refuse_held(nodes: list[Node], watch: Any) -> None:
    """A backward that waits between two steps has its graph to itself: part of it is freed already."""
    if any(held.get(node, watch) is not watch for node in nodes):
        error = RuntimeError("this graph is being walked by a live player; finish or close it first")
        error.add_note(say("player.held"))
        raise error


def key_of(edge: Any) -> Any:
    """An edge as a dictionary key: `(node, output_nr)`, or the leaf itself."""
    if isinstance(edge, Port):
        return edge.node, edge.nr
    return (edge, 0) if isinstance(edge, Node) else edge


def first_grad(leaf: Any, grad: Any) -> Any:
    """A leaf's first gradient: an array of its own, laid out as the leaf is."""
    data = leaf._data
    if isinstance(grad, xp.generic):
        return constant(leaf._plain, grad)
    if grad.base is not None or grad.strides != data.strides or not grad.flags.writeable:
        own = xp.empty_like(data, dtype=grad.dtype)
        own[...] = grad
        t = constant(leaf._plain, own)
        bump(t)  # torch fills a new tensor here, and its version says so
        return t
    return constant(leaf._plain, grad)


def add_in_place(old: Any, grad: Any) -> None:
    """`.grad += grad`, seen by everybody who holds `.grad`."""
    if isinstance(old._data, xp.generic):
        old._data = old._data + grad
    else:
        old._data += grad
    bump(old)


def run(*args: Any, **options: Any) -> None:
    """Backward to the end: `steps` without anybody watching."""
    for _ in steps(*args, **options):
        pass
