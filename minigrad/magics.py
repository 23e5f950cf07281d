"""Notebook commands, after `%load_ext minigrad`: `%torch`, `%lang`, `%%graph`, `%%step`, `%%watch`, `%%versions`,
`%%detective`.

Each is one line around a function that a program can call: `install_as_torch`, `set_language`, `draw`,
`step`, `watch`, `versions`, `detective`. The cell below a command runs first, in the notebook's own names.
"""

import ast
import re
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from . import text
from .eras.alias import install_as_torch, uninstall_torch
from .graph.followed import Followed, written
from .graph.forward import LAST, Notes
from .graph.program import inputs
from .viz import draw, step
from .viz.board import Board, Detective, Versions


@magics_class
class MinigradMagics(Magics):
    """The commands."""

    shell: Any

    @line_magic
    def torch(self, line: str) -> None:
        """`%torch 1.5.0`: `import torch` is minigrad, as that PyTorch. `%torch`: as now. `%torch off`: undone."""
        version = line.strip()
        try:
            uninstall_torch() if version == "off" else install_as_torch(version or None)
        except ValueError as error:
            raise UsageError(str(error)) from None

    @line_magic
    def lang(self, line: str) -> None:
        """`%lang en`, `%lang zh`, `%lang both`: the language of notes, pictures and players."""
        try:
            text.set_language(line.strip())
        except ValueError as error:
            raise UsageError(str(error)) from None

    @magic_arguments()
    @argument("names", nargs="*", help="tensors to draw; without any, what the cell ends with")
    @argument("--view", default="record", help='"record", "forward" or "backward"')
    @argument("--level", help='"modules", "functions" or "ops"; without it, what fits')
    @cell_magic
    def graph(self, line: str, cell: str) -> Any:
        """Run the cell, then draw the graph of what it ends with, or of the tensors named.

        What ran after a cut is drawn grey.
        """
        options = parse_argstring(self.graph, line)
        return draw(*self._run(cell, options.names), view=options.view, level=options.level)

    @magic_arguments()
    @argument("name", nargs="?", help="where backward starts; without it, what the cell ends with")
    @argument("--run", action="store_true", help="a real backward, which accumulates and frees")
    @argument("--live", action="store_true", help="a real backward, one node for each click")
    @cell_magic
    def step(self, line: str, cell: str) -> Any:
        """Run the cell and show it line by line, then walk backward from what it ends with: a preview, unless told."""
        options, notes = parse_argstring(self.step, line), Notes()
        (root,) = self._run(cell, [options.name] if options.name else [], notes)
        return step(root, live=options.live, preview=not (options.run or options.live), forward=notes)

    @cell_magic
    def versions(self, line: str, cell: str) -> Any:
        """Run the cell, then ask which saved note went stale, and by which line."""
        return Versions(self._followed(cell))

    @cell_magic
    def detective(self, line: str, cell: str) -> Any:
        """`%%detective w`: run the cell, then ask which line cuts the thread from `w` to the result."""
        text.demand(re.fullmatch(r"[^\W\d]\w*(\.\w+|\[[^\[\]]+\])*", line.strip()), "magics.no_leaf", UsageError)
        return Detective(self._followed(cell), line.strip())

    @magic_arguments()
    @argument("--predict", action="store_true", help="say first what each line writes")
    @cell_magic
    def watch(self, line: str, cell: str) -> Any:
        """Run the cell, then follow it line by line beside its graph."""
        predict, program = parse_argstring(self.watch, line).predict, self._followed(cell)
        graph, made, error = written(program)
        if error is not None:
            raise error
        return Board(program, graph, made, predict)

    def _followed(self, cell: str, numbered: bool = False) -> Followed:
        """The cell as a program that will run in the notebook's own names; `numbered` as the learner sees its lines,
        with the command above them."""
        gone = len(cell.splitlines()) - len(cell.lstrip().splitlines())  # which IPython leaves out
        source = "\n" * (gone + 1) * numbered + self.shell.transform_cell(cell)
        place = self.shell.compile.cache(source, max(inputs().values(), default=0))  # the cell that runs
        return Followed(source, self.shell.user_ns, place)

    def _run(self, cell: str, names: list[str], notes: Notes | None = None) -> list[Any]:
        """Run a cell; the tensors of these names, or the one that its last line gives or assigns."""
        program, shell = self._followed(cell, numbered=True), self.shell
        error, value = (notes or Notes()).run(program), shell.user_ns.pop(LAST, None)
        if error is not None:
            raise error
        last: Any = program.tree.body[-1] if program.tree.body else None
        target = getattr(last, "target", None) or getattr(last, "targets", [None])[0]
        if isinstance(last, ast.Assign | ast.AugAssign | ast.AnnAssign) and getattr(target, "id", LAST) != LAST:
            value = shell.user_ns.get(target.id)
        found = [shell.user_ns.get(name) for name in names] or [value]
        text.demand(all(hasattr(type(t), "grad_fn") for t in found), "magics.no_tensor", UsageError)
        return found


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext minigrad` calls."""
    shell.register_magics(MinigradMagics)
