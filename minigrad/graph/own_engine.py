"""A learner's own engine, watched and not replaced: what each of its nodes was given and sent, beside a graph of ours.

Its objects have `next` and `vjp`, its root `backward`. Their `vjp`s are noted while it runs, and put back.
"""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from ..text import say
from ..text.numbers import rounded
from .recorder import Frame, Sent
from .snapshot import Graph, swap


def calls_of(root: Any, graph: Graph) -> list[tuple[str, Any, Any]]:
    """Run `root.backward()`: for each call of `vjp` the node in its place, what came and what was sent; then for each
    leaf its `.grad` before and after. The objects are put back as they were."""
    places, calls = places_of(root, graph), list[tuple[str, Any, Any]]()
    kept = [(vars(own), dict(vars(own))) for own, _ in places]

    def watched(place: str | None, rule: Any, came: Any) -> tuple[Any, ...]:
        sent = rule(came)
        sent = () if sent is None else tuple(sent)
        if place and graph.node(place).edges:
            calls.append((place, came, sent))
        if len(calls) > 2 * len(graph.nodes):  # more often than any engine that lets a node run once
            raise Enough
        return sent

    try:
        for own, place in places:
            own.vjp = partial(watched, place, own.vjp)
        with suppress(Enough):
            root.backward()
        return calls + [(place, was.get("grad"), own.grad) for (own, place), (_, was) in zip(places, kept, strict=True)
                        if place and graph.node(place).leaf]
    finally:
        for now, was in kept:
            swap(now, was)


class Enough(BaseException):
    """Ends a learner's backward that runs nodes again and again."""


def places_of(root: Any, graph: Graph) -> list[tuple[Any, str | None]]:
    """Every object that `root` leads to, and the node in its place; None where the graph has a constant.

    Raises: ValueError where one of the two shares what the other does not, or has other inputs.
    """
    found: dict[int, tuple[Any, str | None]] = {}
    todo: list[tuple[Any, str | None]] = [(root, graph.nodes[0].id)]
    taken: dict[str, Any] = {}
    for own, place in todo:
        children, edges = list(own.next or ()), graph.node(place).edges if place else ()
        apart = place and (len(children) != len(edges) or taken.setdefault(place, own) is not own)
        if apart or found.get(id(own), (own, place))[1] != place:
            raise ValueError(say("player.other_record", node=graph.node(place or graph.nodes[0].id).name))
        if id(own) not in found:
            todo += [(child, edges[i].node if place else None) for i, child in enumerate(children)]
        found[id(own)] = own, place
    return [*found.values()]


def number(value: Any) -> str:
    """A number as pictures show it; whatever else stands in its place as it is."""
    return rounded([float(value)])[0] if hasattr(value, "__float__") else repr(value)


def theirs(f: Frame, before: Any, after: Any) -> Frame:
    """An event of ours with the numbers of a learner's engine: what came and what was sent, or a leaf's `.grad`."""
    then, now = number(before), number(after if f.kind == "accumulate" else before)
    out = () if f.kind == "accumulate" else tuple(map(number, after))
    sent = tuple(Sent(s.slot, s.to, out[s.slot], arrived=s.arrived) for s in f.sent if s.to and s.slot < len(out))
    return replace(f, name=now, before=then, after=now, sent=sent, outgoing=out, sum="", exact="", rules=(), symbols=())


def spoken(step: list[Frame]) -> str:
    """What a node was given and what it sent, or what a leaf holds, in words of no language."""
    kinds = {f.kind: f for f in step}
    if "accumulate" in kinds:
        return f".grad = {kinds['accumulate'].after}"
    return f"vjp({kinds['compute'].before}) → {', '.join(s.text for s in kinds['send'].sent if s.to)}"
