"""Who looks at new nodes while they are recorded: saved-tensor hooks, anomaly mode, and `graph`.

Each looks at every node as soon as it has been made, by the one way that a mode gives: `intercept`.
"""

from collections.abc import Callable
from typing import Any

from ..modes import Mode, enabled, mode_variable, observers, watcher


class Observers(tuple):
    """Grad mode on, and each `seen(node, output)` in here is called for every node that is recorded."""

    def intercept(self, call: Callable, args: tuple) -> Any:
        """The operation as ever, then a look at the node that it has made."""
        token = mode_variable.set(True)
        try:
            output = call(*args)
        finally:
            mode_variable.reset(token)
        first = output[0] if type(output) is tuple else output
        if first is not NotImplemented and first._fn is not None:
            self.recorded(getattr(first._fn, "node", first._fn), output)  # a Port's node
        return output

    def recorded(self, node: Any, output: Any) -> None:
        for seen in self:
            seen(node, output)


class observing(Mode):
    """While inside, `seen(node, output)` is called for every node that is recorded."""

    def __init__(self, seen: Callable[[Any, Any], None]) -> None:
        super().__init__()
        self._seen = seen
        self._before: list[Any] = []

    def _value(self) -> Any:
        return enabled() if mode_variable.get() else mode_variable.get()

    def __enter__(self) -> None:
        self._before.append(observers.set(Observers((*observers.get(), self._seen))))
        super().__enter__()

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        observers.reset(self._before.pop())

    def leave(self) -> None:
        """Look no longer, whatever was entered since; the mode stays as it is now."""
        observers.set(Observers(seen for seen in observers.get() if seen is not self._seen))
        if mode_variable.get():
            mode_variable.set(enabled())


class unobserved(Mode):
    """While inside, new nodes are recorded as before, but nobody is called to see them."""

    def _value(self) -> Any:
        return mode_variable.get() and watcher.get()(True)
