"""Graphs as data: `read` a minigrad tensor, `read_torch` a real torch one, `record` a backward.

Each gives the frozen records of `snapshot`, and the pictures in `minigrad.viz` see only those.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_HOME = {"read": "live", "read_torch": "from_torch", "record": "recorder", "broken": "faults", "scopes": "torch_scopes",
         **dict.fromkeys(("Graph", "NodeRecord", "TensorRecord", "Edge", "Saved", "Hook"), "snapshot")}
__all__ = sorted(_HOME)


def fetcher(package: str, home: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`: a name is fetched from its home, a file, when it is first used; from
    `file:WORD` what bears another name there."""

    def fetch(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        file, _, word = home[name].partition(":")
        return getattr(import_module(f"{package}.{file}"), word or name)

    return fetch, lambda: sorted(home)


__getattr__, __dir__ = fetcher(__name__, _HOME)
