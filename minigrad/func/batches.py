"""vmap's level: one tensor inside a function stands for a batch of them.

What the function sees (`Batched`) has the shape of one example; the level knows the whole batch, a tensor whose
first dimension is the mapped one. An operation is run on batches, as the kind of its row says; and where its
result is to be differentiated inside, it is recorded for the one example too, so that gradients are batches again.
"""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

from .._tensor import Tensor
from ..array import ndarray, random, xp
from ..core.beside.lines import PACKAGE_FILES, recorded_backward
from ..core.carriers import TENSORS as F
from ..core.graph import TensorBase, constant, node_of
from ..core.modes import states
from ..text.presentation import need, torch_says
from .levels import Level, entered, keep, known, mode, tell
from .rules import AROUND, DRAWS, apply
from .trees import mapped

states.append(random.forbidden)  # a Ctrl-C between the two lines of a `with` may leave it behind


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told. Source: torch."""

    batch_size: int
    randomness: str


def refuser(key: str) -> Any:
    return lambda *_args, **_options: need(False, key)


class Batched(Tensor):
    """One example of a batch, as the function under vmap sees it."""

    __slots__ = ()
    __module__, __qualname__ = Tensor.__module__, Tensor.__qualname__
    item = __float__ = __int__ = __index__ = refuser("item")  # type: ignore[assignment]
    tolist = numpy = cpu = __array__ = equal = resize_ = refuser("storage")  # type: ignore[assignment]
    requires_grad_, backward = refuser("leaf"), refuser("in_vmap")  # type: ignore[assignment]
    data = property(refuser("data"))  # type: ignore[assignment]

    def __bool__(self) -> bool:
        """Formulas of the table ask, and go one way for all examples where they agree; a learner's `if` is refused."""
        level, (value, batched) = batch_of(self)
        need(sys._getframe(1).f_code.co_filename in PACKAGE_FILES, "control")
        with level.beneath():
            answers = {bool(v) for v in (value.unbind() if batched else [value])}
        need(len(answers) == 1, "control")
        return answers.pop()

    def detach(self) -> Any:
        level, (value, batched) = batch_of(self)
        with level.beneath():
            return level.wrap(value.detach(), batched)

    def __repr__(self) -> str:
        level, (value, batched) = batch_of(self)
        with level.beneath():
            inside = f"value=\n{value!r}".replace("\n", "\n    ")
        return f"BatchedTensor(lvl={len(level.inward())}, bdim={0 if batched else None}, {inside}\n)"


class Example(ndarray):
    """The numbers of one example: `plain` while an operation is recorded, and not to be looked at otherwise."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        need(False, "no_rule", ufunc.__name__)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        need(func.__name__ in ABOUT, "no_rule", func.__name__)
        return func(*plain(args), **plain(kwargs))


ABOUT = {*"may_share_memory zeros_like ones_like empty_like full_like result_type can_cast shape ndim".split()}


plain = functools.partial(mapped, lambda value: value.view(ndarray) if isinstance(value, Example) else value)


class Escaped(SimpleNamespace):
    """Stands for the numbers of an example whose vmap has ended; what they were like is known still."""

    __getattr__ = __getitem__ = __setitem__ = refuser("escaped")


def batch_of(t: Any) -> tuple[Any, tuple]:
    """The innermost level at which `t` is an example, and `(batch, True)`, or `(t itself, False)`."""
    return next((level, fact) for level, fact in reversed(known(t).items()) if isinstance(level, Batches))


class Batches(Level):
    """A level of vmap: of some tensors it knows the batch."""

    def __init__(self, size: int, randomness: str, formulas: bool = False) -> None:
        super().__init__()
        self.size, self.randomness, self.formulas = size, randomness, formulas
        self.met, self.own = [], DRAWS | AROUND if randomness == "different" else ()  # each example draws for itself

    @contextmanager
    def under_way(self) -> Iterator[Any]:
        """Inside, it is the innermost level; afterwards its examples are of no use any more."""
        token = random.forbidden.set(torch_says("random") if self.randomness == "error" else "")
        try:
            with entered(self):
                yield self
        finally:
            random.forbidden.reset(token)
            for t in [t for t in (met() for met in self.met) if t is not None]:
                t._data = Escaped(**{name: getattr(t._data, name) for name in ("shape", "size", "ndim", "dtype")})

    def wrap(self, value: Any, batched: bool = True, t: Any = None) -> Any:
        """One example of the batch `value`; or `value` itself, tracked at this level."""
        data = value._data
        if batched:
            data = data[0, ...] if self.size else xp.zeros(data.shape[1:], data.dtype)  # a view, also where it is 0-d
        t = constant(Batched, data) if t is None else t
        data = xp.asarray(data) if isinstance(data, xp.generic) else data
        t.__class__, t._data = Batched, data.view(Example) if data.__class__ is ndarray else data
        tell(self, t, (value, batched))
        return t

    def front(self, t: Any, whole: bool = False) -> Any:
        """The batch of `t`; `t` as it is, or as often as there are examples (`whole`), where it is in none.

        What is no tensor is in no batch.
        """
        if not isinstance(t, TensorBase):
            return t
        value, batched = known(t).get(self) or (t, False)
        return F.expand(value, (self.size, *value.shape)) if whole and not batched else value

    def batched(self, t: Any) -> bool:
        return isinstance(t, TensorBase) and (known(t).get(self) or (t, False))[1]

    def run(self, call: Callable, args: tuple, given: list, base: Any) -> Any:
        row = call.row  # type: ignore[attr-defined]
        in_batches = row.name in self.own or any(map(self.batched, given))
        found = apply(self, row, args, given) if in_batches else row.call(*mapped(self.front, args))
        # the short walk of a backward runs formulas of rows and nothing of a learner's
        base = base and not (self.formulas and recorded_backward.get() is not None)
        if found is NotImplemented or not (base or found.__class__ in (tuple, list)):  # nothing is recorded
            return found if found is NotImplemented else self.wrap(found, in_batches)
        parts = tuple(found) if found.__class__ in (tuple, list) else (found,)
        seen: Any = (None,) * len(parts)
        if base and row.name not in DRAWS and (row.view or any(t.requires_grad for t in given)):
            hidden = [(t, t._data) for t in given if t._data.__class__ is Example]
            try:
                for t, data in hidden:
                    t._data = data.view(ndarray)
                with mode(None, base):
                    seen = call(*args)
            finally:
                for t, data in hidden:
                    t._data = data
        examples = seen if seen.__class__ in (tuple, list) else (seen,)
        results = tuple([self.wrap(v, in_batches, t) for v, t in zip(parts, examples, strict=True)])
        keep(node_of(results[0]._fn), results)
        return results if parts[0] is not found else results[0]

    def written(self, t: Any, out: Any) -> None:
        if not (self.holds(t) or self.batched(out)):
            return super().written(t, out)
        need(self.batched(t) or (self.holds(t) and not self.batched(out)), "inplace")
        with self.beneath():
            value, batched = known(t)[self]
            value.copy_(self.front(out, batched))

    def like(self, source: Any, t: Any) -> Any:
        with self.beneath():
            found = super().like(self.front(source), self.front(t, self.batched(source)).clone())
        return t if self.holds(t) else self.wrap(found) if self.batched(source) else found

    def draw(self, make: Callable, sizes: tuple) -> Any:
        if self.randomness != "different":
            return super().draw(make, sizes)
        with self.beneath():
            return self.wrap(super().draw(make, (self.size, *sizes)))

    def custom(self, function: Any, args: tuple, kwargs: dict) -> Any:
        """A Function: of batches, by its own `vmap` or the one that `generate_vmap_rule` asks for."""
        root, rule = function.__mro__[-2], function.vmap
        if rule is root.vmap:
            need(function.generate_vmap_rule, "no_vmap", function.__name__)
            rule = functools.partial(generated, function, root)
        forward = functools.partial(self.of_batches, rule, self.beneath())  # recorded as it would be here
        methods = {"forward": staticmethod(functools.update_wrapper(forward, function.forward))}
        twin: Any = type(function.__name__, (function,), methods)
        with entered(self):
            return twin._run(args, kwargs)[1]

    def of_batches(self, rule: Callable, beneath: mode, *args: Any) -> Any:
        """The outputs of a Function's `vmap`, as examples."""
        dims = mapped(lambda x: 0 if self.batched(x) else None, args)
        with beneath:
            outputs, out_dims = rule(VmapInfo(self.size, self.randomness), dims, *mapped(self.front, args))
            return self.examples(mapped(lambda y, d: y.movedim(d, 0) if d else y, outputs, out_dims), out_dims)

    def examples(self, batches: Any, dims: Any) -> Any:
        """An example for each tensor that has a mapped dimension, which is its first."""
        return mapped(lambda t, d: t if d is None or not isinstance(t, TensorBase) else self.wrap(t), batches, dims)


def generated(function: Any, root: Any, info: VmapInfo, dims: tuple, *args: Any) -> tuple:
    """The `vmap` of a Function with `generate_vmap_rule`: its forward and its backward, each run on examples."""

    def forward(*batches: Any) -> Any:
        with Batches(*info).under_way() as level:
            return mapped(lambda y: level.front(y, True), function.forward(*level.examples(batches, dims)))

    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        with Batches(*info).under_way() as level:
            function.setup_context(ctx, level.examples(inputs, dims), level.examples(output, 0))
            ctx.batched = tuple(0 if level.batched(t) else None for t in ctx.to_save)
            ctx.save_for_backward(*map(level.front, ctx.to_save))
            ctx.mark_non_differentiable(*map(level.front, ctx.non_differentiable))

    def backward(ctx: Any, *grads: Any) -> tuple:
        with Batches(*info).under_way() as level:
            seen = SimpleNamespace(**{**vars(ctx), "saved_tensors": level.examples(ctx.saved_tensors, ctx.batched)})
            found = (function.backward if function.vjp is root.vjp else function.vjp)(seen, *level.examples(grads, 0))
            return tuple(level.front(g, True) for g in (found if isinstance(found, tuple) else (found,)))

    methods = {f.__name__: staticmethod(f) for f in (forward, setup_context, backward)}
    made: Any = type(f"Vmapped{function.__name__}", (root,), {**methods, "generate_vmap_rule": True})
    return made.apply(*args), 0
