"""The ledger of cuts: where the learner's code made of a tracked tensor something without history.

One entry for each place in the code and each kind of cut, with its count, who called, and what was cut last.
Nothing in it holds a tensor, and no recorded operation comes here: only what cuts does. What the package cuts for
itself, as optimizers do, is left out.
"""

from types import CodeType, FrameType
from typing import Any
from weakref import ref

from ..graph import TensorBase, node_of
from .lines import PACKAGE_FILES, _frame, learners_frame

KEPT, CALLERS = 256, 8


class Place:
    """An instruction of the learner's that cut, in one way: `kind` is what they wrote, as `detach()`."""

    __slots__ = ("callers", "code", "count", "kind", "lasti", "origin", "result", "seq")
    callers: tuple[tuple[CodeType, int], ...]
    origin: Any  # weak: the node, or the leaf, whose value was cut off last
    result: Any  # weak: the tensor that came of it
    seq: int | None  # the number of that node; None for a leaf

    def __init__(self, kind: str, code: CodeType, lasti: int) -> None:
        self.kind, self.code, self.lasti, self.count, self.seq, self.callers = kind, code, lasti, 0, None, ()
        self.origin = self.result = lambda: None


places: dict[tuple[str, int, int], Place] = {}


def cut(kind: str, source: Any = None, result: Any = None, climb: bool = False) -> Any:
    """Note that `source` was cut off, if it is tracked, by a caller of the caller that is the learner's; returns
    `result`. With `climb` what of ours lies between does not matter; else it does: then it was not the learner."""
    fn = None if source is None else source._fn
    if source is not None and fn is None and not source._requires_grad:
        return result
    f: Any = _frame(2)
    code = f.f_code
    if climb or code.co_name == "function":  # ours, between a method and who wrote `torch.detach(x)`
        f = learners_frame() if climb else f.f_back
        code = f and f.f_code
    # the code of a place that is noted stays alive
    place = code and (places.get((kind, id(code), f.f_lasti)) or new_place(kind, code, f.f_lasti))
    if place is None:
        return result
    place.count += 1
    if place.count <= CALLERS and code.co_name != "<module>":  # later calls come from the same lines, mostly
        place.callers = callers(f)
    if source is not None:
        node = None if fn is None else node_of(fn)
        place.seq, place.origin = (None, ref(source)) if node is None else (node.seq, ref(node))
    if result is not None and isinstance(result, TensorBase):
        place.result = ref(result)
    return result


def new_place(kind: str, code: CodeType, lasti: int) -> Place | None:
    """Make room for a place of the learner's; None for one of ours."""
    if code.co_filename in PACKAGE_FILES:
        return None
    if len(places) >= KEPT:
        places.pop(next(iter([*places])), None)  # the oldest; another thread may have been here before
    return places.setdefault((kind, id(code), lasti), Place(kind, code, lasti))


def callers(f: FrameType) -> tuple[tuple[CodeType, int], ...]:
    """Code and instruction of the calls that led to frame `f`, the nearest first, as far as they are the learner's."""
    found: list[tuple[CodeType, int]] = []
    above = f.f_back
    while above is not None and len(found) < CALLERS:
        code = above.f_code
        if code.co_filename not in PACKAGE_FILES:
            found.append((code, above.f_lasti))
        above = None if code.co_name == "<module>" else above.f_back
    return tuple(found)
