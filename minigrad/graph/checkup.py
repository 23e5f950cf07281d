"""A check-up before training: what a model, its loss, its optimizer and two steps show, as remarks with their causes.

A remark is a sentence, `doctor.KEY` with its blanks, and the finding that tells line and edit where there is one.
The steps really run, while somebody keeps everything `Still`, and are watched: nothing is said that was not seen.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from ..array.backend import xp
from ..core.backward import grad
from ..core.beside.observers import observing
from ..core.graph import Node, TensorBase, constant, node_of, seqs
from ..text.numbers import two_digits
from . import notes, numbers
from .cuts import cut_on_the_way
from .findings import Finding, attempt, by_rule, finding, first
from .from_torch import TorchReader
from .leaves import missing_from, unregistered, untracked
from .live import is_tensor, nodes_behind, nodes_of, parameters
from .preview import norm
from .program import Context, inside_of
from .recorder import plain
from .snapshot import by_key
from .trial import conceals

STEEP = 1e-5  # the first weight's gradient beside the last one's, where all between grow


class Remark(NamedTuple):
    """What was seen: a message, its blanks, its cause, and the leaves to point out, by name."""

    key: str
    facts: dict[str, Any]
    found: Finding | None = None
    marks: Mapping[str, Any] = {}


def listed(names: list[str]) -> str:
    """The first few of many names."""
    return ", ".join(names[:4]) + (f", … ({len(names)})" if len(names) > 4 else "")


def remarks(model: Any, loss: Any, optimizer: Any, step: Any, names: list[str], context: Context,
            root: Any) -> Iterator[Remark]:
    """All that is to be said. `names`: what the learner calls model and loss, whose expression is `root`."""
    params = {f"{names[0]}.{name}": p for name, p in model.named_parameters()}
    yield from of_loss(loss, names[1], params, context, root)
    if not model.training and numbers.differs(model):
        yield Remark("eval", {"model": names[0]})
    if (lost := attempt(unregistered, model)) is not None:
        yield Remark("unregistered", {"name": lost.facts["name"]}, lost)
    if optimizer is not None:
        yield from of_optimizer(params, optimizer, names[0], context)
    if len(kinds := {str(p.dtype): each for each, p in params.items()}) > 1:
        yield Remark("types", {"kinds": ", ".join(f"{name} {kind}" for kind, name in kinds.items())})
    if step is None:
        yield Remark("no_step", {})
        return
    held = {*map(id, params.values() if optimizer is None else parameters(optimizer))}
    yield from of_steps(params, {name: p for name, p in params.items() if id(p) in held}, step)


def of_loss(loss: Any, name: str, params: dict[str, Any], context: Context, root: Any) -> Iterator[Remark]:
    """What the graph of the loss leads to, and what arrives there."""
    def cause(finder: Callable[..., Any], *given: Any) -> Any:
        return None if root is None else attempt(finder, *given, context)

    if not is_tensor(loss) or not loss.requires_grad:
        yield Remark("untracked", {"loss": name}, cause(untracked, root))
        return
    ours = isinstance(loss, TensorBase)
    nodes: list[Any] = [*nodes_of(loss)]  # none of torch's
    ends = {id(n.variable) for n in nodes_behind(loss) if hasattr(n, "variable")}
    reached = {each: p for each, p in params.items() if id(p) in ends}
    got: dict[Any, Any] = dict.fromkeys(() if ours else nodes_behind(loss), ())  # of torch's nodes, their gradients
    seed, failed = loss.detach().clone().fill_(1), ""
    try:
        arrived = of_torch(loss, seed, params, got) if not ours else dict(
            zip(reached, (to := [*reached.values()]) and grad(loss, to, seed, True, allow_unused=True), strict=True))
    except RuntimeError as error:  # a graph that was freed, or written into
        arrived, failed = {}, str(error).partition(". ")[0]
    arrived = {each: g for each, g in arrived.items() if g is not None}
    reached |= {each: params[each] for each in arrived}  # also by a backward that ran within this one
    hidden = ours and conceals(loss)
    yield Remark("concealed" if hidden else "head", {"count": len(params), "reached": len(reached), "loss": name})
    if not numbers.finite(plain(loss)):
        yield Remark("bad_loss", {"loss": name}, attempt(numbers.cause, "bad", loss, loss, name) if ours else None)
    if loss.numel() != 1:
        yield Remark("not_scalar", {"loss": name, "shape": tuple(loss.shape)})
    if off := [each for each, p in params.items() if not p.requires_grad]:
        found = cause(by_rule, f"off: {off[0]}", root)
        yield Remark("frozen", {"names": listed(off)}, found and replace(
            found, edit=None, key="frozen" if found.key == "switched_off" else found.key))  # most often on purpose
    if away := [each for each in params if not hidden and each not in reached and each not in off]:
        found = next(filter(None, (cause(cut_on_the_way, params[each], root) for each in away)), None)
        yield Remark("away", {"names": listed(away), "count": len(away), "loss": name}, found,
                     {each: params[each] for each in away})
    if not failed and (lost := [each for each in reached if each not in arrived]):
        yield Remark("nothing", {"names": listed(lost), "loss": name}, None, {each: reached[each] for each in lost})
    own = {n.function: n for n in nodes if hasattr(n, "function") and all(n._tensors) and all(n.metas)}
    odd = numbers.oddities(loss, context.names) if ours else ()
    if (found := numbers.misfit(nodes) or first(attempt(own_slope, n) for n in own.values()) or first(odd)) is not None:
        yield Remark("spread" if found.key.startswith("spread") else "misfit", {}, found)
    if failed and not hidden:
        yield Remark("ran" if "a second time" in failed else "no_backward", {"loss": name, "error": failed})
    for one in of_gradients({each: plain(g) for each, g in arrived.items()}):
        each = one.facts.get("first")
        zeros = cause(numbers.by_nought, reached[each], each, root) if each and one.key == "zero" and ours else None
        found = each and (zeros or attempt(numbers.cause, one.key, loss, reached[each], each) if ours else
                          wall(got, reached[each], each) if one.key == "zero" else None)
        yield one._replace(found=found or None, marks={each: reached[each]} if each else {})


def own_slope(n: Any) -> Finding | None:
    """A Function of the learner's whose backward does not tell how the squares of its results grow along a way, as its
    forward shows it; both are drawn at random. A forward that is flat there has a backward that is meant so."""
    draw, home = xp.random.RandomState(7).uniform, inside_of(n.function.backward)
    drawn = [(draw(0.5, 1.5, shape), draw(-1, 1, shape)) for shape, _ in n.metas]
    ends = [[constant(TensorBase._plain, a + h * way).requires_grad_() for a, way in drawn] for h in (0, 0, 1e-6)]
    made = (m if isinstance(m, tuple) else (m,) for m in (n.function.apply(*given) for given in ends))
    here, again, ahead = (sum((o * o).sum() for o in outputs if o.requires_grad) for outputs in made)
    sent = zip(grad(here, ends[0], None, True, allow_unused=True), drawn, strict=True)
    told = sum(float((g._array() * way).sum()) for g, (_, way) in sent if g is not None)
    seen = float(ahead - here) / 1e-6 if here == again else 0  # it draws numbers itself
    alike = not seen or abs(told - seen) < 1e-3 * (1 + abs(seen))
    return None if alike or home is None else finding(
        "own_slope", home, home.function, name=n.function.__name__, told=two_digits(told), seen=two_digits(seen))


def of_torch(loss: Any, seed: Any, params: dict[str, Any], got: dict[Any, Any]) -> dict[str, Any]:
    """What torch's backward, as a preview, adds to the `.grad` of parameters; into `got` goes what comes to its nodes,
    and what they send."""
    reader = TorchReader((loss,), {})
    reader.numbered()
    with contextlib.ExitStack() as undo:
        for t in (filled := undo.enter_context(reader.untouched())):
            t.grad = None
        for n in got:
            undo.callback(n.register_hook(lambda sent, came, n=n: got.update({n: (came, sent)})).remove)
        loss.backward(seed, retain_graph=True)
        grads = {id(t): t.grad for t in filled if t.grad is not None}
        return {each: grads[id(p)] for each, p in params.items() if id(p) in grads}


def wall(got: dict[Any, Any], leaf: Any, name: str) -> Finding | None:
    """The nearest node of torch's that got a gradient other than zero, of those that lead to a leaf and sent none; None
    where gradients that they sent cancel."""
    senders = by_key((child, (n, slot)) for n in got for slot, (child, _) in enumerate(n.next_functions))
    ends = [n for n in got if getattr(n, "variable", None) is leaf]
    for end in ends:  # grows while it is read
        above = senders.pop(end, [])
        ends += (n for n, _ in above)
        if any(got[n] and other_than_zero(got[n][1][slot:slot + 1]) for n, slot in above):
            return None
        if (one := next((n for n, _ in above if got[n] and other_than_zero(got[n][0])), None)) is not None:
            return Finding("wall", {"node": one.name(), "name": name})
    return None


def other_than_zero(grads: tuple[Any, ...]) -> bool:
    """Whether one of some gradients is."""
    return any(g is not None and g.any() for g in grads)


def of_gradients(grads: dict[str, Any]) -> Iterator[Remark]:
    """Gradients, as arrays, that are zero, NaN or Inf; the smallest and the largest of the others."""
    wrong = {each: numbers.wrong(g) for each, g in grads.items()}
    for key in ("zero", "bad"):
        if several := [each for each in grads if wrong[each] == key]:
            yield Remark(key, {"names": listed(several), "first": several[0]})
    if norms := {each: norm(g) for each, g in grads.items() if not wrong[each] and g.size}:
        a, b = min(norms, key=norms.__getitem__), max(norms, key=norms.__getitem__)
        key = "norms" if len(norms) > 1 else "one_norm"
        yield Remark(key, {"low": two_digits(norms[a]), "small": a, "high": two_digits(norms[b]), "large": b})
    told = [norms[each] for each in norms if grads[each].ndim > 1]  # weights, as they are listed
    for key, way in (("vanishing", told), ("exploding", told[::-1])):
        if len(way) > 3 and way[0] < STEEP * way[-1] and all(a < b for a, b in pairwise(way)):
            yield Remark(key, {"factor": two_digits((way[-1] / way[0]) ** (1 / (len(way) - 1)))})


def of_optimizer(params: dict[str, Any], optimizer: Any, model: str, context: Context) -> Iterator[Remark]:
    """Parameters that no step will change, tensors that are none of the model, and a rate of 0."""
    held, own = {*map(id, parameters(optimizer))}, {*map(id, params.values())}
    if left := [each for each, p in params.items() if p.requires_grad and id(p) not in held]:
        yield Remark("missing", {"names": listed(left), "count": len(left)}, attempt(missing_from, optimizer, context))
    if held - own:
        yield Remark("strangers", {"count": len(held - own), "model": model})
    if not any(group.get("lr", True) for group in optimizer.param_groups):
        yield Remark("no_rate", {})


# ---- the two steps


class Round:
    """What one call of the step did, watched."""

    def __init__(self, step: Callable[[], Any], params: dict[str, Any], since: int | None) -> None:
        self.params, self.since, self.first = params, since, next(seqs)
        self.bad: Finding | None = None  # where NaN or Inf began
        self.spread: Finding | None = None
        self.old: Any = None  # a node of the round before that this one builds on
        # parameters that still had the gradient of before; that got one; that got one which is not zero
        self.kept, self.reached, self.moving = set[str](), set[str](), set[str]()
        self.error: Exception | None = None
        before = {name: plain(p).copy() for name, p in params.items()}
        handles = [p.register_hook(lambda g, name=name, p=p: self.arrives(name, p, g))
                   for name, p in params.items() if p.requires_grad and p.is_leaf]
        try:
            with observing(self.seen):
                step()
        except Exception as error:
            self.error = error
        for handle in handles:
            handle.remove()
        self.changed = {n for n, p in params.items() if not xp.array_equal(before[n], plain(p), equal_nan=True)}

    def arrives(self, name: str, p: Any, g: Any) -> None:
        """A gradient comes to a parameter, beside one that is there already."""
        fresh = p.grad is None or not p.grad.any()  # cleared in the midst of a step, too
        self.kept = self.kept - {name} if fresh else self.kept | ({name} - self.reached)
        self.reached.add(name)
        self.moving |= {name} if g.any() else set()

    def seen(self, node: Any, output: Any) -> None:
        """A node was recorded."""
        behind = [node_of(edge) for edge in node.edges if isinstance(node_of(edge), Node)]
        if self.old is None and self.since is not None:
            self.old = next((n for n in behind if self.since < n.seq < self.first), None)
        self.spread = self.spread or numbers.spread(node)
        first = output[0] if isinstance(output, tuple) else output
        if self.bad is None and not numbers.finite(first._array()):
            values = numbers.Values(first, {})
            self.bad = values.began(id(node), first._array()) if values.way else None


def of_steps(params: dict[str, Any], trained: dict[str, Any], step: Callable[[], Any]) -> Iterator[Remark]:
    """What two calls of the step did, one after the other."""
    for p in params.values():
        p.grad = None
    one = Round(step, params, None)
    two = one if one.error is not None else Round(step, params, one.first)
    if two.error is not None:
        told = f"{type(two.error).__name__}: {str(two.error).partition('. ')[0]}"
        notes.complete(two.error)
        yield Remark("failed", {"nr": 1 + (two is not one), "error": told}, getattr(two.error, "finding", None))
        two.error.__traceback__ = None
    for key in ("bad", "spread"):
        if (found := getattr(one, key) or getattr(two, key)) is not None:
            yield Remark(f"step_{key}", {}, found)
    if two.old is not None:
        yield Remark("grows", {"count": len(nodes_of(two.old))}, numbers.at_node("taken_along", two.old))
        two.old = None
    if two.kept:
        yield Remark("kept", {"names": listed([name for name in params if name in two.kept])})
    away = [name for name, p in params.items() if p.requires_grad and name not in one.reached | two.reached]
    if away and two.error is None:
        yield Remark("step_away", {"names": listed(away), "count": len(away)})
    moving = one.moving | two.moving  # parameters to which a gradient other than zero came
    if two.error is None and (same := [n for n in trained if n in moving and n not in one.changed | two.changed]):
        yield Remark("unchanged", {"names": listed(same), "count": len(same)})
    if two.error is None:
        yield Remark("two_steps", {"count": len(one.changed | two.changed)})
