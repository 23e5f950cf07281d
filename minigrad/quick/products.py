"""Products of matrices and of batches written out: `x @ w`, a linear layer, attention's `q @ k`.

Two matrices that fit are recorded as their row would. PyTorch records a product of batches as a chain: views
that bring the factors into shape, MmBackward0 or BmmBackward0, and UnsafeViewBackward0 on top; here the one
on top knows both factors (`folded`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from ..array.backend import ndarray, xp
from ..core.beside.lines import learners_line
from ..core.graph import Freed, Node, TensorBase, attach, constant, new, new_node, results_modules, seqs
from ..core.modes import grad_mode
from ..core.row import TABLE, Row
from ..core.writes.views import view_of
from .folded import Folded, folded_node

Tensor: Any = TensorBase  # the class of results, once there is one: see `results_are`
results_modules.append(__name__)
dot = ndarray.dot

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
        return view if fn is None else attach(view, fn)

    def free(self) -> None:
        if self.tensor is not None:
            self.tensor, self.array = Freed.current, None


class Product(Folded):
    """The view on top of views of two factors and their product, which is of the row `product`."""

    __slots__ = ()
    slots = ("chain", "left", "product", "right", "seqs")

    def ends(self) -> tuple:
        return self.right.path, self.left.path

    def ready(self) -> bool:
        return self.left.ready() and self.right.ready()

    def send_past(self, grad: Any) -> tuple:
        """The derivatives of `mm` or `bmm` with respect to the right factor and to the left one."""
        grad, left, right = grad.reshape(self.saved_self_sym_sizes), self.left, self.right
        times = ndarray.dot if grad.ndim == 2 else xp.matmul
        theirs = mine = None
        if right.path is not None:
            theirs = times(left.array.swapaxes(-1, -2), grad).reshape(right.shape)
        if left.path is not None:
            mine = times(grad, right.array.swapaxes(-1, -2)).reshape(left.shape)
        return theirs, mine

    def free(self) -> None:
        for factor in (self.left, self.right) if self.chain is None else ():
            factor.free()

    def first_behind(self, seqs: Iterator[int]) -> Node:
        """Make what the ordinary call would have made before it came to this node."""
        ends, (left, right) = [], (self.left, self.right)
        for factor in (left, right):
            end = factor.path
            for name in factor.views if end is not None else ():
                end = self.link(seqs, name, (end,), self_sym_sizes=factor.shape)
            ends.append(end)
        to_self, to_mat2 = ends
        node: Any = self.link(
            seqs, self.product, (to_self, to_mat2), self=left.saved(to_self), mat2=right.saved(to_mat2),
            self_sym_sizes=(self.saved_self_sym_sizes[0], left.shape[-1]), mat2_sym_sizes=right.shape,
            self_sym_strides=() if to_self is None else left.strides,
            mat2_sym_strides=() if to_mat2 is None else right.strides)
        node.version_self, node.version_mat2 = left.version, right.version
        if self.product == "mm":
            node.itemsize = left.strides[-1]
        self.left = self.right = None
        return node


def matrices(row: Row, ordinary: Callable) -> Callable:
    """`mm` of two matrices that fit."""
    cls = row.node

    @wraps(ordinary)
    def call(self: Any, other: Any) -> Any:
        if grad_mode() is not True or (other.__class__ is not Tensor and not isinstance(other, TensorBase)):
            return ordinary(self, other)
        a, b = self._data, other._data
        rows, columns = a.shape, b.shape
        if not (len(rows) == len(columns) == 2 and rows[1] == columns[0] != 1):  # mm minds signs
            return ordinary(self, other)
        if self._view is not None:
            self._view.refresh(self)
        if other._view is not None:
            other._view.refresh(other)
        to_self = self._fn or (self if self._requires_grad else None)
        to_mat2 = other._fn or (other if other._requires_grad else None)
        if (to_self is None and to_mat2 is None) or a.dtype is not b.dtype:
            return ordinary(self, other)
        try:
            z = dot(a, b)
        except TypeError:  # arrays on a GPU
            return ordinary(self, other)
        n, t = cls(), new(Tensor)
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.edges, n.metas, n.hooks = (to_self, to_mat2), None, None
        n.seq = next(seqs)
        n.code, n.lasti = learners_line()
        n.saved_self = n.saved_mat2 = None
        if to_mat2 is not None:
            c = self._counter
            n.saved_self, n.version_self = self, 0 if c is None else c[0]
        if to_self is not None:
            c = other._counter
            n.saved_mat2, n.version_mat2 = other, 0 if c is None else c[0]
        n.saved_self_sym_sizes, n.saved_mat2_sym_sizes = rows, columns
        n.saved_self_sym_strides = () if to_self is None else a.strides
        n.saved_mat2_sym_strides = () if to_mat2 is None else b.strides
        n.itemsize = a.itemsize
        return t

    return call


def matmul(ordinary: Callable) -> Callable:
    """`self @ other`: of matrices, of batches, or what the ordinary call makes of it."""
    return matrices(TABLE["mm"], batches(ordinary))


def linear_layer(row: Row, ordinary: Callable) -> Callable:
    """`addmm` of two matrices that fit and a row that is added to their product."""

    @wraps(ordinary)
    def call(self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        plain = grad_mode() is True and beta == alpha == 1 and isinstance(self, TensorBase)
        if not (plain and isinstance(mat1, TensorBase) and isinstance(mat2, TensorBase)):
            return ordinary(self, mat1, mat2, beta, alpha)
        bias, a, b = self._data, mat1._data, mat2._data
        rows, columns = a.shape, b.shape
        fits = len(rows) == len(columns) == 2 and rows[1] == columns[0] != 1 and bias.shape == columns[1:]
        if not (fits and a.dtype is b.dtype is bias.dtype):
            return ordinary(self, mat1, mat2, beta, alpha)
        to_self, to_mat1, to_mat2 = edges = self._edge(), mat1._edge(), mat2._edge()
        if to_self is to_mat1 is to_mat2:  # None: nothing to record
            return ordinary(self, mat1, mat2, beta, alpha)
        try:
            z = dot(a, b)
        except TypeError:  # arrays on a GPU
            return ordinary(self, mat1, mat2, beta, alpha)
        z += bias
        n = new_node(row.node, edges, ((bias.shape, bias.dtype), None, None))
        t = attach(constant(Tensor, z), n)
        row.save(n, (self, mat1, mat2, beta, alpha), z, t)
        return t

    return call


def batches(ordinary: Callable) -> Callable:
    """`self @ other` for batches that fit, recorded as one node; all else the ordinary call answers."""

    @wraps(ordinary)
    def call(self: Any, other: Any) -> Any:
        if grad_mode() is not True or not isinstance(other, TensorBase):
            return ordinary(self, other)
        to_self, to_other = self._edge(), other._edge()
        a, b = self._data, other._data
        rows, columns = a.shape, b.shape
        if len(rows) < 3 or len(columns) < 2 or (to_self is None and to_other is None) or a.dtype is not b.dtype:
            return ordinary(self, other)
        inner = rows[-1]
        plain = a.__class__ is b.__class__ is ndarray and a.size
        if not plain or inner != columns[-2] or min(rows[-2], inner, columns[-1]) < 2:
            return ordinary(self, other)  # of one row or column, signs of zero are minded
        if len(columns) == 2 and to_other is not None and a.flags.c_contiguous:
            kind, left, right, a = "mm", ("view",), (), a.reshape(-1, inner)
            z = a.dot(b)
        elif rows[:-2] == columns[:-2]:
            kind, left, right = "bmm", _VIEWS[a.flags.c_contiguous], _VIEWS[b.flags.c_contiguous]
            try:
                a, b = one_batch(a), one_batch(b)
            except ValueError:  # it has to be copied
                return ordinary(self, other)
            z = xp.matmul(a, b)
        else:
            return ordinary(self, other)
        n, t = folded_node(Product, "unsafe_view")(), new(Tensor)
        t._data, t._fn, t._requires_grad = z.reshape((*rows[:-1], columns[-1])), n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.product, n.metas, n.hooks, n.chain, n.saved_self_sym_sizes = kind, None, None, None, z.shape
        n.left = Factor(self, a, to_self, to_other is not None, left)
        n.right = Factor(other, b, to_other, to_self is not None, right)
        n.seqs = [next(seqs) for factor in (n.left, n.right) if factor.path is not None for _ in factor.views]
        n.seqs.append(next(seqs))
        n.seq = next(seqs)
        n.code, n.lasti = learners_line()
        return t

    return call


def one_batch(a: Any) -> Any:
    """Batches of batches of matrices as one batch, on the same memory. Raises: ValueError where it cannot be."""
    return a if a.ndim == 3 else a.reshape(-1, *a.shape[-2:], copy=False)
