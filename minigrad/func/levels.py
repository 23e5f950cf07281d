"""Levels: what lies between an operation and its arrays while forward mode or vmap is under way.

A level is entered on top of the others, and an operation meets the innermost first, by the one way that a
mode gives: `intercept`. Its `run` asks the operation again, of the levels beneath it and at last of the
engine's own mode, which records; so forward mode over reverse, reverse over forward, and any of them mapped,
need nothing but their order. What a level knows of a tensor hangs on the tensor: see `known`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from ..core.beside.saved import is_result, modified, rebuilt
from ..core.graph import TensorBase, Withheld, constant
from ..core.modes import lifted, mode_variable
from ..text import table

KINDS = {kind: {*names.split()} for kind, names in table("names")["rows"].items()}
NOTHING: dict = {}
KNOWN = "_known"  # where a tensor keeps what levels know of it
ENDED = "_ended"  # marks the inputs of a transform that is over


def known(t: Any) -> dict[Level, Any]:
    """Level -> what it knows of `t`: a tangent or None; `(batch, True)` or `(t, False)`: see `tangents`, `batches`."""
    return t.__dict__.get(KNOWN, NOTHING)


def tell(level: Level, t: Any, fact: Any) -> None:
    """Let `level` know `fact` of `t`."""
    vars(t).setdefault(KNOWN, {})[level] = fact
    if level.met is not None:
        level.met.append(ref(t))


class Lifted:
    """A grad mode with levels above it; true where the mode beneath them records."""

    __slots__ = ("base", "level")

    def __init__(self, level: Level, base: Any) -> None:
        self.level, self.base = level, base

    def __bool__(self) -> bool:
        return bool(self.base)

    def intercept(self, call: Callable, args: tuple) -> Any:
        level, given = self.level, tensors_of(args)
        met = call.row.name in level.own  # type: ignore[attr-defined]
        for t in given:
            met = met or level in known(t) or level.holds(t)  # known to have no tangent, too
        outer, base = level.outer, self.base
        tokens = lifted.set(outer), mode_variable.set(base if outer is None else Lifted(outer, base))
        try:  # as `with mode(outer, base)`, in half the time
            return level.run(call, args, given, base) if met else call(*args)
        finally:
            mode_variable.reset(tokens[1])
            lifted.reset(tokens[0])

    def custom(self, function: Any, args: tuple, kwargs: dict) -> Any:
        """A custom Function, called with these arguments."""
        level = self.level
        with mode(level.outer, self.base):
            held = any(map(level.holds, tensors_of(args)))
            return level.custom(function, args, kwargs) if held else function.apply(*args, **kwargs)

    def recorded(self, node: Any, output: Any) -> None:
        """Observers stand beneath the levels and have seen it."""


class mode:
    """Inside, `level` is the innermost, over the grad mode `base`; entered once or more for each operation."""

    __slots__ = ("base", "level", "tokens")

    def __init__(self, level: Level | None, base: Any) -> None:
        self.level, self.base = level, base

    def __enter__(self) -> None:
        level, base = self.level, self.base
        self.tokens = lifted.set(level), mode_variable.set(base if level is None else Lifted(level, base))

    def __exit__(self, *exc: object) -> None:
        mode_variable.reset(self.tokens[1])
        lifted.reset(self.tokens[0])


def entered(level: Level | None) -> Any:
    """Inside, `level` is the innermost, over the grad mode of now."""
    now = mode_variable.get()
    return mode(level, now.base if isinstance(now, Lifted) else now)


def cut(t: Any) -> Any:
    """`t` without history, known as ever; what levels know of it loses its history too."""
    if t is None or not (t.requires_grad or known(t)):
        return t
    twin = constant(t.__class__, t._data, t._shared_counter())
    for level, fact in known(t).items():
        tell(level, twin, (cut(fact[0]), fact[1]) if isinstance(fact, tuple) else cut(fact))
    return twin


class Level:
    """One level. A subclass does something of its own with operations, Functions, writes, new tensors and chance."""

    run: Any  # `(call, args, given, base)`: an operation; of the tensors `given` it knows something
    custom: Any  # `(function, args, kwargs)`: a Function
    own: Any = ()  # the rows that it runs also where it knows nothing of any operand
    met: list | None = None  # the tensors that it knows something of, held weakly, where they must not outlive it

    def __init__(self) -> None:
        self.outer: Level | None = lifted.get()

    def over(self, base: Any) -> Lifted:
        return Lifted(self, base)

    def beneath(self) -> Any:
        """Inside, the levels beneath this one are at work, in the grad mode of now."""
        return entered(self.outer)

    def holds(self, t: Any) -> bool:
        """Whether this level knows something of a tensor."""
        return self in known(t)

    def suffix(self, t: Any) -> list[str]:
        """What is printed behind the numbers of `t`."""
        return []

    def inward(self) -> list[Level]:
        """This level and those beneath it, the innermost first."""
        return [self, *(self.outer.inward() if self.outer else ())]

    def written(self, t: Any, out: Any) -> None:
        """`t` is about to become `out`, at this level and those beneath it."""
        if self.outer is not None:
            with self.beneath():
                self.outer.written(t, out)

    def carry(self, source: Any, t: Any, later: bool = False) -> Any:
        """Let `t` be known as `source` is, also for what is found out `later`; returns `t`."""
        if later or KNOWN in vars(source):
            facts = vars(source).setdefault(KNOWN, {})
            vars(t)[KNOWN] = facts if later else dict(facts)
            t.__class__ = source.__class__ if source.__class__.__base__ is t.__class__ else t.__class__
        return t

    def stand_in(self, source: Any, t: Any) -> Any:
        """Let `t` stand for `source`, which is about to be written."""
        return self.carry(source, t) if self.outer is None else self.outer.stand_in(source, t)

    def like(self, source: Any, t: Any) -> Any:
        """A new tensor that was asked for as one like `source`."""
        return t if self.outer is None else self.outer.like(source, t)

    def draw(self, make: Callable, sizes: tuple) -> Any:
        """Random numbers, made by `make(sizes)`."""
        return make(sizes) if self.outer is None else self.outer.draw(make, sizes)

    def numbers(self, t: Any) -> Any:
        """The array behind `t`: that of its whole batch, where it is one of many."""
        batch = next((fact[0] for fact in known(t).values() if isinstance(fact, tuple)), None)
        return t._data if batch is None else self.numbers(batch)

    def kept(self, t: Any) -> Any:
        """What is saved of a result."""
        return Kept(t) if KNOWN in vars(t) else t._data

    cut = staticmethod(cut)


def tensors_of(args: Any) -> list:
    """The tensors among arguments, also those in lists and tuples."""
    found = []
    for arg in args:
        if isinstance(arg, TensorBase):
            found.append(arg)
        elif arg.__class__ is tuple or arg.__class__ is list:
            found += tensors_of(arg)
    return found


class Kept(Withheld):
    """A saved result of which levels know something, which its array alone would not say."""

    __slots__ = ("counter", "data", "facts", "like", "version")

    def __init__(self, t: Any) -> None:
        self.like, self.facts, self.data, self.counter = t.__class__, vars(t)[KNOWN], t._data, t._shared_counter()
        self.version = self.counter[0]

    def unpack(self, node: Any, name: str) -> Any:
        """Raises: RuntimeError if it was written since."""
        t = rebuilt(node.row, node, name, self.data, self.counter)
        if self.counter[0] != self.version:
            raise modified(node, name, t, self.counter[0], self.version)
        t.__class__, vars(t)[KNOWN] = self.like, self.facts
        return t


def keep(node: Any, results: tuple) -> None:
    """Let the node that has saved `results` know what levels know of them."""
    row = None if node is None else node.row
    for name in [] if row is None else [name for name in row.saved if is_result(row, name)]:
        t = results[row.outputs.index(name) if name in row.outputs else 0]
        if KNOWN in vars(t):
            setattr(node, f"saved_{name}", Kept(t))
