"""torch.nn: layers, losses and their functions.

`module` is what a layer is, `layers`, `recurrent` and `attention` the layers, `functional` what they compute, `init`
how they begin.
"""

from ..manual import face, furnish
from ..text import torch_names
from . import attention, functional, init, layers, module, parameter, recurrent, utils

for _part in (layers, recurrent, attention):
    globals().update({name: value for name, value in vars(_part).items() if name in torch_names()["torch.nn"]})
furnish(functional, init, parameter, utils)
del layers, module, recurrent  # torch has no such names: `nn.module` is to be told of `nn.Module`
__getattr__, __dir__ = face("torch.nn", globals())
