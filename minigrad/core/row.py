"""A row of the table: its forward, its derivatives, and the Node class that is read off them.

The parameter names of the derivatives say what a node saves, in torch's words: inputs, `result`,
options, `self_sym_sizes`. From them come the node's slots, `saver`, which fills them, `reader`, which
takes a value out again, checked, and `apply`, which runs the derivatives that somebody wants.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter, itemgetter
from sys import intern
from typing import Any

from ..text.presentation import need
from ..text.tex import tex_of
from .beside.saved import SavedTensor, is_result, modified, rebuilt, saved_property
from .carriers import RAW
from .graph import Node, TensorBase, Withheld, new_node

TABLE: dict[str, Row] = {}


class Row:
    """One operation. `name` and `forward` (on arrays), then one derivative for each differentiable input.

    How torch calls it:
        grad_fn      the node's class name, where it is not the row's in capitals with `Backward0` behind
        torch_name   what `name()` says, where that is not the class's name
        numbered     torch numbered the node in every version: `AddBackward0` also before 1.10
        doc          the documentation's first lines
    What it takes:
        fixed        inputs that are tensors, though no gradient goes to them: masks, indices
        scalars      options that are numbers to torch; other integers are printed unsigned in saved fields
        numbers      of two operands, what is taken beside a tensor: True for numbers, "floats" where they
                     lift integers, "arrays" for NumPy's arrays too, False for tensors alone
        opmath       "e" where a number beside halves is not rounded to half first (torch computes in float32)
        check_types  `check_types(kind, kind)` raises where the types of two operands do not go together
        elementwise  operands broadcast and are brought to the type of the result
    What it returns and saves:
        outputs      the names of several results; the node belongs to the first alone
        multi        the result is a list of tensors, and the node belongs to all that are floats
        keeps        saved to be looked at, though no derivative uses it
        hidden       saved for a derivative, though torch does not show it
        constants    fields to be looked at that are the same in each node: `alpha` of a plain `add`
    How it is written:
        letters      letters for parameters, where the usual ones (`text.tex`) read badly
    """

    def __init__(self, name: str, forward: Callable, /, *, grad_fn: str | None = None, torch_name: str | None = None,
                 numbered: bool = False, doc: str = "", fixed: tuple[str, ...] = (), scalars: tuple[str, ...] = (),
                 numbers: bool | str = True, opmath: str = "", check_types: Callable[[str, str], None] | None = None,
                 elementwise: bool = False, outputs: tuple[str, ...] = (), multi: bool = False,
                 keeps: tuple[str, ...] = (), hidden: tuple[str, ...] = (), constants: dict[str, Any] | None = None,
                 letters: dict[str, str] | None = None, **derivatives: Callable) -> None:
        self.name, self.forward, self.derivatives, self.doc = name, forward, derivatives, doc
        self.grad_fn, self.torch_name, self.numbered = grad_fn or camel(name) + "Backward0", torch_name, numbered
        self.scalars, self.numbers, self.check_types, self.elementwise = scalars, numbers, check_types, elementwise
        self.outputs, self.multi, self.keeps, self.hidden, self.opmath = outputs, multi, keeps, hidden, opmath
        self.constants, self.letters = constants or {}, letters or {}
        self.inputs = parameters(forward) if inspect.isfunction(forward) else tuple(derivatives)
        given = getattr(forward, "__defaults__", None) or ()
        self.defaults = dict(zip(self.inputs[len(self.inputs) - len(given) :], given, strict=True))
        self.differentiable = tuple(n for n in self.inputs if n in derivatives)
        self.tensors = tuple(n for n in self.inputs if n in (derivatives or ("self",)) or n in fixed)
        self.uses = {n: parameters(d) for n, d in derivatives.items()}
        wanted = [p for used in self.uses.values() for p in used]
        late = {"result", *outputs}  # torch's order, which hooks and errors show: inputs, then outputs
        self.saved = tuple(sorted({*wanted, *keeps} - {"F", "grad"}, key=lambda n: (n in late, n)))
        self.made: Any = None  # `node`, once it is there
        self.call: Callable = forward
        self.view = False  # whether results share the storage of `self`: `op` says so, and where the row stands
        self.place: Any = None
        self.chapter = ""  # the file of `ops/table` in which it stands

    @property
    def node(self) -> Any:
        """The class of its nodes, and `save`, which fills their slots: made when first asked for, in few rows."""
        if self.made is None:
            self.save, self.made = saver(self), node_class(self)
        return self.made

    def tex(self, name: str) -> str | None:
        """The TeX of the derivative with respect to input `name`, printed by the formula itself."""
        formula = self.derivatives.get(name)
        return tex_of(formula, self.letters) if formula else None

    def bind(self, args: tuple, options: dict[str, Any]) -> tuple:
        """Complete a call: all inputs in order, defaults filled in."""
        if not options and 0 < (missing := len(self.inputs) - len(args)) <= len(self.defaults):
            return (*args, *[*self.defaults.values()][-missing:])
        left, known = self.inputs[len(args) :], self.defaults | options
        if len(args) <= len(self.inputs) and options.keys() <= {*left} <= known.keys():
            return (*args, *[known[name] for name in left])
        raise TypeError(f"{self.name}() takes {', '.join(self.inputs)}")

    def record_by_hand(self, edges: tuple, /, **saved: Any) -> Node:
        """A node of this row that no call made, such as a view's new AsStridedBackward0."""
        n = new_node(self.node, edges, None)
        for name in self.saved:
            setattr(n, f"saved_{name}", saved.get(name))
        return n


def parameters(formula: Callable) -> tuple[str, ...]:
    """The names of a formula's parameters; 30 times faster than `inspect.signature`."""
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]


def camel(name: str) -> str:
    """torch's spelling of a node: `log1p` is `Log1P`, `max_pool2d` is `MaxPool2D`."""
    joined = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    return re.sub(r"(?<=\d)[a-z]", lambda m: m[0].upper(), joined)


# ---- node classes: slots for what is saved, and `_saved_*` to look at it


def node_class(row: Row) -> type[Node]:
    slots: list[str] = []
    body: dict[str, Any] = {"__module__": "builtins", "row": row, "torch_name": row.torch_name}  # torch's are C's
    frees = []
    for name in row.saved:
        slots.append(f"saved_{name}")
        if is_result(row, name):
            slots += [f"counter_{name}", f"maker_{name}"]
        if is_result(row, name) or name in row.tensors:
            slots.append(f"version_{name}")
            frees.append(f"saved_{name}")
        if name not in row.hidden:  # what torch keeps elsewhere
            body[f"_saved_{name}"] = saved_property(row, name, cache(partial(reader, row, name, only_look=True)))
            if f"saved_{name}" in frees:
                body[f"_raw_saved_{name}"] = property(partial(SavedTensor, name=name))
    body |= {f"_saved_{name}": value for name, value in row.constants.items()}
    if row.multi:
        slots.append("outputs")
    if any(name.endswith("_sym_strides") for name in row.saved):
        slots.append("itemsize")
    body.update(__slots__=tuple(slots), frees=tuple(frees), apply=_first_apply)
    return type(row.grad_fn, (Node,), body)


class Scalar:
    """A Python number beside a tensor: the number, and its array in the type of the result."""

    __slots__ = ("raw", "value")

    def __init__(self, value: Any, raw: Any) -> None:
        self.value, self.raw = value, raw


def reader(row: Row, name: str, only_look: bool = False) -> Callable[[Any, Any], Any]:
    """A function that reads one saved value from a node: checked, and in the carrier's form.

    Raises: RuntimeError for a tensor that was written in place since (its version is not the one that was
    noted), and for one that came from an operation and was detached in place; whoever only looks still sees that.
    """
    read, read_version, read_counter = (attrgetter(f"{part}_{name}") for part in ("saved", "version", "counter"))
    slot = row.differentiable.index(name) if name in row.differentiable and not only_look else None

    def take_input(n: Any, F: Any) -> Any:
        s = read(n)
        if s is None:
            return None
        if isinstance(s, TensorBase):
            if slot is not None and s._fn is None and n.edges[slot] is not None and n.edges[slot] is not s:
                need(False, "saved_detached")
            c = s._counter
            if c is not None and c[0] != read_version(n):
                raise modified(n, name, s, c[0], read_version(n))
            return s._data if F is RAW else s
        if s.__class__ is Scalar:
            return s.raw if F is RAW else s.value
        if isinstance(s, Withheld):
            s = s.unpack(n, name)
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
            s = s.unpack(n, name)
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


# ---- backward of a row: the derivatives that somebody wants, on the carrier at hand


def _first_apply(n: Any, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple:
    """Makes `apply` when the first node of a kind runs; most kinds never do, and import is quicker."""
    kind = type(n)
    kind.apply = apply_of(kind.row)
    return kind.apply(n, grad, F, keep, ways)


def apply_of(row: Row) -> Callable:
    """What a node of this row does in backward: `grad` times the derivative, for each input that wants it.

    What is saved is read once, tensors in the order in which hooks see them; as in torch the derivatives run in the
    order of their names. `ways`: the edges, with None also where a gradient leads to nothing that was asked for.
    """
    listed = row.inputs[0] == "tensors"  # one derivative, which returns a gradient for each tensor of the list
    formulas = [row.derivatives[n] for n in row.differentiable]
    used = {p for formula in formulas for p in parameters(formula)}
    names = [n for n in row.saved if n in used or n in row.tensors or is_result(row, n)]
    readers = [reader(row, n) for n in names]
    arranged = [(slot, formulas[slot], picker(["F", "grad", *names], parameters(formulas[slot])))
                for slot in sorted(range(len(formulas)), key=row.differentiable.__getitem__)]
    (_, first, pick_first), alone, frees = arranged[0], len(arranged) == 1, row.node.frees  # most rows have one

    def apply(n: Any, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple:
        values = [F, (grad,) if row.multi and n.outputs == 1 else grad]
        for read in readers:
            values.append(read(n, F))
        if alone:
            sent = first(*pick_first(values))
            sent = tuple(sent) if listed else (sent,)
        else:
            gradients: list[Any] = [None] * len(arranged)
            edges = ways or n.edges
            for slot, formula, pick in arranged:
                gradients[slot] = None if edges[slot] is None else formula(*pick(values))
            sent = tuple(gradients)
        if frees and not keep:
            n.free()
        return sent

    def plain(n: Any, grad: Any, F: Any, keep: bool, ways: Any = None) -> tuple:
        """The same, for the commonest rows: one derivative of one value that was saved."""
        saved = readers[0](n, F)
        sent = (first(F, grad, saved) if takes_carrier else first(grad, saved),)
        if frees and not keep:
            n.free()
        return sent

    takes_carrier, wanted = parameters(first)[:1] == ("F",), [p for p in parameters(first) if p != "F"]
    return plain if alone and len(names) == 1 and wanted == ["grad", *names] and not (listed or row.multi) else apply


def picker(names: list[str], wanted: tuple[str, ...]) -> Callable[[list], tuple]:
    """A function that takes the `wanted` of the values that are called `names`."""
    places = [names.index(name) for name in wanted]
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))


# ---- forward of a row: what its nodes keep


def saver(row: Row) -> Callable[[Any, tuple, Any, Any], None]:
    """What fills a node's slots; where values come from is decided once per row.

    As in torch an input that only one of several derivatives mentions, and that is differentiable itself, is kept
    only if that derivative is wanted.
    """
    place = {name: i for i, name in enumerate(row.inputs)}
    inputs, options, results = [], [], []
    facts: list[tuple[str, int, Callable]] = []
    for name in row.saved:
        # interned, as names in code are: `setattr` need not do it each time
        slot, version, counter = (intern(f"{part}_{name}") for part in ("saved", "version", "counter"))
        if is_result(row, name):
            results.append((slot, version, counter, row.outputs.index(name) if name in row.outputs else None))
        elif name in row.tensors:
            users = [e for e, d in enumerate(row.differentiable) if name in row.uses[d]]
            one_of_several = name in {*row.derivatives} - {*row.keeps} and len(users) == 1 < len(row.differentiable)
            inputs.append((slot, version, place[name], users[0] if one_of_several else None))
        elif name in place:
            options.append((slot, place[name]))
        else:
            source, fact = fact_of(name)
            facts.append((slot, place[source], fact))
            if fact is strides_of:
                facts.append(("itemsize", place[source], attrgetter("_data.itemsize")))

    def save(n: Any, args: tuple, z: Any, result: Any) -> None:
        for slot, version, i, user in inputs:
            x = None if user is not None and n.edges[user] is None else args[i]
            if x.__class__ is tuple:
                setattr(n, version, tuple(t._version if isinstance(t, TensorBase) else None for t in x))
            else:  # a number has a version too: once it is freed, nobody knows what it was
                c = x._counter if isinstance(x, TensorBase) else None
                setattr(n, version, 0 if c is None else c[0])
            setattr(n, slot, x)
        for slot, i in options:
            setattr(n, slot, args[i])
        for slot, i, fact in facts:
            setattr(n, slot, fact(args[i]))
        for slot, version, counter, output in results:
            shared = (result if output is None else result[output])._shared_counter()
            setattr(n, slot, z if output is None else z[output])
            setattr(n, counter, shared)
            setattr(n, version, shared[0])

    return save


def fact_of(name: str) -> tuple[str, Callable[[Any], Any]]:
    """`self_sym_sizes`, `mat2_sym_strides`, `source_dim` ...: which input, and what of it."""
    if name == "shapes":  # of a list of tensors
        return "tensors", lambda tensors: [t._data.shape for t in tensors]
    if name.endswith("_dim"):
        return name.removesuffix("_dim"), attrgetter("_data.ndim")
    source, _, fact = name.partition("_sym_")
    known: dict[str, Callable] = {
        "sizes": attrgetter("_data.shape"), "numel": attrgetter("_data.size"), "strides": strides_of}
    if fact in known:
        return source, known[fact]
    dim = int(fact.removeprefix("argsize_").replace("minus_", "-"))
    return source, lambda x: x._data.shape[dim]


def strides_of(x: Any) -> tuple:
    """Strides in bytes; none where no gradient is wanted that would be laid out alike."""
    return x._data.strides if x.requires_grad else ()
