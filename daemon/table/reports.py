"""Reports: a device that tells tags one by one, made into polls as of a reader that is asked.

A tag is in after `seen` reports within `held_ms`, and out `held_ms` after the last one, or at the
device's own word. A device without `held_ms` tells arrivals only: there a tag stays until it is
told elsewhere. Of several antennas of one device that tell the same tag, the one that told it most
often has it, then the one that heard it loudest.

`figures` takes the noise: `ghost`, each time a tag comes up at one antenna while another goes on
telling it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from daemon.table.figures import Figures
from daemon.table.layout import Layout, Sensor
from drivers.readings import TagGone, TagSeen

REPORTS_MAX = 32  # of one tag on one antenna that are remembered
TAGS_MAX = 1024  # on one device
WEAKEST_DBM = -128

Tag = tuple[int, str]
Poll = tuple[str, tuple[Tag, ...]]


@dataclass(slots=True)
class _Heard:
    """The reports of one tag on one antenna: when, and how loud the last one was.

    `first` and `last` are numbers of reports, counted over all devices.
    """

    first: int
    last: int
    times_ms: deque[int] = field(default_factory=lambda: deque(maxlen=REPORTS_MAX))
    rssi_dbm: int = WEAKEST_DBM

    def since(self, at_ms: int) -> int:
        return sum(time_ms >= at_ms for time_ms in self.times_ms)


class Reports:
    """All devices of a layout that are not polled."""

    def __init__(self, layout: Layout, figures: Figures | None = None) -> None:
        self._figures = figures or Figures(layout)
        self._number = 0
        self._sensors = {sensor.name: sensor for sensor in layout.sensors if not sensor.polled}
        self._heard: dict[str, dict[Tag, _Heard]] = {name: {} for name in self._sensors}

    def __contains__(self, sensor: str) -> bool:
        return sensor in self._sensors

    @property
    def due_ms(self) -> int | None:
        """When the next tag is out if it is not told again."""
        if not self._sensors:
            return None
        dues = [
            heard.times_ms[-1] + held_ms
            for name, tags in self._heard.items()
            if (held_ms := self._sensors[name].held_ms) is not None
            for heard in tags.values()
        ]
        return min(dues, default=None)

    def take(self, sensor: str, said: TagSeen | TagGone, at_ms: int) -> list[Poll]:
        """A device told of a tag; the polls that this is worth, of every device it concerns."""
        tags, tag = self._heard[sensor], (said.antenna, said.uid)
        if isinstance(said, TagGone):
            return [self._poll(sensor, at_ms)] if tags.pop(tag, None) is not None else []
        if tag not in tags and len(tags) >= TAGS_MAX:
            tags.pop(next(iter(tags)))
        self._number += 1
        heard = tags.setdefault(tag, _Heard(self._number, self._number))
        for _ in range(self._came_up_since(tags, tag, heard.last)):
            self._figures.note(sensor, "ghost")
        heard.last = self._number
        heard.times_ms.append(at_ms)
        heard.rssi_dbm = WEAKEST_DBM if said.rssi_dbm is None else said.rssi_dbm
        left = [name for name in self._sensors if self._has_left(name, sensor, tag)]
        return [*(self._poll(name, at_ms) for name in left), self._poll(sensor, at_ms)]

    def expire(self, due_ms: int) -> list[Poll]:
        """The time `due_ms` has passed: the polls of the devices whose tags are out with it."""
        polls = []
        for name, tags in self._heard.items():
            held_ms = self._sensors[name].held_ms
            if held_ms is None:
                continue
            out = [tag for tag, heard in tags.items() if heard.times_ms[-1] + held_ms <= due_ms]
            for tag in out:
                del tags[tag]
            if out:
                polls.append(self._poll(name, due_ms))
        return polls

    def lost(self, sensor: str) -> None:
        """The device is gone: what it told is worth nothing when it is back."""
        if sensor in self._heard:
            self._heard[sensor].clear()

    @staticmethod
    def _came_up_since(tags: dict[Tag, _Heard], tag: Tag, number: int) -> int:
        """How many other antennas began to tell this tag between two reports of this one."""
        others = (heard for other, heard in tags.items() if other[1] == tag[1] and other != tag)
        return sum(heard.first > number for heard in others)

    def _has_left(self, name: str, sensor: str, tag: Tag) -> bool:
        """Whether a tag that another antenna tells was held by this device for want of a word."""
        if self._sensors[name].held_ms is not None:
            return False
        tags = self._heard[name]
        here = [other for other in tags if other[1] == tag[1] and (name, other) != (sensor, tag)]
        for other in here:
            del tags[other]
        return bool(here) and name != sensor

    def _poll(self, name: str, at_ms: int) -> Poll:
        sensor, best = self._sensors[name], dict[str, tuple[int, int, int]]()
        for (antenna, uid), heard in self._heard[name].items():
            count = heard.since(at_ms - sensor.held_ms) if sensor.held_ms is not None else 1
            if count >= _reports_needed(sensor):
                rank = (count, heard.rssi_dbm, -antenna)
                best[uid] = max(best.get(uid, rank), rank)
        return name, tuple(sorted((-rank[2], uid) for uid, rank in best.items()))


def _reports_needed(sensor: Sensor) -> int:
    return 1 if sensor.held_ms is None else sensor.presence.seen
