"""Who has a parameter: modules that list it, optimizers that change it, and the learner's lines that left it out."""

import ast
import re
from typing import Any

from ..core.beside import ledger
from .findings import Finding, finding
from .live import is_tensor
from .program import Context, called, is_learners, source_of


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


def optimizers(context: Context) -> dict[str, Any]:
    """The learner's optimizers by name, those in attributes of their objects too, and those that did something."""
    named = {name: value for name, value in context.names.items() if not name.startswith("_")}
    named |= {f"self.{name}": value for owner in [*named.values()] if is_learners(owner)
              for name, value in getattr(owner, "__dict__", {}).items()}
    found = {name: value for name, value in named.items() if hasattr(value, "param_groups")}
    acted = {o for _, owner, *_ in ledger.diary if hasattr(o := owner(), "param_groups")}
    return found | {f"<{i}>": o for i, o in enumerate(acted.difference(found.values()))}


# ---- modules


def constructor(module: Any) -> Context | None:
    """The `__init__` of a module's class, where that is the learner's."""
    code: Any = getattr(type(module).__init__, "__code__", None)
    function = code and source_of(code).definition(code)
    return Context(source_of(code), function) if function else None


def nn_of(module: Any) -> str:
    """What the program that wrote a module calls `torch.nn`: `nn`, `torch.nn`; "" where it has no name for it."""
    package = next(c.__module__ for c in type(module).__mro__ if c.__name__ == "Module").partition(".")[0]
    named = {getattr(v, "__name__", ""): name for name, v in type(module).__init__.__globals__.items()}
    return named.get(f"{package}.nn") or (f"{named[package]}.nn" if package in named else "")


def buffer(t: Any, context: Context) -> Finding | None:
    """Where a module that has a name registered a tensor as a buffer, or made it a plain attribute."""
    modules = [each for v in context.names.values() if hasattr(type(v), "named_buffers") for each in v.modules()]
    held = ((m, name) for m in modules for name, value in {**vars(m), **m._buffers}.items() if value is t)
    for m, name, around in [(m, name, around) for m, name in held if (around := constructor(m)) is not None]:
        registered = [(n, around) for n in ast.walk(around.function) if isinstance(n, ast.Call)
                      and called(n) == "register_buffer" and [*map(ast.unparse, n.args)][:1] == [repr(name)]]
        made: list[tuple[Any, Context]] = registered or [*around.made(f"self.{name}", None)]
        for at, there in made:
            given, start = (at.args[1], f"self.{name} = ") if registered else (at, "")
            change = at, f"{start}{nn_of(m)}.Parameter({there.source.text(given)})"
            return finding("buffer" if registered else "plain", there, at, *[change] * t.is_floating_point(), name=name)
    return None


def unregistered(module: Any) -> Finding | None:
    """Layers in a plain list or dict, or a plain tensor that asks for a gradient: parameters that nobody lists."""
    listed = {id(p) for p in module.parameters()}
    for owner, name, value in [(m, *item) for m in module.modules() for item in vars(m).items() if item[0][0] != "_"]:
        one, several = is_tensor(value), isinstance(value, list | tuple | dict)
        layers = [m for each in inner(value) for m in [each, *inner(each)] if hasattr(type(m), "named_parameters")]
        tensors = [p for m in layers for p in m.parameters()] or ([value] if one else parameters(value))
        lost = any(p.requires_grad and (p.is_leaf or one) and id(p) not in listed for p in tensors)
        used = one or several or any(p.grad is not None for p in tensors)
        around = constructor(owner) if lost and used else None
        for node, there in around.made(f"self.{name}", None) if around else ():
            nn, text = nn_of(owner), there.source.text(node)
            if one and not value.is_leaf and (there.function.name != "__init__" or "Parameter(" not in text):
                continue
            if not (one or several):  # an object: of a class that is no module
                return finding("no_module", there, node, name=f"self.{name}", kind=type(value).__name__)
            kind = ("Module" if layers else "Parameter") + ("Dict" if isinstance(value, dict) else "List" * several)
            new = f"{nn}.{kind}({text if several else f'{there.source.grouped(node)}.detach()'})"
            change = [(node, new)] * bool(nn and not any(map(inner, inner(value))))  # a list of lists is none of layers
            return finding("unregistered", there, node, *change, name=f"self.{name}", box=f"nn.{kind}")
    return None


# ---- optimizers


def missing_from(optimizer: Any, context: Context, of: Any = ()) -> Finding | None:
    """A leaf of the learner's, or a module, that asks for gradients and that no optimizer has; or one with ids `of`."""
    every = optimizers(context)
    holds = {name: {id(p) for p in parameters(o)} for name, o in every.items()}
    opt = next((name for name, value in every.items() if value is optimizer), "")
    held, has = holds.get(opt, set()), set().union(*holds.values())
    twins = [name for name in every if holds[name] == held]  # itself, too
    plain = any(type(p).__name__ != "Parameter" for p in parameters(optimizer))  # else it may be an input
    ran = any(p.grad is not None for p in parameters(optimizer))  # then what else was used has a gradient, too
    for name, value in context.names.items():
        module = hasattr(type(value), "named_parameters")
        own: list[Any] = parameters(value) if module else [value] if is_tensor(value) and plain else []
        left = [p for p in own if p.requires_grad and p.is_leaf and id(p) not in has and ran <= (p.grad is not None)]
        left = left if not of or any(id(p) in of for p in left) else []
        left = [] if module and plain and len(left) == len(own) else left  # its input is what is changed
        for call, around in context.made(opt, None) if left and not name.startswith("_") else ():
            given: Any = call.args[0] if isinstance(call, ast.Call) and call.args else None
            meant = [twin for twin in twins if alike(twin, name)] or twins
            if given is None or opt != meant[-1]:  # the later one was meant for it
                continue
            text, whole = around.source.text(given), f"{name}.parameters()" if module else f"[{name}]"
            if text == whole:  # of then; the module has others now
                return finding("made_since", around, call, name=name, count=len(left))
            old, part = text[1:-1].rstrip(", ") if isinstance(given, ast.List) else f"*{text}", len(left) < len(own)
            alone = len(twins) > 1 or (part and held <= {id(p) for p in own})  # another's, or a part
            new = whole if alone else f"[{old}, {f'*{whole}' if module else name}]"
            # in another function the names may mean something else
            clear = around.function in (None, context.function) and (alone or not (part or len(every) > 1))
            clear = clear and len(meant) == 1
            return finding("not_in_optimizer", around, call, *[(given, new)] * clear, name=name, count=len(left))
    return None


def alike(optimizer: str, module: str) -> bool:
    """Whether a part of an optimizer's name stands for a module: `optG` for `netG`, `d_opt` for `Discriminator`."""
    parts = re.split(r"_|opt(?:imi[sz]er)?|optim|(?<=[a-z])(?=[A-Z])", optimizer)
    return any((part and module.lower().startswith(part.lower())) or (part and module.endswith(part)) for part in parts)
