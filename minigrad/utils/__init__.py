"""torch.utils: what a training loop needs to read its data, and to keep less in memory.

`data` has data sets, orders and batches, `checkpoint` computes again what it did not save, `serialization` has what
`torch.save` writes.
"""

from ..manual import face, furnish
from . import checkpoint, data, hooks

furnish(checkpoint, data)
__getattr__, __dir__ = face("torch.utils", globals())
