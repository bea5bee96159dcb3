"""Every single departure from a short hand is named by its own id, or lawful for a reason."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest

from daemon.alarms.alert import line
from daemon.edges.books import read_rulebook
from daemon.table.events import TableBegan
from tests.exploration.departures import Departure, every, of_steps
from tests.exploration.hands import FOLD, PASSIVE, lines_of_play, played, some_line, timed
from tests.exploration.ids import AFTERMATH, WHY
from tests.exploration.oracle import verdict
from tests.hands.judged import RULEBOOKS, told
from tests.laws.line import SOAK, judgement
from tests.laws.schema import watched

SEED = 20261130
# Of so many departures each book judges this many, drawn by the seed; `make soak` judges all.
SOME = 700
LAWFUL, PAIRS = 150, 40
COURSES = (
    (2, (), "checked"),
    (2, (PASSIVE, PASSIVE, "raise", FOLD), "fold"),
    (2, (FOLD,), "walk"),
    (2, ("all-in", PASSIVE), "all-in"),
    (3, (), "checked"),
    (3, (PASSIVE, PASSIVE, PASSIVE, "raise", FOLD, PASSIVE), "fold"),
    (3, (FOLD, FOLD), "walk"),
    (3, ("all-in", FOLD, PASSIVE), "all-in"),
    (4, (), "checked"),
)


@cache
def departures() -> tuple[Departure, ...]:
    return tuple(d for course in COURSES for d in every(played(*course)))


def sampled(book):
    """All departures, or some of each kind."""
    if SOAK:
        return departures()
    return random.Random(f"{SEED}/{book}").sample(departures(), SOME)


def judged(rows, book):
    """The last line of every alert, after asserting that all lines obey the format."""
    judge = judgement(rulebook=book)
    judge.take(TableBegan(table="t"), 1)
    events = timed(list(rows))
    register = watched(judge, events, line)
    assert not register.wrong, "\n".join([told(events), *register.wrong])
    return register.last.values()


def standing(alerts, hand="1"):
    return {
        one["irregularity"] for one in alerts if one["state"] != "withdrawn" and one["hand"] == hand
    }


def enabled(book):
    rulings = read_rulebook(book).rulings
    return frozenset(name for name, ruling in rulings.items() if ruling.enabled)


def wrong_with(departure, book, alerts):
    """What is missing and what is too much among the names found; None where all is well."""
    expected, found = verdict(departure, book), standing(alerts)
    if expected.told and not expected.told & {one["irregularity"] for one in alerts}:
        return [sorted(expected.told)], ["not told"]
    musts = [one & enabled(book) for one in expected.must]
    musts = [one for one in musts if one]
    if not musts:
        assert expected.why in WHY.values() or expected.must, departure.name
    known = set(expected.may).union(*expected.must)
    known |= set().union(*(AFTERMATH.get(name, frozenset()) for name in found & known))
    missing = [sorted(one) for one in musts if not one & found]
    return (missing, sorted(found - known)) if missing or found - known else None


@pytest.mark.parametrize("book", RULEBOOKS)
def test_a_departure_is_named_by_its_own_name_or_is_lawful(book):
    wrong, lawful = {}, 0
    some = sampled(book)
    for departure in some:
        alerts = judged(departure.rows, book)
        lawful += not alerts
        if (what := wrong_with(departure, book, alerts)) is not None:
            wrong[departure.hand.name, departure.name] = (*what, sorted(standing(alerts)))
    print(f"{book}: {len(some)} departures of {len(departures())}, {lawful} quiet, seed {SEED}")
    assert wrong == {}


@pytest.mark.parametrize("book", RULEBOOKS)
def test_two_departures_break_nothing_and_the_next_hand_is_clean(book):
    """Nothing but the format of the alerts is asserted of two faults at once."""
    rng = random.Random(f"two {SEED}/{book}")
    for first in rng.sample(departures(), 10_000 if SOAK else PAIRS):
        hand = replace(first.hand, rows=first.rows)
        second = rng.choice([*of_steps(hand)])
        following = played(hand.seats, (), hand="2", button=2).rows
        ends = second.rows[-1].kind == "end"  # else something was done between the hands
        found = standing(judged([*second.rows, *following], book), "2") - {"leftover-card"}
        assert not ends or not found, (first.name, second.name)


@pytest.mark.parametrize("book", RULEBOOKS)
def test_a_board_run_out_over_two_faults_of_the_deal_breaks_nothing(book):
    first = next(d for d in departures() if d.name == "carried muck@2 seat:1 off 1/2")
    for second in of_steps(replace(first.hand, rows=first.rows)):
        if second.name == "astray pitch2@2 seat:2 off":
            judged(second.rows, book)


@pytest.mark.parametrize("book", RULEBOOKS)
def test_the_hand_after_a_departure_is_judged_as_if_it_had_not_been(book):
    number = len(departures()) if SOAK else SOME // 3
    for departure in random.Random(f"next {SEED}/{book}").sample(departures(), number):
        if departure.detail == "misdeal" or departure.step == "end":
            continue
        following = played(departure.hand.seats, (), hand="2", button=2).rows
        alerts = judged([*departure.rows, *following], book)
        assert standing(alerts, "2") <= {"leftover-card"}, departure.name


# -- what PokerKit calls a legal hand ------------------------------------------------------------


def legal(rng):
    """(seats, answers) of hands as PokerKit allows them: all there are, or some."""
    if SOAK:
        yield from ((seats, words) for seats in (2, 3) for words in lines_of_play(seats))
        return
    for _ in range(LAWFUL):
        seats = rng.choice((2, 3))
        yield seats, some_line(seats, rng)


@pytest.mark.parametrize("book", RULEBOOKS)
def test_a_hand_that_pokerkit_calls_legal_is_quiet(book):
    tried = set()
    for seats, words in legal(random.Random(f"legal {SEED}/{book}")):
        tried.add((seats, words))
        assert not judged(played(seats, words).rows, book), (seats, words)
    print(f"{book}: {len(tried)} legal hands, seed {SEED}")
    assert len(tried) > LAWFUL // 3
