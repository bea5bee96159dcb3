"""A table of the evening: on ptys, with its daemon, its way to the broker and its recorder."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, monotonic_ns

from daemon.demo.live import LiveTable
from daemon.demo.table_fit import SITE
from daemon.edges.journal import JournalError
from daemon.edges.outbox.shelf import FILE
from daemon.edges.settings import read_settings
from daemon.messages import Topics
from daemon.table.events import DealingEvent
from tests.chaos import verdict
from tests.chaos.archive import Archive
from tests.chaos.broker import stripped
from tests.chaos.figures import Figures
from tests.chaos.process import Process
from tests.chaos.proxy import Proxy
from tests.chaos.weather import OF_A_TABLE, Weather, Wrong, plan
from tests.conftest import LOOPBACK
from tests.hil.line import SPEED, books
from tests.hil.test_line import SEATS

HOUR_S = 3600
SLOW_S = 0.4
READY_S = 60
EVERY_S = 4.0


@dataclass(frozen=True, slots=True)
class Room:
    """What the tables of an evening have in common; `sky` is what befalls the broker."""

    seed: int
    seconds: float
    port: int
    sky: Weather
    figures: Figures
    heed: Callable[[str], None]


class Table:
    """One table, and all that befalls it."""

    def __init__(self, room: Room, folder: Path) -> None:
        folder.mkdir()
        self.name = folder.name
        self._room = room
        self._topics = Topics(SITE, self.name)
        self._chance = random.Random(f"{room.seed} {self.name}")
        self._clock = folder / "clock"
        self._set_clock(0)
        self._proxy = Proxy(room.port)
        url = f"mqtt://{LOOPBACK}:{self._proxy.port}"
        self._live = LiveTable(self.name, folder, url, self._chance, SEATS)
        self.daemon = Process(self._live.configuration, self._clock, self._decided)
        self.archive = Archive(room.port, self._topics, self._came)
        faults = plan(f"{room.seed} {self.name}", OF_A_TABLE, room.seconds, EVERY_S)
        self.weather = Weather(faults, OF_A_TABLE, self._kinds(), self._heed)
        self._decisions: dict[bytes, tuple[int, int]] = {}  # when, and in which calm

    @asynccontextmanager
    async def there(self) -> AsyncIterator[None]:
        """Plugged in, watched and recorded."""
        await self._proxy.listen()
        listening = asyncio.create_task(self.archive.run())
        try:
            async with self._live.plugged():
                await self.daemon.start()
                try:
                    await self._ready()
                    yield
                finally:
                    await self.daemon.kill()
        finally:
            listening.cancel()
            await asyncio.wait([listening])
            await self._proxy.close()

    async def _ready(self) -> None:
        try:
            async with asyncio.timeout(READY_S):
                await self._live.ready()
        except TimeoutError:
            said = "\n".join([*self.daemon.wrong, *self.daemon.log])
            raise ConnectionError(
                f"{self.name}: nobody polls its readers; it says\n{said}"
            ) from None

    async def play(self, hands: list[list[DealingEvent]]) -> None:
        """One hand behind the other until the time is over; the last one is played to its end."""
        stage = self._live.stage(SPEED)
        over_s = monotonic() + self._room.seconds
        while monotonic() < over_s:
            await self._live.perform(stage.play(self._chance.choice(hands)))
            self._room.figures.hands += 1

    # --- what goes wrong -----------------------------------------------------------------------

    def _heed(self, words: str) -> None:
        self._room.heed(f"{self.name}: {words}")

    def _kinds(self) -> dict[str, Wrong]:
        daemon, proxy, archive = self.daemon, self._proxy, self.archive
        return {
            "kill -9": lambda: self._without(daemon.kill, daemon.start),
            "SIGTERM": lambda: self._without(daemon.stop, daemon.start),
            "disk full": lambda: between(daemon.fill_disk, daemon.empty_disk),
            "refused port": lambda: self._without(proxy.refuse, proxy.listen),
            "half-open": lambda: between(proxy.hold, proxy.release),
            "slow": lambda: between(lambda: self._slow(SLOW_S), lambda: self._slow(0)),
            "cut": lambda: between(proxy.cut, lambda: None),
            "recorder away": lambda: between(archive.go, archive.come),
            "hour forth": lambda: self._clock_wrong(HOUR_S),
            "hour back": lambda: self._clock_wrong(-HOUR_S),
        }

    @asynccontextmanager
    async def _without(
        self, end: Callable[[], Awaitable[None]], begin: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[None]:
        await end()
        yield
        await begin()

    def _clock_wrong(self, by_s: int) -> AbstractAsyncContextManager[None]:
        return between(lambda: self._set_clock(by_s), lambda: self._set_clock(0))

    def _slow(self, by_s: float) -> None:
        self._proxy.delay_s = by_s

    def _set_clock(self, by_s: int) -> None:
        fresh = self._clock.with_suffix(".new")
        fresh.write_text(str(by_s))
        fresh.replace(self._clock)

    # --- what is seen of it --------------------------------------------------------------------

    def _decided(self, at_ns: int, words: bytes) -> None:
        self._decisions.setdefault(words, (at_ns, self._well()))

    def _came(self, key: verdict.Key) -> None:
        """A transition has arrived: how long that took, and whether all was well meanwhile."""
        words = stripped(self.archive.law.got[key])
        if words not in self._decisions:
            self.archive.wrong.append(f"nobody has decided {key}")
            return
        at_ns, calm = self._decisions[words]
        took_s = (monotonic_ns() - at_ns) / 1e9
        self._room.figures.took(took_s, is_well=0 != calm == self._well())

    def _well(self) -> int:
        """The number of the present calm, 0 where there is none."""
        is_heard = self.archive.online and not self.archive.law.has_gap
        calms = [self.weather.calm, self._room.sky.calm]
        return sum(calms) if is_heard and all(calms) else 0

    # --- what must be so in the end ------------------------------------------------------------

    def look(self, there: dict[str, bytes], *, is_over: bool) -> list[str]:
        """All that is wrong now, with this retained at the broker; takes a while."""
        try:
            return self._look(there, is_over=is_over)
        except JournalError as error:
            return [str(error)]

    def _look(self, there: dict[str, bytes], *, is_over: bool) -> list[str]:
        settings = read_settings(self._live.configuration)
        law = self.archive.law
        got = dict(law.got)
        told = verdict.truth(settings.journal_folder, self._topics, is_over=is_over)
        blind = (words for life in self.daemon.lives if life.blind for words in life.decided)
        status = there.get(self._topics.at("status"), b"{}")
        wrong = [
            *told.twice,
            *verdict.missing(told.told, got),
            *verdict.altered(told.told, got),
            *verdict.invented(told.told, got, blind),
            *verdict.disordered(law.timely, list(self._decisions)),
            *verdict.unlike(status, "offline" if is_over else "online"),
            *([f"{told.unsent} wait in the outbox"] if told.unsent else []),
            *(["the recorder still asks"] if law.has_gap else []),
            *self.archive.wrong,
            *self.daemon.wrong,
        ]
        if wrong:
            return wrong
        stands, differs = verdict.standing(settings, books())
        return differs + verdict.wrongly_retained(stands, there, self._topics)

    def count(self) -> None:
        """What the table adds to the figures in the end."""
        folder = read_settings(self._live.configuration).journal_folder
        got, figures = self.archive.law.got, self._room.figures
        figures.outbox_bytes += (folder / FILE).stat().st_size
        figures.transitions += len(got)
        figures.alerts += len({alert for _, alert, _ in got})
        figures.again += self.archive.law.again
        figures.late += self.archive.late
        figures.asked += self.archive.asked
        figures.lives += len(self.daemon.lives)


@asynccontextmanager
async def between(bad: Callable[[], None], good: Callable[[], None]) -> AsyncIterator[None]:
    bad()
    yield
    good()
