"""A deck's file: which UID is which card, since when; no message names a tag, nor whose a card is.

UID = "card"      52 times
[deck]            may be missing, stands behind the cards
enrolled = 2026-11-29T20:13:31Z
life_days = 90    may be missing: how old the deck may become
persons = 2       may be missing: how many enrolled it
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from daemon.table.cards import CARDS, DECK

RECORD = "deck"
NAMED_MAX = 10  # of cards without a tag
_UID = re.compile(r"[0-9a-f]{8,24}")  # 4 to 12 bytes: ISO 14443 has 4, 7 or 10, ISO 15693 has 8


class Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a deck's file tells of the deck besides its cards; `enrolled` is in UTC."""

    enrolled: Annotated[datetime, Meta(tz=True)] | None = None
    life_days: Annotated[int, Meta(ge=1, le=36500)] | None = None
    persons: Annotated[int, Meta(ge=1, le=2)] | None = None


class Deck(Struct, frozen=True):
    """A deck: UID in lower-case hex to card, and its record."""

    tags: dict[str, str]
    record: Record = Record()


def is_deck(written: Mapping[str, object]) -> bool:
    """Whether these are the entries of a deck's file, taken for something else."""
    return any(_UID.fullmatch(key.lower()) for key in written)


def read_deck(deck: Mapping[str, object] | bytes) -> tuple[Deck, list[str]]:
    """A deck and all mistakes in it, in the order of the entries.

    A deck is a table `UID = "card"`, or the TOML file of one. An entry is told by its number in the
    deck: its name is a tag.
    """
    try:
        entries = tomllib.loads(deck.decode()) if isinstance(deck, bytes) else deck
    except ValueError:  # its words could repeat a tag
        return Deck({}), ["is not TOML in UTF-8"]
    tags: dict[str, str] = {}
    mistakes = []
    first: dict[str, int] = {}
    cards = {key: card for key, card in entries.items() if key != RECORD}
    for number, (key, card) in enumerate(cards.items(), 1):
        uid = key.lower()
        if not is_uid(uid):
            mistakes.append(f"tag {number}: not a tag's UID: 4 to 12 bytes, in hex digits only")
        elif uid in first:
            mistakes.append(f"tag {number}: the same tag as {first[uid]}")
        elif not isinstance(card, str) or card not in CARDS:
            mistakes.append(f"tag {number}: is given no card; a card is rank and suit, as in Td")
        else:
            tags[uid] = card
        first.setdefault(uid, number)
    if not mistakes:
        mistakes = _whole(tags)
    record = _record(entries.get(RECORD, {}), mistakes)
    return Deck(tags, record), mistakes


def is_uid(uid: str) -> bool:
    """Whether this is a tag's UID in lower-case hex."""
    return _UID.fullmatch(uid) is not None and len(uid) % 2 == 0


def deck_file(name: str, deck: Deck) -> bytes:
    """The file of a deck, as `read_deck` reads it."""
    lines = [
        f"# Deck {name}: the UID of each card's tag, and the card. Who has this file can read the",
        "# cards: keep it to root and the daemon. Written by floorcall deck enrol.",
        *(f'{uid} = "{card}"' for uid, card in deck.tags.items()),
        "",
        f"[{RECORD}]",
    ]
    record = deck.record
    if record.enrolled is not None:
        lines.append(f"enrolled = {record.enrolled.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")
    lines += [
        f"{key} = {number}"
        for key, number in (("life_days", record.life_days), ("persons", record.persons))
        if number is not None
    ]
    return ("\n".join(lines) + "\n").encode()


def life_days(record: Record, house_days: int) -> int | None:
    """How old this deck may become: the lower of its own limit and the house's (0: none)."""
    return min((days for days in (record.life_days, house_days) if days), default=None)


def age_days(record: Record, now: datetime) -> int | None:
    """How many whole days ago it was enrolled, None where the file does not tell."""
    return None if record.enrolled is None else max(0, (now - record.enrolled).days)


def _record(written: object, mistakes: list[str]) -> Record:
    try:
        return msgspec.convert(written, Record)
    except msgspec.ValidationError:  # its words could repeat a tag
        fields = ", ".join(Record.__struct_fields__)
        mistakes.append(
            f"[{RECORD}]: has {fields} only: a date and time with its offset, and numbers above 0"
        )
        return Record()


def _whole(tags: Mapping[str, str]) -> list[str]:
    mistakes = []
    given = Counter(tags.values())
    named = [
        f"{what} {' '.join(cards)}" if len(cards) <= NAMED_MAX else f"{what} {len(cards)} cards"
        for what, cards in (
            ("none for", [card for card in DECK if not given[card]]),
            ("several for", [card for card in DECK if given[card] > 1]),
        )
        if cards
    ]
    if len(tags) != len(DECK):
        mistakes.append(
            f"must have {len(DECK)} different tags, has {len(tags)}: {', '.join(named)}"
        )
    elif named:
        mistakes.append(f"must have a tag for each card, has {', '.join(named)}")
    lengths = sorted({len(uid) // 2 for uid in tags})
    if len(lengths) > 1:
        mistakes.append(f"mixes UIDs of {' and '.join(map(str, lengths))} bytes")
    return mistakes
