"""torch.optim: ways to walk downhill. Each optimizer is one formula, `update`, on arrays.

`update` gets a parameter, its gradient, what it keeps from step to step, and its options; it writes
into the parameter. Everything around it (groups, closures, saving, printing) is in Optimizer.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..array.backend import xp
from ..autograd.grad_mode import enable_grad
from ..core.beside.ledger import note
from ..core.beside.lines import learners_line
from ..core.graph import bump, constant
from ..manual import face, furnish
from ..nn.module import forget_grad, typename
from ..text.presentation import need, require, warn
from . import lr_scheduler


class Optimizer:
    """Parameters in groups with options, and a state for each. Source: torch.optim.Optimizer."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._opt_called, self._stepped = type(self).step is not Optimizer.step, False  # a scheduler asks
        need(not isinstance(params, Tensor), "optimizer_params", typename(params))
        groups = list(params)
        require(groups, "optimizer got an empty parameter list", ValueError)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)
        note("made", next((p for group in self.param_groups for p in group["params"]), self))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """More parameters, with options of their own."""
        require(isinstance(param_group, dict), f"param_group must be a dict, but got {type(param_group)}", TypeError)
        params = param_group["params"]
        need(not isinstance(params, set), "optimizer_set")
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        need(len(names) in (0, len(params)), "optimizer_names")
        for p in params:
            need(isinstance(p, Tensor), "optimizer_kind", typename(p))
            require(p.is_leaf, "can't optimize a non-leaf Tensor", ValueError)
        if len({*map(id, params)}) < len(params):
            warn("duplicate_parameters")
        alike = all(bool(names) == ("param_names" in g) for g in self.param_groups)
        old = {id(p) for g in self.param_groups for p in g["params"]}
        need(alike, "optimizer_group_names", "with" if names else "without")
        require(old.isdisjoint(map(id, params)), "some parameters appear in more than one parameter group", ValueError)
        own = {"params": params, **({"param_names": names} if names else {})}
        param_group.update({**own, **self.defaults, **param_group, **own})
        self.param_groups.append(param_group)  # the caller's own dict, as in torch

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients."""
        note("zero_grad", self)
        for p in [p for group in self.param_groups for p in group["params"]]:
            forget_grad(p, set_to_none)

    def step(self, closure: Callable | None = None) -> Any:
        """Update every parameter that has a gradient; a closure computes the loss anew first."""
        loss, line, self._opt_called, self._stepped = None, learners_line(), True, True
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            group = {name: x if x.__class__ in _PLAIN else _numbers(x) for name, x in group.items()}
            decay = not group.get("decoupled_weight_decay") and group.get("weight_decay")
            for p in group["params"]:
                if p._grad is not None:
                    x, g, state = p._array(), p._grad._array(), self.state.get(p, {})
                    g = -g if group.get("maximize") else g
                    g = g + decay * x if decay else g
                    self.update(x, g, state, group)
                    if state:  # plain SGD keeps nothing
                        self.state[p] = state
                    bump(p, line)
        rates = [float(g.get("lr", 1)) for g in self.param_groups if any(p._grad is not None for p in g["params"])]
        note("step", self, max(rates, default=None))
        return loss

    def update(self, p: Any, g: Any, state: dict[str, Any], o: dict[str, Any]) -> None:
        """Write the new values into the array `p`; `o` are the options of its group.

        `g` is its gradient, with weight decay added to it, unless that is decoupled.
        """
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Options and state, parameters by number."""
        number = {id(p): i for i, p in enumerate(p for g in self.param_groups for p in g["params"])}
        groups = [{**{k: v for k, v in g.items() if k != "params"}, "params": [number[id(p)] for p in g["params"]]}
                  for g in self.param_groups]
        state = {number[id(key)] if isinstance(key, Tensor) else key: s for key, s in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved state was taken."""
        params, groups = [p for g in self.param_groups for p in g["params"]], state_dict["param_groups"]
        need(len(groups) == len(self.param_groups), "optimizer_groups")
        have, given = ([len(g["params"]) for g in some] for some in (self.param_groups, groups))
        need(have == given, "optimizer_group_sizes")
        self.state = defaultdict(dict)
        numbered = dict(zip((number for g in groups for number in g["params"]), params, strict=True))
        for key, saved in state_dict["state"].items():
            p = numbered.get(key, key)  # what is no parameter's, of an optimizer of one's own, stays as it is
            self.state[p] = saved if p is key else {name: v.to(v.dtype if name == "step" else p.dtype, copy=True)
                                                    if isinstance(v, Tensor) else v for name, v in saved.items()}
        for place, (g, saved) in enumerate(zip(self.param_groups, groups, strict=True)):
            own = {k: v for k, v in g.items() if k not in saved and k in ("param_names", *self.defaults)}
            self.param_groups[place] = {**saved, **own, "params": g["params"]}

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {k}: {group[k]}\n" for k in sorted(group) if k != "params")
            text += f"\nParameter Group {i}\n{options}"
        return text + ")"


def checked_options(arguments: dict[str, Any], *first: str) -> dict[str, Any]:
    """The options among the `locals()` with which an `__init__` begins, some `first`. Raises: ValueError below 0."""
    names = dict.fromkeys((*first, *arguments))
    options = {name: arguments[name] for name in names if name not in ("self", "params", "__class__")}
    betas, is_sgd = options.get("betas", ()), "dampening" in options
    for name in ("lr", "eps", "momentum", "betas", "weight_decay", "alpha", "lr_decay", "initial_accumulator_value"):
        for i, value in enumerate(betas if name == "betas" else [options.get(name, 0)]):
            below = value < 0.0 if is_sgd else not 0.0 <= value  # noqa: SIM300 - as torch compares: SGD lets NaN pass
            word = {"lr": "learning rate", "eps": "epsilon value", "betas": f"beta parameter at index {i}"}.get(name)
            above = name == "betas" and not value < 1.0
            require(not (below or above), f"Invalid {word or name + ' value'}: {value}", ValueError)
    need(any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)), "optimizer_betas")
    return options


_PLAIN = {float, int, bool, type(None), list}  # classes of options that hold no tensor; `params` is the list


def _numbers(option: Any) -> Any:
    """An option with numbers for its tensors: arrays do not compute with those."""
    if isinstance(option, tuple):
        return tuple(map(_numbers, option))
    return option.item() if isinstance(option, Tensor) else option


def state_array(state: dict[str, Any], name: str, p: Any, value: Any = 0.0) -> Any:
    """An array in the shape of `p` that the state remembers under `name`, filled with `value` at first."""
    if state.get(name) is None:
        state[name] = constant(Tensor, xp.full_like(p, value))
    return state[name]._array()


def next_step(state: dict[str, Any]) -> int:
    """The number of this step, from 1."""
    step = int(state["step"]) + 1 if "step" in state else 1
    state["step"] = constant(Tensor, xp.float32(step))
    return step


class SGD(Optimizer):
    """p -= lr * g; with momentum g is a running sum of gradients that fades.

    Here and below `foreach`, `fused`, `capturable` and `differentiable` are kept without effect.
    """

    def __init__(self, params: Any, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach: Any = None,
                 differentiable: bool = False, fused: Any = None) -> None:
        options = checked_options(locals())
        need(not nesterov or (momentum > 0 and not dampening), "nesterov")
        super().__init__(params, options)

    def update(self, p: Any, g: Any, state: dict[str, Any], o: dict[str, Any]) -> None:
        """With momentum the step goes along a fading sum of gradients."""
        if o["momentum"]:
            first, buffer = state.get("momentum_buffer") is None, state_array(state, "momentum_buffer", p, g)
            if not first:
                buffer *= o["momentum"]
                buffer += (1 - o["dampening"]) * g
            g = g + o["momentum"] * buffer if o["nesterov"] else buffer
        p -= o["lr"] * g


class Adam(Optimizer):
    """Steps of about lr: the mean of past gradients over the root of the mean of their squares."""

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, amsgrad: bool = False, *, maximize: bool = False, foreach: Any = None,
                 capturable: bool = False, differentiable: bool = False, fused: Any = None,
                 decoupled_weight_decay: bool = False) -> None:
        super().__init__(params, checked_options(locals()))

    def update(self, p: Any, g: Any, state: dict[str, Any], o: dict[str, Any]) -> None:
        """Mean and mean square of the gradients, each corrected for having begun at 0."""
        (beta1, beta2), t = o["betas"], next_step(state)
        if o["decoupled_weight_decay"]:  # it shrinks the parameter itself, not through the gradient
            p *= 1 - o["lr"] * o["weight_decay"]
        mean, square = state_array(state, "exp_avg", p), state_array(state, "exp_avg_sq", p)
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * g * g
        if o["amsgrad"]:
            largest = state_array(state, "max_exp_avg_sq", p)
            square = xp.maximum(largest, square, out=largest)
        p -= o["lr"] / (1 - beta1**t) * mean / (xp.sqrt(square) / (1 - beta2**t) ** 0.5 + o["eps"])


class AdamW(Adam):
    """Adam with weight decay that shrinks the parameters themselves."""

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, **options: Any) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options, decoupled_weight_decay=True)


class RMSprop(Optimizer):
    """The gradient over the root of the mean of its squares."""

    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
                 momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: Any = None,
                 maximize: bool = False, differentiable: bool = False) -> None:
        super().__init__(params, checked_options(locals(), "lr", "momentum", "alpha", "eps", "centered"))

    def update(self, p: Any, g: Any, state: dict[str, Any], o: dict[str, Any]) -> None:
        """The mean square of the gradients; `centered` takes the square of their mean from it."""
        next_step(state)
        square = state_array(state, "square_avg", p)
        square *= o["alpha"]
        square += (1 - o["alpha"]) * g * g
        buffer = state_array(state, "momentum_buffer", p) if o["momentum"] > 0 else None
        if o["centered"]:
            mean = state_array(state, "grad_avg", p)
            mean += (1 - o["alpha"]) * (g - mean)
            square = square - mean * mean
        g = g / (xp.sqrt(square) + o["eps"])
        if buffer is not None:
            buffer *= o["momentum"]
            g = xp.add(buffer, g, out=buffer)
        p -= o["lr"] * g


class Adagrad(Optimizer):
    """The gradient over the root of the sum of all its squares."""

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: Any = None, *,
                 maximize: bool = False, differentiable: bool = False, fused: Any = None) -> None:
        super().__init__(params, checked_options(locals(), "lr", "lr_decay", "eps"))
        for group in self.param_groups:  # there before the first step, as torch's
            for p in group["params"]:
                self.state[p]["step"] = constant(Tensor, xp.float32(0))
                state_array(self.state[p], "sum", p._array(), group["initial_accumulator_value"])

    def update(self, p: Any, g: Any, state: dict[str, Any], o: dict[str, Any]) -> None:
        """The sum of all squares, which only grows."""
        t, total = next_step(state), state_array(state, "sum", p)
        total += g * g
        p -= o["lr"] / (1 + (t - 1) * o["lr_decay"]) * g / (xp.sqrt(total) + o["eps"])


furnish(lr_scheduler)
__getattr__, __dir__ = face("torch.optim", globals())
