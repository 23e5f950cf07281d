"""Nested tuples, lists and dicts of tensors, which functions take and return; and what PyTorch says of them."""

from collections.abc import Callable
from typing import Any

TREES = (tuple, list, dict)


def is_tree(value: Any) -> bool:
    return isinstance(value, TREES)


def mapped(f: Callable, tree: Any, *others: Any) -> Any:
    """`f` of each leaf, in the form of `tree`; the others have its form, or stand for all that is in their place."""
    if not isinstance(tree, TREES):
        return f(tree, *others)
    if not others and tree.__class__ is tuple:  # the arguments of an operation
        return tuple([mapped(f, part) if isinstance(part, TREES) else f(part) for part in tree])
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    parts = [mapped(f, tree[k], *(o[k] if is_tree(o) else o for o in others)) for k in keys]
    if isinstance(tree, dict):
        return type(tree)(zip(keys, parts, strict=True))
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)


def leaves(tree: Any) -> list:
    found: list = []
    mapped(found.append, tree)
    return found


def filled(tree: Any, values: Any) -> Any:
    """The form of `tree` with other leaves."""
    values = iter(values)
    return mapped(lambda _leaf: next(values), tree)


def spec(tree: Any) -> str:
    """The form of a tree as torch writes it."""
    if not is_tree(tree):
        return "*"
    parts = ",\n  ".join(map(spec, tree.values() if isinstance(tree, dict) else tree))
    return f"TreeSpec({type(tree).__name__}, {list(tree) if isinstance(tree, dict) else None}, [{parts}])"


def fits(shorter: Any, tree: Any) -> bool:
    """Whether `shorter` has the form of `tree`, or that of its upper part."""
    if not is_tree(shorter):
        return True
    keys, own = (list(t) if isinstance(t, dict) else [*range(len(t))] if is_tree(t) else t for t in (shorter, tree))
    return type(shorter) is type(tree) and keys == own and all(fits(shorter[k], tree[k]) for k in keys)
