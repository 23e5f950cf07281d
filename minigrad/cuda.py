"""torch.cuda: is there a GPU that CuPy can reach?

Everything else that a GPU does goes by `device="cuda"`, through `array.backend`.
"""

from .array.backend import device_count
from .manual import face


def is_available() -> bool:
    """True if `device="cuda"` works: CuPy is installed and finds a GPU."""
    return device_count() > 0


__getattr__, __dir__ = face("torch.cuda", globals())
