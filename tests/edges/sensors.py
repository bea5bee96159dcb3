"""A device so simple that its bytes are its readings: for tests of the edges alone."""

from __future__ import annotations

from drivers.readings import Garbled, Reading


class Letters:
    """Takes any bytes as garbled."""

    def feed(self, data: bytes) -> list[Reading]:
        return [Garbled("a letter", data)]
