from __future__ import annotations

import os
import random
from itertools import islice

import pytest

from daemon.demo.dealers import UNTOLD, tellable
from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.mischief import MISCHIEF, incident, kinds
from daemon.demo.real_hands import deal_of
from daemon.table.events import HandStarted
from tests.demo.staged import StagedTable, story
from tests.hands.judged import told
from tests.hands.loader import lawful_hands, recorded_hands

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
SEAT_COUNTS = (6, 6, 6, 10)  # of the tables at which they are dealt: readers cost time
HANDS = 6000 if SOAK else 80  # recorded hands dealt, in all slices
EVENING = 400 if SOAK else 20  # random hands dealt
INCIDENTS = 12 if SOAK else 1  # of each kind
TRIES = 400  # hands tried for room for a mischief
AT_DEMO = [name for name, mischief in MISCHIEF.items() if mischief.at_demo]


@pytest.mark.parametrize(("part", "seat_count"), list(enumerate(SEAT_COUNTS)))
def test_a_recorded_hand_dealt_through_the_sensors_raises_nothing(part, seat_count, tmp_path):
    table = StagedTable(tmp_path, f"hands {part}", seat_count)
    fitting = [
        one for one in lawful_hands() if max(*one["seats"]["occupied"], one["button"]) <= seat_count
    ]
    chosen = random.Random(f"hands {part}").sample(fitting, HANDS // len(SEAT_COUNTS))
    for recorded in chosen:
        events = lawful(deal_of(recorded, table.rng), table.rng)
        assert not table.deal(events), f"{recorded['id']}\n{told(events)}"


def test_a_lawful_evening_dealt_through_the_sensors_raises_nothing(tmp_path):
    table = StagedTable(tmp_path, "evening")
    for deal in islice(evening(random.Random("evening"), 10), EVENING):
        events = lawful(deal, table.rng)
        assert not table.deal(events), told(events)


def incidents(name, handling):
    """Recorded hands with this mischief."""
    hands = random.Random(f"bytes {name} {handling}").sample(recorded_hands(), TRIES)
    made = 0
    for recorded in hands:
        rng = random.Random(f"bytes {recorded['id']} {name} {handling}")
        happened = incident(name, handling, deal_of(recorded, rng), rng)
        if happened is not None:
            made += 1
            yield recorded["id"], happened
        if made == INCIDENTS:
            return


@pytest.mark.parametrize("name", AT_DEMO)
def test_a_mischief_dealt_through_the_sensors_is_found_as_in_its_dealing_events(name, tmp_path):
    for number, (kind, handling) in enumerate(kinds()):
        if kind != name:
            continue
        for hand, happened in incidents(name, handling):
            seat_count = 10 if name == "deal-unentitled-seat" else seats_of(happened)
            table = StagedTable(tmp_path, f"{number} {hand}", seat_count, happened.table.betting)
            found = table.deal(happened.events)
            case = f"{name} {handling} in {hand}\n{told(happened.events)}"
            wanted = sorted(map(story, table.judged(happened.events).values()))
            assert sorted(map(story, found.values())) == wanted, case
            if (name, handling) not in UNTOLD:
                holds(happened, found, case)


def seats_of(happened):
    """The highest seat of the hand, the button's too where nobody sits there."""
    return max(max(*e.seats, e.button) for e in happened.events if isinstance(e, HandStarted))


def holds(happened, found, case):
    states = {alert.irregularity: alert.state for alert in found.values()}
    assert sorted(alert.irregularity for alert in found.values()) == sorted(happened.found), case
    for name, state in happened.found.items():
        assert state in ("any", states[name]), case


def test_the_demo_leaves_out_only_what_its_sensors_cannot_tell():
    told_at_demo = [kind for kind in kinds() if kind[0] in AT_DEMO]
    untold = {
        f"{name} / {handling}" for name, handling in told_at_demo if not tellable(name, handling)
    }
    assert untold == {
        "flop-premature / remedy-shuffle-exposed",
        "flop-premature no-burn / remedy-shuffle-exposed",
        "turn-premature / remedy-shuffle-exposed",
        "turn-premature no-burn / remedy-shuffle-exposed",
        "river-premature / remedy-shuffle-exposed",
        "river-premature no-burn / remedy-shuffle-exposed",
        "flop-overcount / remedy-shuffle-exposed",  # no key names a face seen in the stub
        "flop-overcount / corrected",  # without a face reading the board counts as seen
        "flop-no-burn / corrected",
        "board-card-withdrawn / right",  # needs a table that does not know the betting
    }
