"""A chain of nodes recorded as its last one alone, which makes the others when somebody looks behind it.

PyTorch records a product of batches, or a cross entropy, as several nodes; most of their time goes into
being nodes. A folded one is the last of them. It takes their numbers and the learner's line at once; when
its `edges` are first read, it makes them as the ordinary call would have. A backward that nobody watches
(`walk`) need not read them: `paths` leads past the chain.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from ..core.carriers import RAW
from ..core.graph import Node
from ..core.row import TABLE
from .walk import derivatives

Node.paths = Node.edges  # type: ignore[attr-defined]  # the same slot; a folded node has a short cut there


class Folded:
    """What a folded node adds to its class; its `chain` is its one edge, None before somebody has looked.

    `seqs` are the numbers of the chain. Subclasses name their slots and say where the chain leads (`ends`),
    whether it may be passed (`ready`), what is then sent to its ends (`send_past`), and make it (`first_behind`).
    """

    __slots__ = ()
    wants_undefined = property(lambda n: n.chain is None)  # so that `walk.reach` looks twice

    @property
    def edges(self) -> tuple:
        return self.chain or self.unfold()

    @property
    def paths(self) -> tuple:
        """Past the chain, in the order in which it would go; or, once it is there, into it."""
        return self.chain or self.ends()

    def unfold(self) -> tuple:
        self.chain = (self.first_behind(iter(self.seqs)),)
        return self.chain

    def choose(self, past_the_chain: bool) -> None:
        """Make the chain now, unless a backward may go past it and finds everything as it was."""
        if self.chain is None and not (past_the_chain and self.ready()):
            self.unfold()

    def link(self, seqs: Iterator[int], name: str, edges: tuple, /, **saved: Any) -> Node:
        """A node of the chain, of the row `name`."""
        node = TABLE[name].record_by_hand(edges, **saved)
        node.seq, node.code, node.lasti = next(seqs), self.code, self.lasti
        return node

    def skip(self, keep: bool) -> tuple:
        if self.chain is not None:
            return super().skip(keep)  # type: ignore[misc]
        if not keep:
            self.free()
        return (None,) * len(self.ends())


def apply_folded(n: Any, grad: Any, keep: bool) -> tuple:
    """The gradients for `paths`."""
    if n.chain is not None:
        return n.apply(grad, RAW, keep)
    sent = n.send_past(grad)
    if not keep:
        n.free()
    return sent


@functools.cache
def folded_node(kind: type, name: str) -> type:
    """The class of nodes of row `name` that are folded as `kind` says."""
    node = TABLE[name].node
    made = type(node.__name__, (kind, node), {"__slots__": kind.slots})
    derivatives[made] = apply_folded
    return made
