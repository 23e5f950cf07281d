"""Lesson 3, "Walk backward yourself": small graphs, and a referee who watches them being walked.

A case is a program of a few lines. `build` makes the exercise's nodes from it, `truth` runs it
through the real engine, and a `Referee` compares the two: who fired when, with what, how often.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from math import isclose
from typing import Any

from .. import float64, tensor
from .verdict import Verdict, not_yet, right, wrong

Fault = tuple[str, dict[str, Any]]  # the key of a misconception and what its sentence needs

PATIENCE = 20_000  # steps; an honest walk over the largest case takes fewer than a hundred

# The local derivatives of each operation with respect to its two inputs.
DERIVATIVES: dict[str, Callable] = {
    "+": lambda a, b: (1, 1), "-": lambda a, b: (1, -1), "*": lambda a, b: (b, a),
}


class Endless(Exception):
    """The walk took so many steps that it must be going round in circles, or along every path."""


@dataclass
class Log:
    """What the referee sees: each call of `vjp` in order, and the number of steps so far."""

    calls: list[tuple[ExerciseNode, float]] = field(default_factory=list)
    steps: int = 0

    def step(self) -> None:
        """Count a step. Raises: Endless after too many."""
        self.steps += 1
        if self.steps > PATIENCE:
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

    @property
    def next(self) -> tuple[ExerciseNode, ...]:
        """The nodes that get a gradient from this one."""
        self._log.step()
        return tuple(node for node, _ in self._links)

    def vjp(self, g: float) -> tuple[float, ...]:
        """Vector-Jacobian product: from this node's gradient, one for each entry of `next`."""
        self._log.step()
        if self._links:
            self._log.calls.append((self, g))
        return tuple(g * factor for _, factor in self._links)

    def __repr__(self) -> str:
        return f"Node({self.line})"


@dataclass(frozen=True)
class Program:
    """A few lines of Python: leaves `x = 2`, then one operation each, `a = x * 3`; the last line is the root."""

    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(f"    {line}" for line in self.lines)

    @property
    def operations(self) -> list[list[str]]:
        """The lines that compute something, as words: `["a", "=", "x", "*", "3"]`."""
        return [words for words in map(str.split, self.lines) if len(words) == 5]

    def size(self) -> tuple[bool, int]:
        """Programs are tried from small to large, `a + a` after all that use each input once."""
        return any(left == right_ for _, _, left, _, right_ in self.operations), len(self.operations)


def build(program: Program, log: Log) -> dict[str, ExerciseNode]:
    """The exercise's nodes of a program, by name; the last one is the root."""
    values: dict[str, int] = {}
    nodes: dict[str, ExerciseNode] = {}
    for line in program.lines:
        name, _, left, *more = line.split()
        exec(line, {}, values)
        links = []
        if more:
            sign, right_ = more
            factors = DERIVATIVES[sign](*eval(f"{left}, {right_}", {}, values))
            links = [(nodes[i], factor) for i, factor in zip((left, right_), factors, strict=True) if i in nodes]
        nodes[name] = ExerciseNode(name, line, links, log)
    return nodes


def truth(program: Program) -> dict[str, float]:
    """The gradient at each name, from minigrad's own engine."""
    t: dict[str, Any] = {}
    for line in program.lines:
        exec(line, {}, t)
        root = line[0]
        t[root] = tensor(t[root], dtype=float64, requires_grad=True) if isinstance(t[root], int) else t[root]
        t[root].retain_grad()
    t[root].backward()
    return {name: value.grad.item() for name, value in t.items()}


def diamond() -> ExerciseNode:
    """The root of the lesson's graph: `a` is used twice, by `b` and by `c`."""
    return build(DIAMOND, Log())["d"]


CHAIN = Program(("x = 2", "a = x * 3", "b = a * 5"))
DIAMOND = Program(("x = 2", "a = x * 3", "b = a * 2", "c = a * 5", "d = b + c"))
FORK = Program(("x = 2", "a = x * 3", "b = x * 5", "c = a + b"))
SHORTCUT = Program(("x = 2", "a = x * 3", "b = a * 2", "c = b * 5", "d = a + c"))  # the short way reaches `a` first
TWICE = Program(("x = 2", "a = x * 3", "b = a * a", "c = b * 5"))


def random_program(rng: random.Random) -> Program:
    """A random program of up to 10 operations, in which every line reaches the root."""
    names, lines = ["x", "y"], [f"{name} = {rng.randint(1, 3)}" for name in "xy"]
    for name in "abcdefghij"[: rng.randint(5, 10)]:
        sign, left = rng.choice("++-**"), rng.choice(names[-3:])
        other = rng.choice(names) if sign != "*" else rng.randint(2, 5)
        lines.append(f"{name} = {left} {sign} {other}")
        names.append(name)
    used = {lines[-1][0]}
    for line in reversed(lines):
        used |= set(line.split()[2:]) if line[0] in used else set()
    return Program(tuple(line for line in lines if line[0] in used))


@cache
def cases() -> tuple[tuple[Program, dict[str, float]], ...]:
    """The five programs above and 30 random ones with their true gradients, from small to large."""
    rng, chosen = random.Random(3), []
    while len(chosen) < 30:
        program = random_program(rng)
        gradients = truth(program)
        # small cases are the ones made by hand; a gradient of 0 would hide that nobody sent it
        if len(program.operations) > len(DIAMOND.operations) and all(gradients.values()):
            chosen.append((program, gradients))
    by_hand = [(program, truth(program)) for program in (CHAIN, FORK, DIAMOND, SHORTCUT, TWICE)]
    return tuple(sorted(by_hand + chosen, key=lambda case: case[0].size()))


class Referee:
    """Compares one walk with the truth; `faults` gives what went wrong, telling things first."""

    def __init__(self, nodes: dict[str, ExerciseNode], log: Log, gradients: dict[str, float]) -> None:
        self.nodes, self.calls, self.gradients = list(nodes.values()), log.calls, gradients
        self.root = self.nodes[-1]
        self.arrivals: dict[str, list[float]] = {node.name: [] for node in self.nodes}
        for node in self.nodes:
            for target, factor in node._links:
                self.arrivals[target.name].append(gradients[node.name] * factor)

    def faults(self) -> Iterator[Fault]:
        """What went wrong, the telling things first."""
        return chain(self._seed(), self._left_out(), self._repeats(), self._order(), self._leaves())

    def _seed(self) -> Iterator[Fault]:
        first = next((g for node, g in self.calls if node is self.root), 1.0)
        if not close(first, 1.0):
            yield "walk_seed", {"got": as_text(first)}

    def _left_out(self) -> Iterator[Fault]:
        fired = {node for node, _ in self.calls}
        for node in self.nodes:
            if node._links and node not in fired:
                yield "walk_stopped", {"node": node.name}

    def _repeats(self) -> Iterator[Fault]:
        """A node that fired more than once: right sums mean one walk per path, wrong ones worse."""
        for name, times in Counter(node.name for node, _ in self.calls).items():
            if times > 1:
                single = all(self._is_arrival(node.name, g) for node, g in self.calls if node.name == name)
                worse = "walk_overwrite" if single else "walk_again"
                yield worse if any(self._wrong_leaves()) else "walk_paths", {"node": name, "times": times}

    def _order(self) -> Iterator[Fault]:
        arrived: Counter[str] = Counter()
        for node, g in self.calls:
            name, due = node.name, len(self.arrivals[node.name])
            if arrived[name] < due:
                yield "walk_early", {"node": name, "came": arrived[name], "of": due}
            elif not close(g, self.gradients[name]):
                yield self._wrong_sum(name, g)
            arrived.update(target.name for target, _ in node._links)

    def _wrong_sum(self, name: str, got: float) -> Fault:
        values = {"node": name, "got": as_text(got), "want": as_text(self.gradients[name])}
        if any([target.name for target, _ in node._links].count(name) > 1 for node in self.nodes):
            return "walk_double_edge", values
        return ("walk_overwrite" if self._is_arrival(name, got) else "walk_sum"), values

    def _leaves(self) -> Iterator[Fault]:
        for leaf in self._wrong_leaves():
            missing = "walk_no_leaf", {"node": leaf.name}
            yield missing if leaf.grad == 0.0 else self._wrong_sum(leaf.name, leaf.grad)

    def _wrong_leaves(self) -> Iterator[ExerciseNode]:
        leaves = (node for node in self.nodes if not node._links)
        return (leaf for leaf in leaves if not close(leaf.grad, self.gradients[leaf.name]))

    def _is_arrival(self, name: str, g: float) -> bool:
        return len(self.arrivals[name]) > 1 and any(close(g, one) for one in self.arrivals[name])


def close(got: Any, want: float) -> bool:
    """Whether a gradient is the wanted one; what is no number is not."""
    try:
        return isclose(got, want, rel_tol=1e-9)
    except TypeError:  # None, a list, a tensor of another shape ...
        return False


def as_text(g: Any) -> str:
    """A number as short as it can be, anything else as Python shows it."""
    return f"{g:g}" if isinstance(g, int | float) else repr(g)


def first_fault(answer: Callable, program: Program, gradients: dict[str, float]) -> Fault | None:
    """Let the learner walk one graph; return the first fault, or "untouched"."""
    log = Log()
    nodes = build(program, log)
    root = list(nodes.values())[-1]
    try:
        answer(root)
    except Endless:
        return "walk_endless", {"steps": PATIENCE}
    except Exception as error:  # whatever the learner's code raises is news for the learner
        return "walk_raised", {"error": f"{type(error).__name__}: {error}"}
    if not log.calls and not any(node.grad for node in nodes.values()):
        return "untouched", {}
    return next(Referee(nodes, log, gradients).faults(), None)


def check_backward(answer: Any) -> Verdict:
    """Exercise 03: `my_backward(root)` leaves the gradient of every leaf in its `.grad`."""
    if not callable(answer):
        return wrong("03", "walk_not_callable")
    for program, gradients in cases():
        fault = first_fault(answer, program, gradients)
        if fault and fault[0] == "untouched":
            return not_yet("03")
        if fault:
            return wrong("03", fault[0], str(program), **fault[1])
    nodes = sum(len(program.operations) for program, _ in cases())
    return right("03", "walk_right", graphs=len(cases()), nodes=nodes)


PREDICTIONS = {"A": "walk_guess_twice", "B": "walk_guess_first", "D": "walk_guess_product"}


def check_prediction(answer: Any) -> Verdict:
    """Exercise 03.1: what the shared node of the diamond does, A, B, C or D."""
    letter = str(answer).strip().upper()
    if letter == "C":
        return right("03.1", "walk_guess_right")
    return wrong("03.1", PREDICTIONS.get(letter, "walk_guess_letter"))
