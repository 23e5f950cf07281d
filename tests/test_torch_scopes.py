"""Real torch: inside of `graph.scopes` its graphs know modules, functions, loops and lines as minigrad's do."""

import gc
import weakref

import pytest

import minigrad
from minigrad import graph
from minigrad.graph import torch_scopes
from minigrad.viz import levels
from tests import drawn, networks

pytestmark = pytest.mark.oracle
torch = pytest.importorskip("torch")
# torch's own C++ made their nodes, not a function that could be asked
SILENT = {"double backward", "meta learning", "penalty"}
FUSED = {"lstm"}  # one node of torch's, on some processors


def told(found):
    """What a picture's levels are made of, in words that do not depend on the order in which scopes were found."""
    scopes, fold = {s.id: s for s in found.scopes}, levels.fold(found)

    def chain(id):
        while id:
            scope = scopes[id]
            yield scope.kind, scope.path, scope.name, scope.call, scope.params
            id = scope.parent

    nodes = [(n.id, n.name, n.line, [*chain(n.scope)]) for n in found.nodes]
    boxes = [[n.id for n in fold.inside[box]] for box in fold.boxes]
    return nodes, [r.turns for r in found.repeats], boxes, fold.chips.keys(), len(fold.rolls)


@pytest.mark.parametrize("name", [name for name in networks.LINES | networks.OTHERS if name not in SILENT | FUSED])
def test_torch_tells_the_levels_that_minigrad_tells(name):
    ours, _ = networks.run(name, minigrad, graph.read)
    with graph.scopes():
        theirs, _ = networks.run(name, torch, graph.read_torch)

    assert theirs == ours
    assert told(theirs) == told(ours)


@pytest.mark.parametrize("name", sorted(SILENT - {"meta learning"}))
def test_torch_tells_the_same_graph_where_it_is_silent_of_levels(name):
    assert networks.run(name, torch, graph.read_torch)[0] == networks.run(name, minigrad, graph.read)[0]


@pytest.mark.parametrize("name", ["topk gather scatter", "custom no ctx", "two output function", "checkpoint",
                                  "physics informed", "siamese of cosines", "gru by hand", "coupling flow",
                                  "batches first"])
def test_torch_tells_the_same_graph_of_indices_and_of_what_a_function_keeps(name):
    graphs = {}
    for library, read in (("minigrad", graph.read), ("torch", graph.read_torch)):
        roots, names = drawn.run(name, library)
        graphs[library] = read(*roots, names=names)

    assert graphs["torch"] == graphs["minigrad"]


def test_the_picture_of_a_torch_network_is_folded_and_opens():
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    with graph.scopes(net):
        loss = torch.nn.functional.cross_entropy(net(torch.ones(5, 4)), torch.tensor([0, 1, 2, 1, 0]))
    drawing = minigrad.draw(loss, view="backward")

    assert drawing.fold.shown == 4
    assert "cross_entropy()" in drawing.to_svg()
    assert minigrad.draw(loss, open=["net.0"]).fold.shown == 5
    assert not net[0]._forward_hooks
    assert minigrad.draw(net(torch.ones(1, 4)).sum()).fold.shown == 6, "nothing is noted outside"


def test_only_the_modules_of_a_model_that_is_named_have_boxes():
    a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    with graph.scopes(a):
        y = b(a(torch.ones(1, 2))).sum()

    assert [s.path for s in graph.read_torch(y, names={"a.weight": a.weight}).scopes if s.kind == "module"] == ["a"]


def test_a_module_that_is_named_twice_has_one_box():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2))
    with graph.scopes(net, net[0]):
        y = net(torch.ones(1, 2)).sum()

    assert [s.path for s in graph.read_torch(y).scopes if s.kind == "module"] == ["", "0"]


def test_a_module_that_fails_ends_its_scope():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(3, 1))
    with graph.scopes(net):
        with pytest.raises(RuntimeError):
            net(torch.ones(1, 2))
        y = net[0](torch.ones(1, 2)).exp()

    assert [n.op for n in graph.read_torch(y).nodes if n.kind == "op" and not n.scope] == ["exp"]


def test_what_is_noted_keeps_no_module_and_no_tensor_alive():
    net = torch.nn.Linear(2, 2)
    with graph.scopes(net):
        y = net(torch.ones(1, 2)).sum()
    kept = [weakref.ref(net), weakref.ref(y), weakref.ref(net.weight)]
    del net, y
    gc.collect()

    assert [one() for one in kept] == [None] * 3
    assert torch_scopes.calls[-1].module() is None


def test_a_function_of_the_learner_s_knows_its_line_and_is_left_as_it_was():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x, before = torch.ones(2, requires_grad=True), vars(torch.autograd.Function)["apply"]
    with graph.scopes():
        with graph.scopes():
            kept = Twice.apply
        y = Twice.apply(kept(x))

    assert [n.line[1].strip() for n in graph.read_torch(y).ops] == ["y = Twice.apply(kept(x))"] * 2
    assert vars(torch.autograd.Function)["apply"] is before
    assert {n.line for n in graph.read_torch(kept(x)).nodes} == {None}, "nothing is noted outside"


def test_a_function_of_the_learner_s_can_be_mapped_while_somebody_looks():
    class Scaled(torch.autograd.Function):
        generate_vmap_rule = True
        forward = staticmethod(lambda x, k: x * k)
        setup_context = staticmethod(lambda ctx, inputs, output: setattr(ctx, "k", inputs[1]))
        backward = staticmethod(lambda ctx, grad: (grad * ctx.k, None))

    x = torch.ones(3, 2, requires_grad=True)
    with graph.scopes():
        y = torch.func.vmap(lambda row: Scaled.apply(row, 2.0))(x)

    assert [(n.name, n.line[1].strip()[:21]) for n in graph.read_torch(y).ops] == [
        ("VmappedScaledBackward", "y = torch.func.vmap(l")]


def test_without_torch_scopes_says_what_it_is_for(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)

    with pytest.raises(RuntimeError, match="those of minigrad always have"), graph.scopes():
        pass


def test_what_torch_compiles_is_traced_past_us(monkeypatch):
    model, x = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()), torch.ones(1, 2)
    calls = len(torch_scopes.calls)

    def never():
        raise AssertionError  # dynamo cannot trace it: the learner's graph would break in two, or the trace fail

    monkeypatch.setattr(torch.autograd, "_get_sequence_nr", never)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    with graph.scopes():
        loss = model(x).sum()

    assert len(torch_scopes.calls) == calls
    assert {n.line for n in graph.read_torch(loss).nodes} == {None}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_of_nested_tensors_no_shape_is_told_and_each_gradient_is_right(layout):
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    rows = torch.nested.nested_tensor([torch.ones(1, 2), torch.ones(3, 2)], layout=layout)
    loss = torch.nested.to_padded_tensor(net(rows), 0.0).pow(2).sum()
    drawing = minigrad.draw(loss, view="backward", level="ops")

    assert [t.size for t in drawing.graph.outputs(next(n.id for n in drawing.graph.ops if n.op == "relu"))] == [""]
    loss.backward()
    for n in (n for n in drawing.graph.nodes if n.leaf):
        grad = dict(net.named_parameters())[drawing.graph.tensor(n.leaf).name.removeprefix("net.")].grad
        assert drawing.flows.norms[n.id] == pytest.approx(grad.norm().item(), rel=1e-4)


def test_a_picture_that_is_much_too_high_without_scopes_says_how_to_get_them():
    net = torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(6)))
    bare = minigrad.draw(net(torch.ones(2, 4)).sum(), lang="en")
    with minigrad.graph.scopes():
        boxes = minigrad.draw(net(torch.ones(2, 4)).sum(), lang="en")
        x = torch.ones(2, requires_grad=True)
        loss = ((1 - x[0]) ** 2 * x.sin() + 100 * (x[1] - x[0] ** 2) ** 2 * (x * x.cos())).sum()
        formula = minigrad.draw(loss, lang="en")

    assert formula.fold.bare
    assert formula.remarks == []
    assert "minigrad.graph.scopes()" in " ".join(bare.remarks)
    assert boxes.remarks == []
    assert boxes.layout.height < 616 < bare.layout.height
