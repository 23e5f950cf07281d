"""Programs that nobody thought of: random networks and code, each from its seed, in torch's words.

`program(seed)` is its text; the last line names its root, or roots. It runs in minigrad and in torch alike.
"""

# ruff: noqa: E501

import random
from collections.abc import Callable
from itertools import pairwise
from types import ModuleType
from typing import Any

from tests import networks

Shape = tuple[int, ...]
NAMES = {
    "short": "x h a z u s q v k r p m e f g d c y".split(),
    "long": ["hidden_state_of_the_encoder", "attention_scores_before_softmax", "the_running_average_of_all_previous_values",
             "normalised_inputs", "prediction", "reconstruction_of_the_input_batch", "features", "residual_branch"],
    "chinese": ["输入", "隐藏状态", "权重", "预测结果", "注意力分数", "一个很长很长的中文变量名称", "特征", "残差"],
}
CLASSES = ["Net", "Block", "Cell", "Encoder", "Mixer", "TwoBranchFeatureExtractorWithResidualConnections", "Head", "网络"]
PARTS = ["fc", "f", "proj", "lin1", "body", "gate", "inner", "first_layer", "层", "out", "mix", "w_q"]
PLAIN = ["torch.tanh({})", "torch.sigmoid({})", "{}.relu()", "{} ** 2", "{} * 0.5", "1 - {}", "-{}", "{} / 3", "F.gelu({})",
         "{}.sin()", "F.softplus({})", "{}.clamp(min=-1, max=1)", "F.leaky_relu({}, 0.1)", "{}.abs().sqrt()", "2 ** {}",
         "({} * {}).exp().reciprocal()", "{}.square() + 1", "torch.where({} > 0, {}, 0.1 * {})", "F.silu({})",
         "{} + torch.tanh({})", "F.dropout({}, 0.)", "{}.cumsum(0)", "F.elu({} - 0.5) * 2", "{}.masked_fill({} > 1, 0.5)"]
OF_ROWS = ["{}.softmax(-1)", "F.log_softmax({}, dim=-1)", "F.normalize({}, dim=-1)", "({0} - {0}.mean(-1, keepdim=True)) / "
           "({0}.var(-1, keepdim=True) + 1e-5).sqrt()", "{0} - {0}.logsumexp(-1, keepdim=True)", "{}.flip(-1)",
           "{0} / {0}.norm(dim=-1, keepdim=True)", "F.layer_norm({0}, {0}.shape[-1:])"]
ACTIVATIONS = ["nn.ReLU()", "nn.Tanh()", "nn.GELU()", "nn.Sigmoid()", "nn.LeakyReLU(0.2)", "nn.Dropout(0.)", "nn.Identity()"]
FUNCTIONS = {
    "scaled": "def scaled(t, k=0.5):\n    return (t * k).tanh() + t",
    "standardize": "def standardize(t):\n    m = t.mean()\n    return (t - m) / (t.std() + 1e-3)",
    "twice": "def halved(t): return t / 2 + 0.1\ndef twice(t):\n    return halved(halved(t).sin())",
    "power": "power = lambda t: t * t * t - t",
    "Cube": "class Cube(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, t):\n        ctx.save_for_backward(t)\n"
            "        return t ** 3\n    @staticmethod\n    def backward(ctx, grad):\n        t, = ctx.saved_tensors\n"
            "        return 3 * t ** 2 * grad",
    "Halves": "class Halves(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, t):\n        return t / 2, t * 2\n"
              "    @staticmethod\n    def backward(ctx, a, b):\n        return a / 2 + b * 2",
}
CALLED = {"Cube": "Cube.apply({})", "Halves": "sum(Halves.apply({}))"}


class Writer:
    """Writes one program; knows which names there are, of which shape, and which of them are tracked."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.known: dict[str, Shape] = {}
        self.taken: set[str] = set()
        self.classes: list[str] = []  # that were written
        self.style = self.random.choices(["short", "long", "chinese"], [6, 1, 1])[0]
        self.pad = ""  # before each line

    # ---- words

    def pick(self, several: list[str]) -> str:
        return self.random.choice(several)

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def name(self, style: str = "") -> str:
        """A new name."""
        base = self.pick(NAMES[style or (self.style if self.often(0.7) else "short")])
        name = next(n for k in range(1, 999) if (n := base if k == 1 else f"{base}{k}") not in self.taken)
        self.taken.add(name)
        return name

    def say(self, line: str) -> None:
        """Write a line; now and then behind the one before."""
        simple = self.lines and not line.startswith(("def", "class", "for", "if", "with", "while", "@", " "))
        before = self.lines[-1] if self.lines else ":"
        plain = before.startswith(self.pad) and before[len(self.pad):len(self.pad) + 1] not in (" ", "")
        if simple and plain and len(before) < 70 and self.often(0.3) and not before.lstrip().startswith(
                ("def", "class", "for", "if", "with", "while", "@", "return", "else")):
            self.lines[-1] += f"; {line}"
        else:
            self.lines += [self.pad + part for part in line.split("\n")]

    def make(self, written: str, shape: Shape, style: str = "") -> str:
        """A statement that gives a value a name."""
        name = self.name(style)
        self.say(f"{name} = {written}")
        self.known[name] = shape
        return name

    # ---- values

    def data(self, shape: Shape) -> str:
        """An input without gradient."""
        made = ["torch.randn({})", "torch.rand({})", "torch.ones({}) * 0.5", "torch.full(({},), 0.25)"]
        return self.make(self.pick(made).format(", ".join(map(str, shape)) or "()"), shape)

    def leaf(self, shape: Shape) -> str:
        """A leaf of the learner's own."""
        size = ", ".join(map(str, shape))
        made = [f"torch.randn({size or '()'}, requires_grad=True)", f"(torch.rand({size or '()'}) * 2 - 1).requires_grad_()"]
        if shape == ():
            made.append("torch.tensor(0.5, requires_grad=True)")
        if len(shape) == 1:
            made.append(f"torch.tensor({[k / 2 - 1 for k in range(shape[0])]}, requires_grad=True)")
        return self.make(self.pick(made), shape)

    def other(self, shape: Shape, but: str = "") -> str:
        """Something of the same shape, or one that is stretched to it."""
        same = [name for name, known in self.known.items() if known == shape and name != but]
        if same and self.often(0.6):
            return self.pick(same)
        if self.often(0.3):
            return self.data(shape)
        return self.leaf(self.random.choice([shape, shape[-1:], (), (*shape[:-1], 1)[-len(shape):] if shape else ()]))

    def stretch(self, h: str, shape: Shape) -> tuple[str, Shape]:
        """One or several steps of plain code on a matrix, as an expression or in statements; what comes of it."""
        step = self.random.choices(
            [self.plain, self.rows, self.binary, self.product, self.view, self.parts, self.in_place, self.cut, self.hook,
             self.called, self.loop, self.branch, self.listed, self.reuse, self.indexed],
            [8, 4, 6, 6, 3, 2, 2, 2, 2, 3, 3, 1, 1, 2, 1])[0]
        return step(h, shape)

    def plain(self, h: str, shape: Shape) -> tuple[str, Shape]:
        written = self.pick(PLAIN).replace("{}", "{0}").format(h)
        for _ in range(self.random.randrange(3) if self.often(0.3) else 0):
            written = self.pick(PLAIN).replace("{}", "{0}").format(f"({written})")
        return self.make(written, shape), shape

    def rows(self, h: str, shape: Shape) -> tuple[str, Shape]:
        return self.make(self.pick(OF_ROWS).format(h), shape), shape

    def binary(self, h: str, shape: Shape) -> tuple[str, Shape]:
        b = self.other(shape, h)
        forms = ["{} + {}", "{} * {}", "{} - {}", "{} + 0.1 * {}", "torch.maximum({}, {})", "{} * torch.sigmoid({})",
                 "{} / (1 + {} ** 2)", "{0} + {1} * {0}", "torch.lerp({0}, {0} * {1}, 0.3)"]
        return self.make(self.pick(forms).format(h, b), shape), shape

    def product(self, h: str, shape: Shape) -> tuple[str, Shape]:
        wide = self.random.choice([2, 3, 4, 6])
        w = self.leaf((shape[-1], wide))
        form = self.random.randrange(4)
        if form == 0:
            return self.make(f"{h} @ {w} + {self.leaf((wide,))}", (*shape[:-1], wide)), (*shape[:-1], wide)
        if form == 1:
            return self.make(f"F.linear({h}, {w}.T, {self.leaf((wide,))})", (*shape[:-1], wide)), (*shape[:-1], wide)
        if form == 2:
            return self.make(f"torch.einsum('ij,jk->ik', {h}, {w})", (shape[0], wide)), (shape[0], wide)
        return self.make(f"torch.tanh({h} @ {w})", (*shape[:-1], wide)), (*shape[:-1], wide)

    def view(self, h: str, shape: Shape) -> tuple[str, Shape]:
        n, d = shape
        forms = [(f"{h}.t()", (d, n)), (f"{h}.transpose(0, 1)", (d, n)), (f"{h}[:, :2]", (n, min(2, d))),
                 (f"{h}[1:]", (n - 1, d)), (f"{h}.reshape(-1, {n})", (d, n)), (f"{h}.unsqueeze(0).squeeze(0)", shape),
                 (f"{h}.flatten().view({d}, {n})", (d, n)), (f"{h}.expand(2, {n}, {d}).mean(0)", shape)]
        written, size = self.random.choice([pair for pair in forms if min(pair[1]) > 1])
        return self.make(written, size), size

    def parts(self, h: str, shape: Shape) -> tuple[str, Shape]:
        n, d = shape
        a, b = self.name(), self.name()
        if self.often(0.4) or d < 2:
            self.say(f"{a}, {b} = {h}, {h} * 2")
            return self.make(f"torch.cat([{a}, {b}], 0)", (2 * n, d)), (2 * n, d)
        k = self.random.randrange(1, d)
        self.say(f"{a}, {b} = {h}.split([{k}, {d - k}], 1)")
        return self.make(f"torch.cat([{b}.exp() / 2, {a}], dim=1)", shape), shape

    def in_place(self, h: str, shape: Shape) -> tuple[str, Shape]:
        copy = self.make(f"{h} * 1", shape)
        self.say(self.pick([f"{copy}.add_(0.5)", f"{copy}[0] = 0.", f"{copy} += {h}", f"{copy}.mul_({h})", f"{copy}[:, 0] *= 2",
                            f"{copy}.clamp_(min=0)", f"{copy}[0].zero_()", f"{copy}.relu_()"]))
        return copy, shape

    def cut(self, h: str, shape: Shape) -> tuple[str, Shape]:
        k = self.name()
        if self.often(0.4):
            return self.make(self.pick([f"{h} * {h}.detach()", f"{h} + ({h} * 4).round().detach() / 4 - {h}.detach()",
                                        f"{h} / {h}.abs().max().item()"]), shape), shape
        if self.often(0.5):
            self.say(f"{k} = {h}.detach()")
        else:
            self.say(f"with torch.no_grad():\n    {k} = {h}.mean(0)")
        return self.make(f"{h} * {k}" if self.often(0.5) else f"{h} - {k}", shape), shape

    def hook(self, h: str, shape: Shape) -> tuple[str, Shape]:
        name = self.make(f"{h} * 2", shape)
        self.say(self.pick([f"{name}.register_hook(lambda g: g * 0.5)", f"{name}.retain_grad()",
                            f"{name}.register_hook(lambda g: g.clamp(-1, 1)); {name}.retain_grad()",
                            f"_ = {name}.grad_fn.register_hook(lambda gi, go: None)",
                            f"_ = {name}.grad_fn.register_prehook(lambda g: None)"]))
        return name, shape

    def called(self, h: str, shape: Shape) -> tuple[str, Shape]:
        name = self.pick([*FUNCTIONS])
        if name not in self.taken:
            self.taken.add(name)
            self.lines[:0] = FUNCTIONS[name].split("\n")
        return self.make(CALLED.get(name, name + "({})").format(h), shape), shape

    def loop(self, h: str, shape: Shape) -> tuple[str, Shape]:
        count = self.random.choice([2, 3, 4, 6, 10, 20])
        state = self.make(f"{h} * 1.", shape)
        square = self.leaf((shape[-1], shape[-1])) if self.often(0.6) else ""
        bodies = [f"{state} = torch.tanh({state} @ {square})" if square else f"{state} = {state} - 0.1 * {state} ** 3",
                  f"{state} = {state} + 0.1 * torch.sin({h}" + (f" @ {square})" if square else ")"),
                  f"{state} = {state} * 0.9 + {h} * i / {count}"]
        body = self.random.sample(bodies, self.random.choice([1, 1, 2, 3]))
        if self.often(0.25):
            body.insert(1, f"if i % 2: {state} = {state}.relu()")
        if self.often(0.5) and len(body) == 1:
            self.say(f"for i in range({count}): {body[0]}")
        else:
            self.say(f"for i in range({count}):\n    " + "\n    ".join(body))
        return state, shape

    def branch(self, h: str, shape: Shape) -> tuple[str, Shape]:
        name = self.make(f"{h} * 1", shape)
        self.say(f"if {name}.mean() > 0.1:\n    {name} = {name} - 1\nelse:\n    {name} = ({name} + 1).tanh()")
        return name, shape

    def listed(self, h: str, shape: Shape) -> tuple[str, Shape]:
        if self.often(0.5):
            count = self.random.choice([2, 3, 5])
            return self.make(f"torch.stack([{h} * k for k in range(1, {count})]).sum(0)", shape), shape
        kept = self.name()
        self.say(f"{kept} = []\nfor row in {h}:\n    {kept}.append(row * row.sum())")
        return self.make(f"torch.stack({kept})", shape), shape

    def reuse(self, h: str, shape: Shape) -> tuple[str, Shape]:
        """The same name again, for another value."""
        self.say(f"{h} = {self.pick(PLAIN).replace('{}', '{0}').format(h)}")
        return h, shape

    def indexed(self, h: str, shape: Shape) -> tuple[str, Shape]:
        n, d = shape
        return self.make(self.pick([f"{h}[torch.arange({n}).flip(0)]", f"{h}.sort(dim=1)[0]", f"{h}.topk({d}, dim=1).values",
                                    f"{h}.gather(1, torch.zeros({n}, {d}, dtype=torch.long))",
                                    f"{h}.index_select(0, torch.arange({n}))"]), shape), shape

    # ---- modules

    def module(self, a: int, b: int, deep: int = 2) -> str:
        """An expression for a module that takes (n, a) to (n, b)."""
        kind = self.random.choices(["linear", "sequential", "own", "norm"], [4, 3, 4 if deep else 0, 1])[0]
        if kind == "sequential":
            sizes = [a, *(self.random.choice([3, 4, 8, 16]) for _ in range(self.random.choice([1, 1, 2, 3]))), b]
            parts = []
            for m, n in pairwise(sizes):
                parts += [self.module(m, n, deep - 1) if deep and self.often(0.3) else f"nn.Linear({m}, {n})"]
                parts += [self.pick(ACTIVATIONS)] if self.often(0.8) else []
            return f"nn.Sequential({', '.join(parts)})"
        if kind == "own":
            return self.own_class(deep - 1) + f"({a}, {b})"
        if kind == "norm" and a > 1:
            return f"nn.Sequential(nn.LayerNorm({a}), nn.Linear({a}, {b}{', bias=False' if self.often(0.5) else ''}))"
        return f"nn.Linear({a}, {b}{', bias=False' if self.often(0.2) else ''})"

    def own_class(self, deep: int) -> str:
        """Write a class of a learner; its name."""
        if self.classes and self.often(0.4):
            return self.pick(self.classes)
        base = self.pick(CLASSES)
        name = next(n for k in range(1, 99) if (n := base if k == 1 else f"{base}{k}") not in self.taken)
        self.taken.add(name)
        parts = self.random.sample(PARTS, 3)
        shape = self.random.choice([self.residual, self.gated, self.looped, self.many, self.shared, self.own_parameter,
                                    self.branched, self.lambdas])
        outer, outer_pad, self.lines, self.pad = self.lines, self.pad, [], ""
        made, body = shape(deep, *parts)
        above = self.lines
        written = [f"class {name}(nn.Module):", "    def __init__(self, a, b):", "        super().__init__()",
                   *(f"        {line}" for line in made), "    def forward(self, x):", *(f"        {line}" for line in body)]
        self.lines, self.pad = [*above, *written, *outer], outer_pad
        self.classes.append(name)
        return name

    def residual(self, deep: int, p: str, q: str, _: str) -> tuple[list[str], list[str]]:
        inner = self.module(4, 4, 0).replace("4", "a") if deep and self.often(0.4) else "nn.Linear(a, a)"
        return ([f"self.{p}, self.{q} = {inner}, nn.Linear(a, b)"],
                [f"h = x + {self.pick(['torch.relu', 'torch.tanh', 'F.gelu'])}(self.{p}(x))", f"return self.{q}(h)"])

    def gated(self, deep: int, p: str, q: str, _: str) -> tuple[list[str], list[str]]:
        return ([f"self.{p} = nn.Linear(a, b)", f"self.{q} = nn.Linear(a, b)"],
                [f"g = torch.sigmoid(self.{q}(x)); h = self.{p}(x)", "return g * h + (1 - g) * h.detach()" if self.often(0.2)
                 else "return g * torch.tanh(h)"])

    def looped(self, deep: int, p: str, q: str, _: str) -> tuple[list[str], list[str]]:
        count = self.random.choice([2, 3, 4, 5, 8])
        if self.often(0.5):
            return ([f"self.{p} = nn.ModuleList([nn.Linear(a, a) for _ in range({count})])", f"self.{q} = nn.Linear(a, b)"],
                    [f"for layer in self.{p}:", "    x = torch.relu(layer(x))" if self.often(0.6) else
                     "    x = x + F.gelu(layer(x))", f"return self.{q}(x)"])
        return ([f"self.{p} = nn.Linear(a, a)", f"self.{q} = nn.Linear(a, b)"],
                ["h = torch.zeros_like(x)", f"for t in range({count}):", f"    h = torch.tanh(x + self.{p}(h))",
                 f"return self.{q}(h)"])

    def many(self, deep: int, p: str, q: str, r: str) -> tuple[list[str], list[str]]:
        """Experts, or heads, and what chooses among them."""
        count = self.random.choice([2, 3, 4])
        return ([f"self.{p} = nn.ModuleList(nn.Linear(a, b) for _ in range({count}))", f"self.{q} = nn.Linear(a, {count})"],
                [f"w = self.{q}(x).softmax(-1)", f"ys = torch.stack([f(x) for f in self.{p}], -1)",
                 "return (ys * w.unsqueeze(-2)).sum(-1)"])

    def shared(self, deep: int, p: str, q: str, _: str) -> tuple[list[str], list[str]]:
        return ([f"self.{p} = nn.Linear(a, a)", f"self.{q} = nn.Linear(a, b)"],
                [f"x = self.{p}(torch.tanh(self.{p}(x)))", f"return self.{q}(x)"])

    def own_parameter(self, deep: int, p: str, q: str, _: str) -> tuple[list[str], list[str]]:
        return ([f"self.{p} = nn.Parameter(torch.randn(a, b) * 0.1)", f"self.{q} = nn.Parameter(torch.ones(()))"],
                [f"return self.{q} * (x @ self.{p})" if self.often(0.5) else f"return F.relu(x @ self.{p}) * self.{q} + 0.1"])

    def branched(self, deep: int, p: str, q: str, r: str) -> tuple[list[str], list[str]]:
        return ([f"self.{p}, self.{q} = nn.Linear(a, b), nn.Sequential(nn.Linear(a, 2 * b), nn.Tanh(), nn.Linear(2 * b, b))",
                 f"self.{r} = nn.Linear(2 * b, b)"],
                [f"return self.{r}(torch.cat([self.{p}(x), self.{q}(x)], dim=-1))"])

    def lambdas(self, deep: int, p: str, q: str, _: str) -> tuple[list[str], list[str]]:
        return ([f"self.{p} = nn.Sequential(nn.Linear(a, b), nn.ReLU())", f"self.{q} = nn.LayerNorm(b)"],
                [f"y = self.{p}(x)", "m, s = y.mean(0), y.var(0, unbiased=False)", f"return self.{q}((y - m) / (s + 1e-5).sqrt())"])

    # ---- networks

    def dense(self) -> tuple[str, Shape]:
        """A module on a batch, or several of them, with code between."""
        n, a = self.random.choice([2, 3, 5]), self.random.choice([2, 3, 4, 8])
        h, wide = self.data((n, a)), a
        for _ in range(self.random.choice([1, 1, 2, 3])):
            more = self.random.choice([2, 3, 4, 8])
            net = self.name()
            self.say(f"{net} = {self.module(wide, more)}")
            if wide == more and self.often(0.5):
                h = self.make(f"{net}({net}({h}))" if self.often(0.3) else f"{h} + {net}({h})", (n, more))
            else:
                h = self.make(f"{net}({h})", (n, more))
            wide = more
            if self.often(0.4):
                h = self.make(self.pick(PLAIN).replace("{}", "{0}").format(h), (n, more))
        return h, (n, wide)

    def sequence(self) -> tuple[str, Shape]:
        """A recurrent layer, attention or a transformer on (n, t, d)."""
        n, t, d = self.random.choice([1, 2]), self.random.choice([2, 3, 5, 12]), self.random.choice([2, 4])
        x, kind = self.data((n, t, d)), self.random.randrange(7)
        layer, out, hid = self.name(), self.name(), self.random.choice([3, 4])
        if kind < 3:
            unit, two = self.random.choice(["LSTM", "GRU", "RNN"]), self.often(0.3)
            extra = self.random.choice(["", "", ", num_layers=2", ", bidirectional=True"])
            wide = hid * (2 if "bi" in extra else 1)
            if two:
                self.say(f"{layer} = nn.{unit}({d}, {hid}, batch_first=True{extra})\n{out}, _ = {layer}({x})")
            else:
                state = "(hn, cn)" if unit == "LSTM" else "hn"
                self.say(f"{out}, {state} = nn.{unit}({d}, {hid}, batch_first=True{extra})({x})")
            self.known[out] = (n, t, wide)
            return self.make(f"{out}[:, -1]" if self.often(0.6) else f"{out}.mean(1)", (n, wide)), (n, wide)
        if kind == 3:
            self.say(f"{layer} = nn.MultiheadAttention({d}, 2, batch_first=True)\n{out}, weights = {layer}({x}, {x}, {x})")
        elif kind == 4:
            self.say(f"{layer} = nn.TransformerEncoderLayer({d}, 2, {2 * d}, dropout=0., batch_first=True)")
            self.say(f"{out} = {layer}({x})")
        elif kind == 5:
            w = self.leaf((d, d))
            self.say(f"{out} = F.scaled_dot_product_attention({x} @ {w}, {x}, {x})" if self.often(0.3) else
                     f"{out} = ({x} @ {w} @ {x}.transpose(1, 2) / {d} ** 0.5).softmax(-1) @ {x}")
        else:
            self.say(f"{layer} = nn.{self.pick(['GRUCell', 'RNNCell', 'LSTMCell'])}({d}, {d})\n{out} = torch.zeros({n}, {d})")
            cell = "LSTM" in "".join(self.lines[-3:])
            state = f"{out}, c = {layer}({x}[:, t], ({out}, {out}))" if cell else f"{out} = {layer}({x}[:, t], {out})"
            self.say(f"for t in range({t}): {state}")
            self.known[out] = (n, d)
            return out, (n, d)
        return self.make(f"{out}.mean(1)" if self.often(0.5) else f"{out}[:, 0]", (n, d)), (n, d)

    def images(self) -> tuple[str, Shape]:
        """A small convolutional network."""
        n, c = self.random.choice([1, 2]), self.random.choice([1, 3])
        x, net = self.data((n, c, 8, 8)), self.name()
        more = self.random.choice([2, 4, 6])
        parts = [f"nn.Conv2d({c}, {more}, 3, padding=1)"] + [f"nn.BatchNorm2d({more})"] * self.often(0.5) + ["nn.ReLU()"]
        parts += ["nn.MaxPool2d(2)"] * self.often(0.6)
        if self.often(0.4):
            parts += [f"nn.Conv2d({more}, {more}, 3, padding=1)", self.pick(ACTIVATIONS)]
        tail = "nn.AdaptiveAvgPool2d(1), nn.Flatten()"
        self.say(f"{net} = nn.Sequential({', '.join(parts)}, {tail}, nn.Linear({more}, 3))")
        return self.make(f"{net}({x})", (n, 3)), (n, 3)

    def lookup(self) -> tuple[str, Shape]:
        """An embedding, its mean, and code."""
        emb, i, n, d = self.name(), self.name(), self.random.choice([2, 3]), self.random.choice([3, 4])
        self.say(f"{emb} = nn.Embedding(7, {d}); {i} = torch.tensor({[[1, 2, 0], [3, 4, 6], [5, 5, 1]][:n]})")
        h = self.make(f"{emb}({i}).mean(1)", (n, d))
        if self.often(0.4):
            return self.make(f"{h} @ {emb}.weight.T", (n, 7)), (n, 7)
        return h, (n, d)

    def variational(self) -> tuple[str, Shape]:
        """An encoder with two heads, and its losses."""
        n, d = self.random.choice([2, 4]), self.random.choice([4, 6])
        x = self.data((n, d))
        self.say(f"enc = nn.Linear({d}, 3); mu_head = nn.Linear(3, 2); lv_head = nn.Linear(3, 2)\n"
                 f"d1 = nn.Linear(2, 3); d2 = nn.Linear(3, {d})")
        self.say(f"hid = torch.tanh(enc({x}))\nmu, lv = mu_head(hid), lv_head(hid)")
        self.say("lat = mu + torch.exp(0.5 * lv) * torch.ones_like(mu)")
        out = self.make("torch.sigmoid(d2(torch.relu(d1(lat))))", (n, d))
        self.terms = [f"F.mse_loss({out}, {x})", "- 0.5 * torch.sum(1 + lv - mu ** 2 - lv.exp())"]
        return out, (n, d)

    def code(self) -> tuple[str, Shape]:
        """Leaves and what is computed of them."""
        shape = self.random.choice([(2, 3), (3, 2), (2, 4), (4, 4), (3, 6)])
        return (self.leaf(shape) if self.often(0.7) else self.make(f"{self.data(shape)} * {self.leaf(shape[-1:])}", shape)), shape

    def adversarial(self) -> tuple[str, Shape]:
        """Two networks, of which one sees what the other made, cut off or not."""
        self.say(f"G = {self.module(2, 3, 1)}\nD = {self.module(3, 1, 1)}")
        z = self.data((4, 2))
        fake, real = self.make(f"G({z})", (4, 3)), self.data((4, 3))
        self.terms = [f"F.softplus(-D({real})).mean()", f"F.softplus(D({fake}{'.detach()' if self.often(0.5) else ''})).mean()"]
        return fake, (4, 3)

    # ---- the end

    def loss(self, h: str, shape: Shape) -> str:
        """A loss of one or several terms, in one line or in many; the names of the roots."""
        kind = self.random.randrange(7)
        if kind == 0 and len(shape) == 2:
            labels = self.make(f"torch.tensor({[k % shape[1] for k in range(shape[0])]})", ())
            self.terms.append(f"F.cross_entropy({h}, {labels})")
        elif kind == 1:
            self.terms.append(f"F.mse_loss({h}, {self.data(shape)})")
        elif kind == 2:
            self.terms.append(f"({h} - {self.data(shape)}).abs().mean()")
        elif kind == 3:
            self.terms.append(f"F.binary_cross_entropy_with_logits({h}, torch.ones_like({h}))")
        elif kind == 4:
            self.terms.append(f"{h}.pow(2).sum()")
        elif kind == 5:
            self.terms.append(f"-{h}.log_softmax(-1)[:, 0].mean()")
        else:
            self.terms.append(f"{h}.sum()")
        tracked = [name for name, size in self.known.items() if name in "".join(self.lines) and len(size) == 2]
        for _ in range(self.random.choice([0, 0, 1, 2])):
            self.terms.append(f"{self.random.choice(['0.01 * ', '1e-9 * ', '10 * '])}{self.pick(tracked or [h])}"
                              f"{self.pick(['.pow(2).mean()', '.abs().sum()', '.norm()'])}")
        if self.often(0.15) and len(self.terms) > 1:
            roots = [self.make(term.removeprefix("- "), ()) for term in self.terms]
            return ", ".join([self.make(f"{roots[0]} + 0 * {h}.sum()", ()), *roots[1:]])
        root = "loss" if self.often(0.8) else self.name()
        if self.often(0.5):
            self.say(f"{root} = {' + '.join(self.terms).replace('+ - ', '- ')}")
        else:
            self.say(f"{root} = {self.terms[0].removeprefix('- ')}")
            for term in self.terms[1:]:
                self.say(f"{root} = {root} {term}" if term.startswith("- ") else f"{root} = {root} + {term}")
        return root

    def program(self) -> str:
        """All of it."""
        self.terms: list[str] = []
        start: Callable[[], tuple[str, Shape]] = self.random.choices(
            [self.code, self.dense, self.sequence, self.images, self.lookup, self.variational, self.adversarial],
            [5, 6, 4, 2, 1, 1, 1])[0]
        h, shape = start()
        most = self.random.choice([2, 4, 7, 12]) if start == self.code else self.random.choice([0, 0, 1, 2, 4])
        for _ in range(most):
            if len(shape) != 2 or min(shape) < 2:
                break
            h, shape = self.stretch(h, shape)
        roots = self.loss(h, shape)
        if self.often(0.12) and "," not in roots:
            self.say(f"{roots}.backward({'retain_graph=True' if self.often(0.5) else ''})")
        return "\n".join([*self.lines, roots])


def program(seed: int) -> str:
    """The text of one program; the same for the same seed."""
    return Writer(seed).program()


def run(seed: int, torch: ModuleType, read: Any = None) -> tuple[Any, dict[str, Any]]:
    """The roots and the names of one program, or what `read` makes of them."""
    return networks.execute(program(seed), f"<invented {seed}>", torch, read)
