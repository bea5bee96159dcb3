"""Packets cut out of a stream of bytes by start, length and check: bounded, healing, any cut.

For packets that begin with one fixed byte, tell their length in their first bytes, and carry a
check. Such a start may occur inside a packet too, and behind a packet cut short stands the next one
where the rest of the first is waited for. So of all packets that may have begun, the one that is
whole first is read, as soon as its last byte is there, and what it overlaps was none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drivers.dirt import Dirt
from drivers.readings import Garbled


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a protocol's packets look.

    `length` is given the first `head_bytes` bytes and returns how many bytes the packet has that
    begins so, 0 where none does; `sound` says of a packet of that length whether it is one.
    """

    start: bytes
    head_bytes: int
    length: Callable[[bytes], int]
    sound: Callable[[bytes], bool]


@dataclass(slots=True)
class _Scan:
    """What the bytes at hand are: the packet whole first, what may yet become one, what failed."""

    whole: tuple[int, int] | None = None
    begun: int | None = None
    failed: int | None = None


class Packets:
    """Bytes in; whole packets and what was dropped out, oldest first.

    Its law: whatever came before, a good packet is read with its last byte. It holds less than one
    packet.
    """

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._pending = bytearray()
        self._dirt = Dirt()

    def feed(self, data: bytes) -> list[bytes | Garbled]:
        self._pending += data
        found: list[bytes | Garbled] = []
        while True:
            scan = self._scan()
            if scan.whole is None:
                keep = len(self._pending) if scan.begun is None else scan.begun
                self._drop(keep, scan.failed)
                return found + self._dirt.take()
            at, end = scan.whole
            self._drop(at, scan.failed)
            found += self._dirt.take()
            found.append(bytes(self._pending[: end - at]))
            del self._pending[: end - at]

    def _scan(self) -> _Scan:
        scan, shape = _Scan(), self._shape
        limit = len(self._pending)
        at = self._pending.find(shape.start)
        while 0 <= at < limit:
            head = bytes(self._pending[at : at + shape.head_bytes])
            is_told = len(head) == shape.head_bytes
            length = shape.length(head) if is_told else 0
            end = at + length
            if not is_told or end > len(self._pending):
                scan.begun = at if scan.begun is None else scan.begun
            elif length and end <= limit:
                if shape.sound(bytes(self._pending[at:end])):
                    scan.whole, limit = (at, end), end
                else:
                    scan.failed = at if scan.failed is None else scan.failed
            at = self._pending.find(shape.start, at + 1)
        return scan

    def _drop(self, count: int, failed: int | None) -> None:
        if count > 0:
            reason = "bad sum" if failed is not None and failed < count else "stray bytes"
            self._dirt.add(reason, bytes(self._pending[:count]))
            del self._pending[:count]
