"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Callable, Iterable, Mapping, Sequence
from numpy import ndarray, number
from types import SimpleNamespace
from typing import Any, Literal, overload
from . import (
    autograd as autograd, backends as backends, cuda as cuda, eras as eras, func as func, lessons as lessons,
    linalg as linalg, nn as nn, optim as optim, random as random, special as special, utils as utils,
)
from ._tensor import (
    Size as Size, Tensor as Tensor, broadcast_shapes as broadcast_shapes, return_types_aminmax, return_types_cummax,
    return_types_cummin, return_types_kthvalue, return_types_max, return_types_median, return_types_min,
    return_types_mode, return_types_slogdet, return_types_sort, return_types_topk,
)
from .array.backend import device as device
from .array.dtypes import (
    dtype as dtype, finfo as finfo, iinfo as iinfo, layout as layout, memory_format as memory_format,
)
from .array.random import Generator as Generator
from .autograd.grad_mode import (
    enable_grad as enable_grad, inference_mode as inference_mode, no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .core.modes import slow as slow
from .creation import (
    ByteTensor as ByteTensor, CharTensor as CharTensor, HalfTensor as HalfTensor, IntTensor as IntTensor,
    ShortTensor as ShortTensor, empty_like as empty_like,
)
from .eras import current_era as current_era, era as era
from .eras.alias import install_as_torch as install_as_torch, uninstall_torch as uninstall_torch
from .graph.faults import broken as broken
from .graph.tracebacks import full_tracebacks as full_tracebacks
from .magics import load_ipython_extension as load_ipython_extension
from .random import get_rng_state as get_rng_state, set_rng_state as set_rng_state
from .text import get_language as get_language, set_language as set_language
from .utils.serialization import load as load, save as save
from .viz.board import detective as detective, versions as versions
from .viz.compared import compare as compare
from .viz.display import Drawing
from .viz.exported import save_page as save_page
from .viz.monitor import training as training
from .viz.nudging import nudge as nudge
from .viz.panel import watch as watch
from .viz.player import step as step
from .viz.reasons import Explanation, doctor as doctor
from .viz.routes import paths as paths

__all__ = [
    "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "Generator", "HalfTensor", "IntTensor",
    "LongTensor", "ShortTensor", "Size", "Tensor", "abs", "abs_", "absolute", "acos", "acos_", "acosh", "acosh_",
    "adaptive_avg_pool1d", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addmv_", "addr", "adjoint",
    "all", "allclose", "amax", "amin", "aminmax", "any", "arange", "arccos", "arccos_", "arccosh", "arccosh_",
    "arcsin", "arcsin_", "arcsinh", "arcsinh_", "arctan", "arctan2", "arctan_", "arctanh", "arctanh_",
    "are_deterministic_algorithms_enabled", "argmax", "argmin", "argsort", "argwhere", "as_strided", "as_strided_",
    "as_tensor", "asarray", "asin", "asin_", "asinh", "asinh_", "atan", "atan2", "atan_", "atanh", "atanh_",
    "atleast_1d", "atleast_2d", "atleast_3d", "avg_pool1d", "baddbmm", "bernoulli", "bilinear", "bincount",
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "block_diag", "bmm", "bool", "broadcast_shapes", "broadcast_tensors", "broadcast_to", "broken", "bucketize",
    "can_cast", "cat", "cdist", "ceil", "ceil_", "celu", "celu_", "chunk", "clamp", "clamp_", "clamp_max",
    "clamp_max_", "clamp_min", "clamp_min_", "clip", "clip_", "clone", "column_stack", "compare", "concat",
    "concatenate", "conj", "contiguous_format", "conv1d", "conv2d", "cos", "cos_", "cosh", "cosh_",
    "cosine_similarity", "count_nonzero", "cross", "cummax", "cummin", "cumprod", "cumsum", "current_era",
    "default_generator", "det", "detach", "detach_", "detective", "device", "diag", "diag_embed", "diagonal",
    "diagonal_scatter", "diff", "digamma", "dist", "div", "divide", "doctor", "dot", "double", "draw", "dropout",
    "dstack", "dtype", "e", "einsum", "empty", "empty_like", "enable_grad", "eq", "equal", "era", "erf", "erf_",
    "erfc", "erfc_", "erfinv", "exp", "exp2", "exp2_", "exp_", "expm1", "expm1_", "eye", "fill_", "finfo", "fix",
    "fix_", "flatten", "flip", "fliplr", "flipud", "float", "float16", "float32", "float64", "float_power", "floor",
    "floor_", "floor_divide", "fmax", "fmin", "fmod", "frac", "frac_", "from_numpy", "full", "full_like",
    "full_tracebacks", "gather", "ge", "ger", "get_default_dtype", "get_device", "get_language", "get_num_threads",
    "get_rng_state", "greater", "greater_equal", "group_norm", "gt", "half", "hardshrink", "heaviside", "hstack",
    "hypot", "iinfo", "index_add", "index_copy", "index_fill", "index_put", "index_put_", "index_select", "inf",
    "inference_mode", "initial_seed", "inner", "install_as_torch", "int", "int16", "int32", "int64", "int8",
    "inverse", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_complex", "is_floating_point",
    "is_grad_enabled", "is_inference", "is_inference_mode_enabled", "is_nonzero", "is_same_size", "is_tensor",
    "isclose", "isfinite", "isinf", "isnan", "kron", "kthvalue", "layer_norm", "layout", "le", "lerp", "less",
    "less_equal", "lgamma", "linspace", "load", "load_ipython_extension", "log", "log10", "log10_", "log1p",
    "log1p_", "log2", "log2_", "log_", "log_softmax", "logaddexp", "logcumsumexp", "logdet", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logit", "logit_", "logspace", "logsumexp", "long", "lt",
    "manual_seed", "masked_fill", "masked_scatter", "masked_select", "matmul", "matrix_exp", "matrix_power", "max",
    "max_pool1d", "max_pool2d", "maximum", "mean", "median", "memory_format", "meshgrid", "min", "minimum", "mm",
    "mode", "moveaxis", "movedim", "msort", "mul", "multinomial", "multiply", "mv", "nan", "nan_to_num",
    "nan_to_num_", "nanmean", "nansum", "narrow", "ne", "neg", "neg_", "negative", "negative_", "no_grad",
    "nonzero", "norm", "normal", "not_equal", "nudge", "numel", "ones", "ones_like", "outer", "pairwise_distance",
    "paths", "permute", "pi", "pinverse", "polygamma", "positive", "pow", "prelu", "preserve_format", "prod",
    "promote_types", "put", "quantile", "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "ravel",
    "reciprocal", "reciprocal_", "relu", "relu_", "remainder", "renorm", "repeat_interleave", "reshape",
    "result_type", "return_types", "roll", "rot90", "round", "round_", "row_stack", "rrelu", "rrelu_", "rsqrt",
    "rsqrt_", "rsub", "save", "save_page", "scatter", "scatter_add", "searchsorted", "seed", "select",
    "select_scatter", "selu", "selu_", "set_default_dtype", "set_grad_enabled", "set_language", "set_num_threads",
    "set_printoptions", "set_rng_state", "sgn", "short", "sigmoid", "sigmoid_", "sign", "signbit", "sin", "sin_",
    "sinc", "sinc_", "sinh", "sinh_", "slice_scatter", "slogdet", "slow", "softmax", "sort", "split",
    "split_with_sizes", "sqrt", "sqrt_", "square", "square_", "squeeze", "stack", "std", "std_mean", "step",
    "strided", "sub", "subtract", "sum", "swapaxes", "swapdims", "t", "take", "take_along_dim", "tan", "tan_",
    "tanh", "tanh_", "tensor", "tensor_split", "tensordot", "threshold", "threshold_", "tile", "topk", "trace",
    "training", "transpose", "trapezoid", "trapz", "tril", "triu", "true_divide", "trunc", "trunc_", "uint8",
    "unbind", "unflatten", "uninstall_torch", "unique", "unsafe_split", "unsqueeze", "use_deterministic_algorithms",
    "var", "var_mean", "vdot", "versions", "vmap", "vstack", "watch", "where", "why", "xlogy", "xlogy_", "zero_",
    "zeros", "zeros_like",
]


def BoolTensor(*data: Any) -> Tensor:
    """The constructor of old: a torch.bool tensor from values, or of a shape."""
def DoubleTensor(*data: Any) -> Tensor:
    """The constructor of old: a torch.float64 tensor from values, or of a shape."""
def FloatTensor(*data: Any) -> Tensor:
    """The constructor of old: a torch.float32 tensor from values, or of a shape."""
def LongTensor(*data: Any) -> Tensor:
    """The constructor of old: a torch.int64 tensor from values, or of a shape."""
def abs(input: Tensor) -> Tensor:
    """`abs`, as torch has it."""
def abs_(input: Tensor) -> Tensor:
    """In-place `abs`: writes the result into `self`, returns `self`."""
def absolute(input: Tensor) -> Tensor:
    """`abs`, as torch has it."""
def acos(input: Tensor) -> Tensor:
    """`acos`, as torch has it."""
def acos_(input: Tensor) -> Tensor:
    """In-place `acos`: writes the result into `self`, returns `self`."""
def acosh(input: Tensor) -> Tensor:
    """`acosh`, as torch has it."""
def acosh_(input: Tensor, *other: Any) -> Tensor:
    """In-place `acosh`: writes the result into `self`, returns `self`."""
def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The mean of `output_size` stretches that cover a sequence."""
def add(input: Tensor | _float | number[Any], other: Tensor | _float | number[Any], *, alpha: _float = 1) -> Tensor:
    """`self + alpha * other`."""
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor,
    beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
) -> Tensor:
    """`addbmm`, as torch has it."""
def addcdiv(
    input: Tensor, tensor1: Tensor | _float | ndarray[Any, Any] | number[Any],
    tensor2: Tensor | _float | ndarray[Any, Any] | number[Any], *, value: Tensor | _float = 1,
) -> Tensor:
    """`self + value * tensor1 / tensor2`. Raises: RuntimeError for a quotient of integers."""
def addcmul(
    input: Tensor, tensor1: Tensor | _float | ndarray[Any, Any] | number[Any],
    tensor2: Tensor | _float | ndarray[Any, Any] | number[Any], *, value: Tensor | _float = 1,
) -> Tensor:
    """`self + value * tensor1 * tensor2`."""
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor,
    beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
) -> Tensor:
    """`addmm`, as torch has it."""
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor,
    beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
) -> Tensor:
    """`addmv`, as torch has it."""
def addmv_(
    input: Tensor, mat: Tensor, vec: Tensor,
    beta: _float | Sequence[_int] | Sequence[_float] | number[Any] | None = 1,
    alpha: _float | Sequence[_int] | Sequence[_float] | number[Any] | None = 1,
) -> Tensor:
    """In-place `addmv`: writes the result into `self`, returns `self`."""
def addr(
    input: Tensor, vec1: Tensor | ndarray[Any, Any], vec2: Tensor | ndarray[Any, Any],
    beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
) -> Tensor:
    """`addr`, as torch has it."""
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped; a view."""
def all(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
    """True where all elements are; a 0-d bool tensor, or one per slice along `dim`."""
def allclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False,
) -> _bool:
    """True if all elements agree to `atol + rtol * |other|`."""
def amax(input: Tensor, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False) -> Tensor:
    """The largest element, over all dimensions or `dim`; ties share the gradient."""
def amin(input: Tensor, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False) -> Tensor:
    """The smallest element, over all dimensions or `dim`; ties share the gradient."""
def aminmax(input: Tensor, *, dim: _int | None = None, keepdim: _bool = False) -> return_types_aminmax:
    """Smallest and largest element at once."""
def any(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
    """True where any element is; a 0-d bool tensor, or one per slice along `dim`."""
def arange(
    start: Tensor | _float | number[Any] | None = None, end: Tensor | _float | number[Any] | None = None,
    step: Tensor | _float | number[Any] = 1, *, dtype: dtype | type[Any] | None = None,
    device: _int | device | None = None, requires_grad: _bool = False,
) -> Tensor:
    """`start`, `start + step`, ... below `end`; int64 if all are ints."""
def arccos(input: Tensor) -> Tensor:
    """`acos`, as torch has it."""
def arccos_(input: Tensor) -> Tensor:
    """In-place `acos`: writes the result into `self`, returns `self`."""
def arccosh(input: Tensor) -> Tensor:
    """`acosh`, as torch has it."""
def arccosh_(input: Tensor, *other: Any) -> Tensor:
    """In-place `acosh`: writes the result into `self`, returns `self`."""
def arcsin(input: Tensor) -> Tensor:
    """`asin`, as torch has it."""
def arcsin_(input: Tensor) -> Tensor:
    """In-place `asin`: writes the result into `self`, returns `self`."""
def arcsinh(input: Tensor) -> Tensor:
    """`asinh`, as torch has it."""
def arcsinh_(input: Tensor, *other: Any) -> Tensor:
    """In-place `asinh`: writes the result into `self`, returns `self`."""
def arctan(input: Tensor) -> Tensor:
    """`atan`, as torch has it."""
def arctan2(input: Tensor, other: Tensor) -> Tensor:
    """`atan2`, as torch has it."""
def arctan_(input: Tensor) -> Tensor:
    """In-place `atan`: writes the result into `self`, returns `self`."""
def arctanh(input: Tensor) -> Tensor:
    """`atanh`, as torch has it."""
def arctanh_(input: Tensor, *other: Any) -> Tensor:
    """In-place `atanh`: writes the result into `self`, returns `self`."""
def are_deterministic_algorithms_enabled() -> _bool:
    """What `use_deterministic_algorithms` was told."""
def argmax(input: Tensor, dim: _int | number[Any] | None = None, keepdim: _bool = False) -> Tensor:
    """Where the largest element is: in the flattened tensor, or along `dim`."""
def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
    """Where the smallest element is: in the flattened tensor, or along `dim`."""
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool = False) -> Tensor:
    """The positions that would sort along `dim`."""
@overload
def argwhere(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor:
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
@overload
def argwhere(input: Tensor, *, as_tuple: Literal[True] = ...) -> tuple[Tensor, ...]:
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
@overload
def argwhere(input: Tensor, *, as_tuple: _bool = False) -> Any:
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
def as_strided(
    input: Tensor, size: Tensor | Sequence[_int], stride: Tensor | Sequence[_int],
    storage_offset: _int | None = None,
) -> Tensor:
    """The storage of `self` seen with another size, stride and offset, all in elements."""
def as_strided_(
    input: Tensor, size: Tensor | Sequence[_int], stride: Tensor | Sequence[_int],
    storage_offset: _int | None = None,
) -> Tensor:
    """In-place `as_strided`: `self` gets the new shape, and a new grad_fn."""
def as_tensor(
    data: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | ndarray[Any, Any] | number[Any],
    dtype: dtype | type[Any] | None = None, device: _int | device | None = None,
) -> Tensor:
    """`data` as a tensor, sharing memory with an array or a tensor where the type allows."""
def asarray(
    obj: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | ndarray[Any, Any] | number[Any],
    *, dtype: dtype | type[Any] | None = None, device: _int | device | None = None, copy: _bool | None = None,
    requires_grad: _bool | None = None,
) -> Tensor:
    """As `as_tensor`; `copy` says whether to share memory, `requires_grad` whether to record."""
def asin(input: Tensor) -> Tensor:
    """`asin`, as torch has it."""
def asin_(input: Tensor) -> Tensor:
    """In-place `asin`: writes the result into `self`, returns `self`."""
def asinh(input: Tensor) -> Tensor:
    """`asinh`, as torch has it."""
def asinh_(input: Tensor, *other: Any) -> Tensor:
    """In-place `asinh`: writes the result into `self`, returns `self`."""
def atan(input: Tensor) -> Tensor:
    """`atan`, as torch has it."""
def atan2(input: Tensor, other: Tensor) -> Tensor:
    """`atan2`, as torch has it."""
def atan_(input: Tensor) -> Tensor:
    """In-place `atan`: writes the result into `self`, returns `self`."""
def atanh(input: Tensor) -> Tensor:
    """`atanh`, as torch has it."""
def atanh_(input: Tensor, *other: Any) -> Tensor:
    """In-place `atanh`: writes the result into `self`, returns `self`."""
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """The tensors with at least 1 dimensions."""
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """The tensors with at least 2 dimensions."""
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """The tensors with at least 3 dimensions."""
def avg_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True,
) -> Tensor:
    """The mean of each stretch of a sequence."""
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor,
    beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
) -> Tensor:
    """`baddbmm`, as torch has it."""
def bernoulli(input: Tensor, p: _float | None = None, *, generator: _int | Generator | None = None) -> Tensor:
    """1 with the probability that each element says, or all with probability `p`, else 0."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input1 @ weight[k] @ input2` for each k."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each of 0, 1, 2 ... occurs."""
def bitwise_and(input: Tensor | _float, other: Tensor | _float) -> Tensor:
    """`bitwise_and`, as torch has it."""
def bitwise_left_shift(input: Tensor, other: Tensor | _float) -> Tensor:
    """`bitwise_left_shift`, as torch has it."""
def bitwise_not(input: Tensor) -> Tensor:
    """`bitwise_not`, as torch has it."""
def bitwise_or(input: Tensor | _float, other: Tensor | _float) -> Tensor:
    """`bitwise_or`, as torch has it."""
def bitwise_right_shift(input: Tensor, other: Tensor | _float) -> Tensor:
    """`bitwise_right_shift`, as torch has it."""
def bitwise_xor(input: Tensor | _float, other: Tensor | _float) -> Tensor:
    """`bitwise_xor`, as torch has it."""
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of a larger one, zeros elsewhere."""
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """`bmm`, as torch has it."""
bool: dtype
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """All tensors expanded to the shape in which they meet."""
def broadcast_to(input: Tensor, *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None) -> Tensor:
    """Dimensions of length 1 seen as longer ones, without a copy; -1 keeps a length."""
def bucketize(
    self: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | str | ndarray[Any, Any] | number[Any],
    boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False,
) -> Tensor:
    """Which interval between `boundaries` each element lies in."""
def can_cast(from_: dtype, to: dtype) -> _bool:
    """True if a result of type `from_` may be written into a `to`: no category is lost."""
def cat(tensors: Sequence[Tensor], dim: _int = 0) -> Tensor:
    """`cat`, as torch has it."""
def cdist(x1: Tensor, x2: Tensor, p: _float = 2.0, compute_mode: Any = None) -> Tensor:
    """The distance of every row of `x1` from every row of `x2`."""
def ceil(input: Tensor) -> Tensor:
    """`ceil`, as torch has it."""
def ceil_(input: Tensor) -> Tensor:
    """In-place `ceil`: writes the result into `self`, returns `self`."""
def celu(input: Tensor | ndarray[Any, Any], alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """x where it is positive, else alpha (exp(x / alpha) - 1)."""
def celu_(input: Tensor, *args: _float | number[Any], **options: Any) -> Tensor:
    """`celu`, written into `input`."""
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of equal length along `dim`; views."""
def clamp(
    input: Tensor, min: Tensor | _float | number[Any] | None = None,
    max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
) -> Tensor:
    """Bring every element between `min` and `max`, numbers or tensors; either may be None."""
def clamp_(
    input: Tensor, min: Tensor | _float | number[Any] | None = None,
    max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
) -> Tensor:
    """In-place `clamp`: writes the result into `self`, returns `self`."""
def clamp_max(input: Tensor, max: Tensor | _float | number[Any]) -> Tensor:
    """`clamp` with an upper limit only, a number or a tensor."""
def clamp_max_(input: Tensor, max: Tensor | _float | number[Any]) -> Tensor:
    """In-place `clamp_max`: writes the result into `self`, returns `self`."""
def clamp_min(input: Tensor, min: Tensor | _float | number[Any]) -> Tensor:
    """`clamp` with a lower limit only, a number or a tensor."""
def clamp_min_(input: Tensor, min: Tensor | _float | number[Any]) -> Tensor:
    """In-place `clamp_min`: writes the result into `self`, returns `self`."""
def clip(
    input: Tensor, min: Tensor | _float | number[Any] | None = None,
    max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
) -> Tensor:
    """Bring every element between `min` and `max`, numbers or tensors; either may be None."""
def clip_(
    input: Tensor, min: Tensor | _float | number[Any] | None = None,
    max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
) -> Tensor:
    """In-place `clamp`: writes the result into `self`, returns `self`."""
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that is recorded: gradients flow back to the original."""
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Vectors as columns of a matrix."""
def concat(tensors: Sequence[Tensor], dim: _int = 0) -> Tensor:
    """`cat`, as torch has it."""
def concatenate(tensors: Sequence[Tensor], dim: _int = 0) -> Tensor:
    """`cat`, as torch has it."""
def conj(input: Tensor) -> Tensor:
    """Itself: there are no complex numbers here."""
contiguous_format: memory_format
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """Slide filters over sequences `(batch, channels, length)`; `weight` is `(out, in / groups, size)`."""
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: Tensor | _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """Slide filters over images `(batch, channels, height, width)`; `weight` is `(out, in / groups, h, w)`."""
def cos(input: Tensor) -> Tensor:
    """`cos`, as torch has it."""
def cos_(input: Tensor) -> Tensor:
    """In-place `cos`: writes the result into `self`, returns `self`."""
def cosh(input: Tensor) -> Tensor:
    """`cosh`, as torch has it."""
def cosh_(input: Tensor) -> Tensor:
    """In-place `cosh`: writes the result into `self`, returns `self`."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None, *more: _int) -> Tensor:
    """How many elements are not 0."""
def cross(input: Tensor, other: Tensor, dim: _int | None = None) -> Tensor:
    """The vector product along a dimension of length 3, the first such if `dim` is not given."""
def cummax(input: Tensor, dim: _int, *, dtype: Any = None) -> return_types_cummax:
    """`cummax` along `dim`: each result covers all elements up to its place."""
def cummin(input: Tensor, dim: _int, *, dtype: Any = None) -> return_types_cummin:
    """`cummin` along `dim`: each result covers all elements up to its place."""
def cumprod(input: Tensor, dim: _int, *, dtype: dtype | type[Any] | None = None) -> Tensor:
    """`cumprod` along `dim`: each result covers all elements up to its place."""
def cumsum(input: Tensor, dim: _int, *, dtype: dtype | type[Any] | None = None) -> Tensor:
    """`cumsum` along `dim`: each result covers all elements up to its place."""
default_generator: Generator
def det(input: Tensor) -> Tensor:
    """The determinant."""
def detach(input: Tensor) -> Tensor:
    """The same storage without history; writing through it is noticed by backward."""
def detach_(input: Tensor) -> Tensor:
    """Forget the history in place. Raises: RuntimeError for views."""
def diag(input: Tensor, diagonal: _int = 0) -> Tensor:
    """A vector on the diagonal of a matrix, or the diagonal of a matrix as a vector."""
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """`diag_embed`, as torch has it."""
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """`diagonal`, as torch has it."""
def diagonal_scatter(
    input: Tensor, src: Tensor | ndarray[Any, Any], offset: _int = 0, dim1: _int = 0, dim2: _int = 1,
) -> Tensor:
    """`diagonal_scatter`, as torch has it."""
def diff(
    input: Tensor, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None,
) -> Tensor:
    """The difference of each element from the one before, `n` times over."""
def digamma(input: Tensor) -> Tensor:
    """`digamma`, as torch has it."""
def dist(
    input: Tensor, other: Tensor | _float | ndarray[Any, Any] | number[Any], p: _float | number[Any] = 2,
) -> Tensor:
    """The p-norm of `self - other`."""
def div(
    input: Tensor | _float | number[Any], other: Tensor | _float | number[Any], *, rounding_mode: str | None = None,
) -> Tensor:
    """`self / other`, or rounded to "floor" or "trunc"."""
def divide(
    input: Tensor | _float | number[Any], other: Tensor | _float | number[Any], *, rounding_mode: str | None = None,
) -> Tensor:
    """`self / other`, or rounded to "floor" or "trunc"."""
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """`dot`, as torch has it."""
double: dtype
def draw(
    *tensors: Any, view: str = 'record', show: Iterable[str] | None = None, level: str | None = None,
    open: Iterable[str] = (), fold: _bool = True, around: Any | None = None, radius: _int = 2, width: _float = 848,
    heat: _bool = False, names: Mapping[str, Any] | None = None, lang: str | None = None, theme: str | None = None,
    engine: str | None = None, gradient: Any = None, tangents: _bool | Mapping[Any, Any] = False,
) -> Drawing:
    """A picture of the graph behind `tensors`, of minigrad or of torch; of an exception, or of nothing after one,
    what was recorded till there, with the call that failed and the shapes that went into it."""
def dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, zero with probability `p`, the rest scaled by 1 / (1 - p); else unchanged."""
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """One behind the other, along the third dimension."""
e: _float
def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """A sum of products written with one letter for each dimension, such as `"ij,jk->ik"`."""
def empty(
    *shape: _int | Sequence[_int], size: Any = None, dtype: dtype | type[Any] | None = None,
    device: _int | device | None = None, requires_grad: _bool = False, **options: Any,
) -> Tensor:
    """A tensor of a shape whose values mean nothing yet (zeros here)."""
def eq(input: Tensor, other: Tensor | _float | ndarray[Any, Any] | number[Any]) -> Tensor:
    """`eq`, as torch has it."""
def equal(input: Tensor, other: Tensor) -> _bool:
    """True if shapes and all elements agree."""
def erf(input: Tensor) -> Tensor:
    """`erf`, as torch has it."""
def erf_(input: Tensor) -> Tensor:
    """In-place `erf`: writes the result into `self`, returns `self`."""
def erfc(input: Tensor) -> Tensor:
    """`erfc`, as torch has it."""
def erfc_(input: Tensor) -> Tensor:
    """In-place `erfc`: writes the result into `self`, returns `self`."""
def erfinv(input: Tensor) -> Tensor:
    """`erfinv`, as torch has it."""
def exp(input: Tensor) -> Tensor:
    """`exp`, as torch has it."""
def exp2(input: Tensor) -> Tensor:
    """`exp2`, as torch has it."""
def exp2_(input: Tensor) -> Tensor:
    """In-place `exp2`: writes the result into `self`, returns `self`."""
def exp_(input: Tensor) -> Tensor:
    """In-place `exp`: writes the result into `self`, returns `self`."""
def expm1(input: Tensor) -> Tensor:
    """`expm1`, as torch has it."""
def expm1_(input: Tensor) -> Tensor:
    """In-place `expm1`: writes the result into `self`, returns `self`."""
def eye(
    n: _int, m: _int | None = None, *, dtype: dtype | type[Any] | None = None, device: _int | device | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
def fill_(input: Tensor, value: Tensor | _float | number[Any]) -> Tensor:
    """Every element becomes `value`, a number or a 0-d tensor."""
def fix(input: Tensor) -> Tensor:
    """`trunc`, as torch has it."""
def fix_(input: Tensor) -> Tensor:
    """In-place `trunc`: writes the result into `self`, returns `self`."""
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one; itself if there is nothing to do."""
def flip(input: Tensor, *order: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
    """Elements in reverse order along `dims`."""
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
float: dtype
float16: dtype
float32: dtype
float64: dtype
def float_power(input: Tensor | _float | number[Any], exponent: Tensor | _float | number[Any]) -> Tensor:
    """`self ** exponent` in double."""
def floor(input: Tensor) -> Tensor:
    """`floor`, as torch has it."""
def floor_(input: Tensor) -> Tensor:
    """In-place `floor`: writes the result into `self`, returns `self`."""
def floor_divide(input: Tensor | _float | number[Any], other: Tensor | _float | number[Any]) -> Tensor:
    """`self // other`, rounded down."""
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """`fmax`, as torch has it."""
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """`fmin`, as torch has it."""
def fmod(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """The remainder with the sign of `self`."""
def frac(input: Tensor) -> Tensor:
    """`frac`, as torch has it."""
def frac_(input: Tensor) -> Tensor:
    """In-place `frac`: writes the result into `self`, returns `self`."""
def from_numpy(ndarray: ndarray[Any, Any]) -> Tensor:
    """A tensor on the memory of a NumPy array: writing to one writes to the other."""
def full(
    size: Tensor | Sequence[_int], fill_value: Tensor | _float | number[Any], *,
    dtype: dtype | type[Any] | None = None, device: _int | device | None = None, requires_grad: _bool = False,
) -> Tensor:
    """`fill_value` in every place of a shape; its type is the tensor's, if none is given."""
def full_like(
    input: Tensor, *args: _float | number[Any], dtype: _int | dtype | type[Any] | None = None,
    memory_format: Any = None, **options: Any,
) -> Tensor:
    """`full` with the shape and type of `input`."""
def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
    """The elements that `index` names along `dim`, in the shape of `index`."""
def ge(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`ge`, as torch has it."""
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """Outer product of two vectors, `(n,)` and `(m,)` to `(n, m)`."""
def get_default_dtype() -> dtype:
    """The type of a tensor made from Python floats; float32 unless it was set."""
def get_device(input: Any) -> _int:
    """The number of its GPU, -1 on the CPU."""
def get_num_threads() -> _int:
    """The number that was set, else that of the processor's cores."""
def greater(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`gt`, as torch has it."""
def greater_equal(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`ge`, as torch has it."""
def group_norm(
    input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05,
) -> Tensor:
    """Mean 0 and variance 1 over groups of channels of each example."""
def gt(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`gt`, as torch has it."""
half: dtype
def hardshrink(
    input: Tensor, lambd: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] = 0.5,
) -> Tensor:
    """`hardshrink`, as torch has it."""
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above it, and `values` at 0."""
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Side by side: vectors end to end, matrices along their columns."""
def hypot(input: Tensor, other: Tensor) -> Tensor:
    """`hypot`, as torch has it."""
def index_add(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: _float = 1) -> Tensor:
    """A copy with the slices of `source` added at `index` along `dim`."""
def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor) -> Tensor:
    """A copy with the slices of `source` written at `index` along `dim`."""
def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor | _float | number[Any]) -> Tensor:
    """A copy with `value` in the slices `index` along `dim`."""
def index_put(input: Tensor, indices: Tensor | Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy with `values` at `indices`, or with them added there."""
def index_put_(input: Tensor, indices: Tensor | Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
    """In-place `index_put`: writes into `self`, returns `self`."""
def index_select(input: Tensor, dim: _int, index: Tensor) -> Tensor:
    """The slices `index` along `dim`."""
inf: _float
initial_seed: Callable[..., Any]
def inner(input: Tensor, other: Tensor | number[Any]) -> Tensor:
    """Sum over the last dimension of both."""
int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
def inverse(input: Tensor) -> Tensor:
    """The inverse of a square matrix. Raises: LinAlgError if it is singular."""
def is_anomaly_check_nan_enabled() -> _bool:
    """True if anomaly mode looks for NaN, while it is on."""
def is_anomaly_enabled() -> _bool:
    """True while anomaly mode is on."""
def is_complex(input: Tensor) -> _bool:
    """False: there are no complex numbers here."""
def is_floating_point(input: Tensor) -> _bool:
    """True for floats."""
def is_grad_enabled() -> _bool:
    """True where operations on tensors that require grad are recorded."""
def is_inference(input: Tensor) -> _bool:
    """True for a tensor made inside `inference_mode()`."""
def is_inference_mode_enabled() -> _bool:
    """True inside `inference_mode()`."""
def is_nonzero(input: Tensor) -> _bool:
    """Whether the one element is not 0."""
def is_same_size(input: Tensor, other: Tensor | ndarray[Any, Any] | number[Any]) -> _bool:
    """True for equal shapes."""
def is_tensor(obj: Any) -> _bool:
    """True for a tensor."""
def isclose(
    input: Tensor, other: Tensor, rtol: Tensor | _float = 1e-05, atol: Tensor | _float = 1e-08,
    equal_nan: _bool = False,
) -> Tensor:
    """True where elements agree to `atol + rtol * |other|`."""
def isfinite(input: Tensor) -> Tensor:
    """`isfinite`, as torch has it."""
def isinf(input: Tensor) -> Tensor:
    """`isinf`, as torch has it."""
def isnan(input: Tensor) -> Tensor:
    """`isnan`, as torch has it."""
def kron(input: Tensor, other: Tensor | ndarray[Any, Any]) -> Tensor:
    """Every element of `self` times the whole of `other`."""
def kthvalue(input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False) -> return_types_kthvalue:
    """The k-th smallest element along `dim`: `(values, indices)`."""
def layer_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: Tensor | _float = 1e-05,
) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then scaled by `weight` and moved by `bias`."""
def le(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`le`, as torch has it."""
def lerp(input: Tensor, end: Tensor, weight: Tensor | _float | number[Any]) -> Tensor:
    """`self + weight * (end - self)`."""
def less(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`lt`, as torch has it."""
def less_equal(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`le`, as torch has it."""
def lgamma(input: Tensor) -> Tensor:
    """`lgamma`, as torch has it."""
def linspace(
    start: _float, end: _float, steps: _int, *, dtype: dtype | type[Any] | None = None,
    device: _int | device | None = None, requires_grad: _bool = False,
) -> Tensor:
    """`steps` numbers evenly from `start` to `end`, both included; torch's rounding."""
def log(input: Tensor) -> Tensor:
    """`log`, as torch has it."""
def log10(input: Tensor) -> Tensor:
    """`log10`, as torch has it."""
def log10_(input: Tensor) -> Tensor:
    """In-place `log10`: writes the result into `self`, returns `self`."""
def log1p(input: Tensor) -> Tensor:
    """`log1p`, as torch has it."""
def log1p_(input: Tensor) -> Tensor:
    """In-place `log1p`: writes the result into `self`, returns `self`."""
def log2(input: Tensor) -> Tensor:
    """`log2`, as torch has it."""
def log2_(input: Tensor) -> Tensor:
    """In-place `log2`: writes the result into `self`, returns `self`."""
def log_(input: Tensor) -> Tensor:
    """In-place `log`: writes the result into `self`, returns `self`."""
def log_softmax(input: Tensor, dim: _int, dtype: Tensor | _float | dtype | device | type[Any] | None = None) -> Tensor:
    """The logarithm of softmax, computed without overflow."""
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """`logaddexp`, as torch has it."""
def logcumsumexp(input: Tensor, dim: _int, *, dtype: dtype | type[Any] | None = None) -> Tensor:
    """`logcumsumexp` along `dim`: each result covers all elements up to its place."""
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan where it is negative."""
def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """`logical_and`, as torch has it."""
def logical_not(input: Tensor) -> Tensor:
    """`logical_not`, as torch has it."""
def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """`logical_or`, as torch has it."""
def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """`logical_xor`, as torch has it."""
def logit(input: Tensor, eps: _float | number[Any] | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of sigmoid; x is first brought into `[eps, 1 - eps]` if given."""
def logit_(input: Tensor | ndarray[Any, Any], eps: _float | number[Any] | None = None) -> Tensor:
    """In-place `logit`: writes the result into `self`, returns `self`."""
def logspace(start: _float, end: _float, steps: _int, base: _float = 10.0, **options: Any) -> Tensor:
    """`base` to the powers of `linspace(start, end, steps)`."""
def logsumexp(input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = False) -> Tensor:
    """The logarithm of the sum of exponentials along `dim`, without overflow."""
long: dtype
def lt(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`lt`, as torch has it."""
def manual_seed(seed: _int) -> Generator:
    """Start the default stream over; anything that `int` takes is a seed."""
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | _float | number[Any]) -> Tensor:
    """A copy of `self` with `value` (a number or 0-d tensor) where `mask`."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter`, as torch has it."""
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """`masked_select`, as torch has it."""
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """`self @ other` for vectors, matrices and batches, with torch's choice of node for each."""
def matrix_exp(input: Tensor) -> Tensor:
    """`linalg_matrix_exp`, as torch has it."""
def matrix_power(input: Tensor, n: _int) -> Tensor:
    """The product of `n` copies of a square matrix, by repeated squaring."""
@overload
def max(input: Tensor, dim: Tensor | None = None, keepdim: _bool = False, *, other: Tensor | None = None) -> Tensor:
    """`max` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
@overload
def max(
    input: Tensor, dim: _int | number[Any] = ..., keepdim: _bool = False, *, other: Tensor | None = None,
) -> return_types_max:
    """`max` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
@overload
def max_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of each stretch of a sequence."""
@overload
def max_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: Literal[True] = ...,
) -> tuple[Tensor, ...]:
    """The largest element of each stretch of a sequence."""
@overload
def max_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any:
    """The largest element of each stretch of a sequence."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: _int | Sequence[_int] | number[Any], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of each window; `stride` is the window's size if not given."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: _int | Sequence[_int] | number[Any], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: Literal[True] = ...,
) -> tuple[Tensor, ...]:
    """The largest element of each window; `stride` is the window's size if not given."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: _int | Sequence[_int] | number[Any], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any:
    """The largest element of each window; `stride` is the window's size if not given."""
def maximum(input: Tensor, other: Tensor) -> Tensor:
    """`maximum`, as torch has it."""
def mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: Tensor | _float | dtype | device | type[Any] | None = None,
) -> Tensor:
    """Mean of all elements, or along `dim`. Raises: RuntimeError for integer tensors."""
@overload
def median(input: Tensor, dim: None = None, keepdim: _bool = False, *, other: Any = None) -> Tensor:
    """`median` of all elements, or `(values, indices)` along `dim`."""
@overload
def median(
    input: Tensor, dim: Tensor | _int = ..., keepdim: _bool = False, *, other: Any = None,
) -> return_types_median:
    """`median` of all elements, or `(values, indices)` along `dim`."""
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """The grid that vectors span: one tensor each, which varies along its own dimension only."""
@overload
def min(input: Tensor, dim: Tensor | None = None, keepdim: _bool = False, *, other: Tensor | None = None) -> Tensor:
    """`min` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
@overload
def min(input: Tensor, dim: _int = ..., keepdim: _bool = False, *, other: Tensor | None = None) -> return_types_min:
    """`min` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
def minimum(input: Tensor, other: Tensor) -> Tensor:
    """`minimum`, as torch has it."""
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """`mm`, as torch has it."""
def mode(input: Tensor, dim: _int = -1, keepdim: _bool = False) -> return_types_mode:
    """The most frequent element along `dim`: `(values, indices)`."""
def moveaxis(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """Dimensions moved to other places, the rest in order."""
def movedim(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """Dimensions moved to other places, the rest in order."""
def msort(input: Tensor) -> Tensor:
    """The rows sorted, column by column."""
def mul(input: Any, other: Tensor | _float | number[Any]) -> Tensor:
    """`mul`, as torch has it."""
def multinomial(
    input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: _int | Generator | None = None,
) -> Tensor:
    """Indices drawn with the weights that `input` holds, row by row."""
def multiply(input: Tensor | _float | number[Any], other: Tensor | _float | number[Any]) -> Tensor:
    """`mul`, as torch has it."""
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """`mv`, as torch has it."""
nan: _float
def nan_to_num(
    input: Tensor, nan: _float | number[Any] | None = None,
    posinf: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = None,
    neginf: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = None,
) -> Tensor:
    """`nan_to_num`, as torch has it."""
def nan_to_num_(
    input: Tensor, nan: _float | number[Any] | None = None,
    posinf: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = None,
    neginf: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = None,
) -> Tensor:
    """In-place `nan_to_num`: writes the result into `self`, returns `self`."""
def nanmean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: dtype | type[Any] | None = None,
) -> Tensor:
    """The mean without the nans."""
def nansum(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: dtype | type[Any] | None = None,
) -> Tensor:
    """The sum without the nans."""
def narrow(input: Tensor, dim: _int, start: _int, length: _int) -> Tensor:
    """`length` slices of dimension `dim` from `start` on; a view."""
def ne(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`ne`, as torch has it."""
def neg(input: Tensor) -> Tensor:
    """`neg`, as torch has it."""
def neg_(input: Tensor) -> Tensor:
    """In-place `neg`: writes the result into `self`, returns `self`."""
def negative(input: Tensor) -> Tensor:
    """`neg`, as torch has it."""
def negative_(input: Tensor) -> Tensor:
    """In-place `neg`: writes the result into `self`, returns `self`."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor:
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True] = ...) -> tuple[Tensor, ...]:
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
@overload
def nonzero(input: Tensor, *, as_tuple: _bool = False) -> Any:
    """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
def norm(
    input: Tensor, p: Tensor | _float | Sequence[_int] | Sequence[Tensor] | str | number[Any] | None = 2,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False,
) -> Tensor:
    """The p-norm of all elements, or along `dim`; p may be a number or "fro"."""
def normal(
    mean: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] = 0.0,
    std: Tensor | _float | number[Any] = 1.0, size: Tensor | Sequence[_int] | None = None, *,
    generator: Tensor | _int | Generator | None = None, dtype: Any = None, device: Any = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Normal numbers; mean and std may be tensors of the result's shape."""
def not_equal(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`ne`, as torch has it."""
def numel(input: Tensor) -> _int:
    """The number of elements."""
def ones(
    *shape: _int | Sequence[_int], size: Any = None, dtype: dtype | type[Any] | None = None,
    device: _int | device | None = None, requires_grad: _bool = False, **options: Any,
) -> Tensor:
    """Ones of a shape."""
def ones_like(
    input: Tensor, *args: Any, dtype: _int | dtype | type[Any] | None = None, memory_format: Any = None,
    **options: Any,
) -> Tensor:
    """`ones` with the shape and type of `input`."""
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Outer product of two vectors, `(n,)` and `(m,)` to `(n, m)`."""
def pairwise_distance(
    x1: Tensor | _float | number[Any], x2: Tensor | _float | ndarray[Any, Any] | number[Any], p: _float = 2.0,
    eps: _float = 1e-06, keepdim: _bool = False,
) -> Tensor:
    """The p-norm of `x1 - x2 + eps` along the last dimension."""
def permute(
    input: Tensor, *order: _int | Sequence[_int] | Sequence[Tensor] | Sequence[_float],
    dims: Sequence[_int] | None = None,
) -> Tensor:
    """Dimensions in another order; a view."""
pi: _float
def pinverse(input: Tensor) -> Tensor:
    """`linalg_pinv`, as torch has it."""
def polygamma(n: _int, input: Tensor | ndarray[Any, Any]) -> Tensor:
    """Derivative number `n` of digamma."""
def positive(input: Tensor) -> Tensor:
    """`self` as it is. Raises: RuntimeError for bools."""
def pow(input: Tensor | _float | number[Any], exponent: Tensor | _float | number[Any]) -> Tensor:
    """`self ** exponent`; a number as exponent is kept as a number (PowBackward0)."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else `weight * x`; one weight, or one per channel."""
preserve_format: memory_format
def prod(
    input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, dtype: dtype | type[Any] | None = None,
) -> Tensor:
    """The product of all elements, or along `dim`."""
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest type that holds both, as two arrays with dimensions would meet."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: Any = False) -> Tensor:
    """`put`, as torch has it."""
def quantile(
    input: Tensor, q: Tensor | _float | Sequence[_int] | Sequence[_float] | ndarray[Any, Any] | number[Any],
    dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = 'linear',
) -> Tensor:
    """The value below which a part `q` of the elements lies, between two of them if need be."""
def rand(
    *shape: _int | Sequence[_int], size: Any = None, dtype: dtype | type[Any] | None = None,
    device: _int | device | None = None, requires_grad: _bool = False, **options: Any,
) -> Tensor:
    """Numbers spread evenly over [0, 1), from torch's own stream."""
def rand_like(
    input: Tensor, *args: Any, dtype: _int | dtype | type[Any] | None = None, memory_format: Any = None,
    **options: Any,
) -> Tensor:
    """`rand` with the shape and type of `input`."""
def randint(
    low: _int | None = None, high: _int | None = None, size: Tensor | Sequence[_int] | None = None, *,
    generator: Tensor | _int | Generator | None = None, dtype: dtype | type[Any] | None = None,
    device: _int | device | None = None, requires_grad: _bool = False,
) -> Tensor:
    """Integers of `[low, high)`; `randint(high, size)` starts at 0."""
def randn(
    *shape: _int | Sequence[_int], size: Tensor | Sequence[_int] | None = None,
    dtype: dtype | type[Any] | None = None, device: _int | device | None = None, requires_grad: _bool = False,
    **options: Any,
) -> Tensor:
    """Standard normal numbers, from torch's own stream."""
def randn_like(
    input: Tensor, *args: Any, dtype: _int | dtype | type[Any] | None = None, memory_format: Any = None,
    **options: Any,
) -> Tensor:
    """`randn` with the shape and type of `input`."""
def randperm(
    n: _int, *, generator: Tensor | _int | Generator | None = None, dtype: dtype | type[Any] | None = None,
    device: _int | device | None = None,
) -> Tensor:
    """The numbers 0 .. n-1 in random order."""
def ravel(input: Tensor) -> Tensor:
    """All elements along one dimension: a view where they lie in order, else a copy."""
def reciprocal(input: Tensor) -> Tensor:
    """`reciprocal`, as torch has it."""
def reciprocal_(input: Tensor) -> Tensor:
    """In-place `reciprocal`: writes the result into `self`, returns `self`."""
def relu(input: Tensor) -> Tensor:
    """`relu`, as torch has it."""
def relu_(input: Tensor) -> Tensor:
    """In-place `relu`: writes the result into `self`, returns `self`."""
def remainder(input: Tensor | _float | number[Any], other: Tensor | _float | number[Any]) -> Tensor:
    """`self % other`, with the sign of `other`."""
def renorm(input: Tensor, p: _float | number[Any], dim: _int, maxnorm: _float | number[Any]) -> Tensor:
    """`renorm`, as torch has it."""
def repeat_interleave(
    input: Tensor, repeats: Tensor | _int | None = None, dim: _int | None = None, *,
    output_size: _int | None = None,
) -> Tensor:
    """Each element (or slice along `dim`) `repeats` times in a row; of `repeats` alone, 0 .. n-1."""
def reshape(input: Tensor, *size: _int | tuple[_int, ...], shape: Any = None) -> Tensor:
    """The same elements in another shape: a view where the strides allow one, else a copy."""
def result_type(
    tensor1: Tensor | _float | ndarray[Any, Any] | number[Any],
    tensor2: Tensor | _float | ndarray[Any, Any] | number[Any],
) -> dtype:
    """The type in which two tensors or numbers meet."""
return_types: SimpleNamespace
def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = ()) -> Tensor:
    """Elements moved along `dims`, those that fall off come in at the other end."""
def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] = ...) -> Tensor:
    """Turned by 90 degrees `k` times in the plane `dims`."""
def round(input: Tensor, *, decimals: _int | None = None) -> Tensor:
    """Round to the nearest integer, halves to even; or to `decimals` places."""
def round_(input: Tensor, *, decimals: _int | None = None) -> Tensor:
    """In-place `round`: writes the result into `self`, returns `self`."""
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """One above the other."""
def rrelu(
    input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False,
    inplace: _bool = False,
) -> Tensor:
    """As leaky_relu; in training each negative element has a slope drawn from `[lower, upper]`."""
def rrelu_(input: Tensor, *args: _float | number[Any], **options: Any) -> Tensor:
    """`rrelu`, written into `input`."""
def rsqrt(input: Tensor) -> Tensor:
    """`rsqrt`, as torch has it."""
def rsqrt_(input: Tensor) -> Tensor:
    """In-place `rsqrt`: writes the result into `self`, returns `self`."""
def rsub(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """`other - input`, where `other` is a number."""
def scatter(
    input: Tensor, dim: _int, index: Tensor, src: Tensor | _float | number[Any] | None = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    """A copy with elements of `src`, or a number, where `index` says along `dim`; or with them added or multiplied."""
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor | _float | number[Any]) -> Tensor:
    """A copy with elements of `src` added where `index` says along `dim`."""
def searchsorted(
    sorted_sequence: Tensor | ndarray[Any, Any],
    values: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | str | ndarray[Any, Any] | number[Any],
    *, out_int32: _bool = False, right: _bool = False,
    side: Tensor | _float | Sequence[_int] | Sequence[Tensor] | str | None = None, sorter: Tensor | None = None,
) -> Tensor:
    """Where each value belongs in an ordered sequence; `sorter` holds the positions that order it."""
seed: Callable[..., Any]
def select(input: Tensor, dim: _int, index: _int) -> Tensor:
    """Slice `index` of dimension `dim`, which goes away; a view."""
def select_scatter(input: Tensor, src: Tensor | ndarray[Any, Any], dim: _int, index: Tensor | _int) -> Tensor:
    """`select_scatter`, as torch has it."""
def selu(input: Tensor | ndarray[Any, Any], inplace: _bool = False) -> Tensor:
    """elu, with the alpha and the scale that keep mean 0 and variance 1 from layer to layer."""
def selu_(input: Tensor, *args: Any, **options: Any) -> Tensor:
    """`selu`, written into `input`."""
def set_default_dtype(d: dtype) -> None:
    """Choose the type of tensors made from Python floats: float16, float32 or float64."""
def set_num_threads(n: _int) -> None:
    """Keep the number of threads that the program wants. Raises: RuntimeError if it is none."""
def set_printoptions(
    precision: _int | None = None, threshold: _float | None = None, edgeitems: _int | None = None,
    linewidth: _int | None = None, profile: str | None = None, sci_mode: _bool | None = None,
) -> None:
    """Choose how tensors are printed; `profile` is `"default"`, `"short"` or `"full"`."""
def sgn(input: Tensor) -> Tensor:
    """`sgn`, as torch has it."""
short: dtype
def sigmoid(input: Tensor) -> Tensor:
    """`sigmoid`, as torch has it."""
def sigmoid_(input: Tensor) -> Tensor:
    """In-place `sigmoid`: writes the result into `self`, returns `self`."""
def sign(input: Tensor) -> Tensor:
    """`sign`, as torch has it."""
def signbit(input: Tensor) -> Tensor:
    """`signbit`, as torch has it."""
def sin(input: Tensor) -> Tensor:
    """`sin`, as torch has it."""
def sin_(input: Tensor) -> Tensor:
    """In-place `sin`: writes the result into `self`, returns `self`."""
def sinc(input: Tensor) -> Tensor:
    """`sinc`, as torch has it."""
def sinc_(input: Tensor) -> Tensor:
    """In-place `sinc`: writes the result into `self`, returns `self`."""
def sinh(input: Tensor) -> Tensor:
    """`sinh`, as torch has it."""
def sinh_(input: Tensor) -> Tensor:
    """In-place `sinh`: writes the result into `self`, returns `self`."""
def slice_scatter(
    input: Tensor, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1,
) -> Tensor:
    """`slice_scatter`, as torch has it."""
def slogdet(input: Tensor) -> return_types_slogdet:
    """Sign and logarithm of the size of the determinant."""
def softmax(input: Tensor, dim: _int, dtype: Tensor | _float | dtype | device | type[Any] | None = None) -> Tensor:
    """exp(x) divided by its sum along `dim`: numbers that sum to 1."""
def sort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = None) -> return_types_sort:
    """`(values, indices)` in order along `dim`; equal elements keep their order, `stable` or not."""
def split(input: Tensor, split_size: Tensor | _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """Pieces of a length, or of given lengths, along `dim`; views."""
def split_with_sizes(input: Tensor, split_size: Tensor | _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """Pieces of a length, or of given lengths, along `dim`; views."""
def sqrt(input: Tensor) -> Tensor:
    """`sqrt`, as torch has it."""
def sqrt_(input: Tensor) -> Tensor:
    """In-place `sqrt`: writes the result into `self`, returns `self`."""
def square(input: Tensor) -> Tensor:
    """`self ** 2`."""
def square_(input: Tensor) -> Tensor:
    """In-place `square`: writes the result into `self`, returns `self`."""
def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Without the dimensions of length 1, or without dimension `dim` if its length is 1; a view."""
def stack(tensors: Sequence[Tensor], dim: _int = 0) -> Tensor:
    """`stack`, as torch has it."""
def std(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False,
    *, correction: _float | number[Any] | None = None,
) -> Tensor:
    """`std` of all elements or along `dim`, divided by n - `correction` (1 by default)."""
def std_mean(
    self: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False,
    *, correction: Tensor | _float | number[Any] | None = None,
) -> tuple[Tensor, ...]:
    """`std_mean` of all elements or along `dim`, divided by n - `correction` (1 by default)."""
strided: layout
def sub(
    input: Tensor | _float | number[Any], other: Tensor | _float | number[Any], *, alpha: Tensor | _float = 1,
) -> Tensor:
    """`self - alpha * other`. Raises: RuntimeError for two bools, which have no minus."""
def subtract(
    input: Tensor | _float | number[Any], other: Tensor | _float | number[Any], *, alpha: Tensor | _float = 1,
) -> Tensor:
    """`self - alpha * other`. Raises: RuntimeError for two bools, which have no minus."""
def sum(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: dtype | type[Any] | None = None,
) -> Tensor:
    """Sum of all elements, or along `dim` (an int or a tuple); integers sum to int64."""
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """As `transpose`."""
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Dimensions `dim0` and `dim1` swapped; a view."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and 0-d tensors as they are. Raises: RuntimeError above 2-d."""
def take(input: Tensor, index: Tensor) -> Tensor:
    """`take`, as torch has it."""
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None) -> Tensor:
    """The elements that `indices` names along `dim`; the other dimensions broadcast."""
def tan(input: Tensor) -> Tensor:
    """`tan`, as torch has it."""
def tan_(input: Tensor) -> Tensor:
    """In-place `tan`: writes the result into `self`, returns `self`."""
def tanh(input: Tensor) -> Tensor:
    """`tanh`, as torch has it."""
def tanh_(input: Tensor) -> Tensor:
    """In-place `tanh`: writes the result into `self`, returns `self`."""
def tensor(
    data: Any, *, dtype: dtype | type[Any] | None = None, device: _int | device | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """A tensor with a copy of `data`: a number, nested lists, an array or a tensor."""
def tensor_split(
    input: Tensor, indices_or_sections: Tensor | _int | Sequence[_int], dim: _int = 0,
) -> tuple[Tensor, ...]:
    """Slices along `dim`: so many of nearly equal length, or cut at the given places."""
def tensordot(a: Tensor, b: Tensor, dims: Tensor | _int | Sequence[_int] = 2) -> Tensor:
    """Sum over several dimensions at once: the last of `a` with the first of `b`, or as listed."""
def threshold(input: Tensor | ndarray[Any, Any], threshold: _float, value: _float, inplace: _bool = False) -> Tensor:
    """x where it is above `threshold`, else `value`."""
def threshold_(input: Any, *args: Any, **options: Any) -> Any:
    """`threshold`, written into `input`."""
def tile(
    input: Tensor, *times: _int | Sequence[_int] | Sequence[Tensor] | Sequence[_float],
    dims: _int | Sequence[_int] | None = None,
) -> Tensor:
    """As `repeat`; missing leading repeats are 1."""
def topk(input: Tensor, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True) -> return_types_topk:
    """The `k` largest (or smallest) elements along `dim`: `(values, indices)`."""
def trace(input: Tensor) -> Tensor:
    """`trace`, as torch has it."""
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Dimensions `dim0` and `dim1` swapped; a view."""
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: _float = 1, dim: _int = -1) -> Tensor:
    """The area under the line through the points `y`."""
def trapz(y: Tensor, x: Tensor | None = None, *, dx: _float = 1, dim: _int = -1) -> Tensor:
    """The area under the line through the points `y`."""
def tril(input: Tensor, diagonal: _float | number[Any] = 0) -> Tensor:
    """`tril`, as torch has it."""
def triu(input: Tensor, diagonal: _float | number[Any] = 0) -> Tensor:
    """`triu`, as torch has it."""
def true_divide(
    input: Tensor | _float | number[Any], other: Tensor | _float | number[Any], *, rounding_mode: str | None = None,
) -> Tensor:
    """`self / other`, or rounded to "floor" or "trunc"."""
def trunc(input: Tensor) -> Tensor:
    """`trunc`, as torch has it."""
def trunc_(input: Tensor) -> Tensor:
    """In-place `trunc`: writes the result into `self`, returns `self`."""
uint8: dtype
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """The slices of dimension `dim`, without it; views."""
def unflatten(input: Tensor, dim: _int, sizes: _int | Sequence[_int]) -> Tensor:
    """Dimension `dim` as several."""
@overload
def unique(
    input: Tensor, sorted: _bool = True, return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False, dim: _int | None = None,
) -> Tensor:
    """The different elements in order; on request where each went, and how often it occurs."""
@overload
def unique(
    input: Tensor, sorted: _bool = True, return_inverse: Literal[True] = ..., return_counts: _bool = False,
    dim: _int | None = None,
) -> tuple[Tensor, ...]:
    """The different elements in order; on request where each went, and how often it occurs."""
@overload
def unique(
    input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: Literal[True] = ...,
    dim: _int | None = None,
) -> tuple[Tensor, ...]:
    """The different elements in order; on request where each went, and how often it occurs."""
@overload
def unique(
    input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False,
    dim: _int | None = None,
) -> Any:
    """The different elements in order; on request where each went, and how often it occurs."""
def unsafe_split(input: Tensor, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """As split, but its pieces may be written in place: PyTorch does not count them as views."""
def unsqueeze(input: Tensor, dim: _int) -> Tensor:
    """A dimension of length 1 put in at `dim`; a view."""
def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = False) -> None:
    """Keep whether each run must give the same numbers: here it always does."""
def var(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False,
    *, correction: _float | number[Any] | None = None,
) -> Tensor:
    """`var` of all elements or along `dim`, divided by n - `correction` (1 by default)."""
def var_mean(
    self: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False,
    *, correction: Tensor | _float | number[Any] | None = None,
) -> tuple[Tensor, ...]:
    """`var_mean` of all elements or along `dim`, divided by n - `correction` (1 by default)."""
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """`vdot`, as torch has it."""
def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = 'error', *,
    chunk_size: _int | None = None,
) -> Callable[..., Any]:
    """`func` of one example as a function of a batch: `in_dims` says which dimension of each input is mapped, or None."""
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """One above the other."""
@overload
def where(condition: Tensor, input: None = None, other: Any = None) -> tuple[Tensor, ...]:
    """`input` where `condition`, else `other`; numbers are allowed."""
@overload
def where(condition: Tensor, input: Tensor | _float = ..., other: Any = None) -> Tensor:
    """`input` where `condition`, else `other`; numbers are allowed."""
def why(t: Any = ...) -> Explanation:
    """Why `t.grad` is None, `t` is not tracked, a module does not learn, or, without `t`, why the last cell failed."""
def xlogy(input: Tensor | _float | number[Any], other: Tensor | _float | number[Any]) -> Tensor:
    """`xlogy`, as torch has it."""
def xlogy_(input: Tensor, other: Tensor | _float | number[Any]) -> Tensor:
    """In-place `xlogy`: writes the result into `self`, returns `self`."""
def zero_(input: Tensor) -> Tensor:
    """Every element becomes 0, in place."""
def zeros(
    *shape: Tensor | _int | Sequence[_int], size: tuple[_int, ...] | None = None,
    dtype: dtype | type[Any] | None = None, device: _int | device | None = None, requires_grad: _bool = False,
    **options: Any,
) -> Tensor:
    """Zeros of a shape."""
def zeros_like(
    input: Tensor, *args: Any, dtype: _int | dtype | type[Any] | None = None, memory_format: Any = None,
    **options: Any,
) -> Tensor:
    """`zeros` with the shape and type of `input`."""
__version__: str
