"""Run a learner's answer: with a time limit, and so that nothing of it is left behind.

What it prints is kept apart, `exit()` ends the answer and not the kernel, grad mode and the random streams of
`torch` and of Python are put back (NumPy's own is not), and an endless loop is stopped. A watcher thread raises
`TimeUp` in the thread of the caller, again and again, since a bare `except:` may catch the first ones. A loop inside
one call of C code cannot be stopped in this way.
"""

import contextlib
import ctypes
import dis
import inspect
import io
import linecache
import random
import re
import sys
import threading
import time
import traceback
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._tensor import Tensor
from ..core import backward
from ..core.engine import GraphTask
from ..random import get_rng_state, set_rng_state
from ..text import presentation, table

PROCESSOR, WALL = 1.0, 10.0  # seconds
raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc  # an error, in another thread, at its next step
OURS = str(Path(__file__).parent.parent)
ONE_AT_A_TIME = threading.RLock()  # printing is diverted for the whole process
SAYS_ITSELF = table("names")["misconceptions"]


class TimeUp(BaseException):
    """Raised in the learner's code; no `except Exception` catches it.

    A bare `except:` does: so whoever makes one has the next line of each running function raise another.
    """

    def __init__(self) -> None:
        sys.settrace(again)
        frame = sys._getframe(1)
        while frame and frame.f_code is not limited.__code__:
            frame.f_trace, frame = again, frame.f_back


def again(frame: Any, event: str, arg: Any) -> Any:
    """A trace function: raise in the learner's code wherever it goes on."""
    if not frame.f_code.co_filename.startswith(OURS):
        raise TimeUp
    return again


@dataclass(frozen=True)
class Outcome:
    """What one call of the answer came to: a value, or the key of what went wrong."""

    value: Any = None
    fault: str | None = None  # "raised", "endless", "leaf_in_place", "stale"
    error: str = ""  # the type of the error and the first sentence of its text
    line: str = ""  # the learner's own line where it happened
    printed: str = ""
    calls: tuple[int, ...] = ()  # of the engine, by `backward` or by `grad`: how many nodes each had to run


def attempt(f: Callable, *args: Any, patience: float = 1) -> Outcome:
    """Call `f(*args)` and say what came of it, waiting `patience` times as long as for others; interrupts by the
    learner pass through."""
    printed, calls = io.StringIO(), []
    with ONE_AT_A_TIME, untouched(), contextlib.redirect_stdout(printed):
        count(calls)
        (value, late), error = copy_context().run(next, alone(patience, f, *args))  # its own context, for grad mode
        if isinstance(error, KeyboardInterrupt):
            raise error
        # whatever the learner's code raises is news for the learner
        fault = described(error) if error is not None else {"fault": "endless"} if late else {}
    return Outcome(value, printed=printed.getvalue(), calls=tuple(calls), **fault)


def described(error: BaseException) -> dict[str, str]:
    """The key of an error, its first sentence, and where in the learner's code it was raised."""
    if isinstance(error, RecursionError):  # which call was one too many depends on who called us
        return {"fault": "raised", "error": "RecursionError"}
    text = re.split(r"\n|\. (?=[A-Z])", in_words(str, error).strip())[0].rstrip(".")  # what follows is advice
    key = getattr(error, "misconception", "") or next((k for w, k in SAYS_ITSELF.items() if w in text), "raised")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(OURS)]
    own = [f for f in frames if f.filename == frames[0].filename]  # the learner's file called all others
    source = linecache.getline(own[-1].filename, own[-1].lineno or 0).strip() if own else ""
    line = ": ".join(filter(None, (str(own[-1].lineno), source))) if own else ""
    return {"fault": key, "error": f"{type(error).__name__}: {text}" if text else type(error).__name__, "line": line}


def in_words(spell: Callable[[Any], str], value: Any) -> str:
    """`str` or `repr` of what a learner made; its type's name, where that fails."""
    try:
        return spell(value)
    except Exception:
        return type(value).__name__


@contextlib.contextmanager
def untouched() -> Iterator[None]:
    """Put back the random streams, how deep calls may lie, and what tensors and the package could do. Let no warning
    of the answer become an error or a lasting one, and look for no cause of an error: nobody will read the note, and
    in a long file it takes more than a second."""
    with contextlib.ExitStack() as undo, warnings.catch_warnings(action="ignore"):
        undo.callback(set_rng_state, get_rng_state())
        undo.callback(random.setstate, random.getstate())
        undo.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        for place in (sys.modules["minigrad"], Tensor):
            undo.callback(put_back, place, {**vars(place)})
        undo.callback(setattr, backward, "run", backward.run)
        undo.callback(setattr, presentation, "explain", presentation.explain)
        presentation.explain = lambda *given: None
        yield


def put_back(place: Any, names: dict[str, Any]) -> None:
    """Give a class or a module the things back that it had under these names."""
    for name, value in names.items():
        if vars(place).get(name) is not value:
            setattr(place, name, value)


def count(calls: list[int]) -> None:
    """From now on, every backward of this thread is noted in `calls`, until `untouched` puts back the engine's own."""
    ordinary, here = backward.run, threading.get_ident()

    def run(roots: tuple, grads: list, keep: bool, create: bool, inputs: Any = None, captured: Any = None) -> None:
        if threading.get_ident() == here:
            calls.append(len(GraphTask().schedule([t._edge() for t in roots])))
        ordinary(roots, grads, keep, create, inputs, captured)

    backward.run = run


def alone(patience: float, f: Callable, *args: Any) -> Iterator[tuple[tuple[Any, bool], BaseException | None]]:
    """What `limited` returns, and what was raised. A generator, since it has an exception state of its own: one that
    arrives at an awkward moment is sometimes never taken off by CPython 3.11, and `sys.exc_info()` kept TimeUp."""
    result: tuple[Any, bool] = (None, False)
    error: BaseException | None = None
    try:
        result = limited(patience, f, *args)
    except BaseException as raised:
        error = raised
    yield result, error


def limited(patience: float, f: Callable, *args: Any) -> tuple[Any, bool]:
    """Call `f(*args)`: what it returns, and whether it was stopped, after a second of work or ten on the clock, times
    `patience`.

    What was stopped half-way is cleaned up here, where the context is still the one that it began in.
    """
    watcher, tracing = Watcher(patience), sys.gettrace()
    try:
        try:
            return f(*args), False
        finally:
            watcher.leave()
    except TimeUp:
        watcher.leave()  # it may have been raised while we left
        return None, True
    finally:
        if sys.gettrace() is not tracing:
            sys.settrace(tracing)


class Watcher:
    """A thread that looks at the clock, and raises TimeUp in the thread that made it until that leaves."""

    def __init__(self, patience: float) -> None:
        self.thread, self.patience = threading.get_ident(), patience
        self.clock = processor_clock(self.thread)
        self.start, self.begun = self.clock(), time.monotonic()
        self.left, self.lock = threading.Event(), threading.Lock()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self) -> None:
        """Wait, then raise every few milliseconds; the time that a module takes to load does not count."""
        while not self.left.wait(0.01):
            if self.loading():
                self.start, self.begun = self.clock(), time.monotonic()
            elif max((self.clock() - self.start) / PROCESSOR, (time.monotonic() - self.begun) / WALL) > self.patience:
                with self.lock:
                    if not self.left.is_set():
                        # to take one back is not safe: CPython 3.11 goes on looking for it, and a traced function,
                        # as in a debugger, then never begins
                        raise_in(ctypes.c_ulong(self.thread), ctypes.py_object(TimeUp))

    def loading(self) -> bool:
        """Whether the answer imports something for the first time: stopped there, it would stay half-made for all."""
        frame = sys._current_frames().get(self.thread)
        while frame and frame.f_code is not limited.__code__ and frame.f_code.co_name != "_load_unlocked":
            frame = frame.f_back
        return frame is not None and frame.f_code is not limited.__code__

    def leave(self) -> None:
        """Raise no more, whatever is raised meanwhile."""
        while True:
            try:
                with self.lock:
                    self.left.set()
                for _ in range(2):
                    pass  # what was raised and has not arrived does so where a loop begins anew
                return
            except TimeUp:
                continue


def processor_clock(thread: int) -> Callable[[], float]:
    """The processor time of a thread; of the process, where the system does not tell."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


def is_empty(answer: Any) -> bool:
    """Whether nothing was written yet: `...`, or a function, a class or a dict that holds nothing else."""
    if answer is ... or (isinstance(answer, str) and not answer.strip(".… ")):
        return True
    if isinstance(answer, dict):
        return all(map(is_empty, answer.values()))
    if inspect.isclass(answer):
        return all(map(is_empty, methods(answer)))
    said_nothing = {"RESUME", "NOP", "COPY_FREE_VARS", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}
    return inspect.isfunction(answer) and all(
        step.opname in said_nothing and (step.opname not in ("LOAD_CONST", "RETURN_CONST") or step.argval is None)
        for step in dis.get_instructions(answer))


def typed(answer: Any) -> str:
    """What was typed, in plain capitals: Chinese keyboards make wide ones, and dots or quotes may stand around them."""
    return re.sub(r"[^\w!]", "", unicodedata.normalize("NFKC", str(answer))).upper()


def methods(kind: type) -> list[Any]:
    """The functions that are written in a class and in bases of the same file, static methods too."""
    own = (getattr(f, "__func__", f) for k in kind.__mro__ if k.__module__ == kind.__module__ for f in vars(k).values())
    return [f for f in own if inspect.isfunction(f)]
