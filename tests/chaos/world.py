"""A simulated world for the daemon's core: a clock, a disk that fails, and lives that end.

Everything happens at a time on one clock and by one seed. What is written and what is on the disk
are two things here, as they are on a machine whose power can go.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from daemon.alarms.alert import Alert, Window
from daemon.edges.outbox import Row
from daemon.orders import Answer
from daemon.payloads import Coverage
from daemon.signals import Chunk, Signal
from daemon.table.figures import Figures
from daemon.table.layout import Layout
from daemon.transcript import Header, Published, Reader, Scribe
from tests import made_up

OPENED = datetime(2026, 11, 29, 20, 13, 31, tzinfo=UTC)
AUDIENCES = ("floor", "surveillance", "maintenance", "log")
LAST_REVISION = 5


class Clock:
    """What is to happen and when, in ms; the walls' clock may be set, this one never goes back."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.step_ms = 0  # by how much the walls' clock was set
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    @property
    def wall_ms(self) -> int:
        return round(OPENED.timestamp() * 1000) + self.now_ms + self.step_ms

    def wall(self) -> datetime:
        return datetime.fromtimestamp(self.wall_ms / 1000, UTC)

    def after(self, ms: float, call: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._due, (self.now_ms + round(ms), self._count, call))

    def run_to(self, ms: int) -> None:
        while self._due and self._due[0][0] <= ms:
            self.now_ms, _, call = heapq.heappop(self._due)
            call()
        self.now_ms = ms


@dataclass
class Disk:
    """The folder of a table: what is written of the journals, what is synced, what sqlite holds.

    `full` refuses everything; a sync takes between `fastest_ms` and `slowest_ms`.
    """

    clock: Clock
    chance: random.Random
    full: bool = False
    fastest_ms: float = 1
    slowest_ms: float = 30
    journals: dict[str, list[str]] = field(default_factory=dict)
    synced: dict[str, int] = field(default_factory=dict)
    rows: dict[int, tuple[Row, int, int | None]] = field(default_factory=dict)

    def latency_ms(self) -> float:
        return self.chance.uniform(self.fastest_ms, self.slowest_ms)

    def lose_power(self) -> None:
        """Only what is synced stays, and of the rest as much as happened to reach the disk."""
        for name, lines in self.journals.items():
            kept = self.chance.randint(self.synced[name], len(lines))
            del lines[kept:]
            self.synced[name] = kept

    def lines(self, name: str) -> list[bytes]:
        """The alerts that a journal says were published."""
        return [entry.line for entry in self.entries(name) if isinstance(entry, Published)]

    def entries(self, name: str) -> list[Any]:
        reader = Reader()
        return [entry for line in self.journals[name] for entry in reader.take(line)]


class PaperJournal:
    """The journal's interface on the simulated disk: the real words, held where it is full."""

    def __init__(self, disk: Disk, header: Header) -> None:
        self._disk = disk
        self._name = header.name
        self._held: list[str] = []
        self._scribe = Scribe()
        self._hand: str | None = None
        self.alive = True
        self.header = header
        disk.journals.setdefault(self._name, [])
        disk.synced.setdefault(self._name, 0)
        self._take(self._scribe.header(header))

    @property
    def trouble(self) -> str | None:
        return "No space left on device" if self._held else None

    def signal(self, signal: Signal) -> None:
        self._held += self._scribe.signal(signal)

    def write(self, at_ms: int) -> None:
        del at_ms
        self._take([])

    def published(self, at_ms: int, alert: bytes) -> None:
        self._take(self._scribe.published(at_ms, alert))

    def remark(self, at_ms: int, words: str) -> None:
        self._take(self._scribe.remark(at_ms, words))

    def hand(self, at_ms: int, hand: str | None, carried: object) -> None:
        del at_ms, carried
        if hand != self._hand:
            self._hand = hand
            self.sync()

    def sync(self) -> None:
        written = len(self._disk.journals[self._name])
        self._disk.clock.after(self._disk.latency_ms(), lambda: self._synced(written))

    def _synced(self, written: int) -> None:
        if self.alive and not self._disk.full:
            self._disk.synced[self._name] = max(self._disk.synced[self._name], written)

    def _take(self, lines: list[str]) -> None:
        self._held += lines
        if not self._disk.full:
            self._disk.journals[self._name] += self._held
            self._held = []


class PaperShelf:
    """The shelf's interface on the simulated disk: commits in groups, some time later."""

    def __init__(self, disk: Disk) -> None:
        self.trouble: str | None = None
        self.alive = True
        self._disk = disk
        self._work: deque[tuple[str, Any]] = deque()
        self._busy = False

    def kept(self) -> tuple[list[Row], set[str], int]:
        rows = self._disk.rows
        left = [row for row, _, confirmed_ms in rows.values() if confirmed_ms is None]
        keys = {row.message.key for row, *_ in rows.values()}
        return sorted(left, key=lambda row: row.number), keys, max(rows, default=0)

    def put(self, row: Row) -> None:
        self._work.append(("put", (row, self._disk.clock.wall_ms)))

    def confirmed(self, number: int) -> None:
        self._work.append(("confirmed", (number, self._disk.clock.wall_ms)))

    def sync(self) -> None:
        if self._work and not self._busy:
            self._busy = True
            self._disk.clock.after(self._disk.latency_ms(), self._commit)

    def again(self, age_ms: int, most: int, take: Callable[[list[Row]], object]) -> None:
        def read() -> None:
            self._commit()
            since_ms = self._disk.clock.wall_ms - age_ms
            held = [values[0] for kind, values in self._work if kind == "put"]
            done = {values[0] for kind, values in self._work if kind == "confirmed"}
            found = [
                row
                for row, put_ms, confirmed_ms in self._disk.rows.values()
                if (confirmed_ms is not None or row.number in done) and put_ms >= since_ms
            ]
            found += [row for row in held if row.number in done]
            if self.alive:
                take(sorted(found, key=lambda row: row.number)[:most])

        self._disk.clock.after(self._disk.latency_ms(), read)

    def close(self) -> None:
        self._commit()

    def _commit(self) -> None:
        self._busy = False
        if not self.alive:
            return
        self.trouble = "No space left on device" if self._disk.full else None
        while self._work and not self._disk.full:
            kind, values = self._work.popleft()
            if kind == "put":
                row, put_ms = values
                self._disk.rows[row.number] = (row, put_ms, None)
            elif values[0] in self._disk.rows:
                row, put_ms, _ = self._disk.rows[values[0]]
                self._disk.rows[values[0]] = (row, put_ms, values[1])


class PaperMark:
    """The mark of a whole journal: it can be taken away on a full disk."""

    stands = False

    def keep(self, name: str, *, whole: bool) -> None:
        """Set it or take it away; the world knows the name."""
        del name
        self.stands = whole


class NoLedger:
    """No figures tag by tag."""

    trouble: str | None = None

    def write(self, figures: dict[str, Any]) -> None:
        """Nowhere."""


class ToyLine:
    """A line whose every byte is the next transition of the alert of that name.

    Five revisions, then it is closed and the name begins anew; the audience goes with the name,
    and with one of them it changes on the way.
    """

    answer: Answer | None = None

    def __init__(self, layout: Layout) -> None:
        self.key_figures = made_up.figures()
        self.troubles: list[str] = []
        self.figures = Figures(layout)
        self._opened = (layout.opened or "").replace("-", "").replace(":", "")
        self._revisions: dict[str, tuple[int, int]] = {}
        self.standing: dict[str, Alert] = {}

    def step(self, signal: Signal) -> list[Alert]:
        if not isinstance(signal, Chunk):
            return []
        return [self._next(letter, signal.at_ms) for letter in signal.data.decode()]

    def carried(self) -> bytes | None:
        return None

    def coverage(self) -> Coverage:
        return made_up.coverage()

    def dealt(self) -> list[Any]:
        return []

    def hand_view(self) -> dict[str, Any]:
        return {**made_up.hand(str(len(self._revisions))), "table_state": "open"}

    def _next(self, letter: str, at_ms: int) -> Alert:
        number, revision = self._revisions.get(letter, (1, 0))
        if revision == LAST_REVISION:
            number, revision = number + 1, 0
        revision += 1
        self._revisions[letter] = (number, revision)
        place = ord(letter) % len(AUDIENCES)
        if letter == "a" and revision > 2:
            place = (place + 1) % len(AUDIENCES)
        state = "closed" if revision == LAST_REVISION else "raised"
        alert = Alert(
            id=f"t:{self._opened}:{number}:1:{letter}", revision=revision, table="t", hand="1",
            irregularity="turn-premature", state=state,
            final=False, seen=True, severity="high", audience=AUDIENCES[place], street="flop",
            subject="turn", seats=(), cards=(), at_ms=at_ms, known_ms=at_ms, at=None,
            rulebook="robert-classic", cite="", unconfirmed=False,
            window=Window("unlimited", open=True), remedy=(), text={}, evidence=(),
        )  # fmt: skip
        self.standing.pop(alert.id, None)
        if alert.standing:
            self.standing[alert.id] = alert
        return alert


def opened_at(clock: Clock, used: set[str]) -> str:
    """The opening of a new journal; a second is never used twice."""
    at = clock.wall().replace(microsecond=0)
    while f"{at:%Y-%m-%dT%H:%M:%SZ}" in used:
        at += timedelta(seconds=1)
    used.add(f"{at:%Y-%m-%dT%H:%M:%SZ}")
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
