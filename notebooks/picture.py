"""The READMEs' pictures: of their own program, and of a small network. `python -m notebooks.picture`.

The built-in engine is used because it places every node the same on every machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import minigrad as torch
from minigrad import Tensor, draw, nn

HERE = Path(__file__).resolve().parent
READMES = {"en": HERE.parent / "README.md", "zh": HERE.parent / "README.zh-CN.md"}


def program(language: str) -> str:
    """The README's first block of Python."""
    return READMES[language].read_text("utf-8").split("```python\n")[1].split("```")[0]


def record(language: str) -> str:
    """SVG of the graph behind the program's `loss`, before backward has run."""
    before, _, _ = program(language).partition("loss.backward()")
    names: dict[str, object] = {"print": lambda *words: None}
    exec(before, names)
    tensors = {name: value for name, value in names.items() if isinstance(value, Tensor)}
    return draw(tensors["loss"], lang=language, names=tensors, engine="builtin").to_svg()


class Block(nn.Module):
    """A residual block: what comes in, and two layers of it, added up."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: Any) -> Any:
        return x + self.down(self.up(self.norm(x)).relu())


def network(language: str) -> str:
    """SVG of the gradients in a network of two such blocks, one of them closed."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), Block(), Block(), nn.Linear(8, 3))
    loss = nn.functional.cross_entropy(model(torch.randn(5, 4)), torch.tensor([0, 1, 2, 1, 0]))
    names = {"model": model, "loss": loss}
    return draw(loss, view="backward", lang=language, names=names, engine="builtin").to_svg()


PICTURES = {"record": record, "network": network}


def path(name: str, language: str) -> Path:
    return HERE / f"{name}.{language}.svg"


def main() -> None:
    """Draw the pictures of the READMEs that are here."""
    for language in (language for language, readme in READMES.items() if readme.exists()):
        for name, picture in PICTURES.items():
            path(name, language).write_text(picture(language), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
