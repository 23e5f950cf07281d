"""The conformance page: which of the 58 recorded cells print their recorded text, and when.

Runs the tutorials, each in a process of its own, and compares what is printed with the recording,
addresses aside: the whole notebook in both languages (as recorded), the recorded code alone from
top to bottom (as shown), and the same as today's PyTorch prints it. Nothing is written by hand.

    python -m notebooks.conformance             run everything and write CONFORMANCE.md
    python -m notebooks.conformance --check     change nothing; exit 1 if the page would change
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import multiprocessing
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGE = HERE / "CONFORMANCE.md"
TODAY = "2.13.0"
ERA = re.compile(r'(install_as_torch\(")([^"]+)')
SETS_UP = re.compile(r"install_as_torch|manual_seed|set_entropy")
YES, NO = "✓", "≠"
RUNS = ("en", "zh", "as shown", "today")
Printed = list[tuple[str, str]]                 # what a cell put out: (stream, result, ...; text)
Outcome = dict[int, tuple[Printed, str]]        # index in the ledger -> what came out, in which era

HEADER = """# Conformance · 复现对照

Written by `make notebooks` from the last run; do not edit. 由 `make notebooks` 根据最近一次运行生成，请勿手改。

**{recorded} of {cells}** recorded cells print their recorded text again, in both languages; {shown} of them do so
as shown, from top to bottom, and {today} do so as PyTorch {version} prints. Addresses (`0x…`) are not compared.

**{cells} 个记录的单元格中有 {recorded} 个**重新打印出记录的文字，中英文笔记本皆然；其中 {shown} 个照原样运行即可，
{today} 个在 PyTorch {version} 的打印方式下也相同。内存地址（`0x…`）不参与比较。

| column · 列 | what was run · 运行的是什么 |
|---|---|
| as shown · 照原样 | the recorded code, untouched, from top to bottom · 记录的代码，一字不改，从上到下 |
| as recorded · 照记录 | the whole notebook, with the hidden runs and small changes that it tells of \
· 整个笔记本，含其中说明的隐藏运行与最小改动 |
| era · 版本 | the PyTorch whose names and printing were in force · 当时的名称与打印方式 |
| today · 今天 | as shown, in the manner of PyTorch {version} · 照原样，按 PyTorch {version} |

- {yes} prints the recorded text · 与记录一致
- {no} prints something else; its first line that differs follows · 不一致，后面是第一处不同的行
"""
COLUMNS = ("In", "code · 代码", "as shown · 照原样", "as recorded · 照记录", "era · 版本", "today · 今天")


def ledger() -> list[dict[str, Any]]:
    """The recorded code cells with their outputs."""
    file = HERE.parent / "tests" / "data" / "cells.json"
    return [cell for cell in json.loads(file.read_text("utf-8")) if "source" in cell]


def notebook(seed: str, language: str) -> tuple[Path, list[dict[str, Any]]]:
    """Its path and cells; read as JSON, for nbformat is slow to import in each process."""
    (path,) = (HERE / language / "tutorials").glob(f"{seed}_*.ipynb")
    return path, json.loads(path.read_text("utf-8"))["cells"]


def cells_to_run(seed: str, which: str) -> Iterator[tuple[int, str]]:
    """Code in the order of the notebook, and which recorded cell to compare with (-1: none)."""
    whole = which in ("en", "zh")
    _, cells = notebook(seed, which if whole else "en")
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        ours, source = cell["metadata"].get("minigrad", {}), "".join(cell["source"])
        index, variant = ours.get("cell", -1), ours.get("variant", "")
        if whole:
            yield (-1 if variant == "as shown" else index), source
        elif variant != "as recorded" and (index >= 0 or SETS_UP.search(source)):
            yield index, ERA.sub(rf"\g<1>{TODAY}", source) if which == "today" else source


def outcome(seed: str, which: str) -> Outcome:
    """What each recorded cell prints; meant for a process that ends with it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found, era = {}, ""
    for index, source in cells_to_run(seed, which):
        chosen = ERA.search(source)
        era = chosen[2] if chosen else era
        printed = run(source, names)
        if index >= 0:
            found[index] = printed, era
    return found


def run(source: str, names: dict[str, Any]) -> Printed:
    """Run a cell as IPython does; what it put out, in the ledger's words."""
    out, tree = io.StringIO(), ast.parse(re.sub(r"(?m)^%.*$", "", source))
    last = tree.body[-1] if tree.body else None
    result = error = None
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            if isinstance(last, ast.Expr):
                tree.body.pop()
            exec(compile(tree, "<cell>", "exec", dont_inherit=True), names)
            if isinstance(last, ast.Expr):
                expression = ast.Expression(last.value)
                result = eval(compile(expression, "<cell>", "eval", dont_inherit=True), names)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
    warning = "".join(f"{w.category.__name__}: {w.message}\n" for w in warned)
    texts = (("stream", out.getvalue()), ("stderr", warning), ("result", result), ("error", error))
    return [(kind, text_of(text)) for kind, text in texts if text not in (None, "")]


def text_of(value: Any) -> str:
    return re.sub(r"0x[0-9a-fA-F]+", "0x…", value if isinstance(value, str) else repr(value))


def run_all() -> dict[tuple[str, str], Outcome]:
    seeds = sorted({cell["seed"] for cell in ledger()})
    turns = [(seed, which) for seed in seeds for which in RUNS]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn, max_tasks_per_child=1) as processes:
        return dict(zip(turns, processes.map(outcome, *zip(*turns, strict=True)), strict=True))


def sign(printed: Printed, recorded: Printed) -> str:
    """A tick, or the first line that differs."""
    if printed == recorded:
        return YES
    lines, wanted = (
        [line for _, text in texts for line in text.splitlines()] for texts in (printed, recorded)
    )
    new = [line for i, line in enumerate(lines) if wanted[i : i + 1] != [line]]
    return f"{NO} {as_code(new[0])}" if new else NO


def as_code(line: str, most: int = 64) -> str:
    line = line.strip().replace("|", "\\|")
    line = line if len(line) <= most else line[: most - 1] + "…"
    return f"`` {line} ``" if "`" in line else f"`{line}`"


def telling_line(source: str) -> str:
    """The first line that is neither comment nor import, if there is one."""
    lines = [line for line in source.splitlines() if line.strip()]
    return next((x for x in lines if not x.startswith(("#", "import ", "from "))), lines[0])


def row(cell: dict[str, Any], outcomes: dict[tuple[str, str], Outcome]) -> tuple[str, ...]:
    """One line of the page."""
    recorded = [(out["type"], text_of(out["text"])) for out in cell["outputs"]]
    found = [outcomes[cell["seed"], which][cell["index"]] for which in RUNS]
    english, chinese, shown, today = (sign(printed, recorded) for printed, _ in found)
    both = english if english == chinese else f"en {english} zh {chinese}"
    return (f"[{cell['execution_count'] or ' '}]", as_code(telling_line(cell["source"]), 44),
            shown, both, found[0][1], today)


def table(seed: str, rows: list[tuple[str, ...]]) -> str:
    links = []
    for path, cells in (notebook(seed, language) for language in ("en", "zh")):
        title = "".join(cells[0]["source"]).splitlines()[0].removeprefix("# ")
        links.append(f"[{title}]({path.relative_to(HERE).as_posix()})")
    lines = ["| " + " | ".join(line) + " |" for line in (COLUMNS, ("---",) * len(COLUMNS), *rows)]
    return "\n".join([f"## {seed}", "", " · ".join(links), "", *lines, ""])


def page() -> str:
    outcomes = run_all()
    rows = [(cell["seed"], row(cell, outcomes)) for cell in ledger()]
    shown, recorded, today = (sum(line[column] == YES for _, line in rows) for column in (2, 3, 5))
    counts = {"cells": len(rows), "shown": shown, "recorded": recorded, "today": today}
    header = HEADER.format(**counts, version=TODAY, yes=YES, no=NO)
    seeds = sorted({seed for seed, _ in rows})
    tables = [table(seed, [line for its, line in rows if its == seed]) for seed in seeds]
    return "\n".join([header, *tables])


def keep(file: Path, page: Callable[[], str], about: str, arguments: list[str] | None = None) -> int:
    """The command of a generated page: write what `page()` gives; with `--check` only say if it differs."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if it should")
    check = parser.parse_args(arguments).check
    text, current = page(), file.read_text("utf-8") if file.exists() else ""
    if text != current and check:
        print(f"{file.name} is out of date; write it again: python -m notebooks.{file.stem.lower()}")
        return 1
    if text != current:
        file.write_text(text, encoding="utf-8", newline="\n")
    return 0


def main() -> int:
    """Write the page, or leave it as it is where there is nothing to compare: in a fork in one language."""
    missing = next((folder for folder in (HERE / "en/tutorials", HERE / "zh/tutorials") if not folder.is_dir()), None)
    if missing is None:
        return keep(PAGE, page, __doc__)
    print(f"{PAGE.name} compares tutorials in two languages. There is no {missing}: it stays as it is.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
