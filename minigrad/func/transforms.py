"""torch.func: functions of functions. grad and vjp by the graph that a call records, jvp by a level of tangents,
vmap by a level of batches, Jacobians and Hessians by one of these under vmap.

Inputs of grad and vjp are fresh views, tracked inside; a result keeps the history that leads out of the call and
loses the rest, so that transforms nest in each other and in `requires_grad` of old.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..array.backend import xp
from ..core.backward import grad as gradients
from ..core.carriers import TENSORS as F
from ..core.graph import Node, TensorBase, node_of
from ..core.modes import Mode, functional, is_grad_enabled, lifted
from ..text.presentation import need
from .batches import Batches
from .levels import ENDED, KNOWN, cut, entered, known
from .tangents import Forward, dual, ones_like
from .trees import filled, fits, is_tree, leaves, mapped, spec


@contextmanager
def transforming() -> Iterator[None]:
    """Inside, a Function needs a `setup_context`."""
    token = functional.set(True)
    try:
        yield
    finally:
        functional.reset(token)


# ---- vmap


def vmap(func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
         chunk_size: int | None = None) -> Callable:
    """`func` of one example as a function of a batch: `in_dims` says which dimension of each input is mapped, or None.

    Raises: ValueError where inputs have no such dimension, or different sizes there; RuntimeError inside, for what
    needs to look at one example's numbers.
    """
    need(randomness in ("error", "different", "same"), "randomness", randomness)
    need(chunk_size is None or chunk_size > 0, "chunk_size", chunk_size)
    return _vmapped(func, in_dims, out_dims, randomness, chunk_size)


def _vmapped(func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error",
             chunk_size: int | None = None, formulas: bool = False) -> Callable:
    """`formulas`: nobody differentiates inside by what a backward computes there; only the batches are wanted."""
    name = getattr(func, "__name__", repr(func))

    @functools.wraps(func)
    def of_batches(*args: Any, **kwargs: Any) -> Any:
        dims = _dims_of(name, in_dims, args)
        moved = [x.movedim(d, 0) if d else x for x, d in zip(leaves(args), dims, strict=True)]
        sizes = [x.shape[0] for x, d in zip(moved, dims, strict=True) if d is not None]
        need(len({*sizes}) == 1, "sizes", sizes)

        def of_chunk(start: int, stop: int) -> Any:
            level = Batches(stop - start, randomness, formulas)
            with level.under_way(), transforming():
                inside = [x if d is None else level.wrap(x[start:stop] if chunk_size else x)
                          for x, d in zip(moved, dims, strict=True)]
                return _taken_out(level, name, func(*filled(args, inside), **kwargs), out_dims)

        step, count = chunk_size or max(sizes[0], 1), sizes[0]
        first, *more = [of_chunk(i, min(i + step, count)) for i in range(0, max(count, 1), step)]
        return mapped(lambda *parts: F.cat(parts[:-1], parts[-1]), first, *more, out_dims) if more else first

    return of_batches


def _dims_of(name: str, in_dims: Any, args: tuple) -> list:
    """The dimension of each leaf of `args` that is mapped, or None. Raises: ValueError, in torch's words."""
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    need(isinstance(in_dims, int | tuple), "in_dims_kind", start, type(in_dims))
    need(args, "no_inputs", name)
    if not fits(in_dims, args):
        need(False, "in_dims_form", start, spec(in_dims), spec(args))
    dims: list = []
    mapped(lambda _x, d: dims.append(d), args, in_dims)
    for x, d in zip(leaves(args), dims, strict=True):
        if d is not None:
            need(isinstance(d, int), "in_dim_kind", start, d)
            need(isinstance(x, TensorBase), "in_dim_of", start, d, type(x))
            need(-x.ndim <= d < x.ndim, "in_dim_range", start, d, x.ndim)
    need(any(d is not None for d in dims), "none_mapped")
    return dims


def _taken_out(level: Batches, name: str, outputs: Any, out_dims: Any) -> Any:
    """The batches of what a function returned, with the mapped dimension where `out_dims` says."""
    for y in leaves(outputs):
        need(isinstance(y, TensorBase), "out_kind", name, type(y))
    need(all(isinstance(d, int | None) for d in leaves(out_dims)), "out_dims_kind", name, out_dims)
    form = out_dims if is_tree(outputs) or not is_tree(out_dims) or spec(out_dims) != spec((0,)) else out_dims[0]
    if not fits(form, outputs):
        need(False, "out_dims_form", name, out_dims, spec(out_dims), spec(outputs))

    def out(y: Any, d: Any) -> Any:
        need(d is not None or not level.batched(y), "out_none", name)
        value = level.front(y, whole=d is not None)
        return value.movedim(0, d) if d else value

    with level.beneath():
        return mapped(out, outputs, form)


# ---- by the graph: grad, vjp


def tracked(x: Any) -> Any:
    """A view of `x` to which gradients can be asked for, inside the call of a transform."""
    need(isinstance(x, TensorBase), "transform_kind", type(x))
    t, level = F.alias(x), lifted.get()
    batches = next((one for one in level.inward() if isinstance(one, Batches)), None) if level else None
    if batches is not None and not batches.holds(t):
        facts, t = known(t), batches.wrap(t, batched=False)
        vars(t)[KNOWN] |= facts
    return t if t.requires_grad else TensorBase.requires_grad_(t)


def ended(tree: Any) -> list:
    """The inputs of a transform whose function has run: no history that ends in them `leads_out` any more."""
    mapped(lambda t: vars(t).setdefault(ENDED, True), tree)
    return leaves(tree)


def leads_out(tensors: list) -> bool:
    """Whether a history leads to what is differentiated outside, and not to inputs that have `ended` alone."""
    edges, seen = [t._edge() for t in tensors if t.requires_grad], set()
    for edge in edges:  # grows while it is read
        node = node_of(edge)
        if isinstance(node, Node) and node not in seen:
            seen.add(node)
            edges += getattr(node, "paths", None) or node.edges  # past what is folded
        elif not isinstance(node, Node | None) and ENDED not in vars(node):
            return True
    facts = [v[0] if isinstance(v, tuple) else v for t in tensors for v in known(t).values() if v is not None]
    return bool(facts) and leads_out(facts)


def outside(tree: Any, on: bool) -> Any:
    """Tensors as they leave a transform, without the history that belongs to it alone."""
    return mapped(lambda t: t if not isinstance(t, TensorBase) or (on and leads_out([t])) else cut(t), tree)


def pulled(outputs: list, inputs: list, weights: list, on: bool, keep: bool = True) -> list:
    """Gradients of `inputs`, zeros for those that the outputs do not depend on."""
    live = [(y, w) for y, w in zip(outputs, weights, strict=True) if y.requires_grad]
    if not live:
        return [*map(F.zeros_like, inputs)]
    out = leads_out([*outputs, *weights])
    found = gradients([y for y, _ in live], inputs, [w for _, w in live], retain_graph=keep or out, allow_unused=True,
                      create_graph=on and out)
    return [F.zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def chosen(argnums: Any, args: tuple) -> Any:
    """The arguments that are differentiated: one, or a tuple. Raises: RuntimeError, in torch's words."""
    need(isinstance(argnums, int | tuple), "argnums_kind", type(argnums))
    for n in argnums if isinstance(argnums, tuple) else (argnums,):
        need(-len(args) <= n < len(args), "argnum", n, len(args))
    if isinstance(argnums, int):
        return args[argnums]
    numbers = tuple(n % len(args) for n in argnums)
    need(len({*numbers}) == len(numbers), "argnums_unique", numbers)
    return tuple(args[n] for n in numbers)


def of_chosen(func: Callable, argnums: Any, args: tuple, kwargs: dict) -> Callable:
    """`func` as a function of the chosen arguments alone."""
    def with_others(new: Any) -> Any:
        given = list(args)
        for n, value in zip(argnums, new, strict=True) if isinstance(argnums, tuple) else [(argnums, new)]:
            given[n] = value
        return func(*given, **kwargs)

    return with_others


def parted(outputs: Any, has_aux: bool, who: str) -> tuple:
    """What is differentiated of the outputs, and what only comes along."""
    need(not has_aux or (isinstance(outputs, tuple) and len(outputs) == 2), "aux", who)
    return outputs if has_aux else (outputs, None)


def tensors_only(outputs: Any, who: str) -> list:
    for y in leaves(outputs):
        need(isinstance(y, TensorBase), "outputs_kind", who, type(y))
    need(leaves(outputs), "no_outputs", who)
    return leaves(outputs)


def grad_and_value(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that returns the gradient of `func`, which returns one number, and that number."""
    @functools.wraps(func)
    def of(*args: Any, **kwargs: Any) -> tuple:
        on, picked = is_grad_enabled(), chosen(argnums, args)
        with Mode(), transforming():
            inside = mapped(tracked, picked)
            y, aux = parted(of_chosen(func, argnums, args, kwargs)(inside), has_aux, "grad_and_value(f)(*args)")
            need(isinstance(y, TensorBase), "grad_output", type(y))
            need(y.ndim == 0, "grad_scalar", y.ndim)
            found = filled(inside, pulled([y], ended(inside), [ones_like(y)], on, keep=False))
        y, aux = outside(y, on), outside(aux, on)
        return found, (y, aux) if has_aux else y

    return of


def grad(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that returns the gradient of `func`, which returns one number, by its argument `argnums`."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def of(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return of


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """The outputs of `func`, and a function that takes cotangents of their shape to those of the inputs, a tuple.

    With `has_aux` also what comes along.
    """
    on, who = is_grad_enabled(), "vjp(f, *primals)"
    with Mode(), transforming():
        inside = mapped(tracked, primals)
        outputs, aux = parted(func(*inside), has_aux, who)
    ys, inputs = tensors_only(outputs, who), ended(inside)
    need(all(y._data.dtype.kind == "f" for y in ys), "vjp_floats", *[y.dtype for y in ys if y._data.dtype.kind != "f"])

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: Any = None) -> Any:
        need(spec(cotangents) == spec(outputs), "cotangents", short(cotangents), short(outputs))
        now = is_grad_enabled() if create_graph is None else create_graph
        return filled(inside, pulled(ys, inputs, leaves(cotangents), now, retain_graph))

    return (outside(outputs, on), pull, *([outside(aux, on)] if has_aux else []))


def short(tree: Any) -> str:
    return f"({', '.join(map(short, tree))}{',' * (len(tree) == 1)})" if is_tree(tree) else "*"


# ---- by tangents: jvp


def jvp(func: Callable, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> tuple:
    """The outputs of `func`, and their tangents where the inputs move along `tangents`."""
    who, level = "jvp(f, primals, tangents)", Forward()
    need(isinstance(primals, tuple), "primals")
    need(spec(primals) == spec(tangents), "jvp_forms", spec(primals), spec(tangents))
    for name, t in [(name, t) for name, tree in (("primals", primals), ("tangents", tangents)) for t in leaves(tree)]:
        need(isinstance(t, TensorBase), "jvp_input", name, type(t))
    with entered(level), transforming():
        outputs, aux = parted(func(*mapped(functools.partial(dual, level), primals, tangents)), has_aux, who)
        pairs = [level.unpacked(y) for y in tensors_only(outputs, who)]
        aux = mapped(lambda y: level.unpacked(y)[0] if isinstance(y, TensorBase) else y, aux)
    need(not strict or all(t is not None for _, t in pairs), "independent")
    moved = [F.zeros_like(y) if t is None else t for y, t in pairs]
    return (filled(outputs, [y for y, _ in pairs]), filled(outputs, moved), *([aux] if has_aux else []))


def linearize(func: Callable, *primals: Any) -> tuple:
    """The outputs, and the linear function from tangents of the inputs to those of the outputs: `func` runs once."""
    outputs, pull = vjp(func, *primals)
    with Mode():
        us = mapped(lambda y: ones_like(y).requires_grad_(), outputs)
        slopes, inputs = leaves(pull(us)), ended(us)

    def push(*tangents: Any) -> Any:
        return filled(outputs, pulled(slopes, inputs, leaves(tangents), is_grad_enabled()))

    return outputs, push


# ---- whole Jacobians


def basis(tensors: list) -> list:
    """For each tensor a batch: one unit vector after the other, of all the tensors' elements."""
    sizes = [t.numel() for t in tensors]
    return [t.new_tensor(xp.eye(sum(sizes), sizes[k], -sum(sizes[:k]), t._data.dtype).reshape(sum(sizes), *t.shape))
            for k, t in enumerate(tensors)]  # one for each example of `t`, where it is in a batch


def jacrev(func: Callable, argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None,
           _preallocate_and_copy: bool = False) -> Callable:
    """The Jacobian of `func` by its argument, a backward for each element of the outputs, all in one vmap."""
    need(chunk_size is None or chunk_size > 0, "jacrev_chunks")

    @functools.wraps(func)
    def of(*args: Any, **kwargs: Any) -> Any:
        picked = chosen(argnums, args)
        outputs, pull, *aux = vjp(of_chosen(func, argnums, args, kwargs), picked, has_aux=has_aux)
        ys, xs = leaves(outputs), leaves(picked)
        (found,) = _vmapped(pull, chunk_size=chunk_size, formulas=True)(filled(outputs, basis(ys)))
        parts = [g.split([y.numel() for y in ys]) for g in leaves(found)]
        blocks = filled(outputs, [filled(picked, [part[k].reshape(*y.shape, *x.shape) for part, x in zip(
            parts, xs, strict=True)]) for k, y in enumerate(ys)])
        return (blocks, *aux) if has_aux else blocks

    return of


def jacfwd(func: Callable, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """The Jacobian of `func` by its argument, a tangent for each element of the inputs, all in one vmap."""
    @functools.wraps(func)
    def of(*args: Any, **kwargs: Any) -> Any:
        picked = chosen(argnums, args)
        xs, alone = leaves(picked), of_chosen(func, argnums, args, kwargs)

        def push(*tangents: Any) -> tuple:
            return jvp(alone, (picked,), (filled(picked, tangents),), has_aux=has_aux)[1:]

        moved, *aux = vmap(push, randomness=randomness, out_dims=(0, None) if has_aux else 0)(*basis(xs))
        blocks = mapped(lambda t: filled(picked, [part.movedim(0, -1).reshape(*t.shape[1:], *x.shape) for part, x in
                                                  zip(t.split([x.numel() for x in xs]), xs, strict=True)]), moved)
        return (blocks, *aux) if has_aux else blocks

    return of


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """All second derivatives of `func`: forward over reverse."""
    return jacfwd(jacrev(func, argnums), argnums)
