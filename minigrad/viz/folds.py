"""The pictures between which a player can switch: modules and loops folded as `draw` folds them, lines of code
never, and with boxes opened.

A picture tells which of its parts stands for each node and wire of the whole graph, and what steps as one.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..graph.snapshot import Graph
from . import levels
from .display import Drawing
from .places import SHOW_ALL, lay_out
from .svg import Painter
from .words import PAIR

LABELS, CHINESE = re.compile(r">([^<]*)</(?:text|title|desc)>"), re.compile(f"{PAIR}[^<]*")
WIDEST_STAGE = 1250  # px
LONG = {True: 12, False: 24}  # characters that the wire into a box, and any other, has room for
ALL_TOGETHER = 400_000  # characters of all pictures, beyond which none is made


def pictures(graph: Graph, values: dict[str, str]) -> list[dict[str, Any]]:
    """The folded picture first; then those that can be opened: each box by its scope, a loop with all its
    turns, "ops" for everything. `values`: the longest text of each slot."""
    drawing = Drawing(graph, "backward")
    drawing.close_what_is_too_high()
    nodes = (replace(n, saved=tuple(s for s in n.saved if s.is_tensor)) for n in graph.nodes)
    graph = replace(graph, nodes=tuple(nodes))  # sizes and options say nothing about gradients
    made: list[dict[str, Any]] = []
    for key, fold in choices(graph, drawing.fold.closed):
        made.append(picture(graph, fold, key, values))
        if sum(len(one["svg"]) for one in made) > ALL_TOGETHER:
            break
    return made


def choices(graph: Graph, closed: frozenset[str]) -> Iterator[tuple[str, levels.Fold]]:
    """Names and fold states, the one with these scopes closed first; only that one may be too large to be of use."""
    folded, whole = levels.fold(graph).refolded(closed), levels.fold(graph, "ops", repeats=False)
    yield "", folded
    opened = [("ops", whole), *((box, folded.opened([box])) for box in folded.boxes if box not in folded.rolls)]
    if folded.whole:
        opened += dict.fromkeys(folded.rolls, levels.fold(graph, repeats=False)).items()
    yield from ((key, fold) for key, fold in opened if fold.shown <= levels.MANY_BOXES
                and (fold.boxes, [*fold.rolls]) != (folded.boxes, [*folded.rolls]))


def picture(graph: Graph, fold: levels.Fold, key: str, values: dict[str, str]) -> dict[str, Any]:
    """One picture, and what its parts stand for: `alias` (node or edge -> what is drawn), `home` (node -> what
    it steps with), `short` (slot -> a shape, where the numbers have no room)."""
    alias, home = stand_ins(graph, fold)
    shapes = {f"edge:{id}": graph.tensor(e.tensor).size for id, (_, e) in graph.edges.items() if e.tensor}
    short, longest = dict[str, str](), dict[str, str]()
    for slot, text in values.items():
        kind, _, id = slot.partition(":")
        at = f"{kind}:{alias.get(id, id) if kind in ('edge', 'sum') else id}"
        if kind == "edge" and len(text) > LONG[id.partition(":")[0] in fold.box]:
            short[at] = text = shapes[slot]
        longest[at] = max(longest.get(at, ""), text, key=len)
    places = lay_out(fold, SHOW_ALL | {"frees"}, longest, "en", WIDEST_STAGE)  # its words are longer
    svg = Painter(places, "backward", PAIR).picture(None, framed=False)
    return {"key": key, "alias": alias, "home": home, "short": short, **in_both(svg)}


def in_both(svg: str) -> dict[str, Any]:
    """A picture of both languages in English, and the labels that read otherwise in Chinese (`[which, en, zh]`)."""
    labels = enumerate(html.unescape(label).split(PAIR) for label in LABELS.findall(svg))
    return {"svg": CHINESE.sub("", svg), "labels": [[i, *pair] for i, pair in labels if len({*pair}) > 1]}


def stand_ins(graph: Graph, fold: levels.Fold) -> tuple[dict[str, str], dict[str, str]]:
    """What is drawn for nodes and edges that are not, and the box, or the turn `r1/3`, that each node steps with."""
    home = {**fold.box, **fold.chips}
    alias = {**home, **{edge: wire for edge, wire in fold.wires.items() if edge != wire}}
    for roll in fold.rolls.values():
        same = {id: drawn for turn in roll.turns for id, drawn in zip(turn, roll.turns[-1], strict=True)}
        home |= {acc: f"{roll.id}/1" for acc, box in fold.chips.items() if box == roll.id}  # the first waits for all
        for number, turn in enumerate(roll.turns, 1):
            for mine in turn:
                home[mine], drawn = f"{roll.id}/{number}", same[mine]
                alias |= {mine: alias.get(drawn, drawn)} if mine != drawn else {}
                for e in graph.node(mine).edges:
                    wire = f"{drawn}:{e.slot}"  # from the second turn on it is the way round
                    goes = number > 1 and wire in roll.edges
                    alias[graph.node(mine).edge_id(e.slot)] = (
                        f"loop:{roll.id}:{same[e.node]}:{e.nr}" if goes and e.node in same else alias.get(wire, wire))
    return alias, home
