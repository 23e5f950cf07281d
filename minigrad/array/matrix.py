"""What NumPy's linear algebra lacks: LU factors with their row swaps, an inverse from them, the exponential."""

import math
from typing import Any

from .backend import namespace, xp


def lu(A: Any) -> tuple:
    """LU factors in one matrix and the row swaps, counted from 1 as LAPACK does; batches too."""
    whole, swaps = A.copy(), namespace(A).empty(A.shape[:-1], "int32")
    swaps[...] = namespace(A).arange(1, A.shape[-1] + 1)
    for at in xp.ndindex(*A.shape[:-2]):
        M, pivots = whole[at], swaps[at]
        for k in range(len(M) - 1):
            p = k + int(xp.absolute(M[k:, k]).argmax())
            if p != k:
                pivots[k], M[[k, p]] = p + 1, M[[p, k]]
            if M[k, k]:
                M[k + 1 :, k] /= M[k, k]
                M[k + 1 :, k + 1 :] -= M[k + 1 :, k, None] * M[k, k + 1 :]
    return whole, swaps


def inverse_of_lu(LU: Any, pivots: Any) -> Any:
    """The inverse of a matrix from its LU factors; a pivot of 0 counts as a hair more, as in torch."""
    one, pivot = namespace(LU).eye(LU.shape[-1], dtype=LU.dtype), xp.diagonal(LU, 0, -2, -1)
    rows = xp.broadcast_to(one, LU.shape).copy()
    for at in xp.ndindex(*LU.shape[:-2]):
        for k, p in enumerate(pivots[at] - 1):
            rows[at][[k, p]] = rows[at][[p, k]]
    upper = xp.triu(LU) + one * xp.where(pivot == 0, xp.finfo(LU.dtype).eps, 0).astype(LU.dtype)[..., None]
    return xp.linalg.inv(upper) @ (xp.linalg.inv(xp.tril(LU, -1) + one) @ rows)


def first_minor(A: Any) -> int:
    """How large the first leading minor is that is not positive; only the lower triangles are looked at."""
    whole = (xp.tril(A) + xp.tril(A, -1).mT).reshape(-1, *A.shape[-2:])
    return next((k for M in whole for k in range(1, len(M) + 1)
                 if not (xp.isfinite(M[:k, k - 1]).all() and xp.linalg.det(M[:k, :k]) > 0)), A.shape[-1])


def exponential(A: Any) -> Any:
    """The sum of `A^k / k!`, for a matrix halved until that converges at once, then squared as often."""
    kind, A = A.dtype, A.astype("float64")  # squaring doubles what was rounded
    halvings = max(math.frexp(float(xp.absolute(A).sum(-2).max()) if A.size else 0.0)[1] + 1, 0)
    small, eye = A / 2**halvings, namespace(A).eye(A.shape[-1])
    total = eye + xp.zeros_like(A)
    for k in range(16, 0, -1):
        total = eye + small @ total / k
    for _ in range(halvings):
        total = total @ total
    return total.astype(kind)
