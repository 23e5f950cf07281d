"""What older PyTorches named, printed, warned of and refused.

`data/eras.json` holds what real PyTorches (1.0.0 to 1.10.2, and 2.13.0) gave: code, and spans of
versions with their result. Before 1.0 the oracle is the printed text of notebooks of the time.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import minigrad
import minigrad as torch
import minigrad.nn.functional as F
from minigrad.array import printing
from minigrad.eras import era, old_printing, table
from minigrad.eras.table import parsed
from minigrad.text import presentation

SEEN = json.loads((Path(__file__).parent / "data/eras.json").read_text("utf-8"))
RUN = "1.0.0 1.0.1 1.1.0 1.2.0 1.3.1 1.4.0 1.5.0 1.5.1 1.6.0 1.7.1 1.8.1 1.9.1 1.10.2 2.13.0".split()
versions = st.sampled_from(table.KNOWN)


@pytest.fixture(autouse=True)
def today():
    yield
    era("2.13.0")


def names():
    return {
        "torch": torch, "F": F, "copy": copy, "o": torch.ones(2, 3),
        "x": torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True),
        "w": torch.ones(3, 2, requires_grad=True), "v": torch.ones(3, requires_grad=True),
        "b": torch.ones(1, 2, 2, requires_grad=True),
    }


def expected(spans):
    """(version, what it gave) for every version that was run."""
    return [(v, result) for first, last, result in spans
            for v in RUN if parsed(first) <= parsed(v) <= parsed(last)]


def short_name(node):
    return node.name().rpartition("::")[2]


# ---- eras that were run


@pytest.mark.parametrize("code", SEEN["names"])
def test_a_node_has_its_name_of_every_version(code):
    node = eval(code, names()).grad_fn
    found = []
    for version, _ in expected(SEEN["names"][code]):
        with era(version):
            found.append((version, short_name(node)))

    assert found == expected(SEEN["names"][code])


def said(code):
    """What code shows, or the error it ends with, and its first warning."""
    space = names()
    presentation.warned.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(code, space)
            text = repr(space.get("shown"))
        except (RuntimeError, TypeError, ValueError) as error:
            text = f"{type(error).__name__}: {error}"
    return text + "".join(f"   [warn {w.category.__name__}: {w.message}]" for w in caught[:1])


@pytest.mark.parametrize("code", SEEN["texts"])
def test_a_text_is_that_of_every_version(code):
    for version, text in expected(SEEN["texts"][code]):
        with era(version):
            assert said(code) == text, version


def test_the_version_is_the_era():
    with era("1.5"):
        assert torch.__version__ == "1.5.0"
    assert torch.__version__ == "2.13.0"


def test_a_tensor_prints_by_the_current_era_whenever_it_was_made():
    x = torch.ones(2, requires_grad=True)
    with era("1.4"):
        y = x.exp()
        old = repr(y)
    with era("1.9"):
        z = x.exp()

    assert "<ExpBackward>" in old
    assert "<ExpBackward0>" in repr(y)
    assert "<ExpBackward0>" in repr(z)


def test_names_that_did_not_exist_are_missing_and_come_back():
    with era("1.1"):
        assert not hasattr(torch.random, "seed")
        with pytest.raises(AttributeError):
            print(torch.ones(2, 2).T)
    assert torch.ones(2, 3).T.shape == (3, 2)
    assert torch.random.seed


def test_bytes_were_masks():
    x = torch.tensor([1.0, -1.0, 2.0])
    with era("1.1"):
        assert x[x > 0].tolist() == [1.0, 2.0]
        x[x < 0] = 0.0
        assert x.masked_select(x > 1).tolist() == [2.0]
    assert x.tolist() == [1.0, 0.0, 2.0]


def test_a_fraction_beside_whole_numbers_was_cut_in_place_too():
    n = torch.tensor([1, 2])
    with era("1.2"):
        n += 1.5
    assert n.tolist() == [2, 3]


def test_operations_on_old_eras_still_differentiate():
    with era("1.1"):
        x = torch.ones(2, 2, requires_grad=True)
        ((x + 2) * (x + 2) * 3).mean().backward()
        assert x.grad.tolist() == [[4.5, 4.5], [4.5, 4.5]]


# ---- choosing an era


@pytest.mark.parametrize("version", ["2.0", "1.11.0", "0.1", "latest"])
def test_an_era_that_nobody_looked_at_is_refused(version):
    with pytest.raises(ValueError, match="nobody looked"):
        era(version)


def test_blocks_nest_and_end_also_with_an_error():
    with era("1.5"):
        with pytest.raises(ZeroDivisionError), era("0.3"):
            raise ZeroDivisionError
        assert minigrad.current_era() == "1.5.0"
    assert minigrad.current_era() == "2.13.0"


def test_the_setter_lasts_and_can_be_used_as_a_block_later():
    old = era("1.4")
    assert minigrad.current_era() == "1.4.0"
    era("2.13.0")
    with old:
        assert minigrad.current_era() == "1.4.0"
    assert minigrad.current_era() == "2.13.0"
    assert repr(old) == "era('1.4.0')"


def test_an_era_is_added_by_data_alone(monkeypatch):
    """The recipe of CONTRIBUTING.md, for a PyTorch that never was; eras around it stay as they are."""
    product = f"{table.NAMES['MulBackward0 tensor']}, 1.11 TimesBackward0, 1.12 MulBackward0"
    monkeypatch.setattr(table, "KNOWN", [*table.KNOWN, "1.11.0"])
    monkeypatch.setitem(table.NAMES, "MulBackward0 tensor", product)
    monkeypatch.setitem(table.MESSAGES, "freed", (*table.MESSAGES["freed"], ("1.11", "1.12", "second", "2nd")))
    monkeypatch.setitem(table.KINDS, "freed", "0.2 RuntimeError, 1.11 ValueError, 1.12 RuntimeError")
    x = torch.ones(2, 2, requires_grad=True)
    y = x * x
    seen = []

    for version in ("1.10.2", "1.11", "2.13"):
        with era(version):
            freed = said("y = x * x; y.backward(x.detach()); y.backward(x.detach())").partition(":")
            seen.append((torch.__version__, short_name(y.grad_fn), freed[0], "a 2nd time" in freed[2]))

    assert seen == [
        ("1.10.2", "MulBackward0", "RuntimeError", False),
        ("1.11.0", "TimesBackward0", "ValueError", True),
        ("2.13.0", "MulBackward0", "RuntimeError", False),
    ]


def world():
    """All that an era could have left behind, object by object."""
    owners = [minigrad, minigrad.Tensor, minigrad.autograd, minigrad.random, F, minigrad.text.presentation,
              minigrad.core.graph.TensorBase, minigrad.core.record]
    found = [{k: id(v) for k, v in vars(owner).items() if not k.startswith("__")} for owner in owners]
    return found, list(map(id, sys.meta_path)), printing._options


@given(st.lists(versions, min_size=1, max_size=4))
def test_eras_leave_nothing_behind(sequence):
    era("0.2").__exit__()  # loads what eras load
    before = world()

    for version in sequence:
        era(version)
    era("2.13.0")

    assert world() == before


@given(versions, versions)
def test_an_era_does_not_depend_on_the_one_before(first, second):
    era("2.13.0")
    era(second)
    alone = world()[0], repr(torch.ones(2, 2)), said("shown = torch.ones(2).eq(torch.ones(2))")
    shown = alone[1:]

    era("2.13.0")
    era(first)
    era(second)

    assert (repr(torch.ones(2, 2)), said("shown = torch.ones(2).eq(torch.ones(2))")) == shown
    assert minigrad.current_era() == (second if second.count(".") == 2 else second + ".0")


# ---- eras that nobody can run: what notebooks of the time show


def test_0_4_1_named_operations_of_two_tensors_by_their_library():
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with era("0.4.1"):
        shown = [short_name(t.grad_fn) for t in (a + 2, a + b, a * b, a - b, (a * b).mean(), (a * a).sum())]

    assert shown == [
        "AddBackward", "ThAddBackward", "ThMulBackward", "ThSubBackward", "MeanBackward1", "SumBackward0"]


def test_0_4_0_had_a_sign_column_and_no_suffix():
    with era("0.4.0"):
        x = torch.tensor([[27.0, 27.0], [27.0, 27.0]], requires_grad=True)
        assert repr(x) == "tensor([[ 27.,  27.],\n        [ 27.,  27.]])"
        assert repr(x.mean()) == "tensor(27.)"
        assert repr(torch.tensor([-1, 2], dtype=torch.int32)) == "tensor([-1,  2], dtype=torch.int32)"
        assert short_name((x + 2).grad_fn) == "AddBackward0"
        assert short_name(x.mean().grad_fn) == "MeanBackward1"


def test_0_3_numbered_operations_of_two_tensors_1():
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with era("0.3"):
        shown = [short_name(t.grad_fn) for t in (a + 2, a + b, a * b)]

    assert shown == ["AddBackward0", "AddBackward1", "MulBackward1"]


def test_0_2_showed_the_python_class_of_a_node():
    x = torch.ones(2, 2, requires_grad=True)
    with era("0.2"):
        shown = [repr(t.grad_fn) for t in (x + 2, x * x, x**2, -x, x.mean(), x.exp(), x.t())]

    assert [re.fullmatch(r"<torch\.autograd\.function\.(\w+) object at 0x\w+>", text)[1] for text in shown] == [
        "AddConstantBackward", "MulBackward", "PowConstantBackward", "NegateBackward", "MeanBackward",
        "ExpBackward", "TransposeBackward"]


BLOCKS = {
    "1-d, whole": ([1.0, 1024.0], "\n    1\n 1024\n[torch.FloatTensor of size 2]\n"),
    "1-d, parts": ([0.4631, 307.6631], "\n   0.4631\n 307.6631\n[torch.FloatTensor of size 2]\n"),
    "below 1": ([0.4631, 0.1372], "\n 0.4631\n 0.1372\n[torch.FloatTensor of size 2]\n"),
    "a factor": ([0.001, 0.0025], "\n1.00000e-03 *\n  1.0000\n  2.5000\n[torch.FloatTensor of size 2]\n"),
    "too far apart": ([1e-5, 1.5], "\n 1.0000e-05\n 1.5000e+00\n[torch.FloatTensor of size 2]\n"),
    "large and whole": ([123456.0, 1.0], "\n 1.2346e+05\n 1.0000e+00\n[torch.FloatTensor of size 2]\n"),
    "nan": ([float("nan"), 1.0], "\nnan\n  1\n[torch.FloatTensor of size 2]\n"),
    "2-d": ([[1.0, -2.0], [3.0, 4.0]], "\n 1 -2\n 3  4\n[torch.FloatTensor of size 2x2]\n"),
    "3-d": ([[[1.0, 2.0]], [[3.0, 4.0]]],
            "\n(0 ,.,.) = \n  1  2\n\n(1 ,.,.) = \n  3  4\n[torch.FloatTensor of size 2x1x2]\n"),
    "nothing": ([], "[torch.FloatTensor with no dimension]\n"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_the_block_of_0_2_and_0_3(name):
    values, text = BLOCKS[name]
    with era("0.3"):
        assert repr(torch.FloatTensor(values)) == text


def test_the_block_names_the_type_of_its_elements():
    with era("0.3"):
        assert repr(torch.LongTensor([1, 2])) == "\n 1\n 2\n[torch.LongTensor of size 2]\n"
        assert repr(torch.ones(2) > 0) == "\n 1\n 1\n[torch.ByteTensor of size 2]\n"


def test_wide_matrices_are_shown_in_groups_of_columns():
    with era("0.3"):
        text = repr(torch.ones(2, 20))

    assert text.startswith("\n\nColumns 0 to 12 \n    1     1")
    assert "\n\nColumns 13 to 19 \n" in text


def test_very_many_numbers_are_cut():
    assert old_printing.vector([1.0] * 1000) == " 1\n 1\n 1\n\u22ee \n 1\n 1\n 1\n"


# ---- 0.2 and 0.3: two kinds of tensors


@pytest.fixture
def legacy():
    with era("0.3.1"):
        yield minigrad.autograd.Variable


def test_a_variable_records_and_a_tensor_computes(legacy):
    t = torch.ones(2, 2)
    x = legacy(t, requires_grad=True)

    assert type(t).__name__ == "FloatTensor"
    assert f"{type(x)}" == "<class 'torch.autograd.variable.Variable'>"
    assert type(x.data) is type(t) is type(x.data + 1) is torch.FloatTensor
    assert type(x + 1) is type(torch.exp(x)) is type(F.relu(x)) is type(torch.cat([x, x])) is type(1 + x) is legacy
    x.data.fill_(3)
    assert t.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_bytes_pick_elements_without_a_word(legacy):
    t, mask = torch.FloatTensor([1, 2, 3]), torch.ByteTensor([0, 1, 1])

    assert [t[mask].tolist(), legacy(t)[mask].data.tolist()] == [[2.0, 3.0]] * 2
    assert [t.masked_fill(mask, 9).tolist(), legacy(t).masked_fill_(mask, 9).data.tolist()] == [[1.0, 9.0, 9.0]] * 2


def test_whole_reductions_are_numbers_of_tensors_and_one_element_of_variables(legacy):
    t = torch.ones(2, 2)
    x = legacy(t, requires_grad=True)

    assert (t.sum(), t.mean(), t.norm(), t[0][1]) == (4.0, 1.0, 2.0, 1.0)
    assert type(t.norm()) is float
    assert [tuple(v.size()) for v in (x.sum(), x.mean(), x.norm(), x[0][1], x.sum(dim=1))] == [(1,)] * 4 + [(2,)]


@pytest.mark.parametrize("code", ["x.sum()", "x.mean()", "x.norm()", "x[0][1]", "x[1, 0]",
                                  "(x * x).sum(dim=1)[1]", "x[0].select(0, 1)",
                                  "[v * v for v in x[1]][0]", "x.max(1)[0][1]",
                                  "x.max()", "x.prod()", "x.view(4).dot(x.view(4))"])
def test_gradients_of_one_element_results_are_todays(legacy, code):
    values = [[1.0, 2.0], [3.0, 4.0]]
    x = legacy(torch.FloatTensor(values), requires_grad=True)
    eval(code).backward()
    old = x.grad.data.tolist()

    with era("2.13.0"):
        x = torch.tensor(values, requires_grad=True)
        eval(code).backward()

    assert old == x.grad.tolist()


def test_a_gradient_is_a_variable_and_its_data_a_tensor(legacy):
    x = legacy(torch.ones(2), requires_grad=True)
    seen = []
    y = x * 2
    y.register_hook(seen.append)
    y.backward(torch.ones(2))

    assert type(x.grad) is type(seen[0]) is legacy
    assert type(x.grad.data) is torch.FloatTensor
    assert x.grad.data.zero_() is not None
    assert x.grad.data.tolist() == [0.0, 0.0]


def test_a_product_with_a_number_has_no_buffers_to_free(legacy):
    x = legacy(torch.ones(2), requires_grad=True)
    y, z = 2 * x / 4, x * x
    for _ in range(3):
        y.backward(torch.ones(2))
    z.backward(torch.ones(2))

    assert x.grad.data.tolist() == [3.5, 3.5]
    with pytest.raises(RuntimeError, match="the buffers have already been freed"):
        z.backward(torch.ones(2))


def test_what_a_volatile_variable_touches_is_not_recorded(legacy):
    x, w = legacy(torch.ones(2), volatile=True), legacy(torch.ones(2), requires_grad=True)
    y = w * x

    assert (y.requires_grad, y.volatile, (y + 1).volatile, (w + 1).volatile) == (False, True, True, False)


def test_a_variable_has_no_truth_and_wraps_no_variable(legacy):
    x = legacy(torch.ones(2))

    with pytest.raises(RuntimeError, match="bool value of Variable objects"):
        bool(x.sum() > 1)
    with pytest.raises(RuntimeError, match="Variable data has to be a tensor, but got Variable"):
        legacy(x)


def test_a_step_of_training_reads_as_it_did(legacy):
    x, y = legacy(torch.ones(2, 3)), legacy(torch.LongTensor([0, 1]))
    w = legacy(torch.zeros(3, 2), requires_grad=True)
    loss = F.cross_entropy(x.mm(w), y)
    loss.backward()
    w.data -= 0.1 * w.grad.data
    _, best = x.mm(w).max(1)

    assert loss.data[0] == pytest.approx(0.6931472)
    assert (best.data == y.data).sum() == 1
    assert repr(best) == "Variable containing:\n 0\n 0\n[torch.LongTensor of size 2]\n"


def test_a_node_still_knows_the_learners_line(legacy):
    x = legacy(torch.ones(2), requires_grad=True)
    y = (x * 2).sum()  # this line

    assert y.grad_fn.line[2] == "y = (x * 2).sum()  # this line"


def test_a_variable_made_then_is_a_tensor_today(legacy):
    y = legacy(torch.ones(2), requires_grad=True).sum()
    with era("2.13.0"):
        assert repr(y) == "tensor([2.], grad_fn=<SumBackward0>)"
        assert isinstance(y, torch.Tensor)


def test_a_tensor_of_today_prints_as_what_it_would_have_been():
    plain, leaf = torch.ones(2), torch.ones(2, requires_grad=True)
    with era("0.3"):
        assert repr(plain) == "\n 1\n 1\n[torch.FloatTensor of size 2]\n"
        assert repr(leaf) == f"Variable containing:{plain!r}"


@pytest.mark.parametrize("version", RUN)
def test_only_today_warns_of_a_list_that_is_read_as_a_tuple(version):
    era(version)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chosen = torch.ones(2, 3)[[[0, 1], [1, 2]]]

    assert chosen.tolist() == [1, 1]
    assert ["non-tuple sequence" in str(w.message) for w in caught] == [True] * (version == "2.13.0")
