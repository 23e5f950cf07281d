"""`broken(bug)`: each fault does what it says, is told in every picture, and ends with its block."""

from __future__ import annotations

import re
import sys
import threading

import pytest

import minigrad as torch
from minigrad.core.engine import GraphTask
from minigrad.core.modes import slow
from minigrad.graph import faults, record


def knob(value):
    return torch.tensor(value, requires_grad=True)


def one_receipt(w):
    return (w * 1.5 - 1.5) ** 2


def unequal_arms():
    w = knob(2.0)
    a = w * 3
    (a + a * 2 * 5).backward()
    return w.grad.item()


def two_rides():
    w, heard = knob(3.0), []
    rate = w**2
    rate.register_hook(lambda g: heard.append(g.item()))
    (rate * 2 + rate * 5).backward()
    return w.grad.item(), heard


def three_backwards():
    w, seen = knob(2.0), []
    for _ in range(3):
        one_receipt(w).backward()
        seen.append(w.grad.item())
    return seen


def kept_graph():
    w = knob(1.0)
    z = w * 3 * 2
    z.backward(retain_graph=True)
    z.backward()
    return w.grad.item()


def all_receipts():
    w, b = knob(2.0), knob(0.0)
    pred = w * torch.tensor([0.5, 1.5, 2.5]) + b
    ((pred - torch.tensor([1.0, 1.5, 2.0])) ** 2).mean().backward()
    return round(w.grad.item(), 4), round(b.grad.item(), 4)


def product():
    a, b = knob(2.0), knob(5.0)
    (a * b).backward()
    return a.grad.item(), b.grad.item()


def overwritten():
    h = knob([1.0, 2.0]) * 3
    y = (h * h).sum()
    h.mul_(2)
    try:
        y.backward()
    except RuntimeError:
        return "refused"
    return "a wrong number"


PROGRAMS = [unequal_arms, two_rides, three_backwards, kept_graph, all_receipts, product, overwritten]
RIGHT = [33.0, (42.0, [7.0]), [4.5, 9.0, 13.5], 12.0, (6.5, 3.0), (5.0, 2.0), "refused"]
WRONG = {  # what these programs say of an engine with one fault, where that is not what is right
    "overwrite": {unequal_arms: 30.0, two_rides: (12.0, [2.0])},
    "early": {unequal_arms: 3.0, two_rides: (12.0, [2.0])},
    "every_path": {two_rides: (42.0, [2.0, 5.0])},
    "keep_old": {kept_graph: 18.0},
    "replace": {three_backwards: [4.5, 4.5, 4.5], kept_graph: 6.0},
    "no_sum": {all_receipts: (0.0, 0.0)},
    "own_factor": {unequal_arms: 146.0, two_rides: (108.0, [18.0]), three_backwards: [6.0, 12.0, 18.0],
                   kept_graph: 6.0, all_receipts: (6.0, 3.0), product: (2.0, 5.0)},
    "blind": {overwritten: "a wrong number"},
}


def outcomes():
    return [program() for program in PROGRAMS]


@pytest.mark.parametrize("bug", torch.broken.bugs)
def test_each_fault_spoils_what_it_says_and_nothing_else(bug):
    with torch.broken(bug):
        found = outcomes()

    wanted = [WRONG[bug].get(program, right) for program, right in zip(PROGRAMS, RIGHT, strict=True)]
    assert found == wanted
    assert outcomes() == RIGHT


def test_real_torch_is_right_inside_the_block():
    real = pytest.importorskip("torch")

    for bug in torch.broken.bugs:
        with torch.broken(bug):
            w = real.tensor(2.0, requires_grad=True)
            a = w * 3
            (a + a * 2 * 5).backward()
            picture = torch.draw(a).to_text()

        assert w.grad.item() == 33
        assert "broken" not in picture


def test_with_create_graph_a_fault_is_the_same():
    for bug, wanted in (("early", 3.0), ("overwrite", 30.0)):
        with torch.broken(bug):
            w = knob(2.0)
            a = w * 3
            (g,) = torch.autograd.grad(a + a * 2 * 5, w, create_graph=True)

        assert g.item() == wanted


def test_a_custom_function_is_blind_too():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    w = knob([1.0, 2.0])
    h = w * 1
    y = Square.apply(h).sum()
    h.mul_(2)
    with torch.broken("blind"):
        y.backward(retain_graph=True)

    assert w.grad.tolist() == [4, 8]  # 2, 4 would be right
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_the_block_ends_with_an_error(error):
    with pytest.raises(error), torch.broken("early"):
        raise error

    assert outcomes() == RIGHT
    assert not slow.on


def interrupted_at(count):
    """Ctrl-C at the `count`-th line that runs in the file of faults; whether there was one."""
    left = count

    def trace(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename != faults.__file__:
            return None
        left -= event == "line"
        if left == 0:
            left = -1
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with torch.broken("every_path"):
            two_rides()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return left == -1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # as a block is let go
def test_an_interrupt_anywhere_leaves_the_engine_as_it_was():
    arrive, count = GraphTask.arrive, 1
    while interrupted_at(count):
        assert faults.fault_now() == ""
        assert two_rides() == (42.0, [7.0])
        assert not slow.on
        count += 1

    assert count > 50
    assert GraphTask.arrive is arrive


def test_blocks_do_not_nest_and_the_outer_one_goes_on():
    block = torch.broken("early")
    with block:
        for inner in (torch.broken("replace"), block):
            with pytest.raises(RuntimeError, match="one fault at a time"), inner:
                pass
        assert unequal_arms() == 3

    assert unequal_arms() == 33
    with block:
        assert unequal_arms() == 3


def test_an_unknown_fault_is_refused_with_the_list():
    with pytest.raises(ValueError, match="no fault 'late'; there are overwrite, early"):
        torch.broken("late")


def test_other_threads_use_the_engine_as_it_is():
    found = []

    def run():
        found.extend([unequal_arms(), "broken" in torch.draw(one_receipt(knob(2.0))).to_text()])

    with torch.broken("early"):
        other = threading.Thread(target=run)
        other.start()
        other.join()
        assert unequal_arms() == 3

    assert found == [33, False]


@pytest.mark.parametrize("bug", torch.broken.bugs)
@pytest.mark.parametrize(("language", "words"), [("en", "Broken engine"), ("zh", "故障引擎")])
def test_every_picture_and_every_frame_of_the_player_says_so(bug, language, words):
    with torch.broken(bug):
        w = knob(2.0)
        loss = w * 3 * 5
        made = [torch.draw(loss, view=view, lang=language) for view in ("record", "forward", "backward")]
        player = torch.step(loss, preview=True, drive=True, predict=True, lang=language)
    for drawing in made:
        assert words in drawing.to_svg()
        assert drawing.to_text().startswith(f'broken("{bug}")')
    said = [event["say"][language] for step in player.steps for event in step["events"]]

    assert words in player.scene["before"][language]
    assert all(re.match(rf'broken\("{bug}"\)(: |：)\w', sentence) for sentence in said)
    assert f'broken("{bug}")' in player.to_text()
    assert words in player._repr_mimebundle_()[0]["image/svg+xml"]
    assert not player.drive  # numbers of one order alone
    assert not any(step["quiz"] for step in player.steps)
    assert "broken" not in torch.draw(loss).to_text()


def test_no_sum_and_replace_are_not_told_as_sums():
    with torch.broken("no_sum"):
        b = knob(0.0)
        summed = torch.step((b + torch.tensor([1.0, 2.0])).sum(), preview=True)
    w = knob(2.0)
    w.grad = torch.tensor(1.0)
    with torch.broken("replace"):
        replaced = torch.step(w * 3, preview=True)

    assert "1 + 1" not in str(summed.steps)
    assert "the first copy: [1, 1] → 1" in summed.to_json()
    assert "1 + 3" not in str(replaced.steps)
    assert "w.grad was 1, now it is 3" in replaced.to_json()


def test_a_preview_leaves_nothing_for_the_next_backward():
    with torch.broken("keep_old"):
        w = knob(1.0)
        z = w * 3 * 2
        torch.step(z, preview=True)
        torch.draw(z, view="backward")
        z.backward()

    assert w.grad.item() == 6


def test_what_cannot_be_shown_or_computed_says_what_to_do():
    w = knob(3.0)
    rate = w**2
    before = rate * rate.detach()
    with torch.broken("every_path"):
        frames = torch.step(rate * 2 + rate * 5, preview=True).frames
    assert "register_hook(print)" in frames[-1].before
    with torch.broken("every_path"):
        tall = w
        for _ in range(20):
            tall = tall + tall
        with pytest.raises(RuntimeError, match="more than 100000 turns"):
            tall.backward()
    with torch.broken("own_factor"), pytest.raises(RuntimeError, match="inside the block"):
        before.backward()
    with torch.broken("early"), pytest.raises(RuntimeError, match="leave out live=True"):
        torch.step(w * 2, live=True)

    assert w.grad is None


@pytest.mark.parametrize("bug", torch.broken.bugs)
def test_a_chain_is_recorded_to_its_end_with_each_fault(bug):
    with torch.broken(bug):
        _, frames = record(one_receipt(knob(4.0)))

    assert (frames[-1].kind, frames[-1].after) == ("accumulate", "36" if bug == "own_factor" else "13.5")


def test_every_path_brings_grad_all_its_gradients():
    x = torch.tensor(2.0, requires_grad=True)
    middle = x * 3
    with torch.broken("every_path"):
        got = torch.autograd.grad(middle * middle + middle, [x, middle])

    assert [g.item() for g in got] == [39, 13]
