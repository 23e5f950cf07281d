"""torch.utils.hooks: what `register_hook` returns.

The handle lives in the core, where hooks are.
"""

from ..core.beside.hooks import RemovableHandle as RemovableHandle
