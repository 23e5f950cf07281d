"""From a graph to a picture's places: blocks are measured, laid out, and put where they belong.

The layout does not depend on the view: a node keeps its place in record, forward and backward.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf

from ..graph.nesting import common
from ..graph.snapshot import Edge, NodeRecord, by_key, reachable
from . import words
from .blocks import Block, Box, Builder, TextPlace
from .layout import CHIP, PAD, Line, Link, Places, Plan, Point, arrange, backwards
from .levels import FEW_BOXES, Fold
from .theme import width

WIDEST_PICTURE, HIGHEST_PICTURE, MARGIN = 848, 616, 20  # the second for what is folded, without title and legend
SHOW_ALL = frozenset({"values", "grads", "saved", "hooks", "cards"})


@dataclass
class Layout:
    """Absolute places. Boxes by id, texts by slot, paths by edge id (`n3:0`)."""

    fold: Fold
    width: float = 0
    height: float = 0
    boxes: dict[str, Box] = field(default_factory=dict)
    frames: dict[str, tuple[Box, int]] = field(default_factory=dict)  # with their depth
    slots: dict[str, TextPlace] = field(default_factory=dict)
    ports: dict[str, Point] = field(default_factory=dict)
    entries: dict[str, Point] = field(default_factory=dict)
    back: dict[str, Line] = field(default_factory=dict)  # from the node to its next_function
    data: dict[str, Line] = field(default_factory=dict)  # from the input to the op
    refs: dict[str, str] = field(default_factory=dict)  # edge id -> leaf or constant drawn again there
    joins: list[tuple[str, float, float]] = field(default_factory=list)
    loops: list[tuple[str, Line]] = field(default_factory=list)
    labels: dict[str, words.BoxLabel] = field(default_factory=dict)  # of closed scopes


def lay_out(fold: Fold, show: frozenset[str] = SHOW_ALL, values: Mapping[str, str] | None = None,
            lang: str | None = None, widest: float = WIDEST_PICTURE, most: float = inf) -> Layout:
    """Place everything. `values` (slot -> widest text) reserves room that the player will need; beyond `widest` px
    the picture goes on in a row below, unless narrow boxes keep it lower. What is surely higher than `most` is not
    placed."""
    def made(**how: bool) -> Layout:
        same = copy(fold) if how else fold  # with all that it has worked out
        vars(same).update(how)
        return Composer(Builder(same, show, values or {}, lang)).layout(widest, most)

    found = made()
    if not fold.compact and found.height > HIGHEST_PICTURE and any(len(two) == 2 for two in fold.chips_of.values()):
        found = made(compact=True)
    narrow = fold.chips and fold.shown <= FEW_BOXES
    return min(found, made(compact=found.fold.compact, stacked=True), key=lambda one: one.height) if narrow else found


class Composer:
    """Turns blocks into a plan for the layout, and its answer into absolute places."""

    def __init__(self, builder: Builder) -> None:
        self.graph, self.builder, self.fold = builder.graph, builder, builder.fold
        self.blocks = builder.blocks()
        self.out = Layout(self.fold, labels=builder.labels)

    def layout(self, widest: float, most: float) -> Layout:
        """Everything in its place, with all wires."""
        plan, out = self.plan(), self.out
        if sum(piece.w * piece.h for piece in plan.items.values()) > most * 2 * widest:  # twice, for one that is wider
            return replace(out, height=inf)
        places = arrange(plan, widest, MARGIN)
        for id, (x, y) in places.boxes.items():
            self.put(self.blocks[id], x, y)
        out.frames = {id: (Box(*box), depth) for id, (*box, depth) in places.frames.items()}
        out.width, out.height, out.joins, out.loops = places.w, places.h, places.joins, places.loops
        self.wires(places)
        return out

    # ---- the plan

    def plan(self) -> Plan:
        """Pieces, links and scopes."""
        fold, graph, homes = self.fold, self.graph, self.homes()
        plan = Plan({id: block.item() for id, block in self.blocks.items()},
                    {id: ["", *(s for s in graph.chains[home][::-1] if s in fold.frames)] for id, home in homes},
                    {id: fold.hidden[home] for id, home in homes if home in fold.hidden})
        for id, (n, e) in graph.edges.items():
            self.link(plan, id, n, e)
        self.result_links(plan)
        self.cut_links(plan)
        constants = (t.id for t in graph.tensors if t.kind == "constant")
        plan.silent = fold.apart.union((c.id for c in graph.cuts), constants)
        plan.loops = {id: list(roll.loops) for id, roll in fold.rolls.items()}
        cards = graph.tensors_by_id.keys() - {cut.tensor for cut in graph.cuts}
        small = [id for id in [*plan.shelf, *plan.inside] if self.shelved(id) or id in cards]
        known = ((id, graph.tensors_by_id.get(id) or graph.tensor(graph.node(id).leaf)) for id in small)
        plan.again = {id: width(words.again_label(t), bold=True) + 20 for id, t in known if t.kind != "nonleaf"}
        return plan

    def homes(self) -> list[tuple[str, str]]:
        """Pieces, tensors first and what takes something behind it, and the scopes in which they stand."""
        fold, graph = self.fold, self.graph
        homes = {n.id: fold.home.get(n.id, "") for n in reversed(graph.ops)}
        inputs = {e.node or e.tensor: n.id for n in graph.ops for e in n.edges}
        for id in self.blocks:
            if id not in homes and id not in fold.scopes and not self.shelved(id):
                user = inputs.get(id, "")
                homes[id] = self.home_of(id, user) if id in graph.nodes_by_id and id not in fold.starts else ""
        around = dict[str, list[str]]()
        for cut in (c for c in graph.cuts if not c.ran):  # the way there and back leaves no frame, to the nearest
            onward = graph.onward[cut.id]  # of what takes it
            ops = (cut.node or "", *self.builder.ends(*onward))
            ends = [graph.chains[fold.home.get(op, "")][::-1] for op in ops]
            home = ends[0][:max((common([ends[0], end]) for end in ends[1:]), default=0)]
            for id in (id for one in onward for id in (one.id, one.tensor) if id in homes):
                around[id] = home[:common([home, around.get(id, home)])]  # what comes of several cuts
        homes |= {id: ["", *home][-1] for id, home in around.items()}
        return sorted(homes.items(), key=lambda entry: entry[0][0] != "t")

    def home_of(self, id: str, op: str) -> str:
        """The scope that a leaf belongs to that one op uses: beside its box where that is closed; outside of modules
        what is none of their parameters."""
        fold, box = self.fold, self.fold.box.get(op)
        home = fold.scopes[box].parent if box else fold.home.get(op, "")
        owners = [s for s in fold.graph.chains[home] if fold.scopes[s].kind == "module"]
        return fold.scopes[owners[-1]].parent if owners and self.graph.node(id).leaf not in fold.params else home

    def shelved(self, id: str) -> bool:
        """Whether a block stands on a shelf."""
        return id in self.graph.nodes_by_id and id in self.blocks and self.builder.on_shelf(id)

    def link(self, plan: Plan, id: str, n: NodeRecord, e: Edge) -> None:
        """The link of one edge, unless it is drawn inside a block, or hidden by a box."""
        source, box, block = e.node or e.tensor or "", self.fold.box, self.blocks.get(n.id)
        hidden = n.id in box and self.fold.wires.get(id) != id
        if hidden or (block and e.slot in block.hangs) or not (source in self.blocks or source in box):
            return
        net, slot = f"{source}:{e.nr if e.node else 0}", f"edge:{id}"
        room = self.builder.rooms.get(slot, 0)
        if n.id in box and (wide := self.builder.norm_width(slot)):
            room = wide + 6 + self.blocks[box[n.id]].rim
        links = plan.shelf.setdefault(source, []) if self.shelved(source) else plan.links
        links.append(Link(id, source, net, n.id, str(e.slot), room))

    def cut_links(self, plan: Plan) -> None:
        """From what was cut to the card of the cut, and on to what ran then, and to what it left behind; no way goes
        round."""
        cards = {c.id: c for c in self.graph.cuts if c.id in self.blocks}
        firsts = []
        for cut in cards.values():
            firsts.append((cut, len(plan.links)))
            ends = [(f"cut:{edge}", *edge.split(":")) for edge in cut.into]
            ends += [(f"{cut.tensor}:0", cut.tensor, "0")] if cut.tensor else []
            known = {cut.tensor, *self.builder.ends(cut)} & (self.blocks.keys() | self.fold.box.keys())
            links = [Link(id, cut.id, f"{cut.id}:0", end, slot) for id, end, slot in ends if end in known]
            came = [(i, id) for i, id in enumerate(cut.after) if id in cards]
            links += [Link(f"{cut.id}:{i}", id, f"{id}:0", cut.id, str(i)) for i, id in came]
            plan.links += [link for link in links if not self.leads_to(plan, link.target, link.source)]
        for cut, first in reversed(firsts):
            box = self.fold.chips.get(cut.node or "")  # whose parameter it is
            source = self.fold.inside[box][0].id if box else cut.node
            # a leaf may stand with its use, which comes behind the cut: then its name on the card has to do
            if source and (cut.node not in self.fold.users or not self.leads_to(plan, cut.id, source)):
                port = len(cut.after)
                plan.links.insert(first, Link(f"{cut.id}:{port}", source, f"{cut.node}:0", cut.id, str(port)))

    def leads_to(self, plan: Plan, start: str, end: str) -> bool:
        """Whether links lead from one piece to another, closed boxes and the frames beside the first taken as one."""
        depth = common([plan.inside[start], plan.inside[end]])

        def piece(id: str) -> str:
            return (plan.inside[id][depth:] or [plan.box.get(id, id)])[0]

        after = by_key((piece(link.source), piece(link.target)) for link in plan.links)
        return piece(end) in reachable([piece(start)], lambda id: after.get(id, ()))

    def result_links(self, plan: Plan) -> None:
        """A result that a closed box makes has its card behind the box."""
        for root in self.graph.roots:
            t = self.graph.tensor(root)
            if root in self.blocks and t.kind == "nonleaf" and t.node:
                room = self.builder.slot_width(f"seed:{t.node}") + 6
                plan.links.append(Link(f"seed:{t.node}", t.node, f"{t.node}:{t.nr}", root, "0", room))

    # ---- the result

    def put(self, block: Block, x: float, y: float) -> None:
        """Move everything inside a block to its place."""
        out, (left, _, up, _) = self.out, block.reach
        dx, dy = x + left, y + up
        out.boxes |= {part: box.moved(dx, dy) for part, box in block.boxes.items()}
        out.slots |= {slot: (a + dx, b + dy, side) for slot, (a, b, side) in block.slots.items()}
        for mine, all_ in ((block.entries, out.entries), (block.ports, out.ports)):
            all_ |= {f"{block.id}:{i}": (a + dx, b + dy) for i, (a, b) in mine.items()}
        for slot, (target, (a, b)) in block.hangs.items():
            self.hung_wire(block, slot, target, (a + dx, b + dy))

    def hung_wire(self, block: Block, slot: int, target: str, end: tuple[float, float]) -> None:
        """The short wire to what is drawn inside the block."""
        id, out = f"{block.id}:{slot}", self.out
        (px, py), (ex, ey) = out.ports[id], end
        if target.startswith("t"):  # a constant, upper left: data only
            out.data[id] = [((ex, ey),), ((ex, py), (px - 16, py), (px, py))]
            return
        soft = ((px, py + 12), (ex, py + 8), (ex, py + 20)) if slot in block.below else (
            (ex, py), (ex, py + 14), (ex, py + 30))
        out.back[id] = [((px, py),), soft, ((ex, ey),)]
        out.data[id] = backwards([*out.back[id], ((ex, ey + self.builder.drawer),)])

    def wires(self, places: Places) -> None:
        """Wires between blocks, both ways, with the places of their texts."""
        out = self.out
        out.refs = {link: piece for piece, link, *_ in places.chips}
        out.boxes |= {f"ref:{link}": Box(min(max(x, 4), out.width - w - 4), y - CHIP / 2, w, CHIP)
                      for _, link, x, y, w in places.chips}
        ends: dict[str, list[tuple[str, float, float]]] = {}  # closed box -> its wires, and where they meet it,
        below: dict[str, list[tuple[str, float, float]]] = {}  # left and below
        for id, line in places.wires.items():
            n, e = self.graph.edges.get(id, (None, None))
            if n is None or e is None:  # to a result, to or from a cut, or to the border of a loop
                if id.startswith("loop:"):
                    line = [*line, ((line[-1][-1][0] + PAD, line[-1][-1][1]),)]
                out.data[id], out.back[id] = line, backwards(line)
                if id.startswith("seed:"):
                    out.slots[id] = (line[-1][-1][0] - 8, line[-1][-1][1] - 8, "end")
                continue
            (x, y), shelf = line[-1][-1], self.shelved(e.node or e.tensor or "") and id not in out.refs
            out.data[id] = [((x, y + self.builder.drawer),), *backwards(line)] if shelf else line
            if id in self.fold.round and e.node is None and id in places.tails and n.id not in self.fold.box:
                tail = places.tails[id]
                out.back[id] = backwards([((tail[0][-1][0] - PAD, tail[0][-1][1]),), *tail])
            elif e.node is not None:
                out.back[id] = line if shelf else backwards(line)
            if n.id in self.fold.box:
                (below if shelf else ends).setdefault(self.fold.box[n.id], []).append(
                    (id, *(line[0][-1] if shelf else (x, y))))
        for box, several in ends.items():
            self.labels(several, self.blocks[box].rim, self.builder.stacks(box))
        for several in below.values():
            before = -100.0
            for edge, x, y in sorted(several, key=lambda end: end[1]):
                left = x - before > self.builder.slot_width(f"edge:{edge}") + 12
                out.slots[f"edge:{edge}"], before = (x - 6, y + 14, "end") if left else (x + 6, y + 14, "start"), x

    def labels(self, ends: list[tuple[str, float, float]], rim: float, stacks: bool) -> None:
        """The gradients' texts at a closed box: above their wires; of two wires the lower one has its text below."""
        low = max(y for *_, y in ends)
        for edge, x, y in ends:
            under = y + (17 if stacks and y == low and len(ends) > 1 else -8 if stacks else -4)
            self.out.slots[f"edge:{edge}"] = (x - rim - 8, under, "stack" if stacks else "end")
