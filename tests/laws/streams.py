"""Streams to hold laws against: lawful hands, every mischief, and these spoilt by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.mischief import incident, kinds
from daemon.demo.real_hands import deal_of
from daemon.demo.telling import as_sensed
from daemon.table import events as dealing
from daemon.table.cards import DECK
from daemon.table.places import plain
from tests.hands.loader import recorded_hands

KINDS = tuple(kinds())
PLACES = ("stub", "seat:1", "seat:2", "seat:5", "board", "burn", "aside", "muck", "off")
ANY_BETTING = (
    *(dealing.Betting(),) * 3,
    dealing.Betting(source="dealer"),
    dealing.Betting(level="closes"),
    dealing.Betting(level="closes", source="dealer"),
    dealing.Betting(level="none"),
)


@dataclass(frozen=True, slots=True)
class Told:
    """A hand in dealing events, what it is, and what its table knows of the betting."""

    name: str
    events: list[dealing.DealingEvent]
    betting: dealing.Betting


def hand(rng: random.Random, kind: tuple[str, str] | None = None) -> Told:
    """A lawful hand, or one with a mischief, of a recorded hand or of a random evening."""
    while True:
        if rng.random() < 0.6:
            deal = deal_of(rng.choice(recorded_hands()), rng)
        else:
            deal = next(evening(rng, rng.randint(2, 10)))
        if kind is None and rng.random() < 0.1:
            return Told("lawful", lawful(deal, rng), dealing.Betting())
        happened = incident(*(kind or rng.choice(KINDS)), deal, rng)
        if happened is not None:
            name = f"{happened.irregularity} {happened.handling}"
            return Told(name, happened.events, happened.table.betting)


def some_hand(rng: random.Random, *, spoilt: float = 0.4) -> Told:
    """A hand as a table might see it: with faces or without, and now and then spoilt."""
    told = hand(rng)
    change = rng.choice(_CHANGES)
    events = list(change(told.events) if change is as_sensed else change(told.events, rng))
    if change is witnessed:
        events = sorted(events, key=lambda event: event.at_ms)
    if rng.random() < spoilt:
        events = spoil(events, rng, rng.randint(1, 4))
    betting = told.betting if rng.random() < 0.7 else rng.choice(ANY_BETTING)
    return Told(f"{told.name} {change.__name__}", events, betting)


def as_dealt(events, rng):
    return list(events)


def untold(events, rng):
    """Hands are tabled by their key alone, exposures keyed without the card."""
    for event in events:
        match event:
            case dealing.HandTabled():
                yield replace(event, cards=())
            case dealing.CardExposed():
                yield replace(event, card=None)
            case _:
                yield event


def board_unknown(events, rng):
    """The board as RFID reads it: which card lies there, and not which way up."""
    for event in events:
        match event:
            case dealing.CardTurned():
                continue
            case dealing.CardMoved(to=to) if plain(to) == "board":
                yield replace(event, face="unknown")
            case _:
                yield event


def witnessed(events, rng):
    """A camera over readers, and chip readers: faces are read late, acts put chips in."""
    for event in board_unknown(events, rng):
        yield event
        match event:
            case dealing.CardMoved(at_ms=at_ms, card=card, to=to) if plain(to) == "board":
                up = dealing.CardTurned(at_ms=at_ms + 800, card=card, face="up", place="board")
                yield from (up,) if rng.random() < 0.8 else ()
            case dealing.Acted(at_ms=at_ms, seat=seat, action="call" | "bet" | "raise"):
                yield dealing.ChipsMoved(at_ms=at_ms + rng.randrange(900), seat=seat, change="came")
            case _:
                pass


def some_down(events, rng):
    """Some board cards lie face down and are never turned."""
    down = {card for card in DECK if rng.random() < 0.4}
    for event in events:
        match event:
            case dealing.CardTurned(card=card) if card in down:
                continue
            case dealing.CardMoved(card=card, to=to) if plain(to) == "board" and card in down:
                yield replace(event, face="down")
            case _:
                yield event


def spoil(events, rng, count):
    """The stream with a few events lost, doubled, exchanged or put in; times never fall."""
    events = list(events)
    for _ in range(count):
        at = rng.randrange(1, len(events))
        match rng.randrange(5):
            case 0 if len(events) > 4:
                del events[at]
            case 1:
                events.insert(at, events[at - 1])
            case 2:
                events[at - 1], events[at] = events[at], events[at - 1]
            case _:
                events.insert(at, any_event(rng, events))
    return in_time(events)


def in_time(events):
    """The same events, each no earlier than the one before."""
    now_ms, kept = 0, []
    for event in events:
        now_ms = max(now_ms, event.at_ms)
        kept.append(event if event.at_ms == now_ms else replace(event, at_ms=now_ms))
    return kept


_CHANGES = (as_dealt, as_dealt, board_unknown, some_down, as_sensed, untold, witnessed)


@dataclass(frozen=True, slots=True)
class _Chance:
    """What a strange event is about."""

    rng: random.Random
    card: str
    seat: int
    place: str

    def one(self, *words):
        return self.rng.choice(words)


def any_event(rng, events):
    """An event that has no business there."""
    named = [card for e in events if (card := getattr(e, "card", None))]
    card = rng.choice(named) if named and rng.random() < 0.7 else rng.choice((*DECK, "?1", "?2"))
    made = rng.choice(_STRANGE)
    if isinstance(made, Struct):
        return made
    return made(_Chance(rng, card, rng.randint(1, 9), rng.choice(PLACES)))


_FACES = ("up", "down", "unknown")
_HANDS_BY = ("dealer", "player", "unknown")
_ACTS = ("fold", "check", "call", "raise", "all-in", "post")
_RULINGS = ("stands", "misdeal", "redeal", "dead", "plays", "other")
_KEYS = ("acted", "betting-closed", "hand-tabled", "floor-called")
_LOST = ("burn", "board", "cut", "shuffle", "place")
_STRANGE = (
    lambda c: dealing.CardMoved(
        at_ms=0, card=c.card, source=c.one(*PLACES), to=c.place, face=c.one(*_FACES),
        by=c.one(*_HANDS_BY),
    ),
    lambda c: dealing.CardMoved(
        at_ms=0, card=c.card, source="stub", to=c.place, face=c.one(*_FACES)
    ),
    lambda c: dealing.CardMoved(
        at_ms=0, card=c.card, source="board", to=c.one("off", "aside", "stub", "muck")
    ),
    lambda c: dealing.CardMoved(
        at_ms=0, card=c.card, source=f"seat:{c.seat}", to=c.one("board", "aside", "muck", "off")
    ),
    lambda c: dealing.CardTurned(at_ms=0, card=c.card, face=c.one("up", "down")),
    lambda c: dealing.CardExposed(
        at_ms=0, card=c.one(c.card, None), place=f"seat:{c.seat}", sure=c.one(True, True, False),
        by=c.one(*_HANDS_BY),
    ),
    lambda c: dealing.CardsScrambled(at_ms=0, place=c.place),
    lambda c: dealing.Acted(at_ms=0, seat=c.seat, action=c.one(*_ACTS)),
    lambda c: dealing.Retracted(at_ms=0, of=c.one(*_KEYS)),
    lambda c: dealing.HandTabled(at_ms=0, seat=c.seat),
    lambda c: dealing.BoardDeclared(at_ms=0, seat=c.seat),
    lambda c: dealing.PotPushed(at_ms=0, seats=(c.seat,)),
    lambda c: dealing.FloorRuled(at_ms=0, ruling=c.one(*_RULINGS)),
    lambda c: dealing.TableState(at_ms=0, state=c.one("open", "paused")),
    lambda c: dealing.SensorLost(at_ms=0, senses=(c.one(*_LOST),)),
    lambda c: dealing.SensorBack(at_ms=0, senses=(c.one(*_LOST),)),
    lambda c: dealing.ChipsMoved(at_ms=0, seat=c.seat, change=c.one("came", "left")),
    dealing.CardExposed(
        at_ms=0, place="board", sure=False, doubt=dealing.Rival("camera-other-card")
    ),
    dealing.CardIdentified(at_ms=0, card="?1", identity="Td"),
    dealing.CardsCollected(at_ms=0),
    dealing.DeckShuffled(at_ms=0),
    dealing.DeckCut(at_ms=0),
    dealing.DeckChanged(at_ms=0, deck="blue"),
    dealing.BettingClosed(at_ms=0),
    dealing.FloorCalled(at_ms=0),
    dealing.PrematureCalled(at_ms=0),
    dealing.MisdealDeclared(at_ms=0),
)  # fmt: skip


def hands(seed: object, count: int) -> Iterator[tuple[random.Random, Told]]:
    """So many hands of all kinds, each with the chance it was made by."""
    for n in range(count):
        rng = random.Random(f"{seed}/{n}")
        yield rng, some_hand(rng)
