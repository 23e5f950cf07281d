"""What the engine must know of a tensor: storage, flags, history, and how views share them.

`Tensor` (in `_tensor.py`) adds the language. Here a tensor is slots: `_data` (an array, or a NumPy
scalar for a 0-d result, which is faster and becomes an array as soon as somebody could see it
change), `_fn` (the Node or Port that made it), `_counter` (the version and the line that wrote last,
one list shared by all tensors on one storage, made when first needed) and `_view` (which tensor it is
a view of).
"""

from __future__ import annotations

import weakref
from typing import Any

from ..array.backend import xp
from ..text import presentation
from .hooks import Hooks
from .modes import INFERENCE, UNCOUNTED, grad_mode
from .node import AccumulateGrad, Node, function_of, node_of

new = object.__new__


class readonly(property):
    """A property whose setter raises in torch's words."""

    def __set__(self, instance: Any, value: Any) -> None:
        name = self.fget.__name__
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")


class TensorBase:
    """Storage and history of a tensor; see the module's docstring for the slots."""

    __slots__ = ("__dict__", "__weakref__", "_counter", "_data", "_fn", "_grad", "_hooks",
                 "_requires_grad", "_view")

    _data: Any
    _plain: Any  # the class of results: `_tensor.py` puts Tensor here

    # ---- storage

    def _array(self) -> Any:
        """The storage as an array that shares memory with this tensor, also when it is 0-d."""
        data = self._data
        if isinstance(data, xp.generic):
            scalar, data = data, xp.asarray(data)
            self._data = data
            if getattr(self._fn, "saved_result", None) is scalar:  # what backward will see changes with it
                self._fn.saved_result = data
        return data

    def _shared_counter(self) -> Any:
        """The version counter, made now if nobody needed it before."""
        if self._counter is None:
            self._counter = [0, ()]
        return self._counter

    def _alias(self, data: Any, counter: Any) -> Any:
        """A constant on the same storage, without history: what `detach` and `.data` return."""
        return constant(type(self)._plain, data, counter)

    @readonly
    def _version(self) -> int:
        """How often this storage was written in place. Raises for inference tensors, as torch does."""
        if self._counter is None:
            return 0
        if self._counter is UNCOUNTED:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._counter[0]

    @property
    def _base(self) -> Any:
        """The tensor that this one is a view of, always the root of the family; None if it is none."""
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """True for a tensor made inside `inference_mode()`."""
        return self._counter is UNCOUNTED

    # ---- history

    @property
    def requires_grad(self) -> bool:
        """True if operations on this tensor are recorded. Leaves may change it."""
        view = self._view
        return self._requires_grad or (view is not None and view.base._requires_grad)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        if flag and self._data.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad_(flag)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Switch recording for this leaf on or off, in place; returns the tensor.

        Raises: RuntimeError for integer tensors, and for switching a non-leaf off.
        """
        if requires_grad and self._data.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if not requires_grad and self._fn is not None:
            raise presentation.error(RuntimeError, "flag_of_non_leaf",
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach().", tensor=self)
        if requires_grad and self.is_inference() and grad_mode() is not INFERENCE:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        self._requires_grad = bool(requires_grad)
        return self

    def _history(self) -> Any:
        """The Node or Port that made this tensor, after views have caught up with their base."""
        if self._view is not None:
            self._view.refresh(self)
        return self._fn

    @readonly
    def grad_fn(self) -> Node | None:
        """The node that made this tensor; None for leaves."""
        return node_of(self._history())

    @property
    def output_nr(self) -> int:
        """Which output of its grad_fn this tensor is."""
        return function_of(self._fn)[1]

    @readonly
    def is_leaf(self) -> bool:
        """True for tensors that no recorded operation made."""
        return self._history() is None

    def _edge(self) -> Any:
        """Where this tensor's gradient goes: its node or port, itself if it is a leaf, or None."""
        if self._view is not None:
            self._view.refresh(self)
        return self._fn or (self if self._requires_grad else None)

    # ---- gradients and hooks

    @property
    def grad(self) -> Any:
        """The gradient that backward accumulated here; None before, and for most non-leaves."""
        # `_fn`, not `is_leaf`: looking at `.grad` does not bring a view up to date, in torch neither
        if self._grad is None and self._fn is not None and not self.retains_grad:
            presentation.warn("non_leaf_grad", "The .grad attribute of a Tensor that is not a leaf Tensor is being "
                "accessed. Its .grad attribute won't be populated during autograd.backward(). If you indeed want the "
                ".grad field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
                "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
                "github.com/pytorch/pytorch/pull/30531 for more information.")
        return self._grad

    @property
    def retains_grad(self) -> bool:
        """True for a non-leaf whose `.grad` backward fills, after `retain_grad()`."""
        node, nr = function_of(self._fn)
        kept = node and node.hooks and node.hooks.retain.get(nr)
        return bool(kept) and kept() is self

    def retain_grad(self) -> None:
        """Keep this non-leaf's gradient in `.grad` too: the value after all its tensor hooks.

        Raises: RuntimeError if the tensor does not require grad. On a leaf it does nothing.
        """
        if not self.requires_grad:
            raise presentation.error(RuntimeError, "retain_without_grad",
                "can't retain_grad on Tensor that has requires_grad=False")
        node, nr = function_of(self._history())
        if node is not None:
            node._hooks().retain[nr] = weakref.ref(self)

    def register_hook(self, hook: Any) -> Any:
        """Call `hook(grad)` when this tensor's gradient is complete; a result replaces it.

        Returns a RemovableHandle. Raises: RuntimeError if the tensor does not require grad.
        """
        if not self.requires_grad:
            raise presentation.error(RuntimeError, "hook_without_grad",
                "cannot register a hook on a tensor that doesn't require gradient")
        node, nr = function_of(self._history())
        hooks = self._own_hooks() if node is None else node._hooks()
        return hooks.on_tensor(nr, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call `hook(leaf)` after backward has added to the leaf's `.grad`."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return self._own_hooks().post_accumulate.add(hook)

    def _own_hooks(self) -> Hooks:
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def _accumulate_grad(self) -> AccumulateGrad:
        """This leaf's AccumulateGrad, made now if nobody looked before; then always the same."""
        hooks = self._own_hooks()
        if hooks.accumulator is None:
            hooks.accumulator = AccumulateGrad(self)
        return hooks.accumulator


def constant(cls: type, data: Any, counter: Any = None) -> Any:
    """A tensor without history on `data` (shared, not copied)."""
    t = new(cls)
    t._data, t._counter = data, counter
    t._fn = t._grad = t._hooks = t._view = None
    t._requires_grad = False
    return t


def attach(t: Any, fn: Any) -> Any:
    """Let `fn`, a Node or a Port, be the history of `t`; returns `t`."""
    t._fn, t._requires_grad = fn, True
    return t


def bump(t: TensorBase, line: tuple = ()) -> None:
    """Count one write to this storage; everything that shares it sees the new version.

    The counter also remembers the `line` that wrote last, `(code, instruction)`, for notes.
    """
    counter = t._counter
    if counter is None:
        t._counter = [1, line]
    elif counter is not UNCOUNTED:
        counter[0] += 1
        counter[1] = line
