"""The checker of lesson 3 accepts right walks in any style and names the idea behind wrong ones."""

import ast
import re
import tomllib
from collections import Counter, deque
from pathlib import Path

import nbformat
import pytest

import minigrad
from minigrad.lessons import check, diamond
from minigrad.lessons.lesson_03 import CHAIN, DIAMOND, TWICE, Log, build, cases, truth

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "en/lessons/03_walk_backward_yourself.ipynb"
MESSAGES = Path(minigrad.__file__).parent / "text" / "messages.toml"


def nodes_below(root):
    found, todo = [root], [root]
    while todo:
        for child in todo.pop().next:
            if child not in found:
                found.append(child)
                todo.append(child)
    return found


def recursive_order(root):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for child in node.next:
                visit(child)
            order.append(node)

    visit(root)
    return order[::-1]


# Right answers, in four styles.


def sorts_by_visiting(root):
    root.grad = 1.0
    for node in recursive_order(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def counts_consumers(root):
    waiting = Counter(child for node in nodes_below(root) for child in node.next)
    root.grad, ready = 1.0, [root]
    while ready:
        node = ready.pop()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)


def collects_in_a_dict(root):
    arrived = {root: [1.0]}
    for node in recursive_order(root):
        total = sum(arrived[node])
        if not node.next:
            node.grad = total
        for child, g in zip(node.next, node.vjp(total), strict=True):
            arrived.setdefault(child, []).append(g)


def asks_until_all_consumers_ran(root):
    nodes, done = nodes_below(root), []
    while len(done) < len(nodes):
        for node in nodes:
            if node in done or any(node in n.next for n in nodes if n not in done):
                continue
            for child, g in zip(node.next, node.vjp(node.grad if done else 1.0), strict=True):
                child.grad += g
            done.append(node)


# Wrong answers, each with the idea behind it.


def assigns(root):
    root.grad = 1.0
    for node in recursive_order(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = g


def assigns_at_the_leaf(root):
    arrived = Counter({root: 1.0})
    for node in recursive_order(root):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
            child.grad = g


def follows_every_path(root, g=1.0):
    root.grad += g
    for child, part in zip(root.next, root.vjp(g), strict=True):
        follows_every_path(child, part)


def sends_totals_again(root):
    root.grad, todo = 1.0, deque([root])
    while todo:
        node = todo.popleft()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            todo.append(child)


def takes_nodes_as_it_meets_them(root):
    root.grad = 1.0
    for node in nodes_below_breadth_first(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def nodes_below_breadth_first(root):
    found = [root]
    for node in found:
        found += [child for child in dict.fromkeys(node.next) if child not in found]
    return found


def forgets_the_seed(root):
    for node in recursive_order(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def seeds_with_two(root):
    root.grad = 1.0
    root.grad += 1.0
    sorts = recursive_order(root)
    for node in sorts:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def keeps_one_edge_per_child(root):
    root.grad = 1.0
    for node in recursive_order(root):
        for child, g in dict(zip(node.next, node.vjp(node.grad), strict=True)).items():
            child.grad += g


def follows_the_first_input_only(root):
    root.grad, node = 1.0, root
    while node.next:
        g = node.vjp(node.grad)[0]
        node = node.next[0]
        node.grad += g


def never_writes_the_leaves(root):
    arrived = Counter({root: 1.0})
    for node in recursive_order(root):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g


def averages(root):
    arrived = {root: [1.0]}
    for node in recursive_order(root):
        node.grad = sum(arrived[node]) / len(arrived[node])
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            arrived.setdefault(child, []).append(g)


def never_stops(root):
    while root.next:
        root.vjp(1.0)


def fails(root):
    root.backward()


RIGHT = [sorts_by_visiting, counts_consumers, collects_in_a_dict, asks_until_all_consumers_ran]
WRONG = {
    assigns: "walk_overwrite",
    assigns_at_the_leaf: "walk_overwrite",
    follows_every_path: "walk_paths",
    sends_totals_again: "walk_again",
    takes_nodes_as_it_meets_them: "walk_early",
    forgets_the_seed: "walk_seed",
    seeds_with_two: "walk_seed",
    keeps_one_edge_per_child: "walk_double_edge",
    follows_the_first_input_only: "walk_stopped",
    never_writes_the_leaves: "walk_no_leaf",
    averages: "walk_sum",
    never_stops: "walk_endless",
    fails: "walk_raised",
}


@pytest.fixture(params=["en", "zh"])
def language(request):
    before = minigrad.get_language()
    minigrad.set_language(request.param)
    yield request.param
    minigrad.set_language(before)


@pytest.mark.parametrize("answer", RIGHT, ids=lambda f: f.__name__)
def test_a_right_walk_is_accepted_whatever_its_style(answer, language):
    verdict = check("03", answer)

    assert verdict.passed, verdict.text
    assert verdict.misconception is None


@pytest.mark.parametrize(("answer", "idea"), WRONG.items(), ids=lambda v: getattr(v, "__name__", v))
def test_a_wrong_walk_is_told_which_idea_is_behind_it(answer, idea, language):
    verdict = check("03", answer)

    assert verdict.passed is False
    assert verdict.misconception == idea, verdict.text
    assert verdict.text == check("03", answer).text  # word for word the same when asked again


def test_the_case_shown_is_the_smallest_that_fails():
    assert str(DIAMOND) in check("03", follows_every_path).text
    assert str(CHAIN) in check("03", forgets_the_seed).text
    assert str(TWICE) in check("03", keeps_one_edge_per_child).text


def test_an_untouched_exercise_is_not_yet_wrong():
    def my_backward(root): ...

    for exercise, answer in (("03", my_backward), ("03", ...), ("03.1", ...)):
        verdict = check(exercise, answer)
        assert verdict.passed is None
        assert re.search(r"not yet.*\n.*尚未完成", verdict.text)  # the same in both twins


def test_a_called_function_is_not_a_function():
    assert check("03", None).misconception == "walk_not_callable"


@pytest.mark.parametrize(
    ("guess", "idea"),
    [("A", "walk_guess_twice"), ("b", "walk_guess_first"), ("C", None), ("D", "walk_guess_product"),
     ("7", "walk_guess_letter")],
)
def test_every_prediction_gets_its_own_answer(guess, idea, language):
    verdict = check("03.1", guess)

    assert verdict.passed is (idea is None)
    assert verdict.misconception == idea


def test_an_unknown_exercise_is_refused_with_the_list():
    with pytest.raises(ValueError, match=r"no exercise '99'; there are 03, 03.1"):
        check("99", sorts_by_visiting)


def test_there_are_thirty_random_graphs_and_no_gradient_is_zero():
    assert len(cases()) == 35
    assert all(all(gradients.values()) for _, gradients in cases())


def test_the_exercise_diamond_is_the_lesson_diamond():
    x = minigrad.tensor(2.0, requires_grad=True)
    a = x * 3
    (a * 2 + a * 5).backward()
    root = diamond()
    sorts_by_visiting(root)

    assert truth(DIAMOND)["x"] == x.grad.item() == 21
    assert recursive_order(root)[-1].grad == 21
    assert repr(root) == "Node(d = b + c)"


def test_a_walk_costs_one_call_of_vjp_per_node():
    log = Log()
    root = build(DIAMOND, log)["d"]
    counts_consumers(root)

    assert [node.name for node, _ in log.calls] == ["d", "c", "b", "a"]


def last_value(source, names):
    tree = ast.parse(source)
    *statements, last = tree.body
    exec(compile(ast.Module(statements, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_the_notebook_ticks_once_its_dots_are_filled():
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells}
    names = {"sorts_by_visiting": sorts_by_visiting}
    exec(cells["l03-setup"], names)
    filled = {
        "l03-predict": cells["l03-predict"].replace("...", '"C"'),
        "l03-write": cells["l03-write"].replace("    ...", "    sorts_by_visiting(root)"),
    }

    for cell, source in filled.items():
        assert last_value(cells[cell], names).passed is None
        assert last_value(source, names).passed is True


def test_no_verdict_shows_the_solution():
    sentences = tomllib.loads(MESSAGES.read_text("utf-8"))["lessons"]
    for entry in sentences.values():
        for text in entry.values():
            assert not re.search(r"reversed|topolog|拓扑|for \w+ in|while ", text)
