"""Pictures of programs that nobody thought of: how wide they are, what stands over what, and that the graphs are true.

What a browser sees of them is measured in `tests/e2e/test_networks_e2e.py`.
"""

from itertools import combinations

import pytest

import minigrad
from minigrad.graph import read, read_torch
from minigrad.graph.flows import flows
from minigrad.viz.display import draw
from tests import invented
from tests.test_svg import overlaps

VIEWS = ("record", "forward", "backward")
FUSED = ("Mkldnn", "FlashAttention")  # one node of torch's, where minigrad composes


def test_a_program_is_the_same_for_the_same_seed():
    assert invented.program(7) == invented.program(7) != invented.program(8)


@pytest.mark.parametrize("seed", range(1000, 1024))
def test_no_picture_is_too_wide_and_no_part_covers_another(seed):
    roots, names = invented.run(seed, minigrad)
    for view in VIEWS:
        for level in (None, "ops"):
            place = draw(*roots, names=names, view=view, level=level).layout
            whole = {id: b for id, b in place.boxes.items() if not id.startswith(("chip:", "scissors:"))}

            assert place.width <= 848
            assert [id for id, b in whole.items() if b.x < 0 or b.y < 0 or b.right > place.width] == []
            assert [(a, b) for a, b in combinations(whole, 2) if overlaps(whole[a], whole[b])] == []


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_all_views_of_a_program_fold_alike(seed):
    roots, names = invented.run(seed, minigrad)
    folds = [draw(*roots, names=names, view=view).fold for view in VIEWS]

    assert [(fold.boxes, fold.frames) for fold in folds] == [(folds[0].boxes, folds[0].frames)] * 3


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(1000, 1050))
def test_torch_has_the_same_graph_and_the_same_gradients(seed):
    torch = pytest.importorskip("torch")
    theirs, roots = invented.run(seed, torch, lambda *roots, names: (read_torch(*roots, names=names), roots))[0]
    if any(one in n.name for one in FUSED for n in theirs.nodes):
        return
    ours, own = invented.run(seed, minigrad, lambda *roots, names: (read(*roots, names=names), roots))[0]
    freed = any(s.freed for n in ours.nodes for s in n.saved)  # then torch's nodes know more shapes
    kept = [[t if t.kind == "leaf" or not freed else (t.id, t.name, t.node, t.nr) for t in graph.tensors
             if t.kind != "constant"] for graph in (ours, theirs)]

    assert ours.nodes == theirs.nodes
    assert kept[0] == kept[1]
    found, expected = flows(ours, *own), flows(theirs, *roots)
    assert (found.error is None) == (expected.error is None)
    largest = max(expected.norms.values(), default=0)
    assert found.norms == pytest.approx(expected.norms, rel=1e-3, abs=1e-6 * (1 + largest), nan_ok=True)
