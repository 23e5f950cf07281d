"""A chain of nodes recorded as its last one alone, which makes the others when somebody looks behind it.

PyTorch records a product of batches, or a cross entropy, as several nodes; most of their time goes into
being nodes. A folded one is the last of them. It takes their numbers and the learner's line at once;
when its `edges` are first read, it makes them as the ordinary call would have. A backward that nobody
watches (`fast.walk`) need not read them: `paths` leads past the chain. As `fast`, only speed needs this.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .node import Node
from .row import TABLE


class Folded:
    """What a folded node adds to its class; its `chain` is its one edge, None before somebody has looked.

    `numbers` are those of the chain. Subclasses say where the chain leads (`ends`), whether it may be
    passed (`ready`) and what is then sent to its ends (`back`), and make its last node (`behind`).
    """

    __slots__ = ()
    wants_undefined = property(lambda n: n.chain is None)  # so that `fast.reach` looks twice

    @property
    def edges(self) -> tuple:
        return self.chain or self.unfold()

    @property
    def paths(self) -> tuple:
        """Past the chain, in the order in which it would go; or, once it is there, into it."""
        return self.chain or self.ends()

    def unfold(self) -> tuple:
        self.chain = (self.behind(iter(self.numbers)),)
        return self.chain

    def choose(self, past_the_chain: bool) -> None:
        """Make the chain now, unless a backward may go past it and finds everything as it was."""
        if self.chain is None and not (past_the_chain and self.ready()):
            self.unfold()

    def link(self, numbers: Iterator[int], name: str, edges: tuple, /, **saved: Any) -> Node:
        """A node of the chain, of the row `name`."""
        node = TABLE[name].record_by_hand(edges, **saved)
        node.seq, node.code, node.lasti = next(numbers), self.code, self.lasti
        return node

    def apply_raw(self, grad: Any, keep: bool) -> tuple:
        """The gradients for `paths`."""
        if self.chain is not None:
            return super().apply_raw(grad, keep)  # type: ignore[misc]
        sent = self.back(grad)
        if not keep:
            self.free()
        return sent
