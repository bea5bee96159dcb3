"""Each remedy is told as it should be done, and in each way of doing it wrong."""

import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from daemon.rules.vocabulary import IDS
from tests.scenario import read_cases

HERE = Path(__file__).parent
TABLE = tomllib.loads((HERE / "machines.toml").read_text("utf-8"))
MACHINES = (
    *("SM-1", "SM-2", "SM-3", "SM-4", "SM-4b", "SM-6", "SM-7", "SM-8", "SM-9", "SM-10"),
    *("SM-11", "SM-12", "SM-13", "SM-14", "SM-15", "SM-16", "SM-17", "SM-18"),
)
IN_REMEDIES = tuple(name for name in IDS if name.startswith("remedy-"))


def scenarios():
    """All cases by file and title; a case told under several books is several."""
    cases = defaultdict(list)
    for path in sorted((HERE / "scenarios").glob("*.txt")):
        for case in read_cases(path):
            cases[f"{path.stem}: {case.title}"].append(case)
    return cases


CASES = scenarios()


def listed(key):
    return [(machine, row) for machine, rows in TABLE.items() for row in rows.get(key, ())]


def found(title):
    """What is found in the scenario, under each of its books."""
    assert title in CASES, title
    return [case.finds for case in CASES[title]]


def test_every_machine_is_listed_with_what_is_right_and_what_is_wrong():
    assert tuple(TABLE) == MACHINES
    assert all(rows["right"] for rows in TABLE.values())
    silent = {name for name, rows in TABLE.items() if not (rows.get("wrong") or rows.get("untold"))}
    assert not silent
    assert all(": " in row for _, row in listed("untold")), "each with its reason"


@pytest.mark.parametrize(("machine", "title"), listed("right"))
def test_a_remedy_done_right_ends_without_a_fault_in_it(machine, title):
    for finds in found(title):
        assert not {name for name, _, _ in finds} & set(IN_REMEDIES), machine
        assert {state for _, _, state in finds} & {"remedied", "self-corrected"}, machine


@pytest.mark.parametrize(("machine", "title"), listed("stands"))
def test_what_stands_asks_for_nothing(machine, title):
    for finds in found(title):
        assert finds, machine
        assert not {name for name, _, _ in finds} & set(IN_REMEDIES), machine


@pytest.mark.parametrize(("machine", "row"), listed("wrong"))
def test_a_remedy_done_wrong_is_told_by_its_name(machine, row):
    _, title, name = row
    assert name in IDS
    for finds in found(title):
        told = [state for one, _, state in finds if one == name]
        assert told, f"{machine}: {title}"
        assert "withdrawn" not in told
        if name in IN_REMEDIES:
            about = {subject for one, subject, _ in finds if one == name}
            whole = {state for one, subject, state in finds if subject in about and one != name}
            assert whole != {"remedied"}, "a remedy done wrong is never remedied"


def test_no_way_of_doing_it_wrong_is_listed_twice():
    for machine, rows in TABLE.items():
        ways = [what for what, _, _ in rows.get("wrong", ())]
        assert len(ways) == len(set(ways)), machine


def test_no_two_cases_of_a_file_have_the_same_title_and_book():
    for title, cases in CASES.items():
        books = [case.rulebook for case in cases]
        assert len(books) == len(set(books)), title


# -- agreements, what betting can prove, button and blinds ---------------------------------------

LAWFUL = tomllib.loads((HERE / "lawful.toml").read_text("utf-8"))
RULES = [(section, row) for section, rows in LAWFUL.items() for row in rows]


@pytest.mark.parametrize(("section", "row"), RULES)
def test_what_is_lawful_and_what_can_be_known_is_shown(section, row):
    _, title, *names = row
    for finds in found(title):
        stands = {name for name, _, state in finds if state != "withdrawn"}
        assert stands == set(names), section


def test_every_part_of_the_rules_that_accuses_nobody_is_listed():
    assert tuple(LAWFUL) == ("agreements", "betting", "button-and-blinds")
    quiet = [row for _, row in RULES if len(row) == 2]
    assert quiet
    assert len({row[1] for _, row in RULES}) == len(RULES)
