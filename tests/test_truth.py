"""What stands on a picture is true: labels, shapes, counts and words, for programs that no rule was written for."""

import itertools
import linecache
import re

import pytest

import minigrad
from minigrad import nn
from minigrad.core.row import TABLE
from minigrad.graph import read
from minigrad.graph.live import alike
from minigrad.viz import indented
from minigrad.viz.display import draw
from minigrad.viz.words import module
from tests import samples

EXPRESSIONS = """x + y|x - y|x * y|x / y|x ** 2|x ** y|2 ** x|2 - x|x.add(y, alpha=2)|x.sub(y, alpha=3)|x @ y|x.exp()|-x
torch.addmm(C, A, B, beta=2, alpha=3)|torch.div(x, y, rounding_mode='floor')|x // y|torch.where(c, x, y)|x.clamp(0, 1)
torch.lerp(x, y, 0.3)|x.gather(0, i)|x[i]|x[1:]|x.sort(descending=True)[0]|A.max(1)[0]|A.sum(1)|torch.cat([x, y])|A.T
torch.cat([A, B], 1)|torch.stack([x, y])|x.norm(1)|torch.addcmul(x, y, s, value=2)|x.scatter(0, i, y)
torch.maximum(x, x)|x * x|s - x|3 / x|x.masked_fill(c, 2.)|A.mean(0)|A.std()|x.softmax(0)
C.addmm(A, B)|x.unbind()[0]|x.index_add(0, i, y)"""


@pytest.mark.parametrize("written", re.split(r"[|\n]", EXPRESSIONS))
def test_a_formula_computes_what_it_is_said_to_be(written: str):
    torch = minigrad
    x, y = (torch.tensor(v, requires_grad=True) for v in ([0.5, 1.5, 2.5], [2.0, 0.25, 3.0]))
    A, B, C = (torch.arange(9.0).view(3, 3).add(k).requires_grad_() for k in range(3))
    s, c, i = torch.tensor([0.25, 0.5, 0.75]), torch.tensor([True, False, True]), torch.tensor([2, 0, 0])
    scope = {"x": x, "y": y, "s": s, "c": c, "i": i, "A": A, "B": B, "C": C, "torch": torch}
    r = eval(written, scope)
    said = read(r, names={k: v for k, v in scope.items() if v is not torch} | {"r": r}).ops[0].formula
    left, _, right = said.partition(" = ")

    if said and "…" not in right:
        right = re.sub(r"^(\w+)\(", r"torch.\1(", right.replace("·", "*").replace("−", "-"))
        several = eval(right, scope)
        value = several[0] if "," in left else several
        assert value.tolist() == r.tolist()


def test_an_operation_in_place_is_called_so_where_it_surely_was_one():
    w = minigrad.ones(2, requires_grad=True)
    h, total = w * 3, 0
    h.add_(1)
    h += w
    h *= 2
    total += h.sum()

    assert [n.op for n in draw(total).graph.ops] == ["add", "sum", "mul_", "add_", "add_", "mul"]


def test_all_outputs_are_on_the_left_of_a_formula():
    a, _, c = minigrad.ones(3, requires_grad=True).unbind()
    r = a * c

    assert draw(r).graph.ops[1].formula == ""
    assert read(r, names={"a": a, "c": c, "x": a._base}).ops[1].formula == "a, _, c = unbind(x)"


@pytest.mark.parametrize("written", ["v, i = sort(x, …)", "v, i = max(x, …)", "v, i = cummax(x, …)"])
def test_whole_numbers_that_an_operation_gives_have_their_name_in_its_formula(written: str):
    x = minigrad.tensor([3.0, 1.0, 2.0], requires_grad=True)
    v, i = eval(written[7:].replace("x, …", "0"), {name: getattr(x, name) for name in ("sort", "max", "cummax")})

    assert read(v, names={"x": x, "v": v, "i": i}).ops[0].formula == written
    assert read(v, names={"x": x, "v": v}).ops[0].formula == written.replace("i", "_", 1)


class Shared(nn.Module):
    """An embedding whose weight is that of the last layer too."""

    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, i):
        return self.out(minigrad.tanh(self.emb(i)))


def boxes(drawing):
    """(class, path, shapes, chips) of the closed boxes."""
    known = [module(drawing.fold, id, {}) for id in drawing.fold.boxes]
    return {(m.title, m.path, m.shapes, *((chip.name, chip.shape) for chip in m.chips)) for m in known}


def test_a_module_with_a_shared_weight_keeps_its_own_name_and_no_weight_is_what_came_in():
    net = Shared()
    loss = net(minigrad.tensor([1, 3])).sum()

    assert boxes(draw(loss)) == {("Embedding", "emb", "→ (2, 3)"), ("Linear", "out", "(2, 3) → (2, 5)")}
    assert [s.path for s in read(loss, names={"w": net.emb.weight}).scopes if s.kind == "module"] == [
        "", "emb", "out"]


def test_a_leaf_that_comes_in_is_no_parameter_of_the_module():
    x = minigrad.ones(4, 2, requires_grad=True)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    drawing = draw(net(x).sum())

    assert ("Linear", "0", "(4, 2) → (4, 3)", ("weight", "(3, 2)"), ("bias", "(3,)")) in boxes(drawing)
    assert drawing.graph.roots[0] in drawing.layout.boxes
    assert any(t.name == "x" and t.id in drawing.layout.boxes for t in drawing.graph.tensors)


def test_what_is_read_to_the_blind_says_the_order_and_what_is_left_out():
    x = minigrad.ones(2, requires_grad=True)
    y = x * 2
    for _ in range(50):
        y = (y - 1) / 0
    said = re.search(r"<desc>(.*?)</desc>", draw(y, view="forward", fold=False).to_svg())[1]

    assert "NaN or Inf" in said
    assert "Order of backward: DivBackward0, SubBackward0, " in said
    assert said.endswith("… +62.")
    assert "→" not in said.partition("Order")[2]


def test_a_text_says_how_many_nodes_it_leaves_out_only_where_it_does():
    x = minigrad.ones(2, requires_grad=True)
    y = x * 1
    for _ in range(20):
        y = y + x

    assert indented.tree(read(y)).endswith("\n…")


def test_without_numbers_backward_does_not_start_with_one_where_it_was_told_another():
    x = minigrad.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward()
    picture = draw(y, view="backward", gradient=minigrad.tensor(3.0)).to_svg()

    assert re.findall(r'data-slot="seed:n1">([^<]*)<', picture) == ["3"]


def test_turns_that_begin_anew_are_no_turns_of_one_loop():
    w, made = minigrad.tensor(0.5, requires_grad=True), []
    for length in (5, 2, 9):
        s = minigrad.tensor(1.0)
        for _ in range(length):
            s = minigrad.tanh(s * w)
        made.append(s)
    drawing = draw(minigrad.stack(made).sum())

    assert sorted(len(r.turns) for r in drawing.graph.repeats) == [5, 9]
    assert "The loop ran 9 times: 34 ops drawn as 18" in " ".join(drawing.to_svg().split())


def test_turns_after_a_first_that_records_less_are_drawn_once_and_not_called_the_loop():
    w = minigrad.tensor(0.5, requires_grad=True)

    class Field(minigrad.nn.Module):
        def forward(self, y):
            return (y.sin() * w).tanh() - y.square() / 4

    def step(f, y):  # the first time nothing of `y` alone is recorded
        k1 = f(y)
        k2 = f(y + 0.1 * k1 / 2)
        return y + 0.1 * (k1 + k2) / 2

    f, ys = Field(), [minigrad.tensor(1.0)]
    for _ in range(6):
        ys.append(step(f, ys[-1]))
    drawing = draw(minigrad.stack(ys).sum())
    (turns,) = (r.turns for r in drawing.graph.repeats)
    first, *_, last = (drawing.graph.node(id).name for id in turns[0])

    assert (len(turns), first, last) == (5, "SinBackward0", "AddBackward0")
    assert "Drawn once, with the values of the last turn: step × 5" in " ".join(drawing.to_svg().split())


@pytest.mark.parametrize("program", [
    "hs = [h := h.tanh() * w for _ in range(9)]; y = h.sum() + hs[4].sum()",  # used outside, as no other turn is
    "a = b = w\nfor _ in range(9): a, b = b, a * 0.5 + b.tanh()\ny = b.sum()",  # what goes in was made two turns before
    "hs = []\nfor _ in range(9): h = h.tanh() * w; hs.append(h)\ny = (hs[4], h)",  # a root
])
def test_a_loop_is_not_rolled_up_where_its_last_turn_cannot_stand_for_the_others(program: str):
    scope = {"w": minigrad.ones(2, requires_grad=True), "h": minigrad.ones(2)}
    exec(program, scope)
    roots = scope["y"] if isinstance(scope["y"], tuple) else (scope["y"],)

    assert draw(*roots, names={}).fold.rolls == {}


def test_turns_from_which_another_loop_starts_by_ways_of_their_own_are_all_drawn():
    w = minigrad.ones(4, 4, requires_grad=True)
    at = [(w[n] * 2).tanh().sin().exp() for n in range(4)]
    for _ in range(5):
        a = minigrad.cat(at)
        at = [(a.sum() * w[n]).tanh().cos().sin() for n in range(4)]
    drawing = draw(minigrad.cat(at).sum(), names={})
    (roll,) = drawing.fold.rolls.values()

    assert [roll.count, len(roll.edges), len({start for _, start in roll.loops})] == [5, 4, 4]


def test_a_loop_of_which_every_turn_is_used_is_rolled_up():
    w, h, hs = minigrad.ones(2, requires_grad=True), minigrad.ones(2), []
    for _ in range(9):
        h = (h.tanh() * w).sin()
        hs.append(h)

    assert len(draw(minigrad.stack(hs).sum()).fold.rolls) == 1


LIBRARIES = pytest.mark.parametrize("library", ["minigrad", pytest.param("torch", marks=pytest.mark.oracle)])


@LIBRARIES
def test_a_picture_of_backward_leaves_no_gradient_anywhere_and_shows_what_arrives(library: str):
    torch = pytest.importorskip(library)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    known = {"h": x * 2}  # without a name
    known["h"].retain_grad()
    known["h"].grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    loss = known["h"].exp().sum()
    loss.backward(retain_graph=True)
    before = [known["h"].grad.tolist(), x.grad.tolist()]
    h = known["h"]
    drawing = draw(loss, view="backward", names={"h": h})
    loss.backward()
    again = [(known["h"].grad.tolist(), x.grad.tolist())]

    assert again == [tuple([2 * v for v in one] for one in before)]
    assert drawing.values["in:n3:0"] == "[73.9, 546.0]"
    assert library == "torch" or drawing.values["got:n3:0"] == "[7.4, 54.6]"  # torch's hooks are asked after others


@LIBRARIES
def test_a_chip_shows_what_the_hook_of_its_parameter_lets_through(library: str):
    torch = pytest.importorskip(library)
    net = torch.nn.Linear(2, 1)
    net.weight.register_hook(lambda g: g * 0)
    with minigrad.graph.scopes() if library == "torch" else minigrad.enable_grad():
        loss = net(torch.ones(1, 2)).sum()
    drawing = draw(loss, view="backward", level="modules")

    assert {drawing.values[f"chip:{t.id}"] for t in drawing.graph.tensors if t.name == "net.weight"} == {"[[0, 0]]"}


def test_parameters_in_a_list_belong_to_the_module_around_it():
    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.ws = nn.ParameterList([minigrad.ones(2) for _ in range(3)])

        def forward(self, x):
            return x * self.ws[0] * self.ws[1] + self.ws[2]

    m = Mix()

    assert boxes(draw(m(minigrad.ones(2)).sum(), level="modules")) == {("Mix", "m", "(2,)", ("3 params", "6"))}


def test_the_sum_of_one_slice_is_no_equation():
    b = minigrad.zeros(2, requires_grad=True)
    drawing = draw((minigrad.ones(1, 2) * 3 + b).sum(), view="backward")

    assert drawing.values["sum:n2:1"] == "[1, 1]"


@pytest.mark.parametrize("uses", [3, 4, 6])
def test_the_gradients_at_a_closed_box_stand_apart(uses: int):
    class Total(nn.Module):
        def forward(self, *xs):
            return sum(x * k for k, x in enumerate(xs))

    net, xs = Total(), [minigrad.ones(2, requires_grad=True) for _ in range(uses)]
    layout = draw(net(*xs).sum(), view="backward", level="modules").layout
    ys = sorted(y for id, (_, y, _) in layout.slots.items() if id.startswith("edge:") and id != "edge:n1:0")

    assert len(ys) == uses
    assert min(b - a for a, b in itertools.pairwise(ys)) >= 15


@pytest.mark.parametrize("name", [name for name, row in TABLE.items()
                                  if alike(row) and name in samples.SAMPLES])
def test_what_stands_in_these_chapters_keeps_the_shape_of_its_first_input(name: str):
    for sample in samples.SAMPLES[name]:
        args, options = sample(minigrad)
        made = TABLE[name].call(*args, **options)
        made = made[0] if isinstance(made, tuple) else made
        first = args[0] if hasattr(args[0], "shape") else args[1]
        stretched = len(made.shape) > len(first.shape) or any(m == 1 for m in first.shape)

        assert stretched or made.shape == first.shape


@LIBRARIES
def test_no_shape_is_guessed_of_what_nobody_keeps_any_more(library: str):
    torch = pytest.importorskip(library)
    net, x, known = torch.nn.Linear(3, 4), torch.ones(5, 3), {}
    logits = net(x).unsqueeze(0).unbind()[0].t().t()
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0, 1, 2, 3, 0]))
    del logits
    for when in ("before", "after"):
        graph = draw(loss).graph
        known[when] = {n.name: t.size for n in reversed(graph.ops) for t in graph.outputs(n.id) if n.name[0] in "LATU"}
        loss.backward(retain_graph=False) if when == "before" else None

    sizes = {"LogSoftmaxBackward0": "(5, 4)", "TBackward0": "(5, 4)", "UnbindBackward0": "(5, 4)",
             "UnsqueezeBackward0": "(1, 5, 4)", "AddmmBackward0": "(5, 4)"}
    assert known["before"] == sizes
    assert all(size in ("", sizes[name]) for name, size in known["after"].items())
    assert known["after"]["LogSoftmaxBackward0"] == ("" if library == "minigrad" else "(5, 4)")


WRITES = """w = minigrad.tensor([1., 2.], requires_grad=True)
h = w * 3
y = h * h
h.add_(1)
h.mul_(2)
with minigrad.no_grad(): w -= 0.5
loss = y.sum() + h.sum()
"""


def test_a_write_inside_of_a_statement_of_several_lines_is_told_by_its_own_line():
    program = "h = minigrad.ones(2, requires_grad=True) * 3\ny = h * h\nz = (y\n     + h.add_(1))\n"
    linecache.cache["<inside>"] = len(program), None, program.splitlines(keepends=True), "<inside>"
    scope = {"minigrad": minigrad}
    exec(compile(program, "<inside>", "exec"), scope)

    by = {s.by for n in draw(scope["y"]).graph.nodes for s in n.saved if s.stale}
    assert by == {(4, "+ h.add_(1))")}


def test_what_was_written_over_names_the_line_that_wrote():
    linecache.cache["<writes>"] = len(WRITES), None, WRITES.splitlines(keepends=True), "<writes>"
    scope = {"minigrad": minigrad}
    exec(compile(WRITES, "<writes>", "exec"), scope)
    drawing = draw(scope["loss"], names={name: scope[name] for name in "wyh"})
    said = re.sub("<[^>]+>", "|", drawing.to_svg())

    assert {s.by for n in drawing.graph.nodes for s in n.saved if s.stale} == {(4, "h.add_(1)")}  # the first one since
    assert said.count("line 4: h.add_(1), now @v2") == 2
    assert "overwritten, line 4" in said
    assert "overwritten, line 5" in said
    assert "|h.mul_(2)|" in said
