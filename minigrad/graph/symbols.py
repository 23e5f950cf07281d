"""What values are called in one recorded backward: each symbol means one value.

A tensor is called what the learner calls it, else by its expression, `(x * w)`, else by its operation, `mul(·) #3`,
the third of that name in the order of backward. Its whole gradient is `∂loss/∂w`, unless a hook changed something on
the way or backward began with another gradient than 1: then it is the `gradient of w`. What arrives on one of several
ways is `to w via tanh(w)`, what lies there meanwhile `to w so far (2 of 3)`, what a hook made of it `gradient of w
after clamp`.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..text import both
from .nesting import call_at
from .program import expression, getline, position, source_of, span
from .snapshot import Graph, NodeRecord, Span, TensorRecord, attribute, by_key

LONGEST = 30  # characters of an expression that stands for a tensor
PLAIN = re.compile(r"[\w\s.,()\[\]+\-*/@=:'·−#]+")  # what can stand in a formula as it is; `#` before a number
DIFFERENTIATE = {"grad", "backward", "jacobian", "hessian", "hvp", "vhp", "vjp", "jvp"}  # calls that use inner values
Place = tuple[str, int]  # a node and one of its outputs


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name in both languages, and the value that it stands for, with all its digits where they are few."""

    en: str
    zh: str
    value: str = ""

    @property
    def tex(self) -> str:
        """In a formula: letters in italics, everything else upright."""
        return tex_name(self.en) or upright(self.en)


def tex_name(text: str) -> str:
    """A name or an expression in a formula; "" for what is neither."""
    if not PLAIN.fullmatch(text.replace("∂", "")):
        return ""
    return text if len(text) == 1 and text.isalpha() else upright(text)


def upright(text: str) -> str:
    """Any words in a formula, such as a hook's name; what TeX would take for its own is a dot."""
    return r"\text{" + re.sub(r"[\\{}$%^~]", "·", text) + "}"


class Symbols:
    """The symbols of one run through a graph that is `placed`; `pure` says that it began with 1 at a scalar."""

    def __init__(self, graph: Graph, pure: bool) -> None:
        self.graph, self.pure = graph, pure
        self.titles = titles(graph)
        self.returned = returned(graph)
        self.labels = numbered((t.id, self.named(t)) for t in graph.tensors)
        self.places = {(t.node, t.nr): self.labels[t.id] for t in reversed(graph.tensors) if t.node}
        self.root = self.labels[graph.roots[0]]
        # edges by where they lead
        self.senders = defaultdict(list, by_key(((e.node, e.nr), id) for id, (_, e) in graph.edges.items() if e.node))
        self.ways: dict[str, str] = {}
        for edges in self.senders.values():
            self.ways |= numbered(((edge, self.way(edge)) for edge in edges), " ({})")
        self.came = Counter[Place]()  # how many gradients have arrived
        self.changed: set[str] = set()  # nodes that get something else than the derivative
        self.after: dict[Place, list[str]] = defaultdict(list)  # the hooks that changed what arrived

    # ---- tensors

    def named(self, t: TensorRecord) -> str:
        """What a tensor is called, before names that came twice are numbered."""
        node = self.graph.nodes_by_id.get(t.node)
        if (given := self.given(t)) or node is None or node.leaf:
            return given or t.label
        parts = [e.tensor and bare(self.given(self.graph.tensor(e.tensor))) for e in node.edges]
        words = f"{node.op}({', '.join(filter(None, parts))})"  # inside a function of ours
        more = any(s.field in ("keepdim", "exponent") for s in node.saved)  # which words do not say
        alone = parts and all(parts) and not more and len(self.graph.outputs(node.id)) == 1 and len(words) <= LONGEST
        return words if alone else self.output(node) + self.nr(t)

    def output(self, node: NodeRecord) -> str:
        """What a node made, where nothing else names it."""
        return self.titles[node.id].replace(node.name, f"{node.op}(·)", 1)

    def given(self, t: TensorRecord) -> str:
        """What the learner calls a tensor: by name, by its expression, or as what a module returns; "" without any."""
        source = getattr(self.graph.nodes_by_id.get(t.node), "source", "")
        path = self.returned.get(t.id, "")
        words = (t.name or "", f"({source})" + self.nr(t) if source else "", path and f"{path}(·)")
        return next((w for w in words if w and PLAIN.fullmatch(w)), "")

    def nr(self, t: TensorRecord) -> str:
        """`[1]`: which of several outputs it is."""
        return f"[{t.nr}]" if any(other.nr for other in self.graph.outputs(t.node or "-")) else ""

    def field(self, node: NodeRecord, field: str) -> str:
        """A saved value as the node's field: `MulBackward0._saved_self`."""
        return f"{self.titles[node.id]}.{attribute(field)}"

    # ---- gradients

    def at(self, place: Place, value: str = "") -> NamedValue:
        """What lies at an output: what has arrived so far, all of it, or what its hooks made of it."""
        name = self.places.get(place) or f"{self.output(self.graph.node(place[0]))}[{place[1]}]"
        if (came := self.came[place]) < (whole := len(self.senders[place])):
            return symbol("so_far", value, name=name, n=came, m=whole)
        if place in self.after:
            return symbol("after", value, name=name, hooks=", ".join(self.after[place]))
        if place[0] in self.changed or not self.pure:
            return symbol("gradient", value, name=name)
        return symbol("derivative", value, root=self.root, name=name)

    def sent(self, edge: str, place: Place, value: str = "") -> NamedValue:
        """What one edge brings: the whole gradient, where it is the only one."""
        if len(self.senders[place]) == 1:
            return self.at(place, value)
        return symbol("way", value, name=self.places.get(place, ""), way=self.ways[edge])

    def way(self, edge: str) -> str:
        """The operation on the way of a gradient."""
        node, _ = self.graph.edges[edge]
        return f"({node.source})" if " " in node.source else node.source or self.titles[node.id]


def bare(source: str) -> str:
    """An expression without the brackets that it has as a symbol."""
    return source[1:-1] if source.startswith("(") and source.endswith(")") else source


def returned(graph: Graph) -> dict[str, str]:
    """The tensors that modules surely return, by id: what alone of a module is used outside; and the module's path."""
    scopes = {s.id: s for s in graph.scopes}
    users = by_key((e.tensor, n.scope) for n in graph.nodes for e in n.edges)
    leaving = by_key((id, t.id) for t in graph.tensors if t.node for id in graph.chains[graph.node(t.node).scope]
                     if t.id in graph.roots or any(id not in graph.chains[scope] for scope in users.get(t.id, ())))
    alone = {ids[0]: scopes[id] for id, ids in leaving.items() if len(ids) == 1}
    return {id: s.path for id, s in alone.items() if s.kind == "module"}


def symbol(kind: str, value: str, **names: object) -> NamedValue:
    """A symbol from its sentence."""
    return NamedValue(**both(f"player.symbol_{kind}", **names), value=value)


def titles(graph: Graph) -> dict[str, str]:
    """What each node is called: its name; where others bear that too, with its tensor, or with a number."""
    counted = numbered((n.id, n.name) for n in graph.nodes)
    many = Counter(n.name for n in graph.nodes)

    def title(n: NodeRecord) -> str:
        if n.leaf:
            return f"{n.name} ({graph.tensor(n.leaf).label})"
        named = next((t.name for t in graph.outputs(n.id) if t.name), None) or n.source
        return f"{n.name} ({named})" if many[n.name] > 1 and PLAIN.fullmatch(named) else counted[n.id]

    return numbered((n.id, title(n)) for n in graph.nodes)


def numbered(names: Iterable[tuple[str, str]], mark: str = " #{}") -> dict[str, str]:
    """Names by key; where one comes several times, all but the first are counted: `mul #2`, `mul #3`."""
    pairs, seen, made = list(names), Counter[str](), dict[str, str]()
    given = {name for _, name in pairs}
    for key, name in pairs:
        seen[name] += 1
        while seen[name] > 1 and name + mark.format(seen[name]) in given:  # another's own
            seen[name] += 1
        made[key] = name + mark.format(seen[name]) if seen[name] > 1 else name
    return made


def placed(graph: Graph, places: Mapping[str, tuple[Any, int]]) -> Graph:
    """The same graph, whose nodes say where in the learner's source they, or their leaves, were made; `places` are
    the code and the instruction of each operation, by id."""
    found = sources(graph, places)
    made: dict[str | None, Span] = {}
    for n in graph.ops:
        code, lasti = places[n.id]
        if (place := code and position(code, lasti)) and None not in place and getline(code, place[0]):
            made[n.id] = Span(code.co_filename, *place)
    files = list({span.file for span in made.values()})
    for id, leaf in ((n.id, graph.tensor(n.leaf)) for n in graph.nodes if n.leaf and len(files) == 1):
        writes = source_of(files[0]).writes.get((None, leaf.name or ""), ())
        if len(writes) == 1:  # else nobody knows which of them made the leaf
            made[id] = Span(files[0], *span(writes[0]))
    return replace(graph, nodes=tuple(replace(n, source=found.get(n.id, ""), span=made.get(n.id)) for n in graph.nodes))


def sources(graph: Graph, places: Mapping[str, tuple[Any, int]]) -> dict[str, str]:
    """The learner's expression for what a node made, where it is short and surely means just that."""
    together = by_key((places[n.id], n) for n in graph.ops if places[n.id][0] is not None and n.name != "CopySlices")
    users = by_key((e.node, places[n.id]) for n in graph.ops for e in n.edges if e.node)
    kept = {id for id, others in users.items() if any(
        at[0] is not None and at != places.get(id) and call_at(*at) not in DIFFERENTIATE for at in others)}
    found: dict[str, str] = {}
    for (code, lasti), several in together.items():
        made = expression(code, lasti)
        text, last = ast.unparse(made) if made is not None else "", max(several, key=lambda n: n.seq)
        if isinstance(made, ast.Subscript) and last.name.startswith("IndexPut"):
            continue  # `y[i] = v` makes all of `y`
        if not text or len(text) > LONGEST or not PLAIN.fullmatch(text) or isinstance(made, ast.Name):
            continue
        once = isinstance(made, ast.BinOp | ast.UnaryOp) or call_at(code, lasti).rstrip("_") == last.op.rstrip("_")
        if once and len({n.name for n in several}) == 1:  # one node each time that it ran
            found |= {n.id: text for n in several}
        elif sum(n.name == last.name for n in several) == 1 and last.id in {*kept, graph.tensor(graph.roots[0]).node}:
            # several nodes, of which the last has the value; of what only a gradient uses it may be out of sight
            found[last.id] = text
    return found
