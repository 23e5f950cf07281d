"""A real JupyterLab in a real Chromium: started once, on its own folders and its own port.

Every request that would leave this machine is blocked and remembered. Kernel state is polled, for
the browser keeps one message per widget in flight and holds later ones back until it is answered.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.browser import find_browser

REPOSITORY = Path(__file__).parents[2]
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]     # a route in Python would turn the cache off
SLOW = "[anywidget] Failed to initialize model."  # says a clock of two seconds; what did fail is an error of its own
LOCAL = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "file:", "about:")
IDLE = """() => { const context = window.jupyterapp?.shell?.currentWidget?.sessionContext;
    return context?.isReady && context.session?.kernel?.status === 'idle'; }"""
CLOSE = """async () => { for (const one of [...window.jupyterapp.shell.widgets('main')]) {
    await one.sessionContext?.shutdown();
    if (one.context) one.context.model.dirty = false;
    one.close();
    while (!one.isDisposed) await new Promise((go) => setTimeout(go, 10)); } }"""
# what a command returns is a widget, too large to be handed over: nothing is returned
OPEN = "async (path) => { await window.jupyterapp.commands.execute('docmanager:open', { path }); }"
CLEAR = "async () => { await window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs'); }"
STARTED = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .some((cell) => cell.model.type === 'code' && cell.model.executionCount !== null
        || cell.model.executionState === 'running')"""
ALL_RAN = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter((cell) => cell.model.type === 'code')
    .every((cell) => cell.model.executionCount !== null && cell.model.executionState !== 'running')"""
MOUNTED = """() => [...document.querySelectorAll('[data-model]')]
    .every((place) => place.querySelector('.mg-player, .mg-comparison, .mg-moment'))"""
EXECUTE = """async (code) => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({ code, store_history: false });
    let out = '';
    future.onIOPub = ({ header, content }) => {
        if (header.msg_type === 'stream') out += content.text;
        if (header.msg_type === 'error') out += 'ERROR ' + content.evalue;
    };
    await future.done;
    return out;
}"""


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """A browser with a fresh profile. Where there is none, `tests/conftest.py` says so."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")), executable_path=find_browser(), headless=True,
            args=ARGS, viewport={"width": 1280, "height": 720}, locale="en-US")
        yield context
        context.close()


@pytest.fixture
def page(chromium):
    """A tab that cannot leave the machine; nothing may have tried to when the test ends.

    A page's widgets come to life after it has loaded: `goto` waits for them, as a reader would.
    """
    tab = chromium.new_page()
    load = tab.goto

    def goto(url: str) -> None:
        load(url)
        tab.wait_for_function(MOUNTED)

    tab.goto = goto
    with watched(tab):
        yield tab
    tab.close()


@contextlib.contextmanager
def watched(tab: Any) -> Iterator[None]:
    """What a test finds as it opens a tab, and what must be true of it at the end."""
    asked, errors = [], []
    listeners = {"request": lambda request: asked.append(request.url), "pageerror": lambda e: errors.append(str(e))}
    for event, listener in listeners.items():
        tab.on(event, listener)
    tab.set_default_timeout(60_000)
    tab.emulate_media(reduced_motion="reduce")  # what moves has tests of its own
    yield
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    assert [url for url in asked if not url.startswith(LOCAL)] == []
    assert [error for error in errors if error != SLOW] == []


@pytest.fixture(scope="session")
def jupyter(chromium):
    """A tab for all tests that open notebooks: JupyterLab itself is loaded there once."""
    tab = chromium.new_page()
    yield tab
    tab.close()


@pytest.fixture
def desk(jupyter):
    """That tab, as `page` is one: in its first size, watched while the test runs, and empty again after it."""
    jupyter.set_viewport_size({"width": 1280, "height": 720})
    try:
        with watched(jupyter):
            yield jupyter
    finally:  # else the next test would look at what this one left
        jupyter.evaluate(CLOSE)


class Lab:
    """What a test does with the running JupyterLab."""

    def __init__(self, url: str, root: Path, home: Path) -> None:
        self.url, self.root, self.home, self.numbers = url, root, home, count(1)

    def trust(self, notebook: Path) -> None:
        """Sign a notebook, as the person who wrote it would have."""
        subprocess.run([sys.executable, "-m", "nbformat.sign", str(notebook)], check=True,
                       env=environment(self.home))

    def open(self, page: Any, notebook: Path) -> Path:
        """Show a copy of the notebook alone, without sidebars, and wait for its kernel. No two copies share a name:
        JupyterLab would take one for the other."""
        copy = Path(shutil.copy(notebook, self.root / f"{next(self.numbers)}_{notebook.name}"))
        if page.url.startswith(self.url):
            page.evaluate(OPEN, copy.name)
        else:
            page.goto(f"{self.url}/doc/tree/{copy.name}?reset")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.wait_for_function(IDLE)
        return copy

    def run_all(self, page: Any) -> None:
        """Run all cells; asked again if nothing starts, for the page may not have listened yet."""
        from playwright.sync_api import TimeoutError as NothingStarted

        page.evaluate(CLEAR)  # stored outputs would look like cells that have run
        for patience in (5_000, 15_000, 60_000):
            page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
            try:
                page.wait_for_function(STARTED, timeout=patience)
                break
            except NothingStarted:
                continue
        page.wait_for_function(ALL_RAN)

    def execute(self, page: Any, code: str) -> str:
        """What `code` prints in the notebook's own kernel."""
        return page.evaluate(EXECUTE, code).strip()

    def wait_for_kernel(self, page: Any, expression: str, wanted: Any, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while (got := self.execute(page, f"print(repr({expression}))")) != repr(wanted):
            assert time.monotonic() < end, f"{expression} is {got}, not {wanted!r}"
            page.wait_for_timeout(50)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab with nobody's settings, an empty folder and no access token, on loopback."""
    root, home = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("jupyter")
    port = free_port()
    choose_settings(home)
    with (home / "lab.log").open("w") as log:
        server = subprocess.Popen(command(port, root), env=environment(home), stdout=log, stderr=log)
    try:
        wait_until_up(f"http://127.0.0.1:{port}", server, home / "lab.log")
        yield Lab(f"http://127.0.0.1:{port}", root, home)
    finally:
        server.terminate()
        server.wait(30)


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def command(port: int, root: Path) -> list[str]:
    return [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
            f"--port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}",
            "--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True",
            "--LabApp.expose_app_in_browser=True"]


def environment(home: Path) -> dict[str, str]:
    names = ("CONFIG_DIR", "RUNTIME_DIR", "DATA_DIR")
    own = {f"JUPYTER_{name}": str(home / name.lower()) for name in names}
    own |= {f"JUPYTERLAB_{name}": str(home / name.lower()) for name in ("SETTINGS_DIR", "WORKSPACES_DIR")}
    return {**os.environ, **own, "IPYTHONDIR": str(home / "ipython"), "PYTHONPATH": str(REPOSITORY),
            "JUPYTER_CONFIG_PATH": str(REPOSITORY / "binder" / "jupyter")}


def choose_settings(home: Path) -> None:
    no_news = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}
    choose(home, "apputils-extension/notification", no_news)  # it would cover a corner of the page
    choose(home, "notebook-extension/tracker", {"windowingMode": "none"})  # all cells are in the page


def choose(home: Path, plugin: str, settings: dict[str, Any]) -> None:
    file = home / "settings_dir" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(settings))


def wait_until_up(url: str, server: subprocess.Popen, log: Path) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(url + "/api", timeout=1).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")
