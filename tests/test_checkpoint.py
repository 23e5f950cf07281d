"""Checkpoints as they are seen: what is not kept, and that it is computed again.

What PyTorch shows of them is in tests/oracle/semantics/checkpoint.txt.
"""

import gc
import json

import pytest

import minigrad as torch
from minigrad.graph import read
from minigrad.utils.checkpoint import checkpoint


def made():
    """A checkpoint, its leaves, and how often its function has run."""
    runs = []
    x, w = torch.randn(8, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)

    def block(h):
        runs.append(1)
        return (h @ w).exp().sum(1).tanh()

    return checkpoint(block, x, use_reentrant=False), block, x, runs


def test_a_picture_runs_nothing_again_and_says_what_is_not_held():
    y, _block, _x, runs = made()
    picture = torch.draw(y, lang="both")

    assert "ExpBackward0{result = block()}" in picture.to_text()
    said = "4 saved values are not in the graph: backward runs block() again; 128 bytes are not held until then"
    assert picture.remarks[0].startswith(said)  # of exp's result; y, x and w are held
    assert runs == [1]
    assert [t.shape for t in read(y).tensors[:3]] == [(8,), (8,), (8, 4)]


def test_what_is_not_held_is_gone_and_what_is_held_is_not_counted():
    outside = []
    x = torch.ones(100, requires_grad=True)
    y = checkpoint(lambda a: (outside.append(a.exp()) or outside[0]) * a.exp(), x, use_reentrant=False)
    gc.collect()

    assert sum(saved.later for node in read(y).nodes for saved in node.saved if saved.later) == 400
    outside.clear()
    assert sum(saved.later for node in read(y).nodes for saved in node.saved if saved.later) == 800


def test_a_player_says_that_the_function_ran_again_and_a_preview_leaves_it_for_later():
    y, block, x, runs = made()
    torch.step(y.sum(), preview=True)
    player = torch.step(y.sum())
    told = json.dumps([step["events"] for step in json.loads(player.to_json())["steps"]], ensure_ascii=False)

    assert "ExpBackward0 saved nothing: block() has run again to have `result`." in told
    assert "block() 重新运行了一遍" in told
    assert len(runs) == 3
    expected, = torch.autograd.grad(block(x).sum(), x)
    assert x.grad.tolist() == expected.tolist()


def test_a_function_of_ones_own_and_indices_are_shown_without_running():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a * 2, None)
            return a * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    x, i = torch.ones(2, requires_grad=True), torch.tensor([1, 0])
    y = checkpoint(lambda a: Double.apply(a.exp())[i], x, use_reentrant=False)

    assert "indices = <lambda>()" in str(torch.draw(y))
    assert "saved_tensors[0] = <lambda>()" in str(torch.draw(y))
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([2 * 2.7182818**2] * 2)


@pytest.mark.parametrize("reentrant", [False, True])
def test_memory_is_held_for_one_block_at_a_time(reentrant):
    """Sixteen blocks: between forward and backward their inputs are held, and nothing from inside."""
    import weakref

    inside = []

    def block(a):
        b = a.exp()
        inside.append(weakref.ref(b._data))
        return b.log().tanh()

    y = torch.ones(10, requires_grad=True)
    for _ in range(16):
        y = checkpoint(block, y, use_reentrant=reentrant)
    gc.collect()

    assert len(inside) == 16
    assert not any(ref() is not None for ref in inside)
