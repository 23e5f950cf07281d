"""A notebook as one page: what it carries once, what it shows, and what it never asks of anybody."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

import minigrad as mg
from minigrad.text import say
from minigrad.viz.explorer import Picture
from minigrad.viz.exported import WIDGET_STATE, WIDGET_VIEW, formula

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
LESSON = NOTEBOOKS / "zh/lessons/03_walk_backward_yourself.ipynb"


def carried(page: str) -> dict[str, Any]:
    return json.loads(gzip.decompress(base64.b64decode(re.findall(r'atob\("([^"]+)"\)', page)[0])))


def test_a_notebook_becomes_a_page_of_its_own_name(tmp_path: Path):
    copy = tmp_path / "lesson.ipynb"
    copy.write_bytes(LESSON.read_bytes())

    page = mg.save_page(copy)
    text = page.read_text("utf-8")

    assert page == tmp_path / "lesson.html"
    assert '<html lang="zh-CN">' in text
    assert "<title>第 3 课 · 谁要等？</title>" in text


def test_a_page_carries_a_module_once_and_each_widget_in_its_order(tmp_path: Path):
    notebook = json.loads(LESSON.read_text("utf-8"))
    stored = notebook["metadata"]["widgets"][WIDGET_STATE]["state"]
    shown = [output["data"][WIDGET_VIEW]["model_id"] for cell in notebook["cells"]
             for output in cell.get("outputs", []) if WIDGET_VIEW in output.get("data", {})]

    page = mg.save_page(LESSON, tmp_path / "page.html").read_text("utf-8")

    assert len(carried(page)["modules"]) == 1
    assert [state["scene"] for _, state in carried(page)["models"]] == [stored[i]["state"]["scene"] for i in shown]
    assert re.findall(r'data-model="(\d+)"', page) == [str(i) for i in range(len(shown))]
    assert len(page) < LESSON.stat().st_size * 0.6


def made(tmp_path: Path, *outputs: dict[str, Any], text: str = "", widgets: dict[str, Any] | None = None) -> str:
    """The page of a notebook of one text and one cell with these outputs."""
    cell = nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("display_data", one) for one in outputs])
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text), cell])
    notebook.metadata.widgets = {WIDGET_STATE: {"state": widgets or {}}}
    file = tmp_path / "made.ipynb"
    nbformat.write(notebook, file)
    return mg.save_page(file).read_text("utf-8")


def test_formulas_are_mathml_and_what_is_none_stays_readable(tmp_path: Path):
    page = made(tmp_path, {"text/latex": r"$\frac{a}{b}$"}, text=r"so $x^2$, and $$\sum_i w_i$$")

    assert page.count("<math") == 3
    assert "<mfrac>" in page
    assert formula(r"\left<") == r"<code>\left&lt;</code>"


def test_widgets_of_others_leave_what_they_left(tmp_path: Path):
    page = made(tmp_path, {WIDGET_VIEW: {"model_id": "gone"}, "text/plain": "FloatSlider(value=0.5)"})

    assert "FloatSlider(value=0.5)" in page
    assert carried(page)["models"] == []


def test_a_drawing_is_on_a_page_what_it_had_become(tmp_path: Path):
    drawing = mg.draw(mg.ones(2, requires_grad=True).sum())
    folded, opened = Picture(drawing), Picture(drawing)
    opened.opened = True
    shown = [{"image/svg+xml": drawing.to_svg(), WIDGET_VIEW: {"model_id": one.model_id}} for one in (folded, opened)]
    text = made(tmp_path, *shown, widgets={one.model_id: {"state": one.get_state()} for one in (
        folded, opened, folded._code, opened.explorer)})

    [(_, state)] = carried(text)["models"]
    assert (state["scene"]["title"], state["pictures"][0]["key"]) == (opened.explorer.scene["title"], "0")
    assert text.count("<title>The record") == 2  # below it, until it runs


def test_a_page_forbids_requests_to_others(tmp_path: Path):
    page = made(tmp_path, {"text/html": '<img src="https://example.org/x.png">'})

    assert """content="default-src 'self' 'unsafe-inline' data: blob:\"""" in page


def test_what_cannot_be_saved_says_what_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    x = mg.ones(2, requires_grad=True)

    with pytest.raises(ValueError, match="needs a name for the file"):
        mg.save_page(mg.draw(x * 2))
    monkeypatch.setitem(__import__("sys").modules, "nbconvert", None)
    with pytest.raises(ImportError, match="pip install nbconvert"):
        mg.save_page(LESSON, tmp_path / "page.html")


def test_a_player_of_very_many_nodes_carries_the_first_and_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("minigrad.viz.player.MOST_STEPS", 3)
    x = mg.ones(2, requires_grad=True)
    player = mg.step((((x * 2).exp() + 1).tanh()).sum())

    assert len(player.steps) == 3
    assert "6 nodes; the player holds the first 3" in player.scene["before"]["en"]
    assert "6 AccumulateGrad" in player.to_text()
    assert x.grad is not None
    assert mg.compare(player, player).moments[-1][:2] == (len(player.kept) - 1, len(player.kept) - 1)


def test_what_a_notebook_keeps_folded_is_folded_on_its_page(tmp_path: Path):
    printed = nbformat.v4.new_output("stream", text="forty-two")
    cells = [nbformat.v4.new_code_cell("answer", outputs=[printed], metadata={"jupyter": {"outputs_hidden": hidden}})
             for hidden in (True, False)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"minigrad": {"lang": "zh"}})
    nbformat.write(notebook, tmp_path / "folded.ipynb")

    covered = re.findall(r"<details.*?</details>", mg.save_page(tmp_path / "folded.ipynb").read_text("utf-8"), re.S)

    assert len(covered) == 1
    assert "forty-two" in covered[0]
    assert f"<summary>{say('player.covered', 'zh')}</summary>" in covered[0]
