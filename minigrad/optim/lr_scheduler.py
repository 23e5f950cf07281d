"""torch.optim.lr_scheduler: learning rates that change from epoch to epoch.

A scheduler writes `lr` into the groups of its optimizer; each class says in `next_lr` what comes next (`LambdaLR` in
`get_lr`), and some in `closed_form` what it is in any epoch.
"""

import math
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from ..core.beside.ledger import note
from ..text.presentation import need, require, warn


class LRScheduler:
    """Sets the learning rate of every group of an optimizer after each epoch; `get_lr` says to what."""

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        require(hasattr(optimizer, "param_groups"), f"{type(optimizer).__name__} is not an Optimizer", TypeError)
        for i, group in enumerate(optimizer.param_groups):
            need(last_epoch == -1 or "initial_lr" in group, "scheduler_initial", i)
            group.setdefault("initial_lr", group["lr"])
        self.optimizer, self.base_lrs = optimizer, [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = last_epoch, 0
        if not hasattr(optimizer, "_scheduled"):  # steps count from its first scheduler on, as in torch
            optimizer._scheduled, optimizer._opt_called = True, optimizer._opt_called and not optimizer._stepped
        self._is_initial, self._get_lr_called_within_step = True, False  # for schedulers of one's own, as torch
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """The learning rates of epoch `last_epoch`, of groups that came later too."""
        if not self._get_lr_called_within_step:
            warn("get_lr")
        return [self.next_lr(g["lr"], base) for g, base in zip_longest(self.optimizer.param_groups, self.base_lrs)]

    def next_lr(self, lr: float, base: float) -> float:
        """A learning rate of epoch `last_epoch`, from the one before and the first one."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch; of old also to any one."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warn("step_too_early")
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        chained = epoch is None or not hasattr(self, "closed_form")
        self._get_lr_called_within_step = True
        rates = self.get_lr() if chained else [self.closed_form(base) for base in self.base_lrs]
        self._get_lr_called_within_step = False
        if epoch is not None:
            warn("epoch_given")
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]
        note("rate", self.optimizer)

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group, as this scheduler has set it."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """All that it keeps, without the optimizer; None for each function."""
        functions = {"lr_lambdas": [None] * len(self.lr_lambdas)} if isinstance(self, LambdaLR) else {}
        return {k: v for k, v in vars(self).items() if k not in ("optimizer", "lr_lambdas")} | functions

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved state was taken."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})


class _LRScheduler(LRScheduler):
    """Its name of old, on which schedulers of one's own are still built."""


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def next_lr(self, lr: float, base: float) -> float:
        """Changes at every multiple of `step_size`."""
        return lr * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else lr

    def closed_form(self, base: float) -> float:
        return base * self.gamma ** (self.last_epoch // self.step_size)


class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def next_lr(self, lr: float, base: float) -> float:
        """Changes at every epoch but the first."""
        return lr * self.gamma if self._step_count > 1 else lr

    def closed_form(self, base: float) -> float:
        return base * self.gamma**self.last_epoch


class LambdaLR(LRScheduler):
    """The first rate times `lr_lambda(epoch)`; a list has one function for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Callable[[int], float] | list, last_epoch: int = -1) -> None:
        n = len(optimizer.param_groups)
        each = self.lr_lambdas = [*lr_lambda] if isinstance(lr_lambda, list | tuple) else [lr_lambda] * n
        require(len(each) == n, f"Expected {n} lr_lambdas, but got {len(each)}", ValueError)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The first rates times what the functions say of this epoch."""
        if not self._get_lr_called_within_step:
            warn("get_lr")
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class CosineAnnealingLR(LRScheduler):
    """From the first rate down to `eta_min` along half a cosine."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def next_lr(self, lr: float, base: float) -> float:
        """From the rate before, as torch computes it, so that others may change it in between."""
        if self._step_count == 1:
            return lr
        if (self.last_epoch - 1) % (2 * self.T_max) == self.T_max:  # up again from the lowest
            return lr + (base - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        before, now = (1 + math.cos(math.pi * epoch / self.T_max) for epoch in (self.last_epoch - 1, self.last_epoch))
        return now / before * (lr - self.eta_min) + self.eta_min

    def closed_form(self, base: float) -> float:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


class ReduceLROnPlateau(LRScheduler):
    """Times `factor`, once what `step` is told has not been better for more than `patience` epochs.

    Better is lower by the part `threshold` of the best so far, or by `threshold` itself in `threshold_mode` "abs"; in
    `mode` "max" it is higher. After a change `cooldown` epochs do not count. No rate falls below `min_lr` (a list has
    one for each group), nor by `eps` or less. Raises: ValueError for an option that is none.
    """

    def __init__(self, optimizer: Any, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0,
                 min_lr: Any = 0, eps: float = 1e-8) -> None:
        require(factor < 1.0, "Factor should be < 1.0.", ValueError)
        require(hasattr(optimizer, "param_groups"), f"{type(optimizer).__name__} is not an Optimizer", TypeError)
        n, several = len(optimizer.param_groups), isinstance(min_lr, list | tuple)
        least = list(min_lr) if several else [min_lr] * n
        require(len(least) == n, f"expected {n} min_lrs, got {len(least)}", ValueError)
        require(mode in ("min", "max"), f"mode {mode} is unknown!", ValueError)
        require(threshold_mode in ("rel", "abs"), f"threshold mode {threshold_mode} is unknown!", ValueError)
        self.optimizer, self.factor, self.default_min_lr = optimizer, factor, None if several else min_lr
        self.min_lrs, self.patience, self.cooldown, self.eps, self.last_epoch = least, patience, cooldown, eps, 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    in_cooldown: Any = property(lambda self: self.cooldown_counter > 0, doc="Whether this epoch does not count.")

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take the number that tells how good this epoch was, as a loss on data that training does not see."""
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if epoch is not None:
            warn("epoch_given")
        better = self._is_better(current, self.best)
        self.best = current if better else self.best
        self.num_bad_epochs = 0 if better or self.in_cooldown else self.num_bad_epochs + 1
        self.cooldown_counter -= self.in_cooldown
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]
        note("rate", self.optimizer)

    def _is_better(self, a: float, best: float) -> bool:
        step = self.threshold if self.mode == "max" else -self.threshold
        bound = best * (1.0 + step) if self.threshold_mode == "rel" else best + step
        return a > bound if self.mode == "max" else a < bound

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            need(self.default_min_lr is not None, "plateau_groups", len(groups), len(self.min_lrs))
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            new = max(float(group["lr"]) * self.factor, least)
            if group["lr"] - new > self.eps:
                group["lr"] = new
