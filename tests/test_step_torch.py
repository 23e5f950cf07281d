"""`step` of real torch tensors: torch runs, and the frames are those that minigrad tells of the same program."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.graph import record
from minigrad.graph.flows import flows
from minigrad.graph.from_torch import hooks_of
from minigrad.graph.preview import preview
from minigrad.graph.recorder import Frame
from minigrad.graph.snapshot import Graph
from minigrad.graph.torch_recorder import TorchRecorder
from minigrad.viz import step
from tests import networks
from tests.oracle.programs import program
from tests.oracle.transcript import statements
from tests.reading import read
from tests.test_equations import agree, parts

torch = pytest.importorskip("torch")
SLOW = {"a million", "rnn 100", "losses of a loop"}
# where the two differ without being wrong
CANCEL = ("norms", "resnet", "contrastive", "encoder layer", "loops from leaves", "stages of blocks")
NOT_EQUAL = dict.fromkeys(CANCEL, "sums of zero") | {"block by hand": "relu of such a sum", "lstm": "torch fuses it"}
NUMBER = re.compile(r"(?<![\w.])−?\d+(?:\.\d+)?(?:e−?\d+)?")
# what the collection has none of: several outputs, writes into parts, ties, losses, types, values that are not finite
MORE = {
    "wrong function": """class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 3
    @staticmethod
    def backward(ctx, grad): return grad * ctx.saved_tensors[0]
x = torch.tensor([2., -1., 3.], requires_grad=True); y = Cube.apply(x); z = y.clamp(max=10.); score = z.sum()
score""",
    "attention by hand": """q = torch.arange(8.).reshape(2, 4).div(7).requires_grad_()
k = torch.ones(3, 4, requires_grad=True); v = torch.arange(6.).reshape(3, 2).requires_grad_()
w = (q @ k.t() / 2).softmax(-1); out = (w @ v).sum()
out""",
    "gather cumsum": """x = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
i = torch.tensor([[0], [2]])
loss = (x.gather(1, i) * x.cumsum(1)).sum()
loss""",
    "max topk": """x = torch.tensor([[1., 5., 3.], [4., 2., 6.]], requires_grad=True)
loss = x.max(1).values.prod() + x.topk(2, 1).values.sum() + x.max()
loss""",
    "norm std logsumexp": """x = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)
loss = x.norm() + x.std() + x.logsumexp(1).sum() + x.var(0).sum()
loss""",
    "pad interpolate": """x = torch.arange(4.).reshape(1, 1, 2, 2).requires_grad_(); y = F.pad(x, (1, 1, 0, 1))
z = F.interpolate(x, scale_factor=2); loss = y.pow(2).sum() + z.exp().mean()
loss""",
    "bmm outer": """a = torch.arange(12.).reshape(2, 2, 3).requires_grad_()
b = torch.ones(2, 3, 1, requires_grad=True); u = torch.tensor([1., 2.], requires_grad=True)
loss = (torch.bmm(a, b).squeeze(-1) @ torch.outer(u, u)).sum() + u.prod()
loss""",
    "float64 mixed": """x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
w = torch.tensor([1., 3.], requires_grad=True); i = torch.tensor([2, 3])
loss = (x * w * i).sum()
loss""",
    "inf nan": """x = torch.tensor([0., 1., -1.], requires_grad=True); loss = (x.log() * x.sqrt() + 1 / x).sum()
loss""",
    "negative zero": """x = torch.tensor([-0., 0., 2.], requires_grad=True); y = x * -1
loss = (y.abs() + y.sign() * x).sum()
loss""",
    "retain and hooks": """x = torch.tensor([1., 2.], requires_grad=True); y = x * 3; y.retain_grad(); z = y.exp()
z.retain_grad()
y.register_hook(lambda g: g / 2); x.register_hook(lambda g: g + 1); y.register_hook(lambda g: None)
loss = (z + y).sum()
loss""",
    "leaf chain writes": """w = torch.tensor([1., 2.], requires_grad=True); a = w * 1; a += w; a.mul_(2); b = a[0]
a[1] = b * 3; loss = (a ** 2).sum()
loss""",
    "several outputs": """x = torch.arange(6.).reshape(2, 3).requires_grad_(); a, b, c = x.unbind(1)
p, q = x.split([1, 2], 1); s, i = x.sort(1, descending=True)
loss = (a * c).sum() + q.pow(2).sum() + s[:, 0].sum()
loss""",
    "roll flip repeat": """x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.roll(1) * x.flip(0) + x.repeat(2)[:3] + x.expand(2, 3).sum(0) + x.repeat_interleave(2)[1:4]
loss = y.sum()
loss""",
    "index put scatter": """x = torch.zeros(4, requires_grad=True); v = torch.tensor([1., 2.], requires_grad=True)
y = x.scatter(0, torch.tensor([1, 3]), v); z = x.index_add(0, torch.tensor([0, 0]), v)
u = x * 1; u[torch.tensor([2, 1])] = v; loss = (y * 2 + z * 3 + u ** 2).sum()
loss""",
    "maximum tie": """a = torch.tensor([1., 2., 3.], requires_grad=True)
b = torch.tensor([1., 5., 2.], requires_grad=True)
loss = (torch.maximum(a, b) * torch.minimum(a, b)).sum() + a.amax() + b.min()
loss""",
    "lerp addcmul": """a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True); w = torch.tensor([.5, .25], requires_grad=True)
loss = (torch.lerp(a, b, w) + torch.addcmul(a, b, w, value=2) + torch.addcdiv(a, b, w) + torch.lerp(a, b, 0.3)).sum()
loss""",
    "mse l1 kl nll": """x = torch.tensor([[.2, .3, .5], [.1, .8, .1]], requires_grad=True)
t = torch.tensor([[.3, .3, .4], [.2, .5, .3]]); i = torch.tensor([2, 0])
a = F.mse_loss(x, t) + F.l1_loss(x, t) + F.kl_div(x.log(), t, reduction='batchmean') + F.nll_loss(x.log(), i)
loss = a + F.cross_entropy(x, t) + F.cross_entropy(x, i, label_smoothing=0.1)
loss""",
    "divergences": """x = torch.tensor([[.2, .3, .5], [.1, .8, .1]], requires_grad=True)
t = (x * 2).softmax(-1); a = F.kl_div(x.log(), t.log(), log_target=True, reduction="sum")
loss = a + F.kl_div(x.log(), t, reduction="sum") + F.poisson_nll_loss(x, t) + F.poisson_nll_loss(x, t, log_input=False)
loss""",
    "complex views": """x = torch.arange(12.).reshape(3, 4).requires_grad_()
y = x.t().reshape(2, 6)[:, ::2].permute(1, 0).unsqueeze(0).expand(2, 3, 2).flatten(1)
loss = (y * y).sum(0).narrow(0, 1, 3).diff().sum() + x.diagonal().sum() + x.tril().sum() + x.unfold(1, 2, 1).sum()
loss""",
}


def of(name: str, library: Any, preview: bool = True) -> tuple[Graph, tuple[Frame, ...]]:
    everything = networks.LINES | networks.OTHERS | networks.CODE | MORE
    roots, names = networks.execute(everything[name], f"<{name}>", library)
    seed = library.ones_like(roots[0]) if roots[0].dim() else None
    return record(roots[0], seed, preview, names=names)


def told(graph: Graph, frames: tuple[Frame, ...]) -> list[Any]:
    """What torch can tell of a run: not the notes, not the order of equal leaves."""
    leaves = {n.id: graph.tensor(n.leaf).name for n in graph.nodes if n.leaf}
    lines: list[Any] = [(n.name, *sorted((s.field, s.text) for s in n.saved)) for n in graph.ops]
    waiting: list[Any] = []
    for f in frames:
        sent = [(s.slot, leaves.get(s.to, s.to), s.text, s.total, s.arrived, s.sum) for s in f.sent]
        after = f.kind != "error" and f.after
        line = (f.kind, leaves.get(f.node, f.node), f.slot, f.name, f.before, after, f.sum, sent)
        if f.node in leaves:
            waiting.append(line)
        else:
            lines += [*sorted(waiting, key=str), line]
            waiting = []
    return lines + sorted(waiting, key=str)


def alike(a: Any, b: Any) -> bool:
    """Equal texts; numbers to what their last digits may differ by in two libraries."""
    one, two = str(a), str(b)
    if NUMBER.sub("#", one) != NUMBER.sub("#", two):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(two), strict=True)
    values = [[float(t.replace("−", "-").rstrip(".") or 0) for t in pair] for pair in pairs]
    return all(abs(x - y) <= 1e-2 * max(abs(x), abs(y), 1e-6) for x, y in values)


@pytest.mark.parametrize("name", [
    name for name in networks.LINES | networks.OTHERS | networks.CODE | MORE if name not in SLOW | set(NOT_EQUAL)])
def test_what_torch_can_tell_is_what_minigrad_tells(name):
    try:
        ours = of(name, mg)
    except RuntimeError as refused:
        with pytest.raises(RuntimeError, match=re.escape(str(refused))):
            of(name, torch)
        return

    for mine, its in zip(told(*ours), told(*of(name, torch)), strict=True):
        assert alike(mine, its), (mine, its)


def of_random_program(seed: int, library: Any) -> tuple[Graph, tuple[Frame, ...]] | None:
    """The last results of a random program, summed; whatever fails in it fails."""
    names: dict[str, Any] = {"torch": library}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in statements(program(seed, 4)):
            with contextlib.suppress(Exception):
                exec(statement, names)
        library.set_default_dtype(library.float32)
        tensors = {k: t for k, t in names.items() if hasattr(type(t), "grad_fn") and not t.is_inference()}
        some = [t for t in list(tensors.values())[-4:] if t.requires_grad]
        try:
            total = sum(t.double().sum() for t in some)
            return record(total, names=tensors) if some and total.grad_fn is not None else None
        except RuntimeError:  # a view that may no longer be looked at
            return None


@pytest.mark.parametrize("seed", range(40))
def test_of_random_programs_what_every_node_got_and_sent_is_the_same(seed):
    runs = [of_random_program(seed, library) for library in (mg, torch)]
    lines = [[line for line in told(*run) if line[0] in ("compute", "send", "accumulate")] for run in runs if run]

    assert len(lines) in (0, 2)
    for mine, its in zip(*lines, strict=True) if lines else ():
        assert alike(mine, its), (mine, its)


def test_the_order_of_the_nodes_is_torch_s(monkeypatch):
    monkeypatch.setattr(TorchRecorder, "derived", lambda *_: None)  # rules take most of the time, and have no part
    for name in NOT_EQUAL:
        graph, frames = of(name, torch)
        ran = [f.node for f in frames if f.label.isdigit() and f.node and graph.node(f.node).kind == "op"]
        assert ran == [n.id for n in graph.nodes if n.kind == "op"]


def reference() -> dict[str, Any]:
    x = torch.tensor([1.0, -2.0])
    w = torch.tensor([0.5, 0.25], requires_grad=True)
    b = torch.tensor(0.1, requires_grad=True)
    p = x * w
    z = p + b
    z.retain_grad()
    z.register_hook(lambda g: g.clamp(max=0.78))
    loss = torch.tanh(z).sum()
    return {"x": x, "w": w, "b": b, "p": p, "z": z, "loss": loss}


def test_a_preview_changes_nothing_of_torch_s():
    names = reference() | {"ours": mg.ones(2)}  # a tensor of the other library beside it
    w, z, b = names["w"], names["z"], names["b"]
    w.grad = kept = torch.ones(2)
    fired: list[Any] = []
    w.register_post_accumulate_grad_hook(fired.append)
    hidden = (z * 1).exp()
    hidden.retain_grad()
    hidden.register_hook(lambda g: g * torch.rand(2).sign())
    hooks, state = dict(z._backward_hooks), torch.get_rng_state()

    frames = record(names["loss"] + hidden.sum(), names=names)[1]

    assert w.grad is kept
    assert (kept.tolist(), kept._version) == ([1, 1], 0)
    assert (b.grad, z.grad, hidden.grad, fired) == (None, None, None, [])
    assert dict(z._backward_hooks) == hooks
    assert torch.equal(torch.get_rng_state(), state)
    assert [f.ran for f in frames if f.name == "append"] == [False]
    names["loss"].backward()  # nothing was freed
    assert fired == [w]
    assert len(frames[-1].after) > 4


def test_a_step_is_torch_s_own_backward():
    names = reference()
    again = reference()
    again["loss"].backward()
    player = step(names["loss"], names=names)

    assert names["w"].grad.tolist() == again["w"].grad.tolist()
    assert names["z"].grad.tolist() == again["z"].grad.tolist()
    assert "1.49" in player.to_text()
    assert "second time" in step(names["loss"], names=names).to_text()


def test_what_a_hidden_hook_changes_is_seen_and_is_no_derivative():
    names = reference()
    p = names["p"]
    p.register_hook(lambda grad: grad * 3)
    gone = {name: t for name, t in names.items() if name not in ("p", "z")}
    names = {"loss": (p + names["b"]).sum()} | {name: gone[name] for name in "wxb"}
    del p  # and with it who could say so
    player = step(names["loss"], names=names, preview=True)
    events = [e for s in player.steps for e in s["events"]]
    (seen,) = (e["say"] for e in events if "does not show" in e["say"]["en"])

    assert "[1, 1] ▷ [3, 3]" in seen["en"]
    assert "没有显示" in seen["zh"]
    assert "∂loss/∂w" not in str(player.steps)
    rows = [row for one in player.steps for row in one["rows"]]
    (rule,) = (row for row in rows if row.get("text", "").startswith(r"\text{gradient of w}"))
    assert "after ?" in rule["text"]
    assert rule["math"]["zh"].count("之后的") == 1


HOOKED = """
def double(sent, came): return tuple(None if g is None else g * 2 for g in sent)
def clip(came): return tuple(g.clamp(max=3) for g in came)
def look(*grads): pass
x = torch.tensor([1., 2.], requires_grad=True); w = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x * w; y.retain_grad(); a, b = y.unbind(0)
y.register_hook(lambda g: g + 1)
y.grad_fn.register_prehook(clip); y.grad_fn.register_prehook(look)
y.grad_fn.register_hook(double); y.grad_fn.register_hook(look)
a.grad_fn.register_prehook(look); a.grad_fn.register_hook(double)
leaf = y.grad_fn.next_functions[0][0]
leaf.register_prehook(clip); leaf.register_hook(look)
x.register_hook(lambda g: g - 1); x.register_post_accumulate_grad_hook(look)
loss = (a * a + b).sum()
"""


@pytest.mark.parametrize("preview", [True, False])
def test_hooks_of_nodes_are_told_by_name_as_minigrad_tells_them(preview):
    runs, pictures = [], []
    for library in (mg, torch):
        names: dict[str, Any] = {"torch": library}
        exec(HOOKED, names)
        tensors = {name: t for name, t in names.items() if hasattr(t, "grad_fn")}
        graph, frames = record(names["loss"], preview=preview, names=tensors)
        rules = [r.tex for f in frames for r in f.rules]
        runs.append((told(graph, frames), [(h.kind, h.label) for h in graph.hooks], rules, names["x"].grad))
        pictures.append([(f.kind, f.name) for f in frames if f.kind in ("capture", "hook")])

    assert runs[0][:3] == runs[1][:3]
    assert pictures[0] == pictures[1]
    assert ("hook", "double") in pictures[1]
    assert [f.before for f in frames if f.kind == "hook" and f.name == "look"][-1] == "()"  # a leaf sends nothing
    assert (runs[1][3] is None) == preview


def test_hooks_of_nodes_are_the_learner_s_again_after_a_step_and_a_picture():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    seen: list[Any] = []
    handle = y.grad_fn.register_hook(lambda sent, came: seen.append(len(sent)))
    y.grad_fn.register_prehook(lambda came: (came[0] * 5,))
    loss = y.sum()
    drawing, frames = mg.draw(loss, view="backward", names={"x": x, "y": y}), record(loss)[1]
    seen.clear()
    loss.backward(retain_graph=True)

    assert [h.kind for h in drawing.graph.hooks] == ["pre", "post"]
    assert "∂loss/∂x" not in str(frames)
    assert (seen, x.grad.tolist()) == ([2], [10, 20])
    handle.remove()
    loss.backward()
    assert seen == [2]


def test_a_picture_leaves_nothing_at_torch_s_nodes():
    y = torch.tensor([1.0, 2.0], requires_grad=True) * 2
    mg.draw(y)

    assert hooks_of(y.grad_fn) == (None, None)


def test_two_threads_that_draw_at_once_leave_nothing_at_torch_s_nodes_either():
    tensors = [torch.tensor([1.0, 2.0], requires_grad=True) * 2 for _ in "ab"]
    other = threading.Thread(target=hooks_of, args=(tensors[1].grad_fn,))

    class Slow:
        """A node at which the other thread gets its turn in the middle."""

        def register_prehook(self, hook):
            if other.ident is None:
                other.start()
                other.join(0.02)  # it waits for us, or has run
            return tensors[0].grad_fn.register_prehook(hook)

        register_hook = register_prehook

    assert hooks_of(Slow()) == (None, None)
    other.join()
    for y in tensors:
        y.sum().backward()
    assert "_register_hook" not in vars(torch.autograd.Function)


def gates(library: Any, data: bool) -> list[Any]:
    """The hooks beside modules, and what each made of a gradient."""
    x = library.tensor([[1.0, 2.0]], requires_grad=data)
    net = library.nn.Sequential(library.nn.Linear(2, 2), library.nn.Tanh())
    with library.no_grad():
        net[0].weight.copy_(library.eye(2))
        net[0].bias.zero_()

    def before(module: Any, came: Any) -> Any:
        return tuple(g * 3 for g in came)

    def behind(module: Any, sent: Any, came: Any) -> None: ...
    net[0].register_full_backward_pre_hook(before)
    net[0].register_full_backward_hook(behind)
    net[1].register_full_backward_hook(behind)
    graph, frames = record(net(x).sum(), names={"x": x})
    return [[h.label for h in graph.hooks], [(f.name, f.before, f.after) for f in frames if f.kind == "hook"]]


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("data", [True, False])
def test_hooks_of_modules_are_called_by_the_learner_s_names(data):
    ours, theirs = gates(mg, data), gates(torch, data)

    assert ours == theirs
    assert ours[0] == ["BackwardHook", "behind", *(["before", "behind"] if data else ["before, behind"])]


COMMON = {
    "joined": """a = torch.tensor([1., 2.], requires_grad=True); b = torch.tensor([3.], requires_grad=True)
c = torch.cat([a * 2, torch.ones(2), torch.zeros(1), b]); d = torch.stack([c, c * 2], -1)
u, v = d.unbind(1); p, q = d.chunk(2); s, t = d.split([2, 4])
loss = (u * 3).sum() + q.exp().sum() + s.chunk(1)[0].sum() + torch.stack([b, b * 2])[1].sum()""",
    "normed": """x = torch.tensor([[1., 2., 4., 3.], [1e3, 1e3, 1e3, 1e3]], requires_grad=True)
k = torch.arange(8.).reshape(2, 4)
w = torch.tensor([1., 2., 1., 3.], requires_grad=True); b = torch.zeros(4, requires_grad=True)
g = F.group_norm(x, 2, w, b); loss = (F.layer_norm(x, (4,), w, b, 0.1) * k).sum() + (g * k).pow(2).sum()""",
    "dims": """x = torch.arange(6.).reshape(2, 3).requires_grad_(); v = torch.ones(2, requires_grad=True)
y = (v * 1).unsqueeze_(0).t_().squeeze(1)
loss = x.sum(-1).prod() + x.exp().sum((-1, -2)) + x.mean((-1,)).prod() + (y @ x).prod()""",
    "put": """x = torch.arange(6.).reshape(3, 2).requires_grad_(); v = torch.tensor([5., 7.], requires_grad=True)
y = x * 2; y[torch.tensor([0, 2])] = v; z = y * y; z[y > 6] = 0.; loss = z.sum() + torch.var_mean(x, 1)[0].sum()""",
    "written": """x = torch.arange(6.).reshape(3, 2).requires_grad_(); v = torch.tensor([5., 7.], requires_grad=True)
y = x * 2; y[1] = v; y.t()[0] = v[0] * x[:, 1]; loss = (y * y * x).sum()""",
    "stretched": """x = torch.arange(4.).reshape(2, 2).requires_grad_(); v = torch.tensor([5., 7.], requires_grad=True)
k = torch.tensor([[3.]], requires_grad=True); loss = (x * v).sum() + (v * k).sum() + (x / k).exp().mean()
loss = loss + (torch.add(v, k, alpha=3) * torch.sub(v, k, alpha=2) * 0).sum()""",
}


@pytest.mark.parametrize("name", COMMON)
def test_a_node_that_hides_something_has_the_rule_that_minigrad_shows(name):
    rules = []
    for library in (mg, torch):
        names: dict[str, Any] = {"torch": library, "F": library.nn.functional}
        exec(COMMON[name], names)
        tensors = {k: t for k, t in names.items() if hasattr(t, "grad_fn")}
        graph, frames = record(names["loss"], names=tensors)
        rests = name == "normed"  # of four equal numbers each library has its own
        rules.append([(graph.node(f.node).name, r.slot, r.tex, rests or r.filled_in) for f in frames for r in f.rules])
        assert "gradient of" not in str(frames)
        rules[-1] += [(f.node, f.slot, f.before) for f in frames if f.kind == "unbroadcast"]

    assert rules[0] == rules[1]


@pytest.mark.parametrize(("made", "slots"), [
    ("x.softmax(-1)", [0, 1]), ("x.log_softmax(-1)", [0, 1]), ("F.elu(x)", [0, 1]), ("F.leaky_relu(x, 0.1)", [0, 1]),
    ("F.layer_norm(x, (2,), x[0].detach())", [0]), ("F.elu(x * 1, inplace=True)", []), ("x.relu()", [0, 1])])
def test_a_second_derivative_that_torch_writes_by_hand_has_a_rule_where_it_holds(made, slots):
    x = torch.tensor([[0.1, -0.5], [1.0, -1.0]], requires_grad=True)
    y = eval(made, {"F": torch.nn.functional, "x": x})
    graph, frames = record(torch.autograd.grad(y.square().sum(), x, create_graph=True)[0].sum())
    told = [r for f in frames for r in f.rules if re.search("Backward(Data)?Backward0", graph.node(f.node).name)]

    assert [r.slot for r in told] == slots
    for one in (r for r in told if parts(r)[0]):
        assert agree(read(parts(one)[0], (2, 2)), one.result), one


def test_what_a_node_of_torch_sends_is_the_derivative_without_a_rule_of_ours_unless_a_hook_stands_behind_it():
    once: list[Any] = []

    def leaves(sent: Any, came: Any) -> Any:
        once.pop().remove()
        return tuple(2 * g for g in sent)

    for hook, derivative in ((None, True), (lambda sent, came: tuple(2 * g for g in sent), False), (leaves, False)):
        q = torch.arange(8.0).reshape(1, 4, 2, 1).requires_grad_()
        out = torch.pixel_shuffle(q, 2)
        if hook is not None:
            once.append(out.grad_fn.register_hook(hook))
        frames = record(loss := out.sum(), names={"q": q, "out": out, "loss": loss})[1]
        assert ("gradient of q" in str(frames), "∂loss/∂q" in str(frames)) == (not derivative, derivative)


def rules_of(made: Any, **names: Any) -> dict[str, list[int]]:
    """The slots that have a rule, by node, in the backward of `made`."""
    graph, frames = record(made, names=names)
    return {graph.node(f.node).name: [r.slot for r in f.rules] for f in frames if f.kind == "compute"}


@pytest.mark.parametrize(("line", "node", "slots"), [
    ("F.conv_transpose2d(x, w, b, 2, 1, 1, groups=2)", "ConvolutionBackward0", [0, 1, 2]),
    ("F.adaptive_avg_pool2d(x, (2, 3))", "AdaptiveAvgPool2DBackward0", [0]),
    ("torch.sparse.mm(w[:, 0, 0].to_sparse(), x[0, 0])", "SparseAddmmBackward0", [1, 2]),
    ("x.softmax(-1).sum(-1)", "SoftmaxBackward0", [0]),  # of which nothing is left but rounding
    ("F.batch_norm(F.conv2d(x, w[:2].repeat(1, 4, 1, 1), b, padding=1), None, None, training=True)",
     "ConvolutionBackward0", [0, 1, 2]),
    ("torch.autograd.grad(F.mse_loss(x, x.detach() * 2) ** 2, x, create_graph=True)[0]", "MseLossBackwardBackward0",
     [0, 1]),
    ("torch.complex(x, x) * 2", "MulBackward0", [0]), ("torch.complex(x, x) * torch.complex(x, x)", "MulBackward0", []),
])
def test_what_torch_alone_makes_has_a_rule_if_that_gives_what_torch_gave(line, node, slots):
    x, w, b = (torch.randn(*shape, generator=torch.Generator().manual_seed(0), requires_grad=True)
               for shape in ((2, 4, 3, 3), (4, 1, 3, 3), (2,)))
    y = eval(line, {"torch": torch, "F": torch.nn.functional, "x": x, "w": w, "b": b})
    y = torch.view_as_real(y) if y.is_complex() else y
    assert rules_of(y.sin().sum(), x=x, w=w, b=b)[node] == slots


@pytest.mark.parametrize("line", ["y[:1].relu_()", "y[0].mul_(v)", "y[0] = v.sum()", "y.t()[:] = 2."])
def test_a_write_of_which_the_numbers_do_not_tell_everything_has_no_rule(line):
    x, v = torch.tensor([[-1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.tensor([0.0, 2.0], requires_grad=True)
    y = x * 2
    exec(line, {"y": y, "v": v})
    assert rules_of((y * y.detach()).sum(), x=x)["CopySlices"] == []


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.5}, {"attn_mask": torch.eye(3)},
                                     {"attn_mask": torch.ones(3, 3, dtype=torch.bool).tril()}])
def test_fused_attention_has_the_rules_of_what_was_fused(options):
    q, k, v, c = (torch.randn(1, 2, 3, 4, generator=torch.Generator().manual_seed(i)) for i in range(4))
    names = {"q": q.requires_grad_(), "k": k.requires_grad_(), "v": v.requires_grad_()}
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, **options)
    graph, frames = record((out * c).sum(), names={**names, "out": out, "c": c})
    fused = next(n for n in graph.ops if "Attention" in n.name)
    rules = [r.tex for f in frames for r in f.rules if f.node == fused.id]

    assert [tex[:20] for tex in rules] == [rf"\text{{∂sum(·)/∂{name}}} = "[:20] for name in "qkv"]
    assert all((r"\mathrm{tril}" in tex) == ("is_causal" in options) for tex in rules)
    assert all((r"\sqrt" in tex) == ("scale" not in options) for tex in rules)
    assert all(("attn_mask" in tex) == ("attn_mask" in options) for tex in rules)
    assert fused.formula == ""  # there is no function of that name to call


def test_a_normed_weight_has_its_rules_and_direction_takes_no_gradient_along_itself():
    layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    player = step(layer(torch.ones(4, 3)).pow(2).sum(), names={"layer": layer}, preview=True)
    normed = next(n.id for n in player.graph.ops if "WeightNorm" in n.name)
    rules = [r.tex for f in player.frames for r in f.rules if f.node == normed]

    assert len(rules) == 2
    assert r"\sum_{\mathrm{copies}}" in rules[1]


def test_zeros_that_torch_does_not_write_down_are_zeros():
    x = torch.tensor([2.0, -1.0], requires_grad=True)
    (g,) = torch.autograd.grad(x.abs().pow(2).sum(), x, create_graph=True)
    frames = record(g.sum(), names={"x": x, "g": g})[1]

    assert (frames[-1].kind, frames[-1].after) == ("accumulate", "[2, 2]")  # through sgn, whose gradient is one


def test_numbers_with_few_digits_keep_their_rule():
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0)).bfloat16().requires_grad_()
    loss = torch.nn.functional.cross_entropy(x, torch.tensor([2, 0, 1]))
    frames = record(loss, names={"x": x, "loss": loss})[1]

    assert len([r for f in frames for r in f.rules]) == 2


@pytest.mark.parametrize("library", [mg, torch])
def test_a_write_into_a_part_has_no_formula_that_nobody_could_run(library):
    x = library.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y[0].exp_()

    written = mg.draw(y, names={"x": x, "y": y}).graph.nodes[0]
    assert (written.name, written.formula) == ("CopySlices", "")


def test_an_error_in_a_hook_is_the_last_frame_and_the_hooks_are_gone():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: 1 / 0)
    loss = y.sum()

    assert record(loss)[1][-1].name == "ZeroDivisionError"
    with pytest.raises(ZeroDivisionError):  # the learner's own is back
        loss.backward()


def test_a_tensor_without_numbers_is_refused_with_what_to_do_and_parts_of_unlike_lengths_are_told():
    with pytest.raises(ValueError, match="`draw\\(loss\\)` shows its graph"):
        step(torch.nn.Linear(3, 2, device="meta")(torch.ones(4, 3, device="meta")).sum())
    w = torch.eye(2, requires_grad=True)
    parts = torch.nested.nested_tensor([torch.ones(1, 2), torch.ones(2, 2)], layout=torch.jagged) @ w
    assert record(parts.values().sum(), names={"w": w})[1][-1].after == "[[3, 3], [3, 3]]"


def test_functions_and_types_that_our_table_does_not_have():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            return 3 * ctx.saved_tensors[0] ** 2 * grad

    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    s = torch.nn.functional.scaled_dot_product_attention(*[Cube.apply(x).view(1, 1, 1, 2)] * 3)
    graph, frames = record(s.sum().float(), names={"x": x})

    assert frames[-1].kind == "accumulate"
    assert frames[-1].after == "[3, 12]"
    assert any(n.name == "CubeBackward" for n in graph.nodes)
    put_in = [rule.filled_in for frame in frames for rule in frame.rules]
    assert not any(r"\sqrt{\mathrm{[" in text for text in put_in)  # the values of a query are no sizes


def test_kinds_of_tensors_that_minigrad_does_not_have():
    z = torch.tensor([1 + 2j, 3j], requires_grad=True)
    rows = torch.nn.Embedding(4, 2, sparse=True)
    rows.weight.data.fill_(1)
    parts = rows(torch.tensor([1, 1])).sum()
    short = torch.tensor([0.5, 2.0], dtype=torch.float8_e4m3fn, requires_grad=True)
    for loss, text in (((z * z.conj()).real.sum(), "[2+4j, 0+6j]"), (parts, "[[0, 0, … ×8]]"),
                       (short.float().sum(), "[1, 1]")):
        last = record(loss)[1][-1]
        assert (last.kind, last.after) == ("accumulate", text)


def test_a_checkpoint_runs_again_within():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = torch.utils.checkpoint.checkpoint(lambda t: (t * t).sum(), a, use_reentrant=False)

    assert record(loss)[1][-1].after == "[2, 4]"
    assert a.grad is None


def test_a_backward_within_a_backward_leaves_no_trace_and_has_a_picture():
    inside, a = torch.nn.Linear(2, 2), torch.tensor([1.0, 2.0], requires_grad=True)
    fired: list[Any] = []
    inside.bias.register_post_accumulate_grad_hook(fired.append)
    loss = torch.utils.checkpoint.checkpoint(inside, a * 1, use_reentrant=True).sum()

    assert record(loss)[1][-1].kind == "accumulate"
    assert "NaN" not in mg.draw(loss, view="backward").to_svg()
    assert flows(mg.graph.read_torch(loss), loss).error is None
    assert (a.grad, inside.weight.grad, inside.bias.grad, fired) == (None, None, None, [])


def test_flows_are_told_of_sparse_gradients_of_hooks_of_several_tensors_and_of_a_leaf():
    rows, w = torch.nn.Embedding(4, 2, sparse=True), torch.tensor([3.0, 4.0], requires_grad=True)
    rows.weight.data.fill_(1)
    y = w * 2
    heard: list[Any] = []
    torch.autograd.graph.register_multi_grad_hook([w, y], heard.append)
    lone = torch.tensor(3.0, requires_grad=True)
    for loss, text in (((rows(torch.tensor([1, 3]))).sum(), "‖g‖ 2"), (y.sum(), "[2, 2]"), (lone, "1")):
        found = flows(mg.graph.read_torch(loss), loss)
        assert found.error is None
        assert next(found.texts[f"sent:{n.id}"] for n in found.graph.nodes if n.leaf) == text
    assert (w.grad, lone.grad, rows.weight.grad) == (None, None, None)


def test_a_node_with_more_outputs_than_our_row_has_a_rule_only_where_they_got_nothing():
    a = torch.tensor([[2.0, 1.0], [1.0, 3.0], [1.0, 1.0]], requires_grad=True)
    found = torch.linalg.lstsq(a, torch.ones(3, 1))
    for loss, rules in ((found.solution.sum(), 1), (found.solution.sum() + found.residuals.sum(), 0)):
        graph, frames = record(loss)
        (made,) = (f.rules for f in frames if f.kind == "compute" and "Lstsq" in graph.node(f.node).name)
        assert (frames[-1].kind, len(made)) == ("accumulate", rules)


def test_infinities_that_cancel_warn_nobody(recwarn):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    frames = record(((w - w).sqrt()).sum())[1]

    assert frames[-1].after == "[NaN, NaN]"
    assert not recwarn.list


def test_what_torch_hides_is_said_and_live_is_refused():
    names = reference()
    player = step(names["loss"], names=names, preview=True)

    assert "torch itself runs" in player.scene["before"]["en"]
    assert "torch 自己执行" in player.scene["before"]["zh"]
    with pytest.raises(ValueError, match="Leave live out"):
        step(names["loss"], live=True)
    with pytest.raises(TypeError, match="not iterable"):  # as torch says it
        step(names["loss"], 3)


@pytest.mark.filterwarnings("ignore:TF32")
def test_of_a_layer_in_one_node_it_is_said_how_to_see_its_operations():
    lstm = torch.nn.LSTM(2, 2)
    with torch.backends.mkldnn.flags(enabled=False):
        whole = step(lstm(torch.ones(1, 1, 2))[0].sum(), preview=True)
    fused = step(lstm(torch.ones(1, 1, 2))[0].sum(), preview=True)

    assert "flags(" not in str(whole.scene["before"])
    assert all(f.rules for f in whole.frames if f.kind == "compute")
    assert ("flags(" in fused.scene["before"]["zh"]) == any("Rnn" in n.name for n in fused.graph.nodes)


LINES = """
w = torch.tensor([[0.5, 0.25], [0.125, -1.0]], requires_grad=True)
x = torch.tensor([[1.0, 2.0]])
h = torch.tanh(x @ w + 1)
loss = (h * h).sum() + torch.nn.functional.mse_loss(h, x)
"""


def lines_of(library: Any, around: Any) -> Any:
    """The same cell, run by either library; a notebook's cell keeps its source."""
    place = "/tmp/ipykernel_1/lines.py"
    linecache.cache[place] = (len(LINES), None, LINES.splitlines(True), place)
    names = {"torch": library}
    with around:
        exec(compile(LINES, place, "exec"), names)
    tensors = {name: value for name, value in names.items() if hasattr(value, "grad_fn")}
    return step(names["loss"], names=tensors, preview=True, forward=True)


def test_under_scopes_torch_s_nodes_have_the_learner_s_lines_and_expressions():
    ours, theirs, bare = (lines_of(*how) for how in (
        (mg, contextlib.nullcontext()), (torch, mg.graph.scopes()), (torch, contextlib.nullcontext())))

    nodes = [p.scene["nodes"].values() for p in (ours, theirs)]
    known = [{n["title"]: (n["at"], n["words"] and n["words"]["en"]) for n in several} for several in nodes]
    assert known[0] == known[1]
    assert "`x @ w` in line 4" in str(known)
    assert ours.scene["sources"] == theirs.scene["sources"] != []
    assert [r.tex for f in ours.frames for r in f.rules] == [r.tex for f in theirs.frames for r in f.rules]
    assert [(e["id"], e["at"]) for e in ours.scene["forward"]] == [(e["id"], e["at"]) for e in theirs.scene["forward"]]
    assert bare.scene["sources"] == []
    assert ["graph.scopes" in p.scene["before"]["en"] for p in (ours, theirs, bare)] == [False, False, True]


def test_a_page_of_it_is_one_file(tmp_path: Path):
    names = reference()
    path = mg.save_page(step(names["loss"], names=names), tmp_path / "loss.html")

    assert path.read_text("utf-8").count("</script>") == 1
    with pytest.raises(TypeError, match="not a Tensor"):
        mg.save_page(names["loss"], path)


def test_what_the_other_library_made_in_the_same_notebook_is_no_part_of_it():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    theirs, data = torch.tensor([3.0, 4.0], requires_grad=True), torch.ones(2)
    ours, loss = (x * x).sum(), (theirs * data).sum()
    names = {"x": x, "theirs": theirs, "data": data, "ours": ours, "loss": loss}

    assert "x.grad: None -> [2, 4]" in step(ours, names=names, preview=True, forward=True).to_text()
    assert "theirs.grad: None -> [1, 1]" in step(loss, names=names, preview=True, forward=True).to_text()


def test_torch_is_imported_by_nobody_but_the_learner():
    code = ("import sys, minigrad as mg; x = mg.ones(2, requires_grad=True); mg.step((x * x).sum()); "
            "print('torch' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(("part", "after"), [("begin", 3), ("compute", 1), ("rules", 1), ("close", 2), ("wrap", 0),
                                             ("hook", 0), ("fill", 1), ("filled", 1), ("send", 0)])
def test_a_fault_of_ours_never_stops_torch_s_backward_and_is_told(monkeypatch, part, after):
    whole, names, told_before = reference(), reference(), getattr(TorchRecorder, part)
    whole["loss"].backward()
    turns = iter(range(after))

    def fails(self: TorchRecorder, *args: Any, **facts: Any) -> Any:
        return told_before(self, *args, **facts) if next(turns, None) is not None or self.lost else 1 / 0

    monkeypatch.setattr(TorchRecorder, part, fails)
    player = step(names["loss"], names=names)

    assert [names[name].grad.tolist() for name in "wbz"] == [whole[name].grad.tolist() for name in "wbz"]
    assert (player.frames[-1].kind, player.frames[-1].name) == ("lost", "ZeroDivisionError")
    said = player.steps[-1]["events"][-1]["say"]
    assert "a fault of minigrad" in said["en"]
    assert "minigrad 的错" in said["zh"]
    ran = [one["id"] for one in player.steps]
    assert len(ran) == len({*ran}) < len(player.graph.nodes) + 1
    assert player.scene["faulty"]  # nobody can drive to what was not told


def test_an_error_of_the_learner_s_behind_a_fault_of_ours_leaves_one_frame(monkeypatch):
    names = reference()
    names["w"].register_hook(lambda g: g.nothing)
    monkeypatch.setattr(TorchRecorder, "compute", lambda self, *args: 1 / 0)
    player = step(names["loss"], names=names)

    assert [f.kind for f in player.frames if f.kind in ("error", "lost")] == ["lost"]


def test_an_error_in_a_hook_that_torch_hides_is_no_second_turn_of_the_node_before():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: 1 / 0)
    player = step((y * y).sum(), names={"x": x, "y": y})

    assert [one["id"] for one in player.steps] == ["n1", "n2", "n3"]
    assert player.frames[-1].name == "ZeroDivisionError"


def test_of_a_backward_inside_of_this_one_only_what_it_puts_into_drawers_is_told():
    w, x = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)
    h = w @ (x * 2)
    loss = (torch.utils.checkpoint.checkpoint(lambda t: torch.sin(w @ t), h, use_reentrant=True) * h).sum()
    player = step(loss, names={"w": w, "x": x, "h": h, "loss": loss})
    ran = [one["id"] for one in player.steps]
    (inner,), filled = ([f for f in player.frames if f.kind == kind] for kind in ("inner", "accumulate"))

    assert sorted(ran) == sorted(n.id for n in player.graph.nodes)
    assert not [f for f in player.frames if f.kind == "hook"]
    assert "Checkpoint" in player.graph.node(inner.node).name
    assert player.scene["nodes"][filled[0].node]["leaf"] == inner.part
    assert filled[0].before == inner.after
    assert filled[0].after == preview(w.grad)
    assert "another backward" in str(player.steps)


@pytest.mark.parametrize("library", [mg, torch])
def test_what_a_hook_of_saved_tensors_gives_back_has_a_name_of_its_own_and_makes_no_derivative(library):
    w = library.tensor([0.3, 0.6, 0.9], requires_grad=True)
    with library.autograd.graph.saved_tensors_hooks(lambda t: (t * 4).round() / 4, lambda t: t):
        y = (w * 1).tanh()
    loss = (y * w).sum()
    frames = record(loss, names={"w": w, "y": y, "loss": loss})[1]
    rules = [r.tex for f in frames for r in f.rules]
    values = {s.value for f in frames for r in f.rules for s in r.symbols if s.en == "y"}

    assert len([tex for tex in rules if r"\text{TanhBackward0._saved_result}" in tex]) == 1
    assert len(values) == 1
    assert not [tex for tex in rules if tex.startswith(r"\text{∂loss/∂w}")]
