"""Graphs as records: read from minigrad they equal what torch has, and they hold no array."""

import ast
import contextlib
import gc
import importlib.util
import io
import subprocess
import sys
import types
import weakref
from typing import Any

import pytest

import minigrad
from minigrad.graph import read, read_torch, record
from minigrad.graph.live import hook_label, op_name
from minigrad.graph.preview import preview, rounded
from minigrad.graph.snapshot import Graph, part
from tests.oracle import expressions, graphs, programs
from tests.oracle.transcript import reset

RECORDED = graphs.recorded()
LIVE = ["torch"] if importlib.util.find_spec("torch") else []


@pytest.mark.parametrize("program", graphs.PROGRAMS)
def test_a_graph_of_minigrad_equals_the_graph_of_torch(program):
    assert graphs.graph(program, minigrad) == RECORDED[program]


@pytest.mark.oracle
@pytest.mark.parametrize("oracle", LIVE)
def test_the_recorded_graphs_are_what_torch_says(oracle):
    torch = importlib.import_module(oracle)

    assert {name: graphs.graph(name, torch) for name in graphs.PROGRAMS} == RECORDED


# of the leaves of the checklist; among them what stretches nothing, or sums in its own formula
STRETCHED = """
    x+v v-x x*y[:1] x/v[0] v**x torch.maximum(x,v) torch.atan2(v,x) x.clamp(min=v) torch.where(x>1,v,x)
    torch.lerp(x,v,y) torch.addcmul(v,x,y[:1]) torch.addcdiv(x,v,y) torch.addmm(v,x,y) torch.addmv(v[0],x,v2)
    torch.addbmm(v,b,b2) torch.baddbmm(x,b,b2) torch.addr(v,v,v2) F.prelu(x,v[:1]) x.clone().copy_(v)
    x.masked_fill(x>1,v[0]) x@v v.dot(v2) torch.bmm(b,b2) F.mse_loss(x,y) F.layer_norm(x,(2,),v,v2)
    torch.cat([x,y]) x.expand(2,2,2)
""".split()


def stretched(expression: str, torch: types.ModuleType) -> tuple[Graph, Any]:
    """The graph of an expression, and its result."""
    result, _ = expressions.evaluate(torch, expression)
    reader = read if torch is minigrad else read_torch
    return reader(result), result


def test_an_input_is_marked_as_stretched_where_the_engine_sums_its_gradient_back():
    for expression in STRETCHED:
        graph, result = stretched(expression, minigrad)
        _, frames = record(result, minigrad.ones_like(result))

        marked = {(n.id, e.slot) for n in graph.nodes for e in n.edges if e.expands}
        assert marked == {(f.node, f.slot) for f in frames if f.kind == "unbroadcast"}, expression


@pytest.mark.oracle
@pytest.mark.parametrize("oracle", LIVE)
def test_the_same_inputs_are_marked_in_the_graph_of_torch(oracle):
    torch = importlib.import_module(oracle)

    for expression in STRETCHED:
        ours, theirs = (stretched(expression, library)[0] for library in (minigrad, torch))

        assert ([[e.expands for e in n.edges] for n in ours.nodes]
                == [[e.expands for e in n.edges] for n in theirs.nodes]), expression


def test_ids_follow_the_order_of_backward():
    steps = [node.name for node in graphs.graph("reference", minigrad).nodes]

    assert steps == ["SumBackward0", "TanhBackward0", "AddBackward0", "AccumulateGrad",
                     "MulBackward0", "AccumulateGrad"]


def test_values_are_previews_and_not_compared():
    before, after = RECORDED["reference"], graphs.graph("retained graph", minigrad)

    assert before == after
    assert [t.grad for t in before.tensors if t.name == "w"] == [None]
    assert [t.grad for t in after.tensors if t.name == "w"] == ["[0.71, −1.56]"]
    assert before != RECORDED["after backward"], "there the saved fields are freed"


def test_names_and_edges_are_compared():
    (loss,), names = graphs.run("reference", minigrad)

    assert read(loss, names=names) != read(loss)


def test_a_graph_survives_json():
    for graph in RECORDED.values():
        again = graphs.from_dict(graph.to_dict())

        assert again == graph
        assert again.to_dict() == graph.to_dict()


def test_a_stale_field_says_both_versions():
    pow_ = next(n for n in RECORDED["in place through a view"].nodes if n.op == "pow")
    stale = next(s for s in pow_.saved if s.field == "self")

    assert (stale.version, stale.now, stale.stale) == (0, 1, True)


def test_a_dead_intermediate_has_a_shape_and_no_value():
    dead = [t for t in graphs.graph("dead intermediates", minigrad).tensors if t.value is None]

    assert [t.shape for t in dead] == [(2,), (2,)]


def test_hooks_stand_in_the_order_in_which_they_run():
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x * 2
    y.grad_fn.register_hook(lambda *grads: None)
    y.grad_fn.register_prehook(lambda grads: None)
    y.register_hook(lambda g: g.clone())
    x.register_post_accumulate_grad_hook(print)

    hooks = read(y).hooks

    assert [(h.kind, h.label) for h in hooks] == [
        ("tensor", "clone"), ("pre", "λ"), ("post", "λ"), ("post_accumulate", "print")]


def test_a_lambda_is_called_by_what_it_calls_and_not_by_what_it_reads():
    seen: list = []
    hooks = (lambda p: seen.append(p.grad), lambda g: g.mul(2).clamp(max=1), lambda g: (g * 2).clamp(max=1),
             lambda g: g.T, lambda g: None, lambda grads: tuple(g * 2 for g in grads))

    assert [hook_label(one) for one in hooks] == ["append", "clamp", "λ", "T", "λ", "λ"]


def test_a_leaf_that_is_the_root_keeps_its_hooks():
    x = minigrad.tensor([1.0], requires_grad=True)
    x.register_hook(lambda g: g.clone())
    x.register_post_accumulate_grad_hook(print)

    for graph in (read(x), read(x, x * 2)):
        assert [(h.kind, h.label) for h in graph.hooks] == [
            ("tensor", "clone"), ("post_accumulate", "print")]


def test_the_line_that_made_a_node_is_known():
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x.exp()

    assert read(y).nodes[0].line[1] == "y = x.exp()"


def test_a_graph_keeps_no_array_alive():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 3).exp()
    watched = weakref.ref(x)
    graph = read(y, names={"x": x})
    del x, y
    gc.collect()

    assert watched() is None
    assert graph.tensor(graph.nodes[-1].leaf).value == "[1, 2]"


def test_reading_changes_nothing():
    (loss,), names = graphs.run("reference", minigrad)
    read(loss, names=names)
    read(loss)

    assert [t._version for t in names.values()] == [0] * 7
    loss.backward()
    assert names["w"].grad.tolist() == pytest.approx([0.7116, -1.56], abs=1e-4)


def test_a_long_chain_is_read_without_recursion():
    y = minigrad.tensor(1.0, requires_grad=True)
    for _ in range(20_000):
        y = y.neg()

    assert len(read(y).nodes) == 20_001


def test_a_part_marks_the_edges_that_leave_it():
    graph = RECORDED["long chain"]
    few = part(graph, [graph.tensor(graph.roots[0]).node], 2)

    assert [n.id for n in few.nodes] == ["n1", "n2", "n3"]
    assert [e.cut for e in few.nodes[-1].edges] == [True, False]
    assert few.nodes[-1].edges[1].node is None


def test_a_part_reaches_both_ways_around_a_node():
    graph = RECORDED["residual"]
    near = part(graph, ["n5"], 1, both_ways=True)

    assert all(n.id == "n5" or "n5" in [e.node for e in n.edges]
               or n.id in [e.node for e in graph.node("n5").edges] for n in near.nodes)
    assert len(near.nodes) > 1


def test_a_part_names_only_tensors_that_are_in_it():
    x = minigrad.tensor(2.0, requires_grad=True)
    graph = read((x.exp() * x.sin()).cos())
    cut = part(graph, [graph.nodes[1].id], 0)

    assert len(cut.nodes[0].saved) == 2
    assert all(s.tensor in (None, *(t.id for t in cut.tensors)) for s in cut.nodes[0].saved)


@pytest.mark.parametrize(("values", "words"), [
    ([0.157], ["0.157"]), ([0.1], ["0.10"]), ([1.4916], ["1.49"]), ([38.28], ["38.3"]),
    ([0.7116, -1.56], ["0.71", "−1.56"]), ([1.0, -2.0], ["1", "−2"]), ([3, 1000], ["3", "1000"]),
    ([1e-5], ["1.00e−5"]), ([123456789.5], ["1.23e8"]), ([5.0, 0.0001], ["5.00", "1.0e−4"]),
    ([True, False], ["True", "False"]), ([float("nan"), 1.5], ["NaN", "1.50"]),
    ([float("-inf")], ["−∞"]), ([0.0], ["0"]), ([0.009999999776482582], ["0.0100"]),
])
def test_numbers_have_three_digits_and_share_their_decimals(values, words):
    assert rounded(values) == words


@pytest.mark.parametrize(("values", "words"), [
    ([[1.0, 2.0], [3.0, 4.0]], "[[1, 2], [3, 4]]"), ([0.5] * 9, "[0.50, 0.50, … ×9]"),
    ([[0.5] * 5] * 2, "[[0.50, 0.50, … ×10]]"), ([], "[]"), ([[], []], "[[], []]"),
    ([0.0] * 8 + [float("nan")], "[0, 0, … ×9] NaN!"),
    ([1.0] * 8 + [float("inf"), float("nan")], "[1, 1, … ×10] NaN! ∞!"), (2.5, "2.50"),
])
def test_a_preview_tells_size_and_hidden_trouble(values, words):
    assert preview(minigrad.tensor(values)._array()) == words


def test_reading_torch_imports_no_torch():
    done = subprocess.run([sys.executable, "-c", "import minigrad.graph.from_torch, sys; "
                           "print('torch' in sys.modules)"], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


@pytest.mark.parametrize(("name", "op"), [
    ("MulBackward0", "mul"), ("LogSoftmaxBackward0", "log_softmax"), ("Log1PBackward0", "log1p"),
    ("MaxPool2DWithIndicesBackward0", "max_pool2d_with_indices"), ("CubeBackward", "cube"),
    ("torch::autograd::CopySlices", "copy_slices"), ("DiagonalBackward0_copy", "diagonal"),
    ("CopyBackwards", "copy"), ("SmoothL1LossBackward0", "smooth_l1_loss"),
])
def test_the_word_of_the_forward_is_read_off_the_name(name, op):
    assert op_name(name) == op


def test_a_broken_view_elsewhere_does_not_spoil_the_picture():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True) * 1
    part, _ = x.unbind()
    x.mul_(2)
    with pytest.raises(RuntimeError, match="is a view"):
        _ = part.grad_fn
    y = minigrad.tensor(1.0, requires_grad=True) * 2

    assert read(y, names={"part": part, "y": y}).tensors[0].name == "y"


@pytest.mark.oracle
@pytest.mark.parametrize("oracle", LIVE)
def test_a_torch_tensor_without_values_is_read(oracle):
    torch = importlib.import_module(oracle)
    y = torch.ones(2, device="meta", requires_grad=True) * 2

    assert [(t.shape, t.value) for t in read_torch(y).tensors] == [((2,), None), ((2,), None)]


def after_each_statement(source, torch):
    """The tensors that a random program leaves behind; what raises is passed over."""
    names = {"torch": torch}
    for statement in ast.parse(source).body:
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.Module([statement], []), "program", "exec"), names)
    return {k: v for k, v in names.items() if hasattr(type(v), "grad_fn")}


def has_graph(t):
    try:
        return t.grad_fn is not None
    except RuntimeError:  # a view that may no longer be looked at
        return False


def test_a_result_in_a_list_that_keeps_its_gradient_is_read_as_one_that_has_a_name():
    h, kept = minigrad.ones(2, requires_grad=True), []
    for _ in range(2):
        h = h * 2
        h.retain_grad()
        kept.append(h)
    loss = h.sum()
    del h
    loss.backward()

    assert [(t.retains_grad, t.grad) for t in read(loss).tensors if t.kind == "nonleaf" and t.shape] == [
        (True, "[1, 1]"), (True, "[2, 2]")]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("level", programs.LEVELS)
@pytest.mark.parametrize("oracle", LIVE)
def test_random_programs_leave_the_same_graphs(oracle, level):
    torch = importlib.import_module(oracle)
    for seed in range(8, 20):
        source = programs.program(seed, level)
        theirs, ours = (after_each_statement(source, t) for t in (torch, minigrad))
        for library in (torch, minigrad):
            reset(library)
        for name in (k for k, t in theirs.items() if has_graph(t)):
            expected = read_torch(theirs[name], names=theirs)

            assert read(ours[name], names=ours) == expected, (seed, level, name)
