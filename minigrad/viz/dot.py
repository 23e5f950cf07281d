"""The graph as Graphviz source: plain labels, one statement a line, the same text every time.

Tests compare it, and readers carry it to their own tools; our own pictures come from `svg`.
"""

from ..graph.snapshot import Edge, Graph, Hook, NodeRecord, Saved, TensorRecord
from . import words
from .levels import Fold
from .theme import colours


def quote(text: str) -> str:
    """A DOT string; `\\n` stays a line break, everything else is literal."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(c for c in inner if c.isprintable()) + '"'


class Writer:
    """Writes one view of a graph."""

    def __init__(self, fold: Fold, view: str, theme: str) -> None:
        self.graph, self.fold, self.view, self.colours = fold.graph, fold, view, colours(theme)
        self.lines: list[str] = []
        self.drawn: set[tuple[str, str]] = set()  # arrows from and to closed boxes, of which one is enough

    def put(self, statement: str, **attributes: str) -> None:
        """One statement with its attributes."""
        listed = ", ".join(f"{k}={quote(v)}" for k, v in attributes.items())
        self.lines.append(f"  {statement} [{listed}];")

    def box(self, id: str, label: str, token: str, outline: str, style: str = "filled") -> None:
        """A node of Graphviz; its colours are those of a token."""
        self.put(quote(id), label=label, shape=outline, style=style, color=self.colours[token],
                 fillcolor=self.colours[f"{token}-fill"])

    def arrow(self, start: str, end: str, **attributes: str) -> None:
        """A line between two ids; its colour is a token."""
        start, end = self.shown(start), self.shown(end)
        if start in self.fold.closed or end in self.fold.closed:
            if start == end or (start, end) in self.drawn:
                return
            self.drawn.add((start, end))
        attributes["color"] = self.colours[attributes["color"]]
        self.put(f"{quote(start)} -> {quote(end)}", **attributes)

    def shown(self, id: str) -> str:
        """The box that hides a node, or a tensor that one made; else the id itself."""
        t = self.graph.tensors_by_id.get(id)
        return self.fold.box.get(t.node or "" if t and id not in self.graph.roots else id, id)

    def source(self) -> str:
        """The whole file."""
        for node in self.graph.nodes:
            self.node(node)
        for id in self.fold.boxes:
            self.module(id)
        for t in self.graph.tensors:
            if t.node not in self.fold.chips and (t.node not in self.fold.box or t.id in self.graph.roots):
                self.tensor(t)
        for cut in self.graph.cuts:
            kind, line = words.cut_label(cut)
            self.box(cut.id, f"{'✂ ' * (not cut.ran)}{kind}\n{line}", "constant", "box", "filled,dashed")
            ends = [(self.fold.chips.get(cut.node, cut.node), cut.id)] if cut.node else []
            ends += [(id, cut.id) for id in cut.after if id in self.graph.onward]
            for a, b in (*ends, *((cut.id, edge.partition(":")[0]) for edge in cut.into)):
                self.arrow(a, b, style="dashed", color="wire")
        for hook in self.graph.hooks if self.view != "forward" else ():
            if hook.node not in self.fold.box and hook.node not in self.fold.chips:
                self.hook(hook)
        self.clusters("")
        page, ink, muted = (quote(self.colours[c]) for c in ("page", "ink", "muted"))
        head = ["digraph minigrad {", f"  rankdir={'LR' if self.view == 'forward' else 'RL'};",
                f"  graph [bgcolor={page}];", f'  node [fontname="Helvetica", fontsize="11", fontcolor={ink}];',
                f'  edge [fontname="Helvetica", fontsize="10", fontcolor={muted}];']
        return "\n".join([*head, *self.lines, "}"]) + "\n"

    def module(self, id: str) -> None:
        """A closed scope: title, shapes, parameters."""
        label = words.module(self.fold, id, {})
        chips = [f"{chip.name} {chip.shape}" for chip in label.chips]
        title = f"{label.title} {label.path}".strip() + (f"  {label.more}" if label.more else "")
        self.put(quote(id), label="\n".join([title, label.shapes, *chips]), shape="box", style="rounded,filled",
                 color=self.colours["wire"], fillcolor=self.colours["panel"])

    def clusters(self, outer: str, depth: int = 1) -> None:
        """The open scopes inside of one, as clusters."""
        fold = self.fold
        for id in (s for s in fold.scopes if s in fold.frames and self.frame_of(fold.scopes[s].parent) == outer):
            title = " ".join(words.title_of(fold, id)).strip()
            self.lines.append(f"{'  ' * depth}subgraph {quote(f'cluster_{id}')} {{ label={quote(title)};")
            inside = [n.id for n in self.graph.ops
                      if n.id not in fold.box and self.frame_of(fold.home.get(n.id, "")) == id]
            inside += [box for box in fold.boxes if self.frame_of(fold.scopes[box].parent) == id]
            self.lines += [f"{'  ' * depth}  {quote(one)};" for one in inside]
            self.clusters(id, depth + 1)
            self.lines.append(f"{'  ' * depth}}}")

    def frame_of(self, scope: str) -> str:
        """The innermost frame around a scope, itself included."""
        return next((s for s in self.fold.graph.chains[scope] if s in self.fold.frames), "")

    def node(self, node: NodeRecord) -> None:
        """An op or an AccumulateGrad, with its edges and what it saved."""
        if node.id in self.fold.chips:
            return
        if node.id in self.fold.box:
            for e in node.edges:
                if (e.tensor if self.view == "forward" else e.node) and e.node not in self.fold.chips:
                    self.edge(node, e)
            return
        if node.kind == "op":
            formula = f"\n{node.formula}" if node.formula else ""
            token, style = ("error", "rounded,filled,dashed") if node.error else ("op", "rounded,filled")
            self.box(node.id, f"{node.op}\n{node.name}{formula}", token, "box", style)
        elif self.view != "forward":
            self.box(node.id, f"{node.name}\n.grad {self.graph.tensor(node.leaf).grad or 'None'}", "acc", "cylinder")
        for e in node.edges:
            self.edge(node, e)
        for saved in node.saved if self.view == "record" else ():
            self.saved(node, saved)

    def edge(self, node: NodeRecord, e: Edge) -> None:
        """One entry of `next_functions`; in the forward view the input that belongs to it."""
        slot, colour = str(e.slot), "grad" if self.view == "backward" else "op"
        if self.view == "forward" or node.error:
            if e.tensor:
                self.arrow(e.tensor, node.id, headlabel=slot, color="wire")
        elif e.node is None:
            stub = node.edge_id(e.slot)
            self.put(quote(stub), label=words.none_label(e), shape="plaintext")
            self.arrow(node.id, stub, taillabel=slot, arrowhead="odot", color=colour)
        else:
            self.arrow(node.id, e.node, taillabel=slot, color=colour, **{"headlabel": f"output {e.nr}"} if e.nr else {})

    def saved(self, node: NodeRecord, saved: Saved) -> None:
        """A note at its node."""
        id, token = f"{node.id}.{saved.field}", "error" if saved.stale else "freed" if saved.freed else "saved"
        style = "filled,dashed" if saved.freed else "filled"
        self.box(id, words.note_label(self.graph, saved), token, "octagon" if saved.stale else "note", style)
        self.arrow(id, node.id, style="dotted", arrowhead="none", color="saved")
        if saved.tensor and self.graph.tensor(saved.tensor).kind == "constant":
            self.arrow(saved.tensor, id, style="dotted", arrowhead="none", color="saved")

    def tensor(self, t: TensorRecord) -> None:
        """A card, tied to its grad_fn and to its base."""
        label = f"{t.name} {words.shape_label(t)}" if t.name else words.shape_label(t)
        style = {"leaf": "rounded,filled,bold", "constant": "rounded,filled,dashed"}
        outline = "tab" if t.is_view and t.kind == "nonleaf" else "box"
        token = "view" if outline == "tab" else t.kind
        self.box(t.id, label if t.value is None else f"{label}\n{t.value}", token, outline,
                 style.get(t.kind, "rounded,filled"))
        if t.node and self.view == "forward" and t.kind == "nonleaf":
            self.arrow(t.node, t.id, color="wire")
        elif t.node and self.view != "forward":
            how = {"label": ".grad_fn"} if t.kind == "nonleaf" else {"arrowhead": "none"}
            self.arrow(t.id, t.node, **how, color="muted")
        if t.base:
            self.arrow(t.id, t.base, style="dashed", arrowhead="odiamond", color="view", constraint="false")

    def hook(self, hook: Hook) -> None:
        """A hook at its node."""
        self.box(hook.id, f"{hook.kind} hook\n{hook.label}", "hook", "larrow")
        self.arrow(hook.id, hook.node, style="dotted", color="hook")


def source(graph: Graph, view: str = "record", theme: str = "light", fold: Fold | None = None) -> str:
    """Graphviz source of one view; what is folded is one node, what is open a cluster."""
    return Writer(fold or Fold(graph), view, theme).source()
