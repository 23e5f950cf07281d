"""torch.autograd.grad_mode: `no_grad` and its kin, context managers that are decorators too."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Self, TypeVar

from ..core.beside.ledger import cut
from ..core.beside.refusals import type_said
from ..core.modes import INFERENCE, Mode, enabled, grad_mode
from ..text.presentation import need, warn

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Switch(Mode):
    """A mode that decorates functions and generators."""

    def __enter__(self) -> None:
        before = grad_mode()
        super().__enter__()
        if before and not grad_mode():
            cut(type(self).__name__)

    def __call__(self, function: Decorated) -> Decorated:
        if inspect.isclass(function):
            warn("decorated_class", kind=FutureWarning)
        given = [self.mode] if "mode" in vars(self) else []  # what it was made with
        clone = functools.partial(type(self), *given)  # one for each call of the function
        if inspect.isgeneratorfunction(function):
            return _wrap_generator(function, clone)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            before = grad_mode()
            with clone():
                if before and not grad_mode():
                    cut(type(self).__name__, code=getattr(function, "__code__", None))
                return function(*args, **kwargs)

        return wrapped


def _wrap_generator(function: Callable, mode: Callable[[], Switch]) -> Callable:
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


class _BareDecorator(Switch):
    """A mode that decorates without parentheses too, as torch allows: `@no_grad`."""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        given = (*args, *options.values()) if options else args
        return cls()(*given) if given and callable(given[0]) else object.__new__(cls)


class no_grad(_BareDecorator):
    """Operations inside are not recorded; results do not require grad. Source: torch.no_grad."""

    mode = False


class enable_grad(_BareDecorator):
    """Operations inside are recorded again, also within `no_grad`. Source: torch.enable_grad."""


class set_grad_enabled(Switch):
    """Set grad mode now, as a function call, or for a block, as a context manager."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        need(isinstance(mode, bool), "argument_kind", "set_grad_enabled", "enabled", 1, "bool", type_said(mode))
        self.mode = mode
        Mode.__enter__(self)
        if not mode:
            cut(type(self).__name__)
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

    def _value(self) -> Any:
        return INFERENCE if self.mode else enabled()
