"""What happened at the table, in dealer terms: the dealing events, read and written.

The names and fields are the public format of dealing events (docs/events.md).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

Ms = Annotated[int, Meta(ge=0, le=10**13)]  # some three hundred years
Chips = Annotated[int, Meta(ge=0, le=10**15)]
SeatNumber = Annotated[int, Meta(ge=1, le=10)]
SeatKey = Annotated[str, Meta(pattern=r"^([1-9]|10)\Z")]
CardName = Annotated[str, Meta(pattern=r"^([2-9TJQKA][cdhs]|\?[0-9]{1,6})\Z")]
PlaceName = Annotated[
    str, Meta(pattern=r"^(stub|seat:([1-9]|10)|board(:[1-5](/[1-5])?)?|burn|aside|muck|off)\Z")
]
HandName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,32}\Z")]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Face = Literal["up", "down", "unknown"]
By = Literal["player", "dealer", "floor", "unknown"]
Sense = Literal[
    "order", "identity", "place", "face", "board", "burn", "muck", "aside", "stub", "count",
    "shuffle", "cut", "floor", "declare", "tabled", "pot", "chips",
]  # fmt: skip


class Rival(Struct, frozen=True):
    """The rival explanation of what the sensors saw."""

    instead: Name


class Betting(Struct, frozen=True):
    """How much of the betting is known, and from whom."""

    level: Literal["acts", "closes", "none"] = "acts"
    source: Literal["independent", "dealer"] = "independent"


class _Event(Struct, frozen=True, kw_only=True, tag_field="event", omit_defaults=True):
    at_ms: Ms
    doubt: Rival | None = None


class TableBegan(_Event, tag="table", frozen=True, kw_only=True):
    """Begins a table anew; nothing before it counts."""

    at_ms: Ms = 0
    table: Name
    site: Name = "site"
    seat_count: SeatNumber = 10
    sees: tuple[Sense, ...] | None = None
    betting: Betting = Betting()
    decks: tuple[Name, ...] = ()
    opened: str | None = None
    rulebook: Name | None = None


class HandStarted(_Event, tag="hand-started", frozen=True, kw_only=True):
    """A new hand; ends one that is still open."""

    hand: HandName
    button: SeatNumber
    seats: Annotated[tuple[SeatNumber, ...], Meta(min_length=1, max_length=10)]
    deal_order: tuple[SeatNumber, ...] = ()
    small_blind: SeatNumber | msgspec.UnsetType | None = msgspec.UNSET
    big_blind: SeatNumber | msgspec.UnsetType | None = msgspec.UNSET
    blinds: dict[SeatKey, Chips] = {}
    antes: dict[SeatKey, Chips] = {}
    straddles: dict[SeatKey, Chips] = {}
    all_in: tuple[SeatNumber, ...] = ()
    dead_seats: tuple[SeatNumber, ...] = ()
    game: Literal["cash", "tournament"] = "cash"
    hand_for_hand: bool = False
    in_break: bool = field(default=False, name="break")
    deck: Name | None = None
    level: int | str | None = None
    clock_level: int | str | None = None


class HandEnded(_Event, tag="hand-ended", frozen=True, kw_only=True):
    """What stands becomes final."""


class DeckShuffled(_Event, tag="deck-shuffled", frozen=True, kw_only=True):
    """Whatever lies in the stub was shuffled."""

    deck: Name | None = None
    complete: bool = True


class DeckCut(_Event, tag="deck-cut", frozen=True, kw_only=True):
    """Whatever lies in the stub was cut."""

    deck: Name | None = None
    complete: bool = True
    cut_cards: int | None = None
    cut_card: bool | None = None


class DeckCounted(_Event, tag="deck-counted", frozen=True, kw_only=True):
    """Somebody or something counted cards."""

    count: Annotated[int, Meta(ge=0, le=1000)]
    of: Literal["deck", "stub"] = "deck"
    by: Literal["shuffler", "dealer"] = "shuffler"
    deck: Name | None = None


class DeckChanged(_Event, tag="deck-changed", frozen=True, kw_only=True):
    """Another deck is in play, whole in the stub."""

    deck: Name
    reason: Literal["push", "level", "house", "fault", "request", "unknown"] = "unknown"


class CardDrawn(_Event, tag="card-drawn", frozen=True, kw_only=True):
    """The shoe's word that a card has left it."""

    card: CardName
    n: Annotated[int, Meta(ge=1, le=1000)]


class CardMoved(_Event, tag="card-moved", frozen=True, kw_only=True):
    """The one physical fact: a card went from one place to another."""

    card: CardName
    source: PlaceName = field(name="from")
    to: PlaceName
    face: Face = "unknown"
    by: By = "unknown"
    packet: int | None = None


class CardTurned(_Event, tag="card-turned", frozen=True, kw_only=True):
    """A card was turned over where it lies."""

    card: CardName
    face: Face
    place: PlaceName | None = None


class CardExposed(_Event, tag="card-exposed", frozen=True, kw_only=True):
    """A face was seen; without `card` it is the last card drawn to that seat, never named."""

    place: PlaceName
    card: CardName | None = None
    by: Literal["dealer", "player", "unknown"] = "unknown"
    sure: bool = True
    spot: Literal["top", "bottom"] | None = None


class CardBoxed(_Event, tag="card-boxed", frozen=True, kw_only=True):
    """A card was found face up in the stub."""

    card: CardName


class CardOdd(_Event, tag="card-odd", frozen=True, kw_only=True):
    """A card that is not one of this deck."""

    card: CardName
    kind: Literal["joker", "back", "marked", "other-deck"]
    place: PlaceName | None = None


class CardIdentified(_Event, tag="card-identified", frozen=True, kw_only=True):
    """A nameless card gets its name."""

    card: CardName
    identity: CardName = field(name="is")


class CardsScrambled(_Event, tag="cards-scrambled", frozen=True, kw_only=True):
    """Cards were turned down and mixed where they lie."""

    place: PlaceName | None = None


class CardsCollected(_Event, tag="cards-collected", frozen=True, kw_only=True):
    """Every card is back in the stub, but those left."""

    left: dict[CardName, PlaceName] = {}


class StubState(_Event, tag="stub-state", frozen=True, kw_only=True):
    """What became of the stub."""

    state: Literal["held", "down", "dropped", "disordered", "rebuilt"]


class Acted(_Event, tag="acted", frozen=True, kw_only=True):
    """A seat acted; `amount` is its total on this street."""

    seat: SeatNumber
    action: Literal["post", "fold", "check", "call", "bet", "raise", "all-in"]
    amount: Chips | None = None
    all_in: bool = False
    in_turn: bool | None = None


class BettingClosed(_Event, tag="betting-closed", frozen=True, kw_only=True):
    """Somebody's word that the round is over."""


class Retracted(_Event, tag="retracted", frozen=True, kw_only=True):
    """The last event of that kind in this hand was a mistake at the keys."""

    of: Name


class BoardDeclared(_Event, tag="board-declared", frozen=True, kw_only=True):
    """A seat said that it plays the board."""

    seat: SeatNumber
    cards: tuple[CardName, ...] = ()


class HandTabled(_Event, tag="hand-tabled", frozen=True, kw_only=True):
    """A seat laid its cards face up."""

    seat: SeatNumber
    cards: tuple[CardName, ...] = ()


class Claimed(_Event, tag="claimed", frozen=True, kw_only=True):
    """A player's claim, keyed."""

    seat: SeatNumber
    what: Literal["short", "extra", "exposed", "undealt", "fouled", "other"]


class PotPushed(_Event, tag="pot-pushed", frozen=True, kw_only=True):
    """A pot went to these seats."""

    seats: tuple[SeatNumber, ...]
    chop: bool = False


class BetsReturned(_Event, tag="bets-returned", frozen=True, kw_only=True):
    """Chips of this hand were given back."""

    seats: tuple[SeatNumber, ...] = ()


class ChipsMoved(_Event, tag="chips-moved", frozen=True, kw_only=True):
    """Chips came to a seat's bet spot, or none are left there: no act, and no amount."""

    seat: SeatNumber
    change: Literal["came", "left"]


class FloorCalled(_Event, tag="floor-called", frozen=True, kw_only=True):
    """The floor key."""

    seat: SeatNumber | None = None


class MisdealDeclared(_Event, tag="misdeal-declared", frozen=True, kw_only=True):
    """The misdeal key."""

    seat: SeatNumber | None = None


class PrematureCalled(_Event, tag="premature-called", frozen=True, kw_only=True):
    """The premature key."""

    seat: SeatNumber | None = None


class FloorRuled(_Event, tag="floor-ruled", frozen=True, kw_only=True):
    """The floor's key; with `alert`, its word on that alert alone, whose remedy is off."""

    ruling: Literal["stands", "misdeal", "redeal", "dead", "plays", "other"]
    irregularity: Name | None = None
    seat: SeatNumber | None = None
    alert: Annotated[str, Meta(min_length=1, max_length=256)] | None = None


class ButtonMoved(_Event, tag="button-moved", frozen=True, kw_only=True):
    """The dealer button went to a seat."""

    to: SeatNumber


class BoardsAgreed(_Event, tag="boards-agreed", frozen=True, kw_only=True):
    """The players agreed to run the rest several times."""

    boards: Annotated[int, Meta(ge=1, le=5)]


class DealerChanged(_Event, tag="dealer-changed", frozen=True, kw_only=True):
    """Another dealer sat down: a key, not a name."""

    dealer: Name


class TableState(_Event, tag="table-state", frozen=True, kw_only=True):
    """Nothing is judged unless the table is open."""

    state: Literal["open", "paused", "closed", "maintenance"]


class SensorLost(_Event, tag="sensor-lost", frozen=True, kw_only=True):
    """These senses are gone."""

    senses: tuple[Sense, ...]
    sensor: Name | None = None


class SensorBack(_Event, tag="sensor-back", frozen=True, kw_only=True):
    """These senses are back."""

    senses: tuple[Sense, ...]
    sensor: Name | None = None


class Tick(_Event, tag="tick", frozen=True, kw_only=True):
    """Time passes."""


DealingEvent = (
    TableBegan | HandStarted | HandEnded | DeckShuffled | DeckCut | DeckCounted | DeckChanged
    | CardDrawn | CardMoved | CardTurned | CardExposed | CardBoxed | CardOdd | CardIdentified
    | CardsScrambled | CardsCollected | StubState | Acted | BettingClosed | Retracted
    | BoardDeclared | HandTabled | Claimed | PotPushed | BetsReturned | ChipsMoved | FloorCalled
    | MisdealDeclared | PrematureCalled | FloorRuled | ButtonMoved | BoardsAgreed | DealerChanged
    | TableState | SensorLost | SensorBack | Tick
)  # fmt: skip

ALL_SENSES: frozenset[str] = frozenset(Sense.__args__)  # type: ignore[attr-defined]
UNSENSED_BY_DEFAULT = frozenset({"order", "count", "stub", "chips"})
DEFAULT_SENSES = ALL_SENSES - UNSENSED_BY_DEFAULT

_decoder: msgspec.json.Decoder[DealingEvent] = msgspec.json.Decoder(DealingEvent)
_encoder = msgspec.json.Encoder()


def name_of(event: DealingEvent) -> str:
    """The event's name in the public format, such as `card-moved`."""
    return str(type(event).__struct_config__.tag)


def read(line: bytes | str) -> DealingEvent:
    """One dealing event from its line of JSON; raises msgspec.ValidationError or DecodeError."""
    return _decoder.decode(line)


def write(event: DealingEvent) -> bytes:
    """The event as one line of JSON, without the line's end."""
    return _encoder.encode(event)
