"""torch.linalg: factorisations, solutions and norms. The rows are in `minigrad.ops.linalg`."""

from typing import Any

from ..ops.linalg import (
    LinAlgError,
    cholesky,
    cross,
    det,
    eigh,
    eigvalsh,
    lstsq,
    matmul,
    matrix_norm,
    matrix_power,
    matrix_rank,  # fmt: skip
    multi_dot,
    pinv,
    qr,
    svd,
    svdvals,
    vecdot,
    vector_norm,
)
from ..ops.linalg import inverse as inv
from ..ops.linalg import linalg_cross as cross
from ..ops.linalg import linalg_norm as norm
from ..ops.linalg import linalg_slogdet as slogdet
from ..ops.linalg import solve_of as solve
from ..ops.shape import diagonal
from ..text import presentation

__all__ = ["LinAlgError", "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "lstsq",
           "matmul", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr",
           "slogdet", "solve", "svd", "svdvals", "vecdot", "vector_norm"]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise presentation.no_attribute("torch.linalg", __all__, name)
