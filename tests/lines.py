"""`make check` ends with this: the lines of code of each room against its budget.

A line of code has something on it besides space, a comment or a docstring. The last line names
the longest function. Information, never a gate: a room that grows is a thing to talk about.
`python -m tests.lines --readme` (in `make fix`) puts today's lengths into the reading lists.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "minigrad"
# budget -> rooms that share it, as in ARCHITECTURE.md; files and folders of minigrad/
BUDGETS = {
    ("text", "array", "core"): 2500,
    ("ops",): 1800,
    ("autograd", "cuda", "func", "nn", "optim", "linalg", "special", "utils", "eras"): 2200,
    ("graph", "viz"): 2500,
}
WHOLE, FRONT_END = 9000, 1200
NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
}


def docstring_lines(tree: ast.Module) -> set[int]:
    """The lines that docstrings, and other strings standing alone, take up."""
    alone = (
        node for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
    return {line for node in alone for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def code_lines(source: str) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {
        line for token in tokens if token.type not in NOT_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstring_lines(ast.parse(source)))


def python_lines(room: str) -> int:
    folder = PACKAGE / room
    files = folder.rglob("*.py") if folder.is_dir() else [PACKAGE / f"{room}.py"]
    return sum(code_lines(file.read_text("utf-8")) for file in files)


def front_end_lines() -> int:
    """JS, CSS and HTML lines that are neither blank nor wholly a comment of `//` or `*`."""
    files = [file for kind in ("*.js", "*.css", "*.html") for file in PACKAGE.rglob(kind)]
    lines = (line.strip() for file in files for line in file.read_text("utf-8").splitlines())
    return sum(bool(line) and not line.startswith(("//", "/*", "*")) for line in lines)


def longest_function() -> tuple[int, str]:
    lengths = (
        ((node.end_lineno or 0) - node.lineno + 1, f"{file.relative_to(PACKAGE)}:{node.lineno}")
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return max(lengths)


def rooms() -> list[str]:
    """Every folder and every file at the top of the package, once."""
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    return sorted(found - {"__pycache__"})


def table() -> list[tuple[str, int, int]]:
    """Rows of (what, lines, budget); a budget of 0 is none."""
    counted = {room: python_lines(room) for room in rooms()}
    budgeted = [room for group in BUDGETS for room in group]
    rows = [(" + ".join(group), sum(counted.get(room, 0) for room in group), budget)
            for group, budget in BUDGETS.items()]
    rest = [room for room in counted if room not in budgeted]
    rows.append((" + ".join(rest), sum(counted[room] for room in rest), 0))
    return [*rows, ("the package in Python", sum(counted.values()), WHOLE),
            ("the front end (JS, CSS, HTML)", front_end_lines(), FRONT_END)]


READING_ROW = re.compile(r"^(\| \[`[^`]+`\]\((minigrad/[^)]+)\)) \| (\d+) \| (\d+) \|", re.M)
LINES_A_MINUTE = 18


def update_reading_lists() -> None:
    """Lengths and minutes of the files that both READMEs tell a reader to read."""
    def row(match: re.Match[str]) -> str:
        length = len((PACKAGE.parent / match[2]).read_text("utf-8").splitlines())
        return f"{match[1]} | {length} | {max(3, round(length / LINES_A_MINUTE))} |"

    for readme in PACKAGE.parent.glob("README*.md"):
        text = READING_ROW.sub(row, readme.read_text("utf-8"))
        readme.write_text(text, encoding="utf-8", newline="\n")


def main() -> int:
    if "--readme" in sys.argv:
        update_reading_lists()
        return 0
    for what, lines, budget in table():
        mark = "  OVER" if budget and lines > budget else ""
        print(f"{lines:6}" + (f" of {budget:5}" if budget else " " * 9) + f"  {what}{mark}")
    length, where = longest_function()
    print(f"longest function: {length} lines, {where}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
