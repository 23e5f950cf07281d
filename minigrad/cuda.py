"""torch.cuda: is there a GPU that CuPy can reach?

Everything else that a GPU does goes by `device="cuda"`, through `array.backend`. Random numbers for it are drawn from
the one generator, so that `torch.manual_seed` has seeded them too.
"""

from .array.backend import cupy, device_count
from .manual import face


def is_available() -> bool:
    """True if `device="cuda"` works: CuPy is installed and finds a GPU."""
    return device_count() > 0


def manual_seed(seed: int) -> None:
    """Changes nothing: a GPU has no generator of its own here."""
    int(seed)  # torch takes what can be an int


manual_seed_all = manual_seed


def synchronize(device: object = None) -> None:
    """Wait until the GPU has done what it was told. Raises: AssertionError without CuPy."""
    cupy().cuda.runtime.deviceSynchronize()


def empty_cache() -> None:
    """Changes nothing: CuPy gives back by itself what it keeps for later, as soon as memory is short."""


__getattr__, __dir__ = face("torch.cuda", globals())
