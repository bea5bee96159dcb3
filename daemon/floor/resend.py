"""What a recorder asks again for: the lines of the time in which it did not hear.

Each table is asked once it is there, and again until it answers. How long the time was is known
over a restart, too: a mark in a file is touched as long as the broker is heard.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from daemon.orders import MINUTES_MAX, RESEND, Command

ASK_AGAIN_S = 60.0
ASKED_MAX = 10  # times in all: a table that never answers is an older one
MARGIN_MIN = 2
AT_ONCE_MAX = 20
WHO = "floor"


class Resends:
    """Which tables are to be asked for how many minutes; `boot` makes the questions ours."""

    def __init__(self, boot: str) -> None:
        self._boot = boot
        self._wave = 0
        self._minutes = 0
        self._since_s = 0.0
        self._asked: dict[tuple[str, str], tuple[int, float]] = {}  # how often, when last
        self._answered: set[tuple[str, str]] = set()

    def missed(self, away_s: float, now_s: float) -> None:
        """There was no connection for so long, until now."""
        unanswered = self._asked.keys() - self._answered
        still = self._minutes + (now_s - self._since_s) / 60 if unanswered else 0
        self._wave += 1
        self._since_s = now_s
        self._minutes = min(MINUTES_MAX, math.ceil(max(away_s / 60, still)) + MARGIN_MIN)
        self._asked.clear()
        self._answered.clear()

    def due(
        self, tables: Iterator[tuple[str, str]], now_s: float
    ) -> Iterator[tuple[str, str, Command]]:
        """Whom to ask now, of the tables that are there."""
        if not self._minutes:
            return
        count = 0
        for name in tables:
            times, last_s = self._asked.get(name, (0, -math.inf))
            if name in self._answered or times >= ASKED_MAX or now_s - last_s < ASK_AGAIN_S:
                continue
            self._asked[name] = (times + 1, now_s)
            yield (*name, self._question(now_s))
            count += 1
            if count == AT_ONCE_MAX:
                return

    @property
    def is_waiting(self) -> bool:
        """Whether a table that was asked may still answer."""
        return any(
            times < ASKED_MAX
            for name, (times, _) in self._asked.items()
            if name not in self._answered
        )

    def answered(self, site: str, table: str, number: str, *, ok: bool) -> bool:
        """Take an answer; whether it is one to a question of ours."""
        if not number.startswith(f"resend-{self._boot}-"):
            return False
        if ok and number == self._number():
            self._answered.add((site, table))
        return True

    def _question(self, now_s: float) -> Command:
        minutes = self._minutes + math.ceil((now_s - self._since_s) / 60)
        return Command(command=RESEND, minutes=min(MINUTES_MAX, minutes), by=WHO, id=self._number())

    def _number(self) -> str:
        return f"resend-{self._boot}-{self._wave}"


class Mark:
    """A file whose time says when the broker was heard last, by the clock on the wall."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def away_s(self) -> float | None:
        """For how long it was not heard until now; None where it never was. Blocks."""
        try:
            return max(0.0, time.time() - self._path.stat().st_mtime)
        except OSError:
            return None

    def touch(self) -> None:
        """It is heard now. Blocks; where the disk refuses, more is asked for after a restart."""
        with suppress(OSError):
            self._path.touch(mode=0o600)
            os.utime(self._path)
