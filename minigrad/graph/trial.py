"""Trying things out without leaving a trace: a knob for somebody's function, rounds of somebody's training."""

from __future__ import annotations

import copy
import dis
import inspect
from collections.abc import Callable
from typing import Any

from ..array import random
from ..array.backend import xp
from ..core.graph import TensorBase, constant
from .snapshot import AnyTensor


def knob(value: Any, like: AnyTensor | None = None, double: bool = True) -> AnyTensor:
    """A fresh leaf with these numbers: of minigrad, or of the library and the shape of `like`."""
    if like is None:
        made: Any = constant(TensorBase._plain, xp.asarray(value, "float64" if double else "float32"))
    else:
        made = (like.detach().double() if double else like.detach()).clone()
        flat = made.view(-1)
        for i, one in enumerate(value):
            flat[i] = one
    return made.requires_grad_()


def in_double(f: Callable[..., Any], *args: Any) -> bool:
    """Whether `f` takes knobs in double precision, as a measurement would like."""
    try:
        f(*(knob(value, like) for value, like in args))
    except (RuntimeError, TypeError, ValueError):
        return False
    return True


# ---- rounds of training


class Sandbox:
    """Where a round of training runs: what it uses is looked up once, and put back as it was in the end.

    Copies of the parameters stand under the names, or in the cells, where `round` finds them; if it takes them as
    arguments they are handed over. Those that a module or an optimizer holds are used themselves.
    """

    def __init__(self, round: Callable[..., Any], parameters: dict[str, AnyTensor]) -> None:
        self.scope, cells = getattr(round, "__globals__", {}), getattr(round, "__closure__", None) or ()
        self.contents = [(cell, cell.cell_contents) for cell in cells]
        around = [*self.scope.values(), *(value for _, value in self.contents)]
        self.optimizers = [one for one in around if hasattr(type(one), "zero_grad") and hasattr(type(one), "step")]
        self.modules = [one for one in around if hasattr(type(one), "named_parameters")]
        held = {id(p) for one in self.optimizers for group in one.param_groups for p in group["params"]}
        held |= {id(p) for one in self.modules for p in one.parameters()}
        free = {name: t for name, t in parameters.items() if id(t) not in held}
        self.cells = [(cell, name) for cell, value in self.contents for name, t in free.items() if value is t]
        self.places = [(key, name) for key, value in self.scope.items() for name, t in free.items()
                       if value is t and key[0] != "_"]
        self.handed = any(p.default is p.empty for p in inspect.signature(round).parameters.values())
        copied = {*parameters} if self.handed else {name for _, name in self.cells + self.places}
        self.now = {name: t.detach().clone().requires_grad_() if name in copied else t
                    for name, t in parameters.items()}
        used = [t for name, t in self.now.items() if name not in copied]
        used += [p for one in self.modules for p in one.parameters()]
        self.kept = [(t, t.detach().clone(), t.grad) for t in {id(t): t for t in used}.values()]
        steps = dis.get_instructions(round) if self.scope else ()
        self.stored = {i.argval for i in steps if i.opname == "STORE_GLOBAL"}

    def __enter__(self) -> Sandbox:
        kept = {*self.stored, *dict(self.places)}
        self.before, self.random = {key: self.scope[key] for key in kept if key in self.scope}, random.get_state()
        self.states = [(one, copy.deepcopy(one.state_dict())) for one in (*self.optimizers, *self.modules)]
        for t, _, _ in self.kept:
            t.grad = None
        self.scope.update({key: self.now[name] for key, name in self.places})
        for cell, name in self.cells:
            cell.cell_contents = self.now[name]
        return self

    def __exit__(self, *exc: object) -> None:
        for key in self.stored - self.before.keys():
            self.scope.pop(key, None)
        self.scope.update(self.before)
        for cell, value in self.contents:
            cell.cell_contents = value
        for t, value, grad in self.kept:
            t.detach().copy_(value)
            t.grad = grad
        for one, old in self.states:  # the buffers of modules, too
            one.load_state_dict(old)
        random.set_state(self.random)

    def follow(self, *returned: Any) -> None:
        """Find the parameters again after a round: where it left them, or what it returned for them."""
        self.now |= {name: self.scope[key] for key, name in self.places}
        self.now |= {name: cell.cell_contents for cell, name in self.cells}
        self.now |= dict(zip(self.now, returned, strict=False))


def rounds_of(round: Callable[..., Any], parameters: dict[str, AnyTensor], count: int,
              switches: dict[str, bool]) -> list[dict[str, Any]]:
    """Call `round(**switches)` again and again, note what each round leaves, and put everything back.

    What is put back: the parameters' numbers and gradients, states of optimizers and modules, random numbers, and
    what `round` writes into its globals. A row has "round", "loss", "nodes" (behind the loss), and for each
    parameter its value, `w.grad` as backward left it, and `w.is_leaf`; numbers of a tensor with many are their
    norms. The last row has "error", if there was one.
    """
    rows: list[dict[str, Any]] = []
    with Sandbox(round, parameters) as sandbox:
        for nr in range(1, count + 1):
            seen: dict[str, Any] = {}
            handles = [t.register_post_accumulate_grad_hook(lambda t, name=name, seen=seen: seen.update(
                {name: size(t.grad)})) for name, t in sandbox.now.items() if t.is_leaf and t.requires_grad]
            try:
                result = round(*(sandbox.now.values() if sandbox.handed else ()), **switches)
            except Exception as error:  # that is what a bug may look like
                return [*rows, {"round": nr, "error": f"{type(error).__name__}: {str(error).partition('. ')[0]}"}]
            finally:
                for handle in handles:
                    handle.remove()
            loss, *returned = result if isinstance(result, tuple) else (result,)
            sandbox.follow(*returned)
            row = {"round": nr, "loss": size(loss),
                   "nodes": len(nodes_behind(loss)) if hasattr(loss, "grad_fn") else None}
            for name, t in sandbox.now.items():
                row |= {name: size(t), f"{name}.grad": seen.get(name), f"{name}.is_leaf": t.is_leaf}
            rows.append(row)
    return rows


def size(value: Any) -> float | None:
    """A number, or the norm of many."""
    if value is None or isinstance(value, int | float):
        return value
    value = value.detach()
    return float(value if value.numel() == 1 else (value.double() ** 2).sum() ** 0.5)


def nodes_behind(t: AnyTensor) -> list[Any]:
    """All nodes behind a tensor, those of leaves included; of any library."""
    found: list[Any] = []
    seen, todo = set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            found.append(node)
            todo += [child for child, _ in node.next_functions]
    return found
