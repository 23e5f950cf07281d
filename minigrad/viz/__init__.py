"""Pictures of the graph. Everything here sees only the records of `minigrad.graph.snapshot`."""

from importlib import import_module
from typing import Any

# no file bears the name of a function in it: importing the file would hide the function
_HOME = {"draw": "display", "Drawing": "display", "step": "player", "Player": "player",
         "watch": "panel", "Watch": "panel", "why": "reasons", "Explanation": "reasons",
         "paths": "routes", "Paths": "routes"}
__all__ = sorted(_HOME)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
