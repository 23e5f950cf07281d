"""One expression seen from every side: value, graph, saved fields, gradients, second derivatives.

The list is expressions.txt; `observe` evaluates one line of it in torch or in minigrad and
returns plain data, `differences` compares two such observations under the rules of exactness.
"""

import re
import warnings
from pathlib import Path

import numpy as np

from .transcript import NUMPY_SPEAKS, first_line

LEAVES = {
    "x": [[4, 2], [7, 10]],
    "y": [[6, 3], [12, 5]],
    "v": [3, 6],
    "v2": [5, 2],
    "b": [[[3, 8], [1, 6]], [[7, 2], [5, 4]]],
    "b2": [[[2, 9], [6, 1]], [[4, 3], [8, 7]]],
}
CONSTANTS = {"p": [[1, 3], [5, 2]]}

WRITES = """
def fill_row(x):
    z = x.clone(); z[0] = 1; return z
def copy_entry(x):
    z = x.clone(); z[0, 0] = x[1, 1]; return z
def mutated_row(x):
    z = x.clone(); w = z[0]; w.mul_(2); return w
def add_in_place(x):
    z = x * 2; z += x; return z
def write_slice(x):
    z = x.clone(); z[:, 1:] = x[:, :1] * 2; return z
def write_mask(x):
    z = x.clone(); z[x > 0.7] = 0; return z
def write_index(x):
    z = x.clone(); z[[1, 0]] = x * 3; return z
def write_column(x):
    z = x.clone(); z[:, 0].mul_(x[:, 1]); return z
def write_through_transpose(x):
    z = x.clone(); z.t()[0].add_(1); return z
def write_constant(x):
    z = torch.zeros(2, 2); z[0] = x[1]; return z
def accumulate_rows(x):
    z = torch.zeros(2)
    for row in x: z += row
    return z
"""

# Functions whose last place may differ between two mathematical libraries, and the formulas
# that round more than once; whatever is not named here must agree to the last bit.
ROUNDED = re.compile(
    r"exp|log|sin|cos|tan|sqrt|divide|/|\*\*|pow|sigmoid|softm|softplus|elu|silu|mish|gelu|erf|gamma"
    r"|norm|std|var|mean|hypot|sinc|dist|entropy|loss|attention|linalg|det|inverse|cross|kron"
    r"|similarity|quantile|trap|lerp|addcdiv|reciprocal|float_power|fft|polar|renorm"
    r"|hardsigmoid|hardswish|softsign|glu|prelu|rrelu|interpolate|conv|bilinear"
)
ULPS = 4
TENSOR = re.compile(r"(\w+)(\[[\d, ]*\])(.*)")


def expressions() -> list[str]:
    """The lines of expressions.txt that are neither empty nor a heading."""
    lines = Path(__file__).with_name("expressions.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def setup(torch) -> dict:
    """The names that an expression may use, made afresh: every leaf holds values k/8."""
    names = {"torch": torch, "F": torch.nn.functional, "i": torch.tensor([[0, 1], [1, 0]])}
    torch.manual_seed(0)
    for name, eighths in {**LEAVES, **CONSTANTS}.items():
        names[name] = torch.tensor((np.array(eighths) / 8).tolist())
    for name in LEAVES:
        names[name].requires_grad_()
    exec(WRITES, names)
    return names


def observe(torch, expression: str) -> dict:
    """All that can be seen of one expression, as data that JSON can hold."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=NUMPY_SPEAKS)
        try:
            seen = observe_result(*evaluate(torch, expression))
            if seen["requires_grad"]:
                seen |= observe_backward(torch, expression)
                seen["second"] = attempt(observe_second, torch, expression)
        except Exception as error:
            seen = {"error": first_line(error)}
    seen["warnings"] = sorted({first_line(w.message) for w in caught})
    return {key: value for key, value in seen.items() if value}


def evaluate(torch, expression: str):
    names = setup(torch)
    return eval(expression, names), names


def observe_result(result, names: dict) -> dict:
    """The result as it stands before any backward."""
    node = result.grad_fn
    return {
        "value": plain(result),
        "requires_grad": result.requires_grad,
        "is_leaf": result.is_leaf,
        "version": result._version,
        "same object": [name for name, value in names.items() if value is result],
        "grad_fn": node and node.name(),
        "next": [[n and n.name(), nr] for n, nr in node.next_functions] if node else None,
        "saved": {field: saved(node, field) for field in dir(node) if field[:7] == "_saved_"},
    }


def observe_backward(torch, expression: str) -> dict:
    """The gradients of all leaves, and whether a second backward is refused."""
    result, names = evaluate(torch, expression)
    weight = weights(torch, result, 5, 11)
    first = attempt(result.backward, weight)
    gradients = {name: names[name].grad for name in LEAVES}
    gradients = {name: plain(g) for name, g in gradients.items() if g is not None}
    twice = attempt(result.backward, weight)
    return {"backward": first, "gradients": gradients, "twice": twice and twice[:72]}


def observe_second(torch, expression: str) -> dict | None:
    """The gradient of a weighted sum of the gradients."""
    result, names = evaluate(torch, expression)
    leaves = [names[name] for name in LEAVES]
    options = {"allow_unused": True}
    weight = weights(torch, result, 5, 11)
    first = torch.autograd.grad(result, leaves, weight, create_graph=True, **options)
    live = [g for g in first if g is not None and g.requires_grad]
    if not live:
        return None
    total = sum((g * weights(torch, g, 7, 13)).sum() for g in live)
    second = torch.autograd.grad(total, leaves, **options)
    return {n: plain(g) for n, g in zip(LEAVES, second, strict=True) if g is not None}


def weights(torch, like, step: int, modulus: int):
    """Fixed eighths in the shape of `like`, no two neighbours equal."""
    numbers = [((step * k + 3) % modulus - 2) / 8 for k in range(like.numel())]
    return torch.tensor(numbers, dtype=like.dtype).reshape(like.shape)


def attempt(function, *args):
    """What `function` returns, or the first line of what it raises."""
    try:
        return function(*args)
    except Exception as error:
        return first_line(error)


def saved(node, field: str):
    return attempt(lambda: plain(getattr(node, field)))


def plain(value):
    """A tensor as `float32[2, 2] 0.5 0.25 ...`; tuples as lists; the rest as it is."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if not hasattr(value, "detach"):
        return value
    dtype = str(value.dtype).removeprefix("torch.")
    shortest = np.dtype(dtype).type if dtype in ("float32", "float16") else lambda n: n
    numbers = [str(shortest(n)) for n in value.detach().clone().reshape(-1).tolist()]
    return " ".join([f"{dtype}{list(value.shape)}", *numbers])


def differences(expected, got, ulps: int = 0, floor: float = 0, where: str = "") -> list[str]:
    """Where two observations disagree: one line for each place, torch's side first.

    Derivatives may cancel: their units are those of the largest number in the observation; a
    second derivative multiplies two such numbers.
    """
    if is_tensor(expected) and is_tensor(got):
        same = same_numbers(expected, got, ulps, floor)
        return [] if same else [f"{where}: {expected} != {got}"]
    if isinstance(expected, dict) and isinstance(got, dict):
        keys = [*expected, *(key for key in got if key not in expected)]
        floors = {} if where else derivative_floors(largest(expected))
        return [
            line
            for key in keys
            for line in differences(
                expected.get(key, "nothing"),
                got.get(key, "nothing"),
                ulps,
                floors.get(key, floor),
                f"{where}.{key}",
            )
        ]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = zip(expected, got, strict=True)
        return [
            line
            for i, (e, g) in enumerate(pairs)
            for line in differences(e, g, ulps, floor, f"{where}[{i}]")
        ]
    same = type(expected) is type(got) and expected == got
    return [] if same else [f"{where}: {expected!r} != {got!r}"]


def derivative_floors(size: float) -> dict[str, float]:
    return {"gradients": size, "second": size * max(size, 1)}


def is_tensor(value) -> bool:
    return isinstance(value, str) and bool(TENSOR.match(value))


def largest(value) -> float:
    """The largest finite number in an observation's float tensors."""
    if isinstance(value, (dict, list)):
        return max(map(largest, value.values() if isinstance(value, dict) else value), default=0.0)
    if not is_tensor(value) or not value.startswith("float"):
        return 0.0
    sizes = [abs(float(n)) for n in TENSOR.match(value).group(3).split()]
    return max([n for n in sizes if n < float("inf")], default=0.0)


def same_numbers(expected: str, got: str, ulps: int, floor: float) -> bool:
    """Bitwise for `ulps` 0; else within so many units in the last place of the tensor's scale."""
    (kind, shape, e), (kind_got, shape_got, g) = (TENSOR.match(s).groups() for s in (expected, got))
    if (kind, shape) != (kind_got, shape_got):
        return False
    if not kind.startswith("float") or not ulps:
        return e == g
    e, g = (np.array(side.split(), kind) for side in (e, g))
    finite = np.isfinite(e)
    if not np.array_equal(e[~finite], g[~finite], equal_nan=True):
        return False
    scale = np.abs(e[finite]).max(initial=max(floor, np.finfo(kind).tiny))
    off = np.abs(e[finite].astype(float) - g[finite].astype(float))
    return bool((off <= ulps * np.spacing(scale.astype(kind))).all())


def allowance(expression: str) -> int:
    """How many units in the last place an expression may be off: none, or four."""
    return ULPS if ROUNDED.search(expression) else 0
