"""Every expression of the checklist agrees with torch: recorded everywhere, live where it is."""

import importlib.util

import pytest

import minigrad
from tests.oracle import record
from tests.oracle.expressions import ULPS, allowance, differences, expressions, observe
from tests.oracle.waiting import EXPRESSIONS as WAITING

RECORDED = record.read("expressions.json")
LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def disagreements(expression: str) -> list[str]:
    return differences(RECORDED[expression], observe(minigrad, expression), allowance(expression))


@pytest.mark.parametrize("expression", [e for e in expressions() if e not in WAITING])
def test_an_expression_agrees_with_torch(expression):
    assert disagreements(expression) == []


def test_what_waits_still_waits():
    works = [expression for expression in WAITING if not disagreements(expression)]

    assert works == [], "take them out of tests/oracle/waiting.py"


@pytest.mark.parametrize("oracle", LIVE)
def test_the_recording_is_what_torch_says(oracle):
    live = record.record_expressions(importlib.import_module(oracle))

    assert list(live) == list(RECORDED)
    assert {e for e in live if differences(RECORDED[e], live[e], ULPS)} == set()


def test_what_waits_is_on_the_list():
    assert set(WAITING) <= set(expressions())
