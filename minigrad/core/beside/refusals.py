"""What an operation says where NumPy refused, in torch's words: no tensor, shapes or types that do not fit."""

import itertools
from typing import Any

from ...array.backend import device_of, xp
from ...text import presentation
from ..graph import TensorBase


def type_said(given: Any) -> str:
    """The type of a value as torch's messages name it: `str`, `numpy.ndarray`."""
    kind = type(given)
    if kind.__name__ in ("method", "function") and str(given.__module__).partition(".")[0] == "minigrad":
        return "builtin_function_or_method"
    home = {"numpy": "numpy.", "torch": "torch.", "minigrad": "torch." * (kind.__name__ != "Tensor")}
    return home.get(kind.__module__, "") + kind.__name__


def refusal(row: Any, arrays: Any, refused: Exception, broadcast: bool) -> Exception:
    """What torch says where a forward could not compute with `arrays`, which `broadcast` or not."""
    if broadcast and isinstance(refused, ValueError):
        return two_devices(*arrays) or shape_mismatch(*[r for r in arrays if hasattr(r, "shape")])
    if row.check_types is not None:
        row.check_types(*[x.dtype.kind for x in arrays])
    return two_devices(*arrays) or (RuntimeError(str(refused)) if "broadcast" in str(refused) else refused)


def two_devices(*arrays: Any) -> Exception | None:
    """torch's text for arrays of which some are on a GPU and some are not; numbers may be anywhere."""
    places = {str(device_of(x)) for x in arrays if getattr(x, "ndim", 0)}
    return RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                        f"{' and '.join(sorted(places, reverse=True))}!") if len(places) > 1 else None


def shape_mismatch(*arrays: Any) -> Exception:
    """torch's text for the first two shapes that do not broadcast, counted from the last dimension."""
    for a, b in itertools.combinations(arrays, 2):
        rank = max(a.ndim, b.ndim)
        left, right = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
        for dim in reversed(range(rank)):
            m, n = left[dim], right[dim]
            if m != n and 1 not in (m, n):
                text = presentation.torch_says("shapes", m, n, dim)
                return presentation.error(RuntimeError, "shapes", text, shapes=(a.shape, b.shape))
    whole = list(xp.broadcast_shapes(*(x.shape for x in arrays)))  # they go together, but not in place
    return RuntimeError(f"output with shape {list(arrays[0].shape)} doesn't match the broadcast shape {whole}")


def tensors_in(name: str, tensors: Any, position: int = 0) -> tuple:
    """A list of tensors as a tuple. Raises: torch's errors for an empty one, and for what is none."""
    presentation.require(isinstance(tensors, (tuple, list)), "no list of tensors", TypeError)
    for place, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise TypeError(f"expected Tensor as element {place} in argument {position}, but got {type_said(t)}")
    if not tensors:
        raise (ValueError("torch.cat(): expected a non-empty list of Tensors") if name == "cat"
               else RuntimeError(f"{name} expects a non-empty TensorList"))
    return tuple(tensors)
