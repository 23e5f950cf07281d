"""Anomaly mode: stop at the first derivative that is NaN, and say which forward line made the node.

The switch is `core.modes.anomaly`, which the engine asks; here is what torch calls to turn it, and
the memory of where each node was made.
"""

from typing import Any

from ..core.beside.lines import learners_frame
from ..core.beside.observers import observing
from ..core.modes import anomaly
from ..text import presentation


def is_anomaly_enabled() -> bool:
    """True while anomaly mode is on."""
    return anomaly.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """True if anomaly mode looks for NaN, while it is on."""
    return anomaly.check_nan


def _remember(node: Any, _output: Any) -> None:
    import traceback  # few ask for it, and `import minigrad` is quicker

    node.metadata["traceback_"] = traceback.format_stack(learners_frame())


class set_detect_anomaly:
    """Switch anomaly mode, as a call or for a `with` block. Source: torch.autograd.anomaly_mode."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = (anomaly.enabled, anomaly.check_nan)
        _switch(bool(mode), check_nan)

    def __enter__(self) -> None:
        """Switched on already: the call itself does it."""

    def __exit__(self, *exc: object) -> None:
        _switch(*self._before)


def _switch(mode: bool, check_nan: bool) -> None:
    """Look for NaN or not; while looking, every new node remembers the stack that made it."""
    if mode and not anomaly.enabled:
        observing(_remember).__enter__()
    elif anomaly.enabled and not mode:
        observing(_remember).leave()
    anomaly.enabled, anomaly.check_nan = mode, check_nan


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode for a `with` block; warns that it is slow."""

    def __init__(self, check_nan: bool = True) -> None:
        self._wanted = check_nan
        presentation.warn("anomaly_mode")

    def __enter__(self) -> None:
        super().__init__(True, self._wanted)
