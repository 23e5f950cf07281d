"""Questions with letters: `check("04.guess", "B")` before the fact, `check("04.recall", "C")` of an earlier lesson.

A guess is noted, and whether it holds the lesson shows: the verdict knows (`passed`, `misconception`), its text
only asks on. A recall is judged. The questions stand in the notebooks, what is asked back in `text/guesses.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..text import knows, say
from .running import is_empty
from .verdict import Verdict, not_yet, right, wrong

KEYS: Mapping[str, tuple[str, Mapping[str, str]]] = {  # the right letters; the idea behind each wrong one
    "01.guess": ("B", {"A": "slope_only", "C": "value_for_slope", "D": "sign"}),
    "02.recall": ("B", {"A": "slope_only", "C": "sign", "D": "divides"}),
    "02.guess": ("B", {"A": "one_level", "C": "recomputed", "D": "record_at_backward"}),
    "03.recall": ("D", {"A": "leaf_means_wanted", "B": "leaf_means_plain", "C": "record_at_backward"}),
    "03.1": ("C", {"A": "walk_paths", "B": "walk_early", "D": "product_of_slopes"}),
    "04.recall": ("C", {"A": "walk_paths", "B": "walk_overwrite", "D": "product_of_slopes"}),
    "04.guess": ("B", {"A": "walk_overwrite", "C": "product_of_slopes", "D": "mean_for_sum"}),
    "05.recall": ("B", {"A": "walk_early", "C": "walk_early", "D": "upside_down"}),
    "05.guess": ("B", {"A": "missing_sum", "C": "mean_for_sum", "D": "constant_moves"}),
    "06.recall": ("A", {"B": "missing_node", "C": "leaf_means_wanted", "D": "record_at_backward"}),
    "06.guess": ("C", {"A": "sprinkle", "B": "none_is_zero", "D": "cut_is_loud"}),
    "07.recall": ("D", {"A": "constant_moves", "B": "first_copy", "C": "missing_sum"}),
    "07.guess": ("B", {"A": "second_always_fails", "C": "saved_wrong", "D": "saved_wrong"}),
    "08.recall": ("D", {"A": "grad_replaces", "B": "second_always_fails", "C": "value_for_slope"}),
    "08.guess": ("C", {"A": "not_cleared", "B": "second_always_fails", "D": "untouched_grad"}),
    "08.curves": ("QSRP", {}),
    "A.recall": ("D", {"A": "wrong_order", "B": "missing_transpose", "C": "elementwise"}),
    "B.recall": ("A", {"B": "missing_sum", "C": "forgets_v", "D": "only_scalars"}),
    "C.recall": ("A", {"B": "cut_is_loud", "C": "sprinkle", "D": "none_is_zero"}),
    "D.recall": ("B", {"A": "walk_early", "C": "upside_down", "D": "walk_early"})}


@dataclass(frozen=True)
class Guess:
    """Judges the letters that answer one question of `KEYS`."""

    exercise: str

    def __call__(self, answer: Any) -> Verdict:
        """Judge an answer; one that no question has is asked for again."""
        if is_empty(answer):
            return not_yet(self.exercise)
        key, ideas = KEYS[self.exercise]
        letters = str(answer).replace(" ", "").upper()
        if sorted(letters) != sorted(key) if len(key) > 1 else letters not in (key, *ideas):
            return wrong(self.exercise, "kind", say("guesses.letters", letters=", ".join(sorted([*key, *ideas]))))
        asked = f"guesses.{self.exercise.replace('.', '_')}"
        own = knows(f"{asked}_{letters}")  # this letter is answered with a sentence of its own
        question = say(f"{asked}_{letters}" if own else asked)
        fits, idea = letters == key, ideas.get(letters, "wrong_value")
        if self.exercise.endswith(".guess"):
            noted = say("guesses.noted", exercise=self.exercise, letters=letters)
            return Verdict(self.exercise, fits, f"{noted}\n{question}", None if fits else idea)
        return right(self.exercise, question if own else "") if fits else wrong(self.exercise, idea, question)
