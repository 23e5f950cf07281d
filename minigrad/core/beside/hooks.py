"""Hooks: what runs beside a node, and the handle that takes it away again.

A hook belongs to the node it was registered on; a leaf's hooks belong to the leaf, whose
AccumulateGrad shares them. Order: tensor hooks, retain_grad, pre-hooks, the node, post-hooks.
"""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_ids = itertools.count().__next__


class RemovableHandle:
    """Takes a hook away: `handle.remove()`, or at the end of a `with` block. Removing twice is fine."""

    __module__ = "minigrad.utils.hooks"

    def __init__(self, hooks: OrderedDict) -> None:
        self.id, self._hooks = _ids(), weakref.ref(hooks)

    def remove(self) -> None:
        if (hooks := self._hooks()) is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def add_hook(hooks: OrderedDict, hook: Callable, first: bool = False) -> RemovableHandle:
    """The handle of `hook`, once it is among `hooks`."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    hooks.move_to_end(handle.id, last=not first)
    return handle


class Hooks:
    """The hooks of one node or leaf, by kind, in the order of registration.

    `tensor` and `retain` are kept per output of the node: `{output_nr: ...}`; `retain` holds a weak
    reference to the tensor whose `.grad` takes a copy.
    """

    __slots__ = ("accumulator", "metadata", "post", "post_accumulate", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, OrderedDict] = {}
        self.retain: dict[int, weakref.ref] = {}
        new: Any = OrderedDict  # as torch prints them
        self.pre, self.post, self.post_accumulate = new(), new(), new()
        self.metadata: dict[Any, Any] = {}
        self.accumulator: Any = None  # a leaf's AccumulateGrad, once somebody has looked

    def on_tensor(self, output_nr: int, hook: Callable) -> RemovableHandle:
        return add_hook(self.tensor.setdefault(output_nr, OrderedDict()), hook)


def hook_name(hook: Callable) -> str:
    """The name that error messages use for a hook; pictures have `graph.live.hook_label`."""
    with suppress(Exception):  # to ask may run code of the learner's
        return hook.__name__
    return "<unknown>"
