"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from collections.abc import Sequence
from numpy import ndarray, number
from typing import Any
from ._tensor import Tensor
from .array.backend import device
from .array.dtypes import dtype

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "log_softmax", "logit",
    "logsumexp", "polygamma", "psi", "round", "sinc", "softmax", "xlogy",
]


def digamma(input: Tensor) -> Tensor:
    """`digamma`, as torch has it."""
def erf(input: Tensor) -> Tensor:
    """`erf`, as torch has it."""
def erfc(input: Tensor) -> Tensor:
    """`erfc`, as torch has it."""
def erfinv(input: Tensor) -> Tensor:
    """`erfinv`, as torch has it."""
def exp2(input: Tensor) -> Tensor:
    """`exp2`, as torch has it."""
def expit(input: Tensor) -> Tensor:
    """`sigmoid`, as torch has it."""
def expm1(input: Tensor) -> Tensor:
    """`expm1`, as torch has it."""
def gammaln(input: Tensor) -> Tensor:
    """`lgamma`, as torch has it."""
def log1p(input: Tensor) -> Tensor:
    """`log1p`, as torch has it."""
def log_softmax(self: Tensor, dim: int, dtype: Tensor | float | dtype | device | type[Any] | None = None) -> Tensor:
    """The logarithm of softmax, computed without overflow."""
def logit(self: Tensor | ndarray[Any, Any], eps: Tensor | float | number[Any] | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of sigmoid; x is first brought into `[eps, 1 - eps]` if given."""
def logsumexp(self: Tensor, dim: int | Sequence[int] | None, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials along `dim`, without overflow."""
def polygamma(n: int, input: Tensor | ndarray[Any, Any]) -> Tensor:
    """Derivative number `n` of digamma."""
def psi(input: Tensor) -> Tensor:
    """`digamma`, as torch has it."""
def round(self: Tensor, *, decimals: int | None = None) -> Tensor:
    """Round to the nearest integer, halves to even; or to `decimals` places."""
def sinc(input: Tensor) -> Tensor:
    """`sinc`, as torch has it."""
def softmax(self: Tensor, dim: int, dtype: Tensor | float | dtype | device | type[Any] | None = None) -> Tensor:
    """exp(x) divided by its sum along `dim`: numbers that sum to 1."""
def xlogy(input: Tensor | float | number[Any], other: Tensor | float | number[Any]) -> Tensor:
    """`xlogy`, as torch has it."""
