"""The picture: well-formed, escaped, nothing over anything else, the same bytes every time."""

import re
from dataclasses import replace
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad
from minigrad.graph import read
from minigrad.text import say
from minigrad.viz.blocks import MANY_NOTES, Box
from minigrad.viz.display import Drawing, draw
from minigrad.viz.glyphs import LEGEND, text
from minigrad.viz.layout import backwards, separate
from minigrad.viz.levels import Fold
from minigrad.viz.places import SHOW_ALL, lay_out
from minigrad.viz.svg import Painter, wrap
from minigrad.viz.theme import TOKENS, shorten, stylesheet, variables, width
from minigrad.viz.words import PAIR, again_label, notes
from tests.oracle import graphs

RECORDED = graphs.recorded()
VIEWS = ("record", "forward", "backward")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawing):
    return ElementTree.fromstring(drawing.to_svg())


def overlaps(a: Box, b: Box) -> bool:
    return a.x < b.right - 1 and b.x < a.right - 1 and a.y < b.bottom - 1 and b.y < a.bottom - 1


@pytest.mark.parametrize("program", [*graphs.PROGRAMS, "every hook"])
def test_no_part_covers_another_and_none_leaves_the_picture(program):
    graph = graphs.hooked() if program == "every hook" else RECORDED[program]
    for lang in ("en", "both"):
        place = Drawing(graph, lang=lang).layout
        inside = Box(0, 0, place.width, place.height)

        assert [k for k, b in place.boxes.items() if b.x < 0 or b.y < 0
                or b.right > inside.right or b.bottom > inside.bottom] == []
        assert [(k, m) for (k, a), (m, b) in combinations(place.boxes.items(), 2) if overlaps(a, b)] == []


def points(line):
    """Where a wire runs, densely."""
    for (*_, (x, y)), piece in pairwise(line):
        (a, b), (c, d), (end_x, end_y) = piece if len(piece) == 3 else ((x, y), *piece, *piece)
        for t in (k / 40 for k in range(41)):
            s, u = 3 * t * (1 - t), 1 - t
            yield (u ** 3 * x + s * u * a + s * t * c + t ** 3 * end_x,
                   u ** 3 * y + s * u * b + s * t * d + t ** 3 * end_y)


def entered(line, boxes):
    """Which of the boxes, by name, a wire runs through."""
    x, y = np.array([*points(line)]).T
    return [name for name, b in boxes.items()
            if ((b.x + 2 < x) & (x < b.right - 2) & (b.y + 2 < y) & (y < b.bottom - 2)).any()]


@pytest.mark.parametrize("program", [*graphs.PROGRAMS, "every hook"])
def test_no_wire_runs_through_a_part_that_it_does_not_belong_to(program):
    graph = graphs.hooked() if program == "every hook" else RECORDED[program]
    place = Drawing(graph).layout
    for id, line in place.back.items():
        node = graph.node(id.partition(":")[0])
        edge = node.edges[int(id.partition(":")[2])]
        own = {node.id, edge.node, graph.node(edge.node).leaf, f"sum:{id}", f"ref:{id}"}
        assert entered(line, {part: place.boxes[part] for part in place.boxes.keys() - own}) == [], id


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("program", graphs.PROGRAMS)
def test_every_picture_is_well_formed_and_accessible(program, view):
    picture = parsed(Drawing(RECORDED[program], view))

    assert picture.get("role") == "img"
    assert picture.find(f"{SVG}title").text
    assert picture.find(f"{SVG}desc").text
    assert picture.get("viewBox").split()[2] == picture.get("width")


def test_every_record_has_its_part():
    graph = graphs.hooked()
    parts = {(g.get("data-id"), g.get("class").split()[0]) for g in parsed(Drawing(graph)).iter(f"{SVG}g")
             if g.get("data-id")}
    kinds = {"op": "mg-op", "accumulate": "mg-acc"}

    assert {(n.id, kinds[n.kind]) for n in graph.nodes} <= parts
    assert {(t.id, f"mg-{t.kind}") for t in graph.tensors} <= parts
    assert {(h.id, "mg-hook") for h in graph.hooks} <= parts
    taught = {n.id: notes(n, MANY_NOTES) for n in graph.nodes}
    assert {(f"{n}.{s.field}", "mg-saved") for n, (shown, _) in taught.items() for s in shown} <= parts
    assert {(f"more:{n}", "mg-saved") for n, (_, more) in taught.items() if more} <= parts, "the others are counted"
    assert {(n.edge_id(e.slot), "mg-edge") for n in graph.nodes for e in n.edges if e.node} <= parts
    assert {(n.edge_id(e.slot), "mg-none") for n in graph.nodes for e in n.edges if not e.node} <= parts


def test_the_player_finds_a_slot_for_every_gradient():
    graph = RECORDED["reference"]
    picture = Painter(lay_out(Fold(graph)), "backward").picture(None)
    slots = set(re.findall(r'data-slot="([^"]+)"', picture))

    assert {"edge:n1:0", "edge:n3:1", "in:n3:0", "sum:n3:1", "seed:n1", "grad:t3", "value:t1"} <= slots
    assert "var(--mg-op)" in picture


def test_a_short_number_stands_on_the_other_side_of_the_wire_than_none():
    w = minigrad.tensor(1.0, requires_grad=True)
    place = draw((w * 4).exp() * 2, view="backward").layout

    heights = {slot: y - place.ports[slot[5:]][1] for slot, (_, y, _) in place.slots.items() if slot[:5] == "edge:"}
    assert [slot for slot, below in heights.items() if below < 0 and f"none:{slot[5:-1]}1" in place.boxes] == []


def test_a_slot_is_filled_and_its_room_is_kept():
    graph = RECORDED["shared leaf"]
    wide = "[123.45, 678.90, … ×1000]"
    narrow, roomy = lay_out(Fold(graph)), lay_out(Fold(graph), values={"edge:n1:0": wide})

    assert wide in Painter(roomy, "backward", values={"edge:n1:0": wide}).picture("light")
    assert roomy.width > narrow.width


def test_a_node_keeps_its_place_in_all_views():
    place = {view: {g.get("data-id"): g.find(f"{SVG}rect").attrib
                    for g in parsed(Drawing(RECORDED["two layers"], view)).iter(f"{SVG}g")
                    if g.get("class") == "mg-op" and g.get("data-id")} for view in VIEWS}

    assert place["record"] == place["forward"] == place["backward"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_is_the_same_every_time_and_brings_its_own_colours(theme):
    first, second = (Drawing(RECORDED["reference"], theme=theme).to_svg() for _ in range(2))

    assert first == second
    assert "var(" not in first
    assert TOKENS["page"][theme == "dark"] in first


def test_two_pictures_on_a_page_do_not_share_ids():
    ids = [set(re.findall(r' id="([^"]+)"', Drawing(RECORDED[p]).to_svg())) for p in ("reference", "residual")]

    assert ids[0]
    assert not ids[0] & ids[1]


def test_what_the_learner_wrote_is_escaped():
    x = minigrad.tensor([1.0], requires_grad=True)

    def nasty(grad):
        return grad

    nasty.__name__ = "<img src=x>\x00&\"'"
    x.register_hook(nasty)
    drawing = draw(x * 2, names={"<script>alert(1)</script>\x07": x})

    assert "<script" not in drawing.to_svg()
    assert "<img" not in drawing.to_svg()
    assert "<script>" in "".join(parsed(drawing).itertext())


def test_trouble_in_a_value_is_marked():
    assert parsed(Drawing(RECORDED["not finite"])).find(f".//{SVG}text[@class='mg-value mg-bad']") is not None
    assert 'class="mg-saved mg-stale"' in Drawing(RECORDED["in place through a view"]).to_svg()


@pytest.mark.parametrize("lang", ["en", "zh", "both"])
def test_words_are_in_the_chosen_language_and_api_words_never_change(lang):
    picture = Drawing(RECORDED["after backward"], "backward", lang=lang).to_svg()

    assert ("buffer freed" in picture) == (lang != "zh")
    assert ("缓冲已释放" in picture) == ('mg-cjk">' in picture) == (lang != "en")
    assert ".grad_fn" in picture
    assert "requires_grad" in picture


def test_the_legend_shows_only_what_is_there():
    plain, full = (Drawing(RECORDED[p]).to_svg() for p in ("shared leaf", "reference"))

    assert "a copy taken" in full
    assert "a copy taken" not in plain
    assert "shares storage" not in full
    marked = Drawing(RECORDED["shared leaf"], marks=frozenset({RECORDED["shared leaf"].nodes[0].id})).to_svg()
    assert ("what the text speaks of" in marked, "what the text speaks of" in plain) == (True, False)
    assert set(LEGEND) >= {"op", "acc", "leaf", "stale", "hook", "sum"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_key_of_the_legend_has_its_words(lang):
    assert all(say(f"draw.key_{key}", lang) for key in LEGEND)


def test_a_long_chain_goes_on_in_the_next_band():
    place = Drawing(RECORDED["long chain"]).layout

    assert place.width < 1120
    assert len({round(place.boxes[n.id].cy) for n in RECORDED["long chain"].ops}) > 1


def test_a_chain_of_operations_runs_level_whatever_hangs_on_it():
    x, w, b = (minigrad.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
    y = x * w
    for _ in range(3):
        y = y * w + b
    graph = read(y)
    wires = lay_out(Fold(graph), widest=3000).back

    chain = [wires[n.edge_id(e.slot)] for n in graph.ops for e in n.edges if graph.node(e.node).kind == "op"]
    assert len(chain) == 6
    assert all(abs(line[0][-1][1] - line[-1][-1][1]) < 1 for line in chain)


def test_a_shared_weight_is_drawn_again_where_it_is_far():
    graph = RECORDED["recurrent"]

    assert len(Drawing(graph).layout.refs) >= 2
    assert 'data-ref="' in Drawing(graph).to_svg()
    leaf = replace(graph.tensors[-1], name="encoder.layers.0.self_attention.in_proj_weight")
    assert again_label(leaf) == "…in_proj_weight"  # the end of a dotted name says more
    assert again_label(replace(leaf, name="encoder.core.weight_of_it")) == "…weight_of_it"  # and no part of a word


def test_texts_are_measured_wide_enough_in_both_scripts():
    assert width("中文") == 26
    assert width("MulBackward0", bold=True) > width("MulBackward0") > 13 * 12 * 0.5
    assert width(".grad", mono=True) == pytest.approx(13 * 5 * 0.61)
    assert shorten("a" * 100, 60).endswith("…")
    assert width(shorten("中" * 100, 60)) <= 60


def test_chinese_wraps_anywhere_and_english_between_words():
    assert wrap("one two three", 30, 13) == ["one", "two", "three"]
    assert wrap("一二三四", 30, 14) == ["一二", "三四"]
    assert wrap("箭头就是 next 吗", 500, 14) == ["箭头就是 next 吗"]
    assert wrap("一二，三四。", 30, 14) == ["一", "二，", "三", "四。"]


def test_separate_keeps_gaps_and_stays_near():
    assert separate([0, 0, 0], [1, 1, 1], [10, 10]) == [-10, 0, 10]
    assert separate([0, 50], [1, 1], [10]) == [0, 50]


def test_a_line_backwards_ends_where_it_began():
    line = [((0, 0),), ((10, 0),), ((12, 0), (14, 5), (16, 5))]

    assert backwards(line) == [((16, 5),), ((14, 5), (12, 0), (10, 0)), ((0, 0),)]
    assert backwards(backwards(line)) == line


def luminance(colour: str) -> float:
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_text_contrast_is_at_least_aa(theme):
    colour = {name: pair[theme] for name, pair in TOKENS.items()}
    fills = [name for name in colour if name.endswith("-fill") or name in ("page", "panel")]

    assert min(contrast(colour["ink"], colour[f]) for f in fills) >= 4.5
    assert min(contrast(colour["muted"], colour[f]) for f in fills) >= 4.5
    assert min(contrast(colour["grad"], colour[f]) for f in ("page", "acc-fill")) >= 4.5
    assert contrast(colour["error"], colour["page"]) >= 4.5


def test_the_stylesheet_knows_every_colour_it_names():
    used = set(re.findall(r"var\(--mg-([a-z-]+)\)", stylesheet(None)))

    assert used <= set(TOKENS)
    assert set(re.findall(r"--mg-([a-z-]+):", variables("dark"))) == set(TOKENS)


def test_a_large_graph_drops_its_satellites():
    y = minigrad.tensor(1.0, requires_grad=True)
    for _ in range(160):
        y = y.neg()
    place = draw(y, fold=False).layout

    assert {k[0] for k in place.boxes} == {"n", "t"}
    assert sum(k.startswith("t") for k in place.boxes) == 1, "only the leaf"
    assert draw(y, fold=False).show < SHOW_ALL


def test_a_line_of_chinese_has_a_class_of_its_own():
    assert ['mg-cjk' in text(0, 0, words) for words in ("line 2", "第 2 行", "line 2" + PAIR + "第 2 行")] == [
        False, True, False]


@pytest.mark.parametrize("name", ["(", "[z-a]", "\\N", "*", "x\"];b["])
def test_a_function_of_any_name_is_drawn(name):
    both = {"forward": staticmethod(lambda ctx, x: x * 2), "backward": staticmethod(lambda ctx, grad: grad * 2)}
    loss = type(name, (minigrad.autograd.Function,), both).apply(minigrad.ones(2, requires_grad=True)).sum()

    assert draw(loss).to_svg()


class Nameless:
    """A hook that says no name, and runs code when it is asked."""

    def __call__(self, grad):
        return grad * 2

    @property
    def __name__(self):
        raise RuntimeError


def test_a_hook_whose_name_raises_does_its_work():
    x = minigrad.ones(2, requires_grad=True)
    x.register_hook(Nameless())

    x.sum().backward()

    assert x.grad.tolist() == [2.0, 2.0]
