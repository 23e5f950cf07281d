"""Lesson 6, "Where did my gradient go?": eight programs with a cut to mend, and whether a record leads to a leaf."""

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .exercise import BY_ITSELF, KINDS, Case, Exercise, Trial, plain, programs, run, same, stored, whenever, written

# each is given km and fare, and should leave the gradient at w = 2 in w.grad
PROGRAMS = {int(number): text for number, text in stored("cases")["programs"].items()}
RECEIPTS = {"w.grad": (1.5, 1.5, 4.5), "w.grad (km = 2.5, fare = 2)": (2.5, 2.0, 15.0)}  # km, fare, gradient
WANT = {label: grad for label, (*_, grad) in RECEIPTS.items()} | {"w.is_leaf": True, "w.data": 2.0}


def with_line(number: int, at: Any, text: Any) -> list[str]:
    """The lines of a program, with another line `at`, if it has one."""
    return [text if n == at else line for n, line in enumerate(PROGRAMS[number].splitlines(), 1)]


def mended(number: int, at: int, text: str) -> tuple[dict[str, Any], list[str]]:
    """What comes of a program with another line `at`, and what it printed for each receipt."""
    lines, got, printed = with_line(number, at, text), {}, []
    for label, (km, fare, _) in RECEIPTS.items():
        names: dict[str, Any] = {"km": km, "fare": fare}
        printed.append(run("\n".join(lines), names))
        w = names["w"]
        got |= {label: w.grad, "w.is_leaf": w.is_leaf, "w.data": w.data}
    return got, printed


def mends_below(number: int, fix: Any) -> int:
    """Whether this fix would mend the program one line further down; 2, if it begins otherwise than its own line."""
    with contextlib.suppress(Exception):
        got, _ = mended(number, fix[0] + 1, fix[1])
        begins = "".join(PROGRAMS[number].splitlines()[fix[0] - 1:fix[0]]).partition(" ")[0]
        return all(same(plain(got[k]), v) for k, v in WANT.items()) * (1 + (fix[1].split()[0] != begins))
    return 0


def parts(fixes: Mapping[int, Any], number: int) -> tuple[Any, Any]:
    """Where this program gets which line; where there is no fix, its own first one."""
    fix = fixes.get(number, ...)
    fix = (1, PROGRAMS[number].splitlines()[0]) if fix is ... else fix
    at, text = fix if isinstance(fix, tuple | list) and len(fix) == 2 else (None, None)
    return at, text.strip() if isinstance(text, str) else text


def play(fixes: Mapping[int, Any], number: int) -> tuple[dict, dict]:
    fix, (at, text) = fixes.get(number), parts(fixes, number)
    if not isinstance(at, int) or not isinstance(text, str):
        return {"fix": type(fix)}, {}
    facts = {"at": at, "text": re.sub("#.*", "", text)}
    if all(below := [mends_below(n, fix) for n, fix in fixes.items() if fix is not ...]) and max(below) > 1:
        return {}, {**facts, "elsewhere": True}
    got, printed = mended(number, at, text)
    return got, {**facts, "printed": printed}


def elsewhere(trial: Trial) -> bool:
    """All lines were counted from 0, or there is no such line."""
    last = len(PROGRAMS[trial.case.data[0]].splitlines())
    return "elsewhere" in trial.facts or not 0 < trial.facts.get("at", 1) <= last


class Repairs(Exercise):
    """Exercise 06.1: programs that nobody mended wait; the others are shown with their new line."""

    def trials(self, answer: Any) -> list[Trial]:
        return sorted(super().trials(answer), key=lambda t: answer.get(t.case.data[0], ...) is ...)

    def trial(self, answer: Any, case: Case) -> Trial:
        (number,) = case.data
        at, text = parts(answer, number)
        rows = [f"{n} {'>' if n == at and answer.get(number, ...) is not ... else '|'} {line}"
                for n, line in enumerate(with_line(number, at, text), 1)]
        head = f"# programs[{number}], km = 1.5, fare = 1.5"
        return super().trial(answer, replace(case, program="\n".join([head, *rows])))


def observed(trial: Trial, trials: Sequence[Trial]) -> str:
    """What a mended program does tells where its line went wrong."""
    facts, got = trial.facts, trial.got
    facts["mended"] = sum(t.right for t in trials)
    before = PROGRAMS[trial.case.data[0]].splitlines()[facts["at"] - 1]
    if facts["text"] == before:
        return "still_cut:no_new_line"
    if not got["w.is_leaf"]:
        return "still_nonleaf"
    if all(any(same(float(number), grad) for number in re.findall(r"-?\d+\.\d*", text))
           for text, (*_, grad) in zip(facts["printed"], RECEIPTS.values(), strict=True)):
        return "other_tensor"
    if any(got[k] is not None for k in RECEIPTS) or not same(got["w.data"], WANT["w.data"]):
        return "other_value"
    return "sprinkle" if facts["text"].count("requires_grad") > before.count("requires_grad") else "still_cut"


KINDS["fixes"] = lambda answer: isinstance(answer, Mapping) and answer.keys() <= PROGRAMS.keys()
FIXES = Repairs("06.1", lambda: (Case(text, (n,), WANT) for n, text in PROGRAMS.items()), play, of="fixes", signs={
    "two_lines": whenever(lambda t: any(mark in t.facts.get("text", "") for mark in "\n;")),
    "wrong_line": whenever(elsewhere),
    # the number is written where it would be read
    "symptom": whenever(lambda t: bool(re.search(r"\bw\.grad\s*\S?=[^=]|setattr\(w|print\(.*4\.5", t.facts["text"]))),
}, observed=observed)

# 06: whether the record of a result leads to w


def search(edges: slice = slice(None), levels: int = 1000,
           counts: Callable = lambda variable, leaf: variable is leaf) -> Callable:
    """A wrong model: which edges are followed from a node, how far, and which leaf counts."""

    def model(result: Any, leaf: Any) -> bool:
        level, seen = [result.grad_fn], {None}
        for _ in range(levels):
            level = [n for n in dict.fromkeys(level) if n not in seen]
            seen |= {*level}
            if any(counts(n.variable, leaf) for n in level if hasattr(n, "variable")):
                return True
            level = [n for node in level for n, _ in node.next_functions[edges]]
        return False

    return model


EXERCISE = Exercise("06", written("06"), programs("reaches"), {
    "first_edge": [search(slice(1)), search(slice(-1, None))], "one_level": [search(levels=2), search(levels=3)],
    "by_value": [search(counts=lambda variable, leaf: bool(variable == leaf))],
    "any_leaf": [search(counts=lambda variable, leaf: True)],
    "asks_the_switch": [lambda result, leaf: leaf.requires_grad,
                        lambda result, leaf: leaf.requires_grad and result.requires_grad],
    "asks_the_drawer": [lambda result, leaf: leaf.grad is not None],
}, signs=BY_ITSELF, excused=lambda t: "NoneType" in t.outcome.error)
