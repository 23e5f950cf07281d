"""What older PyTorches named and said differently: one table, `table.toml`, read by version.

A history is a string of changes, `"0.3 MeanBackward1, 1.1 MeanBackward0"`: from which version on, what.
"""

import tomllib
from pathlib import Path
from typing import Any

Version = tuple[int, ...]

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("table.toml").read_text("utf-8"))
KNOWN: list[str] = _TABLE["known"].split()
NAMES, IN_0_2, MESSAGES, KINDS = (_TABLE[name] for name in ("names", "in_0_2", "messages", "kinds"))
LATER_NAMES: list[list[str]] = _TABLE["later_names"]


def parsed(version: str) -> Version:
    """`"1.10.2"` as numbers, which compare."""
    return tuple(map(int, version.split(".")))


def entry_at(version: Version, history: str) -> str:
    """What a history says of a version: the last change that is not later."""
    changes = (change.split() for change in history.split(", "))
    return [name for since, name in changes if parsed(since) <= version][-1]
