"""`python -m tests.oracle.record`: ask torch what is not recorded yet, write tests/data/*.json.

With `--all` it asks for everything again: last digits of some functions move from one machine to the next.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from . import expressions, programs, scripts, semantics

DATA = Path(__file__).parents[1] / "data"


def write(name: str, recording: dict, indent: int | None = None) -> None:
    """One entry a line, or one line of text a line: a change of torch is a small change here."""
    items = [f"{json.dumps(k)}: {json.dumps(v, indent=indent)}" for k, v in recording.items()]
    (DATA / name).write_text("{\n" + ",\n".join(items) + "\n}\n")


def read(name: str) -> dict:
    return json.loads((DATA / name).read_text())


def record_texts(torch, name: str, texts: list, observe: Callable) -> dict:
    """What torch does with each text; what is recorded already stays."""
    known = {} if "--all" in sys.argv else read(name)
    return {text: known[text] if text in known else observe(torch, text) for text in texts}


def record_programs(torch) -> dict:
    """Program and transcript of a few seeds of each level."""
    return {
        f"level {level} seed {seed}": programs.run(programs.program(seed, level), torch)
        for level in programs.LEVELS
        for seed in range(programs.RECORDED)
    }


def record_scripts(torch) -> dict:
    return {f"{name} {kind}": scripts.losses(torch, name, kind) for name in scripts.SCRIPTS for kind in scripts.SPANS}


def main() -> None:
    import torch

    write("expressions.json", record_texts(torch, "expressions.json", expressions.expressions(), expressions.observe))
    write("semantics.json", record_texts(torch, "semantics.json", semantics.snippets(), semantics.shown), indent=0)
    write("programs.json", record_programs(torch), indent=0)
    write("scripts.json", record_scripts(torch))


if __name__ == "__main__":
    main()
