"""Exercises 05, the gradients of a product of matrices, and 05.1, the sum that takes a broadcast back."""

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
def by_name_of_torch(grad, shape):
    return grad.sum_to_size(shape)


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
