"""No test is left out in silence: what a run says about it, here and where CI is set."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import browser

ROOT = Path(__file__).resolve().parent.parent
SKIPS = "import pytest\n\ndef test_runs():\n    assert 1\n\ndef test_waits():\n    pytest.skip('x')\n"
BROWSES = "import pytest\n\n@pytest.mark.browser\ndef test_clicks():\n    assert 1\n"
NO_CASE = "import pytest\n" + "".join(
    f"\n@pytest.mark.parametrize('{n}', [])\ndef test_{n}({n}):\n    assert {n}\n" for n in ("oracle", "n"))
IMPORTS_TORCH = "import torch\n\ndef test_one():\n    assert torch\n"


def run(folder: Path, test: str, *options: str, **environment: str) -> tuple[int, str]:
    """A run of one test file under this project's conftest and nothing else of it."""
    (folder / "test_it.py").write_text(test)
    (folder / "torch.py").write_text("")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  browser: b\n  oracle: o\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", "pytest.ini", *options]
    kept = {name: value for name, value in os.environ.items() if name != "CI"}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"       # nothing else: no other plugin either
    kept["PYTHONPATH"] = os.pathsep.join([str(folder), str(ROOT)])
    done = subprocess.run(
        command, cwd=folder, env=kept | environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def test_a_skip_passes_on_a_desk(tmp_path: Path):
    code, said = run(tmp_path, SKIPS)

    assert code == 0
    assert "1 passed, 1 skipped" in said


def test_a_skip_fails_where_changes_are_checked(tmp_path: Path):
    code, said = run(tmp_path, SKIPS, CI="true")

    assert code == 1
    assert "skipped: test_it.py::test_waits" in said


def test_a_list_without_cases_leaves_something_out_but_where_torch_would_be_the_case(tmp_path: Path):
    code, said = run(tmp_path, NO_CASE, CI="true")

    assert code == 1
    assert re.findall(r"skipped: (\S+)", said) == ["test_it.py::test_n[NOTSET]"]


def test_a_test_whose_module_imports_torch_is_marked(tmp_path: Path):
    code, said = run(tmp_path, IMPORTS_TORCH, "-m", "oracle")

    assert code == 0
    assert "1 passed" in said


@pytest.fixture
def no_browser(tmp_path: Path) -> dict[str, str]:
    """An environment in which no browser can be found: an empty PATH and an empty home."""
    return {name: str(tmp_path) for name in ("PATH", "HOME", "USERPROFILE", "CHROMIUM",
                                              "ProgramFiles", "ProgramFiles(x86)", "LocalAppData")}


@pytest.mark.skipif(sys.platform == "darwin", reason="Chrome is looked for in /Applications")
def test_where_there_is_no_browser_one_line_says_how_to_get_one(
    tmp_path: Path, no_browser: dict[str, str]
):
    code, said = run(tmp_path, BROWSES, **no_browser)

    assert code == 0
    assert "1 skipped" in said
    assert "playwright install chromium" in said
    assert said.count("No Chromium or Chrome here") == 1


@pytest.mark.skipif(sys.platform == "darwin", reason="Chrome is looked for in /Applications")
def test_a_missing_browser_fails_where_changes_are_checked(tmp_path: Path, no_browser: dict[str, str]):
    assert run(tmp_path, BROWSES, CI="true", **no_browser)[0] == 1


def test_a_browser_named_in_the_environment_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    program = tmp_path / "chromium"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(program))

    assert browser.find_browser() == str(program)
