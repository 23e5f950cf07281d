"""torch.utils: what a training loop needs to read its data."""

from . import data

__all__ = ["data"]
