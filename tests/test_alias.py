"""`import torch` as minigrad: each test is a Python of its own, as the name `torch` is at stake."""

from __future__ import annotations

import operator
import subprocess
import sys

import pytest

import minigrad
from minigrad.eras import alias

INSTALLED = "import minigrad; minigrad.install_as_torch('1.5.0')\n"


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_installing_says_so_in_one_line_without_a_language():
    code = "import minigrad; minigrad.set_language('zh'); minigrad.install_as_torch('1.5')"

    assert python(code) == "import torch -> minigrad as PyTorch 1.5.0\n"


def test_torch_and_what_is_below_it_are_the_loaded_modules():
    code = INSTALLED + (
        "import torch, torch.autograd, torch.nn as nn, torch.nn.functional as F, torch.random as r\n"
        "from torch.autograd import Variable\n"
        "print(torch is minigrad, torch.autograd is minigrad.autograd, nn is minigrad.nn,\n"
        "      F is minigrad.nn.functional, r is minigrad.random, Variable is minigrad.autograd.Variable)")

    assert python(code).splitlines()[1] == " ".join(["True"] * 6)


def test_modules_keep_their_own_identity():
    code = INSTALLED + (
        "import torch, torch.autograd\n"
        "print(minigrad.__name__, minigrad.__spec__.name, minigrad.autograd.__spec__.name)")

    assert python(code).splitlines()[1] == "minigrad minigrad minigrad.autograd"


@pytest.mark.parametrize("name", ["torch.onnx", "torch.nn.quantized", "torch.viz", "torch.core", "torch.quick",
                                  "torch.nn.utils.rnn", "torch.cuda.amp"])
def test_what_minigrad_lacks_is_missing_even_where_torch_is_installed(name):
    code = INSTALLED + (
        f"try:\n    import {name}\nexcept ModuleNotFoundError as error:\n"
        "    print(error, *error.__notes__, sep='\\n')")

    text, *notes = python(code).splitlines()[1:]

    assert text == f"No module named '{name}'"
    assert f"has no part named {name}" in notes[-1]
    assert len(notes) == 1 or f"`{name}`" in notes[0]
    assert (name in ("torch.cuda.amp", "torch.nn.quantized")) == ("minigrad does not yet" in notes[0])


def test_modules_in_which_torch_keeps_its_classes_give_ours():
    code = INSTALLED + (
        "import torch, torch.backends.cudnn as cudnn, torch.nn.modules.linear as linear\n"
        "from torch.nn.modules.module import Module\n"
        "from torch.optim.optimizer import Optimizer\n"
        "from torch.utils.data.dataloader import DataLoader\n"
        "print(Module is torch.nn.Module, Optimizer is torch.optim.Optimizer, linear.Linear is torch.nn.Linear,\n"
        "      DataLoader is torch.utils.data.DataLoader, cudnn is torch.backends.cudnn, hasattr(torch.nn, 'linear'))")

    assert python(code).splitlines()[1] == "True True True True True False"


def test_asking_whether_a_part_exists_is_no_error():
    code = INSTALLED + (
        "from importlib.util import find_spec; import torch\n"
        "print(find_spec('torch') is not None, find_spec('torch.nn') is not None, find_spec('torch.onnx'),\n"
        "      find_spec('torch.cuda.amp'))")

    assert python(code).splitlines()[1] == "True True None None"


def test_an_error_inside_a_module_of_ours_is_not_hidden(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'elsewhere'", name="elsewhere")

    monkeypatch.setattr(alias, "import_module", broken)

    with pytest.raises(ModuleNotFoundError, match="elsewhere"):
        alias.counterpart("torch.nn")


def test_a_real_torch_that_is_imported_is_left_alone():
    code = (
        "import sys, types; sys.modules['torch'] = real = types.ModuleType('torch')\n"
        "import minigrad\n"
        "try:\n    minigrad.install_as_torch()\n"
        "except RuntimeError as error:\n    print(error)\n"
        "print(sys.modules['torch'] is real, any(type(f).__name__ == 'Finder' for f in sys.meta_path))")

    told, after = python(code).splitlines()

    assert "Restart the kernel" in told
    assert after == "True False"


def test_uninstalling_leaves_nothing_behind():
    code = (
        "import sys, minigrad\n"
        "from importlib.util import find_spec\n"
        "from minigrad.eras import alias\n"
        "def world(): return list(sys.meta_path), sorted(n for n in sys.modules if n.startswith('torch')),"
        " find_spec('torch'), minigrad.current_era()\n"
        "before = world()\n"
        "minigrad.install_as_torch('0.3'); import torch.autograd; minigrad.install_as_torch('1.5')\n"
        "minigrad.uninstall_torch()\n"
        "print(world() == before); minigrad.uninstall_torch()")

    assert python(code).splitlines()[-2:] == ["import torch -> no longer minigrad", "True"]


def test_without_a_version_the_era_stays():
    code = "import minigrad; minigrad.era('1.2'); minigrad.install_as_torch()"

    assert python(code) == "import torch -> minigrad as PyTorch 1.2.0\n"


def test_a_missing_name_is_told_with_the_nearest_one():
    code = INSTALLED + (
        "import torch\n"
        "try:\n    torch.sigmiod\nexcept AttributeError as error:\n    print(error, *error.__notes__, sep='\\n')")

    assert python(code).splitlines()[1:] == [
        "module 'torch' has no attribute 'sigmiod'",
        "minigrad has no `torch.sigmiod`; the nearest name that it has is `torch.sigmoid`.",
    ]


def test_so_is_one_of_a_part_until_the_alias_is_gone():
    code = INSTALLED + (
        "import torch.utils.hooks as hooks\n"
        "try:\n    hooks.RemovableHandl\n"
        "except AttributeError as error:\n    print(error, *error.__notes__, sep='\\n')\n"
        "minigrad.uninstall_torch(); print('__getattr__' in vars(hooks))")

    assert python(code).splitlines()[1:] == [
        "module 'torch.utils.hooks' has no attribute 'RemovableHandl'",
        "minigrad has no `torch.utils.hooks.RemovableHandl`; the nearest name that it has is "
        "`torch.utils.hooks.RemovableHandle`.",
        "import torch -> no longer minigrad",
        "False",
    ]


def test_the_magic_installs_and_uninstalls():
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(history_manager=None)\n"
        "shell.run_line_magic('load_ext', 'minigrad')\n"
        "for line in ('1.5.0', '', 'off'): shell.run_line_magic('torch', line)")

    assert python(code).splitlines() == [
        "import torch -> minigrad as PyTorch 1.5.0",
        "import torch -> minigrad as PyTorch 1.5.0",
        "import torch -> no longer minigrad",
    ]


# Libraries that look for torch among the loaded modules, with something that makes them look.
LIBRARIES = {
    "matplotlib": "import matplotlib; matplotlib.use('agg'); import matplotlib.pyplot as plt\n"
                  "ax = plt.subplot(); ax.plot(t); ax.hist(a); ax.figure.canvas.draw()\n"
                  "print(ax.lines[0].get_ydata().tolist())",
    "pandas": "import pandas; print(pandas.Series(t.numpy()).tolist())",
    "scipy": "import scipy.linalg, scipy.stats, scipy.signal\n"
             "scipy.stats.norm.cdf(a); scipy.signal.convolve(a, a)\n"
             "print(scipy.linalg.solve(np.eye(3), a).tolist())",
    "sklearn": "from sklearn.linear_model import LinearRegression; column = a.reshape(-1, 1)\n"
               "print(np.round(LinearRegression().fit(column, t).predict(column), 6).tolist())",
    "einops": "import einops; einops.rearrange(a, 'n -> 1 n')\n"
              "print(einops.rearrange(t, 'n -> 1 n')[0].tolist(), sep='')",
}


DATA = "import numpy as np, torch; t = torch.arange(3.0); a = np.arange(3.0)\n"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_that_probes_for_torch_still_works(library):
    assert python(INSTALLED + DATA + LIBRARIES[library]).splitlines()[1] == "[0.0, 1.0, 2.0]"


@pytest.mark.parametrize("version", ["0.3.1", "2.13.0"])
def test_all_of_them_work_together_in_other_eras(version):
    code = "\n".join([INSTALLED, f"minigrad.era('{version}')", DATA, *LIBRARIES.values()])

    assert python(code).splitlines()[1:] == ["[0.0, 1.0, 2.0]"] * len(LIBRARIES)


@pytest.mark.parametrize(("module", "name", "note"), [
    ("nn", "EmbeddingBag", "EmbeddingBag, packed sequences"), ("nn", "Linaer", "`torch.nn.Linear`"),
    ("nn.functional", "relux", "`torch.nn.functional.relu`"), ("optim", "Adaam", "`torch.optim.Adam`"),
    ("autograd", "gradd", "`torch.autograd.grad`"), ("special", "bessel_j0", "PyTorch has"),
    ("random", "manual_sed", "`torch.random.manual_seed`"), ("autograd.graph", "Nodes", "`torch.autograd.graph.Node`"),
    ("autograd.forward_ad", "make_duals", "`torch.autograd.forward_ad.make_dual`"),
    ("autograd.functional", "jacobien", "`torch.autograd.functional.jacobian`"),
    ("nn.parameter", "UninitializedParameter", "PyTorch has"),
    ("backends", "mkl", "PyTorch has `torch.backends.mkl`")])
def test_every_module_says_what_waits_and_what_is_nearest(module, name, note):
    with pytest.raises(AttributeError) as raised:
        operator.attrgetter(f"{module}.{name}")(minigrad)

    assert note in "".join(raised.value.__notes__)


@pytest.mark.parametrize(("module", "name", "more"), [
    ("torch.cuda", "memory_allocated", ""),
    # which reduces nothing, unlike that: it is no slip
    ("torch", "kl_div", "; of that name it has `torch.nn.functional.kl_div`")])
def test_what_a_module_of_torch_alone_has_is_said_to_wait(module, name, more):
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute '{name}'") as caught:
        operator.attrgetter(f"{module}.{name}".removeprefix("torch."))(minigrad)

    assert caught.value.__notes__ == [f"PyTorch has `{module}.{name}`, minigrad does not yet{more}."]


@pytest.mark.parametrize(("where", "name", "told", "near"), [
    (minigrad, "grad", "`torch.autograd.grad`, `torch.func.grad`", []),
    (minigrad, "gelu", "`torch.nn.functional.gelu`", ["nn.functional.gelu"]),
    (minigrad, "constant", "`torch.tensor`", ["tensor"]),
    (minigrad, "array", "`torch.tensor`", ["tensor"]),  # also the name of a room
    (minigrad.nn, "module", "`torch.nn.Module`", ["Module"]),
    (minigrad.nn, "relu", "`torch.nn.functional.relu`", ["functional.relu"]),
    (minigrad.nn.functional, "Linear", "`torch.nn.Linear`", []),
    (minigrad.optim, "StepLR", "`torch.optim.lr_scheduler.StepLR`", ["lr_scheduler.StepLR"]),
    (minigrad, "Optional", "no `torch.Optional`.", [])])
def test_a_name_that_another_part_has_is_told_by_its_home(where, name, told, near):
    with pytest.raises(AttributeError) as raised:
        getattr(where, name)

    assert told in "".join(raised.value.__notes__)
    assert raised.value.nearest == near


def test_parts_of_torchs_whose_names_another_part_has_here_are_that_part():
    data = minigrad.utils.data

    assert (data.sampler.RandomSampler, data.dataset, minigrad.nn.modules) == (data.RandomSampler, data, minigrad.nn)


def test_an_import_of_such_a_name_is_not_changed_to_one_that_looks_alike():
    with pytest.raises(ImportError) as raised:
        exec("from minigrad.nn import relu", {})
    minigrad.why(raised.value)

    assert "`minigrad.nn.functional.relu`" in str(raised.value.__notes__)
    assert "ReLU" not in str(raised.value.__notes__)


def test_an_import_of_what_pytorch_alone_has_is_not_changed_to_one_that_looks_alike():
    with pytest.raises(ImportError) as raised:
        exec("from minigrad.optim import Adamax", {})
    minigrad.why(raised.value)

    assert raised.value.__notes__ == ["PyTorch has `torch.optim.Adamax`, minigrad does not yet."]
