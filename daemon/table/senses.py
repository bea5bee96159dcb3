"""Senses: what the table's sensors can see together, and what is missing while one is gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from daemon.table.events import Sense
from daemon.table.layout import Layout, Sensor
from daemon.table.places import STUB, plain, seat_of

SENSES: tuple[Sense, ...] = get_args(Sense)


def _listed(senses: Iterable[str]) -> tuple[Sense, ...]:
    """In the order of the public format, each once."""
    wanted = frozenset(senses)
    return tuple(sense for sense in SENSES if sense in wanted)


def _reach(sensor: Sensor) -> frozenset[tuple[str, str]]:
    """What a sensor lends, each sense of places once for every place: (sense, place or "").

    A table with a reader for each seat does not see all seats while one of them is gone.
    """
    pairs = []
    for sense in sensor.senses:
        of_sense = [
            place
            for place in sensor.places.values()
            if (seat_of(place) is not None if sense == "place" else plain(place) == sense)
        ]
        pairs += [(sense, place) for place in of_sense or [""]]
    return frozenset(pairs)


class Senses:
    """The sensors of a layout, alive or gone; all are alive at first."""

    def __init__(self, layout: Layout) -> None:
        self._sensors = {sensor.name: sensor for sensor in layout.sensors}
        self._live = dict.fromkeys(self._sensors, True)
        self.every = _listed(sense for sensor in layout.sensors for sense in sensor.senses)

    def __contains__(self, sensor: str) -> bool:
        return sensor in self._sensors

    def is_shoe(self, sensor: str) -> bool:
        """Whether this sensor tells which cards leave the stub, and in which order."""
        return sensor in self and "order" in self._sensors[sensor].senses

    def of(self, sensor: str) -> tuple[Sense, ...]:
        """What this sensor lends."""
        return _listed(self._sensors[sensor].senses) if sensor in self else ()

    @property
    def shoe(self) -> bool:
        """Whether the table has a living shoe."""
        return any("order" in sensor.senses for sensor in self._alive())

    @property
    def landings(self) -> bool:
        """Whether a living sensor sees cards at places other than the stub."""
        return any(
            plain(place) != STUB for sensor in self._alive() for place in sensor.places.values()
        )

    def turn(self, sensor: str, *, live: bool) -> tuple[Sense, ...] | None:
        """A sensor is gone or back; the senses gone or back with it, None where nothing changed."""
        if self._live.get(sensor, live) == live:
            return None
        before = self._missing()
        self._live[sensor] = live
        return _listed(self._missing() ^ before)

    def _alive(self) -> list[Sensor]:
        return [sensor for name, sensor in self._sensors.items() if self._live[name]]

    def _missing(self) -> frozenset[str]:
        seen = frozenset(pair for sensor in self._alive() for pair in _reach(sensor))
        return frozenset(
            sense
            for sensor in self._sensors.values()
            for sense, place in _reach(sensor)
            if (sense, place) not in seen
        )
