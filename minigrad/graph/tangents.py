"""Tangents beside the values of a recorded graph: forward mode, pushed through the nodes that backward would run.

What a node sends is linear in what it receives; that map, transposed by a second backward, is the tangent's.
"""

import contextlib
import io
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..array.backend import xp
from ..core.backward import grad
from ..core.carriers import TENSORS
from ..core.engine import fit
from ..core.graph import TensorBase, constant
from ..core.modes import Mode
from ..text import demand
from .live import Key, Reader, Slot
from .preview import preview
from .snapshot import AnyTensor, Graph


def with_tangents(graph: Graph, *roots: AnyTensor, along: Mapping[Any, Any] | None = None) -> tuple[Graph, str, int]:
    """The graph with a tangent at each tensor that moves, what went wrong, and how many elements of leaves move.

    `along` gives leaves their tangents, of the leaf's shape; without it all leaves move along ones.
    Raises: ValueError for anything else in `along`.
    """
    reader = Reader(roots, {})
    reader.graph()
    behind = [key for key in reversed(reader.order()) if key not in reader.beside]
    leaves = {key: reader.tensors[key, 0] for key in behind if isinstance(key, tuple)}
    shapes = {id(t): t.shape for t in leaves.values()}
    demand(isinstance(along or {}, Mapping) and all(
        getattr(way, "shape", None) == shapes.get(id(t), 0) for t, way in (along or {}).items()), "draw.tangents_of")
    ways = {id(t): v for t, v in (along or {}).items()}
    moved: dict[Slot | None, Any] = {(key, 0): ways[id(t)] if along else constant(t._plain, xp.ones_like(t._array()))
             for key, t in leaves.items() if not along or id(t) in ways}
    count, said = sum(t.numel() for t in moved.values()), ""
    try:
        with warnings.catch_warnings(action="ignore"), contextlib.redirect_stdout(io.StringIO()):
            for key in (k for k in behind if not isinstance(k, tuple)):
                moved |= pushed(reader, key, moved)
    except Exception as error:  # freed or overwritten values, or a function that is differentiated once only
        said = f"{type(error).__name__}: {str(error).partition('. ')[0]}"
    texts = {(reader.ids[slot[0]], slot[1]): preview(t._array()) for slot, t in moved.items() if slot}
    tensors = tuple(replace(t, tangent=texts.get((t.node or "", t.nr))) for t in graph.tensors)
    return replace(graph, tensors=tensors), said, count


def pushed(reader: Reader, key: Key, moved: Mapping[Slot | None, Any]) -> dict[Slot | None, Any]:
    """The tangents of the outputs of a node, from those of its inputs; none where no input moves."""
    node: Any = reader.found[key]
    if not (arriving := [(i, moved[slot]) for i, slot in enumerate(reader.edges[key]) if slot in moved]):
        return {}
    shapes = {nr: reader.shape_of((key, nr)) for nr in range(node.outputs)}
    us = {nr: constant(TensorBase._plain, xp.ones(shape, kind.rpartition(".")[2])).requires_grad_()
          for nr, (shape, kind) in shapes.items() if "float" in kind}
    with Mode():
        sent = node.apply(us[0] if node.outputs == 1 else tuple(map(us.get, shapes)), TENSORS, True)
        pairs = [(fit(sent[i], node.metas and node.metas[i], TENSORS), t) for i, t in arriving if sent[i] is not None]
        live = [(g, t) for g, t in pairs if g.requires_grad]
        found = grad([g for g, _ in live], [*us.values()], [t for _, t in live], allow_unused=True,
                     materialize_grads=True) if live else map(TENSORS.zeros_like, us.values())
    return {(key, nr): t for nr, t in zip(us, found, strict=True)}
