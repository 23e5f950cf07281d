"""Exercise 01: about how much f(x) changes when x grows by dx."""

from decimal import Decimal
from fractions import Fraction

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


# ---- other hands


@right
class Foretells:
    """A class whose call is the answer's own; handed in as an object below."""

    def __call__(self, f, x, dx):
        knob = torch.nn.Parameter(torch.tensor(float(x)))
        f(knob).backward()
        return torch.dot(knob.grad.reshape(1), torch.tensor([dx]))[()]


RIGHT_CLASS = ANSWERS.rights.pop()
Foretells.__name__ = "an_object"
right(RIGHT_CLASS())


@right
def by_func(f, x, dx):
    return torch.func.grad(f)(torch.tensor(float(x))) * dx


@right
def forwards(f, x, dx):
    return torch.func.jvp(f, (torch.tensor(float(x)),), (torch.tensor(float(dx)),))[1]


@right
def by_a_hook(f, x, dx, *, keep=None):
    heard = [] if keep is None else keep
    w = torch.tensor(float(x), requires_grad=True)
    w.register_hook(lambda g: heard.append(g * dx))
    f(w).backward()
    return heard.pop()


@right
def a_scaled_knob(f, x, dx):
    t = torch.tensor(0.0, requires_grad=True)
    y = f(x + dx * t)
    y.backward()
    return t.grad.numpy()


@right
def by_vmapped_rows(f, x, dx):
    return torch.func.jacrev(f)(torch.tensor(float(x))) * dx


@right
def early_return(f, x, dx):
    if dx == 0:
        return 0.0
    Знак = torch.tensor([x], requires_grad=True)
    torch.autograd.backward([f(Знак[0])])
    return sum(g * dx for g in Знак.grad.tolist())


@right
def by_jacobian(f, x, dx):
    return torch.autograd.functional.jacobian(f, torch.tensor(float(x))).item() * dx


right(lambda f, x, dx: (lambda w: torch.autograd.grad(f(w), [w])[0] * dx)(torch.tensor(x, requires_grad=True)))


@wrong("wrong_value")
def halves_the_knob(f, x, dx):
    return slope(f, x / 2) * dx


@wrong("wrong_value")
def slope_after_the_move(f, x, dx):
    return slope(f, x + dx) * dx


@wrong("wrong_value")
def slope_of_dx(f, x, dx):
    return slope(f, dx) * x


@wrong("slope_only")
def slope_as_text_and_back(f, x, dx):
    return float(f"{slope(f, x).item():.4f}")


@wrong("value_for_slope")
def value_without_autograd(f, x, dx):
    y = f(x)
    return y * dx


@wrong("new_value")
def value_and_step(f, x, dx):
    before = torch.tensor(x, requires_grad=True)
    out = f(before)
    out.backward()
    after = out + before.grad * dx
    return after


@wrong("new_knob")
def moves_the_knob(f, x, dx):
    w = torch.tensor(x, requires_grad=True)
    f(w).backward()
    with torch.no_grad():
        w += dx * w.grad
    return w


@wrong("sign")
def descends(f, x, dx):
    w = torch.tensor(float(x), requires_grad=True)
    (-f(w)).backward()
    return w.grad * dx


@wrong("measured")
def measures_at_two(f, x, dx):
    w = torch.tensor(x, requires_grad=True)
    f(w).backward()
    return (f(w + dx) - f(w)).item()


@wrong("wrong_value")
def averages_two_slopes(f, x, dx):
    return (slope(f, x) + slope(f, x)) / 2 * dx


@wrong("kind")
def returns_the_pair(f, x, dx):
    w = torch.tensor(x, requires_grad=True)
    f(w).backward()
    return w.grad, dx


@wrong("raised")
def integer_knob(f, x, dx):
    w = torch.tensor(int(x), requires_grad=True)
    f(w).backward()
    return w.grad * dx


@wrong("nothing")
def forgets_the_else(f, x, dx):
    if dx > 0:
        return slope(f, x) * dx


@wrong("raised")
def leaves_python(f, x, dx):
    raise SystemExit


@wrong("endless")
def halves_for_ever(f, x, dx):
    while True:
        try:
            dx = dx / 2 + slope(f, x).item()
        except:  # noqa: E722
            continue


@wrong("wrong_value")
def rounds_too_much(f, x, dx):
    return round(slope(f, x).item() * dx, 1)


@wrong("wrong_value")
def adds_the_step(f, x, dx):
    return slope(f, x) + dx


@wrong("new_value")
def measured_value(f, x, dx):
    w = torch.tensor(float(x), requires_grad=True)
    y = f(w)
    (g,) = torch.autograd.grad(y, w)
    return torch.lerp(y, y + g, dx).item()


@wrong("wrong_value")
def squares_the_step(f, x, dx):
    return slope(f, x) * dx ** 2


@wrong("wrong_value")
def adds_the_curvature(f, x, dx):
    w = torch.tensor(float(x), requires_grad=True)
    (g,) = torch.autograd.grad(f(w), w, create_graph=True)
    h = torch.autograd.grad(g, w)[0] if g.requires_grad else 0
    return (g + h * dx / 2).detach() * dx


@wrong("wrong_value")
def integer_steps(f, x, dx):
    return slope(f, x) * int(dx * 10) // 10


@wrong("constant")
def gives_dx(f, x, dx):
    return dx


# ---- a class of their own, a language of their own


class Slope:
    def __init__(self, f):
        self.f = f

    def at(self, x):
        self.w = torch.tensor(float(x), requires_grad=True)
        self.f(self.w).backward()
        return self.w.grad


@right
def by_a_class(f, x, dx):
    return Slope(f).at(x).mul(dx)


@right
def 预测(f, x, dx):
    旋钮 = torch.tensor([x], requires_grad=True)
    f(旋钮).sum().backward()
    斜率 = 旋钮.grad.item()
    return 斜率 * dx


@wrong("wrong_value")
def takes_the_slope_where_it_ends(f, x, dx):
    return slope(f, x + dx) * dx


@wrong("raised")
def asks_a_plain_number(f, x, dx):
    f(x).backward()
    return x.grad * dx


# ---- several places in one call, the next number after x, another place than x


@wrong("measured")
def two_entries_at_once(f, x, dx):
    before, after = f(torch.tensor([x, x + dx]))
    return after - before


@wrong("measured")
def numbers_side_by_side(f, x, dx):
    h = 1e-6
    y = f(torch.tensor([x - h, x + h], dtype=torch.float64))
    return (y[1] - y[0]) / (2 * h) * dx


@wrong("measured")
def a_step_too_small_to_print(f, x, dx):
    return (f(x + 1e-7) - f(x)) / 1e-7 * dx


@wrong("sign")
def a_step_without_direction(f, x, dx):
    return slope(f, x) * abs(dx)


@wrong("wrong_value")
def stays_at_two(f, x, dx):
    return slope(f, 2.0) * dx


@right
def a_complex_step(f, x, dx):
    return f(complex(x, 1e-20)).imag / 1e-20 * dx


@right
def sends_dx_back(f, x, dx):
    w = torch.tensor(x).requires_grad_()
    f(w).backward(torch.tensor(dx))
    return w.grad


@wrong("constant")
def gives_no_number(f, x, dx):
    return slope(f, x) * float("nan")


@wrong("raised")
def calls_itself(f, x, dx):
    return calls_itself(f, x, dx / 2) * 2


# ---- numbers of other kinds


@right
def by_fractions(f, x, dx):
    return Fraction(slope(f, x).item()) * Fraction(dx)


@right
def by_decimals(f, x, dx):
    return Decimal(slope(f, x).item()) * Decimal(dx)


@wrong("slope_only")
def the_slope_as_a_fraction(f, x, dx):
    return Fraction(slope(f, x).item())
