"""Run the notebooks and write their outputs, the same bytes each time.

Knows what differs between two honest runs (times, process numbers, addresses, the random ids
of widgets) and writes it the same. Widget state is kept: a trusted notebook shows its player
before any cell has run. Pictures differ between machines, so --check leaves them out.

    python -m notebooks.refresh [NOTEBOOK ...]    run and rewrite (all of them if none is named)
    python -m notebooks.refresh --twice           the same, and fail if a second run differs
    python -m notebooks.refresh --check           change nothing; exit 1 if a text would change
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from traitlets import default

from notebooks.sync import HERE, pairs, read, write

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
PICTURES = {"image/svg+xml", "image/png", "image/jpeg", WIDGET_VIEW}
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
CELL_FILE = re.compile(r"\S*[/\\]ipykernel_\d+[/\\]\d+\.py")
MODEL_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")     # no \b: IPY_MODEL_<id> is one
AT_ONCE = 2
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


class ThisPython(KernelSpecManager):
    """Kernels of the Python that runs this file, whatever else is installed for the user."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name=kernel_name, language="python")


class ThisKernel(AsyncKernelManager):
    @default("kernel_spec_manager")
    def this_python(self) -> ThisPython:
        return ThisPython(parent=self)


def kernel_environment() -> dict[str, str]:
    """What could change an output from outside is fixed here."""
    fixed = {
        "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "0", "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    kept = {name: value for name, value in os.environ.items() if name != "MINIGRAD_LANG"}
    return kept | fixed


async def execute(path: Path) -> NotebookNode:
    """The notebook as a fresh kernel leaves it, normalised."""
    notebook = read(path)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    client = NotebookClient(
        notebook, timeout=180, record_timing=False, coalesce_streams=True, store_widget_state=True,
        kernel_manager_class=ThisKernel, resources={"metadata": {"path": str(path.parent)}},
    )
    await client.async_execute(env=kernel_environment(), stderr=subprocess.DEVNULL)
    return normalise(notebook, path)


def normalise(notebook: NotebookNode, path: Path) -> NotebookNode:
    ours = notebook.metadata.get("minigrad")
    widgets = notebook.metadata.get("widgets")
    notebook.metadata = nbformat.from_dict(METADATA)
    if ours:
        notebook.metadata.minigrad = ours
    if widgets and widgets[WIDGET_STATE]["state"]:
        notebook.metadata.widgets = widgets
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [normal_output(output) for output in cell.outputs]
    return with_steady_ids(notebook, f"{path.parent.name}/{path.name}")


def normal_output(output: NotebookNode) -> NotebookNode:
    """Addresses and paths replaced in every text; pictures are left alone (base64 can look so)."""
    if "data" in output:
        for kind in [kind for kind in output.data if kind.startswith("text/")]:
            output.data[kind] = normal_text(output.data[kind])
    elif "traceback" in output:
        output.traceback = [normal_text(line) for line in output.traceback]
        output.evalue = normal_text(output.evalue)
    else:
        output.text = normal_text(output.text)
    return output


def normal_text(text: str) -> str:
    """Files named as the checkout, or the Python that ran them, knows them."""
    home = os.path.expanduser("~")
    places = [str(HERE.parent), *map(sysconfig.get_path, ("purelib", "stdlib"))]
    for place in places:
        for folder in (place, place.replace(home, "~", 1)):
            text = text.replace(folder + os.sep, "")
    return ADDRESS.sub("0x7f0000000000", CELL_FILE.sub("ipykernel/cell.py", text))


def with_steady_ids(notebook: NotebookNode, name: str) -> NotebookNode:
    """Widget models named by their turn in this notebook instead of by chance; their code has its own steady id."""
    state = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    steady = {
        model: hashlib.sha256(f"{name} {turn}".encode()).hexdigest()[:32]
        for turn, model in enumerate(state) if "packed" not in state[model]["state"]
    }
    text = MODEL_ID.sub(lambda match: steady.get(match[0], match[0]), json.dumps(notebook))
    return nbformat.from_dict(json.loads(text))


def texts(notebook: NotebookNode) -> list[Any]:
    """What --check compares: the outputs of each code cell without pictures and tracebacks."""
    cells = [copy.deepcopy(cell) for cell in notebook.cells if cell.cell_type == "code"]
    for output in (output for cell in cells for output in cell.outputs):
        output.pop("traceback", None)
        for kind in PICTURES & set(output.get("data", {})):
            del output.data[kind]
    return [(cell.id, cell.execution_count, cell.outputs) for cell in cells]


async def refresh(path: Path, options: argparse.Namespace) -> str | None:
    """Run one notebook; return what is wrong with it, or None."""
    name = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else str(path)
    try:
        fresh = await execute(path)
    except CellExecutionError as error:
        return f"{name}: a cell failed\n{error}"
    if options.check:
        changed = [new[0] for new, old in zip(texts(fresh), texts(read(path)), strict=True)
                   if new != old]
        return f"{name}: cells {', '.join(changed)} print something else" if changed else None
    if write(fresh, path):
        print(f"{name}: written")
    if options.twice and await execute(path) != fresh:
        return f"{name}: a second run gives another file"
    return None


async def refresh_all(paths: list[Path], options: argparse.Namespace) -> list[str]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def in_turn(path: Path) -> str | None:
        async with turns:
            return await refresh(path, options)

    found = await asyncio.gather(*map(in_turn, paths))
    return [problem for problem in found if problem]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if it should")
    parser.add_argument("--twice", action="store_true", help="run again and compare every byte")
    options = parser.parse_args(arguments)
    every = [path for pair in pairs(HERE) for path in pair if path.exists()]
    problems = asyncio.run(refresh_all([p.resolve() for p in options.notebooks] or every, options))
    print(*problems, sep="\n", end="\n" if problems else "")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
