"""Scopes of torch: while `scopes(model)` is open, calls of modules note their nodes, and nodes the learner's line.

torch's nodes know neither. A call of a module notes the numbers between which its nodes lie, as minigrad's own
modules do; each function of torch leaves the place in the learner's code with the nodes that it made.
"""

import contextlib
import sys
import weakref
from collections import deque
from collections.abc import Iterator
from threading import get_ident
from types import CodeType
from typing import Any

from ..core.beside.scopes import KEPT, Call
from .program import theirs
from .snapshot import AnyNode

KEY, DEEPER = "minigrad.line", 2**-20
calls: deque[Call] = deque(maxlen=KEPT)


def line_of(node: AnyNode) -> Any:
    """Code and instruction that a node of torch was made by, if it was made inside of `scopes`; else (None, 0)."""
    return getattr(node, "metadata", {}).get(KEY, (None, 0))


@contextlib.contextmanager
def scopes(*models: Any) -> Iterator[None]:
    """Let pictures of torch's graphs know modules, functions, loops and lines: `with scopes(model): loss = ...`.

    Holds for what runs inside; without a model, for all modules. Holds none of them, and no tensor.
    Raises: RuntimeError where torch has not been imported.
    """
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "overrides"):
        raise RuntimeError("graph.scopes is for modules of torch; those of minigrad always have their scopes")
    number, open_ = torch.autograd._get_sequence_nr, []  # numbers of the calls that run
    tracing = torch.compiler.is_compiling  # then nothing runs, and what stands here would be compiled with the rest

    def begin(module: Any, args: Any) -> None:
        if not tracing():
            open_.append(number())

    def end(module: Any, args: Any, result: Any) -> None:
        if tracing():
            return
        first, last, kind = open_.pop(), number(), type(module)
        inner = 0.5 - DEEPER * len(open_)  # a call around this one may have no other nodes
        if last > first and (id(module) in known or not models):
            calls.append(Call(weakref.ref(module), kind.__name__, kind.__module__, first - inner, last - 1 + inner,
                              get_ident()))

    class Noting(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if tracing():
                return func(*args, **(kwargs or {}))
            first, result = number(), func(*args, **(kwargs or {}))
            if number() > first:
                frame = theirs(sys._getframe(1))
                note(frame and (frame.f_code, frame.f_lasti), first, result, args)
            return result

    known, every = {id(m) for model in models for m in model.modules()}, torch.nn.modules.module
    with contextlib.ExitStack() as undo, Noting():
        undo.callback(every.register_module_forward_pre_hook(begin).remove)
        undo.callback(every.register_module_forward_hook(end, always_call=True).remove)
        yield


def note(place: tuple[CodeType, int] | None, first: int, *values: Any) -> None:
    """Leave a place with the nodes behind some values that were made since number `first`."""
    todo = list(values)
    while todo:
        value = todo.pop()
        if isinstance(value, list | tuple):
            todo += value
        node = value if hasattr(value, "next_functions") else getattr(value, "grad_fn", None)
        if node is None or hasattr(node, "variable") or node._sequence_nr() < first:
            continue
        if KEY not in node.metadata:
            node.metadata[KEY] = place or (None, 0)
            todo += [child for child, _ in node.next_functions]
