"""What is displayed of an error ends with the learner's line and the note; the error itself keeps all its frames."""

import subprocess
import sys
import threading
import traceback
from pathlib import Path

import pytest

import minigrad as torch
from minigrad.core.beside.lines import PACKAGE_FILES
from minigrad.graph import tracebacks

COMMON = [
    "x = torch.ones(2, requires_grad=True).detach()\n(x * 2).sum().backward()",
    "x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()",
    "x = torch.ones(2, requires_grad=True)\n(x * 2).backward()",
    "net = torch.nn.Linear(10, 2)\nnet(torch.ones(3, 7))",
    "w = torch.ones(2, requires_grad=True)\nw - 0.1 * w.grad",
]


@pytest.fixture
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance(colors="nocolor")
    tracebacks.install()
    yield shell
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("program", COMMON)
def test_a_notebook_shows_no_frame_of_ours_and_the_learners_line_last(program, shell, capsys):
    shell.run_cell(f"import minigrad as torch\n{program}")
    shown = capsys.readouterr().out.rstrip().splitlines()

    last = program.splitlines()[-1]
    assert not [line for line in shown if any(file in line for file in PACKAGE_FILES)]
    assert any(line.startswith("---->") and last in line for line in shown[-15:])
    assert "What happened" in "\n".join(shown)
    kept = [frame.filename for frame in traceback.extract_tb(sys.last_traceback)]
    assert program == COMMON[-1] or PACKAGE_FILES & {*kept}, "a debugger sees all"


def test_an_ipython_that_knows_no_notes_is_given_them(shell, capsys, monkeypatch):
    monkeypatch.setattr("IPython.version_info", (7, 34, 0, ""))
    shell.run_cell(f"import minigrad as torch\n{COMMON[0]}")

    assert capsys.readouterr().out.count("What happened") == 2, "this one knows them, and shows them besides"


@pytest.mark.parametrize("program", COMMON)
def test_a_script_shows_no_frame_of_ours(program, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import minigrad as torch\n{program}\n", "utf-8")
    package = Path(torch.__file__).parent
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=package.parent,
                         env={"PYTHONPATH": str(package.parent), "PATH": ""}, check=False)

    assert run.returncode == 1
    assert str(package) not in run.stderr
    assert program.splitlines()[-1] in run.stderr
    assert "What happened" in run.stderr.splitlines()[-2] + run.stderr.splitlines()[-1]


@pytest.mark.parametrize(("program", "said"), [
    ("from minigrad.lessons import chek", "line 1 `from minigrad.lessons import check`"),
    ("from minigrad.lessons import pictur", "`from minigrad.lessons import picture`"),
    ("from minigrad.lesson import check", "`from minigrad.lessons import check`"),
    ("from minigrad import tensr\ntensr(1)", "The nearest name is `tensor`."),
    ("unheard.backward()", "uses `unheard`, and nothing has that name now"), ("guess = B", "put it between quotes."),
    ("minigrad.tensor([1j])", "which PyTorch has and minigrad does not"),
    ("minigrad.ones(2, dtype='float32')", "PyTorch's type is torch.float32."),
    ("w = minigrad.ones(2, requires_grad=True)\nw += 1", "line 2 `with minigrad.no_grad(): w += 1`"),
    ("minigrad.zeros(2, dtype=dtype)", "uses `dtype`, and nothing has that name now"),  # no class is meant
    ("from minigrad import nn\nnn.Sequential(nn.Linear, nn.ReLU())", "parentheses are missing."),  # Linear() fails
    ("minigrad.zeros(2).to('float64')", "The type is called torch.float64."),
    ("minigrad.zeros(2)['a']", "What came in"),
    ("minigrad.nn.CrossEntropyLoss()(minigrad.ones(3), minigrad.tensor([1, 2, 0]))", "several samples need a row each"),
    ("device('cpu')", "line 1 `minigrad.device('cpu')`"),
    ("minigrad.nn.GRU(1, 1).all_weights", "PyTorch has `RNNBase.all_weights`"),
    ("from minigrad.lessons import check\ncheck('02.recall', B)", "line 2 `check('02.recall', \"B\")`")])
def test_a_slip_in_the_first_cell_of_a_lesson_is_told(program, said, shell, capsys):
    shell.run_cell("import minigrad")
    shell.run_cell(program)

    assert said in capsys.readouterr().out.rstrip().splitlines()[-1]


def test_an_import_that_is_like_nothing_is_left_alone(shell, capsys):
    for program in ("from minigrad.viz.player import qqq", "from minigrad import qqq", "import minigrad.qqq",
                    "import qqq"):
        shell.run_cell(program)
        assert "Error:" in capsys.readouterr().out.rstrip().splitlines()[-1]


@pytest.mark.parametrize("cell", ["%%graph\nx = 1\ny = x *", "%%watch\ny = x *", "minigrad.versions('y = x *')"])
def test_a_program_that_cannot_be_parsed_is_shown_by_its_line_alone(cell, shell, capsys):
    shell.run_cell("%load_ext minigrad\nimport minigrad")
    shell.run_cell(cell)
    shown = capsys.readouterr().out.rstrip().splitlines()

    assert "y = x *" in shown[-3]
    assert shown[-1] == "SyntaxError: invalid syntax"
    assert len(shown) <= 4


def test_full_tracebacks_bring_the_frames_back(shell, capsys):
    torch.full_tracebacks()
    try:
        shell.run_cell(f"import minigrad as torch\n{COMMON[2]}")
    finally:
        torch.full_tracebacks(False)

    assert "backward.py" in capsys.readouterr().out


def test_the_error_keeps_its_frames():
    with pytest.raises(RuntimeError) as caught:
        (torch.ones(2, requires_grad=True) * 2).backward()
    before = caught.value.__traceback__

    with tracebacks.shown(caught.value):
        assert len(traceback.extract_tb(caught.value.__traceback__)) == 1
    assert caught.value.__traceback__ is before


def test_the_hook_of_somebody_else_is_left_alone(monkeypatch):
    def theirs(*error):
        pass

    monkeypatch.setattr(sys, "excepthook", theirs)
    tracebacks.install()

    assert sys.excepthook is theirs


def test_an_error_that_was_mended_since_is_not_explained_again(shell, capsys):
    shell.run_cell("import minigrad as torch\nx = torch.ones(2)\nx.backward()")
    shell.run_cell("print(torch.why())")
    first = capsys.readouterr().out
    shell.run_cell("x = torch.ones(2, requires_grad=True)\nx.sum().backward()")
    capsys.readouterr()
    shell.run_cell("print(torch.why())")
    second = capsys.readouterr().out

    assert "requires_grad=True" in first
    assert "What happened" not in second
    assert "The last cell ran without an error." in second


def test_a_thread_shows_the_learners_line_and_the_note_too(monkeypatch, capsys):
    monkeypatch.setattr(threading, "excepthook", tracebacks.in_thread)
    one = threading.Thread(target=lambda: torch.ones(2) @ torch.ones(3))
    one.start()
    one.join()
    shown = capsys.readouterr().err

    assert "torch.ones(2): float32[2], torch.ones(3): float32[3]" in shown
    assert shown.startswith("Exception in thread")
    assert "in matmul" not in shown  # a frame of the package
