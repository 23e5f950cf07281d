"""Findings: what is said of a mistake, the learner's line that it speaks of, and one edit of one line that mends it.

A finder gets an error, or a tensor, with the place in the learner's program, and gives a `Finding` or nothing. It says
what a record bears out: a node and its line, the mark of a backward, the ledger of cuts, values that are there to be
looked at. What only could be is left to the general notes. Most finders are rules, in `text/rules.ini`, which says how
they are read: what the text of an error, or of what is asked, and the learner's program tell together.
"""

import ast
import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from types import ModuleType
from typing import Any

from ..core.graph import Node, TensorBase
from ..text import table
from .live import nodes_behind, nodes_of, parameters
from .program import CELLS, Context, Line, Source, begins, between, called, feeding, located, usual
from .refused import Refused, described
from .snapshot import by_key


@dataclass
class Finding:
    """A sentence, `cause.KEY` with its blanks, the learner's line that it speaks of, and the edit that mends it."""

    key: str
    facts: dict[str, Any] = field(default_factory=dict)
    line: Line | None = None
    edit: tuple[int, str] | None = None


strict = False  # tests: let a finder fail


def attempt(finder: Callable[..., Finding | None], *given: Any) -> Finding | None:
    """What a finder finds; nothing where it fails: the learner's error must come through, whatever their program is."""
    try:
        return finder(*given)
    except Exception:
        if strict:
            raise
        return None


def first(found: Iterable[Finding | None]) -> Finding | None:
    """The first of several findings that is one; those after it are not looked for."""
    return next((one for one in found if one is not None), None)


def finding(key: str, context: Context, at: Any, /, *changes: tuple[Any, str], **facts: Any) -> Finding:
    """A finding about the node `at`, mended by replacing nodes on one line."""
    source = context.source
    told = {name: source.owned(at, fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
    modules = {v.__name__: word for word, v in context.names.items() if isinstance(v, ModuleType)}
    torch = "torch" if "torch" in context.names else modules.get("minigrad", modules.get("torch", "torch"))
    changes = tuple((node, re.sub(r"\btorch\.", f"{torch}.", text)) for node, text in changes)  # as it is imported
    return Finding(key, told, source.line(at), source.edited(*changes) if changes else None)


# ---- parts of an edit


def keyword(call: Any, name: str) -> Any:
    """The value of a keyword argument in a call; None if it is not given."""
    return next((k.value for k in call.keywords if k.arg == name), None)


# ---- reading expressions


def receiver(node: Any) -> Any:
    """What an expression is asked of: `x` of `x.detach()`, `x.data`, `float(x)`, `torch.exp(x)`, `x > 0`."""
    if isinstance(node, ast.Attribute | ast.Compare):
        return node.value if isinstance(node, ast.Attribute) else node.left
    owner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if owner is not None and getattr(owner, "id", "") not in MODULES:
        return owner
    return node.args[0] if isinstance(node, ast.Call) and node.args else node


MODULES = {"torch", "np", "numpy", "math", "minigrad"}


def cutting(n: Any) -> str:
    """What a part of a program does that ends a history, as the ledger calls it; "" if nothing."""
    if isinstance(n, ast.Compare):
        return "compare" * isinstance(n.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE | ast.Eq | ast.NotEq)
    name = f"{'.' * isinstance(getattr(n, 'func', n), ast.Attribute)}{called(n) or getattr(n, 'attr', '')}"
    return name if name == ".data" and not called(n) else CUTTING.get(name, "") if called(n) else ""


CUTTING = {f".{name}": f"{name}()" for name in ("detach", "detach_", "item", "tolist", "numpy")} | {
    f".{name}": name for name in ("argmax", "argmin", "argsort", "long", "bool")} | {
    "float": "float()", "int": "int()"} | dict.fromkeys(("tensor", ".tensor", ".FloatTensor"), "torch.tensor()")


def going_on(node: Any) -> Iterator[Any]:
    """The parts of an expression but for what is cut off there."""
    if not cutting(node):
        yield node
        for part in ast.iter_child_nodes(node):
            yield from going_on(part)


def names_in(node: Any) -> set[str]:
    """The names that an expression reads; none where Python keeps no source of it."""
    return {ast.unparse(n) for n in (ast.walk(node) if node else ()) if isinstance(n, ast.Name | ast.Attribute)}


def reads_of(name: str, region: Any) -> list[Any]:
    """Where a part of the program reads a name, in the order of its lines."""
    return all_reads(region).get(name, [])


@lru_cache(CELLS)
def all_reads(region: Any) -> dict[str, list[Any]]:
    """The same of every name: each rule asks for some, of the same cells."""
    reads = [n for n in ast.walk(region) if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)]
    return by_key((ast.unparse(n), n) for n in sorted(reads, key=begins))


def ends(*nodes: Any) -> set[int]:
    """The ids of the leaves behind nodes, of torch's too."""
    every = (n for several in nodes for n in (several if isinstance(several, set) else [several]))
    theirs = (n for n in every if hasattr(n, "next_functions") and not isinstance(n, Node))
    return {id(end) for n in nodes_of(*nodes) for end in n.edges} | {
        id(n.variable) for n in nodes_behind(*theirs) if hasattr(n, "variable")}


# ---- rules


Found = tuple[Any, Context, Any, str]  # a node, its context, the match of a rule's `code`, what it was given
INSIDE = r"\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"  # a pair of brackets, with others in it
SHORT = {"{.}": rf"(?:[^()\n]|{INSIDE})", "{,}": rf"(?:[^,()\n]|{INSIDE})",
         "{class}": r"class {e1}\b(?:(?!\nclass )[\s\S])*?"}


def by_rule(error: BaseException | str, node: Any, context: Context) -> Finding | None:
    """What the text of an error and the failing expression tell: see `text/rules.ini`."""
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    fits = fitting(text, text is error)
    refused: Any = Refused(error, node, context) if fits else None
    for name, rule, told in fits:
        for at, around, code, given in rule_places(rule, told, node, context, refused):
            facts = {f"{kind}{i}": g for kind, m in (("e", told), ("c", code)) for i, g in enumerate(m.groups(), 1)}
            facts |= told.groupdict() | {"given": given, "old": code[0], "operands": refused.told()}
            # turned over twice is as it was
            new = re.sub(r"(\.T|\.t\(\))\.T$", "", filled(code.expand(rule["edit"]), told)) if "edit" in rule else None
            here = ast.unparse(around.function.args) if around.function is not None else ""
            known = new is not None and (rule.get("of") != "event" or "self." not in new or here.startswith("self"))
            known = known and (rule.get("value") != "type" or takes_nothing(code[code.re.groups], around))
            return finding(name.partition(".")[0], around, at, *([(at, str(new))] if known else []), **facts)
    return None


def takes_nothing(name: str, context: Context) -> bool:
    """Whether the class of that name can be called without arguments."""
    with suppress(TypeError, ValueError):
        return bool(inspect.signature(context.value(ast.parse(name, mode="eval").body)).bind())
    return False


@lru_cache(1000)  # the nodes of a graph ask the same again and again
def fitting(text: str, asked: bool) -> list[tuple[str, dict[str, str], Any]]:
    """The rules of errors, or of what is asked, that fit a text, with the match of it."""
    of_kind = ((name, rule) for name, rule in table("rules").items() if asked == rule["error"].startswith("^"))
    return [(name, rule, told) for name, rule in of_kind if (told := re.search(rule["error"], text, re.S))]


def filled(text: str, told: Any, how: Callable[[str], str] = str) -> str:
    """A text of a rule with the groups of the error in it."""
    return re.sub(r"\{e(\d)\}", lambda blank: how(told[int(blank[1])]), text)


def rule_places(rule: dict[str, str], told: Any, node: Any, context: Context, refused: Refused) -> Iterator[Found]:
    """Where the `code` of a rule stands: node, its context, the match, what it was given."""
    of, wanted = rule.get("of"), rule.get("code", "(.*)")
    for short, pattern in SHORT.items():
        wanted = wanted.replace(short, pattern)
    wanted = filled(wanted, told, re.escape)
    layer = parameters(refused.layer) if "unused" in rule else []
    edges = [t._edge() for t in refused.given if layer and isinstance(t, TensorBase)]
    made_it = ends(*edges) & {*map(id, layer)}  # then it has taken another length before
    if made_it or any(p.grad is not None for p in layer) or ("multiple" in rule and int(told[1]) % int(told[2])):
        return
    if of == "text":
        fits = re.fullmatch(filled(rule.get("given", ".*"), told), refused.fed)
        yield from in_text(wanted, rule, told, [s.spelled for s in refused.sources], context) if fits else ()
        return
    if of == "operand":
        if re.fullmatch(rule.get("given", ".*"), str(refused)):
            like, edit = rule.get("operand", ".*"), filled(rule["edit"], told)
            yield from ((*one, refused.told() or str(refused)) for one in refused.changed(edit, like))
        return
    if of in ("event", "place"):
        code, lasti = node[int(told["at"])]
        node, context = located(code, lasti, context.names)
    found = [*feeding(node, context)] if of == "behind" else [(node, context)] if node is not None else []
    if "value" in rule:
        kind = filled(rule["value"], told)
        found = [pair for here, around in found for pair in meaning(kind, here, around, str(of))]
    for here, around in found:
        whole = of not in (None, "place") and ("value" not in rule or of in ("made", "called"))
        at = around.source.statement(here) if whole else here
        if of == "behind" and isinstance(at, ast.For | ast.While):  # what its body computes stands there itself
            continue
        given = str(refused) if at is node and refused.operands else " ".join(taken_apart(at, around))
        match, own = (re.fullmatch(wanted, text, re.S) for text in (usual(at), around.source.text(at)))
        if match and ("given" not in rule or re.fullmatch(filled(rule["given"], told), given)):
            yield at, around, match if own is None or at.lineno < at.end_lineno else own, given


def taken_apart(node: Any, context: Context) -> Iterator[str]:
    """What names that take parts are given, as in `for a, b in loader`, or of what an attribute is asked."""
    statement = context.source.statement(node)
    several = getattr(statement, "iter", getattr(statement, "value", node))
    whole = several if isinstance(node, ast.Tuple | ast.Assign) else receiver(node)
    yield from (described(context.value(each)) for each in getattr(whole, "elts", [whole]))


def in_text(wanted: str, rule: dict[str, str], told: Any, sources: list[Source], context: Context) -> Iterator[Found]:
    """Anywhere in the program: the last group of what is searched."""
    matches = [(source, 0, code) for source in sources for code in re.finditer(wanted, source.whole, re.M)]
    for code in [*re.finditer(wanted, "".join(s.whole for s in sources[::-1]), re.M)][-1:] * (not matches):
        starts = accumulate((len(s.whole) for s in sources[::-1]), initial=0)  # it reaches over several cells:
        matches = [(s, at, code) for s, at in zip(sources[::-1], starts, strict=False)
                   if at <= code.start(code.re.groups) < at + len(s.whole)]  # in which the last group is
    if "equals" in rule:
        matches = [one for one in matches if product(one[2][one[2].re.groups]) == int(filled(rule["equals"], told))]
    for source, before, code in matches if len(matches) == 1 or "only" not in rule else ():
        place = between(source.whole, *[at - before for at in code.span(code.re.groups)])
        yield place, Context(source, names=context.names), code, ""


def product(text: str) -> int:
    """What the whole numbers behind the last bracket of a text come to, multiplied."""
    return math.prod(map(int, re.findall(r"\d+", text.rpartition("(")[2])))


def meaning(kind: str, node: Any, context: Context, of: str) -> Iterator[tuple[Any, Context]]:
    """The names in an expression that mean something of a kind and are not called; what it was "made" from; or that of
    the one that is "called"."""
    for part in (n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)):
        up = context.source.parents.get(part)
        own = part is getattr(up, "func", None)
        if re.fullmatch(kind, type(context.callee(part)).__name__):
            if of == "made" or (of == "called" and own):
                yield from context.made(ast.unparse(part), part)
            elif not (of == "called" or own or isinstance(up, ast.Attribute)):
                yield part, context
