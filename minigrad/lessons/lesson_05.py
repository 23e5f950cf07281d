"""Lesson 5, "Which shape comes home?": the gradients of a product of matrices, and the sum after broadcasting."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from .. import arange, float32, tensor
from ..graph.restoring import names_in
from .exercise import BY_ITSELF, Case, Exercise, case, programs, stored, whenever
from .running import OURS


def products() -> Iterator[Case]:
    for three in stored("cases")["products"]:
        g, a, b = (tensor(rows, dtype=float32) for rows in three.values())
        lines = "".join(f"{name} = torch.tensor({t.tolist()})\n" for name, t in zip(three, (g, a, b), strict=True))
        yield case(f"{lines}for_a, for_b = matmul_grads(grad, a, b)",
                   for_a=(g @ b.T).tolist(), for_b=(a.T @ g).tolist())


EXERCISE = Exercise("05", products, programs("matmul_grads"), {
    key: [eval(f"lambda g, a, b: ({text})") for text in texts]
    for key, texts in stored("cases")["wrong_products"].items()}, signs=BY_ITSELF)

# 05.1: the shape of what was broadcast, and the one that it got
SHAPES = (
    ((), (2,)), ((3,), (3,)), ((2,), (2, 2)), ((2, 1), (2, 2)), ((1,), (3,)), ((1, 3), (2, 3)), ((2, 1), (3, 2, 3)),
    ((3,), (1, 3)), ((1, 1), (2, 3)), ((), ()), ((1, 2, 1), (2, 3, 2, 2)), ((1, 3), (0, 3)), ((1,), (2, 0)),
    ((0,), (2, 0)), ((), (2, 2)), ((2,), (2, 3, 2)),
)


def sums() -> Iterator[Case]:
    for shape, grown in SHAPES:
        count = prod(grown)
        grad = (arange(count, dtype=float32) ** 2).reshape(grown)
        made = f"torch.tensor({grad.tolist()})" if count else f"torch.zeros({grown})"
        yield case(f"grad = {made}\nx = sum_back(grad, {shape})", x__shape=list(shape),
                   x=grad.sum_to_size(shape).tolist())


def summing(take: Callable = lambda x, axis: x.sum(axis), new: bool = True, ones: bool = True, keep: bool = True,
            where: int = 0, order: Callable = reversed) -> Callable:
    """A wrong model: which axes are taken away, how, and whether those of length 1 stay."""

    def model(grad: Any, shape: tuple[int, ...]) -> Any:
        while new and grad.dim() > len(shape):
            grad = take(grad, where)
        for axis in order(range(len(shape))):
            if ones and shape[axis] == 1 and (new or grad.dim() == len(shape)):
                grad = take(grad, axis).unsqueeze(axis) if keep else take(grad, axis)
        return grad

    return model


def if_other(model: Callable) -> Callable:
    """A model that leaves alone what has the shape already."""
    return lambda grad, shape: grad if grad.shape == shape else model(grad, shape)


LOOKS: dict[str, Sequence[Callable]] = {
    "missing_sum": [summing(new=False, ones=False), summing(new=False), summing(ones=False),
                    lambda grad, shape: summing(new=False)(grad.sum(0) if grad.dim() > len(shape) else grad, shape)],
    "dropped_axis": [summing(keep=False), summing(keep=False, order=list)],
    "mean_for_sum": [summing(lambda x, axis: x.mean(axis))],
    "first_copy": [summing(lambda x, axis: x.select(axis, 0)), lambda grad, shape: grad[0],
                   summing(lambda x, axis: x.narrow(axis, 0, 1).squeeze(axis)),
                   lambda grad, shape: grad[(0,) * (grad.dim() - len(shape))][tuple(slice(n) for n in shape)]],
    "wrong_axis": [summing(where=-1), summing(where=-1, ones=False), lambda grad, shape: grad.sum(-1),
                   lambda grad, shape: grad.sum(0), lambda grad, shape: summing(where=-1)(grad, shape).reshape(shape)],
    "sums_all": [lambda grad, shape: grad.sum(), lambda grad, shape: grad.sum().expand(shape)],
    "sign": [lambda grad, shape: -summing()(grad, shape)],
    "wrong_value:extra_axis": [lambda grad, shape: summing()(grad, shape)[(None,) * (grad.dim() - len(shape))]],
}
MODELS = {key: [m for model in models for m in (model, if_other(model))] for key, models in LOOKS.items()}


def says(word: str, f: Any, seen: set[Any]) -> bool:
    """Whether a word stands in the code of a function, of those inside it, or of the learner's own that it names."""
    if not inspect.isfunction(f) or f in seen or f.__code__.co_filename.startswith(OURS):
        return False
    names = names_in(f.__code__)
    return word in names or any(says(word, f.__globals__.get(name), {*seen, f}) for name in names)


def play(answer: Callable, *data: str) -> tuple[dict, dict]:
    """Note whether PyTorch's own word for the exercise is used."""
    got, facts = programs("sum_back")(answer, *data)
    return got, {**facts, "said": says("sum_to_size", answer, set())}


SUM_BACK = Exercise("05.1", sums, play, MODELS, signs=BY_ITSELF, economy={
    "wrong_value:one_word": whenever(lambda t: t.facts["said"])})
