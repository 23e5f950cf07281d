"""The programs that the benchmarks run: one class for each, one method for each kind of engine.

`tensors(T)` is the program as a learner of PyTorch writes it; `T` is `minigrad` or `torch`.
`hand()` is forward and backward in NumPy without any autograd, op by op, in place where a person
would: the floor. `hips`, `mygrad` and `micrograd` speak the peers' own dialects, where they can.
Every method prepares its data and returns `step`, a call without arguments that does the work once
and returns the gradients, so that they can be compared before anything is timed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

Array = np.ndarray
Step = Callable[[], Any]
ENGINES = ("numpy", "minigrad", "torch", "hips", "mygrad", "micrograd")
_MODULES = {"hips": "autograd"}
_DIALECT = {"numpy": "hand", "minigrad": "tensors", "torch": "tensors"}


def normal(*shape: int, seed: int = 0) -> Array:
    """Float32 numbers from a fixed seed: every engine starts from the same ones."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def leaves(T: Any, arrays: Sequence[Array]) -> list[Any]:
    return [T.tensor(array, requires_grad=True) for array in arrays]


class Workload:
    """A program with a key ("W1"), a title and a method for each engine that can run it."""

    key = title = ""
    tolerance = 1e-4  # float32 sums in different orders
    small = True  # worth running in the ordinary tests too

    def engines(self) -> list[str]:
        return [name for name in ENGINES if hasattr(self, _DIALECT.get(name, name))]

    def build(self, engine: str) -> Step:
        """Import the engine and prepare its step. Raises ImportError where it is not installed."""
        return getattr(self, _DIALECT.get(engine, engine))(*load(engine))

    def gradients(self, engine: str) -> list[Array]:
        return arrays(self.build(engine)())


def load(engine: str) -> tuple[Any, ...]:
    """What the engine's method takes: the module or modules that the program is written against."""
    if engine == "hips":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module("autograd.numpy"), import_module("autograd").grad
    if engine == "micrograd":
        return (import_module("micrograd.engine").Value,)
    if engine == "numpy":
        return ()
    module = import_module(engine)
    if engine == "torch":
        module.set_num_threads(1)
    return (module,)


def is_installed(engine: str) -> bool:
    return find_spec(_MODULES.get(engine, engine)) is not None


def arrays(gradients: Any) -> list[Array]:
    """Gradients of any engine as NumPy arrays."""
    return [np.asarray(g.detach() if hasattr(g, "detach") else g) for g in gradients]


class Tutorial(Workload):
    """y = x + 2; z = y * y * 3; z.mean().backward(), the graph that every tutorial begins with."""

    key, title = "W1", "tutorial graph, 2x2: add, mul, mul, mean, backward"

    def hand(self) -> Step:
        x = np.ones((2, 2), np.float32)

        def step():
            y = x + 2.0
            y2 = y * y
            z = y2 * 3.0
            z.mean()
            grad = np.full_like(z, 1 / z.size)
            grad = grad * 3.0
            grad = grad * y
            return (grad + grad,)

        return step

    def tensors(self, T: Any) -> Step:
        x = T.ones(2, 2, requires_grad=True)

        def step():
            x.grad = None
            y = x + 2
            z = y * y * 3
            z.mean().backward()
            return (x.grad,)

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        def program(x):
            y = x + 2.0
            z = y * y * 3.0
            return np_.mean(z)

        gradient, x = grad(program), np.ones((2, 2), np.float32)
        return lambda: (gradient(x),)

    def mygrad(self, mg: Any) -> Step:
        x = mg.ones((2, 2), dtype=np.float32)

        def step():
            y = x + 2.0
            z = y * y * 3.0
            z.mean().backward()
            return (x.grad,)

        return step

    def micrograd(self, Value: Any) -> Step:
        def step():
            x = [Value(1.0) for _ in range(4)]
            z = []
            for value in x:
                y = value + 2.0
                z.append(y * y * 3.0)
            ((z[0] + z[1] + z[2] + z[3]) * 0.25).backward()
            return (np.reshape([value.grad for value in x], (2, 2)),)

        return step


class TutorialCell(Tutorial):
    """The same with the leaf made inside, as a notebook cell does; for information, no goal."""

    key, title = "W1x", "the same, the leaf made each time"

    def tensors(self, T: Any) -> Step:
        def step():
            x = T.ones(2, 2, requires_grad=True)
            y = x + 2
            z = y * y * 3
            z.mean().backward()
            return (x.grad,)

        return step


class ScalarOps(Workload):
    """25 chains of 38 multiplications and additions, squared and summed: 1 000 ops on numbers."""

    key, title = "W2", "1 000 ops on 0-d tensors and their backward"
    tolerance = 1e-3

    @staticmethod
    def program(x, y):
        total = y
        for _ in range(25):
            s = x
            for _ in range(19):
                s = s * x + y
            total = total + s * s
        return total

    def hand(self) -> Step:
        x, y = np.float32(0.5), np.float32(0.3)

        def step():
            total, grad_x, grad_y = y, np.float32(0), np.float32(1)
            for _ in range(25):
                seen = [x]
                for _ in range(19):
                    seen.append(seen[-1] * x + y)
                last = seen.pop()
                total = total + last * last
                grad = last + last
                for s in reversed(seen):
                    grad_y = grad_y + grad
                    grad_x = grad_x + grad * s
                    grad = grad * x
                grad_x = grad_x + grad
            return grad_x, grad_y

        return step

    def tensors(self, T: Any) -> Step:
        x, y = T.tensor(0.5, requires_grad=True), T.tensor(0.3, requires_grad=True)

        def step():
            x.grad = y.grad = None
            self.program(x, y).backward()
            return x.grad, y.grad

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        gradient, point = grad(lambda xy: self.program(*xy)), (np.float32(0.5), np.float32(0.3))
        return lambda: gradient(point)

    def mygrad(self, mg: Any) -> Step:
        x, y = mg.tensor(np.float32(0.5)), mg.tensor(np.float32(0.3))

        def step():
            self.program(x, y).backward()
            return x.grad, y.grad

        return step

    def micrograd(self, Value: Any) -> Step:
        def step():
            x, y = Value(0.5), Value(0.3)
            self.program(x, y).backward()
            return x.grad, y.grad

        return step


class Chain(Workload):
    """y = y * 0.999 + x again and again: one long path, one leaf with very many uses."""

    tolerance = 1e-3

    def __init__(self, key: str, ops: int) -> None:
        self.key, self.ops = key, ops
        self.title = f"chain of {ops:_} ops on 2x2".replace("_", " ")
        self.small = ops <= 10_000

    def program(self, x):
        y = x
        for _ in range(self.ops // 2):
            y = y * 0.999 + x
        return y

    def hand(self) -> Step:
        x = normal(2, 2)

        def step():
            self.program(x).sum()
            grad = np.ones_like(x)
            grad_x = np.zeros_like(x)
            for _ in range(self.ops // 2):
                grad_x += grad
                grad = grad * 0.999
            return (grad_x + grad,)

        return step

    def tensors(self, T: Any) -> Step:
        (x,) = leaves(T, [normal(2, 2)])

        def step():
            x.grad = None
            self.program(x).sum().backward()
            return (x.grad,)

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        gradient, x = grad(lambda x: np_.sum(self.program(x))), normal(2, 2)
        return lambda: (gradient(x),)

    def mygrad(self, mg: Any) -> Step:
        x = mg.tensor(normal(2, 2))

        def step():
            self.program(x).sum().backward()
            return (x.grad,)

        return step


class Mlp(Workload):
    """One step of SGD: linear, relu, linear, relu, linear, cross entropy, backward, update."""

    rate = 1e-4

    def __init__(self, key: str, sizes: tuple[int, ...], batch: int) -> None:
        self.key, self.sizes, self.batch = key, sizes, batch
        self.title = f"MLP {'-'.join(map(str, sizes))}, batch {batch}, one SGD step"

    def data(self) -> tuple[Array, Array, list[Array]]:
        """Inputs, targets, and weights and biases in turn."""
        x, params = normal(self.batch, self.sizes[0]), []
        target = np.random.default_rng(1).integers(0, self.sizes[-1], self.batch)
        for layer, (fan_in, fan_out) in enumerate(zip(self.sizes, self.sizes[1:], strict=False)):
            weight = normal(fan_in, fan_out, seed=2 + layer) / np.float32(fan_in**0.5)
            params += [weight, np.zeros(fan_out, np.float32)]
        return x, target, params

    def hand(self) -> Step:
        x, target, params = self.data()
        rows = np.arange(self.batch)

        def step():
            seen = [x]
            for weight, bias in zip(params[::2], params[1::2], strict=True):
                h = seen[-1] @ weight
                h += bias
                if bias is not params[-1]:
                    np.maximum(h, 0, out=h)
                seen.append(h)
            grad = seen.pop()
            grad -= grad.max(1, keepdims=True)
            np.exp(grad, out=grad)
            grad /= grad.sum(1, keepdims=True)
            -np.log(grad[rows, target]).mean()
            grad[rows, target] -= 1
            grad /= self.batch
            grads = []
            for layer in reversed(range(len(seen))):
                grads += [grad.sum(0), seen[layer].T @ grad]
                if layer:
                    grad = grad @ params[2 * layer].T
                    grad *= seen[layer] > 0
            grads.reverse()
            for p, g in zip(params, grads, strict=True):
                p -= self.rate * g
            return grads

        return step

    def tensors(self, T: Any) -> Step:
        x, target, params = self.data()
        x, target, params = T.tensor(x), T.tensor(target), leaves(T, params)
        w1, b1, w2, b2, w3, b3 = params
        cross_entropy = T.nn.functional.cross_entropy

        def step():
            for p in params:
                p.grad = None
            h = (x @ w1 + b1).relu()
            h = (h @ w2 + b2).relu()
            cross_entropy(h @ w3 + b3, target).backward()
            with T.no_grad():
                for p in params:
                    p -= self.rate * p.grad
            return [p.grad for p in params]

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        x, target, params = self.data()
        rows = np.arange(self.batch)

        def loss(params):
            w1, b1, w2, b2, w3, b3 = params
            h = np_.maximum(x @ w1 + b1, 0)
            h = np_.maximum(h @ w2 + b2, 0)
            logits = h @ w3 + b3
            logits = logits - np_.max(logits, axis=1, keepdims=True)
            log_sum = np_.log(np_.sum(np_.exp(logits), axis=1))
            return np_.mean(log_sum - logits[rows, target])

        gradient = grad(loss)

        def step():
            grads = gradient(params)
            for p, g in zip(params, grads, strict=True):
                p -= self.rate * g
            return grads

        return step

    def mygrad(self, mg: Any) -> Step:
        from mygrad.nnet.activations import relu
        from mygrad.nnet.losses import softmax_crossentropy

        x, target, params = self.data()
        params = [mg.tensor(p) for p in params]
        w1, b1, w2, b2, w3, b3 = params

        def step():
            h = relu(x @ w1 + b1)
            h = relu(h @ w2 + b2)
            softmax_crossentropy(h @ w3 + b3, target).backward()
            grads = [p.grad for p in params]
            for p, g in zip(params, grads, strict=True):
                p.data -= self.rate * g
            return grads

        return step


class Layers(Mlp):
    """The same step as most programs write it: `nn.Linear`, `nn.Sequential`, `optim.SGD`."""

    def __init__(self, key: str, sizes: tuple[int, ...], batch: int) -> None:
        super().__init__(key, sizes, batch)
        self.title += ", of nn.Linear and optim.SGD"

    def engines(self) -> list[str]:
        return ["numpy", "minigrad", "torch"]

    def gradients(self, engine: str) -> list[Array]:
        """With weights as by hand, `(fan_in, fan_out)`; a Linear has them the other way round."""
        found = super().gradients(engine)
        return found if engine == "numpy" else [gradient.T for gradient in found]

    def tensors(self, T: Any) -> Step:
        x, target, values = self.data()
        x, target, cross_entropy = T.tensor(x), T.tensor(target), T.nn.functional.cross_entropy
        linear = [T.nn.Linear(*sizes) for sizes in zip(self.sizes, self.sizes[1:], strict=False)]
        model = T.nn.Sequential(linear[0], *(part for layer in linear[1:] for part in (T.nn.ReLU(), layer)))
        params = list(model.parameters())
        with T.no_grad():
            for p, value in zip(params, values, strict=True):
                p.copy_(T.tensor(value.T.copy()))
        optimizer = T.optim.SGD(params, lr=self.rate)

        def step():
            optimizer.zero_grad()
            cross_entropy(model(x), target).backward()
            optimizer.step()
            return [p.grad for p in params]

        return step


class Large(Workload):
    """tanh(x * w + b).sum() with a million elements each: memory traffic, hardly any Python."""

    key, title, size = "W5", "tanh(x * w + b).sum() on 1e6 elements", 1_000_000
    small = False

    def data(self) -> list[Array]:
        return [normal(self.size, seed=seed) for seed in range(3)]

    def hand(self) -> Step:
        x, w, b = self.data()

        def step():
            y = x * w
            y += b
            np.tanh(y, out=y)
            y.sum()
            np.multiply(y, y, out=y)
            grad_b = np.subtract(1, y, out=y)
            return grad_b * w, grad_b * x, grad_b

        return step

    def tensors(self, T: Any) -> Step:
        x, w, b = params = leaves(T, self.data())

        def step():
            for p in params:
                p.grad = None
            (x * w + b).tanh().sum().backward()
            return [p.grad for p in params]

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        gradient, data = grad(lambda p: np_.sum(np_.tanh(p[0] * p[1] + p[2]))), tuple(self.data())
        return lambda: gradient(data)

    def mygrad(self, mg: Any) -> Step:
        x, w, b = (mg.tensor(array) for array in self.data())

        def step():
            mg.tanh(x * w + b).sum().backward()
            return x.grad, w.grad, b.grad

        return step


class Broadcast(Workload):
    """Centre, scale, log-sum-exp, maximum, a slice and a repeated index on 32x64."""

    key, title = "W6", "broadcast, reduce, index on 32x64"
    rows = (3, 1, 4, 1, 5)

    def data(self) -> list[Array]:
        return [normal(32, 64), normal(64, seed=1)]

    def hand(self) -> Step:
        x, b = self.data()
        rows = np.array(self.rows)

        def step():
            centred = x - x.mean(0)
            y = centred * b
            e = np.exp(y)
            total = e.sum(1, keepdims=True)
            top = y.max(1, keepdims=True)
            out = np.log(total) - top + y[:, 2:10]
            (out * out).mean() + x[rows].sum()

            out *= 2 / out.size
            row = out.sum(1, keepdims=True)
            e *= row / total
            e -= (y == top) * row
            e[:, 2:10] += out
            grad_b = (e * centred).sum(0)
            e *= b
            e -= e.mean(0)
            np.add.at(e, rows, 1)
            return e, grad_b

        return step

    def tensors(self, T: Any) -> Step:
        x, b = leaves(T, self.data())
        rows = T.tensor(self.rows)

        def step():
            x.grad = b.grad = None
            y = (x - x.mean(0)) * b
            out = y.exp().sum(1, keepdim=True).log() - y.amax(1, keepdim=True) + y[:, 2:10]
            (out.pow(2).mean() + x[rows].sum()).backward()
            return x.grad, b.grad

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        rows = np.array(self.rows)

        def program(params):
            x, b = params
            y = (x - np_.mean(x, axis=0)) * b
            log_sum = np_.log(np_.sum(np_.exp(y), axis=1, keepdims=True))
            out = log_sum - np_.max(y, axis=1, keepdims=True) + y[:, 2:10]
            return np_.mean(out**2) + np_.sum(x[rows])

        gradient, data = grad(program), tuple(self.data())
        return lambda: gradient(data)

    def mygrad(self, mg: Any) -> Step:
        x, b = (mg.tensor(array) for array in self.data())
        rows = np.array(self.rows)

        def step():
            y = (x - x.mean(0)) * b
            log_sum = mg.log(mg.exp(y).sum(1, keepdims=True))
            out = log_sum - mg.max(y, axis=1, keepdims=True) + y[:, 2:10]
            ((out**2).mean() + x[rows].sum()).backward()
            return x.grad, b.grad

        return step


class SecondOrder(Workload):
    """The gradient of the norm of the gradient of a small MLP: backward through backward."""

    key, title = "W7", "gradient of the gradient norm, MLP 8-16-3, batch 16"

    def data(self) -> list[Array]:
        weights = [normal(8, 16, seed=1) * 0.3, normal(16, seed=2) * 0.1]
        return [normal(16, 8), *weights, normal(16, 3, seed=3) * 0.3, normal(3, seed=4) * 0.1]

    def hand(self) -> Step:
        x, w1, b1, w2, b2 = self.data()

        def step():
            h = x @ w1
            h += b1
            np.tanh(h, out=h)
            y = h @ w2
            y += b2
            (y * y).mean()
            gy = y * (2 / y.size)
            gh = gy @ w2.T
            slope = 1 - h * h
            ga = gh * slope
            grads = x.T @ ga, ga.sum(0), h.T @ gy, gy.sum(0)
            norm = np.sqrt(sum((g * g).sum() for g in grads))

            bar_w1, bar_b1, bar_w2, bar_b2 = (g / norm for g in grads)
            bar_ga = x @ bar_w1
            bar_ga += bar_b1
            bar_gh = bar_ga * slope
            bar_ga *= gh
            bar_ga *= h
            bar_ga *= 2
            bar_h = gy @ bar_w2.T
            bar_h -= bar_ga
            bar_y = bar_gh @ w2
            bar_y += h @ bar_w2
            bar_y += bar_b2
            bar_y *= 2 / y.size
            bar_h += bar_y @ w2.T
            bar_h *= slope
            return x.T @ bar_h, bar_h.sum(0), bar_gh.T @ gy + h.T @ bar_y, bar_y.sum(0)

        return step

    def tensors(self, T: Any) -> Step:
        x, *params = self.data()
        x, params = T.tensor(x), leaves(T, params)
        w1, b1, w2, b2 = params

        def step():
            loss = ((x @ w1 + b1).tanh() @ w2 + b2).pow(2).mean()
            grads = T.autograd.grad(loss, params, create_graph=True)
            norm = sum(g.pow(2).sum() for g in grads).sqrt()
            return T.autograd.grad(norm, params)

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        x, *params = self.data()

        def loss(params):
            w1, b1, w2, b2 = params
            return np_.mean((np_.tanh(x @ w1 + b1) @ w2 + b2) ** 2)

        inner = grad(loss)
        outer = grad(lambda params: np_.sqrt(sum(np_.sum(g**2) for g in inner(params))))
        return lambda: outer(params)


class Attention(Workload):
    """Self-attention: softmax((x wq) (x wk)^T / sqrt(d)) (x wv), squared and averaged."""

    key, title = "W8a", "attention block 4x32x32"
    scale = 32**-0.5

    def data(self) -> list[Array]:
        return [normal(4, 32, 32), *(normal(32, 32, seed=seed) * 0.2 for seed in (1, 2, 3))]

    def hand(self) -> Step:
        x, wq, wk, wv = self.data()
        flat = x.reshape(-1, 32)

        def step():
            q, k, v = ((flat @ w).reshape(x.shape) for w in (wq, wk, wv))
            p = q @ k.swapaxes(1, 2)
            p *= self.scale
            p -= p.max(-1, keepdims=True)
            np.exp(p, out=p)
            p /= p.sum(-1, keepdims=True)
            out = p @ v
            (out * out).mean()
            out *= 2 / out.size
            grad = out @ v.swapaxes(1, 2)
            grad -= (grad * p).sum(-1, keepdims=True)
            grad *= p
            grad *= self.scale
            gq, gk, gv = grad @ k, grad.swapaxes(1, 2) @ q, p.swapaxes(1, 2) @ out
            gq, gk, gv = (g.reshape(-1, 32) for g in (gq, gk, gv))
            gx = gq @ wq.T
            gx += gk @ wk.T
            gx += gv @ wv.T
            return gx.reshape(x.shape), flat.T @ gq, flat.T @ gk, flat.T @ gv

        return step

    def tensors(self, T: Any) -> Step:
        x, wq, wk, wv = params = leaves(T, self.data())

        def step():
            for p in params:
                p.grad = None
            q, k, v = x @ wq, x @ wk, x @ wv
            weights = (q @ k.transpose(1, 2) * self.scale).softmax(-1)
            (weights @ v).pow(2).mean().backward()
            return [p.grad for p in params]

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        def program(params):
            x, wq, wk, wv = params
            s = (x @ wq) @ np_.swapaxes(x @ wk, 1, 2) * self.scale
            e = np_.exp(s - np_.max(s, axis=-1, keepdims=True))
            return np_.mean(((e / np_.sum(e, axis=-1, keepdims=True)) @ (x @ wv)) ** 2)

        gradient, data = grad(program), tuple(self.data())
        return lambda: gradient(data)

    def mygrad(self, mg: Any) -> Step:
        from mygrad.nnet.activations import softmax

        x, wq, wk, wv = params = [mg.tensor(array) for array in self.data()]

        def step():
            weights = softmax(x @ wq @ (x @ wk).transpose(0, 2, 1) * self.scale, axis=-1)
            ((weights @ (x @ wv)) ** 2).mean().backward()
            return [p.grad for p in params]

        return step


class Conv(Workload):
    """conv2d with 8 filters of 3x3 and padding 1 on 8 images of 3x16x16, relu, mean."""

    key, title = "W8b", "conv2d 8x3x16x16, 8 filters 3x3"

    def data(self) -> list[Array]:
        return [normal(8, 3, 16, 16), normal(8, 3, 3, 3, seed=1) * 0.2, normal(8, seed=2)]

    def hand(self) -> Step:
        x, w, b = self.data()

        def step():
            padded = np.zeros((8, 3, 18, 18), x.dtype)
            padded[:, :, 1:-1, 1:-1] = x
            windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
            columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, 27)
            flat = w.reshape(8, 27)
            y = columns @ flat.T
            y += b
            np.maximum(y, 0, out=y)
            y.mean()
            grad = np.multiply(y > 0, np.float32(1 / y.size))
            patches = (grad @ flat).reshape(8, 16, 16, 3, 3, 3).transpose(0, 3, 4, 5, 1, 2)
            padded[...] = 0
            for i in range(3):
                for j in range(3):
                    padded[:, :, i : i + 16, j : j + 16] += patches[:, :, i, j]
            return padded[:, :, 1:-1, 1:-1], (grad.T @ columns).reshape(w.shape), grad.sum(0)

        return step

    def tensors(self, T: Any) -> Step:
        x, w, b = params = leaves(T, self.data())
        conv2d = T.nn.functional.conv2d

        def step():
            for p in params:
                p.grad = None
            conv2d(x, w, b, padding=1).relu().mean().backward()
            return [p.grad for p in params]

        return step

    def hips(self, np_: Any, grad: Any) -> Step:
        def program(params):
            x, w, b = params
            padded = np_.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), "constant")
            shifts = [padded[:, :, i : i + 16, j : j + 16] for i in range(3) for j in range(3)]
            columns = np_.transpose(np_.concatenate(shifts, axis=1), (0, 2, 3, 1))
            y = columns @ np_.reshape(np_.transpose(w, (2, 3, 1, 0)), (27, 8)) + b
            return np_.mean(np_.maximum(y, 0))

        gradient, data = grad(program), tuple(self.data())
        return lambda: gradient(data)

    def mygrad(self, mg: Any) -> Step:
        from mygrad.nnet.activations import relu
        from mygrad.nnet.layers import conv_nd

        x, w, b = (mg.tensor(array) for array in self.data())

        def step():
            relu(conv_nd(x, w, stride=1, padding=1) + b.reshape(1, 8, 1, 1)).mean().backward()
            return x.grad, w.grad, b.grad

        return step


class OneOp(Workload):
    """One recorded op on 2x2, forward only: what an engine adds to NumPy's own call."""

    def __init__(self, name: str, op: Callable, by_hand: Callable) -> None:
        self.key, self.title = f"W10 {name}", "one recorded op on 2x2"
        self.op, self.by_hand = op, by_hand

    def data(self) -> list[Array]:
        return [normal(2, 2), normal(2, 2, seed=1)]

    def _step(self, F: Any, a: Any, b: Any) -> Step:
        op = self.op
        return lambda: op(F, a, b)

    def hand(self) -> Step:
        return self._step(np, *self.data())

    def tensors(self, T: Any) -> Step:
        return self._step(T, *leaves(T, self.data()))

    def hips(self, np_: Any, grad: Any) -> Step:
        from autograd.core import VJPNode
        from autograd.tracer import new_box

        return self._step(np_, *(new_box(x, 0, VJPNode.new_root()) for x in self.data()))

    def mygrad(self, mg: Any) -> Step:
        return self._step(mg, *(mg.tensor(x) for x in self.data()))

    def gradients(self, engine: str) -> list[Array]:
        """The gradient of the sum of the op's result with respect to its first operand."""
        a, b = self.data()
        if engine == "numpy":
            return [self.by_hand(a, b)]
        (F, *rest) = load(engine)
        if engine == "hips":
            return [rest[0](lambda a: F.sum(self.op(F, a, b)))(a)]
        a, b = (F.tensor(a), F.tensor(b)) if engine == "mygrad" else leaves(F, [a, b])
        self.op(F, a, b).sum().backward()
        return arrays([a.grad])


ONE_OPS = [
    OneOp("add", lambda F, a, b: a + b, lambda a, b: np.ones_like(a)),
    OneOp("mul", lambda F, a, b: a * b, lambda a, b: b),
    OneOp("mul 2.0", lambda F, a, b: a * 2.0, lambda a, b: np.full_like(a, 2)),
    OneOp("matmul", lambda F, a, b: a @ b, lambda a, b: np.ones_like(a) @ b.T),
    OneOp("sum", lambda F, a, b: a.sum(), lambda a, b: np.ones_like(a)),
    OneOp("tanh", lambda F, a, b: F.tanh(a), lambda a, b: 1 - np.tanh(a) ** 2),
]

class Call(Workload):
    """One call of torch on a square matrix, forward alone, or also backward from a given gradient.

    By hand `forward(*data)` returns the result and what is kept besides, `back(grad, *those, *data)` the gradients.
    """

    def __init__(self, name: str, size: int, backward: bool) -> None:
        self.op, self.forward, self.back, self.ranks = CALLS[name]
        self.key, self.size, self.backward = f"{'W13' if backward else 'W12'} {name} {size}", size, backward
        self.title = f"{size}x{size}, {'forward and backward' if backward else 'forward alone'}"

    def data(self) -> list[Array]:
        return [normal(*(self.size,) * rank, seed=seed) for seed, rank in enumerate(self.ranks)]

    def gradient(self) -> Array:
        return normal(*self.forward(*self.data())[0].shape, seed=9)

    def hand(self) -> Step:
        data, forward, back, grad = self.data(), self.forward, self.back, self.gradient()
        if not self.backward:
            return lambda: forward(*data)[:1]
        return lambda: back(grad, *forward(*data), *data)

    def tensors(self, T: Any) -> Step:
        params, op = leaves(T, self.data()), self.op
        if not self.backward:
            return lambda: (op(T, *params),)
        grad = T.tensor(self.gradient())

        def step():
            for p in params:
                p.grad = None
            op(T, *params).backward(grad)
            return [p.grad for p in params]

        return step


def softmax(x):
    y = np.exp(x - x.max(1, keepdims=True))
    y /= y.sum(1, keepdims=True)
    return (y,)


def log_softmax(x):
    y = x - x.max(1, keepdims=True)
    y -= np.log(np.exp(y).sum(1, keepdims=True))
    return (y,)


def layer_norm(x, weight, bias):
    hat = x - x.mean(1, keepdims=True)
    scale = 1 / np.sqrt((hat * hat).mean(1, keepdims=True) + 1e-5)
    hat *= scale
    return hat * weight + bias, hat, scale


def layer_norm_back(grad, _y, hat, scale, _x, weight, _bias):
    inner = grad * weight
    slope = inner - inner.mean(1, keepdims=True) - hat * (inner * hat).mean(1, keepdims=True)
    return slope * scale, (grad * hat).sum(0), grad.sum(0)


def std(x):
    off = x - x.mean(1, keepdims=True)
    return np.sqrt((off * off).sum(1) / (x.shape[1] - 1)), off


def gelu(x):
    below = 0.5 + 0.5 * _erf(x * 0.5**0.5)
    return x * below, below


_erf = np.vectorize(math.erf, otypes="f")  # NumPy has none
# the call, the same by hand, its gradients by hand, and the ranks of what it takes
CALLS: dict[str, tuple[Callable, Callable, Callable, tuple[int, ...]]] = {
    "softmax": (lambda T, x: T.nn.functional.softmax(x, 1), softmax,
                lambda grad, y, x: (y * (grad - (grad * y).sum(1, keepdims=True)),), (2,)),
    "log_softmax": (lambda T, x: T.nn.functional.log_softmax(x, 1), log_softmax,
                    lambda grad, y, x: (grad - np.exp(y) * grad.sum(1, keepdims=True),), (2,)),
    "layer_norm": (lambda T, x, w, b: T.nn.functional.layer_norm(x, w.shape, w, b), layer_norm, layer_norm_back,
                   (2, 1, 1)),
    "cat": (lambda T, x, y: T.cat([x, y], dim=0), lambda x, y: (np.concatenate([x, y]),),
            lambda grad, out, x, y: np.split(grad, 2), (2, 2)),
    "stack": (lambda T, x, y: T.stack([x, y]), lambda x, y: (np.stack([x, y]),),
              lambda grad, out, x, y: (grad[0], grad[1]), (2, 2)),
    "cumsum": (lambda T, x: x.cumsum(1), lambda x: (x.cumsum(1),),
               lambda grad, y, x: (grad[:, ::-1].cumsum(1)[:, ::-1],), (2,)),
    "clamp": (lambda T, x: x.clamp(-1, 1), lambda x: (np.clip(x, -1, 1),),
              lambda grad, y, x: (grad * ((x >= -1) & (x <= 1)),), (2,)),
    "expand": (lambda T, x: x.expand(3, *x.shape), lambda x: (np.broadcast_to(x, (3, *x.shape)),),
               lambda grad, y, x: (grad.sum(0),), (2,)),
    "std": (lambda T, x: x.std(1), std,
            lambda grad, y, off, x: ((grad / (y * (x.shape[1] - 1)))[:, None] * off,), (2,)),
    "gelu": (lambda T, x: T.nn.functional.gelu(x), gelu, lambda grad, y, below, x: (
        grad * (below + x * np.exp(-0.5 * x * x) * (2 * np.pi) ** -0.5),), (2,)),
    "mean": (lambda T, x: x.mean(1), lambda x: (x.mean(1),),
             lambda grad, y, x: (np.broadcast_to(grad[:, None] / x.shape[1], x.shape),), (2,)),
    "sum": (lambda T, x: x.sum(1), lambda x: (x.sum(1),),
            lambda grad, y, x: (np.broadcast_to(grad[:, None], x.shape),), (2,)),
}

WORKLOADS: dict[str, Workload] = {
    workload.key: workload
    for workload in [
        Tutorial(),
        TutorialCell(),
        ScalarOps(),
        Chain("W3a", 10_000),
        Chain("W3b", 100_000),
        Mlp("W4", (784, 128, 64, 10), 128),
        Mlp("W4s", (8, 16, 16, 3), 16),
        Layers("W4n", (8, 16, 16, 3), 16),
        Large(),
        Broadcast(),
        SecondOrder(),
        Attention(),
        Conv(),
        *ONE_OPS,
        *[Call(name, size, backward) for backward in (False, True) for name in CALLS for size in (4, 64)],
    ]
}
