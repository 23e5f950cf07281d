"""The modules of torch.nn: containers, layers with parameters, and tables of the rest.

Layers with parameters are classes; activations, pools and losses only hold the options of a function,
so they are rows: name, function, options with defaults, and which of them the module prints.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partialmethod, update_wrapper
from itertools import groupby
from types import FunctionType
from typing import Any

from .._tensor import Tensor
from ..creation import empty, full, tensor
from ..ops.checks import need, require
from . import functional, init
from .module import Module, Parameter


def _option(module: Module, name: str):
    """An option as it was given, NumPy's numbers as plain ones; `bias` may be a tensor by now, or None."""
    value = getattr(module, name)
    return value is not None and value is not False if name == "bias" else getattr(value, "item", lambda: value)()


def _shown_options(module: Module, names: str, **usual) -> str:
    """Options as they are printed: `name=value`, after a `-` the value alone; then those that are not as `usual`."""
    shown = [str(_option(module, n[1:])) if n[0] == "-" else f"{n}={_option(module, n)!r}" for n in names.split()]
    return ", ".join(shown + [f"{n}={_option(module, n)}" for n, value in usual.items() if _option(module, n) != value])


# ---- containers


class Identity(Module):
    """Returns what it gets."""

    def __init__(self, *args, **options) -> None:
        super().__init__()

    def forward(self, input):
        """The input itself."""
        return input


class _Numbered(Module):
    """What a module finds by number: modules, or parameters."""

    not_many: Any = ()  # what is no list of them, though Python could take it apart

    def _names(self) -> list[str]:
        return list(self._modules)

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._names()])

    def _name(self, index: int) -> str:
        index, names = operator.index(index), self._names()
        require(-len(names) <= index < len(names), f"index {index} is out of range", IndexError)
        return names[index]

    def __getitem__(self, index):
        return type(self)([*self][index]) if isinstance(index, slice) else getattr(self, self._name(index))

    def __setitem__(self, index: int, value) -> None:
        setattr(self, self._name(index), value)

    def append(self, value) -> _Numbered:
        """Add one at the end."""
        self.add_module(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> _Numbered:
        """Add several at the end. Raises: TypeError for what is no iterable."""
        fits = isinstance(values, Iterable) and not isinstance(values, self.not_many)
        need(fits, "list_extend", type(self).__name__, type(values).__name__)
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend


class _List(_Numbered):
    """Modules by number."""

    def _edit(self, change: Callable[[list], Any]) -> None:
        """Change the list of the modules, then number them anew."""
        modules = list(self)
        change(modules)
        self._modules = Sequential(*modules)._modules

    def __delitem__(self, index) -> None:
        at = index if isinstance(index, slice) else [*self._modules].index(self._name(index))
        self._edit(lambda modules: modules.__delitem__(at))

    def pop(self, key):
        """Take one out, and return it."""
        value = self[key]
        del self[key]
        return value

    def insert(self, index: int, module: Module):
        """Put a module before another one."""
        self._edit(lambda modules: modules.insert(index, module))

    def __add__(self, other: Iterable[Module]) -> _List:
        return ModuleList().extend([*self, *other])


class Sequential(_List):
    """Modules one after the other: each gets what the one before returned."""

    def __init__(self, *args) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict([*self._modules.items()][index]))  # they keep their names
        return super().__getitem__(index)

    def insert(self, index: int, module: Module) -> Sequential:
        """Put a module before another one; returns itself."""
        require(abs(index) <= len(self), f"Index out of range: {index}", IndexError)
        super().insert(index, module)
        return self

    def __iadd__(self, other: Sequential) -> Sequential:
        need(isinstance(other, Sequential), "sequential_add", type(other))
        return self.extend([*other])

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self).__iadd__(other)

    def __mul__(self, other: int) -> Sequential:
        require(isinstance(other, int), f"unsupported operand type(s) for *: {type(self)} and {type(other)}", TypeError)
        require(other > 0, f"Non-positive multiplication factor {other} for {type(self)}", ValueError)
        return Sequential(*[*self] * other)

    __rmul__ = __mul__

    def forward(self, input):
        """The input, passed through each module in turn."""
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_List):
    """A list of modules whose parameters are found."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def _parts(self) -> list[tuple[str, str]]:
        """Equal neighbours are printed once: `(0-2): 3 x Linear(...)`."""
        runs = ([*run] for _, run in groupby(enumerate(map(repr, self)), operator.itemgetter(1)))
        return [(f"{a}", text) if a == b else (f"{a}-{b}", f"{b - a + 1} x {text}")
                for a, b, text in ((run[0][0], *run[-1]) for run in runs)]


class ModuleDict(Module):
    """Modules by name: it is read as the dict `_modules` is."""

    def __init__(self, modules=None) -> None:
        super().__init__()
        self.update(() if modules is None else modules)

    def update(self, modules) -> None:
        """Add the modules of a dict, or of pairs, to these."""
        need(isinstance(modules, Iterable), "module_dict_update", type(modules).__name__)
        for i, pair in enumerate(modules.items() if isinstance(modules, Mapping | ModuleDict) else modules):
            need(isinstance(pair, Iterable), "module_dict_element", i, type(pair).__name__)
            need(len(pair) == 2, "module_dict_pair", i, len(pair))
            self.add_module(*pair)

    __setitem__ = Module.add_module


def _passed_on(kind: type, held: str, names: str) -> None:
    """To a dict, which is another one for each module: hence properties."""
    for name in names.split():
        setattr(kind, name, property(operator.attrgetter(f"{held}.{name}")))


_passed_on(ModuleDict, "_modules", "__getitem__ __delitem__ __len__ __iter__ __contains__ keys items values pop clear")


class ParameterList(_Numbered):
    """A list of parameters, which are found; a tensor put in becomes a Parameter, other things stay as they are."""

    not_many = Tensor

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(() if values is None else values)

    def _names(self) -> list[str]:
        return [*map(str, range(self._size))]

    def __setitem__(self, index: int, value) -> None:
        super().__setitem__(index, _as_parameter(value))

    def append(self, value) -> _Numbered:
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extra_repr(self) -> str:
        return _described(enumerate(self), "dtype")

    def __call__(self, *args, **options):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name, which are found; a tensor put in becomes a Parameter."""

    def __init__(self, parameters=None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update(() if parameters is None else parameters)

    def _name(self, key: str) -> str:
        need(isinstance(key, str), "parameter_key", type(key).__name__)
        return key

    def __setitem__(self, key: str, value) -> None:
        setattr(self, self._name(key), _as_parameter(value))
        self._keys[key] = None

    def __getitem__(self, key: str):
        return getattr(self, self._name(key))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def clear(self) -> None:
        """Take all out."""
        for key in [*self._keys]:
            del self[key]

    @property
    def _held(self) -> dict[str, Any]:
        return {key: self[key] for key in self._keys}

    def update(self, parameters) -> None:
        """Add the values of a mapping, or of pairs, to these."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for key, value in sorted(pairs) if type(parameters) is dict else pairs:  # as torch, by name
            self[key] = value

    pop = _List.pop

    def extra_repr(self) -> str:
        return _described(self.items(), "type")

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")


_passed_on(ParameterDict, "_held", "__len__ __iter__ __contains__ keys values items get")


def _as_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _described(values: Iterable[tuple[Any, Any]], kind: str) -> str:
    """How the containers of parameters print what they hold: a list by its `dtype`, a dict by its `type()`."""
    lines = []
    for name, value in values:
        text = f"Object of type: {type(value).__name__}"
        if isinstance(value, Tensor):
            size, held = "x".join(map(str, value.shape)), value.type() if kind == "type" else value.dtype
            text = f"{type(value).__name__} containing: [{held} of size {size}]"
        lines.append(f"  ({name}): {text}")
    return "\n".join(lines)


# ---- layers with parameters


class _Weighted(Module):
    """A layer with parameters of given sizes; by itself it starts `weight` and `bias` as torch's linear maps do."""

    def _start(self, device, dtype, **sizes) -> None:
        """Make the parameters of these sizes, None where one is not wanted, and draw their first values."""
        for name, size in sizes.items():
            self.register_parameter(name, Parameter(empty(size, dtype=dtype)) if size else None)
        self.reset_parameters()
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        """Draw weight and bias evenly, in bounds that shrink with the number of inputs."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = init.fans(self.weight)[0]
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)


class Linear(_Weighted):
    """`x @ weight.T + bias`, from `in_features` numbers to `out_features`."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._start(device, dtype, weight=(out_features, in_features), bias=bias and (out_features,))

    def forward(self, input):
        """`nn.functional.linear` with the own weight and bias."""
        return functional.linear(input, self.weight, self.bias)

    extra_repr = partialmethod(_shown_options, "in_features out_features bias")


class _OwnInit:
    """Its classes here have an `__init__` each, as torch writes them, which refusals name."""

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith(__package__) and "__init__" not in vars(cls):
            made: Any = cls.__init__
            own = FunctionType(made.__code__, made.__globals__, "", made.__defaults__, made.__closure__)
            cls.__init__ = update_wrapper(own, made)  # type: ignore[method-assign]
            own.__qualname__ = f"{cls.__name__}.__init__"


class _Conv(_OwnInit, _Weighted):
    """What Conv1d and Conv2d share."""

    dims: int

    def __init__(self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0, dilation=1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device=None, dtype=None) -> None:
        super().__init__()
        require(groups > 0, "groups must be a positive integer", ValueError)
        require(in_channels % groups == 0, "in_channels must be divisible by groups", ValueError)
        require(out_channels % groups == 0, "out_channels must be divisible by groups", ValueError)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = (
            functional.tuple_of(v, self.dims) for v in (kernel_size, stride, dilation))
        need(not isinstance(padding, str) or padding in ("same", "valid"), "padding_string", padding)
        need(padding != "same" or {*self.stride} == {1}, "same_stride")
        modes = {"zeros", "reflect", "replicate", "circular"}
        require(padding_mode in modes, f"padding_mode must be one of {modes}, but got {padding_mode=}", ValueError)
        self.padding = padding if isinstance(padding, str) else functional.tuple_of(padding, self.dims)
        self.padding_mode = padding_mode
        sizes = (out_channels, in_channels // groups, *self.kernel_size)
        self._start(device, dtype, weight=sizes, bias=bias and (out_channels,))

    def forward(self, input):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = functional.pad(input, self._around(), self.padding_mode), 0
        convolve = functional.conv1d if self.dims == 1 else functional.conv2d
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _around(self) -> tuple[int, ...]:
        """The padding as `pad` takes it, the last dimension first; an odd cell more of "same" on the right."""
        if self.padding == "same":
            both = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        else:
            both = [2 * n for n in functional.tuple_of(0 if self.padding == "valid" else self.padding, self.dims)]
        return tuple(n for b in reversed(both) for n in (b // 2, b - b // 2))

    def extra_repr(self) -> str:
        return _shown_options(self, "-in_channels -out_channels kernel_size stride", padding=(0,) * self.dims,
                              dilation=(1,) * self.dims, groups=1, bias=True, padding_mode="zeros")


class Conv1d(_Conv):
    """Filters slid over sequences `(batch, channels, length)`."""

    dims = 1


class Conv2d(_Conv):
    """Filters slid over images `(batch, channels, height, width)`."""

    dims = 2


class Embedding(Module):
    """A learned row for each of `num_embeddings` numbers."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                 sparse: bool = False, _weight=None, _freeze: bool = False, device=None, dtype=None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else functional.row_of(padding_idx, num_embeddings)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        given = empty((num_embeddings, embedding_dim), dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(given, not _freeze)
        if _weight is None:
            self.reset_parameters()
        if device is not None:
            self.to(device)

    @classmethod
    def from_pretrained(cls, embeddings, freeze: bool = True, **options) -> Embedding:
        """An embedding on rows that are there already; `freeze` keeps training from changing them."""
        return cls(*embeddings.shape, **options, _weight=embeddings, _freeze=freeze)

    def reset_parameters(self) -> None:
        """Draw every row, but for that of `padding_idx`, which is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.data[self.padding_idx])

    def forward(self, input):
        """The rows that the indices name."""
        return functional.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                                    self.scale_grad_by_freq, self.sparse)

    extra_repr = partialmethod(_shown_options, "-num_embeddings -embedding_dim", padding_idx=None, max_norm=None,
                               norm_type=2, scale_grad_by_freq=False, sparse=False)


class _Norm(_Weighted):
    """A layer that normalises, then scales by `weight` and moves by `bias` where these are wanted."""

    def _start_alike(self, device, dtype, sizes, bias: bool) -> None:
        """Both of the same sizes; without a weight there is no bias."""
        self._start(device, dtype, weight=sizes, bias=bias and sizes)

    def reset_parameters(self) -> None:
        """Scale by 1, move by 0, know of no batch."""
        for name, t in (*self.named_parameters(), *self.named_buffers()):
            init.constant_(t, int(name in ("weight", "running_var")))


class _BatchNorm(_Norm):
    """Normalises each channel: by its batch in training, by running statistics in evaluation."""

    ranks: tuple[int, ...]

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device=None, dtype=None, *, bias: bool = True) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name in ("running_mean", "running_var"):
            self.register_buffer(name, empty(num_features, dtype=dtype) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)
        self._start_alike(device, dtype, affine and (num_features,), bias)

    def forward(self, input):
        if input.dim() not in self.ranks:
            raise ValueError(f"expected {' or '.join(f'{n}D' for n in self.ranks)} input (got {input.ndim}D input)")
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            momentum = 1.0 / float(self.num_batches_tracked) if self.momentum is None else momentum
        batch, follow = self.training or self.running_mean is None, self.track_running_stats or not self.training
        running = (self.running_mean, self.running_var) if follow else (None, None)
        return functional.batch_norm(input, *running, self.weight, self.bias, batch, momentum, self.eps)

    extra_repr = partialmethod(_shown_options, "-num_features eps momentum affine bias track_running_stats")


class BatchNorm1d(_BatchNorm):
    """Batch norm of `(batch, channels)` or `(batch, channels, length)`."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch norm of `(batch, channels, height, width)`."""

    ranks = (4,)


class LayerNorm(_Norm):
    """Normalises the last dimensions of each example."""

    def __init__(self, normalized_shape, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
                 device=None, dtype=None) -> None:
        super().__init__()
        self.normalized_shape = functional.tuple_of(normalized_shape, 1)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._start_alike(device, dtype, elementwise_affine and self.normalized_shape, bias)

    def forward(self, input):
        """`nn.functional.layer_norm` with the own weight and bias."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    extra_repr = partialmethod(_shown_options, "-normalized_shape eps elementwise_affine bias")


class GroupNorm(_Norm):
    """Normalises groups of channels of each example."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
                 device=None, dtype=None, *, bias: bool = True) -> None:
        super().__init__()
        need(num_channels % num_groups == 0, "group_channels", num_channels, num_groups)
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._start_alike(device, dtype, affine and (num_channels,), bias)

    def forward(self, input):
        """`nn.functional.group_norm` with the own weight and bias."""
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    extra_repr = partialmethod(_shown_options, "-num_groups -num_channels eps affine bias")


class PReLU(Module):
    """x where positive, else a learned slope times x."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(full((num_parameters,), float(init), device=device, dtype=dtype))

    def forward(self, input):
        """`nn.functional.prelu` with the own slopes."""
        return functional.prelu(input, self.weight)

    extra_repr = partialmethod(_shown_options, "num_parameters")


class Dropout(Module):
    """In training, zero with probability `p`, the rest scaled by 1 / (1 - p)."""

    drop: Callable = staticmethod(functional.dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = functional.checked_p(p), inplace

    def forward(self, input):
        """The input thinned out in training, unchanged in evaluation."""
        return self.drop(input, self.p, self.training, self.inplace)

    extra_repr = partialmethod(_shown_options, "p inplace")


class Dropout2d(Dropout):
    """As Dropout, for whole channels."""

    drop = staticmethod(functional.dropout2d)


# ---- the tables


def _layer(name: str, function: Callable, shown: str = "", /, inputs: int = 1, **options) -> type[Module]:
    """A module that calls `function(*inputs, **options)`; it prints the options named in `shown`, `inplace` if true.

    Where none are given, the options are the function's own. Weights are buffers, to be saved and moved.
    """
    own = list(inspect.signature(function).parameters.values())
    options = options or {p.name: ... if p.default is p.empty else p.default for p in own[inputs:]}
    owner = f"_{name[:-2]}Nd" if name.startswith(("Max", "Adaptive")) else name  # torch's pools have one for all
    taken, kept = _taker(f"{owner}.__init__", options), options.keys() - {"size_average", "reduce"}
    arguments = _taker(f"{name}.forward", {p.name.replace("self", "input"): ... for p in own[:inputs]})

    def __init__(self, *args, **given) -> None:
        Module.__init__(self)
        values = taken(self, *args, **given)
        del values["self"]
        if "kernel_size" in options and values["stride"] is None:
            values["stride"] = values["kernel_size"]
        if name == "TripletMarginLoss":
            need(values["margin"] > 0, "triplet_margin", values["margin"])
        if "size_average" in options:
            flags = [values.pop(name) for name in ("size_average", "reduce")]
            values["reduction"] = functional.legacy_reduction(values["reduction"], *flags)
        for key, value in values.items():
            if key in ("weight", "pos_weight"):
                self.register_buffer(key, value)
            else:
                as_tuple = name == "AvgPool1d" and key in shown.split()
                self.__dict__[key] = functional.tuple_of(value, 1) if as_tuple else value

    def forward(self, *given, **named):
        values = given if len(given) == inputs and not named else [*arguments(self, *given, **named).values()][1:]
        return function(*values, **{n: getattr(self, n) for n in kept})

    always = shown.removesuffix("inplace")
    extra_repr = partialmethod(_shown_options, always, **({} if always == shown else {"inplace": False}))
    word = getattr(function, "__name__", "").replace("<lambda>", "") or name.lower()
    doc = f"`{name}` as a module; see `{'nn.functional' if hasattr(functional, word) else 'Tensor'}.{word}`."
    body = {"__init__": __init__, "forward": forward, "extra_repr": extra_repr, "__module__": __name__, "__doc__": doc}
    return type(name, (Module,), body)


def _taker(name: str, options: dict[str, Any]) -> Callable:
    """What takes the arguments of a layer's method `name`, as a dict; Python refuses those that do not fit."""
    listed = ", ".join(n if default is ... else f"{n}=options[{n!r}]" for n, default in options.items())
    taken = eval(f"lambda self, {listed}: locals()", {"options": options})
    taken.__qualname__ = name
    return taken


ReLU        = _layer("ReLU", functional.relu, "inplace")
ReLU6       = _layer("ReLU6", functional.relu6, "inplace")
LeakyReLU   = _layer("LeakyReLU", functional.leaky_relu, "negative_slope inplace")
ELU         = _layer("ELU", functional.elu, "alpha inplace")
SELU        = _layer("SELU", functional.selu, "inplace")
CELU        = _layer("CELU", functional.celu, "alpha inplace")
SiLU        = _layer("SiLU", functional.silu, "inplace")
Mish        = _layer("Mish", functional.mish, "inplace")
Hardtanh    = _layer("Hardtanh", functional.hardtanh, "min_val max_val inplace")
Hardsigmoid = _layer("Hardsigmoid", functional.hardsigmoid)
Hardswish   = _layer("Hardswish", functional.hardswish)
GELU        = _layer("GELU", functional.gelu, "approximate")
Softplus    = _layer("Softplus", functional.softplus, "beta threshold", beta=1.0, threshold=20.0)
Threshold   = _layer("Threshold", functional.threshold, "threshold value inplace")
Hardshrink  = _layer("Hardshrink", functional.hardshrink, "-lambd")
Softshrink  = _layer("Softshrink", functional.softshrink, "-lambd")
GLU         = _layer("GLU", functional.glu, "dim")
Softmax     = _layer("Softmax", functional.softmax, "dim")
LogSoftmax  = _layer("LogSoftmax", functional.log_softmax, "dim")
Softmin     = _layer("Softmin", functional.softmin, "dim")
Sigmoid     = _layer("Sigmoid", functional.sigmoid)
Tanh        = _layer("Tanh", functional.tanh)
LogSigmoid  = _layer("LogSigmoid", functional.logsigmoid)
Softsign    = _layer("Softsign", functional.softsign)
Tanhshrink  = _layer("Tanhshrink", functional.tanhshrink)
Flatten     = _layer("Flatten", Tensor.flatten, "start_dim end_dim", start_dim=1, end_dim=-1)
Unflatten   = _layer("Unflatten", lambda x, dim, unflattened_size: x.unflatten(dim, unflattened_size),
                     "dim unflattened_size")

_max = {"kernel_size": ..., "stride": None, "padding": 0, "dilation": 1, "return_indices": False, "ceil_mode": False}
MaxPool1d = _layer("MaxPool1d", functional.max_pool1d, "kernel_size stride padding dilation ceil_mode", **_max)
MaxPool2d = _layer("MaxPool2d", functional.max_pool2d, "kernel_size stride padding dilation ceil_mode", **_max)
AvgPool1d = _layer("AvgPool1d", functional.avg_pool1d, "kernel_size stride padding")
AvgPool2d = _layer("AvgPool2d", functional.avg_pool2d, "kernel_size stride padding")
AdaptiveAvgPool1d = _layer("AdaptiveAvgPool1d", functional.adaptive_avg_pool1d, "output_size")
AdaptiveAvgPool2d = _layer("AdaptiveAvgPool2d", functional.adaptive_avg_pool2d, "output_size")
AdaptiveMaxPool1d = _layer("AdaptiveMaxPool1d", functional.adaptive_max_pool1d, "output_size")
AdaptiveMaxPool2d = _layer("AdaptiveMaxPool2d", functional.adaptive_max_pool2d, "output_size")
CosineSimilarity  = _layer("CosineSimilarity", functional.cosine_similarity, inputs=2)

MSELoss             = _layer("MSELoss", functional.mse_loss, inputs=2)
L1Loss              = _layer("L1Loss", functional.l1_loss, inputs=2)
SmoothL1Loss        = _layer("SmoothL1Loss", functional.smooth_l1_loss, inputs=2)
HuberLoss           = _layer("HuberLoss", functional.huber_loss, inputs=2)
KLDivLoss           = _layer("KLDivLoss", functional.kl_div, inputs=2)
SoftMarginLoss      = _layer("SoftMarginLoss", functional.soft_margin_loss, inputs=2)
PoissonNLLLoss      = _layer("PoissonNLLLoss", functional.poisson_nll_loss, inputs=2)
GaussianNLLLoss     = _layer("GaussianNLLLoss", functional.gaussian_nll_loss, inputs=3)
HingeEmbeddingLoss  = _layer("HingeEmbeddingLoss", functional.hinge_embedding_loss, inputs=2)
MarginRankingLoss   = _layer("MarginRankingLoss", functional.margin_ranking_loss, inputs=3)
CosineEmbeddingLoss = _layer("CosineEmbeddingLoss", functional.cosine_embedding_loss, inputs=3)
TripletMarginLoss   = _layer("TripletMarginLoss", functional.triplet_margin_loss, inputs=3)
BCELoss             = _layer("BCELoss", functional.binary_cross_entropy, inputs=2)
BCEWithLogitsLoss   = _layer("BCEWithLogitsLoss", functional.binary_cross_entropy_with_logits, inputs=2)
NLLLoss             = _layer("NLLLoss", functional.nll_loss, inputs=2)
CrossEntropyLoss    = _layer("CrossEntropyLoss", functional.cross_entropy, inputs=2)
