"""Lesson 5, "Which shape comes home?": the gradients of a product of matrices, and the sum after broadcasting."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import Tensor
from .exercise import BY_ITSELF, Exercise, Trial, models, programs, same, whenever, written

EXERCISE = Exercise("05", written("05"), programs("matmul_grads"),
                    models("05", globals(), "lambda g, a, b: ({})"), signs=BY_ITSELF)

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


# each as it is, and so that it leaves alone what has the shape already
MODELS = {key: [*ms, *(lambda g, to, m=m: g if g.shape == to else m(g, to) for m in ms)]
          for key, ms in models("05.1", globals()).items()}


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
