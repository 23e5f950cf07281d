"""For the teacher: exercises of one's own, and what a class was told."""

import json
from itertools import count

import pytest

import minigrad as torch
from minigrad import lessons
from minigrad.lessons import check, classroom, collect, keep, register
from tests.answers.answers_02 import by_name, km_first, squares
from tests.answers.answers_04 import means, never_clears, weighs_each_ride

COUNT = count(1)
TAX = {"only_the_tax": {"en": "That is the tax. What does one pay?", "zh": "这是税。一共付多少？"}}


@pytest.fixture(autouse=True)
def as_it_was():
    before, lang = dict(lessons.CHECKERS), torch.get_language()
    yield
    lessons.CHECKERS.clear()
    lessons.CHECKERS.update(before)
    keep(None)
    torch.set_language(lang)


def pay(x):
    return x * 1.19


def registered(**options):
    options = {"mistakes": {"only_the_tax": lambda x: x * 0.19}, "sentences": TAX, **options}
    register("tax", pay, [(100.0,), (59.0,)], **options)


def test_an_exercise_of_ones_own_is_judged_as_ours():
    registered()

    assert check("tax", lambda x: x + x * 0.19).passed
    assert check("tax", ...).passed is None
    assert check("tax", print).misconception == "prints"
    assert check("tax", lambda x: 119.0).misconception == "constant"
    assert check("tax", lambda x: x * 1.2).misconception == "wrong_value"
    assert check("tax", pay(100.0)).misconception == "kind"


@pytest.mark.parametrize(("lang", "said"), [("en", "What does one pay?"), ("zh", "一共付多少？")])
def test_its_mistake_is_told_in_the_learners_language(lang, said):
    registered()
    torch.set_language(lang)
    verdict = check("tax", lambda x: 0.19 * x)

    assert verdict.misconception == "only_the_tax"
    assert "pay(100.0)" in verdict.text
    assert verdict.text.endswith(said)


def test_a_mistake_of_ours_brings_our_sentence_and_may_have_several_models():
    registered(mistakes={"sign": [lambda x: -pay(x), lambda x: abs(x) - pay(x)]}, sentences={})

    assert check("tax", lambda x: x * -1.19).misconception == "sign"


def test_tensors_go_in_fresh_each_time():
    def double(x):
        return x * 2

    register("double", double, [(torch.tensor([1.0, 2.0]),), (torch.tensor([[3.0]]),)])

    assert check("double", lambda x: x.mul_(2)).passed
    assert check("double", lambda x: x + x).passed


def test_a_sentence_is_told_as_it_is_written_and_a_case_is_a_tuple():
    registered(sentences={"only_the_tax": "Is {119} the tax?"})

    assert check("tax", lambda x: x * 0.19).text.endswith("Is {119} the tax?")
    for cases in ([100.0], []):
        with pytest.raises(ValueError, match="a tuple"):
            register("untupled", pay, cases)


@pytest.mark.parametrize(("options", "said"), [
    ({"sentences": {}}, "only_the_tax"), ({"mistakes": {"sign": pay}}, "sign")], ids=["no sentence", "no mistake"])
def test_what_could_not_be_told_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        registered(**options)
    with pytest.raises(ValueError, match="tax"):
        check("tax", pay)


@pytest.mark.parametrize("solution", [str, lambda x: {"all": x}, lambda x: 1j * x, lambda x: next(COUNT) * x, print])
def test_a_solution_that_nobody_could_match_is_refused(solution):
    with pytest.raises(ValueError, match="solution itself"):
        register("tax", solution, [(100.0,), (59.0,)])
    with pytest.raises(ValueError, match="tax"):
        check("tax", pay)


@pytest.mark.parametrize("sentence", [{}, None, ""])
def test_an_empty_sentence_is_none(sentence):
    with pytest.raises(ValueError, match="no sentence"):
        registered(sentences={"only_the_tax": sentence})


def test_a_name_of_the_course_and_no_cases_are_refused():
    for ours in ("04", "04.recall", "form.A7"):
        with pytest.raises(ValueError, match=ours):
            register(ours, pay, [(1.0,)])
    with pytest.raises(ValueError, match="at least one"):
        register("tax", pay, [])


def learner(folder, *answers):
    keep(folder)
    for exercise, answer in answers:
        check(exercise, answer)
    keep(None)


def test_nothing_is_kept_unless_the_learner_agrees(tmp_path):
    check("04", means)
    keep(tmp_path)
    keep(None)
    check("04", means)

    assert not list(tmp_path.iterdir())


def test_a_file_has_no_name_no_time_and_no_answer(tmp_path):
    learner(tmp_path, ("04", means), ("04", ...), ("04", weighs_each_ride))
    (file,) = tmp_path.iterdir()

    assert [json.loads(line) for line in file.read_text("utf-8").splitlines()] == [
        {"exercise": "04", "passed": False, "misconception": "sum_of_means"},
        {"exercise": "04", "passed": True, "misconception": None}]


def test_a_class_becomes_one_page(tmp_path):
    learner(tmp_path, ("04", means), ("04", means), ("04", never_clears), ("04", weighs_each_ride), ("02", by_name))
    learner(tmp_path, ("04", weighs_each_ride), ("02", squares), ("02", by_name))
    learner(tmp_path, ("04", means), ("02", km_first))
    page = collect(tmp_path)

    assert page.rows[1:] == [("02", "3", "33%", "other_op 1, slots 1"),
                             ("04", "3", "33%", "sum_of_means 2, not_cleared 1")]
    assert "kernels: 3" in str(page)
    page.save(tmp_path / "class.html")
    assert "sum_of_means 2" in (tmp_path / "class.html").read_text("utf-8")
    assert collect(tmp_path).rows == page.rows


def test_the_page_speaks_the_teachers_language(tmp_path):
    learner(tmp_path, ("04", means))
    torch.set_language("zh")

    assert "内核数：1" in collect(tmp_path).title
    assert "<td>练习</td>" in collect(tmp_path)._repr_html_()


def test_folders_without_verdicts_and_other_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="keep"):
        collect(tmp_path)
    row = {"exercise": "04", "passed": True, "misconception": None}
    others = [{**row, key: value} for key, value in (
        ("exercise", 4), ("exercise", ["04"]), ("passed", "yes"), ("passed", None), ("misconception", ["sign"]))]
    for text in ("not json", "[1]", '{"exercise": "04"}', "[" * 100_000, *map(json.dumps, others)):
        (tmp_path / "verdicts-x.jsonl").write_text(text, "utf-8")
        with pytest.raises(ValueError, match=r"verdicts-x\.jsonl"):
            collect(tmp_path)


def test_a_kernel_writes_one_file(tmp_path):
    learner(tmp_path / "new", ("04", means), ("02", squares))

    assert len(list((tmp_path / "new").iterdir())) == 1
    assert classroom.kept is None


def test_what_editors_and_drives_add_to_a_file_is_passed_over(tmp_path):
    learner(tmp_path, ("04", means))
    (file,) = tmp_path.iterdir()
    rows = collect(tmp_path).rows
    file.write_bytes(b"\xef\xbb\xbf\r\n" + file.read_bytes().replace(b"\n", b"\r\n\r\n"))

    assert collect(tmp_path).rows == rows


def test_a_folder_is_named_from_home_and_one_that_is_gone_costs_nobody_a_verdict(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    keep("~/class")
    check("04", means)
    assert len(collect("~/class").rows) == 2

    for file in (tmp_path / "class").iterdir():
        file.unlink()
    (tmp_path / "class").rmdir()
    assert check("04", means).misconception == "sum_of_means"
    (tmp_path / "class").write_text("")
    with pytest.raises(OSError, match="class"):
        keep("~/class")
    assert check("04", means).misconception == "sum_of_means"
