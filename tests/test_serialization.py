"""torch.save and torch.load: what comes back, and what a file may not make."""

import io
import pickle

import pytest

import minigrad as torch


def through(value, **options):
    """`value`, saved and read again."""
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int64", "bool"])
def test_a_tensor_comes_back_with_its_numbers_and_its_flag(kind):
    t = torch.ones(2, 3).to(getattr(torch, kind))
    t.requires_grad_(t.is_floating_point())

    back = through(t)

    assert back.equal(t)
    assert (back.dtype, back.shape) == (t.dtype, t.shape)
    assert (back.is_leaf, back.requires_grad) == (True, t.requires_grad)


def test_a_result_comes_back_as_a_leaf():
    back = through(torch.ones(2, requires_grad=True) * 3)

    assert (repr(back), back.is_leaf) == ("tensor([3., 3.], requires_grad=True)", True)


def test_a_model_goes_on_where_it_was(tmp_path):
    model, other = (torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)) for _ in range(2))
    path = tmp_path / "weights.pt"

    torch.save({"model": model.state_dict(), "epoch": 3, "shape": torch.Size([2]), "kind": torch.float64}, path)
    saved = torch.load(path)
    other.load_state_dict(saved["model"])

    assert (saved["epoch"], saved["shape"], saved["kind"]) == (3, torch.Size([2]), torch.float64)
    assert all(a.equal(b) for a, b in zip(model.state_dict().values(), other.state_dict().values(), strict=True))


def test_saved_tensors_wait_in_files(tmp_path):
    def pack(t):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.pt"
        torch.save(t, path)
        return path

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, torch.load):
        y = (x * 3).pow(2).sum()
    y.backward()

    assert len(list(tmp_path.iterdir())) == 1
    assert x.grad.tolist() == [18.0, 36.0]


def test_a_file_makes_nothing_but_values_unless_it_is_trusted():
    layer = torch.nn.Linear(2, 1)

    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL minigrad.nn.layers.Linear"):
        through(layer)

    assert repr(through(layer, weights_only=False)) == repr(layer)


@pytest.mark.parametrize("name", ["os.system", "minigrad.magics.load_ipython_extension", "numpy.load"])
def test_a_file_calls_no_function(name):
    module, function = name.rsplit(".", 1)

    with pytest.raises(pickle.UnpicklingError, match=f"GLOBAL {name}"):
        torch.load(io.BytesIO(f"c{module}\n{function}\n.".encode()))


def test_a_file_of_pytorch_says_how_to_carry_the_numbers_over(tmp_path):
    path = tmp_path / "theirs.pt"
    path.write_bytes(b"PK\x03\x04")

    with pytest.raises(RuntimeError, match="PyTorch") as caught:
        torch.load(path)

    assert "numpy.save" in caught.value.__notes__[0]
