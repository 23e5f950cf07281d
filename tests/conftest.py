"""What every test run shares: no test is left out in silence, and none at all where CI is set.

Tests in a folder named e2e, or marked `browser`, need a Chromium; a test whose module imports
the real torch, or whose parameter `oracle` is torch, is marked `oracle`.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec

import hypothesis
import pytest

from tests.browser import HOW_TO_GET_ONE, find_browser

ON_CI = os.environ.get("CI") == "true"
NO_TORCH = (
    "No torch here: the live comparisons were left out, the recorded ones ran. Get it with: "
    "pip install torch==2.13.0"
)

hypothesis.settings.register_profile("tests", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("tests")

left_out: dict[str, None] = {}      # each skip, and in one line all that wait for a browser


def needs_browser(item: pytest.Item) -> bool:
    return "e2e" in item.path.parts or item.get_closest_marker("browser") is not None


def uses_torch(item: pytest.Item) -> bool:
    torch, case = sys.modules.get("torch"), getattr(item, "callspec", None)
    if case and case.params.get("oracle") == "torch":
        return True
    return torch is not None and torch in vars(getattr(item, "module", None) or object).values()


@pytest.hookimpl(tryfirst=True)                     # before -m looks at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if needs_browser(item):
            item.add_marker("browser")
        if uses_torch(item):
            item.add_marker("oracle")
    slow = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in slow)      # else one core would wait for the other at the end
    if find_browser() is None:
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(HOW_TO_GET_ONE))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    note_skip(report)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    note_skip(report)


def note_skip(report: pytest.CollectReport | pytest.TestReport) -> None:
    nothing_to_run = "empty parameter set for (oracle)" in str(report.longrepr)      # no torch, no case
    if report.skipped and not nothing_to_run and not hasattr(report, "wasxfail"):
        left_out[HOW_TO_GET_ONE if HOW_TO_GET_ONE in str(report.longrepr) else f"skipped: {report.nodeid}"] = None


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if ON_CI and left_out and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    hints = [line for line in left_out if ON_CI or not line.startswith("skipped")]
    if find_spec("torch") is None:
        hints = [*hints, NO_TORCH]
    if hints:
        title = "LEFT OUT, which fails where CI is set" if ON_CI else "left out"
        terminalreporter.section(title)
        terminalreporter.write_line("\n".join(hints))


def pytest_collection_finish(session: pytest.Session) -> None:
    """What has been read so far stays: a collection of garbage need not look at it again, which takes a second."""
    gc.collect()
    gc.freeze()
