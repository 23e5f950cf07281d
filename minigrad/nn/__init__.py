"""torch.nn: layers, losses and their functions."""

from . import functional

__all__ = ["functional"]
