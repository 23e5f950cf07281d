"""Exercise 07: a bill whose backward fails, mended with one buffer more."""

import contextlib

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


# ---- other hands


@wrong("clone_all")
class Bill:
    def __call__(self, w):
        self.rate = w * 3
        self.rate += 1
        return (self.squared() + self.doubled()).sum()

    def squared(self):
        return self.rate * self.rate

    def doubled(self):
        return self.rate * 2


ANSWERS.wrongs[-1] = ("clone_all", Bill())


@right
def by_pow(w):
    rate = w.mul(3).add_(1)
    return rate.pow(2).add_(rate, alpha=2).sum()


@right
def sums_by_dot(w):
    rate = 3 * w + 1
    return torch.dot(rate, rate) + 2 * rate.sum()


@wrong("clone_all")
def completes_the_square(w):
    rate = w * 3
    rate += 1
    return ((rate + 1) ** 2 - 1).sum()


@right
def entry_by_entry(w):
    def one(x):
        rate = x * 3 + 1
        return rate * rate + rate * 2

    return sum(one(x) for x in w)


@right
def saves_before_it_writes(w):
    rate = w * 3
    rate += 1
    double = torch.mul(rate, 2)
    total = rate * rate
    total += double
    return torch.sum(total)


@wrong("clone_all")
def out_of_the_loop(w):
    rate, factors = w * 3 + 1, []
    for factor in (rate, 2):
        factors.append((rate * factor).sum())
    return sum(factors)


@right
def by_linear_algebra(w):
    rate = torch.addcmul(torch.ones_like(w), w, torch.tensor(3.0))
    return rate @ (rate + 2)


@wrong("stale")
def clones_after_the_product(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    rate = rate.view_as(rate)
    rate *= 2
    total += rate
    return total.sum()


@wrong("stale")
def in_place_by_name(w):
    rate = w * 3
    rate.add_(1)
    total = rate * rate
    rate.mul_(2)
    return total.add(rate).sum()


@wrong("stale")
def squares_and_rewrites(w):
    rate = w * 3
    rate += 1
    total = rate ** 2
    rate += rate
    total += rate
    return total.sum()


@wrong("cut_to_silence")
def detaches_the_double(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    double = rate.detach() * 2
    total += double
    return total.sum()


@wrong("cut_to_silence")
def doubles_by_numpy(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    total += torch.tensor(rate.detach().numpy() * 2)
    return total.sum()


@wrong("cut_to_silence")
def writes_the_data(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    rate.data *= 2
    total += rate
    return total.sum()


@wrong("other_value")
def squares_the_double(w):
    rate = w * 3
    rate += 1
    rate *= 2
    total = rate * rate
    total += rate
    return total.sum()


@wrong("other_value")
def adds_the_rate_once(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    total += rate
    return total.sum()


@wrong("other_value")
def without_the_fee(w):
    rate = w * 3
    total = rate * rate
    return (total + rate * 2).sum()


@wrong("clone_all")
def a_clone_for_each_line(w):
    rate = (w * 3).clone()
    rate = rate.clone() + 1
    total = rate * rate
    rate = rate.clone() * 2
    total = total + rate
    return total.sum()


@wrong("calls_backward")
def catches_the_error(w):
    rate = w * 3
    rate += 1
    total = rate * rate + rate * 2
    with contextlib.suppress(RuntimeError):
        total.sum().backward(retain_graph=True)
    w.grad = None
    return total.sum()


@wrong("edits_input")
def writes_w_s_data(w):
    w.data.mul_(3).add_(1)
    return (w * w + w * 2).sum()


@wrong("leaf_in_place")
def multiplies_the_leaf(w):
    w *= 3
    w += 1
    return (w * w + w * 2).sum()


@wrong("kind")
def a_vector(w):
    rate = w * 3 + 1
    return [rate * rate + rate * 2]


@wrong("kind")
def an_item(w):
    rate = w * 3 + 1
    return (rate * rate + rate * 2).sum().item()


@wrong("prints")
def prints_it(w):
    rate = w * 3 + 1
    print((rate * rate + rate * 2).sum())


@wrong("raised")
def unknown_name(w):
    rate = w * 3
    rate += 1
    return (total + rate).sum()  # noqa: F821


@wrong("cut_to_silence")
def returns_a_new_leaf(w):
    rate = w * 3 + 1
    return torch.tensor((rate * rate + rate * 2).sum().item(), requires_grad=True)


@wrong("raised")
def leaves_python(w):
    exit()


@wrong("generator")
def yields(w):
    rate = w * 3 + 1
    yield (rate * rate + rate * 2).sum()


@wrong("cut_to_silence")
def half_the_gradient(w):
    rate = w * 3 + 1
    return (rate * rate.detach() + rate * 2).sum()


# ---- algebra, a helper, and a write that autograd still sees


@right
def by_algebra(w):
    rate = w * 3
    rate += 1
    return (rate * (rate + 2)).sum()


@right
def doubles_first(w):
    费率 = (w * 3).add_(1)
    总额 = 费率 * 2
    总额 += 费率 * 费率
    return 总额.sum()


@wrong("stale")
def writes_without_a_record(w):
    rate = w * 3
    rate += 1
    total = rate * rate
    with torch.no_grad():
        rate *= 2
    total += rate
    return total.sum()


@wrong("clone_all")
def clones_both_factors(w):
    rate = w * 3
    rate += 1
    total = rate.clone() * rate.clone()
    rate *= 2
    total += rate
    return total.sum()


@wrong("cut_to_silence")
def another_bill_without_a_record(w):
    rate = w.detach() * 3
    return (rate * rate).sum()
