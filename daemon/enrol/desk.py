"""Where an operator sits: one reader's port and the keyboard, both told to one dialogue."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from drivers.driver import Driver
from drivers.port import Ear, Port
from drivers.readings import Reading

TICK_S = 0.1
READ_BYTES_MAX = 4096
LINE_BYTES_MAX = 256


class Dialogue(Protocol):
    """What is talked about; every call comes from the loop, times are monotonic milliseconds."""

    def hear(self, reading: Reading, now_ms: int) -> None:
        """The reader said this."""
        ...

    def wake(self, now_ms: int) -> None:
        """A tenth of a second has passed."""
        ...

    def take(self, line: str) -> None:
        """The operator said this."""
        ...

    def stop(self) -> None:
        """The operator wants to end it (Ctrl-C), or the machine does."""
        ...

    def port(self, trouble: str | None) -> None:
        """The reader is gone for this reason, or there (None)."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to talk about."""
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """The device on the desk; `antennas` are given to its talker."""

    address: str
    driver: Driver
    antennas: tuple[int, ...] = ()


async def sit(reader: Reader, dialogue: Dialogue) -> None:
    """Hold the dialogue until it is over."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, dialogue.stop)
    decoder = reader.driver.decoder()

    def heard(data: bytes) -> None:
        for reading in decoder.feed(data):
            dialogue.hear(reading, _now_ms(loop))

    def back() -> None:
        nonlocal decoder
        decoder = reader.driver.decoder()
        dialogue.port(None)

    ear = Ear(on_bytes=heard, on_lost=dialogue.port, on_back=back)
    port = Port(reader.address, reader.driver, ear, antennas=reader.antennas)
    listening = asyncio.create_task(port.run())
    keys = Keys(loop)
    try:
        while not dialogue.is_over and not listening.done():
            for line in await keys.lines(TICK_S):
                dialogue.take(line)
            dialogue.wake(_now_ms(loop))
    finally:
        keys.close()
        listening.cancel()
        await asyncio.wait([listening])
    if not listening.cancelled():
        listening.result()  # raises what the dialogue raised


class Keys:
    """The lines of standard input, without blocking; where it has ended there are none."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._came = asyncio.Event()
        self._lines: list[str] = []
        self._rest = b""
        self._fd = -1 if sys.stdin is None else sys.stdin.fileno()
        if self._fd >= 0:
            try:
                loop.add_reader(self._fd, self._readable)
            except PermissionError:  # a file or /dev/null: nobody sits there
                self._fd = -1

    async def lines(self, within_s: float) -> list[str]:
        """What was said since the last call; waits so long for it and no longer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._came.wait()
        self._came.clear()
        lines, self._lines = self._lines, []
        return lines

    def close(self) -> None:
        """Listen no more. May be called twice."""
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            self._fd = -1

    def _readable(self) -> None:
        try:
            said = os.read(self._fd, READ_BYTES_MAX)
        except OSError:  # the terminal is gone
            said = b""
        if not said:
            self.close()
            return
        *lines, self._rest = (self._rest + said).split(b"\n")
        self._rest = self._rest[-LINE_BYTES_MAX:]
        self._lines += [line[:LINE_BYTES_MAX].decode(errors="replace").strip() for line in lines]
        if lines:
            self._came.set()


def _now_ms(loop: asyncio.AbstractEventLoop) -> int:
    return int(loop.time() * 1000)
