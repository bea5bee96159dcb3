"""The whole line in one function: signals in, alerts out."""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from daemon.alarms.alert import Alert
from daemon.alarms.carried import Carried
from daemon.alarms.judgement import Judgement
from daemon.orders import Answer
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
    """One table's line: decode, interpret, judge. No I/O, no clock, no randomness.

    The same signals give the same alerts, byte for byte, wherever they are run.
    """

    def __init__(self, layout: Layout, book: Rulebook, texts: Texts) -> None:
        self.answer: Answer | None = None
        self._layout = layout
        self._decoders = {sensor.name: _decoder(sensor.driver) for sensor in layout.sensors}
        self._interpreter = Interpreter(layout)
        self._judgement = Judgement(book, texts, layout.languages, journal=None)
        self._judgement.take(self._interpreter.opening())
        if layout.carried:
            self._go_on(msgspec.json.decode(layout.carried, type=Carried))

    def step(self, signal: Signal) -> list[Alert]:
        """Take one signal and return the alerts that are news."""
        alerts: list[Alert] = []
        for event in self._events(signal):
            self._weigh(event)
            alerts += self._judgement.take(event)
        return alerts + self._judgement.pass_time(signal.at_ms)

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

    def _weigh(self, event: DealingEvent) -> None:
        """Close the sensors' figures where it is decided which cards all have seen."""
        hand = self._judgement.hand
        public = hand.course.public if hand else frozenset()
        match event:
            case HandStarted(seats=seats):
                if hand is not None:
                    self.figures.end_hand(public)
                self.figures.begin_hand(seats)
            case HandEnded() if hand is not None:
                self.figures.end_hand(public)
            case DeckShuffled() | DeckChanged():
                self.figures.close(public)
            case _:
                pass

    def carried(self) -> bytes | None:
        """What a line made anew must know to go on from here with the same alerts.

        None in a hand that has more than begun: it is gone through from an earlier moment. What
        lies where, the sensors tell it themselves.
        """
        carried = self._judgement.carried()
        if carried is None:
            return None
        whole = msgspec.structs.replace(carried, number=self._interpreter.number)
        return msgspec.json.encode(whole, order="deterministic")

    def _go_on(self, carried: Carried) -> None:
        self._interpreter.go_on(carried.number, carried.started)
        if carried.started is not None:
            self._weigh(carried.started)
        self._judgement.go_on(carried)

    @property
    def figures(self) -> Figures:
        """What the sensors read badly, as at the end of the last hand."""
        return self._interpreter.figures

    @property
    def counts(self) -> dict[str, int]:
        """Noise by kind since the start; no identities."""
        return self.figures.totals()

    def hand_view(self) -> dict[str, Any]:
        """The hand in progress as everybody may know it (docs/topics.md, `hand`)."""
        return self._judgement.hand_view() | {"table_state": self._judgement.felt.state}

    def _driver(self, port: str) -> str:
        return next(sensor.driver for sensor in self._layout.sensors if sensor.name == port)


def _decoder(driver: str) -> Decoder:
    return _DECODERS[driver]()
