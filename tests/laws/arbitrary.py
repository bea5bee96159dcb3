"""Streams of arbitrary valid events, for Hypothesis: all kinds, any place, seat and time."""

from __future__ import annotations

import random
from typing import get_args

import msgspec
from hypothesis import strategies as st

from daemon.table import events as dealing
from tests.laws.streams import hand, in_time

NAMELESS = ("?1", "?2")
CARDS = st.sampled_from(
    ("As", "Kd", "Td", "2c", "7h", "9s", "Jc", "4h", "8s", "Qh", *NAMELESS)
)  # fmt: skip
PLACES = st.sampled_from(
    ("stub", "seat:1", "seat:2", "seat:3", "seat:10", "board", "board:4", "burn", "aside", "muck",
     "off")
)  # fmt: skip
SEATS = st.integers(1, 4) | st.just(10)
SOME_SEATS = st.lists(SEATS, min_size=1, max_size=4, unique=True).map(tuple)
NAMES = st.sampled_from(("red", "blue"))
SENSES = st.lists(st.sampled_from(sorted(dealing.ALL_SENSES)), max_size=3).map(tuple)
CHIPS = st.none() | st.integers(0, 300)
WORDS = {
    "card": CARDS, "identity": st.sampled_from(("As", "Kd", "Td", "2c")), "place": PLACES,
    "source": PLACES, "to": PLACES, "seat": SEATS, "seats": SOME_SEATS, "deck": NAMES,
    "amount": CHIPS, "senses": SENSES, "cards": st.lists(CARDS, max_size=2, unique=True).map(tuple),
    "n": st.integers(1, 60), "count": st.integers(0, 60), "boards": st.integers(1, 5),
    "left": st.dictionaries(CARDS, PLACES, max_size=2), "dealer": NAMES, "packet": CHIPS,
    "of": st.sampled_from(("acted", "card-exposed", "hand-tabled", "card-moved", "betting-closed",
                           "floor-called", "misdeal-declared", "cards-collected", "deck-shuffled")),
    "irregularity": st.sampled_from(("turn-premature", "deal-out-of-sequence", "nothing")),
    "doubt": st.none() | st.just(dealing.Rival("two-tags")),
}  # fmt: skip


def _field(kind, field):
    if kind is dealing.DeckCounted and field.name == "of":
        return st.sampled_from(("deck", "stub"))
    if kind is dealing.ButtonMoved and field.name == "to":
        return SEATS
    if kind is dealing.CardIdentified and field.name == "card":
        return st.sampled_from(NAMELESS)  # a card that has a name gets none: the line is refused
    if field.name in WORDS:
        known = WORDS[field.name]
        return known if field.required else known | st.just(_default(field))
    choices = _choices(field.type)
    return st.sampled_from(choices) if choices else st.just(_default(field))


def _default(field):
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def _choices(annotation):
    if annotation is bool:
        return (False, True)
    found = [word for word in get_args(annotation) if isinstance(word, str)]
    for part in get_args(annotation):
        found += [word for word in get_args(part) if isinstance(word, str)]
    return (*found, *((None,) if type(None) in get_args(annotation) else ()))


def _events_of(kind):
    if kind is dealing.HandStarted:
        return _hands_begun()
    fields = [f for f in msgspec.structs.fields(kind) if f.name != "at_ms"]
    return st.builds(kind, at_ms=st.just(0), **{f.name: _field(kind, f) for f in fields})


@st.composite
def _hands_begun(draw):
    seats = draw(st.lists(SEATS, min_size=1, max_size=5, unique=True))
    some = st.lists(st.sampled_from(seats), max_size=2, unique=True).map(tuple)
    blind = st.sampled_from((msgspec.UNSET, None, *seats))
    chips = st.dictionaries(st.sampled_from(seats).map(str), st.integers(0, 50), max_size=2)
    return dealing.HandStarted(
        at_ms=0,
        hand=draw(st.sampled_from(("1", "2", "3", "4"))),
        button=draw(SEATS),
        seats=tuple(sorted(seats)),
        deal_order=tuple(draw(st.permutations(seats))) if draw(st.booleans()) else (),
        small_blind=draw(blind),
        big_blind=draw(blind),
        blinds=draw(chips),
        straddles=draw(chips),
        all_in=draw(some),
        dead_seats=draw(some),
    )


KINDS = tuple(kind for kind in get_args(dealing.DealingEvent) if kind is not dealing.TableBegan)
ANY_EVENT = st.one_of(*map(_events_of, KINDS))
USUAL = st.one_of(
    *map(
        _events_of,
        (dealing.CardMoved, dealing.CardMoved, dealing.Acted, dealing.CardExposed,
         dealing.Retracted, dealing.CardsCollected, dealing.DeckShuffled),
    )
)  # fmt: skip
PAUSES_MS = st.sampled_from((0, 1, 200, 900, 1999, 2000, 5000, 5001, 16_000))


@st.composite
def tables(draw):
    return dealing.TableBegan(
        table="t",
        sees=draw(st.none() | SENSES.map(lambda s: tuple(sorted({*s, "place", "burn"})))),
        betting=dealing.Betting(
            draw(st.sampled_from(("acts", "acts", "closes", "none"))),
            draw(st.sampled_from(("independent", "dealer"))),
        ),
    )


@st.composite
def streams(draw, max_size=60):
    """A hand that goes well until it is spoilt, or nothing but chance."""
    events = []
    if draw(st.booleans()):
        rng = random.Random(draw(st.integers(0, 5000)))
        events = hand(rng).events[: draw(st.integers(2, 70))]
    elif draw(st.booleans()):
        events = [draw(_hands_begun())]
    now_ms = events[-1].at_ms if events else 0
    for event in draw(st.lists(st.one_of(ANY_EVENT, USUAL, USUAL), max_size=max_size)):
        now_ms += draw(PAUSES_MS)
        events.append(msgspec.structs.replace(event, at_ms=now_ms))
    return in_time(events)
