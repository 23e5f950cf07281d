"""Every row of the table: a sample, derivatives that the numbers confirm twice, a rule in TeX."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from latex2mathml.converter import convert

import minigrad as torch
from minigrad import ops
from minigrad.autograd import gradcheck, gradgradcheck
from minigrad.core.row import TABLE
from minigrad.ops.kernels import reduce
from tests.samples import NO_SAMPLE, ONCE, SAMPLES

DIFFERENTIABLE = [name for name, row in TABLE.items() if row.derivatives]
CASES = [(name, nr) for name in SAMPLES for nr in range(len(SAMPLES[name]))]


def test_every_differentiable_row_has_a_sample_or_a_reason():
    assert sorted(n for n in DIFFERENTIABLE if n not in SAMPLES and n not in NO_SAMPLE) == []


def test_every_sample_is_of_a_row():
    assert sorted({*SAMPLES, *NO_SAMPLE} - {*TABLE}) == []


def test_no_row_is_declared_twice():
    """A second row of a name would quietly take the first one's place in every formula."""
    sources = (file.read_text("utf-8") for file in Path(ops.__file__).parent.glob("table/*.py"))
    names = Counter(name for source in sources for name in re.findall(r'\b(?:op|no_derivative)\(\s*"(\w+)"', source))

    assert [name for name, count in names.items() if count > 1] == []


def test_the_slope_of_a_division_by_a_number_is_such_a_division():
    """`mean` writes one into its gradient. Source: torch `div_tensor_self_backward`."""
    x, grad = torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    (first,) = torch.autograd.grad(x.mean(1), x, grad, create_graph=True)

    (second,) = torch.autograd.grad(first, grad, torch.ones(2, 2, requires_grad=True), create_graph=True)

    node, names = second.grad_fn, []
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    assert first.grad_fn.name() == "DivBackward1"
    assert "DivBackward1" in names
    assert "DivBackward0" not in names


@pytest.mark.parametrize("library", ["minigrad", "torch"])
@pytest.mark.parametrize(("equation", "left"), [
    ("ij,jk->ik", "first"), ("ij,jk->ki", "second"), ("jb,kaj->kab", "second"), ("jb,kaj->bka", "first"),
    ("ja,jce->cae", "first"), ("j,jk->k", "first"), ("bij,bkj->bki", "second"), ("ij,j->i", "first")])
def test_einsum_multiplies_in_torchs_order(equation, left, library):
    """The operand whose dimensions come first in the result is the left one. Recorded with torch 2.13."""
    lib, sizes = pytest.importorskip(library), dict(zip("abceijk", (2, 3, 4, 5, 6, 7, 8), strict=True))
    first, second = (lib.ones([sizes[c] for c in letters], requires_grad=True)
                     for letters in equation.partition("->")[0].split(","))

    node = lib.einsum(equation, first, second).grad_fn
    while "Accumulate" not in node.name():
        node = node.next_functions[0][0]

    assert node.variable is {"first": first, "second": second}[left]


@pytest.mark.parametrize(("call", "field", "shown"), [
    (lambda x: x.unfold(-1, 2, 1), "dimension", 2**64 - 1),
    (lambda x: x.rot90(-1), "k", 2**64 - 1),
    (lambda x: x.sum((-1, 0)), "dim", (2**64 - 1, 0)),
    (lambda x: torch.nn.functional.avg_pool2d(x[None], 2, divisor_override=-2), "divisor_override", 2**64 - 2),
    (lambda x: x.var(0, correction=-1), "correction", -1),
    (lambda x: x ** -2, "exponent", -2),
    (lambda x: x.clamp(-2, -1), "min", -2),
    (lambda x: torch.add(x, x, alpha=-2), "alpha", -2),
])
def test_whole_options_are_shown_unsigned_and_any_number_as_it_is(call, field, shown):
    """torch 2.13 prints an int64_t of its own so, and leaves a Scalar alone."""
    x = torch.ones(3, 3, requires_grad=True)

    assert getattr(call(x).grad_fn, f"_saved_{field}") == shown


@pytest.mark.parametrize("number", [torch.tensor(2), np.int64(2)])
def test_a_scalar_may_come_in_a_tensor_or_from_numpy(number):
    x = torch.arange(4.0, requires_grad=True)

    y = x.var(0, correction=number)

    assert y.grad_fn._saved_correction == 2
    assert y.equal(x.var(0, correction=2))


@pytest.mark.parametrize("fill", [7.0, torch.tensor(7.0)])
def test_masked_fill_refuses_in_torchs_words(fill):
    x = torch.arange(4.0)

    with pytest.raises(RuntimeError, match="only supports boolean masks, but got mask with dtype float"):
        x.masked_fill(x, fill)
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\) must match the size of tensor b \(4\)"):
        x.masked_fill(torch.ones(3) > 0, fill)
    with pytest.raises(RuntimeError, match="0-dimensional value tensor, but got tensor with 1 dimension"):
        x.masked_fill(x > 1, torch.ones(4) * fill)


@pytest.mark.parametrize("meet", [
    lambda: torch.broadcast_tensors(torch.ones(3), torch.ones(3), torch.ones(4)),
    lambda: torch.ones(4).masked_select(torch.ones(3) > 0),
    lambda: torch.ones(4).masked_scatter(torch.ones(3) > 0, torch.ones(4)),
    lambda: torch.take_along_dim(torch.ones(3, 5), torch.zeros(4, 1).long(), 1),
])
def test_shapes_that_do_not_meet_are_named_in_torchs_words(meet):
    with pytest.raises(RuntimeError, match=r"tensor a \(3\) must match the size of tensor b \(4\) at non-singleton"):
        meet()


@pytest.mark.parametrize("choose", [lambda x: x.max(0), lambda x: x.sort(0), lambda x: x.median(0)])
def test_what_is_chosen_from_one_number_is_a_copy_of_it(choose):
    x = torch.tensor(2.0).add_(0)

    choose(x)[0].zero_()

    assert x == 2


def test_masked_scatter_asks_for_a_mask_and_for_values_of_its_type():
    x = torch.ones(3)

    with pytest.raises(RuntimeError, match="same dtypes but gotFloat and Long"):
        x.masked_scatter(x > 0, torch.arange(3))
    with pytest.raises(RuntimeError, match="only supports boolean masks, but got mask with dtype Float"):
        x.masked_scatter(x, x)


X, GRID = "T.zeros(3, 4, requires_grad=True)", "T.tensor([[0, 1], [1, 0]])"
AS_IN_TORCH = [f"T.autograd.grad({X}.{call}.sum(), s)" for call in (
    f"scatter(0, {GRID}, s)", f"scatter_add(0, {GRID}, s)", "scatter(0, T.zeros(0).long(), s)")]
AS_IN_TORCH += [f"{X}.{call}" for call in (
    "select_scatter(T.ones(3), 0, 0)", "select_scatter(T.ones(1, 4), 0, 1)", "select_scatter(T.ones(4), 2, 0)",
    "slice_scatter(T.ones(1, 2), 1, 0, 2)", "slice_scatter(T.ones(3, 2), 2, 0, 4)",
    "slice_scatter(T.ones(3, 2), 1, 0, 4, 0)", "diagonal_scatter(T.ones(4))", "diagonal_scatter(T.ones(3), 5)")]
AS_IN_TORCH += [f"T.trapezoid({X}, {x})" for x in (
    "T.arange(12.).view(3, 4).requires_grad_()", "T.arange(4.).requires_grad_()")]
AS_IN_TORCH += ["T.trapezoid(T.ones(2, 1), T.ones(2, 3))"] + [f"T.conv{n}d({given}, padding=2)" for n, given in (
    (2, "T.zeros(1, 1, 0, 4), T.zeros(2, 1, 3, 3)"), (2, "T.zeros(1, 1, 4, 4), T.zeros(2, 1, 0, 3)"),
    (1, "T.zeros(1, 1, 0), T.zeros(2, 1, 3)"), (1, "T.zeros(1, 1, 4), T.zeros(2, 1, 0)"))]


@pytest.mark.parametrize("call", AS_IN_TORCH)
@pytest.mark.oracle
def test_odd_shapes_are_refused_in_torchs_words_or_recorded_as_there(call):
    def nodes(n):
        return n and (n.name(), [nodes(child) for child, _ in n.next_functions])

    told = []
    for library in (torch, pytest.importorskip("torch")):
        try:
            told.append(nodes(eval(call, {"T": library, "s": library.ones(3, 4, requires_grad=True)}).grad_fn))
        except Exception as error:
            told.append((type(error).__name__, str(error).partition("\nException raised")[0]))

    assert told[0] == told[1]


def problem(name, nr):
    """A function of the sample's leaves alone, and the leaves."""
    args, options = SAMPLES[name][nr](torch)
    leaves = [a for a in flat(args) if is_leaf(a)]

    def function(*given):
        supply = iter(given)
        outputs = TABLE[name].call(*replaced(args, supply), **options)
        parts = outputs if isinstance(outputs, tuple) else (outputs,)
        return tuple(o for o in parts if o.is_floating_point())

    return settled(name, symmetric(function) if name in SYMMETRIC else function), leaves


SYMMETRIC = ("linalg_cholesky_ex", "linalg_eigh")  # they read one triangle and answer for both


def symmetric(function):
    return lambda A: function((A + A.mT) / 2)


def settled(name, function):
    """Without what is not determined: signs of vectors cancel in their outer products."""
    if name in ("linalg_eigh", "linalg_svd", "linalg_slogdet", "linalg_det", "linalg_solve_ex"):
        kept = {"linalg_eigh": eigen, "linalg_svd": singular}.get(name, lambda *o: o[: 2 if "slog" in name else 1])
        return lambda *given: kept(*function(*given))
    return function


def eigen(values, vectors):
    return values, vectors[:, :1] @ vectors[:, :1].mT


def singular(U, S, Vh):
    return S, U[:, :1] @ Vh[:1]


def is_leaf(a):
    return isinstance(a, torch.Tensor) and a.requires_grad


def flat(values):
    return [x for v in values for x in (flat(v) if isinstance(v, list) else [v])]


def replaced(values, supply):
    return [replaced(v, supply) if isinstance(v, list) else next(supply) if is_leaf(v) else v for v in values]


@pytest.mark.parametrize(("name", "nr"), CASES)
def test_the_numbers_confirm_the_derivative(name, nr):
    function, leaves = problem(name, nr)

    assert gradcheck(function, leaves)


@pytest.mark.parametrize(("name", "nr"), [case for case in CASES if case[0] not in ONCE])
def test_the_numbers_confirm_the_second_derivative(name, nr):
    function, leaves = problem(name, nr)

    assert gradgradcheck(function, leaves)


# a helper's or an option's own name (no letter or word of ours has an underscore), or Python's spelling
NOT_MATHEMATICS = re.compile(r"\\_|None|True|False|slice|\(\d*,|, *,|<|object at")


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_every_derivative_prints_as_mathematics(name):
    row = TABLE[name]
    rules = {n: row.tex(n) for n in row.derivatives}

    assert all(rules.values())
    assert {n: tex for n, tex in rules.items() if NOT_MATHEMATICS.search(tex)} == {}
    assert all(convert(tex).startswith("<math") for tex in rules.values())


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_batches_of_a_column_times_a_row_are_matmuls_with_its_signs(kind):
    column = np.random.default_rng(0).normal(size=(3, 4, 1)).astype(kind)
    row = np.random.default_rng(1).normal(size=(3, 1, 5)).astype(kind)
    column[0, 1], row[0, 0, 2], row[1, 0, 3] = -0.0, 0.0, np.inf

    found, expected = TABLE["bmm"].forward(column, row), np.matmul(column, row)

    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)
    assert np.array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("oracle", ["torch", "numpy"])
def test_nan_times_one_zero_stays_nan_in_every_product(oracle):
    """NumPy's dot leaves out a product with a single 0."""
    torch = pytest.importorskip("torch") if oracle == "torch" else None
    nan, zero = [[np.nan], [-2.0], [0.0]], [[0.0]]
    for left, right in (nan, zero), (zero, [[np.nan, -2.0, 0.0]]), (nan, zero[0]), (zero, zero[0]):
        arrays = [np.array(x, "float32") for x in (left, right)]
        found = TABLE["mm" if arrays[1].ndim == 2 else "mv"].forward(*arrays)
        expected = (torch.tensor(left) @ torch.tensor(right)).numpy() if torch else np.matmul(*arrays) + 0

        assert np.array_equal(found, expected, equal_nan=True)
        assert np.array_equal(np.signbit(np.nan_to_num(found)), np.signbit(np.nan_to_num(expected)))


@pytest.mark.parametrize("slow", [False, True])
def test_what_a_dimension_is_reduced_or_run_along_lies_in_order(slow):
    """As in torch, where each of these can be viewed."""
    x = torch.arange(24.0).reshape(4, 3, 2).transpose(0, 2)
    with torch.slow(slow):
        results = [x.sum(1), x.mean(1, True), x.var(1), x.norm(dim=1), x.prod(1), x.amax(1), x.logsumexp(1), x.all(1),
                   x.cumsum(1), x.cumprod(1), x.logcumsumexp(1), x.cummax(1)[0], x.masked_fill(x > 3, 0.0),
                   x.gather(1, torch.zeros_like(x, dtype=torch.int64)), x.tril(),
                   torch.nn.functional.layer_norm(x, (4,))]

    assert [result.is_contiguous() for result in results] == [True] * len(results)


@pytest.mark.parametrize("rest", ["remainder", "fmod"])
def test_the_slope_of_a_rest_of_whole_numbers_is_that_of_floats(rest):
    slopes = []
    for x in (torch.tensor([3, -3, 7, 0]), torch.tensor([3.0, -3, 7, 0])):
        y = torch.tensor([0.0, -0.0, 2.5, -0.3], requires_grad=True)
        slopes += torch.autograd.grad(getattr(torch, rest)(x, y).sum(), y)

    assert str(slopes[0]) == str(slopes[1]) == "tensor([-inf, -inf, -2.,  0.])"


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("values", ["apart", "equal", "nan", "infinite", "whole"])
def test_the_first_few_in_order_are_those_of_the_whole_order(values, dim):
    x = np.random.default_rng(0).normal(0, 9, (70, 90)).astype("int8" if values == "whole" else "float32")
    x = x.round(1) if values == "equal" else x
    x[3::7, 4::5] = {"nan": np.nan, "infinite": np.inf}.get(values, x[3, 4])

    for descending in (False, True):
        first = np.flip(x, dim) if descending else x
        whole = first.argsort(dim, kind="stable")
        whole = np.flip(x.shape[dim] - 1 - whole, dim) if descending else whole
        for ranks in ([0], [6], [*range(9)], [60]):
            np.testing.assert_array_equal(reduce.order(x, dim, descending, ranks), whole.take(ranks, dim))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_distances_add_up_their_coordinates_in_order_as_torchs_do(kind):
    oracle = pytest.importorskip("torch")
    a, b = (np.random.default_rng(seed).normal(size=(9, 16)).astype(kind) for seed in (0, 1))

    np.testing.assert_array_equal(torch.cdist(torch.tensor(a), torch.tensor(b)).numpy(),
                                  oracle.cdist(oracle.tensor(a), oracle.tensor(b)).numpy())


@pytest.mark.parametrize("dim", [0, 1])
def test_the_mode_is_the_smallest_of_the_most_frequent_where_it_was_last(dim):
    x = np.random.default_rng(0).integers(-2, 3, (7, 6)).astype("float32")
    x[2, 1] = x[5, 4] = np.nan  # in lines of their own order
    values, places = torch.tensor(x).mode(dim)

    for line, value, place in zip(np.moveaxis(x, dim, -1).tolist(), values.tolist(), places.tolist(), strict=True):
        if not np.isnan(line).any():
            assert value == min(set(line), key=lambda v: (-line.count(v), v))
            assert place == max(i for i, v in enumerate(line) if v == value)
    assert torch.tensor([1.0, np.nan, 1.0]).mode()[1] == 0  # it parts those that it lies between
