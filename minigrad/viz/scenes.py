"""What the player says and shows: a recorded backward turned into scenes, in both languages.

Takes the records and frames of `minigrad.graph` and makes plain JSON: one entry per step with its
captions, its rule as MathML, the marks and numbers that each event sets in the picture, and the
question that Predict asks. No arithmetic happens here or in the browser; all numbers are texts.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

from ..graph.forward import Event, Value
from ..graph.program import is_cell, source_of
from ..graph.recorder import Frame, Sent, running_order
from ..graph.rule import MOST_ROOM
from ..graph.snapshot import Graph, NodeRecord, Span, TensorRecord, attribute, by_key
from ..graph.symbols import NamedValue, Symbols, bare, tex_name, upright
from ..text import LANGUAGES, both, say, script_words, table
from . import levels, words
from .theme import shorten

SENT = 4  # gradients that a caption names
NESTED = re.compile(r"(?<![\w\]])\[(\[[^\[\]]*\](?:, \[[^\[\]]*\])*)\](\^\{\\top\})?")  # a matrix as nested brackets
SHORT = 40  # lines of a file that is shown as a whole
WORDS = re.compile(  # of a language
    r"\\(?:text\{(?=else)|mathrm\{(?=copies|neighbours|weight\}|window|maxima|part|standardized))(\w+)\}")
NAMES = re.compile(r"\\text\{(?!\+=)[^{}]*\}")
BLANK = 0xE000  # characters that nobody writes
PARTS = re.compile(r"\\(?:text|mathrm)\{([^{}]+)\}|\d+(?:\.\d+)?")
BLANKS = re.compile(r"(<mn>|<mi>)(\d+|[\ue000-\uf8ff])<")
LINE = 400  # px, of a line of code beside a node's name
FAULTY = {"replace": ("add", "moments.replaced"), "no_sum": ("unbroadcast", "moments.first_copy")}  # says it otherwise
# when it is asked, the slot that it hides, the question, its answer, wrong ones, and why the one and not the other
Question = tuple[int, str, dict[str, str], str, list[str], str, str]


class Scenes:
    """The scenes of one recorded backward; `steps(frames)` grows with the frames of a live one."""

    def __init__(self, graph: Graph, run: str = "preview", options: str = "", events: Sequence[Event] = ()) -> None:
        self.graph, self.run = graph, run  # "preview", "live", or "over": it has run before the first frame is seen
        self.titles, self.labels = (names := Symbols(graph, False)).titles, names.labels
        self.call = f"{self.labels[graph.roots[0]]}.backward({options})"
        self.named, self.last = [t.name for t in graph.tensors if t.name], [n.id for n in graph.nodes[-4:]]
        self.turns = {id: f"{i} / {len(r.turns)}" for r in graph.repeats if r.all
                      for i, turn in enumerate(r.turns, 1) for id in turn}
        self.spans = [n.span for n in graph.nodes if n.span]
        self.sources = listing(self.spans + [e.span for e in events if e.span])

    # ---- what is known before anything runs

    def scene(self) -> dict[str, Any]:
        """All that the player shows before the first step, and its own words."""
        tensor, root = self.graph.tensor(self.graph.roots[0]), bare(self.labels[self.graph.roots[0]])
        scopes = {s.id: f"{s.name}()" if s.kind == "call" else f"{s.path} {s.name}".strip() for s in self.graph.scopes}
        folded, made = levels.fold(self.graph, "ops"), sorted(self.graph.nodes, key=lambda n: n.seq)
        lines = dict.fromkeys(n.line for n in made if n.line)  # of the learner's, in the order in which they first ran
        scopes |= {id: " ".join(words.title_of(folded, id)) for id in folded.rolls}
        return {"schema": "minigrad.player/1", "title": f"minigrad.step({root})", "call": self.call,
            "before": self.before(root), "code": "\n".join(text for _, text in lines), "faulty": bool(self.graph.fault),
            "sources": [[*s.items()] for s in self.sources.values()], "scopes": scopes,
            "nodes": {n.id: self.node(n) for n in self.graph.nodes},
            "root": {"name": root, "value": tensor.value or tensor.shape},
            "ui": script_words("player") | ({"sum": both("moments.lies_there")} if self.graph.fault else {})}

    def before(self, root: str) -> dict[str, str]:
        """The caption of frame 0."""
        kept = [s for n in self.graph.nodes for s in n.saved if s.is_tensor and not s.freed]
        saved = sum(s.text.count("tensor(") or 1 for s in kept)  # of several indices each
        hooks = "_hooks" if self.run == "preview" and self.graph.hooks else ""
        note = None if self.run == "live" else both(f"player.{self.run}{hooks}")
        hides = ["hides", *["lines"] * (not self.spans), *["rnn"] * any("Rnn" in n.name for n in self.graph.nodes)]
        hidden = (both(f"player.torch_{one}", root=root) for one in hides if self.graph.library == "torch")
        return joined(fault_said(self.graph), both("player.say_before", call=self.call, saved=saved), note, *hidden)

    def node(self, node: NodeRecord) -> dict[str, Any]:
        """What the player knows of a node at any time."""
        leaf = node.leaf and self.graph.tensor(node.leaf)
        made = {"title": self.title(node.id), "formula": self.formula(node), "leaf": node.leaf,
                "needs": self.graph.consumers[node.id], "rank": running_order(node.id), "turn": self.turns.get(node.id),
                "outs": [t.id for t in self.graph.outputs(node.id)], "at": self.at(node.span), "scope": node.scope,
                "words": self.words(node)}
        return made | ({"grad": leaf.grad or "None", "shape": str(leaf.shape)} if leaf else {})

    def forward(self, events: Sequence[Event]) -> dict[str, Any]:
        """What ran before, event by event, and with which event each part of the picture appears."""
        if not events:
            return {}
        born, lines = dict[str, int](), dict[int, int]()
        for i, e in enumerate(events, -len(events)):
            node = self.graph.nodes_by_id.get(e.node)
            used = [*(x.tensor for x in node.edges), *(x.tensor for x in node.saved)] if node else []
            tensors = [id for id in used if id] + [t.id for t in self.graph.outputs(e.node or "-")]
            leaves = [self.graph.tensor(id).node or "" for id in tensors if self.graph.tensor(id).kind == "leaf"]
            hooks = [h.id for h in self.graph.hooks if h.node == e.node]
            around = self.graph.chains[node.scope] if node else []
            born |= {id: i for id in (e.node, *tensors, *leaves, *hooks, *around) if id not in born}
            lines |= {n: i for n in (range(e.span.first, e.span.last + 1) if e.span else ()) if n not in lines}
        for cut in self.graph.cuts:  # with its line, or with what took what it left
            taken = (id.partition(":")[0] for one in self.graph.onward[cut.id] for id in (*one.into, one.tensor or ""))
            born[cut.id] = lines.get(cut.line[0] if cut.line else 0, min((born.get(id, 0) for id in taken), default=0))
        return {"forward": [self.ran(e) for e in events], "born": born}

    def ran(self, e: Event) -> dict[str, Any]:
        """One event of forward: a line, a leaf, or a node with its value."""
        if not e.node:
            first = e.span.first if e.span else 0
            return {"id": "", "at": self.at(e.span), "say": both("player.forward_line", line=first), "ins": []}
        id = next((t.id for t in self.graph.outputs(e.node)), "")
        name = self.labels.get(id, "")
        key = "leaf" if self.graph.node(e.node).leaf else "make" if e.value else "unkept"
        ins = {id: self.value(id, self.labels[id], value) | {"edge": edge} for edge, id, value in e.ins}
        say_it = both(f"player.forward_{key}", name=bare(name), node=self.title(e.node))
        out = self.value(id, name, e.value)
        said = joined(say_it, both("player.tangent")) if "moves" in out else say_it
        return {"id": e.node, "at": self.at(e.span), "say": said, "ins": [*ins.values()], "out": out}

    def value(self, id: str, name: str, value: Value | None) -> dict[str, Any]:
        """A value with its name, and how it moves; without one nobody kept it."""
        told = {"text": value.text, "exact": value.exact, "math": mathml(grids(value.tex))} if value else {}
        moves = self.graph.tensor(id).tangent if id else None
        return {"name": bare(name), **told} | ({"moves": moves} if moves else {})

    def at(self, span: Span | None) -> list[int] | None:
        """A part of a source as players have it: which one, first and last line, where (UTF-16) it begins and ends."""
        if span is None:
            return None
        lines, places = source_of(span.file).lines, ((span.first, span.start), (span.last, span.end))
        ends = (len(lines[number - 1].encode()[:n].decode().encode("utf-16-le")) // 2 for number, n in places)
        return [[*self.sources].index(span.file), span.first, span.last, *ends]

    def words(self, node: NodeRecord) -> dict[str, str] | None:
        """The learner's expression and line, as far as the title does not have them."""
        if node.span is None:
            return None
        spoken = node.source and node.source not in self.title(node.id)
        return both("player.words" if spoken else "player.words_line", source=node.source, line=node.span.first)

    def formula(self, node: NodeRecord) -> str:
        """What a node computes, in words of no language."""
        if node.leaf:
            return f"{self.graph.tensor(node.leaf).name or self.labels[node.leaf]}.grad"
        return node.formula or shorten(node.line[1] if node.line else "", LINE)  # words of neither language

    def title(self, id: str | None) -> str:
        """What a node is called, and no other."""
        return self.titles[id or ""]

    # ---- the steps

    def steps(self, frames: tuple[Frame, ...]) -> list[dict[str, Any]]:
        """The scenes of the steps that have run; the signs of rules are explained where they first come."""
        several = by_step(frames)
        coming = [*(events[0].node for events in several[1:]), ""]
        made = [self.step(events, after) for events, after in zip(several, coming, strict=False)]
        signs = table("names")["signs"]
        for one in made:
            rules = NAMES.sub("", " ".join(row.get("text", "") for row in one["rows"]))
            new = [sign for sign, form in signs.items() if re.search(form, rules)]
            one["signs"] = joined(*(both(f"player.sign_{sign}") for sign in new))
            signs = {sign: form for sign, form in signs.items() if sign not in new}
        return made

    def step(self, frames: list[Frame], after: str) -> dict[str, Any]:
        """One step: its events, its callout, what leaves, and a question."""
        id = frames[0].node
        gone = next((f.before for f in frames if f.kind == "compute"), None)
        came = gone or next((f.name or f.after for f in frames if f.kind in ("accumulate", "seed")), "")
        events = [self.event(f) for f in frames]
        events[-1]["say"] = joined(events[-1]["say"], *map(self.exactly, frames[:-1]))  # by nodes one sees no other
        # of an engine with a fault nothing is asked: the reasons are those of one without
        at = None if self.graph.fault else next(
            (i for i, f in enumerate(frames) if f.kind in ("compute", "accumulate")), None)
        quiz, first = (None, None) if at is None else (self.quiz(frames, at), self.first_quiz(frames, at, after))
        return {"id": id, "incoming": came, "events": events, "rows": self.rows(frames), "quiz": quiz, "first": first}

    def event(self, f: Frame) -> dict[str, Any]:
        """One event: what is said, what it writes into the picture, what lights up."""
        name = f'broken("{self.graph.fault}")'
        fault = {"en": name + ":", "zh": name + "："} if self.graph.fault else None
        said = getattr(self, f"say_{f.kind}", self.caption)(f)
        made: dict[str, Any] = {"kind": f.kind, "say": joined(fault, said, self.exactly(f))}
        (slots, marks), node = self.changes(f), self.graph.node(f.node)
        extra = {"slots": slots, "marks": marks,
            "freed": [f"{f.node}.{name}" for name in f.name.split(", ")] if f.kind == "free" else [],
            "sends": [{"to": s.to, "nr": node.edge(s.slot).nr, "total": s.total, "n": s.arrived, "text": s.text,
                       "edge": node.edge_id(s.slot)} for s in f.sent if s.to]}
        made |= {key: value for key, value in extra.items() if value}
        if f.kind == "error":
            clause = f.before.split(" (")[0].split(". ")[0]  # the whole of the message stands in the trace
            made |= {"bad": f"{f.name}: {clause}{' …' * (clause != f.before)}", "note": self.note(f)}
        return made

    def changes(self, f: Frame) -> tuple[dict[str, str], list[str]]:
        """Numbers that an event writes into the picture, and the parts that light up."""
        here = f"in:{f.node}:{f.slot}"
        if f.kind == "seed":
            return {f"seed:{f.node}": f.after}, [f"seed:{f.node}"]
        if f.kind == "hook":
            before = f.ran and self.hook_kind(f) in ("tensor", "pre")
            return ({here: f.after}, [f.part or "", here]) if before else ({}, [f.part or ""])
        if f.kind == "capture":
            return {f"grad:{f.part}": f.after, here: f.name}, [f"grad:{f.part}", here]
        if f.kind == "compute":
            outputs = [f"in:{f.node}:{t.nr}" for t in self.graph.outputs(f.node)]
            return ({here: f.before} if len(outputs) == 1 else {}), outputs
        if f.kind == "unbroadcast":
            edge = f"{f.node}:{f.slot}"
            return {f"sum:{edge}": f.sum if 0 < len(f.sum) <= MOST_ROOM else f.after}, [f"sum:{edge}"]
        if f.kind == "send":
            live = {f"{f.node}:{s.slot}": s for s in f.sent if s.to and s.text != "None"}
            sums = {f"{f.node}:{e.slot}" for e in self.graph.node(f.node).edges if e.expands}
            return {f"edge:{e}": s.text for e, s in live.items() if e not in sums}, [*live, f"out:{f.node}"]
        leaf = f.part if f.kind == "inner" else self.graph.node(f.node).leaf
        return ({f"grad:{leaf}": f.after}, [here]) if f.kind in ("accumulate", "inner") else ({}, [])

    def hook_kind(self, f: Frame) -> str:
        """The kind of the hook of a "hook" frame."""
        return next((h.kind for h in self.graph.hooks if h.id == f.part), "tensor")

    # ---- captions

    def name_at(self, f: Frame) -> str:
        """The tensor whose gradient a hook or a copy takes: an output of the node, or its leaf."""
        outputs = [t for t in self.graph.outputs(f.node) if t.nr == f.slot]
        return bare(self.labels[outputs[0].id]) if outputs else self.title(f.node)

    def caption(self, f: Frame) -> dict[str, str]:
        """What is said of an event; the sentences of all kinds choose among the same blanks."""
        node = self.graph.node(f.node)
        fields = ", ".join(f"`{s.field}`" for s in node.saved if s.is_tensor and s.text != "None")
        again = ", ".join(dict.fromkeys(s.text for s in node.saved if s.later is not None))
        seen = "hidden" if f.name == "?" and f.part is None else self.hook_kind(f)
        kind = {"hook": f"hook_{seen}" if f.ran else "hook_shown",
                "compute": "compute_none" if {*f.before.split(", "), *f.outgoing} == {"None"} else
                           "compute_again" if again else "compute_saved" if fields else "compute",
                "accumulate": "nothing" if f.name == "None" else "put" if f.before == "None" else "add",
                "capture": "capture" if f.before == "None" else "capture_more"}.get(f.kind, f.kind)
        faulty, word = FAULTY.get(self.graph.fault or "", ("", ""))
        summed = self.graph.tensor(node.edges[f.slot].tensor) if kind == "unbroadcast" else None
        return both(word if kind == faulty else f"player.say_{kind}", node=self.title(f.node), type=node.name,
                    on=self.name_at(f), name=bare(self.labels[summed.id]) if summed else f.name, before=f.before,
                    after=f.after, fields=fields, again=again, sum=f.sum or f"{f.before} → {f.after}",
                    shape=summed and summed.shape)

    def exactly(self, f: Frame) -> dict[str, str] | None:
        """What stands behind `≈`, with all digits; a rule whose result the engine sums shows only the sum."""
        about = [(f.sum, f.exact), *((s.sum, s.exact) for s in f.sent), *(
            (r.filled_in, r.exact) for r in f.rules if not self.graph.node(f.node).edge(r.slot).expands)]
        texts = [exact for words, exact in about if exact and ("≈" in words or r"\approx" in words)]
        return both("player.exactly", values="; ".join(dict.fromkeys(texts))) if texts else None

    def say_send(self, f: Frame) -> dict[str, str]:
        """What is said of the gradients that leave, and of edges that lead nowhere."""
        live = [s for s in f.sent if s.to]
        parts = [both("player.send_to", grad=s.text, to=self.title(s.to)) for s in live[:SENT]]
        parts += [both("player.send_more", count=len(live) - SENT)] if len(live) > SENT else []
        what = {"en": " and ".join(p["en"] for p in parts), "zh": "，".join(p["zh"] for p in parts)}
        none = both("player.say_none", node=self.title(f.node)) if len(live) < len(f.sent) else None
        return joined(both("player.say_send", node=self.title(f.node), what=what) if live else None, none)

    def note(self, f: Frame) -> dict[str, str]:
        """Why it failed: which field was freed, if that is the reason; else the engine's own note."""
        freed = [s.field for s in self.graph.node(f.node).saved if s.freed]
        if freed and "second time" in f.before:
            return both("player.note_freed", node=self.title(f.node), fields=", ".join(freed))
        return dict(zip(LANGUAGES, f.notes, strict=True))

    # ---- the callout

    def rows(self, frames: list[Frame]) -> list[dict[str, Any]]:
        """The lines of the callout; `at` is the event from which a line, or its number, is known."""
        made: list[dict[str, Any]] = []
        sums = {f.slot: (i, f) for i, f in enumerate(frames) if f.kind == "unbroadcast"}
        for i, f in enumerate(frames):
            if f.kind == "hook" and f.ran:
                into = self.hook_kind(f) in ("tensor", "pre") and not made
                made.append({"gate": f.name, "before": f.before, "after": f.after, "at": i, "into": into})
            if f.printed:
                made.append({"printed": f.printed.rstrip("\n"), "at": i})
            made += [self.rule_row(r, i, sums.get(r.slot)) for r in f.rules]
            if f.kind == "compute" and not f.rules:  # nobody has written a rule down
                gave = ", ".join(f.outgoing)
                made.append({"text": f"{self.graph.node(f.node).name}({f.before})", "at": i,
                             "value": f"= ({gave})" if len(f.outgoing) > 1 else f"= {gave}"})
            if f.kind == "accumulate":
                made.append({**self.filled_words(f), "exact": f.exact, "digest": f.digest, "at": i})
            for s in (s for s in f.sent if s.sum):  # gradients that meet (`to`: where); true while the same come first
                now, before, came = (one.tex for one in s.symbols)
                made.append({**formula(f"{now} = {before} + {came}", s.symbols), "value": f"= {s.sum}",
                             "exact": s.exact, "at": i, "to": s.to, **in_tex(f"= {s.whole or s.sum}")})
        return made

    def rule_row(self, rule: Any, at: int, summed: tuple[int, Frame] | None) -> dict[str, Any]:
        """A rule in the callout, as TeX, as MathML, and with numbers."""
        tex, filled_in, plain, exact = rule.tex, rule.filled_in, f"= {rule.result}", rule.exact
        if summed:
            at, f = summed
            left, right = tex.split(" = ", 1)
            word = "first" if self.graph.fault == "no_sum" else "sum"
            tex, plain, exact = rf"{left} = \mathrm{{{word}}}\left({right}\right)", f"= {f.sum or f.after}", f.exact
            filled_in = plain.replace("−", "-").replace("≈", r"\approx") if f.sum and "e" not in f.sum else ""
        put_in = re.sub(r"^(= .+) \1$", r"\1", grids(filled_in))  # a matrix that is turned over, and no more
        return {**formula(tex, rule.symbols), "num": in_words(put_in, put_in), "value": plain, "exact": exact, "at": at,
                "cells": cell_by_cell(put_in)}

    def filled_words(self, f: Frame) -> dict[str, Any]:
        """What becomes of `.grad`: `w.grad + ∂loss/∂w`, and its numbers."""
        here = self.formula(self.graph.node(f.node))
        if not f.sum:
            put = in_tex(rf"\text{{None}} \to {f.whole}" if f.whole else "")
            return {"text": here, "value": f"{f.before} → {f.after}", **put}
        added = formula(f"{tex_name(here)} + {f.symbols[0].tex}", f.symbols)
        return added | {"value": f"= {f.sum}", **in_tex(f"= {f.whole or f.sum}")}

    # ---- predictions

    def quiz(self, frames: list[Frame], at: int) -> dict[str, Any] | None:
        """A question about the most telling gradient of this step, with wrong answers that people give.

        `at`: the event by which gradients are computed, or put into `.grad`.
        """
        asked = ([self.accumulate_quiz(at, frames[at])] if frames[at].kind == "accumulate" else
                 [self.send_quiz(frames, at), self.shape_quiz(frames, at)])
        return next(filter(None, (self.asked(one, frames[0].step) for one in asked if one)), None)

    def asked(self, question: Question, step: int) -> dict[str, Any] | None:
        """A question with two or three answers; None where only one could be meant, or numbers are left out."""
        at, slot, ask, answer, wrong, why, not_why = question
        read = [re.sub(r"\.0+\b", "", w) for w in (answer, *wrong)]  # as 1.00 is no other answer than 1
        options = [w for n, w in enumerate(wrong, 1) if w not in ("", "None") and read[n] not in read[:n]][:2]
        if not options or "…" in answer:
            return None
        turn = step % (len(options) + 1)
        options.insert(turn, answer)
        first = step % 2
        reasons = [both(f"player.why_{why}"), both(f"player.why_{not_why}")] if why else []
        right = both("player.quiz_right", answer=answer)
        return {"at": at, "slot": slot, "ask": ask, "options": options, "answer": turn,
                "reasons": reasons[::-1] if first else reasons, "reason": first,
                "why": joined(right, both(f"player.why_{why}_said") if why else None)}

    def first_quiz(self, frames: list[Frame], at: int, after: str) -> dict[str, Any] | None:
        """Before the gradient: which note is used, who receives, what is freed, or which node is next; in turn."""
        node, last = frames[at].node, frames[-1]
        uses = [(self.graph.node(node).edges[r.slot].node, [s.en for s in r.symbols[2:]]) for r in frames[at].rules]
        asked: list[tuple[str, str | None, str, list[str]]] = [  # kind, to whom, answer, wrong ones
            ("note", to, used[0], [s.text for s in self.graph.node(node).saved if s.is_tensor] + self.named)
            for to, used in uses if len(self.graph.outputs(node)) == 1 and used and used[0] in self.named
            and all(other == used[:1] for way, other in uses if way == to)]  # it may send there twice
        sent = by_key((s.to, s.text) for f in frames for s in f.sent if s.to)  # to whom, and what
        others = [self.titles[id] for id in self.last if id not in (*sent, node)]
        asked += [("receiver", None, self.title(id), others[-2:]) for id, texts in sent.items()
                  if len(sent) == 1 and {*texts} != {"None"}]
        freed = [", ".join(map(attribute, f.name.split(", "))) for f in frames if f.kind == "free"]
        asked += [("freed", None, text, [f"{n}.grad" for n in self.named]) for text in freed]
        later = [self.title(id) for id in last.queue if not self.graph.node(id).leaf]  # among leaves no order is fixed
        asked += [("next", None, self.title(after), later)] if after in last.queue else []
        made = [self.asked((at, "", both(f"player.ask_{kind}", node=self.title(node), to=self.title(to) if to else ""),
                            answer, wrong, "", ""), last.step) for kind, to, answer, wrong in asked]
        known = [quiz | {"kind": one[0]} for quiz, one in zip(made, asked, strict=True) if quiz]
        return known[last.step % len(known)] if known else None

    def accumulate_quiz(self, at: int, f: Frame) -> Question | None:
        """What becomes of `.grad` where something lies in it already."""
        if f.before == "None":
            return None
        leaf = self.graph.tensor(self.graph.node(f.node).leaf or "")
        ask = both("player.ask_grad", leaf=self.labels[leaf.id])
        return at, f"grad:{leaf.id}", ask, f.after, [f.name, f.before], "accumulate", "overwrite"

    def send_quiz(self, frames: list[Frame], at: int) -> Question | None:
        """Which gradient one input gets."""
        f, sent = frames[at], [s for g in frames for s in g.sent if s.to and s.text != "None"]
        if not sent:
            return None
        summed = {g.slot: g for g in frames if g.kind == "unbroadcast"}
        one = max(sent, key=lambda s: (s.slot in summed, s.text != f.before, -s.slot))
        ask = both("player.ask_send", node=self.title(f.node), to=self.title(one.to))
        rule = next((r for r in f.rules if r.slot == one.slot), None)
        same = rule is not None and rule.tex.endswith(f" = {rule.symbols[1].tex}")  # not just this time
        edge, wrong = f"{f.node}:{one.slot}", [*self.values(self.graph.node(f.node), one), "1"]
        why, not_why = ("same", "value") if same else ("rule", "value" if one.text == f.before else "same")
        if one.slot in summed:
            wrong, why = [summed[one.slot].before, *wrong], "sum"
        elif one.text != f.before:
            wrong = [f.before, *wrong]
        hooked = any(g.kind == "hook" and self.hook_kind(g) == "post" for g in frames)
        if rule is None or hooked or (why == "same" and one.text != f.before):  # or a cast: nobody knows it from here
            why = not_why = ""
        wrong = [w for w in wrong if w not in {s.text for s in sent if s.to == one.to}]  # it sends that too
        return at, f"sum:{edge}" if one.slot in summed else f"edge:{edge}", ask, one.text, wrong, why, not_why

    def shape_quiz(self, frames: list[Frame], at: int) -> Question | None:
        """What shape a gradient has, where its numbers are too many to ask for."""
        node, sent = self.graph.node(frames[at].node), {s.slot for f in frames for s in f.sent if s.text != "None"}
        edges = [(e, self.graph.tensor(e.tensor).shape) for e in node.edges
                 if e.node and e.slot in sent and e.tensor and self.graph.tensor(e.tensor).dtype]
        if not edges:
            return None
        out = self.graph.outputs(node.id)[0].shape
        edge, shape = max(edges, key=lambda one: (one[1] != out, one[1] != one[1][::-1], -one[0].slot))
        ask = both("player.ask_shape", node=self.title(node.id), to=self.title(edge.node))
        others = [str(o) for o in (out, shape[::-1], ()) if o not in {s for e, s in edges if e.node == edge.node}]
        return at, f"edge:{node.edge_id(edge.slot)}", ask, str(shape), others, "shape", "out_shape"

    def values(self, node: NodeRecord, sent: Sent) -> list[str]:
        """Forward values that are mistaken for the gradient: the input's and the output's."""
        tensors = [self.graph.tensor(e.tensor) for e in node.edges if e.tensor and e.slot == sent.slot]
        tensors += self.graph.outputs(node.id)
        return [t.value for t in tensors if t.value and "…" not in t.value]


def listing(spans: list[Span]) -> dict[str, dict[int, str]]:
    """The lines of each source by number: a cell, or of a longer file what stands around the spans."""
    found: dict[str, dict[int, str]] = {}
    for file in dict.fromkeys(span.file for span in spans):
        source, used = source_of(file), {span.first for span in spans if span.file == file}
        parts = [range(one.lineno, (one.end_lineno or one.lineno) + 1) for one in source.tree.body]
        kept = [n for part in parts if not used.isdisjoint(part) for n in part]
        whole = range(len(source.whole) - len(source.whole.lstrip("\n")) + 1, len(source.lines) + 1)
        shown = whole if is_cell(file) or len(source.lines) <= SHORT else kept  # no magic: nobody wrote it as it runs
        found[file] = {n: line for n in shown if not (line := source.lines[n - 1]).startswith("get_ipython().")}
    return found


def widest_texts(steps: list[dict[str, Any]]) -> dict[str, str]:
    """The longest text that each slot will hold, so that the layout keeps room for it.

    A wire has air at both ends of its text already: two characters less, of two left, keep the picture narrow.
    """
    found: dict[str, str] = {}
    for event in (e for s in steps for e in s["events"]):
        for slot, text in event.get("slots", {}).items():
            text = text[:max(2, len(text) - 2)] if slot.startswith("edge:") else text
            found[slot] = max(found.get(slot, ""), text, key=len)
    return found


def expected_texts(graph: Graph) -> dict[str, str]:
    """The same for a backward that has not run: as wide as a gradient of each shape usually is."""
    wide: dict[str | None, str] = {t.id: gradient_like(t) for t in graph.tensors}
    slots = {f"grad:{t.id}": wide[t.id] for t in graph.tensors}
    slots |= {f"in:{t.node}:{t.nr}": wide[t.id] for t in graph.tensors if t.node}
    return slots | {f"{'sum' if e.expands else 'edge'}:{id}": wide[e.tensor]
                    for id, (_, e) in graph.edges.items() if e.tensor}


def gradient_like(t: TensorRecord) -> str:
    """A text as wide as the gradient of a tensor will be."""
    few = f"[{', '.join(['0.00'] * t.shape[0])}]" if len(t.shape) == 1 and t.shape[0] <= 4 else ""
    return "−0.00" if t.shape == () else few or "[[0.00, −0.00, … ×99]]"


def by_step(frames: tuple[Frame, ...]) -> list[list[Frame]]:
    """The events of each step; the first frame shows what was before."""
    return [list(events) for _, events in groupby((f for f in frames if f.kind != "before"), key=lambda f: f.step)]


def transcript(graph: Graph, frames: tuple[Frame, ...]) -> str:
    """What happened, in words of the API alone, so that it reads the same in every language."""
    scenes = Scenes(graph)
    lines = [scenes.call + (f'   broken("{graph.fault}")' if graph.fault else "")]
    for events in by_step(frames):
        node = graph.node(events[0].node)
        line = f"   line {node.line[0]}: {node.line[1]}" if node.line and node.line[1] else ""
        lines.append(f"{events[0].step} {scenes.title(node.id)}{line}")
        lines += [f"    {words}" for f in events for words in event_lines(scenes, f)]
    return "\n".join(lines)


def event_lines(scenes: Scenes, f: Frame) -> list[str]:
    """One event as lines of plain text."""
    if f.kind == "hook":
        kind = {"tensor": "hook", "pre": "prehook"}.get(scenes.hook_kind(f), scenes.hook_kind(f) + " hook")
        return [f"{kind} {f.name}: {f.before} -> {f.after}" if f.ran else f"{kind} {f.name}"]
    if f.kind == "send":
        lines = [f"next_functions[{s.slot}]: " + (f"{s.text} -> {scenes.title(s.to)}" if s.to else "(None, 0)")
                 for s in sorted(f.sent, key=lambda s: s.slot)]
        return lines + [f"{s.symbols[0].en} = {s.sum}" for s in f.sent if s.sum]
    if f.kind == "accumulate":
        return [f"{scenes.formula(scenes.graph.node(f.node))}: {f.sum or f'{f.before} -> {f.after}'}"]
    met, error = "first" if scenes.graph.fault == "no_sum" else "sum", [f"{f.name}: {f.before}"]
    return {"inner": [f"backward within: {f.name}.grad = {f.after}"], "free": [f"freed: {f.name}"],
            "capture": [f"retain_grad: {scenes.name_at(f)}.grad = {f.sum or f.after}"], "error": error, "lost": error,
            "compute": [f"grad: {f.before}"], "unbroadcast": [f"{met}: {f.sum or f.after}"]}.get(f.kind, [])


def fault_said(graph: Graph) -> dict[str, str] | None:
    """What is wrong with the engine that runs this graph, where something is."""
    return both("moments.engine", bug=graph.fault, what=both(f"moments.{graph.fault}")) if graph.fault else None


def joined(*parts: dict[str, str] | None) -> dict[str, str]:
    """Sentences one after the other; Chinese needs no space between them."""
    known = [p for p in parts if p]
    return {"en": " ".join(p["en"] for p in known), "zh": "".join(p["zh"] for p in known)}


def formula(tex: str, symbols: tuple[NamedValue, ...]) -> dict[str, Any]:
    """TeX and MathML of what is written in `symbols`; where they read otherwise in Chinese a pair of it."""
    chinese = tex
    for s in sorted(symbols, key=lambda s: -len(s.en)):
        chinese = chinese.replace(s.tex, upright(s.zh)) if s.en != s.zh else chinese
    return {"text": tex, "math": in_words(tex, chinese)}


def in_words(tex: str, chinese: str) -> str | dict[str, str]:
    """TeX as MathML; with English words in it, or where the Chinese differs, a pair of it."""
    zh = WORDS.sub(lambda found: rf"\text{{{say(f'player.word_{found[1]}', 'zh')}}}", chinese)
    made = mathml(tex)
    return made if zh == tex or not made else {"en": made, "zh": mathml(zh)}


def in_tex(equation: str) -> dict[str, str]:
    """A sum of matrices as MathML, and how its entries are made; "" for one without, which is text."""
    powers = re.sub(r"(?<=\d)e(−?\d+)", r" \\cdot 10^{\1}", equation).replace("−", "-").replace("≈", r"\approx")
    tex = grids(powers) if "[[" in equation and "…" not in equation else ""
    return {"num": mathml(tex), "cells": cell_by_cell(tex)}


def grids(tex: str) -> str:
    """The same with each `[[1, 2], [3, 4]]` as a matrix with its shape, turned over where `^{\\top}` is behind it."""
    def grid(found: re.Match[str]) -> str:
        rows = [row.split(", ") for row in re.findall(r"\[([^\[\]]*)\]", found[1])]
        rows = [list(column) for column in zip(*rows, strict=True)] if found[2] else rows
        body = r" \\ ".join(" & ".join(row) for row in rows)
        return rf"{{\begin{{bmatrix}} {body} \end{{bmatrix}}}}_{{({len(rows)}, {len(rows[0])})}}"

    return tex if re.search(r"(?<!left)\[\[\[", tex) else NESTED.sub(grid, tex)


def cell_by_cell(tex: str) -> str:
    """How an entry of the result is made: "product" of a row and a column, "each" of the entries in its place."""
    shapes = re.findall(r"bmatrix\}\}_\{(.*?)\}", tex)
    rest = re.sub(r"\{\\begin\{bmatrix\}.*?\\end\{bmatrix\}\}_\{.*?\}", "M", tex).replace(r"\approx", "=")
    if rest == r"= M \; @ \; M = M":
        return "product"
    alike = len(shapes) > 1 == len({*shapes})
    plain = re.fullmatch(r"=(\\odot|\\cdot|\\left\(|\\right\)|\^\{[-\d. ]+\}|[-+ \d.M])+= M", rest)
    return "each" if alike and plain else ""


def mathml(tex: str) -> str:
    """TeX as MathML, without any library in the browser; "" if it cannot be converted.

    Formulas of one form are converted once: the names and numbers are put in afterwards.
    """
    parts: list[str] = []

    def blank(found: re.Match[str]) -> str:
        parts.append(escape(found[1]).replace(" ", "&#x000A0;").replace(r"\_", "_") if found[1] else found[0])
        return rf"\text{{{chr(BLANK + len(parts))}}}" if found[1] else str(len(parts))

    def put_in(found: re.Match[str]) -> str:
        return f"{found[1]}{parts[int(found[2]) - 1 if found[2].isdigit() else ord(found[2]) - BLANK - 1]}<"

    filled, count = BLANKS.subn(put_in, converted(PARTS.sub(blank, tex)))
    return filled if count == len(parts) else converted(tex)  # a digit in a name


@cache
def converted(tex: str) -> str:
    """What latex2mathml makes of it; beside text an operator gets no room."""
    if not tex:
        return ""
    from latex2mathml.converter import convert

    try:
        tex = tex.replace(r"\mathrm{", r"\text{").replace(r"\begin{cases}[", r"\begin{cases}{}[")  # a list, no option
        return convert(tex).replace("mtext>", "mi>")  # a word is one word, also aloud
    except Exception:  # a notation that the converter does not know: the text is shown instead
        return ""
