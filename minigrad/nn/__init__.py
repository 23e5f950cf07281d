"""torch.nn: layers, losses and their functions.

`module` is what a layer is, `layers`, `recurrent` and `attention` the layers, `functional` what they compute, `init`
how they begin.
"""

from ..manual import face
from . import attention, functional, init, layers, parameter, recurrent, utils
from .attention import *  # noqa: F403
from .layers import *  # noqa: F403
from .module import Module, Parameter
from .recurrent import *  # noqa: F403

__all__ = [*layers.__all__, *recurrent.__all__, *attention.__all__, "Module", "Parameter", "functional", "init",
           "parameter", "utils"]

__getattr__, __dir__ = face("torch.nn", globals())
