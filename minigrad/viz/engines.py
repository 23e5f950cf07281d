"""Graphviz, in process from the pygraphviz wheel or as the program `dot`, called quietly."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from ..text import say


def run_graphviz(source: str, engine: str, form: str) -> bytes:
    """What Graphviz makes of a source, in a form that it knows: "svg", "png", "plain".

    Raises: RuntimeError with advice where this engine is not installed, or fails.
    """
    try:
        if engine == "graphviz":
            import pygraphviz

            with quiet_stderr():  # Fontconfig and Pango chatter from below Python
                return bytes(pygraphviz.AGraph(string=source).draw(format=form, prog="dot"))
        # on Windows it may be a `.bat`
        return subprocess.run([shutil.which("dot") or "dot", f"-T{form}"], input=source.encode(), capture_output=True,
                              timeout=20, check=True).stdout
    except (ImportError, OSError, subprocess.SubprocessError):
        raise RuntimeError(say("draw.no_engine", engine=engine)) from None


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
