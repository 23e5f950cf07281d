"""A recorded backward tells what the engine did, and a preview leaves no trace."""

from __future__ import annotations

import re
import warnings
from dataclasses import fields

import pytest

import minigrad as mg
from minigrad.graph import record
from minigrad.graph.recorder import Frame
from minigrad.text import presentation


def reference() -> dict:
    """The program of the reference pictures."""
    x = mg.tensor([1.0, -2.0])
    w = mg.tensor([0.5, 0.25], requires_grad=True)
    b = mg.tensor(0.1, requires_grad=True)
    p = x * w
    z = p + b
    z.retain_grad()
    z.register_hook(lambda g: g.clamp(max=0.78))
    h = mg.tanh(z)
    loss = h.sum()
    return {"x": x, "w": w, "b": b, "p": p, "z": z, "h": h, "loss": loss}


def of(names: dict, **options) -> tuple[Frame, ...]:
    return record(names["loss"], names=names, **options)[1]


def events(frames: tuple[Frame, ...]) -> list[tuple[str, str]]:
    return [(f.label, f.kind) for f in frames]


def test_a_step_is_a_node_and_its_events_have_letters():
    frames = of(reference())

    assert events(frames) == [
        ("0", "before"), ("1a", "seed"), ("1b", "compute"), ("1", "send"), ("2a", "compute"),
        ("2b", "free"), ("2", "send"), ("3a", "hook"), ("3b", "capture"), ("3c", "compute"),
        ("3d", "unbroadcast"), ("3", "send"), ("4", "accumulate"), ("5a", "compute"), ("5b", "free"),
        ("5", "send"), ("6", "accumulate"),
    ]


def test_hook_copy_and_sum_carry_their_numbers():
    hook, copy, _, summed = of(reference())[7:11]

    assert (hook.name, hook.before, hook.after) == ("clamp", "[0.71, 0.86]", "[0.71, 0.78]")
    assert copy.after == "[0.71, 0.78]"  # retain_grad sees what the hook returned
    assert summed.sum == "0.71 + 0.78 = 1.49"


def test_a_ready_accumulate_grad_stands_first_in_the_queue():
    graph, frames = record(reference()["loss"])
    queue = next(f for f in frames if f.label == "3").queue

    assert [graph.node(id).name for id in queue] == ["AccumulateGrad", "MulBackward0"]


def test_what_is_sent_has_the_receiver_s_shape():
    sent = [(s.slot, s.text) for f in of(reference()) if f.label == "3" for s in f.sent]
    assert sent == [(0, "[0.71, 0.78]"), (1, "1.49")]


def test_a_constant_is_sent_nothing():
    sent = {s.slot: (s.to, s.text) for s in of(reference())[15].sent}

    assert sent == {0: (None, "None"), 1: ("n6", "[0.71, −1.56]")}


def test_the_rule_is_the_row_s_own_in_the_learner_s_names():
    mul = of(reference())[13].rules[0]

    assert mul.tex == r"\text{gradient of w} = \text{gradient of p} \odot x"  # the hook on z changed it
    assert mul.filled_in == r"= [0.71, 0.78] \odot [1, {-2}] = [0.71, {-1.56}]"


def test_a_rule_with_very_many_numbers_shows_the_result_alone():
    x = mg.full((4, 4), 0.1, requires_grad=True)
    rules = [f.rules[0] for f in of({"loss": x.tanh().sum()}) if f.rules]

    assert rules[-1].filled_in == f"= [{', '.join(['[0.99, 0.99, 0.99, 0.99]'] * 4)}]"


def test_a_rule_leaves_out_what_was_not_given():
    x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    loss = mg.nn.functional.cross_entropy(x.clamp(min=2)[1:], mg.tensor(0))
    frames = record(loss, names={"x": x, "loss": loss})[1]
    rules = [re.sub(r"\\text\{∂.*?\}", "g", rule.tex).partition(" = ")[2] for f in frames for rule in f.rules]

    assert r"0[0] \leftarrow \frac{-g}{1}" in rules                             # no weight per class
    assert r"0[1{:}] \leftarrow g" in rules                                     # to the end, one after the other
    assert r"\begin{cases}g & x \ge 2 \\ 0 & \text{else}\end{cases}" in rules   # no max


def test_a_shared_node_shows_what_has_arrived_so_far():
    x = mg.tensor(3.0, requires_grad=True)
    h = x**2
    frames = record(h * 2 + h * 5)[1]
    arriving = [(s.arrived, s.text, s.total) for f in frames for s in f.sent if s.to == "n4"]

    assert arriving == [(1, "5", "5"), (2, "2", "7")]


def test_the_record_of_a_real_backward_equals_its_preview():
    names = reference()
    before = of(names)

    assert of(names, preview=False) == before
    assert names["w"].grad.tolist() == pytest.approx([0.7116, -1.56], abs=1e-4)
    assert names["p"].grad_fn.freed


def test_a_preview_changes_nothing():
    names = reference()
    names["w"].grad = mg.ones(2)
    kept, version, state = names["w"].grad, names["w"].grad._version, mg.get_rng_state()
    fired = []
    names["w"].register_post_accumulate_grad_hook(fired.append)
    names["h"].register_hook(lambda g: g * mg.rand(2) * 0 + g)

    frames = of(names)

    assert names["w"].grad is kept
    assert kept.tolist() == [1, 1]
    assert kept._version == version
    assert names["b"].grad is None
    assert not names["p"].grad_fn.freed
    assert mg.equal(mg.get_rng_state(), state)
    assert fired == []
    assert frames[-1].kind == "hook"
    assert not frames[-1].ran  # shown, not run
    names["loss"].backward()
    assert fired == [names["w"]]


def test_a_preview_fills_no_grad_that_it_knows_no_name_of():
    x = mg.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    record(y.sum())
    assert y.grad is None


def test_a_preview_does_not_write_into_the_gradient_it_is_given():
    x = mg.ones(2, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: g.mul_(10))
    seed = mg.ones(2)

    record(y, seed)

    assert seed.tolist() == [1, 1]
    assert seed._version == 0


def on_a(g):
    return None


def on_b(g):
    return None


def twenty_fold(gs):
    return tuple(g * 20 for g in gs)


@pytest.mark.parametrize("library", [mg, pytest.param("torch", marks=pytest.mark.oracle)])
def test_hooks_of_several_outputs_are_told_by_their_own_names_and_numbers(library):
    torch = pytest.importorskip(library) if library == "torch" else library
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    a, b = x.unbind()
    b.register_hook(on_b)
    a.register_hook(on_a)
    told = [(f.name, f.before, f.after) for f in record((a * b).sum())[1] if f.kind == "hook"]

    assert told == [("on_b", "[1, 2]", "[1, 2]"), ("on_a", "[3, 4]", "[3, 4]")]


def test_a_pre_hook_of_a_node_with_several_outputs_is_told_with_all_of_them():
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    a, b = x.unbind()
    a.grad_fn.register_prehook(twenty_fold)
    hook = next(f for f in record((a * b).sum())[1] if f.kind == "hook")

    assert (hook.before, hook.after) == ("[3, 4], [1, 2]", "[60, 80], [20, 40]")


def test_a_preview_uses_up_no_warning():
    x = mg.ones(2, requires_grad=True)
    y = (x * 2).sum()
    presentation.warned.clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        record(y, create_graph=True)
        assert seen == []
        y.backward(create_graph=True)
    assert "reference cycle" in str(seen[0].message)


def test_what_a_hook_prints_is_kept_with_its_frame(capsys):
    names = reference()
    names["h"].register_hook(lambda g: print("h saw", g.tolist()))

    hook = next(f for f in of(names) if f.kind == "hook" and f.printed)

    assert hook.printed == "h saw [1.0, 1.0]\n"
    assert capsys.readouterr().out == ""
    of(names, preview=False)
    assert capsys.readouterr().out == hook.printed  # a real backward prints as well


def test_old_and_new_gradient_are_both_told():
    names = reference()
    names["loss"].backward(retain_graph=True)
    last = of(names)[-1]

    assert (last.before, last.name, last.after) == ("[0.71, −1.56]", "[0.71, −1.56]", "[1.42, −3.12]")


def test_the_second_backward_ends_in_a_frame_that_says_why():
    names = reference()
    names["loss"].backward()

    first, error = of(names)
    assert (first.kind, error.kind, error.name) == ("before", "error", "RuntimeError")
    assert error.before.startswith("Trying to backward through the graph a second time")
    assert [f.kind for f in of(names, preview=False)][-2:] == ["send", "error"]  # sum runs, as in torch


def test_a_hook_that_raises_is_an_error_at_its_node():
    x = mg.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: 1 / 0)
    graph, frames = record(y.sum())

    assert frames[-1].name == "ZeroDivisionError"
    assert graph.node(frames[-1].node).name == "MulBackward0"


def test_a_leaf_can_be_the_root():
    x = mg.tensor(2.0, requires_grad=True)
    assert events(record(x)[1]) == [("0", "before"), ("1a", "seed"), ("1", "accumulate")]


def test_a_missing_gradient_still_makes_its_node_ready():
    x = mg.ones(3, requires_grad=True)
    first, second = (x * 2).unbind()[:2]
    frames = record(first + second.detach())[1]

    assert frames[-1].kind == "accumulate"
    assert frames[-1].after == "[2, 0, 0]"


class Nothing(mg.autograd.Function):
    """Sends no gradient."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return None


def test_a_leaf_that_gets_nothing_is_told_so():
    x = mg.ones(2, requires_grad=True)
    x.grad = mg.ones(2)
    last = record(Nothing.apply(x).sum())[1][-1]

    assert (last.kind, last.name, last.sum) == ("accumulate", "None", "")
    assert last.before == last.after == "[1, 1]"


def test_frames_hold_texts_and_never_an_array():
    plain = (str, int, bool, type(None))
    for frame in of(reference()):
        for field in fields(frame):
            value = getattr(frame, field.name)
            parts = value if isinstance(value, tuple) else (value,)
            assert all(isinstance(p, plain) or type(p).__name__ in ("Rule", "Sent", "NamedValue") for p in parts)


def test_the_usual_refusals_are_torch_s():
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        record(mg.ones(2, requires_grad=True) * 2)
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        record(mg.ones(()))


@pytest.mark.parametrize("seed", range(12))
def test_nodes_run_in_torch_s_order(seed):
    """The oracle is torch itself: every node of the same random program reports when it ran."""
    torch = pytest.importorskip("torch")
    ours, theirs = program(mg, seed), program(torch, seed)
    ran: list[str] = []
    handles = [n.register_hook(lambda *_, n=n: ran.append(short(n.name()))) for n in nodes(theirs)]

    theirs.backward()
    graph, frames = record(ours)

    assert [graph.node(f.node).name for f in frames if f.label.isdigit() and f.node] == ran
    assert len(handles) == len(ran)


def program(torch, seed: int):
    """Sums, products and sines of earlier values, chosen by a small generator of our own."""
    state = seed * 7919 + 1
    values = [torch.tensor(0.5 + i, requires_grad=True) for i in range(3)]
    for _ in range(12):
        state = (state * 1103515245 + 12345) % 2**31
        a, b = values[state // 7 % len(values)], values[state // 77 % len(values)]
        values.append([a + b, a * b, a.sin(), a - 2 * b][state // 777 % 4])
    return values[-1] + values[-2] + values[-3]


def nodes(root) -> list:
    found, stack = {}, [root.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in found:
            found[node] = None
            stack += [n for n, _ in node.next_functions]
    return list(found)


def short(name: str) -> str:
    return name.rpartition("::")[2]


def test_a_subclass_that_would_be_lost_is_refused():
    class Named(mg.Tensor):
        pass

    with pytest.raises(NotImplementedError, match="Named inherits from Tensor"):
        Named([1.0, 2.0])


def test_a_write_that_was_freed_is_passed_by_where_no_gradient_comes():
    class Nothing(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x.clone()
    y[0] = 3.0
    z = Nothing.apply(y)
    y.sum().backward()
    graph, frames = record(z.sum())

    assert [graph.node(f.node).name for f in frames if f.kind == "compute"][-1] == "CloneBackward0"
    assert frames[-1].kind == "accumulate"
