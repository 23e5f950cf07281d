"""Draw a laid-out graph as SVG: our own XML, escaped, the same bytes for the same graph.

Every part is `<g class="mg-KIND" data-id="ID">` with the ids of the snapshot: `mg-op n3`, `mg-acc n6`,
`mg-leaf mg-constant mg-nonleaf t2`, `mg-edge n3:0`, `mg-none n5:0`, `mg-saved n3.self` (also
`data-node`, `data-field`), `mg-hook h1`, `mg-sum n3:1`, `mg-copy grad:t3`. Texts that change while
backward runs carry `data-slot`: `edge:n3:0`, `in:n3`, `sum:n3:1`, `seed:n1`, `grad:t2`, `value:t2`.
With `view="all"` each part says in `data-views` where it belongs, for the player to switch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha1
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from ..graph.preview import MARKS
from ..graph.snapshot import Graph, Hook, Node, Saved, Tensor
from .blocks import Box, gate_label, inset, known_values, note_text, shape_text, shorten, value_text, word
from .layout import ALL, MARGIN, Layout, ref_label, write
from .theme import stylesheet, width

CJK = re.compile("[⺀-鿿＀-￯]")
VIEWS = ("record", "forward", "backward")
WIRES = ("record", "forward", "backward", "gradfn")


def render(graph: Graph, layout: Layout, view: str = "record", theme: str | None = "light",
           lang: str | None = None, show: frozenset[str] = ALL, framed: bool = True,
           values: Mapping[str, str] | None = None) -> str:
    """The picture. `framed` adds title and legend; `theme=None` leaves colours to custom properties;
    `values` (slot -> text) fills slots that the graph itself leaves empty."""
    return Painter(graph, layout, view, lang, show, values or {}).picture(theme, framed)


def clean(text: str) -> str:
    """Escaped, without the control characters that XML forbids."""
    return escape(re.sub(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff￾￿]", "�", text))


def text(x: float, y: float, words: str, kind: str = "", slot: str = "") -> str:
    if any(mark in words for mark in MARKS):
        kind += " mg-bad"
    if CJK.search(words):
        kind += " mg-cjk"
    kind = " ".join(kind.split())
    extra = (f' class="{kind}"' if kind else "") + (f" data-slot={quoteattr(slot)}" if slot else "")
    return f'<text x="{num(x)}" y="{num(y)}"{extra}>{clean(words)}</text>'


def num(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def rect(box: Box, radius: float, kind: str = "mg-shape") -> str:
    return (f'<rect x="{num(box.x)}" y="{num(box.y)}" width="{num(box.w)}" height="{num(box.h)}" '
            f'rx="{num(radius)}" class="{kind}"/>')


def path(d: str, kind: str, head: str = "") -> str:
    marker = f' marker-end="url(#PREFIX{head})"' if head else ""
    return f'<path d="{d}" class="{kind}"{marker}/>'


def circle(x: float, y: float, r: float, kind: str = "") -> str:
    return f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(r)}"' + (f' class="{kind}"/>' if kind else "/>")


def note_shape(b: Box, fold: float = 7) -> str:
    """A sheet with its corner turned down."""
    r, x = num(b.right), num(b.right - fold)
    y = num(b.y + fold)
    return (f'<path d="M{num(b.x)},{num(b.y)} H{x} L{r},{y} V{num(b.bottom)} H{num(b.x)} z '
            f'M{x},{num(b.y)} V{y} H{r}" class="mg-shape"/>')


def gate_shape(b: Box) -> str:
    """A tag that points the way the gradient goes, to the left."""
    tip = num(b.x + 12)
    return (f'<path d="M{num(b.right)},{num(b.y)} V{num(b.bottom)} H{tip} L{num(b.x)},{num(b.cy)} '
            f'L{tip},{num(b.y)} z" class="mg-shape"/>')


def octagon(x: float, y: float, r: float, kind: str) -> str:
    a = r * 0.414
    corners = ((-r, -a), (-a, -r), (a, -r), (r, -a), (r, a), (a, r), (-a, r), (-r, a))
    points = " ".join(f"{num(x + dx)},{num(y + dy)}" for dx, dy in corners)
    return f'<polygon points="{points}" class="{kind}"/>'


class Painter:
    """Writes the parts of one picture; what it drew goes into the legend."""

    def __init__(self, graph: Graph, layout: Layout, view: str, lang: str | None,
                 show: frozenset[str], values: Mapping[str, str]) -> None:
        self.graph, self.at, self.view, self.lang, self.show = graph, layout, view, lang, show
        self.values = {**known_values(graph), **values}
        self.wires: list[str] = []
        self.shapes: list[str] = []
        self.kinds: dict[str, None] = {}
        self.versions = "versions" in show

    # ---- putting parts down

    def part(self, layer: list[str], kind: str, id: str, views: str, body: str, key: str = "",
             data: str = "") -> None:
        """One `<g>`; `views` by initials, "rb" for record and backward."""
        names = [v for v in VIEWS if v[0] in views]
        if self.view != "all" and self.view not in names:
            return
        if key:
            self.kinds[key] = None
        if self.view == "all":
            data += f' data-views="{" ".join(names)}"'
        layer.append(f'<g class="{kind}" data-id={quoteattr(clean(id))}{data}>{body}</g>')

    def slot(self, name: str, kind: str = "", default: str = "") -> str:
        """A text that the player can fill; nothing is drawn where the layout kept no place."""
        words = self.values.get(name, default)
        if name not in self.at.slots:
            return ""
        x, y, anchor = self.at.slots[name]
        side = {"middle": "mg-c", "end": "mg-e", "start": ""}[anchor]
        return text(x, y, words, f"mg-value mg-g mg-halo {side} {kind}", slot=name)

    def paint(self) -> None:
        for node in self.graph.nodes:
            if node.kind == "op":
                self.op(node)
            elif node.id in self.at.boxes:
                self.drawer(node)
        for t in self.graph.tensors:
            if t.id in self.at.boxes:
                self.card(t)
        for hook in self.graph.hooks:
            if hook.id in self.at.boxes:
                self.gate(hook)
        for edge_id, leaf in self.at.refs.items():
            self.again(edge_id, leaf)

    # ---- nodes

    def op(self, node: Node) -> None:
        box = self.at.boxes[node.id]
        formula = shorten(node.formula, 230, 12.5) if box.h >= 60 and "cards" in self.show else ""
        top = box.cy - (13 if formula else 4)
        for views, upper, lower in (("f", "mg-b", "mg-m"), ("rb", "mg-m", "mg-b")):
            body = rect(box, min(box.h, 60) / 2)
            body += text(box.cx, top, node.op, f"mg-c {upper}")
            body += text(box.cx, top + 18, node.name, f"mg-c {lower}")
            if formula:
                body += text(box.cx, top + 35, formula, "mg-c mg-f")
            key = "op_forward" if views == "f" else "op"
            self.part(self.shapes, "mg-op", node.id, views, body, key)
        for e in node.edges:
            self.edge(node, e)
        self.stem(node, box)
        if "saved" in self.show:
            self.notes(node, box)

    def drawer(self, node: Node) -> None:
        b = self.at.boxes[node.id]
        leaf = self.graph.tensor(node.leaf)
        x, y, r = num(b.x), num(b.y), num(b.right)
        body = (f'<path d="M{x},{num(b.bottom)} V{num(b.y + 8)} Q{x},{y} {num(b.x + 8)},{y} '
                f'H{num(b.right - 8)} Q{r},{y} {r},{num(b.y + 8)} V{num(b.bottom)} z" class="mg-shape"/>')
        body += text(b.x + 10, b.y + 17, node.name, "mg-b")
        if "grads" in self.show:
            body += path(f"M{num(b.right - 30)},{num(b.y + 30)} h16", "mg-handle")
            body += self.grad_line(leaf, b.x + 10, b.y + 35)
        self.part(self.shapes, "mg-acc", node.id, "rb", body, "acc")
        self.stem(node, b)

    def grad_line(self, t: Tensor, x: float, y: float) -> str:
        slot = f"grad:{t.id}"
        words = self.values.get(slot, t.grad or "None")
        kind = "mg-value " + ("mg-m" if words == "None" else "mg-g")
        return text(x, y, ".grad", "mg-mono mg-m") + text(x + 48, y, words, kind, slot)

    # ---- edges

    def edge(self, node: Node, e) -> None:
        id = node.edge_id(e.slot)
        px, py = self.at.ports[id]
        port = circle(px, py, 3.2, "mg-port")
        if len(node.edges) > 1:
            port += text(px - 7, py - 6 if py <= self.at.boxes[node.id].cy + 4 else py + 16, str(e.slot),
                         "mg-m mg-e mg-halo")
        if e.node is None:
            self.none(node, e, port)
        if id in self.at.data and e.tensor:
            body = path(write(self.at.data[id]), "mg-forward", "forward")
            self.part(self.wires, "mg-edge", id, "f", body, "data")
        if id in self.at.back:
            d = write(self.at.back[id])
            through = f"{e.node}:{e.nr}" in self.stems()
            for view, key in (("record", "next"), ("backward", "gradient")):
                body = path(d, f"mg-{view}", "" if through else view)
                if view == "backward":
                    body += self.slot(f"edge:{id}")
                self.part(self.wires, "mg-edge", id, view[0], body, key)
            self.part(self.shapes, "mg-edge-port", id, "rb", port)
        if e.expands and f"sum:{id}" in self.at.boxes:
            self.ghost(node, e)

    def none(self, node: Node, e, port: str) -> None:
        id = node.edge_id(e.slot)
        b = self.at.boxes[f"none:{id}"]
        px, py = self.at.ports[id]
        body = path(f"M{num(px)},{num(py)} H{num(b.right)}", "mg-record" + (" mg-cut" if e.cut else ""))
        body += circle(b.cx, b.cy, 5.5, "mg-ring") if not e.cut else ""
        body += text(b.x - 5, py + 4.5, "…" if e.cut else "(None, 0)", "mg-e mg-m")
        self.part(self.shapes, "mg-none", id, "rb", body + port, "cut" if e.cut else "none")

    def ghost(self, node: Node, e) -> None:
        """Broadcasting: `expand` on the way forward, the engine's `sum` on the way back."""
        id = node.edge_id(e.slot)
        b = self.at.boxes[f"sum:{id}"]
        words = self.slot(f"sum:{id}")
        self.part(self.shapes, "mg-sum", id, "b",
                  rect(b, 12) + text(b.cx, b.cy + 4.5, "sum", "mg-c mg-b") + words, "sum")
        out = next((t for t in self.graph.outputs(node.id) if t.nr == 0), None)
        forward = rect(b, 12) + text(b.cx, b.cy + 4.5, "expand", "mg-c")
        if out is not None:
            x, y, anchor = self.at.slots[f"sum:{id}"]
            words = f"{self.graph.tensor(e.tensor).shape} → {out.shape}"
            forward += text(x, y, words, "mg-m mg-halo" + (" mg-c" if anchor == "middle" else ""))
        self.part(self.shapes, "mg-expand", id, "f", forward, "expand")

    def stems(self) -> frozenset[str]:
        """Outputs (`n3:0`) whose arriving wire passes gates or a copy."""
        if not hasattr(self, "_stems"):
            self._stems = frozenset(name[3:] for name in self.at.slots if name.startswith("in:"))
        return self._stems

    def stem(self, node: Node, box: Box) -> None:
        for t in self.graph.outputs(node.id):
            place = f"{node.id}:{t.nr}"
            if place not in self.stems():
                continue
            x, y = self.at.entries[place]
            end = box.right - (inset(box, y) if node.kind == "op" else 0)
            for view in ("record", "backward"):
                body = path(f"M{num(x)},{num(y)} H{num(end)}", f"mg-{view}", view)
                body += self.slot(f"in:{place}") if view == "backward" else ""
                self.part(self.wires, "mg-edge mg-stem", f"in:{place}", view[0], body)
        after = [h for h in self.graph.hooks if h.node == node.id and h.kind.startswith("post")]
        gates = [self.at.boxes[h.id] for h in after if h.id in self.at.boxes]
        if gates:
            left = min(b.x for b in gates)
            for view in ("record", "backward"):
                body = path(f"M{num(box.x)},{num(gates[0].cy)} H{num(left)}", f"mg-{view}")
                self.part(self.wires, "mg-edge mg-stem", f"out:{node.id}", view[0], body)
        if f"seed:{node.id}" in self.at.slots:
            x, y = self.at.entries[f"{node.id}:0"]
            head = "" if f"{node.id}:0" in self.stems() else "backward"
            body = path(f"M{num(x + 34)},{num(y)} H{num(x)}", "mg-backward", head)
            body += self.slot(f"seed:{node.id}")
            self.part(self.wires, "mg-edge mg-seed", f"seed:{node.id}", "b", body, "gradient")

    # ---- what hangs around

    def notes(self, node: Node, pill: Box) -> None:
        freed = [s for s in node.saved if s.freed and f"{node.id}.{s.field}" in self.at.boxes]
        for saved in node.saved:
            if f"{node.id}.{saved.field}" in self.at.boxes:
                self.note(node, saved, pill)
        if freed:
            boxes = [self.at.boxes[f"{node.id}.{s.field}"] for s in freed]
            top, middle = min(b.y for b in boxes), sum(b.cx for b in boxes) / len(boxes)
            self.part(self.shapes, "mg-word", f"freed:{node.id}", "rb",
                      text(middle, top - 7, word("freed", self.lang), "mg-c mg-m"))
        if f"more:{node.id}" in self.at.boxes:
            b = self.at.boxes[f"more:{node.id}"]
            more = len(node.saved) - 4
            self.part(self.shapes, "mg-word", f"more:{node.id}", "r", text(b.cx, b.bottom - 3, f"+{more}", "mg-c mg-m"))

    def note(self, node: Node, saved: Saved, pill: Box) -> None:
        id = f"{node.id}.{saved.field}"
        b = self.at.boxes[id]
        views = "rb" if saved.is_tensor else "r"
        foot = min(max(b.cx, pill.x + 26), pill.right - 26)
        link = path(f"M{num(b.cx)},{num(b.bottom)} L{num(foot)},{num(pill.y)}", "mg-dots")
        if saved.tensor and saved.tensor in self.at.boxes:
            card = self.at.boxes[saved.tensor]
            if self.graph.tensor(saved.tensor).kind == "constant" and card.right < b.x:
                y = min(max(b.cy, card.y + 6), card.bottom - 6)
                link += path(f"M{num(card.right)},{num(y)} L{num(b.x)},{num(b.cy)}", "mg-dots")
        self.part(self.wires, "mg-link", id, views, link)
        words = note_text(saved, self.versions)
        data = f' data-node="{node.id}" data-field={quoteattr(clean(saved.field))}'
        if saved.stale:
            kind, body, key = "mg-saved mg-stale", self.stale(b, saved, words), "stale"
        else:
            body = note_shape(b) + text(b.cx - 1, b.y + 16.5, words, "mg-c")
            kind, key = "mg-saved", "saved"
            if saved.freed:
                kind, key = "mg-saved mg-freed", "freed"
                body += path(f"M{num(b.x + 8)},{num(b.cy)} H{num(b.right - 10)}", "mg-strike")
        self.part(self.shapes, kind, id, views, body, key, data)

    def stale(self, b: Box, saved: Saved, words: str) -> str:
        cut = 12
        corners = [(b.x + cut, b.y), (b.right - cut, b.y), (b.right, b.y + cut), (b.right, b.bottom - cut),
                   (b.right - cut, b.bottom), (b.x + cut, b.bottom), (b.x, b.bottom - cut), (b.x, b.y + cut)]
        points = " ".join(f"{num(x)},{num(y)}" for x, y in corners)
        reason = word("stale", self.lang, saved=saved.version, now=saved.now)
        return (f'<polygon points="{points}" class="mg-shape"/>' + octagon(b.x + 24, b.cy, 13, "mg-octagon")
                + text(b.x + 24, b.cy + 5, "!", "mg-bang mg-c")
                + text(b.x + 46, b.y + 19, words, "mg-b") + text(b.x + 46, b.y + 37, reason))

    def card(self, t: Tensor) -> None:
        b = self.at.boxes[t.id]
        kind = {"leaf": "mg-leaf", "constant": "mg-constant"}.get(t.kind, "mg-nonleaf")
        key = t.kind
        tab = t.is_view and t.kind == "nonleaf"
        if tab:
            kind, key = f"{kind} mg-view", "view"
        elif t.kind == "nonleaf" and t.value is None:
            kind, key = f"{kind} mg-lost", "lost"
        self.part(self.shapes, kind, t.id, "rfb", self.card_body(t, b, 9 if tab else 0), key)
        if t.kind == "nonleaf" and t.node in self.at.boxes:
            self.hang(t, b, self.at.boxes[t.node])
        if f"grad:{t.id}" in self.at.boxes:
            self.copy(t, self.at.boxes[f"grad:{t.id}"])
        if t.base in self.at.boxes:
            self.shares(t, b, self.at.boxes[t.base])

    def card_body(self, t: Tensor, b: Box, tab: float) -> str:
        if tab:
            body = (f'<path d="M{num(b.x)},{num(b.y)} h38 v{tab} H{num(b.right)} V{num(b.bottom)} H{num(b.x)} z" '
                    'class="mg-shape"/>')
        else:
            body = rect(b, 8)
        extra = shape_text(t, self.versions) + (" requires_grad" if t.kind == "leaf" else "")
        name = f'<tspan class="mg-name">{clean(t.name)}</tspan>' if t.name else ""
        shift = ' dx="6"' if t.name else ""
        x, y = num(b.x + 10), num(b.y + tab + 18)
        body += f'<text x="{x}" y="{y}">{name}<tspan class="mg-m"{shift}>{clean(extra)}</tspan></text>'
        if "values" in self.show:
            kind = "mg-value" + ("" if t.value is not None else " mg-m")
            words = self.values.get(f"value:{t.id}", value_text(t, self.lang))
            body += text(b.x + 10, b.y + tab + 37, words, kind, f"value:{t.id}")
        return body

    def hang(self, t: Tensor, b: Box, pill: Box) -> None:
        """`.grad_fn` up to the node; the op's result down to its card in the forward view."""
        x = min(max(b.cx, pill.x + 12), pill.right - 12)
        up = path(f"M{num(b.cx)},{num(b.y)} L{num(x)},{num(pill.bottom + 1)}", "mg-gradfn", "gradfn")
        if t.nr == self.graph.outputs(t.node)[0].nr:
            up += text(x + 8, pill.bottom + 18, ".grad_fn", "mg-mono mg-m")
        self.part(self.wires, "mg-gradfn-link", t.id, "rb", up, "gradfn")
        down = path(f"M{num(x)},{num(pill.bottom)} L{num(b.cx)},{num(b.y)}", "mg-forward", "forward")
        self.part(self.wires, "mg-made", t.id, "f", down)

    def copy(self, t: Tensor, b: Box) -> None:
        """retain_grad: a second sheet for the card, filled where the wire passes the circle."""
        at = self.at.boxes[f"copy:{t.id}"]
        line = f"M{num(at.cx)},{num(at.bottom)} V{num(b.cy + 2)} H{num(b.right + 5)}"
        for view in ("record", "backward"):
            body = path(line, "", "backward" if view == "backward" else "")
            body += circle(at.cx, at.cy, 4.5, "mg-sheet")
            body += rect(b.moved(5, 5), 4, "mg-sheet") + rect(b, 4) + self.grad_line(t, b.x + 8, b.cy + 4.5)
            body += text(at.cx + 7, b.y - 34, "retain_grad", "mg-m")
            self.part(self.shapes, "mg-copy", f"grad:{t.id}", view[0], body, "copy")

    def shares(self, t: Tensor, view: Box, base: Box) -> None:
        """A dashed line with a diamond at the base; where that is far, a stub with its name."""
        far = max(abs(view.cx - base.cx) - (view.w + base.w) / 2, abs(view.cy - base.cy) - 50) > 160
        side = 1 if base.right < view.x else -1
        if far or (side < 0 and view.right > base.x):
            x, y = view.x + 16, view.bottom + 12
            body = path(f"M{num(x)},{num(view.bottom)} V{num(y)} H{num(x + 14)}", "mg-shares")
            body += path(f"M{num(x + 14)},{num(y)} l6,-5 l6,5 l-6,5 z", "mg-diamond")
            body += text(x + 32, y + 4.5, self.graph.tensor(t.base).label, "mg-b")
        else:
            x, end, d = (base.right, view.x, 7) if side > 0 else (base.x, view.right, -7)
            body = path(f"M{num(x + 2 * d)},{num(base.cy)} L{num(end)},{num(view.cy)}", "mg-shares")
            body += path(f"M{num(x)},{num(base.cy)} l{d},-5 l{d},5 l{-d},5 z", "mg-diamond")
        self.part(self.shapes, "mg-base", t.id, "rfb", body, "shares")

    def gate(self, hook: Hook) -> None:
        b = self.at.boxes[hook.id]
        body = gate_shape(b) + text(b.cx + 4, b.cy + 4.5, hook.label, "mg-c mg-b")
        body += text(b.cx, b.y - 8, gate_label(self.graph, hook, self.lang), "mg-c mg-m")
        self.part(self.shapes, "mg-hook", hook.id, "rb", body, "hook")

    def again(self, edge_id: str, leaf: str) -> None:
        b = self.at.boxes[f"ref:{edge_id}"]
        body = rect(b, 9) + text(b.cx, b.cy + 4.5, ref_label(self.graph.tensor(leaf)), "mg-c mg-b")
        kind = self.graph.tensor(leaf).kind
        views = "rfb" if kind == "leaf" else "f"
        self.part(self.shapes, f"mg-{kind} mg-ref", leaf, views, body, "ref", f' data-ref="{edge_id}"')

    # ---- the whole

    def picture(self, theme: str | None, framed: bool) -> str:
        self.paint()
        view = "record" if self.view == "all" else self.view
        title, sub = (word(f"{k}_{view}", self.lang) for k in ("title", "sub"))
        wide = max(self.at.width, *(480, width(title, 20, bold=True) + 2 * MARGIN) if framed else (0, 0))
        top, tall, frame = 0.0, self.at.height, ""
        if framed:
            lines = wrap(sub, wide - 2 * MARGIN, 14)
            top = 46 + 20 * len(lines)
            frame = text(MARGIN, 30 - top, title, "mg-t1")
            frame += "".join(text(MARGIN, 54 + 20 * i - top, line, "mg-t2") for i, line in enumerate(lines))
            legend, used = self.legend(wide, tall + 12)
            frame, tall = frame + legend, tall + 12 + used
        body = frame + "".join(self.wires) + "".join(self.shapes)
        prefix = "mg" + sha1(body.encode()).hexdigest()[:8] + "-"
        markers = "".join(MARKERS[w] for w in WIRES)
        page = f'<rect x="0" y="{num(-top)}" width="{num(wide)}" height="{num(tall + top)}" class="mg-page"/>'
        box = f"0 {num(-top)} {num(wide)} {num(tall + top)}"
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{num(wide)}" '
                f'height="{num(tall + top)}" role="img" class="mg-graph" data-view="{view}">'
                f"<title>{clean(title)}</title><desc>{clean(sub)} {clean(self.summary())}</desc>"
                f"<style>{stylesheet(theme)}</style>"
                f"{f'<defs>{markers}</defs>{page}{body}'.replace('PREFIX', prefix)}</svg>")

    def summary(self) -> str:
        return " → ".join(f"{n.name}" for n in self.graph.nodes[:40])

    def legend(self, wide: float, top: float) -> tuple[str, float]:
        """One strip with the kinds that were drawn, in a fixed order."""
        x, y, out = float(MARGIN), top, []
        for key in (k for k in LEGEND if k in self.kinds):
            words = word(f"key_{key}", self.lang)
            need = 42 + width(words) + 26
            if x > MARGIN and x + need - 26 > wide - MARGIN:
                x, y = float(MARGIN), y + 28
            out.append(LEGEND[key](Box(x, y, 34, 18)) + text(x + 42, y + 13.5, words, "mg-m"))
            x += need
        return f'<g class="mg-legend">{"".join(out)}</g>', y + 18 + 16 - top


def wrap(words: str, limit: float, size: float) -> list[str]:
    """Lines no wider than `limit`; Chinese may break anywhere, Latin between words."""
    lines, line = [], ""
    for piece in re.findall(r"[⺀-￿]\s*|[^\s⺀-￿]+\s*", words):
        if line and width(line + piece.rstrip(), size) > limit:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]


def _marker(kind: str, size: float, d: str) -> str:
    return (f'<marker id="PREFIX{kind}" viewBox="0 0 10 10" refX="9.4" refY="5" markerWidth="{size}" '
            f'markerHeight="{size}" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="{d}" class="mg-head-{kind}"/></marker>')


MARKERS = {"forward": _marker("forward", 8, "M0.5,0.6 L10,5 L0.5,9.4 L3.4,5 z"),
           "record": _marker("record", 9, "M0,0.6 L10,5 L0,9.4 z"),
           "backward": _marker("backward", 12, "M0,0.6 L10,5 L0,9.4 z"),
           "gradfn": _marker("gradfn", 7, "M0,0.6 L10,5 L0,9.4 z")}


def _group(kind: str, body: str) -> str:
    return f'<g class="{kind}">{body}</g>'


def _wire(kind: str):
    return lambda b: path(f"M{num(b.right)},{num(b.cy)} H{num(b.x)}", f"mg-{kind}", kind)


def _card(kind: str, radius: float = 5):
    return lambda b: _group(kind, rect(b, radius))


def _ring(b: Box) -> str:
    line = path(f"M{num(b.right)},{num(b.cy)} H{num(b.x + 10)}", "mg-record")
    return _group("mg-none", line + circle(b.x + 5, b.cy, 5, "mg-ring"))


def _arrow_right(kind: str):
    return lambda b: path(f"M{num(b.x)},{num(b.cy)} H{num(b.right)}", f"mg-{kind}", kind)


def _drawer(b: Box) -> str:
    x, r = num(b.x), num(b.right)
    shape = (f'<path d="M{x},{num(b.bottom)} V{num(b.y + 6)} Q{x},{num(b.y)} {num(b.x + 6)},{num(b.y)} '
             f'H{num(b.right - 6)} Q{r},{num(b.y)} {r},{num(b.y + 6)} V{num(b.bottom)} z" class="mg-shape"/>')
    return _group("mg-acc", shape + path(f"M{num(b.x + 11)},{num(b.cy + 2)} h12", "mg-handle"))


def _sheets(b: Box) -> str:
    back, front = Box(b.x + 5, b.y, 29, 14), Box(b.x, b.y + 4, 29, 14)
    return _group("mg-copy", rect(back, 3, "mg-sheet") + rect(front, 3, "mg-sheet"))


def _tab(b: Box) -> str:
    d = f"M{num(b.x)},{num(b.y)} h14 v4 H{num(b.right)} V{num(b.bottom)} H{num(b.x)} z"
    return _group("mg-nonleaf mg-view", f'<path d="{d}" class="mg-shape"/>')


def _shares(b: Box) -> str:
    diamond = f"M{num(b.x)},{num(b.cy)} l5,-4 l5,4 l-5,4 z"
    return path(f"M{num(b.x + 10)},{num(b.cy)} H{num(b.right)}", "mg-shares") + path(diamond, "mg-diamond")


def _freed(b: Box) -> str:
    strike = path(f"M{num(b.x + 6)},{num(b.cy)} H{num(b.right - 7)}", "mg-strike")
    return _group("mg-freed", note_shape(b) + strike)


def _bang(b: Box) -> str:
    return octagon(b.cx, b.cy, 10, "mg-octagon") + text(b.cx, b.cy + 5, "!", "mg-bang mg-c")


LEGEND = {
    "op": _card("mg-op", 9), "op_forward": _card("mg-op", 9), "next": _wire("record"),
    "gradient": _wire("backward"), "data": _arrow_right("forward"), "none": _ring,
    "cut": lambda b: path(f"M{num(b.right)},{num(b.cy)} H{num(b.x)}", "mg-record mg-cut"),
    "leaf": _card("mg-leaf"), "constant": _card("mg-constant"), "nonleaf": _card("mg-nonleaf"),
    "lost": _card("mg-nonleaf mg-lost"), "gradfn": _arrow_right("gradfn"), "acc": _drawer,
    "ref": _card("mg-leaf", 9), "saved": lambda b: _group("mg-saved", note_shape(b)),
    "freed": _freed, "stale": _bang, "hook": lambda b: _group("mg-hook", gate_shape(b)),
    "copy": _sheets, "sum": _card("mg-sum", 9), "expand": _card("mg-expand", 9), "view": _tab,
    "shares": _shares,
}  # fmt: skip
