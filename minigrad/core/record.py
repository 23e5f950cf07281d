"""A row as a function: compute with the arrays, and record a node where a gradient is wanted.

There are four kinds of call: any tensors and options, two tensors or a tensor and a number, a list of
tensors, and a view. Each reads its operands (edges first: a view that cannot be read any more complains
before the numbers are looked at), runs the row's forward, and records the result (`recorded`).
Broadcasting is not the rows' business: a node notes shapes and types in `metas`, the engine sums back.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ..array import dtypes, in_order, ndarray, xp
from ..text.presentation import need
from .beside.ledger import cut
from .beside.refusals import refusal, tensors_in, two_devices, type_said
from .graph import TensorBase, attach, constant, new_node, output_of
from .modes import INFERENCE, UNCOUNTED, grad_mode
from .row import Row, Scalar
from .writes.views import view_of

_SINGLE = dtypes.float32.np


def call_of_tensors(row: Row) -> Callable:
    """Any tensors (some may be None or numbers), then options; one result or several."""
    forward, total, scalars = row.forward, len(row.inputs), [row.inputs.index(name) for name in row.scalars]
    tracked = [i for i, name in enumerate(row.tensors) if name in row.derivatives]
    others = [i for i in range(len(row.tensors)) if i not in tracked]
    fits = row.elementwise or len(tracked) > 1  # a gradient may have to be brought to an operand's shape
    reduces = "keepdim" in row.inputs and not row.outputs  # NumPy lays the rest as the whole lay, torch in order

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        mode = grad_mode()
        if mode is not True and mode is not False and mode is not INFERENCE:
            return mode.intercept(call, args)
        for i in scalars:
            args = args if args[i].__class__ in PLAIN else (*args[:i], number_in(args[i]), *args[i + 1 :])
        arrays, edges, wanted, alike = operands(args, tracked, mode)
        for i in others:
            arrays[i] = array_in(args[i])
        if total == 1 and not isinstance(args[0], TensorBase):
            need(False, "argument_kind", row.name, "input", 1, "Tensor", type_said(args[0]))
        try:
            if row.elementwise and not alike:
                arrays = promoted(arrays, tracked, row.opmath)
            z = in_order(forward(*arrays)) if reduces else forward(*arrays)
        except (AttributeError, TypeError, ValueError) as refused:
            raise refusal(row, arrays[: len(row.tensors)], refused, row.elementwise) from None
        if not wanted or not is_float(z):
            result = untracked(z if total > 1 else in_torchs_type(forward, z, *arrays), mode)
            return integer_result(row, result, args[0]) if mode and (wanted or not tracked) else result
        first = arrays[tracked[0]]
        alike = alike and row.elementwise and (z.shape, z.dtype) == (first.shape, first.dtype)  # the result, too
        return recorded(row, args, edges, metas_of([args[i] for i in tracked]) if fits and not alike else None, z)

    return call


def call_of_two(row: Row) -> Callable:
    """Two tensors that broadcast, or a tensor and a number: add, mul, pow ..."""
    forward, both, records = row.forward, (0, 1), bool(row.derivatives)

    def call(self: Any, other: Any) -> Any:
        mode = grad_mode()
        if mode is not True and mode is not False and mode is not INFERENCE:
            return mode.intercept(call, (self, other))
        (a, b), edges, wanted, alike = operands((self, other), both, mode and records)
        given = other
        if isinstance(other, TensorBase):
            if a.dtype is not b.dtype:
                if row.check_types is not None:
                    row.check_types(a.dtype.kind, b.dtype.kind)
                decided = a.ndim and not b.ndim and a.dtype.char == row.opmath
                a, b = (a, dtypes.cast(b, _SINGLE)) if decided else dtypes.promote(a, b)
        elif row.numbers == "arrays" and isinstance(other, ndarray) and other.dtype in dtypes.BY_NUMPY:
            return call(self, constant(TensorBase._plain, dtypes.own(other)))
        else:
            a, other = beside_number(row, a, other)
            if other is None:
                return NotImplemented
            b = other.raw
            alike = a is self._data and a.dtype is b.dtype
        try:
            z = forward(a, b) if a.dtype is b.dtype else forward(a, b).astype(a.dtype)
        except (ValueError, TypeError) as refused:
            raise refusal(row, (a, b), refused, True) from None
        if not wanted:
            result = untracked(in_torchs_type(forward, z, a, b), mode)
            return result if records or not mode else integer_result(row, result, self, other)
        return recorded(row, (self, other), edges, None if alike else metas_of((self, given)), z)

    return call


def call_of_list(row: Row) -> Callable:
    """A list of tensors in, one out: cat, stack. The derivative returns one gradient per tensor."""
    forward, total = row.forward, len(row.inputs)

    def call(tensors: Any, *args: Any, **options: Any) -> Any:
        mode = grad_mode()
        if mode is not True and mode is not False and mode is not INFERENCE:
            return mode.intercept(call, row.bind((tensors, *args), options))
        tensors = tensors_in(row.name, tensors)
        if options or len(args) + 1 < total:
            tensors, *args = row.bind((tensors, *args), options)  # type: ignore[assignment]
        arrays, edges, wanted, alike = operands(tensors, range(len(tensors)), mode)
        try:
            of_one_type = arrays if alike else promoted(arrays, range(len(arrays)))
            z = forward(of_one_type, *args)
        except TypeError as refused:
            raise two_devices(*arrays) or refused from None
        if not wanted:
            return untracked(z, mode)
        return recorded(row, (tensors, *args), edges, None if of_one_type is arrays else metas_of(tensors), z)

    return call


def call_of_view(row: Row, kind: str) -> Callable:
    """One tensor in, views of its storage out. `kind`: why they may not be written, see `views`."""
    forward, total = row.forward, len(row.inputs)

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        mode, self = grad_mode(), args[0]
        if mode is not True and mode is not False and mode is not INFERENCE:
            return mode.intercept(call, args)
        edge = self._edge() if mode else None
        z = forward(self._data if self._data.__class__ is ndarray else self._array(), *args[1:])
        made = kind if mode else "inference" if mode is INFERENCE else "no_grad"
        result: Any = view_of(self, z, made) if z.__class__ is not list else tuple([view_of(self, v, made) for v in z])
        if edge is None and not (mode and self.requires_grad):
            return result
        n = new_node(row.made or row.node, (edge,), None)
        if z.__class__ is list:
            n.outputs = len(z)
            for nr, part in enumerate(result):
                attach(part, output_of(n, nr))
        else:
            result._fn, result._requires_grad = n, True
        if row.saved:
            row.save(n, args, z, result)
        return result

    return call


# ---- before: what the operands are


PLAIN = {float, int, bool, type(None), tuple, str}  # classes of options that are what they are


def operands(args: Iterable[Any], places: Iterable[int], mode: Any) -> tuple[list, list, bool, bool]:
    """`args` with arrays at `places`, and of the tensors there: the edges, whether one wants a gradient, and
    whether all are of one shape and type."""
    arrays, edges, wanted, alike, kind, shape = [*args], [], False, True, None, None
    for i in places:
        x, edge = arrays[i], None
        if isinstance(x, TensorBase):
            data = arrays[i] = x._data
            if kind is None:
                kind, shape = data.dtype, data.shape
            elif data.dtype is not kind or data.shape != shape:
                alike = False
            if mode:
                if (view := x._view) is not None:
                    view.refresh(x)
                    wanted = wanted or view.base._requires_grad  # also where it was made under no_grad, without an edge
                edge = x._fn or (x if x._requires_grad else None)
                wanted = wanted or edge is not None
        elif x is not None:
            arrays[i], alike = array_in(x), False
        edges.append(edge)
    return arrays, edges, wanted, alike


def array_in(x: Any) -> Any:
    """What a forward computes with: a tensor's array; NumPy's numbers as Python's, which decide no type."""
    return x._data if isinstance(x, TensorBase) else x.item() if isinstance(x, xp.generic) else x


def number_in(x: Any) -> Any:
    """An option that is a NumPy scalar or a tensor as Python's number; a tensor that requires grad stays one."""
    return x.item() if hasattr(x, "item") and not getattr(x, "requires_grad", False) else x


def promoted(arrays: list, places: Iterable[int], opmath: str = "") -> list:
    """The arrays, those at `places` in the type of their result (`Row.opmath`); masks, indices, options keep theirs."""
    mixed = [x for i in places if (x := arrays[i]) is not None]
    kinds = {getattr(x, "dtype", None) for x in mixed}
    if len(kinds) == 1 and None not in kinds:
        return arrays
    kind = dtypes.result_dtype(*mixed)
    return [dtypes.cast(x, _SINGLE if i and kind.char == opmath and not xp.ndim(x) else kind)
            if i in places and x is not None else x for i, x in enumerate(arrays)]


def beside_number(row: Row, a: Any, value: Any) -> tuple[Any, Scalar | None]:
    """A Python number beside array `a`: `a` in the type of the result, and the number; None for what is no number."""
    if hasattr(value, "item") and not isinstance(value, ndarray) and getattr(value, "ndim", 1) == 0:
        value = float(value) if isinstance(value, xp.bool_) else value.item()  # NumPy's bool is a number to torch
    if not row.numbers or not isinstance(value, (bool, int, float)):
        return a, None
    if row.check_types is not None:
        row.check_types(a.dtype.kind, "b" if type(value) is bool else "")
    kind = dtypes.result_dtype(a, value)
    kind = dtypes.get_default_dtype().np if row.numbers == "floats" and kind.kind != "f" else kind
    a = dtypes.cast(a, kind)
    raw = xp.asarray(value).astype(_SINGLE if a.dtype.char == row.opmath else a.dtype)  # integers wrap, as in torch
    return a, Scalar(value, raw if isinstance(a, ndarray) else raw[()])


# ---- after: what the result is


def recorded(row: Row, args: tuple, edges: list, metas: Any, z: Any) -> Any:
    """The result with its node, which has noted what its derivatives need."""
    n = new_node(row.made or row.node, tuple(edges), metas)
    if z.__class__ is not tuple and z.__class__ is not list:
        result: Any = attach(constant(TensorBase._plain, z), n)
    elif row.multi:
        n.outputs = len(z)
        result = tuple([attach(constant(TensorBase._plain, part), output_of(n, i)) if is_float(part)
                        else constant(TensorBase._plain, part) for i, part in enumerate(z)])
    else:  # what stands beside the first, such as indices, has no gradient
        result = tuple([constant(TensorBase._plain, part) for part in z])
        attach(result[0], n)
    row.save(n, args, z, result)
    return result


def integer_result(row: Row, result: Any, *sources: Any) -> Any:
    """A result that can have no gradient, whole numbers or truth values: a cut, if a source of it is tracked."""
    for source in [x for x in sources if isinstance(x, TensorBase)]:
        cut(row.name, source, result[-1] if type(result) is tuple else result, climb=True)
    return result


def untracked(z: Any, mode: Any) -> Any:
    """The result without history."""
    if z.__class__ is tuple or z.__class__ is list:
        return tuple(untracked(part, mode) for part in z)
    return constant(TensorBase._plain, z, UNCOUNTED if mode is INFERENCE else None)


def is_float(z: Any) -> bool:
    """Whether a result can have a gradient; of several the first decides, which is a float."""
    return z.__class__ is tuple or z.__class__ is list or z.dtype.kind == "f"


def metas_of(tensors: Iterable[Any]) -> tuple:
    """Shapes and types to which the engine brings gradients back; None for what is no tensor."""
    return tuple([(x._data.shape, x._data.dtype) if isinstance(x, TensorBase) else None for x in tensors])


def in_torchs_type(forward: Callable, z: Any, *arrays: Any) -> Any:
    """`z`, computed anew where NumPy chose another type than torch: integers become default floats."""
    if z.__class__ is not tuple and z.dtype.kind == "f" and arrays[0].dtype.kind in "iub":
        return forward(*[x.astype(dtypes.get_default_dtype().np) for x in arrays])
    return z
