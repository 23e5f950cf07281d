"""The explorer: `draw(...).explore()`, a drawing whose boxes open in place, on the player's stage.

Python lays out each fold state when it is first wanted; a picture tells which states its parts lead to, so the
browser only changes pictures. A page without a kernel takes the nearest states along, as many as fit.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import traitlets
from ipywidgets import widget_serialization

from ..graph.snapshot import Graph, NodeRecord, TensorRecord, by_key
from ..text import both, script_words
from . import levels, words
from .display import Drawing
from .folds import in_both, stand_ins
from .indented import saved_words
from .player import Stage
from .reasons import why_of_parts
from .svg import VIEWS

AT_ONCE, IN_A_PAGE = (60_000, 20), (600_000, levels.MANY_BOXES)  # characters of pictures, boxes in each
NARROW = 350  # px, on a phone
MOST = 2_000  # what can be searched for, and lines of code
PART = re.compile(r' data-id="([^"]+)"')
Row = list[Any]  # what it is, and its value: a text, or one in each language


class State(NamedTuple):
    """Which picture: its view and width, whether loops are drawn whole, and the closed scopes."""

    view: str
    narrow: bool
    whole: bool
    closed: frozenset[str]


class OfDrawing(Stage):
    """A widget that shows a drawing."""

    drawing: Drawing
    shown = True  # nobody has to be told that it was not shown: nothing has run
    scene = traitlets.Dict().tag(sync=True)

    def still(self) -> dict[str, Any]:
        """The drawing as it was."""
        return self.drawing.still()


class Explorer(OfDrawing):
    """A drawing as a widget; see `Drawing.explore`. Fold state, place and choice live in the model."""

    key, chosen = (traitlets.Unicode(first).tag(sync=True) for first in ("0", ""))
    pictures, place = (traitlets.List[Any]().tag(sync=True) for _ in range(2))

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.rolled, graph = drawing, drawing.fold, drawing.graph
        self.turns = levels.fold(graph, repeats=False) if drawing.fold.whole else drawing.fold
        first = State(drawing.view, False, not drawing.fold.whole, drawing.fold.closed)
        self.first, self.states, self.why = first, {first: 0}, why_of_parts(graph)
        lines = by_key((n.line, n.id) for n in sorted(graph.nodes, key=lambda n: n.seq) if n.line and n.line[1])
        code = [[number, text, ids] for (number, text), ids in sorted(lines.items())]
        index = list(self.index())
        roots = ", ".join(graph.tensor(root).name or "…" for root in graph.roots)
        ui = script_words("explorer") | {name: both(f"player.{name}") for name in ("lang", "theme", "controls")}
        scene = {"explore": True, "title": f"draw({roots}).explore()", "ui": ui, "code": code[:MOST],
                 "index": index[:MOST], "remarks": drawing.remarks, "left_out": max(0, len(index) - MOST)}
        super().__init__(scene=scene, pictures=self.nearest(*AT_ONCE), lang=drawing.lang, theme=drawing.theme or "")
        self.on_msg(self._asked)

    # ---- states and where they lead

    def fold(self, state: State) -> levels.Fold:
        """The fold of a state."""
        return (self.turns if state.whole else self.rolled).refolded(state.closed)

    def leads(self, state: State, fold: levels.Fold) -> Iterator[tuple[str, State]]:
        """What can be pressed, and the state to which it leads: scopes, "open", "fold", views, "narrow"."""
        yield from ((box, state._replace(closed=state.closed.difference(fold.graph.chains[box])))
                    for box in fold.boxes if len(fold.inside[box]) > 1)
        yield from ((frame, state._replace(closed=state.closed | {frame})) for frame in sorted(fold.frames))
        yield "open", state._replace(whole=True, closed=frozenset())
        yield "fold", self.first._replace(view=state.view, narrow=state.narrow)
        yield from ((view, state._replace(view=view)) for view in VIEWS)
        yield "narrow", state._replace(narrow=not state.narrow)

    def nearest(self, room: int, boxes: int) -> list[dict[str, Any]]:
        """The first picture and those to which it leads, then those to which they do, until there is no room.

        Those of more than so many boxes are left out, but for the first.
        """
        made: list[dict[str, Any]] = []
        todo = ["0"]
        for key in todo:
            if room >= 0 and (not made or self.fold([*self.states][int(key)]).shown <= boxes):
                made.append(self.picture(key))
                room -= len(made[-1]["svg"])
                todo += [one for one in made[-1]["to"].values() if one not in todo]
        return made

    # ---- one picture

    def picture(self, key: str) -> dict[str, Any]:
        """The picture of a state, the cards of its parts, who is wired to whom, and where one can go from it."""
        state = [*self.states][int(key)]
        drawing = self.drawing.refolded(self.fold(state), state.view, NARROW if state.narrow else self.drawing.width)
        fold = drawing.fold  # asked again and again: what it works out, it keeps
        shown, drawing.lang = drawing.layout.fold, words.PAIR
        picture = in_both(drawing.drawn(None, framed=False))
        alias, to, many = {**stand_ins(self.drawing.graph, fold)[0], **fold.hidden}, {}, {}
        home = {id: drawn for id, drawn in alias.items() if ":" not in id and id != drawn}
        for name, other in self.leads(state, fold):
            if other == state or (other.view == "backward" and self.drawing.view != "backward"):
                continue
            more = len(fold.inside.get(name, self.drawing.graph.ops)) if name not in (*VIEWS, "narrow") else 0
            if fold.shown + more > levels.MANY_BOXES and (
                    count := self.fold(other).shown) > max(fold.shown, levels.MANY_BOXES):
                many[name] = count
            else:
                to[name] = str(self.states.setdefault(other, len(self.states)))
        return {"key": key, "view": state.view, "narrow": state.narrow, "alias": home, "to": to, "many": many,
                **picture, "cards": self.cards(shown, {*PART.findall(picture["svg"])}),
                "links": links(shown, home, state.view),
                "counts": [shown.total, shown.shown, shown.total - len(shown.graph.ops) + len(shown.box)]}

    # ---- what can be said of a part, in words of the API

    def index(self) -> Iterator[tuple[str, str]]:
        """Names, operations and modules, with the ids of their parts."""
        graph = self.drawing.graph
        yield from ((f"{s.path} {s.name}{'()' if s.kind == 'call' else ''}".strip(), s.id)
                    for s in {**self.rolled.scopes, **self.turns.scopes}.values())
        yield from ((" ".join(filter(None, [n.op, n.name, *(t.name for t in graph.outputs(n.id))])), n.id)
                    for n in graph.nodes)
        yield from ((t.name, t.id) for t in graph.tensors if t.kind == "constant" and t.name)

    def cards(self, fold: levels.Fold, drawn: set[str]) -> dict[str, dict[str, Any]]:
        """Id -> title, what follows it, and rows, for all that a picture shows."""
        graph = fold.graph
        why = {id: [["why()", said]] for id, said in self.why.items() if id in drawn}
        made = {t.id: card(t.label, t.size, tensor_rows(t) + why.get(t.id, [])) for t in graph.tensors if t.id in drawn}
        turns = {id: roll.count for roll in fold.rolls.values() for id in roll.turns[-1]}
        for n in (self.drawing.graph.node(n.id) for n in graph.nodes if n.id in drawn):  # a loop's edges go elsewhere
            t = next(iter(graph.outputs(n.id)), None)
            sub = f"{t.name or ''} {t.size}".strip() if t else ""
            sub += f" · {turns[n.id]} / {turns[n.id]}" if n.id in turns else ""  # the turn that is shown
            rows = node_rows(self.drawing.graph, n) + (tensor_rows(t) if t else [])
            made[n.id] = card(n.name, sub, rows + (why.get(n.id) or why.get(t.id if t else "", [])))
        made |= {h.id: card(h.label, h.kind, []) for h in graph.hooks}
        made |= {cut.id: card(*words.cut_label(cut), []) for cut in graph.cuts}
        spans, whole = levels.order_spans(fold), self.drawing.graph
        for id in (*fold.boxes, *sorted(fold.frames)):
            scope, module = fold.scopes[id], words.module(fold, id, {})
            accs = (acc for one in fold.chips_of.get(id, ()) for acc in fold.own.get(one, (one,)))
            params = [f"{t.label} {t.shape}" for t in map(whole.tensor, (whole.node(acc).leaf for acc in accs))]
            rows = [["path", scope.path], ["", f"{len(fold.inside[id])} ops"], ["parameters()", words.several(params)],
                    ["backward()", spans.get(id, "")]]
            made[id] = card(" ".join(words.title_of(fold, id)), module.shapes, rows)
            for chip in (c for c in module.chips if len(c.leaves) > 1):
                first = graph.tensor(chip.leaves[0])
                made[first.id] = made[first.node or ""] = card(chip.name, module.title, rows[2:3])
        return made

    def _asked(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        """The browser wants a picture that it has been told of."""
        if int(content["open"]) < len(self.states):
            self.send({"picture": self.picture(content["open"])})

    # ---- exports

    def state(self) -> dict[str, Any]:
        """What a page needs: it takes the nearest fold states along."""
        return super().state() | {"key": "0", "pictures": self.nearest(*IN_A_PAGE)}

    def __repr__(self) -> str:
        return self.drawing.to_text()


class Picture(OfDrawing):
    """A drawing as a widget: its picture and, once that is pressed, its explorer in the same place."""

    opened = traitlets.Bool(False).tag(sync=True)
    explorer = traitlets.Instance(Explorer, allow_none=True).tag(sync=True, **widget_serialization)

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, scene = drawing, {"drawing": drawing.to_svg(), "ui": script_words("explorer")}
        super().__init__(scene=scene, lang=drawing.lang, theme=drawing.theme or "")
        self.observe(self._opened, "opened")

    def _opened(self, change: Any) -> None:
        """The browser wants the explorer; it is kept, with what was opened there, when the picture comes back."""
        self.explorer = self.explorer or Explorer(self.drawing)

    def close(self) -> None:
        """With the explorer."""
        if self.explorer is not None:
            self.explorer.close()
        super().close()


def card(title: str, sub: str, rows: list[Row]) -> dict[str, Any]:
    """What is shown of one part; rows without a value are left out."""
    return {"title": title, "sub": sub, "rows": [row for row in rows if row[1]]}


def node_rows(graph: Graph, n: NodeRecord) -> list[Row]:
    """What a node keeps."""
    nexts = [graph.node(e.node).name if e.node else words.none_label(e) for e in n.edges]
    saved = [f"{name} = {s.text}" if s.text else name for name, s in zip(saved_words(n), n.saved, strict=True)]
    return [["", n.formula], [f"line {n.line[0]}", n.line[1]] if n.line else ["", ""],
            ["next_functions", words.several(nexts)], ["saved", words.several(saved)],
            ["backward()", f"{n.id[1:]} / {len(graph.nodes)}"],
            ["hooks", words.several([h.label for h in graph.hooks if h.node == n.id])]]


def tensor_rows(t: TensorRecord) -> list[Row]:
    """What is known of a tensor."""
    s, version = t.summary, f"_version {t.version}" if t.version and t.value is not None else ""
    facts = ", ".join(filter(None, [t.dtype.strip("?"), "requires_grad" if t.requires_grad else "", version]))
    return [[t.label, t.value if t.value is not None else both("draw.not_kept")], ["dtype", facts],
            ["min, mean, max", f"{s.min}, {s.mean}, {s.max}" if s and s.mean else ""], ["norm()", s.norm if s else ""],
            [".grad", (t.grad or "None") if (t.kind == "leaf" and t.requires_grad) or t.retains_grad else ""]]


def links(fold: levels.Fold, home: dict[str, str], view: str) -> list[list[str]]:
    """Pairs of what is drawn: a part, and one that its data go to."""
    graph = fold.graph

    def drawn(id: str | None) -> str:
        leaf = graph.nodes_by_id[id].leaf if id in graph.nodes_by_id and view == "forward" else None  # without drawers
        return home.get(id or "", leaf or id or "")

    found = [(drawn(e.node or e.tensor), drawn(n.id)) for n in graph.ops for e in n.edges]
    found += [(drawn(t.node), t.id) if t.kind == "nonleaf" else (t.id, drawn(t.node)) for t in graph.tensors if t.node]
    return [[a, b] for a, b in dict.fromkeys(found) if a and b and a != b]
