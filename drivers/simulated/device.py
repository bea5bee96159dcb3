"""What a simulated device is: the far end of the line, without I/O and without a clock."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


class Device(Protocol):
    """Host's bytes and time in, the device's bytes out. Physical verbs (lay, draw) are its own.

    A verb changes the device's state; what it says because of it comes out of the next `wake`.
    """

    def hear(self, data: bytes, now_ms: int) -> bytes:
        """Bytes from the host arrived, in any cut; return what the device sends back at once."""
        ...

    def wake(self, now_ms: int) -> bytes:
        """Time has come or a verb was used: return what the device says unasked (may be empty)."""
        ...

    @property
    def next_ms(self) -> int | None:
        """When `wake` must be called next, or None; 0 means at once."""
        ...


@runtime_checkable
class Greeter(Protocol):
    """A device that speaks first, to each that connects to it: most do not, and lack this."""

    def connected(self, now_ms: int) -> None:
        """There is a new line to the host; what is to be said comes out of the next `wake`."""
        ...
