"""Lines of code, or expressions, as boxes: what `draw` folds where a picture without them would be much too high.

Whatever ran one after the other can be one box: no way through the graph leaves it and comes back in.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, groupby, pairwise, takewhile
from typing import Any, NamedTuple

from ..graph.nesting import common
from ..graph.snapshot import Graph, NodeRecord, Scope, by_key
from .levels import FEW_BOXES, Fold

NEAR = 3  # lines that are not further apart are one piece of program


class Piece(NamedTuple):
    """What one line made when it ran: operations, and calls of several; 0 is a line that stays as it is."""

    number: int
    text: str
    outer: str  # the module around it
    parts: tuple[str, ...]  # operations, calls of several, and of the library's modules
    function: str = ""
    goes_on: bool = False  # with what ran before a call of the learner's function in this line


class Run(NamedTuple):
    """What ran one after the other: operations and scopes, and the path and name of a scope around it."""

    parts: list[str]
    path: str
    name: str


def by_lines(graph: Graph, rolled: frozenset[str] = frozenset(), joined: bool = False) -> Graph:
    """The graph with a scope for each line of a program that made several operations, one for each time that it ran,
    and around those for each turn of a loop, and for neighbouring lines in long turns, and where all are `joined`;
    no line of what is `rolled` up. A line that is one call has its box."""
    known = [*pieces(graph)]
    single = [p._replace(number=0) if rolled.intersection(p.parts) else p for p in known]
    found = [*turns(single)]
    found += chain.from_iterable(map(neighbours, [turn for turn in found if len(turn) > FEW_BOXES] + [known] * joined))
    # the short ones first: a loop may call what has turns of its own, and one that overlaps is left out
    runs = [*([piece] for piece in single if piece.number), *sorted(found, key=len)]
    return boxed(graph, [id for piece in known for id in piece.parts], map(titled, runs))


def titled(several: Sequence[Piece]) -> Run:
    """The parts of several lines, with the numbers and the first text of these."""
    numbers = {p.number for p in several}
    return Run([id for piece in several for id in piece.parts], f"line{'s' * (len(numbers) > 1)} {spans(numbers)}",
               written_in(several) + several[0].text + " …" * bool(several[1:]))


def boxed(graph: Graph, parts: Iterable[str], runs: Iterable[Run]) -> Graph:
    """The graph with a scope for each run, which takes in whole scopes, several or other operations."""
    made, around = list[Scope](), {n.id: n.scope for n in graph.ops} | {s.id: s.parent for s in graph.scopes}
    outer_of = {id: graph.chains[around[id]][::-1] for id in parts}
    held = by_key((s, id) for id in outer_of for s in graph.chains.get(id, outer_of[id]))
    for ids, path, name in runs:
        outers, tops = [outer_of[id] for id in ids], set[str]()
        outer = ["", *outers[0]][common(outers)]
        for top in ids:
            while around[top] != outer:
                top = around[top]
            tops.add(top)
        if len(tops) > 1 and {*ids}.issuperset(id for one in tops for id in held.get(one, ())):
            made.append(Scope(new := f"l{len(made)}", outer, "line", path, name=name))
            around.update({**dict.fromkeys(tops, new), new: outer})
            held[new] = ids
    scopes = tuple(replace(s, parent=around.get(s.id, s.parent)) for s in (*graph.scopes, *made))
    return replace(graph, nodes=tuple(replace(n, scope=around.get(n.id, n.scope)) for n in graph.nodes), scopes=scopes)


def by_expressions(graph: Graph, most: int, rolled: frozenset[str] = frozenset()) -> Graph:
    """The graph with a scope for each expression of at most so many operations that is in no other such one, but for
    those of what is `rolled` up."""
    ops, runs = sorted(graph.ops, key=lambda n: n.seq), list[Run]()
    while ops:
        size, text = graph.expressions.get(ops[-1].id, (1, ""))
        one = [n.id for n in ops[-size if size <= most else -1:]]
        runs += [Run(one, "", text)] if rolled.isdisjoint(one) else []
        del ops[-len(one):]
    return boxed(graph, [n.id for n in graph.ops], runs)


def tears(graph: Graph) -> bool:
    """Whether an expression stands in several lines: a box for each of these would hold parts of it."""
    ops = sorted(graph.ops, key=lambda n: n.seq)
    several = (ops[i + 1 - graph.expressions[n.id][0]:i + 1] for i, n in enumerate(ops) if n.id in graph.expressions)
    return any(len({n.line for n in one if n.function == one[-1].function}) > 1 for one in several)


def written_in(several: Sequence[Piece]) -> str:
    """Before the text of several lines, the function in which they all stand: `cell(): `."""
    name, *others = {p.function.partition(":")[0] for p in several}
    return f"{name}(): " if several[1:] and not others and name.isidentifier() and name != "forward" else ""


def pieces(graph: Graph) -> Iterator[Piece]:
    """The lines of a program as they ran, turn by turn."""
    at = {n.id: (n.function, n.at) for n in graph.ops}
    starts = {turn[0] for repeat in graph.repeats for turn in repeat.turns  # not of a long sum: that is one piece
              if len(turn) > 1 and at[turn[0]] == at[repeat.turns[0][0]]}
    within = {s.id for s in graph.scopes if s.kind == "call" or s.ours}  # no line of the learner's is in them
    calls = {n.id: [*takewhile(within.__contains__, graph.chains[n.scope])] for n in graph.ops}
    size, turn = Counter(call for around in calls.values() for call in around), 0
    ran, going, known = dict[str, NodeRecord](), set[str](), sorted(graph.ops, key=lambda n: n.seq)
    for before, n in zip([None, *known], known, strict=False):
        last = ran.get(n.function, n)
        going |= {n.id} if n.line == last.line and (n.at, last is before) > (last.at, False) else set()
        ran[n.function] = n
    # lines that call the learner's functions: what ends one run of them must not be one piece with what begins the next
    calling = {(n.function, n.line) for before, n in pairwise(known) if n.id in going and n.line != before.line}

    def place(n: NodeRecord) -> tuple[str, str, int, str, int]:
        nonlocal turn
        turn += n.id in starts or ((n.function, n.line) in calling and n.id not in going)
        number, text = n.line or (0, "")
        return "".join(graph.chains[n.scope][len(calls[n.id]):][:1]), text, number, "" if text else n.id, turn

    for (outer, text, number, *_), several in groupby(known, place):
        ops = [*several]
        tops = Counter([n.id, *calls[n.id]][-1] for n in ops)
        function = min((n.function for n in ops), key=lambda f: int(f.rpartition(":")[2] or 0))  # not one in the line
        whole = text and all(size[id] in (0, count) for id, count in tops.items())  # no call that goes on elsewhere
        first = next(n.id for n in ops if n.function == function)
        yield Piece(number if whole else 0, text, outer, tuple(tops), function, first in going)


def turns(known: Sequence[Piece]) -> Iterator[list[Piece]]:
    """The turns of loops, of several lines each: what runs until the text of a function jumps back to where the loop
    begins, with the functions that are called in between."""
    for function in dict.fromkeys(p.function for p in known):
        mine = [i for i, p in enumerate(known) if p.function == function and p.number]
        loops: list[tuple[int, int]] = []
        for low, high in sorted((known[b].number, known[a].number) for a, b in pairwise(mine)
                                if known[b].number <= known[a].number and not known[b].goes_on):
            if loops and low <= loops[-1][1]:
                low, high = loops[-1][0], max(high, loops.pop()[1])
            loops.append((low, high))
        for low, high in loops:
            starts = [*accumulate(known[i].number == low and not known[i].goes_on for i in mine)]
            turn = {i: start for i, start in zip(mine, starts, strict=True) if low <= known[i].number <= high}
            for a, b in pairwise([*turn]):
                turn |= dict.fromkeys(range(a + 1, b), turn[a]) if turn[a] == turn[b] else {}
            places = {i: (turn[i], known[i].number > 0) for i in sorted(turn)}
            pieces = groupby(places, places.__getitem__)
            found = [one for (_, whole), several in pieces if len(one := [known[i] for i in several]) > 1 and whole]
            yield from found if len(found) > 1 else ()


def neighbours(known: Sequence[Piece], most: int = FEW_BOXES) -> Iterator[list[Piece]]:
    """Lines of one function that ran one after the other, with what they call, and whole loops; of many the `most`
    parts, and the parts of those: what lines divide that made nothing, else equally many lines. What would be more
    than half of all is no box."""
    ends = {p.function: i for i, p in enumerate(known)}
    found = [run for function in ends for run in in_a_row(known, function, ends) if run]
    for run in found:  # grows while it is read
        whole = [*chain.from_iterable(run)]
        yield from [whole] if 1 < len(whole) <= len(known) / 2 else ()
        paragraphs = split(run, lambda a, b: b[0].number - max(p.number for p in a if p.function == b[0].function) > 1)
        parts = paragraphs if len(paragraphs) > 2 and len(run) > most else [[line] for line in run]
        step = -(-len(parts) // most)
        found += ([*chain.from_iterable(parts[i:i + step])] for i in range(0, len(parts) * (len(run) > 1), step))


def in_a_row(known: Sequence[Piece], function: str, ends: Mapping[str, int]) -> Iterator[list[list[Piece]]]:
    """The lines of a function as they ran, each with what ran since the line before: what it calls. Where the text
    jumps back, all lines from there on are one, and where the function itself was called anew they end."""
    mine, row = [i for i, p in enumerate(known) if p.function == function], list[tuple[int, list[Piece]]]()
    for before, i in pairwise([mine[0], *mine]):
        last, called, line = known[before], known[before + 1:i], known[i]
        if not (last.number and line.number and last.outer == line.outer and all(p.number for p in called) and (
                line.number > last.number or all(ends[p.function] < ends[function] for p in called))):
            yield [unit for _, unit in row]
            row = []
        high, unit = line.number, [line, *called] if row else [line]
        while row and row[-1][0] >= line.number:
            top, earlier = row.pop()
            earlier += unit
            high, unit = max(high, top), earlier
        row.append((high, unit))
    yield [unit for _, unit in row]


def split(items: Sequence[Any], apart: Callable[[Any, Any], bool]) -> list[Any]:
    """The pieces of a list that is cut where neighbours are `apart`."""
    cuts = [0, *(i for i, pair in enumerate(pairwise(items), 1) if apart(*pair)), len(items)]
    return [items[a:b] for a, b in pairwise(cuts)]


def spans(numbers: Iterable[int]) -> str:
    """Line numbers, `12-14, 20`."""
    parts = split(sorted({*numbers}), lambda a, b: b - a > NEAR)
    return ", ".join(f"{part[0]}-{part[-1]}" if part[1:] else str(part[0]) for part in parts)


def groups(fold: Fold) -> list[list[str]]:
    """The scopes of each line, those first that made most, and after them those with modules; then those of loops."""
    modules = {s.parent for s in fold.scopes.values() if s.kind == "module"}
    found = by_key(((s.path, s.name), id) for id, s in fold.scopes.items() if s.kind == "line" and fold.inside[id])
    return [ids for _, ids in sorted(found.items(), key=lambda pair: (
        pair[0][1].endswith(" …"), not modules.isdisjoint(pair[1]), -sum(len(fold.inside[id]) for id in pair[1])))]
