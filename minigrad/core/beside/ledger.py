"""The ledger of cuts: where the learner's code made of a tracked tensor something without history.

One entry for each place in the code and each kind of cut, with its count, and what was cut last.
Nothing in it holds a tensor, and no recorded operation comes here: only what cuts does. What the package cuts for
itself, as optimizers do, is left out. Beside it the diary: what training did, in order.
"""

from collections import deque
from types import CodeType
from typing import Any
from weakref import ref

from ..graph import Freed, TensorBase, latest, node_of, seqs
from .lines import PACKAGE_FILES, _frame, learners_line

KEPT, MADE = 256, 16  # places; of each the latest cuts


class Place:
    """An instruction of the learner's that cut, in one way: `kind` is what they wrote, as `detach()`."""

    __slots__ = ("code", "count", "kind", "lasti", "made", "numbers", "origin", "result")
    origin: Any  # weak: the node, or the leaf, whose value was cut off last
    result: Any  # weak: the tensor that came of it

    def __init__(self, kind: str, code: CodeType, lasti: int) -> None:
        # `numbers`: how those of nodes stood at the last cut
        self.kind, self.code, self.lasti, self.count, self.numbers = kind, code, lasti, 0, repr(seqs)
        self.origin = self.result = lambda: None
        self.made: deque[Any] = deque(maxlen=MADE)  # the two of each of the latest cuts

    @property
    def seq(self) -> Any:
        """What is made after the last cut has a higher number; none is taken for it: PyTorch counts nodes alone."""
        return float(self.numbers[len("count("):-1]) - 1


places: dict[tuple[str, int, int], Place] = {}
# what was done, to whom (weak), a fact that tells more of it, the mark of the backward before it, and its line
diary: deque[tuple[str, Any, Any, Freed, tuple]] = deque(maxlen=KEPT)


def note(what: str, owner: Any, fact: Any = None) -> None:
    """Note that a line of the learner's did something to an optimizer, a module or a tensor."""
    diary.append((what, ref(owner), fact, latest.freed, learners_line(3)))


def cut(kind: str, source: Any = None, result: Any = None, climb: bool = False, code: Any = None) -> Any:
    """Note that `source` was cut off, if it is tracked, by a caller of the caller that is the learner's, or all over
    `code`; returns `result`. With `climb` what of ours lies between does not matter; else it does: then it was not the
    learner."""
    fn = None if source is None else source._fn
    if source is not None and fn is None and not source._requires_grad:
        return result
    f: Any = _frame(1).f_back  # None where a thread begins with one of ours
    while climb and f and f.f_code.co_filename in PACKAGE_FILES and f.f_code.co_qualname != "apply_of.<locals>.apply":
        f = f.f_back  # a derivative under `create_graph` compares tensors, too: that is ours
    if source is not None and not climb and f and f.f_code.co_qualname == "worded.<locals>.function":
        f = f.f_back  # ours, between a method and `torch.detach(x)`
    code, lasti = (code, 0) if code else (f.f_code, f.f_lasti) if f else (None, 0)
    place = places.get(key := (kind, id(code), lasti))
    if place is None:  # the code of a place that is noted stays alive
        if code is None or code.co_filename in PACKAGE_FILES:
            return result
        if len(places) >= KEPT:
            places.pop(next(iter([*places])), None)  # the oldest; another thread may have been here before
        place = places.setdefault(key, Place(kind, code, lasti))
    place.count += 1
    place.numbers = repr(seqs)
    if source is not None:  # not a block
        place.origin = ref(source if fn is None else node_of(fn))
        place.result = ref(result) if isinstance(result, TensorBase) else place.result
        place.made.append((place.origin, place.result))
    return result
