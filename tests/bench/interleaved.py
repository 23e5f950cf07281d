"""One interleaved run of all engines, and a table of what was reached against what was promised.

    python -m tests.bench.interleaved [--quick] [--only W1,W2] [--rounds N] [--out FILE]

In a round each engine runs one block of the same program, in an order that rotates from round to
round, all in one process on one thread; a block is timed with the processor's clock. A ratio is
the median of the ratios within the rounds, so a machine that is busy for a while moves both sides.
Before timing, every engine's gradients are compared with those by hand.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from statistics import median, quantiles

import numpy as np

from .costs import COSTS
from .drawn import DRAWN, drawn
from .workloads import CALLS, ENGINES, WORKLOADS, Step, Workload

BLOCK = 0.004  # seconds of processor time that one engine gets in one round, at least one call
SLOW = {"W3b": ("numpy", "minigrad", "torch")}  # the peers need seconds a round there


@dataclass
class Result:
    """Seconds per call of every engine in every round, and why an engine is missing."""

    workload: Workload
    seconds: dict[str, list[float]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def us(self, engine: str) -> float:
        return 1e6 * median(self.seconds[engine])

    def ratios(self, ours: str, theirs: str, floor: str | None = None) -> list[float]:
        """Per-round ratios; with `floor`, of what each engine adds to the floor's time."""
        zero = self.seconds[floor] if floor else [0.0] * len(self.seconds[ours])
        pairs = zip(self.seconds[ours], self.seconds[theirs], zero, strict=True)
        return [(a - base) / (b - base) for a, b, base in pairs]


@dataclass(frozen=True)
class Goal:
    """`quantity(results, costs)` gives per-round values; their median must reach the limit."""

    keys: tuple[str, ...]
    text: str
    limit: float
    quantity: Callable[[dict[str, Result], dict[str, float]], list[float]]
    kind: str = "must"
    at_least: bool = False

    def reached(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


def ratio(key: str, theirs: str, limit: float, kind: str = "must") -> Goal:
    return Goal(
        (key,),
        f"{key} / {theirs}",
        limit,
        lambda results, costs: results[key].ratios("minigrad", theirs),
        kind,
    )


def faster(key: str, theirs: str, limit: float) -> Goal:
    return Goal(
        (key,),
        f"{key}: times faster than {theirs}",
        limit,
        lambda results, costs: results[key].ratios(theirs, "minigrad"),
        at_least=True,
    )


def overhead(name: str, limit: float) -> Goal:
    key = f"W10 {name}"
    return Goal(
        (key,),
        f"{key}: overhead / torch's",
        limit,
        lambda results, costs: results[key].ratios("minigrad", "torch", floor="numpy"),
    )


def calls(name: str, size: int) -> Goal:
    """One call, with and without its backward: within 2.5 of torch's time, or within 1.5 of NumPy by hand."""
    keys = (f"W12 {name} {size}", f"W13 {name} {size}")

    def quantity(results: dict[str, Result], costs: dict[str, float]) -> list[float]:
        beside = [(median(results[key].ratios("minigrad", "torch")) / 2.5,
                   median(results[key].ratios("minigrad", "numpy")) / 1.5) for key in keys]
        return [max(map(min, beside))]

    return Goal(keys, f"{name} {size}x{size}: of 2.5 torch or 1.5 numpy", 1, quantity)


def cost(key: str, text: str, limit: float, over: str | None = None, kind: str = "must") -> Goal:
    return Goal(
        (key, over) if over else (key,),
        text,
        limit,
        lambda results, costs: [costs[key] / (costs[over] if over else 1)],
        kind,
    )


GOALS = [
    ratio("W1", "torch", 0.45),
    ratio("W1", "torch", 0.36, "aim"),
    faster("W1", "hips", 4),
    faster("W1", "mygrad", 4),
    ratio("W2", "torch", 0.45),
    ratio("W2", "torch", 0.30, "aim"),
    ratio("W2", "micrograd", 1.0, "aim"),
    ratio("W3a", "torch", 0.45),
    ratio("W3b", "torch", 0.45),
    ratio("W4", "numpy", 1.15),
    ratio("W4", "numpy", 1.08, "aim"),
    ratio("W4", "torch", 1.0),
    ratio("W4s", "torch", 0.80),
    ratio("W4n", "torch", 1.0),
    ratio("W5", "torch", 0.60),
    ratio("W6", "torch", 1.0),
    ratio("W7", "torch", 0.90),
    ratio("W2d", "torch", 0.45),
    ratio("W6d", "torch", 0.95),
    ratio("W7d", "torch", 0.90),
    ratio("W8a", "torch", 0.80),
    ratio("W8b", "torch", 1.0),
    *[overhead(name, 0.60) for name in ("add", "mul", "tanh")],
    overhead("mul 2.0", 0.25),
    *[overhead(name, 0.50) for name in ("matmul", "sum")],
    *[calls(name, size) for name in CALLS for size in (4, 64)],
    cost("import minigrad", "W9: import beyond numpy, ms", 25),
    cost("first draw", "W9: cold import and first draw, ms", 500),
    cost("op", "bytes per recorded op", 300),
    cost("peak minigrad", "peak memory of W5 / by hand", 1.35, over="peak numpy"),
]


def prepare(workload: Workload) -> tuple[dict[str, Step], dict[str, str]]:
    """Build every engine's step and check its gradients; say why an engine is left out."""
    expected = workload.gradients("numpy" if hasattr(workload, "hand") else "minigrad")
    steps, missing = {}, {}
    for engine in SLOW.get(workload.key, workload.engines()):
        try:
            assert_agree(workload.gradients(engine), expected, workload.tolerance)
            steps[engine] = workload.build(engine)
        except Exception as error:
            missing[engine] = f"{type(error).__name__}: {error}".splitlines()[0]
    return steps, missing


def assert_agree(gradients: list, expected: list, tolerance: float) -> None:
    """Raises AssertionError where a gradient differs from the one by hand."""
    for ours, by_hand in zip(gradients, expected, strict=True):
        scale = tolerance * float(np.abs(by_hand).max())
        np.testing.assert_allclose(ours, by_hand, rtol=tolerance, atol=scale)


def timed(step: Step, calls: int) -> float:
    """Processor seconds per call."""
    start = time.process_time()
    for _ in range(calls):
        step()
    return (time.process_time() - start) / calls


def calls_per_block(step: Step) -> int:
    """What fills a block; and 20 calls, if ten blocks hold them, so that warm caches are the rule.

    The engine before has left its own data in them, and a loop of training runs on warm ones.
    """
    step()
    once, calls = timed(step, 1), 1
    while once * calls < BLOCK / 8:
        calls *= 4
        once = timed(step, calls)
    return max(1, round(BLOCK / once), min(20, round(10 * BLOCK / once)))


def compare(workload: Workload, rounds: int, budget: float) -> Result:
    """Run at most `rounds` rounds, fewer (but five) when the budget of seconds is spent."""
    steps, missing = prepare(workload)
    result = Result(workload, {engine: [] for engine in steps}, missing)
    calls = {engine: calls_per_block(step) for engine, step in steps.items()}
    gc.collect()
    gc.freeze()  # what the imports left behind is nobody's to scan
    order, start = list(steps), time.process_time()
    for done in range(rounds):
        if done >= 5 and time.process_time() - start > budget:
            break
        for engine in order:
            result.seconds[engine].append(timed(steps[engine], calls[engine]))
        order.append(order.pop(0))
    return result


def measure_costs(keys: set[str]) -> tuple[dict[str, float], dict[str, str]]:
    costs, missing = {}, {}
    for key in (key for key in COSTS if key in keys):
        try:
            costs[key] = COSTS[key].measure()
        except RuntimeError as error:
            missing[key] = str(error)
    return costs, missing


def times_table(results: dict[str, Result]) -> list[str]:
    """Microseconds per call, and beside ours how many times NumPy by hand and torch."""
    lines = [f"| workload | {' | '.join(ENGINES)} | rounds |", "|---" * (len(ENGINES) + 2) + "|"]
    for result in results.values():
        cells = [cell(result, engine) for engine in ENGINES]
        rounds = len(result.seconds["minigrad"])
        title = f"{result.workload.key} {result.workload.title}"
        lines.append(f"| {title} | {' | '.join(cells)} | {rounds} |")
    return lines


def cell(result: Result, engine: str) -> str:
    if engine not in result.seconds:
        return "cannot" if engine in result.missing else ""
    text = f"{result.us(engine):.4g} us"
    if engine == "minigrad":
        others = [name for name in ("numpy", "torch") if name in result.seconds]
        ratios = [f"{median(result.ratios(engine, name)):.2f}" for name in others]
        text += f" ({'/'.join(ratios)})"
    return text


def goals_table(results: dict[str, Result], costs: dict[str, float]) -> list[str]:
    lines = ["| goal | | limit | measured | middle half | |", "|---|---|---|---|---|---|"]
    for goal in GOALS:
        if not all(key in results or key in costs for key in goal.keys):
            continue
        sign = ">=" if goal.at_least else "<="
        head = f"| {goal.text} | {goal.kind} | {sign} {goal.limit:g} |"
        try:
            values = goal.quantity(results, costs)
        except KeyError as key:
            mark = "✗" if "minigrad" in str(key) else "?"
            lines.append(f"{head} no {key} | | {mark} |")
            continue
        value = median(values)
        spread = " to ".join(f"{q:.3g}" for q in quantiles(values)[::2]) if values[1:] else ""
        tick = "✓" if goal.reached(value) else "✗"
        lines.append(f"{head} {value:.3g} | {spread} | {tick} |")
    return lines


def circumstances(started: float) -> list[str]:
    """Versions, machine, load: what a reader needs to run the same again."""
    names = ["numpy", "torch", "autograd", "mygrad", "micrograd"]
    versions = [f"{name} {metadata.version(name)}" for name in names if installed(name)]
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return [
        f"Python {platform.python_version()}, {', '.join(versions)}.",
        f"{cpu_name()}, {os.cpu_count()} cores, load {load}; one thread, processor time, blocks of "
        f"at least {BLOCK * 1e3:g} ms interleaved, medians; {time.time() - started:.0f} s in all.",
    ]


def installed(name: str) -> bool:
    return any(metadata.distributions(name=name))


def cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def report(results: dict[str, Result], costs: dict[str, float], why: dict[str, str]) -> list[str]:
    lines = ["## Time per call (beside minigrad: x numpy by hand / x torch)", ""]
    lines += [*times_table(results), ""] if results else []
    for key, value in costs.items():
        lines.append(f"* {COSTS[key].title}: {value:.4g} {COSTS[key].unit}")
    lines += ["", "## Goals", "", *goals_table(results, costs), ""]
    for result in results.values():
        for engine, reason in result.missing.items():
            lines.append(f"* {result.workload.key}: {engine} cannot ({reason})")
    return [*lines, *(f"* {key}: {reason}" for key, reason in why.items())]


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.interleaved")
    parser.add_argument("--only", default="", help="W1,W2: these alone (W9 imports, W11 memory)")
    parser.add_argument("--rounds", type=int, default=150, help="at most so many rounds")
    parser.add_argument("--draw", type=int, default=0, help="which operations W2d, W6d and W7d consist of")
    parser.add_argument("--quick", action="store_true", help="a rough answer in half a minute")
    parser.add_argument("--out", help="write the tables to this file too")
    return parser.parse_args(argv)


def chosen(only: str) -> tuple[list[str], set[str]]:
    """The workloads and costs that `--only` names; "W10" stands for all its six."""
    if not only:
        return [*WORKLOADS, *DRAWN], set(COSTS)
    asked = only.split(",")
    keys = [key for key in (*WORKLOADS, *DRAWN) if key in asked or key.split()[0] in asked]
    memory = {key for key in COSTS if key.startswith(("op", "peak"))} if "W11" in asked else set()
    imports = {key for key in COSTS if key.startswith(("import", "first"))}
    return keys, memory | (imports if "W9" in asked else set())


def main(argv: list[str] | None = None) -> int:
    options, started = arguments(argv), time.time()
    keys, cost_keys = chosen(options.only)
    rounds, budget = (min(options.rounds, 25), 0.8) if options.quick else (options.rounds, 6.0)
    results, workloads = {}, {**WORKLOADS, **{one.key: one for one in drawn(options.draw)}}
    for key in keys:
        print(f"{key} ...", end=" ", file=sys.stderr, flush=True)
        results[key] = compare(workloads[key], rounds, budget)
    costs, why = measure_costs(cost_keys)
    print(file=sys.stderr)
    text = "\n".join([*report(results, costs, why), "", *circumstances(started)])
    print(text)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
