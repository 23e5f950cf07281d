"""Lines of code as boxes: what `draw` folds where a picture without them would be much too high.

What ran in a row is one box without a way around it, whatever is behind it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from ..graph.snapshot import Graph, NodeRecord, Scope
from .levels import Fold

NEAR = 3  # lines that are not further apart are one piece of program


class Piece(NamedTuple):
    """What one line made when it ran: operations, and calls of several; 0 is a line that stays as it is."""

    number: int
    text: str
    outer: str  # the module around it
    parts: tuple[str, ...]


def by_lines(graph: Graph, rolled: frozenset[str] = frozenset()) -> Graph:
    """The graph with a scope for each line of a program that made several operations, one for each time that it ran,
    and around those for each turn of a loop; not for what is `rolled` up. A line that is one call has its box."""
    made: list[Scope] = []
    around: dict[str, str] = {}

    def scope(several: Sequence[Piece], path: str) -> None:
        text = f"{several[0].text} …" if len(several) > 1 else several[0].text
        made.append(Scope(f"l{len(made)}", several[0].outer, "line", path, name=text))
        inner = [around.get(id, id) for piece in several for id in piece.parts]
        around.update(dict.fromkeys(inner, made[-1].id))

    known = [*pieces(graph)]
    for piece in known:
        if piece.number and len(piece.parts) > 1:
            scope([piece], f"line {piece.number}")
    for turn in turns([p._replace(number=0) if rolled.intersection(p.parts) else p for p in known]):
        scope(turn, f"lines {spans(p.number for p in turn)}")
    scopes = tuple(replace(s, parent=around.get(s.id, s.parent)) for s in (*graph.scopes, *made))
    return replace(graph, nodes=tuple(replace(n, scope=around.get(n.id, n.scope)) for n in graph.nodes), scopes=scopes)


def pieces(graph: Graph) -> Iterator[Piece]:
    """The lines of a program as they ran, turn by turn."""
    starts = {turn[0] for repeat in graph.repeats for turn in repeat.turns}
    kinds = {s.id: s.kind for s in graph.scopes}
    calls = {n.id: [*takewhile(lambda s: kinds[s] == "call", graph.chains[n.scope])] for n in graph.ops}
    size, turn = Counter(call for around in calls.values() for call in around), 0

    def place(n: NodeRecord) -> tuple[str, str, int, str, int]:
        nonlocal turn
        turn += n.id in starts
        number, text = n.line or (0, "")
        return "".join(graph.chains[n.scope][len(calls[n.id]):][:1]), text, number, "" if text else n.id, turn

    for (outer, text, number, *_), ops in groupby(sorted(graph.ops, key=lambda n: n.seq), place):
        tops = Counter([n.id, *calls[n.id]][-1] for n in ops)
        whole = text and all(size[id] in (0, count) for id, count in tops.items())  # no call that goes on elsewhere
        yield Piece(number if whole else 0, text, outer, tuple(tops))


def turns(known: Sequence[Piece]) -> Iterator[list[Piece]]:
    """The turns of loops, of several lines each: what runs until the text jumps back to where the loop begins."""
    loops: list[tuple[int, int]] = []
    for low, high in sorted((b.number, a.number) for a, b in pairwise(known) if 0 < b.number <= a.number):
        if loops and low <= loops[-1][1]:
            low, high = loops[-1][0], max(high, loops.pop()[1])
        loops.append((low, high))
    for low, high in loops:
        count = 0

        def place(piece: Piece, low: int = low, high: int = high) -> tuple[int, str]:
            nonlocal count
            count += piece.number == low
            return count if low <= piece.number <= high else -1, piece.outer

        found = [[*several] for (turn, _), several in groupby(known, place) if turn >= 0]
        yield from (turn for turn in found if len(turn) > 1 and sum(len(other) > 1 for other in found) > 1)


def spans(numbers: Iterable[int]) -> str:
    """Line numbers, `12-14, 20`."""
    found = sorted({*numbers})
    ends = [a for a, b in pairwise([*found, float("inf")]) if b - a > NEAR]
    firsts = [b for a, b in pairwise([float("-inf"), *found]) if b - a > NEAR]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(firsts, ends, strict=True))


def groups(fold: Fold) -> list[list[str]]:
    """The scopes of each line, those first that made most; then those of the loops."""
    found: dict[tuple[str, str], list[str]] = {}
    for id, s in fold.scopes.items():
        if s.kind == "line" and fold.inside[id]:
            found.setdefault((s.path, s.name), []).append(id)
    return [ids for _, ids in sorted(found.items(), key=lambda pair: (
        pair[0][0].startswith("lines"), -sum(len(fold.inside[id]) for id in pair[1])))]
