"""The whole line in one function: signals in, alerts out."""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from daemon.alarms.alert import Alert
from daemon.alarms.carried import Carried
from daemon.alarms.dealt import Dealt, EventTold, Seen
from daemon.alarms.judgement import Judgement
from daemon.alarms.register import Register
from daemon.alarms.trouble import Trouble
from daemon.orders import Answer
from daemon.payloads import AlarmFigures, Coverage
from daemon.rules import coverage
from daemon.rules.rulebook import Rulebook
from daemon.rules.texts import Texts
from daemon.signals import Chunk, Order, PortBack, PortLost, Signal, Tick
from daemon.table.events import DealingEvent, DeckChanged, DeckShuffled, HandEnded, HandStarted
from daemon.table.figures import Figures
from daemon.table.interpreter import Interpreter
from daemon.table.layout import Layout
from drivers.catalog import DRIVERS
from drivers.driver import Decoder

__all__ = ["Judgement", "Pipeline"]

_DECODERS = {row.name: row.decoder for row in DRIVERS}


class Pipeline:
    """One table's line: decode, interpret, judge, register. No I/O, no clock, no randomness.

    The same signals give the same alerts, byte for byte, wherever they are run.
    """

    def __init__(self, layout: Layout, book: Rulebook, texts: Texts) -> None:
        self._layout, self._book, self._texts = layout, book, texts
        self._decoders = {sensor.name: _decoder(sensor.driver) for sensor in layout.sensors}
        self._interpreter = Interpreter(layout)
        self._judgement = Judgement(
            book, texts, layout.languages, journal=None, tells_dealer=layout.tells_dealer
        )
        self._judgement.take(self._interpreter.opening())
        house = book.parameters
        self._trouble = Trouble(layout, self._judgement.desk, house.sensor_grace_s)
        self._register = Register(house, layout.opened)
        self._dealt = Dealt()
        self._happening: list[tuple[DealingEvent, Seen]] = []
        self._now_ms = 0
        if layout.carried:
            self._go_on(msgspec.json.decode(layout.carried, type=Carried))

    def step(self, signal: Signal) -> list[Alert]:
        """Take one signal and return the alerts that are news."""
        alerts: list[Alert] = []
        self._happening = []
        for event in self._events(signal):
            alerts += self._happened(event)
        alerts += self._until(signal.at_ms)
        if isinstance(signal, Order):
            alerts += self._obeyed(signal)
        self._now_ms = signal.at_ms
        return alerts

    def dealt(self) -> list[EventTold]:
        """What is told of the last signal, to be asked once behind each: no hidden card's name."""
        return self._dealt.take(self._happening, self._seen(), self._now_ms)

    def _happened(self, event: DealingEvent) -> list[Alert]:
        """Judge what happened, and enter what came of it."""
        alerts = self._until(event.at_ms)
        self._weigh(event)
        judged = self._judgement.take(event) + self._trouble.take(event, self.figures.troubles)
        if self._layout.tells_events:
            self._happening.append((event, self._seen()))
        return alerts + self._register.take(judged, event.at_ms) if judged else alerts

    def _until(self, to_ms: int) -> list[Alert]:
        """Let the deadlines before `to_ms` pass, each at its own time: first what is judged."""
        alerts: list[Alert] = []
        while (due_ms := self._due_ms()) is not None and due_ms < to_ms:
            judged = self._judgement.pass_time(due_ms + 1) + self._trouble.pass_time(due_ms + 1)
            alerts += self._register.take(judged, due_ms)
            alerts += self._register.pass_time(due_ms + 1)
        return alerts

    def _due_ms(self) -> int | None:
        first_ms = self._judgement.due_ms
        for due_ms in (self._trouble.due_ms, self._register.due_ms):
            if due_ms is not None and (first_ms is None or due_ms < first_ms):
                first_ms = due_ms
        return first_ms

    def _obeyed(self, order: Order) -> list[Alert]:
        """Carry a person's command out; what it says of the table goes the way of all events."""
        alerts, event = self._register.obey(order.command, order.at_ms, order.via)
        return alerts if event is None else alerts + self._happened(event)

    def _events(self, signal: Signal) -> list[DealingEvent]:
        """Decode and interpret: what happened at the table."""
        at_ms = signal.at_ms
        events = self._interpreter.advance(at_ms)
        match signal:
            case Chunk(_, port, data):
                for reading in self._decoders[port].feed(data):
                    events += self._interpreter.take(port, reading, at_ms)
            case PortLost(_, port):
                events += self._interpreter.lost(port, at_ms)
            case PortBack(_, port):
                self._decoders[port] = _decoder(self._driver(port))  # half a frame is worth nothing
                events += self._interpreter.back(port, at_ms)
            case Order() | Tick():
                pass
            case _:
                assert_never(signal)
        return events

    def _seen(self) -> Seen:
        hand = self._judgement.hand
        return Seen(hand.course.public, hand.course.felt.lies) if hand else Seen()

    def _weigh(self, event: DealingEvent) -> None:
        """Close the sensors' figures where it is decided which cards all have seen."""
        hand = self._judgement.hand
        public = hand.course.public if hand else frozenset()
        match event:
            case HandStarted(seats=seats):
                if hand is not None:
                    self._end_hand(public, event.at_ms)
                self.figures.begin_hand(seats)
            case HandEnded() if hand is not None:
                self._end_hand(public, event.at_ms)
            case DeckShuffled() | DeckChanged():
                self.figures.close(public)
            case _:
                pass

    def _end_hand(self, public: frozenset[str], at_ms: int) -> None:
        self.figures.end_hand(public)
        self._register.figures.hand_over(at_ms)

    def carried(self) -> bytes | None:
        """What a line made anew must know to go on from here with the same alerts.

        None in a hand that has more than begun: it is gone through from an earlier moment. What
        lies where, the sensors tell it themselves.
        """
        judged = self._judgement.carried()
        if judged is None:
            return None
        entered = self._register.carried(self._now_ms)
        whole = Carried(judged, self._trouble.carried(), entered, self._interpreter.number)
        return msgspec.json.encode(whole, order="deterministic")

    def _go_on(self, carried: Carried) -> None:
        started = carried.judged.started
        self._interpreter.go_on(carried.number, started)
        if started is not None:
            self._weigh(started)
        self._judgement.go_on(carried.judged)
        self._trouble.go_on(carried.troubled)
        self._register.go_on(carried.entered)

    @property
    def answer(self) -> Answer | None:
        """What the last command is answered with."""
        return self._register.answer

    @property
    def key_figures(self) -> AlarmFigures:
        """The daemon's own measure of its alarms, as at the last signal (docs/topics.md)."""
        return self._register.key_figures(self._now_ms)

    @property
    def troubles(self) -> list[str]:
        """What is wrong in words, for `status`: with what the sensors read, and with the alarms."""
        return [*self.figures.troubles, *self._register.figures.troubles(self._now_ms)]

    @property
    def figures(self) -> Figures:
        """What the sensors read badly, as at the end of the last hand."""
        return self._interpreter.figures

    @property
    def counts(self) -> dict[str, int]:
        """Noise by kind since the start; no identities."""
        return self.figures.totals()

    def coverage(self) -> Coverage:
        """Which irregularities the table spots with all its sensors (docs/topics.md)."""
        sees = frozenset(self._interpreter.opening().sees or ())
        covered = coverage.coverage(self._book, sees, self._layout.betting)
        return coverage.payload(covered, self._book, self._texts, self._layout.languages)

    def hand_view(self) -> dict[str, Any]:
        """The hand in progress as everybody may know it (docs/topics.md, `hand`)."""
        return {**self._judgement.hand_view(), "table_state": self._judgement.felt.state}

    def _driver(self, port: str) -> str:
        return next(sensor.driver for sensor in self._layout.sensors if sensor.name == port)


def _decoder(driver: str) -> Decoder:
    return _DECODERS[driver]()
