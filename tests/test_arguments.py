"""Arguments that fit no signature are refused in the words of torch's argument parser, and old forms are taken."""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import minigrad
from minigrad.core.beside import arguments
from minigrad.text import presentation, signatures
from tests.oracle import signatures as written
from tests.oracle.transcript import first_line

LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def forms(t):
    """Arguments, and options, that hardly any function takes."""
    class Thing:
        pass

    thing = Thing()
    places = [(), (1,) * 9, ("a",), (thing,), ([1.5, "a"],), (1.5,), (t,), (None,), (0, "a"), ((0, 1),), (t, t),
              (t, 2, "a"), (True,), (2.5, (1, 2), [t, "a"]), (0, [1], 2), ([],), ([t, 3],), (int,), ("cpu",), (2.5, 2)]
    names = [((), {"foo": 1}), ((), {"dim": "a"}), ((0, 1), {"dim": 0}), ((t,), {"dim": thing, "keepdim": 3}),
             ((0,), {"keepdim": 1}), ((t,), {"other": "a"})]
    return [*((args, {}) for args in places), *names]


def said(call, args, options):
    """The first line of what a call raises; an empty text if it raises nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(*args, **options)
        except Exception as error:
            return first_line(error)
    return ""


# torch describes elements of lists, too, where one form of several is left; `new` and its kin look at their data first
OTHERWISE = {"Tensor.add", "Tensor.add_", "Tensor.sub", "Tensor.sub_", "Tensor.new", "Tensor.new_tensor", "Tensor.type",
             "torch.addbmm", "torch.as_tensor", "torch.asarray", "torch.tensor"}


@pytest.mark.parametrize("oracle", LIVE)
def test_each_signature_refuses_what_torch_refuses_and_in_its_words(oracle):
    torch = importlib.import_module(oracle)
    asked, differing = 0, []
    for face in {line.partition("(")[0] for line in signatures()} - OTHERWISE:
        home, name = face.split(".")
        ours, theirs = minigrad.ones(2, 2), torch.ones(2, 2)
        call = getattr(theirs if home == "Tensor" else torch, name, None) or getattr(torch._C._linalg, name, None)
        for own, their in zip(forms(ours), forms(theirs), strict=True):
            expected = call and said(call, *their).replace(" Tensor.", " TensorBase.")  # as without a star in the call
            if expected and expected.startswith("TypeError"):
                args = (ours, *own[0]) if home == "Tensor" else own[0]
                got = said(arguments.answer, (None, face, KeyError("fits"), args, own[1]), {})
                asked += 1
                if got != expected:
                    differing.append((face, own, expected, got))

    assert differing == []
    assert asked > 10_000


@pytest.mark.parametrize("oracle", LIVE)
def test_the_signatures_are_those_of_torch(oracle):
    assert written.FILE.read_text("utf-8") == written.written(importlib.import_module(oracle), minigrad)


def test_a_form_of_old_is_taken_and_torchs_warning_given_once(monkeypatch):
    monkeypatch.setattr(presentation, "warned", set())
    x, y = minigrad.ones(2), minigrad.ones(2, requires_grad=True)

    with pytest.warns(UserWarning, match=r"This overload of add_ is deprecated:\n\tadd_\(Number alpha, Tensor other\)"):
        assert x.add_(-0.5, minigrad.ones(2)) is x
    with warnings.catch_warnings(record=True) as more:
        assert x.add(2, y).grad_fn.name() == "AddBackward0"
        assert minigrad.addcmul(x, 3, y, y).tolist() == [3.5, 3.5]
        assert minigrad.eye(2).addmm(2, minigrad.eye(2), minigrad.eye(2)).tolist() == [[3.0, 0.0], [0.0, 3.0]]

    assert x.tolist() == [0.5, 0.5]
    assert more == []


def test_what_fits_fails_as_it_did():
    with pytest.raises(RuntimeError, match="must match the size"):
        minigrad.ones(2).add(minigrad.ones(3))
    with pytest.raises(ZeroDivisionError):
        arguments.answer(None, "torch.add", ZeroDivisionError(), (minigrad.ones(2), 1), {})


@pytest.mark.parametrize("call", [
    lambda torch, x: x.sum("a"), lambda torch, x: torch.cat([x, 1]), lambda torch, x: x.add_(torch.ones(3)),
    lambda torch, x: torch.nn.functional.linear(x, 1), lambda torch, x: x.view(2, "a"),
])
def test_a_refused_call_keeps_nothing(call):
    x = minigrad.ones(2, 2)
    known = weakref.ref(x)
    with without_collector():
        with contextlib.suppress(TypeError, RuntimeError):
            call(minigrad, x)
        del x

        assert known() is None


def test_a_refusal_does_not_show_what_it_stands_for():
    with pytest.raises(TypeError) as refused:
        minigrad.ones(2).view(2, "a")

    assert refused.value.__suppress_context__


@contextlib.contextmanager
def without_collector():
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_no_signature_is_read_before_a_call_is_refused():
    program = "import minigrad as m; x = m.ones(2); x.sum(axis=0) + x.view(2, 1).mean(); from minigrad import text; "
    asked = "print(text.signatures.cache_info().currsize)"
    refused = "\ntry: x.sum('a')\nexcept TypeError: pass\n"

    said = subprocess.run([sys.executable, "-c", program + asked + refused + asked], capture_output=True, text=True)

    assert said.stdout.split() == ["0", "1"]


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("call", ["t.sum(axis=0, foo=1)", "t.sum(foo=1, axis=0)", "t.mean(0, dim=0)",
                                  "t.sum(axis=None, dtype=None, out=None)", "t.mean(axis=0, out=None)",
                                  "t.argmax(axis=0, bar=1)", "torch.cat([t], axis=0, foo=1)",
                                  "t.sum(0, keepdims=True, foo=1)", "torch.softmax(t, axis=0, foo=1)"])
def test_the_first_word_that_is_not_torchs_own_is_blamed(call, oracle):
    said = []
    for torch in (minigrad, importlib.import_module(oracle)):
        with pytest.raises(TypeError) as caught:
            eval(call, {"torch": torch, "t": torch.ones(2, 2)})
        said.append(first_line(caught.value))

    assert said[0] == said[1]


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("given", ["torch.ones(2), volatile=True", "torch.ones(2), volatile=False", "[1.0]", "3.0",
                                   "torch.ones(2), True", "torch.arange(2)", "torch.arange(2), True"])
def test_a_variable_takes_a_tensor_and_warns_of_volatile(given, oracle):
    seen = []
    for torch in (minigrad, importlib.import_module(oracle)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                found = str(eval(f"torch.autograd.Variable({given})", {"torch": torch}))
            except (TypeError, RuntimeError) as error:
                found = first_line(error)
        seen.append((found, [str(w.message) for w in warned]))

    assert seen[0] == seen[1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("library", ["minigrad", *LIVE])
def test_a_list_of_arrays_without_dimensions_is_refused_and_not_called_slow(library):
    with pytest.raises(TypeError, match=r"len\(\) of unsized object"):
        importlib.import_module(library).tensor([np.array(1.0), np.array(2.0)])
