"""Small widgets that ask first: what came of it is shown only after an answer.

A widget is a list of parts (texts, options, fields, pictures) that `static/moments.js` draws; the kernel makes
the next list when an answer comes. The trait `scene` stays the opening one, so that a stored notebook gives
nothing away and starts unanswered. The opening is also the still picture and the text for other hosts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from math import isfinite, prod
from types import SimpleNamespace
from typing import Any

import traitlets

from ..text import chosen, say
from ..text.numbers import holds, tidy
from .code import Shared
from .display import Drawing
from .exported import with_still
from .glyphs import clean, num, path, tag, text, visible
from .svg import wrap
from .theme import FOLLOWING, STATIC, rules_within, script, stylesheet

Part = dict[str, Any]
WIDE = 520  # px, of a still picture


class Unanswered(Exception):
    """What was sent is no answer yet; the text says what is missing."""


class Moment(Shared):
    """A widget that asks. `answers` holds what was answered: a list of (question, answer, right)."""

    MODULE = script("moments.js")
    STYLE = FOLLOWING + rules_within(".mg-moment") + (STATIC / "moments.css").read_text("utf-8")
    scene = traitlets.Dict().tag(sync=True)

    def __init__(self, title: str, lang: str | None = None) -> None:
        self.language = chosen(lang)
        self.answers: list[tuple[str, Any, bool]] = []
        told = {"title": title, "ui": {key: self.say(key) for key in ("no_kernel", "no_notebook")}}
        super().__init__(scene={**self.opening(), **told, "lang": "zh-CN" if self.language == "zh" else "en"})
        self.on_msg(self._asked)

    def opening(self) -> dict[str, Any]:
        """The first scene: `parts`, and what is sent back with an answer, `at`."""
        raise NotImplementedError

    def reply(self, do: str, at: Any, values: dict[str, list[str]]) -> dict[str, Any]:
        """The scene after a button or a key. Raises: Unanswered, with a sentence, for what is no answer."""
        raise NotImplementedError

    def _asked(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        try:
            self.send({"scene": self.reply(content["do"], content.get("at"), content["values"])})
        except Unanswered as refused:
            self.send({"refused": str(refused)})
        except Exception as error:  # the learner's own function
            self.send({"refused": f"`{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}`"})

    # ---- words

    def say(self, key: str, **blanks: Any) -> str:
        """A sentence in the widget's language; both stand in one line."""
        return say(f"moments.{key}", self.language, **blanks).replace("\n", " / ")

    def text(self, key: str, role: str = "aside", **blanks: Any) -> Part:
        """A sentence as a part; `role` is "ask", "aside" or "found"."""
        return {"kind": "text", "role": role, "text": self.say(key, **blanks)}

    def button(self, *keys: str) -> Part:
        """Buttons; the first one answers, others are called by their key."""
        return {"kind": "buttons", "buttons": [["answer" if k == keys[0] else k, self.say(k)] for k in keys]}

    def choice(self, name: str, key: str, texts: Iterable[str], many: bool = False) -> Part:
        """Options under a sentence, of which one or `many` can be chosen; their numbers are sent as `name`."""
        return {"kind": "options", "name": name, "many": many, "label": self.say(key),
                "options": [{"text": one} for one in texts]}

    def table(self, head: Iterable[str], rows: list[list[Any]]) -> Part:
        """A table; the first entry of each row is its own head."""
        return {"kind": "table", "head": ["", *head], "rows": rows}

    def verdict(self, question: str, given: Any, right: bool, written: str = "") -> str:
        """Note an answer; whether it was right, in words, and what it was, as it is `written`, where it was not: the
        form is gone."""
        self.answers.append((question, given, bool(right)))
        written = written or (shown(given) if isinstance(given, float) else given)
        return self.say("right" if right else "not_right", given=written)

    def expect(self, holds: Any, key: str, **blanks: Any) -> None:
        """Raises: Unanswered, with the sentence, unless `holds`."""
        if not holds:
            raise Unanswered(self.say(key, **blanks))

    def typed(self, words: str, key: str) -> float:
        """A number from a field. Raises: Unanswered, with the sentence, for what is none, or not finite."""
        with suppress(ValueError):
            if isfinite(found := number(words)):
                return found
        raise Unanswered(self.say(key))

    # ---- without a browser that runs it

    def still(self) -> Still:
        """The opening as a picture and as text."""
        return Still(self.scene["title"], self.scene["parts"], self.language)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **kwargs: Any) -> Any:
        made = super()._repr_mimebundle_(include=include, exclude=exclude, **kwargs)
        return with_still(made, {**self.still().still(), "text/plain": repr(self)})

    def __repr__(self) -> str:
        return self.still().to_text()


class Still(Drawing):
    """An opening scene, for hosts that show no widgets; it exports as a drawing does."""

    def __init__(self, title: str, parts: list[Part], lang: str) -> None:
        self.title, self.parts, self.lang = title, list(flat(parts)), lang
        self.theme, self.engine, self.fold = None, None, SimpleNamespace(shown=0)  # type: ignore[assignment]

    def to_text(self) -> str:
        """Title, texts and options, line by line."""
        return visible("\n".join([self.title, *(line for part in self.parts for line, _ in words_of(part))]))

    def to_dot(self) -> str:
        """Raises: RuntimeError, for there is no graph that Graphviz could draw."""
        raise RuntimeError(say("draw.no_png"))

    def drawn(self, theme: str | None, framed: bool = True) -> str:
        """The parts below each other."""
        sizes = [[float(n) for n in re.findall(r'<svg [^>]*?viewBox="\S+ \S+ (\S+) (\S+)"', part["svg"])[0]]
                 if part["kind"] == "picture" else [0.0, 0.0] for part in self.parts]
        whole = max(WIDE, *(wide + 32 for wide, _ in sizes))
        y, body = 28.0, text(16, 28, self.title, "mg-mono mg-b")
        for part, (wide, tall) in zip(self.parts, sizes, strict=True):
            for words, kind in words_of(part):
                for line in [words] if "mono" in kind else wrap(words, whole - 32, 14):
                    y += 21
                    body += text(16, y, line, kind)
            if wide:
                inner = re.sub(r"<style>.*?</style>", "", part["svg"], flags=re.S)
                inner = re.sub(r' (width|height)="[\d.]+"', "", inner, count=2)
                body += inner.replace("<svg ", f'<svg x="16" y="{num(y + 10)}" width="{wide}" height="{tall}" ', 1)
                y += 10 + tall
        page = tag("rect", width=whole, height=y + 16, kind="mg-page")
        return tag("svg", tag("title", clean(self.title)) + f"<style>{stylesheet(theme)}</style>" + page + body,
                   xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {num(whole)} {num(y + 16)}", width=whole,
                   height=y + 16, role="img", kind=f"mg-graph mg-{theme}")


def columns(*of: list[Part]) -> Part:
    """Lists of parts beside each other."""
    return {"kind": "columns", "of": [*of]}


def flat(parts: list[Part]) -> list[Part]:
    """Columns one after the other."""
    return [one for part in parts for one in (
        [inner for column in part["of"] for inner in flat(column)] if part["kind"] == "columns" else [part])]


def words_of(part: Part) -> list[tuple[str, str]]:
    """What a part says, as (line, class)."""
    plain = [(part["label"].replace("`", ""), "")] if part.get("label") else []
    if part["kind"] == "text":
        return [(part["text"].replace("`", ""), "mg-b" if part["role"] == "ask" else "mg-m")]
    if part["kind"] == "options":
        code = part.get("code")
        signs = [f"{i}  " if code and not one.get("free") else "○ " if part.get("name") else ""
                 for i, one in enumerate(part["options"], 1)]
        return plain + [(sign + (one["text"] if code else one["text"].replace("`", "")), "mg-mono" if code else "")
                        for sign, one in zip(signs, part["options"], strict=True)]
    if part["kind"] == "table":
        return [*plain, *[("  ".join(one if isinstance(one, str) else one.get("text", "·") for one in row), "mg-mono")
                          for row in [part["head"], *part["rows"]]]]
    return plain


# ---- pictures


def graph_parts(drawing: Drawing) -> list[Part]:
    """The picture of a graph, as wide as it is; what is wrong with its engine, where something is."""
    said = [{"kind": "text", "role": "aside", "text": remark} for remark in drawing.remarks]
    return [*said, {"kind": "picture", "wide": True, "svg": drawing.drawn(None, framed=False)}]


def chart(body: str, wide: float, tall: float, label: str) -> Part:
    """A picture of our own, 12 px and more where it is as wide as a phone."""
    svg = tag("svg", body, xmlns="http://www.w3.org/2000/svg", width=wide, height=tall,
              viewBox=f"0 0 {num(wide)} {num(tall)}", role="img", aria_label=label, kind="mg-graph")
    return {"kind": "picture", "svg": svg}


class Axes:
    """From numbers to places: `x` and `y` bring values to px inside a frame, y upwards."""

    def __init__(self, xs: tuple[float, float], ys: tuple[float, float], box: tuple[float, ...]) -> None:
        self.left, self.top, self.wide, self.tall = box
        (self.x0, self.x1), (low, high) = xs, ys
        room = 0.0 if high > low else max(1.0, abs(low) * 1e-6)  # around one value; beside 1e30 a 1 is nothing
        self.y0, self.y1 = low - room, high + room

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point; what lies outside is put on the border."""
        share = (min(max(y, self.y0), self.y1) - self.y0) / (self.y1 - self.y0)
        return self.left + self.wide * (x - self.x0) / (self.x1 - self.x0), self.top + self.tall * (1 - share)

    def line(self, points: list[tuple[float, float]], kind: str) -> str:
        """A line through the points. It ends where it leaves the frame; numbers that are none (NaN) leave a gap."""
        lines: list[list[tuple[float, float]]] = []
        for (x, y), (u, v) in pairwise(points):
            if isfinite(y) and isfinite(v) and any(self.y0 <= end <= self.y1 for end in (y, v)):  # a pole joins nothing
                outer = v if self.y0 <= y <= self.y1 else y
                border = min(max(outer, self.y0), self.y1)
                cut = (u, v) if border == outer else (x + (border - y) / (v - y) * (u - x), border)
                start, end = ((x, y), cut) if outer == v else (cut, (u, v))
                lines[-1:] = [[*lines[-1], end]] if lines and lines[-1][-1] == start else [*lines[-1:], [start, end]]
        drawn = ["L".join(",".join(map(num, self.at(*point))) for point in line) for line in lines]
        return path("M" + "M".join(drawn), kind) if drawn else ""

    def frame(self) -> str:
        """The border."""
        return tag("rect", x=self.left, y=self.top, width=self.wide, height=self.tall, kind="mg-axis")


def shown(value: float, digits: int = 6) -> str:
    """A number as a learner would write it."""
    return tidy(f"{value:.{digits}g}")


def equation(join: str, values: Sequence[float], result: float) -> str:
    """`2 · 0.5 = 1`, or a sum: the result with as many digits as its printed operands give, else after `≈`."""
    words = [shown(v) for v in values]
    found = (prod if "·" in join else sum)(map(number, words))
    left = join.join(words).replace("+ −", "− ")
    told = next((text for n in (6, 5, 4, 3) if holds(found, text := shown(result, n))), "")
    return f"{left} = {told}" if told else f"{left} ≈ {shown(result)}"


def number(words: str) -> float:
    """A number as it was typed. Raises: ValueError where it is none."""
    return float(words.strip().translate(str.maketrans("−－,，．。", "--....")))  # as a Chinese keyboard types it, too
