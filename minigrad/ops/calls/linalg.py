"""Products and linear algebra as torch takes them, and what it composes of them: matmul, einsum, norms."""

import functools
import math
import operator

from ...array.backend import xp
from ...core.carriers import RAW, TENSORS
from ...core.graph import TensorBase, constant
from ...core.op import composite
from ..checks import check_dim, common_shape, dims_of, need, require, same_type, warn
from ..kernels.linalg import check_vectors, square_matrices
from ..table import linalg as rows
from . import reduce, shape

# ---- products as torch takes them


def outer(self, vec2):
    """Outer product of two vectors, `(n,)` and `(m,)` to `(n, m)`."""
    check_vectors("outer", self=self, vec2=vec2)
    return self.reshape(self.shape[0], 1) * vec2


RAW.outer = TENSORS.outer = outer


@composite
def matmul(self, other):
    """`self @ other` for vectors, matrices and batches, with torch's choice of node for each."""
    if not isinstance(other, TensorBase):
        return NotImplemented
    rank, other_rank = self._data.ndim, other._data.ndim
    if rank == other_rank == 2:
        return rows.mm.row.call(self, other)
    if other_rank == 1 and rank in (1, 2):
        return (rows.dot if rank == 1 else rows.mv)(self, other)
    if rank == 1 and other_rank == 2:
        return shape.squeeze_(rows.mm(TENSORS.unsqueeze(self, 0), other), 0)
    need(rank and other_rank, "matmul_dims", rank, other_rank)
    if rank == other_rank == 3 and self._data.shape[0] != other._data.shape[0]:  # a single matrix may be worth folding
        if self.shape[0] == 1 and self.requires_grad:
            return matmul(self.squeeze(0), other)
        if other.shape[0] == 1 and other.requires_grad:
            return matmul(self, other.squeeze(0))
    return _folded(self, other) if _folds(self, other, rank, other_rank) else _batched(self, other)


def _folds(a, b, rank: int, other_rank: int) -> bool:
    """Whether the batch goes into the rows: one big product instead of many."""
    small, large = (b, a) if rank >= other_rank else (a, b)
    if small._data.ndim > 2 or small.requires_grad or rank == 2:
        return small._data.ndim <= 2 and small.requires_grad
    data = large._array() if large is a else large._array().swapaxes(-1, -2)
    try:
        data.reshape((math.prod(data.shape[:-1]), data.shape[-1]), copy=False)
    except ValueError:
        return False
    return True


def _folded(a, b):
    turned = b._data.ndim > a._data.ndim
    large, small = (b.mT, a.t() if a._data.ndim == 2 else a) if turned else (a, b)
    *batch, inner = large._data.shape
    flat = TENSORS.reshape(large, (math.prod(batch), inner))
    if small._data.ndim == 1:
        return TENSORS.unsafe_view(rows.mv(flat, small), tuple(batch))
    product = TENSORS.unsafe_view(rows.mm.row.call(flat, small), (*batch, small._data.shape[1]))
    return product.mT.contiguous() if turned else product


def _batched(a, b):
    m, n, vector = a._data.shape, b._data.shape, b._data.ndim == 1
    left, right = m[-2:] if len(m) > 1 else (1, *m), n[-2:]
    batch = m[:-2] if m[:-2] == n[:-2] else common_shape(m[:-2], n[:-2])
    expand, reshape, count = TENSORS.expand, TENSORS.reshape, math.prod(batch)
    x, y = (reshape(expand(t, (*batch, *own)), (count, *own)) for t, own in ((a, left), (b, right)))
    product = rows.bmm.row.call(x, y.unsqueeze(2)).squeeze(-1) if vector else rows.bmm.row.call(x, y)
    return TENSORS.unsafe_view(product, (*batch, *m[-2:-1], *right[1:]))


def tensordot(a, b, dims=2):
    """Sum over several dimensions at once: the last of `a` with the first of `b`, or as listed."""
    same_type(a._data, b._data, said="tensordot_types")
    dims = (range(-dims, 0), range(dims)) if isinstance(dims, int) else dims
    of_a, of_b = ([*d] if isinstance(d, (tuple, list, range)) else [d] for d in dims)
    for i, j in zip(of_a, of_b, strict=True):
        check_dim(i, a.ndim)
        check_dim(j, b.ndim)
        need(a.shape[i] == b.shape[j], "contracted_sizes", a.shape[i], i, b.shape[j], j)
    free_a, free_b = ([i for i in range(t.ndim) if i not in {d % t.ndim for d in summed}]
                      for t, summed in ((a, of_a), (b, of_b)))
    if not free_a and not free_b:
        flat = (t.permute(d) if t.ndim == 1 else t.permute(d).reshape(-1) for t, d in ((a, of_a), (b, of_b)))
        return rows.dot(*flat).reshape(())
    count = math.prod([a.shape[d] for d in of_a])
    product = rows.mm(a.permute(free_a + of_a).reshape(-1, count), b.permute(of_b + free_b).reshape(count, -1))
    return product.reshape((*(a.shape[i] for i in free_a), *(b.shape[i] for i in free_b)))


def inner(self, other):
    """Sum over the last dimension of both."""
    need(not (both := self.ndim and other.ndim) or self.shape[-1] == other.shape[-1], "inner_sizes", [*self.shape],
         [*other.shape])
    return tensordot(self, other, ([-1], [-1])) if both else self * other


def kron(self, other):
    """Every element of `self` times the whole of `other`."""
    m, n = ((1,) * (max(self.ndim, other.ndim) - t.ndim) + tuple(t.shape) for t in (self, other))
    left = TENSORS.unsafe_view(self, tuple(k for size in m for k in (size, 1)))
    right = TENSORS.unsafe_view(other, tuple(k for size in n for k in (1, size)))
    return TENSORS.unsafe_view(left * right, tuple(i * j for i, j in zip(m, n, strict=True)))


def cross(self, other, dim=None):
    """The vector product along a dimension of length 3, the first such if `dim` is not given."""
    if dim is None:
        warn("cross_dim", once=True)
        require(3 in self.shape, "no dimension of size 3 in input")
        dim = self.shape.index(3)
    return rows.cross_of(self, other, dim)


def matrix_power(self, n: int):
    """The product of `n` copies of a square matrix, by repeated squaring."""
    square_matrices("linalg.matrix_power", self._data)
    if operator.index(n) < 0:
        return matrix_power(inverse(self), -n) if n < -1 else inverse(self)
    if n == 0:
        eye = constant(self._plain, xp.broadcast_to(xp.eye(self.shape[-1], dtype=self._data.dtype), self.shape))
        return self.clone().copy_(eye)
    if n == 1:
        return self.clone()
    if n == 3:
        return matmul(matmul(self, self), self)
    power, result = self, self if n % 2 else None
    while n := n // 2:
        power = matmul(power, power)
        result = result if n % 2 == 0 else power if result is None else matmul(result, power)
    return result


# ---- einsum: the sum as torch composes it


def einsum(equation: str, *operands):
    """A sum of products written with one letter for each dimension, such as `"ij,jk->ik"`.

    Letters that the right side leaves out are summed over; `...` stands for leading dimensions.
    """
    tensors = shape.one_by_one(operands, "einsum", 1)
    inputs, output, order = _letters(equation, tuple([t._data.shape for t in tensors]))
    parts = [_lined_up(t, letters, order) for t, letters in zip(tensors, inputs, strict=True)]
    kept, result = len(output), parts[0]
    if len(parts) == 1:
        return result.sum(tuple(range(kept, len(order)))) if len(order) > kept else result
    for place, part in enumerate(parts[1:], 2):
        later = [p._data.shape for p in parts[place:]]
        result = _contract(result, part, tuple([d for d in range(kept, len(order)) if all(s[d] == 1 for s in later)]))
    return TENSORS.view(result, result._data.shape[:kept]) if len(order) > kept else result


@functools.lru_cache(256)
def _letters(equation: str, shapes: tuple[tuple, ...]) -> tuple[list[str], str, str]:
    """The letters of each operand, of the result and of all; dimensions under `...` are called 0, 1, 2 ..."""
    for at, c in enumerate(equation.replace("->", "  ", 1)):
        need(c.isalpha() or c in " .,", "einsum_subscript", at)
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    need(len(terms) == len(shapes), "einsum_operands", "fewer" if len(shapes) < len(terms) else "more")
    hidden = [len(sizes) - len(term.replace("...", "")) for sizes, term in zip(shapes, terms, strict=True)]
    for place, (term, more) in enumerate(zip(terms, hidden, strict=True)):
        need(not more or (more > 0 and "..." in term), "einsum_dims", len(term), len(shapes[place]), place)
    dots = "0123456789"[: max(hidden) if "..." in left else 0]
    inputs = [term.replace("...", dots[len(dots) - more :], 1) for term, more in zip(terms, hidden, strict=True)]
    flat = left.replace(",", "").replace("...", "")
    output = right.replace("...", dots, 1) if arrow else dots + "".join(sorted(c for c in flat if flat.count(c) == 1))
    for c in output:
        require(output.count(c) == 1, f"einsum(): output subscript {c} appears more than once in the output")
        need(any(c in term for term in inputs), "einsum_output", c)
    _check_sizes(shapes, inputs)
    return inputs, output, output + "".join(sorted(set("".join(inputs)) - set(output)))


def _check_sizes(shapes: tuple[tuple, ...], inputs: list[str]) -> None:
    seen: dict[str, int] = {}
    for place, (sizes, letters) in enumerate(zip(shapes, inputs, strict=True)):
        for letter, n in zip(letters, sizes, strict=True):
            own = sizes[letters.index(letter)]
            need(n == own, "einsum_repeated", letter, place, n, own)
            known = seen.get(letter, 1)
            need(n == known or 1 in (n, known), "einsum_size", letter, n, place, known)
            seen[letter] = max(n, known)


def _lined_up(t, letters: str, order: str):
    """An operand with one dimension for each letter, in order; repeated letters take the diagonal."""
    if len({*letters}) < len(letters):
        first, twice = next((letters.index(c), i) for i, c in enumerate(letters) if c in letters[:i])
        return _lined_up(t.diagonal(0, first, twice).movedim(-1, first), letters[:twice] + letters[twice + 1 :], order)
    for dim in range(len(letters), len(order)):
        t = TENSORS.unsqueeze(t, dim)
    return TENSORS.permute(t, _places(letters, order))


@functools.lru_cache(256)
def _places(letters: str, order: str) -> tuple:
    """Where each letter of the order stands: among an operand's own, and behind them those that it lacks."""
    return tuple(map((letters + "".join(c for c in order if c not in letters)).index, order))


def _contract(a, b, summed: tuple):
    """Multiply two operands and sum over the dimensions that no later one has."""
    both = tuple([d for d in summed if a._data.shape[d] != 1 and b._data.shape[d] != 1])
    alone = [tuple([d for d in summed if t._data.shape[d] != 1 and d not in both]) for t in (a, b)]
    a, b = (t.sum(dims, keepdim=True) if dims else t for t, dims in zip((a, b), alone, strict=True))
    if not both:
        return a * b
    swapped, first, left, second, right, sizes, order = _product(a._data.shape, b._data.shape, both)
    a, b = (b, a) if swapped else (a, b)
    a, b = shape.reshape(TENSORS.permute(a, first), left), shape.reshape(TENSORS.permute(b, second), right)
    return TENSORS.permute(TENSORS.view(rows.bmm(a, b), sizes), order)


@functools.lru_cache(256)
def _product(mine: tuple, theirs: tuple, summed: tuple) -> tuple:
    """A product that is summed, as one batch of matrix products, dimensions kept as ones.

    Whether the operands change places (as in torch the left one has what comes first in the result), order and sizes
    in which each is a batch of matrices, sizes and order of what comes out.
    """
    rest = [d for d in range(len(mine)) if d not in summed]
    shared = [d for d in rest if mine[d] != 1 and theirs[d] != 1]
    of_a = [d for d in rest if mine[d] != 1 and theirs[d] == 1]
    of_b = [d for d in rest if mine[d] == 1]
    if swapped := min(of_a, default=-1) > max(of_b, default=len(mine)):
        mine, theirs, of_a, of_b = theirs, mine, of_b, of_a
    first, second = (*shared, *of_a, *summed, *of_b), (*shared, *summed, *of_b, *of_a)
    batch, high, inside, wide = (math.prod([of[d] for d in dims]) for of, dims in (
        (mine, shared), (mine, of_a), (mine, summed), (theirs, of_b)))
    sizes = (*[mine[d] for d in shared + of_a], *[1] * len(summed), *[theirs[d] for d in of_b])
    return swapped, first, (batch, high, inside), second, (batch, inside, wide), sizes, RAW.inverse_order(first)


# ---- linear algebra as torch takes it

_slogdet_type = reduce.named("slogdet", "sign", "logabsdet")


def inverse(self):
    """The inverse of a square matrix. Raises: LinAlgError if it is singular."""
    return rows.inv_ex(self)[0]


def det(A):
    """The determinant."""
    return rows.det_of(A)[0]


def slogdet(A):
    """Sign and logarithm of the size of the determinant."""
    return _slogdet_type(rows.slogdet_of(A)[:2])


def logdet(self):
    """The logarithm of the determinant; nan where it is negative."""
    sign, size = rows.slogdet_of(self)[:2]
    return TENSORS.where(sign.detach() == -1.0, constant(self._plain, xp.full_like(size._data, xp.nan)), size)


# ---- norms of matrices


def svdvals(A):
    """The singular values."""
    return rows.svd_of(A, False, min(A.shape[-2:]))[1]


def matrix_norm(A, ord="fro", dim: tuple = (-2, -1), keepdim: bool = False):
    """A norm of matrices: "fro", "nuc", 1, 2, inf and their negatives."""
    require(A._data.ndim >= 2, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    require(ord in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf), f"linalg.matrix_norm: Order {ord} not supported.")
    dims = tuple(check_dim(d, A._data.ndim) for d in dims_of(A, dim))
    require(len(dims) == 2, f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    if ord == "fro" or (not A._data.size and ord in ("nuc", 1, 2, math.inf)):
        return TENSORS.linalg_vector_norm(A, 2, dims, keepdim)
    if ord in ("nuc", 2, -2):
        order = [*(d for d in range(A._data.ndim) if d not in dims), *dims]
        S = svdvals(A.permute(order))
        value = {"nuc": S.sum, 2: S.amax, -2: S.amin}[ord]((-1,), keepdim)
        return value.unsqueeze(-1).permute(RAW.inverse_order((*order,))) if keepdim else value
    along, across = dims if abs(ord) == 1 else dims[::-1]
    sums = TENSORS.linalg_vector_norm(A, 1.0, (along,), keepdim)
    across = across if keepdim or across < along else across - 1
    return (sums.amax if ord > 0 else sums.amin)((across,), keepdim)


TENSORS.matrix_norm = matrix_norm  # for `x.norm("nuc")`
