"""`draw`: from the learner's tensors to a picture that every notebook can show.

Finds the names that the learner gave, chooses how much to show, and offers the picture in the
formats that hosts understand. A `Drawing` holds the snapshot only: no array stays alive for it.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from importlib.util import find_spec
from math import inf, log10
from pathlib import Path
from typing import Any

from ..graph import from_torch, live, unfinished
from ..graph.flows import Flows, first_bad, flows
from ..graph.program import learners_scope, shell
from ..graph.snapshot import AnyTensor, Graph, by_key, part
from ..graph.tangents import with_tangents
from ..text import LANGUAGES, chosen, demand, say
from ..text.numbers import two_digits
from . import dot, engines, indented, levels, svg, words
from .glyphs import visible
from .lines import by_expressions, by_lines, groups, tears
from .places import HIGHEST_PICTURE, WIDEST_PICTURE, Layout, lay_out
from .scenes import fault_said

SHOW = frozenset({"values", "grads", "saved", "hooks", "versions"})
THEMES = (None, "light", "dark")
LIKE_CODE = "margin: 0; font-size: var(--jp-code-font-size, inherit); white-space: pre-wrap; word-break: normal"
NARROWEST = 200  # px, of a picture: a pill and its wires
FEWEST = 5  # boxes, below which lines of code are no picture of a program
MUCH_TOO_HIGH, TWO_SCREENS = 900, 1200  # px, beyond which lines of code are folded, and then their neighbours too


def draw(*tensors: AnyTensor, view: str = "record", show: Iterable[str] | None = None, level: str | None = None,
         open: Iterable[str] = (), fold: bool = True, around: AnyTensor | None = None, radius: int = 2,
         width: float = WIDEST_PICTURE, heat: bool = False, names: Mapping[str, AnyTensor] | None = None,
         lang: str | None = None, theme: str | None = None, engine: str | None = None,
         gradient: Any = None, tangents: bool | Mapping[AnyTensor, Any] = False) -> Drawing:
    """A picture of the graph behind `tensors`, of minigrad or of torch; of an exception, or of nothing after one,
    what was recorded till there, with the call that failed and the shapes that went into it.

    `view` is "record" (what autograd keeps), "forward" or "backward". `level` says how much is
    folded, "modules", "functions" or "ops" (None: what fits); `open` names modules, functions, lines and
    expressions to open; without `fold`, repeated steps are all drawn. `show` chooses among values, grads, saved,
    hooks and versions; `around=tensor, radius=2` shows what lies near. `heat` colours backward
    by the norm of its gradients. `names` maps names to tensors, over the names found in the calling
    namespace. `theme` is "light" or "dark" (None: as the page). `engine`: "builtin", or "graphviz" (in
    process) or "dot", which draw `.source`. `gradient`: where backward starts, for the numbers of
    "backward"; ones, unless it is given. They come from a preview that changes nothing: hooks run on copies.
    `tangents` shows in "forward" how each value moves when all leaves move along ones, or some leaves along the
    tangents of their shapes that a dict gives; the pushes that a Jacobian takes are counted against backwards.
    Raises: TypeError for what is not a tensor, and without one if nothing has failed; ValueError for an unknown
    view, item, level, theme or engine, for a scope or an `around` that is not there, for tangents of another view or
    of torch's graph, and for a width below 200 px.
    """
    shown = None if show is None else frozenset(several(show, "show"))
    open = several(open, "open")
    for item, allowed, what in ((view, svg.VIEWS, "view"), (theme, THEMES, "theme"),
                                (level, (None, *levels.LEVELS), "level"), *((one, SHOW, "show") for one in shown or ()),
                                (engine, (None, "builtin", "graphviz", "dot"), "engine")):
        must_be_one_of(item, allowed, what)
    demand(isinstance(width, int | float) and width >= NARROWEST, "draw.width", least=NARROWEST, width=width)
    written(isinstance(radius, int), radius, "radius=2")
    stopped = None
    if not tensors or isinstance(tensors[0], BaseException):
        tensors, graph, stopped = half_way(*tensors, names=names)
        view = "record" if view == "backward" else view
    else:
        graph = reader_for(*tensors)(*tensors, names=tensor_names(names))
    if tangents is not False:
        demand(view == "forward" and graph.library != "torch" and stopped is None, "draw.no_tangents")
        graph, wrong, moved = with_tangents(graph, *tensors, along=None if tangents is True else tangents)
    if around is not None:
        graph = part(graph, nodes_below(around, *tensors), radius, both_ways=True)
    with live.uncollected():
        drawing = Drawing(graph, view, shown, chosen(lang), theme, engine, folded=levels.fold(graph, level, fold),
                          width=width)
        if level is None:
            drawing.fit()
        drawing.fold = drawing.fold.opened(levels.named(drawing.fold, open))
        if drawing.fold.bare and graph.library == "torch" and not any(n.line for n in graph.ops):
            drawing.remark("no_scopes")
    if tangents is not False:
        ops = sum(n.id in graph.reached for n in graph.ops)
        facts = {"ops": ops, "inputs": moved, "outputs": sum(t.numel() for t in tensors)}
        drawing.remark("not_pushed", error=wrong) if wrong else drawing.remark("tangents", **facts)
    if stopped is not None:
        number, error = stopped.line[0], stopped.error
        drawing.remark("stopped", line=number, error=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
    if (bad := first_bad(graph)) is not None:
        drawing.marks |= {bad[2]}
        drawing.remark(bad[0], node=bad[1])
    if view == "backward":
        few = 2 if drawing.fold.home or drawing.fold.bare else 4
        groups = {edge: f"edge:{first}" for edge, first in drawing.fold.wires.items()}
        drawing.show_flows(flows(graph, *tensors, gradient=gradient, few=few, groups=groups), heat)
    return drawing


def half_way(error: BaseException | None = None, *, names: Mapping[str, AnyTensor] | None
             ) -> tuple[tuple[AnyTensor, ...], Graph, unfinished.Failure]:
    """What went into the call that failed, and the graph till there; of the last error, where none is given.
    Raises: TypeError where no tensor had a part in it."""
    if (stopped := unfinished.failure(error or unfinished.last_error())) is None:
        raise TypeError(say("draw.nothing_failed"))
    reader = live.Reader if library(stopped.around[0]) == "minigrad" else from_torch.TorchReader
    known = tensor_names({**stopped.names, **(names or {})})
    return tuple(stopped.around), stopped.graph(reader(stopped.around, known)), stopped


def must_be_one_of(value: Any, allowed: Iterable[Any], what: str) -> None:
    """Raises: ValueError, with what is allowed, for anything else."""
    if value not in allowed:
        listed = ", ".join(sorted(repr(a) for a in allowed if a is not None))
        raise ValueError(f"{what} must be one of {listed}, not {value!r}")


def written(holds: Any, value: Any, example: str) -> None:
    """Raises: TypeError unless it holds, with the argument as it is written."""
    demand(holds, "draw.argument", TypeError, given=type(value).__name__, example=example)


def several(value: Any, what: str) -> tuple[str, ...]:
    """One word, or several. Raises: TypeError for anything else."""
    found = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    written(all(isinstance(word, str) for word in found), value, f'{what}=["...", "..."]')
    return found


def reader_for(*tensors: AnyTensor) -> Callable[..., Graph]:
    """`read` or `read_torch`, by where the tensors' class comes from. Raises: TypeError for none, or for two."""
    homes = {library(t): type(t).__name__ for t in tensors} or {"": "nothing"}
    if "" in homes:
        raise TypeError(say("draw.not_a_tensor", kind=homes[""]))
    demand(len(homes) <= 1, "draw.two_libraries", kind=TypeError)
    return live.read if "minigrad" in homes else from_torch.read_torch


def library(t: Any) -> str:
    """The package that a tensor's class comes from, "minigrad" or "torch"; "" for what is no tensor."""
    homes = {c.__module__.partition(".")[0] for c in type(t).__mro__} if hasattr(t, "grad_fn") else set()
    return next((name for name in ("minigrad", "torch") if name in homes), "")


def nodes_below(t: AnyTensor, *roots: AnyTensor) -> list[str]:
    """The id of the node that `t` hangs from in the graph of `roots`, whatever the names are there;
    then that of its value before a write through a view. Raises: ValueError if it is not there."""
    named = [other for other in reader_for(t, *roots)(*roots, names={"it": t}).tensors if other.name]
    demand(named and named[0].node is not None, "draw.not_there")
    return [other.node for other in named if other.node]


def learners_names(modules: bool = False) -> dict[str, AnyTensor]:
    """Names and tensors where the learner stands, and leaves in lists and dicts; modules themselves on request."""
    return live.tensors_named({n: v for n, v in learners_scope().items() if n not in ("In", "Out")}, modules)


def tensor_names(names: Mapping[str, AnyTensor] | None) -> dict[str, AnyTensor]:
    """The names of the namespace and those given, which win: a tensor has one name in a picture."""
    names = {} if names is None else names
    written(isinstance(names, Mapping) and all(isinstance(name, str) for name in names), names, 'names={"h": h}')
    named = ({name: value, **live.owned(name, value)} for name, value in names.items())
    wanted = dict(pair for several in named for pair in several.items())
    given = {id(t): name for name, t in wanted.items()}
    found = {**learners_names(modules=True), **wanted}
    return {name: t for name, t in found.items() if given.get(id(t), name) == name}


def few_colours(png: bytes) -> bytes:
    """The same picture with a palette of its own: a third of the bytes, where Pillow is at hand."""
    try:
        from PIL import Image
    except ImportError:
        return png
    small = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(128).save(small, "PNG")
    return min(small.getvalue(), png, key=len)


class TextWithDrawing:
    """Words and, where there is one, a drawing with the place marked; `str()` is the text."""

    drawing: Any
    _words: Callable[[], str]

    def __repr__(self) -> str:
        return visible(self._words())

    def _repr_html_(self) -> str | None:
        """A long text, its lines broken between words; of plain text JupyterLab breaks the words themselves."""
        return None if len(str(self)) < 80 else f'<pre style="{LIKE_CODE}">{escape(str(self))}</pre>'

    def _ipython_display_(self) -> None:
        """Text above picture: of several formats of one output a notebook shows one, and not the words.

        Raises: NotImplementedError where there is no picture, or nothing that shows one: the text is the cell's result.
        """
        if self.drawing is None or not hasattr(shell(), "kernel"):
            raise NotImplementedError
        words, show = {"text/plain": str(self), "text/html": self._repr_html_()}, sys.modules["IPython"].display.display
        show({mime: said for mime, said in words.items() if said}, raw=True)
        show(self.drawing)


class Drawing:
    """One view of one graph, as it was when `draw` was called; shows itself in a notebook."""

    def __init__(self, graph: Graph, view: str = "record", show: frozenset[str] | None = None, lang: str = "en",
                 theme: str | None = None, engine: str | None = None, marks: frozenset[str] = frozenset(),
                 folded: levels.Fold | None = None, width: float = WIDEST_PICTURE) -> None:
        self.view, self.lang, self.theme, self.engine, self.width = view, lang, theme, engine, width
        self.graph, self.fold = graph, folded or levels.fold(graph)
        self.values: Mapping[str, str] = {}  # slot -> text that the graph does not hold
        self.marks = marks  # ids of parts to point out
        self.remarks: list[str] = []  # what is said under the title
        if (fault := fault_said(graph)) is not None:
            said = dict.fromkeys(fault[one] for one in LANGUAGES if lang in (one, "both"))
            self.remarks.append(" · ".join(said).replace("`", '"'))
        if again := [s for n in graph.nodes for s in n.saved if s.later is not None]:
            self.remark("later", count=len(again), functions=", ".join(dict.fromkeys(s.text for s in again)),
                        bytes=f"{sum(s.later or 0 for s in again):,}".replace(",", " "))
        self.heat: dict[str, float] = {}  # edge -> how thick it is drawn
        self.measured: tuple[levels.Fold | None, float, float] = (None, 0, 0)  # up to which height, and this, or inf
        # versions only where the graph tells of a write in place
        written = any(n.name.endswith("CopySlices") or any(s.stale for s in n.saved) for n in graph.nodes)
        self.wanted = show if show is not None else SHOW if written else SHOW - {"versions"}
        self.flows: Flows | None = None  # what a preview told, for the gradients of other fold states

    @property
    def show(self) -> frozenset[str]:
        """What is shown beside the boxes; of many only the values."""
        return self.wanted | {"cards", "figures"} if self.fold.shown <= levels.MANY_PILLS else self.wanted & {"values"}

    def close_what_is_too_high(self) -> None:
        """Close open modules and loops, the largest first, until the picture fits a screen, but not all into one."""
        while (largest := self.fold.largest) and self.is_higher_than(HIGHEST_PICTURE):
            if (closed := self.fold.refolded(self.fold.closed | {largest})).shown < 2:
                break
            self.fold = closed

    def fit(self) -> None:
        """Fold until the picture fits a screen: modules, loops, and calls and lines of code where it is much too
        high. What would be one box is open, unless nothing else makes it fit."""
        if self.fold.shown < 2:
            self.fold = self.fold.opened(id for id in self.fold.boxes if not self.fold.scopes[id].ours)
        self.close_what_is_too_high()
        if self.is_higher_than(MUCH_TOO_HIGH):
            calls = {id for id, s in self.fold.scopes.items() if s.kind == "call"} - self.fold.clear - self.fold.closed
            self.fold = self.fold.refolded(self.fold.closed | calls)
            if not calls or self.is_higher_than(MUCH_TOO_HIGH):
                self.close_lines()
        while (largest := self.fold.largest) and self.is_higher_than(2 * MUCH_TOO_HIGH):
            self.fold = self.fold.refolded(self.fold.closed | {largest})

    def folded_anew(self) -> levels.Fold:
        """The graph, which got more scopes, with these closed and open what is open now."""
        found = levels.fold(self.graph, repeats=self.fold.whole is not None)
        return found.refolded(found.closed - (self.fold.scopes.keys() - self.fold.closed))

    def close_lines(self) -> None:
        """Draw lines of the program as boxes, the largest first, then turns of loops, until the picture fits; and
        neighbouring lines as one where it does not."""
        before = self.graph, self.fold
        self.graph = by_lines(self.graph, self.fold.steps)
        folded = self.fold = self.folded_anew()
        found, few = groups(folded), folded.shown <= levels.MANY_BOXES
        states = dict[int, levels.Fold]()

        def fits(last: int) -> bool:
            hidden = {id for ids in found[:last + 1] for id in ids}  # and what is in them, when they are opened
            opened = frozenset(id for ids in found[last + 1:] for id in ids if hidden.isdisjoint(self.graph.chains[id]))
            self.fold = states[last] = folded.refolded(folded.closed - opened, opened)
            return not self.is_higher_than(MUCH_TOO_HIGH)

        if low := few and fits(len(found) - 1):  # else it is as low as lines make it
            self.fold = states[bisect_left(range(len(found) - 1), True, key=fits)]
        self.close_what_is_too_high()
        several = self.graph if low else by_lines(before[0], before[1].steps, True)
        if len(several.scopes) > len(self.graph.scopes) and (not few or self.is_higher_than(TWO_SCREENS)):
            self.graph, self.fold = several, before[1]
            self.fold = self.folded_anew()
            self.close_what_is_too_high()
        lines = self.graph, self.fold
        known = bool(self.graph.expressions)
        no_picture = self.fold.shown < 2 + known or not self.fold.home
        if no_picture or (known and (self.fold.shown < FEWEST or tears(self.graph))):
            self.graph, self.fold = before[0], replace(before[1], bare=True)
            self.close_expressions()
            if not no_picture and self.is_higher_than(TWO_SCREENS):
                self.graph, self.fold = lines

    def close_expressions(self) -> None:
        """Draw expressions as boxes, the smallest first, until what may be one formula fits."""
        graph, fold, states = self.graph, self.fold, dict[int, tuple[Graph, levels.Fold]]()
        sizes = sorted({size for size, _ in graph.expressions.values()})

        def fits(most: int) -> bool:
            self.graph, self.fold = by_expressions(graph, most, fold.steps), fold
            self.fold = replace(self.folded_anew(), bare=True)
            states[most] = self.graph, self.fold
            return not self.is_higher_than(MUCH_TOO_HIGH)

        if sizes and self.is_higher_than(MUCH_TOO_HIGH):
            self.graph, self.fold = states[sizes[min(bisect_left(sizes, True, key=fits), len(sizes) - 1)]]

    def remark(self, key: str, **facts: Any) -> None:
        """Say something under the title."""
        self.remarks.append(words.word(key, self.lang, **facts))

    def show_flows(self, found: Flows, heat: bool = False) -> None:
        """Write the gradients of a preview into the picture, and say what they are."""
        if found.error is not None:
            self.remark("no_numbers", error=(f"{self.graph.node(found.at).name}: " if found.at else "") + found.error)
            self.values = {slot: found.texts.get(slot, "") if slot.startswith("seed:") else ""
                           for slot in words.known_values(self.graph)} | {"failed": found.at}
            self.marks |= {found.at} - {""}
            return
        self.flows = found
        self.values = {**self.flow_texts(found, found.texts), **self.chip_norms(found)}
        self.remark("preview")
        if found.bad is not None:
            self.marks |= {found.bad}
            self.remark("bad_gradient", node=self.graph.node(found.bad).name)
        sizes = [size for wire, size in found.norms.items() if ":" in wire and 0 < size < float("inf")]
        if heat and sizes:
            middle = sorted(sizes)[len(sizes) // 2]
            self.heat = {edge: 7.0 if not size < float("inf") else max(0.8, min(7, 2.6 + 0.8 * log10(size / middle)))
                         if size else 0.8 for edge, size in found.norms.items()}
            self.remark("heat", low=two_digits(min(sizes)), high=two_digits(max(sizes)))

    def flow_texts(self, found: Flows, known: Mapping[str, str]) -> dict[str, str]:
        """Those that one gradient has; in a loop they differ from turn to turn."""
        return {slot: text for slot, text in known.items() if slot.partition(":")[2] not in self.fold.bundles
                and (slot.split(":")[1] not in self.fold.steps or slot.startswith("total:"))}

    def refolded(self, fold: levels.Fold, view: str, width: float) -> Drawing:
        """The same graph in another fold state, view and width; a sum that was not taken has no number there."""
        other = copy.copy(self)
        other.__dict__.pop("layout", None)
        other.fold, other.view, other.width = replace(fold, compact=self.layout.fold.compact), view, width
        other.lang = "en"  # whose words are wider
        if self.flows is not None:
            # edge that is drawn into a closed box -> all that it stands for
            mine, theirs = (by_key((drawn, edge) for edge, drawn in f.wires.items()) for f in (self.fold, fold))
            known = {slot: text for slot, text in self.flows.texts.items() if slot.split(":")[0] not in ("edge", "sum")}
            for name, text in self.flows.each.items():
                edge = name.partition(":")[2]
                if len(theirs.get(edge, [edge])) == 1:
                    boxed = edge in theirs  # where no `sum` stands whose terms could be meant
                    known[f"edge:{edge}" if boxed else name] = text.split("= ")[-1].split("≈ ")[-1] if boxed else text
                elif mine.get(edge) == theirs[edge]:
                    known[f"edge:{edge}"] = self.flows.texts[f"edge:{edge}"]
            other.values = {**other.flow_texts(self.flows, known), **other.chip_norms(self.flows)}
        return other

    def explore(self) -> Any:
        """The drawing as a widget: open and fold boxes in place, zoom, search, and read what a node keeps.

        It shows the picture itself where no widget can be shown. `.to_html()` is a page that needs no kernel.
        """
        from .explorer import Explorer
        from .player import watched

        return watched(Explorer(self))

    def chip_norms(self, found: Flows) -> dict[str, str]:
        """What the parameters of closed boxes get: one norm for those that share a chip."""
        made: dict[str, str] = {}
        squares: dict[str, float] = {}
        for acc, box in self.fold.chips.items():
            several = self.fold.own.get(acc, (acc,))
            total = sum(found.norms.get(one, 0) ** 2 for one in several)
            sent = f"‖g‖ {two_digits(total ** 0.5)}" if len(several) > 1 else found.texts.get(f"sent:{acc}", "")
            made[f"chip:{self.graph.node(acc).leaf}"], squares[box] = sent, squares.get(box, 0) + total
        return made | {f"chip:{box}": f"‖g‖ {two_digits(total ** 0.5)}" for box, total in squares.items()}

    @cached_property
    def layout(self) -> Layout:
        """Where everything goes."""
        fold = levels.few(self.fold)
        return lay_out(fold, self.show, self.texts(fold), self.lang, self.width)

    def is_higher_than(self, limit: float) -> bool:
        """Whether it is, with room for the numbers of backward: all views of a graph fold alike."""
        fold, known, height = self.measured
        if fold is not self.fold or (known < limit and height == inf):
            norms = words.norms(self.fold.graph) if self.fold.home else {}
            height = lay_out(levels.few(self.fold), self.show, norms, self.lang, self.width, limit).height
            self.measured = self.fold, limit, height
        return height > limit

    def texts(self, fold: levels.Fold) -> Mapping[str, str]:
        """What stands on the wires: of backward gradients, else shapes."""
        return self.values if self.view == "backward" else words.shapes(fold.graph, fold)

    def to_svg(self) -> str:
        """The picture as SVG."""
        if self.engine in ("graphviz", "dot"):
            return engines.run_graphviz(self.to_dot(), self.engine, "svg").decode()
        return self.drawn(self.theme or "auto")

    def drawn(self, theme: str | None, framed: bool = True) -> str:
        """Our own picture in "light", "dark", or "auto", which follows the page; in a widget's own colours for None."""
        return svg.Painter(self.layout, self.view, self.lang, self.show, self.texts(self.layout.fold), self.marks,
                           self.remarks, self.heat).picture(theme, framed)

    def to_png(self, zoom: float = 1) -> bytes:
        """The SVG as PNG; without resvg-py Graphviz draws its own picture of the same graph."""
        try:
            import resvg_py
        except ImportError:
            return self.graphviz_png()
        fonts = find_spec("matplotlib")  # brings DejaVu where the system has no fonts at all
        dirs = [str(Path(fonts.origin).parent / "mpl-data/fonts/ttf")] if fonts and fonts.origin else []
        drawn = self.drawn(self.theme or "light")
        return few_colours(bytes(resvg_py.svg_to_bytes(svg_string=drawn, zoom=zoom, font_dirs=dirs)))

    def graphviz_png(self) -> bytes:
        """Graphviz's own picture. Raises: RuntimeError where there is no Graphviz."""
        for engine in ("graphviz", "dot"):
            with contextlib.suppress(RuntimeError, OSError):
                return engines.run_graphviz(self.to_dot(), engine, "png")
        raise RuntimeError(say("draw.no_png"))

    def to_dot(self) -> str:
        """The graph as Graphviz source."""
        return dot.source(self.graph, self.view, self.theme or "light", self.fold)

    def to_text(self) -> str:
        """The graph as an indented tree."""
        return visible(indented.tree(self.graph))

    def to_html(self) -> str:
        """A page of its own that needs nothing from anywhere."""
        lang = "zh-CN" if self.lang == "zh" else "en"
        return (f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8">'
                f'<meta name="color-scheme" content="{self.theme or "light dark"}">'
                f"<title>minigrad</title></head><body>{self.to_svg()}</body></html>\n")

    def to_json(self) -> str:
        """The records as JSON."""
        return visible(json.dumps(self.graph.to_dict(), ensure_ascii=False))

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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """The pictures, and a widget that turns into the explorer where `MINIGRAD_DRAWINGS` is "widget": a server that
        hands out the picture of a widget that went with its kernel says so, as that of `binder/jupyter` does."""
        if include or exclude or os.environ.get("MINIGRAD_DRAWINGS") != "widget" or not hasattr(shell(), "kernel"):
            return self.still(include, exclude)
        from .explorer import Picture
        from .player import watched

        return watched(Picture(self))._repr_mimebundle_()

    def still(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Text always; pictures too, SVG for trusted notebooks and PNG for the others."""
        makers: dict[str, Callable[[], Any]] = {"text/plain": self.to_text}
        makers["image/svg+xml"] = lambda: self.to_svg().replace(" ", "\n", 1)  # hidden, its first line stands for it
        if self.fold.shown <= levels.MANY_BOXES:  # beyond it the pixels would be tens of megabytes
            makers["image/png"] = self.to_png
        bundle = {}
        for mime in [m for m in makers if (not include or m in include) and m not in (exclude or ())]:
            try:
                bundle[mime] = makers[mime]()
            except Exception:  # no engine for PNG here, or more pixels than Pillow takes; the others need neither
                if mime != "image/png":
                    raise
        return bundle

    __repr__ = to_text
