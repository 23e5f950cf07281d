"""A block: one op with all that hangs around it, a leaf, a constant, or a closed module.

Measured around its own anchor, the middle of the pill (or drawer, or of a module's title). Notes stand
above, the tensor's card below, a leaf that nobody else uses hangs under it. Hooks stand on the wires, those that run
after the node at its left, the others at its right, where also the copy for retain_grad is taken. `layout` puts
blocks beside each other and never looks inside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from ..graph.snapshot import Cut, Edge, Hook, NodeRecord, Saved, TensorRecord, by_key
from . import words
from .layout import FEW_WIRES, WIRE_STEP, Item, Point, around
from .levels import Fold
from .theme import width

WIRE, CARD, DRAWER, NOTE, GATE, TAB = 30, 46, 42, 24, 26, 9
BADGE = 6  # what the badge with an order number needs above a box, beside what stands between boxes anyway
MANY_NOTES, MANY_CARDS = 2, 420  # above an op; px, of those below it
# x, y, and which part of the text stands there: "start", "middle", "end"; or "stack": a norm's word above its number
TextPlace = tuple[float, float, str]


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

    def touches(self, other: Box) -> bool:
        """Whether the two overlap."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def moved(self, dx: float, dy: float) -> Box:
        """The same box somewhere else."""
        return Box(self.x + dx, self.y + dy, self.w, self.h)


def columns(rows: list[list[str]]) -> list[float]:
    """The widths of a matrix's columns."""
    return [max(map(width, column)) + 12 for column in zip(*rows, strict=True)]


@dataclass
class Block:
    """Boxes, ports and places for texts, relative to the anchor."""

    id: str
    boxes: dict[str, Box] = field(default_factory=dict)  # id of the part -> where it is drawn
    room: list[Box] = field(default_factory=list)  # kept free, though nothing is drawn
    ports: dict[int, Point] = field(default_factory=dict)  # slot -> where its wire leaves, left or below
    entries: dict[int, Point] = field(default_factory=dict)  # output -> wires arrive
    slots: dict[str, TextPlace] = field(default_factory=dict)
    hangs: dict[int, tuple[str, Point]] = field(default_factory=dict)  # slot -> what hangs here, and where it is met
    below: set[int] = field(default_factory=set)  # slots whose wire leaves below
    rim: float = 0  # at both sides, for wires that go round

    @cached_property
    def reach(self) -> tuple[float, float, float, float]:
        """How far it reaches left, right, up and down of the anchor, once it is built."""
        parts = [*self.boxes.values(), *self.room]
        return (-min(p.x for p in parts), max(p.right for p in parts),
                -min(p.y for p in parts), max(p.bottom for p in parts))

    def item(self) -> Item:
        """What the layout sees of it."""
        left, right, up, down = self.reach
        side = {f"{slot}": (x + left, y + up) for slot, (x, y) in self.ports.items()}
        return Item(left + right, up + down, up,
                    inlet={slot: at for slot, at in side.items() if int(slot) not in self.below},
                    outlet={f"{self.id}:{nr}": (right - x, y + up) for nr, (x, y) in self.entries.items()},
                    down={slot: at for slot, at in side.items() if int(slot) in self.below},
                    lid=self.boxes[self.id].w if self.id in self.boxes else 0,  # a text below may be wider
                    rim=self.rim)


def inset(pill: Box, y: float) -> float:
    """How far the round end of a pill recedes at height `y`."""
    r = min(pill.h, 60) / 2
    return r - math.sqrt(r * r - min(max(0.0, abs(y - pill.cy) - (pill.h / 2 - r)), r) ** 2)


def port_heights(levels: list[int], high: float) -> list[float]:
    """How far from the middle each port stands; of two the first real wire (level 1) leaves right there, so that a
    chain runs straight."""
    count = len(levels)
    straight = count == 2 and 1 in levels
    middle = levels.index(1) if straight else (count - 1) / 2
    step = 23 if count == 2 and not straight else min(18, (high - 14) / max(1, count - 1))
    return [(k - middle) * step for k in range(count)]


class Builder:
    """Makes the blocks of one graph. `show` says which satellites there are, `values` which texts
    the slots must be able to hold (the player passes the widest of all frames)."""

    def __init__(self, fold: Fold, show: frozenset[str], values: Mapping[str, str], lang: str | None) -> None:
        self.graph, self.fold, self.show, self.lang = fold.graph, fold, show, lang
        self.values = {**words.known_values(fold.graph), **values}
        if fold.rolls:
            self.values |= {f"edge:{id}": f"× {times} 0" for id, (n, e) in self.graph.edges.items()
                            if (times := fold.times(n, e)) > 1}
        self.labels: dict[str, words.BoxLabel] = {}
        self.rooms: dict[str, float] = {}  # slot -> how far its text sticks out to the left of its block
        self.cut_off = {cut.node for cut in self.graph.cuts}
        self.hidden = {**fold.chips, **fold.box}  # node -> the closed box that hides it
        self.drawer = DRAWER if "grads" in show else 26
        self.hooks = by_key((hook.node, hook) for hook in self.graph.hooks if "hooks" in show)

    def blocks(self) -> dict[str, Block]:
        """All blocks that are not part of another one."""
        graph, fold = self.graph, self.fold
        found = {n.id: self.op(n) for n in graph.ops if n.id not in fold.box}
        found |= {id: self.module(id) for id in fold.boxes}
        within = {(cut.tensor, self.home(cut)) for cut in graph.cuts if self.goes_back(cut)}
        inside = {x for block in found.values() for x, _ in block.hangs.values()} | fold.chips.keys()
        found |= {n.id: self.leaf(n) for n in graph.nodes if n.kind == "accumulate" and n.id not in inside}
        for t in graph.tensors:
            used = [op for op in self.graph.users.get(t.id, ()) if (t.id, fold.box.get(op)) not in within]
            alone = t.kind == "constant" and t.id not in inside and "cards" in self.show  # unused, a note names it
            if (alone and (used or t.id in graph.roots)) or (t.id in graph.roots and t.node in fold.box):
                found[t.id] = self.constant(t)
        drawn = (cut for cut in graph.cuts if not cut.ran and cut.node in {None, *found, *self.hidden}
                 and not self.goes_back(cut))
        return found | {one.id: self.cut(one) for cut in drawn for one in graph.onward[cut.id]}

    def ends(self, cut: Cut, *after: Cut) -> set[str]:
        """The ops that take what was left by a cut, or by what ran after it; those in the same closed box as what was
        cut are hidden with it."""
        named = {op for one in (cut, *after) if one.tensor for op in self.graph.users.get(one.tensor, ())}
        into = {edge.partition(":")[0] for one in (cut, *after) for edge in one.into}
        return named.union(op for op in into if self.fold.box.get(op, op) != self.home(cut))

    def home(self, cut: Cut) -> str | None:
        """The closed box that hides what was cut; where nobody knows what that was, the one in whose call it was."""
        return self.hidden.get(cut.node or "") if cut.node else self.fold.hidden.get(cut.scope)

    def goes_back(self, cut: Cut) -> bool:
        """Whether all that was cut in a closed box goes into the same box: it hides the cut, too."""
        onward = self.graph.onward[cut.id]
        box, ends = self.home(cut), self.ends(*onward)
        return (any(one.into for one in onward) and not ends) or box in {self.fold.box.get(op, "") for op in ends}

    def cut(self, cut: Cut) -> Block:
        """The card of a place where a tensor was cut off, with room for the scissors before it; or of what ran then."""
        first, second = words.cut_label(cut)
        wide = max(width(first, bold=True), width(second, mono=True)) + 20
        box, several = Box(-wide / 2, -22, wide, 44), len(cut.after) + (not cut.ran)
        ports = {i: (box.x, min(14, 30 / several) * (i - (several - 1) / 2)) for i in range(several)}
        found = Block(cut.id, boxes={cut.id: box}, ports=ports, entries={0: (box.right, 0)})
        if not cut.ran:
            found.boxes[f"scissors:{cut.id}"] = Box(box.x - 30, ports[several - 1][1] - 10, 20, 20)
        return found

    def slot_width(self, slot: str, known: str | None = "") -> float:
        """How wide the text of a slot can become."""
        return max(width(text or "", bold=True) for text in (known, self.values.get(slot)))

    def norm_width(self, slot: str) -> float:
        """The same at the port of a wire: at a box of few wires a norm has two lines."""
        text, box = self.values.get(slot, ""), self.fold.box.get(slot[5:].partition(":")[0])
        lines = text.split() if text.startswith("‖") and box and self.stacks(box) else [text]
        return max(width(line, bold=True) for line in lines)

    # ---- an op

    def op(self, node: NodeRecord) -> Block:
        """An op with its notes, its cards, its gates and what hangs from it."""
        block, third = Block(node.id), words.third_line(node, self.show)
        wide = max(width(node.op) + (46 if third else 0), width(node.name, bold=True), width(third, 12.5), 66) + 24
        sums = [t for t in self.graph.outputs(node.id) if f"meet:{node.id}:{t.nr}" in self.values]
        several, apart = len(self.graph.outputs(node.id)), 50 if sums or node.id in self.hooks else 32
        high = max(60 if third else CARD, 18 * (len(self.ports(node)) - 1) + 14, apart * several * (several > 1))
        pill = block.boxes[node.id] = Box(-wide / 2, -high / 2, wide, high)
        block.room.append(Box(0, pill.y - BADGE, 1, BADGE))
        if "saved" in self.show:
            self.notes(block, node, pill)
        low = self.cards(block, node, pill) if "cards" in self.show else pill.bottom
        self.stem(block, node, pill)
        self.left(block, node, pill, low)
        self.meetings(block, node, pill, low == pill.bottom and not block.below and len(block.entries) == 1)
        return block

    def notes(self, block: Block, node: NodeRecord, pill: Box) -> None:
        """Rows of notes above the pill, those that teach; of the others their number."""
        shown, more = words.notes(node, MANY_NOTES)
        sizes = [(f"{node.id}.{saved.field}", *self.note_size(saved)) for saved in shown]
        sizes += [(f"more:{node.id}", width(f"+{more}") + 20, NOTE)] if more else []
        rows: list[list[tuple[str, float, float]]] = []
        for id, w, high in sizes:
            if not rows or sum(x[1] + 8 for x in rows[-1]) + w > words.WIDEST:
                rows.append([])
            rows[-1].append((id, w, high))
        bottom = pill.y - 16
        for row in rows:
            x = -(sum(w for _, w, _ in row) + 8 * (len(row) - 1)) / 2
            for id, w, high in row:
                block.boxes[id] = Box(x, bottom - high, w, high)
                x += w + 8
            bottom -= max(high for _, _, high in row) + 6
        freed = [s for s in shown if s.freed or (s.is_tensor and "frees" in self.show)]
        if freed:  # "buffer freed" stands above them, or will
            middle = sum(block.boxes[f"{node.id}.{s.field}"].cx for s in freed) / len(freed)
            block.room.append(Box(middle - 40, bottom - 14, 80, 14))

    def note_size(self, saved: Saved) -> tuple[float, float]:
        """Width and height of a note; a stale one says why, in a second line."""
        w = width(words.note_label(self.graph, saved, "versions" in self.show)) + 24
        return (max(w, width(words.stale_label(saved, self.lang))) + 64, CARD) if saved.stale else (w, NOTE)

    def card_size(self, t: TensorRecord) -> tuple[float, float]:
        """Width and height of a tensor's card."""
        name, extra, value = words.card(t, self.fold, self.show, self.lang)
        first = (width(name, 15, bold=True) + 6 if name else 0) + width(extra)
        rows, lines = words.figure(t, self.fold, self.show)
        tab = TAB if t.kind == "nonleaf" and t.is_view else 0
        if rows or lines:
            bars = 6 * len(t.summary.sample) if t.summary else 0
            wide = max(bars, *map(width, lines)) if lines else sum(columns(rows))
            return max(first, wide) + 24, 28 + (17 * len(rows) + 6 if rows else 72) + tab
        least = 40 if self.fold.home else 0 if t.kind == "leaf" else 70
        if not value:
            return max(first, least) + 20, 28 + tab
        return max(first, width(value), self.slot_width(f"value:{t.id}"), least) + 20, CARD + tab

    def cards(self, block: Block, node: NodeRecord, pill: Box) -> float:
        """The tensors that this op made, beside each other under the pill."""
        outs = [t for t in self.graph.outputs(node.id) if words.has_card(self.fold, t)]
        if not outs:
            return pill.bottom
        sizes = [self.card_size(t) for t in outs]
        stubs = [52 + width(words.again_label(self.graph.tensor(t.base)), bold=True) if t.base else 0 for t in outs]
        steps = [max(w, stub) + 8 for (w, _), stub in zip(sizes, stubs, strict=True)]
        steps = steps[:max(1, sum(end < MANY_CARDS for end in accumulate(steps)))]
        x, top = -(sum(steps[:-1]) + sizes[len(steps) - 1][0]) / 2, pill.bottom + 24
        low = top
        for t, (w, h), stub, step in zip(outs, sizes, stubs, steps, strict=False):
            card = block.boxes[t.id] = Box(x, top, w, h)
            x, low = x + step, max(low, card.bottom)
            if t.base:
                block.room.append(Box(card.x + 16, card.bottom, stub - 16, 22))
                low = max(low, card.bottom + 22)
            if t.retains_grad and "grads" in self.show:
                grad = self.slot_width(f"grad:{t.id}", t.grad or "None")
                wide = max(width(".grad", mono=True) + 12 + grad, card.w - 10)
                sheet = block.boxes[f"grad:{t.id}"] = Box(card.x, card.bottom + 2, wide + 16, 24)
                block.room.append(Box(sheet.x, sheet.y, sheet.w + 6, 29))
                low = sheet.bottom + 5
        if more := len(outs) - len(steps):
            block.slots[f"cards:{node.id}"] = (x, top + 17, "start")
            block.room.append(Box(x, top, width(f"+{more}"), 24))
        right = card.cx if len(self.graph.outputs(node.id)) > 1 else 0  # where the last one hangs
        block.room.append(Box(right, pill.bottom, 8 + width(".grad_fn", mono=True), 24))
        return low

    def stem(self, block: Block, node: NodeRecord, target: Box) -> None:
        """The right side: each output has its own entry, with its own gates."""
        outs = self.graph.outputs(node.id)
        far = [self.one_stem(block, node, target, t, target.cy + (i - (len(outs) - 1) / 2) * target.h / len(outs))
               for i, t in enumerate(outs)]
        block.entries.setdefault(0, (target.right, target.cy))
        if node.id in {self.graph.tensor(r).node for r in self.graph.roots}:
            x, y = block.entries[0]
            start = max(x + 14, *far)
            block.room.append(Box(x, y - 20, max(36, start - x + self.slot_width(f"seed:{node.id}")), 26))
            block.slots[f"seed:{node.id}"] = (start, y - 8, "start")

    def one_stem(self, block: Block, node: NodeRecord, target: Box, t: TensorRecord, y: float) -> float:
        """From the node outwards, against the arrow: pre-hooks, the copy, tensor hooks; where the words of all end."""
        side = x = target.right - (inset(target, y) if node.kind == "op" else 0)
        hooks = [h for h in self.hooks.get(node.id, []) if h.nr == t.nr]
        before, on_tensor = ([h for h in hooks if h.kind == kind] for kind in ("pre", "tensor"))
        sheet = block.boxes.get(f"grad:{t.id}") if t.kind == "nonleaf" else None
        if before or on_tensor or sheet:
            x += max(WIRE, self.slot_width(f"in:{node.id}:{t.nr}") + 20)
            block.slots[f"in:{node.id}:{t.nr}"] = ((side + 10 + x) / 2, y - 8, "middle")
        for hook in before:
            x = self.gate(block, hook, x, y, 1) + 10
        if sheet:
            place = max(x + 4 if before else x - 9, sheet.right + 16)
            block.boxes[f"copy:{t.id}"] = Box(place - 4.5, y - 4.5, 9, 9)
            block.room.append(Box(place, sheet.y - 50, 12 + width("retain_grad"), 20))
            x = max(x, place + 9)
        for hook in on_tensor:
            x = self.gate(block, hook, x, y, 1) + 10
        last = (on_tensor or before)[-1:] if on_tensor or not sheet else []
        block.entries[t.nr] = (block.boxes[last[0].id].right if last else x, y)
        # what the outermost gate receives; of a root that stands there
        if t.id not in self.graph.roots and (wide := self.slot_width(f"got:{node.id}:{t.nr}")):
            block.room.append(Box(x, y - 20, wide + 10, 26))
            block.slots[f"got:{node.id}:{t.nr}"] = (x + wide / 2, y - 8, "middle")
        return x

    def meetings(self, block: Block, node: NodeRecord, pill: Box, bare: bool) -> None:
        """Room for the sums of what arrives: under a `bare` pill, else over and under the wire."""
        for t in self.graph.outputs(node.id):
            slot, (x, y) = f"meet:{node.id}:{t.nr}", block.entries[t.nr]
            gates = [block.boxes[h.id].cx + width(words.gate_label(self.graph, h, self.lang)) / 2
                     for h in self.hooks.get(node.id, []) if h.nr == t.nr and h.id in block.boxes]
            if bare and not gates:
                self.sum_lines(block, slot, pill.x + 14, pill.bottom + 17, 18)  # right of the texts of ports
            else:
                seed = f"seed:{node.id}"
                first = block.slots[seed][0] + self.slot_width(seed) + 6 if t.id in self.graph.roots else x
                self.sum_lines(block, slot, max(x, first, *gates) + 6, y - 8, 25)

    def sum_lines(self, block: Block, slot: str, x: float, y: float, step: float) -> None:
        """Room for the equation of gradients that meet, whose second line stands lower by `step`."""
        for k, part in enumerate(self.values.get(slot, "").split("\n")):
            if part:
                block.slots[f"{slot}:{k}"] = (x, y + step * k, "start")
                block.room.append(Box(x, y - 15 + step * k, width(part, bold=True) + 6, 20))

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
        after, x = [h for h in self.hooks.get(node.id, []) if h.kind == "post"], pill.x
        for hook in after:
            x = self.gate(block, hook, x - 10, 0, -1) - 6
        bare = low == pill.bottom and not after
        hung = self.hanging(node)[:None if bare else 1]
        leaves = [e for e in node.edges if bare and (e in hung or (e.node and self.on_shelf(e.node)))]
        block.below = {e.slot for e in leaves}
        beside = [e for e in self.ports(node) if e.slot not in block.below]
        # (None, 0) on top, wires in the order of slots, the hanging leaf lowest
        level = {e.slot: 0 if e.node is None else 2 if e in hung else 1 for e in beside}
        order = sorted(level, key=level.__getitem__)
        for slot, y in zip(order, port_heights([level[s] for s in order], pill.h), strict=True):
            block.ports[slot] = (x + (0 if after else inset(pill, y)), y)
        inside = [e for e in beside if node.edge_id(e.slot) not in self.fold.round]
        for e in sorted(inside, key=lambda e: e.node is not None):
            if e in node.edges and e.node is None and not node.error:
                self.none(block, node, e)
            elif e.expands and e not in hung:
                self.sum_beside(block, node, e)
        if bare:
            self.hang_below(block, node, leaves, hung, pill)
        elif hung:
            self.hang_left(block, node, hung[0], low)
        self.hang_constant(block, node, pill)
        self.port_texts(block, [e for e in beside if e.slot not in block.hangs and (
            e.node or e.tensor or node.error or node.edge_id(e.slot) in self.graph.severed)])

    def port_texts(self, block: Block, edges: list[Edge]) -> None:
        """The gradients' texts at the left ports: upper ones above the wire, lower ones below, and where
        something stands there already, beside the block."""
        parts = [*(box for id, box in block.boxes.items() if id[:4] != "sum:"), *block.room]
        left, ys = min(part.x for part in parts), sorted(block.ports[e.slot][1] for e in edges)
        for e in sorted(edges, key=lambda e: block.ports[e.slot][1]):
            slot = f"edge:{block.id}:{e.slot}"
            wide, (x, y) = self.norm_width(slot), block.ports[e.slot]
            over = y - (4 if any(0 < y - other < 22 for other in ys) else 8)  # closer where another wire is near
            under = y + (14 if any(0 < other - y < 22 for other in ys) else 17)
            rows = (over, under) if y <= (ys[0] + ys[-1]) / 2 else (under, over)
            digit = max(wide, 8)  # a player's texts come later
            texts = [Box(right - digit, row - 11, digit, 13) for right in (x - 8, left - 4) for row in rows]
            at = next((t for t in texts if not any(t.touches(part) for part in parts)), texts[2])
            parts.append(at)
            block.slots[slot] = (at.right, at.y + 11, "end")
            self.rooms[slot] = max(0, left - at.x + 6) if wide else 16 if len(edges) > 1 else 0  # for its number
            if wide:
                block.room.append(Box(x, at.y, 0, at.h))  # no wire of the next row runs through it

    def ports(self, node: NodeRecord) -> list[Edge]:
        """The edges of a node, and one more where what was cut off goes in and is no input with an edge."""
        more = Edge(len(node.edges), None)
        return [*node.edges, *[more] * (node.edge_id(more.slot) in self.graph.severed)]

    def none(self, block: Block, node: NodeRecord, e: Edge) -> None:
        """The stub of `(None, 0)`."""
        px, y = min(block.ports[e.slot][0], block.boxes[node.id].x), block.ports[e.slot][1]
        wide = width(words.none_label(e))
        block.boxes[f"none:{node.id}:{e.slot}"] = Box(px - 32, y - 5.5, 11, 11)
        over = y == min(y for _, y in block.ports.values())  # the uppermost has its words above the line
        x, others = px - 17, block.boxes.values()
        if not over or any(Box(x - wide, y - 23, wide, 16).touches(part) for part in others):
            over = over and node.edge_id(e.slot) in self.graph.severed  # whose wire ends there
            x = min(part.x for part in others if part.touches(Box(px - 999, y - 23, 999, 16))) - 4 if over else px - 37
        block.slots[f"none:{node.id}:{e.slot}"] = (x, y - 11 if over else y + 4.5, "end")
        block.room.append(Box(min(x - wide, px - 32), y - 23 if over else y - 8, 34, 16 + 15 * over))
        block.room += [Box(x - wide, y - 23 if over else y - 8, wide, 16), Box(px - 21, y - 1, 21, 2)]  # and the line

    def sum_beside(self, block: Block, node: NodeRecord, e: Edge) -> None:
        """The engine's `sum` on the wire that leaves to the left, with what it adds up."""
        (px, y), id = block.ports[e.slot], node.edge_id(e.slot)
        wide = max(self.sum_width(node, e), 58)
        up = y <= 0 and y < max(y for _, y in block.ports.values())
        parts = Box(px - 20 - wide, y - 32 if up else y + 14, wide + 20, 20), Box(px - 49 - wide / 2, y - 12, 58, 24)
        px = min([px, *(b.x for b in [*block.boxes.values(), *block.room] if any(map(b.touches, parts)))])
        block.boxes[f"sum:{id}"] = Box(px - 20 - wide / 2 - 29, y - 12, 58, 24)
        block.slots[f"sum:{id}"] = (px - 20 - wide / 2, y + (-18 if up else 27), "middle")
        block.room.append(Box(px - 24 - wide, y - (32 if up else 12), wide + 8, 44))

    def sum_below(self, block: Block, node: NodeRecord, e: Edge, x: float, y: float, side: int = 1) -> None:
        """The same on a wire that leaves below, at `x`; what it adds up stands at its right, or its left (-1)."""
        id, wide = node.edge_id(e.slot), self.sum_width(node, e) + 10
        block.boxes[f"sum:{id}"] = Box(x - 29, y, 58, 24)
        block.slots[f"sum:{id}"] = (x + 36 * side, y + 17, "start" if side > 0 else "end")
        block.room.append(Box(x + 30 if side > 0 else x - 30 - wide, y, wide, 28))

    def sum_width(self, node: NodeRecord, e: Edge) -> float:
        """How wide what the engine adds up can become, or what it says of it."""
        return max(self.slot_width(f"sum:{node.edge_id(e.slot)}"), width(words.broadcast_label(self.graph, node, e)))

    def hanging(self, node: NodeRecord) -> list[Edge]:
        """The edges whose leaf hangs under this op: nobody else uses it, and nothing else
        stands at it. Two at most."""
        found: dict[str, Edge] = {}
        for e in reversed(node.edges if "cards" in self.show else ()):
            if e.node and e.tensor and self.graph.users[e.node] == {node.id} and self.is_plain(e.node):
                found.setdefault(e.node, e)
        return list(found.values())[:2]

    def on_shelf(self, id: str) -> bool:
        """Whether a leaf stands on a shelf: several ops use it, and nothing else stands at it."""
        return len(self.graph.users.get(id, ())) > 1 and self.is_plain(id)

    def is_plain(self, id: str) -> bool:
        """Whether a node is that of a leaf at which only wires end: no hook, no cut, no loop; and no root."""
        leaf = self.graph.node(id).leaf
        apart = id in self.hooks or id in self.cut_off or id in self.fold.starts
        return leaf is not None and leaf not in self.graph.roots and not apart

    def hang_below(self, block: Block, node: NodeRecord, leaves: list[Edge], hung: list[Edge], pill: Box) -> None:
        """Leaves straight under the pill, side by side; each use has its own wire."""
        ids = dict.fromkeys(e.node for e in hung[::-1])
        uses = sorted((e for e in node.edges if e.slot in block.below or e.node in ids),
                      key=lambda e: ([*ids].index(e.node) if e.node in ids else len(ids), e.slot))
        block.below |= {e.slot for e in uses}
        block.ports = {slot: at for slot, at in block.ports.items() if slot not in block.below}
        air = 28 if "frees" in self.show else 12  # a player's texts come two characters short, see `widest_texts`
        labels = [max(self.slot_width(f"edge:{node.edge_id(e.slot)}"), 8) + air for e in uses]
        sums = any(e.expands for e in uses)
        sizes = {id: self.leaf_size(self.graph.node(id)) for id in ids}
        beside = dict(zip([e.node for e in uses], labels, strict=True))  # texts right of their wires, left of badges
        half = pill.w / 2 - min(pill.h, 60) / 4
        free = [e for e in uses if e.node not in ids]
        aside = sum(labels[uses.index(e)] for e in free[1:]) - half  # the last wire that goes past the leaves
        pairs = by_key(((e.node, label) for e, label in zip(uses, labels, strict=True)), ids)
        apart = {id for id, two in pairs.items() if len(two) == 2 and not free and two[1] > 2 * half}  # at both sides
        least = {id: beside[id] + 50 if free else 2 * beside[id] + (100 if id in apart else -8)
                 if len(ids) > 1 or id in apart else 0 for id in ids}
        sizes = {id: (max(w, least[id]), h) for id, (w, h) in sizes.items()}
        x = max(-(sum(w for w, _ in sizes.values()) + 12 * (len(sizes) - 1)) / 2, aside + 12 if free else -math.inf)
        tops: dict[str | None, Box] = {}
        for id, (w, h) in sizes.items():
            tops[id] = Box(x, pill.bottom + (72 if sums else 32), w, h)
            self.put_leaf(block, self.graph.node(id), tops[id])
            x += w + 12
        for e, label in zip(uses, labels, strict=True):
            group = [u for u in uses if u.node == e.node] if e.node in ids else free
            leaf, right = tops.get(e.node), bool(free and e.node in tops)
            span = [labels[uses.index(u)] for u in group][slice(None, -1) if right else slice(1, None)]
            if leaf and e.node in apart:
                right, span = e is group[1], [16 + 24 * sum(u.expands for u in group)]
            middle = (leaf.x + 16 if free else leaf.cx) if leaf else (aside - half) / 2 if ids else 0
            px = middle + sum(span[:group.index(e)]) - sum(span) / 2
            if not ids and abs(px) > half:  # the wire is nearer: the text of the last one stands beyond it
                px, right = math.copysign(half, px), px > half
            self.down_port(block, node, e, px, pill, leaf, label, right)
            if e.expands:
                self.sum_below(block, node, e, px, pill.bottom + 26, -1 if uses[1:] and e is [*free, *uses][0] else 1)

    def down_port(self, block: Block, node: NodeRecord, e: Edge, px: float, pill: Box, leaf: Box | None,
                  label: float, right: bool) -> None:
        """A port at the lower side, and the text of its wire, left of it or `right`."""
        id, half = node.edge_id(e.slot), pill.w / 2 - min(pill.h, 60) / 4
        block.ports[e.slot] = (min(max(px, -half), half), pill.bottom)
        block.slots[f"edge:{id}"] = (px + 6 if right else px - 6, pill.bottom + 20, "start" if right else "end")
        block.room.append(Box(px if right else px - label, pill.bottom, label, 24))
        if leaf is not None:
            block.hangs[e.slot] = (e.node or "", (px, leaf.y))

    def hang_left(self, block: Block, node: NodeRecord, e: Edge, low: float) -> None:
        """Drawer and leaf under the cards; the wires drop beside them onto the drawer."""
        target = self.graph.node(e.node)
        uses = [u for u in node.edges if u.node == e.node]
        w, h = self.leaf_size(target)
        cards = [block.boxes[t.id].x for t in self.graph.outputs(node.id) if t.id in block.boxes]
        drop = min([block.ports[e.slot][0] - 14, *(x - 14 for x in cards)])
        top, step = low + (58 if e.expands else 26), 12
        if text := self.slot_width(f"edge:{node.edge_id(uses[-1].slot)}"):  # the badge stands to the right of it
            w = max(w, 58 + step * (len(uses) - 1) + text)
        self.put_leaf(block, target, Box(drop - 12 - step * (len(uses) - 1), top, w, h))
        for k, u in enumerate(uses[::-1]):
            id, x = node.edge_id(u.slot), drop - step * k
            block.hangs[u.slot] = (target.id, (x, top))
            block.slots[f"edge:{id}"] = (drop + 7, top - 8 - 16 * k, "start") if k == 0 else (x - 6, top - 8, "end")
            wide = self.slot_width(f"edge:{id}")
            block.room.append(Box(drop, top - 20, wide + 12, 20) if k == 0 else Box(x - 8 - wide, top - 20, wide, 20))
        if e.expands:
            self.sum_below(block, node, e, drop, low + 10)

    def hang_constant(self, block: Block, node: NodeRecord, pill: Box) -> None:
        """A named constant input, upper left, beside the note that saved it."""
        once = [e for e in node.edges if e.node is None and e.tensor and len(self.graph.users[e.tensor]) == 1]
        for e in once[:1] if "cards" in self.show else ():
            apart = (*self.graph.roots, *self.fold.round.values(), *(cut.tensor for cut in self.graph.cuts))
            if e.tensor and e.tensor not in apart:
                w, h = self.card_size(self.graph.tensor(e.tensor))
                notes = [b for id, b in block.boxes.items() if id.startswith((f"{node.id}.", "more:"))]
                right = min([pill.x - 4, *(b.x - 20 for b in notes)])
                card = block.boxes[e.tensor] = Box(right - w, block.ports[e.slot][1] - 26 - h, w, h)
                block.hangs[e.slot] = (e.tensor, (card.cx, card.bottom))

    # ---- leaves and constants on their own

    def leaf_size(self, node: NodeRecord) -> tuple[float, float]:
        """Width of a drawer with its leaf, and height of the leaf."""
        t = self.graph.tensor(node.leaf)
        w, h = self.card_size(t)
        grad = self.slot_width(f"grad:{t.id}", t.grad or "None") if "grads" in self.show else 0
        return max(w, width("AccumulateGrad", bold=True) + 20, width(".grad ", mono=True) + grad + 56), h

    def put_leaf(self, block: Block, node: NodeRecord, place: Box) -> None:
        """The drawer, and glued under it the leaf; the sum of its gradients below."""
        block.boxes[node.id] = Box(place.x, place.y, place.w, self.drawer)
        card = block.boxes[self.graph.tensor(node.leaf).id] = Box(place.x, place.y + self.drawer, place.w, place.h)
        self.sum_lines(block, f"total:{node.id}", card.x, card.bottom + 17, 18)

    def leaf(self, node: NodeRecord) -> Block:
        """A leaf that hangs under no op."""
        block = Block(node.id)
        w, h = self.leaf_size(node)
        self.put_leaf(block, node, Box(-w / 2, -self.drawer / 2, w, h))
        if not self.on_shelf(node.id):
            self.stem(block, node, block.boxes[node.id])
        x = -w / 2
        for hook in (h for h in self.hooks.get(node.id, []) if h.kind == "post_accumulate"):
            x = self.gate(block, hook, x - 20, 0, -1)
        return block

    def constant(self, t: TensorRecord) -> Block:
        """A constant that hangs at no op, or the result of a closed module."""
        w, h = self.card_size(t)
        box = Box(-w / 2, -h / 2, w, h)
        return Block(t.id, boxes={t.id: box}, entries={0: (box.right, 0)}, ports={0: (box.x, 0)})

    # ---- a closed module

    @cached_property
    def arriving(self) -> dict[str, list[tuple[str, Edge]]]:
        """Closed scope -> the edges that have a wire to it, and the cuts that have one."""
        fold, cards = self.fold, "cards" in self.show
        drawn = ((id, *self.graph.edges[id]) for id, wire in fold.wires.items() if id == wire)
        cuts = [(fold.box.get(op, ""), ("", Edge(0, None))) for cut in self.graph.cuts for op in self.ends(cut)]
        return by_key([*((fold.box[n.id], (id, e)) for id, n, e in drawn if e.node or (e.tensor and cards)), *cuts])

    def stacks(self, box: str) -> bool:
        """Whether a norm at a wire to a closed box stands in two lines: of many wires each has room for one."""
        return len(self.arriving.get(box, ())) <= FEW_WIRES

    def module(self, id: str) -> Block:
        """A box with title, shapes, and a chip for each parameter."""
        label = self.labels[id] = words.module(self.fold, id, self.values, self.lang)
        wide, high = label.size
        wires = self.arriving.get(id, ())
        below = [self.slot_width(f"edge:{edge}") + 18 for edge, e in wires if e.node and self.on_shelf(e.node)]
        wide, high = max([wide, *(len(below) * w for w in below)]), max(high, WIRE_STEP * (len(wires) - 1) + 24)
        side, up = around(len(self.fold.rolls[id].loops) if id in self.fold.rolls else 0)
        block = Block(id, boxes={id: Box(-wide / 2, -26, wide, high)}, rim=side)
        up = max(up, 12 if len(wires) == FEW_WIRES else BADGE)  # for a norm in two lines
        block.room.append(Box(-wide / 2 - side, -26 - up, wide + 2 * side, up))
        return block
