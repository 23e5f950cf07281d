"""Forward mode: a tangent beside each number, pushed through every operation as it is computed.

The tangent of a result is read off the row of the operation. A linear row sends tangents as it sends
numbers; where the Jacobian is its own transpose (all that is pointwise), the row's derivative is asked, with
the tangent in place of the gradient; a product is linear in each factor. For all other rows backward runs twice:
the gradient that an operation sends is linear in the one that it receives, and that map, transposed, is the tangent's.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

from ..array.backend import xp
from ..core.backward import grad
from ..core.carriers import RAW, TENSORS
from ..core.engine import fit
from ..core.graph import TensorBase, constant, node_of
from ..core.modes import Mode, is_grad_enabled
from ..core.row import TABLE, Row, fact_of, parameters
from ..core.writes.views import is_dense, place_of
from ..text.presentation import need
from .levels import ENDED, KINDS, Level, keep, known, tell, tensors_of

LINEAR, PRODUCTS = KINDS["linear"], KINDS["products"]
BESIDE_A_PRODUCT = {**dict.fromkeys("addmm addmv addr baddbmm addbmm".split(), "self"), "convolution": "bias"}

ITS_OWN_TRANSPOSE = {*"softmax index_fill scatter_value copy add_scalar sub_scalar".split()} | {
    name for name, row in TABLE.items() if row.chapter in ("pointwise", "activation")
} - {*"masked_fill_tensor softmax safe_softmax log_softmax glu".split()}


class Forward(Level):
    """A level of forward mode: of some tensors it knows the tangent."""

    def holds(self, t: Any) -> bool:
        facts = known(t)
        return facts[self] is not None if self in facts else t._view is not None and self.holds(t._view.base)

    def tangent(self, t: Any) -> Any:
        """The tangent of `t`, or None; that of a view may lie in its base's, after a write."""
        if self in known(t) or not self.holds(t):
            return known(t).get(self)
        return seen_as(self.tangent(t._view.base), t._view.base, place_of(t))

    def stand_in(self, source: Any, t: Any) -> Any:
        """Also for a view, whose tangent lies in its base's."""
        super().stand_in(source, t)
        with self.beneath():
            if self.holds(source):
                tell(self, t, self.tangent(source))
        return t

    def push(self, t: Any, tangent: Any) -> None:
        """Let `tangent` be that of `t`, laid out as it is, for views of the one are views of the other.

        Raises: RuntimeError for another shape.
        """
        if tangent is None:
            return tell(self, t, None)  # a view of what `unpacked` cut off is cut off, too
        sizes, given = list(t._data.shape), list(tangent._data.shape)
        need(sizes == given, "forward_size", sizes, given)
        if t.stride() != tangent.stride() and is_dense(t._data):
            tangent = TENSORS.copy(constant(t._plain, RAW.zeros_like(t._array(), tangent._data.dtype)), tangent)
        tell(self, t, tangent)

    def unpacked(self, t: Any) -> tuple:
        """The number without tangent, and the tangent or None."""
        with self.beneath():
            primal, tangent = TENSORS.alias(t), self.tangent(t)
        tell(self, primal, None)  # though it is a view of what has one
        return primal, tangent

    def suffix(self, t: Any) -> list[str]:
        """What is printed behind the numbers of `t`."""
        with self.beneath():
            return [f"tangent={self.tangent(t)}"] if self.holds(t) else []

    def run(self, call: Callable, args: tuple, given: list, base: Any) -> Any:
        result, row = call(*args), call.row  # type: ignore[attr-defined]
        parts = result if result.__class__ is tuple else (result,)
        if result is NotImplemented or not row.derivatives or parts[0]._data.dtype.kind != "f":
            return result
        tangents = {n: [self.tangent(t) for t in v] if n == "tensors" else self.tangent(v)
                    for n, v in zip(row.inputs, args, strict=True)
                    if n in row.differentiable and isinstance(v, TensorBase | tuple | list)}
        found = pushed(row, args, parts, {n: v for n, v in tangents.items() if v is not None})
        for part, tangent in zip(parts, found or (None,) * len(parts), strict=False):
            self.push(part, tangent)
        keep(node_of(parts[0]._fn), parts)
        return result

    def written(self, t: Any, out: Any) -> None:
        super().written(t, out)
        with self.beneath():
            new, old = self.tangent(out), self.tangent(t)
            if old is None and new is not None:
                whole = t if t._view is None else t._view.base
                # as many zeros as there are examples of the new one
                tell(self, whole, self.like(new, constant(whole._plain, RAW.zeros_like(whole._array()))))
                old = self.tangent(t)
            if old is not None:
                old._edge()  # a write beside it may have given it another history
                old.zero_() if new is None else old.copy_(new)

    def custom(self, function: Any, args: tuple, kwargs: dict) -> Any:
        """A Function that has a `jvp`: it is called after `forward`, with zeros where a tensor has no tangent."""
        ctx, outputs = function._run(args, kwargs)
        zeros = TENSORS.zeros_like if ctx.materialize_grads else lambda t: None
        tangents = [None if not isinstance(t, TensorBase) or not t.is_floating_point() else
                    zeros(t) if (v := self.tangent(t)) is None else v for t in args]
        ctx.pushing = True
        found = function.jvp(ctx, *tangents)
        ctx.pushing = False
        parts, found = (v if isinstance(v, tuple) else (v,) for v in (outputs, found))
        need(len(found) == len(parts), "jvp_count", len(parts), len(found))
        for nr, (part, t) in enumerate(zip(parts, found, strict=True)):
            need(t is None or isinstance(t, TensorBase), "jvp_kind", type(t).__name__, nr)
            need(t is None or not any(part is fixed for fixed in ctx.non_differentiable), "jvp_fixed", nr)
            self.push(part, t)
        return outputs


def dual(level: Forward, t: Any, tangent: Any) -> Any:
    """A view of `t` with `tangent` beside it, at `level`. Raises: ValueError for integers."""
    for name, x in {"primal": t, "tangent": tangent}.items():
        need(x.is_floating_point(), "dual_kind", name, getattr(x, "dtype", None))
    with level.beneath():
        made = TENSORS.view(t, t._data.shape)
        level.push(made, tangent)
    return made


def pushed(row: Row, args: tuple, results: tuple, tangents: dict[str, Any]) -> tuple:
    """The tangents of the results of `row(*args)`, from those of its inputs; none where no input has one."""
    name, at = row.name, dict(zip(row.inputs, args, strict=True))

    def with_inputs(new: dict[str, Any]) -> Any:
        return row.call(*{**at, **new}.values())

    if not tangents:
        return ()
    need(row.torch_name != "torch::autograd::NotImplemented", "no_forward", name)
    if name in LINEAR:
        found = with_inputs({n: _or_zeros(tangents.get(n), at[n]) for n in row.differentiable})
        return found if found.__class__ is tuple else (found,)
    if name in PRODUCTS:
        return (_sum(with_inputs({n: t}) for n, t in tangents.items()),)
    if name in BESIDE_A_PRODUCT:
        return (_beside_a_product(row, at, tangents, BESIDE_A_PRODUCT[name], with_inputs),)
    if name == "as_strided":
        return (seen_as(tangents["self"], args[0], args[-1]),)
    if name == "constant_pad_nd":
        return (with_inputs({"self": tangents["self"], "value": 0}),)
    values = values_of(row, at, results)
    if name in ITS_OWN_TRANSPOSE:
        t, whole = _sum(derivative(row, n, values, t) for n, t in tangents.items()), results[0]
        if t.shape != whole.shape or any(t is given for given in tangents.values()):  # each result has its own
            t = t.expand(whole.shape).clone()
        return (TENSORS.cast(t, whole._data.dtype),)
    try:
        return _transposed(row, at, results, values, tangents)
    except RuntimeError as refused:  # what torch differentiates once only
        need("is not implemented" not in str(refused), "no_forward", "_cdist_forward" if name == "cdist" else name)
        raise


def seen_as(tangent: Any, t: Any, place: tuple) -> Any:
    """The part of the tangent of `t` that lies as `place` lies in the storage of `t`."""
    size, stride, offset = place
    return tangent.as_strided(size, stride, offset - place_of(t)[2] + place_of(tangent)[2])


def _transposed(row: Row, at: dict, results: tuple, values: dict, tangents: dict[str, Any]) -> tuple:
    """Backward twice: from gradients `u` of the results, whatever they are, to those of the inputs, and back to `u`."""
    parts = results if row.multi else results[:1]
    recorded = any(t.requires_grad for t in tensors_of((*at.values(), *tangents.values()))) and is_grad_enabled()
    with Mode():
        us = [ones_like(part).requires_grad_() if part._data.dtype.kind == "f" else None for part in parts]
        slopes = {n: derivative(row, n, values, tuple(us) if row.multi else us[0]) for n in tangents}
        triples = [triple for n, g in slopes.items() for triple in (
            zip(g, tangents[n], at[n], strict=True) if n == "tensors" else [(g, tangents[n], at[n])])]
        sent = [(fit(g, (x._data.shape, x._data.dtype), TENSORS), t) for g, t, x in triples
                if g is not None and t is not None and g.requires_grad]
        wanted = [u for u in us if u is not None]
        found = grad([g for g, _ in sent], wanted, [t for _, t in sent], create_graph=recorded,
                     allow_unused=True) if sent else (None,) * len(wanted)
    for u in wanted:  # no history that ends in them leads out
        vars(u)[ENDED] = True
    rest = iter([TENSORS.zeros_like(u) if g is None else g for u, g in zip(wanted, found, strict=True)])
    return tuple([u if u is None else next(rest) for u in us])


def ones_like(t: Any) -> Any:
    return constant(t._plain, xp.ones_like(t._data))


def values_of(row: Row, at: dict[str, Any], results: tuple) -> dict[str, Any]:
    """What the formulas of a row may name: as a node would have saved it."""
    values = {**at, "result": results[0], **dict(zip(row.outputs, results, strict=False))}
    facts = {n: fact_of(n) for n in row.saved if n not in values and not n.endswith("strides")}
    return {**values, **{n: fact(at[source]) for n, (source, fact) in facts.items()}}


def derivative(row: Row, name: str, values: dict[str, Any], grad: Any) -> Any:
    """The row's derivative with respect to input `name`, on tensors."""
    formula, values = row.derivatives[name], {**values, "F": TENSORS, "grad": grad}
    return formula(*[values[p] for p in parameters(formula)])


def _beside_a_product(row: Row, at: dict, tangents: dict[str, Any], addend: str, with_inputs: Callable) -> Any:
    """An addend and a product: the addend's tangent is counted once, beside the first factor's."""
    nothing, factor = None if addend == "bias" else TENSORS.zeros_like(at[addend]), row.differentiable[1]
    terms, added = [], tangents.pop(addend, nothing)
    for n, t in tangents.items() or [(factor, TENSORS.zeros_like(at[factor]))]:
        terms.append(with_inputs({n: t, addend: added}))
        added = nothing
    return _sum(terms)


def _or_zeros(t: Any, like: Any) -> Any:
    if isinstance(like, tuple | list):
        return [_or_zeros(a, x) for a, x in zip(t, like, strict=True)]
    return t if t is not None or not isinstance(like, TensorBase) else TENSORS.zeros_like(like)


_sum = functools.partial(functools.reduce, operator.add)
