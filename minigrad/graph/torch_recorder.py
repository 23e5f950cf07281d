"""Record a backward that torch itself runs: hooks at its nodes tell what happens, in torch's own order.

The frames are those of `Recorder`. What torch does not tell is left out: hooks of tensors that are gone (only what they
changed can be seen), and, but inside of `scopes`, the lines that made nodes. A rule is shown where our table has one of
that name and it gives what torch gave: it also tells a gradient before its sum, where an input was broadcast. What a
node of torch's own sends is a derivative if no hook stands behind it; behind a Function of the learner's nothing is
called one without such a rule. Where we fail ourselves, torch and the learner's program go on: the last frame says
what is not told. torch is never imported here.
"""

import contextlib
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..array.backend import xp
from ..core.carriers import RAW
from ..core.row import Row
from ..text import demand
from .from_torch import TorchReader
from .live import stretches
from .preview import exactly, norm
from .recorder import Recorder, copied, in_short, plain, same
from .rule import Rule, as_array, computed
from .snapshot import AnyNode, AnyTensor

CHECKED = 200_000  # elements; rules of larger gradients are not checked, and not shown
TOLERANCE = 1e-3  # of the largest number: a rule that is further off is another one; more in types with few digits


class TorchRecorder(Recorder):
    """`turn` runs the whole backward; torch cannot wait between two nodes."""

    looks = True
    run: int | None = None  # torch's number of this backward: others may run inside of it

    def prepare(self, root: AnyTensor, gradient: AnyTensor | None, names: Mapping[str, AnyTensor],
                create_graph: bool) -> Any:
        """Let torch refuse what it refuses; the gradient that backward begins with."""
        if not root.requires_grad or (root.numel() != 1 if gradient is None else not hasattr(gradient, "grad_fn")):
            root.backward(gradient)  # raises, in torch's words
        self.reader: TorchReader = TorchReader((root,), names)
        demand(self.reader.value(root) is not None, "player.no_values")
        keep = self.preview or not self.frees
        given = gradient.clone() if self.preview and gradient is not None else gradient
        self.backward = partial(root.backward, given, retain_graph=keep, create_graph=create_graph)
        return sys.modules["torch"].ones_like(root) if gradient is None else gradient

    def turn(self) -> None:
        """Run it all, with our hooks at every node, and around the hooks of tensors; nothing is left."""
        self.grads = {id(t): copied(t.grad) for t in self.reader.tensors.values() if not t.is_leaf and t.retains_grad}
        with contextlib.ExitStack() as undo, xp.errstate(all="ignore"):
            for node in self.reader.found.values():
                self.tell(self.wrap, node, undo)  # ours stand behind theirs
                undo.callback(node.register_prehook(partial(self.tell, self.arrived_at, node)).remove)
                undo.callback(node.register_hook(partial(self.tell, self.ran, node)).remove)
            self.run = None
            self.backward()
        if self.lost is not None:
            raise self.lost

    def tell(self, part: Callable[..., Any], *args: Any) -> Any:
        """Let a part of ours tell what happens; once one has failed none does, and nobody else hears of it."""
        if self.lost is None:
            now = getattr(sys.modules["torch"]._C, "_current_graph_task_id", int)()
            self.run = now if self.run is None else self.run
            try:
                return part(*args) if now == self.run else self.within(part, *args)
            except Exception as error:
                self.lost = error

    def within(self, part: Callable[..., Any], node: AnyNode = None, *_: Any) -> None:
        """Of a backward that a node or a hook runs itself nothing is told, but what it puts into leaves of ours."""
        if part == self.ran and hasattr(node, "variable") and self.node in self.left:
            leaf = self.graph.tensor(self.reader.ids[self.reader.key(node), 0])
            self.event("inner", name=leaf.label, part=leaf.id, after=in_short(node.variable.grad))

    def wrap(self, node: AnyNode, undo: contextlib.ExitStack) -> None:
        """Stand around the hooks of a node and of the tensors that it made, in the dicts where torch finds them."""
        for kind, nr, hooks in self.reader.hook_dicts(self.reader.key(node)):
            if hooks:
                undo.callback(lambda now, old: now.update({k: old[k] for k in old if k in now}), hooks, dict(hooks))
                hooks.update({number: partial(self.around, kind, nr, node, hook) for number, hook in hooks.items()})

    # ---- what torch tells

    def begin(self, node: AnyNode, *_: Any) -> None:
        """The first that is heard of a node's turn."""
        if self.node_now is not node:
            self.ready(node)
            self.own = type(node).__module__ == "builtins" and type(node).__name__ == self.record.name
            self.kept = {nr: t for nr, t in self.reader.filled_by(node).items() if not t.is_leaf}
            self.old |= {nr: self.grads.get(id(t)) for nr, t in self.kept.items()}

    def around(self, kind: str, nr: int, node: AnyNode, hook: Callable[..., Any], *given: Any) -> Any:
        """In place of a hook: of a tensor, of a node, or of a leaf whose `.grad` is there."""
        heard = {"tensor": self.begin, "pre": self.captured, "post": self.worked, "post_accumulate": self.fill}[kind]
        self.tell(heard, node, *given)
        what = given[0].grad if kind == "post_accumulate" else given[0]
        before, returned = self.tell(copied, what), hook(*given)
        after = given[0].grad if kind == "post_accumulate" else what if returned is None else returned
        several = isinstance(given[0], tuple) and not isinstance(after, tuple)  # a hook may return the one alone
        self.tell(lambda: self.hook(node, kind, hook, before, (after,) if several else plain(after), nr))
        return returned

    def captured(self, node: AnyNode, received: tuple[Any, ...]) -> None:
        """After the hooks of tensors and before those of the node: what retain_grad took."""
        self.begin(node)
        for nr, t in self.kept.items():
            self.filled("capture", nr, self.came.get(nr), t.grad, slot=nr, part=self.graph.output(self.node, nr))
        self.kept = {}

    def arrived_at(self, node: AnyNode, received: tuple[Any, ...]) -> None:
        """After the hooks of tensors and of the node: what changed unseen."""
        self.captured(node, received)
        for nr, grad in enumerate(received):
            before, now = self.came.get(nr), plain(grad)
            if nr in self.came and not same(before, now):
                self.came[nr] = copied(now)
                self.names.after[self.node, nr].append("?")
                self.event("hook", slot=nr, name="?", before=in_short(before), after=in_short(now))

    def worked(self, node: AnyNode, sent: tuple[Any, ...], received: tuple[Any, ...]) -> None:
        """After the node, and before its hooks: what it made, by which rules."""
        self.begin(node)
        if self.record.leaf is not None:
            self.fill(node)
        if self.record.leaf is not None or self.work[0]:
            return
        gone, came = tuple(map(plain, sent)), tuple(map(plain, received))
        if self.record.name == "CopySlices":
            self.formula = writer(came[0], *gone)
        row = self.reader.row(self.formula)
        if row is not None and not row.multi and all(g is None for g in came[1:]):
            came = came[:1]  # torch gives the mean that a norm noted a gradient, too
        self.compute(node, came, gone)
        with contextlib.suppress(Exception):  # it has none, or not in this form
            self.saved |= self.hidden(row, came) if row and row.hidden else {}
        floats = (g.dtype for g in sent if g is not None and g.is_floating_point())
        eps = max([0.0, *(sys.modules["torch"].finfo(kind).eps for kind in floats)])
        found = {slot: self.derived(row, slot, came, grad, eps) for slot, grad in enumerate(gone) if grad is not None}
        self.good = {slot: ours for slot, ours in found.items() if ours is not None}  # what our rules give, too
        for edge, grad in ((e, g) for e, g in zip(self.record.edges, gone, strict=False) if e.node and g is not None):
            if edge.slot in self.good and self.good[edge.slot].shape != grad.shape:  # torch has summed it already
                self.unbroadcast(node, edge.slot, self.good[edge.slot].astype(grad.dtype), grad)
            elif edge.expands:
                was = str(self.graph.outputs(self.node)[0].shape)
                self.event("unbroadcast", slot=edge.slot, before=was, after=in_short(grad), exact=exactly(grad))

    def ran(self, node: AnyNode, sent: tuple[Any, ...], received: tuple[Any, ...]) -> None:
        """After the node and its hooks: what it sends."""
        self.worked(node, sent, received)
        for edge, grad in zip(self.record.edges, map(plain, sent), strict=False):
            if edge.node is not None and grad is not None:
                before = self.totals.get((edge.node, edge.nr))
                self.send(node, edge.slot, grad, grad if before is None else before + grad)
        if self.frees and not self.preview and self.record.leaf is None:
            self.free(node)
        self.close()

    def fill(self, node: AnyNode, *_: Any) -> None:
        """A leaf has its new `.grad`, which is told once."""
        if not any(event["kind"] == "accumulate" for event in self.step):
            self.accumulate(node, self.came[0], None, node.variable.grad)

    # ---- what can be believed

    def hidden(self, row: Row, came: tuple[Any, ...]) -> dict[str, Any]:
        """What a formula reads and torch does not show, from what it shows: the eps of a norm from its deviations, the
        shares of a pool, the lengths of what was joined; of several constants nobody knows which is how long."""
        if "eps" in row.hidden:
            x = self.saved["input"].astype("float64")
            spread = x.var(tuple(range(-len(self.saved["normalized_shape"]), 0)), keepdims=True)
            return {"eps": float((self.saved["result2"] ** -2.0 - spread).reshape(-1)[spread.argmin()])}
        if "left" in row.hidden:
            pool, eye = sys.modules["torch"].nn.functional.adaptive_avg_pool1d, sys.modules["torch"].eye
            sizes = zip(self.saved["self"].shape[-2:], came[0].shape[-2:], strict=True)
            return dict(zip(row.hidden, (plain(pool(eye(n)[None], m)[0].mT) for n, m in sizes), strict=True))
        shapes = [e.node and self.graph.tensor(e.tensor).shape for e in self.record.edges]
        rest, dim = [*came[0].shape], self.saved["dim"]
        rest[dim] -= sum(shape[dim] for shape in shapes if shape)
        for i in (i for i, shape in enumerate(shapes) if not shape):
            shapes[i], rest[dim] = tuple(rest), 0
        return {"shapes": shapes}

    def derived(self, row: Row | None, slot: int, came: tuple[Any, ...], sent: Any, eps: float) -> Any:
        """What one rule, run on what torch saved, gives before any sum; None where it is not what torch gave."""
        several = row is not None and row.inputs[0] == "tensors"  # one formula, which gives a gradient to each
        if row is None or not (several or row.differentiable[slot:]):
            return None
        if self.record.name == "CopySlices":  # these very numbers said what wrote
            return sent
        word = row.differentiable[0 if several else slot]
        values = {name: (came if row.multi or came[1:] else came[0]) if name == "grad" else self.saved.get(name)
                  for name in row.uses[word] if name != "F"}
        arrays: dict[str, Any] = {name: v for name, v in values.items() if hasattr(v, "reshape")}
        if (sum(v.size for v in arrays.values()) > CHECKED
                or any(v.dtype.kind == "c" for name, v in arrays.items() if name != "grad")):  # it may be turned round
            return None
        values |= {name: as_array(v, v) for name, v in arrays.items()}
        ours = computed(row, word, values, slot if several else None)
        if ours is None or ours.dtype.kind == "c" != sent.dtype.kind or (
                ours.size != sent.size and not stretches(sent.shape, ours.shape)):
            return None
        ours = (ours if stretches(sent.shape, ours.shape) else ours.reshape(sent.shape)) * 1.0
        most = float(abs(ours[xp.isfinite(ours)]).max(initial=0))  # of a sum, what was added
        rough, gave = max(TOLERANCE, 2 * eps), RAW.sum_to(ours, sent.shape)
        least = min(2 * eps, 2e-7) * max((norm(g) for g in came if g is not None), default=0.0)  # where they cancel
        return ours if xp.allclose(gave, sent, rough, max(rough * most, least), equal_nan=True) else None

    def bends(self) -> bool:
        """Also where neither torch's own node nor a rule of ours tells what was done."""
        unknown = not self.own and any(g is not None and slot not in self.good for slot, g in self.work[1].items())
        return super().bends() or unknown

    def rules(self) -> tuple[Rule, ...]:
        """The rules that gave what torch gave, with what they give before torch's sum over what was stretched."""
        self.sent = {slot: sent for slot, sent in self.sent.items() if slot in self.good}
        self.work[1].update({slot: self.good[slot].astype(gave.dtype) for slot, gave in self.summed.items()})
        return super().rules()


def writer(whole: Any, base: Any, source: Any = None, *_: Any) -> str:
    """The node inside of a `CopySlices`, which torch does not show, where the gradients say it: of a copy exactly that
    which is missing from the base's goes to its source; else nothing is known."""
    if base is None or source is None or base[lost := base != whole].any() or not source.any():
        return ""
    return "CopyBackwards" if xp.array_equal(xp.sort(whole[lost]), xp.sort(source[source != 0])) else ""
