"""Trying things out without leaving a trace: a knob for somebody's function, rounds of somebody's training."""

import contextlib
import inspect
import io
from collections.abc import Callable
from numbers import Real
from types import CellType
from typing import Any

from ..array.backend import xp
from ..core.graph import TensorBase, constant
from .live import nodes_behind
from .restoring import Restoring
from .snapshot import AnyTensor


def knob(values: list[float], like: AnyTensor | None = None, double: bool = True) -> AnyTensor:
    """A fresh leaf with these numbers, of the library and the shape of `like`; without it one number, of minigrad."""
    like = constant(TensorBase._plain, xp.zeros((), "float32")) if like is None else like
    made = (like.detach().double() if double else like.detach()).clone().contiguous()
    for i, one in enumerate(values):
        made.view(-1)[i] = one
    return made.requires_grad_()


def tried(f: Callable[..., Any], at: AnyTensor) -> Any:
    """What `f` makes of a knob, whose `.grad` is filled; what it prints is dropped, all it reaches put back."""
    with Restoring(f), contextlib.redirect_stdout(io.StringIO()):
        y = f(at)
        if getattr(y, "requires_grad", False):
            y.backward(y.detach() * 0 + 1, inputs=[at])
        return y


def in_double(f: Callable[..., Any], *args: Any) -> bool:
    """Whether `f` takes a knob, made of `args`, in double precision, as a measurement would like."""
    with contextlib.suppress(Exception):
        tried(f, knob(*args))
        return True
    return False


# ---- rounds of training


def rounds_of(round: Callable[..., Any], parameters: dict[str, AnyTensor], count: int,
              switches: dict[str, bool]) -> list[dict[str, Any]]:
    """Call `round(**switches)` again and again, note what each round leaves, and put everything back.

    It finds the parameters under their names, or takes them as arguments and returns them behind its loss. What it
    can reach is put back, see `Restoring`. A row has "round", "loss", "nodes" (behind the loss), and for each
    parameter its value, `w.grad` as backward left it, and `w.is_leaf`; numbers of a tensor with many are their
    norms, but no loss is one. The last row has "error", if there was one.
    """
    rows: list[dict[str, Any]] = []
    scope, cells = getattr(round, "__globals__", {}), getattr(round, "__closure__", None) or ()
    handed = any(p.default is p.empty for p in inspect.signature(round).parameters.values())
    with Restoring(round, parameters) as kept, contextlib.redirect_stdout(io.StringIO()):
        places = [(key, name) for key, v in scope.items() for name, t in parameters.items() if v is t and key[0] != "_"]
        inside = [(cell, name) for cell in cells for name, t in parameters.items()
                  if cell != CellType() and cell.cell_contents is t]  # an empty one has no contents to ask for
        now = {**parameters}
        for t in (t for t in kept.tensors if t.is_leaf):
            t.grad = None
        for nr in range(1, count + 1):
            seen: dict[str, Any] = {}
            handles = [t.register_post_accumulate_grad_hook(lambda t, name=name, seen=seen: seen.update(
                {name: size(t.grad)})) for name, t in now.items() if t.is_leaf and t.requires_grad]
            try:
                result = round(*(now.values() if handed else ()), **switches)
            except Exception as error:  # that is what a bug may look like
                return [*rows, {"round": nr, "error": f"{type(error).__name__}: {str(error).partition('. ')[0]}"}]
            finally:
                for handle in handles:
                    handle.remove()
            loss, *returned = result if isinstance(result, tuple) else (result,)
            now |= {name: scope[key] for key, name in places} | {name: cell.cell_contents for cell, name in inside}
            now |= dict(zip(now, returned if handed else (), strict=False))
            row = {"round": nr, "loss": None if hasattr(loss, "numel") and loss.numel() != 1 else size(loss),
                   "nodes": len([*nodes_behind(loss)]) if hasattr(loss, "grad_fn") else None}
            for name, t in now.items():
                row |= {name: size(t), f"{name}.grad": seen.get(name), f"{name}.is_leaf": t.is_leaf}
            rows.append(row)
    return rows


def size(value: Any) -> float | None:
    """A number, or the norm of many; None for what is neither."""
    if not hasattr(value, "detach"):
        return float(value) if isinstance(value, Real) else None
    value = value.detach()
    return float(value if value.numel() == 1 else (value.double() ** 2).sum() ** 0.5)


def conceals(t: AnyTensor) -> bool:
    """Whether a checkpoint with `use_reentrant=True` is behind a tensor: what it uses, backward records."""
    return any(node.name() == "CheckpointFunctionBackward" for node in nodes_behind(t))
