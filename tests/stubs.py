"""The stubs of minigrad, for editors and type checkers: written from what is there when this runs.

Names, parameters and defaults are those of `inspect.signature`. What a function returns is what its annotation says;
where that says nothing, the samples of the tests (expressions, snippets, `data/typed.py`) run, and each call in them
is looked at. What a parameter takes is tried: values of every kind are put into calls that went well, and a kind that
is refused with a TypeError is left out.

    python -m tests.stubs             write them (in `make fix`)
    python -m tests.stubs --check     change nothing; exit 1 if something would change
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import itertools
import operator
import re
import sys
import textwrap
import types
import typing
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType, NoneType
from typing import Any, Literal, Never

import numpy as np

import minigrad as torch
from minigrad.manual import rows_of
from minigrad.nn import functional
from minigrad.text import presentation
from tests.oracle import expressions, semantics, transcript

NAME = torch.__name__
ROOT = Path(torch.__file__).parent
TYPED = Path(__file__).parent / "data" / "typed.py"
LANGUAGE = f"{NAME}._tensor"
# the one of Tensor last: it also holds the named results that the others return
MODULES = ("autograd", "linalg", "special", "nn", "nn.functional", "nn.init", "nn.utils", "nn.layers", "", "_tensor")
HEADER = '"""For editors and type checkers. Written by `python -m tests.stubs` (in `make fix`)."""'
Tensor, Module = torch.Tensor, torch.nn.Module
EMPTY, Array, Number = inspect.Parameter.empty, np.ndarray[Any, Any], np.number[Any]
UNIONS = (typing.Union, types.UnionType)
VAGUE = (Any, EMPTY, tuple, list, Callable)  # annotations of which a look at the calls makes more
Given = dict[str, Any]
Calls = dict[Any, list[tuple[Given, Any]]]


# ---- looking at calls


@functools.cache
def signature(function: Any) -> inspect.Signature:
    return inspect.signature(function)


def root(function: Any) -> Any:
    """The function that does the work: of `torch.f`, `x.f` and `x.f_` the same one."""
    return inspect.unwrap(function, stop=lambda f: "row" in vars(f))


@functools.cache
def home(value: Any) -> tuple[str, str]:
    """The module from which a class or a function can be imported, and its name there; ("", "") where there is none."""
    inner = [*vars(value).values()] if isinstance(value, type) else []  # a class may say another module than its own
    own = [f.__module__ for f in inner if isinstance(f, FunctionType) and f.__qualname__.startswith(value.__name__)]
    places = [value.__module__, *own]
    if value.__module__ != "builtins":  # what only Python has is not to be had from who happens to use it
        places += [place for place in sys.modules if place.startswith(f"{NAME}.")]
    found = [(place, name) for place in places if place in sys.modules and place != NAME
             for name, there in vars(sys.modules[place]).items() if there is value]
    return next((at for at in found if at[1][0] != "_"), found[0] if found else ("", ""))


def fields_of(kind: Any) -> tuple[str, ...]:
    """The names of the parts of a named result."""
    return getattr(kind, "fields", ()) if isinstance(kind, type) and issubclass(kind, tuple) else ()


def type_of(value: Any) -> Any:
    """The type of a value as a stub writes it; Any for what no stub should promise."""
    kind = type(value)
    for known, said in ((Tensor, Tensor), (np.ndarray, Array), (np.number, Number),
                        (FunctionType | types.MethodType, Callable[..., Any])):
        if isinstance(value, known):
            return said
    if kind in (tuple, list):
        part = join(map(type_of, value))
        return tuple[part, ...] if kind is tuple else list[part]
    return kind if value is None or fields_of(kind) or home(kind)[0] else Any


def join(kinds: Iterable[Any]) -> Any:
    """One type for several results. What is None only sometimes is not said to be, as typeshed does: `T | Any`."""
    found = dict.fromkeys(kind for kind in kinds if kind is not Never)  # of which the parts of an empty tuple are
    if NoneType in found and len(found) > 1:
        return join(kind for kind in found if kind is not NoneType) | Any
    if len(found) > 1 and all(typing.get_origin(kind) is tuple for kind in found):
        return tuple[join(typing.get_args(kind)[0] for kind in found), ...]
    return next(iter(found), Never) if len(found) < 2 else Any


def fresh(value: Any) -> Any:
    """A copy of an argument, which a call may write into."""
    if type(value) in (list, tuple):
        return type(value)(map(fresh, value))
    if type(value) is not Tensor:
        return value
    leaf = value.detach().clone().requires_grad_(value.requires_grad)
    return leaf if value.is_leaf else leaf.clone()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


class Watch(ast.NodeTransformer):
    """Runs programs, and keeps of each call in them that goes well the arguments and the type of the result."""

    def __init__(self) -> None:
        self.calls: Calls = defaultdict(list)
        self.attributes: dict[type, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals"):
            return node  # they look at who calls them
        note = ast.Name("__note__", ast.Load())
        return ast.copy_location(ast.Call(note, [node.func, *node.args], node.keywords), node)

    def note(self, function: Any, /, *args: Any, **options: Any) -> Any:
        """A call of the program's, looked at."""
        given, named = fresh(args), {name: fresh(value) for name, value in options.items()}
        result = function(*args, **options)
        if result is NotImplemented:
            return result
        if isinstance(function, types.MethodType):
            given, function = (fresh(function.__self__), *given), function.__func__
        if isinstance(function, Module):
            for name, value in {**function.__dict__, **function._parameters}.items():
                kind = torch.nn.Parameter if isinstance(value, torch.nn.Parameter) else type_of(value)
                self.attributes[type(function)][name].append(kind)
            function = type(function).forward
            self.calls[function].append(({}, type_of(result)))
        elif isinstance(function, type):
            self.calls[function].append(({}, type_of(result)))
        elif isinstance(function, FunctionType):
            with contextlib.suppress(TypeError, ValueError):
                arguments = inspect.signature(root(function)).bind(*given, **named).arguments
                self.calls[root(function)].append((arguments, type_of(result)))
        return result

    def run(self, source: str, names: Given) -> None:
        """Run a program statement by statement; what is refused is part of the samples too."""
        names["__note__"] = self.note
        for statement in transcript.statements(source):
            tree = ast.fix_missing_locations(self.visit(ast.parse(statement)))
            with contextlib.suppress(Exception):
                exec(compile(tree, "<sample>", "exec"), names)

    def run_all(self) -> None:
        for expression in expressions.expressions():
            self.run(expression, expressions.setup(torch))
        # functional_call lends a module other tensors for its parameters: not what they are declared as
        snippets = [code for name, code in semantics.snippets().items() if not name.startswith(("func:", "tutorials:"))]
        for program in [*snippets, TYPED.read_text("utf-8")]:
            transcript.reset(torch)
            self.run(program, {"torch": torch, "F": functional, "__name__": "session"})
        transcript.reset(torch)


# ---- trying


def leaves() -> list[Any]:
    x = torch.tensor([[0.5, 0.25], [0.875, 0.75]])
    return [x, x[0].clone(), torch.tensor([[1, 0], [0, 1]]), torch.tensor([1, 0]), x > 0.5, torch.stack([x, x]),
            torch.tensor(0.5), torch.tensor(1)]


class Stream:
    """Tensors one by one, which is all that some functions ask for."""

    def __iter__(self) -> Iterator[Any]:
        yield torch.tensor([0.5, 0.25])


# Kinds of values that a parameter may take, with examples. Of these a kind is taken if no TypeError refuses it: the
# example may be wrong by its value, as a dimension that is out of range.
USUAL: dict[Any, list[Any]] = {
    Tensor: leaves()[:6], bool: [True], int: [1, 0, 2], float: [0.5, 1.0],
    tuple[int, ...]: [(0,), (1, 0), (2, 2), (1, 1, 1, 1)], list[int]: [[0], [1, 0], [2, 2]],
    tuple[Tensor, ...]: [(x, x) for x in leaves()[:6]], list[Tensor]: [[x, x] for x in leaves()[:6]],
}
# Of the others one example has to go well. Who takes just any object looks at no value at all.
KINDS: dict[Any, list[Any]] = USUAL | {
    tuple[float, ...]: [(0.5,)], list[float]: [[0.5], [0.25, 0.5]], Iterable[Tensor]: [Stream()],
    slice: [slice(0, 1)], str: ["mean", "sum"], torch.dtype: [torch.float64, torch.int64],
    torch.device: [torch.device("cpu")], Array: [np.array([0.5, 1.0])], Number: [np.float32(0.5)],
    torch.Generator: [torch.Generator()], type: [float], NoneType: [None], object: [object()],
}
# What properties are looked at.
LEAF = torch.ones(2, requires_grad=True)
(LEAF * LEAF).sum().backward()
SEEN = [*leaves(), LEAF, LEAF * 2, LEAF[0]]


class Probe:
    """Calls functions with one argument exchanged, to learn what they take and return."""

    def __init__(self, calls: Calls) -> None:
        self.calls, self.taken = calls, {}
        self.known: dict[str, list[Any]] = defaultdict(leaves)
        for given, _ in [call for seen in calls.values() for call in seen]:
            for name, value in given.items():
                self.known[name].append(value)

    def call(self, function: Any, given: Given, face: Any = None) -> None:
        """Call it (by its public face), and keep the type of the result. Raises: TypeError for NotImplemented."""
        called = face or function
        names = dict(zip(signature(function).parameters, signature(called).parameters, strict=True))
        bound = inspect.BoundArguments(signature(called), {names[n]: given[n] for n in names if n in given})
        result = called(*fresh(bound.args), **{n: fresh(v) for n, v in bound.kwargs.items()})
        if result is NotImplemented:
            raise TypeError
        self.calls[function].append((given, type_of(result)))

    def find(self, function: Any) -> None:
        """Look for calls that go well, for a function of which the samples have none."""
        needed = [n for n, p in inspect.signature(function).parameters.items()
                  if p.default is EMPTY and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        for values in itertools.islice(itertools.product(*(self.known[n][:24] for n in needed)), 4000):
            with contextlib.suppress(Exception):
                self.call(function, dict(zip(needed, values, strict=True)))
                if len(self.calls[function]) > 8:
                    break

    def takes(self, function: Any, parameter: inspect.Parameter, face: Any = None) -> list[Any]:
        """The kinds of values that a parameter takes; none where that cannot be told."""
        key = function, parameter.name, face
        if key not in self.taken:
            self.taken[key] = self.tried(function, parameter, face)
        return self.taken[key]

    def tried(self, function: Any, parameter: inspect.Parameter, face: Any) -> list[Any]:
        name, several = parameter.name, parameter.kind is parameter.VAR_POSITIONAL
        samples = [given for given, _ in self.calls[function][:60]]
        seen = [v for given in samples if name in given for v in (given[name] if several else [given[name]])]
        taken = {tuple[int, ...] if type(v) is torch.Size else type_of(v) for v in seen if v is not ...}
        taken |= {type_of(parameter.default)} - {Any} if parameter.default is not EMPTY else set()
        taken.discard(tuple[Never, ...])
        bases = [given for given in sorted(samples, key=len)[:6] if self.goes_well(function, given, face)][:3]
        for kind, values in KINDS.items():
            answers = (self.goes_well(function, {**base, name: (value,) if several else value}, face)
                       for base, value in itertools.product(bases, values))
            if any(answer or (answer is None and kind in USUAL) for answer in answers):
                taken.add(kind)
        vague = {object, slice} & taken or not taken <= {*KINDS}  # any object, any index, or what is not known here
        return [] if vague else [kind for kind in KINDS if kind in taken]

    def goes_well(self, function: Any, given: Given, face: Any = None) -> bool | None:
        """Whether a call does; None if it is refused, and not with a TypeError."""
        try:
            self.call(function, given, face)
        except Exception as error:
            return False if isinstance(error, TypeError | AttributeError) else None
        return True


def union(kinds: Iterable[Any]) -> Any:
    """A type for several kinds, as short as typing allows: who takes floats takes ints, and so bools."""
    kinds = [*kinds]
    less = {*([int, bool] if float in kinds else [bool] if int in kinds else [])}
    for part in (float, int, Tensor):
        if tuple[part, ...] in kinds and list[part] in kinds:
            kinds[kinds.index(tuple[part, ...])] = Sequence[part]
            less |= {list[part], *([tuple[int, ...], list[int]] if part is float else [])}
    less |= {tuple[Tensor, ...], list[Tensor], Sequence[Tensor]} if Iterable[Tensor] in kinds else set()
    kinds = [kind for kind in kinds if kind not in less]
    return functools.reduce(operator.or_, kinds) if kinds else Any


def hint(function: Any, name: str) -> Any:
    """An annotation of a function, if it can be understood."""
    said = getattr(function, "__annotations__", {}).get(name, Any)
    with contextlib.suppress(Exception):
        return eval(said, function.__globals__) if isinstance(said, str) else said
    return Any


class Face:
    """What a stub says of a function: what its parameters take, and what it returns."""

    def __init__(self, probe: Probe, function: Any, method: bool = False, find: bool = True) -> None:
        self.root = root(function)
        self.signature, self.inner = inspect.signature(function), inspect.signature(self.root).parameters
        returned = hint(self.root, "return")
        if returned in VAGUE and not probe.calls[self.root] and find:
            probe.find(self.root)
        self.calls = probe.calls[self.root]
        face = function if [*self.signature.parameters][:1] == ["input"] else None  # which may take a number first
        self.types = []
        for place, (name, p) in enumerate(self.inner.items()):
            said = hint(self.root, name)
            ask = self.calls and said in VAGUE and p.kind is not p.VAR_KEYWORD and not (method and place == 0)
            ask = ask and not self.root.__module__.startswith("minigrad.viz")  # whose Any is PyTorch's tensors too
            kinds = probe.takes(self.root, p, face) if ask else []
            if said is bool and self.calls:  # for what comes of it
                probe.goes_well(self.root, {**min((given for given, _ in self.calls), key=len), name: not p.default})
            if said is float and any(type_of(given.get(name)) is Tensor for given, _ in self.calls):
                said = Tensor | float
            self.types.append(union(kinds) if kinds not in ([], [NoneType]) else said)
        # kinds of arguments, and the type that comes of them
        given = returned if self.root.__name__ == "forward" or find else self.root.__annotations__.get("return", EMPTY)
        self.returns = [({}, returned)] if returned not in VAGUE or given == "Any" else self.by_argument()

    def by_argument(self) -> list[tuple[dict[str, list[Any]], Any]]:
        """One type for all calls, or one for each kind of some arguments."""
        found = join(kind for _, kind in self.calls)
        single = [name for name, p in self.inner.items() if found is Any and p.kind is not p.VAR_POSITIONAL]
        telling = {name: results for name in single if (results := self.results(name))}
        if not telling:
            return [({}, found)]
        usual = {name: kind_of(self.inner[name].default) for name in telling}
        first = telling[next(iter(telling))].get(usual[next(iter(telling))])
        cases = [({name: [k for k, result in results.items() if result == first] for name, results in telling.items()},
                  first)] if first else []
        cases += [({name: [kind for kind in results if results[kind] == result]}, result)
                  for name, results in telling.items() for result in dict.fromkeys(results.values()) if result != first]
        literal = any(typing.get_origin(kind) is Literal for results in telling.values() for kind in results)
        return [*cases, ({}, Any)] if literal else cases

    def results(self, name: str) -> dict[Any, Any]:
        """Kind of this argument -> type of the result: in all calls, or else in those where the rest is as usual."""
        for alone in (False, True):
            groups: dict[Any, list[Any]] = defaultdict(list)
            for given, kind in self.calls:
                if not alone or all(self.inner[n].default is EMPTY or n == name for n in given):
                    groups[kind_of(given.get(name, self.inner[name].default))].append(kind)
            flags = [] if int in groups else [Literal[True], Literal[False]]
            results = {kind: join(groups[kind]) for kind in [*KINDS, *flags] if kind in groups}
            if 1 < len({*results.values()}) < 4 and not {Any, object} & {*results.values()}:
                return results
        return {}


def kind_of(value: Any) -> Any:
    return Literal[value] if type(value) is bool else type_of(value)


# ---- writing


class Page:
    """One stub: its lines, and what they import."""

    def __init__(self, module: str, watch: Watch, probe: Probe) -> None:
        self.module, self.watch, self.probe = import_module(".".join(filter(None, [NAME, module]))), watch, probe
        folder = ROOT.joinpath(*module.split(".")) if module else ROOT
        self.path = folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")
        self.lines: list[str] = []
        self.imports: dict[str, set[str]] = defaultdict(set)
        here = self.module.__name__
        public = {n: getattr(self.module, n) for n in getattr(self.module, "__all__", dir(self.module)) if n[0] != "_"}
        if here == NAME:
            public |= {n: getattr(self.module, n) for n in dir(self.module)} | {"__version__": ""}
        elif not hasattr(self.module, "__all__"):  # without what it imports for itself
            public = {n: v for n, v in public.items() if getattr(v, "__module__", "") == here or type(v) in (list, dict)
                      or (here == LANGUAGE and v in (Tensor, torch.Size))
                      or (type(v) is FunctionType and watch.calls.get(root(v)))}
        bases = [base for v in public.values() if isinstance(v, type) for base in reversed(v.__mro__)]
        public = {base.__name__: base for base in bases if base.__module__ == here} | public
        self.public = public
        # what a name means in this file
        self.scope = {**public, **(dict.fromkeys(dir(Tensor)) if here == LANGUAGE else {})}

    # -- types as text

    def text(self, kind: Any) -> str:
        if kind in (None, NoneType, Ellipsis):
            return "..." if kind is Ellipsis else "None"
        kind = Any if kind in (EMPTY, Never) else kind
        if isinstance(kind, list):
            return f"[{', '.join(map(self.text, kind))}]"
        origin, parts = typing.get_origin(kind), [*typing.get_args(kind)]
        if origin is Literal:
            return f"{self.typing('Literal')}[{parts[0]}]"
        if origin in UNIONS:
            return " | ".join(dict.fromkeys(map(self.text, parts)))
        bare = {tuple: [Any, ...], dict: [Any, Any], Mapping: [Any, Any], Callable: [..., Any]}
        parts = parts or bare.get(kind, [Any] * (kind in (list, set, type, Iterator, Iterable, Sequence)))
        name = self.name(origin or kind)
        return f"{name}[{', '.join(map(self.text, parts))}]" if parts else name

    def name(self, kind: Any) -> str:
        """The name of a class in an annotation; imported, and under another name where its own means something else."""
        if fields_of(kind):
            module, name = LANGUAGE, f"return_types_{kind.__name__}"
        else:
            module, name = home(kind) if isinstance(kind, type) else ("", "")
            module, name = (module, name) if module else ("typing", "Any")
        if module == self.module.__name__ or (name in self.scope and self.scope[name] is kind):
            return name
        hidden = name in self.scope
        if hidden or module != "builtins":
            self.imports[self.relative(module)].add(f"{name} as _{name}" if hidden else name)
        return f"_{name}" if hidden else name

    def relative(self, module: str) -> str:
        """A module as an import in this file names it."""
        if not f"{module}.".startswith(f"{NAME}."):
            return module
        here, there = self.path.relative_to(ROOT).parent.parts, module.split(".")[1:]
        same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], zip(here, there, strict=False))])
        return "." * (len(here) - same + 1) + ".".join(there[same:])

    # -- functions and classes

    def function(self, name: str, function: Any, pad: str = "") -> None:
        face = Face(self.probe, function, bool(pad), not pad or self.module.__name__ == LANGUAGE)
        for kinds, returned in face.returns:
            said = []
            for p, inner, kind in zip(face.signature.parameters.values(), face.inner, face.types, strict=True):
                chosen = kinds.get(inner)
                said.append(self.parameter(p, union(chosen) if chosen else kind,
                                           bool(chosen) and kind_of(p.default) not in chosen))
            if pad:
                said[0] = "cls" if self.lines[-1:] == ["    @classmethod"] or name == "__new__" else "self"
                said[1:] = [re.sub(r"^self:", "other:", part) for part in said[1:]]  # a reflected operator
            if len(face.returns) > 1:
                self.lines.append(f"{pad}@{self.typing('overload')}")
            self.define(pad, name, said, returned, function)

    def parameter(self, p: inspect.Parameter, kind: Any, elsewhere: bool = False) -> str:
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**", p.KEYWORD_ONLY: "+"}.get(p.kind, "")
        plain = p.default in (None, ()) or type(p.default) in (bool, int, str) or (
            type(p.default) is float and p.default - p.default == 0)
        value = "" if p.default is EMPTY else f" = {p.default!r}" if plain and not elsewhere else " = ..."
        return f"{star}{p.name}: {self.text(kind)}{value}"

    def define(self, pad: str, name: str, parameters: list[str], returned: Any, about: Any = None) -> None:
        """A definition, with the first sentence of its documentation; `+` marks what can only be given by name."""
        first = next((i for i, said in enumerate(parameters) if said[0] == "+"), None)
        if first is not None and not any(said[0] == "*" and said[1] != "*" for said in parameters):
            parameters = [*parameters[:first], "*", *parameters[first:]]
        parameters = [said.removeprefix("+") for said in parameters]
        result = self.text(returned)
        line = wrapped(f"{pad}def {name}(", parameters, f") -> {result}:", pad)
        ignore = "  # type: ignore[override]" * (name in ("__eq__", "__ne__"))
        tells = about is not None and about.__doc__ and name[:2] != "__"
        said = inspect.cleandoc(str.__str__(about.__doc__)).split("\n\n")[0] if tells else ""
        doc = said.replace("\\", "\\\\").replace("\n", f"\n{pad}    ")
        self.lines += [f"{line}{ignore}", f'{pad}    """{doc}"""'] if said else [f"{line} ...{ignore}"]

    def typing(self, name: str) -> str:
        self.imports["typing"].add(name)
        return name

    def klass(self, name: str, kind: type, bases: Iterable[type], members: Given) -> None:
        heading = f"class {name}({', '.join(map(self.text, bases))}):".replace("(object)", "")
        doc = inspect.cleandoc(kind.__doc__ or "").replace("\n", "\n    ")
        self.lines += ["", "", heading, f'    """{doc}"""']
        for attribute, kinds in self.watch.attributes[kind].items():
            if attribute[0] != "_" and attribute != "training":
                self.lines.append(f"    {attribute}: {self.text(join(kinds))}")
        for member, value in members.items():
            if isinstance(value, FunctionType):
                if not (issubclass(kind, tuple) and hasattr(tuple, member) and hint(value, "return") in VAGUE):
                    self.method(member, value, kind)  # else what is inherited says more
            elif isinstance(value, classmethod):
                self.lines.append("    @classmethod")
                self.function(member, value.__func__, "    ")
            elif isinstance(value, property):
                self.property(member, value)
            elif member == "__hash__":  # without it, `__eq__` would make it no key
                self.lines.append(f"    def __hash__(self) -> {self.name(int)}: ...")
        called = self.watch.calls.get(getattr(kind, "forward", None))
        if called and "__call__" not in members:
            rest = [f"*args: {self.text(Any)}", f"**options: {self.text(Any)}"]
            self.define("    ", "__call__", ["self", *rest], join(result for _, result in called))
        self.lines += ["", ""]

    def method(self, name: str, value: Any, owner: Any) -> None:
        known = inspect.getclosurevars(value).nonlocals
        if name != "__init__" or "options" not in known:
            return self.function(name, value, "    ")
        # of a layer that is a row in the table of layers: its options are those of a function
        face = Face(self.probe, inspect.getclosurevars(owner.forward).nonlocals["function"])
        types = dict(zip(face.inner, face.types, strict=True))
        by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD
        said = [self.parameter(inspect.Parameter(n, by_name, default=EMPTY if v is ... else v), types.get(n, Any))
                for n, v in known["options"].items()]
        return self.define("    ", name, ["self", *said], None)

    def property(self, name: str, value: property) -> None:
        said = hint(value.fget, "return")
        if said in VAGUE:
            found = []
            for x in SEEN:
                with contextlib.suppress(Exception):
                    found.append(type_of(getattr(x, name)))
            said = join(found)
        if typing.get_origin(said) in UNIONS and NoneType in typing.get_args(said):
            said = join(typing.get_args(said))  # what may be None is not said to be
        if not isinstance(value.fget, FunctionType):
            self.lines.append(f"    {name}: {self.text(Any)}")
            return
        self.lines.append("    @property")
        self.define("    ", name, ["self"], said, value)
        if value.fset and type(value) is property:
            self.lines += [f"    @{name}.setter", f"    def {name}(self, value: {self.text(Any)}) -> None: ..."]
        if value.fdel:
            self.lines += [f"    @{name}.deleter", f"    def {name}(self) -> None: ..."]

    # -- the whole

    def fill(self, named: Iterable[type] = ()) -> str:
        for kind in named if self.module.__name__ == LANGUAGE else ():
            self.imports["typing"].add("NamedTuple")
            self.lines += ["", "", f"class return_types_{kind.__name__}(NamedTuple):",
                           *(f"    {field}: Tensor" for field in fields_of(kind))]
        for name, value in self.public.items():
            self.member(name, value)
        imports = [wrapped(f"from {module} import (", sorted(self.imports[module]), ")")
                   for module in sorted(self.imports, key=lambda m: (m[0] == ".", m))]
        listed = []
        if hasattr(self.module, "__all__"):
            listed = ["", wrapped("__all__ = [", [f'"{name}"' for name in self.module.__all__], "]")]
        text = "\n".join([HEADER, "", *imports, *listed, "", "", *self.lines]).rstrip() + "\n"
        return re.sub(r"\n{4,}", "\n\n\n", text)

    def member(self, name: str, value: Any) -> None:
        here = self.module.__name__
        if isinstance(value, ModuleType):
            package, _, last = value.__name__.rpartition(".")
            self.imports[self.relative(package)].add(f"{last} as {name}")
        elif value is Tensor and here == LANGUAGE:
            base = Tensor.__mro__[1]
            self.klass(name, value, [base], {n: v for n, v in {**vars(base), **vars(Tensor)}.items()
                                            if n[0] != "_" or n[:2] == "__"})
        elif isinstance(value, type) and not issubclass(value, Tensor) and any(
                kind is Tensor for _, kind in self.watch.calls[value]):  # Variable(x) is a tensor
            said = [self.parameter(p, hint(value.__new__, p.name)) for p in signature(value).parameters.values()]
            self.define("", name, said, Tensor, value)
        elif isinstance(value, type) and home(value)[0] == here:
            members = {n: v for n, v in vars(value).items() if n[0] != "_" or n[:2] == "__"}
            self.klass(name, value, getattr(value, "__orig_bases__", value.__bases__), members)
        elif isinstance(value, FunctionType) and (
                home(value)[0] in (here, "") or self.probe.calls.get(root(value)) or rows_of(value)):
            self.function(name, value)
        elif isinstance(value, type | FunctionType) and home(value)[0]:
            module, known = home(value)
            self.imports[self.relative(module)].add(f"{known} as {name}")
        else:
            self.lines.append(f"{name}: {self.text(type_of(value))}")


def wrapped(start: str, parts: list[str], end: str, pad: str = "") -> str:
    """A list on one line, or on as many as it needs."""
    if len(line := start + ", ".join(parts) + end) <= 120:
        return line.replace("import (", "import ").removesuffix(")") if line.startswith("from ") else line
    kept = ", ".join(part.replace(" ", "\0") for part in parts) + ","
    return "\n".join([start, textwrap.indent(textwrap.fill(kept, 112, break_long_words=False), f"{pad}    "),
                      pad + end]).replace("\0", " ")


def stubs() -> dict[Path, str]:
    """Every stub and its text."""
    with quiet():
        watch = Watch()
        watch.run_all()
        probe = Probe(watch.calls)
        found: dict[Path, str] = {}
        for page in [Page(module, watch, probe) for module in MODULES]:
            named = {kind for seen in probe.calls.values() for _, kind in seen if fields_of(kind)}
            found[page.path] = page.fill(sorted(named, key=lambda kind: kind.__name__))
    return found


def main() -> int:
    presentation.explain = lambda *given: None  # of thousands of values that are refused nobody reads the notes
    changed = {path: text for path, text in stubs().items() if not path.exists() or path.read_text("utf-8") != text}
    for path, text in changed.items():
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT.parent)} is out of date; write it again: python -m tests.stubs")
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
    return len(changed) if "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
