"""In place: the same row, written into `self`, whose history is rewritten.

Everything that could refuse the write is asked before anything is written.
"""

import weakref
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ...array import dtypes, ndarray
from ..beside.lines import learners_line
from ..beside.observers import Observers, unobserved
from ..carriers import TENSORS
from ..graph import TensorBase, bump, constant
from ..modes import Uncounted, grad_mode, lifted
from .views import check_expanded, check_inference, check_inplace, check_overlap, rebase, same_place


def inplace(call: Callable, ufunc: Any = None, whole: bool = False) -> Callable:
    """The in-place twin of an operation: same row, written into `self`, history rewritten.

    `whole`: it writes at other places than it reads, so that no memory may be shared.
    """
    name = call.__name__.removesuffix("_of") + "_"
    looks_itself = "fill" in name or "put" in name  # fills read a number, puts look for themselves
    scaled = {"alpha"} if "alpha" in (call.__kwdefaults__ or ()) else set()  # what adds may add a multiple

    def write(self: Any, *args: Any, **options: Any) -> Any:
        plain = ufunc is not None and len(args) == 1 and (not options or options.keys() <= scaled)
        if plain and write_directly(self, ufunc, args[0], options.get("alpha")):
            return self
        given = (*args, *options.values())
        recorded = bool(grad_mode() and (self.requires_grad or any(map(requires_grad, given))))
        if not (foreign := bool(given) and isinstance(given[0], ndarray)):
            check_inplace(self, recorded)
        alone = name == "copy_" and isinstance(given[0], TensorBase) and same_place(self, given[0])
        if name not in ("zero_", "fill_") and not alone:
            a = self._array()  # one value everywhere, or its own, may be written twice
            check_expanded(a.shape, a.strides)
        if recorded:  # a view that cannot be read any more complains before the write is looked at
            for x in (self, *given):
                if isinstance(x, TensorBase):
                    x._edge()
        for x in given:
            if isinstance(x, TensorBase) and (whole or (x is not self and not looks_itself)):
                check_overlap(self, x, whole)
        original, mode = stand_in(self), grad_mode()
        if mode and lifted.get() is not None:  # what is saved at any level, of a tangent too, is not written over
            original, history = TENSORS.clone(original), original._fn
            original._fn = history
        with unobserved() if isinstance(mode, Observers) else nullcontext():  # they are shown what was written, below
            out = call(original, *args, **options)
        if out is NotImplemented:
            return out  # and Python says what the operator cannot take
        if foreign:
            check_inplace(self, recorded)
        n = out._fn if self._data.dtype.kind == "f" else None  # no gradient goes through integers
        if n is not None and getattr(n, "saved_self", None) is original:
            n.saved_self, n.version_self = TENSORS.clone(original), 0  # before it is written over
        if lifted.get() is not None:
            lifted.get().written(self, out)
        store(self, out._data, any_type=name == "copy_")
        if recorded and n is not None:
            rebase(self, n)
            adopt(n, self)
            if mode is not True:
                mode.recorded(n, self)
        return self

    write.__name__ = write.__qualname__ = name
    write.__wrapped__ = call  # type: ignore[attr-defined]  # where `help` finds the parameters
    write.__doc__ = f"In-place `{name[:-1]}`: writes the result into `self`, returns `self`."
    return write


def requires_grad(x: Any) -> bool:
    return isinstance(x, TensorBase) and x.requires_grad


def stand_in(self: Any) -> Any:
    """`self` before the write, as a tensor of its own: same data, same history."""
    t = constant(TensorBase._plain, self._data)
    if grad_mode():
        t._fn, t._requires_grad = self._history(), self.requires_grad
    return t if lifted.get() is None else lifted.get().stand_in(self, t)


def write_directly(self: Any, ufunc: Any, other: Any, alpha: Any = None) -> bool:
    """Where nothing is recorded, let NumPy write if all is plain: one type, one shape, two storages; or a number.

    Says whether it did; it is what every step of an optimizer does to every parameter.
    """
    if (mode := grad_mode()) is not False and (  # False itself: nothing is recorded, and nothing is lifted
            (mode and (self.requires_grad or requires_grad(other))) or lifted.get() is not None):
        return False
    a, counter = self._data, self._counter
    if a.__class__ is not ndarray or a.base is not None or counter.__class__ is Uncounted:  # shared memory wants a look
        return False
    if (kind := type(other)) in (float, int) and alpha is None:
        if a.itemsize < 4 or (kind is float and a.dtype.kind == "i") or not abs(other) < 2**24:
            return False  # halves see `Row.opmath`, integers cut and wrap
        b = other
    elif isinstance(other, TensorBase) and (counter is None or counter is not other._counter):
        b = other._data
        scaled = alpha is None or (alpha.__class__ is float and a.dtype.kind == "f")
        if not (scaled and b.__class__ is ndarray and b.base is None and a.dtype is b.dtype and a.shape == b.shape):
            return False
        b = b if alpha is None else b * alpha
    else:
        return False
    try:
        ufunc(a, b, a)
    except (TypeError, IndexError):  # NumPy's refusals are not torch's
        return False
    bump(self, learners_line(3))
    return True


def store(self: Any, z: Any, any_type: bool = False) -> None:
    """Write `z` into the storage of `self` and count the write; refuse before anything is changed."""
    a = self._array()
    if z.shape != a.shape:
        raise RuntimeError(f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(z.shape)}")
    if not any_type:
        dtypes.check_cast(z.dtype, a.dtype)
    check_inference(self)
    a[...] = z
    bump(self, learners_line())


def adopt(n: Any, self: Any) -> None:
    """Let a node that saved its output point at the written storage, its counter and its new node."""
    n.code, n.lasti = learners_line()
    if "result" in n.row.saved:
        n.saved_result = self._data if lifted.get() is None else lifted.get().kept(self)
        n.counter_result, n.version_result = self._counter, self._counter[0]
        n.maker_result = None if self._view is None else weakref.ref(self._fn)
