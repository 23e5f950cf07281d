"""One expression taken apart: which lines of minigrad run, in which order, how many bytecodes each.

    python -m tests.bench.anatomy "a + b"
    python -m tests.bench.anatomy "(a * b).sum().backward()"

`a` and `b` are 2x2 leaves, `s` and `t` 0-d leaves, `F` is minigrad. The counts are exact and do
not depend on the machine; they say where Python's own work lies, not what NumPy's calls cost.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections import Counter
from timeit import Timer
from types import CodeType, FrameType
from typing import Any

from .workloads import leaves, load, normal

Line = tuple[str, int]


def bytecodes(code: CodeType, names: dict[str, Any], folder: str) -> Counter[Line]:
    """Bytecodes executed per line of the files in `folder`, in order of first execution."""
    counts: Counter[Line] = Counter()

    def trace(frame: FrameType, event: str, _arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(folder):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            counts[frame.f_code.co_filename, frame.f_lineno or 0] += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(code, names)
    finally:
        sys.settrace(before)
    return counts


def nanoseconds(expression: str, names: dict[str, Any]) -> float:
    timer = Timer(expression, globals=names)
    calls, _ = timer.autorange()
    return 1e9 * min(timer.repeat(5, max(1, calls // 5))) / max(1, calls // 5)


def names_for(module: Any) -> dict[str, Any]:
    a, b = leaves(module, [normal(2, 2), normal(2, 2, seed=1)])
    s, t = leaves(module, [normal(seed=2), normal(seed=3)])
    return {"a": a, "b": b, "s": s, "t": t, "F": module}


def main(expression: str) -> None:
    (minigrad,) = load("minigrad")
    names = names_for(minigrad)
    code = compile(expression, "<expression>", "exec")
    exec(code, names)  # caches are warm afterwards
    folder = os.path.dirname(minigrad.__file__)
    counts = bytecodes(code, names, folder)
    print(f"{expression}: {nanoseconds(expression, names):.0f} ns, {counts.total()} bytecodes")
    for (file, number), count in counts.items():
        place = f"{os.path.relpath(file, folder)}:{number}"
        print(f"{count:4} {place:32} {linecache.getline(file, number).rstrip()}")


if __name__ == "__main__":
    for argument in sys.argv[1:] or ["a + b"]:
        main(argument)
