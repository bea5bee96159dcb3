"""What comes in from the world: stamped once and taken in the same breath, with ticks between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from daemon.orders import Command
from daemon.signals import Chunk, Order, PortBack, PortLost, Signal, Tick

TICK_MS = 250


class Intake:
    """The way into the line. `take` gets every signal in the call that brings it.

    `at_ms` of what it gets never falls. `started_ms` is the time at which this run begins: 0, or
    where a resumed journal goes on. Nothing is queued: what the line has no time for waits in the
    ports' own buffers, and what those lose the devices' numbers tell.
    """

    def __init__(self, take: Callable[[Signal], None], started_ms: int = 0) -> None:
        self._take = take
        self._offset_ms = started_ms - time.monotonic_ns() // 1_000_000

    @property
    def now_ms(self) -> int:
        """Monotonic milliseconds since the journal's opening."""
        return time.monotonic_ns() // 1_000_000 + self._offset_ms

    def heard(self, port: str, data: bytes) -> None:
        """Bytes came from this port."""
        self._take(Chunk(self.now_ms, port, data))

    def lost(self, port: str) -> None:
        """This port is gone."""
        self._take(PortLost(self.now_ms, port))

    def back(self, port: str) -> None:
        """This port is open."""
        self._take(PortBack(self.now_ms, port))

    def ordered(self, command: Command, via: str) -> None:
        """A person wants this of the table."""
        self._take(Order(self.now_ms, command, via))

    async def tick(self) -> None:
        """Let time pass, for ever."""
        due_ms = self.now_ms
        while True:
            due_ms = max(due_ms + TICK_MS, self.now_ms)
            await asyncio.sleep((due_ms - self.now_ms) / 1000)
            self._take(Tick(self.now_ms))
