"""The graph: nodes, edges, and what the engine must know of a tensor.

A node is one recorded operation. It knows its edges, its place in the order of creation and the line that made it;
its subclass, read off a row of the table (`row`), knows the derivative. A tensor is slots: `_data` (an array, or a
NumPy scalar for a 0-d result, which is quicker and becomes an array as soon as somebody could see it change), `_fn`
(the node that made it), `_counter` (the version and the lines that wrote last, one list shared by all tensors on one
storage, made when first needed) and `_view` (what it is a view of). `Tensor` in `_tensor.py` adds the language.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..array.backend import xp
from ..text import presentation
from ..text.presentation import need, require
from .beside.hooks import Hooks, add_hook
from .beside.lines import learners_line, source_line
from .carriers import TENSORS
from .modes import INFERENCE, Uncounted, grad_mode

new = object.__new__
seqs = itertools.count()  # the numbers of nodes, in the order in which they are made
ACCUMULATE_SEQ = 2**64 - 1  # as torch shows it; leaves are not sorted, see `engine.GraphTask.complete_leaves`


class Withheld:
    """Stands in a saved slot for a value that is not simply there: freed, or packed by a hook."""

    __slots__ = ()

    unpack: Any  # `(node, name) -> tensor`, or an error that says why there is none


class Freed(Withheld):
    """What backward leaves behind where a saved value was; remembers the line that called backward, the number that
    it began with, and where it first summed what broadcasting had added to a result."""

    __slots__ = ("code", "lasti", "summed", "value")

    def __init__(self, code: Any, lasti: int) -> None:
        self.code, self.lasti, self.value, self.summed = code, lasti, None, None

    def unpack(self, node: Node, name: str) -> Any:
        need(False, "freed", node=node, field=name)


# the mark of the backward that began last in this process: slots are emptied with it, and notes read its line;
# and of the call of grad that returned last
latest = SimpleNamespace(freed=Freed(None, 0), returned=None)


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

    edges: tuple[Any, ...]
    metas: Any
    hooks: Any
    seq: int
    code: Any
    lasti: int
    apply: Any  # `(grad, F, keep, ways=None) -> tuple`: made from a row, or written in a subclass; see `apply_of`
    row: Any = None
    outputs = 1
    wants_undefined = False  # True: runs even if no gradient has arrived (custom Functions)
    torch_name: str | None = None  # where `name()` is not the class's name
    home = ""  # what stands before its name where torch's is not C's
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

        Raises: TypeError for another number of gradients than the node has outputs, and for what is no tensor.
        """
        require(len(grads) == self.outputs, f"expected {self.outputs} arguments, got {len(grads)} instead", TypeError)
        for at, grad in enumerate(grads):
            require(grad is None or isinstance(grad, TensorBase), f"argument {at} is not a Variable", TypeError)
        arrived = self.wants_undefined or any(grad is not None for grad in grads)
        sent = self.apply(grads[0] if self.outputs == 1 else grads, TENSORS, True) if arrived else self.skip()
        return sent[0] if len(sent) == 1 else sent

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict of the user's own, as on torch's nodes."""
        return self._own_hooks().metadata

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

    def _own_hooks(self) -> Hooks:
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def register_hook(self, hook: Any) -> Any:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran; a result replaces grad_inputs."""
        return add_hook(self._own_hooks().post, hook)

    def register_prehook(self, hook: Any) -> Any:
        """Call `hook(grad_outputs)` before this node runs; a result replaces grad_outputs."""
        return add_hook(self._own_hooks().pre, hook)

    def free(self) -> None:
        """Let go of what was saved; using it afterwards is torch's "second time" error."""
        mark = latest.freed
        for slot in self.frees:
            if getattr(self, slot) is not None:
                setattr(self, slot, mark)

    def skip(self) -> tuple:
        """What a node sends that no gradient has reached: nothing. It unpacks what it saved all the same."""
        for slot in self.frees:
            getattr(self, f"_{slot}", None)  # for the hooks that unpack it; what torch hides has no such name
        return (None,) * len(self.edges)

    def __repr__(self) -> str:
        return f"<{self.home}{presentation.current.type_name(self)} object at 0x{id(self):x}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """As IPython shows an object that has no words of its own, which torch's node has not."""
        printer.text(repr(self).replace(" object", "", 1))


def new_node(cls: type, edges: tuple, metas: Any) -> Any:
    """A node with its edges, its number, and the learner's line: of the nearest frame of theirs above our callers."""
    n = cls()
    n.edges, n.metas, n.hooks = edges, metas, None
    # after its edges, which never change (a history that is written anew is a new node): a topological order
    n.seq = next(seqs)
    n.code, n.lasti = learners_line(3)
    return n


class AccumulateGrad(Node):
    """What a leaf shows at the end of a path. Source: torch's AccumulateGrad.

    The engine ends at leaves themselves; what `apply` does stands in `leaves`. The leaf holds this node; the node
    knows the leaf weakly, so that no cycle keeps either alive.
    """

    __slots__, __module__ = ("_leaf",), "builtins"  # as torch's, which is C's
    torch_name = "torch::autograd::AccumulateGrad"

    def __init__(self, leaf: Any) -> None:
        self._leaf: Any = weakref.ref(leaf)
        self.edges, self.metas, self.code, self.lasti = (), None, None, 0
        self.seq = ACCUMULATE_SEQ

    @property
    def variable(self) -> Any:
        return self._leaf()

    @property
    def hooks(self) -> Any:
        leaf = self._leaf()
        return None if leaf is None else leaf._hooks

    def _own_hooks(self) -> Hooks:
        return self._leaf()._own_hooks()


def function_of(edge: Any) -> tuple[Any, int]:
    """An edge as torch shows it in `next_functions`."""
    if edge is None:
        return None, 0
    if isinstance(edge, Port):
        return edge.node, edge.nr
    return (edge if isinstance(edge, Node) else edge._accumulate_grad()), 0


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


def readonly(look: Any, name: str = "", doc: str | None = None) -> Any:
    """A property that refuses to be set or deleted, in torch's words."""
    def refuse(*_: Any) -> None:
        raise AttributeError(f"attribute '{name or look.__name__}' of 'torch._C.TensorBase' objects is not writable")

    return property(look, refuse, refuse, doc)


class TensorBase:
    """Storage and history of a tensor; see the module's docstring for the slots."""

    __slots__ = ("__dict__", "__weakref__", "_counter", "_data", "_fn", "_grad", "_hooks", "_requires_grad", "_view")

    _counter: Any
    _data: Any
    _fn: Any
    _grad: Any
    _hooks: Any
    _requires_grad: bool
    _view: Any
    shape: Any
    _plain: Any  # the class of results: see `results_are`

    # ---- storage

    def _array(self) -> Any:
        """The storage as an array that shares memory with this tensor, also when it is 0-d."""
        data = self._data
        if isinstance(data, xp.generic):
            scalar, data = data, xp.asarray(data)
            self._data = data
            if getattr(self._fn, "saved_result", None) is scalar:  # what backward will see changes with it
                self._fn.saved_result = data
        return data

    def _shared_counter(self) -> Any:
        """The version counter, made now if nobody needed it before."""
        if self._counter is None:
            self._counter = [0, ()]
        return self._counter

    def _alias(self, data: Any, counter: Any) -> Any:
        """A constant on the same storage, without history: what `detach` and `.data` return."""
        return constant(type(self)._plain, data, counter)

    @readonly
    def _version(self) -> int:
        """How often this storage was written in place. Raises for inference tensors, as torch does."""
        if self._counter is None:
            return 0
        require(not self.is_inference(), "Inference tensors do not track version counter.")
        return self._counter[0]

    @readonly
    def _base(self) -> Any:
        """The tensor that this one is a view of, always the root of the family; None if it is none."""
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """True for a tensor made inside `inference_mode()`."""
        return self._counter.__class__ is Uncounted

    # ---- history

    @property
    def requires_grad(self) -> bool:
        """True if operations on this tensor are recorded. Leaves may change it."""
        view = self._view
        return self._requires_grad or (view is not None and view.base._requires_grad)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        require(isinstance(flag, bool), "requires_grad must be a bool")
        need(not flag or self.is_leaf, "flag_of_result", tensor=self)
        need(not flag or self._data.dtype.kind == "f", "flag_type")
        self.requires_grad_(flag)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Switch recording for this leaf on or off, in place; returns the tensor.

        Raises: RuntimeError for integer tensors, and for switching a non-leaf off.
        """
        kind = type(requires_grad)
        need(kind is bool, "argument_kind", "requires_grad_", "requires_grad", 1, "bool", kind.__name__)
        if requires_grad and self._data.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        need(requires_grad or self._fn is None, "flag_of_non_leaf", tensor=self)
        if requires_grad and self.is_inference() and grad_mode() is not INFERENCE:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        self._requires_grad = requires_grad
        return self

    def _history(self) -> Any:
        """The Node or Port that made this tensor, after views have caught up with their base."""
        if self._view is not None:
            self._view.refresh(self)
        return self._fn

    @readonly
    def grad_fn(self) -> Node | None:
        """The node that made this tensor; None for leaves."""
        return node_of(self._history())

    @readonly
    def output_nr(self) -> int:
        """Which output of its grad_fn this tensor is."""
        return function_of(self._fn)[1]

    @readonly
    def is_leaf(self) -> bool:
        """True for tensors that no recorded operation made."""
        return self._history() is None

    def _edge(self) -> Any:
        """Where this tensor's gradient goes: its node or port, itself if it is a leaf, or None."""
        if self._view is not None:
            self._view.refresh(self)
        return self._fn or (self if self._requires_grad else None)

    # ---- gradients and hooks

    @property
    def grad(self) -> Any:
        """The gradient that backward accumulated here; None before, and for most non-leaves."""
        # `_fn`, not `is_leaf`: looking at `.grad` does not bring a view up to date, in torch neither
        if self._grad is None and self._fn is not None and not self.retains_grad:
            presentation.warn("non_leaf_grad")
        return self._grad

    @readonly
    def retains_grad(self) -> bool:
        """True for a non-leaf whose `.grad` backward fills, after `retain_grad()`."""
        node, nr = function_of(self._fn)
        kept = node.hooks.retain.get(nr) if node and node.hooks else None
        return kept is not None and kept() is self

    def retain_grad(self) -> None:
        """Keep this non-leaf's gradient in `.grad` too: the value after all its tensor hooks.

        Raises: RuntimeError if the tensor does not require grad. On a leaf it does nothing.
        """
        need(self.requires_grad, "retain_without_grad", tensor=self)
        node, nr = function_of(self._history())
        if node is not None:
            node._own_hooks().retain[nr] = weakref.ref(self)

    def register_hook(self, hook: Any) -> Any:
        """Call `hook(grad)` when this tensor's gradient is complete; a result replaces it.

        Returns a RemovableHandle. Raises: RuntimeError if the tensor does not require grad.
        """
        need(self.requires_grad, "hook_without_grad")
        node, nr = function_of(self._history())
        return (self if node is None else node)._own_hooks().on_tensor(nr, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call `hook(leaf)` after backward has added to the leaf's `.grad`."""
        require(self.requires_grad, "cannot register a hook on a tensor that doesn't require gradient")
        require(self.is_leaf, "post accumulate grad hooks cannot be registered on non-leaf tensors")
        return add_hook(self._own_hooks().post_accumulate, hook)

    def _own_hooks(self) -> Hooks:
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def _accumulate_grad(self) -> AccumulateGrad:
        """This leaf's AccumulateGrad, made now if nobody looked before; then always the same."""
        hooks = self._own_hooks()
        if hooks.accumulator is None:
            hooks.accumulator = AccumulateGrad(self)
        return hooks.accumulator


results_modules: list[str] = []  # modules that have a name of their own, `Tensor`, for the class of results


def results_are(cls: type) -> None:
    """Let `cls` be the class of results: `_tensor` says so once, of Tensor."""
    TensorBase._plain = cls
    for name in results_modules:
        sys.modules[name].Tensor = cls  # type: ignore[attr-defined]


def constant(cls: type, data: Any, counter: Any = None) -> Any:
    """A tensor without history on `data` (shared, not copied)."""
    t: Any = new(cls)
    t._data, t._counter = data, counter
    t._fn = t._grad = t._hooks = t._view = None
    t._requires_grad = False
    return t


def attach(t: Any, fn: Any) -> Any:
    """Let `fn`, a Node or a Port, be the history of `t`; returns `t`."""
    t._fn, t._requires_grad = fn, True
    return t


def bump(t: TensorBase, line: tuple = ()) -> None:
    """Count one write to this storage; everything that shares it sees the new version.

    The counter also remembers the `line`s that wrote last, `(code, instruction)`, for notes: at least eight of them.
    """
    counter = t._counter or t._shared_counter()
    if counter.__class__ is list:
        counter[0] += 1
        counter.append(line)
        if len(counter) > 32:
            del counter[1:-8]
