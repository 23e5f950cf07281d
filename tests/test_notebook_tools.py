"""The notebooks on disk are run, in step and steady; the two tools that keep them so work."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from minigrad.viz import code
from notebooks import conformance, handouts, picture, refresh, site, sync

PAIRS = sync.twins()
NOTEBOOKS = [path for pair in PAIRS for path in pair]
WIDGET = 'import ipywidgets\nprint(object())\nipywidgets.IntSlider(3)'


def finished(work: Coroutine[Any, Any, Any]) -> Any:
    """Run it on a thread: the browser tests leave an event loop running on this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def relative(path: Path) -> str:
    return path.relative_to(sync.HERE).as_posix()


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in sync.read(path).cells if cell.cell_type == "code"]


def test_there_are_notebooks_of_both_kinds_and_a_clone_carries_them_easily():
    folders = {english.parent.name for english, _ in PAIRS}

    assert folders == {"lessons", "tutorials"}
    assert sum(path.stat().st_size for path in [*NOTEBOOKS, *sync.HERE.glob("*.*")]) < 12_000_000


def test_the_code_of_widgets_is_packed_once_and_becomes_itself_again():
    """Whatever notebook stores it: its id tells what is in it."""
    module, style = "export default { render({ el }) { el.textContent = '表' } };" * 50, ".mg-表 { color: red }"
    shared = code.code(module, style)

    assert len(shared.packed) < len(module) / 2
    assert code.unpacked(shared.packed) == (module, style)
    assert (code.code(module, style) is shared, code.code(module + " ", style).model_id == shared.model_id) == (
        True, False)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=relative)
def test_a_notebook_stores_the_code_of_its_widgets_once(notebook: Path):
    state = sync.read(notebook).metadata.get("widgets", {}).get(refresh.WIDGET_STATE, {}).get("state", {})
    packed = [model["state"]["packed"] for model in state.values() if "packed" in model["state"]]
    lost = [id for id, model in state.items() if (shared := model["state"].get("_code")) and shared[10:] not in state]

    assert len(packed) == len({*packed}) <= 2  # the player's, and that of what asks first
    assert lost == []


def test_a_lesson_of_a_teachers_own_has_a_page_on_paper_and_one_that_plays(tmp_path: Path, monkeypatch: Any):
    """It has not the frame of ours, and stands in a folder of its own."""
    cells = [new_markdown_cell("# My lesson"), new_code_cell("print(1)")]
    home = tmp_path / "notebooks" / "en" / "mine" / "one.ipynb"
    sync.write(new_notebook(cells=cells, metadata={"minigrad": {"twin": False}}), home)
    shutil.copy(sync.HERE / "site.html", tmp_path / "notebooks")
    monkeypatch.setattr(site, "HERE", tmp_path / "notebooks")

    site.main(str(tmp_path / "site"))
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert sync.twins(tmp_path / "notebooks") == []
    assert "<h1" in handouts.page(home, "en")
    assert "<h2>mine</h2>" in index
    assert "My lesson" in index


def test_pages_on_paper_are_made_of_one_folder_and_a_notebook_without_a_cell_is_passed_over(
        tmp_path: Path, monkeypatch: Any, capsys: Any):
    home = tmp_path / "notebooks"
    sync.write(new_notebook(cells=[new_markdown_cell("# My lesson")]), home / "en" / "mine" / "one.ipynb")
    sync.write(new_notebook(cells=[]), home / "en" / "mine" / "Untitled.ipynb")
    sync.write(new_notebook(cells=[]), home / "zh" / "lessons" / "Untitled.ipynb")
    monkeypatch.setattr(handouts, "HERE", home)

    handouts.main("mine")
    assert capsys.readouterr().out.split() == [str(Path("build") / "handouts.en.html")]
    assert "My lesson" in (tmp_path / "build" / "handouts.en.html").read_text("utf-8")
    with pytest.raises(SystemExit, match="no folder notebooks/en/yours"):
        handouts.main("yours")


def test_the_tools_work_in_a_fork_in_one_language(tmp_path: Path, monkeypatch: Any, capsys: Any):
    (tmp_path / "en" / "tutorials").mkdir(parents=True)
    (tmp_path / "README.md").write_text("```python\n" + picture.program("en") + "```\n", "utf-8")
    monkeypatch.setattr(conformance, "HERE", tmp_path)
    monkeypatch.setattr(picture, "HERE", tmp_path)
    monkeypatch.setattr(picture, "READMES", {lang: tmp_path / path.name for lang, path in picture.READMES.items()})

    picture.main()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "en", "network.en.svg", "record.en.svg"]
    assert conformance.main() == 0
    assert "stays as it is" in capsys.readouterr().out


def test_a_file_that_is_no_notebook_is_named(tmp_path: Path, monkeypatch: Any):
    (tmp_path / "en" / "lessons").mkdir(parents=True)
    (tmp_path / "en" / "lessons" / "merged.ipynb").write_text("<<<<<<< HEAD\n{}", "utf-8")
    monkeypatch.setattr(site, "HERE", tmp_path)

    with pytest.raises(ValueError, match=r"merged\.ipynb is no notebook"):
        sync.main(["--check", "--root", str(tmp_path)])
    with pytest.raises(ValueError, match=r"merged\.ipynb is no notebook"):
        site.main(str(tmp_path / "site"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_every_code_cell_has_been_run_in_order(path: Path):
    """nbval runs a cell without a number and compares nothing, so such a cell must not exist."""
    counts = [cell.execution_count for cell in code_cells(path)]

    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_who_has_no_minigrad_is_told_how_to_get_it_where_the_error_points(path: Path):
    """Without -e: what is installed as editable a running kernel does not find before it is started anew."""
    first = code_cells(path)[0].source.splitlines()[0]
    place = re.search(r'%pip install "(\S+)\[lab]"', first)

    assert first.startswith("import minigrad ")
    assert place
    assert (path.parent / place[1] / "pyproject.toml").is_file()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_no_cell_defeats_the_comparison(path: Path):
    """nbval has no history: it prints what a trailing `;` hides, and cannot update a display."""
    sources = [cell.source.rstrip() for cell in code_cells(path)]

    assert not [source for source in sources if source.endswith(";")]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_a_stored_widget_has_its_stored_state(path: Path):
    """A view without its model is an error message in a trusted notebook."""
    widgets = sync.read(path).metadata.get("widgets", {}).get(refresh.WIDGET_STATE, {})
    shown = {
        output.data[refresh.WIDGET_VIEW]["model_id"]
        for cell in code_cells(path) for output in cell.outputs
        if refresh.WIDGET_VIEW in output.get("data", {})
    }

    assert shown <= set(widgets.get("state", {}))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: relative(pair[0]))
def test_the_chinese_twin_is_in_step(pair: tuple[Path, Path]):
    assert sync.check(*pair) == []


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: relative(pair[0]))
def test_a_reproduced_cell_prints_the_same_in_both_twins(pair: tuple[Path, Path]):
    english, chinese = (
        [texts for cell, texts in zip(code_cells(path), refresh.texts(sync.read(path)), strict=True)
         if "seed" in cell.metadata.get("minigrad", {})]
        for path in pair
    )

    assert english == chinese


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: relative(pair[0]))
def test_each_twin_opens_with_a_link_to_the_other(pair: tuple[Path, Path]):
    for here, other in (pair, pair[::-1]):
        first = sync.read(here).cells[0]
        assert first.cell_type == "markdown"
        assert f"{other.parent.parent.name}/{other.parent.name}/{other.name}" in first.source


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one English notebook: a text, the language, a widget, an error."""
    english = new_notebook(cells=[
        new_markdown_cell("# One question", id="title"),
        new_code_cell('set_language = print\nset_language("en")', id="language"),
        new_code_cell(WIDGET, id="widget", metadata={"minigrad": {"seed": "004", "cell": 3}}),
        new_code_cell("1 / 0", id="error", metadata={"tags": ["raises-exception"]}),
    ])
    sync.write(english, tmp_path / "en" / "lessons" / "one.ipynb")
    (tmp_path / "zh").mkdir()
    return tmp_path


@pytest.fixture
def pair(root: Path) -> tuple[Path, Path]:
    """That notebook and its finished translation."""
    sync.main(["--root", str(root)])
    [(english, chinese)] = sync.pairs(root)
    edit(chinese, 0, "# 一个问题")
    sync.main(["--root", str(root), "--accept"])
    return english, chinese


def edit(path: Path, index: int, source: str) -> None:
    notebook = sync.read(path)
    notebook.cells[index].source = source
    sync.write(notebook, path)


def test_a_new_twin_has_the_code_and_its_own_language_and_lacks_the_prose(root: Path):
    sync.main(["--root", str(root)])

    [(english, chinese)] = sync.pairs(root)
    cells = sync.read(chinese).cells
    assert [cell.id for cell in cells] == ["title", "language", "widget", "error"]
    assert 'set_language("zh")' in cells[1].source
    assert cells[2].metadata.minigrad.seed == "004"
    assert [line.split()[0] for line in sync.check(english, chinese)] == ["MISSING"]


def test_an_accepted_translation_is_in_step_and_is_kept(root: Path, pair: tuple[Path, Path]):
    assert sync.main(["--root", str(root), "--check"]) == 0

    sync.main(["--root", str(root)])

    assert sync.read(pair[1]).cells[0].source == "# 一个问题"


def test_an_edited_english_text_names_its_stale_translation(
    root: Path, pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
):
    edit(pair[0], 0, "# Another question")

    assert sync.main(["--root", str(root), "--check"]) == 1
    assert "zh/lessons/one.ipynb: STALE title: '# Another question'" in capsys.readouterr().out


def test_edited_chinese_code_is_seen_and_put_back(root: Path, pair: tuple[Path, Path]):
    edit(pair[1], 3, "2 / 0")

    assert sync.check(*pair) == ["DIFFERENT error: source is not that of the English cell"]
    sync.main(["--root", str(root)])
    assert sync.read(pair[1]).cells[3].source == "1 / 0"


def test_other_cells_are_seen(pair: tuple[Path, Path]):
    notebook = sync.read(pair[1])
    del notebook.cells[2]
    sync.write(notebook, pair[1])

    assert "not the same cells" in sync.check(*pair)[-1]


def test_a_run_gives_the_same_bytes_twice_with_the_widget_in_it(pair: tuple[Path, Path]):
    finished(refresh.refresh_all(list(pair), Namespace(check=False, twice=False)))
    once = [path.read_bytes() for path in pair]

    problems = finished(refresh.refresh_all(list(pair), Namespace(check=False, twice=True)))

    assert problems == []
    assert [path.read_bytes() for path in pair] == once
    assert b"IntSliderModel" in once[0]
    assert b"0x7f0000000000" in once[0]
    assert b"ZeroDivisionError" in once[0]


def test_a_check_sees_another_text_and_overlooks_another_picture(pair: tuple[Path, Path]):
    english = pair[0]
    notebook = nbformat.from_dict(finished(refresh.execute(english)))
    notebook.cells[2].outputs[-1].data["image/svg+xml"] = "<svg>of another machine</svg>"
    sync.write(notebook, english)
    options = Namespace(check=True, twice=False)

    picture_only = finished(refresh.refresh(english, options))
    notebook.cells[1].outputs[0].text = "fr\n"
    sync.write(notebook, english)
    text_too = finished(refresh.refresh(english, options))

    assert picture_only is None
    assert "cells language print something else" in text_too


def test_a_fork_in_one_language_needs_no_twins(root: Path):
    (root / "zh").rmdir()

    assert sync.main(["--root", str(root), "--check"]) == 0
    assert sync.main(["--root", str(root)]) == 0
    assert not (root / "zh").exists()
    (root / "en").rename(root / "zh")
    assert sync.main(["--root", str(root), "--check"]) == 0


def test_a_notebook_may_do_without_a_twin(root: Path):
    path = root / "en" / "lessons" / "one.ipynb"
    alone = sync.read(path)
    alone.metadata["minigrad"] = {"twin": False}

    assert sync.main(["--root", str(root), "--check"]) == 1
    sync.write(alone, path)
    assert sync.main(["--root", str(root), "--check"]) == 0


def test_comments_and_docstrings_may_be_translated_and_code_may_not(root: Path):
    english = sync.read(root / "en" / "lessons" / "one.ipynb")
    english.cells[2].source = "x = 2  # the knob\n# and so on\nprint(x)"
    wanted, _ = sync.twin(english, None)
    wanted.cells[2].source = "x = 2  # 旋钮\nprint(x)"
    wanted.cells[2].execution_count = 2

    kept = sync.twin(english, wanted)[0].cells[2]
    assert (kept.source, kept.execution_count) == (wanted.cells[2].source, 2)
    wanted.cells[2].source = "x = 3  # 旋钮\nprint(x)"
    assert sync.twin(english, wanted)[0].cells[2].source == english.cells[2].source
    assert sync.without_comments("%%html\n(") == ["%%html\n("]
    assert sync.without_comments("s = '# no comment'") != sync.without_comments("s = ''")
    assert sync.without_comments('def f():\n    """one"""') == sync.without_comments('def f():\n    """一"""')
    assert sync.without_comments('print(\n    "one")') != sync.without_comments('print(\n    "一")')


OWN = """from minigrad.lessons import check, register
register("tax", lambda x: x * 1.19, [(100.0,), (59.0,)],
         {"only_the_tax": lambda x: x * 0.19}, {"only_the_tax": "What does one pay?"})"""


def test_the_settings_for_notebooks_elsewhere_hold_them_to_their_outputs(tmp_path: Path):
    teach = sync.HERE / "teach"
    assert (teach / "nbval_sanitize.cfg").read_bytes() == (sync.HERE.parent / "tests/nbval_sanitize.cfg").read_bytes()
    for name in ("pytest.ini", "nbval_sanitize.cfg"):
        shutil.copy(teach / name, tmp_path)
    lesson = new_notebook(cells=[new_code_cell(OWN), new_code_cell('check("tax", lambda x: 0.19 * x)')])
    sync.write(lesson, tmp_path / "lesson.ipynb")
    lesson = finished(refresh.execute(tmp_path / "lesson.ipynb"))
    sync.write(lesson, tmp_path / "lesson.ipynb")
    lesson.cells[1].outputs[0].data["text/plain"] += "!"
    sync.write(lesson, tmp_path / "changed.ipynb")

    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=tmp_path,
                         capture_output=True, text=True, timeout=120, check=False)

    assert "1 failed, 3 passed" in run.stdout, run.stdout + run.stderr
    assert "changed.ipynb::Cell 1" in run.stdout


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_on_paper_has_exercise_sentence_and_questions_and_nothing_to_click(language: str):
    lessons = [path for path in NOTEBOOKS if path.parts[-3:-1] == (language, "lessons") and path.name[:2] != "00"]
    pages = [handouts.page(path, language) for path in lessons]

    assert len(pages) == 12
    for made in pages:
        assert "<pre>" in made
        assert "<blockquote>" in made
        assert made.count("<hr") >= 5  # below the sentence, and below two questions
        assert not re.search(r'href="(?!#)', made)
        assert "prediction" not in made  # a question without its answers
        assert 'check("' in made.replace("&quot;", '"')
