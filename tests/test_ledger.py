"""The ledger of cuts: what made a constant of a tracked tensor, where, how often; holding nothing, costing nothing."""

import gc
import linecache
import weakref

import pytest

import minigrad as torch
from minigrad.core.beside import ledger
from minigrad.core.beside.lines import source_line
from minigrad.graph import program, read
from minigrad.graph.program import word


@pytest.fixture(autouse=True)
def empty_ledger():
    before = dict(ledger.places)
    ledger.places.clear()
    yield
    ledger.places.clear()
    ledger.places.update(before)


def noted() -> list[tuple[str, int, str]]:
    return [(word(place), place.count, source_line(place.code, place.lasti)[2]) for place in ledger.places.values()]


def tracked():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return x * 2


@pytest.mark.filterwarnings("ignore:To copy construct", "ignore:Converting a tensor")
@pytest.mark.parametrize(("kind", "cut"), [
    ("detach()", lambda y: y.detach()),
    ("detach()", lambda y: torch.detach(y)),
    (".data", lambda y: y.data),
    ("item()", lambda y: y[0].item()),
    ("float()", lambda y: float(y[0])),
    ("int()", lambda y: int(y[0])),
    ("tolist()", lambda y: y.tolist()),
    ("numpy()", lambda y: y.numpy(force=True)),
    ("torch.tensor()", lambda y: torch.tensor(y)),
    ("torch.tensor()", lambda y: torch.tensor([[y[0]]])),
    ("argmax()", lambda y: y.argmax()),
    ("argmax()", lambda y: torch.argmax(y, 0)),
    (">", lambda y: y > 1),
    ("long()", lambda y: y.long()),
])
def test_each_kind_of_cut_is_noted_under_what_the_learner_wrote(kind, cut):
    cut(tracked())

    assert [(name, count) for name, count, _ in noted()] == [(kind, 1)]


def test_a_place_is_noted_once_with_its_count_and_the_last_node():
    y = tracked()
    for _ in range(3):
        y = y + 1
        y.detach()

    (place,) = ledger.places.values()
    assert (place.count, place.origin()) == (3, y.grad_fn)
    assert source_line(place.code, place.lasti)[2] == "y.detach()"


def test_the_diary_holds_nothing_alive():
    net = torch.nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(3, 2)).sum().backward()
    opt.step()
    opt.zero_grad()
    assert [what for what, *_ in ledger.diary][-2:] == ["step", "zero_grad"]
    gone = [weakref.ref(opt), weakref.ref(net.weight)]
    del opt, net
    gc.collect()

    assert [one() for one in gone] == [None, None]


def test_what_came_of_a_cut_is_noted_too():
    kept = tracked().detach()
    (place,) = ledger.places.values()

    assert place.result() is kept


def test_a_block_in_which_nothing_is_recorded_is_noted_by_its_line():
    with torch.no_grad():
        pass
    torch.set_grad_enabled(False)
    torch.set_grad_enabled(True)
    with torch.inference_mode(), torch.enable_grad():
        pass

    assert [(kind, line) for kind, _, line in noted()] == [
        ("no_grad()", "with torch.no_grad():"), ("set_grad_enabled()", "torch.set_grad_enabled(False)"),
        ("inference_mode()", "with torch.inference_mode(), torch.enable_grad():")]


def test_what_is_not_tracked_and_what_the_package_does_are_no_cuts():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    net(torch.ones(3, 2)).sum().backward()
    optimizer.step()
    net.state_dict()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    x = torch.ones(2)
    x.detach(), x.data, x.tolist(), x.argmax(), x > 0, x[0].item()
    print(tracked())
    f"{tracked().sum():.1f}"
    x = tracked()
    torch.autograd.grad(torch.nn.functional.leaky_relu(x).sum(), x, create_graph=True)
    with torch.slow():
        torch.autograd.grad(torch.nn.functional.leaky_relu(x).sum(), x, create_graph=True)

    assert noted() == []


@pytest.mark.filterwarnings("ignore:Converting a tensor")  # said once in a process
def test_the_ledger_keeps_no_tensor_alive():
    y = tracked()
    z = y.detach()
    torch.tensor([y[0], y[1]])
    w = torch.ones(2, requires_grad=True)
    k = w.data
    gone = [weakref.ref(t) for t in (y, z, w, k)]
    del y, z, w, k
    gc.collect()

    assert [ref() for ref in gone] == [None] * 4
    assert len(ledger.places) == 3


def test_the_ledger_forgets_its_oldest_place():
    y = tracked()
    for i in range(ledger.KEPT + 3):
        exec(compile(f"y.detach()  # {i}", f"<cut {i}>", "exec"), {"y": y})

    files = [place.code.co_filename for place in ledger.places.values()]
    assert len(files) == ledger.KEPT
    assert (files[0], files[-1]) == ("<cut 3>", f"<cut {ledger.KEPT + 2}>")


@pytest.mark.parametrize(("line", "into"), [
    ("y = h / h.detach().norm()", "n2:1"), ("y = h.detach().exp() - h", "n2:0"),
    ("y = h * 2 + h.detach().exp()", "n2:1"),
    ("w = torch.ones(2, requires_grad=True); y = w * w.detach().exp()", "n2:1"),
    ("for _ in range(2): y = h * (h.detach() + 1) + h", "n3:1"),
    ("adv = torch.ones(2) - h.detach(); y = h * adv", "adv"), ("k = h.detach(); y = h * 2", None),
    ("m = h.max().item(); y = m * h", "n2:1"), ("m = h.max().item(); y = h - m", "n2:1"),
    ("h = h.exp() + h.max().item(); y = 2 * h", "n3:1"), ("m = 2.; y = m * twice(h.detach(), h)", "n3:0"),
    ("if (m := 1): m = h.max().item()\nelse: m = 2.\ny = h * m", None),
    ("y = h[h.argmax()]", "n2:1"), ("k = int(h.argmax()); y = h[k]", "n2:1"), ("y = h[h > 0]", "n2:1"),
    ("k = h.argmax(); y = h[k]", "n2:1"), ("m = h > 0; y = torch.where(m, h, h.exp())", "n2:2"),
    ("y = h[None, h.argmax()]", None), ("y = h.gather(0, h.argmax(0, keepdim=True))", "n2:1"),
    ("with torch.no_grad(): m = h.mean()\ny = h - m", "n2:1"),
    ("with torch.no_grad(): adv = h * 2\ny = h * adv", "adv"),
    ("with torch.no_grad(): k = h * 2; adv = k + 1\ny = h * adv", "adv"),
    ("with torch.no_grad(): adv = torch.rand_like(h)\ny = h * adv", None),
    ("with torch.no_grad(): k = h * 2\nadv = k + torch.ones(2); y = h * adv", "adv"),
    ("with torch.no_grad(): k = h * 2\nm = k + 1; y = h * m.neg()", "n2:1"),
    ("with torch.no_grad():\n k = h * 2\n k = k.neg()\ny = k * h", "n2:0"),
    ("with torch.no_grad(): k = h * 2; m = k.exp()\nk = h.neg(); y = k - m", "n2:1"),
    ("k = h.detach(); m = k + 1; k = h.neg(); g = k.exp(); y = g - m", "n2:1"),
    ("k = h.detach(); k = torch.ones(2); m = k + 1; y = h - m", None),
    ("adv, m = h.detach() + 1, torch.ones(2); y = h * m", None), ("k, m = 2., h.detach() + 1; y = h * m.neg()", "n2:1"),
    ("(k, m), g = (h.detach() + 1, torch.ones(2)), 2; y = h * m.neg()", None),
    ("with torch.no_grad(): k, m = h * 2, torch.ones(2)\ng = m + 1; y = h * g.neg()", None),
    ("k = [h.detach() + 1, torch.ones(2)]; y = h * k[1]", None), ("k = {'t': h.detach() + 1}; y = h * k['t']", "n2:1"),
    ("k = h.detach(); k = (k - 1) / 2; y = h - k", "n2:1"), ("k = h.detach(); k = torch.ones(2); y = h - k", None),
    ("k = h.detach(); m = k * h; k = 2; y = k * m", "n3:0"), ("k = h * h.detach(); m = 2.; y = m * k", "n3:1"),
    ("m = h.max().item(); k = 1 / m; y = k * h", "n2:1"), ("m = h.max().item(); k = len([m]); y = h * m", "n2:1"),
    ("k = h.detach().exp(); y = torch.nn.functional.mse_loss(h, k + 1)", "n2:1"),
    ("k = h.detach().exp(); y = torch.maximum(k + 1, h)", "n2:0"),
    ("k = h > 0; y = torch.zeros(2).where(k & k, h)", None),
    ("k = h.detach() + 1; y = torch.ones(2).lerp(k * h, 0.5)", "n3:0"),
    ("k = h.detach().exp(); y = torch.nn.functional.mse_loss(k + 1, h)", "n2:0"),
    ("k = h.detach().exp(); y = torch.nn.functional.mse_loss(h.exp() * k, torch.ones(2))", "n3:1"),
    ("with torch.no_grad(): n = h.shape[0]; m = torch.ones(2) * n\ny = h - m", None),
    ("with torch.no_grad(): v = h.clone().requires_grad_()\ny = 2 * v + h", None),
    ("y = twice(h.detach().neg(), h) + torch.ones(2)", None), ("y = torch.where(h.detach().exp() > 1, h, 0.)", None),
    ("log = h.detach().norm(); y = h * 2", None), ("y = h + h.mean().item()", "n2:1"),
    ("torch.set_grad_enabled(False); m = h.mean(); torch.set_grad_enabled(True); y = h - m", "n2:1"),
    ("torch.set_grad_enabled(False); torch.set_grad_enabled(True); m = h.shape[0]; y = h - m", None),
    ("class A: pass\nA.m = h.mean().detach(); y = h - A.m", "n2:1"),
    ("class A: pass\ndef f(): A.m = 1.\nA.m = h.mean().detach(); f(); y = h - A.m", None),
    ("class A: pass\nA.m = 1.\ndef f(x): g = x * A.m; A.m = g.detach(); return g\ny = f(h) + f(h.exp())", "n3:1"),
    ("@torch.no_grad()\ndef f(x): return x.exp()\ny = h - f(h)", "n2:1"),
    ("@torch.inference_mode()\ndef f(x): g = x * 2; return g.sum(), g.mean()\nm, k = f(h); y = h - k", "n2:1"),
    ("@torch.no_grad()\ndef f(x): return torch.rand_like(x)\nm = f(h); y = h - m", None),
    ("@torch.no_grad()\ndef f(x): x.sum(); return 2.\nm = f(h); y = h - m", None),
    ("@torch.no_grad()\ndef f(x): return x * 2\nm = f(torch.ones(2)); y = h - m", None),
    ("def f(x):\n with torch.no_grad(): return x.exp()\nm = f(h); y = h - m", "n2:1"),
    ("def f(x):\n with torch.no_grad(): m = x.mean()\n return m\nm = f(h); y = h - m", "n2:1"),
    ("def f(x):\n with torch.no_grad(): m = x.mean()\n return x * m\nm = f(h); y = h - m", None),
    ("def f(x):\n g = x * 2\n with torch.no_grad(): m = g.mean()\n return g - m\ny = f(h)", "n2:1"),
    ("def f(h):\n with torch.no_grad(): m = h.mean()\n return h - m\ny = f(torch.ones(2)) + h", None)])
def test_what_a_cut_left_goes_to_the_operand_that_it_stands_in_and_nowhere_where_that_is_not_sure(line, into, tmp_path):
    file, scope = tmp_path / "program.py", {"torch": torch, "h": tracked(), "twice": lambda a, b: a * b, "adv": None}
    file.write_text(line)
    exec(compile(line, str(file), "exec"), scope)
    found = read(scope["y"].sum(), names={"h": scope["h"], "adv": scope["adv"]}).cuts

    assert [cut.into for cut in found] == ([] if into is None else [() if into == "adv" else (into,)])
    assert [cut.tensor is not None for cut in found] == [into == "adv"] * len(found)


@pytest.mark.parametrize("line", [
    "adv = (torch.ones(2) - h).detach()", "adv = h.exp().detach()", "with torch.no_grad(): adv = h * 2",
    "@torch.no_grad()\ndef f(x): return x * 2\nadv = f(x=h)"])
def test_what_was_cut_in_an_expression_is_the_tracked_value_that_it_reads(line, tmp_path):
    file, scope = tmp_path / "program.py", {"torch": torch, "h": tracked()}
    file.write_text(f"{line}\ny = h * adv")
    exec(compile(file.read_text(), str(file), "exec"), scope)
    graph = read(scope["y"].sum(), names={"h": scope["h"], "adv": scope["adv"]})

    (cut,) = graph.cuts
    assert (graph.node(cut.node).name, graph.tensor(cut.tensor).name) == ("MulBackward0", "adv")


def test_a_graph_has_the_cuts_of_what_is_still_in_use():
    h = tracked()
    k = h.detach()
    loss = (h * k).sum()
    h.detach()

    (cut,) = read(loss, names={"h": h, "k": k}).cuts
    graph = read(loss, names={"h": h, "k": k})
    assert (cut.kind, cut.count, cut.line[1]) == ("detach()", 1, "k = h.detach()")
    assert graph.node(cut.node).op == "mul"
    assert graph.tensor(cut.tensor).name == "k"
    drawn = torch.draw(loss).to_svg()
    assert 'class="mg-scissors' in drawn
    assert "k = h.detach()" in drawn


def test_results_that_are_drawn_hang_from_the_cards_of_what_cut_them():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    tracked = a * 2
    off = a.detach() * 2
    with torch.no_grad():
        unrecorded = a * 2
    graph = torch.draw(tracked, off, unrecorded).graph

    assert {cut.kind: graph.tensor(cut.tensor).name for cut in graph.cuts} == {
        "detach()": "off", "no_grad()": "unrecorded"}
    assert {graph.node(cut.node).kind for cut in graph.cuts} == {"accumulate"}


@pytest.mark.parametrize(("cells", "into"), [
    (["h = tracked()\nwith torch.no_grad(): adv = h * 2", "y = h * adv"], "adv"),
    (["h = tracked()\nm = h.max().item()", "k = 1", "y = h - m"], "n2:1"),
    (["h = tracked()\nm = h.max().item()", "m = 2.", "y = h - m"], None),
    (["h = tracked()\nm = h.max().item()", "for m in (1., 2.): pass", "y = h - m"], None),
    (["h = tracked()\nm = h.max().item()", "def f(h, m):\n    return h - m\ny = f(h, 1.)"], None),
    (["h = tracked()\ndef f(h):\n    m = h.max().item()\nf(h)", "m = 2.", "y = h - m"], None)])
def test_what_a_cut_left_is_followed_into_other_cells_where_no_other_binds_its_name(cells, into, monkeypatch):
    monkeypatch.setattr(linecache, "cache", {})
    scope = {"torch": torch, "tracked": tracked}
    for number, cell in enumerate(cells):
        file = f"/tmp/ipykernel_1/{number}.py"
        linecache.cache[file] = (len(cell), None, cell.splitlines(True), file)
        exec(compile(cell, file, "exec"), scope)
    found = read(scope["y"].sum(), names={name: t for name, t in scope.items() if hasattr(t, "grad_fn")}).cuts

    assert [cut.into for cut in found] == ([] if into is None else [() if into == "adv" else (into,)])


def test_a_cell_under_time_may_have_bound_the_name_anew(monkeypatch):
    cell, last = "h = tracked()\nm = h.max().item()", "y = h - m"
    for timed, known in (("n = 2.", True), ("m = 2.", False)):
        monkeypatch.setattr(linecache, "cache", {})
        monkeypatch.setattr(program, "timed_cells", lambda timed=timed: iter([(None, timed)]))
        scope = {"tracked": tracked}
        for number, text in enumerate((cell, last)):
            file = f"/tmp/ipykernel_1/{number}.py"
            linecache.cache[file] = (len(text), None, text.splitlines(True), file)
            exec(compile(text, file, "exec"), scope)
        assert bool(read(scope["y"].sum(), names={"h": scope["h"]}).cuts) == known


def test_a_drawn_name_that_another_cell_may_have_bound_anew_hangs_from_no_cut(tmp_path):
    scope = {"torch": torch}
    for number, cell in enumerate(("a = torch.ones(2, requires_grad=True)\noff = a.detach() * 2\ny = a * 2",
                                   "off = torch.zeros(2)", "cuts = torch.draw(y, off).graph.cuts")):
        file = tmp_path / f"cell{number}.py"
        file.write_text(cell)
        exec(compile(cell, str(file), "exec"), scope)

    assert scope["cuts"] == ()
