"""A deck's file: what is written is read again, and what is wrong is told without a tag."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.table.cards import DECK
from daemon.table.decks import Deck, Record, age_days, deck_file, life_days, read_deck

TAGS = {f"04{n:012x}": card for n, card in enumerate(DECK)}
AT = datetime(2026, 11, 29, 20, 13, 31, tzinfo=UTC)


MOMENTS = st.datetimes(datetime(1970, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
RECORDS = st.builds(
    Record,
    enrolled=st.none() | MOMENTS.map(lambda at: at.replace(microsecond=0)),
    life_days=st.none() | st.integers(1, 36500),
    persons=st.none() | st.integers(1, 2),
)


@given(st.sets(st.binary(min_size=7, max_size=7), min_size=52, max_size=52), RECORDS)
def test_a_deck_written_is_read_again(uids: set[bytes], record: Record) -> None:
    deck = Deck(dict(zip([uid.hex() for uid in uids], DECK, strict=True)), record)
    assert read_deck(deck_file("red", deck)) == (deck, [])


def test_a_deck_without_a_record_is_a_deck_as_ever() -> None:
    assert read_deck({**TAGS}) == (Deck(TAGS), [])
    plain = "".join(f'{uid} = "{card}"\n' for uid, card in TAGS.items())
    assert read_deck(plain.encode()) == (Deck(TAGS), [])


@pytest.mark.parametrize(
    "record",
    [
        {"enrolled": "2026-11-29"},
        {"enrolled": datetime(2026, 11, 29)},  # noqa: DTZ001 - without an offset, as TOML may have it
        {"life_days": 0},
        {"persons": 3},
        {"04891bf7bdd011": "2c"},
        "red",
    ],
)
def test_a_wrong_record_is_told_without_what_stands_in_it(record: object) -> None:
    _, (mistake,) = read_deck({**TAGS, "deck": record})
    assert mistake.startswith("[deck]: has enrolled, life_days, persons only")
    assert "04891bf7bdd011" not in mistake


def test_a_deck_lives_as_long_as_the_stricter_of_its_own_limit_and_the_houses() -> None:
    assert life_days(Record(), 0) is None
    assert life_days(Record(), 90) == 90
    assert life_days(Record(life_days=30), 0) == 30
    assert life_days(Record(life_days=30), 90) == 30
    assert age_days(Record(), AT) is None
    assert age_days(Record(enrolled=AT), AT + timedelta(days=90, hours=3)) == 90
    assert age_days(Record(enrolled=AT), AT - timedelta(days=1)) == 0
