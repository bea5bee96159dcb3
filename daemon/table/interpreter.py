"""Interpret: readings of a table's sensors become dealing events."""

from __future__ import annotations

from typing import Literal, assert_never

from daemon.table.cards import is_known
from daemon.table.events import (
    Acted,
    BettingClosed,
    CardsCollected,
    DealingEvent,
    DeckChanged,
    DeckCounted,
    DeckShuffled,
    HandEnded,
    HandStarted,
    Retracted,
    SensorBack,
    SensorLost,
    TableBegan,
)
from daemon.table.faces import Faces
from daemon.table.figures import Figures
from daemon.table.keys import Keys
from daemon.table.layout import Layout
from daemon.table.movements import Movements
from daemon.table.reports import Reports
from daemon.table.senses import Senses
from daemon.table.spots import Spots
from drivers.readings import (
    Acked,
    Answered,
    Beat,
    CardDrawn,
    CardPushedBack,
    CutCardCame,
    DeviceFault,
    EventsLost,
    FacesSeen,
    Garbled,
    Inventory,
    KeyPressed,
    LidMoved,
    Missing,
    Reading,
    ShoeEmpty,
    ShoeLoaded,
    Shuffled,
    Started,
    TagGone,
    TagSeen,
)

DRAWS_MAX = 1000
REPEAT_MS = 40  # ours: no reader is asked so soon again; the same poll by then was told twice
CARDS_MAX = 1000


class Interpreter:
    """One table's interpret step: deterministic, bounded, its time comes with each call.

    Times given must never fall. What time alone brings (a card that did not land, a card that has
    stayed) becomes an event at its own deadline, in whichever call first lies behind it. `figures`
    has the noise, and what the readers miss.
    """

    def __init__(self, layout: Layout) -> None:
        self.figures = Figures(layout)
        self._layout = layout
        self._senses = Senses(layout)
        self._movements = Movements(layout, self._senses, self.figures)
        self._reports = Reports(layout, self.figures)
        self._spots = Spots(layout, self.figures)
        self._faces = Faces(layout.seat_count, self.figures)
        self._keys = Keys(layout.seat_count)
        self._boots: dict[str, str] = {}
        self._polls: dict[str, tuple[int, tuple[tuple[int, str], ...]]] = {}

    def opening(self) -> TableBegan:
        """What the table is and what its sensors see."""
        layout = self._layout
        return TableBegan(
            table=layout.table,
            site=layout.site,
            seat_count=layout.seat_count,
            sees=self._senses.every,
            betting=layout.betting,
            decks=layout.decks,
            opened=layout.opened,
            rulebook=layout.rulebook,
        )

    @property
    def number(self) -> int:
        """The last hand's number."""
        return self._keys.number

    def go_on(self, number: int, started: HandStarted | None) -> None:
        """Go on after this hand, or in this one that has just begun."""
        self._keys.go_on(number)
        if started is not None:
            self._prepare(started)

    def deadline(self) -> int | None:
        """When the next event comes if nothing else does, or None."""
        cards_ms, reports_ms = self._movements.due_ms, self._reports.due_ms
        if cards_ms is None or reports_ms is None:
            return cards_ms if reports_ms is None else reports_ms
        return min(cards_ms, reports_ms)

    def advance(self, at_ms: int) -> list[DealingEvent]:
        """It is `at_ms`: the deadlines before it fire; one exactly then is still open."""
        events: list[DealingEvent] = []
        while (due_ms := self.deadline()) is not None and due_ms < at_ms:
            for name, tags in self._reports.expire(due_ms):
                events += self._laid(name, tags, due_ms)
            events += self._movements.expire(due_ms)
            events += self._faced(due_ms)
        return events

    def take(self, sensor: str, reading: Reading, at_ms: int) -> list[DealingEvent]:
        """A sensor of this name said something; the dealing events, oldest first."""
        events = self.advance(at_ms)
        if sensor in self._senses:
            events += self._read(sensor, reading, at_ms)
            return events + self._faced(at_ms)
        self.figures.note(sensor, "unknown-sensor")
        return events

    def lost(self, sensor: str, at_ms: int) -> list[DealingEvent]:
        """A sensor is gone or silent; the event names the senses that no other one lends."""
        events = self.advance(at_ms)
        senses = self._senses.turn(sensor, live=False)
        if senses is None:
            return events
        self.figures.lost(sensor)
        self._movements.lost(sensor, at_ms)
        self._reports.lost(sensor)
        self._spots.lost(sensor)
        self._faces.lost(sensor)
        return [*events, SensorLost(at_ms=at_ms, senses=senses, sensor=sensor)]

    def back(self, sensor: str, at_ms: int) -> list[DealingEvent]:
        """A sensor is back; the event names the senses that are there again because of it."""
        events = self.advance(at_ms)
        self.figures.back(sensor)
        senses = self._senses.turn(sensor, live=True)
        if senses is None:
            return events
        return [*events, SensorBack(at_ms=at_ms, senses=senses, sensor=sensor)]

    def _read(self, sensor: str, reading: Reading, at_ms: int) -> list[DealingEvent]:
        match reading:
            case Inventory(tags):
                return self._polled(sensor, tags, at_ms)
            case KeyPressed():
                return self._pressed(sensor, reading, at_ms)
            case TagSeen() | TagGone() if sensor in self._reports:
                return self._reported(sensor, reading, at_ms)
            case CardDrawn() | CardPushedBack() | ShoeLoaded():
                return self._drawing(sensor, reading, at_ms)
            case Shuffled():
                return self._shuffled(sensor, reading, at_ms)
            case FacesSeen(faces):
                self._faces.see(sensor, faces, at_ms)
            case Started(boot=boot):
                return self._started(sensor, boot, at_ms)
            case EventsLost():
                self.figures.note(sensor, "events-lost")
                return self._gap(sensor, at_ms)
            case Missing():
                self.figures.note(sensor, "missing")
                self._movements.doubt_draws(sensor)
            case Garbled():
                self.figures.note(sensor, "garbled")
            case DeviceFault():
                self.figures.note(sensor, "device-fault")
            case TagSeen() | TagGone():
                self.figures.note(sensor, "unexpected")
            case Acked() | Answered() | Beat() | LidMoved() | CutCardCame() | ShoeEmpty():
                pass
            case _:
                assert_never(reading)
        return []

    def _polled(
        self, sensor: str, tags: tuple[tuple[int, str], ...], at_ms: int
    ) -> list[DealingEvent]:
        """One poll; told twice it is still one, and no second witness of what it heard."""
        last_ms, last = self._polls.get(sensor, (-REPEAT_MS, ()))
        if at_ms - last_ms < REPEAT_MS and tags == last:
            self.figures.note(sensor, "repeated")
            return []
        self._polls[sensor] = (at_ms, tags)
        return self._laid(sensor, tags, at_ms)

    def _laid(
        self, sensor: str, tags: tuple[tuple[int, str], ...], at_ms: int
    ) -> list[DealingEvent]:
        """What lies where cards are read, and what where none are."""
        cards, others = self._spots.parted(sensor, tags)
        events = self._movements.poll(sensor, cards, at_ms)
        return events + self._spots.poll(sensor, others, at_ms)

    def _reported(self, sensor: str, said: TagSeen | TagGone, at_ms: int) -> list[DealingEvent]:
        events: list[DealingEvent] = []
        for name, tags in self._reports.take(sensor, said, at_ms):
            events += self._laid(name, tags, at_ms)
        return events

    def _faced(self, at_ms: int) -> list[DealingEvent]:
        """What steady faces say beside what the other sensors know by now."""
        if not self._faces.steady:
            return []
        return self._faces.tell(self._movements.lying(), at_ms)

    def _drawing(
        self, sensor: str, reading: CardDrawn | CardPushedBack | ShoeLoaded, at_ms: int
    ) -> list[DealingEvent]:
        match reading:
            case CardDrawn(n, card, foreign):
                if n not in range(1, DRAWS_MAX + 1) or not (card is None or is_known(card)):
                    self.figures.note(sensor, "senseless-draw")
                    return []
                return self._movements.draw(n, card, foreign=foreign, at_ms=at_ms)
            case CardPushedBack(n):
                return self._movements.push_back(n, at_ms)
            case ShoeLoaded():
                return self._movements.restart_draws(at_ms)

    def _started(self, sensor: str, boot: str, at_ms: int) -> list[DealingEvent]:
        """A restart has another boot id, or none yet; the same one is an answer to a greeting."""
        before = self._boots.get(sensor)
        self._boots[sensor] = boot
        restarted = not boot or (before and boot != before)
        return self._gap(sensor, at_ms) if restarted else []

    def _gap(self, sensor: str, at_ms: int) -> list[DealingEvent]:
        """What the sensor saw meanwhile is unknown: a loss and a return in one breath."""
        self._movements.doubt_draws(sensor)
        senses = self._senses.of(sensor)
        return [
            SensorLost(at_ms=at_ms, senses=senses, sensor=sensor),
            SensorBack(at_ms=at_ms, senses=senses, sensor=sensor),
        ]

    def _shuffled(self, sensor: str, reading: Shuffled, at_ms: int) -> list[DealingEvent]:
        events: list[DealingEvent] = []
        of: Literal["deck", "stub"] = "deck" if self._movements.swept else "stub"
        if reading.phase == "done":
            if self._senses.is_shoe(sensor):
                events += self._movements.restart_draws(at_ms)
            events += [*self._movements.shuffle(at_ms), DeckShuffled(at_ms=at_ms)]
        count = reading.count
        if reading.phase != "start" and count is not None and 0 <= count <= CARDS_MAX:
            events.append(DeckCounted(at_ms=at_ms, count=count, of=of))
        return events

    def _pressed(self, sensor: str, key: KeyPressed, at_ms: int) -> list[DealingEvent]:
        event = self._keys.press(key, at_ms)
        if event is None:
            self.figures.note(sensor, "senseless-key")
            return []
        return [*self._prepare(event), event]

    def _prepare(self, event: DealingEvent) -> list[DealingEvent]:
        """What a key means for the cards: movements that are due before its event."""
        movements = self._movements
        match event:
            case HandStarted(button=button):
                movements.begin_hand(button)
                self._spots.begin_hand()
            case HandEnded():
                movements.end_hand()
            case CardsCollected(at_ms=at_ms) | DeckChanged(at_ms=at_ms):
                landed = movements.restart_draws(at_ms)
                movements.collect()
                return landed
            case DeckShuffled(at_ms=at_ms):
                return movements.shuffle(at_ms)
            case Acted(action=action) if action != "post":
                movements.act()
            case BettingClosed():
                movements.act()
            case Retracted(of="hand-started" | "cards-collected" | "deck-changed"):
                movements.undo_gathering()
        return []
