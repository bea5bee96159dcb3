"""A stage: dealing events performed on simulated devices, as a dealer's hands and a console would.

What the devices cannot tell is not performed, or is told by a key:

| of a dealing event                       | on the stage                                          |
|------------------------------------------|-------------------------------------------------------|
| the face of a card                       | nothing: a reader sees no faces                       |
| a card pitched face up, a face seen      | `exposed` or `exposed-by-player`: the seat, no card   |
| a face seen in the stub                  | nothing: no key names the stub                        |
| a card turned over                       | nothing                                               |
| blinds, straddles, who is all-in by them | `post` keys behind `new-hand`                         |
| antes, the kind of game, a deal order    | nothing: no key has them                              |
| the cards of a hand laid up              | nothing: `tabled` has the seat only                   |

`telling.as_sensed` says the same of dealing events. A PN532 tells two cards apart at most: before
a third one comes, the player takes the first two up to look at them, as players do.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from daemon.demo.table_fit import BLUE, RED, Devices, Reader
from daemon.demo.telling import keys
from daemon.table.events import (
    Acted,
    CardMoved,
    CardsCollected,
    DealingEvent,
    DeckChanged,
    DeckShuffled,
    HandEnded,
    PotPushed,
)
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, STUB, plain, seat_of
from drivers.pn532 import TARGETS_MAX
from drivers.readings import KeyPressed

BETWEEN_MS = 40  # the least between two things done: two lines bring them in this order
LANDING_MS = (140, 240)  # from the shoe's window to rest
PITCH_MS = 300  # the least between two cards that land
REACH_MS = 60  # a card carried over the felt; less than a poll, so that it is never seen nowhere
RESTS_MS = 1200  # what was laid down lies for so long before it is taken up again
LOOKS_MS = 700  # nobody acts upon a card before he has looked at it
LATE_MS = 5500  # too late for a fault to count as put right at once (self_correction_s: 5)
BOARD_SEEN_MS = 2200  # whoever pushes the pot has seen the board (board_public_s: 2)
SLIDE_MS = 70  # a fold over the board's antenna
SLIDES = 0.25  # how many folds take that way
PASSAGE_MS = 1700  # a card from hand to hand lies still for so long before it is believed
FLICKER_MS, REREAD_MS = 90, 150  # unread for at most one poll, and read again in the next
FLICKERS = 0.2  # in how many pauses
HAND_SHUFFLED = 0.5  # how many shuffles are done by hand and keyed, the others by the shoe
# Polls begun behind a move until the answers that prove it have been read: two hits for a card that
# came, three misses for one that went, and the beginning of the next.
POLLS_SEEN, POLLS_GONE = 3, 4


@dataclass(frozen=True, slots=True)
class Pause:
    """Let this time pass."""

    ms: int


@dataclass(frozen=True, slots=True)
class Polled:
    """Wait until the reader has begun this many polls."""

    reader: Reader
    polls: int


Wait = Pause | Polled


class Stage:
    """One table's devices in the hands of a dealer, a console's operator and the players.

    `play` performs events and yields what is to be waited for. `speed` compresses the time for
    thinking, and never what hands, cards and sensors need; what is put right late is late with any.
    """

    def __init__(
        self,
        devices: Devices,
        decks: Mapping[str, Mapping[str, str]],
        rng: random.Random,
        speed: float = 1,
    ) -> None:
        self._devices = devices
        self._antennas = devices.antennas()
        self._decks = {
            name: {card: uid for uid, card in tags.items()} for name, tags in decks.items()
        }
        self._rng = rng
        self._speed = speed
        self._deck = RED
        self._lies: dict[str, str] = {}  # UID: its place, for the cards that are out of the shoe
        self._held: dict[str, None] = {}  # of those, the ones a player holds up
        self._unseen: dict[int, Polled] = {}
        self._unseen_kind = ""
        self._passing = False
        self._reload = True
        self._last: DealingEvent | None = None
        self._over = False  # between two hands: all cards are gathered, though nobody may say so

    def play(self, events: Iterable[DealingEvent]) -> Iterator[Wait]:
        """Perform these events, one after the other; what they leave unseen is waited for last."""
        last_ms: int | None = None
        for event in events:
            gap_ms = 0 if last_ms is None else event.at_ms - last_ms
            last_ms = event.at_ms
            yield from self._rest(max(round(gap_ms / self._speed), self._least_ms(event, gap_ms)))
            yield from self._perform(event)
            self._last = event
        yield from self._settle()

    def _rest(self, for_ms: int) -> Iterator[Wait]:
        """Time passes; a resting card may go unread for a poll, as happens on real antennas."""
        resting = [
            (uid, place)
            for uid, place in self._lies.items()
            if uid not in self._held and place in self._antennas
        ]
        may = resting and not self._unseen and for_ms > FLICKER_MS + REREAD_MS
        if may and self._rng.random() < FLICKERS:
            uid, place = self._rng.choice(resting)
            reader, antenna = self._antennas[place]
            reader.lift(uid, antenna)
            yield Pause(FLICKER_MS)
            reader.lay(uid, antenna)
            for_ms -= FLICKER_MS
        yield Pause(for_ms)

    def _least_ms(self, event: DealingEvent, gap_ms: int) -> int:
        """What no haste takes off the time (gap) before this event."""
        if isinstance(self._last, CardMoved):
            last, card = self._last, getattr(event, "card", None)
            if card == last.card:
                return max(min(gap_ms, RESTS_MS), self._put_right_ms(event, gap_ms))
            if isinstance(event, Acted) and plain(last.to) == BOARD:
                return min(gap_ms, LOOKS_MS)
        return self._put_right_ms(event, gap_ms)

    def _put_right_ms(self, event: DealingEvent, gap_ms: int) -> int:
        if isinstance(event, PotPushed) and BOARD in self._lies.values():
            return BOARD_SEEN_MS
        if not isinstance(event, CardMoved) or event.source == STUB:
            return BETWEEN_MS
        put_right = plain(event.to) in (STUB, BURN, ASIDE) or seat_of(event.to) is not None
        return LATE_MS if put_right and gap_ms > LATE_MS else BETWEEN_MS

    def _perform(self, event: DealingEvent) -> Iterator[Wait]:
        kind = _kind(event)
        if kind != self._unseen_kind or kind == "move":
            yield from self._settle()
        self._unseen_kind = kind
        match event:
            case CardMoved(source=source) if source == STUB:
                yield from self._draw(event)
            case CardMoved():
                yield from self._move(event)
            case CardsCollected():
                yield from self._collect()
            case HandEnded():
                self._over = True
            case DeckShuffled():
                if self._over:
                    yield from self._collect()
                self._shuffle()
                yield from self._settle()
            case DeckChanged():
                self._deck = BLUE if self._deck == RED else RED
                yield from self._collect()
            case _:
                pass
        for number, key in enumerate(keys(event)):
            if number or kind == "draw":
                yield from self._settle()
                yield Pause(BETWEEN_MS)
            self._press(key)

    # --- keys ---

    def _press(self, key: KeyPressed) -> None:
        self._devices.console.press(
            key.key,
            key.seat,
            seats=key.seats,
            all_in=key.all_in,
            amount=key.amount,
            blinds=key.blinds,
            text=key.text,
        )

    # --- cards ---

    def _draw(self, event: CardMoved) -> Iterator[Wait]:
        uid = self._uid(event.card, STUB)
        self._lift(uid)
        if self._reload:
            self._devices.shoe.load(self._in_stub())
            self._reload = False
        yield from self._look(event.to)
        self._devices.shoe.draw(event.card)
        landing_ms = self._rng.randint(*LANDING_MS)
        yield Pause(landing_ms)
        self._lay(uid, plain(event.to))
        yield Pause(PITCH_MS - landing_ms)

    def _move(self, event: CardMoved) -> Iterator[Wait]:
        source, to = plain(event.source), plain(event.to)
        uid = self._uid(event.card, source)
        self._lift(uid)
        if to == MUCK and self._rng.random() < SLIDES:
            self._antenna_lays(uid, BOARD)
            yield Pause(SLIDE_MS)
            self._antenna_lifts(uid, BOARD)
        yield Pause(REACH_MS)
        yield from self._look(to)
        self._lay(uid, to)
        from_player = seat_of(source) is not None or source == MUCK
        self._passing = from_player and (seat_of(to) is not None or to == BOARD)

    def _look(self, place: str) -> Iterator[Wait]:
        """Players look at the cards they have before a third one comes."""
        here = [uid for uid, at in self._lies.items() if at == place and uid not in self._held]
        if seat_of(place) is None or len(here) < TARGETS_MAX:
            return
        yield from self._settle()
        for uid in here:
            self._antenna_lifts(uid, place)
            self._held[uid] = None

    def _collect(self) -> Iterator[Wait]:
        """The cards are gathered with both hands, and go into the shoe."""
        yield Pause(BETWEEN_MS)
        for uid in list(self._lies):
            self._lift(uid)
        self._reload = True

    def _shuffle(self) -> None:
        """What lies on the stub goes into the shuffle; by the shoe, or by hand with a key."""
        for uid in [uid for uid, place in self._lies.items() if place == STUB]:
            self._lift(uid)
        if self._rng.random() < HAND_SHUFFLED:
            self._press(KeyPressed("shuffle"))
            self._reload = True
        else:
            self._devices.shoe.shuffle(self._in_stub())
            self._reload = False
        self._over = False

    def _in_stub(self) -> int:
        return 52 - sum(place != STUB for place in self._lies.values())

    def _uid(self, card: str, place: str) -> str:
        """The tag of that card that lies there; out of the stub the twin where the first is out."""
        own, other = (deck[card] for deck in self._by_turn())
        if place == STUB:
            return other if self._lies.get(own, STUB) != STUB else own
        return other if self._lies.get(other) == place else own

    def _by_turn(self) -> list[dict[str, str]]:
        return sorted(self._decks.values(), key=lambda deck: deck is not self._decks[self._deck])

    # --- tags on antennas ---

    def _lay(self, uid: str, place: str) -> None:
        self._lies[uid] = place
        self._antenna_lays(uid, place)

    def _lift(self, uid: str) -> None:
        place = self._lies.pop(uid, None)
        if uid in self._held:
            del self._held[uid]
        elif place is not None:
            self._antenna_lifts(uid, place)

    def _antenna_lays(self, uid: str, place: str) -> None:
        if place in self._antennas:
            reader, antenna = self._antennas[place]
            reader.lay(uid, antenna)
            self._await(reader, POLLS_SEEN)

    def _antenna_lifts(self, uid: str, place: str) -> None:
        if place in self._antennas:
            reader, antenna = self._antennas[place]
            reader.lift(uid, antenna)
            self._await(reader, POLLS_GONE)

    def _await(self, reader: Reader, polls: int) -> None:
        until = reader.polls + polls
        before = self._unseen.get(id(reader))
        if before is None or before.polls < until:
            self._unseen[id(reader)] = Polled(reader, until)

    def _settle(self) -> Iterator[Wait]:
        """Until all that was done has been seen."""
        unseen, self._unseen = list(self._unseen.values()), {}
        yield from unseen
        if self._passing:
            self._passing = False
            yield Pause(PASSAGE_MS)


def _kind(event: DealingEvent) -> str:
    """Things of one kind need not be seen before the next of them: their order is told anyway.

    The shoe tells the order of draws, the console that of keys, and a fold's two cards are equal.
    """
    if not isinstance(event, CardMoved):
        return "key"
    if event.source == STUB:
        return "draw"
    return "fold" if plain(event.to) == MUCK and seat_of(event.source) else "move"
