"""Speed, beside the core and removable whole: nobody imports this room but the package, in one line.

`calls` has the commonest operations written out, `derivatives` the busiest derivatives on arrays, `walk` a
short way through graphs beside which nothing stands, `folded` chains of nodes that are made when somebody
looks. Each part is held to its original by a test; without the folder every row runs its own formula,
every call is `core.record`'s and every backward is `engine.steps`. `slow()` leaves it out for a while.
"""

from collections.abc import Callable

from ..core import backward, modes, op
from ..core.record import call_of_tensors, call_of_two
from ..core.row import TABLE, Row
from . import calls, folded
from .derivatives import DERIVATIVES
from .walk import derivatives, walk

ROWS = {"mm": calls.matrices, "addmm": calls.linear_layer}
COMPOSITES = {"matmul": lambda ordinary: calls.matrices(TABLE["mm"], folded.batches(ordinary), "other"),
              "cross_entropy": folded.cross_entropy}
EASILY_SAVED = {"self", "result", "self_sym_sizes", "self_sym_numel"}


def quicker(name: str, ordinary: Callable, row: Row | None = None, kind: Callable | None = None) -> Callable:
    """The call that is published for a row of that kind, or for a composite: a quicker one, if there is one."""
    if row is None:
        return COMPOSITES[name](ordinary) if name in COMPOSITES else ordinary
    if name in DERIVATIVES:
        derivatives[row.node] = DERIVATIVES[name]
    if name in ROWS:
        return ROWS[name](row, ordinary)
    if kind is call_of_two:
        return ordinary if "result" in row.saved else calls.two_tensors(row, ordinary)
    one = kind is call_of_tensors and row.derivatives and row.tensors == ("self",) == row.inputs[:1]
    if not one or row.outputs or row.multi or row.elementwise:
        return ordinary
    alone = len(row.inputs) == 1 and EASILY_SAVED.issuperset(row.saved)
    return (calls.one_tensor if alone else calls.one_tensor_and_options)(row, ordinary)


def leave_out(out: bool) -> None:
    """Let the ordinary calls and the engine answer, or no more."""
    for module in (calls, folded):
        module.grad_mode = (lambda: None) if out else modes.grad_mode
    backward.shortcut = None if out else walk


op.quicker = quicker
modes.leave_out.append(leave_out)
leave_out(False)
