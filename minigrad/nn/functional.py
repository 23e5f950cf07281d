"""torch.nn.functional: layers, activations and losses as functions, with torch's arguments.

The rows are in `minigrad.ops.table` (activation, loss, conv); here are torch's names and defaults for them,
and the functions that torch composes of several operations, in its order. A parameter without a type is a
tensor, or whatever torch takes there beside one.
"""

import math
from collections.abc import Callable

from .._tensor import Tensor
from ..array import dtypes, namespace, random, xp
from ..autograd.grad_mode import no_grad
from ..core.beside.ledger import note
from ..core.carriers import TENSORS
from ..core.graph import bump, constant
from ..core.modes import grad_mode, whole_array
from ..core.writes.inplace import inplace as in_place
from ..creation import at_random, ones_like, zeros_like
from ..ops import calls
from ..ops.checks import check_dim, common_shape, implemented, need, own_dim, require, same_type, titled
from ..ops.kernels.conv import check_indices, check_parameters, shares
from ..ops.kernels.loss import MEAN, NONE, SUM
from ..ops.kernels.shape import drawn
from ..ops.table import activation as act, conv, loss, pointwise, reduce, shape
from ..text import presentation, table, torch_names
from ..wording import as_function, worded

_REDUCTIONS = {"none": NONE, "mean": MEAN, "sum": SUM}
_PADS = {"reflect": (conv.reflection_pad1d, conv.reflection_pad2d),
         "replicate": (conv.replication_pad1d, conv.replication_pad2d)}


def legacy_reduction(reduction: str, size_average=None, reduce=None) -> str:
    """A reduction's name, for which torch once had two flags."""
    if size_average is None and reduce is None:
        return reduction
    mean, some = (flag is None or flag for flag in (size_average, reduce))
    name = ("mean" if mean else "sum") if some else "none"
    presentation.warn("size_average", name)
    return name


def _reduction(name: str, *flags) -> int:
    name = legacy_reduction(name, *flags) if flags else name
    if (kind := _REDUCTIONS.get(name)) is None:
        need(False, "reduction_name", name)
    return kind


def _floats(kernel: str, *tensors) -> None:
    """Raises: NotImplementedError in torch's words if none of them holds floats; without a kernel all may be whole."""
    if kernel and all(isinstance(t, Tensor) and t._data.dtype.kind != "f" for t in tensors):
        implemented(kernel, tensors[0]._data)


def _no_gradient_for(function: str, **given) -> None:
    """Raises: RuntimeError for an input to which no gradient can come, and which requires one."""
    for name, t in given.items():
        need(t is None or not (t.requires_grad and grad_mode()), "no_gradient_for", function, name)


def _maybe_in_place(call: Callable, inplace: bool, written: Callable | None = None) -> Callable:
    """An operation, or its twin that writes into its first argument; `written` where that has a row of its own."""
    return in_place(written or call) if inplace else call


# ---- activations


def relu(input, inplace: bool = False):
    """x where it is positive, else 0."""
    return _maybe_in_place(pointwise.relu, inplace)(input)


def relu6(input, inplace: bool = False):
    """x brought into `[0, 6]`."""
    return hardtanh(input, 0, 6, inplace)


def leaky_relu(input, negative_slope: float = 0.01, inplace: bool = False):
    """x where it is positive, else `negative_slope` times x."""
    return _maybe_in_place(act.leaky_relu_of, inplace, act.leaky_relu_written)(input, negative_slope)


def elu(input, alpha: float = 1.0, inplace: bool = False):
    """x where it is positive, else alpha (exp(x) - 1)."""
    return elu_(input, alpha) if inplace else act.elu_of(input, alpha, 1, 1)


def elu_(input, alpha: float = 1, scale: float = 1, input_scale: float = 1):
    """`elu`, written into `input`; torch's has its other two numbers as well."""
    return in_place(act.elu_written)(input, alpha, scale, input_scale)


def selu(input, inplace: bool = False):
    """elu, with the alpha and the scale that keep mean 0 and variance 1 from layer to layer."""
    return _maybe_in_place(act.elu_of, inplace, act.elu_written)(input, 1.6732632423543772, 1.0507009873554805, 1)


def celu(input, alpha: float = 1.0, inplace: bool = False):
    """x where it is positive, else alpha (exp(x / alpha) - 1)."""
    require(alpha, "ZeroDivisionError: alpha cannot be 0 for CELU")
    return _maybe_in_place(act.celu_of, inplace, act.celu_written)(input, alpha)


def silu(input, inplace: bool = False):
    """x sigmoid(x)."""
    return _maybe_in_place(act.silu_of, inplace)(input)


def mish(input, inplace: bool = False):
    """x tanh(softplus(x))."""
    return _maybe_in_place(act.mish_of, inplace)(input)


def hardtanh(input, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False):
    """x brought into `[min_val, max_val]`."""
    require(min_val <= max_val, "min_val cannot be greater than max_val", ValueError)
    return _maybe_in_place(act.hardtanh_of, inplace)(input, min_val, max_val)


def hardsigmoid(input, inplace: bool = False):
    """A sigmoid of straight lines: 0 up to -3, 1 from 3 on."""
    return _maybe_in_place(act.hardsigmoid, inplace)(input)


def hardswish(input, inplace: bool = False):
    """x hardsigmoid(x)."""
    return _maybe_in_place(act.hardswish, inplace)(input)


def threshold(input, threshold: float, value: float, inplace: bool = False):
    """x where it is above `threshold`, else `value`."""
    return _maybe_in_place(act.threshold_of, inplace, act.threshold_written)(input, threshold, value)


def logsigmoid(input):
    """log(sigmoid(x)), computed without overflow."""
    return act.log_sigmoid(input)[0]


sigmoid, tanh = Tensor.sigmoid, Tensor.tanh
hardshrink, softshrink, prelu = map(as_function, ("hardshrink", "softshrink", "prelu"), (
    act.hardshrink_of, act.softshrink_of, calls.activation.prelu))


def _along_some(method):
    """As the method; without `dim` it takes the one that PyTorch once took, and warns."""
    def along(input, dim: int | None = None, _stacklevel: int = 3, dtype=None):
        if dim is None:
            dim = 0 if input.dim() in (0, 1, 3) else 1
            presentation.warn("no_dim", method.__name__)
        return getattr(input, method.__name__)(dim, dtype)

    return titled(along, method.__name__, method.__doc__)


softmax, log_softmax = map(_along_some, (Tensor.softmax, Tensor.log_softmax))


def gelu(input, *, approximate: str = "none"):
    """x times the probability that a normal number is below x; `approximate` is "none" or "tanh"."""
    return act.gelu_of(input, approximate)


def softplus(input, beta: float = 1, threshold: float = 20):
    """log(1 + exp(beta x)) / beta, a smooth relu; x itself where beta x is above `threshold`."""
    return act.softplus_of(input, beta, threshold)


def softsign(input):
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanhshrink(input):
    """x - tanh(x)."""
    return input - input.tanh()


def rrelu(input, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False):
    """As leaky_relu; in training each negative element has a slope drawn from `[lower, upper]`."""
    _floats("leaky_relu_cpu", input)
    x = input._data
    noise, low = xp.ones_like(x), x <= 0 if training else ~(x > 0)
    slopes = random.uniform((int(low.sum()),), xp.float64, lower, upper) if training else (lower + upper) / 2
    noise[low] = namespace(x).asarray(slopes)
    twin = _maybe_in_place(act.rrelu_with_noise, inplace, act.rrelu_written)
    return twin(input, constant(Tensor, noise), lower, upper, training)


def _written(form: Callable) -> Callable:
    def write(input, *args, **options):
        return form(input, *args, **options, inplace=True)

    return titled(write, f"{form.__name__}_", f"`{form.__name__}`, written into `input`.")


relu_, leaky_relu_, hardtanh_, selu_, celu_, threshold_, rrelu_ = map(
    _written, (relu, leaky_relu, hardtanh, selu, celu, threshold, rrelu))


def glu(input, dim: int = -1):
    """The first half times the sigmoid of the second half."""
    check_dim(dim, input.ndim)
    return act.glu_of(input, dim)


def softmin(input, dim=None, dtype=None):
    """softmax of -x."""
    return softmax(-input, dim, dtype=dtype)


# ---- linear maps


def linear(input, weight, bias=None):
    """`input @ weight.T + bias`; `weight` is `(out_features, in_features)`."""
    if bias is not None and input._data.ndim == 2:
        return TENSORS.addmm(bias, input, weight.t(), 1, 1)
    need(input._data.ndim, "linear_dims", weight.ndim)
    if bias is not None and input.is_contiguous():
        *lead, features = input._data.shape
        flat = TENSORS.addmm(bias, TENSORS.view(input, (math.prod(lead), features)), weight.t(), 1, 1)
        return TENSORS.view(flat, (*lead, flat._data.shape[1]))
    output = calls.linalg.matmul(input, weight.t())
    return output if bias is None else output.add_(bias)


def embedding(input, weight, padding_idx: int | None = None, max_norm=None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False):
    """Row `input[i]` of `weight` for each index; row `padding_idx` gets no gradient."""
    padding_row = -1 if padding_idx is None else row_of(padding_idx, weight.shape[0])
    if max_norm is not None:
        _renormalize(weight, input.contiguous(), max_norm, norm_type)
    return _embedded(weight, input, padding_row, scale_grad_by_freq, sparse)


_embedded = worded("torch.embedding", conv.embedding_of)


def row_of(padding_idx: int, count: int) -> int:
    """`padding_idx` counted from the front. Raises: AssertionError if there are fewer rows."""
    require(-count <= padding_idx < count, "Padding_idx must be within num_embeddings", AssertionError)
    return padding_idx % count


@no_grad()
def _renormalize(weight, indices, max_norm: float, norm_type: float) -> None:
    """Shorten, in place, the rows that are asked for and longer than `max_norm`."""
    check_indices(indices._data, 2, "embedding_renorm_")
    table = weight._alias(weight._array(), None)  # all rows count as one write
    for row in [table.select(0, i) for i in xp.unique(indices._data).tolist()]:
        norm = row.norm(norm_type).item()
        if norm > max_norm:
            row *= max_norm / (norm + 1e-7)
    bump(weight)


def one_hot(input, num_classes: int = -1):
    """A new last dimension with 1 at the place that the number says, 0 elsewhere."""
    index = whole_array(input)
    require(index.dtype == dtypes.int64.np, "one_hot is only applicable to index tensor of type LongTensor.")
    require(not index.size or index.min() >= 0, "Class values must be non-negative.")
    require(index.size or num_classes > 0, "Can not infer total number of classes from empty tensor.")
    need(num_classes != -1 or index is input._data, "one_hot")
    count = int(index.max()) + 1 if num_classes == -1 else num_classes
    require(not index.size or index.max() < count, "Class values must be smaller than num_classes.")
    return (input.unsqueeze(-1) == constant(Tensor, namespace(index).arange(count))).long()


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: float | None = None):
    """softmax(query @ key.T * scale + mask) @ value; masks are True where attention is allowed."""
    same_type(*(t._data for t in (query, key, value)), said="attention_types")
    if attn_mask is not None and attn_mask.dtype not in (dtypes.bool, dtypes.float32):
        same_type(attn_mask._data, query._data, said="attention_mask_types")
    need(attn_mask is None or not is_causal, "attention_two_masks")
    root = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = constant(Tensor, namespace(query._data).tri(query.shape[-2], key.shape[-2], dtype="bool"))
    weights = pointwise.mul_scalar(query, root) @ pointwise.mul_scalar(key.transpose(-2, -1), root)
    if attn_mask is not None:
        if attn_mask._data.dtype.kind == "b":
            attn_mask = constant(Tensor, xp.where(attn_mask._data, 0, -xp.inf).astype(query._data.dtype))
        weights = weights.add_(attn_mask)
    return dropout(act.safe_softmax(weights, -1), dropout_p) @ value


# ---- dropout


def checked_p(p: float) -> float:
    """A probability. Raises: ValueError if it is none."""
    require(0 <= p <= 1, f"dropout probability has to be between 0 and 1, but got {p}", ValueError)
    return p


def dropout(input, p: float = 0.5, training: bool = True, inplace: bool = False):
    """In training, zero with probability `p`, the rest scaled by 1 / (1 - p); else unchanged."""
    return _dropped(input, input._data.shape, checked_p(p), training, inplace)


def dropout2d(input, p: float = 0.5, training: bool = True, inplace: bool = False):
    """As dropout, for whole channels."""
    if input.ndim == 3:
        presentation.warn("dropout2d")
    sizes = input._data.shape
    return _dropped(input, (*sizes[:2], *(1,) * (len(sizes) - 2)), checked_p(p), training, inplace)


def _dropped(input, noise_shape: tuple, p: float, training: bool, inplace: bool):
    if not training or not p or not input._data.size:
        return input
    if not grad_mode():
        note("dropped", input)
    kind = input._data.dtype.type
    if p < 1:  # else all are zero, which every type can hold
        dtypes.check_cast(dtypes.float32.np, input._data.dtype)

    def noise_of(sizes: tuple):
        kept = xp.zeros(sizes, kind)
        if p < 1:
            like = input._array() if sizes == input._data.shape else xp.empty(sizes)
            kept = drawn(like, lambda shape, _: random.bernoulli(xp.float64(1 - p), shape)).astype(kind) / kind(1 - p)
        return constant(Tensor, namespace(input._data).asarray(kept))

    noise = at_random(noise_of, noise_shape)
    return input.mul_(noise) if inplace else input * noise


# ---- convolution


def tuple_of(value, n: int) -> tuple:
    """A number, or a sequence of one or of `n`, as a tuple of `n`."""
    values = (value,) if isinstance(value, int | xp.integer) else tuple(value)
    return values * n if len(values) == 1 else values


def _convolve(n: int, input, weight, bias, stride, padding, dilation, groups: int):
    if bias is not None and not isinstance(padding, str):
        same_type(input._data, bias._data, said="conv_bias_types")
    need(input.ndim in (n + 1, n + 2), "conv_input", n + 1, n + 2, f"conv{n}d", list(input.shape))
    require(weight.ndim > 2, "weight should have at least three dimensions")
    stride, dilation = tuple_of(stride, n), tuple_of(dilation, n)
    x = input if input.ndim == n + 2 else input.unsqueeze(0)
    if isinstance(padding, str):
        x, padding = _named_padding(x, weight, padding, stride, dilation)
    sizes, padding = (0,) if bias is None else tuple(bias.shape), tuple_of(padding, n)
    for word, given in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        need(len(given) == weight.ndim - 2, "conv_option", word, weight.ndim - 2, list(given))
    y = conv.convolution(x, weight, bias, stride, padding, dilation, False, (0,) * n, groups, sizes)
    return y if input.ndim == n + 2 else y.squeeze(0)


def _named_padding(x, weight, padding: str, stride: tuple, dilation: tuple) -> tuple:
    """"valid" is none; "same" keeps the size, an odd cell more on the right side."""
    if padding == "valid":
        return x, 0
    require(padding == "same", f"Invalid padding string: '{padding}'")
    require(set(stride) == {1}, "padding='same' is not supported for strided convolutions")
    both = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
    if any(b % 2 for b in both):
        presentation.warn("same_padding", once=True)
        x = shape.constant_pad_nd(x, tuple(v for b in reversed(both) for v in (0, b % 2)), 0.0)
    return x, tuple(b // 2 for b in both)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups: int = 1):
    """Slide filters over sequences `(batch, channels, length)`; `weight` is `(out, in / groups, size)`."""
    return _convolve(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups: int = 1):
    """Slide filters over images `(batch, channels, height, width)`; `weight` is `(out, in / groups, h, w)`."""
    return _convolve(2, input, weight, bias, stride, padding, dilation, groups)


# ---- pooling


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1,
               ceil_mode: bool = False, return_indices: bool = False):
    """The largest element of each window; `stride` is the window's size if not given."""
    windows = (tuple_of(v, 2) for v in (kernel_size, () if stride is None else stride, padding, dilation))
    pooled = conv.max_pool2d_of(input, *windows, ceil_mode)
    return pooled if return_indices else pooled[0]


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override=None):
    """The mean of each window; `stride` is the window's size if not given."""
    windows = (tuple_of(v, 2) for v in (kernel_size, () if stride is None else stride, padding))
    return conv.avg_pool2d_of(input, *windows, ceil_mode, count_include_pad, divisor_override)


def _as_plane(value, other: int):
    """An option of a pool over sequences as one over planes of height 1."""
    return value if value is None else (other, *tuple_of(value, 1))


def _as_sequence(pooled):
    """Planes of height 1 as sequences again, with their indices if there are any."""
    return pooled.squeeze(-2) if isinstance(pooled, Tensor) else tuple(t.squeeze(-2) for t in pooled)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1,
               ceil_mode: bool = False, return_indices: bool = False):
    """The largest element of each stretch of a sequence."""
    windows = _as_plane(kernel_size, 1), _as_plane(stride, 1), _as_plane(padding, 0), _as_plane(dilation, 1)
    (_, size), (_, edge) = windows[0], windows[2]
    need(edge <= size // 2, "max_pool1d_padding", edge, size)
    return _as_sequence(max_pool2d(input.unsqueeze(-2), *windows, ceil_mode, return_indices))


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode: bool = False, count_include_pad: bool = True):
    """The mean of each stretch of a sequence."""
    windows = _as_plane(kernel_size, 1), _as_plane(stride, 1), _as_plane(padding, 0)
    return avg_pool2d(input.unsqueeze(-2), *windows, ceil_mode, count_include_pad).squeeze(-2)


def _pooled_size(kind: str, input, output_size) -> tuple:
    sizes, name = list(input.shape), f"adaptive_{kind}_pool2d()"
    require(len(sizes) in (3, 4), f"{name}: Expected 3D or 4D tensor, but got{':' * (kind == 'max')} {sizes}")
    out = tuple(n if m is None else m for n, m in zip(sizes[-2:], tuple_of(output_size, 2), strict=True))
    for dim in () if kind == "avg" and out == (1, 1) else (-2, -1):
        need(sizes[dim], "adaptive_pool_input", name, sizes, len(sizes) + dim)
    return out


def adaptive_avg_pool2d(input, output_size):
    """The mean of `output_size` regions that cover the plane."""
    out = _pooled_size("avg", input, output_size)
    if out == (1, 1):
        return reduce.mean_dim(input, (-1, -2), True)
    matrices = (shares(n, m, input._data.dtype) for n, m in zip(input.shape[-2:], out, strict=True))
    return conv.adaptive_avg_pool2d_of(input, *matrices)


def adaptive_max_pool2d(input, output_size, return_indices: bool = False):
    """The largest element of `output_size` regions that cover the plane."""
    pooled = conv.adaptive_max_pool2d_of(input, _pooled_size("max", input, output_size))
    return pooled if return_indices else pooled[0]


def adaptive_avg_pool1d(input, output_size):
    """The mean of `output_size` stretches that cover a sequence."""
    return adaptive_avg_pool2d(input.unsqueeze(-2), _as_plane(output_size, 1)).squeeze(-2)


def adaptive_max_pool1d(input, output_size, return_indices: bool = False):
    """The largest element of `output_size` stretches that cover a sequence."""
    return _as_sequence(adaptive_max_pool2d(input.unsqueeze(-2), _as_plane(output_size, 1), return_indices))


# ---- padding and resizing


_PAD_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}  # torch's names -> NumPy's


def pad(input, pad, mode: str = "constant", value=None):
    """Cells put on both sides, the last dimension's pair first; modes constant, reflect, replicate, circular."""
    pad, rank = tuple(pad), input.ndim
    require(len(pad) % 2 == 0, "Padding length must be divisible by 2")
    need(len(pad) <= 2 * rank, "pad_length", len(pad), rank)
    if mode == "constant":
        return shape.constant_pad_nd(input, pad, 0 if value is None else value)
    require(mode in _PAD_MODES, f"Unrecognised padding mode {mode}", NotImplementedError)
    require(not value, f'Padding mode "{mode}" doesn\'t take in value argument')
    pairs = [pad[i : i + 2] for i in range(0, len(pad), 2)]
    n = len(pairs)
    need(n in (1, 2, 3) and rank - n in (1, 2), "pad_sizes", len(pad), rank)
    need(mode == "circular" or all(input.shape[-n - 1 :]), "pad_input", n + 1, n + 2, list(input.shape))
    for i, pair in enumerate(pairs):
        size = input.shape[-1 - i]
        need(mode != "reflect" or max(pair) < size, "reflect_padding", 4 + 2 * i, pair[0], pair[1], rank - 1 - i,
             list(input.shape))
        require(mode != "circular" or max(pair) <= size, "Padding value causes wrapping around more than once.")
    if min(pad) < 0:
        input, pad = shape.constant_pad_nd(input, tuple(min(n, 0) for n in pad)), tuple(max(n, 0) for n in pad)
    if mode in _PADS and len(pairs) < 3:
        return _PADS[mode][len(pairs) - 1](input, pad)
    for i, pair in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        at = xp.pad(xp.arange(input.shape[-1 - i]), pair, _PAD_MODES[mode])
        input = input.index_select(rank - 1 - i, constant(Tensor, at))
    return input


# torch's modes of `interpolate` -> how many dimensions a linear one resizes, 0 for those that take any input
_RESIZED = {"linear": 1, "bilinear": 2, "trilinear": 3} | dict.fromkeys(
    ("nearest", "area", "nearest-exact", "bicubic", "lanczos"), 0)


def interpolate(input, size=None, scale_factor=None, mode: str = "nearest",
                align_corners: bool | None = None, recompute_scale_factor: bool | None = None):
    """Sequences or images in another size: each cell a copy of the nearest one, between its neighbours
    ("linear", "bilinear"), or the mean of a window ("area")."""
    require(size is not None or scale_factor is not None, "either size or scale_factor should be defined", ValueError)
    n = input.ndim - 2
    need(n in (1, 2, 3) and mode in _RESIZED, "resized_input", n + 2, mode)
    between = _RESIZED[mode]
    need(between in (0, n), "resized_between", n + 2, mode, between + 2)
    require(n < 3 and mode in ("nearest", "linear", "bilinear", "area"), "interpolate() has modes 'nearest', 'linear', "
            f"'bilinear' and 'area' for 3-d and 4-d inputs only, not {mode!r} for {n + 2}-d")
    need(between or align_corners is None, "align_corners")
    require(None in (size, scale_factor), "only one of size or scale_factor should be defined", ValueError)
    given, key = (scale_factor, "resized_scales") if size is None else (size, "resized_sizes")
    need(not isinstance(given, tuple | list) or len(given) == n, key, list(input.shape[2:]), given)
    if size is not None:
        out, scales = tuple_of(size, n), (None,) * n
    else:
        scales = tuple(map(float, (scale_factor,) * n if isinstance(scale_factor, int | float) else scale_factor))
        out = tuple(int(m * s) for m, s in zip(input.shape[2:], scales, strict=True))
        scales = (None,) * n if recompute_scale_factor else scales
    if mode == "area":
        return adaptive_avg_pool1d(input, out) if n == 1 else adaptive_avg_pool2d(input, out)
    need(min(*input.shape[2:], *out) > 0, f"resized_to_nothing{n}", *input.shape[2:], *out)
    if between:
        resize = conv.upsample_linear1d if n == 1 else conv.upsample_bilinear2d
        return resize(input, out, bool(align_corners), *scales)
    return (conv.upsample_nearest1d if n == 1 else conv.upsample_nearest2d)(input, out, *scales)


# ---- normalisation


def _same_sizes(sizes: tuple, text: str, **parameters) -> None:
    """Raises: RuntimeError with `text` about the first parameter, {0}, that has other sizes, {1}, than {2}."""
    for name, p in parameters.items():
        if p is not None and p._data.shape != sizes:
            raise RuntimeError(text.format(name, list(p.shape), list(sizes)))


def layer_norm(input, normalized_shape, weight=None, bias=None, eps: float = 1e-5):
    """Mean 0 and variance 1 over the last dimensions, then scaled by `weight` and moved by `bias`."""
    sizes = tuple(normalized_shape)
    if input._data.shape[-len(sizes) :] != sizes:
        check_parameters(*(t if t is None else t._data for t in (input, weight, bias)))
        need(False, "normalized_shape", list(sizes), "".join(f", {n}" for n in sizes), list(input.shape))
    implemented("LayerNormKernelImpl", input._data)
    _same_sizes(sizes, "Expected {0} to be of same shape as normalized_shape, but got {0} of shape {1} and "
           "normalized_shape = {2}", weight=weight, bias=bias)
    return conv.native_layer_norm(input, weight, bias, sizes, eps)[0]


def batch_norm(input, running_mean, running_var, weight=None, bias=None,
               training: bool = False, momentum: float = 0.1, eps: float = 1e-5):
    """Mean 0 and variance 1 for each channel: of this batch in training, else the running ones."""
    need(not training or input.shape[0] * math.prod(input.shape[2:]) != 1, "one_per_channel", input.shape)
    if eps < 0 or (training and not eps):
        least = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {least}, but got {eps}")
    if training and not grad_mode():
        note("batched", input)
    return _over_batch(input, weight, bias, running_mean, running_var, training, momentum, eps)


def _over_batch(input, weight, bias, running_mean, running_var, training: bool, *how):
    if not input._data.size:  # torch records no norm of nothing
        y = input.clone() if weight is None else input.clone() * weight.select(0, 0)
        return y if bias is None else y + bias.select(0, 0)
    running = {"running_mean": running_mean, "running_var": running_var}
    for name, p in running.items():
        require(training or p is not None, f"{name} must be defined in evaluation mode")
    _no_gradient_for("native_batch_norm", **running)
    _same_sizes(input.shape[1:2], f"{{0}} should contain {input.shape[1]} elements not {{1[0]}}", **running,
                 weight=weight, bias=bias)
    return conv.native_batch_norm(input, weight, bias, running_mean, running_var, training, *how)[0]


def group_norm(input, num_groups: int, weight=None, bias=None, eps: float = 1e-5):
    """Mean 0 and variance 1 over groups of channels of each example."""
    require(input.ndim > 1, f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    n, c, *rest = input.shape
    sizes = [n * c // num_groups, num_groups, *rest]
    need(math.prod(sizes) != num_groups, "one_per_channel", sizes)
    need(not c % num_groups, "group_norm_channels", list(input.shape), num_groups)
    _same_sizes((c,), "Expected {0} to be a vector of size equal to the number of channels in input, but got {0} of "
                f"shape {{1}} and input of shape {list(input.shape)}", weight=weight, bias=bias)
    return conv.native_group_norm(input, weight, bias, n, c, math.prod(rest), num_groups, eps)[0]


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None,
                  use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5):
    """Mean 0 and variance 1 for each channel of each example."""
    need(not use_input_stats or math.prod(input.shape[2:]) != 1, "instance_norm_input", input.shape)
    n, c, *rest = input.shape
    need(use_input_stats or all(t is not None for t in (running_mean, running_var)), "instance_norm_running")
    weight, bias, *copies = (None if t is None else t.repeat(n) for t in (weight, bias, running_mean, running_var))
    y = _over_batch(input.contiguous().view(1, n * c, *rest), weight, bias, *copies, use_input_stats, momentum, eps)
    for running, copy in zip((running_mean, running_var), copies, strict=True):
        if running is not None:  # each example has moved its own
            running.detach().copy_(copy.view(n, c).mean(0))
    return y.view(input.shape)


def normalize(input, p: float = 2.0, dim=1, eps: float = 1e-12):
    """Vectors along `dim` divided by their p-norm."""
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


# ---- distances


def _at_least(eps: float, t):
    """A copy of `t` in which no number is below `eps`; the gradient does not know."""
    t = t.clone()
    with no_grad():
        return t.clamp_min_(eps)


def cosine_similarity(x1, x2, dim: int = 1, eps: float = 1e-8):
    """The cosine of the angle between vectors along `dim`."""
    kind = dtypes.of(dtypes.result_dtype(x1._data, x2._data))
    need(kind.is_floating_point, "common_floats", kind.scalar_type)
    x1, x2 = calls.shape.broadcast_tensors(x1, x2)
    floats = [x if x.is_floating_point() else x.to(kind) for x in (x1, x2)]
    norms = [_at_least(eps, reduce.vector_norm(x, 2, (own_dim(x, dim),), True)) for x in floats]
    second = x2 / norms[1]  # C++ takes the right factor first
    return (x1 / norms[0] * second).sum(dim)


def pairwise_distance(x1, x2, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False):
    """The p-norm of `x1 - x2 + eps` along the last dimension."""
    off = loss.add_scalar(x1 - x2, eps)
    return loss.norm_dim(off, float(p), (off.ndim - 1,), keepdim)


def bilinear(input1, input2, weight, bias=None):
    """`input1 @ weight[k] @ input2` for each k."""
    given = [t._data for t in (input1, input2, weight, bias) if t is not None]
    same_type(*given, said="bilinear_types" if bias is None else "bilinear_bias_types")
    for i, t in enumerate((input1, input2), 1):
        need(t.shape[-1] == weight.shape[i], "bilinear_sizes", i, t.shape[-1], weight.shape[i])
    rows = [t.reshape(-1, t.shape[-1]) for t in (input1, input2)]
    output = conv.trilinear(rows[0], weight, rows[1]).view(*input1.shape[:-1], weight.shape[0])
    return output if bias is None else output + bias


# ---- losses


def _expanded_pair(kernel: str, input, target, weight, reduction: str, *flags) -> tuple:
    """Both in the shape in which they meet, and the reduction."""
    if target.size() != input.size():
        presentation.warn("loss_sizes", target.shape, input.shape)
    reduction, sizes = legacy_reduction(reduction, *flags), common_shape(input._data.shape, target._data.shape)
    need(weight is None or reduction in _REDUCTIONS, "weighted_reduction", reduction)
    kind = _reduction(reduction)
    _floats(kernel, input, target)
    return *(t if t._data.shape == sizes else t.expand(sizes) for t in (input, target)), kind


def _weighted(input, errors, weight, kind: int, divisor=None):
    require(weight.size() == input.size(), "Weights and input must have the same size.", ValueError)
    errors = errors * weight
    return errors.sum() / divisor.sum() if divisor is not None and kind == MEAN else _reduced(errors, kind)


def mse_loss(input, target, size_average=None, reduce=None, reduction: str = "mean", weight=None):
    """The mean of the squared differences; of `weight`, one per element, a weighted mean."""
    x, y, kind = _expanded_pair("mse_cpu", input, target, weight, reduction, size_average, reduce)
    return loss.mse_loss(x, y, kind) if weight is None else _weighted(input, (x - y) ** 2, weight, kind, weight)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction: str = "mean", beta: float = 1.0):
    """(x - t)^2 / (2 beta) where the difference is below `beta`, |x - t| - beta / 2 above."""
    x, y, kind = _expanded_pair("smooth_l1_cpu", input, target, None, reduction, size_average, reduce)
    require(beta >= 0, "smooth_l1_loss does not support negative values for beta.")
    return loss.smooth_l1_loss(x, y, kind, beta) if beta else _reduced((x - y).abs(), kind)


def huber_loss(input, target, reduction: str = "mean", delta: float = 1.0, weight=None):
    """(x - t)^2 / 2 where the difference is below `delta`, delta (|x - t| - delta / 2) above; times its `weight`."""
    x, y, kind = _expanded_pair("huber_cpu", input, target, weight, reduction)
    require(delta > 0, "huber_loss does not support non-positive values for delta.")
    errors = loss.huber_loss(x, y, kind if weight is None else NONE, delta)
    return errors if weight is None else _weighted(input, errors, weight, kind)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction: str = "mean"):
    """-(t log x + (1 - t) log(1 - x)) of probabilities."""
    kind = _reduction(reduction, size_average, reduce)
    need(target.size() == input.size(), "bce_sizes", target.shape, input.shape)
    _floats("binary_cross_entropy", input, target)
    same_type(input._data, target._data, said="loss_types")
    weight = weight if weight is None else weight.expand(common_shape(target.size(), weight.size()))
    _no_gradient_for("binary_cross_entropy", weight=weight)
    return loss.binary_cross_entropy(input, target, weight, kind)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None,
                                     reduce=None, reduction: str = "mean", pos_weight=None):
    """binary_cross_entropy of sigmoid(x), without overflow."""
    kind = _reduction(reduction, size_average, reduce)
    need(target.size() == input.size(), "logits_sizes", target.shape, input.shape)
    _floats("log_sigmoid_cpu", input)
    need(target._data.dtype.kind != "b", "subtracted_bools")
    dtypes.check_cast(input._data.dtype, target._data.dtype)
    input, weight, pos_weight = (t if t is None else t.to(target.dtype) for t in (input, weight, pos_weight))
    _no_gradient_for("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return loss.bce_with_logits(input, target, weight, pos_weight, kind)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction: str = "mean"):
    """log(1 + exp(-t x)) for targets 1 and -1."""
    kind = _reduction(reduction, size_average, reduce)
    _no_gradient_for("soft_margin_loss", target=target)
    return loss.soft_margin_loss(input, target.to(input.dtype), kind)


def nll_loss(input, target, weight=None, size_average=None, ignore_index: int = -100,
             reduce=None, reduction: str = "mean"):
    """Minus the log-probability of the right class; `target` holds class numbers."""
    rank, kind = input._data.ndim, _reduction(reduction, size_average, reduce)
    _no_gradient_for("nll_loss_forward" if rank <= 2 else "nll_loss2d_forward", weight=weight)
    if rank <= 2:
        return loss.nll_loss.row.call(input, target, weight, kind, ignore_index)[0]
    if rank == 4:
        return loss.nll_loss2d(input, target, weight, kind, ignore_index)[0]
    n, c, *rest = input.shape
    need(target.shape[:1] == (n,), "target_batch", n, (*target.shape, 0)[0])
    require(target.shape[1:] == (*rest,), f"Expected target size {[n, *rest]}, got {list(target.shape)}")
    count = math.prod(rest)
    values = loss.nll_loss2d(input.reshape(n, c, 1, count), target.reshape(n, 1, count), weight, kind, ignore_index)[0]
    return values.view(target.shape) if kind == NONE else values


def cross_entropy(input, target, weight=None, size_average=None, ignore_index: int = -100,
                  reduce=None, reduction: str = "mean", label_smoothing: float = 0.0):
    """nll_loss of log_softmax: scores `(batch, classes, ...)`, class numbers or probabilities."""
    reduction = legacy_reduction(reduction, size_average, reduce)
    kind = _reduction(reduction)
    if input._data.ndim == 2 and target._data.ndim == 1 and weight is None and label_smoothing <= 0:
        return TENSORS.cross_entropy(input, target, weight, kind, ignore_index)
    dim = 0 if input._data.ndim == 1 else 1  # of the classes
    soft = target._data.shape == input._data.shape
    need(not soft or target.is_floating_point(), "class_probabilities", target.dtype.scalar_type)
    logs = act.log_softmax_dim(input, own_dim(input, dim))
    require(not soft or ignore_index < 0, "ignore_index is not supported for floating point target")
    require(label_smoothing <= 1, f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if soft:
        return _soft_targets(logs, target, weight, dim, kind, label_smoothing)
    hard = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing <= 0:
        return hard
    even = _even_targets(logs, target, weight, dim, ignore_index, kind)
    even = pointwise.mul_scalar(even, label_smoothing / logs.shape[dim])
    return pointwise.mul_scalar(hard, 1 - label_smoothing) + even


def _soft_targets(logs, target, weight, dim: int, kind: int, smoothing: float):
    classes = max(logs.shape[dim], 1)
    need(weight is None or weight.shape == logs.shape[dim : dim + 1], "class_weights", classes,
         None if weight is None else list(weight.shape))
    if smoothing > 0:
        target = loss.add_scalar(pointwise.mul_scalar(target, 1 - smoothing), smoothing / classes)
    parts = _by_class(logs * target, weight, dim)
    if kind == MEAN and not logs.numel():
        return -parts.sum().fill_(math.nan)
    losses = -(parts.sum(dim) if kind == NONE else parts.sum())
    return loss.div_scalar(losses, logs.numel() // classes) if kind == MEAN else losses


def _even_targets(logs, target, weight, dim: int, ignore_index: int, kind: int):
    """The loss if every class were as right as the others."""
    ignored = target == ignore_index
    even = (-_by_class(logs, weight, dim).sum(dim)).masked_fill(ignored, 0.0)
    if kind == MEAN:
        counted = ~ignored if weight is None else weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0.0)
        return even.sum() / counted.sum()
    return _reduced(even, kind)


def _by_class(values, weight, dim: int):
    """Times the weights of the classes, if there are any."""
    return values if weight is None else values * weight.view([-1 if i == dim else 1 for i in range(values.ndim)])


def _reduced(values, kind: int):
    return values if kind == NONE else values.mean() if kind == MEAN else values.sum()


def l1_loss(input, target, size_average=None, reduce=None, reduction: str = "mean", weight=None):
    """The mean of the absolute differences; of `weight`, one per element, a weighted mean."""
    x, y, kind = _expanded_pair("", input, target, weight, reduction, size_average, reduce)
    return _reduced((x - y).abs(), kind) if weight is None else _weighted(input, (x - y).abs(), weight, kind, weight)


def kl_div(input, target, size_average=None, reduce=None, reduction: str = "mean", log_target: bool = False):
    """t (log t - x): how far log-probabilities `input` are from probabilities `target`."""
    kind = _reduction("sum" if reduction == "batchmean" else reduction, size_average, reduce)
    if reduction == "mean" and (size_average, reduce) == (None, None):
        presentation.warn("kl_div_mean")
    require(input.is_floating_point() and target.is_floating_point(), "kl_div: Integral inputs not supported.")
    product = target - input if log_target else target * input  # torch makes it first
    values = _reduced(target.exp() * product if log_target else target.xlogy(target) - product, kind)
    return values / input.shape[0] if reduction == "batchmean" and input.ndim else values


def hinge_embedding_loss(input, target, margin: float = 1.0, size_average=None, reduce=None, reduction: str = "mean"):
    """x where the target is 1, max(0, margin - x) where it is -1."""
    kind, zeros = _reduction(reduction, size_average, reduce), zeros_like(input)
    far = (constant(Tensor, input._data.dtype.type(margin)) - input).clamp_min_(0)
    values = calls.pointwise.where_of(target != 1, far, zeros) + calls.pointwise.where_of(target != -1, input, zeros)
    return _reduced(values, kind)


def margin_ranking_loss(input1, input2, target, margin: float = 0.0, size_average=None,
                        reduce=None, reduction: str = "mean"):
    """max(0, -t (x1 - x2) + margin)."""
    kind = _reduction(reduction, size_average, reduce)
    need(input1.dim() == input2.dim() == target.dim(), "ranking_dims", input1.shape, input2.shape, target.shape)
    return _reduced(loss.add_scalar(-target * (input1 - input2), margin).clamp_min_(0), kind)


def triplet_margin_loss(anchor, positive, negative, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
                        swap: bool = False, size_average=None, reduce=None, reduction: str = "mean"):
    """max(0, distance to the positive - distance to the negative + margin)."""
    kind = _reduction(reduction, size_average, reduce)
    require(margin > 0, f"margin must be greater than 0, got {margin}", ValueError)
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    far = pointwise.minimum(far, pairwise_distance(positive, negative, p, eps)) if swap else far
    return _reduced((loss.add_scalar(near, margin) - far).clamp_min(0), kind)


def cosine_embedding_loss(input1, input2, target, margin: float = 0.0, size_average=None,
                          reduce=None, reduction: str = "mean"):
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1."""
    kind = _reduction(reduction, size_average, reduce)
    require(target.ndim < 2, "0D or 1D target tensor expected, multi-target not supported")
    dims, sizes = target.ndim, (list(input1.shape), list(input2.shape))
    need(input1.ndim == input2.ndim == dims + 1, "cosine_target", dims, dims + 1, *sizes)
    squares = (loss.add_scalar((x * x).sum(target.ndim), 1e-12) for x in (input1, input2))
    cosine = (input1 * input2).sum(target.ndim) / pointwise.mul(*squares).sqrt()
    zeros = zeros_like(cosine)
    near = calls.pointwise.where_of(target == 1, constant(Tensor, cosine._data.dtype.type(1)) - cosine, zeros)
    far = loss.sub_scalar(cosine, margin).clamp_min_(0)
    return _reduced(near + calls.pointwise.where_of(target == -1, far, zeros), kind)


def poisson_nll_loss(input, target, log_input: bool = True, full: bool = False, size_average=None,
                     eps: float = 1e-8, reduce=None, reduction: str = "mean"):
    """exp(x) - t x for counts `target`; x - t log(x + eps) where `input` is no logarithm."""
    kind = _reduction(reduction, size_average, reduce)
    product = target * (input if log_input else loss.add_scalar(input, eps).log())  # torch makes it first
    values = (input.exp() if log_input else input) - product
    if full:
        target = target if target._data.dtype.kind == "f" else target.float()
        area = pointwise.mul_scalar(target, 2 * math.pi)
        stirling = target * target.log() - target + pointwise.mul_scalar(area.log(), 0.5)
        values = values + stirling.masked_fill(target <= 1, 0)
    return _reduced(values, kind)


def gaussian_nll_loss(input, target, var, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
    """(log var + (x - t)^2 / var) / 2."""
    var = var * ones_like(input) if isinstance(var, float) else var
    # one for each row
    var = var.unsqueeze(-1) if var.shape != input.shape and var.shape == input.shape[:-1] else var
    shared = [m for n, m in zip(input.shape, var.shape, strict=False) if n != m]
    require(var.ndim == input.ndim and shared in ([], [1]), "var is of incorrect size", ValueError)
    require((var._data >= 0).all(), "var has negative entry/entries", ValueError)
    require(reduction in _REDUCTIONS, f"{reduction} is not valid", ValueError)
    var = _at_least(eps, var)
    values = 0.5 * (var.log() + (input - target) ** 2 / var)
    return _reduced(values + 0.5 * math.log(2 * math.pi) if full else values, _reduction(reduction))


# What torch lets its argument parser refuse: functions of its own, and those in Python that hand on to one.
for _kind, _names in table("names")["faces"].items():
    for _name, _, _face in (_word.partition(":") for _word in _names.split()):
        globals()[_name] = worded(f"torch.{_face or _name}", globals()[_name], _kind == "python", name=_name)

# Functions that torch has at the top too, by the same name; losses, and four more, have another form there.
_OTHERWISE = "loss kl_div cross_entropy adaptive_max_pool1d batch_norm embedding instance_norm".split()
TORCH_FUNCTIONS = {_name for _name in torch_names()["torch"] & {*globals()}
                   if callable(globals()[_name]) and not any(map(_name.count, _OTHERWISE))}
