"""Exercise D: an engine of one's own."""

import heapq
from collections import Counter, deque
from typing import ClassVar

import numpy as np

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
            todo += [(child, False) for child in node.next or ()]
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
with_rules("wrong_rule", lambda a, b, g: (g * a * b, g * a * b))
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


# ---- other hands


@ANSWERS.right
class WithParents:
    """Edges are made as tuples of (child, factor); the order is that of birth."""

    clock = 0

    def __init__(self, data, edges=()):
        self.data, self.grad, self.edges = data, 0.0, edges
        WithParents.clock += 1
        self.born = WithParents.clock

    next = property(lambda self: [child for child, _ in self.edges])

    def vjp(self, g):
        return [g * factor for _, factor in self.edges]

    def __add__(self, other):
        return WithParents(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        return WithParents(self.data * other.data, [(self, other.data), (other, self.data)])

    def backward(self):
        heap, flowing = [(-self.born, self)], {self: 1.0}
        while heap:
            _, node = heapq.heappop(heap)
            g = flowing.pop(node)
            if not node.edges:
                node.grad += g
            for child, part in zip(node.next, node.vjp(g), strict=True):
                if child not in flowing:
                    heapq.heappush(heap, (-child.born, child))
                flowing[child] = flowing.get(child, 0.0) + part


@ANSWERS.right
class AsATape:
    """All that was computed stands on one tape, which is read from its end."""

    tape: ClassVar = []

    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.next = ()
        self.at = len(AsATape.tape)
        AsATape.tape.append(self)

    def vjp(self, g):
        return tuple(g * f for f in getattr(self, "factors", ()))

    def _result(self, data, next, factors):
        out = AsATape(data)
        out.next, out.factors = next, factors
        return out

    def __add__(self, other):
        return self._result(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return self._result(self.data * other.data, (self, other), (other.data, self.data))

    def backward(self):
        got = {self.at: 1.0}
        for at in range(self.at, -1, -1):
            if at in got:
                node, g = AsATape.tape[at], got.pop(at)
                if not node.next:
                    node.grad = node.grad + g
                for child, part in zip(node.next, node.vjp(g), strict=True):
                    got[child.at] = got.get(child.at, 0.0) + part


class Op:
    def __init__(self, *inputs):
        self.inputs = inputs


class Add(Op):
    def forward(self):
        return sum(i.data for i in self.inputs)

    def send(self, g):
        return [g for _ in self.inputs]


class Mul(Op):
    def forward(self):
        a, b = self.inputs
        return a.data * b.data

    def send(self, g):
        a, b = self.inputs
        return [b.data * g, a.data * g]


@ANSWERS.right
class WithOperations:
    def __init__(self, data=None, op=None):
        self.op = op
        self.data = op.forward() if op else data
        self.grad = 0

    @property
    def next(self):
        return self.op.inputs if self.op else ()

    def vjp(self, g):
        return self.op.send(g) if self.op else []

    def __add__(self, other):
        return WithOperations(op=Add(self, other))

    def __mul__(self, other):
        return WithOperations(op=Mul(self, other))

    def backward(self):
        """In layers: a node is moved down whenever something above it is."""
        above, todo = Counter(), [self]
        seen = {self}
        while todo:
            for child in todo.pop().next:
                above[child] += 1
                if child not in seen:
                    seen.add(child)
                    todo.append(child)
        sums, free = Counter({self: 1}), [self]
        while free:
            node = free.pop()
            if not node.op:
                node.grad += sums[node]
            for child, g in zip(node.next, node.vjp(sums[node]), strict=True):
                sums[child] += g
                above[child] -= 1
                if above[child] == 0:
                    free.append(child)


@ANSWERS.right
class OnNumpy(Counting):
    def __init__(self, data):
        super().__init__(np.float64(data))


@ANSWERS.right
class OnTensors(Counting):
    """Numbers may be tensors, as long as nobody asks them for gradients."""

    def __init__(self, data):
        super().__init__(torch.as_tensor(data, dtype=torch.float64))


def by_a_generator(self):
    def order():
        stack, state = [self], {}
        out = []
        while stack:
            node = stack[-1]
            if state.get(node) is None:
                state[node] = iter(node.next)
            child = next(state[node], None)
            if child is None:
                out.append(stack.pop())
            elif child not in state:
                stack.append(child)
        yield from dict.fromkeys(out[::-1])

    grads = {self: 1.0}
    for node in order():
        g = grads[node]
        for child, part in zip(node.next, node.vjp(g), strict=True):
            grads[child] = grads.get(child, 0.0) + part
        if not node.next:
            node.grad += g


ANSWERS.right(with_backward(by_a_generator))


def seeds_with_its_number(self):
    arrived = Counter({self: self.data})
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
        node.grad += 0 if node.next else arrived[node]


def leaves_keep_the_last(self):
    arrived = Counter({self: 1.0})
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
        if not node.next:
            node.grad = arrived[node]


def level_by_level(self):
    level, got = [self], Counter({self: 1.0})
    while level:
        below = []
        for node in level:
            for child, g in zip(node.next, node.vjp(got[node]), strict=True):
                got[child] += g
                if child not in below:
                    below.append(child)
        level = below
    for node in sorted_without_recursion(self):
        node.grad += 0 if node.next else got[node]


def only_the_first_input(self):
    node, g = self, 1.0
    while node.next:
        g = node.vjp(g)[0]
        node = node.next[0]
    node.grad += g


def skips_a_lone_leaf(self):
    if not self.next:
        return
    collects_apart(self)


def clears_the_leaves_first(self):
    for node in sorted_without_recursion(self):
        if not node.next:
            node.grad = 0.0
    collects_apart(self)


def by_a_set_of_children(self):
    arrived = Counter({self: 1.0})
    for node in sorted_without_recursion(self):
        for child in set(node.next):
            arrived[child] += node.vjp(arrived[node])[node.next.index(child)]
        node.grad += 0 if node.next else arrived[node]


def visits_and_adds(self):
    def visit(node, g):
        node.grad += g
        for child, part in zip(node.next, node.vjp(g), strict=True):
            visit(child, part)

    visit(self, 1.0)


def returns_gradients(self):
    arrived = Counter({self: 1.0})
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
    return arrived


def sorts_by_number(self):
    nodes = sorted(sorted_without_recursion(self), key=lambda node: -node.data)
    arrived = Counter({self: 1.0})
    for node in nodes:
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
        node.grad += 0 if node.next else arrived[node]


def prints_the_walk(self):
    for node in sorted_without_recursion(self)[:3]:
        print(node.data)


def exits(self):
    raise SystemExit("done")


def borrows_by_grad(self):
    leaves = [node for node in sorted_without_recursion(self) if not node.next]
    for leaf in leaves:
        x = torch.tensor(leaf.data, requires_grad=True)
        leaf.grad += torch.autograd.grad(x * 1, x)[0].item()


def keeps_the_middle_and_counts(self):
    waiting = Counter(child for node in sorted_without_recursion(self) for child in node.next)
    self.grad, ready = 1.0, [self]
    while ready:
        node = ready.pop()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)


def sends_on_whatever_came(self):
    self.grad, todo = 1.0, [self]
    while todo:
        node = todo.pop()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            todo.append(child)


for idea, walk in (
    ("walk_again", sends_on_whatever_came),
    ("wrong_value", seeds_with_its_number), ("grad_replaces", leaves_keep_the_last), ("walk_again", level_by_level),
    ("wrong_value", only_the_first_input), ("wrong_value", skips_a_lone_leaf),
    ("grad_replaces", clears_the_leaves_first), ("walk_double_edge", by_a_set_of_children),
    ("walk_paths", visits_and_adds), ("wrong_value", returns_gradients), ("wrong_value", sorts_by_number),
    ("wrong_value", prints_the_walk), ("raised", exits), ("calls_backward", borrows_by_grad),
    ("stale_inside", keeps_the_middle_and_counts),
):
    ANSWERS.wrong(idea)(with_backward(walk))

with_rules("wrong_rule", lambda a, b, g: (g + b, g + a))
with_rules("wrong_rule", lambda a, b, g: (g * b, g * b))
with_rules("wrong_rule", add=lambda g: (g, -g))
with_rules("wrong_rule", add=lambda g: (g / 2, g / 2))
with_rules("wrong_rule", lambda a, b, g: (1.0, 1.0))


def without(idea, **methods):
    """The first class with other methods."""
    ANSWERS.wrong(idea)(type("Value", (Counting,), methods))


without("raised", __mul__=lambda a, b: None)
without("raised", __add__=lambda a, b: a.data + b.data)
without("raised", __add__=lambda a, b: a + b.nothing)
without("raised", __init__=lambda self: None)
without("wrong_value", __add__=lambda a, b: Counting(a.data + b.data))
without("wrong_value", __mul__=lambda a, b: Counting.made(a, a.data + b.data, (a, b.data), (b, a.data)))


# ---- too early, in each order in which one may meet nodes


def calls_each_child_it_meets(self, met=None):
    if met is None:
        self.grad, met = 1.0, set()
    met.add(self)
    for child, g in zip(self.next, self.vjp(self.grad), strict=True):
        child.grad += g
        if child not in met:
            child.backward(met)


def takes_the_last_that_it_met(self):
    self.grad, todo, met = 1.0, [self], set()
    while todo:
        node = todo.pop()
        if node not in met:
            met.add(node)
            for child, g in zip(node.next, node.vjp(node.grad), strict=True):
                child.grad += g
                todo.append(child)


def puts_in_order_and_overwrites(self):
    order, met = [], set()

    def visit(node):
        met.add(node)
        for child in node.next:
            if child not in met:
                visit(child)
        order.append(node)

    visit(self)
    self.grad = 1.0
    for node in reversed(order):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = g


for idea, walk in (("walk_early", calls_each_child_it_meets), ("walk_early", takes_the_last_that_it_met),
                   ("walk_overwrite", puts_in_order_and_overwrites)):
    ANSWERS.wrong(idea)(with_backward(walk))


# ---- a class for each operation, and gradients kept beside the nodes


@ANSWERS.right
class Number:
    def __init__(self, data, next=()):
        self.data, self.grad, self.next = data, 0.0, next

    def vjp(self, g):
        return ()

    def __add__(self, other):
        return Sum(self.data + other.data, (self, other))

    def __mul__(self, other):
        return Product(self.data * other.data, (self, other))

    def backward(self):
        arrows, nodes, seen = Counter(), [self], {self}
        for node in nodes:
            arrows.update(node.next)
            nodes += [child for child in dict.fromkeys(node.next) if child not in seen]
            seen |= {*node.next}
        arrived, ready = Counter({self: 1.0}), deque([self])
        while ready:
            node = ready.popleft()
            node.grad = arrived[node] + (0.0 if node.next else node.grad)
            for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
                arrived[child] += g
                arrows[child] -= 1
                if not arrows[child]:
                    ready.append(child)


class Sum(Number):
    def vjp(self, g):
        return g, g


class Product(Number):
    def vjp(self, g):
        a, b = self.next
        return g * b.data, g * a.data


@ANSWERS.wrong("raised")
class HandsNothingBack(Number):
    def __add__(self, other):
        Sum(self.data + other.data, (self, other))

    def __mul__(self, other):
        Product(self.data * other.data, (self, other))


@ANSWERS.wrong("wrong_rule")
class MultipliesAsItAdds(Number):
    def __mul__(self, other):
        return Sum(self.data * other.data, (self, other))


def waits_for_users(self, at=-1):
    order = sorted_without_recursion(self)
    for node in order:
        node.grad *= not node.next
    waits = Counter(child for node in order for child in set(node.next))
    self.grad += 1.0
    ready = [self]
    while ready:
        node = ready.pop(at)
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            waits[child] -= 1
            if not waits[child]:
                ready.append(child)


def waits_for_users_in_a_queue(self):
    waits_for_users(self, 0)


def the_root_stays_full(self):
    self.grad = 1.0 if self.next else self.grad + 1.0
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
        if node is not self:
            node.grad *= not node.next


def a_leaf_begins_anew(self):
    for node in sorted_without_recursion(self):
        node.grad *= not node.next
    self.grad = 1.0
    for node in sorted_without_recursion(self):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def sends_all_that_came(self, g=1.0):
    self.grad += g
    for child, part in zip(self.next, self.vjp(self.grad), strict=True):
        child.backward(part)


for idea, walk in (
    ("walk_early", waits_for_users), ("walk_early", waits_for_users_in_a_queue), ("stale_inside", the_root_stays_full),
    ("grad_replaces", a_leaf_begins_anew), ("walk_again", sends_all_that_came),
):
    ANSWERS.wrong(idea)(with_backward(walk))


@ANSWERS.wrong("walk_double_edge")
class WritesEqualInputsOnce(Counting):
    def __mul__(self, other):
        edges = [(self, other.data), (other, self.data)]
        return self.made(self.data * other.data, *edges[: 1 if self is other else 2])


@ANSWERS.wrong("wrong_value")
class AddsToMultiply(Counting):
    def __mul__(self, other):
        return self.made(self.data + other.data, (self, other.data), (other, self.data))


def a_queue_that_does_not_wait(self):
    self.grad, todo = 1.0, deque([self])
    while todo:
        node = todo.popleft()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            todo.append(child)


def a_stack_that_does_not_wait(self):
    for node in sorted_without_recursion(self):
        node.grad *= not node.next
    self.grad, todo = 1.0, [self]
    while todo:
        node = todo.pop()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            todo.append(child)


def in_the_queue_once(self):
    self.grad, todo = 1.0, [self]
    while todo:
        node = todo.pop(0)
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            if child not in todo:
                todo.append(child)


def calls_each_child(self, walk=None):
    if walk is None:
        self.grad = 1.0
    for child, g in zip(self.next, self.vjp(self.grad), strict=True):
        child.grad += g
        child.backward(self)


for walk in (a_queue_that_does_not_wait, a_stack_that_does_not_wait, in_the_queue_once, calls_each_child):
    ANSWERS.wrong("walk_again")(with_backward(walk))


def sends_on_what_is_new(self):
    self.grad, todo = 1.0, [self]
    while todo:
        node = todo.pop()
        g, node.grad = node.grad, node.grad * (not node.next)
        for child, part in zip(node.next, node.vjp(g), strict=True):
            child.grad += part
            todo.append(child)


ANSWERS.wrong("grad_replaces")(with_backward(sends_on_what_is_new))


@ANSWERS.wrong("wrong_value")
class EqualNumbersAreOneNode(Counting):
    """Two nodes of equal data are met once: one of them never runs."""

    def __eq__(self, other):
        return self.data == other.data

    def __hash__(self):
        return hash(self.data)

    def backward(self):
        nodes = sorted_without_recursion(self)
        for node in nodes:
            node.grad *= not node.next
        self.grad += 1.0
        for node in nodes:
            for child, g in zip(node.next, node.vjp(node.grad), strict=True):
                child.grad += g


@ANSWERS.right
class LeavesThatHaveNone:
    """A leaf's `next` is None."""

    next = vjp = None

    def __init__(self, data):
        self.data, self.grad = data, 0.0

    def made(self, data, other, vjp):
        out = LeavesThatHaveNone(data)
        out.next, out.vjp = (self, other), vjp
        return out

    def __add__(self, other):
        return self.made(self.data + other.data, other, lambda g: (g, g))

    def __mul__(self, other):
        return self.made(self.data * other.data, other, lambda g: (g * other.data, g * self.data))

    def backward(self):
        arrived = Counter({self: 1.0})
        for node in sorted_without_recursion(self):
            for child, g in zip(node.next or (), node.vjp(arrived[node]) if node.next else (), strict=True):
                arrived[child] += g
            node.grad = arrived[node] + (node.grad if node.next is None else 0.0)
