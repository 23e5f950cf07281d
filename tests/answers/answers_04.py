"""Exercise 04: the gradient of a mean over all rides, one backward for each chunk."""

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("04", r"zero_|\.sum\(\)|len\(|/ n|w\.grad = None|/=")
right, wrong = ANSWERS.right, ANSWERS.wrong


def rides(chunks):
    return sum(len(km) for km, _ in chunks)


@right
def weighs_each_ride(w, chunks):
    n = sum(len(km) for km, fare in chunks)
    w.grad = None
    for km, fare in chunks:
        loss = ((w * km - fare) ** 2).sum() / n
        loss.backward()


@right
def weighs_each_mean(w, chunks):
    n = rides(chunks)
    w.grad = torch.zeros_like(w)
    for km, fare in chunks:
        loss = ((w * km - fare) ** 2).mean()
        (loss * len(km) / n).backward()


@right
def seeds(w, chunks):
    if w.grad is not None:
        w.grad.zero_()
    n = rides(chunks)
    for km, fare in chunks:
        ((w * km - fare) ** 2).sum().backward(torch.tensor(1 / n))


@right
def seeds_a_vector(w, chunks):
    del w.grad
    n = rides(chunks)
    for km, fare in chunks:
        errors = (w * km - fare) ** 2
        errors.backward(torch.ones_like(errors) / n)


@right
def divides_once_at_the_end(w, chunks):
    w.grad = None
    for km, fare in chunks:
        torch.nn.functional.mse_loss(w * km, fare, reduction="sum").backward()
    w.grad /= rides(chunks)


@right
def adds_itself(w, chunks):
    total, count = 0.0, 0
    for km, fare in chunks:
        (g,) = torch.autograd.grad(((w * km - fare) ** 2).sum(), w)
        total, count = total + g, count + len(km)
    w.grad = total / count


@right
def ride_by_ride_in_one_sum(w, chunks):
    w.grad, n = None, rides(chunks)
    for km, fare in chunks:
        loss = 0
        for k, f in zip(km, fare, strict=True):
            loss = loss + (w * k - f) ** 2
        (loss / n).backward()


@wrong("sum_of_means")
def means(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).mean().backward()


@wrong("sum_of_means")
def means_by_function(w, chunks):
    w.grad = torch.zeros_like(w)
    for km, fare in chunks:
        torch.nn.functional.mse_loss(w * km, fare).backward()


@wrong("mean_of_means")
def averages_means(w, chunks):
    w.grad = None
    for km, fare in chunks:
        (((w * km - fare) ** 2).mean() / len(chunks)).backward()


@wrong("sum_for_mean")
def sums(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).sum().backward()


@wrong("cleared_inside")
def clears_in_the_loop(w, chunks):
    n = rides(chunks)
    for km, fare in chunks:
        w.grad = None
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("cleared_inside")
def zeroes_means_in_the_loop(w, chunks):
    for km, fare in chunks:
        w.grad = torch.zeros_like(w)
        ((w * km - fare) ** 2).mean().backward()


@wrong("cleared_inside")
def clears_after_each(w, chunks):
    n = rides(chunks)
    w.grad = None
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()
        w.grad = None


@wrong("not_cleared")
def never_clears(w, chunks):
    n = rides(chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("not_cleared")
def never_clears_means(w, chunks):
    for km, fare in chunks:
        ((w * km - fare) ** 2).mean().backward()


@wrong("scaled_inside")
def divides_in_the_loop(w, chunks):
    w.grad, n = None, rides(chunks)
    for km, fare in chunks:
        ((w * km - fare) ** 2).sum().backward()
        w.grad = w.grad / n


@wrong("scaled_inside")
def divides_means_by_chunks(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).mean().backward()
        w.grad /= len(chunks)


@wrong("growing_graph")
def keeps_a_total(w, chunks):
    w.grad, total, n = None, 0, rides(chunks)
    for km, fare in chunks:
        total = total + ((w * km - fare) ** 2).sum() / n
        total.backward()


@wrong("growing_graph")
def keeps_a_total_and_its_record(w, chunks):
    w.grad, total, n = None, 0, rides(chunks)
    for km, fare in chunks:
        total += ((w * km - fare) ** 2).sum() / n
        total.backward(retain_graph=True)


@wrong("untouched_grad")
def makes_its_own(w, chunks):
    v = torch.tensor(w.item(), requires_grad=True)
    for km, fare in chunks:
        (((v * km - fare) ** 2).sum() / rides(chunks)).backward()


@wrong("untouched_grad")
def clears_and_makes_its_own(w, chunks):
    w.grad = None
    w = w.detach().requires_grad_()
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / rides(chunks)).backward()


@wrong("untouched_grad")
def only_asks(w, chunks):
    for km, fare in chunks:
        torch.autograd.grad(((w * km - fare) ** 2).mean(), w)


@wrong("one_backward")
def one_sum(w, chunks):
    w.grad, total = None, 0
    for km, fare in chunks:
        total = total + ((w * km - fare) ** 2).sum()
    (total / rides(chunks)).backward()


@wrong("one_backward")
def joins_the_chunks(w, chunks):
    w.grad = None
    km, fare = (torch.cat(parts) for parts in zip(*chunks, strict=True))
    ((w * km - fare) ** 2).mean().backward()


@wrong("wrong_value")
def school_calculus(w, chunks):
    with torch.no_grad():
        w.grad = sum((2 * km * (w * km - fare)).sum() for km, fare in chunks) / rides(chunks)


@wrong("wrong_value")
def a_backward_per_ride(w, chunks):
    w.grad, n = None, rides(chunks)
    for km, fare in chunks:
        for k, f in zip(km, fare, strict=True):
            ((w * k - f) ** 2 / n).backward()


@wrong("off_by_one")
def forgets_the_first(w, chunks):
    w.grad, n = None, rides(chunks)
    for i in range(1, len(chunks)):
        km, fare = chunks[i]
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("off_by_one")
def counts_one_more(w, chunks):
    w.grad, n = None, 1
    for km, _fare in chunks:
        n += len(km)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("sign")
def the_other_way(w, chunks):
    w.grad, n = None, rides(chunks)
    for km, fare in chunks:
        (-((w * km - fare) ** 2).sum() / n).backward()


@wrong("raised")
def sends_a_vector(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).backward()


@wrong("raised")
def zeroes_what_is_not_there(w, chunks):
    w.grad.zero_()
    n = rides(chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("leaf_in_place")
def steps_too(w, chunks):
    w.grad, n = None, rides(chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()
    w -= 0.1 * w.grad


@wrong("edits_input")
def steps_without_record(w, chunks):
    w.grad, n = None, rides(chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad


@wrong("wrong_value")
def forgets_the_square(w, chunks):
    w.grad, n = None, rides(chunks)
    for km, fare in chunks:
        ((w * km - fare).sum() / n).backward()


@wrong("endless")
def waits_for_nothing_left(w, chunks):
    w.grad = None
    while chunks:
        km, fare = chunks[0]
        ((w * km - fare) ** 2).mean().backward()


@wrong("wrong_value")
def the_last_chunk_alone(w, chunks):
    w.grad = None
    km, fare = chunks[-1]
    ((w * km - fare) ** 2).mean().backward()


@wrong("wrong_value")
def adds_up_what_adds_up(w, chunks):
    w.grad, total, n = None, 0, rides(chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()
        total = total + w.grad
    w.grad = total


# ---- other hands


@right
class InParts:
    def __call__(self, w, chunks):
        w.grad = torch.zeros_like(w)
        for part in self.parts(w, chunks):
            part.backward()

    def parts(self, w, chunks):
        total = sum(km.numel() for km, _ in chunks)
        yield from (torch.nn.functional.mse_loss(w * km, fare, reduction="sum") / total for km, fare in chunks)


ANSWERS.rights[-1] = InParts()


@right
def recursively(w, chunks, total=None):
    if total is None:
        w.grad, total = None, sum(map(len, (km for km, _ in chunks)))
    if chunks:
        (km, fare), *rest = chunks
        torch.autograd.backward((w * km - fare).square().sum().div(total))
        recursively(w, rest, total)


@right
def by_an_optimizer(w, chunks):
    torch.optim.SGD([w], lr=1.0).zero_grad()
    n = sum(km.shape[0] for km, _ in chunks)
    for km, fare in chunks:
        loss = torch.mean((w * km - fare) ** 2)
        (loss * km.shape[0] / n).backward()


@right
def by_inputs(w, chunks):
    w.grad = None
    n = float(torch.cat([km for km, _ in chunks]).numel())
    for km, fare in chunks:
        ((fare - w * km).pow(2) / n).sum().backward(inputs=[w])


@right
def scales_by_a_hook(w, chunks):
    n = sum(len(fare) for _, fare in chunks)
    w.grad = None
    hook = w.register_hook(lambda g: g / n)
    for km, fare in chunks:
        ((w * km - fare) ** 2).sum().backward()
    hook.remove()


@right
def by_grad_and_a_sum(w, chunks):
    n = len([x for km, _ in chunks for x in km])
    shares = [torch.autograd.grad(((w * km - fare) ** 2).sum() / n, w)[0] for km, fare in chunks]
    w.grad = sum(shares)


@right
def clears_in_place(w, chunks):
    if w.grad is not None:
        w.grad.zero_()
    n = 0
    for km, _ in chunks:
        n += len(km)
    i = 0
    while i < len(chunks):
        km, fare = chunks[i]
        error = w * km - fare
        torch.dot(error, error).backward(torch.tensor(1 / n))
        i += 1


@right
def divides_when_all_is_there(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).sum().backward()
    with torch.no_grad():
        w.grad.div_(sum(len(km) for km, _ in chunks))


@right
def keeps_the_running_mean(w, chunks):
    w.grad, n = None, 0
    for km, fare in chunks:
        if n:
            w.grad *= n / (n + len(km))
        n += len(km)
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("sum_of_means")
def mse_each(w, chunks):
    w.grad = None
    for km, fare in chunks:
        torch.nn.functional.mse_loss(w * km, fare).backward()


@wrong("mean_of_means")
def mse_over_chunks(w, chunks):
    w.grad = None
    for km, fare in chunks:
        (torch.nn.MSELoss()(w * km, fare) / len(chunks)).backward()


@wrong("mean_of_means")
def divides_the_sum_of_means(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).mean().backward()
    w.grad /= len(chunks)


@wrong("sum_for_mean")
def divides_sums_by_chunks(w, chunks):
    w.grad = None
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / len(chunks)).backward()


@wrong("not_cleared")
def right_but_never_cleared(w, chunks):
    n = sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("cleared_inside")
def zero_grad_in_the_loop(w, chunks):
    n = sum(len(km) for km, _ in chunks)
    sgd = torch.optim.SGD([w], lr=0.1)
    for km, fare in chunks:
        sgd.zero_grad()
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("edits_input")
def takes_a_step_too(w, chunks):
    n = sum(len(km) for km, _ in chunks)
    sgd = torch.optim.SGD([w], lr=0.1)
    sgd.zero_grad()
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()
    sgd.step()


@wrong("untouched_grad")
def a_detached_knob(w, chunks):
    w = w.detach().clone().requires_grad_()
    n = sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("untouched_grad")
def returns_the_gradient(w, chunks):
    n = sum(len(km) for km, _ in chunks)
    return sum(torch.autograd.grad(((w * km - fare) ** 2).sum() / n, w)[0] for km, fare in chunks)


@wrong("growing_graph")
def sends_the_total_each_time(w, chunks):
    w.grad, total, n = None, 0, sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        total += ((w * km - fare) ** 2).sum() / n
        total.backward(retain_graph=True)


@wrong("off_by_one")
def from_the_second(w, chunks):
    w.grad, n = None, sum(len(km) for km, _ in chunks)
    for i in range(1, len(chunks)):
        km, fare = chunks[i]
        (((w * km - fare) ** 2).sum() / n).backward()


@wrong("raised")
def leaves_the_sum_out(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).backward()


@wrong("raised")
def takes_chunks_for_pairs(w, chunks):
    km, fare = chunks
    w.grad = None
    ((w * km - fare) ** 2).mean().backward()


@wrong("one_backward")
def stacks_all(w, chunks):
    km, fare = (torch.cat(part) for part in zip(*chunks, strict=True))
    w.grad = None
    torch.nn.functional.mse_loss(w * km, fare).backward()


@wrong("wrong_value")
def backward_twice_per_chunk(w, chunks):
    w.grad, n = None, sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        half = ((w * km - fare) ** 2).sum() / (2 * n)
        half.backward(retain_graph=True)
        half.backward()


@wrong("sign")
def fare_minus_in_front(w, chunks):
    w.grad, n = None, sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        (-((fare - w * km) ** 2).sum() / n).backward()


@wrong("wrong_value")
def absolute_errors(w, chunks):
    w.grad, n = None, sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        ((w * km - fare).abs().sum() / n).backward()


@wrong("scaled_inside")
def divides_as_it_goes(w, chunks):
    n = sum(len(km) for km, _ in chunks)
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).sum().backward()
        w.grad = w.grad / n


@wrong("sum_for_mean")
def one_by_one(w, chunks):
    w.grad = None
    for km, fare in chunks:
        error = w * km - fare
        (error @ error).backward()


@wrong("kind")
def not_a_function_but_its_result(w, chunks):
    return None


ANSWERS.wrongs[-1] = ("kind", [1, 2])


@wrong("generator")
def yields_each(w, chunks):
    w.grad = None
    for km, fare in chunks:
        yield ((w * km - fare) ** 2).mean().backward()


@wrong("untouched_grad")
def forgets_backward(w, chunks):
    w.grad = None
    n = sum(len(km) for km, _ in chunks)
    total = sum(((w * km - fare) ** 2).sum() for km, fare in chunks) / n
    return total


@wrong("wrong_value")
def writes_a_number(w, chunks):
    w.grad = torch.tensor(6.5)


@wrong("cleared_inside")
def tidies_up_at_the_end(w, chunks):
    w.grad = None
    n = sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()
    w.grad = None


# ---- weights, seeds, and a knob that moves meanwhile


@right
def by_weights(w, chunks):
    w.grad = None
    n = sum(km.numel() for km, _ in chunks)
    for km, fare in chunks:
        error = w * km - fare
        ((error * error).mean() * (len(km) / n)).backward()


@right
def sends_a_share_to_each_ride(w, chunks):
    w.grad = None
    n = sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        ((w * km - fare) ** 2).backward(torch.full((len(km),), 1 / n))


@right
def 分批(w, chunks):
    总数 = sum(len(里程) for 里程, _ in chunks)
    w.grad = torch.zeros_like(w)
    for 里程, 车费 in chunks:
        误差 = w * 里程 - 车费
        ((误差 ** 2).sum() / 总数).backward()


@wrong("edits_input")
def steps_at_the_end(w, chunks):
    by_weights(w, chunks)
    w.data -= 0.1 * w.grad


@wrong("wrong_value")
def squares_the_mean(w, chunks):
    w.grad = None
    n = sum(len(km) for km, _ in chunks)
    for km, fare in chunks:
        (((w * km - fare).sum() / n) ** 2).backward()


@ANSWERS.wrong("wrong_value")
def returns_in_the_loop(w, chunks):
    w.grad = None
    for km, fare in chunks:
        ((w * km - fare) ** 2).mean().backward()
        return


@ANSWERS.wrong("wrong_value")
def goes_back_after_the_loop(w, chunks):
    w.grad = None
    for km, fare in chunks:
        loss = ((w * km - fare) ** 2).mean()
    loss.backward()


@ANSWERS.wrong("cleared_inside")
def zeroes_after_each(w, chunks):
    n = rides(chunks)
    w.grad = None
    for km, fare in chunks:
        (((w * km - fare) ** 2).sum() / n).backward()
        w.grad.zero_()
