"""Where every part of a picture goes: blocks into columns, columns into bands, wires between them.

Columns follow the longest way to the root, so forward runs right and gradients run left; a graph
that is too wide goes on in a band below. The layout does not depend on the view: a node keeps its
place in record, forward and backward. `engine="dot"` and `"graphviz"` (the wheel, in process) let
Graphviz place the blocks; wires and everything inside a block are ours in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import attrgetter
from statistics import median
from typing import Any

from ..graph.snapshot import Edge, Graph
from . import engines, words
from .blocks import Block, Box, Builder, Piece, Point, TextPlace
from .theme import width

WIDEST_PICTURE, MARGIN, GUTTER, LANE = 1060, 20, 44, 24
RADIUS = 12  # of the corners of a wire that goes around
FAR = 2  # a leaf used again further away than this many columns is drawn again, small
LANE_OF_A_WIRE = Block("", room=[Box(0, -9, 0, 18)])
SHOW_ALL = frozenset({"values", "grads", "saved", "hooks", "cards"})


@dataclass
class Layout:
    """Absolute places. Boxes by id, texts by slot, paths by edge id (`n3:0`)."""

    width: float = 0
    height: float = 0
    boxes: dict[str, Box] = field(default_factory=dict)
    slots: dict[str, TextPlace] = field(default_factory=dict)
    ports: dict[str, Point] = field(default_factory=dict)
    entries: dict[str, Point] = field(default_factory=dict)
    back: dict[str, list[Piece]] = field(default_factory=dict)  # from the node to its next_function
    data: dict[str, list[Piece]] = field(default_factory=dict)  # from the input to the op
    refs: dict[str, str] = field(default_factory=dict)  # edge id -> leaf drawn again there


@dataclass(frozen=True)
class Wire:
    """An edge between two blocks."""

    id: str
    node: str
    edge: Edge
    target: str


@dataclass(eq=False)
class Spot:
    """A block in its column, or the lane of a long wire that passes through one."""

    rank: int
    block: Block
    x: float = 0
    y: float = 0
    order: float = 0
    sides: tuple[float, float] = (0, 0)  # left and right of its column
    band: int = 0
    roots: list[tuple[Spot, float]] = field(default_factory=list)  # consumers, height of the port
    leaves: list[tuple[Spot, float]] = field(default_factory=list)

    def barycentre(self, near: list[tuple[Spot, float]]) -> float:
        """The mean place of its neighbours; its own where it has none."""
        return sum(s.order + dy / 200 for s, dy in near) / len(near) if near else self.order


def lay_out(graph: Graph, show: frozenset[str] = SHOW_ALL, values: Mapping[str, str] | None = None,
            lang: str | None = None, engine: str | None = None, widest: float = WIDEST_PICTURE) -> Layout:
    """Place everything. `values` (slot -> widest text) reserves room that the player will need;
    beyond `widest` px the picture goes on in a band below."""
    net = LayeredGraph(graph, Builder(graph, show, values or {}, lang).blocks())
    router = Router(net, widest)
    if engine in ("graphviz", "dot") and net.wires:
        router.place_at(engines.places(net.all(), engine))
    else:
        net.order()
        net.heights()
        router.place()
    return router.layout()


class LayeredGraph:
    """The blocks as a layered graph: ranks, places for long wires, order and height in a column."""

    def __init__(self, graph: Graph, blocks: dict[str, Block]) -> None:
        self.graph, self.blocks = graph, blocks
        self.refs: dict[str, str] = {}
        self.ops = frozenset(n.id for n in graph.ops)
        self.wires = [
            Wire(n.edge_id(e.slot), n.id, e, target) for n in graph.ops for e in n.edges
            if (target := e.node or e.tensor) in blocks and e.slot not in blocks[n.id].hangs]
        self.rank_all()
        self.repeat_far_leaves()
        self.spots = {id: Spot(self.rank[id], b) for id, b in blocks.items()}
        self.ways = {wire.id: self.way(wire) for wire in self.wires}
        self.columns: list[list[Spot]] = [[] for _ in range(max(self.rank.values(), default=0) + 1)]
        passing = [s for way in self.ways.values() for s in way[1:-1]]
        for spot in (*self.spots.values(), *passing):
            spot.order = len(self.columns[spot.rank])
            self.columns[spot.rank].append(spot)

    def all(self) -> list[Spot]:
        """All spots, column by column."""
        return [s for column in self.columns for s in column]

    def rank_all(self) -> None:
        """Longest way from a root; wires already stand in an order where consumers come first."""
        self.rank = dict.fromkeys(self.blocks, 0)
        for wire in self.wires:
            self.rank[wire.target] = max(self.rank[wire.target], self.rank[wire.node] + 1)

    def repeat_far_leaves(self) -> None:
        """A leaf used far from its place is drawn again, small, at the port that wants it: wires
        from everywhere to one hub are what ruins a layout."""
        limit = 0 if len(self.ops) > 300 else FAR
        for wire in self.wires:
            if wire.target in self.ops or self.rank[wire.target] - self.rank[wire.node] <= 1 + limit:
                continue
            leaf = self.refs[wire.id] = next(iter(self.blocks[wire.target].outs))
            block, slot = self.blocks[wire.node], wire.edge.slot
            x, y = block.ports[slot]
            wide = width(words.again_label(self.graph.tensor(leaf)), bold=True) + 24
            block.boxes[f"ref:{wire.id}"] = Box(x - 30 - wide, y - 9, wide, 18)
            block.hangs[slot] = f"ref:{wire.id}"
        self.wires = [wire for wire in self.wires if wire.id not in self.refs]

    def way(self, wire: Wire) -> list[Spot]:
        """The spots that a wire passes, from the node to its target."""
        start, end = self.spots[wire.node], self.spots[wire.target]
        way = [start, *(Spot(r, LANE_OF_A_WIRE) for r in range(start.rank + 1, end.rank)), end]
        for k, (a, b) in enumerate(pairwise(way)):
            height = start.block.ports[wire.edge.slot][1] if k == 0 else 0
            height -= end.block.entries[wire.edge.nr][1] if b is end else 0
            b.roots.append((a, height))
            a.leaves.append((b, -height))
        return way

    def order(self) -> None:
        """Beside each other what belongs together: barycentres, down and up a few times."""
        for column, near in self.sweeps(7):
            column.sort(key=lambda spot: spot.barycentre(near(spot)))
            for i, spot in enumerate(column):
                spot.order = i

    def heights(self) -> None:
        """Level with the neighbours where that is possible; long wires and ops pull hardest."""
        for column, near in self.sweeps(8):
            wanted, weights = [], []
            for spot in column:
                pulls = [(s.y, self.weight(spot, s)) for s, _ in near(spot)]
                # weighted: the strongest wire runs level instead of every one a little bent
                wanted.append(median(y for y, w in pulls for _ in range(w)) if pulls else spot.y)
                weights.append(max((w for _, w in pulls), default=0.1))
            gaps = [a.block.reach[3] + b.block.reach[2] + LANE for a, b in pairwise(column)]
            for spot, y in zip(column, separate(wanted, weights, gaps), strict=True):
                spot.y = y

    def sweeps(self, count: int) -> Iterator[tuple[list[Spot], Callable[[Spot], list[tuple[Spot, float]]]]]:
        """All columns several times: from the root on, looking towards it, and back."""
        for sweep in range(count):
            for column in reversed(self.columns) if sweep % 2 else self.columns:
                yield column, attrgetter("leaves" if sweep % 2 else "roots")

    def weight(self, a: Spot, b: Spot) -> int:
        """How much a wire between two spots wants to be level: a chain of ops most of all."""
        lanes = (a.block, b.block).count(LANE_OF_A_WIRE)
        if lanes:
            return 8 if lanes == 2 else 2
        return 16 if a.block.id in self.ops and b.block.id in self.ops else 1


def separate(wanted: list[float], weights: list[float], gaps: list[float]) -> list[float]:
    """The heights nearest to the wanted ones that keep the gaps (pool adjacent violators)."""
    offsets = [0, *accumulate(gaps)]
    pools: list[list[float]] = []  # weighted sum, weight, count
    for y, w, offset in zip(wanted, weights, offsets, strict=True):
        pools.append([(y - offset) * w, w, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    means = [s / w for s, w, count in pools for _ in range(int(count))]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


class Band:
    """Columns from left to right, each pushed against what stands left of it, part against part."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.columns: list[list[Spot]] = []
        self.parts: list[Box] = []
        self.right, self.wall = 0.0, -1e9

    @property
    def spots(self) -> list[Spot]:
        """All spots, column by column."""
        return [s for column in self.columns for s in column]

    def add(self, column: list[Spot], limit: float) -> bool:
        """Place a column; False where the band would get wider than `limit`."""
        # where wires to the column before will curve, columns must not interlock
        before = self.columns[-1] if self.columns else []
        clean = any(abs(root.y + dy - s.y) >= 3 for s in before for root, dy in s.roots)
        left, right = (max(s.block.reach[side] for s in column) for side in (0, 1))
        x = self.where(column, left, clean)
        if self.columns and x + right > limit:
            return False
        self.columns.append(column)
        self.parts += self.boxes(column, x)
        self.right = max(self.right, x + right)
        self.wall = x - left if clean else self.wall
        for spot in column:
            spot.x, spot.sides, spot.band = x, (x - left, self.right), self.number
        return True

    def where(self, column: list[Spot], left: float, clean: bool) -> float:
        """The x of the anchors of a column that reaches so far to the left of them."""
        if not self.parts:
            return left
        if clean:
            return self.right + GUTTER + left
        beside = ((new, old) for new in self.boxes(column, 0) for old in self.parts
                  if new.y < old.bottom + 6 and old.y < new.bottom + 6)
        return max([self.wall + left, *(old.right + 10 - new.x for new, old in beside)])

    @staticmethod
    def boxes(column: list[Spot], x: float) -> list[Box]:
        """The parts of a column whose anchors stand at `x`."""
        return [p.moved(x, s.y) for s in column for p in s.block.parts]


class Router:
    """Gives columns their x, bands their y, and draws the wires."""

    def __init__(self, net: LayeredGraph, widest: float) -> None:
        self.net, self.out, self.widest = net, Layout(refs=net.refs), widest
        self.tracks: dict[int, list[str]] = {}  # band -> wires that leave it upwards, top one first
        self.tops: dict[int, float] = {}

    # ---- columns and bands

    def place(self) -> None:
        """From the leaves to the root; a new band where the picture would get too wide."""
        limit = self.widest - 2 * MARGIN
        count = len(self.fill(limit))
        for share in (0.6, 0.7, 0.8, 0.9, 1):  # the same number of bands, filled evenly
            bands = self.fill(limit * share)
            if len(bands) == count:
                break
        self.find_tracks()
        self.bottom = 0.0
        for band in bands:
            up = min(s.y - s.block.reach[2] for s in band.spots)
            self.bottom += 22 + 9 * len(self.tracks.get(band.number, ())) if band.number else 0
            self.tops[band.number] = self.bottom
            for spot in band.spots:
                spot.y += self.tops[band.number] - up
            self.bottom = max(s.y + s.block.reach[3] for s in band.spots)

    def fill(self, limit: float) -> list[Band]:
        """The columns in bands no wider than `limit`, from the leaves to the root."""
        bands = [Band(0)]
        for column in reversed(self.net.columns):
            if not bands[-1].add(column, limit):
                bands.append(Band(len(bands)))
                bands[-1].add(column, limit)
        return bands

    def find_tracks(self) -> None:
        """The wires from each band to the one above, the uppermost first."""
        found = sorted((a.band, a.y, id) for id, way in self.net.ways.items()
                       for a, b in pairwise(way) if a.band != b.band)
        for band, _, id in found:
            self.tracks.setdefault(band, []).append(id)

    def place_at(self, centres: dict[Spot, tuple[float, float]]) -> None:
        """What Graphviz chose; a block's own sides take the part of its column's."""
        spots = self.net.all()
        top = min(centres[s][1] - s.block.reach[2] for s in spots)
        for spot in spots:
            spot.x, y = centres[spot]
            spot.y, spot.sides = y - top, (spot.x - spot.block.reach[0], spot.x + spot.block.reach[1])
        self.bottom = max(s.y + s.block.reach[3] for s in spots)

    # ---- the result

    def layout(self) -> Layout:
        """Everything in its place, with all wires."""
        out = self.out
        for spot in self.net.spots.values():
            self.put(spot)
        self.right = max(s.sides[1] for s in self.net.spots.values())
        for wire in self.net.wires:
            self.wire(wire)
        self.shift(MARGIN, MARGIN)
        return out

    def put(self, spot: Spot) -> None:
        """Move everything inside a block to its place."""
        out, block, dx, dy = self.out, spot.block, spot.x, spot.y
        out.boxes |= {part: box.moved(dx, dy) for part, box in block.boxes.items()}
        out.slots |= moved(block.slots, dx, dy)
        for mine, all_ in ((block.entries, out.entries), (block.ports, out.ports)):
            all_ |= {f"{block.id}:{i}": point for i, point in moved(mine, dx, dy).items()}
        for slot, target in block.hangs.items():
            self.hung_wire(block, slot, target)

    def hung_wire(self, block: Block, slot: int, target: str) -> None:
        """The short wire to what is drawn inside the block."""
        id, out = f"{block.id}:{slot}", self.out
        px, py = out.ports[id]
        box = out.boxes[target]
        if target.startswith("ref:"):
            out.back[id] = [((px, py),), ((box.right, py),)]
            out.data[id] = backwards(out.back[id])
            out.slots[f"edge:{id}"] = (box.right + 4, py - 10, "middle")
            return
        if target.startswith("t"):  # a constant, upper left: data only
            out.data[id] = [((box.cx, box.bottom),), ((box.cx, py), (px - 16, py), (px, py))]
            return
        leaf, drop = self.net.graph.tensor(self.net.graph.node(target).leaf), box.cx
        bend: list[Piece] = [((px, py),), ((drop, py + 2), (drop, py + 30), (drop, py + 62))]
        out.back[id] = [*bend, ((drop, box.y),)]
        out.data[id] = backwards([*bend, ((drop, out.boxes[leaf.id].y),)])

    # ---- wires between blocks

    def wire(self, wire: Wire) -> None:
        """A wire between two blocks, both ways, with the place of its text."""
        out, way, spot = self.out, self.net.ways[wire.id], self.net.spots[wire.target]
        start, entry = out.ports[wire.id], spot.block.entries[wire.edge.nr]
        end, leave = ((x + spot.x, y + spot.y) for x, y in (entry, spot.block.outs.get(wire.edge.tensor or "", entry)))
        if wire.edge.node is not None:
            out.back[wire.id] = self.path(wire.id, way, start, end)
        level = len(way) == 2 and abs(start[1] - end[1]) < 3 and way[0].band == way[1].band
        straight = [(start,), curve(start, leave)]
        out.data[wire.id] = backwards(straight if level else self.path(wire.id, way, start, leave))
        self.label(wire, start, end, level)

    def path(self, id: str, way: list[Spot], start: Point, end: Point) -> list[Piece]:
        """Level inside a column, a soft curve between columns, around the margin between bands."""
        y = start[1]
        pieces: list[Piece] = [(start,)]
        for a, b in pairwise(way):
            left, right = a.sides[0], b.sides[1]
            to = end if b is way[-1] else (right, b.y)
            if a.band != b.band:
                pieces += self.around(id, a.band, left, y, to)
            elif len(way) == 2 and (abs(y - to[1]) < 3 or right > left):
                pieces.append((to,) if abs(y - to[1]) < 3 else curve(start, to))
            else:
                pieces += [((left, y),), curve((left, y), (right, to[1])), (to,)]
            y = to[1]
            if b is not way[-1]:
                pieces.append(((b.sides[0], y),))
        return pieces

    def around(self, id: str, band: int, left: float, y: float, to: Point) -> list[Piece]:
        """Out at the left, up between the bands, and in again from the right, without crossing."""
        track, last = self.tracks[band].index(id), len(self.tracks[band]) - 1
        west, east = -10 - 9 * track, self.right + 10 + 9 * (last - track)
        gap = self.tops[band] - 10 - 9 * track
        return round_corners((left, y), (west, y), (west, gap), (east, gap), (east, to[1]), to)

    def label(self, wire: Wire, start: Point, end: Point, level: bool) -> None:
        """The gradient's text: over a level wire in its middle, else at the port."""
        block = self.net.blocks[wire.node]
        lowest = max(block.ports.values(), key=lambda port: port[1])
        stub = any(part.startswith("none:") for part in block.boxes)
        low = len(block.ports) > 1 and block.ports[wire.edge.slot] == lowest and (stub or not level)
        middle = level and start[0] - end[0] < 260
        x = (start[0] + end[0] + 10) / 2 if middle else start[0] - 26
        y = start[1] + (17 if low else -8)
        self.out.slots[f"edge:{wire.id}"] = (x, y, "middle" if middle else "end")
        if wire.edge.expands:
            cx, cy = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            self.out.boxes[f"sum:{wire.id}"] = Box(cx - 29, cy - 12, 58, 24)
            self.out.slots[f"sum:{wire.id}"] = (cx, cy + 28, "middle")

    def shift(self, dx: float, dy: float) -> None:
        """Move everything so that the margins are free, and measure the whole."""
        out = self.out
        tracks = max(map(len, self.tracks.values()), default=0)
        dx -= min([*(b.x for b in out.boxes.values()), -10 - 9 * (tracks - 1) if tracks else 0])
        out.boxes = {k: b.moved(dx, dy) for k, b in out.boxes.items()}
        for points in (out.slots, out.ports, out.entries):
            points.update(moved(points, dx, dy))
        for paths in (out.back, out.data):
            paths.update({k: [tuple((x + dx, y + dy) for x, y in piece) for piece in p] for k, p in paths.items()})
        out.width = self.right + dx + MARGIN + (10 + 9 * tracks if tracks else 0)
        out.height = self.bottom + dy + MARGIN / 2


def moved(points: dict[Any, Any], dx: float, dy: float) -> dict[Any, Any]:
    """Points, and texts with their anchors, somewhere else."""
    return {key: (x + dx, y + dy, *anchor) for key, (x, y, *anchor) in points.items()}


# ---- paths


def curve(a: Point, b: Point) -> Piece:
    """A level start and a level end, whatever lies between."""
    bend = (b[0] - a[0]) / 2
    return (a[0] + bend, a[1]), (b[0] - bend, b[1]), b


def backwards(pieces: list[Piece]) -> list[Piece]:
    """The same line drawn from its other end."""
    pairs = list(pairwise(pieces))
    return [pieces[-1][-1:], *((*piece[-2::-1], before[-1]) for before, piece in reversed(pairs))]


def round_corners(*points: Point) -> list[Piece]:
    """A line of level and upright pieces, its corners softened."""
    out: list[Piece] = []
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        start, end = towards(here, before), towards(here, after)
        out += [(start,), (here, here, end)]
    return [points[:1], *out, points[-1:]]


def towards(a: Point, b: Point) -> Point:
    """The point from which a corner at `a` is rounded, on the way to `b`."""
    length = max(abs(b[0] - a[0]), abs(b[1] - a[1]), 1e-9)
    share = min(RADIUS, length / 2) / length
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
