"""The busiest derivatives written out for arrays: the numbers of the row's own formula, in fewer steps of Python.

`walk` runs them in place of a node's `apply`. What is not plainly there (freed, packed, changed) the row's own
way of reading answers, with its errors.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from ..array.backend import HOST, namespace, ndarray, xp
from ..core.carriers import RAW
from ..core.graph import Node, Withheld, latest
from ..core.row import Scalar, reader

# Beside a small array half of an operation goes into turning a Python number into an array
_ZERO, _ONE = ({kind: xp.full((), number, kind) for kind in map(xp.dtype, "efd")} for number in (0, 1))


def array_of(n: Any, name: str, saved: Any, version: Any, edge: Any) -> Any:
    """The array of a saved input. What is not plainly there (freed, changed, detached) the row answers."""
    if not isinstance(saved, Withheld):
        counter = saved._counter
        if (counter is None or counter[0] == version) and (saved._fn is not None or edge is None or edge is saved):
            return saved._data
    return reader(n.row, name)(n, RAW)


def result_of(n: Any, keep: bool) -> Any:
    """The array of a saved result, which is let go."""
    y = n.saved_result
    if isinstance(y, Withheld) or n.counter_result[0] != n.version_result:
        y = reader(n.row, "result")(n, RAW)
    n.saved_result = n.saved_result if keep else latest.freed
    return y


def mul(n: Any, grad: Any, keep: bool) -> tuple:
    to_self, to_other = n.edges
    other = n.saved_other
    if other.__class__ is Scalar:
        if not keep:
            n.saved_other = latest.freed
        return grad * other.raw, None
    mine = None if to_self is None else grad * array_of(n, "other", other, n.version_other, to_other)
    theirs = None if to_other is None else grad * array_of(n, "self", n.saved_self, n.version_self, to_self)
    if not keep:  # as `free` does, sooner
        if n.saved_self is not None:
            n.saved_self = latest.freed
        if n.saved_other is not None:
            n.saved_other = latest.freed
    return mine, theirs


def div(n: Any, grad: Any, keep: bool) -> tuple:
    if (other := n.saved_other).__class__ is not Scalar:
        return n.apply(grad, RAW, keep)
    n.saved_other = other if keep else latest.freed
    return grad / other.raw, None


def laid_out(times: Any, a: Any, b: Any, strides: tuple) -> Any:
    """`a @ b`; where the factor whose gradient this is, and which has such strides, lies by columns, as it does."""
    return times(b.T, a.T).T if strides == (a.itemsize, a.itemsize * a.shape[0]) else times(a, b)


def mm(n: Any, grad: Any, keep: bool, name: str = "self") -> tuple:
    """What the two factors of a product receive, laid out as they are; the table's mm minds the sign of zero."""
    left, right, times = None, None, RAW.mm if 1 in grad.shape or not isinstance(grad, ndarray) else ndarray.dot
    to_first, to_mat2 = n.edges[-2:]
    if to_first is not None:
        mat2 = array_of(n, "mat2", n.saved_mat2, n.version_mat2, to_mat2)
        strides = n.saved_self_sym_strides if name == "self" else n.saved_mat1_sym_strides
        left = times(grad, mat2.T) if strides[0] > strides[1] else laid_out(times, grad, mat2.T, strides)
    if to_mat2 is not None:
        saved = (n.saved_self, n.version_self) if name == "self" else (n.saved_mat1, n.version_mat1)
        first = array_of(n, name, *saved, to_first)
        strides = n.saved_mat2_sym_strides  # by rows, most often
        right = times(first.T, grad) if strides[0] > strides[1] else laid_out(times, first.T, grad, strides)
    if not keep:  # as `free` does, sooner
        if to_mat2 is not None:
            setattr(n, "saved_" + name, latest.freed)
        if to_first is not None:
            n.saved_mat2 = latest.freed
    return left, right


def addmm(n: Any, grad: Any, keep: bool) -> tuple:
    plain = n.saved_alpha == n.saved_beta == 1
    return (grad, *mm(n, grad, keep, "mat1")) if plain else n.apply(grad, RAW, keep)


def tanh(n: Any, grad: Any, keep: bool) -> tuple:
    y = result_of(n, keep)
    slope = y * y
    # one new array instead of three: new pages cost most
    slope = xp.subtract(_ONE[slope.dtype], slope, slope) if isinstance(slope, ndarray) else 1 - slope
    slope *= grad
    return (slope,)


def relu(n: Any, grad: Any, keep: bool) -> tuple:
    y = result_of(n, keep)
    if not isinstance(y, ndarray):
        return ((type(y)(0) if y <= 0 else grad) if isinstance(y, HOST) else RAW.relu_backward(grad, y),)
    return (xp.where(y <= (zero := _ZERO[y.dtype]), zero, grad) if y.size <= 1024 else RAW.relu_backward(grad, y),)


def extreme(n: Any, grad: Any, keep: bool) -> tuple:
    """Of two numbers; arrays take the formulas of maximum and minimum."""
    (to_self, to_other), nothing, name = n.edges, grad.dtype.type(0), n.row.name
    a = array_of(n, "self", n.saved_self, n.version_self, to_self)
    b = array_of(n, "other", n.saved_other, n.version_other, to_other)
    if a.ndim or b.ndim:
        return n.apply(grad, RAW, keep)
    if not keep:
        n.saved_self = n.saved_other = latest.freed
    first, second, whole = *((a, b) if name == "maximum" else (b, a)), grad / 2 if a == b else grad
    return (None if to_self is None else nothing if first < second else whole,
            None if to_other is None else nothing if second < first else whole)


def pow_number(n: Any, grad: Any, keep: bool) -> tuple:
    if n.saved_exponent != 2:
        return n.apply(grad, RAW, keep)
    x = array_of(n, "self", n.saved_self, n.version_self, n.edges[0])
    n.saved_self = n.saved_self if keep else latest.freed
    return (grad * (x + x),)


def _spread(n: Any, grad: Any) -> Any:
    """A sum's gradient in the shape of what was summed."""
    shape, edge = n.saved_self_sym_sizes, n.edges[0]
    # Nobody sees what passes between two nodes. Small arrays are faster to multiply when every place is
    # written; large ones, seen with stride 0, are memory not spent.
    if isinstance(edge, Node) and edge.hooks is None and prod(shape) <= 4096:
        return _full(shape, grad)
    return RAW.expand(grad, shape)


def _full(shape: tuple, grad: Any) -> Any:
    """`grad` in a larger shape, written in every place."""
    if not shape:
        return grad
    filled = namespace(grad).empty(shape, grad.dtype)
    filled[...] = grad
    return filled


# By the row's name; each gets the node, its gradient, and whether to keep what was saved.
DERIVATIVES: dict[str, Callable] = {"mul": mul, "div": div, "addmm": addmm, "tanh": tanh, "relu": relu, "mm": mm,
    "pow_number": pow_number, "maximum": extreme, "minimum": extreme, "t": lambda n, grad, keep: (grad.T,),
    "sum": lambda n, grad, keep: (_spread(n, grad),), "add": lambda n, grad, keep: (grad, grad),
    "sub": lambda n, grad, keep: (grad, None if n.edges[1] is None else -grad),
    "sum_dim": lambda n, grad, keep: (_spread(n, grad if n.saved_keepdim else RAW.kept(
        grad, n.saved_self_sym_sizes, n.saved_dim, False)),),
    "mean_dim": lambda n, grad, keep: (_full(to := n.saved_self_sym_sizes, RAW.kept(  # divided while it is small
        grad / RAW.count(to, n.saved_dim), to, n.saved_dim, n.saved_keepdim)),),
    "mean": lambda n, grad, keep: (_full(n.saved_self_sym_sizes, grad / n.saved_self_sym_numel),),
    "transpose": lambda n, grad, keep: (grad.swapaxes(n.saved_dim0, n.saved_dim1) if grad.ndim else grad,),
    "permute": lambda n, grad, keep: (grad.transpose(RAW.inverse_order(n.saved_dims)),),
    "softmax": lambda n, grad, keep: ((y := result_of(n, keep)) * (grad - RAW.sum_dim(grad * y, n.saved_dim, True)),),
    "unsqueeze": lambda n, grad, keep: (grad.squeeze(n.saved_dim),),
    "expand": lambda n, grad, keep: (RAW.sum_to(grad, n.saved_self_sym_sizes),),
    "slice": lambda n, grad, keep: (RAW.slice_back(
        grad, n.saved_self_sym_sizes, n.saved_dim, n.saved_start, n.saved_end, n.saved_step),),
    **dict.fromkeys(("view", "reshape_alias", "unsafe_view", "squeeze", "squeeze_dim"),
                    lambda n, grad, keep: (grad.reshape(n.saved_self_sym_sizes),))}
