"""The dealing events as everybody at the table may know them: a hidden card has a number, no name.

The law is that of design.md 7: what is told is the same for any exchange of the hidden cards. So
cards that came in one reading, which a reader sorts by their tags, share their numbers until the
table itself tells them apart.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypedDict

from msgspec.structs import replace

from daemon.payloads import V1, Ordinal
from daemon.table.events import (
    Acted,
    BetsReturned,
    BettingClosed,
    BoardDeclared,
    BoardsAgreed,
    ButtonMoved,
    CardBoxed,
    CardDrawn,
    CardExposed,
    CardIdentified,
    CardMoved,
    CardOdd,
    CardsCollected,
    CardsScrambled,
    CardTurned,
    ChipsMoved,
    Claimed,
    DealerChanged,
    DealingEvent,
    DeckChanged,
    DeckCounted,
    DeckCut,
    DeckShuffled,
    FloorCalled,
    FloorRuled,
    HandEnded,
    HandStarted,
    HandTabled,
    MisdealDeclared,
    PotPushed,
    PrematureCalled,
    Retracted,
    SensorBack,
    SensorLost,
    StubState,
    TableBegan,
    TableState,
    Tick,
)
from daemon.table.places import STUB, plain

OUT_MAX = 1000
NUMBER_MAX = 999_999
DRAWN = "drawn"  # the shoe has told of it, and no reader yet

# What is told: not what the sensors do, which `sensors/…` says so that no seat shows, nor time.
EventTold = (
    HandStarted | HandEnded | DeckShuffled | DeckCut | DeckCounted | DeckChanged | CardDrawn
    | CardMoved | CardTurned | CardExposed | CardBoxed | CardOdd | CardIdentified | CardsScrambled
    | CardsCollected | StubState | Acted | BettingClosed | Retracted | BoardDeclared | HandTabled
    | Claimed | PotPushed | BetsReturned | ChipsMoved | FloorCalled | MisdealDeclared
    | PrematureCalled | FloorRuled | ButtonMoved | BoardsAgreed | DealerChanged | TableState
)  # fmt: skip


class Told(TypedDict):
    """A dealing event (docs/events.md) without hidden cards, counted over this run."""

    v: V1
    seq: Ordinal
    what: EventTold


@dataclass(frozen=True, slots=True)
class Seen:
    """Which cards all have seen (`names`), and where the cards lie that are out of the stub."""

    names: Container[str] = frozenset()
    lies: Mapping[str, str] = field(default_factory=dict)

    def at(self, card: str, place: str) -> bool:
        """Whether the card of this name at this place is the one that all have seen."""
        return card in self.names and self.lies.get(card, STUB) == place


@dataclass(slots=True, eq=False)
class _Out:
    """A card out of the stub; `crowd` are the numbers of those that nobody tells apart from it."""

    card: str
    place: str
    crowd: list[int]
    named: bool = False
    old: bool = False  # not moved since the last hand ended


class Dealt:
    """Turns what happened into what is told of it. Numbers begin anew when no card is out."""

    def __init__(self) -> None:
        self._out: list[_Out] = []
        self._number = 0
        self._before = Seen()

    def take(
        self, happened: Iterable[tuple[DealingEvent, Seen]], seen: Seen, at_ms: int
    ) -> list[EventTold]:
        """What is told of one step: its events, each with what all had seen after it.

        `seen` is how it is at the step's end, `at_ms`.
        """
        told: list[EventTold] = []
        for events, after in _moments(happened):
            moves = [event for event in events if isinstance(event, CardMoved)]
            told += self._moved(moves, after) if moves else self._event(events[0], after)
            told += self._identified(after, events[0].at_ms)
            self._before = after
        told += self._identified(seen, at_ms)
        self._before = seen
        return told

    # --- cards that move ------------------------------------------------------------------------

    def _moved(self, moves: Sequence[CardMoved], after: Seen) -> Iterator[EventTold]:
        """Moves of one moment: in an order that hangs on nothing hidden."""
        rows = []
        for move in moves:
            out = self._found(move.card, plain(move.source))
            name = move.card if self._is_named(move, after) else ""
            first = out.crowd[0] if out and not name else NUMBER_MAX
            doubt = move.doubt.instead if move.doubt else ""
            how = (move.source, move.to, move.face, move.by, move.packet or 0)
            rows.append(((how, doubt, name, first), move, out))
        rows.sort(key=lambda row: row[0])
        for (*_, name, _), alike in groupby(rows, key=lambda row: row[0]):
            yield from self._moved_alike([(move, out) for _, move, out in alike], name)

    def _moved_alike(
        self, alike: Sequence[tuple[CardMoved, _Out | None]], name: str
    ) -> Iterator[EventTold]:
        """Cards that nobody tells apart, or one that all have seen, go the same way."""
        outs = [
            out or self._new(move.card, plain(move.source), named=bool(name)) for move, out in alike
        ]
        if name:
            for (move, _), out in zip(alike, outs, strict=True):
                if not out.named:
                    yield self._name(out, move.at_ms)
                yield move
        else:
            for (move, _), number in zip(alike, self._parted(outs), strict=True):
                yield replace(move, card=f"?{number}")
        for (move, _), out in zip(alike, outs, strict=True):
            out.place, out.old = plain(move.to), False
            if out.place == STUB and out in self._out:
                self._out.remove(out)

    def _is_named(self, move: CardMoved, after: Seen) -> bool:
        source, to = plain(move.source), plain(move.to)
        return self._before.at(move.card, source) or after.at(move.card, to)

    # --- all else -------------------------------------------------------------------------------

    def _event(self, event: DealingEvent, seen: Seen) -> Iterator[EventTold]:
        match event:
            case TableBegan() | SensorLost() | SensorBack() | Tick():
                return
            case CardExposed(sure=False):  # a camera's doubt hangs on what card lies there
                return
            case CardIdentified(card=card, identity=identity):
                for out in self._out:
                    out.card = identity if out.card == card else out.card
                return
            case CardDrawn(card=card):
                yield replace(event, card=self._reference(card, DRAWN, seen))
                return
            case CardTurned(card=card, place=place) | CardOdd(card=card, place=place):
                yield replace(event, card=self._reference(card, place and plain(place), seen))
                return
            case CardBoxed(card=card):
                yield replace(event, card=self._reference(card, STUB, seen))
                return
            case CardExposed(card=str(card), place=place):
                at = plain(place)
                known = seen.at(card, at) or self._found(card, at)
                yield replace(event, card=self._reference(card, at, seen) if known else None)
                return
            case HandTabled(cards=cards) | BoardDeclared(cards=cards):
                shown = tuple(c for c in cards if c in seen.names)
                yield replace(event, cards=shown)
                return
            case CardsCollected(left=left):
                yield replace(event, left=dict(self._left(left, seen)))
            case DeckChanged():
                self._out.clear()
                yield event
            case HandStarted():
                self._out = [out for out in self._out if not out.old]
                yield event
            case HandEnded():
                for out in self._out:
                    out.old = True
                yield event
            case CardMoved():
                raise AssertionError("moves are told together")
            case _:
                yield event
        if not self._out:
            self._number = 0

    def _left(self, left: Mapping[str, str], seen: Seen) -> Iterator[tuple[str, str]]:
        """The cards that were not collected, by place; the rest is in the stub again."""
        rows = []
        for card, place in left.items():
            at = plain(place)
            out = self._found(card, at) or self._new(card, at, named=False)
            name = card if self._before.at(card, at) or seen.at(card, at) else ""
            rows.append(((place, name, out.crowd[0] if out.crowd else NUMBER_MAX), out))
        rows.sort(key=lambda row: row[0])
        self._out = [out for _, out in rows]
        for (place, name, _), alike in groupby(rows, key=lambda row: row[0]):
            outs = [out for _, out in alike]
            if name:
                yield name, place
            else:
                yield from ((f"?{number}", place) for number in self._parted(outs))

    def _reference(self, card: str, place: str | None, seen: Seen) -> str:
        """What this card is called: its name where all have seen it, else its number."""
        out = self._found(card, place)
        at = place or (out.place if out else STUB)
        if self._before.at(card, at) or seen.at(card, at):
            return card
        out = out or self._new(card, at, named=False)
        return f"?{self._parted([out])[0]}"

    # --- numbers --------------------------------------------------------------------------------

    def _identified(self, seen: Seen, at_ms: int) -> Iterator[EventTold]:
        """Cards that all have seen by now; those that are out of sight again lose their names."""
        for out in sorted(self._out, key=lambda out: out.card):
            if seen.at(out.card, out.place):
                if not out.named:
                    yield self._name(out, at_ms)
            elif out.named:
                self._out.remove(out)

    def _name(self, out: _Out, at_ms: int) -> CardIdentified:
        (number,) = self._parted([out])
        out.named = True
        return CardIdentified(at_ms=at_ms, card=f"?{number}", identity=out.card)

    def _parted(self, outs: Sequence[_Out]) -> list[int]:
        """The numbers of these cards of one crowd: the lowest, now that they are told apart."""
        for out in outs:
            if not out.crowd:
                self._count(outs)
                break
        crowd = outs[0].crowd
        numbers = crowd[: len(outs)]
        if len(numbers) < len(crowd):
            del crowd[: len(outs)]
            for out in outs:
                out.crowd = numbers
        return list(numbers)

    def _count(self, outs: Sequence[_Out]) -> None:
        """Numbers for cards that are new."""
        fresh = []
        for out in outs:
            self._number = self._number % NUMBER_MAX + 1
            fresh.append(self._number)
            out.crowd = fresh

    def _new(self, card: str, place: str, *, named: bool) -> _Out:
        if len(self._out) >= OUT_MAX:
            del self._out[0]
        self._out.append(out := _Out(card, place, [], named))
        return out

    def _found(self, card: str, place: str | None) -> _Out | None:
        """The card of this name at this place, or anywhere; one from the stub the shoe may know."""
        at = DRAWN if place == STUB else place
        for out in reversed(self._out):
            if out.card == card and at in (None, out.place):
                return out
        return None


def _moments(
    happened: Iterable[tuple[DealingEvent, Seen]],
) -> Iterator[tuple[list[DealingEvent], Seen]]:
    """Cards that were read to move in one moment together, all else by itself, and what is then."""
    moment: list[DealingEvent] = []
    after = Seen()
    for event, now in happened:
        if moment and not _joins(event, moment):
            yield moment, after
            moment = []
        moment.append(event)
        after = now
    if moment:
        yield moment, after


def _joins(event: DealingEvent, moment: Sequence[DealingEvent]) -> bool:
    """Whether this is one more card that moved then; a card moves once in a moment."""
    return (
        isinstance(event, CardMoved)
        and isinstance(moment[0], CardMoved)
        and event.at_ms == moment[0].at_ms
        and all(event.card != each.card for each in moment if isinstance(each, CardMoved))
    )
