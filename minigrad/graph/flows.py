"""What backward would send along each edge: one preview that leaves no trace, of minigrad or of torch.

Arrays live while the preview runs; what is kept are texts, norms and sums, by the slots of a picture.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..array.backend import xp
from ..core.beside.attended import AttendedTask
from ..core.beside.ends import root_gradients
from ..core.engine import steps
from ..core.graph import constant
from ..text.numbers import FEW, MOST, plus, summed, two_digits
from .from_torch import TorchReader
from .live import MANY, Reader, uncollected
from .preview import MARKS, norm, preview
from .recorder import plain
from .rule import MOST_ROOM, sum_back
from .snapshot import AnyNode, AnyTensor, Graph

WRITTEN_OUT = 4  # gradients that meet and are all written; of more the first two
LONGEST, SHORTEST = 32, 16  # characters in a line below a leaf; in one beside a node, where others wait for the room


def flows(graph: Graph, *roots: AnyTensor, gradient: Any = None, few: int = 2,
          groups: Mapping[str, str] | None = None) -> Flows:
    """Run backward once from `roots`, as a preview: hooks run on copies, nothing is accumulated or freed.

    Without `gradient` a root of several elements gets ones. `groups` names edges whose gradients are summed.
    What keeps backward from running is told in `error`.
    """
    found = Flows(graph, few, groups or {})
    given = [None] * len(roots) if gradient is None else gradient if isinstance(gradient, Sequence) else [gradient]
    kind, run = (Reader, run_minigrad) if hasattr(type(roots[0]), "_edge") else (TorchReader, run_torch)
    try:
        with warnings.catch_warnings(action="ignore"), uncollected(), contextlib.redirect_stdout(io.StringIO()):
            if len(given) != len(roots):
                raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
            found.reader = kind(roots, {})
            found.reader.numbered()
            kept = [(t, g) for t, g in zip(roots, given, strict=True) if t.requires_grad]
            if not kept and graph.nodes:
                raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
            run(found, tuple(t for t, _ in kept), [g for _, g in kept])
        names = (node.edge_id(e.slot) for node in graph.ops for e in node.edges if e.node)
        for name in (name for name in names if name not in found.norms):  # one was wanted there, the node had none
            found.texts.setdefault(found.groups.get(name, f"edge:{name}"), "None")
    except Exception as error:  # freed or overwritten values, or the learner's own hook
        found.error = f"{type(error).__name__}: {str(error).partition('. ')[0]}"
    return found.finish()


def run_minigrad(found: Flows, roots: tuple[AnyTensor, ...], given: Sequence[Any]) -> None:
    """Drive our own engine, which tells what it does."""
    ones = (constant(t._plain, xp.ones_like(t._array())) for t in roots)
    chosen = [one if g is None else g for one, g in zip(ones, given, strict=True)]
    seeds = [seed.copy() for seed in root_gradients(roots, chosen, False)]
    found.begin(roots, seeds)
    with found.reader.untouched():
        for _ in steps([t._edge() for t in roots], seeds, AttendedTask(True, False, watch=found)):
            pass


def run_torch(found: Flows, roots: tuple[AnyTensor, ...], given: Sequence[Any]) -> None:
    """Let torch run, with a hook at every node; its leaves get their gradients back."""
    torch: Any = sys.modules["torch"]
    seeds = [torch.ones_like(t) if g is None else g for t, g in zip(roots, given, strict=True)]
    found.begin(roots, seeds)
    with contextlib.ExitStack() as undo, found.reader.untouched():
        for id, node in ((found.reader.ids[key], node) for key, node in found.reader.found.items()):
            undo.callback(node.register_prehook(partial(found.came, id)).remove)
            undo.callback(node.register_hook(partial(found.left, id)).remove)
        torch.autograd.backward(roots, seeds, retain_graph=True)


class Flows:
    """Texts by slot (`edge:n3:0`, `in:n3:0`, `seed:n1`, `total:n6`), norms by edge (of what it
    is drawn with) and leaf, and where it went wrong first.

    Our engine tells it what happens; of torch's hooks do, behind the learner's.
    """

    def __init__(self, graph: Graph, few: int, groups: Mapping[str, str]) -> None:
        self.graph, self.few = graph, few  # few: elements that are shown; of more the norm
        self.groups = groups  # edge -> the slot that shows the sum of several
        self.texts: dict[str, str] = {}
        self.each: dict[str, str] = {}  # by slot, as if no edges were grouped
        self.norms: dict[str, float] = {}
        self.bad: str | None = None  # the first node that sent NaN or Inf though it had received none
        self.at = ""  # the node that runs, or ran last
        self.error: str | None = None
        # while it runs
        self.reader: Any = None
        self.sums: dict[str, Any] = {}  # by slot, of grouped edges
        self.meeting: dict[str, dict[str, Any]] = {}  # what arrives at a leaf, or at one output of a node, by wire
        self.hooked: dict[str, Any] = {}  # what is accumulated, where hooks of the leaf may have changed it
        self.fitted: dict[int, Any] = {}  # what un-broadcasting left of a gradient of the node that runs, by slot
        self.spelled: dict[str, str] = {}  # edge -> `0.71 + 0.78 = 1.49` where the engine summed

    def text(self, array: Any, size: float | None = None) -> str:
        """A value, or its norm, which may be known."""
        if math.prod(array.shape) <= self.few:
            return preview(array)
        return f"‖g‖ {two_digits(norm(array) if size is None else size)}"

    def begin(self, roots: Sequence[AnyTensor], seeds: Sequence[Any]) -> None:
        """Gradients arrive at the roots."""
        for t, seed in zip(roots, seeds, strict=True):
            key, nr = self.reader.slot(t)
            id = self.reader.ids[key]
            self.texts[f"seed:{id}"] = self.text(seed)
            self.arrives(id, nr, seed, "")

    def arrives(self, id: str, nr: int, array: Any, wire: str) -> None:
        """A gradient comes to a leaf, or to an output of a node; what comes by one wire is one term."""
        if (leaf := self.graph.node(id).kind == "accumulate") or len(self.graph.nodes) <= MANY:
            met = self.meeting.setdefault(id if leaf else f"{id}:{nr}", {})
            if self.graph.fault == "overwrite":  # then nothing is summed
                met.clear()
            met[wire] = met[wire] + array if wire in met else array

    def sent(self, id: str, slot: int, array: Any) -> None:
        """A gradient left node `id` through a slot."""
        edge, name = self.graph.node(id).edges[slot], f"{id}:{slot}"
        self.norms[name] = size = norm(array)
        if not math.isfinite(size) and self.bad is None:
            self.bad = id
        own = f"{'sum' if edge.expands else 'edge'}:{name}"
        slot_name = self.groups.get(name, own)
        short, before = self.text(array, size), self.sums.get(slot_name)
        self.each[own] = self.texts[slot_name] = self.spelled.pop(name, "") or short
        if name in self.groups:  # at a box there is no `sum` whose terms could be meant
            self.sums[slot_name] = array if before is None else before + array
            self.texts[slot_name] = short if before is None else self.text(self.sums[slot_name])
        if edge.node:
            self.arrives(edge.node, edge.nr, array, slot_name)

    def finish(self) -> Flows:
        """Write the sums, and let go of all arrays."""
        for place, met in self.meeting.items():
            arrays = [*met.values()]
            total = sum(arrays[1:], arrays[0])
            if leaf := ":" not in place:
                self.norms[place] = norm(self.hooked.get(place, total))
                self.texts[f"sent:{place}"] = self.text(self.hooked.get(place, total))
            if len(arrays) > 1:
                written = spelled(arrays, total, LONGEST if leaf else SHORTEST)
                self.texts[f"{'total' if leaf else 'meet'}:{place}"] = written or self.text(total)
                self.texts.pop(f"got:{place}", None)  # the sum is what a hook receives
        self.norms |= {wire: norm(self.sums[slot]) for wire, slot in self.groups.items() if slot in self.sums}
        self.reader, self.sums, self.meeting, self.hooked = None, {}, {}, {}
        return self

    # ---- what torch's nodes tell

    def came(self, id: str, grads: tuple[Any, ...]) -> None:
        """Gradients have come to a node, for its outputs."""
        self.at = id
        for nr, grad in ((nr, self.reader.array(grad)) for nr, grad in enumerate(grads) if grad is not None):
            self.texts[f"in:{id}:{nr}"] = self.text(grad)
            self.hooked |= {id: grad} if self.graph.node(id).leaf else {}

    def left(self, id: str, sent: tuple[Any, ...], received: tuple[Any, ...]) -> None:
        """Gradients have left it."""
        for edge, grad in zip(self.graph.node(id).edges, sent, strict=False):
            if grad is not None and edge.node:
                self.sent(id, edge.slot, self.reader.array(grad))

    # ---- what our engine tells

    def ready(self, node: AnyNode) -> None:
        """A node is about to run."""
        self.at = self.reader.ids[self.reader.key(node)]

    def hook(self, node: AnyNode, kind: str, hook: Any, before: Any, after: Any) -> None:
        """What a gate let through, where it is plain which output it stands at."""
        nrs = {h.nr for h in self.graph.hooks if h.node == self.at and h.kind == kind}
        if kind in ("tensor", "pre") and len(nrs) == 1:
            got, one = (plain(g[0] if isinstance(g, tuple) and len(g) == 1 else g) for g in (before, after))
            if hasattr(one, "shape"):
                place = f"{self.at}:{nrs.pop()}"
                self.texts[f"in:{place}"] = self.text(one)
                self.texts.setdefault(f"got:{place}", self.text(got))
                self.hooked[self.at] = one

    def capture(self, node: AnyNode, nr: int, grad: Any) -> None:
        """The copy that retain_grad takes."""
        self.texts[f"in:{self.at}:{nr}"] = self.text(plain(grad))

    def unbroadcast(self, node: AnyNode, index: int, before: Any, after: Any) -> None:
        """The engine summed a gradient to the shape of a stretched input."""
        self.fitted[index] = after
        # of a very large graph only a few edges are ever drawn
        words = sum_back(before, after) if len(self.graph.nodes) <= MANY and not self.graph.fault else ""
        if 0 < len(words) <= MOST_ROOM:
            self.spelled[f"{self.at}:{index}"] = words

    def send(self, node: AnyNode, index: int, grad: Any, total: Any) -> None:
        """A gradient has left."""
        self.sent(self.at, index, self.fitted.pop(index, grad))

    compute = accumulate = free = staticmethod(lambda *facts: None)  # other events show nothing here


def spelled(arrays: list[Any], total: Any, longest: int = LONGEST) -> str:
    """`a + b = c`: of small tensors whole, of large ones the largest entry to which most of them add, these first."""
    flat, lead = total.reshape(-1), ""
    if len(flat) > 2:
        terms = sum((a.reshape(-1) != 0) * (flat != 0) + 0 for a in arrays)
        at = int((abs(flat) * (terms == terms.max())).argmax())
        place = [*map(int, xp.unravel_index(at, tuple(total.shape)))]
        lead, several = f"{place}: ", [a.reshape(-1)[at:at + 1] for a in (*arrays, total)]
        if len(arrays) > WRITTEN_OUT:
            several[:-1] = sorted(several[:-1], key=lambda a: bool(a[0] == 0))
    else:
        several = [a.reshape(-1) for a in (*arrays, total)]
    numbers = [a.tolist() for a in several]
    for most in (MOST, FEW):  # what is too long for a picture says it with fewer digits, and perhaps `≈`
        written = summed(numbers[:-1], numbers[-1], together=len(flat) > 2, most=most)
        if written is None or not len(flat):
            return ""
        words = [f"[{', '.join(t)}]" if len(t) > 1 else t[0] for t in (*written.operands, written.result)]
        parts = words[:-1] if len(words) <= WRITTEN_OUT + 1 else [*words[:2], "…", *{words[-2]} - {"0"}]
        whole = f"{lead}{plus(parts)} {written.sign} {words[-1]}"
        ends = [sign.start() for sign in re.finditer(r" [+−=≈] ", whole)]
        end = ends[-1] if longest == LONGEST else min(ends, key=lambda end: max(end, len(whole) - end))
        if end < LONGEST:
            break
    return whole if len(whole) < longest else f"{whole[:end]}\n{whole[end + 1:]}"


def first_bad(graph: Graph) -> tuple[str, str, str] | None:
    """Where NaN or ∞ first stands in the values that are kept: a message, what it names, the id to mark.

    An op is blamed where all that went in is known to hold none; a leaf, or a constant, where that brought it.
    """
    bad = {t.id for t in graph.tensors if any(mark in (t.value or "") for mark in MARKS)}
    for n in sorted(graph.ops if bad else (), key=lambda n: n.seq):
        ins = [graph.tensors_by_id.get(e.tensor) for e in n.edges]
        if (brought := next((t for t in ins if t and t.id in bad), None)) is not None:
            return "brought_bad", brought.label if brought.name else str(brought.shape), brought.id
        if any(t.id in bad for t in graph.outputs(n.id)):
            return "first_bad" if all(t and t.value is not None for t in ins) else "seen_bad", n.name, n.id
    return None
