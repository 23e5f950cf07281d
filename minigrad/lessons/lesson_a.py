"""Lesson A, "Teach it a new operation": x cubed as a Function of one's own, forward and rule."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd import Function
from .exercise import Exercise, Trial, differs, models, programs, same, whenever, written


def cube(rule: Callable = lambda grad, x: grad * 3 * x**2, keep: str = "x", by: str = "save") -> type:
    """A wrong model: what backward makes of `grad` and what was kept; what is kept, and how."""
    kept = {"x": lambda x, y: (x,), "y": lambda x, y: (y,), "both": lambda x, y: (x, y),
            "copy": lambda x, y: (x.clone(),), "slope": lambda x, y: (3 * x * x,)}[keep]

    class Model(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x**3
            ctx.kept = kept(x, y)
            if by == "save":
                ctx.save_for_backward(*ctx.kept)
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return rule(grad, *(ctx.saved_tensors if by == "save" else ctx.kept))

    return Model


def noted(trial: Trial) -> Any:
    """Whether anything was saved for backward: the record knows where it was kept, as in the last cases."""
    return trial.facts and getattr(trial.facts["names"]["y"].grad_fn, "_saved", ()) != ()


def observed(trial: Trial, trials: Sequence[Trial]) -> str:
    """A rule that scales what arrives, with a factor for each entry, says so by itself; so does a note that no write
    to x made stale."""
    if trial is trials[2] and trials[3].facts:
        return "saved_wrong" if noted(trials[3]) else "hidden_on_ctx"
    if trial is not trials[0] or trials[1].fault or not same(trial.got["y"], trial.case.want["y"]):
        return "wrong_value"
    factors = [[a / g for a, g in zip(t.got["x.grad"], t.case.want["grad.data"], strict=True)] for t in trials[:2]]
    return "wrong_rule" if same(*factors) else "wrong_value"


def cut(trials: Sequence[Trial]) -> Trial | None:
    """First derivatives are right, a late write is noticed, and second derivatives are not right or not there."""
    firsts, seconds = trials[:3], trials[3:]
    if not all(t.right for t in firsts) or any(t.fault not in (None, "raised") for t in seconds):
        return None
    shown = next((t for t in seconds if not t.right), None)
    told = shown is None or shown.fault is None or re.search("grad|differentia", shown.outcome.error)
    return shown if told else None  # else it is another error


EXERCISE = Exercise("A", written("A"), programs("Cube", call="Cube.apply("), models("A", globals(), "cube({})"),
    signs={"edits_input": differs("x.data"), "edits_incoming": differs("grad.data"), "cut_backward": cut,
          "nothing:nothing": whenever(lambda t: t.got.get("x.grad", 0) is None)},
    observed=observed, habit=noted, of="class")
