"""Arrays are printed as torch prints tensors: recorded everywhere, live where torch is."""

import importlib.util

import numpy as np
import pytest

from minigrad.array import dtypes, printing
from tests.oracle import arrays

RECORDED = arrays.recorded("printing.json")
LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def printed(seed: int) -> str:
    array, options, suffixes = arrays.printing_case(seed)
    printing.set_printoptions(**options)
    try:
        return printing.tensor_str(array, suffixes)
    finally:
        printing.set_printoptions(profile="default")


@pytest.mark.parametrize("seed", RECORDED)
def test_an_array_is_printed_as_recorded(seed):
    assert printed(int(seed)) == RECORDED[seed]


@pytest.mark.parametrize("oracle", LIVE)
def test_arrays_are_printed_as_by_torch(oracle):
    torch = importlib.import_module(oracle)

    for seed in range(400):
        assert printed(seed) == arrays.printed_by_torch(torch, seed), f"case {seed}"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0.5, 500.0], "[  0.5000, 500.0000]"),
        ([0.5, 501.0], "[5.0000e-01, 5.0100e+02]"),
        ([1e-4], "[1.0000e-04]"),  # float32(1e-4) lies below 1e-4
        ([1e8], "[100000000.]"),
        ([1000.0, 1.0], "[1000.,    1.]"),
        ([1001.0, 1.0], "[1.0010e+03, 1.0000e+00]"),
        ([float("nan"), 1.0, float("inf")], "[nan, 1., inf]"),
        ([-0.0, 0.0], "[-0., 0.]"),
    ],
)
def test_the_format_changes_where_torch_changes_it(values, text):
    assert printing.array_str(np.array(values, np.float32)) == text


def test_hidden_items_do_not_choose_the_format():
    array = np.ones(2000, np.float32)
    array[1000] = 0.5

    assert printing.tensor_str(array) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])"


def test_a_suffix_wraps_where_the_line_would_have_80_characters():
    array, names = np.array([1.0], np.float32), ["grad_fn=<" + "x" * n + ">" for n in (55, 56)]

    stays, wraps = (printing.tensor_str(array, [name]) for name in names)

    assert len(stays) == 79
    assert wraps == f"tensor([1.],\n       {names[1]})"


def test_the_default_dtype_is_not_printed():
    before = dtypes.get_default_dtype()
    try:
        dtypes.set_default_dtype(dtypes.float64)
        texts = [printing.tensor_str(np.ones(1, kind)) for kind in ("float64", "float32")]
    finally:
        dtypes.set_default_dtype(before)

    assert texts == ["tensor([1.])", "tensor([1.], dtype=torch.float32)"]


def test_a_profile_sets_what_is_not_given():
    printing.set_printoptions(precision=3, profile="short")
    inside = printing._options
    printing.set_printoptions(profile="default")

    assert (inside.precision, inside.edgeitems) == (3, 2)
    assert printing._options == printing.Options()


def test_a_numpy_scalar_is_a_0_d_array():
    assert printing.tensor_str(np.float32(2.5)) == "tensor(2.5000)"
    assert printing.tensor_str(np.int16(3)) == "tensor(3, dtype=torch.int16)"
