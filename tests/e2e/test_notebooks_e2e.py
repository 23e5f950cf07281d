"""Every notebook in a real JupyterLab: run all, nothing goes wrong, each player walks to its end.

And once without running anything: what a fresh clone shows before it is trusted.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest

pytestmark = pytest.mark.browser

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
EVERY = sorted(path for path in NOTEBOOKS.glob("*/*/*.ipynb"))
NAMES = sorted({path.name for path in EVERY})
# of twins one: `test_moments_e2e.py` and `test_player_e2e.py` open both of some, and nbval runs all
ONCE = [path for path in EVERY if NAMES.index(path.name) % 2 == (path.parent.parent.name == "zh")]
PNG, VIEW = "image/png", "application/vnd.jupyter.widget-view+json"
RUN_ALL = """() => { window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')
    .then(() => window.jupyterapp.commands.execute('notebook:run-all-cells')); }"""
CELLS = "window.jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model)"
FAILED = f"""() => {CELLS}.filter((cell) => cell.type === 'code').flatMap((cell) =>
    cell.sharedModel.getOutputs().filter((output) => output.output_type === 'error')
        .map((output) => [cell.id, output.ename, output.evalue]))"""
RAN = f"""(failures) => {CELLS}.filter((cell) => cell.type === 'code')
    .every((cell) => cell.executionCount && cell.executionState !== 'running')
    || ({FAILED})().length > failures"""
TRUSTED = f"() => {CELLS}.some((cell) => cell.trusted && cell.outputs?.length)"
PICTURES = """() => [...document.querySelectorAll('.jp-OutputArea-output img')]
    .map((img) => img.src.startsWith('data:image/png') && img.complete && img.naturalWidth > 0
        && img.checkVisibility())"""
BROKEN_LINKS = """() => [...document.querySelectorAll('.jupyter-widgets-disconnected')]
    .map((one) => getComputedStyle(one, '::before').display)"""


def relative(path: Path) -> str:
    return path.relative_to(NOTEBOOKS).as_posix()


def code_cells(path: Path) -> list[Any]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def stored(path: Path) -> Counter[str]:
    """How many outputs of each kind the notebook was committed with."""
    return Counter(
        kind for cell in code_cells(path) for output in cell.outputs for kind in output.get("data", {})
    )


def meant_to_fail(path: Path) -> list[list[str]]:
    """The errors that were recorded and belong to the story."""
    return [
        [cell.id, output.ename, output.evalue]
        for cell in code_cells(path) if "raises-exception" in cell.metadata.get("tags", [])
        for output in cell.outputs if output.output_type == "error"
    ]


def walk(player: Any) -> str:
    """Press next until the end, then say where the player stands."""
    player.evaluate("""(el) => {
        const next = el.querySelector('[data-do="next"]');
        for (let left = 200; left && next.ariaDisabled !== 'true'; left--) next.click();
    }""")
    return player.locator(".mg-count").inner_text()


@pytest.mark.parametrize("notebook", ONCE, ids=relative)
def test_all_cells_run_and_every_player_walks_to_its_last_frame(lab, desk, notebook):
    """A lesson's players and widgets ask, and nobody answers here: they are counted, and all is quiet."""
    errors: list[str] = []
    listen = lambda said: errors.append(said.text) if said.type == "error" else None  # noqa: E731
    desk.on("console", listen)
    lab.open(desk, notebook)

    desk.evaluate(RUN_ALL)  # what is looked at below came from this run
    desk.wait_for_function(RAN, arg=len(meant_to_fail(notebook)))
    assert desk.evaluate(FAILED) == meant_to_fail(notebook)
    wanted = stored(notebook)[VIEW]
    desk.wait_for_function(f"() => document.querySelectorAll('.mg-player, .mg-moment').length === {wanted}")
    players = desk.locator(".mg-player").all() if "tutorials" in notebook.parts else []
    ends = [walk(player) for player in players]

    assert ends or "lessons" in notebook.parts
    assert all(done == last != "0" for done, last in (end.split(" / ") for end in ends)), ends
    assert errors == []
    desk.remove_listener("console", listen)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_untrusted_copy_shows_every_diagram_as_a_picture(lab, desk, language):
    notebook = NOTEBOOKS / language / "tutorials" / "003_recording_cutting_accumulating.ipynb"
    lab.open(desk, notebook)
    desk.wait_for_function("() => [...document.images].every((img) => img.complete)")

    assert not desk.evaluate(TRUSTED)
    assert desk.evaluate(PICTURES) == [True] * stored(notebook)[PNG]
    assert desk.locator(".mg-player, .jp-OutputArea-output svg").count() == 0


@pytest.mark.parametrize("notebook", [p for p in EVERY if relative(p)[:13] in ("en/lessons/01", "zh/lessons/03")],
                         ids=relative)
def test_a_notebook_that_is_opened_and_saved_stays_as_it_was_and_shows_no_broken_link(lab, desk, notebook):
    lab.trust(notebook)
    copy = lab.open(desk, notebook)
    desk.wait_for_timeout(1_000)  # for widgets, which come last

    assert desk.locator(".mg-player, .mg-moment").count() == stored(notebook)[VIEW]  # though no cell has run
    icons = desk.evaluate(BROKEN_LINKS)
    assert icons
    assert set(icons) == {"none"}
    assert desk.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty") is False
    desk.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")

    assert copy.read_bytes() == notebook.read_bytes()
