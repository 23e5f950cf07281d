"""The rooms drawn in ARCHITECTURE.md are the rooms of the source: that very block is read here."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.lines import code_lines

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "minigrad"
FILES = sorted(PACKAGE.rglob("*.py"))
ARRAY_LIBRARIES = {"numpy", "cupy"}
OPS = PACKAGE / "ops"
CHAPTERS = [file for file in FILES if file.parent == OPS / "table" and file.stem != "__init__"]


def drawn() -> dict[str, set[str]]:
    """Room -> rooms it may import, from the block: a chain of floors, then `room: rooms` lines."""
    block = re.search(r"```rooms\n(.*?)```", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.S)
    chain, *others = (line for line in block[1].splitlines() if line.strip())
    allowed: dict[str, set[str]] = {}
    for floor in chain.split("<"):
        below = set(allowed)
        allowed |= {room: below | set(floor.split()) for room in floor.split()}
    for line in others:
        room, _, rooms = line.partition(":")
        allowed[room.strip()] = set(rooms.split()) | {room.strip()}
    return allowed


def name_of(file: Path) -> str:
    """`minigrad.core.op` for its file, `minigrad.core` for its `__init__`."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in FILES}


def room_of(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def targets(node: ast.AST, file: Path) -> Iterator[str]:
    """The modules that one import statement names, written absolutely."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = file.relative_to(ROOT).parts[:-1]
        kept = package[: len(package) - node.level + 1] if node.level else ()
        base = ".".join([*kept, *filter(None, [node.module])])
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if inner in MODULES else base


def imports(file: Path, everywhere: bool = True) -> set[str]:
    """What a file imports: anywhere in it, or only while it is itself being imported."""
    tree = ast.parse(file.read_text("utf-8"))
    nodes = ast.walk(tree) if everywhere else tree.body
    return {target for node in nodes for target in targets(node, file)}


def ours(modules: set[str]) -> set[str]:
    return {module for module in modules if module.split(".")[0] == "minigrad"}


def test_every_room_of_the_package_is_drawn_and_every_drawn_room_exists():
    built = {room_of(module) for module in MODULES}

    assert built <= set(drawn())
    assert set(drawn()) - built <= {"func", "nn", "optim", "linalg", "eras", "magics"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: name_of(file))
def test_a_file_imports_only_from_the_rooms_below_it(file: Path):
    allowed = drawn()[room_of(name_of(file))]

    upward = {
        module for module in ours(imports(file))
        if "everything" not in allowed and room_of(module) not in allowed
    }

    assert upward == set()


def test_no_file_imports_itself_by_a_detour():
    graph = {name: ours(imports(file, everywhere=False)) - {name} for name, file in MODULES.items()}

    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))

    assert len(order) >= len(MODULES)


def test_only_the_array_room_names_an_array_library():
    naming = {
        room_of(name_of(file)) for file in FILES
        if ARRAY_LIBRARIES & {module.split(".")[0] for module in imports(file)}
    }

    assert naming == {"array"}


@pytest.mark.parametrize(("room", "above"), [
    ("checks", ("kernels", "table", "calls")), ("kernels", ("table", "calls")), ("table", ("calls",)),
])
def test_kernels_know_no_row_and_rows_know_no_call(room: str, above: tuple[str, ...]):
    inside = [module for module in MODULES if f"{module}.".startswith(f"minigrad.ops.{room}.")]

    upward = {
        (module, target) for module in inside for target in imports(MODULES[module])
        if f"{target}.".startswith(tuple(f"minigrad.ops.{other}." for other in above))
    }

    assert inside
    assert upward == set()


def rows_of(file: Path) -> list[ast.Assign]:
    """The rows that a file declares: names that it gives to what `op` or `no_derivative` returns."""
    return [
        node for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) in ("op", "no_derivative")
    ]


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_a_chapter_of_the_table_begins_with_rows_and_is_made_of_them(file: Path):
    rows = rows_of(file)

    assert rows[0].lineno <= 40
    assert 2 * sum(row.end_lineno - row.lineno + 1 for row in rows) > code_lines(file.read_text("utf-8"))


def test_rows_stand_in_the_table_alone():
    assert {file for file in FILES if rows_of(file)} == {*CHAPTERS}


def test_nobody_imports_what_is_only_quick_but_the_package_in_one_line():
    importing = {
        name_of(file): [target for target in ours(imports(file)) if room_of(target) == "quick"] for file in FILES
        if room_of(name_of(file)) != "quick"
    }

    assert {name: targets for name, targets in importing.items() if targets} == {"minigrad": ["minigrad.quick"]}


def comprehensions(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for inner in table.get_children():
        if inner.get_name() in ("listcomp", "setcomp", "dictcomp"):
            yield from (inner, *comprehensions(inner))


def test_comprehensions_of_one_function_do_not_shadow_what_another_reads():
    """CPython 3.12.1 and its neighbours look for a global `id` in the place of another comprehension's `id`."""
    tables = [symtable.symtable(file.read_text("utf-8"), str(file), "exec") for file in FILES]
    for table in tables:
        tables += table.get_children()
        symbols = [symbol for inner in comprehensions(table) for symbol in inner.get_symbols()]
        bound = {symbol.get_name() for symbol in symbols if symbol.is_local()}
        assert not bound & {symbol.get_name() for symbol in symbols if symbol.is_global()}, table.get_name()
