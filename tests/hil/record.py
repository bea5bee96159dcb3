"""A port under test, and what it told: bytes, losses, returns, in their order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from drivers.driver import Driver
from drivers.port import Ear, Pauses, Port
from drivers.readings import Answered, Reading

SOON_S = 30
QUICK = Pauses(first_s=0.01, most_s=0.02)


class Lines:
    """A decoder of lines: each is an answer."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, data: bytes) -> list[Reading]:
        *whole, self.rest = (self.rest + data).split(b"\n")
        return [Answered(0, line) for line in whole]


class Asker:
    """A talker that greets, answers `ping` and asks again every 20 ms."""

    def __init__(self, antennas: tuple[int, ...]) -> None:
        self.antennas = antennas
        self.next_ms: int | None = None

    def start(self, now_ms: int) -> bytes:
        self.next_ms = now_ms + 20
        return b"hello %d\n" % len(self.antennas)

    def hear(self, reading: Reading, now_ms: int) -> bytes:  # noqa: ARG002
        return b"pong\n" if reading == Answered(0, b"ping") else b""

    def wake(self, now_ms: int) -> bytes:
        self.next_ms = now_ms + 20
        return b"poll\n"


PLAIN = Driver(name="plain", title="a line", decoder=Lines)
ASKING = Driver(name="asking", title="asks", decoder=Lines, talker=Asker)


@dataclass
class Record:
    """What a port told, in order; `until` waits for it without sleeping."""

    news: list[object] = field(default_factory=list)
    heard: bytearray = field(default_factory=bytearray)
    said: bytearray = field(default_factory=bytearray)
    calls: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def ear(self) -> Ear:
        return Ear(
            on_bytes=self.on_bytes,
            on_lost=self.tell,
            on_back=lambda: self.tell("back"),
            on_sent=self.on_sent,
        )

    def on_bytes(self, data: bytes) -> None:
        self.heard += data
        self.calls += 1
        self.changed.set()

    def on_sent(self, data: bytes) -> None:
        self.said += data
        self.changed.set()

    def tell(self, word: str) -> None:
        self.news.append(word)
        self.changed.set()

    async def until(self, claim: Callable[[], bool], within_s: float = SOON_S) -> None:
        async with asyncio.timeout(within_s):
            while not claim():
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def listening(
    address: str, driver: Driver = PLAIN, antennas: tuple[int, ...] = (), pauses: Pauses = QUICK
) -> AsyncIterator[Record]:
    record = Record()
    port = Port(address, driver, record.ear(), antennas=antennas, pauses=pauses)
    task = asyncio.create_task(port.run())
    try:
        yield record
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def turns_of_the_loop(for_s: float) -> int:
    """How often the loop selects meanwhile: a reader left on a dead line shows as thousands."""
    loop = asyncio.get_running_loop()
    turns = 0
    select = loop._selector.select  # type: ignore[attr-defined]

    def counted(timeout: float | None = None) -> object:
        nonlocal turns
        turns += 1
        return select(timeout)

    loop._selector.select = counted  # type: ignore[attr-defined]
    try:
        await asyncio.sleep(for_s)
    finally:
        del loop._selector.select  # type: ignore[attr-defined]
    return turns
