"""What a simulated device will say, and when: bytes in the order of their times."""

from __future__ import annotations


class Replies:
    """A queue of bytes by the time (monotonic ms) at which they leave the device."""

    def __init__(self) -> None:
        self._due: list[tuple[int, bytes]] = []

    def add(self, at_ms: int, said: bytes) -> None:
        """Say these bytes at `at_ms`, behind whatever is already to be said by then."""
        self._due.append((at_ms, said))
        self._due.sort(key=lambda due: due[0])

    def clear(self) -> None:
        self._due.clear()

    def take(self, now_ms: int) -> bytes:
        """Return all that is due by now and forget it."""
        said = b"".join(said for at_ms, said in self._due if at_ms <= now_ms)
        self._due = [due for due in self._due if due[0] > now_ms]
        return said

    @property
    def next_ms(self) -> int | None:
        return self._due[0][0] if self._due else None
