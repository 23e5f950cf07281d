"""The snapshot: everything a picture may know about a graph, frozen, without one array.

A reader (`live.read`, `from_torch.read_torch`) fills these records; renderers see nothing else.
Ids follow the order of backward: `n1` is the node that runs first, AccumulateGrad included.
An edge is `n3:0` (node, slot in `next_functions`), a saved field `n3.self`, a tensor `t2`,
a hook `h1`. `==` compares what torch can tell; not the fields marked `_uncompared`.
"""

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

GRAPH_SCHEMA = "minigrad.graph/1"
AnyTensor = Any  # what the records are read from: a tensor of minigrad, or of torch
AnyNode = Any  # a node of their graphs


def by_key(pairs: Iterable[tuple[Any, Any]], keys: Iterable[Any] = ()) -> dict[Any, list[Any]]:
    """Key -> all values that come with it, in their order; `keys` stand first, also those that nothing comes with."""
    found: dict[Any, list[Any]] = {key: [] for key in keys}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def reachable(starts: Iterable[Any], after: Callable[[Any], Iterable[Any]], seen: set[Any] | None = None) -> list[Any]:
    """Some things, and all to which `after` leads from them, each once, without those that were `seen` before."""
    found, todo, seen = list[Any](), [*starts], set() if seen is None else seen
    while todo:
        if (one := todo.pop()) not in seen:
            seen.add(one)
            found.append(one)
            todo += after(one)
    return found


def op_name(name: str) -> str:
    """The forward's word in a node's name: `mul` of MulBackward0, `log_softmax` of LogSoftmax..."""
    short = re.sub(r"(Backward|Backwards)?\d*(_copy)?$", "", name.rpartition("::")[2])
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z0-9])|(?<=\dD)(?=[A-Z])", "_", short).lower()


def swap(container: Any, old: Any) -> None:
    """Give a container its old contents."""
    container.clear()
    getattr(container, "update" if isinstance(container, dict | set) else "extend")(old)


def _uncompared(default: Any = None) -> Any:
    """A field that `==` leaves out: torch cannot tell it, or it is a value."""
    return field(default=default, compare=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """One entry of `next_functions`; `node` is None for `(None, 0)`."""

    slot: int
    node: str | None
    nr: int = 0  # which output of that node
    tensor: str | None = _uncompared()  # the forward input at this slot, where it is known
    expands: bool = _uncompared(False)  # broadcast forward, so the engine sums on the way back
    cut: bool = _uncompared(False)  # goes on outside the part that is shown


@dataclass(frozen=True, slots=True)
class Saved:
    """A field that a node kept for backward: `_saved_self` has `field="self"`."""

    field: str
    text: str = _uncompared("")  # a tensor's name, or a preview; "" once freed
    tensor: str | None = _uncompared()
    is_tensor: bool = _uncompared(False)
    freed: bool = False
    version: int | None = _uncompared()  # counter when it was saved
    now: int | None = _uncompared()  # counter today; another number makes backward fail
    later: int | None = _uncompared()  # computed again in backward: the bytes that are not kept until then
    by: tuple[int, str] | None = _uncompared()  # number, text: what wrote it since, first of the last 8

    @property
    def stale(self) -> bool:
        """Whether it was written after it was saved."""
        return self.version is not None and self.now is not None and self.version != self.now


def is_layout(field: str) -> bool:
    """Whether a saved field only tells how entries lie in memory: no number and no word of a rule depends on it."""
    return field.endswith("_sym_strides")


def attribute(field: str) -> str:
    """What a saved field is called on its node: `_saved_self`, of a custom Function `saved_tensors[0]`."""
    return field if field.startswith("saved_tensors") else f"_saved_{field}"


class Span(NamedTuple):
    """A part of the learner's source, from `first`, `start` to `last`, `end`; columns count bytes of UTF-8."""

    file: str
    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A grad_fn. `kind` is "op" or "accumulate" (its leaf is `leaf`)."""

    id: str
    name: str  # grad_fn.name() without the prefix torch::autograd::
    kind: str = "op"
    edges: tuple[Edge, ...] = ()
    saved: tuple[Saved, ...] = ()
    leaf: str | None = None
    op: str = _uncompared("")  # the forward's word: "mul" for MulBackward0
    formula: str = _uncompared("")  # "p = x · w" where the names are known
    line: tuple[int, str] | None = _uncompared()  # number and text of the line that made it
    function: str = _uncompared("")  # the learner's function that the line stands in
    scope: str = _uncompared("")  # the module it ran in
    seq: int = _uncompared(0)
    source: str = _uncompared("")  # the learner's expression that made it, where that surely means just its result
    span: Span | None = field(default=None, compare=False)  # where that, or the call that made it, stands
    error: str = _uncompared("")  # a call that failed, and made nothing; see `unfinished`
    at: int = _uncompared(0)  # the instruction of `function`: it grows while a line runs once

    @property
    def in_place(self) -> bool:
        """Whether it wrote into its first input."""
        return self.op.endswith("_") or self.name.endswith("CopySlices")

    def edge_id(self, slot: int) -> str:
        """The id of the edge at a slot: `n3:0`."""
        return f"{self.id}:{slot}"

    def edge(self, slot: int) -> Edge:
        """The edge at a slot."""
        return next(e for e in self.edges if e.slot == slot)


@dataclass(frozen=True, slots=True)
class Summary:
    """A tensor in a few numbers, as texts; `sample` are at most 24 evenly spaced entries, `grid` all of a small one,
    `bad` says how many are NaN or ∞; the others have no part in that."""

    norm: str = ""
    min: str = ""
    mean: str = ""
    max: str = ""
    sample: tuple[float, ...] = ()
    grid: tuple[tuple[str, ...], ...] = ()
    bad: str = ""


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """A card. `kind`: "leaf", "constant" or "nonleaf"; `node` is its grad_fn or AccumulateGrad."""

    id: str
    kind: str
    name: str | None
    shape: tuple[int, ...]
    dtype: str  # "" where nothing is known of it, "?" where only the shape is
    requires_grad: bool
    node: str | None = None
    nr: int = 0
    retains_grad: bool = False
    base: str | None = None  # the tensor it is a view of, where that is drawn too
    is_view: bool = _uncompared(False)
    version: int = _uncompared(0)
    value: str | None = _uncompared()  # preview; None: nobody keeps it
    grad: str | None = _uncompared()
    tangent: str | None = _uncompared()  # how it moves, where tangents were pushed
    summary: Summary | None = field(default=None, compare=False)

    @property
    def size(self) -> str:
        """Its shape as a text; "" where nobody knows it any more."""
        return str(self.shape) if self.dtype else ""

    @property
    def label(self) -> str:
        """Its name; without one what it is: a leaf with its number, or with one of ours where it has many."""
        of = f"{self.kind} {(not self.shape and self.value) or '#' + self.id[1:]}"
        return self.name or ("tensor" if self.kind == "nonleaf" else of)


@dataclass(frozen=True, slots=True)
class Scope:
    """One call of a module, or of a function that made several nodes; `parent` is the id of the scope around it."""

    id: str
    parent: str
    kind: str  # "module" or "call"
    path: str = ""
    call: int = 0
    name: str = ""  # of the class or the function
    params: tuple[str, ...] = ()
    ours: bool = False  # whether the class is the library's, so that no line of the learner's is inside


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same piece of program several times: `turns` are its nodes, turn by turn, in the order of forward."""

    id: str
    turns: tuple[tuple[str, ...], ...]
    all: bool = True  # whether they are the whole loop; False where it also made operations that meet theirs


@dataclass(frozen=True, slots=True)
class Cut:
    """A place in the learner's code where a tracked tensor was cut off; or operations that ran after that."""

    id: str
    kind: str
    line: tuple[int, str] | None  # number and text
    count: int = 1
    node: str | None = None  # the last node that was cut
    tensor: str | None = None  # what came of it,
    into: tuple[str, ...] = ()  # or the edges, and places behind a node's last, where that goes in without a card
    ran: bool = False  # operations that ran after a cut, not a cut itself
    after: tuple[str, ...] = ()  # what they computed with
    scope: str = ""  # the call of a module that cut last


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook at a node; `kind`: "tensor", "pre", "post" or "post_accumulate"."""

    id: str
    node: str
    kind: str
    label: str
    nr: int = 0


@dataclass(frozen=True)
class Graph:
    """What hangs from `roots`, as plain records; equal when torch would call it equal."""

    roots: tuple[str, ...]
    nodes: tuple[NodeRecord, ...]
    tensors: tuple[TensorRecord, ...]
    hooks: tuple[Hook, ...] = _uncompared(())
    scopes: tuple[Scope, ...] = _uncompared(())
    repeats: tuple[Repeat, ...] = _uncompared(())
    cuts: tuple[Cut, ...] = _uncompared(())
    fault: str = _uncompared("")  # of the engine that runs it, see `faults`
    library: str = _uncompared("minigrad")  # whose tensors these are: "torch" tells less of them
    expressions: Mapping[str, tuple[int, str]] = field(default_factory=dict, compare=False)  # see `nesting`

    @cached_property
    def nodes_by_id(self) -> dict[str | None, NodeRecord]:
        """Id to node."""
        return {n.id: n for n in self.nodes}

    @cached_property
    def tensors_by_id(self) -> dict[str | None, TensorRecord]:
        """Id to tensor."""
        return {t.id: t for t in self.tensors}

    def node(self, id: str | None) -> NodeRecord:
        """The node of this id. Raises: KeyError if there is none."""
        return self.nodes_by_id[id]

    def tensor(self, id: str | None) -> TensorRecord:
        """The tensor of this id. Raises: KeyError if there is none."""
        return self.tensors_by_id[id]

    @cached_property
    def ops(self) -> tuple[NodeRecord, ...]:
        """The nodes that are no AccumulateGrad."""
        return tuple(n for n in self.nodes if n.kind == "op")

    @cached_property
    def edges(self) -> dict[str, tuple[NodeRecord, Edge]]:
        """Id of an edge -> its node, and the edge; in the order of backward."""
        return {n.edge_id(e.slot): (n, e) for n in self.ops for e in n.edges}

    @cached_property
    def consumers(self) -> dict[str, list[str]]:
        """Id of a node -> the nodes that send to it, once for each edge."""
        found = by_key((e.node, n.id) for n in self.nodes for e in n.edges)
        return {n.id: found.get(n.id, []) for n in self.nodes}

    @cached_property
    def severed(self) -> set[str]:
        """The edges, or the places behind a node's last, where what was cut off goes in."""
        left = {cut.tensor for cut in self.cuts if cut.tensor}
        named = {id for id, (_, e) in self.edges.items() if e.node is None and e.tensor in left}
        return named.union(id for cut in self.cuts for id in cut.into)

    @cached_property
    def onward(self) -> dict[str, list[Cut]]:
        """Id of a cut -> itself, and what ran after it."""
        found = {cut.id: [cut] for cut in self.cuts}
        for cut in reversed(self.cuts):
            for id in cut.after:
                found[id] += [later for later in found[cut.id] if later not in found[id]]
        return found

    @cached_property
    def reached(self) -> Collection[str | None]:
        """The ids of the nodes that backward comes to."""
        ends = [self.tensor(root).node for root in self.roots]
        return within(self, filter(None, ends)) if None in ends else self.nodes_by_id.keys()

    @cached_property
    def users(self) -> dict[str, set[str]]:
        """Node, or tensor without one, that goes in somewhere -> the ops that take it."""
        found = by_key((e.node or e.tensor or "", n.id) for n in self.ops for e in n.edges)
        return {id: {*ops} for id, ops in found.items()}

    @cached_property
    def overwritten(self) -> dict[str | None, NodeRecord]:
        """Tensor -> the op that wrote over its value."""
        return {n.edges[0].tensor: n for n in self.ops if n.edges and n.in_place}

    @cached_property
    def _hanging(self) -> dict[str | None, list[TensorRecord]]:
        return by_key((t.node, t) for t in self.tensors)

    def outputs(self, node: str | None) -> list[TensorRecord]:
        """The tensors that hang from a node (or the leaf that an AccumulateGrad feeds)."""
        return self._hanging.get(node, [])

    def output(self, node: str | None, nr: int) -> str | None:
        """The id of the tensor at one output, where that is known."""
        return next((t.id for t in self.outputs(node) if t.nr == nr), None)

    @cached_property
    def chains(self) -> dict[str, list[str]]:
        """Scope -> itself and those around it, the innermost first."""
        parents = {s.id: s.parent for s in self.scopes}
        found: dict[str, list[str]] = {"": []}
        for id in parents:
            chain = found[id] = [id]
            while parents[chain[-1]]:
                chain.append(parents[chain[-1]])
        return found

    def to_dict(self) -> dict[str, Any]:
        """The records as plain data, with the name of the schema."""
        return {"schema": GRAPH_SCHEMA, **asdict(self)}


def part(graph: Graph, start: Iterable[str], radius: float = inf, both_ways: bool = False) -> Graph:
    """The nodes at most `radius` edges from `start`; edges that leave it are marked `cut`."""
    near = {None, *within(graph, start, radius, both_ways)}
    chosen = [n for n in graph.nodes if n.id in near]
    used = {e.tensor for n in chosen for e in n.edges} | {s.tensor for n in chosen for s in n.saved}
    nodes = (n if all(e.node in near for e in n.edges) else replace(n, edges=tuple(
        e if e.node in near else replace(e, node=None, tensor=None, cut=True) for e in n.edges)) for n in chosen)
    found = only(graph, nodes, [t for t in graph.tensors if (t.node in near if t.node else t.id in used)])
    return replace(found, repeats=())


def only(graph: Graph, nodes: Iterable[NodeRecord], tensors: Sequence[TensorRecord]) -> Graph:
    """The graph with just these nodes, whose edges stay as they are, and tensors, and the hooks and cuts at them."""
    there = {"", *(t.id for t in tensors)}
    kept = {n.id: n if all((s.tensor or "") in there for s in n.saved) else replace(n, saved=tuple(
        s if s.tensor in there else replace(s, tensor=None) for s in n.saved)) for n in nodes}
    return replace(graph, roots=tuple(r for r in graph.roots if r in there), nodes=tuple(kept.values()),
                   tensors=tuple(t if (t.base or "") in there else replace(t, base=None) for t in tensors),
                   hooks=tuple(h for h in graph.hooks if h.node in kept),
                   cuts=tuple(replace(c, node=c.node if c.node in kept else None) for c in graph.cuts if c.node in kept
                              or any(one.tensor in there or any(id.partition(":")[0] in kept for id in one.into)
                                     for one in graph.onward[c.id])))


def within(graph: Graph, start: Iterable[str], radius: float = inf, both_ways: bool = False) -> set[str]:
    """The nodes at most `radius` edges from some; breadth first, never recursive."""
    queue = deque(distance := dict.fromkeys(start, 0))
    while queue:
        here = queue.popleft()
        near = [*(e.node for e in graph.node(here).edges), *(graph.consumers[here] if both_ways else ())]
        for there in near if distance[here] < radius else ():
            if there is not None and there not in distance:
                distance[there] = distance[here] + 1
                queue.append(there)
    return set(distance)
