"""Lesson D, the capstone: an engine of one's own, on numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from .exercise import BY_ITSELF, Exercise, Trial, programs, same, too_deep, written


def engine(mul: Callable = lambda a, b, g: (g * b, g * a), add: Callable = lambda g: (g, g), seed: float = 1.0,
           put: str = "add", once: bool = False, early: str = "", keep: str = "", fresh: bool = False,
           at: int = 0, users: bool = False, merged: str = "") -> type:
    """A wrong model: the rules; what the root begins with; how what arrives is put; one edge for each child; nodes
    that run at the first arrival, at each, or at each for which they are not in the queue yet; gradients in the middle,
    those of leaves, or the root's, when backward is called again; which of the nodes that may run does so, the first
    or the last; nodes that wait for as many gradients as they have users; operations that write down an input which
    they are given twice only once."""

    class Model:
        def __init__(self, data: float, next: tuple = (), rule: Callable = lambda g: ()) -> None:
            self.data, self.grad, self.next, self.vjp = data, 0.0, next, rule

        def __add__(self, other: Model) -> Model:
            both = (self,) if self is other and "+" in merged else (self, other)
            return type(self)(self.data + other.data, both, lambda g: add(g)[: len(both)])

        def __mul__(self, other: Model) -> Model:
            both = (self,) if self is other and merged else (self, other)
            return type(self)(self.data * other.data, both, lambda g: mul(self.data, other.data, g)[: len(both)])

        def backward(self) -> None:
            nodes, known = [self], {self}
            for node in nodes:
                new = dict.fromkeys(child for child in node.next if child not in known)
                nodes += new
                known |= {*new}
            for node in nodes:
                node.grad *= not (fresh or (node.next and not keep))
            waiting = Counter(child for node in nodes for child in ({*node.next} if users else node.next))
            ready, ran = [self], set()
            self.grad = seed + (self.grad if keep == "root too" or not self.next else 0.0)
            while ready:
                if (node := ready.pop(at)) in ran and early == "first":
                    continue
                ran.add(node)
                sent = list(zip(node.next, node.vjp(node.grad), strict=True))
                for child, g in dict(sent).items() if once else sent:
                    child.grad = g + (child.grad if put == "add" else 0.0)
                for child, _ in sent:
                    waiting[child] -= 1
                    if (early or not waiting[child]) and not (early == "due" and child in ready):
                        ready.append(child)
            for node in nodes[1:] if keep == "root" else ():
                node.grad *= not node.next

    return Model


def recursive(once: bool, more: float = 0.0) -> type:
    """A wrong model: each child runs as soon as something has come, by a call within the call; at the first arrival
    only, or at each, with all that has come so far. The root begins with 1 and `more` of what it held."""

    class Model(engine()):  # type: ignore[misc]
        def backward(self, met: Any = None) -> None:
            if met is None:
                self.grad, met = 1.0 + more * self.grad, set()
            met.add(self)
            for child, g in zip(self.next, self.vjp(self.grad), strict=True):
                child.grad += g
                if child not in met or not once:
                    child.backward(met)

    return Model


def excused(trial: Trial) -> bool:
    """A leaf that is the root, if it is wrong or called twice, a chain too deep for calls, what does not end: they tell
    no model."""
    alone, calls = trial.case.program.startswith("a = Value(2.0)\na.backward()"), trial.case.program.count("backward")
    stopped = trial.fault == "endless" or trial.outcome.error == "RecursionError"
    return stopped or (alone and (calls > 1 or not trial.right))


def observed(trial: Trial, trials: Sequence[Trial]) -> str:
    """Where a single node sends on other numbers, it is the rule; a leaf that is the root may be left out."""
    differing = {k for k, want in trial.case.want.items() if not same(trial.got[k], want)}
    if excused(trial):
        if trial.got == {"a.grad": 0.0}:
            return "wrong_value:root_is_leaf"
        return "grad_replaces:root_overwritten" if all(t.right or excused(t) for t in trials) else "wrong_value"
    if "c.data" in differing:
        return "wrong_value:wrong_number"
    if differing == {"a.grad", "b.grad"} and trial.got["a.grad"] == trial.got["b.grad"] == 0:
        return "wrong_value:nothing_arrives"
    return "wrong_rule" if "sent" in differing and len(trial.got["sent"]) == 2 else "wrong_value"


KEPT = ("", "middle", "root too")
WAYS = [{"keep": keep, "at": at} for keep in KEPT for at in (0, -1)]
EXERCISE = Exercise("D", written("D"), programs("Value", call="\0"), {
    "walk_seed": [engine(seed=2.0)], "wrong_rule": [engine(lambda a, b, g: (b, a))],
    "no_swap": [engine(lambda a, b, g: (g * a, g * b), keep=keep) for keep in KEPT],
    "walk_overwrite": [engine(put="set", **way) for way in WAYS],
    "walk_double_edge": [*(engine(once=True, keep=keep) for keep in KEPT), engine(merged="*"), engine(merged="*+")],
    "walk_early": [*(engine(early="first", **way) for way in WAYS), recursive(True),
                   *(engine(users=True, **way) for way in WAYS)],
    "walk_again": [recursive(False), recursive(False, 1.0),
                   *(engine(early=early, **way) for early in ("each", "due") for way in WAYS)],
    "grad_replaces": [engine(fresh=True)], "stale_inside": [engine(keep=keep) for keep in (*KEPT[1:], "root")],
}, signs={**BY_ITSELF, "walk_deep": too_deep}, of="class", excused=excused, observed=observed)
