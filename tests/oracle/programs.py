"""Random programs: a seed and a level give source text that runs in torch and in minigrad.

Statements are shown one by one (see transcript), so an error is a line of output and the program
goes on. Values are k/8 and lengths are powers of two: what is exact in one library is exact in
the other. Level 1: arithmetic and backward; 2: views and in-place; 3: hooks and higher order;
4: everything, transcendental functions included, whose numbers are compared with a tolerance.
"""

import random
import re
from math import prod
from types import ModuleType

from .transcript import NUMBER, placeholders, transcript

LEVELS = (1, 2, 3, 4)
RECORDED = 15
SHAPES = [(), (2,), (4,), (2, 2), (4, 2), (2, 4), (2, 2, 2)]
PRELUDE = """def walk(t):
    nodes = [t.grad_fn] if t.grad_fn else []
    for n in nodes: nodes += {m: 0 for m, _ in n.next_functions if m and m not in nodes}
    edges = lambda n: [(nodes.index(m) if m else None, k) for m, k in n.next_functions]
    for n in nodes: print(n.name().split("::")[-1], *edges(n))"""
INEXACT = re.compile(
    r"exp|log|sin|tanh|sigmoid|sqrt|softmax|norm|std|var| / \w+\d|\*\* t|reciprocal"
)
TOLERANCE = 1e-4
VIEW = re.compile(
    r"(t\d+)(\[|\.([tT]$|mT|t\(|tran|view|resh|unsq|exp|flat|narr|sel|diag|sque|unf|perm))"
)

Shape = tuple[int, ...]


def program(seed: int, level: int = 4) -> str:
    """The text of one program; the same for the same seed and level, for ever."""
    return Writer(seed, level).source()


def run(source: str, torch: ModuleType) -> list[str]:
    return transcript(source, torch)


def differ(source: str, expected: list[str], got: list[str]) -> bool:
    """Whether two transcripts of a program disagree: exact text where the program is exact."""
    if expected == got or not INEXACT.search(source):
        return expected != got
    one, two = (" ".join("\n".join(lines).split()) for lines in (expected, got))
    return re.sub(r"\s+", "", placeholders(one)) != re.sub(
        r"\s+", "", placeholders(two)
    ) or not all(
        close(a.group(), b.group())
        for a, b in zip(NUMBER.finditer(one), NUMBER.finditer(two), strict=True)
    )


def close(a: str, b: str) -> bool:
    x, y = float(a.strip(" .") or 0), float(b.strip(" .") or 0)
    return x == y or (x != x and y != y) or abs(x - y) <= TOLERANCE * max(1, abs(x), abs(y))


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape of a + b, or None where there is none."""
    width = max(len(a), len(b))
    pairs = list(zip((1,) * (width - len(a)) + a, (1,) * (width - len(b)) + b, strict=True))
    fits = all(m == n or 1 in (m, n) for m, n in pairs)
    return tuple(max(p) for p in pairs) if fits else None


class Writer:
    """Writes statements, keeping in mind which names exist and what shape they have."""

    def __init__(self, seed: int, level: int):
        self.random = random.Random(f"{seed} at level {level}")
        self.level = level
        self.lines = [PRELUDE]
        self.shapes: dict[str, Shape] = {}
        self.handles: list[str] = []
        self.leaves: list[str] = []
        self.writable: set[str] = set()

    def source(self) -> str:
        if self.chance(0.5):
            self.say("torch.set_default_dtype(torch.float64)")
        self.leaf()
        self.leaf()
        self.assign(*self.pointwise())
        writers = [w for level, weight, w in WRITERS if level <= self.level for _ in range(weight)]
        for _ in range(self.random.randint(8, 18)):
            self.random.choice(writers)(self)
        self.say(f"{self.name()}.sum().backward()")
        for name in self.leaves:
            self.say(f"{name}.grad, {name}._version")
        return "\n".join(self.lines) + "\n"

    # the words that statements are made of

    def say(self, line: str) -> None:
        self.lines.append(line)

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def number(self) -> str:
        return self.pick("2", "-1", "0.5", "3", "1.5", "-0.25", "0.125", "1")

    def name(self, fits=lambda shape: True) -> str | None:
        """A name, the later the likelier, whose shape `fits`."""
        names = [n for n, shape in self.shapes.items() if fits(shape)]
        return self.random.choice(names[-4:] + names) if names else None

    def target(self) -> str:
        """A name to write to: seldom a leaf or a view of one, since that is refused."""
        names = [n for n in self.shapes if n in self.writable or self.chance(0.05)]
        return self.random.choice(names[-3:] + names) if names else self.name()

    def assign(self, code: str, shape: Shape, prefix: str = "") -> str:
        name = f"t{len(self.shapes)}"
        self.shapes[name] = shape
        view = VIEW.match(code)
        if "requires_grad=True" not in code and (not view or view[1] in self.writable):
            self.writable.add(name)
        self.say(f"{prefix}{name} = {code}")
        return name

    def literal(self, shape: Shape) -> str:
        if not shape:
            return repr(self.random.randint(-12, 12) / 8)
        return f"[{', '.join(self.literal(shape[1:]) for _ in range(shape[0]))}]"

    # creation

    def leaf(self) -> None:
        shape = self.pick(*SHAPES[1:], *SHAPES)
        data = self.literal(shape)
        self.leaves.append(self.assign(f"torch.tensor({data}, requires_grad=True)", shape))

    def constant(self) -> None:
        shape = self.pick(*SHAPES)
        size = ", ".join(map(str, shape or ((),)))
        self.assign(
            self.pick(
                f"torch.tensor({self.literal(shape)})",
                f"torch.ones({size})",
                f"torch.zeros({size})",
            ),
            shape,
        )

    # expressions: code and shape

    def pointwise(self) -> tuple[str, Shape]:
        t = self.name()
        code = self.pick(
            f"-{t}",
            f"{t}.abs()",
            f"{t}.relu()",
            f"{t} ** 2",
            f"{t}.square()",
            f"{t} * {self.number()}",
            f"{self.number()} * {t}",
            f"{t} + {self.number()}",
            f"{self.number()} - {t}",
            f"{t} - {self.number()}",
            f"{t} / 2",
            f"{t} * {t}",
            f"{t}.clamp(-1, 1)",
            f"{t}.clone()",
            f"{t} ** 3",
            f"torch.ones_like({t})",
            f"F.relu({t})",
            f"{t}.clamp(min=0.5)",
            f"{t}.double()",
            f"{t} / 0.25",
        )
        return code, self.shapes[t]

    def arithmetic(self) -> tuple[str, Shape]:
        a = self.name()
        b = self.name(lambda shape: broadcast(shape, self.shapes[a]) is not None)
        code = self.pick(
            f"{a} + {b}",
            f"{a} - {b}",
            f"{a} * {b}",
            f"torch.maximum({a}, {b})",
            f"torch.mul({a}, {b})",
            f"{a} * {b} + {a}",
            f"{a}.add({b}, alpha=2)",
        )
        return code, broadcast(self.shapes[a], self.shapes[b])

    def reduction(self) -> tuple[str, Shape]:
        t = self.name()
        shape = self.shapes[t]
        word = self.pick("sum", "mean", "sum", "amax" if shape else "sum")
        if not shape or self.chance(0.4):
            return f"{t}.{self.pick('sum', 'mean', 'max', 'min')}()", ()
        dim = self.random.randrange(len(shape))
        at = self.pick(dim, dim - len(shape))
        if self.chance(0.3):
            kept = (*shape[:dim], 1, *shape[dim + 1 :])
            return f"{t}.{word}({at}, keepdim=True)", kept
        return f"{t}.{word}({at})", shape[:dim] + shape[dim + 1 :]

    def product(self) -> tuple[str, Shape]:
        a = self.name(lambda shape: 1 <= len(shape) <= 2)
        if a is None:
            return self.pointwise()
        m = self.shapes[a]
        b = self.name(lambda n: (len(n) == 1 and n[0] == m[-1]) or (len(n) == 2 and n[0] == m[-1]))
        if b is None:
            return (f"{a} @ {a}.t()", (m[0], m[0])) if len(m) == 2 else (f"{a} @ {a}", ())
        return f"{a} @ {b}", m[:-1] + self.shapes[b][1:]

    def reshaped(self) -> tuple[str, Shape]:
        t = self.name()
        s = self.shapes[t]
        ways = [
            (f"{t}.{self.pick('view', 'reshape')}(-1)", (prod(s),)),
            (f"{t}[None]", (1, *s)),
            (f"{t}.unsqueeze(-1)", (*s, 1)),
            (f"{t}.expand(2, {', '.join(['-1'] * len(s))})" if s else f"{t}.expand(2)", (2, *s)),
            (f"{t}.flatten()", (prod(s),)),
        ]
        if len(s) >= 2:
            flipped = (*s[:-2], s[-1], s[-2])
            ways += [(f"{t}.transpose(-1, -2)", flipped), (f"{t}.mT", flipped)] * 2
        if len(s) == 2:
            ways += [(f"{t}.t()", s[::-1]), (f"{t}.T", s[::-1])] * 2
        if prod(s) >= 4:
            ways += [(f"{t}.{self.pick('view', 'reshape')}(2, {prod(s) // 2})", (2, prod(s) // 2))]
        if 1 in s:
            ways += [(f"{t}.squeeze()", tuple(n for n in s if n != 1))]
        return self.pick(*ways)

    def part(self, t: str | None = None) -> tuple[str, Shape]:
        """A view by basic indexing, of `t` where it has parts."""
        if t is None or not self.shapes[t] or min(self.shapes[t]) < 2:
            t = self.name(lambda shape: shape and min(shape) > 1)
        if t is None:
            return self.reshaped()
        s = self.shapes[t]
        half = s[0] // 2
        ways = [
            (f"{t}[0]", s[1:]),
            (f"{t}[-1]", s[1:]),
            (f"{t}[{half}:]", (half, *s[1:])),
            (f"{t}[:{half}]", (half, *s[1:])),
            (f"{t}[::2]", (half, *s[1:])),
            (f"{t}[...]", s),
            (f"{t}[:]", s),
            (f"{t}.narrow(0, 0, {half})", (half, *s[1:])),
            (f"{t}.select(0, 1)", s[1:]),
            (f"{t}[..., 0]", s[:-1]),
        ]
        if len(s) > 1:
            ways += [
                (f"{t}[:, 0]", s[:1] + s[2:]),
                (f"{t}[:, 1:]", (s[0], s[1] - 1, *s[2:])),
                (f"{t}[0, 1]", s[2:]),
                (f"{t}.diagonal()", (*s[2:], min(s[:2]))),
            ]
        code, shape = self.pick(*ways)
        return (code, shape) if 3 not in shape else (f"{t}[0]", s[1:])

    def transcendental(self) -> tuple[str, Shape]:
        t = self.name()
        u = self.name(lambda shape: broadcast(shape, self.shapes[t]) == self.shapes[t])
        code = self.pick(
            f"{t}.exp()",
            f"{t}.sin()",
            f"{t}.tanh()",
            f"{t}.sigmoid()",
            f"({t}.abs() + 1).log()",
            f"({t} * {t} + 1).sqrt()",
            f"{t} / ({u} ** 2 + 1)",
            f"F.softmax({t}.reshape(-1), 0).sum() * {t}",
            f"{t}.norm() * {u}",
            f"({t}.abs() + 1) ** {u}",
            f"F.softplus({t})",
            f"2 ** {t}",
            f"{t}.cos()",
            f"({t} + 20).reciprocal()",
            f"F.gelu({t})",
            f"F.silu({t})",
        )
        return code, self.shapes[t]

    def gathered(self) -> tuple[str, Shape]:
        """Advanced indexing and functions of several tensors."""
        t = self.name(lambda shape: shape and min(shape) > 1)
        if t is None:
            return self.arithmetic()
        s = self.shapes[t]
        code, shape = self.pick(
            (f"{t}[[1, 0]]", (2, *s[1:])),
            (f"{t}[torch.tensor([0, 0, 1, 1])]", (4, *s[1:])),
            (f"torch.cat([{t}, {t}])", (2 * s[0], *s[1:])),
            (f"torch.stack([{t}, {t}], -1)", (*s, 2)),
            (f"torch.where({t} > 0, {t}, {t} * 2)", s),
            (f"{t}.masked_fill({t} > 0, 0.5)", s),
            (f"{t}.flip(0)", s),
            (f"{t}.cumsum(0)", s),
            (f"{t}.sort(0)[0]", s),
            (f"{t}.roll(1, 0)", s),
            (f"{t}.index_select(0, torch.tensor([1, 1]))", (2, *s[1:])),
            (f"{t}.max(0)[0]", s[1:]),
            (
                f"{t}.repeat(2, {', '.join(['1'] * (len(s) - 1))})"
                if len(s) > 1
                else f"{t}.repeat(2)",
                (2 * s[0], *s[1:]),
            ),
            (f"{t}.prod(0)", s[1:]),
            (f"{t}.permute({self.order(s)})", None),
            (f"{t}.gather(0, torch.zeros_like({t}, dtype=torch.int64))", s),
            (f"{t}.tril()" if len(s) > 1 else f"{t}.round()", s),
            (f"{t}.as_strided((2,), (1,))", (2,)),
            (f"{t}.unfold(0, 2, 2)", (s[0] // 2, *s[1:], 2)),
            (f"F.pad({t}, (1, 1))", (*s[:-1], s[-1] + 2)),
            (f"({t} > 0) * {t}", s),
            (f"{t}.float()", s),
        )
        return code, s[::-1] if shape is None else shape

    @staticmethod
    def order(shape: Shape) -> str:
        return ", ".join(map(str, reversed(range(len(shape)))))

    def expression(self) -> tuple[str, Shape]:
        makers = [self.pointwise, self.arithmetic, self.arithmetic, self.reduction, self.product]
        makers += [self.reshaped, self.part, self.part] if self.level > 1 else [self.pointwise]
        makers += [self.transcendental, self.gathered, self.gathered] if self.level > 3 else []
        return self.pick(*makers)()

    # statements

    def result(self) -> None:
        code, shape = self.expression()
        if prod(shape) > 32:
            code, shape = f"({code}).sum()", ()
        self.assign(code, shape)

    def show(self) -> None:
        t = self.name()
        self.say(
            self.pick(
                t,
                f"{t}, {t}._version",
                f"walk({t})",
                f"{t}.grad",
                f"{t}.is_leaf, {t}.requires_grad",
                f"{t}.grad_fn",
                f"{t}.shape, {t}.dtype, {t}.stride()",
                f"{t}.tolist()",
                f"{t}.retains_grad, {t}.output_nr",
            )
        )

    def show_view(self) -> None:
        t, u = self.name(), self.name()
        self.say(
            self.pick(
                f"{t}._version, {u}._version",
                f"{t}._base is {u}",
                f"{t}._is_view()",
                f"walk({t})",
                f"{t}.data_ptr() == {u}.data_ptr()",
                f"{t}.is_contiguous()",
            )
        )

    def backward(self) -> None:
        t = self.name(lambda shape: shape == ()) if self.chance(0.3) else None
        t = t or f"{self.name()}.{self.pick('sum', 'mean', 'sum')}()"
        self.say(f"{t}.backward({self.pick('', '', 'retain_graph=True')})")
        self.say(f"{self.pick(*self.leaves)}.grad")

    def vector_backward(self) -> None:
        t = self.name()
        options = self.pick("", ", retain_graph=True", ", retain_graph=True")
        wrong = (2,) if self.chance(0.1) else self.shapes[t]
        self.say(f"{t}.backward(torch.tensor({self.literal(wrong)}){options})")
        self.say(", ".join(f"{n}.grad" for n in self.leaves))

    def detached(self) -> None:
        t = self.name()
        self.assign(
            self.pick(
                f"{t}.detach()",
                f"{t}.data",
                f"{t}.detach().clone().requires_grad_()",
                f"{t}.detach()",
            ),
            self.shapes[t],
        )

    def without_grad(self) -> None:
        code, shape = self.expression()
        if prod(shape) <= 32:
            self.assign(code, shape, "with torch.no_grad(): ")

    def retain(self) -> None:
        t = self.name()
        self.say(f"{t}.grad_fn, {t}.retain_grad()")

    def clear(self) -> None:
        self.say(f"{self.pick(*self.leaves)}.grad = None")

    def change(self, guard: str = "") -> None:
        t = self.target()
        u = self.name(lambda shape: broadcast(shape, self.shapes[t]) == self.shapes[t])
        k = self.number()
        self.say(
            guard
            + self.pick(
                f"{t}.add_({u})",
                f"{t}.mul_({u})",
                f"{t}.mul_({k})",
                f"{t}.sub_({u})",
                f"{t} += {u}",
                f"{t} *= {k}",
                f"{t}.neg_()",
                f"{t}.relu_()",
                f"{t}.zero_()",
                f"{t}.fill_({k})",
                f"{t}.copy_({u})",
                f"{t}.pow_(2)",
                f"{t}.clamp_(-1, 1)",
                f"{t}.div_(2)",
                f"{t} -= {k}",
                f"{t}.add_({k})",
                f"{t}[...] = {k}",
                f"{t}.abs_()",
                f"{t}.square_()",
            )
        )

    def change_quietly(self) -> None:
        self.change("with torch.no_grad(): ")

    def write(self) -> None:
        """Item assignment of a number or of a tensor that fits."""
        code, shape = self.part(self.target())
        if "[" not in code:
            return self.change()
        fitting = self.name(lambda s: broadcast(s, shape) == shape)
        value = self.number() if self.chance(0.4) or fitting is None else fitting
        self.say(f"{code} {self.pick('=', '=', '+=', '*=')} {value}")

    def change_part(self) -> None:
        code, shape = self.part(self.target())
        u = self.name(lambda s: broadcast(s, shape) == shape) or "2"
        self.say(f"{code}.{self.pick('mul_', 'add_', 'sub_', 'copy_')}({u})")

    def unpack(self) -> None:
        t = self.name(lambda shape: shape and shape[0] == 2)
        if t is None:
            return self.result()
        s = self.shapes[t]
        way, shape = self.pick(
            ("unbind()", s[1:]), ("split(1)", (1, *s[1:])), ("chunk(2)", (1, *s[1:]))
        )
        first = len(self.shapes)
        names = [f"t{first}", f"t{first + 1}"]
        self.say(f"{', '.join(names)} = {t}.{way}")
        self.shapes |= dict.fromkeys(names, shape)
        self.writable |= set(names) if t in self.writable else set()

    def turn(self) -> None:
        t = self.name(lambda shape: len(shape) == 2 and shape[0] == shape[1])
        self.say(f"{t}.t_()" if t else f"{self.name()}.requires_grad_()")

    def hook(self) -> None:
        """A hook; torch 2.13 crashes unless a view's grad_fn was renewed by reading it first."""
        t = self.name()
        handle = f"h{len(self.handles)}"
        self.handles.append(handle)
        self.say(
            f"{handle} = {t}.grad_fn, {t}."
            + self.pick(
                f"register_hook(lambda g: print('{t}', g))",
                "register_hook(lambda g: g * 2)",
                "register_hook(lambda g: g + 1)",
                f"register_hook(lambda g: print('{t} again', g))",
                f"register_post_accumulate_grad_hook(lambda p: print('{t} got', p.grad))",
                f"grad_fn.register_prehook(lambda gs: print('{t} pre', gs))",
                f"grad_fn.register_hook(lambda gi, go: print('{t} post', gi, go))",
                "grad_fn.register_prehook(lambda gs: tuple(g and None if g is None else g * 3 for g in gs))",
            )
        )

    def unhook(self) -> None:
        self.say(f"{self.pick(*self.handles)}[1].remove()") if self.handles else self.hook()

    def gradient(self) -> None:
        t, u = self.name(), self.pick(self.pick(*self.leaves), self.name())
        g = f"g{len(self.lines)}"
        options = self.pick("", ", create_graph=True", ", create_graph=True", ", retain_graph=True")
        options += self.pick("", "", ", allow_unused=True", ", materialize_grads=True")
        self.say(f"{g}, = torch.autograd.grad({t}.sum(), {u}{options})")
        self.say(self.pick(g, f"{g}, {g}.grad_fn", f"walk({g})"))
        if "create" in options:
            leaf = self.pick(*self.leaves)
            self.say(
                self.pick(
                    f"({g} * {g}).sum().backward()",
                    f"{g}.sum().backward(retain_graph=True)",
                    f"torch.autograd.grad({g}.sum(), {leaf}, allow_unused=True)",
                    f"torch.autograd.grad(({g} * {t}).sum(), {leaf}, allow_unused=True)",
                )
            )
            self.say(f"{leaf}.grad")

    def backward_with(self) -> None:
        t, u = self.name(), self.name()
        self.say(
            f"{t}.sum().backward("
            + self.pick(
                "create_graph=True",
                f"inputs=[{u}]",
                "retain_graph=True",
                f"inputs=[{self.pick(*self.leaves)}], retain_graph=True",
            )
            + ")"
        )
        self.say(f"{u}.grad, {self.pick(*self.leaves)}.grad")

    def saved(self) -> None:
        t = self.name()
        self.say(
            f"[(f, getattr({t}.grad_fn, f)) for f in dir({t}.grad_fn) if f.startswith('_saved_')]"
        )

    def several(self) -> None:
        a, b = self.name(), self.name()
        self.say(f"torch.autograd.backward([{a}.sum(), {b}.sum()])")
        self.say(", ".join(f"{n}.grad" for n in self.leaves))

    def mode(self) -> None:
        code, shape = self.expression()
        guard = self.pick(
            "with torch.inference_mode(): ",
            "with torch.set_grad_enabled(False): ",
            "with torch.enable_grad(): ",
        )
        if prod(shape) <= 32:
            self.assign(code, shape, guard)

    def function(self) -> None:
        """A custom Function, used once."""
        t = self.name()
        body = self.pick(
            "return g * 2",
            "x, = ctx.saved_tensors; return g * x",
            "print(ctx.needs_input_grad, g); return g",
            "return None",
        )
        k = f"K{len(self.lines)}"
        self.say(
            f"class {k}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): "
            f"ctx.save_for_backward(x); return {self.pick('x * 2', 'x * x', 'x.clone()', 'x')}\n"
            f"    @staticmethod\n    def backward(ctx, g): {body}"
        )
        self.assign(f"{k}.apply({t})", self.shapes[t])

    def packed(self) -> None:
        code, shape = self.expression()
        hooks = self.pick(
            "lambda s: print('pack', s) or s, lambda s: print('unpack', s) or s",
            "lambda s: s.detach().clone(), lambda s: s",
        )
        if prod(shape) <= 32:
            self.assign(code, shape, f"with torch.autograd.graph.saved_tensors_hooks({hooks}): ")

    def multi_hook(self) -> None:
        t, u = self.name(), self.name()
        self.say(
            f"m = {t}.grad_fn, {u}.grad_fn, torch.autograd.graph.register_multi_grad_hook(({t}, {u}), lambda gs: print('multi', gs))"
        )

    def change_more(self) -> None:
        t = self.target()
        if not self.shapes[t] or self.shapes[t][0] < 2:
            return self.change()
        u = self.name(lambda shape: broadcast(shape, self.shapes[t]) == self.shapes[t])
        self.say(
            self.pick(
                f"{t}.exp_()",
                f"{t}.tanh_()",
                f"{t}[{t} > 0] = 0",
                f"{t}[[1, 0]] = {u}",
                f"{t}.masked_fill_({t} > 0, 1)",
                f"{t}.data.mul_(2)",
                f"{t}.detach_()",
                f"{t}.fill_({u}.sum())",
                f"{t}[{t} > 0] *= 2",
                f"{t}.sigmoid_()",
                f"{t}.requires_grad_(False)",
                f"{t}.unsqueeze_(0).squeeze_(0)",
                f"{t}.index_add_(0, torch.tensor([0]), {t}[:1])",
                f"{t}.data = {t}.data * 2",
            )
        )


# (level from which on, how often, what to write)
WRITERS = [
    (1, 8, Writer.result),
    (1, 1, Writer.leaf),
    (1, 1, Writer.constant),
    (1, 4, Writer.show),
    (1, 2, Writer.backward),
    (1, 2, Writer.vector_backward),
    (1, 1, Writer.detached),
    (1, 1, Writer.without_grad),
    (1, 1, Writer.retain),
    (1, 1, Writer.clear),
    (2, 4, Writer.change),
    (2, 2, Writer.change_quietly),
    (2, 4, Writer.write),
    (2, 3, Writer.change_part),
    (2, 2, Writer.unpack),
    (2, 1, Writer.turn),
    (2, 3, Writer.show_view),
    (3, 5, Writer.hook),
    (3, 1, Writer.unhook),
    (3, 3, Writer.gradient),
    (3, 2, Writer.backward_with),
    (3, 1, Writer.saved),
    (3, 1, Writer.several),
    (4, 1, Writer.mode),
    (4, 2, Writer.function),
    (4, 1, Writer.packed),
    (4, 1, Writer.multi_hook),
    (4, 3, Writer.change_more),
]
