"""What a checker answers: right, wrong with a named misconception, or not yet tried.

The sentences stand in `text/lessons.toml`.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from ..text import say
from ..viz.display import TextWithDrawing


@dataclass(frozen=True, repr=False)
class Verdict(TextWithDrawing):
    """The answer to `check(...)`; a notebook shows it as text, and the picture where there is one.

    `passed` is None as long as nothing was tried; `misconception` is the key of the sentence that
    explains a wrong answer; `drawing` is a graph with the place marked, or None.
    """

    exercise: str
    passed: bool | None
    text: str
    misconception: str | None = None
    drawing: Any = field(default=None, compare=False)

    def _words(self) -> str:
        return self.text


def not_yet(exercise: str) -> Verdict:
    """Nothing was answered."""
    return Verdict(exercise, None, say("lessons.not_yet", exercise=exercise))


def right(exercise: str, *sentences: str) -> Verdict:
    """The answer holds; the sentences say what was seen."""
    return Verdict(exercise, True, "\n".join([say("lessons.right", exercise=exercise), *filter(None, sentences)]))


def wrong(exercise: str, misconception: str, sentence: str, *, case: str = "", line: str = "",
          compared: str = "", printed: str = "", drawing: Any = None) -> Verdict:
    """The answer fails on `case`: what was compared, where it stopped, and the sentence on the idea behind it."""
    parts = [say("lessons.wrong", exercise=exercise), case and say("lessons.smallest"),
             *(f"    {row}" for row in case.splitlines()), compared, line and say("lessons.line", line=line),
             printed and say("lessons.printed", printed=printed)]
    # addresses differ from run to run
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", "\n".join([*filter(None, parts), sentence]))
    return Verdict(exercise, False, text, misconception, drawing)
