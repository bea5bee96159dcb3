"""One table watched: signals in, the journal beside, the line, messages out. No loop and no socket.

What is said of the table leaves through the outbox; whoever wires it calls `step` with every
signal, `heard` with what people want, and `tell_sensor` when a port comes or goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec
import structlog

from daemon import __version__
from daemon.alarms.alert import Alert, line
from daemon.edges.journal import Journal, Opening
from daemon.edges.ledger import Ledger
from daemon.edges.outbox import Outbox
from daemon.edges.settings import Settings
from daemon.edges.whole import Whole
from daemon.messages import Announcer, Heard, Message, Topics, reply_topics
from daemon.orders import RESEND, Answer, Command, Gate
from daemon.payloads import AlarmFigures, Coverage, Status
from daemon.sensor_states import SensorStates
from daemon.signals import Order, PortLost, Signal, Tick
from daemon.table.figures import Figures
from daemon.table.layout import Layout, Sensor
from daemon.transcript import Published, signals

SYNC_AFTER_S = 0.002
MEASURED_MS = 10_000

log = structlog.get_logger(part="watch")


class Line(Protocol):
    """The pure line: a signal in, the alerts that are news because of it out.

    `figures` are what its sensors read badly, as at the end of the last hand.
    """

    @property
    def figures(self) -> Figures: ...

    def step(self, signal: Signal) -> list[Alert]:
        """Take the next signal."""
        ...

    @property
    def key_figures(self) -> AlarmFigures:
        """The daemon's own measure of its alarms (docs/topics.md, `figures`)."""
        ...

    @property
    def troubles(self) -> list[str]:
        """What is wrong, in words: with what the sensors read, and with the alarms."""
        ...

    @property
    def answer(self) -> Answer | None:
        """What the last order is answered with."""
        ...

    def carried(self) -> bytes | None:
        """What a line made anew must know to go on from here; None where none could."""
        ...

    def coverage(self) -> Coverage:
        """Which irregularities the table spots (docs/topics.md, `coverage`)."""
        ...

    def dealt(self) -> Sequence[Any]:
        """What is told of the last signal (docs/topics.md, `events`): asked once behind it."""
        ...

    def hand_view(self) -> dict[str, Any]:
        """What may be published of the hand in progress (docs/topics.md), `hand` None between."""
        ...


MakeLine = Callable[[Layout], Line]
Soon = Callable[[float, Callable[[], None]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a watched table writes to, and the clock of its walls."""

    journal: Journal
    outbox: Outbox
    ledger: Ledger
    whole: Whole
    wall: Callable[[], datetime] = lambda: datetime.now(UTC)


class Watch:
    """A table watched, and its voice: what is published of it, and what it is told.

    `boot` is this run's name in every status; `soon(after_s, call)` calls back on the loop.
    `link_trouble` gives what is wrong with the connection, in words, `link_warnings` what will be.
    """

    def __init__(
        self, settings: Settings, line_: Line, desk: Desk, *, boot: str, soon: Soon
    ) -> None:
        document = settings.document
        self._topics = Topics(document.site, document.table)
        self._rulebook = document.rulebook
        self._sensor_names = [sensor.name for sensor in settings.sensors]
        self._line = line_
        self._desk = desk
        self._journal, self._outbox = desk.journal, desk.outbox
        self._tells_events = document.broker.events
        self._told = 0
        self._announcer = Announcer(self._topics)
        self._sensors = SensorStates(settings.sensors)
        self._soon = soon
        self._boot = boot
        self._gate = Gate()
        self._seq = 0
        self._since = _clock(desk.wall())
        self._at_ms = self._beat_ms = 0
        self._measured_ms = -MEASURED_MS
        self._key_figures: AlarmFigures | None = None
        self._hands = 0
        self._stands: dict[str, dict[str, str]] = {}
        self._view: dict[str, Any] = {}
        self._table_state = "open"
        self._troubles: list[str] = []
        self.order: Callable[[Command, str], None] = lambda command, via: self.step(
            Order(self._at_ms, command, via)
        )
        self.link_trouble: Callable[[], str | None] = lambda: None
        self.link_warnings: Callable[[], Sequence[str]] = lambda: ()
        self.tell: Callable[[], None] = lambda: None

    @property
    def topics(self) -> Topics:
        """Where it speaks and listens."""
        return self._topics

    # --- signals in, alerts out ---------------------------------------------------------------

    def step(self, signal: Signal) -> None:
        """One signal through the line: taken down, judged, written with what came of it, sent."""
        self._at_ms = signal.at_ms
        self._journal.signal(signal)
        alerts = self._line.step(signal)
        if alerts:
            self._publish(signal.at_ms, alerts)
        else:
            self._journal.write(signal.at_ms)
        if self._tells_events:
            self._tell_events()
        if isinstance(signal, Tick):
            self.look_around(signal.at_ms)

    def _publish(self, at_ms: int, alerts: Sequence[Alert]) -> None:
        lines = [line(alert) for alert in alerts]
        for words in lines:
            self._journal.published(at_ms, words)
        self._mark()
        for alert, words in zip(alerts, lines, strict=True):
            for message in self._announcer.messages(alert, words):
                self._outbox.put(message)
        # What is written outlives us already. The threads that sync it take turns with this one,
        # so they are woken when the alert is on its way.
        self._soon(SYNC_AFTER_S, self._sync)

    def _tell_events(self) -> None:
        for event in self._line.dealt():
            self._told += 1
            told = msgspec.json.encode({"v": 1, "seq": self._told, "what": event})
            self._outbox.put(Message(self._topics.at("events"), told, sure=False))

    def _mark(self) -> None:
        self._desk.whole.keep(self._journal.header.name, whole=self._journal.trouble is None)

    def _sync(self) -> None:
        self._journal.sync()
        self._outbox.sync()

    def look_around(self, at_ms: int) -> None:
        """What is done at every tick: the hand, the journal's part, the status."""
        self._beat_ms = at_ms
        self._mark()
        view = self._line.hand_view()
        if view != self._view:
            self._view = view
            payload = {name: value for name, value in view.items() if name != "table_state"}
            self._put("hand", payload)
        if self._line.figures.hands != self._hands:
            self._hands = self._line.figures.hands
            self._tell_figures()
        if at_ms - self._measured_ms >= MEASURED_MS:
            self._measure(at_ms)
        self._journal.hand(at_ms, view.get("hand"), self._line.carried)
        self._outbox.sync()
        told = (self._table_state, self._troubles)
        self._table_state = str(view.get("table_state", "open"))
        self._troubles = self._all_troubles()
        if told != (self._table_state, self._troubles):
            self.tell()

    def _measure(self, at_ms: int) -> None:
        self._measured_ms = at_ms
        if self._desk.ledger.trouble:  # as it was at the last hand's end
            self._desk.ledger.write(self._line.figures.ledger())
        figures = self._line.key_figures
        if figures != self._key_figures:
            self._key_figures = figures
            self._put("figures", figures)

    def resume(self, opening: Opening, left: Iterable[bytes] = ()) -> None:
        """Bring the line to where the journal ended; send what was decided and not told.

        `left` are alerts that a journal which is not gone on with says were published: those that
        the outbox does not know of are sent late.
        """
        self._mark()
        self._put("coverage", self._line.coverage())
        for words in left:
            self._make_sure(words)
        self._outbox.sync()
        for words in opening.standing:
            alert = msgspec.json.decode(words, type=Alert)
            for message in self._announcer.messages(alert, words):
                if message.retain and message.payload:
                    self._outbox.put(message)
        if not opening.entries:
            return
        published = {e.line for e in opening.entries if isinstance(e, Published)}
        for signal in signals(opening.entries):
            for alert in self._line.step(signal):
                words = line(alert)
                if words not in published:
                    self._journal.published(opening.header.at_ms, words)
                for message in self._announcer.messages(alert, words):
                    if message.retain:
                        self._outbox.put(message)
                    elif not self._outbox.knows(message.key):
                        self._outbox.put(message, late=True)
            self._line.dealt()  # of what was told, or not, by the run before
        log.info("journal gone on with", opened=opening.header.opened)
        for name in self._sensor_names:
            self.step(PortLost(opening.header.at_ms, name))

    def _make_sure(self, words: bytes) -> None:
        """What an earlier run published goes to the recorders, unless they have it."""
        for message in self._announcer.recorded(words):
            if not self._outbox.knows(message.key):
                self._outbox.put(message, late=True)

    # --- people ------------------------------------------------------------------------------

    def heard(self, words: Heard) -> None:
        """Take what somebody wants of the table; never fails, whatever it is.

        An empty message asks for nothing: it clears a retained command.
        """
        if not words.payload:
            return
        if words.retained:
            where = self._topics.at("command", *([words.via] if words.via else []))
            self._outbox.put(Message(where, b"", retain=True))
            command: Command | str = "retained"
        else:
            command = self._gate.admitted(words.payload, self._at_ms)
        if isinstance(command, str):
            self._journal.remark(self._at_ms, f"command refused: {command}")
            self._answer(words, Answer(ok=False, error=command))
        elif command.command == RESEND:
            done = self._answers(words, Answer(id=command.id, ok=True))
            if not self._outbox.resend(command.minutes * 60_000, then=done):
                self._answer(words, Answer(id=command.id, ok=False, error="busy"))
        else:
            self.order(command, words.via)
            answer = self._line.answer
            self._answer(words, answer or Answer(id=command.id, ok=False, error="malformed"))

    def _answer(self, words: Heard, answer: Answer) -> None:
        for message in self._answers(words, answer):
            self._outbox.put(message)

    def _answers(self, words: Heard, answer: Answer) -> Iterator[Message]:
        """The answer for everybody who listens, and for the one who asked where he wants it."""
        own = self._topics.at("answer")
        payload = msgspec.json.encode(answer)
        for topic in dict.fromkeys([own, *reply_topics(words.reply_to, own)]):
            yield Message(topic, payload, correlation=words.correlation)

    # --- sensors ------------------------------------------------------------------------------

    def tell_sensor(self, sensor: Sensor, why: str, at_ms: int) -> None:
        """A sensor's port is back (`ok`), or lost, and why."""
        if self._sensors.may_log(sensor.name, at_ms):
            if why == "ok":
                log.info("port back", sensor=sensor.name)
            else:
                log.warning("port lost", sensor=sensor.name, reason=why)
        if news := self._sensors.changed(sensor, why):
            key, state = news
            self._stands[key] = {"state": state, "since": _clock(self._desk.wall())}
            self._put_sensor(key)

    def _tell_figures(self) -> None:
        """A hand has ended: only now are the sensors' figures told, and written tag by tag."""
        for key in self._stands:
            self._put_sensor(key)
        self._desk.ledger.write(self._line.figures.ledger())

    def _put_sensor(self, key: str) -> None:
        reads: Mapping[str, Any] = self._line.figures.told.get(key, {})
        self._put(f"sensors/{key}", {**self._stands[key], **reads})

    # --- what is said of the table -----------------------------------------------------------

    def status(self, state: str) -> Message:
        """The message that says `online` or `offline` now."""
        self._seq += 1
        payload: Status = {
            "v": 1,
            "state": state,
            "boot": self._boot,
            "seq": self._seq,
            "version": __version__,
            "rulebook": self._rulebook,
            "table_state": self._table_state,
            "since": self._since,
            "at": _clock(self._desk.wall()),
            "beat_ms": self._beat_ms,
            "troubles": self._all_troubles(),
        }
        return Message(self._topics.at("status"), msgspec.json.encode(payload), retain=True)

    def _put(self, level: str, payload: Mapping[str, Any]) -> None:
        words = msgspec.json.encode({"v": 1, **payload})
        self._outbox.put(Message(self._topics.at(level), words, retain=True))

    def _all_troubles(self) -> list[str]:
        found = [*self._sensors.troubles(), *self._line.troubles]
        said = {
            "broker": self.link_trouble(),
            "journal": self._journal.trouble,
            "outbox": self._outbox.trouble,
            "figures": self._desk.ledger.trouble,
        }
        found += [f"{what}: {why}" for what, why in said.items() if why]
        found += [f"broker: {words}" for words in self.link_warnings()]
        if self._outbox.lost:
            found.append("messages lost while no broker was there")
        return found


def _clock(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
