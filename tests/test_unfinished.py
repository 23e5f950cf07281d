"""Programs that stop half-way: what was recorded is drawn, with the call that failed and the shapes that went in."""

import gc
import importlib
import linecache
import re
import sys
import weakref

import pytest

import minigrad

NET = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 8), nn.Linear(9, 2)
    def forward(self, x):
        h = torch.relu(self.a(x))
        return self.b(h)
"""
X = "x = torch.ones(2, 3, requires_grad=True); "
# program -> what failed, the shapes that went in
PROGRAMS = {
    NET + "loss = Net()(torch.ones(3, 4)).sum()": ("Linear", ["(3, 8)", "(2, 9)", "(2,)"]),
    X + "h = x.exp(); y = h @ x": ("matmul", ["(2, 3)", "(2, 3)"]),
    X + "h = x.exp(); y = h + torch.ones(4)": ("add", ["(2, 3)", "(4,)"]),
    X + "h = x.exp(); b = torch.ones(3); y = torch.cat([h, b])": ("cat", ["(2, 3)", "(3,)"]),
    X + "h = x.exp(); y = h.view(4)": ("view", ["(2, 3)"]),
    X + "t = torch.tensor([0]); y = F.cross_entropy(x.exp(), t)": ("cross_entropy", ["(2, 3)", "(1,)"]),
    X + "net = nn.Sequential(nn.ReLU(), nn.Linear(4, 1)); y = net(x * 2)": ("Linear", ["(2, 3)", "(1, 4)", "(1,)"]),
}


def failing(program, library="minigrad"):
    torch = importlib.import_module(library)
    file = f"<{abs(hash(program))}>"
    linecache.cache[file] = len(program), None, program.splitlines(keepends=True), file
    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "__name__": "learner"}
    try:
        exec(compile(program, file, "exec"), names)
    except Exception as error:
        return error
    raise AssertionError("it ran")


@pytest.mark.parametrize("library", ["minigrad", pytest.param("torch", marks=pytest.mark.oracle)])
@pytest.mark.parametrize(("program", "call", "shapes"), [(p, *found) for p, found in PROGRAMS.items()])
def test_the_call_that_failed_is_drawn_with_the_shapes_that_went_in(library, program, call, shapes):
    pytest.importorskip(library)
    drawing = minigrad.draw(failing(program, library))
    failed = drawing.graph.nodes[0]
    seen = [str(drawing.graph.tensor(e.tensor).shape) for e in failed.edges]

    assert (failed.op, failed.error != "") == (call, True)
    unknown = {"(4,)"} if library == "torch" else set()  # what torch's C++ was given, and nobody else has
    assert seen == [shape for shape in shapes if shape not in unknown]
    picture = drawing.to_svg()
    assert 'class="mg-op mg-refused"' in picture
    assert failed.error in re.sub(r"<[^>]+>", " ", picture).replace("  ", " ")
    assert drawing.to_text().startswith(f"✗ {call}  {failed.name}: ")


def test_what_is_not_known_to_have_gone_in_is_not_tied_to_the_call():
    drawing = minigrad.draw(failing(X + "h = x * 2; y = (h / 3).foo()"))

    assert drawing.graph.nodes[0].edges == ()
    assert [n.op for n in drawing.graph.ops] == ["foo", "mul"]


def test_a_backward_that_failed_shows_the_graph_that_it_ran_through():
    drawing = minigrad.draw(failing(X + "y = x.exp().sum(); y.backward(); y.backward()"))

    assert [n.name for n in drawing.graph.ops] == ["SumBackward0", "ExpBackward0"]
    assert "Stopped in line 1: RuntimeError: Trying to backward" in drawing.to_svg()


@pytest.mark.parametrize("view", ["record", "forward", "backward"])
@pytest.mark.parametrize("engine", [None, "graphviz"])
def test_draw_of_nothing_shows_the_last_error_in_every_view(view, engine, monkeypatch):
    monkeypatch.setattr(sys, "last_exc", failing(X + "h = x.exp(); y = h @ x"), raising=False)

    assert "RuntimeError" in minigrad.draw(view=view, engine=engine).to_svg()


def test_without_an_error_draw_of_nothing_says_what_it_is_for(monkeypatch):
    for name in ("last_exc", "last_value"):
        monkeypatch.delattr(sys, name, raising=False)

    with pytest.raises(TypeError, match=r"no call with tensors has failed: draw\(loss\)"):
        minigrad.draw()
    with pytest.raises(TypeError, match="no call with tensors"):
        minigrad.draw(ValueError("never raised"))


def test_a_picture_of_an_error_keeps_nothing_alive():
    error = failing("def f():\n    x = torch.ones(2, 3, requires_grad=True)\n    h = x.exp()\n    return h @ x\nf()")
    drawing = minigrad.draw(error)
    place = error.__traceback__
    while place.tb_frame.f_code.co_name != "f":
        place = place.tb_next
    kept = weakref.ref(place.tb_frame.f_locals["h"])
    assert "h (2, 3)" in drawing.to_text()

    del error, place
    gc.collect()
    assert kept() is None
