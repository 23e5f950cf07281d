"""The five reproduced notebooks against the ledger: every code cell verbatim, every output exact.

`data/cells.json` holds the code and the recorded output of each cell. Where the recorded output
cannot come from the code as it stands, the notebook shows the cell twice: "as shown", verbatim, and
"as recorded", with the smallest change that prints the recorded text.
"""

import json
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from minigrad.text import say
from notebooks.sync import in_chinese, twins, without_comments

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parent / "notebooks"
LEDGER = json.loads((HERE / "data" / "cells.json").read_text("utf-8"))
CODE = [cell for cell in LEDGER if "source" in cell]
PROSE = [cell for cell in LEDGER if "source" not in cell]
SEEDS = sorted({cell["seed"] for cell in LEDGER})
CHINESE = re.compile(r"[\u4e00-\u9fff]")
NOT_DONE = re.compile(re.escape(say("lessons.not_yet", "zh", exercise="@")).replace("@", r"(\S+?)"))
LANGUAGE_LINE = re.compile(r'(?m)^minigrad\.set_language\("(en|zh)"\)')


@cache
def twin(name, lang):
    return nbformat.read(NOTEBOOKS / lang / name, as_version=4)


def tutorial(seed, lang):
    (path,) = (NOTEBOOKS / lang / "tutorials").glob(f"{seed}_*.ipynb")
    return twin(f"tutorials/{path.name}", lang)


def ours(cell):
    return cell.metadata.get("minigrad", {})


def reproductions(entry, lang):
    return [
        cell
        for cell in tutorial(entry["seed"], lang).cells
        if ours(cell).get("cell") == entry["index"] and ours(cell).get("seed") == entry["seed"]
    ]


def without_addresses(text):
    return re.sub(r"0x[0-9a-fA-F]+", "0x", text)


def printed(cell):
    """What a cell put out, in the ledger's words."""
    texts = {
        "stream": lambda out: ("stream" if out.name == "stdout" else "stderr", out.text),
        "execute_result": lambda out: ("result", out.data["text/plain"]),
        "display_data": lambda out: ("display", out.data["text/plain"]),
        "error": lambda out: ("error", f"{out.ename}: {out.evalue}"),
    }
    found = (texts[out.output_type](out) for out in cell.outputs)
    return [(kind, without_addresses(text)) for kind, text in found]


def not_done(text):
    """A text in which the line on an exercise that nobody has done is that of the English notebook."""
    return NOT_DONE.sub(lambda found: say("lessons.not_yet", "en", exercise=found[1]), text)


def label(entry):
    return f"{entry['seed']}-{entry['index']}"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("entry", CODE, ids=label)
def test_a_recorded_cell_stands_there_verbatim(entry, lang):
    cells = reproductions(entry, lang)
    shown = [c for c in cells if ours(c).get("variant", "as shown") == "as shown"]

    assert [cell.source for cell in shown] == [entry["source"]]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("entry", CODE, ids=label)
def test_a_recorded_output_is_printed_again(entry, lang):
    recorded = [(out["type"], without_addresses(out["text"])) for out in entry["outputs"]]
    cells = reproductions(entry, lang)
    exact = [c for c in cells if ours(c).get("variant", "as recorded") == "as recorded"]

    assert [printed(cell) for cell in exact] == [recorded]
    assert all(cell.execution_count for cell in cells)


LABELS = {"en": ("Original", "Reconstructed by us", "Added by us", ", as shown", ", as recorded"),
          "zh": ("原始记录", "由我们复原", "由我们添加", "，原样", "，记录时")}


def wanted_labels(cell, lang):
    """What may stand above a code cell: where it comes from, with the number that it carries in the recording."""
    original, rebuilt, added, shown, recorded = LABELS[lang]
    if "seed" not in ours(cell):
        return {f"**{rebuilt}**", f"**{added}**"}
    (entry,) = (e for e in CODE if (e["seed"], e["index"]) == (ours(cell)["seed"], ours(cell)["cell"]))
    kind = original if entry["source"] == cell.source else rebuilt
    variant = {"as shown": shown, "as recorded": recorded}.get(ours(cell).get("variant"), "")
    return {f"**{kind} · In [{entry['execution_count'] or ' '}]**{variant}"}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_cell_of_code_says_above_it_where_it_comes_from(seed, lang):
    cells = tutorial(seed, lang).cells
    for above, cell in pairwise(cells):
        if cell.cell_type == "code":
            assert above.cell_type == "markdown"
            assert above.source.splitlines()[-1] in wanted_labels(cell, lang), cell.id
    assert all(word.strip(", ，") in cells[0].source.lower() for word in map(str.lower, LABELS[lang]))


@pytest.mark.parametrize("entry", PROSE, ids=label)
def test_every_idea_of_the_original_text_is_told_again(entry):
    told = [
        cell.id
        for cell in tutorial(entry["seed"], "en").cells
        if entry["index"] in ours(cell).get("covers", [])
    ]

    assert told


@pytest.mark.parametrize("seed", ["002", "003"])
def test_chinese_comments_are_told_in_english_below(seed):
    cells = tutorial(seed, "en").cells
    for cell, below in pairwise(cells):
        shown = ours(cell).get("variant", "as shown") == "as shown"
        if cell.cell_type == "code" and shown and CHINESE.search(cell.source):
            assert below.cell_type == "markdown"
            assert ours(below).get("comments_on") == ours(cell)["cell"]


def test_seventeen_cells_explain_themselves_in_chinese_only():
    counted = [
        ours(cell)["comments_on"]
        for seed in ("002", "003")
        for cell in tutorial(seed, "en").cells
        if "comments_on" in ours(cell)
    ]

    assert len(counted) == 17


NAMES = [f"{english.parent.name}/{english.name}" for english, _ in twins()]


@pytest.mark.parametrize("name", NAMES)
def test_twins_share_code_and_ids(name):
    en, zh = twin(name, "en").cells, twin(name, "zh").cells
    first = next(i for i, cell in enumerate(en) if cell.cell_type == "code")

    assert [c.id for c in en] == [c.id for c in zh]
    for i, (one, other) in enumerate(zip(en, zh, strict=True)):
        assert one.cell_type == other.cell_type
        if one.cell_type == "code" and i == first:
            assert LANGUAGE_LINE.findall(one.source) == ["en"]
            assert LANGUAGE_LINE.findall(other.source) == ["zh"]
            assert without_comments(in_chinese(0, one.source)) == without_comments(other.source)
        elif one.cell_type == "code":
            assert without_comments(one.source) == without_comments(other.source)
            same = [[(kind, not_done(text)) for kind, text in printed(cell)] for cell in (one, other)]
            assert same[0] == same[1] or ours(one).get("speaks")  # a widget's question, why()


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_links_to_its_twin(name):
    for lang, other in (("en", "zh"), ("zh", "en")):
        assert f"(../../{other}/{name})" in twin(name, lang).cells[0].source


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_tutorial_ends_with_its_source_and_licence(seed, lang):
    footer = tutorial(seed, lang).cells[-1].source

    assert "github.com/pytorch/tutorials" in footer
    assert "BSD-3-Clause" in footer


@pytest.mark.parametrize("name", [n for n in NAMES if n.startswith("lessons/")])
def test_a_lesson_is_short(name):
    cells = twin(name, "en").cells

    assert len(cells) <= 18
    assert all(len(c.source.splitlines()) <= 12 for c in cells if c.cell_type == "code")


@pytest.mark.long
def test_the_conformance_page_is_what_a_run_gives():
    """Run in processes of their own: here the name `torch` may be taken by the real one."""
    result = subprocess.run([sys.executable, "-m", "notebooks.conformance", "--check"], cwd=HERE.parent,
                            capture_output=True, encoding="utf-8")

    assert result.returncode == 0, result.stdout + result.stderr
    assert f"**{len(CODE)} of {len(CODE)}**" in (NOTEBOOKS / "CONFORMANCE.md").read_text("utf-8")
