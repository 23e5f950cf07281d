"""What the documents promise: their programs print what they say, their links and numbers hold."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from minigrad.core import engine
from minigrad.core.row import TABLE
from notebooks import derivatives, picture, sync
from tests import lines

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(ROOT.glob("*.md"))
READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]
LIVE = ["torch"] if importlib.util.find_spec("torch") else []
LINK = re.compile(r"\]\(((?!https?:)[^)#]+)[^)]*\)")


def text(path: Path) -> str:
    return path.read_text("utf-8")


def tree(source: str) -> ast.Module:
    return ast.parse(text(ROOT / source))


def constant(source: str, name: str) -> ast.expr:
    """The value that a file gives to one of its names, unread."""
    [value] = [
        node.value for node in tree(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    ]
    return value


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_the_programs_of_a_readme_print_what_stands_under_them(readme: Path):
    blocks = re.findall(r"```python\n(.*?)```\n+```\n(.*?)```", text(readme), re.S)
    names: dict[str, object] = {}

    for program, output in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, names)
        assert printed.getvalue() == output

    assert blocks


def test_both_readmes_show_the_same_program_and_stay_short():
    assert picture.program("en") == picture.program("zh")
    assert all(len(text(readme).splitlines()) < 140 for readme in READMES)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", picture.PICTURES)
def test_a_picture_is_what_its_program_draws(name: str, language: str):
    """Shapes, places and words; the colours of the style sheet may move on."""
    drawn = [
        re.sub(r"<style>.*?</style>", "", svg, flags=re.S)
        for svg in (picture.path(name, language).read_text("utf-8"), picture.PICTURES[name](language))
    ]

    assert drawn[0] == drawn[1], "draw it again: python -m notebooks.picture"


def test_the_page_of_derivatives_is_what_the_table_prints():
    assert text(derivatives.PAGE) == derivatives.page(), "write it again: python -m notebooks.derivatives"


def test_nothing_in_a_rule_is_taken_for_markdown():
    """GitHub reads Markdown before TeX: a backslash before a sign is lost, `_` after one is emphasis."""
    lines = text(derivatives.PAGE).splitlines()
    rules = re.findall(r"\$(.*?)\$", "\n".join(lines))

    assert len(rules) > 300
    assert [rule for rule in rules if re.search(r"\\[^a-zA-Z]|(?<![a-zA-Z])_|[|<*~`]", rule)] == []
    assert {line.count("|") for line in lines if line.startswith("|")} == {3, 5}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_local_link_leads_somewhere(document: Path):
    missing = [link for link in LINK.findall(text(document)) if not (ROOT / link).exists()]

    assert missing == []


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_the_reading_list_tells_the_right_lengths(readme: Path):
    """Within a fifth; `make fix` makes them exact."""
    rows = [(name, said) for _, name, said, _ in lines.READING_ROW.findall(text(readme))]

    off = [
        (name, length, said) for name, said in rows
        if abs((length := len(text(ROOT / name).splitlines())) - int(said)) > 0.2 * length
    ]

    assert len(rows) >= 8
    assert off == []


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_the_engine_is_printed_as_it_runs(readme: Path):
    """In at most 30 lines; and the reading list is the heart alone, an hour and a half at most."""
    source = inspect.getsource(engine.steps)
    minutes = [int(row[4]) for row in lines.READING_ROW.finditer(text(readme))]
    listed = {name for _, name, *_ in lines.READING_ROW.findall(text(readme))}

    assert f"```python\n{source}```\n" in text(readme)
    assert len(source.splitlines()) <= 30
    assert listed == {f"minigrad/core/{file.name}" for file in ROOT.glob("minigrad/core/[a-z]*.py")}
    assert sum(minutes) <= 90


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_every_notebook_is_listed(readme: Path):
    listed = set(LINK.findall(text(readme)))

    assert {path.relative_to(sync.HERE.parent).as_posix() for pair in sync.twins() for path in pair} <= listed


def test_the_lab_opens_a_notebook_that_exists_in_both_languages():
    first = ast.literal_eval(constant("binder/local.py", "FIRST"))

    assert (ROOT / "notebooks" / "en" / first).exists()
    assert (ROOT / "notebooks" / "zh" / first).exists()


def test_every_word_of_the_makefile_is_a_row_and_every_row_a_word():
    words = re.search(r"^\.PHONY: (.*)$", text(ROOT / "Makefile"), re.M)[1].split()
    rows = [ast.literal_eval(key) for key in constant("binder/local.py", "WORDS").keys]

    assert sorted(words) == sorted(rows)


def test_every_word_of_the_makefile_is_explained():
    words = re.search(r"^\.PHONY: (.*)$", text(ROOT / "Makefile"), re.M)[1].split()

    assert [word for word in words if f"make {word}" not in text(ROOT / "CONTRIBUTING.md")] == []


def patched(source: str, hunk: str) -> str:
    """`source` after a hunk of a diff, whose place is told by the lines that it leaves or removes."""
    lines = [line or " " for line in hunk.splitlines()]
    before, after = ("".join(f"{line[1:]}\n" for line in lines if line[0] in signs) for signs in (" -", " +"))
    assert f"\n{source}".count(f"\n{before}") == 1, before
    return f"\n{source}".replace(f"\n{before}", f"\n{after}")[1:]


@pytest.fixture(scope="module")
def contributed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """A copy of the source with CONTRIBUTING.md's operation in it: runs a command of Python there, says its output."""
    copy = tmp_path_factory.mktemp("contributed")
    for name in ("minigrad", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    diff = re.search(r"```diff\n(.*?)```", text(ROOT / "CONTRIBUTING.md"), re.S)[1]
    _, *hunks = re.split(r"^@@ (\S+)\n", diff, flags=re.M)
    if "copysign" not in TABLE:  # who follows the walk-through has it already
        for name, hunk in zip(hunks[::2], hunks[1::2], strict=True):
            (copy / name).write_text(patched(text(copy / name), hunk), "utf-8")

    def run(*command: str) -> str:
        done = subprocess.run([sys.executable, *command], cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)},
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_the_contributed_operation_can_be_added_as_it_stands(contributed: Callable[..., str]):
    """CONTRIBUTING.md's diff finds its places in today's source, works in each way, and lacks no sample."""
    said = contributed("-c", """
import minigrad as torch

def refused(call, *args):
    try:
        call(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

x = torch.tensor([3.0, -4.0, 0.5], requires_grad=True)
y = torch.tensor([[-1.0], [2.0]], requires_grad=True)
z = x.copysign(y)
print(torch.draw(z))
print(z.grad_fn._saved_self is x, z.grad_fn._saved_result.tolist())
weight = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
first, flat = torch.autograd.grad(z, [x, y], weight, create_graph=True)
print(first.tolist(), flat.tolist(), torch.autograd.grad(first.sum(), x)[0].tolist())
print(torch.copysign(x, -2), (x * 1).copysign_(True), x.detach().clone().copysign_(y.detach()[1]), sep="\\n")
n = torch.tensor([1, -2, 0])
print(n.copysign(-1), n.copysign(n.short()), x.half().copysign(2.5).dtype, x.copysign(y.double()).dtype)
for call in (torch.copysign, torch.Tensor.copysign, torch.Tensor.copysign_):
    print(refused(call, x.detach(), "a").partition(":")[0])
print(refused(torch.copysign, x, torch.ones(2)))
print(refused(n.copysign_, 2.5), refused(torch.ones(3).copysign_, y), sep="\\n")
print(torch.core.row.TABLE["copysign"].tex("self"))
""")
    confirmed = contributed("-m", "pytest", "-q", "-c", os.devnull, "--rootdir", ".", "tests/test_table.py",
                            "-k", "copysign or has_a_sample")

    # from 3.13 on Python keeps the text of `-c`, and the picture names its line
    named = "  line 12: z = x.copysign(y)"
    assert said.replace(named, "") == r"""z (2, 3) = [[−3, −4, … ×6]]  CopysignBackward0{result, self}
├─0 x (3,) = [3.00, −4.00, 0.50]  AccumulateGrad  .grad None
└─1 y (2, 1) = [[−1], [2]]  AccumulateGrad  .grad None
True [[-3.0, -4.0, -0.5], [3.0, 4.0, 0.5]]
[3.0, -3.0, 3.0] [[0.0], [0.0]] [0.0, 0.0, 0.0]
tensor([-3.0000, -4.0000, -0.5000], grad_fn=<CopysignBackward1>)
tensor([3.0000, 4.0000, 0.5000], grad_fn=<CopysignBackward1>)
tensor([3.0000, 4.0000, 0.5000])
tensor([-1., -2., -0.]) tensor([ 1., -2.,  0.]) torch.float16 torch.float64
TypeError
TypeError
TypeError
RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0
RuntimeError: result type Float can't be cast to the desired output type Long
RuntimeError: output with shape [3] doesn't match the broadcast shape [2, 3]
\bar y \odot \left(\begin{cases}0 & x = 0 \\ \frac{y}{x} & \text{else}\end{cases}\right)
"""
    assert "9 passed" in confirmed


@pytest.mark.parametrize("oracle", LIVE)
def test_the_contributed_operation_is_pytorchs(contributed: Callable[..., str], oracle: str):
    """Value, type, node, what that saves, gradient, second derivative and error, of many kinds of operands."""
    assert contributed("-c", f"""
import itertools, {oracle}, minigrad
from tests.oracle.expressions import differences, expressions, observe

kinds = "(x-0.5) x[0,0] (y-0.5) (v-0.5) x.double() x.detach().half() i i.bool() (-i).to(torch.int8)".split()
forms = ["torch.copysign({{}}, {{}})", "{{}}.copysign(other={{}})", "{{}}.clone().copysign_({{}})"]
numbers = ["-2", "2.5", "True", "-0.0", "float('nan')", "float('-inf')"]
tried = [form.format(a, b) for form, a, b in itertools.product(forms, kinds, kinds + numbers)]
tried += [line for line in expressions() if "copysign" in line] + ["torch.copysign(x, v2[:1].repeat(3))"]
for expression in tried:
    for line in differences(observe({oracle}, expression), observe(minigrad, expression)):
        print(expression, line)
print(len(tried))
""") == "409\n"


def entry_as_a_module(venv: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("local", ROOT / "binder" / "local.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.VENV = str(venv)
    return module


def test_a_python_that_is_too_old_is_told_which_to_get(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    local = entry_as_a_module(tmp_path / "venv")
    local.OLDEST = (9, 9)
    monkeypatch.setattr("shutil.which", lambda name: None)

    with pytest.raises(SystemExit, match=r"needs Python 9\.9 or newer") as refusal:
        local.main("lab")

    assert "brew install python" in str(refusal.value)
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize("offline", [False, True])
def test_where_wheels_lie_ready_no_network_is_asked(offline: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    local = entry_as_a_module(tmp_path / "venv")
    local.VENV, local.WHEELS, said = str(tmp_path), str(tmp_path / "wheelhouse"), []
    monkeypatch.setattr(local, "run", lambda *words: said.append(words))
    if offline:
        (tmp_path / "wheelhouse").mkdir()
    local.install(["lab"])

    assert ("--no-index" in said[0]) is offline
    assert said[0][-2:] == ("--editable", ".[lab]")


def test_an_unknown_word_is_answered_with_the_words(tmp_path: Path):
    local = entry_as_a_module(tmp_path / "venv")

    with pytest.raises(SystemExit, match=r"lab\|test\|check"):
        local.main("labs")


def test_the_entry_can_be_read_by_pythons_too_old_to_run_it():
    """It must get as far as its message: no f-string, no annotation, nothing since Python 3.3."""
    entry = tree("binder/local.py")
    newer = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.Match, ast.AsyncFunctionDef)
    functions = [node for node in ast.walk(entry) if isinstance(node, ast.FunctionDef)]

    assert not [node for node in ast.walk(entry) if isinstance(node, newer)]
    assert not [node.name for node in functions if node.returns or node.args.kwonlyargs]


def test_every_sentence_is_said_in_both_languages():
    catalogues = [tomllib.loads(text(file)) for file in (ROOT / "minigrad" / "text").glob("*.toml")]
    pairs = [pair for catalogue in catalogues for section in catalogue.values() for pair in section.values()]
    blanks = re.compile(r"(?<!\{)\{(\w+)")

    assert all(set(pair) == {"en", "zh"} for pair in pairs)
    assert [
        pair for pair in pairs
        if set(blanks.findall(pair["en"])) != set(blanks.findall(pair["zh"]))
    ] == []


def test_lines_of_code_leave_out_space_comments_and_docstrings():
    source = '"""A module."""\n\n# why\nx = """two\nlines"""\n\ndef f():\n    "doc"\n    return x\n'

    assert lines.code_lines(source) == 4


def test_every_room_is_counted_and_the_budgets_are_those_of_the_page():
    said = re.findall(r"^\| (.+) \| ([\d ]+) \| ([\d ]+) \|$", text(ROOT / "ARCHITECTURE.md"), re.M)

    assert sum(lines.rooms().values()) == lines.python_lines("**/*.py")
    assert {what: tuple(int(n.replace(" ", "")) for n in numbers) for what, *numbers in said} == {
        what: (budget, most) for what, (_, budget, most) in lines.BUDGETS.items()}
