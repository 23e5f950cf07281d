"""The mistakes that `make mutants` makes: each is one, the file stays Python, and the choice stays."""

import ast

import pytest

from tests import copies, mutants

SOURCE = """
import x

def f(a, b: int = 1):
    '''What is said is left alone: 1 < 2.'''
    if a and not b < 2:
        raise ValueError("ä", a)
    return g(a, b, key=f"{1 + 1}")
"""


def made(source: str) -> list[mutants.Mutant]:
    return list(mutants.mutants_of("f.py", source.encode()))


def test_each_small_mistake_is_made_once_and_none_in_a_text_or_a_type():
    assert [f"{m.function}: {m.old} -> {m.new}" for m in made(SOURCE)] == [
        "f: 1 -> (2)", "f: a and (not b < 2) -> (not (a and (not b < 2)))", "f: a and (not b < 2) -> (a or not b < 2)",
        "f: not b < 2 -> (b < 2)", "f: b < 2 -> (b <= 2)", "f: 2 -> (3)", "f: raise ValueError('ä', a) -> pass",
        "f: ValueError('ä', a) -> (ValueError('ä'))", "f: return g(a, b, key=f'{1 + 1}') -> return None",
        "f: g(a, b, key=f'{1 + 1}') -> (g(a, key=f'{1 + 1}'))", "f: g(a, b, key=f'{1 + 1}') -> (g(a, b))",
    ]


@pytest.mark.parametrize("room", [room for room in mutants.ROOMS if (copies.ROOT / "minigrad" / room).exists()])
def test_a_mutant_is_python_and_differs_in_what_it_says(room):
    for mutant in mutants.chosen(20, [f"minigrad/{room}/"]):
        whole = (copies.ROOT / mutant.file).read_bytes()

        assert ast.dump(ast.parse(mutant.source(whole))) != ast.dump(ast.parse(whole)), mutant.name


def test_the_choice_does_not_depend_on_what_stands_around():
    later = "def before():\n    return 1 + 2\n" + SOURCE

    assert {m.rank for m in made(SOURCE)} < {m.rank for m in made(later)}
    assert len({m.name for m in made(later)}) == len(made(later))
