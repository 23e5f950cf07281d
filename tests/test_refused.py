"""What an operation would take is tried on what it was given, and the trial leaves nothing behind."""

import linecache

import pytest

import minigrad
from minigrad.graph import findings, refused
from minigrad.graph.cuts import block_around
from minigrad.graph.findings import by_rule
from minigrad.graph.program import Context, source_of
from minigrad.text import get_language, set_language

nn = minigrad.nn


@pytest.fixture(autouse=True)
def in_english(monkeypatch):
    monkeypatch.setattr(findings, "strict", True)
    before = get_language()
    set_language("en")
    yield
    set_language(before)


def explained(text, **names):
    """What is said of the error of a program, and its names."""
    file = f"<refused {hash(text)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    scope = {"torch": minigrad, "nn": nn, "F": nn.functional, **names}
    try:
        exec(compile(text, file, "exec"), scope)
    except Exception as error:
        return minigrad.why(error), scope
    raise AssertionError("it ran")


def test_the_values_are_those_of_the_call_whatever_its_arguments_are():
    loss = "F.cross_entropy(nn.Linear(3, 4)(x), torch.tensor([[0.], [1.]]).sum(1))"
    answer, _ = explained(f"x = torch.ones(2, 3)\n{loss}\n")

    assert answer.edit == (2, loss.replace("sum(1)", "sum(1).long()"))


def test_a_trial_leaves_running_means_random_numbers_and_gradients_as_they_were():
    net = nn.Sequential(nn.BatchNorm2d(3), nn.Dropout(0.5), nn.Conv2d(3, 2, 3))
    before, state = net[0].running_mean.clone(), minigrad.get_rng_state()
    answer, _ = explained("net(torch.ones(2, 8, 8, 3))\n", net=net)

    assert answer.edit == (1, "net(torch.ones(2, 8, 8, 3).permute(0, 3, 1, 2))")
    assert net[0].running_mean.equal(before)
    assert net[0].num_batches_tracked == 1  # by the call that failed
    assert minigrad.get_rng_state().equal(state)
    assert all(p.grad is None for p in net.parameters())


def test_nothing_of_the_learners_runs_again():
    calls = []

    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def forward(self, x):
            calls.append(x)
            return self.layer(x)

    with pytest.raises(RuntimeError) as caught:
        Counting()(minigrad.ones(3, 4).double())

    assert minigrad.why(caught.value).edit[1].strip() == "return self.layer(x.float())"
    assert len(calls) == 1


@pytest.mark.parametrize("line", ["x.add_(y)", "x[0] = y", "x += y", "torch.save(x, y)"])
def test_what_writes_is_not_tried(line):
    x, y = minigrad.ones(2, 3), minigrad.ones(3, 2)
    answer, _ = explained(f"{line}\n", x=x, y=y)

    assert answer.edit is None
    assert x._version == 0
    assert x.equal(minigrad.ones(2, 3))


def test_very_large_operands_are_told_and_not_tried(monkeypatch):
    program = "F.linear(torch.ones(3, 4), torch.ones(4, 5))\n"
    assert explained(program)[0].edit is not None

    monkeypatch.setattr(refused, "LARGEST", 20)
    assert explained(program)[0].edit is None


def test_where_nothing_fits_the_shapes_are_told():
    answer, _ = explained("lstm = nn.LSTM(4, 8, 2)\nh = torch.zeros(1, 3, 8)\nlstm(torch.ones(5, 3, 4), (h, h))\n")

    assert "torch.ones(5, 3, 4): float32[5, 3, 4], h: float32[1, 3, 8]" in str(answer)
    assert answer.edit is None


@pytest.mark.parametrize(("text", "line"), [
    ("with torch.no_grad():\n    y = w * 2\n", 1),
    ("with torch.no_grad():\n    with torch.enable_grad():\n        y = w * 2\n", None),
    ("torch.set_grad_enabled(False)\ny = w * 2\n", 1),
    ("torch.set_grad_enabled(False)\ntorch.set_grad_enabled(True)\ny = w * 2\n", None),
    ("with torch.set_grad_enabled(True):\n    y = w * 2\n", None)])
def test_a_block_is_blamed_where_recording_was_not_switched_on_again(text, line):
    linecache.cache["<block>"] = len(text), None, text.splitlines(True), "<block>"
    source = source_of("<block>")
    found = block_around(source.writes[None, "y"][0].value, Context(source))

    assert (found and found.line[1]) == line


RIGHT = ["""
def step(w, lr):
    w = w - lr * w.grad
    return w
w = step(w, .1).detach().requires_grad_()
""", """
for i in range(3):
    w = w - 0.1 * w.grad
    w = w.detach().requires_grad_()
""", """
for p, q in zip(a.parameters(), b.parameters()):
    q = 0.9 * q + 0.1 * p
    new.append(q)
""", """
loss = F.kl_div(torch.softmax(x, 1).log(), q)
loss = F.kl_div((p.softmax(1) + 1e-9).log(), q)
loss = F.kl_div(p.log_softmax(1), q.softmax(1))
""", """
class Config:
    def __init__(self):
        self.require_grads = True
""", """
lstm = nn.LSTM(5, 8, batch_first=True)
out, _ = lstm(x)
y = out[:, -1]
""", """
rnn = nn.GRU(5, 8)
out, h = rnn(x)
y, z = out[-1], other[:, -1]
""", """
y = x.clone().mul_(2)
nn.init.zeros_(layer.weight)
""", """
pool.submit(
    model.train
)
""", """
best = model.state_dict()
other.load_state_dict(best)
""", """
class Net(nn.Module):
    def forward(self, x):
        if self.training:
            x = F.dropout(x, self.p)
        return F.dropout(x, self.p, self.training)
""", """
b, t = x.shape
y, z, q = x.view(b * t), x.view(t * b, -1), k.view(b, t)
""", """
class Square(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
class Stop(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        return None
""", """
w.data += 0.1 * (target - w.grad)
w.data.add_(-lr * w.grad)
if x.requires_grad == True:
    opt.step()
"""]


@pytest.mark.parametrize("text", RIGHT)
def test_lines_that_look_like_a_slip_are_left_alone(text):
    linecache.cache["<right>"] = len(text), None, text.splitlines(True), "<right>"
    context = Context(source_of("<right>"))

    assert [by_rule(asked, None, context) for asked in ("program:", "habit: eval")] == [None, None]
