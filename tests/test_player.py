"""The player's state: what the widget, the exported file and the stored notebook are made of."""

from __future__ import annotations

import gc
import json
import linecache
import re
import weakref
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.graph import record
from minigrad.text import both, set_language, table
from minigrad.viz import step
from minigrad.viz.scenes import cell_by_cell, converted, grids, mathml
from minigrad.viz.theme import TOKENS


def reference(**options):
    x = mg.tensor([1.0, -2.0])
    w = mg.tensor([0.5, 0.25], requires_grad=True)
    b = mg.tensor(0.1, requires_grad=True)
    p = x * w
    z = p + b
    z.retain_grad()
    z.register_hook(lambda g: g.clamp(max=0.78))
    h = mg.tanh(z)
    loss = h.sum()
    return step(loss, **options)


def diamond(**options):
    x = mg.tensor(3.0, requires_grad=True)
    h = x**2
    left = h * 2
    right = h * 5
    loss = left + right
    return step(loss, **options), x, loss


def test_names_are_those_of_the_calling_scope():
    assert reference().scene["title"] == "minigrad.step(loss)"
    assert [s["id"] for s in reference().steps] == ["n1", "n2", "n3", "n4", "n5", "n6"]
    assert reference().scene["nodes"]["n4"]["title"] == "AccumulateGrad (b)"


def test_nodes_of_one_name_are_told_apart_by_their_tensors():
    player, _, _ = diamond()
    titles = {n["title"] for n in player.scene["nodes"].values()}
    assert titles == {"AddBackward0", "MulBackward0 (left)", "MulBackward0 (right)", "PowBackward0",
                      "AccumulateGrad (x)"}


def test_every_number_and_mark_of_the_steps_has_its_place_in_the_picture():
    for player in (reference(), diamond()[0]):
        picture = ET.fromstring(player.pictures[0]["svg"])
        slots = {e.get("data-slot") for e in picture.iter()}
        parts = {e.get("data-id") for e in picture.iter()}
        parts |= {"sum:" + e.get("data-id") for e in picture.iter() if "mg-sum" in e.get("class", "")}
        events = [e for s in player.steps for e in s["events"]]
        written = {slot for e in events for slot in e.get("slots", {})}
        marked = {mark for e in events for mark in e.get("marks", ())}
        # a node whose wire passes no gate has no stem of its own
        assert {s for s in written if not s.startswith("in:")} <= slots
        assert {m for m in marked if not m.startswith(("in:", "out:"))} <= parts
        assert {i for e in events for i in e.get("freed", ())} <= parts


def test_the_same_program_gives_the_same_state():
    assert reference().state() == reference().state()


def test_captions_are_in_both_languages_and_the_trace_in_none():
    try:
        set_language("en")
        english = reference()
        set_language("zh")
        chinese = reference()
    finally:
        set_language("en")

    assert (english.lang, chinese.lang) == ("en", "zh")
    assert english.steps == chinese.steps
    assert english.to_text() == chinese.to_text()
    for event in (e for s in english.steps for e in s["events"]):
        assert event["say"]["en"]
        assert re.search(r"[一-鿿]", event["say"]["zh"])


def test_what_is_said_of_an_error_is_in_both_languages_whichever_was_chosen():
    told = []
    for lang in ("en", "zh"):
        try:
            set_language(lang)
            b = mg.tensor([1.0, 2.0], requires_grad=True).exp()
            c = (b * b).sum()
            b.add_(1)
            told.append(step(c).steps[-1]["events"][-1]["note"])
        finally:
            set_language("en")

    assert told[0] == told[1]
    assert "b.add_(1)" in told[0]["en"]
    assert re.search(r"[一-鿿]", told[0]["zh"])
    assert not re.search(r"[一-鿿]", told[0]["en"])


def test_the_trace_says_what_happened_line_by_line():
    trace = reference().to_text()
    assert trace.startswith("loss.backward()\n1 SumBackward0")
    assert "    hook clamp: [0.71, 0.86] -> [0.71, 0.78]\n" in trace
    assert "    sum: 0.71 + 0.78 = 1.49\n" in trace
    assert trace.endswith("6 AccumulateGrad (w)\n    w.grad: None -> [0.71, −1.56]")


def test_every_word_of_the_front_end_exists_in_both_languages():
    ui = reference().scene["ui"]
    assert "play" in ui
    assert all(pair["en"] and pair["zh"] for pair in ui.values())


def test_hosts_without_widgets_get_the_first_frame():
    data, _ = reference()._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/plain", "image/svg+xml"} <= set(data)
    assert "AccumulateGrad" in data["image/svg+xml"]
    assert "1.49" not in data["image/svg+xml"]
    assert data["text/plain"].startswith("loss.backward()")


@pytest.mark.parametrize("how", [{"drive": True}, {"predict": True}])
def test_what_a_player_asks_stands_in_no_picture_and_no_text_of_it(how):
    data, _ = diamond(preview=True, **how)[0]._repr_mimebundle_()
    written = [data["text/plain"], *re.findall(r">([^<]*)</text>", data["image/svg+xml"])]

    assert "PowBackward0" in written[0]
    assert "AccumulateGrad" in written
    assert not {"order of backward", "gradients add up here"} & set(written)
    assert not re.search(r"\b(42|7)\b", "\n".join(written))


def test_a_real_backward_says_that_it_is_over_and_a_preview_that_nothing_changed():
    assert "already as in the last frame" in reference().scene["before"]["en"]
    assert "nothing is changed" in reference(preview=True).scene["before"]["en"]
    live = reference(live=True)
    assert "last frame" not in live.scene["before"]["en"]
    live.close()


def test_players_that_nobody_sees_say_how_to_show_them(capsys, monkeypatch):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    made = "import minigrad as mg\nw = mg.ones(2, requires_grad=True)\n"
    for cell, said in {"for _ in range(3): p = mg.step((w * 2).sum())": "2 player(s)", "p": "",
                       "mg.step((w * 2).sum())\n1": "1 player(s)", "p = mg.step((w * 2).sum())": ""}.items():
        capsys.readouterr()
        shell.run_cell(made + cell)
        out = capsys.readouterr().out
        assert ("display(step(loss))" in out) == bool(said)
        assert said in out


@pytest.fixture
def page_of_cells(monkeypatch):
    """Runs cells of a page that has ids for them."""
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)

    def run(cell, id):
        made = "import minigrad as mg\nw = mg.ones(2, requires_grad=True)\n"
        return shell.run_cell(made + cell, store_history=True, cell_id=id).result

    return run, shell


def test_a_player_goes_when_its_cell_runs_again(page_of_cells):
    run, shell = page_of_cells
    gone = weakref.ref(run("mg.step((w * 2).sum())", "a"))
    other = run("mg.step((w * 2).sum())", "b")
    for _ in range(4):  # `_`, `__` and `___` keep results a while
        new = run("mg.step((w * 2).sum())", "a")
    gc.collect()

    assert gone() is None
    assert other.comm is not None
    assert new.comm is not None
    assert list(shell.user_ns["Out"].values()) == [other, new]
    assert len(shell.history_manager.output_hist_reprs) == 2  # nor the words of the others


def test_a_player_that_another_cell_shows_stays_and_one_that_was_closed_opens_again(page_of_cells):
    run, _ = page_of_cells
    first = run("p = mg.step((w * 2).sum()); p", "a")
    run("q = p; p", "b")
    run("1", "a")
    assert first.comm is not None
    run("1", "b")
    assert (first.comm, first.layout.comm) == (None, None)

    assert run("q", "c") is first
    assert None not in (first.comm, first.layout.comm)


def test_a_closed_player_leaves_nothing():
    gone = weakref.ref(player := reference())
    player.close()
    del player
    gc.collect()

    assert gone() is None


def test_the_exported_file_asks_nothing_of_anybody():
    page = reference().to_html()
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)  # namespaces only
    assert page.count("</script>") == 1


def test_the_json_can_be_read_back():
    state = json.loads(reference().to_json())
    assert state["scene"]["schema"] == "minigrad.player/1"
    assert state["graph"]["schema"] == "minigrad.graph/1"
    assert len(state["steps"]) == 6


def test_a_name_cannot_become_markup():
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    name = "</script><script>alert(1)</script>"
    player = step((a * a).sum(), names={name: a})

    assert player.to_html().count("<script") == 1
    assert "script" not in {e.tag.rpartition("}")[2] for e in ET.fromstring(player.pictures[0]["svg"]).iter()}
    assert name in player.scene["nodes"]["n3"]["title"]  # as text it is whole


def test_formulas_are_mathml_with_numbers():
    rule = reference().steps[4]["rows"][0]
    assert rule["math"]["zh"].startswith("<math")
    assert "梯度" in rule["math"]["zh"]
    assert "0.78" in rule["num"]


def test_a_breakpoint_is_a_node_or_a_leaf():
    assert reference(breakpoints=["MulBackward0", "b"]).breaks == ["n4", "n5"]
    assert reference(breakpoints="MulBackward0").breaks == ["n5"]


def test_a_question_has_one_right_answer_and_answers_that_people_give():
    quizzes = [s["quiz"] for s in reference().steps if s["quiz"]]
    assert len(quizzes) == 4
    for quiz in quizzes:
        assert len(set(quiz["options"])) == len(quiz["options"]) >= 2
        assert len(quiz["reasons"]) == 2
    summed = quizzes[2]
    assert summed["options"][summed["answer"]] == "1.49"
    assert "[0.71, 0.78]" in summed["options"]  # forgot that b was broadcast


@pytest.mark.parametrize(("rows", "summed"), [(1, "2 + 3 = 5"), (40, "[80, 120]")])
def test_what_broadcasting_stretched_is_summed_in_the_picture_and_in_the_callout(rows, summed):
    b = mg.zeros((), requires_grad=True) if rows == 1 else mg.zeros(2, requires_grad=True)
    y = (mg.ones(rows, 2) + b) * mg.tensor([2.0, 3.0])

    player = step(y.sum())
    adding = player.steps[2]
    (event,) = (e for e in adding["events"] if e["kind"] == "unbroadcast")

    assert event["slots"] == {"sum:n3:1": summed}
    assert event["marks"] == ["sum:n3:1"]
    assert summed in event["say"]["en"]
    assert [row["value"] for row in adding["rows"]] == [f"= {summed}"]
    assert r"= \mathrm{sum}\left(" in adding["rows"][0]["text"]
    assert f"    sum: {summed}\n" in player.to_text()


def test_where_numbers_are_too_many_a_shape_is_asked():
    x = mg.ones(5, 3)
    w = mg.ones(3, 4, requires_grad=True)
    (quiz,) = [s["quiz"] for s in step((x @ w).exp().sum(), names={"x": x, "w": w}).steps if s["id"] == "n3"]
    assert "w" in quiz["ask"]["en"]
    assert sorted(quiz["options"]) == ["(3, 4)", "(4, 3)", "(5, 4)"]
    assert quiz["options"][quiz["answer"]] == "(3, 4)"


def test_nothing_is_asked_of_a_gradient_that_was_not_sent():
    from tests.test_record import Nothing

    steps = step(Nothing.apply(mg.ones(2, 3, requires_grad=True) * 3).sum(), preview=True).steps
    assert [bool(s["quiz"]) for s in steps] == [True, False, False, False]
    assert not [s["first"]["ask"]["en"] for s in steps[1:] if s["first"] and s["first"]["kind"] == "receiver"]


def test_overwriting_is_among_the_answers_once_there_is_an_old_gradient():
    _, _, loss = diamond(retain_graph=True)
    quiz = step(loss, preview=True).steps[-1]["quiz"]
    assert quiz["options"][quiz["answer"]] == "84"
    assert "42" in quiz["options"]


def test_what_reads_as_the_right_number_is_not_called_wrong():
    x = mg.tensor([0.9999999], requires_grad=True)
    asked = [s["quiz"]["options"] for s in step((x * 1).clone().sum(), preview=True).steps if s["quiz"]]

    assert asked
    assert not [options for options in asked if {"[1]", "[1.00]"} <= {*options}]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), [
    ("ink", "page"), ("muted", "page"), ("grad", "page"), ("muted", "panel"), ("ink", "error-fill"),
    ("ink", "hook-fill"), ("ink", "op-fill"), ("muted", "op-fill"), ("grad", "acc-fill"),
    ("muted", "leaf-fill"), ("muted", "freed-fill"), ("page", "ink"), ("page", "error")])
def test_texts_stand_out_from_their_ground(theme, ink, ground):
    light, dark = sorted((luminance(TOKENS[name][theme]) for name in (ink, ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG AA


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# ---- live


def test_a_live_player_runs_one_node_per_click():
    player, x, _ = diamond(live=True)
    assert (len(player.steps), x.grad) == (0, None)

    player.want = 2
    assert len(player.steps) == 2
    player.want = 5
    assert len(player.steps) == 5
    assert x.grad == 42
    assert player.recorder is None
    with pytest.raises(ValueError, match="real backward"):
        diamond(live=True, preview=True)


def test_clicks_that_merge_on_the_way_lose_no_node():
    player, x, _ = diamond(live=True)
    player.want = 5  # the last of several positions is all that arrives
    assert x.grad == 42


def test_nobody_else_walks_a_graph_while_a_live_player_stands_in_it():
    player, _, loss = diamond(live=True)
    player.want = 2
    for lang, word in (("en", "player.close()"), ("zh", "反向传播中途")):
        set_language(lang)
        with pytest.raises(RuntimeError, match="live player") as caught:
            loss.backward()
        set_language("en")
        assert word in caught.value.__notes__[0]
    player.close()
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()  # the first two nodes are freed, as they would be


def test_a_new_live_player_takes_over_from_the_one_before():
    first, x, _ = diamond(live=True)
    first.want = 1
    second, y, _ = diamond(live=True)
    first.want = 5
    assert len(first.steps) == 1
    second.want = 5
    assert (x.grad, y.grad) == (None, mg.tensor(42.0))


def test_a_live_walk_that_fails_says_so_in_its_last_step():
    player, _, loss = diamond()
    player = step(loss, live=True)
    player.want = 2
    assert player.steps[-1]["events"][-1]["bad"].startswith("RuntimeError: Trying to backward")
    assert player.recorder is None


def test_the_lines_stand_in_the_order_in_which_they_ran():
    here: dict = {"mg": mg}
    for file, cell in {"<one>": "w = mg.ones(2, requires_grad=True)\n\n\nb = w * 2\n",
                       "<two>": "a = b.exp()\nc = (a * b).sum()\n"}.items():
        linecache.cache[file] = (len(cell), None, cell.splitlines(keepends=True), file)
        exec(compile(cell, file, "exec"), here)

    assert step(here["c"], preview=True).scene["code"] == "b = w * 2\na = b.exp()\nc = (a * b).sum()"


def test_the_player_s_own_line_frees_what_it_walks_through():
    x = mg.ones(2, requires_grad=True)
    (x * x).sum().backward()
    loss = (x * x).sum()
    step(loss)

    with pytest.raises(RuntimeError, match="second time") as raised:
        loss.backward()

    assert "step(loss)" in "\n".join(raised.value.__notes__)
    assert "(x * x).sum().backward()" not in "\n".join(raised.value.__notes__)


@pytest.mark.parametrize("call", [step, mg.why, mg.draw])
def test_what_is_no_tensor_is_refused_by_name(call):
    with pytest.raises(TypeError, match="a tensor of minigrad or of torch is needed here; got int"):
        call(3)


def test_no_rule_of_a_still_picture_takes_what_the_player_says_of_nodes_for_a_shape():
    static = Path(mg.__file__).parent / "viz/static"
    script, styles = ((static / name).read_text("utf-8") for name in ("player.js", "picture.css"))
    states = {name for pair in re.findall(r'"(mg-\w+)": |toggle\("(mg-\w+)"', script) for name in pair if name}
    states -= {"mg-freed", "mg-bad"}  # freed, or NaN: they mean and look the same in both

    assert {"mg-now", "mg-done", "mg-failed"} <= states
    assert states & {f"mg-{name}" for name in re.findall(r"\.mg-([\w-]+)", styles)} == set()


def test_gradients_that_meet_are_one_equation_in_symbols_and_in_numbers():
    player, _, _ = diamond(names={})
    met = [row for s in player.steps for row in s["rows"] if "to" in row]

    assert [row["value"] for row in met] == ["= 5 + 2 = 7"]
    assert "to h via" in met[0]["text"]
    assert met[0]["math"]["zh"].startswith("<math")
    assert met[0]["to"] == "n4"
    assert "∂loss/∂h = 5 + 2 = 7" in player.to_text()


def test_sums_of_small_matrices_are_grids_and_what_is_cut_short_is_none():
    x = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    wide = mg.ones(5, 5, requires_grad=True)
    several = {name: step((t * t).sum()).steps for name, t in (("x", x), ("wide", wide))}
    rows = {name: [row for s in steps for row in s["rows"]] for name, steps in several.items()}

    (met,) = (row for row in rows["x"] if "to" in row)
    assert met["num"].count("<mtr>") == 6
    assert met["cells"] == "each"
    assert rows["x"][-1]["value"] == "None → [[2, 4, … ×6]]"
    assert rows["x"][-1]["num"].count("<mtr>") == 2
    assert "12" in rows["x"][-1]["num"]
    assert not any("mtable" in str(row.get("num")) for row in rows["wide"])


def test_what_is_added_to_a_gradient_is_one_equation():
    x = mg.tensor(3.0, requires_grad=True)
    x.grad = mg.tensor(1.25)
    last = step(x * 2.5).steps[-1]

    assert last["rows"][0]["value"] == "= 1.25 + 2.50 = 3.75"
    assert "1.25 + 2.50 = 3.75" in last["events"][0]["say"]["en"]


def test_a_retained_gradient_that_is_added_to_says_so():
    x = mg.tensor(3.0, requires_grad=True)
    h = x * 2
    h.retain_grad()
    (h * h).backward(retain_graph=True)
    player = step(h * h, names={"h": h}, preview=True)
    (copy,) = (e for s in player.steps for e in s["events"] if e["kind"] == "capture")

    assert "12 + 12 = 24" in copy["say"]["en"]
    assert copy["slots"] == {"grad:t2": "24", "in:n2:0": "12"}


def test_what_stands_behind_an_approximation_is_told_with_all_digits():
    x = mg.tensor([2.3, 9.0], requires_grad=True)
    tanh = step(x.tanh().sum()).steps[1]

    assert r"≈" in tanh["rows"][0]["num"] or "&#x02248;" in tanh["rows"][0]["num"]
    assert tanh["rows"][0]["exact"].startswith("[0.0394110")
    assert all(f"All digits: {tanh['rows'][0]['exact']}." in tanh["events"][i]["say"]["en"] for i in (0, -1))
    assert "全部位数" in tanh["events"][-1]["say"]["zh"]


class Parts(mg.autograd.Function):
    """Two results, of which one is multiplied by the other."""

    @staticmethod
    def forward(ctx, x):
        return x * 2, x.sum(0)

    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h


def test_no_answer_is_called_wrong_that_is_right_of_another_edge_to_the_same_node():
    a, b = Parts.apply(mg.arange(20.0).requires_grad_())
    c, d = Parts.apply(mg.randn(20, 30, requires_grad=True))
    products = [step((a * b).sum() * 2 + 1, names={"a": a, "b": b}, preview=True).steps[3],
                step((c * d).sum(), preview=True).steps[1]]
    asked = [quiz for product in products for quiz in (product["quiz"], product["first"]) if quiz]

    assert not [q for q in asked if q.get("kind") == "note" or {"(20, 30)", "(30,)"} <= {*q["options"]}]


def test_no_digits_are_told_of_what_is_summed_before_it_is_shown():
    a = mg.tensor([[0.16158192001740773], [1.0384916362726346]], requires_grad=True)
    b = mg.tensor([[-0.7827, -0.05199], [-8e-05, 0.39919]], requires_grad=True)
    loss = (mg.tensor([[1.372, -1.184], [2.0134, -1.2046]]) * (b / (a * a))).sum()
    division = next(s for s in step(loss).steps if len(s["rows"]) == 2)

    assert "≈" not in "".join(row["value"] for row in division["rows"])
    assert not any("All digits" in e["say"]["en"] for e in division["events"])


def cell(name, text):
    """A program as a notebook's cell runs it: Python keeps its source."""
    place = f"/tmp/ipykernel_1/{name}.py"
    linecache.cache[place] = (len(text), None, text.splitlines(True), place)
    scope = {"mg": mg}
    exec(compile(text, place, "exec"), scope)
    return scope


def test_a_node_is_spoken_of_by_its_expression_and_line():
    scope = cell("spoken", "é = mg.ones(2, requires_grad=True)\ny = (é + é *\n     2)\nloss = (y * y * 3).sum()\n")
    player = mg.step(scope["loss"], names={k: scope[k] for k in ("é", "y", "loss")}, preview=True)

    (numbers,) = [dict(source) for source in player.scene["sources"]]
    assert numbers == {1: "é = mg.ones(2, requires_grad=True)", 2: "y = (é + é *", 3: "     2)",
                       4: "loss = (y * y * 3).sum()"}
    told = {node["title"]: (node["at"], node["words"]["en"]) for node in player.scene["nodes"].values()}
    assert told == {
        "SumBackward0": ([0, 4, 4, 7, 24], "`(y * y * 3).sum()` in line 4"),
        "MulBackward0 (y * y * 3)": ([0, 4, 4, 8, 17], "line 4"), "MulBackward0 (y * y)": ([0, 4, 4, 8, 13], "line 4"),
        "AddBackward0": ([0, 2, 3, 5, 6], "`é + é * 2` in line 2"), "MulBackward0 (é * 2)": ([0, 2, 3, 9, 6], "line 2"),
        "AccumulateGrad (é)": ([0, 1, 1, 0, 34], "line 1")}


def test_rules_inside_modules_name_what_modules_return():
    scope = cell("modules", "net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.ReLU(), mg.nn.Linear(2, 1))\n"
                            "loss = net(mg.ones(3, 2)).sum()\n")
    player = mg.step(scope["loss"], names=scope, preview=True)

    rules = " ".join(row["text"] for step in player.steps for row in step["rows"] if "text" in row)
    assert "net.1(·)" in rules
    assert "t(net.2.weight)" in rules
    assert not re.search(r"\w+Backward\d(?!( #\d)?\._saved_mat1)", rules)  # a constant is what its node saved


def test_matrices_are_grids_with_their_shape_turned_over_where_the_rule_does():
    told = grids(r"= [[1, {-2}, 3]] \; @ \; [[0.5, 2, 1], [1, 1, 1]]^{\top} = [[1, 2]]")
    one, other, result = (rf"{{\begin{{bmatrix}} {body} \end{{bmatrix}}}}_{{{shape}}}" for body, shape in (
        ("1 & {-2} & 3", "(1, 3)"), (r"0.5 & 1 \\ 2 & 1 \\ 1 & 1", "(3, 2)"), ("1 & 2", "(1, 2)")))
    assert told == rf"= {one} \; @ \; {other} = {result}"
    assert cell_by_cell(told) == "product"
    assert cell_by_cell(grids(r"= [[1, 2]] \odot \left(1 - [[3, 4]]\right) = [[5, 6]]")) == "each"
    assert cell_by_cell(grids(r"= 2 \cdot [[3, 4]]^{\top} = [[3], [4]]")) == "each"
    assert cell_by_cell(grids(r"= \mathrm{sum}([[3, 4]]) \odot [[1, 2]] = [[3, 4]]")) == ""
    assert grids("= [[[1, 2]]] + 1") == "= [[[1, 2]]] + 1"
    assert grids("= [6, 6][[1, 0]] = [6, 6]") == "= [6, 6][[1, 0]] = [6, 6]"  # an index is no matrix


def test_predict_asks_for_the_note_the_receiver_what_is_freed_and_the_next_node():
    a, b = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0, requires_grad=True)
    p = a * b
    loss = p.tanh() + a * p
    asked = {}
    for seed in range(4):  # in turn: other steps ask for other things
        root = loss
        for _ in range(seed):
            root = root * 1
        steps = mg.step(root, names={"a": a, "b": b, "p": p}, preview=True).steps
        asked |= {(quiz["kind"], quiz["ask"]["en"]): quiz["options"][quiz["answer"]]
                  for quiz in (step["first"] for step in steps) if quiz}

    note = "Which saved value does MulBackward0 (p) need for the gradient that goes to AccumulateGrad (a)?"
    assert asked["note", note] == "b"
    assert asked["freed", "What is freed once TanhBackward0 has run?"] == "_saved_result"
    assert asked["receiver", "Who receives what TanhBackward0 sends?"] == "MulBackward0 (p)"
    assert {kind for kind, _ in asked} == {"note", "receiver", "freed", "next"}


# ---- what a screen may not say


def said_of(loss, **names):
    """Everything that a player says of a backward, and its steps."""
    player = step(loss, names=names | {"loss": loss}, preview=True)
    return json.dumps([player.scene, player.steps], ensure_ascii=False), player


def test_no_two_nodes_have_one_title_and_symbols_call_them_the_same():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    for _ in range(3):
        y = y.mul_(2) + 1
    text, player = said_of((y.sum() + x.sum()) + x.mean(), x=x, y=y)
    titles = [n["title"] for n in player.scene["nodes"].values()]

    assert len({*titles}) == len(titles)
    assert set(re.findall(r"\w+Backward0 #\d+", text)) <= {*titles}


def test_a_second_gradient_to_the_same_node_is_no_wrong_answer():
    x = mg.tensor([[3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    a, b = x.unbind(0)
    d = x[0] - x[0]
    for loss in ((a * b).sum(), (x - x).sum(), d.sum()):
        for one in said_of(loss, x=x)[1].steps:
            quiz, sends = one["quiz"], [s for e in one["events"] for s in e.get("sends", [])]
            if quiz and quiz["slot"].startswith("edge:"):
                to = next(s["to"] for s in sends if "edge:" + s["edge"] == quiz["slot"])
                right = {s["text"] for s in sends if s["to"] == to}
                assert right & {*quiz["options"]} == {quiz["options"][quiz["answer"]]}


@pytest.mark.parametrize(("made", "passes"), [
    (lambda x: x + 0, True), (lambda x: x.clone(), True), (lambda x: x * 1, False), (lambda x: x.flip(0), False),
    (lambda x: x.relu(), False), (lambda x: x.clamp(0, 9), False)])
def test_only_a_node_whose_rule_says_so_passes_its_gradient_on_unchanged(made, passes):
    x = mg.tensor([2.0, 3.0], requires_grad=True)
    quiz = said_of((made(x)).sum(), x=x)[1].steps[1]["quiz"]

    assert quiz["options"][quiz["answer"]] == "[1, 1]"
    assert ("unchanged" in quiz["why"]["en"]) == passes
    assert ("unchanged" in quiz["reasons"][quiz["reason"]]["en"]) == passes
    assert "unchanged" not in quiz["reasons"][1 - quiz["reason"]]["en"]


def test_of_what_a_post_hook_changed_no_reason_is_asked():
    x = mg.tensor([2.0, 3.0], requires_grad=True)
    y = x * 3
    y.grad_fn.register_hook(lambda sent, got: tuple(g if g is None else g * 5 for g in sent))
    quiz = said_of(y.sum(), x=x)[1].steps[1]["quiz"]

    assert quiz["options"][quiz["answer"]] == "[15, 15]"
    assert quiz["reasons"] == []


def test_a_rule_says_what_came_out_of_it_before_a_post_hook_changed_that():
    x = mg.tensor([2.0, 3.0], requires_grad=True)
    y = x * 3
    y.grad_fn.register_hook(lambda sent, got: (sent[0] * 5, None))
    first, gate = said_of(y.sum(), x=x)[1].steps[1]["rows"][:2]

    assert first["value"] == "= [3, 3]"
    assert (gate["before"], gate["after"]) == ("[3, 3], None", "[15, 15], None")


def test_what_is_written_into_a_part_is_not_called_by_the_part():
    source, place = "y = x * 2\ny[mg.tensor([0, 2])] += v\nloss = (y * y).sum()\n", "/tmp/ipykernel_1/part.py"
    linecache.cache[place] = (len(source), None, source.splitlines(True), place)
    scope = {"mg": mg, "x": mg.tensor([1.0, 2.0, 3.0], requires_grad=True), "v": mg.ones(())}
    exec(compile(source, place, "exec"), scope)
    del scope["y"]
    nodes = step(scope["loss"], preview=True).graph.nodes

    assert {n.name: n.source for n in nodes}["IndexPutBackward0"] == ""
    assert {n.name: n.source for n in nodes}["IndexBackward0"] == "y[mg.tensor([0, 2])]"


def test_words_of_a_language_in_a_rule_are_said_in_the_other():
    x = mg.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    rows = [r for s in said_of(x.clamp(min=0).sum() + mg.nn.functional.avg_pool2d(x[None], 2).sum(), x=x)[1].steps
            for r in s["rows"]]
    made = [(both["en"], re.sub("<[^>]+>", "", both["zh"])) for r in rows if isinstance(both := r.get("math"), dict)]

    for word, chinese in ((">else<", "否则"), ("windows", "各窗口"), ("window", "窗口")):
        said = [zh for en, zh in made if word in en or word in re.sub("<[^>]+>", "", en)]
        assert said
        assert all(chinese in zh and word.strip("<>") not in zh for zh in said)


def test_where_no_gradient_comes_nothing_is_computed_and_nothing_filled():
    class Stop(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    x = mg.tensor([2.0, 3.0], requires_grad=True)
    player = said_of(Stop.apply(x.exp()).sum(), x=x)[1]
    exp, leaf = ([e["say"] for e in s["events"]] for s in player.steps[-2:])

    assert exp[0]["en"] == "No gradient has arrived at ExpBackward0: it computes nothing, and None goes on."
    assert leaf[-1] == {"en": "No gradient has arrived at x: x.grad stays None.",
                        "zh": "没有梯度到达 x：x.grad 仍是 None。"}


@pytest.mark.parametrize(("made", "rule", "never"), [
    (lambda x, at: x[at], r"0[\text{at}] \,\text{+=}\, ", "@"),
    (lambda x, at: x.gather(0, at), r"0[\text{at}] \,\text{+=}\, ", "@"),
    (lambda x, at: x.prod(), r"\prod_{j \ne i}", r"\frac"),
    (lambda x, at: x.cumprod(0), r"\prod_{k \le j, k \ne i}", r"\frac"),
    (lambda x, at: x**0, "0", "^{"),
    (lambda x, at: x.norm(1), r"\mathrm{sgn}", r"\frac"),
    (lambda x, at: x.norm(), "0 & x = 0", "NaN"),
    (lambda x, at: x.norm(float("inf")), r"\left[\left\lvert x\right\rvert = ", "^{"),
    (lambda x, at: mg.where(at > 1, x, 0.0), r"[\text{False}, \text{False}]", "condition"),
])
def test_a_rule_holds_for_the_numbers_that_make_it_special(made, rule, never):
    """A zero in a product or a norm, the power 0, an index: x is [0, 2]."""
    x, at = mg.tensor([0.0, 2.0], requires_grad=True), mg.tensor([0, 0])
    y = made(x, at)
    steps = step(y.sum() + 0, names={"x": x, "at": at, "y": y}).steps
    (row,) = (row for s in steps for row in s["rows"] if "x = " in row["text"][:60].replace("}", ""))

    assert rule in row["text"].partition(" = ")[2]
    assert never not in row["text"].partition(" = ")[2]


def test_what_has_no_spelling_is_put_into_no_equation():
    x = mg.tensor([0.0, -float("inf")], requires_grad=True)
    frames = record(x.log_softmax(0)[0] + mg.logaddexp(x, x * 0 + 1)[0])[1]

    assert not any(r"\mathrm" in rule.filled_in for f in frames for rule in f.rules)


def test_indices_are_counted_among_what_was_saved_and_freed():
    x, at = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([0, 0])
    player = step(x[at].sum(), names={"x": x, "at": at})

    assert "Tensors saved for it: 1." in player.scene["before"]["en"]
    assert [e["freed"] for s in player.steps for e in s["events"] if "freed" in e] == [["n2.indices"]]
    x = mg.ones(2, 2, requires_grad=True)
    assert "Tensors saved for it: 3." in step(x[at, at].sum() + x[:, at].sum()).scene["before"]["en"]


def test_between_leaves_that_are_ready_no_order_is_asked():
    x, y = (mg.tensor(2.0, requires_grad=True) for _ in "xy")
    quizzes = [s["first"] for s in step(x + y, names={"x": x, "y": y}).steps if s["first"]]

    assert all("AccumulateGrad" not in str(q["options"]) for q in quizzes if q.get("kind") == "next")


def test_formulas_of_one_form_are_converted_as_each_by_itself():
    x, w = (mg.tensor([[0.5, -1.0], [2.0, 1e-7]], requires_grad=True) for _ in "xw")
    y = ((x @ w).tanh() / (w**2 + 1)).log1p().clamp(min=0.25) + x.where(x > 0, w)
    frames = record(y.sum(), names={"x": x, "w": w, "y": y})[1]
    forms = {tex for f in frames for r in f.rules for tex in (r.tex, grids(r.filled_in))}

    assert len(forms) > 12
    assert [tex for tex in forms if mathml(tex) != converted(tex)] == []


def test_words_in_a_formula_are_words_whatever_signs_they_have():
    for words in ("a < b & c", "<mi>", "&amp; 1 > 0", '"x_1"'):
        told = ET.fromstring(mathml(rf"\text{{{words}}} + \mathrm{{sum}}(2)"))
        assert "".join(told.itertext()).replace("\xa0", " ") == f"{words}+sum(2)"


def test_a_hook_of_any_name_leaves_the_rules_whole_in_both_languages():
    def hook(grad):
        return grad * 2

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    for hook.__name__ in ("clip<0, 1>?", r"\\{a}$b^c", "&"):
        y = x * 3
        y.register_hook(hook)
        rows = [row for one in step((y * y).sum(), preview=True, names={"x": x, "y": y}).steps for row in one["rows"]]
        (rule,) = (row["math"] for row in rows if row.get("text", "").startswith(r"\text{gradient of x} ="))
        told = {lang: "".join(ET.fromstring(rule[lang]).itertext()).replace("\xa0", " ") for lang in rule}
        assert re.fullmatch(r"gradient of x=gradient of y after .+⊙3", told["en"])
        assert re.fullmatch(r"x 的梯度=.+ 之后的 y 的梯度⊙3", told["zh"])


# ---- signs and names


def test_a_sign_is_explained_once_where_a_rule_first_has_it():
    x = mg.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    expand = mg.tensor([[0.5, 2.0], [1.0, 1.0]])  # no sign, but a name
    y = x.relu() @ x.relu() * expand
    steps = step(y[:, 1].sum(), names={"x": x, "y": y, "expand": expand}, preview=True).steps
    said = [one["signs"]["en"] for one in steps]

    assert said[0] == "expand: the same for every entry that was summed."
    assert said[1] == "a[…] ← b: a, with b written there; 0 stands for zeros."
    assert said[2] == "⊙: entry by entry."
    assert said[3] == "@: product of matrices. ⊤: transposed."
    assert "[…]: 1 where it holds, else 0." in said
    assert len([text for text in said if text]) == 5
    assert all(re.search("[一-鿿]", one["signs"]["zh"]) for one in steps if one["signs"]["en"])


def test_every_sign_has_its_sentence():
    signs = table("names")["signs"]
    assert len(signs) > 12
    for sign, form in signs.items():
        assert both(f"player.sign_{sign}")["en"]
        re.compile(form)


def test_a_result_without_a_name_is_called_by_its_operation_and_its_node_s_number():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    much = ((x.sin() + 1.0) * (x.cos() + 2.0) * (x.tan() + 3.0)).sum()
    player = said_of(much + (x.exp() + x.sin() * 2).mean(), x=x, much=much)[1]
    symbols = " ".join(row["text"] for one in player.steps for row in one["rows"] if "text" in row)

    titles = {n["title"] for n in player.scene["nodes"].values()}
    named = re.findall(r"∂loss/∂(\w+)\(·\)( #\d)?", symbols)

    assert len({*named}) > 1
    assert not re.search(r"∂\w+Backward", symbols)
    assert {f"{op.capitalize()}Backward0{nr}" for op, nr in named} <= titles


def test_each_of_several_results_has_its_number_and_what_nobody_used_is_zero():
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    a = x.unbind(1)[0] * 2
    told = [row["text"] for one in step(a.sum(), names={"x": x}).steps for row in one["rows"]]

    assert any(text.endswith(r", 0\right), 1\right)") for text in told)
    several = x.unbind(1)
    both_used = step((several[0] * several[1]).sum(), names={"x": x}).steps
    assert {"[0]", "[1]"} <= {*re.findall(r"\[\d\]", " ".join(row["text"] for one in both_used for row in one["rows"]))}


def test_leaves_in_lists_and_dicts_are_called_so():
    scope = cell("listed", "ws = [mg.tensor(v, requires_grad=True) for v in (2.0, 3.0)]\n"
                           "d = {'b': mg.tensor(1.0, requires_grad=True)}\nb = d['b']\nhs = [ws[0] * ws[1] + b]\n"
                           "p = mg.step(hs[0], preview=True)\n")
    titles = [n["title"] for n in scope["p"].scene["nodes"].values() if n["leaf"]]

    assert sorted(titles) == ["AccumulateGrad (b)", "AccumulateGrad (ws[0])", "AccumulateGrad (ws[1])"]
    assert not any("hs[" in json.dumps(one) for one in scope["p"].steps)  # a result has its expression


def test_without_a_name_a_leaf_and_the_root_are_spoken_of_all_the_same():
    scope = cell("bare", "p = mg.step((mg.ones(2, requires_grad=True) * 2).sum(), preview=True)\n")
    player = scope["p"]

    assert player.scene["nodes"]["n3"]["title"] == "AccumulateGrad (leaf #3)"
    one = cell("one", "p = mg.step(mg.tensor(5.0, requires_grad=True) * 2, preview=True)\n")["p"]
    assert "leaf 5.grad: None -> 2" in one.to_text()
    two = cell("two", "a = lambda: mg.tensor(5.0, requires_grad=True)\np = mg.step(a() * a(), preview=True)\n")
    formulas = [n["formula"] for n in two["p"].scene["nodes"].values() if n["leaf"]]
    assert sorted(formulas) == ["leaf 5 #2.grad", "leaf 5.grad"]  # rows of `compare` go by them
    assert "sum(·).backward()" in player.scene["before"]["en"]
    assert player.to_text().startswith("sum(·).backward()")
    scope = cell("expressed", "w = mg.ones(2, requires_grad=True)\np = mg.step((w * 2).sum(), preview=True)\n")
    assert "((w * 2).sum()).backward()" in scope["p"].scene["before"]["en"]
    assert scope["p"].scene["title"] == "minigrad.step((w * 2).sum())"


@pytest.mark.parametrize(("options", "call"), [
    ({}, "y.backward(gradient)"), ({"retain_graph": True}, "y.backward(gradient, retain_graph=True)"),
    ({"create_graph": True, "live": True}, "y.backward(gradient, create_graph=True)")])
def test_a_backward_that_was_given_a_gradient_says_so(options, call):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    player = step(y, mg.ones(2), names={"x": x, "y": y}, **options)

    assert (player.scene["call"], f"`{call}`" in player.scene["before"]["en"]) == (call, True)


def test_what_a_function_of_ones_own_saved_is_called_as_its_node_calls_it():
    class Twice(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    twice = Twice.apply(Twice.apply(Twice.apply(x)))
    asked = [one["first"] for one in step(twice.sum(), names={"x": x, "twice": twice}, preview=True).steps]
    freed = {one["options"][one["answer"]] for one in asked if one and one["kind"] == "freed"}

    assert freed == {"saved_tensors[0]"}
    assert hasattr(twice.grad_fn, "saved_tensors")
    assert not hasattr(twice.grad_fn, "_saved_saved_tensors")


def test_what_is_read_of_a_picture_is_told_whole_in_either_language():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    picture = said_of((x * x).sum(), x=x)[1].pictures[0]
    (told,) = re.findall("<desc>(.*?)</desc>", picture["svg"])
    (_, en, zh), = [label for label in picture["labels"] if "AccumulateGrad" in label[1]]

    assert told.endswith("Order of backward: SumBackward0, MulBackward0, AccumulateGrad.")
    assert (told, len(re.findall("[一-鿿]", zh)) > 20, re.findall("[一-鿿]", en)) == (en, True, [])
    assert zh.endswith("反向传播的次序：SumBackward0, MulBackward0, AccumulateGrad。")


def test_a_word_in_a_formula_is_one_word_for_who_hears_it():
    assert "<mi>expand</mi>" in mathml(r"\mathrm{expand}\left(x\right)")
    assert "<mi>scatter_add</mi>" in mathml(r"\mathrm{scatter\_add}")


def test_a_place_in_a_name_is_not_taken_for_that_of_one_of_several():
    scope = cell("kth", "x = mg.ones(3, requires_grad=True)\nk = 1\nloss = mg.cat([x[k:k + 1], x[:1]]).sum()\n"
                        "p = mg.step(loss, preview=True)\n")
    rules = [row["text"] for one in scope["p"].steps for row in one["rows"] if "split" in row.get("text", "")]

    assert [rule.rpartition("[")[2] for rule in rules] == ["0]", "1]"]
    assert "x[k:k + 1]" in rules[0]


def test_the_padding_that_nobody_gave_stands_in_no_rule():
    weight, at = mg.ones(4, 2, requires_grad=True), mg.tensor([1, 3])
    for padding, said in ((None, False), (3, True)):
        y = mg.nn.functional.embedding(at, weight, padding_idx=padding)
        (rule,) = [row["text"] for one in step(y.sum(), names={"weight": weight, "at": at, "y": y}).steps
                   for row in one["rows"] if "+=" in row.get("text", "")]
        assert (r"\ne" in rule) == said


def test_a_negative_dim_is_no_difference():
    x = mg.tensor([[1.0, -2.0], [0.5, 1.0]], requires_grad=True)
    player = step(mg.softmax(x, -1).sum(), preview=True)

    rows = str([one["rows"] for one in player.steps])
    assert '<mi>dim</mi><mspace width="0.222em" /><mrow><mo>&#x02212;</mo><mn>1</mn></mrow>' in rows


def test_two_kinds_of_widgets_in_a_notebook_do_not_style_each_other():
    """Their stylesheets share a page: a rule for a class that both scripts give says whose it is."""
    static, found = Path(mg.__file__).parent / "viz/static", {}
    scripts = [(static / f"{kind}.js").read_text("utf-8") for kind in ("player", "moments")]
    for kind in ("player", "moments"):
        rules = re.sub(r"/\*.*?\*/|@[^{]*\{", "", (static / f"{kind}.css").read_text("utf-8"), flags=re.S)
        alone = {name for part in re.findall(r"[^{}]+(?=\{)", rules) for one in re.split(r",(?![^(]*\))", part)
                 for name in re.findall(r"^\.(mg-[a-z-]+)(?:[:\[][\w\]-]+)*$", one.strip())}
        found[kind] = {name for name in alone if all(re.search(rf'[" ]{name}[" ]', script) for script in scripts)}

    assert found == {"player": set(), "moments": set()}
