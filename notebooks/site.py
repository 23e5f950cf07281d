"""Every notebook as a page that plays without kernel and network, an index, and a search: `make site`.

    python -m notebooks.site [FOLDER]     write the pages into FOLDER (site/, unless given)

Any web space can serve the folder, and it opens from a disk too. Pages keep the folders of their notebooks, so
links between notebooks lead from page to page.
"""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path
from string import Template

from minigrad.viz.exported import notebook_page, page
from minigrad.viz.theme import FOLLOWING, STATIC
from notebooks.sync import HERE, pairs, read

# what a reader of the index sees above its links
GROUPS = {("en", "lessons"): "The course", ("en", "tutorials"): "PyTorch's own tutorials",
          ("zh", "lessons"): "课程", ("zh", "tutorials"): "PyTorch 的教程"}
BACK = {"en": "All notebooks", "zh": "全部笔记本"}
FIRST = "00_start_here"
UNSEEN = re.compile(r"<(svg|script|style|math)\b.*?</\1>|<a class=.anchor.*?</a>|<div class=.prompt .*?</div>", re.S)
INLINE = re.compile(r"</?(span|code|a|em|strong)\b[^>]*>")  # within a word, as in `loss.backward()`
HEADING = re.compile(r'<h[1-3] id="([^"]*)">(.*?)</h[1-3]>', re.S)


def main(folder: str = "site") -> int:
    """Write all pages, what search finds, and the index."""
    root = Path(folder)
    links: dict[tuple[str, str], list[tuple[str, str]]] = {group: [] for group in GROUPS}  # others follow
    found: dict[str, list[tuple[str, ...]]] = {"en": [], "zh": []}
    there = [path for pair in pairs(HERE) for path in pair if path.exists()]
    for path in sorted(there, key=lambda path: (path.parent, path.stem != FIRST, path.name)):
        language, group = path.relative_to(HERE).parts[:2]
        name = path.relative_to(HERE).with_suffix(".html")
        read(path)  # it says which one is no notebook
        made = linked(notebook_page(path), language)
        title = html.unescape(re.findall("<title>(.*?)</title>", made)[0])
        links.setdefault((language, group), []).append((name.as_posix(), title))
        found[language] += [(title, name.as_posix(), *section) for section in sections(made)]
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(made, encoding="utf-8", newline="\n")
    for language, rows in found.items():
        script = f"found({json.dumps(language)}, {json.dumps(rows, ensure_ascii=False)});\n"
        (root / f"search.{language}.js").write_text(script, encoding="utf-8", newline="\n")
    (root / "index.html").write_text(index(links), encoding="utf-8", newline="\n")
    print(f"{sum(map(len, links.values()))} notebooks in {root}/: open {root}/index.html, or serve the folder")
    return 0


def linked(made: str, language: str) -> str:
    """The page with links to pages instead of notebooks, and a way back to the index."""
    made = re.sub(r'href="([^":]+)\.ipynb(#[^"]*)?"', r'href="\1.html\2"', made)
    return made.replace("<main>", f'<main><nav><a href="../../index.html#{language}">{BACK[language]}</a></nav>', 1)


def sections(made: str) -> list[tuple[str, str, str]]:
    """What can be searched: (place in the page, heading, text) of each part below a heading."""
    body = UNSEEN.sub(" ", made[made.index("</nav>"):made.rindex("</main>")])
    first, *parts = HEADING.split(body)
    rows = [("", "", first), *zip(parts[::3], parts[1::3], parts[2::3], strict=True)]
    return [(place, words(heading), text) for place, heading, inner in rows if (text := words(inner)) or heading]


def words(markup: str) -> str:
    """The text of it, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", INLINE.sub("", markup))).replace("¶", "").split())


def index(links: dict[tuple[str, str], list[tuple[str, str]]]) -> str:
    """The first page: search, and all notebooks of both languages."""
    def listed(language: str) -> str:
        return "".join(f"<h2>{html.escape(GROUPS.get(key, key[1]))}</h2><ul>" + "".join(
            f'<li><a href="{name}">{html.escape(title)}</a></li>' for name, title in rows) + "</ul>"
            for key, rows in links.items() if key[0] == language and rows)

    body = Template((HERE / "site.html").read_text("utf-8")).substitute(en=listed("en"), zh=listed("zh"))
    style = FOLLOWING + (STATIC / "notebook.css").read_text("utf-8")
    return page(body, style, [], [], title="minigrad", lang="en", kind="mg-notebook mg-auto")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
