"""What a node saved, seen from outside: hooks that pack it away and bring it back.

A slot holds the value itself, or a `Packed` one, which a pair of hooks made: `pack(tensor)` when it was
saved, `unpack(packed)` whenever it is needed. The version of a packed tensor is not checked: what to
give back is the hooks' business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .base import TensorBase, constant
from .carriers import TENSORS
from .modes import no_grad
from .node import Freed, Node, Port, Withheld

FREED_HOOKS = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
    "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
    "to backward through the graph a second time or if you need to access saved variables after calling "
    "backward."
)


class Packed(Withheld):
    """A saved tensor as its pack hook left it; `give` unpacks it and ties it to its place in the graph."""

    __slots__ = ("history", "nr", "packed", "unpack")

    def __init__(self, tensor: Any, node: Node, pack: Callable, unpack: Callable) -> None:
        fn = tensor._history()
        maker = fn.node if isinstance(fn, Port) else fn
        self.nr = tensor.output_nr if maker is node else None  # an own output: no reference to itself
        self.history = None if maker is node else tensor._edge()
        version = tensor._version
        with no_grad():
            self.packed, self.unpack = pack(tensor), unpack
        if tensor._version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
                "pack hook cannot be modified by in-place operations as this can lead to unexpected "
                "side-effects. Please open an issue if you need to perform in-place operations on the "
                "input to a pack hook."
            )

    def give(self, node: Node, name: str) -> Any:
        t = self.unpack(self.packed)
        if not isinstance(t, TensorBase):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                            f"type {type(t).__name__}")  # fmt: skip
        if self.history is t:
            return t
        made = constant(t._plain, t._data, t._counter)
        if self.nr is not None:
            made._requires_grad = True
            made._fn = Port(node, self.nr) if node.outputs > 1 else node
        elif self.history is not None:  # a leaf as history: its gradient passes through to it
            made._requires_grad, made._fn = True, self.history
            if isinstance(self.history, TensorBase):
                made._fn = TENSORS.alias.row.record_by_hand((self.history,))
        return made


class PackedMany(Withheld):
    """A saved list of tensors, as the indices of `x[i, j]`, packed one by one."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple) -> None:
        self.parts = parts

    def give(self, node: Node, name: str) -> Any:
        return tuple(p.give(node, name) if isinstance(p, Withheld) else p for p in self.parts)


class SavedTensor:
    """A saved value itself: `node._raw_saved_self`. Source: torch._C._autograd.SavedTensor."""

    __module__ = "torch._C._autograd"

    def __init__(self, node: Node, name: str) -> None:
        self._node, self._name = node, name

    @property
    def data(self) -> Any:
        """The saved tensor, unpacked."""
        return getattr(self._node, f"_saved_{self._name}")

    def unpack(self) -> Any:
        return self.data

    @property
    def unpack_hook(self) -> Any:
        """The hook that brings the tensor back; None if there is none."""
        held = getattr(self._node, f"saved_{self._name}")
        return held.unpack if isinstance(held, Packed) else None

    def register_hooks(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        """Pack the saved tensor now, and unpack it when backward asks for it."""
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are "
                "supported:\n    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, "
                "arg1: collections.abc.Callable) -> None\n\nInvoked with: "
                f"{self!r}, {pack_hook!r}, {unpack_hook!r}"
            )
        held = getattr(self._node, f"saved_{self._name}")
        if isinstance(held, Freed):
            raise RuntimeError(FREED_HOOKS)
        if isinstance(held, Withheld):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. "
                               "Hint: only one pair of hooks is allowed at a time.")  # fmt: skip
        packed = Packed(self.data, self._node, pack_hook, unpack_hook)
        setattr(self._node, f"saved_{self._name}", packed)


def pack_slots(node: Node, pack: Callable, unpack: Callable) -> None:
    """Pack every tensor that a new node has saved, in the order in which it saved them."""
    for slot in node.frees:
        held, name = getattr(node, slot), slot.removeprefix("saved_")
        if held is None or isinstance(held, Withheld):
            continue
        if held.__class__ is tuple:
            setattr(node, slot, PackedMany(tuple(
                Packed(t, node, pack, unpack) if isinstance(t, TensorBase) else t for t in held)))  # fmt: skip
        elif isinstance(held, TensorBase) or name == "result" or name in node.row.outputs:
            setattr(node, slot, Packed(getattr(node, f"_saved_{name}"), node, pack, unpack))
