"""torch.func: functions of functions, which nest in each other.

`levels` is how an operation meets them, `tangents` forward mode, `batches` and `rules` vmap, `transforms` what is
called.
"""

from ..manual import face
from .modules import functional_call, stack_module_state
from .transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

__getattr__, __dir__ = face("torch.func", globals())
