"""torch.utils.checkpoint: keep what a function was given, and run it again in backward for all else that it saved.

With `use_reentrant=False` a `Holder` stands in the graph for each tensor that was saved; the first that a backward
asks for runs the function again, as far as the last of them. With `use_reentrant=True` the whole function is one
node, which runs it again and goes backward through it, inside backward. Texts are torch's.
"""

import functools
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from .._tensor import Tensor
from ..array.backend import xp
from ..autograd.function import Function, SavedForBackward
from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.graph import active, saved_tensors_hooks
from ..core.backward import backward
from ..core.beside.saved import Packed
from ..core.engine import steps
from ..core.graph import Withheld, latest
from ..core.modes import is_grad_enabled
from ..random import fork_rng, get_rng_state, set_rng_state
from ..text.presentation import need, require, warn

_early_stop: list[bool] = []  # what `set_checkpoint_early_stop` says


class CheckpointError(RuntimeError):
    """The function did not save the second time what it saved the first time."""

    __module__ = "torch.utils.checkpoint"


class StopRecomputation(Exception):
    """All that is needed has been computed."""


def noop_context_fn() -> tuple:
    """Two contexts that do nothing: for the function, and for its repetition."""
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints that are made inside stop repeating as soon as they can, whatever they were told."""
    before, _early_stop[:] = [*_early_stop], [enable]
    try:
        yield
    finally:
        _early_stop[:] = before


def checkpoint(function: Callable, *args: Any, use_reentrant: bool | None = None,
               context_fn: Callable = noop_context_fn, determinism_check: str = "default", debug: bool = False,
               early_stop: bool = True, **kwargs: Any) -> Any:
    """What `function(*args, **kwargs)` returns; of what it saves only the arguments are kept until backward.

    `preserve_rng_state=False` lets the repetition draw other random numbers. `debug` adds nothing to errors here.
    Raises: ValueError for options that do not belong together; CheckpointError, in backward, where the function
    saves other tensors than before.
    """
    if use_reentrant is None:
        warn("checkpoint_advice")
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant or use_reentrant is None:
        require(not kwargs, f"Unexpected keyword arguments: {','.join(kwargs)}", ValueError)
        need(context_fn is noop_context_fn and debug is False, "checkpoint_reentrant")
        return CheckpointFunction.apply(function, preserve, *args)
    need(not debug or context_fn is noop_context_fn, "checkpoint_debug")
    need(determinism_check in FACTS, "checkpoint_determinism", list(FACTS), determinism_check)
    forward, again = context_fn()
    if not is_grad_enabled():
        return function(*args, **kwargs)
    state = get_rng_state() if preserve else None

    def repeat(*given: Any) -> None:
        with repeated(state), again:
            function(*given, **kwargs)

    name = getattr(function, "__name__", type(function).__name__)
    region = Region(name, repeat, args, _early_stop[0] if _early_stop else early_stop, FACTS[determinism_check])
    with saved_tensors_hooks(region.pack, region.unpack), forward:
        result = function(*args, **kwargs)
        region.complete = True
    need(region.complete, "checkpoint_suppressed")
    return result


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None,
                          **kwargs: Any) -> Any:
    """`functions` one after the other, in `segments` parts, each but the last a checkpoint."""
    from ..nn import Sequential  # few ask for it

    if use_reentrant is None:
        warn("checkpoint_sequential_advice")
    preserve = kwargs.pop("preserve_rng_state", True)
    require(not kwargs, f"Unexpected keyword arguments: {','.join(kwargs)}", ValueError)
    parts = list(functions.children()) if isinstance(functions, Sequential) else functions

    def run(start: int, stop: int) -> Callable:
        return lambda x: functools.reduce(lambda x, part: part(x), parts[start:stop], x)

    size, stop = len(parts) // segments, 0
    for start in range(0, size * (segments - 1), size):
        stop = start + size
        input = checkpoint(run(start, stop), input, use_reentrant=use_reentrant is None or use_reentrant,
                           preserve_rng_state=preserve)
    return run(stop, len(parts))(input)


@contextmanager
def repeated(state: Any) -> Iterator[None]:
    """Inside, random numbers come from `state` on, and a backward is another one than that around it."""
    mark = latest.freed
    try:
        with fork_rng(enabled=state is not None):
            if state is not None:
                set_rng_state(state)
            yield
    finally:
        latest.freed = mark


# ---- use_reentrant=False


FACTS: dict[str, Callable] = {"default": lambda t: {"shape": t.shape, "dtype": t.dtype, "device": t.device},
                              "none": lambda t: None}


class Holder:
    """Stands in the graph for a saved tensor. Pictures ask for its function's name, its shape and its memory."""

    def __init__(self, t: Any, name: str) -> None:
        self.name, self.shape, self.size, array = name, t.shape, t._data.nbytes, t._data
        # a number of NumPy's lives as long as its tensor
        self.storage = weakref.ref(t if isinstance(array, xp.generic) else array if array.base is None else array.base)

    def dropped(self) -> dict[int, int]:
        """The bytes of its storage, if nobody holds that now."""
        return {} if self.storage() is not None else {id(self.storage): self.size}


class Region:
    """One call of a function: what it was given, what it saved, and what was computed again for one backward."""

    def __init__(self, name: str, repeat: Callable, args: tuple, early: bool, facts_of: Callable) -> None:
        self.name, self.repeat, self.early, self.facts_of = name, repeat, early, facts_of
        self.args = [kept(arg) if isinstance(arg, Tensor) else arg for arg in args]
        self.saved: list[tuple[weakref.ref, Any]] = []  # for each tensor its holder, and what it was
        self.complete = False  # whether the function has returned
        self.mark: Any = None  # of the backward for which it was run again
        self.again: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # holder -> tensor

    def pack(self, t: Any) -> Holder:
        holder = Holder(t, self.name)
        self.saved.append((weakref.ref(holder), self.facts_of(t)))
        return holder

    def unpack(self, holder: Holder) -> Any:
        if self.mark is not latest.freed or holder not in self.again:
            self.run_again()
        return self.again.pop(holder)

    def run_again(self) -> None:
        """Raises: CheckpointError if not the same was saved."""
        self.count, self.again, self.inner = 0, weakref.WeakKeyDictionary(), False
        args = [a.unpack(None, "tensors") if isinstance(a, Withheld) else a for a in self.args]
        with suppress(StopRecomputation), saved_tensors_hooks(self.pack_again, lambda t: t), enable_grad():
            self.repeat(*args)
        self.mark = latest.freed
        if not self.inner:
            self.compare()

    def pack_again(self, t: Any) -> Any:
        t, place = t.detach() if t.requires_grad else t, self.count
        self.count += 1
        if place >= len(self.saved):
            need(not self.complete, "checkpoint_more", kind=CheckpointError)
            self.inner = True  # a backward inside the function
            return t
        if (holder := self.saved[place][0]()) is not None:
            self.again[holder] = t
        if self.early and self.count == len(self.saved):
            raise StopRecomputation
        return t

    def compare(self) -> None:
        need(self.count == len(self.saved), "checkpoint_count", len(self.saved), self.count, kind=CheckpointError)
        different = [f"tensor at position {place}:\nsaved metadata: {was}\nrecomputed metadata: {now}\n"
                     for place, (held, was) in enumerate(self.saved)
                     if held() is not None and was != (now := self.facts_of(self.again[held()]))]
        need(not different, "checkpoint_metadata", "".join(different), kind=CheckpointError)


def kept(t: Any) -> Withheld:
    """An argument, as a node would save it: in the hands of the hooks around, if there are any."""
    hooks: Any = next(reversed(active.get()), None)
    return SavedForBackward(t, ()) if hooks is None else Packed(t, hooks.pack_hook, hooks.unpack_hook, own=False)


# ---- use_reentrant=True


class CheckpointFunction(Function):
    """A function as one node."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function, ctx.state = run_function, get_rng_state() if preserve_rng_state else None
        ctx.inputs = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        need(_whole_graph(), "checkpoint_grad")
        saved = iter(ctx.saved_tensors)
        inputs = tuple(next(saved) if place in ctx.places else arg for place, arg in enumerate(ctx.inputs))
        with repeated(ctx.state):
            detached = detach_variable(inputs)
            with enable_grad():
                outputs = ctx.run_function(*detached)
            outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
            live = [(y, g) for y, g in zip(outputs, args, strict=False) if isinstance(y, Tensor) and y.requires_grad]
            require(live, "none of output has requires_grad=True, this checkpoint() is not necessary")
            backward([y for y, _ in live], [g for _, g in live])
        return None, None, *(t.grad if isinstance(t, Tensor) else None for t in detached)


def _whole_graph() -> bool:
    """Whether the backward that runs now goes to all leaves."""
    frame: Any = sys._getframe()
    while frame.f_code is not steps.__code__:
        frame = frame.f_back
    return getattr(frame.f_locals["task"], "inputs", None) is None


def detach_variable(inputs: Any) -> tuple:
    """The inputs, tensors without their history."""
    need(isinstance(inputs, tuple), "checkpoint_inputs", type(inputs).__name__)
    return tuple(t.detach().requires_grad_(t.requires_grad) if isinstance(t, Tensor) else t for t in inputs)


def check_backward_validity(inputs: Any) -> None:
    """Warns where no input requires grad."""
    if not any(isinstance(t, Tensor) and t.requires_grad for t in inputs):
        warn("checkpoint_constants")
