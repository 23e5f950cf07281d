"""Forward mode: a tangent beside each number, pushed through every operation as it is computed.

The tangent of a result is read off the row of the operation. A linear row sends tangents as it sends
numbers; where the Jacobian is its own transpose (all that is pointwise), the row's derivative is asked, with
the tangent in place of the gradient; a product is linear in each factor. For all other rows backward runs twice:
the gradient that an operation sends is linear in the one that it receives, and that map, transposed, is the tangent's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..array.backend import xp
from ..core.backward import grad
from ..core.carriers import RAW, TENSORS
from ..core.engine import fit
from ..core.graph import TensorBase, constant, node_of
from ..core.modes import enabled, mode_variable
from ..core.row import Row, fact_of, parameters
from ..core.writes.views import is_dense, place_of
from ..ops.checks import require
from ..ops.table import activation, pointwise
from .levels import Level, keep, known, tell

LINEAR = {*"""sum sum_dim sum_as mean mean_dim cumsum trace view reshape_alias unsafe_view t transpose permute
    unsqueeze squeeze squeeze_dim squeeze_dims expand alias select slice diagonal unfold split unsafe_split
    split_with_sizes unbind cat stack block_diag clone contiguous_copy to_copy repeat flip roll rot90 tril triu
    diagonal_copy diag_embed diagonal_scatter select_back slice_back diagonal_back unfold_back repeat_back take_part
    add_part put_part sum_to index index_back index_put gather scatter scatter_add index_select index_add index_copy
    index_fill_tensor masked_select masked_scatter masked_fill_tensor take put select_scatter slice_scatter fill_tensor
    embedding embedding_backward upsample_nearest1d upsample_nearest2d avg_pool2d two_sided reflection_pad1d
    reflection_pad2d replication_pad1d replication_pad2d mul_scalar div_scalar""".split()}
PRODUCTS = {*"mm mv dot vdot bmm linalg_cross trilinear convolution_input convolution_weight".split()}
BESIDE_A_PRODUCT = {**dict.fromkeys("addmm addmv addr baddbmm addbmm".split(), "self"), "convolution": "bias"}
ITS_OWN_TRANSPOSE = {"softmax", "index_fill", "scatter_value", "copy"} | {
    call.row.name for chapter in (pointwise, activation) for call in vars(chapter).values() if hasattr(call, "row")
} - {*"masked_fill_tensor softmax safe_softmax log_softmax glu".split()}
DIFFERENT_SIZE = ("Trying to set a forward gradient that has a different size than that of the original Tensor, this "
                  "is not supported. Tensor is of size {} while the given forward gradient is of size {}.")
NOT_WRITTEN = "Trying to use forward AD with {} that does not support it because it has not been implemented yet."


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

    def push(self, t: Any, tangent: Any) -> None:
        """Let `tangent` be that of `t`, laid out as it is, for views of the one are views of the other.

        Raises: RuntimeError for another shape.
        """
        if tangent is None:
            return
        sizes, given = list(t._data.shape), list(tangent._data.shape)
        require(sizes == given, DIFFERENT_SIZE.format(sizes, given))
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

    def run(self, call: Callable, args: tuple, base: Any) -> Any:
        result, row = call(*args), call.row  # type: ignore[attr-defined]
        many = result.__class__ is tuple
        parts = result if many else (result,)
        if result is NotImplemented or not row.derivatives or parts[0]._data.dtype.kind != "f":
            return result
        tangents = {n: v for n, v in zip(row.inputs, args, strict=True) if n in row.differentiable}
        tangents = {n: [self.tangent(t) for t in v] if n == "tensors" else self.tangent(v)
                    for n, v in tangents.items() if isinstance(v, TensorBase | tuple | list)}
        tangents = {n: v for n, v in tangents.items() if v is not None}
        if tangents:
            found = pushed(row, args, result, tangents)
            for part, tangent in zip(parts, found if many else (found,), strict=False):
                self.push(part, tangent)
            keep(node_of(parts[0]._fn), parts)
        return result

    def written(self, t: Any, out: Any) -> None:
        super().written(t, out)
        with self.beneath():
            new, old = self.tangent(out), self.tangent(t)
            if old is None and new is not None:
                whole = t if t._view is None else t._view.base
                tell(self, whole, constant(whole._plain, RAW.zeros_like(whole._array())))
                old = self.tangent(t)
            if old is not None:
                old.zero_() if new is None else old.copy_(new)
        keep(node_of(out._fn), (t,))


    def custom(self, function: Any, args: tuple, kwargs: dict) -> Any:
        """A Function that has a `jvp`: it is called after `forward`, with zeros where a tensor has no tangent."""
        ctx, outputs = function._run(args, kwargs)
        tangents = [None if not isinstance(t, TensorBase) else
                    TENSORS.zeros_like(t) if (v := self.tangent(t)) is None and ctx._materialize else v for t in args]
        ctx.pushing = True
        found = function.jvp(ctx, *tangents)
        ctx.pushing = False
        parts, found = (v if isinstance(v, tuple) else (v,) for v in (outputs, found))
        require(len(found) == len(parts), "Function's jvp returned an invalid number of forward gradients (expected "
                f"{len(parts)} but got {len(found)})")
        for nr, (part, t) in enumerate(zip(parts, found, strict=True)):
            require(t is None or isinstance(t, TensorBase), f"expected Variable or None (got {type(t).__name__}) for "
                    f"grad output {nr}.")
            self.push(part, t)
        return outputs


def dual(level: Forward, t: Any, tangent: Any) -> Any:
    """A view of `t` with `tangent` beside it, at `level`."""
    with level.beneath():
        made = TENSORS.view(t, t._data.shape)
        level.push(made, tangent)
    return made


def pushed(row: Row, args: tuple, result: Any, tangents: dict[str, Any]) -> Any:
    """The tangent of `result = row(*args)`, from those of inputs; of several results a tuple."""
    name = row.name
    if name in LINEAR:
        return row.call(*[_or_zeros(v, x) if (v := tangents.get(n)) is not None or n in row.differentiable else x
                          for n, x in zip(row.inputs, args, strict=True)])
    if name in PRODUCTS:
        return _sum(row.call(*_replaced(row, args, {n: t})) for n, t in tangents.items())
    if name in BESIDE_A_PRODUCT:
        return _beside_a_product(row, args, tangents, BESIDE_A_PRODUCT[name])
    if name == "as_strided":
        return seen_as(tangents["self"], args[0], args[-1])
    if name == "constant_pad_nd":
        return row.call(tangents["self"], args[1], 0)
    if row.torch_name == "torch::autograd::NotImplemented":
        raise NotImplementedError(NOT_WRITTEN.format(name))
    values = values_of(row, args, result)
    if name in ITS_OWN_TRANSPOSE:
        whole = result[0] if result.__class__ is tuple else result
        t = _sum(derivative(row, n, values, t) for n, t in tangents.items())
        t = t if t.shape == whole.shape else t.expand(whole.shape).clone()
        t = TENSORS.cast(t, whole._data.dtype)
        return (t,) if result.__class__ is tuple else t
    return _transposed(row, args, result, values, tangents)


def seen_as(tangent: Any, t: Any, place: tuple) -> Any:
    """The part of the tangent of `t` that lies as `place` lies in the storage of `t`."""
    size, stride, offset = place
    return tangent.as_strided(size, stride, offset - place_of(t)[2] + place_of(tangent)[2])


def _transposed(row: Row, args: tuple, result: Any, values: dict, tangents: dict[str, Any]) -> Any:
    """Backward twice: from gradients `u` of the results, whatever they are, to those of the inputs, and back to `u`."""
    parts, recorded = result if result.__class__ is tuple else (result,), bool(mode_variable.get())
    parts = parts if row.multi else parts[:1]
    token = mode_variable.set(enabled())
    try:
        us = [constant(TensorBase._plain, xp.ones_like(part._data)).requires_grad_()
              if part._data.dtype.kind == "f" else None for part in parts]
        slopes = [(derivative(row, n, values, tuple(us) if row.multi else us[0]), t) for n, t in tangents.items()]
        at = dict(zip(row.inputs, args, strict=True))
        sent = [(fit(g, (x._data.shape, x._data.dtype), TENSORS), s)
                for (g, t), n in zip(slopes, tangents, strict=True)
                for g, s, x in (zip(g, t, at[n], strict=True) if n == "tensors" else [(g, t, at[n])])
                if g is not None and s is not None and g.requires_grad]
        wanted = [u for u in us if u is not None]
        found = iter(grad([g for g, _ in sent], wanted, [t for _, t in sent], create_graph=recorded, allow_unused=True)
                     if sent else [None] * len(wanted))
    except RuntimeError as refused:
        if "is not implemented" not in str(refused):
            raise
        raise NotImplementedError(NOT_WRITTEN.format({"cdist": "_cdist_forward"}.get(row.name, row.name))) from None
    finally:
        mode_variable.reset(token)
    found = [u if u is None else TENSORS.zeros_like(u.detach()) if (t := next(found)) is None else t for u in us]
    return tuple(found) if result.__class__ is tuple else found[0]


def values_of(row: Row, args: tuple, result: Any) -> dict[str, Any]:
    """What the formulas of a row may name: as a node would have saved it."""
    at = dict(zip(row.inputs, args, strict=True))
    for name in row.saved:
        if name not in at and name != "result" and name not in row.outputs and not name.endswith("strides"):
            source, fact = fact_of(name)
            at[name] = fact(at[source])
    return {**at, "result": result, **zip_outputs(row, result)}


def zip_outputs(row: Row, result: Any) -> dict[str, Any]:
    return dict(zip(row.outputs, result, strict=False)) if row.outputs else {}


def derivative(row: Row, name: str, values: dict[str, Any], grad: Any) -> Any:
    """The row's derivative with respect to input `name`, on tensors."""
    formula = row.derivatives[name]
    return formula(*[{"F": TENSORS, "grad": grad}[p] if p in ("F", "grad") else values[p] for p in parameters(formula)])


def _replaced(row: Row, args: tuple, new: dict[str, Any]) -> list:
    return [new.get(n, x) for n, x in zip(row.inputs, args, strict=True)]


def _beside_a_product(row: Row, args: tuple, tangents: dict[str, Any], addend: str) -> Any:
    """An addend and a product: the addend's tangent is counted once, beside the first factor's."""
    at, terms = dict(zip(row.inputs, args, strict=True)), []
    factors = {n: t for n, t in tangents.items() if n != addend}
    if not factors:  # the product with nothing
        n = row.differentiable[1]
        factors = {n: TENSORS.zeros_like(at[n])}
    added = tangents.get(addend)
    for n, t in factors.items():
        nothing = None if at[addend] is None or addend == "bias" else TENSORS.zeros_like(at[addend])
        terms.append(row.call(*_replaced(row, args, {n: t, addend: nothing if added is None else added})))
        added = None
    return _sum(terms)


def _or_zeros(t: Any, like: Any) -> Any:
    if isinstance(t, list):
        return [_or_zeros(a, x) for a, x in zip(t, like, strict=True)]
    return t if t is not None or not isinstance(like, TensorBase) else TENSORS.zeros_like(like)


def _sum(terms: Any) -> Any:
    first, *others = terms
    for t in others:
        first = first + t
    return first
