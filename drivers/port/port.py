"""A port kept open: opened, listened to, reopened for ever; its driver's talker is run."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from drivers.driver import Driver
from drivers.port.addresses import LISTENING, scheme
from drivers.port.calls import Calls
from drivers.port.opening import Line, Sight, close_line, discard, open_line, sight
from drivers.port.reasons import CALLED_ANEW, NO_CALL, SILENT, TAKES_NOTHING, WORLD, reason
from drivers.port.wire import Wire
from drivers.readings import Garbled

STALL_MS_MAX = 5_000
SILENT_MS_MAX = 60_000
STOOD_STILL_MS = 250  # later than that with its own timer, this process had no time for a reader
ANSWER_S = 0.001


def _nobody(_sent: bytes) -> None:
    """Nobody wants to know what was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ear:
    """Who is told what a port does, synchronously and in the order in which it happened.

    `on_lost` gets a short reason; it comes once for each outage, at the start too where the port is
    not there. `on_back` comes at every opening, but after `silent` with the first bytes only.
    """

    on_bytes: Callable[[bytes], None]
    on_lost: Callable[[str], None]
    on_back: Callable[[], None]
    on_sent: Callable[[bytes], None] = _nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """The pause before an opening: doubles from `first_s` to `most_s`, up to half off at random.

    Meanwhile the path is looked at every `look_s`: one that has come back is opened at once,
    however long it was away, and the pauses begin anew. What cannot be looked at, a socket, is
    tried at least every `unseen_s`.
    """

    first_s: float = 0.05
    most_s: float = 4.0
    look_s: float = 0.25
    unseen_s: float = 1.5


class Port:
    """One port of one driver, kept open for as long as `run` runs.

    `address` is a path (a keyboard's too), `socket://host:port`, `listen://host:port` where the
    device calls us (the last caller counts), or any URL of pyserial; `antennas` are given to the
    driver's talker. `trouble` is the last reason why the port is not there, None while it is.
    """

    def __init__(
        self,
        address: str,
        driver: Driver,
        ear: Ear,
        *,
        antennas: tuple[int, ...] = (),
        pauses: Pauses | None = None,
    ) -> None:
        self.address = address
        self.driver = driver
        self.antennas = antennas
        self.ear = ear
        self.trouble: str | None = None
        self.pauses = pauses or Pauses()
        self.silences = 0  # openings in a row in which nothing was heard
        self._is_back: bool | None = None
        self._calls: Calls | None = None

    async def run(self) -> None:
        """Open, listen, reopen until cancelled; raises what ear, decoder or talker raise."""
        # One thread, so that a close always comes before the next opening.
        aside = ThreadPoolExecutor(1, "port")
        pauses = self.pauses
        longest_s = min(pauses.unseen_s, pauses.most_s) if "://" in self.address else pauses.most_s
        pause_s = pauses.first_s
        try:
            while True:
                opened = sight(self.address)
                line = await self._line(aside)
                if line is not None and await self._listened(line, aside):
                    pause_s = pauses.first_s
                jitter = random.uniform(0.5, 1.0)  # noqa: S311 - no secret hangs on it
                has_come = await self._paused(pause_s * jitter, opened)
                pause_s = pauses.first_s if has_come else min(pause_s * 2, longest_s)
        finally:
            if self._calls is not None:
                self._calls.stop()
                self._calls = None
            aside.shutdown(wait=False)

    def back(self) -> None:
        """The port is open, or speaks again after a silence."""
        self.trouble = None
        if self._is_back is not True:
            self._is_back = True
            self.ear.on_back()

    def lost(self, why: str) -> None:
        """The port is gone, or never was there; told once for each outage."""
        self.trouble = why
        if self._is_back is not False:
            self._is_back = False
            self.ear.on_lost(why)

    async def _line(self, aside: ThreadPoolExecutor) -> Line | None:
        """The next line: opened, or of whoever calls; None where it cannot be opened."""
        if scheme(self.address) != LISTENING:
            return await self._opened(aside)
        if self._calls is None:
            door = await self._opened(aside)
            if door is None:
                return None
            self._calls = Calls(door)
            self.lost(NO_CALL)
        return await self._calls.caller()

    async def _paused(self, for_s: float, known: Sight | None) -> bool:
        """Wait until the next opening; out: whether the path stands for another device since."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + for_s
        await asyncio.sleep(min(self.pauses.first_s, for_s))  # a path that flickers is no reason
        while True:
            seen = sight(self.address)
            if seen not in (None, known):
                return True
            known = seen
            left_s = until_s - loop.time()
            if left_s <= 0:
                return False
            await asyncio.sleep(min(left_s, self.pauses.look_s))

    async def _opened(self, aside: ThreadPoolExecutor) -> Line | None:
        opening = aside.submit(open_line, self.address, self.driver)
        try:
            return await asyncio.wrap_future(opening)
        except asyncio.CancelledError:
            # The thread cannot be stopped: what it opens is closed there.
            aside.submit(discard, opening)
            raise
        except WORLD as error:
            self.lost(reason(error, self.address))
            return None

    async def _listened(self, line: Line, aside: ThreadPoolExecutor) -> bool:
        """Listen until the line ends; out: whether anything was heard."""
        try:
            talk = _Talk(line.fd, self)
            if self._calls is not None:
                self._calls.superseded = partial(talk.end, CALLED_ANEW)
            try:
                talk.begin()
                await talk.over
            finally:
                talk.stop()
                if self._calls is not None:
                    self._calls.superseded = None
        finally:
            await asyncio.shield(asyncio.wrap_future(aside.submit(close_line, line)))
        return talk.heard_any


class _Talk:
    """One opening up to its end: the driver's talker, and the watch over the silence."""

    def __init__(self, fd: int, port: Port) -> None:
        driver = port.driver
        self.heard_any = False
        self._port = port
        self._decoder = driver.decoder()
        self._talker = None if driver.talker is None else driver.talker(port.antennas)
        self._wire = Wire(fd, self)
        self._quiet_ms = self._wire.now_ms
        self._stood_still = False

    @property
    def over(self) -> asyncio.Future[str]:
        return self._wire.over

    def begin(self) -> None:
        if not self._port.silences:
            self._port.back()
        if self._talker is not None:
            self._say(self._talker.start(self._wire.now_ms))
        self._arm()

    def end(self, reason: str) -> None:
        """End it for a reason that did not come over the line."""
        self._wire.soon(0, partial(self._wire.end, reason))

    def stop(self) -> None:
        self._wire.stop()

    def heard(self, data: bytes) -> None:
        self.heard_any = True
        if self._talker is None:
            self._spoke()
        self._port.silences = 0
        self._port.back()
        self._port.ear.on_bytes(data)
        if self._talker is not None:
            # The news is on its way to the floor: the next question to the device can wait for it.
            self._wire.soon(ANSWER_S, partial(self._answer, data))

    def _answer(self, data: bytes) -> None:
        if self._talker is not None:
            for reading in self._decoder.feed(data):
                if not isinstance(reading, Garbled):
                    self._spoke()
                self._say(self._talker.hear(reading, self._wire.now_ms))
            self._arm()

    def _spoke(self) -> None:
        self._quiet_ms, self._stood_still = self._wire.now_ms, False

    def sent(self, data: bytes) -> None:
        self._port.ear.on_sent(data)

    def ended(self, reason: str) -> None:
        self._port.lost(reason)

    def due(self) -> None:
        now_ms = self._wire.now_ms
        stalled_ms = self._wire.stalled_ms
        if stalled_ms is not None and now_ms >= stalled_ms + STALL_MS_MAX:
            self._wire.end(TAKES_NOTHING)
        elif _passed(self._silent_at_ms, now_ms):
            self._fall_silent(now_ms)
        elif self._talker is not None and _passed(self._talker.next_ms, now_ms):
            self._say(self._talker.wake(now_ms))
        self._arm()

    def _fall_silent(self, now_ms: int) -> None:
        """It has said nothing for too long; where we did not look meanwhile, look once more."""
        if _passed(self._silent_at_ms, now_ms - STOOD_STILL_MS) and not self._stood_still:
            self._quiet_ms, self._stood_still = now_ms, True
            return
        self._port.silences += 1
        self._wire.end(SILENT)

    @property
    def _silent_at_ms(self) -> int | None:
        allowed_ms = self._port.driver.silent_after_ms
        if allowed_ms is None:
            return None
        longest_ms = max(allowed_ms, SILENT_MS_MAX)
        return self._quiet_ms + min(allowed_ms << min(self._port.silences, 16), longest_ms)

    def _say(self, data: bytes) -> None:
        if not self._wire.send(data):
            self._wire.end(TAKES_NOTHING)

    def _arm(self) -> None:
        self._wire.wake_at(self._silent_at_ms)
        if self._talker is not None:
            self._wire.wake_at(self._talker.next_ms)
        if self._wire.stalled_ms is not None:
            self._wire.wake_at(self._wire.stalled_ms + STALL_MS_MAX)


def _passed(at_ms: int | None, now_ms: int) -> bool:
    return at_ms is not None and now_ms >= at_ms
