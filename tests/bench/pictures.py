"""Time from a call of the model to an SVG, beside three tools that draw PyTorch's graphs and modules.

    pip install torch torchviz torchview torchlens      (and Graphviz's `dot`)
    python -m tests.bench.pictures [--limit SECONDS] [--times N]

Every number is the least of N runs in a fresh process: one forward, one picture in memory or in a file. The tools
do not draw the same: torchviz the nodes of backward, torchview modules and functions, torchlens each operation,
minigrad what fits, folded. So a row says how long one waits, not who draws more.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

TOOLS = {"minigrad": "minigrad", "torchviz": "torch", "torchview": "torch", "torchlens": "torch"}
PROGRAMS = {
    "16 blocks of a residual MLP": ("Blocks", 16),
    "166 blocks of a residual MLP": ("Blocks", 166),
    "an RNN of 200 steps": ("Recurrent", 200),
    "an RNN of 2 000 steps": ("Recurrent", 2000),
}


def model_of(torch: ModuleType, kind: str, size: int) -> Any:
    """Six nodes a block, five nodes a step, without those of the leaves."""

    class Blocks(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(8, 8) for _ in range(2 * size)])

        def forward(self, x: Any) -> Any:
            for first, second in zip(self.layers[::2], self.layers[1::2], strict=True):
                x = x + torch.tanh(second(torch.tanh(first(x))))
            return x.sum()

    class Recurrent(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.outer = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

        def forward(self, x: Any) -> Any:
            state = x
            for _ in range(size):
                state = torch.tanh(self.inner(x) + self.outer(state))
            return state.sum()

    return locals()[kind]()


def draw(tool: str, model: Any, x: Any, folder: str) -> None:
    """One picture as an SVG, in the way the tool's own page does it."""
    library = import_module(tool)
    if tool == "minigrad":
        library.draw(model(x)).to_svg()
    elif tool == "torchviz":
        library.make_dot(model(x), params=dict(model.named_parameters())).pipe("svg")
    elif tool == "torchview":
        library.draw_graph(model, input_data=x, device="cpu").visual_graph.pipe("svg")
    else:
        library.trace(model, x).draw(vis_save_only=True, vis_fileformat="svg", vis_outpath=f"{folder}/graph")


def nodes(loss: Any) -> int:
    """How many operations were recorded; leaves are not counted."""
    seen, waiting = set(), [loss.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [below for below, _ in node.next_functions]
    return sum(not hasattr(node, "variable") for node in seen)


def measure(tool: str, program: str, times: int) -> str:
    """Operations and milliseconds of the fastest run, in this process."""
    warnings.simplefilter("ignore")
    torch = import_module(TOOLS[tool])
    model, x = model_of(torch, *PROGRAMS[program]), torch.tensor(np.full((2, 8), 0.1, np.float32))
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(times):
            begun = time.perf_counter()
            draw(tool, model, x, folder)
            seconds.append(time.perf_counter() - begun)
    return f"{nodes(model(x))} {1000 * min(seconds):.0f}"


def beside(tool: str, program: str, times: int, limit: float) -> tuple[str, str]:
    """What a fresh process measured: operations and milliseconds, or why there are none."""
    order = [sys.executable, "-m", __spec__.name, "--one", tool, program, "--times", str(times)]
    with subprocess.Popen(order, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                          cwd=Path(__file__).parents[2]) as process:
        try:
            said, wrong = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # Graphviz, too
            return "", f"over {limit:.0f} s"
    if process.returncode:
        return "", wrong.strip().rpartition("\n")[2][:60]
    operations, took = said.split()[-2:]
    return operations, f"{took} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--one", nargs=2, metavar=("TOOL", "PROGRAM"), help="measure one, in this process")
    parser.add_argument("--times", type=int, default=3, metavar="N")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="for all runs of one cell")
    asked = parser.parse_args()
    if asked.one:
        print(measure(*asked.one, asked.times))
        return
    print(f"| program | operations | {' | '.join(TOOLS)} |\n|{'---|' * (len(TOOLS) + 2)}")
    for program in PROGRAMS:
        found = [beside(tool, program, asked.times, asked.limit) for tool in TOOLS]
        print(f"| {program} | {found[0][0]} | {' | '.join(took for _, took in found)} |", flush=True)


if __name__ == "__main__":
    main()
