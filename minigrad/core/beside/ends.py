"""Where backward starts and ends: roots and their gradients, inputs and their edges, and torch's refusals."""

from collections import namedtuple
from typing import Any

from ...array import dtypes, xp
from ...text.presentation import need, require
from ..graph import TensorBase, attach, constant, output_of
from ..modes import differentiable


class GradientEdge(namedtuple("GradientEdge", "node output_nr ownership_token", defaults=[None])):
    """A place in the graph: output `output_nr` of `node`. Source: torch.autograd.graph.GradientEdge."""

    __module__ = "torch.autograd.graph"
    like = xp.empty(0)  # an array of the shape and type of what was made here, if that is known

    def tensor(self) -> Any:
        """The leaf here, or a tensor that stands for the one that was made here."""
        if (leaf := getattr(self.node, "variable", None)) is not None:
            return leaf
        return attach(constant(TensorBase._plain, self.like), output_of(self.node, self.output_nr))


def as_tuple(tensors: Any) -> tuple:
    """One tensor or a sequence of them, as a tuple."""
    return (tensors,) if isinstance(tensors, (TensorBase, GradientEdge)) else tuple(tensors)


def as_roots(tensors: Any) -> tuple:
    """Where backward starts: tensors, or the places in the graph where they were made."""
    if isinstance(tensors, TensorBase):
        return (tensors,)
    return tuple(t.tensor() if isinstance(t, GradientEdge) else t for t in as_tuple(tensors))


_ONES = {kind: kind(1) for kind in (xp.float16, xp.float32, xp.float64)}


def root_gradients(roots: tuple, given: Any, create_graph: bool) -> list[Any]:
    """A gradient per root, of its shape and type: given, or 1 for a single element."""
    if len(roots) == 1 and isinstance(root := roots[0], TensorBase) and root._fn is not None:
        data = root._data
        if given is None and (one := _ONES.get(type(data))) is not None:  # the usual loss
            return [constant(root._plain, one) if create_graph else one]
        if isinstance(given, TensorBase) and given._data.shape == data.shape and given._data.dtype is data.dtype:
            return [given if create_graph else given._data]
    grads = (None,) * len(roots) if given is None else as_tuple(given)
    made = [_root_gradient(root, g, create_graph) for root, g in zip(roots, grads, strict=False)]
    need(len(made) == len(roots), "root_count", len(roots), len(made))  # as torch, that leaves out what is too much
    for place, root in enumerate(roots):
        need(root._fn is not None or root._edge() is not None, "no_graph", place, tensor=root)
    return made


def _root_gradient(root: Any, grad: Any, create_graph: bool) -> Any:
    require(isinstance(root, TensorBase), "Expected output to be a torch.Tensor", AssertionError)
    data = grad._data if root._data is GradientEdge.like and isinstance(grad, TensorBase) else root._data
    if grad is None:
        need(data.size == 1 or not root.requires_grad, "not_scalar", tensor=root)
        ones = data.dtype.type(1) if isinstance(data, xp.generic) else xp.ones_like(data)
        return constant(root._plain, ones) if create_graph else ones
    need(isinstance(grad, TensorBase), "gradient_kind", type(grad).__name__, kind=TypeError)
    need(grad._data.shape == data.shape, "gradient_shape", grad.shape, root.shape, tensor=root)
    if grad._data.dtype != data.dtype:
        with differentiable(create_graph):
            grad = grad.to(dtypes.of(data.dtype))
    return grad if create_graph else grad._data


def input_edge(t: Any) -> Any:
    """Where backward(inputs=...) stops; a non-leaf keeps its gradient in `.grad`."""
    if isinstance(t, TensorBase):
        t.retain_grad()
    return wanted_edge(t)


def wanted_edge(t: Any) -> Any:
    if not isinstance(t, TensorBase):
        need(isinstance(t, GradientEdge), "edge_kind", type(t).__name__)
        t = t.tensor()
    if (edge := t._edge()) is None:
        need(t.requires_grad, "constant_input", tensor=t)
    return edge


def unused(t: Any, create_graph: bool, materialize: bool) -> Any:
    """What stands for the gradient of an input that the outputs do not depend on."""
    if not materialize:
        return None
    require(not isinstance(t, GradientEdge), "materialize_grads cannot be used when the given input is a GradientEdge")
    zeros = constant(t._plain, xp.zeros_like(t._data))
    zeros._requires_grad = create_graph
    return zeros
