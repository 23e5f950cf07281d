"""Random programs run alike in torch and in minigrad: 300 live, 60 from the recording.

`python -m tests.oracle.fuzz` runs more of them, and cuts a failing one down to its cause.
"""

import importlib.util

import pytest

import minigrad
from tests.oracle import record
from tests.oracle.fuzz import disagree
from tests.oracle.programs import LEVELS, RECORDED, differ, program, run

RECORDING = record.read("programs.json")
SEEDS = range(RECORDED, RECORDED + 75)
LIVE = ["torch"] if importlib.util.find_spec("torch") else []
RECORDED_SEEDS = [(level, seed) for level in LEVELS for seed in range(RECORDED)]


@pytest.mark.parametrize(("level", "seed"), RECORDED_SEEDS)
def test_a_recorded_program_shows_what_torch_showed(level, seed):
    source = program(seed, level)
    expected = RECORDING[f"level {level} seed {seed}"]
    got = run(source, minigrad)

    assert not differ(source, expected, got), "\n".join(["torch:", *expected, "minigrad:", *got])


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("level", LEVELS)
def test_random_programs_run_alike(oracle, level):
    torch = importlib.import_module(oracle)

    assert [s for s in SEEDS if disagree(program(s, level), torch, minigrad)] == []


@pytest.mark.parametrize("oracle", LIVE)
def test_the_recording_is_what_torch_shows(oracle):
    live = record.asked(record.programs_of, importlib.import_module(oracle), {})

    assert list(live) == list(RECORDING)
    for (level, seed), expected in zip(RECORDED_SEEDS, RECORDING.values(), strict=True):
        assert not differ(program(seed, level), expected, live[f"level {level} seed {seed}"])


def test_a_program_is_the_same_for_the_same_seed():
    assert program(7, 4) == program(7, 4)
    assert program(7, 4) != program(8, 4)
