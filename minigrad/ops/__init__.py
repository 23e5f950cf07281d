"""The table of derivatives, in chapters. Importing this package declares every row."""

from . import pointwise, reduce, shape, linalg, index  # noqa: F401, I001
