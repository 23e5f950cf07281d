"""torch.nn.parameter: where torch keeps Parameter.

Ours stands beside Module, which counts it.
"""

from .module import Parameter as Parameter
