"""Read the graph of a real torch tensor into the same records; torch is never imported.

Equal to `read` of the same program in minigrad: this is how we know that minigrad is faithful.
"""

import contextlib
import gc
import sys
import warnings
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from threading import Lock
from typing import Any

from ..core.row import TABLE, Row
from .live import Key, Reader, Slot, set_aside
from .snapshot import AnyNode, AnyTensor, Graph, by_key
from .torch_rows import ROWS
from .torch_scopes import calls, line_of

EXCHANGED = Lock()  # held while torch's function that adds hooks is ours: of two threads one would leave a hook behind


def read_torch(*tensors: AnyTensor, names: Mapping[str, Any] | None = None) -> Graph:
    """The graph behind torch tensors; `names` (name -> tensor) labels what it finds."""
    return TorchReader(tensors, names or {}).graph()


class TorchReader(Reader):
    """torch's own spelling of the few things that differ."""

    def is_tensor(self, value: Any) -> bool:
        """Whether a value is a tensor of torch."""
        return hasattr(type(value), "grad_fn") and not super().is_tensor(value)

    library = "torch"
    noted, place = calls, staticmethod(line_of)  # while `scopes` was open
    fault = staticmethod(lambda: "")  # torch's own engine has none

    def array(self, t: AnyTensor) -> Any:
        """The tensor itself without its history, dense: `preview` reads it as an array; all rows of a nested one."""
        t = t.detach()
        return sys.modules["torch"].cat([row.reshape(-1) for row in t.unbind()]) if t.is_nested else t.to_dense()

    def row(self, node: AnyNode) -> Row | None:
        """The row of ours whose nodes bear this name, that of this one, or that of a view whose twin in place it is."""
        turned = "Transposed" * bool(getattr(node, "_saved_transposed", False))
        turned += "Scaled" * bool(getattr(node, "_saved_alpha", 1) != 1)
        name = node if type(node) is str else node.name().rpartition("::")[2] + turned
        view = rows_by_grad_fn().get(name[:-1] + "0")  # `unsqueeze_` makes an UnsqueezeBackward1
        return rows_by_grad_fn().get(name) or (view if view and view.view else None)

    def output_shape(self, node: AnyNode, nr: int) -> tuple[tuple[int, ...], str] | None:
        """What torch's own node knows of its outputs."""
        metas = getattr(node, "_input_metadata", None)
        return measured(metas[nr]) if metas else None

    def shape_of(self, slot: Slot) -> tuple[tuple[int, ...], str]:
        """The same of the live tensor, else as inferred."""
        t = self.tensors.get(slot)
        return super().shape_of(slot) if t is None else measured(t)

    def many(self, node: AnyNode) -> int:
        """As many as it has descriptions of outputs."""
        return len(getattr(node, "_input_metadata", (None,)))

    def hook_dicts(self, key: Key) -> Iterator[tuple[str, int, Any]]:
        """torch's own dicts of the hooks of a node, and of the tensors that are alive, where there are some."""
        known, (before, behind) = self.made.get(key, ()), hooks_of(self.found[key])
        yield from (("tensor", nr, t._backward_hooks) for nr, t in known)
        yield "pre", 0, before
        yield from (("post_accumulate", 0, t._post_accumulate_grad_hooks) for _, t in known if t.is_leaf)
        yield "post", 0, behind

    @cached_property
    def made(self) -> dict[Key, list[tuple[int, AnyTensor]]]:
        """The tensors that are known, and which outputs they are, by what made them."""
        return by_key((owner, (nr, t)) for (owner, nr), t in self.tensors.items())

    def retained(self, node: AnyNode) -> dict[int, AnyTensor]:
        """Those of the tensors known to us."""
        return {nr: t for nr, t in self.made.get(self.key(node), ()) if t.retains_grad}

    def discover(self) -> None:
        """Find the nodes, also that of a leaf which is a root."""
        super().discover()
        for key, leaf in ((key, n) for key, n in self.found.items() if not hasattr(n, "next_functions")):
            self.found[key] = sys.modules["torch"].autograd.graph.get_gradient_edge(leaf).node

    @contextlib.contextmanager
    def untouched(self) -> Iterator[list[AnyTensor]]:
        """Put back the random streams and each `.grad`: sums go into copies; hooks that wait for them rest."""
        torch: Any = sys.modules["torch"]
        within = any(hasattr(type(node), "saved_tensors") for node in self.found.values())  # may run one of its own
        several = {id(t): t for t in self.tensors.values() if t.is_leaf or t.retains_grad}
        for t in [t for t in gc.get_objects() if issubclass(type(t), torch.Tensor) and t.requires_grad]:
            with contextlib.suppress(RuntimeError):  # a view that may no longer be looked at
                if within if t.is_leaf else t.retains_grad and self.key(t.grad_fn) in self.found:  # it needs no name
                    several[id(t)] = t
        with contextlib.ExitStack() as undo, warnings.catch_warnings():
            undo.enter_context(torch.random.fork_rng(range(torch.cuda.is_initialized() and torch.cuda.device_count())))
            for t in several.values():
                set_aside(undo, t, "grad", (t._post_accumulate_grad_hooks if t.is_leaf else None) or {})
            yield [*several.values()]


def measured(t: AnyTensor) -> tuple[tuple[int, ...], str]:
    """Shape and dtype of a tensor, or of what a node noted; none of a nested one, whose rows have each their length."""
    try:
        shape = tuple(t.shape)
    except RuntimeError:
        return (), ""
    return (shape, str(t.dtype)) if all(type(n) is int for n in shape) else ((), "")


def hooks_of(node: AnyNode) -> tuple[Any, Any]:
    """The dicts of hooks before a node of torch and behind it, which it hands to whoever adds a hook.

    None is added: once it were gone, its empty dict would stay, and each later backward would look into it.
    """
    function, handed = sys.modules["torch"].autograd.Function, list[Any]()

    def take(hooks: Any) -> None:
        handed.append(hooks)
        raise StopIteration

    with EXCHANGED, contextlib.ExitStack() as undo:
        add = function._register_hook
        function._register_hook = staticmethod(lambda hooks, hook: take(hooks) if hook is take else add(hooks, hook))
        undo.callback(delattr, function, "_register_hook")  # what it inherits is back
        for ask in ("register_prehook", "register_hook"):
            with contextlib.suppress(StopIteration):
                getattr(node, ask)(take)
    return handed[0], handed[1]


@cache
def rows_by_grad_fn() -> dict[str, Row]:
    """The rows by the name of their node, the first of those that share it.

    Such rows compute alike (`add` with and without alpha); a name whose rows differ in their inputs, as that of
    the second derivatives of a convolution, tells nothing.
    """
    rows = by_key((row.grad_fn, row) for row in (*ROWS, *TABLE.values()))
    scaled = {name + "Scaled": same[-1] for name, same in rows.items() if "alpha" in same[-1].saved}
    return scaled | {name: same[0] for name, same in rows.items() if len({row.differentiable for row in same}) == 1}
