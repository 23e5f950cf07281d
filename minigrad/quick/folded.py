"""A chain of nodes recorded as its last one alone, which makes the others when somebody looks behind it.

PyTorch records a product of batches, or a cross entropy, as several nodes; most of their time goes into
being nodes. A folded one is the last of them. It takes their numbers and the learner's line at once; when
its `edges` are first read, it makes them as the ordinary call would have. A backward that nobody watches
(`walk`) need not read them: `paths` leads past the chain.
`Product` is such a chain (views that bring factors into shape, MmBackward0 or BmmBackward0, and
UnsafeViewBackward0 on top), `CrossEntropy` another (LogSoftmaxBackward0, and NllLossBackward0 on top).
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ..array.backend import ndarray, xp
from ..core.beside.lines import learners_line
from ..core.carriers import RAW
from ..core.graph import Freed, Node, TensorBase, attach, constant, latest, new, seqs
from ..core.modes import grad_mode
from ..core.row import TABLE
from ..core.writes.views import view_of
from .derivatives import laid_out
from .walk import derivatives

Node.paths = Node.edges  # type: ignore[attr-defined]  # the same slot; a folded node has a short cut there


class Folded:
    """What a folded node adds to its class; its `chain` is its one edge, None before somebody has looked.

    `seqs` are the numbers of the chain. Subclasses name their slots and say where the chain leads (`ends`),
    whether it may be passed (`ready`), what is then sent to its ends (`send_past`), and make it (`first_behind`).
    """

    __slots__ = ()
    wants_undefined = property(lambda n: n.chain is None)  # so that `walk.reach` looks twice

    @property
    def edges(self) -> tuple:
        return self.chain or self.unfold()

    @property
    def paths(self) -> tuple:
        """Past the chain, in the order in which it would go; or, once it is there, into it."""
        return self.chain or self.ends()

    def unfold(self) -> tuple:
        self.chain = (self.first_behind(iter(self.seqs)),)
        return self.chain

    def link(self, seqs: Iterator[int], name: str, edges: tuple, /, **saved: Any) -> Node:
        """A node of the chain, of the row `name`."""
        node = TABLE[name].record_by_hand(edges, **saved)
        node.seq, node.code, node.lasti = next(seqs), self.code, self.lasti
        return node

    def skip(self) -> tuple:
        return (None,) * len(self.ends()) if self.chain is None else super().skip()  # type: ignore[misc]


def apply_folded(n: Any, grad: Any, keep: bool) -> tuple:
    """The gradients for `paths`."""
    if n.chain is not None:
        return n.apply(grad, RAW, keep)
    sent = n.send_past(grad)
    if not keep:
        n.free()
    return sent


@functools.cache
def folded_node(kind: type, name: str) -> type:
    """The class of nodes of row `name` that are folded as `kind` says."""
    node = TABLE[name].node
    made = type(node.__name__, (kind, node), {"__slots__": kind.slots})
    derivatives[made] = apply_folded
    return made


# ---- products of batches: `x @ w`, attention's `q @ k`

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
            self.tensor, self.array = latest.freed, None


class Product(Folded):
    """The view on top of views of two factors and their product, which is of the row `product`."""

    __slots__, slots = (), ("chain", "left", "product", "right", "seqs")

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
            theirs = laid_out(times, left.array.swapaxes(-1, -2), grad, right.strides).reshape(right.shape)
        if left.path is not None:
            mine = laid_out(times, grad, right.array.swapaxes(-1, -2), left.strides).reshape(left.shape)
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


def batches(ordinary: Callable) -> Callable:
    """`self @ other` for batches that fit, recorded as one node; all else the ordinary call answers."""

    @functools.wraps(ordinary)
    def call(self: Any, other: Any) -> Any:
        if grad_mode() is not True or not isinstance(other, TensorBase):
            return ordinary(self, other)
        a, b = self._data, other._data
        rows, columns = a.shape, b.shape
        plain = a.__class__ is b.__class__ is ndarray and a.dtype is b.dtype and a.size
        if (not plain or len(rows) < 3 or len(columns) < 2 or rows[-1] != columns[-2]
                or min(*rows[-2:], columns[-1]) < 2):  # of one row or column, signs of zero are minded
            return ordinary(self, other)
        to_self, to_other = self._edge(), other._edge()  # a view that may not be read complains after the shapes
        if to_self is None and to_other is None:
            return ordinary(self, other)
        if len(columns) == 2 and to_other is not None and a.flags.c_contiguous:
            kind, left, right, a = "mm", ("view",), (), a.reshape(-1, rows[-1])
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
        n, t = folded_node(Product, "unsafe_view")(), new(TensorBase._plain)
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


# ---- the cross entropy of class numbers

_arange, _exp, _sum = xp.arange, xp.exp, xp.add.reduce
_LONG, _UNSIGNED = xp.dtype("int64"), xp.dtype("uint64")


class CrossEntropy(Folded):
    """The loss of `logs`, the log-probabilities, of which it picked those `at`; `logs` are None once freed."""

    __slots__, slots = (), ("at", "chain", "logs", "scores", "seqs")

    def __getattr__(self, name: str) -> Any:
        """`saved_self`, the tensor between the two nodes, is made with the chain."""
        if self.chain is not None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self.unfold()
        return getattr(self, name)

    def ends(self) -> tuple:
        return (self.scores,)

    def ready(self) -> bool:
        """True if backward may go on. Where not, the node that is then asked says why."""
        return self.logs is not None and (
            (c := self.saved_target._counter) is None or c[0] == self.version_target)

    def send_past(self, grad: Any) -> tuple:
        """The derivative with respect to the scores: the probabilities, less 1 where the target is."""
        share = grad / self.saved_total_weight if self.saved_reduction == 1 else grad  # 1: the mean, 2: the sum
        if share > 0:
            sent = _exp(self.logs)
            sent *= share
            sent.reshape(-1)[self.at] -= share
        else:  # step by step, for the signs of zeros
            sent = xp.zeros_like(self.logs)
            sent.reshape(-1)[self.at] = -share
            sent -= _exp(self.logs) * _sum(sent, 1, keepdims=True)
        return (sent,)

    def free(self) -> None:
        if self.chain is None:
            self.logs = self.at = None
            self.saved_self = self.saved_target = self.saved_total_weight = latest.freed
        else:
            Node.free(self)

    def first_behind(self, seqs: Iterator[int]) -> Node:
        """LogSoftmaxBackward0, and its result, which this node saved."""
        node: Any = self.link(seqs, "log_softmax", (self.scores,), dim=1, result=self.logs)
        node.counter_result, node.version_result = [0, ()], 0
        if self.logs is None:
            node.saved_result = self.saved_self
        else:
            between = constant(TensorBase._plain, self.logs, node.counter_result)
            self.saved_self, self.version_self = attach(between, node), 0
        self.logs = self.at = self.scores = None
        return node


def cross_entropy(ordinary: Callable) -> Callable:
    """The loss of rows of scores that all count, recorded as one node; all else the ordinary call answers."""
    log_softmax = TABLE["log_softmax"].forward

    @functools.wraps(ordinary)
    def call(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
        x, at = self._data, target._data
        edge = self._edge() if self.__class__ is TensorBase._plain and grad_mode() is True else None
        here = x.__class__ is at.__class__ is ndarray
        if edge is None or not here or weight is not None or not reduction or x.ndim != 2:
            return ordinary(self, target, weight, reduction, ignore_index)
        rows, classes = x.shape
        plain = rows and at.shape == (rows,) and at.dtype is _LONG and not 0 <= ignore_index < classes
        numbers = at.view(_UNSIGNED) if plain else at  # where -1 is too large as well
        if not plain or numbers.item(numbers.argmax()) >= classes:
            return ordinary(self, target, weight, reduction, ignore_index)
        n = folded_node(CrossEntropy, "nll_loss")()
        n.logs = y = log_softmax(x, 1)
        n.at = at = at + _arange(0, y.size, classes)
        gain, count = 0 - _sum(y.reshape(-1)[at]), x.dtype.type(rows)
        n.metas = n.hooks = n.chain = n.saved_weight = None
        n.scores, n.seqs, n.seq = edge, (next(seqs),), next(seqs)
        n.code, n.lasti = learners_line()
        n.saved_target, n.version_target = target, 0 if (c := target._counter) is None else c[0]
        n.saved_reduction, n.saved_ignore_index = reduction, ignore_index
        n.saved_total_weight, n.counter_total_weight, n.version_total_weight = count, [0, ()], 0
        return attach(constant(TensorBase._plain, gain / count if reduction == 1 else gain), n)

    return call
