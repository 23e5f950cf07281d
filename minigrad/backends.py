"""torch.backends, and torch's other switches for kernels and threads, which programs set in their first lines.

They keep what is put in, without effect: no such library is here, and NumPy reads its number of threads from the
environment (`OMP_NUM_THREADS`) when it is imported.
"""

import os
import sys
from types import ModuleType
from typing import Any

from .core.beside.refusals import type_said
from .manual import face
from .text.presentation import need, require


class Library(ModuleType):
    """A library that torch may have behind it: here it is not available, and its switches do nothing."""

    def __init__(self, name: str, **switches: Any) -> None:
        super().__init__(f"{__name__}.{name}")
        vars(self).update(switches)
        sys.modules[self.__name__] = self  # for `import torch.backends.cudnn`

    def is_available(self) -> bool:
        """Whether torch could use it."""
        return False

    is_built = is_available

    def __setattr__(self, name: str, value: Any) -> None:
        fits = type(vars(self).get(name)) is not bool or type(value) is bool
        need(fits, "switch_kind", f"set_{name}_{self.__name__.rpartition('.')[2]}", "a bool", type_said(value))
        vars(self)[name] = value


cudnn = Library("cudnn", enabled=True, deterministic=False, benchmark=False, allow_tf32=True)
mps, cuda = Library("mps"), Library("cuda", matmul=Library("cuda.matmul", allow_tf32=False))
_kept: dict[str, Any] = {"threads": os.cpu_count(), "deterministic": False}


def set_num_threads(n: int) -> None:
    """Keep the number of threads that the program wants. Raises: RuntimeError if it is none."""
    need(type(n) is int, "switch_kind", "set_num_threads", "an int", type_said(n))
    require(n > 0, "set_num_threads expects a positive integer")
    _kept["threads"] = n


def get_num_threads() -> int:
    """The number that was set, else that of the processor's cores."""
    return _kept["threads"]


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Keep whether each run must give the same numbers: here it always does."""
    need(isinstance(mode, bool), "argument_kind", "_set_deterministic_algorithms", "mode", 1, "bool", type_said(mode))
    _kept["deterministic"] = mode


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` was told."""
    return _kept["deterministic"]


__getattr__, __dir__ = face("torch.backends", globals())
