"""draw(t): names from where the learner stands, and a bundle that every notebook can show."""

import contextlib
import gc
import importlib.util
import json
import re
import subprocess
import sys
import time
import types
import weakref
import xml.etree.ElementTree as ET

import pytest

import minigrad
from minigrad.viz import draw, engines
from minigrad.viz.theme import width
from minigrad.viz.words import gate_label
from tests import networks

X = minigrad.tensor([1.0, 2.0], requires_grad=True)
PNG = b"\x89PNG\r\n"
LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def names_of(drawing) -> set[str]:
    return {t.name for t in drawing.graph.tensors if t.name}


def test_names_come_from_the_calling_frame():
    y = X * 2
    _hidden = y.exp()
    In = _hidden.sum()

    assert names_of(draw(In)) == {"X", "y"}


def test_given_names_win_and_add():
    y = X * 2

    assert names_of(draw(y, names={"result": y})) == {"X", "result"}


def test_names_of_a_notebook_are_its_namespace():
    cell = {"minigrad": minigrad, "draw": draw, "__name__": "__main__"}
    exec("a = minigrad.tensor(1., requires_grad=True)\n_ = b = a * 2\nd = draw(b)", cell)

    assert names_of(cell["d"]) == {"a", "b"}


def test_parameters_are_named_by_their_module():
    weight = minigrad.tensor([2.0], requires_grad=True)
    net = types.new_class("Net", (), {}, lambda body: body.update(
        named_parameters=lambda self: [("layer.weight", weight)]))()
    del_weight = (net, weight * 3)
    hidden = {"net": del_weight[0], "out": del_weight[1], "draw": draw}
    exec("d = draw(out)", hidden)

    assert names_of(hidden["d"]) == {"net.layer.weight", "out"}


def test_names_given_for_a_module_name_its_parameters():
    net = minigrad.nn.Linear(2, 2)

    assert {"model.weight", "model.bias"} <= names_of(draw(net(minigrad.ones(1, 2)), names={"model": net}))


def test_a_function_of_the_learner_is_no_operation_of_ours():
    class Exp(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.exp()

        @staticmethod
        def backward(ctx, grad):
            return grad

    y = Exp.apply(X)

    assert [(n.op, n.formula) for n in draw(y).graph.ops] == [("Exp.apply", "y = Exp.apply(X)")]


def test_the_formula_stands_on_the_pill():
    y = X * 2
    z = y.exp()

    assert [n.formula for n in draw(z).graph.ops] == ["z = exp(y)", "y = X · 2"]


def test_a_formula_leaves_out_numbers_that_are_cut_short():
    x = minigrad.ones(2, 6, requires_grad=True)
    y, z = (minigrad.nn.functional.mse_loss(one, minigrad.zeros(one.shape)) for one in (X, x))

    assert draw(y).graph.ops[0].formula == "y = mse_loss(X, [0, 0], …)"
    assert draw(z).graph.ops[0].formula == "z = mse_loss(x, …)"


def test_a_formula_names_what_has_an_edge_and_no_index():
    x, s, at = minigrad.ones(3, requires_grad=True), minigrad.ones(2, requires_grad=True), minigrad.tensor([0, 1])
    y = x.index_copy(0, at, s)
    z = x.index_copy(0, at, s.detach())

    assert draw(y).graph.ops[0].formula == "y = index_copy(x, …, s, …)"
    assert draw(z).graph.ops[0].formula == ""  # nothing of s is kept: nobody knows its name


@pytest.mark.parametrize("op", ["logaddexp", "clamp_min", "maximum", "mul"])
def test_a_stretched_input_has_its_sum_drawn(op):
    x, s = minigrad.ones(3, requires_grad=True), minigrad.ones(1, requires_grad=True)

    assert [e.expands for e in draw(getattr(x, op)(s)).graph.ops[0].edges] == [False, True]


def test_the_bundle_has_text_svg_and_png():
    bundle = draw(X * 2)._repr_mimebundle_()

    assert list(bundle) == ["text/plain", "image/svg+xml", "image/png"]
    assert bundle["image/svg+xml"].startswith("<svg\n")  # JupyterLab shows the first line of a hidden output
    assert bundle["image/png"].startswith(PNG)


def test_the_bundle_honours_include_and_exclude():
    drawing = draw(X * 2)

    assert set(drawing._repr_mimebundle_(include={"text/plain"})) == {"text/plain"}
    assert "image/png" not in drawing._repr_mimebundle_(exclude={"image/png"})


def test_png_falls_back_to_graphviz(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)

    assert draw(X * 2).to_png().startswith(PNG)


def test_without_any_renderer_the_bundle_has_no_png_and_says_why(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setenv("PATH", "")
    drawing = draw(X * 2)

    assert set(drawing._repr_mimebundle_()) == {"text/plain", "image/svg+xml"}
    with pytest.raises(RuntimeError, match="resvg-py"):
        drawing.to_png()
    with pytest.raises(RuntimeError, match="layout"):
        draw((X * 2).exp(), engine="graphviz").to_svg()


def test_graphviz_says_nothing_on_stderr():
    source = ("import minigrad\nfrom minigrad.viz import draw\n"
              "x = minigrad.tensor(1., requires_grad=True)\n"
              "d = draw(x * 2, engine='graphviz')\nd.to_svg(), d.graphviz_png()")
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")


def test_importing_the_pictures_imports_no_display_library():
    source = ("import sys, minigrad.viz.display\nprint([m for m in ('graphviz', 'pygraphviz', "
              "'IPython', 'ipywidgets', 'resvg_py', 'torch', 'matplotlib') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.parametrize("ending", ["svg", "png", "dot", "gv", "txt", "html", "json"])
def test_save_writes_what_the_ending_says(tmp_path, ending):
    file = tmp_path / f"graph.{ending}"
    draw(X * 2).save(file)
    begins = {"svg": b"<svg", "png": PNG, "dot": b"digraph", "gv": b"digraph", "txt": b"(2,)",
              "html": b"<!DOCTYPE html>", "json": b'{"schema"'}

    assert file.read_bytes().startswith(begins[ending])


@pytest.mark.parametrize(("theme", "scheme"), [(None, "light dark"), ("dark", "dark")])
def test_a_page_has_the_ground_of_its_picture(theme, scheme):
    assert f'<meta name="color-scheme" content="{scheme}">' in draw(X * 2, theme=theme).to_html()


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"'\.pdf'"):
        draw(X * 2).save(tmp_path / "graph.pdf")


def test_json_is_the_snapshot():
    drawing = draw(X * 2)

    assert json.loads(drawing.to_json())["nodes"][0]["name"] == "MulBackward0"


def test_a_drawing_keeps_no_tensor_alive_and_does_not_change():
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x * 2
    drawing = draw(y)
    before = drawing.to_svg()
    y.sum().backward()
    watched = weakref.ref(x)
    del x, y
    gc.collect()

    assert watched() is None
    assert drawing.to_svg() == before


def chain(length):
    y = minigrad.tensor(1.0, requires_grad=True)
    for _ in range(length):
        y = y.neg()
    return y


def test_around_shows_what_lies_near():
    x = minigrad.tensor(1.0, requires_grad=True)
    middle = x.neg().neg().neg().neg()
    end = middle.exp().neg().neg().neg()
    drawing = draw(end, around=middle, radius=1)

    assert [n.op for n in drawing.graph.ops] == ["exp", "neg", "neg"]
    assert "middle" in drawing.to_text()
    assert "<svg" in drawing.to_svg()


def test_of_a_graph_that_nobody_could_read_the_part_that_runs_first_is_drawn():
    drawing = draw(chain(3001), fold=False)

    assert "goes on outside" in drawing.to_svg()
    assert re.search(r"1\d\d of 3001 ops", drawing.to_svg())
    assert set(drawing._repr_mimebundle_()) == {"text/plain", "image/svg+xml"}


def test_a_large_graph_is_shown_without_its_pixels():
    assert set(draw(chain(301), fold=False)._repr_mimebundle_()) == {"text/plain", "image/svg+xml"}


@pytest.mark.parametrize("wrong", [{"view": "sideways"}, {"engine": "neato"}, {"theme": "blue"},
                                   {"show": {"everything"}}])
def test_an_unknown_choice_names_the_known_ones(wrong):
    with pytest.raises(ValueError, match="must be one of"):
        draw(X * 2, **wrong)


@pytest.mark.parametrize("wrong", [3.0, "x", None])
def test_what_is_no_tensor_is_refused(wrong):
    with pytest.raises(TypeError, match="a tensor of minigrad or of torch is needed here"):
        draw(wrong)


def test_show_leaves_out_what_is_not_asked_for():
    y = X * 2

    assert "mg-saved" not in draw(y, show={"values"}).to_svg().partition("</style>")[2]
    assert "[1, 2]" not in draw(y, show={"saved"}).to_svg()
    assert "@v0" in draw(y, show={"values", "versions"}).to_svg()
    assert ">exponent = 3<" in draw(X**3, show={"saved", "versions"}).to_svg()  # no tensor, so no version
    assert ["alpha" in draw(X.add(X, alpha=k)).to_svg() for k in (1, 2)] == [False, True]


def test_several_roots_share_one_picture():
    y = X * 2
    a, b = y.sum(), y.exp()
    drawing = draw(a, b)

    assert len(drawing.graph.roots) == 2
    assert sum(n.op == "mul" for n in drawing.graph.ops) == 1


@pytest.mark.parametrize("engine", ["graphviz", "dot"])
def test_graphviz_draws_the_source(engine):
    y = (X * 2).exp().sum()
    drawing = draw(y, engine=engine)

    assert "ExpBackward0" in drawing.to_svg()
    assert drawing.to_svg().encode() == engines.run_graphviz(drawing.to_dot(), engine, "svg")


@pytest.mark.oracle
@pytest.mark.parametrize("oracle", LIVE)
def test_a_real_torch_tensor_is_drawn_too(oracle):
    torch = importlib.import_module(oracle)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    drawing = draw(y)

    assert names_of(drawing) == {"x", "y"}
    assert drawing.graph == draw(y, names={"x": x, "y": y}).graph
    assert "MulBackward0" in drawing.to_svg()


def test_backward_shows_what_would_flow_and_changes_nothing():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * 3).sum()
    drawing = draw(loss, view="backward")

    assert "[3, 3]" in drawing.to_svg()
    assert x.grad is None
    loss.backward()
    assert x.grad.tolist() == [3, 3]


def test_hooks_run_on_copies_where_numbers_are_asked_for_and_nowhere_else(capsys):
    calls = []
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: (calls.append(g), print("loud"), g * 10)[2])
    x.register_post_accumulate_grad_hook(calls.append)
    loss = y.sum()
    for view in ("record", "forward"):
        draw(loss, view=view).to_svg()
    assert calls == []

    picture = draw(loss, view="backward").to_svg()
    assert "[10, 10]" in picture
    assert "[30, 30]" in picture
    assert len(calls) == 1, "once, and not what runs after accumulation"
    assert (x.grad, capsys.readouterr().out) == (None, "")


def test_backward_has_numbers_for_several_roots_and_for_a_gradient_that_is_given():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    both, given = draw(y.sum(), y, view="backward"), draw(y, view="backward", gradient=minigrad.tensor([1.0, 5.0]))

    first, second = re.findall(r'data-id="meet:n2:0">.*?>([^<]*)</text>', both.to_svg())
    assert f"{first} {second}" == "[1, 1] + [1, 1] = [2, 2]", "y is a root, and sum reaches it"
    assert "[6, 6]" in both.to_svg()
    assert "[3, 15]" in given.to_svg()


@pytest.mark.parametrize("library", ["minigrad", *LIVE])
def test_gradients_that_meet_are_an_equation_before_a_hook_sees_them(library):
    torch = importlib.import_module(library)
    p = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    m = p * p
    m.register_hook(lambda grad: grad * 0.5)

    svg = draw((m * m + m).sum(), view="backward").to_svg()

    told = re.findall(r'data-id="meet:n\d+:0">.*?>([^<]*)</text>', svg)
    assert " ".join(told) == "[1]: 1 + 4 + 4 = 9", "the largest entry: 1, and m twice"


def test_what_a_hook_receives_stands_beside_the_words_over_its_gate():
    held = [minigrad.tensor([1.0, 2.0], requires_grad=True) * 2]  # without a name
    held[0].register_hook(lambda g: g / 2)
    root = held[0].sum()
    root.register_hook(lambda g: g * 3)
    drawing = draw(root, view="backward", lang="zh", names={"root": root})
    ends = {h.node: drawing.layout.boxes[h.id].cx + width(gate_label(drawing.graph, h, "zh")) / 2
            for h in drawing.graph.hooks}
    (slot,) = (slot for slot in drawing.layout.slots if slot.startswith("got:"))
    x, wide = drawing.layout.slots[slot][0], width(drawing.values[slot], bold=True)

    assert drawing.values[slot] == "[3, 3]"
    assert x - wide / 2 >= ends.pop(slot.split(":")[1])
    assert [drawing.layout.slots[f"seed:{node}"][0] >= end for node, end in ends.items()] == [True]


def test_where_backward_would_fail_there_are_no_numbers_and_the_picture_says_so():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    loss.backward()

    svg = draw(loss, view="backward").to_svg()
    assert "No numbers: backward would fail (MulBackward0: RuntimeError" in svg
    assert "order that backward would take" in svg
    assert not re.search(r'class="[^"]*mg-check', svg), "no node has a tick: nothing ran to its end"
    assert 'class="mg-op mg-marked" data-id="n2"' in svg, "where it fails"
    assert "反向传播会失败" in draw(loss, view="backward", lang="zh").to_svg()


@pytest.mark.parametrize("library", ["minigrad", *LIVE])
def test_a_gradient_that_a_function_does_not_give_is_none_on_its_wire(library):
    torch = importlib.import_module(library)

    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            return x * scale

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    x, scale = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(0.5, requires_grad=True)
    svg = draw(Half.apply(x, scale).sum(), view="backward").to_svg()

    assert svg.count(">None</text>") == 1 + 2, "on the wire to `scale`, and in two drawers"


@pytest.mark.parametrize(("width", "text"), [(2, "[1, 1] + [1, −2] + [1, −2] = [3, −3]"), (3, "[2]: 1 + 3 + 3 = 7")])
def test_gradients_that_meet_at_a_leaf_stand_there_as_a_sum(width, text):
    x = minigrad.tensor([1.0, -2.0, 3.0][:width], requires_grad=True)
    picture = draw((x * x + x).sum(), view="backward").to_svg()

    assert text in " ".join(re.findall(">([^<]+)</text>", picture))


def test_the_first_node_that_makes_nan_is_named():
    x = minigrad.tensor([0.0, 4.0], requires_grad=True)
    drawing = draw(((x * 1).sqrt() * 0).sum(), view="backward")  # the product sends it on

    assert "In the gradients NaN or Inf first arises in SqrtBackward0" in drawing.to_svg()


def words_of(drawing):
    return re.sub(r"<[^>]+>", "|", drawing.to_svg().partition("</style>")[2])


def test_a_small_matrix_is_a_grid_and_a_large_tensor_bars_with_its_least_mean_and_largest():
    w = minigrad.arange(12.0).view(3, 4).requires_grad_()
    v = minigrad.arange(48.0).requires_grad_()
    told = words_of(minigrad.draw(w.sum() + v.sum(), names={"w": w, "v": v}))

    assert all(f"|{k}|" in told for k in range(12))
    assert "0 … 47, mean 23.5" in told
    assert "norm 189.0 · 24 / 48" in told


def test_what_is_not_finite_is_counted_and_left_out_of_the_mean():
    v = minigrad.arange(48.0)
    v[:3] = minigrad.tensor([float("nan"), float("inf"), -float("inf")])
    told = words_of(minigrad.draw(v.requires_grad_() * 2, names={"v": v}))

    assert "3 … 47, mean 25" in told
    assert "+ 1 NaN, 2 ∞ · 24 / 48" in told


def test_every_wire_of_the_forward_view_has_a_shape_on_it_or_where_it_comes_from():
    x = minigrad.ones(4, 3, requires_grad=True)
    h = x.reshape(2, 6)
    for _ in range(14):
        h = h.exp()
    told = words_of(minigrad.draw(h.sum(), view="forward", names={"x": x}))

    assert told.count("|(2, 6)|") == 15


def test_the_forward_view_shows_operands_that_have_no_card_and_nothing_that_an_op_made():
    x, mask, scale = minigrad.ones(2, 2, requires_grad=True), minigrad.eye(2).bool(), minigrad.full((2, 2), 3.0)
    y = ((x * scale).masked_fill(mask, 0.5) * 7).exp()
    told = words_of(minigrad.draw(y.sum(), view="forward", names={"x": x, "mask": mask, "scale": scale}))

    assert "mask = mask" in told
    assert "other = 7" in told
    assert "other = scale" not in told  # it has a card
    assert "result" not in told


@pytest.mark.parametrize("library", ["minigrad", *LIVE])
def test_gradients_that_meet_at_a_closed_box_are_an_equation_in_it(library):
    torch = importlib.import_module(library)
    torch.manual_seed(0)
    layer = torch.nn.Linear(1, 1)
    with minigrad.graph.scopes(layer) if library == "torch" else contextlib.nullcontext():
        h = layer(torch.tensor([[2.0]]))
    svg = draw((h * 3 + h.exp()).sum(), view="backward", level="modules").to_svg()
    box = re.search(r'class="mg-box" data-id="[^"]+"(.*?)</g>', svg, re.S)[1]
    told = " ".join(re.findall(">([^<]+)</text>", box))
    first, second, total = map(float, re.search(r"([\d.]+) \+ ([\d.]+) = ([\d.]+)", told).groups())
    slope = h.exp().item()
    assert sorted([first, second]) == pytest.approx(sorted([3, slope]), rel=5e-3)
    assert total == pytest.approx(3 + slope, rel=5e-3)


@pytest.mark.parametrize(("keep", "said", "marked"), [
    (True, "In the values NaN or Inf first arises in LogBackward0", "mg-op"),
    (False, "NaN or Inf is first seen in the result of SqrtBackward0; what went in is not all kept", "mg-op")])
def test_the_first_node_whose_result_holds_nan_is_named_as_far_as_it_is_known(keep, said, marked):
    x = minigrad.tensor([0.0, -1.0, 4.0], requires_grad=True)
    y = x.log()
    z = y.sqrt()
    if not keep:
        del y
    drawing = minigrad.draw(z)

    assert said in drawing.to_svg()
    assert f'class="{marked} mg-marked"' in drawing.to_svg()
    one_of_two = minigrad.draw(x.log() + minigrad.ones(3, requires_grad=True))
    assert "first seen in the result of AddBackward0" in one_of_two.to_svg()


def test_nan_that_a_leaf_brought_is_told_of_the_leaf():
    x = minigrad.tensor([1.0, float("nan")], requires_grad=True)

    assert "x holds NaN or Inf from the start" in minigrad.draw(x * 2).to_svg()


def test_heat_draws_large_gradients_thick():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * 1000).exp().log().sum()
    thick = re.findall(r"stroke-width:([0-9.]+)\"", draw((x * 1000).sin().sum(), view="backward", heat=True).to_svg())

    assert len({float(t) for t in thick}) > 1

    class Box(minigrad.nn.Module):
        def forward(self, x):
            return x * 3 - x * 2

    for y in (x + x, Box()(x * 1)):  # no wire carries what the two add up to, and one comes out of the box
        assert "from 1.4 to 1.4." in draw(y, view="backward", heat=True).to_svg()
    assert "stroke-width:" not in draw(loss, view="backward").to_svg().partition("</style>")[2]


@pytest.mark.parametrize("width", [-5, 0, 199, "big", None])
def test_a_width_that_nothing_fits_in_is_refused(width):
    with pytest.raises(ValueError, match="number of pixels, 200 or more"):
        draw(minigrad.ones(1, requires_grad=True) * 2, width=width)


@pytest.mark.parametrize(("gradient", "said"), [
    (minigrad.ones(2), "Mismatch in shape"), (minigrad.ones(1), "Mismatch in shape"),
    ([], "got 1 tensors and 0 gradients"), (2.0, "TypeError")])
def test_a_gradient_that_backward_would_refuse_gives_no_numbers_but_its_words(gradient, said):
    y = minigrad.ones(3, requires_grad=True) * 2
    drawing = draw(y, view="backward", gradient=gradient)

    assert not any(drawing.values.values())
    assert said in drawing.remarks[0]
    with pytest.raises((RuntimeError, TypeError)):
        minigrad.autograd.backward(y, gradient)


def test_a_root_that_holds_nan_starts_backward_with_ones_all_the_same():
    x = minigrad.tensor([0.0, 1.0], requires_grad=True)
    drawing = draw(x / 0 * 0, view="backward")

    assert drawing.values["seed:n1"] == "[1, 1]"


HOSTILE = ["\ud800", "\u202eevil", "a\x00b", "\x1b[31mred", "\ufffe", "<script>alert(1)</script>", "]]>", "&amp;", "'"]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_turns_a_text_around_or_breaks_a_picture(name):
    from minigrad.viz.glyphs import FORBIDDEN

    x, w = minigrad.ones(2, requires_grad=True), minigrad.ones(2, requires_grad=True)
    z = (x * w).sum()
    drawing, player = minigrad.draw(z, names={name: x, "w": w}), minigrad.step(z, names={name: x, "w": w})
    pictures = [drawing.to_svg(), *(p["svg"] for p in player.pictures)]
    texts = [drawing.to_text(), player.to_text(), drawing.to_json(), player.to_json(), drawing.to_html(),
             player.to_html(), json.dumps([player.scene, player.steps], ensure_ascii=False)]

    assert not [t for t in pictures + texts if FORBIDDEN.search(t)]
    assert "script" not in {e.tag.rpartition("}")[2] for p in pictures for e in ET.fromstring(p).iter()}


def test_a_name_of_ten_thousand_letters_is_cut_at_once():
    net = minigrad.nn.Sequential()
    net.add_module("a" * 10_000, minigrad.nn.Linear(3, 3))
    begin = time.process_time()
    minigrad.draw(net(minigrad.ones(2, 3)).sum()).to_svg()

    assert time.process_time() - begin < 2


class NameRaises:
    """A hook that answers no question about itself."""

    def __call__(self, grad):
        return None

    def __getattr__(self, name):
        raise ZeroDivisionError(name)


LOSS = (X * 2).sum()
WRONG = {
    "open": lambda: draw(LOSS, open=minigrad.nn.ReLU()), "show": lambda: draw(LOSS, show=3),
    "radius": lambda: draw(LOSS, around=X, radius="2"), "names": lambda: draw(LOSS, names=[X]),
    "breakpoints": lambda: minigrad.step(LOSS, preview=True, breakpoints=[3]),
    "w": lambda: minigrad.nudge(lambda w: w * w, [2.0]), "x": lambda: minigrad.nudge(sum, x=[1.0, 2.0]),
}
UNKNOWN = {
    "open": lambda: draw(LOSS, open="attn"), "theme": lambda: minigrad.step(LOSS, preview=True, theme="blue"),
    "breakpoints": lambda: minigrad.step(LOSS, preview=True, breakpoints="tanh"),
    "tangents": lambda: minigrad.step(LOSS, preview=True, tangents={X: minigrad.ones(5)}),
    "tangents=": lambda: draw(LOSS, view="forward", tangents={"X": minigrad.ones(2)}),
    "rounds": lambda: minigrad.training(lambda: LOSS, X, rounds="3"), "dx": lambda: minigrad.nudge(abs, 2.0, "a"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", WRONG)
def test_an_argument_of_the_wrong_kind_is_shown_how_it_is_written(name, lang, monkeypatch):
    monkeypatch.setattr("minigrad.text._language", lang)

    with pytest.raises(TypeError, match=f"written like {name}=|写成 {name}="):
        WRONG[name]()


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_argument_that_nothing_answers_to_is_refused_by_name(name):
    with pytest.raises(ValueError, match=name):
        UNKNOWN[name]()


def test_a_hook_whose_name_raises_is_called_after_its_class():
    x = minigrad.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(NameRaises())

    assert "NameRaises" in minigrad.draw(y).to_text()
    assert "NameRaises" in minigrad.step(y.sum()).to_text()


def test_gradients_without_numbers_meet_too():
    e = minigrad.zeros(0, 3, requires_grad=True)
    drawing = draw((e * 2).sum() + e.sum(), view="backward")

    assert {drawing.values[slot] for slot in drawing.values if slot.startswith("total:")} == {"[]"}


def test_a_row_that_its_lanes_make_too_wide_is_broken_once_more():
    roots, names = networks.execute("""x = torch.tensor([[1., -1., .5]]); outs = []
for k in range(3):
    x = torch.relu(nn.Linear(3, 3)(x)) + x; outs.append(nn.Linear(3, 2)(x))
loss = sum(k * F.cross_entropy(out, torch.tensor([1])) for k, out in zip((.2, .3, .5), outs))
loss""", "<lanes>", minigrad)

    assert draw(*roots, names=names, level="ops", view="backward").layout.width <= 848


def test_more_pixels_than_pillow_takes_leave_the_other_pictures(monkeypatch):
    def refuse(png):
        raise ValueError("Image size exceeds limit, could be decompression bomb DOS attack.")  # as Pillow's own class

    monkeypatch.setattr("minigrad.viz.display.few_colours", refuse)

    assert [*draw(X * 2)._repr_mimebundle_()] == ["text/plain", "image/svg+xml"]


def test_the_picture_that_every_tutorial_begins_with_has_one_row():
    """A little too wide, its nodes stand closer together."""
    x = minigrad.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    layout = draw(z.mean()).layout
    ops = [layout.boxes[n.id] for n in layout.fold.graph.ops]

    assert layout.width <= 848
    assert max(box.y for box in ops) < min(box.y + box.h for box in ops)


def test_a_panel_draws_the_latest_graphs_and_says_how_many_results_it_leaves_out():
    names = {"minigrad": minigrad, "w": minigrad.tensor([1.0, 2.0], requires_grad=True)}
    exec("\n".join(f"a{i} = w * {i}\nb{i} = a{i}.sum()" for i in range(9)) + "\na1 = w.exp()\nlast = b8", names)
    exec("with minigrad.watch() as panel: pass", names)
    drawing = names["panel"].drawing

    assert {t.name for t in drawing.graph.tensors if t.node and t.name != "w"} == {
        "a1", "a8", "last", *(f"{name}{i}" for name in "ab" for i in range(4, 8))}  # a second name is no second graph
    assert ("earlier results" in drawing.to_svg(), "7" in drawing.remarks[-1]) == (True, True)


def test_what_backward_freed_is_read_without_an_error_that_would_be_explained(monkeypatch):
    y = (X * 2).exp().sum()
    y.backward()
    monkeypatch.setattr("minigrad.graph.notes.explain", pytest.fail)

    assert [s.freed for n in draw(y).graph.nodes for s in n.saved if n.op == "exp"] == [True]
