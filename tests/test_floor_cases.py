"""Every floor ruling of the list is told by scenarios, under the books it was given under."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from tests.scenario import read_cases

HERE = Path(__file__).parent
RULINGS = tomllib.loads((HERE / "floor_cases.toml").read_text("utf-8"))
NUMBERED = re.compile(r"C\d{2}\b")
FILES = sorted((HERE / "scenarios").glob("floor-cases-*.txt"))


def books_of_scenarios():
    """The books under which each numbered ruling is told, by its number."""
    books = defaultdict(set)
    for path in FILES:
        for case in read_cases(path):
            number = NUMBERED.match(case.title)
            assert number, f"{path}:{case.line}: of which ruling is this?"
            books[number[0]].add(Path(case.rulebook).stem)
    return books


TOLD = books_of_scenarios()


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
