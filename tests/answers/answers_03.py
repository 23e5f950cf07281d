"""Exercise 03: walk backward yourself; 03.2: the same on a chain of 2 000 nodes."""

import heapq
from collections import Counter, defaultdict, deque
from fractions import Fraction

import numpy as np

import minigrad as torch
from tests.answers import Answers

FORBIDDEN = r"reversed|topolog|拓扑|for \w+ in|while "
ANSWERS = Answers("03", FORBIDDEN)
CHAIN = Answers("03.2", FORBIDDEN)
right, wrong = ANSWERS.right, ANSWERS.wrong


def below(root):
    found, todo = {root: None}, [root]
    while todo:
        for child in todo.pop().next:
            if child not in found:
                found[child] = None
                todo.append(child)
    return list(found)


def sorted_by_visiting(root):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for child in node.next:
                visit(child)
            order.append(node)

    visit(root)
    return order[::-1]


@CHAIN.right
@right
def counts_consumers(root):
    waiting = Counter(child for node in below(root) for child in node.next)
    root.grad, ready = 1.0, [root]
    while ready:
        node = ready.pop()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)


@CHAIN.right
@right
def with_a_queue(root):
    waits = defaultdict(int)
    for node in below(root):
        for child in node.next:
            waits[child] += 1
    root.grad = 1
    ready = deque([root])
    while ready:
        node = ready.popleft()
        sent = node.vjp(node.grad)
        for i in range(len(node.next)):
            node.next[i].grad = node.next[i].grad + sent[i]
            waits[node.next[i]] -= 1
            if waits[node.next[i]] == 0:
                ready.append(node.next[i])


@CHAIN.right
@right
def once_per_edge(root):
    waiting = Counter(child for node in below(root) for child in node.next)
    root.grad, ready = 1.0, [root]
    while ready:
        node = ready.pop()
        for i, child in enumerate(node.next):
            child.grad += node.vjp(node.grad)[i]
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)


@CHAIN.right
@right
def local_derivatives_times_what_came(root):
    waiting = Counter(child for node in below(root) for child in node.next)
    root.grad, ready = 1.0, [root]
    while ready:
        node = ready.pop()
        for child, factor in zip(node.next, node.vjp(1.0), strict=True):
            child.grad += node.grad * factor
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)


@CHAIN.right
@right
def by_the_longest_way(root):
    depth, todo = {root: 0}, deque([root])
    while todo:
        node = todo.popleft()
        for child in node.next:
            if depth.get(child, -1) < depth[node] + 1:
                depth[child] = depth[node] + 1
                todo.append(child)
    root.grad = 1.0
    heap = [(d, i, node) for i, (node, d) in enumerate(depth.items())]
    heapq.heapify(heap)
    while heap:
        _, _, node = heapq.heappop(heap)
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@right
def sorts_by_visiting(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@right
def asks_until_all_consumers_ran(root):
    nodes, done = below(root), []
    while len(done) < len(nodes):
        for node in nodes:
            if node in done or any(node in n.next for n in nodes if n not in done):
                continue
            for child, g in zip(node.next, node.vjp(node.grad if done else 1.0), strict=True):
                child.grad += g
            done.append(node)


@right
def collects_in_a_dict(root):
    arrived = {root: [1.0]}
    for node in sorted_by_visiting(root):
        total = sum(arrived[node])
        if not node.next:
            node.grad = total
        for child, g in zip(node.next, node.vjp(total), strict=True):
            arrived.setdefault(child, []).append(g)


@wrong("walk_overwrite")
def assigns_at_the_leaf(root):
    arrived = Counter({root: 1.0})
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
            child.grad = g


@wrong("walk_overwrite")
def assigns(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = g


@wrong("walk_overwrite")
def assigns_once_per_edge(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for i, child in enumerate(node.next):
            child.grad = node.vjp(node.grad)[i]


@wrong("walk_paths")
def follows_every_path(root, g=1.0):
    root.grad += g
    for child, part in zip(root.next, root.vjp(g), strict=True):
        follows_every_path(child, part)


@wrong("walk_paths")
def follows_every_path_by_factors(root, g=1.0):
    root.grad += g
    for child, part in zip(root.next, root.vjp(1.0), strict=True):
        follows_every_path_by_factors(child, g * part)


@wrong("walk_again")
def sends_totals_again(root):
    root.grad, todo = 1.0, deque([root])
    while todo:
        node = todo.popleft()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            todo.append(child)


@wrong("walk_early")
def runs_at_the_first_arrival(root):
    root.grad, todo, seen = 1.0, deque([root]), {root}
    while todo:
        node = todo.popleft()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            if child not in seen:
                seen.add(child)
                todo.append(child)


@wrong("walk_early")
def takes_nodes_as_it_meets_them(root):
    root.grad, found = 1.0, [root]
    for node in found:
        found += [child for child in dict.fromkeys(node.next) if child not in found]
    for node in found:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_seed")
def starts_with_nothing(root):
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_seed")
def starts_with_two(root):
    root.grad = 2.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_seed")
def starts_twice(root):
    root.grad = 1.0
    root.grad += 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_stopped")
def goes_the_first_way_only(root):
    root.grad, node = 1.0, root
    while node.next:
        g = node.vjp(node.grad)[0]
        node = node.next[0]
        node.grad += g


@wrong("walk_stopped")
def only_the_root(root):
    root.grad = 1.0
    for child, g in zip(root.next, root.vjp(1.0), strict=True):
        child.grad += g


@wrong("walk_double_edge")
def keeps_one_edge_per_child(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in dict(zip(node.next, node.vjp(node.grad), strict=True)).items():
            child.grad += g


@wrong("walk_no_leaf")
def returns_a_dict(root):
    arrived = Counter({root: 1.0})
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g
    return dict(arrived)


@wrong("walk_no_leaf")
def never_writes_the_leaves(root):
    arrived = Counter({root: 1.0})
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(arrived[node]), strict=True):
            arrived[child] += g


@wrong("walk_sum")
def averages(root):
    arrived = {root: [1.0]}
    for node in sorted_by_visiting(root):
        node.grad = sum(arrived[node]) / len(arrived[node])
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            arrived.setdefault(child, []).append(g)


@wrong("wrong_rule")
def sends_local_derivatives(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(1.0), strict=True):
            child.grad += g


@wrong("wrong_rule")
def sends_local_derivatives_along_paths(root):
    for child, g in zip(root.next, root.vjp(1.0), strict=True):
        child.grad += g
        sends_local_derivatives_along_paths(child)


@wrong("wrong_rule")
def multiplies_twice(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g * node.grad


@wrong("walk_endless")
def asks_for_ever(root):
    while root.next:
        root.vjp(1.0)


@wrong("endless")
def never_moves_on(root):
    node = root
    while node:
        pass


@wrong("endless")
def catches_everything(root):
    children = list(root.next)
    while children:
        try:
            children[0].grad += 0.0
        except BaseException:
            continue


@wrong("raised")
def calls_what_nodes_do_not_have(root):
    root.backward()


@wrong("raised")
def leaves(root):
    raise SystemExit("done")


@wrong("prints")
def prints(root):
    print(root.next)


@wrong("constant")
def knows_it_is_21(root):
    return 21


@wrong("constant")
def writes_21_everywhere(root):
    for node in below(root):
        node.grad = 21.0


@wrong("generator")
def yields(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        yield node.vjp(node.grad)


# On the chain only calls within calls differ from what lesson 3 has seen.


@CHAIN.wrong("walk_deep")
def visits(root):
    sorts_by_visiting(root)


@CHAIN.wrong("walk_deep")
def visits_along_paths(root, g=1.0):
    follows_every_path(root, g)


@CHAIN.wrong("walk_deep")
def visits_and_writes(root):
    if root.grad == 0.0:
        root.grad = 1.0
    for child, g in zip(root.next, root.vjp(root.grad), strict=True):
        child.grad += g
        visits_and_writes(child)


def in_order(root):
    nodes = [root]
    for node in nodes:
        nodes += node.next
    return nodes


@CHAIN.wrong("walk_seed")
def starts_with_nothing_on_the_chain(root):
    for node in in_order(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@CHAIN.wrong("walk_seed")
def starts_with_two_on_the_chain(root):
    root.grad = 2.0
    for node in in_order(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@CHAIN.wrong("walk_no_leaf")
def returns_the_number(root):
    g, node = 1.0, root
    while node.next:
        (g,), (node,) = node.vjp(g), node.next
    return g


@CHAIN.wrong("walk_no_leaf")
def writes_to_the_wrong_end(root):
    g, node = 1.0, root
    while node.next:
        (g,), (node,) = node.vjp(g), node.next
    root.grad = g


CHAIN.wrong("walk_stopped")(only_the_root)
CHAIN.wrong("endless")(never_moves_on)
CHAIN.wrong("constant")(knows_it_is_21)


# ---- other hands


@right
class Walker:
    """Handed in as an object: what waits is kept on it, and each call begins anew."""

    def __call__(self, root):
        self.consumers, self.got = defaultdict(list), Counter()
        self.meet(root)
        self.ask(root)

    def meet(self, node):
        for child in node.next:
            first = child not in self.consumers
            self.consumers[child].append(node)
            if first:
                self.meet(child)

    def ask(self, root):
        root.grad, left, ready = 1.0, {n: len(c) for n, c in self.consumers.items()}, {root}
        while ready:
            node = ready.pop()
            grads = iter(node.vjp(node.grad))
            for child in node.next:
                child.grad += next(grads)
                left[child] -= 1
            ready |= {child for child in node.next if not left[child]}


ANSWERS.rights[-1] = Walker()


@CHAIN.right
@right
def by_layers(root):
    """Nodes are moved down until each stands below all of its consumers."""
    depth, changed = {root: 0}, [root]
    while changed:
        lower = []
        for node in changed:
            for child in node.next:
                if depth.get(child, -1) <= depth[node]:
                    depth[child] = depth[node] + 1
                    lower.append(child)
        changed = lower
    root.grad = 1.0
    for node in sorted(depth, key=depth.get):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@CHAIN.right
@right
def gathers_from_consumers(root):
    """Nobody sends: each node asks those above it, once they are through."""
    above = defaultdict(list)
    for node in below(root):
        for slot, child in enumerate(node.next):
            above[child].append((node, slot))
    sent, todo = {}, deque(below(root))
    while todo:
        node = todo.popleft()
        if any(parent not in sent for parent, _ in above[node]):
            todo.append(node)
            continue
        node.grad = sum((sent[parent][slot] for parent, slot in above[node]), 1.0 if node is root else 0.0)
        sent[node] = node.vjp(node.grad) if node.next else ()


@right
def remembers_by_recursion(root):
    above, known = defaultdict(list), {root: 1.0}
    for node in below(root):
        for slot, child in enumerate(node.next):
            above[child].append((node, slot))
    sent = {}

    def of(node):
        if node not in known:
            known[node] = sum(sends(parent)[slot] for parent, slot in above[node])
        return known[node]

    def sends(node):
        if node not in sent:
            sent[node] = node.vjp(of(node))
        return sent[node]

    for node in below(root):
        if len(node.next) == 0:
            node.grad = of(node)


@CHAIN.right
@right
def by_numpy(root):
    """The last arrow to arrive opens the node: a matrix of who waits for whom."""

    nodes = below(root)
    place = {node: i for i, node in enumerate(nodes)}
    waits = np.zeros(len(nodes), int)
    for node in nodes:
        np.add.at(waits, [place[child] for child in node.next], 1)
    grads, done = np.zeros(len(nodes)), np.zeros(len(nodes), bool)
    grads[0] = 1
    while not done.all():
        i = int(np.flatnonzero((waits == 0) & ~done)[0])
        done[i] = True
        for child, g in zip(nodes[i].next, nodes[i].vjp(grads[i]), strict=True):
            grads[place[child]] += g
            waits[place[child]] -= 1
    for node, g in zip(nodes, grads, strict=True):
        node.grad = float(g)


@wrong("walk_seed")
def forgets_the_seed(root):
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_seed")
def seeds_with_minus(root):
    root.grad = -1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_early")
def depth_first_once(root):
    root.grad, seen, todo = 1.0, set(), [root]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            todo.append(child)


@wrong("walk_early")
def level_after_level(root):
    root.grad, level, seen = 1.0, [root], set()
    while level:
        for node in level:
            seen.add(node)
            for child, g in zip(node.next, node.vjp(node.grad), strict=True):
                child.grad += g
        level = list(dict.fromkeys(child for node in level for child in node.next if child not in seen))


@wrong("walk_again")
def queue_without_seen(root):
    root.grad, todo = 1.0, deque([root])
    while todo:
        node = todo.popleft()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            todo.append(child)


@wrong("walk_paths")
def queue_of_pairs(root):
    todo = deque([(root, 1.0)])
    while todo:
        node, g = todo.popleft()
        node.grad += g
        todo.extend(zip(node.next, node.vjp(g), strict=True))


@wrong("walk_overwrite")
def takes_the_largest(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = g


@wrong("walk_double_edge")
def through_a_set(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child in set(node.next):
            child.grad += node.vjp(node.grad)[node.next.index(child)]


@wrong("walk_stopped")
def the_second_way_only(root):
    root.grad, node = 1.0, root
    while node.next:
        g = node.vjp(node.grad)[-1]
        node = node.next[-1]
        node.grad += g


@wrong("walk_stopped")
def stops_before_the_last(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root)[:1]:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_overwrite")
def takes_the_larger(root):
    root.grad = 1.0
    got = defaultdict(list)
    for node in sorted_by_visiting(root):
        node.grad = 1.0 if node is root else max(got[node], key=abs)
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            got[child].append(g)


@wrong("walk_sum")
def multiplies_arrivals(root):
    root.grad = 1.0
    got = defaultdict(list)
    for node in sorted_by_visiting(root):
        for g in got[node][:1]:
            node.grad = g
        for g in got[node][1:]:
            node.grad *= g
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            got[child].append(g)


@wrong("walk_no_leaf")
def only_where_there_is_more(root):
    grads = Counter({root: 1.0})
    for node in sorted_by_visiting(root):
        if node.next:
            node.grad = grads[node]
        for child, g in zip(node.next, node.vjp(grads[node]), strict=True):
            grads[child] += g


@wrong("wrong_rule")
def adds_the_arriving(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(1.0), strict=True):
            child.grad += node.grad + g


@wrong("raised")
def unpacks_two(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        (left, right_), (a, b) = node.next, node.vjp(node.grad)
        left.grad += a
        right_.grad += b


@wrong("raised")
def calls_backward(root):
    root.backward()


@wrong("raised")
def takes_it_for_a_tensor(root):
    root.grad = 1.0
    for child, _ in root.next_functions:
        child.grad += 1.0


@wrong("walk_stopped")
def pops_and_forgets(root):
    root.grad, todo = 1.0, [root]
    while todo:
        node = todo.pop()
        todo = list(node.next)
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_sum")
def adds_twice_at_the_leaves(root):
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g if child.next else 2 * g


@wrong("walk_no_leaf")
def gives_it_back(root):
    grads = Counter({root: 1.0})
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(grads[node]), strict=True):
            grads[child] += g
    return grads


@wrong("walk_endless")
def waits_for_what_never_comes(root):
    todo = [root]
    root.grad = 1.0
    while todo:
        todo += todo.pop().next or [root]


@CHAIN.wrong("walk_early")
def on_the_chain_from_the_far_end(root):
    root.grad = 1.0
    for node in reversed(sorted_by_layers(root)):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


def sorted_by_layers(root):
    nodes = [root]
    for node in nodes:
        nodes += node.next
    return nodes


@CHAIN.wrong("walk_overwrite")
def nothing_on_the_chain_twice(root):
    """Passes the chain: nothing arrives twice there."""
    root.grad = 1.0
    for node in sorted_by_layers(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = g


CHAIN.wrongs.pop()
CHAIN.right(nothing_on_the_chain_twice)


@CHAIN.wrong("walk_deep")
def generators_within_generators(root):
    def walk(node, g):
        node.grad += g
        for child, part in zip(node.next, node.vjp(g), strict=True):
            yield from walk(child, part)
        yield node

    list(walk(root, 1.0))


@CHAIN.wrong("walk_sum")
def counts_the_leaf_twice(root):
    root.grad = 1.0
    for node in sorted_by_layers(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g if child.next else 2 * g


@CHAIN.wrong("walk_stopped")
def a_thousand_steps(root):
    root.grad = 1.0
    for node in sorted_by_layers(root)[:1000]:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@CHAIN.wrong("endless")
def looks_at_all_each_time(root):
    todo, order = [root], []
    while todo:
        node = todo.pop()
        order = [n for n in order if n.name != node.name and sum(n.name < m.name for m in order) >= 0] + [node]
        todo += node.next
    root.grad = 1.0
    for node in order:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@CHAIN.wrong("walk_endless")
def looks_for_who_is_left_each_time(root):
    left, order = [root], []
    for node in left:
        left += [child for child in node.next if child not in left]
    while left:
        order.append(next(node for node in left if not any(node in other.next for other in left)))
        left.remove(order[-1])
    root.grad = 1.0
    for node in order:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g


@wrong("walk_no_leaf")
def empties_every_drawer_behind_it(root):
    order, met = [], set()

    def visit(node):
        met.add(node)
        for child in node.next:
            if child not in met:
                visit(child)
        order.append(node)

    visit(root)
    root.grad = 1.0
    for node in reversed(order):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
        node.grad = 0.0


@CHAIN.wrong("walk_stopped")
def returns_an_order(root):
    return in_order(root)


@CHAIN.wrong("walk_stopped")
def takes_a_thousand_steps(root):
    root.grad, node = 1.0, root
    for _ in range(1000):
        if node.next:
            (node.next[0].grad,) = node.vjp(node.grad)
            node = node.next[0]


@wrong("walk_sum")
def multiplies_what_arrives(root):
    nodes = [*sorted_by_visiting(root)]
    for node in nodes:
        node.grad = 1.0
    for node in nodes:
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad *= g


# ---- by depth, and by looking through all nodes again


@right
def by_depth(root):
    depth, changed = {root: 0}, True
    while changed:
        changed = False
        for node in list(depth):
            for child in node.next:
                if depth.get(child, -1) < depth[node] + 1:
                    depth[child] = depth[node] + 1
                    changed = True
    root.grad = 1.0
    for node in sorted(depth, key=depth.get):
        sent = node.vjp(node.grad)
        for i, child in enumerate(node.next):
            child.grad += sent[i]


@wrong("walk_again")
def waits_for_all_but_one(root):
    count, todo, seen = Counter(), [root], set()
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            count.update(node.next)
            todo += node.next
    root.grad, ready = 1.0, [root]
    while ready:
        node = ready.pop()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
            count[child] -= 1
            if count[child] <= 1:
                ready.append(child)


CHAIN.wrong("walk_endless")(by_depth)


@CHAIN.wrong("walk_stopped")
def takes_fifteen_hundred_steps(root):
    root.grad, node = 1.0, root
    for _ in range(1500):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad += g
        node = node.next[0] if node.next else node


# ---- gradients that are tensors, arrays or fractions from the root on


@wrong("walk_overwrite")
def assigns_tensors(root):
    root.grad = torch.tensor(1.0)
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = g


@wrong("walk_early")
def runs_arrays_at_the_first_arrival(root):
    root.grad, todo, seen = np.array([1.0]), deque([root]), {root}
    while todo:
        node = todo.popleft()
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = child.grad + g
            if child not in seen:
                seen.add(child)
                todo.append(child)


@wrong("walk_stopped")
def only_the_root_in_fractions(root):
    for child, g in zip(root.next, root.vjp(Fraction(1)), strict=True):
        child.grad += g


@wrong("walk_no_leaf")
def takes_tensors_away_again(root):
    assigns_or_adds(root, torch.tensor(1.0))
    for node in below(root):
        node.grad = node.grad * 0


def assigns_or_adds(root, start, adds=lambda node, child: True):
    root.grad = start
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next, node.vjp(node.grad), strict=True):
            child.grad = child.grad + g if adds(node, child) else child.grad


@wrong("walk_sum")
def loses_both_edges(root):
    assigns_or_adds(root, 1.0, lambda node, child: node.next.count(child) < 2)


@wrong("walk_sum")
def crosses_the_edges_of_a(root):
    """In one leaf there is what one share would be, by chance: the other leaf has what no share is."""
    root.grad = 1.0
    for node in sorted_by_visiting(root):
        for child, g in zip(node.next[::-1 if node.name == "a" else 1], node.vjp(node.grad), strict=True):
            child.grad += g
