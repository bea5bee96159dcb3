"""Movements: tags at places and draws of the shoe become cards that go from place to place.

A reader tells neither faces nor who moved a card: both stay unknown here.
"""

from __future__ import annotations

from dataclasses import dataclass

from daemon.table.cards import is_known
from daemon.table.draws import Draws, Landing
from daemon.table.events import (
    CardDrawn,
    CardIdentified,
    CardMoved,
    CardOdd,
    DealingEvent,
    Rival,
)
from daemon.table.figures import Figures
from daemon.table.hearing import Hearing
from daemon.table.layout import Layout
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, OFF, SEATS_MAX, STUB, plain, seat_of
from daemon.table.presence import Tags
from daemon.table.senses import Senses
from daemon.table.whereabouts import Whereabouts

PASSAGE_MS = 1500  # a fold or a tabled hand has slid on by then; ours
NOT_DRAWN = Rival(instead="not-drawn-by-shoe")
READ_OTHER = Rival(instead="shoe-read-other")
NEIGHBOUR = Rival(instead="neighbour-antenna")

# Cards of one poll came together: they are told in the order in which a lawful deal would bring
# them, seats clockwise from the button's left.
_TURN = {MUCK: 0, BURN: 1 + SEATS_MAX, BOARD: 2 + SEATS_MAX, ASIDE: 3 + SEATS_MAX}
_LAST = 4 + SEATS_MAX


@dataclass(frozen=True, slots=True)
class _Passage:
    """A card from a seat, the muck or the burns, seen where it may be lying or on its way."""

    place: str
    due_ms: int


class Movements:
    """All cards of one table, by their tags."""

    def __init__(self, layout: Layout, senses: Senses, figures: Figures) -> None:
        self.button = SEATS_MAX
        self._card = layout.tags
        self._senses = senses
        self._tags = Tags(layout, figures)
        self._cards = Whereabouts()
        self._draws = Draws()
        self._hearing = Hearing(layout)
        self._passages: dict[str, _Passage] = {}

    @property
    def due_ms(self) -> int | None:
        """When something that has not come becomes an event."""
        draws_ms = self._given_up_ms
        if not self._passages:  # asked at every poll, and seldom is a card in passage
            return draws_ms
        passing_ms = min(passage.due_ms for passage in self._passages.values())
        return passing_ms if draws_ms is None else min(draws_ms, passing_ms)

    @property
    def _given_up_ms(self) -> int | None:
        """When the oldest card that should have landed is given up."""
        draws_ms = self._draws.due_ms
        return None if draws_ms is None else self._hearing.given_up_ms(draws_ms)

    def expire(self, due_ms: int) -> list[DealingEvent]:
        """The time `due_ms` has passed: the events it brings, stamped with it."""
        given_up_ms, events = self._given_up_ms, list[DealingEvent]()
        if given_up_ms is not None and given_up_ms <= due_ms:
            events += self._arrive(self._draws.expired(due_ms), due_ms)
        over = [uid for uid, passage in self._passages.items() if passage.due_ms <= due_ms]
        for uid in self._in_turn(over):
            doubt = NEIGHBOUR if self._tags.contested(uid) else None
            events.append(self._move(uid, self._passages.pop(uid).place, due_ms, doubt))
        return events

    # --- what readers see ---

    def poll(
        self, sensor: str, tags: tuple[tuple[int, str], ...], at_ms: int
    ) -> list[DealingEvent]:
        """One whole poll of a reader."""
        events: list[DealingEvent] = []
        self._hearing.polled(sensor, at_ms)
        changed = self._tags.poll(sensor, tags)
        self._come_up(changed, at_ms)
        for uid in self._in_turn(changed):
            events += self._follow(uid, at_ms)
        return events + self._arrive(self._draws.released(), at_ms)

    def _come_up(self, changed: list[str], at_ms: int) -> None:
        """Without a shoe the order in which cards come up is the order of the deal."""
        up = [] if self._senses.shoe else [*changed, *self._tags.undecided()]
        places = {uid: self._tags.nearest(uid) or STUB for uid in up}
        leaving = [uid for uid in up if places[uid] != STUB and self._cards.of(uid) == STUB]
        for uid in sorted(leaving, key=lambda uid: (self._turn(places[uid]), uid)):
            self._draws.come_up(uid, self._card[uid], at_ms)
        self._draws.fade(frozenset(leaving))

    def lost(self, sensor: str, at_ms: int) -> None:
        """A sensor is gone: what it had in passage is unseen, its silence proves nothing."""
        self._hearing.lost(sensor, at_ms)
        self._tags.lost(sensor)
        for uid in sorted(self._passages):
            if self._tags.sensor(uid) == sensor:
                del self._passages[uid]
                self._tags.forget(uid)
        self.doubt_draws(sensor)

    def doubt_draws(self, sensor: str) -> None:
        """If this sensor is the shoe, draws may have been missed."""
        if self._senses.is_shoe(sensor):
            self._draws.whole = False

    # --- what the shoe tells ---

    def draw(self, n: int, card: str | None, *, foreign: bool, at_ms: int) -> list[DealingEvent]:
        """The shoe's `n`th card, None where it could not be read or is none of this deck."""
        name = card if card is not None and not foreign else self._draws.nameless()
        events = self._came_back(name, at_ms)
        events.append(CardDrawn(at_ms=at_ms, card=name, n=n))
        if foreign:
            events.append(CardOdd(at_ms=at_ms, card=name, kind="other-deck"))
        self._cards.swept = False
        self._draws.draw(n, name, at_ms, foreign=foreign, awaited=self._senses.landings)
        return events + self._arrive(self._draws.released(), at_ms)

    def push_back(self, n: int, at_ms: int) -> list[DealingEvent]:
        """Card `n` went back into the shoe: it is in the stub, unless it was seen to land."""
        events: list[DealingEvent] = []
        name = self._draws.push_back(n)
        if name is not None:
            uid = self._tag_of(name, OFF)
            if uid is not None:
                events.append(self._move(uid, STUB, at_ms))
            elif not is_known(name):
                events.append(CardMoved(at_ms=at_ms, card=name, source=OFF, to=STUB))
        return events + self._arrive(self._draws.released(), at_ms)

    def restart_draws(self, at_ms: int) -> list[DealingEvent]:
        """The shoe was loaded, or what lies in it shuffled."""
        return self._arrive(self._draws.restart(), at_ms)

    # --- what the hand brings ---

    def begin_hand(self, button: int) -> None:
        """A new hand; ends one that is still open."""
        if self._cards.in_hand:
            self.end_hand()
        self.button = button
        self._passages.clear()
        self._cards.begin_hand()

    def end_hand(self) -> None:
        self._draws.end_hand()
        self._cards.end_hand()

    def collect(self) -> None:
        """Every card is back in the stub, by the dealer's word."""
        self._draws.end_hand()
        self._passages.clear()
        self._cards.collect()

    def undo_gathering(self) -> None:
        self._cards.undo_gathering()

    def act(self) -> None:
        """The deal is on: from now on an unseen card is not one brought in."""
        self._cards.swept = False

    def lying(self) -> dict[str, dict[str, bool]]:
        """Of every place but the stub its cards, each with whether a reader there has it now."""
        places: dict[str, dict[str, bool]] = {}
        for uid in self._cards.outside():
            place, card = plain(self._cards.of(uid)), self._card[uid]
            here = places.setdefault(place, {})
            here[card] = here.get(card, False) or plain(self._tags.place(uid) or OFF) == place
        return places

    @property
    def swept(self) -> bool:
        """Whether the last hand's cards are being brought in."""
        return self._cards.swept

    def shuffle(self, at_ms: int) -> list[DealingEvent]:
        """Before a deal all cards are shuffled: those that a wash left unseen are in the stub."""
        unseen = [uid for uid in self._cards.outside() if self._tags.place(uid) in {None, STUB}]
        washed = self._in_turn(unseen) if self._cards.swept else []
        events: list[DealingEvent] = [self._move(uid, STUB, at_ms) for uid in washed]
        self._cards.shuffle()
        return events

    # --- one card ---

    def _follow(self, uid: str, at_ms: int) -> list[DealingEvent]:
        """What it means that this tag lies where it lies now."""
        self._draws.drop_stray(uid)
        if self._draws.waits(uid):
            return []
        self._passages.pop(uid, None)
        last, place = self._cards.of(uid), self._tags.place(uid)
        if place is None:
            gone = STUB if self._cards.washed else OFF
            return [self._move(uid, gone, at_ms)] if plain(last) == BOARD else []
        if plain(place) == plain(last):
            return []
        if last == STUB:
            shoe = self._senses.shoe
            landing = self._draws.land(uid, self._card[uid], place, at_ms, shoe=shoe)
            return [] if landing is None else self._arrive([landing], at_ms)
        if self._draws.awaits(self._card[uid]):  # drawn anew: it had gone back into the stub unseen
            return [self._move(uid, STUB, at_ms), *self._follow(uid, at_ms)]
        if _may_be_passing(last, place):
            self._passages[uid] = _Passage(place, at_ms + PASSAGE_MS)
            return []
        return [self._move(uid, place, at_ms)]

    def _arrive(self, landings: list[Landing], at_ms: int) -> list[DealingEvent]:
        """Cards out of the stub have landed, or had their time to; some have moved on since."""
        events: list[DealingEvent] = []
        for landing in landings:
            uid = landing.uid or self._tag_of(landing.name, STUB)
            if uid is None:
                events.append(
                    CardMoved(
                        at_ms=at_ms, card=landing.name, source=landing.source, to=landing.place
                    )
                )
                continue
            if landing.name != self._card[uid]:
                identity = self._card[uid]
                events.append(CardIdentified(at_ms=at_ms, card=landing.name, identity=identity))
            doubt = READ_OTHER if landing.misread else NOT_DRAWN if landing.undrawn else None
            events.append(self._move(uid, landing.place, at_ms, doubt, source=landing.source))
            if landing.uid is not None:
                events += self._follow(uid, at_ms)
        return events

    def _move(
        self, uid: str, place: str, at_ms: int, doubt: Rival | None = None, source: str = ""
    ) -> CardMoved:
        source = source or self._cards.of(uid)
        self._cards.move(uid, place)
        return CardMoved(at_ms=at_ms, card=self._card[uid], source=source, to=place, doubt=doubt)

    def _came_back(self, name: str, at_ms: int) -> list[DealingEvent]:
        """A card drawn anew that was off or set aside has gone back to the stub unseen."""
        if self._draws.has_drawn(name) or self._tag_of(name, STUB) is not None:
            return []
        uid = self._tag_of(name, OFF) or self._tag_of(name, ASIDE)
        if uid is None or self._tags.place(uid) not in {None, STUB}:
            return []
        return [self._move(uid, STUB, at_ms)]

    def _tag_of(self, name: str, place: str) -> str | None:
        """A tag of that card that was last at that place and is not about to leave it.

        Of several decks' the first deck's: by UID it would hang on which card it is.
        """
        fits = (uid for uid, card in self._card.items() if card == name)
        here = (uid for uid in fits if self._cards.of(uid) == place and not self._draws.waits(uid))
        return next(here, None)

    def _in_turn(self, uids: list[str]) -> list[str]:
        """By where they lie, then by where they come from; only cards alike in both go by tag."""
        turn, lies, last = self._turn, self._tags.place, self._cards.of
        return sorted(uids, key=lambda uid: (turn(lies(uid)), turn(last(uid)), uid))

    def _turn(self, place: str | None) -> int:
        if place is None:
            return -1
        seat = seat_of(place)
        if seat is not None:
            return 1 + (seat - self.button - 1) % SEATS_MAX
        return _TURN.get(plain(place), _LAST)


def _may_be_passing(last: str, place: str) -> bool:
    """Folds slide over the board and other seats; hands are tabled beside the board.

    A burn is carried past the seats, and lies near the dealer's neighbours.
    """
    at_seat = seat_of(place) is not None
    from_player = seat_of(last) is not None or last == MUCK
    return (from_player and (at_seat or plain(place) == BOARD)) or (last == BURN and at_seat)
