"""The face of an operation: its name and documentation, and what it asks of its arguments in torch's words."""

import functools
import inspect
import operator
import os
import sys
from collections.abc import Callable
from typing import Any

from ..array import dtypes, xp
from ..core.beside.lines import PACKAGE_FILES
from ..core.beside.refusals import must_be, must_be_tensor, shape_mismatch, type_said
from ..core.graph import TensorBase, constant
from ..core.row import Row, parameters
from ..text import presentation
from ..text.presentation import need as need, require as require, torch_says as torch_says, warn as warn


def titled(function: Callable, name: str, doc: str) -> Callable:
    """A function that another one made, with the name and the documentation that `help` shows."""
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name)  # in tracebacks and in `learners_call` as well
    function.__doc__ = doc
    return function


_NUMBER_FIRST = set("""add sub subtract mul multiply div divide true_divide floor_divide remainder pow float_power
    xlogy bitwise_and bitwise_or bitwise_xor""".split())


def words(call: Callable) -> tuple[str, ...]:
    """The names of what an operation takes, also of those that can be given by name only."""
    while not hasattr(call, "row") and hasattr(call, "__wrapped__"):
        call = call.__wrapped__
    code = call.__code__
    return call.row.inputs if hasattr(call, "row") else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


SYNONYMS = {"axis": "dim", "keepdims": "keepdim", "split_size_or_sections": "split_size", "split_sizes": "split_size"}
# Arguments that are tensors wherever they come first; the first two may be numbers to some operations.
OPERANDS = "other exponent vec vec2 mat2 tensor weight index indices mask src".split()


def in_torchs_words(options: dict) -> dict:
    """Options as torch's method names them; it takes NumPy's names too, and its function may have one of its own."""
    return {SYNONYMS.get(name, name): value for name, value in options.items()}


def as_method(name: str, call: Callable) -> Callable:
    """An operation under its name, which may be given `axis` for its `dim`.

    An operand that it cannot take is a TypeError, before all else that is wrong: where an operator leaves it to
    Python and says NotImplemented, and where an operation stumbles over it.
    """
    taken = words(call)
    operand = next((word for word in taken[1:2] if word in OPERANDS and name[-1] != "_"), None)
    if operand is None and ((taken := {*taken}).isdisjoint({"dim", "axis"}) or taken >= {"axis", "keepdims"}):
        return call

    @functools.wraps(call)
    def method(self: Any, *args: Any, **options: Any) -> Any:
        try:
            result = call(self, *args, **(options and in_torchs_words(options)))
        except (AttributeError, RuntimeError) as refused:
            first = next(iter((*args, *options.values())), self)
            fits = hasattr(first, "__float__") or (operand == "indices" and isinstance(first, tuple | list))
            if operand is None or isinstance(first, TensorBase) or (fits and isinstance(refused, RuntimeError)):
                raise
        else:
            if result is not NotImplemented:
                return result
        raise must_be_tensor(name, operand, 1, next(iter((*args, *options.values()))))

    method.bare = call  # type: ignore[attr-defined]
    return titled(method, name, call.__doc__ or "")


def as_function(name: str, method: Callable) -> Callable:
    """A method as `torch.name`: its tensor is called `input`, and what cannot be taken is a TypeError."""
    if parameters(method) == ("input",):
        return method  # torch's function already: one tensor, and nothing else
    method = getattr(method, "bare", method)

    @functools.wraps(method)
    def function(input: Any, *args: Any, **options: Any) -> Any:
        if not isinstance(input, TensorBase):
            if name not in _NUMBER_FIRST or not isinstance(input, int | float):
                raise must_be_tensor(name, "input", 1, input)
            if name != "pow":
                beside = args[0]._data if args and isinstance(args[0], TensorBase) else input
                input = constant(TensorBase._plain, xp.asarray(input, dtypes.result_dtype(beside, input)))
        result = method(input, *args, **(options and in_torchs_words(options)))
        if result is NotImplemented:
            raise must_be_tensor(name, "other", 2, args[0])
        return result

    function.__name__ = function.__qualname__ = name
    return function


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


_LAYERS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "nn") + os.sep


def learners_call(value: Any) -> tuple[str, str, int]:
    """Which call of the learner's brought `value` here: its name, the argument's, and its position.

    Read off the frames when it is too late, so that a call that goes well does not pay for it.
    """
    frame: Any = sys._getframe(1)
    faces, shift, end = [], 0, ""
    while frame is not None and frame.f_code.co_filename in PACKAGE_FILES:
        maker = frame.f_code.co_qualname
        if maker == "as_function.<locals>.function":
            shift = 1  # where a method has none, the tensor itself is the first argument
        elif maker in ("inplace.<locals>.write", "_look.<locals>.look"):
            end = "_"
        elif frame.f_code.co_filename != __file__:
            faces.append(frame)
        frame = frame.f_back
    # layers are Python in torch too: it complains of what they call
    face = next((f for f in reversed(faces) if not f.f_code.co_filename.startswith(_LAYERS)), faces[-1])
    code, here = face.f_code, face.f_locals
    if isinstance(here.get("row"), Row):  # the row itself was called
        name, taken = here["row"].name, here["row"].inputs
        given: tuple = (here.get("tensors"), *here.get("args", ()))[-len(taken) :]
    else:  # of `expand(*sizes, size=None)` it is `size` that torch names
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
        more = code.co_varnames[code.co_argcount : count]
        name, taken = code.co_name.removesuffix("_of"), code.co_varnames[: code.co_argcount]
        taken += tuple([word for word in more if word in ("size", "shape", "dims", "repeats")][:1] or more[-1:])
        given = tuple(here[word] for word in taken)
    parts = [x if isinstance(x, tuple | list) else (x,) for x in given]
    place = next((i for i, x in enumerate(parts) if any(part is value for part in x)), len(taken) - 1)
    return name.removesuffix(end) + end, taken[place], place + shift + (taken[:1] != ("self",))


def must_be_a(wanted: str, given: Any) -> Exception:
    """torch's text for an argument of the learner's call that is of another kind."""
    return must_be(wanted, *learners_call(given), given)


def need_a(holds: Any, wanted: str, given: Any, *place: Any) -> None:
    """Raises torch's TypeError for an argument that is no `wanted`, unless `holds`.

    `place`: the function, the argument and its position; else they are read off the learner's call.
    """
    if not holds:
        raise must_be(wanted, *(place or learners_call(given)), given)


def a_tensor(given: Any) -> Any:
    """`given`, if it is a tensor. Raises: TypeError in torch's words."""
    if isinstance(given, TensorBase):
        return given
    raise must_be_a("Tensor", given)


def check_number(x: Any, fixed: bool = False) -> Any:
    """`x`, if it is a number, also in a tensor; a `fixed` one may not require grad, as none would reach it."""
    if not hasattr(x, "__float__") or (fixed and getattr(x, "requires_grad", False)):
        raise must_be_a("Number", x)
    return x


def is_number(x: Any) -> bool:
    """False for a tensor. Raises: TypeError in torch's words for what is neither."""
    check_number(x)
    return not hasattr(x, "_data")


def must_be_ints(values: Any, listed: bool) -> Exception:
    """torch's text for sizes or dimensions, `listed` in one argument or one by one, of which one is no integer."""
    place = next((i for i, n in enumerate(values) if not hasattr(n, "__index__")), 0)
    name, argument, position = learners_call(values[place])
    kind = type_said(values[place])
    if place:
        text = f'failed to unpack the object at pos {place + 1} with error "type must be tuple of ints,but got {kind}"'
    else:
        found = f"but found element of type {kind} at pos 0" if listed else f"not {kind}"
        text = f"(position {position}) must be tuple of ints, {found}"
    return TypeError(f"{name}(): argument '{argument}' {text}")


def ints(values: tuple) -> tuple[int, ...]:
    """Sizes or dimensions given as `(2, 3)` or as one tuple, list or Size. Raises: TypeError in torch's words."""
    listed = len(values) == 1 and values[0].__class__ is not int and isinstance(values[0], tuple | list)
    values = values[0] if listed else values
    try:
        return tuple(map(operator.index, values))
    except TypeError:
        raise must_be_ints(values, listed) from None


def check_dim(dim: int, rank: int) -> int:
    """`dim` counted from the front. Raises: IndexError, or TypeError for what is no int, in torch's words."""
    least = rank or 1
    try:
        inside = -least <= (dim if dim.__class__ is int else operator.index(dim)) < least
    except TypeError:
        raise must_be_a("int", dim) from None
    if not inside:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {dim})")
    return dim % least


def own_dim(self: Any, dim: int) -> int:
    """`dim` as it was given, which is what a node keeps. Raises: IndexError if `self` has no such one."""
    check_dim(dim, self._data.ndim)
    return dim


def dims_of(self: Any, dim: Any) -> tuple:
    """Dimensions as a tuple, each checked and none twice. Raises: IndexError or RuntimeError as torch."""
    if dim is None:
        return ()
    if dim.__class__ is int:
        return (own_dim(self, dim),)
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    seen = [check_dim(d, self._data.ndim) for d in dims]
    for place, d in enumerate(seen):
        if d in seen[:place]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return dims
