"""Parameter and Module: what a model is made of, found by name, printed as a tree.

A module keeps its parameters, buffers and child modules in three dictionaries; everything else here
(iterating, saving, moving, printing) walks these.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from functools import partial, partialmethod
from itertools import chain
from typing import Any

from .._tensor import Tensor
from ..array import dtypes, zeros_later
from ..autograd.function import Function
from ..autograd.grad_mode import no_grad
from ..core.beside import scopes
from ..core.beside.hooks import add_hook
from ..core.beside.ledger import note
from ..core.graph import constant
from ..core.modes import grad_mode
from ..text.presentation import need, require, torch_says, warn


class Parameter(Tensor):
    """A leaf tensor that a module counts among its parameters. Source: torch.nn.Parameter."""

    __slots__, __module__ = (), "minigrad.nn.parameter"

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        data = Tensor() if data is None else data
        t = constant(cls, data.detach()._data, data._shared_counter())
        kind = type(requires_grad)
        need(kind is bool, "argument_kind", "_make_subclass", "require_grad", 3, "bool", kind.__name__)
        need(not requires_grad or t._data.dtype.kind == "f", "float_parameters")
        t._requires_grad = requires_grad
        return t

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` did not find, and what it had no place for."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"


class Module:
    """A part of a model: parameters, parts of its own, and `forward`. Source: torch.nn.Module."""

    training: bool

    def __init__(self) -> None:
        self.__dict__.update(training=True, _parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set(),
                             _forward_pre_hooks=OrderedDict(), _forward_hooks=OrderedDict(),
                             _backward_pre_hooks=OrderedDict(), _backward_hooks=OrderedDict())

    def forward(self, *args: Any, **options: Any) -> Any:
        """What the module computes; every module defines it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **options: Any) -> Any:
        first = scopes.begin()
        try:
            if not (self._forward_pre_hooks or self._forward_hooks or self._backward_hooks or self._backward_pre_hooks):
                return self.forward(*args, **options)
            return self._call_with_hooks(args, options)
        finally:
            scopes.end(self, first)

    def _call_with_hooks(self, args: tuple, options: dict[str, Any]) -> Any:
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook(self, args, options)
            if changed is not None:
                args, options = changed
        passing = BackwardHook(self) if self._backward_hooks or self._backward_pre_hooks else None
        args = passing.setup_input_hook(args) if passing else args
        result = self.forward(*args, **options)
        for hook in list(self._forward_hooks.values()):
            changed = hook(self, args, options, result)
            result = result if changed is None else changed
        return passing.setup_output_hook(result) if passing else result

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False) -> Any:
        """Call `hook(module, args)` before forward; a result replaces the arguments.

        `with_kwargs`: `hook(module, args, kwargs)`, whose result is a pair; `prepend`: before the other hooks.
        """
        return add_hook(self._forward_pre_hooks, hook if with_kwargs else partial(_without_options, hook), prepend)

    def register_forward_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False) -> Any:
        """Call `hook(module, args, output)` after forward; a result replaces the output.

        `with_kwargs`: `hook(module, args, kwargs, output)`; `prepend`: before the other hooks.
        """
        return add_hook(self._forward_hooks, hook if with_kwargs else partial(_without_options, hook), prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> Any:
        """Call `hook(module, grad_output)` before the module's backward; a result replaces `grad_output`."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> Any:
        """Call `hook(module, grad_input, grad_output)` after it; a result replaces `grad_input`."""
        return add_hook(self._backward_hooks, hook, prepend)

    # ---- attributes

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        taken = () if isinstance(value, Parameter) else own.get("_parameters", ())
        if isinstance(value, (Parameter, Module)) and name not in taken:
            kind, word = ("_parameters", "parameters") if isinstance(value, Parameter) else ("_modules", "module")
            require(kind in own, f"cannot assign {word} before Module.__init__() call", AttributeError)
            for place in (own, *self._places()):
                if place is not own[kind]:  # there a name keeps its turn
                    place.pop(name, None)
            if isinstance(value, Module):
                own[kind][name] = value
                return
            return self.register_parameter(name, value)
        for place, (word, kind, names) in zip(self._places(), _KINDS, strict=False):
            if name in place:
                need(value is None or isinstance(value, kind), "module_attribute", typename(value), word, name, names)
                place[name] = value
                return
        own[name] = value

    def _places(self) -> list[dict[str, Any]]:
        """Parameters, buffers and modules; none of them before `Module.__init__`."""
        return [self.__dict__[kind] for kind in _PLACES if kind in self.__dict__]

    def __getattr__(self, name: str) -> Any:  # where no ordinary attribute has the name
        own = self.__dict__
        for kind in _PLACES:
            if name in own.get(kind, ()):
                return own[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for place in self._places():
            if name in place:
                del place[name]
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({n for n in chain(super().__dir__(), *self._places()) if not n[0].isdigit()})

    def _add(self, word: str, name: str, value: Any, kind: type, wanted: str) -> None:
        """Put `value` under a new name. Raises: TypeError if it is no `kind`, KeyError if it can be no name."""
        require(isinstance(name, str), f"{word} name should be a string. Got {typename(name)}", TypeError)
        require("_modules" in self.__dict__, f"cannot assign {word} before Module.__init__() call", AttributeError)
        places = self.__dict__[f"_{word}s"]
        got = f", got: {name}" if word == "module" else ""
        require("." not in name, f'{word} name can\'t contain "."{got}', KeyError)
        require(name, f'{word} name can\'t be empty string ""', KeyError)
        require(name in places or not hasattr(self, name), f"attribute '{name}' already exists", KeyError)
        need(value is None or isinstance(value, kind), "module_register", typename(value), word, name, wanted)
        places[name] = value

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None keeps the place."""
        self._add("parameter", name, param, Parameter, "torch.nn.Parameter")

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state but is not trained."""
        self._add("buffer", name, tensor, Tensor, "torch Tensor")
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module under a name."""
        require(module is None or isinstance(module, Module), f"{typename(module)} is not a Module subclass", TypeError)
        self._add("module", name, module, Module, "")

    register_module = add_module

    # ---- walking

    def named_modules(self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator:
        """This module and all below it with their paths, each once if `remove_duplicate`."""
        memo = set() if memo is None else memo
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, child in self._modules.items():
                if child is not None:
                    yield from child.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def _named(self, kind: str, prefix: str, recurse: bool, once: bool = True) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]:
            for name, value in module.__dict__[kind].items():
                if value is not None and not (once and id(value) in seen):
                    seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator:
        """All parameters with their paths."""
        yield from self._named("_parameters", prefix, recurse, remove_duplicate)

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator:
        """All buffers with their paths."""
        yield from self._named("_buffers", prefix, recurse, remove_duplicate)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, with their names."""
        yield from self._named("_modules", "", False)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters."""
        yield from (p for _, p in self.named_parameters(recurse=recurse))

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        yield from (b for _, b in self.named_buffers(recurse=recurse))

    def children(self) -> Iterator[Module]:
        """The modules directly below."""
        yield from (child for _, child in self.named_children())

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
        yield from (module for _, module in self.named_modules())

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as `"encoder.0"`."""
        return self._at(target, "_modules", "an nn.Module") if target else self

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as `"encoder.0.weight"`."""
        return self._at(target, "_parameters", "an nn.Parameter")

    def _at(self, target: str, kind: str, words: str) -> Any:
        above, _, name = target.rpartition(".")
        module = self.get_submodule(above)
        require(hasattr(module, name), f"{type(module).__name__} has no attribute `{name}`", AttributeError)
        require(name in module.__dict__[kind], f"`{name}` is not {words}", AttributeError)
        return getattr(module, name)

    # ---- changing all

    def apply(self, fn: Callable[[Module], Any]) -> Module:
        """Call `fn` on every module, children first."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Module:
        """Put all modules in training mode: dropout drops, batch norm follows its batches."""
        require(isinstance(mode, bool), "training mode is expected to be boolean", ValueError)
        note("train" if mode else "eval", self)
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Module:
        """Put all modules in evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Switch recording on or off for all parameters."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters."""
        note("zero_grad", self)
        for p in self.parameters():
            forget_grad(p, set_to_none)

    def to(self, *args: Any, **options: Any) -> Module:
        """Move parameters and buffers to another type or device, in place; integers keep their type."""
        require("copy" not in options, ".to() does not accept copy argument")
        kind = Tensor().to(*args, **options).dtype
        need(kind.is_floating_point, "to_floats", kind)
        with no_grad():
            for t in (*self.parameters(), *self.buffers()):
                like = t.new_empty(0).to(*args, **options)
                t.data = t.detach().to(like.device, like.dtype if t.is_floating_point() else t.dtype)
                if t.grad is not None:
                    t.grad.data = t.grad.to(*args, **options)
        return self

    def cuda(self, device: Any = "cuda") -> Module:
        """Move parameters and buffers to a GPU."""
        return self.to(device)

    cpu = partialmethod(to, "cpu")
    float, double, half = map(partial(partialmethod, to), (dtypes.float32, dtypes.float64, dtypes.float16))

    # ---- saving

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Tensor]:
        """Parameters and buffers by path on the same memory, without history unless `keep_vars`, and extra states."""
        state: OrderedDict[str, Tensor] = OrderedDict()
        for path, module in self.named_modules(prefix=prefix.rstrip("."), remove_duplicate=False):
            kept = {n: b for n, b in module._buffers.items() if n not in module._non_persistent_buffers_set}
            extra = {"_extra_state": module.get_extra_state()} if hasattr(module, "get_extra_state") else {}
            for name, value in {**module._parameters, **kept, **extra}.items():
                if value is not None or name in extra:
                    state[f"{path}.{name}" if path else name] = value if keep_vars or name in extra else value.detach()
        return state

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> _IncompatibleKeys:
        """Copy a saved state into the parameters and buffers; `assign` puts its tensors in their places instead.

        Raises: RuntimeError for missing or unexpected names (if `strict`) and for other shapes.
        """
        kind = type(state_dict)
        require(issubclass(kind, Mapping), f"Expected state_dict to be dict-like, got {kind}.", TypeError)
        own = Module.state_dict(self, keep_vars=True)
        asked = [n for n in own if not n.endswith("num_batches_tracked")  # which old states of norms do not have
                 or not hasattr(self.get_submodule(n.rpartition(".")[0]), "track_running_stats")]
        keys = _IncompatibleKeys([n for n in asked if n not in state_dict], [n for n in state_dict if n not in own])
        strays = zip(("Missing", "Unexpected"), keys, strict=True) if strict else ()
        problems = [f"{word} key(s) in state_dict: " + ", ".join(f'"{n}"' for n in names) + ". "
                    for word, names in strays if names]
        for name, t in own.items():
            given, (above, _, last) = state_dict.get(name, t), name.rpartition(".")
            if last == "_extra_state":
                self.get_submodule(above).set_extra_state(given)
            elif not isinstance(given, Tensor):
                problems.append(torch_says("state_kind", name, type(given)))
            elif given.shape != t.shape:
                problems.append(torch_says("state_shape", name, given.shape, t.shape))
            elif given is not t and assign:
                given = Parameter(given, t.requires_grad) if isinstance(t, Parameter) else given
                setattr(self.get_submodule(above), last, given)
            elif given is not t:
                t.detach().copy_(given.detach())
        require(not problems, "\n\t".join([f"Error(s) in loading state_dict for {type(self).__name__}:", *problems]))
        if own and not own.keys() & state_dict.keys():
            note("loaded_nothing", self)
        return keys

    # ---- printing

    def extra_repr(self) -> str:
        """What is shown between the parentheses."""
        return ""

    def _parts(self) -> list[tuple[str, str]]:
        return [(name, repr(child)) for name, child in self._modules.items()]

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if self._modules or len(lines) > 1:
            lines += [f"({name}): " + text.replace("\n", "\n  ") for name, text in self._parts()]
            extra = "\n  " + "\n  ".join(lines) + "\n"
        return f"{type(self).__name__}({extra})"


_PLACES = ("_parameters", "_buffers", "_modules")
# What each of them holds, in the words of errors.
_KINDS = (("parameter", Parameter, "torch.nn.Parameter"), ("buffer", Tensor, "torch.nn.Buffer, torch.Tensor"),
          ("child module", Module, "torch.nn.Module"))


# ---- hooks


def _without_options(hook: Callable, module: Module, args: tuple, options: dict, *result: Any) -> Any:
    """Call a hook that takes no keyword arguments; before forward, its arguments come back beside them."""
    changed = hook(module, args, *result)
    return changed if result or changed is None else (changed if isinstance(changed, tuple) else (changed,), options)


class BackwardHookFunction(Function):
    """Hands tensors on: a node on each side of a module, where its gradients come by."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> tuple:
        """The tensors themselves."""
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple:
        """The gradients themselves."""
        return grads


def _past_a_node(values: tuple, hook: Callable) -> tuple[tuple, dict[int, Any]]:
    """`values` with their tensors behind a node that calls `hook`; where these are, and what makes zeros like each."""
    at = {i: v for i, v in enumerate(values) if isinstance(v, Tensor)}
    if not (grad_mode() and any(t.requires_grad for t in at.values())):
        return values, {}
    passed = dict(zip(at, BackwardHookFunction.apply(*at.values()), strict=True))
    next(t.grad_fn for t in passed.values() if t.requires_grad).register_hook(hook)
    zeros = {i: zeros_later(t._data) for i, t in at.items()}
    return tuple(passed.get(i, v) for i, v in enumerate(values)), zeros


class BackwardHook:
    """One call of a module with backward hooks. Source: torch.utils.hooks.BackwardHook."""

    grads: Any = None  # of the results, between `enter` and `leave`

    def __init__(self, module: Module) -> None:
        self.module = module
        self.user_pre_hooks = [*module._backward_pre_hooks.values()]  # torch's names, which pictures read
        self.user_hooks = [*module._backward_hooks.values()]

    def setup_input_hook(self, args: tuple) -> tuple:
        """The arguments, behind a node that calls `leave`."""
        self.none, (args, self.input_tensors_index) = (None,) * len(args), _past_a_node(args, self.leave)
        return args

    def setup_output_hook(self, result: Any) -> Any:
        """The results, behind a node that calls `enter`."""
        results = result if isinstance(result, tuple) else (result,)
        self.count, (results, self.out_at) = len(results), _past_a_node(results, self.enter)
        return results if isinstance(result, tuple) else results[0]

    def enter(self, _: Any, sent: tuple) -> tuple:
        """Backward has reached the results."""
        found = dict(zip(self.out_at, sent, strict=True))
        grads = tuple(found.get(i) for i in range(self.count))
        for hook in self.user_pre_hooks:
            grads = _replaced(grads, hook(self.module, grads), "pre hook", "output")
        self.grads = grads
        if not self.input_tensors_index:
            warn("backward_hook_on_outputs")
            for hook in self.user_hooks:
                given = hook(self.module, self.none, grads)
                need(given is None or (isinstance(given, tuple) and {*given} <= {None}), "module_hook_none")
        return tuple(grads[i] for i in self.out_at)

    def leave(self, sent: tuple, _: Any) -> tuple | None:
        """Backward has reached the arguments: past the results or, with create_graph, on another way."""
        grads, self.grads = self.grads, None
        if grads is None:
            return None
        # zeros also where nobody wants a gradient, as torch
        found = {i: constant(Tensor, zeros()) if g is None else g
                 for (i, zeros), g in zip(self.input_tensors_index.items(), sent, strict=True)}
        inputs = tuple(found.get(i) for i in range(len(self.none)))
        for hook in self.user_hooks:
            inputs = _replaced(inputs, hook(self.module, inputs, grads), "hook", "input")
        return tuple(None if g is None else inputs[i] for i, g in zip(self.input_tensors_index, sent, strict=True))

    enter.__name__ = leave.__name__ = "hook"  # what errors call torch's two


def _replaced(grads: tuple, new: Any, hook: str, what: str) -> tuple:
    new = grads if new is None else new
    need(len(new) == len(grads), "module_hook_count", hook, what, len(new), len(grads))
    return new


def forget_grad(p: Any, set_to_none: bool) -> None:
    """Drop a gradient, or fill it with zeros."""
    if set_to_none or p.grad is None:
        p._grad = None
    else:
        p.grad.detach_().zero_()


def typename(value: Any) -> str:
    """What errors call the type of a value: `torch.FloatTensor`, `int`; a function by its name. Source: torch."""
    kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.").replace("minigrad.", "torch.", 1)
    return value.type() if isinstance(value, Tensor) else name
