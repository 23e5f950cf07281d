"""Where gradients end: `.grad` of a leaf, made once and then added to in place."""

from _thread import RLock
from typing import Any

from ..array.backend import xp
from .carriers import TENSORS
from .graph import AccumulateGrad, bump, constant, latest
from .modes import is_grad_enabled
from .writes.views import check_expanded

_accumulating = RLock()  # leaves are shared by threads that run backward at once
_scalar = xp.generic


def accumulate(leaf: Any, grad: Any, create_graph: bool, shared: bool = True) -> None:
    """Add to `.grad`: in place, except under `create_graph`, where the sum is recorded too.

    `shared`: somebody else may hold `grad` (the derivative of an addition hands one array to both inputs), so that
    the leaf keeps a copy.
    """
    try:  # half the time of `with`; an interrupt may come as soon as `acquire` is over
        _accumulating.acquire()
        old = leaf._grad
        if create_graph:
            leaf._grad = TENSORS.copy_of(grad) if old is None else old + grad
        elif old is None:
            leaf._grad = first_grad(leaf, grad.copy("K") if shared and grad.base is None else grad)
        else:
            add_in_place(old, grad)
        _accumulating.release()
    except BaseException:
        if _accumulating._is_owned():  # type: ignore[attr-defined]
            _accumulating.release()
        raise


def apply(self: AccumulateGrad, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple:
    """What a leaf's node does when it is called by hand; in a backward the engine ends at the leaf itself."""
    leaf, recorded = self.variable, is_grad_enabled()
    if grad is not None:
        accumulate(leaf, grad if recorded else grad._data, recorded)
        for hook in self._own_hooks().post_accumulate.values():
            hook(leaf)
    return ()


AccumulateGrad.apply = apply


def first_grad(leaf: Any, grad: Any) -> Any:
    """A leaf's first gradient: an array of its own, laid out as the leaf is; `grad` itself, if it is that."""
    data = leaf._data
    if (grad.base is None and grad.strides == data.strides) or isinstance(grad, _scalar):
        return constant(leaf._plain, grad)
    own = xp.empty_like(data, dtype=grad.dtype)
    own[...] = grad
    return constant(leaf._plain, own, [1, ()])  # torch fills a new tensor here, and its version says so


def add_in_place(old: Any, grad: Any) -> None:
    """`.grad += grad`, seen by everybody who holds `.grad`."""
    if old._view is not None:
        check_expanded(old._data.shape, old._data.strides)
    # first: an interrupt between the two leaves a version too many, never a write that nobody counted
    bump(old, (latest.freed.code, latest.freed.lasti))
    if isinstance(old._data, _scalar):
        old._data = old._data + grad
    else:
        old._data += grad
