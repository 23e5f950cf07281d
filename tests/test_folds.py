"""The pictures of a player: folded as `draw` folds, every node and wire stood for, within bounds."""

from __future__ import annotations

import re

import pytest

import minigrad
from minigrad.viz import draw, folds
from minigrad.viz.words import title_of
from tests import networks


def played(name):
    def both(root, *others, names):  # while the modules live, as in a notebook
        return minigrad.step(root, preview=True, names=names), draw(root, names=names, lang="en")

    return networks.run(name, minigrad, both)[0]


@pytest.mark.parametrize("name", ["tutorial", "mlp", "lenet", "attention", "rnn 10", "shared mlp", "hooks", "gpt",
                                  "six blocks"])
def test_what_draw_folds_is_folded_in_the_player_and_every_part_is_stood_for(name):
    player, drawing = played(name)
    first, *opened = player.pictures
    graph = player.graph
    assert first["key"] == ""
    boxes = re.findall(r'class="mg-box" data-id="([^"]+)"', first["svg"])
    shown = [player.scene["scopes"][box] for box in boxes]
    there = [drawing.fold.scopes[box] for box in drawing.fold.boxes]
    assert sorted(shown) == sorted(f"{s.name}()" if s.kind == "call" else f"{s.path} {s.name}".strip()
                                   if s.kind == "module" else " ".join(title_of(drawing.fold, s.id)) for s in there)
    several = {box for box in boxes if list(first["home"].values()).count(box) > 1}
    loops = {i.partition("/")[0] for i in first["home"].values() if "/" in i}
    assert {p["key"] for p in opened} >= several | loops
    for picture in player.pictures:
        parts = set(re.findall(r'data-id="([^"]+)"', picture["svg"]))

        def home(id, picture=picture):
            return picture["home"].get(id, id)

        for node in graph.nodes:
            assert picture["alias"].get(node.id, node.id) in parts
            for e in (e for e in node.edges if e.node):
                apart = home(node.id) != home(e.node)  # what a box uses in all turns of its loop is inside
                inside = home(node.id).partition("/")[0] == home(e.node).partition("/")[0] and graph.node(e.node).leaf
                wire = node.edge_id(e.slot)
                assert not apart or inside or picture["alias"].get(wire, wire) in parts


def test_wires_into_boxes_carry_shapes_where_numbers_have_no_room():
    folded = played("mlp")[0].pictures[0]
    assert folded["short"]
    assert all(re.fullmatch(r"\([\d, ]*\)", text) for text in folded["short"].values())
    assert played("tutorial")[0].pictures[0]["short"] == {}


def test_many_pictures_stay_within_a_bound():
    for name in ("rnn 100", "attention"):
        sizes = [len(p["svg"]) for p in played(name)[0].pictures]
        assert sum(sizes[:-1]) <= folds.ALL_TOGETHER
        assert sizes[0] < 40_000


def test_a_model_that_is_gone_keeps_its_parameters_in_its_boxes():
    def loss(keep):
        net = minigrad.nn.Sequential(minigrad.nn.Linear(4, 8), minigrad.nn.ReLU(), minigrad.nn.Linear(8, 3))
        keep.append(net)
        return net(minigrad.ones(5, 4, requires_grad=True)).pow(2).mean()

    kept = []
    alive = draw(loss(kept), view="backward")
    dead = draw(loss([]), view="backward")

    assert len(dead.fold.chips) == len(alive.fold.chips) == 4  # the input is none
