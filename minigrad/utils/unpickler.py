"""Reads the pickle in a file of torch.save, and makes nothing but values.

A pickle is a program for a small stack machine, which may name any function and call it. Here the machine
keeps the few instructions that a state dict needs, and a name means what these tables say: nothing is
imported, whatever the file asks for. Source: torch/_weights_only_unpickler.py.
"""

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from struct import error
from typing import Any, NamedTuple

from .._tensor import Size, Tensor
from ..array import as_strided, device, dtypes
from ..core.graph import bump, constant
from ..nn.parameter import Parameter
from ..text.presentation import error as torch_error, require

Refused = pickle.UnpicklingError


class StorageType(NamedTuple):
    """What `torch.FloatStorage` means in a file: the type of a storage's elements."""

    dtype: dtypes.dtype


class Storage(NamedTuple):
    """The array that owns the memory at which tensors look, and its type."""

    array: Any
    type: StorageType


class AllowedCall(NamedTuple):
    """Something that a file may call, and the exact types of its arguments."""

    function: Callable
    kinds: tuple[type, ...]

    def __call__(self, *args: Any) -> Any:
        known = len(args) <= len(self.kinds) and [*map(type, args)] == [*self.kinds[: len(args)]]
        require(known, f"{self.function.__name__} got other arguments than a file may give it", Refused)
        return self.function(*args)


def _rebuild_tensor_v2(storage: Storage, offset: int, size: tuple, stride: tuple, requires_grad: bool, _: Any) -> Any:
    require({*map(type, size + stride)} <= {int}, "sizes and strides must be whole numbers", Refused)
    t = constant(Tensor, as_strided(storage.array, size, stride, offset))
    t.requires_grad_(requires_grad)
    bump(t)  # torch makes it empty and gives it its storage
    return t


def _encode(text: str, encoding: str) -> bytes:
    require(encoding == "latin1", f"bytes are written as latin1, not {encoding}", Refused)  # no codec is imported
    return text.encode("latin1")


def _key(key: Any) -> Any:
    """The key itself, unless to hash it takes too long or too much of the stack: a tuple of tuples of tuples."""
    deep = isinstance(key, tuple) and any(isinstance(part, tuple) for part in key)
    require(not deep, "a key may not be a tuple of tuples", Refused)
    return key


TORCH: dict[str, Any] = {  # torch's names, in both directions
    "torch._utils._rebuild_tensor_v2": AllowedCall(_rebuild_tensor_v2, (Storage, int, tuple, tuple, bool, OrderedDict)),
    "torch._utils._rebuild_parameter": AllowedCall(lambda t, requires_grad, _: Parameter(t, requires_grad),
                                            (Tensor, bool, OrderedDict)),
    "torch.Size": AllowedCall(Size, (tuple,)), "torch.device": AllowedCall(device, (str, int)),
    **{str(kind): kind for kind in dtypes.ALL},
    **{f"torch.{kind.scalar_type}Storage": StorageType(kind) for kind in dtypes.ALL}}
_PYTHON = {"collections.OrderedDict": AllowedCall(OrderedDict, ()), "_codecs.encode": AllowedCall(_encode, (str, str)),
    "builtins.set": AllowedCall(lambda items: {_key(item) for item in items}, (list,)),
    "builtins.bytes": AllowedCall(bytes, ()), "builtins.bytearray": AllowedCall(bytearray, (bytes,)),
    "builtins.complex": AllowedCall(complex, (float, float))}


def named(module: str, name: str) -> Any:
    """What a name in a file stands for. Raises: UnpicklingError unless it is in a table."""
    path = f"{module.replace('__builtin__', 'builtins')}.{name}"
    if known := TORCH.get(path) or _PYTHON.get(path):
        return known
    said = f"Unsupported global: GLOBAL {path.removeprefix('builtins.')} was not an allowed global by default."
    if module == "torch" and name.endswith("Storage"):
        said = f"Unsupported dtype: {name.removesuffix('Storage')}, of GLOBAL {path}"
    raise torch_error(Refused, "weights_only", said)


class _Instructions(dict):
    def __missing__(self, code: int) -> Any:
        raise Refused(f"Unsupported operand {code}")


_InPython: Any = pickle._Unpickler
_KEPT = """PROTO STOP MARK NONE NEWTRUE NEWFALSE EMPTY_TUPLE EMPTY_LIST EMPTY_DICT BININT BININT1 BININT2 BINFLOAT LONG1
    BINUNICODE TUPLE TUPLE1 TUPLE2 TUPLE3 BINPUT LONG_BINPUT BINGET LONG_BINGET GLOBAL BINPERSID"""


class Unpickler(_InPython):
    """Python's own unpickler, as it is written in Python, less what could do more than make values."""

    dispatch = _Instructions((getattr(pickle, n)[0], _InPython.dispatch[getattr(pickle, n)[0]]) for n in _KEPT.split())

    def __init__(self, code: bytes, persistent_load: Callable[[Any], Storage], *, encoding: str = "") -> None:
        super().__init__(io.BytesIO(code))
        self.persistent_load, self.find_class = persistent_load, named
        self.left = 4 * len(code)  # so many parts may calls copy; else a small file could fill the memory

    def load(self) -> Any:
        """The value that the file describes. Raises: UnpicklingError for whatever is wrong with it."""
        try:
            return super().load()
        except (Refused, ArithmeticError, AttributeError, EOFError, LookupError, TypeError, ValueError, error) as cause:
            ways = ("This file can still be loaded, to do so you have two options, \033[1mdo those steps only if you "
                    "trust the source of the checkpoint\033[0m. ") if "allowed global" in str(cause) else ""
            text = f"Weights only load failed. {ways}\nWeightsUnpickler error: {cause or type(cause).__name__}"
            raise torch_error(Refused, "weights_only", text) from None

    def reduce(self) -> None:
        args, called = self.stack.pop(), self.stack.pop()
        known = type(called) is AllowedCall and type(args) is tuple
        require(known, "Trying to call reduce for unrecognized function", Refused)
        self.left -= sum(len(part) for part in args if type(part) in (str, bytes, list, tuple))
        require(self.left >= 0, "the same parts are copied again and again", Refused)
        self.append(called(*args))

    def build(self) -> None:
        state, built = self.stack.pop(), self.stack[-1]  # the `_metadata` of a state dict
        known = type(built) is OrderedDict and type(state) is dict and not any(hasattr(built, name) for name in state)
        require(known, f"Can only build OrderedDict, but got {type(built)}", Refused)
        built.__dict__.update(state)

    def extend(self, items: list) -> None:
        require(type(self.stack[-1]) is list, f"Can only extend lists, but got {type(self.stack[-1])}", Refused)
        self.stack[-1].extend(items)

    def update(self, items: list) -> None:
        kind = type(self.stack[-1])
        require(kind in (dict, OrderedDict), f"Can only set items of dict and OrderedDict, but got {kind}", Refused)
        self.stack[-1].update((_key(key), value) for key, value in zip(items[::2], items[1::2], strict=True))

    dispatch.update({pickle.REDUCE[0]: reduce, pickle.BUILD[0]: build,
        pickle.APPEND[0]: lambda self: self.extend([self.stack.pop()]),
        pickle.APPENDS[0]: lambda self: self.extend(self.pop_mark()),
        pickle.SETITEM[0]: lambda self: self.update([self.stack.pop(), self.stack.pop()][::-1]),
        pickle.SETITEMS[0]: lambda self: self.update(self.pop_mark())})
