"""torch.linalg: factorisations, solutions and norms, thin over the rows of `minigrad.ops.table`.

Knows torch's names and the tuples in which several results come; the mathematics is in the rows.
"""

from typing import Any

from ..array.backend import namespace, xp
from ..core.carriers import TENSORS
from ..core.graph import constant
from ..manual import face
from ..ops.calls.linalg import det, inverse as inv, matmul, matrix_norm, matrix_power, svdvals
from ..ops.calls.reduce import named
from ..ops.checks import dims_of, need, require, same_type
from ..ops.kernels.linalg import LinAlgError
from ..ops.table import linalg as rows, shape
from ..ops.table.linalg import matrix_exp
from ..ops.table.reduce import vector_norm as vector_norm_row
from ..text import torch_names
from ..wording import worded

_linalg_slogdet_type = named("linalg_slogdet", "sign", "logabsdet")
_eigh_type = named("linalg_eigh", "eigenvalues", "eigenvectors")
_qr_type, _svd_type = named("linalg_qr", "Q", "R"), named("linalg_svd", "U", "S", "Vh")
_lstsq_type = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def cholesky(self: Any, *, upper: bool = False) -> Any:
    """The lower triangle L with `L @ L.T` equal to the matrix. Raises: LinAlgError if there is none."""
    return rows.cholesky_ex(self, upper)[0]


def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of the matrices in a batch; a view."""
    return shape.diagonal(A, offset, dim1, dim2)


def eigh(A: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    return _eigh_type(rows.eigh_of(A, UPLO))


def eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric matrix."""
    return rows.eigh_of(A, UPLO)[0]


def svd(A: Any, full_matrices: bool = True) -> Any:
    """`U`, `S`, `Vh` with `A = U @ diag(S) @ Vh`."""
    return _svd_type(rows.svd_of(A, full_matrices, min(A.shape[-2:])))


def qr(A: Any, mode: str = "reduced") -> Any:
    """`Q` with orthogonal columns and upper triangular `R`, `A = Q @ R`."""
    return _qr_type(rows.qr_of(A, mode))


def pinv(A: Any) -> Any:
    """The pseudo-inverse."""
    return rows.pinv_of(A)


def lstsq(A: Any, B: Any) -> Any:
    """The least-squares solution of `A @ X = B`."""
    same_type(A._data, B._data, said="lstsq_types")
    empty = TENSORS.zeros_as(A, (0,))
    return _lstsq_type((rows.lstsq_of(A, B)[0], empty, matrix_rank(A), empty))


def matrix_rank(A: Any) -> Any:
    """How many singular values are not (nearly) 0."""
    return constant(A._plain, namespace(A._data).asarray(xp.linalg.matrix_rank(A._data)))


def vector_norm(x: Any, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of all elements taken as one vector, or along `dim`."""
    x = x if dtype is None else x.to(dtype)
    return vector_norm_row(x, ord, None if dim is None else dims_of(x, dim), keepdim)


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """A vector norm, or a matrix norm where `ord` or two dimensions ask for one."""
    A = A if dtype is None else A.to(dtype)
    need(dim is not None or ord is None or A._data.ndim in (1, 2), "norm_dims", A._data.ndim)
    matrix = isinstance(ord, str) or (isinstance(dim, tuple | list) and len(dim) == 2)
    if ord is not None and (matrix or (dim is None and A._data.ndim == 2)):
        return TENSORS.matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim)
    return vector_norm(A, 2.0 if ord is None else ord, dim, keepdim)


def slogdet(A: Any) -> Any:
    """Sign and logarithm of the size of the determinant."""
    return _linalg_slogdet_type(rows.slogdet_of(A)[:2])


def solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """The solution X of `A @ X = B` (or of `X @ A = B`)."""
    return rows.solve_ex(A, B, left)[0]


def vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """The scalar product along `dim`."""
    same_type(x._data, y._data, said="vecdot_types")
    return x.vdot(y) if x.ndim == y.ndim == 1 else (x * y).sum(dim)


def cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """The vector product along a dimension of length 3, the last by default."""
    return rows.cross_of(input, other, dim)


for _name in torch_names()["torch.linalg"] & globals().keys() - {"LinAlgError"}:  # refused in torch's words
    globals()[_name] = worded(f"torch.linalg_{_name}", globals()[_name], name=_name)
__getattr__, __dir__ = face("torch.linalg", globals())
