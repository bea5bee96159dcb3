"""What lies on an antenna: tags that came, and whether they have lain long enough to be taken.

A reader may tell a half or a shifted UID once, and cards put down together come one after the
other: a tag is steady after `SETTLE_MS`, at a polled reader in at least `STEADY_POLLS` polls.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from daemon.table.layout import Layout, Presence, Sensor
from daemon.table.reports import Reports
from drivers.readings import Inventory, Reading, TagGone, TagSeen

SETTLE_MS = 300  # ours: two cards laid at once have both been told by then
STEADY_POLLS = 3
PULSE_MS = 500  # ours: how long a tag counts as lying where a device tells arrivals only
TAGS_MAX = 256


@dataclass(slots=True)
class _Stay:
    """One tag that lies there: since when, in how many polls, missed in how many of the last."""

    since_ms: int
    polls: int = 0
    misses: int = 0


class Arrivals:
    """The tags on the `antennas` of a reader, empty for all of its antennas."""

    def __init__(self, sensor: Sensor, antennas: Collection[int] = ()) -> None:
        pulse = PULSE_MS if sensor.held_ms is None else sensor.held_ms
        self._antennas = frozenset(antennas)
        self._misses_max = sensor.presence.misses if sensor.polled else 1
        self._polls_min = STEADY_POLLS if sensor.polled else 1
        one_by_one = msgspec.structs.replace(
            sensor, polled=False, held_ms=pulse, presence=Presence(seen=1)
        )
        self._name = sensor.name
        self._reports = Reports(Layout("", "", 2, (one_by_one,)))
        self._stays: dict[str, _Stay] = {}

    def hear(self, reading: Reading, now_ms: int) -> None:
        """Take what the reader said."""
        match reading:
            case Inventory(tags):
                self._poll(tags, now_ms)
            case TagSeen() | TagGone():
                for _, tags in self._reports.take(self._name, reading, now_ms):
                    self._poll(tags, now_ms)
            case _:
                pass

    def lying(self, now_ms: int) -> dict[str, bool]:
        """Every tag that lies there (UID), and whether it is steady."""
        due_ms = self._reports.due_ms
        if due_ms is not None and due_ms <= now_ms:
            for _, tags in self._reports.expire(now_ms):
                self._poll(tags, now_ms)
        return {
            uid: now_ms - stay.since_ms >= SETTLE_MS and stay.polls >= self._polls_min
            for uid, stay in sorted(self._stays.items())
        }

    def lost(self) -> None:
        """The reader is gone: what it told is worth nothing when it is back."""
        self._reports.lost(self._name)
        self._stays.clear()

    def _poll(self, tags: tuple[tuple[int, str], ...], now_ms: int) -> None:
        here = {uid for antenna, uid in tags if not self._antennas or antenna in self._antennas}
        for uid, stay in list(self._stays.items()):
            stay.misses = 0 if uid in here else stay.misses + 1
            if stay.misses >= self._misses_max:
                del self._stays[uid]
        for uid in sorted(here):
            if len(self._stays) < TAGS_MAX or uid in self._stays:
                self._stays.setdefault(uid, _Stay(now_ms)).polls += 1
