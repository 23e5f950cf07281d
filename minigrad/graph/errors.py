"""The cause of an error: what was freed or overwritten, what is None, what a name was meant to be, what did not fit.

`find` is the way in: it asks by the text of the error and the failing expression, then by the key of the error.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import dropwhile, pairwise
from types import ModuleType
from typing import Any

from ..core.beside import ledger
from ..core.graph import Freed, TensorBase, latest
from ..text import torch_names
from ..text.presentation import nearest
from . import leaves, program, torch_tells
from .cuts import cut_on_the_way, number_of, passes, root_of, uncarried
from .findings import Finding, by_rule, ends, finding, first, names_in, reads_of, receiver
from .leaves import made_anew, no_flag, not_a_leaf, projected, remade, switched_off, unreached, unregistered, untracked
from .live import inner, is_module, is_tensor, nodes_behind, nodes_of, parameters, tensors_named
from .program import Context, begins, called, expression, feeding, gives, is_learners, located, parts_behind, read_in
from .refused import Refused, ours
from .torch_tells import Spent

WHOSE = {"backward", "step", "zero_grad", "parameters", "state_dict", "load_state_dict"}  # each of one kind of thing


def find(error: BaseException, key: str, facts: dict[str, Any], node: Any, context: Context) -> Finding | None:
    """The cause of an error: by its text and the failing expression, else by its key, else what the operands were."""
    if key == "ambiguous_bool" and node is not None:  # of what is joined, Python 3.11 names the part computed last
        parts = (part for up in context.source.above(node) if isinstance(up, ast.BoolOp) for part in up.values)
        node = next((part for part in parts if context.value(part) is facts["tensor"]), node)
    if (found := first(finder(error, node, context) for finder in FINDERS)) is not None:
        return found
    if "bad" in facts:  # a number that no row, or no class, has: where it was asked for, and how many there are
        return finding(key, context, node, **facts)
    return BY_KEY[key](facts, node, context) if key in BY_KEY else None if key else operands(error, node, context)


def operands(error: BaseException, node: Any, context: Context) -> Finding | None:
    """What the tensors of the line were when an operation refused them, where nothing has said more of it."""
    silent = getattr(error, "__notes__", ()) or next(ours(error), None) is None  # noted already, or not ours
    told = "" if silent else Refused(error, node, context).told()
    return finding("operands", context, node, told=told) if told else None


# ---- a graph that is gone


def freed(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    """Backward went through a node that an earlier backward has freed: that one, or what was kept from turn to turn."""
    node: Any = facts.get("node")
    mark = next((m for s in getattr(node, "frees", ()) if isinstance(m := getattr(node, s), Freed) and m.code), None)
    theirs = torch_tells.before(call, context, node) if isinstance(node, Spent) else None
    if theirs is not None:
        return before_it(call, context, *theirs)
    before, other = located(mark.code, mark.lasti, context.names) if mark else (None, context)
    if not isinstance(node if isinstance(node, Spent) else before, Spent | ast.Call):
        return None
    if mark is not None and before is not call:
        after = dropwhile(lambda entry: entry[3] is not mark, ledger.diary)
        return before_it(call, context, before, other, node, {
            id(p) for what, owner, *_ in after if what == "step" for p in parameters(owner())})
    loop: Any = next(iter(context.source.loops(call)), None)
    each = isinstance(loop, ast.For) and ast.unparse(loop.target) == ast.unparse(root_of(call))
    several = [t for t in inner(context.value(loop.iter)) if leads(t, node)] if each else []
    if len(several) > 1 and called(call) == "backward":  # the results of one list, which share it
        kept = ast.Call(call.func, call.args, [*call.keywords, ast.keyword("retain_graph", ast.Constant(True))])
        change = (call, ast.unparse(kept))
        node = Spent(node.intersection(nodes_behind(several[0]))) if isinstance(node, Spent) else node
        return finding("freed_shared", context, call, change, node=node, name=ast.unparse(loop.iter))
    found = first(crossing(node, *one) for one in regions(call, context))
    return found or (finding("freed_again", context, before, node=node) if mark is not None else None)


def before_it(call: Any, context: Context, before: Any, other: Context, node: Any, stepped: set[int]) -> Finding | None:
    """The same of another call, which ran before in its context; `stepped`: the ids of what was updated in between."""
    up, above = context.source.statement, context.source.parents
    if before in above and ast.dump(before) == ast.dump(call) and (
            (up(before), up(call)) in pairwise(ast.iter_child_nodes(above[up(before)]))):
        return finding("freed_twice", context, call, (up(call), ""), node=node)
    if called(before) == "grad" and any(before is part for part, _ in parts_behind(root_of(call), context)):
        return by_rule("first order:", before, other)  # what it gave is a part of this
    if stepped & ends(node):  # what was saved is overwritten
        return finding("freed_and_stepped", other, before, node=node)
    behind = parts_behind(root_of(before), other) if stepped else ()
    for part, there in ((part, there) for part, there in behind if isinstance(part, ast.Name)):
        if leads(t := there.value(part), node) and is_tensor(t) and not stepped & ends(t.grad_fn):
            return finding("freed_needlessly", there, part, (part, f"{part.id}.detach()"), name=part.id)
    told = replace(by_rule("freed:", before, other) or finding("freed_before", other, before), facts={"node": node})
    late = not stepped and before in above and any(  # in a later turn: what is kept is overwritten then
        called(n) == "step" and before.lineno < n.lineno < call.lineno for n in above)
    return replace(told, edit=None) if late else told


def regions(call: Any, context: Context) -> Iterator[tuple[Any, Context, Any]]:
    """The parts of the program that run again before each backward: its loop, or function, and the functions that made
    what it starts from; each with its context, and the root."""
    root = root_of(call)
    around = {id(there.function): there for _, there in feeding(root, context)}
    again = context.source.tree if [*context.cells()][1:] else None  # a cell may have run before
    yield [context.function or again, *context.source.loops(call)][-1], context, root
    yield from ((there.function, there, root) for there in around.values() if there.function is not context.function)


def crossing(node: Any, region: Any, context: Context, root: Any) -> Finding | None:
    """What leads to a freed node and is handed from one turn to the next, with the cut that ends its history there."""
    if region is None:
        return None
    source, inside = context.source, {*ast.walk(region)}
    made, home = located(node.code, node.lasti)
    for name in dict.fromkeys(ast.unparse(n) for n in ast.walk(region) if isinstance(n, ast.Name | ast.Attribute)):
        uses = reads_of(name, region)
        writes = source.writes.get((context.function, name), [])
        own = [w for w in writes if w in inside]
        new = own and uses and type(own[0]) is not ast.AugAssign and begins(own[0]) < begins(source.statement(uses[0]))
        if not uses or new or region in writes or not leads(held := context.value(uses[0]), node):
            continue
        if isinstance(node, Spent) and not torch_tells.crosses(name, held, own, region, context):
            continue
        if own:
            return taken_over(name, own[0], [w for w in writes if w not in inside], inside, context, root, node)
        # what an object holds was made by who wrote into it
        for value, around in () if is_learners(held) else context.made(name, uses[0]):
            text, write = around.source.grouped(value), around.source.statement(value)
            if context.function is not None and any(value is given for given, _ in context.argument(name)):
                return finding("carried", around, value, (value, f"{text}.detach()"), name=name)
            if made is not None and home.function is around.function and made not in {*ast.walk(write)}:
                key = "carried" if made in inside else "kept_outside"  # written in each turn, or a part of it
                return finding(key, home, home.source.statement(made), name=name)
            if text in source.text(region):  # that is done, and this is what it is compared with
                return finding("kept_outside", around, write, (value, f"{text}.detach()"), name=name)
            anew = re.search(r"\b(?:rand\w*|normal|nn\.[A-Z]\w+|Parameter)\(|requires_grad=True", text)  # not as it was
            changes = [(use, text) for use in uses] if around.source is source and not anew else []
            trained = {id(p) for o in leaves.optimizers(context).values() for p in parameters(o)}
            if is_tensor(held) and trained and not trained & ends(held.grad_fn):  # nothing there changes
                changes = [(value, f"{text}.detach()")]
            return finding("kept_outside", around, write, *changes, name=name)
    return None


def leads(value: Any, node: Any, marks: Any = ()) -> bool:
    """Whether the graph of a tensor, or of one in a list, leads to a node, or to one freed with these marks."""
    if isinstance(node, Spent):
        return node.behind(value)
    return any(n is node or any(getattr(n, slot) in marks for slot in n.frees if marks)
               for n in nodes_of(value, *inner(value)))


def taken_over(name: str, statement: Any, before: Any, inside: Any, context: Context, root: Any, node: Any) -> Finding:
    """A value that each turn takes over from the one before with its history: the turn that writes it, cut there."""
    source, value = context.source, statement.value
    given = [v for w in before for v in read_in(w, name)] + [v for v, _ in context.elsewhere(name)]  # by another cell
    starts = [v.value for v in given if isinstance(v, ast.Constant)]
    grown = isinstance(statement, ast.AugAssign)
    if ast.unparse(root) == name and (grown or any(s is not None for s in starts)):  # a running sum
        parts = [value] if grown else [n for n in ast.iter_child_nodes(value) if isinstance(n, ast.expr)]
        changes = [(root, source.text(part)) for part in parts if name not in names_in(part)]  # of this turn
        return finding("carried", context, statement, *changes, name=name)
    found = by_rule(f"taken over: {name}", statement, context) or projected(name, value, context)
    return found or finding("carried", context, statement, *cut_off(
        name, statement, None in starts, inside, context, root, node), name=name)


def cut_off(name: str, statement: Any, none: bool, inside: Any, context: Context, root: Any, node: Any) -> list[Any]:
    """The changes that cut off all that a turn takes over from the one before; none if another line does so, too."""
    source, changes, loops = context.source, list[tuple[Any, str]](), context.source.loops(root)
    deep = loops and {*source.loops(statement)} - {*loops}  # in a loop of its own, all of whose turns belong together
    old = [m for slot in node.frees if isinstance(m := getattr(node, slot), Freed)]
    for other in {name}.union(*(names_in(part) for part, _ in feeding(root, context))):
        reads = [n for n in reads_of(other, context.function or source.tree) if n in inside]
        writes = [w for w in source.writes.get((context.function, other), []) if w in inside]
        over = reads and writes and begins(source.statement(reads[0])) <= begins(writes[0])
        if not over or not leads(held := context.value(reads[0]), node, old):
            continue
        several = isinstance(held, tuple | list)
        if deep:
            new = f"tuple(t.detach() for t in {other})" if several else f"{other}.detach()"
            changes.append((loops[0].body[0], f"{other} = {f'{other} if {other} is None else {new}' if none else new}"))
            continue
        own = [n for n in ast.walk(statement) if n in reads and not isinstance(source.parents[n], ast.Compare)]
        used = begins(source.statement(reads[-1])) > begins(writes[0])  # what is written is a part of the root
        parts = own or (used and [n for n in reads if begins(n) < begins(writes[0])]) or read_in(statement, other)
        if (writes[0] is not statement or not isinstance(statement, ast.Assign)
                or (not own and parts == [statement.value] and isinstance(statement.targets[0], ast.Tuple))
                or (several and not all(map(is_tensor, held)))):
            return []
        for text, part in ((source.grouped(part), part) for part in parts):
            new = f"tuple(t.detach() for t in {text})" if several else f"{text}.detach()"
            changes.append((part, f"({text} if {text} is None else {new})" if own and none else new))
    if deep and changes:  # in front of the turn
        at = changes[0][0]
        return [] if hasattr(at, "body") else [(at, "; ".join([*(new for _, new in changes), source.text(at)]))]
    return changes


# ---- a value that was written over


def overwritten(facts: dict[str, Any], call: Any, context: Context) -> Finding | None:
    """The first write into a value since a node saved it, and the same out of place."""
    counter, made = facts.get("counter") or [0], facts["node"]
    if isinstance(made, Spent):
        source, at, born = torch_tells.write(call, context, made)
        there = Context(source, source and at and source.function(source.statement(at)), names=context.names)
    else:
        at, there = located(*program.first_write(counter, facts["expected"]), context.names)
        source, born = there.source, expression(made.code, made.lasti)
    if at is None:
        return None
    statement = source.statement(at)
    if called(at) == "step" or any(isinstance(up, ast.With) for up in source.above(statement)):
        ran = [n.lineno for n in source.calls if called(n) == "backward" and source.function(n) is there.function]
        between = born in source.parents and source.function(born) is there.function and any(
            born.lineno < n < statement.lineno for n in ran)
        crossed = (crossing(made, *one) for one in regions(call, context) if between)
        edits = [one.edit for one in crossed if one and one.line and one.line[0] == source.file]
        found = finding("updated_between" if between else "updated_early", there, statement, node=made)
        return replace(found, edit=[*edits, None][0])
    own = " own" * (born in {*ast.walk(statement)})
    found = by_rule(f"overwritten{own} {called(at)}:", at, there) or finding("overwritten", there, statement)
    # else writes before it are forgotten, and stay
    sure = isinstance(made, Spent) or counter[0] - facts["expected"] < len(counter)
    return replace(found, facts={"node": made}, edit=found.edit if sure else None)


# ---- something of another kind


def of_another_kind(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A number, an array, or None, where a tensor is expected: what made it one."""
    text, told = str(error), re.search(KINDS, str(error))
    start = receiver(getattr(node, "func", node)) if told and told[1] else node
    if told is not None and (found := number_of(start, context, "numpy()" if told[2] else "")) is not None:
        return found
    if "NoneType" not in text or not isinstance(error, TypeError | AttributeError):
        return None
    for part in (n for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == "grad"):
        owner = context.value(part.value)
        early = latest.freed.code is None and getattr(owner, "requires_grad", False)  # nothing to clear yet
        if isinstance(owner, TensorBase) and owner._grad is None and not (
                early and re.search("'(zero_|fill_|data|detach_)'", text)):
            return without_gradient(owner, context.source.text(part.value), node, context)
    calls = ((part, around) for part, around in parts_behind(node, context) if isinstance(part, ast.Call))
    for inside in filter(None, (around.definition(call) for call, around in calls)):
        if not any(isinstance(n, ast.Return | ast.Yield) for n in ast.walk(inside.function)):
            return by_rule(f"no return: {inside.function.name}", inside.function.body[-1], inside)
    return None


# a number whose backward is asked for, an array whose size is called, a number in a list of tensors
KINDS = ("'(?:float|int|list|numpy\\.\\w+)' object has no attribute '(backward)'|^'(int)' object is not callable$|"
         "expected Tensor as element \\d+ in argument 0, but got (?:float|int)")


def without_gradient(owner: Any, name: str, node: Any, context: Context) -> Finding:
    """Why a tensor whose gradient is used has none."""
    name = name_of(owner, name, context)
    whole, made = name.partition("[")[0], [*context.made(name, node)]
    made = made or sorted(context.made(whole, node), key=lambda m: gives(m[1].source.statement(m[0]), whole))  # a part
    found = unreached(owner, name, context) if owner.is_leaf else not_a_leaf(owner, name, made)
    asked = f"leaf {name}:{' none' * (latest.freed.code is None)}"
    return found or by_rule(asked, node, context) or finding("none_gradient", context, node, name=name)


def unused(facts: dict[str, Any], call: Any, context: Context) -> Finding:
    """What is asked for is not behind the root: it was cut off, its name given anew, or it is a result beside that."""
    t, root = facts["tensor"], root_of(call)
    name = name_of(t, context.source.text([*call.args[1:], call][0]), context)
    made = context.made(name, call) if t.grad_fn is not None else ()
    return cut_on_the_way(t, root, context) or remade(t, root, context) or first(
        by_rule(f"beside: {name}", *one) for one in made) or finding("not_in_graph", context, call, name=name)


def name_of(owner: Any, name: str, context: Context) -> str:
    """What a tensor is called that may be one of several in a list, a dict or a module."""
    return max((each for each, t in tensors_named(context.names).items() if t is owner), key=len, default=name)


# ---- names


def unknown(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A name, or a key of a dict, that means nothing: where it is known, or the nearest one."""
    name = str([*error.args, ""][0])
    if isinstance(error, KeyError) and hasattr(whole := context.value(getattr(node, "value", None)), "keys"):
        keys = [key for key in whole if isinstance(key, str)]
        part = [key for key in keys if key in name or name in key]
        changes = [(node.slice, repr(key)) for key in nearest(name, tuple(keys)) or part * (len(part) == 1)]
        return finding("no_key", context, node, *changes, name=repr(name), keys=", ".join(map(repr, keys[:9])))
    if (told := re.search(r"^name '(\w+)' is not", name)) is None:
        return None
    name, own = told[1], context.names.get("self")
    whole = ast.walk(context.source.statement(node))
    called = any(isinstance(n, ast.Call) and ast.unparse(n.func) == name for n in whole)
    ours = {word: v.__name__ for word, v in context.names.items() if isinstance(v, ModuleType) and name in dir(v)
            and (called or not (name.islower() and isinstance(getattr(v, name), type)))}  # `dtype=dtype` means no class
    held = sorted((word for word in ours if ours[word].startswith("minigrad")), key=lambda word: -len(ours[word]))
    near = [f"{word}.{name}" for word in ["self"] * hasattr(own, name) + held]
    near = near or nearest(name, tuple(context.names))
    changes = [(n, near[0]) for n in ast.walk(node) if near and isinstance(n, ast.Name) and n.id == name]
    return finding("misspelt" if near else "no_such_name", context, node, *changes, name=name, nearest=[*near, ""][0])


def not_to_optimize(error: BaseException, node: Any, context: Context) -> Finding | None:
    """An optimizer of nothing: what its module keeps without listing it; or of a result: how that was made."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)]
    if "empty parameter list" in str(error):
        return first(unregistered(m) or made_anew(m) for n in names if is_module(m := context.value(n)))
    results = [(t, n, t is v) for n in names for v in [context.value(n)] for t in [v, *inner(v)]
               if "non-leaf" in str(error) and getattr(t, "grad_fn", None) is not None]
    for t, n, own in results[:1]:
        made = [*context.made(ast.unparse(n), n)] if own else []  # of one in a list, its own line
        at, there = located(t.grad_fn.code, t.grad_fn.lasti)
        return not_a_leaf(t, ast.unparse(n), made, True) or (
            None if own or at is None else finding("scaled", there, at, name=ast.unparse(n)))
    return None


def misspelt(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A name that is nearly another, of an attribute, a keyword argument or an import; or one that only PyTorch has."""
    told = re.search(r"\(\) got an unexpected keyword argument '(\w+)'", str(error))
    if isinstance(error, AttributeError) and isinstance(node, ast.Attribute | ast.Call):
        return of_attribute(error, node, context)
    if told and isinstance(node, ast.Call) and context.callee(node.func) is not None:
        return of_keyword(told[1], error, node, context)
    if not isinstance(node, ast.Import | ast.ImportFrom) or not (near := getattr(error, "nearest", [])):
        return None
    name = re.findall(r"\w+", str(error).partition(" from ")[0])[-1]
    alone = isinstance(node, ast.Import) or name not in names_in(context.source.tree)  # else there, too
    changes = [(node, re.sub(rf"\b{name}\b", near[0], context.source.text(node)))] * alone
    return finding("misspelt", context, node, *changes, name=name, nearest=near[0])


def unmapped(error: BaseException, node: Any, context: Context) -> Finding | None:
    """A tensor made inside vmap, one for all samples, into which a value of each is to be written."""
    return first(by_rule(f"for all: {ast.unparse(n)}", node, context) for n in ast.walk(context.source.statement(node))
                 if "vmap: inplace arithmetic" in str(error) and type(context.value(n)).__name__ == "Batched")


def ruled(error: BaseException, node: Any, context: Context) -> Finding | None:
    """What a rule tells; on the way to a backward the cure of an array is to compute the same in PyTorch."""
    if (found := by_rule(error, node, context)) is None or found.key != "to_numpy" or not passes(node, context):
        return found
    whole = [up for up in (node, *context.source.above(node)) if isinstance(up, ast.expr)][-1]
    arrays = any(type(context.names.get(name)).__name__ == "ndarray" for name in names_in(whole))
    return finding("to_numpy", context, node, *uncarried(whole, context) * (not arrays))


def of_attribute(error: Any, node: Any, context: Context) -> Finding | None:
    """An attribute that is not there: what is nearest, or who has it."""
    name, grouped = error.name or "", context.source.grouped
    ours = [c.__name__ for c in type(error.obj).__mro__ if c.__module__.partition(".")[0] == "minigrad"]
    if whose := next((kind for kind in ours if name in torch_names().get(f"torch.{kind}", ())), ""):
        return finding("not_yet_here", context, node, name=f"{whose}.{name}")
    near = nearest(name, tuple(dir(error.obj))) if ours or is_learners(error.obj) else getattr(error, "nearest", [])
    around: list[Any] = [*ast.walk(context.source.statement(node))]
    wrong = [n for n in around if getattr(n, "attr", None) == name and n in {*ast.walk(node)}]
    alike = [n for n in around if wrong and ast.dump(n) == ast.dump(wrong[0]) and n.lineno == wrong[0].lineno]
    if near:
        changes = [(n, f"{grouped(n.value)}.{near[0]}") for n in alike]
        return finding("misspelt", context, node, *changes, name=name, nearest=near[0])
    able = [n for n, v in context.names.items() if hasattr(type(v), name) and n[0] != "_" and name in WHOSE
            and (v.grad_fn and v.numel() == 1 if is_tensor(v) else type(v).__module__.startswith("minigrad."))]
    if not (ours and able and wrong):  # of the others that training needs: `opt.backward()`, `loss.step()`
        return None
    facts = {"kind": type(error.obj).__name__, "name": name, "able": ", ".join(able)}
    return finding("asked_of_other", context, wrong[0], *[(wrong[0].value, able[0])] * (len(able) == 1), **facts)


def of_keyword(name: str, error: BaseException, node: Any, context: Context) -> Finding | None:
    """A keyword that a call does not take; if it does, another call, further in, has refused it."""
    made = context.callee(node.func)  # of a module its forward takes them, of a partial its function
    made = made.func if type(made).__name__ == "partial" else made
    takes = [n for n in inspect.signature(getattr(type(made), "forward", made)).parameters if n != "self"]
    near = [] if name in takes else nearest(name, tuple(takes))
    changes = [(k, f"{near[0]}={context.source.text(k.value)}") for k in node.keywords if near and k.arg == name]
    if near:
        return finding("misspelt", context, node, *changes, name=name, nearest=near[0])
    told, facts = by_rule(error, node, context), {"name": name, "callee": called(node), "takes": ", ".join(takes)}
    return told or (None if name in takes else finding("not_taken", context, node, **facts))


def without_graph(call: Any, context: Context) -> Finding | None:
    """Why a backward has no graph to go through; of what only chooses, or counts, with what a loss is computed of."""
    found: Any = untracked(root_of(call), context)
    whole = getattr(found, "key", "") == "cut" and re.match("arg(?:max|min)|round|sign|[<>=]", found.facts["word"])
    told: Finding | None = replace(found, key="cut_whole") if whole and found.edit is None else found
    return told


FINDERS: tuple[Callable[[BaseException, Any, Context], Finding | None], ...] = (
    not_to_optimize, of_another_kind, misspelt, unmapped, ruled, unknown)
BY_KEY: dict[str, Callable[[dict[str, Any], Any, Context], Finding | None]] = {
    # torch's may come from within what the learner calls
    "no_graph": lambda facts, call, context: without_graph(call, context) if isinstance(call, ast.Call) and (
        facts or called(call) in ("backward", "grad")) else None,
    "hook_without_grad": lambda facts, call, context: untracked(call.func.value, context),
    **dict.fromkeys(("constant_input", "retain_without_grad"), lambda facts, call, context: first([
        *(no_flag(n, context) for n in ast.walk(call) if context.value(n) is facts["tensor"]),
        *(switched_off(name_of(t, "", context), context) for t in facts.values() if type(t).__name__ == "Parameter")])),
    "freed": freed, "modified": overwritten, "unused_input": unused,
    "no_derivative": lambda facts, call, context: Finding("no_derivative", facts, facts["node"].line)}
