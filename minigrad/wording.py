"""An operation as a method or a function of torch: what it is called with, and in whose words it refuses.

The operations themselves take tensors; here they get torch's names for arguments, and numbers in front. What torch says
of arguments that fit no signature is `core/beside/arguments`, asked once a call has failed.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .array import dtypes, xp
from .core.beside.arguments import OF_NUMBERS, answer, handed_on
from .core.graph import TensorBase, constant
from .core.record import number_in
from .core.row import parameters
from .ops.checks import require, titled


def words(call: Callable) -> tuple[str, ...]:
    """The names of what an operation takes, also of those that can be given by name only."""
    call = inspect.unwrap(call, stop=lambda f: hasattr(f, "row"))
    code = call.__code__
    return call.row.inputs if hasattr(call, "row") else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


# What torch's method takes under NumPy's names too, and what its function calls otherwise.
SYNONYMS = {"axis": "dim", "keepdims": "keepdim", "split_size_or_sections": "split_size", "split_sizes": "split_size"}


def named_here(options: dict[str, Any], call: Callable) -> dict[str, Any]:
    """Arguments by the names that `call` has for them; of both words of a pair the operation refuses one."""
    named = options if SYNONYMS.keys().isdisjoint(options) else {
        SYNONYMS[word] if SYNONYMS.get(word) in words(call) else word: x for word, x in options.items()}
    return named if len(named) == len(options) else options


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
            result = run(*args, **(options if in_python else named_here(options, call))) if options else run(*args)
            if result is not NotImplemented:
                return result
            raise TypeError("an operand is neither a tensor nor a number")
        except Exception as refused:
            if in_python and refused.__traceback__.tb_next is None:  # type: ignore[union-attr]
                raise
            if in_python:
                raise handed_on(face, refused, dict(zip(words(call), args, strict=False)) | options) from None
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
    method = _in_one(method) if name in IN_ONE else method

    def lifting(input: Any, *args: Any, **options: Any) -> Any:
        return method(input if isinstance(input, TensorBase) else _lifted(name, input, *args), *args, **options)

    function = worded(f"torch.{name}", method, lifting=lifting)
    function.lifting = lifting  # type: ignore[attr-defined]  # where `help` sees that it takes `input`
    return function


# what takes ints one by one as a method, as a function in one list or tuple
IN_ONE = {"broadcast_to", "flip", "permute", "reshape", "tile"}


def _in_one(method: Callable) -> Callable:

    @functools.wraps(method)
    def function(input: Any, *args: Any, **options: Any) -> Any:
        require(not args or (len(args) == 1 and isinstance(args[0], tuple | list)), "not in a tuple", TypeError)
        return method(input, *args, **options)

    return function


_NUMBER_FIRST = OF_NUMBERS | set("remainder pow float_power xlogy bitwise_and bitwise_or bitwise_xor".split())


def _lifted(name: str, value: Any, other: Any = None, *more: Any) -> Any:
    """A number in front, Python's or NumPy's, as a tensor beside `other`; `pow` takes numbers."""
    value = number_in(value)
    require(name in _NUMBER_FIRST and isinstance(value, int | float), "no tensor", TypeError)
    kind = dtypes.result_dtype(other._data if isinstance(other, TensorBase) else value, value)
    return value if name == "pow" else constant(TensorBase._plain, xp.asarray(value, kind))
