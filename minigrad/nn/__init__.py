"""torch.nn: layers, losses and their functions.

`module` is what a layer is, `layers` the layers, `functional` what they compute, `init` how they begin.
"""

from ..ops.manual import face
from . import functional, init, layers, parameter, utils
from .layers import *  # noqa: F403
from .module import Module, Parameter

__all__ = [*layers.__all__, "Module", "Parameter", "functional", "init", "parameter", "utils"]

__getattr__, __dir__ = face("torch.nn", globals())
