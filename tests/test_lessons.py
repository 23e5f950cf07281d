"""Lesson 3: its cases, its prediction, its notebook; the answers to it are in `answers/answers_03`."""

import ast
import re
import textwrap
import tomllib
from pathlib import Path

import nbformat
import pytest

import minigrad
from minigrad.lessons import check, diamond
from minigrad.lessons.exercise import stored
from minigrad.lessons.lesson_03 import Log, build, tensors
from tests.answers.answers_03 import (
    counts_consumers,
    follows_every_path,
    keeps_one_edge_per_child,
    sorted_by_visiting,
    sorts_by_visiting,
    starts_with_nothing,
)

WALKS = stored("cases")["walks"]
CHAIN, _, DIAMOND = (row["program"] for row in WALKS[:3])
TWICE = next(row["program"] for row in WALKS if "a * a" in row["program"])
NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "en/lessons/03_walk_backward_yourself.ipynb"
MESSAGES = Path(minigrad.__file__).parent / "text" / "lessons.toml"


@pytest.fixture(params=["en", "zh"])
def language(request):
    before = minigrad.get_language()
    minigrad.set_language(request.param)
    yield request.param
    minigrad.set_language(before)


def test_the_case_shown_is_the_smallest_that_fails():
    shown = {DIAMOND: follows_every_path, CHAIN: starts_with_nothing, TWICE: keeps_one_edge_per_child}
    for program, answer in shown.items():
        assert textwrap.indent(program, "    ") in check("03", answer).text


def test_an_untouched_exercise_is_not_yet_wrong():
    def my_backward(root): ...

    for exercise, answer in (("03", my_backward), ("03", ...), ("03.1", ...)):
        verdict = check(exercise, answer)
        assert verdict.passed is None
        assert verdict.text == f"{exercise}: not yet. Replace the ... and run this cell again."


def test_a_called_function_is_not_a_function():
    assert check("03", None).misconception == "kind"


def test_an_unknown_exercise_is_refused_with_the_nearest_or_with_the_list():
    with pytest.raises(ValueError, match=r"no exercise 99\..*01, .*03, .*03.2"):
        check("99", sorts_by_visiting)
    with pytest.raises(ValueError, match=r"one of these: 02\.recall"):
        check("2.recall", "A")


@pytest.mark.parametrize("row", WALKS)
def test_the_gradients_of_each_graph_are_those_of_the_engine_and_none_is_zero(row):
    t = tensors(row["program"])
    for value in t.values():
        value.retain_grad()
    [*t.values()][-1].backward()

    assert row["gradients"] == {name: value.grad.item() for name, value in t.items()}
    assert all(row["gradients"].values())


def test_the_exercise_diamond_is_the_lesson_diamond():
    x = minigrad.tensor(2.0, requires_grad=True)
    a = x * 3
    (a * 2 + a * 5).backward()
    root = diamond()
    sorts_by_visiting(root)

    assert WALKS[2]["gradients"]["x"] == x.grad.item() == 21
    assert sorted_by_visiting(root)[-1].grad == 21
    assert repr(root) == "Node(d = b + c)"


def test_a_walk_costs_one_call_of_vjp_per_node():
    log = Log()
    root = build(DIAMOND, log)["d"]
    counts_consumers(root)

    assert [node.name for node, _ in log.calls] == ["d", "c", "b", "a"]


def last_value(source, names):
    tree = ast.parse(source)
    *statements, last = tree.body
    exec(compile(ast.Module(statements, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_the_notebook_ticks_once_its_dots_are_filled():
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells}
    names = {"sorts_by_visiting": sorts_by_visiting}
    exec(cells["l03-setup"], names)
    filled = {
        "l03-predict": cells["l03-predict"].replace("...", '"C"'),
        "l03-write": cells["l03-write"].replace("    ...", "    sorts_by_visiting(root)"),
    }

    for cell, source in filled.items():
        assert last_value(cells[cell], names).passed is None
        assert last_value(source, names).passed is True


def test_a_number_in_place_of_an_exercise_s_name_is_told_which_there_are():
    with pytest.raises(ValueError, match="03"):
        check(3, lambda: None)


def test_no_verdict_shows_the_solution():
    sentences = tomllib.loads(MESSAGES.read_text("utf-8"))["lessons"]
    for entry in sentences.values():
        for text in entry.values():
            assert not re.search(r"reversed|topolog|拓扑|for \w+ in|while ", text)
