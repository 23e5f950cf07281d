"""torch.save and torch.load: tensors, state dicts and other plain values in a file.

The file is a pickle, made and read by minigrad alone. Source of the rules: torch.serialization.
"""

from __future__ import annotations

import contextlib
import pickle
from typing import Any

from ..array import dtypes
from ..text import presentation

_ROOMS = ("minigrad", "numpy", "collections")
_NAMES = {"_restored", "Tensor", "Parameter", "Size", "device", "OrderedDict", "defaultdict",
          "_reconstruct", "_frombuffer", "ndarray", "dtype", "scalar"}


class _Weights(pickle.Unpickler):
    """Makes tensors and containers, and calls nothing else that a file may name."""

    def find_class(self, module: str, name: str) -> Any:
        kind = isinstance(getattr(dtypes, name, None), dtypes.dtype)
        if module.split(".")[0] in _ROOMS and (name in _NAMES or kind):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"Weights only load failed. Unsupported global: GLOBAL {module}.{name} was not an allowed global by "
            "default. Only with a file that you trust: load(f, weights_only=False).")


def _opened(f: Any, mode: str) -> Any:
    return contextlib.nullcontext(f) if hasattr(f, "read") else open(f, mode)


def save(obj: Any, f: Any) -> None:
    """Write `obj` to `f`, a path or an open binary file; of a tensor numbers and flag, not its history."""
    with _opened(f, "wb") as file:
        pickle.dump(obj, file)


def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """What `save` wrote to `f`. `map_location` has no effect: arrays come back to the CPU.

    Raises: pickle.UnpicklingError for anything but tensors and containers, unless `weights_only` is
    False; RuntimeError for a file that PyTorch wrote.
    """
    with _opened(f, "rb") as file:
        begin = file.tell()
        if file.read(2) == b"PK":
            raise presentation.error(RuntimeError, "foreign_file", "a file that PyTorch wrote cannot be read")
        file.seek(begin)
        return _Weights(file).load() if weights_only else pickle.load(file)
