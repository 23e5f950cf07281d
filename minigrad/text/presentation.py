"""How things are named and worded, for the PyTorch that is currently shown.

Nothing in the core knows an era: it asks here when something is printed, raised or warned of. `eras`
puts another table into `current`; with nothing put there, this is today's PyTorch.
"""

import builtins
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any

from . import noted, read, say, table, torch_names


class Presentation:
    """Today's PyTorch (2.13): names and messages as they are written in the core."""

    version = "2.13.0"
    guards_views_of_leaves = True  # whether `leaf[0] = 1` is refused
    whole_leaf = "a leaf Variable"  # what `leaf[:] = 1` is said to use
    hint = ("Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    tensor_text: Any = None  # `minigrad` puts `_tensor.tensor_text` here

    def node_name(self, node: Any) -> str:
        """What `grad_fn.name()` says."""
        return node.torch_name or type(node).__name__

    def type_name(self, node: Any) -> str:
        """What stands in `<... object at 0x...>` and behind `grad_fn=`."""
        return self.node_name(node).rpartition("::")[2]

    def short_name(self, node: Any) -> str:
        """The name as error messages word it: `Exp`, `T1`, `torch::autograd::CopySlices`."""
        return re.sub(r"Backward0?(?=\d?$)", "", self.node_name(node))

    def message(self, key: str, text: str) -> str:
        """The text of an error or a warning; empty for a warning that was not given yet."""
        return text

    def kind(self, key: str, kind: type[Exception]) -> type[Exception]:
        """The class of an error."""
        return kind


current = Presentation()


def error(kind: type[Exception], key: str, text: str, **facts: Any) -> Exception:
    """An exception in the current era's words, with the teaching note for `key` attached."""
    exception = current.kind(key, kind)(current.message(key, text))
    explain(exception, key, facts)
    return exception


@cache
def _sentence(key: str) -> tuple[type, str]:
    """A sentence of PyTorch's, and the error that says it, which stands before it if that is no RuntimeError."""
    import json  # most programs never fail, and importing it takes time

    kind, text = re.findall(r"(?s)^(?:([A-Z]\w+Error): )?(.*)", json.loads(read("torch_says.json"))[key])[0]
    return getattr(builtins, kind or "RuntimeError"), text


def torch_says(key: str, *blanks: Any, **named: Any) -> str:
    """A sentence of PyTorch's, word for word (2.13), its blanks filled: those that would fill lines of code."""
    return _sentence(key)[1].format(*blanks, **named)


def need(holds: Any, key: str, *blanks: Any, kind: type | None = None, **facts: Any) -> None:
    """Raises torch's sentence `key` unless `holds`, as its error or as `kind`; `facts` are for its teaching note."""
    if not holds:
        raise error(kind or _sentence(key)[0], key, torch_says(key, *blanks), **facts)


def require(holds: Any, text: str, error: type = RuntimeError) -> None:
    """Raises `error` with torch's text unless `holds`."""
    if not holds:
        raise error(text)


def no_attribute(module: str, names: Iterable[str], name: str) -> Any:
    """A part of torch's whose names another part has here.

    Raises: AttributeError, torch's for a name that a module has not, with the nearest one that it has.
    """
    for home, parts in table("names")["homes"].items():
        if name in torch_names().get(module, ()) and f"{module}.{name}"[6:] in parts.split():
            return import_module(f"minigrad.{home}")
    error = AttributeError(f"module '{module}' has no attribute '{name}'", name=name)
    if name.startswith("_"):  # probes for protocols, such as `__wrapped__`, need no advice
        raise error
    if what := waits(name):
        raise noted(error, "alias.waits", name=f"{module}.{name}", what=what)
    homes = homes_of(name, module) if name not in table("names")["elsewhere"] else []
    if name in torch_names().get(module, ()):
        raise noted(error, f"alias.not_yet{'_here' * bool(homes)}", name=f"{module}.{name}", nearest="`, `".join(homes))
    near = [home.removeprefix(f"{module}.") for home in homes] or nearest(name, tuple(names), 0.75)
    error.nearest = near if len(near) == 1 and near != homes else []  # type: ignore[attr-defined]
    told = "`, `".join(homes) or f"{module}.{''.join(near)}"
    raise noted(error, f"alias.{'nearest' if near else 'no_name'}", name=f"{module}.{name}", nearest=told)


def waits(name: str) -> str:
    """Why minigrad leaves a name of torch out for now, if that is a decision."""
    kinds = table("names")["waiting"].items()
    return next((say(f"waits.{kind}") for kind, waiting in kinds if name in waiting.split()), "")


def homes_of(name: str, module: str) -> list[str]:
    """Where torch, and minigrad too, has just this name, which a module has not: beneath it, else elsewhere."""
    found = dict[int, str]()
    for home in (home for home, known in torch_names().items() if name in known and home.islower() and home != module):
        with suppress(AttributeError, ImportError):
            if name in dir(part := import_module(f"minigrad{home[5:]}")):
                found.setdefault(id(getattr(part, name)), f"{home}.{name}")
    return [home for home in found.values() if home.startswith(f"{module}.")] or [*found.values()]


@lru_cache(256)  # a library that probes, with `hasattr`, asks often
def nearest(name: str, names: tuple[str, ...], cutoff: float = 0.7) -> list[str]:
    """The name that is nearest to one that does not exist, in a list; capitals and underscores count least.

    Another number is no slip: `conv3` is not `conv2`.
    """
    from difflib import get_close_matches

    known = [n for n in names if not n.startswith("_")]
    if (elsewhere := table("names")["elsewhere"].get(name)) is not None:
        return [n for n in elsewhere.split() if n in known][:1]
    same = [n for n in known if n.lower().replace("_", "") == name.lower().replace("_", "")]
    other = [n for n in known if re.sub(r"\d", "", n) != re.sub(r"\d", "", name)]
    begun = [n for n in other if len(name) > 2 and n.lower().startswith(name.lower())]  # `mse` for mse_loss
    cutoff += 0.1 * (len(name) < 4)  # three letters are soon alike: `foo` is no `floor`
    return get_close_matches(name, same, 1, 0) or begun * (len(begun) == 1) or get_close_matches(name, other, 1, cutoff)


def adviser(module: str, names: Iterable[str]) -> Callable[[str], Any]:
    """A module's `__getattr__`: for what it has not, that it waits, or which name is nearest."""
    return partial(no_attribute, module, names)


def warn(key: str, *blanks: Any, kind: type = UserWarning, once: bool = False) -> None:
    """torch's sentence `key` as a warning at the learner's line, if the current era gave it.

    `once`: only the first time in this process, as torch's C++ warnings are.
    """
    if (text := current.message(key, torch_says(key, *blanks))) and key not in warned:
        if once:
            warned.add(key)
        level, frame = 1, sys._getframe()
        while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
            level, frame = level + 1, frame.f_back
        if len(warned_at) > 100:
            warned_at.clear()
        warned_at[key, frame.f_code, frame.f_lasti] = blanks
        warnings.warn(text, kind, level)


_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
warned: set[str] = set()  # keys of the warnings that were given and will not be given again
warned_at: dict[tuple[str, Any, int], tuple] = {}  # where each was given lately -> its blanks, then


def explain(exception: Exception, key: str, facts: dict[str, Any]) -> None:
    """Add the notes of an error, made only when it is raised: `graph.notes` puts its own function here."""
