"""Modules count, print, save and start as torch's do; layers and losses give torch's numbers."""

import copy
import importlib.util
import math

import numpy as np
import pytest

import minigrad as torch
from minigrad import nn
from minigrad.text import presentation

LIVE = ["torch"] if importlib.util.find_spec("torch") else []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.out = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))

    def forward(self, x):
        return self.out(self.norm(self.fc(x)))


def test_a_linear_layer_starts_with_torchs_numbers():
    torch.manual_seed(0)
    layer = nn.Linear(3, 2)

    assert layer.weight.tolist() == [[-0.004322517663240433, 0.3097158372402191, -0.4751853346824646],
                                     [-0.4248946011066437, -0.2223689705133438, 0.15482072532176971]]
    assert layer.bias.tolist() == [-0.011439144611358643, 0.45777493715286255]


LAYERS = [
    "Linear(3, 2)", "Linear(3, 2, bias=False)", "Conv1d(2, 4, 3)", "Conv2d(2, 4, 3, stride=2, padding=1)",
    "Conv2d(2, 4, (3, 2), groups=2, dilation=2, bias=False, padding_mode='reflect')",
    "Conv2d(1, 1, 3, padding='same')", "BatchNorm1d(4)", "BatchNorm2d(4, affine=False)", "BatchNorm1d(4, bias=False)",
    "Unflatten(1, (2, 3))", "LayerNorm(4)",
    "LayerNorm((2, 3), elementwise_affine=False)", "GroupNorm(2, 4)", "Embedding(5, 3, padding_idx=1)",
    "Embedding(5, 3, -1)", "PReLU()", "PReLU(2, 1)",
    "Dropout(0.3)", "Dropout2d()", "Flatten()", "Identity()", "ReLU()", "ReLU(inplace=True)", "ReLU6()",
    "LeakyReLU(0.2)", "ELU()", "SELU()", "CELU(0.5)", "SiLU()", "Mish()", "Hardtanh()", "Hardsigmoid()", "Hardswish()",
    "ELU(2, True)", "Threshold(1, 2, True)", "Hardsigmoid(True)", "Hardswish(inplace=True)",
    "GELU()", "GELU('tanh')", "Softplus()", "Threshold(0.1, 2.0)", "Hardshrink()", "Softshrink()", "GLU()",
    "Softmax(1)", "LogSoftmax(dim=1)", "Softmin(1)", "Sigmoid()", "Tanh()", "LogSigmoid()", "Softsign()",
    "Tanhshrink()", "MaxPool1d(2)", "MaxPool2d(2)", "MaxPool2d((2, 1), stride=1, ceil_mode=True)", "AvgPool1d(2)",
    "AvgPool2d(2, 1)", "AdaptiveAvgPool1d(1)", "AdaptiveAvgPool2d((2, 1))", "AdaptiveMaxPool2d(1)", "MSELoss()",
    "L1Loss()", "SmoothL1Loss()", "HuberLoss()", "KLDivLoss()", "BCELoss()", "BCEWithLogitsLoss()", "NLLLoss()",
    "CrossEntropyLoss()", "CosineSimilarity()", "TripletMarginLoss()",
    "Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1)))",
    "ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()])", "ModuleDict({'a': nn.ReLU(), 'b': nn.Linear(1, 1)})",
]


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("layer", LAYERS)
def test_a_module_prints_and_starts_as_in_torch(layer, oracle):
    theirs, ours = (made(module, layer) for module in (importlib.import_module(oracle), torch))

    assert repr(ours) == repr(theirs)
    assert {n: (str(t.dtype), t.tolist()) for n, t in ours.state_dict().items()} == {
        n: (str(t.dtype), t.tolist()) for n, t in theirs.state_dict().items()}


def made(module, layer):
    module.manual_seed(0)
    return eval(f"nn.{layer}", {"nn": module.nn})


def test_a_model_prints_as_a_tree():
    assert repr(Net()) == (
        "Net(\n"
        "  (fc): Linear(in_features=3, out_features=4, bias=True)\n"
        "  (norm): BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)\n"
        "  (out): Sequential(\n"
        "    (0): ReLU()\n"
        "    (1): Linear(in_features=4, out_features=2, bias=True)\n"
        "  )\n"
        ")"
    )


@pytest.mark.parametrize("oracle", LIVE)
def test_a_module_that_stands_in_two_places_is_one_child(oracle):
    for module in (torch, importlib.import_module(oracle)):
        shared = module.nn.ReLU()
        model = module.nn.Sequential(shared, module.nn.Tanh(), shared)

        assert [name for name, _ in model.named_children()] == ["0", "1"]
        assert len(list(model.children())) == 2


def test_parameters_and_buffers_are_found_by_name():
    model = Net()

    assert [n for n, _ in model.named_parameters()] == [
        "fc.weight", "fc.bias", "norm.weight", "norm.bias", "out.1.weight", "out.1.bias"]
    assert [n for n, _ in model.named_buffers()] == [
        "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"]
    assert [n for n, _ in model.named_modules()] == ["", "fc", "norm", "out", "out.0", "out.1"]


def test_a_saved_state_makes_another_model_equal():
    torch.manual_seed(1)
    trained, fresh, x = Net(), Net(), torch.randn(5, 3)
    trained(x)

    assert repr(fresh.load_state_dict(trained.state_dict())) == "<All keys matched successfully>"

    assert torch.equal(trained.eval()(x), fresh.eval()(x))


def test_a_state_that_does_not_fit_is_named():
    state = {"weight": torch.zeros(3, 2), "extra": torch.zeros(1)}

    with pytest.raises(RuntimeError) as caught:
        nn.Linear(3, 2).load_state_dict(state)

    assert str(caught.value) == (
        "Error(s) in loading state_dict for Linear:\n"
        '\tMissing key(s) in state_dict: "bias". \n'
        '\tUnexpected key(s) in state_dict: "extra". \n'
        "\tsize mismatch for weight: copying a param with shape torch.Size([3, 2]) from checkpoint, the shape "
        "in current model is torch.Size([2, 3])."
    )


def test_a_plain_tensor_is_no_parameter():
    layer = nn.Linear(1, 1)

    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'weight'"):
        layer.weight = torch.ones(1, 1)


def test_gradients_are_forgotten():
    model = Net()
    model(torch.randn(4, 3)).sum().backward()

    model.zero_grad()

    assert all(p.grad is None for p in model.parameters())


def test_training_mode_reaches_every_part():
    model = Net().eval()

    assert not any(m.training for m in model.modules())
    assert all(m.training for m in model.train().modules())


def test_a_copy_has_its_own_parameters():
    model = Net()
    twin = copy.deepcopy(model)
    with torch.no_grad():
        twin.fc.weight.zero_()

    assert model.fc.weight.abs().sum() > 0
    assert isinstance(twin.fc.weight, nn.Parameter)
    assert twin.fc.weight.is_leaf


def test_forward_hooks_see_and_replace():
    layer, seen = nn.Linear(2, 2), []
    before = layer.register_forward_pre_hook(lambda module, args: (args[0] * 0,))
    after = layer.register_forward_hook(lambda module, args, output: seen.append(args[0].tolist()) or output + 1)

    assert torch.equal(layer(torch.ones(1, 2)), layer.bias + 1 + torch.zeros(1, 2))
    assert seen == [[[0.0, 0.0]]]

    before.remove()
    after.remove()
    layer(torch.ones(1, 2))
    assert len(seen) == 1


def test_a_model_moves_to_double_with_its_buffers():
    model = Net().double()

    assert {str(p.dtype) for p in model.parameters()} == {"torch.float64"}
    assert model.norm.running_mean.dtype == torch.float64
    assert model.norm.num_batches_tracked.dtype == torch.int64


def test_nodes_of_a_model_point_at_the_learners_line():
    y = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Sigmoid(), nn.ReLU(), nn.Softsign())(torch.ones(1, 2))
    node, files = y.grad_fn, set()
    while node is not None and node.row is not None:
        files.add(node.line[0])
        node = node.next_functions[-1][0] if node.row.name == "addmm" else node.next_functions[0][0]

    assert files == {__file__}


def test_a_loss_takes_its_reduction_by_place_and_warns_at_the_learners_line():
    x, y = torch.tensor([[1.0, 4.0]]), torch.tensor([0.0])
    with pytest.warns(UserWarning, match="different to the input size") as caught:
        total = nn.functional.l1_loss(x, y, None, None, "sum")

    assert total == 5
    assert {warning.filename for warning in caught} == {__file__}


REFUSED = [
    "functional.pad(torch.ones(1, 2, 2), (1, 1), 'foo')", "functional.pad(torch.ones(2), (1, 1), 'reflect')",
    "functional.pad(torch.ones(1, 2, 2), (1,), 'reflect')", "functional.pad(torch.ones(2, 2), (1, 1), 'circular', 3)",
    "Sequential(3)", "ModuleList([torch.ones(1)])", "Embedding(5, 3, 5)",
    "functional.embedding(torch.tensor([0]), torch.ones(2, 1), -3)",
    "Linear(1, 1).__setattr__('weight', torch.ones(1).double())",
    "functional.relu(torch.ones(2), alpha=1.0)", "functional.elu(torch.ones(2), 1.0, False, 3)",
    "functional.leaky_relu(torch.ones(2), slope=1.0)", "functional.elu(torch.arange(3), inplace=True)",
    "functional.avg_pool1d(torch.ones(1, 4), 2, 0)",
    "functional.cross_entropy(torch.ones(3, 5), torch.ones(3))",
    "functional.cross_entropy(torch.ones(3, 5), torch.ones(3, 5).long())",
    "functional.cross_entropy(torch.ones(3, 5), torch.ones(3, 5), ignore_index=2)",
    "functional.cross_entropy(torch.ones(3, 5), torch.ones(3, 5), reduction='average')",
]


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("call", REFUSED)
def test_what_cannot_be_taken_is_refused_in_torchs_words(call, oracle):
    def refusal(module):
        with pytest.raises((AssertionError, TypeError, ValueError, RuntimeError, IndexError)) as refused:
            eval(f"torch.nn.{call}", {"torch": module})
        return refused.type, str(refused.value)

    assert refusal(torch) == refusal(importlib.import_module(oracle))


def test_adaptive_pools_of_sequences_can_give_places():
    values, places = nn.AdaptiveMaxPool1d(2, True)(torch.tensor([[3.0, 1.0, 2.0, 4.0]]))

    assert (values.tolist(), places.tolist()) == ([[3.0, 4.0]], [[0, 3]])


def test_a_mean_pool_adds_the_cells_of_a_window_in_torchs_order():
    x = np.random.default_rng(0).standard_normal((1, 2, 8, 8)).astype("float32")
    cells = [x[..., i : 7 + i : 2, j : 7 + j : 2] for i in range(2) for j in range(2)]

    pooled = nn.functional.avg_pool2d(torch.tensor(x), 2)

    np.testing.assert_array_equal(pooled.numpy(), (((cells[0] + cells[1]) + cells[2]) + cells[3]) / np.float32(4))


@pytest.mark.parametrize(("cells", "place"), [([-0.0, 0.0, -1.0, 0.0], 0), ([0.0, -0.0, 0.0, -1.0], 0),
                                          ([1.0, 2.0, 2.0, 0.0], 1), ([math.nan, 3.0, math.nan, 4.0], 2)])
def test_of_equal_cells_a_pool_takes_the_first_and_of_nans_the_last(cells, place):
    value, at = nn.functional.max_pool2d(torch.tensor(cells).view(1, 1, 2, 2), 2, return_indices=True)

    assert (repr(value.item()), at.item()) == (repr(cells[place]), place)


def test_batch_norm_follows_the_variance_in_double():
    x, norm = torch.tensor([[1000.0], [1000.1], [1000.3]]), nn.BatchNorm1d(1, momentum=1.0)

    norm(x)

    assert norm.running_var.item() == pytest.approx(x.double().var().item(), rel=1e-7)


def test_rrelu_in_place_writes():
    x = torch.tensor([-2.0, 1.0])

    assert nn.functional.rrelu(x, 0.5, 0.5, inplace=True) is x
    assert x.tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_three_dimensions_are_padded_with_their_own_cells(mode, oracle):
    def padded(module):
        x = module.arange(18.0).reshape(1, 3, 2, 3).requires_grad_()
        y = module.nn.functional.pad(x, (1, 2, 1, 0, 0, 2), mode)
        (y * y).sum().backward()
        return y.tolist(), x.grad.tolist()

    assert padded(torch) == padded(importlib.import_module(oracle))


# ---- numbers, live

PROGRAMS = {
    "mlp": "nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.LayerNorm(8), nn.Dropout(0.4), nn.Linear(8, 3))",
    "wide": "nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.GELU(), nn.Linear(4, 5, bias=False), nn.PReLU())",
    "images": "nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.Conv2d(1, 4, 2, padding=1), nn.BatchNorm2d(4), nn.ReLU(), "
              "nn.MaxPool2d(2), nn.Dropout2d(0.3), nn.Flatten(), nn.Linear(8, 3), nn.LogSoftmax(1))",
    "signals": "nn.Sequential(nn.Unflatten(1, (2, 3)), nn.Conv1d(2, 4, 2), nn.GroupNorm(2, 4), nn.AvgPool1d(2), "
               "nn.Flatten())",
}


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_model_gives_torchs_outputs_gradients_and_statistics(program, oracle):
    ours, theirs = (run(module, PROGRAMS[program]) for module in (torch, importlib.import_module(oracle)))

    assert list(ours) == list(theirs)
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=2e-4, atol=2e-6, err_msg=name)


def run(module, program):
    module.manual_seed(3)
    model = eval(program, {"nn": module.nn})
    x = module.randn(5, 6)
    y = model(x)
    (y * module.linspace(0.5, 1.5, y.numel()).reshape(y.shape)).sum().backward()
    seen = {"output": y, **{n: p.grad for n, p in model.named_parameters()}, **dict(model.named_buffers())}
    seen["evaluated"] = model.eval()(x)
    return {n: t.detach().tolist() for n, t in seen.items()}


STARTS = ["uniform_(w, -1, 2)", "normal_(w, 1, 2)", "constant_(w, 3.0)", "xavier_uniform_(w)", "xavier_normal_(w, 2.0)",
          "kaiming_uniform_(w, mode='fan_out', nonlinearity='relu')", "kaiming_normal_(w)", "ones_(w)"]


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("start", STARTS)
def test_init_draws_torchs_numbers(start, oracle):
    def values(module):
        module.manual_seed(0)
        w = module.empty(3, 2)
        eval(f"module.nn.init.{start}")
        return w.tolist()

    assert values(torch) == values(importlib.import_module(oracle))


@pytest.mark.parametrize("library", ["minigrad", *LIVE])
@pytest.mark.parametrize("start", ["uniform(w, -1, 2)", "constant(w, 3.0)", "xavier_normal(w)", "orthogonal(w)"])
def test_init_answers_to_its_names_of_old(start: str, library: str):
    module, (name, given) = importlib.import_module(library), start.split("(", 1)
    w, twin = module.zeros(3, 2), module.zeros(3, 2)
    module.manual_seed(0)
    eval(f"module.nn.init.{name}_({given}", {"module": module, "w": twin})
    module.manual_seed(0)

    with pytest.warns(FutureWarning, match=rf"^`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`\.$"):
        assert eval(f"module.nn.init.{start}", {"module": module, "w": w}) is w
    assert w.tolist() == twin.tolist()


@pytest.mark.parametrize(("name", "node", "args"), [
    ("relu", "ReluBackward0", ()), ("leaky_relu", "LeakyReluBackward1", (0.2,)), ("elu", "EluBackward1", (1.5,)),
    ("selu", "EluBackward1", ()), ("celu", "CeluBackward1", (1.5,)), ("hardtanh", "HardtanhBackward0", (-0.6, 0.7)),
    ("threshold", "ThresholdBackward1", (0.1, 7.0)), ("rrelu", "RreluWithNoiseBackward1", ()),
])
def test_a_form_that_writes_into_its_input_computes_what_its_function_does(name: str, node: str, args: tuple):
    """The nodes are those of torch 2.13."""
    x, twin = (torch.tensor([-2.0, -0.5, 0.0, 0.5, 2.0], requires_grad=True) for _ in range(2))
    y = x * 1

    written, wanted = getattr(nn.functional, name + "_")(y, *args), getattr(nn.functional, name)(twin, *args)
    written.sum().backward()
    wanted.sum().backward()

    assert written is y
    assert (type(y.grad_fn).__name__, y.tolist()) == (node, wanted.tolist())
    assert x.grad.tolist() == pytest.approx(twin.grad.tolist())


def test_clipping_may_refuse_a_norm_that_is_no_number():
    w = torch.ones(2, requires_grad=True)
    w.grad = torch.tensor([1.0, float("inf")])

    with pytest.raises(RuntimeError, match=r"The total norm of order 2.0 for gradients from `parameters` is non"):
        nn.utils.clip_grad_norm_([w], 1.0, error_if_nonfinite=True)
    assert w.grad.tolist() == [1.0, float("inf")]


def test_same_padding_of_an_even_kernel_is_warned_of_once(monkeypatch):
    monkeypatch.setattr(presentation, "warned", set())
    x, weight = torch.ones(1, 1, 4), torch.ones(1, 1, 2)
    with pytest.warns(UserWarning, match="Using padding='same' with even kernel lengths and odd dilation may"):
        torch.nn.functional.conv1d(x, weight, padding="same")

    torch.nn.functional.conv1d(x, weight, padding="same")  # of which a second warning would be an error
