"""`watch()`: a panel whose graph grows while cells run.

After every cell it draws all results that have a name, in one picture, which it replaces in place.
"""

from __future__ import annotations

import sys
from typing import Any

from .display import Drawing, draw, learners_names, library


def watch() -> Watch:
    """Show the graph of all named results from now on, until `close()` or the end of a `with`."""
    return Watch()


class Watch:
    """The panel; `drawing` is what it shows. Outside a notebook call `refresh()` yourself."""

    def __init__(self) -> None:
        self.drawing: Drawing | None = None
        shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        self.events: Any = shell and shell.events
        self.handle: Any = None
        if shell:
            shell.events.register("post_run_cell", self.refresh)

    def refresh(self, *_: Any) -> None:
        """Draw the namespace as it is now."""
        names = learners_names()
        results = [t for t in names.values() if t.grad_fn is not None]
        if not results:
            return
        self.drawing = draw(*(t for t in results if library(t) == library(results[-1])), names=names)
        if self.handle is not None:
            self.handle.update(self.drawing)
        elif self.events is not None:
            self.handle = sys.modules["IPython"].display.display(self.drawing, display_id=True)

    def close(self) -> None:
        """Stop drawing; the last picture stays. Closing twice is fine."""
        if self.events is not None:
            self.events.unregister("post_run_cell", self.refresh)
            self.events = None

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *exc: object) -> None:
        self.refresh()
        self.close()
