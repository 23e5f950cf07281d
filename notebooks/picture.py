"""The README's picture, drawn by the README's own program: `python -m notebooks.picture`.

The built-in engine is used because it places every node the same on every machine.
"""

from __future__ import annotations

from pathlib import Path

from minigrad import Tensor, draw

HERE = Path(__file__).resolve().parent
READMES = {"en": HERE.parent / "README.md", "zh": HERE.parent / "README.zh-CN.md"}


def program(language: str) -> str:
    """The README's first block of Python."""
    return READMES[language].read_text("utf-8").split("```python\n")[1].split("```")[0]


def picture(language: str) -> str:
    """SVG of the graph behind the program's `loss`, before backward has run."""
    before, _, _ = program(language).partition("loss.backward()")
    names: dict[str, object] = {"print": lambda *words: None}
    exec(before, names)
    tensors = {name: value for name, value in names.items() if isinstance(value, Tensor)}
    return draw(tensors["loss"], lang=language, names=tensors, engine="builtin").to_svg()


def path(language: str) -> Path:
    return HERE / f"record.{language}.svg"


def main() -> None:
    """Draw the pictures of the READMEs that are here."""
    for language in (language for language, readme in READMES.items() if readme.exists()):
        path(language).write_text(picture(language), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
