"""The table of derivatives, in chapters. Importing this package declares every row."""

import contextlib

from . import activation, conv, index, linalg, loss, pointwise, reduce, shape

with contextlib.suppress(ModuleNotFoundError):  # only speed is lost without it
    from ..core.fast import install

    install()
