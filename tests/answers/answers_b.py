"""Exercises B, a Hessian times a vector, and B.2, dual numbers."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import minigrad as torch
from tests.answers import Answers

HVP = Answers("B", r"create_graph|autograd\.grad|detach|\.sum\(\)(?! \+ x)|@")
DUAL = Answers("B.2", r"__r|__add|__mul|isinstance|other\.|\.dot \*")
grad = torch.autograd.grad


@HVP.right
def twice_by_grad(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g, x, v)[0]


@HVP.right
def of_the_dot_product(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    (h,) = grad((g * v).sum(), x)
    return h


@HVP.right
def with_its_own_knob(f, x, v):
    knob = x.detach().clone().requires_grad_()
    (g,) = grad(f(knob), knob, create_graph=True)
    g.backward(v, inputs=[knob])
    return knob.grad


@HVP.right
def as_a_list(f, x, v):
    g = grad([f(x)], [x], create_graph=True)[0]
    return grad([g @ v], [x])[0].tolist()


@HVP.wrong("leftover")
def cleans_up(f, x, v):
    f(x).backward(create_graph=True)
    g, x.grad = x.grad, None
    (g * v).sum().backward()
    h, x.grad = x.grad, None
    return h


@HVP.right
def by_a_second_knob(f, x, v):
    knob = torch.tensor(x.tolist(), requires_grad=True)
    y = f(knob)
    y.backward(create_graph=True)
    g = knob.grad
    knob.grad = None
    return torch.autograd.grad(g.dot(v), knob)[0]


def rows(f, x):
    (g,) = grad(f(x), x, create_graph=True)
    return torch.stack([grad(one, x, retain_graph=True)[0] for one in g])


@HVP.wrong("first_only")
def the_gradient(f, x, v):
    return grad(f(x), x)[0]


@HVP.wrong("first_only")
def along_v(f, x, v):
    return grad(f(x), x)[0] @ v


@HVP.wrong("forgets_v")
def all_alike(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g.sum(), x)[0]


@HVP.wrong("forgets_v")
def with_ones(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g, x, torch.ones_like(g))[0]


@HVP.wrong("diagonal")
def multiplies_afterwards(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g.sum(), x)[0] * v


@HVP.wrong("diagonal")
def of_the_diagonal(f, x, v):
    return torch.diagonal(rows(f, x)) * v


@HVP.wrong("whole_hessian")
def the_matrix(f, x, v):
    return rows(f, x)


@HVP.wrong("whole_hessian")
def the_matrix_times_v(f, x, v):
    return rows(f, x) @ v


@HVP.wrong("whole_hessian")
def by_name(f, x, v):
    return torch.autograd.functional.hessian(f, x) @ v


@HVP.wrong("measured")
def by_differences(f, x, v):
    h = 1e-2
    return (grad(f(x + h * v), x)[0] - grad(f(x - h * v), x)[0]) / (2 * h)


@HVP.wrong("leftover")
def leaves_its_gradient(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    (g * v).sum().backward()
    return x.grad


@HVP.wrong("leftover")
def switches_x_off(f, x, v):
    h = twice_by_grad(f, x, v)
    x.requires_grad_(False)
    return h


@HVP.wrong("accumulated")
def adds_up(f, x, v):
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


@HVP.wrong("accumulated")
def adds_up_in_its_own(f, x, v):
    knob = x.detach().requires_grad_()
    f(knob).backward(create_graph=True)
    knob.grad.backward(v)
    return knob.grad


@HVP.wrong("wrong_value")
def runs_f_twice(f, x, v):
    f(x)
    return twice_by_grad(f, x, v)


@HVP.wrong("raised")
def forgets_the_record(f, x, v):
    (g,) = grad(f(x), x)
    return grad(g, x, v)[0]


@HVP.wrong("sign")
def downhill(f, x, v):
    return -twice_by_grad(f, x, v)


@HVP.wrong("nothing")
def returns_nothing(f, x, v):
    twice_by_grad(f, x, v)


@HVP.wrong("prints")
def prints(f, x, v):
    print(twice_by_grad(f, x, v))


@HVP.wrong("kind")
def returns_the_tuple(f, x, v):
    return twice_by_grad(f, x, v), "done"


@HVP.wrong("constant")
def knows_one(f, x, v):
    return [10.0, 1.0]


@HVP.wrong("wrong_value")
def halves(f, x, v):
    return twice_by_grad(f, x, v) / 2


@HVP.wrong("endless")
def waits(f, x, v):
    while f(x) is not None:
        pass


@DUAL.right
class Plain:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        if not isinstance(other, Plain):
            other = Plain(other, 0)
        return Plain(self.value + other.value, self.dot + other.dot)

    def __mul__(self, other):
        if not isinstance(other, Plain):
            other = Plain(other, 0)
        return Plain(self.value * other.value, self.dot * other.value + self.value * other.dot)

    __radd__ = __add__
    __rmul__ = __mul__


@DUAL.right
@dataclass(frozen=True)
class Frozen:
    value: float
    dot: float = 0.0

    def __add__(self, other):
        return Frozen(self.value + getattr(other, "value", other), self.dot + getattr(other, "dot", 0))

    def __radd__(self, other):
        return self + other

    def __mul__(self, other):
        value, dot = (other.value, other.dot) if hasattr(other, "dot") else (other, 0)
        return Frozen(self.value * value, self.value * dot + value * self.dot)

    def __rmul__(self, other):
        return self * other


@DUAL.right
class NumbersApart:
    def __init__(self, value, dot):
        self.value = value
        self.dot = dot

    def __add__(self, other):
        if isinstance(other, (int, float)):
            return NumbersApart(self.value + other, self.dot)
        return NumbersApart(self.value + other.value, self.dot + other.dot)

    def __radd__(self, other):
        return NumbersApart(other + self.value, self.dot)

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return NumbersApart(self.value * other, self.dot * other)
        return NumbersApart(self.value * other.value, self.value * other.dot + other.value * self.dot)

    def __rmul__(self, other):
        return self.__mul__(other)


@DUAL.right
class Pair(tuple):
    def __new__(cls, value, dot):
        return super().__new__(cls, (value, dot))

    value = property(lambda self: self[0])
    dot = property(lambda self: self[1])

    def __add__(self, other):
        a, b = other if isinstance(other, Pair) else (other, 0.0)
        return Pair(self[0] + a, self[1] + b)

    def __mul__(self, other):
        a, b = other if isinstance(other, Pair) else (other, 0.0)
        return Pair(self[0] * a, self[1] * a + self[0] * b)

    __radd__, __rmul__ = __add__, __mul__


@DUAL.right
class Matrix:
    """A dual number as a matrix [[value, dot], [0, value]]."""

    def __init__(self, value, dot):
        self.m = torch.tensor([[value, dot], [0.0, value]])

    value = property(lambda self: self.m[0, 0].item())
    dot = property(lambda self: self.m[0, 1].item())

    def __add__(self, other):
        other = other if isinstance(other, Matrix) else Matrix(other, 0.0)
        s = self.m + other.m
        return Matrix(s[0, 0].item(), s[0, 1].item())

    def __mul__(self, other):
        other = other if isinstance(other, Matrix) else Matrix(other, 0.0)
        s = self.m @ other.m
        return Matrix(s[0, 0].item(), s[0, 1].item())

    __radd__, __rmul__ = __add__, __mul__


def dual(idea, product=lambda a, b: a.dot * b.value + a.value * b.dot, number=lambda n: 0.0, add=None):
    """A wrong Dual that differs in one rule alone."""

    class Dual:
        def __init__(self, value, dot):
            self.value, self.dot = value, dot

        def lifted(self, n):
            return n if isinstance(n, Dual) else Dual(n, number(n))

        def __add__(self, other):
            other = self.lifted(other)
            return Dual(self.value + other.value, (add or (lambda a, b: a.dot + b.dot))(self, other))

        def __mul__(self, other):
            other = self.lifted(other)
            return Dual(self.value * other.value, product(self, other))

        __radd__, __rmul__ = __add__, __mul__

    DUAL.wrong(idea)(Dual)


dual("product_of_slopes", lambda a, b: a.dot * b.dot)
dual("missing_term", lambda a, b: a.dot * b.value)
dual("missing_term", lambda a, b: a.value * b.dot)
dual("no_swap", lambda a, b: a.value * a.dot + b.value * b.dot)
dual("constant_moves", number=lambda n: 1.0)
dual("constant_moves", number=lambda n: n)
dual("wrong_value", lambda a, b: a.dot * b.value - a.value * b.dot)
dual("wrong_value", add=lambda a, b: a.dot)
dual("wrong_value", number=lambda n: 2.0)


@DUAL.wrong("product_of_slopes")
class NumbersScale(NumbersApart):
    def __add__(self, other):
        if isinstance(other, (int, float)):
            return NumbersScale(self.value + other, self.dot)
        return NumbersScale(self.value + other.value, self.dot + other.dot)

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return NumbersScale(self.value * other, self.dot * other)
        return NumbersScale(self.value * other.value, self.dot * other.dot)

    def __radd__(self, other):
        return self + other


@DUAL.wrong("edits_input")
class InPlace:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        if not isinstance(other, InPlace):
            other = InPlace(other, 0)
        self.value += other.value
        self.dot += other.dot
        return self

    def __mul__(self, other):
        if not isinstance(other, InPlace):
            other = InPlace(other, 0)
        self.value, self.dot = self.value * other.value, self.dot * other.value + self.value * other.dot
        return self

    __radd__, __rmul__ = __add__, __mul__


@DUAL.wrong("raised")
class OneSide:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        other = other if isinstance(other, OneSide) else OneSide(other, 0)
        return OneSide(self.value + other.value, self.dot + other.dot)

    def __mul__(self, other):
        other = other if isinstance(other, OneSide) else OneSide(other, 0)
        return OneSide(self.value * other.value, self.dot * other.value + self.value * other.dot)


@DUAL.wrong("raised")
class NoNumbers:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        return NoNumbers(self.value + other.value, self.dot + other.dot)


@DUAL.wrong("nothing")
class ReturnsNothing:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        ReturnsNothing(self.value + other.value, self.dot + other.dot)


@DUAL.wrong("kind")
class OtherNames:
    def __init__(self, value, dot):
        self.x, self.dx = value, dot

    def __add__(self, other):
        return OtherNames(self.x + other.x, self.dx + other.dx)


@DUAL.wrong("kind")
def a_function(value, dot):
    return Plain(value, dot)


@DUAL.wrong("endless")
class Waits(Plain):
    def __add__(self, other):
        while True:
            pass


# ---- other hands


@HVP.right
class Product:
    def __call__(self, f, x, v):
        self.x = x.clone().detach().requires_grad_(True)
        return torch.autograd.grad(self.slope(f), self.x, grad_outputs=v)[0]

    def slope(self, f):
        return torch.autograd.grad(f(self.x), self.x, create_graph=True)[0]


HVP.rights[-1] = Product()


@HVP.right
def by_name_of_torch(f, x, v):
    return torch.autograd.functional.vhp(f, x, v)[1]


@HVP.right
def forward_over_reverse(f, x, v):
    return torch.func.jvp(torch.func.grad(f), (x.detach(),), (v,))[1]


@HVP.right
def by_double_backward_into_a_dummy(f, x, v):
    knob = x.detach().requires_grad_()
    (g,) = torch.autograd.grad(f(knob), knob, create_graph=True)
    g.backward(v)
    return knob.grad.numpy()


@HVP.right
def entry_by_entry(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    weighted = sum(a * b for a, b in zip(g.unbind(), v.unbind(), strict=True))
    return [part.item() for part in torch.autograd.grad(weighted, x)[0]]


@HVP.right
def by_einsum(f, x, v):
    with torch.enable_grad():
        y = f(x)
        g = torch.autograd.grad(y, [x], create_graph=True)[0]
        s = torch.einsum("i,i->", g, v)
    return torch.autograd.grad([s], [x], retain_graph=True)[0].clone()


@HVP.wrong("whole_hessian")
def row_by_row(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    rows = [torch.autograd.grad(part, x, retain_graph=True)[0] for part in g]
    return torch.stack([row @ v for row in rows])


@HVP.wrong("whole_hessian")
def jacobian_of_the_slope(f, x, v):
    return torch.func.hessian(f)(x.detach()) @ v


@HVP.wrong("first_only")
def slope_times_v(f, x, v):
    knob = x.detach().clone().requires_grad_()
    f(knob).backward()
    return knob.grad * v


@HVP.wrong("measured")
def between_two_slopes(f, x, v):
    def slope(at):
        at = at.detach().requires_grad_()
        return torch.autograd.grad(f(at), at)[0]

    return (slope(x + 0.001 * v) - slope(x)) / 0.001


@HVP.wrong("forgets_v")
def sums_the_slope(f, x, v):
    knob = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(knob), knob, create_graph=True)
    g.sum().backward()
    return knob.grad


@HVP.wrong("accumulated")
def two_backwards_into_x(f, x, v):
    y = f(x)
    y.backward(create_graph=True)
    (x.grad * v).sum().backward()
    h, x.grad = x.grad, None
    return h


@HVP.wrong("leftover")
def uses_x_s_drawer(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    g.backward(v)
    return x.grad


@HVP.wrong("leftover")
def steps_x(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    (h,) = torch.autograd.grad(g, x, v)
    x.data += v
    return h


@HVP.wrong("raised")
def backward_without_record(f, x, v):
    f(x).backward()
    (x.grad @ v).backward()
    return x.grad


@HVP.wrong("raised")
def detaches_between(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(g.detach() @ v, x)[0]


@HVP.wrong("wrong_value")
def doubles(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(g @ (v + v), x)[0]


@HVP.wrong("kind")
def the_quadratic_form(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return v @ torch.autograd.grad(g @ v, x)[0]


@HVP.wrong("diagonal")
def second_derivatives_only(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0][i] * v[i] for i in range(len(v))])


@HVP.wrong("wrong_value")
def runs_f_for_its_value(f, x, v):
    y = f(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(g @ v, x)[0] + 0 * y.detach()


@HVP.wrong("generator")
def yields(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    yield torch.autograd.grad(g @ v, x)[0]


@HVP.wrong("raised")
def names_v_wrongly(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(g, x, vector=v)


@HVP.wrong("sign")
def the_other_direction(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(g, x, -v)[0]


@HVP.wrong("wrong_value")
def the_value(f, x, v):
    return f(x.detach()) * v


@HVP.wrong("nothing")
def backward_hands_nothing_over(f, x, v):
    knob = x.detach().requires_grad_()
    (g,) = torch.autograd.grad(f(knob), knob, create_graph=True)
    return (g @ v).backward()


@DUAL.right
class Numeric(complex):
    """As a complex number whose imaginary part is tiny: a step so small that its square is nothing."""

    STEP = 1e-30

    def __new__(cls, value, dot):
        return super().__new__(cls, value, dot * cls.STEP)

    value = property(lambda self: self.real)
    dot = property(lambda self: self.imag / self.STEP)

    def __add__(self, other):
        s = complex(self) + complex(other)
        return Numeric(s.real, s.imag / self.STEP)

    def __mul__(self, other):
        s = complex(self) * complex(other)
        return Numeric(s.real, s.imag / self.STEP)

    __radd__, __rmul__ = __add__, __mul__


@DUAL.right
class OnTensors:
    def __init__(self, value, dot):
        self.value, self.dot = torch.tensor(float(value)), torch.tensor(float(dot))

    def __add__(self, other):
        return OnTensors(self.value + getattr(other, "value", other), self.dot + getattr(other, "dot", 0))

    def __mul__(self, other):
        v, d = getattr(other, "value", other), getattr(other, "dot", 0)
        return OnTensors(self.value * v, self.dot * v + d * self.value)

    __radd__, __rmul__ = __add__, __mul__


@DUAL.right
class ByFunctions:
    __slots__ = ("dot", "value")

    def __init__(self, value, dot=0.0):
        self.value = value
        self.dot = dot

    @staticmethod
    def of(x):
        try:
            return x.value, x.dot
        except AttributeError:
            return x, 0

    def __add__(a, b):
        (v, d), (u, e) = map(ByFunctions.of, (a, b))
        return ByFunctions(v + u, d + e)

    def __mul__(a, b):
        (v, d), (u, e) = map(ByFunctions.of, (a, b))
        return ByFunctions(v * u, v * e + u * d)

    def __radd__(a, b):
        return ByFunctions(b) + a

    def __rmul__(a, b):
        return ByFunctions(b) * a


@DUAL.right
class OnNumpy:
    def __init__(self, value, dot):
        self.pair = np.array([value, dot])

    @property
    def value(self):
        return self.pair[0]

    @property
    def dot(self):
        return self.pair[1]

    def __add__(self, other):
        other = other if isinstance(other, OnNumpy) else OnNumpy(other, 0)
        return OnNumpy(*(self.pair + other.pair))

    def __mul__(self, other):
        other = other if isinstance(other, OnNumpy) else OnNumpy(other, 0)
        return OnNumpy(*np.convolve(self.pair, other.pair)[:2])

    __radd__, __rmul__ = __add__, __mul__


class Base:
    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other


@DUAL.right
class Inherits(Base):
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        match other:
            case Inherits(value=v, dot=d):
                return Inherits(self.value + v, self.dot + d)
            case _:
                return Inherits(self.value + other, self.dot)

    def __mul__(self, other):
        if not isinstance(other, Inherits):
            return Inherits(other * self.value, other * self.dot)
        return Inherits(self.value * other.value, sum([self.value * other.dot, self.dot * other.value]))


@DUAL.right
class WithMore(Inherits):
    """More than is asked for."""

    def __neg__(self):
        return WithMore(-self.value, -self.dot)

    def __sub__(self, other):
        return self + -other

    def __repr__(self):
        return f"{self.value} + {self.dot}e"


def another(idea, **methods):
    """The plain class with other methods."""
    DUAL.wrong(idea)(type("Dual", (Plain,), methods))


another("missing_term", __mul__=lambda a, b: type(a)(a.value * getattr(b, "value", b), a.dot * getattr(b, "value", b)))
another("wrong_value", __add__=lambda a, b: type(a)(a.value + getattr(b, "value", b), a.dot * getattr(b, "dot", 1)))
another("raised", __radd__=lambda a, b: a.value + b.value)
another("wrong_value", __mul__=lambda a, b: type(a)(a.value * getattr(b, "value", b), a.dot + getattr(b, "dot", 0)))
another("kind", __add__=lambda a, b: (a.value + getattr(b, "value", b), a.dot + getattr(b, "dot", 0)))
another("nothing", __mul__=lambda a, b: None)
another("prints", __add__=lambda a, b: print(a.value + getattr(b, "value", b)))
another("raised", __init__=lambda self, value: None)
another("kind", __add__=lambda a, b: a.value + getattr(b, "value", b))
another("generator", __add__=lambda a, b: (n for n in (a.value, b)))
another("wrong_value", __mul__=lambda a, b: type(a)(a.value + getattr(b, "value", b), a.dot + getattr(b, "dot", 0)))
another("raised", __init__=lambda self, value, dot: setattr(self, "pair", (value, dot)))


@DUAL.wrong("edits_input")
class AddsIntoItself(InPlace):
    def __mul__(self, other):
        value, dot = getattr(other, "value", other), getattr(other, "dot", 0.0)
        return AddsIntoItself(self.value * value, self.dot * value + self.value * dot)

    __rmul__ = __mul__


@DUAL.wrong("wrong_value")
class HasItsPartsExchanged:
    def __init__(self, dot, value):
        self.dot, self.value = dot, value

    def __add__(self, other):
        return HasItsPartsExchanged(self.dot + getattr(other, "dot", 0.0), self.value + getattr(other, "value", other))

    def __mul__(self, other):
        value, dot = getattr(other, "value", other), getattr(other, "dot", 0.0)
        return HasItsPartsExchanged(self.dot * value + self.value * dot, self.value * value)

    __radd__, __rmul__ = __add__, __mul__


# half done: numbers must wait; the idea shows where two dual numbers meet
for idea, product in (("product_of_slopes", lambda a, b: a.dot * b.dot), ("missing_term", lambda a, b: a.dot * b.value),
                      ("no_swap", lambda a, b: a.dot * a.value + b.dot * b.value)):
    another(idea, __radd__=None, __rmul__=None, __add__=lambda a, b: type(a)(a.value + b.value, a.dot + b.dot),
            __mul__=lambda a, b, product=product: type(a)(a.value * b.value, product(a, b)))


@DUAL.wrong("wrong_value")
class CountsUp(Inherits):
    """Times 0.5 is not to add something half a time."""

    def __mul__(self, other):
        return super().__mul__(other) if hasattr(other, "dot") else sum([self] * int(other), Inherits(0, 0))

    __rmul__ = __mul__


@DUAL.wrong("raised")
class KnowsWholeNumbers(Inherits):
    def __mul__(self, other):
        return super().__mul__(other) if type(other) is int else Inherits(
            self.value * other.value, self.dot * other.value + self.value * other.dot)

    __rmul__ = __mul__


# ---- a named tuple, numbers with a dot, and one who looks at f first


@HVP.wrong("leftover")
def takes_the_drawer_out(f, x, v):
    f(x).backward(create_graph=True)
    first, x.grad = x.grad, None
    (first * v).sum().backward()
    out, x.grad = x.grad, None
    return out


@HVP.wrong("wrong_value")
def prints_f_first(f, x, v):
    print(f(x))
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad((g * v).sum(), x)[0]


@HVP.wrong("leftover")
def moves_x_along(f, x, v):
    h = takes_the_drawer_out(f, x, v)
    x.data += v
    return h


@DUAL.right
class NumberWithADot(float):
    def __new__(cls, value, dot=0.0):
        self = super().__new__(cls, value)
        self.dot = dot
        return self

    value = property(float)

    def __add__(self, other):
        return NumberWithADot(float(self) + float(other), self.dot + getattr(other, "dot", 0.0))

    def __mul__(self, other):
        moved = self.dot * float(other) + float(self) * getattr(other, "dot", 0.0)
        return NumberWithADot(float(self) * float(other), moved)

    __radd__, __rmul__ = __add__, __mul__


@DUAL.wrong("wrong_value")
class NumbersMoveTheSum:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        value, dot = (other.value, other.dot) if isinstance(other, NumbersMoveTheSum) else (other, other)
        return NumbersMoveTheSum(self.value + value, self.dot + dot)

    def __mul__(self, other):
        value, dot = (other.value, other.dot) if isinstance(other, NumbersMoveTheSum) else (other, 0.0)
        return NumbersMoveTheSum(self.value * value, self.value * dot + self.dot * value)

    __radd__, __rmul__ = __add__, __mul__


@HVP.wrong("kind")
def hands_over_the_tuple(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g, x, v)


@HVP.wrong("kind")
def hands_over_both(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return g, grad(g @ v, x)[0]


@HVP.wrong("kind")
def multiplies_once_more(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g @ v, x)[0] @ v


def number(other):
    return (other.value, other.dot) if hasattr(other, "dot") else (other, 0.0)


@DUAL.wrong("wrong_value")
class AddsTheDots(Plain):
    def __mul__(self, other):
        return AddsTheDots(self.value * number(other)[0], self.dot + number(other)[1])

    __rmul__ = __mul__


@DUAL.wrong("wrong_value")
class AddsTheDotsOfDuals(Plain):
    def __mul__(self, other):
        if isinstance(other, Plain):
            return AddsTheDotsOfDuals(self.value * other.value, self.dot + other.dot)
        return AddsTheDotsOfDuals(self.value * other, self.dot * other)

    __rmul__ = __mul__


@DUAL.wrong("wrong_value")
class LeavesTheDotToNumbers(Plain):
    def __mul__(self, other):
        if isinstance(other, Plain):
            return LeavesTheDotToNumbers(self.value * other.value, self.value * other.dot + self.dot * other.value)
        return LeavesTheDotToNumbers(self.value * other, self.dot)

    __rmul__ = __mul__


# ---- a forward mode that runs backward twice


@HVP.wrong("wrong_value")
def pushes_by_pulling_twice(f, x, v):
    return torch.autograd.functional.jvp(lambda z: grad(f(z), z, create_graph=True)[0], x, v)[1]


@DUAL.right
class OnFractions(Plain):
    def __init__(self, value, dot=0):
        self.value, self.dot = Fraction(value), Fraction(dot)

    def __add__(self, other):
        b = other if isinstance(other, OnFractions) else OnFractions(other)
        return OnFractions(self.value + b.value, self.dot + b.dot)

    def __mul__(self, other):
        b = other if isinstance(other, OnFractions) else OnFractions(other)
        return OnFractions(self.value * b.value, self.value * b.dot + self.dot * b.value)

    __radd__, __rmul__ = __add__, __mul__
