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


# ---- other hands


@right
def by_a_class(w, km):
    class Ride:
        def __init__(self, rate):
            self.rate = rate

        def __matmul__(self, other):
            return self.rate * other

    ride = Ride(torch.add(w, 1))
    return ride @ ride.rate + ride @ km


@right
def by_comprehension(w, km):
    rate = w + 1
    first, second = [rate * factor for factor in (rate, km)]
    return first.add(second)


@right
def with_one_on_the_left(w, km):
    rate = 1 + w
    return torch.mul(rate, rate).__add__(torch.multiply(rate, km))


@right
def folds(w, km):
    from functools import reduce

    rate = w + 1
    return reduce(lambda a, b: a + b, (rate * x for x in (rate, km)))


@right
def second_term_made_first(w, km):
    rate = w + 1.0
    right_part = rate * km
    left_part = rate * rate
    return left_part + right_part


@right
def in_enable_grad(w, km):
    with torch.no_grad():
        _ = w + 1
    with torch.enable_grad():
        rate = w + 1
        return rate * rate + rate * km.detach()


@right
def with_retained_gradients(w, km):
    rate = w + 1
    rate.retain_grad()
    rate.register_hook(lambda g: None)
    return rate * rate + rate * km


@wrong("recomputed")
def shares_two_of_three(w, km):
    rate = w + 1
    return rate * rate + (w + 1) * km


@wrong("recomputed")
def makes_each_factor(w, km):
    rate = w + 1
    return (w + 1) * rate + rate * km


@wrong("slots")
def sums_the_other_way(w, km):
    rate = w + 1
    return torch.add(rate * km, rate * rate)


@wrong("slots")
def both_the_other_way(w, km):
    rate = w + 1
    return km * rate + rate * rate


@wrong("other_op")
def squares_by_name(w, km):
    rate = w + 1
    return torch.square(rate) + rate * km


@wrong("other_op")
def subtracts_a_negative(w, km):
    rate = w + 1
    return rate * rate - rate * -km


@wrong("other_graph")
def by_distributing(w, km):
    rate = w + 1
    return rate * (km + rate)


@wrong("extra_node")
def times_one(w, km):
    rate = (w + 1) * 1
    return rate * rate + rate * km


@wrong("extra_node")
def clones_the_knob(w, km):
    rate = w.clone() + 1
    return rate * rate + rate * km


@wrong("extra_node")
def views_the_end(w, km):
    rate = w + 1
    return (rate * rate + rate * km).reshape(1)[0]


@wrong("missing_node")
def only_the_sum(w, km):
    return w + 1


@wrong("unrecorded")
def frozen_rate(w, km):
    rate = w + 1
    with torch.no_grad():
        second = rate * km
    return rate * rate + second


@wrong("unrecorded")
def item_of_the_rate(w, km):
    rate = w + 1
    return rate * rate.item() + rate * km


@wrong("unrecorded")
def by_numpy(w, km):
    rate = w.detach().numpy() + 1
    return torch.tensor(rate * rate + rate * km.numpy(), requires_grad=True)


@wrong("wrong_value")
def fused(w, km):
    rate = w + 2
    return torch.addcmul(rate * rate, rate, km)


@wrong("other_op")
def fused_rightly(w, km):
    rate = w + 1
    return torch.addcmul(rate * rate, rate, km)


@wrong("kind")
def returns_all(w, km):
    rate = w + 1
    return rate, rate * rate, rate * km, rate * rate + rate * km


@wrong("wrong_value")
def another_number(w, km):
    rate = w + 1
    return rate * rate + w * km


@wrong("wrong_value")
def km_once_more(w, km):
    rate = w + km
    return rate * rate + rate * km


@wrong("wrong_value")
def subtracts_the_ride(w, km):
    rate = w + 1
    return rate * rate - rate * km


@wrong("raised")
def switches_off(w, km):
    w.requires_grad_(False)
    rate = w + 1
    rate.backward()
    return rate * rate + rate * km


@wrong("generator")
def yields(w, km):
    rate = w + 1
    yield rate * rate + rate * km


@wrong("kind")
def text(w, km):
    rate = w + 1
    return str(rate * rate + rate * km)


@wrong("other_op")
def stacks_and_sums(w, km):
    rate = w + 1
    return torch.stack([rate * rate, rate * km]).sum()


@wrong("extra_node")
def sums_by_torch(w, km):
    rate = w + 1
    return (rate * rate + rate * km).sum()


@wrong("other_op")
def divides(w, km):
    rate = w + 1
    return rate * rate + rate / (1 / km)


@wrong("constant")
def knows_the_number(w, km):
    return torch.tensor(13.5, requires_grad=True)


# ---- in one expression, and sums that are joined


@right
def in_one_expression(w, km):
    return (r := w + 1) * r + r * km


@right
def one_in_front(w, km):
    rate = 1 + w  # torch records the same
    return rate * rate + rate * km


@right
def a_function_inside(w, km):
    def shared(费率):
        return torch.add(torch.mul(费率, 费率), torch.mul(费率, km))

    return shared(w.add(1.0))


@wrong("other_op")
def joins_them_in_a_tensor(w, km):
    rate = w + 1
    return torch.stack([rate * rate, rate * km]).sum()


@wrong("extra_node")
def copies_the_rate(w, km):
    rate = w + 1
    return rate * rate.clone() + rate * km


@wrong("unrecorded")
def makes_the_knob_anew(w, km):
    w = torch.tensor(2.0, requires_grad=True)
    rate = w + 1
    return rate * rate + rate * km


@wrong("unrecorded")
def cuts_and_switches_on(w, km):
    rate = (w + 1).detach().requires_grad_()
    return rate * rate + rate * km


@wrong("edits_input")
def moves_the_knob(w, km):
    with torch.no_grad():
        w += 1
    return w * w + w * km


@wrong("kind")
def hands_over_a_list(w, km):
    rate = w + 1
    return [rate * rate + rate * km]


@wrong("kind")
def leaves_a_comma(w, km):
    rate = w + 1
    return (rate * rate + rate * km,)
