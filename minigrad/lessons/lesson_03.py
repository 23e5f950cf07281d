"""Lesson 3, "Who must wait?": small graphs, and a referee who watches them being walked.

A case is a program of a few lines, `x = 2`, then one operation each, `a = x * 3`; the last line is the root. `build`
makes the exercise's nodes from it; a `Referee` compares a walk with the true gradients: who fired when, with what, how
often.
03.2 is the same exercise on a chain of 2 000 nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from ..graph.live import read
from ..text import say
from .exercise import Case, Exercise, Trial, as_text, drawn, plain, run, same, stored, too_deep, whenever
from .verdict import Verdict, right

Fault = tuple[str, dict[str, Any]]  # the key of a misconception and what its sentence needs

PATIENCE = 20_000  # steps; an honest walk over the largest case takes fewer than a hundred
LENGTH = 2_000  # nodes of the chain in 03.2

# The local derivatives of each operation with respect to its two inputs.
DERIVATIVES: dict[str, Callable] = {"+": lambda a, b: (1, 1), "-": lambda a, b: (1, -1), "*": lambda a, b: (b, a)}


class Endless(BaseException):
    """The walk took so many steps that it must be going round in circles, or along every path."""

    misconception = "walk_endless"


@dataclass
class Log:
    """What the referee sees: each call of `vjp` in order, and how many steps may still be taken."""

    calls: list[tuple[ExerciseNode, float]] = field(default_factory=list)
    nodes: list[ExerciseNode] = field(default_factory=list)  # in the order in which they were made
    patience: int = PATIENCE

    def step(self) -> None:
        """Count a step. Raises: Endless after too many."""
        self.patience -= 1
        if self.patience < 0:
            raise Endless


class ExerciseNode:
    """A step of backward, cut down to what the exercise needs.

    `next` holds the nodes that get a gradient from this one, `vjp(g)` gives one gradient for each
    of them. `grad` is free for collecting what arrives; it starts at 0.0. A leaf's `next` is empty.
    """

    __slots__ = ("_links", "_log", "grad", "line", "name")

    def __init__(self, name: str, line: str, links: list[tuple[ExerciseNode, float]], log: Log) -> None:
        self.name, self.line, self.grad = name, line, 0.0
        self._links, self._log = links, log  # a node and its factor for each entry of `next`
        log.nodes.append(self)

    @property
    def next(self) -> tuple[ExerciseNode, ...]:
        """The nodes that get a gradient from this one."""
        self._log.step()
        return tuple(node for node, _ in self._links)

    def vjp(self, g: float) -> tuple[float, ...]:
        """Vector-Jacobian product: from this node's gradient, one for each entry of `next`."""
        self._log.step()
        if self._links:
            self._log.calls.append((self, plain(g, 0)))  # a tensor or an array may be added to later
        return tuple(g * factor for _, factor in self._links)

    def __repr__(self) -> str:
        return f"Node({self.line})"


def build(program: str, log: Log) -> dict[str, ExerciseNode]:
    """The exercise's nodes of a program, by name; the last one is the root."""
    values: dict[str, int] = {}
    nodes: dict[str, ExerciseNode] = {}
    for line in program.splitlines():
        name, _, left, *more = line.split()
        exec(line, {}, values)
        links = []
        if more:
            sign, right_ = more
            factors = DERIVATIVES[sign](*eval(f"{left}, {right_}", {}, values))
            links = [(nodes[i], factor) for i, factor in zip((left, right_), factors, strict=True) if i in nodes]
        nodes[name] = ExerciseNode(name, line, links, log)
    return nodes


def tensors(program: str) -> dict[str, Any]:
    """The program run by minigrad itself: its tensors by name, the last one being the root."""
    t: dict[str, Any] = {}
    run(re.sub(r" = (\d+)$", r" = torch.tensor(\1.0, dtype=torch.float64, requires_grad=True)", program, flags=re.M), t)
    return {name: t[name] for name in re.findall("^.", program, re.M)}


def diamond() -> ExerciseNode:
    """The root of the lesson's graph: `a` is used twice, by `b` and by `c`."""
    return build("x = 2\na = x * 3\nb = a * 2\nc = a * 5\nd = b + c", Log())["d"]


class Referee:
    """Compares one walk with the truth; `faults` gives what went wrong, telling things first."""

    def __init__(self, log: Log, gradients: dict[str, float]) -> None:
        self.nodes, self.gradients, self.calls = log.nodes, gradients, collapsed(log.calls)
        self.arrivals: dict[str, list[float]] = {node.name: [] for node in self.nodes}
        for node in self.nodes:
            for target, factor in node._links:
                self.arrivals[target.name].append(gradients[node.name] * factor)

    def faults(self) -> Iterator[Fault]:
        """What went wrong, the telling things first."""
        return chain(self._seed(), self._left_out(), self._repeats(), self._order(), self._leaves())

    def _seed(self) -> Iterator[Fault]:
        first = next((g for node, g in self.calls if node is self.nodes[-1]), 1.0)
        if not same(first, 1.0):
            yield "walk_seed", {"got": as_text(first)}

    def _left_out(self) -> Iterator[Fault]:
        fired = {node for node, _ in self.calls}
        yield from (("walk_stopped", {"node": n.name}) for n in reversed(self.nodes) if n._links and n not in fired)

    def _repeats(self) -> Iterator[Fault]:
        """A node that fired more than once: right sums mean one walk per path, wrong ones worse."""
        for name, times in Counter(node.name for node, _ in self.calls).items():
            if times > 1:
                single = all(self._is_arrival(node.name, g) for node, g in self.calls if node.name == name)
                worse = "walk_overwrite" if single else "walk_again"
                yield worse if any(self._wrong_leaves()) else "walk_paths", {"node": name, "times": times}

    def _order(self) -> Iterator[Fault]:
        arrived: Counter[str] = Counter()
        if not any(self._wrong_leaves()):  # vjp(1.0), multiplied outside, is another way to say it
            return
        for node, g in self.calls:
            name, due = node.name, len(self.arrivals[node.name])
            if arrived[name] < due:
                yield "walk_early", {"node": name, "came": arrived[name], "of": due}
            elif not same(g, self.gradients[name]):
                yield self._wrong_sum(name, g)
            arrived.update(target.name for target, _ in node._links)

    def _wrong_sum(self, name: str, got: float) -> Fault:
        values = {"node": name, "got": as_text(got), "want": as_text(self.gradients[name])}
        once = [sum(self.gradients[node.name] * {to.name: by for to, by in node._links[::way]}.get(name, 0.0)
                    for node in self.nodes) for way in (1, -1)]  # a dict keeps the last of two edges, a set the first
        if any(same(got, total) for total in once):
            return "walk_double_edge", values
        return ("walk_overwrite" if self._is_arrival(name, got) else "walk_sum"), values

    def _leaves(self) -> Iterator[Fault]:
        wrong = [self._wrong_sum(name, got) for name, got in self._wrong_leaves()]
        alike = len({key for key, _ in wrong}) == 1  # one idea explains all leaves, or none does
        for key, values in wrong:
            yield "walk_no_leaf" if values["got"] in ("0", "-0") else key if alike else "walk_sum", values

    def _wrong_leaves(self) -> Iterator[tuple[str, Any]]:
        ended = ((node.name, plain(node.grad, 0)) for node in self.nodes if not node._links)
        return ((name, got) for name, got in ended if not same(got, self.gradients[name]))

    def _is_arrival(self, name: str, g: float) -> bool:
        return len(self.arrivals[name]) > 1 and any(same(g, one) for one in self.arrivals[name])


def collapsed(calls: list[tuple[ExerciseNode, float]]) -> list[tuple[ExerciseNode, float]]:
    """The calls of `vjp`, those that ask the same thing again for the next edge taken as one."""
    kept: list[tuple[ExerciseNode, float]] = []
    again = 0
    for node, g in calls:
        again = again + 1 if kept and kept[-1][0] is node and same(kept[-1][1], g) else 1
        if again == 1 or again > len(node._links):
            kept.append((node, g))
    return kept


def always_asks_with_1(trials: Sequence[Trial]) -> Trial | None:
    """Every node is asked with 1, as if nothing had arrived at it; who multiplies outside is right."""
    if any(t.fault or not all(same(g, 1.0) for _, g in t.facts["log"].calls) for t in trials):
        return None
    walked = all(len(t.facts["log"].calls) >= sum(bool(n._links) for n in t.facts["log"].nodes) for t in trials)
    return next((t for t in trials if not t.right), None) if walked else None


def multiplies_twice(root: ExerciseNode) -> None:
    """A wrong model of the rule; in which order the nodes run it need not find out."""
    root.grad = 1.0
    for node in reversed(root._log.nodes):
        for (child, _), g in zip(node._links, node.vjp(node.grad), strict=True):
            child.grad += node.grad * g


def observed(trial: Trial, trials: Sequence[Trial]) -> str:
    """What a referee saw first."""
    log, gradients = trial.facts["log"], trial.facts["gradients"]
    by_hand = any(n.grad for n in log.nodes[:-1]) or isinstance(plain(trial.facts["returned"]), int | float)
    if not log.calls and (by_hand or trial.outcome.printed):
        return "constant" if by_hand else "prints"
    key, blanks = next(Referee(log, gradients).faults(), ("wrong_value", {}))
    trial.facts.update(blanks)
    return key


class Walk(Exercise):
    """Exercise 03: who is right is told how often the nodes ran."""

    def praise(self, trials: Sequence[Trial]) -> Verdict:
        nodes = sum(len(node._links) > 0 for t in trials for node in t.facts["log"].nodes)
        fired = sum(len(t.facts["log"].calls) for t in trials)
        key = "walk_right" if fired == nodes else "walk_right_by_edges"
        return right(self.id, say(f"lessons.{key}", graphs=len(trials), nodes=nodes, calls=fired))


def play(answer: Callable, program: str, gradients: dict[str, float], patience: int = PATIENCE) -> tuple[dict, dict]:
    log = Log(patience=patience)
    build(program, log)
    returned = answer(log.nodes[-1])
    leaves = {f"{node.name}.grad": node.grad for node in log.nodes if not node._links}
    return leaves, {"log": log, "gradients": gradients, "returned": returned}


def repeats(trial: Trial) -> bool:
    """Whether a node ran along each path; the referee's words go into the facts."""
    fault = next(Referee(trial.facts["log"], trial.facts["gradients"])._repeats(), None)
    trial.facts.update(fault[1] if fault else {})
    return fault is not None


def picture(trial: Trial, key: str) -> Any:
    """The program's graph, with the node marked that the sentence speaks of."""
    name = trial.facts.get("node")
    if name is None:
        return None
    t = tensors(trial.case.program)
    graph = read([*t.values()][-1], names=t)
    return drawn(graph, {i for record in graph.tensors if record.name == name for i in (record.id, record.node) if i})


def walk_cases() -> Iterator[Case]:
    for program, gradients in (row.values() for row in stored("cases")["walks"]):
        leaves = {f"{line[0]}.grad": gradients[line[0]] for line in program.splitlines() if len(line.split()) == 3}
        yield Case(program, (program, gradients), leaves)


EXERCISE = Walk("03", walk_cases, play, {"wrong_rule": [multiplies_twice]}, observed=observed, draw=picture,
                signs={"wrong_rule": always_asks_with_1}, economy={"walk_paths": whenever(repeats)})


def long_cases() -> Iterator[Case]:
    for length in (20, LENGTH):
        lines = ["x = 1", "a1 = x * 3", *(f"a{i} = a{i - 1} + 1" for i in range(2, length + 1))]
        gradients = {line.split()[0]: 1.0 for line in lines} | {"x": 3.0}
        yield Case("\n".join([*lines[:3], "...", lines[-1]]), ("\n".join(lines), gradients, 50 * PATIENCE),
                   {"x.grad": 3.0}, "endless:too_slow" if length == LENGTH else "endless")


LONG = Walk("03.2", long_cases, play, observed=observed, signs={"walk_deep": too_deep})
