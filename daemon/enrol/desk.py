"""Where an operator sits: one reader's port and the keyboard, both told to one dialogue."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from drivers.driver import Driver
from drivers.port import Ear, Port
from drivers.port.reasons import PASSING
from drivers.readings import Reading

TICK_S = 0.1
READ_BYTES_MAX = 4096
LINE_BYTES_MAX = 256
LASTING_MS = 2000  # udev sets a port's group a moment after it has made it


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

    def unheard(self) -> None:
        """Nobody can say anything any more: standard input has ended, and it is no terminal."""
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


async def sit(
    reader: Reader, dialogue: Dialogue, why: Callable[[str], str] = lambda trouble: trouble
) -> str | None:
    """Hold the dialogue until it is over; out: why the port cannot be had, None where it could.

    `why` puts a port's trouble into the words that are told.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, dialogue.stop)
    decoder = reader.driver.decoder()
    watch = _Watch(dialogue, why)

    def heard(data: bytes) -> None:
        for reading in decoder.feed(data):
            dialogue.hear(reading, _now_ms(loop))

    def back() -> None:
        nonlocal decoder
        decoder = reader.driver.decoder()
        watch.back()

    ear = Ear(on_bytes=heard, on_lost=lambda why: watch.look(why, _now_ms(loop)), on_back=back)
    port = Port(reader.address, reader.driver, ear, antennas=reader.antennas)
    listening = asyncio.create_task(port.run())
    keys = Keys(loop)
    try:
        while not (dialogue.is_over or listening.done() or watch.is_hopeless):
            for line in await keys.lines(TICK_S):
                dialogue.take(line)
            if keys.end is not None:
                dialogue.stop() if keys.end is End.LEFT else dialogue.unheard()
                keys.end = None
            watch.look(port.trouble, _now_ms(loop))
            dialogue.wake(_now_ms(loop))
    finally:
        keys.close()
        listening.cancel()
        await asyncio.wait([listening])
    if not listening.cancelled():
        listening.result()  # raises what the dialogue raised
    return why(watch.trouble) if watch.is_hopeless and watch.trouble else None


class _Watch:
    """What becomes of the port: a trouble that may pass is told, one that does not is waited for.

    A port that was there once may be had again: another program may look at what was plugged in.
    """

    def __init__(self, dialogue: Dialogue, why: Callable[[str], str]) -> None:
        self.trouble: str | None = None
        self.is_hopeless = False
        self._dialogue = dialogue
        self._why = why
        self._since_ms = 0
        self._was_open = False

    def back(self) -> None:
        self.trouble, self._was_open = None, True
        self._dialogue.port(None)

    def look(self, trouble: str | None, now_ms: int) -> None:
        """The port's trouble at this time."""
        is_new, self.trouble = trouble != self.trouble, trouble
        if is_new:
            self._since_ms = now_ms
        if trouble is None:
            return
        if not self._was_open and trouble not in PASSING:
            self.is_hopeless = now_ms - self._since_ms >= LASTING_MS
        elif is_new:
            self._dialogue.port(self._why(trouble))


class End(Enum):
    """How standard input ended: at a terminal, where somebody wants to leave, or elsewhere."""

    LEFT = auto()
    SHUT = auto()


class Keys:
    """The lines of standard input, without blocking; `end` tells that there will be no more."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._came = asyncio.Event()
        self._lines: list[str] = []
        self._rest = b""
        self.end: End | None = None
        self._fd = -1 if sys.stdin is None else sys.stdin.fileno()
        if self._fd >= 0:
            try:
                loop.add_reader(self._fd, self._readable)
            except PermissionError:  # a file or /dev/null: nobody sits there
                self._fd = -1
        if self._fd < 0:
            self.end = End.SHUT

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
            self.end = End.LEFT if os.isatty(self._fd) else End.SHUT
            self.close()
            self._came.set()
            return
        *lines, self._rest = (self._rest + said).split(b"\n")
        self._rest = self._rest[-LINE_BYTES_MAX:]
        self._lines += [line[:LINE_BYTES_MAX].decode(errors="replace").strip() for line in lines]
        if lines:
            self._came.set()


def _now_ms(loop: asyncio.AbstractEventLoop) -> int:
    return int(loop.time() * 1000)
