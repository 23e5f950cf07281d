"""`nudge(f, w)`: turn a knob a little, foretell what becomes of the result, then see.

Of a function of one number it shows the curve; of a tensor, all partial derivatives, measured by differences.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from numbers import Real
from typing import Any

from ..graph.snapshot import AnyTensor
from ..graph.trial import in_double, knob, tried
from ..text import demand
from .asking import Axes, Moment, Part, Unanswered, chart, columns, equation, shown
from .display import written
from .glyphs import circle, d, path, tag, text

SIDE = 40  # ticks on each side of the first w
MOST = 8  # entries of a tensor that is measured, and of its result
H = 1e-4  # of dx, for partial derivatives


def nudge(f: Callable[..., Any], w: float | AnyTensor = 2.0, dx: float = 0.1, *, x: AnyTensor | None = None,
          lang: str | None = None) -> Nudge | HeatMap:
    """Ask by how much `f(w)` changes when `w` grows by `dx`; then show it, beside slope times `dx`.

    `f` takes a tensor of one number and returns one. The tensor is of minigrad, or like `x`, of any library.
    With an `x` of 2 to 8 numbers: ask which partial derivatives are not 0, then show them, measured by
    differences, beside `.grad`. What was answered is in `.answers`, with its numbers in `.rounds`.
    Raises: TypeError where f is no function; ValueError for dx = 0, for a result of more numbers, where no record
    leads to the knob, and where f has no finite value.
    """
    like: Any = w if x is None and hasattr(w, "grad_fn") else x
    demand(callable(f), "moments.no_function", TypeError, given=type(f).__name__)
    demand(isinstance(dx, Real) and dx != 0 and isfinite(dx), "moments.no_dx")
    written(x is None or hasattr(type(x), "grad_fn"), x, "x=torch.tensor([1.0, 2.0])")
    written(isinstance(w, Real) or hasattr(type(w), "grad_fn"), w, "w=2.0")
    if like is not None and like.numel() != 1:
        return HeatMap(f, like, dx, lang)
    return Nudge(f, float(w if like is None else like), dx, like, lang)


def name_of(f: Callable[..., Any]) -> str:
    """What a function is called; `f` for a lambda."""
    owner = getattr(getattr(f, "__self__", None), "__name__", "")
    return (f"{owner}." if owner else "") + getattr(f, "__name__", "f").replace("<lambda>", "f")


class Nudge(Moment):
    """The curve of a function of one number; see `nudge`."""

    def __init__(self, f: Callable[..., Any], w: float, dx: float, like: AnyTensor | None, lang: str | None) -> None:
        self.f, self.dx = f, dx
        self.like = None if like is None else like.reshape(())
        self.double = in_double(f, [w], self.like)
        self.rounds: list[dict[str, float]] = []
        demand(self.measured(w)[1] is not None, "moments.no_record")
        step = max(2.0, abs(w)) / SIDE
        self.ws = [round(w + step * (i - SIDE), 10) for i in range(2 * SIDE + 1)]
        self.points = [(at, self.value(at)) for at in self.ws]
        finite = sorted(y for _, y in self.points if isfinite(y)) if isfinite(w) else []
        demand(finite, "moments.no_value", w=shown(w), to=shown(w + step))
        few = len(finite) // 10  # a pole would flatten all the rest
        few = few if finite[-1] - finite[0] > 50 * (finite[-1 - few] - finite[few]) else 0
        self.axes = Axes((self.ws[0], self.ws[-1]), (low := finite[few], high := finite[-1 - few]), (8, 8, 334, 172))
        room = 8 + 8 * max(len(shown(y, 3)) for y in (low, high))  # the labels stand beside the frame
        self.axes.left, self.axes.wide = room, 342 - room
        super().__init__(f"nudge({name_of(f)})", lang)

    # ---- measuring

    def measured(self, w: float) -> tuple[float, float | None]:
        """f(w), and what backward leaves in `.grad`. Raises: ValueError unless f returns one number."""
        at = knob([w], self.like, self.double)
        y = tried(self.f, at)
        demand(hasattr(y, "grad_fn") and y.numel() == 1, "moments.not_one_number")
        return float(y.detach()), None if at.grad is None else float(at.grad)

    def value(self, w: float) -> float:
        """f(w); NaN where f refuses."""
        try:
            return self.measured(w)[0]
        except Exception:
            return float("nan")

    # ---- scenes

    def opening(self) -> dict[str, Any]:
        return self.board(SIDE, self.dx, "", [])

    def board(self, i: int, dx: float, drawn: str, found: list[Part], said: str = "") -> dict[str, Any]:
        """The curve with what is `drawn` on it, and the question; below, what was `found`."""
        axes = self.axes
        near = [None if y != y else [round(v, 1) for v in axes.at(w, y)] for w, y in self.points]
        spots = [at and [v if v % 1 else int(v) for v in at] for at in near]  # as a browser writes them back
        body = axes.frame() + axes.line(self.points, "mg-curve") + drawn
        x, y = spots[i] or (0, 0)
        body += tag("g", circle(0, 0, 6, "mg-dot"), data_dot="1", transform=f"translate({x},{y})")
        body += text(axes.left, 198, shown(axes.x0), "mg-m") + text(342, 198, shown(axes.x1), "mg-m mg-e")
        body += text(axes.left + axes.wide / 2, 198, "w", "mg-mono mg-c")
        body += "".join(text(axes.left - 5, at, shown(y, 3), "mg-m mg-e") for at, y in ((20, axes.y1), (178, axes.y0)))
        labels = [f"{shown(w)} → {shown(w + dx)}" for w in self.ws]
        slider = {"name": "w", "label": self.say("nudge_w"), "spots": spots, "labels": labels, "value": i}
        asked = [self.text("nudge_ask", "ask", dx=shown(dx)), {"kind": "slider", **slider},
                 {"kind": "field", "name": "guess", "label": self.say("nudge_field")}, self.button("answer", "halve")]
        beside = columns([chart(body, 350, 206, self.say("nudge_chart"))], [*found, *asked])
        return {"parts": [beside], "at": dx, "keys": {"h": "halve"}, "said": said}

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        i, dx = int(values["w"][0]), float(at)
        if do == "halve":
            return self.board(i, dx / 2, "", [], self.say("nudge_halved", dx=shown(dx / 2)))
        guess, w = self.typed(values["guess"][0], "no_number"), self.ws[i]
        before, slope = self.measured(w)
        true = self.measured(w + dx)[0] - before
        if slope is None or not (isfinite(true) and isfinite(foretold := slope * dx)):
            raise Unanswered(self.say("no_value", w=shown(w), to=shown(w + dx)))
        low, high = sorted((true, foretold))
        right = low - 0.05 * abs(low) <= guess <= high + 0.05 * abs(high)
        self.rounds.append({"w": w, "dx": dx, "guess": guess, "foretold": foretold, "true": true})
        said = self.verdict(self.say("nudge_question", w=shown(w), to=shown(w + dx)), guess, right)
        facts = {"w": shown(w), "to": shown(w + dx), "true": shown(true), "gap": shown(abs(true - foretold)),
                 "foretold": equation(" · ", (slope, dx), foretold)}
        found = [self.text("nudge_found", "found", **facts), bars([
            (self.say("nudge_true"), true, "mg-true"), (self.say("nudge_foretold"), foretold, "mg-foretold")])]
        falls = true >= 0 and any(b < a for (_, a), (_, b) in zip(self.points, self.points[1:], strict=False))
        key = {1: "nudge_then_halve", 2: "nudge_then_fall" if falls else ""}.get(len(self.answers))  # to try next
        found += [self.text(key)] if key else []
        return self.board(i, dx, self.tangent(w, before, slope, dx), found, said)

    def tangent(self, w: float, y: float, slope: float, dx: float) -> str:
        """The line that touches the curve at `w`, and where it and the curve are after the nudge."""
        axes = self.axes
        rows = [(axes.y0, axes.y1), (axes.x0, axes.x1)]
        ends = [w, *rows[1], *((at - y) / slope + w for at in rows[0] if slope)]
        inside = sorted(x for x in ends if rows[1][0] <= x <= rows[1][1]
                        and axes.y0 - 1e-9 <= y + slope * (x - w) <= axes.y1 + 1e-9)
        body = axes.line([(x, y + slope * (x - w)) for x in inside], "mg-tangent")
        for value, kind in ((self.value(w + dx), "mg-true"), (y + slope * dx, "mg-foretold")):
            body += circle(*axes.at(w + dx, value), 4, kind) if value == value and axes.x0 <= w + dx <= axes.x1 else ""
        return body


def bars(values: list[tuple[str, float, str]]) -> Part:
    """One bar for each value, from a common zero, with its number."""
    low, high = min(0.0, *(v for _, v, _ in values)), max(0.0, *(v for _, v, _ in values))
    axes = Axes((low, high if high > low else low + 1), (0, 1), (10, 0, 330, 1))
    zero, body = axes.at(0, 0)[0], ""
    for i, (label, value, kind) in enumerate(values):
        y, end = 10 + 42 * i, axes.at(value, 0)[0]
        body += text(10, y + 5, f"{label} {shown(value)}")
        body += tag("rect", x=min(zero, end), y=y + 11, width=max(abs(end - zero), 1), height=14, kind=kind)
    body += path(d("M", zero, 14, "V", 42 * len(values)), "mg-axis")
    return chart(body, 350, 42 * len(values) + 4, ", ".join(f"{label} {shown(value)}" for label, value, _ in values))


class HeatMap(Moment):
    """The partial derivatives of a function of a tensor, measured; see `nudge`."""

    def __init__(self, f: Callable[..., Any], x: AnyTensor, dx: float, lang: str | None) -> None:
        self.f, self.like, self.values = f, x, [float(v) for v in x.detach().reshape(-1)]
        self.head = [f"x[{i}] = {shown(v)}" for i, v in enumerate(self.values)]
        self.double = in_double(f, self.values, x)
        at = knob(self.values, x, self.double)
        y: Any = tried(f, at) if self.values else None
        demand(hasattr(y, "grad_fn") and 0 < max(y.numel(), x.numel()) <= MOST, "moments.too_many", most=MOST)
        demand(at.grad is not None, "moments.no_record")
        self.grad, self.outs = [float(g) for g in at.grad.reshape(-1)], int(y.numel())
        sides = [self.sides(i, dx) for i in range(len(self.values))]
        measured = [*self.grad, *(v for pairs in sides for pair in pairs for v in pair)]
        demand(all(map(isfinite, measured)), "moments.no_value", w="x", to="x ± dx")
        self.jacobian = [[(left + right) / 2 for left, right in row] for row in zip(*sides, strict=True)]
        self.top = max(abs(v) for row in self.jacobian for v in row) or 1.0
        wide = sides
        with suppress(Exception):  # it may refuse what lies so far away
            wide = [self.sides(i, dx / H) for i in range(len(self.values))] if self.double else sides
        of_entries, share = [*zip(*self.jacobian, strict=True)], 1e-6 if self.double else 1e-2
        # how steep it gets: beside that a small difference is none
        steep = [[max(abs(v) for v in (*a, *b) if isfinite(v)) for a, b in zip(*pairs, strict=True)]
                 for pairs in zip(sides, wide, strict=True)]
        self.least, self.sums = [share * max(row) for row in zip(*steep, strict=True)], [*map(sum, of_entries)]
        self.small = [max(0, share * max(most), *(s for v, s in zip(column, self.least, strict=True) if 0 < abs(v) < s))
                      for most, column in zip(steep, of_entries, strict=True)]
        self.bent = [self.double and any(abs(a - b) > 0.1 * max(most) for a, b in pairs)
                     for pairs, most in zip(sides, steep, strict=True)]
        super().__init__(f"nudge({name_of(f)}, x)", lang)

    def sides(self, i: int, dx: float) -> list[tuple[float, float]]:
        """How much each result changes for one unit of entry `i`, to its left and to its right."""
        h = dx * (H if self.double else 1) * max(1.0, abs(self.values[i]))  # rounding leaves nothing of a small step
        before, here, after = ([float(y) for y in tried(self.f, knob(
            [v + h * side * (k == i) for k, v in enumerate(self.values)], self.like, self.double)).detach().reshape(-1)]
            for side in (-1, 0, 1))
        return [((b - a) / h, (c - b) / h) for a, b, c in zip(before, here, after, strict=True)]

    def opening(self) -> dict[str, Any]:
        rows: list[list[Any]] = [[f"y[{j}]", *({"name": "cell", "value": f"{j},{i}", "label": f"y[{j}], x[{i}]"}
                                               for i in range(len(self.values)))] for j in range(self.outs)]
        return {"parts": [self.text("heat_ask", "ask"), self.table(self.head, rows), self.button("answer")]}

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        marked = set(values.get("cell", []))
        self.expect(marked, "no_mark")

        def words(v: float, small: float) -> str:
            return shown(v, 4) if abs(v) > small else "≈ 0" if v else "0"

        rows: list[list[Any]] = [[f"y[{j}]", *({"text": shown(v, 4) if abs(v) > least else "0",
                                                "heat": abs(v) / self.top} for v in row)]
                                 for j, (row, least) in enumerate(zip(self.jacobian, self.least, strict=True))]
        glowing = {f"{j},{i}" for j, row in enumerate(rows) for i, v in enumerate(row[1:]) if v["text"] != "0"}
        written = "; ".join(f"y[{one.replace(',', '], x[')}]" for one in sorted(marked))
        said = self.verdict(self.say("heat_ask"), sorted(marked), marked == glowing, written)
        signs = ["∠" if bent else "≠" if abs(a - b) > 100 * small + 1e-3 * abs(a) else "="
                 for a, b, bent, small in zip(self.sums, self.grad, self.bent, self.small, strict=True)]
        rows += [[self.say("heat_sum"), *map(words, self.sums, self.small)],
                 [".grad", *({"text": f"{words(g, small)} {sign}", "state": "bad" if sign == "≠" else ""}
                             for g, sign, small in zip(self.grad, signs, self.small, strict=True))]]
        found = [self.text("heat_differs" if "≠" in signs else "heat_agrees", "found")]
        found += [self.text("heat_bent")] if "∠" in signs else []
        return {"parts": [*found, self.table(self.head, rows)], "said": said}
