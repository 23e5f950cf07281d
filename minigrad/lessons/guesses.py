"""Questions with letters: `check("04.guess", "B")` before the fact, `check("04.recall", "C")` of an earlier lesson;
and what a widget of a lesson asked and was answered, a list of (question, answer, right).

A guess is noted, and whether it holds the lesson shows: the verdict knows (`passed`, `misconception`), its text
only asks on. A recall is judged. The questions stand in the notebooks, what is asked back in
`text/guesses.toml`, the right letters in `cases.toml`.
"""

from typing import Any

from ..text import knows, say
from .exercise import stored
from .running import typed
from .verdict import Verdict, right, wrong


def judged(exercise: str, answer: Any) -> Verdict:
    """Judge the letters that answer one question; what no question has is asked for again."""
    key, ideas = stored("cases")["guesses"][exercise].values()  # the right letters; the idea behind each wrong one
    letters = typed(answer)
    if sorted(letters) != sorted(key) if len(key) > 1 else letters not in (key, *ideas):
        return wrong(exercise, "kind", say("guesses.letters", letters=", ".join(sorted([*key, *ideas]))))
    asked = f"guesses.{exercise.replace('.', '_')}"
    own = knows(f"{asked}_{letters}")  # this letter is answered with a sentence of its own
    question = say(f"{asked}_{letters}" if own else asked)
    fits, idea = letters == key, ideas.get(letters, "wrong_value")
    if exercise.endswith(".guess"):
        noted = say("guesses.noted", exercise=exercise, letters=letters)
        return Verdict(exercise, fits, f"{noted}\n{question}", None if fits else idea)
    return right(exercise, question if own else "") if fits else wrong(exercise, idea, question)


def answers_of(answer: Any) -> Any:
    """The list of (question, answer, right) of a widget, or that is one; None for everything else."""
    kept = answer if isinstance(answer, list) else getattr(answer, "answers", None)
    return kept if isinstance(kept, list) and all(isinstance(a, tuple) and len(a) == 3 for a in kept) else None


def check_answers(exercise: str, kept: list[tuple]) -> Verdict:
    """Judge what a widget was answered: the last answer to each question counts. The key is never said."""
    last = {str(question): (given, fits) for question, given, fits in kept}
    first = {str(question): fits for question, _, fits in reversed(kept)}
    facts = {"asked": len(last), "first": sum(map(bool, first.values()))}
    missed = next(((question, given) for question, (given, fits) in last.items() if not fits), None)
    if missed is None:
        return right(exercise, say("lessons.answered", **facts))
    return wrong(exercise, "wrong_value", say("lessons.missed", question=missed[0], given=missed[1], **facts))
