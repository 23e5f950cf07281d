"""Causes: the line that made an error, or keeps a gradient away, and one edit of one line that mends it.

Each finder gets an error, or a tensor, with the place in the learner's program, and gives a `Finding` or nothing.
It says what a record bears out: a node and its line, the mark of a backward, the ledger of cuts, values that are
there to be looked at. What only could be is left to the general notes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..core.beside import ledger
from ..core.graph import Freed, TensorBase
from .program import Context, Line, expression, feeding, source_of, word

FACTORIES = set("tensor ones zeros rand randn full arange linspace eye normal empty ones_like randn_like".split())
PASSES_ON = set("numpy item tolist cpu clone float double half copy long int astype".split())
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


def finding(key: str, context: Context, at: Any, *changes: tuple[Any, str], **facts: Any) -> Finding:
    """A finding about the node `at`, mended by replacing nodes on one line."""
    edit = context.source.edited(*changes) if changes else None
    return Finding(key, facts, context.source.line(at), edit)


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
        module = isinstance(owner, ast.Name) and owner.id in ("torch", "np", "minigrad")
        return owner if owner is not None and not module else node.args[0] if node.args else node
    return node


def uncut(place: Any, at: Any, context: Context) -> list[tuple[Any, str]]:
    """The change that leaves a cut out: of the whole chain that only carries the value on."""
    if place.kind.isidentifier():  # whole numbers, truth values: leaving them out is no way
        return []
    source, kept, top = context.source, receiver(at), at
    if place.kind == "torch.tensor()":
        return stacked(at, context)
    while True:
        up = source.parents.get(top)
        chain = isinstance(up, ast.Attribute) and up.attr in PASSES_ON
        if chain and isinstance(source.parents.get(up), ast.Call):
            top = source.parents[up]
        elif isinstance(up, ast.Call) and called(up) in MAKES and up.args[:1] == [top]:
            top = up
        elif isinstance(up, ast.List | ast.ListComp) and called(source.parents.get(up)) in MAKES:
            return stacked(source.parents[up], context)
        else:
            return [(top, source.text(kept))]


def stacked(call: Any, context: Context) -> list[tuple[Any, str]]:
    """`torch.tensor([a, b.item()])` as `torch.stack([a, b])`."""
    given, text = call.args[0], context.source.text
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
    return [(call, f"{text(call.func).rpartition('.')[0] or 'torch'}.stack([{inner}])")]


def called(call: Any) -> str:
    """The last name of what a call calls."""
    function = getattr(call, "func", None)
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def keyword(call: Any, name: str) -> Any:
    """The value of a keyword argument in a call; None if it is not given."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def with_keyword(call: Any, text: str, context: Context) -> tuple[Any, str]:
    """The change that adds a keyword argument to a call."""
    old = context.source.text(call)
    return call, f"{old[:-1]}{', ' if call.args or call.keywords else ''}{text})"


def without(call: Any, flag: Any, context: Context) -> str:
    """A call without one of its keyword arguments."""
    text = context.source.text
    kept = [*map(text, call.args), *(f"{k.arg}={text(k.value)}" for k in call.keywords if k is not flag)]
    return f"{text(call.func)}({', '.join(kept)})"


def block_around(node: Any, context: Context) -> Finding | None:
    """The `with torch.no_grad():` that an expression stands in, or the decorator, if one was entered there."""
    source = context.source
    for up in source.above(node):
        items = [item.context_expr for item in up.items] if isinstance(up, ast.With) else []
        for switch in items + (up.decorator_list if isinstance(up, ast.FunctionDef) else []):
            name = called(switch) or getattr(switch, "attr", getattr(switch, "id", ""))
            if name in ("no_grad", "inference_mode", "set_grad_enabled"):
                text = source.text(switch)
                new = text.replace(name, "enable_grad").replace("(False)", "()")
                return finding("block", context, switch, (switch, new), word=name)
    before = [n for n in ast.walk(source.tree) if isinstance(n, ast.Expr) and called(n.value) == "set_grad_enabled"
              and n.lineno < node.lineno]
    last: Any = max(before, key=lambda n: n.lineno, default=None)
    for flag in last.value.args if last is not None else ():
        if isinstance(flag, ast.Constant) and flag.value is False:
            return finding("block", context, last, (flag, "True"), word="set_grad_enabled")
    return None


def untracked(node: Any, context: Context) -> Finding | None:
    """Why nothing was recorded of an expression: what cut it, a block, or no input that asks for a gradient."""
    makers: list[tuple[Any, Context]] = []
    for here, around in feeding(node, context):
        for place, at in cuts_in(here, around):
            return finding("cut", around, at, *uncut(place, at, around), word=word(place))
        if (block := block_around(here, around)) is not None:
            return block
        for part in ast.walk(here):
            if isinstance(part, ast.Call) and called(part) == "grad" and keyword(part, "create_graph") is None:
                return finding("grad_only", around, part, with_keyword(part, "create_graph=True", around))
            if isinstance(part, ast.Call) and called(part) in FACTORIES and keyword(part, "requires_grad") is None:
                makers.append((part, around))
    return no_leaf(makers, context)


def no_leaf(makers: list[tuple[Any, Context]], context: Context) -> Finding | None:
    """Nothing that was used asks for a gradient: the tensor whose `.grad` the program reads should, or the only one."""
    every: list[Any] = [*ast.walk(context.source.tree)]
    asked = {ast.unparse(n.value) for n in every if isinstance(n, ast.Attribute) and n.attr == "grad"}
    asked |= {ast.unparse(a) for n in every if called(n) in ("SGD", "Adam", "grad", "why")
              for arg in n.args for a in getattr(arg, "elts", [arg])}
    made = [(call, around, ast.unparse(t)) for call, around in makers
            for t in getattr(around.source.statement(call), "targets", ())]
    wanted = [m for m in made if m[2] in asked] or made
    if not wanted:
        return None
    call, around, _ = wanted[0]
    change = [with_keyword(call, "requires_grad=True", around)] if len({id(m[0]) for m in wanted}) == 1 else []
    return finding("no_leaf", around, call, *change, names=", ".join(dict.fromkeys(m[2] for m in made)))


# ---- errors, by their key


FINDERS: dict[str, Callable[..., Finding | None]] = {}
FOREIGN: list[tuple[type, str, Callable[..., Finding | None]]] = []


def finds(*keys: str) -> Callable[[Any], Any]:
    """A finder for errors of these keys: it gets the facts of the error, the failing expression and its context."""
    def note(function: Any) -> Any:
        FINDERS.update(dict.fromkeys(keys, function))
        return function

    return note


def root_of(call: Any) -> Any:
    """What a call of backward or grad starts from."""
    given = receiver(call) if called(call) == "backward" else call.args[0] if call.args else call
    return call.args[0] if isinstance(given, ast.Attribute) and given.attr == "autograd" and call.args else given


@finds("no_graph")
def nothing_recorded(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    return untracked(root_of(call), context) if isinstance(call, ast.Call) else None


@finds("not_scalar")
def several_elements(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    root = root_of(call)
    change = root, f"{grouped(root, context)}.sum()"
    return finding("not_scalar", context, call, change, name=context.source.text(root))


def grouped(node: Any, context: Context) -> str:
    """An expression as it can stand before a dot."""
    text = context.source.text(node)
    return text if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript) else f"({text})"


@finds("leaf_in_place")
def leaf_written(facts: dict[str, Any], node: Any, context: Context) -> Finding | None:
    statement = context.source.statement(node)
    if isinstance(statement, ast.With | ast.For | ast.If):
        return None
    change = statement, f"with torch.no_grad(): {context.source.text(statement)}"
    return finding("leaf_written", context, statement, change)


@finds("numpy_requires_grad")
def to_numpy(facts: dict[str, Any], node: Any, context: Context) -> Finding | None:
    given = [receiver(node)] if called(node) == "numpy" else [
        a for a in getattr(node, "args", ()) if getattr(context.value(a), "requires_grad", False)]
    return finding("to_numpy", context, node, (given[0], f"{grouped(given[0], context)}.detach()")) if given else None


@finds("float_only")
def whole_numbers(facts: dict[str, Any], node: Any, context: Context) -> Finding | None:
    if called(node) not in FACTORIES:
        return None
    old = keyword(node, "dtype")
    change = (old, "torch.float32") if old is not None else with_keyword(node, "dtype=torch.float32", context)
    return finding("whole_numbers", context, node, change)


@finds("ambiguous_bool")
def condition(facts: dict[str, Any], node: Any, context: Context) -> Finding | None:
    text = context.source.text
    if isinstance(node, ast.Call) and called(node).endswith("Loss") and node.args:
        return finding("loss_class", context, node, (node, f"{text(node.func)}()({', '.join(map(text, node.args))})"))
    statement = context.source.statement(node)
    test = getattr(statement, "test", None)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In | ast.NotIn):
        found = text(test.left), text(test.comparators[0])
        negated = "not " if isinstance(test.ops[0], ast.NotIn) else ""
        return finding("member", context, test, (test, f"{negated}any(t is {found[0]} for t in {found[1]})"))
    if isinstance(test, ast.Compare | ast.Name | ast.Attribute):
        return finding("condition", context, test, (test, f"{grouped(test, context)}.all()"))
    return None


@finds("freed")
def freed(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    node, source = facts.get("node"), context.source
    marks = [getattr(node, slot) for slot in getattr(node, "frees", ())]
    mark: Any = next((m for m in marks if isinstance(m, Freed) and m.code), None)
    first = mark and expression(mark.code, mark.lasti)
    if node is None or not isinstance(first, ast.Call) or mark.code.co_filename != source.file:
        return None
    if first is not call:
        return finding("freed_before", context, first, with_keyword(first, "retain_graph=True", context), node=node)
    made, root = node.code and expression(node.code, node.lasti), root_of(call)
    region = source.loop(call) or source.function(call)
    if made is None or region is None:
        return None
    if region not in source.above(made):
        return kept_outside(made, region, context)
    read = {name for here, around in feeding(root, context) if around.source is source for name in names_in(here)}
    for statement in (n for n in ast.walk(region) if isinstance(n, ast.Assign | ast.AugAssign)):
        for target in getattr(statement, "targets", None) or [statement.target]:  # type: ignore[union-attr]
            name = ast.unparse(target)
            if name in read and (found := carried(name, statement, region, root, context)) is not None:
                return found
    return None


def names_in(node: Any) -> set[str]:
    """The names that an expression reads."""
    return {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)}


def kept_outside(made: Any, region: Any, context: Context) -> Finding | None:
    """A part of the graph that was computed once, before the loop: computed anew where it is used."""
    source = context.source
    statement = source.statement(made)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name | ast.Attribute):
        return None
    name = ast.unparse(statement.targets[0])
    uses = [n for n in ast.walk(region) if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)
            and ast.unparse(n) == name]
    anew = [(use, f"({source.text(statement.value)})") for use in uses]
    return finding("kept_outside", context, statement, *anew, name=name)


def carried(name: str, statement: Any, region: Any, root: Any, context: Context) -> Finding | None:
    """A value that each turn of a loop takes over from the turn before, with its whole history."""
    source, value = context.source, statement.value
    own = [n for n in ast.walk(value) if isinstance(n, ast.Name | ast.Attribute) and ast.unparse(n) == name]
    earlier = [n for n in ast.walk(region) if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)
               and ast.unparse(n) == name and n.lineno < statement.lineno]
    before = [w for w in source.writes.get((context.function, name), []) if region not in source.above(w)]
    number = any(isinstance(part, ast.Constant) for w in before for part in read_values(w))
    if isinstance(statement, ast.AugAssign) or (own and number):
        if ast.unparse(root) == name:  # a running sum: each turn's own part is what counts
            part = value if isinstance(statement, ast.AugAssign) else other_side(value, name)
            return part and finding("carried", context, statement, (root, context.source.text(part)), name=name)
        return None
    changes = [(n, f"{name}.detach()") for n in own] or [(value, f"{grouped(value, context)}.detach()")]
    return finding("carried", context, statement, *changes, name=name) if own or earlier else None


def read_values(statement: Any) -> list[Any]:
    """The value that an assignment gives."""
    return [statement.value] if getattr(statement, "value", None) is not None else []


def other_side(value: Any, name: str) -> Any:
    """What is added to `name` in a sum."""
    sides = [value.left, value.right] if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) else []
    return next((side for side in sides if name not in names_in(side)), None)


@finds("modified")
def overwritten(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    counter = facts.get("counter")
    if not counter or not counter[1] or counter[1][0] is None:
        return None
    code, lasti = counter[1]
    source, at = source_of(code.co_filename), expression(code, lasti)
    if at is None:
        return None
    statement = source.statement(at)
    there, text = Context(source, source.function(statement), names=context.names), source.text
    told = {"node": facts["node"]}
    if called(at) == "step" or any(isinstance(up, ast.With) for up in source.above(statement)):
        return finding("updated_early", there, statement, **told)
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        sign = text(statement)[len(text(statement.target)):].lstrip().partition("=")[0]
        new = f"{statement.target.id} = {statement.target.id} {sign} {grouped(statement.value, there)}"
        return finding("overwritten", there, statement, (statement, new), **told)
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Call) and called(value).endswith("_") and isinstance(value.func, ast.Attribute):
        if isinstance(owner := value.func.value, ast.Name) and isinstance(statement, ast.Expr):
            new = f"{owner.id} = {owner.id}.{called(value)[:-1]}{text(value)[len(text(value.func)):]}"
            return finding("overwritten", there, statement, (statement, new), **told)
    targets = getattr(statement, "targets", [getattr(statement, "target", value)])
    names = [n for target in targets for n in ast.walk(target) if isinstance(there.value(n), TensorBase)]
    plain = isinstance(statement, ast.Assign | ast.AugAssign) or called(value).endswith("_")
    if names and plain and called(value and receiver(value)) not in ("detach", "numpy"):
        name = text(names[0])
        change = statement, f"{name} = {name}.clone(); {text(statement)}"
        return finding("overwritten", there, statement, change, **told)
    inplace = [k for n in ast.walk(source.tree) if isinstance(n, ast.Call) for k in n.keywords if k.arg == "inplace"]
    if inplace and not plain:
        return finding("overwritten", there, inplace[0].value, (inplace[0].value, "False"), **told)
    return finding("overwritten", there, statement, **told)




# ---- errors of Python's own, by their text


def says(kind: type, pattern: str) -> Callable[[Any], Any]:
    """A finder for errors of this class and text: it gets the match, the failing expression and its context."""
    def note(function: Any) -> Any:
        FOREIGN.append((kind, pattern, function))
        return function

    return note


@says(AttributeError, "'(float|int|list)' object has no attribute 'backward'")
def no_tensor(match: Any, node: Any, context: Context) -> Finding | None:
    owner = receiver(node.func if isinstance(node, ast.Call) else node)
    for here, around in feeding(owner, context):
        for place, at in cuts_in(here, around):
            return finding("cut", around, at, *uncut(place, at, around), word=word(place))
    return None


# ---- a tensor without a gradient


def leads_to(node: Any, context: Context, leaf: Any) -> bool:
    """Whether what made an expression reads `leaf`, by name or in a module or a list."""
    for here, around in feeding(node, context):
        for part in ast.walk(here):
            value = around.value(part) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript) else None
            if value is leaf or any(other is leaf for other in parameters(value)):
                return True
    return False


def parameters(value: Any) -> list[Any]:
    """The tensors in a module, a list or a dict; nothing for what is none."""
    if hasattr(type(value), "named_parameters"):
        return [*value.parameters()]
    return [part for part in inner(value) if isinstance(part, TensorBase)]


def inner(value: Any) -> list[Any]:
    """What is in a list, a tuple or a dict; nothing for anything else."""
    return [*(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ())]


def last_backward(context: Context) -> tuple[Any, Context] | None:
    """The call of backward or grad that ran last, and where it stands."""
    mark = Freed.current
    call = expression(mark.code, mark.lasti) if mark.code is not None else None
    if not isinstance(call, ast.Call):
        return None
    source = source_of(mark.code.co_filename)
    return call, Context(source, source.function(call), names=context.names)


def unreached(leaf: Any, name: str, context: Context) -> Finding | None:
    """Why the backward that ran last has not reached a leaf."""
    if (found := last_backward(context)) is None:
        return None
    call, around = found
    text, root = around.source.text, root_of(call)
    if called(call) == "grad":
        return finding("returned", around, call, name=name)
    if keyword(call, "inputs") is not None and not leads_to(keyword(call, "inputs"), around, leaf):
        flag = next(k for k in call.keywords if k.arg == "inputs")
        return finding("inputs", around, call, (call, without(call, flag, around)), name=name)
    for here, there in feeding(root, around):
        for place, at in cuts_in(here, there):
            if leads_to(receiver(at), there, leaf):
                return finding("cut", there, at, *uncut(place, at, there), word=word(place))
        if leads_to(here, there, leaf) and (block := block_around(here, there)) is not None:
            return block
    if not leads_to(root, around, leaf):
        return finding("no_use", around, call, name=name, loss=text(root))
    return None


def not_a_leaf(t: Any, name: str, made: list[tuple[Any, Context]]) -> Finding | None:
    """A tensor that is a result: a parameter that was made in two steps, or updated out of place, or a value."""
    for value, around in made:
        source = around.source
        statement, text = source.statement(value), source.text(value)
        asking = [n for n in ast.walk(value) if isinstance(n, ast.Call) and called(n) in FACTORIES | {"Parameter"}]
        for call in asking:
            flag = next((k for k in call.keywords if k.arg == "requires_grad"), None)
            if call is not value and flag is not None:
                bare = text.replace(source.text(call), without(call, flag, around))
                return finding("scaled", around, value, (value, f"({bare}).requires_grad_()"), name=name)
        if {name, f"{name}.grad"} <= names_in(value):
            return finding("new_name", around, value, (value, f"({text}).detach().requires_grad_()"), name=name)
        if isinstance(statement, ast.Assign):
            change = statement, f"{source.text(statement)}; {name}.retain_grad()"
            return finding("not_kept", around, value, change, name=name)
    return None


def constant(t: Any, name: str, made: list[tuple[Any, Context]]) -> Finding | None:
    """Why nothing is tracked of a constant: the very place where it was cut off, or what stands behind it."""
    for place in list(ledger.places.values()):
        if place.result() is t and (at := expression(place.code, place.lasti)) is not None:
            source = source_of(place.code.co_filename)
            around = Context(source, source.function(at))
            return finding("cut", around, at, *uncut(place, at, around), word=word(place))
    if not t.is_floating_point():
        return whole_type(t, name, made)
    for value, around in made:
        if (found := untracked(value, around)) is not None:
            return found
    return None


def whole_type(t: Any, name: str, made: list[tuple[Any, Context]]) -> Finding | None:
    """Where a tensor of whole numbers was made, if it was made from numbers."""
    for value, around in made:
        if isinstance(value, ast.Call) and called(value) in FACTORIES:
            change = with_keyword(value, "dtype=torch.float32, requires_grad=True", around)
            return finding("integers", around, value, change, name=name, dtype=str(t.dtype))
    return None


def switched_off(p: Any, name: str, context: Context) -> Finding | None:
    """Where `requires_grad` of a parameter was switched off, if one line of the program does that."""
    found = []
    for node in ast.walk(context.source.tree):
        off = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith(".requires_grad")
        value = node.value if off else node.args[0] if called(node) == "requires_grad_" and node.args else None  # type: ignore
        if isinstance(value, ast.Constant) and value.value is False:
            found.append((node, (value, "True")))
    return finding("switched_off", context, *found[0], name=name) if len(found) == 1 else None


def not_run(name: str, scalar: bool, context: Context, use: Any) -> Finding | None:
    """Where backward of a result should be called: where its name stands without parentheses, or it was made."""
    source = context.source
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == "backward":
            if ast.unparse(node.value.value) == name:
                return finding("no_parentheses", context, node, (node, f"{source.text(node)}()"), word="backward")
    for value, around in context.made(name, use):
        statement = around.source.statement(value)
        if isinstance(statement, ast.Assign):
            new = f"{around.source.text(statement)}; {name}{'' if scalar else '.sum()'}.backward()"
            return finding("not_run", around, statement, (statement, new), name=name)
    return None


# ---- modules and optimizers


def constructor(module: Any) -> Context | None:
    """The `__init__` of a module's class, where that is the learner's."""
    code: Any = getattr(type(module).__init__, "__code__", None)
    source = source_of(code.co_filename)
    return next((Context(source, n) for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef)
                 and n.name == "__init__" and n.lineno == code.co_firstlineno), None)


def unregistered(module: Any) -> Finding | None:
    """Layers in a plain list or dict, or a plain tensor that asks for a gradient: parameters that nobody lists."""
    listed = {id(p) for p in module.parameters()}
    for owner in module.modules():
        for name, value in vars(owner).items():
            several, one = isinstance(value, list | tuple | dict), isinstance(value, TensorBase)
            layers = [m for m in inner(value) if hasattr(type(m), "named_parameters")]
            tensors = [p for m in layers for p in m.parameters()] or ([value] if one else parameters(value))
            lost = any(p.requires_grad and p.is_leaf and id(p) not in listed for p in tensors)
            if name.startswith("_") or not lost:
                continue
            kind = "Module" if layers else "Parameter"
            kind += "Dict" if isinstance(value, dict) else "List" if several else ""
            around = constructor(owner)
            for node, there in around.made(f"self.{name}", None) if around else ():
                text = there.source.text(node)
                new = f"nn.{kind}({text if several else f'{grouped(node, there)}.detach()'})"
                return finding("unregistered", there, node, (node, new), name=f"self.{name}", box=f"nn.{kind}")
    return None


def missing_from(optimizer: Any, context: Context) -> Finding | None:
    """A leaf of the learner's, or a module, that asks for gradients and that the optimizer does not have."""
    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    opt = next((name for name, value in context.names.items() if value is optimizer), "")
    for name, value in context.names.items():
        module = hasattr(type(value), "named_parameters")
        own = parameters(value) if module else [value] if isinstance(value, TensorBase) else []
        left = [p for p in own if p.requires_grad and p.is_leaf and id(p) not in held]
        for call, around in context.made(opt, None) if left and not name.startswith("_") else ():
            if isinstance(call, ast.Call) and call.args:
                given, text = call.args[0], around.source.text(call.args[0])
                listed = isinstance(given, ast.List) and not module
                new = f"{name}.parameters()" if module else f"[{name}]"
                new = f"{text[:-1].rstrip(', ')}, {name}]" if listed else new
                return finding("not_in_optimizer", around, call, (given, new), name=name, count=len(left))
    return None
