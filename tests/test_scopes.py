"""A node's module, its call and its turn of a loop are found when a graph is read, or not named at all."""

import gc
import threading
import weakref

import pytest

import minigrad as torch
from minigrad import nn
from minigrad.core.beside import scopes as noted
from minigrad.graph import read
from minigrad.nn import functional as F
from minigrad.viz import draw
from tests import networks


def names(graph):
    return [(s.kind, s.path, s.name, s.call) for s in graph.scopes]


def home(graph, name):
    """The paths of the scopes around the first node of this name, the innermost first."""
    known, found = {s.id: s for s in graph.scopes}, []
    scope = next(n.scope for n in graph.nodes if n.name == name)
    while scope:
        found.append(known[scope].path or known[scope].name)
        scope = known[scope].parent
    return found


def named(module, name):
    return {f"{name}.{k}": p for k, p in module.named_parameters()}


def test_every_node_knows_the_call_of_its_module():
    net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Tanh(), nn.Linear(3, 1)))
    graph = read(net(torch.ones(4, 2)).mean(), names=named(net, "net"))

    assert home(graph, "TanhBackward0") == ["net.1.0", "net.1", "net"]
    assert home(graph, "MeanBackward0") == []
    linear = next(s for s in graph.scopes if s.path == "net.1.1")
    assert [graph.tensor(t).name for t in linear.params] == ["net.1.1.weight", "net.1.1.bias"]


def test_a_module_that_runs_twice_has_two_scopes():
    layer = nn.Linear(2, 2)
    graph = read(layer(layer(torch.ones(1, 2))), names=named(layer, "layer"))

    assert names(graph) == [("module", "layer", "Linear", 0), ("module", "layer", "Linear", 1)]


def test_a_module_without_a_name_has_its_class_only():
    graph = read(nn.Linear(2, 2)(torch.ones(1, 2)))

    assert names(graph) == [("module", "", "Linear", 0)]  # the module is gone, its class is known
    layers = [nn.Linear(2, 2)]
    assert names(read(layers[0](torch.ones(1, 2)))) == [("module", "", "Linear", 0)]


def test_a_call_that_made_several_nodes_is_one():
    x = torch.ones(3, 4, requires_grad=True)
    graph = read(F.cross_entropy(x, torch.tensor([0, 1, 2])) + (x * 2).sum())

    assert names(graph) == [("call", "", "cross_entropy", 0)]


def test_a_loop_at_one_place_is_no_call():
    x = torch.ones(3, requires_grad=True)

    assert names(read(sum([x, x, x, x]))) == []


def test_a_write_through_a_view_is_no_call():
    y = torch.ones(3, requires_grad=True) * 2
    y[:2].mul_(10)

    assert names(read(y.sum())) == []


def test_the_learners_own_module_holds_what_its_forward_made():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def forward(self, x):
            return F.mse_loss(self.inner(x).relu(), x)

    net = Net()
    graph = read(net(torch.ones(1, 2)), names=named(net, "net"))

    assert home(graph, "ReluBackward0") == ["net"]
    assert home(graph, "AddmmBackward0") == ["net.inner", "net"]


@pytest.mark.parametrize("turns", [3, 10, 100])
def test_a_loop_with_shared_weights_is_a_repeat(turns):
    w, h = torch.ones(2, 2, requires_grad=True), torch.zeros(1, 2)
    for _ in range(turns):
        h = torch.tanh(h @ w + 1)
    graph = read(h.sum())

    (repeat,) = graph.repeats
    assert len(repeat.turns) == turns
    kinds = [[graph.node(id).name for id in turn] for turn in repeat.turns]
    assert kinds == [kinds[0]] * turns


def test_turns_with_weights_of_their_own_are_no_repeat():
    h = torch.zeros(1, 2)
    weights = [torch.ones(2, 2, requires_grad=True) for _ in range(6)]
    for w in weights:
        h = torch.tanh(h @ w)

    assert read(h.sum()).repeats == ()


@pytest.mark.parametrize(("term", "turns"), [
    ("({x} * {k}).sin()", 5), ("({w} * 2).sin()", 5), ("({x}[:{k} + 1] * 2).sin().sum()", 0), ("({x} * {k}).{f}()", 0)])
def test_equal_terms_of_a_sum_are_turns_also_with_leaves_of_their_own(term, turns):
    terms = (term.format(x="x", w=w, k=k, f=f) for k, (w, f) in enumerate(
        zip("abcdef", ("sin", "exp", "cos", "tanh", "abs", "sqrt"), strict=True)))
    roots, names = networks.execute(
        "x, a, b, c, d, e, f = (torch.ones(7, requires_grad=True) for _ in range(7))\n"
        f"loss = ({' + '.join(terms)}).sum()\nloss", "<terms>", torch)

    drawing = draw(*roots, names=names)

    assert [(len(repeat.turns), repeat.all) for repeat in drawing.graph.repeats] == [(turns, False)] * bool(turns)
    assert ("block × 5" in (svg := drawing.to_svg())) == ("5 leaves" in svg) == ("{w}" in term)


def test_equal_layers_repeat_each_with_leaves_of_its_own():
    net = nn.Sequential(*[layer for _ in range(5) for layer in (nn.Linear(2, 2), nn.Tanh())])

    graph = read(net(torch.ones(1, 2)).sum(), names=named(net, "net"))
    (repeat,) = graph.repeats
    leaves = [[t.name for id in turn for t in graph.outputs(id) if t.kind == "leaf"] for turn in repeat.turns]

    assert [sorted(names) for names in leaves] == [[f"net.{k}.bias", f"net.{k}.weight"] for k in range(0, 10, 2)]


def test_a_call_that_fails_ends_its_scope():
    class Fails(nn.Module):
        def forward(self, x):
            x.exp()
            raise ValueError("no")

    failing, layer = Fails(), nn.Linear(2, 2)
    with pytest.raises(ValueError, match="no"):
        failing(torch.ones(1, requires_grad=True))
    assert names(read(layer(torch.ones(1, 2)), names=named(layer, "layer"))) == [("module", "layer", "Linear", 0)]


def test_modules_of_two_threads_at_once_are_not_told_apart():
    first, second = threading.Event(), threading.Event()

    class Waits(nn.Module):
        def __init__(self, mine, other):
            super().__init__()
            self.mine, self.other = mine, other

        def forward(self, x):
            y = x * 2
            self.mine.set()
            self.other.wait(5)
            return y + 1

    x, results = torch.ones(1, requires_grad=True), {}
    modules = Waits(first, second), Waits(second, first)
    threads = [threading.Thread(target=lambda m=m: results.update({m: m(x)})) for m in modules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [names(read(results[m])) for m in modules] == [[], []]


def test_what_is_noted_keeps_no_module_alive_and_stays_small():
    layer = nn.Linear(2, 2)
    alive = weakref.ref(layer)
    for _ in range(noted.KEPT + 10):
        layer(torch.ones(1, 2))
    del layer
    gc.collect()

    assert alive() is None
    assert len(noted.calls) == noted.KEPT


def test_a_call_without_nodes_is_not_noted():
    layer, before = nn.Linear(2, 2), list(noted.calls)
    with torch.no_grad():
        layer(torch.ones(1, 2))

    assert list(noted.calls) == before


def test_a_network_is_drawn_folded_and_opens():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
    loss = F.cross_entropy(net(torch.ones(4, 2)), torch.zeros(4, dtype=torch.int64))
    folded, opened = torch.draw(loss), torch.draw(loss, open=["net.0"])

    assert "Linear" in folded.to_svg()
    assert ">AddmmBackward0<" not in folded.to_svg()
    assert ">AddmmBackward0<" in opened.to_svg()
