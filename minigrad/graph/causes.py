"""Causes: the line that made an error, or keeps a gradient away, and one edit of one line that mends it.

Each finder gets an error, or a tensor, with the place in the learner's program, and gives a `Finding` or nothing.
It says what a record bears out: a node and its line, the mark of a backward, the ledger of cuts, values that are
there to be looked at. What only could be is left to the general notes.
"""

import ast
import builtins
import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import dropwhile
from types import ModuleType
from typing import Any

from ..core.beside import ledger
from ..core.beside.lines import PACKAGE_FILES
from ..core.graph import Freed, TensorBase, node_of
from ..text import table, torch_names
from ..text.presentation import nearest
from .live import is_tensor, nodes_of
from .program import Context, Line, called, expression, feeding, is_learners, is_theirs, source_of, span, word, written
from .tracebacks import places

FACTORIES = set("tensor ones zeros rand randn full arange linspace eye normal empty ones_like randn_like".split())
PASSES_ON = set("numpy item tolist cpu clone float double half copy long int astype".split())
MODULES = {"torch", "np", "numpy", "math", "minigrad"}
WHOSE = {"backward", "step", "zero_grad", "parameters", "state_dict", "load_state_dict"}  # each of one kind of thing
MAKES = {"tensor", "as_tensor", "from_numpy", "Tensor", "float", "FloatTensor", "asarray", "array"}


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


def finding(key: str, context: Context, at: Any, /, *changes: tuple[Any, str], **facts: Any) -> Finding:
    """A finding about the node `at`, mended by replacing nodes on one line."""
    return Finding(key, facts, context.source.line(at), context.source.edited(*changes) if changes else None)


# ---- what cut a value off


def cuts_in(node: Any, context: Context) -> Iterator[tuple[Any, Any]]:
    """The places of the ledger inside an expression, with the expression that cut."""
    inside = {*ast.walk(node)}
    for place in list(ledger.places.values()):
        if place.code.co_filename == context.source.file and (at := expression(place.code, place.lasti)) in inside:
            yield place, at


def receiver(node: Any) -> Any:
    """What an expression cuts off: `x` of `x.detach()`, `x.data`, `float(x)`, `x > 0`."""
    if isinstance(node, ast.Attribute):
        return node.value
    if isinstance(node, ast.Compare):
        return node.left
    if isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        module = isinstance(owner, ast.Name) and owner.id in MODULES
        return owner if owner is not None and not module else node.args[0] if node.args else node
    return node


def uncut(place: Any, at: Any, context: Context) -> list[tuple[Any, str]]:
    """The change that leaves a cut out: of the whole chain that only carries the value on, NumPy's functions too."""
    source, kept, top = context.source, receiver(at), at
    compared: Any = next(up for up in source.above(at) if isinstance(up, ast.Compare | ast.NamedExpr | ast.stmt))
    if place.kind.isidentifier() or isinstance(compared, ast.Compare):  # whole numbers, truth values have no history
        return []
    if place.kind == "torch.tensor()":
        return stacked(at, context)
    owner = getattr(getattr(at, "func", None), "value", None)
    if getattr(owner, "id", "") == "math":
        return [(owner, "torch")] if hasattr(TensorBase._plain, called(at)) else []
    bare, whole, array = source.text(kept), grouped(kept, context), called(at) == "numpy"
    while True:
        up = source.parents.get(top)
        module = getattr(getattr(getattr(up, "func", None), "value", None), "id", "")
        if isinstance(up, ast.Attribute) and up.attr in PASSES_ON and isinstance(source.parents.get(up), ast.Call):
            top, array = source.parents[up], array or up.attr == "numpy"
        elif isinstance(up, ast.Call) and called(up) in MAKES and up.args[:1] == [top]:
            top, array = up, False
        elif isinstance(up, ast.Call) and module in ("np", "numpy") and hasattr(TensorBase._plain, called(up)):
            whole = bare = f"torch{source.text(up)[len(module):].replace(source.text(top), bare)}"
            top = up
        elif isinstance(up, ast.List | ast.ListComp) and called(source.parents.get(up)) in MAKES:
            return stacked(source.parents[up], context)
        else:
            break
    call = next((n for n in source.above(top) if called(n) in MAKES and isinstance(up, ast.BinOp)), None)
    if call is not None:  # arithmetic of NumPy's inside: the same of tensors
        return [(call, f"({source.text(call.args[0]).replace(source.text(top), whole)})")]
    if top.lineno != top.end_lineno and kept is getattr(getattr(at, "func", at), "value", None):  # `.detach()` goes
        number, _, column, _ = span(at)
        return [(stretch(number, column - 1, top.end_lineno, top.end_col_offset), "")]
    given = isinstance(up, ast.Call) and top in up.args
    return [] if given and array else [(top, bare if given or isinstance(up, ast.stmt) else whole)]


def stretch(line: int, column: int, end: int, last: int) -> Any:
    """A part of a source that is no expression, from a column, in bytes, of a line to one of another."""
    return ast.Pass(lineno=line, col_offset=column, end_lineno=end, end_col_offset=last)


def stacked(call: Any, context: Context) -> list[tuple[Any, str]]:
    """`torch.tensor([a, b.item()])` as `torch.stack([a, b])`."""
    given, text = call.args[0], context.source.text
    stack = f"{text(call.func).rpartition('.')[0] or 'torch'}.stack"
    several = context.made(given.id, given) if isinstance(given, ast.Name) else ()
    if any(isinstance(made, ast.List | ast.ListComp) for made, _ in several):
        return [(call, f"{stack}({text(given)})")]
    if not isinstance(given, ast.List | ast.ListComp):
        return [(call, text(given))]
    parts = given.elts if isinstance(given, ast.List) else [given.elt]
    if any(isinstance(part, ast.List | ast.Constant) for part in parts):
        return []
    bare = []
    for part in parts:
        while isinstance(part, ast.Call) and (called(part) in {*PASSES_ON, "detach"} or called(part) == "float"):
            part = receiver(part)
        bare.append(text(part))
    inner = ", ".join(bare) if isinstance(given, ast.List) else bare[0] + text(given)[len(text(given.elt)) + 1 : -1]
    return [(call, f"{stack}([{inner}])")]


def keyword(call: Any, name: str) -> Any:
    """The value of a keyword argument in a call; None if it is not given."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def with_keyword(call: Any, text: str, context: Context) -> tuple[Any, str]:
    """The change that gives a call a keyword argument, in place of one of that name."""
    old = without(call, text.partition("=")[0], context)
    return call, f"{old[:-1]}{'' if old.endswith('()') else ', '}{text})"


def without(call: Any, name: str, context: Context) -> str:
    """A call without one of its keyword arguments."""
    text = context.source.text
    kept = [*map(text, call.args), *(f"{k.arg}={text(k.value)}" if k.arg else f"**{text(k.value)}"
                                     for k in call.keywords if k.arg != name)]
    return f"{text(call.func)}({', '.join(kept)})"


def block_around(node: Any, context: Context) -> Finding | None:
    """The `with torch.no_grad():` that an expression stands in, or the decorator, if one was entered there."""
    source = context.source
    for up in source.above(node):
        items = [item.context_expr for item in up.items] if isinstance(up, ast.With) else []
        for switch in items + (up.decorator_list if isinstance(up, ast.FunctionDef) else []):
            name = called(switch) or getattr(switch, "attr", getattr(switch, "id", ""))
            flag = switch.args[0] if name == "set_grad_enabled" and isinstance(switch, ast.Call) else None
            off = not flag.value if isinstance(flag, ast.Constant) else flag and asking(read_in(node, context))
            if name in ("no_grad", "inference_mode") or off:  # of what is computed no more is known
                new = source.text(getattr(switch, "func", switch)).replace(name, "enable_grad")
                return finding("block", context, switch, (switch, new + "()" * isinstance(switch, ast.Call)), word=name)
    before = [n for n in source.calls if called(n) == "set_grad_enabled" and n.lineno < node.lineno
              and isinstance(source.parents[n], ast.Expr)]
    last: Any = max(before, key=lambda n: n.lineno, default=None)
    if last is not None and [getattr(flag, "value", None) for flag in last.args] == [False]:
        return finding("block", context, source.statement(last), (last.args[0], "True"), word="set_grad_enabled")
    return None


def read_in(node: Any, context: Context) -> list[Any]:
    """The tensors that an expression reads, those in modules and lists too."""
    values = [context.value(n) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)]
    return [t for v in values for t in ([v] if isinstance(v, TensorBase) else parameters(v))]


def untracked(node: Any, context: Context) -> Finding | None:
    """Why nothing was recorded of an expression: what cut it, a block, or no input that asks for a gradient."""
    makers: list[tuple[Any, Context]] = []
    seen: list[Any] = []  # tensors
    if (found := cut_on_the_way(None, node, context)) is not None:
        return found
    for here, around in feeding(node, context):
        seen += read_in(here, around)
        for part in ast.walk(here):
            if not isinstance(part, ast.Call) or around.definition(part) is not None:
                continue
            if called(part) == "grad" and keyword(part, "create_graph") is None:
                return finding("grad_only", around, part, with_keyword(part, "create_graph=True", around))
            theirs = getattr(around.callee(part.func), "__module__", None) or "minigrad"  # `np.ones` has no gradient
            plain = called(part) in FACTORIES and not (called(part) == "tensor" and computed(part))
            if plain and keyword(part, "requires_grad") is None and theirs.startswith("minigrad"):
                makers.append((part, around))
    if not asking(seen) and any(type(t).__name__ == "Parameter" for t in seen):
        return by_rule(f"off: {ast.unparse(node)}", node, context)
    return no_leaf(makers, context, asking(seen))


def computed(call: Any) -> bool:
    """Whether a call is given more than numbers."""
    return any(isinstance(n, ast.Name | ast.Call) for a in call.args for n in ast.walk(a))


def asking(tensors: list[Any]) -> bool:
    """Whether one of them asks for a gradient."""
    return any(t.requires_grad for t in tensors)


def no_leaf(makers: list[tuple[Any, Context]], context: Context, late: bool = False) -> Finding | None:
    """Nothing that was used asks for a gradient: the tensor whose `.grad` the program reads should, or the only one.

    `late`: now there is one, which did not when it was used.
    """
    source = context.source
    asked = {ast.unparse(n.value) for n in source.parents if isinstance(n, ast.Attribute) and n.attr == "grad"}
    asked |= {ast.unparse(a) for n in source.calls if called(n) in ("SGD", "Adam", "grad", "why")
              for arg in n.args for a in getattr(arg, "elts", [arg])}
    made = [(call, around, ast.unparse(t)) for call, around in makers
            for t in getattr(around.source.statement(call), "targets", ()) if not late or asking(read_in(t, around))]
    wanted = [m for m in made if m[2] in asked] or made
    if not wanted:
        return None
    call, around, name = wanted[0]
    if len(wanted) == 1 and (found := by_rule(f"flag: {name}", call, around)) is not None:
        return found
    change = [with_keyword(call, "requires_grad=True", around)] if len({id(m[0]) for m in wanted}) == 1 else []
    names = ", ".join(dict.fromkeys(m[2] for m in made))
    return finding("late_flag" if late else "no_leaf", around, call, *change, names=names)


# ---- errors, by their key


def root_of(call: Any) -> Any:
    """What a call of backward or grad starts from."""
    given = receiver(call) if called(call) == "backward" else call.args[0] if call.args else call
    return call.args[0] if isinstance(given, ast.Attribute) and given.attr == "autograd" and call.args else given


def grouped(node: Any, context: Context) -> str:
    """An expression as it can stand before a dot."""
    text = context.source.text(node)
    return text if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript) else f"({text})"


def freed(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    node, source = facts.get("node"), context.source
    marks = [getattr(node, slot) for slot in getattr(node, "frees", ())]
    mark: Any = next((m for m in marks if isinstance(m, Freed) and m.code), None)
    first = mark and expression(mark.code, mark.lasti)
    if node is None or not isinstance(first, ast.Call):
        return None
    if first is not call:
        other = Context(source_of(mark.code))
        after = dropwhile(lambda entry: entry[3] is not mark, ledger.diary)
        stepped = {id(p) for what, owner, *_ in after if what == "step" for p in parameters(owner())}
        if any(id(end) in stepped for n in nodes_of([node], {}) for end in n.edges):  # what was saved is overwritten
            return finding("freed_and_stepped", other, first, node=node)
        return finding("freed_before", other, first, with_keyword(first, "retain_graph=True", other), node=node)
    made, root = node.code and expression(node.code, node.lasti), root_of(call)
    region = source.loop(call) or source.function(call)
    unclear = finding("freed_again", context, first, node=node)
    if made is None or region is None:
        return unclear
    there = source_of(node.code)
    home, own = there.function(made), there.statement(made)
    anew = {name for statement in ast.walk(region) for name in written(statement)}
    for name in sorted(names_in(region) - anew):  # computed once, before the loop
        t: Any = context.names.get(name)
        held = isinstance(t, TensorBase) and any(n is node for n in nodes_of([t._edge()], {}))
        for value, around in context.made(name, call):
            write = around.source.statement(value)
            if isinstance(write, ast.Assign) and (held or write is own):
                text = grouped(value, around)
                changes = [(use, f"({text})") for use in reads_of(name, region) if around.source is source]
                if text in source.text(region):  # that is done, and this is what it is compared with
                    changes = [(value, f"{text}.detach()")]
                return finding("kept_outside", around, write, *changes, name=name)
    if home not in (None, context.function):  # in a function that is called each time: what it keeps between calls
        return kept_between(own, Context(there, home), root) or unclear
    if region not in there.above(made):
        return finding("kept_outside", Context(there), own, name=next(iter(written(own)), ""))
    read = {name for here, around in feeding(root, context) if around.source is source for name in names_in(here)}
    for statement in (n for n in ast.walk(region) if isinstance(n, ast.Assign | ast.AugAssign)):
        for name in written(statement):
            if name in read and (found := carried(name, statement, region, root, context)) is not None:
                return found
    return unclear


def kept_between(own: Any, context: Context, root: Any) -> Finding | None:
    """What a function keeps from one call to the next: an attribute, or an entry of a container."""
    kept = [(statement, ast.unparse(t)) for statement in ast.walk(context.function) if isinstance(statement, ast.Assign)
            for t in statement.targets if isinstance(t, ast.Attribute | ast.Subscript)]
    for statement, name in kept:
        if (again := carried(name, statement, context.function, root, context)) is not None:
            return again
    for fill in (n for n in ast.walk(context.function) if isinstance(n, ast.Expr) and "." in "".join(written(n))):
        for value in fill.value.args:  # type: ignore[attr-defined]
            if set(written(own)) & names_in(value):  # put into a list, or a dict, of the object's
                change = value, f"{grouped(value, context)}.detach()"
                return finding("kept", context, fill, change, name=written(fill)[0])
    return next((finding("kept", context, own, name=name) for statement, name in kept if statement is own), None)


def names_in(node: Any) -> set[str]:
    """The names that an expression reads."""
    return {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)}


def reads_of(name: str, region: Any) -> list[Any]:
    """Where a part of the program reads a name."""
    return [n for n in ast.walk(region) if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)
            and ast.unparse(n) == name]


def carried(name: str, statement: Any, region: Any, root: Any, context: Context) -> Finding | None:
    """A value that each turn of a loop takes over from the turn before, with its whole history."""
    source, value = context.source, statement.value
    own = [n for n in reads_of(name, value) if not isinstance(source.parents[n], ast.Compare)]
    earlier = [n for n in reads_of(name, region) if n.lineno < statement.lineno]
    before = [w for w in source.writes.get((context.function, name), []) if region not in source.above(w)]
    starts = [w.value.value for w in before if isinstance(getattr(w, "value", None), ast.Constant)]
    number, value_now = any(start is not None for start in starts), context.value(own[0]) if own else None
    if isinstance(statement, ast.AugAssign) or (own and number):
        if ast.unparse(root) == name:  # a running sum: each turn's own part is what counts
            summands = [value] if isinstance(statement, ast.AugAssign) else [value.left, value.right] if isinstance(
                value, ast.BinOp) and isinstance(value.op, ast.Add) else []
            for part in (side for side in summands if name not in names_in(side)):
                return finding("carried", context, statement, (root, source.text(part)), name=name)
        return None
    cut = f"tuple(t.detach() for t in {name})" if isinstance(value_now, tuple) else f"{name}.detach()"
    cut = f"({name} if {name} is None else {cut})" if starts else cut
    changes = [(n, cut) for n in own] or [(value, f"{grouped(value, context)}.detach()")]
    return finding("carried", context, statement, *changes, name=name) if own or earlier else None


def overwritten(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    counter = facts.get("counter") or [0]
    code, lasti = [*counter[1:][facts["expected"] - counter[0] :], ()][0] or (None, 0)  # the first write since
    source, at = source_of(code or ""), code and expression(code, lasti)
    if at is None:
        return None
    statement = source.statement(at)
    there, text = Context(source, source.function(statement), names=context.names), source.text
    told = {"node": facts["node"]}
    if called(at) == "step" or any(isinstance(up, ast.With) for up in source.above(statement)):
        return finding("updated_early", there, statement, **told)
    value = getattr(statement, "value", None)
    targets = getattr(statement, "targets", [getattr(statement, "target", value)])
    gone = isinstance(statement, ast.Assign | ast.AugAssign) and source.function(statement) is not None  # its names are
    bases = [target.value if isinstance(target, ast.Subscript) else target for target in targets]
    names = [n for base in bases for n in ast.walk(base)
             if isinstance(there.value(n), TensorBase) or (gone and isinstance(n, ast.Name) and n.id != "self")]
    plain = isinstance(statement, ast.Assign | ast.AugAssign) or called(value).endswith("_")
    if names and plain and called(value and receiver(value)) not in ("detach", "numpy"):
        name, made = text(names[0]), facts["node"]
        own = made.code is not None and expression(made.code, made.lasti) in {*ast.walk(statement)}
        reads = [source.parents[n] if isinstance(source.parents[n], ast.Subscript) else n
                 for n in reads_of(name, value) if own and isinstance(statement, ast.Assign)]
        changes = [(n, f"{text(n)}.clone()") for n in reads]
        changes = changes or [(statement, f"{name} = {name}.clone(); {text(statement)}")]
        return finding("overwritten", there, statement, *changes, **told)
    if not plain and (option := by_rule("inplace", statement, there)) is not None:
        return replace(option, facts=told)
    return finding("overwritten" if plain else "written_by", there, statement, **told)


# ---- errors by their text


def by_rule(error: BaseException | str, node: Any, context: Context) -> Finding | None:
    """What the text of an error and the failing expression tell: see `text/rules.ini`."""
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    for name, rule in table("rules").items():
        told: Any = re.search(rule["error"], text, re.S)
        for at, around, code in rule_places(rule, told, node, context) if told else ():
            facts = {f"{kind}{i}": g for kind, m in (("e", told), ("c", code)) for i, g in enumerate(m.groups(), 1)}
            facts |= told.groupdict() | ({"given": given(at, around)} if "given" in rule else {})
            new = filled(code.expand(rule["edit"]), told) if "edit" in rule else None
            here = ast.unparse(around.function.args) if around.function is not None else ""
            known = new is not None and (rule.get("of") != "event" or "self." not in new or here.startswith("self"))
            return finding(name.partition(".")[0], around, at, *([(at, str(new))] if known else []), **facts)
    return None


def filled(text: str, told: Any, how: Callable[[str], str] = str) -> str:
    """A text of a rule with the groups of the error in it."""
    return re.sub(r"\{e(\d)\}", lambda blank: how(told[int(blank[1])]), text)


def rule_places(rule: dict[str, str], told: Any, node: Any, context: Context) -> Iterator[tuple[Any, Context, Any]]:
    """Where the `code` of a rule stands: node, its context, the match."""
    of, wanted = rule.get("of"), filled(rule.get("code", "(.*)"), told, re.escape)
    if of == "text":  # anywhere in the program: what its last group is
        sources = [*context.sources()]
        matches = [(source, 0, code) for source in sources for code in re.finditer(wanted, source.whole, re.M)]
        for code in [*re.finditer(wanted, "".join(s.whole for s in sources[::-1]), re.M)][-1:] * (not matches):
            before = 0  # it reaches over several cells: in which the last group is
            for source in sources[::-1]:
                if before <= code.start(code.re.groups) < before + len(source.whole):
                    matches = [(source, before, code)]
                before += len(source.whole)
        for source, before, code in matches if len(matches) == 1 or "only" not in rule else ():
            ends = (source.whole[: at - before].split("\n") for at in code.span(code.re.groups))
            place = stretch(*[n for lines in ends for n in (len(lines), len(lines[-1].encode()))])
            yield place, Context(source, names=context.names), code
        return
    if of in ("event", "place"):
        node, source = expression(*node[int(told["at"])]), source_of(node[int(told["at"])][0])
        context = Context(source, node and source.function(node), names=context.names)
    found = [*feeding(node, context)] if of == "behind" else [(node, context)] if node is not None else []
    if "value" in rule:
        kind, made = filled(rule["value"], told), of == "made"
        found = [pair for here, around in found for pair in meaning(kind, here, around, made)]
    for here, around in found:
        whole = of not in (None, "place") and ("value" not in rule or of == "made")
        at = around.source.statement(here) if whole else here
        if (match := re.fullmatch(wanted, around.source.text(at), re.S)) is not None and (
                "given" not in rule or re.fullmatch(filled(rule["given"], told), given(at, around))):
            yield at, around, match


def given(node: Any, context: Context) -> str:
    """What a call, an operator, or names that take parts are given: `int64[6] float32[6, 3] Module ?`; ? is unknown."""
    statement = context.source.statement(node)  # `for a, b in loader`, `a, b = x.shape`
    parts = ([getattr(statement, "iter", getattr(statement, "value", node))] if isinstance(node, ast.Tuple) else
             [node.left, node.right] if isinstance(node, ast.BinOp) else getattr(node, "args", [receiver(node)]))
    return " ".join(described(context.value(each)) for part in parts for each in getattr(part, "elts", [part]))


def described(value: Any) -> str:
    """Type and shape of a tensor, `float32[6, 3]`; the class of what is none, of some with their parts, `Size(3)`."""
    if is_tensor(value):
        return f"{value.dtype}{[*value.shape]}"[6:]
    if hasattr(value, "dataset"):
        return f"Loader of {described(getattr(value.dataset, 'tensors', value.dataset))}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({len(value)}){' of tensors' * any(map(is_tensor, value))}"
    return "Module" if hasattr(type(value), "named_parameters") else "?" if value is None else type(value).__name__


def operands(error: BaseException, node: Any, context: Context) -> Finding | None:
    """What the tensors of the line were when an operation refused them, where nothing has said more of it."""
    last = [*places(error.__traceback__)][-1].tb_frame.f_code
    if getattr(error, "__notes__", ()) or last.co_filename not in PACKAGE_FILES:
        return None
    seen = {context.source.text(n): described(value) for n in ast.walk(node)
            if isinstance(n, ast.Name | ast.Attribute | ast.Subscript) and is_tensor(value := context.value(n))}
    return finding("operands", context, node, told=", ".join(map(": ".join, seen.items()))) if seen else None


def meaning(kind: str, node: Any, context: Context, made: bool) -> Iterator[tuple[Any, Context]]:
    """The names in an expression that mean something of a kind and are not called; or, what that was made from."""
    for part in (n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)):
        up = context.source.parents.get(part)
        if re.fullmatch(kind, type(context.callee(part)).__name__):
            if made:
                yield from context.made(ast.unparse(part), part)
            elif part is not getattr(up, "func", None) and not isinstance(up, ast.Attribute):
                yield part, context


def cut_to_a_number(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A loss that is a number, or an array where a tensor is expected, whose `size` was called: what made it one."""
    told = re.search("'(?:float|int|list)' object has no attribute '(backward)'|^'(int)' object is not callable$|"
                     "expected Tensor as element \\d+ in argument 0, but got (?:float|int)", str(error))
    start = receiver(getattr(node, "func", node)) if told and told[1] else node
    return number_of(start, context, "numpy()" if told[2] else "") if told else None


def number_of(node: Any, context: Context, kind: str = "") -> Finding | None:
    """What made a number, or an array, of a tensor, behind an expression."""
    for here, around in feeding(node, context):
        for place, at in (one for one in cuts_in(here, around) if kind in ast.unparse(around.source.statement(one[1]))):
            return finding("cut", around, at, *uncut(place, at, around), word=word(place))
    return None


def none_gradient(error: BaseException, node: Any, context: Context) -> Finding | None:
    """Arithmetic with a `.grad` that is None: why that leaf has none."""
    for part in ast.walk(node) if isinstance(error, TypeError | AttributeError) and "NoneType" in str(error) else ():
        owner = context.value(part.value) if isinstance(part, ast.Attribute) and part.attr == "grad" else None
        if isinstance(owner, TensorBase) and owner._grad is None and not (
                owner.is_leaf and re.search("'(zero_|fill_|data|detach_)'", str(error))):  # nothing to clear yet
            name = context.source.text(part.value)  # type: ignore[attr-defined]
            name = next((f"{several}[{key!r}]" for several, value in context.names.items()
                         for key, one in (value.items() if isinstance(value, dict) else enumerate(inner(value)))
                         if one is owner), name)
            made = [*context.made(name, node)]
            found = unreached(owner, name, context) if owner.is_leaf else not_a_leaf(owner, name, made)
            return found or finding("none_gradient", context, node, name=name)
    return None


def nothing_returned(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A function without a return, behind an expression that failed with None."""
    for here, around in feeding(node, context) if "'NoneType'" in str(error) else ():
        for call in (n for n in ast.walk(here) if isinstance(n, ast.Call)):
            inside = around.definition(call)
            if inside is None or any(isinstance(n, ast.Return | ast.Yield) for n in ast.walk(inside.function)):
                continue
            last, text = inside.function.body[-1], inside.source.text
            change = [(last, f"return {text(last.value)}")] if isinstance(last, ast.Assign | ast.Expr) else []
            return finding("no_return", inside, last, *change, name=inside.function.name)
    return None


def shapes(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A product whose lengths do not fit: what the values that are there say would."""
    told = re.search(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", str(error))
    if told is None or len(getattr(node, "args", ())) != 1:  # no call of a layer
        return None
    rows, m, n, _ = map(int, told.groups())
    known = [(given, x._data.shape) for given in node.args if isinstance(x := context.value(given), TensorBase)]
    for given, shape in known:
        if len(shape) > 2 and math.prod(shape[1:]) == n:
            change = given, f"{grouped(given, context)}.flatten(1)"
            return finding("flatten", context, node, change, shape=tuple(shape), n=n)
    if not known and rows * m % n == 0:  # it may have to be flattened
        return None
    sizes = [(call.args[0], Context(source)) for source in context.sources() for call in source.calls
             if called(call) == "Linear" and call.args and number(call.args[0]) == n]
    return finding("features", sizes[0][1], sizes[0][0], (sizes[0][0], str(m)), e1=n, e2=m) if len(sizes) == 1 else None


def number(node: Any) -> int | None:
    """What an expression of whole numbers alone gives; None for any other."""
    sums = ast.BinOp | ast.Constant | ast.operator
    plain = all(isinstance(n, sums) and type(getattr(n, "value", 0)) is int for n in ast.walk(node))
    return eval(ast.unparse(node)) if plain else None


def unknown(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A name, or a key of a dict, that means nothing: where it is made too late, or elsewhere, or the nearest one."""
    name, source, changes = str([*error.args, ""][0]), context.source, list[tuple[Any, str]]()
    if isinstance(error, KeyError) and isinstance(whole := context.value(getattr(node, "value", None)), Mapping):
        keys = [key for key in whole if isinstance(key, str)]
        part = [key for key in keys if key in name or name in key]
        changes = [(node.slice, repr(key)) for key in nearest(name, keys) or part * (len(part) == 1)]
        return finding("no_key", context, node, *changes, name=repr(name), keys=", ".join(map(repr, keys[:9])))
    if (told := re.search(r"^name '(\w+)' is not|local variable '(\w+)'", name)) is None:
        return None
    name, own, statement = told[1] or told[2], context.names.get("self"), source.statement(node)
    homes = {home: writes for (home, word), writes in source.writes.items() if word == name}
    for home, writes in homes.items():
        if isinstance(statement, ast.AugAssign) and statement in writes and name in context.names:
            changes = [(statement, f"global {name}; {source.text(statement)}")]
            return finding("made_local", context, statement, *changes, name=name, home=home.name)
        if home is context.function and all(w.lineno > node.lineno for w in writes):
            return finding("made_later", context, writes[0], name=name)
        if home is not None and home is not context.function:
            return finding("made_inside", context, writes[0], name=name, home=home.name)
    ours = {word: v.__name__ for word, v in context.names.items() if isinstance(v, ModuleType) and name in dir(v)}
    held = sorted((word for word in ours if ours[word].startswith("minigrad")), key=lambda word: -len(ours[word]))
    near = [f"{word}.{name}" for word in ["self"] * hasattr(own, name) + held]
    near = near or ([] if homes else nearest(name, context.names))
    changes = [(n, near[0]) for n in ast.walk(node) if near and isinstance(n, ast.Name) and n.id == name]
    return finding("misspelt", context, node, *changes, name=name, nearest=near[0]) if near else None


def misspelt(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A name that is nearly another, of an attribute, a keyword argument or an import; or one that only PyTorch has."""
    text, near, changes = context.source.text, list[str](), list[tuple[Any, str]]()
    told = re.search(r"\(\) got an unexpected keyword argument '(\w+)'", str(error))
    name = told[1] if told else getattr(error, "name", None) or ""
    if isinstance(error, AttributeError) and isinstance(node, ast.Attribute | ast.Call):
        if isinstance(error.obj, TensorBase) and name in torch_names()["torch.Tensor"]:
            return finding("not_yet_here", context, node, name=f"Tensor.{name}")
        ours = any(c.__module__.startswith("minigrad.") for c in type(error.obj).__mro__)
        near = nearest(name, dir(error.obj)) if ours or is_learners(error.obj) else getattr(error, "nearest", [])
        able = [n for n, v in context.names.items() if hasattr(type(v), name) and n[0] != "_" and name in WHOSE
                and (v.grad_fn and v.numel() == 1 if is_tensor(v) else type(v).__module__.startswith("minigrad."))]
        around: list[Any] = [*ast.walk(context.source.statement(node))]
        wrong = [n for n in around if getattr(n, "attr", None) == name and n in {*ast.walk(node)}]
        if ours and able and wrong and not near:  # of the others that training needs: `opt.backward()`, `loss.step()`
            changes = [(wrong[0].value, able[0])] * (len(able) == 1)
            facts = {"kind": type(error.obj).__name__, "name": name, "able": ", ".join(able)}
            return finding("asked_of_other", context, wrong[0], *changes, **facts)
        changes = [(n, f"{grouped(n.value, context)}.{near[0]}") for n in around
                   if near and wrong and ast.dump(n) == ast.dump(wrong[0]) and n.lineno == wrong[0].lineno]
    elif told and isinstance(node, ast.Call) and (callee := context.callee(node.func)) is not None:
        has = [n for n in inspect.signature(callee).parameters if n != "self"]
        near = [] if name in has else nearest(name, has)  # else another call, further in, has refused it
        changes = [(k, f"{near[0]}={text(k.value)}") for k in node.keywords if near and k.arg == name]
        if not near:
            of = {"name": name, "callee": called(node), "takes": ", ".join(has)}
            return by_rule(error, node, context) or (None if name in has else finding("not_taken", context, node, **of))
    elif isinstance(node, ast.Import | ast.ImportFrom) and (near := getattr(error, "nearest", [])):
        name = re.findall(r"\w+", str(error).partition(" from ")[0])[-1]
        if isinstance(node, ast.Import) or name not in names_in(context.source.tree):  # else there, too
            changes = [(node, re.sub(rf"\b{name}\b", near[0], text(node)))]
    return finding("misspelt", context, node, *changes, name=name, nearest=near[0]) if near else None


FINDERS: dict[str, Callable[[dict[str, Any], Any, Context], Finding | None]] = {
    "no_graph": lambda facts, call, context: untracked(root_of(call), context) if isinstance(call, ast.Call) else None,
    "hook_without_grad": lambda facts, call, context: untracked(call.func.value, context),
    "freed": freed, "modified": overwritten}


def find(error: BaseException, key: str, facts: dict[str, Any], node: Any, context: Context) -> Finding | None:
    """The cause of an error, by its key, its text, or what is None in the expression that failed."""
    if "empty parameter list" in str(error):
        modules = [m for n in ast.walk(node) if hasattr(type(m := context.value(n)), "named_parameters")]
        found = next((lost for m in modules if (lost := unregistered(m)) is not None), None)
        if found is not None:
            return found
    for finder in (cut_to_a_number, none_gradient, nothing_returned, shapes, misspelt, by_rule, unknown):
        if (found := finder(error, node, context)) is not None:
            return found
    if "bad" in facts:  # a number that no row, or no class, has: where it was asked for, and how many there are
        return finding(key, context, node, **facts)
    return FINDERS[key](facts, node, context) if key in FINDERS else None if key else operands(error, node, context)


# ---- a tensor without a gradient


def leads_to(node: Any, context: Context, leaf: Any) -> bool:
    """Whether what made an expression reads `leaf`, by name or in a module or a list."""
    for here, around in feeding(node, context):
        for part in ast.walk(here):
            value = around.value(part) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript) else None
            code = getattr(getattr(type(value), "forward", None), "__code__", None)
            # what it uses stands in its forward; `ws[0]` is not all of `ws`
            read = (code is not None and is_theirs(code)) or isinstance(around.source.parents.get(part), ast.Subscript)
            if value is leaf or (not read and any(other is leaf for other in parameters(value))):
                return True
    return False


def parameters(value: Any) -> list[Any]:
    """The tensors in a module, an optimizer, a list or a dict; nothing for what is none."""
    if hasattr(value, "param_groups"):
        return [p for group in value.param_groups for p in group["params"]]
    if hasattr(type(value), "named_parameters"):
        return [*value.parameters()]
    return [part for part in inner(value) if is_tensor(part)]


def inner(value: Any) -> list[Any]:
    """What is in a list, a tuple, a dict, or an object of the learner's that is no module; nothing for others."""
    plain = is_learners(value) and not hasattr(type(value), "named_parameters")
    value = vars(value) if plain and hasattr(value, "__dict__") else value
    return [*(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ())]


def last_backward(context: Context) -> tuple[Any, Context] | None:
    """The call of backward or grad that ran last, and where it stands."""
    mark = Freed.current
    call = expression(mark.code, mark.lasti) if mark.code is not None else None
    if not isinstance(call, ast.Call):
        return None
    source = source_of(mark.code)
    home = next((up.name for up in source.above(call) if isinstance(up, ast.ClassDef)), None)
    selves = {id(v): v for v in context.names.values() if type(v).__name__ == home}  # the frame is gone
    own = {"self": next(iter(selves.values()))} if len(selves) == 1 else {}
    return call, Context(source, source.function(call), names={**context.names, **own})


def known(node: Any, context: Context) -> bool:
    """Whether all calls behind an expression are of what can be read, or of what hides no tensor of the learner's."""
    for here, around in feeding(node, context):
        for call in (n for n in ast.walk(here) if isinstance(n, ast.Call)):
            seen = around.callee(call.func) is not None or hasattr(builtins, getattr(call.func, "id", ""))
            if not seen and not hasattr(TensorBase._plain, getattr(call.func, "attr", "")):
                return False
        for n in (n for n in ast.walk(here) if isinstance(n, ast.Name) and around.source.parents.get(n)):
            value = around.value(n)  # a result, or what is gone, that nothing tells the origin of
            if getattr(around.source.parents[n], "func", None) is not n and not [*around.behind(n)] and (
                    value is None or getattr(value, "_fn", None) is not None):
                return False
    return True


def unreached(leaf: Any, name: str, context: Context) -> Finding | None:
    """Why the backward that ran last has not reached a leaf."""
    if (found := last_backward(context)) is None:  # perhaps one that failed, or was left out
        tried = ((root_of(n), Context(source, source.function(n), names=context.names))
                 for source in context.sources() for n in source.calls if called(n) == "backward")
        return next(filter(None, (cut_on_the_way(leaf, *one) for one in tried)), None)
    call, around = found
    text, root = around.source.text, root_of(call)
    if called(call) == "grad":
        return finding("returned", around, call, name=name)
    if keyword(call, "inputs") is not None and not leads_to(keyword(call, "inputs"), around, leaf):
        return finding("inputs", around, call, (call, without(call, "inputs", around)), name=name)
    if (cut := cut_on_the_way(leaf, root, around)) is not None:
        return cut
    for here, there in feeding(root, around):
        for n in ast.walk(here):
            loop = there.source.loop(n)
            for later in there.source.writes.get((there.function, getattr(n, "id", "")), []):
                each = loop is None or there.source.parents[later] is loop  # in each turn, not only in some
                if each and isinstance(n, ast.Name) and later.lineno > n.lineno and there.value(n) is leaf:
                    return finding("remade", there, later, name=name)
    if known(root, around) and not leads_to(root, around, leaf):
        return finding("no_use", around, call, name=name, loss=text(root))
    return None


def was_cut(t: Any) -> bool:
    """Whether a value was taken out of this very tensor: then it may be no loss, but on the way to one."""
    return any(place.origin() is t.grad_fn for place in list(ledger.places.values()))


def came_from(place: Any, leaf: Any) -> bool:
    """Whether what was cut off last came from a leaf, or nobody knows any more: of several leaves it is the last."""
    node = place.origin()
    if node is None or isinstance(node, TensorBase) or place.result() is leaf:  # the last makes a leaf: it cut none
        return place.result() is not leaf and (node is leaf or node is None or place.count > 1)
    return any(leaf is end for n in nodes_of([node], {}) for end in n.edges)


def shared(at: Any, context: Context) -> bool:
    """Whether several calls of backward in a program go through the same value: the first would free its graph."""
    calls = (n for n in context.source.calls if called(n) == "backward" and keyword(n, "retain_graph") is None)
    ways = (feeding(root_of(n), context._replace(function=context.source.function(n))) for n in calls)
    return sum(any(at in ast.walk(here) for here, _ in way) for way in ways) > 1


def cut_on_the_way(leaf: Any, root: Any, context: Context) -> Finding | None:
    """What cut a leaf off, or without one anything, in the expressions that made `root`."""
    anew = False  # whether a later step would cut again what was left uncut
    for here, there in feeding(root, context):
        for place, at in cuts_in(here, there):
            if leaf is None or (leads_to(receiver(at), there, leaf) and came_from(place, leaf)):
                change = [] if anew or shared(at, there) else uncut(place, at, there)
                return finding("cut", there, at, *change, word=word(place))
        anew |= any(computed(n) for n in ast.walk(here) if called(n) in "tensor Tensor FloatTensor from_numpy".split())
        own = [(n, i) for n in ast.walk(here) if leaf is not None and called(n) == "apply"
               for i, a in enumerate(getattr(n, "args", ())) if leads_to(a, there, leaf)]
        for none in (by_rule(f"apply: {ast.unparse(n).partition('.apply(')[0]}(#{i}", here, there) for n, i in own):
            if none is not None:
                return none
        update = isinstance(there.source.statement(here), ast.AugAssign)  # of a leaf, which it stays
        if (leaf is None or (not update and leads_to(here, there, leaf))) and (block := block_around(here, there)):
            return replace(block, edit=None) if leaf is not None and shared(here, there) else block
    return None


def added_number(root: Any, context: Context) -> Finding | None:
    """A term of the sum behind an expression that was cut off and became a number: no gradient changes with it."""
    ways = [(root, context), *context.made(ast.unparse(root), root)] if is_tensor(loss := context.value(root)) else []
    terms = [(*way, loss._edge()) for way in ways]
    for term, around, edge in terms:  # grows while it is read
        code, kind = getattr(n := node_of(edge), "code", None), type(getattr(term, "op", None)).__name__
        if code is None or kind not in ("Add", "Sub") or expression(code, n.lasti) is not term:
            continue
        ends, cut = [e for e in n.edges if e is not None], {n for _, at in cuts_in(term, around) for n in ast.walk(at)}
        sides = {side: all(isinstance(around.value(n), int | float) for n in ast.walk(side)
                           if isinstance(n, ast.Name) and n not in cut) for side in (term.left, term.right)}
        plain = [side for side, number in sides.items() if number and len(ends) == 1]
        terms += [(side, around, e) for side, e in zip([s for s in sides if s not in plain], ends, strict=False)]
        for here, there in feeding(plain[0], around) if len(plain) == 1 else ():
            for place, at in cuts_in(here, there):
                early = there.function is not around.function or at.lineno <= term.end_lineno  # not of a later turn
                if early and place.kind in ("item()", "float()"):
                    facts = {"word": word(place), "name": ast.unparse(root)}
                    return finding("added_number", there, at, *uncut(place, at, there), **facts)
    return None


def not_a_leaf(t: Any, name: str, made: list[tuple[Any, Context]], loss: bool = False) -> Finding | None:
    """A tensor that is a result: a parameter that was made in two steps, or updated out of place, or a value.

    `loss`: backward began there, perhaps; then nobody misses its gradient.
    """
    for value, around in made:
        source = around.source
        statement, text = source.statement(value), source.text(value)
        if called(value) in FACTORIES | {"Parameter"}:  # that is how leaves are made
            continue
        asking = [n for n in ast.walk(value) if isinstance(n, ast.Call) and called(n) in FACTORIES | {"Parameter"}]
        for call in asking:
            if call is not value and keyword(call, "requires_grad") is not None:
                bare = text.replace(source.text(call), without(call, "requires_grad", around))
                return finding("scaled", around, value, (value, f"({bare}).requires_grad_()"), name=name)
        if (new := updated_anew(value, name, around)) is not None:
            return new
        if isinstance(statement, ast.Assign) and not loss:
            change = statement, f"{source.text(statement)}; {name}.retain_grad()"
            return finding("not_kept", around, value, change, name=name)
    return None


def updated_anew(value: Any, name: str, context: Context) -> Finding | None:
    """A step by hand, of a tensor and its gradient, that makes a new tensor."""
    text, statement = context.source.text, context.source.statement(value)
    if not {name, f"{name}.grad"} <= names_in(value):
        for each in (n for n in ast.walk(value) if isinstance(n, ast.BinOp)):
            if f"{ast.unparse(each.left)}.grad" in names_in(each.right):  # of one of several
                anew = each, f"({text(each)}).detach().requires_grad_()"
                return finding("new_name", context, value, anew, name=name)
        return None
    sign = {"Sub": "-", "Add": "+"}.get(type(getattr(value, "op", None)).__name__)
    change = value, f"({text(value)}).detach().requires_grad_()"
    if sign and ast.unparse(value.left) == name and isinstance(statement, ast.Assign):
        change = statement, f"with torch.no_grad(): {name} {sign}= {text(value.right)}"
    return finding("new_name", context, value, change, name=name)


def constant(t: Any, name: str, made: list[tuple[Any, Context]]) -> Finding | None:
    """Why nothing is tracked of a constant: the very place where it was cut off, or what stands behind it."""
    for place in list(ledger.places.values()):
        if place.result() is t and (at := expression(place.code, place.lasti)) is not None:
            source = source_of(place.code)
            around = Context(source, source.function(at))
            meant = ast.unparse(receiver(at)) in written(source.statement(at))  # `h = h.detach()`
            return finding("cut", around, at, *([] if meant else uncut(place, at, around)), word=word(place))
    if not t.is_floating_point():
        return next((by_rule(f"integers: {name} {t.dtype}", *one) for one in made), None)
    for value, around in made:
        if (found := untracked(value, around)) is not None:
            return found
    return None


def not_run(name: str, scalar: bool, context: Context, use: Any) -> Finding | None:
    """Where backward of a result should be called: where its name stands without parentheses, or it was made."""
    if (bare := by_rule(f"backward: {name}", use, context)) is not None:
        return bare
    for value, around in context.made(name, use):
        statement = around.source.statement(value)
        if isinstance(statement, ast.Assign):
            new = f"{around.source.text(statement)}; {name}{'' if scalar else '.sum()'}.backward()"
            return finding("not_run", around, statement, (statement, new), name=name)
    return None


# ---- modules and optimizers


def buffer(t: Any, context: Context) -> Finding | None:
    """Where a module that has a name registered a tensor as a buffer, or made it a plain attribute."""
    modules = [each for v in context.names.values() if hasattr(type(v), "named_buffers") for each in v.modules()]
    held = ((m, name) for m in modules for name, value in {**vars(m), **m._buffers}.items() if value is t)
    for m, name, around in [(m, name, around) for m, name in held if (around := constructor(m)) is not None]:
        registered = ((n, around) for n in ast.walk(around.function) if called(n) == "register_buffer")
        for at, there in registered if name in m._buffers else around.made(f"self.{name}", None):
            args: list[Any] = getattr(at, "args", [])
            key, given = ("buffer", args[1:]) if name in m._buffers else ("plain", [at])
            if given and (key == "plain" or ast.unparse(args[0]) == repr(name)):
                new = f"{word_for_nn(m)}.Parameter({there.source.text(given[0])})"
                change = at, f"self.{name} = {new}" if key == "buffer" else new
                return finding(key, there, at, *[change] * t.is_floating_point(), name=name)
    return None


def constructor(module: Any) -> Context | None:
    """The `__init__` of a module's class, where that is the learner's."""
    code: Any = getattr(type(module).__init__, "__code__", None)
    function = code and source_of(code).definition(code)
    return Context(source_of(code), function) if function else None


def unregistered(module: Any) -> Finding | None:
    """Layers in a plain list or dict, or a plain tensor that asks for a gradient: parameters that nobody lists."""
    listed = {id(p) for p in module.parameters()}
    for owner in module.modules():
        for name, value in vars(owner).items():
            several, one = isinstance(value, list | tuple | dict), is_tensor(value)
            deep = [m for one in inner(value) for m in [one, *inner(one)]]
            layers = [m for m in deep if hasattr(type(m), "named_parameters")]
            tensors = [p for m in layers for p in m.parameters()] or ([value] if one else parameters(value))
            lost = any(p.requires_grad and (p.is_leaf or one) and id(p) not in listed for p in tensors)
            plain = not one and not several  # an object: of a class that is no module
            if name.startswith("_") or not lost or (plain and all(p.grad is None for p in tensors)):
                continue
            kind = "Module" if layers else "Parameter"
            kind += "Dict" if isinstance(value, dict) else "List" if several else ""
            around = constructor(owner)
            for node, there in around.made(f"self.{name}", None) if around else ():
                text, nn = there.source.text(node), word_for_nn(owner)
                if one and not value.is_leaf and (there.function.name != "__init__" or "Parameter(" not in text):
                    continue
                if plain:
                    return finding("no_module", there, node, name=f"self.{name}", kind=type(value).__name__)
                new = f"{nn}.{kind}({text if several else f'{grouped(node, there)}.detach()'})"
                flat = nn and not any(map(inner, inner(value)))  # a list of lists is no list of layers
                return finding("unregistered", there, node, *[(node, new)] * bool(flat), name=f"self.{name}",
                               box=f"nn.{kind}")
    return None


def word_for_nn(module: Any) -> str:
    """What the program that wrote a module calls `torch.nn`: `nn`, `torch.nn`; "" where it has no name for it."""
    package = next(c.__module__ for c in type(module).__mro__ if c.__name__ == "Module").partition(".")[0]
    named = {getattr(v, "__name__", ""): name for name, v in type(module).__init__.__globals__.items()}
    return named.get(f"{package}.nn") or (f"{named[package]}.nn" if package in named else "")


def missing_from(optimizer: Any, context: Context, every: Mapping[str, Any], of: Any = ()) -> Finding | None:
    """A leaf of the learner's, or a module, that asks for gradients and that no optimizer has; or one with ids `of`."""
    held = {id(p) for p in parameters(optimizer)}
    has = held.union(*({id(p) for p in parameters(o)} for o in every.values()))
    opt = next((name for name, value in every.items() if value is optimizer), "")
    twins = [name for name, o in every.items() if {id(p) for p in parameters(o)} == held]  # itself, too
    plain = any(type(p).__name__ != "Parameter" for p in parameters(optimizer))  # else it may be an input
    ran = any(p.grad is not None for p in parameters(optimizer))  # then what else was used has a gradient, too
    for name, value in context.names.items():
        module = hasattr(type(value), "named_parameters")
        own: list[Any] = parameters(value) if module else [value] if is_tensor(value) and plain else []
        left = [p for p in own if p.requires_grad and p.is_leaf and id(p) not in has and ran <= (p.grad is not None)]
        left = left if not of or any(id(p) in of for p in left) else []
        for call, around in context.made(opt, None) if left and not name.startswith("_") else ():
            given: Any = call.args[0] if isinstance(call, ast.Call) and call.args else None
            if given is None or opt != twins[-1]:  # the later one was meant for it
                continue
            text, whole = around.source.text(given), f"{name}.parameters()" if module else f"[{name}]"
            if text == whole:  # of then; the module has others now
                return finding("made_since", around, call, name=name, count=len(left))
            old, part = text[1:-1].rstrip(", ") if isinstance(given, ast.List) else f"*{text}", len(left) < len(own)
            alone = len(twins) > 1 or (part and held <= {id(p) for p in own})  # another's, or a part
            new = whole if alone else f"[{old}, {f'*{whole}' if module else name}]"
            # in another function the names may mean something else
            clear = around.function in (None, context.function) and (alone or not (part or len(every) > 1))
            return finding("not_in_optimizer", around, call, *[(given, new)] * clear, name=name, count=len(left))
    return None
