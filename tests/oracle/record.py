"""`python -m tests.oracle.record`: ask torch what is not recorded yet, write tests/data/*.json.

With `--all` it asks for everything again: last digits of some functions move from one machine to the next.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from . import areas, expressions, programs, scripts, semantics

DATA = Path(__file__).parents[1] / "data"


def write(name: str, recording: dict, indent: int | None = None) -> None:
    """One entry a line, or one line of text a line: a change of torch is a small change here."""
    items = [f"{json.dumps(k)}: {json.dumps(v, indent=indent)}" for k, v in recording.items()]
    (DATA / name).write_text("{\n" + ",\n".join(items) + "\n}\n")


def read(name: str) -> dict:
    return json.loads((DATA / name).read_text())


def expressions_of(torch) -> dict[str, Callable]:
    return {e: partial(expressions.observe, torch, e) for e in expressions.expressions()}


def semantics_of(torch) -> dict[str, Callable]:
    return {name: partial(semantics.shown, torch, name) for name in semantics.snippets()}


def programs_of(torch) -> dict[str, Callable]:
    """Program and transcript of a few seeds of each level."""
    return {
        f"level {level} seed {seed}": partial(programs.run, programs.program(seed, level), torch)
        for level in programs.LEVELS
        for seed in range(programs.RECORDED)
    }


def areas_of(torch) -> dict[str, Callable]:
    """Transcripts of the first programs of each area."""
    return {f"{area} {n}": partial(programs.run, areas.program(area, n), torch)
            for area in areas.AREAS for n in range(3)}


def scripts_of(torch) -> dict[str, Callable]:
    return {f"{name} {kind}": partial(scripts.losses, torch, name, kind)
            for name in scripts.SCRIPTS for kind in scripts.SPANS}


def asked(texts_of: Callable, torch, known: dict) -> dict:
    """What torch does with each text; what is known already stays."""
    return {text: known[text] if text in known else ask() for text, ask in texts_of(torch).items()}


FILES = {"expressions.json": (expressions_of, None), "semantics.json": (semantics_of, 0),
         "programs.json": (programs_of, 0), "areas.json": (areas_of, None), "scripts.json": (scripts_of, None)}


def main() -> None:
    import torch

    for file, (texts_of, indent) in FILES.items():
        write(file, asked(texts_of, torch, {} if "--all" in sys.argv else read(file)), indent)


if __name__ == "__main__":
    main()
