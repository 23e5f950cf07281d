"""Widgets that follow a program line by line: `versions`, `detective`, and the board of `watch(predict=True)`.

The program runs once, when the widget is made, or has run by itself, for `watch`; what its lines did is shown after
the answers.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ..graph.followed import Followed, cut, pinned, so_far
from ..graph.program import learners_scope
from ..graph.snapshot import Graph, NodeRecord
from ..text import demand
from .asking import Moment, Part, columns, graph_parts
from .display import Drawing
from .reasons import why


def versions(program: str, lang: str | None = None) -> Versions:
    """Run a program in a copy of your names, and ask which saved note goes stale, and which line makes it so.

    Then show the version of each tensor after each line, and the notes that nodes took. In a notebook
    `%%versions` runs the cell itself. What was answered is in `.answers`.
    Raises: SyntaxError as Python does; ValueError where the program makes no tensor of minigrad.
    """
    return Versions(Followed(program, learners_scope()), lang)


def detective(program: str, leaf: str, lang: str | None = None) -> Detective:
    """Run a program in a copy of your names, and ask which line cuts the thread from `leaf`, `w` or `net.weight`.

    Once the line is found the thread is shown, and `why(leaf)` says the rest. In a notebook `%%detective w` runs
    the cell itself. What was answered is in `.answers`, in its order.
    Raises: SyntaxError as Python does; ValueError where the program has no tensor of that name.
    """
    return Detective(Followed(program, learners_scope()), leaf, lang)


def code(program: Followed, name: str | None = None, notes: dict[int, Part] | None = None, free: str = "") -> Part:
    """The lines of a program, to be chosen from; `free` is one more answer."""
    options = [{"text": line, **(notes or {}).get(n, {})} for n, line in enumerate(program.lines, 1)]
    options += [{"text": free, "free": True}] if free else []
    return {"kind": "options", "code": True, "name": name, "options": options}


def trouble(program: Followed) -> list[Part]:
    """The error that ended a program, where there was one."""
    return [{"kind": "text", "role": "aside", "text": f"`{program.error}`"}] if program.error else []


class Versions(Moment):
    """Counters of writes and notes of nodes; see `versions`."""

    def __init__(self, program: Followed, lang: str | None = None) -> None:
        self.program = program
        self.counters, self.pins, self.stale, self.wrote = pinned(program)
        after = dict(zip(program.ran, self.counters, strict=True))  # of a line that ran again, its last run
        self.ran, self.after = [*after], [*after.values()]
        names = [name for known in self.after for name in known] + [pin.tensor for pin in self.pins]
        self.tensors = list(dict.fromkeys(names))
        demand(self.tensors, "moments.no_tensors", error=program.error and f" ({program.error})")
        super().__init__("versions(program)", lang)

    def opening(self) -> dict[str, Any]:
        rows = [[name, *({"name": "pin", "value": f"{name},{line}", "one": True, "label": f"{name}, {line}"}
                         if name in known or name not in self.program.names else ""
                         for line, known in zip(self.ran, self.after, strict=True))] for name in self.tensors]
        lines = {**code(self.program, "line", free=self.say("no_line")), "label": self.say("versions_line")}
        nothing = {"kind": "options", "name": "pin", "options": [{"text": self.say("no_pin")}]}
        table = {**self.table(map(str, self.ran), rows), "label": self.say("versions_pin")}
        told = [] if "inplace" in self.program.error else trouble(self.program)  # that one is what is asked
        return {"parts": [self.text("versions_ask", "ask"), columns([table, nothing], [lines]), self.button("answer"),
                          *told]}

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        self.expect("pin" in values, "no_pin_chosen")
        self.expect("line" in values, "no_line_chosen")
        lines, (pin,), stale = self.program.lines, values["pin"], self.stale
        line = (int(values["line"][0]) + 1) % (len(lines) + 1)  # 0: no line
        marked = f"{line}: {lines[line - 1].strip()}" if line else self.say("no_line")
        given = f"{self.say('no_pin') if pin == '0' else pin.replace(',', ', ')}; {marked}"
        right = (pin, line) == ((f"{stale.tensor},{stale.line}", stale.by) if stale else ("0", 0))
        said = self.verdict(self.say("versions_ask"), given, right)
        key = "found" if stale else "unused" if any(pin.stale for pin in self.pins) else "fresh"
        found = self.text(f"versions_{key}", "found", **(vars(stale) if stale else {}))
        rows = [[name, *(self.cell(name, k) for k in range(len(self.ran)))] for name in self.tensors]
        notes: dict[int, Part] = {pin.by: {"state": "bad", "note": self.say("writes", tensor=pin.tensor)}
                                  for pin in self.pins if pin.stale}
        beside = columns([self.table(map(str, self.ran), rows)], [code(self.program, notes=notes)])
        return {"parts": [found, beside, self.text("versions_key"), *trouble(self.program)], "said": said}

    def cell(self, name: str, k: int) -> Part | str:
        """The version of a tensor after a line, and the pins that this line put in."""
        now = self.after[k].get(name)
        words = [] if now is None else [f"v{now}" + " ↑" * ((self.ran[k], name) in self.wrote)]
        pins = [pin for pin in self.pins if pin.tensor == name and pin.line == self.ran[k]]
        words += [self.say("stale_pin" if pin.stale else "pin", version=pin.version) for pin in pins]
        return {"text": "  ".join(words), "state": "bad" if any(pin.stale for pin in pins) else ""}


class Detective(Moment):
    """The thread from a leaf through the lines; see `detective`."""

    def __init__(self, program: Followed, leaf: str, lang: str | None = None) -> None:
        self.program, self.leaf = program, leaf
        self.cuts, self.end, self.thread = cut(program, leaf)
        ended = program.error and f" ({program.error})"
        demand(hasattr(type(program.value(leaf)), "grad_fn"), "moments.no_leaf", name=leaf, error=ended)
        names = {**program.scope, "why": why}  # it looks for results among the names where it is called
        # as if it were the next line; what it says of other lines, or how to mend them, is not asked here
        call = compile("\n" * len(program.lines) + f"str(why({leaf}))", program.place, "eval")
        told = str(eval(call, names)).split("\n")[0]
        ours = "<program" not in told and any(re.search(rf"(?<!\d){n}(?!\d)", told) for n in self.cuts)
        self.reason = told if ours else ""  # not what it says of a program before
        super().__init__(f"detective(program, {leaf!r})", lang)

    def opening(self) -> dict[str, Any]:
        lines = code(self.program, "line", free=self.say("no_line"))
        beside = columns([lines, self.button("answer")], [self.text("detective_covered", leaf=self.leaf)])
        return {"parts": [self.text("detective_ask", "ask", leaf=self.leaf), beside, *trouble(self.program)]}

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        self.expect("line" in values, "no_line_chosen")
        line = int(values["line"][0]) + 1
        none = line > len(self.program.lines)
        right = not self.cuts if none else line in self.cuts
        given = self.say("no_line") if none else f"{line}: {self.program.lines[line - 1].strip()}"
        said = self.verdict(self.say("detective_ask", leaf=self.leaf), given, right)
        self.expect(right, "detective_again", line=given)
        cut_at = max(self.cuts, default=len(self.program.lines) + 1)  # the first line of a `with` counts too
        notes: dict[int, Part] = {}
        for n, names in self.thread.items():
            if n < cut_at and names:
                notes[n] = {"note": self.say("on_thread", names=", ".join(f"`{name}`" for name in sorted(names)))}
            elif n > cut_at:
                notes[n] = {"note": self.say("off_thread")}
        notes |= {n: {"state": "bad", "note": self.say("cut_here")} for n in self.cuts}
        reason = [self.text("why_says"), {"kind": "text", "role": "found", "text": self.reason}] if self.reason else []
        found = self.text(f"detective_{self.end}", "found", leaf=self.leaf, line=cut_at)
        return {"parts": [columns([code(self.program, notes=notes)], [found, *reason])], "said": said}


class Board(Moment):
    """A program beside its graph, which grows line by line; see `watch`."""

    def __init__(self, program: Followed, graph: Graph | None, made: dict[int, list[str]], predict: bool) -> None:
        self.program, self.graph, self.made, self.predict = program, graph, made, predict
        self.steps = list(dict.fromkeys(program.ran))
        self.names = list(dict.fromkeys(node.name for line in self.steps if (node := self.result(line))))
        super().__init__(f"watch({'predict=True' if predict else ''})")

    def result(self, line: int) -> NodeRecord | None:
        """The node that the result of a line hangs from: the last one that it wrote."""
        ids = self.made.get(line)
        return self.graph.node(ids[-1]) if ids and self.graph else None

    def opening(self) -> dict[str, Any]:
        return self.board(0)

    def board(self, i: int, said: str = "", found: list[Part] | None = None) -> dict[str, Any]:
        """The scene in which `i` lines have run."""
        notes: dict[int, Part] = {line: {"note": ", ".join(
            self.pill(name) + f" ×{n}" * (n > 1) for name, n in Counter(self.wrote(line) or [""]).items())}
            for line in self.steps[:i]}
        if i < len(self.steps):
            notes[self.steps[i]] = {"state": "now", "note": self.say("now")}
        ids = [id for line in self.steps[:i] for id in self.made.get(line, [])]
        board = so_far(self.graph, ids, self.steps[:i]) if self.graph else None
        drawn = graph_parts(Drawing(board, lang=self.language)) if board and (board.nodes or board.cuts) \
            else [self.text("empty_board")]
        asked = self.question(i) if i < len(self.steps) else [self.text("watch_done")]
        beside = columns([code(self.program, notes=notes)], drawn)
        return {"parts": [beside, *(found or []), *asked], "at": i, "said": said,
                "keys": {"arrowdown": "answer"} if i < len(self.steps) else {}}

    def wrote(self, line: int) -> list[str]:
        """The names of the nodes that a line wrote."""
        return [self.graph.node(id).name for id in self.made.get(line, [])] if self.graph else []

    def question(self, i: int) -> list[Part]:
        """What line `i` will write, if that is asked, and the button that runs it."""
        if not self.predict:
            return [self.button("run_line")]
        slots = max([2, *(len(node.edges) for line in self.steps if (node := self.result(line)))])
        return [self.text("watch_ask", "ask", line=self.steps[i]),
                self.choice("pill", "watch_pill", map(self.pill, self.pills(i))),
                self.choice("slot", "watch_slots", (self.say("slot", n=n) for n in range(slots)), many=True),
                self.button("run_line")]

    def pills(self, i: int) -> list[str]:
        """Three names to choose from, "" for no node; the right one is among them."""
        node = self.result(self.steps[i])
        right = node.name if node else ""
        likely = [*self.names, "MulBackward0", "AddBackward0"]
        others = [name for name in dict.fromkeys(likely[i:] + likely[:i]) if name != right]
        three = [right, *([""] if right else []), *others][:3]
        return three[i % 3:] + three[:i % 3]

    def pill(self, name: str) -> str:
        """A pill in words."""
        return f"`{name}`" if name else self.say("no_node")

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        i = int(at)
        line, node = self.steps[i], self.result(self.steps[i])
        wrote = self.wrote(line)
        empty = [e.slot for e in node.edges if e.node is None] if node else []
        slots = ", ".join(map(str, empty)) or self.say("no_slot")
        key = "watch_no_node" if not wrote else "watch_wrote" if len(wrote) == 1 else "watch_wrote_more"
        found = self.text(key, "found", line=line, count=len(wrote), node=wrote[-1] if wrote else "", slots=slots)
        if not self.predict:
            return self.board(i + 1, found=[found])
        self.expect("pill" in values, "no_pill")
        pill, marked = self.pills(i)[int(values["pill"][0])], [int(n) for n in values.get("slot", [])]
        given = f"{pill or self.say('no_node')}; None: {', '.join(map(str, marked)) or self.say('no_slot')}"
        question = f"{line}: {self.program.lines[line - 1].strip()}"
        said = self.verdict(question, given, (pill, marked) == (node.name if node else "", empty))
        return self.board(i + 1, said, [found])
