"""Calls written out for the commonest operands: what `core.record` gives, in fewer steps of Python.

Each function makes, for a row and its ordinary call, a call that answers where everything is plain: grad
mode is simply on or off, types agree, NumPy refuses nothing. All else, and every refusal, is left to the
ordinary call. `grad_mode` is asked by this module's own name: `slow()` puts another function there.
"""

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..array.backend import in_order, ndarray, xp
from ..core.beside.lines import learners_line
from ..core.graph import TensorBase, attach, constant, new, new_node, results_modules, seqs
from ..core.modes import grad_mode
from ..core.record import PLAIN, beside_number, integer_result, untracked
from ..core.row import Row, Scalar

Tensor: Any = TensorBase  # the class of results, once there is one: see `results_are`
results_modules.append(__name__)
UFUNCS = {operator.add: xp.add, operator.sub: xp.subtract, operator.mul: xp.multiply}  # quicker for arrays alone
# What numbers become beside arrays of each type: 2 and 2.0 are equal keys
SCALARS: dict[type, dict] = {int: {}, float: {}}


def one_tensor(row: Row, ordinary: Callable) -> Callable:
    """One tensor and nothing else: exp, neg, relu ..."""
    forward, keeps_self, keeps_result = row.forward, "self" in row.saved, "result" in row.saved
    keeps_sizes, keeps_numel = "self_sym_sizes" in row.saved, "self_sym_numel" in row.saved

    def call(input: Any) -> Any:
        mode = grad_mode()
        if mode is not True and mode is not False:
            return ordinary(input)
        try:
            view = input._view
        except AttributeError:  # no tensor
            return ordinary(input)
        a = input._data
        if view is not None and mode:
            view.refresh(input)
        edge = input._fn or (input if input._requires_grad else None)
        z = forward(a)
        if edge is None or not mode:
            if z.dtype is not a.dtype or (view is not None and input.requires_grad):
                return ordinary(input)
            return constant(Tensor, z)
        n, t = (row.made or row.node)(), new(Tensor)
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.edges, n.metas, n.hooks, n.seq = (edge,), None, None, next(seqs)
        n.code, n.lasti = learners_line()
        if keeps_self:
            n.saved_self, n.version_self = input, 0 if (c := input._counter) is None else c[0]
        if keeps_result:
            n.saved_result, n.version_result = z, 0
            n.counter_result = t._counter = [0, ()]
        if keeps_sizes:
            n.saved_self_sym_sizes = a.shape
        if keeps_numel:
            n.saved_self_sym_numel = a.size
        return t

    return call


def one_tensor_and_options(row: Row, ordinary: Callable) -> Callable:
    """One tensor in, one out, and options: sums along dimensions, softmax, clamp ..."""
    forward, total = row.forward, len(row.inputs)
    scalars, reduces = [row.inputs.index(name) for name in row.scalars], "keepdim" in row.inputs

    def call(*args: Any, **options: Any) -> Any:
        args = row.bind(args, options) if options or len(args) < total else args
        mode, self = grad_mode(), args[0]
        if (mode is not True and mode is not False) or not isinstance(self, TensorBase):
            return ordinary(*args)
        for i in scalars:
            if args[i].__class__ not in PLAIN:
                return ordinary(*args)
        if (view := self._view) is not None and mode:
            view.refresh(self)
        edge = (self._fn or (self if self._requires_grad else None)) if mode else None
        z = forward(self._data, *args[1:])
        if reduces and not z.flags.c_contiguous:
            z = in_order(z)
        if edge is None or z.__class__ is list or z.dtype.kind != "f":
            return ordinary(*args) if mode and self._view is not None and self.requires_grad else untracked(z, mode)
        n, t = (row.made or row.node)(), new(Tensor)
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.edges, n.metas, n.hooks, n.seq = (edge,), None, None, next(seqs)
        n.code, n.lasti = learners_line()
        row.save(n, args, z, t)
        return t

    return call


def two_tensors(row: Row, ordinary: Callable) -> Callable:
    """Two tensors that broadcast, or a tensor and a number: add, mul, eq ..."""
    forward = row.forward
    ufunc, may_change_type, records = UFUNCS.get(forward, forward), forward not in UFUNCS, bool(row.derivatives)
    self_for, other_for = used_by(row, "self"), used_by(row, "other")
    by_self, by_other = self_for == "self", other_for == "other"

    def call(self: Any, other: Any) -> Any:
        mode = grad_mode()
        if mode is not True and mode is not False:
            return ordinary(self, other)
        view = self._view
        if view is not None and mode and records:
            view.refresh(self)
        a = self._data
        to_self = self._fn or (self if self._requires_grad else None)
        kind = type(other)
        if kind is Tensor or (kind is not float and isinstance(other, TensorBase)):
            b, number, peer = other._data, None, other._view
            if peer is not None and mode and records:
                peer.refresh(other)
            to_other = other._fn or (other if other._requires_grad else None)
            if a.dtype is not b.dtype:
                return ordinary(self, other)
            alike = a.shape == b.shape
        elif not row.numbers:
            return ordinary(self, other)
        else:
            to_other, peer, alike = None, None, True
            try:
                number = SCALARS[kind][a.dtype if type(a) is ndarray else (type(a), a.dtype)][other]
            except (KeyError, TypeError):  # not met before, or what has no hash
                number = first_time(row, a, other)
                if number is None:
                    return ordinary(self, other)
            b = number.raw
        try:
            z = ufunc(a, b) if type(a) is ndarray else forward(a, b)
        except (ValueError, TypeError):
            return ordinary(self, other)
        if not mode or not records or (to_self is None and to_other is None):
            if ((may_change_type and z.dtype is not a.dtype and z.dtype.char != "?")
                    or (view is not None and self.requires_grad) or (peer is not None and other.requires_grad)):
                return ordinary(self, other)
            return constant(Tensor, z) if records or not mode else integer_result(row, constant(Tensor, z), self, other)
        n, t = (row.made or row.node)(), new(Tensor)
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.edges, n.hooks, n.seq = (to_self, to_other), None, next(seqs)
        n.metas = None if alike else ((a.shape, a.dtype), (b.shape, b.dtype))
        n.code, n.lasti = learners_line()
        if self_for is not None:
            if (to_self if by_self else to_other) is not None or self_for == "both":
                n.saved_self, n.version_self = self, 0 if (c := self._counter) is None else c[0]
            else:
                n.saved_self = None
        if other_for is not None:
            if number is not None:
                n.saved_other, n.version_other = number, 0
            elif (to_other if by_other else to_self) is not None or other_for == "both":
                n.saved_other, n.version_other = other, 0 if (c := other._counter) is None else c[0]
            else:
                n.saved_other = None
        return t

    return call


def matrices(row: Row, ordinary: Callable, second: str = "mat2") -> Callable:
    """`mm` of two matrices that fit; its operand `second` may be given by that name."""
    dot = ndarray.dot

    @wraps(ordinary)
    def call(self: Any, other: Any) -> Any:
        if grad_mode() is not True or (other.__class__ is not Tensor and not isinstance(other, TensorBase)):
            return ordinary(self, other)
        a, b = self._data, other._data
        rows, columns = a.shape, b.shape
        if not (len(rows) == len(columns) == 2 and rows[1] == columns[0] != 1):  # mm minds signs
            return ordinary(self, other)
        if self._view is not None:
            self._view.refresh(self)
        if other._view is not None:
            other._view.refresh(other)
        to_self = self._fn or (self if self._requires_grad else None)
        to_mat2 = other._fn or (other if other._requires_grad else None)
        if (to_self is None and to_mat2 is None) or a.dtype is not b.dtype:
            return ordinary(self, other)
        try:
            z = dot(a, b)
        except TypeError:  # arrays on a GPU
            return ordinary(self, other)
        n, t = (row.made or row.node)(), new(Tensor)
        t._data, t._fn, t._requires_grad = z, n, True
        t._counter = t._grad = t._hooks = t._view = None
        n.edges, n.metas, n.hooks, n.seq = (to_self, to_mat2), None, None, next(seqs)
        n.code, n.lasti = learners_line()
        n.saved_self = n.saved_mat2 = None
        if to_mat2 is not None:
            n.saved_self, n.version_self = self, 0 if (c := self._counter) is None else c[0]
        if to_self is not None:
            n.saved_mat2, n.version_mat2 = other, 0 if (c := other._counter) is None else c[0]
        n.saved_self_sym_sizes, n.saved_mat2_sym_sizes = rows, columns
        n.saved_self_sym_strides = () if to_self is None else a.strides
        n.saved_mat2_sym_strides, n.itemsize = () if to_mat2 is None else b.strides, a.itemsize
        return t

    call.__code__ = call.__code__.replace(co_varnames=("self", second, *call.__code__.co_varnames[2:]))
    return call


def linear_layer(row: Row, ordinary: Callable) -> Callable:
    """`addmm` of two matrices that fit and a row that is added to their product."""

    @wraps(ordinary)
    def call(self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        to_self = to_mat1 = to_mat2 = None
        if (grad_mode() is True and beta == alpha == 1 and isinstance(self, TensorBase)
                and isinstance(mat1, TensorBase) and isinstance(mat2, TensorBase)):
            bias, a, b = self._data, mat1._data, mat2._data
            if (a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0] != 1 and bias.shape == b.shape[1:]
                    and a.dtype is b.dtype is bias.dtype and a.__class__ is b.__class__ is ndarray):
                to_self, to_mat1, to_mat2 = self._edge(), mat1._edge(), mat2._edge()
        if to_self is to_mat1 is to_mat2:  # None: nothing to record, or nothing plain
            return ordinary(self, mat1, mat2, beta, alpha)
        z = ndarray.dot(a, b)
        z += bias
        n = new_node(row.made or row.node, (to_self, to_mat1, to_mat2), ((bias.shape, bias.dtype), None, None))
        n.saved_alpha, n.saved_beta, n.saved_mat1, n.saved_mat2 = alpha, beta, None, None
        if to_mat2 is not None:
            n.saved_mat1, n.version_mat1 = mat1, 0 if (c := mat1._counter) is None else c[0]
        if to_mat1 is not None:
            n.saved_mat2, n.version_mat2 = mat2, 0 if (c := mat2._counter) is None else c[0]
        n.saved_mat1_sym_sizes, n.saved_mat2_sym_sizes, n.itemsize = a.shape, b.shape, a.itemsize
        n.saved_mat1_sym_strides = a.strides if to_mat1 is not None or mat1.requires_grad else ()
        n.saved_mat2_sym_strides = b.strides if to_mat2 is not None or mat2.requires_grad else ()
        return attach(constant(Tensor, z), n)

    return call


def used_by(row: Row, name: str) -> str | None:
    """Whose derivative needs the saved input `name`: "self", "other" or "both"; for both torch asks nobody."""
    users = [n for n, used in row.uses.items() if name in used]
    return None if name not in row.saved else "both" if len(users) == 2 else users[0]


def first_time(row: Row, a: Any, value: Any) -> Scalar | None:
    """A number beside `a`, remembered for the next time; None where it changes the type of `a`, or is none."""
    same, number = beside_number(row, a, value)
    if number is None or same is not a or a.dtype.char == "e":  # halves meet one number in two ways
        return None
    if type(value) is int or (type(value) is float and value):  # 0.0 and -0.0 are equal keys too
        known = SCALARS[type(value)].setdefault(a.dtype if type(a) is ndarray else (type(a), a.dtype), {})
        if len(known) < 4096:
            known[value] = number
    return number
