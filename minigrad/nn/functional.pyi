"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from collections.abc import Sequence
from numpy import ndarray, number
from typing import Any, Literal, overload
from .._tensor import Tensor as Tensor
from ..array.backend import device
from ..array.dtypes import dtype

__all__ = [
    "Tensor", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "avg_pool1d", "avg_pool2d", "batch_norm", "bilinear", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "celu", "celu_", "conv1d", "conv2d", "cosine_embedding_loss",
    "cosine_similarity", "cross_entropy", "dropout", "dropout2d", "elu", "elu_", "embedding", "gaussian_nll_loss",
    "gelu", "glu", "group_norm", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_",
    "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "leaky_relu_", "linear", "log_softmax", "logsigmoid", "margin_ranking_loss", "max_pool1d",
    "max_pool2d", "mish", "mse_loss", "nll_loss", "normalize", "one_hot", "pad", "pairwise_distance",
    "poisson_nll_loss", "prelu", "relu", "relu6", "relu_", "rrelu", "rrelu_", "scaled_dot_product_attention",
    "selu", "selu_", "sigmoid", "silu", "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softplus",
    "softshrink", "softsign", "tanh", "tanhshrink", "threshold", "threshold_", "triplet_margin_loss",
]


def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """The mean of `output_size` stretches that cover a sequence."""
def adaptive_avg_pool2d(input: Tensor, output_size: Tensor | int | Sequence[int]) -> Tensor:
    """The mean of `output_size` regions that cover the plane."""
@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: Tensor | int | Sequence[int] | Sequence[Tensor],
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of `output_size` stretches that cover a sequence."""
@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: Tensor | int | Sequence[int] | Sequence[Tensor],
    return_indices: Literal[True] = ...,
) -> tuple[Tensor, ...]:
    """The largest element of `output_size` stretches that cover a sequence."""
@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: Tensor | int | Sequence[int] | Sequence[Tensor], return_indices: bool = False,
) -> Any:
    """The largest element of `output_size` stretches that cover a sequence."""
@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: Tensor | int | Sequence[int], return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of `output_size` regions that cover the plane."""
@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: Tensor | int | Sequence[int], return_indices: Literal[True] = ...,
) -> tuple[Tensor, ...]:
    """The largest element of `output_size` regions that cover the plane."""
@overload
def adaptive_max_pool2d(input: Tensor, output_size: Tensor | int | Sequence[int], return_indices: bool = False) -> Any:
    """The largest element of `output_size` regions that cover the plane."""
def avg_pool1d(
    input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
) -> Tensor:
    """The mean of each stretch of a sequence."""
def avg_pool2d(
    input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
    padding: Tensor | int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
    divisor_override: float | Sequence[int] | Sequence[Tensor] | Sequence[float] | number[Any] | None = None,
) -> Tensor:
    """The mean of each window; `stride` is the window's size if not given."""
def batch_norm(
    input: Tensor, running_mean: Any, running_var: Any, weight: Tensor | None = None, bias: Tensor | None = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-05,
) -> Tensor:
    """Mean 0 and variance 1 for each channel: of this batch in training, else the running ones."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input1 @ weight[k] @ input2` for each k."""
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """-(t log x + (1 - t) log(1 - x)) of probabilities."""
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
    reduction: str = 'mean', pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy of sigmoid(x), without overflow."""
def celu(input: Tensor | ndarray[Any, Any], alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, else alpha (exp(x / alpha) - 1)."""
def celu_(input: Tensor, *args: float | number[Any], **options: Any) -> Tensor:
    """`celu`, written into `input`."""
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:
    """Slide filters over sequences `(batch, channels, length)`; `weight` is `(out, in / groups, size)`."""
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
    padding: Tensor | int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
) -> Tensor:
    """Slide filters over images `(batch, channels, height, width)`; `weight` is `(out, in / groups, h, w)`."""
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor | ndarray[Any, Any], margin: float = 0.0,
    size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
) -> Tensor:
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: int = -100,
    reduce: Any = None, reduction: str = 'mean', label_smoothing: float = 0.0,
) -> Tensor:
    """nll_loss of log_softmax: scores `(batch, classes, ...)`, class numbers or probabilities."""
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zero with probability `p`, the rest scaled by 1 / (1 - p); else unchanged."""
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """As dropout, for whole channels."""
def elu(input: Tensor | ndarray[Any, Any], alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, else alpha (exp(x) - 1)."""
def elu_(input: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """`elu`, written into `input`; torch's has its other two numbers as well."""
def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None,
    max_norm: Tensor | float | number[Any] | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Row `input[i]` of `weight` for each index; row `padding_idx` gets no gradient."""
def gaussian_nll_loss(
    input: Tensor, target: Tensor | float | number[Any], var: Tensor | float, full: bool = False,
    eps: float = 1e-06, reduction: str = 'mean',
) -> Tensor:
    """(log var + (x - t)^2 / var) / 2."""
def gelu(input: Tensor | ndarray[Any, Any], *, approximate: str = 'none') -> Tensor:
    """x times the probability that a normal number is below x; `approximate` is "none" or "tanh"."""
def glu(input: Tensor | ndarray[Any, Any], dim: int = -1) -> Tensor:
    """The first half times the sigmoid of the second half."""
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05,
) -> Tensor:
    """Mean 0 and variance 1 over groups of channels of each example."""
def hardshrink(
    input: Tensor, lambd: float | Sequence[int] | Sequence[Tensor] | Sequence[float] | number[Any] = 0.5,
) -> Tensor:
    """`hardshrink`, as torch has it."""
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A sigmoid of straight lines: 0 up to -3, 1 from 3 on."""
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x hardsigmoid(x)."""
def hardtanh(
    input: Tensor | ndarray[Any, Any], min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False,
) -> Tensor:
    """x brought into `[min_val, max_val]`."""
def hardtanh_(input: Tensor, *args: float | number[Any], **options: Any) -> Tensor:
    """`hardtanh`, written into `input`."""
def hinge_embedding_loss(
    input: Tensor, target: Tensor | ndarray[Any, Any], margin: float = 1.0, size_average: Any = None,
    reduce: Any = None, reduction: str = 'mean',
) -> Tensor:
    """x where the target is 1, max(0, margin - x) where it is -1."""
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = 'mean', delta: float = 1.0, weight: Tensor | None = None,
) -> Tensor:
    """(x - t)^2 / 2 where the difference is below `delta`, delta (|x - t| - delta / 2) above; times its `weight`."""
def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Mean 0 and variance 1 for each channel of each example."""
def interpolate(
    input: Tensor, size: Tensor | float | Sequence[int] | Sequence[Tensor] | Sequence[float] | None = None,
    scale_factor: Tensor | float | Sequence[int] | Sequence[Tensor] | Sequence[float] | ndarray[Any, Any] | None = None,
    mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Sequences or images in another size: each cell a copy of the nearest one, between its neighbours
    ("linear", "bilinear"), or the mean of a window ("area")."""
def kl_div(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    log_target: bool = False,
) -> Tensor:
    """t (log t - x): how far log-probabilities `input` are from probabilities `target`."""
def l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    weight: Tensor | None = None,
) -> Tensor:
    """The mean of the absolute differences; of `weight`, one per element, a weighted mean."""
def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: Tensor | float = 1e-05,
) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then scaled by `weight` and moved by `bias`."""
def leaky_relu(
    input: Tensor | ndarray[Any, Any], negative_slope: Tensor | float = 0.01, inplace: bool = False,
) -> Tensor:
    """x where it is positive, else `negative_slope` times x."""
def leaky_relu_(
    input: Tensor, *args: float | Sequence[int] | Sequence[Tensor] | Sequence[float] | number[Any], **options: Any,
) -> Tensor:
    """`leaky_relu`, written into `input`."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`; `weight` is `(out_features, in_features)`."""
def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3,
    dtype: Tensor | float | dtype | device | type[Any] | None = None,
) -> Tensor:
    """The logarithm of softmax, computed without overflow."""
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)), computed without overflow."""
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, size_average: Any = None,
    reduce: Any = None, reduction: str = 'mean',
) -> Tensor:
    """max(0, -t (x1 - x2) + margin)."""
@overload
def max_pool1d(
    input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of each stretch of a sequence."""
@overload
def max_pool1d(
    input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False,
    return_indices: Literal[True] = ...,
) -> tuple[Tensor, ...]:
    """The largest element of each stretch of a sequence."""
@overload
def max_pool1d(
    input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each stretch of a sequence."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: int | Sequence[int] | number[Any], stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of each window; `stride` is the window's size if not given."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: int | Sequence[int] | number[Any], stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False,
    return_indices: Literal[True] = ...,
) -> tuple[Tensor, ...]:
    """The largest element of each window; `stride` is the window's size if not given."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: int | Sequence[int] | number[Any], stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window; `stride` is the window's size if not given."""
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh(softplus(x))."""
def mse_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    weight: Tensor | None = None,
) -> Tensor:
    """The mean of the squared differences; of `weight`, one per element, a weighted mean."""
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: int = -100,
    reduce: Any = None, reduction: str = 'mean',
) -> Tensor:
    """Minus the log-probability of the right class; `target` holds class numbers."""
def normalize(input: Tensor, p: float = 2.0, dim: int | Sequence[int] | None = 1, eps: float = 1e-12) -> Tensor:
    """Vectors along `dim` divided by their p-norm."""
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension with 1 at the place that the number says, 0 elsewhere."""
def pad(
    input: Tensor | ndarray[Any, Any], pad: Tensor | Sequence[int], mode: str = 'constant',
    value: float | number[Any] | None = None,
) -> Tensor:
    """Cells put on both sides, the last dimension's pair first; modes constant, reflect, replicate, circular."""
def pairwise_distance(
    x1: Tensor | float | number[Any], x2: Tensor | float | ndarray[Any, Any] | number[Any], p: float = 2.0,
    eps: float = 1e-06, keepdim: bool = False,
) -> Tensor:
    """The p-norm of `x1 - x2 + eps` along the last dimension."""
def poisson_nll_loss(
    input: Tensor, target: Tensor | float | number[Any], log_input: bool = True, full: bool = False,
    size_average: Any = None, eps: float = 1e-08, reduce: Any = None, reduction: str = 'mean',
) -> Tensor:
    """exp(x) - t x for counts `target`; x - t log(x + eps) where `input` is no logarithm."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else `weight * x`; one weight, or one per channel."""
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """x where it is positive, else 0."""
def relu6(input: Tensor | ndarray[Any, Any], inplace: bool = False) -> Tensor:
    """x brought into `[0, 6]`."""
def relu_(input: Tensor, *args: Any, **options: Any) -> Tensor:
    """`relu`, written into `input`."""
def rrelu(
    input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """As leaky_relu; in training each negative element has a slope drawn from `[lower, upper]`."""
def rrelu_(input: Tensor, *args: float | number[Any], **options: Any) -> Tensor:
    """`rrelu`, written into `input`."""
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None,
) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value; masks are True where attention is allowed."""
def selu(input: Tensor | ndarray[Any, Any], inplace: bool = False) -> Tensor:
    """elu, with the alpha and the scale that keep mean 0 and variance 1 from layer to layer."""
def selu_(input: Tensor, *args: Any, **options: Any) -> Tensor:
    """`selu`, written into `input`."""
def sigmoid(input: Tensor) -> Tensor:
    """`sigmoid`, as torch has it."""
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x sigmoid(x)."""
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    beta: Tensor | float = 1.0,
) -> Tensor:
    """(x - t)^2 / (2 beta) where the difference is below `beta`, |x - t| - beta / 2 above."""
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
) -> Tensor:
    """log(1 + exp(-t x)) for targets 1 and -1."""
def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3,
    dtype: Tensor | float | dtype | device | type[Any] | None = None,
) -> Tensor:
    """exp(x) divided by its sum along `dim`: numbers that sum to 1."""
def softmin(
    input: Tensor, dim: int | None = None, dtype: Tensor | float | dtype | device | type[Any] | None = None,
) -> Tensor:
    """softmax of -x."""
def softplus(input: Tensor | ndarray[Any, Any], beta: float = 1, threshold: Tensor | float = 20) -> Tensor:
    """log(1 + exp(beta x)) / beta, a smooth relu; x itself where beta x is above `threshold`."""
def softshrink(input: Tensor, lambd: Tensor | float | number[Any] = 0.5) -> Tensor:
    """`softshrink`, as torch has it."""
def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
def tanh(input: Tensor) -> Tensor:
    """`tanh`, as torch has it."""
def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
def threshold(input: Tensor | ndarray[Any, Any], threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above `threshold`, else `value`."""
def threshold_(input: Any, *args: Any, **options: Any) -> Any:
    """`threshold`, written into `input`."""
def triplet_margin_loss(
    anchor: Tensor | float | number[Any], positive: Tensor | float | ndarray[Any, Any] | number[Any],
    negative: Tensor | float | ndarray[Any, Any] | number[Any], margin: float = 1.0, p: float = 2.0,
    eps: float = 1e-06, swap: bool = False, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
) -> Tensor:
    """max(0, distance to the positive - distance to the negative + margin)."""
