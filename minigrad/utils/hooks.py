"""torch.utils.hooks: what `register_hook` returns.

The handle lives in the core, where hooks are.
"""

from ..core.hooks import RemovableHandle as RemovableHandle
