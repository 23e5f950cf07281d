"""Short tracebacks: an error that is displayed ends with the learner's line and the note, without our frames.

Only what a script or IPython shows is short: the error keeps all its frames, for `%debug`, `traceback` and pytest.
After a cell that was interrupted, grad mode and its like are what they were when the cell began.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextvars import Context, copy_context
from types import TracebackType
from typing import Any

from ..core.beside.lines import PACKAGE_FILES
from ..core.modes import put_back
from ..text import say

LOADED = time.time()  # when this package was
full = False
cells: list[Context] = []  # in what state each cell began that runs now, outermost first
CHAIN = 8  # errors behind one another that are looked at


def full_tracebacks(on: bool = True) -> None:
    """Show the frames of this package again in errors that nobody caught; `full_tracebacks(False)` hides them."""
    global full
    full = on


def shortened(tb: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this package; as it is where no other frame is in it."""
    short = None
    for place in reversed([] if full else [*places(tb)]):
        if place.tb_frame.f_code.co_filename not in PACKAGE_FILES:
            short = TracebackType(short, place.tb_frame, place.tb_lasti, place.tb_lineno)
    return short or tb


def places(tb: TracebackType | None) -> Iterator[TracebackType]:
    """The parts of a traceback, the outermost first."""
    while tb is not None:
        yield tb
        tb = tb.tb_next


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those before it that are displayed with it."""
    for _ in range(CHAIN):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def inside(error: BaseException | None) -> bool:
    """Whether an error came and went inside this package: what NumPy refused, before torch's words were found."""
    parts = [*places(error.__traceback__ if error is not None else None)]
    return bool(parts) and all(part.tb_frame.f_code.co_filename in PACKAGE_FILES for part in parts)


class shown:
    """While inside, an error has its note and short tracebacks; then those that it came with."""

    def __init__(self, error: BaseException) -> None:
        self.before = [(each, each.__traceback__, each.__suppress_context__) for each in chain(error)]

    def __enter__(self) -> None:
        from .notes import complete  # only now: most programs end without an error

        for error, tb, _ in self.before:
            complete(error)
            error.__traceback__ = shortened(tb)
            error.__suppress_context__ |= not full and inside(error.__context__)

    def __exit__(self, *exc: object) -> None:
        for error, tb, suppressed in self.before:
            error.__traceback__, error.__suppress_context__ = tb, suppressed


def excepthook(kind: Any, error: BaseException, tb: TracebackType | None) -> None:
    """What a script, or Python's prompt, shows of an error."""
    with shown(error):
        sys.__excepthook__(kind, error, error.__traceback__)


def in_thread(args: Any) -> None:
    """What a thread shows of an error."""
    with shown(args.exc_value):
        threading.__excepthook__(threading.ExceptHookArgs((*args[:2], shortened(args.exc_traceback), args.thread)))


def begin(*_: Any) -> None:
    """A cell begins, or has begun."""
    cells.append(copy_context())


def end(result: Any) -> None:
    """Mend what an interrupt left of a cell: a `with no_grad()` that it tore open has not been left."""
    before = cells.pop() if cells else None
    if before is not None and isinstance(result.error_in_exec, KeyboardInterrupt) and put_back(before):
        print(say("backward.put_back"), file=sys.stderr)


def install() -> None:
    """Show short tracebacks, unless somebody else already decides what is shown."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = excepthook
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = in_thread
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and not hasattr(shell.InteractiveTB, "minigrad"):
        ordinary = shell.InteractiveTB.structured_traceback

        def structured_traceback(kind: Any, error: Any, tb: Any = None, *args: Any, **options: Any) -> Any:
            if not isinstance(error, BaseException):
                return ordinary(kind, error, tb, *args, **options)
            with shown(error):
                told = ordinary(kind, error, shortened(tb), *args, **options)
                notes = getattr(error, "__notes__", []) if sys.modules["IPython"].version_info < (8, 14) else []
                return [*told, *notes]  # that IPython, Colab's, knows no notes

        parsed = shell.SyntaxTB.structured_traceback

        def syntax(kind: Any, error: Any, calls: Any = None, *args: Any, **options: Any) -> Any:
            """Of a cell, or a program, that a function of ours could not parse: its line, and nobody's calls."""
            ours = not full and any(call.filename in PACKAGE_FILES for call in calls or ())
            return parsed(kind, error, [] if ours else calls, *args, **options)

        shell.SyntaxTB.structured_traceback = syntax
        shell.InteractiveTB.structured_traceback, shell.InteractiveTB.minigrad = structured_traceback, True
        begin()
        shell.events.register("pre_run_cell", begin)
        shell.events.register("post_run_cell", end)
