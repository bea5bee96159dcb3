"""An evening of faults for real: tables on ptys, their daemons, a broker, and what lies between."""

from __future__ import annotations

import asyncio
import getpass
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from signal import SIGCONT, SIGSTOP, Signals
from time import monotonic

from tests.chaos.archive import retained
from tests.chaos.figures import Figures
from tests.chaos.process import EndedByItselfError
from tests.chaos.table import Room, Table, between
from tests.chaos.weather import OF_THE_BROKER, Weather, Wrong, plan
from tests.conftest import Broker, free_port
from tests.hil.test_line import FOUNDING, incident_of

TABLES = 5
BROKER_EVERY_S = 6.0
SETTLED_WITHIN_S = 150
LAST_HAND_S = 150
LOOK_S = 1.0
AWAY_BEFORE_S = 4.0
KINDS = 5
CONF = f"""\
user {getpass.getuser()}
listener {{port}} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence true
persistence_location {{folder}}/
max_queued_messages 0
log_dest file {{log}}
"""


class Evening:
    """The evening of this seed. `wrong` is what must not be, when `run` is over."""

    def __init__(self, folder: Path, seed: int, seconds: float) -> None:
        self.figures = Figures()
        self.wrong: list[str] = []
        self.happened: list[str] = []
        self._seconds = seconds
        self._broker = Broker(folder, free_port(), conf=CONF)
        faults = plan(f"{seed}", OF_THE_BROKER, seconds, BROKER_EVERY_S)
        self._weather = Weather(faults, OF_THE_BROKER, self._kinds(), self._heed)
        port, sky = self._broker.port, self._weather
        room = Room(seed, seconds, port, sky, self.figures, self._heed)
        self.tables = [Table(room, folder / f"poker-{n}") for n in range(1, TABLES + 1)]
        kinds = random.Random(f"{seed} hands").sample(list(FOUNDING.items()), KINDS)
        self._hands = [incident_of(*kind).events for kind in kinds]
        self._began_s = monotonic()

    async def run(self) -> None:
        """All of it: hands and faults, then quiet until all has settled, and the judgement."""
        await asyncio.to_thread(self._broker.start)
        try:
            async with AsyncExitStack() as stack:
                for table in self.tables:
                    await stack.enter_async_context(table.there())
                self._began_s = monotonic()
                await self._guarded()
                await self._judge()
        except* EndedByItselfError as ended:
            self.wrong += map(str, ended.exceptions)
        finally:
            await asyncio.to_thread(self._broker.stop)

    async def _guarded(self) -> None:
        """The faults and the quiet; raises where a daemon ends that nobody has ended."""
        async with asyncio.TaskGroup() as group:
            guards = [group.create_task(table.daemon.guard()) for table in self.tables]
            async with asyncio.timeout(self._seconds + LAST_HAND_S):
                await asyncio.gather(
                    self._weather.run(),
                    *(table.weather.run() for table in self.tables),
                    *(table.play(self._hands) for table in self.tables),
                )
            self._heed("healed")
            await self._settle()
            for guard in guards:
                guard.cancel()

    def _heed(self, words: str) -> None:
        self.happened.append(f"{monotonic() - self._began_s:.2f} {words}")

    def told(self) -> list[str]:
        """What happened when, and the last words of each table's daemons."""
        logs = (f"{table.name}: {said}" for table in self.tables for said in table.daemon.log)
        return [*self.happened, *logs]

    # --- what goes wrong -----------------------------------------------------------------------

    def _kinds(self) -> dict[str, Wrong]:
        return {
            "broker SIGTERM": lambda: self._without_broker(kill=False),
            "broker SIGKILL": self._broker_forgets,
            "broker hung": lambda: between(self._send(SIGSTOP), self._send(SIGCONT)),
        }

    @asynccontextmanager
    async def _without_broker(self, *, kill: bool) -> AsyncIterator[None]:
        await asyncio.to_thread(self._broker.stop, kill=kill)
        yield
        await asyncio.to_thread(self._broker.start)

    @asynccontextmanager
    async def _broker_forgets(self) -> AsyncIterator[None]:
        """Killed with what waits there for recorders that are away: confirmed, and lost."""
        for table in self.tables:
            table.archive.go()
        await asyncio.sleep(AWAY_BEFORE_S)
        async with self._without_broker(kill=True):
            yield
        for table in self.tables:
            table.archive.come()

    def _send(self, number: Signals) -> Callable[[], None]:
        def send() -> None:
            assert self._broker.process is not None
            self._broker.process.send_signal(number)

        return send

    # --- what must be so in the end ------------------------------------------------------------

    async def _settle(self) -> None:
        """Wait until nothing is wrong any more; what still is in the end counts as wrong.

        One look may find an alert that is raised again while the broker and the journal are read.
        """
        healed_s = monotonic()
        while wrong := await asyncio.to_thread(self._look, is_over=False):
            if monotonic() - healed_s > SETTLED_WITHIN_S:
                break
            await asyncio.sleep(LOOK_S)
        self.wrong += wrong
        self.figures.settled_s = monotonic() - healed_s

    async def _judge(self) -> None:
        """What is wrong once the daemons are stopped, and what that took."""
        for table in self.tables:
            await table.daemon.stop()
        self.wrong += await asyncio.to_thread(self._look, is_over=True)
        for table in self.tables:
            table.count()
        for weather in (self._weather, *(table.weather for table in self.tables)):
            self.figures.faults += weather.seen

    def _look(self, *, is_over: bool) -> list[str]:
        """All that is wrong now; takes a while."""
        there = retained(self._broker.port)
        return [
            f"{table.name}: {words}"
            for table in self.tables
            for words in table.look(there, is_over=is_over)
        ]
