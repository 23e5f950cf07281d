"""torch.nn.parameter: where torch keeps Parameter."""

from .module import Parameter as Parameter
