"""Where the pieces of a picture go: a compound layered layout of boxes in frames, in rows, with wires.

Pure: pieces with their sizes, the frames around them, and links in, places out; no graph, no text, no font.
Forward runs right: every piece stands in a column behind all that it needs. What is wider than the limit goes on
in a row below; what a closed scope hides is not placed at all. The rules are those of Sugiyama: ranks, order
in a column by barycentres, heights by pooling, so that a chain of operations runs level.
"""

import math
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, count, pairwise
from statistics import fmean
from typing import NamedTuple

from ..graph.nesting import common
from ..graph.snapshot import by_key

GAP, SEP, PAD, HEAD, LANE, CHIP, SHELF_LANE = 22, 20, 12, 34, 10, 16, 7
BEND = 40  # as bad as so many px of height: a wire that goes on in the next row
FEW_WIRES, WIRE_STEP = 2, 17  # into a box: up to so many have texts of two lines; of more, from one to the next
RADIUS = 8  # of the corners of a wire that goes around
Point = tuple[float, float]
Piece = tuple[Point, ...]  # of a path: where a straight line ends; of a curve its two control points before that
Line = list[Piece]
Pulls = list[tuple[int, float, float, float]]  # other spot, height of my port, of its port, weight


@dataclass
class Item:
    """A piece. A port is (how far inside the side where its wire arrives, height); those that are not
    given are spread around `cy`. `down`: slots whose wires leave below, and how far from the left. `lid`: how much of
    the width wires from above may use, if not all."""

    w: float
    h: float
    cy: float
    inlet: dict[str, Point] = field(default_factory=dict)  # slot -> where its wire arrives
    outlet: dict[str, Point] = field(default_factory=dict)  # net -> where its wires leave
    down: dict[str, Point] = field(default_factory=dict)
    free: bool = True  # whether ports may be spread: not those of a frame
    lid: float = 0
    rim: float = 0  # how far inside its sides loose ports stand


class Link(NamedTuple):
    """Data that runs from a piece to a slot of another, or its part inside one frame, which has no id; `room` is kept
    for a text at that slot."""

    id: str
    source: str
    net: str  # what the wires of one output share
    target: str
    slot: str
    room: float = 0


@dataclass
class Plan:
    """What is to be placed. `inside`: piece, in forward order -> the frames around it, the outermost first, which is
    "" for the whole picture; `box`: piece -> the closed scope that is drawn for it."""

    items: dict[str, Item]  # of pieces and of closed scopes
    inside: dict[str, list[str]]
    box: dict[str, str] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    shelf: dict[str, list[Link]] = field(default_factory=dict)  # leaf -> its uses
    again: dict[str, float] = field(default_factory=dict)  # what may be drawn again, small, and how wide
    loops: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # frame -> (net out, net in)
    silent: frozenset[str] = frozenset()  # pieces, and ops in them, at which no gradients meet


@dataclass
class Places:
    """Where everything is. `chips`: (piece that is drawn again, link, x, y, width)."""

    w: float = 0
    h: float = 0
    boxes: dict[str, Point] = field(default_factory=dict)
    frames: dict[str, tuple[float, float, float, float, int]] = field(default_factory=dict)  # and its depth
    wires: dict[str, Line] = field(default_factory=dict)
    tails: dict[str, Line] = field(default_factory=dict)  # the last part of those that enter a frame
    chips: list[tuple[str, str, float, float, float]] = field(default_factory=list)
    joins: list[tuple[str, float, float]] = field(default_factory=list)  # net, where its wires part
    loops: list[tuple[str, Line]] = field(default_factory=list)


@dataclass
class FrameContent:
    """What stands in one frame."""

    items: dict[str, None] = field(default_factory=dict)
    segs: dict[Link, None] = field(default_factory=dict)
    shelf: dict[str, list[Link]] = field(default_factory=dict)  # leaf -> its uses by items
    chips: dict[tuple[str, str], Link] = field(default_factory=dict)  # (item, slot) -> its source is drawn again there


def arrange(plan: Plan, limit: float = math.inf, margin: float = 0) -> Places:
    """Place everything within `limit` px and inside of a margin, as far as the widest piece allows it."""
    return Arrangement(plan).places(limit - 2 * margin, margin)


class Arrangement:
    """All scopes, the inner ones first: a frame that is laid out is a piece of the scope around it."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.scopes = plan, defaultdict[str, FrameContent](FrameContent)
        self.inside, self.box = plan.inside, {piece: plan.box.get(piece, piece) for piece in plan.inside}
        self.ways: dict[str, list[tuple[str, Link]]] = {}  # link -> its parts
        self.levels: dict[str, FrameLayout] = {}
        self.lift()

    # ---- pieces and links -> what stands in each frame

    def lift(self) -> None:
        """Every piece becomes the box that shows it; a link between scopes has a part in each frame."""
        for piece, frames in self.inside.items():
            for outer, inner in pairwise(frames):
                self.scopes[outer].items[inner] = None
            self.scopes[frames[-1]].items[self.box[piece]] = None
        for link in (k for k in self.plan.links if self.box[k.source] != self.box[k.target]):
            self.lead(link.id, [*self.parts(link)])
        for frame, loops in self.plan.loops.items():
            for net, _ in loops:
                self.carry(frame, net)
        for leaf, uses in self.plan.shelf.items():
            self.shelve(leaf, uses)

    def carry(self, loop: str, net: str) -> None:
        """What goes round a loop reaches its border also where nothing outside takes it."""
        source = net.partition(":")[0]
        frames = self.inside[source]
        here, key, way = self.box[source], net, []
        for frame in reversed(frames[frames.index(loop):] if loop in frames else ()):
            way.append((frame, Link("", here, key, f"out:{net}", net)))
            here, key = frame, f"out:{net}"
        if not all(seg in self.scopes[frame].segs for frame, seg in way):
            self.lead(f"loop:{loop}:{net}", way)

    def lead(self, link: str, way: list[tuple[str, Link]]) -> None:
        """Let a link take this way."""
        self.ways[link] = way
        for scope, seg in way:
            self.scopes[scope].segs[seg] = None

    def parts(self, link: Link) -> Iterable[tuple[str, Link]]:
        """Out of the frames around the source, into those around the target."""
        a, b = self.inside[link.source], self.inside[link.target]
        same = common([a, b])
        here, key, net = self.box[link.source], link.net, link.net
        for frame in reversed(a[same:]):
            yield frame, Link("", here, key, f"out:{net}", net)
            here, key = frame, f"out:{net}"
        for outer, inner in pairwise(b[same - 1:]):
            yield outer, Link("", here, key, inner, f"in:{net}")
            here, key = f"in:{net}", net
        target = self.box[link.target]
        yield b[-1], Link("", here, key, target, link.slot if target == link.target else net, link.room)

    def shelve(self, leaf: str, uses: list[Link]) -> None:
        """A leaf of several pieces stands below the scope that holds most of them; the others have it drawn again."""
        boxes = {(self.inside[use.target][-1], self.box[use.target],
                  use.slot if self.box[use.target] == use.target else leaf): use for use in uses}
        count = Counter(scope for scope, _, _ in boxes)
        home = max(count, key=lambda scope: (count[scope], -len(scope)))
        for (scope, box, slot), link in boxes.items():
            use = link._replace(target=box, slot=slot)
            if scope == home:
                self.scopes[scope].shelf.setdefault(leaf, []).append(use)
            else:
                self.scopes[scope].chips[box, slot] = use

    # ---- inner ones first

    def places(self, limit: float, margin: float) -> Places:
        """Lay out all scopes, then add up where they stand; what is too wide once more, in narrower rows and frames."""
        order, spare = [""], 0.0  # what lanes need more than was thought when rows were found
        for scope in order:  # grows: outer ones before those inside
            order += [i for i in self.scopes[scope].items if i in self.scopes]
        for beside in (3 * GAP, 4 * GAP, 6 * GAP):  # what a frame needs beside it
            self.lay_out(order, limit - spare, beside)
            if (over := self.levels[""].w - limit) <= 0:
                break
            spare += over + LANE
        return self.collect(order, margin)

    def lay_out(self, order: list[str], limit: float, beside: float) -> None:
        """Lay out the scopes, the inner ones first."""
        rooms = {"": limit}
        for scope in order:
            rooms |= {i: rooms[scope] - 2 * PAD - beside - 2 * around(len(self.plan.loops.get(i, ())))[0]
                      for i in self.scopes[scope].items if i in self.scopes}
        for scope in reversed(order):
            found = self.scopes[scope]
            items = {i: self.plan.items.get(i) or self.frame(i) for i in found.items}
            self.levels[scope] = FrameLayout(items, found, rooms[scope], self.plan)

    def frame(self, scope: str) -> Item:
        """A scope that is laid out, as a piece: its ports stand on its border."""
        level, loops = self.levels[scope], self.plan.loops.get(scope, ())
        side, up = around(len(loops))
        ins, outs = ({id: (side, y + 6 + up + HEAD) for id, (_, y) in level.at.items() if id.startswith(kind)}
                     for kind in ("in:", "out:"))
        return Item(level.w + 2 * (PAD + side), level.h + HEAD + PAD + up, 0, ins, outs, free=False)

    def collect(self, order: list[str], margin: float) -> Places:
        """Everything in its place on the whole picture."""
        top = self.levels[""]
        out = Places(top.w + 2 * margin, top.h + 1.3 * margin)
        origin = {"": (margin, margin, 0)}
        for scope in order:
            x, y, depth = origin[scope]
            level = self.levels[scope]
            for id, (left, up) in level.at.items():
                if id in self.levels:
                    self.put_frame(out, origin, id, (x + left, y + up), level.items[id], depth)
                elif id[:3] != "in:" and id[:4] != "out:":
                    out.boxes[id] = (x + left, y + up)
                    if id in self.plan.loops:
                        self.put_loops(out, id, out.boxes[id], level.items[id].w, level.outlet, level.inlet)
            out.chips += [(piece, link, a + x, b + y, w) for piece, link, a, b, w in level.chips]
            out.joins += [(net, a + x, b + y) for net, a, b in level.joins]
            out.wires |= {link: moved_line(line, x, y) for link, line in level.own_wires.items()}
        for link, parts in self.ways.items():
            lines = [moved_line(self.levels[scope].wires[seg], *origin[scope][:2]) for scope, seg in parts]
            out.wires[link], out.tails[link] = [piece for line in lines for piece in line], lines[-1]
        return out

    def put_frame(self, out: Places, origin: dict[str, tuple[float, float, int]], id: str, at: Point,
                  item: Item, depth: int) -> None:
        """A frame, its loops, and where its inside begins."""
        x, y = at
        side, up = around(len(self.plan.loops.get(id, ())))
        out.frames[id] = (x + side, y + up, item.w - 2 * side, item.h - up, depth)
        origin[id] = (x + side + PAD, y + up + HEAD, depth + 1)
        self.put_loops(out, id, at, item.w, {(id, net[4:]): port for net, port in item.outlet.items()},
                       {(id, net[3:]): port for net, port in item.inlet.items()})

    def put_loops(self, out: Places, id: str, at: Point, wide: float, outs: Mapping[tuple[str, str], Point],
                  ins: Mapping[tuple[str, str], Point]) -> None:
        """The wires that go round a loop: out of its right side, over its top, in at its left."""
        (x, y), loops = at, self.plan.loops.get(id, ())
        side, up = around(len(loops))
        for k, (net_out, net_in) in enumerate(loops):
            start, end = outs.get((id, net_out)), ins.get((id, net_in))
            if start and end:
                far = 12 + 8 * k
                a, b, top = (x + wide - side, y + start[1]), (x + side, y + end[1]), y + up - far - 4
                way = round_corners(a, (a[0] + far, a[1]), (a[0] + far, top), (b[0] - far, top), (b[0] - far, b[1]), b)
                out.loops.append((f"loop:{id}:{net_out}", way))


class FrameLayout:
    """The inside of one scope: columns, rows, order, heights, places, wires."""

    def __init__(self, items: dict[str, Item], scope: FrameContent, limit: float, plan: Plan) -> None:
        self.items, self.limit, self.plan = items, limit, plan
        self.segs = [*scope.segs]
        self.shelf = {leaf: list(uses) for leaf, uses in scope.shelf.items()}
        self.small = dict(scope.chips)
        self.dropped: dict[tuple[str, str], list[Link]] = {}
        for id in (id for seg in self.segs for id in (seg.source, seg.target)):
            self.items.setdefault(id, Item(0, 12, 6, free=False, inlet={id: (0, 6)}, outlet={id: (0, 6)}))
        self.own_wires: dict[str, Line] = {}  # of leaves and of what is drawn again, by link
        self.chips: list[tuple[str, str, float, float, float]] = []
        again = True
        while again:
            self.find_ports()
            self.rank_all()
            self.find_columns()
            self.find_rows()
            again = self.repeat_far_ones()
        self.find_spots()
        self.order()
        self.heights()
        self.find_lanes()
        self.place()
        self.place_leaves()
        self.wires = {s: self.wire(s) for s in self.way}
        self.draw_chips()
        self.find_joins()
        self.draw_shelf()

    # ---- ports

    def find_ports(self) -> None:
        """Where wires arrive and leave; what is drawn again stands left of the port that wants it."""
        self.ins: dict[str, list[Link]] = by_key(((seg.target, seg) for seg in self.segs), self.items)
        self.outs: dict[str, list[Link]] = by_key(((seg.source, seg) for seg in self.segs), self.items)
        self.inlet: dict[tuple[str, str], Point] = {}
        self.outlet: dict[tuple[str, str], Point] = {}
        self.left: dict[str, float] = {}  # by how much a piece is wider than it says, with what is drawn again,
        self.beyond: dict[str, float] = {}  # at its right,
        self.under: dict[str, float] = {}  # and higher
        self.far: dict[str, float] = {}  # how far from it they stand
        shared = dict.fromkeys((use.target, leaf) for leaf, uses in self.shelf.items() for use in uses)
        self.leaves: dict[str, list[str]] = by_key(shared, self.items)  # box -> the shared leaves that it uses
        for id, again in by_key(((use.target, use) for use in self.small.values()), self.items).items():
            item = self.items[id]
            slots = dict.fromkeys([*(s.slot for s in self.ins[id]), *(use.slot for use in again)])
            keys = dict.fromkeys([*(s.net for s in self.outs[id]), *(net for net, _ in self.plan.loops.get(id, ()))])
            step = min(22 if len(slots) <= FEW_WIRES else WIRE_STEP, (item.h - 24) / max(1, len(slots) - 1))
            middle = max(item.cy, item.cy - 14 + (len(slots) - 1) / 2 * step)  # none above the box
            self.spread(self.inlet, id, item.inlet, [*slots], middle, step)
            step = min(16, 2 * (item.cy - 12) / max(1, len(keys) - 1))
            self.spread(self.outlet, id, item.outlet, [*keys], item.cy, step)
            beside = [(self.plan.again[use.source], use.room) for use in again if use.slot not in item.down]
            low = sorted((item.down[use.slot][0], self.plan.again[use.source] - 7) for use in again
                         if use.slot in item.down)
            texts = [room for _, room in beside] + [seg.room for seg in self.ins[id]]
            self.far[id] = max(12, *texts) + 10 if beside else 0
            self.left[id] = max([0, *(w + self.far[id] + 8 for w, _ in beside), *(w - x for x, w in low[::2])])
            self.beyond[id] = max([0, *(x + w - item.w for x, w in low[1::2])])
            self.under[id] = 10 + (CHIP + 4) * ((len(low) + 1) // 2) if low else 0
            if item.free and not item.inlet and not item.down:  # texts below a box: at its lowest port, at leaves
                leaves, last = self.leaves[id], [*slots][-1] if slots else ""
                over = self.inlet[id, last][1] + 36 - item.h if len(slots) == FEW_WIRES else 0
                self.under[id] = max(self.under[id], over, 20 + 5 * len(leaves) if leaves else 0)

    def spread(self, ports: dict[tuple[str, str], Point], id: str, given: Mapping[str, Point],
               keys: list[str], middle: float, step: float) -> None:
        """Ports that nobody placed stand around the middle, in the order in which they are named."""
        loose = [key for key in keys if key not in given] if self.items[id].free else []
        ports |= {(id, k): given[k] if k in given else next(iter(given.values())) for k in keys if k not in loose}
        ports |= {(id, key): (self.items[id].rim, middle + (n - (len(loose) - 1) / 2) * step)
                  for n, key in enumerate(loose)}

    # ---- columns

    def rank_all(self) -> None:
        """The longest way from a start; what has no inputs stands right before what needs it."""
        ids, waiting = [i for i in self.items if i not in self.shelf], {i: len(segs) for i, segs in self.ins.items()}
        low = int(any(id.startswith("in:") for id in ids))
        self.rank = {id: 0 if id.startswith("in:") else low for id in ids}
        ready = [id for id in ids if not waiting[id]]
        for id in ready:  # grows
            for seg in self.outs[id]:
                self.rank[seg.target] = max(self.rank[seg.target], self.rank[id] + 1)
                waiting[seg.target] -= 1
                if not waiting[seg.target]:
                    ready.append(seg.target)
        if len(ready) < len(ids):
            raise ValueError(f"boxes that need each other: {next(id for id in ids if waiting[id])}")
        for id in reversed(ready):
            if self.outs[id] and id[:3] != "in:" and all(seg.source[:3] == "in:" for seg in self.ins[id]):
                self.rank[id] = max(low, min(self.rank[seg.target] for seg in self.outs[id]) - 1)
        top = max((r for id, r in self.rank.items() if id[:4] != "out:"), default=0)
        self.rank |= {id: top + 1 for id in ids if id[:4] == "out:"}

    def find_columns(self) -> None:
        """How wide each column is, the gap before it, and how many nets cross there."""
        count = max(self.rank.values(), default=0) + 1
        self.wide, self.gap, self.lanes = [0.0] * count, [14.0] * count, [0] * count
        self.room, self.tall = [0.0] * count, [0.0] * count  # for texts at the ports of a column; its height
        for id, r in self.rank.items():
            self.tall[r] += self.items[id].h + self.under[id] + SEP
            self.wide[r] = max(self.wide[r], self.items[id].w + self.left[id] + self.beyond[id])
        reach: dict[tuple[str, str], int] = {}
        fan = Counter((s.source, s.net) for s in self.segs)
        for s in self.segs:
            r = self.rank[s.target]
            inside = s.source[:3] != "in:" and s.target[:4] != "out:"
            bends = GAP * (2 if fan[s.source, s.net] > 1 else 1) if inside else 16
            self.room[r] = max(self.room[r], 0 if self.far[s.target] else s.room)
            self.gap[r] = max(self.gap[r], bends)
            for c in range(self.rank[s.source] + 1, r):
                self.gap[c] = max(self.gap[c], 24)
            reach[s.source, s.net] = max(reach.get((s.source, s.net), 0), r)
        for uses in self.shelf.values():
            for use in uses:
                c = self.rank[use.target]
                self.lanes[c] += 1
                self.room[c] = max(self.room[c], 0 if use.slot in self.items[use.target].down else use.room)
        least = [room + (22 if g >= 2 * GAP else 14) if room else 14 if g == GAP else g  # 22: with a plus
                 for g, room in zip(self.gap, self.room, strict=True)]
        self.spare = [max(0, g - less) for g, less in zip(self.gap, least, strict=True)]
        self.gap = [max(g, less) + SHELF_LANE * n for g, less, n in zip(self.gap, least, self.lanes, strict=True)]
        self.crossing = Counter(c for (id, _), r in reach.items() for c in range(self.rank[id] + 1, r + 1))

    def find_rows(self) -> None:
        """Break into rows that are low together, where few wires cross, about equally long (dynamic programming)."""
        count, limit = len(self.wide), self.limit
        over, most = self.before(0) + sum(self.wide) + sum(self.gap[1:]) - limit, sum(self.spare[1:])
        if 0 < over <= most:  # a little closer together, all fit into one row
            self.gap = [gap - over / most * spare for gap, spare in zip(self.gap, self.spare, strict=True)]
            limit += 0.01
        ends = [*accumulate(map(sum, zip(self.wide, [0.0, *self.gap[1:]], strict=False)))]
        start = [end - wide for end, wide in zip(ends, self.wide, strict=True)]
        self.rows = [(0, count)]
        if self.before(0) + ends[-1] > limit:
            cost, back = [0.0] + [math.inf] * count, [0] * (count + 1)
            for k in range(1, count + 1):
                tall = 0.0
                for j in range(k - 1, -1, -1):
                    tall = max(tall, self.tall[j])
                    long = ends[k - 1] - start[j] + self.before(j) + (14 + LANE * self.crossing[k] if k < count else 0)
                    if long > limit and cost[k] < math.inf:
                        break
                    if self.wide[j] or not j:
                        price = cost[j] + tall + self.price(j, long) + 9 * max(0, long - limit)
                        if price < cost[k]:
                            cost[k], back[k] = price, j
            self.rows, k = [], count
            while k:
                self.rows.insert(0, (back[k], k))
                k = back[k]
        self.row = [r for r, (a, b) in enumerate(self.rows) for _ in range(a, b)]

    def before(self, c: int) -> float:
        """What a row needs in front of its first column."""
        return self.gap[c] + LANE * self.crossing[c] if c else SHELF_LANE * self.lanes[0] + self.room[0]

    def price(self, j: int, long: float) -> float:
        """How bad a row is that begins with column `j`, beside its height: a break costs, more for each wire that it
        bends."""
        at_break = 22 + BEND * self.crossing[j] if j else 0
        return 250 * ((self.limit - long) / max(self.limit, 1)) ** 2 + at_break + (200 if long < 260 else 0)

    def repeat_far_ones(self) -> bool:
        """Inputs and leaves that another row uses are drawn again there, as far as it has room; whether there were
        any."""
        far = dict.fromkeys(s for s in self.segs if s.source in self.plan.again
                            and self.row[self.rank[s.source]] != self.row[self.rank[s.target]]
                            and self.items[s.target].w + self.plan.again[s.source] + 100 < self.limit)
        for s in far:
            self.small.setdefault((s.target, s.slot), s)
            self.dropped.setdefault((s.target, s.slot), []).append(s)
        self.segs = [s for s in self.segs if s not in far]
        for id in {s.source for s in far} - {s.source for s in self.segs}:
            del self.items[id]
        away = False
        for uses in self.shelf.values():
            count = Counter(self.row[self.rank[use.target]] for use in uses)
            home = max(count, key=lambda row: (count[row], row))
            for use in [use for use in uses if self.row[self.rank[use.target]] != home]:
                uses.remove(use)
                self.small[use.target, use.slot] = use
                away = True
        return bool(far) or away

    # ---- spots: pieces, and the places where a net passes a column

    def find_spots(self) -> None:
        """Chains of spots for long nets, however many targets they have, and who is linked to whom. Rows between are
        passed at the left."""
        self.spots = [id for id in self.items if id in self.rank]
        self.col = [self.rank[id] for id in self.spots]
        number = {id: n for n, id in enumerate(self.spots)}
        chains: dict[tuple[str, str, int], list[int]] = {}
        links: dict[tuple[int, int], tuple[float, float, float]] = {}
        self.way: dict[Link, list[int]] = {}
        for s in self.segs:
            way, start, end = [number[s.source]], self.rank[s.source] + 1, self.rank[s.target]
            rows = self.row[start - 1], self.row[end]
            for row in dict.fromkeys(rows):
                first, stop = (start if row == rows[0] else self.rows[row][0]), min(end, self.rows[row][1])
                chain = chains.setdefault((s.source, s.net, row), [])
                while len(chain) < stop - first:
                    self.col.append(first + len(chain))
                    chain.append(len(self.col) - 1)
                way += chain[:stop - first]
            self.way[s], steps = [*way, number[s.target]], len(way) - 1
            for n, (a, b) in enumerate(pairwise(self.way[s])):
                ya = self.outlet[s.source, s.net][1] if n == 0 else 5
                yb = self.inlet[s.target, s.slot][1] if n == steps else 5
                weight = 8 if 0 < n < steps else 0.05 if steps else 4
                if self.col[b] == self.col[a] + 1:
                    links.setdefault((a, b), (ya, yb, weight))
        self.near: tuple[list[Pulls], list[Pulls]] = ([[] for _ in self.col], [[] for _ in self.col])
        for (a, b), (ya, yb, weight) in links.items():
            self.near[0][b].append((a, yb, ya, weight))
            self.near[1][a].append((b, ya, yb, weight))
        self.columns: list[list[int]] = [*by_key(zip(self.col, count()), range(len(self.wide))).values()]

    def high(self, spot: int) -> float:
        """How much height a spot takes."""
        return self.items[self.spots[spot]].h + self.under[self.spots[spot]] if spot < len(self.spots) else 10

    def order(self) -> None:
        """Barycentres there and back; the order with the fewest crossings wins."""
        place = {spot: n for column in self.columns for n, spot in enumerate(column)}
        best, fewest = [list(c) for c in self.columns], math.inf
        for sweep in range(9):
            found = self.crossings(place)
            if found < fewest:
                best, fewest = [list(c) for c in self.columns], found
            if not found or sweep == 8:
                break
            near = self.near[sweep % 2]
            for column in reversed(self.columns) if sweep % 2 else self.columns:
                means = {spot: fmean(place[other] + y / 1e3 for other, _, y, _ in near[spot]) if near[spot]
                         else place[spot] for spot in column}
                column.sort(key=means.__getitem__)
                place |= {spot: n for n, spot in enumerate(column)}
        self.columns = best

    def crossings(self, place: Mapping[int, int]) -> int:
        """How many pairs of wires cross between neighbouring columns."""
        wires = (sorted((place[a], ya, place[b], yb) for a in column for b, ya, yb, _ in self.near[1][a])
                 for column in self.columns)
        return sum(inversions([ends[2:] for ends in several]) for several in wires)

    def heights(self) -> None:
        """Level with the neighbours as far as the pieces leave room; a chain pulls hardest."""
        self.y = {spot: y for column in self.columns for spot, y in zip(
            column, accumulate([0.0, *(self.high(s) + SEP for s in column)]), strict=False)}
        before: dict[int, float] = {}
        for sweep in range(9):
            for column in reversed(self.columns) if sweep % 2 else self.columns:
                self.level_column(column, sweep % 2)
            if sweep % 2 == 0 and before == (before := dict(self.y)):  # the way back and there again moved nothing
                break

    def level_column(self, column: list[int], side: int) -> None:
        """The heights of one column that are nearest to those that its neighbours on one side want; what has none in
        its row goes along with the piece above it."""
        wanted, weights = list[float](), list[float]()
        gaps = [self.high(a) + (8 if min(a, b) >= len(self.spots) else SEP) for a, b in pairwise(column)]
        for spot, gap in zip(column, [0.0, *gaps], strict=True):
            pulls, others = ([p for p in near[spot] if self.row[self.col[p[0]]] == self.row[self.col[spot]]]
                             for near in (self.near[side], self.near[1 - side]))
            total = sum(p[3] for p in pulls)
            here = self.y[spot] if others or not wanted else wanted[-1] + gap
            wanted.append(sum((self.y[b] + yb - ya) * w for b, ya, yb, w in pulls) / total if total else here)
            weights.append(total or 0.1)
        self.y |= zip(column, separate(wanted, weights, gaps), strict=True)

    def find_lanes(self) -> None:
        """How far out each net runs that leaves its row: behind and below it among those that leave there, at the left
        among all that pass; what goes furthest is outermost there."""
        leaving: dict[int, dict[tuple[str, str], tuple[float, float]]] = {r: {} for r in range(len(self.rows))}
        for s, way in self.way.items():
            row, last = self.row[self.rank[s.source]], self.row[self.rank[s.target]]
            if row != last:
                n = max(n for n, spot in enumerate(way) if self.row[self.col[spot]] == row)
                before = leaving[row].get((s.source, s.net), (0, 0))
                leaving[row][s.source, s.net] = max(before[0], last), self.start_height(s, way[n], n)
        self.track: dict[tuple[str, str], tuple[int, int]] = {}
        self.leaving, passing = [len(leaving[r]) for r in range(len(self.rows))], dict[int, float]()
        self.lanes_left, self.lanes_by = [0] * len(self.rows), [0] * len(self.rows)  # at a row, and past all of it
        for r in range(len(self.rows)):
            passing = {k: last for k, last in passing.items() if last > r}
            free = (k for k in count() if k not in passing)
            for n, net in enumerate(sorted(leaving[r], key=lambda net: leaving[r][net], reverse=True)):
                self.track[net] = n, (k := next(free))
                for row in range(r + 1, int(leaving[r][net][0]) + 1):
                    self.lanes_left[row] = max(self.lanes_left[row], k + 1)
                    self.lanes_by[row] = max(self.lanes_by[row], k + 1 if row < leaving[r][net][0] else 0)
            passing |= {self.track[net][1]: leaving[r][net][0] for net in leaving[r]}

    # ---- places

    def place(self) -> None:
        """Columns get their x, rows their y; leaves that a row shares stand below it."""
        self.x, self.right = [0.0] * len(self.wide), [0.0] * len(self.wide)
        self.row_end, self.row_low, self.w, y = [], [], 0.0, 0.0
        leaves = ((self.row[self.rank[uses[0].target]], leaf) for leaf, uses in self.shelf.items() if uses)
        self.leaf_rows: list[list[str]] = [*by_key(leaves, range(len(self.rows))).values()]
        for r, (a, b) in enumerate(self.rows):
            x = self.gap[a] + LANE * self.lanes_left[r] if a else self.before(0)
            for c in range(a, b):
                x += self.gap[c] if c > a else 0
                self.x[c], self.right[c] = x, x + self.wide[c]
                x += self.wide[c]
            self.row_end.append(x)
            self.w = max(self.w, x + self.behind(r))
            mine = [spot for column in self.columns[a:b] for spot in column]
            up = y - min((self.y[s] for s in mine), default=0)
            self.y |= {spot: self.y[spot] + up for spot in mine}
            self.row_low.append(max((self.y[s] + self.high(s) for s in mine), default=y) + self.shelf_height(r))
            y = self.row_low[-1] + 12 + LANE * max(1, self.leaving[r])
        self.h = self.row_low[-1]
        self.at: dict[str, Point] = {}
        for n, id in enumerate(self.spots):
            c, item = self.rank[id], self.items[id]
            x = self.x[c] + (self.wide[c] - item.w - self.left[id] - self.beyond[id]) / 2 + self.left[id]
            self.at[id] = (0.0 if id[:3] == "in:" else self.w if id[:4] == "out:" else x, self.y[n])

    def behind(self, row: int) -> float:
        """What a row needs behind its last column."""
        return 14 + LANE * self.leaving[row] if row < len(self.rows) - 1 else 0

    def place_leaves(self) -> None:
        """The leaves of each row below the middle of their uses; a row is as long as they are."""
        self.pass_by: dict[str, float] = {}  # leaf of a lower line -> right of the lines above
        for r in range(len(self.rows)):
            top, right = self.row_low[r] - self.shelf_height(r), 0.0
            least = self.least(r)
            for n, leaves in enumerate(self.leaf_lines(r)):
                middle = {leaf: fmean(self.exit(use)[0] for use in self.shelf[leaf]) for leaf in leaves}
                leaves.sort(key=middle.__getitem__)
                wide = [self.plan.items[leaf].w for leaf in leaves]
                starts = [0, *accumulate(w + 24 for w in wide)]
                xs = separate([max(least, middle[leaf] - w / 2) for leaf, w in zip(leaves, wide, strict=True)],
                              [1.0] * len(leaves), [w + 24 for w in wide[:-1]])
                most = self.leaf_end(r) + 24 - starts[-1]  # none beyond the limit
                xs = [min(x, most + start) for x, start in zip(xs, starts, strict=False)]
                top += self.above(r, n)
                for leaf, x in zip(leaves, xs, strict=True):
                    self.at[leaf] = (x + max(0, least - min(xs)), top)
                    if n:
                        self.pass_by[leaf], right = right + 12, right + LANE * len(self.shelf[leaf])
                right = max(right, *(self.at[leaf][0] + w for leaf, w in zip(leaves, wide, strict=True)))
                top += max(self.plan.items[leaf].h for leaf in leaves)
            self.row_end[r] = max(self.row_end[r], right)
            self.w = max(self.w, self.row_end[r] + self.behind(r))

    def leaf_lines(self, row: int) -> list[list[str]]:
        """The leaves of a row, beside each other as far as there is room; what is too wide goes on below."""
        lines, wide = list[list[str]](), {leaf: self.plan.items[leaf].w + 24 for leaf in self.leaf_rows[row]}
        whole, room = self.leaf_end(row) - self.least(row) + 24, 0.0
        for leaf in wide:
            lines += [[]] if room < wide[leaf] else []
            room = (whole if room < wide[leaf] else room) - wide[leaf]
            lines[-1].append(leaf)
        return lines

    def leaf_end(self, row: int) -> float:
        """How far right the leaves of a row may reach; wires to lower lines go past them."""
        end, wide = self.limit - self.behind(row), sum(self.plan.items[leaf].w + 24 for leaf in self.leaf_rows[row])
        passing = 12 + LANE * sum(len(self.shelf[leaf]) for leaf in self.leaf_rows[row])
        return end - passing if self.least(row) + wide - 24 > end else end

    def least(self, row: int) -> float:
        """How far right leaves stand, for wires that pass."""
        return 6 + LANE * self.lanes_by[row] if self.lanes_by[row] else 0

    def above(self, row: int, line: int) -> float:
        """What a line of leaves needs above it for its wires, the first for those to lower ones too."""
        lines = self.leaf_lines(row)[line:line + 1 if line else None]
        return 30 + LANE * sum(len(self.shelf[leaf]) for leaves in lines for leaf in leaves)

    def shelf_height(self, row: int) -> float:
        """What the leaves of a row need below it."""
        return sum(self.above(row, n) + max(self.plan.items[leaf].h for leaf in leaves)
                   for n, leaves in enumerate(self.leaf_lines(row)))

    # ---- wires

    def start_height(self, s: Link, spot: int, n: int) -> float:
        """How high a net runs behind a spot."""
        return self.y[spot] + (self.outlet[s.source, s.net][1] if n == 0 else 5)

    def wire(self, s: Link) -> Line:
        """From the port of the source to the port of the target: one soft curve in each gap, round corners from row to
        row."""
        way, item = self.way[s], self.items[s.source]
        x, y = self.at[s.source][0] + item.w - self.outlet[s.source, s.net][0], self.start_height(s, way[0], 0)
        line: Line = [((x, y),)]
        for n, (a, b) in enumerate(pairwise(way)):
            ca, cb, last = self.col[a], self.col[b], n == len(way) - 2
            inset, ty = self.inlet[s.target, s.slot] if last else (0, 5)
            tx, ty = self.at[s.target][0] + inset if last else self.x[cb], self.y[b] + ty
            if self.row[ca] != self.row[cb]:
                k, left = self.track[s.source, s.net]
                out, low = self.row_end[self.row[ca]] + 12 + LANE * k, self.row_low[self.row[ca]] + 10 + LANE * k
                back = 4 + LANE * left
                line += round_corners((x, y), (out, y), (out, low), (back, low), (back, ty), (tx, ty))[1:]
            else:
                line += bend((x, y), (max(x, self.right[ca]), y), (min(self.x[cb] - self.room[cb], tx), ty), (tx, ty))
            if not last:
                x, y = self.right[cb], ty
                line.append(((x, y),))
        return line

    def draw_chips(self) -> None:
        """What is drawn again, beside the port that wants it or below, away from the next one; of close ports further
        away."""
        taken: dict[str, list[Point]] = {}
        below: Counter[str] = Counter()
        for link, piece, _, box, slot, _ in sorted(
                self.small.values(), key=lambda use: self.items[use.target].down.get(use.slot, (0, 0))):
            wide, (left, top) = self.plan.again[piece], self.at[box]
            if slot in self.items[box].down:
                dx, dy = self.items[box].down[slot]
                turn, below[box] = below[box], below[box] + 1
                x = left + dx - (7 if turn % 2 else wide - 7)
                y = top + self.items[box].h + 6 + (CHIP + 4) * (turn // 2) + CHIP / 2
                line: Line = [((left + dx, y - CHIP / 2),), ((left + dx, top + dy),)]
            else:
                inset, dy = self.inlet[box, slot]
                y, others = top + dy, taken.setdefault(box, [])
                right = min([left - self.far[box], *(edge - 6 for other, edge in others if abs(other - y) <= CHIP)])
                x = right - wide
                others.append((y, x))
                line = [((right, y),), ((left + inset, y),)]
            self.wires |= dict.fromkeys(self.dropped.get((box, slot), ()), line)
            if link:
                self.own_wires[link] = line
            self.chips.append((piece, link or f"{box}:{slot}", x, y, wide))

    def find_joins(self) -> None:
        """Where the wires of one net part, which is where its gradients add up."""
        seen: dict[tuple[str, str, int, float], set[tuple[int, float]]] = {}
        for s, way in self.way.items():
            op = s.net.removeprefix("out:").partition(":")[0]
            for n, (a, b) in enumerate(pairwise(() if {s.source, op, s.target} & self.plan.silent else way)):
                end = self.inlet[s.target, s.slot][1] if n == len(way) - 2 else 5
                seen.setdefault((s.source, s.net, a, self.start_height(s, a, n)), set()).add((b, end))
        self.joins = [(net, self.right[self.col[spot]] + 12, y) for (id, net, spot, y), ends in seen.items()
                      if len(ends) > 1 and id[:3] != "in:"]

    # ---- the shelf

    def draw_shelf(self) -> None:
        """The wires to shared leaves below their row; each use has its own, with its lane and port."""
        for row in range(len(self.rows)):
            lane, exits = self.row_low[row] - self.shelf_height(row) + 16, Counter[int]()
            for leaf in (leaf for line in self.leaf_lines(row) for leaf in sorted(line, key=self.at.__getitem__)):
                (x, top), wide = self.at[leaf], self.plan.items[leaf].lid or self.plan.items[leaf].w
                uses = sorted(self.shelf[leaf], key=self.exit)
                for j, use in enumerate(uses):
                    lx = x + wide * 0.85 * (j + 1) / (len(uses) + 1)
                    turn = j if self.exit(use)[0] > lx else len(uses) - 1 - j
                    self.own_wires[use.id] = self.leaf_wire(use, (lane + LANE * turn, turn), (lx, top), exits)
                lane += LANE * len(uses)

    def exit(self, use: Link) -> Point:
        """Where the wire of a use leaves its box: below, or left and down the gap before its column."""
        (x, y), item = self.at[use.target], self.items[use.target]
        if port := item.down.get(use.slot) or item.inlet.get(use.slot):
            return x + port[0], y + port[1]
        mine = self.leaves[use.target]
        turn, wide = mine.index(use.slot) if use.slot in mine else 0, item.w - 2 * item.rim  # of the box alone
        return x + item.rim + wide * ((turn + 0.8) / len(mine) if len(mine) > 1 else 0.5), y + item.h

    def leaf_wire(self, use: Link, way: tuple[float, int], end: Point, exits: Counter[int]) -> Line:
        """From a piece down to the leaf, in the lane of its turn; to a lower line past the right of those above."""
        (x, y), (lane, turn), (lx, top) = self.exit(use), way, end
        c, low = self.rank[use.target], self.at[use.target][1] + self.items[use.target].h
        lowest = self.columns[c][-1] == self.spots.index(use.target)
        sideways = use.slot in self.items[use.target].inlet and use.slot not in self.items[use.target].down
        points = [(x, y)]
        if sideways or not lowest:
            gx = self.x[c] - self.room[c] - 4 - SHELF_LANE * exits[c]
            exits[c] += 1
            mine = self.leaves[use.target]
            below = low + (20 + 5 * mine.index(use.slot) if use.slot in mine else 6)
            points += [(gx, y)] if sideways else [(x, below), (gx, below)]
            x = gx
        if (right := self.pass_by.get(use.source)) is not None:
            gx, low = right + LANE * turn, top - 14 - LANE * turn
            return round_corners(*points, (x, lane), (gx, lane), (gx, low), (lx, low), (lx, top))
        return round_corners(*points, (x, lane), (lx, lane), (lx, top))


# ---- small tools


def around(loops: int) -> Point:
    """What wires that go round need at each side of a frame or box, and above it."""
    return (12.0 + 8 * loops, 30.0 + 8 * loops) if loops else (0.0, 0.0)


def separate(wanted: list[float], weights: list[float], gaps: list[float]) -> list[float]:
    """The heights nearest to the wanted ones that keep the gaps (pool adjacent violators)."""
    offsets = [0, *accumulate(gaps)]
    pools: list[list[float]] = []  # weighted sum, weight, count
    for y, w, offset in zip(wanted, weights, offsets, strict=False):
        pools.append([(y - offset) * w, w, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            pools[-2:] = [[a + b for a, b in zip(*pools[-2:], strict=True)]]
    means = [s / w for s, w, count in pools for _ in range(int(count))]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def inversions(ends: list[tuple[float, ...]]) -> int:
    """How many pairs stand in the wrong order."""
    before, total = list[tuple[float, ...]](), 0
    for end in ends:
        total += len(before) - bisect_right(before, end)
        insort(before, end)
    return total


def bend(start: Point, a: Point, b: Point, end: Point) -> Line:
    """Level up to `a`, a soft curve to `b`, level on to `end`."""
    if abs(a[1] - b[1]) < 0.5 or b[0] <= a[0]:
        return [(end,)] if abs(a[1] - b[1]) < 0.5 else [curve(start, end)]
    return [*([(a,)] if a != start else []), curve(a, b), *([(end,)] if end != b else [])]


def curve(a: Point, b: Point) -> Piece:
    """A level start and a level end, whatever lies between."""
    bend = (b[0] - a[0]) / 2
    return (a[0] + bend, a[1]), (b[0] - bend, b[1]), b


def moved_line(line: Line, dx: float, dy: float) -> Line:
    """The same line somewhere else."""
    return [tuple((x + dx, y + dy) for x, y in piece) for piece in line]


def backwards(pieces: Line) -> Line:
    """The same line drawn from its other end."""
    return [pieces[-1][-1:], *((*piece[-2::-1], before[-1]) for before, piece in reversed(list(pairwise(pieces))))]


def round_corners(*points: Point) -> Line:
    """A line of level and upright pieces, its corners softened."""
    out: Line = []
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        start, end = towards(here, before), towards(here, after)
        out += [(start,), (here, here, end)]
    return [points[:1], *out, points[-1:]]


def towards(a: Point, b: Point) -> Point:
    """The point from which a corner at `a` is rounded, on the way to `b`."""
    length = max(abs(b[0] - a[0]), abs(b[1] - a[1]), 1e-9)
    share = min(RADIUS, length / 2) / length
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
