"""What a demo table's devices can tell of dealing events: which keys, and what is left of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from daemon.table.events import (
    Acted,
    BetsReturned,
    BettingClosed,
    BoardDeclared,
    CardExposed,
    CardMoved,
    CardsCollected,
    CardTurned,
    DealingEvent,
    DeckChanged,
    DeckCut,
    DeckShuffled,
    FloorCalled,
    HandEnded,
    HandStarted,
    HandTabled,
    MisdealDeclared,
    PotPushed,
    PrematureCalled,
)
from daemon.table.keys import Keys
from daemon.table.places import SEATS_MAX, STUB, seat_of
from drivers.readings import KeyPressed


def keys(event: DealingEvent) -> tuple[KeyPressed, ...]:
    """The keys that the console's operator presses because of this event, often none.

    A shuffle is not among them: it may be the shoe's.
    """
    match event:
        case HandStarted():
            return _new_hand(event)
        case Acted(seat=seat, action=action):
            return (KeyPressed(action, seat, all_in=event.all_in, amount=event.amount),)
        case CardMoved(source=source, to=to, face="up") if source == STUB and seat_of(to):
            return (KeyPressed("exposed", seat_of(to)),)
        case CardExposed(place=place, by=by) if seat_of(place):
            key = "exposed-by-player" if by == "player" else "exposed"
            return (KeyPressed(key, seat_of(place)),)
        case BettingClosed():
            return (KeyPressed("betting-closed"),)
        case BoardDeclared(seat=seat):
            return (KeyPressed("board-declared", seat),)
        case HandTabled(seat=seat):
            return (KeyPressed("tabled", seat),)
        case PotPushed(seats=seats):
            return (KeyPressed("pot", seats=seats),)
        case BetsReturned(seats=seats):
            return (KeyPressed("bets-returned", seats=seats),)
        case FloorCalled(seat=seat):
            return (KeyPressed("floor", seat),)
        case MisdealDeclared(seat=seat):
            return (KeyPressed("misdeal", seat),)
        case PrematureCalled(seat=seat):
            return (KeyPressed("premature", seat),)
        case DeckChanged(deck=deck):
            return (KeyPressed("deck-changed", text=deck),)
        case _:
            bare = _BARE.get(type(event))
            return () if bare is None else (KeyPressed(bare),)


_BARE: dict[type[DealingEvent], str] = {
    DeckCut: "cut",
    CardsCollected: "collected",
    HandEnded: "hand-over",
}


def _new_hand(event: HandStarted) -> tuple[KeyPressed, ...]:
    small, big = _seat(event.small_blind), _seat(event.big_blind)
    told = event.small_blind is not UNSET and event.big_blind is not UNSET
    started = KeyPressed(
        "new-hand",
        event.button,
        seats=event.seats,
        blinds=(small, big) if told else (),
        text=event.hand,
    )
    put = {int(seat): chips for seat, chips in (event.blinds | event.straddles).items()}
    posting = {seat: put.get(seat) for seat in (*put, *event.all_in)}
    posts = (
        KeyPressed("post", seat, all_in=seat in event.all_in, amount=chips)
        for seat, chips in posting.items()
    )
    return (started, *posts)


def _seat(blind: int | UnsetType | None) -> int:
    return blind if isinstance(blind, int) else 0


def as_sensed(events: Iterable[DealingEvent]) -> Iterator[DealingEvent]:
    """The same events, with nothing in them that the demo table's devices cannot tell."""
    console = Keys(SEATS_MAX)
    for event in events:
        match event:
            case CardTurned():
                continue
            case DeckShuffled():
                yield event
            case CardMoved():
                yield replace(event, face="unknown", by="unknown", packet=None)
            case _:
                pass
        for key in keys(event):
            said = console.press(key, event.at_ms)
            if said is not None:
                yield said
