"""`device="cuda"`: what the table computes on the CPU it computes with CuPy's rules as well.

A machine with CuPy and a GPU runs the `gpu` half (`pytest -m gpu`); everywhere else CuPy's place is
taken by a stand-in on NumPy that has CuPy's names, parameters and refusals.
"""

import math
import re
import sys

import numpy as np
import pytest

import minigrad as torch
from minigrad import creation, nn
from minigrad.core.row import TABLE
from minigrad.nn.functional import cross_entropy
from tests import cupy_stand_in
from tests.oracle import programs
from tests.samples import SAMPLES
from tests.test_table import flat

CASES = [(name, nr) for name in SAMPLES for nr in range(len(SAMPLES[name]))]
REAL = pytest.param("real", marks=pytest.mark.gpu)


@pytest.fixture(params=["stand-in", REAL])
def cupy(request, monkeypatch):
    if request.param == "stand-in":
        cupy_stand_in.install(monkeypatch)
    return sys.modules.get("cupy") or pytest.importorskip("cupy")


def tensors(values):
    return [v for v in flat(list(values)) if isinstance(v, torch.Tensor)]


def moved(value, device):
    """Arguments with their tensors as leaves on a device."""
    if isinstance(value, list | tuple):
        return type(value)(moved(v, device) for v in value)
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().to(device).requires_grad_(value.requires_grad)


def run(name, nr, device):
    """Results and gradients of a sample, all on the device."""
    args, options = SAMPLES[name][nr](torch)
    args = moved(list(args), device)
    torch.manual_seed(0)
    result = TABLE[name].call(*args, **options)
    results = tensors(result if isinstance(result, tuple) else [result])
    roots, leaves = ([t for t in ts if t.requires_grad] for ts in (results, tensors(args)))
    ones = [torch.ones_like(root) for root in roots]
    sent = torch.autograd.grad(roots, leaves, ones, allow_unused=True) if roots else ()
    found = [*results, *(g for g in sent if g is not None)]
    assert {t.device.type for t in found} <= {device}
    return [t.detach().cpu().numpy() for t in found]


@pytest.mark.parametrize(("name", "nr"), CASES)
def test_a_row_computes_the_same_on_a_gpu(cupy, name, nr):
    here, there = run(name, nr, "cpu"), run(name, nr, "cuda")

    assert [(a.shape, a.dtype) for a in there] == [(a.shape, a.dtype) for a in here]
    for a, b in zip(there, here, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def without_device(lines):
    """A transcript as one word, no matter where it names the device and breaks its lines."""
    word = "".join(" ".join(lines).split())
    return re.sub(r",device='cuda:0'|device='cuda:0',", "", word).replace(",,", ",").replace(",)", ")")


@pytest.mark.parametrize("level", programs.LEVELS)
def test_random_programs_run_the_same_on_a_gpu(monkeypatch, level):
    cupy_stand_in.install(monkeypatch)
    made = creation.made
    sources = [programs.program(seed, level) for seed in range(60)]
    here = [programs.run(source, torch) for source in sources]

    monkeypatch.setattr(creation, "made", lambda array, grad=False, device=None: made(array, grad, device or "cuda"))
    there = [programs.run(source, torch) for source in sources]

    assert list(map(without_device, there)) == list(map(without_device, here))


def test_a_gradient_comes_home_to_the_device_of_its_leaf(cupy):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.to("cuda")
    (y**2).sum().backward()

    assert (y.device.type, y.grad_fn.name(), x.grad.device.type) == ("cuda", "ToCopyBackward0", "cpu")
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_tensor_says_where_it_is(cupy):
    x = torch.ones(2, device="cuda")

    assert repr(x * 2) == "tensor([2., 2.], device='cuda:0')"
    assert (x.is_cuda, x.get_device(), x.type()) == (True, 0, "torch.cuda.FloatTensor")
    assert x.cuda() is x.to(0) is x
    assert {x.new_zeros(1).device, torch.rand_like(x).device, torch.tensor([1.0], device="cuda:0").device} == {x.device}
    assert torch.cuda.is_available()
    assert (torch.cuda.synchronize(), torch.cuda.empty_cache(), torch.cuda.manual_seed_all(1)) == (None,) * 3


def test_a_network_learns_on_a_gpu(cupy):
    torch.manual_seed(0)
    picture = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
    net = nn.Sequential(*picture, nn.Flatten(), nn.Linear(16, 3)).to("cuda")
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    x, y = torch.randn(6, 1, 6, 6, device="cuda"), torch.tensor([0, 1, 2, 0, 1, 2], device="cuda")

    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    assert {t.device.type for t in net.state_dict().values()} == {"cuda"}
    assert net[1].num_batches_tracked.dtype == torch.int64
    assert losses[-1] < losses[0] / 4


@pytest.mark.parametrize("layer", [
    lambda **place: nn.Linear(2, 3, **place), lambda **place: nn.Conv2d(1, 2, 3, **place),
    lambda **place: nn.BatchNorm1d(2, **place), lambda **place: nn.Embedding(2, 3, **place),
    lambda **place: nn.PReLU(**place),
])
def test_a_layer_is_made_where_it_is_wanted(cupy, layer):
    assert {t.device.type for t in layer(device="cuda").state_dict().values()} == {"cuda"}


def test_a_picture_and_a_step_show_what_lies_on_a_gpu(cupy):
    x = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    y = (x * 3).sum()

    assert "x (2,) = [1, 2]" in torch.draw(y, show={"values"}).to_text()
    assert "PowBackward0" in torch.step((x**2).sum(), preview=True).to_json()


def test_a_numpy_array_cannot_be_had_from_a_gpu(cupy):
    with pytest.raises(TypeError, match=r"can't convert cuda:0 device type tensor to numpy\. Use Tensor\.cpu"):
        torch.ones(2, device="cuda").numpy()


@pytest.mark.parametrize("meet", [
    lambda a, b: a + b, lambda a, b: b @ a, lambda a, b: torch.cat([a, b]), lambda a, b: torch.where(a > 0, a, b),
    lambda a, b: b.mul_(a), lambda a, b: nn.functional.mse_loss(a, b),
])
def test_two_devices_do_not_meet(cupy, meet):
    a, b = torch.ones(2, 2, device="cuda"), torch.ones(2, 2)

    with pytest.raises(RuntimeError, match="to be on the same device, but found at least two devices, cuda:0 and cpu!"):
        meet(a, b)


def test_a_number_may_be_anywhere(cupy):
    assert (torch.ones(2, device="cuda") * torch.tensor(math.e)).device.type == "cuda"


def test_without_cupy_there_is_no_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)

    assert (torch.cuda.is_available(), torch.cuda.device_count()) == (False, 0)
    with pytest.raises(RuntimeError, match=r"Cannot access accelerator device when none is available\."):
        torch.ones(2).to(0)
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        nn.Linear(2, 3, device="cuda")


def test_the_stand_in_refuses_what_cupy_refuses():
    x = cupy_stand_in.ndarray(np.ones(2))

    for wrong in (lambda: np.asarray(x), lambda: x + np.ones(2), lambda: np.max(x, initial=0),
                  lambda: np.maximum.accumulate(x), lambda: np.where(x > 0, x, np.ones(2))):
        with pytest.raises((TypeError, NotImplementedError)):
            wrong()
    assert isinstance(x.sum(), cupy_stand_in.ndarray)


@pytest.mark.parametrize("there", [False, True])
def test_the_benchmark_of_a_gpu_runs_or_says_what_is_missing(monkeypatch, capsys, there):
    from tests.bench import gpu

    if there:
        cupy_stand_in.install(monkeypatch)
        monkeypatch.setattr(gpu, "wait", lambda device: None)
        monkeypatch.setattr(sys.modules["cupy"], "__version__", "14.0", raising=False)
        monkeypatch.setattr(gpu, "PROGRAMS", {title: (program, 4) for title, (program, _) in gpu.PROGRAMS.items()})
    else:
        monkeypatch.setitem(sys.modules, "cupy", None)

    assert gpu.main(["--look"]) == (not there)
    assert gpu.main([]) == (not there)
    said = capsys.readouterr().out
    assert said.count("times faster") == there
    assert said.count(" ms | ") == (6 if there else 0)
    assert ("No GPU that CuPy can use: CuPy cannot be imported" in said) is not there
