"""Products and factorisations of matrices, with torch's refusals, and the matrix calculus behind their rules."""

from ...array import dtypes, in_order, matrix, namespace, xp
from ...core.carriers import RAW, formula
from ...core.modes import whole_array
from ...text.tex import SYMBOLS, Symbol
from ..checks import check_dim, error, floats_only, implemented, need, require, same_type, torch_says
from .pointwise import times

BOOL = dtypes.bool.np


def _product(a, b):
    """`a.dot(b)` with zeros signed as torch signs them: sums start at +0, single products are exact."""
    if a.shape[-1] != 1:
        return a.dot(b)
    product = a * b if b.ndim == 2 else (a * b)[..., 0]  # NumPy's dot makes 0 of NaN times a single 0
    return product if b.ndim == 2 and a.shape[0] > 1 and b.shape[1] > 1 else product + 0


def mm(self, mat2):
    if not (self.ndim == mat2.ndim == 2 and self.shape[1] == mat2.shape[0] and self.dtype is mat2.dtype is not BOOL):
        require(self.ndim == 2, "self must be a matrix")
        require(mat2.ndim == 2, "mat2 must be a matrix")
        a, b = ("x".join(map(str, x.shape)) for x in (self, mat2))
        need(self.shape[1] == mat2.shape[0], "matmul_shapes", a, b, shapes=(self.shape, mat2.shape))
        same_type(self, mat2, said="mm_types")
        implemented("addmm_impl_cpu_", self, "iuf")
    return _product(self, mat2)


@formula(tex=lambda grad, mat2, *_: SYMBOLS.mm(grad, SYMBOLS.t(mat2)))
def mm_mat1_grad(F, grad, mat2, strides: tuple):
    """grad @ mat2.T, laid out as mat1 is: where that lies by columns, torch multiplies the other way round."""
    return F.t(F.mm(mat2, F.t(grad))) if strides == (1, grad.shape[0]) else F.mm(grad, F.t(mat2))


@formula(tex=lambda grad, mat1, *_: SYMBOLS.mm(SYMBOLS.t(mat1), grad))
def mm_mat2_grad(F, grad, mat1, strides: tuple):
    """mat1.T @ grad, likewise: `x @ weight.T` gives the gradient of weight.T by columns, that of weight by rows."""
    return F.t(F.mm(F.t(grad), mat1)) if strides == (1, mat1.shape[1]) else F.mm(F.t(mat1), grad)


def product_of(self, mat, vec):
    """`mat @ vec`, to be added to `self`; mv gives its vector for that, as torch does."""
    need(self.ndim < 2 == mat.ndim and vec.ndim == 1, "addmv_dims", 1 if self is vec else self.ndim, mat.ndim, vec.ndim)
    if mat.shape[1] != vec.shape[0] or (self is not vec and self.shape not in ((), (1,), mat.shape[:1])):
        size = (mat if self is vec else self).shape[0]
        text = f"size mismatch, got input ({size}), mat ({'x'.join(map(str, mat.shape))}), vec ({vec.shape[0]})"
        raise error(RuntimeError, "matmul_shapes", text, shapes=(mat.shape, vec.shape))
    same_type(self, mat, vec, said="addmv_types")
    return _product(implemented("addmv_impl_cpu", mat, "iuf"), vec)


def dot(self, tensor):
    require(self.ndim == tensor.ndim == 1, f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    same_type(self, tensor, said="dot_types")
    dtypes.check_kind("dot", self.dtype, "fiu")
    need(self.size == tensor.size, "dot_sizes", *(self.size, tensor.size) * 2)
    return _product(self, tensor)


def addmm(self, mat1, mat2, beta: float = 1, alpha: float = 1):
    product = mm(*_check_addends(self, mat1, mat2))
    if alpha != 1 or beta != 1:
        return joined(self, product, beta, alpha)
    try:
        product += self
    except ValueError:
        RAW.expand(self, product.shape)  # refuses it in torch's words
    return product


def joined(self, product, beta: float, alpha: float):
    """beta * self + alpha * product; what counts 0 times may be nan."""
    a, b = dtypes.promote(RAW.expand(self, product.shape), product)
    return (times(a, beta) if beta else xp.zeros_like(a)) + (times(b, alpha) if alpha else xp.zeros_like(b))


def _check_addends(self, mat1, mat2) -> tuple:
    if not self.dtype == mat1.dtype == mat2.dtype:
        same_type(self, mat2, said="addmm_types")
        same_type(mat1, mat2, said="addmm_factor_types")
    return mat1, mat2


def addbmm(self, batch1, batch2, beta: float = 1, alpha: float = 1):
    return joined(self, bmm(*_check_addends(self, batch1, batch2)).sum(0, self.dtype), beta, alpha)


def addr(self, vec1, vec2, beta: float = 1, alpha: float = 1):
    check_vectors("addr", vec1=vec1, vec2=vec2)
    return joined(self, xp.outer(*dtypes.promote(vec1, vec2)), beta, alpha)


def check_vectors(name: str, **vectors) -> None:
    for word, x in vectors.items():
        require(x.ndim == 1, f"{name}: Expected 1-D argument {word}, but got {x.ndim}-D")


def baddbmm(self, batch1, batch2, beta: float = 1, alpha: float = 1):
    if self.dtype != batch1.dtype:
        same_type(self, batch1, batch2, said="baddbmm_types")
    return joined(self, bmm(batch1, batch2), beta, alpha)


def bmm(self, mat2):
    if not (self.ndim == mat2.ndim == 3 and self.shape[::2] == mat2.shape[:2] and self.dtype is mat2.dtype is not BOOL):
        require(self.ndim == 3, "batch1 must be a 3D tensor")
        require(mat2.ndim == 3, "batch2 must be a 3D tensor")
        need((want := self.shape[::2]) == (given := mat2.shape[:2]), "batch_sizes", [*want], [*given])
        same_type(self, mat2)
        implemented("bmm", self, "iuf")
    # columns times rows: NumPy's matmul takes five times as long; like it, einsum makes 0 of -0
    return xp.einsum("bij,bjk->bik", self, mat2) if self.shape[2] == 1 else xp.matmul(self, mat2)


def cross(self, other, dim: int = -1):
    same_type(self, other)
    require(self.ndim == other.ndim, "linalg.cross: inputs must have the same number of dimensions.")
    require(self.ndim, f"Dimension specified as {dim} but tensor has no dimensions", IndexError)
    check_dim(dim, self.ndim)
    need(self.shape[dim] == other.shape[dim] == 3, "cross_length", dim, self.shape[dim], other.shape[dim])
    return in_order(xp.cross(self, other, axis=dim))


# ---- inverses, determinants and factorisations


class LinAlgError(RuntimeError):
    """A matrix does not allow what was asked for. Source: torch.linalg.LinAlgError."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def matrices(name: str, A):
    """`A`, if it holds matrices of floats."""
    require(A.ndim >= 2, f"{name}: The input tensor A must have at least 2 dimensions.")
    floats_only(name, A)
    return A


def square_matrices(name: str, A):
    need(A.ndim < 2 or A.shape[-1] == A.shape[-2], "square_matrices", name, " by ".join(map(str, A.shape[-2:])))
    return matrices(name, A)


def qr(A, mode: str) -> tuple:
    return (namespace(A).empty(0, A.dtype), xp.linalg.qr(A, mode)) if mode == "r" else tuple(xp.linalg.qr(A, mode))


def det(A) -> tuple:
    """The determinant, then what torch keeps: LU and pivots of A^T. NumPy's takes a logarithm, which rounds."""
    LU, pivots = matrix.lu(square_matrices("linalg.det", A).mT)
    swapped = (pivots != namespace(A).arange(1, pivots.shape[-1] + 1)).sum(-1)
    return xp.diagonal(LU, 0, -2, -1).prod(-1) * (1 - 2 * (swapped % 2)).astype(LU.dtype), LU, pivots


def slogdet(A) -> tuple:
    turned = square_matrices("linalg.slogdet", A).mT
    return *xp.linalg.slogdet(turned), *matrix.lu(turned)


def inv_ex(A) -> tuple:
    try:
        return xp.linalg.inv(square_matrices("linalg.inv", A).mT).mT, namespace(A).zeros(A.shape[:-2], "int32")
    except xp.linalg.LinAlgError:
        zero = int(xp.argmin(xp.absolute(xp.diagonal(matrix.lu(A)[0], 0, -2, -1)), axis=-1).reshape(-1)[0]) + 1
        raise LinAlgError(torch_says("singular", zero)) from None


def pinv(self):
    U, S, Vh = xp.linalg.svd(matrices("linalg.pinv", self), full_matrices=False)
    tiny = max(self.shape[-2:]) * xp.finfo(self.dtype).eps * S[..., :1]
    return (Vh.mT * xp.where(tiny < S, 1 / S, 0).astype(self.dtype)[..., None, :]) @ U.mT


def _is_vector(A, B) -> bool:
    return len(B.shape) == 1 or tuple(B.shape) == tuple(A.shape[:-1])


def solve_ex(A, B, left: bool = True) -> tuple:
    square_matrices("linalg.solve", A)
    same_type(A, B, said="solve_types")
    M = B[..., None] if (vector := _is_vector(A, B)) else B
    sizes = (*A.shape[-2:], *M.shape[-2:])
    need(A.shape[-1] == M.shape[-2 if left else -1], "solve_shapes", "AX" if left else "XA", *sizes)
    try:
        X = xp.linalg.solve(A, M) if left else xp.linalg.solve(A.mT, M.mT).mT
    except xp.linalg.LinAlgError:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.") from None
    return (X[..., 0] if vector else X, *matrix.lu(A))


def cholesky_ex(self, upper: bool = False) -> tuple:
    square_matrices("linalg.cholesky", self)
    A = self.mT if upper else self
    try:
        L = xp.linalg.cholesky(A)
        if xp.isnan(L).any():
            raise xp.linalg.LinAlgError
    except xp.linalg.LinAlgError:
        raise LinAlgError(torch_says("not_positive", matrix.first_minor(A))) from None
    return L.mT if upper else L, namespace(self).zeros(self.shape[:-2], "int32")


# ---- parts of derivatives


def mT(F, x):
    return F.transpose(x, -2, -1)


@formula(r"\left(\exp \begin{{pmatrix}} {1:4}^{{\top}} & {0} \\ 0 & {1:4}^{{\top}} \end{{pmatrix}}\right)[1, 2]")
def exp_slope(F, grad, A):
    """The upper right block of exp([[A^T, grad], [0, A^T]])."""
    n, turned = A.shape[-1], F.mT(A)
    above = F.cat([turned, grad], -1)
    return F.linalg_matrix_exp(F.cat([above, F.cat([F.zeros_as(A, tuple(A.shape)), turned], -1)], -2))[..., :n, n:]


def _as_matrix(F, x):
    return F.reshape(x, (*x.shape, 1, 1))


@formula(tex=lambda grad, A: grad * SYMBOLS.mT(A ** -1))
def slogdet_slope(F, grad, A):
    """grad * A^-T from the logarithm; the sign has no slope."""
    return None if grad is None else _as_matrix(F, grad) * F.mT(F.linalg_inv_ex(A)[0])


@formula(tex=lambda grad, A, result, *_: grad * result * SYMBOLS.mT(A ** -1))
def det_slope(F, grad, A, result, LU, pivots):
    """grad * result * A^-T; for the slope of a slope at a singular A the cofactors come from singular values."""
    if F is RAW:
        return _as_matrix(F, grad * result) * matrix.inverse_of_lu(LU, pivots)
    if (xp.linalg.matrix_rank(whole_array(A)) == A.shape[-1]).all():
        return _as_matrix(F, grad * result) * F.mT(F.linalg_inv_ex(A)[0])
    U, S, Vh = F.linalg_svd(A)
    signed = _as_matrix(F, grad * F.linalg_det(U)[0] * F.linalg_det(Vh)[0])
    return (U * (signed * F.unsqueeze(F.others(S, -1), -2))) @ Vh


@formula(tex=lambda g, x, *_: SYMBOLS.outer(g, x) if x.rank == 1 else g @ SYMBOLS.mT(x))
def outer_of(F, g, x, A, left: bool):
    if left and _is_vector(A, x):
        return F.unsqueeze(g, -1) @ F.unsqueeze(x, -2)
    return g @ F.mT(x) if left else F.mT(x) @ g


@formula(tex=lambda g, A, P: -(SYMBOLS.mT(P) @ g @ SYMBOLS.mT(P))
         + (Symbol("I") - A @ P) @ SYMBOLS.mT(g) @ P @ SYMBOLS.mT(P)
         + SYMBOLS.mT(P) @ P @ SYMBOLS.mT(g) @ (Symbol("I") - P @ A))
def pinv_slope(F, grad, A, P):
    """Golub and Pereyra's derivative of the pseudo-inverse `P` of `A`."""
    G, Pt = F.mT(grad), F.mT(P)
    K, L = G @ P, P @ G
    return -F.mT(L @ P) + (G - A @ L) @ P @ Pt + Pt @ P @ (G - K @ A)


@formula(r"{1}^{{-\top}}\, \Psi\, {1}^{{-1}},\quad \Psi = \frac{{1}}{{2}} \left(\mathrm{{tril}}\left(\Gamma\right) + "
    r"\mathrm{{tril}}\left(\Gamma, -1\right)^{{\top}}\right),\, \Gamma = {1}^{{\top}}\, {0}", 0)
def cholesky_slope(F, grad, L, upper: bool):
    """L^-T S L^-1, where S is the symmetric matrix with the lower half of L^T grad."""
    grad, L = (F.mT(grad), F.mT(L)) if upper else (grad, L)
    half = F.tril(F.mT(L) @ grad, 0)
    S, back = (half + F.mT(F.tril(half, -1))) * 0.5, F.linalg_inv_ex(L)[0]
    return F.mT(back) @ S @ back


def _gaps(F, values):
    """values[j] - values[i], with 1 on the diagonal."""
    return F.unsqueeze(values, -2) - F.unsqueeze(values, -1) + F.diag_embed(values * 0 + 1, 0, -2, -1)


@formula(
    r"{3}\, \left(\mathrm{{diag}}\left({0}\right) + \mathrm{{sym}}\left(\frac{{{3}^{{\top}}\, {1}}}{{\Delta}}\right)"
    r"\right)\, {3}^{{\top}},\quad \Delta_{{ij}} = {2}_j - {2}_i,\, \Delta_{{ii}} = \infty", 0)
def eigh_slope(F, values, vectors, L, V):
    """V (diag(gL) + the symmetric part of V^T gV / (L_j - L_i)) V^T."""
    inner = None if values is None else F.diag_embed(values, 0, -2, -1)
    if vectors is not None:
        turned = F.mT(V) @ vectors / _gaps(F, L)
        turned = turned - F.diag_embed(F.diagonal(turned, 0, -2, -1), 0, -2, -1)
        turned = (turned + F.mT(turned)) / 2
        inner = turned if inner is None else inner + turned
    return V @ (inner @ F.mT(V))


@formula(r"{3}\, \left(\mathrm{{diag}}\left({1}\right) + \frac{{\mathrm{{skew}}\left({3}^{{\top}}\, "
    r"{0}\right)}}{{\Delta}}\, \Xi + \Xi\, \frac{{\mathrm{{skew}}\left({5}\, {2}^{{\top}}\right)}}{{\Delta}}\right)\, "
    r"{5} + \left(I - {3}\, {3}^{{\top}}\right)\, {0}\, \Xi^{{-1}}\, {5} + {3}\, \Xi^{{-1}}\, {2}\, \left(I - "
    r"{5}^{{\top}}\, {5}\right),\quad \Xi = \mathrm{{diag}}\left({4}\right),\, \Delta_{{ij}} = {4}_j^2 - {4}_i^2", 0)
def svd_slope(F, gU, gS, gVh, U, S, Vh):
    """U (diag(gS) + skew parts of gU and gV / (S_j^2 - S_i^2)) Vh, and what lies outside their span."""
    k, m, n = S.shape[-1], U.shape[-2], Vh.shape[-1]
    U, Vh = F.slice(U, -1, 0, k, 1), F.slice(Vh, -2, 0, k, 1)
    gU, gVh = (None if g is None else F.slice(g, dim, 0, k, 1) for g, dim in ((gU, -1), (gVh, -2)))
    E, wide, tall = _gaps(F, S * S), F.unsqueeze(S, -2), F.unsqueeze(S, -1)
    inner = F.diag_embed(S * 0 if gS is None else gS, 0, -2, -1)
    if gU is not None:
        turned = F.mT(U) @ gU
        inner = inner + (turned - F.mT(turned)) / E * wide
    if gVh is not None:
        turned = Vh @ F.mT(gVh)
        inner = inner + tall * ((turned - F.mT(turned)) / E)
    grad = U @ inner @ Vh
    grad = grad if gU is None or m <= k else grad + (gU - U @ (F.mT(U) @ gU)) / wide @ Vh
    return grad if gVh is None or n <= k else grad + U @ ((gVh - gVh @ F.mT(Vh) @ Vh) / tall)


@formula(r"\left({0} + {2}\, \Psi\right)\, {3}^{{-\top}},\quad \Psi = \mathrm{{triu}}\left(\Gamma\right) + "
    r"\mathrm{{triu}}\left(\Gamma, 1\right)^{{\top}},\, \Gamma = {1}\, {3}^{{\top}} - {2}^{{\top}}\, {0}", 0)
def qr_slope(F, gQ, gR, Q, R):
    """(gQ + Q S) R^-T, where S is symmetric with the upper half of gR R^T - Q^T gQ."""
    m, n = R.shape[-2:]
    need(len(Q.shape) > 1, "qr_mode")
    require(m <= n, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    gQ, gR = (x * 0 if g is None else g for g, x in ((gQ, Q), (gR, R)))
    if m < n:  # the columns to the right are Q^T A: they follow Q
        V, gV = F.slice(R, -1, m, n, 1), F.slice(gR, -1, m, n, 1)
        left = F.qr_slope(gQ + Q @ V @ F.mT(gV), F.slice(gR, -1, 0, m, 1), Q, F.slice(R, -1, 0, m, 1))
        return F.cat([left, Q @ gV], -1)
    half = F.triu(gR @ F.mT(R) - F.mT(Q) @ gQ, 0)
    return (gQ + Q @ (half + F.mT(F.triu(half, 1)))) @ F.mT(F.linalg_inv_ex(R)[0])


@formula(tex=lambda x, factor: x.__rmul__(factor))  # the factor first
def scaled(F, x, factor: float):
    return x if factor == 1 else x * factor
