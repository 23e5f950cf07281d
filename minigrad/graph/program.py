"""The learner's program as it is written: which expression an instruction belongs to, what a value was made from.

Reads the source that Python keeps (`linecache`; cells of a notebook too) and never runs anything. What is found
is a fact about the text: `findings` says only what a record, such as the ledger of cuts, bears out.
"""

from __future__ import annotations

import ast
import linecache
import math
import operator
import os
import re
import sys
from collections import deque
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from inspect import CO_OPTIMIZED, unwrap
from itertools import islice, product, takewhile
from types import CellType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ..core.beside import lines
from ..core.beside.ledger import Place
from ..core.beside.lines import PACKAGE_FILES, learners_frame, source_line
from ..core.graph import TensorBase, latest
from . import tracebacks
from .snapshot import by_key

FILLING = {"append", "extend", "insert", "update", "setdefault", "add"}  # methods that put something into a container
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PLAIN = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)  # what can stand before a dot without brackets
# files of Python's own, and of what was installed: nobody mends a program there
LIBRARIES = re.compile(rf"^{re.escape(os.path.dirname(os.__file__))}|[/\\](?:site|dist)-packages[/\\]|^<frozen")
SHAPES = re.compile(r"_like$|^(new_\w+|shape|size|ndim|dim|numel|len|dtype|device)$")
TIMED = "<timed exec>", "<timed eval>", "<magic-timeit>"  # IPython's names for code under `%%time` and `%%timeit`
TIMEIT = ("def inner(_it, _timer):\n    setup\n    _t0 = _timer()\n    for _i in _it:\n        stmt\n"
          "    _t1 = _timer()\n    return _t1 - _t0\n")  # what it puts them into; the places count, too
BESIDE = ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare  # what stands in them may need brackets
FARTHEST, CELLS = 400, 300  # expressions that are looked at behind one value; cells, the latest ones
Line = tuple[str, int, str]  # file, number, text


class Source:
    """A file, or a cell: its tree, with the parent of each node."""

    def __init__(self, file: str, text: str, typed: Source | None = None, rows: Any = ()) -> None:
        self.file, self.lines, self.whole = file, text.removesuffix("\n").split("\n"), text
        self.typed, self.rows = typed or self, rows  # where each line stands as it is typed, if that differs
        try:
            self.tree: Any = ast.parse(text)
        except (SyntaxError, ValueError):
            self.tree = ast.Module([], [])
        nodes, self.parents, self.selves = simplified(self.tree)
        self.calls = [node for node in nodes if isinstance(node, ast.Call)]
        self.functions = {min(n.lineno for n in (node, *node.decorator_list)): node for node in reversed(nodes)
                          if isinstance(node, FUNCTIONS)}
        kinds = ast.If, ast.While, ast.Assert, ast.For, ast.With
        heads: list[Any] = [node for node in nodes if isinstance(node, kinds)]
        self.spans: dict[Any, Any] = {span(node): getattr(node, "test", getattr(node, "iter", None))
                                      or node.items[0].context_expr for node in heads}
        whole = ast.expr | ast.AugAssign | ast.Import | ast.ImportFrom
        self.spans |= {span(node): node for node in reversed(nodes) if isinstance(node, whole)}
        # (function or None, name) -> statements that write it
        self.writes = by_key(((self.function(node), name), node) for node in nodes for name in written(node))
        self.gives = {name for home, name in self.writes if home is None} | {
            node.name for node in self.tree.body if isinstance(node, (ast.ClassDef, *FUNCTIONS))}
        touched = [n for n in self.tree.body if isinstance(n, ast.Expr) or any("." in name for name in written(n))]
        self.touches = {n.id for statement in touched for n in ast.walk(statement) if isinstance(n, ast.Name)}
        # what a line before gives is read from here
        self.reads = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and all(
            n.lineno <= w.lineno for w in self.writes.get((None, n.id), ()) if isinstance(w, ast.Assign | ast.For))} | {
            n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
        for (home, name), several in [*self.writes.items()]:  # a list that a function only fills is not its own
            if home and all(isinstance(w, ast.Expr) for w in several) and name not in {
                    n.arg for n in ast.walk(home.args) if isinstance(n, ast.arg)}:
                self.writes.setdefault((None, name), []).extend(several)
        for several in self.writes.values():
            several.sort(key=begins)

    def above(self, node: Any) -> Iterator[Any]:
        """What a node stands in, the nearest first."""
        while (node := self.parents.get(node)) is not None:
            yield node

    def function(self, node: Any) -> Any:
        """The function that a node stands in; None at the top of a file."""
        return next((up for up in self.above(node) if isinstance(up, FUNCTIONS)), None)

    def definition(self, code: CodeType) -> Any:
        """The function that code was compiled from; None where it is no `def` of this source."""
        return self.functions.get(code.co_firstlineno)

    def statement(self, node: Any) -> Any:
        """The statement that a node is part of, or is."""
        return next((up for up in (node, *self.above(node)) if isinstance(up, ast.stmt)), node)

    def text(self, node: Any) -> str:
        """A node as it is written."""
        if getattr(node, "end_lineno", None) is None:
            return ""
        rows = [line.encode() for line in self.lines[node.lineno - 1 : node.end_lineno]]  # columns count bytes
        rows[-1] = rows[-1][: node.end_col_offset]
        rows[0] = rows[0][node.col_offset :]
        return b"\n".join(rows).decode()

    def grouped(self, node: Any) -> str:
        """A node as it can stand before a dot."""
        return self.text(node) if isinstance(node, PLAIN) else f"({self.text(node)})"

    def line(self, node: Any) -> Line:
        """File, number and text of the line on which a node begins; of a method, on which its name stands."""
        number = span(self.place(node))[0]
        return self.file, number, self.typed.lines[number - 1].strip()

    def place(self, node: Any) -> Any:
        """Where a node stands as it is typed; where that is not to be found once, somewhere in a statement."""
        if not self.rows:
            return node
        (first, last), parts = self.rows[node.lineno - 1], re.findall(r"\w+|\S", self.owned(node, self.text(node)))
        begin, end = (sum(len(line) + 1 for line in self.typed.lines[:number]) for number in (first - 1, last))
        found = [*re.compile(r"\s*".join(map(re.escape, parts))).finditer(self.typed.whole, begin, end)]
        return between(self.typed.whole, *found[0].span()) if len(found) == 1 else stretch(first, 0, last, 0)

    @cached_property
    def called_as(self) -> dict[str, list[Any]]:
        """The calls, by what is called as Python would write it."""
        return by_key((ast.unparse(n.func), n) for n in self.calls)

    @cached_property
    def calls_of(self) -> dict[str, list[Any]]:
        """The calls of what has a name, by its last one; `super().f()` is none."""
        return by_key((called(n), n) for n in self.calls if not isinstance(getattr(n.func, "value", None), ast.Call))

    @cached_property
    def spelled(self) -> Source:
        """The same with the usual spaces, each statement, or head of one, alone on one line, and nothing on the others;
        itself, where that may not be."""
        lines = [re.sub(rf"\b{self.word(i)}\b", "self", line) if re.match(r"\s*[^\s#]", line) else None
                 for i, line in enumerate(self.lines, 1)]
        rows = [(i, i) for i in range(1, len(lines) + 1)]
        heads = by_key((n.lineno, n) for n in ast.walk(self.tree) if isinstance(n, ast.stmt))
        for number, (node, *others) in heads.items():
            body, text = getattr(node, "body", [])[:1], re.findall("^[^@].*", usual(node), re.M)
            inside = [*body, *(d for n in body for d in getattr(n, "decorator_list", ()))]
            last = min((n.lineno - 1 for n in inside), default=node.end_lineno)
            whole = body or (len(text) == 1 and (last == number or last not in heads))
            alone = others and all(n.end_lineno == number for n in (node, *others))  # then each gets a line of its own
            before = (self.lines[n.lineno - 1].encode()[: n.col_offset] for n in [node, *body[: not alone]])
            if (alone or (whole and not others)) and not ("elif" in self.lines[number - 1] or b"".join(before).strip()):
                rows[number - 1] = number, (last := max(last, number))
                apart = [text[0], *("    " * len(body) + usual(n) for n in others)]
                one = "\n".join(" " * node.col_offset + each for each in apart)
                lines[number - 1 : last] = [one, *[None] * (last - number)]
        pairs = ((line, row) for line, row in zip(lines, rows, strict=True) if line is not None)
        kept = [(each, row) for line, row in pairs for each in line.split("\n")]
        made = Source(self.file, "".join(f"{line}\n" for line, _ in kept), self, [row for _, row in kept])
        return made if ast.dump(made.tree) == ast.dump(self.tree) else self

    def edited(self, *changes: tuple[Any, str]) -> tuple[int, str] | None:
        """Number and new text of the one line on which nodes are replaced; None if they are on several."""
        number = changes[0][0].lineno
        if self.rows or {n for node, _ in changes for n in (node.lineno, node.end_lineno)} - {number}:
            return self.narrowed(*changes[0]) if len(changes) == 1 else None
        here = sorted((n for n in self.parents if isinstance(n, ast.stmt) and n.lineno == number), key=begins)
        if len(here) > 1 and re.match("(?:with|if) ", changes[0][1]):  # it needs a line of its own
            parts = (changes[0][1] if n is changes[0][0] else self.text(n) for n in here)
            told = self.owned(here[0], "\n".join(" " * here[0].col_offset + part for part in parts))
            return None if any(hasattr(n, "body") for n in here) else (number, told)
        line = self.lines[number - 1].encode()  # columns count bytes
        for node, new in sorted(changes, key=lambda change: -change[0].col_offset):
            plain, grouped = (line[: node.col_offset] + text.encode() + line[node.end_col_offset :]
                              for text in (new, f"({new})"))
            beside = isinstance(self.parents.get(node), BESIDE)
            line = grouped if beside and self.read(number, grouped) not in (self.read(number, plain), "") else plain
        # a statement less, beside others
        line = line if all(new for _, new in changes) else re.sub(rb"^(\s*); *|;\s*(?=;|$)", rb"\1", line)
        idle = re.fullmatch(rb"\s*([\w.]+) = \1", line) and self.read(number, b"")  # `x = x` can be left out
        return number, "" if idle else self.owned(changes[0][0], line.decode())

    def narrowed(self, node: Any, new: str) -> tuple[int, str] | None:
        """The same of a node that is typed on several lines, or in another way, where what differs stands on one: the
        program with that line is the one that is meant, as Python reads it."""
        number, rows, written = node.lineno, self.typed.lines, usual(node) if node in self.parents else self.text(node)
        first, last = self.rows[number - 1] if self.rows else (number, node.end_lineno)
        ahead = self.lines[number - 1].encode()[: node.col_offset].decode()
        rest = self.lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
        old, new = f"{ahead}{written}{rest}", f"{ahead}{new}{rest}"
        meant = tree_of("\n".join([*self.lines[: number - 1], new, *self.lines[node.end_lineno :]]))
        typed = "\n".join(rows[first - 1 : last])
        was, now, parts = ([*re.finditer(r"\w+|\S", text.replace('"', "'"))] for text in (old, new, typed))
        words = [[part[0] for part in several] for several in (was, now, parts)]
        same = SequenceMatcher(None, words[0], words[2], False).get_matching_blocks()
        places = {a + i: b + i for a, b, size in same for i in range(size)}
        head, tail = (len([*takewhile(lambda pair: pair[0] == pair[1], zip(*pair, strict=False))])
                      for pair in (words[:2], [several[::-1] for several in words[:2]]))
        tail = min(tail, len(was) - head, len(now) - head)
        for a, b in sorted(product(range(4), repeat=2), key=sum):  # with what stands beside it, until that is one part
            i, k = max(head - a, 0), max(tail - b, 0)
            ends = places.get(i, -1), places.get(len(was) - k - 1, -1)
            if min(ends) < 0 or i >= len(was) - k:
                continue
            begin, end = parts[ends[0]].start(), parts[ends[1]].end()
            before = typed[:begin]
            if 0 < i < len(now) - k and before.rstrip() == before.rstrip(" "):  # as far apart as it is meant
                before = before.rstrip(" ") + new[now[i - 1].end() : now[i].start()]
            text = self.owned(node, new[now[i].start() : now[len(now) - k - 1].end()] if i < len(now) - k else "")
            made = "\n".join([*rows[: first - 1], before + text + typed[end:], *rows[last:]])
            if begin < end and "\n" not in text + typed[begin:end] and meant and tree_of(made) == meant:
                return (n := first + typed.count("\n", 0, begin)), made.split("\n")[n - 1]
        return None

    def owned(self, node: Any, text: str) -> str:
        """A text of rules with what the learner calls `self` in it."""
        return re.sub(r"\bself\b", self.typed.word(self.rows[node.lineno - 1][0] if self.rows else node.lineno), text)

    def word(self, number: int) -> str:
        """What a line of a method calls `self`."""
        return next((own for f, own in self.selves.items() if f.lineno <= number <= f.end_lineno), "self")

    def read(self, number: int, line: bytes) -> str:
        """How Python reads the program with another line in it; "" where it cannot."""
        return tree_of("\n".join([*self.lines[: number - 1], line.decode(), *self.lines[number:]]))

    def loops(self, node: Any) -> list[Any]:
        """The loops around a node, inside its function, the nearest first."""
        inside = takewhile(lambda up: not isinstance(up, FUNCTIONS), self.above(node))
        return [up for up in inside if isinstance(up, ast.For | ast.While | ast.AsyncFor)]

    def last_writes(self, name: str, use: Any, function: Any) -> list[Any]:
        """The statements from which `name` can have its value at `use`, the nearest first."""
        found = self.writes.get((function, name), [])
        around, loops = {*self.above(use)}, self.loops(use)
        near: list[Any] = []
        for statement in reversed(found):
            if begins(statement) >= begins(self.statement(use)):
                continue
            near.append(statement)
            if gives(statement, name) and self.parents[statement] in {*around, self.tree, function}:
                loops = [] if self.loops(statement) == loops else loops  # nothing of the turn before comes by
                break
        if "." in name and not near:  # an attribute, from the call before
            near += [s for s in found if s is not self.statement(use)]
        if loops:
            near += [s for s in found[::-1] if s not in near and loops[-1] in self.above(s)]
        elif function is None and not near:  # what stands further down has run before, in a cell
            near += [s for s in found[-1:] if s is not self.statement(use)]
        return near + [s for s in found if s not in near and self.function(s) is not function]


def tree_of(text: str) -> str:
    """How Python reads a program, but for what no rule asks of; "" where it cannot."""
    with suppress(SyntaxError, ValueError):
        simplified(tree := ast.parse(text))
        return ast.dump(tree)
    return ""


def stretch(line: int, column: int, end: int, last: int) -> Any:
    """A part of a source that is no expression, from a column, in bytes, of a line to one of another."""
    return ast.Pass(lineno=line, col_offset=column, end_lineno=end, end_col_offset=last)


def between(text: str, *places: int) -> Any:
    """The part of a text from one place to another, as a stretch."""
    ends = (text[:place].split("\n") for place in places)
    return stretch(*[n for lines in ends for n in (len(lines), len(lines[-1].encode()))])


def simplified(tree: Any) -> tuple[list[Any], dict[Any, Any], dict[Any, str]]:
    """Leave out hints of types, of which no rule asks, and call `self` what methods get first, where a class has
    another word for it; all nodes then, what each stands in, and such methods, with that word."""
    nodes, parents, words = [tree], dict[Any, Any](), dict[Any, str]()
    for node in nodes:  # grows while it is read
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            node.__class__, node.targets, node.type_comment = ast.Assign, [node.target], None  # type: ignore
        elif isinstance(node, (ast.arg, *FUNCTIONS)):
            vars(node).update(annotation=None, returns=None)
        nodes += (children := [*ast.iter_child_nodes(node)])
        parents.update(dict.fromkeys(children, node))
    for kind in (n for n in nodes if isinstance(n, ast.ClassDef)):
        given = {f: [*f.args.posonlyargs, *f.args.args] for f in kind.body if isinstance(f, FUNCTIONS)}
        word = next((args[0].arg for f, args in given.items() if args and f.name == "__init__"), "self")
        for f, args in given.items():
            names = [n for n in ast.walk(f) if isinstance(n, ast.Name) and n.id in ("self", word)]
            if args and args[0].arg == word != "self" and not any(n.id == "self" for n in names):
                words[f], args[0].arg = word, "self"
                for n in names:
                    n.id = "self"
    return nodes, parents, words


def usual(node: Any) -> str:
    """A node with the usual spaces, and no brackets around a tuple that is all of it, or of its value."""
    value = node.value if isinstance(node, ast.Assign | ast.Return | ast.Expr) else node
    whole = ast.unparse(value) if isinstance(value, ast.Tuple) and value.elts else ""
    return ast.unparse(node).removesuffix(whole) + whole[1:-1]


def span(node: Any) -> tuple[int, int, int, int]:
    """First and last line, first and last column: as Python notes them of an instruction.

    A method that stands on another line than what it is called on begins with its name.
    """
    attr = node.func if isinstance(node, ast.Call) else node
    end: Any = attr.end_lineno, attr.end_col_offset
    if isinstance(attr, ast.Attribute) and end[0] != node.lineno:
        return end[0], node.end_lineno, end[1] - len(attr.attr), node.end_col_offset
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def begins(node: Any) -> tuple[int, int]:
    """Where a node begins, to be compared: statements may share a line."""
    return node.lineno, node.col_offset


def named(target: Any) -> Iterator[str]:
    """The names that a target writes to: `a` and `b` of `a, b`, `d` of `d["x"]`, `self.h`."""
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from named(part)
    elif isinstance(target, ast.Subscript | ast.Starred):
        yield from named(target.value)
    elif isinstance(target, ast.Name | ast.Attribute):
        yield ast.unparse(target)


def written(node: Any) -> list[str]:
    """The names that a statement writes to."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        return [*named(node.value.func.value)] if node.value.func.attr in FILLING else []
    if isinstance(node, ast.With):
        return [name for item in node.items for name in named(item.optional_vars)]
    one = [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr) else []
    return [name for target in getattr(node, "targets", one) for name in named(target)]


def gives(statement: Any, name: str) -> bool:
    """Whether an assignment gives a name a value, and does not only write into a part of what it has."""
    parts = [t for t in getattr(statement, "targets", ()) if isinstance(t, ast.Subscript) and name in named(t)]
    return isinstance(statement, ast.Assign) and not parts


def writers(t: Any) -> list[tuple[Any, Context]]:
    """The learner's expressions that wrote into a tensor last, the latest first, and where they stand."""
    lines = filter(None, (getattr(t, "_shared_counter", list)() or ())[:0:-1])  # none of torch's
    return [located(code, lasti) for code, lasti in lines if code is not None]


def first_write(counter: Any, version: int) -> tuple[Any, int]:
    """Code and instruction of the first write since a version, or, of more than are remembered, the first that is."""
    return [*counter[1:][version - counter[0]:], ()][0] or (None, 0)


def read_in(statement: Any, name: str) -> list[Any]:
    """The expressions from which a statement makes what it writes to `name`."""
    if isinstance(statement, ast.Expr):
        return [*statement.value.args, *(k.value for k in statement.value.keywords)]  # type: ignore[attr-defined]
    if isinstance(statement, ast.With):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, ast.For):
        return [statement.iter]
    for target in getattr(statement, "targets", ()):
        value = getattr(statement, "value", None)  # `del y` has none
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            return [v for t, v in zip(target.elts, value.elts, strict=True) if name in named(t)]
    return [statement.value] if getattr(statement, "value", None) is not None else []


class Context(NamedTuple):
    """Where an expression is looked at: its source, the function it stands in, who called that, what names mean."""

    source: Source
    function: Any = None
    call: Any = None  # the expression that called the function
    outer: Any = None  # and the context of that
    names: Mapping[str, Any] = {}
    inside: bool = False  # the call is of a module around: what comes in was made of all that this is given and has
    asks: Any = None  # the expression in which the learner asks

    def value(self, node: Any) -> Any:
        """What a name, an attribute of a module of layers, or a part of a list or dict means now; None if unknown."""
        if isinstance(node, ast.Name):
            given = self.argument(node.id) if self.function is not None and node.id not in self.names else ()
            return next((around.value(part) for part, around in given if part is not node), self.names.get(node.id))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.Name):
            whole = self.value(node.value)
            plain = isinstance(whole, list | tuple | dict) or type(whole).__module__ == "minigrad.nn.layers"
            with suppress(LookupError, TypeError):
                return whole[getattr(node.slice, "value", self.value(node.slice))] if plain else None
            return None
        owner = self.value(node.value) if isinstance(node, ast.Attribute) else None
        shape = isinstance(owner, TensorBase) and node.attr == "shape"
        if shape or is_module(owner) or isinstance(owner, ModuleType):
            return getattr(owner, node.attr, None)
        return getattr(owner, "__dict__", {}).get(node.attr) if is_learners(owner) else None  # no property is run

    def callee(self, function: Any) -> Any:
        """What an expression that is called means: a value, or a method, which is not looked up on a value."""
        made, owner = self.value(function), self.value(getattr(function, "value", None))
        name = getattr(function, "attr", "")  # none where a part of a list is called
        fresh = function if isinstance(function, ast.Call) else getattr(function, "value", None)  # `Net()(x)`
        if isinstance(fresh, ast.Call) and isinstance(kind := self.value(fresh.func), type):
            return getattr(kind, name or "forward", None)
        return getattr(type(owner), name, None) if made is None and owner is not None else made

    def definition(self, call: Any) -> Context | None:
        """The learner's function that a call runs, as a context; None for what is not theirs."""
        made = self.callee(call.func)
        own = "forward" if is_module(made) else "__call__"  # of an object of theirs
        made = unwrap(getattr(type(made), own) if own == "forward" or is_learners(made) else made)
        owners = [v for v in (self.value(call.func), self.value(getattr(call.func, "value", None)))
                  if is_module(v) or is_learners(v)]
        return inside_of(made, call, self, **({"self": owners[0]} if owners else {}))  # what it means in a method

    def runs(self, call: Any) -> Iterator[Context]:
        """The learner's functions that a call runs: what it calls; of a module, also its hooks and its layers'."""
        decorators = list[Any]()  # their functions run, too
        unwrap(self.callee(call.func), stop=decorators.append)
        yield from filter(None, (inside_of(f, call, self) for f in decorators))
        if (own := self.definition(call)) is not None:
            yield own
        found, whole = self.value(call.func), getattr(call.func, "value", call.func)
        if found is None and isinstance(whole, ast.Name):  # one of several: of a loop over them, or by number
            found = next((there.value(part) for part, there in self.made(whole.id, call)), None)
        elif found is None and isinstance(call.func, ast.Subscript):
            found = self.value(whole)
        several = found if isinstance(found, list | tuple) else [found]
        several = [each for each in several if is_module(each)]
        for m in several if own is not None else [m for each in several for m in each.modules()]:
            hooks = [*m._forward_pre_hooks.values(), *m._forward_hooks.values()]
            for f in [*(getattr(hook, "args", [hook])[-1] for hook in hooks), *[type(m).forward] * (own is None)]:
                if (inner := inside_of(f, call, self, self=getattr(f, "__self__", m))) is not None:
                    yield inner._replace(inside=True)

    def argument(self, name: str) -> Iterator[tuple[Any, Context]]:
        """The expression that was given for a parameter of the function."""
        call, around = self.call, self.outer
        if self.inside:
            yield from ((part, around) for part in (call.func, *call.args))
            return
        if call is None:  # who called is not known: whoever calls a function of this name
            homes = (Context(source, names=self.names) for source in self.cells())
            named = ((n, home) for home in homes for n in home.source.calls_of.get(self.function.name, ()))
            call, around = next(((n, home) for n, home in named if isinstance(n.func, ast.Name) or is_learners(
                home.value(getattr(n.func, "value", None)))), (None, None))
        if call is None:
            return
        around = around._replace(function=around.source.function(call)) if self.call is None else around
        spec = self.function.args
        words = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        words = words[1:] if words[:1] == ["self"] else words
        given = dict(zip(words, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
        if name in given and around is not None:
            yield given[name], around

    def made(self, name: str, use: Any) -> Iterator[tuple[Any, Context]]:
        """The expressions that `name` has its value from where `use` stands; without it, at the end of the function."""
        for up in self.source.above(use) if use is not None else ():
            for part in getattr(up, "generators", ()):
                if name in named(part.target):
                    yield part.iter, self
                    return
        every = self.source.writes.get((self.function, name), [])
        writes = ([w for w in every if not isinstance(w, ast.Expr)][-1:] if use is None
                  else self.source.last_writes(name, use, self.function))
        found = [(value, self.where(statement)) for statement in writes for value in read_in(statement, name)]
        before = [w for w in writes if use and type(w) is ast.Assign and begins(w) < begins(self.source.statement(use))]
        sure = any(self.source.parents[w] in {*self.source.above(use), self.function} for w in before)
        found += self.argument(name) if self.function is not None and not sure else ()
        yield from found
        anew = self.function is not None or any(gives(w, name) for w in writes)  # else it was there
        yield from () if found and anew else self.elsewhere(name)

    def behind(self, node: Any) -> Iterator[tuple[Any, Context]]:
        """The expressions that an expression was made from, in one step."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name | ast.Attribute) and {type(part.ctx), type(node)} & {ast.Load, ast.AugAssign}:
                at: Any = getattr(getattr(self.source.parents.get(part), "slice", None), "value", None)
                for value, there in self.made(ast.unparse(part), part):  # of `pair[1]` one part
                    several = getattr(value, "elts", ())
                    yield several[at] if type(at) is int and -len(several) <= at < len(several) else value, there
                if isinstance(part, ast.Attribute) and is_learners(owner := self.value(part.value)):
                    for home in {source_of(f.__code__) for f in methods(owner)}:
                        yield from Context(home, names={**self.names, "self": owner}).elsewhere(f"self.{part.attr}")
            elif isinstance(part, ast.Call):
                for inner in self.runs(part):
                    yield from ((n.value, inner) for n in ast.walk(inner.function)
                                if isinstance(n, ast.Return) and n.value)

    def sources(self) -> list[Source]:
        """The program, of the cells of a notebook those that belong together: this one, and where backward ran last;
        what gave the names that they read, or touched them since; what used the leaves, results, modules and
        optimizers that are read here. Others may be about other things of the same names."""
        if not is_cell(self.source.file):
            return [self.source]
        order, ran = {file: i for i, file in enumerate(linecache.cache)}, latest.freed.code
        cells = sorted(self.cells(), key=lambda cell: order.get(cell.file, -1), reverse=True)  # the latest first
        place, looked = {cell: i for i, cell in enumerate(cells)}, set[tuple[str, int]]()
        givers = by_key((name, cell) for cell in cells for name in cell.gives)
        holders = by_key((name, cell) for cell in cells for name in cell.gives | cell.touches)
        found = [cell for cell in cells if cell is self.source or (ran is not None and cell is source_of(ran))]
        for source in found:  # grows while it is read
            for name in (n for n in source.reads & holders.keys() if not isinstance(self.names.get(n), ModuleType)):
                gave = next((place[cell] for cell in givers.get(name, ()) if cell is not source), len(cells))
                if (name, gave) not in looked:
                    looked.add((name, gave))
                    found += [c for c in holders[name] if place[c] <= gave and c not in found]
        learned = {name for name in self.names if self.learns(name)}
        used = {name: cell for cell in cells[::-1] for name in cell.gives & self.source.reads & learned}
        users, given = {*used.values()}, dict[str, Source]()
        for cell in cells[::-1]:
            reads = any(given.get(name) in users for name in cell.reads & learned)
            users |= {cell} if reads or any(given.get(name) is self.source for name in cell.touches) else set()
            given |= dict.fromkeys(cell.gives, cell)
        return [cell for cell in cells if cell in found or cell in users]

    def learns(self, name: str) -> bool:
        """Whether a name means what gradients go through, or what has parameters."""
        v = self.names.get(name)
        return getattr(v, "requires_grad", None) is True or is_module(v) or hasattr(v, "param_groups")

    def cells(self, every: bool = False) -> Iterator[Source]:
        """This source, and, if it is a cell, the other cells, the latest first; those that came again since if `every`.

        A cell came again where a later one has its text, or gives all the names that it gave.
        """
        yield self.source
        others = latest_cells() if is_cell(self.source.file) else []
        kept = others if every else not_again(self.source, (*others,))
        yield from (cell for cell in kept if cell is not self.source)

    def elsewhere(self, name: str) -> Iterator[tuple[Any, Context]]:
        """A name that another function, the top of the file, or another cell gave."""
        for source in self.cells(every=True):
            homes = [home for home, written_name in source.writes if written_name == name
                     and (home is None or "." in name) and (home, source) != (self.function, self.source)]
            found = [w for home in homes for w in source.writes[home, name][-1:]]
            yield from ((v, Context(source, names=self.names).where(w)) for w in found for v in read_in(w, name))
            if not all(isinstance(w, ast.Expr) for home in homes for w in source.writes[home, name]):
                return

    def where(self, statement: Any) -> Context:
        """The context of a statement of this source."""
        function = self.source.function(statement)
        return self if function is self.function else Context(self.source, function, names=self.names)


@lru_cache(8)
def not_again(first: Source, cells: tuple[Source, ...]) -> list[Source]:
    """Cells, the latest first, without those that came again since, or as `first`."""
    later = [first] if first.file in TIMED else []
    for cell in cells:
        again = any(cell.whole == one.whole or (cell.gives and cell.gives <= one.gives) for one in later)
        if not (again or cell.whole.startswith("get_ipython().run_cell_magic(")):
            later.append(cell)
    return [cell for cell in later if cell.whole != first.whole]


def inside_of(f: Any, call: Any = None, outer: Context | None = None, **names: Any) -> Context | None:
    """The context of a function, where its own names mean what `names` say; None if it is not the learner's."""
    code: Any = getattr(f, "__code__", None)
    function = source_of(code).definition(code) if code is not None and is_theirs(code) else None
    cells = zip(code.co_freevars, f.__closure__ or (), strict=True) if function is not None else ()
    closure = {name: cell.cell_contents for name, cell in cells if cell != CellType()}  # an empty one has no contents
    seen = {**getattr(f, "__globals__", {}), **closure, **names}
    return None if function is None else Context(source_of(code), function, call, outer, seen)


def methods(value: Any) -> list[FunctionType]:
    """The learner's functions in the class of a value, and in those that it inherits from."""
    homes = ((kind, str(kind.__module__).partition(".")[0]) for kind in type(value).__mro__)
    return [f for kind, home in homes if home not in ("builtins", "minigrad", "torch") for f in vars(kind).values()
            if isinstance(f, FunctionType) and is_theirs(f.__code__)]


def is_learners(value: Any) -> bool:
    """Whether a value is an object of a class with methods of the learner's: one without any cannot be told apart."""
    return bool(methods(value))


def is_module(value: Any) -> bool:
    """Whether a value is a module of layers, of minigrad or of torch, or has parameters by name as they have."""
    return hasattr(type(value), "named_parameters")


def feeding(node: Any, context: Context, end: Any = None) -> Iterator[tuple[Any, Context]]:
    """The expressions that made the value of `node`, the nearest first: itself, and what stands behind it, only up to
    those of which a part is an `end`."""
    queue, seen = deque([(node, context)]), {node}
    while queue and len(seen) < FARTHEST:
        here, around = queue.popleft()
        yield here, around
        if end is not None and any(map(end, ast.walk(here))):
            continue
        for part, there in around.behind(here):
            if part not in seen:
                seen.add(part)
                queue.append((part, there))


def parts_behind(node: Any, context: Context) -> Iterator[tuple[Any, Context]]:
    """The same with all that these expressions are made up of."""
    yield from ((part, around) for here, around in feeding(node, context) for part in ast.walk(here))


# what is looked at must not be parsed anew meanwhile: its nodes are known by identity
_parsed = lru_cache(2 * CELLS)(Source)


def source_of(of: str | CodeType) -> Source:
    """The source of a file or a cell, or of code; empty where Python keeps none, or not that which ran."""
    file = of if isinstance(of, str) else of.co_filename
    text = "".join(linecache.getlines(file))
    if not isinstance(of, str) and file in TIMED:
        text = next((cell for setup, cell in timed_cells() if of in codes_in(cell, setup)), "")
    elif not isinstance(of, str) and edited(file) and of not in codes_in(text):
        text = ""
    return _parsed(file, text)


def latest_cells() -> list[Source]:
    """The cells that Python keeps, the latest first; read anew where one of them is another than it was."""
    files = [*islice(filter(is_cell, reversed(linecache.cache)), CELLS)]
    kept = [linecache.cache[file] for file in files]
    if len(kept) != len(_cells[0]) or any(map(operator.is_not, kept, _cells[0])):
        _cells[:] = kept, [*map(source_of, files)]
    return _cells[1]


_cells: list[list[Any]] = [[], []]  # what `linecache` has of each, and their sources


def since(source: Source) -> list[Source]:
    """The cells that ran after a cell, or that nobody counted, the latest first."""
    ran, others = inputs(), latest_cells() if is_cell(source.file) else []
    return [one for one in others if one is not source and ran.get(one.file, 0) >= ran.get(source.file, 0)]


def shell() -> Any:
    """IPython's shell; None outside of it."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def timed_cells() -> Iterator[tuple[str | None, str]]:
    """What stood behind `%%timeit` and in the cells under it, or under `%%time`, the latest first.

    They are all compiled under one name.
    """
    typed = here.history_manager.input_hist_raw if (here := shell()) is not None else ()
    for cell in (one.lstrip() for one in reversed(typed) if "%%time" in one):
        head, _, body = cell.partition("\n")
        if (told := re.match(r"%%time(?:it((?:\s+-(?:[nrp]\s*\d+|[tcqo]|v\s*\w+))*)\s*(.*)|\b)", head)) is not None:
            yield told[2], body


def edited(file: str) -> bool:
    """Whether a file was written since this package was loaded: what ran may be another text."""
    with suppress(OSError):
        return os.stat(file).st_mtime > tracebacks.LOADED
    return False


@lru_cache(8)
def codes_in(text: str, setup: str | None = None) -> set[CodeType]:
    """All code objects that a text is compiled to, in a module or a timed cell; `setup` is that of `%%timeit`."""
    try:
        found, tree = [compile(text, "", "exec", dont_inherit=True)], ast.parse(text)
        if setup is not None:
            timed: Any = ast.parse(TIMEIT)
            timed.body[0].body[2].body, timed.body[0].body[:1] = tree.body, ast.parse(setup).body
            found, tree = [compile(ast.fix_missing_locations(timed), "", "exec", dont_inherit=True)], ast.parse("")
        if tree.body and isinstance(last := tree.body.pop(), ast.Expr):  # `%%time` runs it apart, for its value
            parts: list[Any] = [(tree, "", "exec"), (ast.Expression(last.value), "", "eval")]
            found += [compile(*part, dont_inherit=True) for part in parts]
    except (SyntaxError, ValueError):
        return set()
    for code in found:  # grows while it is read
        found += [c for c in code.co_consts if isinstance(c, CodeType)]
    return {*found}


def quoted(code: CodeType) -> tuple[CodeType, Source, list[Any], list[str]]:
    """The source that code was made of, and where its instructions stand; a graph asks for few again and again."""
    lines, held = linecache.getlines(code.co_filename), known.get(id(code))
    if held is None or held[0] is not code or held[3] is not lines:
        if len(known) >= CELLS:
            known.clear()
        held = known[id(code)] = code, source_of(code), [*code.co_positions()], lines
    return held


def getline(code: CodeType, number: int) -> str:
    """A line of the text that code was made of."""
    return "".join(quoted(code)[1].lines[number - 1 : number])


known: dict[int, tuple[CodeType, Source, list[Any], list[str]]] = {}
lines.getline = getline


def called(call: Any) -> str:
    """The last name of what a call calls; "" for what is no call."""
    function = getattr(call, "func", None)
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def number_beside(code: CodeType | None, lasti: int, word: str = "") -> int | float | None:
    """The number that is written beside a tensor: 2 of `x + 2`, `x *= 2` and `x / 2`, or alone into a method that is
    called `word`: `x.add(2)`; None where there is none."""
    at = expression(code, lasti)
    sides = ("value", "right") if isinstance(getattr(at, "op", None), ast.Div) else ("value", "right", "left")
    parts = [getattr(at, side, None) for side in sides]
    parts += at.args if word and called(at).rstrip("_") == word and len(at.args) == 1 and not at.keywords else []
    for part in filter(None, parts):
        with suppress(ValueError, TypeError):
            if isinstance(number := ast.literal_eval(part), int | float) and math.isfinite(number):
                return number
    return None


def is_cell(file: str) -> bool:
    """Whether a file is a cell of a notebook, or a line typed at IPython's prompt."""
    return "ipykernel_" in file or file.startswith("<ipython-input") or file in TIMED


def inputs() -> dict[str, int]:
    """The cells by their files, with the number that IPython gave them last."""
    return getattr(getattr(shell(), "compile", None), "_filename_map", {})


def position(code: CodeType, lasti: int) -> Any:
    """Where an instruction stands: first and last line, first and last column, as `span` has them."""
    return next(iter(quoted(code)[2][lasti // 2 : lasti // 2 + 1]), None)


def expression(code: CodeType | None, lasti: int) -> Any:
    """The expression that an instruction computes; None without code, or if its source is not there."""
    return None if code is None else quoted(code)[1].spans.get(position(code, lasti))


def located(code: CodeType | None, lasti: int, names: Mapping[str, Any] = {}) -> tuple[Any, Context]:
    """The same, and where it stands, with what `names` mean there."""
    at, source = expression(code, lasti), source_of("") if code is None else quoted(code)[1]
    return at, Context(source, source.function(at), names=names)


def own_locals(frame: FrameType) -> dict[str, Any]:
    """The local names of a frame, without a copy that stays in it."""
    local = frame.f_locals
    found = {**local}
    if isinstance(local, dict) and frame.f_code.co_flags & CO_OPTIMIZED:
        local.clear()  # until 3.12 the frame keeps this copy, and with it every tensor in it
    return found


def is_theirs(code: CodeType) -> bool:
    """Whether code is the learner's: not ours, not a library's."""
    return code.co_filename not in PACKAGE_FILES and not LIBRARIES.search(code.co_filename)


def theirs(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the learner's: this one, or of who called."""
    while frame is not None and not is_theirs(frame.f_code):
        frame = frame.f_back
    return frame


def learners_scope() -> dict[str, Any]:
    """All names where the learner stands: the calling frame, or the notebook."""
    if (frame := learners_frame()) is None:  # a thread that begins with one of ours
        return {}
    if str(frame.f_globals.get("__name__")).startswith("IPython."):  # called by a magic: the cell is further away
        return dict(shell().user_ns)
    return {**frame.f_globals, **own_locals(frame)}


def standing(frame: FrameType | None) -> Context | None:
    """The context of a frame of the learner's, and of those who called it."""
    if (frame := theirs(frame)) is None:
        return None
    code = frame.f_code
    names, source, function, outer, call = {**frame.f_globals, **own_locals(frame)}, source_of(code), None, None, None
    if code.co_name != "<module>":
        function = source.definition(code)
        names |= {"self": names[own]} if (own := source.selves.get(function, "")) in names else {}
        outer, above = standing(frame.f_back), theirs(frame.f_back)
        call = above and expression(above.f_code, above.f_lasti)
    return Context(source, function, call if isinstance(call, ast.Call) else None, outer, names)


def word(place: Place, call: Any = None) -> str:
    """What the learner wrote that cut: `detach()`, `.data`, `argmax()`, `>`."""
    call = call or expression(place.code, place.lasti)
    if isinstance(call, ast.Compare):  # as it is written: of `a > b` Python may ask b whether it is less
        return ast.unparse(call)[len(ast.unparse(call.left)):].split()[0]
    if not place.kind.isidentifier():
        return f"{ast.unparse(call.func)}()" if place.kind == "torch.tensor()" and called(call) else place.kind
    return f"{call.func.attr if isinstance(getattr(call, 'func', None), ast.Attribute) else place.kind}()"


def around(place: Place) -> list[Any]:
    """The expressions and statements that its expression stands in, with itself; nothing where its source is gone."""
    at = expression(place.code, place.lasti)
    return [at, *source_of(place.code).above(at)] if at else []


def statement_line(code: CodeType, lasti: int, source: Source | None = None, statement: Any = None) -> tuple[int, str]:
    """Number and text of the line of an instruction: of several statements on it, its own, or the one that is given."""
    if source is None:
        source, at = source_of(code), expression(code, lasti)
        statement = at and source.statement(at)
    text = source.text(statement)
    return (source.line(statement)[1], text) if text and "\n" not in text else source_line(code, lasti)[1:]


def block(place: Place) -> Any:
    """The block that its expression begins, what stands behind a call that switches, up to the next one, or the
    function that is decorated."""
    at, *above = around(place) or [None]
    if not place.lasti:
        return source_of(place.code).definition(place.code)
    if place.kind == "set_grad_enabled" and above and isinstance(above[0], ast.Expr):
        body = next(part for part in vars(above[1]).values() if isinstance(part, list) and above[0] in part)
        behind = takewhile(lambda one: "grad_enabled(" not in ast.unparse(one), body[body.index(above[0]) + 1:])
        return ast.Module([*behind], [])
    return next((up for up in above if isinstance(up, ast.With) and at in [i.context_expr for i in up.items]), None)


def calls(source: Source, function: Any) -> list[tuple[Source, Any]]:
    """The calls of a function, if no other has its name, with their sources."""
    cells = [*Context(source).cells()]
    several = [f for cell in cells for f in cell.functions.values() if f.name == function.name][1:]
    name = f"self.{function.name}" if isinstance(source.parents[function], ast.ClassDef) else function.name
    return [] if several else [(cell, n) for cell in cells for n in cell.called_as.get(name, ())]


def given(source: Source, statement: Any, *beside: Any) -> set[str]:
    """The names that have their value from an assignment, or those `beside` it, and from nothing else in its function,
    or in cells that ran since."""
    function, others = source.function(statement), set[str]()
    if function is None:
        timed = (re.findall(r"\w+", cell) for _, cell in timed_cells() if cell != source.whole)
        others = {name for cell in since(source) for name in cell.gives}.union(*timed)
    return {name for name in written(statement) if gives(statement, name) and name not in others
            and {*source.writes[function, name]} <= {statement, *beside} and not ("." in name and any(
                n == name and f not in (function, None) and f.name != "__init__" for f, n in source.writes))}


def shares(statement: Any) -> list[tuple[set[str], Any]]:
    """The names that an assignment writes, with what they get: of `a, b = x, y` each its own. What a name for several
    values holds of each, nobody knows."""
    found, todo = list[tuple[set[str], Any]](), [(target, statement.value) for target in statement.targets]
    for target, value in todo:  # grows while it is read
        several = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", ())
        pairs = [*zip(getattr(target, "elts", ()), several, strict=False)]
        if len(several) < 2:
            found.append(({*named(target)}, value))
        elif not any(isinstance(one, ast.Starred) for pair in pairs for one in pair):
            todo += pairs
    return found


@lru_cache(2 * CELLS)
def assignments(source: Source, function: Any) -> list[tuple[Any, set[str], list[tuple[set[str], Any, set[str]]]]]:
    """Those of a function, or of none, in order: all names, and what each gets, and of what that reads numbers."""
    found = {n: 0 for (f, _), writes in source.writes.items() if f is function for n in writes if type(n) is ast.Assign}
    return [(n, {*written(n)}, [(names, value, {word.partition(".")[0] for word in numbers(value)})
                                for names, value in shares(n)]) for n in sorted(found, key=begins)]


def passed_on(source: Source, statement: Any, value: Any, ends: Container[Any], *beside: Any) -> set[str]:
    """The names that have what comes of a `value` in an assignment, from it, from those `beside` it, or from later ones
    of the same function, or cells, that read numbers of such names, but from none of the values `ends`."""
    began = shares(statement) if isinstance(statement, ast.Assign) else ()
    steps = [(source, statement, names) for names, own in began if own not in ends and value in ast.walk(own)]
    names, function = {name for *_, own in steps for name in own}, source.function(statement)
    for cell in [source, *reversed(since(source) if function is None else [])]:
        for one, anew, parts in assignments(cell, function) if names else ():
            if cell is not source or begins(one) > begins(statement):
                on = [own for own, value, words in parts if not words.isdisjoint(names) and value not in ends]
                steps += ((cell, one, own) for own in on)
                names = (names - anew).union(*on) if on or not anew.isdisjoint(names) else names
    beside = *beside, *(one for _, one, _ in steps)
    return {name for cell, one, own in steps for name in given(cell, one, *beside) & own}


def carried(value: Any, at: Any) -> bool:
    """Whether an expression is one in it, or only carries that on: `int(x.argmax())`."""
    rest = rf"(int|float)?\(?{re.escape(ast.unparse(at))}\)?(\.\w+\(\))*"
    return re.fullmatch(rest, ast.unparse(value)) is not None


def numbers(node: Any) -> list[str]:
    """The names, with their dots, of which an expression reads numbers, and not only a shape or a type."""
    if SHAPES.search(called(node) or getattr(node, "attr", "")):
        return []
    text = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    parts = [] if re.fullmatch(r"[\w.]+", text) else ast.iter_child_nodes(node)
    return [text] if not parts else [name for part in parts for name in numbers(part)]
