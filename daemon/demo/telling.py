"""What a demo table's devices can tell of dealing events: which keys, and what is left of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from daemon.table import events as dealing
from daemon.table.keys import Keys
from daemon.table.places import SEATS_MAX, STUB, seat_of
from drivers.readings import KeyPressed


def keys(event: dealing.DealingEvent) -> tuple[KeyPressed, ...]:
    """The keys that the console's operator presses because of this event, often none.

    A shuffle is not among them: it may be the shoe's.
    """
    match event:
        case dealing.HandStarted():
            return _new_hand(event)
        case dealing.Acted(seat=seat, action=action):
            return (KeyPressed(action, seat, all_in=event.all_in, amount=event.amount),)
        case dealing.CardMoved(source=source, to=to, face="up") if source == STUB and seat_of(to):
            return (KeyPressed("exposed", seat_of(to)),)
        case dealing.CardExposed(place=place, by=by) if seat_of(place):
            key = "exposed-by-player" if by == "player" else "exposed"
            return (KeyPressed(key, seat_of(place)),)
        case dealing.BettingClosed():
            return (KeyPressed("betting-closed"),)
        case dealing.BoardDeclared(seat=seat):
            return (KeyPressed("board-declared", seat),)
        case dealing.HandTabled(seat=seat):
            return (KeyPressed("tabled", seat),)
        case dealing.PotPushed(seats=seats):
            return (KeyPressed("pot", seats=seats),)
        case dealing.BetsReturned(seats=seats):
            return (KeyPressed("bets-returned", seats=seats),)
        case dealing.FloorCalled(seat=seat):
            return (KeyPressed("floor", seat),)
        case dealing.MisdealDeclared(seat=seat):
            return (KeyPressed("misdeal", seat),)
        case dealing.PrematureCalled(seat=seat):
            return (KeyPressed("premature", seat),)
        case dealing.DeckChanged(deck=deck):
            return (KeyPressed("deck-changed", text=deck),)
        case _:
            bare = _BARE.get(type(event))
            return () if bare is None else (KeyPressed(bare),)


_BARE: dict[type[dealing.DealingEvent], str] = {
    dealing.DeckCut: "cut",
    dealing.CardsCollected: "collected",
    dealing.HandEnded: "hand-over",
}


def _new_hand(event: dealing.HandStarted) -> tuple[KeyPressed, ...]:
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


def as_sensed(events: Iterable[dealing.DealingEvent]) -> Iterator[dealing.DealingEvent]:
    """The same events, with nothing in them that the demo table's devices cannot tell."""
    console = Keys(SEATS_MAX)
    for event in events:
        match event:
            case dealing.CardTurned():
                continue
            case dealing.DeckShuffled():
                yield event
            case dealing.CardMoved():
                yield replace(event, face="unknown", by="unknown", packet=None)
            case _:
                pass
        for key in keys(event):
            said = console.press(key, event.at_ms)
            if said is not None:
                yield said
