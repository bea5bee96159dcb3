"""How the sensors of a table stand, as people may know it."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.table.figures import SEATS
from daemon.table.layout import Sensor, at_seats

SILENT = "silent"
WORDS_S = 300  # a port that comes and goes is worth a line of log in this time, and ten at first
WORDS_MAX = 10


class SensorStates:
    """How each sensor stands; the readers at seats are told of together, as `ok` or `silent` only.

    Who could tell them apart could tell who looks at his cards.
    """

    def __init__(self, sensors: Sequence[Sensor]) -> None:
        self._at_seats = {sensor.name for sensor in sensors if at_seats(sensor)}
        self._why: dict[str, str] = {sensor.name: "not open yet" for sensor in sensors}
        self._told: dict[str, str] = {}
        self._logged: dict[str, tuple[float, int]] = {}

    def changed(self, sensor: Sensor, why: str) -> tuple[str, str] | None:
        """Note how it stands now (`ok`, or why it is lost); the topic's key and state if news."""
        self._why[sensor.name] = why
        if sensor.name in self._at_seats:
            all_ok = all(self._why[name] == "ok" for name in self._at_seats)
            key, state = SEATS, "ok" if all_ok else SILENT
        else:
            key, state = sensor.name, why if why in {"ok", SILENT} else "lost"
        if self._told.get(key) == state:
            return None
        self._told[key] = state
        return key, state

    def troubles(self) -> list[str]:
        """What is wrong, in words, one for each sensor and one for all readers at seats."""
        found = {
            "sensors at seats: silent" if name in self._at_seats else f"sensor {name}: {why}": None
            for name, why in self._why.items()
            if why != "ok"
        }
        return list(found)

    def may_log(self, name: str, now_ms: int) -> bool:
        """Whether a line of log is due: ten at first, and then one in `WORDS_S`."""
        left, at_ms = self._logged.get(name, (float(WORDS_MAX), now_ms))
        left = min(WORDS_MAX, left + (now_ms - at_ms) / 1000 / WORDS_S)
        may = left >= 1
        self._logged[name] = (left - 1 if may else left, now_ms)
        return may
