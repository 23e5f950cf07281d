"""CuPy's rules with NumPy's numbers: what no machine without a GPU could otherwise try.

`ndarray` here is no `numpy.ndarray`. As CuPy's it never becomes one by itself, meets arrays of the
host only by an error, stays an array with 0 dimensions, and has the functions, methods and
parameters that `data/cupy.json` names, no others. Numbers come from NumPy, so they say nothing of
a GPU's rounding, order of additions, or of indices out of range, which CuPy wraps around.
"""

import contextlib
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np

API = json.loads((Path(__file__).parent / "data/cupy.json").read_text("utf-8"))
FUNCTIONS, METHODS, UFUNC_METHODS = API["functions"], API["ndarray"], API["ufunc methods"]
VIEWS = ("T", "mT", "real", "imag")


class ndarray:
    """An array on the device that is not there."""

    __slots__ = ("_base", "_host", "data")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, host, base=None):
        self._host, self._base = host, base
        self.data = SimpleNamespace(ptr=host.__array_interface__["data"][0])

    def __getattr__(self, name):
        if name.startswith("__") or name not in METHODS:
            raise AttributeError(f"'ndarray' object has no attribute '{name}'")
        value = getattr(self._host, name)
        if name == "flat":
            return (wrapped(v) for v in value)
        if not callable(value):
            return wrapped(value, self) if name in VIEWS else value

        def method(*args, **options):
            allowed("ndarray." + name, METHODS[name], options)
            return wrapped(value(*bare(args), **bare(options)), self)

        return method

    device = property(lambda self: SimpleNamespace(id=0))
    base = property(lambda self: self._base)

    def get(self):
        return self._host.copy()

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. "
                        "Please use `.get()` to construct a NumPy array explicitly.")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        name = ufunc.__name__
        if FUNCTIONS.get(name) != "ufunc" and name != "matmul":
            return NotImplemented
        if method != "__call__" and name not in UFUNC_METHODS[method]:
            raise NotImplementedError(f"`cupy_{name}.{method}` is not supported yet")
        if "where" in options:
            raise TypeError("Wrong arguments {'where': ...}")
        if method == "at":
            return ufunc.at(bare(inputs[0]), bare(inputs[1], indices=True), *bare(inputs[2:]))
        result = getattr(ufunc, method)(*bare(inputs), **bare(options))
        if "out" in options:
            return options["out"][0]
        return wrapped(result)

    def __array_function__(self, function, types, args, options):
        room = function.__module__.split(".", 1)
        name = ".".join([*room[1:], function.__name__])
        if name not in FUNCTIONS:
            return NotImplemented
        allowed(name, FUNCTIONS[name], options)
        result = wrapped(function(*bare(args), **bare(options)), *arrays(args))
        if name == "broadcast_to":  # CuPy's may be written to
            result._host = np.lib.stride_tricks.as_strided(args[0]._host, result.shape, result.strides)
        return result

    def __getitem__(self, index):
        return wrapped(self._host[bare(index, indices=True)], self)

    def __setitem__(self, index, value):
        self._host[bare(index, indices=True)] = bare(value)

    def __format__(self, how):
        return format(self._host[()], how)

    def __str__(self):
        return str(self._host)

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __bool__(self):
        return bool(self._host)

    def __int__(self):
        return int(self._host)

    def __float__(self):
        return float(self._host)


def operator(name):
    """A method of arithmetic; in place it changes the array itself."""

    def method(self, *others):
        result = getattr(self._host, name)(*bare(others))
        if result is NotImplemented or name[2:] in ("iadd", "isub", "imul", "itruediv"):
            return result if result is NotImplemented else self
        return wrapped(result)

    return method


for _name in ("add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()):
    for _kind in ("", "r"):
        setattr(ndarray, f"__{_kind}{_name}__", operator(f"__{_kind}{_name}__"))
for _name in "eq ne lt le gt ge neg pos abs invert iadd isub imul itruediv divmod rdivmod".split():
    setattr(ndarray, f"__{_name}__", operator(f"__{_name}__"))


def allowed(name, parameters, options):
    """Complain of what CuPy's function does not take."""
    for option in options:
        if isinstance(parameters, list) and option not in parameters:
            raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")


def arrays(values):
    """The device's arrays among arguments, in lists too."""
    for value in values:
        if isinstance(value, ndarray):
            yield value
        elif isinstance(value, list | tuple):
            yield from arrays(value)


def bare(value, indices=False):
    """The same with NumPy's arrays instead of the device's. Raises: TypeError for the host's own."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray) and value.ndim and not indices:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(value, list | tuple):
        return type(value)(bare(v, indices) for v in value)
    return {n: bare(v) for n, v in value.items()} if isinstance(value, dict) else value


def wrapped(value, *sources):
    """Arrays of a result on the device, views with their base; a number becomes a 0-d array."""
    if isinstance(value, list | tuple):
        parts = [wrapped(v, *sources) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if not isinstance(value, np.ndarray | np.generic):
        return value
    host = np.asarray(value)
    for source in sources:
        if host.size and np.may_share_memory(host, source._host):
            return ndarray(host, source if source._base is None else source._base)
    return ndarray(host)


class Module(ModuleType):
    """What `import cupy` would bring."""

    ndarray = ndarray
    cuda = SimpleNamespace(Device=lambda index=None: contextlib.nullcontext(),
                           runtime=SimpleNamespace(getDeviceCount=lambda: 1, deviceSynchronize=lambda: None))
    lib = SimpleNamespace(stride_tricks=SimpleNamespace(
        as_strided=lambda x, shape, strides: ndarray(
            np.lib.stride_tricks.as_strided(x._host, shape, strides))))

    def __getattr__(self, name):
        if name not in FUNCTIONS:
            raise AttributeError(f"module 'cupy' has no attribute '{name}'")

        def function(*args, **options):
            allowed(name, FUNCTIONS[name], options)
            return wrapped(getattr(np, name)(*bare(args), **bare(options)), *arrays(args))

        return function

    @staticmethod
    def asarray(array, dtype=None):
        if isinstance(array, ndarray) and dtype is None:
            return array
        return ndarray(np.array(getattr(array, "_host", array), dtype))


def install(monkeypatch):
    """Let `device="cuda"` find it, for the length of a test."""
    monkeypatch.setitem(sys.modules, "cupy", Module("cupy"))
