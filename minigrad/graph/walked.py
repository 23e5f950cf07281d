"""An engine of a learner's own, watched as it walks: objects with `next`, `vjp` and `backward`.

Each object is set in the place of a node of a graph that records the same operations.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Any

from ..array.backend import xp
from ..text import say
from .recorder import in_short
from .snapshot import Graph


class Enough(BaseException):
    """It has called more often than any engine that lets a node run once."""


def told(number: Any) -> str:
    """A number as pictures show it; whatever else stands in its place as it is."""
    return in_short(xp.asarray(float(number))) if hasattr(number, "__float__") else repr(number)


def walk(root: Any, graph: Graph) -> list[tuple[str, Any, Any]]:
    """Run `root.backward()`: for each call of `vjp` the node in its place, what came and what was sent; then for each
    leaf its `.grad` before and after. The objects are put back as they were.

    Raises: ValueError where they are not recorded as `graph` is, and whatever `backward` raises.
    """
    places = places_of(root, graph)
    kept = [(vars(own), dict(vars(own))) for own, _ in places]
    calls: list[tuple[str, Any, Any]] = []

    def watched(place: str | None, rule: Any, came: Any) -> Any:
        sent = rule(came)
        sent = sent if sent is None else tuple(sent)
        if place and not graph.node(place).leaf:
            calls.append((place, came, sent or ()))
        if len(calls) > 2 * len(graph.nodes):
            raise Enough
        return sent

    try:
        for own, place in places:
            own.vjp = partial(watched, place, own.vjp)
        with contextlib.suppress(Enough):
            root.backward()
        return calls + [(place, was.get("grad"), own.grad) for (own, place), (_, was) in zip(places, kept, strict=True)
                        if place and graph.node(place).leaf]
    finally:
        for now, was in kept:
            now.clear()
            now.update(was)


def places_of(root: Any, graph: Graph) -> list[tuple[Any, str | None]]:
    """Every object that `root` leads to, and the node in its place; None where the graph has a constant."""
    found: dict[int, tuple[Any, str | None]] = {}
    todo: list[tuple[Any, str | None]] = [(root, graph.nodes[0].id)]
    taken: dict[str, Any] = {}
    for own, place in todo:
        children, edges = list(own.next), graph.node(place).edges if place else ()
        apart = place and (taken.setdefault(place, own) is not own or len(children) != len(edges))
        if apart or found.get(id(own), (own, place))[1] != place:  # shared in one of the two only, or of other inputs
            raise ValueError(say("player.other_record", node=graph.node(place or graph.nodes[0].id).name))
        if id(own) not in found:
            todo += [(child, edges[i].node if place else None) for i, child in enumerate(children)]
        found[id(own)] = own, place
    return [*found.values()]
