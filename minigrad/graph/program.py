"""The learner's program as it is written: which expression an instruction belongs to, what a value was made from.

Reads the source that Python keeps (`linecache`; cells of a notebook too) and never runs anything. What is found
is a fact about the text: `notes` and `causes` say only what a record, such as the ledger of cuts, bears out.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Any

from ..core.beside.ledger import Place
from ..core.beside.lines import source_line

SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class Source:
    """A file, or a cell: its tree, with the parent of each node."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.lines = file, text.splitlines()
        try:
            self.tree: ast.AST = ast.parse(text)
        except (SyntaxError, ValueError):
            self.tree = ast.Module([], [])
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.spans = {span(node): node for node in reversed([*ast.walk(self.tree)]) if isinstance(node, ast.expr)}

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node is part of, or is."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def above(self, node: ast.AST) -> Iterator[Any]:
        """What a node stands in, the nearest first."""
        while (node := self.parents.get(node)) is not None:  # type: ignore[assignment]
            yield node


@lru_cache(32)
def _parsed(file: str, text: str) -> Source:
    return Source(file, text)


def source_of(file: str) -> Source:
    """The source of a file or a cell; empty where Python keeps none."""
    return _parsed(file, "".join(linecache.getlines(file)))


def span(node: Any) -> tuple[int, int, int, int]:
    """First and last line, first and last column: as Python notes them of an instruction."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def expression(code: CodeType, lasti: int) -> ast.expr | None:
    """The expression that an instruction computes, if its source is there."""
    places = [*code.co_positions()]
    return source_of(code.co_filename).spans.get(places[lasti // 2]) if lasti // 2 < len(places) else None  # type: ignore


def word(place: Place) -> str:
    """What the learner wrote that cut: `detach()`, `.data`, `argmax()`, `>`."""
    if not place.kind.isidentifier():
        return place.kind
    call = expression(place.code, place.lasti)
    name = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else place.kind
    return SIGNS.get(name, f"{name}()")


def where(place: Place) -> tuple[str, int, str]:
    """File, number and text of its line."""
    return source_line(place.code, place.lasti)
