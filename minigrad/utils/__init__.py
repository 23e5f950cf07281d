"""torch.utils: what a training loop needs to read its data.

`data` has data sets, orders and batches, `serialization` what `torch.save` writes.
"""

from ..text import presentation
from . import data, hooks

__all__ = ["data", "hooks"]

__getattr__ = presentation.adviser("torch.utils", globals())
