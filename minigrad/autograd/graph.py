"""torch.autograd.graph: the nodes themselves, hooks on what they save, hooks on several gradients.

Saved-tensor hooks sit on the seam of `core.beside.observers`: every node that is recorded is shown, and
what it saved is packed at once.
"""

import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .._tensor import Tensor
from ..array.backend import xp
from ..core.beside.ends import GradientEdge
from ..core.beside.gates import running
from ..core.beside.hooks import RemovableHandle
from ..core.beside.observers import observing
from ..core.beside.saved import Packed, is_result
from ..core.graph import Node, TensorBase, Withheld, bump, function_of
from ..core.modes import state
from ..ops.checks import need, require

active = state("saved_tensors_hooks", ())  # the last pair counts
_refusal = state("saved_tensors_hooks_refused", None)


class saved_tensors_hooks:
    """Inside, every tensor saved for backward goes through `pack_hook`, and back through `unpack_hook`.

    The innermost pair counts. Raises: RuntimeError where `disable_saved_tensors_hooks` forbids it.
    """

    def __init__(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._entered: list[tuple] = []

    def __enter__(self) -> None:
        require(_refusal.get() is None, _refusal.get())
        mode = observing(self._pack)
        self._entered.append((mode, active.set((*active.get(), self))))
        mode.__enter__()

    def __exit__(self, *exc: object) -> None:
        mode, token = self._entered.pop()
        mode.__exit__(*exc)
        active.reset(token)

    def _pack(self, node: Any, output: Any) -> None:
        if active.get()[-1] is self:
            pack = getattr(node, "pack", None) or functools.partial(pack_slots, node)
            pack(output, self.pack_hook, self.unpack_hook)


class PackedMany(Withheld):
    """A saved list of tensors, as the indices of `x[i, j]`, packed one by one."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple) -> None:
        self.parts = parts

    def unpack(self, node: Node, name: str) -> Any:
        return tuple(p.unpack(node, name) if isinstance(p, Withheld) else p for p in self.parts)


def pack_slots(node: Node, output: Any, pack: Callable, unpack: Callable) -> None:
    """Pack every tensor that a new node has saved, in the order in which it saved them.

    Of a saved result the hook is given the `output` itself, as the learner will have it.
    """
    outputs = node.row.outputs
    for slot in node.frees:
        held, name = getattr(node, slot), slot.removeprefix("saved_")
        if held is None or isinstance(held, Withheld):
            continue
        if held.__class__ is tuple:
            setattr(node, slot, PackedMany(tuple(
                Packed(t, pack, unpack, own=False) if isinstance(t, TensorBase) else t for t in held)))
        elif is_result(node.row, name):
            setattr(node, slot, Packed(output[outputs.index(name)] if outputs else output, pack, unpack, own=True))
        elif isinstance(held, TensorBase):
            setattr(node, slot, Packed(held, pack, unpack, own=False))


class save_on_cpu(saved_tensors_hooks):
    """Inside, saved tensors wait in the memory of the CPU and come back to their device for backward."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: (t.device, t.cpu()), lambda kept: kept[1].to(kept[0]))


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, `saved_tensors_hooks` is refused with this message."""
    require(not active.get(), error_message)
    token = _refusal.set(error_message)
    try:
        yield
    finally:
        _refusal.reset(token)


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """Inside, tensors may be written after they were saved: backward uses the old values.

    Forward and backward both belong inside. torch copies when a tensor is written; this copies at once.
    """
    inside = [True]

    def unpack(kept: Any) -> Any:
        need(inside, "mutation_outside")
        return kept

    try:
        with saved_tensors_hooks(lambda t: t.detach().clone(), unpack):
            yield
    finally:
        inside.clear()


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph where the gradient of `tensor` arrives."""
    need(tensor.requires_grad, "edge_of_none")
    edge = GradientEdge(*function_of(tensor._edge()))
    edge.like = xp.broadcast_to(xp.empty_like(tensor._data, shape=()), tensor.shape)  # no memory is kept alive
    return edge


def increment_version(tensor: Any) -> None:
    """Count a write that autograd could not see, into one tensor or several."""
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        bump(t)


class _MultiHandle(RemovableHandle):
    """Takes several hooks away at once."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: Sequence[Any]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> _MultiHandle:
    """Call `fn` once in a backward: with all gradients, when the last is known, or with the first.

    In mode "all" tensors that this backward does not reach get None; in mode "any" `fn` gets one tensor.
    """
    require(mode in ("all", "any"), f"Expects mode to be one of ('all', 'any') but got {mode}", ValueError)
    if mode == "any":
        seen: Any = weakref.WeakSet()

        def hook(grad: Any) -> None:
            if running.get() not in seen:
                seen.add(running.get())
                fn(grad)

        return _MultiHandle([t.register_hook(hook) for t in tensors if t.requires_grad])
    edges = [t._edge() for t in tensors]
    require(all(edge is not None for edge in edges), "Expected gradient function to be set", AssertionError)
    gathered: Any = weakref.WeakKeyDictionary()

    def gather(index: int, grad: Any) -> None:
        walk = running.get()
        grads, left = gathered.get(walk) or ([None] * len(edges), [sum(map(walk.will_run, edges))])
        gathered[walk] = grads, left
        grads[index] = grad
        left[0] -= 1
        if not left[0]:
            del gathered[walk]
            fn(grads)

    return _MultiHandle([t.register_hook(functools.partial(gather, i)) for i, t in enumerate(tensors)])
