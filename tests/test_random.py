"""The random stream is torch's: recorded everywhere, live where torch is."""

import importlib.util

import numpy as np
import pytest

import minigrad as mg
from minigrad.array import random
from tests.oracle import arrays

RECORDED = arrays.recorded("random.json")
LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def assert_drawn(call: tuple, expected: list) -> None:
    drawn, allowance = arrays.drawn_by_minigrad(*call), arrays.allowance(*call[:3])

    assert drawn.shape == np.shape(expected)
    np.testing.assert_allclose(drawn, expected, rtol=allowance, atol=allowance, err_msg=str(call))


@pytest.mark.parametrize("seed", RECORDED)
def test_a_program_draws_the_recorded_numbers(seed):
    start, *calls = arrays.program(int(seed))
    arrays.drawn_by_minigrad(*start)

    for call, expected in zip(calls, RECORDED[seed], strict=True):
        assert_drawn(call, expected)


@pytest.mark.parametrize("oracle", LIVE)
def test_programs_draw_the_numbers_of_torch(oracle):
    torch = importlib.import_module(oracle)

    for seed in range(100, 300):
        for call in arrays.program(seed):
            if call[0] not in arrays.ONLY_RECORDED:
                assert_drawn(call, arrays.drawn_by_torch(torch, *call).tolist())


@pytest.mark.parametrize("oracle", LIVE)
def test_a_state_of_torch_continues_here(oracle):
    torch = importlib.import_module(oracle)
    torch.manual_seed(3)
    torch.randn(3)  # leaves the second of a pair behind

    ours = random.Generator().set_state(torch.get_rng_state().numpy())

    assert np.array_equal(ours.get_state(), torch.get_rng_state().numpy())
    assert random.normal((5,), generator=ours).tolist() == torch.randn(5).tolist()


@pytest.mark.parametrize(
    ("seed", "first"),
    [
        (3960558979, [-1.2134368419647217, -0.05112304165959358]),
        (1124283013989400, [-0.5107271671295166, 2.6463773250579834]),
        (3632212820, [0.927136242389679, -1.8332397937774658]),
    ],
)
def test_the_tutorials_draw_what_they_recorded(seed, first):
    random.manual_seed(seed)

    assert random.normal((2,)).tolist() == first


@pytest.mark.parametrize("n", range(1, 41))
def test_a_state_brings_the_stream_back(n):
    generator = random.Generator().manual_seed(n)
    random.normal((n,), generator=generator)
    state = generator.get_state()

    first, second = (random.normal((7,), generator=generator.set_state(state)) for _ in "ab")

    assert first.tolist() == second.tolist()


def test_the_second_normal_of_a_pair_waits_for_the_next_call():
    apart, together = random.Generator().manual_seed(1), random.Generator().manual_seed(1)

    one_by_one = [random.normal((1,), generator=apart).item() for _ in range(6)]

    assert one_by_one == random.normal((6,), generator=together).tolist()


def test_seeding_forgets_the_waiting_normal():
    generator = random.Generator().manual_seed(1)
    first = random.normal((1,), generator=generator)
    generator.manual_seed(1)

    assert random.normal((1,), generator=generator) == first


def test_seeds_wrap_like_torch():
    assert random.Generator().initial_seed() == 67280421310721
    assert random.Generator().manual_seed(-1).initial_seed() == 2**64 - 1
    with pytest.raises(ValueError, match=r"^Overflow when unpacking long long$"):
        random.manual_seed(2**64)
    with pytest.raises(RuntimeError, match=r"^manual_seed expected a long, but got str$"):
        random.Generator().manual_seed("1")


def test_entropy_can_be_chosen_once():
    generator = random.Generator()
    random.set_entropy(1124283013989400)

    assert generator.seed() == 1124283013989400
    assert generator.seed() != 1124283013989400


def test_seeding_by_chance_leaves_the_random_numbers_of_numpy_alone():
    np.random.seed(0)
    expected = np.random.random()
    np.random.seed(0)

    random.Generator().seed()

    assert np.random.random() == expected


@pytest.mark.parametrize(
    ("state", "error"),
    [
        (np.zeros(3), "RNG state must be a torch.ByteTensor"),
        (np.zeros(3, np.uint8), "Expected a CPUGeneratorImplState of size 5056 but found"),
    ],
)
def test_a_wrong_state_is_refused(state, error):
    with pytest.raises((TypeError, RuntimeError), match=error):
        random.Generator().set_state(state)


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("again", [False, True])
def test_halves_are_drawn_from_as_torch_draws_and_lie_in_order(oracle, again):
    drawn = []
    for library in (importlib.import_module(oracle), mg):
        library.manual_seed(0)
        indices = library.multinomial(library.rand(20, 10).to(library.float16), 5, again)
        drawn.append((indices.tolist(), indices.stride()))

    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (lambda: random.integers((1,), high=0), "random_ expects 'from' to be less than 'to'"),
        (lambda: random.bernoulli(1.5, (1,)), "bernoulli_ expects p to be in"),
        (lambda: random.bernoulli(np.array([1.5])), "Expected p_in >= 0 && p_in <= 1"),
        (lambda: random.multinomial(np.ones(3), 4), "cannot sample n_sample > prob_dist.size"),
        (lambda: random.multinomial(np.ones(3), 0), "cannot sample n_sample <= 0 samples"),
        (lambda: random.multinomial(np.array([-1.0, 2]), 1), "probability tensor contains"),
        (lambda: random.multinomial(np.zeros(3), 1), "invalid multinomial distribution"),
        (lambda: random.permutation(257, dtype=np.uint8), "value cannot be converted to type uint8_t without overflow"),
        (lambda: random.permutation(2, dtype=np.bool_), "\"randperm\" not implemented for 'Bool'"),
    ],
)
def test_impossible_distributions_are_refused(draw, error):
    with pytest.raises(RuntimeError, match=error):
        draw()


@pytest.mark.parametrize("count", [1, 2])
def test_what_is_drawn_by_weight_lies_in_order(count):
    assert mg.multinomial(mg.ones(3, 4), count).stride() == (count, 1)
