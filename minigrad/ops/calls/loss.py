"""Losses that torch composes of others."""

from typing import Any

from ...core.op import composite
from ..table import activation, loss


@composite
def cross_entropy(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    """nll_loss of log_softmax: scores `(rows, classes)`, and for each row the number of its class."""
    return loss.nll_loss(activation.log_softmax_dim(self, 1), target, weight, reduction, ignore_index)[0]
