"""`%load_ext minigrad` and its four commands, typed into a real IPython shell."""

from __future__ import annotations

import sys

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import minigrad
from minigrad.viz import Drawing, Player


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(history_manager=None)
    shell.run_line_magic("load_ext", "minigrad")
    shell.user_ns["minigrad"] = minigrad
    shell.ex("x = minigrad.tensor([1.0, 2.0], requires_grad=True)")
    yield shell
    minigrad.set_language("en")
    InteractiveShell.clear_instance()


def test_lang_sets_the_language(shell):
    shell.run_line_magic("lang", "zh")

    assert minigrad.get_language() == "zh"


def test_an_unknown_language_is_refused_without_a_traceback(shell):
    with pytest.raises(UsageError, match="'en', 'zh' or 'both'"):
        shell.run_line_magic("lang", "fr")


def test_graph_draws_what_the_cell_ends_with(shell):
    drawing = shell.run_cell_magic("graph", "", "y = x * 2\ny.sum()\n")

    assert isinstance(drawing, Drawing)
    assert [node.name for node in drawing.graph.ops] == ["SumBackward0", "MulBackward0"]
    assert shell.user_ns["y"].tolist() == [2.0, 4.0]


def test_graph_draws_what_the_last_line_assigns_under_its_name(shell):
    drawing = shell.run_cell_magic("graph", "", "loss = (x * 2).sum()")

    assert "loss" in drawing.to_text()
    assert "loss = (x * 2).sum()" in drawing.to_text()


@pytest.mark.parametrize("line", ["y *= 2", "y: object = x * 2"])
def test_graph_draws_what_the_last_line_changes_or_annotates(shell, line):
    assert shell.run_cell_magic("graph", "", f"y = x * 1\n{line}").graph.ops[0].name == "MulBackward0"


def test_graph_draws_the_tensors_named_in_the_view_asked_for(shell):
    drawing = shell.run_cell_magic("graph", "y --view forward", "y = x * 2\nz = y * 3\n")

    assert [node.name for node in drawing.graph.ops] == ["MulBackward0"]
    assert drawing.view == "forward"


def test_graph_names_tensors_as_draw_does(shell):
    shell.ex("again = x; net = minigrad.nn.Linear(2, 1)")
    drawing = shell.run_cell_magic("graph", "", "net(x)")

    assert {"x", "net.weight", "net.bias"} <= {t.name for t in drawing.graph.tensors}


def test_step_is_a_preview(shell):
    player = shell.run_cell_magic("step", "", "loss = (x * x).sum()")

    assert isinstance(player, Player)
    assert shell.user_ns["x"].grad is None


def test_step_runs_when_told(shell):
    shell.run_cell_magic("step", "loss --run", "loss = (x * x).sum()\n")

    assert shell.user_ns["x"].grad.tolist() == [2.0, 4.0]


def test_a_cell_without_a_tensor_is_refused(shell):
    with pytest.raises(UsageError, match="let the cell end with one"):
        shell.run_cell_magic("graph", "", "n = 3")


def test_what_fails_in_the_cell_fails_here(shell):
    with pytest.raises(RuntimeError, match="The size of tensor a"):
        shell.run_cell_magic("graph", "", "x + minigrad.ones(3)")


def test_step_shows_first_how_the_lines_of_its_cell_ran(shell):
    player = shell.run_cell_magic("step", "", "k = 3\ny = x * k\n\n(y * y).sum()")

    assert [(e["at"][1], e.get("out", {}).get("text")) for e in player.scene["forward"]] == [
        (2, None), (3, "[3, 6]"), (5, "[9, 36]"), (5, "45")]  # the command is line 1
    assert player.scene["sources"][0][0] == [2, "k = 3"]
    assert player.frame == -4
    assert "_minigrad_last" not in shell.user_ns
    assert shell.user_ns["k"] == 3


def test_a_player_lists_a_cell_without_what_a_magic_runs_as(shell):
    shell.run_cell("%lang en\nplayer = minigrad.step((x * x).sum())", store_history=True)

    assert shell.user_ns["player"].scene["sources"] == [[[2, "player = minigrad.step((x * x).sum())"]]]


def test_where_import_torch_is_minigrad_each_command_runs_its_cell(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", minigrad)  # as `%torch` and `import torch` leave it
    cell = "import torch\nnet = torch.nn.Linear(2, 1)\nloss = net(torch.ones(3, 2)).sum()"

    assert shell.run_cell_magic("graph", "", cell).graph.scopes
    assert shell.run_cell_magic("step", "", cell).frame < 0
    assert shell.run_cell_magic("watch", "", cell).scene
    assert shell.run_cell_magic("versions", "", cell).scene
    assert shell.run_cell_magic("detective", "loss", cell).scene


def test_a_cell_s_statements_are_one_program_to_the_cards_of_cuts(shell):
    shell.run_cell("q, aim = x * 3, x * 5\nwith minigrad.no_grad():\n    best = aim.max()\n    goal = best + 1\n"
                   "loss = ((q - goal) ** 2).sum()\ngraph = minigrad.draw(loss, goal).graph")

    graph = shell.user_ns["graph"]
    told = {graph.tensor(cut.tensor).name: (cut.kind, cut.line) for cut in graph.cuts if cut.tensor}
    assert told["goal"] == ("no_grad()", (4, "goal = best + 1"))


def test_a_line_under_a_command_is_told_as_the_cell_shows_it(shell):
    before = shell.execution_count
    shell.run_cell("%%graph\nloss = (x * x).sum()", store_history=True)
    shell.run_cell("loss.backward()", store_history=True)
    error = shell.run_cell("loss.backward()", store_history=True).error_in_exec

    assert f"MulBackward0 (made in line 2 of In[{before}]" in str(error.__notes__)


CUTS = "a = x * 2\nwith minigrad.no_grad():\n    m = a.mean()\nloss = ((a - m) ** 2 + a.detach()).sum()"


@pytest.mark.parametrize("compiler", [None, "ipykernel"])
def test_a_cell_that_ran_again_is_drawn_with_its_latest_cuts_alone(shell, compiler):
    if compiler:  # which gives a cell of the same text the same file
        shell.compile = pytest.importorskip("ipykernel.compiler").XCachingCompiler()

    def cuts(*cells):
        for cell in cells:
            shell.run_cell(f"{cell}\ndrawn = minigrad.draw(loss)", store_history=True)
        return [cut.kind for cut in shell.user_ns["drawn"].graph.cuts]

    edited = CUTS.replace("** 2", "** 3")
    assert [cuts(CUTS), cuts(CUTS), cuts(edited), cuts(CUTS)] == [["no_grad()", "detach()"]] * 4
    assert cuts("b = a.detach()", "loss = (x * b).sum()") == ["detach()"]
    assert cuts("loss = (x * b).sum()") == ["detach()"]
    assert cuts("b = 3.0", "loss = (x * b).sum()") == []
    assert cuts("b = a.detach()", "c = b + 1", "loss = (x * c.neg()).sum()") == ["detach()"]
    assert cuts("c = x.data * 0 + 1", "loss = (x * c.neg()).sum()") == [".data"]
    assert cuts("c = 2.0", "loss = (x * c).sum()") == []
