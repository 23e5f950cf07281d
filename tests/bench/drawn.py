"""Programs of the kinds of W2, W6 and W7, of operations drawn from a list of twenty: what holds for one must for any.

`interleaved --draw 7` draws other ones. Only torch runs them beside minigrad.
"""

from __future__ import annotations

import random
from typing import Any

from .workloads import Step, Workload, leaves, normal

NUMBERS = [  # T, the number so far, two leaves
    lambda T, s, x, y: s * x, lambda T, s, x, y: s + y, lambda T, s, x, y: s - y, lambda T, s, x, y: y - s,
    lambda T, s, x, y: s * 0.5, lambda T, s, x, y: 1 - s, lambda T, s, x, y: s / 2, lambda T, s, x, y: s + 0.1,
    lambda T, s, x, y: -s, lambda T, s, x, y: s.tanh(), lambda T, s, x, y: s.sin(), lambda T, s, x, y: s.cos(),
    lambda T, s, x, y: s.sigmoid(), lambda T, s, x, y: s.abs(), lambda T, s, x, y: s.relu(),
    lambda T, s, x, y: s.atan(), lambda T, s, x, y: s.clamp(-1, 1), lambda T, s, x, y: T.maximum(s, y),
    lambda T, s, x, y: T.minimum(s, x), lambda T, s, x, y: s.erf(),
]
ROWS = [  # T, a matrix of 32x64, a row of 64, row numbers
    lambda T, x, b, at: x - x.mean(0), lambda T, x, b, at: x - x.mean(1, keepdim=True), lambda T, x, b, at: x * b,
    lambda T, x, b, at: x + b, lambda T, x, b, at: x - x.amax(1, keepdim=True),
    lambda T, x, b, at: x - x.logsumexp(1, keepdim=True), lambda T, x, b, at: x / (x.std(1, keepdim=True) + 1),
    lambda T, x, b, at: x + x[at].sum(0), lambda T, x, b, at: x + x[:, 2:10].sum(1, keepdim=True),
    lambda T, x, b, at: x.softmax(1), lambda T, x, b, at: x.clamp(-1, 1), lambda T, x, b, at: T.where(x > 0, x, b),
    lambda T, x, b, at: T.cat([x[16:], x[:16]]), lambda T, x, b, at: x.cumsum(1) / 64, lambda T, x, b, at: x.flip(0),
    lambda T, x, b, at: x * x.norm(dim=1, keepdim=True) / 8, lambda T, x, b, at: x.masked_fill(x > 1, 1.0),
    lambda T, x, b, at: x + x.max(0)[0], lambda T, x, b, at: x.index_select(0, at).mean(0) + x,
    lambda T, x, b, at: T.einsum("ij,j->i", x, b)[:, None] / 64 + x,
]
SMOOTH = [  # what a layer of a network ends in, differentiable twice
    lambda T, a: a.tanh(), lambda T, a: a.sigmoid(), lambda T, a: T.nn.functional.softplus(a), lambda T, a: a.sin(),
    lambda T, a: a.cos(), lambda T, a: a.exp(), lambda T, a: a * a.sigmoid(), lambda T, a: T.nn.functional.gelu(a),
    lambda T, a: T.nn.functional.silu(a), lambda T, a: T.nn.functional.elu(a), lambda T, a: a.atan(),
    lambda T, a: a.square(), lambda T, a: a.pow(3), lambda T, a: (a * a + 1).sqrt(), lambda T, a: a.softmax(1),
    lambda T, a: a.log_softmax(1), lambda T, a: a / (1 + a.abs()), lambda T, a: a.erf(), lambda T, a: (a * a + 1).log(),
    lambda T, a: a - a.mean(1, keepdim=True),
]


class Drawn(Workload):
    small = False  # nobody wrote it by hand
    tolerance = 1e-3

    def __init__(self, seed: int) -> None:
        self.title, self.seed = f"{self.of}, draw {seed}", seed

    @property
    def draw(self) -> random.Random:
        """The same draw for every engine."""
        return random.Random(self.seed)


class Numbers(Drawn):
    key, of = "W2d", "1 000 drawn ops on 0-d tensors and their backward"

    def tensors(self, T: Any) -> Step:
        draw = self.draw
        chains = [draw.choices(NUMBERS, k=39) for _ in range(25)]
        x, y = T.tensor(0.5, requires_grad=True), T.tensor(0.3, requires_grad=True)

        def step():
            x.grad = y.grad = None
            total = x * y
            for chain in chains:
                s = x
                for op in chain:
                    s = op(T, s, x, y)
                total = total + s
            total.backward()
            return x.grad, y.grad

        return step


class Rows(Drawn):
    key, of = "W6d", "twelve drawn ops of broadcasting, reducing, indexing on 32x64"

    def tensors(self, T: Any) -> Step:
        ops = self.draw.sample(ROWS, 12)
        x, b = leaves(T, [normal(32, 64), normal(64, seed=1)])
        at = T.tensor((3, 1, 4, 1, 5))

        def step():
            x.grad = b.grad = None
            y = x * b
            for op in ops:
                y = op(T, y, b, at)
            y.pow(2).mean().backward()
            return x.grad, b.grad

        return step


class Twice(Drawn):
    key, of = "W7d", "gradient of the gradient norm, MLP 8-16-16-3, batch 16, drawn activations"

    def tensors(self, T: Any) -> Step:
        first, second = self.draw.sample(SMOOTH, 2)
        x = T.tensor(normal(16, 8))
        w1, w2, w3 = params = leaves(T, [normal(8, 16, seed=1) * 0.3, normal(16, 16, seed=2) * 0.3,
                                         normal(16, 3, seed=3) * 0.3])

        def step():
            loss = (second(T, first(T, x @ w1) @ w2) @ w3).pow(2).mean()
            grads = T.autograd.grad(loss, params, create_graph=True)
            norm = sum(g.pow(2).sum() for g in grads).sqrt()
            return T.autograd.grad(norm, params)

        return step


def drawn(seed: int) -> list[Workload]:
    return [Numbers(seed), Rows(seed), Twice(seed)]


DRAWN = [workload.key for workload in drawn(0)]
