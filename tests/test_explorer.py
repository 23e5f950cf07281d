"""The explorer: every state that can be reached is drawn truly, within bounds, and changes no still picture."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

import minigrad as mg
from minigrad.graph.flows import flows
from minigrad.viz import Drawing, display, draw, explorer, player
from tests import networks

SLOT = re.compile(r'data-slot="([^"]+)"[^>]*>(?:<tspan[^>]*>‖g‖</tspan> )?([^<]*)<')  # a norm in one line or in two


def explored(name, **options):
    roots, names = networks.run(name, mg)
    drawing = draw(*roots, names=names, **options)
    return drawing, drawing.explore(), roots


def reached(made, steps=2):
    """All pictures within a few presses of the first."""
    found, todo = {}, ["0"]
    for _ in range(steps + 1):
        found |= {key: made.picture(key) for key in todo if key not in found}
        todo = [key for p in list(found.values()) for key in p["to"].values() if key not in found]
    return found


@pytest.mark.parametrize("name", ["tutorial", "mlp", "shared mlp", "attention", "rnn 10", "hooks", "detach",
                                  "custom function", "double backward", "norms", "two losses", "a leaf alone"])
def test_every_picture_stands_for_all_nodes_and_leads_somewhere(name):
    drawing, made, _ = explored(name)
    for key, picture in reached(made, 1).items():
        drawn = set(re.findall(r'data-id="([^"]+)"', picture["svg"]))
        for node in drawing.graph.ops if picture["view"] == "forward" else drawing.graph.nodes:
            assert picture["alias"].get(node.id, node.id) in drawn, (key, node.id)
        assert all(int(there) < len(made.states) for there in picture["to"].values())
        assert {a for pair in picture["links"] for a in pair} - drawn <= {t.id for t in drawing.graph.tensors}
        assert set(picture["to"]) - {"open", "fold", "record", "forward", "backward", "narrow"} <= drawn
        shown = {id for id in drawn if re.fullmatch(r"[nthsrc]\w*\d+", id)}
        assert shown <= picture["cards"].keys()


def test_no_part_is_called_by_a_number_of_ours():
    x = mg.ones(2, requires_grad=True)
    made = draw((x * 3).sum()).explore()
    told = made.picture("0")["cards"]

    assert made.scene["title"] == "draw(…).explore()"
    assert [told[id]["title"] for id in ("t1", "t2", "t3")] == ["tensor", "tensor", "x"]
    assert ["tensor", "6"] in told["n1"]["rows"]


@pytest.mark.parametrize("level", ["modules", "functions", "ops"])
def test_every_level_can_be_explored(level):
    _, made, _ = explored("mlp", level=level)

    assert made.picture("0")["to"]


@pytest.mark.parametrize("name", ["mlp", "shared mlp", "lenet", "attention", "rnn 10", "tied", "broadcast", "norms"])
def test_the_numbers_of_an_opened_box_are_those_that_draw_writes_there(name):
    drawing, made, roots = explored(name, view="backward")
    few = 2 if drawing.fold.home else 4
    numbers = 0
    for key, picture in reached(made, 1).items():
        fold = made.fold([*made.states][int(key)])
        if picture["view"] != "backward" or fold.shown > 60:
            continue
        true = Drawing(drawing.graph, "backward", folded=fold, width=drawing.width)
        groups = {edge: f"edge:{first}" for edge, first in fold.wires.items()}
        true.show_flows(flows(drawing.graph, *roots, few=few, groups=groups))
        expected = dict(SLOT.findall(true.drawn(None, framed=False)))
        for slot, text in SLOT.findall(picture["svg"]):
            assert text in ("", expected.get(slot)), (key, slot)
            numbers += text != ""
    assert numbers > 10


def test_a_sum_that_was_not_taken_is_left_out_and_not_guessed():
    drawing, made, _ = explored("attention", view="backward", open=["Attention"])
    closed = made.fold(made.first)
    frame = next(f for f in closed.frames if closed.scopes[f].name == "Attention")
    again = drawing.refolded(replace(closed, closed=closed.closed | {frame}), "backward", 848)
    groups = {}
    for edge, first in again.fold.wires.items():
        groups.setdefault(first, []).append(edge)
    several = [first for first, edges in groups.items() if len(edges) > 1]
    assert several
    assert all(f"edge:{first}" not in again.values for first in several)


def test_the_static_picture_is_what_it_was():
    drawing, made, _ = explored("mlp")
    still = drawing._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" not in still
    bundle, _ = made._repr_mimebundle_()
    assert {mime: bundle[mime] for mime in still} == still
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_where_a_server_keeps_pictures_a_drawing_is_a_widget_that_becomes_its_explorer(monkeypatch):
    drawing, whole, _ = explored("mlp", view="forward")
    made: list[explorer.Picture] = []
    monkeypatch.setattr(player, "watched", lambda picture: made.append(picture) or picture)
    monkeypatch.setenv("MINIGRAD_DRAWINGS", "widget")
    still = drawing.still()

    assert drawing._repr_mimebundle_() == whole.still() == still  # no kernel: nobody would answer
    monkeypatch.setattr(display, "shell", lambda: type("Shell", (), {"kernel": None})())
    assert drawing._repr_mimebundle_(include={"text/plain"}) == {"text/plain": still["text/plain"]}
    bundle, _ = drawing._repr_mimebundle_()
    assert bundle.keys() - still.keys() == {"application/vnd.jupyter.widget-view+json"}
    assert {mime: bundle[mime] for mime in still} == still

    [picture] = made
    assert picture.explorer is None
    picture.opened = True
    assert picture.explorer.pictures == whole.pictures
    first = picture.explorer
    picture.opened = False
    picture.opened = True
    assert picture.explorer is first
    picture.close()
    assert first.comm is None


@pytest.mark.parametrize("view", ["record", "forward"])
def test_no_gradient_of_backward_stands_in_another_view(view):
    """The preview gave them to nobody: a drawer holds what `.grad` held, and a wire of data has a shape."""
    _, made, _ = explored("attention", view="backward")
    picture = made.picture(made.picture("0")["to"][view])
    drawing, _, _ = explored("attention", view=view)

    assert "‖g‖" not in picture["svg"]
    assert picture["svg"].count(">.grad<") == drawing.to_svg().count(">.grad<") > 0


def test_a_chip_counts_parameters_in_the_language_of_the_picture():
    _, made, roots = explored("attention")
    said = draw(*roots, lang="zh").to_svg()

    assert ["8 params", "8 个参数"] in [pair for _, *pair in made.pictures[0]["labels"]]
    assert "8 个参数<" in said
    assert "params<" not in said


def test_a_card_tells_why_a_part_has_no_gradient_or_makes_backward_fail():
    _, made, _ = explored("tutorial")
    told = {card["title"]: dict(map(tuple, card["rows"])).get("why()") for card in made.picture("0")["cards"].values()}
    assert told["w"]["en"] == "w.grad is None now. loss depends on w: call loss.backward()."
    assert told["h"]["en"].startswith("h is not a leaf")
    assert told["AccumulateGrad"]["zh"].endswith("请调用 loss.backward()。")
    _, made, _ = explored("copy slices")
    rows = [card["rows"] for card in made.picture("0")["cards"].values() if card["title"] == "PowBackward0"]
    assert "saved self at version 0" in dict(map(tuple, rows[0]))["why()"]["en"]


def test_what_is_too_much_is_counted_and_not_drawn():
    _, made, _ = explored("rnn 100")
    picture = made.picture("0")
    assert picture["many"]["open"] > 300
    assert "open" not in picture["to"]


def test_a_loop_opens_and_closes_in_place():
    _, made, _ = explored("rnn 100")
    (loop,) = made.rolled.rolls
    opened = made.picture(made.picture("0")["to"][loop])

    assert f'class="mg-frame" data-id="{loop}"' in opened["svg"]
    assert opened["to"][loop] == "0"


def test_state_and_page_are_bounded():
    net = mg.nn.Sequential(*[mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Tanh()) for _ in range(90)])
    made = draw(net(mg.ones(1, 2)).sum(), names={"net": net}).explore()
    assert sum(len(p["svg"]) for p in made.pictures[:-1]) <= explorer.AT_ONCE[0]
    assert len(json.dumps(made.pictures)) < 900_000
    assert len(made.to_html()) < 1_500_000
    assert made.scene["left_out"] == 0


def test_hostile_names_are_text_everywhere():
    bad = "<img src=x onerror=alert(1)></script>"
    x = mg.tensor([1.0], requires_grad=True)
    made = draw(x * 2, names={bad: x}).explore()
    page = made.to_html()
    assert "<img" not in page
    assert all("<img" not in p["svg"] for p in made.pictures)
    assert any(bad in name for name, _ in made.scene["index"])


def test_only_pictures_that_it_told_of_can_be_asked_for():
    _, made, _ = explored("mlp")
    sent = []
    made.send = sent.append
    made._asked(made, {"open": "1"}, None)
    made._asked(made, {"open": "99999"}, None)
    assert [one["picture"]["key"] for one in sent] == ["1"]


def test_nothing_keeps_an_array_alive():
    import gc
    import weakref

    x = mg.ones(1000, requires_grad=True)
    made = draw((x * 2).sum(), view="backward").explore()
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None
    assert made.picture("0")
