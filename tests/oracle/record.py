"""`python -m tests.oracle.record`: ask torch, write tests/data/*.json."""

import json
from pathlib import Path

from . import expressions

DATA = Path(__file__).parents[1] / "data"


def write(name: str, recording: dict) -> None:
    """One entry a line, so that a change of one expression is a change of one line."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in recording.items()]
    (DATA / name).write_text("{\n" + ",\n".join(lines) + "\n}\n")


def read(name: str) -> dict:
    return json.loads((DATA / name).read_text())


def record_expressions(torch) -> dict:
    return {e: expressions.observe(torch, e) for e in expressions.expressions()}


def main() -> None:
    import torch

    write("expressions.json", record_expressions(torch))


if __name__ == "__main__":
    main()
