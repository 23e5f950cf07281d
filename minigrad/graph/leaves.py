"""Leaves and results: why a leaf got no gradient, why a result keeps none, why nothing was recorded of a constant."""

import ast
import builtins
from typing import Any

from ..core.beside import ledger
from ..core.graph import Freed, TensorBase
from .cuts import asking, computed, cut, cut_on_the_way, leads_to, root_of, tensors_in
from .findings import Finding, finding, first, keyword, names_in, receiver, with_keyword, without
from .matching import by_rule
from .program import Context, called, expression, feeding, source_of, written

FACTORIES = set("tensor ones zeros rand randn full arange linspace eye normal empty ones_like randn_like".split())


# ---- a leaf without a gradient


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


def unreached(leaf: Any, name: str, context: Context) -> Finding | None:
    """Why the backward that ran last has not reached a leaf."""
    if (last := last_backward(context)) is None:  # perhaps one that failed, or was left out
        tried = ((root_of(n), Context(source, source.function(n), names=context.names))
                 for source in context.sources() for n in source.calls if called(n) == "backward")
        return by_rule("program:", None, context) or first(cut_on_the_way(leaf, *one) for one in tried)
    call, around = last
    root, limit = root_of(call), keyword(call, "inputs")
    if called(call) == "grad":
        return finding("returned", around, call, name=name)
    if limit is not None and not leads_to(limit, around, leaf):
        return finding("inputs", around, call, (call, without(call, "inputs", around)), name=name)
    if (found := cut_on_the_way(leaf, root, around) or remade(leaf, name, root, around)) is not None:
        return found
    if known(root, around) and not leads_to(root, around, leaf):
        return finding("no_use", around, call, name=name, loss=around.source.text(root))
    return None


def remade(leaf: Any, name: str, root: Any, context: Context) -> Finding | None:
    """Where the name of a leaf was given to another tensor, after what it stood for before was used."""
    for here, there in feeding(root, context):
        for n in (n for n in ast.walk(here) if isinstance(n, ast.Name)):
            loop = there.source.loop(n)
            for later in there.source.writes.get((there.function, n.id), []):
                each = loop is None or there.source.parents[later] is loop  # in each turn, not only in some
                if each and later.lineno > n.lineno and there.value(n) is leaf:
                    return finding("remade", there, later, name=name)
    return None


def known(node: Any, context: Context) -> bool:
    """Whether all calls behind an expression are of what can be read, or of what hides no tensor of the learner's."""
    for here, around in feeding(node, context):
        for n in ast.walk(here):
            value, up = around.value(n), around.source.parents.get(n)
            if isinstance(n, ast.Call):
                seen = around.callee(n.func) is not None or hasattr(builtins, getattr(n.func, "id", ""))
                if not seen and not hasattr(TensorBase._plain, getattr(n.func, "attr", "")):
                    return False
            elif isinstance(n, ast.Name) and up and getattr(up, "func", None) is not n and not [*around.behind(n)] and (
                    value is None or getattr(value, "_fn", None) is not None):
                return False  # a result, or what is gone, that nothing tells the origin of
    return True


def not_run(name: str, scalar: bool, context: Context, use: Any) -> Finding | None:
    """Where backward of a result should be called: where it was made."""
    for value, around in context.made(name, use):
        statement = around.source.statement(value)
        if isinstance(statement, ast.Assign):
            new = f"{around.source.text(statement)}; {name}{'' if scalar else '.sum()'}.backward()"
            return finding("not_run", around, statement, (statement, new), name=name)
    return None


# ---- a constant


def untracked(node: Any, context: Context) -> Finding | None:
    """Why nothing was recorded of an expression: what cut it, a block, or no input that asks for a gradient."""
    if (found := cut_on_the_way(None, node, context)) is not None:
        return found
    makers: list[tuple[Any, Context]] = []
    seen: list[Any] = []  # tensors
    for here, around in feeding(node, context):
        seen += tensors_in(here, around)
        for part in (n for n in ast.walk(here) if isinstance(n, ast.Call) and around.definition(n) is None):
            if called(part) == "grad" and keyword(part, "create_graph") is None:
                return finding("grad_only", around, part, with_keyword(part, "create_graph=True", around))
            home = getattr(around.callee(part.func), "__module__", None) or "minigrad"  # `np.ones` has no gradient
            plain = called(part) in FACTORIES and not (called(part) == "tensor" and computed(part))
            if plain and keyword(part, "requires_grad") is None and home.startswith("minigrad"):
                makers.append((part, around))
    late = any(t.requires_grad for t in seen)
    if not late and any(type(t).__name__ == "Parameter" for t in seen):
        return switched_off(ast.unparse(node), context)
    return no_leaf(makers, context, late)


def switched_off(name: str, context: Context) -> Finding | None:
    """Where recording was switched off for a parameter, or was not switched on again by a flag of another name."""
    return by_rule("program:", None, context) or by_rule(f"off: {name}", None, context)


def no_leaf(makers: list[tuple[Any, Context]], context: Context, late: bool = False) -> Finding | None:
    """Nothing that was used asks for a gradient: the tensor whose `.grad` the program reads should, or the only one.

    `late`: now there is one, which did not when it was used.
    """
    asked = {ast.unparse(n.value) for n in context.source.parents if isinstance(n, ast.Attribute) and n.attr == "grad"}
    asked |= {ast.unparse(a) for n in context.source.calls if called(n) in ("SGD", "Adam", "grad", "why")
              for arg in n.args for a in getattr(arg, "elts", [arg])}
    made = [(call, around, ast.unparse(t)) for call, around in makers
            for t in getattr(around.source.statement(call), "targets", ()) if not late or asking(t, around)]
    for call, around, _ in (wanted := [m for m in made if m[2] in asked] or made)[:1]:
        if len(wanted) == 1 and (found := by_rule("program:", call, around)) is not None:
            return found
        change = [with_keyword(call, "requires_grad=True", around)] if len({id(m[0]) for m in wanted}) == 1 else []
        names = ", ".join(dict.fromkeys(m[2] for m in made))
        return finding("late_flag" if late else "no_leaf", around, call, *change, names=names)
    return None


def no_flag(node: Any, context: Context) -> Finding | None:
    """Where what should have a gradient was made, and does not ask for one."""
    for value, around in context.made(ast.unparse(node), node):
        if asking(value, around):  # then it was cut off
            return untracked(value, around)
        flag = with_keyword(value, "requires_grad=True", around) if called(value) in FACTORIES else (
            value, f"{around.source.grouped(value)}.requires_grad_()")
        return finding("no_flag", around, value, flag, name=ast.unparse(node))
    return None


def constant(t: Any, name: str, made: list[tuple[Any, Context]]) -> Finding | None:
    """Why nothing is tracked of a constant: the very place where it was cut off, or what stands behind it."""
    for place in list(ledger.places.values()):
        if place.result() is t and (at := expression(place.code, place.lasti)) is not None:
            source = source_of(place.code)
            meant = ast.unparse(receiver(at)) in written(source.statement(at))  # `h = h.detach()`
            return cut(place, at, Context(source, source.function(at)), not meant)
    if not t.is_floating_point():
        return first(by_rule(f"integers: {name} {t.dtype}", *one) for one in made)
    return first(untracked(*one) for one in made)


# ---- a result that keeps no gradient


def not_a_leaf(t: Any, name: str, made: list[tuple[Any, Context]], loss: bool = False) -> Finding | None:
    """A tensor that is a result: a parameter that was made in two steps, or updated out of place, or a value.

    `loss`: backward began there, perhaps; then nobody misses its gradient.
    """
    leaves = FACTORIES | {"Parameter"}  # how they are made
    for value, around in ((value, around) for value, around in made if called(value) not in leaves):
        source = around.source
        statement, text = source.statement(value), source.text(value)
        for call in (n for n in ast.walk(value) if isinstance(n, ast.Call) and called(n) in leaves):
            if keyword(call, "requires_grad") is not None:
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
    for each in (n for n in ast.walk(value) if isinstance(n, ast.BinOp)):
        own = ast.unparse(each.left)
        if f"{own}.grad" in names_in(each.right):  # `name`, or one of several
            change: tuple[Any, str] = each, f"({text(each)}).detach().requires_grad_()"
            sign = {ast.Sub: "-", ast.Add: "+"}.get(type(each.op))
            if sign and own == name and each is value and isinstance(statement, ast.Assign):
                change = statement, f"with torch.no_grad(): {name} {sign}= {text(each.right)}"
            return finding("new_name", context, value, change, name=name)
    return None
