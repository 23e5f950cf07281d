"""Pictures of the graph. Everything here sees only the records of `minigrad.graph.snapshot`."""

from importlib import import_module

_HOME = {"draw": "display", "Drawing": "display", "step": "player", "Player": "player",
         "watch": "watch", "Watch": "watch", "why": "why", "Explanation": "why",
         "paths": "paths", "Paths": "paths"}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f"{__name__}.{_HOME[name]}")
    value = globals()[name] = getattr(home, name)  # over the module of the same name
    return value
