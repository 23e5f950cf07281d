"""What a call of backward means: roots, their gradients, which leaves, and torch's refusals.

`backward` adds to `.grad`, `grad` returns gradients; both only prepare a run of the engine.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..array import dtypes
from ..array.backend import xp
from ..text import presentation
from .base import TensorBase, attach, constant
from .carriers import TENSORS
from .engine import run
from .modes import differentiable
from .node import Freed, learners_line, output_of


class GradientEdge:
    """A place in the graph: output `output_nr` of `node`. Source: torch.autograd.graph.GradientEdge."""

    __slots__ = ("like", "node", "output_nr")

    def __init__(self, node: Any, output_nr: int, like: Any = None) -> None:
        self.node, self.output_nr, self.like = node, output_nr, like

    def tensor(self) -> Any:
        """The leaf here, or a tensor that stands for the one that was made here: `like` has its shape and type."""
        t = getattr(self.node, "variable", None)
        if t is None:
            t = attach(constant(TensorBase._plain, self.like), output_of(self.node, self.output_nr))
        return t

    def __repr__(self) -> str:
        return f"GradientEdge(node={self.node!r}, output_nr={self.output_nr}, ownership_token=None)"


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: Any = None,
             create_graph: bool = False, grad_variables: Any = None, inputs: Any = None) -> None:
    """Add to the `.grad` of leaves the gradients of `tensors`, weighted by `grad_tensors`.

    `grad_tensors` has one tensor (or None for a single element) per root, each of its root's shape.
    Raises: RuntimeError without a graph, for wrong shapes, and for freed buffers.
    """
    roots = as_roots(tensors)
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
    given = grad_tensors if grad_tensors is not None else grad_variables
    if inputs is not None:
        inputs = as_tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grads = root_gradients(roots, given, create_graph)
    if create_graph:
        presentation.warn("create_graph", "Using backward() with create_graph=True will create a reference cycle "
            "between the parameter and its gradient which can cause a memory leak. We recommend using autograd.grad "
            "when creating the graph to avoid this. If you have to use this function, make sure to reset the .grad "
            "fields of your parameters to None after use to break the cycle and avoid the leak.",
            stacklevel=3, once=True)
    Freed.current = Freed(*learners_line())
    edges = None if inputs is None else [_input_edge(t) for t in inputs]
    run(roots, grads, keeps(retain_graph, create_graph), create_graph, edges)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: Any = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: Any = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple:
    """Gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched.

    Raises: RuntimeError for an input that `outputs` do not depend on, unless `allow_unused`.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
                      "gradient for other parts of the graph, please use torch.autograd.backward.",
                      FutureWarning, stacklevel=2)
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots, wanted = as_roots(outputs), as_tuple(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return _batched(roots, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    grads = root_gradients(roots, grad_outputs, create_graph)
    Freed.current = Freed(*learners_line())
    edges = [_wanted_edge(t) for t in wanted]
    found: dict[Any, Any] = {}
    run(roots, grads, keeps(retain_graph, create_graph), create_graph, edges, found)
    results = [found.get(edge) for edge in edges]
    for place, g in enumerate(results):
        if g is not None:
            results[place] = g if create_graph else constant(TensorBase._plain, g)
        elif allow_unused:
            results[place] = _unused(wanted[place], create_graph, materialize_grads)
        else:
            raise presentation.error(RuntimeError, "unused_input",
                f"The differentiated Tensor at index {place} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior.", tensor=wanted[place])
    return tuple(results)


def _unused(t: Any, create_graph: bool, materialize: bool) -> Any:
    """What stands for the gradient of an input that the outputs do not depend on."""
    if not materialize:
        return None
    if isinstance(t, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    zeros = constant(t._plain, xp.zeros_like(t._data))
    zeros._requires_grad = create_graph
    return zeros


def _batched(roots: tuple, wanted: tuple, batches: Any, retain: Any, create: bool, unused: Any,
             materialize: bool) -> tuple:
    """One backward per row of the gradients, stacked: what torch does with vmap."""
    batches = (None,) if batches is None else as_tuple(batches)
    if any(b is None for b in batches):
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    sizes = [b.size(0) for b in batches if b[0] is not None]  # looking says what is wrong with no rows
    if len(set(sizes)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{sizes} for the mapped dimension")
    count = sizes[0]
    rows = [grad(roots, wanted, tuple(b[i] for b in batches), True if i < count - 1 else retain,
                 create, allow_unused=unused) for i in range(count)]
    return tuple(_unused(t, create, materialize) if column[0] is None else TENSORS.stack(column)
                 for t, column in zip(wanted, zip(*rows, strict=True), strict=True))


def as_tuple(tensors: Any) -> tuple:
    """One tensor or a sequence of them, as a tuple."""
    if isinstance(tensors, (TensorBase, GradientEdge)):
        return (tensors,)
    return tuple(tensors)


def as_roots(tensors: Any) -> tuple:
    """Where backward starts: tensors, or the places in the graph where they were made."""
    if isinstance(tensors, TensorBase):
        return (tensors,)
    return tuple(t.tensor() if isinstance(t, GradientEdge) else t for t in as_tuple(tensors))


def keeps(retain_graph: Any, create_graph: bool) -> bool:
    """Whether saved values survive: as `retain_graph` says, else as `create_graph` does."""
    return create_graph if retain_graph is None else bool(retain_graph)


_ONES = {kind: kind(1) for kind in (xp.float16, xp.float32, xp.float64)}


def root_gradients(roots: tuple, given: Any, create_graph: bool) -> list[Any]:
    """A gradient per root, of its shape and type: given, or 1 for a single element."""
    if given is None and len(roots) == 1 and isinstance(roots[0], TensorBase):
        one = _ONES.get(type(roots[0]._data))
        if one is not None and roots[0]._fn is not None:  # the usual loss
            return [constant(roots[0]._plain, one) if create_graph else one]
    grads: tuple = (None,) * len(roots)
    if given is not None:
        grads = (given,) if isinstance(given, TensorBase) else tuple(given)
    if len(grads) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(grads)} gradients")
    made = [_root_gradient(root, g, create_graph) for root, g in zip(roots, grads, strict=True)]
    for place, root in enumerate(roots):
        if root._fn is None and root._edge() is None:
            raise presentation.error(RuntimeError, "no_graph",
                f"element {place} of tensors does not require grad and does not have a grad_fn",
                tensor=root)
    return made


def _root_gradient(root: Any, grad: Any, create_graph: bool) -> Any:
    if not isinstance(root, TensorBase):
        raise AssertionError("Expected output to be a torch.Tensor")
    data = root._data
    if grad is None:
        if data.size != 1 and root.requires_grad:
            raise presentation.error(RuntimeError, "not_scalar",
                "grad can be implicitly created only for scalar outputs", tensor=root)
        ones = data.dtype.type(1) if isinstance(data, xp.generic) else xp.ones_like(data)
        return constant(root._plain, ones) if create_graph else ones
    if not isinstance(grad, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if grad._data.shape != data.shape:
        raise presentation.error(RuntimeError, "gradient_shape",
            f"Mismatch in shape: grad_output[0] has a shape of {grad.shape} and output[0] has a shape "
            f"of {root.shape}.", tensor=root)
    if grad._data.dtype != data.dtype:
        with differentiable(create_graph):
            grad = grad.to(dtypes.of(data.dtype))
    return grad if create_graph else grad._data


def _input_edge(t: Any) -> Any:
    """Where backward(inputs=...) stops; a non-leaf keeps its gradient in `.grad`."""
    if isinstance(t, TensorBase):
        t.retain_grad()
    return _wanted_edge(t)


def _wanted_edge(t: Any) -> Any:
    if isinstance(t, GradientEdge):
        t = t.tensor()
    if not isinstance(t, TensorBase):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(t).__name__}")
    edge = t._edge()
    if edge is None and not t.requires_grad:
        raise presentation.error(RuntimeError, "constant_input",
            "One of the differentiated Tensors does not require grad", tensor=t)
    return edge
