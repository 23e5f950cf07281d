"""What ran after a cut, drawn grey under `watch`, `%%graph`, `%%step`: each operation, its lines, where it went in."""

import gc
import linecache
import random
import re
import weakref
from contextlib import nullcontext

import pytest

import minigrad as torch
from minigrad.autograd import forward_ad
from minigrad.core.beside import ledger
from minigrad.core.modes import is_grad_enabled
from minigrad.graph import ghosts, read, read_torch, scopes
from minigrad.graph.followed import Followed, so_far, written
from minigrad.graph.forward import Notes
from minigrad.viz.board import Board

LEAF = "w = torch.tensor([1., 2.], requires_grad=True)"


@pytest.fixture(autouse=True)
def nothing_noted():
    for noted in (ledger.places, ghosts.known, ghosts.takers, ghosts.ledger_counts, ghosts.watches):
        noted.clear()


def followed(*lines, library="minigrad"):
    """The names of a program that somebody looked at, and the graph behind its loss."""
    other = library == "torch"
    program = Followed("\n".join([LEAF, *lines]), {"torch": pytest.importorskip("torch") if other else torch})
    with scopes() if other else nullcontext():
        error = program.run()
    assert error is None, error
    names = program.tensors()
    return program, (read_torch if other else read)(names["loss"], names=names)


def told(graph):
    """Kind, line, what it computed with, and where it went in, of each card."""
    names = {t.id: t.name for t in graph.tensors}
    return [(cut.kind, cut.line[0], cut.ran, cut.after, *(names[t] for t in [cut.tensor] if t), *cut.into)
            for cut in graph.cuts]


@pytest.mark.parametrize(("lines", "cards"), [
    (["y = w * 3", "d = y.detach()", "e = d * 2", "f = e.exp()", "loss = (f * w).sum()"],
     [("detach()", 3, False, ()), ("mul", 4, True, ("c1",)), ("exp", 5, True, ("c2",), "f")]),
    (["with torch.no_grad():", "    t = (w * 3).exp()", "    t = t + 1", "loss = ((w - t) ** 2).sum()"],
     [("no_grad()", 3, False, ()), ("add", 4, True, ("c1",), "n3:1")]),
    (["with torch.no_grad():", "    h = w * 2", "    loss = h.sum()"],  # nothing leads to w
     [("no_grad()", 3, False, ()), ("sum", 4, True, ("c1",), "loss")]),
    (["h = w.detach()", "for _ in range(20):", "    h = torch.tanh(h)", "    h = h * 1.5", "loss = (h + w).sum()"],
     [("detach()", 2, False, ()), ("tanh × 20", 4, True, ("c1",)), ("mul × 20", 5, True, ("c2",), "n2:0")]),
    (["k = w > 1", "loss = torch.where(k & k, w, 0.).sum()"],
     [(">", 2, False, ()), ("bitwise_and", 3, True, ("c1",), "n2:2")]),
    (["p = torch.softmax(w.detach(), 0)", "q = torch.log_softmax(w, 0)",
      "loss = torch.nn.functional.kl_div(q, p, reduction='sum')"],
     [("detach()", 2, False, ()), ("softmax", 2, True, ("c1",), "p"), ("xlogy", 4, True, ("c2",), "n2:0")]),
    (["class Twice(torch.autograd.Function):", "    @staticmethod", "    def forward(ctx, x): return (x * 2) * 1",
      "    @staticmethod", "    def backward(ctx, g): return g * 2", "d = Twice.apply(w.data)", "loss = (w + d).sum()"],
     [(".data", 7, False, ()), ("Twice.apply", 7, True, ("c1",), "n2:1")]),
    (["net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))",  # its weights are not
      "def f(x):", "    h = net[:2](x)", "    return net[2](h)",  # of this graph
      "with torch.no_grad():", "    t = f(torch.ones(1, 2))", "loss = (w * t).sum()"],
     [("no_grad()", 4, False, ()), ("addmm", 5, True, ("c1",), "t")]),
    (["def f(x):", "    with torch.no_grad():", "        a = x.exp()", "    return a", "loss = (w - f(w)).sum()"],
     [("no_grad()", 4, False, (), "n2:1")])])
def test_what_ran_after_a_cut_stands_between_it_and_what_took_it(lines, cards):
    assert told(followed(*lines)[1]) == cards


@pytest.mark.parametrize(("lines", "cards"), [
    (["y = w * 3", "d = y.detach()", "e = d * 2", "f = e.exp()", "loss = (f * w).sum()"],
     [("detach()", 3, False, ()), ("mul", 4, True, ("c1",)), ("exp", 5, True, ("c2",), "f")]),
    (["with torch.no_grad():", "    h = w * 2", "    loss = h.sum()"],
     [("no-grad mode", 3, False, ()), ("sum", 4, True, ("c1",), "loss")]),
    (["i = (w.argmax() + 1) % 2", "loss = w[i]"],
     [("argmax()", 2, False, ()), ("add, remainder", 2, True, ("c1",), "n1:1")]),
    (["loss = torch.where(w > 1, w, 0.).sum()"], [(">", 2, False, (), "n2:2")]),  # the number is at the empty edge
    (["loss = (w * (w > 1)).sum()"], [(">", 2, False, (), "n2:1")]),
    (["d = w.data", "loss = torch.nn.functional.mse_loss(w, d.tanh())"],
     [(".data", 2, False, ()), ("tanh", 3, True, ("c1",), "n1:1")]),
    (["loss = (w * torch.zeros_like(w)).sum() + w.grad if w.grad else w.sum()"], []),
    (["with torch.no_grad():", "    w -= 0.1 * w", "loss = (w * 2).sum()"], [])])
def test_cuts_of_real_torch_are_seen_inside_scopes(lines, cards):
    assert told(followed(*lines, library="torch")[1]) == cards


def test_a_long_function_after_a_cut_is_one_card_of_the_line_that_calls_it():
    body = [f"    x = x * {k}" for k in range(ghosts.LINES + 1)]
    _, graph = followed("def f(x):", *body, "    return x", "loss = (f(w.detach()) + w).sum()")

    assert told(graph)[1:] == [(f"mul × {ghosts.LINES + 1}", len(body) + 4, True, ("c1",), "n2:0")]


def test_only_what_leads_to_the_graph_is_told_and_only_while_somebody_looks():
    _, graph = followed("d = w.detach()", "e = d * 2", "unused = e.exp()", "loss = (w * d).sum()")
    assert [cut.kind for cut in graph.cuts] == ["detach()"]

    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = ((w.detach() * 2 + 1) * w).sum()
    assert all(not cut.ran for cut in read(loss).cuts)


def test_cells_that_nobody_looked_at_are_read_between_those_that_somebody_did(monkeypatch):
    monkeypatch.setattr(linecache, "cache", {})
    scope = {"torch": torch}
    for number, cell in enumerate([f"{LEAF}\nd = (w * 3).detach()", "e = d * 2", "loss = (e * w).sum()"]):
        file = f"/tmp/ipykernel_1/{number}.py"
        linecache.cache[file] = (len(cell), None, cell.splitlines(True), file)
        with nullcontext() if number == 1 else ghosts.watching():
            exec(compile(cell, file, "exec"), scope)
    (cut,) = read(scope["loss"], names={"w": scope["w"], "e": scope["e"]}).cuts
    assert (cut.kind, cut.ran, cut.tensor is not None) == ("detach()", False, True)


def random_program(seed):
    """Lines, and of each that takes it as an operand beside a tracked one: lines that cut it, and that ran then."""
    r, lines, none = random.Random(seed), [LEAF, "x = w * 1.5", "k = torch.ones(2)"], frozenset()
    env = {"w": (True, none, none), "x": (True, none, none), "k": (False, none, none)}
    truth, block = {}, 0

    def result(number, *operands):
        states = [env[name] for name in operands]
        if not block and any(tracked for tracked, *_ in states):
            return True, none, none
        if known := [s for s in states if not s[0] and s[1]]:
            return False, none.union(*(s[1] for s in known)), none.union([number], *(s[2] for s in known))
        return False, none | ({number} if block and any(s[0] for s in states) else none), none

    for _ in range(r.randint(8, 24)):
        if not block and r.random() < 0.15:
            lines.append("with torch.no_grad():")
            block = r.randint(1, 4) + 1
        block, number = max(0, block - 1), len(lines) + 1
        name, a, b = r.choice("abcdefg"), r.choice([*env]), r.choice([*env])
        if r.random() < 0.25 and env[a][0]:
            more = r.choice(["", ".exp()"])
            text, state = f"{a}.detach(){more}", (False, none | {number}, none | ({number} if more else none))
        elif r.random() < 0.4:
            text = r.choice(["{a}.exp()", "{a} * 2", "1 - {a}", "{a}.view(2)", "{a}[[1, 0]]", "torch.softmax({a}, 0)"])
            state = result(number, a)
        else:
            text = r.choice(["{a} * {b}", "{a} - {b}", "torch.stack([{a}, {b}])[0]", "torch.maximum({a}, {b})",
                             "torch.nn.functional.mse_loss({a}, {b}, reduction='none')"])
            state, pair = result(number, a, b), (env[a], env[b])
            if state[0] and pair[0][0] != pair[1][0] and (taken := pair[pair[0][0]])[1]:
                truth[number] = taken[1:]
        lines.append(" " * (block > 0) + f"{name} = {text}".format(a=a, b=b))
        env[name], block = state, 0 if block == 1 else block
    return [*lines, "loss = " + " + ".join(f"{name}.sum()" for name, s in env.items() if s[0])], truth


def above(graph, cut):
    """A card with all that it comes from."""
    by_id, found, todo = {one.id: one for one in graph.cuts}, {}, [cut]
    for one in todo:  # grows
        found[one.id] = one
        todo += [by_id[id] for id in one.after if id not in found]
    return found.values()


@pytest.mark.parametrize("library", ["minigrad", "torch"])
@pytest.mark.parametrize("start", range(0, 30, 10))
def test_the_cards_of_random_programs_are_what_each_operand_came_from(start, library, monkeypatch):
    monkeypatch.setattr(ghosts, "LINES", 99)
    monkeypatch.setattr(ghosts, "FEW", 99)
    taken = 0
    for seed in range(start, start + 10):
        lines, truth = random_program(seed)
        _, graph = followed(*lines[1:], library=library)
        ends = {t: [(n.line[0], e) for n in graph.ops for e in n.edges if e.tensor == t] for t in
                {cut.tensor for cut in graph.cuts} - {None}}
        found = {}
        for cut in graph.cuts:
            for line in {*[graph.node(id.partition(":")[0]).line[0] for id in cut.into],
                         *[line for line, _ in ends.get(cut.tensor, ())]}:
                found.setdefault(line, []).extend(above(graph, cut))
        for line, cards in found.items():
            cuts, ran = ({c.line[0] for c in cards if c.ran == which} for which in (False, True))
            assert cuts == truth[line][0], (seed, line)
            assert ran - cuts <= truth[line][1] <= ran | cuts, (seed, line)
        drawn = {n.line[0] for n in graph.ops}
        assert found.keys() == truth.keys() & drawn, seed
        taken += len(found)
    assert taken > 2


def test_looking_changes_nothing_and_keeps_nothing_alive():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with ghosts.watching():
        with torch.no_grad():
            assert not is_grad_enabled()
            y = w * 2
        z = y.exp() + 1
        assert (y.requires_grad, z.requires_grad, is_grad_enabled()) == (False, False, True)
        torch.set_grad_enabled(False)
        inner = w * 2
        inner.add_(1)
    assert (is_grad_enabled(), inner.requires_grad) == (False, False)
    torch.set_grad_enabled(True)
    alive = weakref.ref(z), weakref.ref(y)
    del y, z, inner
    gc.collect()
    assert [r() for r in alive] == [None, None]
    assert not ghosts.known
    assert torch.tensor(1.0, requires_grad=True).exp().grad_fn is not None


def test_what_goes_on_for_ever_forgets_how_it_began():
    w, total = torch.ones(1, requires_grad=True), torch.zeros(1)
    with ghosts.watching():
        for _ in range(ghosts.MOST + 50):
            total = total + w.detach()
        loss = (total * w).sum()
    assert len(ghosts.upstream([ghosts.ghost_of(total)])) <= 2 * ghosts.MOST + 1
    assert [(cut.kind.split(" ×")[0], cut.ran) for cut in read(loss).cuts] == [("detach()", False), ("add", True)]


def test_pictures_draw_it_grey_and_graphviz_beside_them():
    program, _ = followed("d = w.detach()", "e = d * 2", "loss = (e * w).sum()")
    drawing = torch.draw(program.scope["loss"], names=program.tensors())
    svg, dot = drawing.to_svg(), drawing.source.source

    assert (svg.count('class="mg-ghost" data-id='), svg.count('class="mg-scissors" data-id=')) == (2, 1)
    assert "ran without a grad_fn" in svg
    assert 'class="mg-edge mg-cutting" data-id="c2:0"' in svg
    assert '"c1" -> "c2"' in dot.replace("c1 -> c2", '"c1" -> "c2"')
    assert dot.count("✂") == 1


def test_a_closed_box_hides_what_was_cut_and_computed_inside():
    lines = ["class Net(torch.nn.Module):", "    def forward(self, x):", "        h = x * 2",
             "        d = h.detach() * 2", "        return h * d", "net = Net()", "loss = net(w * 3).sum()"]
    program, graph = followed(*lines)
    assert [cut.kind for cut in graph.cuts] == ["detach()", "mul"]
    pictures = [torch.draw(program.scope["loss"], names=program.tensors(), **options).to_svg()
                for options in ({"level": "ops"}, {"level": "modules"})]
    assert [len(re.findall(r'data-id="(?:scissors:)?c\d"', svg)) for svg in pictures] == [3, 0]


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_a_closed_box_hides_also_what_was_cut_off_there_and_is_gone(library):
    lines = ["class Net(torch.nn.Module):", "    def forward(self, x):", "        q = x.exp()",
             "        return x + (q - x).detach()", "net = Net()", "x = w * 3", "loss = net(x).sum()"]
    program, graph = followed(*lines, library=library)
    (cut,) = graph.cuts
    assert (cut.kind, cut.node, graph.scopes[0].name) == ("detach()", None, "Net")
    pictures = [torch.draw(program.scope["loss"], names=program.tensors(), level=level).to_svg()
                for level in ("ops", "modules")]
    assert [len(re.findall(r'data-id="(?:scissors:)?c\d"', svg)) for svg in pictures] == [2, 0]


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_what_is_cut_off_between_two_modules_is_in_none_of_them(library):
    _, graph = followed("net = torch.nn.Linear(2, 2)", "h = net(w * 3)", "loss = net((h - w).detach() + h).sum()",
                        library=library)
    assert [(cut.kind, cut.scope) for cut in graph.cuts] == [("detach()", "")]


def test_the_board_of_a_followed_program_grows_by_what_runs_after_a_cut():
    program = Followed(f"{LEAF}\nwith torch.no_grad():\n    h = w * 2\n    loss = h.sum()", {"torch": torch})
    graph, made, error = written(program)
    assert error is None
    assert [[cut.kind for cut in so_far(graph, [], program.ran[:i]).cuts] for i in range(len(program.ran) + 1)] == [
        [], [], [], ["no_grad()"], ["no_grad()", "sum"], ["no_grad()", "sum"]][:len(program.ran) + 1]
    board = Board(program, graph, made, False)
    pictures = [str(board.board(i)).count("mg-ghost\\\"") + str(board.board(i)).count('mg-ghost"') for i in (2, 3, 4)]
    assert pictures == [0, 1, 2]


def test_a_panel_sees_cells_that_run_by_themselves():
    with torch.watch() as panel:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        d = w.detach() * 2
        panel.refresh()
    assert [cut.kind for cut in panel.drawing.graph.cuts if cut.ran] == ["mul"]
    assert type(d) is torch.Tensor
    assert type(torch.autograd.grad_mode).__name__ == "module"


def test_two_names_of_one_storage_name_no_constant():
    x = torch.tensor([1.0, 2.0], requires_grad=True) * 2
    b, f = x.detach(), x.detach()
    loss = (x / b).sum()
    assert {t.name for t in read(loss, names={"b": b, "f": f}).tensors if t.kind == "constant"} <= {None, "b"}
    assert [t.name for t in read(loss, names={"b": b}).tensors if t.kind == "constant"] == ["b"]


def test_hooks_for_what_is_saved_leave_a_tangent_where_it_is():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(2))
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = dual * dual
        assert forward_ad.unpack_dual(y).tangent.tolist() == [2.0, 4.0]


def test_a_file_of_which_nobody_knows_the_text_is_drawn_with_its_lines_numbers():
    code = compile("y = w.detach() * 2\nloss = (y * w).sum()", "<gone>", "exec")
    linecache.cache.pop("<gone>", None)
    scope = {"w": torch.tensor([1.0, 2.0], requires_grad=True)}
    with ghosts.watching():
        exec(code, scope)
    assert [(cut.kind, cut.line) for cut in read(scope["loss"]).cuts] == [("detach()", (1, "")), ("mul", (1, ""))]


def test_in_a_player_each_card_appears_with_its_line():
    program = Followed(f"{LEAF}\nd = w.detach()\ne = d * 2\nf = e.exp()\nloss = (f * w).sum()", {"torch": torch})
    notes = Notes()
    assert notes.run(program) is None
    scene = torch.step(program.scope["loss"], preview=True, forward=notes).scene
    events = scene["forward"]
    lines = [events[len(events) + scene["born"][f"c{i}"]]["at"][1] for i in (1, 2, 3)]
    assert lines == [2, 3, 4]


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_backward_numbers_no_node_that_only_a_cut_led_to(library):
    lines = ["y = w * 3", "z = (y + w).sum()", "e = y.detach() * 2", "loss = e.sum()"]
    scope = followed(*lines, library=library)[0].scope
    alone, both = (torch.draw(*[scope[name] for name in names], view="backward")
                   for names in (("loss",), ("loss", "z")))

    assert [n.name for n in alone.graph.nodes] == ["MulBackward0", "AccumulateGrad"]
    assert "element 0 of tensors does not require grad" in alone.remarks[0]
    assert not re.search('data-id="order:|Order of backward', alone.to_svg())
    assert re.findall('data-id="order:(n.)"', both.to_svg()) == ["n1", "n2", "n3", "n4"]
    if library == "minigrad":
        pushed = torch.draw(scope["loss"], view="forward", tangents=True)
        assert "pushed through 0 operations" in pushed.remarks[0]
