"""What a checker answers: right, wrong with a named misconception, or not yet tried.

The sentences stand in `text/messages.toml`, under `lessons`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..text import say


@dataclass(frozen=True, repr=False)
class Verdict:
    """The answer to `check(...)`; a notebook shows it as text.

    `passed` is None as long as nothing was tried; `misconception` is the key of the sentence that
    explains a wrong answer.
    """

    exercise: str
    passed: bool | None
    text: str
    misconception: str | None = None

    def __repr__(self) -> str:
        return self.text


def not_yet(exercise: str) -> Verdict:
    """Nothing was answered. In both languages at once: the stored notebooks all show this line."""
    return Verdict(exercise, None, say("lessons.not_yet", "both", exercise=exercise))


def right(exercise: str, key: str, **values: Any) -> Verdict:
    """The answer holds; the sentence `key` says what was seen."""
    opening = say("lessons.right", exercise=exercise)
    return Verdict(exercise, True, f"{opening}\n{say('lessons.' + key, **values)}")


def wrong(exercise: str, misconception: str, case: str = "", **values: Any) -> Verdict:
    """The answer fails on `case`; the sentence `misconception` names what may be behind it."""
    parts = [say("lessons.wrong", exercise=exercise)]
    if case:
        parts += [say("lessons.smallest"), case]
    parts.append(say("lessons." + misconception, **values))
    return Verdict(exercise, False, "\n".join(parts), misconception)
