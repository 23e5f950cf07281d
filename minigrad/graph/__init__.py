"""Graphs as data: `read` a minigrad tensor, `read_torch` a real torch one, `record` a backward.

Each gives the frozen records of `snapshot`, and the pictures in `minigrad.viz` see only those.
"""

from importlib import import_module
from typing import Any

_HOME = {"read": "live", "read_torch": "from_torch", "record": "recorder",
         "Graph": "snapshot", "NodeRecord": "snapshot", "TensorRecord": "snapshot", "Edge": "snapshot",
         "Saved": "snapshot", "Hook": "snapshot"}
__all__ = sorted(_HOME)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
