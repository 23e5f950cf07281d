"""The words of a picture: what stands on its cards, notes, gates and pills, in a language or in none.

The layout measures these texts and the painter writes them, so both ask here.
"""

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

from ..graph.snapshot import Cut, Edge, Graph, Hook, NodeRecord, Saved, TensorRecord, by_key
from ..text import LANGUAGES, say
from .levels import Fold, own_end
from .theme import shorten, width

PAIR = "\ue000"  # between a text in English and in Chinese, of a picture that is drawn once for both
# px, of a note or a formula; ops of a graph that shows all its results; px, of a chip and the air below it,
# of a drawer above a chip
WIDEST, FEW_OPS, CHIP_ROW, DRAWER_ROW = 230, 12, 25, 19
# saved numbers that a rule needs, and the value at which they are not shown
NUMBERS = {"exponent": "", "other": "", "self": "", "scalar": "", "alpha": "1", "beta": "1", "min": "", "max": "",
           "negative_slope": "", "threshold": "0", "p": "", "value": ""}


def word(key: str, lang: str | None, **values: object) -> str:
    """A few words for the picture; both languages stand beside each other, for `PAIR` to be told apart again."""
    if lang == PAIR:
        return PAIR.join(say(f"draw.{key}", one, **values) for one in LANGUAGES)
    return say(f"draw.{key}", lang, **values).replace("\n", " · ")


def joined(*said: str) -> str:
    """Sentences one after the other, in each language by itself; what is of no language stands in both."""
    pairs = [one.split(PAIR) for one in said]
    return PAIR.join(" ".join(pair[i % len(pair)] for pair in pairs) for i in range(max(map(len, pairs))))


def several(texts: list[str], most: int = 8) -> str:
    """The first of them, and how many more there are."""
    return ", ".join(texts[:most]) + (f", … +{len(texts) - most}" if len(texts) > most else "")


def shape_label(t: TensorRecord, versions: bool = False) -> str:
    """What stands muted behind the name: `(2,) float64 @v1 requires_grad`."""
    text = t.size if t.dtype in ("float32", "", "?") else f"{t.shape} {t.dtype}"
    text += f" @v{t.version}" if versions and t.value is not None else ""
    return f"{text} requires_grad" if t.kind == "leaf" else text


def value(t: TensorRecord, graph: Graph, lang: str | None = None) -> str:
    """The value on a card, or that nobody keeps it, or which line wrote over it, and its tangent."""
    by = graph.overwritten.get(t.id)
    lost = word("overwritten", lang, line=by.line[0]) if by and by.line else word("not_kept", lang)
    moves = f" · ε {t.tangent}" if t.tangent else ""
    return PAIR.join(said + moves for said in (lost if t.value is None else t.value).split(PAIR))


def card(t: TensorRecord, fold: Fold, show: frozenset[str], lang: str | None) -> tuple[str, str, str]:
    """Name, what stands behind it, and the second line; a network's cards say less."""
    most = WIDEST if t.kind != "nonleaf" or len(fold.graph.outputs(t.node)) < 2 else WIDEST / 3  # beside others
    versions, full = "versions" in show, shorten(t.name or "", most, 15, bold=True)
    if not fold.home:
        return full, shape_label(t, versions), value(t, fold.graph, lang) if "values" in show else ""
    chains = (fold.graph.chains[fold.home.get(op, "")] for op in fold.graph.users.get(t.node or "", ()))
    # a frame around it says the rest
    ends = [(t.name or "").removeprefix(f"{fold.scopes[s].path}.") for s in fold.frames.intersection(*chains)]
    name, text = shorten(min([t.name or "", *ends], key=len), most, 15, bold=True), t.value or ""
    if "…" in text:
        text = f"norm {t.summary.norm}" if t.summary and t.kind == "leaf" else ""
    shape = shape_label(t, versions).removesuffix(" requires_grad")
    text += f" · ε {t.tangent}" if t.tangent else ""
    return name, shape, text if "values" in show else ""


def figure(t: TensorRecord, fold: Fold, show: frozenset[str]) -> tuple[list[list[str]], list[str]]:
    """How the numbers of a tensor are drawn: the rows of a grid, or the lines of text under bars; or neither."""
    s, minor = t.summary, not t.name and len(fold.graph.ops) > FEW_OPS
    if s is None or fold.home or minor or not {"values", "figures"} <= show:
        return [], []
    if s.grid:
        return [list(row) for row in s.grid], []
    count = math.prod(t.shape)
    lines = [f"{s.min} … {s.max}, mean {s.mean}", f"+ {s.bad}" if s.bad else f"norm {s.norm}"] if s.min else [s.bad]
    if count > len(s.sample):
        lines[-1] += f" · {len(s.sample)} / {count:,}".replace(",", " ")
    return [], lines


def has_card(fold: Fold, t: TensorRecord) -> bool:
    """Whether a result is worth a card; in a network, what has a name; what nobody holds, only in a small graph."""
    known = t.base or t.value is not None or len(fold.graph.ops) <= FEW_OPS
    return bool(t.name or t.retains_grad or t.id in fold.graph.roots or (known and not fold.home and not fold.bare))


def shapes(graph: Graph, fold: Fold) -> dict[str, str]:
    """The shapes that no card and no box tells, and all that went into a call that failed, by the slot of a wire."""
    bare = {t.id: t.size for t in graph.tensors if t.kind == "nonleaf" and t.node not in fold.box
            and t.node not in fold.steps and not has_card(fold, t)}
    found = {f"edge:{id}": bare[e.tensor] for id, (_, e) in graph.edges.items()
             if e.tensor in bare and id == fold.wires.get(id, id)}
    return found | {f"edge:{id}": str(graph.tensor(e.tensor).shape) for id, (n, e) in graph.edges.items() if n.error}


def norms(graph: Graph) -> dict[str, str]:
    """As wide as the gradients that are not known yet, by the slot of a wire."""
    return {f"edge:{id}": "‖g‖ 0.0000" for id, (_, e) in graph.edges.items() if e.node}


def again_label(leaf: TensorRecord) -> str:
    """What stands on a leaf that is drawn once more, small."""
    name = leaf.name or leaf.size
    # of a dotted name the end says more
    ends = ["…" * (i > 0) + name.split(".", i)[-1] for i in range(name.count(".") + 1)]
    return shorten(next((end for end in ends if width(end, bold=True) <= WIDEST / 2), ends[-1]), WIDEST / 2, bold=True)


def notes(node: NodeRecord, many: int) -> tuple[list[Saved], int]:
    """The saved fields that teach, and how many others there are: stale ones, tensors, then numbers that the
    rule needs; not sizes, options at their default, counters and None."""
    shown = [s for s in node.saved if s.stale]
    shown += [s for s in node.saved if s.is_tensor and s.text != "None" and s not in shown]
    shown += [s for s in node.saved if not s.is_tensor and s.field in NUMBERS
              and s.text not in ("None", "", NUMBERS[s.field])]
    shown = shown[:max(many, sum(s.stale for s in node.saved))]
    return shown, len(node.saved) - len(shown)


def note_label(graph: Graph, saved: Saved, versions: bool = False) -> str:
    """`self = x @v0`; the shape of what has no name; only the field once it is freed."""
    if saved.freed:
        return saved.field
    t = graph.tensors_by_id.get(saved.tensor)
    text = f"{saved.field} = {saved.text}" if saved.text else saved.field
    if t is not None and not t.name and math.prod(t.shape) > 2:
        text = f"{saved.field} {t.shape}"
    elif t is None and graph.scopes and "…" in text:
        text = saved.field  # in a network a few of many numbers say less than they take room
    if saved.stale or (versions and saved.version is not None):
        text += f" @v{saved.version}"
    return shorten(text, WIDEST)


def stale_label(saved: Saved, lang: str | None) -> str:
    """Which versions do not agree, and the line that made it so where it is known."""
    if saved.by is None:
        return word("stale", lang, saved=saved.version, now=saved.now)
    return word("stale_by", lang, now=saved.now, line=saved.by[0], text=shorten(saved.by[1], 180))


def third_line(node: NodeRecord, show: frozenset[str]) -> str:
    """Under the two names: the formula where names are known, of a write its line where that is nothing else."""
    if "cards" not in show:
        return ""
    own = node.line[1] if node.in_place and node.line and ";" not in node.line[1] else ""
    return shorten(node.formula or own, WIDEST, 12.5)


def gate_label(graph: Graph, hook: Hook, lang: str | None = None) -> str:
    """What stands over a gate: `hook on z`, `pre-hook`."""
    owner = next((t for t in graph.outputs(hook.node) if t.nr == hook.nr and t.name), None)
    if hook.kind == "tensor" and owner is not None:
        return word("hook_on", lang, name=shorten(owner.name or "", WIDEST / 2))
    return word(f"hook_{hook.kind}", lang)


def none_label(edge: Edge) -> str:
    """What stands where no edge goes on."""
    return "…" if edge.cut else "(None, 0)"


def broadcast_label(graph: Graph, node: NodeRecord, edge: Edge) -> str:
    """`() → (2, 3)` at an input that was stretched."""
    return f"{graph.tensor(edge.tensor).shape} → {graph.outputs(node.id)[0].shape}"


def known_values(graph: Graph) -> dict[str, str]:
    """What a still picture of backward can tell, by slot: seeds, and gradients that were kept."""
    kept = {f"in:{t.node}:{t.nr}": t.grad for t in graph.tensors if t.retains_grad and t.grad is not None and t.node}
    roots = map(graph.tensor, graph.roots)
    return kept | {f"seed:{t.node}": "1" for t in roots if t.kind == "nonleaf" and t.shape == ()}


def cut_label(cut: Cut) -> tuple[str, str]:
    """What cut it, how often, and the learner's line."""
    times = f" × {cut.count}" if cut.count > 1 else ""
    return cut.kind + times, shorten(cut.line[1].strip() if cut.line else "", WIDEST)


class Chip(NamedTuple):
    """One parameter of a closed module, or all of them: its name, its shape, what lies in its drawer."""

    name: str
    shape: str
    leaves: tuple[str, ...]
    grad: str = ""

    @property
    def halves(self) -> tuple[float, float]:
        """The widths of the leaf's part and of the drawer's."""
        right = max(width(self.grad, bold=True), width(".grad", mono=True))
        return width(self.name, bold=True) + width(self.shape) + 20, right + 14


class BoxLabel(NamedTuple):
    """What stands on the box of a closed scope."""

    more: str  # how many operations it hides
    title: str
    path: str
    shapes: str
    sums: list[str]  # the equations of gradients that meet there
    chips: list[Chip]
    row: float  # how high a chip is, with its drawer

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the box."""
        head = width(self.more, bold=True) + 14 if self.more else 0
        first = head + width(self.title, bold=True) + width(self.path) + (26 if self.path else 18)
        chips = max(((sum if self.row == CHIP_ROW else max)(chip.halves) for chip in self.chips), default=0) + 16
        sums = max((width(line, bold=True) for line in self.sums), default=0)
        high = self.top + self.row * len(self.chips) + 3 * bool(self.chips)
        return max(first, max(width(self.shapes), sums) + 20, chips, 66), high

    @property
    def top(self) -> float:
        """Where the chips begin."""
        return 52 + 18 * len(self.sums)


def title_of(fold: Fold, id: str) -> tuple[str, str]:
    """The class of a module and the end of its path that tells it from others beside it; a function with brackets; of
    an expression what is written."""
    scope = fold.scopes[id]
    if scope.kind in ("line", "call"):
        return (scope.path, scope.name) if scope.kind == "line" else (f"{scope.name}()", "")
    path = own_end(scope.path, {s.path for s in fold.scopes.values() if s.parent == scope.parent})
    return scope.name, f"{path} × {fold.rolls[id].count}".strip() if id in fold.rolls else path


def module(fold: Fold, id: str, values: Mapping[str, str], lang: str | None = "en") -> BoxLabel:
    """The words of a closed scope."""
    count = len(fold.inside[id])
    title, path = title_of(fold, id)
    hooks = [h.label for h in fold.graph.hooks if id in (fold.box.get(h.node), fold.chips.get(h.node))]
    below = shapes_of(fold, id, lang) + f"  hooks: {', '.join(dict.fromkeys(hooks))}" * bool(hooks)
    below = below[max(below.find("→"), 0):] if width(below) > WIDEST else below  # rather the hooks than what came in
    path = shorten(path, 140 if title else 170)
    return BoxLabel(f"+{count}" if count > 1 else "", title, path, shorten(below.strip(), WIDEST),
                    sums_at(fold, id, values), chips_of(fold, id, values, lang), CHIP_ROW + DRAWER_ROW * fold.stacked)


def sums_at(fold: Fold, id: str, values: Mapping[str, str]) -> list[str]:
    """The lines of the equations of gradients that meet at a closed scope and all come from outside."""
    graph, found = fold.graph, []
    for n in fold.inside[id]:
        users = [graph.node(user) for user in dict.fromkeys(graph.consumers[n.id])]
        for nr, uses in by_key((e.nr, (u, e)) for u in users for e in u.edges if e.node == n.id).items():
            if all(fold.box.get(u.id) != id and fold.times(u, e) == 1 for u, e in uses):
                found += values.get(f"meet:{n.id}:{nr}", "").splitlines()
    return found


def shapes_of(fold: Fold, id: str, lang: str | None) -> str:
    """`(5, 4) → (5, 8)`; one shape where both are equal; `→ (5, 8)` where it would be long, or nobody knows
    what came in."""
    graph, mine = fold.graph, {n.id for n in fold.inside[id]}
    lent = {e.node for n in fold.inside[id] for e in n.edges} & fold.chips.keys() - {*fold.chips_of.get(id, ())}
    ins = [e.tensor for n in fold.inside[id] for e in n.edges
           if e.tensor not in fold.params and e.node not in mine and e.node not in fold.chips]
    users = sorted({user for n in mine for user in graph.consumers[n]} - mine, key=lambda id: int(id[1:]))
    outs = [e.tensor for user in users for e in graph.node(user).edges if e.node in mine]
    outs += [r for r in graph.roots if graph.tensor(r).node in mine]
    start, end = (", ".join(dict.fromkeys(graph.tensor(t).size for t in several if t)) for several in (ins, outs))
    if fold.bare and not start.strip("()") and end == "()" and len({*outs}) == 1 and graph.tensor(outs[0]).value:
        return f"() = {graph.tensor(outs[0]).value}"  # which has no card
    if lent and fold.scopes[id].kind != "module":  # the box that has their chips may be far away
        start = ", ".join(filter(None, (start, counted(fold, lent, lang))))
    text = end if start == end else f"{start} → {end}"
    return text.strip() if width(text) <= 150 else f"→ {end}" if width(end) <= 200 else ""


def chips_of(fold: Fold, id: str, values: Mapping[str, str], lang: str | None = "en") -> list[Chip]:
    """A chip for each parameter; more than two are one, with how many numbers they hold."""
    mine = fold.chips_of.get(id, [])
    leaves = [fold.graph.tensor(fold.graph.node(acc).leaf) for acc in mine]
    many: dict[str | None, int] = {acc: len(fold.own.get(acc, (acc,))) for acc in mine}  # that it stands for
    # by calls and turns of loops
    times: dict[str | None, str] = {acc: f" × {n}" if (n := fold.calls(acc) // many[acc]) > 1 else "" for acc in mine}
    if len(leaves) > (4 if id in fold.rolls and not fold.rolls[id].alone else 1 if fold.compact else 2):
        total = f"{sum(many[t.node] * math.prod(t.shape) for t in leaves):,}".replace(",", " ")
        return [Chip(counted(fold, mine, lang, times[mine[0]] * (len({*times.values()}) == 1)), total,
                     tuple(t.id for t in leaves), values.get(f"chip:{id}", ""))]
    line, order = fold.scopes[id].kind == "line", [*fold.scopes[id].params]
    # a line does not say whose they are: then of all
    names = {t.name or "" for t in (fold.graph.tensors if line else leaves) if t.kind == "leaf"}
    # leaves of no module may have names that have nothing in common
    return [Chip(counted(fold, [t.node], lang) if many[t.node] > 1 and t.id not in fold.params
                 else chip_name(t.name or "", names, many[t.node]), f"{t.shape}{times[t.node]}", (t.id,),
                 values.get(f"chip:{t.id}", (many[t.node] == 1 and t.grad) or ""))
            for t in sorted(leaves, key=lambda t: (-len(t.shape), *map(order.index, {t.id}.intersection(order))))]


def counted(fold: Fold, accs: Collection[str | None], lang: str | None, times: str = "") -> str:
    """`4 params`, or leaves, by their AccumulateGrads, with all that these stand for, and how often they are used."""
    kind = "params" if {fold.graph.node(acc).leaf for acc in accs} <= fold.params else "leaves"
    return word(kind, lang, count=sum(len(fold.own.get(acc or "", [acc])) for acc in accs), times=times)


def chip_name(name: str, names: set[str], many: int) -> str:
    """The end that tells a parameter from the others, or how `many` it stands for; more than the number in a list."""
    end, owner = own_end(name, names), name.split(".")[-2:][0]
    if many > 1:
        return f"{many} × {owner if end.isdigit() else end}"
    return f"{owner}.{end}" if end.isdigit() else end
