"""The busiest derivatives written out for arrays: the same numbers in fewer steps of Python.

Each function stands in for `apply` of one row when backward runs on arrays (`Node.apply_raw`),
`_mm_call` and `_addmm_call` for the calls of products and of linear layers, `walk` for `engine.steps`
on graphs without hooks that nobody watches.
Nobody needs this file: without it every row runs its own formula and every backward is `steps`; tests
hold each part to its original.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from math import prod
from operator import attrgetter
from typing import Any

from ..array.backend import HOST, ndarray, xp
from . import engine, leaves, shapes
from .base import TensorBase
from .carriers import RAW, TENSORS
from .cross_entropy import cross_entropy_call
from .folded import Folded
from .modes import grad_mode
from .node import (
    OURS,
    Freed,
    Node,
    Port,
    Withheld,
    learners_frame,
    recent,
    recorded_for,
    recording_for,
    seqs,
)
from .product import batches_call
from .row import TABLE, Number, blank_node, taker
from .saved import Packed

_frame = sys._getframe
_latest_first = attrgetter("seq")
# Beside a small array half of an operation goes into turning a Python number into an array
_ZERO, _ONE = ({kind: xp.full((), number, kind) for kind in map(xp.dtype, "efd")} for number in (0, 1))


# What one expression says; `derivative` adds the others. Each gets the node, its gradient and `keep`.
_INSTEAD: dict[str, Callable] = {
    "add": lambda n, grad, keep: (grad, grad),
    "sub": lambda n, grad, keep: (grad, None if n.edges[1] is None else -grad),
    "t": lambda n, grad, keep: (grad.T,),
    "transpose": lambda n, grad, keep: (grad.swapaxes(n.saved_dim0, n.saved_dim1) if grad.ndim else grad,),
    "mean": lambda n, grad, keep: (_full(n.saved_self_sym_sizes, grad / n.saved_self_sym_numel),),
    **dict.fromkeys(("view", "unsafe_view", "squeeze", "squeeze_dim"),
                    lambda n, grad, keep: (grad.reshape(n.saved_self_sym_sizes),)),
}


def derivative(name: str) -> Callable:
    """Register a function `(n, grad, keep)` as what nodes of this row do to arrays."""

    def register(function: Callable) -> Callable:
        _INSTEAD[name] = function
        return function

    return register


def install() -> None:
    """Give the rows of the table what is quicker."""
    for name, function in _INSTEAD.items():
        TABLE[name].node.apply_raw = function  # type: ignore[method-assign, assignment]
    engine.quick = walk
    mm, Tensor = TABLE["mm"], TensorBase._plain
    mm.call = TENSORS.mm = _mm_call(mm.call)  # type: ignore[attr-defined]
    TENSORS.addmm = _addmm_call(TABLE["addmm"].call)  # type: ignore[attr-defined]
    TENSORS.cross_entropy = cross_entropy_call(TENSORS.cross_entropy)  # type: ignore[attr-defined]
    Tensor.__matmul__ = Tensor.matmul = _mm_call(batches_call(Tensor.__matmul__))


def held(n: Any, name: str, saved: Any, version: Any, edge: Any) -> Any:
    """The array of a saved input. What is not plainly there (freed, changed, detached) the row answers."""
    if saved.__class__ is Number:
        return saved.raw
    if not isinstance(saved, Withheld):
        counter = saved._counter
        if (counter is None or counter[0] == version) and (
            saved._fn is not None or edge is None or edge is saved
        ):
            return saved._data
    return taker(n.row, name)(n, RAW)


def held_result(n: Any) -> Any:
    """The array of a saved result."""
    if not isinstance(n.saved_result, Withheld) and n.counter_result[0] == n.version_result:
        return n.saved_result
    return taker(n.row, "result")(n, RAW)


@derivative("mul")
def _mul(n: Any, grad: Any, keep: bool) -> tuple:
    to_self, to_other = n.edges
    other = n.saved_other
    if other.__class__ is Number:
        if not keep:
            n.saved_other = Freed.current
        return grad * other.raw, None
    mine = theirs = None
    if to_self is not None:
        mine = grad * held(n, "other", other, n.version_other, to_other)
    if to_other is not None:
        theirs = grad * held(n, "self", n.saved_self, n.version_self, to_self)
    if not keep:
        if n.saved_self is not None:
            n.saved_self = Freed.current
        if n.saved_other is not None:
            n.saved_other = Freed.current
    return mine, theirs


@derivative("mm")
def _mm(n: Any, grad: Any, keep: bool) -> tuple:
    if 1 in grad.shape:  # the row minds the sign of zero
        return n.apply(grad, RAW, keep)
    to_self, to_mat2 = n.edges
    mine = theirs = None
    if to_self is not None:
        mine = grad.dot(held(n, "mat2", n.saved_mat2, n.version_mat2, to_mat2).T)
    if to_mat2 is not None:
        theirs = held(n, "self", n.saved_self, n.version_self, to_self).T.dot(grad)
    if not keep:
        if n.saved_self is not None:
            n.saved_self = Freed.current
        if n.saved_mat2 is not None:
            n.saved_mat2 = Freed.current
    return mine, theirs


@derivative("addmm")
def _addmm(n: Any, grad: Any, keep: bool) -> tuple:
    if 1 in grad.shape or n.saved_alpha != 1 or n.saved_beta != 1:
        return n.apply(grad, RAW, keep)
    _, to_mat1, to_mat2 = n.edges
    left = right = None
    if to_mat1 is not None:
        left = grad.dot(held(n, "mat2", n.saved_mat2, n.version_mat2, to_mat2).T)
    if to_mat2 is not None:
        right = held(n, "mat1", n.saved_mat1, n.version_mat1, to_mat1).T.dot(grad)
    if not keep:
        n.free()
    return grad, left, right


@derivative("expand")
def _expand(n: Any, grad: Any, keep: bool) -> tuple:
    shape = n.saved_self_sym_sizes
    return (grad if grad.shape == shape else RAW.sum_to(grad, shape),)


@derivative("pow_number")
def _pow_number(n: Any, grad: Any, keep: bool) -> tuple:
    if n.saved_exponent != 2:
        return n.apply(grad, RAW, keep)
    x = held(n, "self", n.saved_self, n.version_self, n.edges[0])
    sent = (grad * (x + x),)
    if not keep:
        n.saved_self = Freed.current
    return sent


@derivative("exp")
def _exp(n: Any, grad: Any, keep: bool) -> tuple:
    sent = (grad * held_result(n),)
    if not keep:
        n.saved_result = Freed.current
    return sent


@derivative("tanh")
def _tanh(n: Any, grad: Any, keep: bool) -> tuple:
    y = held_result(n)
    slope = y * y
    if isinstance(slope, ndarray):  # one new array instead of three: new pages cost most
        xp.subtract(_ONE[slope.dtype], slope, slope)
        xp.multiply(slope, grad, slope)
    else:
        slope = (1 - slope) * grad
    if not keep:
        n.saved_result = Freed.current
    return (slope,)


@derivative("softmax")
def _softmax(n: Any, grad: Any, keep: bool) -> tuple:
    y, dim = held_result(n), n.saved_dim
    if not y.ndim or not isinstance(grad, ndarray):
        return n.apply(grad, RAW, keep)
    sent = grad * y
    xp.subtract(grad, xp.add.reduce(sent, dim, None, None, True), sent)
    xp.multiply(y, sent, sent)
    if not keep:
        n.saved_result = Freed.current
    return (sent,)


@derivative("relu")
def _relu(n: Any, grad: Any, keep: bool) -> tuple:
    y = held_result(n)
    if not isinstance(y, ndarray):
        sent = RAW.relu_backward(grad, y)
    elif y.size < 512:
        zero = _ZERO[y.dtype]
        sent = xp.where(y <= zero, zero, grad)
    else:  # all bits of the gradient or none: exact, NaN and signed zeros included, and half the time
        sent = (grad.view(f"i{grad.itemsize}") * ~(y <= 0)).view(grad.dtype)
    if not keep:
        n.saved_result = Freed.current
    return (sent,)


@derivative("sum")
def _sum(n: Any, grad: Any, keep: bool) -> tuple:
    return (_spread(n, grad),)


@derivative("sum_dim")
def _sum_dim(n: Any, grad: Any, keep: bool) -> tuple:
    return (_spread(n, RAW.kept(grad, n.saved_self_sym_sizes, n.saved_dim, n.saved_keepdim)),)


@derivative("mean_dim")
def _mean_dim(n: Any, grad: Any, keep: bool) -> tuple:
    sizes, dim = n.saved_self_sym_sizes, n.saved_dim  # divided while it is small
    return (_full(sizes, RAW.kept(grad / RAW.count(sizes, dim), sizes, dim, n.saved_keepdim)),)


def _spread(n: Any, grad: Any) -> Any:
    """A sum's gradient in the shape of what was summed."""
    shape, edge = n.saved_self_sym_sizes, n.edges[0]
    # Nobody sees what passes between two nodes. Small arrays are faster to multiply when every place is
    # written; large ones, seen with stride 0, are memory not spent.
    if isinstance(edge, Node) and edge.hooks is None and prod(shape) <= 4096:
        return _full(shape, grad)
    return RAW.expand(grad, shape)


def _full(shape: tuple, grad: Any) -> Any:
    """`grad` in a larger shape, written in every place."""
    if not shape:
        return grad
    if not isinstance(grad, HOST):
        return RAW.expand(grad, shape).copy()
    filled = xp.empty(shape, grad.dtype)
    filled[...] = grad
    return filled


def _mm_call(slow: Callable) -> Callable:
    """A product of two matrices that fit, recorded; all else the slow call answers."""
    cls, Tensor, blank, dot = TABLE["mm"].node, shapes.Tensor, shapes.blank, ndarray.dot

    @wraps(slow)
    def call(self: Any, other: Any) -> Any:
        if grad_mode() is not True or (other.__class__ is not Tensor and not isinstance(other, TensorBase)):
            return slow(self, other)
        a, b = self._data, other._data
        rows, columns = a.shape, b.shape
        if not (len(rows) == len(columns) == 2 and rows[1] == columns[0] != 1):  # mm minds signs
            return slow(self, other)
        if self._view is not None:
            self._view.refresh(self)
        if other._view is not None:
            other._view.refresh(other)
        to_self = self._fn or (self if self._requires_grad else None)
        to_mat2 = other._fn or (other if other._requires_grad else None)
        if (to_self is None and to_mat2 is None) or a.dtype is not b.dtype:
            return slow(self, other)
        try:
            z = dot(a, b)
        except TypeError:  # arrays on a GPU
            return slow(self, other)
        t = blank()
        t._data = z
        t._counter = t._grad = t._hooks = t._view = None
        t._fn = n = cls()
        t._requires_grad = True
        n.edges, n.metas, n.hooks = (to_self, to_mat2), None, None
        n.seq = next(seqs)
        f = _frame(1)
        code = f.f_code
        while code is not recent[0] and code.co_filename in OURS:
            f = recorded_for() or f.f_back
            if f is None:  # a thread that begins with one of ours
                n.code, n.lasti = None, 0
                break
            code = f.f_code
        else:
            n.code = recent[0] = code
            n.lasti = f.f_lasti
        if to_mat2 is None:
            n.saved_self = None
        else:
            c = self._counter
            n.saved_self, n.version_self = self, 0 if c is None else c[0]
        if to_self is None:
            n.saved_mat2 = None
        else:
            c = other._counter
            n.saved_mat2, n.version_mat2 = other, 0 if c is None else c[0]
        n.saved_self_sym_sizes, n.saved_mat2_sym_sizes = rows, columns
        n.saved_self_sym_strides = () if to_self is None else a.strides
        n.saved_mat2_sym_strides = () if to_mat2 is None else b.strides
        n.itemsize = a.itemsize
        return t

    return call


def _addmm_call(slow: Callable) -> Callable:
    """A linear layer: a product of two matrices that fit and a row added to it; all else the slow call answers."""
    cls, blank, dot = TABLE["addmm"].node, shapes.blank, ndarray.dot

    @wraps(slow)
    def call(self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        plain = grad_mode() is True and beta == alpha == 1 and isinstance(self, TensorBase)
        if not (plain and isinstance(mat1, TensorBase) and isinstance(mat2, TensorBase)):
            return slow(self, mat1, mat2, beta, alpha)
        row, a, b = self._data, mat1._data, mat2._data
        rows, columns = a.shape, b.shape
        fits = len(rows) == len(columns) == 2 and rows[1] == columns[0] != 1 and row.shape == columns[1:]
        if not (fits and a.dtype is b.dtype is row.dtype):
            return slow(self, mat1, mat2, beta, alpha)
        to_self, to_mat1, to_mat2 = edges = self._edge(), mat1._edge(), mat2._edge()
        if to_self is to_mat1 is to_mat2:  # None: nothing to record
            return slow(self, mat1, mat2, beta, alpha)
        try:
            z = dot(a, b)
        except TypeError:  # arrays on a GPU
            return slow(self, mat1, mat2, beta, alpha)
        z += row
        n, t = blank_node(cls, edges, ((row.shape, row.dtype), None, None)), blank()
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.saved_alpha, n.saved_beta, n.saved_mat1, n.saved_mat2 = alpha, beta, None, None
        if to_mat2 is not None:
            c = mat1._counter
            n.saved_mat1, n.version_mat1 = mat1, 0 if c is None else c[0]
        if to_mat1 is not None:
            c = mat2._counter
            n.saved_mat2, n.version_mat2 = mat2, 0 if c is None else c[0]
        n.saved_mat1_sym_sizes, n.saved_mat2_sym_sizes = rows, columns
        n.saved_mat1_sym_strides = a.strides if mat1.requires_grad else ()
        n.saved_mat2_sym_strides = b.strides if mat2.requires_grad else ()
        n.itemsize = a.itemsize
        return t

    return call


# ---- the walk where nobody looks on


def reach(root: Node, create_graph: bool) -> tuple[list[Node], dict[Any, int]] | None:
    """The nodes from `root` on, latest first, and what each leaf waits for; None if one is special."""
    nodes, seen, waits = [root], {root}, {}
    for node in nodes:  # grows while it is read
        if node.hooks is not None or node.wants_undefined:  # what a learner wrote may register hooks on its way
            if node.hooks is not None or not isinstance(node, Folded):
                return None
            node.choose(past_the_chain=not create_graph)
        for edge in node.paths:
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    nodes.append(edge)
            elif edge in waits:
                waits[edge] += 1
            elif edge is not None:
                if edge.__class__ is Port or edge._hooks is not None:
                    return None
                waits[edge] = 1
    nodes.sort(key=_latest_first, reverse=True)
    return nodes, waits


def walk(roots: Any, grads: Any, keep: bool, create_graph: bool, inputs: Any,
         captured: dict[Any, Any] | None) -> bool:
    """`engine.steps` in one loop, if the graph has no hooks and no ports; says whether it had none.

    `inputs`, where given, must be the leaves of the graph: then everything runs anyway.
    """
    root = roots[0]._edge() if len(roots) == 1 else None
    if not isinstance(root, Node) or (found := reach(root, create_graph)) is None:
        return False
    (nodes, waits), F = found, TENSORS if create_graph else RAW
    if inputs is not None and (captured is None or waits.keys() != set(inputs)):
        return False
    if create_graph and not Packed.used:  # unpack hooks have lines of their own
        recording_for.set(learners_frame())  # until `engine.run` ends
    arrived = {root: grads[0]}
    for node in nodes:
        received = arrived.pop(node, None)
        if received is None:
            sent = engine.nothing(node, keep)
        elif create_graph:
            sent = node.apply(received, TENSORS, keep)  # type: ignore[attr-defined]
        else:
            sent = node.apply_raw(received, keep)
        metas, index = node.metas, -1
        for edge in node.paths:
            index += 1  # half of what `enumerate` takes for one or two edges
            if edge is None:
                continue
            grad = sent[index]
            if metas is not None and grad is not None:
                grad = engine.fitted(grad, node, index, F)
            if edge not in waits:
                if grad is not None:
                    arrived[edge] = arrived[edge] + grad if edge in arrived else grad
                continue
            waits[edge] = left = waits[edge] - 1
            before = arrived.pop(edge, None)
            if grad is None:
                grad = before
            elif before is not None:
                grad = before + grad
            elif grad is received and not create_graph:
                grad = grad.copy()  # passed on unchanged: the leaf must own what it keeps
            if left:
                arrived[edge] = grad
            elif captured is not None:
                captured[edge] = grad
            elif grad is not None and edge._requires_grad:
                leaves.accumulate(edge, grad, create_graph)
    return True
