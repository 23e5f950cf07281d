"""Where the ledger's cuts meet a graph: what was cut off, and which operations were given what came of it.

What came of a cut is known while somebody holds it. Else the text tells: the cut stands in an operand, or in a
statement that alone gives a name its value, as others do that read it; operations read such names later. A cut that
leads to none of them is not told.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from inspect import CO_OPTIMIZED
from itertools import count
from math import inf
from typing import Any, NamedTuple

from ..core.beside.ledger import Place, places
from ..core.beside.lines import learners_line, source_line
from ..core.graph import TensorBase
from . import program
from .ghosts import GhostCards, watched
from .program import FUNCTIONS, Context, Source
from .snapshot import Cut

TRACKS = re.compile(r"requires_grad|enable_grad|Parameter")  # what is made with these may have a history of its own


def home(code: Any) -> Any:
    """What code of one scope has in common: a function, however often it was made; IPython compiles each statement by
    itself, and cells share names."""
    if code is None or code.co_flags & CO_OPTIMIZED:
        return (code and program.quoted(code)[1].definition(code)) or code
    return program.is_cell(code.co_filename) or code.co_filename


class Taker(NamedTuple):
    """An operation that was given something without history."""

    key: Any
    seq: int
    at: int  # where it goes in
    sides: set[Any]  # all that may be it
    texts: set[str]
    free: Any  # what stands there
    names: set[str]  # of which it reads numbers, if nothing else can be it
    since: int  # the number of the operand beside it, where that may be made, by other code, of what came of a cut


class Severed:
    """The cuts that go into one graph, which is being read."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.places = {place: [(a(), b()) for a, b in [*place.made]] or [(None, None)] for place in [*places.values()]}
        # what came of a cut, if somebody holds it -> where it goes in, but for the edges at which its card has a wire
        self.held = {id(result): list[str]() for made in self.places.values() for _, result in made}
        self.constants: dict[tuple[Any, str], tuple[int, Any]] = {}  # scope, name -> last number, where it sits
        self.roots = {reader.names.get(at := reader.slot(t)): at for t in reader.roots if not t.requires_grad}
        self.here = home(learners_line()[0])  # the code that draws: another may have given their names another value
        self.taking: dict[Any, list[Taker]] = {}
        self.made: dict[Any, list[tuple[Any, Any, Any]]] = {}  # scope -> nodes, with the expressions that made them
        self.kinds: dict[Any, set[type]] = {}  # expression -> the classes of the nodes that it made
        self.last: dict[Any, tuple[int, Any]] = {}  # expression -> number and key of the last node that it made
        mine = {key: n for key, n in reader.found.items() if self.places and type(key) is int and hasattr(n, "lasti")}
        end = inf if self.roots else max((n.seq for n in mine.values()), default=inf)
        # of a cell that ran again, what each place cut last before the graph was there: by the text only that is told
        self.latest = {*{(place.kind, *source_line(place.code, place.lasti)[:2], place.lasti): place
                         for place in self.places if place.seq <= end}.values()}
        for key, n in sorted(mine.items(), key=lambda pair: pair[1].seq):
            scope, edges, sign = home(n.code), reader.edges[key], program.expression(n.code, n.lasti)
            for at, value in reader.untracked(key):
                name = reader.names.get(slot := reader.slot(value)) if at < len(edges) else None
                if name:
                    self.constants[scope, name] = n.seq, slot
                else:
                    self.held.get(id(value), []).append(f"{reader.ids[key]}:{at}")
            self.made.setdefault(scope, []).append((key, n, sign))
            self.last[sign] = n.seq, key
            self.kinds.setdefault(sign, set()).add(type(n))

    def cuts(self) -> Iterator[Cut]:
        """All of them; what a run was seen to do comes before what the text tells."""
        seen = GhostCards(self.reader, number := count(1))
        yield from (card.told(self.reader.scopes) for card in seen.cards.values())
        for place in (place for place in self.places if place not in seen.places):
            source, block = program.source_of(place.code), program.block(place)
            inside = self.in_block(place, source, block) if block and place in self.latest else ()
            values = self.of_value(place, source, program.around(place), home(place.code))
            for line, node, tensor, into in inside if block else values:
                if tensor or into:
                    yield Cut(f"c{next(number)}", program.word(place), line, place.count, node, tensor, tuple(into),
                              scope=self.reader.scopes.around(place.seq))

    def of_value(self, place: Place, source: Source, around: Sequence[Any], scope: Any) -> Iterator[Any]:
        """The line of what cut values, what was cut, and where what came of it goes in."""
        ids, slot, made = self.reader.ids, self.reader.slot, self.places[place]
        statement: Any = next((up for up in around if isinstance(up, ast.stmt)), None)
        line = program.statement_line(place.code, place.lasti, source, statement)
        known = self.known(place, Context(source, source.function(statement)), {}) if around else {}
        for pair in [p for p in made if p[1] is not None and (self.held[id(p[1])] or slot(p[1]) in ids)] or made[-1:]:
            origin, result = pair
            keys = read(around[0], known) if origin is None and around and pair is made[-1] else ()
            node = ids.get(("leaf", id(origin)) if self.reader.is_tensor(origin) else id(origin), self.only(keys))
            tensor, into = result is not None and ids.get(slot(result)), self.held[id(result)]
            if not (tensor or into) and around and place in self.latest:
                names = program.passed_on(source, statement, around[0], self.last)
                own = program.given(source, statement)
                sure = own if own and program.carried(statement.value, around[0]) else ()
                tensor, into = self.taken(place, scope, names, sure, around)
            yield line, node, tensor or None, into

    def in_block(self, place: Place, source: Source, block: Any) -> Iterator[Any]:
        """The same of each statement in a block that records nothing, if it reads what has a history, and of each call
        of a function all of whose results come from the block."""
        function = block if isinstance(block, FUNCTIONS) else source.function(block)
        inside = [n for n in ast.walk(block) if isinstance(n, ast.stmt) and not TRACKS.search(source.text(n))]
        made = {n: program.given(source, n) for n in inside if isinstance(n, ast.Assign)}
        known = self.known(place, Context(source, function), made)
        told, wrote = set[str](), {n: program.written(n) for n in made}
        for one, value in reversed([(n, value) for n in made for _, value in program.shares(n)]):
            earlier = [n for n in made if wrote[n] == wrote[one] and program.begins(n) < program.begins(one)]
            names = program.passed_on(source, one, value, self.last, *earlier) - self.reader.tracked.keys() - told
            if (keys := read(value, known)) and names:
                told |= names  # of what several of them lead to, the last is told
                line = source.line(one)[1], source.text(one).partition("\n")[0]
                yield line, self.only(keys), *self.taken(place, home(place.code), names, names)
        cut = {name for names in made.values() for name in names}
        results = [(n.value, n in inside or {*program.numbers(n.value)} <= cut) for n in ast.walk(function or block)
                   if isinstance(n, ast.Return) and n.value and source.function(n) is function]
        for where, call in program.calls(source, function) if function else ():
            outer = Context(where, where.function(call))
            known = self.known(place, Context(source, function, call, outer), made)
            found = [read(value, known) if whole else set() for value, whole in results]
            if found and all(found):
                keys, scope = set.union(*found), outer.function or program.is_cell(where.file) or where.file
                line, _, *ends = next(self.of_value(place, where, [call, *where.above(call)], scope))
                yield line, self.only(keys), *ends

    def only(self, keys: Collection[Any]) -> str | None:
        """The id of what has one of these keys, if it is one."""
        return self.reader.ids.get(*keys) if len(keys) == 1 else None

    @cached_property
    def tracked(self) -> list[tuple[str, str, Any, int]]:
        """What the namespace has a history of: the name with a dot, its beginning, the node or leaf, and its number."""
        return [(f"{name.replace('[', '.')}.", name.split(".")[0], key, -1 if t.grad_fn is None else
                 t.grad_fn._sequence_nr()) for name, (t, key) in self.reader.tracked.items()]

    def known(self, place: Place, here: Context, made: Mapping[Any, set[str]]) -> dict[str, Any]:
        """What had a history before a cut, or was `made` of that: names, with a dot, and the nodes and leaves of it."""
        scope, when = here.function if here.function is not self.here else None, place.seq
        mine = {name: given for (f, name), given in here.source.writes.items() if scope and f is scope}
        mine = {n.arg: [] for n in ast.walk(scope.args) if isinstance(n, ast.arg)} | mine if scope else mine
        found = {name: {key} for name, owner, key, seq in self.tracked if owner not in mine and seq <= when}
        for name, writes in mine.items():
            each = [self.last.get(getattr(w, "value", None), (inf, 0)) for w in writes]
            given = here.argument(name) if here.call and not each else ()  # what the call gives
            found[f"{name}."] = ({key for _, key in each} if each and max(each)[0] <= when else set()).union(
                *(read(part, self.known(place, outer, {})) for part, outer in given))
        for names, value in (pair for one in made for pair in program.shares(one)):  # what the block makes of that
            found |= {f"{name}.": read(value, found) for name in names if not found.get(f"{name}.")}
        return found

    def taken(self, place: Place, scope: Any, names: Collection[str], sure: Collection[str],
              around: Collection[Any] = ()) -> tuple[str | None, list[str]]:
        """What was given what came of the last cut of a place, by operations that the same scope made later: the
        constant that has one of `names`; or edges, where the operand is made of `names` and has no history, as those
        that are `sure` have none, or, of the nearest operation, one that the cut stands in."""
        reader = self.reader
        after = [one for one in self.made.get(scope, ()) if one[1].seq > place.seq and not watched(place, one[1].seq)]
        known = [self.constants[scope, name] for name in names if (scope, name) in self.constants]
        known += [(place.seq + 1, self.roots[name]) for name in names if name in self.roots and scope == self.here]
        constant = next((slot for seq, slot in known if seq > place.seq and not watched(place, seq)), None)
        sure, came = ({*each} - {reader.names.get(constant)} for each in (sure, names))
        nearest = next((key for key, _, sign in after if sign in around), None)
        takers = (one for one in self.takers(scope) if one.seq > place.seq and not watched(place, one.seq))
        into = [f"{reader.ids[one.key]}:{one.at}" for one in takers if (
            not (one.names.isdisjoint(came) and one.texts.isdisjoint(sure) and one.sides.isdisjoint([*around][:1]))
            or (one.key == nearest and one.free in around and one.since <= place.seq))]
        return reader.ids.get(constant), into

    def takers(self, scope: Any) -> list[Taker]:
        """The operations of a scope that were given something without history, in order."""
        if scope not in self.taking:
            self.taking[scope] = [one for made in self.made.get(scope, ()) if (one := self.taker(scope, *made))]
        return self.taking[scope]

    def taker(self, scope: Any, key: Any, n: Any, sign: Any) -> Taker | None:
        """What a node was given, if one of two operands, or an index, has no history."""
        edges, since = self.reader.edges[key], 0
        sides: Sequence[Any] = [getattr(sign, side, None) for side in ("left", "right")]
        if isinstance(sign, ast.Subscript):
            at, sides, known = len(edges), [sign.slice], sign.slice
            free = None if isinstance(known, ast.Tuple) else known  # of several, who knows
        elif len(edges) == 2 and edges.count(None) == 1:
            at = edges.index(None)
            beside = edges[1 - at][0]
            if type(beside) is not tuple and home(self.reader.found[beside].code) != scope:
                since = self.reader.found[beside].seq
            whole = isinstance(sign, ast.Call) and len(sign.args) == 2 and len(self.kinds[sign]) == 1  # as a loss
            if whole and (ast.unparse(sign.func) == f"torch.{(name := program.called(sign))}"
                          or not hasattr(TensorBase._plain, name)):  # whose own tensor is no argument
                sides = sign.args
            free = sides[at]
            known = self.other(sides, beside) if isinstance(sign, ast.BinOp) else free
        else:
            return None
        words = [word.split(".") for word in program.numbers(known)] if known else []
        names = {".".join(word[:end]) for word in words for end in range(1, len(word) + 1)}
        return Taker(key, n.seq, at, {*sides}, {ast.unparse(side) for side in sides if side}, free, names, since)

    def other(self, sides: Sequence[Any], key: Any) -> Any:
        """Of two operands the one that the node, or leaf, with this key is not; None if nobody knows."""
        n, tracked = self.reader.found[key], self.reader.tracked
        sign = None if type(key) is tuple else program.expression(n.code, n.lasti)
        statement = sign and program.quoted(n.code)[1].statement(sign)
        names = program.written(statement) if statement and getattr(statement, "value", None) is sign else []
        mine = [side is sign or (side is not None and (ast.unparse(side) in names or tracked.get(
            ast.unparse(side), (0, None))[1] == key)) for side in sides]
        return sides[mine.index(False)] if sum(mine) == 1 else None


def read(part: Any, known: dict[str, set[Any]]) -> set[Any]:
    """The nodes and leaves of which a part of a program reads numbers, by what names are `known` to mean."""
    words = [f"{word}." for word in program.numbers(part)]
    return {key for name, keys in known.items() for key in keys
            if any(name.startswith(word) or word.startswith(name) for word in words)}

