r"""The local rule of a step as TeX: `\bar g_{w} = \bar g_{p} \odot x`, and with numbers put in.

The right side is the row's own derivative, run on symbols that are spelled as the learner's names
or as the values of the moment; nothing is written by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..core.row import Row
from ..text.tex import tex_of
from .snapshot import Graph, NodeRecord, Saved

OPEN_END = str(2**63 - 1)  # the end that `x[1:]` saves
MOST_NUMBERS = 13  # more numbers than this make a line that no callout has room for


@dataclass(frozen=True, slots=True)
class Rule:
    """What leaves through `slot`: the rule, the same with values filled in ("" where they are too many)."""

    slot: int
    tex: str
    filled_in: str
    result: str


def rule(graph: Graph, node: NodeRecord, row: Row | None, slot: int, incoming: str, result: str) -> Rule | None:
    """The rule of one slot; None for a node that no row describes, such as a custom Function."""
    if row is None or slot >= len(row.differentiable):
        return None
    word = row.differentiable[slot]
    out = next((t.name for t in graph.outputs(node.id) if t.name), None)
    formula, shown = row.derivatives[word], row.letters | {"grad": bar(out, "")}
    names = {s.field: letter(graph, s) for s in node.saved if row.multi or s.field not in row.outputs[1:]}
    right = tex_of(formula, shown | {f: n for f, n in names.items() if n != ""})
    whole = f"{bar(name_of(graph, node.edges[slot].tensor), word)} = {right}"
    filled_in = with_values(graph, node, row, word, incoming, result)
    if "[" not in incoming + result:  # between single numbers a product is just a product
        whole, filled_in = (tex.replace(r"\odot", r"\cdot") for tex in (whole, filled_in))
    return Rule(slot, whole, filled_in, result)


def with_values(graph: Graph, node: NodeRecord, row: Row, word: str, incoming: str, result: str) -> str:
    """The values in place of the names, or only the result where something is too long to write."""
    formula, used = row.derivatives[word], row.uses[word]
    values = {s.field: (graph.tensor(s.tensor).value if s.tensor else s.text) or "" for s in node.saved}
    values = {field: as_tex(value) for field, value in values.items() if field in used}
    whole = {"grad": as_tex(incoming), **values}
    if not as_tex(result):
        return ""
    end = f"= {as_tex(result)}"
    if not all(whole.values()):
        return end
    put_in = tex_of(formula, row.letters | whole)
    if put_in == as_tex(result) or len(re.findall(r"[\d.]+", put_in + end)) > MOST_NUMBERS:
        return end
    sign = r"\to" if put_in == whole["grad"] else "="  # expanded: the same number, more often
    return f"= {put_in} {sign} {as_tex(result)}"


def spelled_sum(before: str, after: str) -> str:
    """`0.71 + 0.78 = 1.49`, or "" where the numbers are too many to write out."""
    if "…" in before or "[" in after:
        return ""
    terms = before.replace("[", "").replace("]", "").split(", ")
    return " + ".join(terms).replace("+ −", "− ") + f" = {after}"


# ---- spelling


def bar(name: str | None, word: str) -> str:
    r"""The gradient of a tensor: `\bar g_{z}`; without a name, torch's word for the input."""
    under = spelled(name) or (rf"\mathrm{{{escaped(word)}}}" if word else "")
    return rf"\bar g_{{{under}}}" if under else r"\bar g"


def spelled(name: str | None) -> str:
    """A learner's name as TeX; only identifiers, so that nothing else can slip into the formula."""
    if not name or not name.isidentifier():
        return ""
    return name if len(name) == 1 else rf"\mathrm{{{escaped(name)}}}"


def escaped(name: str) -> str:
    """A name in which TeX sees no subscript."""
    return name.replace("_", r"\_")


def letter(graph: Graph, saved: Saved) -> str | None:
    """How a saved value is written in a rule: its name, the number it is, or None for what was not given."""
    if saved.tensor:
        return spelled(name_of(graph, saved.tensor))
    return None if saved.text in ("None", OPEN_END) else as_tex(saved.text)


def name_of(graph: Graph, tensor: str | None) -> str | None:
    """What the learner calls a tensor, if anything."""
    return graph.tensor(tensor).name if tensor else None


def as_tex(text: str) -> str:
    """A preview as TeX; "" if it is cut short, or is no number at all."""
    if not text or set(text) - set("0123456789.,e[]() −-"):
        return ""
    tex = re.sub(r"e(-?\d+)", r" \\cdot 10^{\1}", text.replace("−", "-").replace(",)", ")"))
    if "[" in tex:
        return re.sub(r"-[^],]+", r"{\g<0>}", tex)  # a sign inside braces stays close to its number
    return rf"\left({tex}\right)" if tex.startswith("-") else tex
