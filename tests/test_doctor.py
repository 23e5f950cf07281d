"""`doctor`: what it finds before training, in two languages, and that everything is as it was afterwards."""

import gc
import random
import weakref
from functools import partial

import numpy as np
import pytest

import minigrad as torch
import minigrad.nn.functional as F
from minigrad import nn
from minigrad.core.beside import ledger
from minigrad.graph import findings
from minigrad.graph.checkup import Remark
from minigrad.graph.restoring import Restoring
from minigrad.text import get_language, set_language


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.setattr(findings, "strict", True)
    torch.manual_seed(0)
    before, language = dict(ledger.places), get_language()
    ledger.places.clear()
    yield
    ledger.places.update(before)
    set_language(language)


def keys(checkup):
    return [one.key for one in checkup.remarks]


def remark(checkup, key) -> Remark:
    return next(one for one in checkup.remarks if one.key == key)


class Ill(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.dead = nn.Linear(3, 3)
        self.unused = nn.Linear(2, 2)
        self.out = nn.Linear(3, 1)
        self.more = [nn.Linear(2, 2)]

    def forward(self, x):
        h = torch.relu(self.a(x)).detach()
        return self.out(h + torch.relu(self.dead(h) - 100))


class Low(nn.Module):
    def __init__(self):
        super().__init__()
        self.A, self.B = nn.Parameter(torch.randn(1, 2)), nn.Parameter(torch.zeros(3, 1))

    def forward(self, x):
        return x @ self.A.T @ self.B.T


def data():
    return torch.randn(4, 2), torch.randn(4)


def test_zeros_of_a_parameter_are_not_told_of_the_line_that_calls_its_module():
    model = nn.Sequential(Low(), nn.Tanh())
    loss = model(data()[0]).sum()

    assert remark(torch.doctor(model, loss), "zero").found.line[2] == "return x @ self.A.T @ self.B.T"


def test_a_leaf_without_a_name_is_asked_for_its_hooks():
    line = nn.Linear(1, 1, bias=False)
    loss = (line(torch.ones(2, 1)) * torch.tensor([[1.0], [-1.0]])).sum()

    assert remark(torch.doctor(line, loss), "zero").found is None


def test_a_model_that_is_not_to_be_trained_yet_is_told_where_that_matters():
    x, _ = data()
    plain, dropping = nn.Linear(2, 1).eval(), nn.Sequential(nn.Linear(2, 1), nn.Dropout(0.5)).eval()

    assert "eval" not in keys(torch.doctor(plain, plain(x).sum()))
    assert "dropping.train()" in str(torch.doctor(dropping, dropping(x).sum()))
    dropping.train()
    assert "eval" not in keys(torch.doctor(dropping, dropping(x).sum()))


def test_a_healthy_model_gets_no_complaint():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1), nn.Flatten(0))
    opt = torch.optim.Adam(net.parameters())
    x, y = data()

    def step():
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()

    answer = torch.doctor(net, F.mse_loss(net(x), y), opt, step)

    assert keys(answer) == ["head", "norms", "two_steps"]
    assert remark(answer, "head").facts == {"count": 4, "reached": 4, "loss": "F.mse_loss(net(x), y)"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_illness_is_named_with_its_line_and_its_cure(lang):
    set_language(lang)
    net = Ill()
    x, y = data()
    opt = torch.optim.SGD(net.out.parameters(), lr=0.1)
    loss = ((net(x) - y) ** 2).mean()
    answer = torch.doctor(net, loss, opt)

    assert keys(answer) == ["head", "away", "spread", "zero", "norms", "unregistered", "missing", "no_step"]
    cured = {one.key: one.found.edit[1].strip() for one in answer.remarks if one.found and one.found.edit}
    assert cured == {"away": "h = torch.relu(self.a(x))", "spread": "loss = ((net(x).squeeze(1) - y) ** 2).mean()",
                     "unregistered": "self.more = nn.ModuleList([nn.Linear(2, 2)])",
                     "missing": "opt = torch.optim.SGD(net.parameters(), lr=0.1)"}
    assert "ReluBackward0" in remark(answer, "zero").found.facts["node"]
    assert remark(answer, "zero").found.facts["value"] == "result = 0"
    for edit in cured.values():
        assert edit in str(answer)
    assert ("怎么改" in str(answer)) == (lang == "zh")
    assert 'mg-marked"' in answer.drawing.to_svg()


total = 0.0


def test_a_growing_graph_names_what_is_taken_along():
    net = nn.Linear(2, 1)
    x, _ = data()

    def step():
        global total
        loss = net(x).sum()
        total = total + loss
        net.zero_grad()
        loss.backward()

    answer = torch.doctor(net, net(x).sum(), step=step)

    assert total == 0.0
    assert remark(answer, "grows").found.line[2] == "total = total + loss"
    assert "no_step" not in keys(answer)


def test_gradients_that_add_up_and_parameters_that_stay_are_told():
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x, _ = data()
    answer = torch.doctor(net, net(x).sum(), opt, lambda: (opt.step(), net(x).sum().backward())[1])
    assert remark(answer, "kept").facts["names"] == "net.weight, net.bias"

    def forgets():
        opt.zero_grad()
        net(x).sum().backward()

    answer = torch.doctor(net, net(x).sum(), opt, forgets)
    assert remark(answer, "unchanged").facts["count"] == 2
    assert "kept" not in keys(answer)


def test_a_step_that_fails_is_told_with_its_cure_and_ends_nothing():
    net = nn.Linear(2, 1)
    x, _ = data()
    h = net(x)

    def step():
        h.sum().backward()

    loss = net(x).sum()
    answer = torch.doctor(net, loss, step=step)

    assert remark(answer, "failed").facts["nr"] == 2
    assert "second time" in remark(answer, "failed").facts["error"]
    h.sum().backward()
    assert net.weight.grad is not None


def test_a_loss_that_is_not_tracked_or_not_one_number():
    net = nn.Linear(2, 1)
    x, _ = data()
    loss = net(x).sum().detach()

    answer = torch.doctor(net, loss)
    assert keys(answer) == ["untracked", "no_step"]
    assert remark(answer, "untracked").found.edit[1].strip() == "loss = net(x).sum()"
    assert "not_scalar" in keys(torch.doctor(net, net(x)))


def test_frozen_parameters_types_and_strangers():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double())
    net[0].weight.requires_grad_(False)
    opt = torch.optim.SGD([*net.parameters(), torch.ones(2, requires_grad=True)], lr=0.1)
    answer = torch.doctor(net, net[0](torch.ones(1, 2)).sum(), opt)

    assert remark(answer, "frozen").facts["names"] == "net.0.weight"
    assert remark(answer, "away").facts["count"] == 2
    assert remark(answer, "strangers").facts["count"] == 1
    assert "types" in keys(answer)


def test_everything_is_as_it_was():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1))
    opt = torch.optim.Adam(net.parameters(), lr=0.1)
    sched = torch.optim.lr_scheduler.StepLR(opt, 1)
    x, y = data()
    net(x).sum().backward()
    history, seen, numbers = [1.0], {"n": [3]}, np.zeros(2)
    rng = np.random.default_rng(3)

    def step():
        nonlocal x
        net.train()
        opt.zero_grad(set_to_none=False)
        loss = F.mse_loss(net(x), y.unsqueeze(1) * random.random())
        loss.backward()
        opt.step()
        sched.step()
        net.eval()
        net.note = 3
        history.append(loss.item())
        seen["n"].append(4)
        numbers[:] = rng.random(2)
        x = x * 2

    def state():
        parameters = [(p._data.tobytes(), p.grad._data.tobytes(), p._version) for p in net.parameters()]
        modules = [b._data.tobytes() for b in net.buffers()], [m.training for m in net.modules()], sorted(vars(net))
        optimizers = {k: repr(v) for k, v in opt.state_dict().items()}, sched.state_dict()
        plain = [*history], repr(seen), numbers.tobytes(), x._data.tobytes()
        chance = (rng.bit_generator.state, torch.get_rng_state().tolist(), random.getstate(),
                  np.random.get_state()[1].tolist())
        return parameters, modules, optimizers, plain, chance, torch.is_grad_enabled(), dict(ledger.places)

    loss = F.mse_loss(net(x), y.unsqueeze(1))
    before, grads, held = state(), [p.grad for p in net.parameters()], x
    answer = torch.doctor(net, loss, opt, step)

    assert "failed" not in keys(answer)
    assert state() == before
    assert x is held
    assert all(p.grad is g for p, g in zip(net.parameters(), grads, strict=True))
    loss.backward()


class Counting:
    n = 0

    def step(self):
        self.n += 1


class Trainer(Counting):
    pass


def test_a_graph_that_is_known_by_its_node_alone_is_as_it_was():
    w = torch.ones(2, requires_grad=True)
    y = (w * w).sum()
    with Restoring(y.grad_fn):
        y.backward()

    y.backward()
    assert w.grad.tolist() == [2, 2]


def test_what_a_step_inherits_and_what_it_was_given_beforehand_is_as_it_was():
    net, (x, y) = nn.Linear(2, 1), data()
    trainer, seen = Trainer(), []

    torch.doctor(net, F.mse_loss(net(x), y.unsqueeze(1)), None, trainer.step)
    torch.doctor(net, F.mse_loss(net(x), y.unsqueeze(1)), None, partial(list.append, seen, 1))

    assert trainer.n == 0
    assert seen == []


def test_what_a_generator_gave_cannot_be_taken_back_and_is_told():
    net = nn.Linear(2, 1)
    batches = (torch.ones(1, 2) * k for k in range(9))
    globals()["batches"] = batches
    answer = torch.doctor(net, net(torch.ones(1, 2)).sum(), step=from_generator(net))
    del globals()["batches"]

    assert remark(answer, "moved").facts["names"] == "batches"
    assert next(batches)[0, 0] == 2


def from_generator(net):
    def step():
        net(next(batches)).sum().backward()  # noqa: F821
        net.zero_grad()
    return step


def test_it_holds_no_tensor():
    net = nn.Linear(2, 1)

    def forward(net=net):
        return torch.log(net(torch.zeros(1, 2)) * 0).sum()

    loss = forward()
    answer = torch.doctor(net, loss, step=lambda forward=forward: forward().backward())
    gone = weakref.ref(loss), weakref.ref(net.weight)
    del net, loss, forward
    gc.collect()

    assert [one() for one in gone] == [None, None]
    assert {"bad", "step_bad"} <= {*keys(answer)}
    assert "LogBackward0" in str(answer)


@pytest.mark.parametrize("given", [(3, None), (nn.Linear, None), (nn.Linear(1, 1), 3)])
def test_what_is_no_module_or_no_function_is_refused(given):
    with pytest.raises(TypeError, match="takes a module"):
        torch.doctor(given[0], torch.ones(1), step=given[1])


def test_a_function_is_no_loss():
    net = nn.Linear(2, 1)
    with pytest.raises(TypeError, match="Linear, function, NoneType"):
        torch.doctor(net, lambda: net(torch.ones(1, 2)).sum())


def recorded(step):
    net = nn.Linear(2, 1)
    return torch.doctor(net, net(torch.ones(1, 2)).sum(), step=lambda: step(net))


def test_what_is_meant_is_not_called_a_mistake():
    a, b = torch.randn(3, 1, requires_grad=True), torch.randn(3, requires_grad=True)
    outer = (a * b).sum()
    outer.backward()
    frozen = nn.Linear(2, 2)
    frozen.requires_grad_(False)
    net = nn.Sequential(frozen, nn.Linear(2, 1))

    assert torch.why(a).found is None
    answer = torch.doctor(net, net(torch.ones(1, 2)).sum())
    assert remark(answer, "frozen").facts["names"] == "net.0.weight, net.0.bias"
    assert "requires_grad_(True)" not in str(answer)


def test_of_a_step_that_failed_at_once_nothing_is_said_of_two():
    answer = recorded(lambda net: net(torch.ones(1, 3)))

    assert [key for key in keys(answer) if "step" in key or key == "failed"] == ["failed"]
    with pytest.raises(KeyboardInterrupt):
        recorded(lambda net: (_ for _ in ()).throw(KeyboardInterrupt()))


hidden = None


def test_a_hidden_state_that_is_carried_is_told_in_both_languages():
    cell = nn.LSTMCell(2, 3)

    def step():
        global hidden
        hidden = cell(torch.ones(1, 2), hidden)
        hidden[0].sum().backward()

    for lang in ("en", "zh"):
        set_language(lang)
        answer = torch.doctor(cell, cell(torch.ones(1, 2))[0].sum(), step=step)
        assert {"failed", "grows"} <= {*keys(answer)}
        assert "hidden = cell(torch.ones(1, 2), hidden)" in str(answer)
        assert hidden is None


@pytest.mark.oracle
def test_a_model_of_torch_is_looked_over_and_put_back():
    lib = pytest.importorskip("torch")
    nn, F = lib.nn, lib.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.dead, self.out = nn.Linear(2, 3), nn.Linear(3, 3), nn.Linear(3, 1)
            self.norm = nn.BatchNorm1d(3)
            self.more = [nn.Linear(2, 2)]

        def forward(self, x):
            h = lib.relu(self.a(x)).detach()
            return self.out(self.norm(h) + lib.relu(self.dead(h) - 100))

    net, x, y = Net(), lib.randn(8, 2), lib.randn(8, 1)
    opt = lib.optim.Adam(net.out.parameters(), lr=0.1)

    def step():
        loss = F.mse_loss(net(x) + lib.rand(()), y)
        loss.backward()
        opt.step()

    def state():
        tensors = [*net.parameters(), *net.buffers()]
        return [(t.tolist(), t._version, t.grad) for t in tensors], lib.get_rng_state().tolist(), dict(opt.state)

    loss = F.mse_loss(net(x), y)
    before = state()
    answer = torch.doctor(net, loss, opt, step)

    assert state() == before
    assert keys(answer) == ["head", "away", "zero", "norms", "unregistered", "missing", "kept", "step_away",
                            "two_steps"]
    assert remark(answer, "away").facts["names"] == "net.a.weight, net.a.bias"
    assert "ReluBackward0 got a gradient and sent back 0 on the way to net.dead.weight" in str(answer)
    assert remark(answer, "unregistered").found.line[2] == "self.more = [nn.Linear(2, 2)]"
    assert remark(answer, "missing").found.edit[1].strip() == "opt = lib.optim.Adam(net.parameters(), lr=0.1)"
    assert 'mg-marked"' in answer.drawing.to_svg()
    loss.backward()  # nothing that it needs was written or freed


def test_of_torch_s_backward_all_is_told_that_a_real_one_does():
    real = pytest.importorskip("torch")

    class Inside(real.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = real.nn.Linear(2, 2), real.nn.Linear(2, 2)

        def forward(self, x):
            return real.utils.checkpoint.checkpoint(self.b, self.a(x), use_reentrant=True)

    model = Inside()
    real.autograd.graph.register_multi_grad_hook([*model.a.parameters()], lambda grads: None)
    checkup = torch.doctor(model, model(real.ones(1, 2)).sum())

    assert remark(checkup, "head").facts["reached"] == 4
    assert {"away", "no_backward"}.isdisjoint(keys(checkup))
    assert all(p.grad is None for p in model.parameters())


def test_sparse_gradients_and_inference_tensors_are_put_back():
    real = pytest.importorskip("torch")
    rows = real.nn.Embedding(3, 1, sparse=True)
    optimizer = real.optim.SparseAdam(rows.parameters())
    with real.inference_mode():
        scale = real.ones(1)

    def step():
        with real.inference_mode():
            scale.mul_(2)
        (rows(real.tensor([1])) * scale.clone()).sum().backward()
        optimizer.step()

    step()
    before = rows.weight.grad.to_dense().tolist()
    checkup = torch.doctor(rows, rows(real.tensor([1])).sum(), optimizer, step)

    assert "failed" not in keys(checkup)
    assert rows.weight.grad.to_dense().tolist() == before
    assert scale.tolist() == [2]


@pytest.mark.parametrize(("lang", "words"), [("en", "itself holds NaN"), ("zh", "本身含有 NaN")])
def test_a_loss_that_is_no_number_is_told_though_its_gradients_are_numbers(lang, words):
    set_language(lang)
    net = nn.Linear(2, 1)
    with torch.no_grad():
        net.bias.fill_(-9)
    loss = torch.log(net(data()[0])).mean()
    found = torch.doctor(net, loss)

    assert "bad_loss" in keys(found)
    assert remark(found, "bad_loss").found.facts["node"] == "LogBackward0"
    assert f"loss {words}" in str(found)


def test_a_rate_of_zero_is_told():
    net = nn.Linear(2, 1)
    loss = net(data()[0]).sum()

    assert "no_rate" in keys(torch.doctor(net, loss, torch.optim.SGD(net.parameters(), lr=0.0)))
    assert "no_rate" not in keys(torch.doctor(net, loss, torch.optim.SGD(net.parameters(), lr=0.1)))


def test_what_was_given_as_one_list_has_no_name_of_the_lists():
    net = nn.Linear(2, 1)
    both = net, net(data()[0]).sum()

    assert "both" not in str(torch.doctor(*both))
    assert "(model.weight)" in str(torch.doctor(*both))


class GivesNone(torch.autograd.Function):
    """Of two inputs the second gets no gradient."""

    @staticmethod
    def forward(ctx, x, scale):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


@pytest.mark.parametrize(("lang", "words"), [("en", "leads to net.bias, but"), ("zh", "通向 net.bias，但")])
def test_a_parameter_to_which_backward_brings_none_is_no_failure(lang, words):
    set_language(lang)
    net = nn.Linear(2, 1)
    found = torch.doctor(net, GivesNone.apply(data()[0] @ net.weight.T, net.bias).sum())

    assert words in str(found)
    assert {"nothing", "no_step"} <= {*keys(found)}
    assert "no_backward" not in keys(found)


def test_what_a_reentrant_checkpoint_uses_is_not_guessed_before_its_backward():
    net, x = nn.Linear(2, 1), data()[0].requires_grad_()
    loss = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=True).sum()
    answer, found = torch.why(net.weight), torch.doctor(net, loss)

    assert [key for key, *_ in answer.reasons] == ["why.concealed"]
    assert "loss comes from a checkpoint" in str(answer)
    assert {*keys(found)} == {"concealed", "no_step"}
    loss.backward()
    assert [key for key, *_ in torch.why(net.weight).reasons] == ["why.fine"]


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a


class Swapped(Product):
    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * a, grad * b


class Dropping(Product):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b * (torch.rand_like(a) > 0.5)


class Rounding(Product):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return (a * b).round()


@pytest.mark.parametrize(("function", "wrong"), [
    (Product, False), (Swapped, True), (Dropping, False), (Rounding, False)])
def test_a_backward_that_is_not_the_slope_of_its_forward_is_told(function, wrong):
    net = nn.Linear(2, 3)
    loss = function.apply(net(torch.randn(4, 2)), net.bias.expand(4, 3) + 1).sum()
    found = [one.found for one in torch.doctor(net, loss).remarks if one.found is not None]

    assert [one.key for one in found] == ["own_slope"] * wrong
    assert all("def backward" in one.line[2] and one.facts["told"] != one.facts["seen"] for one in found)


def test_no_node_is_blamed_for_gradients_that_cancel():
    real = pytest.importorskip("torch")
    net = real.nn.Sequential(real.nn.Linear(2, 3), real.nn.Tanh(), real.nn.Linear(3, 1))
    loss = net(real.rand(4, 2)).mean() - net(real.rand(4, 2)).mean()
    zero = remark(torch.doctor(net, loss), "zero")

    assert zero.facts["names"] == "net.2.bias"
    assert zero.found is None
