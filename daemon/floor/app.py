"""The floor's service, wired: broker, picture, history, people and web, in one group of tasks."""

from __future__ import annotations

import asyncio
import gc
import secrets
import signal as system_signal
from collections.abc import Callable
from datetime import UTC, datetime

import structlog

from daemon import __version__
from daemon.access import AccessError
from daemon.edges.watchdog import Watchdog
from daemon.floor import instant
from daemon.floor.acts import Acts
from daemon.floor.chain_table import ChainTable, talk
from daemon.floor.ear import Ear
from daemon.floor.floor import BEAT_S, CardRoom
from daemon.floor.history import Database, HistoryError, HistoryGone, Scribe
from daemon.floor.instant import Instant
from daemon.floor.people.passwords import Passwords
from daemon.floor.people.people import People, Refused
from daemon.floor.picture import Picture
from daemon.floor.resend import Mark, Resends
from daemon.floor.settings import FloorSettings
from daemon.floor.showing import Showing
from daemon.floor.web.refusals import WORDS
from daemon.floor.web.screens import Screens

TICK_S = 0.1
MARK_S = 30.0

log = structlog.get_logger(part="floor")


class Unusable(Exception):  # noqa: N818 - said of the configuration
    """What is configured cannot be used: why, in words."""


class FloorApp:
    """One floor: everything that runs.

    Raises Unusable where the history cannot be opened, OSError where the state folder cannot be
    made or the web's address is not to be had. `demo` and `port` as `Screens` has them.
    """

    def __init__(
        self,
        settings: FloorSettings,
        *,
        demo: bool = False,
        port: int | None = None,
        now: Callable[[], Instant] = instant.now,
    ) -> None:
        self._settings = settings
        self._boot = secrets.token_hex(4)
        document = settings.document
        settings.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._database = _database(settings)
        self._history = Scribe(self._database, keep_days=document.history.keep_days)
        known = Picture(
            settings.sites,
            order=document.tables.order,
            stale_s=document.tables.stale_s,
            dealers=document.staff.dealer_identity != "off",
        )
        self._chain_table = ChainTable(settings.sites[0], self._boot)
        self.room = CardRoom(
            known=known,
            showing=Showing(
                known, settings.sites, self._boot, secrets.token_bytes(32), beat_s=BEAT_S
            ),
            acts=Acts(document.acts.undo_s),
            chain_table=self._chain_table,
            history=self._history,
            resends=Resends(self._boot),
            now=now,
            troubles=lambda: self._history.troubles,
        )
        self._mark = Mark(settings.state / "heard")
        try:
            self.screens = Screens(
                settings,
                floor=self.room,
                history=self._history,
                database=self._database,
                demo=demo,
                port=port,
            )
        except BaseException:
            self._history.close()
            self._database.close()
            raise
        self._watchdog = Watchdog()

    async def run(self, stop: asyncio.Event) -> None:
        """Watch and serve until `stop`; it takes some seconds at most."""
        user = await asyncio.to_thread(_user, self._settings)
        ear = Ear(self._settings.account, self._settings.sites, user, self._boot)
        self.room.speak_by(ear, await asyncio.to_thread(self._mark.away_s))
        try:
            async with asyncio.TaskGroup() as group:
                hearing = group.create_task(ear.run(self.room), name="ear")
                showing = group.create_task(self.screens.run(), name="screens")
                others = [
                    group.create_task(self._tick(), name="tick"),
                    group.create_task(self._touch(), name="mark"),
                    group.create_task(self._test_chain(), name="chain"),
                ]
                gc.freeze()  # what is here to stay is not looked through again and again
                self._watchdog.ready()
                log.info("floor watched", sites=self._settings.sites, version=__version__)
                await stop.wait()
                self._watchdog.stopping()
                for task in others:
                    task.cancel()
                self.screens.stop()
                self.room.send_all()
                ear.stop()
                await asyncio.wait({hearing, showing})
        finally:
            gc.unfreeze()
            await asyncio.to_thread(self._history.close)
            self._database.close()
            self._watchdog.close()
        log.info("floor left", sites=self._settings.sites)

    async def _tick(self) -> None:
        while True:
            self.room.pass_time()
            self._watchdog.beat()
            await asyncio.sleep(TICK_S)

    async def _touch(self) -> None:
        while True:
            await asyncio.sleep(MARK_S)
            # Lines that wait in memory only are asked for anew if this run ends before their time.
            if self.room.is_caught_up and self._history.trouble is None:
                await asyncio.to_thread(self._mark.touch)

    async def _test_chain(self) -> None:
        every_s = self._settings.document.chain.every_s
        await talk(self._settings.account, self._chain_table.topic, self.room, every_s)


def _database(settings: FloorSettings) -> Database:
    """The history's database, with our tables in it; one that is away now may come later."""
    try:
        found = Database(settings.history_url, settings.history_password(), ca=settings.history_ca)
    except (HistoryError, AccessError) as error:
        raise Unusable(f"history  {error}") from None
    try:
        found.bring_up()
    except HistoryGone as error:
        log.warning("history not there yet", reason=str(error))
    except HistoryError as error:
        found.close()
        raise Unusable(f"history  {error}") from None
    return found


def _user(settings: FloorSettings) -> str:
    """The name that the broker knows us by."""
    try:
        return settings.access.name or ""
    except AccessError:
        return ""  # the connection will tell


async def rescue(settings: FloorSettings, login: str) -> str:
    """A new password for this administrator, who has lost his; raises Unusable.

    A service that runs hears of it when it is started anew.
    """
    database = _database(settings)
    passwords, scribe = Passwords(), Scribe(database)
    try:
        people = People(database, passwords)
        await people.open()
        password = await people.rescue(login)
        scribe.audit(
            at=datetime.now(UTC), login="", role="", what="person-reset", about=login,
            outcome="done at the machine",
        )  # fmt: skip
    except Refused as no:
        raise Unusable(f"{login}  {WORDS[no.word][1]}") from None
    except HistoryError as error:
        raise Unusable(f"history  {error}") from None
    finally:
        await asyncio.to_thread(scribe.close)
        passwords.close()
        database.close()
    return password


async def serve(settings: FloorSettings) -> None:
    """Watch and serve until SIGTERM or SIGINT; raises Unusable."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (system_signal.SIGTERM, system_signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await FloorApp(settings).run(stop)
