"""Hearing: whether the readers are heard. A card that did not land is given up only while they are.

An answer that is lost on the way costs a reader up to a second until it is asked again, and on a
busy machine each poll takes its time; a card that lies there all the while is not seen. A reader
that is silent for longer is lost by its port.
"""

from __future__ import annotations

from bisect import bisect_right

from daemon.table.layout import Layout
from daemon.table.places import STUB, plain

POLLS = 3  # what lies there has been seen by then: two of three
LATELY_MS = 400  # before the deadline; a reader polled each 100 ms has made four since. Ours
PATIENCE_MS = 3000  # the longest gap that is waited for
TIMES_MAX = 64  # of one reader's polls that are remembered


class Hearing:
    """The polled readers that see cards land, and when each was heard."""

    def __init__(self, layout: Layout) -> None:
        self._readers = frozenset(
            sensor.name
            for sensor in layout.sensors
            if sensor.polled and any(plain(place) != STUB for place in sensor.places.values())
        )
        self._times_ms: dict[str, list[int]] = {}
        self._lost_ms = 0

    def polled(self, sensor: str, at_ms: int) -> None:
        """A whole poll of this sensor came."""
        if sensor in self._readers:
            times = self._times_ms.setdefault(sensor, [])
            times.append(at_ms)
            del times[:-TIMES_MAX]

    def lost(self, sensor: str, at_ms: int) -> None:
        """This sensor is gone: nothing is waited for because of it."""
        if self._times_ms.pop(sensor, None) is not None:
            self._lost_ms = at_ms

    def given_up_ms(self, due_ms: int) -> int:
        """When a card that should have landed is given up: then, or once all have looked."""
        looked = (_looked_ms(times, due_ms - LATELY_MS) for times in self._times_ms.values())
        return max(due_ms, self._lost_ms, *looked)


def _looked_ms(times: list[int], since_ms: int) -> int:
    """When a reader has made enough polls since; while it has not, when it will be too late."""
    at = bisect_right(times, since_ms) + POLLS - 1
    return times[at] if at < len(times) else times[-1] + PATIENCE_MS
