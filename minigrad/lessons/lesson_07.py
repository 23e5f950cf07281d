"""Lesson 7, "What must stay?": a bill whose backward fails, because a line rewrites what another one had noted."""

from collections.abc import Sequence
from typing import Any

from ..array.backend import storage
from ..core.beside.observers import observing
from .exercise import Exercise, Trial, constant, differs, programs, whenever, written

MOST = 3  # buffers: the program as it stands makes two


def watch(names: dict[str, Any]) -> dict[str, Any]:
    """Keep what is recorded from now on: the buffers are counted when the bill is made."""
    results: list[Any] = []
    # ends with the attempt's context
    observing(lambda node, output: results.append(output) if len(results) < 100 else None).__enter__()
    return {"results": results}


def buffers(trial: Trial) -> int:
    """How many storages the recorded results have, single numbers aside."""
    made = (t for output in trial.facts["results"] for t in (output if isinstance(output, tuple) else (output,)))
    trial.facts["buffers"] = len({id(storage(t._data)) for t in made if t.dim()})
    return trial.facts["buffers"]


def nothing_to_send(trials: Sequence[Trial]) -> Trial | None:
    """A result without a record: the case's own line can not go backward from it."""
    return next((t for t in trials if not t.outcome.line and "does not require grad" in t.outcome.error), None)


EXERCISE = Exercise("07", written("07"), programs("bill", watch), signs={
    "calls_backward": lambda trials: next((t for t in trials if len(t.outcome.calls) > 1), None),
    "constant": constant, "edits_input": differs("w.data"), "other_value": differs("total"),
    "cut_to_silence": lambda trials: nothing_to_send(trials) or differs("w.grad")(trials),
}, economy={"clone_all": whenever(lambda t: buffers(t) > MOST)})
