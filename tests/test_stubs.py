"""For people with an editor: the stubs say what is there, and programs of torch are no errors to a type checker."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import typing
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import minigrad
from notebooks import picture
from tests.oracle import expressions

ROOT = Path(__file__).resolve().parent.parent
TYPED = ROOT / "tests" / "data" / "typed.py"
IMPORTS = """from typing import Any
import minigrad as torch
import minigrad.nn.functional as F
from minigrad import Tensor, nn
"""
WRONG = {
    "torch.expp(x)": "attr-defined", "x.summ()": "attr-defined", "F.reluu(x)": "attr-defined",
    "nn.Lineer(2, 3)": "attr-defined", "x.view('a')": "arg-type", "x.sum(dim='a')": "arg-type",
    "x.add('a')": "arg-type", "x.sum(dimm=0)": "call-arg", "torch.stack(3)": "arg-type", "nn.Linear(2)": "call-arg",
}
ON_CALLS = {"attr-defined", "union-attr", "call-arg", "call-overload", "arg-type", "operator", "index", "name-defined"}
Errors = dict[str, list[tuple[int, str]]]


def tutorials() -> dict[str, str]:
    """The tutorials and the recorded cells as programs; `import torch` there is minigrad."""
    cells = [cell for cell in json.loads((ROOT / "tests/data/cells.json").read_text("utf-8")) if "source" in cell]
    programs = {f"cells_{seed}": "\n".join(cell["source"] for cell in cells if cell["seed"] == seed)
                for seed in sorted({cell["seed"] for cell in cells})}
    for path in sorted((ROOT / "notebooks").glob("*/tutorials/*.ipynb")):
        code = [cell["source"] for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
        programs[f"{path.parts[-3]}_{path.stem}"] = "\n".join(map("".join, code))
    here = {r"^(%|from __future__).*": "", r"^import torch\b": "import minigrad as torch",
            r"^from torch\.": "from minigrad."}
    for pattern, instead in here.items():
        programs = {name: re.sub(pattern, instead, code, flags=re.M) for name, code in programs.items()}
    return programs


def valid_expressions() -> list[str]:
    """The expressions of the oracle that do not raise here."""
    def goes_well(expression: str) -> bool:
        try:
            eval(expression, expressions.setup(minigrad))
        except Exception:
            return False
        return True

    return [expression for expression in expressions.expressions() if goes_well(expression)]


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> Errors:
    """What `mypy --strict` says of all programs, in one run: file -> [(line, code)]."""
    folder = tmp_path_factory.mktemp("typed")
    names = [*expressions.LEAVES, *expressions.CONSTANTS, "i"]
    writes = [f"{name}: Any" for name in re.findall(r"def (\w+)", expressions.WRITES)]
    programs = tutorials() | {
        "typed": TYPED.read_text("utf-8"), "readme": picture.program("en"),
        "samples": "\n".join([IMPORTS, *(f"{name}: Tensor" for name in names), *writes, *valid_expressions()]),
        "wrong": "\n".join([IMPORTS, "x = torch.ones(2)", *WRONG]),
    }
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    options = ["--strict", "--follow-imports=silent", "--config-file=", "--cache-dir=cache"]
    command = [sys.executable, "-m", "mypy", *options, *(f"{name}.py" for name in programs)]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"MYPYPATH": str(ROOT)}, capture_output=True, text=True)
    assert not done.stderr
    found: Errors = defaultdict(list)
    for file, line, code in re.findall(r"(?m)^(.*?):(\d+): error: .*\[([\w-]+)\]$", done.stdout):
        found[Path(file).stem if "minigrad" not in Path(file).parts else file].append((int(line), code))
    assert "checked" in done.stdout
    return found


def test_the_stubs_say_what_is_there():
    """In a process of its own: what a parameter takes is found out by calling with all kinds of values."""
    done = subprocess.run([sys.executable, "-m", "tests.stubs", "--check"], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_themselves_are_in_order(errors: Errors):
    assert [file for file in errors if file.endswith(".pyi")] == []


@pytest.mark.parametrize("program", ["typed", "readme"])
def test_a_typed_program_passes_the_strictest_check(errors: Errors, program: str):
    assert errors[program] == []


def test_a_misspelt_name_or_a_wrong_argument_is_an_error(errors: Errors):
    assert [code for _, code in errors["wrong"]] == [*WRONG.values()]


@pytest.mark.parametrize("program", tutorials())
def test_no_call_and_no_attribute_of_a_tutorial_is_an_error(errors: Errors, program: str):
    assert [error for error in errors[program] if error[1] in ON_CALLS] == []


def test_no_call_that_torch_takes_is_an_error(errors: Errors):
    assert errors["samples"] == []


def test_the_typed_program_runs_and_its_types_are_those_of_the_values(monkeypatch: pytest.MonkeyPatch):
    seen = []

    def checked(value: Any, kind: Any) -> Any:
        inner = [part for part in typing.get_args(kind) if part is not ...]
        parts = value if inner else [value]
        assert kind is Any or all(isinstance(part, (inner or [kind])[0]) for part in parts), (value, kind)
        seen.append(kind)
        return value

    monkeypatch.setattr(typing, "assert_type", checked)
    exec(compile(TYPED.read_text("utf-8"), str(TYPED), "exec"), {"__name__": "typed"})

    assert len(seen) > 200


def public(of: Any) -> dict[str, Callable[..., Any]]:
    return {name: getattr(of, name) for name in dir(of) if name[0] != "_" and callable(getattr(of, name))}


@pytest.mark.parametrize(("of", "stub"), [(minigrad, "__init__.pyi"), (minigrad.Tensor, "_tensor.pyi")])
def test_every_public_name_stands_in_the_stub(of: Any, stub: str):
    text = (ROOT / "minigrad" / stub).read_text("utf-8")

    assert [name for name in public(of) if not re.search(rf"\b{name}\b[(:,\n]", text)] == []
