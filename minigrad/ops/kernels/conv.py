"""Windows of arrays, the three maps of convolution, pooling, resizing, padding, normalisation, embedding.

The result and the weight's gradient are one matrix product per image over `_columns`: every window of the input
laid out as a column (im2col). The input's gradient is a product that makes such columns, added up where they lie.
"""

import functools
import itertools
import math

from ...array import dtypes, in_order, namespace, strided, xp
from ...core.carriers import RAW, formula
from ...text.tex import SYMBOLS, Symbol, column, number, phrase
from ..checks import implemented, need, require, same_type
from . import index, reduce
from .shape import padded, pairs_of, within_padding

# ---- windows


def windows(x, kernel: tuple, out: tuple, stride: tuple, dilation: tuple, memory=None):
    """Every window as a view: `(..., *kernel, *out)`; they may reach beyond `x` if its `memory` does."""
    lead = x.ndim - len(kernel)
    steps = x.strides[lead:]
    inner = [s * d for s, d in zip(steps, dilation, strict=True)]
    outer = [s * t for s, t in zip(steps, stride, strict=True)]
    return strided(x if memory is None else memory, (*x.shape[:lead], *kernel, *out),
                   (*x.strides[:lead], *inner, *outer))


def cells(view, kernel: tuple) -> list:
    """The windows taken apart: for each place of the kernel what all of them have there."""
    return [view[(..., *at, *(slice(None),) * len(kernel))] for at in itertools.product(*map(range, kernel))]


def out_sizes(sizes: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> tuple:
    """How many windows fit along each dimension."""
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1
                 for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True))


def _columns(x, kernel: tuple, out: tuple, stride: tuple, padding: tuple, dilation: tuple, groups: int):
    """Windows as columns: `(images, groups, channels / groups * kernel, out)`."""
    view = windows(padded(x, padding), kernel, out, stride, dilation)
    return view.reshape(x.shape[0], groups, x.shape[1] // groups * math.prod(kernel), math.prod(out))


def _add_windows(parts, sizes: tuple, out: tuple, stride: tuple, padding: tuple, dilation: tuple):
    """The reverse of `windows`: parts `(..., *kernel, *out)` summed where they came from.

    Zeros at the end of rows in `out` may hang over the end of a row, into the next one.
    """
    n = len(out)
    lead, kernel = parts.shape[: -2 * n], parts.shape[-2 * n : -n]
    if not parts.size:  # NumPy would forget how it lies
        return namespace(parts).zeros((*lead, *sizes), parts.dtype)
    room = tuple(m + 2 * p for m, p in zip(sizes, padding, strict=True))
    size, last = math.prod(room), (out[-1] - 1) * stride[-1] + (kernel[-1] - 1) * dilation[-1]
    flat = namespace(parts).zeros((*lead, size + max(last + 1 - room[-1], 0)), parts.dtype)  # also of the last row
    whole = flat[..., :size].reshape(*lead, *room)
    view = windows(whole, kernel, out, stride, dilation, flat)
    for cell, part in zip(cells(view, kernel), cells(parts, kernel), strict=True):
        cell += part
    return whole[within_padding(sizes, padding)] if any(padding) else whole


# ---- the three maps of convolution


def _check(x, weight, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> None:
    require(min(stride) > 0, "non-positive stride is not supported")
    require(min(padding) >= 0, "negative padding is not supported")
    require(min(dilation) > 0, f"dilation should be greater than zero, but got {list(dilation)}")
    require(groups > 0, "non-positive groups is not supported")
    sizes, made = list(weight.shape), weight.shape[0]
    need(made >= groups, "conv_groups", groups, "at least", groups, sizes)
    need(not made % groups, "conv_groups", groups, "divisible by", groups, [sizes])  # torch has two brackets
    wants = sizes[1] * groups
    need(x.shape[1] == wants, "conv_channels", groups, sizes, list(x.shape), wants, x.shape[1])


def convolution(input, weight, bias, stride: tuple, padding: tuple, dilation: tuple, transposed: bool,
                output_padding: tuple, groups: int, bias_sym_sizes_opt: tuple = (0,)):
    """`transposed` and `output_padding` are there for torch's nodes to show: transposed convolution waits."""
    _check(input, weight, stride, padding, dilation, groups)
    same_type(input, weight)
    made, kernel = weight.shape[0], weight.shape[2:]
    if bias is not None:
        need(bias.shape == (made,), "conv_bias", list(weight.shape), made, list(bias.shape))
    out = out_sizes(input.shape[2:], kernel, stride, padding, dilation)
    if min(out) < 1:
        room = (str(n + 2 * p) for n, p in zip(input.shape[2:], padding, strict=True))
        reach = (str(d * (k - 1) + 1) for k, d in zip(kernel, dilation, strict=True))
        need(False, "conv_size", " x ".join(room), " x ".join(reach))
    plane = [*input.shape[:2], *(1, *input.shape[2:])[-2:]]  # to torch a sequence is one of height 1
    need(all(plane) or not all(plane[:2]), "conv_nothing", plane)
    need(all(kernel), "conv_kernel", *(1, *kernel)[-2:])
    columns = _columns(input, kernel, out, stride, padding, dilation, groups)
    y = xp.matmul(weight.reshape(groups, made // groups, -1), columns).reshape(input.shape[0], made, *out)
    return y if bias is None else y + bias.astype(y.dtype, copy=False).reshape(-1, *(1,) * len(stride))


def conv_input(grad_output, weight, sizes: tuple, stride: tuple, padding: tuple, dilation: tuple, groups: int):
    kernel = weight.shape[2:]
    if set(stride) == {1}:  # in rows as long as the input's, each place of the kernel adds one stretch of memory
        rim = sizes[-1] + 2 * padding[-1] - grad_output.shape[-1]
        grad_output = padded(grad_output, (0,) * len(kernel), after=(0,) * (len(kernel) - 1) + (rim,))
    flat, out = weight.reshape(groups, weight.shape[0] // groups, -1).swapaxes(1, 2), grad_output.shape[2:]
    parts = xp.matmul(flat, _by_group(grad_output, groups))
    return _add_windows(parts.reshape(*sizes[:2], *kernel, *out), sizes[2:], out, stride, padding, dilation)


def conv_weight(grad_output, input, sizes: tuple, stride: tuple, padding: tuple, dilation: tuple, groups: int):
    columns = _columns(input, sizes[2:], grad_output.shape[2:], stride, padding, dilation, groups)
    return xp.add.reduce(xp.matmul(_by_group(grad_output, groups), columns.swapaxes(2, 3)), 0).reshape(sizes)


def _by_group(x, groups: int):
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, math.prod(x.shape[2:]))


@formula(r"\sum_{{\mathrm{{copies}}}} {0:1}", 1)
def per_channel(F, grad):
    """Summed over everything but dimension 1."""
    return F.sum_dim(grad, reduce.besides(1, len(grad.shape)), False)


@formula(tex=lambda x, weight, *_: Symbol(rf"{x.at(4)} \star {weight.at(4)}", 1))
def convolve(F, x, weight, stride: tuple, padding: tuple, dilation: tuple, groups: int):
    return F.convolution(x, weight, None, stride, padding, dilation, False, (0,) * len(stride), groups, (0,))


# ---- bilinear forms


_mix = phrase(r"\sum_k {0:4}[k] \cdot {1:4}[k]", 1)


@formula(tex=lambda grad, weight, x, turned: (SYMBOLS.mT(_mix(grad, weight)) if turned else _mix(grad, weight)) @ x)
def mixed(F, grad, weight, x, turned: bool):
    """For each example the sum of the matrices `weight[k]`, weighted by its gradient, times its vector."""
    return F.trilinear(grad, F.transpose(F.mT(weight) if turned else weight, 0, 1), x)


@formula(r"\sum {0:4}[k] \cdot {1:4}\, {2:4}^{{\top}}", 1)
def outer_sum(F, grad, i1, i2):
    """grad[b, k] i1[b, i] i2[b, j], summed over the examples b."""
    both = F.reshape(F.unsqueeze(i1, 2) * F.unsqueeze(i2, 1), (grad.shape[0], i1.shape[1] * i2.shape[1]))
    return F.reshape(F.mm(F.t(grad), both), (grad.shape[1], i1.shape[1], i2.shape[1]))


# ---- pooling


def max_pool(self, kernel_size: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil_mode: bool) -> tuple:
    """The largest element of each window, and its place counted over the whole plane."""
    stride, width = stride or kernel_size, self.shape[-1]
    whole, out = _room(self, kernel_size, stride, padding, dilation, ceil_mode, -math.inf)
    implemented("max_pool2d", self, "fiu")
    best, at = _last_largest(xp.stack(cells(windows(whole, kernel_size, out, stride, dilation), kernel_size)))
    start, first, cell = map(namespace(self).asarray, _places(kernel_size, out, stride, padding, dilation, width))
    places = start + cell[at]
    return best, xp.where(best == -math.inf, first, places) if any(padding) else places  # none is in the padding


@functools.lru_cache(8)
def _places(kernel: tuple, out: tuple, stride: tuple, padding: tuple, dilation: tuple, width: int) -> tuple:
    """In rows of `width`: where windows begin, their first places out of the padding, and their cells from there."""
    rows, columns = (xp.arange(o) * s - p for o, s, p in zip(out, stride, padding, strict=True))
    down, along = (xp.arange(k) * d for k, d in zip(kernel, dilation, strict=True))
    first = xp.maximum(rows, rows % dilation[0])[:, None] * width + xp.maximum(columns, columns % dilation[1])
    return rows[:, None] * width + columns, first, (down[:, None] * width + along).reshape(-1)


def _last_largest(parts) -> tuple:
    """The largest of the parts along the first dimension, and its place: of several NaN the last one, as torch's loop
    finds it."""
    best = parts.max(0)
    at, missed = namespace(parts).zeros(best.shape, "int64"), parts[0] != best
    for part in parts[1:]:  # in a third of the time of `argmax`
        at += missed
        missed &= part != best
    if xp.isnan(best).any():
        at = xp.where(xp.isnan(best), len(parts) - 1 - xp.isnan(parts[::-1]).argmax(0), at)
    if not best.all() and xp.signbit(parts).any():  # of 0.0 and -0.0 the first, too
        best = xp.take_along_axis(parts, at[None], 0)[0]
    return best, at


def _room(x, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil_mode: bool, value: float) -> tuple:
    """`x` with its padding, and with what `ceil_mode` lets hang over; how many windows there are."""
    sizes = x.shape[-2:]
    require(x.ndim in (3, 4), "non-empty 3D or 4D (batch mode) tensor expected for input")
    require(all(stride), "stride should not be zero")
    for p, k, d in zip(padding, kernel, dilation, strict=True) if any(padding) or dilation != (1, 1) else ():
        require(d > 0, "dilation should be greater than zero, but got dilationH: {} dilationW: {}".format(*dilation))
        require(p >= 0, f"pad must be non-negative, but got pad: {p}")
        need(p <= (d * (k - 1) + 1) // 2, "pool_padding", p, k, d)
    need(all(x.shape[-3:]), "pool_input", list(x.shape))
    out, after = out_sizes(sizes, kernel, stride, padding, dilation), padding
    if ceil_mode:
        whole = out_sizes([n + s - 1 for n, s in zip(sizes, stride, strict=True)], kernel, stride, padding, dilation)
        out = tuple(m if (m - 1) * s < n + p else o  # the last window begins inside
                    for m, o, n, s, p in zip(whole, out, sizes, stride, padding, strict=True))
        after = tuple(max((o - 1) * s + d * (k - 1) + 1 - n - p, p)
                      for n, o, k, s, p, d in zip(sizes, out, kernel, stride, padding, dilation, strict=True))
    need(min(out) > 0, "pool_output", *x.shape[-3:], x.shape[-3], *out)
    return padded(x, padding, value, after), out


def _divisor(x, kernel: tuple, stride: tuple, padding: tuple, ceil_mode: bool, count_pad: bool, divisor):
    """What each window's sum is divided by: how many cells of it count."""
    if divisor or not (ceil_mode or (any(padding) and not count_pad)):
        return x.dtype.type(divisor or math.prod(kernel))
    (height, width), (top, left) = x.shape[-2:], padding
    counted, out = _room(namespace(x).ones((1, height, width), x.dtype), kernel, stride, padding, (1, 1), ceil_mode, 0)
    if count_pad:
        counted[..., : height + 2 * top, : width + 2 * left] = 1
    return windows(counted, kernel, out, stride, (1, 1)).sum((1, 2))


def avg_pool(self, kernel_size: tuple, stride: tuple, padding: tuple, ceil_mode: bool, count_include_pad: bool,
             divisor_override):
    stride = stride or kernel_size
    require(divisor_override != 0, "divisor must be not zero")
    whole, out = _room(self, kernel_size, stride, padding, (1, 1), ceil_mode, 0)
    implemented("avg_pool2d", self, "fi" if self.dtype == "int64" else "f")
    kind = xp.promote_types(self.dtype, dtypes.float32.np)
    total = namespace(self).zeros((*self.shape[:-2], *out), kind)
    for cell in cells(windows(whole, kernel_size, out, stride, (1, 1)), kernel_size):  # in torch's order
        total += cell
    divisor = _divisor(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return (total / divisor).astype(self.dtype, copy=False)


def avg_pool_back(grad_output, self, kernel_size: tuple, stride: tuple, padding: tuple, ceil_mode: bool,
                  count_include_pad: bool, divisor_override):
    stride = stride or kernel_size
    share = grad_output / _divisor(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    whole, out = _room(xp.zeros_like(self, dtype=share.dtype), kernel_size, stride, padding, (1, 1), ceil_mode, 0)
    for cell in cells(windows(whole, kernel_size, out, stride, (1, 1)), kernel_size):
        cell += share
    return whole[within_padding(self.shape[-2:], padding)]


@formula(r"0[\mathrm{{maxima}}] \,\text{{+=}}\, {0}", 0)
def to_places(F, grad, x, places):
    """Zeros like `x`, and the gradient where each window found its largest element."""
    lead, sizes = tuple(grad.shape[:-2]), tuple(x.shape)
    flat = F.zeros_as(grad, (*lead, sizes[-2] * sizes[-1]))
    places, grad = (F.reshape(v, (*lead, math.prod(grad.shape[-2:]))) for v in (places, grad))
    return F.tied(F.reshape(F.scatter_add(flat, places, grad, -1), sizes), x)


def _regions(size: int, out: int) -> list[tuple[int, int]]:
    """Where each of `out` regions that cover `size` cells begins and ends; neighbours may share a cell."""
    return [(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]


def shares(size: int, out: int, kind):
    """The matrix that averages `size` cells into `out` regions, row by row."""
    matrix = xp.zeros((out, size), kind)
    for row, (first, last) in zip(matrix, _regions(size, out), strict=True):
        row[first:last] = 1 / (last - first)
    return matrix


def two_sided(self, left, right):
    left, right = map(namespace(self).asarray, (left, right))
    return left @ self @ right.T


def adaptive_avg_pool(self, left, right):
    left, right = map(namespace(implemented("adaptive_avg_pool2d", self)).asarray, (left, right))
    counts = (xp.count_nonzero(m, 1).astype(self.dtype) for m in (left, right))
    y = two_sided(self, xp.sign(left), xp.sign(right)) / xp.outer(*counts)  # whole numbers stay whole
    if not xp.isfinite(y).all():  # NaN times 0 is NaN: what is not in a region must not touch it
        for i, j in itertools.product(range(len(left)), range(len(right))):
            y[..., i, j] = self[..., left[i] > 0, :][..., right[j] > 0].mean((-2, -1))
    return y


def adaptive_max_pool(self, output_size: tuple) -> tuple:
    y, places = (namespace(self).empty((*self.shape[:-2], *output_size), kind) for kind in (self.dtype, "int64"))
    down, along = map(_regions, implemented("adaptive_max_pool2d", self).shape[-2:], output_size)
    for (i, (top, bottom)), (j, (left, right)) in itertools.product(enumerate(down), enumerate(along)):
        part = self[..., top:bottom, left:right]
        y[..., i, j], at = _last_largest(xp.moveaxis(part.reshape(*self.shape[:-2], math.prod(part.shape[-2:])), -1, 0))
        places[..., i, j] = (top + at // part.shape[-1]) * self.shape[-1] + left + at % part.shape[-1]
    return y, places


# ---- copies of cells: resizing, and padding by what is there


def _copies_back(F, grad, sizes: tuple, places):
    """Each cell of the last two dimensions gets the gradients of its copies; `places` says of what each is one."""
    kind = reduce.kind_of(grad)
    left, right = ((xp.arange(n)[:, None] == at).astype(kind) for n, at in zip(sizes[-2:], places, strict=True))
    return F.two_sided(grad, left, right)


def _nearest(size: int, out: int, scale: float | None):
    """For each of `out` cells the one of `size` that it lies in."""
    step = xp.float32(size / out if scale is None else 1 / scale)
    return xp.minimum((xp.arange(out, dtype="float32") * step).astype("int64"), size - 1)  # in float32, as torch


def upsampled(x, output_size: tuple, *scales: float | None):
    for dim, (out, scale) in enumerate(zip(output_size, scales, strict=True), 2):
        x = xp.take(x, namespace(x).asarray(_nearest(x.shape[dim], out, scale)), dim)
    return x


@formula(r"\sum_{{\mathrm{{copies}}}} {0:1}", 1)
def upsample_back(F, grad, sizes: tuple, *scales: float | None):
    return _copies_back(F, grad, sizes, map(_nearest, sizes[-2:], grad.shape[-2:], (None, *scales)[-2:]))


def _neighbours(size: int, out: int, scale: float | None, corners: bool) -> tuple:
    """Between which two of `size` cells each of `out` lies, and how far from the first."""
    step = (size - 1) / max(out - 1, 1) if corners else size / out if scale is None else 1 / scale
    at = xp.arange(out) * step if corners else xp.maximum((xp.arange(out) + 0.5) * step - 0.5, 0)
    low = xp.minimum(at.astype("int64"), size - 1)
    return low, xp.minimum(low + 1, size - 1), xp.minimum(at - low, 1)


def resampled(x, output_size: tuple, corners: bool, *scales: float | None):
    for dim, (out, scale) in enumerate(zip(output_size, scales, strict=True), 2):
        low, high, far = map(namespace(x).asarray, _neighbours(x.shape[dim], out, scale, corners))
        far = far.astype(x.dtype).reshape(-1, *(1,) * (x.ndim - 1 - dim))
        x = xp.take(x, low, dim) * (1 - far) + xp.take(x, high, dim) * far
    return x


@formula(r"\sum_{{\mathrm{{neighbours}}}} \mathrm{{weight}} \odot {0:3}", 1)
def resample_back(F, grad, sizes: tuple, corners: bool, *scales: float | None):
    kind, sides = reduce.kind_of(grad), []
    for n, out, scale in zip(sizes[-2:], grad.shape[-2:], (None, *scales)[-2:], strict=True):
        cells, (low, high, far) = xp.arange(n)[:, None], _neighbours(n, out, scale, corners)
        sides.append(((cells == low) * (1 - far) + (cells == high) * far).astype(kind))
    return F.two_sided(grad, *sides)


@formula(r"\sum_{{\mathrm{{copies}}}} {0:1}", 1)
def pad_back(F, grad, x, padding: tuple, mode: str):
    copied = (xp.pad(xp.arange(n), pair, mode) for n, pair in zip(x.shape[-2:], pairs_of(padding, 2), strict=True))
    return F.tied(_copies_back(F, grad, tuple(x.shape), copied), x)


@formula(r"\Lambda^{{\top}}\, {0:3}\, \Theta", 1)
def turned_back(F, grad, left, right):
    """The reverse of `left @ x @ right.T`."""
    return F.two_sided(grad, left.T, right.T)


# ---- normalisation


def _standard(x, dims: tuple, eps: float, least: int = 4) -> tuple:
    """`x - mean`, mean, one over the standard deviation, and variance over `dims`, kept as ones; in `least` bytes, as
    torch."""
    kind, add, n = x.dtype, xp.add.reduce, math.prod([x.shape[d] for d in dims])
    x = x.astype(f"f{least}") if kind.itemsize < least else x
    mean = add(x, dims, keepdims=True) / n
    off = x - mean
    variance = add(off * off, dims, keepdims=True) / n
    return off, mean.astype(kind, copy=False), (1 / xp.sqrt(variance + eps)).astype(kind, copy=False), variance


def _parts(F, x, dims: tuple, eps: float, known: tuple) -> tuple:
    """(x - mean) / sqrt(variance + eps), and the factor in it; `known` are the forward's mean and factor."""
    if F is RAW and known:
        return (x - known[0]) * known[1], known[1]
    off = x - F.mean_dim(x, dims, True)
    rstd = F.rsqrt(F.mean_dim(off * off, dims, True) + eps)
    return off * rstd, rstd


@formula(r"\mathrm{{standardized}}\left({0}\right)")
def standardized(F, x, dims: tuple, eps: float, group: int = 0, *known):
    hat = _parts(F, _in_groups(F, x, group), dims, eps, known)[0]
    return F.reshape(hat, tuple(x.shape)) if group else hat


def _centred(grad: Symbol, x: Symbol, _dims, eps, *_group) -> Symbol:
    hat, mean = SYMBOLS.standardized(x), SYMBOLS.mean_dim
    return (grad - mean(grad) - hat * mean(grad * hat)) / SYMBOLS.sqrt(SYMBOLS.var(x) + eps)


@formula(tex=_centred)
def standardized_back(F, grad, x, dims: tuple, eps: float, group: int = 0, *known):
    """What is left of the gradient once neither mean nor spread may change."""
    grouped, grad = (_in_groups(F, v, group) for v in (x, grad))
    hat, rstd = _parts(F, grouped, dims, eps, known)
    back = rstd * (grad - F.mean_dim(grad, dims, True) - hat * F.mean_dim(grad * hat, dims, True))
    return F.reshape(back, tuple(x.shape)) if group else back


def _channelwise(F, value, x):
    """One number per channel in the shape in which it meets `x`."""
    return F.reshape(value, (-1, *(1,) * (len(x.shape) - 2)))


@formula(tex=lambda grad, weight, _x: SYMBOLS.weighted(grad, weight))
def scaled_by(F, grad, weight, x):
    """The gradient times one weight per channel."""
    return grad if weight is None else grad * _channelwise(F, weight, x)


@formula(tex=lambda shape: shape)
def last_dims(F, normalized_shape: tuple) -> tuple:
    return tuple(range(-len(normalized_shape), 0))


def check_parameters(input, *parameters) -> None:
    """They are of the input's type; only half precision may have them in float32. Raises: RuntimeError as torch."""
    given = [p for p in parameters if p is not None]
    if given and given[0].dtype != input.dtype:
        need(all(p.dtype == "float32" for p in given), "mixed_parameter")
        require(input.dtype.itemsize == 2, "mixed dtype (CPU): all inputs must share same datatype.")
    else:
        for p in [p for p in given if p.dtype is not input.dtype]:
            same_type(input, p)


def _scaled(y, weight, bias, shape: tuple, kind):
    """y * weight + bias in the type `kind`."""
    if weight is not None:
        y *= weight.reshape(shape)
    if bias is not None:
        y += bias.reshape(shape)
    return y.astype(kind, copy=False)


def layer_norm(input, weight, bias, normalized_shape: tuple, eps: float) -> tuple:
    check_parameters(input, weight, bias)
    y, mean, rstd, _ = _standard(input, tuple(range(-len(normalized_shape), 0)), eps)
    return in_order(_scaled(xp.multiply(y, rstd, y), weight, bias, normalized_shape, input.dtype)), mean, rstd


@formula(r"\sum_{{\mathrm{{copies}}}} {0:1}", 1)
def to_last(F, grad, normalized_shape: tuple):
    """Summed over the dimensions that a layer norm leaves alone."""
    dims = tuple(range(len(grad.shape) - len(normalized_shape)))
    return F.sum_dim(grad, dims, False) if dims else grad


def batch_norm(input, weight, bias, running_mean, running_var, training: bool, momentum: float, eps: float) -> tuple:
    check_parameters(implemented("batch_norm", input), weight, bias, running_mean, running_var)
    shape = (1, -1, *(1,) * (input.ndim - 2))
    if training:
        y, mean, rstd, variance = _standard(input, reduce.besides(1, input.ndim), eps, least=8)
        if running_mean is not None and input.size:  # nothing follows from an empty batch
            n = input.size // input.shape[1]
            running_mean += momentum * (mean.reshape(-1) - running_mean)
            running_var += momentum * (variance.reshape(-1) * (n / max(n - 1, 1)) - running_var)  # unbiased
        saved = mean.reshape(-1), rstd.reshape(-1)
    else:
        y, rstd = input - running_mean.reshape(shape), (1 / xp.sqrt(running_var + eps)).reshape(shape)
        saved = (namespace(input).empty(0, input.dtype),) * 2
    return _scaled(y, rstd if weight is None else rstd * weight.reshape(shape), bias, shape, input.dtype), *saved


@formula(tex=lambda grad, x, running_var, training, eps, *_: SYMBOLS.where(
    training, _centred(grad, x, None, eps), grad / SYMBOLS.sqrt(running_var + eps)))
def batch_norm_back(F, grad, x, running_var, training: bool, eps: float, *known):
    if training:
        return F.standardized_back(grad, x, reduce.besides(1, x.ndim), eps, 0, *[_channelwise(F, v, x) for v in known])
    return grad * _channelwise(F, F.rsqrt(running_var + eps), x)


@formula(r"\mathrm{{standardized}}\left({0}\right)")
def batch_norm_hat(F, x, running_mean, running_var, training: bool, eps: float, *known):
    if training:
        return F.standardized(x, reduce.besides(1, x.ndim), eps, 0, *[_channelwise(F, v, x) for v in known])
    return (x - _channelwise(F, running_mean, x)) * _channelwise(F, F.rsqrt(running_var + eps), x)


def group_norm(input, weight, bias, N: int, C: int, HxW: int, group: int, eps: float) -> tuple:
    check_parameters(input, weight, bias)
    y, mean, rstd, _ = _standard(input.reshape(N, group, C // group * HxW), (2,), eps)
    y, shape = xp.multiply(y, rstd, y).reshape(input.shape), (1, C, *(1,) * (input.ndim - 2))
    return _scaled(y, weight, bias, shape, input.dtype), mean[..., 0], rstd[..., 0]


def _in_groups(F, x, group: int):
    return F.reshape(x, (x.shape[0], group, math.prod(x.shape[1:]) // group)) if group else x


# ---- embedding


def check_indices(indices, place: int, name: str) -> None:
    need(index.are_positions(indices), "embedding_indices", place, dtypes.of(indices.dtype).tensor_type, name)


def embedding(weight, indices, padding_idx: int, scale_grad_by_freq: bool, sparse: bool):
    require(weight.ndim == 2, "'weight' must be 2-D")
    check_indices(indices, 1, "embedding")
    index.check_rows(indices, len(weight))
    return weight.take(indices, 0)  # `weight[indices]` of one number would be a view


def embedding_back(grad_output, indices, count: int, padding_idx: int, scale_by_freq: bool):
    flat, width = indices.reshape(-1), grad_output.shape[-1]
    rows = grad_output.reshape(flat.size, width)
    rows = rows / xp.bincount(flat, minlength=count)[flat][:, None].astype(rows.dtype) if scale_by_freq else rows
    whole = index.index_back(rows, (flat,), (count, width))
    if padding_idx >= 0:
        whole[padding_idx] = 0
    return whole


@formula(tex=lambda grad, i, pad: grad if (number(pad) or 0) < 0 else grad * column(i != pad))
def without_padding(F, grad, indices, padding_idx: int):
    return grad if padding_idx < 0 else grad * F.unsqueeze(indices != padding_idx, -1)
