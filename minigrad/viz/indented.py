"""The graph as an indented tree of at most 40 lines: language-free, the same on every machine.

A line reads: slot, tensor with its shape and value, grad_fn with what it saved, `.grad`, hooks, the
line of source that made it, its text where it comes first. `↑` marks a node that stands further up already.
"""

from collections.abc import Iterator, Mapping

from ..graph.snapshot import Edge, Graph, NodeRecord

LINES = 40


def tree(graph: Graph) -> str:
    """Depth first from the roots, in the order of `next_functions`; never recursive."""
    lines: list[str] = [f'broken("{graph.fault}")'] if graph.fault else []
    seen: dict[str, tuple[int, str] | None] = {}  # node -> its line
    stack = [("", "", root) for root in reversed(graph.roots or starts(graph))]
    while stack:
        lead, below, id = stack.pop()
        node = node_at(graph, id)
        fresh = node if node is not None and node.id not in seen else None
        if len(lines) == LINES - 1 and (stack or (fresh and fresh.edges)):
            left = len(graph.nodes) - len(seen)
            return "\n".join([*lines, f"… +{left}" if left else "…"])
        lines.append((lead + describe(graph, id, seen)).rstrip())
        if fresh is not None:
            seen[fresh.id] = fresh.line
            stack += reversed(list(branches(fresh, below)))
    return "\n".join(lines)


def starts(graph: Graph) -> tuple[str, ...]:
    """Where a part begins whose roots lie outside: nodes that nothing in it points to."""
    targets = {e.node for n in graph.nodes for e in n.edges}
    return tuple(f"{n.id}:0" for n in graph.nodes if n.id not in targets)


def branches(node: NodeRecord, below: str) -> Iterator[tuple[str, str, str]]:
    """(first part of its line, indent of its children, what hangs there) for each slot."""
    for i, e in enumerate(node.edges):
        mark, deeper = ("├─", "│ ") if i < len(node.edges) - 1 else ("└─", "  ")
        yield f"{below}{mark}{e.slot} ", below + deeper, (node.error and e.tensor) or target(e)


def target(e: Edge) -> str:
    """What hangs at a slot: a tensor, an output `n3:0`, "None", or "…" where the part that is shown ends."""
    return ("…" if e.cut else "None") if e.node is None else e.tensor or f"{e.node}:{e.nr}"


def node_at(graph: Graph, id: str) -> NodeRecord | None:
    """The node of a tensor, or of an output `n3:0`; None for "None" and "…"."""
    t = graph.tensors_by_id.get(id)
    return graph.nodes_by_id.get(t.node if t else id.partition(":")[0])


def describe(graph: Graph, id: str, seen: Mapping[str, tuple[int, str] | None]) -> str:
    """One line without its lead; `seen` are the nodes that stand further up, and their lines."""
    if id in ("None", "…"):
        return id
    t, node = graph.tensors_by_id.get(id), node_at(graph, id)
    words = [] if t is None else [" ".join(filter(None, (
        t.name, t.size, "" if t.value is None else f"= {t.value}", f"ε {t.tangent}" * bool(t.tangent))))]
    if node is None:
        return "  ".join(words)
    if node.id in seen:
        return f"{(t.name + '  ') if t and t.name else ''}{node.name} ↑"
    words += [f"✗ {node.op}", f"{node.name}: {node.error}"] if node.error else [node.name]
    words[-1] += f"{{{', '.join(saved_words(node))}}}" if node.saved else ""
    words += [f".grad {t.grad or 'None'}"] if t is not None and (t.kind == "leaf" or t.retains_grad) else []
    hooks = [h.label for h in graph.hooks if h.node == node.id]
    words += [f"hooks: {', '.join(hooks)}"] if hooks else []
    if node.line and node.line[1]:
        words.append(f"line {node.line[0]}" + f": {node.line[1]}" * (node.line not in seen.values()))
    return "  ".join(words)


def saved_words(node: NodeRecord) -> list[str]:
    """The fields that a node saved, with what is wrong with them."""
    return [s.field + (" (freed)" if s.freed else f" @v{s.version}≠{s.now}" if s.stale else
                       f" = {s.text}" if s.later is not None else "") for s in node.saved]
