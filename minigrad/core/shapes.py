"""The shapes of operations: closures that run a row forward and record its node.

`unary` and `binary` are written out, since they are what most programs consist of; `single` has one
tensor and options, `nary` any tensors and options, `sequence` a list of tensors, `view` shares storage.
Broadcasting is not the rows' business: a node notes the shapes in `metas`, the engine sums back.
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable
from types import NoneType
from typing import Any

from ..array import dtypes
from ..array.backend import device_of, ndarray, xp
from ..text import presentation
from .base import TensorBase, attach, constant
from .modes import INFERENCE, UNCOUNTED, grad_mode
from .node import OURS, learners_line, output_of, recent, recorded_for, seqs
from .row import Number, Row, blank_node, saver, taker
from .views import view_of

Tensor: Any = TensorBase  # `_tensor.py` puts the class with the language here
_frame = sys._getframe
blank: Any = None


# ---- recording


def type_said(given: Any) -> str:
    """The type of a value as torch's messages name it: `str`, `numpy.ndarray`."""
    kind = type(given)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def must_be(wanted: str, name: str, argument: str, position: int, given: Any) -> Exception:
    """torch's text for an argument of another kind than is wanted."""
    return TypeError(f"{name}(): argument '{argument}' (position {position}) must be {wanted}, not {type_said(given)}")


def must_be_tensor(name: str, argument: str, position: int, given: Any) -> Exception:
    return must_be("Tensor", name, argument, position, given)


def unary(row: Row) -> Callable:
    """One tensor in, one out, nothing else: exp, neg, relu ..."""
    forward, cls = row.forward, row.node
    keeps_self, keeps_result = "self" in row.saved, "result" in row.saved
    keeps_sizes, keeps_numel = "self_sym_sizes" in row.saved, "self_sym_numel" in row.saved
    records = grad_mode if row.derivatives else never

    def call(input: Any) -> Any:  # written out, without helpers: this is what an operation costs
        try:
            mode, view = records(), input._view
        except AttributeError:
            raise must_be_tensor(row.name, "input", 1, input) from None
        if view is not None and mode:
            view.refresh(input)
        a = input._data
        z, t = forward(a), blank()
        t._grad = t._hooks = t._view = None
        if not (mode and (input._requires_grad or unread(view))):
            t._data = z if z.dtype is a.dtype else settle(forward, z, a)
            t._fn, t._requires_grad, t._counter = None, False, UNCOUNTED if mode is INFERENCE else None
            return t
        n = cls()
        n.edges, n.metas, n.hooks = (input._fn or (input if input._requires_grad else None),), None, None
        n.seq = next(seqs)
        f = _frame(1)
        code = f.f_code
        while code is not recent[0] and code.co_filename in OURS:
            f = recorded_for() or f.f_back
            if f is None:  # a thread that begins with one of ours
                n.code, n.lasti = None, 0
                break
            code = f.f_code
        else:
            n.code = recent[0] = code
            n.lasti = f.f_lasti
        t._data, t._counter = z, None
        if keeps_self:
            c = input._counter
            n.saved_self, n.version_self = input, 0 if c is None else c[0]
        if keeps_result:
            n.saved_result, n.version_result = z, 0
            n.counter_result = t._counter = [0, ()]
        if keeps_sizes:
            n.saved_self_sym_sizes = a.shape
        if keeps_numel:
            n.saved_self_sym_numel = a.size
        t._fn, t._requires_grad = n, True
        if mode is not True:
            mode.recorded(n, t)
        return t

    return call


def never() -> Any:
    """The grad mode of an operation that has no derivative."""
    return grad_mode() is INFERENCE and INFERENCE


def settle(forward: Callable, z: Any, a: Any, b: Any = None) -> Any:
    """Put right what NumPy computed in another type than torch: integers become default floats."""
    if z.dtype.kind == "f" and a.dtype.kind in "iub":
        kind = dtypes.get_default_dtype().np
        a = a.astype(kind)
        return forward(a) if b is None else forward(a, b.astype(kind))
    return z


_UFUNCS = {operator.add: xp.add, operator.sub: xp.subtract, operator.mul: xp.multiply}  # quicker for arrays alone


def binary(row: Row) -> Callable:
    """Two tensors that broadcast, or a tensor and a number: add, mul, pow ..."""
    forward, cls = row.forward, row.node
    self_for, other_for, keeps_result = used_by(row, "self"), used_by(row, "other"), "result" in row.saved
    by_self, by_other = self_for == "self", other_for == "other"
    ufunc, may_change_type = _UFUNCS.get(forward, forward), forward not in _UFUNCS
    records = grad_mode if row.derivatives else never

    def call(self: Any, other: Any) -> Any:
        mode, view = records(), self._view
        if view is not None and mode:
            view.refresh(self)
        a = self._data
        to_self = self._fn or (self if self._requires_grad else None)
        kind = type(other)
        if kind is Tensor or (kind is not float and isinstance(other, TensorBase)):
            b, number, peer = other._data, None, other._view
            if peer is not None and mode:
                peer.refresh(other)
            to_other = other._fn or (other if other._requires_grad else None)
            alike = a.dtype is b.dtype
            if not alike:
                if row.meets is not None:
                    row.meets(a.dtype.kind, b.dtype.kind)
                a, b = dtypes.promote(a, b)
            elif a.shape != b.shape:
                alike = False
        elif not row.numbers:
            return NotImplemented
        else:
            to_other, peer, alike = None, None, True
            try:
                number = _numbers[kind][a.dtype if type(a) is ndarray else (type(a), a.dtype)][other]
            except (KeyError, TypeError):  # not met before, or what has no hash
                number = None
            if number is None:
                a, number = meet(row, a, other)
                if row.numbers == "arrays" and isinstance(other, ndarray) and other.dtype in dtypes.BY_NUMPY:
                    return call(self, constant(Tensor, other))
                if number is None:
                    return NotImplemented
                alike = a is self._data
            b = number.raw
        try:
            z = ufunc(a, b) if type(a) is ndarray else forward(a, b)
        except ValueError:
            raise shape_mismatch(a, b) from None
        except TypeError as refused:
            raise type_mismatch(row, a, b, refused) from None
        t = blank()
        t._grad = t._hooks = t._view = None
        if not (mode and (to_self is not None or to_other is not None or unread(view) or unread(peer))):
            t._data = settle(forward, z, a, b) if may_change_type and z.dtype is not a.dtype else z
            t._fn, t._requires_grad, t._counter = None, False, UNCOUNTED if mode is INFERENCE else None
            return t
        n = cls()
        n.edges, n.hooks = (to_self, to_other), None
        n.metas = None if alike else metas_of(self, other, number)
        n.seq = next(seqs)
        f = _frame(1)
        code = f.f_code
        while code is not recent[0] and code.co_filename in OURS:
            f = recorded_for() or f.f_back
            if f is None:  # a thread that begins with one of ours
                n.code, n.lasti = None, 0
                break
            code = f.f_code
        else:
            n.code = recent[0] = code
            n.lasti = f.f_lasti
        t._data, t._counter = z, None
        if self_for is not None:
            if (to_self if by_self else to_other) is not None or self_for == "both":
                c = self._counter
                n.saved_self, n.version_self = self, 0 if c is None else c[0]
            else:
                n.saved_self = None
        if other_for is not None:
            if number is not None:
                n.saved_other, n.version_other = number, 0
            elif (to_other if by_other else to_self) is not None or other_for == "both":
                c = other._counter
                n.saved_other, n.version_other = other, 0 if c is None else c[0]
            else:
                n.saved_other = None
        if keeps_result:
            n.saved_result, n.version_result = z, 0
            n.counter_result = t._counter = [0, ()]
        t._fn, t._requires_grad = n, True
        if mode is not True:
            mode.recorded(n, t)
        return t

    return call


def used_by(row: Row, name: str) -> str | None:
    """Whose derivative needs the saved input `name`: "self", "other" or "both"; for both torch asks nobody."""
    users = [n for n, used in row.uses.items() if name in used]
    return None if name not in row.saved else "both" if len(users) == 2 else users[0]


def unread(view: Any) -> bool:
    """True for a view made under no_grad of a base that requires grad: recorded, without an edge."""
    return view is not None and view.base._requires_grad


_numbers: dict[type, dict] = {int: {}, float: {}}  # what they become beside each type: 2 and 2.0 are equal keys


def meet(row: Row, a: Any, value: Any) -> tuple[Any, Any]:
    """A Python number beside array `a`: `a` in the type of the result, and the number as a Number."""
    given = type(value)
    if hasattr(value, "item") and not isinstance(value, ndarray) and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if not isinstance(value, bool | int | float):
        return a, None
    if row.meets is not None:
        row.meets(a.dtype.kind, "b" if type(value) is bool else "")
    kind = dtypes.result_dtype(a, value)
    if row.numbers == "floats" and kind.kind != "f":
        kind = dtypes.get_default_dtype().np
    before, a = a.dtype, dtypes.cast(a, kind)
    raw = xp.asarray(value).astype(a.dtype)  # integers wrap, as in torch
    made = Number(value, raw if isinstance(a, ndarray) else raw[()])
    if given in _numbers and a.dtype is before and (value or given is int):  # 0.0 and -0.0 are equal keys too
        known = _numbers[given].setdefault(a.dtype if type(a) is ndarray else (type(a), a.dtype), {})
        if len(known) < 4096:
            known[value] = made
    return a, made


def metas_of(self: Any, other: Any, number: Any) -> tuple:
    """Shapes and types to which the engine brings the two gradients back."""
    a = self._data
    b = None if number is not None else (other._data.shape, other._data.dtype)
    return ((a.shape, a.dtype), b)


def type_mismatch(row: Row, a: Any, b: Any, refused: TypeError) -> Exception:
    """torch's text for types that an operation is not made for."""
    if apart := two_devices(a, b):
        return apart
    if row.meets is not None:
        row.meets(a.dtype.kind, b.dtype.kind)
    if row.name.startswith("bitwise") or row.name.endswith("shift"):
        kind = dtypes.of(a.dtype).scalar_type
        return NotImplementedError(f"\"{row.name}_cpu\" not implemented for '{kind}'")
    return refused


def two_devices(*arrays: Any) -> Exception | None:
    """torch's text for arrays of which some are on a GPU and some are not; numbers may be anywhere."""
    places = {str(device_of(x)) for x in arrays if getattr(x, "ndim", 0)}
    return RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                        f"{' and '.join(sorted(places, reverse=True))}!") if len(places) > 1 else None


def shape_mismatch(*arrays: Any) -> Exception:
    """torch's text for the first two shapes that do not broadcast, counted from the last dimension."""
    for a, b in itertools.combinations(arrays, 2):
        rank = max(a.ndim, b.ndim)
        left, right = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
        for dim in reversed(range(rank)):
            m, n = left[dim], right[dim]
            if m != n and 1 not in (m, n):
                return presentation.error(RuntimeError, "shapes",
                    f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                    f"dimension {dim}", shapes=(a.shape, b.shape))
    return RuntimeError(f"shapes {', '.join(str(x.shape) for x in arrays)} do not fit this operation")


_FLOAT = xp.dtype("float32")  # stands for the type of several outputs, whose first is a float


def nary(row: Row) -> Callable:
    """Any tensors (some may be None or numbers), then options; one output or several."""
    forward, count, total = row.forward, len(row.tensors), len(row.inputs)
    tracked = [i for i, n in enumerate(row.tensors) if n in row.derivatives]
    save, cls, elementwise = saver(row), row.node, row.elementwise
    fits, numbers = elementwise or len(tracked) > 1, numbers_of(row)

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        for i in numbers:
            if args[i].__class__ not in _PLAIN:
                args = plain(args, count)
        raws: Any = [x._data if isinstance(x, TensorBase) else x.item() if isinstance(x, xp.generic) else x
                     for x in args[:count]]
        mode = grad_mode()
        # edges first: a view that cannot be read any more complains before the numbers are looked at
        edges: Any = [x._edge() if isinstance(x := args[i], TensorBase) else None for i in tracked] if mode else []
        try:
            if elementwise:
                raws = promoted(raws, tracked)
            z = forward(*raws, *args[count:])
        except (AttributeError, TypeError, ValueError) as refused:
            raise refusal(row, args, raws, refused) from None
        if not mode or (edges[0] is None and not any(requires_grad(args[i]) for i in tracked)):
            return untracked_result(z, mode)
        if getattr(z, "dtype", _FLOAT).kind != "f":
            return untracked_result(z, mode)
        metas = None
        if fits:
            metas = tuple([(x._data.shape, x._data.dtype) if isinstance(x := args[i], TensorBase) else None
                           for i in tracked])
            if elementwise and metas.count((z.shape, z.dtype)) == len(metas):
                metas = None  # nothing to bring back
        n = blank_node(cls, tuple(edges), metas)
        result = tracked_result(row, n, z)
        if save is not None:
            save(n, args, z, result)
        if mode is not True:
            mode.recorded(n, result)
        return result

    return call


def refusal(row: Row, args: tuple, raws: Any, refused: Exception) -> Exception:
    """What torch says where NumPy refused: an argument is no tensor, or shapes do not broadcast."""
    numbers = int | float | xp.generic | tuple if row.elementwise else tuple
    for place, given in enumerate(args[: len(raws)]):
        if given is not None and not isinstance(given, TensorBase | numbers):
            return must_be_tensor(row.name, row.inputs[place].replace("self", "input"), place + 1, given)
    if apart := two_devices(*raws):
        return apart
    if row.elementwise and isinstance(refused, ValueError):
        return shape_mismatch(*[r for r in raws if hasattr(r, "shape")])
    return RuntimeError(str(refused)) if "broadcast" in str(refused) else refused


_PLAIN = {float, int, bool, NoneType, tuple, str}


def numbers_of(row: Row) -> list[int]:
    """Which arguments of a row are numbers."""
    return [row.inputs.index(name) for name in row.scalars]


def plain(args: tuple, count: int) -> tuple:
    """Numbers of NumPy's, or in a tensor, among the options as Python's: they do not decide the result's type."""
    return (*args[:count], *[x.item() if hasattr(x, "item") and not requires_grad(x) else x for x in args[count:]])


def single(row: Row) -> Callable:
    """One tensor in, one out, and options: sums along dimensions, softmax, clamp ..."""
    forward, cls, total, numbers = row.forward, row.node, len(row.inputs), numbers_of(row)
    save, others, differentiable = saver(row), nary(row), bool(row.derivatives)

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        for i in numbers:
            if args[i].__class__ not in _PLAIN:
                args = plain(args, 1)
        self = args[0]
        if not isinstance(self, TensorBase):
            return others(*args)
        mode = grad_mode()
        edge = self._edge() if mode and differentiable else None
        z = forward(self._data, *args[1:])
        if not mode or z.__class__ is list or z.dtype.kind != "f" or (edge is None and not self.requires_grad):
            return untracked_result(z, mode)
        t, n = blank(), cls()
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.edges, n.metas, n.hooks = (edge,), None, None
        n.seq = next(seqs)
        n.code, n.lasti = learners_line()
        if save is not None:
            save(n, args, z, t)
        if mode is not True:
            mode.recorded(n, t)
        return t

    return call


def promoted(raws: Any, operands: list[int]) -> Any:
    """`raws`, those at `operands` in the type of their result; masks and indices keep theirs."""
    mixed = [x for i in operands if (x := raws[i]) is not None]
    kinds = {getattr(x, "dtype", None) for x in mixed}
    if len(kinds) == 1 and None not in kinds:
        return raws
    kind = dtypes.result_dtype(*mixed)
    return [dtypes.cast(x, kind) if i in operands and x is not None else x for i, x in enumerate(raws)]


def edge_of(x: Any) -> Any:
    return x._edge() if isinstance(x, TensorBase) else None


def requires_grad(x: Any) -> bool:
    """True also for a view made under no_grad, which wants to be recorded but has no edge."""
    return isinstance(x, TensorBase) and x.requires_grad


def untracked_result(z: Any, mode: Any) -> Any:
    if z.__class__ is tuple or z.__class__ is list:
        return tuple(untracked_result(part, mode) for part in z)
    return constant(Tensor, z, UNCOUNTED if mode is INFERENCE else None)


def tracked_result(row: Row, n: Any, z: Any) -> Any:
    """Wrap what a recorded forward returned: floats belong to the node, indices do not."""
    if z.__class__ is not tuple and z.__class__ is not list:
        return attach(constant(Tensor, z), n)
    if row.multi:
        n.outputs = len(z)
        return tuple(attach(constant(Tensor, part), output_of(n, i)) if part.dtype.kind == "f"
                     else constant(Tensor, part) for i, part in enumerate(z))
    first = attach(constant(Tensor, z[0]), n)
    return (first, *(constant(Tensor, part) for part in z[1:]))


def tensors_in(name: str, tensors: Any) -> tuple:
    """A list of tensors as a tuple. Raises: torch's errors for an empty one, and for what is none."""
    if isinstance(tensors, TensorBase):
        raise must_be("tuple of Tensors", name, "tensors", 1, tensors)
    tensors = tuple(tensors)
    for place, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(t).__name__}")
    if not tensors:
        raise (ValueError("torch.cat(): expected a non-empty list of Tensors") if name == "cat"
               else RuntimeError(f"{name} expects a non-empty TensorList"))
    return tensors


def sequence(row: Row) -> Callable:
    """A list of tensors in, one out: cat, stack. The derivative returns one gradient per tensor."""
    forward, derivative = row.forward, row.derivatives["tensors"]
    takes = [taker(row, n) for n in row.saved]
    places = [(f"saved_{n}", None if n == "shapes" else row.inputs.index(n) - 1) for n in row.saved]

    def call(tensors: Any, *args: Any, **options: Any) -> Any:
        tensors, *rest = row.bind((tensors_in(row.name, tensors), *args), options)
        raws, mode = [t._data for t in tensors], grad_mode()
        edges = tuple([t._edge() for t in tensors]) if mode else ()
        kind = dtypes.result_dtype(*raws)
        try:
            z = forward([dtypes.cast(r, kind) for r in raws], *rest)
        except TypeError as refused:
            raise two_devices(*raws) or refused from None
        if not mode or not any(t.requires_grad for t in tensors):
            return untracked_result(z, mode)
        n = blank_node(row.node, edges, tuple((r.shape, r.dtype) for r in raws))
        for slot, place in places:
            setattr(n, slot, [r.shape for r in raws] if place is None else rest[place])
        result = attach(constant(Tensor, z), n)
        if mode is not True:
            mode.recorded(n, result)
        return result

    def apply(n: Any, grad: Any, F: Any, keep: bool) -> tuple:
        return tuple(derivative(F, grad, *(take(n, F) for take in takes)))

    row.node.apply = apply  # type: ignore[attr-defined]
    return call


def view_shape(row: Row, kind: str) -> Callable:
    """One tensor in, views of its storage out."""
    forward, total, save, cls = row.forward, len(row.inputs), saver(row), row.node

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        self, mode, edge = args[0], grad_mode(), None
        if mode:
            if self._view is not None:
                self._view.refresh(self)
            edge = self._fn or (self if self._requires_grad else None)
        z = forward(self._data if self._data.__class__ is ndarray else self._array(), *args[1:])
        if edge is None and not (mode and self.requires_grad):
            made = kind if mode else "inference" if mode is INFERENCE else "no_grad"
            if z.__class__ is not list:
                return view_of(self, z, made)
            return tuple(view_of(self, part, made) for part in z)
        n = cls()
        n.edges, n.metas, n.hooks = (edge,), None, None
        n.seq = next(seqs)
        n.code, n.lasti = learners_line()
        if z.__class__ is list:
            n.outputs = len(z)
            result: Any = tuple(attach(view_of(self, p, kind), output_of(n, i)) for i, p in enumerate(z))
        else:
            result = view_of(self, z, kind)
            result._fn, result._requires_grad = n, True
        if save is not None:
            save(n, args, z, result)
        if mode is not True:
            mode.recorded(n, result)
        return result

    return call
