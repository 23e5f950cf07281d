"""The cross entropy of class numbers as one node until somebody looks behind it.

PyTorch records NllLossBackward0 on top of LogSoftmaxBackward0. Here the one on top knows the scores and
the logarithms that it was computed from: see `folded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from ..array.backend import ndarray, xp
from ..core.beside.lines import learners_line
from ..core.graph import Freed, Node, TensorBase, attach, constant, results_modules, seqs
from ..core.modes import grad_mode
from ..core.row import TABLE
from .folded import Folded, folded_node

Tensor: Any = TensorBase  # the class of results, once there is one: see `results_are`
results_modules.append(__name__)

_arange, _exp, _sum = xp.arange, xp.exp, xp.add.reduce
_LONG, _UNSIGNED = xp.dtype("int64"), xp.dtype("uint64")
_MEAN = 1


class CrossEntropy(Folded):
    """The loss of `logs`, the log-probabilities, of which it picked those `at`; `logs` are None once freed."""

    __slots__ = ()
    slots = ("at", "chain", "logs", "scores", "seqs")

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
        if self.logs is None:
            return False
        c = self.saved_target._counter
        return c is None or c[0] == self.version_target

    def send_past(self, grad: Any) -> tuple:
        """The derivative with respect to the scores: the probabilities, less 1 where the target is."""
        share = grad / self.saved_total_weight if self.saved_reduction == _MEAN else grad
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
            self.saved_self = self.saved_target = self.saved_total_weight = Freed.current
        else:
            Node.free(self)

    def first_behind(self, seqs: Iterator[int]) -> Node:
        """LogSoftmaxBackward0, and its result, which this node saved."""
        node: Any = self.link(seqs, "log_softmax", (self.scores,), dim=1, result=self.logs)
        node.counter_result, node.version_result = [0, ()], 0
        if self.logs is None:
            node.saved_result = self.saved_self
        else:
            between = constant(Tensor, self.logs, node.counter_result)
            self.saved_self, self.version_self = attach(between, node), 0
        self.logs = self.at = self.scores = None
        return node


def cross_entropy(ordinary: Callable) -> Callable:
    """The loss of rows of scores that all count, recorded as one node; all else the ordinary call answers."""
    log_softmax = TABLE["log_softmax"].forward

    @wraps(ordinary)
    def call(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
        x, at = self._data, target._data
        edge = self._edge() if self.__class__ is Tensor and grad_mode() is True else None
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
        c = target._counter
        n.saved_target, n.version_target = target, 0 if c is None else c[0]
        n.saved_reduction, n.saved_ignore_index = reduction, ignore_index
        n.saved_total_weight, n.counter_total_weight, n.version_total_weight = count, [0, ()], 0
        return attach(constant(Tensor, gain / count if reduction == _MEAN else gain), n)

    return call
