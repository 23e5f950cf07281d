"""Where a value lost its history: the ledger's cuts, and blocks in which nothing is recorded.

Both are looked for on one way: the expressions that made a value, back from where `backward` began. The edit leaves the
cut out, with all that only carried the value on.
"""

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

from ..core.beside import ledger
from ..core.graph import TensorBase, node_of
from ..core.modes import INFERENCE, mode_variable
from .findings import Finding, by_rule, cutting, ends, finding, first, going_on, keyword, names_in, receiver
from .live import inner, is_tensor, nodes_of, of_torch, parameters
from .program import Context, Source, begins, called, expression, feeding, is_theirs, located, stretch, word, written

CARRIES = set("detach detach_ numpy item tolist cpu clone float double half copy long int astype".split())
MAKES = {"tensor", "as_tensor", "from_numpy", "Tensor", "Variable", "float", "FloatTensor", "asarray", "array"}
REDUCES = {"mean", "sum", "max", "min", "std", "prod"}
UNRECORDED = {"code": None, "origin": lambda: None, "result": lambda: None}  # a cut that no ledger has: nobody knows
# functions whose gradient is 0, or that have none: uncut, a value given to them would get nothing either
ZERO_GRADIENT = set("normal bernoulli poisson multinomial round floor ceil trunc sign heaviside argmax argmin".split())


def cuts_in(node: Any, context: Context, leaves: bool = False) -> Iterator[tuple[Any, Any]]:
    """The places of the ledger inside an expression, with the expression that cut; of torch, which has no ledger, what
    is written there to cut, and was given what torch has recorded, without what makes new `leaves`."""
    inside = {*ast.walk(node)}
    places = (p for p in [*ledger.places.values()] if p.code.co_filename == context.source.file)
    yield from ((place, at) for place in places if (at := expression(place.code, place.lasti)) in inside)
    given: dict[Any, Any] = {n: [n.left, *n.comparators] if isinstance(n, ast.Compare) else [receiver(n)]
                             for n in inside if cutting(n)}
    anew = leaves and "requires_grad" in ast.unparse(context.source.statement(node))
    nearest = [n for n in given if not anew and given.keys().isdisjoint(m for one in given[n] for m in ast.walk(one))]
    yield from ((SimpleNamespace(kind=cutting(n), **UNRECORDED), n) for n in nearest
                if any(tracked(one, context) for one in given[n]) and block_around(node, context) is None)


def tracked(node: Any, context: Context) -> bool:
    """Whether torch has recorded what an expression was made of, as far as that is to be seen now."""
    names, source = [n for n in going_on(node) if isinstance(n, ast.Name)], context.source
    later = any(type(w) is ast.Assign and begins(w) >= begins(source.statement(n))
                for n in names for w in source.writes.get((context.function, n.id), ()))
    held = [v for v in map(context.value, names) if not isinstance(v, ModuleType)]
    if held and not later and all(of_torch(v) or isinstance(v, int | float | list) for v in held):  # as they were then
        return any(t.requires_grad for v in held for t in [v, *inner(v)] if of_torch(t))
    return any(t.requires_grad and of_torch(t) and not block_around(here, there)
               for here, there in feeding(node, context, cutting) for n in going_on(here)
               for t in tensors_in(n, there, False))


def cut(place: Any, at: Any, context: Context, mend: bool = True) -> Finding:
    """What is to be said of a place of the ledger."""
    return finding("cut", context, at, *(uncut(place, at, context) if mend else ()), word=word(place, at))


def number_of(root: Any, context: Context, kind: str = "") -> Finding | None:
    """What made a number, or an array, of a tensor, behind an expression."""
    return first(cut(place, at, around) for here, around in feeding(root, context)
                 for place, at in cuts_in(here, around) if kind in ast.unparse(around.source.statement(at)))


def cut_on_the_way(leaf: Any, root: Any, context: Context, choices: bool = True) -> Finding | None:
    """What cut a leaf off, or without one anything, in the expressions that made `root`; of torch's `choices`, too."""
    anew = False  # whether a later step would cut again what was left uncut
    for here, there in feeding(root, context):
        for place, at in cuts_in(here, there, leaf is None):
            asked = at if isinstance(at, ast.Compare) else receiver(at)  # of `a > b` both
            of_theirs = place.code is None and not (  # what can be asked now leads to the leaf, or nothing can
                (choices or not place.kind.isidentifier()) and unknown_or_behind(leaf, there.value(asked)))
            if leaf is not None and (of_theirs or late(at, there.source)):  # an update
                continue
            several = isinstance(asked, ast.List | ast.ListComp)  # then the last of them alone is known
            made = [there.names.get(name) for name in written(there.source.statement(at))]  # perhaps the leaf itself
            if leaf is None or (leads_to(asked, there, leaf, False) and (several or came_from(place, leaf)) and not any(
                    leaf is t for value in made for t in [value, *parameters(value)])):
                given_to = {called(up): up for up in there.source.above(at)}
                told = by_rule("cut:", given_to.get("normal", at), there)
                mend = not (anew or ZERO_GRADIENT & given_to.keys() or passes(at, there) > 1)
                return told or cut(place, at, there, mend)
        calls = [n for n in ast.walk(here) if isinstance(n, ast.Call)]
        anew |= any(called(n) in MAKES and computed(n) for n in calls)
        asked = (f"apply: {ast.unparse(n).partition('.apply(')[0]}(#{i}" for n in calls if leaf is not None
                 and called(n) == "apply" for i, given in enumerate(n.args) if leads_to(given, there, leaf))
        if (none := first(by_rule(each, here, there) for each in asked)) is not None:
            return none
        update = isinstance(there.source.statement(here), ast.AugAssign)  # of a leaf, which it stays
        off = leaf is None or (not update and leads_to(here, there, leaf))
        block = block_around(here, there) if off else None
        told = block and by_rule(f"block: {there.source.line(here)[2]}", here, there)
        after = block and not told and late(here, there.source)  # an update, of the next turn's
        if (block := told or block) and not (after and leaf is not None):
            flat = after or any(isinstance(n, ast.Compare) or called(n) in ZERO_GRADIENT for n in ast.walk(here))
            return replace(block, edit=None) if flat or (leaf is not None and passes(here, there) > 1) else block
    return by_rule("whole numbers:", root, context) if leaf is not None and leads_to(root, context, leaf) else None


def unknown_or_behind(leaf: Any, t: Any) -> bool:
    """Whether a tensor of torch comes of a leaf, or does not know any more what it comes of."""
    return leaf is t or not (of_torch(t) and t.requires_grad) or id(leaf) in ends(t.grad_fn)


def late(node: Any, source: Source) -> bool:
    """Whether a statement stands in a loop, below what computes its gradients: with it the next turn begins."""
    around = {*source.loops(node)[:1]}
    return any(called(n) in ("backward", "grad") and around & {*source.above(n)} and begins(n) < begins(node)
               for n in source.calls)


def leads_to(node: Any, context: Context, leaf: Any, copies: bool = True) -> bool:
    """Whether what made an expression reads `leaf`, by name or in a module or a list; `copies`: also as a deep copy."""
    for here, around in feeding(node, context):
        for part in ast.walk(here):
            value = around.value(part) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript) else None
            code = getattr(getattr(type(value), "forward", None), "__code__", None)
            # what it uses stands in its forward; `ws[0]` is not all of `ws`
            read = (code is not None and is_theirs(code)) or isinstance(around.source.parents.get(part), ast.Subscript)
            if not copies and "deepcopy" in map(called, around.source.above(part)):
                continue
            if value is leaf or (not read and any(other is leaf for other in parameters(value))):
                return True
    return False


def came_from(place: Any, leaf: Any) -> bool:
    """Whether what was cut off last came from a tensor, or nobody knows any more: of several leaves it is the last."""
    node = place.origin()
    if node is None or isinstance(node, TensorBase) or place.result() is leaf:  # the last makes a leaf: it cut none
        return place.result() is not leaf and (node is leaf or node is None or place.count > 1)
    return any(n is leaf.grad_fn or any(leaf is end for end in n.edges) for n in nodes_of(node))


def was_cut(t: Any, name: str) -> bool:
    """Whether a value was taken out of this very tensor: then it may be no loss, but on the way to one."""
    return any(p.origin() is t.grad_fn or (p.count > 1 and name in names_in(expression(p.code, p.lasti)))
               for p in list(ledger.places.values()))


def passes(at: Any, context: Context) -> int:
    """How many calls of backward in a program go through a value: of several the first would free its graph."""
    calls = (n for n in context.source.calls if called(n) == "backward" and keyword(n, "retain_graph") is None)
    ways = (feeding(root_of(n), context._replace(function=context.source.function(n))) for n in calls)
    return sum(any(at in ast.walk(here) for here, _ in way) for way in ways)


def root_of(call: Any) -> Any:
    """What a call of backward or grad starts from."""
    given = receiver(call) if called(call) == "backward" else call.args[0] if call.args else call
    return call.args[0] if isinstance(given, ast.Attribute) and given.attr == "autograd" and call.args else given


def computed(call: Any) -> bool:
    """Whether a call is given more than numbers."""
    return any(isinstance(n, ast.Name | ast.Call) for a in call.args for n in ast.walk(a))


# ---- blocks


def block_around(node: Any, context: Context) -> Finding | None:
    """The `with torch.no_grad():`, the decorator, or the line before, that switched recording off for an expression."""
    source = context.source
    around: dict[Any, Any] = {switch: up for up in source.above(node) for switch in (
        [item.context_expr for item in up.items] if isinstance(up, ast.With) else getattr(up, "decorator_list", ()))}
    stopped = not mode_variable.get() and mode_variable.get() is not INFERENCE  # now: by a call that may stand anywhere
    before = [(each is source, n.lineno, n) for each in (context.sources() if stopped else [source]) for n in each.calls
              if called(n) == "set_grad_enabled" and isinstance(each.parents[n], ast.Expr)
              and (ast.unparse(n).endswith("(False)") if stopped else begins(n) < begins(node))]
    last = [n for *_, n in sorted(before, key=lambda one: one[:2])[-1:] if ast.unparse(n).endswith("(False)")]
    for switch in [*around, *last]:  # the nearest first
        context = context._replace(source=next(each for each in [source, *context.sources()] if switch in each.parents))
        name = called(switch) or getattr(switch, "attr", getattr(switch, "id", ""))
        flag = switch.args[0] if name == "set_grad_enabled" and switch.args else None
        off = not flag.value if isinstance(flag, ast.Constant) else flag and asking(node, context)  # now it was not
        if name == "enable_grad" or (flag and not off):
            return None
        if flag or name in ("no_grad", "inference_mode"):  # they record nothing, whatever they are given
            change = (flag, "True") if flag else (switch, source.text(switch).replace(name, "enable_grad"))
            inside = ast.walk(around.get(switch, node))
            written = (n.target if isinstance(n, ast.AugAssign) else receiver(n) for n in inside
                       if isinstance(n, ast.AugAssign) or re.fullmatch(r"[a-z]\w*_", called(n)))
            safe = not any(asking(target, context) for target in written)  # else recording would not let it pass
            return finding("block", context, switch, *[change] * safe, word=name)
    return None


def in_hook(node: Any, context: Context) -> Finding | None:
    """What a hook, or a Function's backward, computes of leaves while it runs: there nothing is recorded."""
    inside = context
    while inside.outer is not None and called(inside.call) not in ("backward", "grad"):
        inside = inside.outer
    f, own = inside.function, (here for here, there in feeding(node, context) if there.function is context.function)
    theirs = f is None or inside.outer is None or inside.outer.definition(inside.call) or mode_variable.get()
    if theirs or not any(asking(here, context) and not isinstance(here, ast.Name) for here in own):
        return None
    at = stretch(f.lineno, f.col_offset, f.lineno, f.col_offset + len("def"))
    return finding("in_hook", inside, at, (at, f"@torch.enable_grad()\n{' ' * f.col_offset}def"), name=f"{f.name}()")


def asking(node: Any, context: Context) -> bool:
    """Whether an expression reads a tensor that asks for a gradient."""
    return any(t.requires_grad for t in tensors_in(node, context))


def tensors_in(node: Any, context: Context, whole: bool = True) -> list[Any]:
    """The tensors that an expression reads, those in modules and lists too; or, not the `whole`, that it names."""
    names = (n for n in (ast.walk(node) if whole else [node]) if isinstance(n, ast.Name | ast.Attribute))
    values = [context.value(n) for n in names]
    return [t for v in values for t in ([v] if is_tensor(v) else parameters(v))]


# ---- the edit that leaves a cut out


def uncut(place: Any, at: Any, context: Context) -> list[tuple[Any, str]]:
    """The change that leaves a cut out, with what only carries the value on: methods, a tensor made of it, and NumPy's
    functions in between."""
    source, top = context.source, at
    above = [up for up in source.above(at) if isinstance(up, ast.expr)]
    nearest = next((up for up in above if isinstance(up, ast.Compare | ast.NamedExpr)), None)
    if place.kind.isidentifier() or isinstance(nearest, ast.Compare):  # whole numbers, truth values have no history
        return []
    while getattr(up := source.parents[top], "attr", "") in CARRIES and isinstance(source.parents[up], ast.Call):
        top = source.parents[up]
    whole = (up for up in above[::-1] if called(up) in MAKES or re.match(r"(?:np|numpy)\.\w+\(", ast.unparse(up)))
    return uncarried(next(whole, top), context)  # the outermost


def uncarried(top: Any, context: Context) -> list[tuple[Any, str]]:
    """The change of an expression to one that tensors go through; none where something else is left in it."""
    text = ast.unparse(Uncarried(context).visit(copy.deepcopy(top)))
    return [] if re.search(r"\b(?:np|numpy|math)\.|\.numpy\b|\w\(\[\[", text) else [(top, text)]


class Uncarried(ast.NodeTransformer):
    """Leaves out what only carries a value on: `t.item()`, `t.detach()`, `float(t)` and `torch.tensor(t)` are t."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        module = getattr(node.value, "id", "") in ("np", "numpy", "math") and hasattr(TensorBase._plain, node.attr)
        return ast.Attribute(ast.Name("torch"), node.attr) if module else node.value if node.attr == "data" else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        made = [m for n in node.args[:1] if isinstance(n, ast.Name) for m, _ in self.context.made(n.id, None)]
        self.generic_visit(node)
        if called(node) in REDUCES and isinstance(node.args[0] if node.args else None, ast.List | ast.ListComp):
            stacked = ast.Call(ast.Name("torch.stack"), node.args, [])
            return ast.Call(ast.Attribute(stacked, called(node)), [], node.keywords)
        if called(node) not in MAKES or not node.args:
            return receiver(node) if called(node) in CARRIES else node
        several = isinstance(self.context.value(node.args[0]), list | tuple) or any(
            isinstance(n, ast.List | ast.ListComp) for n in (*node.args[:1], *made))
        values = inner(self.context.value(node.args[0])) or map(self.context.value, getattr(node.args[0], "elts", ()))
        join = "cat" if any(is_tensor(v) and v.dim() for v in values) else "stack"
        parts = getattr(node.args[0], "elts", [])
        for i, part in enumerate(parts):
            if isinstance(getattr(part, "operand", part), ast.Constant) or isinstance(self.context.value(part), float):
                given = part if join == "stack" else ast.List([part])  # as many dimensions as the others
                parts[i] = ast.Call(ast.Name("torch.tensor"), [given], [])
        return ast.Call(ast.Name(f"torch.{join}"), node.args[:1], []) if several else node.args[0]


# ---- a term of the loss


def added_number(leaf: Any, root: Any, context: Context) -> Finding | None:
    """A term of the sum behind an expression that was cut off, from a leaf perhaps: no gradient changes with it."""
    loss = context.value(root)
    sums = [node_of(loss._edge())] if isinstance(loss, TensorBase) else []
    for n in (n for n in sums if type(n).__name__ in ("AddBackward0", "SubBackward0")):  # grows while it is read
        sums += (behind := [node_of(edge) for edge in n.edges if edge is not None])
        at, there = located(n.code, n.lasti, context.names)
        for side in (at.left, at.right) if isinstance(at, ast.BinOp) and len(behind) == 1 else ():
            made = hasattr(behind[0], "code") and expression(behind[0].code, behind[0].lasti)
            constant = made and all(made not in ast.walk(here) for here, _ in feeding(side, there))
            if constant and (found := cut_on_the_way(leaf, side, there)) is not None:
                return replace(found, key="added_number", facts={**found.facts, "name": ast.unparse(root)})
    return None
