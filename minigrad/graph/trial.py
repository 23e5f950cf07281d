"""Trying things out without leaving a trace: a knob for somebody's function, rounds of somebody's training."""

from __future__ import annotations

import copy
import dis
import inspect
from collections.abc import Callable
from typing import Any

from ..array import random
from ..array.backend import xp
from ..core.graph import TensorBase, constant, seqs
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


def node_number() -> int:
    """The number that the next node would have had."""
    return next(seqs)


def in_double(f: Callable[..., Any], *args: Any) -> bool:
    """Whether `f` takes knobs in double precision, as a measurement would like."""
    try:
        f(*(knob(value, like) for value, like in args))
    except (RuntimeError, TypeError, ValueError):
        return False
    return True


# ---- rounds of training


def rounds_of(round: Callable[..., Any], parameters: dict[str, AnyTensor], count: int,
              switches: dict[str, bool]) -> list[dict[str, Any]]:
    """Call `round(**switches)` again and again, note what each round leaves, and put everything back.

    Copies of the parameters stand under the names, or in the cells, where `round` finds them; if it takes them as
    arguments they are handed over. Those that a module or an optimizer holds are used themselves. Their numbers,
    the optimizer's state, random numbers and what `round` writes into its globals are put back. A row has
    "round", "loss", "nodes" (behind the loss), and for each parameter its value, `w.grad` as backward left it, and
    `w.is_leaf`; numbers of a tensor with many are their norms. The last row has "error", if there was one.
    """
    scope, closure = getattr(round, "__globals__", {}), getattr(round, "__closure__", None) or ()
    wanted = [p for p in inspect.signature(round).parameters.values() if p.default is p.empty]
    around = [*scope.values(), *(cell.cell_contents for cell in closure)]
    optimizers = [one for one in around if hasattr(type(one), "zero_grad") and hasattr(type(one), "step")]
    held = {id(p) for one in optimizers for group in one.param_groups for p in group["params"]}
    held |= {id(p) for one in around if hasattr(type(one), "named_parameters") for p in one.parameters()}
    cells = [(cell, name) for cell in closure for name, t in parameters.items()
             if cell.cell_contents is t and id(t) not in held]
    places = [(key, name) for key, value in scope.items() for name, t in parameters.items()
              if value is t and key[0] != "_" and id(t) not in held]
    copied = {*parameters} if wanted else {name for _, name in cells + places}
    now = {name: t.detach().clone().requires_grad_() if name in copied else t for name, t in parameters.items()}
    kept = [(t, t.detach().clone(), t.grad) for name, t in now.items() if name not in copied]
    stored = {i.argval for i in dis.get_instructions(round) if i.opname == "STORE_GLOBAL"} if scope else set()
    before, state = {key: scope[key] for key in {*stored, *dict(places)} if key in scope}, random.get_state()
    contents = [(cell, cell.cell_contents) for cell in closure]
    states = [(one, copy.deepcopy(one.state_dict())) for one in optimizers]
    seen: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    try:
        for t, _, _ in kept:
            t.grad = None
        scope.update({key: now[name] for key, name in places})
        for cell, name in cells:
            cell.cell_contents = now[name]
        for nr in range(1, count + 1):
            seen.clear()
            handles = [t.register_post_accumulate_grad_hook(lambda t, name=name: seen.update({name: size(t.grad)}))
                       for name, t in now.items() if t.is_leaf and t.requires_grad]
            try:
                result = round(*(list(now.values()) if wanted else ()), **switches)
            except Exception as error:  # that is what a bug may look like
                rows.append({"round": nr, "error": f"{type(error).__name__}: {str(error).partition('. ')[0]}"})
                break
            finally:
                for handle in handles:
                    handle.remove()
            loss, *others = result if isinstance(result, tuple) else (result,)
            now |= {name: scope[key] for key, name in places} | {name: cell.cell_contents for cell, name in cells}
            now |= dict(zip(now, others, strict=False))
            row = {"round": nr, "loss": size(loss),
                   "nodes": len(nodes_below(loss)) if hasattr(loss, "grad_fn") else None}
            for name, t in now.items():
                row |= {name: size(t), f"{name}.grad": seen.get(name), f"{name}.is_leaf": t.is_leaf}
            rows.append(row)
    finally:
        for key in stored - before.keys():
            scope.pop(key, None)
        scope.update(before)
        for cell, value in contents:
            cell.cell_contents = value
        for t, value, grad in kept:
            t.detach().copy_(value)
            t.grad = grad
        for one, old in states:
            one.load_state_dict(old)
        random.set_state(state)
    return rows


def size(value: Any) -> float | None:
    """A number, or the norm of many."""
    if value is None or isinstance(value, int | float):
        return value
    value = value.detach()
    return float(value if value.numel() == 1 else (value.double() ** 2).sum() ** 0.5)


def nodes_below(t: AnyTensor) -> list[Any]:
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
