"""torch.utils.hooks: what `register_hook` returns."""

from ..core.hooks import RemovableHandle as RemovableHandle
