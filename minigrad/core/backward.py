"""What a call of backward means: `backward` adds to `.grad`, `grad` returns gradients.

Both prepare one run of the engine: roots and their gradients, what is kept, which inputs (`beside.ends`).
"""

from contextvars import copy_context
from typing import Any

from ..text import presentation, say
from ..text.presentation import need, require
from .beside.attended import AttendedTask
from .beside.ends import as_roots, as_tuple, input_edge, root_gradients, unused, wanted_edge
from .beside.lines import learners_line
from .carriers import TENSORS
from .engine import steps
from .graph import Freed, TensorBase, constant, latest
from .modes import level, put_back

shortcut: Any = None  # `quick` puts a shorter walk here, for graphs beside which nothing stands


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: Any = None,
             create_graph: bool = False, grad_variables: Any = None, inputs: Any = None) -> None:
    """Add to the `.grad` of leaves the gradients of `tensors`, weighted by `grad_tensors`.

    `grad_tensors` has one tensor (or None for a single element) per root, each of its root's shape.
    Raises: RuntimeError without a graph, for wrong shapes, and for freed buffers.
    """
    roots = as_roots(tensors)
    if grad_variables is not None:
        presentation.warn("grad_variables", kind=FutureWarning)
        need(grad_tensors is None, "grad_variables_too")
    given = grad_tensors if grad_tensors is not None else grad_variables
    if inputs is not None:
        inputs = as_tuple(inputs)
        require(inputs, "`inputs` argument to `backward()` cannot be empty.")
    grads = root_gradients(roots, given, create_graph or level() is not None)
    if create_graph:
        presentation.warn("create_graph", once=True)
    latest.freed = mark = Freed(*learners_line())
    mark.value = roots[0]._data[()] if roots and not roots[0]._data.ndim else None
    edges = None if inputs is None else [input_edge(t) for t in inputs]
    run(roots, grads, keeps(retain_graph, create_graph), create_graph, edges)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: Any = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: Any = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple:
    """Gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched.

    Raises: RuntimeError for an input that `outputs` do not depend on, unless `allow_unused`.
    """
    need(not materialize_grads or allow_unused is not False, "materialized_unused", kind=ValueError)
    if not only_inputs:
        presentation.warn("only_inputs", kind=FutureWarning)
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots, wanted = as_roots(outputs), as_tuple(inputs)
    require(wanted, "`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return batched(roots, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    grads = root_gradients(roots, grad_outputs, create_graph or level() is not None)
    latest.freed = Freed(*learners_line())
    edges = [wanted_edge(t) for t in wanted]
    found: dict[Any, Any] = {}
    run(roots, grads, keeps(retain_graph, create_graph), create_graph, edges, found)
    results = [found.get(edge) for edge in edges]
    for place, g in enumerate(results):
        if g is not None:
            results[place] = g if create_graph else level().cut(g) if level() else constant(TensorBase._plain, g)
        else:
            need(allow_unused, "unused_input", place, tensor=wanted[place])
            results[place] = unused(wanted[place], create_graph, materialize_grads)
    latest.returned = latest.freed
    return tuple(results)


def batched(roots: tuple, wanted: tuple, batches: Any, retain: Any, create: bool, allow_unused: Any,
            materialize: bool) -> tuple:
    """One backward per row of the gradients, stacked: what torch does with vmap."""
    batches = (None,) if batches is None else as_tuple(batches)
    require(all(b is not None for b in batches), "grad can be implicitly created only for scalar outputs")
    sizes = [b.size(0) for b in batches if b[0] is not None]  # looking says what is wrong with no rows
    need(len({*sizes}) == 1, "sizes", sizes, kind=ValueError)
    for at, (b, root) in enumerate(zip(batches, roots, strict=False)):  # torch's words drop a dimension too many
        need(b.shape[1:] == root.shape, "batched_shape", at, b.shape[2:], at, root.shape, tensor=root)
    count = sizes[0]
    rows = [grad(roots, wanted, tuple(b[i] for b in batches), True if i < count - 1 else retain,
                 create, allow_unused=allow_unused) for i in range(count)]
    return tuple(unused(t, create, materialize) if column[0] is None else TENSORS.stack(column)
                 for t, column in zip(wanted, zip(*rows, strict=True), strict=True))


def keeps(retain_graph: Any, create_graph: bool) -> bool:
    """Whether saved values survive: as `retain_graph` says, else as `create_graph` does."""
    return create_graph if retain_graph is None else bool(retain_graph)


def run(roots: tuple, grads: list, keep: bool, create_graph: bool, inputs: list | None = None,
        captured: dict[Any, Any] | None = None) -> None:
    """Backward to the end; a player runs it step by step (`graph.recorder`)."""
    before = copy_context()
    try:
        if shortcut is None or not shortcut(roots, grads, keep, create_graph, inputs, captured):
            for _ in steps([r._edge() for r in roots], grads, AttendedTask(keep, create_graph, None, inputs, captured)):
                pass
    except BaseException as error:
        put_back(before)  # an interrupt may tear open a `with`, which then puts nothing back
        if isinstance(error, KeyboardInterrupt) and captured is None and not hasattr(error, "__notes__"):
            error.add_note(say("backward.cut"))
        raise
