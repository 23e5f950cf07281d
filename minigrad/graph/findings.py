"""Findings: what is said of a mistake, the learner's line that it speaks of, and one edit of one line that mends it.

A finder gets an error, or a tensor, with the place in the learner's program, and gives a `Finding` or nothing. It says
what a record bears out: a node and its line, the mark of a backward, the ledger of cuts, values that are there to be
looked at. What only could be is left to the general notes.
"""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .program import Context, Line


@dataclass
class Finding:
    """A sentence, `cause.KEY` with its blanks, the learner's line that it speaks of, and the edit that mends it."""

    key: str
    facts: dict[str, Any] = field(default_factory=dict)
    line: Line | None = None
    edit: tuple[int, str] | None = None


strict = False  # tests: let a finder fail


def attempt(finder: Callable[..., Finding | None], *given: Any) -> Finding | None:
    """What a finder finds; nothing where it fails: the learner's error must come through, whatever their program is."""
    try:
        return finder(*given)
    except Exception:
        if strict:
            raise
        return None


def first(found: Iterable[Finding | None]) -> Finding | None:
    """The first of several findings that is one; those after it are not looked for."""
    return next((one for one in found if one is not None), None)


def finding(key: str, context: Context, at: Any, /, *changes: tuple[Any, str], **facts: Any) -> Finding:
    """A finding about the node `at`, mended by replacing nodes on one line."""
    return Finding(key, facts, context.source.line(at), context.source.edited(*changes) if changes else None)


# ---- parts of an edit


def stretch(line: int, column: int, end: int, last: int) -> Any:
    """A part of a source that is no expression, from a column, in bytes, of a line to one of another."""
    return ast.Pass(lineno=line, col_offset=column, end_lineno=end, end_col_offset=last)


def keyword(call: Any, name: str) -> Any:
    """The value of a keyword argument in a call; None if it is not given."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def with_keyword(call: Any, text: str, context: Context) -> tuple[Any, str]:
    """The change that gives a call a keyword argument, in place of one of that name."""
    old = without(call, text.partition("=")[0], context)
    return call, f"{old[:-1]}{'' if old.endswith('()') else ', '}{text})"


def without(call: Any, name: str, context: Context) -> str:
    """A call without one of its keyword arguments."""
    text = context.source.text
    kept = [*map(text, call.args), *(f"{k.arg}={text(k.value)}" if k.arg else f"**{text(k.value)}"
                                     for k in call.keywords if k.arg != name)]
    return f"{text(call.func)}({', '.join(kept)})"


# ---- reading expressions


def receiver(node: Any) -> Any:
    """What an expression is asked of: `x` of `x.detach()`, `x.data`, `float(x)`, `torch.exp(x)`, `x > 0`."""
    if isinstance(node, ast.Attribute | ast.Compare):
        return node.value if isinstance(node, ast.Attribute) else node.left
    owner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if owner is not None and getattr(owner, "id", "") not in MODULES:
        return owner
    return node.args[0] if isinstance(node, ast.Call) and node.args else node


MODULES = {"torch", "np", "numpy", "math", "minigrad"}


def names_in(node: Any) -> set[str]:
    """The names that an expression reads."""
    return {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)}


def reads_of(name: str, region: Any) -> list[Any]:
    """Where a part of the program reads a name, in the order of its lines."""
    reads = [n for n in ast.walk(region) if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)]
    return sorted((n for n in reads if ast.unparse(n) == name), key=lambda n: int(n.lineno))
