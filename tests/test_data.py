"""Batches come in torch's order, and take as much from the random stream as torch's."""

import importlib
import importlib.util

import pytest

import minigrad
from minigrad.utils.data import DataLoader, TensorDataset, random_split

LIVE = ["torch"] if importlib.util.find_spec("torch") else []


def batches(torch, data, seed=None, **options):
    torch.manual_seed(5)
    if seed is not None:
        options["generator"] = torch.Generator().manual_seed(seed)
    x = torch.arange(10.0).reshape(10, 1)
    loader = data.DataLoader(data.TensorDataset(x, x[:, 0] * 2), batch_size=4, **options)
    seen = [[part.tolist() for part in batch] for _ in range(2) for batch in loader]
    return len(loader), seen, torch.rand(1).item()


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"shuffle": True, "drop_last": True},
                                     {"shuffle": True, "seed": 3}], ids=str)
def test_the_batches_are_torchs(oracle, options):
    torch, data = importlib.import_module(oracle), importlib.import_module(f"{oracle}.utils.data")

    assert batches(minigrad, minigrad.utils.data, **options) == batches(torch, data, **options)


def test_every_item_comes_once():
    loader = DataLoader(TensorDataset(minigrad.arange(7)), batch_size=3, shuffle=True)

    assert sorted(i for (batch,) in loader for i in batch.tolist()) == list(range(7))


def test_numbers_and_dicts_are_put_together():
    (batch,) = DataLoader([{"x": 1.0, "y": 2}, {"x": 3.0, "y": 4}], batch_size=2)

    assert batch["x"].tolist() == [1.0, 3.0]
    assert batch["y"].dtype is minigrad.int64


def test_a_split_has_every_item_once_or_says_what_is_wrong():
    parts = random_split(list(range(5)), [2, 3])

    assert sorted(part[i] for part in parts for i in range(len(part))) == list(range(5))
    with pytest.raises(ValueError, match="Sum of input lengths"):
        random_split([1, 2, 3], [2])
    with pytest.raises(ValueError, match="Sum of input lengths"):
        random_split(range(10), [0.4, 0.2, 0.4000000000000002])  # a little more than 1, as torch has it
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        random_split([1, 2, 3], [-0.5, 1.5])


class Squares(minigrad.utils.data.Dataset[int]):
    def __len__(self):
        return 4

    def __getitems__(self, numbers):
        return [n * n for n in numbers]


def test_a_data_set_may_give_a_whole_batch_at_once():
    assert [batch.tolist() for batch in DataLoader(Squares(), batch_size=3)] == [[0, 1, 4], [9]]


class OneByOne(TensorDataset):
    """Its items are taken one after the other and stacked."""


@pytest.mark.parametrize("numbers", [[[0, -1], [6]], [[3] * 40], [[2, 7]], [[True, False]]], ids=str)
@pytest.mark.parametrize("tracked", [False, True])
def test_rows_that_are_taken_at_once_are_the_items_stacked(numbers, tracked):
    parts = (minigrad.rand(3, 7).t(), minigrad.arange(7), minigrad.rand(7, 2, 2, dtype=minigrad.float64) > 0.5,
             minigrad.rand(7, requires_grad=tracked))

    def seen(dataset):
        try:
            return [[(type(part), part.dtype, part.stride(), part.tolist(), part.grad_fn and part.grad_fn.name())
                     for part in batch] for batch in DataLoader(dataset, batch_sampler=numbers)]
        except (IndexError, RuntimeError) as refused:
            return str(refused)

    assert seen(TensorDataset(*parts)) == seen(OneByOne(*parts))


def test_a_loader_says_that_it_is_too_late_for_another_batch_size():
    loader = DataLoader([1, 2, 3], batch_size=2)

    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is initialized"):
        loader.batch_size = 3


def test_a_sampler_of_ones_own_needs_no_length():
    class Odd(minigrad.utils.data.Sampler):
        def __iter__(self):
            return iter([1, 3])

    assert list(Odd()) == [1, 3]
    assert [batch.item() for batch in DataLoader([5, 6, 7, 8], sampler=Odd())] == [6, 8]


def begun(torch, data):
    """What is drawn once a loader is asked for its iterator, before and after the first batch; what the error says."""
    torch.manual_seed(5)
    walk = iter(data.DataLoader(data.TensorDataset(torch.arange(7.0)), batch_size=3, shuffle=True))
    drawn = [torch.rand(2), *next(walk), torch.rand(2), *next(walk)]
    with pytest.raises(AttributeError) as caught:
        walk.next()
    return [t.tolist() for t in drawn], iter(walk) is walk, len(list(walk)), str(caught.value)


@pytest.mark.parametrize("oracle", LIVE)
def test_an_iterator_draws_when_it_is_made_and_has_torchs_name(oracle):
    torch, data = importlib.import_module(oracle), importlib.import_module(f"{oracle}.utils.data")

    assert begun(minigrad, minigrad.utils.data) == begun(torch, data)


def refused(data):
    said = []
    for options in ({"multiprocessing_context": "fork"}, {"batch_size": "a"}, {"batch_size": None, "drop_last": True}):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 (compared below)
            data.DataLoader([1, 2], **options)
        said.append(str(caught.value))
    return said


@pytest.mark.parametrize("oracle", LIVE)
def test_a_loader_refuses_in_torchs_words(oracle):
    assert refused(minigrad.utils.data) == refused(importlib.import_module(f"{oracle}.utils.data"))
