"""torch.optim.lr_scheduler: learning rates that change from epoch to epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


class LRScheduler:
    """Sets the learning rate of every group of an optimizer after each epoch."""

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    def next_lr(self, lr: float, base: float) -> float:
        """The learning rate of epoch `last_epoch`, from the one before and the first one."""
        raise NotImplementedError

    def step(self) -> None:
        """Go on to the next epoch."""
        self.last_epoch += 1
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = self.next_lr(group["lr"], base)

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group now."""
        return [group["lr"] for group in self.optimizer.param_groups]


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def next_lr(self, lr: float, base: float) -> float:
        return lr * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else lr


class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def next_lr(self, lr: float, base: float) -> float:
        return lr * self.gamma if self.last_epoch else lr


class LambdaLR(LRScheduler):
    """The first rate times `lr_lambda(epoch)`."""

    def __init__(self, optimizer: Any, lr_lambda: Callable[[int], float], last_epoch: int = -1) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(optimizer, last_epoch)

    def next_lr(self, lr: float, base: float) -> float:
        return base * self.lr_lambda(self.last_epoch)


class CosineAnnealingLR(LRScheduler):
    """From the first rate down to `eta_min` along half a cosine."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def next_lr(self, lr: float, base: float) -> float:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "StepLR"]
