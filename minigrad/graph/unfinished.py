"""A program that stopped half-way: the call that failed, with what went into it, and the graph recorded till then.

All of it is read off the traceback, which Python keeps anyway: nothing is noted while a program runs. Works for
errors of minigrad and of torch.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..core.beside.lines import source_line
from .live import Reader, is_module, is_tensor
from .nesting import call_at
from .program import Context, expression, is_theirs, own_locals, source_of
from .refused import Refused, arguments
from .snapshot import AnyTensor, Edge, Graph, NodeRecord
from .tracebacks import places


@dataclass
class Failure:
    """The learner's call that failed: what is called, the tensors that went in, where it stands, what was said."""

    call: str
    inputs: list[AnyTensor]  # those that are known
    around: list[AnyTensor]  # what is drawn: these, or else what the function had in hand
    names: dict[str, AnyTensor]  # of the function it stands in
    line: tuple[int, str]
    text: str  # of the call
    error: BaseException

    def graph(self, reader: Reader) -> Graph:
        """What led to the inputs, read by `reader`, and behind it the call that failed, node `n0`."""
        graph = reader.graph()
        if self.call in ("backward", "grad"):  # it got to run: what is wrong stands in the graph itself
            return graph
        found = [graph.tensor(reader.ids[reader.slot(t)]) for t in self.inputs]
        edges = tuple(Edge(i, t.node, t.nr, t.id) for i, t in enumerate(found))
        said = str(self.error).partition("\n")[0].partition(". ")[0]
        node = NodeRecord("n0", type(self.error).__name__, edges=edges, op=self.call, formula=self.text,
                          line=self.line, seq=max((n.seq for n in graph.ops), default=0) + 1, error=said)
        return replace(graph, roots=(), nodes=(node, *graph.nodes))


def last_error() -> BaseException | None:
    """The exception that is being handled, or that nobody caught."""
    return sys.exc_info()[1] or getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def failure(error: BaseException | None) -> Failure | None:
    """The learner's call in which an error arose; None where no tensor had a part in it."""
    frames = [(place.tb_frame, place.tb_lasti) for place in places(error.__traceback__ if error else None)]
    if error is None or not (theirs := [i for i, (frame, _) in enumerate(frames) if is_theirs(frame.f_code)]):
        return None
    (frame, lasti), inner = frames[theirs[-1]], [frame for frame, _ in frames[theirs[-1] + 1:]]
    local = own_locals(frame)
    names = {name: value for name, value in local.items() if is_tensor(value) and name[0] != "_"}
    made = expression(frame.f_code, lasti)
    context = Context(source_of(frame.f_code), names={**frame.f_globals, **local})
    call, inputs = of_frames(inner, names) if inner else ("", [])
    if not inputs:  # what failed is no Python: its operands, where they are no calls themselves
        kind = type(getattr(made, "op", made)).__name__.lower()
        call = call or call_at(frame.f_code, lasti) or getattr(made, "attr", kind)
        inputs = [*tensors_in(each.value for each in Refused(error, made, context).operands)]
    around, line = inputs or [*names.values()], source_line(frame.f_code, lasti)[1:]
    text = context.source.text(made).partition("\n")[0] if made is not None else line[1]
    return Failure(call, inputs, around, names, line, text, error) if around else None


def of_frames(inner: list[Any], names: dict[str, AnyTensor]) -> tuple[str, list[AnyTensor]]:
    """Name and inputs of the function that the learner called, or of the module inside of it that failed."""
    for frame in reversed(inner):
        module: Any = own_locals(frame).get("self")
        if frame.f_code.co_name == "forward" and is_module(module):
            own = {name: p for name, p in module._parameters.items() if p is not None}
            names.update({name: p for name, p in own.items() if name not in names})
            return type(module).__name__, [*tensors_in(arguments(frame)), *own.values()]
    return inner[0].f_code.co_name.strip("_"), [*tensors_in(arguments(inner[0]))]


def tensors_in(values: Any) -> Iterator[AnyTensor]:
    """Tensors, and those in lists and tuples."""
    for value in values:
        yield from (one for one in (value if isinstance(value, list | tuple) else [value]) if is_tensor(one))
