"""`python -m tests.oracle.opinfo [NAME ...]`: PyTorch's own samples of its operations, run in both.

`torch.testing._internal` keeps for each operation the calls that PyTorch tests it with. All that minigrad
has is called alike here, as a function, a method and in place, and compared: results, their types, shapes,
grad_fn and whether they are views, gradients, errors with their first line. Prints what differs.
"""

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import minigrad

from .waiting import OPINFO as KNOWN

KINDS = ("float64", "int64")
MOST = 20  # samples of one operation and type
LEFT_OUT = """empty empty_like new_empty T H mT mH real double float half long int short byte bool einsum
    normal""".split()  # no values, no functions, or samples that only PyTorch's own wrapper can call


class Untranslatable(Exception):
    """A sample that minigrad has no value for: a complex number, a sparse tensor, a generator."""


def found(root: Any, name: str) -> Any:
    for part in name.split("."):
        root = getattr(root, part, None)
    return root


def copied(value: Any, torch: Any, lib: Any, made: dict) -> Any:
    """A sample's arguments anew, for torch or for minigrad, tensors with the strides that they have."""
    if isinstance(value, torch.Tensor):
        if id(value) not in made:
            if value.layout is not torch.strided or not hasattr(minigrad, str(value.dtype).removeprefix("torch.")):
                raise Untranslatable
            whole = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage()).clone()
            part = whole.as_strided(value.shape, value.stride(), value.storage_offset()).numpy()
            made[id(value)] = lib.from_numpy(part).requires_grad_(value.requires_grad)
        return made[id(value)]
    if isinstance(value, torch.Size | tuple | list):
        parts = [copied(part, torch, lib, made) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, torch.dtype | torch.memory_format | torch.layout):
        value = getattr(lib, str(value).removeprefix("torch."), None)
    if value is None or isinstance(value, bool | int | float | str | slice | type(...)) or lib is torch:
        return value
    if type(value).__module__.startswith("minigrad"):
        return value
    raise Untranslatable


def leaves(value: Any, Tensor: type) -> Iterator[Any]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part, Tensor)


def observed(lib: Any, call: Any, args: tuple, options: dict, inputs: list) -> dict[str, Any]:
    """What a call gives: plain data for each result, and the gradient of each input."""
    lib.manual_seed(5)
    try:
        results = list(leaves(call(*args, **options), lib.Tensor))
    except Exception as e:
        return {"error": f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"}
    seen: dict[str, Any] = {"results": len(results)}
    for i, t in enumerate(results):
        seen[f"{i}: shape, type"] = tuple(t.shape), str(t.dtype)
        seen[f"{i}: grad_fn"] = t.grad_fn.name() if t.grad_fn else t.requires_grad
        seen[f"{i}: values"] = t.detach().numpy()
    ways = np.random.default_rng(3)
    weighted = [(t * lib.from_numpy(ways.normal(size=tuple(t.shape)))).sum() for t in results if t.requires_grad]
    wanted = [t for t in inputs if t.requires_grad]
    if weighted and wanted:
        try:
            grads = lib.autograd.grad(sum(weighted), wanted, allow_unused=True)
            seen |= {f"gradient {i}": None if g is None else g.detach().numpy() for i, g in enumerate(grads)}
        except Exception as e:
            seen["error of backward"] = f"{type(e).__name__}: {str(e).splitlines()[0]}"
    return seen


def alike(a: Any, b: Any) -> bool:
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return type(a) is type(b) and a == b
    if a.dtype.kind != "f" or a.dtype != b.dtype or a.shape != b.shape:
        return a.dtype == b.dtype and np.array_equal(a, b)
    near = 400 * np.finfo(a.dtype).eps
    size = max(1.0, float(np.abs(np.where(np.isfinite(a), a, 0)).max(initial=0)))
    return np.allclose(a, b, rtol=near, atol=near * size, equal_nan=True)


def forms(entry: Any, torch: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each way to call an operation that both have: its name, torch's, ours."""
    for owner in ("", "Tensor."):
        for mark in ("", "_") if owner else ("",):
            theirs, ours = (found(lib, f"{owner}{entry.name}{mark}") for lib in (torch, minigrad))
            if callable(theirs) and callable(ours) and not inspect.isclass(ours):
                yield f"{owner}{entry.name}{mark}", theirs, ours


def samples(entry: Any, torch: Any) -> Iterator[tuple[tuple, dict]]:
    for name in KINDS:
        kind = getattr(torch, name)
        if kind in entry.dtypes:
            torch.manual_seed(0)
            drawn = list(entry.sample_inputs("cpu", kind, requires_grad=name == "float64" and entry.supports_autograd))
            for s in drawn[:: max(1, len(drawn) // MOST)]:
                yield (s.input, *s.args), dict(s.kwargs)


def in_order(name: str, args: tuple) -> tuple:
    """PyTorch's samples put first what a method is called on; three functions take it later."""
    if name in ("polygamma", "special.polygamma", "where", "nn.functional.embedding"):
        return args[1], args[0], *args[2:]
    return args


def brief(value: Any) -> str:
    if hasattr(value, "shape"):
        return f"{str(value.dtype).removeprefix('torch.')}{[*value.shape]}"
    return f"[{', '.join(map(brief, value))}]" if isinstance(value, list | tuple) else repr(value)


def disagreements(entry: Any, torch: Any) -> Iterator[str]:
    """One line for each form of call in which something differs."""
    drawn = list(samples(entry, torch))
    for form, theirs, ours in forms(entry, torch):
        for args, options in drawn:
            if not isinstance(args[0], torch.Tensor) and form.startswith("Tensor."):
                continue
            seen = []
            for lib, call in ((torch, theirs), (minigrad, ours)):
                made: dict[int, Any] = {}
                try:
                    own = copied(in_order(form, args), torch, lib, made)
                    named = {n: copied(v, torch, lib, made) for n, v in options.items()}
                except Untranslatable:
                    break
                if form.endswith("_"):  # on a copy, since leaves may not be written
                    own = (own[0].clone(), *own[1:])
                seen.append(observed(lib, call, own, named, list(made.values())))
                if form.endswith("_"):  # of two reasons to refuse a write either may be said first
                    seen[-1]["error"] = seen[-1].get("error", "").split(":")[0]
            if len(seen) == 2 and (wrong := [k for k in seen[0].keys() | seen[1].keys()
                                             if not alike(seen[0].get(k), seen[1].get(k))]):
                first = min(wrong)
                yield (f"{form}({', '.join(map(brief, [*args, *options.items()]))}): {first}: {seen[0].get(first)!r} "
                       f"!= {seen[1].get(first)!r}")
                break


def main(*names: str) -> None:
    import torch
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_methods_invocations import op_db

    # Four fifths of the time of a run: before each sample PyTorch reads the whole stack, to name the test it is in,
    # and each seed takes a stack trace for every kind of device.
    common_utils.extract_test_fn = lambda: None
    torch.manual_seed = torch.default_generator.manual_seed
    if unknown := {*names} - {entry.full_name for entry in op_db if entry.name not in LEFT_OUT}:
        sys.exit(f"PyTorch has no samples of {', '.join(sorted(unknown))}, or they are left out here.")
    for entry in op_db:
        if entry.name in LEFT_OUT or (names and entry.full_name not in names):
            continue
        wrong, known = list(disagreements(entry, torch)), not names and KNOWN.get(entry.full_name)
        for line in () if known else wrong:
            print(f"{entry.full_name}: {' '.join(line.split())}"[:400])
        if names and not wrong:
            print(f"{entry.full_name}: no sample differs")
        if known and not wrong:
            print(f"{entry.full_name} agrees: take it out of tests/oracle/waiting.py")


if __name__ == "__main__":
    main(*sys.argv[1:])
