"""minigrad: PyTorch's autograd in NumPy, with its graph in sight.

`import minigrad as torch` runs PyTorch's autograd lessons. `draw(t)` shows the graph, `step(loss)`
walks backward through it, `why(t)` says why a gradient is missing. This file is only the index.
"""

import warnings as _warnings
from contextlib import suppress as _suppress
from math import e, inf, nan, pi
from types import SimpleNamespace as _Namespace

# NumPy warns of overflow and division by zero, PyTorch is silent; errstate per operation is too slow.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad(\.|$)")

with _suppress(ModuleNotFoundError):  # only speed is lost without it
    from .quick import leave_out as _leave_out

from . import _foreign, _tensor, array, autograd, random
from ._tensor import Size, Tensor
from .array.backend import device
from .array.dtypes import (bool, can_cast, contiguous_format, double, dtype, finfo, float, float16, float32, float64,
    get_default_dtype, half, iinfo, int, int8, int16, int32, int64, layout, long, memory_format, preserve_format,
    promote_types, set_default_dtype, short, strided, uint8)
from .array.printing import set_printoptions
from .autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .core.graph import AccumulateGrad as _AccumulateGrad
from .core.modes import is_grad_enabled, is_inference_mode_enabled, slow
from .creation import (BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor,
    LongTensor, ShortTensor, arange, as_tensor, asarray, empty, empty_like, eye, from_numpy, full, full_like,
    is_tensor, linspace, logspace, multinomial, normal, ones, ones_like, rand, rand_like, randint, randn, randn_like,
    randperm, result_type, tensor, zeros, zeros_like)
from .graph import tracebacks as _tracebacks
from .manual import document as _document, furnish as _furnish
from .wording import as_function as _as_function
from .random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .text import get_language, presentation, set_language

_foreign.warn_of_foreign()
presentation.Presentation.tensor_text = staticmethod(_tensor.tensor_text)

# Functions that are methods too: `torch.exp(x)` is `x.exp()`.
for _name in _tensor.FUNCTIONS:
    globals()[_name] = _as_function(_name, getattr(Tensor, _name))
globals().update(_tensor.ONLY_FUNCTIONS)
for _name in (*_tensor.FUNCTIONS, "Size", "device", "finfo", "iinfo"):
    globals()[_name].__module__ = __name__  # where pickle finds it, and as torch says these types in errors


def _explain(*given) -> None:
    from .graph import notes  # reads programs: no program that never fails needs it

    notes.explain(*given)


presentation.explain = _explain
_tracebacks.install()
full_tracebacks = _tracebacks.full_tracebacks

_LAZY = {name: part for part, names in {
    "viz": "draw step compare save_page why doctor paths watch nudge training versions detective", "graph": "broken",
    "eras": "era current_era", "eras.alias": "install_as_torch uninstall_torch", "magics": "load_ipython_extension",
    "func": "vmap", "utils.serialization": "save load", "backends": "set_num_threads get_num_threads "
    "use_deterministic_algorithms are_deterministic_algorithms_enabled"}.items() for name in names.split()}


# Loaded when first asked for: a lesson on autograd needs few of them.
_PARTS = "autograd backends cuda eras func lessons linalg nn optim random special utils".split()


def __getattr__(name: str):
    from importlib import import_module

    if name == "__all__":
        return sorted({*__dir__()} - {*_PARTS})  # as in torch
    if name == "__version__":
        return presentation.current.version
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    if name in _PARTS:
        return import_module(f".{name}", __name__)
    functions = import_module(".nn.functional", __name__)  # `torch.softmax` and the like
    if name in functions.TORCH_FUNCTIONS:
        return getattr(functions, name)
    return presentation.no_attribute("torch", __dir__(), name)


def __dir__() -> list[str]:
    from .nn.functional import TORCH_FUNCTIONS

    own = (name for name, value in globals().items() if name[0] != "_" and type(value) is not type(presentation))
    return sorted({*own, *_LAZY, *_PARTS, *TORCH_FUNCTIONS})


_C = _Namespace(_functions=_Namespace(AccumulateGrad=_AccumulateGrad))  # where torch keeps the class

del array  # `torch.array` is NumPy's word: it is told of `torch.tensor`
_document([*globals().values(), Tensor.__base__])
_furnish(random)
