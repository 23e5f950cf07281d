"""Activations as torch takes them."""

from ..checks import need, own_dim, same_type
from ..table import activation as rows


def softmax(self, dim: int, dtype=None):
    """exp(x) divided by its sum along `dim`: numbers that sum to 1."""
    return rows.softmax_dim(self if dtype is None else self.to(dtype), own_dim(self, dim))


def log_softmax(self, dim: int, dtype=None):
    """The logarithm of softmax, computed without overflow."""
    return rows.log_softmax_dim(self if dtype is None else self.to(dtype), own_dim(self, dim))


def prelu(self, weight):
    """x where positive, else `weight * x`; one weight, or one per channel."""
    same_type(self._data, weight._data, said="prelu_types")
    count, channels = weight.numel(), self.shape[1] if self.ndim > 1 else 1
    need(count in (1, channels), "prelu_channels", count, channels)
    if weight.ndim != self.ndim:
        weight = weight.reshape([weight.numel() if i == 1 else 1 for i in range(self.ndim)])
    return rows.prelu_kernel(self, weight)


def polygamma_function(n: int, input):
    """Derivative number `n` of digamma."""
    return rows.polygamma(input, n)
