"""Draw a laid-out graph as SVG: our own XML, escaped, the same bytes for the same graph.

Every part is `<g class="mg-KIND" data-id="ID">` with the ids of the snapshot: `mg-op n3`,
`mg-acc n6`, `mg-leaf mg-constant mg-nonleaf t2`, `mg-edge n3:0`, `mg-none n5:0`, `mg-sum n3:1`,
`mg-saved n3.self` (also `data-node`, `data-field`), `mg-hook h1`, `mg-copy grad:t3`. Texts that
change while backward runs carry `data-slot`: `edge:n3:0`, `in:n3:0`, `sum:n3:1`, `seed:n1`,
`grad:t2`, `value:t2`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha1

from ..graph.snapshot import Edge, Graph, Hook, NodeRecord, Saved, TensorRecord
from . import glyphs, words
from .blocks import MANY_NOTES, TAB, Box, inset
from .glyphs import circle, clean, d, path, rect, tag, text, write
from .layout import MARGIN, SHOW_ALL, Layout
from .theme import stylesheet, width

VIEWS = ("record", "forward", "backward")


def render(graph: Graph, layout: Layout, view: str = "record", theme: str | None = "light",
           lang: str | None = None, show: frozenset[str] = SHOW_ALL, framed: bool = True,
           values: Mapping[str, str] | None = None, marks: frozenset[str] = frozenset()) -> str:
    """The picture. `framed` adds title and legend; without a `theme` colours are custom properties;
    `values` (slot -> text) fills slots that the graph itself leaves empty; parts whose id is among
    `marks` stand out."""
    return Painter(graph, layout, view, lang, show, values or {}, marks).picture(theme, framed)


class Painter:
    """Writes the parts of one picture; what it drew goes into the legend."""

    def __init__(self, graph: Graph, layout: Layout, view: str, lang: str | None,
                 show: frozenset[str], values: Mapping[str, str], marks: frozenset[str]) -> None:
        self.graph, self.at, self.view, self.lang, self.show = graph, layout, view, lang, show
        self.box, self.marks = layout.boxes, marks
        self.values = {**words.known_values(graph), **values}
        self.wires: list[str] = []
        self.parts: list[str] = []
        self.kinds: set[str] = set()
        # outputs (`n3:0`) whose arriving wire passes gates or a copy
        self.stems = {name[3:] for name in layout.slots if name.startswith("in:")}

    # ---- putting parts down

    def part(self, layer: list[str], kind: str, id: str, views: str, body: str, key: str = "", **data: str) -> None:
        """One `<g>`, in the views with these initials: "rb" is record and backward."""
        if self.view[0] in views:
            self.kinds.add(key)
            kind += " mg-marked" if id in self.marks else ""
            layer.append(tag("g", body, kind=kind, data_id=clean(id), **data))

    def wire(self, kind: str, id: str, data: str, through: bool = False, slot: str = "", key: str = "") -> None:
        """A wire between nodes, in the colour of its view; in backward it may carry a text."""
        body = path(data, f"mg-{self.view}", "" if through else self.view)
        body += self.slot(slot) if self.view == "backward" else ""
        self.part(self.wires, kind, id, "rb", body, key)

    def slot(self, name: str) -> str:
        """A text that the player can fill, where the layout kept a place for it."""
        if name not in self.at.slots:
            return ""
        x, y, anchor = self.at.slots[name]
        side = {"middle": "mg-c", "end": "mg-e", "start": ""}[anchor]
        return text(x, y, self.values.get(name, ""), f"mg-value mg-g mg-halo {side}", name)

    def paint(self) -> None:
        """Put down nodes, cards, gates and leaves that are drawn again."""
        for n in self.graph.nodes:
            (self.op if n.kind == "op" else self.accumulate)(n)
        for t in self.graph.tensors:
            if t.id in self.box:
                self.card(t, self.box[t.id])
        for hook in self.graph.hooks:
            if hook.id in self.box:
                self.hook(hook, self.box[hook.id])
        for edge, leaf in self.at.refs.items():
            self.again(edge, self.graph.tensor(leaf), self.box[f"ref:{edge}"])

    # ---- nodes

    def op(self, n: NodeRecord) -> None:
        """A pill with its two names, its wires and its notes."""
        b = self.box[n.id]
        third = words.third_line(n, self.show)
        top = b.cy - (13 if third else 4)
        forward = self.view == "forward"
        body = rect(b, min(b.h, 60) / 2) + text(b.cx, top, n.op, f"mg-c {'mg-b' if forward else 'mg-m'}")
        body += text(b.cx, top + 18, n.name, f"mg-c {'mg-m' if forward else 'mg-b'}")
        body += text(b.cx, top + 35, third, "mg-c mg-f") if third else ""
        self.part(self.parts, "mg-op", n.id, "rfb", body, "op_forward" if forward else "op")
        for e in n.edges:
            self.edge(n, e)
        self.stem(n, b)
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
        self.stem(n, b)

    def grad_line(self, t: TensorRecord, x: float, y: float) -> str:
        """`.grad` and its value."""
        grad = self.values.get(f"grad:{t.id}", t.grad or "None")
        kind = "mg-value " + ("mg-m" if grad == "None" else "mg-g")
        return text(x, y, ".grad", "mg-mono mg-m") + text(x + 48, y, grad, kind, f"grad:{t.id}")

    def stem(self, n: NodeRecord, b: Box) -> None:
        """The last bit of wire before a node and the first after it, where gates stand on them."""
        for t in self.graph.outputs(n.id):
            place = f"{n.id}:{t.nr}"
            if place in self.stems:
                x, y = self.at.entries[place]
                end = b.right - (inset(b, y) if n.kind == "op" else 0)
                line, slot = d("M", x, y, "H", end), f"in:{place}"
                self.wire("mg-edge mg-stem", slot, line, slot=slot)
        gates = [self.box[h.id] for h in self.graph.hooks
                 if h.node == n.id and h.kind.startswith("post") and h.id in self.box]
        if gates:
            left = min(g.x for g in gates)
            self.wire("mg-edge mg-stem", f"out:{n.id}", d("M", b.x, gates[0].cy, "H", left), True)
        if f"seed:{n.id}" in self.at.slots:
            x, y = self.at.entries[f"{n.id}:0"]
            head = "" if f"{n.id}:0" in self.stems else "backward"
            body = path(d("M", x + 34, y, "H", x), "mg-backward", head) + self.slot(f"seed:{n.id}")
            self.part(self.wires, "mg-edge mg-seed", f"seed:{n.id}", "b", body, "gradient")

    # ---- edges

    def edge(self, n: NodeRecord, e: Edge) -> None:
        """A port, the data that came in, the way the gradient goes, the sum in between."""
        id = n.edge_id(e.slot)
        x, y = self.at.ports[id]
        port = circle(x, y, 3.2, "mg-port")
        if len(n.edges) > 1:
            above = y <= self.box[n.id].cy + 4
            port += text(x - 7, y - 6 if above else y + 16, str(e.slot), "mg-m mg-e mg-halo")
        if e.node is None:
            self.none(id, e, self.box[f"none:{id}"], port)
        if id in self.at.data and e.tensor:
            body = path(write(self.at.data[id]), "mg-forward", "forward")
            self.part(self.wires, "mg-edge", id, "f", body, "data")
        if id in self.at.back:
            through = f"{e.node}:{e.nr}" in self.stems
            line = write(self.at.back[id])
            key = "gradient" if self.view == "backward" else "next"
            self.wire("mg-edge", id, line, through, f"edge:{id}", key)
            self.part(self.parts, "mg-edge-port", id, "rb", port)
        if e.expands and f"sum:{id}" in self.box:
            self.sum_and_expand(n, e, self.box[f"sum:{id}"])

    def none(self, id: str, e: Edge, b: Box, port: str) -> None:
        """`(None, 0)`, or where the part that is shown ends."""
        x, y = self.at.ports[id]
        body = path(d("M", x, y, "H", b.right), "mg-record mg-cut" if e.cut else "mg-record")
        body += "" if e.cut else circle(b.cx, b.cy, 5.5, "mg-ring")
        body += text(b.x - 5, y + 4.5, words.none_label(e), "mg-e mg-m")
        self.part(self.parts, "mg-none", id, "rb", body + port, "cut" if e.cut else "none")

    def sum_and_expand(self, n: NodeRecord, e: Edge, b: Box) -> None:
        """Broadcasting: `expand` on the way forward, the engine's `sum` on the way back."""
        id = n.edge_id(e.slot)
        body = rect(b, 12) + text(b.cx, b.cy + 4.5, "sum", "mg-c mg-b") + self.slot(f"sum:{id}")
        self.part(self.parts, "mg-sum", id, "b", body, "sum")
        x, y, anchor = self.at.slots[f"sum:{id}"]
        body = rect(b, 12) + text(b.cx, b.cy + 4.5, "expand", "mg-c")
        body += text(x, y, words.broadcast_label(self.graph, n, e),
                     "mg-m mg-halo" + (" mg-c" if anchor == "middle" else ""))
        self.part(self.parts, "mg-expand", id, "f", body, "expand")

    def again(self, edge: str, leaf: TensorRecord, b: Box) -> None:
        """A leaf drawn once more, small."""
        body = rect(b, 9) + text(b.cx, b.cy + 4.5, words.again_label(leaf), "mg-c mg-b")
        views = "rfb" if leaf.kind == "leaf" else "f"
        self.part(self.parts, f"mg-{leaf.kind} mg-ref", leaf.id, views, body, "ref", data_ref=edge)

    def hook(self, hook: Hook, b: Box) -> None:
        """A gate on the wire, with the words above it."""
        body = glyphs.gate(b) + text(b.cx + 4, b.cy + 4.5, hook.label, "mg-c mg-b")
        body += text(b.cx, b.y - 8, words.gate_label(self.graph, hook, self.lang), "mg-c mg-m")
        self.part(self.parts, "mg-hook", hook.id, "rb", body, "hook")

    # ---- what a node saved

    def notes(self, n: NodeRecord, pill: Box) -> None:
        """All notes of a node, and a word over those that were freed."""
        shown = [saved for saved in n.saved if f"{n.id}.{saved.field}" in self.box]
        for saved in shown:
            self.note(n, saved, pill)
        freed = [self.box[f"{n.id}.{saved.field}"] for saved in shown if saved.freed]
        if freed:
            x, y = sum(b.cx for b in freed) / len(freed), min(b.y for b in freed) - 7
            over = text(x, y, words.word("freed", self.lang), "mg-c mg-m")
            self.part(self.parts, "mg-word", f"freed:{n.id}", "rb", over)
        if f"more:{n.id}" in self.box:
            b, count = self.box[f"more:{n.id}"], f"+{len(n.saved) - MANY_NOTES}"
            more = text(b.cx, b.bottom - 3, count, "mg-c mg-m")
            self.part(self.parts, "mg-word", f"more:{n.id}", "r", more)

    def note(self, n: NodeRecord, saved: Saved, pill: Box) -> None:
        """One note, tied to its node; a stale one is a stop sign."""
        id, views = f"{n.id}.{saved.field}", "rb" if saved.is_tensor else "r"
        b = self.box[id]
        foot = min(max(b.cx, pill.x + 26), pill.right - 26)
        link = path(d("M", b.cx, b.bottom, "L", foot, pill.y), "mg-dots")
        card = self.box.get(saved.tensor or "")
        if card and self.graph.tensor(saved.tensor).kind == "constant" and card.right < b.x:
            y = min(max(b.cy, card.y + 6), card.bottom - 6)
            link += path(d("M", card.right, y, "L", b.x, b.cy), "mg-dots")
        self.part(self.wires, "mg-link", id, views, link)
        label, state = words.note_label(saved, "versions" in self.show), ""
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
        key = t.kind
        if t.kind == "nonleaf":
            key = "view" if t.is_view else "lost" if t.value is None else key
        kind = f"mg-{t.kind}" if key == t.kind else f"mg-nonleaf mg-{key}"
        top = TAB if key == "view" else 0
        body = glyphs.tab(b, 38, top) if top else rect(b, 8)
        extra = words.shape_label(t, "versions" in self.show)
        name = tag("tspan", clean(t.name), kind="mg-name") if t.name else ""
        name += tag("tspan", clean(extra), kind="mg-m", dx=6 if t.name else None)
        body += tag("text", name, x=b.x + 10, y=b.y + top + 18)
        if "values" in self.show:
            value = self.values.get(f"value:{t.id}", words.value(t, self.lang))
            shade = "mg-value" if t.value is not None else "mg-value mg-m"
            body += text(b.x + 10, b.y + top + 37, value, shade, f"value:{t.id}")
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
        sheets = rect(b.moved(5, 5), 4, "mg-sheet") + rect(b, 4)
        body = path(line, "mg-taken", "backward" if self.view == "backward" else "")
        body += circle(at.cx, at.cy, 4.5, "mg-sheet") + sheets
        body += self.grad_line(t, b.x + 8, b.cy + 4.5)
        body += text(at.cx + 7, b.y - 34, "retain_grad", "mg-m")
        self.part(self.parts, "mg-copy", f"grad:{t.id}", "rb", body, "copy")

    def shares(self, t: TensorRecord, view: Box, base: Box) -> None:
        """A dashed line with a diamond at the base; where that is far, a stub with its name."""
        away = max(abs(view.cx - base.cx) - (view.w + base.w) / 2, abs(view.cy - base.cy) - 50)
        if 0 < away < 160 and base.right < view.x and len(self.graph.outputs(t.node)) == 1:
            line = d("M", base.right + 14, base.cy, "L", view.x, view.cy)
            body = path(line, "mg-shares") + glyphs.diamond_end(base.right, base.cy, 7)
        else:
            x, y = view.x + 16, view.bottom + 12
            body = path(d("M", x, view.bottom, "V", y, "H", x + 14), "mg-shares")
            body += glyphs.diamond_end(x + 14, y, 6)
            body += text(x + 32, y + 4.5, self.graph.tensor(t.base).label, "mg-b")
        self.part(self.parts, "mg-base", t.id, "rfb", body, "shares")

    # ---- the whole

    def picture(self, theme: str | None, framed: bool) -> str:
        """The whole file."""
        self.paint()
        title, sub = (words.word(f"{k}_{self.view}", self.lang) for k in ("title", "sub"))
        wide, tall, top, frame = self.at.width, self.at.height, 0.0, ""
        if framed:
            wide = max(wide, 480, width(title, 20, bold=True) + 2 * MARGIN)
            lines = wrap(sub, wide - 2 * MARGIN, 14)
            top = 46 + 20 * len(lines)
            frame = text(MARGIN, 30 - top, title, "mg-t1")
            frame += "".join(text(MARGIN, 54 + 20 * i - top, line, "mg-t2") for i, line in enumerate(lines))
            legend, used = self.legend(wide, tall + 12)
            frame, tall = frame + legend, tall + 12 + used
        tall += top
        page = rect(Box(0, -top, wide, tall), 0, "mg-page")
        body = tag("defs", glyphs.MARKERS) + page + frame + "".join(self.wires) + "".join(self.parts)
        prefix = "mg" + sha1(body.encode()).hexdigest()[:8] + "-"
        about = f"{sub} {' → '.join(n.name for n in self.graph.nodes[:40])}"
        return tag("svg", tag("title", clean(title)) + tag("desc", clean(about))
                   + f"<style>{stylesheet(theme)}</style>" + body.replace("\x02", prefix),
                   xmlns="http://www.w3.org/2000/svg", viewBox=d(0.0, -top, wide, tall),
                   width=wide, height=tall, role="img", kind="mg-graph", data_view=self.view)

    def legend(self, wide: float, top: float) -> tuple[str, float]:
        """One strip with the kinds that were drawn, in a fixed order."""
        x, y, out = float(MARGIN), top, []
        for key in (k for k in glyphs.LEGEND if k in self.kinds):
            label = words.word(f"key_{key}", self.lang)
            need = 42 + width(label)
            if x > MARGIN and x + need > wide - MARGIN:
                x, y = float(MARGIN), y + 28
            out.append(glyphs.LEGEND[key](Box(x, y, 34, 18)) + text(x + 42, y + 13.5, label, "mg-m"))
            x += need + 26
        return tag("g", "".join(out), kind="mg-legend"), y + 34 - top


def wrap(sentence: str, limit: float, size: float) -> list[str]:
    """Lines no wider than `limit`; Chinese may break anywhere, Latin between words."""
    lines, line = [], ""
    for piece in re.findall(r"[⺀-￿]\s*|[^\s⺀-￿]+\s*", sentence):
        if line and width(line + piece.rstrip(), size) > limit:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]
