"""SEMANTICS as snippets: semantics/*.txt hold torch code, `## ` lines name each snippet.

A snippet is run as in a terminal (see transcript); what torch shows is what minigrad must show.
A name that ends in `~` has values of transcendental functions, compared with numbers left out.
"""

from functools import cache
from pathlib import Path
from types import ModuleType

from .transcript import placeholders, transcript

FOLDER = Path(__file__).with_name("semantics")


@cache
def snippets() -> dict[str, str]:
    """`chapter: name` -> code, in the order of the files."""
    parts = [
        (path.stem, part)
        for path in sorted(FOLDER.glob("*.txt"))
        for part in path.read_text().split("## ")[1:]
    ]
    named = [(chapter, *part.split("\n", 1)) for chapter, part in parts]
    return {f"{chapter}: {name}": code.strip("\n") for chapter, name, code in named}


def shown(torch: ModuleType, name: str) -> list[str]:
    """The terminal session of one snippet."""
    return transcript(snippets()[name], torch)


def comparable(name: str, lines: list[str]) -> list[str]:
    return [placeholders(line) for line in lines] if name.endswith("~") else lines
