from __future__ import annotations

import os
import random
from itertools import islice

import pytest

from daemon.demo.dealing import lawful
from daemon.demo.evening import lawful_evening
from daemon.demo.mischief import HANDS_TABLED, incident, kinds
from daemon.demo.real_hands import deal_of
from daemon.table.events import Tick
from tests.hands.judged import RULEBOOK, RULEBOOKS, found, found_at, found_in, states, told
from tests.hands.loader import lawful_hands, recorded_hands

# A player who shows his own cards is noted in the log.
SHOWN = {"player-exposed-own-card"}
SLICES = 16  # the recorded hands are judged in so many tests, so that they share the cores
OTHER_BOOKS = 5  # every fifth hand is judged by the other rulebooks, too
SOAK = "FLOORCALL_SOAK" in os.environ
INCIDENTS = 50  # hands of each kind, the least
INCIDENTS_MAX = 500 if SOAK else INCIDENTS


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("part", range(SLICES))
def test_a_recorded_hand_dealt_as_it_was_raises_nothing(part, rulebook):
    thinned = 1 if SOAK or rulebook == RULEBOOK else OTHER_BOOKS
    for recorded in recorded_hands()[part :: SLICES * thinned]:
        rng = random.Random(recorded["id"])
        stream = lawful(deal_of(recorded, rng), rng, hands_tabled=rulebook in HANDS_TABLED)
        alerts = {alert.irregularity for alert in found(stream, rulebook=rulebook).values()}
        assert alerts <= SHOWN, f"{recorded['id']} {alerts}\n{told(stream)}"


@pytest.mark.parametrize("seat_count", range(2, 11))
def test_a_lawful_evening_raises_nothing(seat_count):
    evening = lawful_evening(random.Random(seat_count * 11), seat_count)
    stream = [event for hand in islice(evening, 150) for event in hand]
    assert {alert.irregularity for alert in found(stream).values()} == set()


@pytest.mark.parametrize(("name", "handling"), list(kinds()))
def test_a_mischief_raises_exactly_its_own(name, handling):
    hands = list(lawful_hands())
    random.Random(name + handling).shuffle(hands)
    made = _commit(name, handling, hands, INCIDENTS_MAX)
    print(f"{name} {handling}: judged in {made} hands")
    assert made >= INCIDENTS


def _commit(name, handling, hands, most):
    """Judges up to `most` incidents of the kind in these hands; how many there were."""
    made = 0
    for recorded in hands:
        rng = random.Random(recorded["id"] + name + handling)
        happened = incident(name, handling, deal_of(recorded, rng), rng)
        if happened is None:
            continue
        _holds(happened, recorded["id"])
        made += 1
        if made == most:
            break
    return made


def test_ticks_change_no_alert():
    rng = random.Random(12)
    for name, handling in kinds():
        recorded = rng.choice(recorded_hands())
        happened = incident(name, handling, deal_of(recorded, random.Random(1)), random.Random(2))
        if happened is None:
            continue
        ticking = list(happened.events)
        for _ in range(60):
            at = rng.randrange(1, len(ticking))
            low_ms, high_ms = ticking[at - 1].at_ms, ticking[at].at_ms
            ticking.insert(at, Tick(at_ms=rng.randint(low_ms, high_ms)))
        assert _lines(ticking, happened) == _lines(happened.events, happened)


def _lines(stream, happened):
    """The alerts of a stream, but for what names the table or counts events."""
    alerts = found_at([happened.table, *stream], happened.rulebook).values()
    return [
        (a.irregularity, a.subject, a.state, a.severity, a.audience, a.at_ms, a.known_ms, a.remedy)
        for a in alerts
    ]


def _holds(happened, hand):
    alerts = found_in(happened)
    seen = states(alerts)
    case = f"{happened.irregularity} {happened.handling} in {hand}: {dict(seen)}"
    story = f"{case}\nexpected {dict(happened.found)}\n{told(happened.events)}"
    assert sorted(name for name, _ in seen.elements()) == sorted(happened.found), story
    for name, state in happened.found.items():
        assert state == "any" or seen[name, state] == 1, story
    main = [alert for alert in alerts.values() if alert.irregularity == happened.irregularity]
    assert all((a.self_corrected is True) == happened.self_corrected for a in main), story
