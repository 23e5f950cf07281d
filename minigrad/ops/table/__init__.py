"""The rows, in chapters. Read `pointwise` first: it says how a row reads."""

from . import activation, conv, index, linalg, loss, pointwise, reduce, shape
