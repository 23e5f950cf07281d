"""Lesson 4, "What adds up?": the gradient of a mean over all rides, one backward for each chunk of them."""

from collections.abc import Callable, Sequence
from itertools import accumulate, product
from typing import Any

from .exercise import Exercise, Trial, differs, grows, programs, whenever, written


def in_chunks(weigh: Callable, clear: str = "first", divide: Callable | None = None, part: slice = slice(None),
              retain: bool | None = None) -> Callable:
    """A wrong model: how a sum over m rides of n, in one of k chunks, is weighed; when `w.grad` is emptied; whether
    the sum so far is sent back each time (`retain` is not None)."""

    def model(w: Any, chunks: Sequence) -> None:
        n, k = sum(len(km) for km, _ in chunks), len(chunks)
        shares = [((w * km - fare) ** 2).sum() * weigh(len(km), n, k) for km, fare in chunks[part]]
        if clear in ("first", "once"):
            w.grad = None
        if retain is not None:
            shares = list(accumulate(shares))
        for share, (km, _) in zip([sum(shares)] if clear == "once" else shares, chunks, strict=False):
            if clear == "inside":
                w.grad = None
            share.backward(retain_graph=retain)
            if divide:
                w.grad /= divide(len(km), n, k)
            if clear in ("after", "zeroed"):
                w.grad = None if clear == "after" else w.grad * 0

    return model


def only_asks(w: Any, chunks: Sequence) -> None:
    """A wrong model: gradients of w are computed, and `w.grad` stays as it is."""
    old = w.grad
    in_chunks(RIGHT[0])(w, chunks)
    w.grad = old


RIGHT = [lambda m, n, k: 1 / n]
WEIGHTS = {"sum_of_means": [lambda m, n, k: 1 / m], "mean_of_means": [lambda m, n, k: 1 / m / k],
           "sum_for_mean": [lambda m, n, k: 1], "sum_for_mean:by_chunks": [lambda m, n, k: 1 / k]}
ANY = [*RIGHT, *(weigh for some in WEIGHTS.values() for weigh in some)]


def watch(names: dict[str, Any]) -> dict[str, Any]:
    """Whether a gradient arrived at the w that was handed in; how many chunks there are, and whether of one length."""
    arrived: set[bool] = set()
    names["w"].register_hook(lambda grad: arrived.add(True))
    lengths = [len(km) for km, _ in names["chunks"]]
    return {"arrived": arrived, "chunks": len(lengths), "even": len(set(lengths)) == 1}


def habit(trial: Trial) -> Any:
    """Whether w got gradients, from as many backwards as there are chunks, and whether they grew."""
    facts = trial.facts
    return facts and facts["arrived"] and (len(trial.outcome.calls) < facts["chunks"], facts["even"] and grows(trial))


EXERCISE = Exercise("04", written("04"), programs("backward_in_chunks", watch), {
    "untouched_grad": [lambda w, chunks: None, in_chunks(RIGHT[0], part=slice(0)), only_asks],
    **{key: [in_chunks(*way) for way in product(some, ("first", "once"))] for key, some in WEIGHTS.items()},
    "not_cleared": [in_chunks(weigh, "never") for weigh in ANY],
    "cleared_inside": [in_chunks(weigh, "inside") for weigh in ANY],
    "cleared_inside:cleared_after": [in_chunks(weigh, when) for weigh, when in product(ANY, ("after", "zeroed"))],
    "growing_graph": [in_chunks(weigh, retain=retain) for weigh, retain in product(ANY, (True, False))],
    "scaled_inside": [in_chunks(weigh, divide=by) for weigh in ANY
                      for by in (lambda m, n, k: n, lambda m, n, k: k, lambda m, n, k: m)],
    "off_by_one": [*(in_chunks(weigh, part=part) for weigh, part in product(ANY, (slice(1, None), slice(-1)))),
                   *(in_chunks(lambda m, n, k, more=more: 1 / (n + more)) for more in (-0.999999, 1))],
    "sign": [in_chunks(lambda m, n, k: -1 / n)],
}, signs={"edits_input": differs("w")}, economy={
    "wrong_value:no_backward": whenever(lambda t: not t.outcome.calls),
    "one_backward": whenever(lambda t: len(t.outcome.calls) < t.facts["chunks"]),
    "wrong_value:many_backwards": whenever(lambda t: len(t.outcome.calls) > t.facts["chunks"]),
}, habit=habit, observed=lambda trial, trials: (
    "wrong_value:few_backwards" if len(trial.outcome.calls) < trial.facts["chunks"] else "wrong_value"))
