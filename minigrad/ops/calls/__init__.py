"""Operations as torch takes them: functions of tensors, which choose a row or compose several.

A parameter without a type is a tensor, or whatever torch takes there beside one.
"""

from . import activation, index, linalg, loss, pointwise, reduce, shape
