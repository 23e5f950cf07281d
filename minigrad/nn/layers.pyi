"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from collections.abc import Iterable, Iterator, Sequence
from numpy import number
from typing import Any
from .._tensor import Tensor
from ..array.backend import device
from ..array.dtypes import dtype
from .module import Module
from .parameter import Parameter


class AdaptiveAvgPool1d(Module):
    """`AdaptiveAvgPool1d` as a module; see `nn.functional.adaptive_avg_pool1d`."""
    def __init__(self, output_size: int | Sequence[int]) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class AdaptiveAvgPool2d(Module):
    """`AdaptiveAvgPool2d` as a module; see `nn.functional.adaptive_avg_pool2d`."""
    def __init__(self, output_size: Tensor | int | Sequence[int]) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class AdaptiveMaxPool1d(Module):
    """`AdaptiveMaxPool1d` as a module; see `nn.functional.adaptive_max_pool1d`."""
    def __init__(
        self, output_size: Tensor | int | Sequence[int] | Sequence[Tensor], return_indices: bool = False,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class AdaptiveMaxPool2d(Module):
    """`AdaptiveMaxPool2d` as a module; see `nn.functional.adaptive_max_pool2d`."""
    def __init__(self, output_size: Tensor | int | Sequence[int], return_indices: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class AvgPool1d(Module):
    """`AvgPool1d` as a module; see `nn.functional.avg_pool1d`."""
    def __init__(
        self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class AvgPool2d(Module):
    """`AvgPool2d` as a module; see `nn.functional.avg_pool2d`."""
    def __init__(
        self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
        padding: Tensor | int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: float | Sequence[int] | Sequence[Tensor] | Sequence[float] | number[Any] | None = None,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class BCELoss(Module):
    """`BCELoss` as a module; see `nn.functional.binary_cross_entropy`."""
    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class BCEWithLogitsLoss(Module):
    """`BCEWithLogitsLoss` as a module; see `nn.functional.binary_cross_entropy_with_logits`."""
    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
        pos_weight: Tensor | None = None,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class _Weighted(Module):
    """A layer with parameters of given sizes; by itself it starts `weight` and `bias` as torch's linear maps do."""
    def reset_parameters(self) -> None:
        """Draw weight and bias evenly, in bounds that shrink with the number of inputs."""


class _Norm(_Weighted):
    """A layer that normalises, then scales by `weight` and moves by `bias` where these are wanted."""
    def reset_parameters(self) -> None:
        """Scale by 1, move by 0, know of no batch."""


class _BatchNorm(_Norm):
    """Normalises each channel: by its batch in training, by running statistics in evaluation."""
    def __init__(
        self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class BatchNorm1d(_BatchNorm):
    """Batch norm of `(batch, channels)` or `(batch, channels, length)`."""
    num_features: int
    eps: float
    momentum: float
    affine: bool
    track_running_stats: bool
    weight: Parameter | Any
    bias: Parameter | Any
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class BatchNorm2d(_BatchNorm):
    """Batch norm of `(batch, channels, height, width)`."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class CELU(Module):
    """`CELU` as a module; see `nn.functional.celu`."""
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class _OwnInit:
    """Its classes here have an `__init__` each, as torch writes them, which refusals name."""
    @classmethod
    def __init_subclass__(cls) -> None: ...


class _Conv(_OwnInit, _Weighted):
    """What Conv1d and Conv2d share."""
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor: ...
    def extra_repr(self) -> str: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Conv1d(_Conv):
    """Filters slid over sequences `(batch, channels, length)`."""
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Conv2d(_Conv):
    """Filters slid over images `(batch, channels, height, width)`."""
    in_channels: int
    out_channels: int
    groups: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: tuple[int, ...]
    padding_mode: str
    weight: Parameter
    bias: Parameter
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class CosineEmbeddingLoss(Module):
    """`CosineEmbeddingLoss` as a module; see `nn.functional.cosine_embedding_loss`."""
    margin: float
    reduction: str
    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class CosineSimilarity(Module):
    """`CosineSimilarity` as a module; see `nn.functional.cosine_similarity`."""
    dim: int
    eps: float
    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class CrossEntropyLoss(Module):
    """`CrossEntropyLoss` as a module; see `nn.functional.cross_entropy`."""
    ignore_index: int
    reduction: str
    label_smoothing: float
    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
        reduction: str = 'mean', label_smoothing: float = 0.0,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Dropout(Module):
    """In training, zero with probability `p`, the rest scaled by 1 / (1 - p)."""
    p: float
    inplace: bool
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: Any) -> Tensor:
        """The input thinned out in training, unchanged in evaluation."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Dropout2d(Dropout):
    """As Dropout, for whole channels."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class ELU(Module):
    """`ELU` as a module; see `nn.functional.elu`."""
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Embedding(Module):
    """A learned row for each of `num_embeddings` numbers."""
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | Any
    max_norm: None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    weight: Parameter
    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None,
        _freeze: bool = False, device: Any = None, dtype: Any = None,
    ) -> None: ...
    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> Embedding:
        """An embedding on rows that are there already; `freeze` keeps training from changing them."""
    def reset_parameters(self) -> None:
        """Draw every row, but for that of `padding_idx`, which is 0."""
    def forward(self, input: Any) -> Tensor:
        """The rows that the indices name."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Flatten(Module):
    """`Flatten` as a module; see `Tensor.flatten`."""
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class GELU(Module):
    """`GELU` as a module; see `nn.functional.gelu`."""
    def __init__(self, approximate: str = 'none') -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class GLU(Module):
    """`GLU` as a module; see `nn.functional.glu`."""
    def __init__(self, dim: int = -1) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class GaussianNLLLoss(Module):
    """`GaussianNLLLoss` as a module; see `nn.functional.gaussian_nll_loss`."""
    def __init__(self, full: bool = False, eps: float = 1e-06, reduction: str = 'mean') -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class GroupNorm(_Norm):
    """Normalises groups of channels of each example."""
    num_groups: int
    num_channels: int
    eps: float
    affine: bool
    weight: Parameter
    bias: Parameter
    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-05, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor:
        """`nn.functional.group_norm` with the own weight and bias."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Hardshrink(Module):
    """`Hardshrink` as a module; see `nn.functional.hardshrink`."""
    def __init__(self, lambd: float | Sequence[int] | Sequence[Tensor] | Sequence[float] | number[Any] = 0.5) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Hardsigmoid(Module):
    """`Hardsigmoid` as a module; see `nn.functional.hardsigmoid`."""
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Hardswish(Module):
    """`Hardswish` as a module; see `nn.functional.hardswish`."""
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Hardtanh(Module):
    """`Hardtanh` as a module; see `nn.functional.hardtanh`."""
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class HingeEmbeddingLoss(Module):
    """`HingeEmbeddingLoss` as a module; see `nn.functional.hinge_embedding_loss`."""
    def __init__(
        self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class HuberLoss(Module):
    """`HuberLoss` as a module; see `nn.functional.huber_loss`."""
    def __init__(self, reduction: str = 'mean', delta: float = 1.0, weight: Tensor | None = None) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Identity(Module):
    """Returns what it gets."""
    def __init__(self, *args: Any, **options: Any) -> None: ...
    def forward(self, input: Any) -> Any:
        """The input itself."""


class KLDivLoss(Module):
    """`KLDivLoss` as a module; see `nn.functional.kl_div`."""
    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = 'mean', log_target: bool = False,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class L1Loss(Module):
    """`L1Loss` as a module; see `nn.functional.l1_loss`."""
    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = 'mean', weight: Tensor | None = None,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class LayerNorm(_Norm):
    """Normalises the last dimensions of each example."""
    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool
    weight: Parameter
    bias: Parameter
    def __init__(
        self, normalized_shape: Any, eps: float = 1e-05, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor:
        """`nn.functional.layer_norm` with the own weight and bias."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class LeakyReLU(Module):
    """`LeakyReLU` as a module; see `nn.functional.leaky_relu`."""
    def __init__(self, negative_slope: Tensor | float = 0.01, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Linear(_Weighted):
    """`x @ weight.T + bias`, from `in_features` numbers to `out_features`."""
    in_features: int
    out_features: int
    weight: Parameter
    bias: Parameter | Any
    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor:
        """`nn.functional.linear` with the own weight and bias."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class LogSigmoid(Module):
    """`LogSigmoid` as a module; see `nn.functional.logsigmoid`."""
    def __init__(self) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class LogSoftmax(Module):
    """`LogSoftmax` as a module; see `nn.functional.log_softmax`."""
    def __init__(
        self, dim: int | None = None, _stacklevel: int = 3,
        dtype: Tensor | float | dtype | device | type[Any] | None = None,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class MSELoss(Module):
    """`MSELoss` as a module; see `nn.functional.mse_loss`."""
    reduction: str
    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = 'mean', weight: Tensor | None = None,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class MarginRankingLoss(Module):
    """`MarginRankingLoss` as a module; see `nn.functional.margin_ranking_loss`."""
    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = 'mean',
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class MaxPool1d(Module):
    """`MaxPool1d` as a module; see `nn.functional.max_pool1d`."""
    kernel_size: int
    stride: int
    padding: int
    dilation: int
    return_indices: bool
    ceil_mode: bool
    def __init__(
        self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class MaxPool2d(Module):
    """`MaxPool2d` as a module; see `nn.functional.max_pool2d`."""
    def __init__(
        self, kernel_size: int | Sequence[int] | number[Any], stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Mish(Module):
    """`Mish` as a module; see `nn.functional.mish`."""
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class ModuleDict(Module):
    """Modules by name: it is read as the dict `_modules` is."""
    def __init__(self, modules: Any = None) -> None: ...
    def update(self, modules: Any) -> None:
        """Add the modules of a dict, or of pairs, to these."""
    def __setitem__(self, name: str, module: Module | None) -> None: ...
    __getitem__: Any
    __delitem__: Any
    __len__: Any
    __iter__: Any
    __contains__: Any
    keys: Any
    items: Any
    values: Any
    pop: Any
    clear: Any


class _Numbered(Module):
    """What a module finds by number: modules, or parameters."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: int, value: Any) -> None: ...
    def append(self, value: Any) -> _Numbered:
        """Add one at the end."""
    def extend(self, values: Iterable[Any]) -> _Numbered:
        """Add several at the end. Raises: TypeError for what is no iterable."""
    def __iadd__(self, values: Iterable[Any]) -> _Numbered: ...


class _List(_Numbered):
    """Modules by number."""
    def __delitem__(self, index: Any) -> None: ...
    def pop(self, key: Any) -> Any:
        """Take one out, and return it."""
    def insert(self, index: int, module: Module) -> None:
        """Put a module before another one."""
    def __add__(self, other: Iterable[Module]) -> _List: ...


class ModuleList(_List):
    """A list of modules whose parameters are found."""
    def __init__(self, modules: Iterable[Module] | None = None) -> None: ...


class NLLLoss(Module):
    """`NLLLoss` as a module; see `nn.functional.nll_loss`."""
    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
        reduction: str = 'mean',
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class PReLU(Module):
    """x where positive, else a learned slope times x."""
    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None: ...
    def forward(self, input: Any) -> Any:
        """`nn.functional.prelu` with the own slopes."""


class ParameterDict(Module):
    """Parameters by name, which are found; a tensor put in becomes a Parameter."""
    def __init__(self, parameters: Any = None) -> None: ...
    def __setitem__(self, key: str, value: Any) -> None: ...
    def __getitem__(self, key: str) -> Any: ...
    def __delitem__(self, key: str) -> None: ...
    def clear(self) -> None:
        """Take all out."""
    def update(self, parameters: Any) -> None:
        """Add the values of a mapping, or of pairs, to these."""
    def pop(self, key: Any) -> Any:
        """Take one out, and return it."""
    def extra_repr(self) -> str: ...
    def __call__(self, input: Any) -> Any: ...
    __len__: Any
    __iter__: Any
    __contains__: Any
    keys: Any
    values: Any
    items: Any
    get: Any


class ParameterList(_Numbered):
    """A list of parameters, which are found; a tensor put in becomes a Parameter, other things stay as they are."""
    def __init__(self, values: Iterable[Any] | None = None) -> None: ...
    def __setitem__(self, index: int, value: Any) -> None: ...
    def append(self, value: Any) -> _Numbered:
        """Add a value at the end."""
    def extra_repr(self) -> str: ...
    def __call__(self, *args: Any, **options: Any) -> Any: ...


class PoissonNLLLoss(Module):
    """`PoissonNLLLoss` as a module; see `nn.functional.poisson_nll_loss`."""
    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: Any = None, eps: float = 1e-08,
        reduce: Any = None, reduction: str = 'mean',
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class ReLU(Module):
    """`ReLU` as a module; see `nn.functional.relu`."""
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class ReLU6(Module):
    """`ReLU6` as a module; see `nn.functional.relu6`."""
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class SELU(Module):
    """`SELU` as a module; see `nn.functional.selu`."""
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Sequential(_List):
    """Modules one after the other: each gets what the one before returned."""
    def __init__(self, *args: Any) -> None: ...
    def __getitem__(self, index: Any) -> Any: ...
    def insert(self, index: int, module: Module) -> Sequential:
        """Put a module before another one; returns itself."""
    def __iadd__(self, other: Sequential) -> Sequential: ...
    def __add__(self, other: Sequential) -> Sequential: ...
    def __mul__(self, other: int) -> Sequential: ...
    def __rmul__(self, other: int) -> Sequential: ...
    def forward(self, input: Any) -> Tensor:
        """The input, passed through each module in turn."""
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class SiLU(Module):
    """`SiLU` as a module; see `nn.functional.silu`."""
    def __init__(self, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Sigmoid(Module):
    """`Sigmoid` as a module; see `nn.functional.sigmoid`."""
    def __init__(self) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class SmoothL1Loss(Module):
    """`SmoothL1Loss` as a module; see `nn.functional.smooth_l1_loss`."""
    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = 'mean', beta: Tensor | float = 1.0,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class SoftMarginLoss(Module):
    """`SoftMarginLoss` as a module; see `nn.functional.soft_margin_loss`."""
    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = 'mean') -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Softmax(Module):
    """`Softmax` as a module; see `nn.functional.softmax`."""
    dim: int
    dtype: None
    def __init__(
        self, dim: int | None = None, _stacklevel: int = 3,
        dtype: Tensor | float | dtype | device | type[Any] | None = None,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Softmin(Module):
    """`Softmin` as a module; see `nn.functional.softmin`."""
    def __init__(
        self, dim: int | None = None, dtype: Tensor | float | dtype | device | type[Any] | None = None,
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Softplus(Module):
    """`Softplus` as a module; see `nn.functional.softplus`."""
    def __init__(self, beta: float = 1.0, threshold: Tensor | float = 20.0) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Softshrink(Module):
    """`Softshrink` as a module; see `nn.functional.softshrink`."""
    def __init__(self, lambd: Tensor | float | number[Any] = 0.5) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Softsign(Module):
    """`Softsign` as a module; see `nn.functional.softsign`."""
    def __init__(self) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Tanh(Module):
    """`Tanh` as a module; see `nn.functional.tanh`."""
    def __init__(self) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Tanhshrink(Module):
    """`Tanhshrink` as a module; see `nn.functional.tanhshrink`."""
    def __init__(self) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class Threshold(Module):
    """`Threshold` as a module; see `nn.functional.threshold`."""
    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


class TripletMarginLoss(Module):
    """`TripletMarginLoss` as a module; see `nn.functional.triplet_margin_loss`."""
    margin: float
    p: float
    eps: float
    swap: bool
    reduction: str
    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06, swap: bool = False, size_average: Any = None,
        reduce: Any = None, reduction: str = 'mean',
    ) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Tensor: ...
    def __call__(self, *args: Any, **options: Any) -> Tensor: ...


class Unflatten(Module):
    """`Unflatten` as a module; see `Tensor.unflatten`."""
    def __init__(self, dim: Any, unflattened_size: Any) -> None: ...
    def forward(self, *given: Any, **named: Any) -> Any: ...


def empty(
    *shape: int | Sequence[int], size: Any = None, dtype: dtype | type[Any] | None = None,
    device: int | device | None = None, requires_grad: bool = False, **options: Any,
) -> Tensor:
    """A tensor of a shape whose values mean nothing yet (zeros here)."""
def full(
    size: Tensor | Sequence[int], fill_value: Tensor | float | number[Any], *,
    dtype: dtype | type[Any] | None = None, device: int | device | None = None, requires_grad: bool = False,
) -> Tensor:
    """`fill_value` in every place of a shape; its type is the tensor's, if none is given."""
def tensor(
    data: Any, *, dtype: dtype | type[Any] | None = None, device: int | device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor with a copy of `data`: a number, nested lists, an array or a tensor."""
