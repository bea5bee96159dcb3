"""The table's daemon, wired: ports, clock, journal, line, broker, in one group of tasks."""

from __future__ import annotations

import asyncio
import gc
import secrets
import signal as system_signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import structlog

from daemon import __version__
from daemon.edges.intake import Intake
from daemon.edges.journal import Journal, kept_in_memory, open_journal, published_last
from daemon.edges.ledger import Ledger
from daemon.edges.mqtt import Account, Link
from daemon.edges.outbox import Outbox, Shelf
from daemon.edges.settings import Settings, layout
from daemon.edges.watchdog import Watchdog
from daemon.edges.whole import Whole
from daemon.kept import care_of, header_of, seal_of
from daemon.messages import Address, address
from daemon.signals import Signal, Tick
from daemon.table.layout import Sensor
from daemon.watch import Desk, MakeLine, Watch
from drivers.catalog import DRIVERS
from drivers.driver import Driver
from drivers.port import Ear, Port

Wall = Callable[[], datetime]

log = structlog.get_logger(part="app")


def _utc() -> datetime:
    return datetime.now(UTC)


class App:
    """One table: everything that runs.

    `make_line` is called with the layout, whose `opened` is the journal's opening. `wall` is the
    clock of the walls, which may be set forth and back while this runs.
    """

    def __init__(
        self,
        settings: Settings,
        make_line: MakeLine,
        drivers: Sequence[Driver] = DRIVERS,
        *,
        wall: Wall = _utc,
    ) -> None:
        self._settings = settings
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drivers = {driver.name: driver for driver in drivers}
        folder, boot = settings.journal_folder, secrets.token_hex(4)
        left = published_last(folder)
        whole = Whole(folder)
        seal = seal_of(settings)
        header = header_of(settings, seal)
        may_go_on = whole.vouches_for
        opening = open_journal(folder, header, wall(), kept_in_memory(), may_go_on=may_go_on)
        self._journal = Journal(
            folder, opening.header, lines=opening.lines, seal=seal, care=care_of(settings)
        )
        shelf = Shelf(folder, lambda: round(wall().timestamp() * 1000))
        self._outbox = Outbox(shelf, home=self._home)
        desk = Desk(
            journal=self._journal,
            outbox=self._outbox,
            ledger=Ledger(folder),
            whole=whole,
            wall=wall,
        )
        line = make_line(layout(settings, opening.header.opened, opening.carried))
        self._watch = Watch(settings, line, desk, boot=boot, soon=_soon)
        self._intake = Intake(self._step, opening.header.at_ms)
        self._link = Link(_account(settings), self._outbox, self._watch, boot)
        self._watch.link_trouble = lambda: self._link.trouble
        self._watch.link_warnings = lambda: self._link.warnings
        self._watch.tell = self._link.tell
        self._watch.order = self._intake.ordered
        self._watchdog = Watchdog()
        is_there = False
        try:
            self._watch.resume(opening, left)
            is_there = True
        finally:
            if not is_there:  # a bug of ours; the next start will see how far this one came
                self._journal.close(opening.header.at_ms, words=None)
                self._outbox.close()

    async def run(self, stop: asyncio.Event) -> None:
        """Watch the table until `stop`; raises what is a bug of ours, after the journal is closed.

        A stop takes as long as a port's closing and the broker's last confirmation, some seconds
        at most.
        """
        self._loop = asyncio.get_running_loop()
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
                self._watch.look_around(self._intake.now_ms)
                self._link.stop()
                await link
        finally:
            gc.unfreeze()
            self._journal.close(self._intake.now_ms)
            self._outbox.close()
            self._watchdog.close()
        log.info("table left", table=self._settings.document.table)

    def _step(self, signal: Signal) -> None:
        self._watch.step(signal)
        if isinstance(signal, Tick):
            self._watchdog.beat()

    def _home(self, call: Callable[[], object]) -> None:
        """From the outbox's thread to the loop, which may be gone."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(call)

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
        name, intake, watch = sensor.name, self._intake, self._watch

        def back() -> None:
            intake.back(name)
            watch.tell_sensor(sensor, "ok", intake.now_ms)

        def lost(why: str) -> None:
            intake.lost(name)
            watch.tell_sensor(sensor, why, intake.now_ms)

        return Ear(
            on_bytes=lambda data: intake.heard(name, data),
            on_lost=lost,
            on_back=back,
            on_sent=lambda data: self._journal.sent(intake.now_ms, name, data),
        )


def _soon(after_s: float, call: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(after_s, call)


async def serve(settings: Settings, make_line: MakeLine, *, wall: Wall = _utc) -> None:
    """Watch the table until SIGTERM or SIGINT; raises JournalError where another one does."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (system_signal.SIGTERM, system_signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await App(settings, make_line, wall=wall).run(stop)


def _account(settings: Settings) -> Account:
    found = [address(url) for url in settings.document.broker.urls]
    addresses = tuple(one for one in found if isinstance(one, Address))
    return Account(addresses=addresses, client=settings.client, access=settings.access)
