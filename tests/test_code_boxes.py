"""Lines of code as boxes: what each holds, that nothing goes around one, and when a picture has them at all."""

import ast
import re
from graphlib import TopologicalSorter

import pytest

import minigrad
from minigrad.graph import read
from minigrad.viz import draw
from minigrad.viz.lines import Piece, by_lines, neighbours, spans, turns
from tests import networks

VIEWS = ("record", "forward", "backward")


def picture(name, library=minigrad, **options):
    return networks.run(name, library, lambda *roots, names: draw(*roots, names=names, lang="en", **options))[0]


def drawn(program, open=()):
    return networks.execute(program, "<drawn>", minigrad, lambda *roots, names: draw(
        *roots, names=names, lang="en", open=open))[0]


def boxed(drawing):
    """The scopes of lines that are closed, with their operations."""
    fold = drawing.fold
    return [(fold.scopes[id], fold.inside[id]) for id in fold.boxes if fold.scopes[id].kind == "line"]


def numbers(path):
    """The line numbers that a path tells."""
    for part in path.split(" ", 1)[1].split(", "):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", networks.CODE)
def test_what_would_be_many_screens_high_fits_with_its_lines_folded(name, view):
    drawing = picture(name, view=view)

    wide, high = map(float, re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', drawing.to_svg()).groups())
    assert wide <= 860
    assert high <= 1160
    assert picture(name, view=view, level="ops").layout.height > 900
    assert boxed(drawing)


@pytest.mark.parametrize("name", networks.CODE)
def test_a_box_holds_what_its_lines_made_in_a_row_and_names_them(name):
    drawing = picture(name)
    ran = [n.id for n in sorted(drawing.fold.graph.ops, key=lambda n: n.seq)]
    texts = networks.CODE[name].strip().splitlines()
    functions = [n for n in ast.walk(ast.parse("\n".join(texts))) if isinstance(n, ast.FunctionDef)]
    functions.append(ast.FunctionDef("<module>", ast.arguments(), lineno=0, end_lineno=len(texts)))

    for scope, ops in boxed(drawing):
        told = [*numbers(scope.path)]
        assert {n.line[0] for n in ops} <= {*told}
        homes = {max((f.lineno, f.name) for f in functions if f.lineno <= n <= f.end_lineno) for n in told}
        home = f"{homes.pop()[1]}(): " if len(homes) == 1 and told[1:] else ""
        assert scope.name.removesuffix(" …") == home.removeprefix("<module>(): ") + texts[told[0] - 1].strip()
        first = ran.index(ops[0].id)
        assert [n.id for n in ops] == ran[first:first + len(ops)]


@pytest.mark.parametrize("name", networks.CODE)
def test_no_way_leads_out_of_a_box_and_back(name):
    fold = picture(name).fold
    whole = TopologicalSorter()
    for n in fold.graph.ops:
        for e in n.edges:
            a, b = fold.box.get(n.id, n.id), fold.box.get(e.node, e.node)
            if e.node in {n.id for n in fold.graph.ops} and a != b:
                whole.add(a, b)

    assert [*whole.static_order()]  # raises CycleError for a circle


def test_lines_that_stand_in_one_function_name_it():
    boxes = boxed(drawn("""
w = torch.ones(2, 2, requires_grad=True)
def cell(x):
    a = (x @ w).tanh() * 2
    b = (a @ w).sigmoid() + a
    c = (b @ w).exp() * b
    return c.cos() + 1
loss, h = 0, torch.ones(2, 2)
for t in range(6):
    h = cell(h)
    if t % 2: h = h.sin() * 3
    loss = loss + h.mean()
loss"""))

    assert {scope.path: scope.name for scope, _ in boxes} == {
        "lines 3-6": "cell(): a = (x @ w).tanh() * 2 …", "line 10": "if t % 2: h = h.sin() * 3",
        "lines 3-6, 10-11": "if t % 2: h = h.sin() * 3 …", "line 11": "loss = loss + h.mean()"}


def test_lines_are_opened_by_their_names():
    closed = picture("highway")
    name = max((scope.path for scope, _ in boxed(closed)), key=len)
    opened = picture("highway", open=[name])

    assert name == "lines 4-6"
    assert f'open=["{name}"]' in closed.to_svg().replace("&quot;", '"')
    assert {scope.path for scope, _ in boxed(opened)} == {"line 4", "line 5", "line 6", "line 7"}
    assert "lines 4-6" in opened.to_svg()  # on a frame
    with pytest.raises(ValueError, match=r"nothing in this graph has this name.*'line 4'"):
        picture("highway", open="line 99")


def test_in_an_explorer_one_turn_is_opened_alone():
    explorer = picture("highway").explore()
    first = explorer.pictures[0]
    turn = next(scope.id for scope, _ in boxed(explorer.drawing) if scope.path == "lines 4-6")

    opened = explorer.picture(first["to"][turn])["svg"]

    assert opened.count(">lines 4-6<") == 4
    assert opened.count(">line 5<") == 1


@pytest.mark.parametrize("name", ["tutorial", "mlp", "lenet", "rnn 10", "with .grad", "double backward"])
def test_a_picture_that_is_not_much_too_high_has_no_boxes_for_lines(name):
    assert boxed(picture(name)) == []


def flat(count, gap=()):
    """A program of unlike lines, with an empty one before some."""
    kinds = "sin", "exp", "tanh", "sigmoid"
    lines = ["\n" * (i in gap) + f"y = (y * {1 + i / 100}).{kinds[i % 4]}()" for i in range(count)]
    return "\n".join(["x = torch.ones(3, requires_grad=True); y = x", *lines, "y"])


@pytest.mark.parametrize(("program", "found"), [
    (flat(20), [f"line {i}" for i in range(2, 22)]),
    (flat(60), [*(f"lines {i}-{i + 4}" for i in range(2, 62, 5))]),
    (flat(60, gap={18, 40}), ["lines 2-19", "lines 21-42", "lines 44-63"])])
def test_neighbouring_lines_are_one_box_where_lines_alone_are_many_screens_high(program, found):
    def paths(*open):
        drawing = drawn(program, open)
        return drawing, [scope.path for scope, _ in boxed(drawing)][::-1]

    drawing, told = paths()

    assert told == found
    assert drawing.layout.height < 900
    assert any(f'open=["{name}"]' in drawing.to_svg().replace("&quot;", '"') for name in found)
    assert set(found) - set(paths(found[0])[1]) == {found[0]}


def test_a_long_function_that_ran_twice_opens_to_boxes_of_neighbouring_lines():
    body = flat(20).replace("x = torch.ones(3, requires_grad=True); y = x", "def f(y):").replace("\ny", "\n    y")
    program = f"{body[:-1]}return y\nx = torch.ones(3, requires_grad=True)\ny = f(x) + f(x * 2)\ny"
    folded, opened, inner = (drawn(program, some) for some in ([], ["lines 2-21"], ["lines 2-3"]))

    assert [scope.path for scope, _ in boxed(folded)].count("lines 2-21") == 2
    assert [scope.path for scope, _ in boxed(opened)].count("lines 2-3") == 2
    assert {"line 2", "line 3", "lines 4-5"} < {scope.path for scope, _ in boxed(inner)}
    assert opened.fold.shown < 25


def test_what_is_named_is_opened_in_the_picture_that_is_drawn_without_it():
    program = MODULE + flat(60).replace("y = x", "y = net(x)", 1)
    folded, opened = drawn(program), drawn(program, ["net.0"])
    (scope,) = [s for s in folded.graph.scopes if s.path == "net.0"]

    assert opened.fold.closed == folded.fold.closed - {*folded.graph.chains[scope.id]}


LINES = flat(40).replace("y = x", "w = torch.ones(3, requires_grad=True); y = x * w.detach()", 1)[:-1]
MODULE = "net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3)); b = torch.ones(3, requires_grad=True)\n"


@pytest.mark.parametrize("program", [
    LINES + "y = (y * w).sum()\ny", MODULE + "h = torch.ones(2, 3) @ net[2].weight.detach() + b\ny = net(h).sum()\ny"])
@pytest.mark.parametrize("level", [None, "functions", "ops"])
def test_a_leaf_that_was_cut_before_its_use_may_stand_with_that_use(program, level):
    (loss,), names = networks.execute(program, "<cut before>", minigrad)

    svg = draw(loss, names=names, level=level).to_svg()

    assert "detach()" in svg


@pytest.mark.parametrize(("between", "total"), [(" + ", "{}"), (", ", "sum([{}])")])
def test_a_long_sum_in_one_line_is_one_box(between, total):
    kinds = "sin", "exp", "tanh", "sigmoid"
    terms = [f"t{i} = (x * {i}.5).{kinds[i % 4]}().mean()" for i in range(60)]
    total = "loss = " + total.format(between.join(f"t{i}" for i in range(60)))
    (loss,), names = networks.execute("\n".join(["x = torch.ones(3, requires_grad=True)", *terms, total, "loss"]),
                                      "<terms>", minigrad)

    told = [scope.path for scope, _ in boxed(draw(loss, names={"x": names["x"]}))]

    assert {*told} == {"line 62", *(f"lines {i}-{i + 4}" for i in range(2, 62, 5))}


@pytest.mark.parametrize(("ran", "found"), [
    ([1, 2, 3], []), ([0, 1, 2, 3, 4, 5], [[1, 2], [3, 4]]), ([1, 2, 3, 4], [[1, 2], [3, 4]]),
    ([1, 2, 3, 1, 2, 3], []),  # its turns are boxes
    ([1, 2, 5, 6, 5, 6, 7, 8], [[1, 2], [5, 6, 5, 6]]), ([1, 2, 0, 3, 4], [[1, 2], [3, 4]])])
def test_neighbours_are_lines_as_they_are_written_and_whole_loops(ran, found):
    assert [[p.number for p in run] for run in neighbours([*map(piece, ran)], 3)] == found


def test_neighbouring_lines_hold_what_they_call_and_end_where_their_function_is_called_anew():
    known = [piece(n)._replace(function=f) for n, f in zip([20, 1, 2, 21, 1, 2, 22, 23, 24], "mffmffmmm", strict=True)]

    assert [[p.number for p in run] for run in neighbours(known, 3)] == [
        [1, 2], [1, 2], [20, 21, 1, 2], [22, 1, 2, 23], [21, 1, 2], [22, 1, 2]]


def test_a_box_of_lines_holds_a_module_only_with_all_lines_that_it_holds():
    program = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
    def forward(self, x):
        y = (x * self.w).sin()
        return (y * 2).exp() * y
net = nn.Sequential(nn.Linear(3, 3), Net()); y = torch.ones(3)
y = net(y)
z = (y + 1).cos() * y
z = z.sin() * 2
z = z.exp() - 1
z = z.tanh() / 3
z"""
    paths = {s.path for s in by_lines(networks.execute(program, "<held>", minigrad, read)[0], frozenset(), True).scopes}

    assert {"line 6", "line 7", "line 10"} < paths
    assert "lines 6-10" not in paths


LONG = """(30 + (2 * a - 3 * b) ** 2 * (18 - 32 * a + 12 * a ** 2 + 48 * b - 36 * a * b + 27 * b ** 2)) * (
    sum((w * a).sin() + w for w in ws) - torch.stack([w * w * b for w in ws]).sum()) / (1 + F.cross_entropy(m * a, k))
    - (a * b).tanh() * 2 + (a.cos() * b + a).exp()""".replace("\n", " ")
BEFORE = """F = torch.nn.functional
a, b, *ws = (torch.tensor(value, requires_grad=True) for value in (.5, .25, .1, .2, .3))
m = torch.ones(2, 3); k = torch.tensor([0, 2])
"""


@pytest.mark.parametrize("program", [
    f"z = ({LONG})\nz", f"c = a * b\nz = ({LONG.replace('a * b', 'c')}) * c\nz",
    f"for _ in range(2): a = ({LONG})\na", f"def f(a, b): return ({LONG})\nz = f(a, b) * f(b, a)\nz"])
def test_a_long_formula_has_boxes_for_its_expressions_with_what_these_compute(program):
    drawing, names = drawn(BEFORE.replace("\n", "; ") + "\n" + program), {"torch": minigrad}
    exec(BEFORE, names)
    a, b = names["a"], names["b"]
    for scope, ops in boxed(drawing):
        here = {**names, "c": a * b, "w": a, "u": b, "before": (a * b).grad_fn._sequence_nr()}
        made = [n for n in read(eval(scope.name, here)).ops if n.seq > here["before"]]

        assert [n.name for n in sorted(made, key=lambda n: n.seq)] == [n.name for n in ops]

    assert len(boxed(drawing)) > 2
    assert drawing.layout.height < 1100


FORMULA = """a, b, c = (torch.tensor(value, requires_grad=True) for value in (1., 2., .3))
loss = (half := 0.5 * a * (b * c.cos()) ** 2) + 0.5 * a * (b * c.sin()) ** 2 + a * 9.81 * b * c.cos()
loss"""


def unquoted(program):
    """Drawn without the text of its expressions, which Python does not keep."""
    names = {"torch": minigrad}
    exec(program, names)
    return draw(names["loss"], names={name: t for name, t in names.items() if isinstance(t, minigrad.Tensor)})


def test_a_formula_in_one_line_that_would_be_screens_high_has_no_cards_of_results_without_a_name():
    drawing = unquoted(FORMULA)
    cards = {t.name for t in drawing.graph.tensors if t.kind == "nonleaf" and t.id in drawing.layout.boxes}

    assert cards == {"half", "loss"}
    assert drawing.layout.height < 1450


def test_what_has_no_neighbour_in_its_row_stands_right_below_what_is_above_it():
    drawing = unquoted(FORMULA.replace("a * 9.81 * b", "-a * 9.81 * b"))
    last = drawing.layout.boxes[next(n.id for n in drawing.graph.ops if n.op == "cos")]  # used in the next row
    above = [box for n in drawing.graph.ops if (box := drawing.layout.boxes[n.id]).bottom < last.y]

    assert last.y - max(box.bottom for box in above) < 120


def test_a_line_that_ran_in_several_pieces_is_one_line():
    drawing = drawn("""class Neuron:
    def __init__(self, k): self.w = [torch.tensor(.1 * i - k / 9, requires_grad=True) for i in range(4)]
    def __call__(self, x):
        act = sum(w * v for w, v in zip(self.w, x))
        return act.tanh()
neurons = [[Neuron(k) for k in range(4)], [Neuron(k) for k in range(4)]]
def net(x):
    for layer in neurons:
        x = [n(x) for n in layer]
    return x[0]
loss = sum((net([a, 1., 2., -1.]) - 1) ** 2 for a in range(4))
loss""")

    assert {drawing.fold.scopes[id].path for id in drawing.fold.boxes} == {"lines 4-5", "line 11"}


def test_a_module_beside_lines_with_modules_in_them_is_a_box():
    drawing = drawn("""enc = nn.LSTM(2, 3); dec = nn.LSTMCell(3, 3); out = nn.Linear(3, 2)
_, (h, c) = enc(torch.ones(3, 1, 2))
h, c = h[0], c[0]
loss, x = 0, torch.zeros(1, 3)
for t in range(3):
    h, c = dec(x, (h, c))
    loss = loss + out(h).pow(2).mean()
    x = h
loss""")

    assert "enc" in {drawing.fold.scopes[id].path for id in drawing.fold.boxes}
    assert drawing.layout.height < 900


def test_lines_of_real_torch_are_folded_where_they_are_known():
    torch = pytest.importorskip("torch")
    from minigrad import graph

    with graph.scopes():
        drawing = picture("highway", torch)

    assert {scope.path for scope, _ in boxed(drawing)} == {"lines 4-6", "line 7"}


def piece(number, outer=""):
    return Piece(number, f"line {number}", outer, (f"{number}",))


@pytest.mark.parametrize(("ran", "found"), [
    ([1, 2, 3, 4], []),
    ([1, 3, 4, 3, 4, 9], [[3, 4], [3, 4]]),
    ([1, 3, 5, 3, 4, 4, 5, 3, 4, 4, 4, 5, 6], [[3, 5], [3, 4, 4, 5], [3, 4, 4, 4, 5]]),  # a loop in a loop
    ([2, 2, 2], []),  # one line, which has its box
    ([4, 5, 3, 4, 5, 3, 4, 5], [[4, 5], [3, 4, 5], [3, 4, 5]]),  # the first turn left a line out
    ([3, 4, 0, 3, 4, 3, 4], [[3, 4], [3, 4], [3, 4]]),
    ([3, 4, 3, 4, 8, 9, 8, 9, 8, 9], [[3, 4], [3, 4], [8, 9], [8, 9], [8, 9]]),
    ([18, 19, 20, 18], [])])
def test_a_turn_ends_where_the_text_jumps_back(ran, found):
    assert [[p.number for p in turn] for turn in turns([*map(piece, ran)])] == found


def test_a_turn_stays_in_one_module():
    known = [piece(1, "a"), piece(2, "a"), piece(1, "b"), piece(2, "b")]

    assert [*turns(known)] == [known[:2], known[2:]]


@pytest.mark.parametrize(("numbers", "text"), [
    ([4], "4"), ([6, 4, 5], "4-6"), ([12, 14, 12], "12-14"), ([50, 10, 11], "10-11, 50")])
def test_numbers_of_lines_far_apart_are_told_apart(numbers, text):
    assert spans(numbers) == text


def test_a_line_that_is_one_call_keeps_the_box_of_the_call():
    def scopes(line):
        networks.CODE["one line"] = f"x = torch.ones(2, 3, requires_grad=True); t = torch.tensor([0, 1])\n{line}\ny"
        graph = networks.run("one line", minigrad, read)[0]
        del networks.CODE["one line"]
        return [(s.kind, s.path or s.name) for s in by_lines(graph).scopes]

    assert scopes("y = F.cross_entropy(x, t)") == [("call", "cross_entropy")]
    assert scopes("y = F.cross_entropy(x, t) * 2") == [("call", "cross_entropy"), ("line", "line 2")]
    assert scopes("y = x.exp().sum() + sum((k * x).sum() for k in (2, 3))") == [("line", "line 2")]


EXPERTS = """class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.each = nn.ModuleList([nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4)) for _ in range(3)])
    def forward(self, x):
        scores = F.softmax(self.gate(x), dim=-1)
        out = torch.zeros(5, 4)
        for k, expert in enumerate(self.each):
            weight = (scores * scores)[:, k].unsqueeze(1)
            out = out + weight * expert(x)
        return out, (scores.mean(0) * scores.mean(0)).sum()
net = Experts(); x = torch.ones(5, 4); out, load = net(x)
loss = F.mse_loss(out, x) + 0.01 * load
loss"""


@pytest.mark.parametrize("view", VIEWS)
def test_a_line_holds_the_layers_that_it_calls_and_a_turn_of_a_loop_its_modules(view, monkeypatch):
    monkeypatch.setitem(networks.CODE, "experts", EXPERTS)
    graph = networks.run("experts", minigrad, read)[0]
    drawing = picture("experts", view=view)
    scopes = {s.id: s for s in by_lines(graph).scopes}
    inside = {scopes[s.parent].path for s in scopes.values() if s.kind == "module" and s.parent in scopes}

    assert {"line 7", "line 11", "lines 10-11"} <= {s.path for s in scopes.values()}
    assert {"line 7", "line 11"} <= inside
    assert drawing.layout.height <= 900
    assert "line 11" in {scope.path for scope, _ in boxed(drawing)}


LOOPS = {
    "a function in a loop": ("""W = torch.ones(3, 4, requires_grad=True)
def squash(s):
    n = (s * s).sum(-1, keepdim=True)
    return n / (1 + n) * s / (n + 1e-8).sqrt()
b = W
for r in range(3):
    c = b.softmax(1)
    s = (c * W).sin() + squash(c)
    if r < 2: b = b + squash(s).cos() * s
loss = s.sum()
loss""", {"lines 3-4", "lines 3-9"}, 0),
    "a module in a loop": ("""class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 2))
    def forward(self, y):
        return self.net(y ** 3)
f = Field(); y = torch.tensor([[2., 0.]]); h = 0.1; made = []
for k in range(4):
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    y = y + h / 6 * (k1 + 4 * k2 + k3)
    made.append(y)
loss = (torch.stack(made) - 1.).abs().mean()
loss""", {"lines 6, 10-12"}, 12)}


@pytest.mark.parametrize("name", LOOPS)
def test_a_turn_holds_what_it_calls_and_every_call_counts(name, monkeypatch):
    program, paths, calls = LOOPS[name]
    monkeypatch.setitem(networks.CODE, name, program)
    scopes = {s.id: s for s in by_lines(networks.run(name, minigrad, read)[0]).scopes}
    drawing = picture(name, view="backward")

    assert paths <= {s.path for s in scopes.values() if s.path.startswith("lines")}
    assert any(scopes[s.parent].path.startswith("lines") for s in scopes.values() if s.parent in scopes)
    assert drawing.layout.height < 900
    assert [f"4 params × {calls}"] * bool(calls) == re.findall("4 params(?! →)[^<]*", drawing.to_svg())
    test_no_way_leads_out_of_a_box_and_back(name)


WARPING = """a = torch.tensor([0., 1., 2., 1.], requires_grad=True); b = torch.tensor([0., 1.5, 1.])
D = (a.unsqueeze(1) - b.unsqueeze(0)) ** 2
R, far = {(-1, -1): torch.zeros(())}, torch.tensor(1e3)
def least(*v):
    return -torch.logsumexp(-torch.stack(v), 0)
for i in range(4):
    for j in range(3):
        R[i, j] = D[i, j] + least(R.get((i - 1, j), far), R.get((i, j - 1), far), R.get((i - 1, j - 1), far))
loss = R[3, 2]
loss"""


def test_a_line_and_the_function_that_it_calls_are_one_box_each_time_that_it_ran(monkeypatch):
    monkeypatch.setitem(networks.CODE, "warping", WARPING)
    drawing = picture("warping")
    runs = [ops for scope, ops in boxed(drawing) if scope.path == "lines 5-8"]

    assert len(runs) == 11, "the first has no function that records"
    assert {(ops[0].name, ops[-1].name, len(ops)) for ops in runs} == {("SelectBackward0", "AddBackward0", 7)}
    assert drawing.layout.height < 1100
    test_no_way_leads_out_of_a_box_and_back("warping")


def test_a_program_that_is_one_loop_is_open_though_it_is_higher_than_a_screen():
    drawing = drawn("""x = torch.ones(6, 2, requires_grad=True)
energy = sum(1 / (x[i] - x[j]).norm() ** 12 - 2 / (x[i] - x[j]).norm() ** 6 for i in range(6) for j in range(i))
energy""")

    assert drawing.fold.shown == 16
    assert len(drawing.fold.rolls) == 1


def test_expressions_that_go_on_in_a_next_line_are_whole_boxes():
    drawing = drawn("""a, b, c, d, e, f = (torch.tensor(v, requires_grad=True) for v in (1., 2., 3., .1, .2, .3))
kinetic = (0.5 * a * (c * e) ** 2
    + 0.5 * b * ((c * e) ** 2 + (d * f) ** 2
    + 2 * c * d * e * f * torch.cos(a - b)))
potential = (-(a + b) * 9.81 * c * torch.cos(e)
    - b * 9.81 * d * torch.cos(f))
loss = kinetic - potential
loss""")

    assert {scope.name for scope, _ in boxed(drawing)} == {
        "0.5 * a * (c * e) ** 2",
        "0.5 * b * ((c * e) ** 2 + (d * f) ** 2 + 2 * c * d * e * f * torch.cos(a - b))",
        "-(a + b) * 9.81 * c * torch.cos(e) - b * 9.81 * d * torch.cos(f)"}


def test_three_leaves_that_all_expressions_of_a_formula_use_are_drawn():
    drawing = drawn("""m, l, th = (torch.tensor(value, requires_grad=True) for value in (1., 2., .3))
T = 0.5 * m * (l * th.cos()) ** 2 + 0.5 * m * (l * th.sin()) ** 2; V = -m * 9.81 * l * th.cos(); loss = T - V
loss""")

    assert len(boxed(drawing)) == 3
    assert {"m", "l", "th"} == {
        t.name for t in drawing.graph.tensors if t.kind == "leaf" and t.id in drawing.layout.boxes}
