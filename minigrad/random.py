"""torch.random: the generator's seed and state.

The stream itself, torch's own numbers, is `minigrad.array.random`; here its state is a tensor.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .array.random import Generator, default_generator, initial_seed, manual_seed, seed, set_entropy
from .creation import made

__all__ = ["Generator", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed",
           "set_entropy", "set_rng_state"]


def get_rng_state() -> Any:
    """The generator's state as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Continue the stream from a state that `get_rng_state` returned."""
    default_generator.set_state(new_state)


_get, _set = Generator.get_state, Generator.set_state  # of arrays
Generator.get_state = lambda self: made(_get(self))  # type: ignore
Generator.set_state = lambda self, state: _set(self, getattr(state, "_data", state))  # type: ignore


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, _caller: str = "fork_rng", _devices_kw: str = "devices",
             device_type: str = "cuda") -> Iterator[None]:
    """Inside, random numbers may be drawn; afterwards the stream goes on as if none had been."""
    before = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if before is not None:
            set_rng_state(before)
