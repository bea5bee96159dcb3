"""A table's whole evening: nothing of one hand leaks into the next."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from daemon.demo.mischief import HANDS_TABLED
from daemon.table.events import TableBegan
from tests.hands.evenings import lawful_hands_of, mixed_hands
from tests.hands.judged import RULEBOOKS, judgement, told

SOAK = "FLOORCALL_SOAK" in os.environ
HANDS = 600 if SOAK else 60


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("seat_count", [2, 3, 6, 9, 10])
def test_an_evening_of_lawful_hands_of_every_kind_raises_nothing(seat_count, rulebook):
    line = judgement(rulebook)
    line.take(TableBegan(table="poker-1"), 1)
    rng = random.Random(f"evening {seat_count}")
    kinds = Counter()
    for hand in lawful_hands_of(rng, seat_count, rulebook in HANDS_TABLED, HANDS):
        kinds[hand.kind] += 1
        alerts = [alert for event in hand.events for alert in line.take(event)]
        assert alerts == [], f"{hand.kind}\n{alerts[0].irregularity}\n{told(hand.events)}"
    assert kinds["plain"] > 0


def test_an_evening_has_hands_of_every_kind():
    kinds = Counter()
    for seat_count in (3, 6, 9):
        rng = random.Random(f"evening {seat_count}")
        kinds += Counter(hand.kind for hand in lawful_hands_of(rng, seat_count, False, 60))
    assert set(kinds) == {"plain", "run_twice", "blinds_chopped", "absent"}


@pytest.mark.parametrize("seat_count", [2, 4, 6, 9])
def test_a_fault_is_found_in_its_own_hand_and_nowhere_else(seat_count):
    line = judgement()
    line.take(TableBegan(table="poker-1"), 1)
    rng = random.Random(f"mixed {seat_count}")
    for hand in mixed_hands(rng, seat_count, HANDS):
        last = {}
        for event in hand.events:
            last |= {alert.id: alert for alert in line.take(event)}
        found = sorted(alert.irregularity for alert in last.values())
        assert found == sorted(hand.found), f"{hand.kind}\n{told(hand.events)}"
        assert all(alert.final for alert in last.values())
