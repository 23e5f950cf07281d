"""Checkers of the course's exercises: `check("03", my_backward)` says what is right, what is not.

A checker runs the learner's answer on small cases, finds the smallest one that goes wrong and names
the idea that may be behind it. It never shows the solution. Each lesson has a file of its own, the
sentences are in `text/lessons.toml`.

For teachers: `register` adds an exercise; where learners agree, `keep(folder)` notes what they are told, and
`collect(folder)` makes one page of it.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from pkgutil import resolve_name
from typing import Any

from ..graph import fetcher
from ..text import demand, say
from . import forms, guesses
from .classroom import collect, keep, note, own_exercise
from .exercise import stored
from .forms import form
from .running import is_empty
from .verdict import Verdict, not_yet

__all__ = ["Verdict", "check", "collect", "diamond", "form", "keep", "picture", "programs", "register"]

CHECKERS: dict[str, Callable[[Any], Verdict]] = {}  # of a teacher's own exercises


def checker(exercise: str) -> Callable[[Any], Verdict]:
    """What judges answers to an exercise. Raises: ValueError if there is no such exercise."""
    built_in, questions = stored("cases")["exercises"], stored("cases")["guesses"]
    by_letters = {**dict.fromkeys(questions, guesses.judged), **dict.fromkeys(forms.NAMES, forms.judged)}
    if exercise in by_letters:
        return partial(by_letters[exercise], exercise)
    known = {*built_in, *CHECKERS, "form.A", "form.B"}
    if exercise not in known:
        near = get_close_matches(str(exercise), known | {*questions}, 3) or sorted(known)
        raise ValueError(say("lessons.no_exercise", exercise=exercise, near=", ".join(near)))
    return CHECKERS.get(exercise) or resolve_name(f"{__name__}.{built_in[exercise]}")


def check(exercise: str, answer: Any) -> Verdict:
    """Judge `answer` to an exercise of the course, such as `check("03", my_backward)`.

    A player or another widget that asked questions, or its `.answers`, is judged too.
    Raises: ValueError if there is no such exercise.
    """
    judge, kept = checker(exercise), guesses.answers_of(answer)
    if kept == [] or (kept is None and is_empty(answer)):
        return not_yet(exercise)
    verdict = note(judge(answer) if kept is None else guesses.check_answers(exercise, kept))
    return forms.with_a_missed_item(verdict) if exercise.endswith(".recall") or exercise == "later" else verdict


def register(exercise: str, solution: Callable, cases: Iterable[tuple], mistakes: Mapping[str, Any] | None = None,
             sentences: Mapping[str, Any] | None = None) -> None:
    """Add an exercise of your own: from now on `check(exercise, answer)` judges it as it judges ours.

    `solution` is a right answer: on each of `cases`, the arguments of one call, from small to large, it says what
    must come out, numbers or tensors or lists of them. `mistakes` has the name of an idea and the function that
    somebody with this idea would write, or several. It is told where it does what the learner's does on all cases,
    with its sentence in `sentences`: a text, or `{"en": ..., "zh": ...}`; for a name of ours ours, if none is given.

        register("tax", lambda x: x * 1.19, [(100.0,), (59.0,)],
                 {"only_the_tax": lambda x: x * 0.19}, {"only_the_tax": "That is the tax. What does one pay?"})

    Raises: ValueError where the course has this name, where there are no cases, where `solution` itself would not be
    told right, where a mistake has no sentence, and where one does what `solution` does on all of them.
    """
    ours = exercise in stored("cases")["exercises"] or exercise in stored("cases")["guesses"]
    demand(not ours and not exercise.startswith("form."), "lessons.taken", exercise=exercise)
    CHECKERS[exercise] = own_exercise(exercise, solution, cases, mistakes or {}, sentences or {})


# what lessons show, read when it is first asked for
__getattr__, _ = fetcher(__name__, {"diamond": "lesson_03", "picture": "lesson_02", "programs": "lesson_06:PROGRAMS"})
