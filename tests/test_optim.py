"""Optimizers walk as torch's do: 20 steps to nine digits, the same state, the same text."""

import importlib
import importlib.util
import warnings

import numpy as np
import pytest

import minigrad as torch

LIVE = ["torch"] if importlib.util.find_spec("torch") else []

OPTIMIZERS = [
    "SGD(params, lr=0.1)",
    "SGD(params, lr=0.05, momentum=0.9)",
    "SGD(params, lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.01)",
    "SGD(params, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "SGD(params, lr=0.01, maximize=True)",
    "Adam(params)",
    "Adam(params, lr=0.02, betas=(0.8, 0.9), weight_decay=0.05)",
    "Adam(params, lr=0.02, amsgrad=True)",
    "AdamW(params, lr=0.02)",
    "RMSprop(params)",
    "RMSprop(params, lr=0.02, momentum=0.5, centered=True, weight_decay=0.01)",
    "Adagrad(params, lr=0.1)",
    "Adagrad(params, lr=0.1, lr_decay=0.01, weight_decay=0.1, initial_accumulator_value=0.2)",
]


def walk(module, text, steps=20):
    """Twenty steps down a valley: the parameters after each, the optimizer."""
    x = module.tensor([1.5, -0.7, 0.3], dtype=module.float64, requires_grad=True)
    y = module.tensor([[0.4, 2.0]], dtype=module.float64, requires_grad=True)
    optimizer = eval(f"module.optim.{text}", {"module": module, "params": [x, y]})
    path = []
    for _ in range(steps):
        optimizer.zero_grad()
        (((x - y.T) ** 2).sum() + (x * y.sin().sum()).tanh().sum()).backward()
        optimizer.step()
        path.append([*x.tolist(), *y.reshape(-1).tolist()])
    return path, optimizer


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("text", OPTIMIZERS)
def test_twenty_steps_agree_with_torch(text, oracle):
    ours, own = walk(torch, text)
    theirs, real = walk(importlib.import_module(oracle), text)

    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    assert repr(own) == repr(real)
    assert plain(own.state_dict()) == plain(real.state_dict())


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return np.round(value.tolist(), 9).tolist() if hasattr(value, "tolist") else value


def test_sgd_prints_its_options():
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)

    assert repr(optimizer).startswith("SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n")


def test_a_step_counts_as_a_write():
    x = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.1)
    y = (x * x).sum()
    x.grad = torch.ones(2)
    optimizer.step()

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_an_optimizer_of_ones_own_is_written_as_in_torch():
    class Halving(torch.optim.Optimizer):
        def __init__(self, params, lr=0.5, momentum=None):
            super().__init__(params, {"lr": lr, "momentum": momentum})

        @torch.no_grad()
        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad, alpha=-group["lr"])
                    self.state[p]["steps"] = self.state[p].get("steps", 0) + 1

    w = torch.tensor([2.0, 4.0], requires_grad=True)
    halving = Halving([w])
    for _ in range(2):
        halving.zero_grad()
        (w * w / 2).sum().backward()
        halving.step()

    assert w.tolist() == [0.5, 1.0]
    assert halving.state_dict() == {
        "state": {0: {"steps": 2}}, "param_groups": [{"lr": 0.5, "momentum": None, "params": [0]}]}


def test_groups_have_options_of_their_own():
    x, y = (torch.ones(1, requires_grad=True) for _ in range(2))
    optimizer = torch.optim.SGD([{"params": [x]}, {"params": [y], "lr": 1.0}], lr=0.1)
    x.grad, y.grad = torch.ones(1), torch.ones(1)
    optimizer.step()

    assert (x.tolist(), y.tolist()) == ([np.float32(0.9)], [0.0])


def test_a_saved_optimizer_goes_on_where_it_was():
    _, optimizer = walk(torch, "Adam(params, lr=0.02)", 5)
    fresh = walk(torch, "Adam(params, lr=0.5)", 1)[1]

    fresh.load_state_dict(optimizer.state_dict())

    assert fresh.param_groups[0]["lr"] == 0.02
    assert plain(fresh.state_dict()) == plain(optimizer.state_dict())


def test_a_closure_computes_the_loss_with_gradients():
    x = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert x.item() == 0.0


def test_only_leaves_can_be_optimized():
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        torch.optim.SGD([torch.ones(1, requires_grad=True) * 2], lr=0.1)


SCHEDULES = ["StepLR(optimizer, 3, 0.5)", "ExponentialLR(optimizer, 0.9)",
             "LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))",
             "CosineAnnealingLR(optimizer, 8, 0.01)"]


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_learning_rates_change_as_in_torch(schedule, oracle):
    def rates(module):
        optimizer = module.optim.SGD([module.ones(1, requires_grad=True)], lr=0.4)
        scheduler = eval(f"module.optim.lr_scheduler.{schedule}", {"module": module, "optimizer": optimizer})
        seen = []
        for _ in range(20):  # the cosine comes down, and up again
            optimizer.step()
            scheduler.step()
            seen.append(scheduler.get_last_lr()[0])
        return seen

    np.testing.assert_allclose(rates(torch), rates(importlib.import_module(oracle)), rtol=1e-12)


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_schedule_goes_on_from_an_epoch_as_in_torch(schedule, oracle):
    def rates(module):
        group = {"params": [module.ones(1, requires_grad=True)], "lr": 0.3, "initial_lr": 0.4}
        scope = {"module": module, "optimizer": module.optim.SGD([group])}
        scheduler = eval(f"module.optim.lr_scheduler.{schedule[:-1]}, last_epoch=4)", scope)
        scope["optimizer"].step()
        return [*scheduler.get_last_lr(), *(scheduler.step() or scheduler.get_last_lr()[0] for _ in range(4))]

    np.testing.assert_allclose(rates(torch), rates(importlib.import_module(oracle)), rtol=1e-12)


def groups_after(module):
    """The caller's dict after an optimizer was made of it, after its rate was changed, and with a second optimizer."""
    given = {"params": module.ones(2, requires_grad=True), "weight_decay": 0.1}
    first = module.optim.SGD([given], lr=0.5)
    named = {"params": [("w", module.ones(1, requires_grad=True))]}
    module.optim.Adam([named])
    first.param_groups[0]["lr"] = 7.0
    second = module.optim.SGD([given], lr=0.25)
    return list(given), list(named), given["lr"], second.param_groups[0]["lr"], given is second.param_groups[0]


@pytest.mark.parametrize("oracle", LIVE)
def test_a_group_is_the_callers_own_dict(oracle):
    assert groups_after(torch) == groups_after(importlib.import_module(oracle))


def restored(module):
    """What an optimizer knows after it has loaded a state from elsewhere, with less in it and more."""
    optimizer = module.optim.Adam([("w", module.ones(1, requires_grad=True))], lr=0.1)
    state = module.optim.Adam([module.ones(1, requires_grad=True)], lr=0.3).state_dict()
    del state["param_groups"][0]["amsgrad"]  # as older ones
    state["state"]["rounds"] = 3
    optimizer.load_state_dict(state)
    optimizer.state["w"] = {"n": 1}
    return optimizer.state_dict()


@pytest.mark.parametrize("oracle", LIVE)
def test_a_state_with_less_and_more_in_it_is_taken_as_by_torch(oracle):
    assert restored(torch) == restored(importlib.import_module(oracle))


@pytest.mark.parametrize("option", ["lr", "momentum", "weight_decay"])
def test_options_may_be_tensors(option):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.ones(2)
    optimizer = torch.optim.SGD([x], **{"lr": 0.5, option: torch.tensor(0.5)})
    optimizer.step()

    assert x.tolist() == [0.25 if option == "weight_decay" else 0.5] * 2
    with pytest.raises(ValueError, match="betas must be either both floats or both Tensors"):
        torch.optim.Adam([x], betas=(torch.tensor(0.9), 0.99))


def test_a_scheduler_of_ones_own_knows_that_it_is_asked_by_step():
    class Mine(torch.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            assert self._get_lr_called_within_step
            return self.base_lrs

    assert not Mine(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1))._get_lr_called_within_step


PLATEAUS = ["", "patience=1", "patience=0, cooldown=2", "mode='max', patience=1", "threshold=0.2, patience=1",
            "threshold=0.2, threshold_mode='abs', patience=1", "patience=0, min_lr=[0.01, 0.05]",
            "patience=0, min_lr=0.03, factor=0.5, eps=0.01"]


def lowered(module, options):
    """The rates while a loss comes to rest, twice, and what the scheduler keeps then."""
    groups = [{"params": module.ones(1, requires_grad=True), "lr": lr} for lr in (0.1, 0.2)]
    optimizer, seen = module.optim.SGD(groups), []
    scheduler = eval(f"module.optim.lr_scheduler.ReduceLROnPlateau(optimizer, {options})", locals())
    for loss in [1.0, 0.9, 0.9, 0.9, 0.89, module.tensor(0.9), 1.0, float("nan"), 2.0, 0.5, *[0.5] * 12]:
        scheduler.step(loss)
        seen.append([group["lr"] for group in optimizer.param_groups])
    return seen, [*scheduler.state_dict().items()]  # in this order, too


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("options", PLATEAUS)
def test_the_rate_falls_where_the_loss_rests_as_in_torch(options, oracle):
    assert lowered(torch, options) == lowered(importlib.import_module(oracle), options)


def test_a_plateau_is_refused_in_torchs_words():
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    wrong = {"Factor should be < 1.0.": {"factor": 1.0}, "mode best is unknown!": {"mode": "best"},
             "threshold mode a is unknown!": {"threshold_mode": "a"}, "expected 1 min_lrs, got 2": {"min_lr": [0, 1]}}

    for text, options in wrong.items():
        with pytest.raises(ValueError, match=text):
            torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.0])
    optimizer.add_param_group({"params": torch.ones(1, requires_grad=True)})
    scheduler.step(1.0)
    with pytest.raises(RuntimeError, match=r"The number of param groups in the `optimizer` \(2\) differs"):
        scheduler.step(1.0)


def warned(torch):
    """How often a scheduler says that it goes on before its optimizer, of steps before it and after."""
    w = torch.ones(1, requires_grad=True)
    optimizer, said = torch.optim.SGD([w], lr=0.1), []
    w.sum().backward()
    optimizer.step()
    for again in (False, True, True):
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if again:
                optimizer.step()
            scheduler.step()
        said.append([str(w.message).split(". ")[0] for w in caught])
    return said


@pytest.mark.parametrize("oracle", LIVE)
def test_steps_before_the_first_scheduler_do_not_count_for_it(oracle):
    assert warned(torch) == warned(importlib.import_module(oracle)) != [[], [], []]
