"""Every floor ruling of the list is told by scenarios, under the books it was given under."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from tests.hands.judged import found_at
from tests.scenario import play, read_cases

HERE = Path(__file__).parent
RULINGS = tomllib.loads((HERE / "floor_cases.toml").read_text("utf-8"))
NUMBERED = re.compile(r"C\d{2}\b")
FILES = sorted((HERE / "scenarios").glob("floor-cases-*.txt"))
CASES = [case for path in FILES for case in read_cases(path)]


def books_of_scenarios():
    """The books under which each numbered ruling is told, by its number."""
    books = defaultdict(set)
    for case in CASES:
        number = NUMBERED.match(case.title)
        assert number, f"{case.path}:{case.line}: of which ruling is this?"
        books[number[0]].add(Path(case.rulebook).stem)
    return books


TOLD = books_of_scenarios()


SAID = [
    (number, book, *words)
    for number, ruling in RULINGS.items()
    for book, words in ruling.get("says", {}).items()
]


@pytest.mark.parametrize(("number", "book", "irregularity", "words"), SAID)
def test_the_accepted_ruling_is_what_the_alert_says_under_that_authority(
    number, book, irregularity, words
):
    told = [
        alert.text["en"].ruling
        for case in CASES
        if case.title.startswith(number) and Path(case.rulebook).stem == book
        for alert in found_at(play(case), case.rulebook, tuple(case.house.items())).values()
        if alert.irregularity == irregularity and alert.state != "withdrawn"
    ]
    assert told
    assert all(words in ruling for ruling in told)


def test_a_ruling_without_an_alert_is_that_nothing_is_wrong():
    told = {(number, book) for number, book, *_ in SAID}
    given = {(number, book) for number, ruling in RULINGS.items() for book in ruling["books"]}
    assert {number for number, _ in given ^ told} == {"C64"}


@pytest.mark.parametrize("number", RULINGS)
def test_a_ruling_is_told_under_each_book_it_was_given_under(number):
    missing = set(RULINGS[number]["books"]) - TOLD[number]
    assert RULINGS[number]["books"]
    assert not missing, f"{number}, {RULINGS[number]['about']}"


def test_every_scenario_of_a_ruling_is_about_one_of_the_list():
    assert set(TOLD) <= set(RULINGS)
    assert len(RULINGS) == 48


def test_a_ruling_is_told_in_a_few_words_of_its_own():
    lengths = {number: len(ruling["about"].split()) for number, ruling in RULINGS.items()}
    assert {number: n for number, n in lengths.items() if not 3 <= n <= 6} == {}
