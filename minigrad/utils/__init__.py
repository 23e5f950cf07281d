"""torch.utils: what a training loop needs to read its data.

`data` has data sets, orders and batches, `serialization` what `torch.save` writes.
"""

from ..manual import face
from . import data, hooks

__all__ = ["data", "hooks"]

__getattr__, __dir__ = face("torch.utils", globals())
