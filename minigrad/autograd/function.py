"""Custom operations: write `forward` and `backward`, call `apply`.

The `ctx` that both receive is the node itself, as in torch: what is put on it lives as long as the
graph. Saved tensors go through `save_for_backward`, which checks versions and is freed with the rest.
"""

import functools
import inspect
import threading
from collections.abc import Callable
from contextvars import copy_context
from itertools import compress
from typing import Any

from .._tensor import Tensor
from ..array.backend import zeros_later
from ..core.beside.saved import Packed, modified
from ..core.carriers import RAW
from ..core.graph import Node, TensorBase, Withheld, attach, bump, constant, latest, new_node, output_of
from ..core.modes import differentiable, functional, grad_mode, lifted
from ..core.writes.views import check_inplace, rebase, view_of
from ..text.presentation import need, require, warn
from .grad_mode import no_grad


class FunctionCtx:
    """What `forward` and `backward` of a custom Function receive as `ctx`."""

    needs_input_grad: tuple[bool, ...] = ()
    edges = to_save = dirty_tensors = non_differentiable = saved_for_forward = tuple[Any, ...]()
    materialize_grads = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for backward; read them there as `ctx.saved_tensors`."""
        for place, t in enumerate(tensors if self.edges else ()):
            need(t is None or isinstance(t, TensorBase), "save_non_tensor", place, type(t).__name__)
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `jvp`; read them there as `ctx.saved_tensors`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs `forward` wrote in place; they must be returned."""
        require(all(isinstance(t, TensorBase) for t in tensors), "mark_dirty can only accept variables, but argument ")
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which outputs have no gradient."""
        need(all(isinstance(t, TensorBase) for t in tensors), "mark_nothing")
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """False: gradients that nobody sent arrive as None instead of zeros."""
        self.materialize_grads = value


class SavedForBackward(Withheld):
    """A tensor that `save_for_backward` was given; of an output of this node only the array, so that no cycle holds
    the node."""

    __slots__ = ("counter", "nr", "value", "version")

    def __init__(self, t: Any, outputs: tuple) -> None:
        self.nr = next((i for i, o in enumerate(outputs) if o is t and o.requires_grad), None)
        self.counter = t._shared_counter()
        self.value = t if self.nr is None else shared(t, self.counter)
        self.version = self.counter[0]

    def unpack(self, node: Node, name: str) -> Any:
        """The tensor again, of an output a new one. Raises: RuntimeError if it was written since."""
        t = self.value if self.nr is None else attach(shared(self.value, self.counter), output_of(node, self.nr))
        if self.counter[0] != self.version:
            raise modified(node, name, t, self.counter[0], self.version)
        return t


def shared(t: Any, counter: Any) -> Any:
    """Another tensor on the numbers of `t`, without history; levels know of it what they know of `t`."""
    twin = constant(Tensor, t._data, counter)
    return twin if lifted.get() is None else lifted.get().carry(t, twin, later=True)


class CustomNode(Node, FunctionCtx):
    """The node of a custom Function, named `<Function's name>Backward`; also its `ctx`."""

    wants_undefined, home = True, "torch.autograd.function."
    function: Any = None
    frees = ("_saved",)
    pushing = False  # whether `jvp` runs
    _saved: Any = ()

    @property
    def saved_tensors(self) -> tuple:
        """The tensors given to `save_for_backward`. Raises: RuntimeError once freed or changed.

        While `jvp` runs, those given to `save_for_forward`.
        """
        if self.pushing:
            return self.saved_for_forward
        if isinstance(self._saved, Withheld):
            self._saved.unpack(self, "tensors")
        return tuple(kept and kept.unpack(self, "tensors") for kept in self._saved)

    @property
    def saved_variables(self) -> tuple:
        """The old name of `saved_tensors`, with torch's warning."""
        warn("saved_variables", kind=DeprecationWarning)
        return self.saved_tensors

    def pack(self, outputs: tuple, pack: Callable, unpack: Callable) -> None:
        """Pack what was saved with a pair of hooks; see `core.beside.saved`."""
        self._saved = tuple(t and Packed(t.value if t.nr is None else outputs[t.nr], pack, unpack, own=t.nr is not None)
                            for t in self._saved)

    def apply(self, *given: Any) -> tuple:
        """Run the user's `backward` on tensors; check what it returned. Given only tensors, as torch's: run it."""
        if len(given) < 3 or isinstance(given[2], TensorBase):
            return backward_of(self.function)(self, *given)
        grad, F, keep = given[:3]
        grads = grad if self.outputs > 1 else (grad,)
        if F is RAW:
            grads = tuple(None if g is None else constant(Tensor, g) for g in grads)
        if self.materialize_grads:
            grads = tuple(constant(Tensor, zeros()) if g is None and zeros else g
                          for g, zeros in zip(grads, self._zeros, strict=True))
        with differentiable(F is not RAW):
            returned = nested(backward_of(self.function), self, *grads)
        sent = self._checked(returned if isinstance(returned, tuple) else (returned,))
        if not keep:
            self._saved = latest.freed
        return tuple(g._data.copy() if g is not None and F is RAW else g for g in sent)

    def _checked(self, grads: tuple) -> tuple:
        name, count = type(self).__name__, len(self.needs_input_grad)
        grads = grads if any(g is not None for g in grads[count:]) else grads[:count]
        need(len(grads) == count, "function_count", name, count, len(grads))
        for place, (g, is_tensor) in enumerate(zip(grads, self._tensors, strict=True)):
            need(is_tensor or g is None, "gradient_of_none", name, place + 1)
            require(g is None or isinstance(g, TensorBase), f"expected Variable or None (got {str(type(g))[8:-2]})")
        return tuple(compress(grads, self._tensors))


class Depth(threading.local):
    """How many calls of a learner's `backward` run within each other on a thread."""

    now = 0


DEEPEST = 40  # each takes a dozen of the calls that Python allows
_depth = Depth()


def nested(backward: Callable, *args: Any) -> Any:
    """Call a learner's `backward`; one too deep within others on a thread of its own, as torch does."""
    if _depth.now < DEEPEST:
        _depth.now += 1
        try:
            return backward(*args)
        finally:
            _depth.now -= 1
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, nested, backward, *args).result()


def backward_of(function: Any) -> Callable:
    """The user's `backward` or `vjp`. Raises: NotImplementedError if there is neither, RuntimeError for both."""
    if function.vjp is Function.vjp:
        return function.backward
    need(function.backward is Function.backward, "both_backwards")
    return function.vjp


class Function:
    """Subclass it, write static `forward(ctx, ...)` and `backward(ctx, *grads)`, call `apply(...)`.

    Or write `forward(...)` without ctx and `setup_context(ctx, inputs, output)`.
    Source: torch.autograd.Function.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn("function_instance", type(self), kind=DeprecationWarning)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        need(False, "legacy_function")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The result, as a tensor or a tuple; every Function defines it."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Fill `ctx`, where `forward` does without it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **options: Any) -> Any:  # of any form, for type checkers
        """The gradients of the inputs, from those of the outputs; every Function defines it."""
        need(False, "no_backward")

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs, from those of the inputs, for forward mode."""
        need(False, "no_jvp")

    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
        """What vmap does: `(outputs, out_dims)` of whole batches, where `in_dims` says which dimension is mapped."""
        raise NotImplementedError("vmap is not implemented.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`; record a node if an input requires grad."""
        need(not functional.get() or has_context(cls), "no_context")
        mode = grad_mode()
        return mode.custom(cls, args, kwargs) if hasattr(mode, "custom") else cls._run(args, kwargs)[1]

    @classmethod
    def _run(cls, args: tuple, kwargs: dict) -> tuple[CustomNode, Any]:
        """The ctx, which is a node if an input requires grad, and what `forward` returned."""
        alone = has_context(cls)  # `forward` does without ctx
        if alone:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        elif kwargs:
            args, kwargs = _in_order(cls.forward, args, kwargs), {}
        tensors = [a for a in args if isinstance(a, TensorBase)]
        needed = tuple(isinstance(a, TensorBase) and a.requires_grad for a in args)
        recorded = bool(grad_mode()) and any(needed)
        edges = tuple(t._edge() for t in tensors) if recorded else ()  # now: `forward` may write into a view
        node = new_node(type(f"{cls.__name__}Backward", (CustomNode,), {"function": cls}), edges, None)
        node.needs_input_grad = needed
        with no_grad():
            outputs = cls.forward(*args, **kwargs) if alone else cls.forward(node, *args, **kwargs)
            if alone:
                cls.setup_context(node, args, outputs)
        many = isinstance(outputs, tuple)
        parts = outputs if many else (outputs,)
        need(all(any(t is o for o in parts) for t in node.dirty_tensors), "dirty_outputs")
        for t in [d for d in node.dirty_tensors if recorded and not any(d is t for t in tensors)]:
            need(t._view is None, "dirty_stranger")
            warn("dirty_stranger")
        if isinstance(outputs, list):
            return node, outputs
        wrapped = _give_history(node, args, tensors, parts) if recorded else _outputs(node, parts, tensors, False)
        return node, wrapped if many else wrapped[0]


def has_context(function: Any) -> bool:
    """Whether `setup_context` fills the ctx, not `forward`."""
    return function.setup_context is not Function.setup_context


def _give_history(node: CustomNode, args: tuple, tensors: list, parts: tuple) -> tuple:
    """Give the outputs their history: this node."""
    node._tensors = tuple(isinstance(a, TensorBase) for a in args)
    node.metas = tuple(None if edge is None else (t._data.shape, t._data.dtype)
                       for edge, t in zip(node.edges, tensors, strict=True))
    node.outputs = len(parts)
    node._zeros = [zeros_later(o._data) if isinstance(o, TensorBase) else None for o in parts]
    wrapped = _outputs(node, parts, tensors, True)
    made = [o for o in wrapped if isinstance(o, TensorBase) and o.requires_grad]
    for o in made if len(made) > 1 else ():
        if o._view is not None:
            o._view.kind = "multi"
    node._saved, node.to_save = tuple(t if t is None else SavedForBackward(t, wrapped) for t in node.to_save), ()
    mode = grad_mode()
    if mode is not True and mode:
        mode.recorded(node, wrapped)
    return wrapped


def _outputs(node: CustomNode, parts: tuple, tensors: list, recorded: bool) -> tuple:
    return tuple(_output(node, nr, out, tensors, recorded) for nr, out in enumerate(parts))


def _output(node: CustomNode, nr: int, out: Any, tensors: list, recorded: bool) -> Any:
    """An output with its history, which is this node if it is `recorded` and can be differentiated."""
    if not isinstance(out, TensorBase):
        return out
    if any(out is t for t in node.dirty_tensors):
        return _written(node, nr, out, recorded)
    reached = recorded and out._data.dtype.kind == "f" and not any(out is t for t in node.non_differentiable)
    if any(out is t for t in tensors):  # an input returned as it is becomes a view of it, or stands alone
        detached = not reached and out.requires_grad
        need(not (not detached and has_context(node.function) and any(out is t for t in node.to_save)), "saved_output")
        out = out.detach() if detached or (not reached and out.is_inference()) else view_of(out, out._array())
    elif not reached and out.requires_grad and out._view is None:
        out.detach_()  # what `forward` recorded itself, under enable_grad
    if out._view is not None:
        out._view.kind = "function"
    if reached:
        attach(out, output_of(node, nr))
        if out._view is not None:
            out._view.version = out._version  # what `forward` itself wrote is part of this history
    return out


def _written(node: CustomNode, nr: int, out: Any, recorded: bool) -> Any:
    """An output that `forward` wrote in place."""
    if not recorded:
        bump(out)
        return out.detach() if out.requires_grad else out
    need(out._fn is not None or not out.requires_grad, "dirty_leaf")
    need(out._view is None or node.outputs == 1, "dirty_view")
    check_inplace(out, recorded=True)
    bump(out)
    rebase(out, output_of(node, nr))
    return out


def once_differentiable(backward: Callable) -> Callable:
    """For a `backward` that cannot itself be differentiated: its results say so if somebody tries."""

    @functools.wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            returned = backward(ctx, *grads)
        if not any(isinstance(g, TensorBase) and g.requires_grad for g in grads) or not grad_mode():
            return returned
        return _blocked(returned) if isinstance(returned, tuple) else _blocked((returned,))[0]

    return once


class Error(Node):
    """Stands where the graph of a once-differentiable backward would be."""

    __slots__, __module__ = ("outputs",), "builtins"
    torch_name = "torch::autograd::Error"

    def apply(self, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple:
        """Raises: RuntimeError, for this is where a second derivative would begin."""
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def _in_order(forward: Callable, args: tuple, named: dict[str, Any]) -> tuple:
    """The arguments of `forward` but for ctx, those given by name where they stand in it: each input has a place.

    Raises: TypeError for a name that is no positional parameter, is given twice, or leaves a gap before it.
    """
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in inspect.signature(forward).parameters.values() if p.kind in kinds][1:]
    for name in named:
        require(name in names, f"forward() got an unexpected keyword argument '{name}'", TypeError)
        require(name not in names[: len(args)], f"forward() got multiple values for argument '{name}'", TypeError)
    last = max(map(names.index, named))
    for place, name in enumerate(names[len(args) : last], len(args)):
        require(name in named, f"forward() missing required argument: '{name}' (position {place})", TypeError)
    return (*args, *(named[name] for name in names[len(args) : last + 1]))


def _blocked(parts: tuple) -> tuple:
    """The tensors again, as outputs of an `Error` that stands before copies of them."""
    node = new_node(Error, (), None)
    node.outputs = len(parts)
    node.edges = tuple(g.detach().requires_grad_() if isinstance(g, TensorBase) else None for g in parts)
    return tuple(g if edge is None else attach(g.detach(), output_of(node, nr))
                 for nr, (g, edge) in enumerate(zip(parts, node.edges, strict=True)))
