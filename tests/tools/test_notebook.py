"""What a technician is told of readings: everything but whose cards they are."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.sniff.notebook import ANTENNAS_MAX, REASONS_MAX, TAGS_MAX, Names, Notebook, clean
from daemon.table.cards import DECK
from drivers import readings
from drivers.readings import Garbled, Inventory, Reading, TagGone, TagSeen

A, B = "04a1b2c3d4e5f6", "04112233445566"
CARD = re.compile(rf"(?<![a-zA-Z0-9])(?:{'|'.join(DECK)})(?![a-zA-Z0-9])")


def book(places=None, *, show_uids: bool = False) -> Notebook:
    return Notebook(Names(show_uids=show_uids), {1: "board"} if places is None else places)


def told(one: Notebook, *said: Reading, every_ms: int = 100) -> list[str]:
    return [line for n, reading in enumerate(said) for line in one.take(reading, n * every_ms)]


def test_a_poll_is_news_where_an_antenna_reads_other_tags_than_before():
    polls = [Inventory(((1, A),)), Inventory(((1, A),)), Inventory(()), Inventory(((1, B), (2, A)))]
    assert told(book(), *polls) == [
        "antenna 1 (board): tag 1",
        "antenna 1 (board): nothing",
        "antenna 1 (board): tag 2",
        "antenna 2: tag 1",
    ]


def test_a_tag_told_one_by_one_is_news_when_it_was_not_told_for_a_while():
    seen = TagSeen(1, A, -52)
    one = book()
    assert told(one, *[seen] * 5, TagGone(1, A), seen) == [
        "antenna 1 (board): tag 1 seen (-52 dBm)",
        "antenna 1 (board): tag 1 gone",
        "antenna 1 (board): tag 1 seen (-52 dBm)",
    ]
    assert one.take(seen, 10_000) == ["antenna 1 (board): tag 1 seen (-52 dBm)"]
    assert one.antennas[1].reads == 7


def test_noise_is_told_once_in_a_second_and_counted_each_time():
    one = book()
    lines = told(one, *[Garbled("bad sum")] * 21)
    assert lines == ["garbled: bad sum"] * 3
    assert one.garbled == {"bad sum": 21}
    assert one.good_ms is None


def test_polls_a_second_are_those_of_the_last_five():
    one = book()
    told(one, *[Inventory(())] * 100)
    assert one.polls_s(10_000) == pytest.approx(10, rel=0.05)
    assert one.polls_s(30_000) == 0


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (readings.CardDrawn(3, "Td"), "card 3 drawn: read, quality 100"),
        (readings.CardDrawn(3, None, quality=12), "card 3 drawn: not read, quality 12"),
        (readings.CardDrawn(3, "Td", foreign=True), "card 3 drawn: of no deck, quality 100"),
        (readings.KeyPressed("call", 10, all_in=True, amount=50),
         "key call, seat 10, all-in, amount 50"),
        (readings.KeyPressed("pot", seats=(1, 2)), "key pot, seats 1 2"),
        (readings.FacesSeen((readings.Face("Td", "board", 90), readings.Face("2c", "board", 80))),
         "picture: 2 faces (board 2)"),
        (readings.DeviceFault(3, "error", "jam"), "device error 3: jam"),
        (readings.Started("ACME \x1b[2J", "1.0"), "greeting: ACME ?[2J 1.0"),
        (readings.EventsLost(3, 5), "events 3 to 5 lost"),
        (readings.Shuffled("done", 52), "shuffler: done, 52 cards"),
        (readings.LidMoved(is_open=True), "lid open"),
        (readings.Acked(ok=False), "a command was refused"),
    ],
)  # fmt: skip
def test_readings_in_words(said, words):
    assert told(book(), said) == [words]


texts = st.text(max_size=80)
cards = st.sampled_from(DECK)
uids = st.binary(min_size=4, max_size=10).map(bytes.hex)
antennas = st.integers(-5, 300)
tags = st.lists(st.tuples(antennas, uids), max_size=8).map(tuple)
anything = st.one_of(
    st.builds(Inventory, tags),
    st.builds(TagSeen, antennas, uids, st.none() | st.integers(-99, 0)),
    st.builds(TagGone, antennas, uids),
    st.builds(readings.CardDrawn, st.integers(), st.none() | cards, st.booleans(), st.integers()),
    st.builds(readings.FacesSeen, st.lists(st.builds(readings.Face, cards, st.just("board"),
              st.integers())).map(tuple)),
    st.builds(Garbled, st.sampled_from(["bad sum", "too long"]), st.binary(max_size=20)),
    *(st.from_type(kind) for kind in (readings.Shuffled, readings.Started, readings.DeviceFault,
      readings.Missing, readings.EventsLost, readings.Answered, readings.Acked, readings.Beat,
      readings.LidMoved, readings.ShoeLoaded, readings.CardPushedBack, readings.CutCardCame,
      readings.ShoeEmpty)),
)  # fmt: skip


@given(st.lists(anything, max_size=60))
def test_whatever_is_said_every_line_can_be_shown_and_names_no_tag(said):
    one = book({1: ""})
    lines = [*told(one, *said), *one.summary(1000)]
    assert all(line.isprintable() for line in lines)
    for reading in said:
        if isinstance(reading, Inventory):
            told_of = [line for line in lines if line.startswith("antenna")]
            assert not any(uid in line for line in told_of for _, uid in reading.tags)
    assert len(one.antennas) <= ANTENNAS_MAX


@given(st.lists(st.one_of(
    st.builds(readings.CardDrawn, st.integers(0, 60), cards, st.booleans()),
    st.builds(readings.FacesSeen, st.lists(st.builds(readings.Face, cards, st.just("board"),
              st.integers(0, 100))).map(tuple)),
), max_size=20))  # fmt: skip
def test_no_card_is_ever_named(said):
    one = book()
    assert not CARD.search("\n".join([*told(one, *said), *one.summary(1000)]))


def test_a_reader_that_makes_everything_up_costs_no_memory():
    one = book()
    for number in range(3 * TAGS_MAX):
        one.take(TagSeen(number, f"{number:08x}"), number)
        one.take(Inventory(((1, f"{number:08x}"),)), number)
        one.take(Garbled(f"reason {number}"), number)
    assert len(one.antennas) == ANTENNAS_MAX
    assert len(one.antennas[1].tags) == TAGS_MAX
    assert len(one.names._numbers) == TAGS_MAX
    assert len(one.garbled) <= REASONS_MAX + 1
    assert len(one._seen) <= TAGS_MAX
    assert len(one._told) <= REASONS_MAX
    assert one.names("ffffffff") == "another tag"


def test_every_kind_of_reading_has_its_word():
    one = book()
    for kind in get_args(Reading):
        assert kind in type(one).take.__globals__["_KINDS"]


def test_a_devices_words_do_nothing_to_a_terminal():
    assert clean("\x1b]0;x\x07" + "a" * 100) == "?]0;x?" + "a" * 54
