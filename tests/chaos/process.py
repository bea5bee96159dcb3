"""The table's daemon as a process: started, stopped, killed, and its disk full."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGTERM
from subprocess import PIPE
from time import monotonic

ROOT = Path(__file__).parents[2]
STOPPED_WITHIN_S = 30
SAID_BYTES_MAX = 1 << 20
STOPPED = {0, -SIGTERM}  # the second before it has come so far as to hear it
LOG_LINES = 400
AGAIN_S = 4.0  # a disk that refused is tried again every second


class EndedByItselfError(Exception):
    """The daemon is gone, and nobody has asked for it."""


@dataclass(slots=True)
class Life:
    """One run of the daemon.

    `blind` where its end came while it could not write, or before it had tried again.
    """

    process: asyncio.subprocess.Process
    ends: bool = False
    blind: bool = False
    decided: list[bytes] = field(default_factory=list)


class Process:
    """`decided` is called with what the line says, and when (monotonic ns).

    `wrong` is what a process must not do; `log` the last lines of what all of them wrote there.
    """

    def __init__(
        self, configuration: Path, clock: Path, decided: Callable[[int, bytes], None]
    ) -> None:
        self.wrong: list[str] = []
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.lives: list[Life] = []
        self._command = (
            *(sys.executable, "-m", "tests.chaos.daemon"),
            *(str(configuration), str(clock)),
        )
        self._decided = decided
        self._full = False
        self._emptied_s = -AGAIN_S
        self._gone = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def life(self) -> Life:
        """The one that runs, or that ran last."""
        return self.lives[-1]

    async def start(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            cwd=ROOT,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            limit=SAID_BYTES_MAX,
        )
        self.lives.append(Life(process))
        self._limit()
        self._tasks = [
            asyncio.create_task(self._listen(self.life)),
            asyncio.create_task(self._read_log(self.life)),
        ]

    async def guard(self) -> None:
        """Raises EndedByItselfError where that happens."""
        await self._gone.wait()
        raise EndedByItselfError(self.wrong[-1])

    async def kill(self) -> None:
        """kill -9."""
        self._about_to_end()
        if self.life.process.returncode is None:
            self.life.process.kill()
        await self._over()

    async def stop(self) -> None:
        """SIGTERM, as systemd stops it."""
        self._about_to_end()
        if self.life.process.returncode is None:
            self.life.process.terminate()
        try:
            async with asyncio.timeout(STOPPED_WITHIN_S):
                await self.life.process.wait()
        except TimeoutError:
            self.wrong.append(f"SIGTERM does not end the daemon within {STOPPED_WITHIN_S} s")
            self.life.process.kill()
        await self._over()
        if self.life.process.returncode not in STOPPED:
            self.wrong.append(f"SIGTERM: status {self.life.process.returncode}")

    def fill_disk(self) -> None:
        """From now on no file of the daemon's grows: EFBIG (Python ignores SIGXFSZ)."""
        self._full = True
        self._limit()

    def empty_disk(self) -> None:
        self._full, self._emptied_s = False, monotonic()
        self._limit()

    def _about_to_end(self) -> None:
        self.life.ends = True
        self.life.blind = self._full or monotonic() - self._emptied_s < AGAIN_S

    def _limit(self) -> None:
        process = self.life.process
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        if process.returncode is None:
            with suppress(ProcessLookupError):  # ended, and its end is not known here yet
                soft = 0 if self._full else hard
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (soft, hard))

    async def _over(self) -> None:
        await self.life.process.wait()
        await asyncio.gather(*self._tasks)

    async def _listen(self, life: Life) -> None:
        assert life.process.stdout is not None
        async for said in life.process.stdout:
            at_ns, _, words = said.partition(b" ")
            if words.endswith(b"}\n"):  # whoever is killed in mid-word has not published it
                life.decided.append(words[:-1])
                self._decided(int(at_ns), words[:-1])
        if not life.ends:
            self.wrong.append(f"the daemon ended by itself: {await life.process.wait()}")
            self._gone.set()

    async def _read_log(self, life: Life) -> None:
        assert life.process.stderr is not None
        async for said in life.process.stderr:
            self.log.append(said.decode().rstrip())
