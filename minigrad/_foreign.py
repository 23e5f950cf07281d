"""Is another project's `minigrad` installed here as well?

The package index has a distribution called minigrad that is not this one (ours is minigrad-lab),
and both would own the same folder. importlib.metadata could tell, for 16 ms on every import;
looking for the folder that an installer leaves behind takes a tenth of one.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path


def foreign_distributions(folders: list[str] | None = None) -> list[Path]:
    """The `*.dist-info` folders of distributions named minigrad, on `sys.path` or in `folders`."""
    paths = map(Path, sys.path if folders is None else folders)
    installed = {path for path in paths if path.name in ("site-packages", "dist-packages")}
    return [found for path in sorted(installed) for found in path.glob("minigrad-*.dist-info")]


def warn_of_foreign(folders: list[str] | None = None) -> None:
    """Say what to do about a stranger of the same name; say nothing where there is none."""
    for found in foreign_distributions(folders):
        from .text import say

        version = found.name.removeprefix("minigrad-").removesuffix(".dist-info")
        warnings.warn(say("package.foreign", version=version, folder=found.parent), stacklevel=2)
