"""One page on paper for each lesson: `python -m notebooks.handouts` writes build/handouts.en.html and .zh.html.

`python -m notebooks.handouts mine` takes the notebooks of the folders `mine` instead of those of `lessons`.

Everything on it is taken from the lesson's notebook: the question, the question on an earlier lesson, the exercise,
the sentence to finish, the questions for the room, with lines to write on. Print it from a browser.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from nbconvert.filters.markdown_mistune import markdown2html_mistune

from minigrad.lessons.exercise import stored
from notebooks.sync import HERE, read

CHECKED = re.compile(r'(?m)^check\("([^"]+)"')
LINKED = re.compile(r"\[([^]]*)\]\([^)]*\)")
ROOM = {"en": "**For the room.**", "zh": "**课堂讨论。**"}
NAMED = {"en": ("Exercise", "lesson pages"), "zh": ("练习", "各课讲义")}
STYLE = """
@page { size: A4; margin: 16mm } body { font: 11.5pt/1.4 sans-serif; max-width: 178mm; margin: auto }
section { break-after: page } section:last-child { break-after: auto } h1 { font-size: 18pt; margin: 0 }
h2 { font-size: 12pt; margin: 4mm 0 1mm }
pre { background: #f3f3f3; white-space: pre-wrap; padding: 2mm 3mm; font-size: 9.5pt; margin: 2mm 0 }
hr { border: 0; border-bottom: 1px solid #999; margin: 8mm 0 0 } blockquote { margin: 2mm 0 2mm 4mm }
p, ul { margin: 2mm 0 } .anchor-link { display: none }
"""


def asked(text: str) -> list[str]:
    """The questions for the room, two as a rule, each with what is said before it."""
    return [question.strip() for question in re.findall(r"[^?？]+[?？]", " ".join(text.split()))]


def page(notebook: Path, language: str) -> str:
    """A lesson as one section of HTML; what is not there is left out."""
    cells = read(notebook).cells
    first, sentence, last = cells[0].source, cells[-3:][0].source, cells[-1].source
    title, *question = first.split("\n\n")
    about = question.pop(0).partition(" · ")[2] if question and " · " in question[0] else ""
    exercises = [cell.source for cell in cells if cell.cell_type == "code" and not cell.source.startswith("try:")
                 and {*CHECKED.findall(cell.source)} - {*stored("cases")["guesses"]}]
    quoted = "\n".join(line for line in sentence.splitlines() if line.startswith(">"))
    room = next((part for part in last.split("\n\n") if ROOM[language] in part), "").partition(ROOM[language])[2]
    parts = [title, about, *question, f"## {NAMED[language][0]}", *(f"```\n{source}\n```" for source in exercises),
             quoted, "---", f"## {ROOM[language].strip('*.。')}" if room else ""]
    for one in asked(room):
        parts += [one, "---", "---"]
    text = LINKED.sub(r"\1", "\n\n".join(parts))
    return f"<section>{markdown2html_mistune(text)}</section>"


def handouts(language: str, folder: str = "lessons") -> str:
    """All lessons of a language as one page of HTML, each on paper of its own; a notebook without a cell is none."""
    lessons = [path for path in sorted((HERE / language / folder).glob("*.ipynb"))
               if not path.name.startswith("00") and read(path).cells]
    head = f'<meta charset="utf-8"><title>minigrad: {NAMED[language][1]}</title><style>{STYLE}</style>'
    pages = "\n".join(page(lesson, language) for lesson in lessons)
    return f'<!doctype html><html lang="{language}"><head>{head}</head><body>{pages}</body></html>\n'


def main(folder: str = "lessons") -> None:
    build = HERE.parent / "build"
    build.mkdir(exist_ok=True)
    languages = [language for language in sorted(NAMED) if (HERE / language / folder).is_dir()]
    if not languages:
        sys.exit(f"There is no folder notebooks/en/{folder}, and no notebooks/zh/{folder} either.")
    for language in languages:
        target = build / f"handouts.{language}.html"
        target.write_text(handouts(language, folder), "utf-8")
        print(target.relative_to(HERE.parent))


if __name__ == "__main__":
    main(*sys.argv[1:2])
