"""`import minigrad` is cheap and quiet, and notices a stranger of the same name."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from minigrad._foreign import foreign_distributions, warn_of_foreign
from minigrad.text import set_language

HEAVY = ("IPython", "ipywidgets", "anywidget", "graphviz", "pygraphviz", "torch", "cupy",
         "matplotlib", "importlib.metadata", "tomllib", "latex2mathml")


def python(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout + done.stderr


def test_importing_loads_numpy_and_nothing_heavy():
    code = f"import sys, minigrad; print([name for name in {HEAVY!r} if name in sys.modules])"

    assert python(code) == "[]\n"


def test_importing_says_nothing_and_leaves_no_warning():
    assert python("import minigrad") == ""


def test_a_kind_of_node_is_made_when_the_first_is_recorded():
    code = """
import minigrad
from minigrad.core.row import TABLE
made = sum(row.made is not None for row in TABLE.values())
before, node = TABLE["cosh"].made, minigrad.ones(2, requires_grad=True).cosh().grad_fn
print(made < len(TABLE) / 8, before, type(node) is TABLE["cosh"].made is TABLE["cosh"].node)
"""

    assert python(code) == "True None True\n"


def test_every_public_name_can_be_had():
    code = """
import minigrad, minigrad.viz
names = {*dir(minigrad), *minigrad._LAZY}
print([name for name in sorted(names) if not hasattr(minigrad, name)])
"""

    assert python(code) == "[]\n"


def test_the_types_are_published():
    import minigrad

    assert (Path(minigrad.__file__).parent / "py.typed").exists()


@pytest.fixture
def site_packages(tmp_path: Path) -> Path:
    folder = tmp_path / "site-packages"
    (folder / "minigrad_lab-0.1.0.dist-info").mkdir(parents=True)
    return folder


def test_our_own_distribution_is_no_stranger(site_packages: Path):
    assert foreign_distributions([str(site_packages)]) == []


def test_folders_that_nobody_installs_into_are_not_searched(tmp_path: Path):
    (tmp_path / "minigrad-1.0.dist-info").mkdir()

    assert foreign_distributions([str(tmp_path)]) == []


@pytest.mark.parametrize(("language", "word"), [("en", "another project"), ("zh", "另一个项目")])
def test_a_stranger_of_the_same_name_is_reported_with_the_way_out(
    site_packages: Path, language: str, word: str
):
    (site_packages / "minigrad-2.3.dist-info").mkdir()
    set_language(language)

    try:
        with pytest.warns(UserWarning, match=word) as caught:
            warn_of_foreign([str(site_packages)])
    finally:
        set_language("en")

    text = str(caught[0].message)
    assert "2.3" in text
    assert "pip uninstall -y minigrad" in text
    assert "minigrad-lab" in text


def test_no_stranger_no_word(site_packages: Path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_foreign([str(site_packages)])

    assert not caught
