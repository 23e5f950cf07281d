"""Views and in-place operations: one storage, several tensors, one true history.

Writing through a view rewrites the history of its base (CopySlices), and every other view finds out
when its grad_fn is next read (AsStridedBackward0). What may not be written is refused before anything
is. Source: torch/csrc/autograd/variable.cpp and functions/tensor.cpp; texts measured on torch 2.13.
"""

from typing import Any

from ...array.backend import geometry, may_share_memory
from ...text import presentation
from ...text.presentation import need
from ..carriers import TENSORS
from ..graph import Node, TensorBase, Withheld, attach, function_of, latest, new, seqs
from ..modes import INFERENCE, UNCOUNTED, grad_mode


class View:
    """How a tensor came to be a view: of which base, in which mode, and its grad_fn's age.

    `kind` is "" for an ordinary view, or why in-place operations on it are forbidden: "no_grad",
    "inference", "multi" (an output of split, unbind ...) or "function" (returned by a custom Function).
    `version` is the storage's version for which the tensor's `_fn` is valid.
    """

    __slots__ = ("base", "kind", "version")

    base: TensorBase
    kind: str
    version: int

    def refresh(self, t: Any) -> None:
        """Give `t` a new grad_fn, AsStridedBackward0 of the base, if the storage was written since."""
        if (t._fn is None and not self.base._requires_grad) or self.version == t._counter[0]:
            return
        if self.kind:
            raise forbidden_view(t, indirect=True)
        _replace_history(t, as_strided_node(self.base, t))
        self.version = t._counter[0]


def view_of(source: Any, array: Any, kind: str = "") -> Any:
    """A tensor on `array`, which shares the storage of `source`; its base is the family's root."""
    base, seen, counter = source, source._view, source._counter
    if seen is not None:
        base, kind = seen.base, kind if kind and seen.kind != "inference" else seen.kind
    if counter is None:
        counter = source._counter = [0, ()]
    t = new(source._plain)
    t._data, t._counter, t._requires_grad = array, counter, False
    t._fn = t._grad = t._hooks = t._view = None
    if counter.__class__ is list:  # nobody follows the writes of an inference tensor: its views are no views
        t._view = view = View()
        view.base, view.kind, view.version = base, kind, counter[0]
    return t


def as_strided_node(base: TensorBase, t: Any) -> Node:
    """The node of `t` seen as `base.as_strided(...)`. Edges first: reading one may make a node."""
    edge = base._edge()
    size, stride, offset = place = place_of(t)
    return TENSORS.as_strided.row.record_by_hand(
        (edge,), size=size, stride=stride, storage_offset=offset, whole=place_of(base), part=place)


def place_of(t: Any) -> tuple:
    """Where a tensor lies in its storage: `(size, stride, storage_offset)`, in elements."""
    array = t._array()
    _, offset, stride = geometry(array)
    return array.shape, stride, offset


def forbidden_view(t: Any, indirect: bool = False) -> Exception:
    """Why this view may not be written in place, in torch's words."""
    kind = t._view.kind
    where = "its base or another view of its base has been" if indirect else "is being"
    mode, now = ("inference", "in normal mode") if kind == "inference" else ("no_grad", "with grad mode enabled")
    story = f"was created in {mode} mode and {where} modified inplace {now}."
    node, nr = function_of(t._fn)
    if node is None:
        what = f"A view {story}"
    else:
        what = f"Output {nr} of {presentation.current.short_name(node)} is a view "
        what += f"of a view which {story}" if kind == mode else f"and {where} modified inplace."
    key = f"{kind}_view"
    return presentation.error(RuntimeError, key, presentation.torch_says(key, what), tensor=t)


def check_inference(t: Any) -> None:
    """Refuse to write an inference tensor outside inference mode, as the last check before the write.

    torch notices it later still, when it counts the write.
    """
    if t._counter is UNCOUNTED and grad_mode() is not INFERENCE:
        need(False, "inference_write")


def check_inplace(t: Any, recorded: bool, whole: bool = False) -> None:
    """Refuse a write that autograd could not account for; nothing has been written yet.

    `recorded`: the write itself would be recorded. `whole`: it was written as an index that takes
    everything, as in `x[:] = 1`.
    """
    if not recorded:
        return
    view = t._view
    if view is not None:
        if view.kind:
            raise forbidden_view(t)
        on_leaf = view.base._fn is None and view.base._view is None
        if t.requires_grad and on_leaf and presentation.current.guards_views_of_leaves:
            raise _leaf_error("a view of a leaf Variable", view.base)
    if t.requires_grad and t._fn is None:
        raise _leaf_error(presentation.current.whole_leaf if whole else "a leaf Variable", t)


def _leaf_error(what: str, leaf: Any) -> Exception:
    return presentation.error(RuntimeError, "leaf_in_place",
        f"{what} that requires grad is being used in an in-place operation.", tensor=leaf)


def same_place(a: Any, b: Any) -> bool:
    """Whether two tensors are the same elements of the same memory."""
    return a is b or (may_share_memory(a._data, b._data) and place_of(a) == place_of(b))


def check_expanded(size: tuple, stride: tuple) -> None:
    """Refuse to write into an expanded tensor, whose elements share memory."""
    if 0 in stride and 0 not in size and any(s == 0 and n > 1 for s, n in zip(stride, size, strict=True)):
        need(False, "expanded_write")


def check_overlap(written: Any, read: Any, whole: bool = False) -> None:
    """Refuse to write into a part of what is being read; the same part read and written is fine.

    With `whole` it is not either: places are written in another order than they are read.
    Memory is asked, not the version counter: `x.data` has its own, and still is the memory of `x`.
    """
    a, b = written._data, read._data
    if (a.base is None and b.base is None and not whole) or not may_share_memory(a, b):
        return  # the first is quick to ask: arrays that own their memory are apart, or one and the same
    itself = whole and written is read  # refused whatever its strides are
    if itself or (is_dense(a) and is_dense(b) and (whole or place_of(written) != place_of(read))):
        need(False, "overlap")


def is_dense(array: Any) -> bool:
    """True if the elements fill a block of memory without gaps, in any order of dimensions."""
    expected = array.itemsize
    for step, n in sorted(p for p in zip(array.strides, array.shape, strict=True) if p[1] != 1):
        if step != expected:
            return False
        expected *= n
    return True


def rebase(t: Any, node: Any) -> None:
    """Let `node` (a Node or Port) be the new history of `t`, through its base if `t` is a view."""
    if t._view is None:
        _replace_history(t, node)
    else:
        base = t._view.base
        _replace_history(base, CopySlices(base, t, node))
        _replace_history(t, as_strided_node(base, t))
        t._view.version = t._counter[0]


def _replace_history(t: Any, fn: Any) -> None:
    """Let `fn` be the history of `t`; its retain_grad mark follows from the old node to the new one."""
    node, nr = function_of(t._fn)
    mark = node.hooks.retain.pop(nr) if t.retains_grad else None
    attach(t, fn)
    if mark is not None:
        node, nr = function_of(fn)
        node._own_hooks().retain[nr] = mark


class CopySlices(Node):
    """A write into a part of a base: the part's gradient goes through `fn`, the rest passes by."""

    __slots__, __module__ = ("fn", "part", "whole"), "builtins"
    torch_name, frees = "torch::autograd::CopySlices", ("fn",)

    def __init__(self, base: TensorBase, view: Any, fn: Node) -> None:
        self.part, self.whole = place_of(view), place_of(base)
        self.fn: Any = fn
        self.edges = (base._edge(), *fn.edges[1:])
        self.metas = fn.metas and ((base._data.shape, base._data.dtype), *fn.metas[1:])
        self.hooks = None
        self.code, self.lasti = fn.code, fn.lasti
        self.seq = next(seqs)

    def apply(self, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple:
        fn = self.fn
        if isinstance(fn, Withheld):
            fn.unpack(self, "fn")
        if self.edges[0] is not None:
            check_expanded(*self.part[:2])  # a fill may write an expanded view; its gradient may not
        piece = F.take_part(grad, self.whole, self.part)
        sent = fn.apply(piece, F, keep)
        if not keep:
            self.fn = latest.freed
        if self.edges[0] is None:
            return (None, *sent[1:])
        return (F.put_part(grad, piece * 0.0 if sent[0] is None else sent[0], self.whole, self.part), *sent[1:])
