"""Scopes of torch: while `scopes(model)` is open, calls of modules note their nodes, and nodes the learner's line.

torch's nodes know neither. A call of a module notes the numbers between which its nodes lie, as minigrad's own
modules do; each function of torch leaves the place in the learner's code with the nodes that it made, or notes what
it cut off (`ghosts`).
"""

import contextlib
import re
import sys
import weakref
from collections import deque
from collections.abc import Iterator
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from ..core.beside.ledger import Place
from ..core.beside.scopes import KEPT, Call
from .ghosts import Ghost, ghost_of, note_ghost, note_taker, remember, tracked
from .program import theirs
from .snapshot import AnyNode

KEY, DEEPER = "minigrad.line", 2**-20
calls: deque[Call] = deque(maxlen=KEPT)
cut_places: dict[tuple[Any, ...], Place] = {}
applies: list[Any] = []  # what `Function.apply` was before each of the scopes that are open; the first is torch's


def line_of(node: AnyNode) -> Any:
    """Code and instruction that a node of torch was made by, if it was made inside of `scopes`; else (None, 0)."""
    return getattr(node, "metadata", {}).get(KEY, (None, 0))


@contextlib.contextmanager
def scopes(*models: Any) -> Iterator[None]:
    """Let pictures of torch's graphs know modules, functions, loops, lines and cuts: `with scopes(model): loss = ...`.

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
            frame = sys._getframe(1)
            new = note(line_at(frame), first, result, args) if number() > first else []
            deep = DEEPER * (len(open_) - 0.5)  # in the calls that run, and in none that begins or ends beside it
            at = number() + 0.5 + (deep if open_[-1:] == [number()] else -deep)
            note_cut(torch, func, frame, [*args, *(kwargs or {}).values()], result, new, at)
            return result

    known, every = {id(m) for model in models for m in model.modules()}, torch.nn.modules.module
    with contextlib.ExitStack() as undo, Noting(), functions_noted(torch):
        undo.callback(every.register_module_forward_pre_hook(begin).remove)
        undo.callback(every.register_module_forward_hook(end, always_call=True).remove)
        yield


@contextlib.contextmanager
def functions_noted(torch: Any) -> Iterator[None]:
    """Let nodes of custom Functions know their line, too: no mode sees their `apply`."""
    function, number = torch.autograd.Function, torch.autograd._get_sequence_nr
    applies.append(vars(function)["apply"])
    own = applies[0].__func__

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if not applies or torch.compiler.is_compiling():  # a program may keep this method
            return own(cls, *args, **kwargs)
        first, result = number(), own(cls, *args, **kwargs)
        note(line_at(sys._getframe(1)), first, result)
        return result

    if len(applies) == 1:  # for scopes around it, or in a thread beside it, one is enough
        function.apply = classmethod(apply)
    try:
        yield
    finally:
        before = applies.pop()
        if not applies:
            function.apply = before


def note(place: tuple[CodeType | None, int], first: int, *values: Any) -> list[AnyNode]:
    """Leave a place with the nodes behind some values that were made since number `first`, which are returned."""
    todo, new = list(values), list[AnyNode]()
    while todo:
        value = todo.pop()
        if isinstance(value, list | tuple):
            todo += value
        node = value if hasattr(value, "next_functions") else getattr(value, "grad_fn", None)
        if node is None or isinstance(node, type) or hasattr(node, "variable") or node._sequence_nr() < first:
            continue
        if KEY not in node.metadata:
            node.metadata[KEY] = place
            new.append(node)
            todo += [child for child, _ in node.next_functions]
    return new


def line_at(frame: FrameType) -> tuple[Any, int]:
    """Code and instruction of the learner's that runs in a frame, or called what does."""
    here = theirs(frame)
    return (here.f_code, here.f_lasti) if here else (None, 0)


# ---- cuts


def note_cut(torch: Any, func: Any, frame: FrameType, args: list[Any], result: Any, new: list[AnyNode],
             number: float) -> None:
    """Note what a function of torch cut off, at which number, what it computed with what a cut had left, or which node
    was given it."""
    given, results = ([t for one in several for t in (one if isinstance(one, list | tuple) else (one,))
                       if isinstance(t, torch.Tensor)] for several in (args, [result]))
    lost, left = [t for t in given if tracked(t)], [t for t in given if ghost_of(t)]
    if new and len(left) == 1:
        torch_taker(new, left[0], given, len(given) == 2 and not any(type(one) in (int, float) for one in args))
    elif not new and (lost or left) and results and not any(map(tracked, results)):
        line, name = line_at(frame), getattr(func, "__name__", "")
        name = func.__self__.__name__ if name == "__get__" else name.strip("_")
        off, whole = not torch.is_grad_enabled(), not results[0].is_floating_point()
        kind = {"detach": "detach()", "data": ".data"}.get(name, name if whole and not off else "")
        if line[0] is None or not given or re.search("^new_|_like$|^grad$", name):
            return
        place = place_of(kind or "no-grad mode", *line) if lost and (kind or off) else None
        if place:
            place.numbers = f"count({number})"
        if place and kind:
            for t in results:
                remember(t, Ghost(place=place, origin=weakref.ref(lost[0])))
        else:
            note_ghost(name, line, given, results, place, [*map(weakref.ref, lost)])


def torch_taker(new: list[AnyNode], t: Any, given: list[Any], both: bool) -> None:
    """Note which of some `new` nodes was given what a cut had left, and where, if that is sure: an empty edge is that
    of the only operand without history; a mask or an index stands behind the last. `both`: there are two operands."""
    empty = [(node, i) for node in new for i, (child, _) in enumerate(node.next_functions) if child is None]
    alone = both or all(one is t for one in given if one.is_floating_point() and not tracked(one))
    if (t.is_floating_point() or both) and alone and len(empty) == 1:
        note_taker(empty[0][0]._sequence_nr(), [(empty[0][1], t)], "torch")
    elif not t.is_floating_point() and len(new) == 1:
        note_taker(new[0]._sequence_nr(), [(len(new[0].next_functions), t)], "torch")


def place_of(kind: str, code: CodeType, lasti: int) -> Place:
    """The place of a cut, counted once more."""
    if (key := (kind, code, lasti)) not in cut_places and len(cut_places) >= KEPT:
        cut_places.pop(next(iter(cut_places)))  # the oldest
    place = cut_places.setdefault(key, Place(*key))
    place.count += 1
    return place
