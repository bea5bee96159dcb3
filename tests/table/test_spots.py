"""Antennas that read no cards: who deals, by his badge, and chips before the seats."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.table.events import ChipsMoved, DealerChanged
from daemon.table.interpreter import Interpreter
from daemon.table.layout import Sensor
from daemon.table.spots import TAGS_MAX
from drivers.readings import Inventory, KeyPressed, TagSeen
from tests.table.felt import FELT, KEYS, POLL_MS, UID, layout

BADGES = {"0415ab33cd": "d7", "0415ab33ce": "d8"}
D7, D8 = BADGES
CHIPS = [f"e0040150{number:08x}" for number in range(40)]
BETS = Sensor(
    name="bets",
    driver="feig",
    places={4: "muck"},
    spots={1: "bet:1", 2: "bet:2", 3: "badge"},
    senses=("chips",),
)
BADGE = Sensor(
    name="gate", driver="rdm6300", spots={1: "badge"}, polled=False, held_ms=500, senses=()
)


class Spotted:
    """A table with antennas for chips and badges; `lies` has the tags on the reader's antennas."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.lies: dict[str, int] = {}
        fitted = replace(layout((FELT, KEYS, BETS, BADGE)), badges=BADGES)
        self.interpreter = Interpreter(fitted)

    def lay(self, antenna: int, *uids: str) -> None:
        self.lies |= dict.fromkeys(uids, antenna)

    def lift(self, *uids: str) -> None:
        for uid in uids:
            del self.lies[uid]

    def wait(self, ms: int) -> list[str]:
        events = []
        for _ in range(ms // POLL_MS):
            self.now_ms += POLL_MS
            tags = tuple(sorted((antenna, uid) for uid, antenna in self.lies.items()))
            events += self.interpreter.take("bets", Inventory(tags), self.now_ms)
        return [said(event) for event in events]

    def press(self, key: str, **fields: object) -> None:
        self.interpreter.take("keys", KeyPressed(key, **fields), self.now_ms)

    def badge(self, uid: str, ms: int) -> list[str]:
        events = []
        for _ in range(ms // POLL_MS):
            self.now_ms += POLL_MS
            events += self.interpreter.take("gate", TagSeen(1, uid), self.now_ms)
        return [said(event) for event in events]


def said(event):
    match event:
        case ChipsMoved(seat=seat, change=change, doubt=doubt):
            return f"chips {change} {seat}" + (f" ({doubt.instead})" if doubt else "")
        case DealerChanged(dealer=dealer):
            return f"dealer {dealer}"
        case _:
            return f"{event.card} {event.source}>{event.to}"


@pytest.fixture
def table() -> Spotted:
    return Spotted()


# --- badges ---


def test_a_badge_that_is_enrolled_and_stays_is_another_dealer_once(table):
    assert table.badge(D7, 3000) == ["dealer d7"]
    assert table.wait(5000) == []
    assert table.badge(D7, 3000) == []
    assert table.badge(D8, 1000) == ["dealer d8"]
    assert table.badge(D7, 1000) == ["dealer d7"]


def test_a_badge_told_once_is_no_dealer_where_two_reports_are_needed(table):
    assert table.badge(D7, 100) == []


def test_a_badge_on_a_polled_antenna_is_another_dealer(table):
    table.lay(3, D7)
    assert table.wait(1000) == ["dealer d7"]


def test_a_badge_that_nobody_enrolled_is_counted_each_time_it_comes_and_changes_nothing(table):
    assert table.badge("00ffee0011", 3000) == []
    assert table.interpreter.figures.totals() == {"unknown-badge": 1}
    table.wait(2000)
    assert table.badge("00ffee0011", 3000) == []
    assert table.interpreter.figures.totals() == {"unknown-badge": 2}
    assert table.badge(D7, 1000) == ["dealer d7"]


def test_a_card_on_the_badges_antenna_is_no_badge_and_no_card(table):
    table.lay(3, UID["As"])
    assert table.wait(2000) == []
    assert table.interpreter.figures.totals() == {}


# --- chips ---


def test_chips_come_once_however_many_and_are_gone_when_none_is_left(table):
    table.lay(1, *CHIPS[:3])
    assert table.wait(300) == ["chips came 1"]
    table.lay(1, CHIPS[3])
    assert table.wait(5000) == []  # of the same bet: a stack is read chip by chip
    table.lift(*CHIPS[:3])
    assert table.wait(2000) == []
    table.lift(CHIPS[3])
    assert table.wait(300) == ["chips left 1"]


def test_chips_that_are_read_again_after_they_were_not_have_not_come_again(table):
    table.lay(1, CHIPS[0])
    assert table.wait(1000) == ["chips came 1"]
    table.lift(CHIPS[0])
    assert table.wait(5000) == ["chips left 1"]
    table.lay(1, CHIPS[0])
    assert table.wait(5000) == []
    table.lift(CHIPS[0])
    table.wait(1000)
    table.press("new-hand", seat=1, seats=(1, 2))
    table.lay(1, CHIPS[0])
    assert table.wait(1000) == ["chips came 1"]


def test_chips_that_lie_there_when_a_hand_begins_have_not_come(table):
    table.lay(1, CHIPS[0])
    table.wait(1000)
    table.press("new-hand", seat=1, seats=(1, 2))
    assert table.wait(1000) == []


def test_chips_beside_others_that_lay_there_may_only_have_been_unread(table):
    table.lay(1, CHIPS[0])
    table.wait(5000)
    table.lay(1, CHIPS[1])
    assert table.wait(1000) == ["chips came 1 (unread-chips)"]


def test_chips_go_from_one_seat_to_another(table):
    table.lay(1, CHIPS[0])
    table.wait(5000)
    table.lay(2, CHIPS[0])
    assert table.wait(1000) == ["chips left 1", "chips came 2"]


def test_cards_and_badges_before_a_seat_are_no_chips_and_no_cards_there(table):
    table.lay(1, UID["As"], UID["Kd"], D7)
    assert table.wait(2000) == []
    assert table.interpreter.figures.totals() == {}


def test_the_same_readers_other_antennas_read_cards(table):
    table.lay(4, UID["As"])
    table.lay(1, CHIPS[0])
    assert sorted(table.wait(1000)) == ["As stub>muck", "chips came 1"]
    table.lay(4, CHIPS[1])
    table.wait(100)
    assert table.interpreter.figures.totals() == {"unknown-tag": 1}


def test_chips_of_a_reader_that_is_lost_have_not_left(table):
    table.lay(1, CHIPS[0])
    table.wait(1000)
    table.interpreter.lost("bets", table.now_ms)
    table.now_ms += 9000
    table.interpreter.back("bets", table.now_ms)
    assert table.wait(2000) == []


def test_a_storm_of_tags_stays_bounded(table):
    for poll in range(60):
        flood = tuple((1, f"{poll:04x}{number:012x}") for number in range(900))
        for _ in range(2):
            table.now_ms += POLL_MS
            table.interpreter.take("bets", Inventory(flood), table.now_ms)
    spots = table.interpreter._spots
    assert len(spots._lay[1]) <= TAGS_MAX
    assert len(spots._lies) <= 4 * TAGS_MAX
    assert len(spots._tags._traces) <= 4 * TAGS_MAX
