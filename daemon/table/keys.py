"""Keys: what each key of the dealer's console says about the hand."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from daemon.table.events import (
    Acted,
    BetsReturned,
    BettingClosed,
    BoardDeclared,
    CardExposed,
    CardsCollected,
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
    Retracted,
    TableState,
    name_of,
)
from daemon.table.places import SEAT
from drivers.readings import KeyPressed

UNDONE_MAX = 64  # how many keys back undo reaches
HAND_NUMBER_MAX = 999_999_999
_HAND = re.compile(r"[A-Za-z0-9._-]{1,32}")

_Act = Literal["post", "fold", "check", "call", "bet", "raise", "all-in"]
_Maker = Callable[[int, int, KeyPressed], DealingEvent]


@dataclass(frozen=True, slots=True)
class _Row:
    """A key: its event out of (at_ms, seat, key), and which fields it makes no sense without."""

    event: _Maker
    seat: bool = False
    seats: bool = False
    text: bool = False


def _act(action: _Act) -> _Row:
    return _Row(
        lambda at, seat, key: Acted(
            at_ms=at,
            seat=seat,
            action=action,
            amount=key.amount,
            all_in=key.all_in or action == "all-in",
        ),
        seat=True,
    )


def _exposed(by: Literal["dealer", "player"]) -> _Row:
    return _Row(lambda at, seat, _: CardExposed(at_ms=at, place=SEAT[seat], by=by), seat=True)


def _state(state: Literal["open", "paused", "closed"]) -> _Row:
    return _Row(lambda at, _seat, _key: TableState(at_ms=at, state=state))


def _new_hand(at_ms: int, button: int, key: KeyPressed) -> HandStarted:
    small, big = key.blinds or (UNSET, UNSET)
    return HandStarted(
        at_ms=at_ms,
        hand=key.text or "",
        button=button,
        seats=key.seats,
        small_blind=_blind(small),
        big_blind=_blind(big),
    )


def _deck_changed(at_ms: int, _seat: int, key: KeyPressed) -> DeckChanged:
    return DeckChanged(at_ms=at_ms, deck=key.text or "")


def _blind(seat: int | UnsetType) -> int | UnsetType | None:
    """The console says 0 where nobody has that blind."""
    return seat or None if isinstance(seat, int) else UNSET


# fmt: off
_KEYS: dict[str, _Row] = {
    "post":              _act("post"),
    "fold":              _act("fold"),
    "check":             _act("check"),
    "call":              _act("call"),
    "bet":               _act("bet"),
    "raise":             _act("raise"),
    "all-in":            _act("all-in"),
    "betting-closed":    _Row(lambda at, _seat, _key: BettingClosed(at_ms=at)),
    "exposed":           _exposed("dealer"),
    "exposed-by-player": _exposed("player"),
    "board-declared":    _Row(lambda at, seat, _: BoardDeclared(at_ms=at, seat=seat), seat=True),
    "tabled":            _Row(lambda at, seat, _: HandTabled(at_ms=at, seat=seat), seat=True),
    "floor":             _Row(lambda at, seat, _: FloorCalled(at_ms=at, seat=seat or None)),
    "misdeal":           _Row(lambda at, seat, _: MisdealDeclared(at_ms=at, seat=seat or None)),
    "premature":         _Row(lambda at, seat, _: PrematureCalled(at_ms=at, seat=seat or None)),
    "shuffle":           _Row(lambda at, _seat, _key: DeckShuffled(at_ms=at)),
    "cut":               _Row(lambda at, _seat, _key: DeckCut(at_ms=at)),
    "new-hand":          _Row(_new_hand, seat=True, seats=True),
    "hand-over":         _Row(lambda at, _seat, _key: HandEnded(at_ms=at)),
    "pot":               _Row(lambda at, _, key: PotPushed(at_ms=at, seats=key.seats), seats=True),
    "bets-returned":     _Row(lambda at, _, key: BetsReturned(at_ms=at, seats=key.seats)),
    "collected":         _Row(lambda at, _seat, _key: CardsCollected(at_ms=at)),
    "deck-changed":      _Row(_deck_changed, text=True),
    "table-open":        _state("open"),
    "table-paused":      _state("paused"),
    "table-closed":      _state("closed"),
}
# fmt: on


class Keys:
    """The keys of one table, as they were pressed.

    A hand whose key names it keeps that name; others are numbered on from the last number.
    """

    def __init__(self, seat_count: int) -> None:
        self._seats = frozenset(range(1, seat_count + 1))
        self._number = 0
        self._undoable: deque[str] = deque(maxlen=UNDONE_MAX)

    @property
    def number(self) -> int:
        """The last hand's number."""
        return self._number

    def go_on(self, number: int) -> None:
        """Number hands on from this one."""
        self._number = number

    def press(self, key: KeyPressed, at_ms: int) -> DealingEvent | None:
        """The key's dealing event; None where it is unknown or its fields make no sense."""
        if key.key == "undo":
            return Retracted(at_ms=at_ms, of=self._undoable.pop()) if self._undoable else None
        row = _KEYS.get(key.key)
        if row is None or not self._makes_sense(key, row):
            return None
        event = row.event(at_ms, key.seat or 0, key)
        if isinstance(event, HandStarted):
            event = self._numbered(event)
            self._undoable.clear()
        self._undoable.append(name_of(event))
        return event

    def _makes_sense(self, key: KeyPressed, row: _Row) -> bool:
        named = frozenset(key.seats)
        return (
            self._seats.issuperset(named)
            and (key.seat is None or key.seat in self._seats)
            and len(named) == len(key.seats)
            and (key.seat is not None or not row.seat)
            and (bool(key.seats) or not row.seats)
            and (bool(key.text) or not row.text)
            and (key.amount is None or key.amount >= 0)
            and len(key.blinds) in {0, 2}
            and self._seats.issuperset(filter(None, key.blinds))
            and (not key.text or _HAND.fullmatch(key.text) is not None)
        )

    def _numbered(self, event: HandStarted) -> HandStarted:
        name = event.hand or str(self._number % HAND_NUMBER_MAX + 1)
        if name.isdecimal() and name.isascii():
            self._number = int(name) % HAND_NUMBER_MAX
        return replace(event, hand=name)
