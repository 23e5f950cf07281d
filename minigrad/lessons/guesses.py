"""Questions with letters: `check("04.guess", "B")` before the fact, `check("04.recall", "C")` of an earlier lesson.

A guess is noted, and whether it holds the lesson shows: the verdict knows (`passed`, `misconception`), its text
only asks on. A recall is judged. The questions stand in the notebooks, what is asked back in
`text/guesses.toml`, the right letters in `cases.toml`.
"""

from typing import Any

from ..text import knows, say
from .exercise import stored
from .running import is_empty, typed
from .verdict import Verdict, not_yet, right, wrong

# the right letters; the idea behind each wrong one
KEYS = {name: (row["right"], row["ideas"]) for name, row in stored("cases")["guesses"].items()}


def judged(exercise: str, answer: Any) -> Verdict:
    """Judge the letters that answer one question of `KEYS`; what no question has is asked for again."""
    if is_empty(answer):
        return not_yet(exercise)
    key, ideas = KEYS[exercise]
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
