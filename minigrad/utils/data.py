"""torch.utils.data: a data set, its order, and batches of it; shuffled in torch's own order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import accumulate, islice
from typing import Any

from .._tensor import Tensor
from ..array import random
from ..array.backend import ndarray, xp
from ..array.dtypes import float64
from ..creation import as_tensor, tensor
from ..ops.checks import require
from ..ops.shape import stack

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]


class Dataset:
    """Something with `__len__` and `__getitem__`. Source: torch.utils.data.Dataset."""

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Rows of tensors of equal length: item `i` is the tuple of their rows `i`."""

    def __init__(self, *tensors: Tensor) -> None:
        assert all(tensors[0].shape[0] == t.shape[0] for t in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


class Subset(Dataset):
    """The items of a data set at given indices."""

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Any, generator: Any = None) -> list[Subset]:
    """The data set in random parts of the given lengths, or fractions that add up to 1.

    Raises: ValueError if the lengths do not add up to the length of the data set.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        parts = [math.floor(len(dataset) * part) for part in lengths]
        left = len(dataset) - sum(parts)
        lengths = [n + (left - i - 1) // len(parts) + 1 for i, n in enumerate(parts)]  # one more for the first ones
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = random.permutation(len(dataset), generator).tolist()
    return [Subset(dataset, order[end - n : end]) for n, end in zip(lengths, accumulate(lengths), strict=True)]


def default_collate(batch: Any) -> Any:
    """Items put together: tensors stacked, numbers into a tensor, tuples and dicts part by part."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch)
    if isinstance(first, ndarray | xp.number):
        return as_tensor(xp.stack(batch))
    if isinstance(first, bool | int | float):
        return tensor(batch, dtype=float64 if isinstance(first, float) else None)
    if isinstance(first, dict):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if isinstance(first, tuple | list):
        require(all(len(item) == len(first) for item in batch), "each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    return batch


class DataLoader:
    """Batches of a data set, in order or shuffled; draws from the generator as torch's does.

    What is said about workers and pinned memory has no effect.
    """

    def __init__(self, dataset: Any, batch_size: int = 1, shuffle: bool | None = None, sampler: Any = None,
                 batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable | None = None,
                 pin_memory: bool = False, drop_last: bool = False, *, generator: Any = None,
                 **of_workers: Any) -> None:  # fmt: skip
        require(sampler is None or not shuffle, "sampler option is mutually exclusive with shuffle", ValueError)
        require(isinstance(batch_size, int) and batch_size > 0,
                f"batch_size should be a positive integer value, but got batch_size={batch_size}", ValueError)
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.sampler, self.batch_sampler, self.num_workers = sampler, batch_sampler, num_workers
        self.collate_fn, self.generator = collate_fn or default_collate, generator

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        whole, rest = divmod(len(self.dataset if self.sampler is None else self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        _seed(self.generator)  # torch draws one for its worker processes, whether there are any or not
        for batch in self._batches() if self.batch_sampler is None else self.batch_sampler:
            yield self.collate_fn([self.dataset[i] for i in batch])

    def _batches(self) -> Iterator[list[int]]:
        order = self._order()
        while batch := list(islice(order, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def _order(self) -> Iterator[int]:
        count = len(self.dataset)
        if not self.shuffle:
            yield from range(count) if self.sampler is None else self.sampler
            return
        generator = self.generator or random.Generator().manual_seed(_seed(None))
        yield from random.permutation(count, generator).tolist()
        random.permutation(count, generator)  # torch draws another order at the end, and needs nothing of it


def _seed(generator: Any) -> int:
    """A fresh seed from the stream: 63 bits, as `random_()` of an int64 tensor draws them."""
    return int((generator or random.default_generator).long_words(1)[0]) % 2**63
