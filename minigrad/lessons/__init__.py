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
from importlib import import_module
from typing import Any

from ..text import demand, say
from .classroom import collect, keep, note, own_exercise
from .exercise import stored
from .verdict import Verdict
from .widgets import answers_of, check_answers

__all__ = ["Verdict", "check", "collect", "diamond", "form", "keep", "picture", "programs", "register"]

CHECKERS: dict[str, Callable[[Any], Verdict]] = {}


def checker(exercise: str) -> Callable[[Any], Verdict]:
    """What judges answers to an exercise. Raises: ValueError if there is no such exercise."""
    built_in = stored("cases")["exercises"]
    if exercise not in CHECKERS:
        if exercise in (guesses := import_module(".guesses", __name__)).KEYS:
            return CHECKERS.setdefault(exercise, partial(guesses.judged, exercise))
        if exercise.startswith("form.") and exercise in (forms := import_module(".forms", __name__)).NAMES:
            return CHECKERS.setdefault(exercise, forms.Items(exercise))
        if exercise not in built_in:
            known = {*built_in, *CHECKERS, "form.A", "form.B"}
            near = get_close_matches(exercise, known | {*guesses.KEYS}, 3) or sorted(known)
            raise ValueError(say("lessons.no_exercise", exercise=exercise, near=", ".join(near)))
        CHECKERS[exercise] = found(built_in[exercise])
    return CHECKERS[exercise]


def check(exercise: str, answer: Any) -> Verdict:
    """Judge `answer` to an exercise of the course, such as `check("03", my_backward)`.

    A player or another widget that asked questions, or its `.answers`, is judged too.
    Raises: ValueError if there is no such exercise.
    """
    judge = checker(exercise)
    verdict = note(judge(answer) if answers_of(answer) is None else check_answers(exercise, answer))
    return found("forms.with_a_missed_item")(verdict) if exercise.endswith(".recall") else verdict


def register(exercise: str, solution: Callable, cases: Iterable[tuple], mistakes: Mapping[str, Any] | None = None,
             sentences: Mapping[str, Any] | None = None) -> None:
    """Add an exercise of your own: from now on `check(exercise, answer)` judges it as it judges ours.

    `solution` is a right answer: on each of `cases`, the arguments of one call, from small to large, it says what
    must come out, numbers or tensors or lists of them. `mistakes` has the name of an idea and the function that
    somebody with this idea would write, or several. It is told where it does what the learner's does on all cases,
    with its sentence in `sentences`: a text, or `{"en": ..., "zh": ...}`; for a name of ours ours, if none is given.

        register("tax", lambda x: x * 1.19, [(100.0,), (59.0,)],
                 {"only_the_tax": lambda x: x * 0.19}, {"only_the_tax": "That is the tax. What does one pay?"})

    Raises: ValueError where the course has this name, where there are no cases, where a mistake has no sentence,
    and where one does what `solution` does on all of them.
    """
    ours = exercise in stored("cases")["exercises"] or exercise in stored("cases")["guesses"]
    demand(not ours and not exercise.startswith("form."), "lessons.taken", exercise=exercise)
    CHECKERS[exercise] = own_exercise(exercise, solution, cases, mistakes or {}, sentences or {})


# what lessons show
LATER = {"diamond": "lesson_03.diamond", "form": "forms.form", "picture": "lesson_02.picture",
         "programs": "lesson_06.PROGRAMS"}


def __getattr__(name: str) -> Any:
    if name in LATER:
        return found(LATER[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def found(place: str) -> Any:
    """What stands at "lesson_03.diamond", read when it is first asked for."""
    module, _, name = place.partition(".")
    return getattr(import_module(f".{module}", __name__), name)
