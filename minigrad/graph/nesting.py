"""Scopes and repeats of a graph: which call of a module, or of a function, made each node, and which turns are alike.

Found when a graph is read, from what calls and nodes noted anyway: numbers, and the learner's instruction. Where two
threads ran modules at once nobody can tell whose a node is, and it gets no scope.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from typing import Any, NamedTuple

from ..core.beside.scopes import Call
from .program import called, expression, position, quoted
from .snapshot import NodeRecord, Repeat, Scope, TensorRecord, by_key

LONGEST, TURNS = 200, 3  # operations in one turn of a loop; fewer turns are no loop
FEW, MANY = 6, 300  # operations of a graph in which expressions are looked for


@dataclass
class Nested:
    """A noted call, and those around it, outermost first; `sure`: no other thread ran a module meanwhile."""

    call: Call
    module: Any  # None where it is gone
    around: list[Nested] = field(default_factory=list)
    sure: bool = True
    id: str = ""  # of its scope, once it has one


class Waiting(NamedTuple):
    """What no other expression has used yet: it and what it stands in, and of how many operations it is."""

    around: list[Any]
    function: str
    turn: int
    size: int


class Scopes:
    """The scopes of the nodes of one graph, which is being read."""

    def __init__(self, reader: Any) -> None:
        nodes: dict[str, Any] = {reader.ids[key]: n for key, n in reader.found.items() if not isinstance(key, tuple)}
        self.nodes = dict(sorted(nodes.items(), key=lambda pair: pair[1]._sequence_nr()))  # by id, as they were made
        self.places = {key: reader.place(node) for key, node in nodes.items()}  # in the learner's code
        first = dict[Any, Any]()  # code -> what stands for it, and its equals: to compare it takes as long as it is
        codes = {id(code): code for code, _ in self.places.values()}
        codes = {key: code and first.setdefault(code, key) for key, code in codes.items()}
        # where in it, too: once it ran often, Python counts an instruction's end as it
        self.instructions = {key: (codes[id(code)], at if (at := code and position(code, lasti)) and None not in at
                                   else (lasti,) * 4) for key, (code, lasti) in self.places.items()}
        self.noted = reader.noted  # calls of modules
        self.names = {id(t): name for name, t in reader.named}  # id of a parameter, or of a module -> its name
        self.names |= {id(m): f"{name}.{at}".rstrip(".")
                       for name, up in reader.modules[::-1] for at, m in up.named_modules()}
        leaves = {slot: t for slot, t in reader.tensors.items() if slot[0] in reader.found and type(slot[0]) is tuple}
        self.leaves = {id(t): reader.ids[slot] for slot, t in leaves.items()}  # id of a leaf -> its record
        # all parameters of the graph, of which each module that is gone may have had some
        self.loose = [t for t in leaves.values() if type(t).__name__ == "Parameter"]
        self.of: dict[str, str] = {}  # id of a node -> id of its scope
        self.found: list[Scope] = []
        self.turns: Counter[int] = Counter()
        self.known: dict[int, tuple[str, dict[int, str]]] = {}  # see `ways`
        self.modules()
        self.functions()

    def modules(self) -> None:
        """Give every node the innermost call that it was made in."""
        seqs = [node._sequence_nr() for node in self.nodes.values()] or [0]
        waiting = nested_calls(call for call in self.noted if call.first < seqs[-1] and call.last > seqs[0])
        self.calls = [*waiting]
        open_: list[Nested] = []
        place = 0
        for id, seq in zip(self.nodes, seqs, strict=False):
            while place < len(waiting) and waiting[place].call.first < seq:
                open_.append(waiting[place])
                place += 1
            open_ = [nested for nested in open_ if nested.call.last > seq]
            if open_ and all(nested.sure for nested in open_):
                for nested in open_:
                    nested.id = nested.id or self.add(nested)
                self.of[id] = open_[-1].id

    def around(self, seq: float) -> str:
        """The scope of the innermost call that ran when a node would have had this number."""
        return next((n.id for n in reversed(self.calls) if n.id and n.call.first <= seq < n.call.last), "")

    def add(self, nested: Nested) -> str:
        """The scope of a call of a module."""
        call, module, outer = nested.call, nested.module, nested.around[-1].id if nested.around else ""
        own = self.loose if module is None else module.parameters()  # also those of a list, which is never called
        params = tuple(i for p in own if (i := self.leaves.get(id(p))) is not None)
        scope = Scope(f"s{len(self.found) + 1}", outer, "module", self.path(nested), self.turns[id(call.module)],
                      call.kind, params=params, ours=call.home.partition(".")[0] in ("minigrad", "torch"))
        self.turns[id(call.module)] += 1  # a module has one weak reference
        self.found.append(scope)
        return scope.id

    def path(self, nested: Nested) -> str:
        """What the learner calls a module: its own name, or the name of the one around it and the way from there."""
        sure = id(nested.module) in self.names  # else its parameters may be those of another module too
        found = [(top, way) for n in ([nested] * sure + [*nested.around, nested]) if n.module is not None
                 for top, ways in [self.ways(n)] if (way := ways.get(id(nested.module))) is not None and (way or top)]
        return next((f"{top}.{way}".strip(".") for top, way in sorted(found, key=lambda pair: not pair[0])), "")

    def ways(self, nested: Nested) -> tuple[str, dict[int, str]]:
        """The name of a module, and the way from it to each of those inside, by their ids.

        It is `net` for a module that is called so, or whose parameters are called `net.0.weight`; "" without a name,
        or where they have different ones: then some are shared.
        """
        if (key := id(nested.call.module)) not in self.known:  # a module has one weak reference
            named = [(self.names[id(p)], f".{at}") for at, p in nested.module.named_parameters() if id(p) in self.names]
            names = {name[: -len(way)] if name.endswith(way) else "" for name, way in named}
            name = self.names.get(id(nested.module)) or (names.pop() if len(names) == 1 else "")
            self.known[key] = name, {id(m): way for way, m in nested.module.named_modules()}
        return self.known[key]

    def functions(self) -> None:
        """Nodes that one call in the learner's code made together, such as those of a cross entropy."""
        ours = {s.id for s in self.found if s.ours}
        for (outer, code, _), group in groupby(self.nodes, lambda id: (self.of.get(id, ""), *self.instructions[id])):
            ids = [*group]
            kinds = [type(self.nodes[id]).__name__ for id in ids]
            # of a write through a view, what it replaced is the lesson
            if len(ids) < 2 or code is None or outer in ours or periodic(kinds) or "CopySlices" in kinds:
                continue
            if name := call_at(*self.places[ids[0]]):
                scope = Scope(f"s{len(self.found) + 1}", outer, "call", name=name)
                self.found.append(scope)
                self.of |= dict.fromkeys(ids, scope.id)

    def repeats(self, records: Sequence[NodeRecord], tensors: Iterable[TensorRecord]) -> tuple[Repeat, ...]:
        """The loops: the same instructions with the same leaves, at least three times in a row; equal blocks, the same
        instructions in modules of one class, each with leaves of its own, which count to its turn; and elsewhere equal
        parts of one statement, such as the terms of a sum."""
        ops = sorted((n for n in records if n.id in self.nodes), key=lambda n: n.seq)
        scopes, around = {s.id: s for s in self.found}, {"": list[str]()}
        for s in self.found:  # outer ones first
            around[s.id] = [*around[s.parent], s.id]
        chains = [around[self.of.get(n.id, "")] for n in ops]
        shapes = by_key((t.node, t.shape) for t in tensors)
        same, like = list[Any](), list[Any]()
        for n in ops:
            scope = scopes.get(self.of.get(n.id, ""), Scope("", "", ""))
            at = (*self.instructions[n.id], n.name, scope.name)
            kept = (f.field + f.text for f in n.saved if not f.is_tensor and f.text != "None")
            same.append((*at, scope.path))
            like.append((*at, *shapes.get(n.id, ()), *kept))
        leaves = {n.id: n.id for n in records if n.kind == "accumulate"}
        shaped = {id: str(shapes[id]) for id in leaves}
        blocks = loops(ops, like, chains, shaped) if scopes else ()
        found = [*loops(ops, same, chains, leaves), *(turns for turns in blocks if turns[0][-1] in leaves)]
        mixed = self.mixed(ops, inside := {id for turns in found for turn in turns for id in turn})
        inside |= {n.id for n in ops if self.of.get(n.id) in scopes and scopes[self.of[n.id]].ours}
        parts = {n.id: self.statement(n.id) for n in ops if n.id not in inside}
        kinds = [(parts.get(n.id, n.id), (0,) * 4, n.name, *shapes.get(n.id, ())) for n in ops]
        found += (turns for turns in loops(ops, kinds, chains, shaped) if len(turns) > TURNS)
        return tuple(Repeat(f"r{k}", turns, not any(id in mixed or id in parts for turn in turns for id in turn))
                     for k, turns in enumerate(dict.fromkeys(found), 1))

    def expressions(self, records: Sequence[NodeRecord]) -> dict[str, tuple[int, str]]:
        """Of what may be a long formula: operation -> how many operations, of which it is the last, computed an
        expression, at most half of all, and that as it is written; of none that runs a part of it several times."""
        ops = sorted((n for n in records if n.id in self.nodes), key=lambda n: n.seq)
        if not FEW < len(ops) <= MANY:
            return {}
        found = dict[Any, dict[str, tuple[str, int, str]]]()  # expression, in its turn -> last operation, size and text
        turns: dict[str, tuple[int, int]] = {}  # function -> how often its instructions began anew, and the last one
        waiting: list[Waiting] = []
        for n in ops:
            at, source = expression(*self.places[n.id]), self.places[n.id][0] and quoted(self.places[n.id][0])[1]
            (turn, last), size = turns.get(n.function, (0, 0)), 1
            turn += n.at < last
            turns[n.function] = turn, n.at
            while waiting and at in waiting[-1].around:
                if waiting[-1].function == n.function and waiting[-1].turn != turn:
                    break
                size += waiting.pop().size
            else:
                if at is not None and all(before.function == n.function for before in waiting[-1:]):
                    found.setdefault((at, turn), {})[self.of.get(n.id) or n.id] = n.id, size, source.text(at)
            waiting.append(Waiting([at, *source.above(at)] if at is not None else [], n.function, turn, size))
        return {id: (size, " ".join(text.split())) for ends in found.values() for id, size, text in ends.values()
                if len(ends) == 1 and 1 < size <= len(ops) / 2}

    def mixed(self, ops: Sequence[NodeRecord], inside: set[str]) -> set[str]:
        """The operations `inside` of turns that meet others, outside, which the same loop made, or the same lines: its
        first turn may be another."""
        links = [{n.id, e.node} for n in ops for e in n.edges if e.node in self.nodes]
        borders = [(*link & inside, *link - inside) for link in links if len(link & inside) == 1]
        again = {self.instructions[id] for id in inside & self.places.keys() if self.places[id][0]}
        return {id for id, other in borders if self.instructions[other] in again or (
            self.loop(id) and self.loop(id) == self.loop(other))}

    def loop(self, id: str) -> list[Any]:
        """The innermost loop in the learner's text around what made a node."""
        code, lasti = self.places[id]
        return quoted(code)[1].loops(expression(code, lasti))[:1] if code else []

    def statement(self, id: str) -> Any:
        """The statement in the learner's text that made a node; itself where that is not known, or in a loop."""
        code, lasti = self.places[id]
        made, source = expression(code, lasti), code and quoted(code)[1]
        return id if made is None or source.loops(made) else source.statement(made)


def loops(ops: Sequence[NodeRecord], keys: Sequence[Any], chains: Sequence[list[str]],
          leaves: Mapping[Any, str]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """The turns of each loop: operations whose keys repeat; `leaves` says which leaves count as one."""
    at: dict[str | None, int] = {n.id: i for i, n in enumerate(ops)}
    several = by_key((e.node, n.id) for n in ops for e in n.edges if e.node in leaves)
    users: dict[str | None, set[str]] = {leaf: {*ids} for leaf, ids in several.items()}
    sizes = Counter(scope for chain in chains for scope in chain)

    def begins_at(period: int, i: int) -> tuple[bool, int, bool, int]:
        """How ill turns begin at a place: best where the text jumps back, outside of calls, at a leaf, and late."""
        # at both ends: the first turn may lack an operation
        deep = max((common(chains[k - 1:k + 1]) for k in (i, i + period) if 0 < k < len(ops)), default=0)
        return not jumps_back(keys, i), deep, not any(e.node in users for e in ops[i].edges), -i

    def turns_in(start: int, period: int, count: int) -> Iterator[tuple[tuple[str, ...], ...]]:
        """The turns of a run that use the same and are parts of one scope; of equal scopes in a row, these."""
        def used(n: NodeRecord) -> Iterator[Any]:
            """What an operation uses: leaves, and others by their turn, this one (0) or that before, and place."""
            for e in n.edges:
                i = at.get(e.node, -1)
                back, place = (at[n.id] - start) // period - (i - start) // period, (i - start) % period
                yield leaves.get(e.node) or (None if i < start else (back, place) if back < 2 else n.id)

        turns = [ops[start + k * period: start + (k + 1) * period] for k in range(count)]
        for first, behind in alike([[[*used(n)] for n in turn] for turn in turns]):
            begin = range(start + first * period, start + behind * period, period)
            groups = [[*group] for inside, group in groupby(
                begin, lambda i: whole_in(chains[i:i + period], sizes)) if inside is not None]
            more = len(groups[0]) if groups and len({*map(len, groups)}) == 1 < len(groups) else 1
            outer = [*turns_in(groups[0][0], more * period, len(groups))] if more > 1 else []
            several = (with_own_leaves([ops[i:i + period] for i in group], users) for group in groups)
            yield from outer or (tuple(found) for found in several if len(found) >= TURNS)

    return chain.from_iterable(turns_in(*run) for run in runs(keys, begins_at))


def common(chains: Sequence[list[str]]) -> int:
    """How many scopes, from outside, are around all of some operations."""
    return next((d for d, all_ in enumerate(zip(*chains, strict=False)) if len({*all_}) > 1), min(map(len, chains)))


def whole_in(chains: Sequence[list[str]], sizes: Mapping[str, int]) -> str | None:
    """The scope of which a turn is a part; None where the turn cuts through a call inside of it."""
    depth = common(chains)
    while depth and sizes[chains[0][depth - 1]] == len(chains):
        depth -= 1
    inner = Counter(chain[depth] for chain in chains if len(chain) > depth)
    return None if any(sizes[id] > n for id, n in inner.items()) else chains[0][depth - 1] if depth else ""


def with_own_leaves(turns: Sequence[Sequence[NodeRecord]], users: Mapping[str | None, set[str]]
                    ) -> list[tuple[str, ...]]:
    """The ids of turns, with the leaves that each has to itself; none where they share some and not others."""
    made = []
    uses = zip(*([e.node if e.node in users else "" for n in turn for e in n.edges] for turn in turns), strict=True)
    several = [column for column in uses if len(set(column[1:])) > 1]  # the first turn may begin with a leaf
    for k, turn in enumerate(turns):
        ops, own, first = [n.id for n in turn], [str(column[k]) for column in several], [c[0] for c in several]
        mine = all(users.get(id, {""}) <= {*ops} for id in own)
        if not mine or [*map(own.index, own)] != [*map(first.index, first)]:
            return []
        made.append((*ops, *dict.fromkeys(own)))
    return made


def nested_calls(noted: Iterable[Call]) -> list[Nested]:
    """The noted calls by their first number, with the calls around each."""
    known = [Nested(call, call.module()) for call in sorted(noted, key=lambda call: (call.first, -call.last))]
    open_: list[Nested] = []
    for nested in known:
        call = nested.call
        open_ = [outer for outer in open_ if outer.call.last > call.first]
        for outer in open_:
            if outer.call.thread != call.thread or call.last > outer.call.last:  # side by side: whose nodes are whose?
                outer.sure = nested.sure = False
        nested.around = list(open_)
        open_.append(nested)
    return known


def periodic(kinds: list[Any]) -> bool:
    """Whether a list is a shorter one, several times: a loop at one place, not one call."""
    return any(kinds[p:] == kinds[:-p] for p in range(1, len(kinds) // 2 + 1) if len(kinds) % p == 0)


def runs(keys: Sequence[Any], begins_at: Callable[[int, int], Any]) -> Iterator[tuple[int, int, int]]:
    """(start, period, turns) of what comes at least `TURNS` times in a row, the shortest period first; of so few turns
    a loop around them that covers more."""
    start, size, later = 0, len(keys), by_key((key, i) for i, key in enumerate(keys))
    while start < size:
        found = start, 1, 0
        places = later[keys[start]]
        first = bisect_left(places, start) + 1
        for again in places[first : first + LONGEST]:  # near ones only
            if (period := again - start) > LONGEST or start + TURNS * period > size or found[2] > TURNS:
                break
            same = 0
            while start + period + same < size and keys[start + same] == keys[start + period + same]:
                same += 1
            if (turns := same // period + 1) >= TURNS and turns * period > found[1] * found[2]:
                found = min(range(start, start + same % period + 1), key=partial(begins_at, period)), period, turns
        if found[2]:
            yield found
        start = found[0] + max(1, found[1] * found[2])


def jumps_back(keys: Sequence[Any], i: int) -> bool:
    """Whether what ran before a place stands behind it in the text: there a turn begins, which may be cut otherwise."""
    (before, (first, _, left, _), *_), (code, (_, last, _, right), *_) = keys[i - 1], keys[i]
    return i > 0 and before == code and (last, right) <= (first, left)


def alike(turns: Sequence[list[list[Any]]]) -> Iterator[tuple[int, int]]:
    """The stretches of turns whose operations use the same; those of the first of each may use another thing, as
    `0 + x` does, where the others use what the turn before made."""
    first = 0
    for k in range(1, len(turns) + 1):
        here = turns[k:k + 1] or [[]]
        same = here[0] == turns[first + 1] if k > first + 1 else all(map(begins, turns[first], here[0]))
        if not same or k == len(turns):
            yield first, k
            first = k


def begins(first: list[Any], later: list[Any]) -> bool:
    """Whether an operation uses in the first turn what it uses later, but for what the turn before made."""
    kept = Counter(use for use in later if not (isinstance(use, tuple) and use[0]))
    others = Counter(first) - kept
    in_turn = any(isinstance(use, tuple) for use in others)
    return kept + others == Counter(first) and len(first) == len(later) and not in_turn


def call_at(code: Any, lasti: int) -> str:
    """The name of the function that an instruction calls, `matmul` for `@`; "" where it calls none."""
    made = expression(code, lasti)
    return "matmul" if isinstance(getattr(made, "op", None), ast.MatMult) else called(made)
