"""Exercise A: x cubed as a Function."""

import math

import numpy as np

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("A", r"save_for_backward|saved_tensors|3 \*|\*\* 2|detach")
Function = torch.autograd.Function


def cube(rule, save=lambda x, y: (x,)):
    """A Function with this rule: for answers that differ in it alone."""

    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x * x
            ctx.save_for_backward(*save(x, y))
            return y

        @staticmethod
        def backward(ctx, grad):
            return rule(grad, *ctx.saved_tensors)

    Cube.__name__ = rule.__name__
    return Cube


@ANSWERS.right
class Plain(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


@ANSWERS.right
class Products(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0]
        return 3 * x * x * grad


@ANSWERS.right
class SavesResultToo(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.pow(3)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, _y = ctx.saved_tensors
        return torch.mul(grad, 3 * torch.square(x))


@ANSWERS.right
class WithAFactor(Function):
    factor = 3

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.power = WithAFactor.factor
        return x**ctx.power

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.power * x ** (ctx.power - 1)


@ANSWERS.right
class SetsUpContext(Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (3 * x**2)


@ANSWERS.right
class AsksFirst(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x**2

    @staticmethod
    def backward(ctx, grad):
        if not ctx.needs_input_grad[0]:
            return None
        (x,) = ctx.saved_tensors
        return (grad * x * x).mul(3)


def rule(idea, **options):
    def keep(f):
        ANSWERS.wrong(idea)(cube(f, **options))
        return f

    return keep


@rule("forgets_incoming")
def only_the_slope(grad, x):
    return 3 * x**2


@rule("value_for_slope")
def the_cube(grad, x):
    return grad * x * x * x


@rule("value_for_slope", save=lambda x, y: (x, y))
def the_result(grad, x, y):
    return grad * y


@rule("wrong_rule")
def forgets_three(grad, x):
    return grad * x**2


@rule("wrong_rule")
def keeps_the_power(grad, x):
    return grad * 3 * x**3


@rule("wrong_rule")
def of_the_square(grad, x):
    return grad * 2 * x


@rule("wrong_rule")
def adds(grad, x):
    return grad + 3 * x**2


@rule("sign")
def downhill(grad, x):
    return -grad * 3 * x**2


@rule("cut_backward")
def with_detached(grad, x):
    return grad * 3 * x.detach() ** 2


@rule("cut_backward")
def by_data(grad, x):
    return grad * 3 * x.data**2


@rule("cut_backward")
def without_record(grad, x):
    with torch.no_grad():
        return grad * 3 * x**2


@rule("cut_backward")
def as_numbers(grad, x):
    return grad * torch.tensor([3 * a * a for a in x.tolist()])


@rule("cut_backward")
def of_a_detached_gradient(grad, x):
    return grad.detach() * 3 * x**2


@rule("edits_incoming")
def in_place(grad, x):
    grad *= 3 * x**2
    return grad


@rule("edits_incoming")
def in_place_by_name(grad, x):
    return grad.mul_(3).mul_(x).mul_(x)


@rule("saved_wrong", save=lambda x, y: (x.clone(),))
def a_copy(grad, x):
    return grad * 3 * x**2


@rule("saved_wrong", save=lambda x, y: (3 * x * x,))
def the_slope(grad, slope):
    return grad * slope


@rule("saved_wrong", save=lambda x, y: (y,))
def the_result_as_input(grad, x):
    return grad * 3 * x**2


@rule("wrong_rule", save=lambda x, y: (y,))
def by_the_root(grad, y):
    return grad * 3 * torch.tensor([math.copysign(abs(a) ** (2 / 3), a) for a in y.tolist()])


@ANSWERS.wrong("hidden_on_ctx")
class OnCtx(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.x**2


SEEN = []


@ANSWERS.wrong("hidden_on_ctx")
class InAGlobal(Function):
    @staticmethod
    def forward(ctx, x):
        SEEN.append(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * SEEN[-1] ** 2


@ANSWERS.wrong("raised")
class NotStatic(Function):
    def forward(self, ctx, x):
        ctx.save_for_backward(x)
        return x**3

    def backward(self, ctx, grad):
        return grad


@ANSWERS.wrong("raised")
class SavesNothing(Function):
    @staticmethod
    def forward(ctx, x):
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


@ANSWERS.wrong("raised")
class NoFunction:
    def forward(self, x):
        return x**3


@ANSWERS.wrong("kind")
def a_function(x):
    return Plain.apply(x)


@ANSWERS.wrong("endless")
class Waits(Function):
    @staticmethod
    def forward(ctx, x):
        while True:
            pass

    @staticmethod
    def backward(ctx, grad):
        return grad


# ---- other hands


@ANSWERS.right
class ByMethod(Function):
    @staticmethod
    def forward(ctx, inp, *rest):
        out = inp.clone()
        for _ in range(2):
            out = out * inp
        ctx.save_for_backward(inp, *rest)
        return out

    @staticmethod
    def backward(ctx, *grads):
        (inp, *_) = ctx.saved_tensors
        slope = sum(inp * inp for _ in range(3))
        return tuple(g * slope for g in grads)


@ANSWERS.right
class ClassMethods(Function):
    @classmethod
    def slope(cls, x):
        return 3 * torch.square(x)

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.pow(x, 3)

    @staticmethod
    def backward(ctx, grad):
        return ClassMethods.slope(*ctx.saved_tensors).mul(grad)


class Half(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


@ANSWERS.right
class Inherits(Half):
    @staticmethod
    def forward(ctx, x):
        return Half.forward(ctx, x) * x

    @staticmethod
    def backward(ctx, grad):
        return Half.backward(ctx, grad) * ctx.saved_tensors[0] * 1.5


@ANSWERS.right
class ByNumpy(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(np.power(x.detach().numpy(), 3))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return torch.einsum("i,i,i->i", grad, x, x) * 3


@ANSWERS.right
class RecordsItself(Function):
    """The rule found by autograd, inside backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            y = x * x * x
        return torch.autograd.grad(y, x, grad, create_graph=True)


@ANSWERS.right
class ReturnsEarly(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.prod()[None] if x.numel() == 0 else x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        if not x.numel():
            return grad
        return next(3 * grad * xi for xi in [x**2])


@ANSWERS.wrong("raised")
class OnlyForward(Function):
    @staticmethod
    def forward(ctx, x):
        return x**3


@ANSWERS.wrong("forgets_incoming")
class FromTheList(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return torch.ones_like(grad) * 3 * ctx.saved_tensors[0] ** 2


@ANSWERS.wrong("nothing")
class ForwardReturnsNothing(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2


@ANSWERS.wrong("nothing")
class BackwardReturnsNothing(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        grad * 3 * ctx.saved_tensors[0] ** 2


@ANSWERS.wrong("wrong_value")
class Squares(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


@ANSWERS.wrong("hidden_on_ctx")
class KeepsACopyOfTheName(Function):
    @staticmethod
    def forward(ctx, number):
        ctx.saved = [number]
        return number**3

    @staticmethod
    def backward(ctx, grad):
        return 3 * ctx.saved[0] * ctx.saved[0] * grad


@ANSWERS.wrong("saved_wrong")
class KeepsAClone(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach().clone()
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return 3 * ctx.x**2 * grad


@ANSWERS.wrong("cut_backward")
class ByNumpyInBackward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * torch.tensor(3 * ctx.saved_tensors[0].detach().numpy() ** 2)


@ANSWERS.wrong("cut_backward")
class OnceDifferentiable(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2


@ANSWERS.wrong("edits_incoming")
class MultipliesTwiceInPlace(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        for _ in range(2):
            grad *= ctx.saved_tensors[0]
        return grad * 3


@ANSWERS.wrong("raised")
class TwoGradients(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2, grad


@ANSWERS.wrong("raised")
class ForgetsCtx(Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def backward(grad, x):
        return grad * 3 * x**2


@ANSWERS.wrong("edits_input")
class WritesTheInput(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.pow_(3)

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2


@ANSWERS.wrong("sign")
class NegativeCube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * -3 * x * x


@ANSWERS.wrong("wrong_value")
class SumsTheIncoming(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad.sum() * 3 * ctx.saved_tensors[0] ** 2


@ANSWERS.wrong("wrong_rule")
class SixX(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 6 * ctx.saved_tensors[0]


@ANSWERS.wrong("wrong_rule")
class WithoutDirection(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0].abs()


@ANSWERS.wrong("kind")
class NoSubclassButAnObject:
    pass


ANSWERS.wrongs[-1] = ("kind", Plain.apply)


# ---- methods without self, a context of its own, and NumPy


@ANSWERS.right
class WithoutStaticmethod(torch.autograd.Function):  # torch calls them just so
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


@ANSWERS.right
class SetUpApart(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.pow(3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, 传入):
        (x,) = ctx.saved_tensors
        return (传入 * x * x).mul(3.0)


@ANSWERS.wrong("cut_backward")
class ByNumPy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor(x.detach().numpy() ** 3)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return torch.tensor(grad.numpy() * 3 * x.detach().numpy() ** 2)


@ANSWERS.wrong("cut_backward")
class AsksAutograd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            x = ctx.saved_tensors[0].detach().requires_grad_()
            (x**3).backward(grad)
        return x.grad


@ANSWERS.wrong("saved_wrong")
class TakesTheCubeRoot(Function):
    @staticmethod
    def forward(ctx, x):
        y = x**3
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0].abs() ** (2 / 3)


@ANSWERS.wrong("saved_wrong")
class NotesTheSquare(Function):
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0]


@ANSWERS.wrong("saved_wrong")
class NotesTheNumbers(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.numbers = x.tolist()
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * torch.tensor([3 * x * x for x in ctx.numbers])
