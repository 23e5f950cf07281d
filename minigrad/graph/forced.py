"""What becomes of a backward in which one node runs before all of its gradients have come.

Each such run is recorded from the engine itself, as a preview: what comes too late is not delivered, all else
is as ever, so that hooks have their say too.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from ..core.beside.attended import AttendedTask
from .recorder import Frame, Recorder
from .snapshot import AnyTensor, Graph, within

MOST_SENDERS, MOST_STEPS = 4, 20_000  # into one node, and in all runs together


class EarlyTask(AttendedTask):
    """A run in which the gradients of some nodes to one are not delivered."""

    early: str = ""  # the node that does not wait
    late: frozenset[str] = frozenset()  # who sends too late

    def send(self, node: Any, slot: int, grad: Any) -> None:
        watch = self.watch
        if grad is not None and watch.node in self.late and watch.graph.node(watch.node).edges[slot].node == self.early:
            watch.arrive(slot, self.early)  # nothing, so that it is counted
        else:
            super().send(node, slot, grad)


class EarlyRecorder(Recorder):
    """Records such a run."""

    task_class = EarlyTask
    task: EarlyTask


def forced_runs(root: AnyTensor, gradient: AnyTensor | None = None, **options: Any) -> dict[str, tuple[Frame, ...]]:
    """The frames of each run with a node that is not ready, by `node|senders that had come`, of this node and of
    all behind it. Nothing is changed; hooks run on copies, once for each of these runs.

    Left out: nodes with more than four senders, and whatever goes beyond 20 000 steps in all.
    """
    found: dict[str, tuple[Frame, ...]] = {}
    taken, graph = 0, Recorder(root, gradient, True, **options).graph
    for early, came, late in too_early(graph):
        taken += len(graph.nodes)
        if taken > MOST_STEPS:
            break
        recorder = EarlyRecorder(root, gradient, True, **options)
        recorder.task.early, recorder.task.late, behind = early, late, within(graph, [early])
        recorder.names.changed |= behind  # what is missing there makes no derivative
        _, frames = recorder.recorded()
        found[f"{early}|{','.join(sorted(came))}"] = tuple(f for f in frames if f.node in behind)
    return found


def too_early(graph: Graph) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Each interior node with the senders that may have come, some but not all, and with the others."""
    for node in graph.ops:
        senders = sorted(set(graph.consumers[node.id]))
        if not 2 <= len(senders) <= MOST_SENDERS:
            continue
        before = {s: {other for other in senders if other != s and s in within(graph, [other])} for s in senders}
        for n in range(1, len(senders)):
            for came in map(frozenset, combinations(senders, n)):
                if all(before[s] <= came for s in came):  # who sends to a sender has run
                    yield node.id, came, frozenset(senders) - came
