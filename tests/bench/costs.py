"""Imports, first picture and memory: each measured in a fresh interpreter.

`COSTS` names programs that print one number. Time is processor time, children (`dot`) included.
Memory is what tracemalloc counts: it sees NumPy's buffers and Python's objects, not torch's.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from statistics import median

_CLOCK = """
import os, time
def cpu():
    spent = os.times()
    return 1e3 * (spent.user + spent.system + spent.children_user + spent.children_system)
"""

_IMPORT = """
import time, numpy
start = time.process_time()
import {engine}
print(1e3 * (time.process_time() - start))
"""

_FIRST_DRAW = """
import minigrad
x = minigrad.ones(2, 2, requires_grad=True)
y = x + 2
out = (y * y * 3).mean()
minigrad.draw(out).to_svg()
print(cpu())
"""

_BYTES_PER_OP = """
import tracemalloc
from tests.bench.workloads import Chain, leaves, load, normal
(T,) = load("minigrad")
chain = Chain("", {ops})
(x,) = leaves(T, [normal(2, 2)])
Chain("", 10).program(x).sum().backward()
tracemalloc.start()
before, _ = tracemalloc.get_traced_memory()
y = chain.program(x)
after, _ = tracemalloc.get_traced_memory()
print((after - before) / chain.ops)
"""

_PEAK = """
import tracemalloc
from tests.bench.workloads import WORKLOADS
step = WORKLOADS["W5"].build("{engine}")
kept = step()
del kept
tracemalloc.start()
before, _ = tracemalloc.get_traced_memory()
kept = step()
print((tracemalloc.get_traced_memory()[1] - before) / 1e6)
"""


@dataclass(frozen=True)
class Cost:
    """One number from one program, the median of `runs` fresh interpreters."""

    key: str
    title: str
    unit: str
    program: str
    runs: int = 1

    def measure(self) -> float:
        if self.runs > 1:
            fresh(self.program)  # fills the cache
        return median(fresh(self.program) for _ in range(self.runs))


def fresh(program: str) -> float:
    """Run a program in a new interpreter, bytecode cached as after any first import.

    Raises: RuntimeError with the last line of its error.
    """
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=_environment()
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return float(done.stdout)


@functools.cache
def _environment() -> dict[str, str]:
    """This process's variables, and a cache of bytecode of its own whatever they say."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    cache = tempfile.mkdtemp(prefix="minigrad-bench-")
    atexit.register(shutil.rmtree, cache, ignore_errors=True)
    return env | {"PYTHONPYCACHEPREFIX": cache}


def _import(engine: str, runs: int = 5) -> Cost:
    program = _IMPORT.format(engine=engine)
    return Cost(f"import {engine}", f"import {engine}, beyond numpy", "ms", program, runs)


def _peak(engine: str) -> Cost:
    title = f"peak memory of W5 above its inputs, {engine}"
    return Cost(f"peak {engine}", title, "MB", _PEAK.format(engine=engine))


COSTS = {
    cost.key: cost
    for cost in [
        _import("minigrad"),
        _import("torch", runs=3),
        _import("autograd"),
        _import("mygrad"),
        Cost("first draw", "cold start, import and first draw", "ms", _CLOCK + _FIRST_DRAW, 3),
        Cost("op", "bytes per recorded op (W3)", "B", _BYTES_PER_OP.format(ops=20_000)),
        _peak("numpy"),
        _peak("minigrad"),
    ]
}
