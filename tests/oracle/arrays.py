"""Arrays to print and programs of random draws, the same for torch and for minigrad.

Cases come out of Python's own `random.random()`, whose stream is promised to stay, so that a
recording needs the number of a case and torch's answer only.
`python -m tests.oracle.arrays` asks torch and writes tests/data/printing.json and random.json.
"""

import json
import math
import random
from pathlib import Path
from types import ModuleType

import numpy as np

from minigrad.array import random as draws

DATA = Path(__file__).parents[1] / "data"
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool")
SPECIAL = (0.0, -0.0, 1.0, 2.0, 0.5, 1e-4, 1e8, 1e3, 1001.0, 1e-5, 123456.0, 1e30, 1e-40)
NOT_FINITE = (math.nan, math.inf, -math.inf, 0.0, -0.0)
SHAPES_OVER_1000 = ((1001,), (40, 40), (7, 200), (200, 7), (20, 10, 9), (8, 8, 8, 3), (1, 2000))
OPTIONS = {
    "precision": (0, 1, 2, 6, 8),
    "threshold": (0, 5, 50, math.inf),
    "edgeitems": (0, 1, 2, 5),
    "linewidth": (20, 40, 79, 120),
    "profile": ("default", "short", "full"),
    "sci_mode": (True, False),
}
SUFFIXES = ("requires_grad=True", "grad_fn=<CloneBackward0>")


class Chance:
    """A random source that uses `random()` alone."""

    def __init__(self, seed: int):
        self.next = random.Random(seed).random

    def below(self, n: int) -> int:
        return int(self.next() * n)

    def pick(self, items):
        return items[self.below(len(items))]

    def odds(self, p: float) -> bool:
        return self.next() < p


def recorded(name: str) -> dict:
    """What torch said when it was asked."""
    return json.loads((DATA / name).read_text("utf-8"))


def write(name: str, recording: dict) -> None:
    """One case a line."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in recording.items()]
    (DATA / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


# ---- printing ------------------------------------------------------------------------------


def floats(chance: Chance, n: int) -> list[float]:
    """Values of one of the kinds that a printer tells apart."""
    scale = 10.0 ** (chance.below(16) - 6)
    kinds = {
        "plain": lambda: (chance.next() - 0.5) * scale,
        "whole": lambda: float(round((chance.next() - 0.5) * scale)),
        "spread": lambda: (chance.next() - 0.5) * 10.0 ** (chance.below(11) - 5),
        "special": lambda: chance.pick((*SPECIAL, *NOT_FINITE)),
        "not finite": lambda: chance.pick(NOT_FINITE),
        "mixed": lambda: chance.pick(NOT_FINITE) if chance.odds(0.1) else chance.next() * scale,
    }
    make = kinds[chance.pick(tuple(kinds))]
    return [make() for _ in range(n)]


def array_to_print(chance: Chance) -> np.ndarray:
    dtype = np.dtype(chance.pick(DTYPES))
    ndim = chance.below(5)
    largest, smallest = (60, 12, 8, 5)[max(ndim - 1, 0)], 0 if chance.odds(0.1) else 1
    shape = tuple(smallest + chance.below(largest - smallest) for _ in range(ndim))
    if chance.odds(0.06):
        shape = chance.pick(SHAPES_OVER_1000)
    n = math.prod(shape)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.array(floats(chance, n), "float64").astype(dtype).reshape(shape)
    scale = 10.0 ** chance.below(19)
    values = [int((chance.next() - 0.5) * scale) for _ in range(n)]
    return np.array(values, "int64").astype(dtype).reshape(shape)


def printing_case(seed: int) -> tuple[np.ndarray, dict, list[str]]:
    """An array, print options and the suffix a tensor would add."""
    chance = Chance(seed)
    array = array_to_print(chance)
    options = {}
    if chance.odds(0.3):
        options = {k: chance.pick(v) for k, v in OPTIONS.items() if chance.odds(0.35)}
    suffixes = [chance.pick(SUFFIXES)] if array.dtype.kind == "f" and chance.odds(0.4) else []
    return array, options, suffixes


def printed_by_torch(torch: ModuleType, seed: int) -> str:
    array, options, suffixes = printing_case(seed)
    tensor = torch.from_numpy(array)
    if suffixes:
        tensor.requires_grad_()
        tensor = tensor if suffixes[0] == SUFFIXES[0] else tensor.clone()
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    try:
        return str(tensor)
    finally:
        torch.set_printoptions(profile="default")


# ---- random --------------------------------------------------------------------------------

# On Intel processors torch draws these from MKL's own streams: they are compared with the
# recording, which follows the code torch runs on every other processor.
ONLY_RECORDED = ("coin", "exponential", "race")


def program(seed: int, length: int = 12) -> list[tuple]:
    """A seed and calls `(kind, n, dtype, a, b)`."""
    chance = Chance(seed)
    calls = [("seed", 0, "", int((chance.next() - 0.5) * 2**64), 0)]
    kinds = ("uniform", "uniform01", "normal", "normal01", "integers", "permutation")
    for _ in range(length):
        kind = chance.pick((*kinds, "bernoulli", "with replacement", *ONLY_RECORDED))
        a, b = chance.next() * 4 - 2, chance.next() * 3
        if kind == "integers":
            a = int(a * 2.0 ** chance.below(61))
            b = a + 1 + int(b / 3 * 2.0 ** chance.below(61))
        calls.append((kind, chance.below(41), chance.pick(DTYPES[:3]), a, b))
    return calls


def weights(n: int, dtype: str) -> np.ndarray:
    return (np.arange(1, n + 1) % 7 / 8).astype(dtype)


def drawn_by_torch(torch: ModuleType, kind: str, n: int, dtype: str, a: float, b: float):
    """One call's numbers from torch, as an array."""
    empty = torch.empty(n, dtype=getattr(torch, dtype or "float32"))
    p = torch.from_numpy(weights(n, dtype or "float32"))
    answers = {
        "seed": lambda: torch.manual_seed(a).get_state(),
        "uniform": lambda: empty.uniform_(a, a + b),
        "uniform01": lambda: torch.rand(n, dtype=empty.dtype),
        "normal": lambda: empty.normal_(a, b),
        "normal01": lambda: torch.randn(n, dtype=empty.dtype),
        "integers": lambda: torch.randint(a, b, (n,)),
        "permutation": lambda: torch.randperm(n),
        "bernoulli": lambda: torch.bernoulli(p),
        "with replacement": lambda: torch.multinomial(torch.ones(n + 1).cumsum(0), 5, True),
        "coin": lambda: empty.bernoulli_(0.3),
        "exponential": lambda: empty.exponential_(1.5),
        "race": lambda: torch.multinomial(torch.ones(n + 1).cumsum(0), n // 2 + 1),
    }
    return answers[kind]().numpy()


def drawn_by_minigrad(kind: str, n: int, dtype: str, a: float, b: float) -> np.ndarray:
    """The same call's numbers from minigrad."""
    rising = np.arange(1, n + 2, dtype="float32")
    dtype = np.dtype(dtype or "float32")
    answers = {
        "seed": lambda: draws.manual_seed(a).get_state(),
        "uniform": lambda: draws.uniform((n,), dtype, a, a + b),
        "uniform01": lambda: draws.uniform((n,), dtype),
        "normal": lambda: draws.normal((n,), dtype, a, b),
        "normal01": lambda: draws.normal((n,), dtype),
        "integers": lambda: draws.integers((n,), low=a, high=b),
        "permutation": lambda: draws.permutation(n),
        "bernoulli": lambda: draws.bernoulli(weights(n, dtype)).astype(dtype),
        "with replacement": lambda: draws.multinomial(rising, 5, True),
        "coin": lambda: draws.bernoulli(0.3, (n,)).astype(dtype),
        "exponential": lambda: draws.exponential((n,), dtype, 1.5),
        "race": lambda: draws.multinomial(rising, n // 2 + 1),
    }
    return answers[kind]()


def allowance(kind: str, n: int, dtype: str) -> float:
    """0 where the numbers are exact; else how far vector functions may differ around 1."""
    if kind == "exponential" or (kind.startswith("normal") and n >= 16):
        return {"float64": 1e-15, "float32": 3e-7, "float16": 1e-3}[dtype]
    return 0.0


def main() -> None:
    import torch

    texts = {str(seed): printed_by_torch(torch, seed) for seed in range(200)}
    write("printing.json", texts)
    numbers = {}
    for seed in range(24):
        drawn = [drawn_by_torch(torch, *call).tolist() for call in program(seed)]
        numbers[str(seed)] = drawn[1:]  # the first is the state that seeding leaves
    write("random.json", numbers)


if __name__ == "__main__":
    main()
