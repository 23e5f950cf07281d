"""torch.random: the generator's seed and state.

The stream itself, torch's own numbers, is `minigrad.array.random`; here its state is a tensor.
"""

from typing import Any

from .array.random import Generator, default_generator, initial_seed, manual_seed, seed, set_entropy
from .creation import made

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed",
           "set_entropy", "set_rng_state"]


def get_rng_state() -> Any:
    """The generator's state as a uint8 tensor."""
    return made(default_generator.get_state())


def set_rng_state(new_state: Any) -> None:
    """Continue the stream from a state that `get_rng_state` returned."""
    default_generator.set_state(new_state._array())
