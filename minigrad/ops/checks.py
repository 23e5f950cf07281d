"""What operations ask of their arguments, in torch's words."""

import operator

from ..array import dtypes, xp
from ..core.beside.refusals import shape_mismatch as shape_mismatch, tensors_in as tensors_in, type_said as type_said
from ..core.op import titled as titled
from ..text.presentation import error as error, need as need, require as require, torch_says as torch_says, warn as warn


def same_type(*arrays, said: str = "types") -> None:
    """Refuses arrays of different types; torch's sentence `said` has `{0}` (Float) or `{c[0]}` (float) for a name."""
    if len({x.dtype for x in arrays}) > 1:
        kinds = [dtypes.of(x.dtype) for x in arrays]
        text = torch_says(said, *(kind.scalar_type for kind in kinds), c=[kind.c_name for kind in kinds])
        raise error(RuntimeError, "types", text)


def implemented(kernel: str, array, kinds: str = "f"):
    """`array`, if the operation is made for its type. Raises: NotImplementedError in torch's words."""
    dtypes.check_kind(kernel, array.dtype, kinds)
    return array


def common_shape(*shapes: tuple) -> tuple:
    """The shape in which arrays of these shapes meet. Raises: RuntimeError in torch's words."""
    try:
        return shapes[0] if len({*shapes}) == 1 else xp.broadcast_shapes(*shapes)  # which takes 3 microseconds
    except ValueError:
        raise shape_mismatch(*(xp.broadcast_to(0, shape) for shape in shapes)) from None


def floats_only(name: str, array) -> None:
    """Raises: RuntimeError for an array of no floats, in the words of torch's linear algebra."""
    need(array.dtype.kind == "f", "linalg_floats", name, dtypes.of(array.dtype).scalar_type)


def check_number(x, fixed: bool = False):
    """`x`, if it is a number, also in a tensor; a `fixed` one may not require grad, as none would reach it."""
    if not hasattr(x, "__float__") or (fixed and getattr(x, "requires_grad", False)):
        raise TypeError(f"a number is wanted, not {type_said(x)}")
    return x


def is_number(x) -> bool:
    """False for a tensor. Raises: TypeError for what is neither."""
    return x.__class__ is float or x.__class__ is int or not hasattr(check_number(x), "_data")


def ints(values: tuple) -> tuple[int, ...]:
    """Sizes or dimensions given as `(2, 3)` or as one tuple, list or Size. Raises: TypeError for others."""
    listed = len(values) == 1 and values[0].__class__ is not int and isinstance(values[0], (tuple, list))
    return tuple(map(operator.index, values[0] if listed else values))


def check_dim(dim: int, rank: int) -> int:
    """`dim` counted from the front. Raises: IndexError in torch's words, TypeError for what is no int."""
    least = rank or 1
    if not -least <= (dim if dim.__class__ is int else operator.index(dim)) < least:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {dim})")
    return dim % least


def own_dim(self, dim: int, keepdim: bool = False) -> int:
    """`dim` as it was given, which is what a node keeps. Raises: IndexError if `self` has no such one."""
    if dim.__class__ is int and keepdim.__class__ is bool and -(rank := self._data.ndim or 1) <= dim < rank:
        return dim
    require(keepdim.__class__ is bool, "a second dimension is no `keepdim`", TypeError)
    check_dim(dim, self._data.ndim)
    return dim if isinstance(dim, int) else operator.index(dim)


def dims_of(self, dim, keepdim: bool = False) -> tuple:
    """Dimensions as a tuple, each checked and none twice. Raises: IndexError or RuntimeError as torch."""
    if dim is None:
        return ()
    if dim.__class__ is int or keepdim.__class__ is not bool:
        return (own_dim(self, dim, keepdim),)
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    seen = [check_dim(d, self._data.ndim) for d in dims]
    twice = next((d for place, d in enumerate(seen) if d in seen[:place]), None)
    require(twice is None, f"dim {twice} appears multiple times in the list of dims")
    return dims
