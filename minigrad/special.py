"""torch.special: functions with names of their own.

The rows are in `minigrad.ops.table`; this file only says which of them torch has here, and how it calls them.
"""

from ._tensor import Tensor
from .manual import face
from .ops.calls.activation import log_softmax, polygamma_function as polygamma, softmax
from .ops.table.activation import digamma, erf, erfc, erfinv, lgamma as gammaln, logit
from .ops.table.pointwise import exp2, expm1, log1p, sigmoid as expit, sinc
from .wording import as_function

psi, logsumexp, round, xlogy = digamma, Tensor.logsumexp, Tensor.round, as_function("xlogy", Tensor.xlogy)

__all__ = ["digamma", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "log_softmax",
           "logit", "logsumexp", "polygamma", "psi", "round", "sinc", "softmax", "xlogy"]
__getattr__, __dir__ = face("torch.special", globals())
