"""`python -m tests.cupy_record`: what CuPy has, as data/cupy.json. Needs CuPy, and no GPU.

`functions`: NumPy's functions that CuPy has too, with their parameters (None: any; "ufunc");
`ndarray`: the same of an array's attributes; `ufunc methods`: `reduce` and its kin, and for which
ufuncs CuPy has them.
"""

import inspect
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

ROOMS = ("", "linalg.", "lib.stride_tricks.")
METHODS = {"reduce": (), "accumulate": (), "at": (0, 1), "reduceat": ([0],)}


def parameters(function: Any) -> list[str] | None:
    """Names, from the signature or else from the first line of the docstring; None if any will do."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        head = re.match(r"[\w.]+\((.*)\)", (function.__doc__ or "").strip().split("\n")[0])
        return re.findall(r"(?:^|, |, \w+ )(\w+)(?=[,=]|$)", head[1]) if head else None
    if any(p.kind is p.VAR_KEYWORD for p in found):
        return None
    return [p.name for p in found if p.kind is not p.VAR_POSITIONAL]


def functions(cupy: Any) -> dict[str, Any]:
    found = {}
    for room in ROOMS:
        ours, theirs = np, cupy
        for part in room.split(".")[:-1]:
            ours, theirs = getattr(ours, part), getattr(theirs, part)
        for name in dir(ours):
            function = getattr(theirs, name, None)
            own = callable(function) and function is not getattr(ours, name)
            if own and name[0] != "_" and not isinstance(function, type):
                is_ufunc = isinstance(function, cupy.ufunc)
                found[room + name] = "ufunc" if is_ufunc else parameters(function)
    return found


def attributes(cupy: Any) -> dict[str, Any]:
    known = {n: getattr(cupy.ndarray, n) for n in dir(cupy.ndarray) if n[0] != "_"}
    return {n: parameters(a) if callable(a) else None for n, a in known.items()}


def has_method(array: Any, name: str, method: str) -> bool:
    """Whether CuPy gets as far as looking for a GPU."""
    try:
        getattr(getattr(np, name), method)(array, *METHODS[method])
    except Exception as error:
        return "CUDA" in f"{type(error).__name__}: {error}"
    return True


def main() -> None:
    import cupy

    memory = np.zeros(4)  # stands for a GPU's: nothing is ever computed with it
    place = cupy.cuda.UnownedMemory(memory.ctypes.data, memory.nbytes, memory, 0)
    array = cupy.ndarray((2, 2), "f", memptr=cupy.cuda.MemoryPointer(place, 0))
    known = functions(cupy)
    pairs = [n for n, kind in known.items() if kind == "ufunc" and getattr(getattr(np, n), "nin", 0) == 2]
    methods = {m: [n for n in pairs if has_method(array, n, m)] for m in METHODS}
    recorded = {"cupy": cupy.__version__, "functions": known, "ndarray": attributes(cupy),
                "ufunc methods": methods}
    target = Path(__file__).parent / "data/cupy.json"
    target.write_text(json.dumps(recorded, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
