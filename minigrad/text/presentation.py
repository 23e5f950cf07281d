"""How things are named and worded, for the PyTorch that is currently shown.

Nothing in the core knows an era: it asks here when something is printed or raised. `eras` puts
another table into `current`; with nothing put there, this is today's PyTorch.
"""

from __future__ import annotations

from typing import Any


class Presentation:
    """Today's PyTorch (2.13): names and messages as they are written in the core."""

    version = "2.13.0"
    warns_non_leaf_grad = True
    warns_t_of_other_ranks = True
    hint = (
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    tensor_text: Any = None  # `minigrad` puts `_tensor.tensor_text` here

    def node_name(self, node: Any) -> str:
        return node.torch_name or type(node).__name__

    def message(self, key: str, text: str) -> str:
        return text

    def address(self, obj: Any) -> str:
        return f"0x{id(obj):x}"


current = Presentation()


def node_name(node: Any) -> str:
    """A node's name in the current era."""
    return current.node_name(node)


def address(obj: Any) -> str:
    """An object's address, as the platform of the current era prints it."""
    return current.address(obj)


def error(kind: type[Exception], key: str, text: str, **facts: Any) -> Exception:
    """An exception in the current era's words, with the teaching note for `key` attached."""
    exception = kind(current.message(key, text))
    for note in notes(key, facts):
        exception.add_note(note)
    return exception


def notes(key: str, facts: dict[str, Any]) -> list[str]:
    """The note for an error; `explain` is filled by `core.explain` (made only when raised)."""
    return [note] if explain is not None and (note := explain(key, facts)) else []


explain: Any = None
