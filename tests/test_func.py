"""torch.func: vmap is the loop, for every row that has a sample; transforms nest; nothing escapes unseen.

Programs that show what PyTorch shows are in tests/oracle/semantics/func.txt.
"""

import warnings

import numpy as np
import pytest

import minigrad as torch
from minigrad.core.row import TABLE
from minigrad.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from minigrad.func.trees import leaves
from tests.samples import SAMPLES
from tests.test_forward_ad import CASES, random_like, replaced

# rows without a batching rule: one example after the other, with PyTorch's warning
LOOPS = {*"renorm block_diag linalg_lstsq masked_scatter put trilinear embedding_backward".split()}
DYNAMIC = {"masked_select"}  # the shape of the result hangs on the numbers: refused
COUNT = 3


def batches_of(name, nr, which):
    """A row's sample as a function of batches of some of its tensors, `which` "all" or a number."""
    args, options = SAMPLES[name][nr](torch)
    tensors = [t for t in leaves([list(args), options]) if isinstance(t, torch.Tensor)]
    mapped = tensors if which == "all" else tensors[which : which + 1]
    batches = []
    for t in mapped:
        batch = torch.stack([t.detach()] * COUNT)
        if t.is_floating_point():
            batch = batch + 0.05 * torch.rand(tuple(batch.shape), dtype=batch.dtype)
        elif t.dtype != torch.bool and t.ndim:
            batch[1] = batch[1].flip(0)
        batches.append(batch)

    def call(*given):
        new = {id(t): t.detach() for t in tensors} | {id(t): b for t, b in zip(mapped, given, strict=True)}
        return TABLE[name].call(*replaced(args, new), **{n: replaced(v, new) for n, v in options.items()})

    return call, batches


def gradient_of(call):
    """A function that returns the gradients of a sum of squares of what `call` returns."""
    def gradient(*given):
        places = [i for i, t in enumerate(given) if t.is_floating_point()]

        def loss(*floats):
            new = dict(zip(places, floats, strict=True))
            found = call(*[new.get(i, t) for i, t in enumerate(given)])
            parts = found if isinstance(found, tuple) else (found,)
            return sum((y * y).sum() for y in parts if y.is_floating_point())

        return grad(loss, tuple(range(len(places))))(*[given[i] for i in places])

    return gradient


def compare(function, batches):
    """The rows that looped under vmap; what it returns is compared with the loop."""
    one_by_one = [function(*[b[i].clone() for b in batches]) for i in range(COUNT)]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        at_once = vmap(function)(*batches)

    wanted = [torch.stack(column) for column in zip(*map(leaves, one_by_one), strict=True)]
    for found, expected in zip(leaves(at_once), wanted, strict=True):
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        assert np.allclose(found.numpy(), expected.numpy(), rtol=1e-9, atol=1e-10, equal_nan=True)
    return {str(w.message).split("aten::")[1].split(".")[0] for w in said if "performance drop" in str(w.message)}


def tensors_in_sample(name, nr):
    args, options = SAMPLES[name][nr](torch)
    return [t for t in leaves([list(args), options]) if isinstance(t, torch.Tensor)]


@pytest.mark.parametrize(("name", "nr"), [case for case in CASES if case[0] not in DYNAMIC])
def test_vmap_of_a_row_is_the_loop(name, nr):
    torch.manual_seed(0)
    count = len(tensors_in_sample(name, nr))
    for which in ["all", *(range(count) if count > 1 else ())]:
        call, batches = batches_of(name, nr, which)
        masks = [b.dtype == torch.bool for b in batches]
        if name == "index" and any(masks):
            with pytest.raises(RuntimeError, match="indexing with a boolean mask"):
                vmap(call)(*batches)
            continue

        assert compare(call, batches) <= LOOPS


@pytest.mark.parametrize(("name", "nr"), [case for case in CASES if case[0] not in DYNAMIC | {"masked_scatter"}])
def test_vmap_of_a_rows_gradient_is_the_loop(name, nr):
    torch.manual_seed(0)
    count = len(tensors_in_sample(name, nr))
    for which in ["all", *(range(count) if count > 1 else ())]:
        call, batches = batches_of(name, nr, which)
        if any(b.dtype == torch.bool for b in batches) and name == "index":
            continue
        if TABLE[name].derivatives and any(b.is_floating_point() for b in batches):
            assert compare(gradient_of(call), batches) <= LOOPS


def test_few_rows_loop():
    assert len(LOOPS) <= 15


FUNCTIONS = [
    lambda x: (x.sin() * x.flip(0)).cumsum(0), lambda x: x.softmax(0).log() * x[0], lambda x: torch.outer(x, x) @ x,
    lambda x: (x * x.max()).norm() * x, lambda x: x.view(2, 2).exp().prod(0), lambda x: x.sort()[0] * x.std(),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_jacobians_agree_however_they_are_computed(f):
    torch.manual_seed(0)
    x, v = torch.randn(4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(f, x)

    assert torch.allclose(jacrev(f)(x), expected)
    assert torch.allclose(jacfwd(f)(x), expected)
    assert torch.allclose(jvp(f, (x,), (v,))[1], expected @ v)
    assert torch.allclose(linearize(f, x)[1](v), expected @ v)
    assert torch.allclose(linearize(f, x)[0], f(x))
    w = random_like(f(x))
    assert torch.allclose(vjp(f, x)[1](w)[0], torch.tensordot(w, expected, w.ndim))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_second_derivatives_agree_however_they_are_nested(f):
    torch.manual_seed(0)
    x, batch = torch.randn(4, dtype=torch.float64), torch.randn(3, 4, dtype=torch.float64)

    def g(x):
        return f(x).sum()

    expected = torch.autograd.functional.hessian(g, x)
    for first in (jacrev, jacfwd, grad):
        for second in (jacrev, jacfwd):
            assert torch.allclose(second(first(g))(x), expected)
    assert torch.allclose(vmap(hessian(g))(batch), torch.stack([hessian(g)(x) for x in batch]))


def test_a_transform_leaves_no_history_behind():
    x = torch.arange(3.0)

    for found in (grad(lambda x: (x**3).sum())(x), jacrev(torch.sin)(x), jacfwd(torch.sin)(x), hessian(torch.prod)(x),
                  vjp(torch.sin, x)[0], jvp(torch.sin, (x,), (x,))[1], vmap(grad(lambda x: x * x))(x)):
        assert not found.requires_grad
        assert found.grad_fn is None


def test_numbers_that_no_rule_has_seen_are_refused():
    """A function that reads one example's numbers past the rows would answer for the first example alone."""
    x = torch.rand(2, 3)
    for reads in (lambda a: torch.searchsorted(a, a), lambda a: a.isclose(a),
                  lambda a: torch.bincount((a > 0).long()), lambda a: torch.linalg.matrix_rank(a[None])):
        with pytest.raises(RuntimeError, match="Batching rule not implemented"):
            vmap(reads)(x)
    with pytest.raises(RuntimeError):
        vmap(lambda a: a.equal(a))(x)


def test_what_escapes_from_vmap_is_of_no_use():
    leaked = []

    vmap(lambda a: leaked.extend([a, a * 2, grad(lambda b: b.sum() ** 2)(a), a[:1]]) or a)(torch.ones(2, 3))

    for t in leaked:
        with pytest.raises(RuntimeError, match="may have escaped from inside a function being vmapped"):
            t.sum()
        assert repr(t).startswith("BatchedTensor(")
    assert [tuple(t.shape) for t in leaked] == [(3,), (3,), (3,), (1,)]
    assert {t.dtype for t in leaked} == {torch.float32}


def test_an_example_is_not_copied_into_a_tensor_by_itself():
    for copied in (lambda a: torch.tensor(a), lambda a: torch.as_tensor(a.numpy()), lambda a: torch.tensor([a[0]])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(RuntimeError):
                vmap(copied)(torch.ones(2, 3))


def test_anomaly_mode_finds_a_nan_in_any_example():
    x = torch.tensor([[4.0], [0.0], [1.0]])

    def f(a):
        return (a.sqrt() * 0).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            assert vmap(grad(f))(x[:1]).tolist() == [[0.0]]
            with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"):
                vmap(grad(f))(x)


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, x):
        return Squared.apply(x).t().clone(), 1


def test_a_rule_of_ones_own_may_give_its_examples_along_any_dimension():
    x = torch.arange(6.0).view(2, 3)

    assert vmap(Squared.apply)(x).equal(x * x)
    assert vmap(lambda a: a * 2)(x.requires_grad_()).grad_fn.next_functions[0][0].variable is x  # no step between


def test_a_tangent_brings_its_history_along():
    tangent = torch.ones(2, requires_grad=True)
    _, moved = jvp(lambda x: vjp(lambda a: a * 3, x)[0], (torch.ones(2),), (tangent,))

    assert torch.autograd.grad(moved.sum(), tangent)[0].tolist() == [3.0, 3.0]


def test_a_saved_result_that_was_written_since_is_refused_inside():
    def f(x):
        y = x.exp()
        total = y.sum()
        y.mul_(2)
        return total

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        vmap(grad(f))(torch.zeros(2, 2))


WRITES = {
    "mul_": lambda b, a: b.mul_(a), "exp_": lambda b, a: b.exp_(), "pow_": lambda b, a: b.pow_(3).mul_(a),
    "addcmul_": lambda b, a: b.sin_().addcmul_(a, a), "div_": lambda b, a: b.div_(a + 3).tanh_(),
    "index": lambda b, a: b.__setitem__(0, a[1] * a[0]), "view": lambda b, a: b.view(2, 1)[:1].mul_(a[0]).exp_(),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_inside_transforms_is_differentiated_as_it_is_outside(name):
    """What a level, or the tangent of a tensor, has saved is not written over."""
    x = torch.tensor([[1.0, 2.0], [0.5, -0.3]], dtype=torch.float64)
    v, w = x[0], torch.tensor([0.3, -0.2], dtype=torch.float64)

    def f(a):
        b = a.clone()
        WRITES[name](b, a)
        return b

    def total(a):
        return f(a).sum()

    def along(a, w=w):
        return jvp(total, (a,), (w,))[1]

    second = torch.stack([torch.autograd.functional.hessian(total, a) for a in x])
    factor = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    first = torch.autograd.functional.jacobian(lambda q: torch.stack([total(q * a) for a in x]).sum(), factor.detach())
    assert torch.allclose(vmap(hessian(total))(x), second)
    assert torch.allclose(torch.stack([jacrev(jacfwd(total))(a) for a in x]), second)
    assert torch.allclose(torch.stack([grad(along)(a) for a in x]), second @ w)
    assert torch.allclose(grad(lambda w: along(v, w))(w), grad(total)(v))
    assert torch.allclose(torch.autograd.grad(vmap(lambda a: total(factor * a))(x).sum(), factor)[0], first)
    assert torch.allclose(vmap(jacfwd(f))(x), torch.stack([torch.autograd.functional.jacobian(f, a) for a in x]))


@pytest.mark.parametrize("interpolation", ["linear", "lower", "midpoint"])
def test_each_example_has_its_own_quantile(interpolation):
    x = torch.tensor([[3.0, 1.0, 2.0], [5.0, float("nan"), 4.0], [0.0, 7.0, -1.0]])
    found = vmap(lambda a: a.quantile(0.3, interpolation=interpolation))(x)

    assert torch.allclose(found, x.quantile(0.3, 1, interpolation=interpolation), equal_nan=True)


def test_one_argument_is_not_asked_for_by_two_numbers():
    with pytest.raises(RuntimeError, match=r"unique, got \(0, 0\)"):
        grad(torch.dot, (0, -2))(torch.ones(2), torch.ones(2))


def test_a_tangent_lies_in_memory_as_its_number():
    """Else a view of the one would be none of the other."""
    x, t = torch.arange(6.0).view(2, 3).t(), torch.arange(6.0).view(3, 2)

    def doubled_in_part(x):
        y = x * 1
        y.as_strided((3,), (1,)).mul_(2)
        return y

    assert jvp(lambda x: x.t().view(-1), (x,), (t,))[1].tolist() == [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]
    assert jvp(doubled_in_part, (x,), (t,))[1].tolist() == [[0.0, 1.0], [4.0, 3.0], [8.0, 5.0]]


def test_an_error_inside_leaves_no_level_behind():
    with pytest.raises(ZeroDivisionError):
        vmap(lambda a: a / (1 / 0))(torch.ones(2))
    with pytest.raises(ZeroDivisionError):
        jvp(lambda a: a * (1 / 0), (torch.ones(2),), (torch.ones(2),))

    assert torch.rand(2).shape == (2,)
    assert (torch.ones(2, requires_grad=True) * 2).grad_fn.name() == "MulBackward0"


NO_FORWARD_OVER_REVERSE = {"cdist", "hardsigmoid"}  # as torch's


@pytest.mark.parametrize(("name", "nr"), [case for case in CASES if case[0] not in NO_FORWARD_OVER_REVERSE])
def test_a_gradients_tangent_has_no_history(name, nr):
    """Rows whose gradient hangs on what comes in, other than by a factor, are pushed by a graph that ends inside."""
    torch.manual_seed(0)
    call, batches = batches_of(name, nr, "all")
    given = [b[0].clone() for b in batches]
    places = [i for i, t in enumerate(given) if t.is_floating_point()]

    def slopes(*floats):
        new = dict(zip(places, floats, strict=True))
        return tuple(leaves(gradient_of(call)(*[new.get(i, t) for i, t in enumerate(given)])))

    if TABLE[name].derivatives and places:
        floats = tuple(given[i] for i in places)
        _, found = jvp(slopes, floats, tuple(map(random_like, floats)))
        assert not any(t.requires_grad for t in leaves(found))
        assert all(t.shape == x.shape for t, x in zip(leaves(found), floats, strict=True))
