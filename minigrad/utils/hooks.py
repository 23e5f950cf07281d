"""torch.utils.hooks: what `register_hook` returns."""

from ..core.beside.hooks import RemovableHandle as RemovableHandle
