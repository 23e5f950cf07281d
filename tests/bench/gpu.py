"""What a GPU gains: the same programs on the CPU and with CuPy, after the tests marked `gpu`. `make gpu` runs both.

    python -m tests.bench.gpu [--look]

`--look` only says whether there is a GPU, and ends with 1 where there is none. A time is the median of ten calls,
each waited for to its end.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from statistics import median

import minigrad as torch

NONE = """No GPU that CuPy can use: {why}.
`make gpu` needs an NVIDIA GPU with its driver, and CuPy for the driver's CUDA: cupy-cuda13x comes with
`make gpu` on Linux and Windows; for an older driver `.venv/bin/pip install cupy-cuda12x` in its place.
Everything else here runs without one: make test"""


def chain(device: str, size: int) -> Callable:
    x = torch.rand(size, size, device=device, requires_grad=True)
    return lambda: (torch.tanh(x * x + 1).exp() / 2).sum().backward()


def product(device: str, size: int) -> Callable:
    a, b = (torch.rand(size, size, device=device, requires_grad=True) for _ in "ab")
    return lambda: (a @ b).sum().backward()


def perceptron(device: str, size: int) -> Callable:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(784, size), nn.ReLU(), nn.Linear(size, 10)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x, y = torch.rand(128, 784, device=device), (torch.arange(128) % 10).to(device)

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    return step


PROGRAMS = {"a chain, forward and backward": (chain, 2048), "a product of matrices": (product, 1024),
            "a training step, 784-512-10": (perceptron, 512)}


def wait(device: str) -> None:
    if device == "cuda":
        import cupy

        cupy.cuda.Device().synchronize()


def seconds(step: Callable, device: str) -> float:
    times = []
    for _ in range(11):
        start = time.perf_counter()
        step()
        wait(device)
        times.append(time.perf_counter() - start)
    return median(times[1:])  # the first compiles


def main(argv: list[str]) -> int:
    if not torch.cuda.is_available():
        try:
            import cupy  # noqa: F401
        except ImportError as error:
            why = f"CuPy cannot be imported ({error})"
        else:
            why = "CuPy is here, but finds no device"
        print(NONE.format(why=why))
        return 1
    if "--look" in argv:
        return 0
    print(f"Python {platform.python_version()}, NumPy {version('numpy')}, CuPy {sys.modules['cupy'].__version__}, "
          f"{torch.cuda.device_count()} GPU")
    print("| program | CPU | GPU | times faster |\n|---|---|---|---|")
    for title, (program, size) in PROGRAMS.items():
        cpu, gpu = (seconds(program(device, size), device) for device in ("cpu", "cuda"))
        print(f"| {title} | {1e3 * cpu:.2f} ms | {1e3 * gpu:.2f} ms | {cpu / gpu:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
