"""Every equation that a recorded backward shows holds for the numbers as they are printed, or says `≈`."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import math
import random
import re
import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.carriers import RAW
from minigrad.core.row import TABLE
from minigrad.graph import record
from minigrad.graph.flows import flows, spelled
from minigrad.graph.preview import told
from minigrad.graph.recorder import Frame
from minigrad.graph.rule import Rule
from minigrad.graph.snapshot import Graph
from minigrad.graph.symbols import NamedValue, numbered
from minigrad.text import table
from minigrad.text.numbers import exact, honest, rounded, summed
from minigrad.viz.asking import equation
from minigrad.viz.scenes import grids, mathml
from tests import networks
from tests.oracle.programs import program
from tests.oracle.transcript import statements
from tests.reading import Unreadable, read
from tests.samples import SAMPLES

BY_HAND = {
    "saturated": "x = torch.tensor([2.3, 9.], requires_grad=True); y = x.tanh(); loss = (y * y).sum()\nloss",
    "far apart": "x = torch.tensor([25.6, 256., 0.5], requires_grad=True); loss = (x * x).sum()\nloss",
    "not finite": "x = torch.tensor([0., 1.], requires_grad=True); y = x.log(); loss = (y * x + y / x).sum()\nloss",
    "matrices": """a = torch.tensor([[.1, .7], [1.3, -.6]], requires_grad=True)
b = torch.tensor([[1.1], [2.7]], requires_grad=True); loss = (a @ b).pow(3).sum()
loss""",
    "ints": """x = torch.tensor([1.5, 2.5, .3], requires_grad=True); i = torch.tensor([2, 0])
k = torch.tensor([3, 7]); loss = (x[i] * k).sum()
loss""",
    "broadcast": """a = torch.tensor([[.13, .77], [.31, .55]], requires_grad=True)
b = torch.tensor([.9, .23], requires_grad=True); c = torch.tensor(.7, requires_grad=True)
loss = ((a + b) * (a * c)).exp().sum()
loss""",
    "halves": """x = torch.tensor([.3333, 2.71], requires_grad=True).half(); y = (x * x).sum()
y""",
    "in place after a hook": """w = torch.tensor([.7, -1.3], requires_grad=True); a = w * 2; b = a.exp()
a.register_hook(lambda g: g.mul_(3)); loss = (b + a).sum()
loss""",
}


class Run(NamedTuple):
    """One recorded backward."""

    name: str
    graph: Graph
    frames: tuple[Frame, ...]
    root: Any
    names: dict[str, Any]


def recorded(name: str, root: Any, names: dict[str, Any]) -> Run:
    with contextlib.redirect_stdout(io.StringIO()):
        return Run(name, *record(root, mg.ones_like(root) if root.dim() else None, names=names), root, names)


UNARY = ("{t}.tanh()", "{t}.exp()", "{t}.sin()", "{t}.sigmoid()", "{t}.abs().sqrt()", "{t}.abs().log()", "{t} ** 2",
         "{t} ** 3", "{t}.relu()", "{t}.clamp(-1, 0.8)", "{t} * {k}", "{t} / {k}", "{k} / {t}", "{t} - {k}", "-{t}",
         "{t}.sum(0)", "{t}.mean()", "{t}[-1]", "{t}.flatten()[[0, 0]]", "Twice.apply({t})", "{t}.double()",
         "{t}.clone()", "{t}.expand(2, *{t}.shape)", "{t}.softmax(0)", "{t}.reshape(-1)", "{t}.max()", "{t}.t()",
         "{t}.prod()")
BINARY = ("{t} + {u}", "{t} * {u}", "{t} - {u}", "{t} / {u}", "{t} @ {u}", "torch.where({t} > 0, {t}, {u})",
          "torch.maximum({t}, {u})", "torch.stack([{t}, {u}]).sum(0)", "torch.atan2({t}, {u})")
CHANGES = ("{t}.register_hook(lambda g: g.clamp(max={k}))", "{t}.register_hook(lambda g: g * 2)", "{t}.retain_grad()",
           "{t}.register_hook(lambda g: g.mul_(2))", "{t}.register_hook(lambda g: None)", "{t}.mul_({k})",
           "{t}.tanh_()",
           "{t}.grad_fn.register_prehook(lambda gs: tuple(g * 3 for g in gs))",
           "{t}.grad_fn.register_hook(lambda out, got: tuple(g and g * 2 if g is None else g * 2 for g in out))")
TWICE = """class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2.5"""


def of_small_program(seed: int, hooks: bool = True) -> Run | None:
    """Ten operations on tensors of at most four numbers, whose equations are all written out."""
    choose = random.Random(seed)
    shapes: list[tuple[int, ...]] = [(), (2,), (2, 2), (1, 2), (2, 1), (3,)]
    names: dict[str, Any] = {"torch": mg}
    exec(TWICE, names)
    for i in range(3):
        shape = choose.choice(shapes)
        data = np.array([round(choose.uniform(-3, 3), choose.randint(0, 5)) for _ in range(math.prod(shape))])
        names[f"x{i}"] = mg.tensor(data.reshape(shape).tolist(), requires_grad=True)
    for i in range(12):
        t, u = (choose.choice([k for k in names if k[0] in "xt" and k != "torch"]) for _ in "tu")
        text = choose.choice([*UNARY, *BINARY * 3, *CHANGES * (i > 4)])
        text = text.format(t=t, u=u, k=choose.choice([.3, 2, 1.7, 40]))
        if "register" in text and not hooks:
            continue
        with contextlib.suppress(RuntimeError, IndexError, ValueError, TypeError, AttributeError):
            made = eval(compile(text, f"<small {seed}>", "eval"), names)
            if hasattr(made, "grad_fn") and made.numel() < 17 and "_(" not in text:
                names[f"t{i}"] = made
    names = {k: t for k, t in names.items() if hasattr(type(t), "grad_fn")}
    loss = sum(t.sum() for t in list(names.values())[-3:])
    if loss.grad_fn is None:
        return None
    with contextlib.suppress(RuntimeError):  # what was saved has been written since
        if seed % 3 == 0:
            loss.backward(retain_graph=True)
        elif seed % 7 == 0:
            (g,) = mg.autograd.grad(loss, names["x0"], create_graph=True, allow_unused=True)
            loss = loss if g is None or g.grad_fn is None else (g * g).sum()
    return recorded(f"small {seed}", loss, {**names, "loss": loss})


def of_random_program(seed: int, hooks: bool = True) -> Run | None:
    """The last results of a random program, summed; whatever fails in it fails."""
    names: dict[str, Any] = {"torch": mg}
    for statement in statements(program(seed, 4)):
        if "register" in statement and not hooks:
            continue
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            exec(statement, names)
    mg.set_default_dtype(mg.float32)
    tensors = {k: t for k, t in names.items() if hasattr(type(t), "grad_fn") and not t.is_inference()}
    for t in reversed(tensors.values()):
        with contextlib.suppress(RuntimeError):  # a view that may no longer be looked at
            if t.grad_fn is not None and t.dtype.is_floating_point:
                total = sum(u.double().sum() for u in list(tensors.values())[-4:] if u.requires_grad)
                return recorded(f"seed {seed}", total * t.sum(), tensors)
    return None


@cache
def runs(hooks: bool = True) -> list[Run]:
    """Two hundred, and those by hand; or the same without hooks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [write(seed, hooks) for write in (of_random_program, of_small_program) for seed in range(120)]
        found = [run for run in made if run is not None]
        for name, text in BY_HAND.items() if hooks else ():
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(networks.LINES, name, text)
                (root,), names = networks.run(name, mg)
            found.append(recorded(name, root, names))
    return found


def rules() -> list[tuple[Run, Frame, Rule]]:
    return [(run, f, rule) for run in runs() for f in run.frames for rule in f.rules]


def sums() -> list[tuple[Run, str]]:
    parts = [(run, s) for run in runs() for f in run.frames for s in (f, *f.sent)]
    return [(run, text) for run, s in parts for text in (s.sum, s.sum and s.whole) if text]


def test_there_are_two_hundred_runs_of_every_kind():
    kinds = {f.kind for run in runs() for f in run.frames}

    assert len(runs()) >= 200
    assert {"hook", "capture", "unbroadcast", "accumulate", "error"} <= kinds
    assert sum(r"\odot" in rule.filled_in and bool(rule.operands) for _, _, rule in rules()) > 150
    assert len(sums()) > 150


# ---- reading what is printed


def numbers(text: str) -> np.ndarray:
    """`[0.71, −1.56, … ×9]` as an array; of what is cut short, what is shown."""
    text = re.sub(r", … ×\d+", "", text).replace("−", "-").replace("∞", "inf").replace("NaN", "nan")
    text = re.sub(r"( \w+!)+$", "", text)
    return np.array(eval(text, {"inf": math.inf, "nan": math.nan}))


def agree(found: Any, said: str) -> bool:
    """Whether numbers, rounded as those in `said` are, read the same."""
    texts = re.findall(r"−?(?:NaN|∞|True|False|[\d.]+(?:e−?\d+)?)", re.sub(r", … ×\d+", "", said))
    values = np.asarray(found).reshape(-1)
    assert len(values) == len(texts), (found, said)
    return all(rounds_to(float(v), t) for v, t in zip(values, texts, strict=True))


def rounds_to(value: float, text: str) -> bool:
    said = float(numbers(text))
    if not math.isfinite(said):
        return value == said or (value != value and said != said)
    mantissa, _, power = text.replace("−", "-").partition("e")
    last = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    return abs(value - said) <= last / 2 * (1 + 1e-6)


def from_tex(tex: str) -> Any:
    """What the mathematics between two signs says, computed as it stands there; None for what is no arithmetic."""
    source = tex
    for pattern, put in ((r"\\left(?=\()|\\right(?=\))", ""), (r"\\odot|\\cdot", "*"), (r"\\,", "@"),
                         (r"\{(-[^{}]*)\}", r"(\1)"), (r"\[\[?[^\]]*\](?:, \[[^\]]*\])*\]?", r"A(\g<0>)")):
        source = re.sub(pattern, put, source)
    while (fraction := re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", source)) != source:
        source = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", fraction)
    source = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", source)
    source = re.sub(r"\\(sin|cos|tanh|log)|\\mathrm\{(exp|sign)\}", r"np.\1\2", source)
    if "\\" in source or "{" in source or "^" in source:
        return None
    with np.errstate(all="ignore"):
        return eval(source, {"A": lambda x: np.array(x, float), "np": np})


# ---- the claims


def test_every_rule_gives_its_printed_result_from_its_printed_operands():
    computed = 0
    for run, f, rule in rules():
        if not rule.operands:
            continue
        node = run.graph.node(f.node)
        rows = [r for r in TABLE.values() if node.name in (r.grad_fn, r.torch_name) and rule.word in r.derivatives]
        if not rows:  # a view in place, which has no row of its own
            continue
        row = min(rows, key=lambda r: {*r.saved} != {s.field for s in node.saved})  # `add` has one with alpha
        given = {name: numbers(text) for name, text in rule.operands}
        given = {name: a if name in ("index", "indices", "condition", "mask") else a.astype(float)
                 for name, a in given.items()}
        options = {s.field: None if s.text in ("None", str(2**63 - 1)) else ast.literal_eval(s.text.replace("−", "-"))
                   for s in node.saved if s.field in row.uses[rule.word] and s.field not in given}
        options |= {name: None for name in row.uses[rule.word] if "strides" in name}  # how it is laid out
        if "indices" in options:
            options["indices"] = (np.array(options["indices"]),)
        with np.errstate(all="ignore"):
            found = row.derivatives[rule.word](**given, **options, **({"F": RAW} if "F" in row.uses[rule.word] else {}))
        computed += 1
        if r"\approx" not in rule.filled_in:
            assert agree(found, rule.result), (run.name, node.name, rule, found)
    assert computed > 300


def test_every_rule_that_is_arithmetic_holds_as_it_is_written():
    """Its TeX, evaluated as a reader would; the row's formula takes no part."""
    computed = 0
    for run, _, rule in rules():
        parts = re.split(r" (?==|\\approx|\\to)", rule.filled_in.removeprefix("= "))
        if not rule.operands or len(parts) != 2 or not parts[1].startswith("="):
            continue
        found = from_tex(parts[0])
        if found is not None:
            computed += 1
            whole = np.broadcast_to(found, numbers(rule.result).shape)
            assert agree(whole, rule.result), (run.name, rule, found)
    assert computed > 150


def test_every_sum_holds_as_it_is_printed():
    for run, text in sums():
        left, sign, right = re.split(r" ([=≈]) ", text)
        terms = [numbers(term) for term in re.split(r" \+ ", re.sub(r" − ", " + −", left))]
        with np.errstate(all="ignore"):
            found = sum(terms[1:], terms[0])
        assert (sign == "≈") or agree(found, right), (run.name, text, found)


def test_the_two_sums_that_were_false_are_true_now():
    printed = {text for run, text in sums() if run.name == "far apart"}
    (tanh,) = (rule for run, _, rule in rules() if run.name == "saturated" and "1 - " in rule.tex)

    assert "[25.6, 256.0, 0.5] + [25.6, 256.0, 0.5] = [51.2, 512.0, 1.0]" in printed
    assert r"\approx" in tanh.filled_in
    assert tanh.exact


@pytest.mark.parametrize("made", ["a @ b", "torch.addmm(c, a, b)", "a.t().clone().t() @ b", "a @ b.t().clone().t()"])
def test_a_product_of_matrices_has_its_numbers_however_it_is_laid_out(made):
    a, b, c = (mg.tensor([[1.0, k], [3.0, -1.0]], requires_grad=True) for k in (2.0, 5.0, 7.0))
    loss = (eval(made, {"torch": mg, "a": a, "b": b, "c": c}) * 2).sum()
    products = [rule.filled_in for f in record(loss, names={"a": a, "b": b})[1] for rule in f.rules if "@" in rule.tex]

    assert len(products) == 2
    assert all("@" in filled_in for filled_in in products)


# ---- as they are read


ROWS = "x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, 2.0]], requires_grad=True)\nc = torch.tensor([1.0, 2.0])\n"
ALONG = """x.logsumexp(1)|x.amax(1)|x.norm(dim=1)|x.norm(1, 1)|x.norm(float("inf"), 1)|x.max(1).values
x.sum(1)|x.mean(-1)|x.sort(1).values[:, 0]|x.gather(1, torch.tensor([[0], [2]])).squeeze(1)|x[:, 1:3].sum(1)|x[..., -1]
x.index_select(1, torch.tensor([0, 0])).sum(1)|x.median(1).values|x.topk(2, 1).values.sum(1)|x.kthvalue(2, 1).values
x.softmax(1)[:, 0]|x.log_softmax(0)[:, 0]|x.unbind(1)[0]|torch.stack([c * x[:, 0], c], 1)[:, 0]|x.roll(1, 1)[:, 0]
x.flip(1)[:, 0]|x.split(2, 1)[1].squeeze()|x.chunk(3, -1)[0].squeeze()|x[:, :-1].sum(1)|x[:, ::2].sum(1)|x @ x[0]
x.cummax(1).values[:, 2]|x.t()[0].sum() * c|x.scatter_add(1, torch.tensor([[0], [1]]), x[:, :1])[:, 0]|x.var(1)
x.take(torch.tensor([0, 5]))|x.roll(4)[:, 0]|torch.nn.functional.nll_loss(x, torch.tensor([0, 2]), reduction="none")
torch.nn.functional.nll_loss(x, torch.tensor([2, 1]), torch.ones(3), reduction="sum") * c
torch.nn.functional.nll_loss(x, torch.tensor([2, 1]), ignore_index=1) * c
torch.nn.functional.nll_loss(x, torch.tensor([2, 1]), x[0].detach(), reduction="none", ignore_index=2)
torch.nn.functional.embedding(torch.tensor([1, 0]), x[:, :2], padding_idx=0)[:, 1]
torch.nn.functional.embedding(torch.tensor([1, 1]), x, scale_grad_by_freq=True).sum(1)
torch.nn.functional.embedding(torch.tensor([1, 0]), x[:, :2], 1, None, 2., True).sum(1)"""


def parts(rule: Rule) -> tuple[str, str]:
    """What is left and right of the last sign; "" where there is only a result."""
    left, _, right = rule.filled_in.removeprefix("= ").rpartition(" = ")
    return left, right


@pytest.mark.parametrize("line", re.split(r"[|\n]", ALONG))
def test_a_rule_along_a_dim_is_true_for_who_types_it_into_numpy(line):
    text, place = f"{ROWS}y = {line}\nloss = (y * c).sum()\n", f"/tmp/ipykernel_1/along{sum(map(ord, line))}.py"
    linecache.cache[place] = (len(text), None, text.splitlines(True), place)
    names = {"torch": mg}
    exec(compile(text, place, "exec"), names)
    names = {name: t for name, t in names.items() if name in ("x", "c", "y", "loss")}
    _, frames = record(names["loss"], names=names)
    seen = 0
    for rule in (rule for f in frames for rule in f.rules if parts(rule)[0]):
        value = read(parts(rule)[0], numbers(rule.result).shape)
        assert agree(value, rule.result), (rule.filled_in, value)
        assert value.shape in (numbers(rule.result).shape, ())
        seen += 1
    assert seen


def test_every_rule_that_can_be_read_is_true():
    """With words as torch has them, and a place for every index: nothing is read otherwise than it is meant."""
    seen = 0
    for run, _, rule in rules():
        if not rule.operands or not parts(rule)[0]:
            continue
        shape = numbers(rule.result).shape
        try:
            value = read(parts(rule)[0], shape)
        except Unreadable:
            continue
        assert agree(np.broadcast_to(value, shape), rule.result), (run.name, rule, value)
        seen += 1
    assert seen > 1200


def test_every_row_of_the_table_has_a_rule_that_is_true_as_it_is_typed():
    seen = 0
    for name, (sample, *_) in SAMPLES.items():
        args, options = sample(mg)
        with contextlib.suppress(RuntimeError):  # what has no derivative
            made = TABLE[name].call(*args, **options)
            parts_of = [t for t in (made if isinstance(made, tuple | list) else [made]) if t.requires_grad]
            weights = [mg.linspace(0.5, 2.5, t.numel(), dtype=t.dtype).reshape(t.shape) for t in parts_of]
            loss = sum((t * w).sum() for t, w in zip(parts_of, weights, strict=True))
            frames = record(loss, names={f"x{i}": t for i, t in enumerate(args) if hasattr(t, "grad_fn")})[1]
            for rule in (rule for f in frames for rule in f.rules if rule.operands and parts(rule)[0]):
                shape = numbers(rule.result).shape
                with contextlib.suppress(Unreadable):
                    value = np.broadcast_to(read(parts(rule)[0], shape), shape)
                    assert agree(value, rule.result), (name, rule)
                    seen += 1
    assert seen > 400


USUAL = """mathrm text left right frac odot cdot begin end sqrt sum prod quad ldots bar le ge lt ne pi infty max log
sin cos sinh cosh tanh lvert rvert lVert rVert""".split()


def test_no_rule_has_a_word_or_a_letter_that_nobody_explains():
    """A word is a function of torch's, or what the row takes; all else has a sentence, or is said in the rule."""
    signs, spelled_as = " ".join(table("names")["signs"].values()), table("names")["letters"]
    explained = {*re.findall("[a-zA-Z]+", signs), *USUAL, "phi", "window"}
    for row in TABLE.values():
        for slot, used in row.uses.items():
            tex = row.tex(slot).replace(r"\_", "_")
            own = {*re.findall(r"\\(\w+)(?:_\{ij\})? =", tex), *re.findall(r"\w+", f"{used}{spelled_as | row.letters}")}
            for name in re.findall(r"\\mathrm\{(\w+)\}|\\([a-zA-Z]+)", tex):
                word = name[0] or name[1]
                theirs = name[0] and any(hasattr(one, word) for one in (mg, mg.Tensor, mg.nn.functional))
                assert theirs or word in explained | own, (row.name, tex, word)


def test_every_rule_can_be_set_as_a_formula_with_its_numbers():
    for run, _, rule in rules():
        for tex in (rule.tex, grids(rule.filled_in)):
            assert not tex or mathml(tex), (run.name, rule)


def symbols(run: Run) -> list[NamedValue]:
    rules = [s for f in run.frames for rule in f.rules for s in rule.symbols]
    return [*rules, *(s for f in run.frames for part in (f, *f.sent) for s in part.symbols)]


def test_a_symbol_means_one_value_in_a_run():
    for run in runs():
        english: dict[str, str] = {}
        chinese: dict[str, str] = {}
        for s in symbols(run):
            assert s.value == english.setdefault(s.en, s.value), (run.name, s, english[s.en])
            assert s.value == chinese.setdefault(s.zh, s.value), (run.name, s)


def forward(run: Run) -> tuple[Any, ...]:
    return run.graph.nodes, tuple(t.value for t in run.graph.tensors)


def test_every_derivative_is_the_one_without_hooks():
    """What is called ∂ in a run with hooks has that value in the same program without; and autograd says so too."""
    clean, compared, asked = {run.name: run for run in runs(hooks=False)}, 0, 0
    for run in runs():
        if run.name not in clean or forward(run) != forward(clean[run.name]):
            continue  # a second derivative, in which the hooks of the first have their part
        true = {s.en: s.value for s in symbols(clean[run.name])}
        for s in symbols(run):
            if s.en.startswith("∂") and true:
                assert s.en in true, (run.name, s)
                assert s.value == true[s.en], (run.name, s)
                compared += 1
    for run in clean.values():
        true = {s.en: s.value for s in symbols(run)}
        for name, t in run.names.items():
            value = true.get(f"∂{run.graph.tensor(run.graph.roots[0]).label}/∂{name}")
            if value is not None and run.frames[-1].kind != "error":
                (grad,) = mg.autograd.grad(run.root, t, retain_graph=True)
                assert told(grad._array()) == value, (run.name, name)
                asked += 1
    assert compared > 1000
    assert asked > 200


def test_a_hook_takes_the_name_of_derivative_from_all_behind_it():
    w = mg.tensor([0.5, 2.0], requires_grad=True)
    a = w * 3
    a.register_hook(lambda g: g.clamp(max=0.1))
    h = a.tanh()
    b = (w * w).sum()
    loss = h.sum() + b
    run = recorded("clamped", loss, {"w": w, "a": a, "h": h, "b": b, "loss": loss})
    named = {s.en for s in symbols(run)}

    assert {"∂loss/∂h", "∂loss/∂a", "gradient of a after clamp", "∂loss/∂b", "gradient of w", "to w via (w * 3)",
            "to w via (w * w) (2)", "to w so far (2 of 3)"} <= named
    assert not {"∂loss/∂w", "gradient of a"} & named


def test_a_hook_that_changes_nothing_takes_no_name():
    w = mg.tensor([0.5, 2.0], requires_grad=True)
    a = w * 3
    a.register_hook(lambda g: g.clone())
    loss = a.sum()
    assert "∂loss/∂w" in {s.en for s in symbols(recorded("cloned", loss, {"w": w, "a": a, "loss": loss}))}


def test_a_backward_that_begins_with_another_gradient_gives_no_derivatives_of_the_root():
    w = mg.tensor([0.5, 2.0], requires_grad=True)
    y = w * 3
    for root, seed in ((y, mg.ones(2)), (y.sum(), mg.tensor(2.0))):
        frames = record(root, seed, names={"w": w, "y": y})[1]
        assert not [s for f in frames for r in f.rules for s in r.symbols if "∂" in s.en]


def test_an_expression_names_a_tensor_only_where_it_surely_means_it():
    x = mg.tensor([[0.5, 2.0], [1.0, 3.0]], requires_grad=True)
    inner = x[0, 1] * x[0, 1]  # two nodes for `x[0, 1]`: the first is row 0
    loss = mg.nn.functional.cross_entropy(x * 2, mg.tensor([0, 1])) + inner
    names = {s.en for s in symbols(recorded("parts", loss, {"x": x, "loss": loss}))}
    texts = " ".join(names)

    assert "∂loss/∂(x * 2)" in names
    assert "∂loss/∂log_softmax(x * 2)" in names
    assert not re.search(r"∂\(x\[0, 1\]\) #2", texts)


def test_an_equation_takes_more_digits_only_where_it_needs_them():
    assert summed([[0.5, 1.0], [0.25, 1.0]], [0.75, 2.0]).operands == (("0.50", "1.00"), ("0.25", "1.00"))
    product = honest(lambda p: [p[0][0] * p[1][0]], [[0.9844], [12.5]], [0.9844 * 12.5 ])
    assert (product.operands, product.sign, product.result) == ((("0.984",), ("12.5",)), "=", ("12.3",))


def test_what_cannot_be_said_truly_is_said_with_another_sign_or_not_at_all():
    near = honest(lambda p: [1 - p[0][0] ** 2, 0.5], [[0.99999995]], [1e-7, 0.5])
    assert near.sign == "≈"
    assert honest(lambda p: [2 * p[0][0]], [[1.0]], [3.0]) is None
    assert honest(lambda p: None, [[1.0]], [1.0]) is None


@pytest.mark.parametrize(("value", "kind", "text"), [
    (float(np.float32(0.1)), "float32", "0.1"), (0.1, "float64", "0.1"), (1 / 3, "float64", "0.3333333333333333"),
    (float(np.float32(1 / 3)), "float32", "0.33333334"), (float(np.float16(65504)), "float16", "6.55e4"),
    (float(np.float32(3.4028235e38)), "float32", "3.4028235e38"), (-2.0, "float32", "−2"), (7, "int64", "7"),
    (math.nan, "float32", "NaN"), (-math.inf, "float32", "−∞"), (True, "bool", "True"),
])
def test_all_digits_are_those_that_tell_a_number_from_its_neighbours(value, kind, text):
    assert exact(value, kind) == text


@pytest.mark.parametrize(("values", "words"), [
    ([51.2, 512.0, 1.0], ["51.2", "512.0", "1.0"]), ([12345.6], ["12345.6"]), ([0.99999], ["1.000"]), ([1.0], ["1"]),
])
def test_only_a_whole_number_prints_as_one(values, words):
    assert rounded(values) == words


@pytest.mark.parametrize("name", [n for n in networks.LINES if n not in ("a million", "rnn 100", "a constant alone")])
def test_every_sum_in_a_drawing_holds_as_it_is_printed(name):
    graph, roots = networks.graph(name)
    for text in flows(graph, *roots).texts.values():
        words = re.sub(r"^\[[\d, ]+\]: ", "", text.replace("\n", " "))
        if " = " in words and "…" not in words:
            left, right = words.split(" = ")
            terms = [numbers(term) for term in re.split(r" \+ ", re.sub(r" − ", " + −", left))]
            assert agree(sum(terms[1:], terms[0]), right), text


def test_a_sum_that_is_too_long_for_a_picture_says_less():
    parts = [np.array([v], np.float32) for v in (0.18696, 0.06341, 8.87e-4, -0.01137)]
    long = spelled([np.resize(p, 3) for p in parts], np.resize(sum(parts), 3))

    assert max(map(len, long.splitlines())) <= 45
    assert long.startswith("[0]: 0.19")
    assert "≈" in long


@pytest.mark.parametrize(("parts", "words"), [
    ([[9.0, 0.0, 0.0], [0.0, 0.0, 0.21], [0.0, -2.5, 1.04]], "[2]: 0 + 0.21 + 1.04 = 1.25"),
    ([[0, 0, 0.5], [0, 0, 0], [0, 0, 0], [0, -3, 0], [0, 0, 0.25], [0, 0, 0]], "[2]: 0.50 + 0.25 + … = 0.75"),
    ([[0.0, 0.0, -0.16331]] + [[0.0, 0.0, 0.0]] * 3 + [[0.0, 0.0, -0.20446]], "[2]: −0.1633 − 0.2045 + … = −0.368"),
    ([[3.0, 0.0, 4.0], [-3.0, 1.0, 0.0]], "[2]: 4 + 0 = 4"),  # and not where nothing is left
    ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "[0]: 0 + 0 = 0")])
def test_a_sum_is_told_where_most_add_to_it_and_a_term_of_nothing_is_0(parts, words):
    arrays = [np.array(p, np.float32) for p in parts]

    assert spelled(arrays, sum(arrays)).replace("\n", " ") == words


@pytest.mark.parametrize(("join", "values", "result", "text"), [
    (" · ", [2.0, 0.5], 1.0, "2 · 0.5 = 1"), (" + ", [0.5, -0.25], 0.25, "0.5 − 0.25 = 0.25"),
    (" · ", [1 / 3, 1 / 7, 21.0], 1.0, "0.333333 · 0.142857 · 21 = 1"),
    (" · ", [1 / 3, 1 / 7], 1 / 21, "0.333333 · 0.142857 = 0.047619"),
    (" + ", [1e6 + 1 / 3, -1e6], 1 / 3, "1e6 − 1e6 ≈ 0.333333"),
])
def test_what_a_learner_is_told_of_products_and_sums_holds_too(join, values, result, text):
    assert equation(join, values, result) == text


X = "x = torch.tensor([[1., 3., 3.], [2., 2., 2.]], requires_grad=True)\n"


@pytest.mark.parametrize(("line", "rule"), [
    ("x.mean(-1)", r"\frac{\mathrm{expand}\left(\text{∂loss/∂(x.mean(-1))}, \mathrm{dim}\:{-1}\right)}{3}"),
    ("x.max()", r"{\mathrm{count}\left(x = \text{(x.max())}\right)} & x ="),
    ("x.amax(())", r"{\mathrm{count}\left(x = \text{(x.amax(()))}\right)}"),
    ("x.mean(())", r"{\mathrm{expand}\left(\text{∂loss/∂(x.mean(()))}\right)}{6}"),
    ("x.clamp(-1, 2)", r"x \ge -1 \wedge x \le 2"),
    ("(x / -4) ** -2", r"\odot \left(-2\right) \odot \text{(x / -4)}^{-2 - 1}"),
    ("x[0].permute(0)", r"\mathrm{permute}\left(\text{∂loss/∂(x[0].permute(0))}, 0\right)"),
    ("x.amax(1)", r"\mathrm{count}\left(x = \mathrm{unsqueeze}\left(\text{(x.amax(1))}, 1\right), 1\right)"),
    ("x.permute(1, 0)", r", (1, 0)\right)"),
    ("x.roll(1)", r"\mathrm{roll}\left(\text{∂loss/∂(x.roll(1))}, -1\right)"),
    ("torch.nn.functional.pad(x, (1, 0))", r", \left(-1, 0\right)\right)"),
    ("torch.nn.functional.elu(x)", r"\begin{cases}\text{∂loss/∂(torch.nn.functional.elu(x))} \odot e^{x} & x \le 0"),
    ("torch.stack([x, -x])[1]", r"= \text{∂loss/∂(torch.stack([x, -x]))}[1]"),
    ("torch.cat([x, -x], 1)", r"\left(\text{∂loss/∂(torch.cat([x, -x], 1))}, \mathrm{dim}\:{1}\right)[1]"),
    ("torch.stack(x.unbind(0))", r"\text{∂loss/∂(x.unbind(0))[0]}"),
    ("(x * 1).index_put((torch.tensor([0]),), x[:1], accumulate=True)", r"\text{∂loss/∂(x * 1)} = \text{∂loss/∂"),
])
def test_a_rule_says_what_its_letters_stand_for(line, rule):
    text = f"{X}loss = (({line}) * 2).sum()\n"
    place = f"/tmp/ipykernel_1/letters{len(line)}{len(rule)}.py"
    linecache.cache[place] = (len(text), None, text.splitlines(True), place)
    names = {"torch": mg}
    exec(compile(text, place, "exec"), names)
    _, frames = record(names["loss"], names={name: names[name] for name in ("x", "loss")})
    written = [r.tex for f in frames for r in f.rules]

    assert any(rule in tex for tex in written), written
    spelled_out = [re.sub(r"\\(text|mathrm)\{[^}]*\}|\\\w+", "", tex) for tex in written]
    assert not any(letter in tex for tex in spelled_out for letter in "nkd")


def written(loss: Any, names: dict[str, Any], node: str) -> list[str]:
    """The rules of one kind of node, without their `text`."""
    run = recorded("", loss, {**names, "loss": loss})
    rules = [rule for f in run.frames for rule in f.rules if run.graph.node(f.node).name == node]
    return [re.sub(r"\\(text|mathrm)\{([^{}]*)\}", r"\2", f"{rule.tex} {rule.filled_in}") for rule in rules]


def test_a_letter_of_a_rule_is_not_also_the_learner_s():
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    i, e = mg.tensor([[0], [1]]), x * 2
    names = {"x": x, "i": i, "e": e}

    assert r"0[i, GatherBackward0._saved_index] \,+=\, " in written(e.gather(1, i).sum(), names, "GatherBackward0")[0]
    assert "e^{LogsumexpBackward0._saved_self - " in written(e.logsumexp(1).sum(), names, "LogsumexpBackward0")[0]
    assert r"\odot e = " in written((e * e).sum(), names, "MulBackward0")[0]


def test_what_a_gradient_uses_of_the_inside_of_a_call_is_not_called_by_that_call():
    text = """x = torch.tensor([[.2, .8], [.5, .5]], requires_grad=True); t = torch.tensor([1, 0])
l = F.cross_entropy(x, t)
g, = torch.autograd.grad(l, x, create_graph=True)
loss = (g * g).sum() + F.cross_entropy(x * 3, t)
loss"""
    (root,), names = networks.execute(text, "/tmp/ipykernel_1/inside.py", mg)
    called = {s.en for s in symbols(recorded("inside", root, names))}

    assert "∂loss/∂log_softmax(x)" in called
    assert "∂loss/∂(F.cross_entropy(x * 3, t))" in called
    assert not [one for one in called if "F.cross_entropy(x, t)" in one]


def test_a_number_that_tells_two_apart_is_not_a_third_s_own():
    assert numbered([("a", "s"), ("b", "s"), ("c", "s #2"), ("d", "s")]) == {
        "a": "s", "b": "s #3", "c": "s #2", "d": "s #4"}


def test_a_write_into_a_part_says_what_becomes_of_that_part():
    c = mg.tensor(3.0, requires_grad=True)
    y = mg.tensor([1.0, 2.0, 4.0], requires_grad=True) * 2
    y[:2].mul_(c)
    y[0] = c
    y[1:].add_(5)

    assert written((y * y).sum(), {"y": y, "c": c}, "CopySlices") == [
        "∂loss/∂y #2 = ∂loss/∂y = [6, 34, 26]",
        r"∂loss/∂y #3 = ∂loss/∂y #2[part] \leftarrow 0 = [0, 34, 26]",
        "to c via CopySlices (y) #2 = ∂loss/∂y #2[part] = 6",
        r"∂loss/∂y #4 = ∂loss/∂y #3[part] \leftarrow ∂loss/∂y #3[part] \odot c = [0, 102, 26]",
        r"to c via CopySlices (y) #3 = ∂loss/∂y #3[part] \odot [2, 4] = [0, 136]"]


def test_what_an_option_says_is_spelled_as_it_is_read():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    moved, stacked = x.movedim(0, 0), mg.stack([x])

    assert written(moved.sum(), {"moved": moved}, "PermuteBackward0")[0].endswith(
        r"permute\left([1, 1], 0\right) = [1, 1]")
    assert "[k]" not in str(written(stacked.sum(), {"stacked": stacked}, "StackBackward0"))
    assert r"10^{-5}" in written(mg.nn.functional.normalize(x, dim=0, eps=1e-5).sum(), {}, "ClampMinBackward0")[0]


def test_an_option_that_changes_what_is_computed_changes_the_rule():
    def rule_of(made, **options):
        x = mg.linspace(-1.0, 2.0, 16).reshape(1, 1, 4, 4).requires_grad_()
        y = made(x, **options)
        return [r.tex for f in record(y.sum(), names={"x": x, "y": y})[1] for r in f.rules][-1]

    functional = mg.nn.functional
    assert r"{\mathrm{numel}\left(\mathrm{window}\right)}" in rule_of(functional.avg_pool2d, kernel_size=2)
    assert rule_of(functional.avg_pool2d, kernel_size=2, divisor_override=3).endswith("}{3}")
    assert rule_of(functional.gelu).endswith(r"\left(\Phi\left(x\right) + x \odot \phi\left(x\right)\right)")
    assert r"\Phi\left(x\right) = \frac{1}{2} \cdot" in rule_of(functional.gelu, approximate="tanh")
