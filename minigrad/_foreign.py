"""Is another project's `minigrad` installed here as well?

The package index has a distribution called minigrad that is not this one (ours is minigrad-lab),
and both would own the same folder. importlib.metadata could tell, for 16 ms on every import;
looking for the folder that an installer leaves behind takes less than one.
"""

import os
import sys
import warnings


def foreign_distributions(folders: list[str]) -> list[tuple[str, str]]:
    """(folder, version) of each distribution named minigrad in `folders`."""
    return [(path, name.removeprefix("minigrad-").removesuffix(".dist-info"))
            for path in folders if path.endswith(("site-packages", "dist-packages")) and os.path.isdir(path)
            for name in os.listdir(path) if name.startswith("minigrad-") and name.endswith(".dist-info")]


def warn_of_foreign(folders: list[str] = sys.path) -> None:
    """Say what to do about a stranger of the same name in `folders`; say nothing where there is none."""
    for folder, version in foreign_distributions(folders):
        from .text import say

        warnings.warn(say("package.foreign", version=version, folder=folder), stacklevel=2)
