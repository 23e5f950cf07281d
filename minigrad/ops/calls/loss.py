"""Losses that torch composes of others."""

from ...core.op import composite
from ..table import activation, loss


@composite
def cross_entropy(self, target, weight, reduction: int, ignore_index: int):
    """nll_loss of log_softmax: scores `(rows, classes)`, and for each row the number of its class."""
    return loss.nll_loss(activation.log_softmax_dim(self, 1), target, weight, reduction, ignore_index)[0]
