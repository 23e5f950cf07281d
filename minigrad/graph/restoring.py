"""Everything that a function can reach, as it was: after a trial run, put back; of minigrad or of torch.

Reaches what the code names and closes over, the arguments given along, and the methods of their classes; goes
through containers, modules, optimizers and objects of the learner's own classes. Not put back: a file, how
far a `yield` has come, what torch's backward frees, an object whose class has no method of the learner's, `__slots__`.
"""

import contextlib
import random as python_random
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, GeneratorType, MethodType, SimpleNamespace
from typing import Any

from ..array import ndarray, random, xp
from ..core import modes
from ..core.beside import ledger, scopes
from ..core.graph import Node, TensorBase, latest, node_of
from .live import is_tensor
from .program import is_learners, is_theirs
from .snapshot import AnyTensor, swap

OWN = __name__.partition(".")[0], "torch.nn", "torch.optim"  # whose objects are put back
SLOTS = ("_counter", "_data", "_fn", "_grad", "_hooks", "_requires_grad", "_view")


def looked_up(code: CodeType) -> set[str]:
    """The names that code looks up, with the functions written inside it."""
    return {*code.co_names}.union(*(looked_up(c) for c in code.co_consts if isinstance(c, CodeType)))


class Restoring(contextlib.ExitStack):
    """While inside, anything may happen to what `roots` reach; then it is as before."""

    def __init__(self, *roots: Any) -> None:
        super().__init__()
        self.seen: dict[int, Any] = {}  # held, so that no other gets its id
        self.moved: list[str] = []  # names of functions that wait at a `yield`, which nobody can put back
        todo: list[Any] = [*roots]
        while todo:
            value = todo.pop()
            if id(value) not in self.seen and not isinstance(value, str | int | float | bool | type(None)):
                self.seen[id(value)] = value
                todo += self.parts(value)
        self.callback(swap, ledger.places, dict(ledger.places))
        self.callback(swap, ledger.diary, ledger.diary.copy())
        self.callback(swap, scopes.calls, tuple(scopes.calls))
        self.callback(vars(latest).update, {**vars(latest)})
        self.callback(random.set_state, random.get_state())
        self.callback(python_random.setstate, python_random.getstate())
        self.callback(xp.random.set_state, xp.random.get_state())
        self.callback(modes.mode_variable.set, modes.mode_variable.get())
        self.tensors: list[AnyTensor] = [t for t in self.seen.values() if is_tensor(t)]
        if any(not isinstance(t, TensorBase) for t in self.tensors):
            self.callback(sys.modules["torch"].set_rng_state, sys.modules["torch"].get_rng_state())
            self.callback(sys.modules["torch"].set_grad_enabled, sys.modules["torch"].is_grad_enabled())

    def parts(self, value: Any) -> Iterator[Any]:
        """Notes how one thing is put back, and yields what it holds."""
        kind = type(value)
        if isinstance(value, TensorBase):
            yield from self.tensor(value)
        elif is_tensor(value):
            yield self.torch_tensor(value)
        elif isinstance(value, Node):  # what it saved
            for slot in value.frees:
                self.callback(setattr, value, slot, getattr(value, slot, None))
                yield getattr(value, slot, None)
            yield from map(node_of, value.edges)
        elif isinstance(value, ndarray):
            if value.flags.writeable:
                self.callback(value.__setitem__, ..., value.copy())
        elif isinstance(value, dict | list | set | deque):
            self.callback(swap, value, value.copy())
            yield from [*value.values(), *value] if isinstance(value, dict) else [*value]
        elif isinstance(value, tuple | frozenset):
            yield from value
        elif isinstance(value, FunctionType):
            yield from self.function(value)
        elif isinstance(value, MethodType):
            yield from (value.__func__, value.__self__)
        elif isinstance(value, partial):
            yield from (value.func, value.args, value.keywords)
        elif isinstance(value, xp.random.Generator):
            self.callback(setattr, value.bit_generator, "state", value.bit_generator.state)
        elif isinstance(value, python_random.Random):
            self.callback(value.setstate, value.getstate())
        elif isinstance(value, random.Generator | xp.random.RandomState):
            self.callback(value.set_state, value.get_state())  # type: ignore[arg-type]
        elif not isinstance(value, type) and hasattr(value, "__dict__") and (
                kind is SimpleNamespace or kind.__module__.startswith(OWN) or is_learners(value)):
            yield vars(value)
            yield from (f for c in kind.__mro__ for f in vars(c).values() if isinstance(f, FunctionType))

    def tensor(self, t: Any) -> Iterator[Any]:
        """A tensor: its slots, its numbers and their version; it leads to the nodes behind it."""
        slots = {slot: getattr(t, slot) for slot in SLOTS}
        numbers, counter = slots["_data"], slots["_counter"]
        old, version = numbers.copy(), [0, ()] if counter is None else [*counter] if type(counter) is list else counter

        def back() -> None:
            now = t._counter
            for slot, was in slots.items():
                setattr(t, slot, was)
            if isinstance(numbers, ndarray) and numbers.flags.writeable:
                numbers[...] = old
            if type(now) is list:  # a counter that was made meanwhile belongs to nodes, too
                t._counter, now[:] = now, version

        self.callback(back)
        yield from (slots["_grad"], getattr(slots["_view"], "base", None), t.__dict__, node_of(slots["_fn"]))
        if slots["_hooks"] is not None:
            yield from (slots["_hooks"].tensor, slots["_hooks"].post_accumulate)

    def torch_tensor(self, t: AnyTensor) -> AnyTensor | None:
        """A tensor of torch: its numbers and their version, its flag, and its gradient, which is returned."""
        grad = t.grad if t.is_leaf or t.retains_grad else None
        torch, counts, empty = sys.modules["torch"], not t.is_inference(), contextlib.nullcontext
        old, version, flag = t.detach().clone(), counts and t._version, t.requires_grad
        keep = getattr(torch.autograd, "_unsafe_preserve_version_counter", empty)(t) if counts else empty()
        keep.__enter__()

        def back() -> None:
            # running means are written uncounted
            if not t.detach().to_dense().equal(old.to_dense()) or (counts and t._version != version):
                with torch.inference_mode(not counts):
                    t.detach().copy_(old)
                keep.__exit__(None, None, None)
            if t.is_leaf:
                t.grad = grad
                t.requires_grad_(flag)

        self.callback(back)
        return grad

    def function(self, f: FunctionType) -> Iterator[Any]:
        """A function: the globals that it names, whether they are there or not, and its closure."""
        if not is_theirs(f.__code__):
            return
        scope, names = f.__globals__, looked_up(f.__code__)
        there = {name: scope[name] for name in names if name in scope}
        for name in names - there.keys():
            self.callback(scope.pop, name, None)
        self.callback(scope.update, there)
        for cell in f.__closure__ or ():
            with contextlib.suppress(ValueError):  # nothing in it yet
                self.callback(setattr, cell, "cell_contents", cell.cell_contents)
                yield cell.cell_contents
        self.moved += [name for name, value in there.items() if isinstance(value, GeneratorType)]
        yield from (*there.values(), *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values(), vars(f))
