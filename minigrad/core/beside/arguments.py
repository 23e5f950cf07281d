"""What torch's argument parser says of arguments that fit none of a function's signatures.

The signatures stand in `text/signatures.txt`; nothing is read there, and nothing asked here, before a call has failed.
Source: torch/csrc/utils/python_arg_parser.cpp, of which this is the half that refuses.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ...array import dtypes, xp
from ...array.backend import device
from ...array.random import Generator
from ...text import presentation, signatures
from ..graph import TensorBase
from .refusals import type_said

NUMPYS = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
# Functions whose tensors may be numbers; so may those of their twins in place.
OF_NUMBERS = set("add sub subtract mul multiply div divide true_divide floor_divide copy to".split())


def number(x: Any, kinds: Any = (int, float, complex, xp.number, xp.bool_), types: str = "fiub") -> bool:
    """Whether `x` is a number, also in a tensor without dimensions that wants no gradient."""
    if isinstance(x, TensorBase):
        return not x.requires_grad and not x._data.ndim and x._data.dtype.kind in types
    return isinstance(x, kinds)


def whole(x: Any) -> bool:
    return not isinstance(x, bool) and number(x, (int, xp.integer), "iu")


def listed(x: Any, first: Callable[[Any], bool] = lambda x: True) -> bool:
    """Whether `x` is a list or a tuple, with the right thing in front; torch does not look further here."""
    return isinstance(x, (tuple, list)) and (not x or first(x[0]))


KINDS: dict[str, Callable[[Any], bool]] = {  # by torch's words for them: what they take
    "Tensor": lambda x: isinstance(x, TensorBase), "Number": number, "float": number, "int": whole,
    "bool": lambda x: isinstance(x, bool), "str": lambda x: isinstance(x, str), "object": lambda x: True,
    "tuple of Tensors": lambda x: listed(x) and all(isinstance(t, TensorBase) for t in x),
    "tuple of ints": lambda x: listed(x, whole), "tuple of floats": listed, "tuple of Scalars": listed,
    "torch.dtype": lambda x: isinstance(x, dtypes.dtype) or any(x is kind for kind in (float, int, bool, complex)),
    "torch.device": lambda x: whole(x) or isinstance(x, (str, device)),
    "torch.layout": lambda x: isinstance(x, dtypes.layout), "torch.Generator": lambda x: isinstance(x, Generator),
    "torch.memory_format": lambda x: isinstance(x, dtypes.memory_format), "torch.Storage": lambda x: False}


class FunctionParameter:
    """A parameter, as in `tuple of ints[1]? dim = None`: `[1]` may be one alone, `?` may be None."""

    def __init__(self, text: str) -> None:
        found: Any = re.fullmatch(r"(.+?)(\[\d\])?(\?)? (\w+)(?: = (.*))?", text)
        self.kind, self.alone, self.nullable, self.name, self.default = found.groups()

    def takes(self, x: Any, numbers: bool) -> bool:
        if x is None and (self.nullable or self.default == "None"):
            return True
        return bool(whole(x) if self.alone else numbers and self.kind == "Tensor" and number(x)) or KINDS[self.kind](x)


class Overload:
    """A line of the file; of several, an old one that is still taken is tried last and never shown."""

    def __init__(self, line: str) -> None:
        self.name, inside, self.old = re.findall(r"^\w+\.(\w+)\((.*)\)(.*)", line)[0]
        parts = [part for part in inside.split(", ") if part]
        self.free = parts.index("*") if "*" in parts else len(parts)  # so many may be given by their places
        self.parameters = [FunctionParameter(part) for part in parts if part != "*"]
        self.least = sum(p.default is None for p in self.parameters)
        self.text = re.sub(r"\[\d\]|\?", "", f"({inside})")
        self.spread = self.free == 1 and inside.startswith("tuple of ints ")  # as in `view(2, 3)`

    def bind(self, args: tuple, options: dict[str, Any]) -> dict[str, Any]:
        """The arguments by their names. Raises: TypeError for the first thing that is wrong."""
        if not self.parameters and (args or options):  # what takes none is refused by Python, as a method of C's
            what = "keyword arguments" if options else f"arguments ({len(args)} given)"
            raise TypeError(f"TensorBase.{self.name}() takes no {what}")
        if self.spread and args and listed(args, whole):
            args = (args,)
        if len(args) > self.free:
            raise self.too_many(len(args))
        bound, left = {}, {**options}
        for i, p in enumerate(self.parameters):
            words = [word for word in (p.name, *NUMPYS.get(p.name, ())) if word in left]
            if i >= len(args) and not words:
                if p.default is None:
                    raise self.missing(i)
                continue
            value = bound[p.name] = args[i] if i < len(args) else left.pop(words[0])
            if not p.takes(value, self.name.removesuffix("_") in OF_NUMBERS):
                raise self.misfit(i, value, by_place=i < len(args))
        for word in options if left else ():  # torch blames the first that is not its own word, be it NumPy's
            if word not in [p.name for p in self.parameters[len(args) :]]:
                what = "multiple values for argument" if word in bound else "an unexpected keyword argument"
                raise TypeError(f"{self.name}() got {what} '{word}'")
        return bound

    def too_many(self, given: int) -> Exception:
        said = f"{self.free} positional argument{'s' * (self.free != 1)} but {given} {'was' if given == 1 else 'were'}"
        if self.least != self.free:
            said = f"from {self.least} to {self.free} positional arguments but {given} were"
        return TypeError(f"{self.name}() takes {said} given")

    def missing(self, since: int) -> Exception:
        names = [f'"{p.name}"' for p in self.parameters[since:] if p.default is None]
        plural = "s" * (len(names) == 1)  # torch has them the wrong way round
        return TypeError(f"{self.name}() missing {len(names)} required positional argument{plural}: {', '.join(names)}")

    def misfit(self, i: int, value: Any, by_place: bool) -> Exception:
        """What torch says of the argument for parameter `i`, which is of another kind; of a list, of an element."""
        p, found, where = self.parameters[i], f"not {type_said(value)}", f" (position {i + 1})" * by_place
        if listed(value) and p.kind == "tuple of Tensors":
            at, odd = next((at, x) for at, x in enumerate(value) if not isinstance(x, TensorBase))
            return TypeError(f"expected Tensor as element {at} in argument {i}, but got {type_said(odd)}")
        if listed(value) and p.kind == "tuple of ints" and by_place:
            found = f"but found element of type {type_said(value[0])} at pos 0"
        return TypeError(f"{self.name}(): argument '{p.name}'{where} must be {p.kind}, {found}")

    def unpacked(self, bound: dict[str, Any]) -> list[TypeError]:
        """What torch says of elements of lists of ints that are none, once the signature is chosen."""
        return [TypeError(f"{self.name}(): argument '{p.name}' failed to unpack the object at pos {at + 1} "
                          f'with error "type must be tuple of ints,but got {type_said(x)}"')
                for p in self.parameters if p.kind == "tuple of ints" and listed(bound.get(p.name))
                for at, x in enumerate(bound[p.name]) if not hasattr(x, "__index__")]


@cache
def known(face: str) -> list[Overload]:
    """The signatures of `torch.NAME` or `Tensor.NAME`."""
    return sorted((Overload(line) for line in signatures() if line.startswith(f"{face}(")), key=lambda s: s.old)


def answer(call: Callable, face: str, refused: Exception, args: tuple, options: dict[str, Any]) -> Any:
    """What a call that failed comes to: its result, if a signature of old fits, which torch warns of.

    `face` is `torch.NAME`, or `Tensor.NAME` where `args` begin with the tensor. Raises: TypeError in torch's words
    where no signature takes the arguments, else `refused`.
    """
    faults, own = [], args[: face.startswith("Tensor")]
    args = args[len(own) :]
    try:
        for signature in known(face):
            try:
                bound = signature.bind(args, options)
            except TypeError as fault:
                faults.append(fault.with_traceback(None))
                continue
            if signature.old:
                presentation.warn("old_overload", signature.name, signature.text, known(face)[0].text, once=True)
            elif options.keys() <= bound.keys():  # else NumPy's names were given
                faults = signature.unpacked(bound)[:1]
                break
            return call(*own, **bound)
        if not faults:
            raise refused
        raise complaint(known(face), faults, args, options) from None
    finally:
        del faults, refused  # their tracebacks hold this frame, and with it what was given


def handed_on(face: str, refused: Exception, given: dict[str, Any]) -> Exception:
    """The first misfit among arguments that a function of torch's in Python hands on by their names, or `refused`."""
    for i, p in enumerate(known(face)[0].parameters):  # the name of a reduction is a number there
        if p.name in given and p.name != "reduction" and not p.takes(given[p.name], False):
            return known(face)[0].misfit(i, given[p.name], by_place=True)
    return refused


def complaint(tried: list[Overload], faults: list[TypeError], args: tuple, options: dict[str, Any]) -> Exception:
    """The fault of the only signature for so many arguments, or all signatures that there are."""
    count, shown = len(args) + len(options), [s for s in tried if not s.old]
    near = [fault for s, fault in zip(shown, faults, strict=False) if s.least <= count <= len(s.parameters)]
    if len(near) == 1 or len(faults) == 1:
        return (near or faults)[0]
    kinds = [*map(type_said, args), *(f"{word}={type_said(value)}" for word, value in reversed(options.items()))]
    said = f"({', '.join(kinds)}{', ' * (not args and bool(options))}), but expected"
    strange = [word for word in reversed(options) if all(p.name != word for p in shown[0].parameters)]
    if len(shown) > 1:
        said += " one of:\n" + "".join(f" * {s.text}\n" for s in shown)
    else:
        said = f"unrecognized keyword arguments: {', '.join(strange)}" if strange else f"{said} {shown[0].text}"
    return TypeError(f"{tried[0].name}() received an invalid combination of arguments - got {said}")
