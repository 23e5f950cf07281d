"""Ctrl-C in the middle of backward: every `.grad` is as before or complete, and nothing else is half done.

Python lets an interrupt fall where a function begins, where one of C has returned, and where a loop begins anew. A
profiler that raises at one such place after the other is Ctrl-C at each of them; a timer is Ctrl-C as it comes.
"""

import random
import signal
import sys
import threading
from contextvars import copy_context

import pytest

import minigrad as torch
from minigrad.core import leaves
from minigrad.core.modes import states
from minigrad.graph import tracebacks


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            x + 1
        return grad * 2


def layers(w, b):
    x = torch.linspace(-1, 1, 12).reshape(4, 3)
    torch.nn.functional.cross_entropy(torch.tanh(x @ w + b), torch.tensor([0, 1, 2, 1])).backward()


def hooked(w, b):
    h = w * b
    h.retain_grad()
    h.register_hook(lambda grad: torch.no_grad()(lambda: grad * 2)())
    w.register_post_accumulate_grad_hook(lambda leaf: None)
    (h + Double.apply(b)).sum().backward()


def recorded(w, b):
    (w.exp() * b).sum().backward(create_graph=True)


def written(w, b):
    h = w * 1
    h[0].mul_(b)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = (h * h).sum()
    y.backward(inputs=[w, b])


def reentrant(w, b):
    y, other = (w * b).sum(), (b * 2).sum()
    y.register_hook(lambda grad: other.backward())
    y.backward()


PROGRAMS = [layers, hooked, recorded, written, reentrant]


def leaves_of(first):
    torch.manual_seed(0)
    made = [torch.randn(3, 3, requires_grad=True), torch.randn(3, requires_grad=True)]
    for leaf in made:
        leaf.grad = torch.ones_like(leaf) if first else None
    return made


def numbers(made):
    return [leaf.grad if leaf.grad is None else leaf.grad.tolist() for leaf in made]


def interrupted(program, first, cut):
    """The gradients after a run that `cut` has interrupted, and whether a note said so; nothing else has changed."""
    made, modes = leaves_of(first), copy_context()
    noted = False
    try:
        cut(lambda: program(*made))
    except KeyboardInterrupt as error:
        noted = hasattr(error, "__notes__")
    # here the frames of the error are gone, and generators that it left waiting have ended
    assert not [v.name for v in states if v.get() is not modes.run(v.get)]
    assert not leaves._accumulating._is_owned()
    return numbers(made), noted


class Profiler:
    """Runs something, and raises at the place number `at`, if there are so many."""

    def __init__(self, at):
        self.left = at
        self.hook = self.look  # held here: CPython lets go of it as soon as it raises, and may yet call it

    def __call__(self, run):
        sys.setprofile(self.hook)
        try:
            run()
        finally:
            sys.setprofile(None)

    def look(self, frame, event, what):
        if event in ("call", "c_return") and self.backwards(frame):  # also in `contextlib`, between minigrad's lines
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt

    def backwards(self, frame):
        """Whether backward runs: a `with` of the learner's, before it, is mended after the cell."""
        while frame is not None and frame.f_code is not torch.Tensor.backward.__code__:
            frame = frame.f_back
        return frame is not None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Python drops one in a generator's end
@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize(("quick", "first"), [(True, False), (False, True)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_interrupt_anywhere_in_backward_leaves_each_gradient_as_before_or_complete(program, quick, first):
    with torch.slow(not quick):
        before, (after, _) = numbers(leaves_of(first)), interrupted(program, first, lambda run: run())
        steps = {str(grads) for grads in zip(before, after, strict=True)}
        half, notes, at = [], 0, 0
        while True:
            cut = Profiler(at)
            grads, noted = interrupted(program, first, cut)
            if cut.left >= 0:
                break
            at += 1
            notes += noted
            half += [at for b, a, g in zip(before, after, grads, strict=True) if g not in (b, a)
                     and program is not reentrant]

    assert half == []
    assert len(steps) == 2
    assert grads == after
    assert at > 50
    assert notes > at * 0.6


def test_the_note_of_an_interrupted_backward_says_what_to_do():
    x = torch.ones(2, requires_grad=True)
    y = x * 2

    def stop(grad):
        raise KeyboardInterrupt

    y.register_hook(stop)
    with pytest.raises(KeyboardInterrupt) as caught:
        y.sum().backward()
    (note,) = caught.value.__notes__

    assert "zero_grad()" in note
    with pytest.raises(KeyboardInterrupt) as caught:
        torch.autograd.grad((x * y).sum(), y)
    assert not hasattr(caught.value, "__notes__")  # no `.grad` was touched


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer of that kind")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what Python drops, see `timed`
@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("program", PROGRAMS)
def test_ctrl_c_at_any_time_leaves_each_gradient_as_before_or_complete(program):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("only the main thread is told of signals")
    assert timed(program, 40, random.Random(program.__name__)) == []


def timed(program, times, chance):
    """Interrupt a loop of a program so many times, at chance's moments; what was wrong then."""
    rung, wrong = [], []

    def ring(*_):
        rung.append(True)
        raise KeyboardInterrupt

    def again():
        """A function, since in 3.13 no `try` beside a loop catches what comes where the loop begins anew."""
        nonlocal made
        while not rung:  # Python drops an error in a callback of `weakref`; a timer at zero has not yet rung
            made = leaves_of(False)
            program(*made)

    before = signal.signal(signal.SIGALRM, ring)
    made = leaves_of(False)
    program(*made)
    whole = numbers(made)
    try:
        for _ in range(times):
            made, modes = leaves_of(False), copy_context()
            try:
                rung.clear()
                signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0001, 0.004))
                again()
            except KeyboardInterrupt:
                pass
            torn = {v.name for v in states if v.get() is not modes.run(v.get)}
            for variable in states:  # of a `with` outside backward
                variable.set(modes.run(variable.get))
            grads = numbers(made)
            if leaves._accumulating._is_owned() or (program is not reentrant and any(
                    g not in (None, a) for a, g in zip(whole, grads, strict=False))):
                wrong.append(grads)
            if torn and program in (layers, recorded, reentrant):  # these write no `with`
                wrong.append(torn)
    finally:
        signal.signal(signal.SIGALRM, before)
    return wrong


@pytest.fixture
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(history_manager=None, colors="nocolor")
    tracebacks.install()
    yield shell
    InteractiveShell.clear_instance()


def test_after_an_interrupted_cell_grad_mode_is_what_it_was(shell, capsys):
    shell.run_cell("import minigrad as torch")
    shell.run_cell("torch.no_grad().__enter__(); raise KeyboardInterrupt")

    assert torch.is_grad_enabled()
    assert "half open" in capsys.readouterr().err


def test_a_cell_that_was_not_interrupted_keeps_the_mode_that_it_set(shell, capsys):
    shell.run_cell("import minigrad as torch\ntorch.set_grad_enabled(False)")
    shell.run_cell("1 / 0")
    try:
        assert not torch.is_grad_enabled()
        shell.run_cell("raise KeyboardInterrupt")
        assert not torch.is_grad_enabled()
        assert "half open" not in capsys.readouterr().err
    finally:
        torch.set_grad_enabled(True)


def test_after_an_interrupted_cell_no_level_is_open_and_numbers_may_be_drawn(shell, capsys):
    """Ctrl-C falls between the lines of a `with` of ours: `forward_ad.dual_level`, and what vmap forbids."""
    shell.run_cell("import minigrad as torch")
    shell.run_cell("torch.autograd.forward_ad.enter_dual_level(); raise KeyboardInterrupt")
    shell.run_cell("from minigrad.func.batches import random\nrandom.forbidden.set('no'); raise KeyboardInterrupt")

    assert capsys.readouterr().err.count("half open") == 2
    assert torch.rand(2).shape == (2,)
    with torch.autograd.forward_ad.dual_level() as level:
        assert level == 0
