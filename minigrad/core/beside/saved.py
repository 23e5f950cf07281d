"""What a node saved, seen from outside: as `_saved_self`, as an error, and by hooks that pack it away.

A slot holds the value itself, or a `Packed` one, which a pair of hooks made: `pack(tensor)` when it was
saved, `unpack(packed)` whenever it is needed. The version of a packed tensor is not checked: what to
give back is the hooks' business.
"""

import functools
from collections.abc import Callable
from typing import Any

from ...array import dtypes, xp
from ...text import presentation
from ...text.presentation import need
from ..carriers import TENSORS
from ..graph import Freed, Node, TensorBase, Withheld, attach, constant, maker_of, output_of
from ..modes import anomaly, differentiable


class Packed(Withheld):
    """A saved tensor as its pack hook left it; `unpack` ties it to its place in the graph."""

    __slots__ = ("history", "hook", "nr", "packed")
    used = False  # whether anything was ever packed: only then does backward set a mode for the hooks

    def __init__(self, tensor: Any, pack: Callable, unpack: Callable, own: bool, late: bool = False) -> None:
        """Pack `tensor`; `own` says that the node itself made it, `late` that this is long ago."""
        edge, Packed.used = tensor._edge(), True
        self.history = None if own else edge  # no reference to itself: `maker_of` finds the node
        self.nr = tensor.output_nr if own and edge is not None else None
        version = tensor._version
        with differentiable(False):
            self.packed, self.hook = pack(tensor.detach() if late else tensor), unpack
        need(tensor._version == version, "pack_hook_writes")

    def unpack(self, node: Node, name: str) -> Any:
        t = self.hook(self.packed)
        need(isinstance(t, TensorBase), "unpack_hook_kind", type(t).__name__, kind=TypeError)
        if self.nr is None and self.history is None and not t.requires_grad:
            return t
        made = constant(t._plain, t._data, t._counter)
        if self.nr is not None:
            made._requires_grad = True
            made._fn = output_of(node, self.nr) if node.outputs > 1 else maker_of(node, name)
        elif self.history is not None:
            made._requires_grad, made._fn = True, self.history
            if isinstance(self.history, TensorBase):
                made.__class__ = leaf_like(t._plain)
                made._fn = TENSORS.alias.row.record_by_hand((self.history,))
        return made


@functools.cache
def leaf_like(plain: type) -> type:
    """The class of what is unpacked in place of a leaf: it looks like one, and its gradient goes on to that."""
    looks = {"grad_fn": None, "is_leaf": True, "grad": None}
    return type("Tensor", (plain,), {"__slots__": (), "__module__": plain.__module__, **looks})


class SavedTensor:
    """A saved value itself: `node._raw_saved_self`. Source: torch._C._autograd.SavedTensor."""

    __module__ = "torch._C._autograd"

    def __init__(self, node: Node, name: str) -> None:
        self._node, self._name = node, name

    def unpack(self) -> Any:
        """The saved tensor, unpacked."""
        return getattr(self._node, f"_saved_{self._name}")

    data = property(unpack)

    @property
    def unpack_hook(self) -> Any:
        """The hook that brings the tensor back; None if there is none."""
        held = getattr(self._node, f"saved_{self._name}")
        return held.hook if isinstance(held, Packed) else None

    def register_hooks(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        """Pack the saved tensor now, and unpack it when backward asks for it."""
        fits = callable(pack_hook) and callable(unpack_hook)
        need(fits, "saved_hook_kinds", repr(self), repr(pack_hook), repr(unpack_hook), kind=TypeError)
        held = getattr(self._node, f"saved_{self._name}")
        need(not isinstance(held, Freed), "saved_hooks_freed")
        need(not isinstance(held, Withheld), "saved_hooks_twice")
        packed = Packed(self.data, pack_hook, unpack_hook, is_result(self._node.row, self._name), late=True)
        setattr(self._node, f"saved_{self._name}", packed)


def is_result(row: Any, name: str) -> bool:
    """True for a saved value that the operation itself returned."""
    return name == "result" or name in row.outputs


def rebuilt(row: Any, n: Any, name: str, data: Any, counter: Any) -> Any:
    """A saved output as a tensor again: same storage, same grad_fn, a new object (as in torch)."""
    t = constant(TensorBase._plain, data, counter)
    nr = row.outputs.index(name) if name in row.outputs else 0
    if data.dtype.kind != "f" or (nr and not row.multi):  # a second output that nothing differentiates
        return t
    return attach(t, output_of(n, nr) if row.multi else maker_of(n, name))


def modified(n: Any, name: str, saved: Any, version: int, expected: int) -> Exception:
    """The error for a saved tensor that was written in place afterwards."""
    shown = saved if saved is not None else constant(TensorBase._plain, getattr(n, f"saved_{name}"))
    maker, nr = (maker_of(n, name), 0) if saved is None else (saved.grad_fn, saved.output_nr)
    of = f", which is output {nr} of {presentation.current.short_name(maker)}," if maker is not None else ""
    kind, shape = dtypes.of(shown._data.dtype).tensor_type, list(shown._data.shape)
    hint = presentation.torch_says("modified_in_trace") if anomaly.enabled else presentation.current.hint
    text = presentation.torch_says("modified", kind, shape, of, version, expected, hint)
    return presentation.error(RuntimeError, "modified", text, node=n, field=name, tensor=saved, version=version,
        expected=expected, counter=getattr(n, f"counter_{name}", None) if saved is None else saved._counter)


def saved_property(row: Any, name: str, reader: Callable[[], Callable[[Any, Any], Any]]) -> property:
    """`node._saved_<name>`, as torch shows it; what reads it is made when somebody looks: few ever do."""

    def saved(n: Any) -> Any:
        value = reader()(n, TENSORS)
        if isinstance(value, tuple):
            return tuple(None if isinstance(v, slice) else unsigned(v) for v in value)
        if name not in row.tensors:
            return value if name in row.scalars else unsigned(value)
        return constant(TensorBase._plain, xp.asarray(value)) if isinstance(value, (bool, int, float)) else value

    return property(saved)


def unsigned(value: Any) -> Any:
    """A negative number as torch shows it in saved fields, where int64 is printed unsigned."""
    return value + 2**64 if isinstance(value, int) and value < 0 else value
