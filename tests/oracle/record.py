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


def record_expressions(torch) -> dict:
    return {e: expressions.observe(torch, e) for e in expressions.expressions()}


def record_semantics(torch) -> dict:
    return {name: semantics.shown(torch, name) for name in semantics.snippets()}


def only_new(name: str, texts: list | dict, observe: Callable) -> dict:
    """What torch does with each text; what is recorded already stays."""
    known = read(name)
    return {text: known[text] if text in known else observe(text) for text in texts}


def record_programs(torch) -> dict:
    """Program and transcript of a few seeds of each level."""
    return {
        f"level {level} seed {seed}": programs.run(programs.program(seed, level), torch)
        for level in programs.LEVELS
        for seed in range(programs.RECORDED)
    }


def record_areas(torch) -> dict:
    """Transcripts of the first programs of each area."""
    return {f"{area} {n}": programs.run(areas.program(area, n), torch) for area in areas.AREAS for n in range(3)}


def record_scripts(torch) -> dict:
    return {f"{name} {kind}": scripts.losses(torch, name, kind) for name in scripts.SCRIPTS for kind in scripts.SPANS}


def main() -> None:
    import torch

    if "--all" in sys.argv:
        write("expressions.json", record_expressions(torch))
        write("semantics.json", record_semantics(torch), indent=0)
    else:
        write("expressions.json", only_new(
            "expressions.json", expressions.expressions(), partial(expressions.observe, torch)))
        write("semantics.json", only_new(
            "semantics.json", semantics.snippets(), partial(semantics.shown, torch)), indent=0)
    write("programs.json", record_programs(torch), indent=0)
    write("areas.json", record_areas(torch))
    write("scripts.json", record_scripts(torch))


if __name__ == "__main__":
    main()
