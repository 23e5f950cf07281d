"""Where the ledger's cuts meet a graph: what was cut off, and which operations were given what came of it.

What came of a cut is known while somebody holds it. Else the text tells: the cut stands in an operand, or its
statement alone gives a name its value, which operations read later. A cut that leads to none of them is not told.
"""

import ast
import re
from collections.abc import Collection, Iterator
from inspect import CO_OPTIMIZED
from itertools import count
from math import inf
from typing import Any

from ..core.beside.ledger import Place, places
from ..core.beside.lines import learners_line, source_line
from . import program
from .snapshot import Cut

TRACKS = re.compile(r"requires_grad|enable_grad|Parameter")  # what is made with these may have a history of its own


def home(code: Any) -> Any:
    """What code of one scope has in common: IPython compiles each statement by itself, and cells share names."""
    if code is None or code.co_flags & CO_OPTIMIZED:
        return code
    return program.is_cell(code.co_filename) or code.co_filename


class Severed:
    """The cuts that go into one graph, which is being read."""

    def __init__(self, reader: Any) -> None:
        self.reader, self.places = reader, [(place, place.result()) for place in [*places.values()]]
        # what came of a cut, if somebody holds it -> where it goes in, but for the edges at which its card has a wire
        self.held = {id(result): list[str]() for _, result in self.places if result is not None}
        self.constants: dict[tuple[Any, str], tuple[int, Any]] = {}  # code, name -> last number, where it sits
        self.roots = {reader.names.get(at := reader.slot(t)): at for t in reader.roots if not t.requires_grad}
        self.here = home(learners_line()[0])  # the code that draws: another may have given their names another value
        self.made: dict[Any, list[tuple[Any, Any, Any]]] = {home(place.code): [] for place, _ in self.places}
        mine = {key: n for key, n in reader.found.items() if self.places and type(key) is int and hasattr(n, "lasti")}
        end = inf if self.roots else max((n.seq for n in mine.values()), default=inf)
        # of a cell that ran again, what each place cut last before the graph was there: by the text only that is told
        self.latest = {*{(place.kind, *source_line(place.code, place.lasti)[:2], place.lasti): place
                         for place, _ in self.places if place.seq <= end}.values()}
        for key, n in sorted(mine.items(), key=lambda pair: pair[1].seq):
            code, edges = home(n.code), reader.edges[key]
            for at, value in reader.untracked(key):
                name = reader.names.get(slot := reader.slot(value)) if at < len(edges) else None
                if name:
                    self.constants[code, name] = n.seq, slot
                else:
                    self.held.get(id(value), []).append(f"{reader.ids[key]}:{at}")
            if code in self.made:
                self.made[code].append((key, n, program.expression(n.code, n.lasti)))

    def cuts(self) -> Iterator[Cut]:
        """All of them."""
        number = count(1)
        for place, result in self.places:
            block = program.block(place)
            inside = self.in_block(place, block) if block and place in self.latest else ()
            for line, node, tensor, into in inside if block else [self.of_value(place, result)]:
                if tensor or into:
                    yield Cut(f"c{next(number)}", program.word(place), line, place.count, node, tensor, tuple(into))

    def of_value(self, place: Place, result: Any) -> tuple[Any, ...]:
        """The line of a place that cut a value, what was cut, and where what came of it goes in."""
        reader, origin = self.reader, place.origin()
        node = reader.ids.get(("leaf", id(origin)) if reader.is_tensor(origin) else id(origin))
        tensor, into = (None, []) if result is None else (reader.ids.get(reader.slot(result)), self.held[id(result)])
        around, (_, number, line) = program.around(place), source_line(place.code, place.lasti)
        statement: Any = next((up for up in around if isinstance(up, ast.stmt)), None)
        if not (tensor or into) and around and place in self.latest:
            names = program.given(place, statement)
            sure = names if names and program.carried(statement.value, around[0]) else ()
            tensor, into = self.taken(place, names, sure, around)
        text = program.source_of(place.code).text(statement)
        return (number, line if not text or "\n" in text else text), node, tensor, into  # one of several on a line

    def in_block(self, place: Place, block: Any) -> Iterator[tuple[Any, ...]]:
        """The same of each statement in a block that records nothing, if it reads what has a history."""
        source, reader = program.source_of(place.code), self.reader
        known = {f"{name.replace('[', '.')}.": {key} for name, (t, key) in reader.tracked.items()
                 if t.grad_fn is None or t.grad_fn._sequence_nr() <= place.seq}
        for one in (n for n in ast.walk(block) if isinstance(n, ast.Assign) and not TRACKS.search(source.text(n))):
            reads = [f"{word}." for word in program.numbers(one.value)]
            keys = {key for name, keys in known.items() for key in keys
                    if any(name.startswith(read) or read.startswith(name) for read in reads)}
            if keys and (names := program.given(place, one) - reader.tracked.keys()):
                known |= {f"{name}.": keys for name in names}  # what is made of it in the block comes from there, too
                node = reader.ids.get(min(keys, key=str)) if len(keys) == 1 else None
                yield (source.line(one)[1], source.text(one).partition("\n")[0]), node, *self.taken(place, names, names)

    def taken(self, place: Place, names: Collection[str], sure: Collection[str],
              around: Collection[Any] = ()) -> tuple[str | None, list[str]]:
        """What was given what came of the last cut of a place, by operations that the same code made later: the
        constant that has one of `names`; or edges, where the operand is one of the names that are `sure` to have no
        history, or, of the nearest operation, one that the cut stands in."""
        reader, code = self.reader, home(place.code)
        after = [one for one in self.made[code] if one[1].seq > place.seq]
        known = [self.constants.get((code, name), (0, None)) for name in names]
        known += [(place.seq + 1, self.roots[name]) for name in names if name in self.roots and code == self.here]
        constant = next((slot for seq, slot in known if seq > place.seq), None)
        sure = {*sure} - {reader.names.get(constant)}
        nearest, into = next((key for key, _, sign in after if sign in around), None), list[str]()
        for key, _, sign in after:
            edges, at, sides = reader.edges[key], -1, [getattr(sign, side, None) for side in ("left", "right")]
            if isinstance(sign, ast.Subscript):
                at, sides = len(edges), [sign.slice]
                inside = sign.slice in around and not isinstance(sign.slice, ast.Tuple)  # of several, who knows
            elif len(edges) == 2 and edges.count(None) == 1:
                at = edges.index(None)
                beside = edges[1 - at][0]  # perhaps made of what came of the cut, by other code
                n = reader.found[beside]
                inside = sides[at] in around and (type(beside) is tuple or n.seq <= place.seq or home(n.code) == code)
            if at >= 0 and ((inside and key == nearest) or any(
                    (side and ast.unparse(side) in sure) or side in [*around][:1] for side in sides)):
                into.append(f"{reader.ids[key]}:{at}")
        return reader.ids.get(constant), into
