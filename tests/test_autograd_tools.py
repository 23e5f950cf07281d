"""The tools around autograd: saved-tensor hooks, hooks on several gradients, gradcheck, Jacobians.

Every claim is made of minigrad and, where it can be imported, of torch itself.
"""

import importlib
import importlib.util
import re
import warnings

import pytest

import minigrad

WORLDS = ["minigrad", *(["torch"] if importlib.util.find_spec("torch") else [])]


@pytest.fixture(params=WORLDS)
def torch(request):
    return importlib.import_module(request.param)


def leaf(torch, *values):
    return torch.tensor(values, requires_grad=True)


def bad_square(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g

    return Bad.apply


# ---- hooks on what is saved


def test_each_saved_tensor_is_packed_once_and_unpacked_when_needed(torch):
    x, events = leaf(torch, 1.0, 2.0), []

    def pack(t):
        events.append(("pack", t.tolist()))
        return len(events)

    def unpack(number):
        events.append(("unpack", number))
        return torch.tensor([10.0, 10.0])

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).exp()
    y.sum().backward()

    squares = y.log().detach()
    assert [e[0] for e in events] == ["pack"] * 3 + ["unpack"] * 3
    assert [e[1] for e in events[3:]] == [3, 1, 2]
    assert events[0][1] == events[1][1] == [1.0, 2.0]
    assert torch.allclose(squares, (x * x).detach())
    assert x.grad.tolist() == [200.0, 200.0]


def test_the_innermost_pair_of_hooks_counts(torch):
    x, names = leaf(torch, 3.0), []
    hooks = torch.autograd.graph.saved_tensors_hooks

    with hooks(lambda t: names.append("outer"), lambda t: x):
        with hooks(lambda t: names.append("inner"), lambda t: x):
            x**2
        x**2

    assert names == ["inner", "outer"]


def test_indices_and_custom_functions_are_packed_too(torch):
    x, packed = leaf(torch, 1.0, 2.0), []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t * 10):
        y = Square.apply(x)
        x[torch.tensor([0])]
    y.sum().backward()

    assert [t.tolist() for t in packed] == [[1.0, 2.0], [0]]
    assert x.grad.tolist() == [20.0, 40.0]


def test_double_backward_passes_through_hooks(torch):
    x = leaf(torch, 3.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x**3
        (first,) = torch.autograd.grad(y, x, create_graph=True)

    assert torch.autograd.grad(first, x)[0].item() == 18.0


def test_an_unpack_hook_must_return_a_tensor(torch):
    x = leaf(torch, 1.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: "s"):
        y = x * x

    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor but got result of type str"):
        y.sum().backward()


def test_a_pack_hook_must_not_write(torch):
    x = leaf(torch, 1.0)
    with (
        torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t),
        pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"),
    ):
        (x * 1).exp()


def test_hooks_can_be_forbidden(torch):
    graph = torch.autograd.graph
    with (
        graph.disable_saved_tensors_hooks("not here"),
        pytest.raises(RuntimeError, match="not here"),
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
    ):
        pass


def test_an_in_place_operation_saves_the_old_value(torch):
    x = leaf(torch, 2.0)
    y = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y.mul_(x)
    y.sum().backward()

    assert x.grad.item() == 4.0


def test_saved_tensors_wait_on_the_cpu(torch):
    x = leaf(torch, 2.0)
    with torch.autograd.graph.save_on_cpu():
        y = x**3
    y.sum().backward()

    assert x.grad.item() == 12.0


def test_one_saved_tensor_takes_hooks_of_its_own(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: 5, lambda n: torch.full((2,), float(n)))
    y.sum().backward()

    assert x.grad.tolist() == [5.0, 5.0]
    with pytest.raises(RuntimeError, match="register_hooks on a saved tensor after it has been freed"):
        y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)


def test_saved_tensors_may_be_written_where_that_is_allowed(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = (y * y).sum()
        y.mul_(100)
        z.backward()

    assert x.grad.tolist() == [2.0, 4.0]


# ---- hooks on gradients

PASSED_ON = {"times two": lambda x: x * 2, "unchanged": lambda x: x + 0, "as a view": lambda x: x.view(2)}
HOOKED = {
    "a leaf": lambda x, h, keep: x.register_hook(keep),
    "before a leaf": lambda x, h, keep: h.grad_fn.next_functions[0][0].register_prehook(lambda came: keep(came[0])),
    "a tensor": lambda x, h, keep: h.register_hook(keep),
    "before a node": lambda x, h, keep: h.grad_fn.register_prehook(lambda came: keep(came[0])),
    "behind a node": lambda x, h, keep: h.grad_fn.register_hook(lambda sent, came: keep(sent[0])),
}


@pytest.mark.parametrize("way", PASSED_ON)
@pytest.mark.parametrize("where", HOOKED)
def test_a_gradient_that_a_hook_keeps_is_left_alone_by_the_next_backward(torch, where, way):
    x, kept = leaf(torch, 1.0, 1.0), []
    h = PASSED_ON[way](x)
    HOOKED[where](x, h, kept.append)

    h.sum().backward()
    now = kept[0].tolist()
    (x * 3).sum().backward()

    assert kept[0].tolist() == now
    assert x.grad.tolist() == [3.0 + (2 if way == "times two" else 1)] * 2


@pytest.mark.parametrize("where", HOOKED)
def test_a_gradient_that_a_hook_returns_stays_the_hook_s_own(torch, where):
    x, own = leaf(torch, 1.0, 1.0), torch.tensor([7.0, 7.0])
    h = x.neg()
    HOOKED[where](x, h, lambda grad: (own,) if "before" in where or "behind" in where else own)

    h.sum().backward()
    (x * 3).sum().backward()

    assert own.tolist() == [7.0, 7.0]


# ---- several gradients, edges


def test_a_hook_on_several_tensors_gets_what_this_backward_brings(torch):
    a, b, c = (leaf(torch, 1.0) for _ in range(3))
    calls = []
    handle = torch.autograd.graph.register_multi_grad_hook((a, b, c), lambda gs: calls.append([g is None for g in gs]))

    (a * b).sum().backward()
    (a * c).sum().backward()
    (a * b).sum().backward(inputs=[a])
    with pytest.raises(RuntimeError, match=r"but we are currently running autograd.grad"):
        torch.autograd.grad((a * b).sum(), a)
    handle.remove()
    (a * b * c).sum().backward()

    assert calls == [[False, False, True], [False, True, False], [False, True, True]]


def test_a_hook_on_any_of_several_tensors_runs_once(torch):
    a, b, calls = leaf(torch, 2.0), leaf(torch, 3.0), []
    torch.autograd.graph.register_multi_grad_hook((a, b), calls.append, mode="any")

    (a * b).sum().backward()

    assert len(calls) == 1


def test_a_gradient_edge_stands_for_a_tensor(torch):
    x = leaf(torch, 3.0)
    y = x * x
    edge = torch.autograd.graph.get_gradient_edge(y)

    assert (edge.node, edge.output_nr) == (y.grad_fn, 0)
    assert torch.autograd.grad((y * 2).sum(), edge)[0].item() == 2.0
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge for a Tensor"):
        torch.autograd.graph.get_gradient_edge(torch.ones(1))


def test_a_gradient_edge_is_a_tuple_also_one_made_by_hand(torch):
    x = leaf(torch, 3.0, 4.0)
    y = x * x
    edge = torch.autograd.graph.GradientEdge(y.grad_fn, 0)
    node, place, token = torch.autograd.graph.get_gradient_edge(y)

    assert edge == (node, place, token) == (y.grad_fn, 0, None)
    assert torch.autograd.grad(edge, x, torch.ones(2), retain_graph=True)[0].tolist() == [6.0, 8.0]
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        torch.autograd.grad(edge, x)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(x.sum(), edge)


# ---- Functions under vmap


def times_seven(torch, own_vmap):
    """A step whose derivative is 7 by its own `backward`, and which vmap maps by its own `vmap` or by the rule."""
    class Step(torch.autograd.Function):
        generate_vmap_rule = not own_vmap

        @staticmethod
        def forward(x, w, scale=1.0):
            return (x > 0).float() * w * scale

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs[:2])
            ctx.scale = inputs[2]

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return 7 * g * w * ctx.scale, (g * (x > 0).float() * ctx.scale).sum(), None

    if own_vmap:
        Step.vmap = staticmethod(lambda info, dims, x, w, scale: (Step.apply(x, w, scale), dims[0]))
    return Step.apply


@pytest.mark.parametrize("own_vmap", [False, True])
def test_what_vmap_made_of_a_function_is_differentiated_from_outside(torch, own_vmap):
    x, w, step = leaf(torch, -1.0, 2.0, 3.0), torch.tensor(2.0, requires_grad=True), times_seven(torch, own_vmap)
    y = torch.vmap(step, in_dims=(0, None))(x, w)
    slopes = torch.autograd.grad((y**2).sum(), (x, w), create_graph=True)

    assert [g.tolist() for g in slopes] == [[0.0, 56.0, 56.0], 8.0]
    assert torch.autograd.grad(slopes[0].sum(), w)[0].item() == 112.0
    assert torch.func.grad(lambda x: torch.vmap(step, (0, None))(x, w).sum())(x).tolist() == [14.0] * 3
    twice = torch.vmap(torch.vmap(step, (0, None, None)), (0, None, None))(x.expand(2, 3), w, 3.0)
    assert torch.autograd.grad(twice.sum(), x)[0].tolist() == [84.0] * 3


def test_a_context_keeps_what_it_is_told_also_without_a_function(torch):
    ctx, x = torch.autograd.function.FunctionCtx(), leaf(torch, 1.0)
    ctx.save_for_backward(x)
    ctx.mark_non_differentiable(x)
    ctx.set_materialize_grads(False)

    assert (ctx.to_save[0] is x, ctx.non_differentiable[0] is x, ctx.materialize_grads) == (True, True, False)


# ---- gradcheck


def double(torch, *values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_gradcheck_accepts_a_right_derivative_and_refuses_a_wrong_one(torch):
    x = double(torch, 0.5, 1.5)

    assert torch.autograd.gradcheck(torch.sin, (x,))
    assert torch.autograd.gradgradcheck(torch.sin, (x,))
    assert not torch.autograd.gradcheck(bad_square(torch), (x,), raise_exception=False)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0,") as caught:
        torch.autograd.gradcheck(bad_square(torch), (x,))
    assert type(caught.value).__name__ == "GradcheckError"
    assert "numerical:tensor([[1.0000, 0.0000],\n        [0.0000, 3.0000]], dtype=torch.float64)" in str(caught.value)


def test_gradgradcheck_finds_a_wrong_second_derivative(torch):
    x = double(torch, 0.5, 1.5)

    def half(x):
        return x.exp() * x.detach()

    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        torch.autograd.gradgradcheck(half, (x,))


def test_gradcheck_asks_for_an_input_with_grad_in_double(torch):
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        torch.autograd.gradcheck(torch.sin, (torch.ones(2),))
    with (
        pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"),
        pytest.raises(RuntimeError, match="Jacobian mismatch"),
    ):
        torch.autograd.gradcheck(torch.sin, (leaf(torch, 1.0, 2.0),))


# ---- Jacobians and Hessians


def test_jacobians_have_the_shapes_of_output_and_input(torch):
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    jacobian = torch.autograd.functional.jacobian

    assert jacobian(lambda x: x * x, x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert jacobian(lambda x: (x * x).sum(), x).tolist() == [2.0, 4.0]
    assert [j.tolist() for j in jacobian(lambda x, y: (x * y).sum(), (x, y))] == [[3.0, 4.0], [1.0, 2.0]]
    with pytest.raises(RuntimeError, match=r"does not require gradients. The outputs must be computed"):
        jacobian(lambda x: x.detach() * 1, x, strict=True)


def test_hessians_and_their_products_agree(torch):
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    functional = torch.autograd.functional

    def cubes(x):
        return (x**3).sum()

    assert functional.hessian(cubes, x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert functional.hvp(cubes, x, v)[1].tolist() == [6.0, 120.0]
    assert functional.vhp(cubes, x, v)[1].tolist() == [6.0, 120.0]
    assert functional.vjp(lambda x: x * x, x, v)[1].tolist() == [2.0, 40.0]
    assert functional.jvp(lambda x: x * x, x, v)[1].tolist() == [2.0, 40.0]
    with pytest.raises(RuntimeError, match="should contain a single element"):
        functional.hessian(lambda x: x * x, x)


@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"])
def test_a_strict_result_under_create_graph_has_to_be_recorded(torch, name):
    x = torch.tensor([1.0, 2.0])
    slopes = name in ("jacobian", "vjp", "jvp")
    vector = (x,) if name in ("jvp", "vhp", "hvp") else ()
    what = "hessian" if vector and not slopes else "jacobian"

    with pytest.raises(RuntimeError, match=rf"The {what} of .* is independent of input 0.* when create_graph=True"):
        getattr(torch.autograd.functional, name)(
            lambda x: x.sum() if slopes else (x * x).sum(), x, *vector, create_graph=True, strict=True)


# ---- anomaly mode


def test_anomaly_mode_names_the_derivative_that_is_nan(torch):
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    with (
        pytest.warns(UserWarning, match="Error detected in BrokenBackward. Traceback of forward call"),
        torch.autograd.set_detect_anomaly(True),
        pytest.raises(RuntimeError, match=r"Function 'BrokenBackward' returned nan values in its 0th output."),
    ):
        Broken.apply(leaf(torch, 1.0)).sum().backward()


def test_a_function_of_a_view_whose_base_was_written_sends_its_gradient_on(torch):
    """A look at such a view makes it a node, which has to be older than the Function's: backward runs by age."""
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(3, requires_grad=True)
    base = x * 1
    view = base[:2]
    base.mul_(3)

    Twice.apply(view).sum().backward()

    assert x.grad.tolist() == [6, 6, 0]


def test_a_node_is_shown_in_a_notebook_as_torchs_is(torch):
    """torch's nodes are C's, of no module and without words of their own; IPython then leaves out "object"."""
    pretty = pytest.importorskip("IPython.lib.pretty").pretty
    x = torch.ones(2, requires_grad=True)
    node = (x * 2 + 1).grad_fn
    (product, _), (leaf, _) = node.next_functions[0], node.next_functions[0][0].next_functions[0]
    custom = bad_square(torch)(x).grad_fn

    shown = [re.sub("0x[0-9a-f]+", "0x0", pretty(v)) for v in (node, [product], leaf, custom, type(node), type(leaf))]

    assert shown == ["<AddBackward0 at 0x0>", "[<MulBackward0 at 0x0>]", "<AccumulateGrad at 0x0>",
                     "<torch.autograd.function.BadBackward at 0x0>", "AddBackward0", "AccumulateGrad"]


def test_the_backward_of_a_function_can_be_called_through_its_node(torch):
    x = torch.tensor([3.0], requires_grad=True)
    node = bad_square(torch)(x).grad_fn

    assert node.apply(torch.tensor([5.0])).tolist() == [5.0]
    assert x.grad is None


def test_the_forward_call_that_anomaly_mode_shows_ends_in_the_learners_line():
    torch = minigrad
    x = torch.zeros(2, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught, torch.autograd.set_detect_anomaly(True):
        warnings.simplefilter("always")
        y = torch.nn.functional.layer_norm(x, (2,)) / x
        with pytest.raises(RuntimeError, match="returned nan"):
            y.sum().backward()

    (said,) = [str(w.message) for w in caught if "forward call" in str(w.message)]
    assert "y = torch.nn.functional.layer_norm(x, (2,)) / x" in said
    assert "minigrad/core" not in said.replace("\\", "/")
