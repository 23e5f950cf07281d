"""A product of batches, `x @ w` or attention's `q @ k`, as one node until somebody looks behind it.

PyTorch records such a product as a chain: views that bring the factors into shape, MmBackward0 or
BmmBackward0, and UnsafeViewBackward0 on top. Here the one on top is made at once and knows both factors;
the others it makes when its `edges` are first read, with the numbers and the line that they would have
had. A backward that nobody watches (`fast.walk`) need not read them. As `fast`, only speed needs this.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..array.backend import ndarray, xp
from . import shapes
from .base import TensorBase
from .modes import grad_mode
from .node import Freed, Node, learners_line, next_seq
from .row import TABLE
from .views import view_of

_VIEWS = {True: ("expand", "view"), False: ("expand", "reshape_alias")}  # by whether a factor lies in order


class Factor:
    """A tensor in a product: `array`, its numbers in the product's shape, and `path`, where its gradient goes.

    `views` are the rows of the nodes on that path which are not made yet. Nothing is saved of a factor
    whose counterpart wants no gradient; afterwards a Freed stands for the tensor.
    """

    __slots__ = ("array", "path", "shape", "strides", "tensor", "version", "views")

    def __init__(self, tensor: Any, array: Any, path: Any, saved: bool, views: tuple[str, ...]) -> None:
        c, self.path, self.views = tensor._counter, path, views
        self.tensor, self.array = (tensor, array) if saved else (None, None)
        self.version = c[0] if saved and c is not None else 0
        self.shape, self.strides = tensor._data.shape, array.strides

    def ready(self) -> bool:
        """True if backward may read `array`. Where not, the node that is then made says why."""
        t = self.tensor
        if t is None:
            return True
        if isinstance(t, Freed) or (t._counter is not None and t._counter[0] != self.version):
            return False
        return bool(self.views) or (t._data is self.array and (t._fn is not None or t is self.path))

    def saved(self, fn: Any) -> Any:
        """What the product's node saves: the tensor, or a view of it with the grad_fn `fn`."""
        if self.array is None or not self.views:
            return self.tensor
        view = view_of(self.tensor, self.array)
        view._view.version = self.version  # what was written since then it has yet to find out
        return view if fn is None else shapes.attach(view, fn)

    def free(self) -> None:
        if self.tensor is not None:
            self.tensor, self.array = Freed.current, None


class Product(TABLE["unsafe_view"].node):  # type: ignore[misc, name-defined]
    """The node on top of the chain; `chain` is its one edge, None before somebody has looked."""

    __slots__ = ("chain", "left", "numbers", "product", "right")

    wants_undefined = property(lambda n: n.chain is None)  # so that `reach` looks twice

    @property
    def edges(self) -> tuple:
        return self.chain or self.unfold()

    @property
    def paths(self) -> tuple:
        """Past the chain to the right factor and then to the left, as it would go; or, once it is there, into it."""
        return self.chain or (self.right.path, self.left.path)

    def unfold(self) -> tuple:
        self.chain = (chain_behind(self),)
        self.left = self.right = None
        return self.chain

    def choose(self, past_the_chain: bool) -> None:
        """Make the chain now, unless a backward may go past it and finds the factors as they were."""
        if self.chain is None and not (past_the_chain and self.left.ready() and self.right.ready()):
            self.unfold()

    def apply_raw(self, grad: Any, keep: bool) -> tuple:
        """The gradients for `paths`."""
        grad = grad.reshape(self.saved_self_sym_sizes)
        if self.chain is not None:
            return (grad,)
        sent = product_back(self, grad)
        if not keep:
            self.free()
        return sent

    def free(self) -> None:
        for factor in (self.left, self.right) if self.chain is None else ():
            factor.free()


Product.__name__ = Product.__qualname__ = TABLE["unsafe_view"].grad_fn


def product_back(n: Any, grad: Any) -> tuple:
    """The derivatives of `mm` or `bmm` with respect to the right factor and to the left one."""
    left, right, times = n.left, n.right, ndarray.dot if grad.ndim == 2 else xp.matmul
    theirs = mine = None
    if right.path is not None:
        theirs = times(left.array.swapaxes(-1, -2), grad).reshape(right.shape)
    if left.path is not None:
        mine = times(grad, right.array.swapaxes(-1, -2)).reshape(left.shape)
    return theirs, mine


def chain_behind(n: Any) -> Node:
    """Make what the ordinary call would have made before it came to `n`; returns the product's node."""
    numbers, ends = iter(n.numbers), []

    def made(name: str, edges: tuple, **saved: Any) -> Any:
        node = TABLE[name].record_by_hand(edges, **saved)
        node.seq, node.code, node.lasti = next(numbers), n.code, n.lasti
        return node

    for factor in (n.left, n.right):
        end = factor.path
        for name in factor.views if end is not None else ():
            end = made(name, (end,), self_sym_sizes=factor.shape)
        ends.append(end)
    (left, right), (to_self, to_mat2) = (n.left, n.right), ends
    node = made(n.product, (to_self, to_mat2), self=left.saved(to_self), mat2=right.saved(to_mat2),
                self_sym_sizes=(n.saved_self_sym_sizes[0], left.shape[-1]), mat2_sym_sizes=right.shape,
                self_sym_strides=() if to_self is None else left.strides,
                mat2_sym_strides=() if to_mat2 is None else right.strides)  # fmt: skip
    node.version_self, node.version_mat2 = left.version, right.version
    if n.product == "mm":
        node.itemsize = left.strides[-1]
    return node


def batches_call(slow: Callable) -> Callable:
    """`self @ other` for batches that fit, recorded as one node; all else the slow call answers."""

    @wraps(slow)
    def call(self: Any, other: Any) -> Any:
        if grad_mode() is not True or not isinstance(other, TensorBase):
            return slow(self, other)
        to_self, to_other = self._edge(), other._edge()
        a, b = self._data, other._data
        rows, columns = a.shape, b.shape
        if len(rows) < 3 or len(columns) < 2 or (to_self is None and to_other is None) or a.dtype is not b.dtype:
            return slow(self, other)
        inner = rows[-1]
        plain = a.__class__ is b.__class__ is ndarray and a.size
        if not plain or inner != columns[-2] or min(rows[-2], inner, columns[-1]) < 2:
            return slow(self, other)  # of one row or column, signs of zero are minded
        if len(columns) == 2 and to_other is not None and a.flags.c_contiguous:
            kind, left, right, a = "mm", ("view",), (), a.reshape(-1, inner)
            z = a.dot(b)
        elif rows[:-2] == columns[:-2]:
            kind, left, right = "bmm", _VIEWS[a.flags.c_contiguous], _VIEWS[b.flags.c_contiguous]
            try:
                a, b = one_batch(a), one_batch(b)
            except ValueError:  # it has to be copied
                return slow(self, other)
            z = xp.matmul(a, b)
        else:
            return slow(self, other)
        n, t = Product(), shapes.blank()
        t._data, t._fn, t._requires_grad = z.reshape((*rows[:-1], columns[-1])), n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.product, n.metas, n.hooks, n.chain, n.saved_self_sym_sizes = kind, None, None, None, z.shape
        n.left = Factor(self, a, to_self, to_other is not None, left)
        n.right = Factor(other, b, to_other, to_self is not None, right)
        n.numbers = [next_seq() for factor in (n.left, n.right) if factor.path is not None for _ in factor.views]
        n.numbers.append(next_seq())
        n.seq = next_seq()
        n.code, n.lasti = learners_line()
        return t

    return call


def one_batch(a: Any) -> Any:
    """Batches of batches of matrices as one batch, on the same memory. Raises: ValueError where it cannot be."""
    return a if a.ndim == 3 else a.reshape(-1, *a.shape[-2:], copy=False)
