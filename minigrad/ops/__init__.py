"""The table of derivatives, in chapters. Importing this package declares every row."""

import contextlib

from . import pointwise, reduce, shape, linalg, index, activation, loss, conv  # noqa: F401, I001

with contextlib.suppress(ModuleNotFoundError):  # only speed is lost without it
    from ..core import fast  # noqa: F401
