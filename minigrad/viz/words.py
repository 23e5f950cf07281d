"""The words of a picture: what stands on its cards, notes, gates and pills, in a language or in none.

The layout measures these texts and the painter writes them, so both ask here.
"""

from __future__ import annotations

from ..graph.snapshot import Edge, Graph, Hook, NodeRecord, Saved, TensorRecord
from ..text import say
from .theme import shorten

WIDEST = 230  # px, of a note or a formula


def word(key: str, lang: str | None, **values: object) -> str:
    """A few words for the picture; both languages stand beside each other."""
    return say(f"draw.{key}", lang, **values).replace("\n", " · ")


def shape_label(t: TensorRecord, versions: bool = False) -> str:
    """What stands muted behind the name: `(2,) float64 @v1 requires_grad`."""
    text = str(t.shape) if t.dtype in ("float32", "") else f"{t.shape} {t.dtype}"
    text += f" @v{t.version}" if versions and t.value is not None else ""
    return f"{text} requires_grad" if t.kind == "leaf" else text


def value(t: TensorRecord, lang: str | None = None) -> str:
    """The value on a card, or that nobody keeps it."""
    return word("not_kept", lang) if t.value is None else t.value


def again_label(leaf: TensorRecord) -> str:
    """What stands on a leaf that is drawn once more, small."""
    return leaf.name or str(leaf.shape)


def note_label(saved: Saved, versions: bool = False) -> str:
    """`self = x @v0`; only the field once it is freed."""
    if saved.freed:
        return saved.field
    text = f"{saved.field} = {saved.text}" if saved.text else saved.field
    if saved.stale or (versions and saved.version is not None):
        text += f" @v{saved.version}"
    return shorten(text, WIDEST)


def stale_label(saved: Saved, lang: str | None) -> str:
    """Which versions do not agree."""
    return word("stale", lang, saved=saved.version, now=saved.now)


def third_line(node: NodeRecord, show: frozenset[str]) -> str:
    """Under the two names: the formula where names are known, else the module it belongs to."""
    if "cards" not in show:
        return ""
    return shorten(node.formula or (node.scope if "scopes" in show else ""), WIDEST, 12.5)


def gate_label(graph: Graph, hook: Hook, lang: str | None = None) -> str:
    """What stands over a gate: `hook on z`, `pre-hook`."""
    owner = next((t for t in graph.outputs(hook.node) if t.nr == hook.nr and t.name), None)
    if hook.kind == "tensor" and owner is not None:
        return word("hook_on", lang, name=owner.name)
    return word(f"hook_{hook.kind}", lang)


def none_label(edge: Edge) -> str:
    """What stands where no edge goes on."""
    return "…" if edge.cut else "(None, 0)"


def broadcast_label(graph: Graph, node: NodeRecord, edge: Edge) -> str:
    """`() → (2, 3)` at an input that was stretched."""
    return f"{graph.tensor(edge.tensor).shape} → {graph.outputs(node.id)[0].shape}"


def known_values(graph: Graph) -> dict[str, str]:
    """What a still picture of backward can tell, by slot: seeds, and gradients that were kept."""
    known = {}
    for t in graph.tensors:
        if t.retains_grad and t.grad is not None and t.node:
            known[f"in:{t.node}:{t.nr}"] = t.grad
        if t.id in graph.roots and t.kind == "nonleaf" and t.shape == ():
            known[f"seed:{t.node}"] = "1"
    return known
