"""The table of derivatives, in chapters. Importing this package declares every row."""

from . import activation, conv, index, linalg, loss, pointwise, reduce, shape
