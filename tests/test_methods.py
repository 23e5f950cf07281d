"""Methods, functions and twins in place follow from the rows: torch's names, no others, and torch's refusals."""

from __future__ import annotations

import importlib
import importlib.util
import warnings

import pytest

import minigrad

LIVE = ["torch"] if importlib.util.find_spec("torch") else []
METHODS = [name for name in dir(minigrad.Tensor) if name[0] != "_" and callable(getattr(minigrad.Tensor, name))]
WRONG = {"str": "a", "None": None, "list": [], "object": object(), "dict": {}}
# A method, or one of them with one wrong argument, of which torch says no and minigrad says something else yet.
LENIENT = {name: reason for reason, names in {
    "an option that is None is as good as one that is not given": """logsumexp-None max-None
        min-None median-None prod-None squeeze-None squeeze_-None""",
    "numbers are asked for by NumPy": "norm-list quantile",
    "no dimension is every dimension": "logsumexp-list",
}.items() for name in names.split()}


def called(torch, name, argument):
    """What a method gives, or the class of its error; and whether the tensor is as it was."""
    x = torch.arange(4.0).reshape(2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outcome = getattr(x, name)(argument)
        except Exception as error:
            outcome = type(error)
    return outcome, (x.tolist(), x._version) == ([[0.0, 1.0], [2.0, 3.0]], 0)


@pytest.mark.parametrize("name", METHODS)
def test_a_wrong_argument_is_an_error_or_taken_but_nothing_between(name):
    for argument in WRONG.values():
        outcome, untouched = called(minigrad, name, argument)

        assert outcome is not NotImplemented
        if isinstance(outcome, type):
            assert issubclass(outcome, TypeError | RuntimeError | ValueError | IndexError | AssertionError)
            assert untouched


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("name", METHODS)
def test_a_wrong_argument_raises_what_torch_raises(name, oracle):
    torch = importlib.import_module(oracle)
    differing = set()
    for kind, argument in WRONG.items():
        ours, theirs = called(minigrad, name, argument)[0], called(torch, name, argument)[0]
        if isinstance(theirs, type) and ours is not theirs:
            differing.add(f"{name}-{kind}")

    assert name in LENIENT or differing == {key for key in LENIENT if key.startswith(f"{name}-")}
    assert name not in LENIENT or differing


@pytest.mark.parametrize("oracle", LIVE)
def test_each_operation_has_torchs_twin_in_place_and_no_other(oracle):
    torch = importlib.import_module(oracle)
    twins = {f"{name}_" for name in METHODS}

    assert {twin for twin in twins if hasattr(torch.Tensor, twin) and not hasattr(minigrad.Tensor, twin)} == set()
    assert {name for name in METHODS if not hasattr(torch.Tensor, name)} == set()


@pytest.mark.parametrize("oracle", LIVE)
def test_a_method_is_a_function_where_torch_has_it_as_one(oracle):
    torch = importlib.import_module(oracle)
    functions = {name for name in METHODS if callable(getattr(torch, name, None)) and not isinstance(
        getattr(torch, name), type | torch.dtype)}

    assert {name for name in functions if not hasattr(minigrad, name)} == set()
    assert {name for name in METHODS if hasattr(minigrad, name) and not hasattr(torch, name)} == set()


def test_dim_and_keepdim_go_by_numpys_names_too():
    x = minigrad.arange(6.0).reshape(2, 3)

    assert x.softmax(axis=0).equal(x.softmax(0))
    assert x.logsumexp(axis=1, keepdims=True).shape == (2, 1)
    assert x.prod(axis=0, keepdims=True).shape == (1, 3)
    assert x.clone().cumsum_(axis=0).equal(x.cumsum(0))
    assert minigrad.squeeze(x[None], axis=0).shape == (2, 3)
    assert x.unsqueeze_(axis=0).size(axis=1) == 2
    with pytest.raises(TypeError, match='missing 1 required positional arguments: "dim"'):
        x.softmax(axes=0)


def test_new_tensors_take_the_type_of_an_old_one():
    whole = minigrad.arange(3)

    assert whole.new([2**53 + 1, 2.7]).dtype is minigrad.int64
    assert whole.new([2**53 + 1]).tolist() == [2**53 + 1]
    assert whole.new(2, 3).shape == whole.new(minigrad.Size([2, 3])).shape == (2, 3)
    assert whole.double().new((1, 2)).tolist() == [1.0, 2.0]
    assert minigrad.LongTensor([2**53 + 1]).tolist() == [2**53 + 1]
    with pytest.raises(TypeError, match=r"new\(\): data must be a sequence \(got NoneType\)"):
        whole.new(None)


def test_a_refusal_in_place_names_the_method_that_was_called():
    x = minigrad.ones(2, 2)

    with pytest.raises(TypeError, match=r"clamp_\(\) received an invalid combination of arguments - got \(str\), but"):
        x.clamp_("a")
    with pytest.raises(TypeError, match=r"transpose_\(\): argument 'dim0' \(position 1\) must be int, not str"):
        x.transpose_("a", 1)
    with pytest.raises(TypeError, match=r"vdot\(\): argument 'other' \(position 1\) must be Tensor, not str"):
        x.vdot("a")


def test_what_compares_in_place_records_a_step_and_what_is_logical_nothing():
    x = minigrad.tensor([1.0, 3.0], requires_grad=True)
    steps, leaf = x * 1, x.detach().requires_grad_()

    steps.gt_(2)
    leaf.logical_not_()
    (steps * x).sum().backward()

    assert steps.grad_fn.name() == "GtBackward0"
    assert x.grad.tolist() == [0.0, 1.0]
    assert leaf.tolist() == [0.0, 0.0]
    assert leaf.is_leaf


def test_a_shape_stays_a_shape_when_it_is_made_longer():
    shape = minigrad.ones(2, 3).shape

    assert repr((1, *shape)) == "(1, 2, 3)"
    assert [repr(longer)[11:-1] for longer in ((1,) + shape, shape + (4,), shape * 2)] == [  # noqa: RUF005
        "[1, 2, 3]", "[2, 3, 4]", "[2, 3, 2, 3]"]
    with pytest.raises(TypeError, match=r"can only concatenate tuple \(not list\) to torch\.Size"):
        shape + [4]  # noqa: RUF005


def test_to_takes_a_device_before_a_type_and_each_once():
    x, kind = minigrad.ones(2), minigrad.float64

    assert x.to("cpu", kind).dtype is x.to("cpu", dtype=kind).dtype is x.to(kind, copy=True).dtype is kind
    for args, options in [((kind, "cpu"), {}), ((kind,), {"device": "cpu"}), ((kind, kind), {}), ((x, kind), {})]:
        with pytest.raises(TypeError, match=r"to\(\) received an invalid combination of arguments"):
            x.to(*args, **options)
