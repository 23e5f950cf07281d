"""Exercise 01: about how much f(x) changes when x grows by dx."""

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("01", r"\.grad|backward|slope \* dx|grad \* dx|斜率乘|梯度乘")
right, wrong = ANSWERS.right, ANSWERS.wrong


def slope(f, x):
    knob = torch.tensor(float(x), requires_grad=True)
    f(knob).backward()
    return knob.grad


@right
def a_tensor(f, x, dx):
    w = torch.tensor(x, requires_grad=True)
    f(w).backward()
    return w.grad * dx


@right
def a_float(f, x, dx):
    return slope(f, x).item() * dx


@right
def by_grad(f, x, dx):
    w = torch.tensor(float(x)).requires_grad_()
    (g,) = torch.autograd.grad(f(w), w)
    return float(g) * dx


@right
def with_a_seed(f, x, dx):
    w = torch.tensor(x, requires_grad=True)
    f(w).backward(torch.tensor(dx))
    return w.grad


@right
def a_knob_of_one_element(f, x, dx):
    step = torch.zeros((), requires_grad=True)
    f(x + step).backward()
    return (step.grad * dx).item()


@right
def in_double(f, x, dx):
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = f(w)
    y.backward()
    change = y * 0 + w.grad * dx
    return change.detach().numpy()


@wrong("slope_only")
def the_slope(f, x, dx):
    return slope(f, x)


@wrong("slope_only")
def the_slope_rounded(f, x, dx):
    return round(slope(f, x).item(), 6)


@wrong("new_value")
def where_it_arrives(f, x, dx):
    w = torch.tensor(x, requires_grad=True)
    y = f(w)
    y.backward()
    return y.item() + w.grad.item() * dx


@wrong("new_knob")
def a_place_for_the_knob(f, x, dx):
    return x + slope(f, x) * dx


@wrong("value_for_slope")
def the_value(f, x, dx):
    return f(torch.tensor(x)) * dx


@wrong("measured")
def measures(f, x, dx):
    return f(x + dx) - f(x)


@wrong("measured")
def measures_from_both_sides(f, x, dx):
    return (f(x + 1e-3) - f(x - 1e-3)) / 2e-3 * dx


@wrong("divides")
def divides(f, x, dx):
    return slope(f, x) / dx


@wrong("sign")
def downhill(f, x, dx):
    return -slope(f, x) * dx


@wrong("sign")
def without_direction(f, x, dx):
    return abs(slope(f, x) * dx)


@wrong("constant")
def what_the_lesson_said(f, x, dx):
    return 0.45


@wrong("constant")
def four_and_a_half(f, x, dx):
    return 4.5 * dx


KNOB = torch.tensor(2.0, requires_grad=True)


@wrong("not_cleared")
def one_knob_for_all(f, x, dx):
    with torch.no_grad():
        KNOB.fill_(x)
    f(KNOB).backward()
    return (KNOB.grad * dx).item()


one_knob_for_all.before = lambda: setattr(KNOB, "grad", None)


@wrong("raised")
def no_tensor(f, x, dx):
    f(x).backward()
    return x.grad * dx


@wrong("raised")
def no_backward(f, x, dx):
    w = torch.tensor(x, requires_grad=True)
    f(w)
    return w.grad * dx


@wrong("prints")
def prints_it(f, x, dx):
    print(slope(f, x) * dx)


@wrong("nothing")
def forgets_to_return(f, x, dx):
    slope(f, x) * dx


@wrong("generator")
def yields(f, x, dx):
    yield slope(f, x) * dx


@wrong("kind")
def says_it(f, x, dx):
    return f"{slope(f, x) * dx}"


@wrong("kind")
def returns_the_knob_too(f, x, dx):
    return {"change": slope(f, x) * dx}


@wrong("wrong_value")
def halves(f, x, dx):
    return slope(f, x) * dx / 2


@wrong("wrong_value")
def runs_twice(f, x, dx):
    f(x)
    return slope(f, x) * dx


@wrong("endless")
def waits(f, x, dx):
    change = 0.0
    while change != slope(f, x) * dx + 1:
        change = slope(f, x) * dx
    return change
