"""Random programs of twenty areas: 20 of each are compared with live torch, a few with the recording.

`python -m tests.oracle.areas` runs 500 of each (`make fuzz`), and prints how many are equal and why the others are not.
"""

import importlib.util

import pytest

import minigrad
from tests.oracle import areas, record

LIVE = ["torch"] if importlib.util.find_spec("torch") else []
RECORDING = record.read("areas.json")


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("area", areas.AREAS)
def test_an_areas_programs_show_what_torch_shows(area, oracle):
    found = areas.differences(area, range(20), importlib.import_module(oracle), minigrad)

    assert [(seed, text) for seed, text in found if areas.cause(area, text) is None] == []


@pytest.mark.parametrize("key", RECORDING)
def test_a_recorded_program_shows_what_torch_showed(key):
    area, seed = key.split()
    source = areas.program(area, int(seed))
    found = areas.difference(area, source, RECORDING[key], areas.transcript(source, minigrad))

    assert found is None or areas.cause(area, found)


def test_a_program_is_the_same_for_the_same_seed():
    assert areas.program("losses", 7) == areas.program("losses", 7) != areas.program("losses", 8)


def test_a_difference_without_a_cause_is_found():
    source = "x = torch.ones(2)\nx * 2\n"
    found = areas.difference("losses", source, [">>> x = torch.ones(2)", ">>> x * 2", "tensor([2., 2.])"],
                             [">>> x = torch.ones(2)", ">>> x * 2", "tensor([2., 3.])"])

    assert found == ">>> x * 2\n- tensor([2., 2.])\n+ tensor([2., 3.])"
    assert areas.cause("losses", found) is None
