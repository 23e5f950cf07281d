"""SEMANTICS as snippets: semantics/*.txt hold torch code, `## ` lines name each snippet.

A snippet is run as in a terminal (see transcript); what torch shows is what minigrad must show.
A name that ends in `~` has values of transcendental functions, which need only be close.
"""

import re
from functools import cache
from pathlib import Path
from types import ModuleType

from .programs import close
from .transcript import NUMBER, transcript

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


def comparable(name: str, lines: list[str], wanted: list[str]) -> str:
    """The lines as one text; after `~` with the numbers that are wanted, where its own are close to them."""
    numbers = NUMBER.finditer("\n".join(wanted) if name.endswith("~") else "")

    def nearest(found: re.Match) -> str:
        number = next(numbers, found).group()
        return number if close(number.rstrip("."), found.group().rstrip(".")) else found.group()

    return NUMBER.sub(nearest, "\n".join(lines))
