"""What real torch's errors and tensors bear out of the learner's program: which nodes were freed, which saved value was
written over, and by which line; where a value was cut off.

torch notes no line. So a line is named where the program says what may have happened there, and the values that are
alive say that it has. Nothing is unpacked that a hook of the learner's, or a checkpoint, would have to make again.
"""

import ast
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .cuts import root_of
from .findings import cutting, going_on, keyword, names_in, receiver
from .live import inner, is_module, is_tensor, nodes_behind, of_torch, parameters
from .program import Context, begins, called, feeding, gives, own_locals, read_in, written
from .snapshot import AnyNode, AnyTensor
from .tracebacks import places


class Spent(set[AnyNode]):
    """Nodes of torch through which a backward could not go; called by the first of them that it came to."""

    code, lasti, frees = None, 0, ()

    def __str__(self) -> str:
        return str(max(self, key=lambda node: node._sequence_nr()).name()).rpartition("::")[2]

    def behind(self, value: Any) -> bool:
        """Whether a tensor, or one in a list, was computed with one of them."""
        several = [t for t in [value, *inner(value)] if of_torch(t)]
        return any(node in self for node in nodes_behind(*several))


def told_by(error: BaseException) -> tuple[str, dict[str, Any]]:
    """The key of an error of torch's that is about a graph, and the facts of it."""
    text = str(error).partition(" Hint")[0]
    if "does not require grad and does not have a grad_fn" in text:
        return "no_graph", {}
    words = {"through the graph a second time": "freed", "an inplace operation:": "modified"}
    key = next((key for word, key in words.items() if word in text), "")
    frames = (place.tb_frame for place in places(error.__traceback__ if key else None))
    roots = [t for f in frames if f.f_code.co_name == "_engine_run_backward" for t in own_locals(f)["t_outputs"]]
    spent = Spent(n for n in nodes_behind(*roots) if any(told.partition(" Hint")[0] == text for _, told in refused(n)))
    return (key, {"node": spent}) if spent else ("", {})


def refused(node: AnyNode) -> Iterator[tuple[str, str]]:
    """What a node of torch saved and does not give any more, and what torch says of it."""
    for field in (name for name in dir(type(node)) if name.startswith("_raw_saved_")):
        try:
            held = getattr(node, field)
            if all(one.unpack_hook is None for one in (held if isinstance(held, list | tuple) else [held])):
                getattr(node, "saved_tensors" if field == "_raw_saved_tensors" else field[4:])
        except RuntimeError as error:
            yield field, str(error)


# ---- a graph that is gone


def before(call: Any, context: Context, spent: Spent) -> tuple[Any, Context, Spent, set[int]] | None:
    """The call of backward that ran before one and freed some nodes: it stands above, or in a function that is called
    there, or in another cell, and what it starts from, as it is there now, leads to them. With the ids of what a
    `step()` has changed since."""
    def own(there: Context) -> list[Any]:
        return sorted((n for n in there.source.calls if there.source.function(n) is there.function), key=begins)

    def between(there: Context, n: Any, p: Any, w: Any) -> bool:  # p: where that is in the context
        return begins(w) > begins(n) if w not in context.source.parents or context.source.function(w) is not (
            context.function) else begins(w) < begins(call) and (p is None or begins(w) > begins(p))

    mine = [p for p in own(context)[::-1] if begins(p) < begins(call)]
    ways = [(n, there, p) for p in mine for there in (context, context.definition(p)) if there is not None
            for n in ([p] if there is context else own(there)[::-1])]
    cells = (Context(cell, names=context.names) for cell in context.cells(every=True) if cell is not context.source)
    for n, there, p in [*ways, *((n, cell, None) for cell in cells for n in own(cell)[::-1])]:
        kept = (getattr(keyword(n, word), "value", keyword(n, word)) for word in ("retain_graph", "create_graph"))
        apart = {*there.source.above(n), *context.source.above(p)} - {*context.source.above(call)}
        if called(n) not in ("backward", "grad") or any(kept) or any(isinstance(up, ast.If | ast.Try) for up in apart):
            continue
        anew = {name for one in (there, context) for (f, name), writes in one.source.writes.items() if f is one.function
                for w in writes if gives(w, name) and between(there, n, p, w)}
        values = (value for here, around in feeding(root_of(n), there, cutting) for part in going_on(here)
                  if is_tensor(value := around.value(part)) and ast.unparse(part) not in anew)
        if nodes := next(filter(None, (spent.intersection(nodes_behind(value)) for value in values)), None):
            steps = ((s, one) for one in (there, context) for s in own(one) if called(s) == "step")
            moved = (parameters(one.value(receiver(s))) for s, one in steps if between(there, n, p, s))
            return n, there, Spent(nodes), {id(t) for several in moved for t in several}
    return None


def crosses(name: str, held: Any, writes: list[Any], region: Any, context: Context) -> bool:
    """Whether what a name holds comes from before a turn of a part of the program: each of the statements that write
    it there hands on what it was, uncut; where there is none, nothing wrote into its tensors."""
    several = [t for t in [held, *inner(held)] if is_tensor(t)]
    ends = (n for n in ast.walk(region) if isinstance(n, ast.Expr | ast.For) and ".detach_(" in ast.unparse(n))
    if name in names_in(getattr(region, "iter", None)) or any(name in names_in(getattr(n, "iter", n)) for n in ends):
        return False
    if not writes:
        cut = isinstance(region, ast.FunctionDef) and any(cutting(n) and name in names_in(n) for n in ast.walk(region))
        return not (cut or any(t._version for t in several))
    ways = [(w, *way) for w in writes for v in read_in(w, name) for way in feeding(v, context, cutting)]
    on = {w for w, here, _ in ways if not gives(w, name) or name in {ast.unparse(n) for n in going_on(here)}}
    calls = ((n, around) for _, here, around in ways for n in ast.walk(here) if isinstance(n, ast.Call))
    hidden = (inside.function for n, around in calls if name in names_in(n) for inside in around.runs(n))
    return on == {*writes} and not any(cutting(n) for f in hidden if f is not region for n in ast.walk(f))


# ---- a value that was written over


def write(call: Any, context: Context, spent: Spent) -> tuple[Any, Any, Any]:
    """The source and the expression that first wrote into what a node had saved, and the one that made that node, if it
    is known: what is there now, how often it was written and what wrote last must agree with it."""
    node = max(spent, key=lambda one: one._sequence_nr())
    field, text = next(one for one in refused(node) if "expected version" in one[1])
    now, then = map(int, re.findall(r"version (\d+)", text))
    saved = getattr(node, field).data
    whole, ways = saved if saved._base is None else saved._base, [*feeding(root_of(call), context)]
    homes = {(there.source, there.function): there for _, there in [(None, context), *ways]}
    every = [(there, at, goal, owns(goal, whole, there)) for there in homes.values() for at, goal in writes_in(there)]
    last = whole.grad_fn.name() if whole.grad_fn is not None and now - then == 1 else ""
    every = [one for one in every if one[3] is not False and (not last or alike(one[1], last, one[0]))]
    every = [one for one in every if one[3]] or every
    made = {part: there for here, there in ways for part in ast.walk(here) if isinstance(part, ast.BinOp | ast.Call)
            and alike(part, node.name(), there) and any(goal and reads(part, goal, there) for *_, goal, _ in every)}
    born = next(iter(made)) if len({begins(part)[0] for part in made}) == 1 else None
    if len({(there.source, there.function) for there, *_ in every}) != 1:
        return None, None, None
    there, loops = every[0][0], every[0][0].source.loops
    ordered = sorted((at for _, at, *_ in every), key=begins)
    if len(ordered) > 1:
        around = {*loops(call)} if there.function is context.function else set()
        turns = [at for at in ordered if {*loops(at)} - around]
        counted = turns == ordered[-1:] or (not turns and now == len(ordered))
        if called(ordered[0]) != "step" and counted:
            ordered = ordered[min(then, len(ordered) - 1):]
        elif born in there.source.parents and there.source.function(born) is there.function:
            ordered = [at for at in ordered if begins(at) > begins(born)]
        else:
            ordered = []
    return there.source, [*ordered, None][0], born


def writes_in(there: Context) -> Iterator[tuple[Any, Any]]:
    """What writes in place in a function, and into what, if that is seen: `h += 1`, `h[i] = y`, `h.relu_()`,
    `F.relu(h, inplace=True)`, a module with a layer that does so, the `step()` of an optimizer."""
    for n in (n for n in there.source.parents if there.source.function(n) is there.function):
        if isinstance(n, ast.AugAssign):
            yield n, n.target
        elif isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store):
            yield from () if isinstance(there.source.parents[n], ast.AugAssign) else [(n, n.value)]
        elif isinstance(n, ast.Call):
            made, of = there.callee(n.func), getattr(n.func, "value", None)
            owner, method = there.value(of), re.fullmatch(r"[a-z]\w*[a-z\d]_", called(n))
            own = is_module(made) and there.definition(n) is None
            layers = [*made.modules()] if own else []
            heads = (n, n.func) if not isinstance(made, type) else ()  # `nn.ReLU(inplace=True)(h)`
            told = [keyword(c, "inplace") for c in heads if isinstance(c, ast.Call)]
            asks = any(getattr(one, "value", one) for one in [*told, *(getattr(m, "inplace", None) for m in layers)])
            if hasattr(owner, "param_groups") and called(n) == "step":
                yield n, of
            elif method or asks:
                plain = of is None or isinstance(owner, ModuleType) or asks
                yield n, of if not plain else n.args[0] if n.args and not layers[1:] else None


def base(node: Any) -> Any:
    """What a part, a view, or what a method gives back, is a part of: `h` of `h[i]`, `h.view(-1)`."""
    while isinstance(node, ast.Subscript) or isinstance(getattr(node, "func", None), ast.Attribute):
        node = getattr(node, "func", node).value
    return node


def owns(goal: Any, whole: AnyTensor, there: Context) -> bool | None:
    """Whether what is written into is a tensor, or has it; None if that is not to be seen any more."""
    if goal is None:
        return None
    held, name = there.value(base(goal)), ast.unparse(base(goal))
    several = [t for t in [held, *inner(held), *parameters(held)] if of_torch(t)]
    if any(t._version == whole._version and t.untyped_storage().data_ptr() == whole.untyped_storage().data_ptr()
           for t in several):
        return True
    anew = [w for w in there.source.writes.get((there.function, name), ()) if gives(w, name)]
    gone = there.function is not None and "." not in name
    return None if held is None or len(anew) > 1 or gone else False


def alike(part: Any, name: str, there: Context) -> bool:
    """Whether an expression may be what made a node of this name, or what wrote last into what it stands for."""
    op = OPS.get(type(getattr(part, "op", part)).__name__, "-")
    if isinstance(part, ast.Call):
        module = is_module(there.callee(part.func))
        op = ".*" if module else called(part).replace("_", "") + r"\w*"
    return re.match(f"(?:{op}|IndexPut)Backward|CopySlices", name.rpartition("::")[2], re.I) is not None


OPS = {"Add": "Add", "Sub": "R?sub", "Mult": "Mul", "Div": "Div", "Pow": "Pow", "MatMult": r"\w*M[mv]|Dot"}


def reads(part: Any, goal: Any, there: Context) -> bool:
    """Whether an expression reads what is written into, or is what gave it its name; of an optimizer, what it has."""
    name, named = ast.unparse(base(goal)), isinstance(part, ast.Call) and written(there.source.statement(part))
    own = {id(p) for p in parameters(there.value(goal))}
    held = (there.value(n) for n in ast.walk(part) if isinstance(n, ast.Name | ast.Attribute))
    return name in names_in(part) or name in (named or ()) or (bool(own) and any(
        own & {id(v), *map(id, parameters(v))} for v in held))
