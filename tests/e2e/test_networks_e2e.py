"""Forty graphs in a real Chromium, in three views and all levels: nothing over anything else, nothing cut off."""

import json
from pathlib import Path

import pytest

from tests import networks
from tests.test_networks import drawn

pytestmark = pytest.mark.browser
MEASURE = (Path(__file__).parents[1] / "measure.js").read_text("utf-8").partition("\n")[2]


@pytest.fixture(scope="module")
def sheet(chromium):
    page = chromium.new_page()
    page.set_viewport_size({"width": 900, "height": 700})
    yield page
    page.close()


def pictures(name):
    graph, roots = networks.graph(name)
    for level in (None, "functions", "ops"):
        for view in ("record", "forward", "backward"):
            for lang in ("en", "zh"):
                yield f"{level} {view} {lang}", drawn(graph, roots, view, level, lang=lang)
        yield f"{level} at 1100 px", drawn(graph, roots, "backward", level, width=1100)


@pytest.mark.parametrize("name", networks.LINES | networks.OTHERS | networks.CODE)
def test_nothing_stands_over_anything_else(name, sheet):
    found = {}
    for which, drawing in pictures(name):
        sheet.set_content(f"<body style='margin:0'>{drawing.to_svg()}")
        if defects := sheet.evaluate(MEASURE):
            found[which] = defects[:4]
    assert json.dumps(found, ensure_ascii=False, indent=1) == "{}"
