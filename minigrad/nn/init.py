"""torch.nn.init: first values for parameters, torch's numbers for the same seed.

Knows how far values may spread so that they neither fade nor explode from layer to layer.
"""

import math

from ..autograd.grad_mode import no_grad
from ..linalg import qr
from ..ops.checks import titled
from ..text.presentation import need, require, warn


def calculate_gain(nonlinearity: str, param=None) -> float:
    """How much a nonlinearity shrinks values on average, as the factor that makes up for it."""
    if nonlinearity == "leaky_relu":
        known = param is None or (isinstance(param, float | int) and not isinstance(param, bool))
        require(known, f"negative_slope {param} not a valid number", ValueError)
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    need(nonlinearity in gains or nonlinearity.startswith(("linear", "conv", "sigmoid")), "nonlinearity", nonlinearity)
    return gains.get(nonlinearity, 1)


def fans(tensor) -> tuple[int, int]:
    """How many inputs feed one output, and how many outputs one input feeds."""
    need(tensor.ndim >= 2, "fans")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


_calculate_fan_in_and_fan_out = fans  # torch's name, private and yet much used


def uniform_(tensor, a: float = 0.0, b: float = 1.0, generator=None):
    """Even numbers of `[a, b)`."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean: float = 0.0, std: float = 1.0, generator=None):
    """Normal numbers."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor, val: float):
    """One number everywhere."""
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor):
    """Zero everywhere."""
    return constant_(tensor, 0.0)


def ones_(tensor):
    """One everywhere."""
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor, gain: float = 1.0, generator=None):
    """Even numbers whose spread keeps the size of values through layer and gradient (Glorot)."""
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain: float = 1.0, generator=None):
    """As xavier_uniform_, with normal numbers."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))), generator)


def _kaiming_std(tensor, a: float, mode: str, nonlinearity: str) -> float:
    if 0 in tensor.shape:
        warn("empty_init")
        return 0.0
    modes = ["fan_in", "fan_out"]
    require(mode in modes, f"Mode {mode} not supported, please use one of {modes}", ValueError)
    return calculate_gain(nonlinearity, a) / math.sqrt(fans(tensor)[modes.index(mode)])


def kaiming_uniform_(tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator=None):
    """Even numbers whose spread makes up for a relu (He)."""
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator=None):
    """As kaiming_uniform_, with normal numbers."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


@no_grad()
def orthogonal_(tensor, gain: float = 1, generator=None):
    """Rows, or columns where these are fewer, at right angles to each other and of length `gain`."""
    require(tensor.ndim >= 2, "Only tensors with 2 or more dimensions are supported", ValueError)
    if tensor.numel():
        flat = tensor.new_empty(tensor.flatten(1).shape).normal_(0, 1, generator=generator)
        wide = flat.shape[0] < flat.shape[1]
        q, r = qr(flat.t() if wide else flat)
        q = q * r.diagonal().sign()  # as a matrix drawn evenly among the orthogonal ones
        tensor.copy_((q.t() if wide else q).view_as(tensor)).mul_(gain)
    return tensor


def _of_old(name: str, call):
    """What a function was called before 0.4, which torch warns of."""

    def deprecated(*args, **options):
        warn("init_of_old", name, kind=FutureWarning)
        return call(*args, **options)

    return titled(deprecated, name, call.__doc__)


for _name in "uniform normal constant xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal".split():
    globals()[_name] = _of_old(_name, globals()[f"{_name}_"])
