"""A program run line by line: which nodes each line writes, what it writes into, and where a thread is cut.

A line is the first one of a statement; what a function does belongs to the line that calls it.
"""

import ast
import linecache
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any, NamedTuple
from zlib import crc32

from ..core.beside import ledger, scopes
from ..core.beside.observers import observing
from ..core.beside.scopes import begin as begin  # for `viz`, too
from ..text import demand
from .ghosts import ghost_of, watching
from .live import nodes_behind, read
from .program import expression, written as written_names
from .snapshot import AnyTensor, Graph, by_key, part


@dataclass
class Pin:
    """A note that a node keeps of a tensor: made in `line`, at a version; `now` is today's, since line `by`."""

    line: int
    tensor: str
    version: int
    now: int
    by: int = 0
    node: int = 0  # its number

    @property
    def stale(self) -> bool:
        """Whether the tensor was written after it was noted."""
        return self.now != self.version


@dataclass
class Followed:
    """What is known of a program that has run in `scope`."""

    source: str
    scope: dict[str, Any]
    place: str = ""  # the file that it stands in; without one it gets a name of its own
    error: str = ""  # class and first sentence of the error that ended it
    ran: list[int] = field(default_factory=list)  # lines, as they ran
    seen: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        demand(isinstance(self.source, str), "moments.not_text", TypeError, given=type(self.source).__name__)
        self.tree = ast.parse(self.source, self.place or "<program>")
        self.lines = self.source.rstrip("\n").split("\n")
        self.statements = {n: s.lineno for s in ast.walk(self.tree) if isinstance(s, ast.stmt) for n in header(s)}
        calls: list[Any] = [one for one in ast.walk(self.tree) if hasattr(getattr(one, "func", None), "attr")]
        self.calls = sorted((c for c in calls if c.func.attr in ("backward", "grad")), key=lambda call: call.lineno)
        self.backwards = {self.statements.get(one.lineno, 0): one.func.attr for one in self.calls}
        grown = [one.target for one in ast.walk(self.tree) if isinstance(one, ast.AugAssign)]
        met = sorted((-one.lineno, isinstance(one.ctx, ast.Load) or one in grown, one.id)
                     for one in ast.walk(self.tree) if isinstance(one, ast.Name))
        self.names = {name: 0 if read else self.statements.get(-line, 0) for line, read, name in met}  # bound there

    def run(self) -> Exception | None:
        """Run it; `seen(line)` is called after each line. An error ends it, and is returned."""
        if not self.place:  # what was noted of another program is not said of this one
            self.place = f"<program {crc32(self.source.encode()):08x}>"
            linecache.cache[self.place] = (len(self.source), None, self.source.splitlines(True), self.place)
        code = compile(self.tree, self.place, "exec")
        last = 0

        def local(frame: Any, event: str, arg: Any) -> Any:
            nonlocal last
            if event in ("line", "return") and last:
                self.ran.append(self.statements.get(last, last))
                if self.seen is not None:
                    self.seen(self.ran[-1])
            last = 0 if event == "exception" else frame.f_lineno
            return local

        before = sys.gettrace()
        sys.settrace(lambda frame, event, arg: local if frame.f_code is code else None)
        try:
            with watching():
                exec(code, self.scope)
        except Exception as error:
            self.error = f"{type(error).__name__}: {str(error).partition('. ')[0]}"
            return error
        finally:
            sys.settrace(before)
        return None

    def bound(self) -> list[str]:
        """The names; during a run, without those that lines still to come bind: there lies what an earlier run left."""
        reached = len(self.lines) if self.seen is None else max([0, *self.ran])
        return [name for name, line in sorted(self.names.items()) if line <= reached]

    def value(self, name: str) -> Any:
        """What a name means now, with its dots and numbers, `net[0].weight`; None where it means nothing."""
        with suppress(Exception):
            return eval(name, {**self.scope})
        return None

    def tensors(self) -> dict[str, AnyTensor]:
        """The tensors that the program names, as they are now."""
        return {name: t for name in self.bound() if hasattr(type(t := self.scope.get(name)), "grad_fn")}

    def results(self) -> list[AnyTensor]:
        """The named tensors of minigrad that have a record, those that named things hold too."""
        values = [value for name in self.bound() for value in as_list(self.scope.get(name))]
        return [t for t in values if hasattr(type(t), "_edge") and node_behind(t) is not None]

    def roots(self) -> list[AnyTensor]:
        """The tensors of minigrad with a record that stand before the last `.backward(`, or in the last `grad(`."""
        last = [one.args[0] if one.func.attr == "grad" and one.args else one.func.value for one in self.calls[-1:]]
        names = {one.id for start in last for one in ast.walk(start) if isinstance(one, ast.Name)}
        return [t for t in self.results() if any(t is self.scope.get(name) for name in names)]

    def uses(self, line: int) -> tuple[set[str], set[str]]:
        """The names that a line reads, and those that it binds."""
        loads, stores = set[str](), set[str]()
        statements: list[Any] = [one for one in ast.walk(self.tree) if isinstance(one, ast.stmt) and one.lineno == line]
        for one in statements:
            whole = isinstance(one, ast.FunctionDef | ast.ClassDef)
            names = [n for n in (ast.walk(one) if whole else own_parts(one)) if isinstance(n, ast.Name)]
            loads |= {n.id for n in names if isinstance(n.ctx, ast.Load)}
            stores |= {n.id for n in names if isinstance(n.ctx, ast.Store)} | ({one.name} if whole else set())
            loads |= {ast.unparse(one.target)} if isinstance(one, ast.AugAssign) else set()
            written = [] if whole else [name.partition(".")[0] for name in written_names(one)]
            owner = getattr(getattr(getattr(one, "value", None), "func", None), "value", None)
            written += [ast.unparse(owner)] if isinstance(one, ast.Expr) and owner else []  # a method may write into it
            stores |= self.names.keys() & {*written}
        return loads & self.names.keys(), stores


def as_list(value: Any, depth: int = 4) -> list[Any]:
    """What a list, a tuple, a dict or an object of the learner's holds, also deeper; else the value alone."""
    alone = isinstance(value, type | FunctionType | ModuleType) or hasattr(type(value), "grad_fn")
    box = value if alone or isinstance(value, list | tuple | dict) else getattr(value, "__dict__", value)
    held = [*box.values()] if isinstance(box, dict) else [*box] if isinstance(box, list | tuple) else [value]
    return [inner for one in held[:200] for inner in (as_list(one, depth - 1) if depth and one is not value else [one])]


def node_behind(t: Any) -> Any:
    """The node of a tensor; None without one, and for a view that may no longer be looked at."""
    with suppress(RuntimeError):
        return t.grad_fn if hasattr(type(t), "grad_fn") else None


def header(one: ast.stmt) -> range:
    """The lines of a statement, without those of the statements in it."""
    body = getattr(one, "body", None)
    end = body[0].lineno - 1 if isinstance(body, list) and body else one.end_lineno or one.lineno
    return range(one.lineno, max(end, one.lineno) + 1)


def own_parts(one: ast.AST) -> Iterator[ast.AST]:
    """All that stands in a statement itself, not in the statements in it."""
    for child in ast.iter_child_nodes(one):
        if not isinstance(child, ast.stmt):
            yield from (child, *own_parts(child))


# ---- which nodes each line writes


def written(program: Followed) -> tuple[Graph | None, dict[int, list[str]], Exception | None]:
    """The graph of all results, and for each line the ids of the nodes that it wrote; the error that ended it.

    Results that nobody holds any more were written, too, and the node of a view that a write gives another one.
    """
    marks: list[Any] = [(0, begin(), {})]  # line, number of the next node, what is named
    program.seen = lambda line: marks.append((line, begin(), program.tensors()))
    made_here: list[AnyTensor] = []
    views: list[tuple[AnyTensor, AnyTensor]] = []  # and what each was before anything was written into it

    def recorded(node: Any, output: Any) -> None:
        made_here.extend(as_list(output))
        for t in as_list(output):
            if t._view is not None:
                views.append((t, t.detach().clone()))
                views[-1][1]._fn = t._fn

    with observing(recorded):
        error = program.run()
    held, lost = program.results(), [t for t in made_here if node_behind(t) is not None]
    views = [(t, one) for t, one in views if node_behind(t) is not one.grad_fn]
    lost += [one for _, one in views]
    used = {child for t in (*held, *lost) for child, _ in t.grad_fn.next_functions}
    results, names = [*held, *(t for t in lost if t.grad_fn not in used)], program.tensors()
    if not (results := results + [t for t in names.values() if ghost_of(t) is not None]):  # and what ran after a cut
        return None, {}, error
    graph = read(*results, names=names)
    earlier = {id(t): name for *_, named in marks for name, t in named.items()}
    called = {(one.grad_fn._sequence_nr(), one.output_nr): earlier.get(id(t)) for t, one in views}
    cards = [replace(t, name=t.name or (t.node and called.get((graph.node(t.node).seq, t.nr)))) for t in graph.tensors]
    made = by_key((line, n.id) for n in sorted(graph.ops, key=lambda n: n.seq)
                  for (_, start, _), (line, end, _) in pairwise(marks) if start < n.seq < end)
    return replace(graph, tensors=tuple(cards)), made, error


def written_by_lines(program: Followed, since: int, until: int) -> tuple[Graph | None, dict[int, list[str]]]:
    """The same for a program that ran without us, of the nodes made between two numbers.

    A node remembers its line; one that was made elsewhere, in a function, belongs to the line that names its
    result. Where that does not tell of each node, or where nobody holds one any more, there are no lines: better
    none than a wrong one.
    """
    program.ran = [one.lineno for one in program.tree.body]
    if not (results := program.results()):
        return None, {}
    graph = read(*results, names=program.tensors())
    new = {n.id: n for n in sorted(graph.ops, key=lambda n: n.seq) if n.seq > since}
    placed = ((id, node.line or (0, "")) for id, node in new.items())
    home = {id: max(line for line in program.ran if line <= number) for id, (number, text) in placed
            if 0 < number <= len(program.lines) and program.lines[number - 1].strip() == text}
    for line in program.ran:
        results = [t.node for t in graph.tensors if t.name in program.uses(line)[1] and t.node]
        for node in so_far(graph, results).nodes:
            if node.id in new:
                home.setdefault(node.id, line)
    made = {line: [id for id in new if home.get(id) == line] for line in program.ran if line in home.values()}
    calls = sum(call.first > since for call in scopes.calls)  # of modules: each takes a number as it begins and ends
    return graph, made if len(home) == len(new) >= until - since - 1 - 2 * calls else {}


def so_far(graph: Graph, ids: list[str], lines: Collection[int] = ()) -> Graph:
    """What hangs below these nodes; with the cuts of it, and what ran after them, if these `lines` have run."""
    ran = [cut for cut in graph.cuts if cut.line and cut.line[0] in lines]
    below = part(graph, [*ids, *(cut.node for cut in ran if cut.node)])
    targets = {None, *(e.node for n in below.nodes for e in n.edges)}
    return replace(below, nodes=tuple(replace(n, scope="") for n in below.nodes), scopes=(), cuts=tuple(ran),
                   roots=tuple(t.id for t in below.tensors if t.node not in targets))


# ---- versions and notes


def pinned(program: Followed) -> tuple[list[dict[str, int]], list[Pin], Pin | None, set[tuple[int, str]]]:
    """Run it; the versions of its tensors after each line that ran, the notes that its nodes took, one of these, and
    which line wrote into which tensor.

    That one is the first stale one that backward comes to, from where the program calls it last (if it does).
    """
    versions: list[dict[str, int]] = []
    wrote: set[tuple[int, str]] = set()
    before: dict[str, tuple[AnyTensor, int]] = {}
    pins: dict[tuple[int, str], Pin] = {}

    def seen(line: int) -> None:
        now = {name: t for name, t in program.tensors().items() if hasattr(t, "_edge")}
        counted = {name: (t, int(t._version)) for name, t in now.items() if not t.is_inference()}
        versions.append({name: version for name, (_, version) in counted.items()})
        wrote.update((line, name) for name, (t, version) in counted.items()
                     if name in before and before[name][0] is t and version > before[name][1])
        before.update(counted)
        if not (results := program.results()):
            return
        graph = read(*results, names=now)
        alive = {node.seq for node in graph.ops}
        for key in [key for key in pins if key[0] not in alive]:
            del pins[key]  # nobody can run backward there any more
        for node, saved in ((n, s) for n in graph.ops for s in n.saved if s.is_tensor and not s.freed):
            if saved.version is not None and saved.now is not None:
                tensor = graph.tensors_by_id.get(saved.tensor)
                label = (tensor and tensor.name) or f"{node.name}.{saved.field}"
                pin = pins.setdefault((node.seq, saved.field), Pin(line, label, saved.version, saved.now, 0, node.seq))
                pin.now = saved.now
                pin.by = pin.by or (line if pin.stale else 0)

    program.seen = seen
    program.run()
    alike = {(pin.line, pin.tensor, pin.version): pin for pin in pins.values()  # both factors of a square
             if pin.tensor in program.names or pin.stale}
    stale = sorted((pin for pin in pins.values() if pin.stale), key=lambda pin: -pin.node)  # as backward goes
    roots = program.roots()
    behind = {node.seq for node in read(*roots).ops} if roots else {pin.node for pin in stale}
    refused = stale if "inplace" in program.error else []
    first = next((pin for pin in [*(pin for pin in stale if pin.node in behind), *refused]), None)
    return versions, sorted(alike.values(), key=lambda pin: program.ran.index(pin.line)), first, wrote


# ---- the thread from a leaf


@dataclass
class Step:
    """A line that ran: the names that it reads and binds, those on the thread before and after it."""

    line: int
    loads: set[str]
    stores: set[str]
    before: set[str]
    after: set[str]
    lost: bool  # the leaf's name is bound to what is no leaf that wants a gradient

    def end(self, needed: set[str]) -> str:
        """How the thread ends here, if it does, for those of the needed names that are bound: "" if it goes on.

        The leaf's name is "lost", a name on the thread "replaced", or what is made of such a name is off it ("found").
        """
        bound = self.stores & needed
        if self.lost or not bound or bound & self.after:
            return "lost" if self.lost else ""
        return "found" if self.loads & self.before else "replaced" if bound & self.before else ""


class Thread(NamedTuple):
    """The thread from a leaf: the lines that end it and how (see `Step.end`), the names on it after each line.

    Where no line ends it, it is "fine" if it arrives, and "apart" if the result is made of something else.
    """

    lines: set[int]
    end: str
    names: dict[int, set[str]]


def cut(program: Followed, leaf: str) -> Thread:
    """Run it; the line that cuts the thread from `leaf` to the result.

    The result is what the last `backward` or `grad` is called on, else what is bound last. Of a `with` around the
    line that cuts the first line counts too, and the line that cuts in a function that it calls.
    """
    root: list[AnyTensor] = []
    steps: list[Step] = []
    arrived: list[int] = []  # lines after which the leaf had a gradient
    owner = re.split(r"\W", leaf)[0]
    counts: dict[Any, int] = {}
    cuts: dict[int, list[Any]] = {}  # the places of the ledger that each line came by

    def seen(line: int) -> None:
        places = [place for place in [*ledger.places.values()] if place.code.co_filename == program.place]
        cuts[line] = [place for place in places if place.count > counts.get(place, 0)]
        counts.update((place, place.count) for place in places)
        loads, stores = program.uses(line)
        before, t = steps[-1].after if steps else set(root and [owner]), program.value(leaf)
        if (wanted := is_wanted(t)) and owner in stores:
            root[:] = [t]
        functions = {name for name in before - stores | (stores if loads & before else set())
                     if isinstance(program.scope.get(name), FunctionType | type)}
        after = {name for name in program.names if root and hangs(program.scope.get(name), root[0])} | functions
        if root and t is root[0] and t.grad is not None:
            arrived.append(line)
        steps.append(Step(line, loads, stores, before, after, owner in stores and not wanted))

    if is_wanted(first := program.value(leaf)):
        root.append(first)
    program.seen = seen
    program.run()
    line, end = (0, "fine") if arrived or not steps else cutting_line(program, steps)
    lines = {line} - {0}
    lines |= {one.lineno for one in ast.walk(program.tree)
              if isinstance(one, ast.With) and one.lineno < line <= (one.end_lineno or 0)}
    lines |= {at.lineno for place in cuts.get(line, ()) if (at := expression(place.code, place.lasti)) is not None}
    return Thread(lines, end, {step.line: step.after for step in steps})


def cutting_line(program: Followed, steps: list[Step]) -> tuple[int, str]:
    """The first line on the way to the result that ends the thread, and how; 0 if none does."""
    calls = [n for n, step in enumerate(steps) if step.line in program.backwards]
    last = steps[calls[-1]] if calls else next((step for step in reversed(steps) if step.stores), steps[-1])
    if not calls and last.after & last.stores and not any(step.lost for step in steps):
        return 0, "fine"
    found = (0, "apart")
    if calls and program.backwards[last.line] == "backward" and last.loads & last.before:
        found = last.line, "found"  # it is called on what hangs on the thread, and does not arrive
    elif not calls and (end := last.end(last.stores)):
        found = last.line, end
    needed = last.loads
    for step in reversed(steps[:steps.index(last)]):
        found = (step.line, end) if (end := step.end(needed)) else found
        if step.stores & needed:
            needed = (needed - step.stores) | step.loads
    return found


def is_wanted(value: Any) -> bool:
    """Whether this is a leaf that wants a gradient."""
    return bool(getattr(value, "is_leaf", False) and value.requires_grad)


def hangs(value: Any, leaf: AnyTensor) -> bool:
    """Whether the record of a tensor, or of one that something holds, leads to `leaf`."""
    if len(held := as_list(value)) != 1 or held[0] is not value:
        return any(hangs(one, leaf) for one in held)
    if value is leaf or node_behind(value) is None:
        return value is leaf and is_wanted(leaf)
    return any(getattr(node, "variable", None) is leaf for node in nodes_behind(value))
