"""What ran forward: the nodes in the order in which they were made, each with its value.

`Notes` takes the values down while a cell runs; `worked_out` finds them afterwards, from what is held and with the
forward of each row. A value that is not surely the one that the node had is left out. Texts are kept, no arrays.
"""

import ast
import sys
import warnings
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..array import random, xp
from ..core.beside.observers import observing
from .followed import Followed, begin, header
from .from_torch import TorchReader
from .live import Key, Reader
from .preview import full, preview, told
from .program import number_beside
from .recorder import plain, same, saved_of
from .rule import as_tex
from .snapshot import AnyNode, AnyTensor, Graph, NodeRecord, Span
from .torch_scopes import scopes

LAST = "_minigrad_last"  # what the last line of a cell gives
MOST = 1_000  # events, with those of lines that made nothing
SUMS = {"add", "sub", "rsub"}  # whose nodes keep no number


class Value(NamedTuple):
    """A value in short, with all its digits, and in TeX where all of it can be written out."""

    text: str
    exact: str
    tex: str


class Event(NamedTuple):
    """A node with its value and those of its inputs (by tensor); a leaf; or, without a node, a line that has run."""

    node: str
    span: Span | None
    value: Value | None = None
    ins: tuple[tuple[str, str, Value | None], ...] = ()  # edge, tensor, value


def value_of(array: Any) -> Value:
    """A value as it is kept."""
    return Value(preview(array), told(array), as_tex(full(array)))


@dataclass
class Notes:
    """The values of the nodes that a program makes, by number and output, those of the leaves that they take,
    and the order of nodes and lines."""

    values: dict[tuple[int, int], Value] = field(default_factory=dict)
    leaves: dict[tuple[int, int], Value] = field(default_factory=dict)
    order: list[tuple[int, Span | None]] = field(default_factory=list)

    def run(self, program: Followed) -> Exception | None:
        """Run it; what its last line gives is in its scope as `LAST`."""
        lines, tree = program.lines, program.tree
        spans = {one.lineno: (one.lineno, header(one)[-1]) for one in ast.walk(tree) if isinstance(one, ast.stmt)}
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            kept = ast.Assign([ast.Name(LAST, ast.Store())], last.value)
            tree.body[-1] = ast.fix_missing_locations(ast.copy_location(kept, last))

        def ran(line: int) -> None:
            first, end = spans.get(line, (line, line))  # an `except` is no statement
            start = len(lines[first - 1]) - len(lines[first - 1].lstrip())
            here = Span(program.place, first, end, start, len(lines[end - 1].encode()))
            before = next((i for i in range(len(self.order) - 1, -1, -1) if self.order[i][1]), None)
            if before is not None and self.order[before][1] == here:  # another line of the same statement
                del self.order[before]
            self.order.append((begin(), here))

        program.seen = ran
        with observing(self.made), scopes() if hasattr(sys.modules.get("torch"), "overrides") else nullcontext():
            return program.run()

    def made(self, node: AnyNode, output: Any) -> None:
        """A node is there; an observer of new nodes."""
        outputs = output if isinstance(output, tuple | list) else [output]
        self.values |= {(node.seq, i): value_of(plain(t)) for i, t in enumerate(outputs)}
        self.leaves |= {(node.seq, i): value_of(plain(e)) for i, e in enumerate(node.edges) if hasattr(e, "_array")}
        self.order.append((node.seq, None))

    def found(self, graph: Graph) -> dict[str, Value]:
        """The values by tensor; those of leaves by edge, for a leaf may be written between two uses."""
        made = {t.id: self.values.get((graph.node(t.node).seq, t.nr)) for t in graph.tensors if t.node}
        used = {n.edge_id(i): value for n in graph.ops for i in range(len(n.edges))
                if (value := self.leaves.get((n.seq, i)))}
        return {id: value for id, value in made.items() if value} | used


def events(graph: Graph, values: Mapping[str, Value], order: Iterable[tuple[int, Span | None]] = ()) -> list[Event]:
    """What ran, in order; a leaf comes before its first use, a line by itself where it made nothing of this graph."""
    todo = sorted(graph.ops, key=lambda n: -n.seq)
    leaves = {n.id: n for n in graph.nodes if n.leaf}
    held = {t.id: Value(t.value, "", "") for t in graph.tensors if t.kind != "nonleaf" and t.value and not t.version}
    values = held | {**values}
    found, before = list[Event](), 0
    for seq, line in list(order) or [(n.seq, None) for n in todo[:1]]:
        here = [n for n in leaves.values() if line and n.span and n.span[:2] == line[:2]]
        while todo and todo[-1].seq <= seq:  # also those that nobody saw, as after a write into a view
            node = todo.pop()
            here += [leaves[e.node] for e in node.edges if e.node in leaves and leaves[e.node].span and not order]
            ins = tuple((id := node.edge_id(e.slot), e.tensor, values.get(id) or values.get(e.tensor))
                        for e in node.edges if e.tensor)
            out = next((t.id for t in graph.outputs(node.id)), "")
            found += [born(leaves.pop(n.id), values) for n in here if n.id in leaves]
            found.append(Event(node.id, node.span, values.get(out), ins))
        if line:
            found += [born(leaves.pop(n.id), values) for n in here if n.id in leaves]
            found += [] if len(found) > before else [Event("", line)]
            before = len(found)
    return found if len(found) <= MOST else [event for event in found if event.node]


def born(leaf: NodeRecord, values: Mapping[str, Value]) -> Event:
    """A leaf is there."""
    return Event(leaf.id, leaf.span, values.get(leaf.leaf or ""))


# ---- afterwards


def worked_out(root: AnyTensor, names: Mapping[str, AnyTensor]) -> dict[str, Value]:
    """The values behind `root` by tensor: those held, and what can be worked out from them without a doubt."""
    reader = (Reader if hasattr(type(root), "_edge") else TorchReader)((root,), names)
    graph, state = reader.graph(), random.get_state()
    keys: dict[str, Any] = {id: key for key, id in reader.ids.items()}
    held = {id: plain(t) for slot, t in reader.tensors.items() if (id := reader.ids.get(slot))}
    versions = {s.tensor: s.version for n in graph.ops for s in n.saved if s.tensor and not s.stale}
    sure = {t.id for t in graph.tensors if t.id in held and versions.get(t.id, 0) == t.version}
    arrays, wrong, proved = dict(held), False, False
    for n in sorted(graph.ops, key=lambda n: n.seq):
        t = next((t for t in graph.outputs(n.id) if not t.nr), None)
        made: Any = t and computed(reader, keys[n.id], n, arrays, t.shape)
        if t is None or made is None or (made.shape, made.dtype.name) != (t.shape, t.dtype):
            continue
        if t.id in held:
            wrong |= t.id in sure and not same(made, held[t.id])
            proved |= t.id in graph.roots
        else:
            arrays[t.id] = made
            sure |= {t.id} if {e.tensor for e in n.edges if e.tensor} <= sure else set()
    random.set_state(state)
    # a leaf that was written, by its own initialisation perhaps: the root tells whether it still is what was used
    kept = arrays if proved and not wrong else {id: a for id, a in arrays.items() if id in sure}
    kept = {id: a for id, a in kept.items() if id in held or not wrong}
    return {id: value_of(array) for id, array in kept.items()}


def computed(reader: Reader, key: Key, record: NodeRecord, arrays: Mapping[Any, Any], shape: tuple[int, ...]) -> Any:
    """What the row of a node makes of its inputs; None where one of them, or an option, is not known."""
    node, saved = reader.found[key], saved_of(reader.found[key], reader.fields[key])
    row = reader.row(node)
    if row is None or row.multi or record.name == "CopySlices" or any(s.freed or s.stale for s in record.saved):
        return None
    options = [v for f, v in saved.items() if f not in row.inputs and "_sym_" not in f]
    if any(isinstance(v, int | float) and v != 1 for v in options):
        return None  # torch's node may be that of another row, with an option more
    given = {f: v.item() if getattr(v, "shape", None) == () else v for f, v in saved.items()
             if v is not None or f not in row.differentiable}
    edges = dict(zip(reader.input_names(node), record.edges, strict=False))
    given |= {name: arrays[e.tensor] for name, e in edges.items() if e.tensor in arrays}
    word = record.op.rstrip("_")
    unsaved = {"shape": shape, "other": number_beside(*reader.place(node), word) if word in SUMS else None}
    args = []
    for name in row.inputs:
        value = given.get(name, unsaved.get(name))
        if name not in given and (value is None or (name in edges and edges[name].tensor)):
            return None
        args.append(row.defaults.get(name) if value is None else value)
    before = str(random.get_state())
    try:
        with warnings.catch_warnings(action="ignore"), xp.errstate(all="ignore"):
            made = row.forward(*args)
    except Exception:  # a kernel that takes its options in another form
        return None
    made = made[0] if isinstance(made, tuple) else made
    return xp.asarray(made) if hasattr(made, "dtype") and str(random.get_state()) == before else None
