"""The package and its tests in a folder of their own, where a part is taken out or a mistake is put in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OF_THE_HOUSE = "bench binder docs floors glossary left_out mutants notebook_tools stubs tutorials".split()
WHICH = ["-m", "not (long or browser or gpu or oracle)"]  # oracle: with torch; what it said is recorded
# for pytest: every test of what minigrad does, not of what is written about it
WHAT_IT_DOES = [*WHICH, *(f"--ignore-glob=tests/*{name}*" for name in OF_THE_HOUSE),
                "tests", "tests/test_docs.py::test_the_picture_is_what_the_program_draws",
                "tests/test_docs.py::test_the_page_of_derivatives_is_what_the_table_prints"]


def copy_to(folder: Path) -> dict[str, str]:
    """Copy what the tests need; the environment in which Python finds the copy, and no other minigrad."""
    for part in ("minigrad", "tests", "notebooks"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "README.zh-CN.md"):
        shutil.copy(ROOT / file, folder)
    return {**os.environ, "PYTHONPATH": str(folder)}
