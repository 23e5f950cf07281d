"""Work for the second core: what a test only waits for begins before the first test, in processes of its own.

    def work() -> CompletedProcess:
        return beside.run(sys.executable, "-m", "a long program")

    @pytest.mark.beside(work=work)
    def test_the_program_says_so(result):
        assert result.stdout == "so"

Such tests come last. One work follows the other, so that the first core stays with the other tests.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

RESULT = pytest.StashKey[Future]()

_thread = ThreadPoolExecutor(1)
_running: set[subprocess.Popen] = set()


def begin(items: Iterable[pytest.Item]) -> None:
    for item in items:
        if mark := item.get_closest_marker("beside"):
            item.stash[RESULT] = _thread.submit(mark.kwargs["work"])


def run(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as `subprocess.run` does, and catch what it says; it ends with the tests at the latest."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", **options) as process:
        _running.add(process)
        try:
            out, err = process.communicate(timeout=900)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def stop() -> None:
    """Leave nothing behind where the tests end early."""
    _thread.shutdown(wait=False, cancel_futures=True)
    for process in _running:
        process.kill()
