"""DOT, text and pictures are the same on every machine; they are compared with files, character by character."""

import re

import graphviz
import pytest

import minigrad
from minigrad.viz import dot, engines, indented
from minigrad.viz.display import Drawing
from tests.oracle import graphs

RECORDED = graphs.recorded()
EXPECTED = graphs.goldens(RECORDED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_golden_files_agree(name):
    told = "a change of the pictures that is meant: python -m tests.oracle.graphs golden"
    assert (graphs.GOLDEN / name).read_text("utf-8") == EXPECTED[name](), told


def test_no_golden_file_is_left_over():
    assert {f.name for f in graphs.GOLDEN.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("view", ["record", "forward", "backward"])
@pytest.mark.parametrize("program", graphs.PROGRAMS)
def test_the_installed_graphviz_understands_every_source(program, view):
    places = engines.run_graphviz(dot.source(RECORDED[program], view), "graphviz", "plain").decode()

    assert places.count("\nnode ") >= len(RECORDED[program].ops)


def test_source_is_a_graphviz_source():
    drawing = Drawing(RECORDED["reference"])

    assert isinstance(drawing.source, graphviz.Source)
    assert drawing.source.source == drawing.to_dot()


def test_a_label_cannot_break_out_of_its_quotes():
    assert dot.quote('a"];\nb\\l\x07') == '"a\\"];\\nb\\\\l"'


def test_the_text_of_a_drawing_is_language_free():
    words = {lang: Drawing(RECORDED["in place through a view"], lang=lang).to_text()
             for lang in ("en", "zh", "both")}

    assert len(set(words.values())) == 1
    assert not re.search("[一-鿿]", words["zh"])


def test_the_text_names_the_source_line():
    source = "import minigrad as torch\nx = torch.tensor(3., requires_grad=True)\ny = x * 2\n"
    import linecache

    linecache.cache["lesson"] = len(source), None, source.splitlines(True), "lesson"
    names = {}
    exec(compile(source, "lesson", "exec"), names)
    tree = indented.tree(minigrad.graph.read(names["y"], names={"x": names["x"], "y": names["y"]}))

    assert tree.splitlines() == [
        "y () = 6  MulBackward0{other, self}  line 3: y = x * 2",
        "├─0 x () = 3  AccumulateGrad  .grad None", "└─1 None"]


@pytest.mark.parametrize("length", [38, 39, 40, 1000])
def test_the_text_stops_at_forty_lines(length):
    y = minigrad.tensor(1.0, requires_grad=True)
    for _ in range(length):
        y = y.neg()
    lines = indented.tree(minigrad.graph.read(y)).splitlines()

    assert len(lines) == min(length + 1, 40)
    assert lines[-1] == (f"… +{length + 1 - 39}" if length > 39 else lines[-1])
    assert ("AccumulateGrad" in lines[-1]) == (length <= 39)


def test_the_text_of_several_roots_stops_at_forty_lines():
    x = minigrad.tensor(1.0, requires_grad=True)
    first, second = x, x
    for _ in range(39):  # the first root fills all lines
        first, second = first.exp(), second.neg()
    lines = indented.tree(minigrad.graph.read(first, second)).splitlines()

    assert len(lines) == 40
    assert lines[-1].startswith("… +")
