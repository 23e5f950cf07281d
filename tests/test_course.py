"""The lessons' notebooks: one frame for all, checks that exist, and a tick once the dots are filled."""

import ast
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import FunctionType

import nbformat
import pytest

import minigrad
from minigrad.lessons import check, checker, diamond
from notebooks.sync import twins
from tests.test_checkers import TABLES

LESSONS = Path(__file__).resolve().parent.parent / "notebooks" / "en" / "lessons"
NAMES = [path.stem for path, _ in twins() if path.parent == LESSONS and not path.stem.startswith("00")]
LINK = re.compile(r"\]\(([^)#:]+\.ipynb)\)")


@cache
def cells(name, lang="en"):
    return nbformat.read(LESSONS.parent.parent / lang / "lessons" / f"{name}.ipynb", as_version=4).cells


def code(name):
    return [cell.source for cell in cells(name) if cell.cell_type == "code"]


def checks(source):
    """The calls of `check` with an exercise in a cell, as (exercise, what is handed over)."""
    found = ast.walk(ast.parse(re.sub(r"(?m)^%.*", "", source)))
    return [(node.args[0].value, node.args[1].id) for node in found
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check"]


def targets(part):
    return part.targets if isinstance(part, ast.Assign) else []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_lesson_has_the_frame_of_all_lessons(name, lang):
    title, setup, *_, sentence, pytorch, end = cells(name, lang)
    words = {"en": ("The question.", "minutes", "One sentence", "The same in PyTorch", "For the room."),
             "zh": ("问题。", "分钟", "一句话", "在 PyTorch 里也一样", "课堂讨论。")}[lang]

    assert words[0] in title.source
    assert words[1] in title.source
    assert "from minigrad.lessons import check" in setup.source
    assert words[2] in sentence.source
    assert words[3] in sentence.source
    assert pytorch.source.startswith("try:\n    import torch as pytorch\nexcept ImportError:\n    import minigrad as")
    assert '"run by", pytorch.__name__' in pytorch.source
    assert words[4] in end.source


@pytest.mark.parametrize("name", NAMES)
def test_what_speaks_says_the_same_in_each_language(name):
    """A widget says its question in the reader's words: other words, as many lines."""
    for one, other in zip(cells(name), cells(name, "zh"), strict=True):
        if one.metadata.get("minigrad", {}).get("speaks"):
            english, chinese = (cell.outputs[-1].data["text/plain"] for cell in (one, other))
            assert english != chinese
            assert english.count("\n") == chinese.count("\n")
            assert re.search("[\u4e00-\u9fff]", chinese)
            assert not re.search("[\u4e00-\u9fff]", english)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_answers_a_guess_is_covered_until_it_is_run(name, lang):
    """A stored output below the question is collapsed; JupyterLab opens it when its cell is run. Widgets ask first."""
    for asks, shows in pairwise(cell for cell in cells(name, lang) if cell.cell_type == "code"):
        if '.guess"' in asks.source and any("widget-view" not in str(output) for output in shows.outputs):
            assert shows.metadata.jupyter.outputs_hidden


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_line_that_stands_for_a_covered_output_answers_nothing(name, lang):
    """JupyterLab shows its first line all the same: it is a heading, which stands in the code."""
    for cell in cells(name, lang):
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            assert f'print("{cell.outputs[0].text.splitlines()[0]}")' in cell.source


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_hint_is_html_and_holds_no_markdown(name, lang):
    """Inside `<details>` a notebook shows the marks themselves."""
    hints = re.findall(r"<details>.*?</details>", "\n".join(cell.source for cell in cells(name, lang)), re.S)

    assert not re.search(r"`|\*\*|\]\(", "".join(hints))


@pytest.mark.parametrize("name", NAMES)
def test_every_lesson_but_the_first_recalls_an_earlier_one(name):
    recalled = [exercise for source in code(name)[:1] for exercise, _ in checks(source)]

    assert recalled == ([] if name.startswith("01") else [f"{name.split('_')[0]}.recall"])


@pytest.mark.parametrize("name", NAMES)
def test_every_check_is_one_that_there_is_and_belongs_to_the_lesson(name):
    found = [exercise for source in code(name) for exercise, _ in checks(source)]

    assert found
    assert all(checker(exercise) and exercise.startswith(name.split("_")[0]) for exercise in found)


@pytest.mark.parametrize(("exercise", "source"), [
    (exercise, source) for name in NAMES for source in code(name) for exercise, _ in checks(source)
    if exercise in TABLES and not source.startswith("try:")])
def test_a_cell_ticks_once_its_dots_are_filled(exercise, source):
    """The cell is run with a right answer in place of what it leaves open; both take the same parameters."""
    (handed,) = (name for one, name in checks(source) if one == exercise)
    answer, tree = TABLES[exercise].rights[0], ast.parse(source)
    opens = [part for part in tree.body if handed in (getattr(part, "name", ""), *map(ast.unparse, targets(part)))]
    last = tree.body.pop()
    tree.body = [part for part in tree.body if part not in opens]
    names = {"check": check, "diamond": diamond, handed: answer}
    exec(compile(tree, "<cell>", "exec"), names)

    assert eval(compile(ast.Expression(last.value), "<cell>", "eval"), names).passed
    for part in opens:
        if isinstance(part, ast.FunctionDef):
            assert len(part.args.args) == answer.__code__.co_argcount


@pytest.mark.parametrize(("name", "exercise", "promised"), [
    ("04_what_adds_up", "04", "tensor(6.5000)"), ("06_where_did_my_gradient_go", "06", "False True")])
def test_the_last_cell_prints_what_the_lesson_promises_of_a_right_answer(name, exercise, promised, capsys):
    """In PyTorch where it is installed; the answer's own `torch` is the notebook's."""
    assert any(f"`{promised}`" in cell.source for cell in cells(name))
    handed = next(thing for source in code(name) for one, thing in checks(source) if one == exercise)
    for answer in TABLES[exercise].rights[:3]:
        names = {**answer.__globals__, "torch": minigrad, "check": check}
        names[handed] = FunctionType(answer.__code__, names)
        exec(code(name)[-1], names)
        assert re.fullmatch(rf"run by (torch|minigrad)\n{re.escape(promised)}\n", capsys.readouterr().out)
        assert names["torch"] is minigrad


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_link_of_a_lesson_leads_somewhere(name, lang):
    folder = LESSONS.parent.parent / lang / "lessons"
    links = [link for cell in cells(name, lang) if cell.cell_type == "markdown" for link in LINK.findall(cell.source)]

    assert links
    assert [link for link in links if not (folder / link).resolve().is_file()] == []
