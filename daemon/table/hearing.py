"""Hearing: whether the readers are heard. A card that did not land is given up only while they are.

An answer that is lost on the way costs a reader up to a second until it is asked again, and a card
that lies there all the while is not seen. A reader that is silent for longer is lost by its port.
"""

from __future__ import annotations

from daemon.table.layout import Layout
from daemon.table.places import STUB, plain

GAP_MS = 500  # a reader that is heard says something every 100 ms; ours
SETTLE_MS = 300  # behind a gap: two polls see what lies there
PATIENCE_MS = 3000  # the longest gap that is waited for


class Hearing:
    """The polled readers that see cards land, and when each was heard last."""

    def __init__(self, layout: Layout) -> None:
        self._readers = frozenset(
            sensor.name
            for sensor in layout.sensors
            if sensor.polled and any(plain(place) != STUB for place in sensor.places.values())
        )
        self._last_ms: dict[str, int] = {}
        self._settled_ms = 0  # by then what lay there in the last gap has been seen

    def polled(self, sensor: str, at_ms: int) -> None:
        """A whole poll of this sensor came."""
        if sensor not in self._readers:
            return
        if at_ms - self._last_ms.get(sensor, at_ms) > GAP_MS:
            self._settled_ms = at_ms + SETTLE_MS
        self._last_ms[sensor] = at_ms

    def lost(self, sensor: str, at_ms: int) -> None:
        """This sensor is gone: nothing is waited for because of it."""
        if self._last_ms.pop(sensor, None) is not None:
            self._settled_ms = max(self._settled_ms, at_ms)

    def given_up_ms(self, due_ms: int) -> int:
        """When a card that should have landed by `due_ms` has not: then, or once all are heard."""
        last_ms = min(self._last_ms.values(), default=due_ms)
        waits_ms = last_ms + PATIENCE_MS if due_ms > last_ms + GAP_MS else self._settled_ms
        return max(due_ms, waits_ms)
