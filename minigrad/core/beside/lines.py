"""The learner's line: which line of code, outside this package, asked for what is being recorded.

A node keeps `(code, instruction)` of that line, which costs little and holds no frame alive; file, number
and text are looked up when somebody asks.
"""

import dis
import linecache
import os
import sys
from types import CodeType, FrameType
from typing import Any

from ..modes import state

_frame = sys._getframe


_package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
PACKAGE_FILES = {os.path.join(folder, name) for folder, _, names in os.walk(_package) for name in names}
# The learner's code that ran an operation last: most often it runs the next one too, and need not be looked up
_last_code: CodeType | None = None
# The learner's frame that called the backward which is being recorded: each step of the climb would cost
recorded_backward = state("recorded_backward", None)


def getline(code: CodeType, number: int) -> str:
    """A line of the text that code was made of; `graph.program`, once it is there, knows whether it still is."""
    return linecache.getline(code.co_filename, number)


def learners_frame(depth: int = 2) -> FrameType | None:
    """The nearest caller outside this package, `depth` calls up or further; None if there is none."""
    f: FrameType | None = _frame(depth)
    while f is not None and f.f_code.co_filename in PACKAGE_FILES:
        f = f.f_back
    return f


def learners_line(depth: int = 2) -> tuple[CodeType | None, int]:
    """Code and instruction of `learners_frame`: all that a node keeps of it."""
    global _last_code
    try:
        f: Any = _frame(depth)
        code = f.f_code
        if code is not _last_code and code.co_filename in PACKAGE_FILES:
            f = recorded_backward.get() or f.f_back
            while (code := f.f_code) is not _last_code and code.co_filename in PACKAGE_FILES:
                f = f.f_back
    except (ValueError, AttributeError):  # a thread that begins with one of ours: nobody is so far up
        return None, 0
    _last_code = code
    return code, f.f_lasti


def source_line(code: CodeType, lasti: int) -> tuple[str, int, str]:
    """File, number and text of the line that instruction `lasti` of `code` belongs to."""
    number = code.co_firstlineno
    for start, line in dis.findlinestarts(code):
        if start > lasti:
            break
        number = line or number
    return code.co_filename, number, getline(code, number).strip()
