"""What comes in from the world: stamped once and queued in the same breath, with ticks between."""

from __future__ import annotations

import asyncio
import time
from collections import deque

from daemon.signals import Chunk, PortBack, PortLost, Signal, Tick

TICK_MS = 250
SIGNALS_MAX = 4096


class Intake:
    """The queue before the line. `at_ms` of what comes out never falls.

    `started_ms` is the time at which this run begins: 0, or where a resumed journal goes on. When
    the line is `signals_max` signals behind, further bytes of a port are lost, and the line is told
    so: the port is lost, and back once there is room again. Ticks are left out then.
    """

    def __init__(self, started_ms: int = 0, signals_max: int = SIGNALS_MAX) -> None:
        self.overruns = 0
        self._offset_ms = started_ms - time.monotonic_ns() // 1_000_000
        self._signals_max = signals_max
        self._queue: deque[Signal] = deque()
        self._overrun: set[str] = set()
        self._waiting: asyncio.Future[None] | None = None

    @property
    def now_ms(self) -> int:
        """Monotonic milliseconds since the journal's opening."""
        return time.monotonic_ns() // 1_000_000 + self._offset_ms

    def heard(self, port: str, data: bytes) -> None:
        """Bytes came from this port."""
        if port in self._overrun:
            if len(self._queue) > self._signals_max // 2:
                return
            self._overrun.discard(port)
            self._put(PortBack(self.now_ms, port))
        if len(self._queue) < self._signals_max:
            self._put(Chunk(self.now_ms, port, data))
            return
        self.overruns += 1
        self._overrun.add(port)
        self._put(PortLost(self.now_ms, port))

    def lost(self, port: str) -> None:
        """This port is gone."""
        if port in self._overrun:  # the line knows it as lost already
            self._overrun.discard(port)
            return
        self._put(PortLost(self.now_ms, port))

    def back(self, port: str) -> None:
        """This port is open."""
        self._overrun.discard(port)
        self._put(PortBack(self.now_ms, port))

    async def tick(self) -> None:
        """Let time pass, for ever."""
        due_ms = self.now_ms
        while True:
            due_ms = max(due_ms + TICK_MS, self.now_ms)
            await asyncio.sleep((due_ms - self.now_ms) / 1000)
            if len(self._queue) < self._signals_max:
                self._put(Tick(self.now_ms))

    async def next(self) -> Signal:
        """The oldest signal that was not taken yet; only one task may wait here."""
        while not self._queue:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._queue.popleft()

    def take(self) -> Signal | None:
        """The oldest signal that was not taken yet, None where none is waiting."""
        return self._queue.popleft() if self._queue else None

    def _put(self, signal: Signal) -> None:
        self._queue.append(signal)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
