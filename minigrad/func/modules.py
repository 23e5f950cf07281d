"""torch.func: a module as a function of its parameters."""

from typing import Any

from ..core.carriers import TENSORS
from ..text.presentation import need, require


def functional_call(module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None, *,
                    tie_weights: bool = True, strict: bool = False) -> Any:
    """`module(*args, **kwargs)` with the given tensors in place of its own parameters and buffers.

    Raises: ValueError for what is no dict; RuntimeError, with `strict`, for names that are missing or unknown. Names
    are dotted paths.
    """
    dicts = [given] if isinstance(given := parameter_and_buffer_dicts, dict) else [*given]
    need(all(isinstance(part, dict) for part in dicts), "call_dicts")
    given = {name: t for part in dicts for name, t in part.items()}
    both = [name for name in given if sum(name in part for part in dicts) > 1]
    require(not both, f"{both} appeared in multiple dictionaries; behavior of functional call is ambiguous", ValueError)
    homes = {f"{path}.{name}".lstrip("."): (home, name) for path, part in module.named_modules(remove_duplicate=False)
             for home in (part._parameters, part._buffers) for name in home}
    own = {path: home[name] for path, (home, name) in homes.items()}
    missing, unknown = ([n for n in a if n not in b] for a, b in ((own, given), (given, own)))
    said = [f"\n\t{what} key(s): {', '.join(map(repr, names))}." for what, names in
            (("Unexpected", unknown), ("Missing", missing)) if names]
    need(not (strict and said), "call_keys", type(module).__name__, "".join(said))
    if tie_weights:
        new = {id(own[path]): t for path, t in given.items() if path in own}
        given = {path: new[id(t)] for path, t in own.items() if id(t) in new} | given
    try:
        for path, t in given.items():
            module.get_submodule(path.rpartition(".")[0])  # as torch, which takes a name that its module has not
            if path in homes:
                homes[path][0][homes[path][1]] = t
        return module(*(() if args is None else args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for path, t in own.items():
            homes[path][0][homes[path][1]] = t


def stack_module_state(models: Any) -> tuple[dict, dict]:
    """Parameters and buffers of models of one form, stacked for a vmap over models.

    Raises: RuntimeError for no models, for other classes, and where some are in training and others not.
    """
    need(models, "no_models")
    need(len({m.training for m in models}) == 1, "models_of_two_modes")
    need(len({type(m) for m in models}) == 1, "models_of_two_classes")
    stacked = ({name: [dict(getattr(m, kind)())[name] for m in models] for name, _ in getattr(models[0], kind)()}
               for kind in ("named_parameters", "named_buffers"))
    params, buffers = ({name: TENSORS.stack([t.detach() for t in many]) for name, many in d.items()} for d in stacked)
    return {name: p.requires_grad_() for name, p in params.items()}, buffers
