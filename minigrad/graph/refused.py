"""What an operation was given when it refused, and what it would take.

The values stand in the frame that the learner's expression entered, which the error's traceback keeps. What fits is
tried: the operation runs again with one operand changed, and what it could touch is put back.
"""

import ast
import math
import operator
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from inspect import getargs
from typing import Any, NamedTuple

from ..core.beside.lines import PACKAGE_FILES
from ..core.modes import mode_variable
from ..text import presentation
from .live import is_module, is_tensor
from .program import Context, Source, own_locals
from .restoring import Restoring
from .tracebacks import places

OPERATORS = {"MatMult": "matmul", "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow"}
PURE = re.compile(r"minigrad(\.core\.record|\.creation|\.nn\..*|\.ops\..*)?|_operator")  # these leave nothing behind
LARGEST = 10_000_000  # elements; with more of them nothing is tried


class Operand(NamedTuple):
    """A part of an expression, its value, and where it was given: the number of the argument, or its name, and in
    that list."""

    node: Any
    value: Any
    number: Any
    part: int | None = None


class Refused:
    """An operation, as the expression `node` has it, that raised `error`; its operands as far as they are known."""

    trying = False  # then an error is none of the learner's, and wants no note

    def __init__(self, error: Any, node: Any, context: Context) -> None:
        self.error, self.context, self.callee = str(error), context, context.value(getattr(node, "func", None))
        frame: Any = None
        self.layer, self.fed = None, ""  # the module that refused, and what it was given, with its length as rows
        for frame in ours(error) if isinstance(error, BaseException) else ():  # no list: it would hold its own frame
            if self.layer is None and frame.f_code.co_name == "forward":
                self.layer, *got = {"self": None, **own_locals(frame)}.values()
                self.fed = " ".join(f"{described(t)} {math.prod(t.shape[1:])}" for t in got[:1] if is_tensor(t))
        own = frame and frame.f_code.co_name != "__array__"  # which NumPy asked, of one operand
        given, parts = arguments(frame) if own else [], [*getattr(node, "args", ())]
        if isinstance(node, ast.BinOp | ast.Compare):
            parts = [*(n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))]
            self.callee = getattr(operator, OPERATORS.get(type(getattr(node, "op", None)).__name__, ""), None)
            number = isinstance(getattr(parts[0], "operand", parts[0]), ast.Constant) or context.value(parts[0])
            given = given[::-1] if isinstance(number, int | float) and is_tensor([*given, None][0]) else given
        elif isinstance(node, ast.Subscript):
            parts, self.callee = [node.value, node.slice], operator.getitem
            self.fed = "tracked" * any(getattr(v, "requires_grad", False) for v in given[2:])  # what is written there
        elif given and frame.f_code.co_name in ("__call__", "__init__"):
            self.callee = self.callee if isinstance(self.callee, type) else given[0]
            del given[0]
        elif isinstance(getattr(node, "func", None), ast.Attribute) and self.callee is None:
            parts = [node.func.value, *parts]
            self.callee = getattr(type(given[0]), node.func.attr, None) if given else None
        # with less than all of them one operand alone was asked for something: for its number
        self.given = given[: len(parts)] if len(given) >= len(parts) else [*map(context.value, parts)]
        self.words = {k.arg: context.value(k.value) for k in getattr(node, "keywords", ())}
        local = own_locals(frame) if frame else {}
        for known in (local, *(v for v in local.values() if isinstance(v, dict))):  # of a function, or its **words
            self.words |= {k: v for k, v in known.items() if k in self.words}
        self.operands = [each for number, part in enumerate(parts) for each in self.inside(part, number)]
        self.operands += [Operand(k.value, self.words[k.arg], k.arg) for k in getattr(node, "keywords", ())
                          if is_tensor(self.words[k.arg])]

    @cached_property
    def sources(self) -> list[Source]:
        """The program, in which several rules look."""
        return self.context.sources()

    def inside(self, node: Any, number: int) -> Iterator[Operand]:
        """The operands that one argument is: itself, or the parts of a list that is written out."""
        parts = node.elts if isinstance(node, ast.List | ast.Tuple) else []
        values = self.given[number] if isinstance(self.given[number], list | tuple) else map(self.context.value, parts)
        yield from (Operand(*pair, number, i) for i, pair in enumerate(zip(parts, values, strict=False)))
        yield from [] if parts else [Operand(node, self.given[number], number)]

    def __str__(self) -> str:
        return " ".join(described(each.value) for each in self.operands)

    def told(self) -> str:
        """The operands that are tensors, as they are written, and what they are."""
        return ", ".join(f"{self.context.source.text(each.node)}: {described(each.value)}"
                         for each in self.operands if is_tensor(each.value))

    def changed(self, edit: str, like: str) -> Iterator[tuple[Any, Context, Any]]:
        """The operands, of those that are `like` this, with which it runs once `edit` changed them, the last one first,
        and how they are written."""
        kind = self.callee if type(self.callee).__module__ == "builtins" else type(self.callee)
        if not PURE.fullmatch(str(getattr(kind, "__module__", ""))) or self.refusal() != self.error:
            return
        for each in reversed(self.operands):
            text = (self.context.source.grouped if edit.startswith("\\") else self.context.source.text)(each.node)
            match = re.fullmatch(like, described(each.value)) and re.fullmatch("(?s:.*)", text)
            try:
                with unheard():
                    new = eval(edit.replace(r"\g<0>", "x"), {"x": bare(each.value), "torch": sys.modules["minigrad"]})
            except Exception:
                continue
            if match and self.refusal(each, new) is None:
                yield each.node, self.context, match

    def refusal(self, operand: Operand | None = None, value: Any = None) -> str | None:
        """What is said when it runs again, with one operand changed, on numbers without history; None if it is done."""
        given: Any = dict(enumerate(map(bare, self.given))) | {k: bare(v) for k, v in self.words.items()}
        if operand is not None and operand.part is not None:
            several = [*given[operand.number]]
            several[operand.part], value = value, several
        if operand is not None:
            given[operand.number] = value
        if sum(t.numel() for t in given.values() if is_tensor(t)) > LARGEST:
            return ""
        try:
            with Restoring(self.callee), unheard():
                mode_variable.set(False)
                self.callee(*[given[i] for i in range(len(self.given))], **{k: given[k] for k in self.words})
        except Exception as error:
            return str(error)
        return None


@contextmanager
def unheard() -> Iterator[None]:
    """What is tried warns nobody, its errors have no notes, and what torch says once can still be said."""
    told, Refused.trying = {*presentation.warned}, True
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        presentation.warned &= told
        Refused.trying = False


def ours(error: BaseException) -> Iterator[Any]:
    """The frames of this package in which an error arose, the innermost first, the one that the learner called last."""
    raised = [place.tb_frame for place in places(error.__traceback__)]
    frame: Any = raised[-1] if raised else sys._getframe()
    while frame is not None and frame.f_code.co_filename in PACKAGE_FILES:
        yield frame
        frame = frame.f_back


def arguments(frame: Any) -> list[Any]:
    """What a function was given, as its frame has it: in their order, then those that have a name alone."""
    local, (names, rest, words) = own_locals(frame), getargs(frame.f_code)
    given, count = [local.get(name) for name in names], frame.f_code.co_argcount
    return [*given[:count], *(local[rest] if rest else ()), *given[count:], *(local[words].values() if words else ())]


def bare(value: Any) -> Any:
    """A tensor without its history, or some; any other value as it is."""
    if isinstance(value, list | tuple) and any(map(is_tensor, value)):
        return [*map(bare, value)] if isinstance(value, list) else (*map(bare, value),)
    return value.detach() if is_tensor(value) else value


def described(value: Any) -> str:
    """Type and shape of a tensor, `float32[6, 3]`; the class of what is none, of some with their parts, `Size(3)`."""
    if is_tensor(value):
        return f"{value.dtype}{[*value.shape]}"[6:]
    if "dataset" in getattr(value, "__dict__", ()):  # a learner's `__getattr__` is not asked
        return f"Loader of {described(getattr(value.dataset, 'tensors', value.dataset))}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({len(value)}){' of tensors' * any(map(is_tensor, value))}"
    return "Module" if is_module(value) else "?" if value is None else type(value).__name__
