"""Matrix products and the linear algebra of teaching."""

from ...array import matrix, xp
from ...core.op import op
from ...text.tex import phrase
from ..kernels import linalg as kernels
from .pointwise import mul

# ---- products

PRODUCT = phrase(r"{0:1}\, {1:1}", 1)
mm = op("mm", kernels.mm, letters={"self": "A"}, keeps=("self_sym_sizes", "mat2_sym_sizes"), tex=PRODUCT,
    self = lambda F, grad, mat2, self_sym_strides: F.mm_mat1_grad(grad, mat2, self_sym_strides),
    mat2 = lambda F, grad, self, mat2_sym_strides: F.mm_mat2_grad(grad, self, mat2_sym_strides))
mv = op("mv", lambda self, vec: kernels.product_of(vec, self, vec), letters={"self": "A"}, tex=PRODUCT,
    self = lambda F, grad, vec: F.outer(grad, vec),
    vec  = lambda F, grad, self: F.mv(F.t(self), grad))
dot = op("dot", kernels.dot, letters={"tensor": "b"},
    self   = lambda grad, tensor: grad * tensor,
    tensor = lambda grad, self: grad * self)
vdot = op("vdot", lambda self, other: kernels.dot(self, other), **mul.row.derivatives)
bmm = op("bmm", kernels.bmm, letters={"self": "A"}, tex=PRODUCT,
    self = lambda F, grad, mat2: F.bmm(grad, F.transpose(mat2, 1, 2)),
    mat2 = lambda F, grad, self: F.bmm(F.transpose(self, 1, 2), grad))
ADDED = {"scalars": ("beta", "alpha"), "self": lambda F, grad, beta: F.scaled(grad, beta)}
addmm = op("addmm", kernels.addmm, letters={"self": "c"}, keeps=("mat1_sym_sizes", "mat2_sym_sizes"), **ADDED,
    mat1 = lambda F, grad, mat2, mat1_sym_strides, alpha: F.scaled(F.mm_mat1_grad(grad, mat2, mat1_sym_strides), alpha),
    mat2 = lambda F, grad, mat1, mat2_sym_strides, alpha: F.scaled(F.mm_mat2_grad(grad, mat1, mat2_sym_strides), alpha))
addmv = op("addmv", lambda self, mat, vec, beta=1, alpha=1: kernels.joined(
        self, kernels.product_of(self, mat, vec), beta, alpha), **ADDED,
    mat  = lambda F, grad, vec, alpha: F.scaled(F.outer(grad, vec), alpha),
    vec  = lambda F, grad, mat, alpha: F.scaled(F.mv(F.t(mat), grad), alpha))
addr = op("addr", kernels.addr, **ADDED,
    vec1 = lambda F, grad, vec2, alpha: F.scaled(F.mv(grad, vec2), alpha),
    vec2 = lambda F, grad, vec1, alpha: F.scaled(F.mv(F.t(grad), vec1), alpha))
baddbmm = op("baddbmm", kernels.baddbmm, **ADDED,
    batch1 = lambda F, grad, batch2, alpha: F.scaled(F.bmm(grad, F.mT(batch2)), alpha),
    batch2 = lambda F, grad, batch1, alpha: F.scaled(F.bmm(F.mT(batch1), grad), alpha))
addbmm = op("addbmm", kernels.addbmm,
    keeps=("batch1_sym_argsize_0", "batch1_sym_argsize_1", "batch2_sym_argsize_2"), **ADDED,
    batch1 = lambda F, grad, batch2, alpha: F.scaled(grad @ F.mT(batch2), alpha),
    batch2 = lambda F, grad, batch1, alpha: F.scaled(F.mT(batch1) @ grad, alpha))
cross_of = op("linalg_cross", kernels.cross, tex=phrase(r"{0:4} \times {1:4}", 1),
    self  = lambda F, grad, other, dim: F.linalg_cross(other, grad, dim),
    other = lambda F, grad, self, dim: F.linalg_cross(grad, self, dim))

# ---- inverses and determinants

inv_ex = op("linalg_inv_ex", kernels.inv_ex, outputs=("inverse", "info"), letters={"inverse": "y"},
    A = lambda F, grad, inverse: -(F.mT(inverse) @ (grad @ F.mT(inverse))))
det_of = op("linalg_det", kernels.det, outputs=("result", "LU", "pivots"), keeps=("LU", "pivots"),
    A = lambda F, grad, A, result, LU, pivots: F.det_slope(grad, A, result, LU, pivots))
slogdet_of = op("linalg_slogdet", kernels.slogdet, outputs=("sign", "logabsdet", "LU", "pivots"), multi=True,
    keeps=("LU", "pivots", "sign"), A=lambda F, grad, A: F.slogdet_slope(grad[1], A))
solve_ex = op("linalg_solve_ex", kernels.solve_ex, outputs=("result", "LU", "pivots"), keeps=("LU", "left", "pivots"),
    tex=lambda A, B, _left: (A ** -1 @ B,),
    A = lambda F, grad, A, result, left: -F.outer_of(F.linalg_solve_ex(F.mT(A), grad, left)[0], result, A, left),
    B = lambda F, grad, A, left: F.linalg_solve_ex(F.mT(A), grad, left)[0])
matrix_exp = op("linalg_matrix_exp", lambda self: matrix.exponential(
        kernels.square_matrices("linalg.matrix_exp", self)), letters={"self": "A"},
    self = lambda F, grad, self: F.exp_slope(grad, self))
pinv_of = op("linalg_pinv", kernels.pinv, letters={"self": "A"}, tex=phrase("{0:4}^{{+}}", 3),
    self = lambda F, grad, self, result: F.pinv_slope(grad, self, result))
lstsq_of = op("linalg_lstsq", lambda self, b: (xp.linalg.lstsq(kernels.matrices("linalg.lstsq", self), b)[0],),
    outputs=("solution",), keeps=("solution",), letters={"self": "A"},
    self = lambda F, grad, self, b: F.pinv_slope(grad @ F.mT(b), self, F.linalg_pinv(self)),
    b    = lambda F, grad, self: F.mT(F.linalg_pinv(self)) @ grad)

# ---- factorisations

cholesky_ex = op("linalg_cholesky_ex", kernels.cholesky_ex, outputs=("L", "info"),
    self = lambda F, grad, L, upper: F.cholesky_slope(grad, L, upper))
eigh_of = op("linalg_eigh", lambda A, UPLO="L": tuple(xp.linalg.eigh(kernels.square_matrices("linalg.eigh", A), UPLO)),
    outputs=("eigenvalues", "eigenvectors"), multi=True,
    A = lambda F, grad, eigenvalues, eigenvectors: F.eigh_slope(grad[0], grad[1], eigenvalues, eigenvectors))
svd_of = op("linalg_svd", lambda A, full_matrices=True, S_sym_argsize_minus_1=None: tuple(
        xp.linalg.svd(kernels.matrices("linalg.svd", A), full_matrices)),
    outputs=("U", "S", "Vh"), multi=True, keeps=("full_matrices", "S_sym_argsize_minus_1"),
    A = lambda F, grad, U, S, Vh: F.svd_slope(grad[0], grad[1], grad[2], U, S, Vh))
qr_of = op("linalg_qr", lambda A, mode="reduced": kernels.qr(kernels.matrices("linalg.qr", A), mode),
    outputs=("Q", "R"), multi=True, keeps=("mode",), A=lambda F, grad, Q, R: F.qr_slope(grad[0], grad[1], Q, R))
