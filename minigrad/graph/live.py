"""Read the graph of a minigrad tensor into records (`snapshot`).

`Reader` walks without recursion and holds every node it met until it is done, for a node that is
looked at can be made on demand and forgotten again. `from_torch` reads real torch the same way.
"""

import ast
import contextlib
import dis
import gc
import heapq
import itertools
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from ..array import random, xp
from ..core.beside.scopes import calls
from ..core.carriers import RAW
from ..core.graph import ACCUMULATE_SEQ, Freed, Node, TensorBase, latest, node_of
from ..core.row import Row
from ..text.presentation import torch_says
from . import program, snapshot
from .faults import fault_now, leftovers, versions
from .ghosts import origins
from .nesting import Scopes, call_at
from .preview import preview, summary, type_name
from .program import is_module as is_module  # beside `is_tensor`
from .severed import Severed
from .snapshot import AnyNode, AnyTensor, Edge, Graph, Hook, NodeRecord, Saved, TensorRecord, by_key, op_name, reachable

Key = int | tuple[str, int]  # what a node is known by: its id; an AccumulateGrad ("leaf", id of its leaf)
Slot = tuple[Key, int]  # where a tensor sits: a node and the number of its output
INFIX = {"add": "+", "sub": "−", "mul": "·", "div": "/", "pow": "**", "mm": "@", "mv": "@", "dot": "@", "bmm": "@"}
MANY, NEAR = 3000, 6  # nodes: of a graph with more only the ends are read where time counts, so many at each
SUMMED_UP = 60  # tensors; of a larger graph no picture has room for more than previews
PROBED = 100_000  # elements; of larger outputs nothing is worked out


def read(*tensors: AnyTensor, names: Mapping[str, Any] | None = None,
         near: Mapping[int, AnyNode] | None = None) -> Graph:
    """The graph behind minigrad tensors; `names` (name -> tensor) labels what it finds.

    `near`: the nodes that are read, by their ids, if not all are; edges that leave them are marked as cut.
    """
    return Reader(tensors, names or {}, near).graph()


class Reader:
    """One reading: discover, put in order of backward, then describe nodes and tensors."""

    def __init__(self, roots: Iterable[AnyTensor], names: Mapping[str, AnyTensor],
                 near: Mapping[int, AnyNode] | None = None) -> None:
        self.roots, self.near = tuple(roots), near or {}
        self.found: dict[Key, AnyNode] = {}  # held until the reading ends
        self.edges: dict[Key, list[Slot | None]] = {}
        self.tensors: dict[Slot, AnyTensor] = {}  # the live tensor that sits there
        self.names: dict[Slot, str] = {}
        self.tracked: dict[str, tuple[AnyTensor, Key]] = {}  # by name, also those outside of this graph
        self.shapes: dict[Slot, tuple[tuple[int, ...], str]] = {}  # and dtype, where no tensor is alive
        self.dropped: dict[int, int] = {}  # storages that nobody keeps -> bytes
        self.kinds: dict[type, list[str]] = {}  # class of a node -> its saved fields
        self.lines: dict[tuple[int, int], Any] = {}  # a place in the learner's code -> its line
        self.named = [(name, t) for name, t in names.items() if self.is_tensor(t)]
        plain = {id(t): t for _, t in self.named if not t.requires_grad and hasattr(t, "_data")}
        sharing = by_key((id(t._data), t) for t in plain.values())
        self.constants = {data: several[0] for data, several in sharing.items() if len(several) == 1}  # else who knows
        self.modules = [(name, m) for name, m in names.items() if hasattr(type(m), "named_modules")]

    # ---- what a subclass says differently

    def is_tensor(self, value: Any) -> bool:
        """Whether a value can stand in a graph; a tensor of torch, under a learner's name, cannot."""
        return hasattr(type(value), "_edge")

    def array(self, t: AnyTensor) -> Any:
        """The numbers of a tensor, for a preview."""
        return t._array()

    def row(self, node: AnyNode) -> Row | None:
        """The row of the table that describes a node; None for a custom Function's."""
        row: Row | None = type(node).row
        return row

    def output_shape(self, node: AnyNode, nr: int) -> tuple[tuple[int, ...], str] | None:
        """Shape and dtype of an output that nobody holds, if the node itself knows."""
        return None

    library = "minigrad"
    noted, place = calls, staticmethod(attrgetter("code", "lasti"))  # of modules; of nodes in the learner's code
    fault: Callable[[], str] = staticmethod(fault_now)  # of the engine that will run this graph

    def hook_dicts(self, key: Key) -> Iterable[tuple[str, int, Any]]:
        """(kind, output number, its hooks by their own numbers), in the order in which they run."""
        node: Any = self.found[key]
        hooks = getattr(node, "variable", node)._hooks if isinstance(key, tuple) else node.hooks
        if hooks is not None:
            yield from (("tensor", nr, several) for nr, several in hooks.tensor.items())
            yield from ((kind, 0, getattr(hooks, kind)) for kind in ("pre", "post_accumulate", "post"))

    def hooks_at(self, key: Key) -> Iterable[tuple[str, int, Any]]:
        """The same hook by hook: (kind, output number, callable)."""
        return ((kind, nr, hook) for kind, nr, several in self.hook_dicts(key) for hook in (several or {}).values())

    def filled_by(self, node: AnyNode) -> dict[int, AnyTensor]:
        """The tensors whose `.grad` gets something when this node runs, by output: its leaf, or retained ones."""
        return {0: node.variable} if hasattr(node, "variable") else self.retained(node)

    def retained(self, node: AnyNode) -> dict[int, AnyTensor]:
        """The outputs of a node that retain their gradients."""
        references = node.hooks.retain.items() if isinstance(node, Node) and node.hooks else ()
        return {nr: t for nr, t in ((nr, r()) for nr, r in references) if t is not None}

    @contextlib.contextmanager
    def untouched(self) -> Iterator[Any]:
        """Put back each `.grad` and the random stream; sums go into copies. What hooks write elsewhere stays."""
        with contextlib.ExitStack() as undo, warnings.catch_warnings():
            undo.callback(leftovers.update, dict(leftovers))
            undo.callback(leftovers.clear)  # what a preview leaves at nodes does not count
            undo.callback(random.set_state, random.get_state())
            undo.callback(setattr, latest, "freed", latest.freed)  # no backward ran here
            filled = (t for node in self.found.values() for t in self.filled_by(node).values())
            for t in {id(t): t for t in (*self.tensors.values(), *filled)}.values():
                set_aside(undo, t, "_grad", t._hooks.post_accumulate if t.is_leaf and t._hooks is not None else {})
            yield

    # ---- the walk

    def graph(self) -> Graph:
        """Read everything, and return it as records."""
        with warnings.catch_warnings(action="ignore"), uncollected():  # looking is not the learner's access
            order = self.numbered()
            self.place_tensors(order)
            self.describe_tensors(order)
            self.by_id: dict[str | None, TensorRecord] = {record.id: record for record in self.records.values()}
            self.scopes = Scopes(self)
            nodes = tuple(self.node(key) for key in order)
            hooks = tuple(self.hooks(order))
            repeats = () if self.near else self.scopes.repeats(nodes, self.records.values())
            roots = tuple(dict.fromkeys(self.ids[self.slot(t)] for t in self.roots))
            return Graph(roots, nodes, tuple(self.records.values()), hooks, tuple(self.scopes.found), repeats,
                         tuple(Severed(self).cuts()), self.fault(), self.library, self.scopes.expressions(nodes))

    def numbered(self) -> list[Key]:
        """Find the nodes, in the order of backward, and give them their ids: all that a run needs to know."""
        self.discover()
        order = sorted(self.order(), key=self.beside.__contains__)
        self.ids: dict[Key | Slot, str] = {key: f"n{i}" for i, key in enumerate(order, 1)}  # later of slots too
        leaves = ((key, self.found[key]) for key in order if isinstance(key, tuple))
        self.tensors |= {(key, 0): getattr(node, "variable", node) for key, node in leaves}
        self.tensors |= {self.slot(t): t for t in self.roots}
        return order

    def key(self, node: AnyNode) -> Key:
        """AccumulateGrad is known by its leaf, every other node by itself."""
        return ("leaf", id(node.variable)) if type(node).__name__ == "AccumulateGrad" else id(node)

    def slot(self, t: AnyTensor) -> Slot:
        """Where a tensor sits; a constant has a key of its own."""
        if t.grad_fn is not None:
            return self.key(t.grad_fn), t.output_nr
        return ("leaf" if t.requires_grad else "constant", id(t)), 0

    def discover(self) -> None:
        """Find every node behind the roots, with its edges; and `beside` them those from which a root was cut off."""
        self.follow([*self.near.values(), *self.roots])
        behind = {*self.edges}
        self.follow([one for t in self.roots if not t.requires_grad for one in origins(t)])
        self.beside = self.edges.keys() - behind

    def follow(self, starts: Iterable[Any]) -> None:
        """Find the nodes behind nodes and tensors."""
        stack: list[AnyNode] = []
        for one in starts:
            if (node := one.grad_fn if self.is_tensor(one) else one) is not None:
                stack.append(node)
            elif one.requires_grad:
                self.found[("leaf", id(one))], self.edges[("leaf", id(one))] = one, []
        while stack:
            node = stack.pop()
            if (key := self.key(node)) in self.edges:
                continue
            self.found[key] = node
            pairs = [(None if self.is_far(n) else n, nr) for n, nr in node.next_functions]
            self.edges[key] = [None if n is None else (self.key(n), nr) for n, nr in pairs]
            stack += [n for n, _ in reversed(pairs) if n is not None]  # held until they are found

    def is_far(self, node: AnyNode) -> bool:
        """Whether a node, if there is one, is left out of what is read."""
        return bool(self.near) and node is not None and id(node) not in self.near and not hasattr(node, "variable")

    def order(self) -> list[Key]:
        """As backward would run: a ready AccumulateGrad at once, else the latest node."""
        targets = {key: [slot[0] for slot in slots if slot] for key, slots in self.edges.items()}
        waiting = Counter(itertools.chain.from_iterable(targets.values()))
        tick = itertools.count()
        ready = [(-self.seq(key), next(tick), key) for key in targets if not waiting[key]]
        heapq.heapify(ready)
        order = []
        while ready:
            key = heapq.heappop(ready)[2]
            order.append(key)
            for target in targets[key]:
                waiting[target] -= 1
                if not waiting[target]:
                    heapq.heappush(ready, (-self.seq(target), next(tick), target))
        return order

    def seq(self, key: Key) -> int:
        """The number of a node; AccumulateGrad's is higher than any other."""
        return ACCUMULATE_SEQ if isinstance(key, tuple) else int(self.found[key]._sequence_nr())

    # ---- tensors

    def place_tensors(self, order: list[Key]) -> None:
        """Note which live tensor sits at which output, and what the learner calls it."""
        for name, t in self.named:
            try:
                slot = self.slot(t)
            except RuntimeError:  # a view that may no longer be looked at
                continue
            if t.requires_grad:
                self.tracked[name] = t, slot[0]
            if slot[0] in self.edges or not t.requires_grad:
                self.names.setdefault(slot, name)
                self.tensors.setdefault(slot, t)
        for key, node in self.found.items():
            for nr, t in Reader.retained(self, node).items():  # also what a list holds
                self.tensors.setdefault((key, nr), t)
        self.fields = {key: list(self.saved_values(self.found[key])) for key in order}
        kept = [self.alone(value) for key in order for _, value, _ in self.fields[key]]
        self.kept = [(self.slot(value), value) for value in kept if self.is_tensor(value)]
        for slot, value in ((s, v) for s, v in self.kept if s[0] in self.edges):
            self.tensors.setdefault(slot, value)

    def describe_tensors(self, order: list[Key]) -> None:
        """Records for every output that is used or named, then for the constants."""
        wanted = {slot for key in order for slot in self.edges[key] if slot}
        wanted |= {slot for slot in self.tensors if slot[0] in self.edges}
        rank = {key: i for i, key in enumerate(order)}
        slots = sorted(wanted, key=lambda s: (rank[s[0]], s[1]))
        slots += [self.slot(t) for t in self.roots]
        slots = [*dict.fromkeys(slots + [slot for slot, _ in self.kept if slot in self.names])]
        self.ids |= {slot: f"t{i}" for i, slot in enumerate(slots, 1)}
        for key in order:
            self.infer_shapes(key)
        self.few = len(slots) <= SUMMED_UP
        self.records = {slot: self.record(slot) for slot in slots}
        for key in order:
            self.name_replaced(key)

    def name_replaced(self, key: Key) -> None:
        """What a write through a view replaced had the same name before."""
        slot = self.edges[key][0] if type(self.found[key]).__name__ == "CopySlices" else None
        if slot and (key, 0) in self.records and self.records[slot].value is None:
            old, new = self.records[slot], self.records[key, 0]
            self.records[slot] = replace(old, name=new.name or old.name)

    def infer_shapes(self, key: Key) -> None:
        """What a node's inputs measure, for those that nobody holds; latest nodes come first."""
        for i, slot in enumerate(self.edges[key]):
            if slot and slot not in self.tensors and slot not in self.shapes:
                known = self.output_shape(self.found[slot[0]], slot[1]) or self.input_shape(key, i)
                self.shapes |= {} if known is None else {slot: known}

    def input_shape(self, key: Key, i: int) -> tuple[tuple[int, ...], str] | None:
        """What the consumer noted or saved about an input, or its gradient would measure."""
        node: Any = self.found[key]
        shape, dtype = self.shape_of((key, 0))
        if noted := getattr(node, "metas", None) and node.metas[i]:
            return tuple(noted[0]), str(noted[1])
        values = {field: value for field, value, _ in self.fields[key]}
        names = self.input_names(node)
        name = names[i] if i < len(names) else "self"
        sizes = values.get(f"{name}_sym_sizes", getattr(values.get(name), "shape", None))
        place = getattr(node, "part" if i else "whole", getattr(node, "saved_whole", None))
        if sizes is None:  # a write into a base, or a view of one, knows where
            sizes = place[0] if place else self.probed(node, i, shape) if dtype else None
        return None if sizes is None else (tuple(sizes), dtype or "?")

    def input_names(self, node: AnyNode) -> tuple[str, ...]:
        """What torch calls the inputs that have an edge, in their order."""
        row, count = self.row(node), len(self.edges[self.key(node)])
        names = row.differentiable if row else ("self", "other")
        return names if names == ("tensors",) else names[max(0, len(names) - count):]  # of `2 ** x` the exponent

    def many(self, node: AnyNode) -> int:
        """How many outputs a node has."""
        return int(node.outputs)

    def probed(self, node: AnyNode, i: int, shape: tuple[int, ...]) -> tuple[int, ...] | None:
        """The shape of what the row's formula makes of zero gradients; None where nobody knows it any more."""
        row, outs = self.row(node), [self.shape_of((id(node), nr)) for nr in range(self.many(node))]
        if row is None or broadcasts(row, i) or (i == 0 and alike(row)):
            return shape if row else None
        again = any(hasattr(value, "dropped") for _, value, _ in self.fields[id(node)])  # asking would run it now
        if again or sum(math.prod(size) for size, _ in outs) > PROBED:
            return None
        try:
            zeros = [xp.zeros(size, kind.rpartition(".")[2]) for size, kind in outs]
            return tuple(node.apply(zeros[0] if len(zeros) == 1 else tuple(zeros), RAW, True)[i].shape)
        except (RuntimeError, ValueError, TypeError, AttributeError):  # freed, out of date, or of a type not known
            return None

    def shape_of(self, slot: Slot) -> tuple[tuple[int, ...], str]:
        """Shape and dtype: of the live tensor, else as inferred."""
        t = self.tensors.get(slot)
        return self.shapes.get(slot, ((), "")) if t is None else (tuple(t.shape), type_name(t.dtype))

    def record(self, slot: Slot) -> TensorRecord:
        """The record of the tensor at one place, alive or not."""
        t = self.tensors.get(slot)
        shape, dtype = self.shape_of(slot)
        kind = slot[0][0] if isinstance(slot[0], tuple) else "nonleaf"
        extra: dict[str, Any] = {} if t is None else {
            "retains_grad": bool(t.retains_grad), "base": self.base(t), "is_view": bool(t._is_view()),
            "version": self.version(t), "value": self.value(t), "summary": self.value(t, summary) if self.few else None,
            "grad": self.value(t.grad) if (t.is_leaf or t.retains_grad) and t.grad is not None else None}
        return TensorRecord(self.ids[slot], kind, self.names.get(slot), shape, dtype.rpartition(".")[2],
                            kind != "constant", self.ids.get(slot[0]), slot[1], **extra)

    def version(self, t: AnyTensor) -> int:
        """How often a tensor was written; inference tensors do not count."""
        return 0 if t.is_inference() else int(t._version)

    def value(self, t: AnyTensor, told: Callable[[Any], Any] = preview) -> Any:
        """A preview, or a summary, of a tensor; None if it has no values."""
        try:
            return told(self.array(t))
        except (NotImplementedError, RuntimeError):  # torch has tensors without values
            return None

    def base(self, t: AnyTensor) -> str | None:
        """The tensor that `t` is a view of, where that is drawn too."""
        base = t._base if t._is_view() else None
        return None if base is None else self.ids.get(self.slot(base))

    # ---- nodes

    def node(self, key: Key) -> NodeRecord:
        """The record of one node."""
        node: Any = self.found[key]
        if isinstance(key, tuple):
            return NodeRecord(self.ids[key], "AccumulateGrad", "accumulate", leaf=self.ids[key, 0],
                              op="accumulate", seq=self.seq(key))
        name = node.name().rpartition("::")[2]  # torch::autograd:: says nothing to a learner
        op = f"{name.removesuffix('Backward')}.apply" if hasattr(type(node), "saved_tensors") else op_name(name)
        saved = tuple(self.saved(key, *field) for field in self.fields[key])
        edges = tuple(self.edge(key, i, slot) for i, slot in enumerate(self.edges[key]))
        code, lasti = self.place(node)
        if code is not None and (id(code), lasti) not in self.lines:
            number = (program.position(code, lasti) or [0])[0] or code.co_firstlineno
            self.lines[id(code), lasti] = number, program.getline(code, number).strip()
        line = self.lines.get((id(code), lasti))
        if line and re.search(r"\w_\(|[-+*/]=", line[1]) and self.in_place(node, op, edges):
            op += "_"
        function = f"{code.co_qualname}:{code.co_firstlineno}" if code else ""
        return NodeRecord(self.ids[key], name, "op", edges, saved, None, op, self.formula(key, op, edges, saved),
                          line, function, self.scopes.of.get(self.ids[key], ""), self.seq(key), at=lasti)

    def in_place(self, node: AnyNode, op: str, edges: tuple[Edge, ...]) -> bool:
        """Whether the learner's `y.add_(x)`, or `y += x` where surely `y` is a tensor, made a node."""
        at: Any = program.expression(*self.place(node))
        both = len(edges) == 2 and edges[1].node is not None  # else `y` may be a number, unless `x` is one
        sure = isinstance(at, ast.AugAssign) and (both or isinstance(at.value, ast.Constant))
        return call_at(*self.place(node)) == f"{op}_" or (op in INFIX and sure)

    def untracked(self, key: Key) -> Iterator[tuple[int, AnyTensor]]:
        """The tensors without history that a node keeps, and at which of its edges, or behind the last: an input is
        known only where a field of its name saved it."""
        edges, fields = self.edges[key], self.fields[key]
        names = self.input_names(self.found[key]) if fields else ()
        for field, value, _ in fields:
            at = names.index(field) if field in names else len(edges)
            if edges[at:at + 1] in ([], [None]):
                several = value if isinstance(value, tuple) else (value,)
                yield from ((at, self.alone(one)) for one in several if self.is_tensor(one))

    def edge(self, key: Key, i: int, slot: Slot | None) -> Edge:
        """The record of input `i` of a node: where its gradient goes."""
        if slot is None:
            far = self.is_far(self.found[key].next_functions[i][0])
            saved = [t for at, t in self.untracked(key) if at == i]
            return Edge(i, None, 0, self.ids.get(self.slot(saved[0])) if saved and not far else None, cut=far)
        here, there = self.records.get((key, 0)), self.records[slot]
        expands = (here is not None and "" not in (here.dtype, there.dtype)
                   and broadcasts(self.row(self.found[key]), i) and stretches(there.shape, here.shape))
        return Edge(i, self.ids[slot[0]], slot[1], self.ids[slot], expands)

    def formula(self, key: Key, op: str, edges: tuple[Edge, ...], saved: tuple[Saved, ...]) -> str:
        """`p = x · w`, if every name in it is known; `…` stands for options that are not surely the usual ones."""
        node, row, result = self.found[key], self.row(self.found[key]), self.records.get((key, 0))
        unknown = (row is None or row.place is None) and not op.endswith(".apply")
        if result is None or not result.name or not edges or unknown or op in ("copy_slices", "not_implemented"):
            return ""
        texts = {s.field: "…" if "…" in s.text else s.text for s in saved if not s.freed}
        names, parts = self.input_names(node), dict[Any, str]()
        for e, word in itertools.zip_longest(edges, names[: len(edges)]):
            t = self.by_id.get(e.tensor)
            parts[word or e.slot] = (t.name if t else texts.get(word)) or ""
        if "" in parts.values() or "None" in parts.values():
            return ""
        if names == ("tensors",):
            parts = {"tensors": f"[{', '.join(parts.values())}]"}
        usual = {} if row is None else {word: saved_text(value) for word, value in row.defaults.items()}
        # a number in an operand's place is written as it is
        numbers = {word: texts[word] for word in "self other exponent".split() if op in INFIX and word in texts}
        inputs = sorted(row.inputs, key="exponent".__eq__) if row else [*parts, *node.needs_input_grad[len(parts):]]
        words = [parts.get(word) or numbers.get(word, "…") for word in inputs
                 if word in parts or word not in usual or texts.get(word) != usual[word]]
        words += ["…"] * (texts.get("alpha", "1") != "1")
        left = [self.names.get((key, nr), "_") for nr in range(self.many(node))]
        left[0], left[4:] = result.name, ["…"] * (len(left) > 4)  # which may be what a write replaced
        which = next((t.name for s in saved if s.field == "indices" and (t := self.by_id.get(s.tensor))), "") or "_"
        start = ", ".join(left + [which] * (row is not None and "indices" in row.outputs))
        if op in INFIX and len(words) == 2 and "…" not in words:
            return f"{start} = {words[0]} {INFIX[op]} {words[1]}"
        return re.sub("(…, )+…", "…", f"{start} = {op}({', '.join(words)})")

    def saved_values(self, node: AnyNode) -> Iterable[tuple[str, Any, str]]:
        """(field, value, error): what `_saved_*` gives, or why it does not."""
        if (kind := type(node)) not in self.kinds:
            fields = (name[7:] for name in dir(kind) if name[:7] == "_saved_" and not snapshot.is_layout(name))
            self.kinds[kind] = [field for field in fields if field not in ("part", "whole")]  # torch's have none
        for field in self.kinds[kind]:
            held = getattr(node, f"saved_{field}", None)
            try:  # what was freed would be explained, if it raised, which takes milliseconds
                yield (field, None, torch_says("freed")) if isinstance(held, Freed) else (
                    field, later(held) or getattr(node, f"_saved_{field}"), "")
            except Exception as error:  # freed, modified, or a hook of the learner's
                yield field, None, str(error)
        if hasattr(type(node), "saved_tensors"):  # a custom Function's
            try:
                held = getattr(node, "_saved", None)
                several = [*map(later, held)] if isinstance(held, tuple) else []
                several = several if any(several) else node.saved_tensors
            except Exception as error:
                yield "saved_tensors", None, str(error)
            else:
                yield from ((f"saved_tensors[{i}]", t, "") for i, t in enumerate(several))

    def alone(self, value: Any) -> Any:
        """The tensor of a tuple that holds nothing else, as `indices` of x[i], and the learner's own where the node
        keeps its array, as of a topk; any other value as it is."""
        value = value[0] if isinstance(value, tuple) and len(value) == 1 and self.is_tensor(value[0]) else value
        history = getattr(value, "requires_grad", True)
        return value if history else self.constants.get(id(getattr(value, "_data", None)), value)

    def saved(self, key: Key, field: str, value: Any, error: str) -> Saved:
        """The record of one saved field, from what `saved_values` found."""
        value = self.alone(value)
        if error and (stale := re.search(r"is at version (\d+); expected version (\d+)", error)):
            now, version = map(int, stale.groups())
            slot = dict(zip(self.input_names(self.found[key]), self.edges[key], strict=False)).get(field)
            text = (self.records[slot].name if slot else "") or ""
            return Saved(field, text, None, True, False, version, now, by=self.writer(self.found[key], field, version))
        if error:
            return Saved(field, is_tensor=True, freed="second time" in error)
        if hasattr(value, "dropped"):
            bytes = {at: size for at, size in value.dropped().items() if at not in self.dropped}
            self.dropped |= bytes
            return Saved(field, f"{value.name}()", is_tensor=True, later=sum(bytes.values()))
        if self.is_tensor(value):
            slot, version = self.slot(value), self.version(value)
            record = self.records.get(slot)  # whose preview is made
            text = self.names.get(slot) or (self.value(value) if record is None else record.value) or ""
            return Saved(field, text, self.ids.get(slot), True, False, version, version)
        return Saved(field, saved_text(value), is_tensor=isinstance(value, tuple) and any(map(self.is_tensor, value)))

    def writer(self, node: AnyNode, field: str, version: int) -> tuple[int, str] | None:
        """A statement that wrote a saved value after it was saved: the first, or of more than eight the eighth last."""
        held = getattr(node, f"saved_{field}", None)
        counter = getattr(node, f"counter_{field}", getattr(held, "_counter", None)) or [0]
        code, lasti = program.first_write(counter, version)
        return program.statement_line(code, lasti) if program.expression(code, lasti) else None

    def hooks(self, order: list[Key]) -> Iterable[Hook]:
        """The records of all hooks, node by node."""
        for i, (key, kind, nr, hook) in enumerate(((at, *one) for at in order for one in self.hooks_at(at)), 1):
            yield Hook(f"h{i}", self.ids[key], kind, hook_label(hook), nr)


def set_aside(undo: contextlib.ExitStack, t: AnyTensor, place: str, hooks: Any) -> None:
    """Put a copy in the place of a gradient, and let the hooks rest that wait for it, until it is undone."""
    grad = getattr(t, place)
    undo.callback(setattr, t, place, grad)
    undo.callback(hooks.update, dict(hooks))
    setattr(t, place, None if grad is None else grad.detach().clone())
    hooks.clear()  # shown, not run: it may well be an optimiser's step


def nodes_of(*starts: Any, seen: set[Node] | None = None) -> list[Node]:
    """The nodes behind tensors of minigrad, edges and nodes, each once; none behind other things."""
    def nodes(edges: Iterable[Any]) -> list[Node]:
        return [n for n in map(node_of, edges) if isinstance(n, Node)]

    edges = (one._edge() if isinstance(one, TensorBase) else one for one in starts)
    return reachable(nodes(edges), lambda n: nodes(n.edges), seen)


def nodes_behind(*starts: Any, seen: set[Any] | None = None) -> list[Any]:
    """All nodes behind tensors, or nodes, those of leaves included, without those `seen` before; of any library."""
    first = (getattr(t, "grad_fn", t) for t in starts)
    return reachable(filter(None, first), lambda node: [n for n, _ in node.next_functions if n is not None], seen)


def stale(n: AnyNode) -> bool:
    """Whether something that a node saved was written since."""
    return not n.freed and any(then != now for *_, then, now in versions(n))


def ends(nodes: list[AnyNode], leaf: AnyTensor = None) -> dict[int, AnyNode]:
    """Of very many nodes those near their root, near a leaf, and where backward would fail; else nothing."""
    if len(nodes) <= MANY:
        return {}
    senders = {edge if edge is leaf else node_of(edge): n for n in nodes for edge in n.edges}
    failing = (next(filter(fails, nodes), None) for fails in (stale, attrgetter("freed")))
    kept, n = [*nodes[:NEAR], *filter(None, failing)], leaf
    while (n := senders.get(n)) is not None and len(kept) < 2 * NEAR:
        kept.append(n)
    return {id(n): n for n in kept}


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor, of minigrad or of torch."""
    return hasattr(type(value), "grad_fn") and hasattr(type(value), "_version")


def of_torch(value: Any) -> bool:
    """Whether a value is a tensor of torch."""
    return is_tensor(value) and not hasattr(type(value), "_edge")


def parameters(value: Any) -> list[Any]:
    """The tensors in a module, an optimizer, or what `inner` looks into; nothing for what is none."""
    if hasattr(value, "param_groups"):
        return [p for group in value.param_groups for p in group["params"]]
    if is_module(value):
        return [*value.parameters()]
    return [part for part in inner(value) if is_tensor(part)]


def tensors_named(scope: Mapping[str, Any], modules: bool = False) -> dict[str, AnyTensor]:
    """Tensors by the learner's names for them, and leaves in lists and dicts, of a hundred entries each; modules
    themselves on request."""
    found, plain = dict[str, AnyTensor](), {name: v for name, v in scope.items() if not name.startswith("_")}
    listed = [(f"{name}[{k!r}]", one) for name, several in plain.items() if type(several) in (list, tuple, dict)
              for k, one in itertools.islice(dict.items(several) if type(several) is dict else enumerate(several), 100)]
    first = (one for one in listed if is_module(one[1]))  # before its name in a loop over them
    last = (one for one in listed if hasattr(type(one[1]), "grad_fn") and one[1].is_leaf and one[1].requires_grad)
    for name, value in (*first, *plain.items(), *last):
        kept = hasattr(type(value), "grad_fn") or (modules and is_module(value))
        found |= ({name: value} if kept else {}) | owned(name, value)
    return found


def owned(name: str, value: Any) -> dict[str, AnyTensor]:
    """The parameters of a module that has this name; of anything else none."""
    return {f"{name}.{k}": p for k, p in value.named_parameters()} if is_module(value) else {}


def inner(value: Any) -> list[Any]:
    """What is in a list, a tuple, a dict, or an object of the learner's that is no module; nothing for others."""
    plain = program.is_learners(value) and not is_module(value)
    value = vars(value) if plain and hasattr(value, "__dict__") else value
    return [*(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ())]


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Without Python's collector: it would go through all records again and again, and none of them is garbage yet."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def alike(row: Row) -> bool:
    """Whether the first input is shaped as the result."""
    return row.chapter in ("pointwise", "activation") and row.name != "glu"


def broadcasts(row: Row | None, i: int) -> bool:
    """Whether an operation brings its input `i` to the shape of the result; the engine sums its gradient back."""
    return row is not None and (row.elementwise or row.inputs == ("self", "other")
                                or (i == 0 and "beta" in row.inputs))  # of matrix products what is added


def stretches(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    """Whether broadcasting brings the one shape to the other, which differs."""
    pairs = zip(reversed(small), reversed(large), strict=False)
    return small != large and len(small) <= len(large) and all(m in (1, n) for m, n in pairs)


def later(held: Any) -> Any:
    """What stands in a slot for a value that backward will compute again (`utils.checkpoint`), or None."""
    found = (getattr(part, "packed", None) for part in getattr(held, "parts", (held,)))
    return next((holder for holder in found if hasattr(holder, "dropped")), None)


def saved_text(value: Any) -> str:
    """A saved value that is no tensor; torch stores dim=-1 as 2**64 - 1."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63:
        return f"−{2**64 - value}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(saved_text(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if hasattr(value, "shape"):
        return f"tensor{tuple(value.shape)}"
    text = str(value)
    return text if len(text) <= 24 else text[:23] + "…"


def hook_label(hook: Any) -> str:
    """A function's name; for a lambda the method it calls, if that is all; that of its class where it has none, or it
    raises."""
    name = None
    with contextlib.suppress(Exception):
        hook = getattr(hook, "func", hook)  # functools.partial
        name = of_module(hook) if hook.__qualname__.startswith("BackwardHook.") else hook.__name__
        if name == "<lambda>":
            *before, last, _ = dis.get_instructions(hook)
            more = any(i.opname.startswith(("BINARY", "UNARY", "COMPARE", "MAKE")) for i in (*before, last))
            name = "λ" if more else call_at(hook.__code__, last.offset) or ["λ", *hook.__code__.co_names][-1]
    return name if isinstance(name, str) else type(hook).__name__


def of_module(hook: Any) -> str:
    """The hooks of a module that one beside it calls: behind its results, or before its arguments."""
    beside = getattr(hook, "__self__", None) or hook.__closure__[0].cell_contents
    behind = bool(re.search("enter|output", hook.__qualname__))
    last = not (behind and beside.input_tensors_index)  # no gradient comes to its arguments
    return ", ".join(map(hook_label, beside.user_pre_hooks * behind + beside.user_hooks * last)) or "BackwardHook"
