"""Operations as torch takes them: functions of tensors, which choose a row or compose several."""

from . import activation, index, linalg, loss, pointwise, reduce, shape
