"""The test before and after the course: two forms of 16 items each, and what comes back of it in the lessons.

`form("A")` shows the questions, `check("form.A", {1: "b", 2: "c!", ...})` takes the answers, all at once, or a list
of all 16: while one is open nothing is handed in, and no answer is told right or wrong. They are kept in one file on
this machine. The form that is handed in first is the one before the course. What was missed in it comes back below
the recall of later lessons, and is answered by itself then: `check("form.A7", "c")`, which asks the next one.
"""

import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..text import demand, get_language, say
from .classroom import note
from .exercise import stored
from .running import is_empty, typed
from .verdict import Verdict, not_yet, right, wrong

LESSON = 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 8  # of each item
SHORT = 1, 2, 4, 5, 7, 8, 15, 16
ALL = tuple(range(1, len(LESSON) + 1))
NAMES = {f"form.{form}{number}" for form in "AB" for number in ("", *ALL)}
LETTERS = "ABCDE"  # the last one: I do not know yet


def question(item: str, lang: str) -> tuple[str, str, list[str]]:
    """The question of "A7", its program, and the four answers with their letters."""
    asked, *answers = say(f"items.{item}", lang).splitlines()
    marked = [f"{letter}) {answer}" for letter, answer in zip(LETTERS, answers, strict=False)]
    return asked, stored("items")[item].get("program", "").strip(), marked


def as_text(item: str) -> str:
    """The item as plain text; in both languages it is asked in English."""
    asked, program, answers = question(item, spoken())
    return "\n".join([asked, *(f"    {row}" for row in program.splitlines()), "   ".join(answers)])


def spoken() -> str:
    """The language of questions: one, where two are in use."""
    return "en" if get_language() == "both" else get_language()


@dataclass(frozen=True)
class Form:
    """The questions of one form, as a notebook shows them and `print` writes them; a browser prints them, too."""

    name: str
    numbers: tuple[int, ...]

    def head(self) -> tuple[str, str]:
        """Title, and how to answer."""
        return say("items.title", spoken(), form=self.name, count=len(self.numbers)), say("items.how", spoken())

    def __repr__(self) -> str:
        return "\n\n".join([*self.head(), *(f"{n}. {as_text(f'{self.name}{n}')}" for n in self.numbers)])

    def _repr_html_(self) -> str:
        rows = []
        for number in self.numbers:
            asked, program, answers = question(f"{self.name}{number}", spoken())
            code = f"<pre><code>{escape(program)}</code></pre>" if program else ""
            rows.append(f'<li value="{number}">{escape(asked)}{code}<p>{"<br>".join(map(escape, answers))}</p></li>')
        title, how = map(escape, self.head())
        return f"<h2>{title}</h2><p>{how}</p><ol>{''.join(rows)}</ol>"


def form(name: Any, short: bool = False) -> Form | Verdict:
    """The questions of form "A" or "B"; `short` leaves half of them, for the track of two hours.

    Raises: ValueError for another name; `...` is not yet one.
    """
    if name is ...:
        return not_yet("form")
    demand(name in ("A", "B"), "items.no_form", given=repr(name))
    return Form(name, SHORT if short else ALL)


def kept() -> Path:
    """The file with this learner's answers: in the folder that MINIGRAD_HOME names, else in `~/.minigrad`."""
    return Path(os.environ.get("MINIGRAD_HOME") or Path.home() / ".minigrad") / "answers.jsonl"


def rows() -> list[dict[str, Any]]:
    """What is kept, oldest first; lines that are nothing of ours are left where they are, and passed over."""
    found = []
    with suppress(OSError, UnicodeDecodeError):
        for line in kept().read_text("utf-8").splitlines():
            with suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict) and row.get("item") in stored("items") and row.get("answer") in (*LETTERS,):
                    found.append(row)
    return found


def keep(answers: Mapping[str, str]) -> None:
    """Add answers to the file, `{"A7": "c!"}`. Raises: OSError where it cannot be written."""
    kept().parent.mkdir(parents=True, exist_ok=True)
    with kept().open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"item": item, "answer": said[0], "sure": said.endswith("!")}) + "\n"
                        for item, said in answers.items())


def idea(item: str, answer: str) -> str:
    """The misconception behind an answer, "" where it is right."""
    return "unknown" if answer == "E" else stored("items")[item]["ideas"][LETTERS.index(answer)]


def letter(given: Any) -> str | None:
    """The answer as it is kept, "B" or "B!", or None for what is none."""
    said = typed(given)
    return said if said[:1] in (*LETTERS,) and said[1:] in ("", "!") else None


def judged(exercise: str, answer: Any) -> Verdict:
    """Take the answers to a whole form, `form.A`, or judge an answer to an item that came back of it, `form.A7`."""
    try:
        return (one_item if exercise[6:] else whole_form)(exercise, exercise.removeprefix("form."), answer)
    except OSError as error:
        return told(exercise, "not_kept", file=kept(), error=error)


def told(exercise: str, key: str, /, **blanks: Any) -> Verdict:
    """A word that judges nothing."""
    return Verdict(exercise, None, say(f"items.{key}", **blanks))


def whole_form(exercise: str, name: str, answer: Any) -> Verdict:
    """Keep the answers to a form, if none is open; the second form is set beside the first."""
    listed = isinstance(answer, list | tuple) and len(answer) == len(ALL)  # in their order
    answer = dict(enumerate(answer, 1)) if listed else answer if isinstance(answer, Mapping) else {}
    given = {n: answer[n] for n in ALL if not is_empty(answer.get(n, ...))}
    said = {n: letter(value) for n, value in given.items()}
    faulty = next((n for n, letters in said.items() if letters is None), None)
    if faulty is not None:
        return told(exercise, "letters", number=faulty, given=repr(given[faulty]))
    missing = [n for n in ALL if n not in said]
    if missing and tuple(said) != SHORT:
        return told(exercise, "open", form=exercise, open=", ".join(map(str, missing)))
    before = first_answers()
    if any(row["item"][0] == name for row in before):
        return told(exercise, "twice", form=exercise, file=kept())
    keep({f"{name}{n}": letters for n, letters in said.items() if letters})
    now = [row for row in first_answers() if row["item"][0] == name]
    for row in now:  # for a teacher, where the learner agreed to it
        why = idea(row["item"], row["answer"])
        note(Verdict(f"{'after' if before else 'before'} {row['item']}", not why, "", why or None))
    if before:
        return Verdict(exercise, None, compared(exercise, before, now))
    return told(exercise, "first", form=exercise, count=len(said), file=kept())


def one_item(exercise: str, item: str, answer: Any) -> Verdict:
    """Judge an answer to an item that came back."""
    if item[0] not in {row["item"][0] for row in first_answers()}:
        return told(exercise, "closed", exercise=exercise)
    said = letter(answer)
    if said is None:
        return wrong(exercise, "kind", say("items.letters", number=item[1:], given=repr(answer)))
    keep({item: said})
    why = idea(item, said[0])
    verdict = wrong(exercise, why, say(f"items.hint_{item[1:]}")) if why else right(exercise)
    return asking_on(verdict, missed(lesson(item), fresh=True))


def first_answers() -> list[dict[str, Any]]:
    """What was said to each item when its form was handed in."""
    return list({row["item"]: row for row in reversed(rows())}.values())[::-1]


def compared(exercise: str, before: list[dict[str, Any]], now: list[dict[str, Any]]) -> str:
    """How many were right before and after, how many of the sure ones, and which lessons to look at again."""
    def counts(said: list[dict[str, Any]]) -> tuple[int, str]:
        holds = [not idea(row["item"], row["answer"]) for row in said]
        sure = [held for held, row in zip(holds, said, strict=True) if row["sure"]]
        return sum(holds), f"{sum(sure)}/{len(sure)}"

    (one, sure_one), (two, sure_two) = counts(before), counts(now)
    told = say("items.second", form=exercise, before=one, asked_before=len(before), after=two, asked_after=len(now),
               sure_before=sure_one, sure_after=sure_two)
    missed = sorted({lesson(row["item"]) for row in now if idea(row["item"], row["answer"])})
    again = ("、" if spoken() == "zh" else ", ").join(say("items.lesson", lesson=number) for number in missed)
    return "\n".join([told, *([say("items.look", lessons=again)] if again else [])])


def lesson(item: str) -> int:
    """The lesson that teaches what an item asks."""
    return LESSON[int(item[1:]) - 1]


def missed(upto: int, fresh: bool = False) -> list[str]:
    """Items of lessons up to this one that were missed and are missed still: those answered least often first, the
    latest of them first; `fresh`: only those that have not come back yet."""
    said = rows()
    times = Counter(row["item"] for row in said)
    due = [item for item, answer in {row["item"]: row["answer"] for row in said}.items()
           if idea(item, answer) and lesson(item) <= upto and not (fresh and times[item] > 1)]
    return sorted(due, key=lambda item: (times[item], -int(item[1:]), item))


def asking_on(verdict: Verdict, items: list[str]) -> Verdict:
    """The verdict, and below it the first of these items."""
    if verdict.passed is None or not items:
        return verdict
    asked = f"{say('items.again', exercise=f'form.{items[0]}')}\n{as_text(items[0])}"
    return Verdict(verdict.exercise, verdict.passed, f"{verdict.text}\n\n{asked}", verdict.misconception)


def with_a_missed_item(verdict: Verdict) -> Verdict:
    """The verdict on a recall, or on the task of weeks later, and below it an item of earlier lessons."""
    here = verdict.exercise.partition(".")[0]
    return asking_on(verdict, missed(int(here) - 1 if here.isdigit() else max(LESSON)))
