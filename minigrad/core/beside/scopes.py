"""Which call of a module made which nodes: a call notes the numbers between which its nodes lie.

Nodes are numbered as they are made, so nothing is written into a node, and an operation pays nothing. Modules are
held weakly, and only the last calls are kept; `graph.nesting` reads them when a picture is drawn.
"""

import weakref
from collections import deque
from functools import partial
from threading import get_ident
from typing import Any, NamedTuple

from ..graph import seqs

KEPT = 10_000


class Call(NamedTuple):
    """A call of a module that made nodes, all with numbers between `first` and `last`."""

    module: Any  # a weak reference
    kind: str  # the name of its class, and the module that this is written in: known when it is gone, too
    home: str
    first: float
    last: float
    thread: int


_call = partial(tuple.__new__, Call)  # a named tuple's own `__new__` takes twice as long
calls: deque[Call] = deque(maxlen=KEPT)


def begin() -> int:
    """A number that is lower than that of any node to come."""
    return next(seqs)


def end(module: Any, first: int) -> None:
    """Note a call that began with number `first`, if it has made nodes."""
    last = next(seqs)
    if last - first > 1:
        kind = type(module)
        calls.append(_call((weakref.ref(module), kind.__name__, kind.__module__, first, last, get_ident())))
