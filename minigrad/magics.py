"""Notebook commands, after `%load_ext minigrad`: `%torch`, `%lang`, `%%graph`, `%%step`.

Each is one line around a function that a program can call: `install_as_torch`, `set_language`,
`draw`, `step`. The cell under `%%graph` or `%%step` runs first, in the notebook's own names.
"""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from . import text
from .eras.alias import install_as_torch, uninstall_torch


@magics_class
class MinigradMagics(Magics):
    """The four commands."""

    @line_magic
    def torch(self, line: str) -> None:
        """`%torch 1.5.0`: `import torch` is minigrad, as that PyTorch. `%torch`: as now. `%torch off`: undone."""
        version = line.strip()
        if version == "off":
            uninstall_torch()
        else:
            install_as_torch(version or None)

    @line_magic
    def lang(self, line: str) -> None:
        """`%lang en`, `%lang zh`, `%lang both`: the language of notes, pictures and players."""
        try:
            text.set_language(line.strip())
        except ValueError as error:
            raise UsageError(str(error)) from None

    @magic_arguments()
    @argument("names", nargs="*", help="tensors to draw; by default the cell's last value")
    @argument("--view", default="record", help="record, tape or another view of `draw`")
    @argument("--depth", type=int, help="how many edges away from the roots")
    @cell_magic
    def graph(self, line: str, cell: str) -> Any:
        """Run the cell, then draw the graph of its last value, or of the tensors named."""
        from .viz import draw

        options = parse_argstring(self.graph, line)
        return draw(*self._tensors(cell, options.names), view=options.view, depth=options.depth)

    @magic_arguments()
    @argument("name", nargs="?", help="the root; by default the cell's last value")
    @argument("--run", action="store_true", help="a real backward: it accumulates and frees")
    @argument("--live", action="store_true", help="a real backward, one node per click")
    @cell_magic
    def step(self, line: str, cell: str) -> Any:
        """Run the cell, then walk backward from its last value: a preview, unless told otherwise."""
        from .viz import step

        options = parse_argstring(self.step, line)
        (root,) = self._tensors(cell, [options.name] if options.name else [])
        return step(root, live=options.live, preview=not (options.run or options.live))

    def _tensors(self, cell: str, names: list[str]) -> list[Any]:
        """The values of these names once the cell has run; of its last expression if there are none."""
        shell = self.shell
        result = shell.run_cell(cell, silent=not names) if names else shell.run_cell(cell)
        result.raise_error()
        found = [shell.ev(name) for name in names] if names else [result.result]
        if found == [None] or any(not hasattr(value, "grad_fn") for value in found):
            raise UsageError(text.say("magics.no_tensor"))
        return found


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext minigrad` calls."""
    shell.register_magics(MinigradMagics)
