"""gradcheck and gradgradcheck: are the derivatives what small differences say?

Each row of a numerical Jacobian is (f(x + eps) - f(x - eps)) / 2 eps for one element of one input; the analytical
one is made of backwards, one for each element of an output, or of tangents, one for each element of an input. Texts
are torch's.
"""

import itertools
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

from .._tensor import Tensor
from ..array import dtypes, move, namespace, xp
from ..core.backward import grad
from ..core.beside.ends import as_tuple
from ..core.graph import constant
from ..creation import empty, zeros_like
from ..text.presentation import need, require, warn


class GradcheckError(RuntimeError):
    """A derivative is not what the numbers say, or not the same each time."""

    __module__ = "torch.autograd.gradcheck"


def gradcheck(func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
              check_grad_dtypes: bool = False, check_batched_grad: bool = False,
              check_batched_forward_grad: bool = False, check_forward_ad: bool = False, check_backward_ad: bool = True,
              fast_mode: bool = False, masked: bool | None = None) -> bool:
    """True if backward of `func`, and its forward mode if asked, agree with differences at `inputs`, of float64.

    What vmap makes of the derivatives is not compared. Raises: GradcheckError where they do not agree, or returns
    False if `raise_exception` is off.
    """
    need(check_forward_ad or check_backward_ad, "check_some_way")
    need(check_backward_ad or not check_batched_grad, "check_batched")
    need(check_forward_ad or not check_batched_forward_grad, "check_batched_forward")
    with nullcontext() if raise_exception else suppress(GradcheckError):
        _compare(func, as_tuple(inputs), eps, atol, rtol, nondet_tol, check_backward_ad, check_forward_ad)
        return True
    return False


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5,
                  rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0,
                  check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, **_options: Any) -> bool:
    """True if the second derivatives agree too: `gradcheck` of the gradient of `func`."""
    need(check_fwd_over_rev or check_rev_over_rev, "check_twice")
    given = as_tuple(inputs)
    weights = as_tuple(grad_outputs) if grad_outputs is not None else tuple(
        empty(o.shape, dtype=o.dtype).uniform_(-1, 1).requires_grad_() for o in _differentiable(func(*given)))
    wanted = [isinstance(t, Tensor) and t.requires_grad for t in given]

    def gradients(*args: Any) -> tuple:
        own, sent = args[: len(given)], args[len(given) :]
        inputs = [t.requires_grad_() for t in itertools.compress(own, wanted)]  # what is dual has been detached
        found = grad(_differentiable(func(*own)), inputs, sent, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(gradients, (*given, *weights), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev)


def _differentiable(outputs: Any) -> tuple:
    return tuple(o for o in (outputs if isinstance(outputs, tuple | list) else (outputs,)) if o.requires_grad)


def _compare(func: Callable, inputs: tuple, eps: float, atol: float, rtol: float, nondet_tol: float, backward: bool,
             forward: bool) -> None:
    checked, outputs = _inputs_to_check(inputs), _differentiable(func(*inputs))
    if not outputs:
        for t in checked:
            need(not any(map(xp.any, _numerical(func, inputs, t, eps, as_tuple))), "check_zero", kind=GradcheckError)
        return
    numerical = [_numerical(func, inputs, t, eps, _differentiable) for t in checked]
    for way in [""] * backward + ["computed with forward mode "] * forward:
        pushed = _pushed(func, inputs) if way else None
        for nr, place in itertools.product(range(len(outputs)), range(len(checked))):
            found = pushed[place][nr] if pushed else _analytical(outputs[nr], checked[place], nondet_tol)
            both = [constant(Tensor, jacobian) for jacobian in (numerical[place][nr], found)]
            same = xp.allclose(found, numerical[place][nr], rtol, atol, equal_nan=False)
            need(same, "check_mismatch", way, nr, place, *both, kind=GradcheckError)
    for g in grad(outputs, checked, [*map(zeros_like, outputs)], allow_unused=True) if backward else ():
        require(g is None or not g.any(), "backward not multiplied by grad_output", GradcheckError)


def _inputs_to_check(inputs: tuple) -> list[Tensor]:
    """The inputs whose derivatives are checked. Raises: ValueError if there are none."""
    checked = {i: t for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad}
    for index, t in checked.items():
        if t.dtype != dtypes.float64:
            warn("check_precision", index)
        need(all(step or n < 2 for step, n in zip(t.stride(), t.shape, strict=True)), "check_strides", index)
    need(checked, "check_inputs")
    return list(checked.values())


def _numerical(func: Callable, inputs: tuple, t: Tensor, eps: float, pick: Callable) -> list:
    """A Jacobian for each output that `pick` takes, `(elements of t, elements of it)`, from differences."""
    made = [xp.empty((t.numel(), o.numel()), o._data.dtype) for o in pick(func(*inputs))]
    elements = t._array()
    for row, at in enumerate(xp.ndindex(*elements.shape)):
        kept, sides = elements[at].copy(), []
        for step in (-eps, eps):
            elements[at] = kept + step
            sides.append([o.detach().clone() for o in pick(func(*inputs))])
        elements[at] = kept
        for jacobian, below, above in zip(made, *sides, strict=True):
            for what in ("shape", "dtype"):
                a, b = getattr(below, what), getattr(above, what)
                need(a == b, "check_changed", what, at, eps, what, a, b)
            jacobian[row] = move((above._array() - below._array()).reshape(-1) / (2 * eps), "cpu")
    return made


def _pushed(func: Callable, inputs: tuple) -> list:
    """For each input that is checked a Jacobian for each output, shaped as those of `_numerical`, from tangents."""
    from .forward_ad import dual_level, make_dual, unpack_dual  # few ask for it

    reached, found = [o.requires_grad for o in as_tuple(func(*inputs))], []
    with dual_level():
        args = [make_dual(x.detach(), zeros_like(x)) if getattr(x, "requires_grad", False) else x for x in inputs]
        for tangent in [v for t in args if isinstance(t, Tensor) and (v := unpack_dual(t).tangent) is not None]:
            rows = []
            for at in xp.ndindex(*tangent.shape):
                tangent[at] = 1.0
                outputs = map(unpack_dual, itertools.compress(as_tuple(func(*args)), reached))
                rows.append([xp.zeros(y.numel(), y._data.dtype) if v is None else move(v._array().flatten(), "cpu")
                             for y, v in outputs])
                tangent[at] = 0.0
            found.append([xp.stack(column) for column in zip(*rows, strict=True)])
    return found


def _analytical(output: Tensor, t: Tensor, nondet_tol: float) -> Any:
    """The Jacobian `(elements of t, elements of the output)` from backwards, each run twice."""
    jacobian = xp.zeros((t.numel(), output.numel()), t._data.dtype)
    for column in range(output.numel()):
        seed = namespace(output._data).zeros(output._data.shape, output._data.dtype)
        seed.reshape(-1)[column] = 1
        runs = [grad(output, t, constant(Tensor, seed), retain_graph=True, allow_unused=True)[0] for _ in "12"]
        if runs[0] is None:
            continue
        first, again = (move(r._array().reshape(-1), "cpu") for r in runs)
        jacobian[:, column] = first
        same = (xp.absolute(first - again) <= nondet_tol).all() or xp.array_equal(first, again, equal_nan=True)
        need(same, "check_reentrant", nondet_tol, kind=GradcheckError)
    return jacobian
