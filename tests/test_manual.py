"""What `help` and Tab say: the row as it is written, real parameters, and every public name."""

from __future__ import annotations

import importlib
import inspect
import pydoc
from types import FunctionType, ModuleType
from typing import Any

import pytest

import minigrad as torch
from minigrad.core.op import TABLE
from minigrad.manual import rows_of, told

F = torch.nn.functional
FUNCTIONS = {f"{of.__name__}.{name}": value for of in (torch, torch.Tensor, F) for name, value in vars(of).items()
             if isinstance(value, FunctionType) and value.__module__.startswith("minigrad") and name[0] != "_"}


def said(function: Any) -> str:
    return pydoc.render_doc(function, renderer=pydoc.plaintext)


def test_help_prints_the_row_as_it_is_written():
    text = said(torch.tan)

    assert "tan(input)\n" in text
    assert "grad_fn: TanBackward0\n" in text
    assert 'tan = op("tan", xp.tan, self=lambda grad, result: grad * (1 + result ** 2))' in text


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.derivatives])
def test_each_derivative_stands_in_the_manual_of_its_row_verbatim(name: str):
    row, text = TABLE[name], told(TABLE[name])
    lines = [line.strip() for d in row.derivatives.values() for line in inspect.getsource(d).splitlines()]
    file, _, number = next(line for line in text.splitlines() if ".py:" in line).rpartition(":")
    with open(file, encoding="utf-8") as source:
        here = source.read().splitlines()[int(number) - 1]

    assert [line for line in lines if line not in text] == []
    assert "op(" in here or "no_derivative(" in here


@pytest.mark.parametrize(("function", "line"), [
    (torch.tan, "The shape of `self`."), (torch.mul, "`self` and `other` broadcast."), (torch.t, "A view of `self`."),
    (torch.mm, "(2, 3), (3, 4) -> (2, 4)"), (torch.dot, "(3,), (3,) -> ()"),
    (torch.floor, "Raises: NotImplementedError: \"floor_vml_cpu\" not implemented for 'Bool'"),
])
def test_help_tells_what_comes_of_shapes_and_types(function: Any, line: str):
    assert f"    {line}\n" in said(function)


@pytest.mark.parametrize(("function", "rows"), [
    (torch.add, ["add", "add_scaled"]), (torch.Tensor.clamp_, ["clamp_numbers", "clamp_tensors"]),
    (F.leaky_relu, ["leaky_relu", "leaky_relu_written"]), (F.linear, ["addmm", "view"]), (torch.zeros, []),
])
def test_the_rows_behind_a_function_are_found(function: Any, rows: list[str]):
    assert [row.name for row in rows_of(function)] == rows


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_signature_quotes_a_type_or_says_any(name: str):
    parameters = [str(p).partition("=")[0] for p in inspect.signature(FUNCTIONS[name]).parameters.values()]

    assert [p for p in parameters if "'" in p or p.endswith(": Any")] == []
    assert all(inspect.getdoc(FUNCTIONS[name]) or not rows_of(FUNCTIONS[name]) for _ in parameters[:1])


def test_a_function_of_torch_takes_input_and_a_method_self():
    x = torch.ones(2)

    assert str(inspect.signature(torch.sum)).startswith("(input, dim=None, keepdim: bool = False, *, ")
    assert str(inspect.signature(torch.Tensor.sum)).startswith("(self, dim=None, ")
    assert str(inspect.signature(x.sum)).startswith("(dim=None, ")
    assert str(inspect.signature(torch.clamp_)) == "(input, min=None, max=None)"
    assert torch.sum(input=x) == 2


def test_help_draws_no_number_and_gives_no_warning():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)

    for function in (torch.bernoulli, torch.Tensor.normal_, torch.cross, torch.std):
        said(function)

    assert torch.equal(torch.rand(1), expected)


def test_a_signature_says_what_it_lacks_as_any_object_does():
    assert not hasattr(inspect.signature(torch.tan), "_repr_html_")


# ---- Tab


def test_tab_shows_what_is_loaded_later_and_hides_what_is_our_own():
    shown = dir(torch)

    assert {"draw", "step", "why", "watch", "paths", "nn", "optim", "linalg", "save", "load", "era", "tan", "softmax",
            "conv1d", "dropout"} <= {*shown}
    assert not {"Any", "presentation", "core", "ops", "array", "creation", "text"} & {*shown}
    assert [name for name in shown if name.startswith("_") and name != "__version__"] == []
    assert [name for name in shown if not hasattr(torch, name)] == []


def test_a_star_gives_what_all_says_and_no_modules_as_in_torch():
    names: dict[str, Any] = {}
    exec("from minigrad import *", names)

    assert {*names} - {"__builtins__"} == {*torch.__all__}
    assert [name for name in torch.__all__ if isinstance(names[name], ModuleType)] == []
    assert {"sum", "float32", "draw", "softmax"} <= {*names}


@pytest.mark.parametrize("name", "nn optim linalg utils autograd viz graph".split())
def test_tab_on_a_part_shows_its_own_names_only(name: str):
    part = importlib.import_module(f"minigrad.{name}")

    assert sorted(part.__all__) == dir(part)
    assert [n for n in dir(part) if not hasattr(part, n)] == []
