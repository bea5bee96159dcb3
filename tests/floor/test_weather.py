"""Bad weather between a real table and the floor: nothing is lost by it, and nothing told twice."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from daemon.alarms.alert import Alert
from daemon.edges.journal import latest_journal, read_journal
from daemon.edges.settings import Settings
from daemon.floor.app import FloorApp
from daemon.transcript import Published
from tests.conftest import Broker, free_port
from tests.edges.conftest import make_alert  # noqa: F401 - a fixture
from tests.edges.test_app import configured as table_configured
from tests.edges.test_app import felt, running
from tests.edges.way import Way
from tests.floor.test_service import configured, floor, remembered, until

SITE = "venezia"
BLOWS = 30


class Sky:
    """All that can befall the floor, by chance."""

    def __init__(self, chance: random.Random, broker: Broker, way: Way, near: int, path: Path):
        self._chance = chance
        self._broker = broker
        self._way = way
        self._near = near
        self._path = path
        self._stack = AsyncExitStack()
        self._letters = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        self._open: list[str] = []
        self.app: FloorApp

    async def begin(self) -> None:
        self._stack = AsyncExitStack()
        self.app = await self._stack.enter_async_context(floor(self._path))

    async def end(self) -> None:
        await self._stack.aclose()

    async def blow(self) -> None:
        """One thing that happens."""
        kinds = [self.raised, self.closed, self.raised, self.closed, self.cut, self.silent]
        await self._chance.choice([*kinds, self.killed, self.restarted])()
        await asyncio.sleep(self._chance.uniform(0, 0.3))

    async def raised(self) -> None:
        if self._letters:
            self._open.append(self._letters.pop(0))
            os.write(self._near, self._open[-1].encode())

    async def closed(self) -> None:
        if self._open:
            letter = self._open.pop(self._chance.randrange(len(self._open)))
            os.write(self._near, letter.lower().encode())

    async def cut(self) -> None:
        self._way.cut()

    async def silent(self) -> None:
        self._way.swallows = True
        await asyncio.sleep(self._chance.uniform(0.1, 1.0))
        self._way.swallows = False
        self._way.cut()

    async def killed(self) -> None:
        self._broker.stop(kill=True)
        await asyncio.sleep(self._chance.uniform(0, 0.3))
        self._broker.start()

    async def restarted(self) -> None:
        await self.end()
        (self._path.parent / "state" / "heard").touch()
        for _ in range(self._chance.randrange(3)):
            await self._chance.choice([self.raised, self.closed])()
        await self.begin()

    @property
    def standing(self) -> set[str]:
        return set(self._open)


def told(settings: Settings) -> Counter[tuple[str, int]]:
    path = latest_journal(settings.journal_folder)
    assert path is not None
    entries = [entry for entry in read_journal(path) if isinstance(entry, Published)]
    said = [msgspec.json.decode(entry.line) for entry in entries]
    return Counter((one["id"], one["revision"]) for one in said)


async def test_in_any_weather_each_transition_is_remembered_once_and_what_stands_is_shown(
    own_broker: Broker,
    tmp_path: Path,
    make_alert: Callable[..., Alert],  # noqa: F811
) -> None:
    chance = random.Random(random.random())
    with felt() as (near, port):
        settings = table_configured(tmp_path, "poker-1", own_broker.url, port)
        async with Way(own_broker.port).open() as way:
            path = configured(tmp_path, own_broker, free_port(), SITE)
            text = path.read_text().replace(own_broker.url, f"mqtt://127.0.0.1:{way.address.port}")
            path.write_text(text)
            async with running(settings, make_alert):
                sky = Sky(chance, own_broker, way, near, path)
                await sky.begin()
                for _ in range(BLOWS):
                    await sky.blow()

                def shown() -> set[str]:
                    alerts = sky.app.room.snapshot("supervise")["alerts"]
                    return {one["alert"]["id"].rpartition(":")[2] for one in alerts}

                await until(lambda: shown() == sky.standing)
                await until(lambda: remembered(path) == told(settings))
                await sky.end()
            assert max(remembered(path).values(), default=1) == 1
