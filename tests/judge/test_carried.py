"""A judgement made anew of what another one carried judges the rest as that one does."""

from __future__ import annotations

import os
import random
from functools import cache

import msgspec
import pytest

from daemon.alarms.alert import line
from daemon.alarms.carried import Judged
from daemon.edges.books import read_books
from daemon.pipeline import Judgement
from daemon.rules.mistakes import Source
from daemon.table.events import HandStarted, TableBegan
from tests.hands.evenings import mixed_hands
from tests.hands.judged import HOUSES
from tests.scenario import play
from tests.test_scenarios import CASES, SCENARIOS

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
EVENINGS = 40 if SOAK else 2
HANDS = 60 if SOAK else 20


@cache
def books(rulebook="robert-classic", house=()):
    own = HOUSES / f"{rulebook}.toml"
    name = str(own) if own.exists() else rulebook
    return read_books(name, None, Source("house", dict(house)) if house else None)


def heirs(stream, rulebook="robert-classic", house=()):
    """Hand the judgement over at every moment at which it can be; how often it was.

    Each of the last heirs must say what the first judgement says, at every event.
    """
    old, alive, made = Judgement(*books(rulebook, house), ("en",)), [], 0
    for event in stream:
        said = [line(alert) for alert in old.take(event)]
        for since, heir in alive:
            found = [line(alert) for alert in heir.take(event)]
            assert found == said, f"handed over at {since}, at {event}"
        if isinstance(event, TableBegan):
            opening, alive = event, []
        elif (carried := old.carried()) is not None:
            heir = Judgement(*books(rulebook, house), ("en",))
            heir.take(opening)
            heir.go_on(msgspec.json.decode(msgspec.json.encode(carried), type=Judged))
            alive = [*alive[-3:], (event, heir)]
            made += 1
    return made


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_handed_over_at_any_moment_between_hands_is_judged_the_same(path):
    for case in CASES:
        if case.path == path:
            assert heirs(play(case), case.rulebook, tuple(case.house.items()))


@pytest.mark.parametrize("number", range(EVENINGS))
def test_an_evening_handed_over_after_every_hand_is_judged_the_same(number):
    rng = random.Random(f"carried {number}")
    seat_count = rng.choice([2, 3, 6, 9, 10])
    events = [e for hand in mixed_hands(rng, seat_count, HANDS) for e in hand.events]
    made = heirs([TableBegan(table="poker-1"), *events])
    assert made > sum(isinstance(event, HandStarted) for event in events)


def test_a_hand_in_play_cannot_be_handed_over():
    events = next(mixed_hands(random.Random(1), 6, 1)).events
    judge = Judgement(*books(), ("en",))
    judge.take(TableBegan(table="poker-1"))
    can = []
    for event in events:
        judge.take(event)
        can.append(judge.carried() is not None)
    start = next(at for at, event in enumerate(events) if isinstance(event, HandStarted))
    assert can == [True] * (start + 1) + [False] * (len(events) - start - 2) + [True]


def test_an_alerts_name_is_not_used_again_for_the_next_hand_of_that_number():
    (case,) = [case for case in CASES if case.path.stem == "turn-premature"][:1]
    stream = play(case)
    assert heirs([*stream, *(e for e in again(stream) if not isinstance(e, TableBegan))])


def again(stream):
    """The same once more, later."""
    late_ms = stream[-1].at_ms + 10_000
    return [msgspec.structs.replace(event, at_ms=event.at_ms + late_ms) for event in stream]
