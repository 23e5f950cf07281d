"""Draw a laid-out graph as SVG: our own XML, escaped, the same bytes for the same graph.

Every part is `<g class="mg-KIND" data-id="ID">` with the ids of the snapshot: `mg-op n3`,
`mg-acc n6`, `mg-leaf mg-constant mg-nonleaf t2`, `mg-edge n3:0`, `mg-none n5:0`, `mg-sum n3:1`,
`mg-saved n3.self` (also `data-node`, `data-field`), `mg-hook h1`, `mg-copy grad:t3`. Texts that
change while backward runs carry `data-slot`: `edge:n3:0`, `in:n3:0`, `sum:n3:1`, `seed:n1`,
`got:n3:0`, `grad:t2`, `value:t2`. These are the commonest parts, not all.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha1
from itertools import pairwise

from ..graph.snapshot import Cut, Edge, Hook, NodeRecord, Saved, TensorRecord
from . import glyphs, words
from .blocks import MANY_NOTES, TAB, Box, columns, inset
from .glyphs import circle, clean, d, path, rect, tag, text, write
from .layout import Line, backwards
from .levels import MANY_PILLS, order_spans
from .places import MARGIN, SHOW_ALL, WIDEST_PICTURE, Layout
from .theme import shorten, stylesheet, width

VIEWS = ("record", "forward", "backward")
LONG = 50  # characters of an expression, by which nobody would call it
SIDES = {"start": "", "middle": "mg-c", "end": "mg-e", "stack": "mg-e"}  # which part of a text stands at its place


class Painter:
    """Writes the parts of one picture; what it drew goes into the legend.

    `values` (slot -> text) fills slots that the graph itself leaves empty; parts whose id is among `marks` stand
    out; `remarks` stand under the title; `heat` (edge -> px) makes wires thick.
    """

    def __init__(self, layout: Layout, view: str = "record", lang: str | None = None,
                 show: frozenset[str] = SHOW_ALL, values: Mapping[str, str] | None = None,
                 marks: frozenset[str] = frozenset(), remarks: Sequence[str] = (),
                 heat: Mapping[str, float] | None = None) -> None:
        self.at, self.view, self.lang, self.show = layout, view, lang, show
        self.fold, self.graph = layout.fold, layout.fold.graph
        inside = {**self.fold.chips, **self.fold.box}  # what is marked in a closed box marks the box
        self.box, self.marks = layout.boxes, marks | {inside.get(re.split("[.:]", id)[0], id) for id in marks}
        self.values, self.remarks, self.heat = {**words.known_values(self.graph), **(values or {})}, remarks, heat or {}
        # the layers; `over` all: badges, and where gradients meet
        self.frames, self.wires, self.parts, self.over = (list[str]() for _ in range(4))
        self.kinds: set[str] = set()
        # outputs (`n3:0`) whose arriving wire passes gates or a copy; it points at the gate that it reaches first
        self.stems = {name[3:] for name in layout.slots if name.startswith("in:")}
        self.headless = self.stems - {f"{h.node}:{h.nr}" for h in self.graph.hooks if h.id in self.box
                                      and layout.entries.get(f"{h.node}:{h.nr}", (0, 0))[0] == self.box[h.id].right}

    # ---- putting parts down

    def part(self, layer: list[str], kind: str, id: str, views: str, body: str, key: str = "", **data: str) -> None:
        """One `<g>`, in the views with these initials: "rb" is record and backward."""
        if self.view[0] in views:
            marked = " mg-marked" if id in self.marks else ""
            self.kinds |= {key, marked.removeprefix(" mg-")}
            layer.append(tag("g", body, kind=kind + marked, data_id=clean(id), **data))

    def wire(self, kind: str, id: str, data: str, through: bool = False, slot: str = "", key: str = "") -> None:
        """A wire between nodes, in the colour of its view; in backward it may carry texts, by the names of slots."""
        thick = self.heat.get(id) if self.view == "backward" else None
        body = path(data, f"mg-{self.view}", "" if through else self.view, thick)
        body += "".join(map(self.slot, slot.split())) if self.view == "backward" else ""
        self.part(self.wires, kind, id, "rb", body, key)

    def slot(self, name: str) -> str:
        """A text that the player can fill, where the layout kept a place for it."""
        if name not in self.at.slots:
            return ""
        x, y, anchor = self.at.slots[name]
        kind = f"mg-value {'mg-g' if self.view == 'backward' else 'mg-m'} mg-halo {SIDES[anchor]}"
        value = self.values.get(name, "")
        if anchor == "stack" and value.startswith("‖"):
            word, _, number = value.partition(" ")
            up = 15 if y < self.at.back[name[5:]][0][-1][1] else 0
            return text(x, y - up, word, kind) + text(x, y + 15 - up, number, kind, name)
        return text(x, y, value, kind, name)

    def result(self, t: TensorRecord) -> None:
        """The wire from a closed box to the card of what it makes; where the gradient comes in."""
        id = f"seed:{t.node}"
        if id in self.at.data and t.node in self.fold.box:
            self.part(self.wires, "mg-edge", id, "f", path(write(self.at.data[id]), "mg-forward", "forward"), "data")
            self.part(self.wires, "mg-gradfn-link", id, "r", path(write(self.at.back[id]), "mg-gradfn", "gradfn"))
            body = path(write(self.at.back[id]), "mg-backward", "backward") + self.slot(id)
            self.part(self.wires, "mg-edge mg-seed", id, "b", body, "gradient")

    def paint(self) -> None:
        """Put down frames, boxes, nodes, cards, gates and leaves that are drawn again."""
        for id, (frame, depth) in self.at.frames.items():
            self.frame(id, frame, depth)
        for id in self.fold.boxes:
            self.module(id, self.box[id])
        for n in self.graph.nodes:
            if n.kind == "op":
                self.op(n)
            elif n.id in self.box:
                self.accumulate(n)
        for t in (t for t in self.graph.tensors if t.id in self.box):
            self.card(t, self.box[t.id])
            self.result(t)
        for hook in (h for h in self.graph.hooks if h.id in self.box):
            self.hook(hook, self.box[hook.id])
        for edge, piece in self.at.refs.items():
            t = self.graph.tensors_by_id.get(piece) or self.graph.tensor(self.graph.node(piece).leaf)
            self.again(edge, t, self.box[f"ref:{edge}"])
        for cut in (c for c in self.graph.cuts if c.id in self.box):
            self.cut(cut, self.box[cut.id])
        for net, x, y in self.at.joins:
            self.part(self.over, "mg-join", f"join:{net}", "b", glyphs.join(x, y), "join")
        outermost = {id.split(":")[1]: id for id, _ in self.at.loops}
        for id, line in self.at.loops:
            loop = id.split(":")[1]
            body = path(write(line if self.view == "forward" else backwards(line)), f"mg-{self.view}", self.view)
            if outermost[loop] == id:
                frame, roll = self.box.get(loop) or self.at.frames[loop][0], self.fold.rolls[loop]
                said = f"{'k → k' if roll.own else 't → t'} + 1, {roll.count - 1} ×"
                body += text(frame.cx, min(y for piece in line for _, y in piece) - 6, said, "mg-c mg-m")
            self.part(self.wires, "mg-loop" + " mg-some" * (not self.fold.rolls[loop].all), id, "rfb", body, "loop")
        # from what goes round to the border, where nothing else takes it there
        ways, head = (self.at.data, "") if self.view == "forward" else (self.at.back, self.view)
        for id in (one for one in self.at.data if one.startswith("loop:")):
            self.part(self.wires, "mg-loop", id, "rfb", path(write(ways[id]), f"mg-{self.view}", head))

    def cut(self, cut: Cut, b: Box) -> None:
        """Scissors on a dashed wire, and a grey card with what cut there, or ran then, and the learner's line."""
        *came, way = (f"{cut.id}:{i}" for i in range(len(cut.after) + 1))
        for id in (*came, way, f"{cut.tensor}:0", *(f"cut:{edge}" for edge in cut.into)):
            if id in self.at.data:
                line = self.from_source(cut.node or "", 0, self.at.data[id]) if id == way else self.at.data[id]
                self.part(self.wires, "mg-edge mg-cutting", id, "rfb", path(write(line), "mg-wanted"))
        first, second = words.cut_label(cut)
        body = rect(b, 8) + text(b.x + 10, b.y + 18, first, "mg-m mg-b")
        body += text(b.x + 10, b.y + 35, second, "mg-mono mg-m")
        self.part(self.parts, "mg-ghost", cut.id, "rfb", body, "ghost" * cut.ran)
        if at := self.box.get(f"scissors:{cut.id}"):
            self.part(self.parts, "mg-scissors", f"scissors:{cut.id}", "rfb", glyphs.scissors(at), "cutting")

    # ---- folded and opened scopes

    def frame(self, id: str, b: Box, depth: int) -> None:
        """An open scope: its title at the place of the closed one's."""
        title, name = words.title_of(self.fold, id)
        name = name and shorten(name, max(60, b.w - 50 - width(title, bold=True)))
        title = shorten(title, b.w - 50 - width(name), bold=True)
        body = rect(b, 9, "mg-shape mg-even" if depth % 2 else "mg-shape")
        body += glyphs.toggle(Box(b.x + 9, b.y + 9, 18, 18), "−")
        body += glyphs.two_words(b.x + 34, b.y + 22.5, title or None, name or None)
        self.part(self.frames, "mg-frame", id, "rfb", body, "frame")

    def module(self, id: str, b: Box) -> None:
        """A closed scope: how many operations it hides, its title, shapes and parameters."""
        label = self.at.labels[id]
        x, wide = b.x + 10, width(label.more, bold=True) + 10
        body = rect(b, 9)
        if label.more:
            body += glyphs.toggle(Box(b.x + 9, b.y + 9, wide, 18), label.more)
            x += wide + 7
        body += glyphs.two_words(x, b.y + 22.5, label.title or None, label.path or None)
        body += text(b.x + 10, b.y + 42, label.shapes, "mg-m")
        body += "".join(text(b.x + 10, b.y + 60 + 18 * k, line, "mg-g") for k, line in enumerate(label.sums))
        self.part(self.parts, "mg-box", id, "rfb", body, "box" if label.more else "")
        for k, chip in enumerate(words.chips_of(self.fold, id, self.values, self.lang)):
            self.chip(chip, Box(b.x + 9, b.y + label.top + label.row * k, b.w - 18, label.row - 4))

    def chip(self, chip: words.Chip, b: Box) -> None:
        """A parameter in a closed module, and its drawer."""
        above, right = self.fold.stacked, chip.halves[1]
        up = Box(b.x, b.y, b.w, words.DRAWER_ROW) if above else Box(b.right - right, b.y, right, b.h)
        low = Box(b.x, up.bottom, b.w, b.h - up.h) if above else b
        leaf, drawer = (rect(low, 5), glyphs.drawer(up, 5)) if above else (
            glyphs.half(up.x, side, b.y, b.bottom) for side in (b.x, b.right))
        name, paired, _ = chip.name.partition(words.PAIR)  # what reads otherwise in Chinese is a label of its own
        leaf += text(b.x + 8, low.cy + 4.5, chip.name, "mg-b") if paired else ""
        leaf += glyphs.two_words(b.x + 8 + (width(name, bold=True) + 6) * bool(paired), low.cy + 4.5,
                                 None if paired else name, chip.shape)
        known = chip.grad and chip.grad != "None"
        drawer += text(up.cx, up.cy + 4.5, chip.grad if known else ".grad",
                       "mg-c mg-value mg-g" if known else "mg-c mg-mono mg-m")
        self.part(self.parts, "mg-leaf", chip.leaves[0], "rfb", leaf, "chip")
        self.part(self.parts, "mg-acc", self.graph.tensor(chip.leaves[0]).node or "", "rfb", drawer)

    def badges(self) -> None:
        """The numbers of nodes and boxes in the order of backward."""
        for id, span in order_spans(self.fold).items():
            b = self.box.get(id) or self.at.frames.get(id, (None, 0))[0]
            if b is not None:
                wide = width(span, bold=True) + 27
                drawer = self.graph.nodes_by_id[id].leaf if id in self.graph.nodes_by_id else None
                dx, dy = (12, -14) if drawer else (-4, -13)
                at = Box(b.right - wide + dx, b.y + dy, wide, 19)
                key = "planned" if "failed" in self.values else "order"
                self.part(self.over, "mg-order", f"order:{id}", "b", glyphs.badge(at, span, key == "order"), key)

    # ---- nodes

    def op(self, n: NodeRecord) -> None:
        """A pill with its two names, its wires and its notes."""
        if n.id in self.fold.box:
            for e in n.edges:
                self.edge(n, e)
            return
        b, third = self.box[n.id], words.third_line(n, self.show)
        top, forward = b.cy - (13 if third else 4), self.view == "forward"
        body = rect(b, min(b.h, 60) / 2) + text(b.cx, top, n.op, f"mg-c {'mg-b' if forward else 'mg-m'}")
        body += text(b.cx, top + 18, n.name, f"mg-c {'mg-m' if forward else 'mg-b'}")
        body += text(b.cx, top + 35, third, "mg-c mg-f") if third else ""
        kind, key = ("mg-op mg-refused", "failed") if n.error else ("mg-op", "op_forward" if forward else "op")
        self.part(self.parts, kind, n.id, "rfb", body, key)
        for e in n.edges:
            self.edge(n, e)
        self.stem(n, b)
        if place := self.at.slots.get(f"cards:{n.id}"):  # of outputs for whose cards there was no room
            more = sum(words.has_card(self.fold, t) for t in self.graph.outputs(n.id) if t.id not in self.box)
            self.part(self.parts, "mg-word", f"cards:{n.id}", "rfb", text(*place[:2], f"+{more}", "mg-m"))
        if "saved" in self.show:
            self.notes(n, b)

    def accumulate(self, n: NodeRecord) -> None:
        """The drawer of a leaf, with what lies in it."""
        b = self.box[n.id]
        body = glyphs.drawer(b, 8) + text(b.x + 10, b.y + 17, n.name, "mg-b")
        if "grads" in self.show:
            body += path(d("M", b.right - 30, b.y + 30, "h 16"), "mg-handle")
            body += self.grad_line(self.graph.tensor(n.leaf), b.x + 10, b.y + 35)
        self.part(self.parts, "mg-acc", n.id, "rb", body, "acc")
        self.sum(f"total:{n.id}")
        self.stem(n, b)

    def sum(self, slot: str) -> None:
        """The equation of gradients that meet."""
        for k, line in enumerate(self.values.get(slot, "").split("\n")):
            if line and f"{slot}:{k}" in self.at.slots:
                x, y, _ = self.at.slots[f"{slot}:{k}"]
                self.part(self.over, "mg-total", slot, "b", text(x, y, line, "mg-g mg-halo"))

    def grad_line(self, t: TensorRecord, x: float, y: float) -> str:
        """`.grad` and its value."""
        grad = self.values.get(f"grad:{t.id}", t.grad or "None")
        kind = "mg-value " + ("mg-m" if grad == "None" else "mg-g")
        return text(x, y, ".grad", "mg-mono mg-m") + text(x + 48, y, grad, kind, f"grad:{t.id}")

    def stem(self, n: NodeRecord, b: Box) -> None:
        """The last bit of wire before a node and the first after it, where gates stand on them."""
        for t in self.graph.outputs(n.id):
            place = f"{n.id}:{t.nr}"
            self.sum(f"meet:{place}")
            if place in self.stems:
                x, y = self.at.entries[place]
                line, slot = d("M", x, y, "H", b.right - (inset(b, y) if n.kind == "op" else 0)), f"in:{place}"
                self.wire("mg-edge mg-stem", slot, line, slot=f"{slot} got:{place}")
        gates = [self.box[h.id] for h in self.graph.hooks
                 if h.node == n.id and h.kind.startswith("post") and h.id in self.box]
        if gates:
            ports = [self.at.ports[id] for e in n.edges if (id := n.edge_id(e.slot)) in self.at.ports]
            left, ys = min([*(g.x for g in gates), *(x for x, _ in ports)]), [y for _, y in ports]
            line = d("M", b.x, gates[0].cy, "H", left) + (d(" M", left, min(ys), "V", max(ys)) if len(ys) > 1 else "")
            self.wire("mg-edge mg-stem", f"out:{n.id}", line, True)
        if f"seed:{n.id}" in self.at.slots:
            x, y = self.at.entries[f"{n.id}:0"]
            head = "" if f"{n.id}:0" in self.headless else "backward"
            body = path(d("M", x + 34, y, "H", x), "mg-backward", head) + self.slot(f"seed:{n.id}")
            self.part(self.wires, "mg-edge mg-seed", f"seed:{n.id}", "b", body, "gradient")

    # ---- edges

    def edge(self, n: NodeRecord, e: Edge) -> None:
        """A port, the data that came in, the way the gradient goes, the sum in between."""
        id = n.edge_id(e.slot)
        if n.error:  # no edge was recorded: only what went in
            line = self.at.data[id] if self.view == "forward" or id not in self.at.back else self.at.back[id]
            self.part(self.wires, "mg-edge", id, "rfb", path(write(line), "mg-wanted") + self.slot(f"edge:{id}"))
            return
        port = self.port(n, e, *self.at.ports[id]) if id in self.at.ports else ""
        if id in self.fold.round and id in self.at.data and e.node is None:
            body = path(write(self.at.data[id]), "mg-wanted")
            body += path(write(self.at.back[id]), f"mg-{self.view}") if id in self.at.back else ""
            self.part(self.wires, "mg-round", id, "rb", body + port)
        elif e.node is None and f"none:{id}" in self.box:
            self.none(id, e, self.box[f"none:{id}"], port)
        if id in self.at.data and e.tensor:
            body = path(write(self.data(n, e, id)), "mg-forward", "forward") + self.slot(f"edge:{id}")
            self.part(self.wires, "mg-edge", id, "f", body, "data")
        if id in self.at.back and (id not in self.fold.round or e.node):
            through = f"{e.node}:{e.nr}" in self.headless
            key = "gradient" if self.view == "backward" else "next"
            many = id in self.fold.round or self.times(n, e, id)  # then the number differs from turn to turn
            self.wire("mg-edge", id, write(self.at.back[id]), through, "" if many else f"edge:{id}", key)
            self.part(self.parts, "mg-edge-port", id, "rb", port)
        elif id in self.at.data and e.node is None and (id not in self.at.ports or id in self.graph.severed):
            self.part(self.wires, "mg-input", id, "rb", path(write(self.at.data[id]), "mg-wanted"))
        if e.expands and f"sum:{id}" in self.box:
            self.sum_and_expand(n, e, self.box[f"sum:{id}"])

    def times(self, n: NodeRecord, e: Edge, id: str) -> bool:
        """Write for how many turns of a loop an edge stands; whether they are several."""
        times = self.fold.times(n, e)
        if times > 1:
            x, y, anchor = self.at.slots[f"edge:{id}"]  # where no number stands, for it differs from turn to turn
            if self.view == "record" and id in self.at.ports:  # but the port's
                (left, port), away, pill = self.at.ports[id], self.turns_from(id), self.box[n.id]
                if port >= pill.bottom:
                    x, y, anchor = left + (20 * away or 7), port + 14, "start" if away >= 0 else "end"
                elif y < port:
                    x = min(x, left - 20, pill.x - 16)
            kind = "mg-b mg-halo" + ("" if anchor == "start" else " mg-e")
            self.part(self.over, "mg-times", id, "rfb", text(x, y, f"× {times}", kind))
        return times > 1

    def port(self, n: NodeRecord, e: Edge, x: float, y: float) -> str:
        """A dot, with its number where there are several."""
        port, pill = circle(x, y, 3.2, "mg-port"), self.box[n.id]
        ys = sorted(self.at.ports[n.edge_id(other.slot)][1] for other in n.edges)
        close = any(b - a < 16 for a, b in pairwise(ys)) and y < pill.bottom and y != ys[0]
        if self.view == "backward" or len(ys) == 1 or close:
            return port
        if y >= pill.bottom:
            right = self.turns_from(n.edge_id(e.slot)) > 0
            return port + text(x + (6 if right else -6), y + 14, str(e.slot), f"mg-m mg-halo{'' if right else ' mg-e'}")
        return port + text(min(x - 7, pill.x - 3), y - 6, str(e.slot), "mg-m mg-e mg-halo")

    def turns_from(self, id: str) -> int:
        """The side from which the wire of a port below turns away at once, -1 for the left."""
        (start, _), *_, (end, _) = [piece[-1] for piece in self.at.back.get(id, [])[:2]] or [(0, 0), (0, 0)]
        return (start > end + 1) - (start < end - 1)

    def data(self, n: NodeRecord, e: Edge, id: str) -> Line:
        """The way of the data, from the card or pill that they come from to the pill that they reach."""
        line = self.from_source(e.node or "", e.nr, self.at.data[id])
        pill, end = self.box.get(n.id), line[-1][-1]
        if pill is not None and end[0] < pill.x - 2:
            line = [*line, ((pill.x + inset(pill, end[1]), end[1]),)]
        return line

    def from_source(self, id: str, nr: int, line: Line) -> Line:
        """In the forward view the way of a wire from a leaf begins at its card, for the drawer is not drawn, and that
        from an op at its pill, for its gates are not."""
        source, y = self.box.get(id), line[0][-1][1]
        if source is None or self.view != "forward":
            return line
        if not self.graph.node(id).leaf:
            return [((source.right - inset(source, y), y),), *line] if f"{id}:{nr}" in self.stems else line
        inside = source.y < y < source.bottom
        return [((source.right - 10, source.bottom),), ((source.right - 10, y),), *line] if inside else line

    def none(self, id: str, e: Edge, b: Box, port: str) -> None:
        """`(None, 0)`, or where the part that is shown ends."""
        x, y = self.at.ports[id]
        body = path(d("M", x, y, "H", b.right), "mg-record mg-cut" if e.cut else "mg-record")
        body += "" if e.cut else circle(b.cx, b.cy, 5.5, "mg-ring")
        body += text(*self.at.slots[f"none:{id}"][:2], words.none_label(e), "mg-e mg-m mg-halo")
        self.part(self.parts, "mg-none", id, "rb", body + port, "cut" if e.cut else "none")

    def sum_and_expand(self, n: NodeRecord, e: Edge, b: Box) -> None:
        """Broadcasting: `expand` on the way forward, the engine's `sum` on the way back."""
        id = n.edge_id(e.slot)
        body = rect(b, 12) + text(b.cx, b.cy + 4.5, "sum", "mg-c mg-b") + self.slot(f"sum:{id}")
        self.part(self.parts, "mg-sum", id, "b", body, "sum")
        x, y, anchor = self.at.slots[f"sum:{id}"]
        body = rect(b, 12) + text(b.cx, b.cy + 4.5, "expand", "mg-c")
        body += text(x, y, words.broadcast_label(self.graph, n, e), "mg-m mg-halo " + SIDES[anchor])
        self.part(self.parts, "mg-expand", id, "f", body, "expand")

    def again(self, edge: str, leaf: TensorRecord, b: Box) -> None:
        """A leaf drawn once more, small."""
        body = rect(b, 9) + text(b.cx, b.cy + 4.5, words.again_label(leaf), "mg-c mg-b")
        ids = {edge} & self.graph.edges.keys() or {id for id, (_, e) in self.graph.edges.items() if e.tensor == leaf.id}
        alone = all(f"none:{id}" in self.box for id in ids)  # no wire of its goes there but in forward
        views, key = "f" if alone else "rfb", "ref" if leaf.kind == "leaf" else leaf.kind
        self.part(self.parts, f"mg-{leaf.kind} mg-ref", leaf.id, views, body, key, data_ref=edge)

    def hook(self, hook: Hook, b: Box) -> None:
        """A gate on the wire, with the words above it."""
        body = glyphs.gate(b) + text(b.cx + 4, b.cy + 4.5, hook.label, "mg-c mg-b")
        body += text(b.cx, b.y - 8, words.gate_label(self.graph, hook, self.lang), "mg-c mg-m")
        self.part(self.parts, "mg-hook", hook.id, "rb", body, "hook")

    # ---- what a node saved

    def notes(self, n: NodeRecord, pill: Box) -> None:
        """All notes of a node, and a word over those that were freed."""
        shown, more = words.notes(n, MANY_NOTES)
        for saved in shown:
            self.note(n, saved, pill)
        freed = [self.box[f"{n.id}.{saved.field}"] for saved in shown if saved.freed]
        if freed:
            x, y = sum(b.cx for b in freed) / len(freed), min(b.y for b in freed) - 7
            over = text(x, y, words.word("freed", self.lang), "mg-c mg-m")
            self.part(self.parts, "mg-word", f"freed:{n.id}", "rb", over)
        if more:
            b = self.box[f"more:{n.id}"]
            link = path(d("M", b.cx, b.bottom, "L", min(b.cx, pill.right - 20), pill.y), "mg-dots")
            self.part(self.wires, "mg-link", f"more:{n.id}", "r", link)
            body = glyphs.note(b) + text(b.cx - 2, b.y + 16.5, f"+{more}", "mg-c")
            self.part(self.parts, "mg-saved", f"more:{n.id}", "r", body, "more")

    def note(self, n: NodeRecord, saved: Saved, pill: Box) -> None:
        """One note, tied to its node; a stale one is a stop sign."""
        id = f"{n.id}.{saved.field}"
        card, t = self.box.get(saved.tensor or ""), self.graph.tensors_by_id.get(saved.tensor)
        # forward shows operands that have no card
        views = "rb" if saved.freed or card or (t and t.node) else "rfb" if saved.is_tensor else "rf"
        b = self.box[id]
        link = path(d("M", b.cx, b.bottom, "L", min(max(b.cx, pill.x + 26), pill.right - 26), pill.y), "mg-dots")
        if card and t and t.kind == "constant" and card.right < b.x and abs(card.cy - b.cy) < 90:
            link += path(d("M", card.right, min(max(b.cy, card.y + 6), card.bottom - 6), "L", b.x, b.cy), "mg-dots")
        self.part(self.wires, "mg-link", id, views, link)
        label, state = words.note_label(self.graph, saved, "versions" in self.show), ""
        if saved.stale:
            state, reason = "stale", words.stale_label(saved, self.lang)
            body = glyphs.octagon(b, 12) + glyphs.bang(b.x + 24, b.cy, 13)
            body += text(b.x + 46, b.y + 19, label, "mg-b") + text(b.x + 46, b.y + 37, reason)
        else:
            body = glyphs.note(b) + text(b.cx - 1, b.y + 16.5, label, "mg-c")
        if saved.freed:
            state = "freed"
            body += path(d("M", b.x + 8, b.cy, "H", b.right - 10), "mg-strike")
        self.part(self.parts, f"mg-saved mg-{state}" if state else "mg-saved", id, views, body,
                  state or "saved", data_node=n.id, data_field=clean(saved.field))

    # ---- tensors

    def card(self, t: TensorRecord, b: Box) -> None:
        """A tensor, with what hangs from it."""
        key = t.kind if t.kind != "nonleaf" else "view" if t.is_view else "lost" if t.value is None else "nonleaf"
        kind = f"mg-{t.kind}" if key == t.kind else f"mg-nonleaf mg-{key}"
        top = TAB if key == "view" else 0
        body = glyphs.tab(b, 38, top) if top else rect(b, 8)
        title, extra, value = words.card(t, self.fold, self.show, self.lang)
        body += glyphs.two_words(b.x + 10, b.y + top + 18.5, title or None, extra, "mg-name")
        rows, lines = words.figure(t, self.fold, self.show)
        if rows:
            body += glyphs.grid(b.x + 12, b.y + top + 26, rows, columns(rows))
        elif lines:
            body += glyphs.bars(b.x + 10, b.y + top + 42, t.summary.sample if t.summary else ())
            body += "".join(text(b.x + 10, b.y + top + 71 + 17 * k, line, "mg-m") for k, line in enumerate(lines))
        elif value:
            shade = "mg-value" if t.value is not None else "mg-value mg-m"
            body += text(b.x + 10, b.y + top + 37, self.values.get(f"value:{t.id}", value), shade, f"value:{t.id}")
        self.part(self.parts, kind, t.id, "rfb", body, key)
        if t.kind == "nonleaf" and t.node in self.box:
            self.hang(t, b, self.box[t.node])
        if f"grad:{t.id}" in self.box:
            self.copy(t, self.box[f"grad:{t.id}"], self.box[f"copy:{t.id}"])
        if t.base in self.box:
            self.shares(t, b, self.box[t.base])

    def hang(self, t: TensorRecord, b: Box, pill: Box) -> None:
        """`.grad_fn` up to the node; the op's result down to its card in the forward view."""
        x = min(max(b.cx, pill.x + 12), pill.right - 12)
        up = path(d("M", b.cx, b.y, "L", x, pill.bottom + 1), "mg-gradfn", "gradfn")
        if t is self.graph.outputs(t.node)[-1]:
            right = b.cx if len(self.graph.outputs(t.node)) > 1 else x
            up += text(right + 8, pill.bottom + 18, ".grad_fn", "mg-mono mg-m mg-halo")
        self.part(self.wires, "mg-gradfn-link", t.id, "rb", up, "gradfn")
        down = path(d("M", x, pill.bottom, "L", b.cx, b.y), "mg-forward", "forward")
        self.part(self.wires, "mg-made", t.id, "f", down)

    def copy(self, t: TensorRecord, b: Box, at: Box) -> None:
        """retain_grad: a second sheet for the card, filled where the wire passes the circle."""
        line = d("M", at.cx, at.bottom, "V", b.cy + 2, "H", b.right + 5)
        body = path(line, "mg-taken", "backward" if self.view == "backward" else "")
        body += circle(at.cx, at.cy, 4.5, "mg-sheet") + rect(b.moved(5, 5), 4, "mg-sheet") + rect(b, 4)
        body += self.grad_line(t, b.x + 8, b.cy + 4.5) + text(at.cx + 7, b.y - 34, "retain_grad", "mg-m")
        self.part(self.parts, "mg-copy", f"grad:{t.id}", "rb", body, "copy")

    def shares(self, t: TensorRecord, view: Box, base: Box) -> None:
        """A dashed line with a diamond at the base; where that is far, a stub with its name."""
        away = max(abs(view.cx - base.cx) - (view.w + base.w) / 2, abs(view.cy - base.cy) - 50)
        if 0 < away < 160 and base.right + 24 < view.x and len(self.graph.outputs(t.node)) == 1:
            line = d("M", base.right + 14, base.cy, "L", view.x, view.cy)
            body = path(line, "mg-shares") + glyphs.diamond_end(base.right, base.cy, 7)
        else:
            x, y = view.x + 16, view.bottom + 12
            body = path(d("M", x, view.bottom, "V", y, "H", x + 14), "mg-shares") + glyphs.diamond_end(x + 14, y, 6)
            body += text(x + 32, y + 4.5, words.again_label(self.graph.tensor(t.base)), "mg-b")
        self.part(self.parts, "mg-base", t.id, "rfb", body, "shares")

    # ---- the whole

    def picture(self, theme: str | None, framed: bool = True) -> str:
        """The whole file; `framed` adds title and legend. Without a `theme` colours are custom properties."""
        self.paint()
        if framed and self.view == "backward":
            self.badges()
        title, sub = (words.word(f"{k}_{self.view}", self.lang) for k in ("title", "sub"))
        wide, tall, top, frame = self.at.width, self.at.height, 0.0, ""
        if framed:
            left_out = self.left_out()
            said = ([" ".join([*left_out, *self.remarks])] if self.fold.box or self.fold.rolls
                    else [sub, *left_out, *self.remarks])
            need = max(width(title, 20, bold=True), *(width(one, 14) for one in said), self.legend(1e9, 0)[2])
            wide = max(wide, 480, min(WIDEST_PICTURE, need + 2 * MARGIN))
            lines = [line for one in said for line in wrap(one, wide - 2 * MARGIN, 14)]
            top = 36 + 20 * len(lines)
            frame = text(MARGIN, 30 - top, title, "mg-t1")
            frame += "".join(text(MARGIN, 51 + 20 * i - top, line, "mg-t2") for i, line in enumerate(lines))
            legend, used, _ = self.legend(wide, tall)
            frame, tall = frame + legend, tall + used
        tall += top
        body = tag("defs", glyphs.MARKERS) + rect(Box(0, -top, wide, tall), 0, "mg-page") + frame
        body += "".join([*self.frames, *self.wires, *self.parts, *self.over])
        prefix = "mg" + sha1(body.encode()).hexdigest()[:8] + "-"
        order = words.several([n.name for n in self.graph.nodes if n.id in self.graph.reached], 40)
        about = words.joined(sub, *self.left_out(), *self.remarks, *(
            [words.word("order", self.lang, names=order)] if order else []))
        inside = tag("title", clean(title)) + tag("desc", clean(about)) + f"<style>{stylesheet(theme)}</style>"
        return tag("svg", inside + body.replace("\x02", prefix), xmlns="http://www.w3.org/2000/svg",
                   viewBox=d(0.0, -top, wide, tall), direction="ltr", width=wide, height=tall, role="img",
                   kind="mg-graph" + (f" mg-{theme}" if theme else ""), data_view=self.view)

    def left_out(self) -> list[str]:
        """What this picture does not show, and how to see it."""
        fold, ops, said = self.fold, len(self.graph.ops), []
        if rolls := [*fold.rolls.values()]:
            key = "rolled" if len(rolls) == 1 and rolls[0].all and not rolls[0].own else "repeated"
            what = ", ".join(" ".join(words.title_of(fold, roll.id)) for roll in rolls)
            said.append(words.word(key, self.lang, count=rolls[0].count, total=fold.total, ops=ops, what=what))
        elif fold.total > ops:
            said.append(words.word("partly", self.lang, shown=ops, ops=fold.total))
        if fold.box:
            id = max(fold.boxes, key=lambda box: (len(fold.scopes[box].name) < LONG, len(fold.inside[box])))
            said.append(words.word("folded", self.lang, ops=ops, folded=len(fold.box),
                                   name=fold.scopes[id].path or fold.scopes[id].name))
        return said if "cards" in self.show else [*said, words.word("no_satellites", self.lang, limit=MANY_PILLS)]

    def legend(self, wide: float, top: float) -> tuple[str, float, float]:
        """One strip with the kinds that were drawn, in a fixed order; its height, and the width of the last line."""
        x, y, out = float(MARGIN), top, []
        kinds = self.kinds - {"frame", "nonleaf"} if "box" in self.kinds else self.kinds
        for key in (k for k in glyphs.LEGEND if k in kinds):
            label = words.word(f"key_{key}", self.lang)
            need = 42 + width(label)
            if x > MARGIN and x + need > wide - MARGIN:
                x, y = float(MARGIN), y + 24
            out.append(glyphs.LEGEND[key](Box(x, y, 34, 18)) + text(x + 42, y + 13.5, label, "mg-m"))
            x += need + 18
        return tag("g", "".join(out), kind="mg-legend"), y + 26 - top, x - 18 - MARGIN


def wrap(sentence: str, limit: float, size: float) -> list[str]:
    """Lines no wider than `limit`; Chinese may break anywhere but before a comma or stop, Latin between words."""
    lines, line = [], ""
    for piece in re.findall(r"[（《]*(?:[⺀-￿]|[^\s⺀-￿]+)[，。；：？、）》]*\s*", sentence):
        if line and width(line + piece.rstrip(), size) > limit:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]
