"""What ran without a node while somebody watched: the operations after a cut, which pictures draw grey.

`WatchedMode` sees each operation, recorded or not, by the one way that a mode gives. Of those that computed with what
a cut had left it keeps name and lines, and what they had that from: no tensors. `GhostCards` finds what leads into a
graph.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import inf
from operator import attrgetter
from typing import Any, Self, cast
from weakref import ref

from ..core.beside.ledger import Place, places
from ..core.beside.lines import learners_frame, learners_line
from ..core.beside.observers import Observers
from ..core.graph import TensorBase, node_of, seqs
from ..core.modes import INFERENCE, enabled, mode_variable, watcher
from .program import statement_line, word
from .snapshot import Cut, by_key, op_name, reachable, swap

MOST, FEW = 1_000, 3  # operations in a row; names, or cuts of one place, that a picture tells apart
LINES, LOOKS = 6, 16  # cards of lines in one picture; times that somebody looked
SWITCHES = {"no_grad", "set_grad_enabled", "inference_mode", "enable_grad"}
TENSORS = SWITCHES - {"inference_mode"} | {"detach()", ".data"}
numbers = count(1)


@dataclass(eq=False, slots=True)
class Ghost:
    """What left a value without history: an operation with the lines that ran it; a cut, with its place and weakly the
    node or leaf that was cut off; or both, in a block."""

    op: str = ""
    lines: tuple[Any, ...] = ()  # code and instruction of the learner's, and of the cell that called it
    place: Place | None = None
    origin: Any = lambda: None
    before: tuple[Ghost, ...] = ()  # what it computed with
    depth: int = 0
    number: int = field(default_factory=numbers.__next__)


# ---- while programs run


known: dict[int, tuple[Any, Ghost]] = {}  # id of a tensor -> it, weakly, and what left it
takers: deque[tuple[str, int, int, Ghost]] = deque(maxlen=MOST)  # number of a node of a library, where it took what
watches: deque[list[Any]] = deque(maxlen=LOOKS)  # up to which node each lasted; `ledger_counts` before and after
ledger_counts: dict[Place, int] = {}  # of the ledger, as far as it was looked at


class watching:
    """While inside, what computes with the values that cuts leave is noted."""

    def __enter__(self) -> None:
        read_ledger()
        self.before, self.span = watcher.get(), [inf, {**ledger_counts}, {}]
        watches.append(self.span)
        self.switch(WatchedMode)

    def __exit__(self, *exc: object) -> None:
        read_ledger()
        self.span[:] = next_number(), self.span[1], {**ledger_counts}
        self.switch(self.before)

    def switch(self, to: Any) -> None:
        """Grad mode stays on or off."""
        watcher.set(to)
        if mode_variable.get() is not INFERENCE:
            mode_variable.set(enabled(bool(mode_variable.get())))


def next_number() -> int:
    """The number of the next node; none is taken for it."""
    return int(repr(seqs)[len("count("):-1])


def watched(place: Place, node: int) -> bool:
    """Whether somebody looked from the last cut of a place until a node was made: then it is known what it took; but
    for numbers, which nobody follows, and in inference mode."""
    return place.kind in TENSORS and any(
        node < end and place.count > first.get(place, 0) and place.count == last.get(place, place.count)
        for end, first, last in watches)


def ghost_of(t: Any) -> Ghost | None:
    """What left a tensor, if it has no history."""
    held, ghost = known.get(id(t), (None, None))
    return ghost if held is not None and held() is t and not tracked(t) else None


def tracked(t: Any) -> Any:
    """Whether a tensor has a history, or is a leaf: a view made under `no_grad` asks for a gradient and has none."""
    if not hasattr(t, "_fn"):  # of torch
        return t.requires_grad and not (t.is_leaf and t._is_view())
    return t._fn is not None or t._requires_grad


def remember(t: Any, ghost: Ghost) -> None:
    """Know a tensor, as long as it lives."""
    key = id(t)
    known[key] = ref(t, lambda _: known.pop(key, None)), ghost


def read_ledger() -> None:
    """Know what came of the cuts that the ledger has noted since."""
    now = {place: place.count for place in [*places.values()]}
    for place, times in now.items():
        new = times - ledger_counts.get(place, 0)
        for origin, result in [*place.made][-new:] if new else ():
            if (t := result()) is not None:
                remember(t, Ghost(place=place, origin=origin))
    swap(ledger_counts, now)


def note_operation(mode: WatchedMode, op: str, given: Iterable[tuple[int, Any]], output: Any) -> None:
    """An operation has run; `given`: its tensors, and at which edge of a node each is, or behind the last."""
    results = [t for t in (output if isinstance(output, tuple) else (output,)) if isinstance(t, TensorBase)]
    given, fn = [*given], next((t._fn for t in results if t._fn is not None), None)
    if fn is not None and all(tracked(t) for _, t in given):
        return
    read_ledger()
    if fn is not None:
        note_taker(node_of(fn).seq, given)
    elif results and ghost_of(results[0]) is None:
        lost = [ref(node_of(t._fn) if t._fn else t) for _, t in given if tracked(t)]
        note_ghost(op, learners_line(), [t for _, t in given], results, (mode.block() if lost else None), lost)


def note_taker(node: int, given: Iterable[tuple[int, Any]], library: str = "minigrad") -> None:
    """Note where a node was given what a cut left."""
    takers.extend((library, node, at, ghost) for at, t in given if (ghost := ghost_of(t)))


def note_ghost(op: str, line: tuple[Any, int], given: Iterable[Any], results: Iterable[Any], place: Place | None,
          lost: Collection[Any]) -> None:
    """Know the results of an operation without a node, if it computed with what a cut left, or cut itself what is
    `lost`, in a block that a place begins."""
    before = tuple(ghost for t in given if (ghost := ghost_of(t)))
    if before or place:
        kept = tuple(one for one in before if one.depth < MOST)  # what goes on for ever forgets how it began
        depth = 1 + max([0, *(one.depth for one in kept)])
        ghost = Ghost(op, (line, cells_line()), None if before else place, before=kept, depth=depth)
        if len({*lost}) == 1:
            (ghost.origin,) = {*lost}
        for t in results:
            remember(t, ghost)


def cells_line() -> tuple[Any, int]:
    """Code and instruction of the cell, or the file, that called what the learner runs."""
    f = learners_frame()
    while f and f.f_code.co_name != "<module>" and f.f_back:
        f = f.f_back
    return (f.f_code, f.f_lasti) if f else (None, 0)


class WatchedMode(Observers):
    """A grad mode, on or off, in which each operation is seen; with whoever sees new nodes."""

    def __new__(cls, base: Any) -> Self:
        return super().__new__(cls, base if isinstance(base, Observers) else ())

    def __init__(self, base: Any) -> None:
        self.base, outer = base, mode_variable.get()
        self.outer = outer if isinstance(outer, WatchedMode) and not outer else None
        self.since = {place: place.count for place in [*places.values()] if not base}

    def __bool__(self) -> bool:
        return bool(self.base)

    def block(self) -> Place | None:
        """Where the learner switched recording off, if that is known."""
        new = [p for p in [*places.values()] if p.kind in SWITCHES and p.count > self.since.get(p, 0)]
        outer = None if self.outer is None else self.outer.block()
        return None if self else new[0] if new else outer

    def intercept(self, call: Any, args: tuple[Any, ...]) -> Any:
        """The operation as ever, and a look at it."""
        output = self.under(call, args)
        row, node = call.row, (call.row.made or call.row.node).__name__
        note_operation(self, row.name if node == "NotImplemented" else op_name(node), inputs(row, args), output)
        return output

    def custom(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A custom Function: one operation, whatever it computes inside."""
        token = watcher.set(lambda mode: mode)
        try:
            output = self.under(function.apply, args, kwargs)
        finally:
            watcher.reset(token)
        given = enumerate(t for t in args if isinstance(t, TensorBase))
        note_operation(self, f"{function.__name__}.apply", given, output)
        return output

    def under(self, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """A call in the mode beneath."""
        token = mode_variable.set(self.base)
        try:
            return call(*args, **kwargs or {})
        finally:
            mode_variable.reset(token)


def inputs(row: Any, args: tuple[Any, ...]) -> Iterator[tuple[int, Any]]:
    """The tensors that an operation was given, and at which edges."""
    edges = [name for name in row.tensors if name in row.derivatives]
    for name, x in zip(row.inputs, args, strict=False):
        at = edges.index(name) if name in edges else len(edges)
        several = x if isinstance(x, tuple | list) else (x,)
        yield from ((at + i * (name in edges), t) for i, t in enumerate(several) if isinstance(t, TensorBase))


# ---- which of that leads into a graph


def upstream(ghosts: Iterable[Ghost], before: Callable[[Ghost], Sequence[Ghost]] = attrgetter("before")) -> list[Ghost]:
    """Ghosts with all that they come from, in the order in which it ran."""
    return sorted(reachable(ghosts, before), key=attrgetter("number"))


def origins(t: Any) -> list[Any]:
    """The nodes and leaves, as far as they are there, whose values a tensor without history comes from."""
    ghosts = upstream(filter(None, [ghost_of(t)]))
    return list(dict.fromkeys(one for ghost in ghosts if (one := ghost.origin()) is not None))


@dataclass
class Card:
    """What a picture shows of one cut, or of all that ran in one line after it."""

    id: str
    line: tuple[int, str]
    place: Place | None
    nodes: set[str | None] = field(default_factory=set)
    ops: Counter[str] = field(default_factory=Counter)
    after: dict[str, None] = field(default_factory=dict)
    ends: dict[str, None] = field(default_factory=dict)

    def told(self, scopes: Any) -> Cut:
        """Its record."""
        ops = ", ".join(op + f" × {n}" * (n > 1) for op, n in self.ops.items())
        kind = word(self.place) if self.place else ops if len(self.ops) <= FEW else f"{self.ops.total()} ops"
        node = next(iter(self.nodes)) if len(self.nodes) == 1 else None
        card, into = next((e for e in self.ends if ":" not in e), None), tuple(e for e in self.ends if ":" in e)
        return Cut(self.id, kind, self.line, self.place.count if self.place else 1, node, card, into,
                   not self.place, tuple(self.after), scopes.around(self.place.seq) if self.place else "")


class GhostCards:
    """The cuts, and what ran after them, from which a graph that is being read was given something."""

    def __init__(self, reader: Any, ids: Iterator[int]) -> None:
        self.reader, self.ids, self.cards = reader, ids, dict[Any, Card]()
        ends = by_key(self.ends()) if known or takers else {}
        ghosts, homes, began = upstream(ends, self.before), dict[Ghost, Card](), dict[Ghost, frozenset[str]]()
        self.of_cells = len({statement_line(*ghost.lines[0]) for ghost in ghosts if ghost.op}) > LINES
        for ghost in ghosts:
            before = self.before(ghost)
            cuts = frozenset[str]().union(*(began[one] for one in before))
            card = homes[ghost] = self.card(ghost, cuts)
            began[ghost] = cuts or frozenset([card.id])
            card.ends |= dict.fromkeys(ends.get(ghost, ()))
            card.ops[ghost.op] += 1
            for one, home in ((one, homes[one]) for one in before):
                if home is not card and (not one.op or int(home.id[1:]) < int(card.id[1:])):  # a loop goes round
                    card.after[home.id] = None
        self.places = {card.place for card in self.cards.values()}

    def ends(self) -> Iterator[tuple[Ghost, str]]:
        """What left the values that went into the graph, and where each went in."""
        keys = {(self.reader.library, self.reader.seq(key)): key for key in self.reader.found if type(key) is int}
        yield from ((ghost, end) for library, seq, at, ghost in takers if (library, seq) in keys
                    for end in self.end(keys[library, seq], at))
        roots = [(ghost_of(t), self.reader.ids[self.reader.slot(t)]) for t in self.reader.roots]
        yield from ((ghost, id) for ghost, id in roots if ghost)

    def end(self, key: Any, at: int) -> list[str]:
        """Where a node takes what a cut left: the card of a named constant, or the edge, or the place behind the last;
        nowhere, if what it took has a history."""
        reader, edges = self.reader, self.reader.edges[key]
        at = min(at, len(edges))
        cards = [reader.ids[slot] for place, t in reader.untracked(key) if place == at < len(edges)
                 for slot in [reader.slot(t)] if slot in reader.names]
        return cards[:1] or [f"{reader.ids[key]}:{at}"] * (edges[at:at + 1] in ([], [None]))

    def before(self, ghost: Ghost) -> Sequence[Ghost]:
        """What a ghost computed with; of several without what a block made of other than this graph, as of a weight."""
        led = [one for one in ghost.before if one.before or not one.op or self.node(one) or one.origin() is None]
        return led or ghost.before[:1]

    def node(self, ghost: Ghost) -> str | None:
        """The id of what a cut cut off, if it is in the graph."""
        origin = ghost.origin()
        key = self.reader.slot(origin)[0] if self.reader.is_tensor(origin) else id(origin)
        return cast(str | None, self.reader.ids.get(key))

    def card(self, ghost: Ghost, cuts: frozenset[str]) -> Card:
        """The card of a cut: one for each node that it cut off, if they are few; of what ran after some cuts: one for
        its line."""
        node, place = self.node(ghost), cast(Place, ghost.place)
        at: Any = ghost.lines[self.of_cells] if ghost.op else (place.code, place.lasti)
        line = statement_line(*at)
        block = self.cards.get((at[0].co_filename, line))  # whose line it is, too
        alone = not cuts or (block is not None and cuts == {block.id})
        key = (at[0].co_filename, line, *[cuts] * (not alone)) if ghost.op else (place, node)
        if not ghost.op and key not in self.cards and [one for one, *_ in self.cards].count(place) >= FEW:
            key = (place, "")
        if (card := self.cards.get(key)) is None:
            card = self.cards[key] = Card(f"c{next(self.ids)}", line, place)
        card.nodes |= {node} if place else set()
        return card
