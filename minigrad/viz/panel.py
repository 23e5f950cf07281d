"""`watch()`: a panel whose graph grows while cells run.

After every cell it draws the results that have a name, in one picture, which it replaces in place; with
`predict=True` it asks, line by line, what the cell has written.
"""

from __future__ import annotations

import sys
from math import inf
from typing import Any

from ..graph.followed import Followed, begin, written_by_lines
from ..graph.ghosts import ghost_of, watching
from ..graph.live import nodes_behind
from ..graph.program import shell
from ..graph.snapshot import AnyTensor
from .board import Board
from .display import Drawing, draw, learners_names, library

MOST = 6  # graphs in one picture


def of_latest_graphs(results: list[AnyTensor]) -> list[AnyTensor]:
    """The results that lie in the latest graphs, as many of these as one picture takes."""
    found, seen, graphs = set[int](), set[Any](), 0
    for t in sorted(results, key=lambda t: inf if t.grad_fn is None else t.grad_fn._sequence_nr(), reverse=True):
        graphs += t.grad_fn not in seen
        if graphs <= MOST:
            found.add(id(t))
            nodes_behind(t, seen=seen)
    return [t for t in results if id(t) in found]


def watch(predict: bool = False) -> Watch:
    """Show the graphs of named results, the latest ones, from now on, until `close()` or the end of a `with`.

    What runs after a cut meanwhile is drawn grey. With `predict` each cell that writes nodes is shown line by line
    instead: first you say which node a line writes, and which of its slots are None. `.board` is the widget of the
    last cell, `.board.answers` what was answered. `%%watch --predict` does the same for one cell.
    """
    return Watch(predict)


class Watch:
    """The panel; `drawing` is what it shows. Outside a notebook call `refresh()` yourself."""

    def __init__(self, predict: bool = False) -> None:
        self.predict, self.since = predict, begin()
        self.board: Board | None = None
        self.drawing: Drawing | None = None
        self.shell = shell()
        self.handle: Any = None
        self.watching: watching | None = None  # what runs after a cut
        if self.shell is not None:
            self.shell.events.register("post_run_cell", self.refresh)
            self.__enter__()

    def refresh(self, ran: Any = None) -> None:
        """Draw the namespace as it is now; with `predict`, ask about the cell that has run."""
        if self.predict:
            self.ask(ran)
            return
        names = learners_names()
        if not (results := [t for t in names.values() if t.grad_fn is not None or ghost_of(t) is not None]):
            return
        results = [t for t in results if library(t) == library(results[-1])]
        before, self.drawing = self.drawing, draw(*(shown := of_latest_graphs(results)), names=names)
        if len(shown) < len(results):
            self.drawing.remark("earlier", count=len(results) - len(shown))
        if self.handle is not None and before is not None:
            if before.to_svg() != self.drawing.to_svg():
                self.handle.update(self.drawing)
        elif self.shell is not None:
            self.handle = sys.modules["IPython"].display.display(self.drawing, display_id=True)

    def ask(self, ran: Any) -> None:
        """Show the board of a cell that wrote nodes; a cell that failed, or runs a command, is left out."""
        since, self.since = self.since, begin()
        info = getattr(ran, "info", None)
        if info is None or not ran.success or info.raw_cell.lstrip().startswith("%%"):
            return
        program = Followed(self.shell.transform_cell(info.raw_cell), self.shell.user_ns)
        graph, made = written_by_lines(program, since, self.since)
        if made:
            self.board = Board(program, graph, made, True)
            sys.modules["IPython"].display.display(self.board)

    def close(self) -> None:
        """Stop drawing; the last picture stays. Closing twice is fine."""
        if self.watching is not None:
            self.watching.__exit__()
            self.watching = None
        if self.shell is not None:
            self.shell.events.unregister("post_run_cell", self.refresh)
            self.shell = None

    def __enter__(self) -> Watch:
        if self.watching is None:
            self.watching = watching()
            self.watching.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self.refresh()
        self.close()
