"""Tangents in a picture: those that forward mode computes, beside every value of a recorded graph."""

import pytest

import minigrad as torch
from minigrad.graph import read
from minigrad.graph.preview import preview
from minigrad.graph.tangents import with_tangents
from minigrad.nn import functional as F
from minigrad.utils.checkpoint import checkpoint
from minigrad.viz.player import step


def written(x):
    y = x * 2
    y[0] = x[1].exp()
    return y.relu_() * x


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return 3 * grad * ctx.saved_tensors[0] ** 2


PROGRAMS = {
    "pointwise": lambda x: (x.sin() * x).exp() / x, "products": lambda x: (x.outer(x) @ x).view(2, 2).T @ x[:2],
    "views in place": written, "softmax": lambda x: F.cross_entropy(x.view(2, 2), torch.tensor([0, 1])),
    "convolution": lambda x: F.conv1d(x.view(1, 1, 4), x[:2].view(1, 1, 2), x[:1]).relu().view(3),
    "several outputs": lambda x: torch.cat(x.sort()[0].split(2)[::-1]) * x.max(0)[0], "indices": lambda x: x[[3, 0, 0]],
    "norms": lambda x: F.layer_norm(x, (4,)) + x.std() + x.norm(), "broadcast": lambda x: x[:, None] * x + 1,
    "solve": lambda x: torch.linalg.solve(x.view(2, 2), x[:2]), "cumulated": lambda x: x.cumprod(0).log_softmax(0),
}


def tangent(y, **along):
    graph, error, _ = with_tangents(read(y), y, **along)
    assert not error
    return graph.tensor(graph.roots[0]).tangent


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_tangent_is_that_of_forward_mode(name):
    torch.manual_seed(0)
    x, v = torch.rand(4, dtype=torch.float64) + 0.5, torch.randn(4, dtype=torch.float64)
    leaf = x.clone().requires_grad_()
    y = PROGRAMS[name](leaf)

    expected = torch.func.jvp(PROGRAMS[name], (x,), (v,))[1]
    assert tangent(y, along={leaf: v}) == preview(expected._array())


def test_functions_of_ones_own_and_checkpoints_are_pushed_through_their_backward():
    x, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.5])

    assert tangent(Cube.apply(x), along={x: v}) == "[3, 6]"
    assert tangent(checkpoint(lambda a: a * a, x, use_reentrant=False), along={x: v}) == "[2, 2]"


def test_every_card_has_its_tangent_and_the_pushes_are_counted():
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    loss = (x * w).sum()
    picture = torch.draw(loss, view="forward", tangents=True, lang="both")

    assert "x (2,) = [1, 2] ε [1, 1]" in str(picture)
    assert "loss () = 11 ε 10" in str(picture)
    assert "value not kept · ε [4, 6]" in torch.draw(loss, view="forward", tangents=True).to_svg()
    assert "takes 4 pushes, or 1 backward" in picture.remarks[0]
    assert "要推 4 次，或反向 1 次" in picture.remarks[0]
    assert "w (2,) = [3, 4]  Acc" in str(torch.draw(loss, view="forward", tangents={x: torch.ones(2)}))


def test_what_cannot_be_pushed_is_said():
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    with pytest.raises(ValueError, match=r'view="forward", tangents=True'):
        torch.draw(loss, tangents=True)

    loss.backward()
    picture = torch.draw(loss, view="forward", tangents=True)
    assert "RuntimeError" in picture.remarks[0]
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_player_pushes_the_tangents_that_forward_mode_computes(name):
    x = torch.tensor([0.5, 1.5, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    way = torch.tensor([1.0, -0.5, 0.0, 2.0], dtype=torch.float64)
    y = PROGRAMS[name](x)

    events = step(y.sum(), preview=True, tangents={x: way}).scene["forward"]

    _, truth = torch.autograd.functional.jvp(lambda x: PROGRAMS[name](x).sum(), x, way)
    taken = [one["moves"] for e in events for one in e["ins"] if one["name"] == "x"]
    assert set(taken) == {preview(way._array())}
    assert events[-1]["out"]["moves"] == preview(truth._array())
    assert "ε" in events[-1]["say"]["en"]


def test_a_player_without_tangents_says_why():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match=r"step\(..., tangents=True\)"):
        step((x * x).sum(), live=True, tangents=True)
    assert all("moves" not in e["out"] for e in step((x * x).sum(), preview=True, forward=True).scene["forward"])
