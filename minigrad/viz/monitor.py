"""`training(round, w, b)`: what every round of a training loop leaves, and what each of its switches spoils."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import pairwise, takewhile
from math import inf, isclose, isfinite
from typing import Any

from ..graph.snapshot import AnyTensor
from ..graph.trial import rounds_of
from ..text import demand
from .asking import Axes, Moment, Part, chart, columns, shown
from .display import learners_names
from .glyphs import circle, text
from .theme import shorten, width

WAYS = ("rises", "creeps", "faster", "swings", "same", "breaks", "stops")  # of a loss, beside that of the right run
Rows = list[dict[str, Any]]


def training(round: Callable[..., Any], *parameters: AnyTensor, rounds: int = 20, lang: str | None = None) -> Training:
    """Run `round()` so many times and show the loss, the nodes behind it, the parameters, `.grad` and `is_leaf`.

    `round` does one round of training and returns its loss; it finds the parameters by their names, or takes them
    as arguments and then returns `(loss, *parameters)`. Each keyword whose default is True or False becomes a
    switch: before the run without it is shown, you are asked what the loss will do. Afterwards everything is as
    it was: parameters, optimizers, random numbers. `.rows` is the data of the run as it should be, a dict for
    each round.
    Raises: ValueError without parameters or rounds, where `round` uses a parameter nowhere, and where it has switches
    and returns no loss, or another one when it starts from the same again.
    """
    fits = isinstance(rounds, int) and rounds > 0 and parameters and all(hasattr(t, "grad_fn") for t in parameters)
    demand(fits, "moments.no_parameters")
    names = {id(t): name for name, t in reversed(learners_names().items())}
    return Training(round, {names.get(id(t), f"p{i}"): t for i, t in enumerate(parameters)}, rounds, lang)


class Training(Moment):
    """Strips of what rounds leave; see `training`."""

    def __init__(self, round: Callable[..., Any], named: dict[str, AnyTensor], rounds: int, lang: str | None) -> None:
        self.round, self.named, self.rounds = round, named, rounds
        self.switches = {f"{p.name}={not p.default}": {p.name: not p.default}
                         for p in inspect.signature(round).parameters.values() if isinstance(p.default, bool)}
        self.rows = rounds_of(round, named, rounds, {})
        if not any("error" in row for row in self.rows):
            idle = [name for name in named if len({row[name] for row in self.rows}) == 1
                    and all(row[f"{name}.grad"] is None for row in self.rows)]
            demand(not idle, "moments.not_used", names=", ".join(idle))
            demand(not self.switches or not any(row["loss"] is None for row in self.rows), "moments.no_loss")
            demand(not self.switches or what_it_does(self.rows[:1], rounds_of(round, named, 1, {})) == "same"
                   or not isfinite(self.rows[0]["loss"]), "moments.not_repeated")
        super().__init__(f"training({getattr(round, '__name__', 'round')}, {', '.join(named)})", lang)

    def opening(self) -> dict[str, Any]:
        if not self.switches or "error" in self.rows[-1]:
            return {"parts": [self.strips(self.rows, [self.rows], ""), *self.leaves(self.rows)]}
        return {"parts": [columns(self.question(), [self.strips([], [self.rows], "")])]}

    def question(self) -> list[Part]:
        """Which switch, and what will come of it."""
        return [self.text("training_ask", "ask"),
                self.choice("switch", "training_switch", [f"`{switch}`" for switch in self.switches], many=True),
                self.choice("way", "training_way", [self.say(f"way_{way}") for way in WAYS]), self.button("answer")]

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        chosen = values.get("switch", [])
        self.expect(len(chosen) == 1, "two_switches" if chosen else "no_switch")
        self.expect("way" in values, "no_way")
        switch, way = [*self.switches][int(chosen[0])], WAYS[int(values["way"][0])]
        rows = rounds_of(self.round, self.named, self.rounds, self.switches[switch])
        self.expect(all(row.get("loss", 0) is not None for row in rows), "no_loss")
        true, both = what_it_does(self.rows, rows), [self.rows, rows]
        broke = way == "breaks" and any(not isfinite(number(row.get("loss", 0))) for row in rows)
        said = self.verdict(self.say("training_question", switch=switch), self.say(f"way_{way}"), way == true or broke)
        beside = columns([self.strips(self.rows, both, self.say("training_right")), *self.leaves(self.rows)],
                         [self.strips(rows, both, switch), *self.leaves(rows)])
        found = self.text("training_found", "found", switch=switch, way=self.say(f"way_{true}"))
        return {"parts": [found, beside, *self.question()], "said": said}

    # ---- pictures

    def leaves(self, rows: Rows) -> list[Part]:
        """`is_leaf` of the parameters, and the error that ended a run."""
        known = {name: next((self.say("false_from", round=row["round"]) for row in rows
                             if row.get(f"{name}.is_leaf") is False), "True") for name in self.named}
        told = " · ".join(f"`{name}.is_leaf`: {said}" for name, said in known.items())
        return [{"kind": "text", "role": "aside", "text": told},
                *({"kind": "text", "role": "found", "text": f"{row['round']}: `{row['error']}`"}
                  for row in rows if "error" in row)]

    def labels(self, behind: str) -> str:
        """The names; between bars those of several numbers, whose norm is drawn."""
        return ", ".join(f"‖{name}{behind}‖" if t.numel() > 1 else name + behind for name, t in self.named.items())

    def strips(self, rows: Rows, all_rows: list[Rows], title: str) -> Part:
        """Loss, parameters, gradients and nodes below each other, on the scales that `all_rows` need."""
        kinds = [("loss", ["loss"]), (self.labels(""), [*self.named]),
                 (self.labels(".grad"), [f"{name}.grad" for name in self.named]), (self.say("nodes"), ["nodes"])]
        body = text(8, 16, shorten(title, 330), "mg-b")
        for i, (label, keys) in enumerate(kinds):
            values = [number(row.get(key)) for run in all_rows for row in run for key in keys]
            home = [number(row.get(key)) for row in self.rows for key in keys]
            axes = Axes((1, max(self.rounds, 2)), scale(values, home), (8, 42 + 72 * i, 250, 46))
            body += text(8, 37 + 72 * i, shorten(label, 230), "mg-m") + axes.frame()
            ends = []
            for key, kind in zip(keys, ("mg-curve", "mg-tangent") * len(keys), strict=False):
                line = [(row["round"], y) for row in rows if isfinite(y := number(row.get(key)))]
                body += axes.line(line, kind) if line[1:] else "".join(circle(*axes.at(*one), 3, kind) for one in line)
                last = shown(line[-1][1], 4) if line else ""
                name = shorten(key.removesuffix(".grad"), 80 - width(last)) + " " if len(keys) > 1 else ""
                ends += [(axes.at(*line[-1])[1] + 5, name + last)] if line else []
            y = 0.0
            for below, (at, said) in zip((3, 2, 1, 0)[-len(ends):], sorted(ends), strict=False):
                y = max(min(at, 93 + 72 * i - 15 * below), y + 15)  # all of them beside the frame
                body += text(263, y, said)
        return chart(body, 350, 316, " · ".join(filter(None, [title, *(label for label, _ in kinds)])))


def number(value: Any) -> float:
    """A value to be drawn; NaN for what is not there."""
    return float("nan") if value is None else float(value)


def scale(values: list[float], home: list[float]) -> tuple[float, float]:
    """From where to where: all values, but not far beyond those of the right run."""
    inside = [v for v in home if isfinite(v)] or [0.0]
    low, high = min(inside), max(inside)
    span = 3 * ((high - low) or abs(high) or 1.0)
    near = [v for v in values if isfinite(v)] or [0.0]
    return max(min(near), low - span), min(max(near), high + span)


def what_it_does(home: Rows, rows: Rows) -> str:
    """What the loss does, beside that of the right run: one of `WAYS`."""
    if any("error" in row for row in rows):
        return "stops"
    right, losses = ([number(row["loss"]) for row in run] for run in (home, rows))
    top = max(map(abs, right))
    if all(isclose(a, b, rel_tol=1e-3, abs_tol=1e-3 * top) for a, b in zip(right, losses, strict=True)):
        return "same"
    if len(finite := list(takewhile(isfinite, losses))) < len(losses):
        return "breaks" if losses[len(finite)] != inf and finite[-1:] <= finite[:1] else "rises"
    turns = [after > before for before, after in pairwise(losses) if abs(after - before) > 1e-6 * top]
    if sum(a != b for a, b in pairwise(turns)) > 1 or (
            losses[0] > min(losses) and losses[-1] > min(losses) + 0.01 * top):
        return "swings"
    more = losses[-1] - right[-1], sum(losses) - sum(right)  # where both arrive: who did so first
    return "rises" if losses[-1] > losses[0] + 1e-6 * top else (
        "creeps" if next((d for d in more if abs(d) > 1e-3 * top), 0) > 0 else "faster")
