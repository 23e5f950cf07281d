"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from typing import Any
from .._tensor import Tensor
from ..array.random import Generator

__all__ = [
    "calculate_gain", "constant", "constant_", "kaiming_normal", "kaiming_normal_", "kaiming_uniform",
    "kaiming_uniform_", "normal", "normal_", "ones_", "orthogonal", "orthogonal_", "uniform", "uniform_",
    "xavier_normal", "xavier_normal_", "xavier_uniform", "xavier_uniform_", "zeros_",
]


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """How much a nonlinearity shrinks values on average, as the factor that makes up for it."""
def constant(*args: Any, **options: Any) -> Any:
    """One number everywhere."""
def constant_(tensor: Tensor, val: Tensor | float) -> Tensor:
    """One number everywhere."""
def kaiming_normal(*args: Any, **options: Any) -> Any:
    """As kaiming_uniform_, with normal numbers."""
def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = 'fan_in', nonlinearity: str = 'leaky_relu', generator: Any = None,
) -> Tensor:
    """As kaiming_uniform_, with normal numbers."""
def kaiming_uniform(*args: Any, **options: Any) -> Any:
    """Even numbers whose spread makes up for a relu (He)."""
def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = 'fan_in', nonlinearity: str = 'leaky_relu',
    generator: int | Generator | None = None,
) -> Tensor:
    """Even numbers whose spread makes up for a relu (He)."""
def normal(*args: Any, **options: Any) -> Any:
    """Normal numbers."""
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: int | Generator | None = None) -> Tensor:
    """Normal numbers."""
def ones_(tensor: Tensor) -> Tensor:
    """One everywhere."""
def orthogonal(*args: Any, **options: Any) -> Any:
    """Rows, or columns where these are fewer, at right angles to each other and of length `gain`."""
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Rows, or columns where these are fewer, at right angles to each other and of length `gain`."""
def uniform(*args: Any, **options: Any) -> Any:
    """Even numbers of `[a, b)`."""
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: int | Generator | None = None) -> Tensor:
    """Even numbers of `[a, b)`."""
def xavier_normal(*args: Any, **options: Any) -> Any:
    """As xavier_uniform_, with normal numbers."""
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: int | Generator | None = None) -> Tensor:
    """As xavier_uniform_, with normal numbers."""
def xavier_uniform(*args: Any, **options: Any) -> Any:
    """Even numbers whose spread keeps the size of values through layer and gradient (Glorot)."""
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: int | Generator | None = None) -> Tensor:
    """Even numbers whose spread keeps the size of values through layer and gradient (Glorot)."""
def zeros_(tensor: Tensor) -> Tensor:
    """Zero everywhere."""
