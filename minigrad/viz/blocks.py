"""A block: one op with all that hangs around it, or one leaf, measured around its own anchor.

The anchor is the middle of the pill (or drawer). Notes stand above, the tensor's card below, a leaf
that nobody else uses hangs lower left, hooks and the copy for retain_grad stand on the wire that
arrives at the right. `layout` puts blocks beside each other and never looks inside.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..graph.snapshot import Edge, Graph, Hook, NodeRecord, Saved, TensorRecord
from . import words
from .theme import width

WIRE, CARD, DRAWER, NOTE, GATE, TAB = 48, 46, 42, 24, 26, 9  # shortest wire, and heights
MANY_NOTES = 4
Point = tuple[float, float]
TextPlace = tuple[float, float, str]  # x, y, and which part of the text stands there: "start", "middle" or "end"
Piece = tuple[Point, ...]  # of a path: where a straight line ends; of a curve its two control points before that


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; `x`, `y` its upper left corner."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The x of its right side."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.y + self.h

    @property
    def cx(self) -> float:
        """The x of its middle."""
        return self.x + self.w / 2

    @property
    def cy(self) -> float:
        """The y of its middle."""
        return self.y + self.h / 2

    def moved(self, dx: float, dy: float) -> Box:
        """The same box somewhere else."""
        return Box(self.x + dx, self.y + dy, self.w, self.h)


@dataclass
class Block:
    """Boxes, ports and places for texts, relative to the anchor."""

    id: str
    boxes: dict[str, Box] = field(default_factory=dict)  # id of the part -> where it is drawn
    room: list[Box] = field(default_factory=list)  # kept free, though nothing is drawn
    ports: dict[int, Point] = field(default_factory=dict)  # slot -> left port
    entries: dict[int, Point] = field(default_factory=dict)  # output -> wires arrive
    outs: dict[str, Point] = field(default_factory=dict)  # tensor -> data leaves
    slots: dict[str, TextPlace] = field(default_factory=dict)
    hangs: dict[int, str] = field(default_factory=dict)  # slot -> leaf or constant drawn inside

    @property
    def parts(self) -> list[Box]:
        """All that other blocks must keep away from."""
        return [*self.boxes.values(), *self.room]

    @cached_property
    def reach(self) -> tuple[float, float, float, float]:
        """How far it reaches left, right, up and down of the anchor, once it is built."""
        parts = self.parts
        return (-min(p.x for p in parts), max(p.right for p in parts),
                -min(p.y for p in parts), max(p.bottom for p in parts))


def inset(pill: Box, y: float) -> float:
    """How far the round end of a pill recedes at height `y`."""
    r = min(pill.h, 60) / 2
    up = max(0.0, abs(y - pill.cy) - (pill.h / 2 - r))
    return r - math.sqrt(r * r - min(up, r) ** 2)


def port_heights(levels: list[int], high: float) -> list[float]:
    """The first real wire (level 1) leaves at the middle, so that a chain runs straight."""
    count = len(levels)
    step = min(18, (high - 14) / max(1, count - 1))
    if 1 in levels and count <= 3:
        middle = levels.index(1)
        ys = [(k - middle) * step for k in range(count)]
        if min(ys) >= -high / 2 + 4 and max(ys) <= high / 2 - 4:
            return ys
    step = 23 if count == 2 else step
    return [(k - (count - 1) / 2) * step for k in range(count)]


class Builder:
    """Makes the blocks of one graph. `show` says which satellites there are, `values` which texts
    the slots must be able to hold (the player passes the widest of all frames)."""

    def __init__(self, graph: Graph, show: frozenset[str], values: Mapping[str, str], lang: str | None = None) -> None:
        self.graph, self.show, self.lang = graph, show, lang
        self.values = {**words.known_values(graph), **values}
        self.uses = Counter(e.node or e.tensor or "" for n in graph.nodes for e in n.edges)
        self.drawer = DRAWER if "grads" in show else 26
        self.hooks: dict[str, list[Hook]] = {}
        for hook in graph.hooks if "hooks" in show else ():
            self.hooks.setdefault(hook.node, []).append(hook)

    def blocks(self) -> dict[str, Block]:
        """All blocks that are not part of another one."""
        found = {n.id: self.op(n) for n in self.graph.ops}
        inside = {x for block in found.values() for x in block.hangs.values()}
        for node in self.graph.nodes:
            if node.kind == "accumulate" and node.id not in inside:
                found[node.id] = self.leaf(node)
        for t in self.graph.tensors:
            wanted = self.uses[t.id] or t.id in self.graph.roots  # else a note names it
            if t.kind == "constant" and wanted and t.id not in inside and "cards" in self.show:
                found[t.id] = self.constant(t)
        return found

    def slot_width(self, slot: str, known: str | None = "") -> float:
        """How wide the text of a slot can become."""
        return max(width(text or "", bold=True) for text in (known, self.values.get(slot)))

    # ---- an op

    def op(self, node: NodeRecord) -> Block:
        """An op with its notes, its cards, its gates and what hangs from it."""
        block = Block(node.id)
        third = words.third_line(node, self.show)
        wide = max(width(node.op), width(node.name, bold=True), width(third, 12.5), 66) + 24
        several, apart = len(self.graph.outputs(node.id)), 50 if node.id in self.hooks else 32
        high = max(60 if third else CARD, 14 * len(node.edges), apart * several * (several > 1))
        pill = block.boxes[node.id] = Box(-wide / 2, -high / 2, wide, high)
        if "saved" in self.show:
            self.notes(block, node, pill)
        low = self.cards(block, node, pill) if "cards" in self.show else pill.bottom
        self.stem(block, node, pill)
        self.left(block, node, pill, low)
        return block

    def notes(self, block: Block, node: NodeRecord, pill: Box) -> None:
        """Rows of notes above the pill, the first field lowest; freed ones have a word above."""
        near = {e.tensor for e in node.edges if e.node is None and e.tensor}  # to the left of it
        shown = sorted(node.saved, key=lambda s: (s.tensor not in near, not s.is_tensor))[:MANY_NOTES]
        rows: list[list[tuple[str, float, float]]] = []
        for saved in shown:
            w, high = self.note_size(saved)
            if not rows or sum(x[1] + 8 for x in rows[-1]) + w > words.WIDEST:
                rows.append([])
            rows[-1].append((f"{node.id}.{saved.field}", w, high))
        bottom = pill.y - 18
        for row in rows:
            x = -(sum(w for _, w, _ in row) + 8 * (len(row) - 1)) / 2
            for id, w, high in row:
                block.boxes[id] = Box(x, bottom - high, w, high)
                x += w + 8
            bottom -= max(high for _, _, high in row) + 6
        if any(s.is_tensor for s in shown):  # "buffer freed" will stand here
            block.room.append(Box(-40, bottom - 14, 80, 14))
        if len(node.saved) > MANY_NOTES:
            block.boxes[f"more:{node.id}"] = Box(-20, bottom - 16, 40, 16)

    def note_size(self, saved: Saved) -> tuple[float, float]:
        """Width and height of a note; a stale one says why, in a second line."""
        w = width(words.note_label(saved, "versions" in self.show)) + 24
        return (max(w, width(words.stale_label(saved, self.lang))) + 64, CARD) if saved.stale else (w, NOTE)

    def card_size(self, t: TensorRecord) -> tuple[float, float]:
        """Width and height of a tensor's card."""
        name = width(t.name or "", 15, bold=True) + (6 if t.name else 0)
        first = name + width(words.shape_label(t, "versions" in self.show))
        least = 0 if t.kind == "leaf" else 70
        if "values" not in self.show:
            return max(first, least) + 20, 28
        second = max(width(words.value(t, self.lang)), self.slot_width(f"value:{t.id}"))
        return max(first, second, least) + 20, CARD

    def cards(self, block: Block, node: NodeRecord, pill: Box) -> float:
        """The tensors that this op made, beside each other under the pill."""
        outs = self.graph.outputs(node.id)[:MANY_NOTES]
        sizes = [self.card_size(t) for t in outs]
        x, top = -(sum(w for w, _ in sizes) + 8 * (len(sizes) - 1)) / 2, pill.bottom + 26
        low = top
        for t, (w, h) in zip(outs, sizes, strict=True):
            tab = TAB if t.is_view else 0
            card = block.boxes[t.id] = Box(x, top, w, h + tab)
            if len(outs) == 1:  # of several, data leaves at the pill, past the other cards
                block.outs[t.id] = (card.right, card.y + tab + h / 2)
            x, low = x + w + 8, max(low, card.bottom)
            if t.base:
                block.room.append(Box(card.x + 16, card.bottom, 90, 22))
                low = max(low, card.bottom + 22)
            if t.retains_grad and "grads" in self.show:
                grad = self.slot_width(f"grad:{t.id}", t.grad or "None")
                wide = max(width(".grad", mono=True) + 12 + grad, card.w - 10)
                sheet = block.boxes[f"grad:{t.id}"] = Box(card.x, card.bottom + 2, wide + 16, 24)
                block.room.append(Box(sheet.x, sheet.y, sheet.w + 6, 29))
                low = sheet.bottom + 5
        block.room.append(Box(0, pill.bottom, 8 + width(".grad_fn", mono=True), 26))
        return low

    def stem(self, block: Block, node: NodeRecord, target: Box) -> None:
        """The right side: each output has its own entry, with its own gates."""
        outs = self.graph.outputs(node.id)
        for i, t in enumerate(outs):
            self.one_stem(block, node, target, t, target.cy + (i - (len(outs) - 1) / 2) * target.h / len(outs))
        block.entries.setdefault(0, (target.right, target.cy))
        if node.id in {self.graph.tensor(r).node for r in self.graph.roots}:
            x, y = block.entries[0]
            wide = max(36, self.slot_width(f"seed:{node.id}") + 14)
            block.room.append(Box(x, y - 20, wide, 26))
            block.slots[f"seed:{node.id}"] = (x + 14, y - 8, "start")

    def one_stem(self, block: Block, node: NodeRecord, target: Box, t: TensorRecord, y: float) -> None:
        """From the node outwards, against the arrow: pre-hooks, the copy, tensor hooks."""
        side = x = target.right - (inset(target, y) if node.kind == "op" else 0)
        hooks = [h for h in self.hooks.get(node.id, []) if h.nr == t.nr]
        before, on_tensor = ([h for h in hooks if h.kind == kind] for kind in ("pre", "tensor"))
        sheet = block.boxes.get(f"grad:{t.id}") if t.kind == "nonleaf" else None
        if before or on_tensor or sheet:
            x += max(WIRE, self.slot_width(f"in:{node.id}:{t.nr}") + 24)
            block.slots[f"in:{node.id}:{t.nr}"] = ((side + 10 + x) / 2, y - 8, "middle")
        for hook in before:
            x = self.gate(block, hook, x, y, 1) + 10
        if sheet:
            place = max(x + 4 if before else (side + x) / 2 + 6, sheet.right + 16)
            block.boxes[f"copy:{t.id}"] = Box(place - 4.5, y - 4.5, 9, 9)
            block.room.append(Box(place, sheet.y - 50, 12 + width("retain_grad"), 20))
            x = max(x, place + 18)
        for hook in on_tensor:
            x = self.gate(block, hook, x, y, 1) + 10
        block.entries[t.nr] = (x - 10 if on_tensor or (before and not sheet) else x, y)

    def gate(self, block: Block, hook: Hook, x: float, y: float, side: int) -> float:
        """Put a gate and its word to the right (1) or left (-1) of `x`; returns the far end."""
        word_width = width(words.gate_label(self.graph, hook, self.lang))
        wide = max(width(hook.label, bold=True) + 32, 48)
        need = max(wide, word_width)
        middle = x + side * need / 2
        block.boxes[hook.id] = Box(middle - wide / 2, y - GATE / 2, wide, GATE)
        block.room.append(Box(middle - word_width / 2, y - 34, word_width, 18))
        return x + side * need

    # ---- the left side: ports, (None, 0), a leaf or a constant that hangs here

    def left(self, block: Block, node: NodeRecord, pill: Box, low: float) -> None:
        """The side where gradients leave: post-hooks, ports, stubs for `(None, 0)`, room for texts."""
        after = [h for h in self.hooks.get(node.id, []) if h.kind == "post"]
        x = pill.x
        for hook in after:
            x = self.gate(block, hook, x - 10, 0, -1)
        hung = self.hanging(node)
        # (None, 0) on top, wires in the order of slots, the hanging leaf lowest
        level = {e.slot: 0 if e.node is None else 2 if e is hung else 1 for e in node.edges}
        order = sorted(level, key=lambda slot: level[slot])
        for slot, y in zip(order, port_heights([level[s] for s in order], pill.h), strict=True):
            block.ports[slot] = (x + (0 if after else inset(pill, y)), y)
        for e in node.edges:
            px, y = block.ports[e.slot]
            if e.node is None:
                block.boxes[f"none:{node.id}:{e.slot}"] = Box(px - 36, y - 5.5, 11, 11)
                wide = width(words.none_label(e))
                block.room.append(Box(px - 44 - wide, y - 8, 44 + wide, 16))
            elif e is not hung:
                wide, total = (self.slot_width(f"{kind}:{node.id}:{e.slot}") for kind in ("edge", "sum"))
                least = max(WIRE, wide + 28, 96 if e.expands else 0, total + 20)
                block.room.append(Box(px - least, y - 14, least, 20))
        if hung is not None:
            self.hang_leaf(block, node, hung, low)
        self.hang_constant(block, node, pill)

    def hanging(self, node: NodeRecord) -> Edge | None:
        """The edge whose leaf hangs under this op: used once, and without hooks of its own."""
        for e in reversed(node.edges if "cards" in self.show else ()):
            if e.node and e.tensor and self.uses[e.node] == 1 and e.node not in self.hooks:
                target = self.graph.node(e.node)
                if target.kind == "accumulate" and target.leaf not in self.graph.roots:
                    return e
        return None

    def hang_leaf(self, block: Block, node: NodeRecord, e: Edge, low: float) -> None:
        """Drawer and leaf, lower left; the wire drops from the port onto the drawer."""
        id, target = node.edge_id(e.slot), self.graph.node(e.node)
        leaf, (w, h) = self.graph.tensor(target.leaf), self.leaf_size(target)
        cards = [block.boxes[t.id].x for t in self.graph.outputs(node.id) if t.id in block.boxes]
        drop = min([block.ports[e.slot][0] - 30, *(x - 14 for x in cards)])
        top = low + (46 if e.expands else 22)
        card = self.put_leaf(block, target, Box(drop - w / 2, top, w, h))
        block.hangs[e.slot] = target.id
        block.outs[leaf.id] = (drop, card.y)
        wide = self.slot_width(f"edge:{id}")
        block.slots[f"edge:{id}"] = (drop - 7, (low + 8) / 2 + 12, "end")
        block.room.append(Box(drop - 12 - wide, 12, wide + 16, low - 12))
        if e.expands:
            block.boxes[f"sum:{id}"] = Box(drop - 29, top - 40, 58, 24)
            block.slots[f"sum:{id}"] = (drop + 36, top - 23, "start")
            wide = max(self.slot_width(f"sum:{id}"), width(words.broadcast_label(self.graph, node, e)))
            block.room.append(Box(drop + 30, top - 40, wide + 6, 24))

    def hang_constant(self, block: Block, node: NodeRecord, pill: Box) -> None:
        """A named constant input, upper left, beside the note that saved it."""
        once = [e for e in node.edges if e.node is None and e.tensor and self.uses[e.tensor] == 1]
        for e in once[:1] if "cards" in self.show else ():
            if e.tensor and e.tensor not in self.graph.roots:
                w, h = self.card_size(self.graph.tensor(e.tensor))
                notes = [b for id, b in block.boxes.items() if id.startswith(f"{node.id}.")]
                right = min([pill.x - 12, *(b.x - 24 for b in notes)])
                top = block.ports[e.slot][1] - 20 - h
                card = block.boxes[e.tensor] = Box(right - w, top, w, h)
                block.outs[e.tensor] = (card.cx, card.bottom)
                block.hangs[e.slot] = e.tensor

    # ---- leaves and constants on their own

    def leaf_size(self, node: NodeRecord) -> tuple[float, float]:
        """Width of a drawer with its leaf, and height of the leaf."""
        t = self.graph.tensor(node.leaf)
        w, h = self.card_size(t)
        grad = self.slot_width(f"grad:{t.id}", t.grad or "None") if "grads" in self.show else 0
        drawer = max(width("AccumulateGrad", bold=True), width(".grad ", mono=True) + grad + 36)
        return max(w, drawer + 20), h

    def put_leaf(self, block: Block, node: NodeRecord, place: Box) -> Box:
        """The drawer, and glued under it the leaf, whose box it returns."""
        block.boxes[node.id] = Box(place.x, place.y, place.w, self.drawer)
        card = block.boxes[self.graph.tensor(node.leaf).id] = Box(place.x, place.y + self.drawer, place.w, place.h)
        return card

    def leaf(self, node: NodeRecord) -> Block:
        """A leaf of several ops, on its own."""
        block = Block(node.id)
        w, h = self.leaf_size(node)
        card = self.put_leaf(block, node, Box(-w / 2, -self.drawer / 2, w, h))
        self.stem(block, node, block.boxes[node.id])
        block.outs[self.graph.tensor(node.leaf).id] = (card.right, card.cy)
        x = -w / 2
        for hook in self.hooks.get(node.id, []):
            if hook.kind == "post_accumulate":
                x = self.gate(block, hook, x - 20, 0, -1)
        return block

    def constant(self, t: TensorRecord) -> Block:
        """A constant of several ops, on its own."""
        w, h = self.card_size(t)
        box = Box(-w / 2, -h / 2, w, h)
        exit = (box.right, 0)
        return Block(t.id, boxes={t.id: box}, entries={0: exit}, outs={t.id: exit})
