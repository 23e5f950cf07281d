"""A row of the table: its forward, its derivatives, and the Node class that is read off them.

The parameter names of the derivatives say what a node saves, in torch's words: inputs, `result`,
options, `self_sym_sizes`. From them come the slots, the `_saved_*` to look at them, `saver`, which
fills them, and `apply`, which unpacks them, checked, and runs the derivatives that somebody wants.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from operator import attrgetter, itemgetter
from sys import intern
from typing import Any

from ..array import dtypes
from ..array.backend import xp
from ..text import presentation
from .base import TensorBase, attach, constant
from .carriers import RAW, TENSORS, tex_of
from .modes import anomaly
from .node import Node, Withheld, learners_line, maker_of, output_of, seqs
from .saved import SavedTensor, is_result

TABLE: dict[str, Row] = {}


class Row:
    """One operation: its forward, its derivatives, and all that is read off them.

    Of two operands: `numbers` says what is taken beside a tensor: True for numbers, "floats" where they
    lift integers, "arrays" for NumPy's arrays too, False for neither. `meets(kind, kind)` raises where
    their types are not to meet.

    `scalars`: options that are any number, which may come as NumPy's or in a 0-d tensor; whole numbers among the
    others are int64, and `_saved_*` shows them unsigned. `numbered`: torch has several operations of this name, and
    put a number behind its node in every version.
    """

    def __init__(self, name: str, forward: Callable, /, *,
                 grad_fn: str | None = None, torch_name: str | None = None, fixed: tuple[str, ...] = (),
                 keeps: tuple[str, ...] = (), constants: dict[str, Any] | None = None,
                 outputs: tuple[str, ...] = (), multi: bool = False, elementwise: bool = False,
                 letters: dict[str, str] | None = None, doc: str = "",
                 hidden: tuple[str, ...] = (), numbers: bool | str = True, scalars: tuple[str, ...] = (),
                 numbered: bool = False, meets: Callable[[str, str], None] | None = None,
                 **derivatives: Callable) -> None:
        self.numbers, self.meets, self.scalars, self.numbered = numbers, meets, scalars, numbered
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
        if "axis" in options:  # NumPy's word
            options["dim"] = options.pop("axis")
        bound = _signature(self.forward, self.inputs).bind(*args, **options)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def record_by_hand(self, edges: tuple, /, **saved: Any) -> Node:
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


# ---- node classes: slots for what is saved, and `_saved_*` to look at it


def node_class(row: Row) -> type[Node]:
    slots: list[str] = []
    body: dict[str, Any] = {"row": row, "torch_name": row.torch_name}
    frees = []
    for name in row.saved:
        slots.append(f"saved_{name}")
        if is_result(row, name):
            slots += [f"counter_{name}", f"version_{name}", f"maker_{name}"]
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
    if any(name.endswith("_sym_strides") for name in row.saved):
        slots.append("itemsize")
    body.update(__slots__=tuple(slots), frees=tuple(frees), apply=_first_apply)
    return type(row.grad_fn, (Node,), body)


def _saved_property(row: Row, name: str) -> Callable:
    def saved(n: Any) -> Any:
        value = taker(row, name, to_look=True)(n, TENSORS)
        if isinstance(value, tuple):
            return tuple(None if isinstance(v, slice) else unsigned(v) for v in value)
        if name in row.tensors:
            number = isinstance(value, bool | int | float)
            return constant(TensorBase._plain, xp.asarray(value)) if number else value
        return value if name in row.scalars else unsigned(value)

    return saved


def unsigned(value: Any) -> Any:
    """A negative number as torch shows it in saved fields, where int64 is printed unsigned."""
    return value + 2**64 if isinstance(value, int) and value < 0 else value


class Number:
    """A Python number met by a tensor: the number, and its array form for the raw carrier."""

    __slots__ = ("raw", "value")

    def __init__(self, value: Any, raw: Any) -> None:
        self.value, self.raw = value, raw


def taker(row: Row, name: str, to_look: bool = False) -> Callable[[Any, Any], Any]:
    """A function that reads one saved value from a node: checked, and in the carrier's form.

    Raises: RuntimeError for a tensor that came from an operation and was detached in place since (a
    leaf is its own edge); whoever only looks still sees it.
    """
    read, read_version, read_counter = (attrgetter(f"{part}_{name}") for part in ("saved", "version", "counter"))
    edge = row.differentiable.index(name) if name in row.differentiable and not to_look else None

    def take_input(n: Any, F: Any) -> Any:
        s = read(n)
        if s is None:
            return None
        if isinstance(s, TensorBase):
            if edge is not None and s._fn is None and n.edges[edge] is not None and n.edges[edge] is not s:
                raise RuntimeError("Trying to use a saved tensor that has been detached in-place, i.e. with "
                                   ".detach_().This is not supported, please use out-of-place `.detach()` "
                                   "instead")
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
            for i, v in zip(s, read_version(n), strict=True):
                if v is not None and i._version != v:
                    raise modified(n, name, i, i._version, v)
            return tuple(i._data if F is RAW and isinstance(i, TensorBase) else i for i in s)
        return s

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
    if name.endswith("_sym_strides"):
        return lambda n, F: tuple(step // n.itemsize for step in read(n))  # kept as NumPy has them
    return take_input if name in row.tensors else lambda n, F: read(n)


def rebuilt(row: Row, n: Any, name: str, data: Any, counter: Any) -> Any:
    """A saved output as a tensor again: same storage, same grad_fn, a new object (as in torch)."""
    t = constant(TensorBase._plain, data, counter)
    if data.dtype.kind != "f":
        return t
    nr = row.outputs.index(name) if name in row.outputs else 0
    return attach(t, output_of(n, nr) if row.multi else maker_of(n, name))


def modified(n: Any, name: str, saved: Any, version: int, expected: int) -> Exception:
    """The error for a saved tensor that was written in place afterwards."""
    shown = saved if saved is not None else constant(TensorBase._plain, getattr(n, f"saved_{name}"))
    maker, nr = (maker_of(n, name), 0) if saved is None else (saved.grad_fn, saved.output_nr)
    of = f", which is output {nr} of {presentation.current.short_name(maker)}," if maker is not None else ""
    kind, shape = dtypes.of(shown._data.dtype).tensor_type, list(shown._data.shape)
    text = ("one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[{kind} {shape}]{of} is at version {version}; expected version {expected} instead. ")
    hint = presentation.current.hint
    if anomaly.enabled:
        hint = ("Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
                "variable in question was changed in there or anywhere later. Good luck!")
    return presentation.error(RuntimeError, "modified", text + hint,
        node=n, field=name, tensor=saved, version=version, expected=expected,
        counter=getattr(n, f"counter_{name}", None) if saved is None else saved._counter)


# ---- backward of a row: the derivatives that somebody wants, on the carrier at hand


def _first_apply(n: Any, grad: Any, F: Any, keep: bool) -> tuple:
    """Makes `apply` when the first node of a kind runs; most kinds never do, and import is quicker."""
    kind = type(n)
    kind.apply = apply_of(kind.row)
    return kind.apply(n, grad, F, keep)


def apply_of(row: Row) -> Callable:
    frees, multi = bool(row.node.frees), row.multi
    formulas = [row.derivatives[n] for n in row.differentiable]
    tensors = [n for n in row.saved if n in row.tensors or is_result(row, n)]  # hooks see them in this order
    alone = len(formulas) == 1 and [n for n in parameters(formulas[0]) if n in tensors] == tensors
    run = _only(row, formulas[0]) if alone else _several(row, formulas)

    def apply(n: Any, grad: Any, F: Any, keep: bool) -> tuple:
        sent = run(n, F, (grad,) if multi and n.outputs == 1 else grad)
        if frees and not keep:
            n.free()
        return sent

    return apply


def _several(row: Row, derivatives: list) -> Callable[[Any, Any, Any], tuple]:
    """Saved tensors, and what the derivatives use besides, are taken once; then each that is wanted gets its own."""
    used = tuple(n for n in row.saved
                 if n in row.tensors or is_result(row, n) or any(n in parameters(d) for d in derivatives))
    takes = [taker(row, n) for n in used]
    formulas = tuple(enumerate(_arranged(d, used) for d in derivatives))

    def run(n: Any, F: Any, grad: Any) -> tuple:
        values: list[Any] = [F, grad]
        for take in takes:
            values.append(take(n, F))
        edges = n.edges
        return tuple([None if edges[i] is None else f(values) for i, f in formulas])

    return run


def _arranged(formula: Callable, saved: tuple[str, ...]) -> Callable[[list], Any]:
    """The formula as a function of one list: carrier, gradient, then all saved values in order."""
    available = ("F", "grad", *saved)
    indices = [available.index(p) for p in parameters(formula)]
    if len(indices) == 1:
        return lambda v: formula(v[indices[0]])
    pick = itemgetter(*indices)
    return lambda v: formula(*pick(v))


def _only(row: Row, formula: Callable) -> Callable[[Any, Any, Any], tuple]:
    """The one derivative of a row, spelled out: a call with `*` costs as much as what is inside."""
    names = parameters(formula)
    takes = [taker(row, n) for n in names if n not in ("F", "grad")]
    match names[:2], takes:
        case ("F", "grad"), []:
            return lambda n, F, grad: (formula(F, grad),)
        case ("F", "grad"), [a]:
            return lambda n, F, grad: (formula(F, grad, a(n, F)),)
        case ("F", "grad"), [a, b]:
            return lambda n, F, grad: (formula(F, grad, a(n, F), b(n, F)),)
        case ("F", "grad"), [a, b, c]:
            return lambda n, F, grad: (formula(F, grad, a(n, F), b(n, F), c(n, F)),)
        case ("grad", *_), [a]:
            return lambda n, F, grad: (formula(grad, a(n, F)),)
    lead = [("F", "grad").index(name) for name in names if name in ("F", "grad")]
    return lambda n, F, grad: (formula(*[(F, grad)[i] for i in lead], *[take(n, F) for take in takes]),)


def saver(row: Row) -> Callable[[Any, tuple, Any, Any], None] | None:
    """What fills a node's slots, None if it has none; where values come from is decided once per row.

    As in torch an input that one of several derivatives mentions is kept only if that one is wanted.
    """
    place = {name: i for i, name in enumerate(row.inputs)}
    inputs, options, facts, results = [], [], {}, []
    for name in row.saved:
        # interned, as names in code are: `setattr` need not do it each time
        slot, version, counter = (intern(f"{part}_{name}") for part in ("saved", "version", "counter"))
        if is_result(row, name):
            output = row.outputs.index(name) if name in row.outputs else None
            results.append((slot, version, counter, output))
        elif name in row.tensors:
            users = [e for e, d in enumerate(row.differentiable) if name in row.uses[d]]
            one_of_several = name in row.derivatives and len(users) == 1 < len(row.differentiable)
            inputs.append((slot, version, place[name], users[0] if one_of_several else None))
        elif name in place:
            options.append((slot, place[name]))
        else:
            source, fact = fact_of(name)
            facts[slot] = place[source], fact
            if fact is strides_of:
                facts["itemsize"] = place[source], attrgetter("_data.itemsize")

    def save(n: Any, args: tuple, z: Any, result: Any) -> None:
        for slot, version, i, user in inputs:
            x = args[i]
            if user is not None and n.edges[user] is None:
                x = None
            elif isinstance(x, TensorBase):
                c = x._counter
                setattr(n, version, 0 if c is None else c[0])
            elif x.__class__ is tuple:
                setattr(n, version, tuple(i._version if isinstance(i, TensorBase) else None for i in x))
            setattr(n, slot, x)
        for slot, i in options:
            setattr(n, slot, args[i])
        for slot, (i, fact) in facts.items():
            setattr(n, slot, fact(args[i]))
        for slot, version, counter, i in results:
            shared = (result if i is None else result[i])._shared_counter()
            setattr(n, slot, z if i is None else z[i])
            setattr(n, counter, shared)
            setattr(n, version, shared[0])

    def save_others(n: Any, args: tuple, z: Any, result: Any) -> None:
        for slot, i in options:
            setattr(n, slot, args[i])
        for slot, (i, fact) in facts.items():
            setattr(n, slot, fact(args[i]))

    if not row.saved:
        return None
    return save if inputs or results else save_others


def fact_of(name: str) -> tuple[str, Callable[[Any], Any]]:
    """`self_sym_sizes`, `mat2_sym_strides`, `source_dim` ...: which input, and what of it."""
    if name.endswith("_dim"):
        return name.removesuffix("_dim"), attrgetter("_data.ndim")
    source, _, fact = name.partition("_sym_")
    known = {"sizes": attrgetter("_data.shape"), "numel": attrgetter("_data.size"), "strides": strides_of}
    if fact in known:
        return source, known[fact]
    dim = int(fact.removeprefix("argsize_").replace("minus_", "-"))
    return source, lambda x: x._data.shape[dim]


def strides_of(x: Any) -> tuple:
    """Strides in bytes; none where no gradient is wanted that would be laid out alike."""
    return x._data.strides if x.requires_grad else ()


def blank_node(cls: type, edges: tuple, metas: Any) -> Any:
    """A node with its edges, its number, and the learner's line."""
    n = cls()
    n.edges, n.metas, n.hooks = edges, metas, None
    n.seq = next(seqs)
    n.code, n.lasti = learners_line(3)
    return n
