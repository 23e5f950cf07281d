"""Every snippet of the semantics shows in minigrad what it shows in torch, to the letter."""

import importlib.util
import subprocess
import sys

import pytest

import minigrad
from tests.oracle import record
from tests.oracle.semantics import comparable, shown, snippets
from tests.oracle.waiting import SNIPPETS as WAITING

RECORDED = record.read("semantics.json")
LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def session(name: str) -> str:
    return comparable(name, shown(minigrad, name), RECORDED[name])


def recorded(name: str) -> str:
    return "\n".join(RECORDED[name])


@pytest.mark.parametrize("name", [n for n in snippets() if n not in WAITING])
def test_a_snippet_shows_what_torch_shows(name):
    assert session(name) == recorded(name)


def test_what_waits_still_waits():
    works = [name for name in WAITING if session(name) == recorded(name)]

    assert works == [], "take them out of tests/oracle/waiting.py"


@pytest.mark.parametrize("oracle", LIVE)
def test_the_recording_is_what_torch_shows(oracle):
    live = record.asked(record.semantics_of, importlib.import_module(oracle), {})

    assert list(live) == list(RECORDED)
    assert {n: comparable(n, lines, RECORDED[n]) for n, lines in live.items()} == {n: recorded(n) for n in RECORDED}


def test_the_recording_holds_the_snippets_as_they_are():
    code = {n: [x for x in lines if x.startswith(">>> ")] for n, lines in RECORDED.items()}

    assert list(RECORDED) == list(snippets())
    assert all(line[4:] in snippets()[name] for name, lines in code.items() for line in lines)


ONCE = {
    "x.sum().backward(create_graph=True)": "Using backward() with create_graph=True will create",
    "torch.tensor([x[0], x[1]])": "Converting a tensor with requires_grad=True to a scalar",
    "torch.ones(2, 3, 4).T": "The use of `x.T` on tensors of dimension other than 2",
}


@pytest.mark.parametrize("oracle", ["minigrad", *LIVE])
def test_some_warnings_are_given_once_per_process(oracle):
    head = f"import warnings, {oracle} as torch; warnings.simplefilter('always')"
    code = "\n".join([head, "x = torch.ones(2, requires_grad=True)", *ONCE, *ONCE])

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert [run.stderr.count(beginning) for beginning in ONCE.values()] == [1, 1, 1]
