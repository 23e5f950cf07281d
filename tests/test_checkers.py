"""Verdicts: every right answer passes, every wrong one is told its misconception, in both languages."""

import html
import importlib
import io
import pkgutil
import re
import subprocess
import sys
import threading
import time

import pytest

import minigrad
from minigrad.lessons import check, running
from tests import answers

MODULES = [importlib.import_module(f"tests.answers.{m.name}") for m in pkgutil.iter_modules(answers.__path__)]
TABLES = {table.exercise: table for module in MODULES for table in vars(module).values()
          if isinstance(table, answers.Answers)}
RIGHT = [(e, a) for e, table in TABLES.items() for a in table.rights]
WRONG = [(e, a, idea) for e, table in TABLES.items() for idea, a in table.wrongs]
LANGUAGES = ("en", "zh")
BOTH = {(e, idea): a for e, a, idea in reversed(WRONG)}  # one of each idea is asked in both, the others in turn


@pytest.fixture(autouse=True)
def language():
    before = minigrad.get_language()
    yield
    minigrad.set_language(before)
    assert sys.exc_info()[1] is None  # no error of an answer is left behind


def named(value):
    return getattr(value, "__name__", None)


@pytest.mark.parametrize(("exercise", "answer"), RIGHT, ids=named)
def test_a_right_answer_passes_whatever_its_style(exercise, answer):
    verdict = check(exercise, answer)

    assert verdict.passed, verdict.text
    assert verdict.misconception is None


def asked(exercise, answer, lang):
    minigrad.set_language(lang)
    getattr(answer, "before", lambda: None)()  # what a cell that is run again begins with
    return check(exercise, answer)


@pytest.fixture
def impatient(request, monkeypatch):
    """What never ends is waited for less long: each is asked twice."""
    if request.node.callspec.params["idea"] == "endless":
        monkeypatch.setattr(running, "PROCESSOR", 0.3)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("exercise", "answer", "idea"), WRONG[::6], ids=named)
def test_a_verdict_is_word_for_word_the_same_when_asked_again(exercise, answer, idea):
    assert asked(exercise, answer, "en").text == asked(exercise, answer, "en").text


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("number", "exercise", "answer", "idea"), [(i, *w) for i, w in enumerate(WRONG)], ids=named)
def test_a_wrong_answer_is_told_which_idea_is_behind_it(number, exercise, answer, idea):
    said = []
    for lang in LANGUAGES if BOTH[exercise, idea] is answer else LANGUAGES[number % 2:][:1]:
        verdict = asked(exercise, answer, lang)
        assert verdict.passed is False
        assert verdict.misconception == idea, verdict.text
        assert verdict.text.rstrip()[-1] in ".?。？", verdict.text
        said.append(verdict.text)

    assert len({*said}) == len(said)
    assert not re.search(TABLES[exercise].forbidden or "$^", "\n".join(without_the_answer(s) for s in said))


def without_the_answer(text):
    """A verdict without what the learner wrote: the quoted line, and the error's own words."""
    return "\n".join(line for line in text.splitlines() if not re.search(r"Error|your line|你的这一行|^    \d >", line))


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda t: t.exercise)
def test_there_are_answers_enough(table):
    assert len(table.rights) >= 5
    assert len(table.wrongs) >= 10


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda t: t.exercise)
def test_every_misconception_that_a_checker_can_name_is_told(table):
    checker = minigrad.lessons.checker(table.exercise)
    nameable = {key.partition(":")[0] for key in (*checker.models, *checker.signs, *checker.economy)}

    assert nameable <= {idea for idea, _ in table.wrongs}


@pytest.mark.parametrize(("answer", "marked"), [("squares", ["PowBackward0"]), ("km_first", ["MulBackward0"]),
                                                ("writes_it_twice", ["AddBackward0"] * 2)])
def test_a_picture_marks_where_a_record_differs(answer, marked):
    drawing = check("02", getattr(importlib.import_module("tests.answers.answers_02"), answer)).drawing

    assert [drawing.graph.node(id).name for id in sorted(drawing.marks)] == marked


def test_a_verdict_breaks_between_words_and_what_is_not_yet_tried_stays_plain():
    """JupyterLab breaks plain text in the middle of words; the notebooks are stored with nothing tried."""
    verdict = check("01", lambda f, x, dx: x < dx)

    assert verdict._repr_html_().endswith(f">{html.escape(verdict.text)}</pre>")
    assert "word-break: normal" in verdict._repr_html_()
    assert check("01", ...)._repr_html_() is None


def test_a_verdict_names_no_address():
    assert " at 0x" not in check("02", lambda w, km: w.__repr__).text


class Widget:
    def __init__(self, *answers):
        self.answers = list(answers)


@pytest.mark.parametrize(("answers", "passed"), [
    ([], None), ([("next?", "b", True)], True), ([("next?", "a", False), ("next?", "b", True)], True),
    ([("next?", "b", True), ("shape?", "(3,)", False)], False)], ids=str)
def test_of_what_a_widget_asked_the_last_answer_to_each_question_counts(answers, passed):
    for given in (Widget(*answers), answers):
        verdict = check("03", given)
        assert verdict.passed is passed
        assert verdict.misconception == (None if passed is not False else "wrong_value")
        assert passed is not False or "shape?" in verdict.text
        assert not passed or f"1 answered, {int(len(answers) == 1)} of them" in verdict.text  # at the first try


@pytest.mark.parametrize(("exercise", "answer", "says"), [
    ("01", "gives_no_number", "In every case the same comes out"), ("01", "calls_itself", "calls lie within calls"),
    ("01", "stays_at_two", "f ran at 2, and x is another"),
    ("01", "takes_the_slope_where_it_ends", "f ran at 2.1, and x is another"),
    ("05.1", "wraps_everything_once_more", "axes left over"), ("05.1", "asks_for_the_one_call", "one call of"),
    ("05.1", "leaves_ones_on_the_left", "axes left over"), ("04", "school_calculus", "never called"),
    ("08", "hands_them_back_in_the_other_order", "other's place"), ("01", "leaves_python", "asks Python to end"),
    ("D", "sends_on_whatever_came", "a.grad: computed"),
    ("08", "gives_one_back", "Each name on the left"), ("05", "one_of_two", "How many values come back"),
    ("05", "three_results", "How many values come back"),
    ("03", "empties_every_drawer_behind_it", "or it was taken away again"),
    ("03", "multiplies_what_arrives", "What does your walk do with each"),
    ("03.2", "takes_a_thousand_steps", "a1000 never ran"),
    ("04", "tidies_up_at_the_end", "At the end nothing is left in the drawer"),
    ("02", "knows_the_number", "result: computed 13.5, expected 18"), ("later", "clears_too_early", "neither knob"),
    ("02", "hands_over_a_list", "Look at the brackets"), ("02", "leaves_a_comma", "Look at the brackets"),
    ("02", "makes_the_knob_anew", "a leaf that your function made"),
    ("04", "zeroes_after_each", "At the end nothing is left"),
    ("07", "another_bill_without_a_record", "No note is called stale"),
    ("04", "returns_in_the_loop", "calls of backward: 1"),
    ("A", "the_result_as_input", "8 where x is 2"), ("A", "NotesTheSquare", "not the input itself"),
    ("B", "hands_over_the_tuple", "Look at the brackets"),
    ("B", "pushes_by_pulling_twice", "backward ran 3 times"),
    ("B", "cleans_up", "x.grad: computed None, expected [5, 6, 7]"),
    ("B.2", "AddsTheDots", "two dots are added"), ("B.2", "AddsTheDotsOfDuals", "two dots are added"),
    ("B.2", "LeavesTheDotToNumbers", "Times a plain number"),
    ("B.2", "OneSide", "Does your class lack a method"),
    ("D", "a_leaf_begins_anew", "Here the root itself is a leaf"),
    ("D", "sends_on_what_is_new", "Here the root itself is a leaf")])
def test_the_sentence_fits_what_the_answer_did(exercise, answer, says):
    minigrad.set_language("en")
    given = next(a for _, a in TABLES[exercise].wrongs if named(a) == answer)

    assert says in check(exercise, given).text


def slope_times_step(f, x, dx):
    knob = minigrad.tensor(float(x), requires_grad=True)
    f(knob).backward()
    return knob.grad * dx


class Unspeakable(Exception):
    def __str__(self):
        return self.nothing

    __repr__ = __str__


def in_threads(f, x, dx):
    found = []
    thread = threading.Thread(target=lambda: found.append(slope_times_step(f, x, dx)))
    thread.start()
    thread.join()
    return found[0]


def recurses_deeper(f, x, dx):
    sys.setrecursionlimit(5_000)
    return slope_times_step(f, x, dx)


def test_a_module_that_an_answer_imports_is_not_stopped_half_way(tmp_path, monkeypatch):
    """It would stay half-made in the whole kernel, as PyTorch did."""
    (tmp_path / "takes_long.py").write_text("import time\nwhile time.process_time() < END: pass\nready = True".replace(
        "END", str(time.process_time() + 0.3)))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(running, "PROCESSOR", 0.05)

    def imports(f, x, dx):
        import takes_long
        return slope_times_step(f, x, dx) * takes_long.ready

    assert check("01", imports).passed
    assert check("01", lambda f, x, dx: exec("while True:\n from takes_long import ready")).misconception == "endless"


def breaks_backward(f, x, dx):
    minigrad.Tensor.backward = minigrad.tensor = lambda *given, **named: None
    return slope_times_step(f, x, dx)


def raises(error):
    def answer(f, x, dx):
        raise error

    return answer


@pytest.mark.parametrize(("answer", "idea"), [
    (breaks_backward, "raised"), (lambda f, x, dx: 10**400, "constant"), (lambda f, x, dx: Unspeakable(), "kind"),
    (raises(Unspeakable()), "raised"), (raises(GeneratorExit()), "raised"), (raises(MemoryError()), "raised"),
    (lambda f, x, dx: float(input()), "raised"), (recurses_deeper, None), (in_threads, None)])
def test_whatever_an_answer_does_the_next_one_is_judged_as_ever(answer, idea, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    limit, said = sys.getrecursionlimit(), {}
    for lang in ("en", "zh"):
        minigrad.set_language(lang)
        said[lang] = check("01", answer)
        assert said[lang].misconception == idea, said[lang].text
        assert check("01", slope_times_step).passed

    assert said["en"].text != said["zh"].text
    assert sys.getrecursionlimit() == limit


def test_while_an_answer_runs_others_find_their_tensors_as_they_were():
    """Of the loop of lesson 8 alone the gradients are watched, also where it fails or is stopped."""
    mine, ordinary = minigrad.tensor(1.0, requires_grad=True), minigrad.Tensor.grad
    kept, seen = [], []

    def elsewhere():
        (mine * 3).backward()
        seen.append((minigrad.Tensor.grad is ordinary, type(mine) is minigrad.Tensor, mine.grad.item()))

    def train(km, fare, steps, lr):
        w = minigrad.tensor(0.0, requires_grad=True)
        (w * km).sum().backward()
        kept.append(w)
        mine.grad = None
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
        while steps == 3:
            pass
        raise TypeError("no more")

    assert check("08", train).misconception == "raised"
    assert seen == [(True, True, 3.0)] * len(seen)
    assert seen
    assert {type(w) for w in kept} == {minigrad.Tensor}


@pytest.mark.parametrize("answer", ["lambda f, x, dx: 0.0", "endless"])
def test_after_a_verdict_a_debugger_steps_on(answer):
    """CPython 3.11 looks forever for an exception that was taken back before it arrived, and traces nothing more."""
    program = f"""
import sys
from minigrad.lessons import check
def endless(f, x, dx):
    while True: pass
def traced(): return "went on"
verdict = check("01", {answer})
sys.settrace(lambda frame, event, arg: None)
print(traced(), verdict.misconception)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)

    assert ended.stdout.startswith("went on"), ended.stderr
