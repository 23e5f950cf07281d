"""What may happen beside a node: hooks, retain_grad's copy, the look for NaN.

Each function gets the `task` (`attended`): how its gradients are carried, and who is watching.
"""

import sys
from collections.abc import Callable
from typing import Any

from ...array.backend import xp
from ...text.presentation import need, require, warn
from ..carriers import TENSORS
from ..graph import TensorBase, constant
from ..modes import anomaly, state, whole_array
from .hooks import hook_name

running = state("running", None)  # the task whose tensor hook runs; multi-grad hooks ask


def tensor_hooks(task: Any, node: Any, grads: tuple) -> tuple:
    """Run the hooks of the tensors that this node made, then let retained ones take a copy."""
    changed = list(grads)
    for nr, registered in node.hooks.tensor.items():
        for hook in list(registered.values()):
            changed[nr] = _tensor_hook(task, node, hook, changed[nr])
    for nr, reference in node.hooks.retain.items():
        _retain(task, node, nr, reference(), changed[nr])
    return tuple(changed)


def _tensor_hook(task: Any, node: Any, hook: Callable, grad: Any) -> Any:
    given = shown(task, grad)
    token = running.set(task)
    try:
        returned = hook(given)
    finally:
        running.reset(token)
    # a hook that returns nothing may have written into what it was given
    after = taken(task, given if returned is None else _checked(hook, given, returned))
    if task.watch is not None:
        task.watch.hook(node, "tensor", hook, grad, after)
    return after


def _checked(hook: Callable, given: Any, returned: Any) -> Any:
    """What a hook returned, if it may stand for the gradient it was given."""
    if returned is None:
        return None
    require(given is not None, "can't replace a None gradient with a non-None value")
    need(isinstance(returned, TensorBase), "hook_kind", type(returned).__name__, kind=TypeError)
    if returned._data.dtype != given._data.dtype:
        was, got = given.type(), returned.type()
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was {was} got {got})")
    need(returned.shape == given.shape, "hook_shape", hook_name(hook), shapes=(given.shape, returned.shape))
    return returned


def _retain(task: Any, node: Any, nr: int, tensor: Any, grad: Any) -> None:
    if tensor is None or grad is None:
        return
    kept = TENSORS.clone(grad) if task.F is TENSORS else constant(tensor._plain, grad.copy())
    tensor._grad = kept if tensor._grad is None else tensor._grad + kept
    if task.watch is not None:
        task.watch.capture(node, nr, grad)


def post_hooks(task: Any, node: Any, sent: tuple, grads: tuple) -> tuple:
    """Run the node's post-hooks: they see what it received and may replace what it sends."""
    received = tuple(shown(task, g) for g in grads)
    if not node.wants_undefined:  # what a learner's own backward returned is shown as it is
        sent = tuple(None if e is None else g for g, e in zip(sent, node.edges, strict=False))
    return node_hooks(task, node, "post", sent, received)


def node_hooks(task: Any, node: Any, kind: str, grads: tuple, *received: tuple) -> tuple:
    """Run the hooks of one kind, each on what the one before has left of `grads`."""
    for hook in list(getattr(node.hooks, kind).values()):
        given, before = tuple(shown(task, g) for g in grads), grads
        returned = hook(given, *received)
        if returned is not None:
            grads = tuple(taken(task, g) for g in _as_many(hook, returned, given))
        if task.watch is not None:
            task.watch.hook(node, kind, hook, before, grads)
    return grads


def _as_many(hook: Callable, returned: Any, given: tuple) -> tuple:
    """What a node's hook returned: one value per gradient it was given."""
    require(isinstance(returned, tuple), f"expected tuple, but hook returned '{type(returned).__name__}'", TypeError)
    need(len(returned) == len(given), "hook_count", hook_name(hook), len(returned), len(given))
    return tuple(_checked(hook, g, r) for g, r in zip(given, returned, strict=True))


def leaf_with_hooks(task: Any, leaf: Any, grad: Any, accumulate: Callable) -> None:
    """The end of a path where hooks stand, or somebody watches, or the gradient is asked for."""
    node, hooks, watch, given = leaf._accumulate_grad(), leaf._hooks, task.watch, leaf
    if watch is not None:
        watch.ready(node)
    (grad,) = tensor_hooks(task, node, (grad,))
    if task.captured is not None:
        task.capture(leaf, grad)
        return
    (grad,) = node_hooks(task, node, "pre", (grad,))
    before = leaf._grad
    accumulate(leaf, grad)
    if watch is not None:
        watch.accumulate(node, grad, before, leaf._grad)
    for hook in list(hooks.post_accumulate.values()):
        returned = _checked(hook, given, hook(given))
        given = given if returned is None else returned  # torch hands it on, and complains behind the last one
        if watch is not None:
            watch.hook(node, "post_accumulate", hook, leaf._grad, leaf._grad)
    require(given is leaf, "Tensor post accumulate grad hooks should return None.")
    if hooks.post:
        post_hooks(task, node, (), (grad,))


def shown(task: Any, grad: Any) -> Any:
    """A gradient as hooks see it: a tensor."""
    return grad if grad is None or task.F is TENSORS else constant(TensorBase._plain, grad)


def taken(task: Any, grad: Any) -> Any:
    """A tensor from a hook, as this run carries gradients."""
    return grad._data if isinstance(grad, TensorBase) and task.F is not TENSORS else grad


def blame(node: Any) -> None:
    """In anomaly mode, warn which forward line made the node that has just failed."""
    if not anomaly.enabled:
        return
    stack = node.hooks and node.hooks.metadata.get("traceback_")
    try:
        warn("blamed" if stack else "blamed_unknown", node.name(), "".join(stack or ()))
    except Warning as said:  # where warnings are errors: the error that is blamed comes first
        print(said, file=sys.stderr)


def refuse_nan(node: Any, slot: int, grad: Any) -> None:
    """Raises: RuntimeError if what the node is about to send holds a NaN."""
    if anomaly.check_nan and grad is not None and xp.isnan(whole_array(grad)).any():
        need(False, "anomaly", node.name(), slot, node=node)
