"""Exercise 07: a bill whose backward fails, mended with one buffer more."""

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("07", r"clone\(|rate \* 2|2 \* rate")
right, wrong = ANSWERS.right, ANSWERS.wrong


@right
def one_new_rate(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    rate = rate * 2
    total += rate
    return total.sum()


@right
def adds_the_double(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    total += rate * 2
    return total.sum()


@right
def clones_before_the_product(w):
    rate = w * 3
    rate += 1
    noted = rate.clone()
    total = noted * noted
    rate *= 2
    total += rate
    return total.sum()


@right
def clones_before_doubling(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    rate = rate.clone()
    rate *= 2
    total += rate
    return total.sum()


@right
def adds_with_a_factor(w):
    rate = w * 3
    rate.add_(1)
    total = rate ** 2
    total.add_(rate, alpha=2)
    return total.sum()


@right
def sums_separately(w):
    rate = w * 3
    rate += 1
    total = (rate * rate).sum()
    rate = rate * 2
    return total + rate.sum()


@right
def both_in_one_line(w):
    rate = (w * 3).add_(1)
    return (rate * rate).add_(rate + rate).sum()


@right
def factors(w):
    rate = w * 3
    rate += 1
    return (rate * (rate + 2)).sum()


@wrong("stale")
def as_it_stands(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    rate *= 2
    total += rate
    return total.sum()


@wrong("stale")
def clones_the_total(w):
    rate = w * 3
    rate += 1
    total = (rate * rate).clone()
    rate *= 2
    total += rate
    return total.sum()


@wrong("stale")
def clones_too_late(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    rate *= 2
    rate = rate.clone()
    total += rate
    return total.sum()


@wrong("stale")
def without_recording_the_line(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    with torch.no_grad():
        rate *= 2
    total += rate
    return total.sum()


@wrong("stale")
def views_it(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    doubled = rate.view_as(rate)
    doubled *= 2
    total += doubled
    return total.sum()


@wrong("cut_to_silence")
def by_data(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    rate.data *= 2
    total += rate
    return total.sum()


@wrong("cut_to_silence")
def detached_clone(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    doubled = rate.detach().clone()
    doubled *= 2
    total += doubled
    return total.sum()


@wrong("cut_to_silence")
def detached_square(w):
    rate = w * 3
    rate += 1
    total = rate.detach() * rate.detach()
    rate = rate * 2
    return (total + rate).sum()


@wrong("cut_to_silence")
def all_unrecorded(w):
    with torch.no_grad():
        return one_new_rate(w)


@wrong("kind")
def a_plain_number(w):
    return one_new_rate(w).item()


@wrong("cut_to_silence")
def a_new_leaf(w):
    return torch.tensor(one_new_rate(w).item(), requires_grad=True)


@wrong("clone_all")
def nothing_in_place(w):
    rate = w * 3
    rate = rate + 1
    total = rate * rate
    rate = rate * 2
    total = total + rate
    return total.sum()


@wrong("clone_all")
def clones_everywhere(w):
    rate = (w * 3).clone()
    rate += 1
    total = rate.clone() * rate.clone()
    rate = rate.clone()
    rate *= 2
    total += rate
    return total.sum()


@wrong("calls_backward")
def goes_back_inside(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    total.sum().backward(retain_graph=True)
    rate *= 2
    total += rate
    return total.sum()


@wrong("calls_backward")
def goes_back_before_it_returns(w):
    total = one_new_rate(w)
    total.backward(retain_graph=True)
    return total


@wrong("leaf_in_place")
def writes_into_w(w):
    w *= 3
    w += 1
    return (w * w + w * 2).sum()


@wrong("edits_input")
def writes_into_w_unrecorded(w):
    with torch.no_grad():
        w *= 3
    rate = w + 1
    return (rate * rate + rate * 2).sum()


@wrong("other_value")
def drops_the_line(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    total += rate
    return total.sum()


@wrong("other_value")
def doubles_before(w):
    rate = w * 3
    rate += 1
    rate *= 2
    total = rate * rate
    total += rate
    return total.sum()


@wrong("other_value")
def means(w):
    return one_new_rate(w) / len(w)


@wrong("constant")
def knows_87(w):
    return torch.tensor(87.0, requires_grad=True)


@wrong("raised")
def forgets_the_sum(w):
    rate = w * 3
    rate += 1
    return rate * rate + rate * 2


@wrong("nothing")
def returns_nothing(w):
    one_new_rate(w)


@wrong("prints")
def prints(w):
    print(one_new_rate(w))


@wrong("kind")
def returns_two(w):
    return one_new_rate(w), w


@wrong("endless")
def waits(w):
    rate = w * 3
    while rate.sum() != 0:
        rate += 1
    return rate.sum()
