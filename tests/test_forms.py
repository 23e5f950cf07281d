"""The test before and after the course: its key, what is kept, and what comes back."""

import importlib.util
import json
import re
import warnings

import pytest

import minigrad
from minigrad.lessons import check, collect, form, forms, keep
from minigrad.lessons.exercise import stored
from tests.test_course import NAMES, cells

KEY = {name: [next(n for n in "ABCD" if not forms.idea(f"{name}{i}", n)) for i in forms.ALL] for name in "AB"}
PROGRAMS = [item for item, data in stored("items").items() if "program" in data]
PRINTED = [item for item in PROGRAMS if "print(" in stored("items")[item]["program"]]
STOCK = re.compile(r"print|for |with |torch\.(tensor|zeros)\(\[?[\d.]|w \* \d$")  # what many programs have in common
TORCHES = ["minigrad", *(["torch"] if importlib.util.find_spec("torch") else [])]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_HOME", str(tmp_path / "home"))
    yield tmp_path / "home" / "answers.jsonl"
    keep(None)
    minigrad.set_language("en")


def handed_in(name, **instead):
    said = dict(zip(forms.ALL, KEY[name], strict=True))
    return check(f"form.{name}", said | {int(number[1:]): answer for number, answer in instead.items()})


def answer_of(item):
    return dict(zip("ABCD", forms.question(item, "en")[2], strict=True))[KEY[item[0]][int(item[1:]) - 1]][3:]


@pytest.mark.parametrize("torch", TORCHES)
@pytest.mark.parametrize("item", PRINTED)
def test_what_is_printed_is_the_answer_that_counts(item, torch, capsys):
    exec(stored("items")[item]["program"], {"torch": importlib.import_module(torch)})

    shown = capsys.readouterr().out.strip().replace(".0,", ",").replace(".0]", "]")
    assert shown.removesuffix(".0") == answer_of(item)


@pytest.mark.parametrize("torch", TORCHES)
@pytest.mark.parametrize("name", "AB")
def test_what_is_not_printed_holds_in_torch_too(name, torch):
    torch = importlib.import_module(torch)

    def ran(number):
        names = {"torch": torch}
        warnings.simplefilter("ignore")  # pytest puts it back
        exec(stored("items")[f"{name}{number}"]["program"], names)
        return names

    def right(number):
        return answer_of(f"{name}{number}")

    def fails(line):
        try:
            exec(f"{line}; y.sum().backward()", names := ran(14))
        except RuntimeError:
            return True
        return names is None

    assert [n for n, t in ran(3).items() if hasattr(t, "is_leaf") and not t.is_leaf] == [right(3).split()[0]]
    ran7 = ran(7)
    ran7["loss"].backward()
    assert ran7["w"].grad.item() == float(right(7))
    seen, found = [], ran(5)
    found["h"].register_hook(lambda g: seen.append(g.item()))
    found["loss"].backward()
    assert [f"once, with {int(g)}" for g in seen] == [right(5)]
    nodes, todo = set(), [ran(4)["loss"].grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and "Accumulate" not in node.name():
            nodes.add(node)
            todo += [n for n, _ in node.next_functions]
    assert str(len(nodes)) == right(4)
    found = ran(11)
    assert torch.allclose(eval(right(11), found), found["ba"[name == "B"]].grad)
    options = [line[3:] for line in forms.question(f"{name}14", "en")[2]]
    assert [line for line in options if fails(line)] == [right(14)]
    with pytest.raises((RuntimeError, TypeError)):
        ran(16)


@pytest.mark.parametrize("item", stored("items"))
def test_the_forms_ask_alike_and_every_item_has_one_right_answer(item):
    data, other = stored("items")[item], stored("items")[{"A": "B", "B": "A"}[item[0]] + item[1:]]

    assert len(data["ideas"]) == 4
    assert data["ideas"].count("") == 1
    assert ("program" in data) == ("program" in other)
    for lang in ("en", "zh"):
        assert len(forms.question(item, lang)[2]) == 4


@pytest.mark.parametrize("item", PROGRAMS)
def test_no_lesson_asks_an_item_word_for_word(item):
    """Else the second form would count who remembers a letter; the lessons tell at once whether it was right."""
    asks = [line.strip().rpartition(" = ")[2] for line in stored("items")[item]["program"].strip().splitlines()]
    asks = [line for line in asks if not STOCK.match(line)] or [answer[3:] for answer in forms.question(item, "en")[2]]
    assert not [name for name in NAMES if all(line in "\n".join(c.source for c in cells(name)) for line in asks)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_tells_an_answer_before_all_are_there(lang, home):
    minigrad.set_language(lang)
    half = dict.fromkeys(forms.ALL[:9], "A")
    said = check("form.A", half)

    assert said.passed is None
    assert "10, 11" in said.text
    assert "'X'" in check("form.A", {**half, 3: "X"}).text
    assert check("form.A3", "D").passed is None
    assert check("form.A", dict.fromkeys(forms.ALL, ...)).passed is None
    assert check("form.A", "ABCD").passed is None
    assert not home.exists()


@pytest.mark.parametrize("kind", [list, tuple])
def test_all_answers_may_come_in_their_order_and_fewer_may_not(kind, home):
    assert check("form.A", kind("ABCDEABCDEABCDE")).passed is None  # one is missing: whose?
    assert not home.exists()
    check("form.A", kind("ABCDEABCDEABCDEA"))

    assert [json.loads(line)["answer"] for line in home.read_text().splitlines()] == [*"ABCDEABCDEABCDEA"]


def test_a_form_is_handed_in_once_and_kept_on_this_machine(home):
    said = handed_in("A", _7="ｂ！")  # as a Chinese keyboard types it

    assert str(home) in said.text
    kept = [json.loads(line) for line in home.read_text().splitlines()]
    assert kept[6] == {"item": "A7", "answer": "B", "sure": True}
    assert "first answers count" in handed_in("A").text
    assert len(home.read_text().splitlines()) == 16


def test_after_the_course_both_are_set_side_by_side():
    handed_in("A", _1="E", _7="B!", _16="A!")
    assert check("form.A7", KEY["A"][6]).passed  # too late to count
    said = handed_in("B", _16="A", _2="A!")

    assert "before the course 13 of 16, now 15 of 16" in said.text
    assert "0/2 before, 1/1 now" in said.text
    assert said.text.endswith("\nLook again at: lesson 8.")


@pytest.mark.parametrize(("lang", "lessons"), [("en", "lesson 1, lesson 8."), ("zh", "第 1 课、第 8 课。")])
def test_the_lessons_to_look_at_stand_as_the_language_sets_them_apart(lang, lessons):
    handed_in("A")
    minigrad.set_language(lang)

    assert handed_in("B", _1="E", _16="E").text.endswith(lessons)


def test_the_short_form_is_eight_items():
    assert repr(form("A", short=True)).count("\nA) ") == 8
    assert "8 answers" in check("form.A", dict.fromkeys(forms.SHORT, "A")).text


def test_what_was_missed_comes_back_in_later_lessons_until_it_is_right():
    handed_in("A", _5="B", _8="E")

    assert "form.A5" not in check("03.recall", "D").text
    assert "form.A5" in check("04.recall", "C").text
    assert "\n" not in check("04.recall", ...).text
    missed = check("form.A5", "C")
    assert (missed.passed, missed.misconception) == (False, "walk_paths")
    assert "From your test" not in missed.text  # it has just come back, and of later lessons nothing is asked
    assert "form.A8" in check("05.recall", "A").text  # which has not come back yet
    assert check("form.A8", "C").passed
    assert "form.A5" in check("C.recall", "A").text
    assert check("form.A5", "a!").passed
    assert "form." not in check("D.recall", "B").text


def test_everything_that_was_missed_comes_back_however_it_is_answered():
    handed_in("A", **{f"_{n}": "E" for n in forms.ALL})
    seen = []
    for recall, letter in (("02.recall", "B"), ("05.recall", "A"), ("08.recall", "D"), ("A.recall", "D")):
        verdict = check(recall, letter)
        while (found := re.search(r'check\("form\.A(\d+)', verdict.text)) and len(seen) < 40:
            seen.append(int(found[1]))
            verdict = check(f"form.A{seen[-1]}", "E" if len(seen) % 2 else "D")
    assert seen[:2] == [2, 1]
    assert {*seen} == {*forms.ALL}
    assert len(seen) < 40


def test_weeks_later_an_item_comes_back_too():
    handed_in("B", _16="A")

    assert "form.B16" in check("later", lambda: (0.0, 0.0, 0.0)).text


def test_a_learner_without_answers_sees_no_item():
    assert "form." not in check("08.recall", "D").text


def test_a_teacher_sees_items_before_and_after(tmp_path):
    keep(tmp_path / "class")
    handed_in("B", _7="B")
    handed_in("A")
    page = {row[0]: row[1:] for row in collect(tmp_path / "class").rows}

    assert page["before B7"] == ("1", "0%", "walk_overwrite 1")
    assert page["after A7"] == ("1", "100%", "")
    assert len(page) == 33


def test_damaged_lines_are_passed_over_and_stay(home):
    home.parent.mkdir()
    home.write_text('nonsense\n{"item": "A1"}\n[1]\n')
    handed_in("A")

    assert home.read_text().startswith("nonsense\n")
    assert len(forms.rows()) == 16


def test_where_nothing_can_be_kept_it_is_said(home):
    home.parent.write_text("a file")

    assert "MINIGRAD_HOME" in handed_in("A").text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_form_reads_as_text_and_as_a_page(lang):
    minigrad.set_language(lang)
    shown = form("B")

    assert repr(shown).count("\n\n") == 17
    assert shown._repr_html_().count("<li ") == 16
    assert "loss = w * 5 + w" in shown._repr_html_()
    with pytest.raises(ValueError, match="'C'"):
        form("C")
