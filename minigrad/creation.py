"""Tensors from nothing: from numbers, from arrays, from the random stream.

Knows which type numbers and nested lists get, what torch refuses, and the shapes that one may ask for.
The stream is `array.random`; what is new leaves through `made`.
"""

import functools
import math
import operator
from typing import Any

from ._tensor import Size, Tensor
from .array import device_of, dtypes, layout, memory_order, move, ndarray, random, xp
from .core.beside.ledger import cut
from .core.beside.refusals import type_said
from .core.carriers import RAW, TENSORS
from .core.graph import TensorBase, constant
from .core.modes import INFERENCE, UNCOUNTED, grad_mode, lifted
from .ops.checks import check_number, ints, need, require, titled
from .text import demand, presentation
from .wording import as_method, worded


def made(array: Any, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A new leaf on `array`. Raises: RuntimeError if integers are to require grad."""
    require(requires_grad.__class__ is bool, "no bool", TypeError)  # torch's words are found by the caller
    need(not requires_grad or array.dtype.kind == "f", "float_only")
    t = constant(Tensor, move(array, device), UNCOUNTED if grad_mode() is INFERENCE else None)
    t._requires_grad = requires_grad
    return t


def _kind(dtype: Any, otherwise: Any = None) -> Any:
    """NumPy's type for a `dtype=` argument; where none is given for `otherwise`, or for the default dtype."""
    return dtypes.as_numpy(dtype if dtype is not None else otherwise or dtypes.get_default_dtype())


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested lists, an array or a tensor.

    Floats become the default dtype (float32), ints int64; arrays keep their type.
    Raises: ValueError if nested lists are ragged, RuntimeError if integers are to require grad.
    """
    if isinstance(data, TensorBase):
        presentation.warn("copied_tensor")
        array = array_of(data.detach().cpu()._array(), dtype)
        return cut("torch.tensor()", data, made(array, requires_grad, data.device if device is None else device))
    array = array_of(data, dtype)
    return made(array if array.ndim else array[()], requires_grad, device)  # a scalar computes faster


def array_of(data: Any, dtype: Any = None) -> Any:
    """A new array from what `tensor` accepts, in torch's type for it."""
    kind = None if dtype is None else _kind(dtype)
    if isinstance(data, ndarray) or (kind is None and isinstance(data, xp.generic)):
        need(min(data.strides, default=0) >= 0, "negative_strides")
        return dtypes.own(xp.array(data, dtype=kind))
    if isinstance(data, list | tuple) and any(isinstance(part, ndarray) and part.ndim for part in data[:1]):
        presentation.warn("list_of_arrays", once=True)
    typed: list = []
    array = xp.array(_plain(data, 0, _shape(data), typed, kind))
    if kind is not None:
        dtypes.check_fits(array, kind, str(kind))
        return array.astype(kind)
    require(array.dtype.kind not in "uO", "Overflow when unpacking long long", ValueError)
    usual = dtypes.get_default_dtype() if array.dtype.kind == "f" or not array.size else dtypes.of(array.dtype)
    kinds = {*typed} if typed and len(typed) == array.size else {*typed, usual}
    return array.astype(functools.reduce(dtypes.promote_types, kinds).np, copy=False)


_LISTS = (list, tuple, ndarray)


def _listed(data: Any) -> Any:
    """A sequence of any other class, as a range or a deque, as a list; what is none, as it is."""
    plain = isinstance(data, (*_LISTS, TensorBase, xp.generic, str, bytes, dict)) or not hasattr(data, "__getitem__")
    return data if plain or isinstance(data, type) else [data[i] for i in range(len(data))]


def _shape(data: Any) -> tuple:
    shape = []
    while isinstance(data := _listed(data), _LISTS):
        shape.append(len(data))
        require(len(shape) <= 128, f"too many dimensions '{type(data).__name__}'", ValueError)  # or one in itself
        data = data[0] if len(data) else None
        require(not isinstance(data, str), "too many dimensions 'str'", ValueError)
    return tuple(shape)


def _plain(data: Any, depth: int, shape: tuple, typed: list, kind: Any) -> Any:
    """Nested lists of numbers, `typed` with the types of tensors and NumPy's numbers; ragged ones are refused."""
    data = _listed(data) if depth < len(shape) else data
    if isinstance(data, TensorBase):
        typed.append(data.dtype)
        require(data._data.size == 1, "only one element tensors can be converted to Python scalars", ValueError)
        return cut("torch.tensor()", data, float(data), climb=True) if data.requires_grad else data.item()
    if isinstance(data, ndarray) and data.shape == shape[depth:]:
        typed.extend([dtypes.of(data.dtype)] * data.size)
        return data.tolist()
    if not isinstance(data, _LISTS):
        require(not isinstance(data, str | bytes), f"new(): invalid data type '{type(data).__name__}'", TypeError)
        number = isinstance(data, int | float | xp.generic)
        require(number or kind is not None, f"Could not infer dtype of {type(data).__name__}")
        require(depth == len(shape), "not a sequence", TypeError)
        if not isinstance(data, xp.generic):  # of a fraction C reads the number, in ldexp as in torch
            return data if number else operator.index(data) if kind.kind in "iu" else math.ldexp(data, 0)
        if kind is not None and kind.kind in "iub" and data.dtype != kind and not isinstance(data, float):
            operator.index(data)  # as torch, which takes whole numbers, and what is a float of Python's
        typed.append(dtypes.of(data.dtype))
        return data.item()
    if depth >= len(shape):
        name, real = type(data).__name__, any(isinstance(part, float) for part in data)
        raise TypeError(f"must be real number, not {name}" if (real if kind is None else kind.kind == "f") else
                        f"'{name}' object cannot be interpreted as an integer")
    need(len(data) == shape[depth], "ragged", shape[depth], depth, len(data))
    return [_plain(part, depth + 1, shape, typed, kind) for part in data]


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` as a tensor, sharing memory with an array or a tensor where the type allows."""
    data = from_numpy(data) if isinstance(data, ndarray) else data
    if isinstance(data, TensorBase):
        return data.to(dtype=dtype, device=device)
    return tensor(data, dtype=dtype, device=device)


def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None,
            requires_grad: bool | None = None) -> Tensor:
    """As `as_tensor`; `copy` says whether to share memory, `requires_grad` whether to record."""
    t = as_tensor(obj, dtype=dtype, device=device)
    t = t.clone() if copy and isinstance(obj, TensorBase | ndarray) else t
    return t if requires_grad in (None, t.requires_grad) else t.detach().requires_grad_(requires_grad)


def is_tensor(obj: Any) -> bool:
    """True for a tensor."""
    return isinstance(obj, TensorBase)


def result_type(tensor1: Any, tensor2: Any) -> dtypes.dtype:
    """The type in which two tensors or numbers meet."""
    return dtypes.of(dtypes.result_dtype(*(getattr(x, "_data", x) for x in (tensor1, tensor2))))


def from_numpy(ndarray: Any) -> Tensor:
    """A tensor on the memory of a NumPy array: writing to one writes to the other."""
    need(hasattr(ndarray, "__setitem__") and hasattr(ndarray, "strides"), "array_wanted", type_said(ndarray))
    return made(dtypes.own(ndarray if ndarray.flags.writeable else ndarray.copy("K")))  # torch writes where it may not


def legacy_tensor(cls: type, *data: Any, dtype: Any = None) -> Tensor:
    """`Tensor(2, 3)` is an uninitialised tensor of that shape, `Tensor([1., 2.])` holds these values.

    Raises: NotImplementedError for a subclass, since the first operation would give back a plain tensor in silence.
    """
    demand(cls is Tensor, "tensor.subclass", kind=NotImplementedError, name=cls.__name__)
    first = _listed(data[0]) if data else 0
    if isinstance(first, TensorBase):
        have = dtypes.of(first._data.dtype)
        need(dtype in (None, have), "new_type", dtype and dtype.c_name, have.c_name)
        return TENSORS.alias(first)
    if isinstance(first, ndarray):
        return as_tensor(first, dtype=dtype or dtypes.get_default_dtype())  # on its memory, if it has the type
    if isinstance(first, str | list | tuple) and not isinstance(first, Size):
        return made(array_of(first).astype(_kind(dtype)))
    need(hasattr(first, "__index__") or isinstance(first, Size), "new_data", type(first).__name__)
    return zeros(*data or (0,), dtype=dtype)


class _TypedTensor(type):
    """The classes of old: called they make a tensor of a type, and its tensors are their instances."""

    dtype: dtypes.dtype

    def __call__(cls, *data: Any) -> Tensor:
        return legacy_tensor(Tensor, *data, dtype=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TensorBase) and instance.dtype is cls.dtype


def _typed_constructor(kind: dtypes.dtype) -> Any:
    doc = f"The constructor of old: a {kind} tensor from values, or of a shape."
    return _TypedTensor(f"{kind.scalar_type}Tensor", (), {"dtype": kind, "__doc__": doc, "__module__": "minigrad"})


FloatTensor, DoubleTensor, HalfTensor = map(_typed_constructor, (dtypes.float32, dtypes.float64, dtypes.float16))
LongTensor, IntTensor, ShortTensor = map(_typed_constructor, (dtypes.int64, dtypes.int32, dtypes.int16))
CharTensor, ByteTensor, BoolTensor = map(_typed_constructor, (dtypes.int8, dtypes.uint8, dtypes.bool))


# ---- filled


def _size_of(given: tuple, size: Any = None) -> tuple:
    """The shape asked for, as `(2, 3)`, as one tuple, list or Size, or as `size=`; tensors may be among them.

    Raises: TypeError for what is no number, RuntimeError for what is negative.
    """
    sizes = ints(given if given and size is None else (tuple(size), *given))
    if any(negative := [n for n in sizes if n < 0]):
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative[0]}: {list(sizes)}")
    return sizes


def at_random(make: Any, sizes: tuple) -> Tensor:
    """What `make(sizes)` draws; under vmap each example may draw its own."""
    return make(sizes) if lifted.get() is None else lifted.get().draw(make, sizes)


def _from_size(name: str, make: Any, doc: str, accepted: tuple = ()) -> Any:
    def create(*shape: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               **options: Any) -> Tensor:
        require(options.keys() <= {*accepted}, f"{name}() takes no {', '.join(options.keys() - accepted)}", TypeError)

        def drawn(sizes: tuple) -> Tensor:
            return made(make(sizes, _kind(dtype), **options), requires_grad, device)

        return (at_random if accepted else operator.call)(drawn, _size_of(shape, size))

    return worded(f"torch.{name}", titled(create, name, doc))


zeros, ones = _from_size("zeros", xp.zeros, "Zeros of a shape."), _from_size("ones", xp.ones, "Ones of a shape.")
empty = _from_size("empty", xp.zeros, "A tensor of a shape whose values mean nothing yet (zeros here).")
rand = _from_size("rand", random.uniform, "Numbers spread evenly over [0, 1), from torch's own stream.", ("generator",))
randn = _from_size("randn", random.normal, "Standard normal numbers, from torch's own stream.", ("generator",))


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`fill_value` in every place of a shape; its type is the tensor's, if none is given."""
    value = fill_value.item() if hasattr(check_number(fill_value, fixed=True), "item") else fill_value
    kind = array_of(value).dtype if dtype is None else _kind(dtype)
    return made(xp.full(_size_of((), tuple(size)), dtypes.fitting(value, kind), kind), requires_grad, device)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    for name, size in (("n", n), ("m", n if m is None else m)):
        require(operator.index(size) >= 0, f"{name} must be greater or equal to 0, got {size}")
    return made(xp.eye(n, m, dtype=_kind(dtype)), requires_grad, device)


def arange(start: Any = None, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None,
           requires_grad: bool = False) -> Tensor:
    """`start`, `start + step`, ... below `end`; int64 if all are ints."""
    start, end = (0, start) if end is None else (0 if start is None else start, end)
    start, end, step = (v.item() if isinstance(v, TensorBase | xp.integer) else v for v in (start, end, step))
    whole = all(isinstance(v, int) for v in (start, end, step))
    kind = _kind(dtype, dtypes.int64 if whole else None)
    dtypes.check_kind("arange_cpu", kind, "fiu")
    require(-math.inf < start < math.inf and -math.inf < end < math.inf, f"unsupported range: {start:g} -> {end:g}")
    if kind == "int64" and not whole:
        start, end, step = map(int, (start, end, step))
    require(step, "step must be nonzero")
    require((end - start) * step >= 0, "upper bound and lower bound inconsistent with step sign")
    steps = xp.arange(start, end, step)
    if kind.kind == "f" and (start % 1 or step % 1):
        steps = _counted(start, step, steps.size, kind)
    elif kind.kind != "f" and not whole:  # counted in floats, but taken in whole numbers
        steps = int(start) + int(step) * xp.arange(steps.size)
    return made(steps.astype(kind), requires_grad, device)


def _counted(start: float, step: float, size: int, kind: Any) -> Any:
    """`start + step * i` in floats, rounded as torch rounds it: in blocks of 32 bytes, from the first of each."""
    at, width = xp.arange(size, dtype=xp.float64), 32 // kind.itemsize
    values, blocks = random.affine(at, step, start).astype(kind), size - size % (2 * width)
    values[:blocks] = random.affine(at[:blocks] % width, step, values[:blocks:width].repeat(width).astype(at.dtype))
    return values


def linspace(start: float, end: float, steps: int, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    """`steps` numbers evenly from `start` to `end`, both included; torch's rounding."""
    kind = _kind(dtype)
    require(operator.index(steps) >= 0, "number of steps must be non-negative")
    real = kind if kind.kind == "f" else xp.dtype("float64")
    first, last = (real.type(dtypes.cast(float(v), kind)) for v in (start, end))
    step, i = (last - first) / real.type(max(steps - 1, 1)), xp.arange(steps).astype(real)
    front, back = random.affine(i, step, first), random.affine((steps - 1 - i).astype(real), -step, last)
    return made(xp.where(i < (steps // 2 or 1), front, back).astype(kind), requires_grad, device)


def logspace(start: float, end: float, steps: int, base: float = 10.0, **options: Any) -> Tensor:
    """`base` to the powers of `linspace(start, end, steps)`."""
    kind = _kind(options.pop("dtype", None))
    start, end = (start, end) if kind.kind == "f" else (int(start), int(end))
    return made((base**linspace(start, end, steps, dtype=dtypes.float64)._array()).astype(kind), **options)


def _like_given(make: Any, strided: Any = None) -> Any:
    def like(input: Tensor, *args: Any, dtype: Any = None, memory_format: Any = None, **options: Any) -> Tensor:
        options.setdefault("device", device_of(input._data))
        x, dtype = input._array(), dtype or input.dtype
        if lifted.get() is not None:
            return lifted.get().like(input, make(x.shape, *args, dtype=dtype, **options))
        if layout(x) == "C" or memory_format is dtypes.contiguous_format:
            return make(x.shape, *args, dtype=dtype, **options)
        order = memory_order(x)  # the elements follow each other in memory as the original's do
        t = (strided or make)([x.shape[d] for d in order], *args, dtype=dtype, **options)
        t._data = t._data.transpose(RAW.inverse_order((*order,)))
        return t

    name = f"{make.__name__}_like"
    return worded(f"torch.{name}", titled(like, name, f"`{make.__name__}` with the shape and type of `input`."))


def randint(low: Any = None, high: Any = None, size: Any = None, *, generator: Any = None, dtype: Any = None,
            device: Any = None, requires_grad: bool = False) -> Tensor:
    """Integers of `[low, high)`; `randint(high, size)` starts at 0."""
    high, size = (size, high) if size is None else (high, size)
    low, high = ints((0, low if high is None else high) if None in (low, high) else (low, high))
    array = random.integers(_size_of((), tuple(size)), _kind(dtype, dtypes.int64), low, high, generator)
    return made(array, requires_grad, device)


def randperm(n: int, *, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """The numbers 0 .. n-1 in random order."""
    def drawn(sizes: tuple) -> Tensor:
        rows = [random.permutation(sizes[-1], generator, kind) for _ in range(math.prod(sizes[:-1]))]
        return made(xp.stack(rows).reshape(sizes), device=device)

    kind = _kind(dtype, dtypes.int64)
    return at_random(drawn, _size_of((n,)))


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None,
           device: Any = None, requires_grad: bool = False) -> Tensor:
    """Normal numbers; mean and std may be tensors of the result's shape."""
    if size is not None:
        return made(random.normal(_size_of((), tuple(size)), _kind(dtype), mean, std, generator), requires_grad, device)
    if isinstance(mean, TensorBase):
        return (TENSORS.normal_both if isinstance(std, TensorBase) else TENSORS.normal_mean)(mean, std, generator)
    require(isinstance(std, TensorBase), "neither is a tensor", TypeError)
    return TENSORS.normal_std(std, mean, generator)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Indices drawn with the weights that `input` holds, row by row."""
    require(input.ndim in (1, 2), "prob_dist must be 1 or 2 dim")
    kind = input.dtype.scalar_type
    require(input.is_floating_point(), f"multinomial only supports floating-point dtypes for input, got: {kind}")
    return made(random.multinomial(move(input._data, "cpu"), num_samples, replacement, generator), device=input.device)


zeros_like, ones_like, empty_like, full_like = map(_like_given, (zeros.bare, ones.bare, empty.bare, full))
rand_like = _like_given(rand.bare)
randn_like = _like_given(randn.bare, _from_size("randn", functools.partial(random.normal, one_by_one=True), "As torch "
                                           "fills what does not lie in one piece: one by one.", ("generator",)))


def _new(make: Any) -> Any:
    def new(self: Tensor, *size: Any, dtype: Any = None, **options: Any) -> Tensor:
        options.setdefault("device", device_of(self._data))
        t = make(*size, dtype=dtype or self.dtype, **options)
        return t if lifted.get() is None else lifted.get().like(self, t)

    return titled(new, f"new_{make.__name__}", f"`{make.__name__}` in the type of this tensor.")


def new(self: Tensor, *data: Any) -> Tensor:
    """A tensor of this type from values, or of a shape: the constructor of old."""
    return legacy_tensor(Tensor, *data, dtype=self.dtype).to(self.device)


Tensor.__new__ = legacy_tensor  # type: ignore[method-assign]
Tensor.new = new  # type: ignore[attr-defined]
Tensor.multinomial = as_method("multinomial", multinomial)  # type: ignore[attr-defined]
for _make in (full, eye, arange, linspace, logspace, randint, randperm, normal, multinomial, tensor, as_tensor):
    globals()[_make.__name__] = worded(f"torch.{_make.__name__}", _make)
for _make in (zeros, ones, empty, full, tensor):
    setattr(Tensor, f"new_{_make.__name__}", as_method(f"new_{_make.__name__}", _new(_make.bare)))
