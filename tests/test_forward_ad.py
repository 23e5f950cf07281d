"""Forward mode: what it pushes is what backward pulls, for every row that has a sample.

Programs that show what PyTorch shows are in tests/oracle/semantics/forward.txt.
"""

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import forward_ad
from minigrad.core.row import TABLE
from tests.samples import SAMPLES

CASES = [(name, nr) for name in SAMPLES for nr in range(len(SAMPLES[name]))]
LIVE = ["torch"] if importlib.util.find_spec("torch") else []
REFUSED = {"cdist"}  # torch has no forward mode for it either


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, torch.Tensor) and value.requires_grad:
        yield value


def replaced(value: Any, new: dict) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(replaced(part, new) for part in value)
    return new.get(id(value), value)


def random_like(t: Any) -> Any:
    return torch.randn(tuple(t.shape), dtype=t.dtype)


def inner(many: Any, others: Any) -> float:
    return sum((a * b).sum().item() for a, b in zip(many, others, strict=True) if a is not None and b is not None)


@pytest.mark.parametrize(("name", "nr"), [case for case in CASES if case[0] not in REFUSED])
def test_a_tangent_pushed_meets_a_gradient_pulled(name, nr):
    """<w, J v> is <w J, v>."""
    torch.manual_seed(0)
    call = TABLE[name].call
    args, options = SAMPLES[name][nr](torch)
    inputs = list(leaves([args, *options.values()]))
    tangents = [random_like(x) for x in inputs]

    outputs = call(*args, **options)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    reached = [i for i, y in enumerate(outputs) if y.requires_grad]
    weights = [random_like(outputs[i]) for i in reached]
    gradients = torch.autograd.grad([outputs[i] for i in reached], inputs, weights, allow_unused=True)
    with forward_ad.dual_level():
        new = {id(x): forward_ad.make_dual(x, v) for x, v in zip(inputs, tangents, strict=True)}
        pushed = call(*replaced(args, new), **{n: replaced(v, new) for n, v in options.items()})
        pushed = pushed if isinstance(pushed, tuple) else (pushed,)
        found = [forward_ad.unpack_dual(pushed[i]).tangent for i in reached]

    assert [t.shape for t in found] == [w.shape for w in weights]
    assert np.isclose(inner(weights, found), inner(gradients, tangents), rtol=1e-9, atol=1e-10)


# of views, and of what is one though no write finds out
SHARE = {name for name, row in TABLE.items() if row.view} | {"unsafe_view", "unsafe_split"}


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in SHARE | REFUSED and TABLE[name].derivatives])
def test_a_tangent_shares_no_memory_with_another(name):
    """Else a write into a result would change what an input moves along; views alone share, as their numbers do."""
    args, options = SAMPLES[name][0](torch)
    inputs = list(leaves([args, *options.values()]))
    with forward_ad.dual_level():
        new = {id(x): forward_ad.make_dual(x, random_like(x)) for x in inputs}
        pushed = TABLE[name].call(*replaced(args, new), **{n: replaced(v, new) for n, v in options.items()})
        given = [forward_ad.unpack_dual(t).tangent.detach().numpy() for t in new.values()]
        parts = pushed if isinstance(pushed, tuple) else (pushed,)
        found = [t.detach().numpy() for t in (forward_ad.unpack_dual(part).tangent for part in parts) if t is not None]

    assert not any(np.shares_memory(a, b) for a in given for b in found)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_has_no_forward_mode_says_so(name):
    args, options = SAMPLES[name][0](torch)
    said = "Trying to use forward AD with _cdist_forward that does not support it"

    with forward_ad.dual_level(), pytest.raises(NotImplementedError, match=said):
        TABLE[name].call(forward_ad.make_dual(args[0], random_like(args[0])), *args[1:], **options)


def test_the_tangent_of_a_saved_result_goes_into_second_derivatives():
    """exp and tanh save their result: its tangent is part of what backward computes with."""
    x, v = torch.tensor([0.5, 1.0], dtype=torch.float64), torch.tensor([1.0, -2.0], dtype=torch.float64)

    for f in (torch.exp, torch.tanh, lambda x: x.clone().sigmoid_(), lambda x: x.softmax(0)[0], lambda x: x.max() ** 3):
        with forward_ad.dual_level():
            d = forward_ad.make_dual(x.clone().requires_grad_(), v)
            found = forward_ad.unpack_dual(torch.autograd.grad(f(d).sum(), d)[0]).tangent
        assert torch.allclose(found, torch.autograd.functional.hvp(lambda x, f=f: f(x).sum(), x, v)[1])


def test_a_result_that_was_written_since_is_refused_in_forward_mode_too():
    x = torch.ones(2, requires_grad=True)
    with forward_ad.dual_level():
        y = forward_ad.make_dual(x, torch.ones(2)).exp()
        y.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(y.sum(), x)


def test_a_level_that_an_error_leaves_is_closed():
    with pytest.raises(ZeroDivisionError), forward_ad.dual_level():
        1 / 0  # noqa: B018

    assert (torch.ones(2) * 2).tolist() == [2.0, 2.0]
    with forward_ad.dual_level() as level:
        assert level == 0


def unpacked_views(module: str) -> tuple[list[str], list[bool]]:
    """Views of an unpacked number, and what is computed from them: as they print, and whether they have a tangent."""
    torch, forward = importlib.import_module(module), importlib.import_module(f"{module}.autograd.forward_ad")
    with forward.dual_level():
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        dual = forward.make_dual(x, torch.ones(2, 2)) ** 2
        whole = forward.unpack_dual(dual).primal
        views = [whole[0], whole.T, whole.view(-1)[1], whole.unbind()[1], whole[0] * dual[1], dual[0], whole.T @ dual]
        return [str(v) for v in views[:4]], [forward.unpack_dual(v).tangent is not None for v in views]


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("oracle", LIVE)
def test_a_view_of_an_unpacked_number_has_no_tangent(oracle: str) -> None:
    assert unpacked_views("minigrad") == unpacked_views(oracle)
