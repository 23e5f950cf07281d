"""Exercises 05, the gradients of a product of matrices, and 05.1, the sum that takes a broadcast back."""

import numpy as np

import minigrad as torch
from tests.answers import Answers

MATMUL = Answers("05", r"grad @ b\.T|a\.T @ grad|\.T\b|transpose\(|转置")
SUM_BACK = Answers("05.1", r"sum_to_size|keepdim|sum\(0|dim\(\)")


@MATMUL.right
def by_shapes(grad, a, b):
    return grad @ b.T, a.T @ grad


@MATMUL.right
def by_name(grad, a, b):
    return [torch.matmul(grad, b.t()), torch.mm(a.t(), grad)]


@MATMUL.right
def transposes_dims(grad, a, b):
    da = grad.matmul(b.transpose(0, 1))
    return (da, a.transpose(-1, -2).matmul(grad))


@MATMUL.right
def twice_turned(grad, a, b):
    return (b @ grad.T).T, (grad.T @ a).T


@MATMUL.right
def entry_by_entry(grad, a, b):
    (n, k), m = a.shape, b.shape[1]
    da = [[sum(grad[i, j] * b[p, j] for j in range(m)).item() for p in range(k)] for i in range(n)]
    db = [[sum(a[i, p] * grad[i, j] for i in range(n)).item() for j in range(m)] for p in range(k)]
    return da, db


@MATMUL.right
def by_outer_products(grad, a, b):
    da, db = torch.zeros(a.shape), torch.zeros(b.shape)
    for i in range(grad.shape[0]):
        for j in range(grad.shape[1]):
            da[i] += grad[i, j] * b[:, j]
            db[:, j] += grad[i, j] * a[i]
    return da, db


@MATMUL.wrong("missing_transpose")
def no_transposes(grad, a, b):
    return grad @ b, a @ grad


@MATMUL.wrong("missing_transpose")
def one_transpose(grad, a, b):
    return torch.mm(grad, b.t()), torch.mm(a, grad)


@MATMUL.wrong("missing_transpose")
def the_other_transpose(grad, a, b):
    return grad.matmul(b), a.T.matmul(grad)


@MATMUL.wrong("wrong_order")
def turned_round(grad, a, b):
    return b.T @ grad, grad @ a.T


@MATMUL.wrong("wrong_order")
def one_turned_round(grad, a, b):
    return grad @ b.T, grad @ a.T


@MATMUL.wrong("wrong_order")
def turned_round_and_back(grad, a, b):
    return (grad.T @ b).T, a.T @ grad


@MATMUL.wrong("swapped_results")
def b_first(grad, a, b):
    return a.T @ grad, grad @ b.T


@MATMUL.wrong("transposed")
def both_turned(grad, a, b):
    return b @ grad.T, grad.T @ a


@MATMUL.wrong("transposed")
def one_turned(grad, a, b):
    return grad @ b.T, (a.T @ grad).T


@MATMUL.wrong("forgets_incoming")
def of_the_sum(grad, a, b):
    ones = torch.ones_like(grad)
    return ones @ b.T, a.T @ ones


@MATMUL.wrong("forgets_incoming")
def the_other_matrix(grad, a, b):
    return b.T, a.T


@MATMUL.wrong("elementwise")
def stars(grad, a, b):
    return grad * b, a * grad


@MATMUL.wrong("no_swap")
def each_its_own(grad, a, b):
    return grad @ a.T, b.T @ grad


@MATMUL.wrong("no_swap")
def each_its_own_as_it_comes(grad, a, b):
    return grad @ a, grad @ b


@MATMUL.wrong("sign")
def downhill(grad, a, b):
    return -(grad @ b.T), -(a.T @ grad)


@MATMUL.wrong("calls_backward")
def asks_autograd(grad, a, b):
    a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
    (a @ b).backward(grad)
    return a.grad, b.grad


@MATMUL.wrong("calls_backward")
def asks_autograd_by_grad(grad, a, b):
    a, b = a.requires_grad_(), b.requires_grad_()
    return torch.autograd.grad(a @ b, (a, b), grad)


@MATMUL.wrong("kind")
def one_of_two(grad, a, b):
    return grad @ b.T


@MATMUL.wrong("prints")
def shows(grad, a, b):
    print(grad @ b.T, a.T @ grad)


@MATMUL.wrong("nothing")
def keeps_to_itself(grad, a, b):
    da, db = grad @ b.T, a.T @ grad  # noqa: F841


@MATMUL.wrong("constant")
def knows_one(grad, a, b):
    return [[2, 1], [9, 5]], [[7, 3], [10, 4]]


@MATMUL.wrong("raised")
def names_wrongly(grad, a, b):
    return grad.mm(b.transposed()), a.T @ grad


@MATMUL.wrong("wrong_value")
def twice(grad, a, b):
    return 2 * grad @ b.T, a.T @ grad


@SUM_BACK.right
def new_axes_then_ones(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.sum(0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(i, keepdim=True)
    return grad


@SUM_BACK.right
def all_axes_at_once(grad, shape):
    added = grad.dim() - len(shape)
    padded = (1,) * added + tuple(shape)
    axes = [i for i, n in enumerate(padded) if n == 1]
    return grad.sum(axes, keepdim=True).reshape(shape) if axes else grad


@SUM_BACK.right
def only_where_they_differ(grad, shape):
    if tuple(grad.shape) == tuple(shape):
        return grad
    extra = len(grad.shape) - len(shape)
    for _ in range(extra):
        grad = grad.sum(dim=0)
    for i in range(len(shape)):
        if grad.shape[i] != shape[i]:
            grad = torch.sum(grad, i).unsqueeze(i)
    return grad


@SUM_BACK.right
def by_numpy(grad, shape):
    array = grad.numpy()
    array = array.sum(tuple(range(array.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return array.sum(ones, keepdims=True)


@SUM_BACK.right
def recursively(grad, shape):
    if grad.dim() > len(shape):
        return recursively(grad.sum(0), shape)
    for i in range(len(shape)):
        if shape[i] != grad.shape[i]:
            return recursively(grad.sum(i, keepdim=True), shape)
    return grad


@SUM_BACK.wrong("missing_sum")
def leaves_it(grad, shape):
    return grad


@SUM_BACK.wrong("missing_sum")
def only_new_axes(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.sum(0)
    return grad


@SUM_BACK.wrong("missing_sum")
def only_ones(grad, shape):
    if grad.dim() == len(shape):
        for i, n in enumerate(shape):
            if n == 1:
                grad = grad.sum(i, keepdim=True)
    return grad


@SUM_BACK.wrong("dropped_axis")
def drops_axes(grad, shape):
    extra = grad.dim() - len(shape)
    axes = [i for i in range(grad.dim()) if i < extra or shape[i - extra] == 1]
    return grad.sum(axes) if axes else grad


@SUM_BACK.wrong("dropped_axis")
def drops_axes_one_by_one(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.sum(0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(i)
    return grad


@SUM_BACK.wrong("mean_for_sum")
def means(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.mean(0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.mean(i, keepdim=True)
    return grad


@SUM_BACK.wrong("first_copy")
def takes_the_first(grad, shape):
    while grad.dim() > len(shape):
        grad = grad[0]
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.narrow(i, 0, 1)
    return grad


@SUM_BACK.wrong("first_copy")
def takes_the_first_row(grad, shape):
    return grad if tuple(grad.shape) == shape else grad[0]


@SUM_BACK.wrong("wrong_axis")
def sums_the_last(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.sum(-1)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(i, keepdim=True)
    return grad


@SUM_BACK.wrong("wrong_axis")
def sums_rows(grad, shape):
    return grad.sum(-1)


@SUM_BACK.wrong("sums_all")
def sums_everything(grad, shape):
    return grad.sum()


@SUM_BACK.wrong("sums_all")
def sums_everything_and_fills(grad, shape):
    return torch.full(shape, grad.sum().item())


@SUM_BACK.wrong("sign")
def the_other_way(grad, shape):
    return -grad.sum_to_size(shape)


@SUM_BACK.wrong("endless")
def until_it_fits(grad, shape):
    while tuple(grad.shape) != shape:
        grad = grad.sum(0, keepdim=True)
    return grad


@SUM_BACK.wrong("calls_backward")
def asks_autograd_for_it(grad, shape):
    x = torch.zeros(shape, requires_grad=True)
    x.expand(grad.shape).backward(grad)
    return x.grad


@SUM_BACK.wrong("raised")
def reshapes(grad, shape):
    return grad.reshape(shape)


@SUM_BACK.wrong("kind")
def plain_numbers(grad, shape):
    return grad.sum_to_size(shape).tolist()


@SUM_BACK.wrong("kind")
def returns_the_shape_too(grad, shape):
    return grad.sum_to_size(shape), shape


@SUM_BACK.wrong("prints")
def shows_it(grad, shape):
    print(grad.sum_to_size(shape))


@SUM_BACK.wrong("nothing")
def returns_only_if_equal(grad, shape):
    if tuple(grad.shape) == shape:
        return grad


@SUM_BACK.wrong("generator")
def yields(grad, shape):
    yield grad.sum_to_size(shape)


@SUM_BACK.wrong("wrong_value")
def twice_too_much(grad, shape):
    return 2 * grad.sum_to_size(shape)


# ---- other hands


@MATMUL.right
class Product:
    def __call__(self, grad, a, b):
        return self.of_a(grad, b), self.of_b(grad, a)

    def of_a(self, grad, b):
        return torch.stack([b @ row for row in grad])

    def of_b(self, grad, a):
        return torch.stack([column @ grad for column in a.unbind(1)])


MATMUL.rights[-1] = Product()


@MATMUL.right
def by_einsum(grad, a, b):
    return torch.einsum("nm,km->nk", grad, b), torch.einsum("nk,nm->km", a, grad)


@MATMUL.right
def by_numpy_dot(grad, a, b):
    g, a, b = (x.numpy() for x in (grad, a, b))
    return np.dot(g, b.T), np.tensordot(a, g, axes=(0, 0))


@MATMUL.right
def by_broadcasting(grad, a, b):
    return (grad[:, None, :] * b[None, :, :]).sum(2), (a[:, :, None] * grad[:, None, :]).sum(0)


@MATMUL.right
def by_transposed_names(grad, a, b):
    aT, bT = torch.swapaxes(a, 0, 1), torch.permute(b, (1, 0))
    return tuple(x @ y for x, y in ((grad, bT), (aT, grad)))


@MATMUL.right
def row_by_row(grad, a, b):
    """One row of a at a time."""
    if len(a) == 1:
        return grad @ b.T, torch.outer(a[0], grad[0])
    top_a, top_b = row_by_row(grad[:1], a[:1], b)
    rest_a, rest_b = row_by_row(grad[1:], a[1:], b)
    return torch.cat([top_a, rest_a]), top_b + rest_b


@MATMUL.right
def a_generator_inside(grad, a, b):
    def both():
        yield grad.mm(b.mT)
        yield a.mT.mm(grad)

    return list(both())


@MATMUL.wrong("calls_backward")
def by_vjp(grad, a, b):
    return torch.func.vjp(torch.matmul, a, b)[1](grad)


@MATMUL.wrong("swapped_results")
def in_the_order_of_the_product(grad, a, b):
    grad_b = torch.matmul(a.transpose(0, 1), grad)
    grad_a = torch.matmul(grad, b.transpose(0, 1))
    return grad_b, grad_a


@MATMUL.wrong("wrong_order")
def a_turned_round(grad, a, b):
    return b.T @ grad, a.T @ grad


@MATMUL.wrong("transposed")
def a_s_turned(grad, a, b):
    return (grad @ b.T).T, a.T @ grad


@MATMUL.wrong("forgets_incoming")
def as_if_ones_arrived(grad, a, b):
    n, m = grad.shape
    return torch.ones(n, m) @ b.t(), a.t() @ torch.ones(n, m)


@MATMUL.wrong("wrong_value")
def forgets_it_for_a(grad, a, b):
    return torch.ones_like(grad) @ b.T, a.T @ grad


@MATMUL.wrong("forgets_incoming")
def as_if_all_were_one(grad, a, b):
    return b.sum(1).expand(a.shape), a.sum(0)[:, None].expand(b.shape)


@MATMUL.wrong("elementwise")
def tries_until_it_fits(grad, a, b):
    return grad * b.T, a.T * grad


@MATMUL.wrong("wrong_value")
def averages_rides(grad, a, b):
    return grad @ b.T, a.T @ grad / len(a)


@MATMUL.wrong("kind")
def in_a_dict(grad, a, b):
    return {"a": grad @ b.T, "b": a.T @ grad}


@MATMUL.wrong("kind")
def three_results(grad, a, b):
    return grad, grad @ b.T, a.T @ grad


@MATMUL.wrong("wrong_value")
def right_shape_wrong_numbers(grad, a, b):
    return torch.zeros_like(a), torch.zeros_like(b)


@MATMUL.wrong("wrong_value")
def reshapes_instead(grad, a, b):
    return grad @ b.reshape(b.shape[::-1]), a.reshape(a.shape[::-1]) @ grad


@MATMUL.wrong("generator")
def yields_both(grad, a, b):
    yield grad @ b.T
    yield a.T @ grad


@MATMUL.wrong("nothing")
def one_is_none(grad, a, b):
    return grad @ b.T, None


@MATMUL.wrong("sign")
def subtracts(grad, a, b):
    return 0 - grad @ b.T, 0 - a.T @ grad


@MATMUL.wrong("wrong_value")
def the_sign_of_one(grad, a, b):
    return grad @ b.T, -(a.T @ grad)


@SUM_BACK.right
class Summer:
    def __call__(self, grad, shape):
        self.shape = tuple(shape)
        for axis in self.axes(grad):
            grad = grad.sum(axis, keepdim=True)
        return grad.view(self.shape)

    def axes(self, grad):
        padded = (1,) * (grad.ndim - len(self.shape)) + self.shape
        return (i for i, (have, want) in enumerate(zip(grad.shape, padded, strict=True)) if have != want)


SUM_BACK.rights[-1] = Summer()


@SUM_BACK.right
def entry_after_entry(grad, shape):
    from itertools import product

    out = np.zeros(shape)
    for index in product(*map(range, grad.shape)):
        own = index[len(index) - len(shape):]
        out[tuple(i if n > 1 else 0 for i, n in zip(own, shape, strict=True))] += grad[index].item()
    return torch.tensor(out)


@SUM_BACK.right
def from_the_right(grad, shape):
    have, want = list(grad.shape), list(shape)
    for back in range(1, len(have) + 1):
        if back > len(want):
            grad = grad.sum(len(have) - back)
        elif want[-back] == 1 and have[-back] != 1:
            grad = torch.sum(grad, -back, keepdim=True)
    return grad


@SUM_BACK.right
def unsqueezes(grad, shape):
    x = grad.sum(tuple(range(grad.dim() - len(shape)))) if grad.dim() > len(shape) else grad
    for i in (i for i, n in enumerate(shape) if n == 1):
        x = x.sum(i).unsqueeze(i)
    return x


@SUM_BACK.right
def by_numpy_reduce(grad, shape):
    from functools import reduce

    g = np.asarray(grad)
    g = reduce(lambda x, _: np.add.reduce(x, 0), range(g.ndim - len(shape)), g)
    return reduce(lambda x, i: np.add.reduce(x, i, keepdims=True), [i for i, n in enumerate(shape) if n == 1], g)


@SUM_BACK.right
def with_matrices_of_ones(grad, shape):
    extra = grad.dim() - len(shape)
    flat = grad.reshape(grad.shape[:extra].numel(), *grad.shape[extra:]) if extra else grad.unsqueeze(0)
    total = sum((row for row in flat), torch.zeros(grad.shape[extra:]))
    for i, n in enumerate(shape):
        if n == 1 and total.shape[i] != 1:
            total = sum(total.unbind(i), torch.zeros(total.shape[:i] + total.shape[i + 1:])).unsqueeze(i)
    return total


@SUM_BACK.wrong("missing_sum")
def stops_at_the_length(grad, shape):
    for _ in range(len(grad.shape) - len(shape)):
        grad = torch.sum(grad, 0)
    return grad


@SUM_BACK.wrong("missing_sum")
def only_the_first_new_axis(grad, shape):
    if grad.dim() > len(shape):
        grad = grad.sum(0)
    for i, n in enumerate(shape[::-1], 1):
        if n == 1:
            grad = grad.sum(-i, keepdim=True)
    return grad


@SUM_BACK.wrong("first_copy")
def indexes(grad, shape):
    x = grad
    while x.dim() > len(shape):
        x = x[0]
    index = tuple(slice(0, 1) if n == 1 else slice(None) for n in shape)
    return x[index]


@SUM_BACK.wrong("wrong_value")
def cuts_from_the_flat(grad, shape):
    n = 1
    for s in shape:
        n *= s
    return grad.flatten()[:n].reshape(shape)


@SUM_BACK.wrong("mean_for_sum")
def by_mean_over_axes(grad, shape):
    padded = (1,) * (grad.dim() - len(shape)) + tuple(shape)
    axes = [i for i, n in enumerate(padded) if n == 1]
    return grad.mean(axes, keepdim=True).reshape(shape) if axes else grad


@SUM_BACK.wrong("sums_all")
def the_total_in_that_shape(grad, shape):
    return grad.sum() * torch.ones(shape)


@SUM_BACK.wrong("dropped_axis")
def squeezes(grad, shape):
    extra = grad.dim() - len(shape)
    for i in reversed([i for i in range(grad.dim()) if i < extra or shape[i - extra] == 1]):
        grad = grad.sum(i)
    return grad.squeeze()


@SUM_BACK.wrong("wrong_axis")
def lines_up_from_the_left(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.sum(grad.dim() - 1)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(i, keepdim=True)
    return grad


@SUM_BACK.wrong("raised")
def expands(grad, shape):
    return grad.expand(shape)


@SUM_BACK.wrong("wrong_value")
def takes_the_largest(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.amax(0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.amax(i, keepdim=True)
    return grad


@SUM_BACK.wrong("calls_backward")
def by_vjp_of_expand(grad, shape):
    return torch.func.vjp(lambda x: x.expand(grad.shape), torch.zeros(shape))[1](grad)[0]


@SUM_BACK.wrong("wrong_value")
def forgets_the_zero(grad, shape):
    return grad.reshape(-1, *shape).sum(0)


@SUM_BACK.wrong("nothing")
def forgets_to_return_below(grad, shape):
    if grad.dim() > len(shape):
        forgets_to_return_below(grad.sum(0), shape)
    else:
        return grad


@SUM_BACK.wrong("endless")
def sums_until_the_length_fits(grad, shape):
    while grad.dim() != len(shape):
        grad.sum(0)
    return grad


@SUM_BACK.wrong("raised")
def in_the_shape_of_a_list(grad, shape):
    return grad.sum([i for i in range(9) if grad.shape[i] != shape[i]])


@SUM_BACK.wrong("wrong_value")
def weighs_copies(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.sum(0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.mean(i, keepdim=True)
    return grad


@SUM_BACK.wrong("wrong_value")
def by_its_name(grad, shape):
    return grad.sum_to_size(shape)


@SUM_BACK.wrong("wrong_value")
def by_its_name_on_the_class(grad, shape):
    return torch.Tensor.sum_to_size(grad, *shape) if shape else grad.sum()


def by_its_name_elsewhere(grad, shape):
    return next(g.sum_to_size(shape) for g in [grad])


@SUM_BACK.wrong("wrong_value")
def lets_a_helper_say_it(grad, shape):
    return by_its_name_elsewhere(grad, shape)


@SUM_BACK.wrong("wrong_value")
def leaves_ones_on_the_left(grad, shape):
    for i in range(grad.dim()):
        if i < grad.dim() - len(shape) or shape[i - grad.dim()] == 1:
            grad = grad.sum(i, keepdim=True)
    return grad


@SUM_BACK.wrong("wrong_axis")
def starts_at_the_first_axis(grad, shape):
    for i, n in enumerate((*shape, *[1] * (grad.dim() - len(shape)))):
        if n == 1:
            grad = grad.sum(i, keepdim=True)
    return grad.reshape(shape)


@SUM_BACK.wrong("missing_sum")
def counts_axes_from_the_left(grad, shape):
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(i, keepdim=True)
    return grad


@SUM_BACK.wrong("wrong_axis")
def adds_up_what_the_shape_lacks_from_the_left(grad, shape):
    for axis in range(len(grad.shape)):
        if axis >= len(shape) or shape[axis] == 1:
            grad = grad.sum(axis)
    return grad


@SUM_BACK.wrong("wrong_axis")
def keeps_all_axes_from_the_left(grad, shape):
    for axis in range(len(grad.shape)):
        if axis >= len(shape) or shape[axis] == 1:
            grad = grad.sum(axis, keepdim=True)
    return grad


@SUM_BACK.wrong("wrong_axis")
def all_at_once_from_the_left(grad, shape):
    axes = [axis for axis in range(grad.dim()) if axis >= len(shape) or shape[axis] == 1]
    return grad.sum(axes) if axes else grad


# ---- plain lists, generators, and shapes laid side by side from the left


@MATMUL.right
def lists_of_lists(grad, a, b):
    g, x, y = grad.tolist(), a.tolist(), b.tolist()
    for_a = [[sum(p * q for p, q in zip(row, other, strict=True)) for other in y] for row in g]
    for_b = [[sum(x[i][k] * g[i][j] for i in range(len(x))) for j in range(len(g[0]))] for k in range(len(y))]
    return for_a, for_b


@MATMUL.right
def a_generator_of_two(grad, a, b):
    return (x @ y for x, y in ((grad, b.transpose(0, 1)), (a.transpose(0, 1), grad)))


@MATMUL.wrong("wrong_value")
def divides_instead(grad, a, b):
    return grad @ torch.linalg.inv(b), torch.linalg.inv(a) @ grad


@SUM_BACK.right
def shape_with_ones_in_front(grad, shape):
    full = (1,) * (grad.dim() - len(shape)) + tuple(shape)
    for axis, length in enumerate(full):
        if length == 1:
            grad = grad.sum(axis, keepdim=True)
    return grad.reshape(shape)


@SUM_BACK.right
def one_axis_and_the_rest(grad, shape):
    if grad.dim() > len(shape):
        return one_axis_and_the_rest(grad.sum(0), shape)
    stretched = [i for i, n in enumerate(shape) if n == 1 != grad.shape[i]]
    return one_axis_and_the_rest(grad.sum(stretched[0], keepdim=True), shape) if stretched else grad


@SUM_BACK.wrong("wrong_axis")
def sums_ones_counted_from_the_left(grad, shape):
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis, keepdim=True)
    while grad.dim() > len(shape):
        grad = grad.sum(0)
    return grad


@SUM_BACK.wrong("wrong_value")
def takes_the_largest_copy(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.max(0)[0]
    return grad


@MATMUL.wrong("no_swap")
def each_itself(grad, a, b):
    return a.T @ grad, b.T @ grad


@SUM_BACK.wrong("first_copy")
def first_of_each_new_axis(grad, shape):
    while grad.dim() > len(shape):
        grad = grad[0]
    return grad


# ---- errors in NumPy's words, an axis lost on one side only, the one call out of sight


@MATMUL.wrong("wrong_order")
def numpy_the_other_way_round(grad, a, b):
    g, x, y = (t.numpy() for t in (grad, a, b))
    return y.T @ g, g @ x.T


@SUM_BACK.wrong("dropped_axis")
def loses_the_last_axis(grad, shape):
    grad = summed_from_the_left(grad, len(shape))
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis, keepdim=axis < len(shape) - 1)
    return grad


@SUM_BACK.wrong("dropped_axis")
def squeezes_what_is_right(grad, shape):
    grad = summed_from_the_left(grad, len(shape))
    for axis, length in enumerate(shape):
        grad = grad.sum(axis, keepdim=True) if length == 1 else grad
    return grad.squeeze()


@SUM_BACK.wrong("wrong_value")
def wraps_everything_once_more(grad, shape):
    grad = summed_from_the_left(grad, len(shape))
    for axis, length in enumerate(shape):
        grad = grad.sum(axis, keepdim=True) if length == 1 else grad
    return grad.unsqueeze(-1)


@SUM_BACK.wrong("wrong_value")
def asks_for_the_one_call(grad, shape):
    return getattr(grad, "sum_to_" + "size")(shape)


def summed_from_the_left(grad, axes):
    while grad.dim() > axes:
        grad = grad.sum(0)
    return grad
