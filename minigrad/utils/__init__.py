"""torch.utils: what a training loop needs to read its data."""

from ..text import presentation
from . import data, hooks

__all__ = ["data", "hooks"]

__getattr__ = presentation.adviser("torch.utils", globals())
