"""Each workload in each engine once more, for pytest-benchmark, which keeps the history.

`pytest tests/bench --benchmark-only --benchmark-autosave` stores a run, `pytest-benchmark compare`
shows how it drifted. Engines run one after another here, so ratios are `interleaved.py`'s business.
"""

import pytest

from .interleaved import SLOW, assert_agree
from .workloads import WORKLOADS, is_installed

pytestmark = pytest.mark.filterwarnings("default")

CASES = [
    pytest.param(workload, engine, id=f"{workload.key}-{engine}")
    for workload in WORKLOADS.values()
    for engine in SLOW.get(workload.key, workload.engines())
    if is_installed(engine)
]


@pytest.mark.parametrize(("workload", "engine"), CASES)
def test_time_of(workload, engine, benchmark):
    benchmark.group = workload.key
    step = workload.build(engine)
    assert_agree(workload.gradients(engine), workload.gradients("numpy"), workload.tolerance)

    benchmark(step)
