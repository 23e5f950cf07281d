"""An exercise: cases that grow, what a right answer does on each, and wrong models of it.

**Diagnosis by imitation.** A misconception has wrong models: small functions that do what somebody
with this idea would write. Its name is given when a model does on *all* cases what the answer does.
What no number tells (the engine was called, f ran twice) is a sign: a function of the trials. An answer that
nothing explains is told `wrong_value`.

Most cases are programs that `programs(name)` runs line by line, with the answer under that name; what they
come to are expressions of their names.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from itertools import islice, pairwise
from math import inf, isclose, isfinite
from numbers import Number
from pathlib import Path
from typing import Any

from ..graph.snapshot import Graph
from ..text import get_language, knows, say
from .running import OURS, Outcome, attempt, in_words
from .verdict import Verdict, right, wrong

CLOSE = {"rel_tol": 2e-5, "abs_tol": 2e-6}  # float32, after a few operations
WIDTH = 76  # of a value in a verdict
HUGE = 10**300  # no float holds much more


@dataclass(frozen=True)
class Case:
    """One trial of the answer: as a program, for the reader; what `play` needs; what must come out."""

    program: str
    data: tuple[Any, ...]
    want: Mapping[str, Any]  # label -> number, or lists of numbers
    too_long: str = "endless"  # what an answer is told that was right before and does not end on this case


@dataclass(frozen=True)
class Trial:
    """What the answer did on a case: `got` is compared, `facts` are for signs and sentences."""

    case: Case
    outcome: Outcome
    got: Mapping[str, Any]
    facts: Mapping[str, Any]

    @property
    def fault(self) -> str | None:
        """The key of what went wrong before there was a number: an error, an endless loop, or nothing."""
        return self.outcome.fault

    @property
    def right(self) -> bool:
        """Whether every number is as it should be."""
        return self.fault is None and all(same(self.got.get(k), want) for k, want in self.case.want.items())

    def like(self, other: Trial) -> bool:
        """Whether two answers did the same: the same numbers, or the same error, whatever the numbers in its text."""
        if self.fault or other.fault:
            return self.fault == other.fault and wording(self.outcome.error) == wording(other.outcome.error)
        return all(same(self.got.get(k), other.got.get(k)) for k in self.case.want)


Play = Callable[..., tuple[Mapping[str, Any], Mapping[str, Any]]]  # play(answer, *data) -> (got, facts)
Sign = Callable[[Sequence[Trial]], Trial | None]  # the trial that shows it, or None
KINDS: dict[str, Callable[[Any], bool]] = {  # of answers
    "function": lambda answer: callable(answer) and not inspect.isclass(answer),
    "class": inspect.isclass,
    "text": lambda answer: isinstance(answer, str | list | tuple)}


@dataclass
class Exercise:
    """Judges answers to one exercise; see the files `lesson_*` for examples.

    `cases()` makes them, smallest first. `play(answer, *case.data)` calls the answer on fresh inputs and
    returns what is compared and further facts. `habit` of a trial must be the model's too; what is `excused` is
    not held against models. `signs` are looked for before the numbers, `economy` after them; `observed` says what
    a failing trial itself tells, where no model explains it.
    """

    id: str
    make_cases: Callable[[], Iterable[Case]]
    play: Play
    models: Mapping[str, Sequence[Callable]] = field(default_factory=dict)
    signs: Mapping[str, Sign] = field(default_factory=dict)
    economy: Mapping[str, Sign] = field(default_factory=dict)
    sentences: Mapping[str, Any] = field(default_factory=dict)  # an instructor's own: text or {"en": ..., "zh": ...}
    draw: Callable[[Trial, str], Any] = lambda trial, key: None
    habit: Callable[[Trial], Any] = lambda trial: None
    excused: Callable[[Trial], bool] = lambda trial: False
    observed: Callable[[Trial, Sequence[Trial]], str] = lambda trial, trials: "wrong_value"
    of: str = "function"  # what the answer is, one of KINDS
    imitations: dict[Any, tuple[Trial, Any]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """All cases, from small to large."""
        return tuple(self.make_cases())

    def __call__(self, answer: Any) -> Verdict:
        """Judge an answer."""
        if not KINDS[self.of](answer):
            return wrong(self.id, "kind", self.say(f"kind_{self.of}", exercise=self.id))
        if inspect.isgeneratorfunction(answer):
            return wrong(self.id, "generator", self.say("generator"))
        trials = self.trials(answer)
        return self.behaviour(trials) or self.numbers(trials) or self.first(self.economy, trials) or self.praise(trials)

    def trials(self, answer: Callable) -> list[Trial]:
        """The answer on every case, up to one that does not end."""
        trials = []
        for case in self.cases:
            trials.append(self.trial(answer, case))
            if trials[-1].fault == "endless":
                break
        return trials

    def trial(self, answer: Callable, case: Case) -> Trial:
        """The answer on one case."""

        def played() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
            got, facts = self.play(answer, *case.data)
            return {k: plain(v, case.want.get(k)) for k, v in got.items()}, facts

        outcome = attempt(played)
        got, facts = ({}, {}) if outcome.fault else outcome.value
        return Trial(case, outcome, got, facts)

    def behaviour(self, trials: Sequence[Trial]) -> Verdict | None:
        """What the answer does instead of answering: it does not end, returns nothing, or something else."""
        if trials[-1].fault == "endless" and all(t.right for t in trials[:-1]):
            return self.tell(trials[-1].case.too_long, trials[-1])
        return self.first({**COMMON, **self.signs}, trials)

    def numbers(self, trials: Sequence[Trial]) -> Verdict | None:
        """The smallest case that goes wrong, with the idea that explains all of them."""
        first = next((t for t in trials if not t.right), None)
        if first is None:
            return None
        if first.fault not in ("raised", None):
            return self.tell(first.fault, first)
        if idea := self.imitated(trials):
            return self.tell(idea, next(t for t in trials if not (t.right or self.excused(t))))
        if shown := constant(trials):
            return self.tell("constant", shown)
        return self.tell(first.fault or ("kind:brackets" if nested(trials) else self.observed(first, trials)), first)

    def imitated(self, trials: Sequence[Trial]) -> str | None:
        """The misconception with a model that does what the answer does, on all cases."""
        held = [t for t in trials if t.fault != "endless" and not self.excused(t)]
        if all(t.right for t in held) or all(t.fault for t in held):  # where nothing comes out, no idea shows
            return None
        return next((key for key, models in self.models.items() for model in models if all(
            t.like((one := self.imitation(model, t.case))[0]) and self.habit(t) == one[1] for t in held)), None)

    def imitation(self, model: Callable, case: Case) -> tuple[Trial, Any]:
        """What a model does on a case, and its habit: found once, and tried again where time ran out."""
        key = model, id(case)
        if key not in self.imitations:
            one = self.trial(model, case)
            one = self.trial(model, case) if one.fault == "endless" else one
            self.imitations[key] = replace(one, outcome=replace(one.outcome, value=None), facts={}), self.habit(one)
        return self.imitations[key]

    def first(self, signs: Mapping[str, Sign], trials: Sequence[Trial]) -> Verdict | None:
        """What the first of the signs that shows itself has to say."""
        return next((self.tell(key, shown) for key, sign in signs.items() if (shown := sign(trials)) is not None), None)

    def praise(self, trials: Sequence[Trial]) -> Verdict:
        """Everything is right; the sentence of the exercise asks on."""
        key = f"right_{self.id}"
        more = self.say(key) if key in self.sentences or knows(f"lessons.{key}") else ""
        tried = say("lessons.all_cases", cases=len(self.cases)) if len(self.cases) > 1 else ""
        return right(self.id, tried, more)

    def tell(self, key: str, trial: Trial) -> Verdict:
        """The verdict on a wrong answer."""
        compared = [say("lessons.compared", what=k, got=as_text(trial.got[k]), want=as_text(want))
                    for k, want in trial.case.want.items() if k in trial.got and not same(trial.got[k], want)]
        blanks = {"error": trial.outcome.error, "calls": len(trial.outcome.calls), **trial.facts}
        key, _, sentence = key.partition(":")  # "wrong_value:f_twice" has a sentence of its own
        if key == "raised":  # outside: in a line of the case
            own = {"SystemExit": "exits", "RecursionError": "nested_calls"}.get(trial.outcome.error.partition(":")[0])
            sentence = own or ("" if trial.outcome.line else f"raised_outside_{self.of}")
        return wrong(self.id, key, self.say(sentence or key, **blanks),
                     case=trial.case.program, line=trial.outcome.line, compared="\n".join(compared),
                     printed=shortened(trial.outcome.printed), drawing=self.draw(trial, key))

    def say(self, key: str, **blanks: Any) -> str:
        """A sentence: the exercise's own, or the catalogue's."""
        own = self.sentences.get(key)
        if own is None:
            special = f"{key}_{self.id}".replace(".", "_")
            return say(f"lessons.{special if knows(f'lessons.{special}') else key}", **blanks)
        return own if isinstance(own, str) else str(own.get(get_language()) or next(iter(own.values())))


def drawn(graph: Graph, marks: Iterable[str] = ()) -> Any:
    """The picture of a graph, with the parts marked that are spoken of."""
    from ..viz.display import Drawing  # what draws is loaded when there is something to draw

    return Drawing(graph, lang=get_language(), marks=frozenset(marks))


def wording(error: str) -> str:
    """An error without its numbers; that shapes do not fit, each library says in words of its own."""
    return "shapes" if re.search("shape|dimension", error) else re.sub(r"\d+", "", error)


def plain(value: Any, want: Any = ()) -> Any:
    """A number, or lists of numbers, of whatever holds some; everything else as it is. One alone is that number."""
    if hasattr(value, "tolist") and not inspect.isclass(value):  # tensors and arrays of any library
        value = value.tolist()
    value = [plain(v) for v in value] if isinstance(value, list | tuple) else value
    if isinstance(value, Number) and not isinstance(value, float | complex):  # whole, or a fraction or a decimal
        value = inf if abs(value) > HUGE else value if isinstance(value, int) else float(value)
    while isinstance(want, int | float) and isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def is_number(value: Any) -> bool:
    """Whether `plain` made numbers of it."""
    return all(map(is_number, value)) if isinstance(value, list) else isinstance(value, int | float)


def same(got: Any, want: Any) -> bool:
    """Whether two plain values are the same, up to rounding."""
    if isinstance(got, list) and isinstance(want, list):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(got, int | float) and isinstance(want, int | float):
        return isclose(got, want, **CLOSE) or not (isfinite(got) or isfinite(want))  # how it overflows is no matter
    return got is want or (type(got) is type(want) and got == want)


def as_text(value: Any) -> str:
    """A value as short as it can be."""
    if isinstance(value, list):
        return shortened(f"[{', '.join(map(as_text, value))}]")
    return f"{value:.6g}" if isinstance(value, float) else shortened(in_words(repr, value))


def shortened(text: str) -> str:
    """The beginning of a long text."""
    text = " / ".join(text.splitlines())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def pair(value: Any, *names: str) -> dict[str, Any]:
    """The parts of what was returned, by name, as Python unpacks it; where it has not so many, its kind for all."""
    if len(names) == 1 or value is None:
        return dict.fromkeys(names, value)
    whole = isinstance(value, Mapping | str) or not hasattr(value, "__iter__") or getattr(value, "shape", None) == ()
    parts = [] if whole else list(islice(value, len(names) + 1))
    return dict(zip(names, parts, strict=True)) if len(parts) == len(names) else {", ".join(names): type(value)}


def programs(name: str, watch: Callable[[dict[str, Any]], dict[str, Any]] = lambda names: {}, call: str = "") -> Play:
    """Play cases whose data are a program and expressions: one statement a line, with the answer called `name`.

    `watch(names)` is called before the line that calls the answer, as its `call` tells; what it returns are facts.
    """
    call = call or f"{name}("

    def play(answer: Any, program: str, *labels: str) -> tuple[dict[str, Any], dict[str, Any]]:
        names: dict[str, Any] = {"torch": import_module("minigrad"), name: answer}
        facts: dict[str, Any] = {"names": names}
        got: dict[str, Any] = {}
        try:
            for line in program.splitlines():
                targets, assigned, value = line.partition(" = ")
                if call in line:
                    facts |= watch(names)
                if assigned and call in line:
                    got = pair(eval(ours(value, "eval"), names), *targets.split(", "))
                    names.update(got)
                    if any(v is None or inspect.isgenerator(v) or inspect.isclass(v) for v in got.values()):
                        return got, facts
                else:
                    exec(ours(line, "exec"), names)
            return {label: eval(ours(label, "eval"), names) for label in labels}, facts
        except AttributeError:
            if not got:
                raise
            return {name: type(value) for name, value in got.items()}, facts  # it is of another kind

    return play


def ours(source: str, mode: str) -> Any:
    """Compiled as if it stood here, so that no line of it is taken for the learner's."""
    return compile(source, f"{OURS}/lessons/case", mode)


def run(source: str, names: dict[str, Any]) -> str:
    """Run a program of ours in these names, and minigrad's as `torch`; what it prints."""
    names.setdefault("torch", import_module("minigrad"))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(ours(source, "exec"), names)
    return printed.getvalue()


@cache
def stored(name: str) -> Mapping[str, Any]:
    """What is asked, as data: `cases.toml` or `items.toml`."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


def written(name: str) -> Callable[[], Iterable[Case]]:
    """The cases for `programs` that `cases.toml` has under a name."""
    return lambda: (Case(row["program"], (row["program"], *row["want"]), row["want"], row.get("too_long", "endless"))
                    for row in stored("cases")[name])


def models(exercise: str, names: dict[str, Any], form: str = "{}") -> dict[str, list[Any]]:
    """The wrong models that `cases.toml` has for each idea: Python in a lesson's own `names`, with `form` around it."""
    ideas = stored("cases")["models"][exercise]
    return {idea: [eval(ours(form.format(row), "eval"), names) for row in rows] for idea, rows in ideas.items()}


def whenever(shows: Callable[[Trial], bool]) -> Sign:
    """A sign that the first trial gives for which `shows` is true."""
    return lambda trials: next((t for t in trials if t.fault is None and shows(t)), None)


def noting(f: Callable, places: list[Any]) -> Callable:
    """`f`, which notes the numbers that it is called with; None where there are none to be told, as under vmap."""

    def noted(x: Any) -> Any:
        places.append(None)
        with contextlib.suppress(RuntimeError):
            places[-1] = value if is_number(value := plain(x, 0)) else None
        return f(x)

    return noted


def at_places(trial: Trial) -> bool:
    """Whether a function ran at more places than one."""
    return len({*map(repr, trial.facts["places"])} - {"None"}) > 1


def differs(label: str) -> Sign:
    """A sign that the first trial gives where this is not as it should be."""
    return whenever(lambda t: label in t.case.want and not same(t.got.get(label), t.case.want[label]))


def grows(trial: Trial) -> bool:
    """Whether each backward had more nodes to run than the one before."""
    return len(trial.outcome.calls) > 1 and all(a < b for a, b in pairwise(trial.outcome.calls))


def missing(trial: Trial) -> bool:
    """Whether something that is to be returned is None; a name with a dot is not returned."""
    return any(v is None and "." not in k for k, v in trial.got.items())


def depth(value: Any) -> int:
    """How many lists lie around the numbers."""
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def nested(trials: Sequence[Trial]) -> bool:
    """Whether what is returned lies deeper in lists than what is asked for, or less deep, in every case."""
    return any(all(depth(t.got.get(k)) != depth(t.case.want.get(k)) for t in trials)
               for k in trials[0].case.want if "." not in k)


def too_deep(trials: Sequence[Trial]) -> Trial | None:
    """Everything is right but the longest case: there, calls lie within calls, until Python had enough."""
    failing = [t for t in trials if not t.right]
    return failing[0] if failing == [trials[-1]] and failing[0].outcome.error == "RecursionError" else None


def constant(trials: Sequence[Trial]) -> Trial | None:
    """The same is returned in each case, and in this one it is not right."""
    first, *others = ({k: v for k, v in t.got.items() if "." not in k} for t in trials)
    alike = all(row.keys() == first.keys() and same([*row.values()], [*first.values()]) for row in others)
    wrong = (t for t in trials if any(not same(v, t.case.want.get(k, v)) for k, v in first.items()))
    return next(wrong, None) if others and alike else None


COMMON: dict[str, Sign] = {"prints": whenever(lambda t: missing(t) and bool(t.outcome.printed)),
    "nothing": whenever(missing), "generator": whenever(lambda t: any(map(inspect.isgenerator, t.got.values()))),
    "kind:parts": whenever(lambda t: any(", " in k and "." not in k for k in t.got)),
    "kind": whenever(lambda t: any("." not in k and not is_number(v) for k, v in t.got.items()))}
BY_ITSELF: dict[str, Sign] = {"calls_backward": whenever(lambda t: bool(t.outcome.calls))}  # where that is the exercise
