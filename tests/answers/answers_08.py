"""Exercise 08: the training loop."""

import numpy as np

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("08", r"zero_|\.mean\(|no_grad|detach|-= |\.grad = ")
right, wrong = ANSWERS.right, ANSWERS.wrong


def zero():
    return torch.tensor(0.0, requires_grad=True)


def loss_of(w, b, km, fare):
    return ((w * km + b - fare) ** 2).mean()


@right
def by_hand(km, fare, steps, lr):
    w = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    for _ in range(steps):
        loss = ((w * km + b - fare) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = None
        b.grad = None
    return w, b


@right
def clears_first(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        for p in (w, b):
            if p.grad is not None:
                p.grad.zero_()
        loss_of(w, b, km, fare).backward()
        w.data -= lr * w.grad
        b.data -= lr * b.grad
    return w.item(), b.item()


@right
def new_leaves(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w = (w - lr * w.grad).detach().requires_grad_()
        b = (b - lr * b.grad).detach().requires_grad_()
    return [w, b]


@right
def by_grad(km, fare, steps, lr):
    p = [zero(), zero()]
    for _ in range(steps):
        grads = torch.autograd.grad(loss_of(*p, km, fare), p)
        with torch.no_grad():
            for knob, g in zip(p, grads, strict=True):
                knob.sub_(lr * g)
    return p


@right
def by_optimizer(km, fare, steps, lr):
    w, b = zero(), zero()
    sgd = torch.optim.SGD([w, b], lr=lr)
    for _ in range(steps):
        sgd.zero_grad()
        loss_of(w, b, km, fare).backward()
        sgd.step()
    return w, b


@right
def by_linear(km, fare, steps, lr):
    line = torch.nn.Linear(1, 1)
    with torch.no_grad():
        line.weight.fill_(0), line.bias.fill_(0)
    sgd = torch.optim.SGD(line.parameters(), lr=lr)
    for _ in range(steps):
        sgd.zero_grad()
        torch.nn.functional.mse_loss(line(km.reshape(-1, 1)), fare.reshape(-1, 1)).backward()
        sgd.step()
    return line.weight, line.bias


@right
def one_vector(km, fare, steps, lr):
    p = torch.zeros(2, requires_grad=True)
    for _ in range(steps):
        loss_of(p[0], p[1], km, fare).backward()
        with torch.no_grad():
            p -= lr * p.grad
        p.grad.zero_()
    return p


@right
def sums_and_divides(km, fare, steps, lr):
    w, b, n = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True), len(km)
    while steps > 0:
        loss = sum((w * k + b - f) ** 2 for k, f in zip(km, fare, strict=True)) / n
        loss.backward()
        with torch.no_grad():
            w += -lr * w.grad
            b += -lr * b.grad
        w.grad = b.grad = None
        steps -= 1
    return w, b


@wrong("not_cleared")
def never_clears(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b


@wrong("not_cleared")
def forgets_b(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad.zero_()
    return w, b


@wrong("not_cleared")
def optimizer_without_zero_grad(km, fare, steps, lr):
    w, b = zero(), zero()
    sgd = torch.optim.SGD([w, b], lr=lr)
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        sgd.step()
    return w.item(), b.item()


@wrong("cleared_too_early")
def zeroes_before_the_step(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w.grad.zero_()
        b.grad.zero_()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b


@wrong("cleared_too_early")
def empties_before_the_step(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w.grad = b.grad = None
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b


@wrong("cleared_too_early")
def optimizer_in_the_wrong_order(km, fare, steps, lr):
    w, b = zero(), zero()
    sgd = torch.optim.SGD([w, b], lr=lr)
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        sgd.zero_grad()
        sgd.step()
    return w, b


@wrong("sign")
def uphill(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w += lr * w.grad
            b += lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("lost_leaf")
def makes_results(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w = w - lr * w.grad
        b = b - lr * b.grad
    return w, b


@wrong("lost_leaf")
def makes_results_and_clears(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w, b = w - w.grad * lr, b - b.grad * lr
        w.grad = None
        b.grad = None
    return w, b


@wrong("lost_leaf")
def makes_plain_tensors(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w = w - lr * w.grad
            b = b - lr * b.grad
    return w, b


@wrong("lost_leaf")
def keeps_gradients_of_results(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w = w - lr * w.grad
        b = b - lr * b.grad
        w.retain_grad()
        b.retain_grad()
    return w, b


@wrong("leaf_in_place")
def writes_while_recorded(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w -= lr * w.grad
        b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("growing_graph")
def totals(km, fare, steps, lr):
    w, b, total = zero(), zero(), 0
    for _ in range(steps):
        total = total + loss_of(w, b, km, fare)
        total.backward(retain_graph=True)
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("growing_graph")
def totals_without_retaining(km, fare, steps, lr):
    w, b, total = zero(), zero(), 0
    for _ in range(steps):
        total += loss_of(w, b, km, fare)
        total.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("half_update")
def only_w(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w -= lr * w.grad
        w.grad = b.grad = None
    return w, b


@wrong("half_update")
def only_b(km, fare, steps, lr):
    w, b = torch.tensor(0.0), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            b -= lr * b.grad
        b.grad = None
    return w, b


@wrong("value_for_slope")
def by_the_loss(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss = loss_of(w, b, km, fare)
        loss.backward()
        with torch.no_grad():
            w -= lr * loss
            b -= lr * loss
        w.grad = b.grad = None
    return w, b


@wrong("no_lr")
def whole_gradients(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w -= w.grad
            b -= b.grad
        w.grad = b.grad = None
    return w, b


@wrong("sum_for_mean")
def sums(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        ((w * km + b - fare) ** 2).sum().backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("off_by_one")
def one_less(km, fare, steps, lr):
    return by_hand(km, fare, len(range(1, steps)), lr)


@wrong("off_by_one")
def one_more(km, fare, steps, lr):
    return by_hand(km, fare, len(range(steps + 1)), lr)


@wrong("stale_graph")
def forward_once(km, fare, steps, lr):
    w, b = zero(), zero()
    loss = loss_of(w, b, km, fare)
    for _ in range(steps):
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("stale_graph")
def forward_once_and_retained(km, fare, steps, lr):
    w, b = zero(), zero()
    pred = w * km + b
    for _ in range(steps):
        ((pred - fare) ** 2).mean().backward(retain_graph=True)
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("in_turn")
def w_first(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        for p in (w, b):
            w.grad = b.grad = None
            loss_of(w, b, km, fare).backward()
            with torch.no_grad():
                p -= lr * p.grad
    return w, b


@wrong("in_turn")
def ride_by_ride(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        for k, f in zip(km, fare, strict=True):
            ((w * k + b - f) ** 2).backward()
            with torch.no_grad():
                w -= lr * w.grad
                b -= lr * b.grad
            w.grad = b.grad = None
    return w, b


@wrong("no_steps")
def school_formula(km, fare, steps, lr):
    n = len(km)
    w = (n * (km * fare).sum() - km.sum() * fare.sum()) / (n * (km * km).sum() - km.sum() ** 2)
    return w.item(), ((fare.sum() - w * km.sum()) / n).item()


@wrong("constant")
def what_the_lesson_said(km, fare, steps, lr):
    return 0.5001, 0.7497


@wrong("wrong_value")
def steps_into_nothing(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w - lr * w.grad
            b.sub(lr * b.grad)
        w.grad = b.grad = None
    return w, b


@wrong("raised")
def b_wants_no_gradient(km, fare, steps, lr):
    w, b = zero(), torch.tensor(0.0)
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("raised")
def clears_what_is_not_there(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        w.grad.zero_()
        loss_of(w, b, km, fare).backward()
    return w, b


@wrong("kind")
def returns_the_loss(km, fare, steps, lr):
    w, b = by_hand(km, fare, steps, lr)
    return loss_of(w, b, km, fare)


@wrong("nothing")
def returns_nothing(km, fare, steps, lr):
    by_hand(km, fare, steps, lr)


@wrong("prints")
def only_prints(km, fare, steps, lr):
    print(by_hand(km, fare, steps, lr))


@wrong("wrong_value")
def halves_the_gradient(km, fare, steps, lr):
    return by_hand(km, fare, steps, lr / 2)


@wrong("endless")
def until_nothing_is_left(km, fare, steps, lr):
    w, b = zero(), zero()
    while loss_of(w, b, km, fare).item() > -1:
        w, b = by_hand(km, fare, 1, lr)
    return w, b


@wrong("lost_leaf")
def switches_off_and_never_on(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        w.requires_grad = b.requires_grad = False
        w -= lr * w.grad
        b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("lost_leaf")
def b_alone_is_lost(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare).backward()
        with torch.no_grad():
            w -= lr * w.grad
            b = b - lr * b.grad
        w.grad = None
    return w, b


@wrong("raised")
def never_goes_back(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(steps):
        loss_of(w, b, km, fare)
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b


@wrong("no_steps")
def begins_anew_each_round(km, fare, steps, lr):
    for _ in range(steps):
        w, b = by_hand(km, fare, 1, lr)
    return w, b


@wrong("wrong_value")
def b_before_w(km, fare, steps, lr):
    w, b = by_hand(km, fare, steps, lr)
    return b, w


# ---- other hands


@right
class Trainer:
    def __init__(self):
        self.w = self.b = None

    def __call__(self, km, fare, steps, lr):
        self.w, self.b = torch.nn.Parameter(torch.tensor(0.0)), torch.nn.Parameter(torch.tensor(0.0))
        while steps:
            self.step(km, fare, lr)
            steps -= 1
        return self.w.item(), self.b.item()

    def step(self, km, fare, lr):
        torch.nn.functional.mse_loss(km * self.w + self.b, fare).backward()
        for p in (self.w, self.b):
            p.data -= lr * p.grad
            p.grad.zero_()


ANSWERS.rights[-1] = Trainer()


@right
def recursively(km, fare, steps, lr, w=0.0, b=0.0):
    if steps == 0:
        return w, b
    w, b = (torch.tensor(float(x), requires_grad=True) for x in (w, b))
    ((w * km + b - fare) ** 2).mean().backward()
    return recursively(km, fare, steps - 1, lr, w.item() - lr * w.grad.item(), b.item() - lr * b.grad.item())


@right
def by_func(km, fare, steps, lr):
    def loss(knobs):
        return ((knobs[0] * km + knobs[1] - fare) ** 2).mean()

    knobs = torch.zeros(2)
    for _ in range(steps):
        knobs = knobs - lr * torch.func.grad(loss)(knobs)
    return knobs.unbind()


@right
def by_school_calculus(km, fare, steps, lr):
    w = b = torch.tensor(0.0)
    for _ in range(steps):
        error = w * km + b - fare
        w, b = w - lr * 2 * (error * km).mean(), b - lr * 2 * error.mean()
    return w, b


@right
def by_numpy_steps(km, fare, steps, lr):
    values = np.zeros(2)
    for _ in range(steps):
        w, b = (torch.tensor(v, requires_grad=True) for v in values)
        loss = torch.mean((w * km + b - fare) ** 2)
        values = values - lr * np.array([g.item() for g in torch.autograd.grad(loss, [w, b])])
    return list(values)


@right
def a_matrix(km, fare, steps, lr):
    rows = torch.stack([km, torch.ones_like(km)], dim=1)
    theta = torch.zeros(2, 1, requires_grad=True)
    for _ in range(steps):
        theta.grad = None
        (rows @ theta - fare[:, None]).pow(2).mean().backward()
        with torch.no_grad():
            theta -= theta.grad * lr
    return theta


@right
def a_generator_of_rounds(km, fare, steps, lr):
    def rounds():
        w, b = torch.zeros((), requires_grad=True), torch.zeros((), requires_grad=True)
        while True:
            yield w, b
            loss = sum((w * k + b - f) ** 2 for k, f in zip(km, fare, strict=True)) / len(km)
            gw, gb = torch.autograd.grad(loss, (w, b))
            w, b = (w - lr * gw).detach().requires_grad_(), (b - lr * gb).detach().requires_grad_()

    walk = rounds()
    for _ in range(steps):
        next(walk)
    return next(walk)


@right
def in_double(km, fare, steps, lr):
    w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    b = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    sgd = torch.optim.SGD([{"params": [w]}, {"params": [b]}], lr=lr)

    def closure():
        sgd.zero_grad()
        loss = ((w * km + b - fare) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(steps):
        sgd.step(closure)
    return w, b


def two():
    return torch.tensor(0.0, requires_grad=True), torch.tensor(0.0, requires_grad=True)


@wrong("not_cleared")
def clears_before_the_loop(km, fare, steps, lr):
    w, b = two()
    w.grad = b.grad = None
    for _ in range(steps):
        ((w * km + b - fare) ** 2).mean().backward()
        w.data -= lr * w.grad
        b.data -= lr * b.grad
    return w, b


@wrong("not_cleared")
def clears_another(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        loss = ((w * km + b - fare) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        loss.grad = None
    return w, b


@wrong("cleared_too_early")
def zero_grad_between(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        ((w * km + b - fare) ** 2).mean().backward()
        for p in (w, b):
            p.grad = torch.zeros(())
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b


@wrong("sign")
def adds_the_gradient(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        ((fare - w * km - b) ** 2).mean().backward()
        w.data, b.data = w.data + lr * w.grad, b.data + lr * b.grad
        w.grad = b.grad = None
    return w, b


@wrong("sign")
def minus_the_loss(km, fare, steps, lr):
    w, b = two()
    sgd = torch.optim.SGD([w, b], lr=lr)
    for _ in range(steps):
        sgd.zero_grad()
        (-torch.nn.functional.mse_loss(w * km + b, fare)).backward()
        sgd.step()
    return w, b


@wrong("lost_leaf")
def rebinds(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        ((w * km + b - fare) ** 2).mean().backward()
        with torch.no_grad():
            w = w - lr * w.grad
            b = b - lr * b.grad
    return w, b


@wrong("half_update")
def b_gets_no_step(km, fare, steps, lr):
    w, b = two()
    sgd = torch.optim.SGD([w], lr=lr)
    for _ in range(steps):
        sgd.zero_grad()
        ((w * km + b - fare) ** 2).mean().backward()
        sgd.step()
    return w, b


@wrong("sum_for_mean")
def mse_sum(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        torch.nn.functional.mse_loss(w * km + b, fare, reduction="sum").backward()
        with torch.no_grad():
            for p in (w, b):
                p -= lr * p.grad
                p.grad = None
    return w, b


@wrong("off_by_one")
def from_one_on(km, fare, steps, lr):
    w, b = two()
    for _ in range(1, steps):
        ((w * km + b - fare) ** 2).mean().backward()
        with torch.no_grad():
            for p in (w, b):
                p -= lr * p.grad
                p.grad = None
    return w, b


@wrong("off_by_one")
def until_and_with(km, fare, steps, lr):
    w, b = two()
    i = 0
    while i <= steps:
        ((w * km + b - fare) ** 2).mean().backward()
        with torch.no_grad():
            for p in (w, b):
                p -= lr * p.grad
                p.grad = None
        i += 1
    return w, b


@wrong("no_steps")
def returns_too_soon(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        ((w * km + b - fare) ** 2).mean().backward()
        with torch.no_grad():
            for p in (w, b):
                p -= lr * p.grad
                p.grad = None
        return w, b


@wrong("wrong_value")
def from_one(km, fare, steps, lr):
    w, b = torch.tensor(1.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    for _ in range(steps):
        ((w * km + b - fare) ** 2).mean().backward()
        with torch.no_grad():
            for p in (w, b):
                p -= lr * p.grad
                p.grad = None
    return w, b


@wrong("wrong_value")
def absolute_errors(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        (w * km + b - fare).abs().mean().backward()
        with torch.no_grad():
            for p in (w, b):
                p -= lr * p.grad
                p.grad = None
    return w, b


@wrong("wrong_value")
def momentum(km, fare, steps, lr):
    w, b = two()
    sgd = torch.optim.SGD([w, b], lr=lr, momentum=0.9)
    for _ in range(steps):
        sgd.zero_grad()
        ((w * km + b - fare) ** 2).mean().backward()
        sgd.step()
    return w, b


@wrong("wrong_value")
def adam(km, fare, steps, lr):
    w, b = two()
    opt = torch.optim.Adam([w, b], lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        ((w * km + b - fare) ** 2).mean().backward()
        opt.step()
    return w, b


@wrong("no_lr")
def forgets_lr(km, fare, steps, lr):
    w, b = two()
    sgd = torch.optim.SGD([w, b], lr=1.0)
    for _ in range(steps):
        sgd.zero_grad()
        ((w * km + b - fare) ** 2).mean().backward()
        sgd.step()
    return w, b


@wrong("wrong_value")
def a_rate_of_its_own(km, fare, steps, lr):
    return Trainer()(km, fare, steps, 0.01)


@wrong("wrong_value")
def ever_smaller_steps(km, fare, steps, lr):
    w, b = two()
    for i in range(steps):
        ((w * km + b - fare) ** 2).mean().backward()
        with torch.no_grad():
            for p in (w, b):
                p -= lr / (i + 1) * p.grad
                p.grad = None
    return w, b


@wrong("stale_graph")
def loss_before_the_loop(km, fare, steps, lr):
    w, b = two()
    loss = ((w * km + b - fare) ** 2).mean()
    for _ in range(steps):
        w.grad = b.grad = None
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w.sub_(lr * w.grad)
            b.sub_(lr * b.grad)
    return w, b


@wrong("kind")
def returns_a_dict(km, fare, steps, lr):
    w, b = Trainer()(km, fare, steps, lr)
    return {"w": w, "b": b}


@wrong("kind")
def returns_w_alone(km, fare, steps, lr):
    return Trainer()(km, fare, steps, lr)[0]


@wrong("kind")
def returns_the_curve_too(km, fare, steps, lr):
    return *Trainer()(km, fare, steps, lr), [0.0]


@wrong("constant")
def the_truth(km, fare, steps, lr):
    return 0.5, 0.75


@wrong("wrong_value")
def a_step_too_many_for_w(km, fare, steps, lr):
    return Trainer()(km, fare, steps + 1, lr)[0], Trainer()(km, fare, steps, lr)[1]


@wrong("raised")
def no_gradients_wanted(km, fare, steps, lr):
    w, b = torch.tensor(0.0), torch.tensor(0.0)
    for _ in range(steps):
        ((w * km + b - fare) ** 2).mean().backward()
        w -= lr * w.grad
        b -= lr * b.grad
    return w, b


@wrong("raised")
def a_vector_goes_back(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        ((w * km + b - fare) ** 2).backward()
    return w, b


@wrong("lost_leaf")
def keeps_the_record(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        gw, gb = torch.autograd.grad(((w * km + b - fare) ** 2).mean(), (w, b), create_graph=True)
        w, b = w - lr * gw, b - lr * gb
    return w, b


@wrong("in_turn")
def w_then_b(km, fare, steps, lr):
    w, b = two()
    for _ in range(steps):
        for p in (w, b):
            w.grad = b.grad = None
            ((w * km + b - fare) ** 2).mean().backward()
            with torch.no_grad():
                p -= lr * p.grad
    return w, b


@wrong("endless")
def until_it_stands_still(km, fare, steps, lr):
    w, b = two()
    change = 1.0
    while change != 0.5:
        change = float(((w * km + b - fare) ** 2).mean().item() > 0)
    return w, b


@wrong("generator")
def yields_rounds(km, fare, steps, lr):
    for _ in range(steps):
        yield 0.0, 0.0


@wrong("wrong_value")
def swaps_them(km, fare, steps, lr):
    return Trainer()(km, fare, steps, lr)[::-1]


@wrong("wrong_value")
def hands_them_back_in_the_other_order(*given):
    w, b = by_hand(*given)
    return b, w


# ---- by recursion, and uphill on the negative; what comes near


@right
def by_recursion(km, fare, steps, lr, w=0.0, b=0.0):
    if not steps:
        return w, b
    knobs = [torch.tensor(value, requires_grad=True) for value in (w, b)]
    slopes = torch.autograd.grad((knobs[0] * km + knobs[1] - fare).square().mean(), knobs)
    moved = [knob.item() - lr * slope.item() for knob, slope in zip(knobs, slopes, strict=True)]
    return by_recursion(km, fare, steps - 1, lr, *moved)


@right
def uphill_on_the_negative(km, fare, steps, lr):
    p = torch.zeros(2, requires_grad=True)
    for _ in range(steps):
        (slope,) = torch.autograd.grad(-((p[0] * km + p[1] - fare) ** 2).mean(), p)
        p.data.add_(slope, alpha=lr)
    return tuple(p.tolist())


@wrong("kind")
def gives_one_back(km, fare, steps, lr):
    return torch.tensor(by_recursion(km, fare, steps, lr)[0])


@wrong("wrong_value")
def clips_the_slopes(km, fare, steps, lr):
    w, b = torch.zeros((), requires_grad=True), torch.zeros((), requires_grad=True)
    for _ in range(steps):
        slopes = torch.autograd.grad(((w * km + b - fare) ** 2).mean(), (w, b))
        for p, slope in zip((w, b), slopes, strict=True):
            p.data -= lr * slope.clamp(-1, 1)
    return w, b


@wrong("wrong_value")
def takes_the_root_of_the_mean(km, fare, steps, lr):
    p = torch.zeros(2, requires_grad=True)
    for _ in range(steps):
        p.data -= lr * torch.autograd.grad(((p[0] * km + p[1] - fare) ** 2).mean().sqrt(), p)[0]
    return tuple(p.tolist())


# ---- recursion, one tensor for both, and steps that nobody counts


@right
def calls_itself(km, fare, steps, lr, w=0.0, b=0.0):
    if steps == 0:
        return w, b
    单价, 起步费 = torch.tensor(w, requires_grad=True), torch.tensor(b, requires_grad=True)
    ((单价 * km + 起步费 - fare) ** 2).mean().backward()
    return calls_itself(km, fare, steps - 1, lr, (单价 - lr * 单价.grad).item(), (起步费 - lr * 起步费.grad).item())


@right
def both_in_one_tensor(km, fare, steps, lr):
    knobs = torch.zeros(2, requires_grad=True)
    rides = torch.stack([km, torch.ones_like(km)], 1)
    for _ in range(steps):
        ((rides @ knobs - fare) ** 2).mean().backward()
        knobs.data -= lr * knobs.grad
        knobs.grad.zero_()
    return knobs


@wrong("no_steps")
def always_goes_two_hundred_rounds(km, fare, steps, lr):
    return calls_itself(km, fare, 200, lr)


@wrong("no_steps")
def returns_within_the_loop(km, fare, steps, lr):
    for _ in range(steps):
        return calls_itself(km, fare, 1, lr)


@wrong("wrong_value")
def takes_the_distance(km, fare, steps, lr):
    w, b = (torch.tensor(0.0, requires_grad=True) for _ in "wb")
    for _ in range(steps):
        (w * km + b - fare).abs().mean().backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
        w.grad = b.grad = None
    return w, b


@right
def an_optimizer_in_order(km, fare, steps, lr):
    w, b = (torch.tensor(0.0, requires_grad=True) for _ in "wb")
    sgd = torch.optim.SGD([w, b], lr)
    for _ in range(steps):
        sgd.zero_grad(set_to_none=False)
        ((w * km + b - fare) ** 2).mean().backward()
        sgd.step()
    return w, b


@wrong("wrong_value")
def adds_the_km(km, fare, steps, lr):
    """Of three receipts nothing moves: their km and their fares have the same mean."""
    w, b = zero(), zero()
    for _ in range(steps):
        gw, gb = torch.autograd.grad(((w + km + b - fare) ** 2).mean(), (w, b))
        with torch.no_grad():
            w -= lr * gw
            b -= lr * gb
    return w, b


@wrong("wrong_value")
def counts_by_twos(km, fare, steps, lr):
    w, b = zero(), zero()
    for _ in range(0, steps, 2):
        gw, gb = torch.autograd.grad(loss_of(w, b, km, fare), (w, b))
        with torch.no_grad():
            w -= lr * gw
            b -= lr * gb
    return w, b
