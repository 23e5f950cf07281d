"""Two runs side by side: every event of each in its own order, and what differs told."""

from __future__ import annotations

import base64
import gzip
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.viz.compared import Comparison
from tests.answers import answers_d


def program(*, cut: bool = False, hook: bool = False, preview: bool = True):
    x, w = (mg.tensor(data, requires_grad=True) for data in ([1.0, 2.0], [3.0, 4.0]))
    y = x * w
    if hook:
        y.register_hook(lambda grad: grad * 10)
    z = (y.detach() if cut else y) * w
    loss = (z + y).sum()
    return mg.step(loss, preview=preview)


def gone_through(comparison) -> list[list[int]]:
    """The frames that each run passes, once each, as the moments move it."""
    return [[first[run] for before, first in pairwise([(-1, -1, ""), *comparison.moments]) if first[run] != before[run]]
            for run in (0, 1)]


@pytest.mark.parametrize("other", [{"cut": True}, {"hook": True}, {}])
def test_each_run_goes_through_all_its_events_in_its_own_order(other):
    a, b = program(), program(**other)
    made = mg.compare(a, b)

    assert gone_through(made) == [list(range(len(run.frames))) for run in (a, b)]
    for (i, j, _), (k, m, who) in pairwise(made.moments):
        assert (k > i, m > j) == {"both": (True, True), "a": (True, False), "b": (False, True)}[who]


def test_a_hook_is_a_moment_of_one_run():
    made = mg.compare(program(), program(hook=True))
    alone = [made.players[1].frames[j].kind for _, j, who in made.moments if who == "b"]

    assert alone == ["hook"]
    assert "a" not in {who for _, _, who in made.moments}


def test_two_equal_runs_are_moments_of_both():
    assert {who for _, _, who in mg.compare(program(), program()).moments} == {"both"}


def test_the_line_that_differs_is_told_and_its_node_has_its_twin():
    x, w = (mg.tensor(1.0, requires_grad=True) for _ in range(2))
    y = x * w
    z = y * w
    first = mg.step(z, preview=True)
    z = y.detach() * w
    made = mg.compare(first, mg.step(z, preview=True))

    assert [run["lines"] for run in made.runs] == [["y = x * w", "z = y * w"], ["z = y.detach() * w"]]
    roots = [run.graph.nodes[0].id for run in made.players]
    assert made.twins[roots[0]] == roots[1]


def test_an_expression_that_stands_in_both_is_its_own_twin_whatever_came_before():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    tail = (x.exp() * x).sum()
    long = mg.step((x * 2 * 3).sum() + tail, preview=True, names={"x": x})
    short = mg.step(x.sum() + tail, preview=True, names={"x": x})
    made = mg.compare(long, short)
    (product,) = (n.id for n in short.graph.nodes if n.name == "MulBackward0")

    assert [long.graph.node(id).source for id, twin in made.twins.items() if twin == product] == ["x.exp() * x"]


def test_results_and_models_of_other_names_are_twins():
    one, two = mg.nn.Linear(2, 1), mg.nn.Linear(2, 1)
    loss_a, loss_b = ((model(mg.ones(3, 2)) ** 2).mean() for model in (one, two))
    names = {"loss_a": loss_a, "loss_b": loss_b, "one": one.weight, "one.bias": one.bias, "two.bias": two.bias}
    a, b = mg.step(loss_a, preview=True, names=names), mg.step(loss_b, preview=True, names=names)
    made = mg.compare(a, b)

    assert made.twins[a.graph.nodes[0].id] == b.graph.nodes[0].id
    biases = [next(t.node for t in run.graph.tensors if (t.name or "").endswith(".bias")) for run in (a, b)]
    assert made.twins[biases[0]] == biases[1]
    assert {who for *_, who in made.moments} == {"both", "a", "b"}  # `one` is nobody's twin


def test_a_second_backward_fails_beside_the_first():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    text = mg.compare(mg.step(loss), mg.step(loss)).to_text()

    assert "AccumulateGrad: accumulate [2, 4]" in text
    assert "MulBackward0: error RuntimeError" in text


def test_it_names_the_call_of_each_run():
    x = mg.tensor(2.0, requires_grad=True)
    loss = x * x
    made = mg.compare(mg.step(loss, retain_graph=True), loss)

    assert [run["scene"]["call"] for run in made.runs] == ["loss.backward(retain_graph=True)", "loss.backward()"]
    assert x.grad == 4  # the tensor was previewed


def test_a_fault_shows_beside_the_truth():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x + x).sum()
    right = mg.step(y, preview=True)
    with mg.broken("replace"):
        wrong = mg.step(y, preview=True)

    assert [run["scene"]["faulty"] for run in mg.compare(right, wrong).runs] == [False, True]


def test_its_page_carries_both_runs(tmp_path: Path):
    page = mg.save_page(mg.compare(program(), program(cut=True)), tmp_path / "two.html").read_text("utf-8")
    [[_, state]] = json.loads(gzip.decompress(base64.b64decode(re.findall(r'atob\("([^"]+)"\)', page)[0])))["models"]

    assert [len(run["steps"]) for run in state["runs"]] == [6, 6]
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)


def test_a_live_run_cannot_be_compared():
    x = mg.tensor(1.0, requires_grad=True)
    live = mg.step(x * x, live=True)

    with pytest.raises(ValueError, match="two runs that are over"):
        mg.compare(live, live)
    live.abandon()
    with pytest.raises(TypeError):
        mg.compare(3, 4)


# ---- an engine of a learner's own beside ours


def made(kind, build):
    """The same program on an engine and on tensors."""
    x, own = mg.tensor(2.0, requires_grad=True), kind(2.0)
    return build(own, kind), build(x, mg.tensor), own, x


def diamond(x, number):
    a = x * number(3.0)
    return a * number(2.0) + a * number(5.0)


def unequal_arms(x, number):
    a = x * number(3.0)
    return a + a * number(2.0) * number(5.0)


def square(x, number):
    return x * x * number(3.0) + x


RIGHT = [answer for answer in answers_d.ANSWERS.rights if answer is not answers_d.AsATape]


@pytest.mark.parametrize("build", [diamond, unequal_arms, square])
@pytest.mark.parametrize("kind", RIGHT, ids=lambda kind: kind.__name__)
def test_a_right_engine_of_ones_own_goes_through_all_nodes_whatever_its_order(kind, build):
    mine, ours, own, x = made(kind, build)
    seen = mg.step(mine, beside=ours)

    assert seen.ui["said"]["en"].startswith("No difference")
    assert {who for *_, who in seen.moments} == {"both"}
    assert [len(run["steps"]) for run in seen.runs] == [len(mg.graph.read(ours).nodes)] * 2
    assert repr(seen) == f"minigrad.compare({type(mine).__name__}, ours)"  # each by its own name
    assert "ours" not in seen.players[0].scene["before"]["en"]
    assert (own.grad, x.grad) == (0.0, None)  # as before


@pytest.mark.parametrize(("walk", "build", "said", "last"), [
    (answers_d.assigns, diamond, "A has `vjp(5) → 15`, B has `vjp(7) → 21`", "both"),
    (answers_d.starts_with_two, diamond, "A has `vjp(2) → 2, 2`, B has `vjp(1) → 1, 1`", "both"),
    (answers_d.one_edge_per_child, square, "A has `.grad = 7`, B has `.grad = 13`", "both"),
    (answers_d.at_the_first_arrival, unequal_arms, "1 of its 2 gradients", "b"),
    (answers_d.every_path, diamond, "1 of its 2 gradients", "b"),
    (answers_d.every_path_without_recursion, diamond, "1 of its 2 gradients", "b"),
    (answers_d.level_by_level, unequal_arms, "1 of its 2 gradients", "b"),
    (answers_d.only_the_first_input, diamond, "1 of its 2 gradients", "b"),
    (answers_d.does_nothing, diamond, "A stops here. In B AddBackward0 runs next", "b"),
    (answers_d.doubles_at_the_leaves, diamond, "A has `.grad = 42`, B has `.grad = 21`", "both"),
], ids=lambda value: getattr(value, "__name__", None))
def test_both_stop_where_an_engine_first_does_something_else(walk, build, said, last, monkeypatch):
    told = []
    monkeypatch.setattr(Comparison, "notify_change", lambda self, change: told.append(change["new"]))
    mine, ours, own, _ = made(answers_d.with_backward(walk), build)
    seen = mg.step(mine, beside=ours)

    assert said in seen.ui["said"]["en"]
    assert seen.ui["said"]["zh"] != seen.ui["said"]["en"]
    assert told[-1] == seen.ui  # by a change of its own: a widget in a notebook has been sent already
    assert seen.moments[-1][2] == last
    assert own.grad == 0.0
    assert [i for i, *_ in seen.moments][-1] == len(seen.players[0].frames) - 1


def test_the_card_of_an_engine_has_the_numbers_that_it_sent():
    class Unswapped(answers_d.Counting):
        def vjp(self, g):
            return super().vjp(g)[::-1]

    mine, ours, *_ = made(Unswapped, lambda x, number: x * number(3.0))
    mine_sends, ours_send = ([run["steps"][0]["rows"][0]["value"]] for run in mg.step(mine, beside=ours).runs)

    assert mine_sends == ["= (2, 3)"] != ours_send


def test_an_engine_that_runs_a_node_twice_is_stopped_there():
    def twice(self):
        for _ in range(100):
            self.vjp(1.0)

    mine, ours, *_ = made(answers_d.with_backward(twice), diamond)
    seen = mg.compare(mine, ours)

    assert "AddBackward0 runs once more" in seen.ui["said"]["en"]
    assert seen.moments[-1][2] == "b"
    assert "vjp" not in vars(type(mine))  # and nobody watches any more


def test_what_records_something_else_is_refused_and_errors_are_the_learners_own():
    mine, ours, own, x = made(answers_d.Counting, diamond)
    with pytest.raises(ValueError, match="they part at"):
        mg.step(own * own, beside=x * 3 + x)
    with pytest.raises(ValueError, match="they part at MulBackward0"):
        mg.step(mine, beside=x * 3 * 2 + x * 3 * 5)  # two nodes where one is shared
    with pytest.raises(SystemExit):
        mg.step(made(answers_d.with_backward(answers_d.exits), diamond)[0], beside=ours)
    assert own.grad == 0.0


def test_a_tensor_beside_a_tensor_is_compared():
    x = mg.tensor(2.0, requires_grad=True)

    assert mg.step(x * x, beside=x * 2).moments == mg.compare(x * x, x * 2).moments
