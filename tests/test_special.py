"""erf, gamma and their kin against torch, in units of the last place: everywhere, not at a few points."""

import numpy as np
import pytest

import minigrad

torch = pytest.importorskip("torch")

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, np.inf, -np.inf, np.nan]
RANGES = {"erf": (-7, 7), "erfc": (-8, 28), "erfinv": (-1, 1), "lgamma": (-2, 200), "digamma": (0, 200)}


def points(kind, low, high):
    """Numbers of all sizes between two, those without all their digits among them."""
    rng, info = np.random.default_rng(0), np.finfo(kind)
    sizes = np.exp2(rng.uniform(np.log2(float(info.smallest_subnormal)), np.log2(high), 20_000))
    signed = sizes * rng.choice([-1, 1], sizes.size)
    found = np.concatenate([rng.uniform(low, high, 20_000), signed[(signed >= low) & (signed <= high)],
                            [float(info.tiny), float(info.smallest_subnormal), float(info.max)], EDGES])
    return found.astype(kind)


def last_places(a, b):
    """How many representable numbers lie between two; NaN and NaN are one, 0.0 and -0.0 are not."""
    whole = np.dtype(f"i{a.itemsize}")
    a, b = (np.where(np.isnan(x), np.nan, x).view(whole) for x in (a, b))
    a, b = (np.where(x < 0, np.iinfo(whole).min - x - 1, x) for x in (a, b))
    return np.where((a < 0) == (b < 0), np.abs(a - b), np.iinfo(whole).max)


def both(name, x):
    return (getattr(minigrad, name)(minigrad.tensor(x)).numpy(),
            getattr(torch, name)(torch.from_numpy(x)).numpy())


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv", "lgamma"])
def test_it_is_torchs_to_four_units_in_the_last_place(name, kind):
    ours, theirs = both(name, points(kind, *RANGES[name]))

    assert last_places(ours, theirs).max() <= 4


def test_digamma_is_exact_in_single_precision_and_near_torchs_in_double():
    x = points(np.float32, *RANGES["digamma"])
    ours, _ = both("digamma", x)
    exact = torch.digamma(torch.from_numpy(x).double()).float().numpy()  # in single torch loses most digits at the root

    assert last_places(ours, exact).max() <= 1
    np.testing.assert_allclose(*both("digamma", points(np.float64, *RANGES["digamma"])), rtol=2e-15, atol=2e-15)


@pytest.mark.parametrize("name", ["lgamma", "digamma"])
def test_it_has_torchs_poles_and_reflections(name):
    x = np.array([-1.0, -2.0, -0.25, -1.5, -30.125, -1e15, -5e-324, 1e306])

    np.testing.assert_allclose(*both(name, x), rtol=1e-14)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_a_few_numbers_are_what_many_are(name, kind):
    """Of few numbers, and of one, Python's own function is asked."""
    many, f = np.linspace(-3, 3, 300).astype(kind), getattr(minigrad, name)
    expected = f(minigrad.tensor(many)).numpy()[60:90]
    few = f(minigrad.tensor(many[60:90])).numpy()
    alone = np.array([f(minigrad.tensor(x)).numpy() for x in many[60:90]])

    assert few.dtype == alone.dtype == kind
    np.testing.assert_array_equal(few, alone)
    np.testing.assert_allclose(few, expected, rtol=8 * float(np.finfo(kind).eps))
