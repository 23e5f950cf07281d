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
