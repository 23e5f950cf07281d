"""torch.autograd.functional: whole Jacobians and Hessians, and their products with vectors.

Each takes a function and its inputs, runs it on detached ones, on the same memory (under `create_graph` on views),
and returns tensors without history, unless `create_graph`. jvp runs backward twice: u^T J is linear in u, and the
gradient of (u^T J) v with respect to u is J v. Texts are torch's.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .._tensor import Tensor
from ..core.backward import grad
from ..creation import ones_like, zeros, zeros_like
from ..ops.checks import need, require
from ..ops.table.shape import stack
from .grad_mode import enable_grad


def jacobian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False,
             vectorize: bool = False, strategy: str = "reverse-mode") -> Any:
    """All derivatives of `func`: shape of the output, then shape of the input; tuples nest likewise."""
    need(strategy in ("forward-mode", "reverse-mode"), "jacobian_strategy")
    if strategy == "forward-mode":
        return _by_tangents(func, inputs, create_graph, vectorize)
    with enable_grad():
        many, given = _inputs(inputs, create_graph, "jacobian")
        several, outputs = _outputs(func(*given), strict, "jacobian")
        need(not (strict and vectorize), "jacobian_strict")
        rows = tuple(_jacobian_of(out, nr, given, create_graph, strict) for nr, out in enumerate(outputs))
    rows = rows if many else tuple(row[0] for row in rows)
    return _finished(rows if several else rows[0], create_graph)


def _by_tangents(func: Callable, inputs: Any, create_graph: bool, vectorize: bool) -> Any:
    """The Jacobian by forward mode, all columns at once."""
    from ..func import jacfwd  # few ask for it, and `import minigrad` is quicker

    need(not create_graph, "jacobian_forward")
    need(vectorize, "jacobian_vectorized")
    many, given = _inputs(inputs, False, "jacobian")
    return _finished(jacfwd(func, tuple(range(len(given))) if many else 0)(*(t.detach() for t in given)), False)


def _jacobian_of(out: Tensor, nr: int, given: tuple, create_graph: bool, strict: bool) -> tuple:
    """The Jacobian of one output with respect to each input, a backward for each element."""
    rows = [_or_zeros(_gradients((element,), given, (None,), create_graph), given, strict, create_graph, "row", nr)
            for element in out.reshape(-1).unbind()]
    if not rows:
        return tuple(zeros(*out.shape, *t.shape, dtype=out.dtype) for t in given)
    return tuple(stack(column).view(*out.shape, *t.shape) for *column, t in zip(*rows, given, strict=True))


def hessian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False,
            vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """All second derivatives of `func`, which returns a single element."""
    many, _ = _as_tensors(inputs, "inputs", "hessian")

    def slopes(*given: Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            from ..func.transforms import tracked

            given = tuple(map(tracked, given))
        found = jacobian(lambda *a: _single(func(*a), strict, "hessian").squeeze(), given, create_graph=True)
        _check_recorded(found, "jacobian", strict)
        return found

    found = jacobian(slopes, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found if many else found[0]


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The outputs, and the vector `v` (shaped like them) times the Jacobian: what backward computes."""
    with enable_grad():
        many, given = _inputs(inputs, create_graph, "vjp")
        several, outputs = _outputs(func(*given), strict, "vjp")
        v = _vector(v, outputs, several, "the user-provided function returns a single Tensor", "vjp")
        found = _gradients(outputs, given, v, create_graph)
    return _results(outputs, several, found, given, many, strict, create_graph, "back")


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The outputs, and the Jacobian times the vector `v` (shaped like the inputs)."""
    with enable_grad():
        many, given = _inputs(inputs, create_graph, "jvp")
        v = _vector(v, given, many, "the input to the user-provided function is a single Tensor", "jvp")
        several, outputs = _outputs(func(*given), strict, "jvp")
        weights = tuple(zeros_like(o, requires_grad=True) for o in outputs)
        slopes = _gradients(outputs, given, weights, True)
        _check_recorded(slopes, "grad_inputs", strict)
        found = _gradients(slopes, weights, v, create_graph)
    return _results(outputs, several, found, outputs, several, strict, create_graph, "back_trick")


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The output, and the vector `v` times the Hessian of `func`, which returns a single element."""
    return _hessian_product(func, inputs, v, create_graph, strict, "vhp")


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The output, and the Hessian times the vector `v`; Hessians are symmetric, so this is `vhp`."""
    return _hessian_product(func, inputs, v, create_graph, strict, "hvp")


def _hessian_product(func: Callable, inputs: Any, v: Any, create_graph: bool, strict: bool, name: str) -> tuple:
    with enable_grad():
        many, given = _inputs(inputs, create_graph, name)
        v = _vector(v, given, many, "the input to the user-provided function is a single Tensor", name)
        output = _single(func(*given), strict, name)
        slopes = _gradients((output,), given, (None,), True)
        _check_recorded(slopes, "jacobian", strict)
        found = _gradients(slopes, given, v, create_graph)
    return _results((output,), False, found, given, many, strict, create_graph, "double_back")


# ---- inputs and outputs


def _as_tensors(value: Any, what: str, name: str) -> tuple[bool, tuple]:
    """A tensor or a tuple of them, as `(was it a tuple, tuple)`."""
    many = isinstance(value, tuple)
    for i, t in enumerate(value if many else (value,)):
        wrong = f"value at index {i}" if many else f"given {what}"
        need(isinstance(t, Tensor), "functional_kind", what, name, wrong, type(t))
    return many, value if many else (value,)


def _inputs(inputs: Any, create_graph: bool, name: str) -> tuple[bool, tuple]:
    """Inputs that require grad: views of the given ones under `create_graph`, else leaves."""
    many, given = _as_tensors(inputs, "inputs", name)
    return many, tuple(t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_() for t in given)


def _outputs(outputs: Any, strict: bool, name: str) -> tuple[bool, tuple]:
    """What the function returned. Raises: RuntimeError in strict mode for what nobody recorded."""
    several, outputs = _as_tensors(outputs, "outputs of the user-provided function", name)
    _check_recorded(outputs, "outputs", strict)
    return several, outputs


def _single(output: Any, strict: bool, name: str) -> Tensor:
    several, (output, *_) = _outputs(output, strict, name)
    require(not several, f"The function given to {name} should return a single Tensor")
    require(output.numel() == 1, f"The Tensor returned by the function given to {name} should contain a single element")
    return output


def _vector(v: Any, like: tuple, many: bool, where: str, name: str) -> tuple:
    if v is None:
        need(len(like) == 1 and like[0].numel() == 1, "functional_no_vector", where)
        return (ones_like(like[0]),)
    _, v = _as_tensors(v, "v", name)
    require(len(v) == len(like), f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}." if many
            else "The given v should contain a single Tensor.")
    for i, (a, b) in enumerate(zip(v, like, strict=True)):
        entry = f"Entry {i} in " if many else ""
        require(a.shape == b.shape, f"{entry}v has invalid size: should be {b.shape} but got {a.shape}.")
    return v


def _check_recorded(tensors: Sequence[Any], what: str, strict: bool) -> None:
    for i, t in enumerate(tensors if strict else ()):
        need(t is not None, "independent_back", i)
        need(t.requires_grad, f"not_recorded_{what}", i)


def _or_zeros(found: Sequence[Any], like: tuple, strict: bool, create_graph: bool, stage: str, nr: int = 0) -> tuple:
    """Zeros where nothing depends on anything. Raises: RuntimeError in strict mode."""
    for i, g in enumerate(found if strict else ()):
        need(g is not None, f"independent_{stage}", i, nr)
        what = "hessian" if "double" in stage else "jacobian"
        need(g.requires_grad or not create_graph, "functional_independent", what, i)
    return tuple(zeros_like(t) if g is None else g for g, t in zip(found, like, strict=True))


def _gradients(outputs: tuple, inputs: tuple, weights: tuple, create_graph: bool) -> tuple:
    live = [(o, w) for o, w in zip(outputs, weights, strict=True) if o is not None and o.requires_grad]
    if not live:
        return (None,) * len(inputs)
    return grad([o for o, _ in live], inputs, [w for _, w in live], create_graph=create_graph,
                retain_graph=True, allow_unused=True)


def _results(outputs: tuple, several: bool, found: Sequence[Any], like: tuple, many: bool, strict: bool,
             create_graph: bool, stage: str) -> tuple:
    """The outputs and the products found, each as a tensor or a tuple, as the user gave or wants them."""
    products = _or_zeros(found, like, strict, create_graph, stage)
    return (_finished(outputs if several else outputs[0], create_graph),
            _finished(products if many else products[0], create_graph))


def _finished(value: Any, create_graph: bool) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_finished(v, create_graph) for v in value)
    return value if create_graph else value.detach()
