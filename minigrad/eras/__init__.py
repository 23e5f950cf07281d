"""What older PyTorches named, printed and complained about: `era("1.5.0")`, `current_era()`."""
from __future__ import annotations
from typing import Any
from ..text import presentation

Era = str

def current_era() -> str:
    return presentation.current.version


class era:
    """Show things as another PyTorch did: from now on, or, with `with`, until the end of the block."""

    def __init__(self, version: str) -> None:
        self.version, self._before = version, current_era()
        self.__enter__()

    def __enter__(self) -> era:
        now = presentation.Presentation()
        now.version = self.version
        presentation.current = now
        return self

    def __exit__(self, *exc: object) -> None:
        type(self)(self._before)

    def __repr__(self) -> str:
        return f"era({self.version!r})"
