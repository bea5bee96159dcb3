"""A device that says again what one has said, with its times; what it is asked changes nothing."""

from __future__ import annotations

from collections.abc import Iterable


class Recorded:
    """Says `said`, bytes with their times (ms, never falling), once.

    It begins with the host's first question, so that the port is open, or with the first `wake`
    where the host is one that asks nothing. `speed` is how many times faster than it was recorded.
    """

    def __init__(
        self, said: Iterable[tuple[int, bytes]], *, asked_first: bool = True, speed: float = 1
    ) -> None:
        self._said = list(said)
        self._asked_first = asked_first
        self._speed = speed
        self._at = 0
        self._begun_ms: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether all is said."""
        return self._at == len(self._said)

    def hear(self, data: bytes, now_ms: int) -> bytes:
        """Take the host's bytes, whatever they ask; return what was said by this time."""
        if data:
            self._begin(now_ms)
        return self._due(now_ms)

    def wake(self, now_ms: int) -> bytes:
        """Return what was said by this time."""
        if not self._asked_first:
            self._begin(now_ms)
        return self._due(now_ms)

    @property
    def next_ms(self) -> int | None:
        """When the next bytes were said; None where the host is waited for, or all is said."""
        if self.is_over:
            return None
        if self._begun_ms is None:
            return None if self._asked_first else 0
        return self._time_of(self._at, self._begun_ms)

    def _begin(self, now_ms: int) -> None:
        if self._begun_ms is None:
            self._begun_ms = now_ms

    def _due(self, now_ms: int) -> bytes:
        begun_ms, first = self._begun_ms, self._at
        if begun_ms is None:
            return b""
        while not self.is_over and self._time_of(self._at, begun_ms) <= now_ms:
            self._at += 1
        return b"".join(said for _, said in self._said[first : self._at])

    def _time_of(self, number: int, begun_ms: int) -> int:
        after_ms = self._said[number][0] - self._said[0][0]
        return begun_ms + round(after_ms / self._speed)
