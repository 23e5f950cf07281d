"""`import torch` reaches minigrad, visibly and until `uninstall_torch()`.

A finder at the head of `sys.meta_path` answers for `torch` and everything below it with the module of
the same name here, already loaded: `torch.nn.Module is minigrad.nn.Module`. What minigrad lacks is
missing, never taken from an installed torch. A real torch that is imported already is left alone.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

from ..text import demand, noted, presentation, table, torch_names
from . import current_era, era

HERE = __name__.partition(".")[0]
# Rooms of our own, for which torch has no package of that name.
OWN_ROOMS = {*"_foreign array core creation eras graph lessons magics manual ops quick text viz wording".split()}


class Finder(MetaPathFinder, Loader):
    """Finds `minigrad.X` where `torch.X` is asked for."""

    def __init__(self, before: str) -> None:
        self.before = before  # the era to return to
        self.advised: list[Any] = []  # modules that tell the nearest name while this is installed

    def find_spec(self, fullname: str, path: Sequence[str] | None = None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        """The module of minigrad behind `torch...`; None, as the import system wants it, for all else."""
        if fullname.partition(".")[0] != "torch":
            return None
        try:
            ours = counterpart(fullname)
        except ModuleNotFoundError:
            if sys._getframe(2).f_code.co_name == "find_spec":  # a library asks if there is one
                return None
            raise  # an import: say more than that there is none
        return ModuleSpec(fullname, self, loader_state=ours.__spec__, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself, which is loaded already."""
        return counterpart(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run; the import system has put torch's spec on the module: undo that."""
        spec: Any = module.__spec__
        module.__spec__ = spec.loader_state
        if "__getattr__" not in vars(module):
            module.__getattr__ = presentation.adviser(spec.name, vars(module))  # for what it has not
            self.advised.append(module)


def counterpart(fullname: str) -> Any:
    """The module of minigrad that stands for `torch...`. Raises: ModuleNotFoundError if there is none."""
    name = fullname.removeprefix("torch").removeprefix(".")
    home = next((home for home, names in table("names")["homes"].items() if name in names.split()), name)
    ours = f"{HERE}.{home}".rstrip(".")
    try:
        if fullname.partition(".")[2].partition(".")[0] not in OWN_ROOMS:
            module = import_module(ours)
            return module if home == name else SimpleNamespace(**vars(module))  # another one, with the same names
    except ModuleNotFoundError as error:
        if error.name is None or not f"{ours}.".startswith(f"{error.name}."):
            raise  # it is there, but misses something else
    missing = ModuleNotFoundError(f"No module named '{fullname}'", name=fullname)
    where, _, last = fullname.rpartition(".")
    if (what := presentation.waits(last)) or last in torch_names().get(where, ()):
        noted(missing, "alias.waits" if what else "alias.not_yet", name=fullname, what=what)
    raise noted(missing, "alias.no_module", name=fullname) from None


def installed() -> Finder | None:
    """The finder, if `import torch` reaches minigrad at present."""
    return next((f for f in sys.meta_path if isinstance(f, Finder)), None)


def install_as_torch(version: str | None = None) -> None:
    """Let `import torch` mean minigrad, in the era `version` (None: the current one), and say so.

    Raises: RuntimeError if a real torch is imported already.
    """
    torch = sys.modules.get("torch")
    where = getattr(torch, "__file__", None) or "?"
    demand(torch in (None, sys.modules[HERE]), "alias.real_torch", RuntimeError, where=where)
    before = current_era()
    if version is not None:
        era(version)
    if installed() is None:
        sys.meta_path.insert(0, Finder(before))
    # No words of one language: the line is stored in notebooks that have a twin in the other.
    print(f"import torch -> minigrad as PyTorch {current_era()}")


def uninstall_torch() -> None:
    """Undo `install_as_torch`: `import torch` is the installed torch again, or none; the era as before."""
    finder = installed()
    if finder is None:
        return
    sys.meta_path.remove(finder)
    for module in finder.advised:
        del module.__getattr__
    for name in [n for n in sys.modules if n.partition(".")[0] == "torch"]:
        del sys.modules[name]
    era(finder.before)
    print("import torch -> no longer minigrad")
