"""Graphviz, in process from the pygraphviz wheel or as the program `dot`: places for blocks, or PNG.

Knows DOT and how to call Graphviz quietly; what a block is, it only asks for its size.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..text import say


def places(spots: list[Any], engine: str) -> dict[Any, tuple[float, float]]:
    """Where Graphviz puts the anchors of `spots`; both engines run the same program."""
    name = {s: f"s{i}" for i, s in enumerate(spots)}
    lines = ["digraph {", "rankdir=RL; nodesep=0.3; ranksep=0.7; node [shape=box, fixedsize=true];"]
    for s in spots:
        left, right, up, down = s.block.reach
        wide, high = (left + right + 2) / 72, max(up, down) / 36
        lines.append(f"{name[s]} [width={wide:.3f}, height={high:.3f}];")
        lines += [f"{name[s]} -> {name[leaf]};" for leaf, _ in s.leaves]
    words = [line.split() for line in run_graphviz("\n".join([*lines, "}"]), engine).decode().splitlines()]
    middle = {w[1]: (float(w[2]) * 72, -float(w[3]) * 72) for w in words if w and w[0] == "node"}
    at = {s: middle[name[s]] for s in spots}
    return {s: (x + (s.block.reach[0] - s.block.reach[1]) / 2, y) for s, (x, y) in at.items()}


def run_graphviz(source: str, engine: str, form: str = "plain") -> bytes:
    """Graphviz's answer: a picture, or the places of all parts as plain text.

    Raises: RuntimeError with advice where this engine is not installed.
    """
    try:
        if engine == "graphviz":
            import pygraphviz

            with quiet_stderr():  # Fontconfig and Pango chatter from below Python
                out: bytes = pygraphviz.AGraph(string=source).draw(format=form, prog="dot")
        else:
            program = shutil.which("dot") or "dot"  # on Windows it may be a `.bat`
            out = subprocess.run([program, f"-T{form}"], input=source.encode(), capture_output=True,
                                 timeout=20, check=True).stdout
    except (ImportError, FileNotFoundError):
        raise RuntimeError(say("draw.no_engine", engine=engine)) from None
    return out


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Send file descriptor 2 to nowhere for a while, for C libraries that write to it."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
