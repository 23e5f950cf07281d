"""Every expression of the checklist agrees with torch: recorded everywhere, live where it is."""

import importlib.util
import subprocess
import sys

import pytest

import minigrad
from minigrad.core.row import TABLE
from tests.oracle import record
from tests.oracle.expressions import ULPS, allowance, differences, expressions, observe
from tests.oracle.waiting import EXPRESSIONS as WAITING

RECORDED = record.read("expressions.json")
LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def disagreements(expression: str) -> list[str]:
    assert expression in RECORDED, "ask torch first: python -m tests.oracle.record"
    return differences(RECORDED[expression], observe(minigrad, expression), allowance(expression))


@pytest.mark.parametrize("expression", [e for e in expressions() if e not in WAITING])
def test_an_expression_agrees_with_torch(expression):
    assert disagreements(expression) == []


def test_what_waits_still_waits():
    works = [expression for expression in WAITING if not disagreements(expression)]

    assert works == [], "take them out of tests/oracle/waiting.py"


@pytest.mark.long
@pytest.mark.parametrize("oracle", LIVE)
def test_the_samples_that_pytorch_tests_itself_with_agree(oracle):
    """In a process of its own: torch.testing changes more than one setting of torch."""
    result = subprocess.run([sys.executable, "-W", "ignore", "-m", "tests.oracle.opinfo"],
                            capture_output=True, encoding="utf-8")

    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("oracle", LIVE)
def test_the_recording_is_what_torch_says(oracle):
    live = record.asked(record.expressions_of, importlib.import_module(oracle), {})

    assert list(live) == list(RECORDED)
    assert {e for e in live if differences(RECORDED[e], live[e], ULPS)} == set()


def test_what_waits_is_on_the_list():
    assert set(WAITING) <= set(expressions())


# no derivative in torch, or part of another row's derivative
INNER = {"floor_divide", "random_between", "heaviside", "_unique2", "tied", "two_sided", "sub_scalar", "safe_softmax",
         "bernoulli_values", "index_back"}


def test_every_row_that_makes_a_node_is_observed():
    seen = {name for seen in RECORDED.values() for name, _ in seen.get("next", [])}
    seen |= {observation.get("grad_fn") for observation in RECORDED.values()}
    rows = {name: row.torch_name or row.grad_fn for name, row in TABLE.items() if row.derivatives}
    rows = {name: node for name, node in rows.items() if "BackwardBackward" not in node}

    assert {name for name, node in rows.items() if node not in seen} - INNER == set()
