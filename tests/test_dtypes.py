"""torch's type system: names, promotion, limits, and where an array lives."""

import importlib.util
import itertools
import pickle
import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.array import backend, dtypes
from minigrad.core.writes import inplace
from minigrad.text import say

LIVE = ["torch"] if importlib.util.find_spec("torch") else []
PYTHON = (True, 1, 1.5)


def operands() -> list:
    """Each dtype with a dimension and without, and each kind of Python number."""
    return [np.ones(s, d.np)[()] for d in dtypes.ALL for s in ((2,), ())] + list(PYTHON)


@pytest.fixture
def default_dtype():
    before = dtypes.get_default_dtype()
    yield dtypes.set_default_dtype
    dtypes.set_default_dtype(before)


# ---- promotion -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("int64[2]", "float32[2]", "float32"),
        ("int64[2]", "float16[2]", "float16"),
        ("uint8[2]", "int8[2]", "int16"),
        ("float32[2]", "float64[]", "float32"),
        ("float32[2]", "float64[1]", "float64"),
        ("int64[2]", "float64[]", "float64"),
        ("int32[2]", "int64[]", "int32"),
        ("bool[2]", "uint8[]", "uint8"),
        ("int64[2]", 1.5, "float32"),
        ("float16[]", 1.5, "float16"),
        ("float64[]", 1, "float64"),
        ("int8[2]", 1, "int8"),
        ("bool[2]", 1, "int64"),
        ("bool[2]", True, "bool"),
        (1, 1.5, "float32"),
    ],
)
def test_two_operands_meet_in_the_dtype_of_torch(a, b, result):
    def read(text):
        if not isinstance(text, str):
            return text
        name, size = text.rstrip("]").split("[")
        return np.ones([int(size)] if size else [], name)

    assert dtypes.result_dtype(read(a), read(b)) == result
    assert dtypes.result_dtype(read(b), read(a)) == result


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("default", ["float32", "float64"])
def test_every_pair_meets_as_in_torch(oracle, default, default_dtype):
    torch = importlib.import_module(oracle)
    default_dtype(getattr(dtypes, default))
    torch.set_default_dtype(getattr(torch, default))

    def theirs(x):
        return x if type(x) in (bool, int, float) else torch.from_numpy(np.asarray(x))

    try:
        for a, b in itertools.product(operands(), repeat=2):
            expected = str(torch.result_type(theirs(a), theirs(b)))
            assert repr(dtypes.of(dtypes.result_dtype(a, b))) == expected, (a, b)
    finally:
        torch.set_default_dtype(torch.float32)


def test_of_three_operands_a_type_keeps_the_say_it_came_with():
    whole, scalar, rows = np.ones(2, np.int32), np.float64(1), np.ones(2, np.float32)

    met = {dtypes.result_dtype(*order) for order in itertools.permutations([whole, scalar, rows])}

    assert met == {np.dtype("float32")}  # torch.clamp(whole, scalar, rows).dtype


def test_promote_casts_both_operands():
    for a, b in itertools.product(operands(), repeat=2):
        left, right = dtypes.promote(a, b)

        assert left.dtype == right.dtype == dtypes.result_dtype(a, b)
        assert np.shape(left) == np.shape(a)


def test_promote_returns_what_already_fits():
    a, b = np.ones(2, np.float32), np.ones((), np.float32)

    assert dtypes.promote(a, b)[0] is a
    assert dtypes.promote(a, b)[1] is b
    assert dtypes.promote(a, 2.5)[0] is a


@pytest.mark.parametrize("oracle", LIVE)
def test_halves_meet_wider_tensors_without_dimensions_as_in_torch(oracle):
    met = []
    for library in (importlib.import_module(oracle), mg):
        halves = library.tensor([0.1, 0.7], dtype=library.float16)
        wide = library.tensor(0.1)
        products = [halves * wide, wide * halves, halves[0] * wide, wide * halves[0], halves[0] / wide.double()]
        met.append([(str(x.dtype), x.tolist()) for x in products])

    assert met[0] == met[1]


def test_integers_wrap_like_torch():
    assert dtypes.promote(np.ones(1, np.uint8), -1)[1] == 255
    assert dtypes.promote(np.ones(1, np.uint8), 300)[1] == 44


def test_an_in_place_result_may_not_lose_its_category():
    dtypes.check_cast(np.dtype("float64"), np.dtype("float16"))

    with pytest.raises(RuntimeError) as caught:
        dtypes.check_cast(np.dtype("float32"), np.dtype("int64"))

    expected = "result type Float can't be cast to the desired output type Long"
    assert str(caught.value) == expected


@pytest.mark.parametrize("oracle", LIVE)
def test_can_cast_as_torch_can(oracle):
    torch = importlib.import_module(oracle)

    for a, b in itertools.product(dtypes.ALL, repeat=2):
        theirs = torch.can_cast(getattr(torch, a.name), getattr(torch, b.name))
        assert dtypes.can_cast(a, b) == theirs
        promoted = torch.promote_types(getattr(torch, a.name), getattr(torch, b.name))
        assert repr(dtypes.promote_types(a, b)) == str(promoted)


# ---- names and limits ----------------------------------------------------------------------


def test_a_dtype_is_named_like_in_torch():
    assert repr(dtypes.float32) == "torch.float32"
    assert dtypes.float is dtypes.float32
    assert dtypes.double is dtypes.float64
    assert dtypes.long is dtypes.int64
    assert dtypes.float32.tensor_type == "torch.FloatTensor"
    assert dtypes.int8.tensor_type == "torch.CharTensor"


@pytest.mark.parametrize("oracle", LIVE)
def test_every_dtype_says_what_torch_says(oracle):
    torch = importlib.import_module(oracle)

    for ours in dtypes.ALL:
        theirs = getattr(torch, ours.name)
        for claim in ("itemsize", "is_floating_point", "is_complex", "is_signed"):
            assert getattr(ours, claim) == getattr(theirs, claim)
        assert ours.tensor_type == torch.ones(1, dtype=theirs).type()
        limits = "finfo" if ours.is_floating_point else "iinfo"
        if ours is not dtypes.bool:
            assert_same_limits(getattr(dtypes, limits)(ours), getattr(torch, limits)(theirs))


def assert_same_limits(ours, theirs):
    assert repr(ours) == repr(theirs)
    for name, value in vars(ours).items():
        assert value == getattr(theirs, name)


def test_finfo_knows_the_limits():
    info = dtypes.finfo(dtypes.float32)

    assert (info.eps, info.bits, info.resolution) == (2.0**-23, 32, 1e-06)
    assert repr(dtypes.finfo()) == repr(info)
    assert dtypes.finfo() == info != dtypes.finfo(dtypes.float64)
    assert repr(dtypes.iinfo(dtypes.int16)) == "iinfo(min=-32768, max=32767, dtype=int16)"


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda: dtypes.finfo(dtypes.int32), "torch.finfo() requires a floating point input type"),
        (lambda: dtypes.iinfo(dtypes.float32), "torch.iinfo() requires an integer input type"),
        (lambda: dtypes.iinfo(dtypes.bool), "torch.bool is not supported by torch.iinfo"),
        (lambda: dtypes.iinfo(3), "iinfo(): argument 'type' (position 1) must be torch.dtype, not"),
        (lambda: dtypes.of(np.dtype("U2")), "can't convert np.ndarray of type numpy.str_. The"),
        (lambda: dtypes.as_numpy("float32"), "argument 'dtype' must be torch.dtype, not str"),
        (lambda: dtypes.set_default_dtype("f"), "invalid dtype object: only floating-point"),
        (lambda: dtypes.set_default_dtype(dtypes.int64), "only floating-point types are"),
    ],
)
def test_what_is_not_a_fitting_dtype_is_refused_in_the_words_of_torch(ask, error):
    with pytest.raises(TypeError) as caught:
        ask()

    assert str(caught.value).startswith(error)


def test_a_pickled_dtype_is_the_same_object():
    assert all(pickle.loads(pickle.dumps(d)) is d for d in dtypes.ALL)


def test_numpy_and_back():
    assert all(dtypes.of(d.np) is d for d in dtypes.ALL)
    assert dtypes.as_numpy(float) == np.float64
    assert dtypes.as_numpy(None) is None


# ---- devices and geometry ------------------------------------------------------------------


def test_devices_read_and_compare_like_in_torch():
    assert repr(backend.device("cpu")) == "device(type='cpu')"
    assert repr(backend.device("cuda:1")) == "device(type='cuda', index=1)"
    assert str(backend.device("cuda", 0)) == "cuda:0"
    assert backend.device("cuda") != backend.device("cuda:0")
    assert backend.device(backend.device("cpu")) == backend.CPU
    assert backend.CPU != "cpu"
    assert len({backend.device("cpu"), backend.CPU}) == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("",), "Device string must not be empty"),
        (("foo",), "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve,"),
        (("cuda:x",), "Invalid device string: 'cuda:x'"),
        (("cuda:0", 1), "type (string) must not include an index because index was passed"),
    ],
)
def test_a_wrong_device_is_refused_in_the_words_of_torch(arguments, error):
    with pytest.raises(RuntimeError) as caught:
        backend.device(*arguments)

    assert str(caught.value).startswith(error)


def test_without_cupy_the_error_of_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)

    with pytest.raises(AssertionError) as caught:
        backend.move(np.ones(2), "cuda")

    assert str(caught.value) == "Torch not compiled with CUDA enabled"
    assert caught.value.__notes__ == [say("array.no_cupy")]


def test_an_array_stays_where_it_is():
    array = np.ones(2)

    assert backend.move(array, "cpu") is array
    assert backend.move(array, None) is array
    assert backend.device_of(array) == backend.CPU
    assert backend.namespace(array) is backend.xp


@pytest.mark.parametrize("source", [np.ones(3, np.float32), [1.0, 2.0], np.ones(3), [np.float32(2)]])
def test_what_is_written_with_an_operator_writes_into_a_copied_array_directly(source, monkeypatch):
    t, slow = mg.tensor(source), []
    monkeypatch.setattr(inplace, "store", lambda *given, **options: slow.append(given))

    t -= mg.ones_like(t)

    assert t._data.base is None
    assert not slow, "a step of SGD by hand would take twice the time"


@pytest.mark.parametrize(("write", "directly"), [
    ("x.add_(y, alpha=-0.5)", True), ("x.data.sub_(y.data, alpha=0.1)", True), ("x.copy_(y)", True),
    ("x.mul_(2)", True), ("n.add_(1)", True), ("n.add_(0.5)", False), ("n.add_(n, alpha=0.5)", False),
    ("n.div_(2)", False), ("x.add_(y, alpha=True)", False), ("x.mul_(y, alpha=2.0)", False),
    ("byte.add_(300)", False), ("x.copy_(n)", False)])
def test_a_direct_write_does_what_the_ordinary_one_does(write, directly, monkeypatch):
    def outcome():
        t = {"x": mg.tensor([1.0, -2.0]), "y": mg.tensor([0.1, 3.0]), "n": mg.tensor([1, 2]),
             "byte": mg.tensor([250], dtype=mg.uint8)}
        try:
            eval(write, {}, t)
        except (TypeError, RuntimeError) as refused:
            return str(refused)
        return [(x.tolist(), x._version) for x in t.values()]

    slow, store = [], inplace.store
    monkeypatch.setattr(inplace, "store", lambda *given, **options: slow.append(store(*given, **options)))
    done = outcome()

    assert not (directly and slow)
    monkeypatch.setattr(inplace, "write_directly", lambda *given, **options: False)
    assert outcome() == done


@pytest.mark.parametrize("key", [
    "(i,)", "(slice(None), slice(None), i)", "(i, i % 5)", "(odd,)", "(i[:, None], i[:9] % 5)", "(i, slice(None), i)"])
def test_at_a_place_that_is_named_often_all_is_added(key):
    places, odd = np.random.default_rng(0).integers(-7, 7, 60), np.arange(35).reshape(7, 5) % 2 == 1
    key = eval(key, {"i": places, "odd": odd})
    fast, slow = np.zeros((2, 7, 5, 18), np.float32)
    value = np.random.default_rng(1).standard_normal(slow[key].shape).astype("float32")

    backend.add_at(fast, key, value)

    assert value.size > 256
    np.add.at(slow, key, value)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize(("made", "places", "torchs"), [
    ("mg.arange(-8., 8., .1)", [11, 80, 159], [-6.899999618530273, 4.440892098500626e-16, 7.899999618530273]),
    ("mg.arange(-1, 1, .1, dtype=mg.float64)", [6, 10], [-0.39999999999999997, 5.551115123125783e-17]),
    ("mg.linspace(-5, 1, 101, dtype=mg.float64)", [19, 29, 55], [-3.86, -3.2600000000000002, -1.7])])
def test_numbers_in_steps_are_rounded_as_torch_rounds_them(made, places, torchs):
    assert eval(made)[places].tolist() == torchs


def test_another_kind_of_device_is_refused():
    with pytest.raises(RuntimeError, match="MPS") as caught:
        backend.move(np.ones(2), "mps")

    assert caught.value.__notes__ == [say("array.unknown_device", type="mps")]


def test_a_view_is_measured_in_elements_of_its_storage():
    base = np.arange(24.0).reshape(2, 3, 4)
    view = base[1:, ::2].transpose(2, 0, 1)

    owner, offset, strides = backend.geometry(view)

    assert owner is backend.storage(base)
    assert (offset, strides) == (12, (1, 12, 8))
    assert np.array_equal(backend.as_strided(base, view.shape, strides, offset), view)
    assert np.shares_memory(backend.as_strided(view, (2,), (1,)), base)


@pytest.mark.parametrize(
    ("where", "error"),
    [
        (((2,), (1,), 5), "setStorage: sizes [2], strides [1], storage offset 5, and itemsize 8"),
        (((2,), (-1,), 2), "as_strided: Negative strides are not supported at the moment"),
        (((2,), (1, 2), 2), "mismatch in length of strides and shape"),
        (((2,), (1,), -2), "Tensor: invalid storage offset -2"),
    ],
)
def test_a_view_may_not_leave_the_storage(where, error):
    with pytest.raises(RuntimeError) as caught:
        backend.as_strided(np.ones(4), *where)

    assert str(caught.value).startswith(error)
