"""Networks: what is folded and opened, rolled up and cut; where everything stands, for forty programs."""

import re
import sys
from dataclasses import replace
from itertools import combinations

import pytest

import minigrad
from minigrad.graph import read
from minigrad.graph.flows import flows
from minigrad.graph.snapshot import Cut
from minigrad.text.numbers import two_digits
from minigrad.viz import display, dot, engines, levels, places, words
from minigrad.viz.blocks import CARD, TAB
from minigrad.viz.display import Drawing, draw
from minigrad.viz.layout import Item, Link, Plan, arrange, inversions
from minigrad.viz.lines import Piece, by_lines, turns
from minigrad.viz.places import SHOW_ALL
from minigrad.viz.rolled import roll_up
from minigrad.viz.scenes import Scenes
from minigrad.viz.words import chips_of, title_of
from tests import networks
from tests.test_svg import entered, overlaps, points

VIEWS = ("record", "forward", "backward")


def drawn(graph, roots, view="forward", level=None, open=(), **options):
    drawing = Drawing(graph, view, folded=levels.fold(graph, level), **options)
    if level is None:
        drawing.fit()
    drawing.fold = drawing.fold.opened(levels.named(drawing.fold, open))
    if view == "backward":
        groups = {edge: f"edge:{first}" for edge, first in drawing.fold.wires.items()}
        drawing.show_flows(flows(graph, *roots, groups=groups))
    return drawing


def boxes_of(drawing):
    """What nothing else may cover."""
    return {id: b for id, b in drawing.layout.boxes.items() if not id.startswith(("chip:", "scissors:"))}


def size(drawing):
    return tuple(map(float, re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', drawing.to_svg()).groups()))


# ---- levels


@pytest.mark.parametrize(("name", "boxes"), [("mlp", 4), ("deep mlp", 6), ("lenet", 13), ("attention", 9)])
def test_leaf_modules_are_closed_and_containers_open_as_far_as_few_boxes_result(name, boxes):
    graph, _ = networks.graph(name)

    assert levels.fold(graph).shown == boxes
    assert levels.fold(graph, "ops").shown == len(graph.ops)
    assert levels.fold(graph).shown < levels.fold(graph, "functions").shown <= len(graph.ops)


def test_without_modules_all_operations_are_shown():
    graph, _ = networks.graph("residual")

    assert not levels.fold(graph).box


def test_a_box_says_its_class_its_path_its_shapes_and_how_much_it_hides():
    picture = drawn(*networks.graph("mlp")).to_svg()
    words = re.sub(r"<[^>]+>", "|", picture)

    for said in ("Linear", "cross_entropy()", "(5, 4) → (5, 8)", "+2", "weight", "(8, 4)", ".grad"):
        assert said in words
    assert "7 of 7 ops folded" in words


@pytest.mark.parametrize("name", ["cross_entropy", "0", "net.0"])
def test_open_shows_the_operations_of_a_module_or_a_function_in_place(name):
    graph, roots = networks.graph("mlp")
    drawing = drawn(graph, roots, open=[name])

    assert len(drawing.layout.frames) == 1
    assert drawing.fold.shown == 5


def test_the_end_of_a_path_is_enough_to_open_a_module():
    graph, _ = networks.graph("gpt")
    paths = {s.id: s.path for s in graph.scopes}
    folded = levels.fold(graph, repeats=False)

    assert {paths[id] for id in levels.named(folded, ["blocks.2.attn"])} == {"net.blocks.2.attn"}
    assert {paths[id] for id in levels.named(folded, ["attn"])} == {f"net.blocks.{k}.attn" for k in range(4)}


def test_an_unknown_name_in_open_is_told_with_those_that_there_are():
    graph, _ = networks.graph("mlp")

    with pytest.raises(ValueError, match=r"'conv'.*'cross_entropy'"):
        drawn(graph, (), open=["conv"])


def test_names_to_open_may_come_one_by_one():
    roots, names = networks.run("mlp", minigrad)
    listed, made = (draw(*roots, names=names, open=some) for some in (["cross_entropy"], iter(["cross_entropy"])))

    assert made.fold.closed == listed.fold.closed < draw(*roots, names=names).fold.closed


@pytest.mark.parametrize("wrong", [{"level": "layers"}, {"theme": "blue"}])
def test_an_unknown_level_or_theme_names_the_known_ones(wrong):
    with pytest.raises(ValueError, match="must be one of"):
        draw(minigrad.ones(1, requires_grad=True) * 2, **wrong)


@pytest.mark.parametrize(("name", "views", "limit"), [
    ("mlp", VIEWS, (848, 260)), ("lenet", VIEWS, (848, 700)), ("attention", VIEWS, (848, 700)),
    ("rnn 10", VIEWS, (848, 400)), ("rnn 100", VIEWS, (848, 400))])
def test_folded_networks_fit(name, views, limit):
    for view in views:
        high = size(drawn(*networks.graph(name), view))
        assert [a <= b for a, b in zip(high, limit, strict=True)] == [True, True], view


def test_a_closed_box_shows_what_reaches_its_parameters():
    graph, roots = networks.graph("mlp")
    drawing = drawn(graph, roots, "backward")
    roots[0].backward()
    names = {t.name: t for t in graph.tensors}
    grad = (names["net.0.weight"], flows(graph, *roots))[0]

    assert drawing.values[f"chip:{grad.id}"].startswith("‖g‖ ")
    assert "‖g‖" in drawing.to_svg()


def test_drawers_stand_above_their_parameters_where_that_makes_a_picture_lower():
    graph, roots = networks.graph("mlp")
    for view in VIEWS:  # only the numbers of backward would take two rows
        drawing = drawn(graph, roots, view)
        boxes = [drawing.layout.boxes[id] for id in drawing.fold.boxes]

        assert drawing.layout.fold.stacked == (view == "backward")
        assert max(box.h for box in boxes) == (143 if view == "backward" else 105)
        assert len({round(box.y) for box in boxes}) == 1, "one row"


def test_what_is_marked_in_a_closed_box_marks_the_box():
    graph, roots = networks.graph("mlp")
    inside = next(n.id for n in graph.nodes if n.name == "AddmmBackward0")
    picture = drawn(graph, roots, marks=frozenset({f"{inside}.mat1"})).to_svg()

    assert re.findall(r'class="mg-box mg-marked" data-id="(\w+)"', picture) == [levels.fold(graph).box[inside]]


@pytest.mark.oracle
def test_backward_has_the_same_numbers_for_real_torch():
    torch = pytest.importorskip("torch")
    shown = {}
    for library in (minigrad, torch):
        roots, names = networks.run("tutorial", library)
        shown[library.__name__] = draw(*roots, view="backward", names=names).values
    ours, theirs = shown["minigrad"], shown["torch"]

    assert {slot: ours[slot] for slot in theirs if slot.startswith("edge:")} == {
        slot: text for slot, text in theirs.items() if slot.startswith("edge:")}
    assert theirs["sum:n3:1"] == "1.49"
    assert all(t.grad is None for t in names.values() if t.is_leaf)


def test_the_badge_of_a_box_spans_its_numbers_with_accumulate_grad():
    graph, _ = networks.graph("mlp")
    spans = levels.order_spans(levels.fold(graph))

    assert sorted(spans.values()) == ["1–2", "3–6", "7", "8–11"]


# ---- loops


def test_a_loop_is_rolled_up_into_its_last_turn():
    graph, _ = networks.graph("rnn 100")
    small, rolls = roll_up(graph)

    assert (len(graph.ops), len(small.ops)) == (501, 6)
    assert rolls["r1"].count == 100
    assert {t.name for t in small.tensors if t.kind == "leaf"} == {"Wx", "Wh", "b"}
    assert {s.tensor for n in small.nodes for s in n.saved if s.tensor} <= small.tensors_by_id.keys()


def test_the_picture_of_a_loop_says_how_often_and_shows_the_way_back_in():
    picture = drawn(*networks.graph("rnn 100"), "record", open=["step"]).to_svg()

    assert "The loop ran 100 times: 501 ops drawn as 6" in picture
    assert picture.count("× 100</text>") == 3, "at each shared drawer"
    assert 'data-id="loop:r1:' in picture
    assert "t → t + 1, 99 ×" in picture


def test_a_loop_that_is_too_high_is_one_box_with_its_way_back_in_and_its_weights_once():
    drawing = drawn(*networks.graph("rnn 100"), "backward")
    picture, box = drawing.to_svg(), drawing.layout.boxes["r1"]
    words = re.sub(r"<[^>]+>", "|", picture)

    assert drawing.fold.boxes == ["r1"]
    assert all(f"{name}||{shape} × 100" in words for name, shape in (("Wx", "(3, 4)"), ("Wh", "(4, 4)"), ("b", "(4,)")))
    ((_, line),) = drawing.layout.loops
    assert (line[0][-1][0], line[-1][-1][0]) == pytest.approx((box.right, box.x))
    assert min(y for piece in line for _, y in piece) < box.y
    assert drawn(*networks.graph("rnn 100"), open=["step"]).fold.boxes == []


def test_the_turns_of_a_loop_show_no_numbers_for_they_differ():
    drawing = drawn(*networks.graph("rnn 10"), "backward")

    assert {slot for slot in drawing.values if slot.startswith("edge:")} == {"edge:n1:0"}
    assert any(slot.startswith("total:") for slot in drawing.values)


def test_a_loop_that_starts_at_a_leaf_has_its_way_back_in():
    drawing = drawn(*networks.graph("loops from leaves"))

    assert len(drawing.layout.loops) == len(drawing.fold.rolls) == 2
    assert all(not frame.touches(drawing.layout.boxes[id]) for frame, _ in drawing.layout.frames.values()
               for id in drawing.fold.starts)


def test_what_a_loop_sums_up_goes_round_and_its_first_turn_may_begin_with_a_number():
    graph, _ = networks.graph("losses of a loop")
    (roll,) = levels.fold(graph).rolls.values()
    drawing = drawn(graph, _)

    assert roll.count == 100
    assert [graph.node(out.partition(":")[0]).name for out, _ in roll.loops] == ["AddBackward0", "TanhBackward0"]
    assert drawing.fold.shown == 4
    assert "4 params × 100" in re.sub(r"<[^>]+>", "", drawing.to_svg())
    assert [id for id in drawing.layout.data if id.startswith("loop:")] == ["loop:r1:n1:0", "loop:r1:n6:0"]


def test_what_every_turn_of_a_loop_gives_is_one_wire():
    graph, _ = networks.graph("outputs of a loop")
    drawing = drawn(graph, _, "backward")
    (stack,) = (n for n in drawing.fold.graph.ops if n.name == "StackBackward0")

    assert sorted(roll.count for roll in drawing.fold.rolls.values()) == [20, 20]
    assert drawing.fold.bundles == {f"{stack.id}:0": 20}
    assert f"edge:{stack.id}:0" not in drawing.values, "it differs from turn to turn"
    assert drawing.layout.height < 700


def test_what_takes_a_loops_result_twice_has_two_wires_and_may_begin_another_loop():
    program = """w = torch.ones(2, requires_grad=True); h = w * 0.5
for _ in range(9): h = (h * w).tanh().sin()
y = h * h
for _ in range(9): h = (h * h).cos().exp()
loss = (y + h).sum()
loss"""
    roots, names = networks.execute(program, "<twice>", minigrad)
    drawing = draw(*roots, names=names, view="backward", level="ops")
    product = drawing.fold.graph.node(next(t.node for t in drawing.graph.tensors if t.name == "y"))

    assert [e.slot for e in product.edges] == [0, 1]
    assert drawing.fold.bundles == {}
    assert drawing.values[f"edge:{product.id}:0"] == drawing.values[f"edge:{product.id}:1"] != ""
    assert sorted(roll.count for roll in drawing.fold.rolls.values()) == [9, 9]


@pytest.mark.parametrize("beside", [False, True])
def test_a_loop_that_lies_behind_the_end_of_what_is_shown_does_no_harm(beside):
    w, h = minigrad.tensor([1.0, 2.0], requires_grad=True), minigrad.tensor([0.0, 1.0])
    for _ in range(20):
        h = minigrad.tanh(w * h + w)
    names = {"y0": h, "z0": w}
    exec("\n".join(f"y{i + 1} = y{i}.sin()" for i in range(140 if beside else 310)), names)
    exec("\n".join(f"z{i + 1} = z{i}.sin()" for i in range(180 if beside else 0)), names)
    root = [*names.values()][-1].sum() + names[f"y{140 if beside else 310}"].sum()
    drawing = Drawing(read(root, names={"w": w}), "forward")

    assert drawing.fold.rolls
    assert drawing.layout.fold.shown < drawing.fold.shown
    assert ("× 20" in drawing.to_svg()) is beside


def test_a_loop_of_few_turns_in_another_one_is_a_part_of_its_turn():
    graph, _ = networks.graph("meta learning")
    (roll,) = levels.fold(graph).rolls.values()

    assert roll.count == 4
    assert len(roll.turns[0]) * 4 == len(graph.ops)


def test_an_instruction_that_ran_often_is_still_the_same():
    graph, _ = networks.graph("choices")

    assert sorted(len(r.turns) for r in graph.repeats) == [12, 12]
    assert len(levels.fold(graph).rolls) == 2


@pytest.mark.parametrize(("name", "title", "ops", "chips"), [
    ("six blocks", "block × 6", (22, 7), ("6 × weight", "6 × bias")),
    ("layers of a loop", "block × 5", (21, 9), ("5 × weight", "5 × bias")),
    ("gpt", "Block blocks × 4", (211, 61), ("48 params",))])
def test_equal_blocks_are_drawn_once_and_their_own_parameters_counted(name, title, ops, chips):
    graph, roots = networks.graph(name)
    drawing = drawn(graph, roots, "backward")
    (roll,) = drawing.fold.rolls.values()
    words = re.sub(r"<[^>]+>", "", drawing.to_svg())

    assert " ".join(title_of(drawing.fold, roll.id)) == title
    assert (len(graph.ops), len(drawing.fold.graph.ops)) == ops
    assert all(chip in words for chip in chips)
    assert f"values of the last turn: {title}. {ops[0]} ops drawn as {ops[1]}" in words
    assert all(len(set(accs)) == roll.count for _, accs in roll.own)


@pytest.mark.parametrize(("name", "module", "hidden", "order"), [
    ("stages of blocks", "stage1", 28, "122–173"), ("lstm", "LSTM", 72, "3–78")])
def test_a_closed_module_counts_all_turns_of_a_loop_that_it_hides(name, module, hidden, order):
    graph, roots = networks.graph(name)
    drawing = drawn(graph, roots, "backward")
    modules = [s.id for s in drawing.fold.scopes.values() if s.kind == "module"]
    box = next(id for id in modules if module in title_of(drawing.fold, id))
    drawing = drawing.refolded(drawing.fold.refolded(drawing.fold.closed | {box}), "backward", 848)

    assert drawing.fold.rolls == {}
    assert len(drawing.fold.inside[box]) == hidden
    assert levels.order_spans(drawing.fold)[box] == order
    assert not any(id.startswith("t0.") for id in drawing.layout.boxes)  # no start of a loop that is not drawn
    assert "drawn as" not in drawing.to_svg()
    assert drawing.fold.opened([box]).rolls


@pytest.mark.oracle
def test_a_chip_of_equal_blocks_has_the_norm_of_all_their_gradients_as_torch_has_them():
    torch = pytest.importorskip("torch")
    drawing = drawn(*networks.graph("six blocks"), "backward")
    (loss,), names = networks.run("six blocks", torch)
    loss.backward()
    norms = [torch.stack([names[f"net.{k}.{kind}"].grad.norm() for k in range(0, 12, 2)]).norm().item()
             for kind in ("weight", "bias")]
    (roll,) = drawing.fold.rolls.values()
    shown = {drawing.values[f"chip:{drawing.graph.node(acc).leaf}"] for acc, _ in roll.own}

    assert shown == {f"‖g‖ {two_digits(norm)}" for norm in norms}


@pytest.mark.parametrize(("size", "said"), [
    (0.2432, "0.24"), (1e-9, "1e−9"), (12.3, "12"), (1060.4, "1060"), (23456.0, "2.35e4"), (0.0, "0"),
    (float("-inf"), "−∞")])
def test_a_norm_has_two_digits_and_no_power_of_ten_that_it_does_not_need(size, said):
    assert two_digits(size) == said


def test_modules_in_a_list_are_called_by_their_place_and_not_by_the_variable_of_a_loop(monkeypatch):
    layers = [minigrad.nn.Linear(2, 2) for _ in range(3)]
    h = minigrad.ones(1, 2)
    for layer in layers:
        h = layer(h)
    monkeypatch.setattr(display, "learners_scope", lambda: {"layers": layers, "layer": layer, "h": h})

    assert [s.path for s in display.draw(h).graph.scopes] == ["layers[0]", "layers[1]", "layers[2]"]


@pytest.mark.parametrize("blocks", [
    "nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh()",  # alternate: two make a turn, and those are too few
    "nn.Linear(8, 9), nn.ReLU(), nn.Linear(9, 8), nn.ReLU()",
    "nn.Dropout(0.1 * k), nn.Linear(8, 8), nn.ReLU()",
])
def test_what_differs_in_structure_is_no_repeat(blocks):
    net = eval(f"nn.Sequential(*(m for k in range(3) for m in ({blocks})))", {"nn": minigrad.nn})
    graph = read(net(minigrad.ones(2, 8)).sum(), names={"net": net})

    assert levels.fold(graph).rolls == {}


def test_parameters_that_are_used_elsewhere_keep_their_blocks_apart():
    net = minigrad.nn.Sequential(*(minigrad.nn.Linear(8, 8) for _ in range(9)))
    alone, tied = (read(net(minigrad.ones(2, 8)).sum() + extra) for extra in (0, net[3].weight.sum()))

    assert [roll.count for roll in levels.fold(alone).rolls.values()] == [9]
    assert levels.fold(tied).rolls == {}


def test_short_loops_stay_as_they_are():
    assert roll_up(networks.graph("rnn 3")[0])[1] == {}
    graph, _ = networks.graph("rnn 10")
    assert levels.fold(graph, repeats=False).shown == 51


# ---- cuts


def test_a_cut_has_scissors_its_line_and_a_wire_from_what_was_cut():
    graph, roots = networks.graph("detach")
    node = next(n.id for n in reversed(graph.nodes) if n.name == "MulBackward0")
    left = next(t.id for t in graph.tensors if t.name == "k")
    graph = replace(graph, cuts=(Cut("c1", "detach", (1, "k = h.detach()"), 3, node, left),))
    drawing = drawn(graph, roots, "backward")

    assert {"c1", "scissors:c1"} <= drawing.layout.boxes.keys()
    assert "detach × 3" in drawing.to_svg()
    assert "k = h.detach()" in drawing.to_svg()
    assert drawing.layout.data["c1:0"][-1][-1][0] == pytest.approx(drawing.layout.boxes["c1"].x)
    assert "mg-join" not in drawing.to_svg().partition("</style>")[2], "no gradient comes from a cut"


def test_the_way_to_a_cut_begins_forward_at_the_op_whose_gates_are_not_drawn():
    x = minigrad.tensor([1., 2.], requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad)
    z = y.detach() * x + y
    drawing = draw(z, names={"x": x, "y": y, "z": z}, view="forward")
    (node,) = [t.node for t in drawing.graph.tensors if t.name == "y"]
    begins = float(re.search(r'data-id="c1:0"><path d="M([\d.]+)', drawing.to_svg())[1])

    assert begins == pytest.approx(drawing.layout.boxes[node].right, abs=12)  # of a round end


@pytest.mark.parametrize(("name", "tracked", "into"), [
    ("a cut outside", False, ["AddmmBackward0"]), ("a cut without a name", True, ["MulBackward0", "AddBackward0"])])
def test_a_cut_leads_to_what_takes_its_result_wherever_it_came_from(name, tracked, into):
    graph, roots = networks.graph(name)
    drawing = drawn(graph, roots)

    assert [graph.node(edge.partition(":")[0]).name for cut in graph.cuts for edge in cut.into] == into
    for cut in graph.cuts:
        box = drawing.layout.boxes[drawing.fold.box.get(node := cut.into[0].partition(":")[0], node)]
        assert (cut.node is not None) == tracked
        assert drawing.layout.data[f"cut:{cut.into[0]}"][-1][-1][0] == pytest.approx(box.x, abs=12)  # of a round end
        assert f'"{cut.id}" -> "' in drawing.to_dot()


@pytest.mark.parametrize("level", [None, "functions", "ops"])
@pytest.mark.parametrize(("name", "said"), [
    ("cuts by an index", ["argmax()", ">", "argmin()"]),
    ("cuts by a block", ["no_grad()", "detach()", "item()"]), ("straight through", [])])
def test_each_card_of_a_cut_leads_on_at_every_level(name, said, level):
    graph, roots = networks.graph(name)
    drawing = drawn(graph, roots, "backward", level)
    at, fold = drawing.layout, drawing.layout.fold

    assert {cut.kind for cut in graph.cuts} >= {*said}
    for cut in graph.cuts:
        hidden = {**fold.chips, **fold.box}.get(cut.node, "") in {fold.box.get(e.partition(":")[0]) for e in cut.into}
        on = [f"cut:{edge}" for edge in cut.into] + [f"{cut.tensor}:0"] * (cut.tensor in at.boxes)
        assert hidden or (cut.id in at.boxes and on and at.data.keys() >= {*on})
        assert hidden or cut.node is None or f"{cut.id}:0" in at.data


@pytest.mark.parametrize("level", ["modules", "ops"])
def test_what_was_cut_in_a_module_and_is_used_there_and_outside_has_its_card(level):
    roots, names = networks.execute("""class Part(nn.Module):
    def forward(self, x):
        h = x.tanh()
        kept = h.detach()
        return h.relu() * kept, kept
part = Part(); last = nn.Linear(4, 4)
def run(x):
    y, kept = part(x)
    return (last(y) * kept).sum()
loss = run(torch.ones(2, 4, requires_grad=True))
loss""", "<inside and outside>", minigrad)
    drawing = draw(*roots, names=names, level=level)
    (cut,), outside = drawing.graph.cuts, next(n.id for n in drawing.graph.ops if n.name == "MulBackward0")

    assert {f"{cut.id}:0", f"cut:{outside}:1"} <= drawing.layout.data.keys()
    assert len(drawing.layout.data.keys() & {f"cut:{edge}" for edge in cut.into}) == 2 - (level == "modules")


def test_the_card_of_a_cut_shows_its_own_statement_of_several_on_a_line():
    graph, _ = networks.graph("cuts by an index")
    lines = {cut.kind: cut.line[1] for cut in graph.cuts}

    assert lines["argmax()"] == "k = int(y.argmax())"
    assert lines["argmin()"] == "z = y[k] * y[m].sum() * x[x.argmin()] * w.sum()"


def test_a_constant_that_a_block_left_has_a_wire_in_every_view():
    graph, roots = networks.graph("cuts by a block")
    target = next(t.id for t in graph.tensors if t.name == "target")
    edge = next(id for id, (_, e) in graph.edges.items() if e.tensor == target)

    for view in VIEWS:
        assert f'data-id="{edge}"' in drawn(graph, roots, view).to_svg()
    assert edge in graph.severed


def test_a_card_leaves_out_what_the_frame_around_it_says():
    graph, roots = networks.graph("stages of blocks")
    drawing = drawn(graph, roots, "forward", "ops")
    leaves = (t for t in graph.tensors if t.kind == "leaf")
    names = {t.name: words.card(t, drawing.layout.fold, SHOW_ALL, "en")[0] for t in leaves}

    assert names["net.stage3.0.short.1.weight"] == "1.weight"
    assert names["net.stage3.0.b2.weight"] == "b2.weight"
    assert names["net.head.weight"] == "weight"
    assert drawing.layout.width <= 848


def test_calls_are_folded_before_lines_of_code():
    def attend(x):
        return minigrad.nn.functional.scaled_dot_product_attention(x @ x, x, x)

    x = minigrad.ones(2, 2, 2, requires_grad=True)
    drawing = draw(attend(attend(attend(x))).sum(), names={"x": x})

    assert {drawing.fold.scopes[box].kind for box in drawing.fold.boxes} == {"call"}


def test_parameters_in_a_list_are_called_as_the_list():
    assert words.chip_name("net.scales.4", {"net.scales.4", "net.layers.4.weight"}, 5) == "5 × scales"
    assert words.chip_name("net.scales.4", {"net.scales.4"}, 1) == "scales.4"
    assert words.chip_name("net.fc1.weight", {"net.fc1.weight"}, 5) == "5 × weight"


def test_how_many_outputs_have_no_card_is_said():
    x = minigrad.arange(12.0).requires_grad_()
    first, second, third, fourth, fifth, sixth = x.split(2)
    names = {"first": first, "second": second, "third": third, "fourth": fourth, "fifth": fifth, "sixth": sixth}
    drawing = draw(sum(names.values()).sum(), view="forward", names=names)

    left_out = 6 - sum(t.name in names and t.id in drawing.layout.boxes for t in drawing.graph.tensors)
    assert 0 < left_out < 6
    assert re.findall(r'data-id="cards:n\d+"><text[^>]*>(.*?)<', drawing.to_svg()) == [f"+{left_out}"]


def test_many_parameters_that_calls_of_a_module_share_are_one_chip():
    drawing = drawn(*networks.graph("gan"), "backward")

    assert "4 params × 2" in drawing.to_svg()
    assert not drawing.layout.refs


SHARED = {  # what boxes say of leaves that others use too
    "l2": ("""net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)); x = torch.ones(5, 4)
penalty = sum(p.pow(2).sum() for p in net.parameters())
loss = net(x).sum() + 0.01 * penalty
loss""", {"(5, 4), (), 4 params → ()", "4 params × 2"}),
    "tied": ("""emb = nn.Embedding(7, 4); rnn = nn.RNNCell(4, 4); h = torch.zeros(1, 4); logits = []
for t in range(4):
    h = rnn(emb(torch.tensor([t])), h); logits.append(h @ emb.weight.T)
loss = torch.cat(logits).sum()
loss""", {"5 params"}),
    "experts": ("""experts = nn.ModuleDict({k: nn.Linear(4, 2) for k in ("a", "b", "c")}); out = 0; x = torch.ones(3, 4)
for expert in experts.values():
    out = out + expert(x).tanh() * 2
loss = out.sum()
loss""", {"a.weight", "b.weight", "c.weight"}),
}


@pytest.mark.parametrize("name", SHARED)
def test_a_box_says_which_leaves_it_uses_and_how_often(name):
    program, said = SHARED[name]
    graph, _ = networks.execute(program, f"<{name} leaves>", minigrad, read)
    fold = levels.fold(by_lines(graph))
    closed = fold.closed | {id for id, s in fold.scopes.items() if s.kind in ("line", "repeat")}
    picture = Drawing(fold.graph, folded=fold.refolded(closed)).to_svg()

    assert said <= {*re.findall(r">([^<>]+)<", picture.partition("</style>")[2])}


def test_only_a_frame_around_all_uses_of_a_parameter_says_a_part_of_its_name():
    block = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.Tanh())
    for root, name in ((block(block(minigrad.ones(1, 2))), "block.0.weight"), (block(minigrad.ones(1, 2)), "weight")):
        fold = draw(root.sum(), names={"block": block}, level="ops").fold
        (weight,) = [t for t in fold.graph.tensors if t.name == "block.0.weight"]

        assert words.card(weight, fold, SHOW_ALL, "en")[0] == name


def test_a_small_constant_beside_a_frame_is_drawn_where_a_wire_leads_to_it():
    graph, roots = networks.execute("""W, V = (torch.ones(4, 3, requires_grad=True) for _ in "WV")
U = torch.ones(4, 4, requires_grad=True); h = torch.zeros(4)
for x in torch.randn(6, 3): h = torch.tanh(W @ x + U @ h) * torch.sigmoid(V @ x)
loss = h.sum()
loss""", "<beside a frame>", minigrad, read)
    (x,) = (t.id for t in graph.tensors if t.name == "x")
    pictures = [drawn(graph, roots, view, "ops") for view in ("record", "forward")]

    assert [f"r1:in:{x}:0" in picture.layout.refs for picture in pictures] == [True, True]
    assert [f'data-ref="r1:in:{x}:0"' in picture.to_svg() for picture in pictures] == [False, True]


def test_gradients_do_not_meet_at_a_constant():
    drawing = drawn(*networks.graph("siamese"), "backward")

    assert drawing.layout.joins == []


def test_gradients_of_different_turns_do_not_meet():
    graph, roots = networks.graph("episode")
    drawing = drawn(graph, roots, "backward")

    assert [roll.count for roll in drawing.fold.rolls.values()] == [5]
    assert "mg-join" not in drawing.to_svg().partition("</style>")[2], "each turn has a log of its own, used once"
    assert drawn(graph, roots, "backward", "ops").layout.joins == [], "not at the frame of a loop either"
    assert drawn(*networks.graph("losses of a loop"), "backward").layout.joins, "a state goes to its loss and on"


def test_what_a_loop_starts_from_stands_outside_of_its_box():
    drawing = drawn(*networks.graph("throw"), "backward")
    start = next(n for n in drawing.graph.nodes if n.kind == "accumulate")

    assert drawing.fold.boxes == [*drawing.fold.rolls]
    assert start.id in drawing.layout.boxes
    said = re.findall(r">([^<>]*×[^<>]*)<", drawing.to_svg().partition("</style>")[2])
    assert said == ["t → t + 1, 3 ×", "× 4"], "one turn alone uses v0: the box has its count, the leaf none"


def test_a_box_says_which_hooks_it_hides():
    def double(grad):
        return grad * 2

    net = minigrad.nn.Sequential(minigrad.nn.Linear(2, 3), minigrad.nn.ReLU(), minigrad.nn.Linear(3, 2))
    y = net(minigrad.ones(1, 2))
    y.register_hook(double)
    net[2].bias.register_hook(lambda grad: grad)
    drawing = draw(y.sum(), names={"net": net}, level="modules", open=["net"])

    assert re.findall(r"hooks: [^<]*", drawing.to_svg()) == ["hooks: double, λ"]
    assert "hooks:" not in draw(y.sum(), names={"net": net}, level="ops").to_svg()


def test_where_room_is_short_a_box_says_its_hooks_and_not_what_came_in():
    def clamped(grad):
        return grad.clamp(-1, 1)

    conv = minigrad.nn.Conv2d(3, 16, 3, padding=1)
    conv.weight.register_hook(clamped)
    loss = conv(minigrad.ones(4, 3, 8, 8, requires_grad=True)).sum()

    assert "→ (4, 16, 8, 8)  hooks: clamped" in draw(loss, names={"conv": conv}, level="modules").to_svg()


def test_parameters_stand_in_their_module_by_names_that_tell_them_apart():
    drawing = drawn(*networks.graph("weight decay"), "backward")
    (head,) = [id for id, s in drawing.fold.scopes.items() if s.path == "net.head"]
    assert {*drawing.fold.chips.values()} == {head}

    class Gate(minigrad.nn.Module):
        def __init__(self):
            super().__init__()
            self.f = minigrad.nn.Sequential(*(minigrad.nn.Linear(2, 2, bias=False) for _ in range(2)))

        def forward(self, x):
            return x * self.f(x).sigmoid()

    gate = Gate()
    fold = draw(gate(minigrad.ones(1, 2)).sum(), names={"gate": gate}).fold
    (outer,) = [id for id, s in fold.scopes.items() if s.name == "Gate"]
    assert [chip.name for chip in chips_of(fold.refolded(frozenset({outer})), outer, {})] == ["0.weight", "1.weight"]


def test_modules_of_one_name_say_where_they_belong():
    drawing = drawn(*networks.graph("flows"), level="modules")
    paths = {title_of(drawing.fold, id)[1] for id in drawing.fold.boxes if drawing.fold.scopes[id].kind == "module"}

    assert paths == {f"{k}.{name}" for k in range(3) for name in "st"}


def test_what_is_drawn_again_below_a_box_does_not_cross():
    drawing = drawn(*networks.graph("weight decay"), "record", "ops")
    small = [box for id, box in drawing.layout.boxes.items() if id.startswith("ref:")]

    assert len(small) > 4
    assert [(a, b) for a, b in combinations(small, 2) if overlaps(a, b)] == []


# ---- Graphviz


@pytest.mark.parametrize("view", VIEWS)
def test_graphviz_draws_open_modules_as_clusters_and_closed_ones_as_one_node(view):
    graph, _ = networks.graph("attention")
    closed, open_ = (dot.source(graph, view, "light", levels.fold(graph, level)) for level in (None, "ops"))

    assert (closed.count("subgraph"), open_.count("subgraph")) == (1, 11)
    assert "Attention attn  +43" in closed
    assert engines.run_graphviz(open_, "graphviz", "svg").count(b'class="cluster"') == 11
    ids = re.findall(r'^ *("[^"]+") \[label', closed, re.M)
    assert {end for pair in re.findall(r'("[^"]+") -> ("[^"]+")', closed) for end in pair} <= set(ids)


# ---- where everything stands


@pytest.mark.parametrize("level", [None, "ops"])
@pytest.mark.parametrize("name", networks.LINES | networks.OTHERS)
def test_boxes_keep_apart_and_wires_keep_out_of_them(name, level):
    graph, roots = networks.graph(name)
    drawing = drawn(graph, roots, "backward", level)
    place, boxes = drawing.layout, boxes_of(drawing)
    wide, high = place.width, place.height

    assert wide <= (848 if name in networks.LINES else 1.06 * 848)  # what is wider goes on in a row below
    assert [id for id, b in boxes.items() if b.x < 0 or b.y < 0 or b.right > wide or b.bottom > high] == []
    assert [(a, b) for a, b in combinations(boxes, 2) if overlaps(boxes[a], boxes[b])] == []
    for id, line in place.back.items():
        if id.startswith(("seed:", "c", "t", "loop:")):  # of a root, a cut, what a cut left behind, a loop
            continue
        node = drawing.fold.graph.node(id.partition(":")[0])
        edge = node.edges[int(id.partition(":")[2])]
        fold = drawing.fold
        own = {fold.box.get(node.id, node.id), fold.box.get(edge.node, edge.node), f"sum:{id}", f"ref:{id}",
               getattr(fold.graph.nodes_by_id.get(edge.node), "leaf", None), *(h.id for h in graph.hooks)}
        assert entered(line, {part: boxes[part] for part in boxes.keys() - own}) == [], id


def test_a_view_that_a_closed_module_returns_has_room_for_its_tab_and_its_value():
    net = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.Flatten(0))
    out = net(minigrad.ones(1, 2))
    drawing = draw(out, names={"out": out, "net": net})

    assert drawing.graph.tensor(drawing.graph.roots[0]).is_view
    assert drawing.layout.boxes[drawing.graph.roots[0]].h == CARD + TAB


def test_what_came_in_stands_outside_of_the_module_that_takes_it():
    net, x = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.Tanh()), minigrad.ones(1, 2)
    drawing = draw(minigrad.nn.Linear(2, 1)(net(x.requires_grad_())), names={"net": net, "x": x}, open=["net"])
    ((frame, _),) = drawing.layout.frames.values()

    assert not frame.touches(drawing.layout.boxes[next(t.id for t in drawing.graph.tensors if t.name == "x")])


def test_an_input_that_a_closed_module_takes_twice_is_drawn_with_the_wire_of_its_gradient():
    class Gate(minigrad.nn.Linear):
        def forward(self, x):
            return super().forward(x) * x

    x = minigrad.ones(2, 3, requires_grad=True)
    drawing = draw(minigrad.nn.Sequential(Gate(3, 3), minigrad.nn.Tanh())(x).sum(), names={"x": x}, level="modules",
                   view="backward")

    leaf = next(t for t in drawing.graph.tensors if t.name == "x")
    assert {leaf.id, leaf.node} <= drawing.layout.boxes.keys()
    assert sum(e.node == leaf.node and id in drawing.layout.back for id, (_, e) in drawing.graph.edges.items()) == 1


@pytest.mark.parametrize("level", [None, "ops"])
@pytest.mark.parametrize("name", ["mlp", "attention", "shared mlp"])
def test_a_box_keeps_its_place_in_record_and_forward(name, level):
    graph, roots = networks.graph(name)
    places = [drawn(graph, roots, view, level).layout.boxes for view in ("record", "forward")]

    assert places[0] == places[1]


# ---- the layout alone


def plan(links, home=None, **options):
    home = home or {piece: "" for a, b in links for piece in (a, b)}
    return Plan({piece: Item(60, 40, 20) for piece in home}, {piece: ["", frame][:1 + bool(frame)]
                for piece, frame in home.items()}, links=[Link(f"{a}{b}", a, a, b, a) for a, b in links], **options)


@pytest.mark.parametrize(("name", "kind", "said"), [("autoencoder", "constant", False), ("shared mlp", "leaf", True)])
def test_the_legend_names_what_is_drawn_once_more_by_its_kind(name, kind, said):
    picture = drawn(*networks.graph(name), "forward").to_svg()

    assert f"mg-{kind} mg-ref" in picture
    assert ("the same leaf again" in picture) == said


def test_what_is_too_wide_goes_on_in_rows():
    chain = [(f"p{k}", f"p{k + 1}") for k in range(12)]
    one, several = arrange(plan(chain)), arrange(plan(chain), 400)

    assert several.w <= 400 < one.w
    assert len({y for _, y in several.boxes.values()}) > 2
    assert len({y for _, y in one.boxes.values()}) == 1, "a chain runs level"


def test_a_leaf_stands_in_the_row_that_uses_it_most_and_is_drawn_again_in_others():
    chain = [(f"p{k}", f"p{k + 1}") for k in range(12)]
    uses = [Link(f"w{at}", "w", "w", at, "w") for at in ("p1", "p2", "p11")]
    asked = plan(chain, shelf={"w": uses}, again={"w": 30})
    asked.items["w"], asked.inside["w"] = Item(60, 40, 20), [""]

    places = arrange(asked, 400)

    rows = [sorted({y for piece, (_, y) in places.boxes.items() if piece[0] == "p"}).index(places.boxes[piece][1])
            for piece in ("p1", "p2", "p11")]
    assert rows[0] == rows[1] < rows[2]
    assert places.boxes["w"][1] < places.boxes["p11"][1]
    assert [(piece, link) for piece, link, *_ in places.chips] == [("w", "wp11")]


def test_a_frame_holds_what_is_in_it_and_its_wires_are_whole():
    home = {"a": "", "b": "f", "c": "f", "d": ""}
    places = arrange(plan([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")], home))
    x, y, w, h, depth = places.frames["f"]

    assert depth == 0
    for piece in "bc":
        assert x < places.boxes[piece][0] < x + w
        assert y < places.boxes[piece][1] < y + h
    for link in ("ab", "bc", "cd", "ad"):
        start, end = places.boxes[link[0]], places.boxes[link[1]]
        line = places.wires[link]
        assert line[0][-1][0] == start[0] + 60
        assert line[-1][-1][0] == end[0]


def test_a_long_wire_goes_around_what_stands_between():
    places = arrange(plan([("a", "b"), ("b", "c"), ("a", "c")]))

    top, low = places.boxes["b"][1], places.boxes["b"][1] + 40
    middle = places.boxes["b"][0] + 30
    heights = [y for x, y in points(places.wires["ac"]) if abs(x - middle) < 5]
    assert heights
    assert all(y < top or y > low for y in heights)


def test_a_net_passes_whole_rows_at_the_left_and_no_other_net_runs_there():
    chain = [(f"p{k}", f"p{k + 1}") for k in range(12)]
    places = arrange(plan([*chain, ("p0", "p11"), ("p1", "p12")]), 400)
    top = places.boxes["p6"][1]  # of a row between
    first = min(x for x, y in places.boxes.values() if abs(y - top) < 40)
    lefts = []
    for link in ("p0p11", "p1p12"):
        there = {round(x) for x, y in points(places.wires[link]) if top < y < top + 40}
        assert there
        assert max(there) < first
        lefts.append(there)
    assert lefts[0].isdisjoint(lefts[1])


def test_leaves_that_are_too_wide_for_one_line_go_on_below_and_no_wire_runs_through_them():
    uses = [(f"w{k}", box) for k in range(4) for box in "ab"]
    pieces = plan([("a", "b")], home=dict.fromkeys("ab", "") | {f"w{k}": "" for k in range(4)},
                  shelf={f"w{k}": [Link(f"w{k}{box}", f"w{k}", f"w{k}", box, f"w{k}") for box in "ab"]
                         for k in range(4)})
    pieces.inside = {"a": [""], "b": [""]}
    places = arrange(pieces, 260)
    tops = [places.boxes[f"w{k}"][1] for k in range(4)]

    assert len(set(tops)) > 1
    assert max(places.boxes[f"w{k}"][0] + 60 for k in range(4)) <= 260
    for leaf, box in uses:
        inside = [k for k in range(4) for x, y in points(places.wires[leaf + box]) for left, top in [
            places.boxes[f"w{k}"]] if left + 2 < x < left + 58 and top + 2 < y < top + 38]
        assert inside == []


def test_inversions_are_counted_once_each():
    assert inversions([(1,), (2,), (3,)]) == 0
    assert inversions([(3,), (2,), (1,)]) == 3
    assert inversions([(1,), (1,)]) == 0


# ---- what a picture costs


def blocks(count):
    """Modules in modules in modules; the root, and the names."""
    nn = minigrad.nn
    net = nn.Sequential(*(nn.Sequential(*(nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(8)))
                          for _ in range(count // 8)))
    return net(minigrad.ones(1, 2)).sum(), {"net": net} | {f"net.{path}": p for path, p in net.named_parameters()}


def lines_run(work):
    """How many lines of Python run, once more in each turn of a loop."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def told(root, names):
    """What a picture is made of."""
    graph = read(root, names=names)
    return levels.fold(graph), flows(graph, root)


def test_boxes_of_turns_that_are_not_drawn_do_not_count():
    root, names = blocks(32)

    assert levels.fold(read(root, names=names)).shown <= levels.FEW_BOXES


def test_a_box_that_hides_no_loop_leaves_the_loops_as_they_are():
    fold = levels.fold(networks.graph("six blocks")[0])

    assert fold.rolls
    assert fold.opened(fold.boxes[:1]).graph is fold.graph


@pytest.mark.parametrize(("name", "layouts"), [("lenet", 1), ("matrices", 3), ("highway", 4)])
def test_no_fold_state_is_measured_twice(name, layouts, monkeypatch):
    (roots, names), old, seen = networks.run(name, minigrad), display.lay_out, []
    monkeypatch.setattr(display, "lay_out", lambda fold, *how: seen.append((fold.closed, fold.bare)) or old(fold, *how))
    draw(*roots, names=names)

    assert len(seen) == len({*seen}) == layouts


def test_the_work_grows_with_the_network_and_not_with_its_square():
    small, large = (lines_run(lambda made=made: told(*made)) for made in map(blocks, (64, 512)))

    assert large < 8 * 1.2 * small


def test_nor_with_that_of_the_turns_of_a_loop():
    few, many = ([Piece(3 + k % 2, "", "", (str(k),)) for k in range(count)] for count in (40, 400))

    assert lines_run(lambda: [*turns(many)]) < 10 * 1.2 * lines_run(lambda: [*turns(few)])


def test_what_no_box_makes_low_enough_is_placed_once_to_see_it(monkeypatch):
    (h,), names = networks.execute("h = torch.ones(2, requires_grad=True)\nfor k in range(40): h = (h * 0.5).sin()\nh",
                                   "<40>", minigrad)
    arrange, placed = places.arrange, []
    monkeypatch.setattr(places, "arrange", lambda *how: placed.append(how) or arrange(*how))

    assert draw(h, names=names, fold=False).layout.height > display.MUCH_TOO_HIGH
    assert len(placed) == 2


FIRST = "if h is None: h = torch.tanh(x @ w)\n    else: h = torch.tanh(torch.tanh(x @ w) + h * 2)"
NOW_AND_THEN = "h = torch.tanh(torch.tanh(x @ w) + (x if h is None else h) * w)\n    {}"


@pytest.mark.parametrize(("body", "all_"), [
    (FIRST, False), (NOW_AND_THEN.format("pass"), True), (NOW_AND_THEN.format("total += h.sum() * k"), True),
    (NOW_AND_THEN.format("if k == 3: total = total + h.sum()"), False)])
def test_turns_are_counted_where_the_loop_had_no_others(body, all_):
    program = f"""w = torch.tensor([[0.5, -0.3], [0.2, 0.8]], requires_grad=True)
h, total = None, 0.
for k, x in enumerate(torch.randn(6, 2)):
    {body}
loss = h.pow(2).sum() + total
loss"""
    graph, roots = networks.execute(program, f"<counted {body}>", minigrad, read)

    (repeat, *_) = graph.repeats
    assert repeat.all == all_
    assert ("loop ran" in drawn(graph, roots).to_svg()) == all_
    assert any(Scenes(graph).turns) == all_


def test_a_module_whose_name_begins_like_a_line_is_opened_as_a_module():
    class Net(minigrad.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear_stack = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.ReLU())
            self.head = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.Tanh())

        def forward(self, x):
            return self.head(self.linear_stack(x) * 2)

    net = Net()
    y = net(minigrad.ones(1, 2)).sum()
    kinds = {s.kind for s in minigrad.draw(y, open="linear_stack").graph.scopes}

    assert "line" not in kinds
