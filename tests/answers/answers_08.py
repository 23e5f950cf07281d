"""Exercise 08: the training loop."""

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


@wrong("wrong_value")  # what an optimizer reads is not seen
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


@wrong("wrong_value")
def begins_anew_each_round(km, fare, steps, lr):
    for _ in range(steps):
        w, b = by_hand(km, fare, 1, lr)
    return w, b


@wrong("wrong_value")
def b_before_w(km, fare, steps, lr):
    w, b = by_hand(km, fare, steps, lr)
    return b, w
