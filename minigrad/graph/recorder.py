"""Record a backward: drive the engine node by node and keep what happened as frozen frames.

A step is one node; the events inside it (hooks, the copy for `retain_grad`, the derivative, sums,
freeing, sending) are frames 3a, 3b ... and the last one is frame 3. Values are kept as short texts,
never as arrays. The frames come from the run itself: the engine tells `Recorder` what it does.
With `preview` each `.grad`, the random stream and what nodes saved stay as they were; hooks run, and what they write
elsewhere stays.
"""

import contextlib
import io
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

from ..array.backend import xp
from ..core.backward import keeps
from ..core.beside.attended import AttendedTask, suspended
from ..core.beside.ends import root_gradients
from ..core.beside.lines import learners_line
from ..core.engine import steps
from ..core.graph import AccumulateGrad, Freed, Node, latest
from ..core.writes.views import CopySlices
from ..text import LANGUAGES, demand
from .live import Reader, hook_label
from .preview import WHOLE, exactly, preview as preview_of, told
from .rule import Rule, replaced, rule, sum_back, sum_of, whole
from .snapshot import AnyNode, AnyTensor, Graph, by_key
from .symbols import NamedValue, Place, Symbols, placed, symbol

MOST_STEPS = 3000  # that a page carries: 13 MB of state, half a megabyte as a file; those after have no rules


@dataclass(frozen=True, slots=True)
class Sent:
    """One gradient leaving a node through `slot`; `total` is what has arrived at `to` by then."""

    slot: int
    to: str | None
    text: str = "None"
    total: str = ""
    arrived: int = 0
    sum: str = ""  # `5 + 2 = 7`, where it has met others
    whole: str = ""  # the same of a matrix with all its entries
    exact: str = ""  # the total with all its digits, where texts hide some
    symbols: tuple[NamedValue, ...] = ()  # of the sum: what lies there now, what lay there, what came


@dataclass(frozen=True, slots=True)
class Frame:
    """One event of one node. `label` is "3b", or "3" for the event that ends step 3."""

    step: int
    kind: str  # before seed hook capture compute unbroadcast free send accumulate inner error lost
    node: str = ""
    label: str = "0"
    slot: int = 0  # of next_functions, or the output that a hook sits on
    name: str = ""  # of a hook or an error; the fields that were freed; what is added to `.grad`
    before: str = ""
    after: str = ""
    sum: str = ""  # an addition as an equation; "" where it would be too long, or not true
    whole: str = ""  # the same, or what is put into an empty `.grad`, of a matrix with all its entries
    exact: str = ""  # `after` with all its digits, where it hides some
    digest: str = ""  # of a `.grad` of more numbers: what only equal ones share
    symbols: tuple[NamedValue, ...] = ()  # what is added to `.grad`
    part: str | None = None  # id of the hook or the tensor that takes part
    ran: bool = True  # False: a hook that the preview shows without running it
    outgoing: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    sent: tuple[Sent, ...] = ()
    queue: tuple[str, ...] = ()  # ready nodes, in the order in which they will run
    printed: str = ""
    notes: tuple[str, ...] = ()  # of an error, in each language


def record(root: AnyTensor, gradient: AnyTensor | None = None, preview: bool = True,
           **options: Any) -> tuple[Graph, tuple[Frame, ...]]:
    """The graph behind `root`, and what `root.backward(gradient)` does to it, event by event.

    With `preview` nothing is changed; without, this is a real backward: it accumulates and frees.
    The options are those of a `Recorder`. An error on the way is the last frame, not an exception.
    """
    kind = Recorder
    if not hasattr(type(root), "_edge"):
        from .torch_recorder import TorchRecorder as kind
    return kind(root, gradient, preview, **options).recorded()


class Recorder:
    """Holds the suspended engine and watches it; `advance` runs one node and adds its frames."""

    task_class = AttendedTask
    lost: Exception | None = None  # why we cannot tell more, though backward goes on
    looks = False  # whether what arrives is compared everywhere, since hooks may stand where nobody sees them

    def __init__(self, root: AnyTensor, gradient: AnyTensor | None = None, preview: bool = False, *,
                 names: Mapping[str, AnyTensor] | None = None, retain_graph: bool | None = None,
                 create_graph: bool = False) -> None:
        self.preview, self.frees = preview, not keeps(retain_graph, create_graph)
        seed = self.prepare(root, gradient, names or {}, create_graph)
        self.graph = placed(self.reader.graph(), self.reader.scopes.places)
        self.frames = [Frame(0, "before")]
        self.error: Exception | None = None
        self.hooks = by_key(((h.node, h) for h in self.graph.hooks), self.graph.consumers)
        self.arrived = dict.fromkeys(self.graph.consumers, 0)
        self.left = set(self.arrived)  # nodes that have not run yet
        self.node = self.graph.nodes[0].id  # the one that runs, or will
        self.node_now: AnyNode = None
        self.queue = [self.node]  # nodes that are ready
        self.waiting: tuple[str, ...] = ()  # those beside the one that runs
        self.names = Symbols(self.graph, tuple(seed.shape) == () and float(plain(seed)) == 1 and not self.graph.fault)
        self.received: dict[Place, str] = {(self.node, root.output_nr): in_short(seed)}
        self.totals: dict[Place, Any] = {(self.node, root.output_nr): plain(seed)}  # what lies at an output so far
        self.lies: dict[Place, tuple[NamedValue, ...]] = {}  # and what that is called
        self.step: list[dict[str, Any]] = [{"kind": "seed", "node": self.node, "after": in_short(seed),
                                            "exact": exactly(plain(seed)), "queue": (self.node,)}]  # frames to be
        self.printed: list[str] = []

    def prepare(self, root: AnyTensor, gradient: AnyTensor | None, names: Mapping[str, AnyTensor],
                create_graph: bool) -> Any:
        """Find out how the graph is read and how it runs; what backward begins with."""
        (seed,) = root_gradients((root,), gradient, create_graph)
        if self.preview:  # a hook may write into it
            seed = seed.clone() if create_graph else seed.copy()
        self.reader = Reader((root,), names)
        self.mark = Freed(*learners_line())  # whose line it is that frees, for notes
        self.task = self.task_class(self.preview or not self.frees, create_graph, watch=self)
        self.engine: Any = steps([root._edge()], [seed], self.task)
        return seed

    # ---- running

    def recorded(self) -> tuple[Graph, tuple[Frame, ...]]:
        """Run all nodes; the graph, and what happened."""
        with self.reader.untouched() if self.preview else contextlib.nullcontext():
            while self.advance():
                pass
        return self.graph, tuple(self.frames)

    @property
    def done(self) -> int:
        """How many nodes have run."""
        return self.frames[-1].step - (self.error is not None)

    def advance(self) -> bool:
        """Run one node; False when there is none left, or when it failed."""
        try:
            with contextlib.redirect_stdout(Tee(self.printed.append, *[sys.stdout.write] * (not self.preview))):
                ran = self.turn()
        except Exception as error:  # the learner's own hook may raise anything
            self.fail(error)
            return False
        if ran is not None:
            self.close()
        return ran is not None

    def turn(self) -> Any:
        """Let the engine run one node, and return it; None where all have run."""
        latest.freed = self.mark
        return next(self.engine, None)

    def hold(self) -> None:
        """Keep everybody else out of this graph until the walk is over, or left.

        Raises: RuntimeError inside `broken`, which would end before the walk.
        """
        demand(not self.graph.fault, "moments.live", kind=RuntimeError)
        nodes = (n for n in self.reader.found.values() if isinstance(n, Node))
        suspended.update((n, self) for n in nodes if not isinstance(n, AccumulateGrad))

    def leave(self) -> None:
        """Give the graph back; what has not run yet will not."""
        self.engine.close()
        for node in [n for n, owner in suspended.items() if owner is self]:
            del suspended[node]

    def close(self) -> None:
        """Number the events of the node that just ran; its buffers go before it sends."""
        order, n = {"free": 1, "send": 2}, self.frames[-1].step + 1
        for event in (e for e in self.step if n <= MOST_STEPS and e["kind"] == "compute"):
            event["rules"] = self.rules()
        *events, last = sorted(self.step, key=lambda event: order.get(event["kind"], 0))
        self.left.discard(self.node)
        self.frames += [Frame(n, label=f"{n}{chr(97 + i % 26) * (1 + i // 26)}", **e) for i, e in enumerate(events)]
        self.frames.append(Frame(n, label=f"{n}", **last | {"queue": tuple(self.queue)}))
        self.step = []

    def fail(self, error: Exception) -> None:
        """The frame that says why nothing runs, or why it stopped, or is told no more."""
        self.error = error = self.lost or error
        self.node = next((id for id in (self.node, *self.queue) if id in self.left), self.node)  # it may be over
        if self.preview and any(s.freed for n in self.graph.nodes for s in n.saved):
            del self.frames[1:]  # a graph that was walked already: nothing runs
        told = getattr(error, "told", dict.fromkeys(LANGUAGES, "\n".join(getattr(error, "__notes__", ()))))
        self.step = [{"kind": "lost" if self.lost else "error", "node": self.node, "name": type(error).__name__,
                      "before": str(error), "notes": tuple(told.values())}]
        self.queue = []
        self.close()

    # ---- what the engine tells

    def ready(self, node: AnyNode) -> None:
        """The engine is about to run `node`; only now are its values still the old ones."""
        self.node, self.node_now = self.reader.ids[self.reader.key(node)], node
        self.queue = [id for id in self.queue if id != self.node]
        self.waiting = tuple(self.queue)
        self.record, fields, self.formula = self.graph.node(self.node), self.reader.fields[self.reader.key(node)], node
        if isinstance(node, CopySlices) and not isinstance(node.fn, Freed):  # what it saved is its operation's
            self.formula, fields = node.fn, [*self.reader.saved_values(node.fn)]
            kept = (self.reader.saved(self.reader.key(node), *field) for field in fields)
            self.record = replace(self.record, saved=tuple(kept))
        self.saved = saved_of(self.formula, fields)  # as its formulas take it
        nrs = {0, *(t.nr for t in self.graph.outputs(self.node))} if self.hooks[self.node] or self.looks else ()
        self.came = {nr: copied(self.totals.get((self.node, nr))) for nr in nrs}  # for hooks may write into it
        self.work: tuple[tuple[Any, ...], dict[int, Any]] = (), {}  # what its formulas got, and gave
        self.summed: dict[int, Any] = {}  # slot -> what un-broadcasting left of its gradient
        self.sent: dict[int, NamedValue] = {}  # what left through each slot
        self.touched: list[str] = []  # its post-hooks that changed something
        self.old = {nr: copied(t.grad) for nr, t in self.reader.filled_by(node).items() if t.grad is not None}

    def hook(self, node: AnyNode, kind: str, hook: Any, before: Any, after: Any, at: int | None = None) -> None:
        """A hook has run, `at` an output if that is known: what came, and what it made of it."""
        if known := next((h for h in self.hooks[self.node] if h.kind == kind and at in (None, h.nr)), None):
            self.hooks[self.node].remove(known)
        nr, was = known.nr if known else 0, in_short(before)
        now = dict(enumerate(after)) if kind in ("pre", "post") else {nr: after}
        if kind in ("tensor", "pre"):  # it may have written into what it was given: what came was noted
            was = ", ".join(self.received.get((self.node, i), "None") for i in now)
            self.received |= {(self.node, i): in_short(g) for i, g in now.items()}
        name = known.label if known else hook_label(hook)
        self.note_change(kind, now, name)
        self.event("hook", slot=nr, name=name, before=was, after=in_short(after), part=known and known.id)

    def note_change(self, kind: str, several: dict[int, Any], name: str) -> None:
        """Keep in mind which gradients are no derivatives any more, because a hook made something else of them."""
        if kind == "post_accumulate":
            return
        copies = self.came if kind in ("tensor", "pre") else self.goes
        for i, now in several.items():
            if i in copies and not same(copies[i], plain(now)):
                copies[i] = copied(now)
                (self.names.after[self.node, i] if kind in ("tensor", "pre") else self.touched).append(name)
        for place, total in self.totals.items():  # written in place, it may be another node's gradient as well
            if place[0] in self.left - {self.node} and in_short(total) != self.received.get(place):
                self.received[place] = in_short(total)
                self.names.after[place].append(name)

    def capture(self, node: AnyNode, nr: int, grad: Any) -> None:
        """A gradient was copied for `retain_grad`."""
        self.filled("capture", nr, grad, self.old[nr] + plain(grad) if nr in self.old else grad, slot=nr,
                    part=self.graph.output(self.node, nr))

    def compute(self, node: AnyNode, incoming: tuple[Any, ...], outgoing: tuple[Any, ...]) -> None:
        """The node's formulas have run; from here on its gradients are on their way."""
        here = self.graph.node(self.node)
        keep = copied if self.hooks[self.node] else plain  # a post-hook may write into them
        self.work = tuple(map(plain, incoming)), {i: keep(g) for i, g in enumerate(outgoing)}
        self.goes = {**self.work[1]}  # what post-hooks make of it
        self.event("compute", before=in_short(incoming), outgoing=tuple(in_short(g) for g in outgoing))
        self.event("send", sent=tuple(Sent(e.slot, None) for e in here.edges if e.node is None))
        for edge, grad in zip(here.edges, outgoing, strict=False):
            if edge.node and grad is None:
                self.names.came[edge.node, edge.nr] += 1
                self.arrive(edge.slot, edge.node)
        if self.preview and self.frees and getattr(node, "frees", True):
            self.free(node)

    def unbroadcast(self, node: AnyNode, index: int, before: Any, after: Any) -> None:
        """The gradient of a stretched input was summed to its shape."""
        self.summed[index] = copied(after)
        words = "" if self.graph.fault else sum_back(plain(before), plain(after))
        self.event("unbroadcast", slot=index, before=in_short(before), after=in_short(after), sum=words,
                   exact=exactly(plain(after)))

    def send(self, node: AnyNode, index: int, grad: Any, total: Any) -> None:
        """A gradient has arrived at the next node, where `total` lies now."""
        edge = self.graph.node(self.node).edges[index]
        assert edge.node is not None  # the engine sends along edges only
        place, now = (edge.node, edge.nr), plain(total)
        self.names.came[place] += 1
        fitted = self.summed[index] if index in self.summed and not self.touched else plain(grad)
        if self.bends():
            self.names.changed.add(edge.node)
        typed = fitted if fitted.dtype == now.dtype else fitted.astype(now.dtype)
        came = self.sent[index] = self.names.sent(f"{self.node}:{index}", place, told(typed))
        words = grid = ""
        symbols: tuple[NamedValue, ...] = (came,)
        if place in self.totals:
            if self.graph.fault != "overwrite":
                words, grid = (make([self.totals[place], fitted], now) for make in (sum_of, whole))
            symbols = (self.names.at(place, told(now)), *self.lies[place][:1], came)
        self.received[place], self.totals[place], self.lies[place] = in_short(now), now, symbols
        self.arrive(index, edge.node, text=in_short(fitted), total=in_short(now), sum=words, whole=grid,
                    exact=exactly(now), symbols=symbols)

    def bends(self) -> bool:
        """Whether what the node sends may be something else than the derivative."""
        return bool(self.touched) or self.node in self.names.changed or any(
            place[0] == self.node for place in self.names.after) or any(
            replaced(self.names, kept, self.saved) for kept in self.record.saved)

    def arrive(self, slot: int, to: str, **facts: Any) -> None:
        """Note an arrival in this step's "send" frame; the node joins the queue when all have come."""
        self.arrived[to] += 1
        event = next(event for event in self.step if event["kind"] == "send")
        event["sent"] += (Sent(slot, to, arrived=self.arrived[to], **facts),)
        ran = self.graph.fault == "early" and any(f.node == to for f in self.frames)
        if self.arrived[to] == len(self.graph.consumers[to]) and not ran:
            self.queue = sorted([*self.queue, to], key=running_order)

    def accumulate(self, node: AnyNode, grad: Any, before: Any, after: Any) -> None:
        """A leaf's `.grad` has a new value."""
        self.filled("accumulate", 0, grad, after)
        for hook in (h for h in self.hooks[self.node] if self.preview and h.kind == "post_accumulate"):
            self.event("hook", name=hook.label, part=hook.id, before=in_short(after), after=in_short(after), ran=False)

    def filled(self, kind: str, nr: int, grad: Any, after: Any, **facts: Any) -> None:
        """A `.grad` has a new value: the gradient, on what was there before."""
        old, came = self.old.get(nr), plain(grad)
        lost = old is None or came is None or self.graph.fault == "replace"
        terms = [] if lost else [plain(old), came]
        words = "" if lost else sum_of(terms, plain(after))
        grid = whole(terms, plain(after)) if after is not None and (terms or old is None) else ""
        self.event(kind, name=in_short(grad), before=in_short(old), after=in_short(after), sum=words,
                   whole=grid, exact=exactly(plain(after)), digest=digest(plain(after)), **facts,
                   symbols=() if came is None else (self.names.at((self.node, nr), told(came)),))

    def rules(self) -> tuple[Rule, ...]:
        """The rules of the node that ran, once it is known what became of its gradients."""
        (came, gone), row = self.work, self.reader.row(self.formula)
        found = []
        for slot, sent in self.sent.items() if self.graph.fault != "own_factor" else ():
            if self.touched:
                sent = symbol("before", told(self.summed.get(slot, gone[slot])),
                              name={"en": sent.en, "zh": sent.zh}, hooks=", ".join(self.touched))
            found.append(rule(self.names, self.record, row, slot, came, gone[slot], self.saved, sent))
        return tuple(filter(None, found))

    def free(self, node: AnyNode) -> None:
        """The node let go of what it saved."""
        if fields := [s.field for s in self.graph.node(self.node).saved if s.is_tensor]:
            self.event("free", name=", ".join(fields))

    # ---- helpers

    def event(self, kind: str, **facts: Any) -> None:
        """Add a frame, with what was printed since the one before."""
        printed, self.printed[:] = "".join(self.printed), []
        self.step.append({"kind": kind, "node": self.node, "printed": printed, "queue": self.waiting, **facts})


class Tee(io.TextIOBase):
    """Hands what is written to each of several: what a hook prints is kept, and printed all the same."""

    def __init__(self, *several: Callable[[str], Any]) -> None:
        self.several = several

    def write(self, string: str) -> int:
        """Write to each; the length, as streams return it."""
        for write in self.several:
            write(string)
        return len(string)


def running_order(id: str) -> int:
    """Ids count in the order of backward: n1 runs first."""
    return int(id[1:])


def in_short(value: Any) -> str:
    """A gradient in a few characters; several, where a node has several outputs."""
    if value is None:
        return "None"
    return ", ".join(map(in_short, value)) or "()" if isinstance(value, tuple) else preview_of(plain(value))


def copied(value: Any) -> Any:
    """A copy of the array of a tensor, or of an array, which nobody else writes; of each of several."""
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    return None if (value := plain(value)) is None else value.copy()


def digest(value: Any) -> str:
    """What equal arrays share, and hardly others, zeros without their sign; "" for one of which all digits are told."""
    if value is None or value.size <= WHOLE:
        return ""
    return f"{crc32((value.astype(xp.result_type(value, 'float64')) + 0.0).tobytes()):x}"


def same(a: Any, b: Any) -> bool:
    """Whether two gradients are equal, NaN for NaN."""
    return a is b if a is None or b is None else bool(xp.array_equal(a, b, equal_nan=True))


def plain(value: Any) -> Any:
    """The array of a tensor, of torch too; an array, or None, as it is."""
    if hasattr(value, "detach") and not hasattr(value, "_array"):
        value = (value.values() if value.is_nested else value).detach().to_dense()  # the rows of all its parts
        # NumPy knows neither bfloat16 nor float8
        return (value.float() if str(value.dtype)[6:12] in ("bfloat", "float8") else value).numpy(force=True)
    return value._array() if hasattr(value, "_array") else value


def saved_of(node: AnyNode, fields: Iterable[tuple[str, Any, str]]) -> dict[str, Any]:
    """What a node saved, as its formulas take it: arrays, and options as they were given."""
    return {field: plain(value) if hasattr(value, "shape") else usual(getattr(raw, "value", raw))
            for field, value, _ in fields for raw in [getattr(node, f"saved_{field}", value)]}


def usual(option: Any) -> Any:
    """An option as it was given: torch keeps dim=-1 as 2**64 - 1, and tensors in a tuple."""
    if type(option) is tuple:
        return tuple(map(usual, option))
    return option - 2**64 if type(option) is int and option >= 2**63 else plain(option)
