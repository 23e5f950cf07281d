"""Grad mode: whether operations write themselves into the graph.

One context variable, so that each thread and each asyncio task has its own. Its value is read once
per operation: `True` records, `False` does not, `INFERENCE` does not and marks the results, and an
object of class `Recorder` records and then looks at every new node (saved-tensor hooks, anomaly mode).
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Self, TypeVar

from ..text import presentation


class Inference:
    """The mode inside `inference_mode()`; false like `no_grad`, and contagious: see `UNCOUNTED`."""

    def __bool__(self) -> bool:
        return False


class Uncounted:
    """Stands where a version counter would be; reading it is the error torch raises."""

    def __getitem__(self, _index: int) -> int:
        raise presentation.error(RuntimeError, "inference",
            "Inference tensors cannot be saved for backward. Please do not use Tensors created "
            "in inference mode in computation tracked by autograd. To work around this, you can "
            "make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
            "instead of `torch.inference_mode()`.")


class Recorder(tuple):
    """Grad mode on, and each `seen(node, output)` in here is called for every node that is recorded."""

    __slots__ = ()

    def recorded(self, node: Any, output: Any) -> None:
        for seen in self:
            seen(node, output)


INFERENCE, UNCOUNTED = Inference(), Uncounted()
_mode: ContextVar[Any] = ContextVar("grad_mode", default=True)
_recorder: ContextVar[tuple] = ContextVar("recorder", default=())
grad_mode = _mode.get


def is_grad_enabled() -> bool:
    """True where operations on tensors that require grad are recorded."""
    return bool(_mode.get())


def is_inference_mode_enabled() -> bool:
    """True inside `inference_mode()`."""
    return _mode.get() is INFERENCE


def _enabled(on: bool = True) -> Any:
    """The value for grad mode on or off: who looks at new nodes, if anybody does."""
    return (_recorder.get() or True) if on else False


Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class _Mode:
    """Context manager and decorator; nests, and restores what it found on any exit."""

    _arguments: tuple = ()  # what one like it is made with, for each call of a decorated function
    mode = True  # whether operations inside are recorded

    def __init__(self) -> None:
        self._tokens: list[Any] = []

    def _value(self) -> Any:
        """What it switches to: inference mode ends with its own block alone."""
        return INFERENCE if _mode.get() is INFERENCE else self.mode and _enabled()

    def __enter__(self) -> None:
        self._tokens.append(_mode.set(self._value()))

    def __exit__(self, *exc: object) -> None:
        _mode.reset(self._tokens.pop())

    def __call__(self, function: Decorated) -> Decorated:
        if inspect.isclass(function):
            warnings.warn("Decorating classes is deprecated and will be disabled in future versions. You should only "
                          "decorate functions or methods. To preserve the current behavior of class decoration, you "
                          "can directly decorate the `__init__` method and nothing else.",
                          FutureWarning, stacklevel=2)
        clone = functools.partial(type(self), *self._arguments)
        if inspect.isgeneratorfunction(function):
            return _wrap_generator(function, clone)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with clone():
                return function(*args, **kwargs)

        return wrapped


def _wrap_generator(function: Callable, mode: Callable[[], _Mode]) -> Callable:
    # The mode is entered for each resumption only: a suspended generator must not leak it.
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        resume, sent = generator.send, None
        while True:
            try:
                with mode():
                    item = resume(sent)
            except StopIteration as stop:
                return stop.value
            try:
                resume, sent = generator.send, (yield item)
            except GeneratorExit:
                with mode():
                    generator.close()
                raise
            except BaseException as error:
                resume, sent = generator.throw, error

    return wrapped


class _BareDecorator(_Mode):
    """A mode that decorates without parentheses too, as torch allows: `@no_grad`."""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        given = (*args, *options.values())
        return cls()(*given) if given and callable(given[0]) else super().__new__(cls)


class no_grad(_BareDecorator):
    """Operations inside are not recorded; results do not require grad. Source: torch.no_grad."""

    mode = False


class enable_grad(_BareDecorator):
    """Operations inside are recorded again, also within `no_grad`. Source: torch.enable_grad."""


class set_grad_enabled(_Mode):
    """Set grad mode now, as a function call, or for a block, as a context manager."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        self._arguments = (self.mode,)
        super().__enter__()
        self._entered = True  # by the call itself

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def __enter__(self) -> None:
        if not self._entered:
            super().__enter__()
        self._entered = False

    def __call__(self, function: Decorated) -> Decorated:
        if self._entered:
            self.__exit__()
        self._entered = False
        return super().__call__(function)


class inference_mode(_BareDecorator):
    """Like `no_grad`, and the results can never take part in autograd. Source: torch.inference_mode."""

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self.mode = bool(mode)
        self._arguments = (self.mode,)

    def _value(self) -> Any:
        return INFERENCE if self.mode else _enabled()


class recording(_Mode):
    """While inside, `seen(node, output)` is called for every node that is recorded."""

    def __init__(self, seen: Callable[[Any, Any], None]) -> None:
        super().__init__()
        self._seen = seen
        self._recorders: list[Any] = []

    def _value(self) -> Any:
        return _recorder.get() if _mode.get() else _mode.get()

    def __enter__(self) -> None:
        self._recorders.append(_recorder.set(Recorder((*_recorder.get(), self._seen))))
        super().__enter__()

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        _recorder.reset(self._recorders.pop())

    def leave(self) -> None:
        """Look no longer, whatever was entered since; the mode stays as it is now."""
        _recorder.set(Recorder(seen for seen in _recorder.get() if seen is not self._seen))
        if _mode.get():
            _mode.set(_enabled())


class unobserved(_Mode):
    """While inside, new nodes are recorded as before, but nobody is called to see them."""

    def _value(self) -> Any:
        return True if _mode.get() else _mode.get()


class differentiable(_Mode):
    """The engine's mode while a node or a hook runs: recorded only under `create_graph`."""

    def __init__(self, create_graph: bool) -> None:
        super().__init__()
        self.create_graph = create_graph

    def _value(self) -> Any:
        return _enabled(self.create_graph)


def switch_to(create_graph: bool) -> Any:
    """What `differentiable` does, where `with` would cost too much; undo with `switch_back(token)`."""
    return _mode.set(_enabled(create_graph))


switch_back = _mode.reset


# Whether backward looks for NaN and remembers where each node was made; process-wide, as in torch.
anomaly = SimpleNamespace(enabled=False, check_nan=True)
