"""Weeks later: one loop, three faults."""

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("later", r"zero_|\.item\(|detach|\.data|no_grad")
right, wrong = ANSWERS.right, ANSWERS.wrong


def loop(cut=lambda b: b, note=lambda loss: loss.item(), clear="wb", lr=0.1, guard=True, rounds=200, early=False):
    km, fare = torch.tensor([0.5, 1.5, 2.5]), torch.tensor([1.0, 1.5, 2.0])
    w, b = (torch.zeros((), requires_grad=True) for _ in "wb")
    total = 0
    for _ in range(rounds):
        loss = ((w * km + cut(b) - fare) ** 2).mean()
        total = total + note(loss)
        loss.backward()
        with torch.no_grad():
            for name, p in (("w", w), ("b", b)):
                if early:
                    p.grad.zero_()
                if not guard or p.grad is not None:
                    p -= lr * p.grad
                if name in clear:
                    p.grad = None
    return w, b, total


@right
def mended():
    return loop()


@right
def as_numbers():
    return [x if isinstance(x, float) else x.item() for x in loop()]


@right
def detached():
    return loop(note=lambda loss: loss.detach())


@right
def without_the_if():
    return loop(guard=False)


@right
def in_one_tensor():
    return torch.stack([torch.as_tensor(x).detach() for x in loop()])


@right
def with_an_optimizer():
    km, fare = torch.tensor([0.5, 1.5, 2.5]), torch.tensor([1.0, 1.5, 2.0])
    w, b = (torch.zeros((), requires_grad=True) for _ in "wb")
    optimizer, total = torch.optim.SGD([w, b], lr=0.1), 0.0
    for _ in range(200):
        optimizer.zero_grad()
        loss = ((w * km + b - fare) ** 2).mean()
        total += loss.item()
        loss.backward()
        optimizer.step()
    return w, b, total


def cut(b):
    return b.data


@wrong("still_cut")
def as_it_was():
    return loop(cut, lambda loss: loss, "")


@wrong("still_cut")
def cleared_only():
    return loop(cut)


@wrong("still_cut")
def switched_on_again():
    return loop(lambda b: b.data.requires_grad_())


@wrong("not_cleared")
def joined_only():
    return loop(clear="", note=lambda loss: loss)


@wrong("not_cleared")
def clears_w():
    return loop(clear="w")


@wrong("not_cleared")
def clears_b():
    return loop(clear="b")


@wrong("growing_graph")
def keeps_all_rounds():
    return loop(note=lambda loss: loss)


@wrong("raised")
def takes_the_if_away():
    return loop(cut, guard=False)


@wrong("wrong_value")
def clears_too_early():
    return loop(early=True)


@wrong("wrong_value")
def another_step():
    return loop(lr=0.2)


@wrong("wrong_value")
def fewer_rounds():
    return loop(rounds=100)


@wrong("prints")
def prints():
    print(loop())


@wrong("kind")
def texts():
    return "0.5", "0.75", "0"
