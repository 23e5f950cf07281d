"""Questions with letters: noted or judged, asked again where no letter fits, and never answered for the learner."""

import re

import pytest

import minigrad
from minigrad.lessons import check
from minigrad.lessons.exercise import stored

KEYS = {exercise: (row["right"], row["ideas"]) for exercise, row in stored("cases")["guesses"].items()}
LETTERS = [(exercise, letter) for exercise, (key, ideas) in KEYS.items() for letter in (key, *ideas)]


@pytest.fixture(params=["en", "zh"])
def language(request):
    before = minigrad.get_language()
    minigrad.set_language(request.param)
    yield request.param
    minigrad.set_language(before)


@pytest.mark.parametrize(("exercise", "letter"), LETTERS)
def test_a_letter_is_told_right_from_wrong_and_the_idea_behind_it(exercise, letter, language):
    key, ideas = KEYS[exercise]
    verdict = check(exercise, letter.lower())

    assert verdict.passed is (letter == key)
    assert verdict.misconception == ideas.get(letter)


@pytest.mark.parametrize("exercise", [e for e in KEYS if e.endswith(".guess")])
def test_a_guess_is_answered_with_the_same_question_whatever_it_is(exercise, language):
    key, ideas = KEYS[exercise]
    said = {re.sub(rf"\b{letter}\b", "_", check(exercise, letter).text) for letter in (key, *ideas)}

    assert len(said) == 1
    assert "?" in said.pop().replace("？", "?")


@pytest.mark.parametrize("exercise", KEYS)
def test_what_no_question_has_is_asked_again_and_dots_are_not_yet(exercise, language):
    assert check(exercise, "X").misconception == "kind"
    assert check(exercise, None).misconception == "kind"
    assert check(exercise, ...).passed is None


@pytest.mark.parametrize("typed", ["Ｂ", "b.", "'B'", " B ", ["B"]], ids=repr)
def test_a_letter_counts_however_it_was_typed(typed):
    assert check("01.guess", typed).passed


@pytest.mark.parametrize("dots", ["...", "…", " . . . "])
def test_dots_between_quotes_are_not_yet(dots):
    assert check("01.guess", dots).passed is None


def test_a_name_that_comes_near_is_offered_once():
    check("01.guess", "B")
    with pytest.raises(ValueError, match=r"01\.guess") as told:
        check("1.guess", "B")

    assert str(told.value).count("01.guess") == 1


def test_each_letter_of_the_prediction_is_answered_with_a_sentence_of_its_own(language):
    assert len({check("03.1", letter).text for letter in "ABCD"}) == 4


def test_curves_are_told_apart_by_four_letters():
    right = KEYS["08.curves"][0]

    assert check("08.curves", " ".join(right)).passed
    assert check("08.curves", right[::-1]).misconception == "wrong_value"
    assert check("08.curves", right[:3]).misconception == "kind"
