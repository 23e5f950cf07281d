"""Matrix products and the linear algebra of teaching."""

from __future__ import annotations

import math
from typing import Any

from ..array import dtypes
from ..array.backend import in_order, namespace, xp
from ..core.carriers import RAW, TENSORS, Symbol, formula, phrase, symbol
from ..core.graph import TensorBase, constant
from ..core.op import composite, op
from ..core.writes.inplace import inplace
from ..text import presentation
from .checks import check_dim, dims_of, require, same_type
from .pointwise import mul, times
from .reduce import common_shape, floats_only, kind_of, named, vector_norm


def _product(a: Any, b: Any) -> Any:
    """`a.dot(b)` with zeros signed as torch signs them: sums start at +0, single products are exact."""
    if a.shape[-1] != 1:
        return a.dot(b)
    return a * b if b.ndim == 2 and a.shape[0] > 1 and b.shape[1] > 1 else a.dot(b) + 0


def _mm(self: Any, mat2: Any) -> Any:
    require(self.ndim == 2, "self must be a matrix")
    require(mat2.ndim == 2, "mat2 must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        a, b = ("x".join(map(str, x.shape)) for x in (self, mat2))
        raise presentation.error(RuntimeError, "matmul_shapes", "mat1 and mat2 shapes cannot be multiplied "
                                 f"({a} and {b})", shapes=(self.shape, mat2.shape))
    same_type(self, mat2, said="expected m1 and m2 to have the same dtype, but got: {c[0]} != {c[1]}")
    return _product(self, mat2)


def _product_of(self: Any, mat: Any, vec: Any) -> Any:
    """`mat @ vec`, to be added to `self`; mv gives its vector for that, as torch does."""
    require(self.ndim < 2 == mat.ndim and vec.ndim == 1, "vector + matrix @ vector expected, got "
            f"{self.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or (self is not vec and self.shape not in ((), (1,), mat.shape[:1])):
        raise presentation.error(RuntimeError, "matmul_shapes",
            f"size mismatch, got input ({(mat if self is vec else self).shape[0]}), "
            f"mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})", shapes=(mat.shape, vec.shape))
    same_type(self, mat, vec, said="addmv input tensors must have the same dtype, but got {0}, {1}, and {2}")
    return _product(mat, vec)


def _dot(self: Any, tensor: Any) -> Any:
    require(self.ndim == tensor.ndim == 1, f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    same_type(self, tensor, said="dot : expected both vectors to have same dtype, but found {0} and {1}")
    if self.size != tensor.size:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{self.size}] and src [{tensor.size}] to have "
                           f"the same number of elements, but got {self.size} and {tensor.size} elements respectively")
    return _product(self, tensor)


def _addmm(self: Any, mat1: Any, mat2: Any, beta: float = 1, alpha: float = 1) -> Any:
    _check_added(self, mat1, mat2)
    product = _mm(mat1, mat2)
    if alpha != 1 or beta != 1:
        return _joined(self, product, beta, alpha)
    try:
        product += self
    except ValueError:
        RAW.expand(self, product.shape)  # refuses it in torch's words
    return product


def _joined(self: Any, product: Any, beta: float, alpha: float) -> Any:
    """beta * self + alpha * product; what counts 0 times may be nan."""
    a, b = dtypes.promote(RAW.expand(self, product.shape), product)
    return (times(a, beta) if beta else xp.zeros_like(a)) + (times(b, alpha) if alpha else xp.zeros_like(b))


def _check_added(self: Any, mat1: Any, mat2: Any) -> None:
    if not self.dtype == mat1.dtype == mat2.dtype:
        same_type(self, mat2, said="self and mat2 must have the same dtype, but got {0} and {1}")
        same_type(mat1, mat2, said="mat1 and mat2 must have the same dtype, but got {0} and {1}")


def _addbmm(self: Any, batch1: Any, batch2: Any, beta: float = 1, alpha: float = 1) -> Any:
    _check_added(self, batch1, batch2)
    return _joined(self, _bmm(batch1, batch2).sum(0, self.dtype), beta, alpha)


def _addr(self: Any, vec1: Any, vec2: Any, beta: float = 1, alpha: float = 1) -> Any:
    _check_vectors("addr", vec1=vec1, vec2=vec2)
    return _joined(self, xp.outer(*dtypes.promote(vec1, vec2)), beta, alpha)


def _check_vectors(name: str, **vectors: Any) -> None:
    for word, x in vectors.items():
        require(x.ndim == 1, f"{name}: Expected 1-D argument {word}, but got {x.ndim}-D")


def _baddbmm(self: Any, batch1: Any, batch2: Any, beta: float = 1, alpha: float = 1) -> Any:
    if self.dtype != batch1.dtype:
        same_type(self, batch1, batch2, said="Input dtypes must be the same, got: input {c[0]}, batch1: {c[1]}, "
                  "batch2: {c[2]}")
    return _joined(self, _bmm(batch1, batch2), beta, alpha)


def _bmm(self: Any, mat2: Any) -> Any:
    require(self.ndim == 3, "batch1 must be a 3D tensor")
    require(mat2.ndim == 3, "batch2 must be a 3D tensor")
    (count, _, inner), sizes = self.shape, mat2.shape
    if sizes[:2] != (count, inner):
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{count}, {inner}] but got: {list(sizes[:2])}.")
    same_type(self, mat2)
    return xp.matmul(self, mat2)


def _cross(self: Any, other: Any, dim: int = -1) -> Any:
    same_type(self, other)
    require(self.ndim == other.ndim, "linalg.cross: inputs must have the same number of dimensions.")
    require(self.ndim, f"Dimension specified as {dim} but tensor has no dimensions", IndexError)
    check_dim(dim, self.ndim)
    require(self.shape[dim] == other.shape[dim] == 3, f"linalg.cross: inputs dimension {dim} must have length 3. Got "
            f"{self.shape[dim]} and {other.shape[dim]}")
    return in_order(xp.cross(self, other, axis=dim))


# ---- forwards of the factorisations


class LinAlgError(RuntimeError):
    """A matrix does not allow what was asked for. Source: torch.linalg.LinAlgError."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def _matrix(name: str, A: Any) -> Any:
    """`A`, if it holds matrices of floats."""
    require(A.ndim >= 2, f"{name}: The input tensor A must have at least 2 dimensions.")
    floats_only(name, A)
    return A


def _square(name: str, A: Any) -> Any:
    require(A.ndim < 2 or A.shape[-1] == A.shape[-2], f"{name}: A must be batches of square matrices, but they are "
            f"{' by '.join(map(str, A.shape[-2:]))} matrices")
    return _matrix(name, A)


def _matrix_exp(self: Any) -> Any:
    """The sum of `A^k / k!`, for a matrix halved until that converges at once, then squared as often."""
    A = _square("linalg.matrix_exp", self).astype("float64")  # squaring doubles what was rounded
    size = float(xp.absolute(A).sum(-2).max()) if A.size else 0.0
    halvings = max(math.frexp(size)[1] + 1, 0)
    small, eye = A / 2**halvings, namespace(A).eye(A.shape[-1])
    total = eye + xp.zeros_like(A)
    for k in range(16, 0, -1):
        total = eye + small @ total / k
    for _ in range(halvings):
        total = total @ total
    return total.astype(self.dtype)


def _qr(A: Any, mode: str) -> tuple:
    return (namespace(A).empty(0, A.dtype), xp.linalg.qr(A, mode)) if mode == "r" else tuple(xp.linalg.qr(A, mode))


def _lu(A: Any) -> tuple:
    """LU factors in one matrix and the row swaps, counted from 1 as LAPACK does; batches too."""
    whole, swaps = A.copy(), namespace(A).empty(A.shape[:-1], "int32")
    for at in xp.ndindex(*A.shape[:-2]):
        M, pivots = whole[at], swaps[at]
        for k in range(len(M)):
            p = k + int(xp.argmax(xp.absolute(M[k:, k])))
            pivots[k] = p + 1
            M[[k, p]] = M[[p, k]]
            if M[k, k]:
                M[k + 1 :, k] /= M[k, k]
                M[k + 1 :, k + 1 :] -= xp.outer(M[k + 1 :, k], M[k, k + 1 :])
    return whole, swaps


def _determined(name: str, A: Any) -> tuple:
    """The factors of a determinant and the sign of the swaps, then what torch keeps: LU and pivots of A^T."""
    _square(name, A)
    LU, pivots = _lu(A.swapaxes(-1, -2))
    swapped = (pivots != namespace(A).arange(1, pivots.shape[-1] + 1)).sum(-1)
    return xp.diagonal(LU, 0, -2, -1), (1 - 2 * (swapped % 2)).astype(LU.dtype), LU, pivots


def _det(A: Any) -> tuple:
    diagonal, sign, *kept = _determined("linalg.det", A)
    return diagonal.prod(-1) * sign, *kept


def _slogdet(A: Any) -> tuple:
    diagonal, sign, *kept = _determined("linalg.slogdet", A)
    return sign * xp.sign(diagonal).prod(-1), xp.log(xp.absolute(diagonal)).sum(-1), *kept


def _inv(A: Any) -> tuple:
    _square("linalg.inv", A)
    try:
        return xp.linalg.inv(A.swapaxes(-1, -2)).swapaxes(-1, -2), namespace(A).zeros(A.shape[:-2], "int32")
    except xp.linalg.LinAlgError:
        LU = _lu(A)[0]
        zero = int(xp.argmin(xp.absolute(xp.diagonal(LU, 0, -2, -1)), axis=-1).reshape(-1)[0]) + 1
        raise LinAlgError(f"linalg.inv: The diagonal element {zero} is zero, the inversion could not be "
                          "completed because the input matrix is singular.") from None


def _pinv(self: Any) -> Any:
    U, S, Vh = xp.linalg.svd(_matrix("linalg.pinv", self), full_matrices=False)
    tiny = max(self.shape[-2:]) * xp.finfo(self.dtype).eps * S[..., :1]
    inverted = xp.where(tiny < S, 1 / S, 0).astype(self.dtype)
    return (Vh.swapaxes(-1, -2) * inverted[..., None, :]) @ U.swapaxes(-1, -2)


def _is_vector(A: Any, B: Any) -> bool:
    return len(B.shape) == 1 or tuple(B.shape) == tuple(A.shape[:-1])


def _solve(A: Any, B: Any, left: bool = True) -> tuple:
    _square("linalg.solve", A)
    same_type(A, B, said="linalg.solve: Expected A and B to have the same dtype, but found A of type {0} and B of "
              "type {1} instead")
    vector = _is_vector(A, B)
    rows, columns = (B.shape[-1], 1) if vector else B.shape[-2:]
    require(A.shape[-1] == (rows if left else columns), "linalg.solve: Incompatible shapes of A and B for the equation "
            f"{'AX' if left else 'XA'} = B ({A.shape[-2]}x{A.shape[-1]} and {rows}x{columns})")
    try:
        if not left:
            X = xp.linalg.solve(A.swapaxes(-1, -2), B.swapaxes(-1, -2)).swapaxes(-1, -2)
        else:
            X = xp.linalg.solve(A, B[..., None])[..., 0] if vector else xp.linalg.solve(A, B)
    except xp.linalg.LinAlgError:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.") from None
    return (X, *_lu(A))


def _cholesky(self: Any, upper: bool = False) -> tuple:
    _square("linalg.cholesky", self)
    A = self.swapaxes(-1, -2) if upper else self
    try:
        L = xp.linalg.cholesky(A)
        if xp.isnan(L).any():
            raise xp.linalg.LinAlgError
    except xp.linalg.LinAlgError:
        raise LinAlgError("linalg.cholesky: The factorization could not be completed because the input is not "
                          f"positive-definite (the leading minor of order {_first_minor(A)} is not "
                          "positive-definite).") from None
    return L.swapaxes(-1, -2) if upper else L, namespace(self).zeros(self.shape[:-2], "int32")


def _least(M: Any) -> Any:
    """The least eigenvalue of a symmetric matrix; 0 if it holds a nan."""
    return xp.linalg.eigvalsh(M)[0] if xp.isfinite(M).all() else 0


def _first_minor(A: Any) -> int:
    M = next((m for m in A.reshape(-1, *A.shape[-2:]) if _least(m) <= 0), A)
    return next((k for k in range(1, len(M) + 1) if _least(M[:k, :k]) <= 0), len(M))


mm = op("mm", _mm, letters={"self": "A", "mat2": "B"},
    keeps=("self_sym_sizes", "self_sym_strides", "mat2_sym_sizes", "mat2_sym_strides"),
    self = lambda F, grad, mat2: F.mm(grad, F.t(mat2)),
    mat2 = lambda F, grad, self: F.mm(F.t(self), grad))
mv = op("mv", lambda self, vec: _product_of(vec, self, vec), letters={"self": "A"},
    self = lambda F, grad, vec: F.outer(grad, vec),
    vec  = lambda F, grad, self: F.mv(F.t(self), grad))
dot = op("dot", _dot, letters={"tensor": "b"},
    self   = lambda grad, tensor: grad * tensor,
    tensor = lambda grad, self: grad * self)
vdot = op("vdot", lambda self, other: _dot(self, other), **mul.row.derivatives)
bmm = op("bmm", _bmm, letters={"self": "A", "mat2": "B"},
    self = lambda F, grad, mat2: F.bmm(grad, F.transpose(mat2, 1, 2)),
    mat2 = lambda F, grad, self: F.bmm(F.transpose(self, 1, 2), grad))
ADDED = {"self": lambda F, grad, beta: F.scaled(grad, beta)}
addmm = op("addmm", _addmm, letters={"self": "c", "mat1": "A", "mat2": "B"},
    keeps=("mat1_sym_sizes", "mat1_sym_strides", "mat2_sym_sizes", "mat2_sym_strides"), **ADDED,
    mat1 = lambda F, grad, mat2, alpha: F.scaled(F.mm(grad, F.t(mat2)), alpha),
    mat2 = lambda F, grad, mat1, alpha: F.scaled(F.mm(F.t(mat1), grad), alpha))
addmv = op("addmv", lambda self, mat, vec, beta=1, alpha=1: _joined(self, _product_of(self, mat, vec), beta, alpha),
    letters={"mat": "A"}, **ADDED,
    mat  = lambda F, grad, vec, alpha: F.scaled(F.outer(grad, vec), alpha),
    vec  = lambda F, grad, mat, alpha: F.scaled(F.mv(F.t(mat), grad), alpha))
addr = op("addr", _addr, **ADDED,
    vec1 = lambda F, grad, vec2, alpha: F.scaled(F.mv(grad, vec2), alpha),
    vec2 = lambda F, grad, vec1, alpha: F.scaled(F.mv(F.t(grad), vec1), alpha))
baddbmm = op("baddbmm", _baddbmm, letters={"batch1": "A", "batch2": "B"}, **ADDED,
    batch1 = lambda F, grad, batch2, alpha: F.scaled(F.bmm(grad, F.mT(batch2)), alpha),
    batch2 = lambda F, grad, batch1, alpha: F.scaled(F.bmm(F.mT(batch1), grad), alpha))
addbmm = op("addbmm", _addbmm, letters={"batch1": "A", "batch2": "B"},
    keeps=("batch1_sym_argsize_0", "batch1_sym_argsize_1", "batch2_sym_argsize_2"), **ADDED,
    batch1 = lambda F, grad, batch2, alpha: F.scaled(F.of_each(grad, batch2) @ F.mT(batch2), alpha),
    batch2 = lambda F, grad, batch1, alpha: F.scaled(F.mT(batch1) @ F.of_each(grad, batch1), alpha))
cross_of = op("linalg_cross", _cross,
    self  = lambda F, grad, other, dim: F.linalg_cross(other, grad, dim),
    other = lambda F, grad, self, dim: F.linalg_cross(grad, self, dim))

# ---- inverses and determinants

inv_ex = op("linalg_inv_ex", _inv, outputs=("inverse", "info"), letters={"inverse": "y"},
    A = lambda F, grad, inverse: -(F.mT(inverse) @ (grad @ F.mT(inverse))))
det_of = op("linalg_det", _det, outputs=("result", "LU", "pivots"), keeps=("LU", "pivots"),
    A = lambda F, grad, A, result: F.det_slope(grad, A, result))
slogdet_of = op("linalg_slogdet", _slogdet, outputs=("sign", "logabsdet", "LU", "pivots"), multi=True,
    keeps=("LU", "pivots", "sign"),
    A = lambda F, grad, A: F.slogdet_slope(grad[1], A))
solve_ex = op("linalg_solve_ex", _solve, outputs=("result", "LU", "pivots"), keeps=("LU", "left", "pivots"),
    A = lambda F, grad, A, result, left: -F.outer_of(F.solve(F.mT(A), grad, left), result, A, left),
    B = lambda F, grad, A, left: F.solve(F.mT(A), grad, left))
matrix_exp = op("linalg_matrix_exp", _matrix_exp, letters={"self": "A"},
    self = lambda F, grad, self: F.exp_slope(grad, self))
pinv_of = op("linalg_pinv", _pinv, letters={"self": "A"},
    self = lambda F, grad, self, result: F.pinv_slope(grad, self, result))
lstsq_of = op("linalg_lstsq", lambda self, b: (xp.linalg.lstsq(_matrix("linalg.lstsq", self), b)[0],),
    outputs=("solution",), keeps=("solution",), letters={"self": "A"},
    self = lambda F, grad, self, b: F.pinv_slope(grad @ F.mT(b), self, F.linalg_pinv(self)),
    b    = lambda F, grad, self: F.mT(F.linalg_pinv(self)) @ grad)

# ---- factorisations

cholesky_ex = op("linalg_cholesky_ex", _cholesky, outputs=("L", "info"),
    self = lambda F, grad, L, upper: F.cholesky_slope(grad, L, upper))
eigh_of = op("linalg_eigh", lambda A, UPLO="L": tuple(xp.linalg.eigh(_square("linalg.eigh", A), UPLO)),
    outputs=("eigenvalues", "eigenvectors"), multi=True,
    A = lambda F, grad, eigenvalues, eigenvectors: F.eigh_slope(grad[0], grad[1], eigenvalues, eigenvectors))
svd_of = op("linalg_svd", lambda A, full_matrices=True, S_sym_argsize_minus_1=None: tuple(
        xp.linalg.svd(_matrix("linalg.svd", A), full_matrices)),
    outputs=("U", "S", "Vh"), multi=True, keeps=("full_matrices", "S_sym_argsize_minus_1"),
    A = lambda F, grad, U, S, Vh: F.svd_slope(grad[0], grad[1], grad[2], U, S, Vh))
qr_of = op("linalg_qr", lambda A, mode="reduced": _qr(_matrix("linalg.qr", A), mode),
    outputs=("Q", "R"), multi=True, keeps=("mode",),
    A = lambda F, grad, Q, R: F.qr_slope(grad[0], grad[1], Q, R))


# ---- parts of the derivatives

_transposed = lambda x: Symbol(f"{symbol(x).at(4)}^{{\\top}}", 3)  # noqa: E731


@formula(tex=_transposed)
def mT(F: Any, x: Any) -> Any:
    return F.transpose(x, -2, -1)


@formula(tex=lambda grad, _batch: grad)
def of_each(F: Any, grad: Any, batch: Any) -> Any:
    return F.expand(grad, (batch.shape[0], *grad.shape))


@formula(tex=phrase(
    r"\left(\exp \begin{{pmatrix}} {1:4}^{{\top}} & {0} \\ 0 & {1:4}^{{\top}} \end{{pmatrix}}\right)[1, 2]"))
def exp_slope(F: Any, grad: Any, A: Any) -> Any:
    """The upper right block of exp([[A^T, grad], [0, A^T]])."""
    n, turned = A.shape[-1], F.mT(A)
    above = F.cat([turned, grad], -1)
    below = F.cat([F.zeros_as(A, tuple(A.shape)), turned], -1)
    return F.linalg_matrix_exp(F.cat([above, below], -2))[..., :n, n:]


@formula(tex=lambda x: Symbol(f"{x.at(4)}^{{-1}}", 3))
def inv(F: Any, A: Any) -> Any:
    return F.linalg_inv_ex(A)[0]


@formula(tex=lambda A, B, _left: A ** -1 @ B)
def solve(F: Any, A: Any, B: Any, left: bool) -> Any:
    return F.linalg_solve_ex(A, B, left)[0]


def _as_matrix(F: Any, x: Any) -> Any:
    return F.reshape(x, (*x.shape, 1, 1))


@formula(tex=lambda grad, A: grad * _transposed(A ** -1))
def slogdet_slope(F: Any, grad: Any, A: Any) -> Any:
    """grad * A^-T from the logarithm; the sign has no slope."""
    return None if grad is None else _as_matrix(F, grad) * F.mT(F.inv(A))


def _regular(F: Any, A: Any) -> Any:
    """`A`, moved by a hair where it is singular, so that cofactors can be had from its inverse."""
    rank = xp.linalg.matrix_rank(getattr(A, "_data", A))
    if (rank == A.shape[-1]).all():
        return A
    hair = xp.finfo(kind_of(A)).eps
    return A + hair * F.diag_embed(F.zeros_as(A, tuple(A.shape[:-1])) + 1, 0, -2, -1)


@formula(tex=lambda grad, A, result: grad * result * _transposed(A ** -1))
def det_slope(F: Any, grad: Any, A: Any, result: Any) -> Any:
    """grad * result * A^-T; for the slope of a slope at a singular A the cofactors come from singular values."""
    if F is RAW or (result != 0).all():
        return _as_matrix(F, grad * result) * F.mT(F.inv(_regular(F, A)))
    U, S, Vh = F.linalg_svd(A)
    signed = _as_matrix(F, grad * F.linalg_det(U)[0] * F.linalg_det(Vh)[0])
    return (U * (signed * F.unsqueeze(F.others(S, -1), -2))) @ Vh


@formula(tex=lambda g, x, *_: g @ _transposed(x))
def outer_of(F: Any, g: Any, x: Any, A: Any, left: bool) -> Any:
    if left and _is_vector(A, x):
        return F.unsqueeze(g, -1) @ F.unsqueeze(x, -2)
    return g @ F.mT(x) if left else F.mT(x) @ g


@formula(tex=lambda g, A, P: -(_transposed(P) @ g @ _transposed(P))
         + (Symbol("I") - A @ P) @ _transposed(g) @ P @ _transposed(P)
         + _transposed(P) @ P @ _transposed(g) @ (Symbol("I") - P @ A))
def pinv_slope(F: Any, grad: Any, A: Any, P: Any) -> Any:
    """Golub and Pereyra's derivative of the pseudo-inverse `P` of `A`."""
    G, Pt = F.mT(grad), F.mT(P)
    if A.shape[-2] <= A.shape[-1]:
        K = G @ P
        KPt = K @ Pt
        return KPt - F.mT(P @ K) - A @ P @ KPt + Pt @ P @ (G - K @ A)
    K = P @ G
    PtK = Pt @ K
    return PtK - F.mT(K @ P) + (G - A @ K) @ P @ Pt - PtK @ P @ A


@formula(tex=phrase(
    r"{1}^{{-\top}} S\, {1}^{{-1}},\quad S = \frac{{1}}{{2}} \left(\mathrm{{tril}}\left(M\right) + "
    r"\mathrm{{tril}}\left(M, -1\right)^{{\top}}\right),\, M = {1}^{{\top}} {0}", 0))
def cholesky_slope(F: Any, grad: Any, L: Any, upper: bool) -> Any:
    """L^-T S L^-1, where S is the symmetric matrix with the lower half of L^T grad."""
    if upper:
        grad, L = F.mT(grad), F.mT(L)
    half = F.tril(F.mT(L) @ grad, 0)
    S, back = (half + F.mT(F.tril(half, -1))) * 0.5, F.inv(L)
    return F.mT(back) @ S @ back


def _gaps(F: Any, values: Any) -> Any:
    """values[j] - values[i], with 1 on the diagonal."""
    apart = F.unsqueeze(values, -2) - F.unsqueeze(values, -1)
    return apart + F.diag_embed(values * 0 + 1, 0, -2, -1)


@formula(tex=phrase(
    r"{3}\left(\mathrm{{diag}}\left({0}\right) + \mathrm{{sym}}\left(\frac{{{3}^{{\top}} {1}}}{{E}}\right)\right)"
    r"{3}^{{\top}},\quad E_{{ij}} = {2}_j - {2}_i,\, E_{{ii}} = \infty", 0))
def eigh_slope(F: Any, values: Any, vectors: Any, L: Any, V: Any) -> Any:
    """V (diag(gL) + the symmetric part of V^T gV / (L_j - L_i)) V^T."""
    inner = None if values is None else F.diag_embed(values, 0, -2, -1)
    if vectors is not None:
        turned = F.mT(V) @ vectors / _gaps(F, L)
        turned = turned - F.diag_embed(F.diagonal(turned, 0, -2, -1), 0, -2, -1)
        turned = (turned + F.mT(turned)) / 2
        inner = turned if inner is None else inner + turned
    return V @ (inner @ F.mT(V))


@formula(tex=phrase(
    r"{3}\left(\mathrm{{diag}}\left({1}\right) + \frac{{\mathrm{{skew}}\left({3}^{{\top}} {0}\right)}}{{E}}\, D"
    r" + D\, \frac{{\mathrm{{skew}}\left({5} {2}^{{\top}}\right)}}{{E}}\right){5}"
    r" + \left(I - {3} {3}^{{\top}}\right) {0}\, D^{{-1}} {5} + {3} D^{{-1}} {2} \left(I - {5}^{{\top}} {5}\right)"
    r",\quad D = \mathrm{{diag}}\left({4}\right),\, E_{{ij}} = {4}_j^2 - {4}_i^2", 0))
def svd_slope(F: Any, gU: Any, gS: Any, gVh: Any, U: Any, S: Any, Vh: Any) -> Any:
    """U (diag(gS) + skew parts of gU and gV / (S_j^2 - S_i^2)) Vh, and what lies outside their span."""
    k, m, n = S.shape[-1], U.shape[-2], Vh.shape[-1]
    U, Vh = F.slice(U, -1, 0, k, 1), F.slice(Vh, -2, 0, k, 1)
    gU = None if gU is None else F.slice(gU, -1, 0, k, 1)
    gVh = None if gVh is None else F.slice(gVh, -2, 0, k, 1)
    E, wide, tall = _gaps(F, S * S), F.unsqueeze(S, -2), F.unsqueeze(S, -1)
    inner = F.diag_embed(S * 0 if gS is None else gS, 0, -2, -1)
    if gU is not None:
        turned = F.mT(U) @ gU
        inner = inner + (turned - F.mT(turned)) / E * wide
    if gVh is not None:
        turned = Vh @ F.mT(gVh)
        inner = inner + tall * ((turned - F.mT(turned)) / E)
    grad = U @ inner @ Vh
    if gU is not None and m > k:
        grad = grad + (gU - U @ (F.mT(U) @ gU)) / wide @ Vh
    if gVh is not None and n > k:
        grad = grad + U @ ((gVh - gVh @ F.mT(Vh) @ Vh) / tall)
    return grad


@formula(tex=phrase(
    r"\left({0} + {2}\, S\right) {3}^{{-\top}},\quad S = \mathrm{{triu}}\left(M\right) + "
    r"\mathrm{{triu}}\left(M, 1\right)^{{\top}},\, M = {1}\, {3}^{{\top}} - {2}^{{\top}} {0}", 0))
def qr_slope(F: Any, gQ: Any, gR: Any, Q: Any, R: Any) -> Any:
    """(gQ + Q S) R^-T, where S is symmetric with the upper half of gR R^T - Q^T gQ."""
    m, n = R.shape[-2:]
    require(len(Q.shape) > 1, "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please "
            "use linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.")
    require(m <= n, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    gQ = Q * 0 if gQ is None else gQ
    gR = R * 0 if gR is None else gR
    if m < n:  # the columns to the right are Q^T A: they follow Q
        V, gV = F.slice(R, -1, m, n, 1), F.slice(gR, -1, m, n, 1)
        left = F.qr_slope(gQ + Q @ V @ F.mT(gV), F.slice(gR, -1, 0, m, 1), Q, F.slice(R, -1, 0, m, 1))
        return F.cat([left, Q @ gV], -1)
    half = F.triu(gR @ F.mT(R) - F.mT(Q) @ gQ, 0)
    S = half + F.mT(F.triu(half, 1))
    return (gQ + Q @ S) @ F.mT(F.inv(R))


# ---- products as torch takes them


def scaled(x: Any, factor: float) -> Any:
    return x if factor == 1 else x * factor


def outer(self: Any, vec2: Any) -> Any:
    """Outer product of two vectors, `(n,)` and `(m,)` to `(n, m)`."""
    _check_vectors("outer", self=self, vec2=vec2)
    return self.reshape(self.shape[0], 1) * vec2


@composite
def matmul(self: Any, other: Any) -> Any:
    """`self @ other` for vectors, matrices and batches, with torch's choice of node for each."""
    if not isinstance(other, TensorBase):
        return NotImplemented
    rank, other_rank = self._data.ndim, other._data.ndim
    if rank == other_rank == 2:
        return mm.row.call(self, other)
    if rank == other_rank == 1:
        return dot(self, other)
    if rank == 2 and other_rank == 1:
        return mv(self, other)
    if rank > 2 and other_rank == 2 and other.requires_grad:  # these two at once: a layer, and attention
        return _folded(self, other)
    if rank == other_rank == 3 and self._data.shape[0] == other._data.shape[0]:
        return _batched(self, other)
    return _composed(self, other, rank, other_rank)


def _composed(self: Any, other: Any, rank: int, other_rank: int) -> Any:
    if rank == other_rank == 3:  # of different batches: one of a single matrix may be worth folding
        if self.shape[0] == 1 and self.requires_grad:
            return matmul(self.squeeze(0), other)
        if other.shape[0] == 1 and other.requires_grad:
            return matmul(self, other.squeeze(0))
    if rank == 1 and other_rank == 2:
        return mm(self.unsqueeze(0), other).squeeze_(0)
    if not rank or not other_rank:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {rank}D and {other_rank}D")
    return _folded(self, other) if _folds(self, other, rank, other_rank) else _batched(self, other)


def _folds(a: Any, b: Any, rank: int, other_rank: int) -> bool:
    """Whether the batch goes into the rows: one big product instead of many."""
    small, large = (b, a) if rank >= other_rank else (a, b)
    if small._data.ndim > 2:
        return False
    if small.requires_grad:
        return True
    if rank == 2:
        return False
    data = large._array() if large is a else large._array().swapaxes(-1, -2)
    try:
        data.reshape((math.prod(data.shape[:-1]), data.shape[-1]), copy=False)
    except ValueError:
        return False
    return True


def _folded(a: Any, b: Any) -> Any:
    turned = b._data.ndim > a._data.ndim
    large, small = (b.mT, a.t() if a._data.ndim == 2 else a) if turned else (a, b)
    *batch, inner = large._data.shape
    rows = TENSORS.reshape(large, (math.prod(batch), inner))
    if small._data.ndim == 1:
        return TENSORS.unsafe_view(mv(rows, small), tuple(batch))
    product = TENSORS.unsafe_view(mm.row.call(rows, small), (*batch, small._data.shape[1]))
    return product.mT.contiguous() if turned else product


def _batched(a: Any, b: Any) -> Any:
    rows, columns, vector = a._data.shape, b._data.shape, b._data.ndim == 1
    left, right = rows[-2:] if len(rows) > 1 else (1, *rows), columns[-2:]
    batch, theirs = rows[:-2], columns[:-2]
    if batch != theirs:
        batch = common_shape(batch, theirs)
    expand, reshape = TENSORS.expand, TENSORS.reshape
    count = math.prod(batch)
    x = reshape(expand(a, (*batch, *left)), (count, *left))
    y = reshape(expand(b, (*batch, *right)), (count, *right))
    product = bmm.row.call(x, y.unsqueeze(2)).squeeze(-1) if vector else bmm.row.call(x, y)
    return TENSORS.unsafe_view(product, (*batch, *rows[-2:-1], *right[1:]))


def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """Sum over several dimensions at once: the last of `a` with the first of `b`, or as listed."""
    same_type(a._data, b._data, said="both inputs should have same dtype")
    if isinstance(dims, int):
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    else:
        of_a, of_b = (list(d) if isinstance(d, tuple | list) else [d] for d in dims)
    for i, j in zip(of_a, of_b, strict=True):
        check_dim(i, a.ndim)
        check_dim(j, b.ndim)
        require(a.shape[i] == b.shape[j], f"contracted dimensions need to match, but first has size {a.shape[i]} in "
                f"dim {i} and second has size {b.shape[j]} in dim {j}")
    free_a = [i for i in range(a.ndim) if i not in {d % a.ndim for d in of_a}]
    free_b = [i for i in range(b.ndim) if i not in {d % b.ndim for d in of_b}]
    sizes = (*(a.shape[i] for i in free_a), *(b.shape[i] for i in free_b))
    count = math.prod(a.shape[i] for i in of_a)
    if not free_a and not free_b:
        flat = (t.permute(d) if t.ndim == 1 else t.permute(d).reshape(-1) for t, d in ((a, of_a), (b, of_b)))
        return dot(*flat).reshape(())
    left = a.permute(free_a + of_a).reshape(-1, count)
    return mm(left, b.permute(of_b + free_b).reshape(count, -1)).reshape(sizes)


def inner(self: Any, other: Any) -> Any:
    """Sum over the last dimension of both."""
    if not self.ndim or not other.ndim:
        return self * other
    require(self.shape[-1] == other.shape[-1], "inner() the last dimension must match on both input tensors but got "
            f"shapes {list(self.shape)} and {list(other.shape)}")
    return tensordot(self, other, ([-1], [-1]))


def kron(self: Any, other: Any) -> Any:
    """Every element of `self` times the whole of `other`."""
    rank = max(self.ndim, other.ndim)
    m, n = ((1,) * (rank - t.ndim) + tuple(t.shape) for t in (self, other))
    left = TENSORS.unsafe_view(self, tuple(k for size in m for k in (size, 1)))
    right = TENSORS.unsafe_view(other, tuple(k for size in n for k in (1, size)))
    return TENSORS.unsafe_view(left * right, tuple(i * j for i, j in zip(m, n, strict=True)))


def cross(self: Any, other: Any, dim: Any = None) -> Any:
    """The vector product along a dimension of length 3, the first such if `dim` is not given."""
    if dim is None:
        presentation.warn("cross_dim", "Using torch.cross without specifying the dim arg is deprecated.\nPlease either "
            "pass the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree "
            "with that of linalg.cross in a future release.", once=True)
        require(3 in self.shape, "no dimension of size 3 in input")
        dim = self.shape.index(3)
    return cross_of(self, other, dim)


def matrix_power(self: Any, n: int) -> Any:
    """The product of `n` copies of a square matrix, by repeated squaring."""
    _square("linalg.matrix_power", self._data)
    if n < 0:
        return matrix_power(inverse(self), -n) if n < -1 else inverse(self)
    if n == 0:
        eye = constant(self._plain, xp.broadcast_to(xp.eye(self.shape[-1], dtype=self._data.dtype), self.shape))
        return inplace(TENSORS.copy)(self.clone(), eye)
    if n == 1:
        return self.clone()
    if n == 3:
        return matmul(matmul(self, self), self)
    power, result = None, None
    while n:
        power = self if power is None else matmul(power, power)
        n, odd = divmod(n, 2)
        if odd:
            result = power if result is None else matmul(result, power)
    return result


# ---- einsum: the sum as torch composes it


def einsum(equation: str, *operands: Any) -> Any:
    """A sum of products written with one letter for each dimension, such as `"ij,jk->ik"`.

    Letters that the right side leaves out are summed over; `...` stands for leading dimensions.
    """
    tensors = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    inputs, output = _letters(equation, tensors)
    _check_sizes(tensors, inputs)
    for c in output:
        require(output.count(c) == 1, f"einsum(): output subscript {c} appears more than once in the output")
        require(any(c in term for term in inputs),
                f"einsum(): output subscript {c} does not appear in the equation for any input operand")
    order = output + sorted({c for term in inputs for c in term} - set(output))
    parts = [_lined_up(t, letters, order) for t, letters in zip(tensors, inputs, strict=True)]
    kept = len(output)
    if len(parts) == 1:
        return parts[0].sum(tuple(range(kept, len(order)))) if len(order) > kept else parts[0]
    result = parts[0]
    for place, part in enumerate(parts[1:], 2):
        later = parts[place:]
        result = _contract(result, part, [d for d in range(kept, len(order)) if all(p.shape[d] == 1 for p in later)])
    return result.view(result.shape[:kept]) if len(order) > kept else result


def _letters(equation: str, tensors: Any) -> tuple[list[list[str]], list[str]]:
    """The letters of each operand and of the result; dimensions under `...` are called 0, 1, 2 ..."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        less = "fewer" if len(tensors) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {less} operands were provided than specified in the equation")
    hidden = [t.ndim - len(term.replace("...", "")) for t, term in zip(tensors, terms, strict=True)]
    for place, (term, more) in enumerate(zip(terms, hidden, strict=True)):
        if (more and "..." not in term) or more < 0:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(term)}) does not match the number of "
                f"dimensions ({tensors[place].ndim}) for operand {place} and no ellipsis was given")
    dots = [str(i) for i in range(max(hidden) if "..." in left else 0)]
    inputs = [_spelled(term, dots[len(dots) - more :]) for term, more in zip(terms, hidden, strict=True)]
    if arrow:
        return inputs, _spelled(right, dots)
    flat = left.replace(",", "").replace("...", "")
    return inputs, dots + sorted(c for c in set(flat) if flat.count(c) == 1)


def _check_sizes(tensors: Any, inputs: list[list[str]]) -> None:
    seen: dict[str, int] = {}
    for place, (t, letters) in enumerate(zip(tensors, inputs, strict=True)):
        for letter, n in zip(letters, t.shape, strict=True):
            known = seen.get(letter, 1)
            require(n == known or 1 in (n, known), f"einsum(): subscript {letter} has size {n} for operand "
                    f"{place} which does not broadcast with previously seen size {known}")
            seen[letter] = max(n, known)


def _spelled(term: str, dots: list[str]) -> list[str]:
    before, found, after = term.partition("...")
    return [*before, *(dots if found else []), *after]


def _lined_up(t: Any, letters: list[str], order: list[str]) -> Any:
    """An operand with one dimension for each letter, in order; repeated letters take the diagonal."""
    seen: list[str] = []
    for letter in letters:
        if letter in seen:
            t = t.diagonal(0, seen.index(letter), len(seen)).movedim(-1, seen.index(letter))
        else:
            seen.append(letter)
    for letter in order:
        if letter not in seen:
            t = t.unsqueeze(-1)
            seen.append(letter)
    return t.permute([seen.index(letter) for letter in order])


def _contract(a: Any, b: Any, summed: list[int]) -> Any:
    """Multiply two operands and sum over the dimensions that no later one has."""
    both = [d for d in summed if a.shape[d] != 1 and b.shape[d] != 1]
    of_a, of_b = (tuple(d for d in summed if t.shape[d] != 1 and d not in both) for t in (a, b))
    a = a.sum(of_a, keepdim=True) if of_a else a
    b = b.sum(of_b, keepdim=True) if of_b else b
    return _pair(a, b, both) if both else a * b


def _pair(a: Any, b: Any, summed: list[int]) -> Any:
    """The sum over `summed` as one batch of matrix products, dimensions kept as ones."""
    rest = [d for d in range(a.ndim) if d not in summed]
    shared = [d for d in rest if a.shape[d] != 1 and b.shape[d] != 1]
    of_a = [d for d in rest if a.shape[d] != 1 and b.shape[d] == 1]
    of_b = [d for d in rest if a.shape[d] == 1]

    def count(t: Any, dims: list[int]) -> int:
        return math.prod(t.shape[d] for d in dims)

    batch, inside = count(a, shared), count(a, summed)
    left = a.permute(shared + of_a + summed + of_b).reshape(batch, count(a, of_a), inside)
    right = b.permute(shared + summed + of_b + of_a).reshape(batch, inside, count(b, of_b))
    sizes = [a.shape[d] for d in shared + of_a] + [1] * len(summed) + [b.shape[d] for d in of_b]
    return bmm(left, right).view(sizes).permute(RAW.inverse_order(shared + of_a + summed + of_b))


# ---- linear algebra as torch takes it

_slogdet_type = named("slogdet", "sign", "logabsdet")


def inverse(self: Any) -> Any:
    """The inverse of a square matrix. Raises: LinAlgError if it is singular."""
    return inv_ex(self)[0]


def det(A: Any) -> Any:
    """The determinant."""
    return det_of(A)[0]


def slogdet(A: Any) -> Any:
    """Sign and logarithm of the size of the determinant."""
    return _slogdet_type(slogdet_of(A)[:2])


def logdet(self: Any) -> Any:
    """The logarithm of the determinant; nan where it is negative."""
    sign, size = slogdet_of(self)[:2]
    nothing = constant(self._plain, xp.full_like(size._data, xp.nan))
    return TENSORS.where(sign.detach() == -1.0, nothing, size)


for _carrier in (RAW, TENSORS):
    _carrier.scaled, _carrier.outer = scaled, outer


# ---- norms of matrices


def svdvals(A: Any) -> Any:
    """The singular values."""
    return svd_of(A, False, min(A.shape[-2:]))[1]


def matrix_norm(A: Any, ord: Any = "fro", dim: tuple = (-2, -1), keepdim: bool = False) -> Any:
    """A norm of matrices: "fro", "nuc", 1, 2, inf and their negatives."""
    require(A._data.ndim >= 2, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    dims = tuple(check_dim(d, A._data.ndim) for d in dims_of(A, dim))
    require(len(dims) == 2, f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    require(ord in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf), f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "fro" or (not A._data.size and ord in ("nuc", 1, 2, math.inf)):
        return vector_norm(A, 2, dims, keepdim)
    if ord in ("nuc", 2, -2):
        return _of_singular_values(A, ord, dims, keepdim)
    along, across = dims if abs(ord) == 1 else dims[::-1]
    sums = vector_norm(A, 1.0, (along,), keepdim)
    across = across if keepdim or across < along else across - 1
    return (sums.amax if ord > 0 else sums.amin)((across,), keepdim)


def _of_singular_values(A: Any, ord: Any, dims: tuple, keepdim: bool) -> Any:
    order = [*(d for d in range(A._data.ndim) if d not in dims), *dims]
    S = svdvals(A.permute(order))
    value = {"nuc": S.sum, 2: S.amax, -2: S.amin}[ord]((-1,), keepdim)
    return value.unsqueeze(-1).permute(RAW.inverse_order(order)) if keepdim else value


TENSORS.matrix_norm = matrix_norm  # for `x.norm("nuc")`
