"""torch.special: functions with names of their own. The rows are in `minigrad.ops`."""

from ._tensor import Tensor
from .ops.activation import digamma, erf, erfc, erfinv, log_softmax, logit, softmax
from .ops.activation import lgamma as gammaln
from .ops.activation import polygamma_function as polygamma
from .ops.checks import as_function
from .ops.pointwise import exp2, expm1, log1p, sinc
from .ops.pointwise import sigmoid as expit

psi, logsumexp, round, xlogy = digamma, Tensor.logsumexp, Tensor.round, as_function("xlogy", Tensor.xlogy)

__all__ = ["digamma", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "log_softmax",
           "logit", "logsumexp", "polygamma", "psi", "round", "sinc", "softmax", "xlogy"]
