"""Pointwise operations as torch takes them: which row a call means, by what stands beside the tensor."""

from ...array import dtypes, ndarray, xp
from ...core.carriers import RAW, TENSORS
from ...core.graph import TensorBase, constant
from ...core.writes.inplace import inplace
from ..checks import check_number, is_number, need, require, same_type, titled
from ..kernels.pointwise import no_bools, power
from ..table import pointwise as rows


def _computes(x) -> bool:
    """Whether an operator takes `x`: a tensor or a number, but no array of NumPy's."""
    return hasattr(x, "__float__") and not isinstance(x, ndarray)


def add(self, other, *, alpha: float = 1):
    """`self + alpha * other`."""
    return rows.add(self, other) if alpha == 1 and alpha.__class__ is int else rows.add_scaled(self, other, alpha)


def sub(self, other, *, alpha: float = 1):
    """`self - alpha * other`. Raises: RuntimeError for two bools, which have no minus."""
    if alpha == 1 and alpha.__class__ is int:
        return rows.sub(self, other)
    no_bools(*(dtypes.result_dtype(getattr(x, "_data", x)).kind for x in (self, other)))
    return rows.sub_scaled(self, other, alpha)


def div(self, other, *, rounding_mode: str | None = None):
    """`self / other`, or rounded to "floor" or "trunc"."""
    if rounding_mode is None:
        return rows.div(self, other)
    need(rounding_mode in ("floor", "trunc"), "rounding_mode", rounding_mode)
    return rows.div_rounded(self, other, rounding_mode)


def floor_divide(self, other):
    """`self // other`, rounded down."""
    return rows.floor_divide(self, other) if _computes(other) else NotImplemented


def remainder(self, other):
    """`self % other`, with the sign of `other`."""
    if not _computes(other):
        return NotImplemented
    return rows.remainder(self, other) if isinstance(other, TensorBase) else rows.remainder_number(self, other)


def fmod(self, other):
    """The remainder with the sign of `self`."""
    return rows.fmod_number(self, other) if is_number(other) else rows.fmod(self, other)


def pow(self, exponent):
    """`self ** exponent`; a number as exponent is kept as a number (PowBackward0)."""
    if exponent.__class__ is int or exponent.__class__ is float:
        return rows.pow_number(self, exponent)
    if not _computes(exponent):
        return NotImplemented
    if is_number(exponent):
        return rows.pow_number(self, exponent.item() if isinstance(exponent, xp.generic) else exponent)
    return rows.pow_base(exponent, self) if is_number(self) else rows.pow(self, exponent)


def float_power(self, exponent):
    """`self ** exponent` in double."""
    return pow(self.double(), float(exponent) if is_number(exponent) else exponent.double())


def float_power_(self, exponent):
    """In-place `float_power`. Raises: RuntimeError if `self` is no double."""
    check_number(exponent)
    need(self.dtype is dtypes.float64, "float_power_base", self.dtype.scalar_type)
    return inplace(pow)(self, exponent)


def square(self):
    """`self ** 2`."""
    return rows.pow_number(self, 2)


def positive(self):
    """`self` as it is. Raises: RuntimeError for bools."""
    require(self._data.dtype.kind != "b", "The `+` operator, on a bool tensor is not supported.")
    return self


# ---- where the tensor stands on the right, as `other`: of Python's operators, and of `torch.rsub`


def rsub(input, other):
    """`other - input`, where `other` is a number."""
    if other.__class__ is not float and not _computes(other):
        return NotImplemented
    no_bools(input._data.dtype.kind, "b" if isinstance(other, bool) else "")
    return rows.rsub(input, other) if isinstance(other, TensorBase) else rows.rsub_number(input, other)


def rdiv(other, self):
    """`self / other`: torch multiplies by the reciprocal."""
    return rows.reciprocal(other) * self if hasattr(self, "__float__") else NotImplemented


def rpow(other, self):
    """`self ** other`, where `self` is a number."""
    return rows.pow_base(other, self) if _computes(self) else NotImplemented


def _turned(row):
    """`row(self, other)`; a number becomes a 0-d tensor in the type that it takes beside `other`."""

    def turned(other, self):
        if not _computes(self):
            return NotImplemented
        value = dtypes.promote(getattr(self, "item", lambda: self)(), other._data)[0]
        return row(constant(other._plain, xp.asarray(value)), other)

    return turned


rfloor_divide, rremainder, rlshift, rrshift = map(
    _turned, (rows.floor_divide, rows.remainder, rows.bitwise_left_shift, rows.bitwise_right_shift))

# ---- with limits, numbers and masks


def round(self, *, decimals: int | None = None):
    """Round to the nearest integer, halves to even; or to `decimals` places."""
    return rows.round(self) if decimals is None else rows.round_decimals(self, decimals)


def clamp(self, min=None, max=None):
    """Bring every element between `min` and `max`, numbers or tensors; either may be None.

    Raises: RuntimeError if both are None.
    """
    require(min is not None or max is not None, "torch.clamp: At least one of 'min' or 'max' must not be None")
    numbers = (min is None or is_number(min)) & (max is None or is_number(max))  # both are looked at
    return (rows.clamp_numbers if numbers else rows.clamp_tensors)(self, min, max)


def clamp_min(self, min):
    """`clamp` with a lower limit only, a number or a tensor."""
    return (rows.clamp_min if is_number(min) else rows.clamp_min_tensor)(self, min)


def clamp_max(self, max):
    """`clamp` with an upper limit only, a number or a tensor."""
    return (rows.clamp_max if is_number(max) else rows.clamp_max_tensor)(self, max)


def where_of(condition, input=None, other=None):
    """`input` where `condition`, else `other`; numbers are allowed."""
    if input is None or (isinstance(input, TensorBase) and isinstance(other, TensorBase)):
        return condition.nonzero(as_tuple=True) if input is None else rows.where(condition, input, other)
    require(not any(isinstance(x, ndarray) for x in (input, other)), "arrays are no tensors", TypeError)
    for number in [x for x in (input, other) if isinstance(check_number(x), (int, float))]:
        kind = dtypes.result_dtype(*(getattr(x, "_data", x) for x in (input, other)))
        (dtypes.cast if kind == "float16" else dtypes.fitting)(number, kind)
    return rows.where(condition, input, other)


def masked_fill(self, mask, value):
    """A copy of `self` with `value` (a number or 0-d tensor) where `mask`."""
    return (rows.masked_fill if is_number(value) else rows.masked_fill_tensor)(self, mask, value)


def lerp(self, end, weight):
    """`self + weight * (end - self)`."""
    same_type(self._data, end._data, said="lerp_end_types")
    if not is_number(weight) and weight.ndim:
        same_type(self._data, weight._data, said="lerp_weight_types")
    return rows.lerp(self, end, weight) if is_number(weight) else rows.lerp_tensor(self, end, weight)


def addcmul(self, tensor1, tensor2, *, value: float = 1):
    """`self + value * tensor1 * tensor2`."""
    check_number(value, fixed=True)
    return rows.addcmul(self, tensor1, tensor2, value)


def addcdiv(self, tensor1, tensor2, *, value: float = 1):
    """`self + value * tensor1 / tensor2`. Raises: RuntimeError for a quotient of integers."""
    need("f" in {getattr(x, "_data", self._data).dtype.kind for x in (tensor1, tensor2)}, "addcdiv_integers")
    check_number(value, fixed=True)
    return rows.addcdiv(self, tensor1, tensor2, value)


def heaviside(self, values):
    """0 below 0, 1 above it, and `values` at 0."""
    same_type(self._data, values._data, said="heaviside_types")
    return rows.heaviside(self, values)


# ---- in place, where torch does not write what the row records


def _own_node(row):
    """The in-place twin of a comparison, or of an operation that torch differentiates only out of place."""
    name = row.row.name

    def own_node(self, *other):
        kind = "" if len(row.row.inputs) == 1 else "_number" if is_number(*other) else "_tensor"
        return (getattr(TENSORS, f"{name}{kind}_") if self._data.dtype.kind == "f" else row)(self, *other)

    return inplace(titled(own_node, name, ""))


def _unrecorded(row):
    """The in-place twin of what is not recorded at all: even a leaf may be written."""
    write = inplace(row)

    def unrecorded(self, *other):
        written = write(self._alias(self._array(), self._shared_counter()), *other)
        return written if written is NotImplemented else self

    return titled(unrecorded, write.__name__, write.__doc__)


eq_, ne_, lt_, le_, gt_, ge_, acosh_, asinh_, atanh_ = map(
    _own_node, (rows.eq, rows.ne, rows.lt, rows.le, rows.gt, rows.ge, rows.acosh, rows.asinh, rows.atanh))
logical_and_, logical_or_, logical_xor_, logical_not_ = map(
    _unrecorded, (rows.logical_and, rows.logical_or, rows.logical_xor, rows.logical_not))

RAW.pow_of, TENSORS.pow_of = power, pow  # in formulas too the exponent chooses the row
