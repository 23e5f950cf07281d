"""why(t) and paths(root, leaf): sentences that name the reason, and the place marked."""

import importlib
import importlib.util
import sys
from types import SimpleNamespace

import pytest

import minigrad
from minigrad.graph import numbers, scopes
from minigrad.text import get_language, set_language
from minigrad.viz.panel import watch
from minigrad.viz.reasons import why
from minigrad.viz.routes import paths

LIVE = ["torch"] if importlib.util.find_spec("torch") else []


@pytest.fixture
def chinese():
    before = get_language()
    set_language("zh")
    yield
    set_language(before)


def leaf(*values):
    return minigrad.tensor(list(values), requires_grad=True)


def keys(explanation) -> list[str]:
    return [key.removeprefix("why.") for key, _, _ in explanation.reasons]


def test_a_leaf_that_backward_has_not_reached_names_the_call():
    x = leaf(1.0, 2.0)
    loss = (x * 2).sum()

    assert keys(why(x)) == ["not_yet"]
    assert "loss.backward()" in str(why(x))
    loss.backward()
    assert keys(why(x)) == ["fine"]


def test_a_result_of_several_elements_is_summed_first():
    x = leaf(1.0, 2.0)
    y = x * 2

    assert keys(why(x)) == ["not_yet"]
    assert "y.sum().backward()" in str(why(x))
    assert y.requires_grad


def test_a_cleared_gradient_is_told_from_one_that_never_came():
    x = leaf(1.0, 2.0)
    loss = (x * x).sum()
    loss.backward()
    x.grad = None

    assert keys(why(x)) == ["cleared", "freed"]


def test_a_leaf_outside_the_graph_names_the_graph():
    x, other = leaf(1.0), leaf(2.0)
    loss = (other * x.detach()).sum()

    assert keys(why(x)) == ["unreached"]
    assert "loss" in str(why(x))
    assert loss.requires_grad


def test_the_picture_of_a_cut_shows_both_sides_of_it():
    x, other = leaf(1.0, 2.0), leaf(3.0, 4.0)
    h = x * 2
    k = h.detach()
    loss = (k * other).sum()
    loss.backward()
    answer = why(x.grad)

    assert answer.line[2] == "k = h.detach()"
    assert answer.edit[1].strip() == "k = h"
    (cut,) = answer.drawing.graph.cuts
    assert {t.name for t in answer.drawing.graph.tensors} >= {"x", "h", "loss"}
    assert (cut.kind, cut.line[1]) == ("detach()", "k = h.detach()")
    assert 'class="mg-scissors' in answer.drawing.to_svg()


def test_what_cannot_be_asked_is_an_error_that_says_so():
    with pytest.raises(TypeError, match="got int"):
        why(3)


def test_a_leaf_that_nothing_uses_says_so():
    x = leaf(1.0)

    assert keys(why(x)) == ["unused"]


@pytest.mark.oracle
@pytest.mark.parametrize("oracle", LIVE)
def test_tensors_of_the_other_library_are_passed_by(oracle):
    x = leaf(1.0)
    theirs = importlib.import_module(oracle).tensor([1.0], requires_grad=True) * 2

    panel = watch()
    ours = x * 2
    panel.refresh()

    assert keys(why(x)) == ["not_yet"]
    assert {t.name for t in panel.drawing.graph.tensors if t.name} == {"x", "ours"}
    assert keys(why(theirs)) == ["nonleaf"]
    assert keys(why(ours)) == ["nonleaf"]


def test_a_non_leaf_needs_retain_grad():
    x = leaf(1.0)
    y = x * 2

    assert keys(why(y)) == ["nonleaf"]
    y.retain_grad()
    assert keys(why(y)) == ["retained"]


def test_a_result_is_to_keep_its_gradient_only_where_that_is_asked_for():
    x = minigrad.ones(2, requires_grad=True)
    y = x * 2
    z = x * 3
    y.sum().backward()

    assert "If you want its gradient" in str(why(y))
    assert "Fix" not in str(why(y))
    with pytest.warns(UserWarning, match="not a leaf"):
        assert "Fix" in str(why(z.grad))


def test_gradients_that_vanish_are_told_of_weights_in_a_list():
    weights = [(minigrad.eye(4) * 0.1).requires_grad_() for _ in range(9)]
    h = minigrad.ones(2, 4)
    for w in weights:
        h = minigrad.sigmoid(h @ w)
    loss = h.sum()
    loss.backward()

    assert "On the way back they shrink" in str(why(weights[3]))
    assert "On the way back they shrink" in str(why(loss))
    other = leaf(1.0)
    total = (other * 2).sum()
    total.backward()
    assert "norm" not in str(why(other)) + str(why(total))


def test_constants_and_integers_have_their_own_reasons():
    assert keys(why(minigrad.tensor([1.0]))) == ["constant"]
    assert keys(why(minigrad.tensor([1]))) == ["integer"]
    assert keys(why((leaf(1.0) * 2).detach())) == ["constant"]


def test_a_stale_saved_value_is_marked_before_backward_fails():
    y = leaf(1.0, 2.0) * 1
    s = (y ** 2).sum()
    y.mul_(2)
    answer = why(s)

    assert "stale" in keys(answer)
    assert "PowBackward0" in str(answer)
    assert "mg-saved mg-stale mg-marked" in answer.drawing.to_svg()


def test_the_last_error_is_explained(monkeypatch):
    error = RuntimeError("it broke")
    error.add_note("and this is why")
    monkeypatch.setattr(sys, "last_exc", None, raising=False)
    monkeypatch.setattr(sys, "last_value", error, raising=False)

    assert str(why()) == "RuntimeError: it broke\nand this is why"
    monkeypatch.setattr(sys, "last_value", None)
    assert keys(why()) == ["no_error"]


@pytest.mark.usefixtures("chinese")
def test_it_answers_in_the_chosen_language():
    x = leaf(1.0)
    y = x * 2

    assert "不是叶子" in str(why(y))
    assert "路径：1 条" in str(paths(y, x))


def test_an_explanation_shows_words_above_its_picture(monkeypatch):
    """A notebook shows one format of an output: of both in one it would be the picture alone."""
    shown = []
    x = leaf(1.0)
    loss = x.sum()
    run = loss.backward
    with monkeypatch.context() as within:
        within.setattr("minigrad.viz.display.shell", lambda: SimpleNamespace(kernel=True))
        within.setattr("IPython.display.display", lambda what, **how: shown.append(what))
        why(x)._ipython_display_()
        run()
        why(x)._ipython_display_()  # in few words

    assert "text/html" in shown[0]
    assert shown[2] == {"text/plain": str(why(x))}  # a format without content would be shown as such
    assert 'mg-marked"' in shown[1].to_svg()
    assert loss.grad_fn is not None


def test_without_a_picture_or_a_notebook_the_words_are_the_result():
    for told in (why(leaf(1.0)), why(minigrad.tensor(1.0))):
        with pytest.raises(NotImplementedError):
            told._ipython_display_()


def test_the_gradient_is_the_sum_over_the_paths():
    x = minigrad.tensor(3.0, requires_grad=True)
    y = x * x
    z = y * x + x
    ways = paths(z, x)
    z.backward(retain_graph=True)

    assert [float(v) for v in ways.values] == [9, 9, 9, 1]
    assert sum(map(float, ways.values)) == x.grad.item()
    assert (len(ways), ways.count) == (4, 4)


def test_a_path_through_broadcasting_is_summed_to_the_leaf():
    b = minigrad.tensor(1.0, requires_grad=True)
    loss = (leaf(1.0, 2.0) + b).sum()

    assert paths(loss, b).values == ["2"]


def test_a_path_through_one_output_of_several_brings_no_number():
    A = minigrad.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    values, _ = minigrad.linalg.eigh(A)

    assert paths(values.sum(), A).values == [""]


def test_very_many_paths_are_counted_and_the_first_shown():
    x = minigrad.tensor(1.0, requires_grad=True)
    q = x
    for _ in range(70):
        q = q + q
    ways = paths(q, x)

    assert ways.count == 2 ** 70
    assert len(ways) == 32
    assert str(ways).endswith(f"The first 32 of {2 ** 70} are shown.")


def test_one_path_can_be_shown_alone():
    x = minigrad.tensor(3.0, requires_grad=True)
    z = x * x + x
    ways = paths(z, x)

    assert ways[2].to_svg().count("mg-marked\"") < ways.drawing.to_svg().count("mg-marked\"")
    assert 'mg-marked"' in ways.drawing.to_svg()


def test_a_leaf_is_its_own_path():
    x = leaf(1.0)

    assert paths(x, x).values == ["[1]"]


def test_there_must_be_a_way():
    with pytest.raises(ValueError, match="not in this graph"):
        paths(leaf(1.0) * 2, leaf(2.0))


def test_a_watch_draws_what_has_a_name(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    x = leaf(1.0, 2.0)
    with minigrad.watch() as panel:
        y = x * 2
        z = y.sum()

    assert {t.name for t in panel.drawing.graph.tensors} >= {"x", "y", "z"}
    assert z.grad_fn is not None


def test_a_watch_follows_the_cells_of_a_notebook():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_cell("import minigrad\npanel = minigrad.watch()\nx = minigrad.tensor(1., requires_grad=True)")
    shell.run_cell("y = x * 2")
    first = shell.user_ns["panel"].drawing
    shell.run_cell("z = y.exp()\npanel.close(); panel.close()")
    shell.run_cell("w = z * 3")
    InteractiveShell.clear_instance()

    assert [n.op for n in first.graph.ops] == ["mul"]
    assert shell.user_ns["panel"].drawing is first, "closed before the cell ended"
    assert {t.name for t in first.graph.tensors} == {"x", "y"}


def of_gradient(f, *values):
    """What `why` says of a leaf after backward of `f`, with the graph kept."""
    w = leaf(*values)
    loss = f(w)
    loss.backward(retain_graph=True)
    return why(w)


FLAT = [(lambda w: minigrad.relu(w - 5).sum(), "ReluBackward0", "result = 0"),
        (lambda w: minigrad.round(w * 2).sum(), "RoundBackward0", ""),
        (lambda w: minigrad.where(w > 5, w, w.detach()).sum(), "WhereBackward0", "condition = 0"),
        (lambda w: (w * 0).sum(), "MulBackward0", "other = 0"),
        (lambda w: minigrad.clamp(w, 5, 6).sum(), "ClampBackward1", "self = 0 … 1"),
        (lambda w: minigrad.softmax(w[:1], 0).sum(), "SoftmaxBackward0", "result = 1")]


@pytest.mark.parametrize(("f", "node", "value"), FLAT)
def test_a_gradient_of_zeros_names_the_node_that_made_it_zero(f, node, value):
    answer = of_gradient(f, 1.0, 0.0)

    assert keys(answer) == ["zero"]
    assert answer.found.facts["node"] == node
    assert value in str(answer)


def test_nothing_is_blamed_where_another_way_is_open_or_where_it_was_cleared():
    assert of_gradient(lambda w: (minigrad.relu(w - 5) + w).sum(), 1.0).found is None
    assert of_gradient(lambda w: (w - w).sum(), 1.0).found is None  # two ways that cancel
    w = leaf(1.0)
    loss = (w * 2).sum()
    loss.backward(retain_graph=True)
    w.grad.zero_()
    answer = why(w)
    assert (answer.found.key, answer.line[2]) == ("cleared_since", "w.grad.zero_()")


NOT_FINITE = [(lambda w: minigrad.log(w.abs()).sum(), "began", "LogBackward0", "self[1] = 0"),
              (lambda w: minigrad.sqrt(w.abs()).sum(), "steep", "SqrtBackward0", "result[1] = 0"),
              (lambda w: (w / w).sum(), "began", "DivBackward0", "self[1] = 0, other[1] = 0"),
              (lambda w: (w.exp() * minigrad.tensor(float("inf"))).sum(), "came_in", "MulBackward0", "`other`"),
              (lambda w: (w * 200).exp().sum(), "began", "ExpBackward0", "self[0] = 200")]


@pytest.mark.parametrize(("f", "key", "node", "value"), NOT_FINITE)
def test_nan_and_inf_are_followed_to_where_they_began(f, key, node, value):
    answer = of_gradient(f, 1.0, 0.0)

    assert keys(answer) == ["bad"]
    assert (answer.found.key, answer.found.facts["node"]) == (key, node)
    assert value in str(answer)


def test_a_loss_that_is_nan_is_told_as_such():
    x = leaf(0.0)
    loss = (x / x).sum()

    assert "bad_value" in keys(why(loss))
    assert why(loss).line[2] == "loss = (x / x).sum()"


def test_values_that_were_written_since_are_not_told():
    w = leaf(1.0, 0.0)
    loss = minigrad.log(w).sum()
    loss.backward()
    with minigrad.no_grad():
        w += 3
    answer = why(w)

    assert keys(answer) == ["bad"]
    assert "self[1]" not in str(answer)
    assert answer.found.key == "risky"
    assert not loss.isfinite()


def test_a_column_that_met_a_row_is_revealed_though_the_gradient_is_there():
    w, y = leaf(1.0, 2.0, 3.0), minigrad.ones(3)
    pred = w.unsqueeze(1)
    loss = ((pred - y) ** 2).mean()
    loss.backward()
    answer = why(w)

    assert answer.edit[1].strip() == "loss = ((pred.squeeze(1) - y) ** 2).mean()"
    assert loss.requires_grad


def test_of_a_very_large_graph_only_the_ends_are_read():
    x = leaf(1.0)
    y = x
    for _ in range(5000):
        y = y * 1.5
    loss = y.sum()
    answer = why(x)
    graph = answer.drawing.graph

    assert keys(answer) == ["not_yet"]
    assert len(graph.nodes) < 40
    assert sum(e.cut for n in graph.nodes for e in n.edges) == 1
    assert not graph.repeats
    assert loss.requires_grad


def test_a_cut_whose_source_is_gone_is_no_error():
    """Its place is known, the line is not."""
    w, kept = minigrad.ones((), requires_grad=True), minigrad.ones(2, requires_grad=True) * 2
    code = compile("kept.detach()", "<nowhere>", "eval")
    for _ in range(2):
        eval(code, {"kept": kept})
    pred = w * 1.5
    error = minigrad.tensor(pred.item() - 1.5, requires_grad=True)
    loss = error**2
    loss.backward()

    assert "item" in str(why(w))


def test_ways_from_what_has_no_name_begin_at_its_node():
    w = minigrad.tensor([1.0, 2.0], requires_grad=True)

    told = str(paths((w * minigrad.ones(2)).sum() * 2, w))
    assert told.startswith("Paths from MulBackward0 to w: 1.")


@pytest.mark.oracle
def test_a_module_of_torch_is_told_of_after_its_backward():
    real = pytest.importorskip("torch")
    net = real.nn.Sequential(real.nn.Linear(2, 2), real.nn.Linear(2, 2))
    net[0](real.ones(1, 2)).sum().backward()

    assert keys(why(net)) == ["module_without", "doctor.norms"]


def test_of_torch_s_error_without_a_graph_it_is_told_what_cut_it():
    real = pytest.importorskip("torch")
    net, x = real.nn.Linear(2, 2), real.ones(1, 2)
    with real.no_grad():
        block = net(x).sum()
    with pytest.raises(RuntimeError, match="does not require grad") as error:
        block.backward()
    assert "`with real.no_grad():`" in str(why(error.value))

    with pytest.raises(RuntimeError, match="does not require grad") as error:
        dict(map(real.autograd.backward, [block]))
    assert why(error.value).edit is None, "which line of another's that was is not ours to say"

    with scopes():
        cut = net(x).detach().sum()
    with pytest.raises(RuntimeError, match="does not require grad") as error:
        cut.backward()
    assert why(error.value).edit[1].strip() == "cut = net(x).sum()"


def test_of_a_module_without_parameters_nothing_of_another_is_told():
    nn = minigrad.nn
    other, empty = nn.Linear(2, 1), nn.ReLU()
    nn.Linear(1, 1)(other(minigrad.ones(2))).sum().backward()
    optimizer = minigrad.optim.SGD(nn.Linear(3, 3).parameters(), lr=0.1)

    assert str(why(empty)) == "It has no parameters: parameters() lists none."
    assert optimizer is not None
    assert other.weight.grad is not None


def test_a_frozen_tensor_may_have_asked_for_a_gradient_before():
    one, two = minigrad.ones(2, requires_grad=True), minigrad.ones(2, requires_grad=True)
    for t in (one, two):
        t.requires_grad_(False)
    two.requires_grad_(False)

    assert "switched off since" in str(why(one))


def test_a_preview_is_no_backward_that_ran():
    x, a = (minigrad.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    loss, other = (a * a).sum(), (x * x).sum()

    minigrad.step(other, preview=True)

    assert "the last backward" not in str(minigrad.why(a))
    assert "loss depends on a" in str(minigrad.why(a))
    assert loss.requires_grad


def test_a_name_that_ran_backward_when_it_meant_another_result_is_not_blamed():
    x, w = (minigrad.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    y = (x * x).sum()
    y.backward()
    y = (x * w).sum()

    said = str(minigrad.why(w))

    assert said.startswith("w.grad is None now. y depends on w: call y.backward().\ny was made in ")
    assert "y = (x * w).sum(); y.backward()" in said
    assert y.requires_grad


def test_a_name_that_the_program_deletes_further_down_is_looked_for_all_the_same():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    if x.grad is not None:
        del y

    assert str(minigrad.why(x)).startswith("x.grad is None now. y depends on x: call y.backward().")


def test_a_program_that_python_keeps_no_text_of_is_told_what_is_known():
    scope = {"torch": minigrad, "why": why}
    program = """
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
cut = x.detach() * 2
y.backward()
told = [str(why(y)), str(why(x)), str(why(cut))]
"""
    exec(compile(program, "<stdin>", "exec"), scope)

    assert [said.split(":")[0] for said in scope["told"]] == [
        "y is not a leaf but a result", "x is tracked, and its .grad holds [2, 2].", "cut is a constant"]


def test_a_backward_that_stopped_half_way_has_not_cleared_a_gradient():
    w = minigrad.tensor(2.5, requires_grad=True)
    loss = ((w * minigrad.arange(6.0)) // 2) ** 2

    with pytest.raises(RuntimeError, match="not implemented"):
        loss.sum().backward()

    told = str(minigrad.why(w.grad))
    assert "cleared" not in told
    assert "not through the nodes next to" in told


def test_a_sum_of_many_terms_is_looked_through_near_the_leaf_alone(monkeypatch):
    """Else the time grew with the square of the terms."""
    w, v, asked = minigrad.ones(3, requires_grad=True), minigrad.ones(3, requires_grad=True), []
    total = w.sum() - w.sum()
    for i in range(300):
        total = total + (v - i).sum()
    total.backward(retain_graph=True)
    summed = numbers.summed
    monkeypatch.setattr(numbers, "summed", lambda *given: asked.append(given) or summed(*given))
    monkeypatch.setattr(numbers, "folded", pytest.fail)  # no lengths were spread

    assert "all zero" in str(why(w))
    assert 0 < len(asked) <= 2 * numbers.SUMS


def test_a_result_that_has_only_an_expression_is_called_in_brackets():
    w = leaf(1.0, 2.0)
    said = str(why(w * 3))

    assert "call (w * 3).retain_grad() before" in said
