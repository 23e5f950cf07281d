"""Lesson 5, "Which shape comes home?": the gradients of a product of matrices, and the sum after broadcasting."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import Tensor
from .exercise import BY_ITSELF, Exercise, Trial, programs, same, stored, whenever, written

EXERCISE = Exercise("05", written("05"), programs("matmul_grads"), {
    key: [eval(f"lambda g, a, b: ({text})") for text in texts]
    for key, texts in stored("cases")["wrong_products"].items()}, signs=BY_ITSELF)

# 05.1: the sum after broadcasting


def summing(take: Callable = lambda x, axis: x.sum(axis), new: bool = True, ones: bool = True, keep: bool = True,
            where: int = 0, order: Callable = reversed, look: bool = True, left: bool = False) -> Callable:
    """A wrong model: which axes are taken away, how, and whether those of length 1 stay; `look` at the shapes first;
    lined up on the `left`, a shape gets its missing ones on the right."""

    def model(grad: Any, shape: Sequence[int]) -> Any:
        shape = [*shape, *[1] * (grad.dim() - len(shape))] if left else shape
        while new and grad.dim() > len(shape):
            grad = take(grad, where)
        for axis in order(range(len(shape))):
            if ones and shape[axis] == 1 and (new or not look or grad.dim() == len(shape)):
                grad = take(grad, axis).unsqueeze(axis) if keep else take(grad, axis)
        return grad

    return model


LOOKS: dict[str, Sequence[Callable]] = {
    "missing_sum": [summing(ones=False), *(summing(new=False, **how) for how in ({}, {"ones": False}, {"look": False})),
                    lambda grad, shape: summing(new=False)(grad.sum(0) if grad.dim() > len(shape) else grad, shape)],
    "dropped_axis": [summing(keep=False, order=list)], "mean_for_sum": [summing(lambda x, axis: x.mean(axis))],
    "first_copy": [*(summing(lambda x, axis: x.select(axis, 0), ones=ones) for ones in (True, False)),
                   lambda grad, shape: grad[0], summing(lambda x, axis: x.narrow(axis, 0, 1).squeeze(axis)),
                   lambda grad, shape: grad[(0,) * (grad.dim() - len(shape))][tuple(slice(n) for n in shape)]],
    "wrong_axis": [summing(where=-1), summing(where=-1, ones=False), lambda grad, shape: grad.sum(-1),
                   lambda grad, shape: grad.sum(0), lambda grad, shape: summing(where=-1)(grad, shape).reshape(shape),
                   lambda grad, shape: summing(ones=False)(summing(new=False, look=False)(grad, shape), shape),
                   *(summing(left=True, **how) for how in ({}, {"keep": False}, {"keep": False, "order": list}))],
    "sums_all": [lambda grad, shape: grad.sum(), lambda grad, shape: grad.sum().expand(shape)],
    "sign": [lambda grad, shape: -summing()(grad, shape)]}
# each as it is, and so that it leaves alone what has the shape already
MODELS = {key: [*ms, *(lambda g, to, m=m: g if g.shape == to else m(g, to) for m in ms)] for key, ms in LOOKS.items()}


def watch(names: dict[str, Any]) -> dict[str, Any]:
    """Whether PyTorch's one call for all of it is made; when the attempt is over, that is as it was."""
    calls, ordinary = list[bool](), Tensor.sum_to_size
    Tensor.sum_to_size = lambda *given: (calls.append(True), ordinary(*given))[1]  # type: ignore[method-assign]
    return {"one_word": calls}


def bare(x: Any) -> Any:
    """Lists of numbers without the axes of length 1."""
    return x if not isinstance(x, list) else bare(x[0]) if len(x) == 1 else [*map(bare, x)]


def observed(trial: Trial, trials: Sequence[Trial]) -> str:
    """Where every number is right, axes of length 1 were lost, or are left over."""
    fits = all(same(bare(t.got.get("x")), bare(t.case.want["x"])) for t in trials)
    more = len(trial.got["x.shape"]) - len(trial.case.want["x.shape"]) if fits else 0
    return "dropped_axis" if more < 0 else "wrong_value:extra_axis" if more else "wrong_value"


SUM_BACK = Exercise("05.1", written("05.1"), programs("sum_back", watch), MODELS, signs=BY_ITSELF, economy={
    "wrong_value:one_word": whenever(lambda t: bool(t.facts["one_word"]))}, observed=observed)
