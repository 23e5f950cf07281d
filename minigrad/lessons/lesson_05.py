"""Lesson 5, "Which shape comes home?": the gradients of a product of matrices, and the sum after broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .exercise import BY_ITSELF, Case, Exercise, case, programs

# 05: grad, a and b, square and unsymmetric first: there even a wrong order of factors can be computed
PRODUCTS = (
    ([[1, 0], [2, 1]], [[1, 2], [3, 4]], [[2, 5], [1, 3]]),
    ([[1, 2], [-1, 1]], [[1, 2, 3], [4, 5, 6]], [[1, 0], [2, 1], [0, 3]]),
    ([[2], [1], [-1]], [[1, 2], [3, 4], [5, 6]], [[1], [2]]), ([[3]], [[1, 2, 4]], [[2], [0], [1]]),
    ([[1, 2, 0], [0, 1, 5]], [[3], [2]], [[1, 4, 2]]),
)


def transposed(m: Sequence[Sequence[float]]) -> list[list[float]]:
    return [list(row) for row in zip(*m, strict=True)]


def times(m: Sequence[Sequence[float]], n: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*n, strict=True)] for row in m]


def products() -> Iterator[Case]:
    for g, a, b in PRODUCTS:
        lines = "".join(f"{name} = torch.tensor({[list(map(float, row)) for row in m]})\n"
                        for name, m in (("grad", g), ("a", a), ("b", b)))
        yield case(f"{lines}for_a, for_b = matmul_grads(grad, a, b)",
                   for_a=times(g, transposed(b)), for_b=times(transposed(a), g))


# g is the gradient that arrives; each text is what a wrong idea would return
WRONG_PRODUCTS = {
    "missing_transpose": "g @ b, a @ g; g @ b.T, a @ g; g @ b, a.T @ g",
    "wrong_order": "b.T @ g, g @ a.T; b.T @ g, a.T @ g; g @ b.T, g @ a.T",
    "swapped_results": "a.T @ g, g @ b.T",
    "transposed": "b @ g.T, g.T @ a; b @ g.T, a.T @ g; g @ b.T, g.T @ a; (g @ b).T, (a @ g).T",
    "forgets_incoming": "g.sign() ** 0 @ b.T, a.T @ g.sign() ** 0; b.T, a.T; b, a; a.T, b.T",
    "elementwise": "g * b, a * g; g * b.T, a.T * g; g * b, g * a",
    "no_swap": "g @ a.T, b.T @ g; g @ a, g @ b; g @ a, b @ g; a.T @ g, g @ b; g * a, g * b; a @ g, g @ b; a, b",
    "sign": "-g @ b.T, -(a.T @ g)",
}


def returning(text: str) -> Callable:
    return eval(f"lambda g, a, b: ({text})")


EXERCISE = Exercise("05", products, programs("matmul_grads"), {
    key: [returning(text) for text in texts.split("; ")] for key, texts in WRONG_PRODUCTS.items()}, signs=BY_ITSELF)

# 05.1: the shape of what was broadcast, and the one that it got
SHAPES = (
    ((), (2,)), ((3,), (3,)), ((2,), (2, 2)), ((2, 1), (2, 2)), ((1,), (3,)), ((1, 3), (2, 3)), ((2, 1), (3, 2, 3)),
    ((3,), (1, 3)), ((1, 1), (2, 3)), ((), ()), ((1, 2, 1), (2, 3, 2, 2)), ((1, 3), (0, 3)), ((1,), (2, 0)),
    ((0,), (2, 0)),
)


def filled(shape: Sequence[int], value: Callable[[tuple[int, ...]], float], at: tuple[int, ...] = ()) -> Any:
    """Nested lists of a shape, from the value at each place."""
    return [filled(shape[1:], value, (*at, i)) for i in range(shape[0])] if shape else value(at)


def sums() -> Iterator[Case]:
    for shape, grown in SHAPES:
        added: dict[tuple[int, ...], float] = {}

        def arrives(at: tuple[int, ...], home: dict = added, to: tuple[int, ...] = shape) -> float:
            value = float(1 + sum((3 * axis + 1) * i * i for axis, i in enumerate(at)))
            place = tuple(0 if size == 1 else i for size, i in zip(to, at[len(at) - len(to):], strict=True))
            home[place] = home.get(place, 0) + value
            return value

        grad = filled(grown, arrives)
        made = f"torch.tensor({grad})" if 0 not in grown else f"torch.zeros({grown})"
        yield case(f"grad = {made}\nx = sum_back(grad, {shape})", x__shape=list(shape),
                   x=filled(shape, lambda at, home=added: home.get(at, 0.0)))


def summing(take: Callable = lambda x, axis: x.sum(axis), new: bool = True, ones: bool = True, keep: bool = True,
            where: int = 0) -> Callable:
    """A wrong model: which axes are taken away, how, and whether those of length 1 stay."""

    def model(grad: Any, shape: tuple[int, ...]) -> Any:
        while new and grad.dim() > len(shape):
            grad = take(grad, where)
        for axis in reversed(range(len(shape))):
            if ones and shape[axis] == 1 and (new or grad.dim() == len(shape)):
                grad = take(grad, axis).unsqueeze(axis) if keep else take(grad, axis)
        return grad

    return model


def if_other(model: Callable) -> Callable:
    """A model that leaves alone what has the shape already."""
    return lambda grad, shape: grad if grad.shape == shape else model(grad, shape)


LOOKS: dict[str, Sequence[Callable]] = {
    "missing_sum": [summing(new=False, ones=False), summing(new=False), summing(ones=False)],
    "dropped_axis": [summing(keep=False)],
    "mean_for_sum": [summing(lambda x, axis: x.mean(axis))],
    "first_copy": [summing(lambda x, axis: x.select(axis, 0)), lambda grad, shape: grad[0],
                   summing(lambda x, axis: x.narrow(axis, 0, 1).squeeze(axis))],
    "wrong_axis": [summing(where=-1), summing(where=-1, ones=False), lambda grad, shape: grad.sum(-1),
                   lambda grad, shape: grad.sum(0)],
    "sums_all": [lambda grad, shape: grad.sum(), lambda grad, shape: grad.sum().expand(shape)],
    "sign": [lambda grad, shape: -summing()(grad, shape)],
}
MODELS = {key: [m for model in models for m in (model, if_other(model))] for key, models in LOOKS.items()}
SUM_BACK = Exercise("05.1", sums, programs("sum_back"), MODELS, signs=BY_ITSELF)
