"""Nodes of the graph: what `grad_fn` shows, what an edge points to, what was saved for backward.

A node knows its edges, its place in the order of creation and the line that made it; its subclass,
made from a row of the table by `op`, knows the derivative. Nothing here knows arrays or tensors.
"""

from __future__ import annotations

import dis
import itertools
import linecache
import os
import sys
import weakref
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..text import presentation
from .carriers import RAW, TENSORS
from .hooks import Hooks

_frame = sys._getframe
seqs = itertools.count()  # the numbers of nodes, in the order in which they are made
ACCUMULATE_SEQ = 2**64 - 1  # as in torch: a ready AccumulateGrad runs before anything else

FREED_SINCE = (
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved {} "
    "after calling backward."
)


class Withheld:
    """Stands in a saved slot for a value that is not simply there: freed, or packed by a hook."""

    __slots__ = ()

    def give(self, node: Node, name: str) -> Any:
        raise presentation.error(RuntimeError, "freed",
            "Trying to backward through the graph a second time (or directly access saved tensors after they have "
            "already been freed). " + FREED_SINCE.format("tensors"), node=node, field=name)


class Freed(Withheld):
    """What backward leaves behind where a saved value was; remembers the line that called it."""

    __slots__ = ("code", "lasti")
    current: Freed  # the mark of the backward that runs now, for notes only

    def __init__(self, code: Any, lasti: int) -> None:
        self.code, self.lasti = code, lasti


Freed.current = Freed(None, 0)


class Port(NamedTuple):
    """Output number `nr` of a node that has several; stands in for the node on tensors and edges."""

    node: Node
    nr: int


class Node:
    """A step of backward. Source: torch.autograd.graph.Node.

    `edges` holds one entry per differentiable input: a Node, a Port, a leaf tensor (whose
    AccumulateGrad is made when someone looks) or None. `metas` is None, or per input the
    `(shape, dtype)` that its gradient must be summed and cast back to.
    """

    __slots__ = ("__weakref__", "code", "edges", "hooks", "lasti", "metas", "seq")

    row: Any = None
    outputs = 1
    wants_undefined = False  # True: runs even if no gradient has arrived (custom Functions)
    torch_name: str | None = None  # where `name()` is not the class's name
    frees: tuple[str, ...] = ()  # slots that backward empties

    def name(self) -> str:
        """The name as the current era of PyTorch shows it, such as `MulBackward0`."""
        return presentation.current.node_name(self)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Where gradients go: a `(node, output_nr)` per input, `(None, 0)` where none is wanted."""
        return tuple(function_of(edge) for edge in self.edges)

    @property
    def requires_grad(self) -> bool:
        return True

    def __call__(self, *grads: Any) -> Any:
        """Apply the derivatives to tensors, as torch allows: a tuple, or the one result itself.

        Raises: TypeError for another number of gradients than the node has outputs.
        """
        if len(grads) != self.outputs:
            raise TypeError(f"expected {self.outputs} arguments, got {len(grads)} instead")
        sent = self.apply(grads[0] if self.outputs == 1 else grads, TENSORS, True)  # type: ignore[attr-defined]
        return sent[0] if len(sent) == 1 else sent

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict of the user's own, as on torch's nodes."""
        return self._hooks().metadata

    @property
    def freed(self) -> bool:
        """True once backward has emptied what this node saved."""
        return any(isinstance(getattr(self, slot), Freed) for slot in self.frees)

    @property
    def line(self) -> tuple[str, int, str] | None:
        """The line that made this node: file name, line number, source text."""
        return None if self.code is None else source_line(self.code, self.lasti)

    def _sequence_nr(self) -> int:
        return self.seq

    def _hooks(self) -> Hooks:
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def register_hook(self, hook: Any) -> Any:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran; a result replaces grad_inputs."""
        return self._hooks().post.add(hook)

    def register_prehook(self, hook: Any) -> Any:
        """Call `hook(grad_outputs)` before this node runs; a result replaces grad_outputs."""
        return self._hooks().pre.add(hook)

    def free(self) -> None:
        """Let go of what was saved; using it afterwards is torch's "second time" error."""
        mark = Freed.current
        for slot in self.frees:
            if getattr(self, slot) is not None:
                setattr(self, slot, mark)

    def apply_raw(self, grad: Any, keep: bool) -> tuple:
        """The gradients this node sends, on arrays; `core.fast` has quicker ones for some rows."""
        return self.apply(grad, RAW, keep)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<{presentation.current.type_name(self)} object at 0x{id(self):x}>"


Node.paths = Node.edges  # type: ignore[attr-defined]  # the same slot; a folded node has a short cut there


class AccumulateGrad(Node):
    """The end of every path: adds what arrives to `variable.grad`. Source: torch's AccumulateGrad.

    The leaf holds this node; the node knows the leaf weakly, so that no cycle keeps either alive.
    """

    __slots__ = ("_leaf",)
    torch_name = "torch::autograd::AccumulateGrad"

    def __init__(self, leaf: Any) -> None:
        self._leaf = weakref.ref(leaf)
        self.edges, self.metas, self.code, self.lasti = (), None, None, 0
        self.seq = ACCUMULATE_SEQ

    @property
    def variable(self) -> Any:
        return self._leaf()

    @property
    def hooks(self) -> Hooks | None:  # type: ignore[override]
        leaf = self._leaf()
        return None if leaf is None else leaf._hooks

    def _hooks(self) -> Hooks:
        return self._leaf()._own_hooks()


def function_of(edge: Any) -> tuple[Node | None, int]:
    """An edge as torch shows it in `next_functions`."""
    if edge is None:
        return None, 0
    if isinstance(edge, Port):
        return edge.node, edge.nr
    if isinstance(edge, Node):
        return edge, 0
    return edge._accumulate_grad(), 0


def node_of(edge: Any) -> Any:
    """The node that an edge leads to, whichever its output; a leaf and None are what they are."""
    return edge.node if isinstance(edge, Port) else edge


def output_of(node: Any, nr: int) -> Any:
    """What stands for output `nr` of a node on tensors and edges: the node, if it has no other."""
    return Port(node, nr) if node.outputs > 1 else node


def maker_of(node: Node, name: str) -> Node:
    """The node that saved output `name` shows as its grad_fn: `node`, or its view's if it wrote a view.

    That one leads back to `node`, which therefore knows it weakly; once it is gone, `node` stands in.
    """
    view = getattr(node, f"maker_{name}", None)
    return (view and view()) or node


def _files_of(folder: str) -> set[str]:
    files = set()
    for entry in os.scandir(folder):
        if not entry.is_dir():
            files.add(entry.path)
        elif entry.name != "__pycache__":  # half of what there is
            files |= _files_of(entry.path)
    return files


OURS = _files_of(os.path.dirname(os.path.dirname(__file__)))  # their lines are not the learner's


recent: list[Any] = [None]  # the learner's code that ran an operation last: most often it runs the next one too
# the learner's frame that called the backward that is being recorded: each step up to it would cost
recording_for: ContextVar[Any] = ContextVar("recording_for", default=None)
recorded_for = recording_for.get


def learners_frame(depth: int = 2) -> Any:
    """The nearest caller outside this package, `depth` calls up or further; None if there is none."""
    f: Any = _frame(depth)
    while f is not None and f.f_code.co_filename in OURS:
        f = f.f_back
    return f


def learners_line(depth: int = 2) -> tuple[Any, int]:
    """Code and instruction of `learners_frame`, all that a node keeps of it, without calling that."""
    f: Any = recorded_for() or _frame(depth)
    while (code := f.f_code) is not recent[0] and code.co_filename in OURS:
        f = f.f_back
        if f is None:
            return None, 0
    recent[0] = code
    return code, f.f_lasti


def source_line(code: Any, lasti: int) -> tuple[str, int, str]:
    """File, number and text of the line that instruction `lasti` of `code` belongs to."""
    number = code.co_firstlineno
    for start, line in dis.findlinestarts(code):
        if start > lasti:
            break
        number = line or number
    return code.co_filename, number, linecache.getline(code.co_filename, number).strip()
