"""Forward in the player: values noted while a program runs, or worked out afterwards, are those that it had."""

from __future__ import annotations

import linecache
import re

import pytest

import minigrad as mg
from minigrad.graph.followed import Followed
from minigrad.graph.forward import Notes, worked_out
from minigrad.graph.live import read
from minigrad.graph.preview import preview
from minigrad.viz import step


def noted(text: str, name: str = "noted"):
    """Run a program as a cell and take notes; its names, and the notes."""
    place, scope, notes = f"/tmp/ipykernel_1/{name}.py", {"mg": mg}, Notes()
    linecache.cache[place] = (len(text), None, text.splitlines(True), place)
    error = notes.run(Followed(text, scope, place))
    assert error is None
    return scope, notes


def told(player):
    """Line, node and value of each event of forward."""
    nodes = player.graph.nodes_by_id
    return [(e["at"] and e["at"][1], nodes[e["id"]].name if e["id"] else "", e.get("out", {}).get("text"))
            for e in player.scene["forward"]]


LOOP = """w = mg.tensor([1., 2.], requires_grad=True)
def twice(v,
          k=2):
    return v * k
rate = 0.5
for i in range(2):
    loss = (twice(
        w) + w).sum()
    loss.backward()
    with mg.no_grad():
        w -= rate * w.grad
    w.grad = None
loss = twice(w).sum()
"""


def test_each_turn_of_a_loop_lights_its_line_and_a_value_is_that_of_its_time():
    scope, notes = noted(LOOP)
    player = step(scope["loss"], names={"w": scope["w"], "loss": scope["loss"]}, preview=True, forward=notes)

    lines = [line for line, _, _ in told(player)]
    assert lines.count(9) == lines.count(11) == 2
    assert told(player)[-2:] == [(4, "MulBackward0", "[−4, −2]"), (13, "SumBackward0", "−6")]
    assert player.scene["forward"][-2]["ins"][0]["text"] == "[−2, −1]"  # as `w` was then
    assert player.frame == -len(player.scene["forward"])


def test_lines_of_other_losses_run_without_nodes_and_what_nobody_saw_appears_in_its_place():
    scope, notes = noted("x = mg.ones(3, requires_grad=True)\nother = (x * 5).sum()\ny = x * 2\nv = y[1:]\n"
                         "v.mul_(3)\nloss = (y * y).sum()\n")
    player = step(scope["loss"], names={k: scope[k] for k in ("x", "y", "loss")}, preview=True, forward=notes)

    assert [(line, name) for line, name, _ in told(player)] == [
        (1, "AccumulateGrad"), (2, ""), (3, "MulBackward0"), (4, ""), (5, "CopySlices"), (6, "MulBackward0"),
        (6, "SumBackward0")]
    assert told(player)[-2][2] == "[4, 36, 36]"
    born = player.scene["born"]
    assert set(born) >= {n.id for n in player.graph.nodes} | {t.id for t in player.graph.tensors}


def test_a_line_that_catches_an_error_is_a_line():
    scope, notes = noted("x = mg.ones(2, requires_grad=True)\ntry:\n    x.add_(1)\nexcept RuntimeError as error:\n"
                         "    y = (x * 2).sum()\n")
    player = step(scope["y"], names={k: scope[k] for k in "xy"}, preview=True, forward=notes)

    assert [line for line, *_ in told(player)] == [1, 2, 4, 5, 5]  # the one that failed made nothing


def test_an_error_in_the_cell_is_returned_and_grad_mode_is_as_before():
    notes = Notes()
    error = notes.run(Followed("x = mg.ones(2, requires_grad=True)\ny = x * 2\ny.backward()", {"mg": mg}))
    assert "scalar outputs" in str(error)
    assert mg.is_grad_enabled()
    before = len(notes.order)
    mg.ones(2, requires_grad=True) * 2
    assert len(notes.order) == before


PROGRAMS = {
    "plain": "x = mg.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n"
             "loss = ((2 - x) * (x + 2) / 3 - 1.5).exp().mean()",
    "views": "x = mg.arange(6.).requires_grad_()\nloss = x.view(2, 3).t()[1:].expand(2, 2, 2).sum(1).pow(2).mean()",
    "net": "net = mg.nn.Sequential(mg.nn.Linear(3, 4), mg.nn.Tanh(), mg.nn.Linear(4, 2))\n"
           "loss = mg.nn.functional.cross_entropy(net(mg.ones(2, 3)), mg.tensor([0, 1]))",
    "cat": "x = mg.tensor([1., 2.], requires_grad=True)\nloss = mg.cat([x * 2, mg.stack([x, x])[0]]).norm()",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_worked_out_is_what_was_noted(name):
    scope, notes = noted(PROGRAMS[name], name)
    found, seen = worked_out(scope["loss"], {}), notes.found(read(scope["loss"]))

    ids = [t.id for t in read(scope["loss"]).tensors if t.kind == "nonleaf"]
    assert len([id for id in ids if id in found]) > len(ids) / 2
    assert {id: found[id] for id in ids if id in found} == {id: seen[id] for id in ids if id in found}


def test_after_a_write_or_where_a_number_is_a_variable_s_nothing_is_made_up():
    scope, _ = noted("k = 2.\nw = mg.tensor([1., 2.], requires_grad=True)\nloss = ((w + k) + 3).sum()")
    player = step(scope["loss"], names={"w": scope["w"]}, preview=True, forward=True)
    assert [value for _, name, value in told(player) if name] == ["[1, 2]", None, None, "13"]

    scope, _ = noted("w = mg.tensor([1., 2.], requires_grad=True)\nloss = (w + 3).sum()\nwith mg.no_grad(): w += 1")
    player = step(scope["loss"], names={"w": scope["w"]}, preview=True, forward=True)
    assert [value for _, name, value in told(player) if name] == [None, "9"]


def test_a_number_with_a_sign_is_read_beside_a_tensor():
    scope, _ = noted("x = mg.tensor([1., 2.], requires_grad=True)\nloss = ((x + -2) + x.sub(-3)).sum()")
    found, graph = worked_out(scope["loss"], {"x": scope["x"]}), read(scope["loss"])

    assert {"[−1, 0]", "[4, 5]"} <= {found[t.id].text for t in graph.tensors if t.id in found}


def test_working_out_draws_no_random_number_and_changes_nothing():
    scope, _ = noted("x = mg.ones(50, requires_grad=True)\n"
                     "loss = (mg.nn.functional.dropout(x + 1) * mg.rand(50)).sum()")
    state, version = mg.random.get_rng_state().tolist(), scope["x"]._version

    found = worked_out(scope["loss"], {})

    assert mg.random.get_rng_state().tolist() == state
    assert scope["x"]._version == version
    assert scope["x"].grad is None
    assert found[read(scope["loss"]).roots[0]].text == preview(scope["loss"].detach().numpy())


def test_a_torch_tensor_is_worked_out_by_the_rows_of_the_same_name():
    torch = pytest.importorskip("torch")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    player = step((x * x * 3).sum(), preview=True, forward=True)
    assert [e["out"]["text"] for e in player.scene["forward"]] == ["[1, 4]", "[3, 12]", "15"]
    player = step(torch.add(x, x * 1, alpha=2).sum(), preview=True, forward=True)
    assert [e["out"].get("text") for e in player.scene["forward"]] == ["[1, 2]", "[3, 6]", "9"]
    player = step(torch.igammac(torch.ones(2), x).sum(), preview=True, forward=True)  # no row of ours bears its name
    assert [e["out"].get("text") for e in player.scene["forward"]] == [None, "0.503"]


def test_a_negative_number_of_forward_stands_without_brackets():
    w = mg.tensor(2.0, requires_grad=True)
    player = step((w - 3) * 1e-5, preview=True, forward=True)

    assert [re.sub("<[^>]+>", "", e["out"]["math"]) for e in player.scene["forward"]] == [
        "&#x02212;1", "&#x02212;1.00&#x000B7;10&#x02212;5"]
