"""Grad mode: whether operations write themselves into the graph.

One context variable, so that each thread and each asyncio task has its own, read once per operation: `True` records,
`False` does not, `INFERENCE` does not and marks the results. Any other value has `intercept(call, args)`, which runs
the operation in its own way: all that comes between it and its graph (`beside.observers`, `func.levels`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar
from types import SimpleNamespace
from typing import Any

from ..text import presentation


class Inference:
    """The mode inside `inference_mode()`; false like `no_grad`, and contagious: see `UNCOUNTED`."""

    def __bool__(self) -> bool:
        return False


class Uncounted:
    """Stands where an inference tensor's version counter would be; reading it raises."""

    def __getitem__(self, _index: int) -> int:
        raise presentation.error(RuntimeError, "inference", presentation.torch_says("inference"))


INFERENCE: Any = Inference()
UNCOUNTED: Any = Uncounted()
states: list[ContextVar[Any]] = []  # all that a context manager may leave behind which an interrupt tore open


def state(name: str, default: Any) -> ContextVar[Any]:
    """A context variable that `put_back` knows."""
    states.append(ContextVar(name, default=default))
    return states[-1]


def put_back(before: Context) -> bool:
    """Let every state be what it was in `before`; says whether one was not."""
    return bool([v.set(before.run(v.get)) for v in states if v.get() is not before.run(v.get)])


mode_variable = state("grad_mode", True)
observers = state("observers", ())  # see `beside.observers`
watcher = state("watcher", lambda mode: mode)  # or a mode over it, in which each operation is seen: `graph.ghosts`
lifted, functional = state("lifted", None), state("functional", False)  # of `func`: the innermost level; does it run
grad_mode, level = mode_variable.get, lifted.get


def whole_array(t: Any) -> Any:
    """The array behind a tensor, or the array that is given; inside `func.vmap` the array of all examples."""
    inner, data = lifted.get(), getattr(t, "_data", t)
    return data if inner is None or data is t else inner.numbers(t)


def is_grad_enabled() -> bool:
    """True where operations on tensors that require grad are recorded."""
    return bool(mode_variable.get())


def is_inference_mode_enabled() -> bool:
    """True inside `inference_mode()`."""
    return mode_variable.get() is INFERENCE


def enabled(on: bool = True) -> Any:
    """The value for grad mode on or off: who looks at new nodes, if anybody does, below what is lifted."""
    mode, lift = watcher.get()((observers.get() or True) if on else False), lifted.get()
    return mode if lift is None else lift.over(mode)


class Mode:
    """Context manager; nests, and restores what it found on any exit. See `autograd.grad_mode` for a learner's."""

    mode = True  # whether operations inside are recorded

    def __init__(self) -> None:
        self._tokens: list[Any] = []

    def _value(self) -> Any:
        """What it switches to: inference mode ends with its own block alone."""
        return INFERENCE if mode_variable.get() is INFERENCE else enabled(self.mode)

    def __enter__(self) -> None:
        self._tokens.append(mode_variable.set(self._value()))

    def __exit__(self, *exc: object) -> None:
        mode_variable.reset(self._tokens.pop())


class differentiable(Mode):
    """The engine's mode while a node or a hook runs: recorded only under `create_graph`."""

    def __init__(self, create_graph: bool) -> None:
        super().__init__()
        self.create_graph = create_graph

    def _value(self) -> Any:
        return enabled(self.create_graph)


# Whether backward looks for NaN and remembers where each node was made; process-wide, as in torch.
anomaly = SimpleNamespace(enabled=False, check_nan=True)

leave_out: list[Callable[[bool], None]] = []  # what a folder of quicker ways (`quick`) is switched off with, or on


class slow:
    """Leave out all quicker ways, in this process: what runs then is the core as it is written.

    A call switches for good, until `slow(False)`; as a context manager it puts back what was before.
    """

    on = False

    def __init__(self, on: bool = True) -> None:
        self.before = slow.on
        self._switch(on)

    def __enter__(self) -> slow:
        return self

    def __exit__(self, *exc: object) -> None:
        self._switch(self.before)

    def _switch(self, on: bool) -> None:
        slow.on = on
        for switch in leave_out:
            switch(on)
