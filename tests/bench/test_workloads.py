"""The benchmarks stay runnable: what they time is right, and their memory, which is exact, is kept.

Nothing here reads a clock.
"""

import pytest

from .costs import COSTS
from .drawn import DRAWN, drawn
from .interleaved import GOALS, assert_agree, chosen
from .workloads import WORKLOADS

SMALL = [workload for workload in WORKLOADS.values() if workload.small]


@pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.key)
def test_gradients_are_those_by_hand(workload):
    ours, by_hand = workload.gradients("minigrad"), workload.gradients("numpy")

    assert_agree(ours, by_hand, workload.tolerance)


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("place", range(3))
def test_drawn_programs_have_the_gradients_of_torch(seed, place):
    pytest.importorskip("torch")
    workload = drawn(seed)[place]

    assert_agree(workload.gradients("minigrad"), workload.gradients("torch"), workload.tolerance)


def test_every_goal_speaks_of_something_measured():
    measured = {*WORKLOADS, *DRAWN, *COSTS}

    assert all(measured.issuperset(goal.keys) for goal in GOALS)


def test_one_word_chooses_all_six_single_ops():
    keys, costs = chosen("W10,W11")

    assert len(keys) == 6
    assert costs == {"op", "peak numpy", "peak minigrad"}


def test_a_recorded_op_takes_at_most_300_bytes():
    assert COSTS["op"].measure() <= 300


def test_the_peak_of_a_large_elementwise_program_stays_near_that_by_hand():
    assert COSTS["peak minigrad"].measure() <= 1.35 * COSTS["peak numpy"].measure()
