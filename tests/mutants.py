"""`make mutants`: one hundred small mistakes in the source, and whether a test notices each.

A mutant is the package with one mistake: `<` became `<=`, an argument is gone, a function returns None.
Which hundred is settled by a hash of the file, the function and the change, so they stay the same while
the code around them changes. A first run notes which tests run which function; a mutant is then tried by
the tests that run its function, those that run little else first. A mutant that no test notices survives:
either a test is missing, or the change makes no difference, and then KNOWN says why.

    python -m tests.mutants [COUNT] [WORD ...]      the first COUNT (100), of files that have a WORD in their path
"""

from __future__ import annotations

import ast
import builtins
import copy
import faulthandler
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import copies

ROOMS = ("core", "graph", "quick", "viz")
KNOWN = {  # a mutant that makes no difference -> why
    "minigrad/graph/trial.py rounds_of: zip(now, returned, strict=False) -> (zip(now, returned))":
        "zip is not strict unless it is asked to be"}
GOAL = 0.9  # of the mutants a test should notice
WORKERS = 2
MEMORY = 4 << 30  # bytes for one process: a loop without end also fills a list

SWAPS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}
LEFT_OUT = ast.Assign | ast.AugAssign | ast.Break | ast.Continue | ast.Delete | ast.Expr | ast.Raise


@dataclass(frozen=True)
class Mutant:
    file: str
    function: str  # qualified; "" is the module itself
    line: int
    start: int  # of what is replaced, in bytes of the file
    end: int
    old: str
    new: str
    nth: int = 0  # of the same change in the same function

    @property
    def name(self) -> str:
        return f"{self.file} {self.function or '(module)'}: {self.old} -> {self.new}" + f" #{self.nth}" * bool(self.nth)

    @property
    def rank(self) -> str:
        return hashlib.sha256(self.name.encode()).hexdigest()

    def source(self, whole: bytes) -> bytes:
        return whole[:self.start] + self.new.encode() + whole[self.end:]


# ---- which mistakes there are


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What to replace, and by what: the small mistakes that one can make in a node."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            yield node, changed(node, ops=[*node.ops[:i], SWAPS[type(op)](), *node.ops[i + 1:]])
    elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in SWAPS:
        yield node, changed(node, op=SWAPS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield node, ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Call):
        if len(node.args) > 1:
            yield node, changed(node, args=node.args[:-1])
        for i in range(len(node.keywords)):
            yield node, changed(node, keywords=node.keywords[:i] + node.keywords[i + 1:])
    elif isinstance(node, ast.Return) and node.value is not None:
        yield node, ast.Return(ast.Constant(None))
    for test in (getattr(node, "test", None), *getattr(node, "ifs", ())):
        if test is not None and not isinstance(test, ast.Compare):
            yield test, ast.UnaryOp(ast.Not(), test)
    named = isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    if isinstance(node, LEFT_OUT) and not named:  # a name that nobody gave a value is noticed at once
        yield node, ast.Pass()


def changed(node: ast.AST, **fields: Any) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def inside(node: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """All nodes below one, with the function that runs them; without annotations, docstrings, f-strings."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        own = f"{function}.{node.name}".lstrip(".")
        outside = [*node.decorator_list, *getattr(node, "bases", ())]
        inner = [*([node.args] if hasattr(node, "args") else ()), *node.body]
        below = [(child, function) for child in outside] + [(child, own) for child in inner]
    elif isinstance(node, ast.AnnAssign | ast.arg):
        below = [(node.value, function)] if getattr(node, "value", None) else []
    elif isinstance(node, ast.JoinedStr):
        below = []
    else:
        below = [(child, function) for child in ast.iter_child_nodes(node)]
    for child, where in below:
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield child, where
            yield from inside(child, where)


def mutants_of(file: str, whole: bytes) -> Iterator[Mutant]:
    before = [0]
    for line in whole.splitlines(keepends=True):
        before.append(before[-1] + len(line))
    seen: Counter[tuple[str, str, str]] = Counter()
    for node, function in inside(ast.parse(whole)):
        for at, by in changes(node):
            new = ast.unparse(by) if isinstance(by, ast.stmt) else f"({ast.unparse(by)})"
            made = function, ast.unparse(at), new
            mutant = Mutant(file, function, at.lineno, before[at.lineno - 1] + at.col_offset,
                            before[at.end_lineno - 1] + at.end_col_offset, *made[1:], seen[made])
            seen[made] += 1
            yield mutant


def chosen(count: int, words: list[str]) -> list[Mutant]:
    files = [file for room in ROOMS for file in (copies.ROOT / "minigrad" / room).rglob("*.py")]
    named = {file.relative_to(copies.ROOT).as_posix(): file.read_bytes() for file in files}
    found = (mutant for name, whole in named.items() if not words or any(word in name for word in words)
             for mutant in mutants_of(name, whole))
    return sorted(found, key=lambda mutant: mutant.rank)[:count]


# ---- which tests run which function


class Notes(ast.NodeTransformer):
    """Lets every function note that it ran, in a set that `watch` reads."""

    def __init__(self, file: str) -> None:
        self.file, self.inside = file, ""

    def visit_ClassDef(self, node: Any) -> Any:
        outer, self.inside = self.inside, f"{self.inside}.{node.name}".lstrip(".")
        self.generic_visit(node)
        self.inside, own = outer, self.inside
        if not isinstance(node, ast.ClassDef):
            at = ast.get_docstring(node) is not None
            node.body.insert(at, ast.parse(f"_ran.add({f'{self.file} {own}'!r})").body[0])
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef


def let_all_note(folder: Path) -> None:
    for file in (file for room in ROOMS for file in (folder / "minigrad" / room).rglob("*.py")):
        tree = Notes(file.relative_to(folder).as_posix()).visit(ast.parse(file.read_bytes()))
        head = sum(isinstance(node, ast.Expr) or getattr(node, "module", "") == "__future__" for node in tree.body[:2])
        shared = ast.parse("_ran = __import__('builtins').__dict__.setdefault('_ran', set())").body
        tree.body[head:head] = shared
        file.write_text(ast.unparse(tree), "utf-8")


class Watch:
    """Plugin of the first run, one of WORKERS: which functions each test runs; those run by an import count for all."""

    def __init__(self, part: int) -> None:
        self.part = part
        self.ran: set[str] = builtins.__dict__.setdefault("_ran", set())
        self.found: dict[str, Any] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = items[self.part::WORKERS]
        self.found[""] = 0, sorted(self.ran)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.ran.clear()
        start = time.perf_counter()
        result = yield
        self.found[item.nodeid] = time.perf_counter() - start, sorted(self.ran)
        return result


class Only:
    """Plugin of a mutant's run: these tests alone, and none for ever."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds, self.said = seconds, os.fdopen(os.dup(2), "w")  # pytest is going to catch the other one
        faulthandler.dump_traceback_later(120, exit=True, file=self.said)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.seconds]

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        faulthandler.dump_traceback_later(10 + 20 * self.seconds[item.nodeid], exit=True, file=self.said)

    def pytest_sessionfinish(self) -> None:
        faulthandler.cancel_dump_traceback_later()


def run_in_a_copy(task: str, file: str) -> int:
    """In a process of its own: `watch 0` writes into `0` what ran, `only FILE` runs the tests that stand there."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "--override-ini=addopts=--strict-markers", "--tb=line"]
    if task == "watch":
        watch = Watch(int(file))
        code = pytest.main([*options, *copies.WHAT_IT_DOES], plugins=[watch])
        Path(file).write_text(json.dumps(watch.found))
        return code
    seconds = json.loads(Path(file).read_text())
    files = dict.fromkeys(map(module, seconds))
    return pytest.main([*options, *copies.WHICH, *files], plugins=[Only(seconds)])


# ---- trying them


class Tests:
    """What the first run found: for each function the tests that run it, in the order to try them in."""

    def __init__(self, found: dict[str, Any]) -> None:
        _, imported = found.pop("")
        self.seconds = {test: seconds for test, (seconds, _) in found.items()}
        self.of: dict[str, set[str]] = defaultdict(set)  # of a function, and of a source file
        for test, (_, functions) in found.items():
            for function in functions:
                self.of[function].add(test)
                self.of[function.partition(" ")[0]].add(test)
        self.all_in = Counter(map(module, found))
        self.imported = set(imported)

    def rounds(self, mutant: Mutant) -> list[list[str]]:
        """The tests of a mutant: those of the three files that are most about its function, then the rest."""
        function = f"{mutant.file} {mutant.function}"
        known = function in self.of and function not in self.imported
        tests = self.of[function] if known else self.seconds.keys()  # else it is run by an import
        about = [Counter(map(module, self.of.get(name, ()))) for name in (function, mutant.file)]
        order = sorted(self.all_in, key=lambda file: [-count[file] / self.all_in[file] for count in about])
        ordered = sorted(tests, key=lambda test: order.index(module(test)))
        first = [test for test in ordered if module(test) in order[:3]]
        return [tests for tests in (first, ordered[len(first):]) if tests]


def module(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def python(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(cwd), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run([sys.executable, "-m", "tests.mutants", *words], cwd=cwd, env=environment,
                          capture_output=True, encoding="utf-8", timeout=1800)


def watched(folder: Path) -> Tests:
    """Run all tests once, in a copy where every function notes that it runs."""
    copies.copy_to(folder)
    let_all_note(folder)
    found: dict[str, Any] = {}
    with ThreadPoolExecutor(WORKERS) as pool:
        for done in pool.map(lambda part: python("watch", str(part), cwd=folder), range(WORKERS)):
            if done.returncode:
                sys.exit("The tests fail without any mutant:\n" + done.stdout[-3000:])
    for part in range(WORKERS):
        found |= json.loads((folder / str(part)).read_text())
    return Tests(found)


def verdict(mutant: Mutant, folder: Path, tests: Tests) -> str:
    """The test that notices the mutant, in a copy that has it; "" if none does."""
    file = folder / mutant.file
    file.write_bytes(mutant.source(file.read_bytes()))
    age = int(mutant.rank[:7], 16)  # of a second of its own, so that Python compiles it anew
    os.utime(file, (age, age))
    try:
        for batch in tests.rounds(mutant):
            (folder / "tests.json").write_text(json.dumps({test: tests.seconds[test] for test in batch}))
            done = python("only", "tests.json", cwd=folder)
            if done.returncode:
                failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)
                ended = "" if "Timeout (" in done.stderr else (done.stdout + done.stderr)[-200:]
                return failed[1] if failed else ended or "a test without end"
    finally:
        shutil.copy2(copies.ROOT / mutant.file, file)
    return ""


def main(*words: str) -> int:
    count = int(words[0]) if words and words[0].isdigit() else 100
    mutants = chosen(count, [word for word in words if not word.isdigit()])
    start = time.perf_counter()
    limit_memory()
    with tempfile.TemporaryDirectory() as whole, ThreadPoolExecutor(WORKERS) as pool:
        tests = watched(Path(whole, "watched"))
        print(f"{len(tests.seconds)} tests, watched for {time.perf_counter() - start:.0f} s", flush=True)
        free: queue.Queue[Path] = queue.Queue()
        for number in range(WORKERS):
            free.put(Path(whole, str(number)))
            copies.copy_to(Path(whole, str(number)))

        def attempt(mutant: Mutant) -> str:
            folder, begun = free.get(), time.perf_counter()
            noticed = verdict(mutant, folder, tests)
            free.put(folder)
            print(f"{'killed by' if noticed else 'SURVIVED'} {noticed} in {time.perf_counter() - begun:.0f} s: "
                  f"line {mutant.line} of {mutant.name}", flush=True)
            return noticed

        noticed = dict(zip(mutants, pool.map(attempt, mutants), strict=True))
    return report(noticed, time.perf_counter() - start)


def report(noticed: dict[Mutant, str], seconds: float) -> int:
    killed = [mutant for mutant, test in noticed.items() if test]
    alive = [mutant for mutant in noticed if mutant not in killed]
    for mutant in killed:
        if mutant.name in KNOWN:
            print(f"is noticed, take it out of KNOWN: {mutant.name}")
    for mutant in alive:
        print(f"survived: line {mutant.line} of {mutant.name}\n    {KNOWN.get(mutant.name, 'NO TEST NOTICES IT')}")
    print(f"{len(killed)} of {len(noticed)} mutants were noticed, in {seconds / 60:.0f} minutes")
    return int(len(killed) < GOAL * len(noticed))


def limit_memory() -> None:
    """For the processes to come, where the system can."""
    if os.name == "posix":
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    worker = sys.argv[1:2] in (["watch"], ["only"])
    sys.exit(run_in_a_copy(*sys.argv[1:]) if worker else main(*sys.argv[1:]))
