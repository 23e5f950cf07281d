"""Batching rules: what an operation on a batch is, read off the kind of its row.

Whatever is pointwise aligns its operands behind the mapped dimension. What names dimensions has them moved by one.
Some rows take leading dimensions as they are, some fold them into the first; products are `matmul`. A few rows have
a rule of their own, and what has none is run on one example after the other, with PyTorch's warning.
"""

from functools import partial
from typing import Any

from ..array import dtypes, reach, xp
from ..core.carriers import RAW, TENSORS as F
from ..core.graph import TensorBase, constant
from ..core.row import TABLE, Row
from ..text.presentation import need, warn
from .levels import KINDS, tensors_of
from .trees import mapped

LEADING, FOLDED, DRAWS, AROUND = (KINDS[kind] for kind in ("leading", "folded", "draws", "around"))
BY_DIM = {name for name, row in TABLE.items() if any(n.startswith("dim") for n in row.inputs)} - LEADING - {"renorm"}
POINTWISE = {n for n, row in TABLE.items() if row.chapter in ("pointwise", "activation", "loss")} | {"zero", "fill"}
OF_ALL = {"sum": ("sum_dim", (1,), False), "mean": ("mean_dim", (1,), False), "max": ("amax", (1,), False),
          "min": ("amin", (1,), False), "prod": ("prod_dim", 1, False), "median": ("median_dim", 1, False)}


def apply(level: Any, row: Row, args: tuple, given: list) -> Any:
    """`row` of batches: the results, whose first dimension is the mapped one. `given`: the tensors among `args`."""
    name = row.name
    if name in RULES:
        return RULES[name](level, *args)
    rank = max([t._data.ndim for t in given], default=0)
    if name in BY_DIM:
        return by_dim(level, row, args, rank)
    if name in POINTWISE:
        return aligned(level, row, args, rank)
    if name in LEADING:
        return row.call(*[level.front(v, True) for v in args])
    if name in FOLDED:
        values = [level.front(v, True).flatten(0, 1) if isinstance(v, TensorBase) else v for v in args]
        return mapped(lambda y: y.unflatten(0, (level.size, -1)), row.call(*values))
    if name in OF_ALL:
        other, *options = OF_ALL[name]
        found = getattr(F, other)(level.front(args[0]).reshape(level.size, -1), *options)
        return found[0] if found.__class__ is tuple else found
    return looped(level, row, args)


def beside(level: Any, v: Any, rank: int, whole: bool = False) -> Any:
    """`v` as it broadcasts with batches whose examples have `rank` dimensions: a batch gets ones behind the first."""
    value, missing = level.front(v, whole), rank - v._data.ndim
    if missing <= 0 or not (whole or level.batched(v)):
        return value
    return value.reshape(level.size, *(1,) * missing, *v._data.shape)


def aligned(level: Any, row: Row, args: tuple, rank: int) -> Any:
    values = [beside(level, v, rank) if isinstance(v, TensorBase) else v for v in args]
    mixed = {n: v._data for n, v in zip(row.inputs, args, strict=True)
             if isinstance(v, TensorBase) and n != "condition" and n != "mask"}
    if len({x.dtype for x in mixed.values()}) > 1:
        kind = dtypes.result_dtype(*mixed.values())
        values = [F.cast(v, kind) if n in mixed else v for n, v in zip(row.inputs, values, strict=True)]
    return row.call(*values)


def by_dim(level: Any, row: Row, args: tuple, rank: int) -> Any:
    if rank or row.inputs[0] == "tensors" or row.name == "unsqueeze" or "sizes" in row.inputs:
        return row.call(*[shifted(level, n, v, rank) for n, v in zip(row.inputs, args, strict=True)])
    at = dict(zip(row.inputs, args, strict=True)) | {"dim": (1,) if isinstance(args[1], tuple) else 1}
    values = [level.front(v, True).unsqueeze(1) if isinstance(v, TensorBase) else v for v in at.values()]
    return mapped(lambda y: y.flatten(), row.call(*values))


def shifted(level: Any, name: str, value: Any, rank: int) -> Any:
    """An argument of a row for batches: whole batches, dimensions one further, sizes with the batch in front."""
    if isinstance(value, TensorBase):
        return level.front(value, True)
    if name == "tensors":
        return tuple(level.front(t, True) for t in value)
    if name == "dim" and (value is None or value == ()):
        return tuple(range(1, rank + 1))
    if name.startswith("dim"):
        return tuple(d + (d >= 0) for d in value) if value.__class__ is tuple else value + (value >= 0)
    return (level.size, *value) if name == "sizes" else value


def looped(level: Any, row: Row, args: tuple) -> Any:
    """One example after the other."""
    warn("loop", row.name)
    found = [row.call(*mapped(lambda v, i=i: level.front(v)[i] if level.batched(v) else level.front(v), args))
             for i in range(level.size)]
    return mapped(lambda *column: F.stack(column), *found)


# ---- rules of their own: products and shapes


PRODUCTS = {**dict.fromkeys(("mm", "bmm", "addmm", "baddbmm"), F.matmul),
    **dict.fromkeys(("mv", "addmv"), lambda a, b: F.matmul(a, b.unsqueeze(-1)).squeeze(-1)),
    **dict.fromkeys(("dot", "vdot"), lambda a, b: F.sum_dim(a * b, (-1,), False)),
    "addr": lambda a, b: a.unsqueeze(-1) * b.unsqueeze(-2),
    "addbmm": lambda a, b: F.sum_dim(F.matmul(a, b), (-3,), False)}


def product(name: str, level: Any, *args: Any) -> Any:
    own, a, b, beta, alpha = args if name.startswith(("add", "badd")) else (None, *args, 1, 1)
    found = PRODUCTS[name](level.front(a), level.front(b))
    if own is None or not beta:  # what counts 0 times may be nan
        return F.scaled(found, alpha)
    own = beside(level, own, found.ndim - (level.batched(a) or level.batched(b)))
    return F.scaled(own, beta) + F.scaled(found, alpha)


def summed_to(level: Any, x: Any, shape: tuple) -> Any:
    ones = (1,) * (x._data.ndim - len(shape))
    return F.sum_to(level.front(x), (level.size, *ones, *shape)).reshape(level.size, *shape)


def rolled(level: Any, x: Any, shifts: Any, dims: tuple) -> Any:
    value = level.front(x)
    if dims:
        return F.roll(value, shifts, shifted(level, "dims", dims, 0))
    return F.roll(value.reshape(level.size, -1), shifts, (1,)).reshape(value.shape)


def place_of_extreme(row: Row, level: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """argmax and argmin: of all elements, or along one dimension."""
    value, rank = level.front(x), x._data.ndim
    if dim is None or not rank:
        return row.call(value.reshape(level.size, -1), 1, False).reshape(level.size, *[1] * (keepdim * rank))
    return row.call(value, dim + (dim >= 0), keepdim)


def in_storage(row: Row, level: Any, *args: Any) -> Any:
    """Parts of a storage: the examples' storages lie one after the other."""
    *tensors, whole, part = args
    step = max(reach(*whole), reach(*part))
    places = [((level.size, *size), (step, *stride), offset) for size, stride, offset in (whole, part)]
    return row.call(*[level.front(t, True) for t in tensors], *places)


def drawn(row: Row, level: Any, x: Any, *options: Any) -> Any:
    """Random numbers in the place of others: of their own for each example, or the same for all."""
    if level.randomness == "different":
        return row.call(level.front(x) if level.batched(x) else level.front(x, True).contiguous(), *options)
    need(row.name != "bernoulli", "same")
    return F.expand(row.call(level.front(x)[0], *options), level.front(x).shape)


def drawn_around(row: Row, level: Any, *args: Any) -> Any:
    need(level.randomness == "different", "same")
    return row.call(*[level.front(v, True) for v in args])


# ---- losses and layers


def reduced_loss(row: Row, level: Any, *args: Any) -> Any:
    """Losses of elements, each example's reduced by itself."""
    at = row.inputs.index("reduction")
    each = aligned(level, row, (*args[:at], 0, *args[at + 1 :]), max(t._data.ndim for t in tensors_of(args)))
    reduce = {0: lambda y, *_: y, 1: F.mean_dim, 2: F.sum_dim}[args[at]]
    return reduce(each.reshape(level.size, -1) if args[at] else each, (1,), False)


def nll(level: Any, x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    value, t = level.front(x, True).movedim(min(x.ndim, 2), -1), level.front(target, True)  # classes come last
    flat = value.reshape(-1, value.shape[-1])
    each, weights = (F.nll_loss(y, t.flatten(), weight, 0, ignore_index)[0].reshape(level.size, -1)
                     for y in (flat, constant(x._plain, xp.full_like(flat._data, -1))))
    total, gain = F.sum_dim(weights, (1,), False), F.sum_dim(each, (1,), False)
    return (each.reshape(t.shape), total * 0) if not reduction else (gain / total if reduction == 1 else gain, total)


def nll_back(level: Any, grad: Any, x: Any, target: Any, weight: Any, total: Any, reduction: int, ignore: int) -> Any:
    value, t, g = level.front(x, True).movedim(min(x.ndim, 2), -1), level.front(target, True), level.front(grad, True)
    g = g / level.front(total, True) if reduction == 1 else g
    g = g.reshape(level.size, -1).expand(level.size, t.numel() // level.size).flatten()
    found = F.nll_loss_backward(g, value.reshape(-1, value.shape[-1]), t.flatten(), weight, F.sum(g) * 0, 0, ignore)
    return found.reshape(value.shape).movedim(-1, min(x.ndim, 2))


def scaled(level: Any, found: tuple, weight: Any, bias: Any, sizes: tuple) -> tuple:
    """A norm of batches, times a weight and plus a bias that broadcast with an example as `sizes`."""
    y, mean, rstd = found
    y = y if weight is None else y * level.front(weight).reshape(-1, *sizes)
    return y if bias is None else y + level.front(bias).reshape(-1, *sizes), mean, rstd


def layer_norm(level: Any, x: Any, weight: Any, bias: Any, shape: tuple, eps: float) -> tuple:
    found = F.native_layer_norm(level.front(x, True), None, None, shape, eps)
    return scaled(level, found, weight, bias, (*[1] * (x._data.ndim - len(shape)), *shape))


def group_norm(level: Any, x: Any, weight: Any, bias: Any, count: int, *rest: Any) -> tuple:
    found = F.native_group_norm(level.front(x, True).flatten(0, 1), None, None, count * level.size, *rest)
    apart = tuple(t.unflatten(0, (level.size, count)) for t in found)
    return scaled(level, apart, weight, bias, (1, x.shape[1], *[1] * (x._data.ndim - 2)))


def batch_norm(level: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, *rest: Any) -> tuple:
    need(not training or not level.batched(x) or all(t is None or level.batched(t) for t in (mean, var)), "running")
    flat = [None if t is None else level.front(t, True).flatten(0, 1) for t in (weight, bias, mean, var)]
    y, *saved = F.native_batch_norm(by_channel(level, x), *flat, training, *rest)
    return from_channel(level, y), *[t.reshape(level.size, t.numel() // level.size) for t in saved]


def own_rows(level: Any, indices: Any, count: int) -> Any:
    """Indices into the rows of all examples' tables, one after the other."""
    starts = constant(indices._plain, xp.arange(level.size) * count)
    return level.front(indices, True) + starts.reshape(-1, *[1] * indices._data.ndim)


def embedding(level: Any, weight: Any, indices: Any, padding_idx: int, *options: Any) -> Any:
    value = level.front(weight)
    if not level.batched(weight):
        return F.embedding(value, level.front(indices), padding_idx, *options)
    return F.embedding(value.flatten(0, 1), own_rows(level, indices, value.shape[1]), -1, *options)


def embedding_back(level: Any, grad: Any, indices: Any, count: int, padding_idx: int, scaled: bool) -> Any:
    if padding_idx >= 0:
        return looped(level, TABLE["embedding_backward"], (grad, indices, count, padding_idx, scaled))
    rows = own_rows(level, indices, count)
    return F.embedding_backward(level.front(grad, True), rows, count * level.size, -1, scaled).unflatten(0, (-1, count))


def by_channel(level: Any, x: Any) -> Any:
    """Batches of (N, C, ...) as (N, B * C, ...)."""
    return level.front(x, True).transpose(0, 1).flatten(1, 2)


def from_channel(level: Any, y: Any) -> Any:
    return y.unflatten(1, (level.size, -1)).transpose(0, 1)


def convolved(level: Any, x: Any, weight: Any, bias: Any, *rest: Any) -> Any:
    *options, groups, sizes = rest
    apart = level.batched(weight) or level.batched(bias)
    weight, bias = level.front(weight, apart), level.front(bias, apart)
    if not apart:
        y = F.convolution(level.front(x).flatten(0, 1), weight, bias, *options, groups, sizes)
        return y.unflatten(0, (level.size, -1))
    weight, bias = weight.flatten(0, 1), bias if bias is None else bias.flatten()
    return from_channel(level, F.convolution(by_channel(level, x), weight, bias, *options, groups * level.size, sizes))


def convolved_back(level: Any, grad: Any, weight: Any, sizes: tuple, *rest: Any) -> Any:
    *options, groups = rest
    if not level.batched(weight):
        y = F.convolution_input(level.front(grad).flatten(0, 1), level.front(weight), (
            sizes[0] * level.size, *sizes[1:]), *rest)
        return y.unflatten(0, (level.size, -1))
    sizes, weight = (sizes[0], sizes[1] * level.size, *sizes[2:]), level.front(weight).flatten(0, 1)
    y = F.convolution_input(by_channel(level, grad), weight, sizes, *options, groups * level.size)
    return from_channel(level, y)


def kernel_slope(level: Any, grad: Any, x: Any, sizes: tuple, *rest: Any) -> Any:
    *options, groups = rest
    sizes = (sizes[0] * level.size, *sizes[1:])
    y = F.convolution_weight(by_channel(level, grad), by_channel(level, x), sizes, *options, groups * level.size)
    return y.unflatten(0, (level.size, -1))


# ---- x[i, j]: the dimensions that are indexed come first, behind the mapped one, which has an index too


def prepared(level: Any, x: Any, indices: tuple) -> tuple:
    """The index for a batch, the order of its dimensions, and where in a result the indexed ones belong."""
    parts: list = []
    for i in indices:  # a mask as the places where it is true
        is_mask = i is not None and i._data.dtype.kind == "b"
        need(not (is_mask and level.batched(i)), "mask")
        parts += [constant(i._plain, p) for p in level.front(i)._data.nonzero()] if is_mask else [i]
    dims = [d for d, p in enumerate(parts) if p is not None]
    rank = max(parts[d]._data.ndim for d in dims)
    every = constant(x._plain, xp.arange(level.size)).reshape(-1, *[1] * rank)
    order = (0, *[d + 1 for d in dims], *[d + 1 for d in range(x._data.ndim) if d not in dims])
    first = 1 + (dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0)
    moved = [*range(1, rank + 1)], [*range(first, first + rank)]
    return (every, *[beside(level, parts[d], rank) for d in dims]), order, moved


def indexed(level: Any, x: Any, indices: tuple) -> Any:
    at, order, moved = prepared(level, x, indices)
    return F.index(F.permute(level.front(x, True), order), at).movedim(*moved)


def written_at(level: Any, x: Any, values: Any, indices: tuple, accumulate: bool, alpha: Any = 1) -> Any:
    at, order, moved = prepared(level, x, indices)
    whole = F.permute(level.front(x, True), order)
    shape = F.index(whole, at).movedim(*moved).shape
    given = F.scaled(beside(level, values, len(shape) - 1, whole=True), alpha).expand(shape)
    return F.permute(F.index_put(whole, given.movedim(*moved[::-1]), at, accumulate), RAW.inverse_order(order))


def at_dim(index: Any, dim: int, like: Any) -> tuple:
    """An index along `dim`, as one of `x[:, ..., index]`."""
    return (*[None] * (dim % max(like._data.ndim, 1)), index)


def taken(level: Any, x: Any, index: Any) -> Any:
    value, at = (level.front(v, True).reshape(level.size, -1) for v in (x, index))
    return F.gather(value, F.remainder_number(at, value.shape[1]), 1, False).reshape(level.size, *index._data.shape)


RULES: dict[str, Any] = {
    **{name: partial(product, name) for name in PRODUCTS},
    **dict.fromkeys(("view", "reshape_alias", "unsafe_view"), lambda level, x, shape: F.reshape(
        level.front(x), (level.size, *shape))),
    "expand": lambda level, x, sizes: F.expand(beside(level, x, len(sizes), True), (level.size, *sizes)),
    "squeeze": lambda level, x: F.squeeze_dims(level.front(x), tuple(d + 1 for d, n in enumerate(x.shape) if n == 1)),
    "squeeze_dims": lambda level, x, dims: F.squeeze_dims(level.front(x), (*[d % x.ndim + 1 for d in dims if x.ndim],)),
    "permute": lambda level, x, dims: F.permute(level.front(x), (0, *[d % x._data.ndim + 1 for d in dims])),
    "t": lambda level, x: F.transpose(level.front(x), 1, 2) if x._data.ndim == 2 else F.alias(level.front(x)),
    "repeat": lambda level, x, repeats: F.repeat(beside(level, x, len(repeats), True), (1, *repeats)),
    "repeat_back": lambda level, x, repeats, sizes: F.repeat_back(level.front(x), (1, *repeats), (
        level.size, *[1] * (len(repeats) - len(sizes)), *sizes)).reshape(level.size, *sizes),
    "as_strided": lambda level, x, size, stride, offset, *_: level.front(x).as_strided(
        (level.size, *size), (level.front(x).stride(0), *stride), offset),
    "trace": lambda level, x: F.sum_dim(F.diagonal(level.front(x), 0, 1, 2), (1,), False), "sum_to": summed_to,
    **dict.fromkeys(("copy", "fill_tensor"), lambda level, x, other: F.copy(
        level.front(x, True), beside(level, other, x._data.ndim, True))),
    "masked_fill_tensor": lambda level, x, mask, value: aligned(level, TABLE["where"], (mask, value, x), max(
        x._data.ndim, mask._data.ndim)),
    "tied": lambda level, grad, _x: level.front(grad, True), "roll": rolled, "take": taken,
    "sum_as": lambda level, x, kind: F.sum_dim(
        F.cast(level.front(x), xp.dtype(kind)).reshape(level.size, -1), (1,), False),
    "dist": lambda level, a, b, p: F.linalg_vector_norm(aligned(level, TABLE["sub"], (a, b), max(
        a._data.ndim, b._data.ndim)).reshape(level.size, -1), p, (1,), False),
    "index_back": lambda level, grad, indices, sizes: written_at(level, F.zeros_as(grad, sizes), grad, indices, True),
    "index_select": lambda level, x, index, dim: indexed(level, x, at_dim(index, dim, x)),
    "index_add": lambda level, x, index, source, dim, alpha: written_at(
        level, x, source, at_dim(index, dim, x), True, alpha),
    "index_copy": lambda level, x, index, source, dim: written_at(level, x, source, at_dim(index, dim, x), False),
    "index_fill_tensor": lambda level, x, index, value, dim: written_at(level, x, value, at_dim(index, dim, x), False),
    "index_fill": lambda level, x, index, dim, value: written_at(
        level, x, constant(x._plain, xp.asarray(value, x._data.dtype)), at_dim(index, dim, x), False),
    "nll_loss": nll, "nll_loss2d": nll, "nll_loss_backward": nll_back, "native_layer_norm": layer_norm,
    "native_group_norm": group_norm, "native_batch_norm": batch_norm, "embedding": embedding,
    "embedding_backward": embedding_back, "convolution": convolved, "convolution_input": convolved_back,
    "convolution_weight": kernel_slope, "index": indexed, "index_put": written_at,
    **{name: partial(place_of_extreme, TABLE[name]) for name in ("argmax", "argmin")},
    **{name: partial(in_storage, TABLE[name]) for name in ("take_part", "put_part", "add_part")},
    **{n: partial(draw, TABLE[n]) for draw, names in ((drawn, DRAWS), (drawn_around, AROUND)) for n in names},
    **{n: partial(reduced_loss, row) for n, row in TABLE.items() if "reduction" in row.inputs and "nll" not in n},
    **{n: lambda *_args, n=n: need(False, "dynamic", n) for n in ("nonzero", "masked_select", "_unique2")}}
