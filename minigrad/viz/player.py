"""The backward player: `step(loss)` walks through a backward, node by node, in the notebook.

All frames are recorded at once and replayed in the browser, so the widget needs no kernel to step;
with `live=True` the engine waits between clicks instead. The drawing is the static one; this file
holds the widget's state, its exports, and the hand-over of clicks to the kernel's own thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import anywidget
import traitlets

from ..graph.faults import fault_now
from ..graph.forced import forced_runs
from ..graph.forward import Event, Notes, events, worked_out
from ..graph.program import shell
from ..graph.recorder import MOST_STEPS, Frame, Recorder, record
from ..graph.snapshot import AnyTensor, Graph
from ..graph.tangents import with_tangents
from ..text import both, chosen, demand, say
from .code import Shared
from .display import THEMES, Drawing, library, must_be_one_of, reader_for, several, tensor_names
from .exported import page, with_still
from .folds import pictures
from .glyphs import visible
from .scenes import Scenes, expected_texts, joined, transcript, widest_texts
from .theme import STATIC, rules_within, script, variables

ROOTS = ":is(.mg-player,.mg-comparison,.mg-drawing)"
_made: weakref.WeakKeyDictionary[Any, list[Stage]] = weakref.WeakKeyDictionary()  # in the cell that each shell runs
_seen: dict[Any, list[Stage]] = {}  # made or shown in a cell, by the cell's id; None: the one that runs
Widget = TypeVar("Widget", bound="Stage")
_live: weakref.ref[Player] | None = None  # at most one backward hangs between two clicks


def step(root: AnyTensor, gradient: AnyTensor | None = None, *, live: bool = False, preview: bool = False,
         retain_graph: bool | None = None, create_graph: bool = False, drive: bool = False, anyway: bool = False,
         predict: bool = False, forward: bool | Notes = False, tangents: bool | Mapping[AnyTensor, Any] = False,
         breakpoints: Iterable[str] = (), beside: Any = None, names: Mapping[str, AnyTensor] | None = None,
         lang: str | None = None, theme: str | None = None) -> Player | Any:
    """Run `root.backward(gradient)` and return a player that steps through it.

    This is a real backward: it accumulates into `.grad` and frees what was saved. With `preview`
    nothing is changed; torch keeps an empty list of hooks at each node of its own, though, and looks into it whenever
    this graph runs backward again. With `live` each click runs one node, and the next cell sees what it did.
    `drive` lets you choose the next node, with `anyway` also one that is not ready: the wrong numbers
    are recorded before, on copies, and hooks run once more for each. `predict` asks before it shows;
    `forward` shows first how the graph grew: values that nobody holds are worked out from the leaves, where
    nothing was written since and nothing drew random numbers (`%%step` notes them while the cell runs), with
    `tangents`, as `draw` takes them, also how each value moves;
    `breakpoints` are names of nodes or leaves where Play stops. The player's `answers`, `path`,
    `refused` and `forced` tell what was chosen. An error on the way is the last frame, not an exception.
    With `beside`, another tensor, the two are compared, as `compare` does; `root` may be an engine of your own then.
    Raises: TypeError for what is not a tensor; ValueError for a theme or a breakpoint that is not there, for `live`
    with torch or `preview`, for `anyway` or `tangents` with `live` or torch, and where a node has no derivative.
    """
    if beside is not None:
        from .compared import compare  # it shows two of these

        return compare(root, beside, lang=lang, theme=theme)
    reader_for(root)  # refuses what is no tensor
    must_be_one_of(theme, THEMES, "theme")
    how: dict[str, Any] = {"names": tensor_names(names), "retain_graph": retain_graph, "create_graph": create_graph}
    shown: dict[str, Any] = {"drive": bool(drive and not fault_now()), "predict": bool(predict and not live),
                             "lang": chosen(lang), "theme": theme or "",
                             "breakpoints": several(breakpoints, "breakpoints")}
    theirs = library(root) == "torch"
    demand(not (live and theirs), "player.torch_live")
    demand(not (live and preview), "player.live_preview")
    demand(tangents is False or not (live or theirs), "draw.no_tangents")
    demand(not anyway or not (live or theirs), "player.no_anyway")
    forward = forward or tangents is not False
    known = worked_out(root, how["names"]) if forward else {}
    moves = {} if tangents is False else tangents_of(root, how["names"], None if tangents is True else tangents)

    def ran(graph: Graph) -> list[Event]:
        notes = forward if isinstance(forward, Notes) else Notes()
        noted = notes.found(graph)
        return events(graph, known | noted, notes.order if noted else ()) if forward else []

    given = {"gradient": gradient is not None, "retain_graph=True": retain_graph, "create_graph=True": create_graph}
    shown["call"] = ", ".join(words for words, yes in given.items() if yes)
    if live:
        recorder = Recorder(root, gradient, **how)
        return watched(LivePlayer(recorder, forward=ran(recorder.graph), **shown))
    runs = forced_runs(root, gradient, **how) if anyway and not fault_now() else {}
    graph, frames = record(root, gradient, preview, **how)
    graph = replace(graph, tensors=tuple(replace(t, tangent=moves.get(t.id)) for t in graph.tensors))
    return watched(Player(graph, frames, preview=preview, anyway=runs if anyway else None, forward=ran(graph), **shown))


def tangents_of(root: AnyTensor, names: Any, along: Any) -> dict[str, str]:
    """How the values behind `root` move, by tensor. Raises: ValueError where that cannot be told."""
    graph, wrong, _ = with_tangents(reader_for(root)(root, names=names), root, along=along)
    demand(not wrong, "draw.no_numbers", error=wrong)
    return {t.id: t.tangent for t in graph.tensors if t.tangent}


def watched(player: Widget) -> Widget:
    """The same; once the cell is over, those that nobody sees and nothing holds are told of."""
    here = shell()

    def tell(ran: Any) -> None:
        held = [id(value) for value in here.user_ns.values()]
        made, _made[here] = _made[here], []
        if lost := [p for p in made if not p.shown and id(p) not in held]:
            print(say("player.not_shown", count=len(lost)))
        put_away(here, getattr(ran.info, "cell_id", None))

    if here is not None:
        if here not in _made:
            here.events.register("post_run_cell", tell)
        _made.setdefault(here, []).append(player)
        _seen.setdefault(None, []).append(player)
    return player


def put_away(shell: Any, cell: str | None) -> None:
    """A cell has run: close the players that only its last run showed, and let IPython forget them as results.

    One that the learner still holds opens again when it is shown.
    """
    new = _seen.pop(None, [])
    if cell is None:  # a shell without a page
        return
    old = _seen.pop(cell, [])
    _seen.update({cell: new} if new else {})
    for player in old:
        if not any(player in players for players in _seen.values()):
            player.close()
            results, told = shell.user_ns.get("_oh", {}), ("outputs", "output_hist_reprs")
            shown = [getattr(shell.history_manager, name, {}) for name in told]
            for number in [n for n, result in results.items() if result is player]:
                for kept in (results, *shown, shell.user_ns, shell.user_ns_hidden):
                    kept.pop(number, kept.pop(f"_{number}", None))  # each has it under one of the two


class Stage(Shared):
    """A widget of `static/player.js`, with a still picture for where no widget is shown."""

    MODULE = script("player.js")
    # the colours of both themes, the rules of the pictures (inside the player only), our own
    STYLE = (f"{ROOTS}{{{variables('light')}}}{ROOTS}.mg-dark{{{variables('dark')}}}" + rules_within(".mg-player")
             + (STATIC / "player.css").read_text("utf-8"))
    shown = False
    lang, theme = (traitlets.Unicode(first).tag(sync=True) for first in ("en", ""))

    def state(self) -> dict[str, Any]:
        """What the browser needs, and nothing else: the same in the widget, the file and the JSON."""
        theirs = anywidget.AnyWidget.class_traits()
        ours = (name for name in self.class_traits(sync=True) if name not in theirs and name[0] != "_")
        return {name: getattr(self, name) for name in ours}

    def to_html(self) -> str:
        """One file that plays anywhere: no kernel, no network."""
        return page('<div data-model="0"></div>', "body{margin:0}" + self.STYLE, [self.MODULE], [[0, self.state()]],
            title=self.scene["title"] if self.has_trait("scene") else repr(self), lang=self.lang, kind="mg-whole")

    def still(self: Any) -> Mapping[str, Any]:
        """What is shown where no widget is."""
        return {"text/plain": self.to_text()}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **kwargs: Any) -> Any:
        """The widget and `still()`; from now on it is seen in the cell that runs."""
        self.layout.open()  # these do nothing unless it was closed
        self.open()
        _seen.setdefault(None, []).append(self)
        self.shown = True
        return with_still(super()._repr_mimebundle_(include=include, exclude=exclude, **kwargs), self.still())

    def close(self) -> None:
        """Take it off the page, and out of memory; whoever still holds it may show it again."""
        self.layout.close()  # ipywidgets leaves it
        super().close()
        self.__dict__.pop("_repr_mimebundle_", None)  # ipywidgets puts None there


class Player(Stage):
    """A recorded backward as a widget; see `step`. `path` tells in which order nodes were chosen, `refused` which
    were not ready, `forced` which of them ran anyway, and `answers` what was asked and answered."""

    scene = traitlets.Dict().tag(sync=True)
    pictures, steps, path, refused, forced, answers, breaks = (traitlets.List[Any]().tag(sync=True) for _ in range(7))
    frame, want = (traitlets.Int(0).tag(sync=True) for _ in range(2))
    drive, predict, live = (traitlets.Bool(False).tag(sync=True) for _ in range(3))

    def __init__(self, graph: Graph, frames: tuple[Frame, ...], *, preview: bool = False, call: str = "",
                 breakpoints: tuple[str, ...] = (), anyway: dict[str, tuple[Frame, ...]] | None = None,
                 forward: Sequence[Event] = (), **shown: Any) -> None:
        self.graph, self.frames = graph, frames
        self.scenes = Scenes(graph, "preview" if preview else "live" if shown.get("live") else "over", call, forward)
        self.kept = tuple(f for f in frames if f.step <= MOST_STEPS)  # what the browser gets
        steps = self.scenes.steps(self.kept)
        drawn = pictures(graph, widest_texts(steps) if steps else expected_texts(graph))
        early = {key: self.scenes.steps(frames) for key, frames in (anyway or {}).items()}
        scene = self.scenes.scene() | {"early": None if anyway is None else early} | self.scenes.forward(forward)
        if len(self.kept) < len(frames):  # nor can nodes be chosen: where they lead is not there
            rest = both("player.first_steps", count=MOST_STEPS, all=len(graph.nodes))
            scene |= {"faulty": True, "before": joined(scene["before"], rest)}
        scene["faulty"] |= frames[-1].kind == "lost"
        for place, one in enumerate(steps, 1):  # torch takes leaves that are ready in an order of its own
            scene["nodes"][one["id"]]["rank"] = place
        leaves = {n.id: graph.tensor(n.leaf).name for n in graph.nodes if n.leaf}
        known = {word for n in graph.nodes for word in (n.name, leaves.get(n.id)) if word}
        for name in breakpoints:
            demand(name in known, "draw.no_scope", what="breakpoints", name=name, known=", ".join(sorted(known)[:12]))
        scene, steps = json.loads(visible(json.dumps([scene, steps], ensure_ascii=False)))
        super().__init__(pictures=drawn, scene=scene, steps=steps, frame=-len(forward),
                         breaks=[n.id for n in graph.nodes if {n.name, leaves.get(n.id)} & {*breakpoints}], **shown)

    # ---- exports

    def to_json(self) -> str:
        """The recorded backward as JSON: graph, scenes and state."""
        state = {name: value for name, value in self.state().items() if name != "pictures"}
        return visible(json.dumps({**state, "graph": self.graph.to_dict()}, ensure_ascii=False, indent=1))

    def to_text(self) -> str:
        """The trace in words of the API, the same in every language."""
        return visible(transcript(self.graph, self.frames))

    def still(self) -> Mapping[str, Any]:
        """A picture, and the trace; what the player asks stands in neither."""
        view, told = ("record", {}) if self.drive or self.predict else ("backward", {"text/plain": self.to_text()})
        return {**Drawing(self.graph, view, lang=self.lang).still(), **told}

    def __repr__(self) -> str:
        return say("player.repr", title=self.scene["title"], count=len(self.steps))


class LivePlayer(Player):
    """A backward that waits: each click runs one node of the real engine.

    A click is a number: how many nodes shall have run. While a cell is running it arrives on another
    thread, which only hands it to the kernel's loop; work is done on the main thread, between cells,
    and in the context of `step`'s caller (a context variable set in a cell is not seen elsewhere).
    """

    def __init__(self, recorder: Recorder, **shown: Any) -> None:
        global _live
        if _live is not None and (old := _live()) is not None:
            old.abandon()
        _live = weakref.ref(self)
        self.recorder: Recorder | None = recorder
        self.context, self.thread = contextvars.copy_context(), threading.get_ident()
        self.loop: asyncio.AbstractEventLoop | None = None
        with contextlib.suppress(RuntimeError):  # a plain script: there is only one thread
            self.loop = asyncio.get_running_loop()
        super().__init__(recorder.graph, tuple(recorder.frames), live=True, **shown)
        recorder.hold()
        self.observe(self._asked, "want")

    def _asked(self, change: Any) -> None:
        if self.loop is None or threading.get_ident() == self.thread:
            self.context.run(self.advance)
        else:
            self.loop.call_soon_threadsafe(self.advance, context=self.context)

    def advance(self) -> None:
        """Run nodes until `want` of them are done, and show what they did."""
        recorder = self.recorder
        if recorder is None:
            return
        while recorder.done < self.want and recorder.advance():
            pass
        self.frames = tuple(recorder.frames)
        self.steps = self.scenes.steps(self.frames)
        if recorder.error is not None or recorder.done == len(self.graph.nodes):
            self.abandon()

    def abandon(self) -> None:
        """Leave the rest of the walk, if there is any; what has run stays as it is."""
        if self.recorder is not None:
            self.recorder.leave()
            self.recorder = None

    def close(self) -> None:
        """Leave the walk before the widget goes."""
        self.abandon()
        super().close()
