"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""

from builtins import bool as _bool, float as _float, int as _int, type as _type
from collections.abc import Iterable, Iterator, Sequence
from numpy import ndarray, number
from typing import Any, Literal, NamedTuple, overload
from .array.backend import device as _device
from .array.dtypes import dtype as _dtype, layout as _layout
from .array.random import Generator
from .core.beside.hooks import RemovableHandle
from .core.graph import Node, TensorBase


class return_types_aminmax(NamedTuple):
    min: Tensor
    max: Tensor


class return_types_cummax(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_cummin(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_kthvalue(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_linalg_eigh(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class return_types_linalg_lstsq(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


class return_types_linalg_qr(NamedTuple):
    Q: Tensor
    R: Tensor


class return_types_linalg_slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


class return_types_linalg_svd(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor


class return_types_max(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_median(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_min(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_mode(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


class return_types_sort(NamedTuple):
    values: Tensor
    indices: Tensor


class return_types_topk(NamedTuple):
    values: Tensor
    indices: Tensor
ALIASES: dict[Any, Any]
FUNCTIONS: list[str]
ONLY_FUNCTIONS: dict[Any, Any]
OPERATIONS: dict[Any, Any]


class Size(tuple[_int, ...]):
    """A shape, printed as torch prints it: `torch.Size([2, 3])`."""
    def __repr__(self) -> str: ...
    def __getattr__(self, name: str) -> Any: ...
    def numel(self) -> _int:
        """The number of elements of a tensor of this shape."""
    def __add__(self, other: tuple[Any, ...]) -> Size: ...
    def __radd__(self, other: tuple[Any, ...]) -> Size: ...
    def __mul__(self, times: Any) -> Size: ...
    def __rmul__(self, times: Any) -> Size: ...


class Tensor(TensorBase):
    """A multi-dimensional array that remembers how it was made. Source: torch.Tensor."""
    def is_inference(self) -> _bool:
        """True for a tensor made inside `inference_mode()`."""
    @property
    def requires_grad(self) -> _bool:
        """True if operations on this tensor are recorded. Leaves may change it."""
    @requires_grad.setter
    def requires_grad(self, value: Any) -> None: ...
    @requires_grad.deleter
    def requires_grad(self) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Switch recording for this leaf on or off, in place; returns the tensor."""
    @property
    def grad_fn(self) -> Node | Any:
        """The node that made this tensor; None for leaves."""
    @grad_fn.setter
    def grad_fn(self, value: Any) -> None: ...
    @grad_fn.deleter
    def grad_fn(self) -> None: ...
    @property
    def output_nr(self) -> _int:
        """Which output of its grad_fn this tensor is."""
    @output_nr.setter
    def output_nr(self, value: Any) -> None: ...
    @output_nr.deleter
    def output_nr(self) -> None: ...
    @property
    def is_leaf(self) -> _bool:
        """True for tensors that no recorded operation made."""
    @is_leaf.setter
    def is_leaf(self, value: Any) -> None: ...
    @is_leaf.deleter
    def is_leaf(self) -> None: ...
    @property
    def grad(self) -> Tensor | Any:
        """The gradient that backward accumulated here; None before, and for most non-leaves."""
    @grad.setter
    def grad(self, value: Any) -> None: ...
    @grad.deleter
    def grad(self) -> None: ...
    @property
    def retains_grad(self) -> _bool:
        """True for a non-leaf whose `.grad` backward fills, after `retain_grad()`."""
    @retains_grad.setter
    def retains_grad(self, value: Any) -> None: ...
    @retains_grad.deleter
    def retains_grad(self) -> None: ...
    def retain_grad(self) -> None:
        """Keep this non-leaf's gradient in `.grad` too: the value after all its tensor hooks."""
    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is complete; a result replaces it."""
    def register_post_accumulate_grad_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(leaf)` after backward has added to the leaf's `.grad`."""
    def __hash__(self) -> _int: ...
    def __add__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __radd__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __sub__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __rsub__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __mul__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __rmul__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __truediv__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __rtruediv__(self, other: Tensor | _float | ndarray[Any, Any] | number[Any]) -> Tensor: ...
    def __floordiv__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __rfloordiv__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __mod__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __rmod__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __pow__(self, exponent: Tensor | _float | number[Any]) -> Tensor: ...
    def __rpow__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __and__(self, other: Tensor | _float) -> Tensor: ...
    def __rand__(self, other: Tensor | _float) -> Tensor: ...
    def __or__(self, other: Tensor | _float) -> Tensor: ...
    def __ror__(self, other: Tensor | _float) -> Tensor: ...
    def __xor__(self, other: Tensor | _float) -> Tensor: ...
    def __rxor__(self, other: Tensor | _float) -> Tensor: ...
    def __lshift__(self, other: Tensor | _float) -> Tensor: ...
    def __rlshift__(self, other: Tensor | _float) -> Tensor: ...
    def __rshift__(self, other: Tensor | _float) -> Tensor: ...
    def __rrshift__(self, other: Tensor | _float) -> Tensor: ...
    def __eq__(self, other: Tensor | _float | ndarray[Any, Any] | number[Any]) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Tensor | _float | number[Any]) -> Tensor: ...  # type: ignore[override]
    def __lt__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __le__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __gt__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __ge__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Tensor | _float) -> None: ...
    def __invert__(self) -> Tensor: ...
    def where(self, condition: Tensor, other: Tensor | _float | ndarray[Any, Any] | number[Any] | None) -> Tensor:
        """`self` where `condition`, else `other`."""
    @property
    def T(self) -> Tensor:
        """All dimensions reversed; a view."""
    @T.setter
    def T(self, value: Any) -> None: ...
    @T.deleter
    def T(self) -> None: ...
    def det(self) -> Tensor:
        """The determinant."""
    def slogdet(self) -> return_types_slogdet:
        """Sign and logarithm of the size of the determinant."""
    @property
    def mT(self) -> Tensor:
        """The last two dimensions swapped; a view."""
    @mT.setter
    def mT(self, value: Any) -> None: ...
    @mT.deleter
    def mT(self) -> None: ...
    @property
    def mH(self) -> Tensor:
        """The conjugate transpose: `mT` here."""
    @mH.setter
    def mH(self, value: Any) -> None: ...
    @mH.deleter
    def mH(self) -> None: ...
    @property
    def H(self) -> Tensor:
        """The conjugate transpose: `mT` here."""
    @H.setter
    def H(self, value: Any) -> None: ...
    @H.deleter
    def H(self) -> None: ...
    @property
    def real(self) -> Tensor:
        """Itself: there are no complex numbers here."""
    def is_contiguous(self, *, memory_format: Any = None) -> _bool:
        """True where the elements lie in memory in the order of the indices."""
    def to(
        self, *args: Tensor | _float | str | _dtype | _device | number[Any] | _type[Any] | None, **options: Any,
    ) -> Tensor:
        """Another type or device: `to(dtype)`, `to(device)`, `to(other)`; itself if nothing changes."""
    @overload
    def type(self, dtype: None = None) -> str:
        """The type's name, as `torch.FloatTensor`, or the tensor in another type."""
    @overload
    def type(self, dtype: str | _dtype = ...) -> Tensor:
        """The type's name, as `torch.FloatTensor`, or the tensor in another type."""
    def conj(self) -> Tensor:
        """Itself: there are no complex numbers here."""
    def type_as(self, other: Tensor) -> Tensor:
        """The tensor in another's type."""
    def float(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.float32; itself if it is that already."""
    def double(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.float64; itself if it is that already."""
    def half(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.float16; itself if it is that already."""
    def long(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.int64; itself if it is that already."""
    def int(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.int32; itself if it is that already."""
    def short(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.int16; itself if it is that already."""
    def byte(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.uint8; itself if it is that already."""
    def char(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.int8; itself if it is that already."""
    def bool(self, *, memory_format: Any = None) -> Tensor:
        """The tensor as torch.bool; itself if it is that already."""
    def cpu(self) -> Tensor:
        """The tensor in the memory of the CPU."""
    def cuda(self, device: Any = 'cuda') -> Tensor:
        """`self` on a GPU; itself, if it is there."""
    def backward(
        self, gradient: Tensor | Sequence[Tensor] | None = None, retain_graph: Any = None, create_graph: _bool = False,
        inputs: Tensor | Sequence[_int] | Sequence[Tensor] | None = None,
    ) -> None:
        """Add to the `.grad` of every leaf the gradient of this tensor with respect to it."""
    def detach(self) -> Tensor:
        """The same storage without history; writing through it is noticed by backward."""
    def detach_(self) -> Tensor:
        """Forget the history in place. Raises: RuntimeError for views."""
    @property
    def data(self) -> Tensor:
        """The same storage without history and with a version counter of its own: writes are not noticed."""
    @data.setter
    def data(self, value: Any) -> None: ...
    @data.deleter
    def data(self) -> None: ...
    @property
    def shape(self) -> Size:
        """The length of each dimension."""
    @shape.setter
    def shape(self, value: Any) -> None: ...
    @shape.deleter
    def shape(self) -> None: ...
    @property
    def dtype(self) -> _dtype:
        """The type of the elements."""
    @dtype.setter
    def dtype(self, value: Any) -> None: ...
    @dtype.deleter
    def dtype(self) -> None: ...
    @property
    def device(self) -> _device:
        """Where the elements live."""
    @device.setter
    def device(self, value: Any) -> None: ...
    @device.deleter
    def device(self) -> None: ...
    @property
    def ndim(self) -> _int:
        """The number of dimensions."""
    @ndim.setter
    def ndim(self, value: Any) -> None: ...
    @ndim.deleter
    def ndim(self) -> None: ...
    @property
    def layout(self) -> _layout:
        """Always strided here."""
    @layout.setter
    def layout(self, value: Any) -> None: ...
    @layout.deleter
    def layout(self) -> None: ...
    @property
    def is_cuda(self) -> _bool:
        """True on a GPU."""
    @is_cuda.setter
    def is_cuda(self, value: Any) -> None: ...
    @is_cuda.deleter
    def is_cuda(self) -> None: ...
    @property
    def is_sparse(self) -> _bool:
        """False: every element is stored here."""
    @is_sparse.setter
    def is_sparse(self, value: Any) -> None: ...
    @is_sparse.deleter
    def is_sparse(self) -> None: ...
    @property
    def itemsize(self) -> _int:
        """Bytes per element."""
    @itemsize.setter
    def itemsize(self, value: Any) -> None: ...
    @itemsize.deleter
    def itemsize(self) -> None: ...
    @property
    def nbytes(self) -> _int:
        """Bytes of all elements."""
    @nbytes.setter
    def nbytes(self, value: Any) -> None: ...
    @nbytes.deleter
    def nbytes(self) -> None: ...
    @overload
    def size(self, dim: None = None) -> Size:
        """The shape, or the length of one dimension."""
    @overload
    def size(self, dim: _int = ...) -> _int:
        """The shape, or the length of one dimension."""
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]:
        """Elements to skip per step along each dimension, or along one."""
    @overload
    def stride(self, dim: _int = ...) -> _int:
        """Elements to skip per step along each dimension, or along one."""
    def storage_offset(self) -> _int:
        """Where the first element lies in the storage, in elements."""
    def data_ptr(self) -> _int:
        """The address of the first element."""
    def dim(self) -> _int:
        """The number of dimensions."""
    def numel(self) -> _int:
        """The number of elements."""
    def nelement(self) -> _int:
        """The number of elements."""
    def ndimension(self) -> _int:
        """The number of dimensions."""
    def element_size(self) -> _int:
        """Bytes per element."""
    def is_floating_point(self) -> _bool:
        """True for floats."""
    def is_complex(self) -> _bool:
        """False: there are no complex numbers here."""
    def is_nonzero(self) -> _bool:
        """Whether the one element is not 0."""
    def get_device(self) -> _int:
        """The number of its GPU, -1 on the CPU."""
    def item(self) -> Any:
        """The one element as a Python number. Raises: RuntimeError if there are several."""
    def tolist(self) -> Any:
        """The elements in nested lists; a number for 0-d."""
    def numpy(self, *, force: _bool = False) -> ndarray[Any, Any]:
        """The storage as a NumPy array; writing to it writes to the tensor."""
    def __array__(
        self, dtype: Tensor | tuple[Tensor, ...] | number[Any] | _type[Any] | None = None,
    ) -> ndarray[Any, Any]: ...
    def __array_wrap__(self, array: Tensor | ndarray[Any, Any] | number[Any]) -> Tensor: ...
    def __float__(self) -> _float: ...
    def __int__(self) -> _int: ...
    def __index__(self) -> _int: ...
    def __bool__(self) -> _bool: ...
    def __len__(self) -> _int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __reversed__(self) -> Tensor: ...
    def __contains__(self, element: Tensor | _float | Sequence[_int] | Sequence[Tensor] | number[Any]) -> _bool: ...
    def __format__(self, spec: str) -> str: ...
    def __repr__(self) -> str: ...
    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor: ...
    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]: ...
    def is_same_size(self, other: Tensor | ndarray[Any, Any] | number[Any]) -> _bool:
        """True for equal shapes."""
    def equal(self, other: Tensor) -> _bool:
        """True if shapes and all elements agree."""
    def allclose(self, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """True if all elements agree to `atol + rtol * |other|`."""
    def add(self, other: Tensor | _float | number[Any], *, alpha: _float = 1) -> Tensor:
        """`self + alpha * other`."""
    def sub(self, other: Tensor | _float | number[Any], *, alpha: Tensor | _float = 1) -> Tensor:
        """`self - alpha * other`. Raises: RuntimeError for two bools, which have no minus."""
    def mul(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`mul`, as torch has it."""
    def div(self, other: Tensor | _float | number[Any], *, rounding_mode: str | None = None) -> Tensor:
        """`self / other`, or rounded to "floor" or "trunc"."""
    def neg(self) -> Tensor:
        """`neg`, as torch has it."""
    def reciprocal(self) -> Tensor:
        """`reciprocal`, as torch has it."""
    def remainder(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`self % other`, with the sign of `other`."""
    def fmod(self, other: Tensor | _float | number[Any]) -> Tensor:
        """The remainder with the sign of `self`."""
    def floor_divide(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`self // other`, rounded down."""
    def pow(self, exponent: Tensor | _float | number[Any]) -> Tensor:
        """`self ** exponent`; a number as exponent is kept as a number (PowBackward0)."""
    def sqrt(self) -> Tensor:
        """`sqrt`, as torch has it."""
    def rsqrt(self) -> Tensor:
        """`rsqrt`, as torch has it."""
    def exp(self) -> Tensor:
        """`exp`, as torch has it."""
    def exp2(self) -> Tensor:
        """`exp2`, as torch has it."""
    def expm1(self) -> Tensor:
        """`expm1`, as torch has it."""
    def log(self) -> Tensor:
        """`log`, as torch has it."""
    def log2(self) -> Tensor:
        """`log2`, as torch has it."""
    def log10(self) -> Tensor:
        """`log10`, as torch has it."""
    def log1p(self) -> Tensor:
        """`log1p`, as torch has it."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """`logaddexp`, as torch has it."""
    def xlogy(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`xlogy`, as torch has it."""
    def sin(self) -> Tensor:
        """`sin`, as torch has it."""
    def cos(self) -> Tensor:
        """`cos`, as torch has it."""
    def tan(self) -> Tensor:
        """`tan`, as torch has it."""
    def asin(self) -> Tensor:
        """`asin`, as torch has it."""
    def acos(self) -> Tensor:
        """`acos`, as torch has it."""
    def atan(self) -> Tensor:
        """`atan`, as torch has it."""
    def atan2(self, other: Tensor) -> Tensor:
        """`atan2`, as torch has it."""
    def sinh(self) -> Tensor:
        """`sinh`, as torch has it."""
    def cosh(self) -> Tensor:
        """`cosh`, as torch has it."""
    def tanh(self) -> Tensor:
        """`tanh`, as torch has it."""
    def sigmoid(self) -> Tensor:
        """`sigmoid`, as torch has it."""
    def relu(self) -> Tensor:
        """`relu`, as torch has it."""
    def asinh(self) -> Tensor:
        """`asinh`, as torch has it."""
    def acosh(self) -> Tensor:
        """`acosh`, as torch has it."""
    def atanh(self) -> Tensor:
        """`atanh`, as torch has it."""
    def hypot(self, other: Tensor) -> Tensor:
        """`hypot`, as torch has it."""
    def sinc(self) -> Tensor:
        """`sinc`, as torch has it."""
    def abs(self) -> Tensor:
        """`abs`, as torch has it."""
    def sign(self) -> Tensor:
        """`sign`, as torch has it."""
    def sgn(self) -> Tensor:
        """`sgn`, as torch has it."""
    def floor(self) -> Tensor:
        """`floor`, as torch has it."""
    def ceil(self) -> Tensor:
        """`ceil`, as torch has it."""
    def trunc(self) -> Tensor:
        """`trunc`, as torch has it."""
    def round(self, *, decimals: _int | None = None) -> Tensor:
        """Round to the nearest integer, halves to even; or to `decimals` places."""
    def frac(self) -> Tensor:
        """`frac`, as torch has it."""
    def maximum(self, other: Tensor) -> Tensor:
        """`maximum`, as torch has it."""
    def minimum(self, other: Tensor) -> Tensor:
        """`minimum`, as torch has it."""
    def fmax(self, other: Tensor) -> Tensor:
        """`fmax`, as torch has it."""
    def fmin(self, other: Tensor) -> Tensor:
        """`fmin`, as torch has it."""
    def clamp_min(self, min: Tensor | _float | number[Any]) -> Tensor:
        """`clamp` with a lower limit only, a number or a tensor."""
    def clamp_max(self, max: Tensor | _float | number[Any]) -> Tensor:
        """`clamp` with an upper limit only, a number or a tensor."""
    def nan_to_num(
        self, nan: _float | number[Any] | None = None,
        posinf: _float | Sequence[_int] | Sequence[_float] | number[Any] | None = None,
        neginf: _float | Sequence[_int] | Sequence[_float] | number[Any] | None = None,
    ) -> Tensor:
        """`nan_to_num`, as torch has it."""
    def masked_fill(self, mask: Tensor, value: Tensor | _float | number[Any]) -> Tensor:
        """A copy of `self` with `value` (a number or 0-d tensor) where `mask`."""
    def lerp(self, end: Tensor, weight: Tensor | _float | number[Any]) -> Tensor:
        """`self + weight * (end - self)`."""
    def addcmul(
        self, tensor1: Tensor | _float | ndarray[Any, Any] | number[Any],
        tensor2: Tensor | _float | ndarray[Any, Any] | number[Any], *, value: Tensor | _float = 1,
    ) -> Tensor:
        """`self + value * tensor1 * tensor2`."""
    def addcdiv(
        self, tensor1: Tensor | _float | ndarray[Any, Any] | number[Any],
        tensor2: Tensor | _float | ndarray[Any, Any] | number[Any], *, value: Tensor | _float = 1,
    ) -> Tensor:
        """`self + value * tensor1 / tensor2`. Raises: RuntimeError for a quotient of integers."""
    def heaviside(self, values: Tensor) -> Tensor:
        """0 below 0, 1 above it, and `values` at 0."""
    def eq(self, other: Tensor | _float | ndarray[Any, Any] | number[Any]) -> Tensor:
        """`eq`, as torch has it."""
    def ne(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`ne`, as torch has it."""
    def lt(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`lt`, as torch has it."""
    def le(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`le`, as torch has it."""
    def gt(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`gt`, as torch has it."""
    def ge(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`ge`, as torch has it."""
    def logical_and(self, other: Tensor) -> Tensor:
        """`logical_and`, as torch has it."""
    def logical_or(self, other: Tensor) -> Tensor:
        """`logical_or`, as torch has it."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """`logical_xor`, as torch has it."""
    def logical_not(self) -> Tensor:
        """`logical_not`, as torch has it."""
    def bitwise_and(self, other: Tensor | _float) -> Tensor:
        """`bitwise_and`, as torch has it."""
    def bitwise_or(self, other: Tensor | _float) -> Tensor:
        """`bitwise_or`, as torch has it."""
    def bitwise_xor(self, other: Tensor | _float) -> Tensor:
        """`bitwise_xor`, as torch has it."""
    def bitwise_not(self) -> Tensor:
        """`bitwise_not`, as torch has it."""
    def bitwise_left_shift(self, other: Tensor | _float) -> Tensor:
        """`bitwise_left_shift`, as torch has it."""
    def bitwise_right_shift(self, other: Tensor | _float) -> Tensor:
        """`bitwise_right_shift`, as torch has it."""
    def isnan(self) -> Tensor:
        """`isnan`, as torch has it."""
    def isinf(self) -> Tensor:
        """`isinf`, as torch has it."""
    def isfinite(self) -> Tensor:
        """`isfinite`, as torch has it."""
    def signbit(self) -> Tensor:
        """`signbit`, as torch has it."""
    def acosh_(self, *other: Any) -> Tensor:
        """In-place `acosh`: writes the result into `self`, returns `self`."""
    def asinh_(self, *other: Any) -> Tensor:
        """In-place `asinh`: writes the result into `self`, returns `self`."""
    def atanh_(self, *other: Any) -> Tensor:
        """In-place `atanh`: writes the result into `self`, returns `self`."""
    def float_power(self, exponent: Tensor | _float | number[Any]) -> Tensor:
        """`self ** exponent` in double."""
    def float_power_(self, exponent: Tensor | _float | number[Any]) -> Tensor:
        """In-place `float_power`. Raises: RuntimeError if `self` is no double."""
    def square(self) -> Tensor:
        """`self ** 2`."""
    def positive(self) -> Tensor:
        """`self` as it is. Raises: RuntimeError for bools."""
    def clamp(
        self, min: Tensor | _float | number[Any] | None = None,
        max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
    ) -> Tensor:
        """Bring every element between `min` and `max`, numbers or tensors; either may be None."""
    def eq_(self, *other: Tensor | _float | number[Any] | _type[Any]) -> Tensor:
        """In-place `eq`: writes the result into `self`, returns `self`."""
    def ne_(self, *other: Tensor | _float | number[Any] | _type[Any]) -> Tensor:
        """In-place `ne`: writes the result into `self`, returns `self`."""
    def lt_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `lt`: writes the result into `self`, returns `self`."""
    def le_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `le`: writes the result into `self`, returns `self`."""
    def gt_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `gt`: writes the result into `self`, returns `self`."""
    def ge_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `ge`: writes the result into `self`, returns `self`."""
    def logical_and_(self, *other: Tensor) -> Tensor:
        """In-place `logical_and`: writes the result into `self`, returns `self`."""
    def logical_or_(self, *other: Any) -> Any:
        """In-place `logical_or`: writes the result into `self`, returns `self`."""
    def logical_xor_(self, *other: Any) -> Any:
        """In-place `logical_xor`: writes the result into `self`, returns `self`."""
    def logical_not_(self, *other: Any) -> Tensor:
        """In-place `logical_not`: writes the result into `self`, returns `self`."""
    def hardshrink(
        self, lambd: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] = 0.5,
    ) -> Tensor:
        """`hardshrink`, as torch has it."""
    def logit(self, eps: _float | number[Any] | None = None) -> Tensor:
        """log(x / (1 - x)), the inverse of sigmoid; x is first brought into `[eps, 1 - eps]` if given."""
    def erf(self) -> Tensor:
        """`erf`, as torch has it."""
    def erfc(self) -> Tensor:
        """`erfc`, as torch has it."""
    def erfinv(self) -> Tensor:
        """`erfinv`, as torch has it."""
    def lgamma(self) -> Tensor:
        """`lgamma`, as torch has it."""
    def digamma(self) -> Tensor:
        """`digamma`, as torch has it."""
    def polygamma(self, n: _int) -> Tensor:
        """`polygamma`, as torch has it."""
    def softmax(self, dim: _int, dtype: Tensor | _float | _dtype | _device | _type[Any] | None = None) -> Tensor:
        """exp(x) divided by its sum along `dim`: numbers that sum to 1."""
    def log_softmax(self, dim: _int, dtype: Tensor | _float | _dtype | _device | _type[Any] | None = None) -> Tensor:
        """The logarithm of softmax, computed without overflow."""
    def prelu(self, weight: Tensor) -> Tensor:
        """x where positive, else `weight * x`; one weight, or one per channel."""
    def all(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """True where all elements are; a 0-d bool tensor, or one per slice along `dim`."""
    def any(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """True where any element is; a 0-d bool tensor, or one per slice along `dim`."""
    def renorm(
        self, p: Tensor | _float | number[Any], dim: Tensor | _int, maxnorm: Tensor | _float | number[Any],
    ) -> Tensor:
        """`renorm`, as torch has it."""
    @overload
    def unique(
        self, sorted: _bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False,
        dim: _int | None = None,
    ) -> Tensor:
        """The different elements in order; on request where each went, and how often it occurs."""
    @overload
    def unique(
        self, sorted: _bool = True, return_inverse: Literal[True] = ..., return_counts: _bool = False,
        dim: _int | None = None,
    ) -> tuple[Tensor, ...]:
        """The different elements in order; on request where each went, and how often it occurs."""
    @overload
    def unique(
        self, sorted: _bool = True, return_inverse: _bool = False, return_counts: Literal[True] = ...,
        dim: _int | None = None,
    ) -> tuple[Tensor, ...]:
        """The different elements in order; on request where each went, and how often it occurs."""
    @overload
    def unique(
        self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False,
        dim: _int | None = None,
    ) -> Any:
        """The different elements in order; on request where each went, and how often it occurs."""
    def dist(self, other: Tensor | _float | ndarray[Any, Any] | number[Any], p: _float | number[Any] = 2) -> Tensor:
        """The p-norm of `self - other`."""
    def sum(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
        dtype: _dtype | _type[Any] | None = None,
    ) -> Tensor:
        """Sum of all elements, or along `dim` (an int or a tuple); integers sum to int64."""
    def mean(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
        dtype: Tensor | _float | _dtype | _device | _type[Any] | None = None,
    ) -> Tensor:
        """Mean of all elements, or along `dim`. Raises: RuntimeError for integer tensors."""
    def amax(self, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False) -> Tensor:
        """The largest element, over all dimensions or `dim`; ties share the gradient."""
    def amin(self, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False) -> Tensor:
        """The smallest element, over all dimensions or `dim`; ties share the gradient."""
    def norm(
        self, p: Tensor | _float | Sequence[_int] | Sequence[Tensor] | str | number[Any] | None = 2,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False,
    ) -> Tensor:
        """The p-norm of all elements, or along `dim`; p may be a number or "fro"."""
    @overload
    def max(self, dim: Tensor | None = None, keepdim: _bool = False, *, other: Tensor | None = None) -> Tensor:
        """`max` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
    @overload
    def max(
        self, dim: _int | number[Any] = ..., keepdim: _bool = False, *, other: Tensor | None = None,
    ) -> return_types_max:
        """`max` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
    @overload
    def min(self, dim: Tensor | None = None, keepdim: _bool = False, *, other: Tensor | None = None) -> Tensor:
        """`min` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
    @overload
    def min(self, dim: _int = ..., keepdim: _bool = False, *, other: Tensor | None = None) -> return_types_min:
        """`min` of all elements, or `(values, indices)` along `dim`, or of two tensors, one by one."""
    @overload
    def median(self, dim: None = None, keepdim: _bool = False, *, other: Any = None) -> Tensor:
        """`median` of all elements, or `(values, indices)` along `dim`."""
    @overload
    def median(self, dim: Tensor | _int = ..., keepdim: _bool = False, *, other: Any = None) -> return_types_median:
        """`median` of all elements, or `(values, indices)` along `dim`."""
    def aminmax(self, *, dim: _int | None = None, keepdim: _bool = False) -> return_types_aminmax:
        """Smallest and largest element at once."""
    def argmax(self, dim: _int | number[Any] | None = None, keepdim: _bool = False) -> Tensor:
        """Where the largest element is: in the flattened tensor, or along `dim`."""
    def argmin(self, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
        """Where the smallest element is: in the flattened tensor, or along `dim`."""
    def sort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = None) -> return_types_sort:
        """`(values, indices)` in order along `dim`; equal elements keep their order, `stable` or not."""
    def argsort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool = False) -> Tensor:
        """The positions that would sort along `dim`."""
    def msort(self) -> Tensor:
        """The rows sorted, column by column."""
    def topk(self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True) -> return_types_topk:
        """The `k` largest (or smallest) elements along `dim`: `(values, indices)`."""
    def kthvalue(self, k: _int, dim: _int = -1, keepdim: _bool = False) -> return_types_kthvalue:
        """The k-th smallest element along `dim`: `(values, indices)`."""
    def mode(self, dim: _int = -1, keepdim: _bool = False) -> return_types_mode:
        """The most frequent element along `dim`: `(values, indices)`."""
    def cumsum(self, dim: _int, *, dtype: _dtype | _type[Any] | None = None) -> Tensor:
        """`cumsum` along `dim`: each result covers all elements up to its place."""
    def cumprod(self, dim: _int, *, dtype: _dtype | _type[Any] | None = None) -> Tensor:
        """`cumprod` along `dim`: each result covers all elements up to its place."""
    def cummax(self, dim: _int, *, dtype: Any = None) -> return_types_cummax:
        """`cummax` along `dim`: each result covers all elements up to its place."""
    def cummin(self, dim: _int, *, dtype: Any = None) -> return_types_cummin:
        """`cummin` along `dim`: each result covers all elements up to its place."""
    def logcumsumexp(self, dim: _int, *, dtype: _dtype | _type[Any] | None = None) -> Tensor:
        """`logcumsumexp` along `dim`: each result covers all elements up to its place."""
    def prod(
        self, dim: _int | None = None, keepdim: _bool = False, *, dtype: _dtype | _type[Any] | None = None,
    ) -> Tensor:
        """The product of all elements, or along `dim`."""
    def nansum(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
        dtype: _dtype | _type[Any] | None = None,
    ) -> Tensor:
        """The sum without the nans."""
    def nanmean(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
        dtype: _dtype | _type[Any] | None = None,
    ) -> Tensor:
        """The mean without the nans."""
    def logsumexp(self, dim: _int | Sequence[_int] | None, keepdim: _bool = False) -> Tensor:
        """The logarithm of the sum of exponentials along `dim`, without overflow."""
    def var(
        self, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *,
        correction: Tensor | _float | number[Any] | None = None,
    ) -> Tensor:
        """`var` of all elements or along `dim`, divided by n - `correction` (1 by default)."""
    def std(
        self, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *,
        correction: Tensor | _float | number[Any] | None = None,
    ) -> Tensor:
        """`std` of all elements or along `dim`, divided by n - `correction` (1 by default)."""
    def quantile(
        self,
        q: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | ndarray[Any, Any] | number[Any],
        dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = 'linear',
    ) -> Tensor:
        """The value below which a part `q` of the elements lies, between two of them if need be."""
    def count_nonzero(self, dim: _int | Sequence[_int] | None = None, *more: _int) -> Tensor:
        """How many elements are not 0."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each of 0, 1, 2 ... occurs."""
    def isclose(
        self, other: Tensor, rtol: Tensor | _float = 1e-05, atol: Tensor | _float = 1e-08, equal_nan: _bool = False,
    ) -> Tensor:
        """True where elements agree to `atol + rtol * |other|`."""
    def mm(self, mat2: Tensor) -> Tensor:
        """`mm`, as torch has it."""
    def mv(self, vec: Tensor) -> Tensor:
        """`mv`, as torch has it."""
    def dot(self, tensor: Tensor) -> Tensor:
        """`dot`, as torch has it."""
    def vdot(self, other: Tensor) -> Tensor:
        """`vdot`, as torch has it."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """`bmm`, as torch has it."""
    def addmm(
        self, mat1: Tensor, mat2: Tensor,
        beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """`addmm`, as torch has it."""
    def addmv(
        self, mat: Tensor, vec: Tensor,
        beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """`addmv`, as torch has it."""
    def addr(
        self, vec1: Tensor | ndarray[Any, Any], vec2: Tensor | ndarray[Any, Any],
        beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """`addr`, as torch has it."""
    def baddbmm(
        self, batch1: Tensor, batch2: Tensor,
        beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """`baddbmm`, as torch has it."""
    def addbmm(
        self, batch1: Tensor, batch2: Tensor,
        beta: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """`addbmm`, as torch has it."""
    def cross(self, other: Tensor, dim: _int | None = None) -> Tensor:
        """The vector product along a dimension of length 3, the first such if `dim` is not given."""
    def matrix_exp(self) -> Tensor:
        """`linalg_matrix_exp`, as torch has it."""
    def outer(self, vec2: Tensor) -> Tensor:
        """Outer product of two vectors, `(n,)` and `(m,)` to `(n, m)`."""
    def matmul(self, other: Tensor) -> Tensor:
        """`self @ other` for vectors, matrices and batches, with torch's choice of node for each."""
    def inner(self, other: Tensor | number[Any]) -> Tensor:
        """Sum over the last dimension of both."""
    def kron(self, other: Tensor | ndarray[Any, Any]) -> Tensor:
        """Every element of `self` times the whole of `other`."""
    def matrix_power(self, n: _int) -> Tensor:
        """The product of `n` copies of a square matrix, by repeated squaring."""
    def inverse(self) -> Tensor:
        """The inverse of a square matrix. Raises: LinAlgError if it is singular."""
    def logdet(self) -> Tensor:
        """The logarithm of the determinant; nan where it is negative."""
    def view(
        self, *sizes: _int | Sequence[_int] | _dtype, size: _int | Sequence[_int] | None = None,
        dtype: Tensor | _dtype | None = None,
    ) -> Tensor:
        """The same elements in another shape, never copied; one size may be -1."""
    def t(self) -> Tensor:
        """The transpose of a matrix; vectors and 0-d tensors as they are. Raises: RuntimeError above 2-d."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Dimensions `dim0` and `dim1` swapped; a view."""
    def permute(
        self, *order: _int | Sequence[_int] | Sequence[Tensor] | Sequence[_float],
        dims: _int | Sequence[_int] | None = None,
    ) -> Tensor:
        """Dimensions in another order; a view."""
    def unsqueeze(self, dim: _int) -> Tensor:
        """A dimension of length 1 put in at `dim`; a view."""
    def squeeze(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Without the dimensions of length 1, or without dimension `dim` if its length is 1; a view."""
    def expand(self, *sizes: _int | Sequence[_int], size: _int | Sequence[_int] | None = None) -> Tensor:
        """Dimensions of length 1 seen as longer ones, without a copy; -1 keeps a length."""
    def select(self, dim: _int, index: _int) -> Tensor:
        """Slice `index` of dimension `dim`, which goes away; a view."""
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """`diagonal`, as torch has it."""
    def unfold(self, dimension: _int, size: _int, step: _float | number[Any]) -> Tensor:
        """`unfold`, as torch has it."""
    def split(self, split_size: Tensor | _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """Pieces of a length, or of given lengths, along `dim`; views."""
    def unsafe_split(self, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """As split, but its pieces may be written in place: PyTorch does not count them as views."""
    def split_with_sizes(self, split_size: Tensor | _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """Pieces of a length, or of given lengths, along `dim`; views."""
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """The slices of dimension `dim`, without it; views."""
    def as_strided(
        self, size: Tensor | Sequence[_int] | Sequence[Tensor], stride: Tensor | Sequence[_int] | Sequence[Tensor],
        storage_offset: _int | None = None,
    ) -> Tensor:
        """The storage of `self` seen with another size, stride and offset, all in elements."""
    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy that is recorded: gradients flow back to the original."""
    def repeat(self, *times: Any, repeats: _int | Sequence[_int] | None = None) -> Tensor:
        """The tensor copied side by side, `repeats` times along each dimension."""
    def flip(self, *order: _int | Sequence[_int], dims: Any = None) -> Tensor:
        """Elements in reverse order along `dims`."""
    def roll(self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = ()) -> Tensor:
        """Elements moved along `dims`, those that fall off come in at the other end."""
    def rot90(self, k: _int = 1, dims: Sequence[_int] = ...) -> Tensor:
        """Turned by 90 degrees `k` times in the plane `dims`."""
    def tril(self, diagonal: _float | number[Any] = 0) -> Tensor:
        """`tril`, as torch has it."""
    def triu(self, diagonal: _float | number[Any] = 0) -> Tensor:
        """`triu`, as torch has it."""
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """`diag_embed`, as torch has it."""
    def trace(self) -> Tensor:
        """`trace`, as torch has it."""
    def diagonal_scatter(
        self, src: Tensor | ndarray[Any, Any], offset: _int = 0, dim1: _int = 0, dim2: _int = 1,
    ) -> Tensor:
        """`diagonal_scatter`, as torch has it."""
    def reshape(self, *size: _int | Sequence[_int], shape: _int | Sequence[_int] | None = None) -> Tensor:
        """The same elements in another shape: a view where the strides allow one, else a copy."""
    def contiguous(self, *, memory_format: Any = None) -> Tensor:
        """Itself where its elements lie in order, else a copy that does."""
    def view_as(self, other: Tensor) -> Tensor:
        """As `view`, with the shape of `other`."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """As `reshape`, with the shape of `other`."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """Dimensions `start_dim` to `end_dim` as one; itself if there is nothing to do."""
    def ravel(self) -> Tensor:
        """All elements along one dimension: a view where they lie in order, else a copy."""
    def unflatten(self, dim: _int, sizes: _int | Sequence[_int]) -> Tensor:
        """Dimension `dim` as several."""
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """As `transpose`."""
    def movedim(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Dimensions moved to other places, the rest in order."""
    def expand_as(self, other: Tensor) -> Tensor:
        """As `expand`, to the shape of `other`."""
    def narrow(self, dim: _int, start: _int, length: _int) -> Tensor:
        """`length` slices of dimension `dim` from `start` on; a view."""
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` pieces of equal length along `dim`; views."""
    def tile(self, *times: Any, dims: _int | Sequence[_int] | None = None) -> Tensor:
        """As `repeat`; missing leading repeats are 1."""
    def diag(self, diagonal: _int = 0) -> Tensor:
        """A vector on the diagonal of a matrix, or the diagonal of a matrix as a vector."""
    def repeat_interleave(
        self, repeats: Tensor | _int | None = None, dim: _int | None = None, *, output_size: _int | None = None,
    ) -> Tensor:
        """Each element (or slice along `dim`) `repeats` times in a row; of `repeats` alone, 0 .. n-1."""
    def diff(self, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """The difference of each element from the one before, `n` times over."""
    def tensor_split(self, indices_or_sections: Tensor | _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """Slices along `dim`: so many of nearly equal length, or cut at the given places."""
    def fliplr(self) -> Tensor:
        """The columns in reverse order."""
    def flipud(self) -> Tensor:
        """The rows in reverse order."""
    def adjoint(self) -> Tensor:
        """The last two dimensions swapped; a view."""
    def sum_to_size(self, *size: _int | Sequence[_int]) -> Tensor:
        """Sum away what broadcasting would have added to reach this shape from `size`."""
    def t_(self) -> Tensor:
        """In-place `t`: `self` gets the new shape, and a new grad_fn."""
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """In-place `transpose`: `self` gets the new shape, and a new grad_fn."""
    def swapaxes_(self, axis0: _int, axis1: _int) -> Tensor:
        """In-place `swapaxes`: `self` gets the new shape, and a new grad_fn."""
    def unsqueeze_(self, dim: _int) -> Tensor:
        """In-place `unsqueeze`: `self` gets the new shape, and a new grad_fn."""
    def squeeze_(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """In-place `squeeze`: `self` gets the new shape, and a new grad_fn."""
    def as_strided_(
        self, size: Tensor | Sequence[_int] | Sequence[Tensor], stride: Tensor | Sequence[_int] | Sequence[Tensor],
        storage_offset: _int | None = None,
    ) -> Tensor:
        """In-place `as_strided`: `self` gets the new shape, and a new grad_fn."""
    def fill_diagonal_(self, fill_value: Tensor | _float | number[Any], wrap: _bool = False) -> Tensor:
        """The main diagonal becomes `fill_value`, in place; with `wrap` it begins anew below a tall matrix's square."""
    def resize_(self, *size: _int | Sequence[_int]) -> Tensor:
        """Another shape in place, of what lies in memory from the first element on, as far as that reaches."""
    def copy_(self, other: Tensor | _float | number[Any], non_blocking: _bool = False) -> Tensor:
        """Every element becomes that of `other`, a tensor or a number, in place."""
    def zero_(self) -> Tensor:
        """Every element becomes 0, in place."""
    def fill_(self, value: Tensor | _float | number[Any]) -> Tensor:
        """Every element becomes `value`, a number or a 0-d tensor."""
    def random_(self, *bounds: _int, generator: Tensor | _int | Generator | None = None) -> Tensor:
        """Every element a random integer below a bound, or of `[low, high)`, in place; without, all that the type holds."""
    def bernoulli(self, p: _float | None = None, *, generator: Tensor | _int | Generator | None = None) -> Tensor:
        """1 with the probability that each element says, or all with probability `p`, else 0."""
    def bernoulli_(self, p: _float = 0.5, *, generator: Tensor | _int | Generator | None = None) -> Tensor:
        """Every element 1 with probability `p`, else 0, in place."""
    def normal_(
        self, mean: _float = 0.0, std: _float = 1.0, *, generator: Tensor | _int | Generator | None = None,
    ) -> Tensor:
        """Every element drawn from the normal distribution, in place."""
    def uniform_(
        self, low: _float = 0.0, to: _float = 1.0, *, generator: Tensor | _int | Generator | None = None,
    ) -> Tensor:
        """Every element drawn evenly from `[low, to)`, in place."""
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """The elements that `index` names along `dim`, in the shape of `index`."""
    def scatter(
        self, dim: _int, index: Tensor, src: Tensor | _float | number[Any] | None = None, *, value: Any = None,
        reduce: str | None = None,
    ) -> Tensor:
        """A copy with elements of `src`, or a number, where `index` says along `dim`; or with them added or multiplied."""
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor | _float | number[Any]) -> Tensor:
        """A copy with elements of `src` added where `index` says along `dim`."""
    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """The slices `index` along `dim`."""
    def index_add(self, dim: _int, index: Tensor, source: Tensor, *, alpha: _float = 1) -> Tensor:
        """A copy with the slices of `source` added at `index` along `dim`."""
    def index_copy(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """A copy with the slices of `source` written at `index` along `dim`."""
    def index_fill(
        self, dim: _int, index: Tensor, value: Tensor | _float | Sequence[_int] | Sequence[Tensor] | number[Any],
    ) -> Tensor:
        """A copy with `value` in the slices `index` along `dim`."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """`masked_select`, as torch has it."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """`masked_scatter`, as torch has it."""
    def take(self, index: Tensor) -> Tensor:
        """`take`, as torch has it."""
    def put(self, index: Tensor, source: Tensor, accumulate: Any = False) -> Tensor:
        """`put`, as torch has it."""
    def select_scatter(self, src: Tensor, dim: Tensor | _int, index: Tensor | _int | Sequence[_int]) -> Tensor:
        """`select_scatter`, as torch has it."""
    def slice_scatter(
        self, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1,
    ) -> Tensor:
        """`slice_scatter`, as torch has it."""
    def index_put(self, indices: Tensor | Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy with `values` at `indices`, or with them added there."""
    def index_put_(self, indices: Tensor | Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
        """In-place `index_put`: writes into `self`, returns `self`."""
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor:
        """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    @overload
    def nonzero(self, *, as_tuple: Literal[True] = ...) -> tuple[Tensor, ...]:
        """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    @overload
    def nonzero(self, *, as_tuple: _bool = False) -> Any:
        """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    def take_along_dim(self, indices: Tensor, dim: _int | None = None) -> Tensor:
        """The elements that `indices` names along `dim`; the other dimensions broadcast."""
    def scatter_(
        self, dim: _int, index: Tensor, src: Tensor | _float | number[Any] | None = None, *, value: Any = None,
        reduce: str | None = None,
    ) -> Tensor:
        """In-place `scatter`: writes the result into `self`, returns `self`."""
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor | _float | number[Any]) -> Tensor:
        """In-place `scatter_add`: writes the result into `self`, returns `self`."""
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: _float = 1) -> Tensor:
        """In-place `index_add`: writes the result into `self`, returns `self`."""
    def index_copy_(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """In-place `index_copy`: writes the result into `self`, returns `self`."""
    def put_(self, index: Tensor, source: Tensor, accumulate: Any = False) -> Tensor:
        """In-place `put`: writes the result into `self`, returns `self`."""
    def index_fill_(
        self, dim: _int, index: Tensor, value: Tensor | _float | Sequence[_int] | Sequence[Tensor] | number[Any],
    ) -> Tensor:
        """In-place `index_fill`: writes the result into `self`, returns `self`."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """In-place `masked_scatter`: writes the result into `self`, returns `self`."""
    def add_(self, other: Tensor | _float | number[Any], *, alpha: _float = 1) -> Tensor:
        """In-place `add`: writes the result into `self`, returns `self`."""
    def sub_(self, other: Tensor | _float | number[Any], *, alpha: Tensor | _float = 1) -> Tensor:
        """In-place `sub`: writes the result into `self`, returns `self`."""
    def mul_(self, other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `mul`: writes the result into `self`, returns `self`."""
    def div_(self, other: Tensor | _float | number[Any], *, rounding_mode: str | None = None) -> Tensor:
        """In-place `div`: writes the result into `self`, returns `self`."""
    def neg_(self) -> Tensor:
        """In-place `neg`: writes the result into `self`, returns `self`."""
    def reciprocal_(self) -> Tensor:
        """In-place `reciprocal`: writes the result into `self`, returns `self`."""
    def remainder_(self, other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `remainder`: writes the result into `self`, returns `self`."""
    def fmod_(self, other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `fmod`: writes the result into `self`, returns `self`."""
    def floor_divide_(self, other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `floor_divide`: writes the result into `self`, returns `self`."""
    def pow_(self, exponent: Tensor | _float | number[Any]) -> Tensor:
        """In-place `pow`: writes the result into `self`, returns `self`."""
    def sqrt_(self) -> Tensor:
        """In-place `sqrt`: writes the result into `self`, returns `self`."""
    def rsqrt_(self) -> Tensor:
        """In-place `rsqrt`: writes the result into `self`, returns `self`."""
    def exp_(self) -> Tensor:
        """In-place `exp`: writes the result into `self`, returns `self`."""
    def exp2_(self) -> Tensor:
        """In-place `exp2`: writes the result into `self`, returns `self`."""
    def expm1_(self) -> Tensor:
        """In-place `expm1`: writes the result into `self`, returns `self`."""
    def log_(self) -> Tensor:
        """In-place `log`: writes the result into `self`, returns `self`."""
    def log2_(self) -> Tensor:
        """In-place `log2`: writes the result into `self`, returns `self`."""
    def log10_(self) -> Tensor:
        """In-place `log10`: writes the result into `self`, returns `self`."""
    def log1p_(self) -> Tensor:
        """In-place `log1p`: writes the result into `self`, returns `self`."""
    def xlogy_(self, other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `xlogy`: writes the result into `self`, returns `self`."""
    def sin_(self) -> Tensor:
        """In-place `sin`: writes the result into `self`, returns `self`."""
    def cos_(self) -> Tensor:
        """In-place `cos`: writes the result into `self`, returns `self`."""
    def tan_(self) -> Tensor:
        """In-place `tan`: writes the result into `self`, returns `self`."""
    def asin_(self) -> Tensor:
        """In-place `asin`: writes the result into `self`, returns `self`."""
    def acos_(self) -> Tensor:
        """In-place `acos`: writes the result into `self`, returns `self`."""
    def atan_(self) -> Tensor:
        """In-place `atan`: writes the result into `self`, returns `self`."""
    def atan2_(self, other: Tensor) -> Tensor:
        """In-place `atan2`: writes the result into `self`, returns `self`."""
    def sinh_(self) -> Tensor:
        """In-place `sinh`: writes the result into `self`, returns `self`."""
    def cosh_(self) -> Tensor:
        """In-place `cosh`: writes the result into `self`, returns `self`."""
    def tanh_(self) -> Tensor:
        """In-place `tanh`: writes the result into `self`, returns `self`."""
    def sigmoid_(self) -> Tensor:
        """In-place `sigmoid`: writes the result into `self`, returns `self`."""
    def relu_(self) -> Tensor:
        """In-place `relu`: writes the result into `self`, returns `self`."""
    def hypot_(self, other: Tensor) -> Tensor:
        """In-place `hypot`: writes the result into `self`, returns `self`."""
    def sinc_(self) -> Tensor:
        """In-place `sinc`: writes the result into `self`, returns `self`."""
    def abs_(self) -> Tensor:
        """In-place `abs`: writes the result into `self`, returns `self`."""
    def sign_(self) -> Tensor:
        """In-place `sign`: writes the result into `self`, returns `self`."""
    def sgn_(self) -> Tensor:
        """In-place `sgn`: writes the result into `self`, returns `self`."""
    def floor_(self) -> Tensor:
        """In-place `floor`: writes the result into `self`, returns `self`."""
    def ceil_(self) -> Tensor:
        """In-place `ceil`: writes the result into `self`, returns `self`."""
    def trunc_(self) -> Tensor:
        """In-place `trunc`: writes the result into `self`, returns `self`."""
    def round_(self, *, decimals: _int | None = None) -> Tensor:
        """In-place `round`: writes the result into `self`, returns `self`."""
    def frac_(self) -> Tensor:
        """In-place `frac`: writes the result into `self`, returns `self`."""
    def clamp_min_(self, min: Tensor | _float | number[Any]) -> Tensor:
        """In-place `clamp_min`: writes the result into `self`, returns `self`."""
    def clamp_max_(self, max: Tensor | _float | number[Any]) -> Tensor:
        """In-place `clamp_max`: writes the result into `self`, returns `self`."""
    def nan_to_num_(
        self, nan: Tensor | _float | number[Any] | None = None,
        posinf: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = None,
        neginf: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = None,
    ) -> Tensor:
        """In-place `nan_to_num`: writes the result into `self`, returns `self`."""
    def masked_fill_(self, mask: Tensor, value: Tensor | _float | number[Any]) -> Tensor:
        """In-place `masked_fill`: writes the result into `self`, returns `self`."""
    def lerp_(self, end: Tensor, weight: Tensor | _float | number[Any]) -> Tensor:
        """In-place `lerp`: writes the result into `self`, returns `self`."""
    def addcmul_(
        self, tensor1: Tensor | _float | ndarray[Any, Any] | number[Any],
        tensor2: Tensor | _float | ndarray[Any, Any] | number[Any], *, value: Tensor | _float = 1,
    ) -> Tensor:
        """In-place `addcmul`: writes the result into `self`, returns `self`."""
    def addcdiv_(
        self, tensor1: Tensor | _float | ndarray[Any, Any] | number[Any],
        tensor2: Tensor | _float | ndarray[Any, Any] | number[Any], *, value: Tensor | _float = 1,
    ) -> Tensor:
        """In-place `addcdiv`: writes the result into `self`, returns `self`."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """In-place `heaviside`: writes the result into `self`, returns `self`."""
    def bitwise_and_(self, other: Tensor | _float) -> Tensor:
        """In-place `bitwise_and`: writes the result into `self`, returns `self`."""
    def bitwise_or_(self, other: Tensor | _float) -> Tensor:
        """In-place `bitwise_or`: writes the result into `self`, returns `self`."""
    def bitwise_xor_(self, other: Tensor | _float) -> Tensor:
        """In-place `bitwise_xor`: writes the result into `self`, returns `self`."""
    def bitwise_not_(self) -> Tensor:
        """In-place `bitwise_not`: writes the result into `self`, returns `self`."""
    def bitwise_left_shift_(self, other: Tensor | _float) -> Tensor:
        """In-place `bitwise_left_shift`: writes the result into `self`, returns `self`."""
    def bitwise_right_shift_(self, other: Tensor | _float) -> Tensor:
        """In-place `bitwise_right_shift`: writes the result into `self`, returns `self`."""
    def square_(self) -> Tensor:
        """In-place `square`: writes the result into `self`, returns `self`."""
    def clamp_(
        self, min: Tensor | _float | number[Any] | None = None,
        max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
    ) -> Tensor:
        """In-place `clamp`: writes the result into `self`, returns `self`."""
    def logit_(self, eps: Tensor | _float | number[Any] | None = None) -> Tensor:
        """In-place `logit`: writes the result into `self`, returns `self`."""
    def erf_(self) -> Tensor:
        """In-place `erf`: writes the result into `self`, returns `self`."""
    def erfc_(self) -> Tensor:
        """In-place `erfc`: writes the result into `self`, returns `self`."""
    def erfinv_(self) -> Tensor:
        """In-place `erfinv`: writes the result into `self`, returns `self`."""
    def lgamma_(self) -> Tensor:
        """In-place `lgamma`: writes the result into `self`, returns `self`."""
    def digamma_(self) -> Tensor:
        """In-place `digamma`: writes the result into `self`, returns `self`."""
    def polygamma_(self, n: Tensor | _int) -> Tensor:
        """In-place `polygamma`: writes the result into `self`, returns `self`."""
    def renorm_(self, p: Tensor | _float | number[Any], dim: _int, maxnorm: Tensor | _float | number[Any]) -> Tensor:
        """In-place `renorm`: writes the result into `self`, returns `self`."""
    def cumsum_(self, dim: _int, *, dtype: _dtype | _type[Any] | None = None) -> Tensor:
        """In-place `cumsum`: writes the result into `self`, returns `self`."""
    def cumprod_(self, dim: _int, *, dtype: _dtype | _type[Any] | None = None) -> Tensor:
        """In-place `cumprod`: writes the result into `self`, returns `self`."""
    def addmm_(
        self, mat1: Tensor, mat2: Tensor,
        beta: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """In-place `addmm`: writes the result into `self`, returns `self`."""
    def addmv_(
        self, mat: Tensor, vec: Tensor,
        beta: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """In-place `addmv`: writes the result into `self`, returns `self`."""
    def addr_(
        self, vec1: Tensor | ndarray[Any, Any], vec2: Tensor | ndarray[Any, Any],
        beta: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """In-place `addr`: writes the result into `self`, returns `self`."""
    def baddbmm_(
        self, batch1: Tensor, batch2: Tensor,
        beta: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """In-place `baddbmm`: writes the result into `self`, returns `self`."""
    def addbmm_(
        self, batch1: Tensor, batch2: Tensor,
        beta: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
        alpha: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | number[Any] | None = 1,
    ) -> Tensor:
        """In-place `addbmm`: writes the result into `self`, returns `self`."""
    def tril_(self, diagonal: Tensor | _float | number[Any] = 0) -> Tensor:
        """In-place `tril`: writes the result into `self`, returns `self`."""
    def triu_(self, diagonal: Tensor | _float | number[Any] = 0) -> Tensor:
        """In-place `triu`: writes the result into `self`, returns `self`."""
    def subtract(self, other: Tensor | _float | number[Any], *, alpha: Tensor | _float = 1) -> Tensor:
        """`self - alpha * other`. Raises: RuntimeError for two bools, which have no minus."""
    def subtract_(self, other: Tensor | _float | number[Any], *, alpha: Tensor | _float = 1) -> Tensor:
        """In-place `sub`: writes the result into `self`, returns `self`."""
    def multiply(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`mul`, as torch has it."""
    def multiply_(self, other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `mul`: writes the result into `self`, returns `self`."""
    def divide(self, other: Tensor | _float | number[Any], *, rounding_mode: str | None = None) -> Tensor:
        """`self / other`, or rounded to "floor" or "trunc"."""
    def divide_(self, other: Tensor | _float | number[Any], *, rounding_mode: str | None = None) -> Tensor:
        """In-place `div`: writes the result into `self`, returns `self`."""
    def true_divide(self, other: Tensor | _float | number[Any], *, rounding_mode: str | None = None) -> Tensor:
        """`self / other`, or rounded to "floor" or "trunc"."""
    def true_divide_(self, other: Tensor | _float | number[Any], *, rounding_mode: str | None = None) -> Tensor:
        """In-place `div`: writes the result into `self`, returns `self`."""
    def negative(self) -> Tensor:
        """`neg`, as torch has it."""
    def negative_(self) -> Tensor:
        """In-place `neg`: writes the result into `self`, returns `self`."""
    def not_equal(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`ne`, as torch has it."""
    def not_equal_(self, *other: Tensor | _float | number[Any] | _type[Any]) -> Tensor:
        """In-place `ne`: writes the result into `self`, returns `self`."""
    def less(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`lt`, as torch has it."""
    def less_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `lt`: writes the result into `self`, returns `self`."""
    def less_equal(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`le`, as torch has it."""
    def less_equal_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `le`: writes the result into `self`, returns `self`."""
    def greater(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`gt`, as torch has it."""
    def greater_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `gt`: writes the result into `self`, returns `self`."""
    def greater_equal(self, other: Tensor | _float | number[Any]) -> Tensor:
        """`ge`, as torch has it."""
    def greater_equal_(self, *other: Tensor | _float | number[Any]) -> Tensor:
        """In-place `ge`: writes the result into `self`, returns `self`."""
    def arcsin(self) -> Tensor:
        """`asin`, as torch has it."""
    def arcsin_(self) -> Tensor:
        """In-place `asin`: writes the result into `self`, returns `self`."""
    def arccos(self) -> Tensor:
        """`acos`, as torch has it."""
    def arccos_(self) -> Tensor:
        """In-place `acos`: writes the result into `self`, returns `self`."""
    def arctan(self) -> Tensor:
        """`atan`, as torch has it."""
    def arctan_(self) -> Tensor:
        """In-place `atan`: writes the result into `self`, returns `self`."""
    def arctan2(self, other: Tensor) -> Tensor:
        """`atan2`, as torch has it."""
    def arctan2_(self, other: Tensor) -> Tensor:
        """In-place `atan2`: writes the result into `self`, returns `self`."""
    def arcsinh(self) -> Tensor:
        """`asinh`, as torch has it."""
    def arcsinh_(self, *other: Any) -> Tensor:
        """In-place `asinh`: writes the result into `self`, returns `self`."""
    def arccosh(self) -> Tensor:
        """`acosh`, as torch has it."""
    def arccosh_(self, *other: Any) -> Tensor:
        """In-place `acosh`: writes the result into `self`, returns `self`."""
    def arctanh(self) -> Tensor:
        """`atanh`, as torch has it."""
    def arctanh_(self, *other: Any) -> Tensor:
        """In-place `atanh`: writes the result into `self`, returns `self`."""
    def absolute(self) -> Tensor:
        """`abs`, as torch has it."""
    def absolute_(self) -> Tensor:
        """In-place `abs`: writes the result into `self`, returns `self`."""
    def fix(self) -> Tensor:
        """`trunc`, as torch has it."""
    def fix_(self) -> Tensor:
        """In-place `trunc`: writes the result into `self`, returns `self`."""
    def clip(
        self, min: Tensor | _float | number[Any] | None = None,
        max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
    ) -> Tensor:
        """Bring every element between `min` and `max`, numbers or tensors; either may be None."""
    def clip_(
        self, min: Tensor | _float | number[Any] | None = None,
        max: Tensor | _float | ndarray[Any, Any] | number[Any] | None = None,
    ) -> Tensor:
        """In-place `clamp`: writes the result into `self`, returns `self`."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Dimensions `dim0` and `dim1` swapped; a view."""
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """In-place `transpose`: `self` gets the new shape, and a new grad_fn."""
    def moveaxis(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Dimensions moved to other places, the rest in order."""
    def ger(self, vec2: Tensor) -> Tensor:
        """Outer product of two vectors, `(n,)` and `(m,)` to `(n, m)`."""
    def broadcast_to(self, *sizes: _int | Sequence[_int], size: _int | Sequence[_int] | None = None) -> Tensor:
        """Dimensions of length 1 seen as longer ones, without a copy; -1 keeps a length."""
    @overload
    def argwhere(self, *, as_tuple: Literal[False] = False) -> Tensor:
        """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    @overload
    def argwhere(self, *, as_tuple: Literal[True] = ...) -> tuple[Tensor, ...]:
        """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    @overload
    def argwhere(self, *, as_tuple: _bool = False) -> Any:
        """The positions of all elements that are not 0, one row each, or one tensor for each dimension."""
    def __iadd__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __isub__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __imul__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __itruediv__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __ifloordiv__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __imod__(self, other: Tensor | _float | number[Any]) -> Tensor: ...
    def __ipow__(self, exponent: Tensor | _float | number[Any]) -> Tensor: ...
    def __iand__(self, other: Tensor | _float) -> Tensor: ...
    def __ior__(self, other: Tensor | _float) -> Tensor: ...
    def __ixor__(self, other: Tensor | _float) -> Tensor: ...
    def __ilshift__(self, other: Tensor | _float) -> Tensor: ...
    def __irshift__(self, other: Tensor | _float) -> Tensor: ...
    def __new__(cls, *data: Any, dtype: Any = None) -> Tensor: ...
    def new(
        self, *data: Tensor | _int | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | ndarray[Any, Any],
    ) -> Tensor:
        """A tensor of this type from values, or of a shape: the constructor of old."""
    def multinomial(
        self, num_samples: _int, replacement: _bool = False, *, generator: _int | Generator | None = None,
    ) -> Tensor:
        """Indices drawn with the weights that `input` holds, row by row."""
    def new_zeros(
        self, *size: _int | Sequence[_int], dtype: Tensor | _int | _dtype | _type[Any] | None = None, **options: Any,
    ) -> Tensor:
        """`zeros` in the type of this tensor."""
    def new_ones(
        self, *size: _int | Sequence[_int], dtype: Tensor | _int | _dtype | _type[Any] | None = None, **options: Any,
    ) -> Tensor:
        """`ones` in the type of this tensor."""
    def new_empty(self, *size: Any, dtype: Any = None, **options: Any) -> Tensor:
        """`empty` in the type of this tensor."""
    def new_full(
        self, *size: _int | tuple[_int, ...], dtype: Tensor | _int | _dtype | _type[Any] | None = None, **options: Any,
    ) -> Tensor:
        """`full` in the type of this tensor."""
    def new_tensor(
        self,
        *size: Tensor | _float | Sequence[_int] | Sequence[Tensor] | Sequence[_float] | ndarray[Any, Any] | number[Any],
        dtype: Tensor | _int | _dtype | _type[Any] | None = None, **options: Any,
    ) -> Tensor:
        """`tensor` in the type of this tensor."""


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: Any = None, create_graph: _bool = False,
    grad_variables: Tensor | Sequence[_int] | Sequence[_float] | Iterable[Tensor] | str | ndarray[Any, Any] | None = None,
    inputs: Tensor | Sequence[_int] | Sequence[Tensor] | None = None,
) -> None:
    """Add to the `.grad` of leaves the gradients of `tensors`, weighted by `grad_tensors`."""
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape in which tensors of these shapes (or of one dimension, of these lengths) meet."""
def tensor_text(t: Tensor) -> str:
    """A tensor as today's PyTorch prints it."""
