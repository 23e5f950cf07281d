"""Layers' larger operations: convolution, pooling, normalisation, embedding, resizing.

A convolution is three linear maps that are each other's derivatives: result from input and weight,
input's gradient from result's and weight, weight's gradient from result's and input. Each is one
matrix product per image over `columns`: every window of the input laid out as a column (im2col).
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

from ..array import dtypes
from ..array.backend import in_order, namespace, strided, xp
from ..core.carriers import SYMBOLS, Symbol, formula, phrase
from ..core.op import op
from .checks import implemented, require, same_type
from .index import are_positions, check_rows
from .reduce import kind_of
from .shape import inside, padded, pairs_of

# ---- windows


def windows(x: Any, kernel: tuple, out: tuple, stride: tuple, dilation: tuple) -> Any:
    """Every window as a view: `(..., *kernel, *out)`."""
    lead = x.ndim - len(kernel)
    steps = x.strides[lead:]
    inner = [s * d for s, d in zip(steps, dilation, strict=True)]
    outer = [s * t for s, t in zip(steps, stride, strict=True)]
    return strided(x, (*x.shape[:lead], *kernel, *out), (*x.strides[:lead], *inner, *outer))


def out_sizes(sizes: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> tuple:
    """How many windows fit along each dimension."""
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1
                 for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True))


def _columns(x: Any, kernel: tuple, out: tuple, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    """Windows as columns: `(images, groups, channels / groups * kernel, out)`."""
    view = windows(padded(x, padding), kernel, out, stride, dilation)
    return view.reshape(x.shape[0], groups, x.shape[1] // groups * math.prod(kernel), math.prod(out))


def _add_windows(parts: Any, sizes: tuple, out: tuple, stride: tuple, padding: tuple, dilation: tuple) -> Any:
    """The reverse of `windows`: parts `(..., *kernel, *out)` summed where they came from."""
    n = len(out)
    lead, kernel = parts.shape[: -2 * n], parts.shape[-2 * n : -n]
    room = (*lead, *(m + 2 * p for m, p in zip(sizes, padding, strict=True)))
    whole = namespace(parts).zeros(room, parts.dtype)
    for place in itertools.product(*map(range, kernel)):
        spots = (slice(i * d, i * d + (o - 1) * s + 1, s)
                 for i, d, o, s in zip(place, dilation, out, stride, strict=True))
        whole[(..., *spots)] += parts[(..., *place, *(slice(None),) * n)]
    return whole[inside(sizes, padding)] if any(padding) else whole


# ---- the three maps of convolution


def _check(x: Any, weight: Any, stride: tuple, padding: tuple, dilation: tuple, transposed: bool, output_padding: tuple,
           groups: int) -> None:
    if min(*stride, *dilation, groups) < 1 or min(*padding, *output_padding) < 0:
        require(min(stride) > 0, "non-positive stride is not supported")
        require(min(padding) >= 0, "negative padding is not supported")
        require(min(output_padding) >= 0, "negative output_padding is not supported")
        require(min(dilation) > 0, f"dilation should be greater than zero, but got {list(dilation)}")
        require(groups > 0, "non-positive groups is not supported")
    sizes, made = list(weight.shape), weight.shape[0]
    if made < groups or made % groups:
        least, size = ("at least", sizes) if made < groups else ("divisible by", [sizes])  # torch has two brackets
        raise RuntimeError(f"Given groups={groups}, expected weight to be {least} {groups} at dimension 0, but got "
                           f"weight of size {size} instead")
    wants, given = (made, "transposed=1") if transposed else (sizes[1] * groups, f"groups={groups}")
    if x.shape[1] != wants:
        raise RuntimeError(f"Given {given}, weight of size {sizes}, expected input{list(x.shape)} to have {wants} "
                           f"channels, but got {x.shape[1]} channels instead")


def _convolution(input: Any, weight: Any, bias: Any, stride: tuple, padding: tuple, dilation: tuple, transposed: bool,
                 output_padding: tuple, groups: int, bias_sym_sizes_opt: tuple = (0,)) -> Any:
    _check(input, weight, stride, padding, dilation, transposed, output_padding, groups)
    if bias is not None and not transposed:
        same_type(input, bias, said="Input type ({c[0]}) and bias type ({c[1]}) should be the same")
    same_type(input, weight)
    made, words = (weight.shape[1] * groups, "transposed=1, ") if transposed else (weight.shape[0], "")
    if bias is not None and bias.shape != (made,):
        raise RuntimeError(f"Given {words}weight of size {list(weight.shape)}, expected bias to be 1-dimensional with "
                           f"{made} elements, but got bias of size {list(bias.shape)} instead")
    if transposed:
        require(all(o < max(pair) for o, *pair in zip(output_padding, stride, dilation, strict=True)),
                "output padding must be smaller than either stride or dilation, but got output_padding: "
                f"{list(output_padding)} stride: {list(stride)} dilation: {list(dilation)}")
        spread = ((n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in zip(
            input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding, strict=True))
        sizes = (input.shape[0], weight.shape[1] * groups, *spread)
        y = in_order(_conv_input(input, weight, sizes, stride, padding, dilation, groups))
    else:
        y = _conv_output(input, weight, stride, padding, dilation, groups)
    return y if bias is None else y + bias.astype(y.dtype, copy=False).reshape(-1, *(1,) * len(stride))


def _conv_output(x: Any, weight: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    kernel = weight.shape[2:]
    out = out_sizes(x.shape[2:], kernel, stride, padding, dilation)
    if min(out) < 1:
        room = (str(n + 2 * p) for n, p in zip(x.shape[2:], padding, strict=True))
        reach = (str(d * (k - 1) + 1) for k, d in zip(kernel, dilation, strict=True))
        raise RuntimeError(f"Calculated padded input size per channel: ({' x '.join(room)}). Kernel size: "
                           f"({' x '.join(reach)}). Kernel size can't be greater than actual input size")
    columns = _columns(x, kernel, out, stride, padding, dilation, groups)
    y = xp.matmul(weight.reshape(groups, weight.shape[0] // groups, -1), columns)
    return y.reshape(x.shape[0], weight.shape[0], *out)


def _conv_input(grad_output: Any, weight: Any, sizes: tuple, stride: tuple, padding: tuple, dilation: tuple,
                groups: int) -> Any:
    out, kernel = grad_output.shape[2:], weight.shape[2:]
    flat = weight.reshape(groups, weight.shape[0] // groups, -1).swapaxes(1, 2)
    if set(stride) == {1}:
        return _moved_along(flat, grad_output, sizes, kernel, padding, dilation, groups)
    parts = xp.matmul(flat, _by_group(grad_output, groups))
    return _add_windows(parts.reshape(*sizes[:2], *kernel, *out), sizes[2:], out, stride, padding, dilation)


def _moved_along(flat: Any, grad_output: Any, sizes: tuple, kernel: tuple, padding: tuple, dilation: tuple,
                 groups: int) -> Any:
    """`_conv_input` for stride 1, where each place of the kernel moves the whole picture along.

    With rows as long as those of the result, that is one addition in one stretch of memory.
    """
    room = tuple(m + 2 * p for m, p in zip(sizes[2:], padding, strict=True))
    rim, size = room[-1] - grad_output.shape[-1], math.prod(room)
    wide = padded(grad_output, (0,) * len(room), after=(0,) * (len(room) - 1) + (rim,))
    parts = xp.matmul(flat, _by_group(wide, groups)).reshape(*sizes[:2], math.prod(kernel), math.prod(wide.shape[2:]))
    whole, length = namespace(parts).zeros((*sizes[:2], size + rim), parts.dtype), parts.shape[-1]
    steps = [d * math.prod(room[n + 1 :]) for n, d in enumerate(dilation)]
    for at, place in enumerate(itertools.product(*map(range, kernel))):
        start = sum(map(operator.mul, place, steps))
        whole[:, :, start : start + length] += parts[:, :, at]
    return whole[:, :, :size].reshape(*sizes[:2], *room)[inside(sizes[2:], padding)]


def _conv_weight(grad_output: Any, input: Any, sizes: tuple, stride: tuple, padding: tuple, dilation: tuple,
                 groups: int) -> Any:
    columns = _columns(input, sizes[2:], grad_output.shape[2:], stride, padding, dilation, groups)
    return xp.add.reduce(xp.matmul(_by_group(grad_output, groups), columns.swapaxes(2, 3)), 0).reshape(sizes)


def _by_group(x: Any, groups: int) -> Any:
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, math.prod(x.shape[2:]))


@formula(tex=phrase(r"\sum {0:1}", 1))
def per_channel(F: Any, grad: Any) -> Any:
    """Summed over everything but dimension 1."""
    return F.sum_dim(grad, _channel_dims(grad), False)


# ---- pooling


def _best(self: Any, kernel_size: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil_mode: bool) -> tuple:
    """The largest element of each window, and its place counted over the whole plane."""
    sizes, stride, (height, width) = self.shape[-2:], stride or kernel_size, kernel_size
    whole, out = _room(self, kernel_size, stride, padding, dilation, ceil_mode, -math.inf)
    implemented("max_pool2d", self, "fiu")
    view = windows(whole, kernel_size, out, stride, dilation)
    flat = view.reshape(*self.shape[:-2], height * width, *out).swapaxes(-3, -2).swapaxes(-2, -1)
    best, at = _last_largest(namespace(self).ascontiguousarray(flat))
    rows, columns = (namespace(self).arange(o) * s - p for o, s, p in zip(out, stride, padding, strict=True))
    rows, columns = rows[:, None] + at // width * dilation[0], columns + at % width * dilation[1]
    if any(padding):  # nothing is found in the padding, though it may be as large as -inf
        rows, columns = xp.maximum(rows, rows % dilation[0]), xp.maximum(columns, columns % dilation[1])
    return best, rows * sizes[1] + columns


def _last_largest(flat: Any) -> tuple:
    """The largest element of each row and its place: of several NaN the last one, as torch's loop finds it."""
    at = flat.argmax(-1)
    rows = flat.reshape(-1, flat.shape[-1])
    best = rows[namespace(rows).arange(len(rows)), at.reshape(-1)].reshape(at.shape)
    if xp.isnan(best).any():
        at = xp.where(xp.isnan(best), flat.shape[-1] - 1 - xp.isnan(flat[..., ::-1]).argmax(-1), at)
    return best, at


def _room(x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil_mode: bool,
          value: float) -> tuple:
    """`x` with its padding, and with what `ceil_mode` lets hang over; how many windows there are."""
    sizes = x.shape[-2:]
    require(x.ndim in (3, 4), "non-empty 3D or 4D (batch mode) tensor expected for input")
    require(all(stride), "stride should not be zero")
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        require(d > 0, f"dilation should be greater than zero, but got dilationH: {dilation[0]} dilationW: "
                f"{dilation[1]}")
        require(p >= 0, f"pad must be non-negative, but got pad: {p}")
        require(p <= (d * (k - 1) + 1) // 2, "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}")
    require(all(x.shape[-3:]), "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(x.shape)}")
    out = out_sizes(sizes, kernel, stride, padding, dilation)
    if min(out) < 1:
        raise RuntimeError(f"Given input size: ({x.shape[-3]}x{x.shape[-2]}x{x.shape[-1]}). Calculated output size: "
                           f"({x.shape[-3]}x{out[0]}x{out[1]}). Output size is too small")
    if not ceil_mode:
        return padded(x, padding, value), out
    rounded_up = out_sizes([n + s - 1 for n, s in zip(sizes, stride, strict=True)], kernel, stride, padding, dilation)
    out = tuple(m if (m - 1) * s < n + p else o  # the last window begins inside
                for m, o, n, s, p in zip(rounded_up, out, sizes, stride, padding, strict=True))
    after = tuple(max((o - 1) * s + d * (k - 1) + 1 - n - p, p)
                  for n, o, k, s, p, d in zip(sizes, out, kernel, stride, padding, dilation, strict=True))
    return padded(x, padding, value, after), out


def _divisor(x: Any, kernel: tuple, stride: tuple, padding: tuple, ceil_mode: bool, count_pad: bool,
             divisor: Any) -> Any:
    """What each window's sum is divided by: how many cells of it count."""
    if divisor or not (ceil_mode or (any(padding) and not count_pad)):
        return x.dtype.type(divisor or math.prod(kernel))
    (height, width), (top, left) = x.shape[-2:], padding
    counted, out = _room(namespace(x).ones((1, height, width), x.dtype), kernel, stride, padding, (1, 1), ceil_mode, 0)
    if count_pad:
        counted[..., : height + 2 * top, : width + 2 * left] = 1
    return windows(counted, kernel, out, stride, (1, 1)).sum((1, 2))


def _average(self: Any, kernel_size: tuple, stride: tuple, padding: tuple, ceil_mode: bool, count_include_pad: bool,
             divisor_override: Any) -> Any:
    stride = stride or kernel_size
    require(divisor_override != 0, "divisor must be not zero")
    whole, out = _room(self, kernel_size, stride, padding, (1, 1), ceil_mode, 0)
    implemented("avg_pool2d", self, "fi" if self.dtype == "int64" else "f")
    total = windows(whole, kernel_size, out, stride, (1, 1)).sum((-4, -3), xp.promote_types(self.dtype, "float32"))
    divisor = _divisor(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return (total / divisor).astype(self.dtype, copy=False)


def _average_back(grad_output: Any, self: Any, kernel_size: tuple, stride: tuple, padding: tuple, ceil_mode: bool,
                  count_include_pad: bool, divisor_override: Any) -> Any:
    stride, sizes, out = stride or kernel_size, self.shape[-2:], grad_output.shape[-2:]
    divisor = _divisor(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    share = (grad_output / divisor)[..., None, None, :, :]
    parts = xp.broadcast_to(share, (*grad_output.shape[:-2], *kernel_size, *out))
    over = tuple(max((o - 1) * s + k - p, n)
                 for o, s, k, p, n in zip(out, stride, kernel_size, padding, sizes, strict=True))
    return _add_windows(parts, over, out, stride, padding, (1, 1))[..., : sizes[0], : sizes[1]]


@formula(tex=phrase(r"0[{2}] \,\text{{+=}}\, {0}", 0))
def to_places(F: Any, grad: Any, x: Any, places: Any) -> Any:
    """Zeros like `x`, and the gradient where each window found its largest element."""
    lead, sizes = tuple(grad.shape[:-2]), tuple(x.shape)
    flat = F.zeros_as(grad, (*lead, sizes[-2] * sizes[-1]))
    places, grad = (F.reshape(v, (*lead, math.prod(grad.shape[-2:]))) for v in (places, grad))
    summed = F.scatter_add(flat, places, grad, -1)
    return F.tied(F.reshape(summed, sizes), x)


def shares(size: int, out: int, kind: Any) -> Any:
    """The matrix that averages `size` cells into `out` regions, row by row."""
    matrix = xp.zeros((out, size), kind)
    for i in range(out):
        first, last = i * size // out, -(-(i + 1) * size // out)
        matrix[i, first:last] = 1 / (last - first)
    return matrix


def _two_sided(self: Any, left: Any, right: Any) -> Any:
    left, right = map(namespace(self).asarray, (left, right))
    return left @ self @ right.T


def _adaptive_mean(self: Any, left: Any, right: Any) -> Any:
    left, right = map(namespace(implemented("adaptive_avg_pool2d", self)).asarray, (left, right))
    counts = (xp.count_nonzero(m, 1).astype(self.dtype) for m in (left, right))
    y = xp.sign(left) @ self @ xp.sign(right).T / xp.outer(*counts)  # whole numbers stay whole
    if not xp.isfinite(y).all():  # NaN times 0 is NaN: what is not in a region must not touch it
        for i, j in itertools.product(range(len(left)), range(len(right))):
            y[..., i, j] = self[..., left[i] > 0, :][..., right[j] > 0].mean((-2, -1))
    return y


def _adaptive_best(self: Any, output_size: tuple) -> tuple:
    y, places = (namespace(self).empty((*self.shape[:-2], *output_size), kind) for kind in (self.dtype, "int64"))
    (h, w), (m, n) = implemented("adaptive_max_pool2d", self).shape[-2:], output_size
    for i, j in itertools.product(range(m), range(n)):
        top, left = i * h // m, j * w // n
        part = self[..., top : -(-(i + 1) * h // m), left : -(-(j + 1) * w // n)]
        y[..., i, j], at = _last_largest(part.reshape(*self.shape[:-2], math.prod(part.shape[-2:])))
        places[..., i, j] = (top + at // part.shape[-1]) * w + left + at % part.shape[-1]
    return y, places


# ---- copies of cells: resizing, and padding by what is there


def _copies_back(F: Any, grad: Any, sizes: tuple, places: Any) -> Any:
    """Each cell of the last two dimensions gets the gradients of its copies; `places` says of what each is one."""
    kind = kind_of(grad)
    left, right = ((xp.arange(n)[:, None] == at).astype(kind) for n, at in zip(sizes[-2:], places, strict=True))
    return F.two_sided(grad, left, right)


def _nearest(size: int, out: int, scale: float | None) -> Any:
    """For each of `out` cells the one of `size` that it lies in."""
    step = size / out if scale is None else 1 / scale
    return xp.minimum((xp.arange(out) * step).astype("int64"), size - 1)


def _upsampled(x: Any, output_size: tuple, *scales: float | None) -> Any:
    for dim, (out, scale) in enumerate(zip(output_size, scales, strict=True), 2):
        x = xp.take(x, namespace(x).asarray(_nearest(x.shape[dim], out, scale)), dim)
    return x


@formula(tex=phrase(r"\sum_{{\text{{copies}}}} {0:1}", 1))
def upsample_back(F: Any, grad: Any, sizes: tuple, *scales: float | None) -> Any:
    if len(scales) == 1:
        return F.reshape(F.upsample_back(F.unsqueeze(grad, 2), (*sizes[:2], 1, sizes[2]), None, *scales), sizes)
    return _copies_back(F, grad, sizes, map(_nearest, sizes[2:], grad.shape[2:], scales))


@formula(tex=phrase(r"\sum_{{\text{{copies}}}} {0:1}", 1))
def pad_back(F: Any, grad: Any, x: Any, padding: tuple, mode: str) -> Any:
    copied = (xp.pad(xp.arange(n), pair, mode) for n, pair in zip(x.shape[-2:], pairs_of(padding, 2), strict=True))
    return F.tied(_copies_back(F, grad, tuple(x.shape), copied), x)


@formula(tex=phrase(r"L^{{\top}}\, {0:3}\, R", 1))
def turned_back(F: Any, grad: Any, left: Any, right: Any) -> Any:
    """The reverse of `left @ x @ right.T`."""
    return F.two_sided(grad, left.T, right.T)


# ---- normalisation


def _standard(x: Any, dims: tuple, eps: float, least: int = 4) -> tuple:
    """`x - mean`, mean and one over the standard deviation over `dims`, kept as ones; in `least` bytes, as torch."""
    kind, add, n = x.dtype, xp.add.reduce, math.prod([x.shape[d] for d in dims])
    x = x.astype(f"f{least}") if kind.itemsize < least else x
    mean = add(x, dims, keepdims=True) / n
    off = x - mean
    rstd = 1 / xp.sqrt(add(off * off, dims, keepdims=True) / n + eps)
    return off, mean.astype(kind, copy=False), rstd.astype(kind, copy=False)


_hat = phrase(r"\hat{{{0}}}")


@formula(tex=_hat)
def standardized(F: Any, x: Any, dims: tuple, eps: float) -> Any:
    """(x - mean) / sqrt(variance + eps)."""
    off = x - F.mean_dim(x, dims, True)
    return off * F.rsqrt(F.mean_dim(off * off, dims, True) + eps)


def _centred(grad: Symbol, x: Symbol, *options: Any) -> Symbol:
    hat, mean = _hat(x), SYMBOLS.mean_dim
    return (grad - mean(grad) - hat * mean(grad * hat)) / SYMBOLS.sqrt(SYMBOLS.var(x) + options[-1])


@formula(tex=_centred)
def standardized_back(F: Any, grad: Any, x: Any, dims: tuple, eps: float) -> Any:
    """What is left of the gradient once neither mean nor spread may change."""
    off = x - F.mean_dim(x, dims, True)
    rstd = F.rsqrt(F.mean_dim(off * off, dims, True) + eps)
    hat = off * rstd
    return rstd * (grad - F.mean_dim(grad, dims, True) - hat * F.mean_dim(grad * hat, dims, True))


def _channelwise(F: Any, value: Any, x: Any) -> Any:
    """One number per channel in the shape in which it meets `x`."""
    return F.reshape(value, (-1, *(1,) * (len(x.shape) - 2)))


@formula(tex=lambda grad, weight, _x: SYMBOLS.weighted(grad, weight))
def scaled_by(F: Any, grad: Any, weight: Any, x: Any) -> Any:
    """The gradient times one weight per channel."""
    return grad if weight is None else grad * _channelwise(F, weight, x)


@formula(tex=lambda shape: shape)
def last_dims(F: Any, normalized_shape: tuple) -> tuple:
    return tuple(range(-len(normalized_shape), 0))


def _check_parameters(input: Any, *parameters: Any) -> None:
    """They are of the input's type; only half precision may have them in float32. Raises: RuntimeError as torch."""
    given = [p for p in parameters if p is not None]
    if given and given[0].dtype != input.dtype:
        require(all(p.dtype == "float32" for p in given),
                "mixed dtype (CPU): expect parameter to have scalar type of Float")
        require(input.dtype.itemsize == 2, "mixed dtype (CPU): all inputs must share same datatype.")
    else:
        for p in given:
            if p.dtype is not input.dtype:
                same_type(input, p)


def _scaled(y: Any, weight: Any, bias: Any, shape: tuple, kind: Any) -> Any:
    """y * weight + bias in the type `kind`."""
    if weight is not None:
        y *= weight.reshape(shape)
    if bias is not None:
        y += bias.reshape(shape)
    return y.astype(kind, copy=False)


def _layer_norm(input: Any, weight: Any, bias: Any, normalized_shape: tuple, eps: float) -> tuple:
    _check_parameters(input, weight, bias)
    y, mean, rstd = _standard(input, tuple(range(-len(normalized_shape), 0)), eps)
    y *= rstd
    return _scaled(y, weight, bias, normalized_shape, input.dtype), mean, rstd


@formula(tex=phrase(r"\sum {0:1}", 1))
def to_last(F: Any, grad: Any, normalized_shape: tuple) -> Any:
    """Summed over the dimensions that a layer norm leaves alone."""
    dims = tuple(range(len(grad.shape) - len(normalized_shape)))
    return F.sum_dim(grad, dims, False) if dims else grad


def _channel_dims(x: Any) -> tuple:
    return (0, *range(2, len(x.shape)))


def _batch_norm(input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool,
                momentum: float, eps: float) -> tuple:
    _check_parameters(input, weight, bias, running_mean, running_var)
    shape = (1, -1, *(1,) * (input.ndim - 2))
    if training:
        y, mean, rstd = _standard(input, _channel_dims(input), eps, least=8)
        if running_mean is not None and input.size:  # nothing follows from an empty batch
            _follow(input, mean, running_mean, running_var, momentum)
        saved = mean.reshape(-1), rstd.reshape(-1)
    else:
        y, rstd = input - running_mean.reshape(shape), (1 / xp.sqrt(running_var + eps)).reshape(shape)
        saved = (namespace(input).empty(0, input.dtype),) * 2
    scale = rstd if weight is None else rstd * weight.reshape(shape)
    return _scaled(y, scale, bias, shape, input.dtype), *saved


def _follow(x: Any, mean: Any, running_mean: Any, running_var: Any, momentum: float) -> None:
    """Move the running statistics towards this batch's; the variance is the unbiased one."""
    n = x.size // x.shape[1]
    running_mean += momentum * (mean.reshape(-1) - running_mean)
    running_var += momentum * (x.var(_channel_dims(x)) * (n / max(n - 1, 1)) - running_var)


@formula(tex=lambda grad, x, running_var, training, eps: SYMBOLS.where(
    training, _centred(grad, x, eps), grad / SYMBOLS.sqrt(running_var + eps)))
def batch_norm_back(F: Any, grad: Any, x: Any, running_var: Any, training: bool, eps: float) -> Any:
    if training:
        return F.standardized_back(grad, x, _channel_dims(x), eps)
    return grad * _channelwise(F, F.rsqrt(running_var + eps), x)


@formula(tex=_hat)
def batch_norm_hat(F: Any, x: Any, running_mean: Any, running_var: Any, training: bool, eps: float) -> Any:
    if training:
        return F.standardized(x, _channel_dims(x), eps)
    return (x - _channelwise(F, running_mean, x)) * _channelwise(F, F.rsqrt(running_var + eps), x)


def _group_norm(input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float) -> tuple:
    _check_parameters(input, weight, bias)
    grouped, shape = input.reshape(N, group, C // group * HxW), (1, C, *(1,) * (input.ndim - 2))
    y, mean, rstd = _standard(grouped, (2,), eps)
    y *= rstd
    return _scaled(y.reshape(input.shape), weight, bias, shape, input.dtype), mean[..., 0], rstd[..., 0]


def _in_groups(F: Any, x: Any, group: int) -> Any:
    return F.reshape(x, (x.shape[0], group, math.prod(x.shape[1:]) // group))


@formula(tex=_centred)
def group_norm_back(F: Any, grad: Any, x: Any, group: int, eps: float) -> Any:
    grouped, back = (_in_groups(F, v, group) for v in (x, grad))
    return F.reshape(F.standardized_back(back, grouped, (2,), eps), tuple(x.shape))


@formula(tex=_hat)
def group_norm_hat(F: Any, x: Any, group: int, eps: float) -> Any:
    return F.reshape(F.standardized(_in_groups(F, x, group), (2,), eps), tuple(x.shape))


# ---- embedding


def _looked_up(weight: Any, indices: Any, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Any:
    require(weight.ndim == 2, "'weight' must be 2-D")
    if not are_positions(indices):
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                           f"Int; but got {dtypes.of(indices.dtype).tensor_type} instead (while checking arguments for "
                           "embedding)")
    check_rows(indices, len(weight))
    return weight.take(indices, 0)  # `weight[indices]` of one number would be a view


def _embedding_back(grad_output: Any, indices: Any, count: int, padding_idx: int, scale_by_freq: bool) -> Any:
    flat, width = indices.reshape(-1), grad_output.shape[-1]
    rows = grad_output.reshape(flat.size, width)
    if scale_by_freq:
        rows = rows / xp.bincount(flat, minlength=count)[flat][:, None].astype(rows.dtype)
    whole = namespace(rows).zeros((count, width), rows.dtype)
    xp.add.at(whole, flat, rows)
    if padding_idx >= 0:
        whole[padding_idx] = 0
    return whole


# ---- convolution

convolution = op("convolution", _convolution, keeps=("output_padding", "bias_sym_sizes_opt"),
    input  = lambda F, grad, input, weight, stride, padding, dilation, transposed, groups: F.to_input(
        grad, input, weight, stride, padding, dilation, transposed, groups),
    weight = lambda F, grad, input, weight, stride, padding, dilation, transposed, groups: F.to_weight(
        grad, input, weight, stride, padding, dilation, transposed, groups),
    bias   = lambda F, grad: F.per_channel(grad))
convolution_input = op("convolution_input", _conv_input, grad_fn="ConvolutionBackwardBackward0",
    grad_output = lambda F, grad, weight, stride, padding, dilation, groups: F.convolve(
        grad, weight, stride, padding, dilation, groups),
    weight      = lambda F, grad, grad_output, weight, stride, padding, dilation, groups: F.convolution_weight(
        grad_output, grad, F.sizes(weight), stride, padding, dilation, groups))
convolution_weight = op("convolution_weight", _conv_weight, grad_fn="ConvolutionBackwardBackward0",
    grad_output = lambda F, grad, input, stride, padding, dilation, groups: F.convolve(
        input, grad, stride, padding, dilation, groups),
    input       = lambda F, grad, grad_output, input, stride, padding, dilation, groups: F.convolution_input(
        grad_output, grad, F.sizes(input), stride, padding, dilation, groups))

trilinear = op("trilinear", lambda i1, i2, i3: xp.einsum("bi,kij,bj->bk", i1, i2, i3),
    letters={"i1": "u", "i2": "W", "i3": "v"},
    i1 = lambda F, grad, i2, i3: F.each_at(F.mixed(grad, i2), i3),
    i2 = lambda F, grad, i1, i3: F.outer_sum(grad, i1, i3),
    i3 = lambda F, grad, i1, i2: F.each_at(F.mT(F.mixed(grad, i2)), i1))

# ---- pooling

max_pool2d_of = op("max_pool2d_with_indices", _best, outputs=("result0", "result1"),
    keeps=("kernel_size", "stride", "padding", "dilation", "ceil_mode"), letters={"result1": "i"},
    self = lambda F, grad, self, result1: F.to_places(grad, self, result1))
adaptive_max_pool2d_of = op("adaptive_max_pool2d", _adaptive_best, outputs=("result0", "result1"),
    letters={"result1": "i"}, **max_pool2d_of.row.derivatives)
avg_pool2d_of = op("avg_pool2d", _average,
    self = lambda F, grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
        F.avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override))
avg_pool2d_backward = op("avg_pool2d_backward", _average_back, grad_fn="AvgPool2DBackwardBackward0",
    grad_output = lambda F, grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override:
        F.avg_pool2d(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override),
    self = lambda F, grad, self_sym_sizes: F.zeros_as(grad, self_sym_sizes))
two_sided = op("two_sided", _two_sided,
    self = lambda F, grad, left, right: F.turned_back(grad, left, right))
adaptive_avg_pool2d_of = op("adaptive_avg_pool2d", _adaptive_mean, hidden=("left", "right"),
    self = lambda F, grad, self, left, right: F.tied(F.turned_back(grad, left, right), self))
upsample_nearest1d = op("upsample_nearest1d", lambda self, output_size, scales: _upsampled(self, output_size, scales),
    keeps=("output_size",),
    self = lambda F, grad, self_sym_sizes, scales: F.upsample_back(grad, self_sym_sizes, scales))
upsample_nearest2d = op("upsample_nearest2d", lambda self, output_size, scales_h, scales_w: _upsampled(
        self, output_size, scales_h, scales_w), keeps=("output_size",),
    self = lambda F, grad, self_sym_sizes, scales_h, scales_w: F.upsample_back(
        grad, self_sym_sizes, scales_h, scales_w))

# ---- normalisation

native_layer_norm = op("native_layer_norm", _layer_norm, outputs=("result0", "result1", "result2"),
    keeps=("result1", "result2"), hidden=("eps",),
    input  = lambda F, grad, input, weight, bias, normalized_shape, eps: F.standardized_back(
        F.weighted(grad, weight), input, F.last_dims(normalized_shape), eps),
    weight = lambda F, grad, input, normalized_shape, eps: F.to_last(
        grad * F.standardized(input, F.last_dims(normalized_shape), eps), normalized_shape),
    bias   = lambda F, grad, bias, normalized_shape: F.to_last(grad, normalized_shape))
native_batch_norm = op("native_batch_norm", _batch_norm,
    fixed=("running_mean", "running_var"), outputs=("result0", "result1", "result2"), keeps=("result1", "result2"),
    input  = lambda F, grad, input, weight, running_var, training, eps: F.batch_norm_back(
        F.scaled_by(grad, weight, input), input, running_var, training, eps),
    weight = lambda F, grad, input, running_mean, running_var, training, eps: F.per_channel(
        grad * F.batch_norm_hat(input, running_mean, running_var, training, eps)),
    bias   = lambda F, grad: F.per_channel(grad))
native_group_norm = op("native_group_norm", _group_norm,
    outputs=("result0", "result1", "result2"), keeps=("N", "C", "HxW", "result1", "result2"),
    input  = lambda F, grad, input, weight, group, eps: F.group_norm_back(
        F.scaled_by(grad, weight, input), input, group, eps),
    weight = lambda F, grad, input, group, eps: F.per_channel(grad * F.group_norm_hat(input, group, eps)),
    bias   = lambda F, grad: F.per_channel(grad))

# ---- embedding

embedding_of = op("embedding", _looked_up, fixed=("indices",), keeps=("sparse",),
    weight = lambda F, grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq: F.embedding_backward(
        grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq))
embedding_backward = op("embedding_backward", _embedding_back, fixed=("indices",),
    grad_fn="EmbeddingDenseBackwardBackward0",
    grad_output = lambda F, grad, indices, padding_idx: F.without_padding(F.embedding(
        grad, indices, padding_idx, False, False), indices, padding_idx))


@formula(tex=lambda x, weight, *_: Symbol(rf"{x.at(4)} \star {weight.at(4)}", 1))
def convolve(F: Any, x: Any, weight: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    return F.convolution(x, weight, None, stride, padding, dilation, False, (0,) * len(stride), groups, (0,))


@formula(tex=phrase(r"{0:1} \odot \left[{1} \ne {2}\right]", 1))
def without_padding(F: Any, grad: Any, indices: Any, padding_idx: int) -> Any:
    return grad if padding_idx < 0 else grad * F.unsqueeze(indices != padding_idx, -1)


@formula(tex=phrase(r"\sum_k {0:4}[k] \cdot {1:4}[k]", 1))
def mixed(F: Any, grad: Any, weight: Any) -> Any:
    """For each example the sum of the matrices `weight[k]`, weighted by its gradient."""
    flat = F.mm(grad, F.reshape(weight, (weight.shape[0], -1)))
    return F.reshape(flat, (grad.shape[0], *weight.shape[1:]))


@formula(tex=lambda matrix, x: matrix @ x)
def each_at(F: Any, matrix: Any, x: Any) -> Any:
    """Each example's matrix times its vector."""
    return F.squeeze_dim(F.bmm(matrix, F.unsqueeze(x, -1)), -1)


@formula(tex=phrase(r"\sum {0:4}[k] \cdot {1:4}\, {2:4}^{{\top}}", 1))
def outer_sum(F: Any, grad: Any, i1: Any, i2: Any) -> Any:
    """grad[b, k] i1[b, i] i2[b, j], summed over the examples b."""
    both = F.reshape(F.unsqueeze(i1, 2) * F.unsqueeze(i2, 1), (grad.shape[0], i1.shape[1] * i2.shape[1]))
    return F.reshape(F.mm(F.t(grad), both), (grad.shape[1], i1.shape[1], i2.shape[1]))


@formula(tex=lambda grad, _x, weight, *_: Symbol(rf"{grad.at(4)} \star {weight.at(4)}^{{\leftarrow}}", 1))
def to_input(F: Any, grad: Any, x: Any, weight: Any, stride: tuple, padding: tuple, dilation: tuple, transposed: bool,
             groups: int) -> Any:
    """Gradient of a convolution by its input; a transposed one is this map already, so the plain one undoes it."""
    if transposed:
        back = F.convolve(grad, weight, stride, padding, dilation, groups)
        for dim, n in enumerate(x.shape[2:], 2):
            if back.shape[dim] > n:  # output_padding of a stride and more has room for what no input has
                back = F.slice(back, dim, 0, n, 1)
        return back
    return F.convolution_input(grad, weight, tuple(x.shape), stride, padding, dilation, groups)


@formula(tex=lambda grad, x, *_: Symbol(rf"{x.at(4)} \star {grad.at(4)}", 1))
def to_weight(F: Any, grad: Any, x: Any, weight: Any, stride: tuple, padding: tuple, dilation: tuple, transposed: bool,
              groups: int) -> Any:
    """Gradient of a convolution by its weight."""
    small, large = (x, grad) if transposed else (grad, x)
    return F.convolution_weight(small, large, tuple(weight.shape), stride, padding, dilation, groups)


# ---- padding by what is there


def _pad_row(name: str, mode: str, rank: int) -> Any:
    """A row that pads the last `rank` dimensions with copies of their cells."""
    return op(f"{name}_pad{rank}d", lambda self, padding: xp.pad(self, pairs_of(padding, self.ndim), mode),
              self=lambda F, grad, self, padding: F.pad_back(grad, self, padding, mode))


PADS = {"reflect": [_pad_row("reflection", "reflect", rank) for rank in (1, 2)],
        "replicate": [_pad_row("replication", "edge", rank) for rank in (1, 2)]}
