"""Lesson 8, "Does it learn?": the training loop, written from blank."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import Tensor, no_grad, tensor
from ..core.beside.observers import observing
from .exercise import Exercise, Trial, grows, models, plain, programs, whenever, written


def play(answer: Callable, *data: str) -> tuple[dict, dict]:
    """Watch whose `.grad` is read empty although backward had filled it: that explains errors, too.

    Each leaf that is recorded gets a class of its own for as long: nothing that others see is exchanged.
    """
    leaves: list[tuple[Any, type]] = []
    emptied: dict[int, bool] = {}  # of those that were full
    slot: Any = Tensor._grad  # where backward, `.grad` and optimizers find a gradient

    def look(t: Any, reads: bool = False) -> Any:
        if (grad := slot.__get__(t)) is not None and grad._data.any():
            emptied[id(t)] = False
        elif reads and id(t) in emptied:
            emptied[id(t)] = True
        return grad

    watched = property(lambda t: look(t, True), lambda t, value: [look(t), slot.__set__(t, value), look(t)])

    def recorded(node: Any, output: Any) -> None:
        for leaf in (getattr(child, "variable", None) for child, _ in node.next_functions):
            if leaf is not None and vars(kind := type(leaf)).get("_grad") is not watched:
                leaves.append((leaf, kind))
                parts = {"__slots__": (), "__module__": kind.__module__, "_grad": watched}
                leaf.__class__ = type(kind.__name__, (kind,), parts)

    try:
        with observing(recorded):
            got, facts = programs("train")(answer, *data)
    except (TypeError, AttributeError) as error:
        if any(emptied.values()):
            error.misconception = "cleared_too_early"  # type: ignore[union-attr]
        raise
    finally:
        for leaf, kind in leaves:
            leaf.__class__ = kind
    return got, {**facts, "emptied": any(emptied.values()) and not any(plain(v, 0) for v in got.values())}


def loop(reduce: Callable = Tensor.mean, clear: str = "wb", more: int = 0, early: bool = False,
         split: Callable = lambda n: [("wb", slice(n))], step: Callable = lambda lr, grad, loss: lr * grad,
         total: bool = False, fresh: bool = True, retain: bool = False) -> Callable:
    """A wrong model: who is cleared and moved and how, rounds too many, what is kept from round to round; `split`
    says which knobs move in one round, after a look at which rides."""

    def model(km: Any, fare: Any, steps: int, lr: float) -> tuple:
        knobs, loss = {name: tensor(0.0, requires_grad=True) for name in "wb"}, None
        for move, rides in list(split(len(km))) * (steps + more):
            if fresh or loss is None:
                now = reduce((knobs["w"] * km + knobs["b"] - fare)[rides] ** 2)
                loss = now if loss is None or not total else loss + now
            loss.backward(retain_graph=retain)
            for name in clear if early else "":
                knobs[name].grad.zero_()
            with no_grad():
                for name in move:
                    knobs[name] -= step(lr, knobs[name].grad, loss)
            for name in clear:
                knobs[name].grad.zero_()
        return tuple(knobs.values())

    return model


def lost_leaf(trials: Sequence[Trial]) -> Trial | None:
    """One round is right, and all longer runs fail, for w or b has no gradient or asks for none."""
    fails = [t.fault == "raised" and any(w in t.outcome.error for w in ("NoneType", "require grad")) for t in trials]
    return trials[1] if trials[0].right and all(fails[1:]) and len(trials) > 1 else None


EXERCISE = Exercise("08", written("08"), play, models("08", globals()), signs={"lost_leaf": lost_leaf},
    economy={"lost_leaf": whenever(grows)}, habit=lambda t: (grows(t), t.facts.get("emptied")),
    # one round and a hundred of the same receipts
    observed=lambda trial, trials: "no_steps" if trials[0].got == trials[-1].got != {"w": 0, "b": 0} else "wrong_value")
