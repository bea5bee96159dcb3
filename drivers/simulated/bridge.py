"""A microcontroller with readers: tells a tag once when it comes, in AA packets."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from drivers.bridge import BRIDGE, READERS_MAX, packet

BOOT_TEXT = b"\r\nNFC bridge\r\nReader 1 (Channel 0): OK - v1.6\r\nReady\r\n"
BEAT_MS = 1000


@dataclass(slots=True)
class Faults:
    """What goes wrong next: each number is counted down as it happens."""

    packets_lost: int = 0
    packets_corrupt: int = 0
    packets_cut: int = 0  # told without their last three bytes
    junk: bytes = b""  # put on the line in front of every packet


class SimulatedBridge:
    """Some readers behind one board; prints its boot text with the first `wake`.

    With `beats` it speaks the extension: a heartbeat each second, LEN 0 when a tag leaves a reader,
    and then once more what still lies there. Without, a tag that leaves is never told.
    """

    def __init__(self, *, beats: bool = False) -> None:
        self.faults = Faults()
        self._beats = beats
        self._tags: dict[int, list[str]] = {}
        self._unsaid: deque[bytes] = deque()
        self._booted = False
        self._hung = False
        self._beat_ms = 0

    def lay(self, uid: str, antenna: int = 1) -> None:
        """Put a tag (lower-case hex, 4, 7, 8 or 10 bytes) on a reader, of 1 to `READERS_MAX`."""
        assert 1 <= antenna <= READERS_MAX
        self._tags.setdefault(antenna, []).append(uid)
        self._tell(antenna, uid)

    def lift(self, uid: str, antenna: int = 1) -> None:
        """Take a tag off a reader."""
        left = self._tags[antenna]
        left.remove(uid)
        if self._beats:
            self._unsaid.append(packet(antenna - 1))
            for one in left:
                self._tell(antenna, one)

    def hang(self) -> None:
        """Fall silent for good."""
        self._hung = True

    def restart(self) -> None:
        """Lose power and come back: the boot text, and every tag told anew."""
        self._booted = self._hung = False
        self._unsaid.clear()
        for antenna, uids in self._tags.items():
            for uid in uids:
                self._tell(antenna, uid)

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002 - it is deaf
        return b""

    def wake(self, now_ms: int) -> bytes:
        if self._hung:
            return b""
        out = b"" if self._booted else BOOT_TEXT
        if not self._booted:
            self._booted, self._beat_ms = True, now_ms + BEAT_MS
        while self._unsaid:
            out += self._sent(self._unsaid.popleft())
        if self._beats and now_ms >= self._beat_ms:
            self._beat_ms = now_ms + BEAT_MS
            out += self._sent(packet(BRIDGE))
        return out

    @property
    def next_ms(self) -> int | None:
        if self._hung:
            return None
        if self._unsaid or not self._booted:
            return 0
        return self._beat_ms if self._beats else None

    def _tell(self, antenna: int, uid: str) -> None:
        self._unsaid.append(packet(antenna - 1, bytes.fromhex(uid)))

    def _sent(self, said: bytes) -> bytes:
        faults = self.faults
        if faults.packets_lost:
            faults.packets_lost -= 1
            return b""
        if faults.packets_corrupt:
            faults.packets_corrupt -= 1
            said = said[:-1] + bytes((said[-1] ^ 0x10,))
        if faults.packets_cut:
            faults.packets_cut -= 1
            said = said[:-3]
        return faults.junk + said
