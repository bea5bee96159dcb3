"""The table's daemon, wired: ports, clock, journal, line, broker, in one group of tasks."""

from __future__ import annotations

import asyncio
import gc
import secrets
import signal as system_signal
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec
import structlog

from daemon import __version__
from daemon.alarms.alert import Alert, line
from daemon.edges.intake import Intake
from daemon.edges.journal import Journal, Opening, kept_in_memory, open_journal
from daemon.edges.ledger import Ledger
from daemon.edges.mqtt import Account, Link
from daemon.edges.outbox import Outbox
from daemon.edges.settings import Settings, layout, secret_path
from daemon.edges.watchdog import Watchdog
from daemon.kept import care_of, header_of, seal_of
from daemon.messages import Address, Announcer, Message, Topics, address
from daemon.signals import Signal, Tick
from daemon.table.figures import SEATS, Figures
from daemon.table.layout import Layout, Sensor, at_seats
from daemon.transcript import Published, signals
from drivers.catalog import DRIVERS
from drivers.driver import Driver
from drivers.port import Ear, Port

SYNC_AFTER_S = 0.002
SILENT = "silent"
WORDS_S = 300  # a port that comes and goes is worth a line of log in this time, and ten at first
WORDS_MAX = 10

log = structlog.get_logger(part="app")


class Line(Protocol):
    """The pure line: a signal in, the alerts that are news because of it out.

    `figures` are what its sensors read badly, as at the end of the last hand.
    """

    @property
    def figures(self) -> Figures: ...

    def step(self, signal: Signal) -> list[Alert]:
        """Take the next signal."""
        ...

    def carried(self) -> bytes | None:
        """What a line made anew must know to go on from here; None where none could."""
        ...

    def hand_view(self) -> dict[str, Any]:
        """What may be published of the hand in progress (docs/topics.md), `hand` None between."""
        ...


MakeLine = Callable[[Layout], Line]


class App:
    """One table: everything that runs, and what it has to say of itself.

    `make_line` is called with the layout, whose `opened` is the journal's opening.
    """

    def __init__(
        self, settings: Settings, make_line: MakeLine, drivers: Sequence[Driver] = DRIVERS
    ) -> None:
        self._settings = settings
        self._drivers = {driver.name: driver for driver in drivers}
        now = datetime.now(UTC)
        seal = seal_of(settings)
        opening = open_journal(
            settings.journal_folder, header_of(settings, seal), now, kept_in_memory()
        )
        fitted = layout(settings, opening.header.opened)
        self._line = make_line(msgspec.structs.replace(fitted, carried=opening.carried))
        self._topics = Topics(settings.document.site, settings.document.table)
        self._announcer = Announcer(self._topics)
        self._outbox = Outbox()
        self._journal = Journal(
            settings.journal_folder,
            opening.header,
            lines=opening.lines,
            seal=seal,
            care=care_of(settings),
        )
        self._intake = Intake(self._step, opening.header.at_ms)
        self._link = Link(_account(settings), self._outbox, self._status)
        self._watchdog = Watchdog()
        self._sensors = SensorStates(settings.sensors)
        self._ledger = Ledger(settings.journal_folder)
        self._hands = 0
        self._stands: dict[str, dict[str, str]] = {}
        self._boot = secrets.token_hex(4)
        self._seq = 0
        self._since = _clock(now)
        self._view: dict[str, Any] = {}
        self._table_state = "open"
        self._troubles: list[str] = []
        is_there = False
        try:
            self._resume(opening)
            is_there = True
        finally:
            if not is_there:  # a bug of ours; the next start will see how far this one came
                self._journal.close(opening.header.at_ms, words=None)

    async def run(self, stop: asyncio.Event) -> None:
        """Watch the table until `stop`; raises what is a bug of ours, after the journal is closed.

        A stop takes as long as a port's closing and the broker's last confirmation, some seconds
        at most.
        """
        try:
            async with asyncio.TaskGroup() as group:
                link = group.create_task(self._link.run(), name="link")
                sources = [
                    group.create_task(port.run(), name=port.address) for port in self._ports()
                ]
                sources.append(group.create_task(self._intake.tick(), name="tick"))
                gc.freeze()  # what is here to stay is not looked through again and again
                self._watchdog.ready()
                if self._watchdog.too_short:
                    log.warning("watchdog too short to meet", limit_s=self._watchdog.limit_s)
                log.info("table watched", table=self._settings.document.table, version=__version__)
                await stop.wait()
                self._watchdog.stopping()
                for task in sources:
                    task.cancel()
                await asyncio.wait(sources)
                self._look_around(self._intake.now_ms)
                self._link.stop()
                await link
        finally:
            gc.unfreeze()
            self._journal.close(self._intake.now_ms)
            self._watchdog.close()
        log.info("table left", table=self._settings.document.table)

    # --- signals in, alerts out ---------------------------------------------------------------

    def _step(self, signal: Signal) -> None:
        """One signal through the line: taken down, judged, written with what came of it, sent."""
        self._journal.signal(signal)
        alerts = self._line.step(signal)
        if alerts:
            self._publish(signal.at_ms, alerts)
        else:
            self._journal.write(signal.at_ms)
        if isinstance(signal, Tick):
            self._look_around(signal.at_ms)

    def _publish(self, at_ms: int, alerts: Sequence[Alert]) -> None:
        lines = [line(alert) for alert in alerts]
        for words in lines:
            self._journal.published(at_ms, words)
        for alert, words in zip(alerts, lines, strict=True):
            for message in self._announcer.messages(alert, words):
                self._outbox.put(message)
        # What is written outlives us already. The thread that syncs it takes turns with this one,
        # so it is woken when the alert is on its way.
        asyncio.get_running_loop().call_later(SYNC_AFTER_S, self._journal.sync)

    def _look_around(self, at_ms: int) -> None:
        """What is done at every tick: the hand, the journal's part, the status, the watchdog."""
        view = self._line.hand_view()
        if view != self._view:
            self._view = view
            payload = {name: value for name, value in view.items() if name != "table_state"}
            self._put("hand", payload)
        if self._line.figures.hands != self._hands:
            self._hands = self._line.figures.hands
            self._tell_figures()
        self._journal.hand(at_ms, view.get("hand"), self._line.carried)
        told = (self._table_state, self._troubles)
        self._table_state = str(view.get("table_state", "open"))
        self._troubles = self._all_troubles()
        if told != (self._table_state, self._troubles):
            self._link.tell()
        self._watchdog.beat()

    def _resume(self, opening: Opening) -> None:
        """Bring the line to where the journal ended; send what was decided but never published."""
        if not opening.entries:
            return
        published = {e.line for e in opening.entries if isinstance(e, Published)}
        for signal in signals(opening.entries):
            for alert in self._line.step(signal):
                words = line(alert)
                if words not in published:
                    self._journal.published(opening.header.at_ms, words)
                for message in self._announcer.messages(alert, words):
                    if message.retain or words not in published:
                        self._outbox.put(message)
        log.info("journal gone on with", entries=len(opening.entries))
        for sensor in self._settings.sensors:
            self._intake.lost(sensor.name)

    # --- ports ------------------------------------------------------------------------------

    def _ports(self) -> list[Port]:
        return [
            Port(
                fit.port,
                self._drivers[fit.driver],
                self._ear(sensor),
                antennas=sensor.antennas,
            )
            for fit, sensor in zip(
                self._settings.document.sensors, self._settings.sensors, strict=True
            )
        ]

    def _ear(self, sensor: Sensor) -> Ear:
        name = sensor.name

        def back() -> None:
            self._intake.back(name)
            self._tell_sensor(sensor, "ok")

        def lost(why: str) -> None:
            self._intake.lost(name)
            self._tell_sensor(sensor, why)

        return Ear(
            on_bytes=lambda data: self._intake.heard(name, data),
            on_lost=lost,
            on_back=back,
            on_sent=lambda data: self._journal.sent(self._intake.now_ms, name, data),
        )

    def _tell_sensor(self, sensor: Sensor, why: str) -> None:
        if self._sensors.may_log(sensor.name, self._intake.now_ms):
            if why == "ok":
                log.info("port back", sensor=sensor.name)
            else:
                log.warning("port lost", sensor=sensor.name, reason=why)
        if news := self._sensors.changed(sensor, why):
            key, state = news
            self._stands[key] = {"state": state, "since": _clock(datetime.now(UTC))}
            self._put_sensor(key)

    def _tell_figures(self) -> None:
        """A hand has ended: only now are the sensors' figures told, and written tag by tag."""
        for key in self._stands:
            self._put_sensor(key)
        self._ledger.write(self._line.figures.ledger())

    def _put_sensor(self, key: str) -> None:
        self._put(f"sensors/{key}", self._stands[key] | self._line.figures.told.get(key, {}))

    # --- what is said of the table -----------------------------------------------------------

    def _put(self, level: str, payload: dict[str, Any]) -> None:
        words = msgspec.json.encode({"v": 1, **payload})
        self._outbox.put(Message(self._topics.at(level), words, retain=True))

    def _status(self, state: str) -> Message:
        self._seq += 1
        payload = {
            "v": 1,
            "state": state,
            "boot": self._boot,
            "seq": self._seq,
            "version": __version__,
            "rulebook": self._settings.document.rulebook,
            "table_state": self._table_state,
            "since": self._since,
            "beat_ms": self._intake.now_ms,
            "troubles": self._all_troubles(),
        }
        return Message(self._topics.at("status"), msgspec.json.encode(payload), retain=True)

    def _all_troubles(self) -> list[str]:
        found = [*self._sensors.troubles(), *self._line.figures.troubles]
        if self._link.trouble:
            found.append(f"broker: {self._link.trouble}")
        if self._journal.trouble:
            found.append(f"journal: {self._journal.trouble}")
        if self._ledger.trouble:
            found.append(f"figures: {self._ledger.trouble}")
        if self._outbox.lost:
            found.append("messages lost while no broker was there")
        return found


class SensorStates:
    """How each sensor stands; the readers at seats are told of together, as `ok` or `silent` only.

    Who could tell them apart could tell who looks at his cards.
    """

    def __init__(self, sensors: Sequence[Sensor]) -> None:
        self._at_seats = {sensor.name for sensor in sensors if at_seats(sensor)}
        self._why: dict[str, str] = {sensor.name: "not open yet" for sensor in sensors}
        self._told: dict[str, str] = {}
        self._logged: dict[str, tuple[float, int]] = {}

    def changed(self, sensor: Sensor, why: str) -> tuple[str, str] | None:
        """Note how it stands now (`ok`, or why it is lost); the topic's key and state if news."""
        self._why[sensor.name] = why
        if sensor.name in self._at_seats:
            all_ok = all(self._why[name] == "ok" for name in self._at_seats)
            key, state = SEATS, "ok" if all_ok else SILENT
        else:
            key, state = sensor.name, why if why in {"ok", SILENT} else "lost"
        if self._told.get(key) == state:
            return None
        self._told[key] = state
        return key, state

    def troubles(self) -> list[str]:
        """What is wrong, in words, one for each sensor and one for all readers at seats."""
        found = {
            "sensors at seats: silent" if name in self._at_seats else f"sensor {name}: {why}": None
            for name, why in self._why.items()
            if why != "ok"
        }
        return list(found)

    def may_log(self, name: str, now_ms: int) -> bool:
        """Whether a line of log is due: ten at first, and then one in `WORDS_S`."""
        left, at_ms = self._logged.get(name, (float(WORDS_MAX), now_ms))
        left = min(WORDS_MAX, left + (now_ms - at_ms) / 1000 / WORDS_S)
        may = left >= 1
        self._logged[name] = (left - 1 if may else left, now_ms)
        return may


async def serve(settings: Settings, make_line: MakeLine) -> None:
    """Watch the table until SIGTERM or SIGINT; raises JournalError where another one does."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (system_signal.SIGTERM, system_signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await App(settings, make_line).run(stop)


def _account(settings: Settings) -> Account:
    broker, source = settings.document.broker, settings.source
    found = [address(url) for url in broker.urls]
    return Account(
        addresses=tuple(one for one in found if isinstance(one, Address)),
        client=settings.client,
        username=broker.username,
        password_file=secret_path(source, broker.password_file) if broker.password_file else None,
        ca=secret_path(source, broker.ca) if broker.ca else None,
    )


def _clock(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
