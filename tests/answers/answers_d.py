"""Exercise D: an engine of one's own."""

from collections import Counter, deque

import minigrad as torch
from tests.answers import Answers

ANSWERS = Answers("D", r"reversed|topolog|拓扑|for \w+ in n|while |deque|stack")


@ANSWERS.right
class Counting:
    def __init__(self, data):
        self.data, self.grad, self.next, self.factors = data, 0.0, (), ()

    def vjp(self, g):
        return tuple(g * f for f in self.factors)

    def made(self, data, *edges):
        out = type(self)(data)
        out.next, out.factors = zip(*edges, strict=True)
        return out

    def __add__(self, other):
        return self.made(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return self.made(self.data * other.data, (self, other.data), (other, self.data))

    def below(self):
        found, todo = {self: None}, [self]
        while todo:
            for child in todo.pop().next:
                if child not in found:
                    found[child] = None
                    todo.append(child)
        return list(found)

    def backward(self):
        waiting = Counter(child for node in self.below() for child in node.next)
        arrived, ready = {self: 1.0}, [self]
        while ready:
            node = ready.pop()
            g = arrived.pop(node)
            if not node.next:
                node.grad += g
            for child, part in zip(node.next, node.vjp(g), strict=True):
                arrived[child] = arrived.get(child, 0.0) + part
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)


def with_backward(walk, name=None):
    """The class above with another backward."""
    kind = type(name or walk.__name__, (Counting,), {"backward": walk})
    return kind


def sorted_without_recursion(root):
    order, seen, todo = [], set(), [(root, False)]
    while todo:
        node, done = todo.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            todo.append((node, True))
            todo += [(child, False) for child in node.next]
    return order[::-1]


def clears_the_middle_first(self):
    order = sorted_without_recursion(self)
    for node in order:
        if node.next:
            node.grad = 0.0
    self.grad += 1.0
    for node in order:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def clears_the_middle_after(self):
    self.grad = 1.0 if self.next else self.grad + 1.0
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
        if node.next:
            node.grad = 0.0


def collects_apart(self):
    arrived = {}
    arrived[self] = [1.0]
    for node in sorted_without_recursion(self):
        g = sum(arrived.pop(node))
        for child, part in zip(node.next, node.vjp(g), strict=True):
            arrived.setdefault(child, []).append(part)
        if not node.next:
            node.grad = node.grad + g


def with_a_queue(self):
    waits, seen, todo = Counter(), {self}, deque([self])
    while todo:
        for child in todo.popleft().next:
            waits[child] += 1
            if child not in seen:
                seen.add(child)
                todo.append(child)
    got, todo = Counter({self: 1.0}), deque([self])
    while todo:
        node = todo.popleft()
        node.grad = got[node] if node.next else node.grad + got[node]
        for child, g in zip(node.next, node.vjp(got[node]), strict=True):
            got[child] += g
            waits[child] -= 1
            if waits[child] == 0:
                todo.append(child)


for walk in (clears_the_middle_first, clears_the_middle_after, collects_apart, with_a_queue):
    ANSWERS.right(with_backward(walk))


@ANSWERS.right
class Numbered:
    """Nodes take a number as they are made: the largest runs first."""

    made = 0

    def __init__(self, data, next=(), vjp=lambda g: ()):
        self.data, self.grad, self.next, self.vjp = data, 0, next, vjp
        Numbered.made += 1
        self.number = Numbered.made

    def __add__(self, other):
        return Numbered(self.data + other.data, [self, other], lambda g: [g, g])

    def __mul__(self, other):
        return Numbered(self.data * other.data, [self, other], lambda g: [g * other.data, g * self.data])

    def backward(self):
        found, todo = {self}, [self]
        for node in todo:
            todo += (new := set(node.next) - found)
            found |= new
        got = Counter({self: 1})
        for node in sorted(found, key=lambda node: -node.number):
            for child, g in zip(node.next, node.vjp(got[node]), strict=True):
                got[child] += g
            if not node.next:
                node.grad += got[node]


def starts_with_nothing(self):
    arrived = Counter()
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
        node.grad += 0 if node.next else arrived[node]


def starts_with_two(self):
    arrived = Counter({self: 2.0})
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
        node.grad += 0 if node.next else arrived[node]


def like_micrograd(self):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for child in node.next:
                visit(child)
            order.append(node)

    visit(self)
    self.grad = 1.0
    for node in reversed(order):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def keeps_the_middle(self):
    self.grad += 1.0
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def assigns(self):
    arrived = {self: 1.0}
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] = g
            child.grad = g


def one_edge_per_child(self):
    arrived = Counter({self: 1.0})
    for node in sorted_without_recursion(self):
        for child, g in dict(zip(node.next, node.vjp(arrived[node]), strict=True)).items():
            arrived[child] += g
        node.grad += 0 if node.next else arrived[node]


def at_the_first_arrival(self):
    arrived, todo, seen = Counter({self: 1.0}), deque([self]), {self}
    while todo:
        node = todo.popleft()
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
            if child not in seen:
                seen.add(child)
                todo.append(child)
    for node in seen:
        node.grad += 0 if node.next else arrived[node]


def clears_everything(self):
    order = sorted_without_recursion(self)
    for node in order:
        node.grad = 0.0
    self.grad = 1.0
    for node in order:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def every_path(self, g=1.0):
    if not self.next:
        self.grad += g
    for child, part in zip(self.next, self.vjp(g), strict=True):
        child.backward(part)


def every_path_without_recursion(self):
    todo = [(self, 1.0)]
    while todo:
        node, g = todo.pop()
        node.grad += 0 if node.next else g
        todo += zip(node.next, node.vjp(g), strict=True)


def visits(self):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for child in node.next:
                visit(child)
            order.append(node)

    visit(self)
    arrived = Counter({self: 1.0})
    for node in reversed(order):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
        node.grad += 0 if node.next else arrived[node]


def looks_through_a_list(self):
    nodes = [self]
    for node in nodes:
        for child in node.next:
            if not sum(child is known for known in nodes):
                nodes.append(child)
    collects_apart(self)


def borrows(self):
    x = torch.tensor(2.0, requires_grad=True)
    (x * self.data).backward()
    for node in self.next:
        node.grad = x.grad.item()


def never_ends(self):
    while self.next:
        pass


def doubles_at_the_leaves(self):
    arrived = Counter({self: 1.0})
    for node in sorted_without_recursion(self):
        node.grad += arrived[node]
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
            child.grad += 0 if child.next else g


def does_nothing(self):
    self.grad = 1.0


for idea, walk in (
    ("wrong_value", starts_with_nothing), ("walk_seed", starts_with_two), ("stale_inside", like_micrograd),
    ("stale_inside", keeps_the_middle), ("walk_overwrite", assigns), ("walk_double_edge", one_edge_per_child),
    ("walk_early", at_the_first_arrival), ("grad_replaces", clears_everything), ("walk_paths", every_path),
    ("walk_paths", every_path_without_recursion), ("walk_deep", visits), ("endless", looks_through_a_list),
    ("calls_backward", borrows), ("endless", never_ends), ("wrong_value", does_nothing),
    ("wrong_value", doubles_at_the_leaves),
):
    ANSWERS.wrong(idea)(with_backward(walk))


def with_rules(idea, mul=None, add=None):
    class Rules(Counting):
        def __add__(self, other):
            out = super().__add__(other)
            out.vjp = add or out.vjp
            return out

        def __mul__(self, other):
            out = super().__mul__(other)
            out.vjp = (lambda g: mul(self.data, other.data, g)) if mul else out.vjp
            return out

    ANSWERS.wrong(idea)(Rules)


with_rules("no_swap", lambda a, b, g: (g * a, g * b))
with_rules("wrong_rule", lambda a, b, g: (b, a))
with_rules("wrong_rule", lambda a, b, g: (b, a), lambda g: (1.0, 1.0))
with_rules("wrong_rule", lambda a, b, g: (g, g))
with_rules("wrong_value", lambda a, b, g: (g * a * b, g * a * b))
with_rules("raised", lambda a, b, g: (g * b,))


@ANSWERS.wrong("raised")
class NoBackward:
    def __init__(self, data):
        self.data, self.grad = data, 0.0

    def __add__(self, other):
        return NoBackward(self.data + other.data)


@ANSWERS.wrong("kind")
def an_instance(data):
    return Counting(data)
