"""The face of an operation: its name and documentation, and what it asks of its arguments in torch's words."""

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

from ..array import dtypes, xp
from ..core.beside.arguments import OF_NUMBERS, answer
from ..core.beside.refusals import shape_mismatch, type_said
from ..core.graph import TensorBase, constant
from ..core.record import number_in
from ..core.row import parameters
from ..text import presentation
from ..text.presentation import need as need, require as require, torch_says as torch_says, warn as warn


def titled(function: Callable, name: str, doc: str) -> Callable:
    """A function that another one made, with the name and the documentation that `help` shows."""
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name)  # in tracebacks as well
    function.__doc__ = doc
    return function


def words(call: Callable) -> tuple[str, ...]:
    """The names of what an operation takes, also of those that can be given by name only."""
    while not hasattr(call, "row") and hasattr(call, "__wrapped__"):
        call = call.__wrapped__
    code = call.__code__
    return call.row.inputs if hasattr(call, "row") else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


SYNONYMS = {"axis": "dim", "keepdims": "keepdim", "split_size_or_sections": "split_size", "split_sizes": "split_size"}


def in_torchs_words(options: dict) -> dict:
    """Options as torch's method names them; it takes NumPy's names too, and its function may have one of its own."""
    if SYNONYMS.keys().isdisjoint(options):
        return options
    return {SYNONYMS.get(name, name): value for name, value in options.items()}


def worded(face: str, call: Callable, in_python: bool = False, lifting: Callable | None = None,
           name: str = "") -> Callable:
    """`call`, which may be given `axis` for its `dim`, and whose refusals are worded as those of torch's `face`.

    `in_python`: torch's function is Python too, and says itself what it is not given. `lifting` is called instead
    where the first argument is no tensor. `name`: what it is called here, if not as there.
    """

    @functools.wraps(call)
    def function(*args: Any, **options: Any) -> Any:
        try:
            run = call if lifting is None or (args and isinstance(args[0], TensorBase)) else lifting
            result = run(*args, **in_torchs_words(options)) if options else run(*args)
            if result is not NotImplemented:
                return result
            raise TypeError("an operand is neither a tensor nor a number")
        except Exception as refused:
            if in_python and refused.__traceback__.tb_next is None:  # type: ignore[union-attr]
                raise
            return answer(function, face, refused, args, options)

    function.bare = call  # type: ignore[attr-defined]  # for calls of our own
    return titled(function, name or face.rpartition(".")[2], call.__doc__ or "")


def as_method(name: str, call: Callable) -> Callable:
    """An operation as the method of that name."""
    if len(words(call)) == 1 and (hasattr(call, "row") or not call.__code__.co_flags & inspect.CO_VARARGS):
        return call  # one tensor, and nothing else
    return worded(f"Tensor.{name}", call)


def as_function(name: str, method: Callable) -> Callable:
    """A method as `torch.name`: its tensor is called `input`, and may be a number to some."""
    if parameters(method) == ("input",):
        return method  # torch's function already: one tensor, and nothing else
    method = getattr(method, "bare", method)

    def lifting(input: Any, *args: Any, **options: Any) -> Any:
        return method(input if isinstance(input, TensorBase) else _lifted(name, input, *args), *args, **options)

    function = worded(f"torch.{name}", method, lifting=lifting)
    function.lifting = lifting  # type: ignore[attr-defined]  # where `help` sees that it takes `input`
    return function


_NUMBER_FIRST = OF_NUMBERS | set("remainder pow float_power xlogy bitwise_and bitwise_or bitwise_xor".split())


def _lifted(name: str, value: Any, other: Any = None, *more: Any) -> Any:
    """A number in front, Python's or NumPy's, as a tensor beside `other`; `pow` takes numbers."""
    value = number_in(value)
    require(name in _NUMBER_FIRST and isinstance(value, int | float), "no tensor", TypeError)
    kind = dtypes.result_dtype(other._data if isinstance(other, TensorBase) else value, value)
    return value if name == "pow" else constant(TensorBase._plain, xp.asarray(value, kind))


def same_type(*arrays: Any, said: str = "types") -> None:
    """Refuses arrays of different types; torch's sentence `said` has `{0}` (Float) or `{c[0]}` (float) for a name."""
    if len({x.dtype for x in arrays}) > 1:
        kinds = [dtypes.of(x.dtype) for x in arrays]
        text = torch_says(said, *(kind.scalar_type for kind in kinds), c=[kind.c_name for kind in kinds])
        raise presentation.error(RuntimeError, "types", text)


def implemented(kernel: str, array: Any, kinds: str = "f") -> Any:
    """`array`, if the operation is made for its type. Raises: NotImplementedError in torch's words."""
    dtypes.check_kind(kernel, array.dtype, kinds)
    return array


def common_shape(*shapes: tuple) -> tuple:
    """The shape in which arrays of these shapes meet. Raises: RuntimeError in torch's words."""
    try:
        return shapes[0] if len({*shapes}) == 1 else xp.broadcast_shapes(*shapes)  # which takes 3 microseconds
    except ValueError:
        raise shape_mismatch(*(xp.broadcast_to(0, shape) for shape in shapes)) from None


def floats_only(name: str, array: Any) -> None:
    """Raises: RuntimeError for an array of no floats, in the words of torch's linear algebra."""
    need(array.dtype.kind == "f", "linalg_floats", name, dtypes.of(array.dtype).scalar_type)


def check_number(x: Any, fixed: bool = False) -> Any:
    """`x`, if it is a number, also in a tensor; a `fixed` one may not require grad, as none would reach it."""
    if not hasattr(x, "__float__") or (fixed and getattr(x, "requires_grad", False)):
        raise TypeError(f"a number is wanted, not {type_said(x)}")
    return x


def is_number(x: Any) -> bool:
    """False for a tensor. Raises: TypeError for what is neither."""
    return x.__class__ is float or x.__class__ is int or not hasattr(check_number(x), "_data")


def ints(values: tuple) -> tuple[int, ...]:
    """Sizes or dimensions given as `(2, 3)` or as one tuple, list or Size. Raises: TypeError for others."""
    listed = len(values) == 1 and values[0].__class__ is not int and isinstance(values[0], tuple | list)
    return tuple(map(operator.index, values[0] if listed else values))


def check_dim(dim: int, rank: int) -> int:
    """`dim` counted from the front. Raises: IndexError in torch's words, TypeError for what is no int."""
    least = rank or 1
    if not -least <= (dim if dim.__class__ is int else operator.index(dim)) < least:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {dim})")
    return dim % least


def own_dim(self: Any, dim: int, keepdim: bool = False) -> int:
    """`dim` as it was given, which is what a node keeps. Raises: IndexError if `self` has no such one."""
    if keepdim.__class__ is not bool:
        raise TypeError("a second dimension is no `keepdim`")
    check_dim(dim, self._data.ndim)
    return dim


def dims_of(self: Any, dim: Any, keepdim: bool = False) -> tuple:
    """Dimensions as a tuple, each checked and none twice. Raises: IndexError or RuntimeError as torch."""
    if dim is None:
        return ()
    if dim.__class__ is int or keepdim.__class__ is not bool:
        return (own_dim(self, dim, keepdim),)
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    seen = [check_dim(d, self._data.ndim) for d in dims]
    for place, d in enumerate(seen):
        if d in seen[:place]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return dims
