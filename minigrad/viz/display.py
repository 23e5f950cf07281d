"""`draw`: from the learner's tensors to a picture that every notebook can show.

Finds the names that the learner gave, chooses how much to show, and offers the picture in the
formats that hosts understand. A `Drawing` holds the snapshot only: no array stays alive for it.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import Any

from ..graph import from_torch, live
from ..graph.recorder import record
from ..graph.snapshot import AnyTensor, Graph, part
from ..text import get_language, say
from . import dot, engines, indented, svg
from .layout import Layout, lay_out
from .scenes import Scenes

SHOW = frozenset({"values", "grads", "saved", "hooks", "versions", "scopes"})
NO_SATELLITES, BUILTIN_ONLY, TOO_LARGE = 150, 300, 3000  # ops
NOT_NAMES = frozenset({"In", "Out"})
Read = Callable[..., Graph]  # `graph.read` or `graph.read_torch`


def draw(*tensors: AnyTensor, view: str = "record", show: Iterable[str] | None = None,
         depth: int | None = None, around: AnyTensor | None = None, radius: int = 2,
         names: Mapping[str, AnyTensor] | None = None, lang: str | None = None, theme: str = "light",
         engine: str | None = None) -> Drawing:
    """A picture of the graph behind `tensors`, of minigrad or of torch.

    `view` is "record" (what autograd keeps), "forward" or "backward". `show` chooses among values,
    grads, saved, hooks, versions and scopes. A large graph is cut with `depth` (steps from the
    root) or `around=tensor, radius=2`. `names` maps names to tensors, over the names found in the
    calling namespace. `engine`: "builtin", "graphviz" (in process) or "dot".
    Raises: TypeError for what is not a tensor; ValueError for an unknown view, item or engine.
    """
    must_be_one_of(view, svg.VIEWS, "view")
    must_be_one_of(theme, ("light", "dark"), "theme")
    must_be_one_of(engine, (None, "builtin", "graphviz", "dot"), "engine")
    shown = None if show is None else frozenset([show] if isinstance(show, str) else show)
    for item in shown or ():
        must_be_one_of(item, SHOW, "show")
    read = reader_for(*tensors)
    graph = read(*tensors, names=tensor_names(names))
    if around is not None:
        graph = part(graph, nodes_below(around, *tensors), radius, both_ways=True)
    elif depth is not None and graph.nodes:
        roots = [graph.tensor(r).node for r in graph.roots]
        graph = part(graph, [r for r in roots if r], depth)
    values = backward_values(graph, tensors[0], read) if view == "backward" else {}
    return Drawing(graph, view, shown, lang or get_language(), theme, engine, values)


def backward_values(graph: Graph, root: AnyTensor, read: Read) -> dict[str, str]:
    """What backward would send along each wire, by a preview that leaves no trace; nothing where
    that would call the learner's hooks, or could not run."""
    spent = any(s.freed or s.stale for n in graph.nodes for s in n.saved)
    single = len(graph.roots) == 1 and graph.tensor(graph.roots[0]).shape == ()
    if read is not live.read or graph.hooks or spent or not single or len(graph.ops) > 150:
        return {}
    same, frames = record(root)
    return {k: v for k, v in Scenes(same).written(frames).items() if not k.startswith("grad:")}


def must_be_one_of(value: Any, allowed: Iterable[Any], what: str) -> None:
    """Raises: ValueError, with what is allowed, for anything else."""
    if value not in allowed:
        listed = ", ".join(sorted(repr(a) for a in allowed if a is not None))
        raise ValueError(f"{what} must be one of {listed}, not {value!r}")


def reader_for(*tensors: AnyTensor) -> Read:
    """`read` or `read_torch`, by where the tensors' class comes from."""
    for t in tensors:
        if not library(t):
            raise TypeError(say("draw.not_a_tensor", kind=type(t).__name__))
    if not tensors:
        raise TypeError(say("draw.not_a_tensor", kind="nothing"))
    return live.read if library(tensors[0]) == "minigrad" else from_torch.read_torch


def library(t: Any) -> str:
    """The package that a tensor's class comes from, "minigrad" or "torch"; "" for what is no tensor."""
    homes = {c.__module__.partition(".")[0] for c in type(t).__mro__} if hasattr(t, "grad_fn") else set()
    return next((name for name in ("minigrad", "torch") if name in homes), "")


def nodes_below(t: AnyTensor, *roots: AnyTensor) -> list[str]:
    """The id of the node that `t` hangs from in the graph of `roots`, whatever the names are there;
    then that of its value before a write through a view. Raises: ValueError if it is not there."""
    named = [other for other in reader_for(t, *roots)(*roots, names={"it": t}).tensors if other.name]
    if not named or named[0].node is None:
        raise ValueError(say("draw.not_there"))
    return [other.node for other in named if other.node]


def learners_names() -> dict[str, AnyTensor]:
    """Names and tensors where the learner stands: the calling frame, or the notebook."""
    frame = sys._getframe(1)
    while frame.f_back and package_of(frame) == "minigrad":
        frame = frame.f_back
    local = frame.f_locals
    scope = {**frame.f_globals, **local}
    if isinstance(local, dict) and frame.f_code.co_flags & CO_OPTIMIZED:
        local.clear()  # until 3.12 the frame keeps this copy, and with it every tensor in it
    if package_of(frame) == "IPython":  # called by a magic: the cell itself is further away
        scope = sys.modules["IPython"].get_ipython().user_ns
    found: dict[str, AnyTensor] = {}
    for name, value in list(scope.items()):
        if name.startswith("_") or name in NOT_NAMES:
            continue
        if hasattr(type(value), "grad_fn"):
            found[name] = value
        elif hasattr(type(value), "named_parameters"):
            found |= {f"{name}.{k}": p for k, p in value.named_parameters()}
    return found


def tensor_names(names: Mapping[str, AnyTensor] | None) -> dict[str, AnyTensor]:
    """The names of the namespace and those given, which win: a tensor has one name in a picture."""
    given = {id(t): name for name, t in (names or {}).items()}
    found = {**learners_names(), **(names or {})}
    return {name: t for name, t in found.items() if given.get(id(t), name) == name}


def package_of(frame: Any) -> str:
    """The top package whose code a frame runs."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def default_show(graph: Graph) -> frozenset[str]:
    """Everything; versions only where the graph tells of a write in place."""
    written = any(n.name.endswith("CopySlices") for n in graph.nodes)
    stale = any(s.stale for n in graph.nodes for s in n.saved)
    return SHOW if written or stale else SHOW - {"versions"}


class TextWithDrawing:
    """Words and, where there is one, a drawing with the place marked; `str()` is the text."""

    drawing: Drawing | None

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        drawn = self.drawing._repr_mimebundle_(include, exclude) if self.drawing else {}
        return {**drawn, "text/plain": str(self)}


class Drawing:
    """One view of one graph, as it was when `draw` was called; shows itself in a notebook."""

    def __init__(self, graph: Graph, view: str = "record", show: frozenset[str] | None = None,
                 lang: str = "en", theme: str = "light", engine: str | None = None,
                 values: Mapping[str, str] | None = None,
                 marks: frozenset[str] = frozenset()) -> None:
        self.graph, self.view, self.lang, self.theme, self.engine = graph, view, lang, theme, engine
        self.values = values or {}  # slot -> text that the graph does not hold
        self.marks = marks  # ids of parts to point out
        count = len(graph.ops)
        show = default_show(graph) if show is None else show
        self.show = show | {"cards"} if count <= NO_SATELLITES else show & {"values"}
        if count > BUILTIN_ONLY:
            self.engine = "builtin"

    @cached_property
    def layout(self) -> Layout:
        """Where everything goes. Raises: ValueError for a graph that no picture can hold."""
        if len(self.graph.ops) > TOO_LARGE:
            raise ValueError(say("draw.too_large", count=len(self.graph.ops), limit=TOO_LARGE))
        return lay_out(self.graph, self.show, self.values, self.lang, self.engine)

    def to_svg(self) -> str:
        """The picture as SVG."""
        return svg.render(self.graph, self.layout, self.view, self.theme, self.lang, self.show,
                          values=self.values, marks=self.marks)

    def to_png(self, zoom: float = 1) -> bytes:
        """The SVG as PNG; without resvg-py Graphviz draws its own picture of the same graph."""
        try:
            import resvg_py
        except ImportError:
            return self.graphviz_png()
        fonts = find_spec("matplotlib")  # brings DejaVu where the system has no fonts at all
        dirs = [str(Path(fonts.origin).parent / "mpl-data/fonts/ttf")] if fonts and fonts.origin else []
        return bytes(resvg_py.svg_to_bytes(svg_string=self.to_svg(), zoom=zoom, font_dirs=dirs))

    def graphviz_png(self) -> bytes:
        """Graphviz's own picture. Raises: RuntimeError where there is no Graphviz."""
        for engine in ("graphviz", "dot"):
            with contextlib.suppress(RuntimeError, OSError):
                return engines.run_graphviz(self.to_dot(), engine, "png")
        raise RuntimeError(say("draw.no_png"))

    def to_dot(self) -> str:
        """The graph as Graphviz source."""
        return dot.source(self.graph, self.view, self.theme)

    def to_text(self) -> str:
        """The graph as an indented tree."""
        return indented.tree(self.graph)

    def to_html(self) -> str:
        """A page of its own that needs nothing from anywhere."""
        return (f'<!DOCTYPE html><html lang="{self.lang}"><head><meta charset="utf-8">'
                f"<title>minigrad</title></head><body>{self.to_svg()}</body></html>\n")

    def to_json(self) -> str:
        """The records as JSON."""
        return json.dumps(self.graph.to_dict(), ensure_ascii=False)

    @property
    def source(self) -> Any:
        """The DOT as a `graphviz.Source`."""
        from graphviz import Source

        return Source(self.to_dot())

    def save(self, path: str | Path) -> None:
        """Write svg, png, dot, txt, html or json, as the ending says."""
        path = Path(path)
        writers: dict[str, Any] = {".svg": self.to_svg, ".png": self.to_png, ".dot": self.to_dot, ".gv": self.to_dot,
                                   ".txt": self.to_text, ".html": self.to_html, ".json": self.to_json}
        must_be_one_of(path.suffix, writers, "the file's ending")
        content = writers[path.suffix]()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Text always; pictures too, SVG for trusted notebooks and PNG for the others."""
        makers: dict[str, Callable[[], Any]] = {"text/plain": self.to_text}
        if len(self.graph.ops) <= TOO_LARGE:
            makers["image/svg+xml"] = self.to_svg
        if len(self.graph.ops) <= BUILTIN_ONLY:  # beyond it the pixels would be tens of megabytes
            makers["image/png"] = self.to_png
        wanted = [m for m in makers if (not include or m in include) and m not in (exclude or ())]
        bundle = {}
        for mime in wanted:
            try:
                bundle[mime] = makers[mime]()
            except RuntimeError:  # no engine for PNG here; the others do not need one
                if mime != "image/png":
                    raise
        return bundle

    def __repr__(self) -> str:
        return self.to_text()
