"""torch.utils.data: a data set, its order, and batches of it; shuffled in torch's own order.

Every draw from the generator is one that torch makes too, so that all that follows agrees.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate, islice
from types import GenericAlias
from typing import Any

from .._tensor import Tensor
from ..array import dtypes, random, xp
from ..creation import as_tensor, tensor
from ..ops.table.shape import stack
from ..text import presentation, say
from ..text.presentation import need, require


class Dataset:
    """Something with `__len__` and `__getitem__`. Source: torch.utils.data.Dataset."""

    __class_getitem__: Any = classmethod(GenericAlias)  # a type checker's `Dataset[int]`

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Rows of tensors of equal length: item `i` is the tuple of their rows `i`."""

    def __init__(self, *tensors: Tensor) -> None:
        assert all(tensors[0].size(0) == t.size(0) for t in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple([t[index] for t in self.tensors])

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
    """The data set in random parts of the given lengths, which may be fractions of 1.

    Raises: ValueError if the lengths do not add up to the length of the data set, or a fraction is none.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:  # what is left over goes to the first parts
        for i, part in enumerate(lengths):
            require(0 <= part <= 1, f"Fraction at index {i} is not between 0 and 1", ValueError)
        whole = [math.floor(len(dataset) * part) for part in lengths]
        lengths = [n + (i < len(dataset) - sum(whole)) for i, n in enumerate(whole)]
        for i in (i for i, n in enumerate(lengths) if not n):
            warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2)
    need(sum(lengths) == len(dataset), "random_split_sum")
    order = random.permutation(len(dataset), generator).tolist()
    return [Subset(dataset, order[end - n : end]) for n, end in zip(lengths, accumulate(lengths), strict=True)]


_COLLATED = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "


def default_collate(batch: Any) -> Any:
    """Items put together: tensors stacked, numbers into a tensor, tuples and dicts part by part."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch)
    if isinstance(first, xp.ndarray):
        require(first.dtype.kind not in "USO", f"{_COLLATED}{first.dtype}", TypeError)
        return stack([as_tensor(item) for item in batch])
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, int | float | xp.generic):
        return tensor(batch, dtype=dtypes.float64 if isinstance(first, float) else None)
    if isinstance(first, Mapping):
        return type(first)((key, default_collate([item[key] for item in batch])) for key in first)
    if isinstance(first, tuple | list):
        require(len({*map(len, batch)}) == 1, "each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(f"{_COLLATED}{type(first)}")


def default_convert(item: Any) -> Any:
    """One item as it is, with tensors for NumPy's arrays and numbers."""
    if isinstance(item, xp.ndarray | xp.generic) and item.dtype.kind not in "USO":
        return as_tensor(xp.asarray(item))
    if isinstance(item, Mapping):
        return type(item)((key, default_convert(value)) for key, value in item.items())
    if isinstance(item, tuple | list):
        parts = [default_convert(part) for part in item]
        return type(item)(*parts) if hasattr(item, "_fields") else parts
    return item


class Sampler:
    """The numbers of items, as a DataLoader takes them. Source: torch.utils.data.Sampler."""

    __class_getitem__: Any = classmethod(GenericAlias)


class SequentialSampler(Sampler):
    """All numbers, from the first to the last."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """`num_samples` numbers in random order, as many as there are items unless it is given.

    Each comes again only when all have come, or with `replacement` at any time.
    """

    def __init__(self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
                 generator: Any = None) -> None:
        self.data_source, self.generator = data_source, generator
        need(isinstance(replacement, bool), "sampler_replacement", replacement)
        self.replacement, self._num_samples = replacement, num_samples
        n = self.num_samples
        need(isinstance(n, int) and n > 0, "sampler_count", n)

    def __len__(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    num_samples: Any = property(__len__, doc="How many numbers it gives.")

    def __iter__(self) -> Iterator[int]:
        generator, n = self.generator or random.Generator().manual_seed(_seed(None)), len(self.data_source)
        size = 32 if self.replacement else n  # torch draws so many at a time, and again for a rest of none
        for start in range(0, len(self) + 1, size):
            rest = min(size, len(self) - start)
            drawn = (random.integers((rest,), xp.int64, 0, n, generator) if self.replacement else
                     random.permutation(n, generator)[:rest])
            yield from drawn.tolist()


class SubsetRandomSampler(Sampler):
    """The given numbers in random order."""

    def __init__(self, indices: Any, generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        yield from [self.indices[i] for i in random.permutation(len(self), self.generator).tolist()]

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler):
    """The numbers of a sampler in lists of `batch_size`; `drop_last` leaves out a shorter one."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        need(type(batch_size) is int and batch_size > 0, "batch_size", batch_size)
        need(isinstance(drop_last, bool), "drop_last", drop_last)
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        order = iter(self.sampler)
        while batch := list(islice(order, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


class DataLoader:
    """Batches of a data set, in order, shuffled, or as a sampler says.

    With `batch_size=None` the items come one by one, as they are. It draws from the generator as torch's does.
    Options about speed (`num_workers`, ...) have no effect. Raises: ValueError in torch's words.
    """

    def __init__(self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
                 batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable | None = None,
                 pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None,
                 multiprocessing_context: Any = None, generator: Any = None, *, prefetch_factor: int | None = None,
                 persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True) -> None:
        mistakes = {"workers": num_workers < 0, "timeout": timeout < 0, "prefetch": not num_workers and prefetch_factor
                    is not None, "prefetch_sign": num_workers and (prefetch_factor or 0) < 0, "persistent":
                    persistent_workers and not num_workers, "sampler": sampler is not None and shuffle, "batch_sampler":
                    batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last),
                    "single": batch_size is None and drop_last, "context": multiprocessing_context and not num_workers}
        for mistake, found in mistakes.items():
            need(not found, f"loader_{mistake}")
        if num_workers and "workers" not in presentation.warned:
            presentation.warned.add("workers")
            warnings.warn(say("data.workers"), UserWarning, stacklevel=2)
        if sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.sampler, self.batch_size, self.drop_last = dataset, sampler, batch_size, drop_last
        self.batch_sampler, self.generator, self.num_workers = batch_sampler, generator, num_workers
        self._index_sampler = sampler if batch_sampler is None else batch_sampler
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)

    def __setattr__(self, name: str, value: Any) -> None:
        fixed = name in "dataset batch_size sampler batch_sampler drop_last".split() and "collate_fn" in vars(self)
        require(not fixed, f"{name} attribute should not be set after {type(self).__name__} is initialized", ValueError)
        super().__setattr__(name, value)

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __iter__(self) -> Iterator[Any]:
        _seed(self.generator)  # torch draws one for its worker processes, whether there are any or not
        return _SingleProcessDataLoaderIter(self._fetch, self._index_sampler)

    def _fetch(self, at: Any) -> Any:
        if (type(at) is list and {*map(type, at)} == {int} and self.collate_fn is default_collate
                and type(self.dataset) is TensorDataset and not any(t.requires_grad for t in self.dataset.tensors)):
            return [t[at] for t in self.dataset.tensors]  # all rows at once; tracked ones are stacked, as in torch
        several = getattr(self.dataset, "__getitems__", None) or (lambda at: [self.dataset[i] for i in at])
        return self.collate_fn(self.dataset[at] if self.batch_sampler is None else several(at))


class _SingleProcessDataLoaderIter(map):
    """One walk through a DataLoader, under the name that torch's errors call it."""


def _seed(generator: Any) -> int:
    """A fresh seed from the stream: 63 bits, as `random_()` of an int64 tensor draws them."""
    return int((generator or random.default_generator).long_words(1)[0]) % 2**63
