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

from . import vocabulary as words
from .transcript import NUMBER, placeholders, transcript

LEVELS = (1, 2, 3, 4)
RECORDED = 15
SHAPES = [(), (2,), (4,), (2, 2), (4, 2), (2, 4), (2, 2, 2)]
LARGEST = 32
PRELUDE = """def walk(t):
    nodes = [t.grad_fn] if t.grad_fn else []
    for n in nodes: nodes += {m: 0 for m, _ in n.next_functions if m and m not in nodes}
    edges = lambda n: [(nodes.index(m) if m else None, k) for m, k in n.next_functions]
    for n in nodes: print(n.name().split("::")[-1], *edges(n))"""
VIEW = re.compile(
    r"(t\d+)(\[|\.([tT]$|mT|t\(|tran|view|resh|unsq|exp\w+\(2|flat|narr|sel|diag|sque|unf|perm))"
)
SAME_MEMORY = re.compile(rf"{VIEW.pattern}|(t\d+)\.(detach|data|as_str|float|double)|K\d+.*(t\d+)")
# the last: torch writes into the tensor, then refuses; minigrad refuses before anything is written
TORCH_FAULTS = ("INTERNAL ASSERT FAILED", "ZeroTensors are immutable", "Inplace update to inference tensor",
                "on expanded tensors is deprecated")  # minigrad refuses, since elements there share memory
TOLERANCE = 1e-4

Shape = tuple[int, ...]


def program(seed: int, level: int = 4) -> str:
    """The text of one program; the same for the same seed and level, for ever."""
    return Writer(seed, level).source()


def run(source: str, torch: ModuleType) -> list[str]:
    return transcript(source, torch)


def differ(source: str, expected: list[str], got: list[str]) -> bool:
    """Whether two transcripts of a program disagree: exact text where the program is exact.

    Where torch reports a fault of its own, there is nothing to agree with.
    """
    if any(fault in line for line in expected for fault in TORCH_FAULTS):
        return False
    if expected == got or not words.INEXACT.search(source):
        return expected != got
    one, two = ("\n".join(lines) for lines in (expected, got))
    pairs = zip(NUMBER.finditer(one), NUMBER.finditer(two), strict=False)
    return frame(one) != frame(two) or not all(close(a.group(), b.group()) for a, b in pairs)


def frame(text: str) -> str:
    """A text without its numbers, and without the white space that depends on their width."""
    return re.sub(r"\s+", "", placeholders(text))


def close(a: str, b: str, tolerance: float = TOLERANCE) -> bool:
    x, y = float(a), float(b)
    return str(x) == str(y) or abs(x - y) <= tolerance * max(1, abs(x), abs(y))


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
        self.leaves: list[str] = []
        self.handles: list[str] = []
        self.writable: set[str] = set()  # neither a leaf nor a view of one
        self.memory: dict[str, str] = {}  # whose memory a name may share

    def source(self) -> str:
        if self.chance(0.5):
            self.say("torch.set_default_dtype(torch.float64)")
        self.leaf()
        self.leaf()
        self.assign(*self.pointwise())
        writers = [w for level, weight, w in WRITERS if level <= self.level for _ in range(weight)]
        for _ in range(self.random.randint(8, 18)):
            self.pick(writers)(self)
        self.say(f"{self.name()}.sum().backward()")
        for name in self.leaves:
            self.say(f"{name}.grad, {name}._version")
        return "\n".join(self.lines) + "\n"

    # choosing

    def say(self, line: str) -> None:
        self.lines.append(line)

    def pick(self, choices):
        return self.random.choice(list(choices))

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def name(self, fits=lambda shape: True) -> str | None:
        """A name, the later the likelier, whose shape `fits`."""
        names = [n for n, shape in self.shapes.items() if fits(shape)]
        return self.pick(names[-4:] + names) if names else None

    def fitting(self, shape: Shape, t: str) -> str | None:
        """A name that broadcasts to `shape`; while it shares the memory of `t`, only as it is.

        Writing to memory that is being read with another shape is undefined in torch.
        """
        home = self.memory[t]
        fits = [n for n, s in self.shapes.items() if broadcast(s, shape) == shape]
        safe = [n for n in fits if self.memory[n] != home or self.shapes[n] == shape]
        return self.pick(safe[-4:] + safe) if safe else None

    def target(self) -> str:
        """A name to write to: seldom a leaf or a view of one, since that is refused."""
        names = [n for n in self.shapes if n in self.writable or self.chance(0.05)]
        return self.pick(names[-3:] + names) if names else self.name()

    def phrase(self, choices, t: str | None = None, **known: str) -> str:
        """One of the phrases, its blanks filled."""
        t = t or self.name()
        shape = self.shapes[t]
        blanks = {
            "t": t,
            "u": self.fitting(shape, t),
            "k": self.pick(words.NUMBERS),
            "leaf": self.pick(self.leaves),
            "h": shape[0] // 2 if shape else 0,
        }
        return self.pick(choices).format(**(blanks | known))

    def shaped(self, table: dict, t: str) -> tuple[str, Shape]:
        """A phrase of a table that says which shape results."""
        template = self.pick(table)
        return self.phrase([template], t), table[template](self.shapes[t])

    def assign(self, code: str, shape: Shape, prefix: str = "") -> str:
        """Give an expression a name; a big result is summed."""
        if prod(shape) > LARGEST:
            code, shape = f"({code}).sum()", ()
        name = f"t{len(self.shapes)}"
        self.shapes[name] = shape
        view = VIEW.match(code)
        if "requires_grad=True" not in code and (not view or view[1] in self.writable):
            self.writable.add(name)
        alias = SAME_MEMORY.match(code)
        self.memory[name] = self.memory[alias[1] or alias[4] or alias[6]] if alias else name
        self.say(f"{prefix}{name} = {code}")
        return name

    def literal(self, shape: Shape) -> str:
        if not shape:
            return repr(self.random.randint(-12, 12) / 8)
        return f"[{', '.join(self.literal(shape[1:]) for _ in range(shape[0]))}]"

    # expressions: code and shape

    def expression(self) -> tuple[str, Shape]:
        makers = [self.pointwise, self.arithmetic, self.arithmetic, self.reduction, self.product]
        makers += [self.reshaped, self.part, self.part] if self.level > 1 else [self.pointwise]
        makers += [self.transcendental, self.gathered, self.gathered] if self.level > 3 else []
        return self.pick(makers)()

    def pointwise(self) -> tuple[str, Shape]:
        t = self.name()
        return self.phrase(words.POINTWISE, t), self.shapes[t]

    def transcendental(self) -> tuple[str, Shape]:
        t = self.name()
        return self.phrase(words.TRANSCENDENTAL, t), self.shapes[t]

    def arithmetic(self) -> tuple[str, Shape]:
        t = self.name()
        u = self.name(lambda shape: broadcast(shape, self.shapes[t]) is not None)
        code = self.phrase(words.ARITHMETIC, t, u=u)
        return code, broadcast(self.shapes[t], self.shapes[u])

    def reduction(self) -> tuple[str, Shape]:
        t = self.name()
        shape = self.shapes[t]
        if not shape or self.chance(0.4):
            return f"{t}.{self.pick(['sum', 'mean', 'max', 'min'])}()", ()
        word = self.pick(["sum", "mean", "sum", "amax"])
        dim = self.random.randrange(len(shape))
        at = self.pick([dim, dim - len(shape)])
        if self.chance(0.3):
            return f"{t}.{word}({at}, keepdim=True)", (*shape[:dim], 1, *shape[dim + 1 :])
        return f"{t}.{word}({at})", shape[:dim] + shape[dim + 1 :]

    def product(self) -> tuple[str, Shape]:
        a = self.name(lambda shape: 1 <= len(shape) <= 2)
        if a is None:
            return self.pointwise()
        m = self.shapes[a]
        b = self.name(lambda n: 1 <= len(n) <= 2 and n[0] == m[-1])
        if b is None:
            return f"{a} @ {a}.t()", (m[0], m[0])
        return f"{a} @ {b}", m[:-1] + self.shapes[b][1:]

    def reshaped(self) -> tuple[str, Shape]:
        t = self.name()
        rank = len(self.shapes[t])
        tables = [
            words.RESHAPED,
            *[words.TURNED] * (rank > 1),
            *[words.TURNED_MATRIX] * (rank == 2),
        ]
        return self.shaped(self.pick(tables), t)

    def part(self, t: str | None = None) -> tuple[str, Shape]:
        """A view by basic indexing, of `t` where it has parts."""
        if t is None or not self.has_parts(self.shapes[t]):
            t = self.name(self.has_parts)
        if t is None:
            return self.reshaped()
        matrix = len(self.shapes[t]) > 1 and self.chance(0.3)
        return self.shaped(words.MATRIX_PARTS if matrix else words.PARTS, t)

    def gathered(self) -> tuple[str, Shape]:
        """Advanced indexing, joining, and what rearranges."""
        t = self.name(self.has_parts)
        return self.shaped(words.GATHERED, t) if t else self.arithmetic()

    @staticmethod
    def has_parts(shape: Shape) -> bool:
        return bool(shape) and min(shape) > 1

    # statements: creation

    def leaf(self) -> None:
        shape = self.pick(SHAPES[1:] + SHAPES)
        data = self.literal(shape)
        self.leaves.append(self.assign(f"torch.tensor({data}, requires_grad=True)", shape))

    def constant(self) -> None:
        shape = self.pick(SHAPES)
        made = [
            f"torch.tensor({self.literal(shape)})",
            f"torch.ones({shape})",
            f"torch.zeros({shape})",
        ]
        self.assign(self.pick(made), shape)

    def result(self) -> None:
        self.assign(*self.expression())

    def detached(self) -> None:
        t = self.name()
        self.assign(self.phrase(words.DETACHED, t), self.shapes[t])

    def without_grad(self) -> None:
        self.assign(*self.expression(), "with torch.no_grad(): ")

    def in_a_mode(self) -> None:
        guard = self.pick(
            ["torch.inference_mode()", "torch.set_grad_enabled(False)", "torch.enable_grad()"]
        )
        self.assign(*self.expression(), f"with {guard}: ")

    def packed(self) -> None:
        hooks = self.pick(words.PACKING)
        guard = f"with torch.autograd.graph.saved_tensors_hooks({hooks}): "
        self.assign(*self.expression(), guard)

    def unpack(self) -> None:
        t = self.name(lambda shape: shape and shape[0] == 2)
        if t is None:
            return self.result()
        code, shape = self.shaped(words.SEVERAL, t)
        names = [f"t{len(self.shapes) + k}" for k in (0, 1)]
        self.say(f"{', '.join(names)} = {code}")
        self.shapes |= dict.fromkeys(names, shape)
        self.memory |= dict.fromkeys(names, self.memory[t])
        self.writable |= set(names) if t in self.writable else set()

    def function(self) -> None:
        """A custom Function, used once."""
        name, t = f"K{len(self.lines)}", self.name()
        bodies = {
            "forward": self.pick(words.FORWARD),
            "backward": self.pick(words.FUNCTION_BACKWARD),
        }
        self.say(words.FUNCTION.format(name=name, **bodies))
        self.assign(f"{name}.apply({t})", self.shapes[t])

    # statements: looking

    def show(self) -> None:
        self.say(self.phrase(words.SHOWN))

    def show_view(self) -> None:
        self.say(self.phrase(words.SHOWN_OF_VIEWS, u=self.name()))

    def show_saved(self) -> None:
        node = f"{self.name()}.grad_fn"
        self.say(f"[(f, getattr({node}, f)) for f in dir({node}) if f.startswith('_saved_')]")

    def show_grads(self) -> None:
        self.say(", ".join(f"{name}.grad" for name in self.leaves))

    # statements: changing

    def change(self) -> None:
        self.say(self.phrase(words.CHANGES, self.target()))

    def change_quietly(self) -> None:
        self.say("with torch.no_grad(): " + self.phrase(words.CHANGES, self.target()))

    def change_more(self) -> None:
        t = self.target()
        many = self.shapes[t] and self.shapes[t][0] > 1
        self.say(self.phrase(words.MORE_CHANGES if many else words.CHANGES, t))

    def change_part(self) -> None:
        code, shape = self.part(self.target())
        word = self.pick(["mul_", "add_", "sub_", "copy_"])
        value = self.fitting(shape, re.match(r"t\d+", code)[0])
        self.say(f"{code}.{word}({value or self.pick(words.NUMBERS)})")

    def write(self) -> None:
        """Item assignment of a number or of a tensor that fits."""
        code, shape = self.part(self.target())
        if not code.endswith("]"):
            return self.change()
        value = None if self.chance(0.4) else self.fitting(shape, re.match(r"t\d+", code)[0])
        self.say(f"{code} {self.pick(['=', '=', '+=', '*='])} {value or self.pick(words.NUMBERS)}")

    def turn(self) -> None:
        t = self.name(lambda shape: len(shape) == 2 and shape[0] == shape[1])
        self.say(f"{t}.t_()" if t else f"{self.name()}.requires_grad_()")

    # statements: backward

    def backward(self) -> None:
        reduced = f"{self.name()}.{self.pick(['sum', 'mean', 'sum'])}()"
        root = self.chance(0.3) and self.name(lambda shape: shape == ())
        self.say(f"{root or reduced}.backward({self.pick(['', '', 'retain_graph=True'])})")
        self.show_grads()

    def vector_backward(self) -> None:
        t = self.name()
        options = self.pick(["", ", retain_graph=True", ", retain_graph=True"])
        shape = (2,) if self.chance(0.1) else self.shapes[t]
        self.say(f"{t}.backward(torch.tensor({self.literal(shape)}){options})")
        self.show_grads()

    def backward_with(self) -> None:
        u = self.name()
        self.say(f"{self.name()}.sum().backward({self.phrase(words.BACKWARD, u=u)})")
        self.say(f"{u}.grad, {self.pick(self.leaves)}.grad")

    def several_roots(self) -> None:
        self.say(f"torch.autograd.backward([{self.name()}.sum(), {self.name()}.sum()])")
        self.show_grads()

    def gradient(self) -> None:
        t, g = self.name(), f"g{len(self.lines)}"
        source = self.pick([self.pick(self.leaves), self.name()])
        options = self.pick(
            ["", ", create_graph=True", ", create_graph=True", ", retain_graph=True"]
        )
        options += self.pick(["", "", ", allow_unused=True", ", materialize_grads=True"])
        self.say(f"{g}, = torch.autograd.grad({t}.sum(), {source}{options})")
        self.say(self.pick([g, f"{g}, {g}.grad_fn", f"{g}.requires_grad"]))
        if "create" in options:
            self.say(self.phrase(words.SECOND, t, g=g))
            self.show_grads()

    def clear(self) -> None:
        self.say(f"{self.pick(self.leaves)}.grad = None")

    # statements: hooks. torch 2.13 crashes where a hook is put on a view whose grad_fn is out of
    # date, so every hook reads `grad_fn` first, which renews it

    def retain(self) -> None:
        self.say(self.phrase(["{t}.grad_fn, {t}.retain_grad()"]))

    def hook(self) -> None:
        self.handles.append(f"h{len(self.handles)}")
        t = self.name()
        self.say(f"{self.handles[-1]} = {t}.grad_fn, {t}.{self.phrase(words.HOOKS, t)}")

    def unhook(self) -> None:
        self.say(f"{self.pick(self.handles)}[1].remove()") if self.handles else self.hook()

    def multi_hook(self) -> None:
        """A hook on two tensors, for one backward: torch's own miscounts roots and repetitions."""
        t, u = self.name(), self.name()
        if self.memory[t] == self.memory[u]:
            return self.hook()
        register = "torch.autograd.graph.register_multi_grad_hook"
        hook = f"{register}(({t}, {u}), lambda gs: print('multi', gs))"
        self.say(f"m = {t}.grad_fn, {u}.grad_fn, {hook}")
        self.say(f"({t}.sum() + {u}.mean()).backward(retain_graph=True)")
        self.say("m[2].remove()")


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
    (3, 1, Writer.show_saved),
    (3, 1, Writer.several_roots),
    (4, 1, Writer.in_a_mode),
    (4, 2, Writer.function),
    (4, 1, Writer.packed),
    (4, 1, Writer.multi_hook),
    (4, 3, Writer.change_more),
]
