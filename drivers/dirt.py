"""Bytes a framer drops, gathered into one `Garbled` a stretch and bounded."""

from __future__ import annotations

from drivers.readings import Garbled

GARBLED_BYTES_MAX = 256


class Dirt:
    """What was dropped since the last good frame: the first reason, and the first bytes of it."""

    def __init__(self) -> None:
        self._reason = ""
        self._dropped = bytearray()

    def add(self, reason: str, dropped: bytes) -> None:
        self._reason = self._reason or reason
        self._dropped += dropped[: GARBLED_BYTES_MAX - len(self._dropped)]

    def take(self) -> list[Garbled]:
        """Return what was gathered as one reading, or none; begin anew."""
        if not self._reason:
            return []
        garbled = Garbled(self._reason, bytes(self._dropped))
        self._reason = ""
        self._dropped.clear()
        return [garbled]
