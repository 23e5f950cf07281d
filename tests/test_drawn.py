"""Every number of a backward picture against what hooks at torch's own nodes saw, for programs of `drawn`.

The checks know nothing of our readers: nodes are counted in the order in which torch runs them.
"""

import re

import pytest

from minigrad.viz.display import draw
from tests import drawn

pytestmark = pytest.mark.oracle
torch = pytest.importorskip("torch")
# torch runs four drawers that are ready at once in the order of its heap; its fused layers have nodes of their own;
# its cells make the product with the state first
OTHER = {"lstm", "mha layer", "func grad", "truncated bptt"}
FAILS = {"gan step", "stale"}
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e-?\d+)?|inf|nan)")


def close(text, value):
    """Whether a number in a picture is that value, as far as its digits go."""
    digits = len(text.partition("e")[0].partition(".")[2])
    half = 0.51 * 10.0 ** (int(text.partition("e")[2] or 0) - digits) if "." in text or "e" in text else 0
    return str(value) == text or abs(float(text) - value) <= half + 1e-5 * abs(value) + 2e-6


def tells(text, array):
    """Whether a text tells an array: in numbers, by its first two, or by its norm."""
    if entry := re.match(r"\[([\d, ]+)\]: ", text):  # a sum of large ones is written for one entry
        return tells(text[entry.end():], array[tuple(map(int, entry[1].split(",")))])
    told = NUMBER.findall(text.replace("−", "-").replace("∞", "inf").replace("NaN", "nan"))
    if "‖" in text:
        size = float(array.double().norm())
        return str(size) == told[-1] or abs(float(told[-1]) - size) <= 0.051 * size + 2e-6
    if sum_ := re.search(r"[=≈]\s*(.*)", text, re.S):
        return tells(sum_[1], array)
    flat = array.flatten().tolist()
    told = told[:-1] if "×" in text else told
    return ("×" in text or len(told) == len(flat)) and all(map(close, told, flat))


class Truth:
    """One backward of torch's, seen by hooks."""

    def __init__(self, roots):
        self.order, self.got, self.sent = [], {}, {}
        nodes, todo = {}, [t.grad_fn for t in roots if t.grad_fn]
        while todo:
            node = todo.pop()
            if node not in nodes:
                nodes[node] = node.next_functions
                todo += [n for n, _ in nodes[node] if n]
                node.register_prehook(lambda grads, node=node: self.arrived(node, grads))
                if not hasattr(node, "variable"):
                    node.register_hook(lambda sent, grads, node=node: self.sent.update({node: sent}))
        torch.autograd.backward(roots, [torch.ones_like(t) for t in roots])
        self.ids = {f"n{i}": node for i, node in enumerate(self.order, 1)}

    def arrived(self, node, grads):
        self.order.append(node)
        self.got[node] = grads

    def along(self, edges):
        """What a wire brings that stands for these edges; None where nothing was sent."""
        pairs = [edge.split(":") for edge in edges]
        grads = [g for id, slot in pairs if (g := self.sent[self.ids[id]][int(slot)]) is not None]
        return sum(grads[1:], grads[0]) if grads else None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in drawn.PROGRAMS if name not in OTHER | FAILS])
def test_every_number_of_a_backward_picture_is_what_torch_sent(name):
    drawings = []
    for library, levels in (("minigrad", ("modules", "ops")), ("torch", ("ops",))):
        roots, names = drawn.run(name, library)
        drawings += [draw(*roots, names=names, view="backward", level=level) for level in levels]
    truth, wrong = Truth(roots), []
    order = [node.name().rpartition("::")[2] for node in truth.order]
    for drawing in drawings:
        behind = {}
        for edge, drawn_as in drawing.fold.wires.items():
            behind.setdefault(drawn_as, []).append(edge)
        for slot, text in drawing.values.items():
            kind, _, rest = slot.partition(":")
            node, _, nr = rest.partition(":")
            if kind in ("edge", "sum"):
                real = truth.along(behind.get(rest, [rest]))
            elif kind in ("got", "meet"):  # before hooks
                real = truth.along([n.edge_id(e.slot) for n in drawing.graph.nodes for e in n.edges
                                    if (e.node, e.nr) == (node, int(nr))])
            else:
                real = truth.got[truth.ids[node]][int(nr or 0)] if node in truth.ids else None
            told = text == "None" if real is None else tells(text, real)
            if kind not in ("chip", "seed") and text and not told:
                wrong.append((slot, text, real))
    assert wrong == []
    assert drawing.fold.rolls or [n.name for n in drawing.graph.nodes] == order
