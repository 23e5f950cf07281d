"""What people train first learns here what it learns in PyTorch, loss by loss.

The programs are `tests/oracle/scripts.py`; `python -m tests.oracle.record` takes down PyTorch's losses. PyTorch's
tutorials on derivatives, in other words, are `tests/oracle/semantics/tutorials.txt`.
"""

import importlib
import importlib.util

import pytest

import minigrad
from tests.oracle import record
from tests.oracle.scripts import SCRIPTS, SPANS, TOLERANCES, losses

RECORDED = record.read("scripts.json")
LIVE = ["torch"] if importlib.util.find_spec("torch") else []
RUNS = [(name, kind) for name in SCRIPTS for kind in SPANS]


@pytest.mark.parametrize(("name", "kind"), RUNS)
def test_a_script_trains_as_in_torch(name, kind):
    bound = TOLERANCES[kind]

    assert losses(minigrad, name, kind) == pytest.approx(RECORDED[f"{name} {kind}"], rel=bound, abs=bound)


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize(("name", "kind"), RUNS)
def test_the_recorded_losses_are_torchs(oracle, name, kind):
    torch, bound = importlib.import_module(oracle), TOLERANCES[kind]

    assert losses(torch, name, kind) == pytest.approx(RECORDED[f"{name} {kind}"], rel=bound, abs=bound)


def test_all_of_them_learn():
    """Programs whose losses stand still would agree, whatever the gradients are."""
    for name in SCRIPTS:
        found = RECORDED[f"{name} float64"]
        assert len({round(loss, 6) for loss in found}) > 40, name
    assert len(RECORDED) == 2 * len(SCRIPTS) == 32
