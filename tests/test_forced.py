"""Runs in which a node does not wait: their numbers are those of a program that leaves out what comes too late."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad.graph.forced import forced_runs, too_early
from minigrad.graph.snapshot import within


def program(cut=()):
    """Three uses of `h`; those named in `cut` see it detached, so that nothing comes from there."""
    w = mg.tensor([0.5, -1.0], requires_grad=True)
    h = w * 2
    h.register_hook(lambda g: g.clamp(max=1.5))
    use = {name: h.detach() if name in cut else h for name in ("tanh", "square", "double")}
    loss = (use["tanh"].tanh() + use["square"] ** 2 + use["double"] * 3).sum()
    return w, loss


def last(frames, kind):
    return [f for f in frames if f.kind == kind][-1]


def test_the_wrong_number_is_that_of_a_program_without_what_came_too_late():
    w, loss = program()
    graph = mg.graph.read(loss)
    runs = forced_runs(loss)
    assert len(runs) == 6
    made = {"TanhBackward0": "tanh", "PowBackward0": "square", "MulBackward0": "double"}
    for key, frames in runs.items():
        node, _, came = key.partition("|")
        late = {made[graph.node(s).name] for s in {*graph.consumers[node]} - {*came.split(",")}}
        v, other = program(late)
        _, true = mg.graph.record(other, names={"w": v})
        assert last(frames, "accumulate").after == last(true, "accumulate").after
        assert {f.node for f in frames} == within(graph, [node])
        assert last(frames, "accumulate").symbols[0].en.startswith("gradient of")  # it is no derivative
    assert w.grad is None


def test_nothing_is_changed_and_the_real_backward_runs_after_it():
    w, loss = program()
    player = mg.step(loss, anyway=True)
    assert len(player.scene["early"]) == 6
    v, same = program()
    same.backward()
    assert w.grad.tolist() == v.grad.tolist()
    assert player.forced == []
    assert mg.step(program()[1]).scene["early"] is None


def test_who_sends_to_a_sender_has_come_before_it_and_leaves_are_never_forced():
    x = mg.ones(2, requires_grad=True)
    h = x * 2
    graph = mg.graph.read((h.exp() + h).sum())
    found = [(node, sorted(came)) for node, came, _ in too_early(graph)]
    names = [[graph.node(s).name for s in came] for _, came in found]
    assert names == [["AddBackward0"]]
    assert {graph.node(node).kind for node, _ in found} == {"op"}
    y = x.exp()
    assert list(too_early(mg.graph.read((y * x + x).sum()))) == []


@pytest.mark.parametrize("how", ["freed", "hook"])
def test_a_run_that_fails_is_recorded_up_to_its_error(how):
    x = mg.ones(2, requires_grad=True)
    h = x * x
    loss = (h.exp() * 2 + h.sin() * 3).sum()
    if how == "freed":
        loss.backward()
    else:
        h.register_hook(lambda g: g.reshape(3))
    player = mg.step(loss, preview=True, anyway=True)
    assert player.steps == [] or "bad" in player.steps[-1]["events"][-1]


def test_a_live_walk_and_torch_cannot_be_forced():
    with pytest.raises(ValueError, match="leave out `live`"):
        mg.step(program()[1], live=True, anyway=True)
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="minigrad's tensors"):
        mg.step(torch.ones(2, requires_grad=True).sum(), anyway=True)
