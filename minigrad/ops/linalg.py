"""Matrix products and the linear algebra of teaching."""

from __future__ import annotations

from typing import Any

from ..array import dtypes
from ..array.backend import xp
from ..core.carriers import RAW, TENSORS
from ..core.op import op
from ..text import presentation


def _same_type(what: str, a: Any, b: Any) -> None:
    if a.dtype != b.dtype:
        names = (dtypes.of(x.dtype).c_name for x in (a, b))
        raise RuntimeError(f"{what}: {' != '.join(names)}")


def _mm(self: Any, mat2: Any) -> Any:
    _same_type("expected m1 and m2 to have the same dtype, but got", self, mat2)
    if self.shape[1] != mat2.shape[0]:
        a, b = ("x".join(map(str, x.shape)) for x in (self, mat2))
        raise presentation.error(RuntimeError, "matmul_shapes",
            f"mat1 and mat2 shapes cannot be multiplied ({a} and {b})",
            shapes=(self.shape, mat2.shape))  # fmt: skip
    return self.dot(mat2)


def _mv(self: Any, vec: Any) -> Any:
    if self.dtype != vec.dtype:
        mat, other = (dtypes.of(x.dtype).scalar_type for x in (self, vec))
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {other}, {mat}, and {other}"
        )
    if self.shape[1] != vec.shape[0]:
        raise presentation.error(RuntimeError, "matmul_shapes",
            f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), "
            f"vec ({vec.shape[0]})", shapes=(self.shape, vec.shape))  # fmt: skip
    return self.dot(vec)


def _dot(self: Any, tensor: Any) -> Any:
    if self.dtype != tensor.dtype:
        a, b = (dtypes.of(x.dtype).scalar_type for x in (self, tensor))
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {a} and {b}"
        )
    if self.size != tensor.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{self.size}] and src [{tensor.size}] to have "
            f"the same number of elements, but got {self.size} and {tensor.size} elements respectively"
        )
    return self.dot(tensor)


# fmt: off
mm = op("mm", _mm, letters={"self": "A", "mat2": "B"},
    keeps=("self_sym_sizes", "self_sym_strides", "mat2_sym_sizes", "mat2_sym_strides"),
    self = lambda F, grad, mat2: F.mm(grad, F.t(mat2)),
    mat2 = lambda F, grad, self: F.mm(F.t(self), grad))
mv = op("mv", _mv, letters={"self": "A"},
    self = lambda F, grad, vec: F.outer(grad, vec),
    vec  = lambda F, grad, self: F.mv(F.t(self), grad))
dot = op("dot", _dot, letters={"tensor": "b"},
    self   = lambda grad, tensor: grad * tensor,
    tensor = lambda grad, self: grad * self)
bmm = op("bmm", lambda self, mat2: xp.matmul(self, mat2), letters={"self": "A", "mat2": "B"},
    self = lambda F, grad, mat2: F.bmm(grad, F.transpose(mat2, 1, 2)),
    mat2 = lambda F, grad, self: F.bmm(F.transpose(self, 1, 2), grad))
addmm = op("addmm", lambda self, mat1, mat2, beta=1, alpha=1: _addmm(self, mat1, mat2, beta, alpha),
    letters={"self": "c", "mat1": "A", "mat2": "B"},
    keeps=("mat1_sym_sizes", "mat1_sym_strides", "mat2_sym_sizes", "mat2_sym_strides"),
    self = lambda F, grad, beta: F.scaled(grad, beta),
    mat1 = lambda F, grad, mat2, alpha: F.scaled(F.mm(grad, F.t(mat2)), alpha),
    mat2 = lambda F, grad, mat1, alpha: F.scaled(F.mm(F.t(mat1), grad), alpha))
# fmt: on


def _addmm(self: Any, mat1: Any, mat2: Any, beta: float, alpha: float) -> Any:
    product = _mm(mat1, mat2)
    if alpha != 1:
        product *= alpha
    product += self if beta == 1 else self * beta
    return product


def scaled(x: Any, factor: float) -> Any:
    return x if factor == 1 else x * factor


def outer(self: Any, vec2: Any) -> Any:
    """Outer product of two vectors, `(n,)` and `(m,)` to `(n, m)`."""
    return self.reshape(self.shape[0], 1) * vec2


def matmul(self: Any, other: Any) -> Any:
    """`self @ other` for vectors, matrices and batches, with torch's choice of node for each."""
    ranks = (self._data.ndim, other._data.ndim)
    if ranks == (2, 2):
        return mm(self, other)
    if ranks == (1, 1):
        return dot(self, other)
    if ranks == (2, 1):
        return mv(self, other)
    if ranks == (1, 2):
        return mm(self.unsqueeze(0), other).squeeze_(0)
    if 0 in ranks:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{ranks[0]}D and {ranks[1]}D")  # fmt: skip
    return _batched(self, other)


def _batched(a: Any, b: Any) -> Any:
    if a.ndim >= 3 and b.ndim <= 2:  # fold the batch into the rows: one big product
        rows = a.reshape(-1, a.shape[-1])
        folded = mm(rows, b) if b.ndim == 2 else mv(rows, b)
        return TENSORS.unsafe_view(folded, (*a.shape[:-1], *b.shape[1:]))
    if a.ndim == 1:
        return _batched(a.unsqueeze(0), b).squeeze(-2)
    batch = xp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    left = a.expand(*batch, *a.shape[-2:]).reshape(-1, *a.shape[-2:])
    right = b.expand(*batch, *b.shape[-2:]).reshape(-1, *b.shape[-2:])
    return TENSORS.unsafe_view(bmm(left, right), (*batch, a.shape[-2], b.shape[-1]))


for _carrier in (RAW, TENSORS):
    _carrier.scaled, _carrier.outer = scaled, outer
