"""Broken programs, errors and silent mistakes: the answer names the line, its edit mends the program, nothing else.

`tests/broken/*.txt` has them. `line:` is the line to blame, `check:` what holds once the program is mended, `never:`
what must not be said of it, `says:` what must; `edit: none` where no single line mends it. A silent one asks `why`
itself. Those of `correct.txt` ask, too, and nothing is to be mended in them. Those of `unknown.txt` have a mistake
that no record bears out: nothing is made up of them. Those of `torch.txt` run in real torch, which keeps no record.
"""

import ast
import gc
import importlib
import io
import keyword
import linecache
import re
import sys
import tokenize
import warnings
import weakref
from pathlib import Path

import pytest

import minigrad
from minigrad.core.beside import ledger
from minigrad.core.graph import Freed, latest
from minigrad.graph import errors, findings, notes, program
from minigrad.text import get_language, say, set_language, table

FIELDS = ("line", "alone", "check", "never", "says", "edit")
pytestmark = pytest.mark.filterwarnings("ignore")


def programs(*kinds):
    for file in (Path(__file__).parent / "broken" / f"{kind}.txt" for kind in kinds or ("errors", "silent")):
        for part in re.split(r"^== ", file.read_text("utf-8"), flags=re.M)[1:]:
            title, *lines = part.rstrip().splitlines()
            fields = {}
            while lines and (match := re.match(rf"({'|'.join(FIELDS)}): (.*)", lines[0])):
                fields[match[1]] = match[2]
                lines.pop(0)
            yield pytest.param(lines, fields, file.stem, id=f"{file.stem}: {title}")


def cells(lines):
    """A program with each statement in a cell of its own: the names of the cells, and their texts."""
    starts = [min([s.lineno] + [d.lineno for d in getattr(s, "decorator_list", ())])
              for s in ast.parse("\n".join(lines)).body]
    return {f"<ipython-input-{start}-{hash(tuple(lines))}>": "\n".join(lines[start - 1 : end - 1]) + "\n"
            for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True)}


def run(lines, name="", in_cells=False, torch=minigrad):
    """Run a program; returns its names, and what `why` says: of the error, or as the program asks."""
    texts = cells(lines) if in_cells else {name: "\n".join(lines) + "\n"}
    ledger.places.clear()
    ledger.diary.clear()
    latest.freed = Freed(None, 0)
    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "why": minigrad.why,
             "np": __import__("numpy"), "__name__": "__main__"}
    torch.manual_seed(0)
    grad_mode = minigrad.is_grad_enabled()
    try:
        for file, text in texts.items():
            linecache.cache[file] = len(text), None, text.splitlines(True), file
            exec(compile(text, file, "exec"), names)
    except Exception as error:
        names["error"] = error
        return names, minigrad.why(error)
    finally:
        minigrad.set_grad_enabled(grad_mode)
    return names, names.get("answer")


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    monkeypatch.setattr(findings, "strict", True)
    before, language = dict(ledger.places), get_language()
    yield
    ledger.diary.clear()  # its optimizers may live on in cycles, and are none of other tests
    ledger.places.clear()
    ledger.places.update(before)
    set_language(language)
    for file in [file for file in linecache.cache if file.startswith("<ipython-input")]:
        del linecache.cache[file]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("lines", "fields", "kind"), [*programs()])
def test_the_line_is_named_and_its_edit_mends_the_program(lines, fields, kind, lang):
    set_language(lang)
    names, answer = run(lines, f"<broken {hash(tuple(lines))}>")
    text = str(answer).replace(str(names.get("error", "\0")), "")  # PyTorch's own line aside

    assert ("error" in names) == (kind == "errors")
    assert kind == "errors" or fields.get("edit") == "none" or not eval(fields["check"], names)
    assert (answer.line and answer.line[1]) == int(fields["line"]), text
    assert answer.line[2] in text
    for words in filter(None, fields.get("never", "").split(" | ")):
        assert words not in text
    for words in filter(None, fields.get("says", "").split(" | ")):
        assert words in text
    if fields.get("edit") == "none":
        assert answer.edit is None
        return
    number, new = answer.edit
    assert new in text  # with its indentation: it can be pasted
    mended = [*lines[: number - 1], new, *lines[number:]]
    names, _ = run(mended, f"<mended {hash(tuple(lines))}>")
    assert "error" not in names, (new, names["error"])
    assert eval(fields["check"], names), new


@pytest.mark.parametrize(("lines", "fields", "kind"), [*programs("torch")])
def test_of_real_torch_the_program_and_its_values_tell_the_line(lines, fields, kind):
    torch = pytest.importorskip("torch")
    names, answer = run(lines, f"<torch {hash(tuple(lines))}>", torch=torch)

    assert str(answer.line and answer.line[1]).lower() == fields["line"], answer
    assert all(words in str(answer) for words in filter(None, fields.get("says", "").split(" | ")))
    assert not any(words in str(answer) for words in filter(None, fields.get("never", "").split(" | ")))
    assert (answer.edit is None) == ("check" not in fields)
    if answer.edit is not None:
        number, new = answer.edit
        names, _ = run([*lines[: number - 1], new, *lines[number:]], f"<mended {hash(tuple(lines))}>", torch=torch)
        assert "error" not in names, (new, names["error"])
        assert eval(fields["check"], names), new


def test_a_cell_of_torch_that_runs_again_is_told_what_it_needs_anew(shell):
    pytest.importorskip("torch")
    shell.run_cell("import torch, minigrad\nw = torch.ones(2, requires_grad=True)\nloss = (w * w).sum()")
    first, again = (shell.run_cell("loss.backward()").error_in_exec for _ in range(2))

    assert first is None
    assert minigrad.why(again).line[2] == "loss = (w * w).sum()"


def test_a_checkpoint_of_torch_is_not_computed_again_by_looking():
    torch, ran = pytest.importorskip("torch"), []
    x = torch.ones(2, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda t: ran.append(1) or t.exp(), x, use_reentrant=False).sum()
    y.backward()
    with pytest.raises(RuntimeError) as error:
        y.backward()
    before = len(ran)

    minigrad.why(error.value)
    assert len(ran) == before


def without_spaces(line):
    """A line as somebody in a hurry types it."""
    told = ""
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(line.strip() + "\n").readline)]
    except tokenize.TokenError:  # a statement of several lines
        return line
    for token in tokens:
        word = token.string.strip()
        apart = told[-1:].isalnum() or (told[-1:] == "_" and word), word[:1].isalnum() or word[:1] in ("_", "'", '"')
        opens = word[:1] in ("(", "[", "-") and keyword.iskeyword(re.split(r"\W", told)[-1])
        told += " " * bool(all(apart) or (word and keyword.iskeyword(word) and told) or opens) + word
    return line[: len(line) - len(line.lstrip())] + told


def at_leisure(lines):
    """A program with empty lines, comments, hints of types, and another word for `self`; where its lines are then."""
    inside = {n for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.expr | ast.stmt)
              and not hasattr(node, "body") for n in range(node.lineno + 1, node.end_lineno + 1)}
    typed, where = [], []
    for number, line in enumerate(lines, 1):
        if number not in inside and not lines[number - 2].lstrip().startswith("@"):
            typed += ["", "# now: loss.backward()"] if number % 2 else [""]
        line = re.sub(r"\bself\b", "this", re.sub(r"^( *def \w+\(.*\)):$", r'\1 -> "object":', line))
        typed.append(line if "global " in " ".join(lines) else re.sub(r"^( *[\w.]+) = ", r'\1: "object" = ', line))
        where.append(len(typed))
    return typed, where


def in_another_style(lines, number):
    """A program as somebody else writes it; where its lines are then."""
    return at_leisure(lines) if number % 2 else ([*map(without_spaces, lines)], range(1, len(lines) + 1))


def test_code_in_another_style_is_understood_as_well():
    """But for a few, whose mistake stands in a statement of several lines."""
    sample, mended = [param.values for param in programs()][::6], 0
    for k, (lines, fields, _) in enumerate(sample):
        typed, where = in_another_style(lines, k)
        line = where[int(fields["line"]) - 1]
        _, answer = run(typed, f"<typed {hash(tuple(lines))}>")
        if answer is not None and answer.line is not None:
            assert answer.line[1:] == (line, typed[line - 1].strip()), typed  # as it was typed
            number, new = answer.edit or (line, typed[line - 1])
            names, _ = run([*typed[: number - 1], new, *typed[number:]], f"<typed, mended {hash(tuple(lines))}>")
            mended += answer.edit is None if fields.get("edit") == "none" else bool(eval(fields["check"], names))

    assert mended > 0.96 * len(sample)


def over_lines(lines):
    """A program with each argument of a call on a line of its own, where a statement ends in that call."""
    typed, kinds = [], ast.Assign | ast.Expr | ast.Return
    every = [n for n in ast.walk(ast.parse("\n".join(lines))) if isinstance(n, kinds) and isinstance(n.value, ast.Call)]
    for number, line in enumerate(lines, 1):
        calls = [n.value for n in every if n.lineno == n.end_lineno == number and ";" not in line]
        given = [[n for n in [*call.args, *call.keywords] if not isinstance(n, ast.GeneratorExp)] for call in calls]
        if not given or not given[0] or not line.isascii() or len(given[0]) < len(calls[0].args):
            typed.append(line)
            continue
        indent = " " * (len(line) - len(line.lstrip()))
        parts = [f"{indent}    {line[n.col_offset : n.end_col_offset]}," for n in given[0]]
        rest = indent + line[max(n.end_col_offset for n in given[0]) :]
        typed += [line[: given[0][0].col_offset], *parts, rest]
    return typed


def test_of_a_statement_of_several_lines_the_one_to_change_is_found():
    told = mended = 0
    for lines, fields, _ in [param.values for param in programs()][::5]:
        typed = over_lines(lines)
        at = lines[int(fields["line"]) - 1]
        if fields.get("edit") == "none" or at in typed or len(typed) == len(lines):
            continue
        _, answer = run(typed, f"<over lines {hash(tuple(lines))}>")
        told += 1
        if answer is not None and answer.edit is not None:
            number, new = answer.edit
            names, _ = run([*typed[: number - 1], new, *typed[number:]], f"<over lines, mended {hash(tuple(lines))}>")
            mended += "error" not in names and bool(eval(fields["check"], names))

    assert told > 50
    assert mended > 0.75 * told


def test_nothing_is_said_of_correct_code_in_another_style():
    for number, (lines, _, _) in enumerate(param.values for param in programs("correct")):
        names, _ = run(in_another_style(lines, number)[0], "<typed>")
        said = [str(value) for value in names.values() if type(value).__name__ in ("Explanation", "Checkup")]
        assert not [text for text in said if "Fix" in text or "What happened" in text], lines


@pytest.mark.parametrize(("lines", "fields", "kind"), [*programs("correct", "unknown")])
@pytest.mark.parametrize("in_cells", [False, True])
def test_in_a_correct_or_unclear_program_nothing_is_to_be_mended(lines, fields, kind, in_cells):
    names, _ = run(lines, "<correct>", in_cells)
    answers = [value for value in names.values() if type(value).__name__ in ("Explanation", "Checkup")]

    assert "error" not in names
    assert answers
    for answer in answers:
        assert "Fix" not in str(answer)
        assert "What happened" not in str(answer)
        assert not any(words in str(answer) for words in filter(None, fields.get("never", "").split(" | ")))


def test_what_a_cell_writes_is_read_in_that_cell():
    names, _ = run(["w = torch.ones(2, requires_grad=True)", "for turn in range(2):", "    outer = 0.",
                    "    for goal in (1., 2.):", "        fast = w - 0.1 * (w * goal).exp()",
                    "        outer = outer + (w - goal).sum()", "    outer.backward()", "    w.grad = None",
                    "(w * 2).sum().backward()", "answer = why(w)"], in_cells=True)

    assert "error" not in names, names["error"]


def test_of_several_statements_on_a_line_one_can_be_left_out():
    source = program.Source("", "if w:\n    a = 1; b = 2; c = 3\n")
    edits = [source.edited((statement, "")) for statement in source.tree.body[0].body]

    assert edits == [(2, "    b = 2; c = 3"), (2, "    a = 1; c = 3"), (2, "    a = 1; b = 2")]


def test_in_a_notebook_of_one_statement_a_cell_no_other_line_is_blamed():
    named = 0
    for i in range(60):  # older cells, of a long session
        file, text = f"<ipython-input-{i}-old>", f"w = h = x = y = loss = net = {i}\n"
        linecache.cache[file] = len(text), None, [text], file
    for lines, fields, kind in (param.values for param in programs()):
        _, answer = run(lines, in_cells=True)
        for file in cells(lines):
            linecache.cache.pop(file, None)
        want = lines[int(fields.get("alone", fields["line"])) - 1].strip()  # alone: while no later cell was run
        assert answer.line is None or answer.line[2] == want, (kind, str(answer))
        named += answer.line is not None

    assert named > 0.95 * len([*programs()])  # of the others nothing is said


@pytest.mark.parametrize("program", [
    ["a, b = nn.Linear(2, 16), nn.Linear(16, 1)", "b(a(torch.relu(a(torch.randn(3, 2)))))"],  # `a` was given 2 before
    ["x = torch.ones(3)", "x.foo"],  # `floor` has the same letters
])
def test_no_line_is_changed_where_nobody_knows_to_what(program):
    names, answer = run(program, f"<unclear {hash(tuple(program))}>")

    assert "error" in names
    assert answer.edit is None


@pytest.mark.parametrize(("line", "said"), [
    ("torch.ones(5).split([2, 2])", "the parts in line 1, 2, 2, do not add up to 5"),
    ("torch.ones(3).expand(5, 4)", "a length of 3 is to become 4"),
    ("torch.einsum('bid,bij->bij', torch.ones(2, 5, 8), torch.ones(2, 7, 8))", "the letter i stands for 7"),
    ("torch.multinomial(torch.zeros(2), 1)", "draws by weights that add up to 0"),
    ("torch.func.jvp(torch.sin, (torch.ones(3),), (torch.ones(2),))", "has the shape [2], and its tensor [3]"),
    ("nn.ModuleDict({'fc.relu': nn.ReLU()})", "the name fc.relu, with a dot in it"),
    ("nn.Linear(1, 1).register_buffer('forward', torch.ones(1))", "registers forward"),
    ("torch.func.functional_call(nn.Linear(1, 1), {'fc.bias': torch.ones(1)}, (torch.ones(1),))", "module `fc` inside"),
    ("torch.eye(3) @ torch.ones(2)", "rows of 3 numbers, and the vector has 2"),
    ("torch.ones(5)[:, 0]", "more indices than there are dimensions, 1"),
])
def test_what_did_not_fit_is_named(line, said):
    names, answer = run([line], f"<unfit {hash(line)}>")

    assert "error" in names
    assert said in str(answer)


@pytest.mark.parametrize(("lines", "fields", "kind"), [*programs("told")])
def test_the_line_and_what_is_wrong_with_it_are_told(lines, fields, kind):
    """Once each, in one language."""
    _, answer = run(lines, f"<told {hash(tuple(lines))}>")

    assert answer.line[1] == int(fields["line"])
    assert fields["says"] in str(answer)


def test_no_line_of_another_program_of_the_notebook_is_blamed():
    names, _ = run([
        "old, q = nn.Linear(3, 2), nn.Linear(3, 2)", "x = torch.ones(4, 3)",
        f"F.{'kl_div'}(F.softmax(old(x), 1), F.softmax(q(x), 1)).backward()", "net = nn.Linear(3, 1)",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "for _ in range(3):", "    x = torch.randn(2, 3)", "    opt.zero_grad()", "    loss = net(x).pow(2).mean()",
        "    loss.backward()", "    opt.step()", "a, b, c = why(net), why(opt), why(loss)"], in_cells=True)

    assert not [text for text in map(str, (names["a"], names["b"], names["c"])) if "What happened" in text]


def test_an_optimizer_of_an_earlier_program_need_not_have_what_a_later_one_differentiates():
    names, _ = run([
        "net = nn.Linear(3, 1)", "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "for _ in range(2):", "    x = torch.randn(2, 3)", "    opt.zero_grad()", "    loss = net(x).pow(2).mean()",
        "    loss.backward()", "    opt.step()",
        "other, x = nn.Linear(3, 2), torch.ones(2, 3)", "loss = other(x).pow(2).mean()", "loss.backward()",
        "a, b = why(other), why(loss)"], in_cells=True)

    assert not [text for text in map(str, (names["a"], names["b"])) if "opt" in text]


def test_doctor_finds_what_a_loss_shows_before_training():
    names, _ = run([
        "net = nn.Linear(4, 5)", "x, y = torch.randn(2, 3, 4), torch.randint(0, 5, (2, 3))",
        "loss = F.cross_entropy(net(x).view(2, 5, 3), y)", "answer = torch.doctor(net, loss)"], "<before training>")

    assert "net(x).transpose(1, 2)" in str(names["answer"])


@pytest.mark.parametrize("program", [
    ["x = torch.from_numpy(np.ones(3))", "y = (x * 2).sum()", "y.backward()"],
    ["x = torch.from_numpy(np.zeros(3).astype('float32'))", "(x * 2).sum().backward()"],
])
def test_nobody_is_sent_into_the_source_of_a_library(program):
    names, answer = run(program, f"<library {hash(tuple(program))}>")

    assert "error" in names
    assert answer.edit is None
    assert ".py" not in str(answer)


def test_a_finder_that_fails_leaves_the_error_as_it_was(monkeypatch):
    def failing(*given):
        raise KeyError("a bug of ours")

    monkeypatch.setattr(findings, "strict", False)
    monkeypatch.setattr(errors, "find", failing)
    names, answer = run(["(torch.ones(2) * 2).sum().backward()"], "<failing finder>")

    assert isinstance(names["error"], RuntimeError)
    assert answer.edit is None


@pytest.mark.parametrize("line", [
    "y = (w * 2).detach(); y.sum().backward()",
    "y = w * 2; z = y.exp(); z += 1; z.sum().backward()",
])
def test_a_finding_keeps_no_tensor_alive(line):
    names, answer = run(["w = torch.ones(2, requires_grad=True)", line], "<weak>")
    gone = weakref.ref(names["y"])
    names.pop("error").with_traceback(None)
    names.clear()
    gc.collect()

    assert answer.line[1] == 2
    assert gone() is None


def test_each_blank_of_a_sentence_is_filled_by_every_rule_that_says_it():
    rules = {name: rule for name, rule in table("rules").items() if rule["error"][0] != "^"}  # asked with more facts
    for name, rule in rules.items():
        groups = {f"{kind}{i}" for kind, key in (("e", "error"), ("c", "code"))
                  for i in range(1, re.compile(re.sub(r"\{(e\d|\.|,|class)\}", "x", rule.get(key, "(.*)"))).groups + 1)}
        groups |= {"place", "source", "given", "old", "operands", "node"} | {*re.compile(rule["error"]).groupindex}
        for lang in ("en", "zh"):
            assert say(f"cause.{name.partition('.')[0]}", lang, **dict.fromkeys(groups, "")), name  # else a KeyError


def test_no_rule_can_read_the_lines_of_a_block_in_many_ways():
    doubtful = r"\\\d \+\[\^\\n\]\*"  # the indentation of each line may end anywhere: 20 lines take for ever

    assert re.search(doubtful, r"(?:\1 +[^\n]*\n)*")
    assert [name for name, rule in table("rules").items() if re.search(doubtful, rule.get("code", ""))] == []


def test_a_long_block_does_not_keep_why_busy():
    names, answer = run([
        "net = nn.Linear(2, 1)", "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "for i in range(3):", "    net(torch.ones(3, 2)).sum().backward()",
        "    if i > 7:", *[f"        x{k} = {k}" for k in range(40)], "answer = why(opt)"])

    assert "Tensors of the optimizer that have a gradient: 2 of 2" in str(answer)
    assert "x0" not in names


def test_there_are_many_programs_and_most_are_mended_by_one_line():
    every = [param.values for param in programs()]

    assert len(every) >= 100
    assert sum(fields.get("edit") != "none" for _, fields, _ in every) >= 0.75 * len(every)


@pytest.fixture
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def test_a_timed_cell_is_quoted_from_the_one_that_ran(shell, capsys):
    shell.run_cell("import minigrad as torch\nx = torch.ones(3, requires_grad=True)", store_history=True)
    shell.run_cell("%%time\ndef f(t):\n    return t.detach()\n", store_history=True)
    shell.run_cell("%%time\ny = x * 2\ny.backward()", store_history=True)
    assert "Fix: make line 2 `y.sum().backward()`" in capsys.readouterr().out
    shell.run_cell("%%time\n# another\nz = f(x)", store_history=True)
    shell.run_cell("answer = torch.why(z)")

    assert shell.user_ns["answer"].line[1:] == (2, "return t.detach()")


def test_another_cell_is_named_as_its_prompt_has_it(shell, capsys):
    before = shell.execution_count
    shell.run_cell("import minigrad as torch\nh = torch.ones(3, requires_grad=True).detach()", store_history=True)
    shell.run_cell("h.sum().backward()", store_history=True)

    assert f"in line 2 of In[{before}]: `h = torch" in capsys.readouterr().out


def test_a_sentence_that_begins_with_a_place_begins_like_one(shell, capsys):
    shell.run_cell("import minigrad as torch\nw = torch.ones(3, requires_grad=True)", store_history=True)
    shell.run_cell("with torch.no_grad():\n    m = w * 2", store_history=True)
    for lang, begins in ("en", "Line 1 of In["), ("zh", "In["):
        set_language(lang)
        shell.run_cell("print(torch.why(m))")
        assert capsys.readouterr().out.startswith(begins)
        told = notes.cause_told(findings.Finding("not_run", {"name": "line"}, ("a.py", 1, "line = w")), lang)
        assert told.startswith("line")  # a name of the learner's stays as it is


def test_a_cell_that_is_timed_many_times_is_quoted_too(shell):
    shell.run_cell("import minigrad as torch\nkept = []", store_history=True)
    shell.run_cell("%%timeit -n1 -r1 x = torch.ones(2, requires_grad=True)\n# h\nh = x.detach()\nkept.append(h)",
                   store_history=True)
    shell.run_cell("%%timeit -n 1 -r1\n# h\nh = torch.ones(2).detach()\nkept.append(h)", store_history=True)
    result = shell.run_cell("%%timeit -n1 -r1\nx = torch.ones(2, requires_grad=True)\n(x * 2).backward()",
                            store_history=True)
    shell.run_cell("answer = torch.why(kept[0])", store_history=True)

    assert "Fix: make line 2 `(x * 2).sum().backward()`" in result.error_in_exec.__notes__[0]
    assert shell.user_ns["answer"].line[1:] == (2, "h = x.detach()")


def test_a_file_that_was_edited_since_is_not_quoted(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "import minigrad\ndef f(x):\n    return x.detach()\n"
    (tmp_path / "edited_later.py").write_text(text)
    import edited_later

    x = minigrad.ones(2, requires_grad=True)
    y, z = edited_later.f(x), x * 2
    assert minigrad.why(y).line[2] == "return x.detach()"
    (tmp_path / "edited_later.py").write_text("# new\n" + text)
    linecache.checkcache()
    assert minigrad.why(y).line is None
    assert z.requires_grad


@pytest.mark.parametrize("given", ["from made_elsewhere import out\nout", "import made_elsewhere\nmade_elsewhere.out"])
def test_nothing_is_called_unused_where_another_module_made_the_loss(given, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "import minigrad\nx, w = (minigrad.ones(2, requires_grad=True) for _ in 'xw')\nout = (w * x.data).sum()\n"
    (tmp_path / "made_elsewhere.py").write_text(text)
    (tmp_path / "run_elsewhere.py").write_text(f"{given}.backward()\n")
    for name in ("made_elsewhere", "run_elsewhere"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.import_module("run_elsewhere")
    x = sys.modules["made_elsewhere"].x

    assert "I see no use of x" not in str(minigrad.why(x))  # it is used, in a copy


def test_a_rule_reads_two_cells_as_one_program(shell):
    shell.run_cell("import minigrad as torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 1))", store_history=True)
    shell.run_cell("# hooks\ndef look(module, inputs):\n    pass", store_history=True)
    error = shell.run_cell("net[0].register_forward_hook(look)\nnet(torch.ones(2))", store_history=True).error_in_exec

    assert minigrad.why(error).line[1:] == (2, "def look(module, inputs):")
    assert minigrad.why(error).edit == (2, "def look(module, inputs, *_):")



def test_of_a_cell_that_ran_again_only_the_latest_text_counts(shell):
    shell.run_cell("import minigrad as torch\nnn = torch.nn", store_history=True)
    for width in (7, 8):  # the learner has tried another number
        shell.run_cell(f"net = nn.Sequential(\n    nn.Linear(2, {width}),\n    nn.Linear(6, 1))", store_history=True)
    for head in ("", "", "%%time\n"):
        error = shell.run_cell(f"{head}net(torch.ones(5, 2))", store_history=True).error_in_exec
        assert minigrad.why(error).edit == (3, "    nn.Linear(8, 1))")
    shell.run_cell("x = torch.ones(2)", store_history=True)
    shell.run_cell("x = x * 2", store_history=True)  # gives the same name, from what the cell before made
    shell.run_cell("x.sum().backward()", store_history=True)
    assert minigrad.why().line[2] == "x = torch.ones(2)"


def test_a_state_that_another_cell_began_with_none_and_a_parameter_it_made(shell):
    shell.run_cell("import minigrad as torch\nrnn = torch.nn.LSTM(2, 3)\nx = torch.ones(4, 1, 2)\nstate = None\n"
                   "w = torch.tensor([0.5, 1.5], requires_grad=True)", store_history=True)
    error = shell.run_cell("for i in range(3):\n    out, state = rnn(x, state)\n    out.sum().backward()",
                           store_history=True).error_in_exec
    assert "if state is None else" in minigrad.why(error).edit[1]
    error = shell.run_cell("for i in range(3):\n    (w ** 2).sum().backward()\n    w = w.clamp(0, 1)",
                           store_history=True).error_in_exec
    assert minigrad.why(error).edit == (3, "    with torch.no_grad(): w.copy_(w.clamp(0, 1))")


class Counted(set):
    """The names that a cell gives; how often one looks."""

    looks = 0

    def __iter__(self):
        Counted.looks += 1
        return super().__iter__()

    def __contains__(self, name):
        Counted.looks += 1
        return super().__contains__(name)

    def __or__(self, others):
        Counted.looks += 1
        return {*self, *others}


def test_in_a_notebook_of_many_cells_each_is_looked_at_a_few_times_for_each_name(shell):
    looked = []
    shell.run_cell("import minigrad as torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)",
                   store_history=True)
    for i in range(60):
        shell.run_cell(f"def f{i}(w):\n    return (w * w).sum()\nopt.zero_grad()\nloss = f{i}(w)\nloss.backward()\n"
                       f"opt.step()\nlast{i} = loss.item()", store_history=True)
        if i in (19, 59):
            for cell in (cells := program.latest_cells()):
                cell.gives, Counted.looks = Counted(cell.gives), 0
            found = program.Context(cells[0], names=shell.user_ns).sources()
            assert found[0] is cells[0]
            looked.append(Counted.looks)
    assert 0 < looked[1] < 6 * looked[0]  # three times as many cells: nine times is one for each pair


def test_what_why_looks_at_is_no_access_of_the_learners(shell, capsys):
    shell.run_cell("import minigrad as mg\nnet = mg.nn.Linear(3, 1)\nopt = mg.optim.SGD(net.parameters(), 1.0)",
                   store_history=True)
    shell.run_cell("loss = (net(mg.ones(4, 3)) ** 2).mean()\nloss.backward()\nopt.step()", store_history=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        shell.run_cell("print(mg.why(loss))", store_history=True)

    assert "loss is not a leaf" in capsys.readouterr().out
    assert [str(one.message) for one in seen] == []
