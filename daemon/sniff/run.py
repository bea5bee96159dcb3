"""`floorcall sniff`, wired: one port, its decoder, the notebook, the screen or the lines."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from daemon import __version__
from daemon.signals import Chunk, PortBack, PortLost, Tick
from daemon.sniff.fit import Fit
from daemon.sniff.notebook import Names, Notebook
from daemon.sniff.recording import Recording, RecordingError
from daemon.sniff.screen import Standing, screen
from daemon.transcript import Header
from drivers.port import Ear, Port
from drivers.port.reasons import NO_CALL

DRAWN_S = 0.25
LINES_KEPT = 12
WELL, FAILED = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What was asked for: whether UIDs are shown, where to record to, when to end by itself."""

    show_uids: bool = False
    record: Path | None = None
    seconds: float | None = None


def sniff(fit: Fit, wish: Wish) -> int:
    """Listen until Ctrl-C, SIGTERM or the wished time; 0 where something was understood, else 1."""
    try:
        return asyncio.run(_Sniffer(fit, wish).run())
    except RecordingError as error:
        print(error, file=sys.stderr)  # noqa: T201 - the command's own words
        return FAILED


class _Sniffer:
    """One run on one port."""

    def __init__(self, fit: Fit, wish: Wish) -> None:
        self._fit = fit
        self._wish = wish
        self._book = Notebook(Names(show_uids=wish.show_uids), fit.places)
        self._decoder = fit.driver.decoder()
        self._console = Console(highlight=False, soft_wrap=True)
        self._last: deque[str] = deque(maxlen=LINES_KEPT)
        self._began_ms = time.monotonic_ns() // 1_000_000
        self._recording: Recording | None = None
        self._was_open = False
        self._trouble: str | None = "not open yet"
        self._over: asyncio.Future[int | None]

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        self._over = loop.create_future()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end, None)
        if self._wish.record is not None:
            self._recording = Recording(self._wish.record, _header(self._fit))
        try:
            status = await self._listen()
        finally:
            if self._recording is not None:
                self._recording.close(self._now_ms)
        for words in self._book.summary(self._now_ms):
            self._print(words)
        if status is None:
            status = WELL if self._book.good_ms is not None else FAILED
        return status

    async def _listen(self) -> int | None:
        """Until it is over; raises what went wrong with the recording, or a bug of ours."""
        fit, is_screen = self._fit, self._console.is_terminal
        ear = Ear(on_bytes=self._heard, on_lost=self._lost, on_back=self._back, on_sent=self._sent)
        port = Port(fit.port, fit.driver, ear, antennas=tuple(sorted(fit.places)))
        tasks = [asyncio.create_task(port.run()), asyncio.create_task(self._pass_time())]
        if is_screen:
            tasks.append(asyncio.create_task(self._draw()))
        try:
            ends: list[asyncio.Future[Any]] = [self._over, *tasks]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for bug in ended:
            if isinstance(bug, BaseException) and not isinstance(bug, asyncio.CancelledError):
                raise bug
        return self._over.result() if self._over.done() else None

    # --- what the port tells ---

    def _heard(self, data: bytes) -> None:
        at_ms = self._now_ms
        self._record(lambda recording: recording.signal(Chunk(at_ms, self._fit.name, data)))
        self._book.chunk(data)
        for reading in self._decoder.feed(data):
            for words in self._book.take(reading, at_ms):
                self._tell(words)

    def _sent(self, data: bytes) -> None:
        self._record(lambda recording: recording.sent(self._now_ms, self._fit.name, data))

    def _back(self) -> None:
        self._trouble, self._was_open = None, True
        self._decoder = self._fit.driver.decoder()
        self._record(lambda recording: recording.signal(PortBack(self._now_ms, self._fit.name)))
        self._tell("open")

    def _lost(self, why: str) -> None:
        self._trouble = why
        if why == NO_CALL:
            self._tell("waiting for the device to call")
        elif not self._was_open:
            print(f"{self._fit.port}: {why}", file=sys.stderr)  # noqa: T201
            self._end(FAILED)
        else:
            self._book.losses += 1
            self._record(lambda record: record.signal(PortLost(self._now_ms, self._fit.name)))
            self._tell(f"lost: {why}")

    # --- what is made of it ---

    @property
    def _now_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000 - self._began_ms

    def _end(self, status: int | None) -> None:
        if not self._over.done():
            self._over.set_result(status)

    def _record(self, write: Callable[[Recording], None]) -> None:
        if self._recording is not None:
            write(self._recording)

    def _tell(self, words: str) -> None:
        line = f"{self._now_ms / 1000:10.3f}  {words}"
        self._last.append(line)
        if not self._console.is_terminal:
            self._print(line)

    def _print(self, words: str) -> None:
        try:
            self._console.print(words, markup=False)
            self._console.file.flush()
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(FAILED)

    async def _pass_time(self) -> None:
        """What is being counted for the recording gets written; the wished end comes."""
        while True:
            await asyncio.sleep(DRAWN_S)
            self._record(lambda recording: recording.signal(Tick(self._now_ms)))
            seconds = self._wish.seconds
            if seconds is not None and self._now_ms >= seconds * 1000:
                self._end(None)

    async def _draw(self) -> None:
        record = None if self._wish.record is None else str(self._wish.record)
        with Live(console=self._console, screen=True, auto_refresh=False) as live:
            while True:
                standing = Standing(
                    port=self._fit.port,
                    driver=self._fit.driver.name,
                    trouble=self._trouble,
                    record=record,
                )
                shown = screen(self._book, standing, self._now_ms, list(self._last))
                with suppress(BrokenPipeError):
                    live.update(shown, refresh=True)
                await asyncio.sleep(DRAWN_S)


def _header(fit: Fit) -> Header:
    return Header(
        table=fit.table,
        site=fit.site,
        opened=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        version=__version__,
        rulebook=fit.rulebook,
        config=fit.config,
        digest="",
    )
