"""From a row of the table to an operation: the callable, its Node class, what it saves.

`op(name, forward, input=derivative, ...)` declares a row. The parameter names of the derivatives say
what the node saves, in torch's words: inputs, `result`, options, `self_sym_sizes`. Five shapes of
closure run the rows: `unary`, `binary`, `nary` (any tensors and options), `view` and `inplace`.
Broadcasting is not the rows' business: a node notes the shapes in `metas`, the engine sums back.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
import sys
from collections.abc import Callable
from operator import attrgetter, itemgetter
from typing import Any

from ..array import dtypes
from ..array.backend import ndarray, strides, xp
from ..text import presentation
from .base import TensorBase, bump, constant, new
from .carriers import RAW, SYMBOLS, TENSORS, tex_of
from .modes import INFERENCE, anomaly, grad_mode
from .node import (OURS, Node, NotImplementedNode, Port, Withheld, learners_line, next_seq,
                   short_name)  # fmt: skip
from .saved import SavedTensor
from .views import check_inplace, check_overlap, check_single_memory, rebase, view_of

TABLE: dict[str, Row] = {}
Tensor: Any = TensorBase  # `_tensor.py` puts the class with the language here
_frame = sys._getframe
_wraps_negative = frozenset(
    "dim dims dim0 dim1 dim2 index start end ignore_index padding_idx offset diagonal shifts pad".split()
)


class Row:
    """One operation: its forward, its derivatives, and all that is read off them."""

    def __init__(self, name: str, forward: Callable, derivatives: dict[str, Callable], *,
                 grad_fn: str | None = None, torch_name: str | None = None, fixed: tuple[str, ...] = (),
                 keeps: tuple[str, ...] = (), constants: dict[str, Any] | None = None,
                 outputs: tuple[str, ...] = (), multi: bool = False, elementwise: bool = False,
                 letters: dict[str, str] | None = None, doc: str = "",
                 hidden: tuple[str, ...] = ()) -> None:  # fmt: skip
        self.name, self.forward, self.derivatives, self.doc = name, forward, derivatives, doc
        self.inputs = parameters(forward) if inspect.isfunction(forward) else tuple(derivatives)
        self.differentiable = tuple(n for n in self.inputs if n in derivatives)
        self.tensors = tuple(n for n in self.inputs if n in derivatives or n in fixed)
        self.outputs, self.multi, self.elementwise, self.hidden = outputs, multi, elementwise, hidden
        self.letters, self.constants = letters or {}, constants or {}
        self.uses = {n: parameters(d) for n, d in derivatives.items()}
        wanted = [p for used in self.uses.values() for p in used]
        late = {"result", *outputs}  # torch's order, which hooks and errors show: inputs, then outputs
        self.saved = tuple(sorted({*wanted, *keeps} - {"F", "grad"}, key=lambda n: (n in late, n)))
        self.grad_fn = grad_fn or camel(name) + "Backward0"
        self.torch_name = torch_name
        self.node: type[Node] = node_class(self)
        self.call: Callable = self.forward

    def tex(self, name: str) -> str | None:
        """The TeX of the derivative with respect to input `name`, printed by the formula itself."""
        formula = self.derivatives.get(name)
        return tex_of(formula, self.letters) if formula else None

    def bind(self, args: tuple, options: dict[str, Any]) -> tuple:
        """Complete a call: all inputs in order, defaults filled in."""
        missing, defaults = len(self.inputs) - len(args), getattr(self.forward, "__defaults__", None) or ()
        if not options and 0 < missing <= len(defaults):
            return args + defaults[-missing:]
        bound = _signature(self.forward, self.inputs).bind(*args, **options)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def record_by_hand(self, edges: tuple, **saved: Any) -> Node:
        """A node of this row that no call made, such as a view's new AsStridedBackward0."""
        n = blank_node(self.node, edges, None)
        for name in self.saved:
            setattr(n, f"saved_{name}", saved.get(name))
        return n


def parameters(formula: Callable) -> tuple[str, ...]:
    """The names of a formula's parameters; 30 times faster than `inspect.signature`."""
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]


@functools.cache
def _signature(forward: Callable, inputs: tuple[str, ...]) -> inspect.Signature:
    if inspect.isfunction(forward):
        return inspect.signature(forward)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD  # a ufunc or an operator: its inputs have rows
    return inspect.Signature([inspect.Parameter(n, kind) for n in inputs])


def camel(name: str) -> str:
    """torch's spelling of a node: `log1p` is `Log1P`, `max_pool2d` is `MaxPool2D`."""
    joined = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    return re.sub(r"(?<=\d)[a-z]", lambda m: m[0].upper(), joined)


# ---- declaring rows

_UNARY = {"self", "result", "self_sym_sizes", "self_sym_numel"}


def op(name: str, forward: Callable, /, *, keeps: tuple[str, ...] = (), grad_fn: str | None = None,
       torch_name: str | None = None, fixed: tuple[str, ...] = (), view: Any = False,
       constants: dict[str, Any] | None = None, outputs: tuple[str, ...] = (), multi: bool = False,
       elementwise: bool = False, letters: dict[str, str] | None = None, doc: str = "",
       transparent: bool = False, hidden: tuple[str, ...] = (), **derivatives: Callable) -> Callable:  # fmt: skip
    """Declare a row and return its callable; see the module's docstring."""
    row = Row(name, forward, derivatives, keeps=keeps, grad_fn=grad_fn, torch_name=torch_name,
              fixed=fixed, constants=constants, outputs=outputs, multi=multi,
              elementwise=elementwise, letters=letters, doc=doc, hidden=hidden)  # fmt: skip
    if transparent:  # its TeX is its forward, written out
        setattr(SYMBOLS, name, forward)
    if row.inputs[0] == "tensors":
        call = sequence(row)
    elif view is not False:
        call = view_shape(row, "" if view is True else view)
    elif row.inputs == ("self",) and not outputs and set(row.saved) <= _UNARY:
        call = unary(row)
    elif row.inputs == ("self", "other") and len(derivatives) in (0, 2) and not elementwise:
        call = binary(row)
    elif row.tensors == ("self",) == row.inputs[:1] and not (outputs or multi or elementwise):
        call = single(row)
    else:
        call = nary(row)
    return publish(row, call)


def publish(row: Row, call: Callable) -> Callable:
    """Put a row and its callable where the carriers, the tests and the pictures find them."""
    call.__name__ = call.__qualname__ = row.name
    call.__doc__ = _doc(row)
    if inspect.isfunction(row.forward):
        call.__wrapped__ = row.forward  # type: ignore[attr-defined]  # where `help` finds the signature
    call.row = row  # type: ignore[attr-defined]
    row.call = call
    TABLE[row.name] = row
    setattr(TENSORS, row.name, call)
    setattr(RAW, row.name, row.forward)
    return call


def _doc(row: Row) -> str:
    rules = [f"    {name}: {_source(d)}" for name, d in row.derivatives.items()]
    where = getattr(row.forward, "__code__", None) or next(
        (d.__code__ for d in row.derivatives.values()), None)  # fmt: skip
    place = f"\n\nRow: {where.co_filename}:{where.co_firstlineno}" if where else ""
    node = f"grad_fn: {row.grad_fn}\n" if row.derivatives else "Not differentiable.\n"
    return (row.doc or f"`{row.name}`, as torch has it.") + "\n\n" + node + "\n".join(rules) + place


def _source(formula: Callable) -> str:
    return "grad · " + ", ".join(p for p in parameters(formula) if p != "grad")


# ---- node classes: slots for what is saved, and `_saved_*` to look at it


def node_class(row: Row) -> type[Node]:
    slots: list[str] = []
    body: dict[str, Any] = {"row": row, "torch_name": row.torch_name}
    frees = []
    for name in row.saved:
        slots.append(f"saved_{name}")
        if is_result(row, name):
            slots += [f"counter_{name}", f"version_{name}"]
            frees.append(f"saved_{name}")
        elif name in row.tensors:
            slots.append(f"version_{name}")
            frees.append(f"saved_{name}")
        if name not in row.hidden:  # what torch keeps elsewhere
            body[f"_saved_{name}"] = property(_saved_property(row, name))
            if f"saved_{name}" in frees:
                body[f"_raw_saved_{name}"] = property(lambda n, name=name: SavedTensor(n, name))
    for name, value in row.constants.items():
        body[f"_saved_{name}"] = value
    if row.multi:
        slots.append("outputs")
    body.update(__slots__=tuple(slots), frees=tuple(frees), apply=apply_of(row))
    return type(row.grad_fn, (Node,), body)


def is_result(row: Row, name: str) -> bool:
    return name == "result" or name in row.outputs


def _saved_property(row: Row, name: str) -> Callable:
    take = taker(row, name)

    def saved(n: Any) -> Any:
        value = take(n, TENSORS)
        if isinstance(value, tuple):
            return tuple(None if isinstance(v, slice) else unsigned(v) for v in value)
        if name not in row.tensors and name in _wraps_negative:
            return unsigned(value)
        if name in row.tensors and isinstance(value, bool | int | float):
            kind = {float: "float64", int: "int64", bool: "bool"}[type(value)]
            return constant(Tensor, xp.asarray(value, dtype=kind))
        return value

    return saved


def unsigned(value: Any) -> Any:
    """A negative number as torch shows it in saved fields, where int64 is printed unsigned."""
    return value + 2**64 if isinstance(value, int) and value < 0 else value


class Number:
    """A Python number met by a tensor: the number, and its array form for the raw carrier."""

    __slots__ = ("raw", "value")

    def __init__(self, value: Any, raw: Any) -> None:
        self.value, self.raw = value, raw


def taker(row: Row, name: str) -> Callable[[Any, Any], Any]:
    """A function that reads one saved value from a node: checked, and in the carrier's form."""
    slot, version, counter = f"saved_{name}", f"version_{name}", f"counter_{name}"

    read, read_version = attrgetter(slot), attrgetter(version)

    def take_input(n: Any, F: Any) -> Any:
        s = read(n)
        if s is None:
            return None
        if s.__class__ is Tensor or isinstance(s, TensorBase):
            c = s._counter
            if c is not None and c[0] != read_version(n):
                raise modified(n, name, s, c[0], read_version(n))
            return s._data if F is RAW else s
        if s.__class__ is Number:
            return s.raw if F is RAW else s.value
        if isinstance(s, Withheld):
            s = s.give(n, name)
            return s._data if F is RAW and isinstance(s, TensorBase) else s
        if s.__class__ is tuple:  # a list of tensors, as the indices of `x[i, j]`
            return tuple(i._data if F is RAW and isinstance(i, TensorBase) else i for i in s)
        return s

    read_counter = attrgetter(counter)

    def take_result(n: Any, F: Any) -> Any:
        s = read(n)
        if isinstance(s, Withheld):
            s = s.give(n, name)
            return s._data if F is RAW else s
        c = read_counter(n)
        if c[0] != read_version(n):
            raise modified(n, name, None, c[0], read_version(n))
        return s if F is RAW else rebuilt(row, n, name, s, c)

    if is_result(row, name):
        return take_result
    return take_input if name in row.tensors else lambda n, F: getattr(n, slot)


def rebuilt(row: Row, n: Any, name: str, data: Any, counter: Any) -> Any:
    """A saved output as a tensor again: same storage, same grad_fn, a new object (as in torch)."""
    t = constant(Tensor, data, counter)
    if data.dtype.kind == "f":
        nr = row.outputs.index(name) if name in row.outputs else 0
        t._fn, t._requires_grad = (output_of(n, nr) if row.multi else n), True
    return t


def modified(n: Any, name: str, saved: Any, version: int, expected: int) -> Exception:
    """The error for a saved tensor that was written in place afterwards."""
    shown = saved if saved is not None else constant(Tensor, getattr(n, f"saved_{name}"))
    maker, nr = (n, 0) if saved is None else (saved.grad_fn, saved.output_nr)
    of = f", which is output {nr} of {short_name(maker)}," if maker is not None else ""
    kind, shape = dtypes.of(shown._data.dtype).tensor_type, list(shown._data.shape)
    is_at = f"{of} is at version" if of else " is at version"
    text = (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind} {shape}]{is_at} {version}; expected version {expected} instead. "
    )
    hint = ANOMALY_HINT if anomaly.enabled else presentation.current.hint
    return presentation.error(RuntimeError, "modified", text + hint,
        node=n, field=name, tensor=saved, version=version, expected=expected,
        counter=getattr(n, f"counter_{name}", None) if saved is None else saved._counter)  # fmt: skip


ANOMALY_HINT = (
    "Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
    "variable in question was changed in there or anywhere later. Good luck!"
)


# ---- backward of a row: the derivatives that somebody wants, on the carrier at hand


def apply_of(row: Row) -> Callable:
    formulas = [_arranged(row.derivatives[n], row.saved) for n in row.differentiable]
    takes = [taker(row, n) for n in row.saved]
    frees, only = bool(row.saved), formulas[0] if len(formulas) == 1 else None
    multi = row.multi

    def apply(n: Any, grad: Any, F: Any, keep: bool) -> tuple:
        values: list[Any] = [F, (grad,) if multi and n.outputs == 1 else grad]
        for take in takes:
            values.append(take(n, F))
        if only is not None:
            sent: tuple = (only(values),)
        else:
            sent = tuple([None if e is None else f(values) for e, f in zip(n.edges, formulas, strict=True)])
        if frees and not keep:
            n.free()
        return sent

    return apply


def _arranged(formula: Callable, saved: tuple[str, ...]) -> Callable[[list], Any]:
    """The formula as a function of one list: carrier, gradient, then all saved values in order."""
    available = ("F", "grad", *saved)
    indices = [available.index(p) for p in parameters(formula)]
    match indices:  # spelled out: a call with `*` costs as much as the multiplication inside
        case [i]:
            return lambda v: formula(v[i])
        case [i, j]:
            return lambda v: formula(v[i], v[j])
        case [i, j, k]:
            return lambda v: formula(v[i], v[j], v[k])
    pick = itemgetter(*indices)
    return lambda v: formula(*pick(v))


# ---- recording


def blank_node(cls: type, edges: tuple, metas: Any) -> Any:
    """A node with its edges, its number, and the learner's line."""
    n = new(cls)
    n.edges, n.metas, n.hooks = edges, metas, None
    n.seq = next_seq()
    n.code, n.lasti = learners_line()
    return n


def untracked(t: Any, mode: Any) -> None:
    """Finish a result that is not recorded."""
    t._fn, t._requires_grad = None, False
    t._counter = INFERENCE.counter if mode is INFERENCE else None


def unary(row: Row) -> Callable:
    """One tensor in, one out, nothing else: exp, neg, relu ..."""
    forward, cls = row.forward, row.node
    keeps_self, keeps_result = "self" in row.saved, "result" in row.saved
    keeps_sizes, keeps_numel = "self_sym_sizes" in row.saved, "self_sym_numel" in row.saved
    differentiable = bool(row.derivatives)

    def call(self: Any) -> Any:  # written out, without helpers: this is what an operation costs
        mode, view = grad_mode(), self._view
        if view is not None and mode:
            view.refresh(self)
        a = self._data
        z = forward(a)
        if z.dtype is not a.dtype:
            z = settle(forward, z, a)
        t = new(Tensor)
        t._data = z
        t._grad = t._hooks = t._view = None
        if mode and differentiable and (
            self._requires_grad or (view is not None and view.base._requires_grad)
        ):
            n = new(cls)
            n.edges, n.metas, n.hooks = (self._fn or (self if self._requires_grad else None),), None, None
            n.seq = next_seq()
            f = _frame(1)
            code = f.f_code
            while OURS[code.co_filename] and f.f_back is not None:
                f = f.f_back
                code = f.f_code
            n.code, n.lasti = code, f.f_lasti
            t._counter = None
            if keeps_self:
                c = self._counter
                n.saved_self, n.version_self = self, 0 if c is None else c[0]
            if keeps_result:
                n.saved_result, n.version_result = z, 0
                n.counter_result = t._counter = [0]
            if keeps_sizes:
                n.saved_self_sym_sizes = a.shape
            if keeps_numel:
                n.saved_self_sym_numel = a.size
            t._fn, t._requires_grad = n, True
            if mode is not True:
                mode.recorded(n, t)
        else:
            untracked(t, mode)
        return t

    return call


def settle(forward: Callable, z: Any, a: Any) -> Any:
    """Put right what NumPy computed in another type than torch: integers become default floats."""
    if a.dtype.kind in "iub" and z.dtype.kind == "f":
        return forward(a.astype(dtypes.get_default_dtype().np))
    return z


def binary(row: Row) -> Callable:
    """Two tensors that broadcast, or a tensor and a number: add, mul, pow ..."""
    forward, cls = row.forward, row.node
    keeps_self, keeps_other, keeps_result = (n in row.saved for n in ("self", "other", "result"))
    self_for, other_for = ({n for n in row.uses if s in row.uses[n]} for s in ("self", "other"))
    self_for_self, self_for_other = "self" in self_for, "other" in self_for
    other_for_self, other_for_other = "self" in other_for, "other" in other_for
    may_change_type = forward not in (operator.add, operator.sub, operator.mul)
    differentiable = bool(row.derivatives)

    def call(self: Any, other: Any) -> Any:
        mode, view = grad_mode(), self._view
        if view is not None and mode:
            view.refresh(self)
        a = self._data
        if other.__class__ is Tensor or isinstance(other, TensorBase):
            b, number, peer = other._data, None, other._view
            if peer is not None and mode:
                peer.refresh(other)
            alike = a.dtype is b.dtype
            if not alike:
                a, b = dtypes.promote(a, b)
            elif a.shape != b.shape:
                alike = False
            wants_other = other._requires_grad or (peer is not None and peer.base._requires_grad)
        else:
            plain = other.__class__ is float or other.__class__ is int
            number = _numbers.get((other, a.dtype, a.__class__, other.__class__)) if plain else None
            if number is None:
                a, number = meet(a, other)
                if number is None:
                    return NotImplemented
            b, alike, wants_other = number.raw, a is self._data, False
        try:
            z = forward(a, b)
        except ValueError:
            raise shape_mismatch(a, b) from None
        except TypeError as refused:
            raise type_mismatch(row, a, b, refused) from None
        if may_change_type and z.dtype is not a.dtype:
            z = settle_binary(forward, z, a, b)
        t = new(Tensor)
        t._data = z
        t._grad = t._hooks = t._view = None
        wants_self = self._requires_grad or (view is not None and view.base._requires_grad)
        if mode and differentiable and (wants_self or wants_other):
            n = new(cls)
            n.edges = (self._fn or (self if self._requires_grad else None),
                       None if number else other._fn or (other if other._requires_grad else None))  # fmt: skip
            n.hooks = None
            n.metas = None if alike else metas_of(self, other, number)
            n.seq = next_seq()
            f = _frame(1)
            code = f.f_code
            while OURS[code.co_filename] and f.f_back is not None:
                f = f.f_back
                code = f.f_code
            n.code, n.lasti = code, f.f_lasti
            t._counter = None
            if keeps_self:
                c = self._counter
                kept = (wants_self and self_for_self) or (wants_other and self_for_other)
                n.saved_self = self if kept else None
                n.version_self = 0 if c is None or not kept else c[0]
            if keeps_other:
                if number is not None:
                    n.saved_other, n.version_other = number, 0
                else:
                    c = other._counter
                    kept = (wants_self and other_for_self) or (wants_other and other_for_other)
                    n.saved_other = other if kept else None
                    n.version_other = 0 if c is None or not kept else c[0]
            if keeps_result:
                n.saved_result, n.version_result = z, 0
                n.counter_result = t._counter = [0]
            t._fn, t._requires_grad = n, True
            if mode is not True:
                mode.recorded(n, t)
        else:
            untracked(t, mode)
        return t

    return call


_numbers: dict[Any, Number] = {}


def meet(a: Any, value: Any) -> tuple[Any, Any]:
    """A Python number beside array `a`: `a` in the type of the result, and the number as a Number."""
    key = (value, a.dtype, a.__class__, value.__class__)
    if hasattr(value, "item") and not isinstance(value, ndarray) and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if not isinstance(value, bool | int | float):
        return a, None
    a = dtypes.cast(a, dtypes.result_dtype(a, value))
    raw = xp.asarray(value, dtype=a.dtype)
    made = Number(value, raw if isinstance(a, ndarray) else raw[()])
    if value and len(_numbers) < 4096 and key[1] is a.dtype:  # 0.0 and -0.0 are equal keys
        _numbers[key] = made
    return a, made


def metas_of(self: Any, other: Any, number: Any) -> tuple:
    """Shapes and types to which the engine brings the two gradients back."""
    a = self._data
    b = None if number is not None else (other._data.shape, other._data.dtype)
    return ((a.shape, a.dtype), b)


def settle_binary(forward: Callable, z: Any, a: Any, b: Any) -> Any:
    """As `settle`; comparisons give bool, and integer division gives default floats."""
    if z.dtype.kind == "f" and a.dtype.kind in "iub":
        kind = dtypes.get_default_dtype().np
        return forward(a.astype(kind), b.astype(kind))
    return z


def type_mismatch(row: Row, a: Any, b: Any, refused: TypeError) -> Exception:
    """torch's text for types that an operation is not made for."""
    if row.name == "sub" and a.dtype.kind == b.dtype.kind == "b":
        return RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if row.name.startswith("bitwise") or row.name.endswith("shift"):
        kind = dtypes.of(a.dtype).scalar_type
        return NotImplementedError(f"\"{row.name}_cpu\" not implemented for '{kind}'")
    return refused


def shape_mismatch(a: Any, b: Any) -> Exception:
    """torch's text for shapes that do not broadcast, counted from the last dimension."""
    rank = max(a.ndim, b.ndim)
    left, right = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
    for dim in reversed(range(rank)):
        m, n = left[dim], right[dim]
        if m != n and 1 not in (m, n):
            return presentation.error(RuntimeError, "shapes",
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                f"dimension {dim}", shapes=(a.shape, b.shape))  # fmt: skip
    return RuntimeError(f"shapes {a.shape} and {b.shape} do not fit this operation")


_FLOAT = xp.dtype("float32")  # stands for the type of several outputs, whose first is a float


def nary(row: Row) -> Callable:
    """Any tensors (some may be None or numbers), then options; one output or several."""
    forward, count, total = row.forward, len(row.tensors), len(row.inputs)
    tracked = [i for i, n in enumerate(row.tensors) if n in row.derivatives]
    fits, save = row.elementwise or len(tracked) > 1, saver(row)

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        raws: Any = [x._data if isinstance(x, TensorBase) else x for x in args[:count]]
        if row.elementwise:
            raws = promoted(row, raws)
        z = forward(*raws, *args[count:])
        mode = grad_mode()
        if not mode:
            return untracked_result(z, mode)
        edges = [x._edge() if isinstance(x := args[i], TensorBase) else None for i in tracked]
        if getattr(z, "dtype", _FLOAT).kind != "f" or not (
            any([e is not None for e in edges]) or any([requires_grad(args[i]) for i in tracked])):  # fmt: skip
            return untracked_result(z, mode)
        metas = None
        if fits:
            metas = tuple([(x._data.shape, x._data.dtype) if isinstance(x := args[i], TensorBase) else None
                           for i in tracked])  # fmt: skip
        n = blank_node(row.node, tuple(edges), metas)
        result = tracked_result(row, n, z)
        save(n, args, z, result)
        if mode is not True:
            mode.recorded(n, result)
        return result

    return call


def single(row: Row) -> Callable:
    """One tensor in, one out, and options: sums along dimensions, softmax, clamp ..."""
    forward, cls, total = row.forward, row.node, len(row.inputs)
    save, others = saver(row), nary(row)

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        self = args[0]
        if not isinstance(self, TensorBase):
            return others(*args)
        z, mode = forward(self._data, *args[1:]), grad_mode()
        if not mode:
            return untracked_result(z, mode)
        edge = self._edge()
        if z.__class__ is list or z.dtype.kind != "f" or (edge is None and not self.requires_grad):
            return untracked_result(z, mode)
        t, n = new(Tensor), new(cls)
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.edges, n.metas, n.hooks = (edge,), None, None
        n.seq = next_seq()
        n.code, n.lasti = learners_line()
        save(n, args, z, t)
        if mode is not True:
            mode.recorded(n, t)
        return t

    return call


def promoted(row: Row, raws: tuple) -> tuple:
    """Operands in the type of their result; masks and indices keep theirs."""
    mixed = [x for n, x in zip(row.tensors, raws, strict=True) if x is not None and n in row.derivatives]
    if all(hasattr(x, "dtype") and x.dtype is mixed[0].dtype for x in mixed):
        return raws
    target: Any = mixed[0]
    for x in mixed[1:]:
        kind = dtypes.result_dtype(target, x)
        rank = max(getattr(target, "ndim", 0), getattr(x, "ndim", 0))
        target = xp.empty((0,) * rank, kind)  # stands for the type and the rank so far
    kind = getattr(target, "dtype", dtypes.get_default_dtype().np)
    return tuple(x if x is None or n not in row.derivatives else dtypes.cast(x, kind)
                 for n, x in zip(row.tensors, raws, strict=True))  # fmt: skip


def edge_of(x: Any) -> Any:
    return x._edge() if isinstance(x, TensorBase) else None


def requires_grad(x: Any) -> bool:
    """True also for a view made under no_grad, which wants to be recorded but has no edge."""
    return isinstance(x, TensorBase) and x.requires_grad


def untracked_result(z: Any, mode: Any) -> Any:
    if z.__class__ is tuple or z.__class__ is list:
        return tuple(untracked_result(part, mode) for part in z)
    return constant(Tensor, z, INFERENCE.counter if mode is INFERENCE else None)


def tracked_result(row: Row, n: Any, z: Any) -> Any:
    """Wrap what a recorded forward returned: floats belong to the node, indices do not."""
    if z.__class__ is not tuple and z.__class__ is not list:
        return attach(constant(Tensor, z), n)
    if row.multi:
        n.outputs = len(z)
        return tuple(attach(constant(Tensor, part), output_of(n, i)) for i, part in enumerate(z))
    first = attach(constant(Tensor, z[0]), n)
    return (first, *(constant(Tensor, part) for part in z[1:]))


def output_of(n: Any, nr: int) -> Any:
    """What stands for output `nr` of a node on tensors and edges: the node, if it has no other."""
    return Port(n, nr) if n.outputs > 1 else n


def attach(t: Any, fn: Any) -> Any:
    t._fn, t._requires_grad = fn, True
    return t


def saver(row: Row) -> Callable[[Any, tuple, Any, Any], None]:
    """What fills a node's slots; where each saved value comes from is decided once per row.

    An input is kept only if a derivative that is wanted mentions it.
    """
    place = {name: i for i, name in enumerate(row.inputs)}
    inputs, others, results, facts = [], [], [], []
    for name in row.saved:
        slot, version = f"saved_{name}", f"version_{name}"
        if is_result(row, name):
            output = row.outputs.index(name) if name in row.outputs else None
            results.append((slot, version, f"counter_{name}", output))
        elif name in row.tensors:
            users = [e for e, d in enumerate(row.differentiable) if name in row.uses[d]]
            inputs.append((slot, version, place[name], users if name in row.derivatives else None))
        elif name in place:
            others.append((slot, place[name], None))
        else:
            source, fact = fact_of(name)
            others.append((slot, place[source], fact))

    def save(n: Any, args: tuple, z: Any, result: Any) -> None:
        for slot, version, i, users in inputs:
            x = args[i]
            if users is not None and all([n.edges[e] is None for e in users]):
                x = None
            elif isinstance(x, TensorBase):
                c = x._counter
                setattr(n, version, 0 if c is None else c[0])
            setattr(n, slot, x)
        for slot, i, fact in others:
            setattr(n, slot, args[i] if fact is None else fact(args[i]._data))
        for slot, i, fact in facts:
            setattr(n, slot, fact(z[i]))
        for slot, version, counter, i in results:
            shared = (result if i is None else result[i])._shared_counter()
            setattr(n, slot, z if i is None else z[i])
            setattr(n, counter, shared)
            setattr(n, version, shared[0])

    return save


def fact_of(name: str) -> tuple[str, Callable[[Any], Any]]:
    """`self_sym_sizes`, `mat2_sym_strides`, `source_dim` ...: which input, and what of its array."""
    if name.endswith("_dim"):
        return name.removesuffix("_dim"), attrgetter("ndim")
    source, _, fact = name.partition("_sym_")
    known = {"sizes": attrgetter("shape"), "numel": attrgetter("size"), "strides": strides}
    if fact in known:
        return source, known[fact]
    dim = int(fact.removeprefix("argsize_").replace("minus_", "-"))
    return source, lambda data: data.shape[dim]


_EMPTY = {"cat": ValueError("torch.cat(): expected a non-empty list of Tensors")}


def sequence(row: Row) -> Callable:
    """A list of tensors in, one out: cat, stack. The derivative returns one gradient per tensor."""
    forward, derivative = row.forward, row.derivatives["tensors"]
    takes = [taker(row, n) for n in row.saved]

    def call(tensors: Any, *args: Any, **options: Any) -> Any:
        tensors, *rest = row.bind((tuple(tensors), *args), options)
        if not tensors:
            raise _EMPTY.get(row.name) or RuntimeError(f"{row.name} expects a non-empty TensorList")
        raws = [t._data for t in tensors]
        kind = _common(raws)
        z = forward([dtypes.cast(r, kind) for r in raws], *rest)
        mode = grad_mode()
        if not mode or not any(t.requires_grad for t in tensors):
            return untracked_result(z, mode)
        edges = tuple(t._edge() for t in tensors)
        n = blank_node(row.node, edges, tuple((r.shape, r.dtype) for r in raws))
        for name, value in zip(row.inputs[1:], rest, strict=True):
            if name in row.saved:
                setattr(n, f"saved_{name}", value)
        if "shapes" in row.saved:
            n.saved_shapes = [r.shape for r in raws]
        result = attach(constant(Tensor, z), n)
        if mode is not True:
            mode.recorded(n, result)
        return result

    def apply(n: Any, grad: Any, F: Any, keep: bool) -> tuple:
        return tuple(derivative(F, grad, *(take(n, F) for take in takes)))

    row.node.apply = apply  # type: ignore[attr-defined]
    return call


def _common(raws: list) -> Any:
    """The type in which several arrays meet."""
    kind, rank = raws[0].dtype, raws[0].ndim
    for r in raws[1:]:
        kind = dtypes.result_dtype(xp.empty((0,) * rank, kind), r)
        rank = max(rank, r.ndim)
    return kind


def view_shape(row: Row, kind: str) -> Callable:
    """One tensor in, views of its storage out."""
    forward, total, save = row.forward, len(row.inputs), saver(row)

    def call(*args: Any, **options: Any) -> Any:
        if options or len(args) < total:
            args = row.bind(args, options)
        self = args[0]
        z = forward(self._array(), *args[1:])
        mode = grad_mode()
        edge = self._edge() if mode else None
        if edge is None and not (mode and self.requires_grad):
            made = "no_grad" if not mode else kind
            if z.__class__ is not list:
                return view_of(self, z, made)
            return tuple(view_of(self, part, made) for part in z)
        n = blank_node(row.node, (edge,), None)
        if z.__class__ is list:
            n.outputs = len(z)
            result: Any = tuple(attach(view_of(self, p, kind), output_of(n, i)) for i, p in enumerate(z))
        else:
            result = attach(view_of(self, z, kind), n)
        save(n, args, z, result)
        if mode is not True:
            mode.recorded(n, result)
        return result

    return call


# ---- in place


def inplace(call: Callable, ufunc: Any = None) -> Callable:
    """The in-place twin of an operation: same row, written into `self`, history rewritten."""
    name = call.__name__.removesuffix("_of") + "_"

    def write(self: Any, *args: Any, **options: Any) -> Any:
        recorded = bool(grad_mode()) and any(
            [isinstance(x, TensorBase) and x.requires_grad for x in (self, *args)])  # fmt: skip
        check_inplace(self, recorded)
        if name not in ("zero_", "fill_") and not (name == "copy_" and args[0] is self):
            check_single_memory(self)  # one value everywhere, or its own, may be written twice
        if recorded:  # a view that cannot be read any more complains before the write is looked at
            for x in (self, *args):
                edge_of(x)
        for x in args:
            if isinstance(x, TensorBase) and x is not self and x._counter is self._counter is not None:
                if name != "copy_" or x._data.shape == self._data.shape:  # copy_ expands its source first
                    check_overlap(self, x)
        if not recorded and ufunc is not None and write_directly(ufunc, self, args, options):
            return self
        original = stand_in(self)
        if recorded and grad_mode() is not True:
            original._data = original._data.copy()  # a hook may keep what it is given to pack
        out = call(original, *args, **options)
        if out is NotImplemented:
            raise TypeError(f"{name}(): argument 'other' must be Tensor, not {type(args[0]).__name__}")
        n = out._fn
        if n is not None and getattr(n, "saved_self", None) is original:
            n.saved_self, n.version_self = TENSORS.clone(original), 0  # before it is written over
        store(self, out._data, any_type=name == "copy_")
        if recorded and n is not None:
            adopt(n, self)
            rebase(self, n)
        return self

    write.__name__ = write.__qualname__ = name
    write.__doc__ = f"In-place `{name[:-1]}`: writes the result into `self`, returns `self`."
    return write


def stand_in(self: Any) -> Any:
    """`self` before the write, as a tensor of its own: same data, same history."""
    t = constant(Tensor, self._data)
    if grad_mode():
        t._fn, t._requires_grad = self._history(), self.requires_grad
    return t


def write_directly(ufunc: Any, self: Any, args: tuple, options: dict) -> bool:
    """Without a graph and with equal types, let NumPy write; says whether it did."""
    if options or len(args) != 1:
        return False
    a, b = self._array(), args[0]
    b = b._data if isinstance(b, TensorBase) else b
    if not isinstance(b, ndarray) or b.dtype is not a.dtype or b.shape not in (a.shape, ()):
        return False
    ufunc(a, b, out=a)
    bump(self, learners_line())
    return True


def store(self: Any, z: Any, any_type: bool = False) -> None:
    """Write `z` into the storage of `self` and count the write; refuse before anything is changed."""
    a = self._array()
    if not any_type:
        dtypes.check_cast(z.dtype, a.dtype)
    if z.shape != a.shape:
        raise RuntimeError(
            f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(z.shape)}"
        )
    a[...] = z
    bump(self, learners_line())


def adopt(n: Any, self: Any) -> None:
    """Let a node that saved its output point at the written storage and its counter."""
    n.code, n.lasti = learners_line()
    if "result" in n.row.saved and not isinstance(n.saved_result, Withheld):
        n.saved_result = self._data
        n.counter_result, n.version_result = self._counter, self._counter[0]


def no_derivative(name: str, forward: Callable, aten: str) -> Callable:
    """A row that is recorded but cannot be differentiated: backward says `aten` is not implemented."""

    def apply(n: Any, grad: Any, F: Any, keep: bool) -> tuple:
        raise RuntimeError(f"derivative for aten::{aten} is not implemented")

    call = op(name, forward, self=lambda grad: grad, other=lambda grad: grad, elementwise=True)
    body = {"__slots__": (), "apply": apply, "torch_name": NotImplementedNode.torch_name}
    row = call.row  # type: ignore[attr-defined]
    row.node = type("NotImplemented", (row.node,), body)
    return publish(row, nary(row))


__all__ = ["TABLE", "Number", "Row", "camel", "inplace", "no_derivative", "op"]


def at_callers_line(function: Callable) -> Callable:
    """Every node points at the learner's line by itself now."""
    return function
