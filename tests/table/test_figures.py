"""What the sensors' own play tells of them: misses of resting tags, cards that stay away."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.table.figures import (
    ANTENNA_POLLS_LEAST,
    CELLS_MAX,
    HANDS_KEPT,
    IDLE_HANDS,
    TAG_POLLS_LEAST,
    TAG_POLLS_MAX,
    Figures,
)
from daemon.table.layout import Layout, Sensor
from daemon.table.presence import Tags
from tests.table.felt import UID

FELT = Sensor(name="felt", driver="feig", places={1: "board", 2: "burn", 5: "aside"})
SEAT_3 = Sensor(name="seat-3", driver="pn532", places={1: "seat:3"})
SEAT_4 = Sensor(name="seat-4", driver="pn532", places={1: "seat:4"})
SHOE = Sensor(name="shoe", driver="csl1")
CARDS = {uid: card for card, uid in UID.items()}
A, B = UID["As"], UID["Kd"]
BOARD, SEAT = ("felt", 1), ("seat-3", 1)
EVERY = frozenset(CARDS.values())
NONE = frozenset()


def fitted(sensors=(FELT, SEAT_3, SEAT_4, SHOE)) -> Layout:
    return Layout(
        table="t", site="s", seat_count=9, sensors=sensors, tags=CARDS,
        deck_of=dict.fromkeys(CARDS, "red"),
    )  # fmt: skip


def polled(polls: str, antenna=1, sensor="felt") -> Figures:
    """The figures after these polls (`x` hit, `.` miss) of one tag, and the hand's end."""
    layout = fitted()
    figures = Figures(layout)
    tags = Tags(layout, figures)
    for poll in polls:
        tags.poll(sensor, ((antenna, A),) if poll == "x" else ())
    figures.end_hand(NONE)
    return figures


def played(figures: Figures, antenna, uid: str, polls: int, missed: int) -> None:
    """So many polls of a resting tag, of which so many missed it."""
    figures.came(antenna, uid)
    for _ in range(missed):
        figures.read(antenna, uid, 1)
    for _ in range(polls - 2 * missed):
        figures.read(antenna, uid, 0)


@pytest.mark.parametrize(
    ("polls", "tally"),
    [
        ("", (0, 0, 0, 0)),
        ("x", (0, 0, 0, 0)),  # never there
        ("xx", (0, 0, 1, 0)),
        ("xxxxxx", (4, 0, 1, 0)),
        ("xxx.x..x", (6, 3, 1, 0)),
        ("xxxxxx...", (4, 0, 1, 0)),  # it left: what misses it then is no misread
        ("xxxx..", (2, 0, 1, 0)),  # it may be leaving
        ("xxx...xxx", (2, 0, 2, 1)),  # lost and there again
        ("xx.......", (0, 0, 1, 0)),
    ],
)
def test_polls_that_miss_a_tag_between_two_that_read_it_are_misreads(polls, tally):
    told = polled(polls).told["felt"]["antennas"]["1"]
    assert (told["polls"], told["missed"], told["came"], told["back"]) == tally


def test_a_sensor_that_was_gone_has_missed_nothing():
    layout = fitted()
    figures = Figures(layout)
    tags = Tags(layout, figures)
    for _ in range(4):
        tags.poll("felt", ((1, A),))
    tags.poll("felt", ())
    tags.poll("felt", ())
    tags.lost("felt")
    tags.poll("felt", ((1, A),))
    figures.end_hand(NONE)
    assert figures.told["felt"]["antennas"]["1"]["missed"] == 0


def test_a_neighbour_that_overhears_a_tag_now_and_then_is_not_said_to_miss_it():
    layout = fitted()
    figures = Figures(layout)
    tags = Tags(layout, figures)
    for poll in range(100):
        tags.poll("felt", ((1, A), (2, A)) if poll % 3 else ((1, A),))
    figures.end_hand(NONE)
    antennas = figures.told["felt"]["antennas"]
    assert antennas["1"]["polls"] > 90
    assert (antennas["1"]["missed"], antennas["2"]["polls"]) == (0, 0)
    assert figures.told["felt"]["errors"] == {"ghost": 1}


def test_a_device_that_makes_no_polls_misses_none():
    camera = Sensor(name="felt", driver="x", places={1: "board"}, polled=False)
    layout = fitted((camera,))
    figures = Figures(layout)
    tags = Tags(layout, figures)
    for poll in range(20):
        tags.poll("felt", ((1, A),) if poll % 2 else ())
    figures.end_hand(NONE)
    assert figures.told["felt"]["antennas"]["1"]["polls"] == 0
    assert figures.told["felt"]["antennas"]["1"]["came"] == 10


def test_nothing_told_changes_before_the_hand_ends():
    figures = Figures(fitted())
    before = json.dumps([figures.told, figures.troubles])
    for _ in range(50):
        figures.note("seat-3", "garbled")
        figures.note("felt", "ghost")
    played(figures, SEAT, A, 900, 400)
    figures.close(EVERY)
    figures.lost("felt")
    assert json.dumps([figures.told, figures.troubles]) == before
    figures.end_hand(NONE)
    assert json.dumps([figures.told, figures.troubles]) != before


def test_sensors_at_seats_are_told_of_together_and_never_which():
    one, other = Figures(fitted()), Figures(fitted())
    for figures, sensor in ((one, "seat-3"), (other, "seat-4")):
        figures.note(sensor, "garbled")
        played(figures, (sensor, 1), A, 900, 400)
        figures.end_hand(NONE)
    assert set(one.told) == {"felt", "shoe", "seats"}
    assert one.told["seats"] == {
        "hands": 1, "errors": {"garbled": 1}, "polls": 900, "missed": 400,
    }  # fmt: skip
    assert one.told == other.told
    assert one.troubles == ("sensors at seats: an antenna misses more than one poll in ten",)
    assert one.troubles == other.troubles
    assert one.ledger() != other.ledger()


def test_a_shoe_has_its_errors_and_no_antennas():
    figures = Figures(fitted())
    figures.note("shoe", "garbled")
    figures.lost("shoe")
    figures.end_hand(NONE)
    assert figures.told["shoe"] == {
        "hands": 1, "errors": {"garbled": 1, "lost": 1}, "antennas": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("polls", "missed", "bad"),
    [
        (ANTENNA_POLLS_LEAST, ANTENNA_POLLS_LEAST // 10, False),
        (ANTENNA_POLLS_LEAST, ANTENNA_POLLS_LEAST // 10 + 1, True),
        (ANTENNA_POLLS_LEAST - 1, ANTENNA_POLLS_LEAST // 2 - 1, False),
    ],
)
def test_an_antenna_that_misses_more_than_a_tenth_of_many_polls_is_told(polls, missed, bad):
    figures = Figures(fitted())
    played(figures, BOARD, A, polls, missed)
    figures.end_hand(NONE)
    words = "sensor felt: antenna 1 (board) misses more than one poll in ten"
    assert figures.troubles == ((words,) if bad else ())


def test_an_antenna_put_right_is_forgiven_after_the_hands_that_are_kept():
    figures = Figures(fitted())
    played(figures, BOARD, A, 1000, 400)
    figures.end_hand(NONE)
    for hand in range(HANDS_KEPT):
        assert figures.troubles, hand
        played(figures, BOARD, A, 100, 0)
        figures.end_hand(NONE)
    assert figures.troubles == ()


def test_an_antenna_that_loses_what_lies_on_it_again_and_again_is_told():
    figures = Figures(fitted())
    for _ in range(12):
        figures.came(BOARD, A)
    figures.end_hand(NONE)
    assert figures.troubles == ("sensor felt: antenna 1 (board) loses cards that lie still",)


def test_a_player_who_looks_at_his_cards_all_the_time_is_no_trouble():
    figures = Figures(fitted())
    for _ in range(50):
        figures.came(SEAT, A)
    figures.end_hand(NONE)
    assert figures.troubles == ()


def idle(hands: int, *, seats=(), lost: str | None = None) -> Figures:
    figures = Figures(fitted())
    for _ in range(hands):
        if lost:
            figures.lost(lost)
            figures.back(lost)
        figures.begin_hand(seats)
        played(figures, ("seat-4", 1), A, 10, 0)
        figures.end_hand(NONE)
    return figures


def test_an_antenna_that_has_read_nothing_for_many_hands_is_told():
    assert idle(IDLE_HANDS["board"] - 1).troubles == ()
    assert idle(IDLE_HANDS["board"]).troubles == (
        "sensor felt: antenna 1 (board) has read no new card for 40 hands",
        "sensor felt: antenna 2 (burn) has read no new card for 40 hands",
    )


def test_a_seat_is_expected_to_read_only_where_it_is_dealt_in():
    assert idle(IDLE_HANDS["seat"], seats=(4,)).troubles == ()
    assert idle(IDLE_HANDS["seat"] - 1, seats=(3, 4)).troubles == ()
    (told,) = idle(IDLE_HANDS["seat"], seats=(3, 4)).troubles
    assert told == "sensors at seats: an antenna has read no new card for 20 hands"


def test_a_card_that_is_never_taken_away_is_no_new_card():
    layout = fitted()
    figures = Figures(layout)
    tags = Tags(layout, figures)
    for _ in range(IDLE_HANDS["board"] + 1):
        for _ in range(5):
            tags.poll("felt", ((1, A), (2, B)))
        figures.end_hand(NONE)
    assert len(figures.troubles) == 2


def test_hands_in_which_the_sensor_was_gone_prove_nothing():
    assert idle(IDLE_HANDS["board"] * 2, lost="felt").troubles == ()


def worn(figures: Figures, uid: str, public: frozenset[str]) -> None:
    """A hand in which all tags lie on the board, and this one is missed in half of its polls."""
    for tag in CARDS:
        bad = tag == uid
        played(figures, BOARD, tag, TAG_POLLS_LEAST, TAG_POLLS_LEAST // 2 if bad else 2)
    figures.end_hand(public)


def test_a_tag_that_is_missed_far_oftener_than_the_others_is_counted_and_not_named():
    figures = Figures(fitted())
    worn(figures, A, EVERY)
    assert figures.troubles == ("deck red: 1 tag reads badly",)
    worn(figures, B, EVERY)
    assert figures.troubles == ("deck red: 2 tags read badly",)
    told = json.dumps([figures.told, figures.troubles])
    assert not any(name in told for pair in CARDS.items() for name in pair)


def test_the_ledger_says_which_tag_it_is_with_its_card_and_its_deck():
    figures = Figures(fitted())
    worn(figures, A, EVERY)
    tags = figures.ledger()["tags"]
    assert [uid for uid, row in tags.items() if row["bad"]] == [A]
    assert tags[A] == {
        "card": "As", "deck": "red", "polls": TAG_POLLS_LEAST, "missed": TAG_POLLS_LEAST // 2,
        "bad": True,
    }  # fmt: skip


def test_a_tag_that_nobody_has_seen_is_in_the_ledger_and_in_no_warning():
    figures = Figures(fitted())
    worn(figures, A, EVERY - {"As"})
    assert figures.troubles == ()
    assert figures.ledger()["tags"][A]["bad"]


def test_a_card_shuffled_back_is_judged_as_what_it_was_until_then():
    figures = Figures(fitted())
    worn(figures, "", EVERY)
    played(figures, BOARD, A, TAG_POLLS_LEAST, 0)
    figures.close(frozenset({"As"}))  # the redeal's shuffle
    played(figures, BOARD, A, 2 * TAG_POLLS_LEAST, TAG_POLLS_LEAST)
    figures.end_hand(NONE)
    assert figures.troubles == ()


def test_all_tags_that_read_badly_are_the_antennas_fault_and_no_tags():
    figures = Figures(fitted())
    for tag in CARDS:
        played(figures, BOARD, tag, TAG_POLLS_LEAST, TAG_POLLS_LEAST // 3)
    figures.end_hand(EVERY)
    assert figures.troubles == ("sensor felt: antenna 1 (board) misses more than one poll in ten",)


def test_of_two_tags_with_one_card_nothing_is_told():
    twin = "04" + "f" * 12
    layout = Layout(
        table="t", site="s", seat_count=9, sensors=(FELT,), tags={**CARDS, twin: "As"},
        deck_of=dict.fromkeys(CARDS, "red"),
    )  # fmt: skip
    figures = Figures(layout)
    played(figures, BOARD, twin, TAG_POLLS_LEAST, 0)
    worn(figures, A, EVERY)
    assert figures.troubles == ()


reads = st.tuples(
    st.sampled_from([BOARD, ("felt", 2), SEAT]), st.sampled_from(sorted(CARDS)), st.integers(0, 31)
)


@given(st.lists(st.lists(reads, max_size=30), max_size=30), st.integers(1, 2000))
def test_whatever_is_read_it_stays_small(hands, times):
    figures = Figures(fitted())
    for hand in hands:
        for antenna, uid, missed in hand:
            figures.came(antenna, uid)
            figures.read(antenna, uid, missed * times)
        figures.end_hand(EVERY)
    assert all(row["polls"] <= TAG_POLLS_MAX + 62_001 for row in figures.ledger()["tags"].values())
    assert len(json.dumps(figures.ledger())) < 100 * 52 + 150 * 6
    assert all(0 <= row["missed"] <= row["polls"] for row in figures.ledger()["tags"].values())


def test_a_reader_that_makes_tags_up_costs_no_memory():
    figures = Figures(fitted())
    for number in range(2 * CELLS_MAX):
        figures.read(BOARD, f"{number:08x}", 0)
    assert len(figures._cells) == CELLS_MAX
