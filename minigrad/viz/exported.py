"""Pages that need no kernel and no network: of one widget, or of a whole notebook with all that it shows.

A page carries each widget's module once, every stored state as gzipped JSON, and a stand-in for the model
(`static/model.js`). Formulas are MathML, made here; a policy in the page forbids any request elsewhere.
"""

import base64
import gzip
import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from latex2mathml.converter import convert

from ..text import demand, get_language, say
from .code import unpacked
from .theme import FOLLOWING, STATIC

# nbconvert's page; what a notebook keeps folded, an answer for instance, opens when it is asked for
COVERED = """{%- extends "basic/index.html.j2" -%}{% block output_group %}
{%- if cell.metadata.jupyter and cell.metadata.jupyter.outputs_hidden -%}
<details class="mg-covered"><summary>WORDS</summary>{{ super() }}</details>{% else %}{{ super() }}{% endif %}
{% endblock %}"""
WIDGET_STATE, WIDGET_VIEW = (f"application/vnd.jupyter.widget-{kind}+json" for kind in ("state", "view"))


def save_page(shown: Any, path: str | Path | None = None) -> Path:
    """Write what `step`, `draw` or another widget returned, or a notebook, as one HTML file; its path.

    `shown` may be the path of an `.ipynb`: the page shows its stored outputs and plays its players; `path` is
    the same with `.html`, unless given. The page needs no kernel and no network.
    Raises: TypeError for anything else; ValueError where only a notebook can do without a path; ImportError where
    nbconvert is missing, which comes with `[lab]`.
    """
    if not (stored := isinstance(shown, str | Path)) and not hasattr(shown, "to_html"):
        raise TypeError(say("player.no_page", kind=type(shown).__name__))
    demand(stored or path, "player.page_path")
    target = Path(path or Path(shown).with_suffix(".html"))
    target.write_text(notebook_page(shown) if stored else shown.to_html(), "utf-8")
    return target


def page(body: str, style: str, modules: list[str], models: list[Any], *, title: str, lang: str, kind: str) -> str:
    """`static/page.html` with all that it needs; `models` are pairs of a module's number and a state."""
    state = json.dumps({"modules": modules, "models": models}).encode()
    return Template((STATIC / "page.html").read_text("utf-8")).substitute(
        body=body, style=style, kind=kind, title=html.escape(title), model=(STATIC / "model.js").read_text("utf-8"),
        language="zh-CN" if lang == "zh" else "en", state=base64.b64encode(gzip.compress(state, mtime=0)).decode())


def with_still(made: Any, still: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """What anywidget made of a widget for a notebook, and beside it what other hosts show."""
    data, metadata = made if isinstance(made, tuple) else (made, {})
    return {**(data or {}), **still}, metadata


def formula(tex: str, display: str = "inline") -> str:
    """TeX as MathML; what cannot be read stays as it was written."""
    try:
        return convert(tex, display=display)
    except Exception:  # anything may stand between two dollar signs
        return f"<code>{html.escape(tex)}</code>"


def notebook_page(path: str | Path) -> str:
    """A stored notebook as one page: its texts, code and outputs, and its widgets at their beginning."""
    try:
        import nbformat
        from nbconvert import HTMLExporter
        from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
        from pygments.formatters import HtmlFormatter
    except ImportError as missing:
        raise ImportError(say("player.no_nbconvert", name=missing.name)) from missing

    class Renderer(IPythonRenderer):
        def block_math(self, body: str) -> str:
            return formula(body, "block")

        def inline_math(self, body: str) -> str:
            return formula(body)

    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]
    held = Stored(notebook.metadata.pop("widgets", {}).get(WIDGET_STATE, {}).get("state", {}))
    for output in (one for cell in notebook.cells for one in cell.get("outputs", ()) if "data" in one):
        output.data = held.shown(output.data)
    lang = notebook.metadata.get("minigrad", {}).get("lang") or get_language()
    covered = COVERED.replace("WORDS", html.escape(say("player.covered", lang)))
    exporter = HTMLExporter(raw_template=covered, embed_images=True, filters={  # type: ignore[no-untyped-call]
        "markdown2html": lambda text: MarkdownWithMath(renderer=Renderer(escape=False)).render(text)})
    body = exporter.from_notebook_node(notebook)[0]
    light, dark = (HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "github-dark"))
    colours = f"{light}@media(prefers-color-scheme:dark){{{dark}}}"
    style = "".join([FOLLOWING, (STATIC / "notebook.css").read_text("utf-8"), colours, *held.styles])
    words = [line for cell in notebook.cells for line in cell.source.splitlines() if line.startswith("# ")
             and cell.cell_type == "markdown"]
    return page(body, style, list(held.modules), held.models, lang=lang, kind="mg-notebook mg-auto",
                title=words[0].lstrip("# ").replace("`", "") if words else Path(path).stem)


class Stored:
    """The widgets of a notebook: their modules and styles once, their states in the order of the page."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state, self.models = state, list[Any]()
        self.modules, self.styles = dict[str, int](), dict[str, None]()

    def shown(self, data: dict[str, Any]) -> dict[str, Any]:
        """An output as the page shows it: a place for the widget, with its still picture until it runs."""
        model = self.stored(data.get(WIDGET_VIEW, {}).get("model_id"))
        if "explorer" in model:  # a drawing that became one, or did not
            model = self.stored((model["explorer"] or "").removeprefix("IPY_MODEL_"))
        if "text/latex" in data:
            return {"text/html": formula(data["text/latex"].strip("$ \n"), "block")}
        code = self.state.get(model.get("_code", "").removeprefix("IPY_MODEL_"))
        if code is None:  # a picture; or of another library: what else it left is shown
            drawn = {"text/html": self.picture(data)} if "image/svg+xml" in data else {}
            return {kind: value for kind, value in data.items() if kind != WIDGET_VIEW} | drawn
        source, style = unpacked(code["state"]["packed"])
        module = self.modules.setdefault(source, len(self.modules))
        self.styles[style] = None
        self.models.append([module, {key: value for key, value in model.items() if key[0] != "_"}])
        still = self.picture(data) or f"<pre>{html.escape(data.get('text/plain', ''))}</pre>"
        return {"text/html": f'<div class="mg-widget" data-model="{len(self.models) - 1}">{still}</div>'}

    def stored(self, id: Any) -> dict[str, Any]:
        """The state of a widget; nothing for one that was not stored."""
        state: dict[str, Any] = self.state.get(id, {}).get("state", {})
        return state

    def picture(self, data: dict[str, Any]) -> str:
        """Its SVG, if it has one; the rules, which are the same in each of ours, stand in the page's style once."""
        svg = data.get("image/svg+xml", "")
        self.styles |= dict.fromkeys(re.findall(r"<style>([^<]*--mg-[^<]*)</style>", svg))
        return re.sub(r"<style>[^<]*--mg-[^<]*</style>", "", svg)
