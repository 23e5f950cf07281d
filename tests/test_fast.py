"""`core/fast.py` only makes things faster: each part equals its row, and without the file all is well."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.core import fast
from minigrad.core.carriers import RAW
from minigrad.core.node import Node
from minigrad.core.row import TABLE
from minigrad.ops import loss

HERE = Path(__file__).parent.parent
MATRICES = {"mm", "bmm", "t", "transpose", "nll_loss"}
TWO = {"add", "sub", "mul", "mm", "bmm"}
OPTIONS = {
    "pow_number": lambda shape: (2,),
    "softmax": lambda shape: (0,),
    "log_softmax": lambda shape: (-1,),
    "nll_loss": lambda shape: (mg.arange(shape[0]) % shape[1], None, 1, -100),
    "mean_dim": lambda shape: ((0,), False),
    "transpose": lambda shape: (0, 1),
    "expand": lambda shape: ((3, *shape),),
    "view": lambda shape: ((-1,),),
    "unsafe_view": lambda shape: ((-1,),),
    "squeeze_dim": lambda shape: (0,),
}


def made(name: str, shape: tuple, kind: str):
    """A node of row `name`, and a gradient for it."""
    if name in MATRICES:
        shape = {"bmm": (3, 4, 4)}.get(name, shape or (1, 1))
    x, y = (mg.randn(shape).to(getattr(mg, kind)).requires_grad_() for _ in range(2))
    other = (y,) if name in TWO else OPTIONS.get(name, lambda shape: ())(shape)
    out = TABLE[name].call(x, *other)
    out = out[0] if isinstance(out, tuple) else out
    return out.grad_fn, mg.randn(tuple(out.shape)).to(out.dtype)._array()


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 2), (40, 40), ()], ids=str)
@pytest.mark.parametrize("name", sorted(fast._INSTEAD))
def test_a_quick_derivative_equals_the_formula_of_its_row(name, shape, kind):
    node, grad = made(name, shape, kind)

    quick, plain = node.apply_raw(grad, True), node.apply(grad, RAW, True)

    assert type(node).apply_raw is not Node.apply_raw
    for mine, theirs in zip(quick, plain, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_quick_product_of_matrices_equals_its_row():
    a, b = mg.randn(3, 4, requires_grad=True), mg.randn(4, 2).requires_grad_()

    quick, slow = a @ b, mg.mm(a, b)

    assert quick.equal(slow)
    assert quick.grad_fn.name() == slow.grad_fn.name() == "MmBackward0"
    assert quick.grad_fn._saved_mat2_sym_strides == slow.grad_fn._saved_mat2_sym_strides


@pytest.mark.parametrize("reduction", [1, 2])
def test_a_quick_loss_of_classes_equals_its_row(reduction):
    scores, classes = mg.randn(5, 3, requires_grad=True), mg.tensor([0, 2, 1, 1, 0])
    options = (classes, None, reduction, -100)

    quick, slow = (call(scores, *options) for call in (TABLE["nll_loss"].call, loss.nll_loss))

    assert [t.item() for t in quick] == [t.item() for t in slow]
    for field in ("self", "target", "weight", "total_weight", "reduction", "ignore_index"):
        assert str(getattr(quick[0].grad_fn, f"_saved_{field}")) == str(getattr(slow[0].grad_fn, f"_saved_{field}"))


def test_a_quick_loss_leaves_what_is_not_plain_to_its_row():
    scores, quick = mg.randn(5, 3, requires_grad=True), TABLE["nll_loss"].call

    for classes in ([0, 2, 1, 1, 3], [0, 2, 1, 1, -1]):
        with pytest.raises(IndexError, match="out of bounds"):
            quick(scores, mg.tensor(classes), None, 1, -100)
    for classes, weight, reduction in (([0, -100, 1, 1, 0], None, 1), ([0, 2, 1, 1, 0], mg.rand(3), 1),
                                       ([0, 2, 1, 1, 0], None, 0)):  # fmt: skip
        given = (mg.tensor(classes), weight, reduction, -100)
        assert quick(scores, *given)[0].equal(loss.nll_loss(scores, *given)[0])


def test_without_the_file_everything_still_holds(tmp_path):
    for part in ("minigrad", "tests"):
        shutil.copytree(HERE / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "pyproject.toml", tmp_path)
    (tmp_path / "minigrad" / "core" / "fast.py").unlink()
    tests = [f"tests/test_{name}.py" for name in ("semantics", "expressions", "table", "errors", "record")]

    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
                         cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
                         capture_output=True, text=True)  # fmt: skip

    assert run.returncode == 0, run.stdout[-2000:]
