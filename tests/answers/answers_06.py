"""Exercises 06, whether a record leads to a leaf, and 06.1, eight programs to mend with one line each."""

from collections import deque
from functools import cache

import numpy as np

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("06", r"variable is|seen|\.variable|AccumulateGrad")
FIXES = Answers("06.1", r"error = pred - fare|no_grad\(\): w|dtype=|enable_grad")
right, wrong = ANSWERS.right, ANSWERS.wrong


@right
def with_a_stack(result, leaf):
    todo, seen = [result.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if getattr(node, "variable", None) is leaf:
            return True
        todo += [child for child, _ in node.next_functions]
    return False


@right
def recursively(result, leaf):
    seen = set()

    def look(node):
        if node is None or id(node) in seen:
            return False
        seen.add(id(node))
        if hasattr(node, "variable") and node.variable is leaf:
            return True
        found = False
        for child, _ in node.next_functions:
            found = look(child) or found
        return found

    return look(result.grad_fn)


@right
def collects_first(result, leaf):
    nodes = [] if result.grad_fn is None else [result.grad_fn]
    for node in nodes:
        for child, _ in node.next_functions:
            if child is not None and child not in nodes:
                nodes.append(child)
    return any(node.variable is leaf for node in nodes if hasattr(node, "variable"))


@right
def level_by_level(result, leaf):
    level = {result.grad_fn} - {None}
    while level:
        if any(getattr(node, "variable", None) is leaf for node in level):
            return 1
        level = {child for node in level for child, _ in node.next_functions if child is not None}
    return 0


@right
def remembers_answers(result, leaf, known=None):
    known = {None: False} if known is None else known

    def look(node):
        if node not in known:
            known[node] = getattr(node, "variable", None) is leaf or any(look(c) for c, _ in node.next_functions)
        return known[node]

    return look(result.grad_fn)


@right
def by_names_of_nodes(result, leaf):
    todo, drawers = [result.grad_fn] if result.requires_grad else [], set()
    for node in todo:
        if node.name().endswith("AccumulateGrad"):
            drawers.add(id(node.variable))
        todo += [child for child, _ in node.next_functions if child and child not in todo]
    return id(leaf) in drawers


@wrong("first_edge")
def follows_the_first(result, leaf):
    node = result.grad_fn
    while node is not None:
        if getattr(node, "variable", None) is leaf:
            return True
        node = node.next_functions[0][0] if node.next_functions else None
    return False


@wrong("first_edge")
def follows_the_last(result, leaf):
    node = result.grad_fn
    while node and node.next_functions:
        node = node.next_functions[-1][0]
    return node is not None and hasattr(node, "variable") and node.variable is leaf


@wrong("one_level")
def looks_once(result, leaf):
    if result.grad_fn is None:
        return False
    return any(getattr(child, "variable", None) is leaf for child, _ in result.grad_fn.next_functions)


@wrong("one_level")
def looks_once_boldly(result, leaf):
    return leaf in [child.variable for child, _ in result.grad_fn.next_functions if hasattr(child, "variable")]


@wrong("by_value")
def compares_numbers(result, leaf):
    todo, seen = [result.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable") and node.variable == leaf:
            return True
        todo += [child for child, _ in node.next_functions]
    return False


@wrong("any_leaf")
def finds_a_leaf(result, leaf):
    todo, seen = [result.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if "AccumulateGrad" in node.name():
            return True
        todo += [child for child, _ in node.next_functions]
    return False


@wrong("asks_the_switch")
def is_it_on(result, leaf):
    return leaf.requires_grad


@wrong("asks_the_switch")
def are_both_on(result, leaf):
    return result.requires_grad and leaf.requires_grad


@wrong("asks_the_drawer")
def is_there_something(result, leaf):
    return leaf.grad is not None


@wrong("every_path")
def goes_every_way(result, leaf):
    def look(node):
        if node is None:
            return False
        if hasattr(node, "variable"):
            return node.variable is leaf
        return sum(look(child) for child, _ in node.next_functions) > 0

    return look(result.grad_fn)


@wrong("every_path")
def stacks_every_way(result, leaf):
    todo = [result.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        if getattr(node, "variable", None) is leaf:
            return True
        todo.extend(child for child, _ in node.next_functions)
    return False


@wrong("calls_backward")
def tries_it(result, leaf):
    leaf.grad = None
    try:
        result.backward(retain_graph=True)
    except RuntimeError:
        return False
    return leaf.grad is not None


@wrong("calls_backward")
def asks_for_it(result, leaf):
    if not (result.requires_grad and leaf.requires_grad):
        return False
    return torch.autograd.grad(result, leaf, allow_unused=True)[0] is not None


@wrong("raised")
def meets_none(result, leaf):
    todo = [result.grad_fn]
    while todo:
        node = todo.pop()
        if getattr(node, "variable", None) is leaf:
            return True
        todo += [child for child, _ in node.next_functions]
    return False


@wrong("nothing")
def says_only_yes(result, leaf):
    todo, seen = [result.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if getattr(node, "variable", None) is leaf:
            return True
        todo += [child for child, _ in node.next_functions]


@wrong("constant")
def always(result, leaf):
    return True


@wrong("prints")
def says_it(result, leaf):
    print(with_a_stack(result, leaf))


@wrong("nothing")
def gives_the_node(result, leaf):
    return result.grad_fn


@wrong("kind")
def says_yes(result, leaf):
    return "yes" if with_a_stack(result, leaf) else "no"


@wrong("generator")
def yields(result, leaf):
    yield with_a_stack(result, leaf)


@wrong("wrong_value")
def the_other_way_round(result, leaf):
    return not with_a_stack(result, leaf)


@wrong("endless")
def waits(result, leaf):
    while result.grad_fn is not None:
        pass
    return False


GOOD = {
    1: (3, "error = pred - fare"),
    2: (2, "pred = w * km"),
    3: (2, "pred = w * km"),
    4: (1, "w = torch.tensor(2.0, requires_grad=True)"),
    5: (1, "w = torch.tensor(2.0, requires_grad=True)"),
    6: (2, "with torch.no_grad(): w -= 0.5"),
    7: (1, "w = torch.tensor(2.0, requires_grad=True, dtype=torch.float64)"),
    8: (2, "pred = w * km"),
}


def but(**changes):
    return {**GOOD, **{int(name[1:]): fix for name, fix in changes.items()}}


FIXES.right(GOOD)
FIXES.right(but(_2=[2, "pred = w.clone() * km"], _3=(2, "with torch.enable_grad(): pred = w * km")))
FIXES.right(but(_6=(2, "w.data -= 0.5"), _8=(2, "pred = (w * km).clone().requires_grad_()")))
FIXES.right(but(_6=(2, "w = (w - 0.5).detach().requires_grad_()"), _7=(1, "w = torch.tensor(2.0, requires_grad=True)")))
FIXES.right(but(_6=(2, "w = torch.tensor(w.item() - 0.5, requires_grad=True)"),
                _4=(1, "w = torch.tensor(2.).requires_grad_()")))
FIXES.right(but(_1=(3, "error = (pred - torch.tensor(fare))"),
                _7=(1, "w = torch.tensor(2.0).to(torch.float64).requires_grad_()")))

for idea, number, fix in (
    ("sprinkle", 1, (2, "pred = (w * km).requires_grad_()")),
    ("sprinkle", 2, (2, "pred = (w.data * km).requires_grad_()")),
    ("sprinkle", 3, (2, "with torch.no_grad(): pred = (w * km).requires_grad_(True)")),
    ("symptom", 1, (6, "w.grad = torch.tensor(4.5)")),
    ("symptom", 2, (5, "print('tensor(4.5000)')")),
    ("symptom", 8, (5, "w.grad = pred.grad * km")),
    ("other_tensor", 8, (5, "print(pred.grad * km)")),
    ("other_tensor", 1, (6, "print(error.grad * km)")),
    ("still_cut", 1, (3, "error = torch.tensor(w.item() * km - fare, requires_grad=True)")),
    ("still_cut", 2, (2, "pred = w.detach() * km")),
    ("still_cut", 8, (2, "pred = (w * km).detach().requires_grad_()")),
    ("still_nonleaf", 5, (4, "w.retain_grad(); loss.backward()".partition("; ")[0])),
    ("still_nonleaf", 6, (2, "w = w - 0.5 * 1")),
    ("still_nonleaf", 7, (1, "w = torch.tensor(2.0, requires_grad=True).double()")),
    ("other_value", 5, (1, "w = torch.tensor(1.0, requires_grad=True)")),
    ("other_value", 6, (2, "pass")),
    ("other_value", 1, (3, "error = pred * fare")),
    ("raised", 1, (2, "error = pred - fare")),
    ("still_nonleaf", 6, (1, "w = torch.tensor(2.0, requires_grad=True)")),
    ("wrong_line", 4, (0, "w = torch.tensor(2.0, requires_grad=True)")),
    ("wrong_line", 8, (9, "pred = w * km")),
    ("two_lines", 2, (2, "pred = w * km\nloss = (pred - fare) ** 2")),
    ("two_lines", 6, (2, "w = w - 0.5; w.retain_grad()")),
    ("raised", 1, (3, "error = pred - far")),
    ("raised", 2, (2, "pred = w * km)")),
    ("leaf_in_place", 6, (2, "w -= 0.5")),
    ("raised", 4, (1, "w = torch.tensor(2, requires_grad=True)")),
    ("kind", 1, "error = pred - fare"),
    ("kind", 3, (2, 3)),
    ("endless", 2, (2, "while True: pass")),
):
    FIXES.wrong(idea)({**GOOD, number: fix})
FIXES.wrong("wrong_line")({n: (at - 1, text) for n, (at, text) in GOOD.items()})
FIXES.wrong("still_cut")({n: fix for n, fix in GOOD.items() if n != 3})
FIXES.wrong("still_cut")({**GOOD, 5: ...})
FIXES.wrong("kind")(["error = pred - fare"])


# ---- other hands


@right
class Search:
    def __init__(self):
        self.seen = {}

    def __call__(self, result, leaf):
        self.seen = {}
        return any(v is leaf for v in self.leaves(result.grad_fn))

    def leaves(self, node):
        if node is None or self.seen.setdefault(node, len(self.seen)) < len(self.seen) - 1:
            return
        if hasattr(node, "variable"):
            yield node.variable
        for child, _slot in node.next_functions:
            yield from self.leaves(child)


ANSWERS.rights[-1] = Search()


@right
def early_return(result, leaf):
    if not (result.requires_grad and leaf.requires_grad):
        return False
    if result.grad_fn is None:
        return result is leaf
    queue, visited = deque([result.grad_fn]), {result.grad_fn}
    while queue:
        fn = queue.popleft()
        if hasattr(fn, "variable") and id(fn.variable) == id(leaf):
            return True
        for nxt in (f for f, _ in fn.next_functions if f is not None):
            if nxt not in visited:
                visited.add(nxt)
                queue.append(nxt)
    return False


@right
def by_sets_until_nothing_is_new(result, leaf):
    known = set()
    new = {result.grad_fn} - {None}
    while new:
        known |= new
        new = {child for node in new for child, _ in node.next_functions} - known - {None}
    return any(getattr(node, "variable", None) is leaf for node in known)


@right
def by_a_generator(result, leaf):
    def nodes(start):
        todo, met = [start], []
        while todo:
            if (node := todo.pop(0)) is not None and node not in met:
                met.append(node)
                yield node
                todo.extend(pair[0] for pair in node.next_functions)

    for node in nodes(result.grad_fn):
        try:
            if node.variable is leaf:
                return True
        except AttributeError:
            pass
    return False


@right
def from_the_leaf_s_own_node(result, leaf):
    if not leaf.requires_grad or result.grad_fn is None:
        return False
    drawer = leaf.view_as(leaf).grad_fn.next_functions[0][0]
    todo, seen = {result.grad_fn}, set()
    while todo:
        seen |= todo
        todo = {child for node in todo for child, _ in node.next_functions if child} - seen
    return drawer in seen


@right
def returns_a_tensor(result, leaf):
    return torch.tensor(with_a_stack(result, leaf))


@right
def by_numpy(result, leaf):
    return np.array([with_a_stack(result, leaf)]).any()


@wrong("any_leaf")
def counts_drawers(result, leaf):
    return "AccumulateGrad" in names_below(result)


def names_below(result):
    todo, seen = [result.grad_fn], []
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.append(node)
            todo += [child for child, _ in node.next_functions]
    return {type(node).__name__ for node in seen}


@wrong("one_level")
def two_levels(result, leaf):
    found = []
    for node, _ in result.grad_fn.next_functions if result.grad_fn else ():
        if node is not None:
            found += [node, *(child for child, _ in node.next_functions)]
    return any(getattr(node, "variable", None) is leaf for node in found)


@wrong("by_value")
def compares_items(result, leaf):
    todo, seen = [result.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable") and node.variable.item() == leaf.item():
            return True
        todo += [child for child, _ in node.next_functions]
    return False


@wrong("by_value")
def by_torch_equal(result, leaf):
    todo, seen = [result.grad_fn], set()
    for node in todo:
        if node is not None and node not in seen:
            seen.add(node)
            todo += [child for child, _ in node.next_functions]
    return any(torch.equal(node.variable, leaf) for node in seen if hasattr(node, "variable"))


@wrong("any_leaf")
def asks_the_result(result, leaf):
    return result.requires_grad


@wrong("any_leaf")
def asks_if_it_is_a_leaf(result, leaf):
    return leaf.is_leaf and not result.is_leaf


@wrong("first_edge")
def recursion_returns_too_soon(result, leaf):
    def look(node):
        if node is None:
            return False
        if hasattr(node, "variable"):
            return node.variable is leaf
        for child, _ in node.next_functions:
            return look(child)

    return bool(look(result.grad_fn))


@wrong("every_path")
def recursion_without_memory(result, leaf):
    def look(node):
        return node is not None and (getattr(node, "variable", None) is leaf
                                     or any(look(child) for child, _ in node.next_functions))

    return look(result.grad_fn)


@wrong("every_path")
def levels_as_lists(result, leaf):
    level = [result.grad_fn]
    while any(level):
        if any(getattr(node, "variable", None) is leaf for node in level):
            return True
        level = [child for node in level if node for child, _ in node.next_functions]
    return False


@wrong("calls_backward")
def by_allow_unused(result, leaf):
    if not (result.requires_grad and leaf.requires_grad):
        return False
    return torch.autograd.grad(result, leaf, allow_unused=True)[0] is not None


@wrong("calls_backward")
def listens(result, leaf):
    heard = []
    if leaf.requires_grad and result.requires_grad:
        leaf.register_hook(heard.append)
        result.backward()
    return bool(heard)


@wrong("wrong_value")
def ten_steps(result, leaf):
    level, seen = {result.grad_fn} - {None}, set()
    for _ in range(10):
        if any(getattr(node, "variable", None) is leaf for node in level):
            return True
        seen |= level
        level = {child for node in level for child, _ in node.next_functions if child} - seen
    return False


@wrong("kind")
def returns_what_it_found(result, leaf):
    found = [node for node in [result.grad_fn] if node]
    return found


@wrong("raised")
def forgets_the_pair(result, leaf):
    todo = [result.grad_fn]
    for node in todo:
        if node and getattr(node, "variable", None) is leaf:
            return True
        todo += node.next_functions
    return False


@wrong("raised")
def no_name(result, leaf):
    return leef in result.grad_fn.next_functions  # noqa: F821


@wrong("endless")
def never_forgets(result, leaf):
    todo = [result.grad_fn]
    while True:
        for node in todo:
            if getattr(node, "variable", None) is leaf:
                return True
    return False


@wrong("constant")
def does_it_change(result, leaf):
    return result.item() != leaf.item()


@wrong("nothing")
def true_or_none(result, leaf):
    return True if with_a_stack(result, leaf) else None


FIXES.right(but(_1=(3, "error = torch.sub(pred, fare)"), _3=(2, "if True: pred = w.mul(km)")))
FIXES.right(but(_4=(1, "w = torch.full((), 2.0, requires_grad=True)"),
                _6=(2, "w = torch.tensor(2.0).requires_grad_(True)")))
FIXES.right(but(_5=(1, "w = (torch.tensor(1.0) * 2).requires_grad_()"), _2=(2, "pred = torch.mul(w, km)  # not .data")))
FIXES.right(but(_7=(1, "w = torch.tensor(2.0).double().requires_grad_()"), _8=(2, "pred = (w * km) + 0")))
FIXES.right(but(_6=(1, "w = torch.tensor(2.0, requires_grad=True) if False else torch.tensor(2.5, requires_grad=True)"))
            | {6: (2, "with torch.no_grad(): w.sub_(0.5)")})
FIXES.right(dict(sorted(GOOD.items(), reverse=True)))
FIXES.right({n: (at, f"    {text}\n") for n, (at, text) in GOOD.items()})  # copied with what stands around

for idea, number, fix in (
    ("still_cut", 2, (2, "pred = torch.tensor(w.item()) * km")),
    ("still_cut", 3, (2, "with torch.inference_mode(False), torch.no_grad(): pred = w * km")),
    ("sprinkle", 2, (3, "loss = ((pred.requires_grad_() - fare) ** 2).requires_grad_()")),
    ("sprinkle", 8, (2, "pred = (w * km).detach().requires_grad_().requires_grad_()")),
    ("symptom", 3, (5, "print(4.5)")),
    ("raised", 4, (5, "w.grad = 2 * (pred - fare) * km; print(w.grad)".partition("; ")[0])),
    ("other_value", 4, (1, "w = torch.tensor(1.5, requires_grad=True)")),
    ("still_nonleaf", 5, (2, "pred = w")),
    ("raised", 5, (2, "w.retain_grad()")),
    ("raised", 6, (2, "w -= 0.5 * torch.tensor(1.0, requires_gradient=True)")),
    ("leaf_in_place", 6, (2, "w.sub_(0.5)")),
    ("other_value", 8, (2, "pred = w")),
    ("other_tensor", 1, (6, "print(error.grad * 1.5 if km == 1.5 else error.grad * 2.5)")),
    ("raised", 7, (1, "w = torch.tensor(2, requires_grad=True, dtype=torch.int64)")),
    ("raised", 5, (1, "")),
    ("raised", 8, (2, "pred = (w * km")),
    ("kind", 7, ("1", "w = torch.tensor(2.0, requires_grad=True)")),
    ("two_lines", 3, (2, "pred = w * km; fare = fare")),
    ("wrong_line", 2, (-1, "pred = w * km")),
):
    FIXES.wrong(idea)({**GOOD, number: fix})
FIXES.wrong("still_cut")({1: GOOD[1]})
FIXES.wrong("still_cut")({3: GOOD[3], 4: ...})
FIXES.wrong("sprinkle")({2: (2, "pred = (w.data * km).requires_grad_()")})
FIXES.wrong("other_value")({1: GOOD[1], 5: (1, "w = torch.tensor(1.0, requires_grad=True)"), 7: GOOD[7]})
FIXES.wrong("kind")({str(n): fix for n, fix in GOOD.items()})
FIXES.wrong("kind")({n - 1: fix for n, fix in GOOD.items()})
FIXES.wrong("kind")({n: list(fix[1]) for n, fix in GOOD.items()})
FIXES.wrong("kind")(tuple(GOOD.values()))


@wrong("constant")
def never(result, leaf):
    return False


@wrong("wrong_value")
def knows_nodes_by_their_names(result, leaf):
    todo, seen = [result.grad_fn], {"NoneType"}
    while todo:
        node = todo.pop()
        if type(node).__name__ in seen:
            continue
        seen.add(type(node).__name__)
        if getattr(node, "variable", None) is leaf:
            return True
        todo += [child for child, _ in node.next_functions]
    return False


# ---- with a memory of functools, a class that looks, and one who stops at the first leaf


@right
def remembers_each_node(result, leaf):
    @cache
    def leads(node):
        if node is None:
            return False
        if type(node).__name__ == "AccumulateGrad":
            return node.variable is leaf
        return any(leads(child) for child, _ in node.next_functions)

    return leads(result.grad_fn)


@right
def 找(result, leaf):
    看过, 队列 = set(), deque([result.grad_fn])
    while 队列:
        节点 = 队列.popleft()
        if 节点 is None or 节点 in 看过:
            continue
        看过.add(节点)
        if hasattr(节点, "variable") and 节点.variable is leaf:
            return True
        队列.extend(n for n, _ in 节点.next_functions)
    return False


@wrong("wrong_value")
def decides_at_the_first_leaf(result, leaf):
    seen, todo = set(), [result.grad_fn]
    while todo:
        node = todo.pop(0)
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            return node.variable is leaf
        todo += [child for child, _ in node.next_functions]
    return False


@wrong("calls_backward")
def listens_at_the_leaf(result, leaf):
    heard = []
    leaf.register_hook(lambda grad: heard.append(grad))
    result.sum().backward()
    return bool(heard)


# ---- a remark beside the line, an attribute set by name, and the right text for the line above

FIXES.right({**GOOD, 1: (3, "error = pred - fare  # w.grad = 4.5; nothing is cut")})
FIXES.wrong("symptom")({1: (5, "setattr(w, 'grad', torch.tensor(4.5))")})
FIXES.wrong("still_nonleaf")({6: (1, "w = torch.tensor(2.0, requires_grad=True)")})
FIXES.wrong("wrong_line")({2: (1, "pred = w * km"), 6: (1, "w = torch.tensor(2.0, requires_grad=True)")})
