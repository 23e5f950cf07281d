"""Exercise 02: a result whose record is a given picture."""

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("02", r"rate|w \+ 1|once and|变量")
right, wrong = ANSWERS.right, ANSWERS.wrong


@right
def by_name(w, km):
    rate = w + 1
    return rate * rate + rate * km


@right
def in_steps(w, km):
    rate = 1 + w
    square = rate * rate
    ride = rate * km
    return square + ride


@right
def by_functions(w, km):
    rate = torch.add(w, 1.0)
    return torch.add(torch.mul(rate, rate), torch.mul(rate, km))


@right
def in_place_where_nobody_minds(w, km):
    rate = w + torch.tensor(1.0)
    total = rate * rate
    total += rate.mul(km)
    return total


@right
def by_a_lambda(w, km):
    return (lambda r: r * r + r * km)(w + 1)


@right
def with_a_walrus(w, km):
    return (r := w + 1) * r + r * km


@wrong("recomputed")
def writes_it_three_times(w, km):
    return (w + 1) * (w + 1) + (w + 1) * km


@wrong("recomputed")
def writes_it_twice(w, km):
    rate = w + 1
    return rate * rate + (w + 1) * km


@wrong("recomputed")
def calls_a_function(w, km):
    def rate():
        return w + 1

    return rate() * rate() + km * rate()


@wrong("other_op")
def squares(w, km):
    rate = w + 1
    return rate**2 + rate * km


@wrong("other_op")
def subtracts(w, km):
    rate = w - -1
    return rate * rate + rate * km


@wrong("other_op")
def scales(w, km):
    rate = w + 1
    return torch.addcmul(rate * rate, rate, km)


@wrong("slots")
def km_first(w, km):
    rate = w + 1
    return rate * rate + km * rate


@wrong("slots")
def ride_first(w, km):
    rate = w + 1
    return rate * km + rate * rate


@wrong("extra_node")
def sums_from_zero(w, km):
    rate = w + 1
    return 0 + rate * rate + rate * km


@wrong("extra_node")
def sums_a_list(w, km):
    rate = w + 1
    return sum([rate * rate, rate * km])


@wrong("extra_node")
def clones(w, km):
    rate = (w + 1).clone()
    return rate * rate + rate * km * 1


@wrong("missing_node")
def one_term(w, km):
    rate = w + 1
    return rate * rate


@wrong("missing_node")
def the_other_term(w, km):
    rate = w + 1
    return rate * km


@wrong("other_graph")
def factors(w, km):
    rate = w + 1
    return rate * (rate + km)


@wrong("other_graph")
def expands(w, km):
    return w * w + (2 + km) * w + (1 + km)


@wrong("unrecorded")
def detaches(w, km):
    rate = (w + 1).detach()
    return rate * rate + rate * km


@wrong("unrecorded")
def detaches_a_factor(w, km):
    rate = w + 1
    return rate * rate.detach() + rate * km


@wrong("unrecorded")
def without_record(w, km):
    with torch.no_grad():
        rate = w + 1
        return rate * rate + rate * km


@wrong("unrecorded")
def as_numbers(w, km):
    rate = w.item() + 1
    return rate * rate + rate * km.item()


@wrong("unrecorded")
def as_a_new_leaf(w, km):
    rate = w.item() + 1
    return torch.tensor(rate * rate + rate * km.item(), requires_grad=True)


@wrong("constant")
def the_number(w, km):
    return 13.5


@wrong("wrong_value")
def adds_km(w, km):
    rate = w + 1
    return rate * rate + rate + km


@wrong("wrong_value")
def adds_two(w, km):
    rate = w + 2
    return rate * rate + rate * km


@wrong("wrong_value")
def another_ride(w, km):
    return w * km


@wrong("unrecorded")
def a_leaf_of_its_own(w, km):
    rate = w.detach().requires_grad_() + 1
    return rate * rate + rate * km


@wrong("prints")
def prints(w, km):
    rate = w + 1
    print(rate * rate + rate * km)


@wrong("nothing")
def returns_nothing(w, km):
    rate = w + 1
    rate * rate + rate * km


@wrong("kind")
def returns_the_node(w, km):
    rate = w + 1
    return (rate * rate + rate * km).grad_fn


@wrong("leaf_in_place")
def adds_in_place(w, km):
    w += 1
    return w * w + w * km


@wrong("raised")
def misspells(w, km):
    rate = w + 1
    return rate * rate + rte * km  # noqa: F821


@wrong("endless")
def waits(w, km):
    rate = w + 1
    while rate.requires_grad:
        rate = rate * 1
    return rate
