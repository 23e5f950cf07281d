"""Leaves and results: why a leaf got no gradient, a result keeps none, nothing was recorded of a constant.

Here, too: which modules list a leaf, and which optimizers change it.
"""

import ast
import builtins
import re
from dataclasses import replace
from itertools import permutations
from typing import Any

from ..core.beside import ledger
from ..core.graph import TensorBase, latest
from . import program
from .cuts import asking, block_around, computed, cut, cut_on_the_way, in_hook, late, leads_to, root_of, tensors_in
from .findings import Finding, by_rule, ends, finding, first, keyword, names_in, reads_of, receiver
from .live import inner, is_module, is_tensor, nodes_of, of_torch, parameters
from .program import Context, called, expression, feeding, inside_of, is_learners, located, parts_behind, written
from .snapshot import by_key

FACTORIES = set("tensor ones zeros rand randn full arange linspace eye normal empty ones_like randn_like".split())

# ---- a leaf without a gradient


def last_backward(context: Context) -> tuple[Any, Context] | None:
    """The call of backward or grad that ran last, and where it stands."""
    call, there = located(latest.freed.code, latest.freed.lasti)
    if not isinstance(call, ast.Call) or getattr(there.function, "name", "") == "backward":  # a Function's
        return None
    home = next((up.name for up in there.source.above(call) if isinstance(up, ast.ClassDef)), None)
    selves = {id(v): v for v in context.names.values() if type(v).__name__ == home}  # the frame is gone
    own = {"self": next(iter(selves.values()))} if len(selves) == 1 else {}
    return call, there._replace(names={**context.names, **own})


def to_come(context: Context, *words: str) -> bool:
    """Whether the program goes on, below where the learner asks, or who called that, to a call of such a name; of
    backward or grad."""
    calls = (n for n in context.source.calls if called(n) in (words or ("backward", "grad")))
    return context.asks is not None and (any(context.source.function(n) is context.function and (
        program.begins(n) > program.begins(context.asks)) for n in calls) or (
            context.outer is not None and to_come(context.outer._replace(asks=context.call), *words)))


def stepped(leaf: Any) -> bool:
    """Whether an optimizer has changed a leaf, as far as is remembered: then backward has reached it."""
    return any(called(at) == "step" for at, _ in program.writers(leaf))


def reached(context: Context) -> tuple[Any, Context, set[int]]:
    """The call of backward or grad that ran last, where it stands, and the ids of the leaves behind its root."""
    call, around = last_backward(context) or (None, context)
    loss = call and around.value(root_of(call))
    return call, around, ends(loss._edge()) if isinstance(loss, TensorBase) else set()


def unreached(leaf: Any, name: str, context: Context) -> Finding | None:
    """Why the backward that ran last has not reached a leaf."""
    last = last_backward(context)
    if (last is None or called(last[0]) != "backward") and to_come(context):
        return None
    if last is None or of_torch(leaf):  # perhaps one that failed, or was left out
        tried = [(root_of(n), Context(source, source.function(n), names=context.names))
                 for source in context.sources() for n in source.calls if called(n) == "backward"]
        ends = [name for name, v in context.names.items() if isinstance(v, TensorBase) and not v.requires_grad]
        tried = tried or [one for name in ends for one in context.made(name, None)]
        held = {id(p) for o in optimizers(context).values() for p in parameters(o)}
        if of_torch(leaf):
            ways = [(*one, choices) for choices in (False, True) for one in tried if not held or id(leaf) in held]
            return first(cut_on_the_way(leaf, *way) for way in ways)
        return by_rule("program:", None, context) or first(cut_on_the_way(leaf, *one) for one in tried)
    call, around = last
    root, limit, own = root_of(call), keyword(call, "inputs"), called(call) == "grad"
    there, (*_, behind) = leads_to(root, around, leaf), reached(context)
    if limit is not None and not own and not leads_to(limit, around, leaf) and (
            id(leaf) in behind if behind else there):
        return by_rule(f"inputs: {name}", call, around)
    asked = by_rule("asked:", call, around) if own else None
    given = finding("returned", around, call, name=name) if own and latest.returned is latest.freed else None
    given = rebound([leaf], around) or given
    if called(call) not in ("backward", "grad"):  # of `jacobian(f, x)` no expression in view is the root
        return given
    named = any(t is leaf for n in call.args[1:] for t in tensors_in(n, around))  # else grad asked for others
    found = asked or (given if there and not named else None)
    lost = found or cut_on_the_way(leaf, root, around) or remade(leaf, root, around)
    if id(leaf) not in behind or getattr(lost, "key", "") not in ("cut", "block", "remade"):  # else it leads there now
        found = lost
    if found is None and known(root, around) and not there and id(leaf) not in behind:
        found = by_rule("no use:", call, around) or finding("no_use", around, call, name=name, loss=ast.unparse(root))
    return found or given or (first_order([leaf], root, around) if there else None)


def first_order(own: list[Any], root: Any, context: Context) -> Finding | None:
    """A gradient without a graph, behind an expression, of what was computed of one of these tensors."""
    found = ((n, around) for n, around in parts_behind(root, context) if called(n) == "grad"
             and any(leads_to(root_of(n), around, leaf) for leaf in own[:16]) and not parted(n, around))  # the first
    return first(by_rule("first order:", *one) for one in found)


def parted(call: Any, context: Context) -> bool:
    """Whether all that reads what a call gave names to is detached there."""
    source, names = context.source, written(context.source.statement(call))
    reads = [n for name in names for n in reads_of(name, context.function or source.tree)]
    return bool(reads) and all("detach" in map(called, source.above(n)) for n in reads)


def rebound(own: list[Any], context: Context) -> Finding | None:
    """Where a function gives the name of a tensor that it was given to what its turns make: its caller keeps the one of
    before, unless that is returned."""
    source, f = context.source, context.function
    given = [n.arg for n in ast.walk(f.args) if isinstance(n, ast.arg)] if f is not None else []
    back = {name for n in ast.walk(f or source.tree) if isinstance(n, ast.Return) for name in names_in(n.value)}
    writes = ((name, w) for name in given if name not in back for w in source.writes.get((f, name), ())
              if type(w) is ast.Assign and type(w.targets[0]) is ast.Name and late(w, source))
    return first(by_rule(f"rebound: {name}", w.value, context) for name, w in writes
                 if any(context.value(ast.Name(name, ast.Load())) is leaf for leaf in own))


def remade(leaf: Any, root: Any, context: Context) -> Finding | None:
    """Where the name of a leaf was given to another tensor, after what it stood for before was used."""
    for n, there in ((n, there) for n, there in parts_behind(root, context) if isinstance(n, ast.Name)):
        if there.function is not None and next(there.argument(n.id), None) is not None:  # it means another's
            continue
        loops = there.source.loops(n)
        writes = there.source.writes.get((there.function, n.id), [])
        for later in sorted(writes, key=program.begins)[-1:]:  # the one before may be no leaf
            each = not loops or there.source.parents[later] is loops[-1]  # in each turn, not only in some
            anew = isinstance(getattr(later, "targets", [None])[0], ast.Name)  # not only a part of what it has
            held = [value := there.value(n), *(parameters(value) if anew else ())]
            if each and program.begins(later) > program.begins(n) and any(leaf is t for t in held):
                return finding("remade", there, later, name=n.id)
    return None


def known(node: Any, context: Context) -> bool:
    """Whether all that stands behind an expression is in view, so that what is not seen there was not used."""
    return all(in_view(n, around) for n, around in parts_behind(node, context))


def in_view(n: Any, context: Context) -> bool:
    """Whether a call is of what can be read, or of what hides no tensor of the learner's; of a name, whether it means
    something here, and of a result, whether its making stands here, and not in another module."""
    if isinstance(n, ast.Call):
        return (context.callee(n.func) is not None or hasattr(builtins, getattr(n.func, "id", ""))
                or hasattr(TensorBase._plain, getattr(n.func, "attr", "")))
    value = context.value(n) if isinstance(n, ast.Name | ast.Attribute) else n
    blank = value is None and isinstance(n, ast.Name) and not hasattr(builtins, n.id)
    return not (blank or getattr(value, "grad_fn", None)) or bool([*context.made(ast.unparse(n), n)])


# ---- a constant


def untracked(node: Any, context: Context) -> Finding | None:
    """Why nothing was recorded of an expression: what cut it, a block, or no input that asks for a gradient."""
    if found := in_hook(node, context) or by_rule("untracked:", node, context) or cut_on_the_way(None, node, context):
        return found
    makers: list[tuple[Any, Context]] = []
    seen, on = list[Any](), False  # tensors; whether one was made with its flag on
    for here, around in feeding(node, context):
        seen += tensors_in(here, around)
        for part in (n for n in ast.walk(here) if isinstance(n, ast.Call) and around.definition(n) is None):
            home = getattr(around.callee(part.func), "__module__", None) or "minigrad"  # `np.ones` has no gradient
            if called(part) == "grad" and "func" not in home and keyword(part, "create_graph") is None:
                return by_rule("constant gradient", part, around)
            plain = called(part) in FACTORIES and not (called(part) == "tensor" and computed(part))
            if plain and (flag := keyword(part, "requires_grad")) is None and home.startswith("minigrad"):
                makers.append((part, around))
            on |= plain and getattr(flag, "value", None) is True
    if not (late := any(t.requires_grad for t in seen)) and (on or any(type(t).__name__ == "Parameter" for t in seen)):
        return switched_off(ast.unparse(node), context)
    return no_leaf(makers, context, late) or by_rule("whole numbers:", node, context)


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
    made = [(call, around, name) for call, around in makers for name in written(around.source.statement(call))
            if any(call in ast.walk(v) for v in program.read_in(around.source.statement(call), name))
            and (not late or (isinstance(t := around.names.get(name), TensorBase) and t.requires_grad and t.is_leaf))]
    wanted = [m for m in made if m[2] in asked] or [m for m in made if m[2].startswith("self.")] or made
    for call, around, _ in wanted[:1]:
        if len(wanted) == 1 and (found := by_rule("program:", call, around)) is not None:
            return found
        names = ", ".join(dict.fromkeys(m[2] for m in made))
        found = by_rule(f"{'late flag' if late else 'no leaf'}: {names}", call, around)
        sure = len({id(m[0]) for m in wanted}) == 1 and not getattr(around.names.get(wanted[0][2]), "_version", 0)
        return found if found is None or sure else replace(found, edit=None)
    return None


def no_flag(node: Any, context: Context) -> Finding | None:
    """Where what should have a gradient was made, and does not ask for one, or was cut off."""
    made = [*context.made(ast.unparse(node), node)]
    return first(untracked(*one) if asking(*one) else by_rule(f"no flag: {ast.unparse(node)}", *one) for one in made)


def constant(t: Any, name: str, made: list[tuple[Any, Context]]) -> Finding | None:
    """Why nothing is tracked of a constant: the very place where it was cut off, or what stands behind it."""
    for place in (p for p in list(ledger.places.values()) if p.result() is t):
        at, there = located(place.code, place.lasti)
        if at is not None:
            meant = ast.unparse(receiver(at)) in written(there.source.statement(at))  # `h = h.detach()`
            return cut(place, at, there, not meant)
    if not t.is_floating_point():
        return first(by_rule(f"integers: {name} {t.dtype}", *one) for one in made)
    found = first(projected(name, *one) or untracked(*one) for one in made)
    own = re.search(rf"\b{re.escape(name)}\.(?:detach|data)\b", (getattr(found, "line", None) or "...")[2])
    return replace(found, edit=None) if found is not None and own and of_torch(t) else found


def not_a_leaf(t: Any, name: str, made: list[tuple[Any, Context]], loss: bool = False) -> Finding | None:
    """A tensor that is a result: a parameter that was made in two steps, or updated out of place, or a value.

    `loss`: backward began there, perhaps; then nobody misses its gradient.
    """
    code, lasti = t.grad_fn.code, t.grad_fn.lasti
    if (at := expression(code, lasti)) is not None:  # of several that gave the name, the last one to do so
        own = [one for one in made if at in {*ast.walk(one[1].source.statement(one[0]))}]
        made = own or made or [located(code, lasti)]
    cleared = (re.search(r"grad\.zero_\(|\.grad = None|zero_grad\(", around.source.spelled.whole) for _, around in made)
    kind = ("loss" if loss else "result") + " anew" * (not any(cleared))
    alone = len({id(e) for n in nodes_of(t) for e in n.edges if is_tensor(e)}) < 2  # else of others, too
    return first((projected(name, *one) if alone else None) or by_rule(f"{kind}: {name}", *one) for one in made)


def projected(name: str, value: Any, context: Context) -> Finding | None:
    """A leaf's name that was given, in a loop and after its backward, to what is computed of it: clamped, wrapped."""
    source, statement = context.source, context.source.statement(value)
    writes, here = source.writes.get((context.function, name), ()), program.begins(statement)
    texts = [source.text(w) for w in writes if isinstance(w, ast.Assign) and program.begins(w) < here]
    texts += [around.source.text(v) for v, around in context.elsewhere(name)]  # another cell
    was_leaf = late(statement, source) and re.search(r"requires_grad|Parameter\(", " ".join(texts))
    return by_rule(f"projected: {name} {ast.unparse(statement)}", value, context) if was_leaf else None


# ---- who has a parameter


def named(context: Context) -> dict[str, Any]:
    """What the learner has a name for, and what their objects hold."""
    found = {name: value for name, value in context.names.items() if not name.startswith("_")}
    return found | {f"self.{name}": value for owner in found.values() if is_learners(owner)
                    for name, value in getattr(owner, "__dict__", {}).items()}


class Gone:
    """What is left of an optimizer that is no more, as one that a function made for itself: what its steps moved."""

    _stepped = True

    def __init__(self, params: list[Any]) -> None:
        self.param_groups = [{"params": params}]


def owners(context: Context) -> dict[int, Any]:
    """Who did what the diary tells, by the ids of its references; those that are no more and stepped in one line are
    one, which has what was written there of the learner's tensors."""
    found = {id(who): who() for _, who, *_ in ledger.diary}
    steps = by_key((line, id(who)) for what, who, *_, line in ledger.diary if what == "step" and who() is None)
    held = [p for v in named(context).values() if steps for p in ([v] if is_tensor(v) else parameters(v))]
    once = {id(p): p for p in held if isinstance(p, TensorBase) and not p.is_inference()}.values()
    for line, several in steps.items():
        moved = [p for p in once if line in p._shared_counter()[1:]]
        found |= dict.fromkeys(several, Gone(moved) if moved else None)
    return found


def optimizers(context: Context) -> dict[str, Any]:
    """The learner's optimizers by name, and those without one that did something."""
    found = {name: value for name, value in named(context).items() if hasattr(value, "param_groups")}
    acted = {o for o in owners(context).values() if hasattr(o, "param_groups")}
    return found | {f"<{i}>": o for i, o in enumerate(acted.difference(found.values()))}


def nn_of(module: Any) -> str:
    """What the program that wrote a module calls `torch.nn`: `nn`, `torch.nn`; "" where it has no name for it."""
    package = next(c.__module__ for c in type(module).__mro__ if c.__name__ == "Module").partition(".")[0]
    named = {getattr(v, "__name__", ""): name for name, v in type(module).__init__.__globals__.items()}
    return named.get(f"{package}.nn") or (f"{named[package]}.nn" if package in named else "")


def buffer(t: Any, context: Context) -> Finding | None:
    """Where a module that has a name registered a tensor as a buffer, or made it a plain attribute."""
    modules = [each for v in context.names.values() if hasattr(type(v), "named_buffers") for each in v.modules()]
    held = ((m, name) for m in modules for name, value in {**vars(m), **m._buffers}.items() if value is t)
    return first(by_rule(f"plain: {type(m).__name__} {name} {nn_of(m)} {t.is_floating_point()}", None, home)
                 for m, name in held if (home := inside_of(type(m).__init__)) is not None)


def unregistered(module: Any, of: Any = ()) -> Finding | None:
    """Layers in a plain list or dict, or a plain tensor that asks for a gradient: parameters that nobody lists; of
    them one with ids `of`."""
    given = {id(p) for p in module.parameters()}
    for owner, name, value in [(m, *item) for m in module.modules() for item in vars(m).items() if item[0][0] != "_"]:
        one, several = is_tensor(value), isinstance(value, list | tuple | dict)
        layers = [m for each in inner(value) for m in [each, *inner(each)] if is_module(m)]
        held = [p for m in layers for p in m.parameters()] or ([value] if one else parameters(value))
        lost = any(p.requires_grad and (p.is_leaf or one) and id(p) not in given for p in held if id(p) in of or not of)
        used = one or several or any(p.grad is not None for p in held)
        around = inside_of(type(owner).__init__) if lost and used else None
        for node, there in around.made(f"self.{name}", None) if around else ():
            asks = there is around and re.search(r"Parameter\(|requires_grad=True", ast.unparse(node))
            if one and not value.is_leaf and not asks:
                continue
            if not (one or several):  # an object: of a class that is no module
                return finding("no_module", there, node, name=f"self.{name}", kind=type(value).__name__)
            kind = ("Module" if layers else "Parameter") + ("Dict" if isinstance(value, dict) else "List" * several)
            nn = "" if any(map(inner, inner(value))) else nn_of(owner)  # a list of lists is none of layers
            keys = " keys" * (isinstance(value, dict) and {*map(type, value)} != {str})  # PyTorch takes texts alone
            return by_rule(f"unregistered{keys}: self.{name} nn.{kind} {nn}", node, there)
    return None


def missing_from(optimizer: Any, context: Context, of: Any = None) -> Finding | None:
    """A leaf of the learner's, or a module, that asks for gradients and that no optimizer has; or one with ids `of`."""
    every = optimizers(context)
    holds = {name: {id(p) for p in parameters(o)} for name, o in every.items()}
    opt = next((name for name, value in every.items() if value is optimizer), "")
    held, has = holds.get(opt, set()), set().union(*holds.values())
    twins = [name for name in every if holds[name] == held]  # itself, too
    kinds = {"Parameter", *(type(p).__name__ for p in parameters(optimizer))}  # of another it may be an input
    plain = len(kinds) > 1
    whose = {n for n, v in context.names.items() if alike(opt, n) and held & {*map(id, parameters(v))}}  # optG: of G
    ran = any(p.grad is not None or stepped(p) for p in parameters(optimizer))  # then what else was used has a gradient
    if apart(optimizer) or (not (ran or latest.freed.code) and to_come(context)):
        return None
    far = {name for cell in context.cells() for name in cell.gives}.difference(*(s.gives for s in context.sources()))
    for name, value in ((n, v) for n, v in context.names.items() if n[0] != "_" and n not in far):
        module = is_module(value)
        one = type(value).__name__ in kinds and (plain or not program.writers(value)) and not passing(name, context)
        table = isinstance(value, dict) and not ran  # as `stack_module_state` gives them
        own: list[Any] = parameters(value) if module or table else [value] * one
        left = [p for p in own if p.requires_grad and p.is_leaf and id(p) not in has and ran <= (p.grad is not None)
                and not stepped(p)]  # else another's, which is gone
        # a module whose input is what is changed, or of which nobody asked
        twin = not ran and [p.shape for p in own] == [p.shape for p in parameters(optimizer)]  # clones of its own
        beside = (module and plain and not twin and len(left) == len(own)) or (
            of is not None and not any(id(p) in of for p in left))
        for call, around in makers(opt, optimizer, context) if left and not beside else ():
            given: Any = [*call.args, keyword(call, "params")][0] if isinstance(call, ast.Call) else None
            meant = [twin for twin in twins if alike(twin, name)] or twins
            if given is None or opt != meant[-1]:  # the later one was meant for it
                continue
            part, whole = len(left) < len(own), name + ".parameters()" * module + ".values()" * table
            missed = not ran and left[0].grad is not None  # backward went there, and to nothing that it has
            lost = (made_anew(value) if module else None) or (
                unreached(parameters(optimizer)[0], opt, context) if missed else None)
            if getattr(lost, "key", "") in ("made_in_forward", "cut", "block"):  # what it has was to be reached
                return lost
            known = {id(p) for v in named(context).values() if v not in every.values() for p in parameters(v)}
            if not held & known and re.search(rf"\b{re.escape(name)}[\w.]*\.param", ast.unparse(given)):  # gone
                return finding("has_gone", around, call, name=name, count=len(held))
            # another's, one that was missed, or a part
            alone = len(twins) > 1 or missed or (part and held <= {id(p) for p in own})
            # in another function the names may mean something else
            clear = around.function in (None, context.function) and (alone or not (part or len(every) > 1))
            kind = (" alone" if alone else " too") * (clear and len(meant) == 1 and (not whose or alike(opt, name)))
            return held_still(context) or by_rule(f"missing{kind}: {name} {len(left)} {whole}", call, around)
    return None


def makers(name: str, made: Any, context: Context) -> list[tuple[Any, Context]]:
    """The call that made an object, in a function perhaps that gave it back; else what gave it its name."""
    given = [*context.made(name, None)]
    calls = (pair for one in given for pair in parts_behind(*one) if called(pair[0]) == type(made).__name__)
    return [*calls][:1] or given


def held_still(context: Context) -> Finding | None:
    """A target, or a teacher, to which the last loss leads beside what learns from it, though no optimizer changes it,
    or what it gives is only what losses compare others with.

    `alike`: their shapes are the same.
    """
    call, around, behind = reached(context)
    held = {id(p) for o in optimizers(context).values() for p in parameters(o)}
    modules = ((name, parameters(v)) for name, v in named(around).items() if is_module(v))
    own = [(name, ps, {*map(id, ps)} <= held) for name, ps in modules if behind & {*map(id, ps)}]
    pairs = ((ps, trained, f"both{' alike' * ([p.shape for p in ps] == [q.shape for q in qs])}: {a} {b}")
             for a, ps, trained in own for b, qs, _ in own if ps[0] is not qs[0])
    return next((found for ps, trained, asked in pairs if (found := by_rule(asked, root_of(call), around)) is not None
                 and (not trained or aimed_at(ps[0], root_of(call), around))), None)


def bootstrapped(root: Any, context: Context) -> Finding | None:
    """A target that is a number, or data, and what a module gives for something else, beside what it gives here, where
    gradients go into both."""
    for n, there in parts_behind(root, context):
        pair = [n.left, n.right] if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) else []
        pair = n.args[:2] if re.search("loss|crit|mse|损失", called(n)) else pair
        for goal, other in permutations(pair, 2):
            named = there.made(goal.id, goal) if isinstance(goal, ast.Name) else iter(())
            made, around = next(named, (goal, there))
            parts = [made.left, made.right] if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Add) else []
            for data, part in permutations(parts, 2):
                ours, mine = networks(part, around), networks(other, there)
                if not (asking(data, around) or networks(data, around)) and any(
                        mine.get(m, given) != given for m, given in ours.items()):
                    change = made, f"({around.source.text(made)}).detach()"
                    return finding("goal", around, made, change, c2=ast.unparse(goal))
    return None


def networks(node: Any, context: Context) -> dict[int, str]:
    """The modules behind an expression, by their ids, with what they are given; none where something is cut off."""
    found = dict[int, str]()
    for here, there in feeding(node, context):
        if block_around(here, there) or re.search(r"\.(?:detach|item|numpy)\(|\.data\b", ast.unparse(here)):
            return {}
        calls = (n for n in ast.walk(here) if isinstance(n, ast.Call))
        found |= {id(m): ast.unparse(n) for n in calls if is_module(m := there.value(n.func))}
    return found


def aimed_at(leaf: Any, root: Any, context: Context) -> bool:
    """Whether losses behind a root compare others with what a leaf leads to, and that with nothing."""
    return {1} == {i for n, there in parts_behind(root, context)
                   if re.search("loss|entropy|crit|kl_div|mse|损失", called(n))
                   for i, given in enumerate(n.args[:2]) if leads_to(given, there, leaf)}


def made_anew(module: Any) -> Finding | None:
    """A layer, or a parameter, that a module makes again in each forward: no optimizer can keep that."""
    homes = {type(m): inside_of(type(m).__init__) for m in module.modules()}
    return first(by_rule(f"anew: {kind.__name__}", None, home) for kind, home in homes.items() if home is not None)


def apart(optimizer: Any) -> bool:
    """Whether an optimizer did all that it did before the last backward, in another file, or cell: that is no training
    of its own."""
    acts = [(mark, code) for _, owner, _, mark, (code, *_) in ledger.diary if owner() is optimizer and code is not None]
    ran, (mark, code) = latest.freed, (acts or [(latest.freed, None)])[-1]
    return mark is not ran and None not in (code, ran.code) and code.co_filename != ran.code.co_filename


def passing(name: str, context: Context) -> bool:
    """Whether what has a name was made of other tensors, or anew for each backward: no optimizer can keep that."""
    made = [*context.made(name, None)]
    read = (there.names.get(each.partition(".")[0]) for node, there in made for each in program.numbers(node))
    return any(map(is_tensor, read)) or any({*there.source.loops(node)} & {*there.source.loops(n)}
                                            for node, there in made for n in there.source.calls
                                            if called(n) == "backward")


def alike(optimizer: str, module: str) -> bool:
    """Whether a part of an optimizer's name stands for a module: `optG` for `netG`, `d_opt` for `Discriminator`."""
    parts = re.split(r"_|opt(?:imi[sz]er)?|optim|(?<=[a-z])(?=[A-Z])", optimizer)
    return any((part and module.lower().startswith(part.lower())) or (part and module.endswith(part)) for part in parts)
