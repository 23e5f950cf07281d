"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from collections.abc import Sequence
from numpy import ndarray
from typing import Any
from .._tensor import (
    Tensor, return_types_linalg_eigh, return_types_linalg_lstsq, return_types_linalg_qr,
    return_types_linalg_slogdet, return_types_linalg_svd,
)
from ..array.backend import device
from ..array.dtypes import dtype
from ..ops.kernels.linalg import LinAlgError as LinAlgError

__all__ = [
    "LinAlgError", "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "lstsq", "matmul",
    "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "norm", "pinv", "qr", "slogdet", "solve", "svd",
    "svdvals", "vecdot", "vector_norm",
]


def cholesky(self: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangle L with `L @ L.T` equal to the matrix. Raises: LinAlgError if there is none."""
def cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """The vector product along a dimension of length 3, the last by default."""
def det(A: Tensor) -> Tensor:
    """The determinant."""
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of the matrices in a batch; a view."""
def eigh(A: Tensor, UPLO: str = 'L') -> return_types_linalg_eigh:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
def eigvalsh(A: Tensor, UPLO: str = 'L') -> Tensor:
    """The eigenvalues of a symmetric matrix."""
def inv(self: Tensor) -> Tensor:
    """The inverse of a square matrix. Raises: LinAlgError if it is singular."""
def lstsq(A: Tensor, B: Tensor) -> return_types_linalg_lstsq:
    """The least-squares solution of `A @ X = B`."""
def matmul(self: Tensor, other: Tensor) -> Tensor:
    """`self @ other` for vectors, matrices and batches, with torch's choice of node for each."""
def matrix_exp(input: Tensor) -> Tensor:
    """`linalg_matrix_exp`, as torch has it."""
def matrix_norm(
    A: Tensor, ord: Tensor | float | Sequence[int] | Sequence[Tensor] | str = 'fro', dim: int | Sequence[int] = ...,
    keepdim: bool = False,
) -> Tensor:
    """A norm of matrices: "fro", "nuc", 1, 2, inf and their negatives."""
def matrix_power(self: Tensor, n: int) -> Tensor:
    """The product of `n` copies of a square matrix, by repeated squaring."""
def matrix_rank(A: Tensor) -> Tensor:
    """How many singular values are not (nearly) 0."""
def norm(
    A: Tensor, ord: Tensor | float | Sequence[int] | Sequence[Tensor] | str | None = None,
    dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
    dtype: Tensor | float | dtype | device | type[Any] | None = None,
) -> Tensor:
    """A vector norm, or a matrix norm where `ord` or two dimensions ask for one."""
def pinv(A: Tensor) -> Tensor:
    """The pseudo-inverse."""
def qr(A: Tensor, mode: str = 'reduced') -> return_types_linalg_qr:
    """`Q` with orthogonal columns and upper triangular `R`, `A = Q @ R`."""
def slogdet(A: Tensor) -> return_types_linalg_slogdet:
    """Sign and logarithm of the size of the determinant."""
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solution X of `A @ X = B` (or of `X @ A = B`)."""
def svd(A: Tensor, full_matrices: bool = True) -> return_types_linalg_svd:
    """`U`, `S`, `Vh` with `A = U @ diag(S) @ Vh`."""
def svdvals(A: Tensor) -> Tensor:
    """The singular values."""
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The scalar product along `dim`."""
def vector_norm(
    x: Tensor | ndarray[Any, Any], ord: float = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
    dtype: Tensor | float | dtype | device | type[Any] | None = None,
) -> Tensor:
    """The norm of all elements taken as one vector, or along `dim`."""
