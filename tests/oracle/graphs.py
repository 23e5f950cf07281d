"""Programs whose graphs are drawn: `python -m tests.oracle.graphs` asks torch, writes the goldens.

Each is run with torch or with minigrad; the last line's name, or names, are the roots. The torch
side is kept in tests/data/graphs.json; the DOT, text and pictures of some are kept in tests/golden:
`python -m tests.oracle.graphs golden` writes these alone, after a change of the pictures.
"""

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import minigrad
from minigrad.graph.from_torch import read_torch
from minigrad.graph.live import read
from minigrad.graph.snapshot import Edge, Graph, Hook, NodeRecord, Saved, TensorRecord
from minigrad.viz import dot, indented
from minigrad.viz.display import Drawing

TESTS = Path(__file__).parents[1]
DATA = TESTS / "data" / "graphs.json"
GOLDEN = TESTS / "golden"
FORWARD = """
x = torch.tensor([1., -2.])
w = torch.tensor([0.5, 0.25], requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)
p = x * w
z = p + b
z.retain_grad()
z.register_hook(lambda g: g.clamp(max=0.78))
h = torch.tanh(z)
loss = h.sum()
"""
PROGRAMS = {
    "reference": FORWARD + "loss",
    "after backward": FORWARD + "loss.backward()\nloss",
    "retained graph": FORWARD + "loss.backward(retain_graph=True)\nloss",
    "shared leaf": "x = torch.tensor(3., requires_grad=True)\ny = x * x\nz = y + x\nz",
    "in place through a view": """
a = torch.tensor([1., 2., 3.], requires_grad=True)
y = a * 2
s = y ** 2
v = y[:2]
v.mul_(10)
total = s.sum()
total, v""",
    "dead intermediates": """
y = torch.tensor([1., 2.], requires_grad=True)
m = (y * y * 3).mean()
m""",
    "several outputs": """
x = torch.tensor([1., 2., 3.], requires_grad=True)
a, b, c = x.unbind()
b.register_hook(lambda g: g * 2)
out = a * c
out""",
    "two layers": """
x = torch.tensor([[1., 2.], [3., 4.]])
W1 = torch.tensor([[.5, -.25, 1.], [1., .5, .25]], requires_grad=True)
b1 = torch.tensor([0., .5, 1.], requires_grad=True)
W2 = torch.tensor([[1.], [.5], [.25]], requires_grad=True)
t = torch.tensor([[1.], [0.]])
h = torch.relu(x @ W1 + b1)
out = h @ W2
loss = ((out - t) ** 2).mean()
loss""",
    "recurrent": """
W = torch.tensor([[.5, .1], [.2, .4]], requires_grad=True)
h = torch.tensor([1., 0.])
for i in range(5):
    h = torch.tanh(W @ h + i)
h""",
    "residual": """
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([.5, 1.], requires_grad=True)
y = x * w
z = y.exp()
u = z + y
loss = (u.sin() + y).sum()
loss""",
    "not finite": """
x = torch.tensor([0., -1., 4.], requires_grad=True)
y = x.log()
z = y.sqrt()
z""",
    "concatenated": """
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3.], requires_grad=True)
c = torch.tensor([4.])
y = torch.cat([a, b, c])
z = (y * torch.tensor([1., 2., 3., 4.])).sum()
z""",
    "second derivative": """
x = torch.tensor([1., 2.], requires_grad=True)
y = x.sin().sum()
g, = torch.autograd.grad(y, x, create_graph=True)
g""",
    "custom function": """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 3 * x * x * grad
x = torch.tensor([1., 2.], requires_grad=True)
y = Cube.apply(x)
y""",
    "custom function, freed": """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x
    @staticmethod
    def backward(ctx, grad):
        return 3 * ctx.saved_tensors[0] ** 2 * grad
x = torch.tensor([1., 2.], requires_grad=True)
y = Cube.apply(x).sum()
y.backward()
y""",
    "matrices and a mask": """
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
m = a.t() @ a
s = torch.where(m > 5, m, m * 0.5)
v = s[0].exp()
out = v.mean()
out""",
    "detached": """
x = torch.tensor([1., 2.], requires_grad=True)
k = (x * 2).detach()
y = (k * x).sum()
y""",
    "a leaf alone": "x = torch.tensor([1., 2.], requires_grad=True)\nx",
    "a constant alone": "x = torch.tensor([1., 2.])\nx",
    "long chain": "x = torch.tensor(1., requires_grad=True)\ny = x\nfor i in range(14):\n"
                  "    y = y * 2\ny",
}
DRAWN = {"reference": "reference", "after backward": "after_backward",
         "in place through a view": "view", "several outputs": "outputs"}
PICTURED = {"reference": "backward", "after backward": "forward", "in place through a view": "record",
            "several outputs": "backward", "residual": "record", "recurrent": "record", "every hook": "backward"}


def run(program: str, torch: ModuleType) -> tuple[tuple, dict[str, Any]]:
    """The roots and the names of one program."""
    *body, last = PROGRAMS[program].strip().splitlines()
    names: dict[str, Any] = {"torch": torch}
    exec("\n".join(body), names)
    roots = tuple(names[name.strip()] for name in last.split(","))
    return roots, {k: v for k, v in names.items() if hasattr(type(v), "grad_fn")}


def graph(program: str, torch: ModuleType) -> Graph:
    roots, names = run(program, torch)
    reader = read_torch if torch.__name__ == "torch" and hasattr(torch, "_C") else read
    return reader(*roots, names=names)


def hooked() -> Graph:
    """A graph with a gate of every kind, a copy, a view and a broken saved value; of minigrad alone."""
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    b = minigrad.tensor(0.5, requires_grad=True)
    x.register_post_accumulate_grad_hook(print)
    x.register_hook(lambda g: g.clone())
    y = x * 2
    y.retain_grad()
    for register in (y.register_hook, y.register_hook, y.grad_fn.register_hook):
        register(lambda *grads: None)
    y.grad_fn.register_prehook(lambda grads: None)
    z = (y ** 2 + b).sum()
    return read(z, names={"x": x, "y": y, "b": b, "z": z})


def from_dict(data: dict) -> Graph:
    """The inverse of `Graph.to_dict` (lists from JSON become tuples again)."""
    nodes = [
        NodeRecord(**{**n, "edges": tuple(Edge(**e) for e in n["edges"]),
                      "saved": tuple(Saved(**s) for s in n["saved"]),
                      "line": tuple(n["line"]) if n["line"] else None})
        for n in data["nodes"]
    ]
    tensors = [TensorRecord(**{**t, "shape": tuple(t["shape"])}) for t in data["tensors"]]
    hooks = [Hook(**h) for h in data["hooks"]]
    return Graph(tuple(data["roots"]), tuple(nodes), tuple(tensors), tuple(hooks))


def recorded() -> dict[str, Graph]:
    return {name: from_dict(data) for name, data in json.loads(DATA.read_text("utf-8")).items()}


def goldens(graphs: dict[str, Graph]) -> dict[str, Callable[[], str]]:
    """File name -> a function that makes what must stand in it."""
    files: dict[str, Callable[[], str]] = {}
    for name, stem in DRAWN.items():
        files[f"{stem}.txt"] = partial(indented.tree, graphs[name])
        for view in ("record", "forward", "backward"):
            files[f"{stem}_{view}.dot"] = partial(dot.source, graphs[name], view)
    for name, view in PICTURED.items():
        files[f"{name.replace(' ', '_')}.svg"] = partial(picture, graphs.get(name), view)
    return {file: partial(ended, content) for file, content in files.items()}


def ended(content: Callable[[], str]) -> str:
    return content().removesuffix("\n") + "\n"


def picture(graph: Graph | None, view: str) -> str:
    """One element a line, without the style sheet, whose colours may move on."""
    drawing = Drawing(graph or hooked(), view, lang="en", engine="builtin")
    return re.sub(r"<style>.*?</style>", "", drawing.to_svg(), flags=re.S).replace("><", ">\n<")


def ask_torch() -> None:
    import torch

    lines = [f"{json.dumps(name)}: {json.dumps(graph(name, torch).to_dict(), ensure_ascii=False)}"
             for name in PROGRAMS]
    DATA.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def main(*words: str) -> None:
    if "golden" not in words:
        ask_torch()
    GOLDEN.mkdir(exist_ok=True)
    for name, content in goldens(recorded()).items():
        (GOLDEN / name).write_text(content(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
