"""`make check` ends with this: the lines of code of each room against its budget.

A line of code has something on it besides space, a comment or a docstring. The last line names
the longest function. The package exceeds its budget: it may shrink, and fails the check where it grows.
`python -m tests.lines --readme` (in `make fix`) puts today's lengths into the reading lists.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "minigrad"
# what is counted, as ARCHITECTURE.md has it -> files, their budget, and how long they may be until they meet it
BUDGETS = {
    "the heart: `core`'s own files": ("core/*.py", 1100, 1100),
    "`core` with its rooms": ("core/**/*.py", 2000, 2000),
    "`quick`": ("quick/**/*.py", 700, 700),
    "`ops`: table, kernels, calls": ("ops/**/*.py", 3500, 3500),
    "the whole package in Python": ("**/*.py", 13800, 26783),
}
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


@cache
def code_lines(source: str) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {
        line for token in tokens if token.type not in NOT_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstring_lines(ast.parse(source)))


def python_lines(pattern: str) -> int:
    return sum(code_lines(file.read_text("utf-8")) for file in PACKAGE.glob(pattern))


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


def rooms() -> dict[str, int]:
    """Every folder and every file at the top of the package, and its lines."""
    return {path.stem: python_lines(f"{path.name}/**/*.py" if path.is_dir() else path.name)
            for path in sorted(PACKAGE.iterdir()) if path.suffix == ".py" or (path.is_dir() and [*path.glob("*.py")])}


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
    print("  ".join(f"{room} {lines}" for room, lines in rooms().items()), f" JS, CSS, HTML {front_end_lines()}")
    over = False
    for what, (files, budget, most) in BUDGETS.items():
        lines = python_lines(files)
        over |= lines > most
        print(f"{lines:6} of {budget:5}  {what}{'  OVER' if lines > budget else ''}")
    length, where = longest_function()
    print(f"longest function: {length} lines, {where}")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
