"""Numbers that went wrong: which node made a gradient zero, where NaN or Inf began, which lengths were spread.

Reads what nodes saved, and, where backward has freed that, the tensors that the learner still holds, as long as
their version is the one that was saved. What a node does to gradients is tried with its own formula on numbers
drawn at random: what sends none of them on sends nothing on.
"""

import ast
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice, pairwise, permutations
from typing import Any

from ..array.backend import xp
from ..core.beside import ledger
from ..core.beside.lines import source_line
from ..core.carriers import RAW
from ..core.graph import Freed, Node, TensorBase, latest, node_of
from ..core.row import reader as saved_reader
from ..text import presentation
from ..text.numbers import two_digits
from . import program
from .cuts import leads_to
from .findings import MODULES, Finding, by_rule, finding, first, receiver
from .live import Key, Reader, is_tensor
from .program import Context, begins, called, expression, inside_of, is_theirs, located, parts_behind, usual, writers

# nodes that are looked through; one after the other, behind each of them; sums next to a leaf, with all their terms
MOST, NEAR, SUMS = 20_000, 12, 64
RECURRENT = set("RNN LSTM GRU RNNCell LSTMCell GRUCell".split())
PRODUCTS = set("matmul mm bmm mv dot mul multiply linear".split())
KEEP_ZEROS = set("transpose permute t view reshape flatten unsqueeze squeeze expand repeat relu tanh".split())
ROUNDS, CARRY = {"long", "int", "floor", "trunc", "round"}, KEEP_ZEROS | {"float", "double", "tensor", "to"}
UPRIGHT = r"(?:\[[^\[\]]*None\]|\.(?:unsqueeze\(-?1\)|(?:view|reshape)\([^()]*, 1\)))$"  # a row, made a column there
STRAIGHT = "Add", "Sub", "Sum", "Mean", "Mul", "Div", "View", "Squeeze", "Unsqueeze", "Stack", "Cat"  # of a loss
UNKNOWN = LookupError, RuntimeError, TypeError, ValueError, AttributeError  # where a value is no longer there


def at_node(key: str, n: Node, **facts: Any) -> Finding:
    """A finding about the line that made a node."""
    made = behind_views(n, False, ("LogB", "AddB", "IndexB", "Gather"))
    at, there = located(getattr(made, "code", None), getattr(made, "lasti", 0))
    line = usual(there.source.statement(at)) if at else ""
    told = f"{key}: 0 {type(n).__name__} {facts.get('value', '')} in {line}"
    found = by_lines(told, n) if n.code is not None else None
    key = found.key if key == "zero" and found else key
    return Finding(key, {"node": presentation.current.type_name(n), **facts}, n.line, found.edit if found else None)


def by_lines(told: str, *made: Any) -> Finding | None:
    """What a rule tells of the lines that made nodes, or cut at places, which it numbers from 0."""
    return by_rule(told, [(one.code, one.lasti) for one in made], located(made[0].code, made[0].lasti)[1])


def finite(array: Any) -> bool:
    """Whether no element is NaN or Inf."""
    return bool(xp.isfinite(xp.asarray(array)).all())


class Values(Reader):
    """The nodes behind a loss, with every value of theirs that is still to be had."""

    def __init__(self, loss: Any, names: Mapping[str, Any]) -> None:
        super().__init__([loss], names)
        self.computed: dict[Any, Any] = {}  # results that were computed again, by slot
        self.leaf: Any = None  # whose gradient is asked for
        with warnings.catch_warnings(action="ignore"):
            self.discover()
            self.way = self.order() if len(self.found) <= MOST else []
            self.place_tensors(self.way)
            for key in self.way:
                self.infer_shapes(key)

    def saved_value(self, key: Key, name: str) -> Any:
        """What a node's formula would be given for `name`; raises where that is no longer known."""
        n: Any = self.found[key]
        if name == "result" and n.row.name == "softmax" and self.shape_of((key, 0))[0][n.saved_dim] == 1:
            return xp.ones(self.shape_of((key, 0))[0])  # of one element, whatever it is
        saved = getattr(n, f"saved_{name}", latest.freed)  # None: no formula wanted that tensor
        if not isinstance(saved, Freed) and (saved is not None or name not in n.row.tensors):
            return saved_reader(n.row, name)(n, RAW)
        slots = dict(zip(self.input_names(n), self.edges[key], strict=False))
        value = self.held((key, 0) if name == "result" else slots.get(name), n, name)
        if value is None and name == "other" and not slots.get(name):  # `0.5 * x`
            value = program.number_beside(n.code, n.lasti)
        if value is None:
            raise LookupError(name)
        return value

    def held(self, slot: Any, node: Any, name: str) -> Any:
        """The numbers of a tensor that the learner holds, unless it was written since `node` met it; or computed.

        What is zero after an update with a gradient of zero was zero before it; a leaf in question may be at its
        minimum there.
        """
        if (t := self.tensors.get(slot)) is None or t.is_inference():
            return self.computed.get(slot)
        known = t._version == getattr(node, f"version_{name}", 0)
        if not known and t.is_leaf and t is not self.leaf and t._grad is not None and updated(t):
            known = not (t._array().any() or t._grad._array().any())
        return t._array() if known else self.computed.get(slot)

    def known(self, key: Key, name: str) -> Any:
        """`saved_value`, or None where that is no longer known."""
        with suppress(*UNKNOWN):
            return self.saved_value(key, name)
        return None

    def factor(self, key: Key, i: int) -> Any:
        """What a node makes of gradients drawn at random, for its input `i`; None where that is not known."""
        n: Any = self.found[key]
        row = self.row(n)
        shape, kind = self.shape_of((key, 0))
        if row is None or row.multi or n.outputs > 1 or row.inputs[0] == "tensors" or not kind:
            return None
        name = row.differentiable[i]
        grad = xp.random.RandomState(7).uniform(0.5, 1.5, shape).astype(kind.rpartition(".")[2] or "float32")
        with suppress(*UNKNOWN), xp.errstate(all="ignore"):
            given = {each: self.saved_value(key, each) for each in row.uses[name] if each not in ("F", "grad")}
            return row.derivatives[name](*[{"F": RAW, "grad": grad, **given}[each] for each in row.uses[name]])
        return None

    def leading(self, leaf: Any) -> set[Key]:
        """The nodes on a way to a leaf, and the leaf."""
        found: set[Key] = {("leaf", id(leaf))}
        for key in (key for key in reversed(self.way) if any(slot and slot[0] in found for slot in self.edges[key])):
            found.add(key)
        return found

    def walls(self, leaf: Any) -> list[tuple[Any, int]]:
        """The nodes that send nothing on, if they stand on all ways to a leaf; the first in backward first."""
        ways, walls = self.leading(leaf), []
        open_ = {key for key in self.way[:1] if key in ways}
        for key in self.way:
            for i, slot in enumerate(self.edges[key] if key in open_ else ()):
                if slot and slot[0] in ways:
                    if (sent := self.factor(key, i)) is not None and not xp.asarray(sent).any():
                        walls.append((key, i))
                    else:
                        open_.add(slot[0])
        return [] if ("leaf", id(leaf)) in open_ else walls

    def zero(self, leaf: Any, name: str) -> Finding | None:
        """The node that keeps a leaf's gradient zero."""
        for key, i in self.walls(leaf):
            n: Any = self.found[key]
            given = {each: self.saved_value(key, each) for each in n.row.uses[n.row.differentiable[i]]
                     if each in (*n.row.tensors, "result")}
            if not given:
                return at_node("flat", n, name=name)
            word, value = next(reversed(given.items()))
            slot = dict(zip(self.input_names(n), self.edges[key], strict=False)).get(word)
            word = self.names.get(slot, word) if slot else word
            low, high = (two_digits(float(f(value))) for f in (xp.min, xp.max))
            return at_node("zero", n, name=name, value=f"{word} = {low if low == high else f'{low} … {high}'}")
        ways = self.leading(leaf)
        near = map(self.found.get, reversed(self.way))
        sums = (n for n in near if id(n) in ways and type(n).__name__.startswith(("Add", "Sub")))
        for n in islice(sums, SUMS):
            if any(not by and size and id(t) in ways for t, by, size in summed(n).values()):
                return cancelling(n, name)
        codes = (getattr(hook, "__code__", None) for key in self.way if key in ways
                 for _, _, hook in self.hooks_at(key))
        return next((Finding("hooked", {"name": name}, source_line(c, 0)) for c in codes if c and is_theirs(c)), None)

    def operands(self, key: Key) -> dict[str, Any]:
        """The values that went into a node, as far as they are there."""
        n: Any = self.found[key]
        names = n.row.tensors if n.row else self.input_names(n)
        return {name: value for name in names if hasattr(value := self.known(key, name), "dtype")}

    def result(self, key: Key, operands: dict[str, Any]) -> Any:
        """What a node made: as it is held, or computed again from what it saved; None if it is not known."""
        value, row = self.held((key, 0), self.found[key], "result"), self.row(self.found[key])
        if value is not None or row is None:
            return value
        with suppress(*UNKNOWN), xp.errstate(all="ignore"):  # not of what is drawn: no node keeps its generator
            given = [operands[each] if each in operands else self.saved_value(key, each) for each in row.inputs]
            self.computed[key, 0] = value = row.forward(*given)
        return value

    def bad(self, leaf: Any, name: str) -> Finding | None:
        """Where NaN or Inf began: in the values, or at the first derivative that is infinite."""
        for key in reversed([key for key in self.way if not isinstance(key, tuple)]):
            made = self.result(key, self.operands(key))
            chosen = type(self.found[key]).__name__ == "MaskedFillBackward0"  # Inf as a mark, for a softmax
            if made is not None and hasattr(made, "dtype") and not finite(made) and not chosen:
                return self.began(key, made)
        ways = self.leading(leaf)
        for key in (key for key in self.way if key in ways and not isinstance(key, tuple)):
            for i, slot in enumerate(self.edges[key]):
                sent = self.factor(key, i) if slot and slot[0] in ways else None
                if sent is not None and not finite(sent):
                    value = value_at(~xp.isfinite(sent), self.operands(key) or {"result": self.known(key, "result")})
                    return at_node("steep", self.found[key], name=name, value=value) if value else None
        return None

    def began(self, key: Key, made: Any) -> Finding:
        """What is to be said of a node whose result has NaN or Inf: whether that came in, or began here."""
        n: Any = self.found[key]
        operands, wrong = self.operands(key), ~xp.isfinite(made)
        bad, value = "NaN" if xp.isnan(made[wrong][0]) else "Inf", value_at(wrong, operands)
        if came := [name for name, given in operands.items() if not finite(given)]:
            if n.row is not None and n.row.name == "softmax" and xp.isneginf(operands["self"]).all(n.saved_dim).any():
                return at_node("masked_row", n)
            return at_node("came_in", n, bad=bad, word=came[0])
        whole = n.row is not None and {*n.row.tensors} <= operands.keys()
        began = at_node("began", n, bad=bad, value=value) if whole and value else self.stepped()
        return began or at_node("seen_bad", n, bad=bad)

    def stepped(self) -> Finding | None:
        """A leaf that an update, its last write, left with NaN or Inf."""
        bad = ((slot, t) for slot, t in self.tensors.items() if t.is_leaf and not finite(t._array()))
        return first(finding("stepped_bad", there, at, name=self.names.get(slot))
                     for slot, t in bad if updated(t) for at, there in writers(t)[:1])


def updated(t: Any) -> bool:
    """Whether the last that wrote into a tensor was an update."""
    return any(called(at) in ("step", "sub_", "add_", "copy_") or isinstance(at, ast.AugAssign)
               for at, _ in writers(t)[:1])


def value_at(bad: Any, operands: dict[str, Any]) -> str:
    """The operands where something is wrong first: `other[1] = 0`."""
    where, told = tuple(int(i[0]) for i in xp.nonzero(xp.atleast_1d(bad))), list[str]()
    for name, v in ((name, xp.asarray(value)) for name, value in operands.items() if value is not None):
        if v.ndim <= bad.ndim and all(n in (1, m) for n, m in zip(v.shape[::-1], bad.shape[::-1], strict=False)):
            at = [min(i, n - 1) for i, n in zip(where[bad.ndim - v.ndim :], v.shape, strict=False)]  # as it was spread
            told.append(f"{name}{at or ''} = {two_digits(float(v[tuple(at)]))}")
    return ", ".join(told)


# ---- lengths that were spread


def spread(n: Any) -> Finding | None:
    """Where a column of N met a row of N, in a difference or a loss, and made N rows of N: the column squeezed. Of a
    loss, which warns of it, also where others met."""
    row, metas = type(n).row, [tuple(meta[0]) for meta in n.metas or () if meta]
    if row is None or n.code is None or not (row.name == "sub" or "loss" in row.name):
        return None
    warned = [*map(tuple, presentation.warned_at.get(("loss_sizes", n.code, n.lasti), ()))][::-1]
    ends = {id(behind_views(node_of(edge))) for edge in n.edges[:2]}  # one: each with each of the same, on purpose
    if (warned and metas and xp.broadcast_shapes(*warned) != metas[0]) or len(ends) == 1:  # another time
        return None
    return unpaired(n.code, n.lasti, warned or metas, bool(warned))


def unpaired(code: Any, lasti: int, shapes: list[tuple[Any, ...]], warned: bool = True) -> Finding | None:
    """What is to be said of two shapes that met in a line: see `spread`."""
    at, context = located(code, lasti)
    pair = [at.left, at.right] if isinstance(at, ast.BinOp) else getattr(at, "args", [])[:2]
    column, flat = sorted(shapes, key=len, reverse=True) if len(shapes) == 2 else ((), ())
    if len(column) != 2 or len(flat) != 1 or column != (flat[0], 1) or flat[0] < 2:
        told = warned and all(math.prod(shape) != 1 for shape in shapes)  # one may be for all
        return finding("loss_sizes", context, at, given=shapes[0], target=shapes[1]) if told and at else None
    facts = {"a": shapes[0], "b": shapes[1], "n": flat[0]}
    wide = pair[shapes.index(column)] if len(pair) == 2 else None
    given = context.argument(wide.id) if isinstance(wide, ast.Name) and context.function is not None else ()
    if not warned and any(re.search(UPRIGHT, ast.unparse(n)) for n in [wide, *(part for part, _ in given)] if n):
        return None  # each with each, on purpose
    change = [(wide, f"{context.source.grouped(wide)}.squeeze(1)")] if wide is not None else []
    key = "spread_in_loss" if warned else "spread"
    known = at is not None
    return finding(key, context, at, *change, **facts) if known else Finding(key, facts, source_line(code, lasti))


def behind_views(n: Any, turned: bool = True, also: tuple[str, ...] = ()) -> Any:
    """What a node is a view of, in the end, or was made of by nodes of some kinds; `turned`: through transposes."""
    for _ in range(NEAR):
        if not isinstance(n, Node) or n.row is None or not type(n).__name__.startswith(also) | n.row.view or (
                not turned and type(n).__name__.startswith(("TB", "Transpose", "Permute"))):
            break
        n = node_of(n.edges[0])
    return n


def misfit(nodes: list[Any]) -> Finding | None:
    """What nodes behind a loss show without values: writes through `.data`, lengths that were spread,
    probabilities in place of scores."""
    unseen = (p for p in list(ledger.places.values()) if p.kind == ".data" and p.origin() in nodes)
    written = first(by_lines("unseen: 0", place) for place in unseen)
    bent = {node_of(e) for n in nodes if not type(n).__name__.startswith(STRAIGHT) for e in n.edges}
    told = (((met := spread(n)) and not folded(n, nodes) and met) or first(
        chained(node_of(e), n, n in bent) for e in n.edges) for n in nodes if n.code)
    return written or first(told)


def folded(n: Any, nodes: list[Any]) -> bool:
    """Whether what comes of a difference is summed, or weighed, along one dimension: each with each, on purpose."""
    above = {id(n)} if type(n).__name__ == "SubBackward0" else set[int]()
    for m in sorted(nodes, key=lambda m: m.seq) if above else ():
        if any(id(node_of(e)) in above for e in m.edges if e is not None):
            above.add(id(m))
            if getattr(m, "saved_dim", None) is not None and not (m.row is not None and m.row.view):
                return True
    return False


def chained(child: Any, n: Any, bent: bool = False) -> Finding | None:
    """What a node and one that it is computed from show together; a logarithm between them does not count as one.

    `bent`: what the node gives goes into a function that is no sum or multiple of it.
    """
    log = type(child).__name__ == "LogBackward0"
    child = behind_views(node_of(child.edges[0]) if log else child, False)
    if not isinstance(child, Node) or child.code is None:
        return None
    parts = getattr(getattr(expression(n.code, n.lasti), "slice", None), "elts", ())  # of an index
    product = behind_views(node_of(child.edges[0]), False, ("DivB", "MulB", "AddB", "MaskedFill", "UnsafeView"))
    # not square, they may share something out
    even = len({*getattr(n, "saved_self_sym_sizes", ())}) < 2 and child is behind_views(node_of(n.edges[0]), False)
    left = " logged" * log + f" left {type(product).__name__}" * even + " second" * (n.edges[0] is None)
    marks = " twice" * (len(n.edges) == 2 and n.edges[0] is n.edges[1]) + " both" * all(e is not None for e in n.edges)
    picked = (behind_views(node_of(e), False, ("Gather", "Index", "NllLoss", "NegB")) for e in n.edges if e is not None)
    left += "".join(f" beside {type(m).__name__}" for m in picked if m is not child)
    left += " bent" * bent
    told = (f"chain: 0 {type(child).__name__} 1 {type(n).__name__} along {getattr(n, 'saved_dim', len(parts))} "
            f"dim {getattr(child, 'saved_dim', '')} of {type(node_of(child.edges[0])).__name__}{marks}{left}")
    return by_lines(told, child, n)


# ---- what a loss shows though all its gradients arrive


def oddities(loss: Any, names: Mapping[str, Any]) -> Iterator[Finding | None]:
    """Slips that the nodes behind a loss show: lengths that changed places, scores that a mask made 0, a sum turned."""
    values = Values(loss, names)
    for key in reversed(values.way):
        if getattr(n := values.found[key], "code", None) is not None:
            shape = values.shape_of((key, 0))[0]
            yield regrouped(n, shape, names) or zero_scores(n, values, names) or other_sum(n, values, names)
    terms = summed(node_of(loss._edge()), ("Sum", "Mean"))
    squared = any(factor < 0 and type(n).__name__ == "PowBackward0" and getattr(n, "saved_exponent", 0) == 2
                  for n, factor, _ in terms.values())
    for n, factor, _ in terms.values() if squared else ():
        inner = terms.get(id(node_of(n.edges[0])), (None, 0, 0))[1] if type(n).__name__ == "ExpBackward0" else 0
        if factor < 0 < inner:  # v - exp(v) is largest where v is 0
            yield turned(*at_home(n, names))


def cancelling(n: Any, name: str) -> Finding:
    """A sum that takes away what it adds; most often the difference in it was to be a constant."""
    at, there = located(n.code, n.lasti)
    inner = getattr(at, "left", None)
    parts = (inner.left, inner.right, at.right) if isinstance(inner, ast.BinOp) and isinstance(at, ast.BinOp) else ()
    a, b, c = map(there.source.grouped, parts) if parts else ("", "", "")
    taken = isinstance(getattr(inner, "op", None), ast.Sub) and b == c  # a - b + b, else b + a - b
    new = f"({a} - {b}).detach() + {c}" if taken else f"{a} + ({b} - {c}).detach()"
    return finding("cancelling", there, at, *[(at, new)] * bool(parts and (taken or a == c)), name=name)


def turned(at: Any, context: Context) -> Finding:
    """A sum with the wrong sign; the other one put before what its statement gives a name, if that is nothing else."""
    value = getattr(statement := context.source.statement(at), "value", None)
    read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - MODULES
    alone = isinstance(statement, ast.Assign) and len(read) <= 2
    text = context.source.text(value) if alone else ""
    new = f"-{text}" if re.match(r"\d|\(", text) else f"-({text})"
    return finding("not_nearer", context, at, *[(value, new)] * alone)


def at_home(n: Any, names: Mapping[str, Any]) -> tuple[Any, Context]:
    """The expression that made a node, and where it stands: in a forward, with the module that it is of."""
    at, there = located(n.code, n.lasti)
    every = (m for v in names.values() if hasattr(type(v), "named_modules") for m in v.modules())
    own = [m for m in every if getattr(type(m).forward, "__code__", None) is n.code][:1]
    return at, there._replace(names={**names, **dict(zip(["self"], own, strict=False))})


def summed(top: Any, more: tuple[str, ...] = ()) -> dict[int, tuple[Any, float, float]]:
    """The nodes that a node's result is a sum of, each with its factor, NaN where that is not known, and the size of
    all that makes it; those on the way, too. Nodes of `more` kinds, and views with them, are passed as if not there."""
    found, todo = {id(top): (top, 1.0, 1.0)}, [top]
    while todo:
        todo.remove(n := max(todo, key=lambda n: n.seq))
        kind, factor = type(n).__name__.partition("Backward")[0], found[id(n)][1]
        alike = kind in ("Add", "Sub", "Neg", "Clone", *more) or bool(more and n.row is not None and n.row.view)
        beside = program.number_beside(n.code, n.lasti) if kind in ("Mul", "Div") else None
        times = math.nan if beside is None else beside
        for i, edge in enumerate(n.edges if alike or kind in ("Mul", "Div") else ()):
            if (child := node_of(edge) if edge is not None else None) is not None:
                by = -1 if kind == "Neg" or (kind == "Sub" and i) else 1 if alike else times
                by = factor * (1 / by if kind == "Div" and by else by) * float(getattr(n, "saved_alpha", 1) if i else 1)
                todo += [child] * (id(child) not in found and isinstance(child, Node))
                _, before, size = found.get(id(child), (child, 0.0, 0.0))
                found[id(child)] = child, before + by, size + abs(by)
    return found


def regrouped(n: Any, new: tuple[int, ...], names: Mapping[str, Any]) -> Finding | None:
    """A view whose lengths are those of before in another order, or in which one has moved between parts of the next:
    its elements have not moved along."""
    if type(n).__name__ not in ("ViewBackward0", "UnsafeViewBackward0", "ReshapeAliasBackward0"):
        return None
    at, home = at_home(n, names)
    if called(at) not in ("view", "reshape"):  # a layer's own
        return None
    old, args = n.saved_self_sym_sizes, [ast.unparse(arg) for arg in at.args]
    was, now = ([k for k in lengths if k > 1] for lengths in (old, new))
    moved = [i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b]
    cut, joined = between_parts(was, now), between_parts(now, was)
    text, base = "", ast.unparse(receiver(at))
    if cut is not None:
        args[cut : cut + 2] = args[cut : cut + 2][::-1]
        text = f"{base}.{called(at)}({', '.join(args)}).transpose({cut}, {cut + 1})"
    elif joined is not None:
        text = f"{base}.transpose({joined}, {joined + 1}).reshape({', '.join(args)})"
    elif was == now or sorted(was) != sorted(now) or "-1" in args:  # then the others count
        return None
    elif len(moved) == 2:
        text = f"{base}.transpose({moved[0]}, {moved[1]})"
    plain = len(args) == len(new) and 1 not in (*old, *new)
    return finding("viewed", home, at, *[(at, text)] * (plain and bool(text)))


def between_parts(was: list[int], now: list[int]) -> int | None:
    """Where `now` has, of two lengths of `was`, the first between two factors of the second: 5, 8 as 2, 5, 4."""
    same = len(was) + 1 == len(now)
    k = next((k for k, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), len(was)) if same else len(was)
    fits = k + 1 < len(was) and was[k] == now[k + 1] and was[k + 2 :] == now[k + 3 :]
    return k if fits and now[k] * now[k + 2] == was[k + 1] else None


def zero_scores(n: Any, values: Values, names: Mapping[str, Any]) -> Finding | None:
    """A mask of 0 and 1 that scores are multiplied by, before a softmax: a score of 0 gets its share."""
    if not type(n).__name__.startswith(("Softmax", "LogSoftmax")):
        return None
    product: Any = behind_views(node_of(n.edges[0]), False, ("DivB",))
    every: list[Any] = [*map(values.found.get, values.way)]
    after = (m for m in every if type(m).__name__ == "MulBackward0" and None in m.edges)
    if type(product).__name__ != "MulBackward0" or None not in product.edges or product.code is None or any(
            behind_views(node_of(next(e for e in m.edges if e is not None)), False) is n for m in after):  # once more
        return None
    at, home = at_home(product, names)
    pair = [at.left, at.right] if isinstance(at, ast.BinOp) else [receiver(at), *getattr(at, "args", [])][-2:]
    pair = [at.target, at.value] if isinstance(at, ast.AugAssign) else pair
    for mask, scores in permutations(pair, 2):
        read: list[Any] = [v for n in ast.walk(mask) if isinstance(v := home.value(n), TensorBase)]
        made = {called(part) for part, _ in parts_behind(mask, home)} if not read else set()
        if made & {"tril", "triu"} or [sorted({*v.unique().tolist()}) for v in read if not v.requires_grad] == [[0, 1]]:
            new = f'{home.source.grouped(scores)}.masked_fill({ast.unparse(mask)} == 0, float("-inf"))'
            new = f"{ast.unparse(scores)} = {new}" if isinstance(at, ast.AugAssign) else new
            return finding("masked_by_zero", home, at, (at, new))
    return None


def other_sum(n: Any, values: Values, names: Mapping[str, Any]) -> Finding | None:
    """Weights of a softmax, one for several numbers each, whose products are summed along another dimension."""
    product: Any = node_of(n.edges[0]) if type(n).__name__ == "SumBackward1" else None
    full = values.shape_of((id(product), 0))[0] if type(product).__name__ == "MulBackward0" else ()
    for soft in (node_of(edge) for edge in product.edges if edge is not None) if full else ():
        shape = values.shape_of((id(soft), 0))[0]
        each = len(shape) == len(full) and shape != full and getattr(soft, "code", None) is not None
        if each and type(soft).__name__ == "SoftmaxBackward0":
            along, dims = soft.saved_dim % len(full), [d % len(full) for d in n.saved_dim]
            at, home = at_home(soft, names)
            new = re.sub(r"(dim=|, )-?\d+\)$", rf"\g<1>{dims[0]})", text := ast.unparse(at))
            if along not in dims:
                return finding("weights_summed", home, at, *[(at, new)] * (new != text), a=along, b=dims[0])
    return None


def equal_units(own: list[Any], context: Context) -> Finding | None:
    """A layer whose units have the same numbers and gradients, before one that makes the same of each of them."""
    ours = (p for p in own if p.ndim == 2 and hasattr(p, "_array") and p._grad is not None)  # none of torch's
    for p, after in pairwise([p._grad._array(), p._array()] for p in ours):
        for units in ([*p, *(each.T for each in after)], [*(each.T for each in p), *after]):  # as rows; as columns
            alike = len({*map(len, units)}) == 1 < len(units[0]) and units[0].any()
            if alike and all(xp.allclose(each, each[:1], 1e-4, 0) for each in units):
                return by_rule(f"equal: {len(units[0])} {[*p[0].shape]}", None, context)
    return None


def stopped(leaf: Any, top: Any, context: Context) -> Finding | None:
    """Where a gradient that is 0 stopped, as the gradients of the layers behind it tell, without any graph."""
    layers = [(f"{name}.".lstrip("."), m) for name, m in top.named_modules()
              if type(m).__name__.startswith(("Linear", "Conv")) and m.bias is not None and m.weight.grad is not None]
    own = next((i for i, (_, m) in enumerate(layers) if leaf is m.weight or leaf is m.bias), len(layers))
    zero = ((name, *one) for name, m in layers[own + 1 :] if not m.weight._array().any() for one in writers(m.weight))
    for name, wrote, there in (one for one in zero if one[1] is not None and called(one[1]) != "step"):
        return finding("zero_weight", there, wrote, name=f"{name}weight")
    name, m = next(((name, m) for name, m in layers[own:] if m.bias.grad._array().any()), ("", None))
    if m is None:  # what stands behind the last of them sent nothing back
        return by_rule(f"last: {type([*top.modules()][-1]).__name__}", None, context)
    hooks = m.weight._hooks  # there, too, once somebody has looked at the graph
    hooked = hooks is not None and (hooks.post_accumulate or any(hooks.tensor.values()))
    for given, around in into(m, top, context) if not (hooked or m.weight.grad._array().any()) else ():
        if not (isinstance(value := around.value(given), TensorBase) and value._array().any()):  # else it cancels out
            return finding("fed_zero", around, given, name=name)
    return None


def by_nought(leaf: Any, name: str, root: Any, context: Context) -> Finding | None:
    """Where what leads to a leaf is multiplied by what is made of zeros, so that 0 goes back to it."""
    for n, around in parts_behind(root, context):
        pair = [n.left, n.right] if is_product(n) else [receiver(n), *n.args[:2]][-2:] if called(n) in PRODUCTS else []
        if "weight_hh" in name and isinstance(n, ast.Call) and type(around.callee(n.func)).__name__ in RECURRENT:
            pair = [n.func, *(getattr(given, "elts", [given])[0] for given in n.args[1:2])]  # the state
            if len(pair) == 1 and any(p.grad is not None and p.grad.any() for p in around.callee(n.func).parameters()):
                return finding("no_state", around, n, name=name)
        for side, other in permutations(pair, 2):
            if (zeros := nought(other, around)) is not None and leads_to(side, around, leaf):
                made, there = zeros
                new = re.sub(r"\bzeros\(", "randn(", there.source.text(made).replace("//", "/"), count=1)
                both = "//" in ast.unparse(made) or (  # both are 0
                    re.match(r"[\w.]*Parameter\(|.*requires_grad=True", new) and not leaf._array().any())
                return finding("by_nought", there, made, *[(made, new)] * bool(both), name=name)
    return None


def is_product(n: Any) -> bool:
    """Whether an expression is `a * b` or `a @ b`."""
    return isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult | ast.MatMult)


def is_quotient(n: Any, context: Context) -> bool:
    """Whether an expression is a whole quotient that is 0; of 1 it is, but for 1 // 1."""
    if not (isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv)):
        return False
    a, b = (getattr(side, "value", None) if isinstance(side, ast.Constant) else context.value(side)
            for side in (n.left, n.right))  # type: tuple[Any, Any]
    whole = isinstance(a, int) and isinstance(b, int) and b != 0
    return a // b == 0 if whole else isinstance(n.left, ast.Constant) and a == 1


def nought(node: Any, context: Context, depth: int = 0) -> tuple[Any, Context] | None:
    """The zeros that an expression is made of, if that is 0 everywhere for sure."""
    if called(node) in ("zeros", "zeros_like") or is_quotient(node, context):
        return node, context
    parts = [(part, context) for part in (node.left, node.right)] if is_product(node) else []
    if called(node) in {*KEEP_ZEROS, "tensor", "float"} or getattr(node, "attr", "") in ("T", "mT"):
        parts = [(receiver(node), context)]
    elif isinstance(node, ast.Name | ast.Attribute):
        name, source, value = ast.unparse(node), context.source, context.value(node)
        parts = [*context.made(name, node)]
        if isinstance(value, TensorBase | int | float) and getattr(value, "numel", int)() < 2 and not value and (
                down := rounded(node, context)) is not None:
            return down
        if isinstance(value, TensorBase) and value.is_leaf and value.requires_grad:
            still = not (value._array().any() or (value._grad is not None and value._grad._array().any()))
            came = not (parts and name in program.written(parts[0][1].source.statement(parts[0][0])))  # from elsewhere
            return (nought(*parts[0], depth + 1) if came else parts[0]) if still and parts else None
        near, use = source.last_writes(name, node, context.function)[:1], source.statement(node)
        sure = any(begins(w) < begins(use) and source.loops(w) == source.loops(use)
                   and source.parents[w] in {*source.above(use), context.function} for w in near)
        inside = re.search(rf"\b{re.escape(name)}\b([^=\n]*\.\w+_\(|\.data\b)|_\({re.escape(name)}\b", source.whole)
        if len(source.writes.get((context.function, name), ())) < 2:  # it has its first value still
            sure = not (isinstance(value, TensorBase) and value._array().any())
        parts = parts[:1] if sure and not inside else []  # else it was written into, perhaps
        if parts and type(value) in (int, float) and value == 0:
            return parts[0]
    return next(filter(None, (nought(*part, depth + 1) for part in parts)), None) if depth < NEAR else None


def into(layer: Any, top: Any, context: Context) -> Iterator[tuple[Any, Context]]:
    """The expression that makes what a layer is called with; where no line calls it, the one that made the whole."""
    homes = [Context(source, names=context.names) for source in context.sources()]
    homes += [home for m in top.modules() if (home := inside_of(type(m).forward, self=m)) is not None]
    yield from (next(home.made(ast.unparse(call.args[0]), call), (call.args[0], home)) for home in homes
                for call in home.source.calls if call.args and home.source.function(call) is home.function
                and home.value(call.func) is layer)
    if not any(m._forward_hooks or m._forward_pre_hooks for m in top.modules()):  # they may give something else
        yield from (one for name, value in context.names.items() if value is top for one in context.made(name, None))


def fed(root: Any, context: Context) -> Finding | None:
    """A constant of the learner's that holds NaN behind an expression: the farthest of them, where it is made."""
    found = None
    for part, around in parts_behind(root, context):
        value: Any = around.value(part) if isinstance(part, ast.Name | ast.Attribute) else None
        array: Any = value._array() if isinstance(value, TensorBase) and not value.requires_grad else value
        wrong = isinstance(array, xp.ndarray) and array.dtype.kind == "f" and xp.isnan(array).any()
        for made, there in [*around.made(name := ast.unparse(part), part)][:1] if wrong else ():
            read = [v._array() for n in ast.walk(made) if is_tensor(v := there.value(n))]
            whole = bool(read) and all(map(finite, read)) and not xp.isnan(array).all()
            found = by_rule(f"fed{' whole' * whole}: {name}", made, there) or finding("fed", there, made, name=name)
    return found


def odd_targets(root: Any, context: Context, wrong: bool = False) -> Finding | None:
    """A cross entropy whose targets hold 1 for several classes of a row, where they should be probabilities; of `wrong`
    numbers one of whose targets none counts: all are to be ignored, or their classes weigh 0."""
    given = ((n, there, there.value(n.args[1])) for n, there in parts_behind(root, context)
             if isinstance(n, ast.Call) and len(n.args) > 1)
    for n, there, t in (one for one in given if is_tensor(one[2]) and one[2].is_floating_point() != wrong):
        kind = " ".join((called(n), called(n.func), type(there.callee(n.func)).__name__))
        if not wrong and re.search("binary_cross|BCE", kind) and t.numel() and not 0 <= t.min() <= t.max() <= 1:
            low, high = (two_digits(float(v)) for v in (t.min(), t.max()))
            return finding("odd_truths", there, n.args[1], low=low, high=high)
        same = not wrong and "loss" in kind.lower() and t.numel() > 1 and t.min() == t.max()
        if same and (down := rounded(n.args[1], there)) is not None:
            return rounded_away(*down, ast.unparse(n.args[1]), two_digits(float(t.max())))
        if not re.search(r"\bcross_entropy|\bCrossEntropyLoss", kind):
            continue
        if not wrong and t.ndim > 1 and {*t.unique().tolist()} <= {0, 1} and t.sum(1).max() > 1:
            return by_rule("several hot:", n, there)
        options = {k.arg: v.value if isinstance(v := k.value, ast.Constant) else there.value(v) for k in n.keywords}
        loss: Any = there.callee(n.func)
        weight: Any = options.get("weight", getattr(loss, "weight", None))
        kept = t[t != options.get("ignore_index", getattr(loss, "ignore_index", -100))]
        if wrong and t.numel() and not (kept.numel() and (weight is None or weight[kept].any())):
            given_weight = next((k.value for k in n.keywords if k.arg == "weight"), None)
            if kept.numel() and given_weight is not None and (down := rounded(given_weight, there)) is not None:
                return rounded_away(*down, ast.unparse(given_weight), "0")
            return finding("all_weigh_nothing" if kept.numel() else "all_ignored", there, n)
    return None


def rounded(node: Any, context: Context, depth: int = 0) -> tuple[Any, Context] | None:
    """Where an expression, or what it only carries on, was rounded, so that decimals were lost."""
    if isinstance(getattr(node, "op", None), ast.FloorDiv) or (called(node) in ROUNDS and receiver(node) is not node):
        return node, context
    parts = [(receiver(node), context)] if called(node) in CARRY else []
    parts = [*context.made(ast.unparse(node), node)] if isinstance(node, ast.Name | ast.Attribute) else parts
    return next(filter(None, (rounded(*part, depth + 1) for part in parts if depth < NEAR)), None)


def rounded_away(at: Any, context: Context, name: str, value: str) -> Finding:
    """What is to be said of numbers that rounding has made the same; a quotient, or a method, is left unrounded."""
    text = context.source.text(at if isinstance(at, ast.BinOp) else receiver(at)).replace("//", "/")
    return finding("rounded_away", context, at, (at, text), name=name, value=value)


def cause(kind: str, loss: Any, leaf: Any, name: str, names: Mapping[str, Any] | None = None) -> Finding | None:
    """Why the gradient that a loss brings to a leaf is "zero", or "bad": NaN or Inf."""
    values = Values(loss, names or {})
    values.leaf = leaf
    return getattr(values, kind)(leaf, name) if values.way else None  # too large to be looked through


def wrong(array: Any) -> str:
    """What is wrong with an array of gradients: "zero", "bad" or nothing, ""."""
    return "bad" if not finite(array) else "zero" if array.size and not array.any() else ""


def differs(module: Any) -> bool:
    """Whether a module has layers that compute something else in training."""
    return any(type(m).__name__.startswith(("Dropout", "BatchNorm")) for m in getattr(module, "modules", list)())


def sum_of_backwards(leaf: Any) -> bool:
    """Whether backward added to a gradient that was there, and nothing else wrote into it, as far as is known."""
    return {called(at) for at, _ in writers(leaf._grad)} == {"backward"}


def written(leaf: Any, name: str, wrong: str) -> Finding | None:
    """The line that wrote into `.grad` last, if it made zeros of it, or added to it what a further backward gave."""
    for at, around in writers(leaf._grad)[:1]:
        if wrong == "zero" and called(at) != "backward":
            key = "cleared_since" if called(at) in ("zero_", "zero_grad", "fill_") else "grad_written"
            return finding(key, around, at, name=name)
        if not wrong and sum_of_backwards(leaf):
            home = around.source.statement(at)
            owners = {ast.unparse(n.value) for n in ast.walk((around.source.loops(at) or [home])[-1])
                      if isinstance(n, ast.Attribute) and n.attr == "grad"}
            new = [(home, f"{owner}.grad = None; {around.source.text(home)}") for owner in owners]
            return by_rule(f"added: {name}", at, around) or finding(
                "added", around, at, *new * (len(new) == 1 and isinstance(home, ast.Expr)), name=name)
    return None
