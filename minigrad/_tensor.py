"""The language: every name a tensor answers to, and the row of the table that it means.

Read it as an index. Names that only rearrange arguments are functions in the chapters of `ops`;
what is here besides names is conversion (`item`, `numpy`), printing and the calls of backward.
"""

from __future__ import annotations

import contextlib
import copy
import math
import numbers
import operator
from collections.abc import Iterator
from functools import partial
from typing import Any

from .array import dtypes, printing
from .array.backend import address, as_strided, device_of, geometry, lives_on, strides, xp
from .array.backend import device as device_type
from .core import shapes as _shapes
from .core.backward import backward
from .core.base import TensorBase, bump, constant, readonly
from .core.inplace import inplace
from .core.modes import grad_mode
from .core.views import place_of
from .ops import activation, index, linalg, pointwise, reduce, shape
from .ops.checks import a_tensor, as_method, check_dim, require, titled
from .text import presentation


class Size(tuple[int, ...]):
    """A shape, printed as torch prints it: `torch.Size([2, 3])`."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        return super().__new__(cls, map(operator.index, sizes))

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return _size(part) if isinstance(key, slice) else part

    def __add__(self, other: tuple) -> Size:
        return Size(super().__add__(tuple(other)))


TO_SCALAR = ("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
             "tensor.detach() first.")


def _cast(kind: dtypes.dtype) -> Any:
    def cast(self: Any, memory_format: Any = None) -> Any:
        return self.to(kind)

    return titled(cast, kind.name, f"The tensor as {kind}; itself if it is that already.")


_size = partial(tuple.__new__, Size)  # of what are ints for sure


class Tensor(TensorBase):
    """A multi-dimensional array that remembers how it was made. Source: torch.Tensor."""

    __slots__ = ()
    __module__ = "minigrad"
    __array_priority__ = 1000
    __hash__ = object.__hash__

    # ---- arithmetic

    __add__ = __radd__ = pointwise.add
    __sub__, __rsub__ = pointwise.sub, pointwise.rsub_of
    __mul__ = __rmul__ = pointwise.mul
    __truediv__, __rtruediv__ = pointwise.div, pointwise.rdiv
    __floordiv__, __rfloordiv__ = pointwise.floor_divide_of, pointwise.rfloor_divide
    __mod__, __rmod__ = pointwise.remainder_of, pointwise.rremainder
    __pow__, __rpow__ = pointwise.pow_of, pointwise.rpow
    __matmul__ = linalg.matmul
    __neg__, __abs__ = pointwise.neg, pointwise.abs
    __invert__, __pos__ = pointwise.invert, pointwise.positive
    __and__ = __rand__ = pointwise.bitwise_and
    __or__ = __ror__ = pointwise.bitwise_or
    __xor__ = __rxor__ = pointwise.bitwise_xor
    __lshift__, __rshift__ = pointwise.lshift, pointwise.rshift
    __eq__, __ne__ = pointwise.eq, pointwise.ne  # type: ignore[assignment]
    __lt__, __le__, __gt__, __ge__ = pointwise.lt, pointwise.le, pointwise.gt, pointwise.ge

    __getitem__, __setitem__ = index.getitem, index.setitem
    where = pointwise.where_method

    # ---- turned

    @property
    def T(self) -> Tensor:
        """All dimensions reversed; a view."""
        if self._data.ndim != 2:
            presentation.warn("t_of_other_ranks", shape.T_WARNING, once=True)
        return shape.permute(self, tuple(reversed(range(self._data.ndim))))

    mT = property(shape.mT)
    mH = property(lambda self: shape.mT(self, "mH"), doc="The conjugate transpose: `mT` here.")
    H = property(shape.adjoint, doc="The conjugate transpose: `mT` here.")
    swapaxes = titled(lambda self, axis0, axis1: self.transpose(axis0, axis1), "swapaxes", "As `transpose`.")
    real = property(lambda self: self, doc="Itself: there are no complex numbers here.")

    # ---- copies, types and places

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """True where the elements lie in memory in the order of the indices."""
        return bool(self._array().flags.c_contiguous)

    def to(self, *args: Any, **options: Any) -> Tensor:
        """Another type or device: `to(dtype)`, `to(device)`, `to(other)`; itself if nothing changes."""
        kind, place = _target(args, options)
        have = self._data.dtype
        wanted = have if kind is None else dtypes.as_numpy(kind)
        if place is not None and not lives_on(self._data, place):
            return shape.to_copy(self, wanted, place, device_of(self._data))
        copied = options.get("copy") or (len(args) > 2 and args[-1] and isinstance(args[-2], bool))
        return shape.to_copy(self, wanted) if copied or wanted != have else self

    def type(self, dtype: Any = None) -> Any:
        """The type's name, as `torch.FloatTensor`, or the tensor in another type."""
        if dtype is not None:
            said = getattr(dtype, "__name__", dtype)
            names = {name: kind for kind in dtypes.ALL for name in (kind, kind.tensor_type)}
            kind = names.get(f"torch.{said}" if said != dtype else dtype)  # also of a class, torch.DoubleTensor
            require(kind, f"invalid type: '{said}'", ValueError)
            return self.to(kind)
        return self.dtype.tensor_type.replace("torch.", "torch.cuda." if self.is_cuda else "torch.")

    def conj(self) -> Tensor:
        return self

    def float_power(self, exponent: Any) -> Tensor:
        """`self ** exponent` in double."""
        return self.double() ** (exponent.double() if isinstance(exponent, TensorBase) else exponent.__float__())

    def type_as(self, other: Tensor) -> Tensor:
        return self.to(other.dtype)

    float, double, half = map(_cast, (dtypes.float32, dtypes.float64, dtypes.float16))
    long, int, short = map(_cast, (dtypes.int64, dtypes.int32, dtypes.int16))
    byte, bool = _cast(dtypes.uint8), _cast(dtypes.bool)

    def cpu(self) -> Tensor:
        return self.to("cpu")

    def cuda(self, device: Any = "cuda") -> Tensor:
        return self.to(device)

    # ---- in place

    add_ = inplace(pointwise.add_of, ufunc=xp.add)
    sub_ = inplace(pointwise.sub_of, ufunc=xp.subtract)
    mul_ = inplace(pointwise.mul, ufunc=xp.multiply)
    div_ = inplace(pointwise.div_of, ufunc=xp.true_divide)

    # ---- backward

    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False,
                 inputs: Any = None) -> None:
        """Add to the `.grad` of every leaf the gradient of this tensor with respect to it.

        `gradient` has this tensor's shape, and may be left out for one element (it is 1 then).
        Raises: RuntimeError if there is no graph, or if its buffers were freed.
        """
        backward(self, gradient, retain_graph, create_graph, None, inputs)

    @TensorBase.grad.setter  # type: ignore[attr-defined]
    def grad(self, value: Any) -> None:
        _check_grad(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def detach(self) -> Tensor:
        """The same storage without history; writing through it is noticed by backward."""
        return self._alias(self._array(), self._shared_counter())

    def detach_(self) -> Tensor:
        """Forget the history in place. Raises: RuntimeError for views."""
        require(self._view is None, "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are "
                "views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, "
                "please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the "
                "solution.")
        self._fn, self._requires_grad = None, False
        return self

    @property
    def data(self) -> Tensor:
        """The same storage without history and with a version counter of its own: writes are not noticed."""
        return self._alias(self._array(), None)

    @data.setter
    def data(self, value: Tensor) -> None:
        kind = type(value).__name__
        require(isinstance(value, TensorBase), f"Variable data has to be a tensor, but got {kind}", TypeError)
        require(not self.requires_grad or value.is_floating_point(), "data set to a tensor that requires gradients "
                "must be floating point or complex dtype")
        self._data = value._array()

    # ---- looking

    @readonly
    def shape(self) -> Size:
        """The length of each dimension."""
        return _size(self._data.shape)

    dtype = property(lambda self: dtypes.of(self._data.dtype), doc="The type of the elements.")
    device = property(lambda self: device_of(self._data), doc="Where the elements live.")
    ndim = property(lambda self: self._data.ndim, doc="The number of dimensions.")
    layout = property(lambda self: dtypes.strided, doc="Always strided here.")
    is_cuda = property(lambda self: self.device.type == "cuda", doc="True on a GPU.")
    itemsize = property(lambda self: self._data.itemsize, doc="Bytes per element.")
    nbytes = property(lambda self: self._data.nbytes, doc="Bytes of all elements.")
    names = property(lambda self: (None,) * self._data.ndim, doc="Dimension names: none here.")

    def size(self, dim: Any = None) -> Any:
        """The shape, or the length of one dimension."""
        return self.shape if dim is None else self._data.shape[check_dim(dim, self._data.ndim)]

    def stride(self, dim: Any = None) -> Any:
        """Elements to skip per step along each dimension, or along one."""
        steps = strides(self._array())
        return steps if dim is None else steps[check_dim(dim, len(steps))]

    def storage_offset(self) -> int:
        """Where the first element lies in the storage, in elements."""
        return place_of(self)[2]

    def data_ptr(self) -> int:
        """The address of the first element."""
        return address(self._array()) if self._data.size else 0

    def dim(self) -> int:
        return self._data.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self._data.size

    nelement, ndimension = numel, dim

    def element_size(self) -> int:
        return self._data.itemsize

    def is_floating_point(self) -> bool:
        return self._data.dtype.kind == "f"

    def is_complex(self) -> bool:
        return False

    def is_nonzero(self) -> bool:
        return bool(self)

    def get_device(self) -> int:
        return -1 if self.device.type == "cpu" else self.device.index

    # ---- leaving

    def item(self) -> Any:
        """The one element as a Python number. Raises: RuntimeError if there are several."""
        if self._data.size != 1:
            raise presentation.error(RuntimeError, "many_elements",
                f"a Tensor with {self._data.size} elements cannot be converted to Scalar", tensor=self)
        return self._data.item()

    def tolist(self) -> Any:
        """The elements in nested lists; a number for 0-d."""
        return self._data.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """The storage as a NumPy array; writing to it writes to the tensor."""
        if force:
            return self.detach().cpu()._array()
        if self.requires_grad and grad_mode():
            raise presentation.error(RuntimeError, "numpy_requires_grad", "Can't call numpy() on Tensor that requires "
                "grad. Use tensor.detach().numpy() instead.", tensor=self)
        if self.is_cuda:
            raise TypeError(f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the "
                            "tensor to host memory first.")
        return self._array().view()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return constant(Tensor, array)  # what NumPy makes of a tensor and an array: a tensor

    def __float__(self) -> Any:
        return float(_one(self).item())

    def __int__(self) -> Any:
        return int(_one(self).item())

    def __index__(self) -> Any:
        if self._data.dtype.kind not in "iu" or self._data.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return self._data.item()

    def __bool__(self) -> Any:
        if self._data.size != 1:
            many = "more than one value" if self._data.size else "no values"
            raise presentation.error(RuntimeError, "ambiguous_bool",
                f"Boolean value of Tensor with {many} is ambiguous", tensor=self)
        return bool(self._data.item())

    def __len__(self) -> Any:
        require(self._data.ndim, "len() of a 0-d tensor", TypeError)
        return self._data.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        require(self._data.ndim, "iteration over a 0-d tensor", TypeError)
        return iter(self.unbind(0))

    def __reversed__(self) -> Tensor:
        return self.flip(0) if self._data.ndim else self

    def __contains__(self, element: Any) -> Any:
        require(isinstance(element, TensorBase | numbers.Real), "Tensor.__contains__ only supports Tensor or "
                f"scalar, but you passed in a {type(element)}.")
        return bool((element == self).any())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if type(self) is Tensor and not self.ndim else object.__format__(self, spec)

    def __repr__(self) -> str:
        return presentation.current.tensor_text(self)

    def __deepcopy__(self, memo: dict) -> Tensor:
        if not self.is_leaf:
            raise presentation.error(RuntimeError, "deepcopy_of_non_leaf",
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment.  If you were attempting to deepcopy a module, this may be because of a "
                "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001")
        array = self._array()
        twin = memo[id(self)] = constant(type(self), array)
        twin._requires_grad = self.requires_grad
        if type(self) is not Tensor:  # a Parameter: torch copies it alone, without gradient and attributes
            twin._data = array.copy("K")
        else:
            owner, offset, steps = geometry(array)
            if ("storage", id(owner)) not in memo:
                memo["storage", id(owner)] = owner.copy("K")
            whole = memo["storage", id(owner)]
            twin._data = whole if array is owner else as_strided(whole, array.shape, steps, offset)
            twin._grad = copy.deepcopy(self._grad, memo)
            twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
            bump(twin)  # torch makes it empty and gives it its storage
        return twin

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (type(self), self.detach().cpu().numpy(), self._requires_grad)

    def is_same_size(self, other: Tensor) -> bool:
        return self.shape == other.shape

    def equal(self, other: Tensor) -> bool:
        """True if shapes and all elements agree."""
        a_tensor(other)
        return bool(xp.array_equal(self._data, other._data))

    def allclose(self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
        """True if all elements agree to `atol + rtol * |other|`."""
        return bool(self.isclose(other, rtol, atol, equal_nan).all())


def _restored(cls: type, array: Any, requires_grad: bool) -> Tensor:
    t = constant(cls, array)
    t._requires_grad = requires_grad
    return t


def _one(t: Tensor) -> Tensor:
    require(t._data.size == 1, "only one element tensors can be converted to Python scalars", ValueError)
    if t.requires_grad:
        presentation.warn("to_scalar", TO_SCALAR, stacklevel=4, once=True)
    return t


def _target(args: tuple, options: dict) -> tuple[Any, Any]:
    """The dtype and the device that `to(...)` asks for."""
    kind, place = options.get("dtype"), options.get("device")
    for arg in args:
        if isinstance(arg, TensorBase):
            kind, place = dtypes.of(arg._data.dtype), device_of(arg._data)
        elif isinstance(arg, dtypes.dtype | type):  # `to(float)` too
            kind = arg
        elif isinstance(arg, str | device_type) or type(arg) is int:
            place = arg
    return kind, None if place is None else device_type(place)


def _check_grad(t: Tensor, value: Any) -> None:
    """What torch says to a gradient that does not fit."""
    if value is None:
        return
    if not isinstance(value, TensorBase):
        raise presentation.error(TypeError, "grad_kind",
            f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    require(value is not t, "can't assign Variable as its own grad")
    if value._data.dtype != t._data.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.c_name}' to a tensor with grad_dtype "
            f"'{t.dtype.scalar_type}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
            "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
            "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match.")
    if value._data.shape != t._data.shape:
        raise presentation.error(RuntimeError, "grad_shape",
            f"attempting to assign a gradient of size '{list(value._data.shape)}' to a tensor of size "
            f"'{list(t._data.shape)}'. Please ensure that the gradient and the tensor are the same size")


def tensor_text(t: Tensor) -> str:
    """A tensor as today's PyTorch prints it."""
    suffixes = []  # size and dtype are the array's own, said by tensor_str
    try:
        fn = t.grad_fn
    except RuntimeError:  # a view that a write to its base has made unusable still prints
        return printing.tensor_str(t._data, ["grad_fn=<Invalid>"])
    if fn is not None:
        suffixes.append(f"grad_fn=<{presentation.current.type_name(fn)}>")
    elif t.requires_grad:
        suffixes.append("requires_grad=True")
    return printing.tensor_str(t._data, suffixes)


TensorBase._plain = Tensor
_shapes.Tensor = Tensor
_shapes.blank = partial(object.__new__, Tensor)

# Methods, by the chapter that says what they are. `add_of`, which takes torch's arguments, is `add` here.
METHODS = (
    (pointwise, """add_of sub_of mul div_of floor_divide_of remainder_of fmod_of pow_of neg rsub_of square positive
        eq ne lt le gt ge logical_and logical_or logical_xor logical_not
        bitwise_and bitwise_or bitwise_xor bitwise_not isnan isinf isfinite signbit heaviside_of
        exp exp2 expm1 log log2 log10 log1p logaddexp xlogy sqrt rsqrt reciprocal hypot sinc
        sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sigmoid relu
        abs sign sgn frac floor ceil trunc round_of maximum minimum fmax fmin
        clamp clamp_min_of clamp_max_of nan_to_num masked_fill_of lerp_of addcmul_of addcdiv_of"""),
    (activation, "softmax log_softmax logit hardshrink_of prelu erf erfc erfinv lgamma digamma"),
    (reduce, """sum mean all any norm renorm dist logsumexp prod nansum nanmean max min amax amin aminmax argmax argmin
        argsort median mode quantile kthvalue sort msort topk var std cumsum cumprod logcumsumexp cummax cummin
        count_nonzero unique bincount histc isclose"""),
    (linalg, """matmul mm mv bmm dot vdot addmm outer inner kron addmv addr addbmm baddbmm cross
        matrix_power matrix_exp inverse det logdet slogdet"""),
    (shape, """reshape_of flatten ravel unflatten t_of transpose_of permute_of movedim unsqueeze_of squeeze_of
        select_of narrow diagonal split_of chunk unbind_of as_strided_of tile flip_of roll_of rot90_of tril triu diag
        diag_embed repeat_interleave diff tensor_split trace fliplr flipud adjoint diagonal_scatter clone_of
        bernoulli"""),
    (index, """gather_of scatter_of scatter_add_of index_select_of index_add_of index_copy_of index_fill_of
        index_put put take take_along_dim masked_select masked_scatter select_scatter slice_scatter nonzero"""),
)
ONLY_METHODS = (
    (activation, "polygamma"),
    (shape, """view_of view_as reshape_as expand_of expand_as unfold repeat_of contiguous sum_to_size copy_ fill_ zero_
        t_ transpose_ unsqueeze_ squeeze_ fill_diagonal_ resize_ normal_ uniform_ random_ bernoulli_"""),
    (index, """index_put_ scatter_ scatter_add_ put_ index_add_ index_copy_ index_fill_ masked_scatter_"""),
)
ALIASES = dict(pair.split("=") for pair in """
    subtract=sub multiply=mul divide=div true_divide=div negative=neg not_equal=ne less=lt less_equal=le
    greater=gt greater_equal=ge arcsin=asin arccos=acos arctan=atan arctan2=atan2 arcsinh=asinh arccosh=acosh
    arctanh=atanh absolute=abs fix=trunc clip=clamp swapdims=transpose moveaxis=movedim
    broadcast_to=expand argwhere=nonzero ger=outer""".split())
# In place: the operation of this name, written into `self`.
IN_PLACE = """abs acos arccos arcsin arctan asin atan ceil clamp clamp_max clamp_min clip cos cosh erf erfc
    exp exp2 expm1 floor frac log log10 log1p log2 logit nan_to_num neg negative reciprocal relu round rsqrt
    sigmoid sin sinc sinh sqrt square tan tanh trunc fix xlogy""".split()
ONLY_METHODS_IN_PLACE = """absolute addbmm addcdiv addcmul addmm addmv addr arctan2 atan2 baddbmm bitwise_and
    bitwise_not bitwise_or bitwise_xor cumprod cumsum digamma divide erfinv floor_divide fmod heaviside hypot lerp
    lgamma masked_fill multiply polygamma pow remainder renorm sgn sign subtract tril triu true_divide""".split()

for _chapter, _names in METHODS + ONLY_METHODS:
    for _name in _names.split():
        _face = getattr(_chapter, _name)
        _face.__qualname__ = _name = _name.removesuffix("_of")  # Python says this name when an argument is missing
        setattr(Tensor, _name, _face)
for _alias, _name in ALIASES.items():
    setattr(Tensor, _alias, getattr(Tensor, _name))
for _name in IN_PLACE + ONLY_METHODS_IN_PLACE:
    setattr(Tensor, f"{_name}_", inplace(getattr(Tensor, _name)))
for _sign, _ufunc in {"add": xp.add, "sub": xp.subtract, "mul": xp.multiply, "truediv": xp.true_divide,
        **dict.fromkeys("floordiv mod pow and or xor lshift rshift".split())}.items():
    setattr(Tensor, f"__i{_sign}__", inplace(getattr(Tensor, f"__{_sign}__"), _ufunc, operator=True))

with contextlib.suppress(ModuleNotFoundError):  # only speed is lost without it
    from .core.fast import install

    install()

# An operator leaves to Python what it cannot take; a method of that name has to say so.
for _name in """add sub mul div subtract multiply divide true_divide floor_divide remainder pow matmul eq ne lt le gt ge
    not_equal less less_equal greater greater_equal bitwise_and bitwise_or bitwise_xor maximum minimum fmax fmin
    atan2 arctan2 hypot logaddexp xlogy logical_and logical_or logical_xor""".split():
    setattr(Tensor, _name, as_method(_name, getattr(Tensor, _name)))

# Methods that torch also has as functions, by the same name.
FUNCTIONS = [
    *(name.removesuffix("_of") for _, names in METHODS for name in names.split()), *ALIASES,
    *(f"{name}_" for name in IN_PLACE), *"""addmv_ allclose conj detach detach_ equal fill_ float_power get_device
    index_put_ is_complex is_floating_point is_inference is_nonzero is_same_size numel swapaxes
    zero_""".split()]
# Functions that are not methods, or whose arguments come in another order.
ONLY_FUNCTIONS = {
    name: getattr(chapter, name)
    for chapter, names in (
        (linalg, "einsum tensordot"),
        (reduce, "bucketize cdist return_types searchsorted std_mean trapezoid var_mean"),
        (shape, "atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod cat column_stack "
                "combinations dstack hstack meshgrid stack vander vstack"),
    )
    for name in names.split()
} | {"where": pointwise.where_of, "polygamma": activation.polygamma_function, "concat": shape.cat,
     "concatenate": shape.cat, "row_stack": shape.vstack, "trapz": reduce.trapezoid,
     "pinverse": linalg.pinv_of}
