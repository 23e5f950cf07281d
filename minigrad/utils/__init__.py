"""torch.utils: what a training loop needs to read its data."""

from ..text import presentation
from . import data

__all__ = ["data"]

__getattr__ = presentation.adviser("torch.utils", globals())
